"""A lesson's expected metrics table, expected.csv: what a right answer reaches, measured over seeds.

One row is one metric in one profile. The interval [low, high] is the tolerance interval that `grader calibrate` wrote;
points fall off outside it by distance. The student's notebook shows the table, the grader scores with it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import pandas as pd

BETTER = ("higher", "lower", "near")


@dataclass(frozen=True)
class Expected:
    """One row. `better`: higher (only `low` binds), lower (only `high` binds) or near (both bind)."""

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

    def distance(self, value: float) -> float:
        """How far outside the interval `value` lies, in widths of the interval; 0 inside, inf for NaN."""
        if value != value:
            return float("inf")
        below = max(0.0, self.low - value) if self.better != "lower" else 0.0
        above = max(0.0, value - self.high) if self.better != "higher" else 0.0
        outside = below + above
        return outside / max(self.high - self.low, 1e-9) if outside else 0.0

    def share(self, value: float) -> float:
        """The share of the points that `value` earns: 1 inside, falling in a straight line to 0 one width outside."""
        return max(0.0, 1.0 - self.distance(value))


COLUMNS = [field.name for field in fields(Expected)]


def read(path: Path) -> list[Expected]:
    """The rows of expected.csv. Raises ValueError, naming the file and what is wrong, for a table that makes no sense."""
    frame = pd.read_csv(path, dtype={"paper": str, "source": str, "provenance": str}, keep_default_na=False, na_values={
        "mean": [""], "sd": [""], "low": [""], "high": [""]})
    if list(frame.columns) != COLUMNS:
        raise ValueError(f"{path}: the columns are {list(frame.columns)}, expected {COLUMNS}")
    rows = [Expected(**{str(k): v for k, v in row.items()}) for row in frame.to_dict("records")]
    for row in rows:
        if row.better not in BETTER:
            raise ValueError(f"{path}: {row.metric} has better={row.better!r}, expected one of {', '.join(BETTER)}")
    return rows


def write(path: Path, rows: list[Expected]) -> None:
    """Writes the table, floats to four significant digits after the point."""
    pd.DataFrame([vars(row) for row in rows], columns=COLUMNS).to_csv(path, index=False, float_format="%.6g", lineterminator="\n")


def of_profile(rows: list[Expected], profile: str) -> dict[str, Expected]:
    """Metric → row, for one profile."""
    return {row.metric: row for row in rows if row.profile == profile}
