"""Which exercises that lost points call others that lost points, too? Their failures may follow from those.

The student's code is read as text: a notebook's process has ended when its verdict is written. Of hidden checks nothing
is told but that points were lost, which the scores show anyway.
"""

from __future__ import annotations

import symtable
from collections.abc import Iterator, Sequence

from nbformat import NotebookNode

from grader.grading import definitions
from grader.grading.verdict import ExerciseResult

MOST_CHARACTERS = 20_000  # of a cell that is read: this process has no limit


def with_causes(exercises: Sequence[ExerciseResult], notebook: NotebookNode) -> list[ExerciseResult]:
    """Gives each exercise that lost points and calls another that did, too, a sentence on that as its cause.

    No mistake is named of such an exercise then: its outcomes may be those of one that its own code does not hold.

    Args:
        notebook: the submission in the lesson's shape.
    """
    causes = _causes([one.name for one in exercises if one.earned < one.points], notebook)
    return [
        one.model_copy(update={"cause": causes[one.name], "diagnosis": None}) if one.name in causes else one
        for one in exercises
    ]


def _causes(lost: Sequence[str], notebook: NotebookNode) -> dict[str, str]:
    """Writes the sentences: exercise → which of the others that lost points it calls."""
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
