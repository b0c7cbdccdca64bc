"""Hidden tests of an nbgrader course, between the marks that its configuration names: never in what a student reads."""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors.clearhiddentests import ClearHiddenTests

HIDDEN = "# hidden tests"
SAID = "A hidden test of this cell failed.\n"


class HideHiddenTests(ClearHiddenTests):  # type: ignore[misc]
    """Of nbgrader's feedback: takes hidden tests out of each cell, and outputs that show a line of them."""

    def preprocess_cell(self, cell: NotebookNode, resources: Any, cell_index: int) -> tuple[NotebookNode, Any]:
        lines = cell.source.split("\n")
        # What stands in a cell that students write is theirs, marks and all.
        if cell.cell_type == "code" and utils.is_locked(cell) and self._remove_hidden_test_region(cell):
            shown = set(map(str.strip, cell.source.split("\n")))
            secret = {line.strip() for line in lines} - shown
            cell.outputs = [_without(output, secret) for output in cell.outputs]
            cell.source = f"{cell.source}\n{HIDDEN}"
        return cell, resources


def _without(output: NotebookNode, secret: set[str]) -> NotebookNode:
    text = output.get("text") or "\n".join(output.get("traceback", []))
    said: NotebookNode = new_output("stream", name="stdout", text=SAID)
    return said if any(line in text for line in secret if line) else output
