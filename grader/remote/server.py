"""The student's end of the line: performs the grader's requests on the notebook's live names.

Sent as text into the kernel after the other files of its folder that it needs, into the same namespace, and run inside one
silent cell that lasts until the grader hangs up. The student's code lives in the same process and can change anything here, so nothing may
depend on this file being honest: it must not be given expected values, and who reads its replies must believe none.
"""

from __future__ import annotations

import importlib
import itertools
import signal
import socket
import struct
import sys
import traceback
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.remote.by_value import plain, to_base, used_as_its_base
    from grader.remote.codec import CodecError, Ref, decode, encode

THROUGH = ("etude.lesson.arguments", "etude.lesson.gradients")  # what a call of the grader's goes through
LONGEST_ITERATION = 100_000  # elements that one `list` request may take from an iterator, which may never end


class Missing(Exception):
    """The notebook defines no such name."""


class Changed(Exception):
    """A call has changed an argument in place. `answer`: what is sent of it, and `after`, its value now."""

    def __init__(self, change: Any) -> None:
        self.answer = {"place": change.place, "name": change.name}
        self.after = change.after


class Kept:
    """Asks for a handle where the object itself could go by value."""

    def __init__(self, kept: Any) -> None:
        self.kept = kept


class Agent:
    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.objects: dict[int, Any] = {}  # what the grader holds handles of
        self.ids = itertools.count(1)
        self.interruptible = False
        self.whole = False  # whether objects stay here unless they are a library's kind of a built-in class, or a tuple

    def answer(self, header: bytes, buffers: list[bytearray]) -> tuple[bytes, list[Any]]:
        """Answers one request: {"value": ...}, or {"changed": ...}, {"missing": ...}, {"refused": ...}, {"error": ...}."""
        most = None
        try:
            try:
                # A student's call may have set another handler, and an interrupt that comes late must not end the loop.
                signal.signal(signal.SIGINT, self.on_interrupt)
                self.interruptible = True
                request = decode(header, buffers, self.find)
                most, self.whole = request["most"], request["whole"]
                return within(most, *encode({"value": self.perform(request)}, self.stand_in))
            finally:
                self.interruptible = False
        except Changed as change:
            try:
                return within(most, *encode({"changed": {**change.answer, "after": change.after}}, self.stand_in))
            except CodecError:  # what the argument has become cannot be sent
                outcome: dict[str, Any] = {"changed": change.answer}
        except Missing as error:
            outcome = {"missing": str(error)}
        except CodecError as error:
            outcome = {"refused": str(error)}
        except BaseException as error:
            outcome = {"error": describe(error)}
        return encode(outcome, self.stand_in)

    def on_interrupt(self, signum: int, frame: Any) -> None:
        if self.interruptible:
            self.interruptible = False
            raise KeyboardInterrupt

    def perform(self, request: dict[str, Any]) -> Any:
        for number in request["free"]:
            self.objects.pop(number, None)
        match request["op"], request["args"]:
            case "has", (name,):
                return name in self.names
            case "name", (name,):
                return self.named(name)
            case "call", (function, args, kwargs, watched):
                return call(function, args, kwargs, watched)
            case "gradients", (name, args):
                return importlib.import_module("etude.lesson.gradients").gradients(self.named(name), *args)
            case "attribute", (x, name):
                return getattr(x, name)
            case "item", (x, key):
                return x[key]
            case "length", (x,):
                return len(x)
            case "list", (x,):
                return list(itertools.islice(x, LONGEST_ITERATION))
            case "put", (x,):
                return Kept(x)
            case "value", (x,):
                return plain(x)
        raise CodecError(f"unknown request {request['op']!r}")

    def named(self, name: str) -> Any:
        if name not in self.names:
            raise Missing(name)
        return self.names[name]

    def find(self, label: Ref) -> Any:
        """Finds the object that a label from the grader stands for."""
        if "id" in label:
            return self.objects[label["id"]]
        target = importlib.import_module(label["module"])
        for name in label["name"].split("."):
            target = getattr(target, name)
        return target

    def stand_in(self, x: Any) -> Any:
        """Returns what goes in place of x: a plain value if x is another kind of int, list, array, ..., else a handle."""
        if type(x) is Kept:
            x = x.kept
        elif (value := self.by_value(x)) is not x:
            return value
        number = next(self.ids)
        self.objects[number] = x
        named = isinstance(x, type | types.FunctionType | types.BuiltinFunctionType)
        return Ref(id=number, what=f"{type(x).__qualname__} {x.__qualname__}" if named else f"{type(x).__qualname__}")

    def by_value(self, x: Any) -> Any:
        """Returns the plain value that x is to whoever asks, x itself if it is none."""
        own = type(x).__module__ == "__main__"
        if self.whole:
            return x if own and not isinstance(x, tuple) else to_base(x)
        return x if own and not used_as_its_base(x) else plain(x)


