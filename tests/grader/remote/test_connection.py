"""The grader's end of the line: replies that no honest agent sends do no harm and cost no time."""

from __future__ import annotations

import socket
import struct

import pytest

from grader.remote.budget import Budget
from grader.remote.client import CodecError, KernelGone, Remote, Student, StudentTimeout
from grader.remote.connection import REFUSAL, Connection
from grader.sandbox.meter import Activity, Meter


def frame(*parts: bytes) -> bytes:
    return struct.pack(f"<I{len(parts)}Q", len(parts), *map(len, parts)) + b"".join(parts)


@pytest.mark.parametrize(
    "reply",
    [
        frame(b"not json"),
        frame(b"1"),
        frame(b'{"t":"dict","v":["error",{"t":"dict","v":["classes",3]}]}'),
        frame(b'{"t":"ref","v":{"id":"x"}}'),
        frame(b"{}", b"left over"),
        struct.pack("<I", 2**31),
        struct.pack("<I", 0),
        struct.pack("<IQQ", 2, 2, 2**60),
        struct.pack("<IQ", 1, 2**40),
    ],
)
def test_a_malformed_reply_is_a_wire_error(reply: bytes) -> None:
    student, _ = answered_with(reply)
    with pytest.raises(CodecError):
        student.has("f")


def test_a_reply_out_of_frame_ends_the_kernel() -> None:
    student, kernel = answered_with(struct.pack("<IQ", 1, 2**40))
    with pytest.raises(CodecError):
        student.has("f")
    assert kernel.reason == "it sent the grader something that is not a reply"
    with pytest.raises(KernelGone):
        student.has("f")


def test_a_reply_of_more_bytes_than_the_check_takes_ends_the_kernel() -> None:
    student, kernel = answered_with(frame(b'{"t":"dict","v":["value",1]}', bytes(REFUSAL + 11)))
    student.begin(Budget(seconds=5, requests=5, reply_bytes=10))
    with pytest.raises(CodecError, match="at most 10 are taken here"):
        student.has("f")
    assert kernel.reason is not None


def test_a_reply_that_trickles_does_not_stretch_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.remote.connection.GRACE", 0.1)
    student, kernel = answered_with(struct.pack("<IQ", 1, 100) + b"half")
    with pytest.raises(StudentTimeout):
        student.limit(0.1).has("f")
    assert kernel.reason is not None


def test_elements_and_lengths_that_are_none_are_malformed() -> None:
    for question in (len, iter):
        student, _ = answered_with(frame(b'{"t":"dict","v":["value","text"]}'))
        with pytest.raises(CodecError):
            question(Remote(student, 1, "f"))


class FakeKernel:
    """A process that is there until it is killed."""

    reason: str | None = None

    def __init__(self) -> None:
        self.meter = Meter(lambda: Activity(0.0, runnable=False))

    def alive(self) -> bool:
        return self.reason is None

    def interrupt(self) -> None:
        pass

    def kill(self, why: str) -> None:
        self.reason = why


def answered_with(reply: bytes) -> tuple[Student, FakeKernel]:
    """A student at whose other end somebody has already sent the reply."""
    ours, theirs = socket.socketpair()
    theirs.sendall(reply)
    kernel = FakeKernel()
    _open.append(theirs)
    return Student(Connection(ours, kernel), seconds=5), kernel


_open: list[socket.socket] = []
