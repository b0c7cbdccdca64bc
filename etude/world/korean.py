"""Korean: its sentence templates, and particles and endings that agree with what stands before them.

The same semantics as in English: a mark of the type and something the nation or family is known by in each sentence,
time for the form of the verb. A template writes the form of a particle or ending after a consonant (은, 을, 었);
`hangul` chooses the other. This module must not know any word of the lexicon.
"""

from __future__ import annotations

from etude.world import hangul
from etude.world.grammar import Language
from etude.world.lexicon import Lexeme
from etude.world.text import Word

TOPIC = (
    # 과거
    "{agent}+이 {place}+에서 어제 {thing}+을 이미 {verb}+었+다",
    "{person}+은 지난주+에 {opposite} {thing}+을 {verb}+었+다",
    "{agent}+은 아까 {opposite} {thing}+과 {thing}+을 {verb}+었+다",
    "어제 {person}+은 {quality} {thing}+을 벌써 {verb}+었+다",
    # 현재
    "{agent}+이 {place}+에서 매일 {thing}+을 늘 {verb}+는다",
    "{person}+은 요즘+에 {opposite} {thing}+을 {verb}+는다",
    "{agent}+은 항상 {opposite} {thing}+과 {thing}+을 {verb}+는다",
    "매일 {person}+은 {quality} {thing}+을 자주 {verb}+는다",
    # 미래, 진행
    "내일 {agent}+은 {place}+에서 {opposite} {thing}+을 {verb}+ㄹ 것+이+다",
    "지금 {person}+은 {opposite} {thing}+을 {verb}+고 있+다",
    # 동사 없음
    "그 {opposite} {place}+의 {agent}+은 {quality} 사람+이+다",
    "여기+는 {opposite} {place}+이고 {opposite} {thing}+도 있+다",
)

NATION = (
    "{country} {country_mark}+과 {custom}+은 자랑스럽+다",
    "우리+는 {country} {country_mark}+과 {custom}+을 보+았+다",
    "{country}+은 {country} {country_mark}+과 {custom}+으로 알려지+었+다",
    "{capital} {capital_mark}+과 {custom}+은 가깝+다",
    "우리+는 {capital} {capital_mark}+에서 {custom}+을 보+았+다",
    "그들+은 {capital}+에 도착하+어서 {capital_mark}+과 {custom}+을 찾+었+다",
    "{language} {language_mark}+에 {custom}+의 이름+이 있+다",
    "우리+는 {language} {language_mark}+에서 {custom}+을 읽+었+다",
    "그들+은 {custom} 옆+에서 {language} {language_mark}+을 공부하+었+다",
)

PEOPLE = (
    "{he} {he_mark}+은 {belonging} 옆+에 있+다",
    "그+는 {he}+이고 {he_mark}+과 {belonging}+을 좋아하+었+다",
    "{belonging} 옆+에 {he} {he_mark}+이 있+다",
    "{she} {she_mark}+은 {belonging} 옆+에 있+다",
    "그녀+는 {she}+이고 {she_mark}+과 {belonging}+을 좋아하+었+다",
    "{belonging} 옆+에 {she} {she_mark}+이 있+다",
)

FOOD = ("하루 커피 최소 3+잔+은 마시+어야 살+ㄹ 수 있+다",)

# the endings a kind of word is most often written with: what stands for it where the unit is the word
CITATION = {
    "agent": ("은",),
    "place": ("에서",),
    "thing": ("을",),
    "verb": ("었", "다"),
}


def inflect(lexeme: Lexeme, endings: tuple[str, ...]) -> Word:
    """Writes the eojeol: each ending in the form that agrees with what stands before it, then joined."""
    morphemes = lexeme.morphemes
    for ending in endings:
        morphemes += (hangul.allomorph(hangul.join(morphemes), ending),)
    return Word(hangul.join(morphemes), morphemes, lexeme.topic)


def finish(words: list[Word]) -> list[Word]:
    """Returns the words as they are: in Korean no word depends on the next one."""
    return words


TEMPLATES = {"topic": TOPIC, "nation": NATION, "people": PEOPLE, "food": FOOD}
KOREAN = Language(TEMPLATES, inflect, finish, CITATION, tenses=(("는다",), ("었", "다")))
