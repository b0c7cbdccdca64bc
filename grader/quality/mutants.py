"""Mutants of a reference: its code with one small mistake each, made by rule and not by a person.

Only the solution of an exercise's cell is mutated, because a student writes no more than that. The same cell gives the
same mutants in the same order, each with a label that stays when text above the solution changes. This module must not
know what checks are, nor run anything.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from grader.course import Lesson
from grader.lessons import source
from grader.quality import mutation_habits, mutation_rules
from grader.quality.mutation_places import Place

SHORT = 12  # characters: a shorter piece of code is shown with what stands around it


@dataclass(frozen=True)
class Mutant:
    """One mutant.

    Attributes:
        line: counted from 1, in the solution.
        change: what stood there → what stands there now.
    """

    exercise: str
    line: int
    change: str
    code: str  # of the whole cell

    @property
    def label(self) -> str:
        """What tells it from the exercise's other mutants."""
        return f"{self.line}: {self.change}"


def mutants(lesson: Lesson) -> list[Mutant]:
    """Makes the mutants of all exercises, in the order of the notebook."""
    return [m for name, cell in source.exercises(source.read(lesson)).items() for m in mutants_of(name, cell)]


def mutants_of(exercise: str, cell: str) -> list[Mutant]:
    """Makes the mutants of one exercise's cell, from its first line to its last; none is written twice."""
    lines = [line.strip() for line in cell.splitlines()]
    first, last = lines.index(source.BEGIN) + 1, lines.index(source.END) + 1
    tree = ast.parse(cell)
    codes, changes = {ast.unparse(tree)}, Counter[str]()
    mutants = []
    for place in _places(tree, ()):
        line = getattr(place.node, "lineno", 0)
        if not first < line < last:
            continue
        for new in (*mutation_rules.changed(place), *mutation_habits.changed(place)):
            before, after, code = _texts(tree, place, new)
            if code in codes:
                continue
            codes.add(code)
            change = f"removed {before}" if isinstance(new, ast.Pass) else f"{before} → {after}"
            changes[f"{line}: {change}"] += 1
            if (number := changes[f"{line}: {change}"]) > 1:  # the same code twice on one line
                change += f" ({number})"
            mutants.append(Mutant(exercise, line - first, change, code))
    return sorted(mutants, key=lambda mutant: mutant.line)


def _places(node: ast.AST, up: tuple[tuple[ast.AST, str, int | None], ...]) -> Iterator[Place]:
    """Walks over every node below `node`, annotations left out."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if isinstance(child, ast.AST):
                above = ((node, name, index), *up)
                yield Place(child, above)
                yield from _places(child, above)


def _texts(tree: ast.Module, place: Place, new: ast.AST) -> tuple[str, str, str]:
    """Writes (the code at the place, the same with `new` in it, the whole cell with `new` in it), on one line but the last."""
    shown = place.node
    for parent, name, _ in place.up:
        of_index = isinstance(shown, ast.Slice) or (name == "slice" and isinstance(shown, ast.Tuple))
        if not of_index and len(ast.unparse(shown)) >= SHORT:
            break
        if not isinstance(parent, ast.expr | ast.keyword | ast.Slice):
            break
        shown = parent
    before = ast.unparse(shown)
    place.put(new)
    after, code = ast.unparse(new if shown is place.node else shown), ast.unparse(tree)
    place.put(place.node)
    return before.split("\n")[0], after.split("\n")[0], code
