"""How often pieces of words and pairs of neighbours occur, kept up to date as pairs are merged: WordPiece's training.

This module knows pieces as strings; it must not know how they are marked or how a text becomes words.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np

from etude.tokenizers import bpe


class Pairs:
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
        """Finds the pair with the highest score, None if no pair occurs often enough."""
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
