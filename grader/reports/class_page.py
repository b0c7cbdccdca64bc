"""The class on one page, class.html, for its instructor: who needs help, each exercise, mistakes, metrics, time, likeness.

It reads what is stored and what was handed in, and runs nothing. Names and lines of students stand on it: it is not for them.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.course import Course
from grader.grading.verdict import MetricResult, Spent
from grader.provenance import now
from grader.reports import help_needed, likeness, pages, plots
from grader.reports.gathered import LessonClass, by_student
from grader.reports.items import FEWEST, LOW, Item, Mistake, items, mistakes


@dataclass(frozen=True)
class Metric:
    """A metric in a class: the values that lie inside its interval, outside, and those that are missing."""

    first: MetricResult
    values: list[float]
    inside: int
    missing: int

    @property
    def middle(self) -> float:
        return statistics.median(self.values)


@dataclass(frozen=True)
class Spending:
    """What a class spent of one limit, in seconds or MB.

    Attributes:
        reference: what the lesson's reference spends; None if that is not known.
        student: who spent most.
    """

    what: str
    middle: float
    most: float
    student: str
    reference: float | None
    limit: float


@dataclass(frozen=True)
class LessonSection:
    """What the page shows of one lesson."""

    graded: LessonClass

    @cached_property
    def items(self) -> list[Item]:
        return items(self.graded.readable)

    @cached_property
    def mistakes(self) -> list[Mistake]:
        return mistakes(self.graded.readable)

    @cached_property
    def likeness(self) -> list[likeness.Pair]:
        return likeness.pairs(self.graded)

    @property
    def counted(self) -> list[int]:
        return plots.counted(self.graded.readable)

    @cached_property
    def metrics(self) -> list[Metric]:
        by_name: dict[str, list[MetricResult]] = {}
        for verdict in self.graded.readable:
            for metric in verdict.metrics:
                by_name.setdefault(metric.name, []).append(metric)
        return [
            Metric(
                results[0],
                sorted(result.value for result in results if result.value is not None),
                sum(result.value is not None and result.share == 1 for result in results),
                sum(result.value is None for result in results),
            )
            for results in by_name.values()
        ]

    @property
    def picture(self) -> str:
        measured: dict[str, list[MetricResult]] = {}
        for verdict in self.graded.readable:
            for metric in verdict.metrics:
                if metric.points and metric.value is not None:
                    measured.setdefault(metric.name, []).append(metric)
        return plots.picture(self.graded.readable, measured)

    @property
    def spendings(self) -> list[Spending]:
        times = {verdict.student: verdict.time for verdict in self.graded.verdicts if verdict.time}
        held = {verdict.student: verdict.memory for verdict in self.graded.verdicts if verdict.memory}
        found = []
        for what, name in (
            ("all cells, s", "notebook"),
            ("the slowest cell, s", "slowest_cell"),
            ("checks, s", "checks"),
        ):
            seconds: dict[str, Spent] = {student: getattr(time, name) for student, time in times.items()}
            for first in list(seconds.values())[:1]:
                spent = {student: one.spent for student, one in seconds.items()}
                found.append(_spending(what, spent, first.reference, first.limit))
        for memory in list(held.values())[:1]:
            spent = {student: one.held_mb for student, one in held.items()}
            found.append(_spending("memory, MB", spent, None, memory.limit_mb))
        return found


def write(course: Course, classes: Sequence[LessonClass], folder: Path) -> Path:
    """Writes folder/class.html on the lessons that have verdicts."""
    students = by_student(classes)
    path = folder / "class.html"
    pages.write(
        path,
        "class.html",
        course=course,
        sections=[LessonSection(one) for one in classes if one.verdicts],
        students={student: {one.lesson.id: verdict for one, verdict in graded} for student, graded in students.items()},
        help_needed={
            student: found
            for student, graded in students.items()
            if (found := help_needed.reasons(verdict for _, verdict in graded))
        },
        late={
            (student, one.lesson.week.title): score.late.sentence
            for one in classes
            for student, score in one.stored.items()
            if score.late.sentence
        },
        rule=help_needed.RULE,
        likeness=likeness,
        fewest=FEWEST,
        low=LOW,
        made=now(),
    )
    return path


def _spending(what: str, spent: Mapping[str, float], reference: float | None, limit: float) -> Spending:
    """Sums up what each student spent."""
    student, most = max(spent.items(), key=lambda one: one[1])
    return Spending(what, statistics.median(spent.values()), most, student, reference, limit)
