"""The Transformer: an encoder of one sequence, and a decoder that writes another while it looks at the first.

Vaswani et al. 2017, "Attention Is All You Need" (below: the paper). Shapes: B pairs, a source of M tokens, a target of N
tokens, width d, vocabulary V.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.models.attention import padding_mask
from etude.models.blocks import Block, BlockConfig, LayerCache, Norm, sinusoids


@dataclass(frozen=True)
class TransformerConfig:
    """The settings of Table 3; the defaults are those of its row "base".

    Attributes:
        vocabulary: V, of both languages.
        layers: N, of the encoder and again of the decoder.
        width: d_model.
        inner: d_ff.
        positions: sinusoidal, learned, or none, as an experiment.
        scale: as for MultiHeadAttention, None for the paper's.
    """

    vocabulary: int
    layers: int = 6
    width: int = 512
    inner: int = 2048
    heads: int = 8
    dropout: float = 0.1
    attention_dropout: float = 0.0
    label_smoothing: float = 0.1
    positions: Literal["sinusoidal", "learned", "none"] = "sinusoidal"
    longest: int = 512
    norm: Norm = "post"
    scale: float | None = None
    padding: int = 0
    begin: int = 1
    end: int = 2

    @classmethod
    def base(cls, vocabulary: int = 37_000) -> Self:
        """Returns the row "base" of Table 3, with WMT 2014 English-German's 37,000 shared tokens."""
        return cls(vocabulary)

    @classmethod
    def big(cls, vocabulary: int = 37_000) -> Self:
        """Returns the row "big" of Table 3."""
        return cls(vocabulary, width=1024, inner=4096, heads=16, dropout=0.3)

    @property
    def block(self) -> BlockConfig:
        return BlockConfig(
            width=self.width,
            heads=self.heads,
            inner=self.inner,
            dropout=self.dropout,
            attention_dropout=self.attention_dropout,
            norm=self.norm,
            scale=self.scale,
        )


@dataclass
class DecoderState:
    """What a decoder keeps of the tokens that it has seen, so that the next one costs one position alone."""

    memory: Tensor  # (B, M, d), the encoder's output
    memory_mask: Tensor  # (B, 1, 1, M)
    layers: list[LayerCache]
    length: int = 0  # how many tokens have been seen

    def select(self, rows: Tensor) -> None:
        """Keeps these sequences of the batch, (B') int64, in this order."""
        self.memory, self.memory_mask = self.memory[rows], self.memory_mask[rows]
        for layer in self.layers:
            layer.select(rows)


class Embedding(nn.Module):
    """Token embeddings times √d, plus positions (sections 3.4 and 3.5)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.tokens = nn.Embedding(config.vocabulary, config.width, padding_idx=config.padding)
        self.factor = math.sqrt(config.width)
        self.positions: nn.Parameter | Tensor | None = None
        if config.positions == "learned":
            self.positions = nn.Parameter(torch.randn(config.longest, config.width))
        elif config.positions == "sinusoidal":
            del self.positions
            self.register_buffer("positions", sinusoids(config.longest, config.width), persistent=False)
        self.longest = config.longest
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, tokens: Tensor, first: int = 0) -> Tensor:
        """Embeds ids, (B, N), of which the first stands at position `first`: (B, N, d).

        Raises:
            ValueError: the text is longer than there are positions.
        """
        x = self.tokens(tokens) * self.factor
        last = first + tokens.size(1)
        if self.positions is not None:
            if last > self.longest:
                raise ValueError(f"{last} tokens, and there are {self.longest} positions: choose a greater `longest`")
            x = x + self.positions[first:last]
        embedded: Tensor = self.dropout(x)
        return embedded


class Transformer(nn.Module):
    """Encoder and decoder. The two embeddings and the output share one matrix (section 3.4)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = Embedding(config)
        self.encoder = nn.ModuleList(Block(config.block) for _ in range(config.layers))
        self.decoder = nn.ModuleList(Block(config.block, cross=True) for _ in range(config.layers))
        normed_first = config.norm == "pre"  # then nothing has normalised what the last layer gives
        self.encoder_norm = nn.LayerNorm(config.width) if normed_first else nn.Identity()
        self.decoder_norm = nn.LayerNorm(config.width) if normed_first else nn.Identity()
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.tokens.weight, std=config.width**-0.5)
        nn.init.zeros_(self.embedding.tokens.weight[config.padding])

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Encodes ids, (B, M): the memory, (B, M, d), and where it holds words, (B, 1, 1, M)."""
        mask = padding_mask(source, self.config.padding)
        x = self.embedding(source)
        for layer in self.encoder:
            x = layer(x, mask=mask)
        return self.encoder_norm(x), mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """Scores the word after each prefix of the target, (B, N) with padding at its end only: (B, N, V)."""
        x = self.embedding(target)
        for layer in self.decoder:
            x = layer(x, causal=True, memory=memory, memory_mask=memory_mask)
        return self._logits(x)

    def start(self, source: Tensor) -> DecoderState:
        """Encodes the source, (B, M), for a target that is written token by token."""
        return DecoderState(*self.encode(source), [LayerCache() for _ in self.decoder])

    def step(self, tokens: Tensor, state: DecoderState) -> Tensor:
        """Scores the word after one more token of each target, (B,): (B, V). The state takes the token in."""
        x = self.embedding(tokens[:, None], first=state.length)
        for layer, cache in zip(self.decoder, state.layers, strict=True):
            x = layer(x, memory=state.memory, memory_mask=state.memory_mask, cache=cache)
        state.length += 1
        return self._logits(x[:, 0])

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Computes the loss in nats, (): mean over the target's tokens, with label smoothing (section 5.4).

        Args:
            target: (B, N), from `begin` to `end`, padding behind. What is fed is all but the last token, what is asked for
                is all but the first.
        """
        logits = self.decode(target[:, :-1], *self.encode(source))  # (B, N - 1, V)
        return functional.cross_entropy(
            logits.flatten(0, 1),
            target[:, 1:].flatten(),
            ignore_index=self.config.padding,
            label_smoothing=self.config.label_smoothing if self.training else 0.0,
        )

    def _logits(self, x: Tensor) -> Tensor:
        return functional.linear(self.decoder_norm(x), self.embedding.tokens.weight)
