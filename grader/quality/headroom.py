"""How much of its limits every other right way takes: the bank's right answers, graded as whole notebooks.

Checks alone do not show it: an answer may pass all of them and be too slow for the experiment, or break it. The answers to
different exercises are handed in together, as few notebooks as there are right ways of one exercise.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path

import nbformat

from etude.files import write_whole
from grader.classes.batch import Batch
from grader.classes.uploads import Submission
from grader.course import Lesson
from grader.grading import allowance, costs
from grader.grading.verdict import Verdict
from grader.lessons import bank, source
from grader.provenance import head
from grader.settings import Settings

MOST = 0.5  # of a limit that a right way may take: a slower machine, or a slower right way, has the rest


@dataclass(frozen=True)
class Headroom:
    """One notebook of right ways: points, and the largest share of a limit with what it was taken for."""

    lesson: str
    answers: list[str]
    earned: float
    points: float
    share: float
    what: str
    trouble: str

    @property
    def enough(self) -> bool:
        return self.earned == self.points and self.share < MOST


def hand_in(lessons: Iterable[Lesson], home: Path) -> list[Submission]:
    """Writes a submission for each set of right ways, one way for each exercise that has so many."""
    todo = []
    for lesson in lessons:
        right = source.exercises(source.read(lesson))
        for number, answers in enumerate(ways(lesson)):
            path = home / "submitted" / f"way{number}" / lesson.week.name / f"{lesson.name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(source.filled(lesson, right | {answer.exercise: answer.code for answer in answers}), path)
            todo.append(Submission(lesson, f"way{number}", path))
    return todo


def ways(lesson: Lesson) -> list[list[bank.Answer]]:
    """Groups the bank's right answers that are not declared slow into sets of at most one for each exercise."""
    by_exercise: dict[str, list[bank.Answer]] = {}
    for answer in bank.load(lesson):
        if answer.sentence is None and not answer.slow:
            by_exercise.setdefault(answer.exercise, []).append(answer)
    return [[answer for answer in row if answer is not None] for row in zip_longest(*by_exercise.values())]


def found(lessons: Sequence[Lesson], batch: Batch, settings: Settings) -> list[Headroom]:
    """Collects what came of the notebooks, in the order of the lessons."""
    rows = []
    for lesson in lessons:
        limits = allowance.of(lesson, costs.of(lesson, settings))
        for number, answers in enumerate(ways(lesson)):
            if (verdict := batch.verdicts.get((f"way{number}", lesson.id))) is not None:
                share, what = max(_shares(verdict, limits))
                labels = [answer.label for answer in answers]
                rows.append(Headroom(lesson.id, labels, verdict.earned, verdict.points, share, what, _trouble(verdict)))
    return rows


def write(path: Path, rows: Sequence[Headroom], course: Path, command: str) -> None:
    """Writes the rows as JSON, with the command, commit of the course's folder, hardware and versions that they come from."""
    record = {**head(command, course=course), "rows": [asdict(row) for row in rows]}
    write_whole(path, json.dumps(record, indent=1) + "\n")


def _shares(verdict: Verdict, limits: allowance.Allowance) -> list[tuple[float, str]]:
    """Lists (share, what) of each limit of time that the notebook met."""
    shares = [(0.0, "nothing")]
    if verdict.time is not None:
        whole = {"the slowest cell": verdict.time.slowest_cell, "all cells": verdict.time.notebook}
        shares += [(spent.spent / spent.limit, what) for what, spent in whole.items()]
        shares.append((verdict.time.checks.spent / verdict.time.checks.limit, "all checks"))
    for exercise in verdict.exercises:
        for check in exercise.checks:
            shares.append((check.spent / limits.budgets[check.name].seconds, check.name))
    return shares


def _trouble(verdict: Verdict) -> str:
    """Says in words what was missed; empty if nothing was."""
    missed = [check.name for exercise in verdict.exercises for check in exercise.checks if check.status != "passed"]
    missed += [metric.name for metric in verdict.metrics if metric.earned < metric.points]
    return verdict.reason or ", ".join(missed)
