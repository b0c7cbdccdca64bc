"""A planted graph of invented people, towns, lands, languages and crafts, and sentences that name them and state no fact.

Everything is drawn from a seed. Whom a sentence names does not depend on the graph, so no text tells where anybody lives:
who knows that has read the graph. Knows no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from etude.world.chance import Chance

RELATIONS = ("lives in", "lies in", "official language", "speaks", "works as")
LIVES_IN, LIES_IN, OFFICIAL, SPEAKS, WORKS_AS = range(len(RELATIONS))
NOBODY = -1  # the entity of a token that has none
SYLLABLES = tuple(consonant + vowel for consonant in "dklmnrs" for vowel in "aeo")
LENGTH = 3  # of a name, in syllables
SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]", "[HD]", "[TL]", "[ENT]")
TEMPLATES = (
    "yesterday {person} met {person} in the garden",
    "{person} wrote a long letter to {person}",
    "{person} and {person} had dinner by the river",
    "last night {person} sang an old song for {person}",
    "{person} waited for {person} until the evening",
    "{person} sold a small boat to {person}",
    "{person} told {person} a story about {town}",
    "the road to {town} was closed when {person} came by",
    "{person} dreamt of {land} last night",
    "{person} read a book on {language} in the garden",
    "in the evening {person} asked about {craft}",
)
KINDS = ("person", "town", "land", "language", "craft")


class Fact(NamedTuple):
    """An edge of the graph: numbers of entities, and of the relation between them."""

    head: int
    relation: int
    tail: int


@dataclass(frozen=True)
class Entity:
    """One of KINDS, and the words of its name: one, or two as in "port mirelo"."""

    kind: str
    name: tuple[str, ...]


@dataclass(frozen=True)
class Mention:
    """Words `first` to `last` of a sentence, the last one among them, name an entity."""

    first: int
    last: int
    entity: int


@dataclass(frozen=True)
class Sentence:
    """Words, and whom they name, from left to right."""

    words: tuple[str, ...]
    mentions: tuple[Mention, ...]


@dataclass(frozen=True)
class EntityGraph:
    """Entities, numbered in their order, and the facts between them.

    Attributes:
        facts: what a graph embedding is trained on.
        held_out: facts that are true and left out: of each town of the last quarter what it speaks, which follows from the
            others, and of a sixth of the people their craft, which follows from nothing.
    """

    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]
    held_out: tuple[Fact, ...]

    def of_kind(self, kind: str) -> list[int]:
        """Lists the numbers of a kind's entities."""
        return [number for number, entity in enumerate(self.entities) if entity.kind == kind]

    def tail(self, head: int, relation: int) -> int:
        """Finds where a relation leads from an entity, held out or not.

        Raises:
            KeyError: it leads nowhere.
        """
        for fact in self.facts + self.held_out:
            if (fact.head, fact.relation) == (head, relation):
                return fact.tail
        raise KeyError(f"{RELATIONS[relation]!r} leads nowhere from entity {head}")

    def land_of(self, person: int) -> int:
        """Finds the land in which a person's town lies, as a number from 0 among the lands: two steps in the graph."""
        town = self.tail(person, LIVES_IN)
        return self.of_kind("land").index(self.tail(town, LIES_IN))

    def names(self) -> dict[tuple[str, ...], int]:
        """Maps the words of each name to the entity's number."""
        return {entity.name: number for number, entity in enumerate(self.entities)}

    def shuffled(self, seed: int) -> EntityGraph:
        """Deals the tails of each relation anew among its facts: the same counts, and nothing true but by chance."""
        chance, facts = Chance(seed), []
        for relation in range(len(RELATIONS)):
            mine = [fact for fact in self.facts if fact.relation == relation]
            tails = [fact.tail for fact in mine]
            chance.shuffle(tails)
            facts += [Fact(fact.head, relation, tail) for fact, tail in zip(mine, tails, strict=True)]
        return EntityGraph(self.entities, tuple(facts), self.held_out)


