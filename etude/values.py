"""Plain values as checks see them: numbers out of tensors, a short description for a person, where two values part.

Knows numpy and torch by duck typing, and nothing of checks, notebooks or grading.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LONGEST = 240  # characters of a value shown to a person


def _is_tensor(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "torch" and hasattr(value, "detach")


def as_array(value: Any) -> np.ndarray:
    """Numbers as float64 (or complex128), shape kept. Raises TypeError for anything that is not numbers."""
    if _is_tensor(value):
        value = value.detach().cpu()
        value = value.double().numpy() if not value.is_complex() else value.numpy()
    try:
        array = np.asarray(value)
        if array.dtype.kind in "OSUMmV":
            raise TypeError
        return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{describe(value)} is not an array of numbers") from None


def describe(value: Any) -> str:
    """A short text: type, shape and dtype for arrays, then as much of the value as fits."""
    if _is_tensor(value) or (isinstance(value, np.ndarray) and value.dtype.kind not in "OSUMmV"):
        dtype = str(value.dtype).removeprefix("torch.")
        kind = "tensor" if _is_tensor(value) else "array"
        numbers = np.array2string(as_array(value), precision=4, threshold=16, edgeitems=3, separator=", ")
        text = f"{kind}{tuple(value.shape)} {dtype} {' '.join(numbers.split())}"
    elif isinstance(value, float):
        text = f"{value:.6g}"
    else:
        try:
            text = repr(value)
        except Exception:
            text = f"a {type(value).__name__} whose repr fails"
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def first_difference(actual: Any, expected: Any, place: str = "") -> str | None:
    """A sentence on the first place where two plain values part, or None. 1 and True differ, as do lists and tuples."""
    at = f" at {place}" if place else ""
    kinds = type(actual), type(expected)
    number = (int, np.integer)
    if isinstance(actual, number) and isinstance(expected, number) and bool not in kinds:
        return None if actual == expected else f"{actual!r}{at}, expected {expected!r}"
    if kinds[0] is not kinds[1]:
        return f"a {kinds[0].__name__}{at}, expected a {kinds[1].__name__}"
    if isinstance(expected, list | tuple):
        for i, (a, b) in enumerate(zip(actual, expected, strict=False)):
            if difference := first_difference(a, b, f"{place}[{i}]"):
                return difference
        if len(actual) != len(expected):
            return f"{len(actual)} elements{at}, expected {len(expected)}"
        return None
    if isinstance(expected, dict):
        if missing := [key for key in expected if key not in actual]:
            return f"the key {missing[0]!r} is missing{at}"
        if extra := [key for key in actual if key not in expected]:
            return f"the key {extra[0]!r}{at} was not expected"
        for key, value in expected.items():
            if difference := first_difference(actual[key], value, f"{place}[{key!r}]"):
                return difference
        return None
    if _is_tensor(expected) or isinstance(expected, np.ndarray):
        if tuple(actual.shape) != tuple(expected.shape):
            return f"the shape{at} is {tuple(actual.shape)}, expected {tuple(expected.shape)}"
        return None if bool((actual == expected).all()) else f"the values{at} differ"
    return None if actual == expected else f"{describe(actual)}{at}, expected {describe(expected)}"


def same(actual: Any, expected: Any) -> bool:
    """Whether `first_difference` finds none."""
    return first_difference(actual, expected) is None
