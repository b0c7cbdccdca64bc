"""Test cells of another nbgrader course, run outside the notebook's process: in the grader's.

There they call the student's functions from afar, as a lesson's checks do. Patched asserts, comparisons that always
say yes and code that reads hidden tests do not reach them. What a test needs beside the student's names (imports,
helpers, data) is taken from the instructor's own cells above it.

Not every cell can be run so: one that trains a student's model here, or looks at a student's class, cannot. Which can
is found once, with the instructor's solution; what a student's code does never decides it.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import symtable
import tempfile
import traceback
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from grader.grading.own_time import OwnTimeOver, at_most
from grader.remote.budget import Budget
from grader.remote.client import Student
from grader.remote.codec import MAX_BYTES
from grader.remote.connection import KernelGone

REQUESTS = 100_000  # of one test cell
CELL = "<test cell>"
BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class Program:
    """What a test cell is outside the notebook.

    Attributes:
        names: those of the student, taken from the notebook's process.
        before: the instructor's statements that the cell needs, in the notebook's order.
        cell: the cell's own statements.
        last: the value that the cell ends with; None if it ends with a statement.
    """

    names: tuple[str, ...]
    before: ast.Module
    cell: ast.Module
    last: ast.Expression | None


@dataclass(frozen=True)
class Ran:
    """How a test cell ended.

    Attributes:
        ename: the name of its error; "" if there was none.
        line: of the cell, where the error came from; 0 if from elsewhere.
        shown: what Python would show of its last value; None if it ends without one.
    """

    ename: str = ""
    message: str = ""
    line: int = 0
    shown: str | None = None


@dataclass
class _Slice:
    """The statements that a cell needs, found from the last to the first."""

    statements: list[tuple[ast.stmt, bool]]  # of the cells above, in order; whether the student writes it
    taken: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def need(self, wanted: Iterable[str], above: int) -> None:
        """Looks for what gives each name its value above a statement's number: the instructor's code, or else the student."""
        for name in wanted:
            place = next((i for i in reversed(range(above)) if name in bound(self.statements[i][0])), None)
            if place is None or self.statements[place][1]:
                if place is not None or name not in BUILTINS:
                    self.names.add(name)
            elif place not in self.taken:
                self.taken.add(place)
                self.need(free(self.statements[place][0]), place)


def program(notebook: NotebookNode, grade_id: str) -> Program | None:
    """Writes a test cell of the released notebook, hidden tests and all, as a program; None if it is not plain Python."""
    above: list[tuple[ast.stmt, bool]] = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        rules, statements = cell.metadata.get("nbgrader", {}), _statements(cell)
        if rules.get("grade_id") == grade_id:
            break
        above += [(statement, bool(rules.get("solution"))) for statement in statements]
    else:
        return None
    if not statements:
        return None
    needed = _Slice(above)
    needed.need(free(ast.Module(statements, [])), len(above))
    last = statements[-1]
    value = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
    return Program(
        tuple(sorted(needed.names)),
        ast.Module([above[place][0] for place in sorted(needed.taken)], []),
        ast.Module(statements[:-1] if value else statements, []),
        value,
    )


def imports(notebook: NotebookNode) -> set[str]:
    """Names the modules that the notebook's cells import."""
    found = set[str]()
    for cell in notebook.cells:
        for node in ast.walk(ast.Module(_statements(cell), [])):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module)
    return found


def _statements(cell: NotebookNode) -> list[ast.stmt]:
    """Parses a cell; there is nothing in it if it is not plain Python."""
    if cell.cell_type != "code":
        return []
    try:
        return ast.parse(str(cell.source)).body
    except (SyntaxError, ValueError, RecursionError):  # a magic, or a shell's command
        return []


def bound(statement: ast.stmt) -> set[str]:
    """Finds the names that a statement gives a value, at the top of a notebook."""
    return {symbol.get_name() for symbol in _table(statement).get_symbols() if symbol.is_local()}


def free(code: ast.stmt | ast.Module) -> set[str]:
    """Finds the names of the notebook that code reads, in its functions too."""
    found, tables = set(), [_table(code)]
    while tables:
        table = tables.pop()
        top = table.get_type() == "module"
        found |= {
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_referenced() and (top or symbol.is_global())
        }
        tables += table.get_children()
    changed = (node.target for node in ast.walk(code) if isinstance(node, ast.AugAssign))
    return found | {target.id for target in changed if isinstance(target, ast.Name)}


def _table(code: ast.stmt | ast.Module) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(code), "<cell>", "exec")


@contextmanager
def _apart() -> Iterator[None]:
    """Keeps what a test writes, prints and sets about warnings from this process and its folder."""
    with (
        tempfile.TemporaryDirectory(prefix="etude-") as folder,
        contextlib.chdir(folder),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        yield


def run(test: Program, student: Student, seconds: float) -> Ran:
    """Runs a test cell on the student's names.

    Args:
        seconds: that the cell may take, of this process and of the student's.

    Raises:
        KernelGone: the student's process has ended.
    """
    student.begin(Budget(seconds, REQUESTS, MAX_BYTES))
    student = student.limit(seconds).in_place().whole()  # nbgrader forbids no function to change its arguments
    space: dict[str, Any] = {"__name__": "__main__"}
    try:
        with _apart(), at_most(seconds):
            space.update({name: student[name] for name in test.names if student.has(name)})
            exec(compile(test.before, "<above>", "exec"), space)
            exec(compile(test.cell, CELL, "exec"), space)
            value = None if test.last is None else eval(compile(test.last, CELL, "eval"), space)
            return Ran(shown=None if value is None else repr(value)[:1000])
    except OwnTimeOver as error:
        return Ran("TimeoutError", str(error))
    except KernelGone:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # what pytest.raises and pytest.skip raise is no Exception
        name, text, _ = student.explain(error)
        lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == CELL]
        return Ran(name, text[:4000], lines[0] if lines else 0)
