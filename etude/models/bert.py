"""BERT: an encoder that is pre-trained on masked words and on which sentence follows which, and heads for tasks.

Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding" (below: the paper).
Shapes: B sequences of N tokens, width H, vocabulary V, M masked tokens in the whole batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.models.attention import padding_mask
from etude.models.blocks import Block, BlockConfig

SIZES = {
    "tiny": (2, 128),
    "mini": (4, 256),
    "small": (4, 512),
    "medium": (8, 512),
    "base": (12, 768),
    "large": (24, 1024),
}
HEAD = 64  # the width of one head, in every published size
IGNORED = -100  # the label of a token that is not to be predicted


@dataclass(frozen=True)
class BertConfig:
    """BERT's settings under the names of their published files; the defaults are those of BERT base.

    Attributes:
        hidden_size: H.
        intermediate_size: the feed-forward network's width.
        type_vocab_size: how many segments are told apart.
        initializer_range: the standard deviation of the normal distribution that weights start from.
        is_decoder: each token sees those before it alone, as a language model's (the paper's section 5.1, "LTR").
    """

    vocab_size: int = 30_522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    pad_token_id: int = 0
    is_decoder: bool = False

    @classmethod
    def of_size(cls, name: str, vocab_size: int = 30_522) -> Self:
        """Returns the settings of a published size: tiny, mini, small, medium, base or large."""
        layers, width = SIZES[name]
        return cls(
            vocab_size=vocab_size,
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=width // HEAD,
            intermediate_size=4 * width,
        )

    @property
    def block(self) -> BlockConfig:
        return BlockConfig(
            width=self.hidden_size,
            heads=self.num_attention_heads,
            inner=self.intermediate_size,
            dropout=self.hidden_dropout_prob,
            attention_dropout=self.attention_probs_dropout_prob,
            activation=self.hidden_act,
            eps=self.layer_norm_eps,
        )


class BertInput(nn.Module):
    """The sum of three embeddings, normalised: which token, which segment, which position (Figure 2)."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id)
        self.segments = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.positions = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Embeds ids, (B, N) int64, of segments, (B, N) or None for the first alone: (B, N, H).

        Raises:
            ValueError: the sequences are longer than the positions that were learned.
        """
        length, longest = tokens.size(1), self.positions.num_embeddings
        if length > longest:
            raise ValueError(f"{length} tokens, and there are {longest} positions: cut the text into windows")
        segment = self.segments.weight[0] if segments is None else self.segments(segments)
        x = self.tokens(tokens) + segment + self.positions.weight[:length]
        normed: Tensor = self.dropout(self.norm(x))
        return normed


class Bert(nn.Module):
    """The encoder: from token ids to one vector for each token, and one for the sequence, read off [CLS]."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.input = BertInput(config)
        self.layers = nn.ModuleList(Block(config.block) for _ in range(config.num_hidden_layers))
        self.pooler = nn.Linear(config.hidden_size, config.hidden_size)
        self.apply(self._initialize)

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Encodes ids, (B, N), padded at the end, padding not attended to: (B, N, H)."""
        return self.all_layers(tokens, segments)[-1]

    def all_layers(self, tokens: Tensor, segments: Tensor | None = None) -> list[Tensor]:
        """Returns what comes out of the input and of each layer, L + 1 tensors of (B, N, H)."""
        mask: Tensor | None = padding_mask(tokens, self.config.pad_token_id)  # (B, 1, 1, N)
        causal = self.config.is_decoder
        if causal:
            mask = None  # padding stands at the end, where no token looks
        elif tokens.device.type == "cpu" and bool((tokens != self.config.pad_token_id).all()):
            mask = None  # nothing to hide: attention is faster so. A GPU would have to wait for the answer.
        x = self.input(tokens, segments)
        states = [x]
        for layer in self.layers:
            x = layer(x, mask=mask, causal=causal)
            states.append(x)
        return states

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


class PretrainingBatch(NamedTuple):
    """Sequences with masked tokens. labels holds the token that was there, IGNORED where nothing is to be predicted."""

    tokens: Tensor  # (B, N) int64
    segments: Tensor | None  # (B, N) int64
    labels: Tensor  # (B, N) int64
    follows: Tensor | None = None  # (B,) int64: 0 if segment B follows A in its document, 1 if not; None without NSP


class BertForPretraining(nn.Module):
    """The encoder with its two heads: the masked tokens, with the input's embeddings as output weights, and NSP (section 3.1)."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.bert = Bert(config)
        width = config.hidden_size
        self.transform = nn.Linear(width, width)
        self.activation = nn.GELU()
        self.norm = nn.LayerNorm(width, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.next_sentence = nn.Linear(width, 2)
        for module in (self.transform, self.next_sentence):
            self.bert._initialize(module)

    def token_logits(self, hidden: Tensor) -> Tensor:
        """Scores every word of the vocabulary: (…, H) → (…, V)."""
        x = self.norm(self.activation(self.transform(hidden)))
        return functional.linear(x, self.bert.input.tokens.weight, self.bias)

    def next_sentence_logits(self, hidden: Tensor) -> Tensor:
        """Scores "B follows A" and "it does not": (B, N, H) → (B, 2)."""
        logits: Tensor = self.next_sentence(self.bert.pooled(hidden))
        return logits

    def forward(self, batch: PretrainingBatch) -> Tensor:
        """Computes the loss in nats, (): mean over masked tokens, plus the mean of NSP if the batch says what follows.

        Logits are computed for masked tokens alone, a seventh of all.
        """
        hidden = self.bert(batch.tokens, batch.segments)
        masked = batch.labels != IGNORED
        logits = self.token_logits(hidden[masked])  # (M, V)
        loss = functional.cross_entropy(logits, batch.labels[masked])
        if batch.follows is not None:
            loss = loss + functional.cross_entropy(self.next_sentence_logits(hidden), batch.follows)
        return loss
