"""Parameters of a model by closed form from its configuration (data/papers). It builds no model and knows no printed size.

A weight that is used twice (token embeddings and output) counts once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import pandas as pd
from published import papers

T5_BUCKETS = 32  # of relative positions, for each head, once in the encoder and once in the decoder


@dataclass(frozen=True)
class Shape:
    """A configuration; the sizes that a row leaves empty have their usual values."""

    family: str
    layers: int
    hidden: int
    vocabulary: int
    decoder_layers: int = 0
    heads: int = 0
    head_width: int = 0
    feed_forward: int = 0
    embedding: int = 0
    positions: int = 0
    segments: int = 0

    @property
    def inner(self) -> int:
        return self.feed_forward or 4 * self.hidden

    @property
    def attended(self) -> int:
        """Width of all heads together."""
        return self.heads * self.head_width or self.hidden


def shape(row: pd.Series) -> Shape:
    known = {field.name for field in fields(Shape)} - {"family"}
    return Shape(family=row.family, **{name: int(row[name]) for name in known if row[name]})


def shapes(table: str) -> dict[str, Shape]:
    """The complete configurations of a table of data/papers, by model."""
    rows = papers(table).set_index("model")
    return {str(model): shape(row) for model, row in rows.iterrows() if row.layers and row.vocabulary}


def linear(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs


def norm(width: int) -> int:
    return 2 * width


def attention(hidden: int) -> int:
    """Queries, keys, values, output, with biases; the layer norm beside it."""
    return 4 * linear(hidden, hidden) + norm(hidden)


def feed_forward(hidden: int, inner: int) -> int:
    """Two linear maps with biases; the layer norm beside them."""
    return linear(hidden, inner) + linear(inner, hidden) + norm(hidden)


def block(hidden: int, inner: int, attentions: int = 1) -> int:
    """An encoder's layer; with two attentions that of a decoder that looks at an encoder."""
    return attentions * attention(hidden) + feed_forward(hidden, inner)


def embeddings(s: Shape) -> int:
    width = s.embedding or s.hidden
    return (s.vocabulary + s.positions + s.segments) * width + norm(width)


def projection(s: Shape) -> int:
    """From the width of the embeddings to that of the layers, where they differ."""
    return linear(s.embedding, s.hidden) if s.embedding not in (0, s.hidden) else 0


def pooler(s: Shape) -> int:
    return linear(s.hidden, s.hidden)


def pretraining_heads(s: Shape) -> int:
    """BERT's: a linear map, a layer norm and a bias a word for the masked words (one class a word); two classes for the next sentence."""
    return linear(s.hidden, s.hidden) + norm(s.hidden) + s.vocabulary + linear(s.hidden, 2)


def bert(s: Shape) -> int:
    return distilbert(s) + pooler(s)


def distilbert(s: Shape) -> int:
    return embeddings(s) + s.layers * block(s.hidden, s.inner)


def albert(s: Shape) -> int:
    return embeddings(s) + projection(s) + block(s.hidden, s.inner) + pooler(s)


def electra(s: Shape) -> int:
    """The discriminator, with its linear map and its one output."""
    return distilbert(s) + projection(s) + linear(s.hidden, s.hidden) + linear(s.hidden, 1)


def gpt1(s: Shape) -> int:
    return (s.vocabulary + s.positions) * s.hidden + s.layers * block(s.hidden, s.inner)


def gpt(s: Shape) -> int:
    return gpt1(s) + norm(s.hidden)


def gptj(s: Shape) -> int:
    layer = 4 * s.hidden**2 + feed_forward(s.hidden, s.inner)
    return s.vocabulary * s.hidden + s.layers * layer + norm(s.hidden) + linear(s.hidden, s.vocabulary)


def transformer(s: Shape) -> int:
    layers = s.layers * block(s.hidden, s.inner) + s.decoder_layers * block(s.hidden, s.inner, attentions=2)
    return s.vocabulary * s.hidden + layers


def bart(s: Shape) -> int:
    return transformer(s) + 2 * (s.positions * s.hidden + norm(s.hidden))


def t5(s: Shape) -> int:
    looks = 4 * s.hidden * s.attended + s.hidden  # its layer norms have no bias, its linear maps neither
    inner = 2 * s.hidden * s.inner + s.hidden
    layers = s.layers * (looks + inner) + s.decoder_layers * (2 * looks + inner)
    return s.vocabulary * s.hidden + layers + 2 * s.hidden + 2 * T5_BUCKETS * s.heads


COUNTS: dict[str, Callable[[Shape], int]] = {
    count.__name__: count for count in (bert, distilbert, albert, electra, gpt1, gpt, gptj, transformer, bart, t5)
}


def parameters(s: Shape) -> int:
    return COUNTS[s.family](s)


def with_vocabulary(s: Shape, words: int) -> Shape:
    return replace(s, vocabulary=words)
