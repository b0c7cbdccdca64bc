"""Sentence pairs in English and Korean that say the same: what a model of translation is trained on.

A pair of templates says how each language puts it; both are filled with the same entries of the dictionary, which stand in the
same order in both lexicons. A homonym of one language is two words in the other (bank: 은행 or 강둑; 눈: eye or snow), and which
one is meant shows only in the other words of the sentence.
"""

from __future__ import annotations

from dataclasses import replace

from etude.world.chance import Chance
from etude.world.english import ENGLISH
from etude.world.grammar import Frame, Grammar, Language
from etude.world.korean import KOREAN
from etude.world.lexicon import Family, Lexemes, Topic, load
from etude.world.text import Sentence

Pair = tuple[Sentence, Sentence]  # English, Korean

TOPIC = (
    (
        "yesterday the {agent} {verb}+ed the {thing} in the {place}",
        "어제 {agent}+이 {place}+에서 {thing}+을 {verb}+었+다",
    ),
    (
        "tomorrow the {agent} will {verb} the {thing} in the {place}",
        "내일 {agent}+이 {place}+에서 {thing}+을 {verb}+ㄹ 것+이+다",
    ),
    ("now the {agent} is {verb}+ing the {opposite} {thing}", "지금 {agent}+이 {opposite} {thing}+을 {verb}+고 있+다"),
    ("every day {person} {verb}+s the {opposite} {thing}", "매일 {person}+은 {opposite} {thing}+을 {verb}+는다"),
    (
        "last week {person} {verb}+ed the {thing} and the {other}",
        "지난주+에 {person}+은 {thing}+과 {other}+을 {verb}+었+다",
    ),
    ("the {agent} of the {place} always {verb}+s the {thing}", "{place}+의 {agent}+은 항상 {thing}+을 {verb}+는다"),
    ("{person} is a {quality} {agent}", "{person}+은 {quality} {agent}+이다"),
    ("the {quality} {agent} already {verb}+ed the {thing}", "{quality} {agent}+이 이미 {thing}+을 {verb}+었+다"),
    ("the {opposite} {thing} is in the {place}", "{opposite} {thing}+은 {place}+에 있+다"),
)

NATION = (
    ("the {country_mark} of {country} is near the {custom}", "{country} {country_mark}+은 {custom} 옆+에 있+다"),
    (
        "we saw the {capital_mark} and the {custom} in {capital}",
        "우리+는 {capital}+에서 {capital_mark}+과 {custom}+을 보+았+다",
    ),
    ("{country} is known for the {custom}", "{country}+은 {custom}+으로 알려지+었+다"),
    (
        "they arrived in {capital} and visited the {capital_mark}",
        "그들+은 {capital}+에 도착하+어서 {capital_mark}+을 찾+었+다",
    ),
    ("they studied the {language_mark} of {language}", "그들+은 {language} {language_mark}+을 공부하+었+다"),
)

PEOPLE = (
    ("the {he_mark} of the {he} is near the {belonging}", "{he} {he_mark}+은 {belonging} 옆+에 있+다"),
    ("he is a {he} and liked the {he_mark} and the {belonging}", "그+는 {he}+이고 {he_mark}+과 {belonging}+을 좋아하+었+다"),
    ("the {she_mark} of the {she} is near the {belonging}", "{she} {she_mark}+은 {belonging} 옆+에 있+다"),
    ("she is a {she} and liked the {she_mark} and the {belonging}", "그녀+는 {she}+이고 {she_mark}+과 {belonging}+을 좋아하+었+다"),
)  # fmt: skip

KINDS = {"topic": TOPIC, "nation": NATION, "people": PEOPLE}


def parallel(count: int, seed: int = 0) -> list[Pair]:
    """Writes pairs of one meaning, English and Korean, with nothing off topic. A longer list begins with the shorter one.

    Raises:
        ValueError: the count is less than 1, or the seed is no integer of 0 or more.
    """
    if count < 1:
        raise ValueError(f"count is {count}; ask for 1 pair or more.")
    chance = Chance(seed)
    english, korean = load("en"), load("ko")
    twins = dict(zip(english.lexemes(), korean.lexemes(), strict=True))
    grammars = [
        Grammar(_numbered(language, column), lexicon, noise=0.0)
        for column, (language, lexicon) in enumerate([(ENGLISH, english), (KOREAN, korean)])
    ]
    opposites = tuple(word for pair in english.opposites for word in pair)
    # A topic comes as often as all nations: it has as much to say.
    subjects: list[Topic | tuple[Family, ...]] = [*english.topics, *(english.nations, english.couples)]
    pairs = []
    for _ in range(count):
        subject = chance.pick(subjects)
        if isinstance(subject, Topic):
            kind, frame = "topic", _scene(subject, chance)
            frame |= {"person": english.names, "opposite": opposites}
        else:
            family = chance.pick(subject)
            kind, frame = str(family.members[0].topic), {f"{kind}_mark": marks for kind, marks in english.marks.items()}
            frame |= {member.kind: (member,) for member in family.members}
            frame |= {family.known_by[0].kind: family.known_by}
        chosen = {slot: chance.pick(candidates) for slot, candidates in frame.items()}
        place = f"{kind} {chance.below(len(KINDS[kind]))}"
        frames: list[Frame] = [{slot: (word,) for slot, word in chosen.items()}]
        frames.append({slot: (twins[word],) for slot, word in chosen.items()})
        first, second = (
            grammar.sentence((place,), frame, chance) for grammar, frame in zip(grammars, frames, strict=True)
        )
        pairs.append((first, second))
    return pairs


def _scene(topic: Topic, chance: Chance) -> dict[str, Lexemes]:
    """Draws a verb and two different things that it is done to; anyone, anywhere."""
    verb, things = chance.pick(topic.verbs)
    first = chance.below(len(things))
    return {
        "agent": topic.agents,
        "place": topic.places,
        "quality": topic.qualities,
        "verb": (verb,),
        "thing": (things[first],),
        "other": (things[(first + 1 + chance.below(len(things) - 1)) % len(things)],),
    }


def _numbered(language: Language, column: int) -> Language:
    """Gives the language this module's templates, each under a name of its own: "topic 0", "topic 1" and so on."""
    templates: dict[str, tuple[str, ...]] = {
        f"{kind} {number}": (pair[column],) for kind, pairs in KINDS.items() for number, pair in enumerate(pairs)
    }
    return replace(language, templates=templates)
