"""The unigram language model tokenizer: raw text in, pieces out; the most probable way to cut, the n best, or a sample.

The model and its training are those of Kudo 2018 ("Subword Regularization", section 3.2), the white space written as a
character is that of Kudo and Richardson 2018 (SentencePiece), with whose segmentations `Unigram` agrees. Training knows
words and their counts, `Unigram` knows pieces and their log-probabilities; neither knows files or models.
"""

from __future__ import annotations

import math
import random
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

SPACE = "▁"  # U+2581
UNKNOWN = "<unk>"
SPECIAL = (UNKNOWN, "<s>", "</s>")  # stand for no text
UNKNOWN_PENALTY = 10.0  # nats below the least probable piece, as in SentencePiece
UNKNOWN_SHOWN = " ⁇ "  # what an unknown id is decoded to, as in SentencePiece
LONGEST_PIECE = 16  # characters
LONGEST_WORD = 48  # characters; in training, a longer word is cut into stretches of this length
LIFT = 10.0  # nats: see Lattices
SHRINK = 0.75  # the share of pieces that a round of pruning keeps
SPARE = 1.1  # pruning ends at this multiple of the size asked for; the least probable pieces then make way

Floats = NDArray[np.float64]
Ints = NDArray[Any]  # of whole numbers
Bools = NDArray[np.bool_]


# From text to words and back.


def mark(text: str) -> str:
    """NFKC, every run of white space one ▁, and a ▁ before the first word ("dummy prefix"): "눈  배 " → "▁눈▁배".

    A ▁ of the text itself counts as white space. SentencePiece's nmt_nfkc differs from this in a few dozen characters: it
    drops control characters, takes zero-width and direction marks for blanks, and keeps the full-width tilde.
    """
    return "".join(_words(text))


def unmark(pieces: Iterable[str]) -> str:
    """The text of some pieces; `unmark(cut(mark(text)))` is the normalised text, however it was cut."""
    return "".join(pieces).replace(SPACE, " ").removeprefix(" ")


def count_words(texts: Iterable[str]) -> Counter[str]:
    """How often each marked word occurs: what `train` learns from."""
    return Counter(word for text in texts for word in _words(text))


def _words(text: str) -> list[str]:
    return [SPACE + word for word in unicodedata.normalize("NFKC", text).replace(SPACE, " ").split()]


# The model.


