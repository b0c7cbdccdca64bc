"""Values between two processes that do not trust each other: one JSON header and raw buffers.

A value goes by copy or not at all. Nothing on the wire can run (no pickle, no code, no object arrays), every size is
bounded before memory is taken, and what comes back has exactly the type that went out. What cannot go by value is given
to the caller's `ref`, which may put a `Ref` in its place: a small label that only the other end's `deref` understands.

`encode` and `decode` raise `CodecError` and nothing else. By value go None, bool, int (up to 8192 bits), float, complex,
str, bytes, bytearray, list, tuple, set, frozenset, dict, slice, range, numpy arrays and scalars (in native byte order),
torch tensors (on the CPU, with their requires_grad), torch dtypes and devices, and pandas tables of such things.

This file is also sent, as text, into the student's kernel: it needs only the standard library until an array comes, and
must not know about kernels, sockets or grading.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import operator
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

if __name__ != "etude_agent":  # in a kernel both are read into one namespace
    from grader.remote.tables import parts_of, table_of

MAX_NODES = 500_000  # values in one message, counting those inside containers
MAX_DEPTH = 50
MAX_BRACKETS = 4 * MAX_NODES  # in a header; a value takes two, and short strings may hold some. Each may take 72 bytes
MAX_HEADER = 16 << 20  # bytes of JSON
MAX_BYTES = 256 << 20  # bytes of all buffers together
MAX_INT_BITS = 8192  # 2467 digits: Python still prints it
MAX_INLINE = 1000  # characters; a longer string travels in a buffer
MAX_DIMS = 32
MAX_KEY_DEPTH = 10  # of tuples and frozensets in a key: each one around it works out its hash anew
MAX_ALIKE = 100  # keys with one hash: each is compared with all before it
MAX_NUMBERS = 60_000  # keys of one dict that are numbers alone, whose places in its table a sender can choose

# dtype name -> bytes per item
_INTEGERS = {"bool": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1}
_FLOATS = {"float16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16}
NUMPY_DTYPES = {**_INTEGERS, "uint16": 2, "uint32": 4, "uint64": 8, **_FLOATS}
TORCH_DTYPES = {**NUMPY_DTYPES, "bfloat16": 2}
_DEVICE = re.compile(r"(cpu|cuda|mps|meta)(:[0-9]{1,3})?")
_SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    **dict.fromkeys((tuple, set, frozenset), iter),
    **dict.fromkeys((slice, range), lambda x: (x.start, x.stop, x.step)),
    dict: lambda x: (part for item in x.items() for part in item),
    complex: lambda x: (x.real, x.imag),
}
_PLAIN_KEYS = (type(None), int, float, complex, str, bytes)


class CodecError(Exception):
    """A value that cannot travel, or a message that is not one.

    It derives from no built-in error but Exception: a malformed reply must not satisfy `pytest.raises(ValueError)`.
    """


class Ref(dict[str, Any]):
    """The label of an object that stays where it is: a flat dict of short strings, ints, bools and None."""


def encode(value: Any, ref: Callable[[Any], Any]) -> tuple[bytes, list[Any]]:
    """Encodes `value` as a message.

    Args:
        ref: `ref(x)` is called for each x that does not go by value. It returns a `Ref`, or another value to send in place
            of x, or raises CodecError.

    Returns:
        A JSON header and the buffers that belong to it.
    """
    encoder = _Encoder(ref)
    with _nothing_but_wire_errors(f"a {type(value).__name__} cannot be sent"):
        header = json.dumps(encoder.node(value, 0), allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(header) > MAX_HEADER:
        raise CodecError(f"the value is too large to send: its header takes {len(header):,} bytes of {MAX_HEADER:,}")
    return header, encoder.buffers


def decode(header: bytes, buffers: Sequence[Any], deref: Callable[[Ref], Any]) -> Any:
    """Decodes the value of a message.

    Args:
        deref: `deref(label)` gives the object for each `Ref` in it.
    """
    with _nothing_but_wire_errors("malformed message"):
        if len(header) > MAX_HEADER or sum(memoryview(buffer).nbytes for buffer in buffers) > MAX_BYTES:
            _refuse(f"larger than {MAX_HEADER:,} bytes of header or {MAX_BYTES:,} of buffers")
        if header.count(b"[") + header.count(b"{") > MAX_BRACKETS:
            _refuse(f"more than {MAX_BRACKETS:,} brackets")
        decoder = _Decoder(buffers, deref)
        value = decoder.value(json.loads(bytes(header).decode("ascii"), parse_constant=_refuse), 0)
    return value if not decoder.unused else _refuse("a buffer belongs to no value")


@contextlib.contextmanager
def _nothing_but_wire_errors(doing: str) -> Iterator[None]:
    try:
        yield
    except CodecError:
        raise
    except Exception as error:
        raise CodecError(f"{doing}: {type(error).__name__}: {str(error)[:200]}") from None


class _Encoder:
    """Turns values into JSON nodes; collects buffers and counts as it goes."""

    def __init__(self, ref: Callable[[Any], Any]) -> None:
        self.ref = ref
        self.buffers: list[Any] = []
        self.nodes = self.digits = self.bytes = 0

    def node(self, x: Any, depth: int) -> Any:
        self.nodes = _counted(self.nodes, depth)
        kind = type(x)
        if x is None or kind is bool:
            return x
        if kind is int:
            return self.inline(_bounded_int(x), x.bit_length() // 3)
        if kind is float:
            return x if math.isfinite(x) else {"t": "float", "v": repr(x)}
        if kind is str:
            # JSON joins two neighbouring surrogates into one character, so such text goes as bytes.
            if len(x) > MAX_INLINE or any("\ud800" <= character <= "\udfff" for character in x):
                return self.buffer("str", x.encode("utf-8", "surrogatepass"))
            return self.inline(x, len(x))
        if kind is bytes or kind is bytearray:
            return self.buffer(kind.__name__, bytes(x))
        if kind is list:
            return [self.node(part, depth + 1) for part in x]
        if kind in _PARTS:
            if kind is range and len(x) > MAX_NODES:
                raise CodecError(f"the range is too long (over {MAX_NODES:,})")
            nodes = [self.node(part, depth + 1) for part in _PARTS[kind](x)]
            if kind in (set, frozenset, dict):
                _check_keys(x)
            return {"t": kind.__name__, "v": nodes}
        if (node := self.array(x)) is not None:
            return node
        if (table := parts_of(x, NUMPY_DTYPES)) is not None:
            return {"t": table[0], "v": self.node(table[1], depth + 1)}
        instead = self.ref(x)
        return {"t": "ref", "v": _checked_label(instead)} if type(instead) is Ref else self.node(instead, depth + 1)

    def inline(self, x: Any, digits: int) -> Any:
        """Returns x itself; one string in a hundred thousand places takes memory for each in the header."""
        self.digits += digits
        if self.digits > MAX_HEADER:
            raise CodecError(f"the value is too large to send: its header takes over {MAX_HEADER:,} bytes")
        return x

    def buffer(self, kind: str, data: Any, **fields: Any) -> dict[str, Any]:
        self.need_room(memoryview(data).nbytes)
        self.bytes += memoryview(data).nbytes
        self.buffers.append(data)
        return {"t": kind, "b": len(self.buffers) - 1, **fields}

    def need_room(self, nbytes: int) -> None:
        """Refuses what would be too large, before a copy of it is made: an expanded array may be far larger than its memory."""
        if self.bytes + nbytes > MAX_BYTES:
            raise CodecError(f"the value is too large to send: over {MAX_BYTES:,} bytes")

    def array(self, x: Any) -> dict[str, Any] | None:
        """Makes the node of a numpy or torch object; None if x is not one that goes by value."""
        np, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        if np is not None and (type(x) is np.ndarray or isinstance(x, np.generic)) and x.dtype.name in NUMPY_DTYPES:
            self.need_room(_size(list(x.shape), x.itemsize))
            native = np.asarray(x, dtype=x.dtype.name, order="C").reshape(-1)
            data = memoryview(native.view(np.uint8)) if x.size else b""
            return self.buffer("array" if type(x) is np.ndarray else "scalar", data, d=x.dtype.name, s=list(x.shape))
        if torch is None:
            return None
        if type(x) in (torch.Tensor, torch.nn.Parameter):
            dtype = str(x.dtype).removeprefix("torch.")
            if dtype not in TORCH_DTYPES or x.layout is not torch.strided:
                return None
            self.need_room(_size(list(x.shape), TORCH_DTYPES[dtype]))
            plain = x.detach().to("cpu").resolve_conj().resolve_neg().contiguous()
            flat = plain.as_strided(
                (x.numel(),), (1,)
            )  # not by reshape: a single number may keep the stride of its table
            data = memoryview(flat.view(torch.uint8).numpy()) if x.numel() else b""
            return self.buffer("tensor", data, d=dtype, s=list(x.shape), g=bool(x.requires_grad))
        name = str(x).removeprefix("torch.") if type(x) in (torch.dtype, torch.device) else ""
        if name in TORCH_DTYPES or _DEVICE.fullmatch(name):
            return {"t": type(x).__name__, "v": name}
        return None


class _Decoder:
    """Turns JSON nodes back into values, and believes none of them."""

    def __init__(self, buffers: Sequence[Any], deref: Callable[[Ref], Any]) -> None:
        # A buffer belongs to one value: many values on one buffer would take memory that nobody sent.
        self.unused = dict(enumerate(buffers))
        self.deref = deref
        self.nodes = 0

    def value(self, node: Any, depth: int) -> Any:
        self.nodes = _counted(self.nodes, depth)
        if node is None or type(node) in (bool, float, str):
            return node
        if type(node) is int:
            return _bounded_int(node)
        if type(node) is list:
            return [self.value(part, depth + 1) for part in node]
        match node["t"]:
            case "float":
                return _SPECIAL_FLOATS[node["v"]]
            case "str":
                return self.buffer(node).decode("utf-8", "surrogatepass")
            case "bytes" | "bytearray" as kind:
                return bytes(self.buffer(node)) if kind == "bytes" else self.buffer(node)
            case "tuple" | "set" | "frozenset" | "dict" | "complex" | "slice" | "range" as kind:
                return _assembled(kind, [self.value(part, depth + 1) for part in node["v"]])
            case "array" | "scalar" | "tensor" as kind:
                return self.array(kind, node["d"], node["s"], node)
            case "frame" | "series" | "index" as kind:
                return table_of(kind, [self.value(part, depth + 1) for part in node["v"]])
            case "dtype" if node["v"] in TORCH_DTYPES:
                return getattr(importlib.import_module("torch"), node["v"])
            case "device" if _DEVICE.fullmatch(node["v"]):
                return importlib.import_module("torch").device(node["v"])
            case "ref":
                return self.deref(Ref(_checked_label(node["v"])))
        _refuse(f"unknown kind {str(node['t'])[:40]!r}")

    def buffer(self, node: Any) -> bytearray:
        """Hands out the bytes that belong to a node, writable and shared with nobody."""
        if type(node["b"]) is not int or node["b"] not in self.unused:
            _refuse("a buffer that does not exist or is used twice")
        data = self.unused.pop(node["b"])
        return data if type(data) is bytearray else bytearray(data)

    def array(self, kind: str, dtype: str, shape: list[int], node: Any) -> Any:
        size = _size(shape, (TORCH_DTYPES if kind == "tensor" else NUMPY_DTYPES)[dtype])
        data = self.buffer(node)
        if len(data) != size:
            _refuse(f"{len(data):,} bytes where the shape needs {size:,}")
        if dtype == "bool" and data.translate(None, b"\x00\x01"):
            _refuse("a bool that is neither 0 nor 1, and would equal neither True nor False")
        if kind != "tensor":
            array = importlib.import_module("numpy").frombuffer(data, dtype=dtype).reshape(shape)
            return array if kind == "array" else array[()] if shape == [] else _refuse("a scalar with a shape")
        torch = importlib.import_module("torch")
        item = getattr(torch, dtype)
        tensor = torch.frombuffer(data, dtype=item).reshape(shape) if size else torch.empty(shape, dtype=item)
        return tensor.requires_grad_(node["g"] is True)


def _assembled(kind: str, parts: list[Any]) -> Any:
    """Assembles the tuple, set, dict, ... of its parts."""
    if kind == "tuple":
        return tuple(parts)
    if kind in ("set", "frozenset"):
        _check_keys(parts)
        members = set(parts) if kind == "set" else frozenset(parts)
        return members if len(members) == len(parts) else _refuse("a set with a member twice")
    if kind == "dict":
        _check_keys(parts[::2])
        value = dict(zip(parts[::2], parts[1::2], strict=True))
        return value if 2 * len(value) == len(parts) else _refuse("a dict with a key twice")
    if kind == "complex":
        return complex(*parts) if list(map(type, parts)) == [float, float] else _refuse("a complex of other parts")
    if kind == "slice":
        return slice(*parts) if len(parts) == 3 else _refuse("a slice of other than three parts")
    whole = range(*parts)
    return whole if len(whole) <= MAX_NODES else _refuse("a range that is too long")


def _counted(nodes: int, depth: int) -> int:
    if depth > MAX_DEPTH or nodes >= MAX_NODES:
        raise CodecError(f"a value is too deep (over {MAX_DEPTH}) or has too many parts (over {MAX_NODES:,})")
    return nodes + 1


def _bounded_int(x: int) -> int:
    if x.bit_length() > MAX_INT_BITS:
        raise CodecError(f"an int of {x.bit_length():,} bits is larger than {MAX_INT_BITS:,} bits")
    return x


def _size(shape: list[Any], itemsize: int) -> int:
    """Counts the bytes of an array. Empty arrays are bounded too: a later sum over their empty axis would take the memory."""
    if type(shape) is not list or len(shape) > MAX_DIMS or any(type(n) is not int or n < 0 for n in shape):
        raise CodecError(f"a shape must be a list of at most {MAX_DIMS} sizes")
    if math.prod(max(n, 1) for n in shape) * itemsize > MAX_BYTES:
        raise CodecError(f"the array is too large: shape {str(shape)[:80]} stands for over {MAX_BYTES:,} bytes")
    size: int = math.prod(shape) * itemsize
    return size


def _check_keys(keys: Iterable[Any]) -> None:
    """Refuses keys that do not compare by value, and keys made to collide: a dict of those takes minutes to build."""
    keys = list(keys)
    if not all(_is_key(key) for key in keys):
        raise CodecError(
            f"dict keys and set members must be numbers, text, bytes, None, or tuples of these, at most {MAX_KEY_DEPTH} deep"
        )
    if len(keys) > MAX_NUMBERS and sum(map(_is_foreseen, keys)) > MAX_NUMBERS:
        raise CodecError(f"over {MAX_NUMBERS:,} dict keys or set members are numbers")
    hashes = sorted(map(hash, keys))  # not counted in a dict, which would be the slow one
    if any(map(operator.eq, hashes, hashes[MAX_ALIKE:])):
        raise CodecError("too many dict keys or set members have the same hash")


def _is_key(x: Any, depth: int = 0) -> bool:
    if isinstance(x, tuple | frozenset):
        return depth < MAX_KEY_DEPTH and all(_is_key(part, depth + 1) for part in x)
    np = sys.modules.get("numpy")
    return isinstance(x, _PLAIN_KEYS) or (np is not None and isinstance(x, np.generic))


def _is_foreseen(key: Any) -> bool:
    """Tells whether its sender can work out its hash: that of text is another one in each process."""
    if isinstance(key, tuple | frozenset):
        return all(map(_is_foreseen, key))
    return not (isinstance(key, str | bytes) and key)


def _checked_label(label: Any) -> dict[str, Any]:
    for key, field in label.items():
        short = len(field) <= MAX_INLINE if type(field) is str else type(field) in (int, bool, type(None))
        if type(key) is not str or not short:
            _refuse("a label holds only short strings, ints, bools and None")
    return dict(label)


def _refuse(what: str) -> NoReturn:
    raise CodecError(f"malformed message: {what}")
