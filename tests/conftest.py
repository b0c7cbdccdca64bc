"""What several tests need: the course, a copy of it that a test may write to, submissions made from the bank."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import proof
import pytest
from hypothesis import settings
from mirror import mirror
from small import fingerprints

if TYPE_CHECKING:  # the student's tests run where the grader is not installed
    from grader.course import Course, Lesson

settings.register_profile("etude", deadline=None)  # no test is timed: a slow or busy machine fails none
settings.load_profile("etude")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
if (found := mirror()) is not None:
    os.environ.setdefault("ETUDE_MIRROR", str(found))


CHOOSING = (
    *("file_or_dir", "keyword", "markexpr", "deselect", "ignore", "ignore_glob"),
    *("lf", "stepwise", "collectonly"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-lesson",
        action="store_true",
        help="audit and run all lessons, not only those that have changed since they were last audited",
    )
    parser.addoption(
        "--prove",
        action="store_true",
        help="run the whole grading path, changed or not; write tests/proved.json if every test of the project passes",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Puts slow files first: run side by side, none is left alone at the end. Leaves out what is proved."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    path = [item for item in items if item.get_closest_marker("grading_path")]
    if len(path) > 1 and not config.getoption("prove") and whole(config) and proof.holds():
        for item in path:
            item.add_marker(pytest.mark.skip(reason="the grading path is as it was proved: run it with --prove"))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Records the proof, in the process that the others report to."""
    config = session.config
    if config.getoption("prove") and exitstatus == 0 and whole(config) and not hasattr(config, "workerinput"):
        proof.write("make prove")


def whole(config: pytest.Config) -> bool:
    """Tells whether all tests of the project were asked for: no option that chooses among them is set."""
    return not any(config.getoption(option, None) for option in CHOOSING)


@pytest.fixture(scope="session", autouse=True)
def committed_files_stay_as_they_are() -> Iterator[None]:
    """No test changes a committed file of the course; who does fails the last test."""
    root = Path(__file__).parent.parent
    before = fingerprints(root)
    yield
    after = fingerprints(root)
    assert [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)] == []


@pytest.fixture(scope="session")
def course() -> Course:
    from grader.course import Course

    return Course()


@pytest.fixture(scope="session")
def changed(pytestconfig: pytest.Config) -> Callable[[Lesson], bool]:
    """Tells whether a test that takes long should run a lesson: if it is not as it was audited, or with --every-lesson."""
    from grader.quality import audit_stamp

    every = pytestconfig.getoption("every_lesson")
    return lambda lesson: every or not audit_stamp.holds(lesson)


@pytest.fixture(scope="session")
def word2vec(course: Course) -> Lesson:
    return course.lesson("week1_embeddings/word2vec")


@pytest.fixture
def course_copy(tmp_path: Path, course: Course) -> Course:
    """A course in a folder of its own, with its sources and its release."""
    from grader.course import Course

    root = tmp_path / "course"
    root.mkdir()
    for name in ("course.toml", "nbgrader_config.py"):
        shutil.copy(course.root / name, root)
    for name in ("solutions", "weeks"):
        shutil.copytree(course.root / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return Course(root)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
