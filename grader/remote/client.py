"""`student.f(x)`: the names of a notebook that has run in another process, as if they were here.

Arguments go out by value; what comes back is a fresh copy as plain data, or a `Remote`, a handle of an object that
stays on the student's side. So what a check compares is always its own copy, which no student's code can touch. This
module believes nothing it is told; it must not know how kernels are started or what is being graded.
"""

from __future__ import annotations

import builtins
import copy
import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any, NoReturn

from etude.lesson import arguments
from grader.printable import printable
from grader.remote.budget import Account, Budget, OverBudget
from grader.remote.codec import CodecError, Ref, decode, encode
from grader.remote.connection import Connection, KernelGone, StudentTimeout

__all__ = [
    "CodecError",
    "KernelGone",
    "MissingName",
    "MisusedHandle",
    "OverBudget",
    "Remote",
    "Student",
    "StudentError",
    "StudentTimeout",
]

# Modules whose functions and classes may be sent by name: both sides have them, and they do nothing by being named.
LIBRARIES = ("builtins", "math", "operator", "numpy", "torch")


class StudentError(Exception):
    """An exception raised by the student's code, also an instance of the built-in exception that it was.

    Its text is the exception's own, as a check sees it in the notebook. ename: the name of its class; traceback: the
    student's own lines, which may hold any word that a check looks for.
    """

    def __init__(self, ename: str, message: str, traceback: str = "") -> None:
        self.ename = ename
        self.message = message
        self.traceback = traceback

    def __str__(self) -> str:
        return self.message


class MissingName(StudentError):
    """The notebook defines no such name. Neither a NameError nor an AttributeError: those a student may raise."""

    def __init__(self, message: str) -> None:
        super().__init__("MissingName", message)


class MisusedHandle(Exception):
    """A check used a handle of a student's object as if it were a value."""


class ChangedArgument(Exception):
    """The student's side says that a call has changed an argument. `values`: what it has become, if it was sent."""

    def __init__(self, place: int | str, name: str, values: dict[str, Any]) -> None:
        self.place, self.name, self.values = place, name, values


class Remote:
    """A handle of an object on the student's side: call it, take attributes, items, its length, or go through it.

    Going through it fetches up to 100,000 elements at once. A Remote has no truth value and compares with nothing:
    a student's object could claim to equal anything, so compare what `student.value(handle)` returns.
    """

    __slots__ = ("_number", "_student", "_watches", "_what")

    def __init__(self, student: Student, number: int, what: str) -> None:
        self._student = student
        self._number = number
        self._what = what
        self._watches = False  # whether a call that changes an argument raises Mismatch

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        sent = arguments.places(args, kwargs)
        watched = [place for place, arg in sent.items() if not _holds_handle(arg)] if self._watches else []
        try:
            return self._student._request("call", self, list(args), kwargs, watched)
        except ChangedArgument as change:
            if change.place not in watched:
                raise CodecError("malformed reply: a changed argument that was not watched") from None
            raise arguments.changed(change.name, **change.values, expected=sent[change.place]) from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python's own protocols (copy, pickle, pytest's repr) look for these
            raise AttributeError(name)
        return self._student._request("attribute", self, name)

    def __getitem__(self, key: Any) -> Any:
        return self._student._request("item", self, key)

    def __len__(self) -> int:
        length = self._student._request("length", self)
        if type(length) is not int or not 0 <= length < 2**63:
            raise CodecError("malformed reply: a length that is not a number")
        return length

    def __iter__(self) -> Iterator[Any]:
        elements = self._student._request("list", self)
        if type(elements) is not list:
            raise CodecError("malformed reply: elements that are not a list")
        return iter(elements)

    def __repr__(self) -> str:
        return f"<the student's {self._what}>"

    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        """Refuses to be an array: numpy would walk a nested object of a student's for ever, one quick request after the other."""
        raise MisusedHandle(f"{self!r} is no array: read student.value(it), its attributes or its elements")

    def _refuse(self, other: object = None) -> NoReturn:
        raise MisusedHandle(f"{self!r} stays on the student's side and cannot be compared: compare student.value(it)")

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = object.__hash__

    def __del__(self) -> None:
        self._student._unused.append(self._number)


