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

import numpy as np
from scipy.special import digamma

from etude.tokenizers.lattices import LONGEST_WORD, Bools, Candidates, Floats

SPACE = "▁"  # U+2581
UNKNOWN = "<unk>"
SPECIAL = (UNKNOWN, "<s>", "</s>")  # stand for no text
UNKNOWN_PENALTY = 10.0  # nats below the least probable piece, as in SentencePiece
UNKNOWN_SHOWN = " ⁇ "  # what an unknown id is decoded to, as in SentencePiece
SHRINK = 0.75  # the share of pieces that a round of pruning keeps
SPARE = 1.1  # pruning ends at this multiple of the size asked for; the least probable pieces then make way


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
    candidates = Candidates(stretches)
    pieces, lengths, scores = candidates.pieces, candidates.lengths, candidates.scores
    single = lengths == 1
    if single.sum() + len(SPECIAL) > size:
        raise ValueError(
            f"{len(SPECIAL)} special pieces and {single.sum()} characters do not fit into {size} pieces: ask for more"
        )
    wanted = int(SPARE * (size - len(SPECIAL)))
    corpus, inside = candidates.corpus(), candidates.inside()
    while True:
        for _ in range(2):
            _, expected = corpus.expected(scores, candidates.counts)
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
