"""Printed figures as intervals: what may have been rounded to them, and arithmetic on that. It reads data/papers; it knows no claim.

A figure stands for every number that rounds to it. A claim does not follow from printed figures only if no such numbers fit it.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

import pandas as pd

from etude.papers import tables

papers = tables.table
UNITS = {"": 0, "M": 6, "B": 9}
Interval = tuple[Decimal, Decimal]


def figure(paper: str, name: str, where: str = "") -> str:
    """A single figure from the text of a paper, by the beginning of the paper's name and of the place."""
    rows = papers("figures")
    [value] = rows[rows.paper.str.startswith(paper) & (rows.figure == name) & rows["where"].str.startswith(where)].value
    return str(value)


def row(table: pd.DataFrame, key: str | tuple[str, ...]) -> pd.Series[str]:
    """Gives the only row of this name; its cells as they were printed."""
    found = table.xs(key)
    assert isinstance(found, pd.Series), key
    return found


def number(text: str) -> Decimal:
    """A printed number: 28.4, 2.2e-5, 117M, 175.0B; its exponent is that of its last digit."""
    digits = text.rstrip("MB")
    return Decimal(digits).scaleb(UNITS[text[len(digits) :]])


def around(value: Decimal) -> Interval:
    half = Decimal(5).scaleb(int(value.as_tuple().exponent) - 1)
    return value - half, value + half


def printed(text: str) -> Interval:
    """What may have been rounded to this text: half a unit of its last digit to both sides."""
    return around(number(text))


def rough(text: str) -> Interval:
    """The same, but zeros at the end of a whole number may be rounding too: 110M stands for 105 to 115 million."""
    return printed(text) if "." in text else around(number(text).normalize())


def cut_off(text: str) -> Interval:
    """What may have been cut off to this text (of a positive number): up to one unit of its last digit more."""
    value = number(text)
    return value, value + Decimal(1).scaleb(int(value.as_tuple().exponent))


def difference(one: Interval, other: Interval) -> Interval:
    return one[0] - other[1], one[1] - other[0]


def product(*factors: Interval) -> Interval:
    """Of positive intervals."""
    low, high = Decimal(1), Decimal(1)
    for factor in factors:
        low, high = low * factor[0], high * factor[1]
    return low, high


def ratio(above: Interval, below: Interval) -> Interval:
    """Of positive intervals."""
    return above[0] / below[1], above[1] / below[0]


def mean(intervals: Iterable[Interval]) -> Interval:
    lows, highs = zip(*intervals, strict=True)
    return sum(lows, Decimal(0)) / len(lows), sum(highs, Decimal(0)) / len(highs)


def exactly(value: int | str) -> Interval:
    """A number that was not rounded: a count, a definition."""
    return Decimal(value), Decimal(value)


def overlap(one: Interval, other: Interval) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
