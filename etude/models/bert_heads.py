"""BERT with a head for a task: what fine-tuning adds to the encoder (Devlin et al. 2019, sections 3.2 and 4, Figure 4).

Each maps a batch to its loss while training, and has a method that scores without labels. Shapes: B sequences of N tokens, width H.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.models.bert import IGNORED, Bert


class Labelled(NamedTuple):
    """Sequences with a label for each, (B,) int64 (float for a score), or for each token, (B, N) int64."""

    tokens: Tensor  # (B, N) int64; of multiple choice (B, C, N)
    segments: Tensor | None
    labels: Tensor


class Spans(NamedTuple):
    """Questions with passages, and where the answer begins and ends; 0, [CLS], for both if there is none."""

    tokens: Tensor  # (B, N) int64
    segments: Tensor  # (B, N) int64: 0 the question, 1 the passage
    starts: Tensor  # (B,) int64
    ends: Tensor  # (B,) int64, of the last token of the answer


def _head(encoder: Bert, outputs: int) -> nn.Linear:
    head = nn.Linear(encoder.config.hidden_size, outputs)
    nn.init.normal_(head.weight, std=encoder.config.initializer_range)
    nn.init.zeros_(head.bias)
    return head


class BertClassifier(nn.Module):
    """One label for a sequence, or a score if there is one class: K × H weights on the vector read off [CLS] (Figure 4 a, b)."""

    def __init__(self, encoder: Bert, classes: int) -> None:
        super().__init__()
        self.bert, self.classes = encoder, classes
        self.dropout = nn.Dropout(encoder.config.hidden_dropout_prob)
        self.head = _head(encoder, classes)

    def logits(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Scores the classes: (B, N) → (B, K)."""
        scores: Tensor = self.head(self.dropout(self.bert.pooled(self.bert(tokens, segments))))
        return scores

    def forward(self, batch: Labelled) -> Tensor:
        """Computes the loss, (): cross entropy, or the mean squared error of scores."""
        logits = self.logits(batch.tokens, batch.segments)
        if self.classes == 1:
            return functional.mse_loss(logits[:, 0], batch.labels)
        return functional.cross_entropy(logits, batch.labels)


class BertTagger(nn.Module):
    """One label for each token; a word's label stands at its first piece, IGNORED at the others (Figure 4 d, section 5.3)."""

    def __init__(self, encoder: Bert, tags: int) -> None:
        super().__init__()
        self.bert = encoder
        self.dropout = nn.Dropout(encoder.config.hidden_dropout_prob)
        self.head = _head(encoder, tags)

    def logits(self, tokens: Tensor) -> Tensor:
        """Scores the tags of each token: (B, N) → (B, N, K)."""
        scores: Tensor = self.head(self.dropout(self.bert(tokens)))
        return scores

    def forward(self, batch: Labelled) -> Tensor:
        """Computes the loss, (): cross entropy over the tokens that have a label."""
        return functional.cross_entropy(
            self.logits(batch.tokens).flatten(0, 1), batch.labels.flatten(), ignore_index=IGNORED
        )


class BertReader(nn.Module):
    """Where an answer begins and ends: a start vector and an end vector, dotted with each token (section 4.2, Figure 4 c)."""

    def __init__(self, encoder: Bert) -> None:
        super().__init__()
        self.bert = encoder
        self.head = _head(encoder, 2)

    def logits(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        """Scores each token as start and as end, both (B, N): -inf outside of the passage, but for [CLS]."""
        scores = self.head(self.bert(tokens, segments))  # (B, N, 2)
        allowed = segments == 1
        allowed[:, 0] = True
        starts, ends = scores.masked_fill(~allowed[:, :, None], -torch.inf).unbind(dim=-1)
        return starts, ends

    def forward(self, batch: Spans) -> Tensor:
        """Computes the loss, (): the mean of both cross entropies."""
        starts, ends = self.logits(batch.tokens, batch.segments)
        return (functional.cross_entropy(starts, batch.starts) + functional.cross_entropy(ends, batch.ends)) / 2


class BertChooser(nn.Module):
    """Which of C texts: each is encoded on its own, one vector scores them all (section 4.4)."""

    def __init__(self, encoder: Bert) -> None:
        super().__init__()
        self.scorer = BertClassifier(encoder, 1)

    def logits(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Scores the choices: (B, C, N) → (B, C)."""
        flat = None if segments is None else segments.flatten(0, 1)
        return self.scorer.logits(tokens.flatten(0, 1), flat).view(tokens.shape[:2])

    def forward(self, batch: Labelled) -> Tensor:
        """Computes the loss, (): cross entropy over the choices."""
        return functional.cross_entropy(self.logits(batch.tokens, batch.segments), batch.labels)
