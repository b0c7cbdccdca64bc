"""Arguments before and after a call: a change in place is seen and named, and nothing else is."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from etude.lesson import arguments
from etude.lesson.checks import Check, Mismatch, run_check
from etude.lesson.mistakes import fingerprint
from etude.lesson.student import LiveStudent

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.lists(st.floats(width=32)).map(lambda xs: torch.tensor(xs))
    | st.integers(1, 3).map(lambda rows: torch.ones(rows, 5)[:, 0])  # a column: of one row, its stride is still 5
    | st.lists(st.complex_numbers(width=64)).map(lambda xs: torch.tensor(xs, dtype=torch.complex64).conj())
    | st.lists(st.integers(0, 9)).map(np.array)
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner) | st.sets(st.text()),
    max_leaves=12,
)


@given(values)
def test_a_copy_is_unchanged(value: Any) -> None:
    assert arguments.unchanged(arguments.copied(value), value)


def sort(words: list[str]) -> None:
    words.sort()


def pop(counts: dict[str, int]) -> None:
    counts.pop("a")


def reorder(counts: dict[str, int]) -> None:
    counts["a"] = counts.pop("a")


def deep(rows: list[list[Any]]) -> None:
    rows[0][1] = {"x": 2}


def retype(rows: list[int]) -> None:
    rows[0] = True


def in_place(x: torch.Tensor) -> torch.Tensor:
    return x.mul_(2)


def into(x: np.ndarray) -> None:
    x[0] = math.nan


def add(words: set[str]) -> None:
    words.add("z")


def fill(buffer: bytearray) -> None:
    buffer[:] = b"x"


CHANGES: list[tuple[Callable[..., object], Any, str]] = [
    (sort, ["b", "a"], "words"),
    (pop, {"a": 1}, "counts"),
    (reorder, {"a": 1, "b": 1}, "counts"),
    (deep, [[1, {"x": 1}]], "rows"),
    (retype, [1], "rows"),
    (in_place, torch.ones(2), "x"),
    (into, np.ones(2), "x"),
    (add, {"a"}, "words"),
    (fill, bytearray(b"abc"), "buffer"),
]


@pytest.mark.parametrize(("function", "value", "name"), CHANGES)
def test_a_change_in_place_is_named(function: Callable[..., object], value: Any, name: str) -> None:
    before = copy.deepcopy(value)
    with pytest.raises(Mismatch, match=f"your function changed its argument {name}: work on a copy") as raised:
        LiveStudent({"f": function}).f(value)
    assert arguments.unchanged(before, raised.value.expected)
    assert not arguments.unchanged(before, raised.value.actual)
    assert arguments.unchanged(before, value)


@pytest.mark.parametrize(
    ("function", "value"),
    [
        (lambda xs: sorted(xs), ["b", "a"]),
        (lambda xs: xs, [math.nan, 1.0]),
        (lambda x: x.requires_grad_(), torch.ones(2)),
        (lambda x: x.clone().mul_(2), torch.tensor([math.nan])),
        (sort, ["a", "b"]),
    ],
)
def test_a_call_that_changes_nothing_is_let_through(function: Callable[..., object], value: Any) -> None:
    LiveStudent({"f": function}).f(value)


def test_an_argument_without_a_name_goes_by_its_number_and_keywords_by_theirs() -> None:
    def clear(*lists: list[Any], **more: list[Any]) -> None:
        for one in (*lists, *more.values()):
            one.clear()

    student = LiveStudent({"clear": clear})
    with pytest.raises(Mismatch, match="its argument 2:"):
        student.clear([], [1])
    with pytest.raises(Mismatch, match="its argument more_words:"):
        student.clear(more_words=["a"])


def test_a_check_may_ask_for_a_change_in_place() -> None:
    student = LiveStudent({"sort": sort})
    words = ["b", "a"]
    student.in_place().sort(words)
    assert words == ["a", "b"]
    left = student.put(["b", "a"])
    student.sort(left)
    assert student.value(left) == ["a", "b"]


def test_what_was_left_may_change_inside_a_container_too() -> None:
    def sort_all(rows: list[list[Any]]) -> None:
        for row in rows:
            row.sort()

    student = LiveStudent({"sort_all": sort_all})
    student.sort_all([student.put(["b", "a"])])
    with pytest.raises(Mismatch):
        student.sort_all([["b", "a"]])


def test_functions_that_are_passed_on_are_the_students_own() -> None:
    seen: list[Any] = []
    student = LiveStudent({"apply": lambda f, key: seen.extend((f, key)), "sort": sort})
    student.apply(student.sort, key=student.sort)
    assert seen == [sort, sort]


def test_the_fingerprint_is_what_the_argument_has_become() -> None:
    def test_it(student: Any) -> None:
        student.f(["b", "a"])

    def outcome(function: Callable[..., object]) -> dict[str, Any]:
        return fingerprint(run_check(Check("test_it", "f", 1.0, test_it), LiveStudent({"f": function})))

    def reverse(other_name: list[str]) -> None:
        other_name.reverse()

    assert outcome(sort) == outcome(reverse) != outcome(lambda xs: xs.clear())
    assert outcome(sort)["status"] == "failed"


@pytest.mark.parametrize(("function", "value", "name"), CHANGES)
def test_the_next_call_is_given_what_the_first_was(function: Callable[..., object], value: Any, name: str) -> None:
    before = arguments.copied(value)
    arguments.call(function, [value], {}, [0])
    assert arguments.unchanged(before, value)


@pytest.mark.parametrize("rows", [np.ones((3, 4)), torch.ones(3, 4)])
@pytest.mark.parametrize("part", [np.s_[1], np.s_[:, 1], np.s_[::2, ::3]])
def test_what_a_view_was_taken_of_is_as_it_was_too(rows: Any, part: Any) -> None:
    def doubled(x: Any) -> Any:
        x *= 2
        return x

    _, change = arguments.call(doubled, [rows[part]], {}, [0])
    assert change is not None
    assert (rows == 1).all()


def test_a_function_that_fails_half_way_leaves_nothing_changed() -> None:
    def breaks(words: list[str]) -> None:
        words.pop()
        raise KeyError("word")

    words = ["한", "잔"]
    with pytest.raises(KeyError):
        arguments.call(breaks, [words], {}, [0])
    assert words == ["한", "잔"]
