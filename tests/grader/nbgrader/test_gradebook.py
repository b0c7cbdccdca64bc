"""What the gradebook cannot hold is said in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Course, CourseError
from grader.nbgrader import gradebook
from grader.settings import Settings


@pytest.mark.parametrize("name", ["[ada]", "ada*", "a?a", "ada\nbora", "ada ", " ada"])
def test_a_folder_that_nbgrader_would_take_for_a_pattern_is_to_be_renamed(
    course: Course, tmp_path: Path, name: str
) -> None:
    with pytest.raises(CourseError, match="rename the folder"):
        gradebook.store(course, tmp_path, "week1_embeddings", name, Settings())
