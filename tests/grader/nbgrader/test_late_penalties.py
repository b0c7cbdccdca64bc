"""A late notebook in nbgrader's own gradebook: its due date, extension and penalty, and the reason in the feedback."""

from __future__ import annotations

import errno
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbgrader.api import Gradebook, SubmittedNotebook

from grader.nbgrader import lateness
from grader.nbgrader.late_penalties import AssignLate, of_student

CLASS = """
[due]
week1 = 2026-03-13T12:00:00+00:00
[extended.bora]
week1 = 2026-03-14T12:00:00+00:00
[late]
share_a_day = 0.25
"""


@pytest.fixture
def book(tmp_path: Path) -> str:
    """A gradebook in which ada, bora and chul earned 8 points; chul's time of handing in is not known."""
    url = f"sqlite:///{tmp_path / 'gradebook.db'}"
    with Gradebook(url) as made:
        made.add_assignment("week1")
        made.add_notebook("one", "week1")
        made.add_grade_cell("check_it", "one", "week1", max_score=10, cell_type="code")
        when: datetime | None
        for student, when in (("ada", datetime(2026, 3, 14, 12)), ("bora", datetime(2026, 3, 14, 12)), ("chul", None)):
            made.add_student(student)
            made.add_submission("week1", student, timestamp=when)
            made.find_grade("check_it", "one", "week1", student).auto_score = 8
        made.db.commit()
    return url


def assigned(url: str, student: str) -> tuple[float | None, timedelta | None, str]:
    """Penalty, extension and what the graded cell shows, once nbgrader's step was taken."""
    shown = new_output("stream", text="it: 8 of 10 points\n")
    rules = {"grade": True, "grade_id": "check_it"}
    notebook = new_notebook(cells=[new_code_cell("check('it')", metadata={"nbgrader": rules}, outputs=[shown])])
    about = {"notebook": "one", "assignment": "week1", "student": student, "db_url": url}
    made, _ = AssignLate().preprocess(notebook, {"nbgrader": about})
    with Gradebook(url) as read:
        submission = read.find_submission("week1", student)
        penalty = submission.notebooks[0].late_submission_penalty
        return penalty, submission.extension, "".join(output.text for output in made.cells[0].outputs)


def test_a_late_notebook_loses_its_share_and_says_why(book: str, tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text(CLASS, encoding="utf-8")
    penalty, extension, text = assigned(book, "ada")
    assert (penalty, extension) == (2.0, None)
    assert text.startswith("Handed in 2026-03-14 12:00 UTC, due 2026-03-13 12:00 UTC: 1 day late; 25 % of the points")
    assert text.endswith("it: 8 of 10 points\n")
    with Gradebook(book) as read:
        assert read.find_assignment("week1").duedate == datetime(2026, 3, 13, 12)


def test_an_extension_reaches_the_gradebook_and_spares_its_student(book: str, tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text(CLASS, encoding="utf-8")
    assert assigned(book, "bora") == (None, timedelta(days=1), "it: 8 of 10 points\n")


def test_a_time_that_is_not_known_costs_nothing_and_is_said(book: str, tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text(CLASS, encoding="utf-8")
    penalty, _, text = assigned(book, "chul")
    assert penalty is None
    assert text.startswith("It is not known when this was handed in")


def test_a_penalty_goes_when_the_rule_goes(book: str, tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text(CLASS, encoding="utf-8")
    assert assigned(book, "ada")[0] == 2.0
    (tmp_path / "class.toml").write_text(CLASS.replace("0.25", "0"), encoding="utf-8")
    assert assigned(book, "ada")[0] is None


def test_a_class_without_dates_is_as_nbgrader_has_it(book: str) -> None:
    assert assigned(book, "ada") == (None, None, "it: 8 of 10 points\n")


def test_the_times_that_lie_in_the_class_count_of_weeks_that_are_not_graded_too(book: str, tmp_path: Path) -> None:
    earlier = CLASS.replace("[due]", "[due]\nweek0 = 2026-03-06T12:00:00+00:00")
    (tmp_path / "class.toml").write_text(f"{earlier}free_days = 1\n", encoding="utf-8")
    assert assigned(book, "ada")[0] is None  # the late day is free
    for week, when in (("week0", "2026-03-07 12:00:00 UTC"), ("week1", "2026-03-15 21:00:00 +0900")):
        (tmp_path / "submitted" / "ada" / week).mkdir(parents=True)
        (tmp_path / "submitted" / "ada" / week / "timestamp.txt").write_text(when)
    (tmp_path / "submitted" / "ada" / "week1" / "one.ipynb").touch()
    assert assigned(book, "ada")[0] == 4.0  # two days late, and week0 has spent the free one
    with Gradebook(book) as read:
        assert read.find_submission("week1", "ada").timestamp == datetime(2026, 3, 15, 12)


def test_a_notebook_that_is_gone_keeps_no_penalty(book: str, tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text(CLASS, encoding="utf-8")
    with Gradebook(book) as made:
        made.add_notebook("two", "week1")
        made.db.add(
            SubmittedNotebook(
                notebook=made.find_notebook("two", "week1"), assignment=made.find_submission("week1", "ada")
            )
        )
        made.find_submission_notebook("two", "week1", "ada").late_submission_penalty = 2.0
        made.db.commit()
    (tmp_path / "submitted" / "ada" / "week1").mkdir(parents=True)
    (tmp_path / "submitted" / "ada" / "week1" / "one.ipynb").touch()
    assigned(book, "ada")
    with Gradebook(book) as read:
        assert read.find_submission_notebook("two", "week1", "ada").late_submission_penalty is None


def test_a_folder_that_may_not_be_looked_at_ends_nothing(
    book: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "class.toml").write_text(CLASS, encoding="utf-8")
    look = os.stat

    def stat(path: Any, *args: Any, **options: Any) -> os.stat_result:
        if "submitted" in Path(os.fsdecode(path)).parts:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return look(path, *args, **options)

    monkeypatch.setattr(os, "stat", stat)
    dates = lateness.read(tmp_path)
    assert dates is not None
    with Gradebook(book) as read:
        assert of_student(read, tmp_path, dates, "ada")["week1"].share == 0.25
