"""pandas tables as plain parts, and back: for the wire, which knows arrays, lists and strings.

A table goes by value if its columns, its index and its column names are numbers, text or plain Python values. Others
(dates, categories, several levels of names) stay on their side. This file is also sent, as text, into the student's
kernel; it needs pandas only once there is a table.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection
from typing import Any

MAX_COLUMNS = 1000  # each takes its time to build
TEXT = ("str", "string")  # pandas' own types of text
PLAIN = (type(None), bool, int, float, str, bytes)


def parts_of(x: Any, numbers: Collection[str]) -> tuple[str, list[Any]] | None:
    """Takes a table apart.

    Args:
        numbers: names of the types of numbers that go by value.

    Returns:
        ("frame", "series" or "index", its parts); None if x is no pandas table, or holds what does not go by value.
    """
    pd = sys.modules.get("pandas")
    if pd is None or type(x) not in (pd.DataFrame, pd.Series, pd.Index, pd.RangeIndex):
        return None
    if type(x) is pd.DataFrame:
        if x.shape[1] > MAX_COLUMNS:
            return None
        columns = [_line(x.iloc[:, place], None, numbers) for place in range(x.shape[1])]
        parts = [_line(x.index, x.index.name, numbers), _line(x.columns, x.columns.name, numbers), columns]
        return None if None in columns or None in parts else ("frame", parts)
    if type(x) is pd.Series:
        parts = [_line(x.index, x.index.name, numbers), _line(x, x.name, numbers)]
        return None if None in parts else ("series", parts)
    line = _line(x, x.name, numbers)
    return None if line is None else ("index", [line])


def _line(x: Any, name: Any, numbers: Collection[str]) -> list[Any] | None:
    """Gives [type, values, name] of a column or an index; None if it does not go by value."""
    pd, np = sys.modules["pandas"], sys.modules["numpy"]
    kind = str(x.dtype)
    name = name.item() if isinstance(name, np.generic) else name
    if type(name) not in PLAIN or (isinstance(x, pd.Index) and type(x) not in (pd.Index, pd.RangeIndex)):
        return None
    if type(x) is pd.RangeIndex:
        return ["range", range(x.start, x.stop, x.step), name]
    if isinstance(x.dtype, np.dtype) and x.dtype.name in numbers:
        return [x.dtype.name, x.to_numpy(), name]
    if kind in TEXT and x.dtype == pd.Series([], dtype=kind).dtype:
        return [kind, [None if missing else text for text, missing in zip(x, x.isna(), strict=True)], name]
    if kind == "object" and all(type(value) in PLAIN and not _large(value) for value in x):
        return [kind, list(x), name]
    return None


def _large(value: Any) -> bool:
    """Tells whether it is an integer of which many could have one hash, and take minutes in an index."""
    return isinstance(value, int) and value.bit_length() > 64


def table_of(kind: str, parts: list[Any]) -> Any:
    """Puts a table together again, and believes nothing of its parts.

    Raises:
        Exception: of whatever kind: these are no parts of a table.
    """
    pd = importlib.import_module("pandas")
    if kind == "index":
        [values] = parts
        return _index(values)
    if kind == "series":
        index, values = parts
        made = _values(values)
        return pd.Series(made, index=_index(index), name=_name(values), dtype=made.dtype)
    line, names, columns = parts
    if type(columns) is not list or len(columns) > MAX_COLUMNS:
        raise ValueError("a table with too many columns")
    index = _index(line)
    made = {place: _values(column) for place, column in enumerate(columns)}
    # Types are said again and again: of plain objects pandas would guess another.
    table = pd.DataFrame({n: pd.Series(one, index=index, dtype=one.dtype) for n, one in made.items()}, index=index)
    table.columns = _index(names)
    return table


def _index(line: Any) -> Any:
    pd, name = sys.modules["pandas"], _name(line)
    if line[0] == "range":
        if type(line[1]) is not range:
            raise ValueError("an index that is no range")
        return pd.RangeIndex(line[1].start, line[1].stop, line[1].step, name=name)
    made = _values(line)
    return pd.Index(made, name=name, dtype=made.dtype)


def _name(line: Any) -> Any:
    if type(line) is not list or len(line) != 3 or type(line[2]) not in PLAIN:
        raise ValueError("a column is a list of its type, its values and its name")
    return line[2]


def _values(line: Any) -> Any:
    """Makes the array of a column, of exactly the type that it says."""
    pd, np = sys.modules["pandas"], importlib.import_module("numpy")
    kind, values, _ = line
    if type(values) is np.ndarray:
        if values.ndim != 1 or values.dtype.name != kind:
            raise ValueError("a column is one line of numbers")
        return values
    known = str if kind in TEXT else PLAIN if kind == "object" else ()
    if type(values) is not list or not all(value is None or isinstance(value, known) for value in values):
        raise ValueError(f"a column of {str(kind)[:20]!r} holds something else")
    if any(map(_large, values)):
        raise ValueError("a column of integers that are too large")
    if kind in TEXT:
        return pd.array(values, dtype=kind)
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made
