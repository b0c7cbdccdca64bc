"""Which exercises does an exercise's code call? A wrong callee makes its caller's checks fail, for no fault of the caller.

The code is read as it was compiled, never run: its global names are looked up in the notebook's namespace.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType, MethodType
from typing import Any

# An attribute of the same name (`tokenizer.encode`) or a variable of the function's own is no call of an exercise.
GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
WRAPPED: dict[type, str] = {  # kinds of objects around a function → where each keeps it
    **dict.fromkeys((staticmethod, classmethod, MethodType), "__func__"),
    **dict.fromkeys((functools.partial, functools.cached_property), "func"),
    property: "fget",
    type(functools.cache(len)): "__wrapped__",
}


def callees(exercise: str, exercises: Sequence[str], namespace: Mapping[str, Any]) -> list[str]:
    """Lists the other exercises that this one's function or class calls, itself or through helpers of the notebook.

    Args:
        exercises: all of the lesson; the answer keeps their order.
    """
    try:
        called = _called(exercise, exercises, namespace)
    except (Exception, SystemExit):  # a student's object may raise at any touch
        return []
    return [one for one in exercises if one in called]


def _called(exercise: str, exercises: Iterable[str], namespace: Mapping[str, Any]) -> set[str]:
    # A placeholder such as None is no exercise: it stands in every class, as the docstring that there is not.
    others = {id(namespace[one]): one for one in exercises if callable(namespace.get(one)) and one != exercise}
    waiting, seen, called = [namespace.get(exercise)], set[int](), set[str]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if id(value) in others and value is not namespace.get(exercise):
            called.add(others[id(value)])  # what it calls in its turn is told by its own checks
        else:
            waiting += _inside(value, namespace)
    return called


def _inside(value: Any, namespace: Mapping[str, Any]) -> list[Any]:
    """Lists the objects that code of the notebook's may reach through this one."""
    kind = type(value)
    if kind is FunctionType:
        captured = [cell.cell_contents for cell in value.__closure__ or ()]
        # The names of a library's function are looked up in its own module.
        names = _global_names(value.__code__) if value.__globals__ is namespace else ()
        return captured + [namespace[name] for name in names if name in namespace]
    if kind in WRAPPED:
        return [getattr(value, WRAPPED[kind])]
    if not issubclass(kind, type):
        return [kind]  # an object that can be called has its class's methods
    of_the_notebook = vars(value).get("__module__") == namespace.get("__name__")
    return [*vars(value).values(), *value.__bases__] if of_the_notebook else []


def _global_names(code: CodeType) -> Iterator[str]:
    """Goes through the global names that the code reads, those of functions inside it too."""
    yield from (one.argval for one in dis.get_instructions(code) if one.opname in GLOBAL)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)
