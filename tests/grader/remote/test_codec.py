"""The wire format: a value comes back exactly as it went, or CodecError says why not; a hostile message does no harm."""

from __future__ import annotations

import builtins
import contextlib
import json
import math
import struct
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.remote import codec
from grader.remote.codec import CodecError, Ref, decode, encode


def refuse(x: Any) -> Any:
    raise CodecError(f"refused: {x!r:.80}")


def round_trip(value: Any) -> Any:
    header, buffers = encode(value, refuse)
    return decode(header, [bytes(buffer) for buffer in buffers], refuse)


def decode_node(node: Any, *buffers: bytes) -> Any:
    return decode(json.dumps(node).encode("ascii"), buffers, refuse)


def same(a: Any, b: Any) -> bool:
    """Equal in type, in value and in every bit of a float (NaNs count as equal to each other)."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return struct.pack("d", a) == struct.pack("d", b) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, complex):
        return same(a.real, b.real) and same(a.imag, b.imag)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, set | frozenset):
        return len(a) == len(b) and all(any(same(x, y) for y in b) for x in a)
    if isinstance(a, np.ndarray | np.generic):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, pd.DataFrame | pd.Series | pd.Index):
        lines = (
            [a]
            if isinstance(a, pd.Series | pd.Index)
            else [a.columns, a.index, *(a.iloc[:, i] for i in range(a.shape[1]))]
        )
        others = (
            [b]
            if isinstance(b, pd.Series | pd.Index)
            else [b.columns, b.index, *(b.iloc[:, i] for i in range(b.shape[1]))]
        )
        return len(lines) == len(others) and all(map(same_line, lines, others))
    if isinstance(a, torch.Tensor):
        bits = [
            t.detach().clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8)
            for t in (a, b)
            if t.numel()
        ]
        same_bits = len(bits) < 2 or torch.equal(*bits)
        return a.dtype == b.dtype and a.shape == b.shape and a.requires_grad == b.requires_grad and same_bits
    return bool(a == b)


def same_line(a: Any, b: Any) -> bool:
    """Equal columns or indexes of a table."""
    if type(a) is not type(b) or a.dtype != b.dtype or not same(a.name, b.name):
        return False
    if isinstance(a, pd.Series) and not same_line(a.index, b.index):
        return False
    missing = a.isna().tolist() if isinstance(a, pd.Series) else list(a.isna())
    return len(a) == len(b) and all(
        (gone and pd.isna(y)) or same(x, y) for x, y, gone in zip(a.tolist(), b.tolist(), missing, strict=True)
    )


def arrays() -> st.SearchStrategy[np.ndarray]:
    def build(dtype: str, shape: list[int], data: bytes) -> np.ndarray:
        size = math.prod(shape) * codec.NUMPY_DTYPES[dtype]
        raw = (data * (size // len(data) + 1))[:size]
        array = np.frombuffer(bytearray(b & 1 for b in raw) if dtype == "bool" else bytearray(raw), dtype)
        return array.reshape(shape)

    shapes = st.lists(st.integers(0, 4), max_size=4)
    return st.builds(build, st.sampled_from(sorted(codec.NUMPY_DTYPES)), shapes, st.binary(min_size=1, max_size=16))


def tables() -> st.SearchStrategy[Any]:
    """Tables of numbers, text and plain values, with and without names, and their columns and indexes."""
    names = st.one_of(st.none(), st.text(max_size=3), st.integers(0, 9))
    cells = {
        "int64": st.integers(-9, 9),
        "float64": st.floats(),
        "bool": st.booleans(),
        "str": st.one_of(st.none(), st.text(max_size=3)),
        "string": st.one_of(st.none(), st.text(max_size=3)),
        "object": st.one_of(
            st.none(), st.booleans(), st.integers(-(2**63), 2**63), st.text(max_size=3), st.binary(max_size=3)
        ),
    }

    @st.composite
    def table(draw: st.DrawFn) -> Any:
        rows = draw(st.integers(0, 4))

        def values(kinds: list[str], size: int) -> Any:
            kind = draw(st.sampled_from(kinds))
            return pd.Series(draw(st.lists(cells[kind], min_size=size, max_size=size)), dtype=kind)

        def index(size: int) -> pd.Index:
            ranged, name = draw(st.booleans()), draw(names)
            kinds = ["int64", "float64", "str", "object"]
            return pd.RangeIndex(size, name=name) if ranged else pd.Index(values(kinds, size), name=name)

        columns = draw(st.integers(0, 3))
        frame = pd.DataFrame({place: values(list(cells), rows) for place in range(columns)})
        frame = frame if columns else pd.DataFrame(index=range(rows))
        frame.index, frame.columns = index(rows), index(columns)
        if columns and draw(st.booleans()):
            return frame.iloc[:, 0].rename(draw(names))
        return frame.index if draw(st.booleans()) else frame

    return table()


plain_keys = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5), st.binary(max_size=5)
)
keys = st.one_of(plain_keys, st.tuples(plain_keys, plain_keys), st.frozensets(plain_keys, max_size=3))
characters = st.characters(codec=None)  # lone surrogates too
scalars = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.integers(-(2**3000), 2**3000), st.floats(), st.complex_numbers()),
    *(st.text(characters, max_size=20), st.text(characters, min_size=1001, max_size=1010)),
    *(st.binary(max_size=20), st.binary(max_size=20).map(bytearray)),
    *(st.slices(9), st.builds(range, st.integers(-99, 99), st.integers(-99, 99), st.integers(1, 9))),
    *(arrays(), arrays().filter(lambda a: a.dtype.kind != "u" or a.itemsize == 1).map(torch.from_numpy)),
    arrays().filter(lambda a: a.ndim > 0 and a.size > 0).map(lambda a: a.reshape(-1)[0]),
    tables(),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        *(st.lists(inner, max_size=4), st.lists(inner, max_size=4).map(tuple)),
        st.dictionaries(keys, inner, max_size=4),
        *(st.sets(keys, max_size=4), st.frozensets(keys, max_size=4)),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(values)
def test_every_value_comes_back_exactly(value: Any) -> None:
    assert same(round_trip(value), value)


json_pieces = st.sampled_from([b"[", b"]", b"{}", b"-1", b"1e999", b"null", b'"', b"NaN"])


@settings(max_examples=300, deadline=None)
@given(values, st.data())
def test_a_damaged_message_gives_a_value_or_a_wire_error(value: Any, data: st.DataObject) -> None:
    header, buffers = encode(value, refuse)
    damaged = bytearray(header)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged)))
        damaged[at : at + data.draw(st.integers(0, 3))] = data.draw(st.one_of(st.binary(max_size=4), json_pieces))
    with contextlib.suppress(CodecError):
        decode(bytes(damaged), [bytes(buffer) for buffer in buffers], refuse)


kinds = sorted(
    {kind.__name__ for kind in codec._PARTS}
    | {"array", "scalar", "tensor", "ref", "str", "bytes", "frame", "series", "index"}
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 10**20), st.floats(), st.sampled_from(["float64", "nan", "v"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.fixed_dictionaries(
            {"t": st.sampled_from(kinds)},
            optional={"v": inner, "b": inner, "d": inner, "s": inner, "g": inner},
        ),
    ),
    max_leaves=20,
)


@settings(max_examples=400, deadline=None)
@given(json_values, st.lists(st.binary(max_size=16), max_size=3))
def test_any_json_gives_a_value_or_a_wire_error(node: Any, buffers: list[bytes]) -> None:
    with contextlib.suppress(CodecError):
        decode(json.dumps(node).encode("ascii"), buffers, lambda ref: ref)


@given(st.binary(max_size=200))
def test_random_bytes_give_a_value_or_a_wire_error(header: bytes) -> None:
    with contextlib.suppress(CodecError):
        decode(header, [], refuse)


@pytest.mark.parametrize("dtype", sorted(codec.TORCH_DTYPES))
def test_tensors_of_every_dtype_and_layout_come_back(dtype: str) -> None:
    base = torch.arange(24).reshape(2, 3, 4).to(getattr(torch, dtype))
    for tensor in (base, base.transpose(0, 2), base[:, ::2], base[0, 0, 0], base[:0], base[0].expand(5, 3, 4)):
        assert same(round_trip(tensor), tensor)


@given(st.permutations(range(3)), st.tuples(*[st.one_of(st.integers(0, 1), st.slices(2))] * 3))
def test_any_view_of_a_tensor_or_an_array_comes_back(order: list[int], place: tuple[Any, ...]) -> None:
    """Views of one number among them, whose stride says nothing."""
    place = tuple(slice(one.start, one.stop, abs(one.step or 1)) if isinstance(one, slice) else one for one in place)
    tensor = torch.arange(8).reshape(2, 2, 2).permute(*order)[place]
    assert same(round_trip(tensor), tensor)
    assert same(round_trip(tensor.numpy()), tensor.numpy())


@pytest.mark.parametrize("dtype", sorted(codec.TORCH_DTYPES))
def test_one_number_taken_from_a_column_comes_back(dtype: str) -> None:
    tensor = torch.arange(1, 13).reshape(1, 12).to(getattr(torch, dtype))[:, 0]
    assert tensor.stride() == (12,)
    assert same(round_trip(tensor), tensor)


def test_a_tensor_keeps_whether_it_requires_a_gradient() -> None:
    tensor = torch.ones(2, requires_grad=True)
    assert round_trip(tensor).requires_grad
    assert not round_trip(tensor.detach()).requires_grad


def test_a_conjugated_view_is_sent_as_it_reads() -> None:
    tensor = torch.tensor([1 + 2j]).conj()
    assert torch.equal(round_trip(tensor), tensor.resolve_conj())


def test_arrays_in_another_byte_order_keep_their_values() -> None:
    array = np.array([1, 2, 300], dtype=">i4")
    assert round_trip(array).tolist() == [1, 2, 300]


@pytest.mark.parametrize(
    "array", [np.array(3.5), np.zeros((0, 4)), np.arange(12).reshape(3, 4).T, np.arange(9)[::-2], np.float32(2.5)]
)
def test_arrays_of_every_layout_come_back(array: Any) -> None:
    assert same(round_trip(array), array)


def test_what_comes_back_can_be_written_to() -> None:
    array, tensor = round_trip([np.zeros(2), torch.zeros(2)])
    array += 1
    tensor += 1
    assert array.tolist() == tensor.tolist() == [1, 1]


@pytest.mark.parametrize("value", [torch.float32, torch.bfloat16, torch.device("cpu"), torch.device("cuda:1")])
def test_torch_dtypes_and_devices_come_back(value: Any) -> None:
    assert round_trip([value]) == [value]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [1, 2], "b": [3, 4]}).set_index(["a", "b"]),
        pd.Series(pd.date_range("2020-01-01", periods=2)),
        pd.Series(["a", "b"], dtype="category"),
        pd.Series([(1, 2)]),
        pd.DataFrame({place: [0] for place in range(1001)}),
    ],
)
def test_a_table_of_other_things_stays_on_its_side(table: Any) -> None:
    with pytest.raises(CodecError, match=f"refused|a {type(table).__name__} cannot be sent"):
        encode(table, refuse)


def test_two_neighbouring_surrogates_do_not_become_one_character() -> None:
    text = "\ud83d" + "\ude00"
    assert round_trip(text) == text
    assert len(round_trip(text)) == 2


class Text(str):
    pass


cycle: list[Any] = []
cycle.append(cycle)


@pytest.mark.parametrize(
    "value",
    [
        *(object(), len, Text("x"), np.array([object()]), np.array(["x"]), np.ma.masked_array([1], [True]), Ref),
        *({torch.ones(1): 1}, {(1, torch.ones(1)): 1}, {torch.ones(1)}, {object()}, {(len,): 0}),
        *(2**9000, [2**8000] * 40_000, range(10**9), range(10**30), cycle, [0] * 500_001, ["x" * 999] * 20_000),
        *(np.broadcast_to(0.0, (10**12,)), torch.zeros(1).expand(10**12), np.zeros((0, 10**9)), [bytes(2**20)] * 300),
        *(torch.ones(2).to_sparse(), torch.ones(2, device="meta"), torch.ones(1, dtype=torch.float8_e4m3fn)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_travel_exactly_is_refused(value: Any) -> None:
    with pytest.raises(CodecError):
        round_trip(value)


array_of_two = {"t": "array", "d": "float64", "s": [2], "b": 0}


@pytest.mark.parametrize(
    ("node", "buffers"),
    [
        (array_of_two, [bytes(8)]),
        (array_of_two, []),
        ([array_of_two, array_of_two], [bytes(16)]),
        (array_of_two | {"d": "object"}, [bytes(16)]),
        (array_of_two | {"s": [0, 10**12]}, [b""]),
        (array_of_two | {"s": [-1, -2]}, [bytes(16)]),
        (array_of_two | {"s": [True, 2]}, [bytes(16)]),
        (array_of_two | {"s": [1] * 40 + [2]}, [bytes(16)]),
        (array_of_two | {"d": "bool"}, [b"\x01\x02"]),
        (array_of_two | {"t": "tensor", "d": "bool", "g": False}, [b"\x01\x02"]),
        (array_of_two | {"t": "tensor", "d": "int64", "g": True}, [bytes(16)]),
        (1, [b"left over"]),
        ({"t": "dict", "v": [1, "a", True, "b"]}, []),
        ({"t": "dict", "v": [1]}, []),
        ({"t": "dict", "v": [[], 1]}, []),
        ({"t": "set", "v": [1, 1]}, []),
        ({"t": "range", "v": [0, 10**9, 1]}, []),
        ({"t": "dtype", "v": "load"}, []),
        ({"t": "device", "v": "cpu; rm"}, []),
        ({"t": "ref", "v": {"id": 2**2000}}, []),
        ({"t": "ref", "v": {"id": [1]}}, []),
        ({"t": "__init__"}, []),
        ({"v": 1}, []),
        (2**9000, []),
        ({"t": "index", "v": [["range", [1, 2], None]]}, []),
        ({"t": "index", "v": [["str", [1, 2], None]]}, []),
        ({"t": "index", "v": [["object", [2**64 * k for k in range(1, 9)], None]]}, []),
        ({"t": "index", "v": [["int32", array_of_two, None]]}, [bytes(16)]),
        ({"t": "index", "v": [["object", [1], [2]]]}, []),
        ({"t": "index", "v": [["object", [{"t": "tuple", "v": []}], None]]}, []),
        ({"t": "series", "v": [["range", {"t": "range", "v": [0, 3, 1]}, None], ["object", [1], None]]}, []),
        ({"t": "frame", "v": [["object", [1], None], ["object", [], None], [["object", [1], None]]]}, []),
        ({"t": "set", "v": [{"t": "complex", "v": [-1000003.0 * k, 1.0 * k]} for k in range(2000)]}, []),
        ({"t": "set", "v": [*range(10_000), *(k * (2**61 - 1) + 5 for k in range(1, 200))]}, []),
    ],
)
def test_a_malformed_message_is_refused(node: Any, buffers: list[bytes]) -> None:
    with pytest.raises(CodecError):
        decode_node(node, *buffers)


@pytest.mark.parametrize("pair", [False, True])
def test_more_keys_than_can_be_chosen_for_their_places_are_refused_unless_they_hold_text(pair: bool) -> None:
    numbers = [(k, k) if pair else k for k in range(codec.MAX_NUMBERS + 1)]
    with pytest.raises(CodecError, match="are numbers"):
        round_trip(set(numbers))
    words = {f"{k}" for k in numbers}
    assert round_trip(words) == words


@pytest.mark.parametrize("outer", [lambda key: (key,), lambda key: frozenset([key])])
def test_keys_that_are_too_deep_are_refused(outer: Callable[[Any], Any]) -> None:
    key: Any = "leaf"
    for _ in range(codec.MAX_KEY_DEPTH):
        key = outer(key)
    assert round_trip({key: 1}) == {key: 1}
    with pytest.raises(CodecError, match="at most 10 deep"):
        round_trip({outer(key): 1})


@pytest.mark.parametrize("header", [b"", b"[" * 100_000, b"9" * 5000, b"NaN", b'"\xff"', b" " * (codec.MAX_HEADER + 1)])
def test_what_is_not_a_json_header_is_refused(header: bytes) -> None:
    with pytest.raises(CodecError):
        decode(header, [], refuse)


@pytest.mark.parametrize("one", [b"[]", b"{}", b'{"t":1}'])
def test_a_header_of_brackets_alone_is_refused_before_it_is_parsed(one: bytes) -> None:
    header = b"[" + b",".join([one] * ((codec.MAX_HEADER - 2) // (len(one) + 1))) + b"]"
    tracemalloc.start()
    try:
        with pytest.raises(CodecError, match="brackets"):
            decode(header, [], refuse)
        assert tracemalloc.get_traced_memory()[1] < 2 * len(header)
    finally:
        tracemalloc.stop()


def test_as_many_values_as_may_travel_do_not_have_too_many_brackets() -> None:
    values = [("[{",)] * ((codec.MAX_NODES - 1) // 2)
    assert round_trip(values) == values


def test_a_label_comes_back_to_the_other_end() -> None:
    thing = object()
    header, buffers = encode([1, thing], lambda x: Ref(id=7, name="f"))
    assert decode(header, buffers, lambda ref: (ref["id"], ref["name"])) == [1, (7, "f")]


def test_a_value_may_stand_in_for_what_cannot_travel() -> None:
    header, buffers = encode([Text("x"), {"k": Text("y")}], str)
    assert decode(header, buffers, refuse) == ["x", {"k": "y"}]


def test_a_failing_ref_or_deref_is_a_wire_error() -> None:
    with pytest.raises(CodecError):
        encode(object(), lambda x: 1 / 0)
    with pytest.raises(CodecError):
        decode(b'{"t":"ref","v":{"id":1}}', [], lambda ref: {}[ref["id"]])


def test_a_wire_error_satisfies_no_built_in_error() -> None:
    builtin_errors = {x for x in vars(builtins).values() if isinstance(x, type) and issubclass(x, BaseException)}
    assert builtin_errors & set(CodecError.__mro__) == {Exception, BaseException}
