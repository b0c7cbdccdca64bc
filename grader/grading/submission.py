"""What a student handed in, made safe to run and to store: read within bounds, then put back into the lesson's shape.

The released notebook is the measure. Locked cells get their source back, cells that are missing are put back as they were
released, a test cell that stands twice counts once. What cannot be read at all is refused with one sentence.
"""

from __future__ import annotations

import copy
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from etude.handing_in import LARGEST
from grader import bounded_json

MOST_CELLS = 2000
MOST_LINES = 200_000  # of all cells: notebooks are stored line by line, and an empty line takes sixty bytes
LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # where str.splitlines splits


class BadSubmission(Exception):
    """The file is no notebook of this lesson; the message tells the student what to hand in."""


@dataclass
class Restored:
    """A notebook in the lesson's shape, without outputs; `notes` says what had to be mended."""

    notebook: NotebookNode
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Submitted:
    """A file as it was handed in.

    Attributes:
        content: its bytes, none of a file that is not read.
        problem: why it is no notebook.
    """

    content: bytes
    notebook: NotebookNode | None
    problem: str = ""


def read(path: Path) -> Submitted:
    """Reads the file once, within bounds. Raises OSError if the machine cannot: that is not the student's doing."""
    data = b""
    try:
        data = _bytes(path)
        return Submitted(data, parse(data))
    except BadSubmission as problem:
        return Submitted(data, None, str(problem))


def content(path: Path) -> bytes:
    """Reads the file's bytes, which a verdict's hash is made of; none if it is not there or cannot be read within bounds."""
    try:
        return _bytes(path)
    except BadSubmission:
        return b""


def code(path: Path) -> list[str]:
    """Reads the text of the file's code cells alone, which is much faster; none of what is no notebook or cannot be read."""
    try:
        return [_text(cell) for cell in _cells(_bytes(path)) if _kind(cell) == "code"]
    except (BadSubmission, OSError):
        return []


def _bytes(path: Path) -> bytes:
    """Reads a file of its own: a link could hand in, or show, what is somebody else's. Raises BadSubmission."""
    if path.is_symlink():
        raise BadSubmission(f"{path.name} is a link to another file: hand in the notebook itself")
    if not path.is_file():
        what = "is not a file: hand in the notebook itself" if path.exists() else "was not handed in"
        raise BadSubmission(f"{path.name} {what}")
    size = path.stat().st_size
    if size > LARGEST:
        raise BadSubmission(
            f"the file has {size / 2**20:.0f} MiB, at most {LARGEST >> 20} are read: clear the outputs and hand in again"
        )
    return path.read_bytes()


def parse(data: bytes) -> NotebookNode:
    """Reads a notebook from bytes.

    Raises:
        BadSubmission: they are no notebook that can be read within bounds; the sentence says why.
    """
    notebook: NotebookNode = nbformat.v4.new_notebook()
    notebook.cells = [_cell(cell) for cell in _cells(data)]
    lines = sum(cell.source.count(end) for cell in notebook.cells for end in LINE_ENDS)
    if lines > MOST_LINES:
        raise BadSubmission(
            f"the notebook's cells have {lines:,} lines, at most {MOST_LINES:,} are read: hand in fewer"
        )
    return notebook


def _cells(data: bytes) -> list[object]:
    """Reads the notebook's cells as they stand in the file. Raises BadSubmission."""
    if not data.strip():
        raise BadSubmission("the file is empty: save the notebook and hand in again")
    try:
        content = bounded_json.loads(data)
    except bounded_json.TooManyValues as error:
        raise BadSubmission(f"the notebook is too large: {error}: clear the outputs and hand in again") from None
    except UnicodeDecodeError:
        raise BadSubmission("the file is not UTF-8 text: hand in the .ipynb file itself") from None
    except (ValueError, RecursionError) as error:
        raise BadSubmission(f"the file is not a notebook (not JSON: {error}): hand in the .ipynb file itself") from None
    if not isinstance(content, dict) or "cells" not in content:
        older = isinstance(content, dict) and "worksheets" in content
        raise BadSubmission(
            "the notebook has the format of 2014 (nbformat 3): open it in JupyterLab and save it"
            if older
            else "the file is JSON but holds no cells: hand in the .ipynb file itself"
        )
    if content.get("nbformat") != 4:
        raise BadSubmission(
            f"the notebook says nbformat {reprlib.repr(content.get('nbformat'))}, expected 4: open it in JupyterLab and save it"
        )
    cells = content["cells"]
    if not isinstance(cells, list) or len(cells) > MOST_CELLS:
        raise BadSubmission(f"the notebook's cells make no sense (a list of at most {MOST_CELLS} was expected)")
    return cells


