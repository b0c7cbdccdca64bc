"""What the test cells of another nbgrader course earned, by nbgrader's rules.

An error or a cell that was not run earns nothing, a number as the last value is partial credit, all else is full credit.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field

from nbformat import NotebookNode

from grader.grading import outside
from grader.grading.verdict import CheckResult, ExerciseResult
from grader.kernels.run_report import CellRun, RunReport


@dataclass
class Run:
    """What came of a notebook: its cells' run, and test cell → how it ended outside.

    Attributes:
        ended: whether its kernel has ended, by a cell or by a test.
    """

    report: RunReport
    outside: dict[str, outside.Ran] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    ended: bool = False


def is_test(cell: NotebookNode) -> bool:
    """Tells whether nbgrader scores the cell by itself: graded code that the student does not write."""
    rules = cell.metadata.get("nbgrader", {})
    return bool(cell.cell_type == "code" and rules.get("grade") and not rules.get("solution"))


def tests(notebook: NotebookNode) -> list[NotebookNode]:
    """Lists the notebook's test cells, in order."""
    return [cell for cell in notebook.cells if is_test(cell)]


def scores(released: NotebookNode, asked: Collection[str], done: Run, reason: str) -> list[ExerciseResult]:
    """Scores every test cell of the released notebook.

    Args:
        asked: names of those that run outside the notebook.
        reason: why it ended early, if it did.
    """
    executed, runs = done.report.notebook.cells, {run.index: run for run in done.report.cells}
    ran = {cell.metadata.nbgrader.grade_id: (cell, runs.get(i)) for i, cell in enumerate(executed) if is_test(cell)}
    results = []
    for cell in tests(released):
        name = cell.metadata.nbgrader.grade_id
        if name in asked:
            result = _asked_result(cell, done.outside.get(name), reason)
        else:
            result = _result(*ran.get(name, (cell, None)), reason)
        results.append(ExerciseResult(name=name, checks=[result]))
    return results


def _unknown(cell: NotebookNode) -> CheckResult:
    rules = cell.metadata.nbgrader
    return CheckResult(
        name=rules.grade_id, title=rules.grade_id, hidden=False, points=float(rules.points), status="error"
    )


def _result(cell: NotebookNode, run: CellRun | None, reason: str) -> CheckResult:
    """Scores a test cell that ran in the kernel."""
    result = _unknown(cell)
    if run is None and not reason:
        result.status = "passed"  # an empty cell tests nothing
    elif run is None or run.status == "not run":
        result.message = f"it was not run: {reason or 'the notebook ended before it'}"
    elif run.status == "ok":
        result.status, result.partial = "passed", partial_credit(cell, result.points)
    else:
        result.status = "failed" if run.ename == "AssertionError" else "error"
        result.message = run.error[:4000]
    result.seconds = round(run.seconds, 4) if run else 0.0
    return result


def _asked_result(cell: NotebookNode, ran: outside.Ran | None, reason: str) -> CheckResult:
    """Scores a test cell that ran outside, with the line that failed; feedback hides it if it is hidden."""
    result = _unknown(cell)
    if ran is None:
        result.message = f"it was not run: {reason or 'the notebook ended before it'}"
    elif not ran.ename:
        result.status = "passed"
        result.partial = None if ran.shown is None else credit(ran.shown, result.points)
    else:
        result.status = "failed" if ran.ename == "AssertionError" else "error"
        line = ["", *cell.source.splitlines()][ran.line].strip()
        result.message = f"{ran.ename}: {ran.message}\n{line}".rstrip()
    return result


def partial_credit(cell: NotebookNode, most: float) -> float | None:
    """Reads the number that the cell ended with, within 0 and `most`; None if it is no number, and all points are earned."""
    for output in reversed(cell.outputs):  # a student's code may have shown others before
        if output.output_type == "execute_result":
            return credit(output.data.get("text/plain"), most)
    return None


def credit(shown: object, most: float) -> float | None:
    """Reads what Python shows of a value as points within 0 and `most`; None if it is no number."""
    try:
        value = float(shown)  # type: ignore[arg-type]  # whatever a notebook's file holds
    except (TypeError, ValueError):
        return None
    return 0.0 if math.isnan(value) else min(max(value, 0.0), most)
