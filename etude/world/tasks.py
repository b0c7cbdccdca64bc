"""Tasks with labels, written in the world's language: what a pre-trained model is fine-tuned on.

    topics      a sentence → its topic                              (one sentence, one label)
    senses      two sentences with one homonym → same sense or not  (two sentences, one label)
    entities    a sentence → person, country, capital, language     (one tag for each word)
    questions   a passage and a question → the answer's place, or none
    choices     the beginning of a sentence and four endings → which one

In each task the words that decide it are others in "train" than in "test": what a word has to do with another one can only be
known from the text that a model was pre-trained on. This module must not know any model or tokenizer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from etude.world import english, korean
from etude.world.chance import Chance
from etude.world.grammar import Frame, Grammar
from etude.world.lexicon import Family, Language, Lexeme, Lexemes, Topic, load
from etude.world.text import Sentence, Word

Split = Literal["train", "test"]
Item = TypeVar("Item")
ENDINGS = 4  # that a question of `choices` offers
OUTSIDE = "O"
NAMED = {"person": "PER", "country": "COU", "capital": "CAP", "language": "LAN"}

# The templates of questions and passages, by language; the others are the world's own.
TEMPLATES: dict[Language, dict[str, tuple[str, ...]]] = {
    "en": {
        "event": ("{person} {verb}+ed the {thing} in the {place}",),
        "who": ("who {verb}+ed the {thing}",),
        "what": ("what did {person} {verb} in the {place}",),
        "where": ("where did {person} {verb} the {thing}",),
        "start": ("yesterday {person} {verb}+ed the",),
        "ending": ("{thing}",),
    },
    "ko": {
        "event": ("{person}+은 {place}+에서 {thing}+을 {verb}+었+다",),
        "who": ("누가 {thing}+을 {verb}+었+나",),
        "what": ("{person}+은 {place}+에서 무엇을 {verb}+었+나",),
        "where": ("{person}+은 어디에서 {thing}+을 {verb}+었+나",),
        "start": ("어제 {person}+이 {verb}+었+던 것은",),
        "ending": ("{thing}",),
    },
}
ASKED = {"who": "person", "what": "thing", "where": "place"}


@dataclass(frozen=True)
class Labelled:
    """One sentence and its class."""

    text: str
    label: int


@dataclass(frozen=True)
class LabelledPair:
    """Two sentences that both hold `word`, and whether it means the same in both (1) or not (0)."""

    first: str
    second: str
    word: str
    label: int


@dataclass(frozen=True)
class Tagged:
    """Words in order, and for each the kind of name that it is, B-PER and the like, or O."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """A question about a passage. The answer stands there from character `start` on; None if it does not answer."""

    passage: str
    question: str
    answer: str | None
    start: int | None


@dataclass(frozen=True)
class Choice:
    """The beginning of a sentence, four endings, and the number of the one that goes with it."""

    start: str
    endings: tuple[str, ...]
    label: int


class Tasks:
    """Tasks in one language, drawn from a seed: the same everywhere, a longer list begins with the shorter one."""

    def __init__(self, language: Language = "en", seed: int = 0) -> None:
        self.lexicon = load(language)
        self.seed = seed
        own = english.ENGLISH if language == "en" else korean.KOREAN
        named = {kind: templates for kind, templates in own.templates.items() if kind != "food"}
        self._grammar = Grammar(replace(own, templates={**named, **TEMPLATES[language]}), self.lexicon, noise=0.0)
        self.topic_names = tuple(topic.name for topic in self.lexicon.topics)

    def topics(self, count: int, split: Split) -> list[Labelled]:
        """Writes sentences of the nine topics; the label is the place in `topic_names`."""
        chance = self._chance("topics", split)
        return [self._topic(chance, split) for _ in range(count)]

    def senses(self, count: int, split: Split) -> list[LabelledPair]:
        """Writes pairs of sentences with a homonym; half of the pairs mean the same (Pilehvar and Camacho-Collados 2019, WiC)."""
        chance = self._chance("senses", split)
        meanings: dict[str, list[tuple[Topic, Lexeme, Lexemes]]] = {}
        for topic in self.lexicon.topics:
            for verb, things in topic.verbs:
                for thing in things:
                    meanings.setdefault(thing.stem, []).append((topic, verb, things))
        homonyms = [stem for stem, senses in meanings.items() if len({topic.name for topic, *_ in senses}) > 1]
        chosen = _part(tuple(homonyms), split)
        pairs = []
        for _ in range(count):
            word, same = chance.pick(chosen), chance.below(2)
            first = chance.below(len(meanings[word]))
            second = first if same else (first + 1 + chance.below(len(meanings[word]) - 1)) % len(meanings[word])
            texts = [str(self._about(word, *meanings[word][sense], chance)) for sense in (first, second)]
            pairs.append(LabelledPair(texts[0], texts[1], word, same))
        return pairs

    def entities(self, count: int, split: Split) -> list[Tagged]:
        """Writes sentences with names, tagged by kind, in the scheme of CoNLL-2003 (each name is one word)."""
        chance = self._chance("entities", split)
        families, names = _part(self.lexicon.nations, split), _part(self.lexicon.names, split)
        return [self._named(families, names, chance) for _ in range(count)]

    def questions(self, count: int, split: Split, sentences: int = 3, unanswerable: float = 0.25) -> list[Question]:
        """Writes passages of a few events and a question on one of them, or on none (SQuAD 2.0's share may be chosen).

        Raises:
            ValueError: there are not enough people to give each event, told or not, one of its own.
        """
        if not 1 <= sentences < len(self.lexicon.names):
            raise ValueError(f"{sentences} sentences: choose 1 to {len(self.lexicon.names) - 1}")
        chance = self._chance("questions", split)
        return [self._question(chance, split, sentences, unanswerable) for _ in range(count)]

    def choices(self, count: int, split: Split) -> list[Choice]:
        """Writes beginnings that end in a verb, and four things of which this verb is done to one."""
        chance = self._chance("choices", split)
        return [self._choice(chance, split) for _ in range(count)]

    def _chance(self, task: str, split: Split) -> Chance:
        if split not in ("train", "test"):
            raise ValueError(f"split is {split!r}; choose 'train' or 'test'")
        names = ("topics", "senses", "entities", "questions", "choices")
        return Chance(100 * self.seed + 10 * names.index(task) + (split == "test"))

    def _topic(self, chance: Chance, split: Split) -> Labelled:
        label = chance.below(len(self.lexicon.topics))
        topic = self.lexicon.topics[label]
        verb, things = chance.pick(topic.verbs[:1] if split == "train" else topic.verbs[1:])
        frame = self._anyone() | _scene(topic, verb, things)
        frame |= {slot: _part(frame[slot], split) for slot in ("agent", "place", "quality")}
        return Labelled(str(self._grammar.sentence(("topic",), frame, chance)), label)

    def _about(self, word: str, topic: Topic, verb: Lexeme, things: Lexemes, chance: Chance) -> Sentence:
        """Writes a sentence on a topic that holds the word, one of the things that the verb is done to."""
        frame = self._anyone() | _scene(topic, verb, things)
        while True:
            sentence = self._grammar.sentence(("topic",), frame, chance)
            if any(part.morphemes[0] == word for part in sentence):
                return sentence

    def _named(self, families: tuple[Family, ...], names: Lexemes, chance: Chance) -> Tagged:
        if chance.below(2):
            topic = chance.pick(self.lexicon.topics)
            verb, things = chance.pick(topic.verbs)
            frame = self._anyone() | _scene(topic, verb, things) | {"person": names}
            sentence = self._grammar.sentence(("topic",), frame, chance)
        else:
            family = chance.pick(families)
            frame = {f"{kind}_mark": marks for kind, marks in self.lexicon.marks.items()}
            frame |= {member.kind: (member,) for member in family.members}
            frame |= {"custom": family.known_by}
            sentence = self._grammar.sentence(("nation",), frame, chance)
        kinds = {lexeme.morphemes: NAMED[lexeme.kind] for family in families for lexeme in family.members}
        kinds |= {lexeme.morphemes: NAMED["person"] for lexeme in names}
        tags = tuple(_tag(word, kinds) for word in sentence)
        return Tagged(tuple(word.surface for word in sentence), tags)

    def _question(self, chance: Chance, split: Split, sentences: int, unanswerable: float) -> Question:
        people = list(self.lexicon.names)
        chance.shuffle(people)
        events = []
        for person in people[: sentences + 1]:
            topic = chance.pick(self.lexicon.topics)
            verb, things = chance.pick(topic.verbs)
            thing = chance.pick(_part(things, split))
            frame: Frame = {"person": (person,), "verb": (verb,), "thing": (thing,)}
            events.append(frame | {"place": (chance.pick(topic.places),)})
        passage = [self._grammar.sentence(("event",), frame, chance) for frame in events[:sentences]]
        kind = chance.pick(tuple(ASKED))
        asked = sentences if chance.happens(unanswerable) else chance.below(sentences)  # the last event is not told
        told = " . ".join(map(str, passage))
        question = str(self._grammar.sentence((kind,), events[asked], chance))
        mine = {slot: events[asked][slot] for slot in events[asked] if slot != ASKED[kind]}
        fits = [frame for frame in events[:sentences] if all(frame[slot] == mine[slot] for slot in mine)]
        if asked == sentences and not fits:
            return Question(told, question, None, None)
        answer = (fits[0] if fits else events[asked])[ASKED[kind]][0].stem
        number = events.index(fits[0]) if fits else asked
        before = sum(len(str(sentence)) + 3 for sentence in passage[:number])
        return Question(told, question, answer, before + str(passage[number]).index(answer))

    def _choice(self, chance: Chance, split: Split) -> Choice:
        topics = list(self.lexicon.topics)
        chance.shuffle(topics)
        verb, things = chance.pick(topics[0].verbs)
        right = chance.pick(_part(things, split))
        fit = {thing.stem for thing in things}  # a homonym may be one of them under another topic
        others: list[Lexeme] = []
        for topic in topics[1:ENDINGS]:
            wrong = tuple(thing for thing in _part(chance.pick(topic.verbs)[1], split) if thing.stem not in fit)
            others.append(chance.pick(wrong))
        label = chance.below(ENDINGS)
        lexemes = [*others[:label], right, *others[label:]]
        frame = self._anyone() | {"verb": (verb,)}
        start = str(self._grammar.sentence(("start",), frame, chance))
        endings = [str(self._grammar.sentence(("ending",), {"thing": (lexeme,)}, chance)) for lexeme in lexemes]
        return Choice(start, tuple(endings), label)

    def _anyone(self) -> Frame:
        return {
            "person": self.lexicon.names,
            "opposite": tuple(word for pair in self.lexicon.opposites for word in pair),
        }


def _scene(topic: Topic, verb: Lexeme, things: Lexemes) -> Frame:
    """Collects what may fill the slots of a sentence on a topic."""
    return {"agent": topic.agents, "place": topic.places, "quality": topic.qualities, "verb": (verb,), "thing": things}


def _part(items: tuple[Item, ...], split: Split) -> tuple[Item, ...]:
    """Takes every second item for training, the others for the test."""
    return items[::2] if split == "train" else items[1::2]


def _tag(word: Word, kinds: dict[tuple[str, ...], str]) -> str:
    for morphemes, kind in kinds.items():
        if word.morphemes[: len(morphemes)] == morphemes:
            return f"B-{kind}"
    return OUTSIDE
