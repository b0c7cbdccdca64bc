"""RoBERTa: BERT's encoder with a byte-level vocabulary, without segments and without next sentences.

Liu et al. 2019, "RoBERTa: A Robustly Optimized BERT Pretraining Approach", sections 3 and 4. What it changes is the training; of the
model it changes the input alone, where positions count from padding + 1, an accident of its code that its files keep.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from etude.models.bert import BertConfig, BertForPretraining, BertInput


@dataclass(frozen=True)
class RobertaConfig(BertConfig):
    """RoBERTa's settings under the names of their published files; the defaults are those of RoBERTa base.

    Attributes:
        max_position_embeddings: two more than the longest text has tokens, for padding is token 1.
    """

    vocab_size: int = 50_265
    max_position_embeddings: int = 514
    type_vocab_size: int = 1
    layer_norm_eps: float = 1e-5
    pad_token_id: int = 1


class RobertaInput(BertInput):
    """BERT's input with positions that count tokens from padding + 1 on; padding itself stands at its own number."""

    def __init__(self, config: RobertaConfig) -> None:
        super().__init__(config)
        self.padding = config.pad_token_id

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Embeds ids, (B, N) int64; there is one segment, so `segments` may stay away: (B, N, H).

        Raises:
            ValueError: a text is longer than the positions that were learned.
        """
        words = tokens != self.padding
        places = words.cumsum(dim=1) * words + self.padding  # (B, N)
        room = self.positions.num_embeddings - self.padding - 1
        if tokens.size(1) > room:
            raise ValueError(f"{tokens.size(1)} tokens, and there are {room} positions: cut the text into windows")
        segment = self.segments.weight[0] if segments is None else self.segments(segments)
        normed: Tensor = self.dropout(self.norm(self.tokens(tokens) + segment + self.positions(places)))
        return normed


class RobertaForMaskedLM(BertForPretraining):
    """The encoder with the head for masked tokens; its batches say nothing of next sentences."""

    def __init__(self, config: RobertaConfig) -> None:
        super().__init__(config)
        del self.next_sentence
        self.bert.input = RobertaInput(config)
        self.bert.input.apply(self.bert._initialize)
