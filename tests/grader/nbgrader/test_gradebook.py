"""What the gradebook cannot hold is said in a sentence; opened often, it keeps its engine."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import Engine, event

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


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own, on a new submission
def test_no_query_reads_all_grades_or_all_submissions(course: Course, tmp_path: Path) -> None:
    url, week = f"sqlite:///{tmp_path / 'gradebook.db'}", "week1_embeddings"
    with Gradebook(url) as book:
        book.add_assignment(week)
        book.add_notebook("word2vec", week)
        book.add_grade_cell("check", "word2vec", week, max_score=10, cell_type="code")
        for student in ("ada", "bora"):
            book.add_student(student)
            book.add_submission(week, student)
            book.find_grade("check", "word2vec", week, student).auto_score = 8
        book.db.commit()
    due = "2026-03-13T12:00:00Z"
    (tmp_path / "class.toml").write_text(f"[due]\n{week} = {due}\n[late]\nshare_a_day = 0.5\n")
    queries: list[tuple[str, tuple[str, ...]]] = []

    def keep(connection: object, cursor: object, query: str, values: tuple[str, ...], *others: object) -> None:
        queries.append((query, values))

    event.listen(Engine, "before_cursor_execute", keep)
    try:
        assert [score.score for score in gradebook.scores(course, tmp_path, week)] == [8, 8]
        assert gradebook.wrong_penalties(course, tmp_path, ["ada", "bora"]) == []
    finally:
        event.remove(Engine, "before_cursor_execute", keep)
    with sqlite3.connect(tmp_path / "gradebook.db") as database:
        plans = [
            step
            for query, values in queries
            if query.startswith("SELECT")
            for *_, step in database.execute(f"EXPLAIN QUERY PLAN {query}", values)
        ]
    tables = {"grade", "submitted_notebook", "submitted_assignment"}  # the others hold what the course has
    steps = {tuple(step.split()[:2]) for step in plans}
    assert {("SEARCH", table) for table in tables} <= steps
    assert not {("SCAN", table) for table in tables} & steps


def test_a_gradebook_that_may_only_be_read_is_read(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        book.add_assignment("week1_embeddings")
    monkeypatch.setattr(gradebook, "INDEXED", [("grade", "nothing")])  # fails as where nothing may be written
    assert gradebook.knows(course, tmp_path, "week1_embeddings")
