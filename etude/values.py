"""Plain values as checks see them: numbers out of tensors, a short description for a person, where two values part.

Values come from a student's code, so any of them may raise when it is read, compared or shown: `as_array`, `describe`,
`first_difference` and `same` let none of that out.
Knows numpy and torch, and nothing of checks, notebooks or grading.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

LONGEST = 240  # characters of a value shown to a person
BASES: tuple[Any, ...] = (int, float, complex, bytes, tuple, list, dict, set, frozenset)


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")  # where torch has not been imported, there are no tensors
    return torch is not None and isinstance(value, torch.Tensor)


def is_array(value: Any) -> bool:
    """Whether it is a numpy array or a torch tensor."""
    return isinstance(value, np.ndarray) or _is_tensor(value)


def plain(value: Any) -> Any:
    """`value` as Python's own type: a numpy number as an int, a Counter as a dict, a namedtuple as a tuple.

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
    """Numbers as float64 (or complex128), shape kept. Raises TypeError for anything that is not numbers."""
    try:
        array = np.asarray(_without_tensors(value))
        integers = array.dtype.kind == "O" and all(type(x) in (int, float) for x in array.flat)  # ints beyond 64 bits
        if array.dtype.kind in "biufc" or integers:
            return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    except Exception:
        pass  # whatever it was, these are not numbers
    raise TypeError(f"{describe(value)} is not an array of numbers")


def _without_tensors(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_without_tensors(item) for item in value]
    return _to_numpy(value) if _is_tensor(value) else value


def _to_numpy(tensor: Any) -> np.ndarray:
    """A tensor of any layout, device and dtype; floats are widened, since numpy has no bfloat16."""
    import torch

    tensor = tensor.detach().cpu()
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    if tensor.is_complex():
        tensor = tensor.to(torch.complex128)
    elif tensor.is_floating_point():
        tensor = tensor.to(torch.float64)
    return tensor.resolve_conj().resolve_neg().numpy()


def kind(value: Any) -> str:
    """The name of the value's type."""
    return "None" if value is None else str(type.__dict__["__name__"].__get__(type(value)))


def _a(value: Any) -> str:
    """ "a list", "an int", "None"."""
    name = kind(value)
    return name if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def text(value: Any) -> str:
    """repr(value), also of an object whose repr raises."""
    try:
        return str.__str__(repr(value))
    except Exception:
        return f"{_a(value)} whose repr fails"


def describe(value: Any) -> str:
    """A short text: type, shape and dtype for arrays, then as much of the value as fits."""
    try:
        if is_array(value):
            long = _array_text(value)
        else:
            long = f"{float(value):.6g}" if isinstance(value, float) else text(value)
    except Exception:
        long = text(value)
    return long if len(long) <= LONGEST else long[: LONGEST - 1] + "…"


def _array_text(value: Any) -> str:
    array = _to_numpy(value) if _is_tensor(value) else value
    numbers = np.array2string(array, precision=4, threshold=16, edgeitems=3, separator=", ")
    dtype = str(value.dtype).removeprefix("torch.")
    return f"{'tensor' if _is_tensor(value) else 'array'}{tuple(value.shape)} {dtype} {' '.join(numbers.split())}"


def first_difference(actual: Any, expected: Any) -> str | None:
    """A sentence on the first place where two plain values part, or None. 1 and True differ, as do lists and tuples.

    Types are compared as `plain` gives them. NaN is equal to nothing.
    """
    try:
        return _difference(actual, expected, "")
    except Exception as error:
        return f"{_a(actual)} that cannot be compared with {_a(expected)}: {describe(error)}"


def same(actual: Any, expected: Any) -> bool:
    """Whether `first_difference` finds none."""
    return first_difference(actual, expected) is None


def _difference(actual: Any, expected: Any, place: str) -> str | None:
    at = f" at {place}" if place else ""
    actual, expected = plain(actual), plain(expected)
    if is_array(expected) and is_array(actual) and _is_tensor(expected) == _is_tensor(actual):
        return _array_difference(actual, expected, place)
    if type(actual) is not type(expected):
        return f"{_a(actual)}{at}, expected {_a(expected)}"
    if isinstance(expected, list | tuple):
        for i, (a, b) in enumerate(zip(actual, expected, strict=False)):
            if difference := _difference(a, b, f"{place}[{i}]"):
                return difference
        return None if len(actual) == len(expected) else f"{len(actual)} elements{at}, expected {len(expected)}"
    if isinstance(expected, dict | set | frozenset):
        return _key_difference(actual, expected, place)
    if actual == expected:
        return None
    here, there = _shortened(actual, expected)
    return f"{here}{at}, expected {there}"


def _key_difference(actual: Any, expected: Any, place: str) -> str | None:
    """Where two dictionaries or two sets part. Keys are looked up by hash, but 1 and True differ as keys too."""
    at = f" at {place}" if place else ""
    name = "the key" if isinstance(expected, dict) else "the element"
    own = {key: key for key in actual}
    for key in expected:
        if key not in own:
            return f"{name} {describe(key)} is missing{at}"
        if _difference(own[key], key, ""):
            return f"{name} {describe(own[key])}{at}, expected {describe(key)}"
    if extra := [key for key in own if key not in expected]:
        return f"{name} {describe(extra[0])}{at} was not expected"
    if isinstance(expected, dict):
        for key, value in expected.items():
            if difference := _difference(actual[key], value, f"{place}[{describe(key)}]"):
                return difference
    return None


def _array_difference(actual: Any, expected: Any, place: str) -> str | None:
    have, want = (_to_numpy(x) if _is_tensor(x) else x for x in (actual, expected))
    if have.shape != want.shape:
        return f"the shape{f' at {place}' if place else ''} is {have.shape}, expected {want.shape}"
    wrong = np.asarray(have != want, dtype=bool)
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    here, there = _shortened(plain(have[index]), plain(want[index]))
    return f"{here} at {place}{list(index)}, expected {there}"


def _shortened(actual: Any, expected: Any) -> tuple[str, str]:
    """Both as `describe` shows them, or where these look the same, as much of both as shows where they part."""
    here, there = describe(actual), describe(expected)
    if here != there:
        return here, there
    here, there = text(actual), text(expected)
    parted = next((i for i, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    start = max(0, parted - 20)
    return tuple(f"{'…' if start else ''}{side[start : parted + 20]}" for side in (here, there))  # type: ignore[return-value]
