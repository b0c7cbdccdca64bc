"""The abstracts of the lesson on reading papers, and a reader's marks on them put in order.

Knows the sentences and how marks are written down; it must not know which marks are right in the graded part.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Literal

import pandas as pd

from etude.lesson.values import describe

LABELS = ("past", "problem", "solution", "evidence")
ABSTRACTS = files("etude_data").joinpath("reading", "abstracts.csv")
Part = Literal["practice", "graded"]
# Digits, perhaps with an exponent written as 2.3e19 or 2.3·10^19, and nothing behind that would change their value.
FIGURE = re.compile(r"\s*(\d+(?:\.\d+)?)(?:[eE]([-+]?\d+)|\s*[·×x*]\s*10(?:\^|\*\*)(\d+))?(?!\s*[\d.,·×*^/])")


class MarksError(ValueError):
    """Marks that do not fit the sentences; the message says which abstract and what to change."""


def sentences(part: Part) -> pd.DataFrame:
    """Reads the sentences of one part, a row each (columns: data/reading/README.md); label and reason are "" if graded."""
    table = pd.read_csv(io.StringIO(ABSTRACTS.read_text(encoding="utf-8")), keep_default_na=False)
    return table[table["part"] == part].reset_index(drop=True)


def in_order(marks: Mapping[str, str | Sequence[str]], part: Part) -> list[str]:
    """Puts marks in order: one label for each sentence of `sentences(part)`, in its order.

    Args:
        marks: abstract → its labels, as a list or as one string with blanks between them ("past problem solution").

    Raises:
        MarksError: the marks are no dictionary, an abstract is missing or not there, there are too few or too many labels,
            or a label is unknown.
    """
    if not isinstance(marks, Mapping):
        raise MarksError(f"the marks are {describe(marks)}: give a dictionary from each abstract's name to its labels")
    counts = sentences(part).groupby("abstract", sort=False).size()
    if missing := [name for name in counts.index if name not in marks]:
        raise MarksError(f"no marks for {', '.join(missing)}: each abstract needs a line of its own")
    if extra := [name for name in marks if name not in counts.index]:
        raise MarksError(f"{describe(extra[0])} is no abstract to be marked: there are {', '.join(counts.index)}")
    return [label for name, count in counts.items() for label in _labels(str(name), marks[str(name)], count)]


def _labels(name: str, given: str | Sequence[str], count: int) -> list[str]:
    labels = given.split() if isinstance(given, str) else given
    if not isinstance(labels, list | tuple):
        raise MarksError(f"{name}: {describe(given)} is neither a string of labels nor a list of them")
    for number, label in enumerate(labels, 1):
        if label not in LABELS:
            raise MarksError(f"{name}, sentence {number}: {describe(label)} is no label: choose {', '.join(LABELS)}")
    if len(labels) != count:
        raise MarksError(f"{name} has {count} sentences, and {len(labels)} labels: give one for each, in order")
    return list(labels)


def number(value: object) -> float:
    """Reads a figure of a card, given as a number or as a string with its unit behind: 8, "3.5 days", "2.3e19", "2.3·10^19".

    Raises:
        ValueError: it is anything else.
    """
    if isinstance(value, str) and (parts := FIGURE.match(value)):
        return float(f"{parts[1]}e{parts[2] or parts[3] or 0}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{describe(value)} is not a number: give one such as 3.5, or '3.5 days'")
