"""An appeal keeps everything that a person needs to judge it, and mixes nothing of two gradings."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from verdicts import exercise, graded

from grader.classes import appeal
from grader.course import CourseError
from grader.grading import store, verdict
from grader.grading.notebook import Notebook
from grader.grading.store import Gradable
from grader.grading.verdict import Graded
from grader.settings import Settings

LESSON = Notebook("week1", "one", "", Path(), limits={"cell_seconds": 7})
MADE = graded("ada", "week1/one", exercises=[exercise("it", 1, 3)])


@pytest.fixture
def handed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A notebook, whose grading records a file and gives MADE; one called broken.ipynb is refused."""

    def grade(lesson: Gradable, path: Path, student: str, settings: Settings, results: Path | None = None) -> Graded:
        if path.name == "broken.ipynb":
            return Graded(graded(student, status="refused"), None)
        assert results is not None
        results.mkdir()
        (results / "metrics.json").write_text("{}")
        return Graded(MADE, new_notebook(cells=[new_code_cell("1")]))

    monkeypatch.setattr(store, "grade", grade)
    path = tmp_path / "ada.ipynb"
    path.write_bytes(b"{ as it came \xff")
    return path


def test_everything_is_kept_and_the_way_to_do_it_again_is_told(handed_in: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "appeal"
    appeal.make(folder)
    made = appeal.grade(tmp_path, LESSON, handed_in, "ada", Settings(seed=5), folder)
    assert made.verdict == MADE == verdict.load(folder / "verdict.json")
    assert (folder / "submission.ipynb").read_bytes() == handed_in.read_bytes()
    assert (folder / "results" / "metrics.json").read_text() == "{}"
    assert nbformat.read(folder / "run.ipynb", as_version=4).cells[0].source == "1"
    about = json.loads((folder / "about.json").read_text())
    assert about["settings"]["seed"] == 5
    assert about["limits"] == {"cell_seconds": 7}
    assert about["command"] == "grader grade submission.ipynb week1/one"
    assert "torch" in about["versions"]


def test_what_was_refused_is_kept_without_a_run(handed_in: Path, tmp_path: Path) -> None:
    broken = handed_in.rename(tmp_path / "broken.ipynb")
    appeal.grade(tmp_path, LESSON, broken, "ada", Settings(), tmp_path / "appeal")
    assert sorted(path.name for path in (tmp_path / "appeal").iterdir()) == [
        "about.json",
        "submission.ipynb",
        "verdict.json",
    ]


def test_a_folder_that_holds_something_is_refused(handed_in: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    with pytest.raises(CourseError, match="is not empty: give a new folder"):
        appeal.make(tmp_path)
    with pytest.raises(CourseError, match="cannot be made"):
        appeal.make(handed_in)
    assert sorted(tmp_path.iterdir()) == before
