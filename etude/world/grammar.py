"""Sentences from templates: the engine that both languages share.

A template is a line of words. `{slot}` is filled with a lexeme of the sentence's frame, `+` adds an ending to what
stands before it: "the {agent} {verb}+ed the {thing}", "{agent}+이 {thing}+을 {verb}+었+다". With the probability
`noise` a slot takes a word of the same part of speech from another topic, so that no pair of words is impossible.
This module must not know any word or any language: a language gives its templates, `inflect` and `finish`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from etude.world.chance import Chance
from etude.world.lexicon import Lexeme, Lexemes, Lexicon
from etude.world.text import Sentence, Word

# slot -> the lexemes that may fill it
Frame = dict[str, Lexemes]


@dataclass(frozen=True)
class Language:
    """What the engine needs from a language.

    `templates` by kind of document ("topic", "nation", "people", or a topic's name for those it has besides);
    `inflect(lexeme, endings)` makes a word; `finish(words)` settles what depends on the next word (a or an);
    `citation[kind]` gives the endings with which a kind of word is most often written (none where it is missing);
    `tenses` the endings of the two forms of a verb that the tense relation pairs, present and past.
    """

    templates: dict[str, tuple[str, ...]]
    inflect: Callable[[Lexeme, tuple[str, ...]], Word]
    finish: Callable[[list[Word]], list[Word]]
    citation: dict[str, tuple[str, ...]]
    tenses: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place of a template for a lexeme of the frame, with the endings that it takes there."""

    name: str
    endings: tuple[str, ...]


class Grammar:
    """Writes sentences of one language over one lexicon."""

    def __init__(self, language: Language, lexicon: Lexicon, noise: float) -> None:
        self._noise = noise
        self._finish = language.finish
        self._inflect = cache(language.inflect)
        self._templates = {
            kind: tuple(tuple(map(self._place, template.split())) for template in templates)
            for kind, templates in language.templates.items()
        }
        with_topic = list(dict.fromkeys(lexeme for lexeme in lexicon.lexemes() if lexeme.topic))
        topics = {lexeme.topic for lexeme in with_topic}
        self._elsewhere = {
            (part, topic): tuple(x for x in with_topic if x.part == part and x.topic != topic)
            for part in ("noun", "verb", "quality")
            for topic in topics
        }

    def sentence(self, kinds: tuple[str, ...], frame: Frame, chance: Chance) -> Sentence:
        """Writes one sentence from a template for one of `kinds`, its slots filled from `frame`, no lexeme twice."""
        templates = [template for kind in kinds for template in self._templates.get(kind, ())]
        words: list[Word] = []
        used: list[Lexeme] = []
        for place in chance.pick(templates):
            if isinstance(place, Word):
                words.append(place)
                continue
            lexeme = self._fill(frame[place.name], used, chance)
            used.append(lexeme)
            words.append(self._inflect(lexeme, place.endings))
        return Sentence(tuple(self._finish(words)))

    def _fill(self, candidates: Lexemes, used: list[Lexeme], chance: Chance) -> Lexeme:
        if candidates[0].topic is not None and chance.happens(self._noise):
            candidates = self._elsewhere[candidates[0].part, candidates[0].topic]
        free = [lexeme for lexeme in candidates if lexeme not in used]
        return chance.pick(free or candidates)

    def _place(self, text: str) -> Word | Slot:
        first, *endings = text.split("+")
        if first.startswith("{"):
            return Slot(first[1:-1], tuple(endings))
        return self._inflect(Lexeme((first,), kind="fixed", part="fixed", topic=None), tuple(endings))
