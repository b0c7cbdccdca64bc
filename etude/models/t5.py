"""T5: an encoder and a decoder that read text and write text, whatever the task.

Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", section 2.1; relative
positions by Shaw et al. 2018, in T5's simpler form; RMSNorm by Zhang and Sennrich 2019. Against the Transformer of 2017: a
normalisation without mean and shift, before each sublayer; no biases anywhere; scores that are not divided by √d/h (the start
values of the queries are smaller instead); and in place of positions a learned number for each distance, added to the scores.
Shapes: B pairs, a source of M tokens, a target of N tokens, width d, h heads of k, vocabulary V.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.models.attention import Cache, causal_mask, padding_mask
from etude.models.blocks import LayerCache
from etude.models.transformer import DecoderState

SIZES = {  # layers of each stack, d, d_ff, h, k
    "small": (6, 512, 2048, 8, 64),
    "base": (12, 768, 3072, 12, 64),
    "large": (24, 1024, 4096, 16, 64),
    "3b": (24, 1024, 16_384, 32, 128),
    "11b": (24, 1024, 65_536, 128, 128),
}


@dataclass(frozen=True)
class T5Config:
    """T5's settings under the names of its published files; the defaults are those of T5-Small.

    Attributes:
        d_kv: k, of each head; h · k need not be d.
        relative_attention_num_buckets: how many numbers there are for distances.
        relative_attention_max_distance: from which on all distances share the last of them.
        initializer_factor: what all start values are multiplied by.
        pad_token_id: padding, and what the decoder reads first.
    """

    vocab_size: int = 32_128
    d_model: int = 512
    d_kv: int = 64
    d_ff: int = 2048
    num_layers: int = 6
    num_heads: int = 8
    relative_attention_num_buckets: int = 32
    relative_attention_max_distance: int = 128
    dropout_rate: float = 0.1
    layer_norm_epsilon: float = 1e-6
    initializer_factor: float = 1.0
    pad_token_id: int = 0
    eos_token_id: int = 1

    @classmethod
    def of_size(cls, name: str) -> Self:
        """Returns the settings of a published model: small, base, large, 3b or 11b (section 3.7)."""
        layers, width, inner, heads, of_head = SIZES[name]
        return cls(d_model=width, d_kv=of_head, d_ff=inner, num_layers=layers, num_heads=heads)


def buckets(distances: Tensor, *, both: bool, count: int = 32, farthest: int = 128) -> Tensor:
    """Gives near distances numbers of their own, and far ones numbers that they share (section 2.1).

    Args:
        distances: int64 of any shape, the key's position minus the query's.
        both: half of the numbers are for keys behind the query; without it those count as distance 0.
        count: of numbers.
        farthest: from this distance on all have the last number.

    Returns:
        int64 of the same shape, from 0 to count - 1.
    """
    half = count // 2 if both else count
    near = half // 2  # distances below it have a number each
    far = distances.abs() if both else (-distances).clamp(min=0)
    steps = (far.clamp(min=1) / near).log() / math.log(farthest / near) * (half - near)
    numbers = torch.where(far < near, far, (near + steps.long()).clamp(max=half - 1))
    return numbers + half * (distances > 0) if both else numbers


class RMSNorm(nn.Module):
    """Divides a vector by the root of its mean square and scales it; nothing is subtracted or added."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x: Tensor) -> Tensor:
        """Maps (…, d) to (…, d)."""
        return self.weight * x * (x.square().mean(dim=-1, keepdim=True) + self.eps).rsqrt()