Remote.__name__ = "object"  # as a check's message calls it: "an object, expected a dict"


class Student:
    """The names of one notebook: `student.f` is its f, `student["put"]` a name that is also a method here.

    A call of a name that changes an argument in place raises Mismatch; it is the student's side that tells, so who lies
    there only hides a mistake. input_seed: what inputs that a check draws are drawn from.
    Raises MissingName, StudentError (by its own class and the built-in's), and four errors that no student can raise and
    that are no built-in's: CodecError (a value that cannot travel, a malformed reply), StudentTimeout, OverBudget, KernelGone.
    """

    def __init__(self, line: Connection, seconds: float) -> None:
        """Takes the names of the notebook at the other end of the line.

        Args:
            seconds: for one request, as the kernel's meter counts them.
        """
        self._line = line
        self._seconds = seconds
        self._account = Account(line.meter)
        self._unused: list[int] = []  # numbers of handles that nobody holds any more
        self._watches = True
        self._whole = False
        self.input_seed = 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        value = self._request("name", name)
        if isinstance(value, Remote):
            value._watches = self._watches
        return value

    def has(self, name: str) -> bool:
        """Tells whether the notebook defines the name."""
        return self._request("has", name) is True

    def put(self, value: Any) -> Any:
        """Leaves a copy of the value on the student's side.

        Returns:
            The copy's handle, an argument that a call may change in place.
        """
        handle = self._request("put", value)
        if not isinstance(handle, Remote):
            raise CodecError("malformed reply: no handle for a value that was put")
        return handle

    def value(self, handle: Any) -> Any:
        """Reads the object of a handle, by value, as it is now."""
        value = self._request("value", handle)
        if isinstance(value, Remote):
            raise CodecError(f"{value!r} cannot be read by value: read its attributes or elements")
        return value

    def limit(self, seconds: float) -> Student:
        """Copies the student with another time limit for each request: `student.limit(60).train(...)`."""
        limited = copy.copy(self)
        limited._seconds = seconds
        return limited

    def in_place(self) -> Student:
        """Copies the student to one whose calls may change their arguments: `student.in_place().shuffle(words)`."""
        free = copy.copy(self)
        free._watches = False
        return free

    def whole(self) -> Student:
        """Copies the student to one whose objects stay there unless they are a library's kind of a built-in class, or a tuple.

        Test cells of other courses may call their methods; a lesson's checks compare values.
        """
        kept = copy.copy(self)
        kept._whole = True
        return kept

    def gradients(self, name: str, *args: Any) -> list[Any]:
        """Asks for the gradients of `name(*args)`, made one number, as the student's side says: one for each tensor that asks for one."""
        asked = sum(getattr(arg, "requires_grad", False) is True for arg in args)
        by_argument = self._request("gradients", name, list(args))
        if type(by_argument) is not list or len(by_argument) != asked:
            raise CodecError("malformed reply: not a gradient for each tensor")
        return by_argument

    def final(self, error: BaseException) -> bool:
        """Tells whether it would be no use to ask again with another input."""
        return isinstance(error, MissingName | CodecError | StudentTimeout | OverBudget | KernelGone)

    def begin(self, budget: Budget | None = None) -> Account:
        """Opens the account of a check: from here on its requests are counted, and held to the budget if there is one."""
        self._account = Account(self._line.meter, budget)
        return self._account

    def explain(self, error: BaseException) -> tuple[str, str, str]:
        """Explains an exception that came out of a call.

        Returns:
            (name, message, the notebook's lines where it was raised).
        """
        if isinstance(error, StudentError):
            return error.ename, error.message, error.traceback
        return type(error).__name__, str(error), ""

    def close(self) -> None:
        """Hangs up; every later request raises KernelGone."""
        self._line.close()

    def _request(self, op: str, *args: Any) -> Any:
        account, free = self._account, list(self._unused)
        account.request()
        request = {"op": op, "args": args, "free": free, "most": account.most_bytes, "whole": self._whole}
        header, buffers = encode(request, self._stand_in)
        del self._unused[: len(free)]
        until = min(account.until, self._line.meter.total + self._seconds)
        limit = account.seconds if until == account.until else self._seconds
        reply = self._line.ask(header, buffers, until, limit, account.most_bytes)
        account.reply(len(reply[0]) + sum(map(len, reply[1])))
        match decode(*reply, self._find):
            case {"value": value}:
                return value
            case {"changed": {"place": place, "name": str(name), **rest}} if type(place) in (int, str):
                after = {"actual": rest["after"]} if "after" in rest else {}
                raise ChangedArgument(place, printable(name[:100]), after)
            case {"missing": str(name)}:
                raise MissingName(f"the notebook defines no name {name[:200]!r}")
            case {"refused": str(why)}:
                raise CodecError(
                    f"the student's side could not take the request or send the answer: {printable(why[:500])}"
                )
            case {"error": {"classes": list(classes), "message": str(message), "traceback": str(lines)}}:
                raise student_error(classes, message, lines)
        raise CodecError("malformed reply: neither a value nor an error")

    def _stand_in(self, x: Any) -> Ref:
        if isinstance(x, Remote):
            return Ref(id=x._number)
        return library_ref(x)

    def _find(self, label: Ref) -> Remote:
        match label:
            case {"id": int(number), "what": str(what)}:
                return Remote(self, number, printable(what[:100]))
        raise CodecError("malformed reply: a label that is no handle")


