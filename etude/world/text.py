"""The shapes of a text: a word with its morphemes, a sentence, a document.

Lessons read these; generators of every language make them. This module must not know any language, lexicon or seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

Unit = Literal["word", "morpheme"]


def check_unit(unit: str) -> None:
    """Raises ValueError unless `unit` is "word" or "morpheme"."""
    if unit not in get_args(Unit):
        raise ValueError(f"unit is {unit!r}; choose 'word' or 'morpheme'.")


@dataclass(frozen=True, slots=True)
class Word:
    """One written word (in Korean an eojeol).

    `topic` is the topic of the sense that is meant here, None for function words, names and general words. So the
    sense of a homonym is its topic, and a word is off topic where its topic is not the document's.
    """

    surface: str
    morphemes: tuple[str, ...]
    topic: str | None = None

    def __str__(self) -> str:
        return self.surface


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words in order; `str(sentence)` is the text with spaces between the words and no full stop."""

    words: tuple[Word, ...]

    def tokens(self, unit: Unit = "word") -> list[str]:
        """Splits the sentence into strings: words as written, or their morphemes apart."""
        check_unit(unit)
        if unit == "word":
            return [word.surface for word in self.words]
        return [morpheme for word in self.words for morpheme in word.morphemes]

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def __str__(self) -> str:
        return " ".join(word.surface for word in self.words)


@dataclass(frozen=True, slots=True)
class Document:
    """Sentences on one topic; `str(document)` puts each sentence on a line of its own."""

    topic: str
    sentences: tuple[Sentence, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.sentences))
