"""Rules that write a student's habit into a reference: what most often passed checks whose authors had not thought of it.

A missing value told by its truth, so that 0 is missing; a large number for infinity; an argument changed in place; the exponential
and the logarithm apart, which overflow; case, blanks and code points of a text lost, bytes counted for characters; a place
looked up by what stands there, so that equal words share it; a short list for all; a batch of one without its first
dimension; an order taken for granted; a gradient blocked on one of a loss's paths.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.quality.mutation_places import Place

TEXTS = ("text", "sentence", "line", "string", "document", "passage", "question")
WORDS = ("word", "token", "piece")
COPIES = ("clone", "copy", "deepcopy", "list", "dict", "set", "tuple")
LARGE, FEW = 1000.0, 10


def changed(place: Place) -> Iterator[ast.AST]:
    """Gives what may stand at the place instead, habit by habit."""
    for habit in HABITS:
        yield from habit(place)


def _name(node: ast.AST) -> str:
    """Returns what a call calls, or an attribute's own name, without what stands before the dot; "" for other nodes."""
    if isinstance(node, ast.Call):
        return _name(node.func)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _module(name: str) -> ast.Call:
    return ast.Call(ast.Name("__import__"), [ast.Constant(name)], [])


def _method(owner: ast.expr, name: str, *arguments: ast.expr, keywords: list[ast.keyword] | None = None) -> ast.Call:
    return ast.Call(ast.Attribute(owner, name), [*arguments], keywords or [])


def _truth(place: Place) -> Iterator[ast.AST]:
    """Takes 0, an empty list and an empty text for None, or for a key that a dict does not hold."""
    node = place.node
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.comparators[0], ast.Constant):
        if node.comparators[0].value is None and isinstance(node.ops[0], ast.Is):
            yield ast.UnaryOp(ast.Not(), node.left)
        elif node.comparators[0].value is None and isinstance(node.ops[0], ast.IsNot):
            yield node.left
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (_name(node), len(node.args)) == ("get", 2)
    ):
        yield ast.BoolOp(ast.Or(), [ast.Call(node.func, node.args[:1], []), node.args[1]])


def _large(place: Place) -> Iterator[ast.AST]:
    """Writes 1000 for infinity."""
    node = place.node
    if (isinstance(node, ast.Attribute) and node.attr == "inf") or ast.unparse(node) in (
        "float('inf')",
        "float('-inf')",
    ):
        yield ast.Constant(-LARGE if "-" in ast.unparse(node) else LARGE)


def _in_place(place: Place) -> Iterator[ast.AST]:
    """Leaves out a copy."""
    node = place.node
    if isinstance(node, ast.Call) and _name(node) in COPIES and not node.keywords:
        if isinstance(node.func, ast.Attribute) and not node.args:
            yield node.func.value
        elif len(node.args) == 1 and not isinstance(node.args[0], ast.GeneratorExp | ast.Starred):
            yield node.args[0]


def _unstable(place: Place) -> Iterator[ast.AST]:
    """Computes what overflows: the logarithm behind the exponential, an exponential without its maximum."""
    node = place.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        apart = {"log_softmax": "softmax", "logsigmoid": "sigmoid"}.get(node.func.attr)
        if apart:
            owner = ast.Name("torch") if apart == "sigmoid" else node.func.value
            yield _method(_method(owner, apart, *node.args, keywords=node.keywords), "log")
        elif node.func.attr == "logsumexp":
            of_module = isinstance(node.func.value, ast.Name) and node.func.value.id == "torch"
            x, rest = (node.args[0], node.args[1:]) if of_module else (node.func.value, node.args)
            yield _method(_method(_method(x, "exp"), "sum", *rest, keywords=node.keywords), "log")
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and _has_maximum(node.right):
        yield node.left


def _has_maximum(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Call) and _name(inner) in ("max", "amax") for inner in ast.walk(node))


def _folded(place: Place) -> Iterator[ast.AST]:
    """Loses the case or the code points of a text or word where it is first used, or the blanks around a text."""
    node = place.node
    if isinstance(node, ast.Name) and node.id in TEXTS + WORDS and node is _first_use(place.up[-1][0], node.id):
        yield _method(node, "lower")
        yield _method(_module("unicodedata"), "normalize", ast.Constant("NFC"), node)
        if node.id in TEXTS:
            yield _method(node, "strip")


def _in_bytes(place: Place) -> Iterator[ast.AST]:
    """Counts the bytes of a text or word for its characters."""
    node = place.node
    measured = isinstance(place.parent, ast.Call) and place.parent.args == [node] and _name(place.parent) == "len"
    if measured and isinstance(node, ast.Name) and node.id in TEXTS + WORDS:
        yield _method(node, "encode")


def _by_value(place: Place) -> Iterator[ast.AST]:
    """Looks up a place by what stands there: the first of equal words is found for each of them."""
    node = place.node
    if isinstance(node, ast.Call) and _name(node) == "enumerate" and len(node.args) == 1 and not node.keywords:
        item, items = ast.Name("item"), node.args[0]
        pair = ast.Tuple([_method(items, "index", item), item])
        yield ast.ListComp(pair, [ast.comprehension(item, items, [], 0)])


def _first_use(cell: ast.AST, name: str) -> ast.AST | None:
    """Finds where a variable's value is read first in the cell, its length left out."""
    measured = {node.args[0] for node in ast.walk(cell) if isinstance(node, ast.Call) and _name(node) == "len"}
    uses = (node for node in ast.walk(cell) if isinstance(node, ast.Name) and node.id == name)
    read = [node for node in uses if isinstance(node.ctx, ast.Load) and node not in measured]
    return min(read, key=lambda node: (node.lineno, node.col_offset), default=None)


def _few(place: Place) -> Iterator[ast.AST]:
    """Looks at the first ten alone."""
    if isinstance(place.parent, ast.For | ast.comprehension) and place.field == "iter":
        yield _method(_module("itertools"), "islice", place.node, ast.Constant(FEW))  # type: ignore[arg-type]  # an expression


def _squeezed(place: Place) -> Iterator[ast.AST]:
    """Leaves out every dimension of size 1 of what comes back."""
    if isinstance(place.parent, ast.Return) and isinstance(place.node, ast.expr):
        yield _method(place.node, "squeeze")


def _unordered(place: Place) -> Iterator[ast.AST]:
    """Takes for granted that the parts come in order."""
    node = place.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sorted" and node.args:
        yield ast.Call(ast.Name("list"), node.args[:1], [])


def _blocked(place: Place) -> Iterator[ast.AST]:
    """Lets no gradient through one of the operands in a loss."""
    node, functions = place.node, [up for up, _, _ in place.up if isinstance(up, ast.FunctionDef)]
    in_a_loss = any("loss" in function.name for function in functions)
    if in_a_loss and isinstance(place.parent, ast.BinOp) and isinstance(node, ast.Name):
        yield _method(node, "detach")


HABITS = (
    *(_truth, _large, _in_place, _unstable, _folded, _in_bytes, _by_value),
    *(_few, _squeezed, _unordered, _blocked),
)
