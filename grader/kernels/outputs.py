"""How much a cell may say: keeps outputs small while they arrive, so that no cell fills the grader's memory.

A mixin for nbclient's client. It counts sizes; it must not know about time limits or grading.
"""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

MAX_OUTPUT = 1_000_000  # characters of one cell's outputs
MAX_NOTEBOOK = 20_000_000  # characters of all cells' outputs
OVERHEAD = 100  # characters that an output counts for beside its values
VALUE = 50  # characters that a number or a bracket counts for, as it takes some hundred bytes
LINE = 10  # characters that a line counts for: notebooks are stored line by line
NOTE = "\n[The rest of this cell's output was cut: a cell may show 1 MB, a notebook 20 MB.]\n"


class BoundedOutputs:
    """Cuts each cell's outputs at MAX_OUTPUT and all at MAX_NOTEBOOK, says so once a cell, and ignores widgets."""

    nb: NotebookNode
    clear_before_next_output: bool
    _display_id_map: dict[str, dict[int, list[int]]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._used: dict[int, int] = {}  # cell index -> characters
        self._cut: set[int] = set()

    def output(self, outs: list[NotebookNode], msg: Any, display_id: str | None, cell_index: int) -> Any:
        if self.clear_before_next_output:
            self._forget(cell_index)
        content = msg["content"]
        used = self._used.get(cell_index, 0)
        room = max(0, min(MAX_OUTPUT - used, MAX_NOTEBOOK - sum(self._used.values())))
        if size(content) + OVERHEAD > room:
            if cell_index in self._cut:
                return None
            self._cut.add(cell_index)
            shown = content["text"][:room] if msg["msg_type"] == "stream" else ""
            self._used[cell_index] = used + room
            outs.append(new_output("stream", name="stdout", text=shown + NOTE))
            return outs[-1]
        self._used[cell_index] = used + size(content) + OVERHEAD
        return super().output(outs, msg, display_id, cell_index)  # type: ignore[misc]

    def clear_output(self, outs: list[NotebookNode], msg: Any, cell_index: int) -> None:
        if not msg["content"].get("wait"):
            self._forget(cell_index)
        super().clear_output(outs, msg, cell_index)  # type: ignore[misc]

    def _forget(self, cell_index: int) -> None:
        self._used.pop(cell_index, None)
        self._cut.discard(cell_index)

    def _update_display_id(self, display_id: str, msg: Any) -> None:
        """Puts an update of a display in the place of what it showed, wherever it was shown, if there is room for it."""
        growth = {
            index: sum(size(msg["content"]) - size(self.nb.cells[index].outputs[at]) for at in places)
            for index, places in self._display_id_map.get(display_id, {}).items()
        }
        room = MAX_NOTEBOOK - sum(self._used.values()) - sum(growth.values())
        if room >= 0 and all(self._used.get(index, 0) + more <= MAX_OUTPUT for index, more in growth.items()):
            for index, more in growth.items():
                self._used[index] = self._used.get(index, 0) + more
            super()._update_display_id(display_id, msg)  # type: ignore[misc]

    def handle_comm_msg(self, outs: list[NotebookNode], msg: Any, cell_index: int) -> None:
        """Ignores widgets: they keep their state on this side and can redirect outputs; a graded notebook needs neither."""


def size(content: Any) -> int:
    """Counts the characters of text in a JSON value; numbers, brackets and lines count for more than they have."""
    if isinstance(content, str):
        return len(content) + LINE * content.count("\n")
    if isinstance(content, dict):
        return VALUE + sum(size(key) + size(value) for key, value in content.items())
    if isinstance(content, list):
        return VALUE + sum(map(size, content))
    return VALUE
