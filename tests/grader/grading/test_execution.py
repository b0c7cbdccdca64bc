"""A notebook of which a part hangs, ends its process or runs out of time: the rest is asked all the same."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from etude.lesson.checks import Check, equal
from grader.grading.allowance import Allowance
from grader.grading.definitions import definitions
from grader.grading.execution import MOST_KERNELS, Execution, execute
from grader.grading.metrics import Metric
from grader.kernels.run_report import RunReport
from grader.kernels.runner import run_notebook
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
        *("import math", "TAU: float = 6.28", "sizes = {'a': [1]}"),
        *("class A: pass", "async def g(): pass", "@cache\ndef h(): pass"),
    ]
    assert cells[2].source == own


JOIN = "def f(xs): return f\"{'\u3000'.join(xs)}\""  # ast.unparse cannot write it
SUM = "def f(): return " + "1 + " * 400 + "1"


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("%%time\ndef f(): pass\n!ls", ["def f(): pass"]),
        ("%%script false\ndef f(): pass", []),
        ("xs = !ls\nh?\ndef f(): return (\n    5\n    % 2\n)", ["def f(): return (\n    5\n    % 2\n)"]),
        ("s = 'a\u2028b'\n@cache\ndef f(): '\x0c'\r\n", ["s = 'a\u2028b'", "@cache\ndef f(): '\x0c'"]),
        ("inc = lambda x: fit(x)\nA, B = 2**10, set('ab')\nC = re.compile('a'); D = fit()", None),
        ("try:\n    import regex\nexcept ImportError:\n    regex = None", None),
        ("if fit():\n    def f(): pass", []),
        ("x = " + "1 + " * 1500 + "1\nimport os", ["import os"]),
        ("a = 1\n" * 500, ["\n".join(["a = 1"] * 500)]),
        ("a = 1;" * 50_000, []),
        (" " * 90_000 + "(", []),
        ("!ls\n" * 4000, []),
        ("a = '" + "x" * 200_000 + "'", []),
        (JOIN, [JOIN]),
        (SUM, [SUM]),
        ("@a\n@b(\n    1)\nclass C:\n    '눈'", ["@a\n@b(\n    1)\nclass C:\n    '눈'"]),
        ("y = '눈'; train(); import os", ["y = '눈'", "import os"]),
        ("-" * 10_000 + "1", []),
        ("a" + "\u0327\u0301" * 40_000 + " = 1", []),  # Python would take four seconds
        ("(", []),
        ("\0", []),
    ],
)
def test_any_cell_of_a_students_is_cut_or_left_out(code: str, kept: list[str] | None) -> None:
    found = [one.source for one in definitions(new_notebook(cells=[cell(code)])).cells]
    assert (
        found == kept if kept is not None else "\n".join(found) == code.removesuffix("; D = fit()").replace("; ", "\n")
    )


def test_beyond_a_bound_of_own_code_exercises_alone_are_kept() -> None:
    cells = [*(cell("a = 1;" * 2000) for _ in range(9)), cell("f = 1", **ANSWER), cell("b = 1")]
    sources = [one.source for one in definitions(new_notebook(cells=cells)).cells]
    assert [len(source.split()) // 3 for source in sources] == [2000, 2000, 1]


def test_what_has_ended_a_kernel_is_reduced_and_then_left_out() -> None:
    answer = cell("def f(x): return 2\nclass A: exit()\ntrain()", **ANSWER)
    cells = definitions(new_notebook(cells=[answer]), {answer.id}).cells
    assert [one.source for one in cells] == ["def f(x): return 2", "class A: exit()"]
    again = definitions(new_notebook(cells=[answer]), {answer.id, cells[1].id}).cells
    assert [one.source for one in again] == ["def f(x): return 2"]


def test_an_exercise_whose_cell_ends_the_process_is_asked_with_the_others(tmp_path: Path) -> None:
    cells = [
        cell("def g(x): return 2", **ANSWER),
        cell("import os\ndef f(x): return 2\nos._exit(1)", **ANSWER),
        cell("def h(x): return 2", **ANSWER),
    ]
    found = executed(tmp_path, cells, [check(f"test_{name}", name) for name in "fgh"])
    assert [outcome.passed for outcome in found.outcomes.values()] == [True] * 3


def test_no_check_is_answered_twice(tmp_path: Path) -> None:
    cells = [
        cell("full = bool(1)"),  # no constant, so the second kernel does not know it
        cell("def f(x): return 1 if 'full' in globals() else 2", **ANSWER),
        cell("while True: pass"),
        cell("def g(x): return 2", **ANSWER),
    ]
    outcomes = executed(tmp_path, cells, [check("test_f", "f"), check("test_g", "g")], all_cells=2).outcomes
    assert not outcomes["test_f"].passed
    assert outcomes["test_g"].passed


def test_time_over_and_a_check_that_ends_the_process_cost_no_other(tmp_path: Path) -> None:
    cells = [
        cell("import os\ndef f(x): os._exit(1)", **ANSWER),
        cell("while True: pass"),
        cell("def g(x): return 2", **ANSWER),
    ]
    outcomes = executed(tmp_path, cells, [check("test_g", "g"), check("test_f", "f")], all_cells=2).outcomes
    assert outcomes["test_g"].passed


def test_kernels_are_few_and_those_of_definitions_have_the_time_of_one_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    def run(*words: Any, notebook_timeout: float, **more: Any) -> RunReport:
        limits.append(notebook_timeout)
        return run_notebook(*words, notebook_timeout=notebook_timeout, **more)

    monkeypatch.setattr("grader.grading.execution.run_notebook", run)
    work = "import os, time\nwhile time.process_time() < start + 0.2: pass\ndef f(x): os._exit(1)"
    cells = [cell(f"start = __import__('time').process_time()\n{work}", **ANSWER)]
    found = executed(tmp_path, cells, [check(f"test_{n}", "f") for n in range(9)])
    assert len(found.outcomes) == len(limits) == MOST_KERNELS
    assert limits[0] == limits[1] == 60
    assert all(later < earlier - 0.1 for earlier, later in pairwise(limits[1:]))
