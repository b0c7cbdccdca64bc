"""What became of a notebook that was run: facts about its cells and its kernel, without a judgement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from nbformat import NotebookNode

OnCell = Callable[[int, int, NotebookNode], None]


@dataclass
class CellRun:
    """What became of one code cell.

    Attributes:
        index: its place in the executed notebook.
        seconds: by the clock.
        spent: seconds as the kernel's meter counts them.
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
