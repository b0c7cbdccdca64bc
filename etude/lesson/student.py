"""The student's live notebook as checks see it: names looked up in the notebook's own namespace.

The grader has a class of the same shape that reaches into another process; a check cannot tell the two apart.
"""

from __future__ import annotations

import copy
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from etude.lesson import arguments, gradients
from etude.lesson.values import kind

MOST_FRAMES = 8  # a function without a base case leaves a thousand


class MissingName(Exception):
    """The notebook defines no such name. Neither NameError nor AttributeError: a check may expect those."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the notebook defines no name {name!r}: has the cell been run?")


class Watched:
    """A function or class of the notebook: a call that changes an argument in place raises Mismatch."""

    def __init__(self, function: Callable[..., Any], student: LiveStudent) -> None:
        self._function, self._student = function, student

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = tuple(map(_own, args))
        kwargs = {name: _own(arg) for name, arg in kwargs.items()}
        watched = [place for place, arg in arguments.places(args, kwargs).items() if not self._student.left(arg)]
        value, change = arguments.call(self._function, args, kwargs, watched)
        if change is not None:
            raise arguments.changed(change.name, actual=change.after, expected=change.before)
        return value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __repr__(self) -> str:
        return repr(self._function)


class LiveStudent:
    """`student.f(x)` calls the `f` that the notebook defines now.

    input_seed: what inputs that a check draws are drawn from.
    """

    input_seed = 0

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._namespace = namespace
        self._left: list[Any] = []  # by `put`: calls may change them
        self._watches = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        """Looks up a name, also one that is a method here: `student["value"]`."""
        if name not in self._namespace:
            raise MissingName(name)
        value = self._namespace[name]
        return Watched(value, self) if callable(value) and self._watches else value

    def has(self, name: str) -> bool:
        """Tells whether the notebook defines `name`."""
        return name in self._namespace

    def put(self, value: Any) -> Any:
        """Leaves a value on the student's side: a call may change it, and `value` reads what has become of it."""
        self._left.append(value)
        return value

    def left(self, value: Any) -> bool:
        """Tells whether the value, or one that it holds, was left with `put`."""
        if any(value is kept for kept in self._left):
            return True
        inside = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
        return bool(self._left) and any(map(self.left, inside))

    def value(self, handle: Any) -> Any:
        """Returns what has become of a value that was left with `put`."""
        return handle

    def limit(self, seconds: float) -> LiveStudent:
        """Returns the same student: in a live notebook the student is there to interrupt what takes too long."""
        return self

    def in_place(self) -> LiveStudent:
        """Returns the same student, whose calls may change their arguments: `student.in_place().shuffle(words)`."""
        free = copy.copy(self)
        free._watches = False
        return free

    def gradients(self, name: str, *args: Any) -> list[Any]:
        """Computes the gradients of `name(*args)`, made one number: a tensor or None for each tensor in args that asks for one."""
        return gradients.gradients(self.in_place()[name], *args)

    def final(self, error: BaseException) -> bool:
        """Tells whether it would be no use to ask again with another input."""
        return isinstance(error, MissingName)

    def explain(self, error: BaseException) -> tuple[str, str, str]:
        """Explains an exception that came out of a call: (name, message, the innermost lines of the notebook)."""
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


def _own(value: Any) -> Any:
    """Returns the notebook's own function in the place of one that is watched."""
    return value._function if isinstance(value, Watched) else value


def _is_notebook(filename: str) -> bool:
    """Tells whether a file is a cell of the notebook.

    IPython compiles cells under names of its own: <ipython-input-…>, or a temporary file ipykernel_…/….py.
    """
    return filename.startswith("<") or "ipykernel" in filename
