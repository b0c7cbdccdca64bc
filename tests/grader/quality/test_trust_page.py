"""docs/trust.md and the README's headline are what the recorded runs say, and say of which banks."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pytest

from grader.course import Course
from grader.lessons import source

ROOT = Course().root


@pytest.fixture
def renderer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("render_trust", ROOT / "ci" / "render_trust.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_and_the_headline_are_rendered_from_the_recorded_runs(renderer: ModuleType) -> None:
    page, headline = renderer.render()
    assert (ROOT / "docs" / "trust.md").read_text(encoding="utf-8") == page, "run `python ci/render_trust.py`"
    assert headline in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def audited(renderer: ModuleType, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The record of the audit, as if it were of today's banks; whatever a test changes in it is rendered."""
    found: dict[str, Any] = renderer.record("audit")
    for lesson in found["lessons"]:
        lesson["digest"] = source.digest_of(Course().lesson(lesson["lesson"]))
    read = renderer.record
    monkeypatch.setattr(renderer, "record", lambda name: found if name == "audit" else read(name))
    return found


def test_nothing_is_said_of_age_while_the_banks_are_those_audited(
    renderer: ModuleType, audited: dict[str, Any]
) -> None:
    assert all("older bank" not in text for text in renderer.render())


def test_page_and_headline_name_the_lessons_that_have_changed_since(
    renderer: ModuleType, audited: dict[str, Any]
) -> None:
    audited["lessons"][0]["digest"] = "of another bank"
    name = audited["lessons"][0]["lesson"].split("/")[1]
    page, headline = renderer.render()
    assert f"Of an older bank: {name}." in page
    assert f"| these lines are of an older bank, measured before the last change of | {name} |" in page
    assert f"| these lines are of an older bank, measured before the last change of | {name} |" in headline


def test_a_lesson_that_was_not_audited_is_named_as_well(renderer: ModuleType, audited: dict[str, Any]) -> None:
    name = audited["lessons"].pop()["lesson"].split("/")[1]
    assert f"Of an older bank: {name}." in renderer.render()[0]


@pytest.mark.parametrize("file", ["notebook.py", "checks.py", "hidden.py", "bank.py"])
def test_the_digest_of_a_lesson_changes_with_each_of_its_files(file: str, tmp_path: Any) -> None:
    for name in ("notebook.py", "checks.py", "hidden.py", "bank.py"):
        (tmp_path / name).write_text("x = 1\n")
    lesson: Any = type("Folder", (), {"source": tmp_path})
    before = source.digest_of(lesson)
    (tmp_path / file).write_text("x = 2\n")
    assert source.digest_of(lesson) != before
