"""How a class did on each exercise of a lesson: the words of test theory, computed by pandas.

An item is an exercise, or the lesson's metrics together. Only notebooks that could be read count: a file that was refused
says nothing of any exercise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import pandas as pd

from grader.grading.verdict import Verdict

FEWEST = 10  # students below whom a correlation is chance
LOW = 0.2  # a discrimination below it is worth a look


@dataclass(frozen=True)
class Item:
    """One item in a class.

    Attributes:
        difficulty: the mean share of its points, from 0 (nobody earned any) to 1 (all earned all): high is easy.
        discrimination: the corrected item-total correlation, that is Pearson's r between the points of the item and
            those of the lesson's other items; None below FEWEST students, or where either is the same for all.
        everything, something, nothing, unwritten: students with all points, some, none of what they wrote; not written.
    """

    name: str
    points: float
    difficulty: float
    discrimination: float | None
    everything: int
    something: int
    nothing: int
    unwritten: int

    @property
    def is_low(self) -> bool:
        """Whether those who do well elsewhere hardly do better here."""
        return self.discrimination is not None and self.discrimination < LOW


@dataclass(frozen=True)
class Mistake:
    """A mistake that the grader named, and by whom it was made."""

    exercise: str
    sentence: str
    students: list[str]


def items(verdicts: Sequence[Verdict]) -> list[Item]:
    """Describes each item that is worth points, in the notebook's order; none if there are no verdicts."""
    earned = pd.DataFrame([_earned(verdict) for verdict in verdicts])  # students × items
    points = {name: most for verdict in verdicts for name, most in _points(verdict).items() if most}
    rest = -earned.sub(earned.sum(axis=1), axis=0)
    described = []
    for name, most in points.items():
        column = earned[name]
        unwritten = sum(name in _unwritten(verdict) for verdict in verdicts)
        everything, nothing = int((column >= most - 1e-9).sum()), int((column <= 0).sum())
        described.append(
            Item(
                name,
                most,
                float(column.mean() / most),
                _correlation(column, rest[name]),
                everything,
                len(column) - everything - nothing,
                nothing - unwritten,
                unwritten,
            )
        )
    return described


def mistakes(verdicts: Sequence[Verdict]) -> list[Mistake]:
    """Lists the mistakes that were named, the most frequent first."""
    found: dict[tuple[str, str], list[str]] = {}
    for verdict in verdicts:
        for exercise in verdict.exercises:
            if exercise.diagnosis:
                found.setdefault((exercise.name, exercise.diagnosis), []).append(verdict.student)
    counts = Counter({what: len(students) for what, students in found.items()})
    return [Mistake(*what, found[what]) for what, _ in counts.most_common()]


def _earned(verdict: Verdict) -> dict[str, float]:
    return {exercise.name: exercise.earned for exercise in verdict.exercises} | {
        "metrics": sum(metric.earned for metric in verdict.metrics)
    }


def _points(verdict: Verdict) -> dict[str, float]:
    return {exercise.name: exercise.points for exercise in verdict.exercises} | {
        "metrics": sum(metric.points for metric in verdict.metrics)
    }


def _unwritten(verdict: Verdict) -> set[str]:
    """Names the exercises of which no check found anything written."""
    return {
        exercise.name
        for exercise in verdict.exercises
        if exercise.checks and all(check.status == "unwritten" for check in exercise.checks)
    }


def _correlation(one: pd.Series[float], other: pd.Series[float]) -> float | None:
    one, other = (
        one.round(9),
        other.round(9),
    )  # sums in another order differ in their last digit: no correlation is made of that
    if len(one) < FEWEST or one.nunique() < 2 or other.nunique() < 2:
        return None
    value = float(one.corr(other))
    return None if isnan(value) else value
