"""`pytest solutions/WEEK/LESSON` runs a lesson's checks on its reference: the fixture `student` is the reference's functions."""

import pytest

from etude.student import LiveStudent
from grader import source
from grader.course import Course


@pytest.fixture
def student(request: pytest.FixtureRequest) -> LiveStudent:
    folder = request.path.parent
    return LiveStudent(source.namespace(Course().lesson(f"{folder.parent.name}/{folder.name}")))
