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

ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
}
ONE_WAY = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)  # a − b is not b − a
COMPARISON: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
BOOLEAN: dict[type[ast.boolop], ast.boolop] = {ast.And: ast.Or(), ast.Or: ast.And()}
REDUCTIONS = {"sum": "mean", "mean": "sum", "min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin"}
REMOVED = (
    *(ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Return, ast.Raise, ast.Break, ast.Continue),
    *(ast.If, ast.For, ast.While, ast.With),
)
COMPUTED = (ast.Name, ast.Attribute, ast.BinOp, ast.Call, ast.Subscript, ast.UnaryOp)
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
        for new in _changed(place):
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


@dataclass(frozen=True)
class Place:
    """A node with the way to it.

    Attributes:
        up: for each ancestor, from the nearest, (node, field, index or None).
    """

    node: ast.AST
    up: tuple[tuple[ast.AST, str, int | None], ...]

    @property
    def parent(self) -> ast.AST:
        return self.up[0][0]

    @property
    def field(self) -> str:
        return self.up[0][1]

    def put(self, node: ast.AST) -> None:
        """Writes `node` into the tree in the place of what stands here."""
        parent, name, index = self.up[0]
        if index is None:
            setattr(parent, name, node)
        else:
            getattr(parent, name)[index] = node


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


def _changed(place: Place) -> Iterator[ast.AST]:
    """Gives what may stand at the place instead, rule by rule."""
    for rule in (_arithmetic, _comparison, _boolean, _constant, _arguments, _order, _range, _index, _reduction):
        yield from rule(place)
    docstring = isinstance(place.node, ast.Expr) and isinstance(place.node.value, ast.Constant)
    if isinstance(place.node, REMOVED) and not docstring:
        yield ast.Pass()


def _arithmetic(place: Place) -> Iterator[ast.AST]:
    """Puts in another operation; drops a minus sign."""
    node = place.node
    if isinstance(node, ast.BinOp):
        yield from (ast.BinOp(node.left, new(), node.right) for new in ARITHMETIC.get(type(node.op), ()))
    elif isinstance(node, ast.AugAssign):
        yield from (ast.AugAssign(node.target, new(), node.value) for new in ARITHMETIC.get(type(node.op), ()))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node.operand


def _comparison(place: Place) -> Iterator[ast.AST]:
    """Puts in another comparison: with or without equality, or turned round."""
    node = place.node
    if isinstance(node, ast.Compare):
        for i, old in enumerate(node.ops):
            for new in COMPARISON[type(old)]:
                yield ast.Compare(node.left, [*node.ops[:i], new(), *node.ops[i + 1 :]], node.comparators)


def _boolean(place: Place) -> Iterator[ast.AST]:
    """Exchanges and ↔ or, True ↔ False; drops a `not`; makes a condition that always holds, or holds when it should not."""
    node, parent = place.node, place.parent
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(BOOLEAN[type(node.op)], node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    asked = isinstance(parent, ast.If | ast.IfExp) and place.field == "test"
    if isinstance(node, ast.expr) and (asked or (isinstance(parent, ast.comprehension) and place.field == "ifs")):
        yield ast.Constant(True)
        if not isinstance(node, ast.Compare | ast.BoolOp):
            yield ast.UnaryOp(ast.Not(), node)


def _constant(place: Place) -> Iterator[ast.AST]:
    """Makes a number one more, one less, or 0; doubles and halves a float."""
    node = place.node
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield from (ast.Constant(n) for n in dict.fromkeys((node.value + 1, node.value - 1, 0)) if n >= 0)
        if node.value == 0:
            yield ast.UnaryOp(ast.USub(), ast.Constant(1))
    elif isinstance(node, ast.Constant) and type(node.value) is float:
        yield from (ast.Constant(x) for x in ((node.value * 2, node.value / 2) if node.value else (1.0,)))


def _arguments(place: Place) -> Iterator[ast.AST]:
    """Leaves out a keyword; leaves out a method's only argument if it is a number: x.sum(1), the axis."""
    node = place.node
    if not isinstance(node, ast.Call):
        return
    for i, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            yield ast.Call(node.func, node.args, [*node.keywords[:i], *node.keywords[i + 1 :]])
    if isinstance(node.func, ast.Attribute) and len(node.args) == 1 and _is_number(node.args[0]):
        yield ast.Call(node.func, [], node.keywords)


def _order(place: Place) -> Iterator[ast.AST]:
    """Exchanges two neighbours: arguments, parts of a tuple, sides of an operation for which order matters."""
    node = place.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ONE_WAY):
        yield ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in ("min", "max")):
        yield from (ast.Call(node.func, args, node.keywords) for args in _exchanged(node.args))
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
        yield from (ast.Tuple(parts, node.ctx) for parts in _exchanged(node.elts))


def _exchanged(parts: list[ast.expr]) -> Iterator[list[ast.expr]]:
    for i in range(len(parts) - 1):
        if not any(isinstance(part, ast.Starred) for part in parts[i : i + 2]):
            yield [*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :]]


def _range(place: Place) -> Iterator[ast.AST]:
    """Makes a bound of `range` one more or one less; leaves out its start."""
    node, parent = place.node, place.parent
    if isinstance(node, ast.Call) and _is_range(node) and len(node.args) == 2:
        yield ast.Call(node.func, node.args[1:], [])
    elif isinstance(parent, ast.Call) and _is_range(parent) and place.field == "args":
        yield from _beside(node)


def _is_range(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "range"


def _index(place: Place) -> Iterator[ast.AST]:
    """Makes an index or the bound of a slice one more or one less; leaves out a bound."""
    node, parent = place.node, place.parent
    if isinstance(node, ast.Slice):
        if node.lower is not None:
            yield ast.Slice(None, node.upper, node.step)
        if node.upper is not None:
            yield ast.Slice(node.lower, None, node.step)
    of_tuple = isinstance(parent, ast.Tuple) and len(place.up) > 1 and place.up[1][1] == "slice"
    if of_tuple or (isinstance(parent, ast.Subscript | ast.Slice) and place.field in ("slice", "lower", "upper")):
        yield from _beside(node)


def _beside(node: ast.AST) -> Iterator[ast.AST]:
    """Gives node + 1 and node − 1, unless a number stands in it that is changed anyway."""
    ends_in_number = isinstance(node, ast.BinOp) and _is_number(node.right)
    if isinstance(node, COMPUTED) and not ends_in_number and not _is_number(node):
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))
        yield ast.BinOp(node, ast.Sub(), ast.Constant(1))


def _is_number(node: ast.AST) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) in (int, float)


def _reduction(place: Place) -> Iterator[ast.AST]:
    """Exchanges sum ↔ mean, min ↔ max, argmin ↔ argmax, as a function and as a method."""
    node = place.node
    if isinstance(place.parent, ast.Call) and place.field == "func":
        if isinstance(node, ast.Name) and node.id in REDUCTIONS:
            yield ast.Name(REDUCTIONS[node.id])
        elif isinstance(node, ast.Attribute) and node.attr in REDUCTIONS:
            yield ast.Attribute(node.value, REDUCTIONS[node.attr])
