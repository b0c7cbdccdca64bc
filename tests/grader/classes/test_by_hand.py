"""One notebook put by hand among what is handed in: all is looked at before anything is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from nbformat.v4 import new_notebook
from typer.testing import CliRunner
from verdicts import graded

from grader.classes import by_hand
from grader.cli import app, common
from grader.course import Course, CourseError, Lesson
from grader.grading import store
from grader.grading.verdict import Graded
from grader.nbgrader import gradebook
from grader.settings import PLAIN, Settings

OLD = b"what ada handed in"


@pytest.fixture
def home(tmp_path: Path, word2vec: Lesson) -> Path:
    """A class in which ada has handed in OLD, with a neighbour that a name with .. would reach."""
    path = tmp_path / "outer" / "class" / "submitted" / "ada" / word2vec.assignment / "word2vec.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(OLD)
    return tmp_path / "outer" / "class"


@pytest.fixture
def notebook(tmp_path: Path, word2vec: Lesson) -> Path:
    return Path(shutil.copy(word2vec.released, tmp_path / "mended.ipynb"))


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("student", ["ada", "김 하나", "kim.b@example.edu"])
def test_a_notebook_becomes_what_the_student_handed_in(
    home: Path, word2vec: Lesson, notebook: Path, student: str
) -> None:
    path = by_hand.put(notebook, student, word2vec, home)
    assert path == home / "submitted" / student / word2vec.assignment / "word2vec.ipynb"
    assert path.read_bytes() == notebook.read_bytes()
    assert by_hand.put(path, student, word2vec, home) == path


@pytest.mark.parametrize(
    "student", ["../x", "a/b", "/x", ".", "..", ".x", "kim[1]", "k*", "k?", " x", "x ", "x\n", "x\x1b[2J", ""]
)
def test_a_name_that_names_no_folder_is_refused(home: Path, word2vec: Lesson, notebook: Path, student: str) -> None:
    before = sorted(home.parent.rglob("*"))
    with pytest.raises(CourseError, match="cannot be a student's name"):
        by_hand.put(notebook, student, word2vec, home)
    assert sorted(home.parent.rglob("*")) == before


def test_what_is_no_notebook_of_the_lesson_replaces_nothing(home: Path, course: Course, notebook: Path) -> None:
    lesson, other = course.lesson("word2vec"), course.lesson("glove")
    before = files(home)
    with pytest.raises(CourseError, match=r"has 3 of the 23 cells of week1_embeddings/glove: is it this lesson's"):
        by_hand.put(notebook, "ada", other, home)
    for content, said in ((b"{", "not JSON"), (b"", "the file is empty")):
        notebook.write_bytes(content)
        with pytest.raises(CourseError, match=said):
            by_hand.put(notebook, "ada", lesson, home)
    assert files(home) == before


def test_what_cannot_be_written_ends_in_a_sentence(home: Path, word2vec: Lesson, notebook: Path) -> None:
    (home / "submitted" / "bora").write_bytes(b"")
    with pytest.raises(CourseError, match=r"cannot be written"):
        by_hand.put(notebook, "bora", word2vec, home)


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whose scores the command stores; it grades nothing, in no sandbox."""
    students: list[str] = []
    monkeypatch.setattr(common, "_settings", lambda sandbox: Settings(kernel=PLAIN))
    made = Graded(graded("ada", "week1_embeddings/word2vec"), new_notebook())
    monkeypatch.setattr(store, "grade", lambda lesson, path, student, settings: made)
    monkeypatch.setattr(gradebook, "store", lambda course, folder, week, student, settings: students.append(student))
    return students


def test_the_command_writes_nothing_if_the_path_is_mistyped(home: Path, notebook: Path, stored: list[str]) -> None:
    words = ["word2vec", "--student", "bora", "--home", str(home), "--no-sandbox"]
    before = sorted(home.rglob("*"))
    mistyped = CliRunner().invoke(app, ["grade", str(notebook.with_name("mendde.ipynb")), *words])
    assert (mistyped.exit_code, type(mistyped.exception)) == (2, SystemExit)
    assert "does not exist" in mistyped.output
    assert sorted(home.rglob("*")) == before
    right = CliRunner().invoke(app, ["grade", str(notebook), *words])
    assert right.exit_code == 0, right.output
    assert stored == ["bora"]
    assert (home / "submitted/bora/week1_embeddings/word2vec.ipynb").read_bytes() == notebook.read_bytes()


def test_the_command_writes_nothing_if_there_is_no_room_for_what_it_is_to_keep(
    home: Path, notebook: Path, stored: list[str]
) -> None:
    words = ["grade", str(notebook), "word2vec", "--student", "ada", "--home", str(home), "--keep", str(home)]
    done = CliRunner().invoke(app, [*words, "--no-sandbox"])
    assert done.exit_code == 1
    assert "is not empty" in done.output
    assert (stored, list(files(home).values())) == ([], [OLD])


def test_the_command_answers_a_wrong_name_in_a_sentence(home: Path, notebook: Path, stored: list[str]) -> None:
    before = sorted(home.parent.rglob("*"))
    words = ["grade", str(notebook), "word2vec", "--student", "../x", "--home", str(home), "--no-sandbox"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert "'../x' cannot be a student's name" in done.output
    assert (stored, sorted(home.parent.rglob("*"))) == ([], before)
