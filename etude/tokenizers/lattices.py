"""All ways to cut many words into pieces at once, as arrays: what the training of the unigram language model computes on.

Sums over all cuts of a word are the forward and backward recursions of a hidden Markov model; here a step is a few numpy
calls for all words together. This module knows nothing of text beyond its characters, nor how a model is chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

LONGEST_PIECE = 16  # characters
LONGEST_WORD = 48  # characters; in training, a longer word is cut into stretches of this length
LIFT = 10.0  # nats: see Lattices

Floats = NDArray[np.float64]
Ints = NDArray[Any]  # of whole numbers
Bools = NDArray[np.bool_]


class Lattices:
    """All ways to cut many words at once: an edge (word, end, piece) for each place where a piece fits.

    Edges are grouped by their end and length: in a group no word stands twice, so a step of the recursions is a few numpy
    calls for all words together. Probabilities are kept without logarithms, lifted by LIFT nats for each character, so
    that words of up to LONGEST_WORD characters whose pieces have scores above -24 nats stay within float64.
    """

    def __init__(self, word_lengths: Ints, piece_lengths: Ints, word: Ints, end: Ints, piece: Ints) -> None:
        """Builds the lattices of W words from their E edges; each edge is one of V pieces.

        Args:
            word_lengths: (W,), from the longest to the shortest.
            piece_lengths: (V,).
            word: of each edge (E,).
            end: of each edge (E,), the position in its word.
            piece: of each edge (E,).

        Raises:
            ValueError: the words are not sorted by length, or one has more than LONGEST_WORD characters.
        """
        if (np.diff(word_lengths) > 0).any():
            raise ValueError("the words are not sorted: give the longest first")
        if word_lengths[0] > LONGEST_WORD:
            raise ValueError(
                f"a word has {word_lengths[0]} characters, of which {LONGEST_WORD} fit: cut it into stretches"
            )
        group = end * (LONGEST_PIECE + 1) + piece_lengths[piece]
        order = np.argsort(group.astype(np.uint16), kind="stable")
        found, starts = np.unique(group[order], return_index=True)
        self.word_lengths, self.piece_lengths = word_lengths, piece_lengths
        self.steps = [divmod(int(at), LONGEST_PIECE + 1) for at in found]  # (end, length) of each group
        self.bounds = np.append(starts, len(order))  # where the groups begin
        self.word, self.piece = word[order].astype(np.int32), piece[order].astype(np.int32)

    def without(self, pieces: Bools, words: Bools | None = None) -> Lattices:
        """Copies the lattices without some pieces (V,), and without some words (W,); the others move up."""
        left = ~pieces[self.piece]
        less = object.__new__(Lattices)
        less.word_lengths, less.piece_lengths, less.word = self.word_lengths, self.piece_lengths[~pieces], self.word
        if words is not None:
            left &= ~words[self.word]
            less.word_lengths, less.word = self.word_lengths[~words], _moved_up(words)[self.word]
        less.steps, less.bounds = self.steps, np.append(0, left.cumsum())[self.bounds]
        less.word, less.piece = less.word[left], _moved_up(pieces)[self.piece[left]]
        return less

    def log_totals(self, scores: Floats) -> Floats:
        """Computes for each word log Σ over all ways to cut it of their probabilities, -inf if there is none (W,)."""
        with np.errstate(divide="ignore"):
            return np.log(self._ends(self._forward(self._weights(scores)))) - LIFT * self.word_lengths

    def expected(self, scores: Floats, counts: Floats) -> tuple[float, Floats]:
        """Computes how often each piece is expected: the E-step, by forward and backward sums.

        Args:
            scores: (V,).
            counts: (W,), how often each word occurs. There must be a way to cut each word.

        Returns:
            (log-likelihood of the words, how often each piece is expected (V,)).
        """
        weights = self._weights(scores)
        alpha = self._forward(weights)
        totals = self._ends(alpha)  # (W,)
        alive = self._alive()
        beta = [np.zeros(n) for n in alive]
        for end, n in enumerate([*alive[1:], 0]):
            beta[end][n:] = (counts / totals)[n : alive[end]]  # so that alpha · weight · beta is a count
        share = np.empty(len(weights))
        for (end, length), at in reversed(self._groups()):
            word = self.word[at]
            back = weights[at] * beta[end][word]
            share[at] = alpha[end - length][word] * back
            beta[end - length][word] += back
        log_likelihood = float(counts @ (np.log(totals) - LIFT * self.word_lengths))
        return log_likelihood, _sums(self.piece, share, len(scores))

    def _weights(self, scores: Floats) -> Floats:
        return np.exp(scores + LIFT * self.piece_lengths)[self.piece]  # (E,)

    def _groups(self) -> list[tuple[tuple[int, int], slice]]:
        """Lists ((end, length), where its edges are) for each group that has any."""
        bounds = zip(self.bounds, self.bounds[1:], strict=False)
        return [(step, slice(a, b)) for step, (a, b) in zip(self.steps, bounds, strict=True) if a < b]

    def _alive(self) -> list[int]:
        """Counts for each position the words that reach it: the first ones, as the words are sorted by length."""
        reaching: list[int] = np.bincount(self.word_lengths)[::-1].cumsum()[::-1].tolist()
        return reaching

    def _forward(self, weights: Floats) -> list[Floats]:
        """Computes at each position the sum over all ways to cut a word up to there, for the words that reach it."""
        alpha = [np.full(n, float(end == 0)) for end, n in enumerate(self._alive())]
        for (end, length), at in self._groups():
            word = self.word[at]
            alpha[end][word] += alpha[end - length][word] * weights[at]
        return alpha

    def _ends(self, alpha: list[Floats]) -> Floats:
        """Picks the sums at the words' ends (W,)."""
        alive = [*map(len, alpha[1:]), 0]
        return np.concatenate([sums[n:] for sums, n in zip(alpha, alive, strict=True)][::-1])


