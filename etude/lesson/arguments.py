"""A call whose arguments are looked at before and after: a function that changes one in place is caught and told so.

Values go to another process by copy, so the grader would never see the change; and in a notebook the next check would be
given something else. So both sides call through here. Knows plain containers, numpy arrays and torch tensors; any other
object is taken as unchanged. Knows nothing of lessons.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from etude.lesson.checks import Mismatch
from etude.lesson.values import is_array

Place = int | str  # of an argument: its position, or its keyword
CONTAINERS = (list, tuple, set, frozenset, dict, bytearray)
PLAIN = (bool, int, float, complex, str, bytes)


@dataclass(frozen=True)
class Change:
    """One argument that a call has changed: where it stands, what the function calls it, its value before and after."""

    place: Place
    name: str
    before: Any
    after: Any


def call(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], watched: Collection[Place]
) -> tuple[Any, Change | None]:
    """Calls the function and finds the first of the watched arguments that it changes. All are then as they were.

    Returns:
        What the function returns, and the change, None if there is none.
    """

    now = places(args, kwargs)
    before = {place: copied(now[place]) for place in watched}
    change = None
    try:
        value = function(*args, **kwargs)
    finally:
        for place, old in before.items():
            if not unchanged(old, now[place]):
                try:
                    after = copied(now[place])
                except RecursionError:  # it holds itself now, and cannot be shown either
                    after = now[place]
                else:
                    restore(now[place], old)
                change = change or Change(place, parameter(function, place), old, after)
    return value, change


def places(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[Place, Any]:
    """Lists the arguments of a call by their places."""
    by_place: dict[Place, Any] = dict(enumerate(args))
    by_place.update(kwargs)
    return by_place


def changed(name: str, **values: Any) -> Mismatch:
    """Makes the mismatch to raise for a changed argument.

    Args:
        values: `actual` and `expected`, where they are known.
    """
    return Mismatch(f"your function changed its argument {name}: work on a copy", **values)


def parameter(function: Callable[..., Any], place: Place) -> str:
    """Tells what the function calls the argument; its number, from 1 on, if it has no name for it."""
    if isinstance(place, str):
        return place
    try:
        named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return [p.name for p in inspect.signature(function).parameters.values() if p.kind in named][place]
    except (IndexError, TypeError, ValueError):
        return str(place + 1)


def copied(value: Any) -> Any:
    """Copies the value, so that its containers and arrays are its own."""
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    if type(value) in CONTAINERS:
        return type(value)(map(copied, value))
    if isinstance(value, np.ndarray):
        return value.copy()
    return value.detach().clone() if is_array(value) else value


def restore(value: Any, before: Any) -> None:
    """Makes a changed value what its copy from before is, in place: the next call is given the same object."""
    if type(value) is dict:
        value.clear()
        value.update(copied(before))
    elif type(value) is set:
        value.clear()
        value.update(before)
    elif type(value) in (list, bytearray):
        value[:] = copied(before)
    elif type(value) is tuple:
        for part, old in zip(value, before, strict=True):
            if not unchanged(old, part):
                restore(part, old)
    elif isinstance(value, np.ndarray):
        if value.shape != before.shape:
            value.resize(before.shape, refcheck=False)
        value[...] = before
    elif is_array(value):
        if (value.dtype, value.shape) == (before.dtype, before.shape):
            value.data.copy_(before)  # what it is a view of changes back with it
        else:
            value.data = before.clone()


def unchanged(before: Any, after: Any) -> bool:
    """Tells whether a value is, to the bit, what its copy from before is; the order of a dictionary counts."""
    if is_array(before):
        return is_array(after) and _same_bits(before, after)
    if type(before) is not type(after):
        return False
    if type(before) is dict:
        items = zip(before.items(), after.items(), strict=False)
        return len(before) == len(after) and all(unchanged(old, new) for old, new in items)
    if type(before) in (list, tuple):
        return len(before) == len(after) and all(map(unchanged, before, after))
    if type(before) in (set, frozenset, bytearray):
        return bool(before == after)
    if type(before) in PLAIN:
        return bool(before == after or (before != before and after != after))  # NaN is unchanged too
    return before is after


def _same_bits(before: Any, after: Any) -> bool:
    if (before.dtype, before.shape) != (after.dtype, after.shape):
        return False
    if isinstance(before, np.ndarray):
        return bool(before.dtype.hasobject) or before.tobytes() == after.tobytes()
    import torch

    if before.layout is not torch.strided:
        return True
    # Copies: a column, or a conjugate, is a view whose bits cannot be read where they lie.
    copies = (tensor.detach().clone(memory_format=torch.contiguous_format) for tensor in (before, after))
    return torch.equal(*(copy.reshape(-1).view(torch.uint8) for copy in copies))
