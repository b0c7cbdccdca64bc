"""Where two values part: what a student's code gave beside what a check expects.

A student's value may raise when it is read or compared: `first_difference` and `same` let none of that out.
Knows nothing of checks, notebooks or grading.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

import numpy as np

from etude.lesson.values import describe, is_array, is_tensor, plain, text, to_numpy, with_article

AROUND = 20  # characters shown on each side of the place where two long texts part
AROUND_MARKS = 3  # and where they look the same, so that each is shown with its code point
MOST_NORMALIZED = 1000  # characters of a string whose normal form is looked at


def first_difference(actual: Any, expected: Any) -> str | None:
    """Says in a sentence where two plain values first part; None if nowhere.

    Types are compared as `plain` gives them: 1 and True differ, as do lists and tuples. A frozenset is a set. NaN is
    equal to nothing.
    """
    try:
        return _difference(actual, expected, "")
    except Exception as error:
        return f"{with_article(actual)} that cannot be compared with {with_article(expected)}: {describe(error)}"


def same(actual: Any, expected: Any) -> bool:
    """Tells whether `first_difference` finds none."""
    return first_difference(actual, expected) is None


def _difference(actual: Any, expected: Any, place: str) -> str | None:
    at = f" at {place}" if place else ""
    actual, expected = plain(actual), plain(expected)
    if is_array(expected) and is_array(actual) and is_tensor(expected) == is_tensor(actual):
        return _array_difference(actual, expected, place)
    if isinstance(actual, set | frozenset) and isinstance(expected, set | frozenset):
        return _key_difference(actual, expected, place)
    if type(actual) is not type(expected):
        return f"{with_article(actual)}{at}, expected {with_article(expected)}"
    if isinstance(expected, list | tuple):
        for i, (a, b) in enumerate(zip(actual, expected, strict=False)):
            if difference := _difference(a, b, f"{place}[{i}]"):
                return difference
        return None if len(actual) == len(expected) else f"{len(actual)} elements{at}, expected {len(expected)}"
    if isinstance(expected, dict):
        return _key_difference(actual, expected, place)
    if actual == expected:
        return None
    here, there = _told_apart(actual, expected)
    return f"{here}{at}, expected {there}"


def _key_difference(actual: Any, expected: Any, place: str) -> str | None:
    """Says where two dictionaries or two sets part. Keys are looked up by hash, but 1 and True differ as keys too."""
    at = f" at {place}" if place else ""
    name = "the key" if isinstance(expected, dict) else "the element"
    own = {key: key for key in actual}
    for key in expected:
        if key not in own:
            twin = _looks_like(key, own)
            return f"{name} {describe(key)} is missing{at}" if twin is None else _other_key(name, twin, key, at)
        if _difference(own[key], key, ""):
            return _other_key(name, own[key], key, at)
    if extra := [key for key in own if key not in expected]:
        return f"{name} {describe(extra[0])}{at} was not expected"
    if isinstance(expected, dict):
        for key, value in expected.items():
            if difference := _difference(actual[key], value, f"{place}[{describe(key)}]"):
                return difference
    return None


def _other_key(name: str, actual: Any, expected: Any, at: str) -> str:
    here, there = _told_apart(actual, expected)
    return f"{name} {here}{at}, expected {there}"


def _looks_like(key: Any, others: Iterable[Any]) -> str | None:
    """Finds the text among `others` that reads as `key` does, in other code points."""
    if not isinstance(key, str):
        return None
    return next((other for other in others if isinstance(other, str) and _look_alike(other, key)), None)


def _array_difference(actual: Any, expected: Any, place: str) -> str | None:
    if actual.shape != expected.shape:
        at = f" at {place}" if place else ""
        return f"the shape{at} is {tuple(actual.shape)}, expected {tuple(expected.shape)}"
    have, want = (to_numpy(x) if is_tensor(x) else x for x in (actual, expected))
    wrong = np.asarray(have != want, dtype=bool)
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    here, there = _told_apart(plain(have[index]), plain(want[index]))
    return f"{here} at {place}{list(index)}, expected {there}"


def _told_apart(actual: Any, expected: Any) -> tuple[str, str]:
    """Shows both as `describe` does; where these look the same, what stands around the place where they part.

    Of two strings that read the same, as é in one code point and in two, the code points are shown.
    """
    here, there = describe(actual), describe(expected)
    if isinstance(actual, str) and isinstance(expected, str) and _look_alike(actual, expected):
        around = _around_parting(actual, expected, AROUND_MARKS)
        return _with_code_points(actual[around]), _with_code_points(expected[around])
    if here != there:
        return here, there
    here, there = text(actual), text(expected)
    around = _around_parting(here, there, AROUND)
    cut_off = "…" if around.start else ""
    return f"{cut_off}{here[around]}", f"{cut_off}{there[around]}"


def _around_parting(one: str, other: str, characters: int) -> slice:
    """Finds the characters on each side of the first place where two texts part."""
    parted = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return slice(max(0, parted - characters), parted + characters)


def _look_alike(one: str, other: str) -> bool:
    """Tells whether two different strings have one normal form, which takes a time quadratic in their accents to find."""
    if one == other or max(len(one), len(other)) > MOST_NORMALIZED:
        return False
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)


def _with_code_points(string: str) -> str:
    """Writes the string and its code points: 'é' (U+0065 U+0301)."""
    return f"{string!r} ({' '.join(f'U+{ord(character):04X}' for character in string)})"
