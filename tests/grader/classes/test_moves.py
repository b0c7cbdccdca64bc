"""Whose points move between two verdicts, which check moved them, and what had changed."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from typer.testing import CliRunner
from verdicts import exercise, graded

from grader.classes.moves import Move, moves, table, what_changed
from grader.cli import app
from grader.grading.verdict import CheckResult, ExerciseResult, MetricResult, Verdict

METRIC = MetricResult(name="analogies", value=0.5, low=0.4, high=1, better="higher", points=2, share=1)
CHANGED = "the lesson's checks or tables, or the grader"


def found(before: Verdict, now: Verdict) -> list[Move]:
    return list(moves({("ada", "l"): before}, {("ada", "l"): now}))


def test_an_exercise_that_moved_is_told_with_the_check_that_moved_it() -> None:
    before = graded("ada", inputs="old", exercises=[exercise("one", 3, 3), exercise("two", 1, 3)])
    now = graded("ada", inputs="new", exercises=[exercise("one", 2, 3), exercise("two", 1, 3)])
    assert found(before, now) == [Move("ada", now.lesson, "one", 3, 2, 3, ["test_one 3 → 2"], CHANGED)]


def test_points_that_move_one_up_and_one_down_are_told_though_the_sum_is_the_same() -> None:
    before = graded("ada", exercises=[exercise("one", 3, 3), exercise("two", 1, 3)])
    now = graded("ada", exercises=[exercise("one", 1, 3), exercise("two", 3, 3)])
    assert [(move.exercise, move.before, move.now) for move in found(before, now)] == [("one", 3, 1), ("two", 1, 3)]


def test_a_check_or_an_exercise_that_is_new_or_gone_is_told() -> None:
    def check(name: str) -> CheckResult:
        return CheckResult(name=name, title="", hidden=False, points=1, status="passed")

    before = graded(
        "ada", exercises=[ExerciseResult(name="one", checks=[check("a"), check("b")]), exercise("two", 1, 1)]
    )
    now = graded("ada", exercises=[ExerciseResult(name="one", checks=[check("a")]), exercise("three", 2, 2)])
    assert [(move.exercise, move.made_by) for move in found(before, now)] == [
        ("one", ["b 1 → gone"]),
        ("three", ["test_three new: 2 of 2"]),
        ("two", ["test_two 1 → gone"]),
    ]


def test_metrics_move_too() -> None:
    now = graded("ada", metrics=[METRIC.model_copy(update={"share": 0.25})])
    [move] = found(graded("ada", metrics=[METRIC]), now)
    assert (move.exercise, move.before, move.now, move.made_by) == ("metrics", 2, 0.5, ["analogies 2 → 0.5"])


def test_who_has_no_verdict_yet_moves_nothing() -> None:
    assert list(moves({}, {("ada", "l"): graded("ada", exercises=[exercise("one", 3, 3)])})) == []


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ({"submission": "other"}, "the notebook"),
        ({"versions": {"torch": "2.14"}}, "torch 2.13 → 2.14"),
        ({"seed": 1, "inputs": "other"}, "seed 0 → 1"),
        ({"inputs": "other"}, CHANGED),
        ({}, "nothing: graded anew"),
    ],
)
def test_what_had_changed_is_told(now: dict[str, object], told: str) -> None:
    before = graded("ada", versions={"torch": "2.13"})
    assert what_changed(before, before.model_copy(update=now)) == told


def test_the_table_commands_nothing_and_fits_a_log_of_80_columns() -> None:
    student = "eve\x1b[2J\n\u202e" + "유" * 30
    console = Console(file=io.StringIO(), width=80)
    console.print(table([Move(student, "week1/l", "one", 3, 2, 3, ["test_" + "a" * 200], "[red]no markup[/]")]))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "3.00" in text
    assert "[red]" in "".join(text.split())


def test_taking_in_would_store_so_it_is_refused_in_a_dry_run() -> None:
    result = CliRunner().invoke(app, ["autograde", "word2vec", "--dry-run", "--take-in", "."])
    assert result.exit_code == 1
    assert "--dry-run stores nothing" in result.output
