"""Plain values: whatever a student's code hands back can be read, described and compared; right values are equal."""

import tracemalloc
from collections import Counter
from copy import deepcopy
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from etude.lesson.checks import Check, Mismatch, Outcome, close, equal
from etude.lesson.differences import first_difference, same
from etude.lesson.mistakes import fingerprint
from etude.lesson.values import LONGEST, as_array, describe, leading, shape

keys = st.none() | st.integers() | st.text(max_size=5) | st.tuples(st.integers(), st.text(max_size=2))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=9)
values = st.recursive(
    scalars | st.complex_numbers(allow_nan=False) | st.sets(keys, max_size=4) | st.frozensets(keys, max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_a_value_is_the_same_as_its_copy(value: object) -> None:
    assert first_difference(deepcopy(value), value) is None


@given(values, values)
def test_two_values_are_compared_alike_from_both_sides(one: object, other: object) -> None:
    assert same(one, other) == same(other, one)


@given(values, values)
def test_same_is_never_more_lenient_than_python(one: object, other: object) -> None:
    if same(one, other):
        assert one == other


@given(values)
def test_a_description_is_one_short_text(value: object) -> None:
    assert 0 < len(describe(value)) <= LONGEST


@pytest.mark.parametrize(
    ("actual", "expected", "sentence"),
    [
        (1, True, "an int, expected a bool"),
        ([1, 2], (1, 2), "a list, expected a tuple"),
        (None, [1], "None, expected a list"),
        ([1, [2, 3]], [1, [2, 4]], "3 at [1][1], expected 4"),
        ([1], [1, 2], "1 elements, expected 2"),
        ({"a": [1]}, {"a": [1, 2]}, "1 elements at ['a'], expected 2"),
        ({"a": 1}, {"b": 1}, "the key 'b' is missing"),
        ({"a": 1, 2: 1}, {"a": 1}, "the key 2 was not expected"),
        ({True: "x"}, {1: "x"}, "the key True, expected 1"),
        ({1, 2}, {1, 3}, "the element 3 is missing"),
        ({1.0}, {1}, "the element 1.0, expected 1"),
        (
            "un cafe\u0301",
            "un café",
            "'cafe\u0301' (U+0063 U+0061 U+0066 U+0065 U+0301), expected 'café' (U+0063 U+0061 U+0066 U+00E9)",
        ),
        ("\u1112\u1161\u11ab", "한", "'\u1112\u1161\u11ab' (U+1112 U+1161 U+11AB), expected '한' (U+D55C)"),
        ({"\u1100\u1161": 1}, {"가": 1}, "the key '\u1100\u1161' (U+1100 U+1161), expected '가' (U+AC00)"),
        (0.1 + 0.2, 0.3, "0.30000000000000004, expected 0.3"),
        ("a" * 300 + "x", "a" * 300 + "y", f"…{'a' * 20}x', expected …{'a' * 20}y'"),
        (float("nan"), float("nan"), "nan, expected nan"),
        (torch.zeros(2, 3), torch.zeros(3, 2), "the shape is (2, 3), expected (3, 2)"),
        ([torch.tensor([[1, 2], [3, 4]])], [torch.tensor([[1, 2], [5, 4]])], "3 at [0][1, 0], expected 5"),
        (torch.tensor([1.0, torch.nan]), torch.tensor([1.0, torch.nan]), "nan at [1], expected nan"),
        (np.zeros(2), torch.zeros(2), "a ndarray, expected a Tensor"),
    ],
)
def test_the_first_difference_is_told_in_words(actual: object, expected: object, sentence: str) -> None:
    assert first_difference(actual, expected) == sentence


def test_a_string_with_too_many_accents_to_order_is_told_apart_without_its_normal_form() -> None:
    many = "\u0327\u0301" * 200_000  # the normal form would take half a minute
    assert "U+" not in str(first_difference(many, "é" * 1000))
    assert "is missing" in str(first_difference({many: 1}, {"é": 1}))


def test_an_integer_too_long_for_python_to_print_can_be_told_apart() -> None:
    assert first_difference(10**5000, 1) == "an int whose repr fails, expected 1"


class Pair(NamedTuple):
    a: int
    b: int


class Sense(IntEnum):
    BANK = 1


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (np.int64(3), 3),
        (np.float64(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (Counter("aab"), {"a": 2, "b": 1}),
        (Pair(1, 2), (1, 2)),
        (torch.zeros(2, 3).shape, (2, 3)),
        (Sense.BANK, 1),
        ([np.int64(3)], [3]),
        ({np.int64(3): 1}, {3: 1}),
        (frozenset({1}), {1}),
        ([{(1, 2)}], [frozenset({(1, 2)})]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_library_type_counts_as_the_plain_type_that_it_is(actual: object, expected: object) -> None:
    assert first_difference(actual, expected) is None


SPECIAL = {
    "requires grad": torch.ones(2, 2, requires_grad=True),
    "parameter": torch.nn.Parameter(torch.ones(2, 2)),
    "bool": torch.ones(2, 2, dtype=torch.bool),
    "integers": torch.ones(2, 2, dtype=torch.int64),
    "bfloat16": torch.ones(2, 2, dtype=torch.bfloat16),
    "float8": torch.ones(2, 2).to(torch.float8_e4m3fn),
    "sparse": torch.ones(2, 2).to_sparse(),
    "expanded": torch.ones(1, 1).expand(2, 2),
    "transposed": torch.ones(2, 2).T,
    "conjugate": torch.ones(2, 2, dtype=torch.complex64).conj(),
    "negative imaginary": (torch.zeros(2, 2, dtype=torch.float64) - 1j).conj().imag,
    "big-endian": np.ones((2, 2), dtype=">f4"),
    "list of tensors that require grad": [torch.ones(2, requires_grad=True), torch.ones(2)],
    "list of scalars": [[torch.tensor(1.0), np.float32(1)], [1, True]],
}


@pytest.mark.parametrize("name", SPECIAL)
def test_every_kind_of_tensor_and_array_is_read_as_numbers(name: str) -> None:
    array = as_array(SPECIAL[name])
    assert array.dtype in (np.float64, np.complex128)
    assert array.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("name", SPECIAL)
def test_every_kind_of_tensor_and_array_is_the_same_as_itself_and_can_be_described(name: str) -> None:
    assert same(SPECIAL[name], SPECIAL[name])
    assert 0 < len(describe(SPECIAL[name])) <= LONGEST


@pytest.mark.parametrize(
    "value",
    [
        None,
        "3.5",
        b"3",
        {1.0},
        {"a": 1.0},
        [1, None],
        [[1], [2, 3]],
        ["1"],
        object(),
        np.array(["a"]),
        10**400,
        len,
        np.datetime64("2020-01-01"),
        torch.empty(2, device="meta"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_numbers_is_refused_with_its_description(value: object) -> None:
    with pytest.raises(TypeError, match="is not an array of numbers"):
        as_array(value)


def test_integers_beyond_64_bits_are_numbers() -> None:
    assert as_array([10**30, 0.5]).tolist() == [1e30, 0.5]


def test_large_integers_in_tensors_are_compared_exactly() -> None:
    assert first_difference(torch.tensor([2**60 + 1]), torch.tensor([2**60])) is not None


def test_a_tensor_is_described_by_shape_dtype_and_values() -> None:
    assert describe(torch.tensor([[1, 2]])) == "tensor(1, 2) int64 [[1, 2]]"
    assert describe(np.array([0.123456])) == "array(1,) float64 [0.1235]"


@pytest.mark.parametrize(
    ("value", "sizes"),
    [
        (3, ()),
        ([], (0,)),
        ([[], []], (2, 0)),
        ([range(3), (1, 2, 3)], (2, 3)),
        ([torch.zeros(2, 3), np.zeros((2, 3))], (2, 2, 3)),
        (np.array([10**30]), (1,)),
        ([[1], [2, 3]], None),
        ([1, "a"], None),
        ([np.zeros(2), None], None),
        (np.array(["a"]), None),
    ],
)
def test_the_shape_is_the_one_that_the_numbers_will_have(value: object, sizes: tuple[int, ...]) -> None:
    assert shape(value) == sizes
    assert sizes is None or as_array(value).shape == sizes


@given(st.lists(st.floats(allow_nan=False) | st.complex_numbers(allow_nan=False), max_size=9), st.integers(0, 9))
def test_the_leading_numbers_are_the_first_of_all(numbers: list[complex], most: int) -> None:
    for value in (numbers, [[x] for x in numbers], np.array(numbers), torch.tensor(numbers)):
        assert leading(value, most).tolist() == as_array(value).ravel()[:most].tolist()


MIB = 2**20
LARGE = {
    "array": np.zeros((4096, 16384), np.int8),
    "tensor": torch.zeros(4096, 16384, dtype=torch.int8),
    "many axes": torch.zeros((2,) * 25, dtype=torch.int8),
    "tensors": [torch.zeros(16 * MIB, dtype=torch.int8)] * 4,
    "texts of unlike lengths": ["x" * MIB, *["y"] * 64],
    "one text": "x" * 64 * MIB,
    "in a dictionary": {"a": [np.zeros(64 * MIB, np.int8)]},
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_wrong_value_is_refused_and_described_without_being_copied(name: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(Mismatch) as caught:
            close(LARGE[name], [1.0, 2.0])
        assert len(str(caught.value)) < 1000
        assert fingerprint(Outcome(Check("test", "e", 1, lambda student: None), "failed", "", caught.value))
        with pytest.raises(Mismatch):
            equal(LARGE[name], torch.zeros(3))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < (8 if name != "one text" else 256) * MIB  # a digest is made of all of a text


def test_of_a_long_list_no_more_is_read_than_is_shown() -> None:
    class Counted(int):
        read = 0

        def __repr__(self) -> str:
            Counted.read += 1
            return "7"

    assert describe([Counted(7)] * 100_000).startswith("[7, 7")
    assert Counted.read <= LONGEST


def test_an_array_of_many_axes_is_described_by_its_first_part() -> None:
    assert describe(np.arange(64).reshape((2,) * 6)) == (
        "array(2, 2, 2, 2, 2, 2) int64 [[[[[[ 0, 1], [ 2, 3]], [[ 4, 5], [ 6, 7]]], [[[ 8, 9], [10, 11]], [[12, 13], [14, 15]]]], …"
    )
