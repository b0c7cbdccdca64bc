"""The world: a small language with planted semantics, written from a seed, and the truth about it.

Documents are dealt from a shuffled deck of subjects (a country, a couple, a topic), so every planted word occurs about
equally often whatever the seed. This module must not know how a sentence is written in either language.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from etude.world import truth
from etude.world.chance import Chance
from etude.world.english import ENGLISH
from etude.world.grammar import Frame, Grammar
from etude.world.korean import KOREAN
from etude.world.lexicon import LANGUAGES, Family, Language, Topic, load
from etude.world.text import Document, Sentence, Unit, check_unit

NOISE = 0.12  # the share of slots that take a word from another topic
SENTENCES = (5, 9)  # the least and the most in a document
NATION, COUPLE, TOPIC = 3, 2, 6  # documents about each nation, couple and topic in one deck

_LANGUAGES = {"en": ENGLISH, "ko": KOREAN}


def _check_size(tokens: int) -> None:
    if not 1 <= tokens < math.inf:  # nan is neither
        raise ValueError(f"tokens is {tokens}; ask for a text of 1 token or more.")


class World:
    """The language ("en" or "ko") as written from one seed; the lexicon and the truth are the same for every seed."""

    def __init__(self, language: Language = "en", seed: int = 0) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"language is {language!r}; choose one of {', '.join(map(repr, LANGUAGES))}.")
        Chance(seed)  # a wrong seed is told here, not at the first text
        self.language = language
        self.seed = seed
        self.lexicon = load(language)
        self._grammar = Grammar(_LANGUAGES[language], self.lexicon, NOISE)

    def documents(self, tokens: int = 100_000) -> list[Document]:
        """Writes whole documents, as many as hold at least `tokens` words. A longer text begins with the shorter one.

        Raises:
            ValueError: `tokens` is below 1, or not finite.
        """
        _check_size(tokens)
        documents: list[Document] = []
        words = 0
        for document in self._stream():
            if words >= tokens:
                break
            documents.append(document)
            words += sum(map(len, document.sentences))
        return documents

    def corpus(self, tokens: int = 100_000, unit: Unit = "word") -> list[list[str]]:
        """Writes sentences as lists of token strings, as many as hold at least `tokens` tokens of the unit.

        Raises:
            ValueError: `tokens` is below 1 or not finite, or there is no such unit.
        """
        _check_size(tokens)
        check_unit(unit)
        sentences: list[list[str]] = []
        written = 0
        for document in self._stream():
            for sentence in document.sentences:
                if written >= tokens:
                    return sentences
                sentences.append(sentence.tokens(unit))
                written += len(sentences[-1])
        return sentences

    def analogies(self, unit: Unit = "word") -> dict[str, list[tuple[str, str, str, str]]]:
        """Lists questions (a, b, c, d), a is to b as c is to d, by relation; "control" has no answer in the text.

        Relations: capital, language, gender, tense, control; tense is absent where the unit splits it off the verb
        (unit="morpheme").
        """
        check_unit(unit)
        return truth.analogies(self.lexicon, _LANGUAGES[self.language], unit)

    def questions(self, unit: Unit = "word") -> list[tuple[str, str, str, str]]:
        """Joins the questions of all relations that the text holds, so without "control", into one list."""
        by_relation = self.analogies(unit)
        return [question for relation, asked in by_relation.items() if relation != "control" for question in asked]

    def similarities(self, unit: Unit = "word") -> list[tuple[str, str, float]]:
        """Lists pairs of words with their true similarity: 3 closest, 0 for different topics (`truth.similarities`)."""
        check_unit(unit)
        return truth.similarities(self.lexicon, _LANGUAGES[self.language], unit)

    def homonyms(self) -> dict[str, tuple[str, str]]:
        """Finds each homonym (its stem) with the topics of its two senses, about equally frequent.

        In a text `Word.topic` tells which sense is meant.
        """
        return truth.homonyms(self.lexicon)

    def _stream(self) -> Iterator[Document]:
        chance = Chance(self.seed)
        lexicon = self.lexicon
        subjects: list[Family | Topic] = [*lexicon.nations * NATION, *lexicon.couples * COUPLE, *lexicon.topics * TOPIC]
        while True:
            deck = subjects.copy()
            chance.shuffle(deck)
            for subject in deck:
                yield self._document(subject, chance)

    def _document(self, subject: Family | Topic, chance: Chance) -> Document:
        topic = subject.name if isinstance(subject, Topic) else str(subject.members[0].topic)
        least, most = SENTENCES
        sentences: list[Sentence] = []
        for _ in range(least + chance.below(most - least + 1)):
            if isinstance(subject, Topic):
                sentences.append(self._grammar.sentence(("topic", topic), self._scene(subject, chance), chance))
            else:
                sentences.append(self._grammar.sentence((topic,), self._portrait(subject), chance))
        return Document(topic, tuple(sentences))

    def _scene(self, topic: Topic, chance: Chance) -> Frame:
        """Draws what may fill the slots of a sentence on a topic: one verb and the things it is done to, anyone, anywhere."""
        verb, things = chance.pick(topic.verbs)
        return {
            "agent": topic.agents,
            "place": topic.places,
            "quality": topic.qualities,
            "verb": (verb,),
            "thing": things,
            "person": self.lexicon.names,
            "opposite": tuple(word for pair in self.lexicon.opposites for word in pair),
        }

    def _portrait(self, family: Family) -> Frame:
        """Collects what may fill the slots of a sentence on a family: its members, what they are known by, marks of types."""
        frame: Frame = {f"{kind}_mark": marks for kind, marks in self.lexicon.marks.items()}
        frame |= {member.kind: (member,) for member in family.members}
        return frame | {family.known_by[0].kind: family.known_by}
