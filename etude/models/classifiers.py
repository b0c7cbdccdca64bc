"""Small classifiers of sentences: a bag of embeddings, and a bidirectional LSTM. Students for a large model to teach.

Both map token ids to scores by `logits(tokens)`, as BertClassifier does, whatever they are trained on. Shapes: B sentences of
N tokens, padded at the end, width d, K classes.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence


class BagClassifier(nn.Module):
    """The mean of a sentence's embeddings, then a linear map: it knows no order (Joulin et al. 2017, "Bag of Tricks", section 2)."""

    def __init__(self, vocabulary: int, width: int, classes: int, padding: int = 0) -> None:
        super().__init__()
        self.padding = padding
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=padding)
        self.head = nn.Linear(width, classes)

    def logits(self, tokens: Tensor) -> Tensor:
        """Scores the classes: (B, N) → (B, K). A sentence without a token has the mean 0."""
        real = (tokens != self.padding).sum(dim=1, keepdim=True).clamp(min=1)  # (B, 1)
        scores: Tensor = self.head(self.embedding(tokens).sum(dim=1) / real)
        return scores


class LstmClassifier(nn.Module):
    """One LSTM in each direction, their last states side by side, a hidden layer with ReLU (Tang et al. 2019, section 3.1)."""

    def __init__(self, vocabulary: int, width: int, cells: int, classes: int, padding: int = 0) -> None:
        super().__init__()
        self.padding = padding
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=padding)
        self.lstm = nn.LSTM(width, cells, batch_first=True, bidirectional=True)
        self.hidden = nn.Linear(2 * cells, cells)
        self.head = nn.Linear(cells, classes)

    def logits(self, tokens: Tensor) -> Tensor:
        """Scores the classes: (B, N), each sentence with at least one token, → (B, K)."""
        lengths = (tokens != self.padding).sum(dim=1).cpu()  # (B,)
        packed = pack_padded_sequence(self.embedding(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.lstm(packed)  # (2, B, cells)
        scores: Tensor = self.head(functional.relu(self.hidden(torch.cat([last[0], last[1]], dim=-1))))
        return scores
