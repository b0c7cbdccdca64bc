"""DistilBERT, and what a teacher of BERT's kind shows of its inside.

Sanh et al. 2019, "DistilBERT, a distilled version of BERT", section 3: BERT without segments and pooler, with half of the layers.
A TinyBERT (Jiao et al. 2020) is a `Bert` of another size. Shapes: B sequences of N tokens, width H, h heads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from torch import Tensor

from etude.models.attention import padding_mask
from etude.models.bert import Bert, BertConfig, BertForPretraining, BertInput
from etude.models.blocks import Block

TINYBERTS = {
    4: BertConfig(hidden_size=312, num_hidden_layers=4, intermediate_size=1200),
    6: BertConfig(num_hidden_layers=6),
}


@dataclass(frozen=True)
class DistilBertConfig(BertConfig):
    """DistilBERT's settings under BERT's names; the defaults are those of the published model."""

    num_hidden_layers: int = 6
    type_vocab_size: int = 0


class DistilBertInput(BertInput):
    """The sum of two embeddings, normalised: which token, which position. There are no segments."""

    def __init__(self, config: DistilBertConfig) -> None:
        super().__init__(replace(config, type_vocab_size=1))
        del self.segments

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Embeds ids, (B, N) int64; a text has no segments here, so `segments` stays away: (B, N, H).

        Raises:
            ValueError: there are segments, or the sequences are longer than the positions that were learned.
        """
        length, longest = tokens.size(1), self.positions.num_embeddings
        if segments is not None:
            raise ValueError("DistilBERT knows no segments: put a separator between the texts, and give tokens alone")
        if length > longest:
            raise ValueError(f"{length} tokens, and there are {longest} positions: cut the text into windows")
        normed: Tensor = self.dropout(self.norm(self.tokens(tokens) + self.positions.weight[:length]))
        return normed


class DistilBert(Bert):
    """The encoder. The vector of a sequence is that of [CLS] as it comes out, for there is no pooler."""

    def __init__(self, config: DistilBertConfig) -> None:
        super().__init__(replace(config, type_vocab_size=1))
        self.config = config
        self.input = DistilBertInput(config)
        self.input.apply(self._initialize)
        del self.pooler

    def pooled(self, hidden: Tensor) -> Tensor:
        """Reads the sequence's vector off [CLS], the first token: (B, N, H) → (B, H)."""
        return hidden[:, 0]


class DistilBertForMaskedLM(BertForPretraining):
    """The encoder with BERT's head for masked tokens; its batches hold neither segments nor next sentences."""

    def __init__(self, config: DistilBertConfig) -> None:
        super().__init__(replace(config, type_vocab_size=1))
        self.bert = DistilBert(config)
        del self.next_sentence


class Inside(NamedTuple):
    """What a student may be asked to match: L + 1 states, (B, N, H), and the scores of L attentions, (B, h, N, N)."""

    states: list[Tensor]
    scores: list[Tensor]


def inside(encoder: Bert, tokens: Tensor) -> Inside:
    """Encodes ids, (B, N), and returns what comes out of the input and of each layer, and attention's scores before the softmax.

    A score is the product of query and key over √(H/h) (Jiao et al. 2020, equation 1), that of padding too: nothing is masked in
    it, while the states are those of a masked attention.
    """
    mask = padding_mask(tokens, encoder.config.pad_token_id)  # (B, 1, 1, N)
    x = encoder.input(tokens)
    states, scores = [x], []
    for layer in encoder.layers:
        assert isinstance(layer, Block)
        queries, keys, _ = layer.attention._heads(x, None, None)  # (B, h, N, H/h)
        scores.append(queries @ keys.transpose(-1, -2) / math.sqrt(queries.size(-1)))
        x = layer(x, mask=mask)
        states.append(x)
    return Inside(states, scores)