def call(function: Any, args: list[Any], kwargs: dict[str, Any], watched: list[Any]) -> Any:
    """Calls the function and returns what it returns.

    Raises:
        Changed: it has changed one of the watched arguments.
    """
    if not watched:
        return function(*args, **kwargs)
    value, change = importlib.import_module("etude.lesson.arguments").call(function, args, kwargs, watched)
    if change is not None:
        raise Changed(change)
    return value


def within(most: int | None, header: bytes, buffers: list[Any]) -> tuple[bytes, list[Any]]:
    """Returns the reply itself, if it has at most so many bytes: the grader would not take a larger one.

    Raises:
        CodecError: it has more.
    """
    size = len(header) + sum(memoryview(buffer).nbytes for buffer in buffers)
    if most is not None and size > most:
        raise CodecError(f"it has {size:,} bytes where at most {most:,} can be right")
    return header, buffers


def describe(error: BaseException) -> dict[str, Any]:
    try:
        message = str.__str__(str(error))[:2000]
    except BaseException:
        message = "(its text could not be made: __str__ raised an error)"
    classes = [f"{cls.__name__}"[:200] for cls in type(error).__mro__][:20]
    return {"classes": classes, "message": message, "traceback": own_lines(error)[-6000:]}


def own_lines(error: BaseException) -> str:
    """Writes the traceback below the grader's call: every frame of the notebook, and of libraries the last."""
    ours = {getattr(sys.modules.get(name), "__file__", None) for name in THROUGH}
    raised_in = traceback.extract_tb(error.__traceback__, limit=-60)
    frames = [f for f in raised_in if not f.filename.startswith("<grader/") and f.filename not in ours]
    lines = []
    for frame in frames:
        in_library = frame.filename.startswith((sys.prefix, sys.base_prefix, "<frozen"))
        if in_library and frame is not frames[-1]:
            continue
        where = f"{frame.filename}, line" if in_library else "line"
        lines.append(f"{where} {frame.lineno}, in {frame.name}\n    {(frame.line or '')[:300]}\n")
    return "".join(lines)


def receive(line: socket.socket) -> list[bytearray]:
    """Reads one message: the number of parts (uint32), their lengths (uint64 each), the parts; the header is the first."""

    def exactly(size: int) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            got = line.recv_into(view)
            if not got:
                raise EOFError
            view = view[got:]
        return data

    (count,) = struct.unpack("<I", exactly(4))
    return [exactly(size) for size in struct.unpack(f"<{count}Q", exactly(8 * count))]


def send(line: socket.socket, parts: list[Any]) -> None:
    line.sendall(struct.pack(f"<I{len(parts)}Q", len(parts), *(memoryview(part).nbytes for part in parts)))
    for part in parts:
        line.sendall(part)


def serve(path: str, names: dict[str, Any]) -> None:
    """Answers the grader's requests, at a socket that it makes at `path`, until the grader hangs up."""
    agent = Agent(names)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(1)
        line, _ = listener.accept()
    with line:
        while True:
            try:
                header, *buffers = receive(line)
            except (EOFError, ConnectionError):
                return
            reply, reply_buffers = agent.answer(bytes(header), buffers)
            send(line, [reply, *reply_buffers])
