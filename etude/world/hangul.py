"""Hangul arithmetic: final consonants, and how a Korean ending joins what stands before it.

A syllable is 0xAC00 + (onset * 21 + vowel) * 28 + final. The rules are those of regular stems (Standard Korean
orthography, articles 15, 18 and 34 to 36). This module must not know any word.
"""

from __future__ import annotations

_BASE, _VOWELS_A_SYLLABLE, _FINALS = 0xAC00, 21, 28
_VOWEL = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINAL = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"

# stem vowel + vowel of the ending -> vowel of the one syllable they make
_CONTRACTION = {
    **{"ㅏㅏ": "ㅏ", "ㅓㅓ": "ㅓ", "ㅐㅓ": "ㅐ", "ㅔㅓ": "ㅔ", "ㅡㅏ": "ㅏ", "ㅡㅓ": "ㅓ"},  # one of two stays
    **{"ㅗㅏ": "ㅘ", "ㅜㅓ": "ㅝ", "ㅣㅓ": "ㅕ"},
}

# canonical morpheme -> (after a final consonant, after a vowel)
_BY_FINAL = {
    "은": ("은", "는"),
    "이": ("이", "가"),
    "을": ("을", "를"),
    "과": ("과", "와"),
    "는다": ("는다", "ㄴ다"),
    "으로": ("으로", "로"),
    "ㄹ": ("을", "ㄹ"),
}
_VOWEL_FORM_AFTER_RIEUL = ("으로", "ㄹ")  # 서울 + 으로 is 서울로, 살 + ㄹ is 살
# canonical morpheme -> (after a bright vowel ㅏ or ㅗ, after any other vowel, after 하)
_BY_VOWEL = {"었": ("았", "었", "였"), "어야": ("아야", "어야", "여야"), "어서": ("아서", "어서", "여서")}


def is_syllable(character: str) -> bool:
    """Tells whether the character is a whole Hangul syllable, 가 to 힣."""
    return "가" <= character <= "힣"


def split(syllable: str) -> tuple[int, str, str]:
    """Splits one syllable into its onset (its number), its vowel and its final consonant (" " for none)."""
    code = ord(syllable) - _BASE
    onset, rest = divmod(code, _VOWELS_A_SYLLABLE * _FINALS)
    return onset, _VOWEL[rest // _FINALS], _FINAL[rest % _FINALS]


def compose(onset: int, vowel: str, final: str = " ") -> str:
    """Composes the syllable of an onset (its number), a vowel and a final consonant."""
    return chr(_BASE + (onset * _VOWELS_A_SYLLABLE + _VOWEL.index(vowel)) * _FINALS + _FINAL.index(final))


def has_final(text: str) -> bool:
    """Tells whether the last syllable ends in a consonant (서울: yes, 도쿄: no)."""
    return split(text[-1])[2] != " "


def allomorph(stem: str, morpheme: str) -> str:
    """Chooses the form that a morpheme takes after a stem: 은 or 는, 었 or 았 or 였; itself where it has one form only."""
    if morpheme in _BY_FINAL:
        after_consonant, after_vowel = _BY_FINAL[morpheme]
        if morpheme in _VOWEL_FORM_AFTER_RIEUL and split(stem[-1])[2] == "ㄹ":
            return after_vowel
        return after_consonant if has_final(stem) else after_vowel
    if morpheme in _BY_VOWEL:
        bright, other, after_ha = _BY_VOWEL[morpheme]
        if stem.endswith("하"):
            return after_ha
        vowel = split(stem[-1])[1]
        if vowel == "ㅡ" and len(stem) > 1 and not has_final(stem):
            vowel = split(stem[-2])[1]  # 모으 + 었 is 모았: the vowel that stays decides
        return bright if vowel in "ㅏㅗ" else other
    return morpheme


def join(morphemes: tuple[str, ...]) -> str:
    """Joins morphemes to the written word: 마시 + 었 + 다 is 마셨다, 길 + ㄴ is 긴, 서울 + 은 is 서울은."""
    text = morphemes[0]
    for morpheme in morphemes[1:]:
        text = _attach(text, morpheme)
    return text


def _attach(text: str, morpheme: str) -> str:
    if not is_syllable(text[-1]):
        return text + morpheme  # 3 + 잔
    onset, vowel, final = split(text[-1])
    head, rest = text[:-1], morpheme[1:]
    if not is_syllable(morpheme[0]):  # a lone consonant goes under the last syllable
        if final not in (" ", "ㄹ"):
            raise ValueError(f"{morpheme} cannot follow {text}, which has a final consonant; write the form in full.")
        return head + compose(onset, vowel, morpheme[0]) + rest
    next_onset, next_vowel, next_final = split(morpheme[0])
    if final != " " or next_onset != split("아")[0]:
        return text + morpheme
    if text.endswith("하") and next_vowel == "ㅕ":
        return head + compose(onset, "ㅐ", next_final) + rest  # 하 + 였 is 했
    contracted = _CONTRACTION.get(vowel + next_vowel)
    if contracted is None or morpheme[0] not in "아어았었":
        return text + morpheme
    return head + compose(onset, contracted, next_final) + rest
