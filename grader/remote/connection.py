"""The grader's end of the line to a kernel: one request, one reply, and what happens when the reply does not come.

A reply is bounded in size before memory is taken for it, and in time by a limit: past it the kernel is interrupted,
given a short grace, then killed. Seconds are those of the kernel's meter. This module moves bytes; it must not know
what they mean.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NoReturn, Protocol

from grader.remote.codec import MAX_BYTES, MAX_HEADER, MAX_NODES, CodecError
from grader.sandbox.meter import PERIOD, Meter

GRACE = 2.0  # seconds between the interrupt and the kill
REFUSAL = 1 << 16  # bytes, for the sentence that a reply would be too large, or for an error


class KernelGone(Exception):
    """The notebook's process has ended, or can no longer be talked to. No built-in error but Exception."""


class StudentTimeout(Exception):
    """A call did not come back in time. No built-in error but Exception."""


class Kernel(Protocol):
    """What a line needs of the process behind it."""

    @property
    def reason(self) -> str | None: ...
    @property
    def meter(self) -> Meter: ...
    def alive(self) -> bool: ...
    def interrupt(self) -> None: ...
    def kill(self, why: str) -> None: ...


class Late(Exception):
    """The time is over."""


class Connection:
    """A connected unix socket, spoken to in the frames of grader/remote/server.py."""

    def __init__(self, connection: socket.socket, kernel: Kernel) -> None:
        connection.setblocking(False)
        self._socket = connection
        self._kernel = kernel
        self._replies = self._read_replies()
        self._in_step = True  # False while a request waits for its reply, and for good once one was lost
        self._most_bytes: int | None = None  # of the reply that is being waited for

    @property
    def meter(self) -> Meter:
        """What the process at the other end spends."""
        return self._kernel.meter

    def ask(
        self, header: bytes, buffers: Sequence[Any], until: float, limit: float, most_bytes: int | None = None
    ) -> tuple[bytes, list[bytearray]]:
        """Sends one request and waits for its reply.

        Args:
            until: where the kernel's meter stands when the time is over.
            limit: the seconds that end there, as a message calls them: earlier requests may have spent some.
            most_bytes: of the reply.

        Returns:
            The reply (header, buffers).

        Raises:
            StudentTimeout: the kernel's meter stands at `until` (and up to 2 s of grace later).
            KernelGone: the process ends.
            CodecError: the reply has more than `most_bytes` or is no frame: the kernel is then killed, since nothing it says
                can be told apart.
        """
        if not self._in_step:
            raise KernelGone(f"the notebook's process is not there any more: {self._kernel.reason or 'line closed'}")
        self._in_step = False
        meter = self.meter
        meter.resume()
        self._looked, self._most_bytes = time.monotonic(), most_bytes
        try:
            self._send([header, *buffers], until)
            reply = self._receive(until)
        except Late:
            self._interrupt_or_kill(f"{round(limit, 1):g} s")
        except CodecError:
            self._kernel.kill("it sent the grader something that is not a reply")
            raise
        except KernelGone:
            raise
        except (
            BaseException
        ):  # the grader's own time is over, or Ctrl-C: the reply under way would answer the next request
            self._kernel.kill("the grader did not wait for its answer")
            raise
        self._in_step = True
        return reply

    def close(self) -> None:
        """Hangs up: the agent's loop in the kernel ends."""
        self._in_step = False
        self._socket.close()

    def _interrupt_or_kill(self, limit: str) -> NoReturn:
        self._kernel.interrupt()
        try:
            self._receive(self.meter.total + GRACE)  # the reply to the interrupted call, which comes too late to count
        except (Late, CodecError):
            self._kernel.kill(f"a call took longer than {limit} and could not be interrupted")
        else:
            self._in_step = True
        raise StudentTimeout(f"no answer within {limit}") from None

    def _send(self, parts: Sequence[Any], until: float) -> None:
        sizes = [memoryview(part).nbytes for part in parts]
        for part in (struct.pack(f"<I{len(parts)}Q", len(parts), *sizes), *parts):
            rest = memoryview(part)
            while rest:
                try:
                    rest = rest[self._socket.send(rest) :]
                except BlockingIOError:
                    self._wait(select.POLLOUT, until)
                except OSError:
                    self._lost()

    def _receive(self, until: float) -> tuple[bytes, list[bytearray]]:
        for parts in self._replies:
            if parts is not None:
                return bytes(parts[0]), parts[1:]
            self._wait(select.POLLIN, until)
        raise KernelGone("the line is closed")

    def _read_replies(self) -> Iterator[list[bytearray] | None]:
        """Yields each reply, and None whenever it has to wait: a reply that came too late is read on afterwards."""
        while True:
            (count,) = struct.unpack("<I", (yield from self._exactly(4)))
            if not 1 <= count <= MAX_NODES + 1:
                raise CodecError(f"malformed reply: {count:,} parts")
            sizes = struct.unpack(f"<{count}Q", (yield from self._exactly(8 * count)))
            if sizes[0] > MAX_HEADER or sum(sizes[1:]) > MAX_BYTES:
                raise CodecError(f"the reply is larger than {MAX_HEADER:,} bytes of header or {MAX_BYTES:,} of buffers")
            if self._most_bytes is not None and sum(sizes) > self._most_bytes + REFUSAL:
                raise CodecError(f"the reply has {sum(sizes):,} bytes, at most {self._most_bytes:,} are taken here")
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

    def _wait(self, event: int, until: float) -> None:
        """Returns when the socket is ready; raises Late when the time is over and KernelGone if the process has ended."""
        ready = select.poll()
        ready.register(self._socket, event)
        while True:
            if time.monotonic() - self._looked >= PERIOD:  # also of a reply that comes byte by byte
                self._looked = time.monotonic()
                if self.meter.charge() >= until:
                    raise Late
            if ready.poll(1000 * PERIOD):
                return
            if not self._kernel.alive():
                self._lost()

    def _lost(self) -> NoReturn:
        """Gives up after the other end hung up: the process is about to be gone, and if it is not, it is of no more use."""
        end = time.monotonic() + GRACE
        while self._kernel.alive() and time.monotonic() < end:
            time.sleep(0.01)
        if self._kernel.alive():
            self._kernel.kill("it closed its line to the grader")
        raise KernelGone(f"the notebook's process ended during a call: {self._kernel.reason or 'nothing says why'}")
