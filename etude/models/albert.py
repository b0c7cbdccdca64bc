"""ALBERT: a BERT whose embeddings are narrow, whose layers share their weights, and which is asked for the order of two segments.

Lan et al. 2020, "ALBERT: A Lite BERT for Self-supervised Learning of Language Representations", section 3.1. Shapes: B sequences of N
tokens, embedding width E, width H, vocabulary V.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.models.attention import padding_mask
from etude.models.bert import IGNORED, BertConfig, BertInput, PretrainingBatch
from etude.models.blocks import Block, BlockConfig

SIZES = {  # layers, H, heads
    "base": (12, 768, 12),
    "large": (24, 1024, 16),
    "xlarge": (24, 2048, 16),
    "xxlarge": (12, 4096, 64),
}
Shared = Literal["all", "attention", "feed_forward", "none"]


@dataclass(frozen=True)
class AlbertConfig:
    """ALBERT's settings under the names of their published files; the defaults are those of ALBERT base, version 2.

    Attributes:
        embedding_size: E.
        hidden_size: H.
        shared: what all layers have in common (the paper's Table 4).
    """

    vocab_size: int = 30_000
    embedding_size: int = 128
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_dropout_prob: float = 0.0
    attention_probs_dropout_prob: float = 0.0
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    pad_token_id: int = 0
    shared: Shared = "all"

    @classmethod
    def of_size(cls, name: str) -> Self:
        """Returns the settings of a published size: base, large, xlarge or xxlarge."""
        layers, width, heads = SIZES[name]
        return cls(hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=4 * width)

    @property
    def block(self) -> BlockConfig:
        return BlockConfig(
            width=self.hidden_size,
            heads=self.num_attention_heads,
            inner=self.intermediate_size,
            dropout=self.hidden_dropout_prob,
            attention_dropout=self.attention_probs_dropout_prob,
            activation="gelu_tanh",
            eps=self.layer_norm_eps,
        )

    @property
    def input(self) -> BertConfig:
        return BertConfig(
            vocab_size=self.vocab_size,
            hidden_size=self.embedding_size,
            hidden_dropout_prob=self.hidden_dropout_prob,
            max_position_embeddings=self.max_position_embeddings,
            type_vocab_size=self.type_vocab_size,
            layer_norm_eps=self.layer_norm_eps,
            pad_token_id=self.pad_token_id,
        )


class Albert(nn.Module):
    """The encoder: embeddings of width E, widened to H once, and layers of which `shared` says what is one for all."""

    def __init__(self, config: AlbertConfig) -> None:
        super().__init__()
        self.config = config
        self.input = BertInput(config.input)
        self.widen = nn.Linear(config.embedding_size, config.hidden_size)
        self.layers = nn.ModuleList(Block(config.block) for _ in range(config.num_hidden_layers))
        first, *others = cast("list[Block]", list(self.layers))
        for block in others:
            if config.shared in ("all", "attention"):
                block.attention, block.attention_sum = first.attention, first.attention_sum
            if config.shared in ("all", "feed_forward"):
                block.feed_forward, block.feed_forward_sum = first.feed_forward, first.feed_forward_sum
        self.pooler = nn.Linear(config.hidden_size, config.hidden_size)
        self.apply(self._initialize)

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Encodes ids, (B, N), padding not attended to: (B, N, H)."""
        mask = padding_mask(tokens, self.config.pad_token_id)  # (B, 1, 1, N)
        x = self.widen(self.input(tokens, segments))  # (B, N, E) → (B, N, H)
        for layer in self.layers:
            x = layer(x, mask=mask)
        hidden: Tensor = x
        return hidden

    def pooled(self, hidden: Tensor) -> Tensor:
        """Reads the sequence's vector off [CLS], the first token: (B, N, H) → (B, H)."""
        return torch.tanh(self.pooler(hidden[:, 0]))

    def _initialize(self, module: nn.Module) -> None:
        """Draws weights from a normal distribution; biases and the padding's embedding start at 0."""
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=self.config.initializer_range)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            nn.init.zeros_(module.weight[module.padding_idx])


class AlbertForPretraining(nn.Module):
    """The encoder with its two heads: masked tokens, scored by the narrow input embeddings, and the order of the segments."""

    def __init__(self, config: AlbertConfig) -> None:
        super().__init__()
        self.albert = Albert(config)
        self.transform = nn.Linear(config.hidden_size, config.embedding_size)
        self.activation = nn.GELU(approximate="tanh")
        self.norm = nn.LayerNorm(config.embedding_size, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.order = nn.Linear(config.hidden_size, 2)
        for module in (self.transform, self.order):
            self.albert._initialize(module)

    def token_logits(self, hidden: Tensor) -> Tensor:
        """Scores every word of the vocabulary: (…, H) → (…, V)."""
        x = self.norm(self.activation(self.transform(hidden)))
        return functional.linear(x, self.albert.input.tokens.weight, self.bias)

    def order_logits(self, hidden: Tensor) -> Tensor:
        """Scores "A comes before B" and "they are swapped": (B, N, H) → (B, 2)."""
        logits: Tensor = self.order(self.albert.pooled(hidden))
        return logits

    def forward(self, batch: PretrainingBatch) -> Tensor:
        """Computes the loss in nats, (): mean over masked tokens, plus the mean over orders.

        `batch.follows` is 0 where A comes before B, 1 where they are swapped, None without SOP.
        """
        hidden = self.albert(batch.tokens, batch.segments)
        masked = batch.labels != IGNORED
        loss = functional.cross_entropy(self.token_logits(hidden[masked]), batch.labels[masked])
        if batch.follows is not None:
            loss = loss + functional.cross_entropy(self.order_logits(hidden), batch.follows)
        return loss
