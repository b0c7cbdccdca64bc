"""KagNet: scores an answer by the paths between its concepts and the question's (Lin et al. 2019, arXiv:1909.02151).

Shapes: S statements (a question with one of its choices), each with N concepts and M pairs of a question concept and an answer
concept; P paths in all, of up to L steps; V words, R relations (each has a backward one, R numbers further). The text is read
by a bag of words here, by BERT in the paper. Knows tensors alone: no graph, no world.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional


class Statements(NamedTuple):
    """Statements as tensors.

    Attributes:
        words: (S, W), padded with 0.
        concepts: (S, N), padded with 0.
        adjacency: (S, N, N), True at [s, i, j] where a triple goes from concept i to concept j.
        pairs: (S, M, 2), places of a question concept and of an answer concept among the statement's concepts.
        real: (S, M), False for padding.
        steps: (P, L, 3), from, relation, to; from and to are places among all S · N concepts.
        lengths: (P,), steps of each path.
        path_at: (S, M, K), for each pair the numbers of its paths, from 1; 0 for none.
    """

    words: Tensor
    concepts: Tensor
    adjacency: Tensor
    pairs: Tensor
    real: Tensor
    steps: Tensor
    lengths: Tensor
    path_at: Tensor


class Scored(NamedTuple):
    """Scores (S,), weights of the paths of each pair (S, M, K), weights of the pairs (S, M)."""

    scores: Tensor
    alpha: Tensor
    beta: Tensor


@dataclass(frozen=True)
class KagNetConfig:
    """Sizes. `concept_size` is that of the vectors from outside, `hidden_size` of all that is computed within."""

    words: int
    concepts: int
    relations: int
    concept_size: int = 16
    word_size: int = 16
    hidden_size: int = 24
    layers: int = 2


class BagOfWords(nn.Module):
    """A statement's vector: the mean of its words' embeddings, a linear map, tanh."""

    def __init__(self, words: int, size: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words + 1, size, padding_idx=0)
        self.map = nn.Linear(size, hidden)

    def forward(self, words: Tensor) -> Tensor:
        """Reads the words: (S, W) → (S, H)."""
        count = (words != 0).sum(dim=1, keepdim=True).clamp(min=1)  # (S, 1)
        return torch.tanh(self.map(self.embedding(words).sum(dim=1) / count))


class TextAlone(nn.Module):
    """Scores a statement by its words: what is left of KagNet without a graph."""

    def __init__(self, config: KagNetConfig) -> None:
        super().__init__()
        self.text = BagOfWords(config.words, config.word_size, config.hidden_size)
        self.hidden = nn.Linear(config.hidden_size, config.hidden_size)
        self.score = nn.Linear(config.hidden_size, 1)

    def forward(self, batch: Statements) -> Scored:
        """Scores the statements; there is nothing to attend to."""
        scores = self.score(functional.relu(self.hidden(self.text(batch.words))))[:, 0]  # (S,)
        return Scored(scores, batch.path_at.new_zeros(batch.path_at.shape).float(), batch.real.float())


class KagNet(nn.Module):
    """A graph convolution on the schema graph, an LSTM along each path, attention over paths and over pairs (sections 4.1 to 4.3).

    `vectors` (concepts, concept_size) are the concepts' vectors from outside; they are not trained here.
    """

    def __init__(self, config: KagNetConfig, vectors: Tensor) -> None:
        super().__init__()
        size = config.hidden_size
        self.config = config
        self.text = BagOfWords(config.words, config.word_size, size)
        padded = torch.cat([vectors.new_zeros(1, config.concept_size), vectors])
        self.concepts = nn.Embedding.from_pretrained(padded, freeze=True, padding_idx=0)
        self.start = nn.Linear(config.concept_size, size)
        self.layers = nn.ModuleList(nn.Linear(size, size) for _ in range(config.layers))
        self.relations = nn.Embedding(2 * config.relations, size)
        self.lstm = nn.LSTM(3 * size, size, batch_first=True)
        self.pair = nn.Sequential(nn.Linear(3 * size, size), nn.ReLU(), nn.Linear(size, size))  # T of the paper
        self.to_paths = nn.Parameter(torch.empty(size, size))  # W1
        self.to_pairs = nn.Parameter(torch.empty(size, size))  # W2
        self.hidden = nn.Linear(2 * size, size)
        self.score = nn.Linear(size, 1)
        for weight in (self.to_paths, self.to_pairs):
            nn.init.xavier_uniform_(weight)

    def convolve(self, x: Tensor, adjacency: Tensor, layer: nn.Module) -> Tensor:
        """Mixes each concept with its neighbours: (S, N, H), (S, N, N) → (S, N, H) (Kipf and Welling 2017, equation 2)."""
        linked = adjacency | adjacency.mT | torch.eye(x.shape[1], dtype=torch.bool, device=x.device)
        degree = linked.sum(dim=-1, keepdim=True).to(x.dtype)  # (S, N, 1)
        mixed = (linked.to(x.dtype) @ (x / degree.sqrt())) / degree.sqrt()
        return functional.relu(layer(mixed))

    def encode(self, nodes: Tensor, steps: Tensor, lengths: Tensor) -> Tensor:
        """Reads paths: (S·N, H), (P, L, 3), (P,) → (P, H), the LSTM's state after each path's last step."""
        x = torch.cat([nodes[steps[..., 0]], self.relations(steps[..., 1]), nodes[steps[..., 2]]], dim=-1)  # (P, L, 3H)
        states: Tensor = self.lstm(x)[0]  # (P, L, H)
        last = (lengths - 1)[:, None, None].expand(-1, 1, states.shape[-1])
        return states.gather(1, last)[:, 0]

    def weigh(self, asking: Tensor, answering: Tensor, real: Tensor, weight: Tensor) -> Tensor:
        """Computes attention's weights: (…, D), (…, K, C), (…, K), (D, C) → (…, K), 0 where nothing is real."""
        scores = ((asking @ weight)[..., None, :] * answering).sum(dim=-1)  # (…, K)
        lowest = torch.finfo(scores.dtype).min
        return torch.softmax(torch.where(real, scores, lowest), dim=-1) * real

    def combine(self, paths: Tensor, alpha: Tensor, pairs: Tensor, beta: Tensor) -> Tensor:
        """Sums paths and pairs by their weights: (S, M, K, C), (S, M, K), (S, M, D), (S, M) → (S, C + D)."""
        pooled = (alpha[..., None] * paths).sum(dim=2)  # (S, M, C)
        return (beta[..., None] * torch.cat([pooled, pairs], dim=-1)).sum(dim=1)

    def forward(self, batch: Statements) -> Scored:
        """Scores the statements."""
        text, x = self.text(batch.words), self.start(self.concepts(batch.concepts))  # (S, H), (S, N, H)
        for layer in self.layers:
            x = self.convolve(x, batch.adjacency, layer)
        paths = self.encode(x.flatten(0, 1), batch.steps, batch.lengths)  # (P, H)
        at = torch.cat([paths.new_zeros(1, paths.shape[1]), paths])[batch.path_at]  # (S, M, K, H)
        ends = x[torch.arange(len(x), device=x.device)[:, None, None], batch.pairs].flatten(2)  # (S, M, 2H)
        pairs = self.pair(torch.cat([text[:, None].expand(-1, ends.shape[1], -1), ends], dim=-1))  # (S, M, H)
        alpha = self.weigh(pairs, at, batch.path_at > 0, self.to_paths)  # (S, M, K)
        beta = self.weigh(text, pairs, batch.real, self.to_pairs)  # (S, M)
        graph = self.combine(at, alpha, pairs, beta)  # (S, 2H)
        return Scored(self.score(functional.relu(self.hidden(graph)))[:, 0], alpha, beta)


