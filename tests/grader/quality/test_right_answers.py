"""The references earn every point of every lesson, graded as submissions are: in real sandboxes, values over the wire."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from sandboxed import machine  # noqa: F401 - a fixture

from grader.classes.batch import Batch, grade_batch
from grader.classes.uploads import submissions
from grader.course import Course
from grader.lessons import source
from grader.settings import Settings

LESSONS = [lesson.id for lesson in Course().lessons()]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """The verdicts on a student who handed in the references' answers."""
    home: Path = tmp_path_factory.mktemp("class")
    lessons = Course().lessons()
    for lesson in lessons:
        path = home / "submitted" / "ada" / lesson.week.name / f"{lesson.name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(source.filled(lesson, source.exercises(source.read(lesson))), path)
    todo = submissions(lessons, home)
    return grade_batch(todo, home, Settings(), jobs=2, running=lambda names: None, done=lambda item, found: None)


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_reference_earns_every_point(verdicts: Batch, lesson: str) -> None:
    found = verdicts.verdicts["ada", lesson]
    checks = [check for exercise in found.exercises for check in exercise.checks]
    assert [f"{check.name}: {check.message}" for check in checks if check.status != "passed"] == []
    assert {row.name: row.value for row in found.metrics if row.earned < row.points} == {}
    assert found.earned == found.points
