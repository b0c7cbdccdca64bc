"""docs/trust.md and the README's headline are what the recorded runs say, and say which lessons have changed since."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

from grader.course import Course
from grader.quality import audit_stamp, error_rates
from grader.quality.audit import Audit

ROOT = Course().root


@pytest.fixture
def renderer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("render_trust", ROOT / "tools" / "render_trust.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_and_the_headline_are_rendered_from_the_recorded_runs(renderer: ModuleType) -> None:
    page, headline = renderer.render()
    assert (ROOT / "docs" / "trust.md").read_text(encoding="utf-8") == page, "run `python tools/render_trust.py`"
    assert headline in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the lessons that have changed since their audit, none unless a test adds some."""
    found: set[str] = set()
    monkeypatch.setattr(audit_stamp, "is_old", lambda lesson, stamp: stamp is None or lesson.name in found)
    return found


def test_nothing_is_said_of_age_while_every_lesson_is_as_it_was_audited(renderer: ModuleType, old: set[str]) -> None:
    assert all(word not in text for text in renderer.render() for word in ("Not audited as they stand", "older than"))


def test_page_and_headline_name_the_lessons_that_have_changed_since(renderer: ModuleType, old: set[str]) -> None:
    old.update({"glove", "oov"})
    page, headline = renderer.render()
    assert "**Not audited as they stand: glove, oov.**" in page
    for text in (page, headline):
        assert "| these lines are older than the last change of | glove, oov |" in text


def test_the_page_names_the_lessons_whose_error_rates_are_of_other_code(
    renderer: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "Measured before the last change of what decides them"
    monkeypatch.setattr(error_rates, "are_current", lambda lesson, profile: lesson.name not in {"glove", "oov"})
    assert f"**{sentence}: glove, oov.**" in renderer.render()[0]
    monkeypatch.setattr(error_rates, "are_current", lambda lesson, profile: True)
    assert sentence not in renderer.render()[0]


def test_a_lesson_that_was_never_audited_is_named_and_not_counted(
    renderer: ModuleType, old: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = audit_stamp.read
    monkeypatch.setattr(audit_stamp, "read", lambda lesson: None if lesson.name == "glove" else read(lesson))
    page, headline = renderer.render()
    assert "**Not audited as they stand: glove.**" in page
    wrong = sum(stamp.audit.wrong for lesson in Course().lessons() if (stamp := audit_stamp.read(lesson)))
    assert f"| classic mistakes caught | {wrong} of {wrong} (100%) |" in headline


def test_the_counts_of_each_call_of_the_audit_have_their_origin(renderer: ModuleType) -> None:
    def stamp(lesson: str, commit: str) -> audit_stamp.Stamp:
        origin = {"command": "grader audit", "hardware": "a machine", "libraries": "torch 2", "date": "2026-01-01"}
        return audit_stamp.Stamp(**origin, commit=commit, audit=Audit(f"week1/{lesson}"))

    assert renderer.origins([stamp("a", "1"), stamp("b", "2"), stamp("c", "1")]) == [
        "- `grader audit`; a machine; torch 2; commit 1; 2026-01-01: a, c.",
        "- `grader audit`; a machine; torch 2; commit 2; 2026-01-01: b.",
    ]
