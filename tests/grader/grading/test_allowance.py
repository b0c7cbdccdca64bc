"""Limits are multiples of what the reference spends, never less than what the course grants, and always leave time for checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from small import course_file

from grader.course import Course, CourseError, Lesson
from grader.grading import allowance
from grader.grading.notebook import Notebook
from grader.grading.usage import METRICS, CheckUsage, Usage

CHEAP = Usage(cells=[0.1, 0.2], checks={"test_it": CheckUsage(seconds=0.01, requests=2, reply_bytes=100)})
DEAR = Usage(
    cells=[1.0, 8.0, 3.0],
    checks={
        "test_it": CheckUsage(seconds=2.0, own_seconds=4.0, requests=200, reply_bytes=1 << 20),
        METRICS: CheckUsage(seconds=1.0),
    },
)


def lesson(root: Path, limits: str = "") -> Lesson:
    text = course_file("count", cell_seconds=30, notebook_seconds=60)
    (root / "course.toml").write_text(text.replace("[limits]", f"[limits]\n{limits}"), encoding="utf-8")
    return Course(root).lesson("count")


def test_a_cheap_reference_leaves_what_the_course_grants(tmp_path: Path) -> None:
    allowed = allowance.of(lesson(tmp_path), CHEAP)
    assert (allowed.cell, allowed.notebook, allowed.checks) == (30, 60, 60)
    assert allowed.budgets["test_it"] == allowance.LEAST


def test_a_dear_reference_is_multiplied(tmp_path: Path) -> None:
    allowed = allowance.of(lesson(tmp_path, "times = 10"), DEAR)
    assert (allowed.cell, allowed.notebook, allowed.checks) == (80, 120, 60)
    budget = allowed.budgets["test_it"]
    assert (budget.seconds, budget.requests, budget.reply_bytes) == (20, 2000, 10 << 20)
    assert allowed.own_seconds["test_it"] == 40


def test_a_machine_of_half_the_speed_grants_twice_the_seconds(tmp_path: Path) -> None:
    one = lesson(tmp_path, "times = 10")
    slow = Usage(
        cells=[2 * seconds for seconds in DEAR.cells],
        checks={name: check.model_copy(update={"seconds": 2 * check.seconds}) for name, check in DEAR.checks.items()},
    )
    fast, slow_one = allowance.of(one, DEAR), allowance.of(one, slow)
    assert slow_one.cell == 2 * fast.cell
    assert slow_one.budgets["test_it"].seconds == 2 * fast.budgets["test_it"].seconds


def test_the_sandbox_has_time_for_cells_and_checks(tmp_path: Path) -> None:
    one = lesson(tmp_path, "times = 10")
    allowed = allowance.of(one, DEAR)
    limits = allowed.sandbox_limits(one)
    assert limits["cpu_s"] >= allowed.notebook + allowed.checks
    assert limits["wall_s"] >= limits["cpu_s"]
    assert limits["memory_mb"] == 1024


def test_what_an_instructor_sets_holds(tmp_path: Path) -> None:
    one = lesson(tmp_path, "times = 10\nwall_s = 500\ncpu_s = 400")
    limits = allowance.of(one, DEAR).sandbox_limits(one)
    assert (limits["wall_s"], limits["cpu_s"]) == (500, 400)


@pytest.mark.parametrize("limits", ["wall_s = 60", "cpu_s = 30"])
def test_a_limit_that_leaves_nothing_for_the_checks_is_refused(tmp_path: Path, limits: str) -> None:
    name = limits.split()[0]
    with pytest.raises(CourseError, match=rf"{name} = \d+ leaves nothing for the checks.*write more, or leave"):
        _ = lesson(tmp_path, limits).sandbox_limits


def test_nor_is_one_taken_that_leaves_nothing_on_this_machine(tmp_path: Path) -> None:
    one = lesson(tmp_path, "times = 10\nwall_s = 130")
    with pytest.raises(
        CourseError, match=r"wall_s = 130 leaves nothing.*a notebook may spend 120 s here and a check 20 s"
    ):
        allowance.of(one, DEAR)


@pytest.mark.parametrize("name", ["times", "cell_seconds", "notebook_seconds"])
def test_nothing_is_no_limit(tmp_path: Path, name: str) -> None:
    text = course_file("count").replace("cell_seconds = 60\nnotebook_seconds = 60", "")
    (tmp_path / "course.toml").write_text(text.replace("[limits]", f"[limits]\n{name} = 0"), encoding="utf-8")
    with pytest.raises(CourseError, match=f"{name} = 0: write a whole number above 0"):
        _ = Course(tmp_path).lesson("count").sandbox_limits


def test_notebooks_of_other_courses_have_time_for_all_their_cells(tmp_path: Path) -> None:
    notebook = Notebook("hw", "one", "", tmp_path, {}, {"notebook_seconds": 300, "memory_mb": 2048})
    assert notebook.sandbox_limits["cpu_s"] > 300
    with pytest.raises(CourseError, match=r"c\.Grade\.limits: wall_s = 600 leaves nothing"):
        _ = Notebook("hw", "one", "", tmp_path, {}, {"wall_s": 600}).sandbox_limits
