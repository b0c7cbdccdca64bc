"""What an object of the notebook's is by value, where the wire itself does not know its type.

To a lesson's checks it is what it is in a notebook, where etude.lesson.values takes a Counter for a dict and a deque of numbers
for numbers. To test cells of other courses only a library's kinds of built-in classes and tuples go by value, since they may
use all that an object can do. This file is also sent, as text, into the student's kernel: it needs only the standard library until an
array comes.
"""

from __future__ import annotations

import array
import collections
import enum
import sys
from typing import Any

SCALARS = (int, float, complex, str, bytes)
CONTAINERS = (tuple, list, dict, set, frozenset)
LINES = (collections.deque, array.array, memoryview)  # numpy reads them as arrays
NUMBERS = "biufc"  # numpy's kinds


def plain(x: Any) -> Any:
    """Converts x to its built-in base type, or to a plain array or tensor.

    Returns:
        x itself, if it is none of these.
    """
    based = to_base(x)
    return _plain_numbers(x) if based is x else based


def to_base(x: Any) -> Any:
    """Converts x to its built-in base type (a Counter to a dict, an IntEnum to an int).

    Returns:
        x itself, if it has none.
    """
    if type(x) in (*SCALARS, *CONTAINERS, bool):
        return x
    if isinstance(x, str):
        return str.__str__(x)
    if isinstance(x, dict):
        return dict(x.items())
    base = next((base for base in (*SCALARS, *CONTAINERS) if isinstance(x, base)), None)
    return base(x) if base else x


def _plain_numbers(x: Any) -> Any:
    np, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return _plain_tensor(x)
    if np is None or not isinstance(x, (np.ndarray, np.generic, *LINES)):
        return x
    made = np.asarray(x)
    if made.dtype.kind == "O" and all(type(item) in (int, float) for item in made.flat):
        made = np.array(made.tolist())  # of the type that holds them all, if there is one
    if made.dtype.kind == "f" and made.itemsize > 8:
        made = made.astype(np.float64)
    elif made.dtype.kind == "c" and made.itemsize > 16:
        made = made.astype(np.complex128)
    if made.dtype.kind not in NUMBERS:
        return x
    return made[()] if isinstance(x, np.generic) else made


def _plain_tensor(x: Any) -> Any:
    """Makes a dense tensor of the class Tensor, of a type that the wire knows; of plain tensors it is the tensor itself."""
    torch = sys.modules["torch"]
    dense = x.detach().to_dense().as_subclass(torch.Tensor)
    if dense.is_floating_point() and dense.element_size() == 1:
        dense = dense.float()
    changed = type(x) is not torch.Tensor or x.layout is not torch.strided or dense.dtype is not x.dtype
    return dense.requires_grad_(x.requires_grad) if changed else x


def used_as_its_base(x: Any) -> bool:
    """Tells whether an object of the notebook's own class is a number, a text or a container, and nothing more.

    What has public methods or attributes of its own stays with the student: a check may want to use them. Of a namedtuple and
    of an enumeration's members a check compares the value.
    """
    if isinstance(x, (tuple, enum.Enum)):
        return isinstance(x, (*SCALARS, *CONTAINERS))
    own = [name for cls in type(x).__mro__ if cls.__module__ == "__main__" for name in vars(cls)]
    public = [name for name in (*own, *getattr(x, "__dict__", ())) if not name.startswith("_")]
    return isinstance(x, (*SCALARS, *CONTAINERS)) and not public and "__call__" not in own
