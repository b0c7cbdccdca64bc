"""A string where a list of strings is asked for, and what is no string where one is: Python would often say nothing.

To Python a string is a list of letters, and bytes are a list of numbers.

This module must not know what the strings are for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def refuse_string(value: object, advice: str) -> None:
    """Raises ValueError with the advice if the value is one string, which would be taken for a list of its letters."""
    if isinstance(value, str):
        raise ValueError(f"{value[:40]!r} is a string: {advice}")


def check_string(value: object, name: str) -> None:
    """Raises ValueError unless the value is one string: None, bytes and a list of strings are none."""
    if not isinstance(value, str):
        advice = "decode bytes first" if isinstance(value, (bytes, bytearray)) else "give one string"
        raise ValueError(f"the {name} {repr(value)[:40]} is no string: {advice}")


def items(values: Iterable[Item], name: str) -> Iterator[Item]:
    """Returns an iterator over the values, of which a string would be one over its letters.

    Raises:
        ValueError: the values are bytes, which would be taken for numbers, or nothing that can be read one by one, as None.
    """
    if not isinstance(values, (bytes, bytearray)):
        try:
            return iter(values)
        except TypeError:
            pass
    raise ValueError(f"{repr(values)[:40]} is no list of {name}: give a list of them")
