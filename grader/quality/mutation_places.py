"""A place in a solution's code, where another node may be put: what all rules of mutation work on."""

from __future__ import annotations

import ast
from dataclasses import dataclass


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


def is_number(node: ast.AST) -> bool:
    """Tells whether the node is a number, with a minus sign or without."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) in (int, float)