class T5Attention(nn.Module):
    """Multi-head attention without biases and without 1/√k; a number for each distance is added to the scores."""

    def __init__(self, config: T5Config) -> None:
        super().__init__()
        self.heads, self.dropout, inner = config.num_heads, config.dropout_rate, config.num_heads * config.d_kv
        self.query, self.key, self.value = (nn.Linear(config.d_model, inner, bias=False) for _ in range(3))
        self.out = nn.Linear(inner, config.d_model, bias=False)

    def forward(
        self, x: Tensor, context: Tensor | None = None, *, added: Tensor | None = None, cache: Cache | None = None
    ) -> Tensor:
        """Attends from x, (B, N, d), to the context, (B, M, d), or to x itself; returns (B, N, d).

        Args:
            added: to the scores, spreads to (B, h, N, M): what a distance is worth, -inf where a query must not look.
            cache: as for MultiHeadAttention.
        """
        queries = self._split(self.query(x))
        if context is not None and cache is not None and cache.keys is not None and cache.values is not None:
            keys, values = cache.keys, cache.values
        else:
            seen = x if context is None else context
            keys, values = self._split(self.key(seen)), self._split(self.value(seen))
            if cache is not None:
                keys, values = cache.extend(keys, values)
        mixed = functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=added, dropout_p=self.dropout if self.training else 0.0, scale=1.0
        )  # (B, h, N, k)
        out: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return out

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)  # (B, N, h k) → (B, h, N, k)


