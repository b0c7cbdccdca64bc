"""The truth about the world, read off the lexicon: analogies, similarities, homonyms.

Nothing here looks at a text, so a lesson can hold what it learned from the text against it.
This module must not know how text is generated.
"""

from __future__ import annotations

from itertools import combinations, permutations

from etude.world.grammar import Language
from etude.world.lexicon import Lexeme, Lexicon
from etude.world.text import Unit

Question = tuple[str, str, str, str]


def written(lexeme: Lexeme, language: Language, unit: Unit) -> str:
    """Returns the token that stands for a lexeme: its stem among morphemes, its most frequent written form among words."""
    if unit == "morpheme":
        return lexeme.stem
    return language.inflect(lexeme, language.citation.get(lexeme.kind, ())).surface


def analogies(lexicon: Lexicon, language: Language, unit: Unit) -> dict[str, list[Question]]:
    """Makes questions of all ordered pairs of pairs of each relation."""

    def token(lexeme: Lexeme) -> str:
        return written(lexeme, language, unit)

    pairs = {
        "capital": [(token(n.members[0]), token(n.members[1])) for n in lexicon.nations],
        "language": [(token(n.members[0]), token(n.members[2])) for n in lexicon.nations],
        "gender": [(token(c.members[0]), token(c.members[1])) for c in lexicon.couples],
        "tense": [
            (language.inflect(verb, language.tenses[0]).surface, language.inflect(verb, language.tenses[1]).surface)
            for topic in lexicon.topics
            for verb, _ in topic.verbs
        ],
        "control": [(token(first), token(second)) for first, second in lexicon.opposites],
    }
    if unit == "morpheme":
        del pairs["tense"]
    return {name: [(*first, *second) for first, second in permutations(words, 2)] for name, words in pairs.items()}


def homonyms(lexicon: Lexicon) -> dict[str, tuple[str, str]]:
    """Finds the stems that stand under two topics.

    Returns:
        Stem → its two topics.
    """
    topics: dict[str, list[str]] = {}
    for lexeme in lexicon.lexemes():
        if lexeme.topic:
            topics.setdefault(lexeme.stem, []).append(lexeme.topic)
    return {stem: (meanings[0], meanings[1]) for stem, meanings in topics.items() if len(meanings) > 1}


def similarities(lexicon: Lexicon, language: Language, unit: Unit) -> list[tuple[str, str, float]]:
    """Lists all pairs of agents, places and things within a topic, and as many across two topics; no homonyms.

    Returns:
        (word, word, truth) for each pair. The truth is 3 for the same kind in the same role (two agents, two places, things
        of one verb), 2 for things of different verbs of a topic, 1 for different kinds of a topic, 0 for different topics.
    """
    ambiguous = homonyms(lexicon)
    verb_of = {thing: verb for topic in lexicon.topics for verb, things in topic.verbs for thing in things}
    words = {
        topic.name: [
            lexeme
            for lexeme in (*topic.agents, *topic.places, *(t for _, things in topic.verbs for t in things))
            if lexeme.stem not in ambiguous
        ]
        for topic in lexicon.topics
    }
    pairs: list[tuple[str, str, float]] = []
    names = list(words)
    for name, following in zip(names, [*names[1:], names[0]], strict=True):
        for number, (lexeme, partner) in enumerate(combinations(words[name], 2)):
            if lexeme.kind != partner.kind:
                truth = 1.0
            else:
                truth = 3.0 if lexeme.kind != "thing" or verb_of[lexeme] is verb_of[partner] else 2.0
            strangers = [word for word in words[following] if word.kind == partner.kind]
            stranger = strangers[number % len(strangers)]
            left = written(lexeme, language, unit)
            pairs.append((left, written(partner, language, unit), truth))
            pairs.append((left, written(stranger, language, unit), 0.0))
    return pairs
