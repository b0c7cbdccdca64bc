"""The control corpus: the same words as often as before, in sentences of the same lengths, in no order at all.

Whatever a model still finds there it did not learn from context. This module must not know where a corpus came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from etude.strings import refuse_string
from etude.world.chance import Chance


def shuffled(corpus: Sequence[Sequence[str]], seed: int = 0) -> list[list[str]]:
    """Shuffles all tokens across the whole corpus; sentence lengths and unigram counts stay as they are.

    Raises:
        ValueError: a sentence is a string, or `seed` is no whole number of at least 0.
    """
    for sentence in corpus:
        refuse_string(sentence, "give each sentence of the corpus as a list of words, e.g. sentence.split()")
    tokens = [token for sentence in corpus for token in sentence]
    Chance(seed).shuffle(tokens)
    rest = iter(tokens)
    return [list(islice(rest, len(sentence))) for sentence in corpus]
