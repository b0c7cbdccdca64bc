"""A notebook without its experiments: what the functions of its exercises need, for a kernel that only answers checks."""

from __future__ import annotations

import ast
import copy

import nbformat
from nbformat import NotebookNode

DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def definitions(notebook: NotebookNode) -> NotebookNode:
    """Keeps the parameters, imports and exercises, and what the student's own cells define."""
    short: NotebookNode = nbformat.v4.new_notebook(metadata=notebook.metadata)
    for cell in notebook.cells:
        if cell.cell_type != "code" or cell.metadata.get("nbgrader", {}).get("grade"):
            continue
        kept = copy.deepcopy(cell)
        if "nbgrader" not in cell.metadata:
            kept.source = _defining(cell.source)
        short.cells.append(kept)
    return short


def _defining(code: str) -> str:
    """Keeps the statements that import, define or name a constant; nothing of what is not plain Python."""
    try:
        statements = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):  # a magic, or a shell's command
        return ""
    return "\n".join(ast.unparse(one) for one in statements if isinstance(one, DEFINING) or _names_a_constant(one))


def _names_a_constant(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    try:
        ast.literal_eval(statement.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return all(isinstance(target, ast.Name) for target in targets)
