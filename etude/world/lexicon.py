"""The lexicon of one language: the tables of `facts` as objects that share their structure between languages.

A lexeme is an entry of the dictionary; it knows its topic, its kind (which slots it fills) and its part of speech (what
noise may put in its place). This module must not know grammar: no sentence, no particle, no plural.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from etude.world import facts

Language = Literal["en", "ko"]
LANGUAGES: tuple[Language, ...] = ("en", "ko")


@dataclass(frozen=True, slots=True)
class Lexeme:
    """An entry: `morphemes` as in the table, `kind` the slot it fills, `part` noun, verb or quality."""

    morphemes: tuple[str, ...]
    kind: str
    part: str
    topic: str | None
    plural: bool = True

    @property
    def stem(self) -> str:
        return self.morphemes[0]


Lexemes = tuple[Lexeme, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """A field of life: who is there, where, how things are, and each verb with the things it is done to."""

    name: str
    agents: Lexemes
    places: Lexemes
    qualities: Lexemes
    verbs: tuple[tuple[Lexeme, Lexemes], ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Words that share an identity: `members` (country, capital, language; he, she) and what they are `known_by`."""

    members: Lexemes
    known_by: Lexemes


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All words of one language, by the structure of the world."""

    topics: tuple[Topic, ...]
    nations: tuple[Family, ...]
    couples: tuple[Family, ...]
    marks: dict[str, Lexemes]
    opposites: tuple[tuple[Lexeme, Lexeme], ...]
    names: Lexemes

    def lexemes(self) -> list[Lexeme]:
        """Lists every lexeme, in the order of the tables; a homonym is there once for each sense."""
        lexemes: list[Lexeme] = []
        for topic in self.topics:
            lexemes += topic.agents + topic.places + topic.qualities
            for verb, things in topic.verbs:
                lexemes += (verb, *things)
        for family in self.nations + self.couples:
            lexemes += family.members + family.known_by
        for marks in self.marks.values():
            lexemes += marks
        return lexemes + [word for pair in self.opposites for word in pair] + list(self.names)


@cache
def load(language: Language) -> Lexicon:
    """Reads the lexicon of "en" or "ko" from the tables of `facts`."""
    column = LANGUAGES.index(language)

    def entries(cells: str, kind: str, part: str, topic: str | None) -> Lexemes:
        """Reads `english:korean ...` as lexemes of this language; a list of kinds names the cells one by one."""
        lexemes = []
        kinds = kind.split()
        for i, cell in enumerate(cells.split()):
            form = cell.split(":")[column]
            morphemes = tuple(form.removesuffix("_").split("+"))
            plural = "_" not in cell
            lexemes.append(Lexeme(morphemes, kinds[i % len(kinds)], part, topic, plural))
        return tuple(lexemes)

    def families(table: str, kinds: str, known_by: str, topic: str) -> tuple[Family, ...]:
        rows = [row.split("|") for row in table.strip().splitlines()]
        return tuple(
            Family(entries(left, kinds, "noun", topic), entries(right, known_by, "noun", topic)) for left, right in rows
        )

    def topics() -> tuple[Topic, ...]:
        of_lexicon = []
        blocks: list[list[str]] = []
        for line in facts.TOPICS.strip().splitlines():
            if line.startswith(" "):
                blocks[-1].append(line.strip())
            else:
                blocks.append([line])
        for name, agents, places, qualities, *verbs in blocks:
            pairs = []
            for row in verbs:
                verb, things = row.split(maxsplit=1)
                pairs.append((entries(verb, "verb", "verb", name)[0], entries(things, "thing", "noun", name)))
            of_lexicon.append(
                Topic(
                    name,
                    entries(agents.split(maxsplit=1)[1], "agent", "noun", name),
                    entries(places.split(maxsplit=1)[1], "place", "noun", name),
                    entries(qualities.split(maxsplit=1)[1], "quality", "quality", name),
                    tuple(pairs),
                )
            )
        return tuple(of_lexicon)

    marks = {}
    for row in facts.MARKS.strip().splitlines():
        kind, cells = row.split(maxsplit=1)
        topic = "people" if kind in ("he", "she") else "nation"
        marks[kind] = entries(cells, f"{kind}_mark", "noun", topic)
    opposites = []
    for row in facts.OPPOSITES.strip().splitlines():
        quality, opposite = entries(row, "opposite", "quality", None)
        opposites.append((quality, opposite))
    return Lexicon(
        topics(),
        families(facts.COUNTRIES, "country capital language", "custom", "nation"),
        families(facts.COUPLES, "he she", "belonging", "people"),
        marks,
        tuple(opposites),
        entries(facts.NAMES, "person", "name", None),
    )
