"""Runs a notebook cell by cell in a kernel that stays alive, and reports what really ran.

`run_notebook` is for the grader; papermill finds the same as its engine `etude` (`papermill --engine etude`, or
`papermill.execute_notebook(..., engine_name="etude", session=...)`). This module must not know what cells mean or earn:
an error in a cell is a fact to report, and output on stderr is only output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from nbformat import NotebookNode

from grader.kernel import KernelSession
from grader.parameters import with_parameters

OnCell = Callable[[int, int, NotebookNode], None]


@dataclass
class CellRun:
    """What became of one code cell. index: its place in the executed notebook.

    seconds: by the clock; spent: as the kernel's meter counts them.
    """

    index: int
    status: Literal["ok", "error", "timeout", "not run"] = "not run"
    seconds: float = 0.0
    spent: float = 0.0
    ename: str = ""
    message: str = ""

    @property
    def error(self) -> str:
        """One line for a person, empty if the cell ran well."""
        return f"{self.ename}: {self.message}" if self.ename else self.message


@dataclass
class RunReport:
    """What became of a notebook: its outputs, its code cells that are not empty, and its kernel."""

    notebook: NotebookNode
    cells: list[CellRun] = field(default_factory=list)
    alive: bool = False
    reason: str | None = None  # why the kernel has ended, or why cells at the end were not run


def run_notebook(
    nb: NotebookNode,
    session: KernelSession,
    *,
    parameters: Mapping[str, Any],
    cell_timeout: float,
    notebook_timeout: float,
    on_cell: OnCell | None = None,
    allow_errors: bool = True,
) -> RunReport:
    """Runs every cell of a copy of the notebook, with the grader's parameters, and keeps the session's kernel.

    Timeouts are in seconds, as the session's meter counts them. A cell that is late is interrupted; if it ignores that
    three times, its kernel is killed. `on_cell(index, total, cell)` is called after each cell, also of text. Without
    `allow_errors` the first cell that does not end well is the last. Raises KernelGone if the kernel is not ready,
    ValueError for a parameter that is not plain data.
    """
    report = RunReport(with_parameters(nb, parameters))
    report.notebook = _engine().execute_notebook(
        report.notebook,
        session.kernel_name,
        progress_bar=False,
        autosave_cell_every=0,
        session=session,
        cell_timeout=cell_timeout,
        notebook_timeout=notebook_timeout,
        on_cell=on_cell,
        allow_errors=allow_errors,
        report=report,
    )
    return report


def _engine() -> Any:
    """The engine's class, imported late: papermill loads its engines, this one among them, while it is being imported.

    So papermill comes first here, and grader.papermill_engine is never half imported when papermill asks for it.
    """
    import papermill.engines  # noqa: F401

    from grader.papermill_engine import KeepAliveEngine

    return KeepAliveEngine


def __getattr__(name: str) -> Any:
    if name == "KeepAliveEngine":
        return _engine()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
