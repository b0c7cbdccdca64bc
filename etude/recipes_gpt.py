"""The recipes of the course's GPTs: everything that decides a checkpoint, beside the code that makes it."""

from __future__ import annotations

from dataclasses import dataclass

from etude.world.lexicon import Language


@dataclass(frozen=True)
class GPTRecipe:
    """What decides a GPT of the course, in the form of GPT-2: text, vocabulary, model, steps. The defaults were found by trial.

    Attributes:
        words: of the world's text from its seed 0.
        pieces: the size of the byte-level vocabulary, the 256 bytes and <|endoftext|> among it.
        length: how many tokens the model reads at a time.
        rate: the highest learning rate, reached at step `warmup`.
    """

    language: Language
    words: int = 240_000
    pieces: int = 1500
    layers: int = 2
    width: int = 64
    heads: int = 4
    length: int = 128
    batch_size: int = 16
    steps: int = 3000
    rate: float = 3e-3
    warmup: int = 300
    seed: int = 0


GPT_RECIPES = {"world-en-gpt": GPTRecipe("en"), "world-ko-gpt": GPTRecipe("ko")}
