"""A lesson's expected metrics table, expected.csv: what a right answer reaches, measured over seeds.

One row is one metric in one profile. The interval [low, high] is the tolerance interval that `grader calibrate` wrote;
points fall off outside it by distance. The student's notebook shows the table, the grader scores with it.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

BETTER = ("higher", "lower", "near")


@dataclass(frozen=True)
class Expected:
    """One row.

    Attributes:
        better: higher (only `low` binds), lower (only `high` binds) or near (both bind).
    """

    metric: str
    profile: str
    mean: float
    sd: float
    seeds: int
    low: float
    high: float
    better: str
    points: float
    paper: str
    source: str
    provenance: str

    @property
    def measured(self) -> bool:
        """Whether the row has an interval yet."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def distance(self, value: float) -> float:
        """Measures how far outside the interval `value` lies, in widths of it; 0 inside or without an interval, inf for NaN."""
        if math.isnan(value):
            return math.inf
        if not self.measured:
            return 0.0
        # A metric without spread has an interval without width, and the file keeps six digits of both ends.
        rounding = 1e-5 * max(abs(self.low), abs(self.high))
        below = self.low - rounding - value if self.better != "lower" else 0.0
        above = value - rounding - self.high if self.better != "higher" else 0.0
        return max(0.0, below, above) / max(self.high - self.low, rounding, 1e-9)

    def share(self, value: float) -> float:
        """Returns the share of the points that `value` earns: 1 inside, falling in a straight line to 0 one width outside."""
        return max(0.0, 1.0 - self.distance(value))


COLUMNS = [field.name for field in fields(Expected)]
NUMBERS = {field.name: field.type for field in fields(Expected) if field.type in ("float", "int")}


def read(path: Path) -> list[Expected]:
    """Reads the rows of expected.csv.

    Raises:
        ValueError: the table makes no sense; the message names file, line and what is wrong.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:  # a spreadsheet puts a byte order mark first
        lines = csv.DictReader(file)
        if lines.fieldnames != COLUMNS:
            raise ValueError(f"{path}: the columns are {lines.fieldnames}, expected {COLUMNS}")
        rows = [_row(line, f"{path}, line {lines.line_num}") for line in lines]
    names: set[tuple[str, str]] = set()
    for row in rows:
        if (row.metric, row.profile) in names:
            raise ValueError(f"{path}: {row.metric} has two rows for the profile {row.profile}, expected one")
        names.add((row.metric, row.profile))
    return rows


def _row(line: dict[str, Any], where: str) -> Expected:
    if None in line or None in line.values():  # how csv marks cells without a column and columns without a cell
        raise ValueError(f"{where}: there are too few or too many cells, expected {len(COLUMNS)}")
    numbers: dict[str, Any] = {name: _number(line[name], f"{where}: {name}", kind) for name, kind in NUMBERS.items()}
    row = Expected(**{**line, **numbers})
    if row.better not in BETTER:
        raise ValueError(f"{where}: {row.metric} has better={row.better!r}, expected one of {', '.join(BETTER)}")
    if not 0 <= row.points < math.inf or row.seeds < 0:
        raise ValueError(f"{where}: {row.metric} has {row.points:g} points, {row.seeds} seeds, expected none below 0")
    empty = math.isnan(row.low) and math.isnan(row.high)
    if not empty and not -math.inf < row.low <= row.high < math.inf:
        raise ValueError(f"{where}: {row.metric} has low {row.low:g} and high {row.high:g}, expected low ≤ high")
    return row


def _number(text: str, where: str, kind: Any) -> float:
    """Reads the number of a cell. An empty cell has not been measured yet: NaN."""
    try:
        return int(text) if kind == "int" else float(text or "nan")
    except ValueError:
        raise ValueError(f"{where} is {text!r}, expected a {'whole ' if kind == 'int' else ''}number") from None


def write(path: Path, rows: list[Expected]) -> None:
    """Writes the table, numbers with six significant digits."""
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        lines.writerows([_cell(getattr(row, name)) for name in COLUMNS] for row in rows)


def _cell(value: str | float) -> str:
    return value if isinstance(value, str) else "" if math.isnan(value) else f"{value:.6g}"


def of_profile(rows: list[Expected], profile: str) -> dict[str, Expected]:
    """Picks the rows of one profile: metric → row."""
    return {row.metric: row for row in rows if row.profile == profile}
