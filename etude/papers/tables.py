"""The tables that papers print, as data: `papers.table("glove_table1")`, cells as text, because the last digit counts.

`planted` makes tables of the same kind in which the misprints are known. data/papers/README.md says where each published
table comes from. This module knows no paper and judges no number.
"""

from __future__ import annotations

import difflib
import io
import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files

import pandas as pd

FOLDER = files("etude_data").joinpath("papers")
RULES: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "sum": lambda parts: sum(parts, Fraction(0)),
    "mean": lambda parts: sum(parts, Fraction(0)) / len(parts),
    "difference": lambda parts: parts[0] - parts[1],
    "ratio": lambda parts: parts[0] / parts[1],
}
MISPRINTED = 0.25  # share of the rows of a planted table


class UnknownTable(Exception):
    """There is no published table of this name; the message says which there are."""


def names() -> list[str]:
    """Lists the names of all published tables, in alphabetical order."""
    return sorted(file.name.removesuffix(".csv") for file in FOLDER.iterdir() if file.name.endswith(".csv"))


def table(name: str) -> pd.DataFrame:
    """Reads a published table: every cell a string as it was printed, "" where nothing was.

    Raises:
        UnknownTable: no published table is called so.
    """
    if name not in names():
        close = difflib.get_close_matches(name, names(), n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(names())}."
        raise UnknownTable(f"No published table is called {name!r}: {hint}")
    text = FOLDER.joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


@dataclass(frozen=True)
class Planted:
    """A made table.

    Attributes:
        claimed: the column that follows by `rule` from the columns `parts`.
        misprints: the rows in which it does not.
    """

    table: pd.DataFrame
    claimed: str
    rule: str
    parts: list[str]
    misprints: set[str]


def planted(seed: int) -> Planted:
    """Makes a table of 6 to 9 rows as it would be printed, its misprints known; the same seed gives the same table.

    The true numbers have more digits than are printed, and the claimed column was computed from the true ones, as in a
    paper. A misprint is one slip in one cell of the row: a digit is another one, or two neighbours are exchanged.
    """
    chance = random.Random(seed)
    rule = chance.choice(list(RULES))
    parts = [f"part {i + 1}" for i in range(chance.randint(3, 6) if rule in ("sum", "mean") else 2)]
    places = chance.choice((1, 2))  # digits after the point
    cells, misprints = {}, set()
    for name in (f"row {i + 1}" for i in range(chance.randint(6, 9))):
        true = sorted((Fraction(chance.randint(10_000, 99_999), 1000) for _ in parts), reverse=len(parts) == 2)
        printed = [_printed(number, places) for number in [*true, RULES[rule](true)]]
        if chance.random() < MISPRINTED:
            slipped = chance.randrange(len(printed))
            printed[slipped] = _slip(printed[slipped], chance)
            misprints.add(name)
        cells[name] = printed
    return Planted(pd.DataFrame.from_dict(cells, orient="index", columns=[*parts, rule]), rule, rule, parts, misprints)


def _printed(number: Fraction, places: int) -> str:
    return str(round(Decimal(number.numerator) / Decimal(number.denominator), places))


def _slip(printed: str, chance: random.Random) -> str:
    """Replaces one digit of the text by another one, or exchanges two different neighbours."""
    digits = [i for i, character in enumerate(printed) if character.isdigit()]
    replaced = [printed[:i] + digit + printed[i + 1 :] for i in digits for digit in "0123456789"]
    swapped = [
        printed[:i] + printed[j] + printed[i + 1 : j] + printed[i] + printed[j + 1 :]
        for i, j in itertools.pairwise(digits)
    ]
    kinds = [[slip for slip in kind if _looks_right(slip) and slip != printed] for kind in (replaced, swapped)]
    return chance.choice(chance.choice([kind for kind in kinds if kind]))


def _looks_right(number: str) -> bool:
    """Tells whether no zero stands in front: everyone would see that slip."""
    return number[0] != "0" or number[1] == "."
