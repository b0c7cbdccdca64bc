"""A notebook without its experiments: what the functions of its exercises need, for a kernel that only answers checks."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Collection, Iterable

import nbformat
from nbformat import NotebookNode

DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)
COMPUTING = (
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
    ast.NamedExpr,
)
# Calls that only make a value.
MAKING = {"set", "frozenset", "dict", "list", "tuple", "range", "len", "str", "int", "float", "re.compile"}
MAKING |= {
    "Counter",
    "defaultdict",
    "namedtuple",
    "collections.Counter",
    "collections.defaultdict",
    "collections.namedtuple",
}
TIMED = re.compile(r"\A\s*%%(time|capture)\b.*\n")  # magics whose cell runs as it stands
MAGIC = re.compile(r"^[ \t]*+(%%?\w.*|!(?!=).*|\?.*|.*\?|[\w, ]++=[ \t]*+[%!].*)$", re.MULTILINE)
# Of all cells of the student's own, a ; ends a line too: this process has no limit, so it looks at no more.
MOST_CHARACTERS, MOST_LINES = 100_000, 5000
ENDS = re.compile(r"[\n\r;]")
# Python brings a name into a normal form, and needs minutes for one of 200,000 accents, in a call that nothing interrupts.
UNBROKEN = re.compile(r"[^\x00-\x7f]{1000}")
MOST_CELLS = 100  # that one of them becomes: more statements than that stay together


def definitions(notebook: NotebookNode, ended: Collection[str] = ()) -> NotebookNode:
    """Keeps the parameters, imports and exercises whole, and of the student's own cells what they define.

    Args:
        ended: the ids of cells that have ended a kernel. Of an exercise's only what it defines is kept, one of these
            statements that ends a kernel in its turn is left out.
    """
    short: NotebookNode = nbformat.v4.new_notebook(metadata=notebook.metadata)
    characters, lines = MOST_CHARACTERS, MOST_LINES
    for cell in notebook.cells:
        if cell.cell_type != "code" or cell.metadata.get("nbgrader", {}).get("grade"):
            continue
        if "nbgrader" in cell.metadata and cell.id not in ended:
            short.cells.append(copy.deepcopy(cell))
            continue
        characters, lines = characters - len(cell.source), lines - 1 - len(ENDS.findall(cell.source))
        if characters < 0 or lines < 0:
            continue
        # A cell for each: where one fails, those below it still run.
        for number, source in enumerate(_defining(cell.source)):
            statement = nbformat.v4.new_code_cell(source, id=f"{cell.id}-{number}")
            if statement.id not in ended:
                short.cells.append(statement)
    return short


def _defining(code: str) -> list[str]:
    """Cuts out the statements that define something and compute nothing; of magics and commands of the shell there is nothing."""
    code = code.replace("\r\n", "\n").replace("\r", "\n")  # as ast does
    statements = _parsed(code)
    if statements is None:
        code = TIMED.sub("", code)
        statements = None if code.lstrip().startswith("%%") else _parsed(code := MAGIC.sub("", code))
    kept = [one for one in statements or () if _defines(one)]
    lines = code.encode().split(b"\n")  # as ast counts lines and columns
    sources = [_cut(lines, one) for one in kept]
    return sources if len(sources) <= MOST_CELLS else ["\n".join(sources)]


def _parsed(code: str) -> list[ast.stmt] | None:
    """Parses the code; None if it is not Python, or could take long."""
    if UNBROKEN.search(code):
        return None
    try:
        return ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _cut(lines: list[bytes], statement: ast.stmt) -> str:
    """Cuts the statement out of the cell, with its decorators."""
    above = [one.lineno for one in getattr(statement, "decorator_list", ())]
    first, begin = (min(above), 0) if above else (statement.lineno, statement.col_offset)
    part = lines[first - 1 : statement.end_lineno]
    part[-1] = part[-1][: statement.end_col_offset]
    part[0] = part[0][begin:]
    return b"\n".join(part).decode()


def _defines(statement: ast.stmt) -> bool:
    """Tells whether the statement imports, defines or names something, or does one of these in a branch, and computes nothing."""
    try:
        return _only_defines(statement)
    except RecursionError:  # a sum of a thousand terms
        return False


def _only_defines(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=targets, value=value):
            return all(map(_is_name, targets)) and not _computes(value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _is_name(target) and not _computes(value)
        case ast.If(test=test, body=body, orelse=orelse):
            return not _computes(test) and _all_define((*body, *orelse))
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=last):
            return _all_define((*body, *(one for handler in handlers for one in handler.body), *orelse, *last))
    return isinstance(statement, DEFINING)


def _all_define(statements: Iterable[ast.stmt]) -> bool:
    return all(map(_defines, statements))


def _is_name(target: ast.expr) -> bool:
    """Tells whether it is a name, or several."""
    return isinstance(target, ast.Name) or (isinstance(target, ast.Tuple) and all(map(_is_name, target.elts)))


def _computes(expression: ast.AST) -> bool:
    if isinstance(expression, ast.Lambda):
        return False
    if isinstance(expression, ast.Call) and _called(expression.func) not in MAKING:
        return True
    return isinstance(expression, COMPUTING) or any(map(_computes, ast.iter_child_nodes(expression)))


def _called(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return f"{module}.{name}"
    return ""
