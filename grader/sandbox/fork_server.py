"""The grader's handle on a fork server: a process that has all libraries of a notebook ready and forks kernels from itself.

There is one for each number of threads (a library reads it while being imported), shared by all kernels of this
process, started with the first one and ended with this process. It listens at an address, where the processes that
grade for this one join it. What runs over there is fork_server_main.py. Knows nothing of jupyter.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from grader.sandbox import bwrap, seccomp
from grader.sandbox.kernel import SandboxedKernel, SandboxError
from grader.sandbox.limits import Limits
from grader.sandbox.privileges import as_unprivileged
from grader.sandbox.scratch import Scratch

PROGRAM = Path(__file__).with_name("fork_server_main.py")
READY_TIMEOUT_S = 300  # on a machine that is slow and busy; a process that ends is noticed at once
FORK_TIMEOUT_S = 30
DIED = "the fork server died when asked for a kernel; the next launch starts another"

_fork_servers: dict[int, ForkServer] = {}
_lock = threading.Lock()


class ForkServer:
    """A line to a running fork server, and its process if it was started here; one request at a time."""

    def __init__(
        self, control: socket.socket, process: subprocess.Popen[bytes] | None = None, scratch: Scratch | None = None
    ) -> None:
        self.process = process
        self.scratch = scratch  # with the socket where it listens, if it was started here
        self._control = control
        self._lock = threading.Lock()
        self._ready = self._dead = False

    @classmethod
    def start(cls, threads: int) -> Self:
        """Starts a fork server, which makes itself ready while this goes on."""
        scratch = Scratch("etude-fork-")
        readable = [*bwrap.interpreter_paths(), *map(Path, bwrap.student_packages())]
        control, far_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ExitStack() as stack:
            undo = stack.enter_context(ExitStack())
            undo.callback(control.close)
            undo.callback(scratch.remove)
            listener = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
            listener.bind(str(_address(scratch)))
            listener.listen()
            numbers = [stack.enter_context(far_end).fileno(), listener.fileno()]
            process = subprocess.Popen(
                as_unprivileged([sys.executable, "-", *map(str, numbers)], readable),
                stdin=stack.enter_context(PROGRAM.open()),  # its user may not be allowed to read this folder
                pass_fds=numbers,
                env=bwrap.environment(Limits(threads=threads)),
                cwd="/",
                start_new_session=True,
            )
            undo.pop_all()
        return cls(control, process, scratch)

    @classmethod
    def join(cls, address: Path) -> Self:
        """Connects to the fork server that listens at the address.

        Raises:
            OSError: no fork server listens there.
        """
        control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            control.connect(str(address))
        except OSError:
            control.close()
            raise
        return cls(control)

    @property
    def alive(self) -> bool:
        return not self._dead and (self.process is None or self.process.poll() is None)

    def _receive(self, failure: str, seconds: float) -> dict[str, Any]:
        self._control.settimeout(seconds)
        try:
            message = self._control.recv(1 << 16)
        except OSError as error:
            message, failure = b"", f"{failure} ({error})"
        if not message:
            self.close()
            raise SandboxError(failure)
        answer: dict[str, Any] = json.loads(message)
        return answer

    def wait(self) -> None:
        """Waits until all is imported and used once.

        Raises:
            SandboxError: the libraries could not be made ready.
        """
        with self._lock:
            if not self._ready:
                self._receive(
                    "the fork server could not make its libraries ready; its own words stand above", READY_TIMEOUT_S
                )
                self._ready = True

    def enter(self, sandbox: SandboxedKernel, arguments: list[str]) -> None:
        """Forks a kernel into an empty sandbox.

        Args:
            arguments: of the kernel's command line.

        Raises:
            SandboxError: the kernel could not be forked, or the fork server cannot be reached.
        """
        limits = sandbox.limits
        request = {
            "holder": sandbox.first_pid,
            "arguments": arguments,
            "cwd": str(bwrap.WORK),
            "environment": bwrap.environment(limits),
            "rlimits": {**limits.rlimits(), "NPROC": (limits.processes,) * 2},
            "seccomp": seccomp.program().hex(),
            "threads": limits.threads,
        }
        status, their_status = os.pipe()
        try:
            with self._lock:
                socket.send_fds(self._control, [json.dumps(request).encode()], [sandbox.output_end, their_status])
                answer = self._receive(DIED, FORK_TIMEOUT_S)
            if "error" in answer:
                raise SandboxError(f"no kernel could be forked into the sandbox: {answer['error']}")
        except OSError as error:
            os.close(status)
            self.close()
            raise SandboxError(
                f"the fork server cannot be reached ({error}); the next launch starts another"
            ) from error
        except SandboxError:
            os.close(status)
            raise
        finally:
            os.close(their_status)
        sandbox.adopt(answer["pid"], status)

    def close(self) -> None:
        """Hangs up; if the fork server was started here, ends it and every kernel forked from it."""
        self._dead = True
        self._control.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        if self.scratch is not None:
            self.scratch.remove()


def fork_server(threads: int) -> ForkServer:
    """Returns the running fork server for this number of threads, ready; a new one if there is none or it has died."""
    with _lock:
        running = _running(threads)
    running.wait()
    return running


def address(threads: int) -> Path:
    """Tells where this process's fork server for this number of threads listens; it may not be ready yet.

    Raises:
        SandboxError: this process has joined another's fork server; that process must be asked for the address.
    """
    with _lock:
        scratch = _running(threads).scratch
    if scratch is None:
        raise SandboxError("this process has joined the fork server of another, which must be asked for the address")
    return _address(scratch)


def _running(threads: int) -> ForkServer:
    running = _fork_servers.get(threads)
    if running is None or not running.alive:
        if running is not None:
            running.close()
        running = _fork_servers[threads] = ForkServer.start(threads)
    return running


def _address(scratch: Scratch) -> Path:
    return scratch.path / "s"


def join(threads: int, address: Path) -> None:
    """Uses the fork server that listens there from now on; if it is gone, the next launch starts another."""
    try:
        joined = ForkServer.join(address)
    except OSError:
        return
    with _lock:
        _fork_servers[threads] = joined


@atexit.register
def close_fork_servers() -> None:
    with _lock:
        while _fork_servers:
            _fork_servers.popitem()[1].close()


def _forget() -> None:
    """Lets go of the fork servers in a forked process: they are the parent's.

    Two users of one socket would read each other's answers.
    """
    global _lock
    _lock = threading.Lock()
    for inherited in _fork_servers.values():
        inherited._control.close()
        if inherited.scratch is not None:
            inherited.scratch.let_go()
    _fork_servers.clear()


os.register_at_fork(after_in_child=_forget)
