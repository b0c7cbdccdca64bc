"""Checks: a wrong value is a Mismatch that says where, a right value passes, and no value can raise anything else."""

import math
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import Tensor

from etude.lesson.checks import (
    Check,
    Mismatch,
    Outcome,
    close,
    close_gradients,
    collect,
    equal,
    exercise,
    refused,
    run_check,
    true,
)
from etude.lesson.student import LiveStudent, MissingName


def refuse(*_: object, **__: object) -> NoReturn:
    raise RuntimeError("no")


HOOKS = (
    "__repr__", "__str__", "__format__", "__eq__", "__ne__", "__hash__", "__len__", "__iter__", "__getitem__", "__bool__",
    "__contains__", "__array__", "__float__", "__index__", "__getattr__", "keys", "items",
)  # fmt: skip
HOSTILE = dict.fromkeys(HOOKS, refuse)


def hostile(base: type) -> object:
    """An instance of a subclass of `base` that raises whatever is done with it."""
    return type(f"Hostile{base.__name__}", (base,), HOSTILE | ({} if base is object else {"__hash__": base.__hash__}))()


class Liar:
    """Claims to equal anything."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return True


class HostileMeta(type):
    __name__ = property(refuse)


def cyclic() -> list[Any]:
    value: list[Any] = [1]
    value.append(value)
    return value


ODD: dict[str, Any] = {
    "none": None, "nan": math.nan, "infinity": math.inf, "huge": 10**5000, "beyond 64 bits": 10**30, "complex": 1 + 2j,
    "string": "a", "bytes": b"a", "surrogate": "\ud800", "ragged": [[1.0], [2.0, 3.0]], "nested": [[1, [2]], 3],
    "set": {1, "a"}, "mixed keys": {1: "a", "b": 2, None: 3, (1, 2): 4}, "bool": True, "empty": [], "ellipsis": ...,
    "class": int, "function": len, "generator": (x for x in tuple[int, ...]()), "object": object(), "cyclic": cyclic(),
    "bool tensor": torch.tensor([True, False]), "requires grad": torch.ones(2, requires_grad=True),
    "list of grads": [torch.zeros((), requires_grad=True)] * 2, "empty tensor": torch.empty(0, 3),
    "scalar tensor": torch.tensor(1.0), "sparse": torch.eye(2).to_sparse(), "meta": torch.empty(2, device="meta"),
    "nan tensor": torch.tensor([torch.nan, 1.0]), "strings": np.array(["a", "b"]), "objects": np.array([None, "a"]),
    "structured": np.zeros(2, dtype="i4,f4"), "date": np.datetime64("2020-01-01"), "liar": Liar(), "error": ValueError("x"),
    "repr is no text": type("NoText", (), {"__repr__": lambda self: 3})(),
    "lies about its class": type("Impostor", (), {"__class__": property(refuse)})(),
    "hostile class": HostileMeta("Hostile", (), HOSTILE)(),
    **{f"hostile {base.__name__}": hostile(base) for base in (object, int, float, str, list, tuple, dict, set)},
    "hostile tensor": torch.ones(2).as_subclass(
        type("HostileTensor", (torch.Tensor,), {"__torch_function__": classmethod(refuse)})
    ),
}  # fmt: skip
# NaN is equal to nothing; a tensor without data, a list in itself and an object that refuses cannot be compared at all.
INCOMPARABLE = {
    "nan",
    "nan tensor",
    "meta",
    "cyclic",
    "lies about its class",
    *(name for name in ODD if "hostile" in name),
}


@pytest.mark.parametrize("comparison", [equal, close])
@pytest.mark.parametrize("expected", ODD)
def test_any_value_beside_any_other_is_a_mismatch_that_can_be_read(
    comparison: Callable[..., None], expected: str
) -> None:
    for name, actual in ODD.items():
        if name == expected or {name, expected} == {"scalar tensor", "bool"}:
            continue
        with pytest.raises(Mismatch) as caught:
            comparison(actual, ODD[expected], given=actual)
        assert str(caught.value), name


@pytest.mark.parametrize("name", sorted(INCOMPARABLE))
@pytest.mark.parametrize("comparison", [equal, close])
def test_a_value_that_cannot_be_compared_raises_no_error_of_its_own(comparison: Callable[..., None], name: str) -> None:
    with suppress(Mismatch):
        comparison(ODD[name], ODD[name])


@pytest.mark.parametrize("name", [name for name in ODD if name not in INCOMPARABLE])
def test_a_right_value_passes_however_odd_it_is(name: str) -> None:
    equal(ODD[name], ODD[name])
    close(ODD[name], ODD[name])


finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)


@given(arrays(np.float32, shapes, elements=finite | st.sampled_from([math.inf, -math.inf])))
def test_the_same_numbers_pass_as_array_tensor_and_list(array: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(array, array)
        close(torch.from_numpy(array).requires_grad_(), array)
        if array.size or array.ndim == 1:
            close(array.tolist(), array)


@given(shapes, shapes)
def test_close_refuses_to_broadcast(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    if one == other:
        close(torch.ones(one), np.ones(other))
    else:
        with pytest.raises(Mismatch) as caught:
            close(torch.ones(one), np.ones(other))
        assert caught.value.detail == f"the shape is {one}, expected {other}"


@given(st.floats(-1e3, 1e3), st.floats(-2, 2))
def test_the_tolerance_is_atol_plus_rtol_times_the_expected(expected: float, part: float) -> None:
    bound = 1e-3 + 1e-2 * abs(expected)
    actual = expected + part * bound
    if abs(part) < 0.999:
        close(actual, expected, atol=1e-3, rtol=1e-2)
    elif abs(part) > 1.001:
        with pytest.raises(Mismatch):
            close(actual, expected, atol=1e-3, rtol=1e-2)


@pytest.mark.parametrize("wrong", [math.inf, math.nan, -1e-9, None, "1e-3", True])
@pytest.mark.parametrize("name", ["rtol", "atol"])
def test_a_tolerance_that_would_pass_anything_or_nothing_is_refused(name: str, wrong: Any) -> None:
    for expected in (1.0, "a"):
        with pytest.raises(ValueError, match=f"{name} is {wrong!r}: a check's tolerance is a finite number"):
            close(expected, expected, **{name: wrong})


def test_a_tolerance_may_be_nothing_and_a_number_of_numpys() -> None:
    close(1.0, 1.0, rtol=0, atol=0)
    close(1.5, 1.0, atol=np.float32(0.5))  # type: ignore[arg-type]


@pytest.mark.parametrize("actual", [3.0, -math.inf, math.nan, 1e308])
def test_only_infinity_is_close_to_infinity(actual: float) -> None:
    with pytest.raises(Mismatch):
        close([0.0, actual], [0.0, math.inf])


def test_numbers_and_text_are_compared_exactly_where_text_is_expected() -> None:
    close("a", "a")
    with pytest.raises(Mismatch, match="a float, expected a str"):
        close(1.0, "a")


def test_a_mismatch_of_numbers_says_how_many_where_and_how_far() -> None:
    with pytest.raises(Mismatch) as caught:
        close(torch.tensor([[1.0, 2.0], [3.5, 5.0]]), [[1.0, 2.0], [3.0, 4.0]], given="two rows")
    assert str(caught.value).splitlines() == [
        "2 of 4 values differ, first at index [1, 0]: 3.5, expected 3 (largest difference 1)",
        "given     two rows",
        "came back tensor(2, 2) float32 [[1. , 2. ], [3.5, 5. ]]",
        "expected  [[1.0, 2.0], [3.0, 4.0]]",
    ]


def test_a_mismatch_of_a_property_shows_what_came_back_and_expects_no_value() -> None:
    with pytest.raises(Mismatch) as caught:
        true(False, "a list was expected", actual=None)
    assert str(caught.value) == "a list was expected\ncame back None"
    with pytest.raises(Mismatch) as caught:
        true(False, "the seeds differ")
    assert str(caught.value) == "the seeds differ"
    true(True, "never said")


def outcome_of(function: Callable[..., None], **names: object) -> Outcome:
    return run_check(Check("test_it", "it", 1, function), LiveStudent(names))


def raising(error: BaseException) -> Callable[[], NoReturn]:
    def f() -> NoReturn:
        raise error

    return f


class Unspeakable(Exception):
    __str__ = __repr__ = __getattribute__ = refuse


ERRORS = [
    ValueError("x"),
    Unspeakable(),
    RecursionError(),
    MemoryError(),
    ExceptionGroup("two", [ValueError()]),
    AssertionError(),
    StopIteration(),
    UnicodeDecodeError("utf-8", b"", 0, 1, "x"),
    Mismatch("by the student"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)), ids=[type(error).__name__ for error in ERRORS])
def test_an_exception_of_the_students_code_becomes_an_outcome(number: int) -> None:
    outcome = outcome_of(lambda student: student.f(), f=raising(ERRORS[number]))
    assert outcome.status == ("failed" if type(ERRORS[number]) is Mismatch else "error")
    assert outcome.message


def test_a_skeleton_is_unwritten_and_a_missing_name_an_error() -> None:
    assert outcome_of(lambda student: student.f(), f=raising(NotImplementedError())).status == "unwritten"
    missing = outcome_of(lambda student: student.f())
    assert missing.status == "error"
    assert "defines no name 'f'" in missing.message


def test_an_exception_that_was_expected_and_did_not_come_is_a_failure() -> None:
    def check(student: Any) -> None:
        with pytest.raises(ValueError, match="empty"):
            student.f()

    assert outcome_of(check, f=raising(ValueError("empty"))).passed
    assert outcome_of(check, f=lambda: None).status == "failed"
    assert outcome_of(check, f=raising(TypeError("x"))).status == "error"
    missing = outcome_of(check).error
    assert missing is not None
    assert missing[0] == "MissingName"


def test_an_interrupt_by_the_student_ends_the_check() -> None:
    with pytest.raises(KeyboardInterrupt):
        outcome_of(lambda student: student.f(), f=raising(KeyboardInterrupt()))


def test_a_function_without_a_base_case_is_explained_in_a_few_lines() -> None:
    names: dict[str, Any] = {}
    exec(compile("def f():\n    return f()\n", "<ipython-input-1>", "exec"), names)
    outcome = outcome_of(lambda student: student.f(), f=names["f"])
    assert outcome.error is not None
    assert outcome.error[0] == "RecursionError"
    assert 0 < len(outcome.error[2].splitlines()) < 20


def test_a_live_notebook_answers_as_the_graders_student_does() -> None:
    student = LiveStudent({"value": 3, "f": abs})
    assert student["value"] == 3
    assert student.f(-2) == student.limit(5).f(-2) == 2
    assert student.value(student.put([1])) == [1]
    assert student.has("f")
    assert not student.has("g")
    with pytest.raises(MissingName):
        student["g"]
    assert not hasattr(student, "__array__")


def test_checks_are_collected_in_the_order_of_the_file_and_afresh(tmp_path: Path) -> None:
    path = tmp_path / "checks.py"
    path.write_text(
        "from etude.lesson.checks import exercise\nseen = []\n"
        "@exercise('b', points=2)\ndef test_one_thing(student): seen.append(1); assert len(seen) == 1\n"
        "@exercise('a')\ndef test_another(student): pass\n"
    )
    first, second = collect(path), collect(path, hidden=True)
    assert [(check.title, check.exercise, check.points) for check in first] == [
        ("one thing", "b", 2),
        ("another", "a", 1),
    ]
    assert [check.hidden for check in first + second] == [False, False, True, True]
    assert run_check(first[0], LiveStudent({})).passed
    assert run_check(second[0], LiveStudent({})).passed


def test_a_check_without_an_exercise_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "checks.py"
    with pytest.raises(FileNotFoundError, match="must lie beside the notebook"):
        collect(path)
    path.write_text("def test_it(student): pass\n")
    with pytest.raises(ValueError, match="belongs to no exercise"):
        collect(path)


@pytest.mark.parametrize("points", [-1, float("nan"), float("inf")])
def test_points_that_no_sum_can_hold_are_refused(points: float) -> None:
    with pytest.raises(ValueError, match=f"a check of relu is worth {points} points"):
        exercise("relu", points=points)


def test_marking_a_check_leaves_it_a_function() -> None:
    def test_it(student: Any) -> Any:
        return student

    assert exercise("it")(test_it) is test_it


FAKED = "it knows nothing of the numbers that it comes from, so they cannot be trained"


def flagged(one: Tensor, other: Tensor) -> Tensor:
    """The right number, with a flag that says that it can be trained."""
    return (one * other).sum().detach().requires_grad_()


@pytest.mark.parametrize(
    ("call", "detail"),
    [
        (lambda one, other: (one * other).sum(), None),
        (lambda one, other: one * other, "1 of 2 values differ"),  # weighted by place, where the oracle adds up
        (lambda one, other: (one.detach() * other).sum(), FAKED),
        (lambda one, other: (one * other).sum().item(), FAKED),
        (flagged, FAKED),
        (lambda one, other: flagged(one, other) + 0 * (one + other).sum(), "2 of 2 values differ"),
        (lambda one, other: (one * other).mean(), "2 of 2 values differ"),
    ],
)
def test_gradients_are_compared_as_numbers(call: Callable[..., object], detail: str | None) -> None:
    tensors = {"the one": torch.tensor([2.0, 3.0]), "the other": torch.tensor([5.0, 7.0])}
    student = LiveStudent({"f": call})
    if detail is None:
        close_gradients(student, "f", lambda one, other: (one * other).sum(), tensors, given="two rows")
        return
    with pytest.raises(Mismatch) as raised:
        close_gradients(student, "f", lambda one, other: (one * other).sum(), tensors, given="two rows")
    assert raised.value.detail.startswith(detail)
    assert raised.value.given == "two rows; the gradient for the one"


def of_positive(number: int) -> int:
    if number <= 0:
        raise ValueError(f"{number} is not above 0")
    return number


@pytest.mark.parametrize(
    ("number", "word", "detail"),
    [
        (-3, "", None),
        (-3, "-3", None),
        (-3, "eye", 'the error should say "eye"'),
        (4, "", "ValueError was expected: 4 is no debt"),
    ],
)
def test_what_is_no_argument_has_to_be_refused(number: int, word: str, detail: str | None) -> None:
    if detail is None:
        refused(of_positive, number, why="it is a debt", word=word)
        return
    with pytest.raises(Mismatch, match=detail) as raised:
        refused(of_positive, number, why="4 is no debt", word=word, given="a number")
    assert raised.value.given == "a number"
    assert raised.value.saw_a_value


def test_another_exception_is_none_of_the_refusals() -> None:
    with pytest.raises(ZeroDivisionError):
        refused(lambda: 1 // 0, why="nothing was given")


def test_gradients_of_what_always_adds_up_to_one_are_told_apart() -> None:
    scores = {"the scores": torch.tensor([[1.0, 3.0, 2.0], [0.5, 0.0, -1.0]])}
    sharper = LiveStudent({"f": lambda scores: (2 * scores).softmax(dim=1)})
    with pytest.raises(Mismatch) as raised:
        close_gradients(sharper, "f", lambda scores: scores.softmax(dim=1), scores, given="two rows")
    assert raised.value.given.startswith("two rows; the gradient for the scores, of what comes back times 1, 1⅛")
    right = LiveStudent({"f": lambda scores: scores.exp() / scores.exp().sum(dim=1, keepdim=True)})
    close_gradients(right, "f", lambda scores: scores.softmax(dim=1), scores, given="two rows")
