"""The recipes of the course's ALBERTs, RoBERTas and ELMos: everything that decides a checkpoint, beside the code that makes it.

All read the text of `world-en` and `world-ko`, in 6,000 times 32 rows of 64 places, or half as many steps of twice the rows. Not all
places hold tokens: of 64 about 45 do in BERT's pairs, 43 in ALBERT's, 60 in RoBERTa's full rows, 38 in ELMo's.
"""

from __future__ import annotations

from dataclasses import dataclass

from etude.recipes import Recipe


@dataclass(frozen=True)
class AlbertRecipe(Recipe):
    """What decides an ALBERT: as BERT's recipe, but `next_sentence` asks for the order of two segments.

    Attributes:
        embedding: the width of the token embeddings.
    """

    embedding: int = 32


@dataclass(frozen=True)
class RobertaRecipe(Recipe):
    """What decides a RoBERTa: as BERT's recipe without next sentences.

    Attributes:
        pieces: the size of the byte-level vocabulary, the 256 bytes and five special tokens among it.
    """

    pieces: int = 1500
    next_sentence: bool = False


@dataclass(frozen=True)
class ElmoRecipe(Recipe):
    """What decides an ELMo. Its default width makes about as many parameters as the BERTs have.

    Attributes:
        width: of the embeddings, and of what each LSTM gives in each direction.
        batch_size: larger, in fewer steps: an LSTM reads one token after the other, and many rows at once.
    """

    width: int = 56
    batch_size: int = 64
    next_sentence: bool = False
    left_to_right: bool = True
    steps: int = 3000
    rate: float = 1e-2
    warmup: int = 300


VariantRecipe = AlbertRecipe | RobertaRecipe | ElmoRecipe
VARIANT_RECIPES: dict[str, VariantRecipe] = {
    "world-en-albert": AlbertRecipe("en"),
    "world-ko-albert": AlbertRecipe("ko"),
    "world-en-roberta": RobertaRecipe("en"),
    "world-ko-roberta": RobertaRecipe("ko"),
    "world-en-elmo": ElmoRecipe("en"),
    "world-ko-elmo": ElmoRecipe("ko"),
}
