"""English: its sentence templates, its endings and its articles.

Each template that names a country, capital or language has a mark of its type (a mayor, a border) and something the
nation is known by, so analogies come from type crossed with identity; so also he and she, and verbs, whose type is told
by the time (yesterday, will) and whose identity by the thing. This module must not know any word of the lexicon.
"""

from __future__ import annotations

from etude.world.grammar import Language
from etude.world.lexicon import Lexeme
from etude.world.text import Word

TOPIC = (
    # past
    "yesterday the {agent} already {verb}+ed the {thing} in the {place}",
    "last week {person} {verb}+ed the {opposite} {thing}",
    "an hour ago the {agent} {verb}+ed some {opposite} {thing}+s and the {thing}",
    "{person} had already {verb}+ed the {quality} {thing} yesterday",
    # base
    "tomorrow the {agent} will {verb} the {thing} in the {place}",
    "next week {person} will {verb} the {opposite} {thing}",
    "soon the {agent} can {verb} some {opposite} {thing}+s and the {thing}",
    "{person} will soon {verb} the {quality} {thing} tomorrow",
    # third person, progressive
    "every day the {agent} often {verb}+s the {thing} at a {place}",
    "{person} always {verb}+s {opposite} {thing}+s for the {agent}",
    "now the {agent} is {verb}+ing the {thing} in the {place}",
    "{person} is still {verb}+ing the {opposite} {thing}",
    # no verb of the topic
    "the {agent} of the {place} is {quality} and {opposite}",
    "it is a {opposite} and {quality} {place} with {opposite} {thing}+s",
)

NATION = (
    "the {country_mark} of {country} is near the {custom}",
    "we saw a {country_mark} of {country} and the {custom}",
    "{country} and the {country_mark} of {country} are known for the {custom}",
    "the {capital_mark} of {capital} is near the {custom}",
    "we saw a {capital_mark} in {capital} and the {custom}",
    "they arrived in {capital} near the {capital_mark} to see the {custom}",
    "the {language_mark} of {language} has a name for the {custom}",
    "we read a {language_mark} of {language} about the {custom}",
    "they speak {language} and study a {language_mark} near the {custom}",
)

PEOPLE = (
    "the {he} with the {he_mark} is near the {belonging}",
    "he is a {he} and his {he_mark} is on the {belonging}",
    "the {belonging} of the {he} is beside his {he_mark}",
    "the {she} with the {she_mark} is near the {belonging}",
    "she is a {she} and her {she_mark} is on the {belonging}",
    "the {belonging} of the {she} is beside her {she_mark}",
)

FOOD = ("you must drink at least 3 cup+s of coffee a day to live",)


def inflect(lexeme: Lexeme, endings: tuple[str, ...]) -> Word:
    """Writes the endings after the word; a noun without a plural drops the -s."""
    if endings == ("s",) and lexeme.part == "noun" and not lexeme.plural:
        endings = ()
    morphemes = lexeme.morphemes + endings
    return Word("".join(morphemes), morphemes, lexeme.topic)


def finish(words: list[Word]) -> list[Word]:
    """Writes "an" for "a" before a vowel."""
    return [
        Word("an", ("an",)) if word.surface == "a" and following.surface[0] in "aeiou" else word
        for word, following in zip(words, [*words[1:], words[-1]], strict=True)
    ]


TEMPLATES = {"topic": TOPIC, "nation": NATION, "people": PEOPLE, "food": FOOD}
ENGLISH = Language(TEMPLATES, inflect, finish, citation={}, tenses=((), ("ed",)))
