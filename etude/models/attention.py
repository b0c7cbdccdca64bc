"""Multi-head attention, within a sequence or from one sequence to another, and a cache for texts that grow.

Vaswani et al. 2017, "Attention Is All You Need", section 3.2. Shapes: B sequences in a batch, N queries, M keys, a width
of d, h heads of d/h each. A mask is boolean, True where a query may attend to a key, of a shape that spreads to (B, h, N, M).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


def padding_mask(tokens: Tensor, padding: int = 0) -> Tensor:
    """Marks the tokens that are no padding: (B, M) ids → (B, 1, 1, M) bool."""
    return (tokens != padding)[:, None, None, :]


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """Lets each position attend to itself and to those before it: (N, N) bool."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


class Cache:
    """The keys and values that one attention has computed so far, (B, h, M, d/h) each, for writing: no gradients go back.

    They lie in tensors with room for as many again, so that a new position is written and the earlier ones are not copied.
    """

    def __init__(self) -> None:
        self._keys: Tensor | None = None  # (B, h, room, d/h)
        self._values: Tensor | None = None
        self.length = 0  # M

    @property
    def keys(self) -> Tensor | None:
        return None if self._keys is None else self._keys[:, :, : self.length]

    @property
    def values(self) -> Tensor | None:
        return None if self._values is None else self._values[:, :, : self.length]

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Adds those of new positions; returns all."""
        self._keys, self._values = (
            _written(kept, self.length, new) for kept, new in ((self._keys, keys), (self._values, values))
        )
        self.length += keys.size(2)
        return self._keys[:, :, : self.length], self._values[:, :, : self.length]

    def select(self, rows: Tensor) -> None:
        """Keeps these sequences of the batch, (B') int64, in this order: a beam search goes on from the best."""
        if self._keys is not None and self._values is not None:
            self._keys, self._values = self._keys[rows], self._values[rows]


def _written(kept: Tensor | None, length: int, new: Tensor) -> Tensor:
    """Writes new positions behind the first `length` kept ones, in a tensor twice as long where there is no room."""
    if kept is None:
        return new
    last = length + new.size(2)
    if last > kept.size(2):
        longer = kept.new_empty(*kept.shape[:2], 2 * last, kept.size(3))
        longer[:, :, :length] = kept[:, :, :length]
        kept = longer
    kept[:, :, length:last] = new
    return kept


class MultiHeadAttention(nn.Module):
    """h attentions side by side, each on d/h dimensions of queries, keys and values of its own (section 3.2.2).

    The three projections are one matrix, (3 d, d): queries, keys, values.
    """

    def __init__(self, width: int, heads: int, *, dropout: float = 0.0, scale: float | None = None) -> None:
        """Makes the projections.

        Args:
            dropout: the share of attention weights that are set to 0 while training.
            scale: what a query-key product is multiplied by; None for 1/√(d/h), the paper's equation 1.

        Raises:
            ValueError: the heads do not divide the width.
        """
        super().__init__()
        if width % heads:
            raise ValueError(f"{heads} heads do not divide a width of {width}: choose a width that is a multiple")
        self.width, self.heads, self.dropout, self.scale = width, heads, dropout, scale
        self.project_in = nn.Linear(width, 3 * width)
        self.project_out = nn.Linear(width, width)

    def forward(
        self,
        x: Tensor,
        context: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        causal: bool = False,
        cache: Cache | None = None,
    ) -> Tensor:
        """Attends from x, (B, N, d), to the context, (B, M, d), or to x itself; returns (B, N, d).

        Args:
            causal: position i of x sees positions 0 to i alone. Not beside a mask or a cache that holds something.
            cache: of a context, it is filled at the first call and read at the next ones; of x, it grows with each call.
        """
        queries, keys, values = self._heads(x, context, cache)
        mixed = functional.scaled_dot_product_attention(
            queries,
            keys,
            values,
            attn_mask=mask,
            is_causal=causal,
            dropout_p=self.dropout if self.training else 0.0,
            scale=self.scale,
        )  # (B, h, N, d/h)
        out: Tensor = self.project_out(mixed.transpose(1, 2).flatten(2))  # (B, N, d)
        return out

    def weights(self, x: Tensor, context: Tensor | None = None, *, mask: Tensor | None = None) -> Tensor:
        """Computes how much each query attends to each key, for people to look at: (B, h, N, M), rows sum to 1."""
        queries, keys, _ = self._heads(x, context, None)
        scale = 1 / math.sqrt(queries.size(-1)) if self.scale is None else self.scale
        scores = queries @ keys.transpose(-1, -2) * scale  # (B, h, N, M)
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return scores.softmax(dim=-1)

    def _heads(self, x: Tensor, context: Tensor | None, cache: Cache | None) -> tuple[Tensor, Tensor, Tensor]:
        """Computes queries, (B, h, N, d/h), keys and values, (B, h, M, d/h)."""
        if context is None:
            queries, keys, values = map(self._split, self.project_in(x).chunk(3, dim=-1))
            if cache is not None:
                keys, values = cache.extend(keys, values)
            return queries, keys, values
        weight, bias, d = self.project_in.weight, self.project_in.bias, self.width
        queries = self._split(functional.linear(x, weight[:d], bias[:d]))
        if cache is not None and cache.keys is not None and cache.values is not None:
            return queries, cache.keys, cache.values
        keys, values = map(self._split, functional.linear(context, weight[d:], bias[d:]).chunk(2, dim=-1))
        return queries, *((keys, values) if cache is None else cache.extend(keys, values))

    def _split(self, x: Tensor) -> Tensor:
        """Gives each head its part: (B, N, d) → (B, h, N, d/h)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)
