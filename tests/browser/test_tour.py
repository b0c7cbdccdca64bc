"""A week from the pack to the grades in the platform's sheet, in real browsers: what a student and an instructor see and do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import browser
from playwright.sync_api import Browser, expect
from tour import ADA, ANSWER, CHUL, LESSON, QUESTION, SLIP, STUDENTS, WEEK, instructor, right_answer, student

from grader.grading import verdict

pytestmark = [pytest.mark.browser, pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def handed_in(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the student hands in, after a named mistake and its mending."""
    folder = tmp_path_factory.mktemp("student")
    with student(chromium, folder, folder) as ada:
        ada.write(right_answer().replace(*SLIP))
        wrong = ada.result(2, "mistake")
        expect(wrong).to_contain_text("Perhaps: each different word counts once")
        ada.write(right_answer())
        right = ada.result(1, "mended")
        expect(right).to_contain_text("checks pass")
        expect(right).not_to_contain_text("✗")
        ada.answer(ANSWER)
        return ada.hand_in()


def test_a_student_mends_a_named_mistake_and_hands_in(handed_in: Path) -> None:
    receipt = json.loads(handed_in.with_suffix(".receipt.json").read_text(encoding="utf-8"))
    assert receipt["sha256"] == hashlib.sha256(handed_in.read_bytes()).hexdigest()
    states = {part["name"]: part["state"] for part in receipt["parts"]}
    assert states.pop(QUESTION) == "written"
    assert states.pop("gpt2_in_korean") == "empty"
    assert states.pop("metrics") == "runs"
    assert set(states.values()) == {"passes"}, states


def test_an_instructor_grades_reads_and_exports(handed_in: Path, chromium: Browser, tmp_path: Path) -> None:
    kim = instructor(chromium, tmp_path / "course", tmp_path)
    printed = kim.take_in_and_grade()
    assert printed.count("/2] ") == 2, printed
    kim.put(handed_in)
    assert kim.in_formgrader(tmp_path / "private") == f"Successfully autograded '{WEEK}' for student '{ADA}'."
    found = verdict.load(kim.root / "verdicts" / ADA / WEEK / f"{LESSON}.json")
    assert found is not None
    assert (found.status, found.sandbox, found.earned) == ("graded", "bubblewrap (etude-warm)", found.points)
    page = kim.read("class.html", "class_page")
    expect(page.get_by_role("heading", level=1)).to_contain_text("the class")
    expect(page.get_by_role("table", name="Mistakes that the grader named").get_by_role("row").nth(1)).to_be_visible()
    rows = {row["Full name"]: row["Grade"] for row in kim.export()}
    totals = kim.totals()
    assert totals[ADA].score == found.points + 1.5
    assert {name: float(grade) for name, grade in rows.items()} == {
        STUDENTS[who]: pytest.approx(100 * total.score / total.points, abs=0.01) for who, total in totals.items()
    }
    assert totals[CHUL].score < totals[ADA].score
