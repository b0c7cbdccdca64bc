"""The grader's handle on a zygote: a process that has imported torch and pandas and forks kernels from itself.

There is one for each number of threads (a library reads it while being imported), shared by all kernels of this
process and started with the first one. What runs over there is zygote_main.py. Knows nothing of jupyter.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from grader.sandbox import bwrap, seccomp
from grader.sandbox.kernel import SandboxedKernel, SandboxError
from grader.sandbox.limits import Limits
from grader.sandbox.privileges import as_unprivileged

PROGRAM = Path(__file__).with_name("zygote_main.py")
IMPORT_TIMEOUT_S = 120
FORK_TIMEOUT_S = 30

_zygotes: dict[int, Zygote] = {}
_lock = threading.Lock()


class Zygote:
    """A running zygote; one request at a time."""

    def __init__(self, threads: int) -> None:
        """Start it and wait until it has imported everything. Raises SandboxError if it cannot."""
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with PROGRAM.open() as program, theirs:
            self.process = subprocess.Popen(
                as_unprivileged([sys.executable, "-", str(theirs.fileno())], bwrap.interpreter_paths()),
                stdin=program,  # the interpreter's user may not be allowed to read this folder
                pass_fds=[theirs.fileno()],
                env=bwrap.environment(Limits(threads=threads)),
                cwd="/",
                start_new_session=True,
            )
        self._control.settimeout(IMPORT_TIMEOUT_S)
        self._receive("the zygote could not import torch, numpy, pandas and ipykernel")
        self._control.settimeout(FORK_TIMEOUT_S)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def _receive(self, failure: str) -> dict[str, Any]:
        try:
            message = self._control.recv(1 << 16)
        except OSError as error:
            message, failure = b"", f"{failure} ({error})"
        if not message:
            self.close()
            raise SandboxError(failure)
        return json.loads(message)

    def enter(self, sandbox: SandboxedKernel, arguments: list[str]) -> None:
        """Fork a kernel with these command line arguments into an empty sandbox. Raises SandboxError if that fails."""
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
                answer = self._receive("the zygote died when asked for a kernel; the next launch starts another")
            if "error" in answer:
                raise SandboxError(f"no kernel could be forked into the sandbox: {answer['error']}")
        except OSError as error:
            os.close(status)
            raise SandboxError(f"the zygote cannot be reached ({error}); the next launch starts another") from error
        except SandboxError:
            os.close(status)
            raise
        finally:
            os.close(their_status)
        sandbox.adopt(answer["pid"], status)

    def close(self) -> None:
        """End it, and every kernel forked from it."""
        self._control.close()
        self.process.kill()
        self.process.wait()


def zygote(threads: int) -> Zygote:
    """The running zygote for this number of threads; a new one if there is none or it has died."""
    with _lock:
        found = _zygotes.get(threads)
        if found is None or not found.alive:
            found = _zygotes[threads] = Zygote(threads)
        return found


def close_zygotes() -> None:
    with _lock:
        while _zygotes:
            _zygotes.popitem()[1].close()


def _forget() -> None:
    """In a forked process: the zygotes are the parent's; two users of one socket would read each other's answers."""
    global _lock
    _lock = threading.Lock()
    for inherited in _zygotes.values():
        inherited._control.close()
    _zygotes.clear()


os.register_at_fork(after_in_child=_forget)
