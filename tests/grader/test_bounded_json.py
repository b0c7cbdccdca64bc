"""JSON of a stranger: the values are counted before they are made, whatever its strings hold."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.bounded_json import MOST_VALUES, TooManyValues, count_values, loads

TEXT = st.text(st.sampled_from('ab"\\[]{},: \n가'), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


def values_in(value: object) -> int:
    """Values and keys, counted one by one."""
    if isinstance(value, dict):
        return 1 + sum(1 + values_in(item) for item in value.values())
    return 1 + sum(map(values_in, value)) if isinstance(value, list) else 1


def brackets_in(value: object) -> int:
    """Empty brackets hold nothing, and are counted as if they held something."""
    if isinstance(value, list | dict) and not value:
        return 1
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return sum(map(brackets_in, parts))


@given(VALUES, st.booleans())
def test_every_value_outside_of_strings_is_counted_and_nothing_within(value: object, escaped: bool) -> None:
    data = json.dumps(value, ensure_ascii=escaped).encode()
    assert count_values(data) == values_in(value) + brackets_in(value)
    assert loads(data) == value


@given(st.binary(max_size=60))
def test_any_bytes_give_a_value_or_a_value_error(data: bytes) -> None:
    try:
        loads(data)
    except (ValueError, RecursionError) as error:
        assert str(error)


@pytest.mark.parametrize("one", [b"{}", b"[]", b"0", b'""', b'{"":0}', b"[[]]"])
def test_too_many_values_are_refused_before_any_is_made(one: bytes) -> None:
    data = b"[" + b",".join([one] * (MOST_VALUES + 1)) + b"]"
    tracemalloc.start()
    try:
        with pytest.raises(TooManyValues, match="more than 1,000,000 values"):
            loads(data)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 10 * len(data)


def test_long_texts_are_few_values() -> None:
    text = '{"a": [1, 2], "b": "\\"},{},"}' * 100_000
    assert loads(json.dumps({"outputs": [text]}).encode()) == {"outputs": [text]}
