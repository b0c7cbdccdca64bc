"""Verdicts made by hand, for tests of what is made of them."""

from __future__ import annotations

from typing import Any

from etude.lesson.checks import Status
from grader.grading.verdict import CheckResult, ExerciseResult, Verdict


def exercise(name: str, earned: float, points: float, status: Status | None = None, **changed: Any) -> ExerciseResult:
    """An exercise with one check that gives the points earned; it failed if that is none and no status is told."""
    diagnosis = changed.pop("diagnosis", None)
    about: dict[str, Any] = {"name": f"test_{name}", "title": name, "hidden": False, "points": points}
    check = CheckResult(**about | {"status": status or ("passed" if earned else "failed"), "partial": earned} | changed)
    return ExerciseResult(name=name, checks=[check], diagnosis=diagnosis)


def graded(student: str, lesson: str = "week1_words/lesson", **changed: Any) -> Verdict:
    """A verdict, graded unless it is told otherwise."""
    about: dict[str, Any] = {"submission": "", "inputs": "", "profile": "smoke", "seed": 0, "sandbox": "none"}
    return Verdict(**about | {"lesson": lesson, "student": student, "status": "graded"} | changed)
