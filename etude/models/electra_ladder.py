"""The steps between BERT and ELECTRA: models that read a generator's words, and are still asked for words.

Clark et al. 2020, section 3.4 and Table 5. Shapes: B sequences of N tokens, width H, vocabulary V, T tokens that are asked for.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.models.bert import PretrainingBatch
from etude.models.electra import ElectraConfig, ElectraMaskedLM, fill, share


class ReplaceMLM(nn.Module):
    """Masked language modelling whose input holds a generator's words in place of [MASK]: no mark that fine-tuning lacks."""

    def __init__(self, config: ElectraConfig, generator: ElectraConfig) -> None:
        super().__init__()
        self.model, self.generator = ElectraMaskedLM(config), ElectraMaskedLM(generator)
        share(self.generator, self.model.electra)

    def forward(self, batch: PretrainingBatch) -> Tensor:
        """Computes the loss in nats, (): the generator's and the model's, both of the masked tokens."""
        filled = fill(self.generator, batch)
        hidden = self.model.electra(filled.read, batch.segments)[filled.masked]  # (T, H)
        return filled.loss + functional.cross_entropy(self.model.token_logits(hidden), filled.original[filled.masked])


class AllTokensMLM(ReplaceMLM):
    """The same, asked for every token. As most tokens are right as they are, a copy score may take the one that is read."""

    def __init__(self, config: ElectraConfig, generator: ElectraConfig) -> None:
        super().__init__(config, generator)
        self.copy = nn.Linear(config.hidden_size, 1)
        self.model.electra._initialize(self.copy)

    def forward(self, batch: PretrainingBatch) -> Tensor:
        """Computes the loss in nats, (): the generator's of the masked tokens and the model's of all."""
        filled = fill(self.generator, batch)
        real = filled.original != self.model.electra.config.pad_token_id
        hidden = self.model.electra(filled.read, batch.segments)[real]  # (T, H)
        scores = self.copy(hidden).squeeze(-1)  # (T,)
        return filled.loss + copy_loss(
            self.model.token_logits(hidden), scores, filled.read[real], filled.original[real]
        )


def copy_loss(logits: Tensor, copy: Tensor, read: Tensor, wanted: Tensor) -> Tensor:
    """Computes the mean of −log p, (), of words of which p is a mixture: with a share of σ(copy) the token that is read.

    Args:
        logits: (T, V).
        copy: (T,) logits.
        read: (T,) int64.
        wanted: (T,) int64.
    """
    written = functional.logsigmoid(-copy) - functional.cross_entropy(logits, wanted, reduction="none")  # (T,)
    copied = torch.where(read == wanted, functional.logsigmoid(copy), -torch.inf)
    return -torch.logaddexp(written, copied).mean()
