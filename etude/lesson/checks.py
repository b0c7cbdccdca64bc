"""What a check is: a function `test_…(student)` that asks one question about one exercise.

Check files are written once and run in four places: in the student's notebook, in the grader (where `student` is a
proxy to another process), on the reference and on the bank of answers. So nothing here knows where the student's code
lives: a check calls `student.name(...)`, and says with `equal` and `close` what should come back.
"""

from __future__ import annotations

import importlib.util
import itertools
import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from etude.lesson.differences import first_difference
from etude.lesson.gradients import WEIGHTED, scalar
from etude.lesson.interface import Student
from etude.lesson.values import as_array, describe, shape

if TYPE_CHECKING:
    from torch import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])

_UNSAID: Any = object()  # None is a value like any other


class Mismatch(AssertionError):
    """What came back is not what was expected: what was given, what came back, what was expected, where they part.

    drawn: the input was drawn at random and made small, so another run may show another one.
    """

    def __init__(
        self, detail: str, *, given: Any = None, actual: Any = _UNSAID, expected: Any = _UNSAID, drawn: bool = False
    ) -> None:
        super().__init__(detail)
        self.detail, self.given, self.actual, self.expected, self.drawn = detail, given, actual, expected, drawn

    @property
    def saw_a_value(self) -> bool:
        """Whether the check said what came back."""
        return self.actual is not _UNSAID

    @property
    def example(self) -> str:
        """What was given and what was expected, without a word of the student's side; nothing unless the input was drawn."""
        return "\n".join([*self._given(), *self._value("expected ", self.expected)]) if self.drawn else ""

    def __str__(self) -> str:
        values = [*self._value("came back", self.actual), *self._value("expected ", self.expected)]
        return "\n".join([self.detail, *self._given(), *values])

    def _given(self) -> list[str]:
        if self.given is None:
            return []
        # Most often a sentence, which needs no quotes.
        return [f"given     {self.given if type(self.given) is str else describe(self.given)}"]

    def _value(self, label: str, value: Any) -> list[str]:
        return [] if value is _UNSAID else [f"{label} {describe(value)}"]


def equal(actual: Any, expected: Any, *, given: Any = None) -> None:
    """Compares plain values (numbers, strings, lists, tuples, sets, dictionaries) and their types, exactly.

    A numpy number counts as Python's, a Counter as a dict, a namedtuple as a tuple. NaN is equal to nothing.

    Raises:
        Mismatch: the two differ; it says the first place where they part. Nothing else is raised.
    """
    place = first_difference(actual, expected)
    if place is not None:
        raise Mismatch(place, given=given, actual=actual, expected=expected)


def close(actual: Any, expected: Any, *, given: Any = None, rtol: float = 1e-4, atol: float = 1e-6) -> None:
    """Compares numbers: the same shape, and equal up to `atol + rtol·|expected|`.

    They may be tensors, arrays, floats, nested lists of floats. Infinity is close to itself alone, NaN to nothing; what is
    not numbers is compared by `equal`.

    Raises:
        Mismatch: the two differ; it says the shapes, or the first index that differs and the largest difference.
        ValueError: `rtol` or `atol` is no finite number of 0 or more, so that the check would pass anything, or nothing. Only
            the check's author can be at fault: nothing is raised besides, whatever came back.
    """
    for name, bound in (("rtol", rtol), ("atol", atol)):
        if isinstance(bound, bool) or not isinstance(bound, Real) or not 0 <= bound < math.inf:
            raise ValueError(f"{name} is {bound!r}: a check's tolerance is a finite number of 0 or more")
    values = {"given": given, "actual": actual, "expected": expected}
    try:
        want = as_array(expected)
    except TypeError:
        equal(actual, expected, given=given)
        return
    actual_shape = shape(actual)
    if actual_shape is not None and actual_shape != want.shape:  # seen before any memory is taken for it
        raise Mismatch(f"the shape is {actual_shape}, expected {want.shape}", **values)
    try:
        have = as_array(actual)
    except TypeError as error:
        raise Mismatch(f"numbers were expected: {error}", **values) from None
    with np.errstate(all="ignore"):
        gap = np.abs(have - want)
        # An infinite bound would let any number pass for infinity, and inf − inf is NaN: infinity must be met exactly.
        wrong = ~(np.isfinite(want) & (gap <= atol + rtol * np.abs(want)) | (have == want))
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        largest = "not a number" if np.isnan(gap[wrong]).any() else f"{gap[wrong].max():.4g}"
        share = f"{int(wrong.sum())} of {wrong.size} values differ, " if wrong.size > 1 else ""
        where = f"first at index {list(index)}: " if index else ""
        here = f"{have[index]:.6g}, expected {want[index]:.6g}"
        raise Mismatch(f"{share}{where}{here} (largest difference {largest})", **values)


def true(condition: bool, detail: str, **values: Any) -> None:
    """Checks a property that has no single expected value.

    Args:
        detail: the sentence shown when it does not hold.
        values: `given`, and `actual` where what came back says more than the sentence.

    Raises:
        Mismatch: the property does not hold.
    """
    if not condition:
        raise Mismatch(detail, **values)


def refused(function: Callable[..., Any], *arguments: Any, why: str, word: str = "", given: Any = None) -> None:
    """Checks that the function raises a ValueError for these arguments.

    Args:
        why: what is wrong with the arguments, shown when the function takes them.
        word: what the error's message must have, as the name at fault.

    Raises:
        Mismatch: a value came back, or the message lacks the word.
    """
    try:
        found = function(*arguments)
    except ValueError as error:
        true(word in str(error), f'the error should say "{word}"', given=given, actual=str(error))
    else:
        raise Mismatch(f"ValueError was expected: {why}", given=given, actual=found)