def _holds_handle(value: Any) -> bool:
    """Tells whether the value is a handle, or holds one: what stays on the student's side may be changed there."""
    inside = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
    return isinstance(value, Remote) or any(map(_holds_handle, inside))


def library_ref(x: Any) -> Ref:
    """Labels a library's function or class; the label is checked to lead back to it.

    Raises:
        CodecError: x is no function or class of a library, so it cannot be sent.
    """
    name, module = str(getattr(x, "__name__", "")), str(getattr(x, "__module__", ""))
    for package in (module, *LIBRARIES, "torch.nn.functional"):
        if package.split(".")[0] in LIBRARIES and getattr(importlib.import_module(package), name, None) is x:
            return Ref(module=package, name=name)
    raise CodecError(
        f"a {type(x).__name__} cannot be sent to the student's side: send plain data, numpy arrays, torch tensors, a "
        f"handle, or a function or class of {', '.join(LIBRARIES)}"
    )


def student_error(classes: list[Any], message: str, lines: str) -> StudentError:
    """Makes the error to raise for an exception of the student's.

    Args:
        classes: names of the exception's class and its bases, from itself up to BaseException.
    """
    names = [printable(name[:100]) for name in classes[:20] if type(name) is str] or ["Exception"]
    cls = _error_class(next((name for name in names if _is_builtin_error(name)), "Exception"))
    return cls(names[0], printable(message[:4000]), printable(lines[:8000]))


def _is_builtin_error(name: str) -> bool:
    """Tells whether a check may expect it. StopIteration would end a check's own loop: `for y in map(student.f, xs)`."""
    builtin = getattr(builtins, name, None)
    others = (BaseExceptionGroup, StopIteration, StopAsyncIteration)
    return isinstance(builtin, type) and issubclass(builtin, Exception) and not issubclass(builtin, others)


@cache
def _error_class(builtin_name: str) -> type[StudentError]:
    """Joins StudentError and a built-in exception in one, so that `pytest.raises(ValueError)` sees a student's ValueError."""
    builtin = getattr(builtins, builtin_name)
    if builtin is Exception:
        return StudentError
    # Some built-ins (UnicodeDecodeError) are particular about the arguments that they are made with: give them none.
    maker = Exception if builtin is MemoryError else builtin
    made_plainly = {"__new__": lambda cls, *args: maker.__new__(cls)}
    return type(f"Student{builtin_name}", (StudentError, builtin), made_plainly)
