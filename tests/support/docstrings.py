"""Docstrings of functions and methods, read from the files: which of them begin with a verb in the third person.

No dictionary is asked. A verb in the third person ends in s; words that end so and are none are listed here as they turn up.
Properties and fixtures are left out, since their docstrings say what a value is; so is what a command line shows as its help.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEFT_OUT = ("grader/templates/", "grader/cli/", "etude/cli.py")  # a command's docstring is its help, an imperative
VALUES = ("property", "fixture")  # parts of the names of decorators: a docstring under them names a value
NO_VERBS = re.compile(
    "Always|As|Blanks|Bytes|Characters|Gradients|Has|Ids|Indices|Its|Letters|Lines|Losses|Perhaps|Pieces|Products|Questions|"
    "Rows|Seconds|Sentences|Stems|Tensors|Texts|Tokens|Vectors|Was|Words"
)
# No verb in the third person ends in is, us or ss, as This, Thus and Process do.
VERB = re.compile(r"[A-Z][a-z-]*[a-hj-rtv-z]s")
EXPLAINED = r"(?:^|[.;] |\n)`?{}`?: "  # at the beginning of a sentence or of a part of one
BEHIND_A_NOUN = ("of", "which", "→")  # so Names and Pairs are verbs, but not in "Names of ..."


def files() -> list[str]:
    """Lists the Python files of both packages from the root, but for those whose docstrings a command line shows."""
    paths = [path.relative_to(ROOT).as_posix() for room in ("etude", "grader") for path in (ROOT / room).rglob("*.py")]
    return sorted(path for path in paths if not path.startswith(LEFT_OUT))


def without_verb(source: str) -> list[str]:
    """Names the functions of a Python source whose docstrings do not begin with a verb, each with its first words."""
    return [
        f"{name}: {' '.join(docstring.split()[:6])} ..."
        for name, docstring in _docstrings(ast.parse(source), "")
        if not begins_with_verb(docstring)
    ]


def fields_in_prose(source: str) -> list[str]:
    """Names the fields of classes that a docstring explains elsewhere than under "Attributes:"."""
    named = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and (docstring := ast.get_docstring(node)) is not None:
            prose = docstring.partition("Attributes:")[0]
            fields = [
                part.target.id
                for part in node.body
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            ]
            named += [f"{node.name}.{name}" for name in fields if re.search(EXPLAINED.format(name), prose)]
    return named


def begins_with_verb(docstring: str) -> bool:
    """Tells whether the docstring's first word looks like a verb in the third person."""
    first, following = [*docstring.split(), "", ""][:2]
    word = first.rstrip(",.;")  # a colon stands behind nouns
    return bool(VERB.fullmatch(word)) and not NO_VERBS.fullmatch(word) and following not in BEHIND_A_NOUN


def _docstrings(parent: ast.AST, prefix: str) -> Iterator[tuple[str, str]]:
    """Yields the dotted name and the docstring of each function below the node."""
    for node in ast.iter_child_nodes(parent):
        inside = prefix
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            inside = f"{prefix}{node.name}."
            docstring = ast.get_docstring(node)
            if docstring is not None and not isinstance(node, ast.ClassDef) and not _is_value(node):
                yield inside[:-1], docstring
        yield from _docstrings(node, inside)


def _is_value(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tells whether the function is a property or a fixture."""
    return any(part in ast.unparse(decorator) for decorator in function.decorator_list for part in VALUES)