def _kind(cell: object) -> str:
    """Gives the cell's type: code, markdown or raw. Raises BadSubmission for any other."""
    kind = cell.get("cell_type") if isinstance(cell, dict) else None
    if kind not in ("code", "markdown", "raw"):
        raise BadSubmission("a cell is neither code nor text: open the notebook in JupyterLab and save it")
    return str(kind)


def _text(cell: Any) -> str:
    """Gives the cell's text. Raises BadSubmission if it holds none."""
    text = cell.get("source", "")
    if isinstance(text, list) and all(isinstance(line, str) for line in text):
        text = "".join(text)
    if not isinstance(text, str):
        raise BadSubmission("a cell's source is not text: open the notebook in JupyterLab and save it")
    return text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot be stored or sent to a kernel


def _cell(data: Any) -> NotebookNode:
    """Makes a fresh cell with what we need of the student's: type, text and nbgrader's id. Outputs and metadata stay behind."""
    is_code, text = _kind(data) == "code", _text(data)
    cell: NotebookNode = new_code_cell(text) if is_code else new_markdown_cell(text)
    metadata = data.get("metadata")
    grade_id = (
        metadata.get("nbgrader", {}).get("grade_id")
        if isinstance(metadata, dict) and isinstance(metadata.get("nbgrader", {}), dict)
        else None
    )
    if isinstance(grade_id, str):
        cell.metadata["nbgrader"] = {"grade_id": grade_id}
    return cell


def restore(submitted: NotebookNode, released: NotebookNode, shown: Mapping[str, str] | None = None) -> Restored:
    """Puts the submission into the lesson's shape; never raises for anything that `parse` let through.

    Args:
        shown: by a cell's name, the text that students got if it is not all that the cell holds: without hidden tests.
    """
    given = {cell.metadata.nbgrader.grade_id: cell for cell in released.cells if "nbgrader" in cell.metadata}
    result = Restored(copy.deepcopy(released))
    cells: list[NotebookNode] = []
    placed: set[str] = set()
    for cell in submitted.cells:
        grade_id = cell.metadata.pop("nbgrader", {}).get("grade_id")
        if grade_id in placed:
            counts = "the first counts" if given[grade_id].metadata.nbgrader.locked else "both were run, in their order"
            result.notes.append(f"the cell {grade_id} stands twice: {counts}")
        elif grade_id in given:
            placed.add(grade_id)
            cell = _restored_cell(cell, given[grade_id], (shown or {}).get(grade_id), result.notes)
        cells.append(cell)
    for place, original in enumerate(released.cells):
        if "nbgrader" in original.metadata and original.metadata.nbgrader.grade_id not in placed:
            result.notes.append(
                f"the cell {original.metadata.nbgrader.grade_id} was missing: it was put back as released"
            )
            cells.insert(_place(cells, released.cells[:place]), copy.deepcopy(original))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number:04d}"
    result.notebook.cells = cells
    return result


def _restored_cell(cell: NotebookNode, original: NotebookNode, shown: str | None, notes: list[str]) -> NotebookNode:
    """Copies the released cell, with the student's text where the student writes."""
    restored = copy.deepcopy(original)
    rules = original.metadata.nbgrader
    if not rules.locked:
        restored.source = cell.source
    elif cell.source.strip() not in (original.source.strip(), (shown or "").strip()):
        notes.append(f"the locked cell {rules.grade_id} had been changed: it was put back as released")
    return restored


def _place(cells: list[NotebookNode], before: list[NotebookNode]) -> int:
    """Finds where a missing cell goes: behind the last cell that is there of those that stand before it in the release."""
    ids = [cell.metadata.nbgrader.grade_id for cell in before if "nbgrader" in cell.metadata]
    for place in range(len(cells) - 1, -1, -1):
        if cells[place].metadata.get("nbgrader", {}).get("grade_id") in ids:
            return place + 1
    return 0
