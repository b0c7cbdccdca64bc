"""Recurrent language models: one LSTM that reads forward, and ELMo's two that read in opposite directions.

Peters et al. 2018, "Deep Contextualized Word Representations" (below: the paper), section 3. Shapes: B sentences of N tokens,
width d, vocabulary V.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class RecurrentConfig:
    """Settings of a recurrent language model. The paper's are a width of 512, 4096 cells and 2 layers.

    Attributes:
        width: d, of the embeddings and of what a layer gives to the next one.
        cells: the LSTM's inner width, projected to d where they differ.
        layers: L.
    """

    vocabulary: int
    width: int = 512
    cells: int = 4096
    layers: int = 2
    dropout: float = 0.1
    padding: int = 0


class DirectedLM(nn.Module):
    """A stack of LSTMs that reads in one direction; from its second layer on a residual connection goes around each."""

    def __init__(self, config: RecurrentConfig, direction: Literal["forward", "backward"]) -> None:
        super().__init__()
        projected = 0 if config.cells == config.width else config.width
        self.backward_order = direction == "backward"
        self.layers = nn.ModuleList(
            nn.LSTM(config.width, config.cells, batch_first=True, proj_size=projected) for _ in range(config.layers)
        )
        self.dropout = nn.Dropout(config.dropout)
        self.padding = config.padding

    def forward(self, x: Tensor, real: Tensor) -> list[Tensor]:
        """Reads the embeddings, (B, N, d): the L layers' outputs, each (B, N, d).

        Args:
            real: (B, N) bool, True where there is no padding, which stands at the end.
        """
        order = _reversed(real) if self.backward_order else None
        x = _take(x, order)
        outputs = []
        for number, layer in enumerate(self.layers):
            read = layer(self.dropout(x))[0]
            x = read + x if number else read
            outputs.append(_take(x, order))
        return outputs


def _reversed(real: Tensor) -> Tensor:
    """Finds where each token of a reversed sentence comes from, padding left where it is: (B, N) int64, its own inverse."""
    position = torch.arange(real.size(1), device=real.device).expand(real.shape)
    return torch.where(real, real.sum(dim=1, keepdim=True) - 1 - position, position)


def _take(x: Tensor, order: Tensor | None) -> Tensor:
    return x if order is None else x.gather(1, order[:, :, None].expand(x.shape))


class BiLM(nn.Module):
    """A forward and a backward language model over the same embeddings and with the same output layer (section 3.1)."""

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width, padding_idx=config.padding)
        self.forward_lm = DirectedLM(config, "forward")
        self.backward_lm = DirectedLM(config, "backward")
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(config.width, config.vocabulary)

    def all_layers(self, tokens: Tensor) -> list[Tensor]:
        """Returns L + 1 layers of (B, N, 2 d) for ids (B, N): the embedding twice, then both directions side by side."""
        real = tokens != self.config.padding
        x = self.embedding(tokens)
        forward, backward = self.forward_lm(x, real), self.backward_lm(x, real)
        return [
            torch.cat([x, x], dim=-1),
            *(torch.cat(pair, dim=-1) for pair in zip(forward, backward, strict=True)),
        ]

    def losses(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Computes each direction's mean loss in nats, (): the next token given those before, the last given those behind."""
        top = self.dropout(self.all_layers(tokens)[-1])  # (B, N, 2 d)
        forward, backward = top.chunk(2, dim=-1)
        both = tokens[:, 1:] != self.config.padding  # (B, N - 1): a position and the one before it hold words
        return (
            functional.cross_entropy(self.output(forward[:, :-1][both]), tokens[:, 1:][both]),
            functional.cross_entropy(self.output(backward[:, 1:][both]), tokens[:, :-1][both]),
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """Computes the mean of both directions' losses, () in nats (the paper's equation in section 3.1, per token)."""
        forward, backward = self.losses(tokens)
        return (forward + backward) / 2


class ScalarMix(nn.Module):
    """ELMo's vector: γ Σ softmax(s)_j h_j over the L + 1 layers (equation 1)."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(layers))
        self.factor = nn.Parameter(torch.ones(()))

    def forward(self, layers: list[Tensor]) -> Tensor:
        """Mixes layers of one shape into one tensor of it."""
        weights = self.scores.softmax(dim=0)  # (L + 1,)
        return self.factor * torch.stack([weight * layer for weight, layer in zip(weights, layers, strict=True)]).sum(0)
