"""The student's live notebook as checks see it: names looked up in the notebook's own namespace.

The grader has a class of the same shape that reaches into another process; a check cannot tell the two apart.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Any

from etude.lesson.values import kind

MOST_FRAMES = 8  # a function without a base case leaves a thousand


class MissingName(Exception):
    """The notebook defines no such name. Neither NameError nor AttributeError: a check may expect those."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the notebook defines no name {name!r}: has the cell been run?")


class LiveStudent:
    """`student.f(x)` calls the `f` that the notebook defines now."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._namespace = namespace

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        """A name that is also a method here: `student["value"]`."""
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

    def limit(self, seconds: float) -> LiveStudent:
        """The same student: in a live notebook the student is there to interrupt what takes too long."""
        return self

    def explain(self, error: BaseException) -> tuple[str, str, str]:
        """(name, message, the innermost lines of the notebook) of an exception that came out of a call."""
        try:
            text = str.__str__(str(error))
        except Exception:
            text = "(its message cannot be shown)"
        try:
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_notebook(frame.filename)]
        except Exception:  # a class of the student's may raise even here
            frames = []
        lines = "".join(f"  line {frame.lineno} in {frame.name}: {frame.line}\n" for frame in frames[-MOST_FRAMES:])
        return kind(error), text, lines


def _is_notebook(filename: str) -> bool:
    """IPython compiles cells under names of its own: <ipython-input-…>, or a temporary file ipykernel_…/….py."""
    return filename.startswith("<") or "ipykernel" in filename
