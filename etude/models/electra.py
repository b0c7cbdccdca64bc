"""ELECTRA: a discriminator that says of every token whether it was replaced, and the small generator that replaces some.

Clark et al. 2020, "ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators", sections 2 and 3.2 (below: the
paper). Shapes: B sequences of N tokens, embedding width E, width H, vocabulary V, M masked tokens in the whole batch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.models.attention import padding_mask
from etude.models.bert import IGNORED, BertConfig, BertInput, PretrainingBatch
from etude.models.blocks import Block, BlockConfig

SIZES = {  # layers, E, H, heads, and how many times narrower the generator is (the paper's Table 6)
    "small": (12, 128, 256, 4, 4),
    "base": (12, 768, 768, 12, 3),
    "large": (24, 1024, 1024, 16, 4),
}
WEIGHT = 50.0  # λ, of the discriminator's loss


@dataclass(frozen=True)
class ElectraConfig:
    """ELECTRA's settings under the names of their published files; the defaults are those of the small discriminator.

    Attributes:
        embedding_size: E.
        hidden_size: H.
    """

    vocab_size: int = 30_522
    embedding_size: int = 128
    hidden_size: int = 256
    num_hidden_layers: int = 12
    num_attention_heads: int = 4
    intermediate_size: int = 1024
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    pad_token_id: int = 0

    @classmethod
    def of_size(cls, name: str) -> Self:
        """Returns the settings of a published discriminator: small, base or large."""
        layers, narrow, width, heads, _ = SIZES[name]
        return cls(
            embedding_size=narrow,
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=4 * width,
        )

    def generator(self, times: int) -> Self:
        """Returns the settings of a generator that is so many times narrower: width, inner width and heads (Table 6).

        Its embeddings keep their width: they are the discriminator's.
        """
        return replace(
            self,
            hidden_size=self.hidden_size // times,
            intermediate_size=self.intermediate_size // times,
            num_attention_heads=max(1, self.num_attention_heads // times),
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


class Electra(nn.Module):
    """The encoder: embeddings of width E, projected once to H where that is another width, and layers."""

    def __init__(self, config: ElectraConfig) -> None:
        super().__init__()
        self.config = config
        self.input = BertInput(config.input)
        narrow, width = config.embedding_size, config.hidden_size
        self.project = nn.Linear(narrow, width) if narrow != width else nn.Identity()
        self.layers = nn.ModuleList(Block(config.block) for _ in range(config.num_hidden_layers))
        self.apply(self._initialize)

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Encodes ids, (B, N), padding not attended to: (B, N, H)."""
        return self.all_layers(tokens, segments)[-1]

    def all_layers(self, tokens: Tensor, segments: Tensor | None = None) -> list[Tensor]:
        """Returns what comes out of the input and of each layer, L + 1 tensors of (B, N, H)."""
        mask = padding_mask(tokens, self.config.pad_token_id)  # (B, 1, 1, N)
        states = [self.project(self.input(tokens, segments))]  # (B, N, E) → (B, N, H)
        for layer in self.layers:
            states.append(layer(states[-1], mask=mask))
        return states

    def _initialize(self, module: nn.Module) -> None:
        """Draws weights from a normal distribution; biases and the padding's embedding start at 0."""
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=self.config.initializer_range)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            nn.init.zeros_(module.weight[module.padding_idx])


