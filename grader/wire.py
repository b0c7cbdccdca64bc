"""Values between two processes that do not trust each other: one JSON header and raw buffers.

A value goes by copy or not at all. Nothing on the wire can run (no pickle, no code, no object arrays), every size is
bounded before memory is taken, and what comes back has exactly the type that went out. What cannot go by value is handed
to the caller's `ref`, which may put a `Ref` in its place: a small label that only the other end's `deref` understands.

    header, buffers = encode(value, ref)        # bytes, list of byte buffers
    value = decode(header, buffers, deref)

Both functions raise `WireError` and nothing else. This file is also sent, as text, into the student's kernel: it imports
only the standard library at the top, and must not know about kernels, sockets or grading.

By value: None, bool, int (up to 8192 bits), float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict,
slice, range, numpy arrays and scalars (in native byte order), torch tensors (on the CPU, with requires_grad), torch dtypes
and devices.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

MAX_NODES = 500_000  # values in one message, counting those inside containers
MAX_DEPTH = 50
MAX_HEADER = 16 << 20  # bytes of JSON; parsed, it takes at most some 30 times as much
MAX_BYTES = 256 << 20  # bytes of all buffers together
MAX_INT_BITS = 8192  # 2467 digits: Python can still print it
MAX_INLINE = 1000  # longer strings travel in a buffer
MAX_DIMS = 32

# dtype name -> bytes per item
NUMPY_DTYPES = {
    **{"bool": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8},
    **{"float16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16},
}
TORCH_DTYPES = {
    **{"bool": 1, "uint8": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8},
    **{"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16},
}
_DEVICE = re.compile(r"(cpu|cuda|mps|meta)(:[0-9]{1,3})?")
_COLLECTIONS: dict[str, type] = {"tuple": tuple, "set": set, "frozenset": frozenset}
_SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_PLAIN_KEYS = {type(None), bool, int, float, complex, str, bytes}


class WireError(Exception):
    """A value that cannot travel, or a message that is not one.

    Not a ValueError, nor any other built-in error but Exception: a malformed reply must not satisfy
    `pytest.raises(ValueError)`.
    """


class Ref(dict[str, Any]):
    """The label of an object that stays where it is: a flat dict of short strings, ints, bools and None."""


def encode(value: Any, ref: Callable[[Any], Any]) -> tuple[bytes, list[Any]]:
    """The message for `value`: a JSON header and the buffers that it names.

    `ref(x)` is called for whatever does not go by value. It returns a `Ref`, or another value that goes in place of x,
    or raises WireError.
    """
    encoder = _Encoder(ref)
    try:
        header = json.dumps(encoder.node(value, 0), allow_nan=False, separators=(",", ":")).encode("ascii")
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"a {type(value).__name__} cannot be sent: {_brief(error)}") from None
    if len(header) > MAX_HEADER:
        raise WireError(f"the value is too large to send: its header takes {len(header):,} of {MAX_HEADER:,} bytes")
    return header, encoder.buffers


def decode(header: bytes, buffers: Sequence[Any], deref: Callable[[Ref], Any]) -> Any:
    """The value of a message; `deref(label)` gives the object for each `Ref` in it."""
    try:
        if len(header) > MAX_HEADER:
            raise WireError(f"the header has {len(header):,} bytes, more than {MAX_HEADER:,}")
        views = [memoryview(buffer).cast("B") for buffer in buffers]
        if sum(view.nbytes for view in views) > MAX_BYTES:
            raise WireError(f"the buffers hold more than {MAX_BYTES:,} bytes")
        decoder = _Decoder(views, deref)
        value = decoder.value(json.loads(bytes(header).decode("ascii"), parse_constant=_refuse_constant), 0)
        if None not in decoder.views and not decoder.views or all(view is None for view in decoder.views):
            return value
        raise WireError("a buffer belongs to no value")
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"malformed message: {_brief(error)}") from None
