"""A notebook of which a part hangs, ends its process or runs out of time: the rest is asked all the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from etude.lesson.checks import Check, equal
from grader.grading.allowance import Allowance
from grader.grading.definitions import definitions
from grader.grading.execution import Execution, execute
from grader.grading.metrics import Metric
from grader.remote.budget import Budget
from grader.settings import PLAIN, Settings

pytestmark = pytest.mark.grading_path

HANG = "def f(x):\n    while True: pass"
ANSWER = {"nbgrader": {"grade_id": "f", "grade": False, "solution": True}}
TEST = {"nbgrader": {"grade_id": "check_f", "grade": True, "solution": False}}


def check(name: str, exercise: str) -> Check:
    return Check(name, exercise, 1, lambda student: equal(student[exercise](1), 2))


def cell(source: str, **metadata: Any) -> NotebookNode:
    made: NotebookNode = new_code_cell(source, metadata=metadata)
    return made


def executed(
    folder: Path,
    cells: list[NotebookNode],
    checks: list[Check],
    metrics: Mapping[str, Metric] | None = None,
    *,
    all_cells: float = 60,
    all_checks: float = 60,
) -> Execution:
    (folder / "lesson").mkdir()
    lesson: Any = SimpleNamespace(name="lesson", released=folder / "lesson.ipynb")
    suite: Any = SimpleNamespace(checks=checks, metrics=metrics or {})
    one = Budget(seconds=1, requests=100, reply_bytes=1 << 20)
    allowed = Allowance(60, all_cells, all_checks, {check.name: one for check in checks}, {})
    notebook = new_notebook(cells=cells)
    return execute(lesson, suite, notebook, Settings(kernel=PLAIN), allowed, folder / "results")


def test_an_exercise_that_hangs_uses_up_its_own_seconds_alone(tmp_path: Path) -> None:
    checks = [*(check(f"test_{n}", "f") for n in range(4)), check("test_of_g", "g")]
    execution = executed(tmp_path, [cell(HANG, **ANSWER), cell("def g(x): return 2")], checks, all_checks=2.5)
    assert execution.outcomes["test_of_g"].passed
    assert [outcome.message[:7] for outcome in execution.outcomes.values()][-1] == "not run"
    assert list(execution.outcomes)[:2] == ["test_0", "test_of_g"]


def test_exercises_below_the_cell_at_which_the_time_was_over_are_asked(tmp_path: Path) -> None:
    cells = [
        cell("one = 1\ndef helper(x): return x + one"),
        cell("weights = [1, 2]\nwhile True: pass"),
        cell("def f(x): return helper(x)", **ANSWER),
    ]
    metrics: dict[str, Any] = {"metric": lambda artifacts, student: len(student["weights"])}
    execution = executed(tmp_path, cells, [check("test_f", "f")], metrics, all_cells=2)
    assert execution.report.reason == "the notebook ran longer than 2 s"
    assert execution.outcomes["test_f"].passed
    assert execution.metrics == {"metric": (2, "")}  # which only the first kernel knows


def test_exercises_above_and_below_a_cell_that_ends_the_process_are_asked(tmp_path: Path) -> None:
    cells = [cell("def helper(x): return x + 1"), cell("import os; os._exit(1)"), cell("def f(x): return helper(x)")]
    assert executed(tmp_path, cells, [check("test_f", "f")]).outcomes["test_f"].passed


def test_definitions_keep_what_functions_need_and_run_no_experiment() -> None:
    own = "import math\nTAU: float = 6.28\nsizes = {'a': [1]}\nmodel = train()\nx.y = 1\nfor i in range(9): pass\nprint(1)"
    cells = [
        cell("raise SystemExit", **ANSWER),  # an answer stays whatever it does
        cell("check('f')", **TEST),
        cell(own),
        cell("%pip list"),
        cell("class A: pass\nasync def g(): pass\n@cache\ndef h(): pass\ntrain()"),
    ]
    sources = [one.source for one in definitions(new_notebook(cells=cells)).cells]
    assert sources == [
        "raise SystemExit",
        "import math\nTAU: float = 6.28\nsizes = {'a': [1]}",
        "",
        "class A:\n    pass\nasync def g():\n    pass\n@cache\ndef h():\n    pass",
    ]
    assert cells[2].source == own
