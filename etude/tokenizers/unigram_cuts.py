"""All ways to cut one text into pieces of given scores: the most probable, the n best, a sample, the sum.

Recursions over the ends of pieces, from left to right, in memory that grows with the length of the text. This module must not
know how a text is marked, nor what ids pieces have.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest

UNKNOWN_PENALTY = 10.0  # nats below the least probable piece, as in SentencePiece

# Log-probability, where the last piece begins, and which of the ways up to there goes before.
Way = tuple[float, int, int]


@dataclass(frozen=True)
class Cuts:
    """Pieces and their log-probabilities; a single character that is no piece is unknown, and less probable than any."""

    scores: Mapping[str, float]

    @cached_property
    def longest(self) -> int:
        """Characters of the longest piece."""
        return max(map(len, self.scores), default=1)

    @cached_property
    def unknown(self) -> float:
        """The score of a character that is no piece."""
        return min(self.scores.values(), default=0.0) - UNKNOWN_PENALTY

    def best(self, text: str) -> list[str]:
        """Finds the most probable way to cut a text (Viterbi)."""
        totals, starts = array("d", [0.0]), array("q", [0])
        for end in range(1, len(text) + 1):
            total, start = max(
                ((totals[start] + score, start) for start, score in self._ending(text, end)), key=lambda way: way[0]
            )  # of equals the first, which has the longest last piece
            totals.append(total)
            starts.append(start)
        pieces, end = list[str](), len(text)
        while end:
            pieces.append(text[starts[end] : end])
            end = starts[end]
        return pieces[::-1]

    def nbest(self, text: str, n: int) -> list[tuple[list[str], float]]:
        """Finds the `n` most probable ways to cut a text with their log-probabilities, the best first."""
        best: list[list[Way]] = [[(0.0, 0, 0)]]  # at each position: the n best of the text up to it
        for end in range(1, len(text) + 1):
            ways = (
                (total + score, start, place)
                for start, score in self._ending(text, end)
                for place, (total, _, _) in enumerate(best[start])
            )
            best.append(nlargest(n, ways, key=lambda way: way[0]))
        return [(self._pieces(text, best, place), total) for place, (total, _, _) in enumerate(best[-1])]

    def sample(self, text: str, alpha: float, generator: random.Random) -> list[str]:
        """Draws one way to cut a text, with a chance in proportion to its probability to the power alpha."""
        total = self.log_totals(text, alpha)
        drawn, end = list[str](), len(text)
        while end:
            ways = list(self._ending(text, end))
            chances = [math.exp(total[start] + alpha * score - total[end]) for start, score in ways]
            start = generator.choices([start for start, _ in ways], chances)[0]
            drawn.append(text[start:end])
            end = start
        return drawn[::-1]

    def log_totals(self, text: str, alpha: float) -> list[float]:
        """Computes for each position log Σ over all ways to cut the text up to it, of their probabilities to the power alpha."""
        total = [0.0]
        for end in range(1, len(text) + 1):
            ways = [total[start] + alpha * score for start, score in self._ending(text, end)]
            top = max(ways)
            total.append(top + math.log(sum(math.exp(way - top) for way in ways)))
        return total

    def joined(self, pieces: list[str]) -> list[str]:
        """Joins each run of unknown pieces to one."""
        joined, before = list[str](), False
        for piece in pieces:
            unknown = piece not in self.scores
            if unknown and before:
                joined[-1] += piece
            else:
                joined.append(piece)
            before = unknown
        return joined

    def _ending(self, text: str, end: int) -> Iterator[tuple[int, float]]:
        """Finds (start, score) of every piece that ends here, the longest first; a single character that is none is unknown."""
        for start in range(max(0, end - self.longest), end):
            score = self.scores.get(text[start:end])
            if score is not None:
                yield start, score
            elif start == end - 1:
                yield start, self.unknown

    def _pieces(self, text: str, best: list[list[Way]], place: int) -> list[str]:
        """Reads one of the ways to cut the whole text from its end."""
        pieces, end = list[str](), len(text)
        while end:
            _, start, before = best[end][place]
            pieces.append(text[start:end])
            end, place = start, before
        return pieces[::-1]
