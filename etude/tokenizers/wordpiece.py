"""WordPiece: merges by likelihood, words cut by the longest match, and BERT's way from text to words.

The merging criterion is that of Schuster and Nakajima 2012 ("Japanese and Korean Voice Search", section 3) as it is
usually written, count(st) / (count(s) · count(t)); cutting, marks and special tokens are those of Devlin et al. 2019
(BERT), whose trainer was never published. This module knows text and counts only: nothing of files or of models.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from etude.tokenizers import bpe

MARK = "##"  # before a piece that continues a word
UNKNOWN = "[UNK]"
SPECIAL = ("[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]")
LONGEST_WORD = 100  # characters; longer words are unknown, as in BERT

# Characters that BERT takes as words of their own (CJK ideographs; Hangul and kana are not among them).
IDEOGRAPHS = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


# From text to words.


def normalize(text: str, *, lower: bool = True) -> str:
    """BERT's cleaning: control characters out, white space to blanks, ideographs apart.

    `lower` means lower case *and* no accents: text is decomposed (NFD) and its combining marks are dropped. That takes
    é to e, and Hangul syllables to their jamo (눈 to three characters), as the uncased BERT models do.
    """
    kept = (" " if c.isspace() and c not in "\x1c\x1d\x1e\x1f\x85\x0b\x0c" else c for c in text if not _dropped(c))
    text = "".join(f" {c} " if _is_ideograph(c) else c for c in kept)
    if not lower:
        return text
    marked = unicodedata.normalize("NFD", text)
    return "".join(c.lower() for c in marked if unicodedata.category(c) != "Mn")  # character by character: Σ is σ


def split(text: str) -> list[str]:
    """Words: what stands between blanks, with every punctuation mark a word of its own."""
    return "".join(f" {c} " if _is_punctuation(c) else c for c in text).split()


def _dropped(c: str) -> bool:
    return c == "\ufffd" or (c not in "\t\n\r" and unicodedata.category(c) in ("Cc", "Cf", "Cn", "Co"))


def _is_ideograph(c: str) -> bool:
    return any(first <= ord(c) <= last for first, last in IDEOGRAPHS)


def _is_punctuation(c: str) -> bool:
    """Unicode's punctuation, and all of ASCII's signs ($ and ^ are symbols to Unicode)."""
    return (c.isascii() and c.isprintable() and not c.isalnum() and c != " ") or unicodedata.category(c)[0] == "P"


# Cutting words by a vocabulary.


@dataclass(frozen=True)
class WordPiece:
    """A vocabulary, its ids being the places in the list. Raises ValueError without [UNK] or with a word that stands twice."""

    vocabulary: Sequence[str]
    lower: bool = True
    index: dict[str, int] = field(init=False, repr=False)  # piece → id

    def __post_init__(self) -> None:
        index = {piece: i for i, piece in enumerate(self.vocabulary)}
        if len(index) < len(self.vocabulary):
            twice = next(piece for piece, count in Counter(self.vocabulary).items() if count > 1)
            raise ValueError(f"{twice!r} stands in the vocabulary more than once: an id must be that of one piece")
        if UNKNOWN not in index:
            raise ValueError(f"the vocabulary of {len(index)} pieces lacks {UNKNOWN}: put it among the special tokens")
        object.__setattr__(self, "index", index)

    def pieces_of(self, word: str) -> list[str]:
        """The longest piece that starts the word, then the longest that goes on, and so on; [UNK] if one is missing.

        One character that is not in the vocabulary makes the whole word unknown.
        """
        if len(word) > LONGEST_WORD:
            return [UNKNOWN]
        pieces, start = [], 0
        while start < len(word):
            mark = MARK if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self.index), None)
            if end is None:
                return [UNKNOWN]
            pieces.append(mark + word[start:end])
            start = end
        return pieces

    def tokenize(self, text: str) -> list[str]:
        """The pieces of a text, without special tokens."""
        return [piece for word in split(normalize(text, lower=self.lower)) for piece in self.pieces_of(word)]

    def encode(self, text: str, other: str | None = None) -> list[int]:
        """The ids of [CLS] text [SEP], or of [CLS] text [SEP] other [SEP] (BERT, section 3.1)."""
        pieces = ["[CLS]", *self.tokenize(text), "[SEP]"]
        if other is not None:
            pieces += [*self.tokenize(other), "[SEP]"]
        return [self.index[piece] for piece in pieces]

    def decode(self, ids: Iterable[int]) -> str:
        """The words of some ids with blanks between them; blanks around punctuation, case and accents do not come back."""
        pieces = [self.vocabulary[i] for i in ids if self.vocabulary[i] not in SPECIAL or self.vocabulary[i] == UNKNOWN]
        return " ".join(pieces).replace(f" {MARK}", "")


# Training.


def train(words: Counter[str], size: int, *, min_count: int = 2, special: Sequence[str] = SPECIAL) -> list[str]:
    """A vocabulary of at most `size` pieces: special tokens, characters, then merges in the order in which they are made.

    Each step merges the pair with the largest count(st) / (count(s) · count(t)) among those that occur at least
    `min_count` times, of equals the one that is first in the alphabet: without that bound, pieces that occur once, and
    then together, win. Raises ValueError if the characters alone are more than `size`.
    """
    spelled = [[c if i == 0 else MARK + c for i, c in enumerate(word)] for word in words]
    vocabulary = [*special, *sorted({piece for pieces in spelled for piece in pieces})]
    if len(vocabulary) > size:
        raise ValueError(f"{len(vocabulary)} special tokens and characters do not fit into {size} pieces: ask for more")
    table = _Pairs(spelled, list(words.values()))
    known = set(vocabulary)
    while len(vocabulary) < size and (pair := table.best(min_count)) is not None:
        merged = pair[0] + pair[1].removeprefix(MARK)
        table.merge(pair, merged)
        if merged not in known:  # the same piece can come from two pairs
            known.add(merged)
            vocabulary.append(merged)
    return vocabulary


class _Pairs:
    """Words as pieces, and how often each piece and each neighbouring pair occurs; kept up to date as pairs are merged.

    Scores change with every piece's count, so no order of pairs can be kept: all scores are computed at once, in numpy.
    """

    def __init__(self, spelled: list[list[str]], counts: list[int]) -> None:
        self.spelled, self.counts = spelled, counts
        self.names: list[str] = []  # of pieces
        self.piece: dict[str, int] = {}
        self.pair: dict[tuple[str, str], int] = {}  # pair → its row below
        self.words: defaultdict[int, set[int]] = defaultdict(set)  # row → words that hold the pair, or have held it
        self.frequency = np.zeros(1024)  # by piece
        self.table = np.zeros((1024, 3), dtype=np.int64)  # by row: first piece, second piece, count
        for word in range(len(spelled)):
            self._count(word, 1)

    def best(self, min_count: int) -> tuple[str, str] | None:
        """The pair with the highest score, None if no pair occurs often enough."""
        first, second, count = self.table[: len(self.pair)].T
        possible = count >= min_count
        if not possible.any():
            return None
        chance = self.frequency[first] * self.frequency[second]
        score = np.divide(count, chance, out=np.zeros(len(count)), where=possible)
        rows = np.flatnonzero(score == score.max())
        return min((self.names[first[row]], self.names[second[row]]) for row in rows)

    def merge(self, pair: tuple[str, str], merged: str) -> None:
        """Puts `merged` for the pair in all words, from left to right."""
        for word in self.words.pop(self.pair[pair]):
            joined = bpe.merged(self.spelled[word], pair, merged)
            if len(joined) < len(self.spelled[word]):
                self._count(word, -1)
                self.spelled[word] = joined
                self._count(word, 1)

    def _count(self, word: int, sign: int) -> None:
        pieces, change = self.spelled[word], sign * self.counts[word]
        for piece in pieces:
            if piece not in self.piece:
                self.piece[piece] = len(self.names)
                self.names.append(piece)
                if len(self.names) > len(self.frequency):
                    self.frequency = np.concatenate([self.frequency, np.zeros_like(self.frequency)])
            self.frequency[self.piece[piece]] += change
        for pair in pairwise(pieces):
            row = self.pair.setdefault(pair, len(self.pair))
            if row == len(self.table):
                self.table = np.concatenate([self.table, np.zeros_like(self.table)])
            self.table[row, :2] = self.piece[pair[0]], self.piece[pair[1]]
            self.table[row, 2] += change
            self.words[row].add(word)
