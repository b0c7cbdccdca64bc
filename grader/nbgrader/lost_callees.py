"""Which exercises that lost points call others that lost points, too? Their failures may follow from those.

The student's code is read as text: a notebook's process is gone when its feedback is written. Of hidden checks nothing is
told but that points were lost, which the scores show anyway.
"""

from __future__ import annotations

import symtable
from collections.abc import Iterator

from nbformat import NotebookNode

from grader.grading import definitions
from grader.grading.verdict import Verdict

MOST_CHARACTERS = 20_000  # of a cell that is read: this process has no limit


def sentences(notebook: NotebookNode, verdict: Verdict) -> dict[str, str]:
    """Writes a sentence for each exercise that lost points and calls another that did, too.

    Args:
        notebook: the submission in the lesson's shape.

    Returns:
        exercise → sentence. There are none if the notebook was not run to its end: points were lost for that, then.
    """
    lost = [one.name for one in verdict.exercises if one.earned < one.points] if verdict.status == "graded" else []
    written = {}
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if cell.cell_type != "code" or name not in lost:
            continue
        used = _names_used(cell.source)
        if called := [f"`{one}`" for one in lost if one in used and one != name]:
            all_called = " and ".join([", ".join(called[:-1]), called[-1]] if len(called) > 1 else called)
            mended = "that" if len(called) == 1 else "these"
            written[name] = f"Your `{name}` calls {all_called}, which lost points, too: mend {mended} first."
    return written


def _names_used(code: str) -> set[str]:
    """Collects the global names that the code's functions and classes read; an annotation or a default value is no use.

    There are none if it is no Python, or could take long to parse.
    """
    if len(code) > MOST_CHARACTERS or definitions.UNBROKEN.search(code):
        return set()
    try:
        cell = symtable.symtable(code, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    symbols = [symbol for scope in _inside(cell) for symbol in scope.get_symbols()]
    return {symbol.get_name() for symbol in symbols if symbol.is_global() and symbol.is_referenced()}


def _inside(scope: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """Goes through the functions and classes in a scope, and those in them."""
    for child in scope.get_children():
        yield child
        yield from _inside(child)
