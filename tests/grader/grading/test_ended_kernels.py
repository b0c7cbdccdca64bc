"""A plain course's notebook whose cells or tests end its kernel: every test outside that can be asked is asked."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from grader.grading import notebook as notebooks
from grader.grading.cell_scores import Run
from grader.grading.notebook import Notebook
from grader.settings import PLAIN, Settings

pytestmark = pytest.mark.grading_path

ANSWER = "import os\ndef f(x):\n    return x + 1 if x else os._exit(1)"


def graded(name: str, source: str) -> NotebookNode:
    rules = {"grade_id": name, "grade": True, "solution": False, "locked": True, "points": 1}
    made: NotebookNode = new_code_cell(source, metadata={"nbgrader": rules})
    return made


def answer(source: str) -> NotebookNode:
    made: NotebookNode = new_code_cell(
        source, metadata={"nbgrader": {"grade_id": "f", "grade": False, "solution": True}}
    )
    return made


def run(folder: Path, *cells: NotebookNode) -> Run:
    (folder / "submitted").mkdir()
    made = new_notebook(cells=list(cells))
    outside = tuple(cell.metadata.nbgrader.grade_id for cell in cells if "points" in cell.metadata.get("nbgrader", {}))
    notebook = Notebook("hw", "f", nbformat.writes(made), folder / "none", outside=outside)
    return notebooks.run(notebook, made, folder / "submitted", Settings(kernel=PLAIN))


def names(done: Run) -> dict[str, str]:
    return {name: ran.ename for name, ran in done.outside.items()}


@pytest.mark.parametrize("end", ["os._exit(3)", "exit()"])
def test_tests_above_a_cell_that_ends_the_kernel_are_asked_and_those_below_are_not(tmp_path: Path, end: str) -> None:
    above, below = graded("above", "assert f(1) == 2"), graded("below", "assert f(1) == 2")
    done = run(tmp_path, answer(ANSWER), above, new_code_cell(end), below)
    assert names(done) == {"above": ""}
    assert not done.report.alive
    assert (done.report.reason == "a cell has called exit()") == (end == "exit()")


def test_a_last_cell_that_leaves_ends_the_notebook_and_costs_no_test(tmp_path: Path) -> None:
    done = run(tmp_path, answer(ANSWER), graded("above", "assert f(1) == 2"), new_code_cell("exit()"))
    assert names(done) == {"above": ""}
    assert not done.report.alive


def test_a_test_that_ends_the_kernel_costs_no_other(tmp_path: Path) -> None:
    tests = [graded("one", "assert f(1) == 2"), graded("two", "f(0)"), graded("three", "assert f(1) == 1")]
    assert names(run(tmp_path, answer(ANSWER), *tests)) == {"one": "", "two": "KernelGone", "three": "AssertionError"}


HANGS = """
def f(x):
    while x == 0:
        try:
            while True: pass
        except BaseException: pass
    return x + 1
"""


def test_a_test_that_hangs_for_good_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(notebooks.LIMITS, "cell_seconds", 1)
    tests = [graded("one", "f(0)"), graded("two", "assert f(1) == 2")]
    assert names(run(tmp_path, answer(HANGS), *tests)) == {"one": "StudentTimeout", "two": ""}


def test_who_ends_every_kernel_is_given_a_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebooks, "MOST_KERNELS", 2)
    tests = [graded(name, "f(0)") for name in "abc"]
    assert names(run(tmp_path, answer(ANSWER), *tests)) == {"a": "KernelGone", "b": "KernelGone"}
