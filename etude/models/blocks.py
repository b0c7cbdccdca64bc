"""The Transformer's layer: attention and a feed-forward network, each with a residual connection and layer normalisation.

Vaswani et al. 2017, "Attention Is All You Need", section 3.1 and 3.3; Pre-LN: Xiong et al. 2020, "On Layer Normalization in
the Transformer Architecture", section 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from etude.models.attention import Cache, MultiHeadAttention

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "gelu_tanh": lambda: nn.GELU(approximate="tanh"),
}
Norm = Literal["post", "pre"]


@dataclass(frozen=True)
class BlockConfig:
    """What one layer is made of.

    Attributes:
        width: d, of the vectors that go through.
        heads: h.
        inner: the feed-forward network's width.
        activation: a key of ACTIVATIONS.
        norm: layer normalisation after each residual sum ("post", as published) or before each sublayer ("pre").
        eps: what layer normalisation adds to the variance.
        scale: as for MultiHeadAttention.
    """

    width: int
    heads: int
    inner: int
    dropout: float = 0.1
    attention_dropout: float = 0.1
    activation: str = "relu"
    norm: Norm = "post"
    eps: float = 1e-5
    scale: float | None = None


class Residual(nn.Module):
    """Adds what a sublayer computes to its input, and normalises the sum ("post") or the sublayer's input ("pre")."""

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.width, eps=config.eps)
        self.dropout = nn.Dropout(config.dropout)
        self.first = config.norm == "pre"

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Maps (B, N, d) to (B, N, d)."""
        if self.first:
            x = x + self.dropout(sublayer(self.norm(x)))
            return x
        x = self.norm(x + self.dropout(sublayer(x)))
        return x


class LayerCache:
    """What one layer of a decoder keeps while a text grows: keys and values of the text, and those of the encoder."""

    def __init__(self) -> None:
        self.text, self.memory = Cache(), Cache()

    def select(self, rows: Tensor) -> None:
        """Keeps these sequences of the batch, (B') int64, in this order."""
        self.text.select(rows)
        self.memory.select(rows)


class Block(nn.Module):
    """One layer of an encoder, or of a decoder, which attends to an encoder's output too (`cross`)."""

    def __init__(self, config: BlockConfig, *, cross: bool = False) -> None:
        super().__init__()
        self.attention, self.attention_sum = _attention(config), Residual(config)
        self.cross = _attention(config) if cross else None
        self.cross_sum = Residual(config) if cross else None
        self.feed_forward = nn.Sequential(
            nn.Linear(config.width, config.inner),
            ACTIVATIONS[config.activation](),
            nn.Linear(config.inner, config.width),
        )
        self.feed_forward_sum = Residual(config)

    def forward(
        self,
        x: Tensor,
        *,
        mask: Tensor | None = None,
        causal: bool = False,
        memory: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """Maps (B, N, d) to (B, N, d).

        Args:
            mask: which positions of x may be attended to.
            causal: no position sees a later one.
            memory: the encoder's output, (B, M, d), if this is a decoder's layer; memory_mask says where it holds words.
            cache: of earlier positions of x; then x holds the new ones alone.
        """
        x = self.attention_sum(
            x, lambda y: self.attention(y, mask=mask, causal=causal, cache=None if cache is None else cache.text)
        )
        if self.cross is not None and self.cross_sum is not None:
            x = self.cross_sum(x, lambda y: self._look(y, memory, memory_mask, cache))
        x = self.feed_forward_sum(x, self.feed_forward)
        return x

    def _look(self, x: Tensor, memory: Tensor | None, mask: Tensor | None, cache: LayerCache | None) -> Tensor:
        assert self.cross is not None
        looked: Tensor = self.cross(x, memory, mask=mask, cache=None if cache is None else cache.memory)
        return looked


def _attention(config: BlockConfig) -> MultiHeadAttention:
    return MultiHeadAttention(config.width, config.heads, dropout=config.attention_dropout, scale=config.scale)


def sinusoids(length: int, width: int) -> Tensor:
    """Computes the sinusoidal positions of section 3.5: (length, width) float32, sine on even dimensions, cosine on odd ones."""
    frequencies = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000) / width))  # (width/2,)
    angles = torch.arange(length)[:, None] * frequencies  # (length, width/2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width]
