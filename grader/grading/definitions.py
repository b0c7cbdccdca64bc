"""A notebook without its experiments: what the functions of its exercises need, for a kernel that only answers checks."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Collection

import nbformat
from nbformat import NotebookNode

DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MAGIC = re.compile(r"^[ \t]*[%!].*$", re.MULTILINE)


def definitions(notebook: NotebookNode, ended: Collection[str] = ()) -> NotebookNode:
    """Keeps the parameters, imports and exercises whole, and of the student's own cells what they define.

    Args:
        ended: the ids of cells that have ended a kernel. Of an exercise's only what it defines is kept, one of these
            statements that ends a kernel in its turn is left out.
    """
    short: NotebookNode = nbformat.v4.new_notebook(metadata=notebook.metadata)
    for cell in notebook.cells:
        if cell.cell_type != "code" or cell.metadata.get("nbgrader", {}).get("grade"):
            continue
        if "nbgrader" in cell.metadata and cell.id not in ended:
            short.cells.append(copy.deepcopy(cell))
            continue
        # A cell for each: where one fails, those below it still run.
        for number, source in enumerate(_defining(cell.source)):
            statement = nbformat.v4.new_code_cell(source, id=f"{cell.id}-{number}")
            if statement.id not in ended:
                short.cells.append(statement)
    return short


def _defining(code: str) -> list[str]:
    """Cuts out the statements that import, define or name a constant; magics and commands of the shell are left out."""
    try:
        statements = ast.parse(code := MAGIC.sub("", code)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    kept = [one for one in statements if isinstance(one, DEFINING) or _names_a_constant(one)]
    return [_decorators(code, one) + (ast.get_source_segment(code, one) or "") for one in kept]


def _decorators(code: str, statement: ast.stmt) -> str:
    """Cuts out the lines of its decorators."""
    first = min((one.lineno for one in getattr(statement, "decorator_list", ())), default=statement.lineno)
    return "".join(code.splitlines(keepends=True)[first - 1 : statement.lineno - 1])


def _names_a_constant(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    try:
        ast.literal_eval(statement.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return all(isinstance(target, ast.Name) for target in targets)