def _sums(groups: Ints, values: Floats, n: int) -> Floats:
    """Adds up the values in each of n groups."""
    return np.asarray(np.bincount(groups, values, minlength=n), dtype=np.float64)


def _moved_up(gone: Bools) -> NDArray[np.int32]:
    return (np.cumsum(~gone) - 1).astype(np.int32)


class Candidates:
    """The substrings of some words that are worth a start, the longest first, and the lattices that they make.

    Taken are all characters, and of the substrings of up to LONGEST_PIECE characters those that occur twice and that no
    longer one replaces wherever they occur. Scores are the logarithms of count × length, normalised.
    """

    def __init__(self, words: Counter[str]) -> None:
        texts = sorted(words, key=len, reverse=True)
        self.counts = np.array([words[text] for text in texts], dtype=float)  # (W,)
        self.word_lengths = np.array([len(text) for text in texts])
        joined = "".join(texts)
        codes = np.unique(np.frombuffer(joined.encode("utf-32-le"), np.uint32), return_inverse=True)[1]
        self.word = np.repeat(np.arange(len(texts)), self.word_lengths)  # of each character (C,)
        self.offset = np.arange(len(codes)) - (self.word_lengths.cumsum() - self.word_lengths)[self.word]
        # Which piece of each length, if any, begins at a character (1 + LONGEST_PIECE, C); and by length, where each
        # piece begins first and how often it occurs.
        self.spans = np.full((LONGEST_PIECE + 1, len(codes)), -1, dtype=np.int32)
        by_length = [*self._substrings(codes)][::-1]
        above = 0
        for length, at, name, first, _ in by_length:
            self.spans[length, at] = np.where(name < 0, -1, name + above)
            above += len(first)
        self.first = np.concatenate([first for *_, first, _ in by_length])  # (V,)
        self.lengths = np.concatenate([np.full(len(first), length) for length, _, _, first, _ in by_length])
        self.pieces = np.array([joined[a : a + n] for a, n in zip(self.first, self.lengths, strict=True)], dtype=object)
        weight = self.lengths * np.concatenate([totals for *_, totals in by_length])
        self.scores = np.log(weight / weight.sum())

    def _substrings(self, codes: Ints) -> Iterator[tuple[int, Ints, Ints, Ints, Floats]]:
        """Finds the substrings of each length, and which of them are taken.

        Yields (length, where substrings begin, which of those that are taken or -1, where these begin first, counts).
        """
        counts = self.counts[self.word]
        room = self.word_lengths[self.word] - self.offset  # characters left in the word
        before = np.where(self.offset > 0, np.roll(codes, 1), -1)
        at, name = np.arange(len(codes)), codes
        first = np.unique(codes, return_index=True)[1]
        for length in range(1, LONGEST_PIECE + 1):
            totals = _sums(name, counts[at], len(first))
            least, most = np.full(len(totals), len(codes)), np.full(len(totals), -1)
            np.minimum.at(least, name, before[at])
            np.maximum.at(most, name, before[at])
            longer = (room[at] > length) & (totals[name] >= 2)
            further = name[longer] * (codes.max() + 1) + codes[at[longer] + length]
            keys, nexts, names = np.unique(further, return_index=True, return_inverse=True)
            after = np.zeros(len(totals))  # the count of the most frequent continuation
            np.maximum.at(after, keys // (codes.max() + 1), _sums(names, counts[at[longer]], len(keys)))
            taken = (totals >= 2) & (after < totals) & ((least < most) | (least < 0)) | (length == 1)
            yield length, at, np.where(taken, _moved_up(~taken), -1)[name], at[first[taken]], totals[taken]
            at, name, first = at[longer], names, nexts

    def corpus(self) -> Lattices:
        """Builds the lattices of the words."""
        length, at = np.nonzero(self.spans >= 0)
        end = self.offset[at] + length
        return Lattices(self.word_lengths, self.lengths, self.word[at], end, self.spans[length, at])

    def inside(self) -> Lattices:
        """Builds the lattices of the pieces themselves, each without the edge that is the piece itself."""
        edges: list[tuple[Ints, Ints, Ints]] = []
        for length in range(1, LONGEST_PIECE):
            for start in range(LONGEST_PIECE + 1 - length):
                outer = np.arange(np.searchsorted(-self.lengths, -max(start + length, length + 1), side="right"))
                inner = self.spans[length, self.first[outer] + start]
                fits = inner >= 0
                edges.append((outer[fits], np.full(fits.sum(), start + length), inner[fits]))
        word, end, piece = map(np.concatenate, zip(*edges, strict=True))
        return Lattices(self.lengths, self.lengths, word, end, piece)
