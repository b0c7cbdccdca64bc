"""The grader's end of the line to a kernel: one request, one reply, and what happens when the reply does not come.

A reply is bounded in size before memory is taken for it, and in time by a deadline: past it the kernel is interrupted,
given a short grace, then killed. This module moves bytes; it must not know what they mean.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NoReturn, Protocol

from grader.wire import MAX_BYTES, MAX_HEADER, MAX_NODES, WireError

GRACE = 2.0  # seconds between the interrupt and the kill
TICK = 0.25  # seconds between two looks at whether the process still lives


class KernelGone(Exception):
    """The notebook's process has ended, or can no longer be talked to. No built-in error but Exception."""


class StudentTimeout(Exception):
    """A call did not come back in time. No built-in error but Exception."""


class Kernel(Protocol):
    """What a line needs of the process behind it."""

    @property
    def reason(self) -> str | None: ...
    def alive(self) -> bool: ...
    def interrupt(self) -> None: ...
    def kill(self, why: str) -> None: ...


class Late(Exception):
    """The deadline has passed."""


class Line:
    """A connected unix socket, spoken to in the frames of grader/agent.py."""

    def __init__(self, connection: socket.socket, kernel: Kernel) -> None:
        connection.setblocking(False)
        self._socket = connection
        self._kernel = kernel
        self._replies = self._read_replies()
        self._in_step = True  # False while a request waits for its reply, and for good once one was lost

    def ask(self, header: bytes, buffers: Sequence[Any], seconds: float) -> tuple[bytes, list[bytearray]]:
        """The reply (header, buffers) to one request.

        Raises StudentTimeout after `seconds` (and up to 2 s of grace), KernelGone if the process ends, WireError if the
        reply is not a frame of acceptable size; the kernel is then killed, since nothing it says can be told apart.
        """
        if not self._in_step:
            raise KernelGone(f"the notebook's process is not there any more: {self._kernel.reason or 'line closed'}")
        self._in_step = False
        deadline = time.monotonic() + seconds
        try:
            self._send([header, *buffers], deadline)
            reply = self._receive(deadline)
        except Late:
            self._interrupt_or_kill(seconds)
        except WireError:
            self._kernel.kill("it sent the grader something that is not a reply")
            raise
        self._in_step = True
        return reply

    def close(self) -> None:
        """Hangs up: the agent's loop in the kernel ends."""
        self._in_step = False
        self._socket.close()

    def _interrupt_or_kill(self, seconds: float) -> NoReturn:
        self._kernel.interrupt()
        try:
            self._receive(time.monotonic() + GRACE)  # the reply to the interrupted call, which comes too late to count
        except (Late, WireError):
            self._kernel.kill(f"a call took longer than {seconds:g} s and could not be interrupted")
        else:
            self._in_step = True
        raise StudentTimeout(f"no answer within {seconds:g} s") from None

    def _send(self, parts: Sequence[Any], deadline: float) -> None:
        sizes = [memoryview(part).nbytes for part in parts]
        for part in (struct.pack(f"<I{len(parts)}Q", len(parts), *sizes), *parts):
            rest = memoryview(part)
            while rest:
                try:
                    rest = rest[self._socket.send(rest) :]
                except BlockingIOError:
                    self._wait(select.POLLOUT, deadline)
                except OSError:
                    self._lost()

    def _receive(self, deadline: float) -> tuple[bytes, list[bytearray]]:
        for parts in self._replies:
            if parts is not None:
                return bytes(parts[0]), parts[1:]
            self._wait(select.POLLIN, deadline)
        raise KernelGone("the line is closed")

    def _read_replies(self) -> Iterator[list[bytearray] | None]:
        """Yields each reply, and None whenever it has to wait: a reply cut by a deadline is read on afterwards."""
        while True:
            (count,) = struct.unpack("<I", (yield from self._exactly(4)))
            if not 1 <= count <= MAX_NODES + 1:
                raise WireError(f"malformed reply: {count:,} parts")
            sizes = struct.unpack(f"<{count}Q", (yield from self._exactly(8 * count)))
            if sizes[0] > MAX_HEADER or sum(sizes[1:]) > MAX_BYTES:
                raise WireError(f"the reply is larger than {MAX_HEADER:,} bytes of header or {MAX_BYTES:,} of buffers")
            parts: list[bytearray] = []
            for size in sizes:
                parts.append((yield from self._exactly(size)))
            yield parts

    def _exactly(self, size: int) -> Generator[None, None, bytearray]:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            try:
                got = self._socket.recv_into(view)
            except BlockingIOError:
                yield None
                continue
            except OSError:
                got = 0
            if not got:
                self._lost()
            view = view[got:]
        return data

    def _wait(self, event: int, deadline: float) -> None:
        """Returns when the socket is ready; raises Late at the deadline and KernelGone if the process has ended."""
        ready = select.poll()
        ready.register(self._socket, event)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Late
            if ready.poll(1000 * min(left, TICK)):
                return
            if not self._kernel.alive():
                self._lost()

    def _lost(self) -> NoReturn:
        """The other end hung up: the process is about to be gone, and if it is not, it is of no more use."""
        end = time.monotonic() + GRACE
        while self._kernel.alive() and time.monotonic() < end:
            time.sleep(0.01)
        if self._kernel.alive():
            self._kernel.kill("it closed its line to the grader")
        raise KernelGone(f"the notebook's process ended during a call: {self._kernel.reason or 'nothing says why'}")
