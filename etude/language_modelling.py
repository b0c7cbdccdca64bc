"""Batches for language models: windows of one long row of tokens.

A batch is a function of its number alone, so a training that is cut goes on with what it would have read. This module must not
know any model or tokenizer.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Windows:
    """Draws windows of a text: `windows(number)` is (B, N + 1) int64, N tokens and, one further on, what comes after each.

    Attributes:
        tokens: (T,) int64, the whole text.
        length: N.

    Raises:
        ValueError: the text is shorter than one window.
    """

    tokens: Tensor
    length: int = 128
    batch_size: int = 16
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.tokens) <= self.length:
            raise ValueError(
                f"the text has {len(self.tokens)} tokens: a window takes {self.length + 1}, so give more text"
            )

    def __call__(self, number: int) -> Tensor:
        """Draws batch `number`, from 0."""
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + number)
        starts = torch.randint(len(self.tokens) - self.length, (self.batch_size, 1), generator=generator)
        return self.tokens[starts + torch.arange(self.length + 1)]  # (B, N + 1)
