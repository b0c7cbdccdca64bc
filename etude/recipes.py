"""The recipes of the course's pre-trained models: everything that decides a checkpoint, beside the code that makes it."""

from __future__ import annotations

from dataclasses import dataclass, field

from etude.models.bert import BertConfig
from etude.pretraining import Masking
from etude.world.lexicon import Language


@dataclass(frozen=True)
class Recipe:
    """What decides a checkpoint: text, vocabulary, model, examples, steps.

    words: of the world's text from its seed 0; pieces: the size of the vocabulary that BPE learns, before single characters
    are added; rate: the highest learning rate, reached at step `warmup`.
    """

    language: Language
    words: int = 400_000
    pieces: int = 1600
    layers: int = 2
    width: int = 128
    heads: int = 4
    length: int = 64
    batch_size: int = 32
    masking: Masking = field(default_factory=Masking)
    next_sentence: bool = True
    steps: int = 3000
    rate: float = 2e-3
    warmup: int = 300
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
        )


RECIPES = {"world-en": Recipe("en"), "world-ko": Recipe("ko", pieces=800)}
