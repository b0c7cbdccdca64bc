"""The grader's parameters, put into a notebook whatever its tags say.

A cell that sets the values is injected where papermill would inject it, but first the tags by which a student's
notebook could steer papermill are removed. This module edits notebooks; it must not know how they are run.
"""

from __future__ import annotations

import copy
import keyword
from collections.abc import Mapping
from typing import Any

import nbformat
from nbformat import NotebookNode

INJECTED = "injected-parameters"


def with_parameters(nb: NotebookNode, parameters: Mapping[str, Any]) -> NotebookNode:
    """Copies the notebook with one cell more, which assigns the parameters.

    It stands directly after the first cell tagged `parameters` (and after a cell that papermill once injected there,
    whose values it replaces), or at the top of a notebook without one.

    Args:
        parameters: name → value: None, bools, finite numbers, text, and lists, tuples and dicts of these.

    Raises:
        ValueError: a parameter is none of these, or its name is none of Python's.
    """
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        cell.metadata["tags"] = _own_tags(cell)
    tagged = [index for index, cell in enumerate(nb.cells) if "parameters" in cell.metadata.tags]
    at = tagged[0] + 1 if tagged else 0
    while tagged and at < len(nb.cells) and INJECTED in nb.cells[at].metadata.tags:
        at += 1
    for cell in nb.cells:
        tags = cell.metadata.tags
        cell.metadata["tags"] = [tag for tag in tags if tag != INJECTED and not tag.startswith("papermill")]
    injected = nbformat.v4.new_code_cell(assignments(parameters), metadata={"tags": [INJECTED]})
    if (nb.nbformat, nb.nbformat_minor) < (4, 5):
        del injected["id"]
    nb.cells.insert(at, injected)
    nb.metadata["papermill"] = {"parameters": dict(parameters)}
    return nb


def assignments(parameters: Mapping[str, Any]) -> str:
    """Writes one line of Python for each parameter.

    Raises:
        ValueError: a parameter is no plain data, or its name is none of Python's.
    """
    for name, value in parameters.items():
        if not name.isidentifier() or keyword.iskeyword(name) or not _is_literal(value):
            raise ValueError(f"{name} = {value!r} is no parameter: a name, and plain data that Python can read back")
    return "\n".join(["# Parameters", *(f"{name} = {value!r}" for name, value in parameters.items())])


def _is_literal(value: Any) -> bool:
    if type(value) in (list, tuple):
        return all(map(_is_literal, value))
    if type(value) is dict:
        return all(map(_is_literal, value.keys())) and all(map(_is_literal, value.values()))
    return type(value) in (type(None), bool, int, str) or (type(value) is float and value - value == 0)


def _own_tags(cell: NotebookNode) -> list[str]:
    """Lists the cell's tags as far as they are text: a submitted notebook may hold anything there."""
    tags = cell.metadata.get("tags")
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
