"""Rules that change one operation, comparison, number, argument, bound or statement of a reference.

Each gives the nodes that may stand at a place instead; most places get none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.quality.mutation_places import Place, is_number

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


def changed(place: Place) -> Iterator[ast.AST]:
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
    if isinstance(node.func, ast.Attribute) and len(node.args) == 1 and is_number(node.args[0]):
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
    ends_in_number = isinstance(node, ast.BinOp) and is_number(node.right)
    if isinstance(node, COMPUTED) and not ends_in_number and not is_number(node):
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))
        yield ast.BinOp(node, ast.Sub(), ast.Constant(1))


def _reduction(place: Place) -> Iterator[ast.AST]:
    """Exchanges sum ↔ mean, min ↔ max, argmin ↔ argmax, as a function and as a method."""
    node = place.node
    if isinstance(place.parent, ast.Call) and place.field == "func":
        if isinstance(node, ast.Name) and node.id in REDUCTIONS:
            yield ast.Name(REDUCTIONS[node.id])
        elif isinstance(node, ast.Attribute) and node.attr in REDUCTIONS:
            yield ast.Attribute(node.value, REDUCTIONS[node.attr])
