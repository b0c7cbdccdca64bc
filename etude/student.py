"""The student's live notebook as checks see it: names looked up in the notebook's own namespace.

The grader has a class of the same shape that reaches into another process; a check cannot tell the two apart.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Any


class MissingName(Exception):
    """The notebook defines no such name. Neither NameError nor AttributeError: it must not satisfy a check that expects one."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the notebook defines no name {name!r}: has the cell been run?")


class LiveStudent:
    """`student.f(x)` calls the `f` that the notebook defines now."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._namespace = namespace

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._namespace:
            raise MissingName(name)
        return self._namespace[name]

    def has(self, name: str) -> bool:
        """Whether the notebook defines `name`."""
        return name in self._namespace

    def put(self, value: Any) -> Any:
        """Leaves a value on the student's side, to be passed as an argument and read back with `value`."""
        return value

    def value(self, handle: Any) -> Any:
        """What has become of a value that was left with `put`."""
        return handle

    def explain(self, error: Exception) -> tuple[str, str, str]:
        """(name, message, the lines of the notebook where it was raised) of an exception that came out of a call."""
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_notebook(frame.filename)]
        lines = "".join(f"  line {frame.lineno} in {frame.name}: {frame.line}\n" for frame in frames)
        try:
            text = str(error)
        except Exception:
            text = "(its message cannot be shown)"
        return type(error).__name__, text, lines


def _is_notebook(filename: str) -> bool:
    """IPython compiles cells under names of its own: <ipython-input-…>, or a file ipykernel_…/….py in the temporary folder."""
    return filename.startswith("<") or "ipykernel" in filename