@dataclass(frozen=True)
class Unigram:
    """Pieces and their log-probabilities; a piece's id is its place. A text's pieces are independent of each other.

    Raises ValueError if there is not one score for each piece, if a piece stands twice, or without "<unk>".
    """

    pieces: Sequence[str]
    scores: Sequence[float]
    index: dict[str, int] = field(init=False, repr=False)  # piece → id
    _score: dict[str, float] = field(init=False, repr=False)  # piece → log-probability, without special pieces
    _longest: int = field(init=False, repr=False)
    _unknown: float = field(init=False, repr=False)  # the score of a character that is no piece
    _by_word: bool = field(init=False, repr=False)  # whether no piece reaches over a ▁, so that words part
    _known: dict[str, list[str]] = field(init=False, repr=False, default_factory=dict)  # words cut before

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.pieces):
            raise ValueError(f"{len(self.scores)} scores for {len(self.pieces)} pieces: give one for each")
        index = {piece: i for i, piece in enumerate(self.pieces)}
        if len(index) < len(self.pieces):
            twice = next(piece for piece, count in Counter(self.pieces).items() if count > 1)
            raise ValueError(f"{twice!r} stands among the pieces more than once: an id must be that of one piece")
        if UNKNOWN not in index:
            raise ValueError(f"the {len(index)} pieces lack {UNKNOWN}: put it first, with score 0")
        score = {piece: self.scores[i] for piece, i in index.items() if piece not in SPECIAL}
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "_score", score)
        object.__setattr__(self, "_longest", max(map(len, score), default=1))
        object.__setattr__(self, "_unknown", min(score.values(), default=0.0) - UNKNOWN_PENALTY)
        object.__setattr__(self, "_by_word", all(SPACE not in piece[1:] for piece in score))

    def tokenize(self, text: str) -> list[str]:
        """The most probable pieces of a text (Viterbi); a run of unknown characters is one piece."""
        pieces: list[str] = []
        for unit in self._units(text):
            if unit not in self._known:
                self._known[unit] = self._joined(self._viterbi(unit))
            pieces += self._known[unit]
        return pieces if SPACE in self._score else self._joined(pieces)  # an unknown ▁ joins unknown words

    def nbest(self, text: str, n: int) -> list[tuple[list[str], float]]:
        """The `n` most probable ways to cut a text with their log-probabilities, the best first."""
        marked = mark(text)
        best: list[list[tuple[float, list[str]]]] = [[(0.0, [])]]  # at each position: the n best of the text up to it
        for end in range(1, len(marked) + 1):
            ways = [
                (score + piece_score, [*pieces, marked[start:end]])
                for start, piece_score in self._ending(marked, end)
                for score, pieces in best[start]
            ]
            best.append(nlargest(n, ways, key=lambda way: way[0]))
        return [(self._joined(pieces), score) for score, pieces in best[-1]]

    def sample(self, text: str, alpha: float, generator: random.Random) -> list[str]:
        """One way to cut a text, drawn with a chance in proportion to its probability to the power alpha (Kudo 2018, section 3.3).

        alpha 0 draws all ways alike, 1 as the model has it; the larger, the more often the best.
        """
        marked = mark(text)
        total = self._forward(marked, alpha)
        drawn, end = list[str](), len(marked)
        while end:
            ways = list(self._ending(marked, end))
            chances = [math.exp(total[start] + alpha * score - total[end]) for start, score in ways]
            start = generator.choices([start for start, _ in ways], chances)[0]
            drawn.append(marked[start:end])
            end = start
        return self._joined(drawn[::-1])

    def log_likelihood(self, text: str, alpha: float = 1.0) -> float:
        """log of the sum, over all ways to cut a text, of their probabilities to the power alpha (Kudo 2018, section 3.2)."""
        return self._forward(mark(text), alpha)[-1]

    def encode(self, text: str) -> list[int]:
        """The ids of `tokenize`."""
        unknown = self.index[UNKNOWN]
        return [self.index.get(piece, unknown) for piece in self.tokenize(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids: an unknown one shows as " ⁇ ", <s> and </s> do not."""
        known = (self.pieces[i] for i in ids)
        return unmark(UNKNOWN_SHOWN if piece == UNKNOWN else piece for piece in known if piece not in SPECIAL[1:])

    def _units(self, text: str) -> list[str]:
        """What can be cut on its own."""
        return _words(text) if self._by_word else [mark(text)]

    def _ending(self, marked: str, end: int) -> Iterator[tuple[int, float]]:
        """(start, score) of every piece that ends here, the longest first; a single character that is none is unknown."""
        for start in range(max(0, end - self._longest), end):
            score = self._score.get(marked[start:end])
            if score is not None:
                yield start, score
            elif start == end - 1:
                yield start, self._unknown

    def _viterbi(self, marked: str) -> list[str]:
        best, back = [0.0], [0]
        for end in range(1, len(marked) + 1):
            score, start = max(
                ((best[start] + score, start) for start, score in self._ending(marked, end)), key=lambda way: way[0]
            )  # of equals the first, which has the longest last piece
            best.append(score)
            back.append(start)
        pieces, end = list[str](), len(marked)
        while end:
            pieces.append(marked[back[end] : end])
            end = back[end]
        return pieces[::-1]

    def _forward(self, marked: str, alpha: float) -> list[float]:
        """For each position, log Σ over all ways to cut the text up to it, of their probabilities to the power alpha."""
        total = [0.0]
        for end in range(1, len(marked) + 1):
            ways = [total[start] + alpha * score for start, score in self._ending(marked, end)]
            top = max(ways)
            total.append(top + math.log(sum(math.exp(way - top) for way in ways)))
        return total

    def _joined(self, pieces: list[str]) -> list[str]:
        """The pieces with each run of unknown ones as one."""
        joined, before = list[str](), False
        for piece in pieces:
            unknown = piece not in self._score
            if unknown and before:
                joined[-1] += piece
            else:
                joined.append(piece)
            before = unknown
        return joined


# Training.


def train(words: Counter[str], size: int) -> Unigram:
    """A model of at most `size` pieces: candidates in plenty, then EM and pruning in turn (Kudo 2018, section 3.2).

    words: marked words and their counts (`count_words`). Every character stays a piece. As in SentencePiece, the M-step
    is that of a Dirichlet prior (digamma in place of log), and a piece that is expected less than half a time goes. Unlike
    there, the loss of a piece is what all other ways to spell it are worth, not the best one alone; pieces may hold letters
    beside digits and signs; and candidates are counted in running text, not in the list of different words, by which a
    frequent word that is part of no other word could not become a piece.
    Raises ValueError without words, and if the characters alone are more than `size`.
    """
    if not words:
        raise ValueError("there are no words to learn from: give at least one text that is not blank")
    stretches = Counter[str]()
    for word, count in words.items():
        for start in range(0, len(word), LONGEST_WORD):
            stretches[word[start : start + LONGEST_WORD]] += count
    found = _Candidates(stretches)
    pieces, lengths, scores = found.pieces, found.lengths, found.scores
    single = lengths == 1
    if single.sum() + len(SPECIAL) > size:
        raise ValueError(
            f"{len(SPECIAL)} special pieces and {single.sum()} characters do not fit into {size} pieces: ask for more"
        )
    wanted = int(SPARE * (size - len(SPECIAL)))
    corpus, inside = found.corpus(), found.inside()
    while True:
        for _ in range(2):
            _, expected = corpus.expected(scores, found.counts)
            stay = (expected >= 0.5) | single
            corpus, inside = corpus.without(~stay), inside.without(~stay, ~stay)
            pieces, single, expected = pieces[stay], single[stay], np.maximum(expected[stay], 0.5)
            scores = digamma(expected) - digamma(expected.sum())
        if len(pieces) <= wanted:
            break
        # What the likelihood loses without a piece: each time it is expected, other pieces must spell it.
        loss = np.where(single, np.inf, expected * (scores - inside.log_totals(scores)))
        stay = _largest(loss, max(wanted, int(SHRINK * len(pieces))))
        corpus, inside = corpus.without(~stay), inside.without(~stay, ~stay)
        pieces, single, scores = pieces[stay], single[stay], scores[stay]
    stay = _largest(np.where(single, np.inf, scores), size - len(SPECIAL))
    order = np.flatnonzero(stay)[np.argsort(-scores[stay], kind="stable")]
    return Unigram([*SPECIAL, *pieces[order].tolist()], [0.0] * len(SPECIAL) + scores[order].tolist())


def _largest(values: Floats, n: int) -> Bools:
    """Where the n largest stand; of equals the first."""
    chosen = np.zeros(len(values), dtype=bool)
    chosen[np.argsort(-values, kind="stable")[:n]] = True
    return chosen


class Lattices:
    """All ways to cut many words at once: an edge (word, end, piece) for each place where a piece fits.

    Edges are grouped by their end and length: in a group no word stands twice, so a step of the recursions is a few numpy
    calls for all words together. Probabilities are kept without logarithms, lifted by LIFT nats for each character, so
    that words of up to LONGEST_WORD characters whose pieces have scores above -24 nats stay within float64.
    """

    def __init__(self, word_lengths: Ints, piece_lengths: Ints, word: Ints, end: Ints, piece: Ints) -> None:
        """word_lengths (W,) from the longest to the shortest, piece_lengths (V,); the edges' word, end and piece (E,)."""
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
        """The lattices without some pieces (V,), and without some words (W,); the others move up."""
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
        """For each word, log Σ over all ways to cut it of their probabilities, -inf if there is none (W,)."""
        with np.errstate(divide="ignore"):
            return np.log(self._ends(self._forward(self._weights(scores)))) - LIFT * self.word_lengths

    def expected(self, scores: Floats, counts: Floats) -> tuple[float, Floats]:
        """(log-likelihood of the words, how often each piece is expected (V,)): the E-step, by forward and backward sums.

        scores (V,), counts (W,): how often each word occurs. Every word must have a way.
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
        """((end, length), where its edges are) of each group that has any."""
        bounds = zip(self.bounds, self.bounds[1:], strict=False)
        return [(step, slice(a, b)) for step, (a, b) in zip(self.steps, bounds, strict=True) if a < b]

    def _alive(self) -> list[int]:
        """At each position, how many words reach it: the first ones, as the words are sorted by length."""
        reaching = np.bincount(self.word_lengths)[::-1].cumsum()[::-1]
        return reaching.tolist()

    def _forward(self, weights: Floats) -> list[Floats]:
        """At each position, the sum over all ways to cut a word up to there, for the words that reach it."""
        alpha = [np.full(n, float(end == 0)) for end, n in enumerate(self._alive())]
        for (end, length), at in self._groups():
            word = self.word[at]
            alpha[end][word] += alpha[end - length][word] * weights[at]
        return alpha

    def _ends(self, alpha: list[Floats]) -> Floats:
        """The sums at the words' ends (W,)."""
        alive = [*map(len, alpha[1:]), 0]
        return np.concatenate([sums[n:] for sums, n in zip(alpha, alive, strict=True)][::-1])


def _sums(groups: Ints, values: Floats, n: int) -> Floats:
    """The sum of the values in each of n groups."""
    return np.asarray(np.bincount(groups, values, minlength=n), dtype=np.float64)


def _moved_up(gone: Bools) -> NDArray[np.int32]:
    return (np.cumsum(~gone) - 1).astype(np.int32)


class _Candidates:
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
        found = [*self._substrings(codes)][::-1]
        above = 0
        for length, at, name, first, _ in found:
            self.spans[length, at] = np.where(name < 0, -1, name + above)
            above += len(first)
        self.first = np.concatenate([first for *_, first, _ in found])  # (V,)
        self.lengths = np.concatenate([np.full(len(first), length) for length, _, _, first, _ in found])
        self.pieces = np.array([joined[a : a + n] for a, n in zip(self.first, self.lengths, strict=True)], dtype=object)
        weight = self.lengths * np.concatenate([totals for *_, totals in found])
        self.scores = np.log(weight / weight.sum())

    def _substrings(self, codes: Ints) -> Iterator[tuple[int, Ints, Ints, Ints, Floats]]:
        """By length: (length, where substrings begin, which of those that are taken or -1, where these begin first, counts)."""
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
        """The lattices of the words."""
        length, at = np.nonzero(self.spans >= 0)
        end = self.offset[at] + length
        return Lattices(self.word_lengths, self.lengths, self.word[at], end, self.spans[length, at])

    def inside(self) -> Lattices:
        """The lattices of the pieces themselves, each without the edge that is the piece itself."""
        edges: list[tuple[Ints, Ints, Ints]] = []
        for length in range(1, LONGEST_PIECE):
            for start in range(LONGEST_PIECE + 1 - length):
                outer = np.arange(np.searchsorted(-self.lengths, -max(start + length, length + 1), side="right"))
                inner = self.spans[length, self.first[outer] + start]
                fits = inner >= 0
                edges.append((outer[fits], np.full(fits.sum(), start + length), inner[fits]))
        word, end, piece = map(np.concatenate, zip(*edges, strict=True))
        return Lattices(self.lengths, self.lengths, word, end, piece)
