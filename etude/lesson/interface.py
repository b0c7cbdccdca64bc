"""What a check may ask of a student, wherever the student's code lives: in this notebook or in another process.

It names types alone. `LiveStudent` here and the grader's `Student` are of this shape, and mypy says so if one is not.
"""

from __future__ import annotations

from typing import Any, Protocol


class Student(Protocol):
    """The names of a notebook: `student.f(x)` calls its f. What they hold is the student's, so it may be anything.

    Attributes:
        input_seed: what inputs that a check draws are drawn from.
    """

    input_seed: int

    def __getattr__(self, name: str, /) -> Any: ...

    def __getitem__(self, name: str, /) -> Any: ...

    def has(self, name: str) -> bool: ...

    def put(self, value: Any) -> Any: ...

    def value(self, handle: Any) -> Any: ...

    def limit(self, seconds: float) -> Student: ...

    def in_place(self) -> Student: ...

    def gradients(self, name: str, *args: Any) -> list[Any]: ...

    def final(self, error: BaseException) -> bool: ...

    def explain(self, error: BaseException) -> tuple[str, str, str]: ...