def close_gradients(
    student: Student, name: str, oracle: Callable[..., Tensor], tensors: Mapping[str, Tensor], *others: Any, given: str
) -> None:
    """Compares the gradients of `name(*tensors, *others)` with those of the oracle, for each of the tensors.

    Where the function gives no scalar, they are those of a weighted sum, a vector–Jacobian product. The student's side
    computes numbers, which are compared here: a flag that says `requires_grad` proves nothing.

    Args:
        tensors: by the names that a message may call them.

    Raises:
        Mismatch: a gradient differs, or there is none.
    """
    import torch

    leaves = [tensor.detach().clone().requires_grad_() for tensor in tensors.values()]
    value = oracle(*leaves, *others)
    of = WEIGHTED if value.dim() else ""
    expected = torch.autograd.grad(scalar(value), leaves)
    gradients = student.gradients(name, *leaves, *others)
    for key, actual, wanted in zip(tensors, gradients, expected, strict=True):
        where = f"{given}; the gradient for {key}{of}"
        true(
            actual is not None,
            "it knows nothing of the numbers that it comes from, so they cannot be trained",
            given=where,
        )
        close(actual, wanted, given=where)


def exercise(name: str, points: float = 1, needs: str = "") -> Callable[[Function], Function]:
    """Marks a check function with the exercise that it tries and the points it is worth.

    Args:
        needs: the name of another check of the exercise, without which this one earns nothing. An edge case (nothing in,
            nothing out) is often met by code that does nothing at all; it counts for those whose main case works.

    Raises:
        ValueError: the points are below 0, or no finite number.
    """
    if not 0 <= points < math.inf:
        raise ValueError(f"a check of {name} is worth {points} points: give a finite number of 0 or more")

    def mark(function: Function) -> Function:
        function.__etude__ = (name, float(points), needs)  # type: ignore[attr-defined]
        return function

    return mark


def claim(*ids: str) -> Callable[[Function], Function]:
    """Marks a check or a test that shows claims of papers: their ids in data/claims.csv, whose registry finds it by them."""

    def mark(function: Function) -> Function:
        function.__claims__ = ids  # type: ignore[attr-defined]
        return function

    return mark


Status = Literal["passed", "failed", "error", "unwritten"]


@dataclass(frozen=True)
class Check:
    """One check function with the exercise it belongs to.

    Attributes:
        needs: the check without which it earns nothing.
    """

    name: str
    exercise: str
    points: float
    function: Callable[[Student], None] = field(repr=False)
    hidden: bool = False
    needs: str = ""

    @property
    def title(self) -> str:
        """The check's name as the sentence it is: test_edges_have_fewer_pairs → edges have fewer pairs."""
        return _sentence(self.name)

    @property
    def needed(self) -> str:
        """The title of the check without which this one earns nothing."""
        return _sentence(self.needs)


def _sentence(name: str) -> str:
    return name.removeprefix("test_").replace("_", " ")


@dataclass(frozen=True)
class Outcome:
    """What one check found.

    Attributes:
        error: (name, message, lines of the student's code) of an exception that was raised.
    """

    check: Check
    status: Status
    message: str = ""
    mismatch: Mismatch | None = None
    error: tuple[str, str, str] | None = None
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return self.status == "passed"


_loaded = itertools.count()


def collect(path: Path, hidden: bool = False) -> list[Check]:
    """Lists the checks of one file, in the order in which they stand."""
    return marked(load(path), hidden)


def load(path: Path) -> ModuleType:
    """Executes a file of checks afresh: runs share no state.

    Raises:
        FileNotFoundError: there is no such file.
    """
    name = f"_etude_checks_{next(_loaded)}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"no checks at {path}: the lesson's folder must lie beside the notebook")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module


def marked(module: ModuleType, hidden: bool = False) -> list[Check]:
    """Lists the checks of a loaded file.

    Raises:
        ValueError: a test belongs to no exercise.
    """
    checks = []
    for key, function in vars(module).items():
        if key.startswith("test_") and callable(function):
            if not hasattr(function, "__etude__"):
                raise ValueError(
                    f"{Path(str(module.__file__)).name}: {key} has no @exercise(...), so it belongs to no exercise"
                )
            owner, points, needs = function.__etude__
            checks.append(Check(key, owner, points, function, hidden, needs))
    return checks


def run_check(check: Check, student: Student) -> Outcome:
    """Runs one check; whatever Exception the student's code raises becomes an outcome."""
    started = time.perf_counter()

    def outcome(status: Status, message: str = "", **more: Any) -> Outcome:
        return Outcome(check, status, message, seconds=time.perf_counter() - started, **more)

    try:
        check.function(student)
    except Mismatch as mismatch:
        return outcome("failed", str(mismatch), mismatch=mismatch)
    except _failures_of_pytest() as failure:
        return outcome("failed", str(failure))
    except (Exception, SystemExit) as error:  # a sys.exit() in an exercise must not end the notebook
        name, text, trace = student.explain(error)
        status: Status = "unwritten" if name == "NotImplementedError" else "error"
        message = "not written yet" if status == "unwritten" else f"{name}: {text}"
        return outcome(status, message, error=(name, text, trace))
    return outcome("passed")


def _failures_of_pytest() -> tuple[type[BaseException], ...]:
    """Returns what `pytest.raises` raises when nothing else was raised; it is no Exception.

    Who has not imported pytest cannot raise it.
    """
    pytest = sys.modules.get("pytest")
    return (pytest.fail.Exception,) if pytest else ()


__all__ = [
    *("Check", "Mismatch", "Outcome", "claim", "close", "close_gradients", "collect"),
    *("equal", "exercise", "load", "marked", "refused", "run_check", "true"),
]
