"""The recipes of the course's ELECTRA and of the steps between it and BERT: what decides each checkpoint, beside the code.

All read the text and the tokens of `world-en-no-nsp`, the BERT without next sentences, and cost as many FLOPs as its 6,000 steps do,
the generator's among them: what costs more in a step makes fewer steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from etude.pretraining import Masking
from etude.recipes import Recipe

Objective = Literal["electra", "electra-15", "replace-mlm", "all-tokens-mlm"]


@dataclass(frozen=True)
class ElectraRecipe(Recipe):
    """What decides a model that reads a generator's words: as BERT's recipe without next sentences.

    Attributes:
        masking: of what the generator reads; all chosen tokens become [MASK].
        objective: what the model is asked for (Clark et al. 2020, Table 5).
        times: how many times narrower the generator is.
    """

    masking: Masking = field(default_factory=lambda: Masking(mask=1.0, random=0.0))
    next_sentence: bool = False
    objective: Objective = "electra"
    times: int = 4


ELECTRA_RECIPES = {
    "world-en-electra": ElectraRecipe("en", steps=5500, warmup=550),
    "world-en-electra-15": ElectraRecipe("en", objective="electra-15", steps=5600, warmup=560),
    "world-en-replace-mlm": ElectraRecipe("en", objective="replace-mlm", steps=5425, warmup=542),
    "world-en-all-tokens-mlm": ElectraRecipe("en", objective="all-tokens-mlm", steps=4480, warmup=448),
}
