"""XLNet: a Transformer that predicts tokens in any order, by two streams over one content, with Transformer-XL's attention.

Yang et al. 2019, "XLNet: Generalized Autoregressive Pretraining for Language Understanding", section 2; Dai et al. 2019,
"Transformer-XL", section 3. Shapes: B texts of N tokens, T of them asked for, M positions of memory, K = M + N keys, width H, h heads.
A place is a whole number, counted from the first key; a mask is boolean, True where a row may see a key.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class XLNetConfig:
    """XLNet's settings under the names of their published files; the defaults are those of XLNet base.

    Attributes:
        d_model: H.
        mem_len: how many positions the memory keeps at most; 0 for all.
    """

    vocab_size: int = 32_000
    d_model: int = 768
    n_layer: int = 12
    n_head: int = 12
    d_inner: int = 3072
    dropout: float = 0.1
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    mem_len: int = 0


class Streams(NamedTuple):
    """What the network gives: the content stream, (B, N, H); the query stream, (B, T, H); each layer's memory, (B, M, H)."""

    content: Tensor
    query: Tensor | None
    memory: list[Tensor]


class Asked(NamedTuple):
    """Texts, (B, N); what each place may see, (B, N, N); and the places asked for, (B, T)."""

    tokens: Tensor
    sees: Tensor
    asked: Tensor


def distance_vectors(keys: int, width: int, device: torch.device | None = None) -> Tensor:
    """Computes the sinusoids of the distances keys − 1, …, 0, …, 1 − keys: (2K − 1, H), all sines before all cosines."""
    frequencies = torch.exp(torch.arange(0, width, 2, device=device) * (-math.log(10_000) / width))  # (H/2,)
    angles = torch.arange(keys - 1, -keys, -1, device=device)[:, None] * frequencies  # (2K − 1, H/2)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


def by_distance(scores: Tensor, places: Tensor) -> Tensor:
    """Takes for each row and key the score of their distance: (B, h, N, 2K − 1) → (B, h, N, K).

    Args:
        scores: column c is of the distance K − 1 − c.
        places: (B or 1, N), those of the rows.
    """
    keys = (scores.size(-1) + 1) // 2
    columns = (keys - 1 - places)[:, None, :, None] + torch.arange(keys, device=scores.device)  # (B, 1, N, K)
    return scores.gather(-1, columns.expand(*scores.shape[:3], keys))


