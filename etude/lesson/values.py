"""Plain values as checks see them: numbers out of tensors, a short description for a person.

Values come from a student's code, so any of them may raise when it is read or shown: `as_array`, `shape`, `text` and
`describe` let none of that out.
Knows numpy and torch, and nothing of checks, notebooks or grading.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

LONGEST = 240  # characters of a value shown to a person
MOST_AXES = 4  # of an array whose numbers are shown
SHOWN_WHOLE = 16  # numbers; of a larger array the edges are shown
BRACKETS: dict[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")"), dict: ("{", "}"), set: ("{", "}")}
BASES: tuple[Any, ...] = (int, float, complex, bytes, tuple, list, dict, set, frozenset)


def is_tensor(value: Any) -> bool:
    """Tells whether the value is a torch tensor."""
    torch = sys.modules.get("torch")  # where torch has not been imported, there are no tensors
    return torch is not None and isinstance(value, torch.Tensor)


def is_array(value: Any) -> bool:
    """Tells whether the value is a numpy array or a torch tensor."""
    return isinstance(value, np.ndarray) or is_tensor(value)


def plain(value: Any) -> Any:
    """Converts `value` to Python's own type: a numpy number to an int, a Counter to a dict, a namedtuple to a tuple.

    Between two processes values go in this form, so a check must see them the same way in a live notebook.
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return value
    return next((value if type(value) is base else base(value) for base in BASES if isinstance(value, base)), value)


def as_array(value: Any) -> np.ndarray:
    """Converts numbers to float64 (or complex128), shape kept.

    They may take eight times their memory so: of a value from elsewhere, look at its `shape` first.

    Raises:
        TypeError: the value is not numbers.
    """
    try:
        if shape(value) is not None:
            array = np.asarray(_without_tensors(value))
            return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    except Exception:
        pass  # whatever it was, these are not numbers
    raise TypeError(f"{describe(value)} is not an array of numbers")


def shape(value: Any) -> tuple[int, ...] | None:
    """Finds the shape that the value has as an array of numbers, None if it is none. Converts and copies nothing.

    numpy alone would make room for a list of texts, each as long as the longest, before anyone sees that they are texts.
    """
    try:
        return _shape(value)
    except Exception:
        return None


def _shape(value: Any) -> tuple[int, ...] | None:
    if isinstance(value, list | tuple):
        inner: set[tuple[int, ...] | None] = set()
        for item in value:
            inner.add(_shape(item))
            if None in inner or len(inner) > 1:
                return None
        return (len(value), *(inner.pop() or ())) if inner else (0,)
    if isinstance(value, int | float | complex):
        return ()
    if isinstance(value, str | bytes | dict | set | frozenset | None):
        return None
    if isinstance(value, range):
        return (len(value),)
    if is_tensor(value):
        return tuple(value.shape)
    array = np.asarray(value)
    integers = array.dtype.kind == "O" and all(type(x) in (int, float) for x in array.flat)  # ints beyond 64 bits
    return array.shape if array.dtype.kind in "biufc" or integers else None


def leading(value: Any, most: int) -> np.ndarray:
    """Converts the first `most` of the numbers that the value holds, to one row; only these are converted.

    Raises:
        TypeError: these are not numbers.
    """
    if isinstance(value, list | tuple):
        rows = [np.zeros(0)]
        for item in value:
            if most <= 0:
                break
            rows.append(leading(item, most))
            most -= rows[-1].size
        return np.concatenate(rows)
    return as_array((value.to_dense().reshape(-1) if is_tensor(value) else np.asarray(value).flat)[:most])


def is_complex(value: Any) -> bool:
    """Tells whether some of the numbers that the value holds are complex."""
    if isinstance(value, list | tuple):
        return any(map(is_complex, value))
    if isinstance(value, int | float | complex):
        return isinstance(value, complex)
    return value.is_complex() if is_tensor(value) else np.iscomplexobj(value)


def _without_tensors(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_without_tensors(item) for item in value]
    return to_numpy(value) if is_tensor(value) else value


def to_numpy(tensor: Any) -> np.ndarray:
    """Converts a tensor of any layout, device and dtype; floats are widened, since numpy has no bfloat16."""
    import torch

    tensor = tensor.detach().cpu().to_dense()
    if tensor.is_complex():
        tensor = tensor.to(torch.complex128)
    elif tensor.is_floating_point():
        tensor = tensor.to(torch.float64)
    array: np.ndarray = tensor.resolve_conj().resolve_neg().numpy()
    return array


def kind(value: Any) -> str:
    """Returns the name of the value's type."""
    return "None" if value is None else str(type.__dict__["__name__"].__get__(type(value)))


def with_article(value: Any) -> str:
    """Puts the article before the type's name: "a list", "an int", "None"."""
    name = kind(value)
    return name if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def text(value: Any) -> str:
    """Writes repr(value) with each array in a few words, also for an object whose repr raises."""
    try:
        return "".join(_pieces(value, None))
    except Exception:
        return f"{with_article(value)} whose repr fails"


def describe(value: Any) -> str:
    """Describes a value in a short text: type, shape and dtype for arrays, then as much of the value as fits.

    No text is made of the rest.
    """
    try:
        long = f"{float(value):.6g}" if isinstance(value, float) else _beginning(value)
    except Exception:
        long = f"{with_article(value)} whose repr fails"
    return long if len(long) <= LONGEST else long[: LONGEST - 1] + "…"


def _beginning(value: Any) -> str:
    """Writes what `text` writes, until it is longer than is shown."""
    beginning = ""
    for piece in _pieces(value, LONGEST + 1):
        beginning += piece
        if len(beginning) > LONGEST:
            break
    return beginning


def _pieces(value: Any, longest: int | None) -> Iterator[str]:
    """Writes the value's text piece by piece, of a string within it no more than `longest` characters."""
    if is_array(value):
        yield _array_text(value)
    elif type(value) in (str, bytes, bytearray):
        yield repr(value[:longest])
    elif type(value) in BRACKETS and value:
        before, after = BRACKETS[type(value)]
        yield before
        for i, item in enumerate(value):
            yield ", " if i else ""
            yield from _pieces(item, longest)
            if type(value) is dict:
                yield ": "
                yield from _pieces(value[item], longest)
        yield ",)" if type(value) is tuple and len(value) == 1 else after
    else:
        yield str.__str__(repr(value))


def _array_text(value: Any) -> str:
    dtype = str(value.dtype).removeprefix("torch.")
    try:
        numbers = " ".join(_numbers_text(value).split())
    except Exception:  # a tensor without numbers, on the device meta
        numbers = "that cannot be read"
    return f"{'tensor' if is_tensor(value) else 'array'}{tuple(value.shape)} {dtype} {numbers}"


def _numbers_text(value: Any) -> str:
    few, axes = value, 0
    while few.ndim > MOST_AXES and few.shape[0]:
        few, axes = few[0], axes + 1  # the edges of all its axes could be millions of numbers
    shown = to_numpy(_edges(few.to_dense())) if is_tensor(few) else few
    threshold = 0 if math.prod(value.shape) > SHOWN_WHOLE else SHOWN_WHOLE
    numbers = np.array2string(shown, precision=4, threshold=threshold, edgeitems=3, separator=", ")
    return f"{'[' * axes}{numbers}, …" if axes else numbers


def _edges(tensor: Any) -> Any:
    """Cuts the tensor along each axis to what numpy needs to show three numbers, an ellipsis and three numbers."""
    for axis, size in enumerate(tensor.shape):
        if size > 7:
            tensor = tensor[(slice(None),) * axis + ([0, 1, 2, 3, -3, -2, -1],)]
    return tensor
