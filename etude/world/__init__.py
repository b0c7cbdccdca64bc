"""The embedded world: a small language with planted semantics in English and Korean, generated from a seed.

from etude.world import World, shuffled

world = World("ko", seed=0)
sentences = world.corpus(60_000, unit="morpheme")
control = shuffled(sentences, seed=0)
"""

from etude.world.shuffle import shuffled
from etude.world.text import Document, Sentence, Unit, Word
from etude.world.world import World

__all__ = ["Document", "Sentence", "Unit", "Word", "World", "shuffled"]
