"""The recipes of the course's pre-trained models: everything that decides a checkpoint, beside the code that makes it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from etude.models.bert import BertConfig
from etude.pretraining import Masking
from etude.world.lexicon import Language


@dataclass(frozen=True)
class Recipe:
    """What decides a checkpoint: text, vocabulary, model, examples, steps.

    The defaults were found by trial. A model of this size learns the world's grammar first and which things go with which verbs only
    after 2,000 to 3,000 steps; wider models and larger batches take as many.

    Attributes:
        words: of the world's text from its seed 0.
        pieces: the size of the vocabulary that BPE learns, before single characters are added.
        left_to_right: a language model that cannot look ahead, in place of masked words.
        rate: the highest learning rate, reached at step `warmup`.
    """

    language: Language
    words: int = 240_000
    pieces: int = 1200
    layers: int = 2
    width: int = 64
    heads: int = 4
    length: int = 64
    batch_size: int = 32
    masking: Masking = field(default_factory=Masking)
    next_sentence: bool = True
    left_to_right: bool = False
    steps: int = 6000
    rate: float = 3e-3
    warmup: int = 600
    seed: int = 0

    def config(self, vocabulary: int) -> BertConfig:
        """Returns the model's settings. So small a model learns faster from wider start values and without dropout."""
        return BertConfig(
            vocab_size=vocabulary,
            hidden_size=self.width,
            num_hidden_layers=self.layers,
            num_attention_heads=self.heads,
            intermediate_size=4 * self.width,
            max_position_embeddings=128,
            initializer_range=0.05,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            is_decoder=self.left_to_right,
        )


ENGLISH = Recipe("en")
RECIPES = {
    "world-en": ENGLISH,
    "world-ko": Recipe("ko"),
    # One part of BERT less, or another amount of it, each against world-en.
    "world-en-no-nsp": replace(ENGLISH, next_sentence=False),
    "world-en-left-to-right": replace(ENGLISH, next_sentence=False, left_to_right=True),
    "world-en-mask-only": replace(ENGLISH, masking=Masking(mask=1.0, random=0.0)),
    "world-en-mask-40": replace(ENGLISH, masking=Masking(rate=0.4)),
    "world-en-narrow": replace(ENGLISH, width=32),
    "world-en-1000-steps": replace(ENGLISH, steps=1000, warmup=100),
    "world-en-2000-steps": replace(ENGLISH, steps=2000, warmup=200),
    "world-en-3000-steps": replace(ENGLISH, steps=3000, warmup=300),
    # The beginning of two of those above: who learns faster at first?
    "world-en-no-nsp-1000-steps": replace(ENGLISH, next_sentence=False, steps=1000, warmup=100),
    "world-en-left-to-right-1000-steps": replace(
        ENGLISH, next_sentence=False, left_to_right=True, steps=1000, warmup=100
    ),
}