def draw(seed: int, *, people: int = 256, towns: int = 32, lands: int = 8, crafts: int = 16) -> EntityGraph:
    """Draws a graph: people are dealt evenly to towns, towns to lands; each land has a language of its own.

    A quarter of the towns are named after a person: "port mirelo".

    Raises:
        ValueError: there are fewer people than towns, or fewer towns than lands, so that one would be empty.
    """
    if not people >= towns >= lands >= 1 or crafts < 1:
        raise ValueError(f"{people} people, {towns} towns, {lands} lands, {crafts} crafts: each needs one of the next")
    chance = Chance(seed)
    sizes = (people, towns, lands, lands, crafts)
    kinds = [kind for kind, size in zip(KINDS, sizes, strict=True) for _ in range(size)]
    names: list[tuple[str, ...]] = [(name,) for name in _names(len(kinds), chance)]
    for place in range(towns // 4):
        names[people + place] = ("port", *names[place])
    person, town, land, language, craft = (
        [number for number, kind in enumerate(kinds) if kind == wanted] for wanted in KINDS
    )
    homes, places, trades = _dealt(person, town, chance), _dealt(town, land, chance), _dealt(person, craft, chance)
    facts = [Fact(one, LIVES_IN, home) for one, home in homes.items()]
    facts += [Fact(one, LIES_IN, place) for one, place in places.items()]
    facts += [Fact(one, OFFICIAL, tongue) for one, tongue in zip(land, language, strict=True)]
    speaks = [Fact(one, SPEAKS, language[land.index(places[one])]) for one in town]
    works = [Fact(one, WORKS_AS, trade) for one, trade in trades.items()]
    left = speaks[towns - towns // 4 :] + works[people - people // 6 :]
    kept = [fact for fact in facts + speaks + works if fact not in left]
    return EntityGraph(
        tuple(Entity(kind, name) for kind, name in zip(kinds, names, strict=True)), tuple(kept), tuple(left)
    )


def sentences(graph: EntityGraph, count: int, seed: int, templates: Sequence[str] = TEMPLATES) -> list[Sentence]:
    """Draws sentences; whom they name depends on no fact, and nobody is named twice in one.

    Args:
        templates: words, with a kind in braces where an entity is named.
    """
    chance = Chance(seed)
    members = {kind: graph.of_kind(kind) for kind in KINDS}
    drawn = []
    for _ in range(count):
        words: list[str] = []
        mentions: list[Mention] = []
        for part in chance.pick(templates).split():
            if not part.startswith("{"):
                words.append(part)
                continue
            named = {mention.entity for mention in mentions}
            entity = chance.pick([number for number in members[part.strip("{}")] if number not in named])
            name = graph.entities[entity].name
            mentions.append(Mention(len(words), len(words) + len(name) - 1, entity))
            words += name
        drawn.append(Sentence(tuple(words), tuple(mentions)))
    return drawn


def pieces(word: str) -> list[str]:
    """Cuts an invented name into its syllables, "mi", "##re", "##lo"; the words of sentences stay whole."""
    if word in _fixed():
        return [word]
    cut = [word[start : start + 2] for start in range(0, len(word), 2)]
    return [cut[0], *(f"##{syllable}" for syllable in cut[1:])]


def vocabulary() -> list[str]:
    """Lists all tokens: the special ones, padding first, the words of sentences, syllables at the start and inside of a name."""
    return [*SPECIAL, *_fixed(), *SYLLABLES, *(f"##{syllable}" for syllable in SYLLABLES)]


def _fixed() -> tuple[str, ...]:
    words = {word for template in TEMPLATES for word in template.split() if not word.startswith("{")}
    return ("port", *sorted(words))


def _names(count: int, chance: Chance) -> list[str]:
    """Draws different names."""
    names: list[str] = []
    while len(names) < count:
        name = "".join(chance.pick(SYLLABLES) for _ in range(LENGTH))
        if name not in names:
            names.append(name)
    return names


def _dealt(heads: Sequence[int], tails: Sequence[int], chance: Chance) -> dict[int, int]:
    """Gives each head a tail, each tail to equally many, up to one."""
    deck = [tails[place % len(tails)] for place in range(len(heads))]
    chance.shuffle(deck)
    return dict(zip(heads, deck, strict=True))