def collate(
    words: list[list[int]], concepts: list[list[int]], edges: list[list[tuple[int, int]]],
    pairs: list[list[tuple[int, int]]], paths: list[list[list[list[tuple[int, int, int]]]]],
) -> Statements:  # fmt: skip
    """Pads statements: all lists are by statement.

    Args:
        words: numbers from 1.
        concepts: numbers from 1.
        edges: (from, to), places among the statement's concepts.
        pairs: (question concept, answer concept), places as above.
        paths: for each pair its paths, each a list of (from, relation, to) with places as above.
    """
    size, most = len(words), max((len(one) for one in pairs), default=0)
    widest = max(1, max(len(one) for one in concepts))
    deepest = max([1, *(len(one) for of in paths for one in of)])
    flat = [path for of in paths for one in of for path in one]
    longest = max([1, *(len(path) for path in flat)])
    adjacency = torch.zeros(size, widest, widest, dtype=torch.bool)
    ends, real = torch.zeros(size, max(1, most), 2, dtype=torch.long), torch.zeros(size, max(1, most), dtype=torch.bool)
    path_at = torch.zeros(size, max(1, most), deepest, dtype=torch.long)
    steps: list[list[tuple[int, int, int]]] = []
    for row in range(size):
        for start, end in edges[row]:
            adjacency[row, start, end] = True
        for place, pair in enumerate(pairs[row]):
            ends[row, place] = torch.tensor(pair)
            real[row, place] = True
            for nth, path in enumerate(paths[row][place]):
                padding = [(0, 0, 0)] * (longest - len(path))
                steps.append([(a + row * widest, r, b + row * widest) for a, r, b in path] + padding)
                path_at[row, place, nth] = len(steps)
    lengths = torch.tensor([len(path) for path in flat], dtype=torch.long)
    read = torch.tensor(steps, dtype=torch.long).reshape(-1, longest, 3)  # also of no path at all
    return Statements(_padded(words), _padded(concepts), adjacency, ends, real, read, lengths, path_at)


def _padded(rows: list[list[int]]) -> Tensor:
    longest = max(1, max(len(row) for row in rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


def train_transe(
    triples: Tensor, concepts: int, relations: int, size: int, steps: int, seed: int
) -> tuple[Tensor, Tensor]:
    """Trains vectors in which head + relation lies near tail (Bordes et al. 2013, TransE, L2, margin 1).

    Args:
        triples: int64 (T, 3): head, relation, tail.
        steps: of Adam on all triples at once, each against one whose head or tail is drawn anew.

    Returns:
        Vectors of concepts, (concepts, size), of length 1; vectors of relations, (relations, size).
    """
    draw = torch.Generator().manual_seed(seed)
    vectors = [functional.normalize(torch.randn(count, size, generator=draw), dim=1) for count in (concepts, relations)]
    nodes, kinds = (vector.requires_grad_() for vector in vectors)
    optimizer = torch.optim.Adam([nodes, kinds], lr=0.03)
    for _ in range(steps):
        wrong = triples.clone()
        side = 2 * torch.randint(0, 2, (len(triples),), generator=draw)  # 0: the head, 2: the tail
        wrong[torch.arange(len(triples)), side] = torch.randint(0, concepts, (len(triples),), generator=draw)
        unit = functional.normalize(nodes, dim=1)
        near, far = ((unit[t[:, 0]] + kinds[t[:, 1]] - unit[t[:, 2]]).norm(dim=1) for t in (triples, wrong))
        loss = functional.relu(1 + near - far).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return functional.normalize(nodes, dim=1).detach(), kinds.detach()