class T5Layer(nn.Module):
    """Attention to itself, in a decoder to the encoder's output too, and a feed-forward network; each after an RMSNorm."""

    def __init__(self, config: T5Config, *, cross: bool) -> None:
        super().__init__()
        width, eps = config.d_model, config.layer_norm_epsilon
        self.attention, self.attention_norm = T5Attention(config), RMSNorm(width, eps)
        self.cross = T5Attention(config) if cross else None
        self.cross_norm = RMSNorm(width, eps) if cross else None
        self.feed_forward = nn.Sequential(
            nn.Linear(width, config.d_ff, bias=False),
            nn.ReLU(),
            nn.Dropout(config.dropout_rate),
            nn.Linear(config.d_ff, width, bias=False),
        )
        self.feed_forward_norm = RMSNorm(width, eps)
        self.dropout = nn.Dropout(config.dropout_rate)

    def forward(
        self,
        x: Tensor,
        added: Tensor,
        memory: Tensor | None = None,
        memory_added: Tensor | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """Maps (B, N, d) to (B, N, d).

        Args:
            added: to the scores of its own positions.
            memory: the encoder's output, (B, M, d); memory_added is -inf at its padding.
            cache: of earlier positions of x; then x holds the new ones alone.
        """
        text, read = (cache.text, cache.memory) if cache is not None else (None, None)
        x = x + self.dropout(self.attention(self.attention_norm(x), added=added, cache=text))
        if self.cross is not None and self.cross_norm is not None:
            x = x + self.dropout(self.cross(self.cross_norm(x), memory, added=memory_added, cache=read))
        x = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return x


class T5Stack(nn.Module):
    """The encoder or the decoder: layers that share one table of what distances are worth."""

    def __init__(self, config: T5Config, *, decoder: bool) -> None:
        super().__init__()
        self.config, self.both = config, not decoder
        self.distances = nn.Embedding(config.relative_attention_num_buckets, config.num_heads)
        self.layers = nn.ModuleList(T5Layer(config, cross=decoder) for _ in range(config.num_layers))
        self.norm = RMSNorm(config.d_model, config.layer_norm_epsilon)
        self.dropout = nn.Dropout(config.dropout_rate)

    def added(self, mask: Tensor, first: int = 0) -> Tensor:
        """Computes what is added to scores, (B or 1, h, N, M), of queries from position `first` on.

        Args:
            mask: (B or 1, 1, N or 1, M) bool, True where a query may look; a decoder's has all its N.
        """
        keys = torch.arange(mask.size(-1), device=mask.device)
        queries = keys[first:]
        config = self.config
        numbers = buckets(
            keys - queries[:, None],
            both=self.both,
            count=config.relative_attention_num_buckets,
            farthest=config.relative_attention_max_distance,
        )  # (N, M)
        worth = self.distances(numbers).permute(2, 0, 1)  # (h, N, M)
        added: Tensor = worth.masked_fill(~mask, -torch.inf)
        return added

    def forward(
        self,
        x: Tensor,
        added: Tensor,
        memory: Tensor | None = None,
        memory_added: Tensor | None = None,
        caches: list[LayerCache] | None = None,
    ) -> Tensor:
        """Maps embeddings, (B, N, d), to (B, N, d)."""
        x = self.dropout(x)
        for number, layer in enumerate(self.layers):
            x = layer(x, added, memory, memory_added, None if caches is None else caches[number])
        normed: Tensor = self.dropout(self.norm(x))
        return normed


class T5(nn.Module):
    """Encoder and decoder. The two embeddings and the output share one matrix, and the output is scaled by 1/√d."""

    def __init__(self, config: T5Config) -> None:
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder, self.decoder = T5Stack(config, decoder=False), T5Stack(config, decoder=True)
        self.apply(self._initialize)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Encodes ids, (B, M): the memory, (B, M, d), and where it holds words, (B, 1, 1, M)."""
        mask = padding_mask(source, self.config.pad_token_id)
        return self.encoder(self.tokens(source), self.encoder.added(mask)), mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """Scores the token after each prefix of what the decoder reads, (B, N): (B, N, V)."""
        mask = causal_mask(target.size(1), target.device)[None, None]  # (1, 1, N, N)
        hidden = self.decoder(self.tokens(target), self.decoder.added(mask), memory, _hidden(memory_mask))
        return self._logits(hidden)

    def start(self, source: Tensor) -> DecoderState:
        """Encodes the source, (B, M), for a target that is written token by token."""
        return DecoderState(*self.encode(source), [LayerCache() for _ in self.decoder.layers])

    def step(self, tokens: Tensor, state: DecoderState) -> Tensor:
        """Scores the token after one more of each target, (B,): (B, V). The state takes the token in."""
        mask = torch.ones(1, 1, 1, state.length + 1, dtype=torch.bool, device=tokens.device)
        added = self.decoder.added(mask, first=state.length)
        x = self.tokens(tokens[:, None])
        hidden = self.decoder(x, added, state.memory, _hidden(state.memory_mask), state.layers)
        state.length += 1
        return self._logits(hidden[:, 0])

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Computes the loss in nats, (): the mean over the target's tokens.

        Args:
            source: (B, M), padded at its end.
            target: (B, N), its end token among it, padded behind. The decoder reads it one place later, after a padding token.
        """
        begin = target.new_full((target.size(0), 1), self.config.pad_token_id)
        logits = self.decode(torch.cat([begin, target[:, :-1]], dim=1), *self.encode(source))  # (B, N, V)
        return functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=self.config.pad_token_id)

    def _logits(self, hidden: Tensor) -> Tensor:
        return functional.linear(hidden * self.config.d_model**-0.5, self.tokens.weight)

    def _initialize(self, module: nn.Module) -> None:
        """Draws start values whose size makes up for what is not divided: queries alone are smaller by 1/√k."""
        factor, config = self.config.initializer_factor, self.config
        if isinstance(module, T5Attention):
            inner = config.num_heads * config.d_kv
            nn.init.normal_(module.query.weight, std=factor * (config.d_model * config.d_kv) ** -0.5)
            nn.init.normal_(module.key.weight, std=factor * config.d_model**-0.5)
            nn.init.normal_(module.value.weight, std=factor * config.d_model**-0.5)
            nn.init.normal_(module.out.weight, std=factor * inner**-0.5)
        elif isinstance(module, T5Layer):
            first, *_, second = module.feed_forward
            assert isinstance(first, nn.Linear)
            assert isinstance(second, nn.Linear)
            nn.init.normal_(first.weight, std=factor * config.d_model**-0.5)
            nn.init.normal_(second.weight, std=factor * config.d_ff**-0.5)
        elif isinstance(module, T5Stack):
            nn.init.normal_(module.distances.weight, std=factor * config.d_model**-0.5)
        elif isinstance(module, T5):
            nn.init.normal_(module.tokens.weight, std=factor)


def _hidden(mask: Tensor) -> Tensor:
    """Turns (B, 1, 1, M) bool into what is added to scores: 0 where a query may look, else -inf."""
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -torch.inf)
