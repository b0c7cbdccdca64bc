"""What several tests need: the course, a copy of it that a test may write to, submissions made from the bank."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-lesson",
        action="store_true",
        help="audit and run all lessons, not only those that have changed since they were last audited",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts slow files first: run side by side, none is left alone at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


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
