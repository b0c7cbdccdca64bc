"""What of a run is kept for people: outputs as text and pictures, and a cell's score as nbgrader reads it.

What could run in an instructor's browser (HTML, SVG, JavaScript, widgets) is left out.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

MOST_OUTPUTS = 50  # of one cell
LONGEST_TEXT = 20_000  # characters of one output
ESCAPES = re.compile(
    r"\x1b(?:\[[0-9;?]*+[A-Za-z])?"
)  # none is left over: each costs the pages' filter of colours a copy


def show_run(notebook: NotebookNode, executed: NotebookNode | None) -> None:
    """Gives each code cell of `notebook` what is harmless of the outputs that the cell of the same id had in the run."""
    ran = {cell.id: cell for cell in executed.cells} if executed is not None else {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            twin = ran.get(cell.id)
            kept = [harmless(output) for output in twin.outputs[:MOST_OUTPUTS]] if twin else []
            cell.outputs = [output for output in kept if output]
            count = twin.execution_count if twin else None  # the kernel said it, so it may be anything
            cell.execution_count = count if isinstance(count, int) else None


def harmless(output: NotebookNode) -> NotebookNode | None:
    """Turns the output into text or PNG; None if it holds neither."""
    if output.output_type == "stream":
        return _output("stream", name="stdout", text=_plain(output.text))
    if output.output_type == "error":
        return _output(
            "stream",
            name="stdout",
            text=_plain("\n".join(output.get("traceback", [])) or f"{output.ename}: {output.evalue}"),
        )
    data: dict[str, Any] = {}
    if isinstance(png := output.data.get("image/png"), str) and _is_png(png):
        data["image/png"] = png
    if isinstance(text := output.data.get("text/plain"), str):
        data["text/plain"] = _plain(text)
    return _output("display_data", data=data) if data else None


def _output(kind: str, **fields: Any) -> NotebookNode:
    output: NotebookNode = new_output(kind, **fields)
    return output


def _plain(text: str) -> str:
    text = ESCAPES.sub("", text if isinstance(text, str) else "".join(text))
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "\n… (cut)\n"


def _is_png(text: str) -> bool:
    try:
        return base64.b64decode(text[:64], validate=False)[:8] == b"\x89PNG\r\n\x1a\n"
    except (binascii.Error, ValueError):
        return False


def text_output(text: str) -> NotebookNode:
    return _output("stream", name="stdout", text=text)


def score_output(points: float) -> NotebookNode:
    """Makes the output of a score: nbgrader reads the first execute_result that is a number as the cell's score."""
    return _output("execute_result", data={"text/plain": repr(float(points))}, execution_count=None)