class RelativeAttention(nn.Module):
    """Attention by content and by distance, whatever the rows' own places (Transformer-XL, section 3.3)."""

    def __init__(self, config: XLNetConfig) -> None:
        """Makes the projections.

        Raises:
            ValueError: the heads do not divide the width.
        """
        super().__init__()
        width, self.heads = config.d_model, config.n_head
        if width % self.heads:
            raise ValueError(f"{self.heads} heads do not divide a width of {width}: choose a width that is a multiple")
        self.queries, self.keys, self.values, self.distances, self.out = (
            nn.Linear(width, width, bias=False) for _ in range(5)
        )
        self.content_bias, self.distance_bias, self.segment_bias = (
            nn.Parameter(torch.empty(self.heads, width // self.heads)) for _ in range(3)
        )
        self.segments = nn.Parameter(torch.empty(2, self.heads, width // self.heads))  # the same segment, another one
        self.norm = nn.LayerNorm(width, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, x: Tensor, context: Tensor, places: Tensor, sees: Tensor | None = None, other: Tensor | None = None
    ) -> Tensor:
        """Attends from x, (B, N, H), to the context, (B, K, H), and adds what is found: (B, N, H).

        Args:
            places: (B or 1, N) int64, of the rows of x.
            sees: (B or 1, N, K); None for everything. A row that sees nothing gets nothing.
            other: (B, N, K), whether row and key are of different segments; None where there are no segments.
        """
        queries, keys, values = self._split(self.queries(x)), self._split(self.keys(context)), self.values(context)
        distances = self._split(self.distances(distance_vectors(context.size(1), x.size(-1), x.device)[None]))
        mixed = self.attend(queries, keys, self._split(values), distances[0], places, sees, other)  # (B, h, N, H/h)
        summed: Tensor = self.norm(x + self.dropout(self.out(mixed.transpose(1, 2).flatten(2))))
        return summed

    def attend(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        distances: Tensor,
        places: Tensor,
        sees: Tensor | None,
        other: Tensor | None,
    ) -> Tensor:
        """Mixes values, (B, h, K, d), for queries, (B, h, N, d), by keys, (B, h, K, d), and distances, (h, 2K − 1, d)."""
        scores = (queries + self.content_bias[:, None]) @ keys.transpose(-1, -2)  # (B, h, N, K)
        scores = scores + by_distance((queries + self.distance_bias[:, None]) @ distances.transpose(-1, -2), places)
        if other is not None:
            kinds = torch.einsum("bhnd,shd->bhns", queries + self.segment_bias[:, None], self.segments)
            scores = scores + kinds.gather(-1, other[:, None].long().expand_as(scores))
        scores = scores / math.sqrt(queries.size(-1))
        if sees is not None:
            scores = scores.masked_fill(~sees[:, None], torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)  # (B, h, N, K)
        if sees is not None:
            weights = weights.masked_fill(~sees[:, None], 0.0)  # of a row that sees nothing
        mixed: Tensor = self.dropout(weights) @ values
        return mixed

    def _split(self, x: Tensor) -> Tensor:
        """Gives each head its part: (B, N, H) → (B, h, N, H/h)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)


class XLNetLayer(nn.Module):
    """One layer: relative attention and a feed-forward network, each with a residual sum that is normalised."""

    def __init__(self, config: XLNetConfig) -> None:
        super().__init__()
        self.attention = RelativeAttention(config)
        self.feed_forward = nn.Sequential(
            nn.Linear(config.d_model, config.d_inner),
            nn.GELU(),
            nn.Dropout(config.dropout),
            nn.Linear(config.d_inner, config.d_model),
            nn.Dropout(config.dropout),
        )
        self.norm = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)

    def forward(
        self, x: Tensor, context: Tensor, places: Tensor, sees: Tensor | None = None, other: Tensor | None = None
    ) -> Tensor:
        """Maps rows, (B, N, H), that look at a context, (B, K, H), to (B, N, H); arguments as for RelativeAttention."""
        x = self.attention(x, context, places, sees, other)
        x = self.norm(x + self.feed_forward(x))
        return x


class XLNet(nn.Module):
    """The network: a content stream that starts from the tokens, and a query stream that starts from one vector for all places."""

    def __init__(self, config: XLNetConfig) -> None:
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.start = nn.Parameter(torch.empty(config.d_model))  # w of section 2.3
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList(XLNetLayer(config) for _ in range(config.n_layer))
        self._initialize()

    def forward(
        self,
        tokens: Tensor,
        sees: Tensor | None = None,
        asked: Tensor | None = None,
        memory: Sequence[Tensor] | None = None,
        segments: Tensor | None = None,
    ) -> Streams:
        """Reads texts, ids (B, N).

        Args:
            sees: (B, N, N), what each place may see; None for everything. The content stream sees its own place in any case, the
                query stream where it stands here.
            asked: (B, T) int64, the places that the query stream is computed for; None for no such stream.
            memory: what an earlier call gave; all of it may be seen, and no gradient goes back into it.
            segments: (B, N), of each token; the memory counts as segment 0.
        """
        texts, length = tokens.shape
        kept = memory[0].size(1) if memory else 0
        places = kept + torch.arange(length, device=tokens.device)[None]  # (1, N)
        content, query = self._masks(sees, asked, kept)
        other = None
        if segments is not None:
            other = segments[:, :, None] != functional.pad(segments, (kept, 0))[:, None]  # (B, N, K)
        h: Tensor = self.dropout(self.tokens(tokens))  # (B, N, H)
        g = None if asked is None else self.dropout(self.start.expand(texts, asked.size(1), -1))  # (B, T, H)
        remembered = []
        for number, layer in enumerate(self.layers):
            context = torch.cat([memory[number].detach(), h], dim=1) if memory else h  # (B, K, H)
            remembered.append(context[:, -self.config.mem_len :].detach())
            if asked is not None:
                g = layer(g, context, kept + asked, query, None if other is None else _rows(other, asked))
            h = layer(h, context, places, content, other)
        return Streams(self.dropout(h), None if g is None else self.dropout(g), remembered)

    @staticmethod
    def _masks(sees: Tensor | None, asked: Tensor | None, kept: int) -> tuple[Tensor | None, Tensor | None]:
        """Makes the two streams' masks, (B, N, K) and (B, T, K): the memory is seen by all."""
        if sees is None:
            return None, None
        own = torch.eye(sees.size(1), dtype=torch.bool, device=sees.device)
        content, query = (functional.pad(mask, (kept, 0), value=True) for mask in (sees | own, sees))
        return content, None if asked is None else _rows(query, asked)

    def _initialize(self) -> None:
        """Draws all weights from a normal distribution, but for normalisations and the biases of the feed-forward networks."""
        for name, parameter in self.named_parameters():
            if not name.endswith(".bias") and "norm" not in name:
                nn.init.normal_(parameter, std=self.config.initializer_range)
            elif "feed_forward" in name:
                nn.init.zeros_(parameter)


class XLNetForPermutationLM(nn.Module):
    """The network with scores of tokens, read off the query stream by the input embeddings."""

    def __init__(self, config: XLNetConfig) -> None:
        super().__init__()
        self.xlnet = XLNet(config)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def logits(self, hidden: Tensor) -> Tensor:
        """Scores every token of the vocabulary: (…, H) → (…, V)."""
        return functional.linear(hidden, self.xlnet.tokens.weight, self.bias)

    def forward(self, batch: Asked) -> Tensor:
        """Computes the loss in nats, (): the mean over the tokens asked for."""
        query = self.xlnet(batch.tokens, batch.sees, batch.asked).query  # (B, T, H)
        return functional.cross_entropy(self.logits(query).flatten(0, 1), batch.tokens.gather(1, batch.asked).flatten())


def _rows(mask: Tensor, asked: Tensor) -> Tensor:
    """Takes the rows of the places asked for: (B or 1, N, K), (B, T) → (B, T, K)."""
    return mask.expand(len(asked), -1, -1).gather(1, asked[:, :, None].expand(-1, -1, mask.size(-1)))
