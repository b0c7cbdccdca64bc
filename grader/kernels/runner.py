"""Runs a notebook cell by cell in a kernel that stays alive, and reports what really ran.

`run_notebook` is for the grader; papermill finds the same as its engine `etude` (`papermill --engine etude`, or
`papermill.execute_notebook(..., engine_name="etude", session=...)`). This module must not know what cells mean or earn:
an error in a cell is a fact to report, and output on stderr is only output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbformat import NotebookNode

from grader.kernels.parameters import with_parameters
from grader.kernels.run_report import OnCell, RunReport
from grader.kernels.session import KernelSession


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

    A cell that is late is interrupted; if it ignores that three times, its kernel is killed.

    Args:
        cell_timeout: seconds for a cell, as the session's meter counts them.
        notebook_timeout: seconds for all cells, as the session's meter counts them.
        on_cell: `on_cell(index, total, cell)` is called after each cell, also of text.
        allow_errors: if False, the first cell that does not end well is the last.

    Raises:
        KernelGone: the kernel is not ready.
        ValueError: a parameter is not plain data.
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
    """Imports the engine's class late: papermill loads its engines, this one among them, while it is being imported.

    So papermill comes first here, and grader.kernels.papermill_engine is never half imported when papermill asks for it.
    """
    import papermill.engines  # noqa: F401

    from grader.kernels.papermill_engine import KeepAliveEngine

    return KeepAliveEngine


def __getattr__(name: str) -> Any:
    if name == "KeepAliveEngine":
        return _engine()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