class ElectraMaskedLM(nn.Module):
    """An encoder that scores words, with the input's embeddings as output weights: the generator."""

    def __init__(self, config: ElectraConfig) -> None:
        super().__init__()
        self.electra = Electra(config)
        self.transform = nn.Linear(config.hidden_size, config.embedding_size)
        self.activation = nn.GELU()
        self.norm = nn.LayerNorm(config.embedding_size, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.electra._initialize(self.transform)

    def token_logits(self, hidden: Tensor) -> Tensor:
        """Scores every word of the vocabulary: (…, H) → (…, V)."""
        x = self.norm(self.activation(self.transform(hidden)))  # (…, E)
        return functional.linear(x, self.electra.input.tokens.weight, self.bias)


class ElectraDiscriminator(nn.Module):
    """An encoder that says of each token whether it was replaced."""

    def __init__(self, config: ElectraConfig) -> None:
        super().__init__()
        self.electra = Electra(config)
        self.transform = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = nn.GELU()
        self.verdict = nn.Linear(config.hidden_size, 1)
        for module in (self.transform, self.verdict):
            self.electra._initialize(module)

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Scores "replaced" against "original", above 0 for replaced: (B, N) ids → (B, N) logits."""
        return self.scores(self.electra(tokens, segments))

    def scores(self, hidden: Tensor) -> Tensor:
        """Scores each token by its vector: (…, H) → (…)."""
        scores: Tensor = self.verdict(self.activation(self.transform(hidden))).squeeze(-1)
        return scores


class Corrupted(NamedTuple):
    """A text in which a generator has filled the masked places."""

    loss: Tensor  # () the generator's, in nats for a masked token
    read: Tensor  # (B, N) int64: its words at the masked places
    original: Tensor  # (B, N) int64
    masked: Tensor  # (B, N) bool


def fill(generator: ElectraMaskedLM, batch: PretrainingBatch) -> Corrupted:
    """Lets a generator guess the masked tokens, and draws a word at each from what it believes (the paper's section 2).

    The words are ids: no gradient goes back through them.
    """
    masked = batch.labels != IGNORED
    logits = generator.token_logits(generator.electra(batch.tokens, batch.segments)[masked])  # (M, V)
    loss = functional.cross_entropy(logits, batch.labels[masked])
    sampled = torch.multinomial(logits.detach().softmax(dim=-1), 1).squeeze(1)  # (M,)
    original = torch.where(masked, batch.labels, batch.tokens)
    return Corrupted(loss, original.masked_scatter(masked, sampled), original, masked)


def share(generator: ElectraMaskedLM, encoder: Electra) -> None:
    """Gives a generator the embeddings of the encoder: of words, segments and positions (the paper's section 3.2).

    Raises:
        ValueError: their embeddings are not equally wide.
    """
    mine, theirs = generator.electra.config.embedding_size, encoder.config.embedding_size
    if mine != theirs:
        raise ValueError(f"embeddings of width {mine} and {theirs} cannot be one: give both the same embedding_size")
    own, other = generator.electra.input, encoder.input
    own.tokens, own.segments, own.positions = other.tokens, other.segments, other.positions


class ElectraForPretraining(nn.Module):
    """Generator and discriminator, trained together on the sum of their losses (the paper's section 2)."""

    def __init__(
        self, config: ElectraConfig, generator: ElectraConfig, *, weight: float = WEIGHT, everywhere: bool = True
    ) -> None:
        """Makes both, with shared embeddings.

        Args:
            weight: λ.
            everywhere: whether the discriminator judges all tokens, or the masked places alone: "ELECTRA 15%" (Table 5).
        """
        super().__init__()
        self.discriminator, self.generator = ElectraDiscriminator(config), ElectraMaskedLM(generator)
        self.weight, self.everywhere = weight, everywhere
        share(self.generator, self.discriminator.electra)

    def forward(self, batch: PretrainingBatch) -> Tensor:
        """Computes the loss, (): the generator's in nats for a masked token, and λ times the discriminator's for a token."""
        filled = fill(self.generator, batch)
        hidden = self.discriminator.electra(filled.read, batch.segments)
        judged = filled.original != self.discriminator.electra.config.pad_token_id if self.everywhere else filled.masked
        replaced = (filled.read != filled.original)[judged]  # a word that was guessed right is original
        scores = self.discriminator.scores(hidden[judged])
        return filled.loss + self.weight * functional.binary_cross_entropy_with_logits(scores, replaced.float())
