"""`pytest solutions/WEEK/LESSON` runs a lesson's checks on its reference: the fixture `student` is the reference's functions."""

import pytest

from etude.lesson.student import LiveStudent
from grader.course import Course
from grader.lessons import source


@pytest.fixture
def student(request: pytest.FixtureRequest) -> LiveStudent:
    folder = request.path.parent
    return LiveStudent(source.namespace(Course().lesson(f"{folder.parent.name}/{folder.name}")))
