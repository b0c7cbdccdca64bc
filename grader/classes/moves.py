"""Whose points move between two verdicts on a class, exercise by exercise, which check moved them, and what had changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich import box
from rich.table import Table
from rich.text import Text

from grader.grading.verdict import CheckResult, ExerciseResult, MetricResult, Verdict
from grader.printable import printable

Key = tuple[str, str]  # a student and a lesson's id, as in grader.classes.batch
SAME = 1e-9  # points that are no difference


@dataclass(frozen=True)
class Move:
    """An exercise, or the metrics, that earned other points than before.

    Attributes:
        made_by: the checks or metrics that made the difference, each with what it earned before and now.
        changed: what had changed between the two verdicts.
    """

    student: str
    lesson: str
    exercise: str
    before: float
    now: float
    points: float
    made_by: list[str]
    changed: str


def moves(before: Mapping[Key, Verdict], now: Mapping[Key, Verdict]) -> Iterator[Move]:
    """Finds all moves between the verdicts that there are both of, by student and lesson, in the notebook's order."""
    for key in sorted(now):
        if (old := before.get(key)) is not None:
            yield from _of_submission(old, now[key])


def table(found: list[Move]) -> Table:
    """Shows moves in a table: student, exercise, points before and now, which check made it, what had changed."""
    shown = Table("student", "exercise", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for head in ("before", "now", "of"):
        shown.add_column(head, justify="right", no_wrap=True)
    shown.add_column("made by", ratio=1, overflow="fold")
    shown.add_column("what changed", overflow="fold")
    for move in found:
        name = f"{move.lesson.split('/')[-1]}/{move.exercise}"
        points = (f"{move.before:.2f}", f"{move.now:.2f}", f"{move.points:g}")
        told = ["; ".join(move.made_by), move.changed]
        shown.add_row(*(Text(" ".join(printable(x).split())) for x in (move.student, name, *points, *told)))
    return shown


def what_changed(old: Verdict, new: Verdict) -> str:
    """Says what had changed between the verdicts: what was handed in, libraries, settings; else the lesson or the grader."""
    found = ["the notebook"] if old.submission != new.submission else []
    names = sorted({*old.versions, *new.versions})
    found += [
        f"{name} {old.versions.get(name, 'none')} → {new.versions.get(name, 'none')}"
        for name in names
        if old.versions.get(name) != new.versions.get(name)
    ]
    found += [
        f"{name} {getattr(old, name)} → {getattr(new, name)}"
        for name in ("profile", "seed", "sandbox")
        if getattr(old, name) != getattr(new, name)
    ]
    if not found:
        return "the lesson's checks or tables, or the grader" if old.inputs != new.inputs else "nothing: graded anew"
    return ", ".join(found)


def _of_submission(old: Verdict, new: Verdict) -> Iterator[Move]:
    changed = what_changed(old, new)
    parts_before, parts_now = _parts(old), _parts(new)
    for name in [*parts_now, *(name for name in parts_before if name not in parts_now)]:
        ones, others = parts_before.get(name, {}), parts_now.get(name, {})
        before, now = (sum(one.earned for one in parts.values()) for parts in (ones, others))
        if abs(before - now) > SAME:
            points = sum(one.points for one in others.values())
            made_by = [text for text in (_moved(one, ones, others) for one in {**ones, **others}) if text]
            yield Move(new.student, new.lesson, name, before, now, points, made_by, changed)


def _parts(verdict: Verdict) -> dict[str, Mapping[str, CheckResult | MetricResult]]:
    """Gives the checks of each exercise, and the metrics, by name."""

    def checks(exercise: ExerciseResult) -> dict[str, CheckResult]:
        return {check.name: check for check in exercise.checks}

    parts: dict[str, Mapping[str, CheckResult | MetricResult]] = {
        exercise.name: checks(exercise) for exercise in verdict.exercises
    }
    return {**parts, "metrics": {metric.name: metric for metric in verdict.metrics}}


def _moved(
    name: str, before: Mapping[str, CheckResult | MetricResult], now: Mapping[str, CheckResult | MetricResult]
) -> str:
    """Says how the check or metric moved, for example `test_shape 1 → 0`; empty if it did not."""
    if name not in now:
        return f"{name} {before[name].earned:.3g} → gone"
    if name not in before:
        return f"{name} new: {now[name].earned:.3g} of {now[name].points:g}"
    old, new = before[name].earned, now[name].earned
    return f"{name} {old:.3g} → {new:.3g}" if abs(old - new) > SAME else ""
