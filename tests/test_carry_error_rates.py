"""Error rates are carried over a change of the library alone, and only where the runs of both sides agree."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small import course_file

from etude.lesson import table
from grader.course import Course, Lesson
from grader.lessons import bank
from grader.lessons.bank import Answer
from grader.quality import calibrate, error_rates
from grader.quality.calibrate import Run
from tools import carry_error_rates
from tools.carry_error_rates import carry_over, stored

ROW = table.Expected("m", "smoke", 0.9, 0.03, 12, 0.8, 1.0, "higher", 3, "", "", "")
SAME = {"hold": True, "metrics": {"seed 2000": {"m": 0.1 + 0.2}, "words/nothing": {"m": None}}}


@pytest.fixture
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Lesson, Lesson]:
    """A lesson as it is, whose library has changed since its rates were measured, and as it was."""
    root, answer = tmp_path / "now", Answer("words", "nothing", "it gives nothing", None, "def words(): pass")
    folder = root / "solutions" / "week1_words" / "count"
    folder.mkdir(parents=True)
    (root / "course.toml").write_text(course_file("count", cell_seconds=1, notebook_seconds=5), encoding="utf-8")
    table.write(folder / "expected.csv", [ROW])
    for name in ("notebook.py", "hidden.py"):
        (folder / name).touch()
    monkeypatch.setattr(bank, "load", lambda lesson: [answer])
    monkeypatch.setattr(calibrate, "results", lambda lesson, tasks, *_: [Run({"m": 0.9}, 4.0, "") for _ in tasks])
    monkeypatch.setattr(calibrate, "inputs", lambda *_: "the library as it was")
    error_rates.measure(Course(root).lesson("count"), "smoke", 3, None, "auto", 1, lambda *_: None)
    shutil.copytree(root, tmp_path / "then")
    monkeypatch.setattr(calibrate, "inputs", lambda *_: "the library as it is")
    return Course(root).lesson("count"), Course(tmp_path / "then").lesson("count")


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """What the runs of either side give; none is made."""
    found = {"now": SAME, "then": SAME}
    monkeypatch.setattr(carry_error_rates, "looked_at", lambda lesson: found[lesson.course.root.name])
    return found


def test_rates_stay_and_say_what_was_compared(lessons: tuple[Lesson, Lesson], looks: dict[str, Any]) -> None:
    now, then = lessons
    (before,) = stored(now)
    assert not error_rates.are_current(now, "smoke")
    looks["now"] = SAME | {"metrics": {"seed 2000": {"m": 0.3}, "words/nothing": {"m": None}}}  # rounded otherwise
    assert carry_over(now, then, "1a2b3c4") == "carried over"
    (after,) = stored(now)
    assert error_rates.are_current(now, "smoke")
    assert after.provenance.startswith(before.provenance)
    assert after.provenance.endswith(": as at 1a2b3c4, to six digits, in seed 2000, words/nothing")
    assert carry_over(now, then, "1a2b3c4") == "of the code as it is"


def test_a_second_change_is_told_in_the_place_of_the_first(
    lessons: tuple[Lesson, Lesson], looks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, then = lessons
    carry_over(now, then, "1a2b3c4")
    shutil.copy(now.source / error_rates.FILE, then.source)
    monkeypatch.setattr(calibrate, "inputs", lambda *_: "the library once more")
    assert carry_over(now, then, "5d6e7f8") == "carried over"
    assert stored(now)[0].provenance.count("; carried over") == 1


def another_notebook(now: Lesson, looks: dict[str, Any]) -> None:
    (now.source / "notebook.py").write_text("x = 1", encoding="utf-8")


def another_interval(now: Lesson, looks: dict[str, Any]) -> None:
    table.write(
        now.source / "expected.csv", [table.Expected("m", "smoke", 0.9, 0.03, 12, 0.7, 1.0, "higher", 3, "", "", "")]
    )


def another_metric(now: Lesson, looks: dict[str, Any]) -> None:
    looks["now"] = SAME | {"metrics": {"seed 2000": {"m": 0.30001}, "words/nothing": {"m": None}}}


def a_value_where_there_was_none(now: Lesson, looks: dict[str, Any]) -> None:
    looks["now"] = SAME | {"metrics": {"seed 2000": {"m": 0.3}, "words/nothing": {"m": 0.3}}}


def old_rates(now: Lesson, looks: dict[str, Any]) -> None:
    looks["then"] = SAME | {"hold": False}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (another_notebook, "the lesson, its metrics or its wrong answers have changed"),
        (another_interval, "the table's intervals have changed"),
        (another_metric, "m is 0.30001 now, 0.30000000000000004 before (seed 2000)"),
        (a_value_where_there_was_none, "m is 0.3 now, None before (words/nothing)"),
        (old_rates, "at 1a2b3c4 the rates were of other code"),
    ],
)
def test_what_is_not_the_same_is_to_be_measured_anew(
    lessons: tuple[Lesson, Lesson], looks: dict[str, Any], change: Callable[[Lesson, dict[str, Any]], None], says: str
) -> None:
    now, then = lessons
    before = (now.source / error_rates.FILE).read_bytes()
    change(now, looks)
    said = carry_over(now, then, "1a2b3c4")
    assert said.startswith("measure anew: ")
    assert says in said
    assert (now.source / error_rates.FILE).read_bytes() == before
