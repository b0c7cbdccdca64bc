"""GPT: a decoder without cross-attention that writes text, in the form of GPT-1 and in that of GPT-2 and GPT-3.

Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training", section 4.1; Radford et al. 2019, "Language
Models are Unsupervised Multitask Learners", section 2.3. Shapes: B texts of N tokens, width H, vocabulary V.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.models.attention import causal_mask
from etude.models.bert import IGNORED
from etude.models.blocks import Block, BlockConfig, LayerCache, Norm

SIZES = {  # layers, width, heads
    "gpt": (12, 768, 12),
    "gpt2": (12, 768, 12),
    "gpt2-medium": (24, 1024, 16),
    "gpt2-large": (36, 1280, 20),
    "gpt2-xl": (48, 1600, 25),
    "gpt3": (96, 12_288, 96),
}

# Tokens whose scores are computed at a time: those of a whole batch, (T, V), leave a processor's cache, and training takes longer.
SCORED_TOGETHER = 256


@dataclass(frozen=True)
class GPTConfig:
    """GPT's settings under the names of their published files; the defaults are those of the smallest GPT-2.

    Attributes:
        n_embd: H.
        norm: "pre" as in GPT-2, with one more normalisation at the end and residual projections that start smaller; "post" as in GPT-1.
        initializer_range: the standard deviation of the normal distribution that weights start from.
    """

    vocab_size: int = 50_257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    norm: Norm = "pre"
    dropout: float = 0.1
    initializer_range: float = 0.02
    layer_norm_epsilon: float = 1e-5

    @classmethod
    def of_size(cls, name: str) -> Self:
        """Returns the settings of a published model: gpt, gpt2, gpt2-medium, gpt2-large, gpt2-xl or gpt3."""
        layers, width, heads = SIZES[name]
        if name == "gpt":
            return cls(40_478, 512, width, layers, heads, norm="post")
        return cls(n_positions=2048 if name == "gpt3" else 1024, n_embd=width, n_layer=layers, n_head=heads)

    @property
    def block(self) -> BlockConfig:
        return BlockConfig(
            width=self.n_embd,
            heads=self.n_head,
            inner=4 * self.n_embd,
            dropout=self.dropout,
            attention_dropout=self.dropout,
            activation="gelu_tanh",
            norm=self.norm,
            eps=self.layer_norm_epsilon,
        )


@dataclass
class TextState:
    """What a model keeps of the tokens that it has read, so that the next one costs one position alone."""

    layers: list[LayerCache]
    head: Tensor  # (H, V), the scores' matrix, in the order that a processor reads twice as fast for a single text
    length: int = 0  # how many tokens have been read

    def select(self, rows: Tensor) -> None:
        """Keeps these texts of the batch, (B') int64, in this order."""
        for layer in self.layers:
            layer.select(rows)


class GPT(nn.Module):
    """From token ids to a score for each token that may come next. Input and output share one matrix."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.vocab_size, config.n_embd)
        self.positions = nn.Embedding(config.n_positions, config.n_embd)
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList(Block(config.block) for _ in range(config.n_layer))
        normed_first = config.norm == "pre"  # then nothing has normalised what the last layer gives
        self.norm = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon) if normed_first else nn.Identity()
        self.apply(self._initialize)
        if normed_first:
            self._shrink_residuals()

    def hidden(self, tokens: Tensor) -> Tensor:
        """Computes the vectors that the next tokens are read off, (B, N) → (B, N, H); none sees a later token."""
        return self._encode(tokens, None)

    def logits(self, hidden: Tensor) -> Tensor:
        """Scores every token of the vocabulary: (…, H) → (…, V)."""
        return functional.linear(hidden, self.tokens.weight)

    def forward(self, tokens: Tensor, labels: Tensor | None = None) -> Tensor:
        """Computes the loss in nats, (): the mean over the tokens that are asked for.

        Args:
            labels: (B, N), at each place the token that comes after it, or IGNORED; None for the next ones of `tokens`.
        """
        if labels is None:
            hidden, labels = self.hidden(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten()
        else:
            asked = labels != IGNORED
            hidden, labels = self.hidden(tokens)[asked], labels[asked]  # (T, H), (T,)
        parts = zip(hidden.split(SCORED_TOGETHER), labels.split(SCORED_TOGETHER), strict=True)
        losses = [functional.cross_entropy(self.logits(part), asked, reduction="sum") for part, asked in parts]
        return torch.stack(losses).sum() / len(labels)

    def start(self) -> TextState:
        """Returns the state of texts of which nothing has been read."""
        return TextState([LayerCache() for _ in self.layers], self.tokens.weight.detach().t().contiguous())

    def read(self, tokens: Tensor, state: TextState) -> Tensor:
        """Takes more tokens of each text, (B, N), into the state and scores what comes after the last: (B, V)."""
        return self._encode(tokens, state)[:, -1] @ state.head

    def _encode(self, tokens: Tensor, state: TextState | None) -> Tensor:
        first = state.length if state else 0
        last = first + tokens.size(1)
        if last > self.config.n_positions:
            raise ValueError(f"{last} tokens, and there are {self.config.n_positions} positions: give less text")
        x = self.dropout(self.tokens(tokens) + self.positions.weight[first:last])  # (B, N, H)
        mask = causal_mask(last, tokens.device)[first:] if first and tokens.size(1) > 1 else None  # (N, first + N)
        for number, layer in enumerate(self.layers):
            x = layer(x, mask=mask, causal=not first, cache=state.layers[number] if state else None)
        if state:
            state.length = last
        normed: Tensor = self.norm(x)
        return normed

    def _initialize(self, module: nn.Module) -> None:
        """Draws weights from a normal distribution; biases start at 0."""
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=self.config.initializer_range)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)

    def _shrink_residuals(self) -> None:
        """Divides what is added to the residual stream by √N, N the number of residual sums (GPT-2, section 2.3)."""
        factor = 1 / math.sqrt(2 * self.config.n_layer)
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name.endswith(("attention.project_out.weight", "feed_forward.2.weight")):
                    parameter.mul_(factor)
