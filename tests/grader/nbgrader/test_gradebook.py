"""What the gradebook cannot hold is said in a sentence; opened often, it keeps its engine."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from grader.course import Course, CourseError
from grader.grading import submission
from grader.nbgrader import engines, gradebook
from grader.settings import Settings


@pytest.mark.parametrize("name", ["[ada]", "ada*", "a?a", "ada\nbora", "ada ", " ada"])
def test_a_folder_that_nbgrader_would_take_for_a_pattern_is_to_be_renamed(
    course: Course, tmp_path: Path, name: str
) -> None:
    with pytest.raises(CourseError, match="rename the folder"):
        gradebook.store(course, tmp_path, "week1_embeddings", name, Settings())


def test_a_folder_that_cannot_be_read_is_named_and_ends_nothing_else(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "submitted" / "ada" / "week1_embeddings" / "word2vec.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{}")

    def fail(path: Path) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    monkeypatch.setattr(submission, "content", fail)
    with pytest.raises(
        CourseError, match=r"week1_embeddings of ada cannot be read whole .*let the grader read .*word2vec"
    ):
        gradebook.store(course, tmp_path, "week1_embeddings", "ada", Settings())


def test_a_gradebook_that_is_opened_again_keeps_its_engine_while_scores_are_stored(tmp_path: Path) -> None:
    def engine(name: str) -> object:
        with Gradebook(f"sqlite:///{tmp_path / name}.db") as book:
            return book.engine

    with engines.kept():
        assert engine("one") is engine("one")
        assert engine("one") is not engine("other")
    assert engine("one") is not engine("one")


def test_what_was_stored_by_one_opening_is_there_for_the_next(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'gradebook.db'}"
    with engines.kept():
        with Gradebook(url) as book:
            book.add_student("ada")
        with Gradebook(url) as book:
            assert [student.id for student in book.students] == ["ada"]
        (tmp_path / "gradebook.db").unlink()
        with Gradebook(url) as book:
            assert book.students == []
