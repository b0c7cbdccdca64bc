"""The references earn every point, graded as submissions are: in real sandboxes, values over the wire.

One lesson is always graded, twice and side by side; the others if they have changed since they were audited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest
from sandboxed import machine  # noqa: F401 - a fixture

from grader.classes.batch import grade_batch
from grader.classes.uploads import submissions
from grader.course import Course, Lesson
from grader.grading.verdict import Verdict
from grader.lessons import source
from grader.settings import Settings

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]
DIFFERENT = {"seconds", "spent", "time", "memory", "graded_at", "student"}


def graded(lessons: Sequence[Lesson], students: Sequence[str], home: Path) -> dict[tuple[str, str], Verdict]:
    """(student, lesson) → the verdict on the reference's answers, which each student hands in."""
    for lesson in lessons:
        answers = source.filled(lesson, source.exercises(source.read(lesson)))
        for student in students:
            path = home / "submitted" / student / lesson.week.name / f"{lesson.name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(answers, path)
    todo = submissions(list(lessons), home)
    batch = grade_batch(todo, home, Settings(), jobs=2, running=lambda names: None, done=lambda item, found: None)
    return batch.verdicts


@pytest.fixture(scope="module")
def verdicts(
    tmp_path_factory: pytest.TempPathFactory, course: Course, changed: Callable[[Lesson], bool]
) -> dict[tuple[str, str], Verdict]:
    """The verdicts on the lessons that have changed."""
    return graded(list(filter(changed, course.lessons())), ["ada"], tmp_path_factory.mktemp("class"))


def everything_passes(found: Verdict) -> None:
    checks = [check for exercise in found.exercises for check in exercise.checks]
    assert [f"{check.name}: {check.message}" for check in checks if check.status != "passed"] == []
    assert {row.name: row.value for row in found.metrics if row.earned < row.points} == {}
    assert found.earned == found.points


@pytest.mark.parametrize("lesson", [lesson.id for lesson in Course().lessons()])
def test_the_reference_earns_every_point(verdicts: dict[tuple[str, str], Verdict], lesson: str) -> None:
    if ("ada", lesson) not in verdicts:
        pytest.skip("the lesson has not changed since it was audited: run it with --every-lesson")
    everything_passes(verdicts["ada", lesson])


@pytest.mark.grading_path
def test_grading_twice_gives_the_same_verdict_to_the_last_digit_but_for_times(course: Course, tmp_path: Path) -> None:
    one, two = graded([course.lesson("polysemy")], ["ada", "twin"], tmp_path).values()
    assert comparable(one.model_dump()) == comparable(two.model_dump())
    assert all(metric.value is not None for metric in one.metrics)
    everything_passes(one)


def comparable(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: comparable(value) for name, value in data.items() if name not in DIFFERENT}
    return [comparable(value) for value in data] if isinstance(data, list) else data
