"""Draws that are the same on every platform and in every version of Python.

Only `random.Random(seed).random()` is used: Python promises its sequence for an integer seed, and promises nothing
for `choice`, `shuffle` or `sample`. This module must not know what is drawn.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class Chance:
    """A reproducible source of choices; `seed` is an integer of at least 0."""

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ValueError(f"seed is {seed!r}; give an integer of 0 or more.")
        self._random = random.Random(seed).random

    def happens(self, probability: float) -> bool:
        """Draws True with the given probability."""
        return self._random() < probability

    def below(self, n: int) -> int:
        """Draws an integer in [0, n), all equally likely."""
        return int(self._random() * n)

    def pick(self, items: Sequence[T]) -> T:
        """Draws one of the items, all equally likely."""
        return items[int(self._random() * len(items))]

    def shuffle(self, items: list[Any]) -> None:
        """Puts the items in random order, in place (Fisher and Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
