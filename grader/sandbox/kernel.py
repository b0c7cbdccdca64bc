"""One kernel in one sandbox: start it, ask how it is, stop it, take its results. Knows nothing of jupyter.

`SandboxedKernel` runs a command in a new sandbox (cold). `enter` in fork_server.py puts a forked process into one whose
command only holds it open (warm); from then on both are alike.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import subprocess
import time
from pathlib import Path
from typing import NoReturn

from grader.sandbox import bwrap, seccomp, transfer
from grader.sandbox.activity import activity
from grader.sandbox.limits import MB, Limits
from grader.sandbox.meter import Activity
from grader.sandbox.preflight import check_sandbox
from grader.sandbox.privileges import as_unprivileged
from grader.sandbox.watchdog import Watchdog

START_TIMEOUT_S = 300  # on a machine that is slow and busy; a process that ends is noticed at once
HOLD = ["sleep", "infinity"]  # the command of a sandbox that a forked kernel enters
# Copy the submission to where it may be written, say so on the descriptor 0, run the rest of the command without it.
PREPARE = ["/bin/sh", "-c", 'cp -R /submission/. . && echo ready >&0 && exec setsid "$@" </dev/null', "sh"]


class SandboxError(RuntimeError):
    """A sandbox that did not start. The message says what is missing."""


def prlimit(bounds: dict[str, tuple[int, int]]) -> list[str]:
    return ["prlimit", *(f"--{name.lower()}={soft}:{hard}" for name, (soft, hard) in bounds.items())]


def first_words(descriptor: int) -> bytes:
    """Reads the first bytes from `descriptor`; none if its writers end first or the time is over."""
    ready, _, _ = select.select([descriptor], [], [], START_TIMEOUT_S)
    return os.read(descriptor, 4096) if ready else b""


class SandboxedKernel:
    """A running sandbox with a kernel in it. `close()` it: nothing of it is left behind then."""

    def __init__(self, limits: Limits, layout: bwrap.Layout, command: list[str]) -> None:
        """Starts `command` inside.

        bubblewrap dies with the thread that called this, so call it from one that lives as long as the kernel should.

        Raises:
            SandboxError: the sandbox or the command could not be started.
        """
        self.limits, self.layout = limits, layout
        self._status: int | None = None
        self._status_pipe: int | None = None
        self._ended_by_us = False
        self.lost = False  # it ended because a process of the grader's own did
        self._descriptors: list[int] = []
        self.output_end = self._start(command)  # where processes inside write what goes past jupyter
        try:
            self._open_inside()
        except OSError as error:
            self._process.kill()
            self._process.wait()
            self._fail(str(error))
        self.watchdog.start()

    def _start(self, command: list[str]) -> int:
        read_output, write_output = os.pipe()
        read_ready, write_ready = os.pipe()
        self._read_info, write_info = os.pipe()
        filter_program = seccomp.program_descriptor()
        self._descriptors += [read_output, write_output, self._read_info]
        self._read_output = read_output
        inside = [*PREPARE, *prlimit({"NPROC": (self.limits.processes,) * 2}), *command]
        sandbox = bwrap.arguments(self.limits, self.layout, filter_program, write_info, inside)
        bounded = [*prlimit(self.limits.rlimits()), *sandbox]
        try:
            self._process = subprocess.Popen(
                as_unprivileged(bounded, bwrap.readable_paths(self.layout)),
                stdin=write_ready,
                stdout=write_output,
                stderr=write_output,
                pass_fds=[filter_program, write_info],
                env={
                    "PATH": os.environ.get("PATH", os.defpath)
                },  # bubblewrap's own can be read inside, in /proc/1/environ
                start_new_session=True,
                cwd="/",
            )
        except OSError as error:
            os.close(read_ready)
            self._fail(str(error))
        finally:
            for descriptor in (write_ready, write_info, filter_program):
                os.close(descriptor)
        prepared = first_words(read_ready)
        os.close(read_ready)
        if not prepared:
            self._process.kill()
            self._process.wait()
            self._fail()
        return write_output

    def _fail(self, what: str = "") -> NoReturn:
        os.set_blocking(self._read_output, False)
        with contextlib.suppress(BlockingIOError):
            what = os.read(self._read_output, 4096).decode(errors="replace").strip() or what
        self._close_descriptors()
        reasons = [str(problem) for problem in check_sandbox()]
        raise SandboxError("the sandbox did not start: " + "; ".join(reasons or [what or "it ended without a word"]))

    def _open_inside(self) -> None:
        """Holds what will be needed from outside by descriptor, which no later change of names or pids can redirect."""
        init = json.loads(os.read(self._read_info, 4096))["child-pid"]
        self.first_pid = int(Path(f"/proc/{init}/task/{init}/children").read_text().split()[0])
        self._init = self._keep(os.pidfd_open(init))
        self._kernel = self._keep(os.pidfd_open(self.first_pid))

        def inside(path: Path | str) -> int:
            return self._keep(os.open(f"/proc/{init}/root{path}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

        proc, sockets, self._work = inside("/proc"), inside(self.layout.sockets), inside(bwrap.WORK)
        folders = [sockets, self._work, inside("/tmp"), inside("/dev/shm")]
        # The sockets lie in the sandbox's own bounded memory; this link lets jupyter reach them under the same path.
        self.layout.sockets.unlink(missing_ok=True)
        self.layout.sockets.symlink_to(f"/proc/{os.getpid()}/fd/{sockets}")
        self.watchdog = Watchdog(self.limits, proc, folders, self._read_output, self._kill_init)

    def _keep(self, descriptor: int) -> int:
        self._descriptors.append(descriptor)
        return descriptor

    def _close_descriptors(self) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())

    def adopt(self, pid: int, status_pipe: int) -> None:
        """Takes `pid`, which has entered the sandbox, for the kernel from now on.

        Args:
            status_pipe: will give the kernel's exit status.
        """
        self._status_pipe = self._keep(status_pipe)
        with contextlib.suppress(ProcessLookupError):  # it ended at once: the pipe will say so
            self._kernel = self._keep(os.pidfd_open(pid))

    def status(self) -> int | None:
        """Returns the kernel's exit status (128 + the number of the signal that ended it); None while it runs."""
        if self._status is not None:
            return self._status
        if self._status_pipe is None:
            status = self._process.poll()
            self._status = status if status is None or status >= 0 else 128 - status
        elif select.select([self._status_pipe], [], [], 0)[0]:
            words = os.read(self._status_pipe, 16)
            self._status = int(words or 128 + signal.SIGKILL)
            self.lost = not (words or self._ended_by_us or self.watchdog.verdict)
            self._kill_init()  # the sandbox was held open by another process
        return self._status

    def why(self) -> str | None:
        """Tells why the kernel ended: from measurements and its exit status, never from its words. None while it runs."""
        status = self.status()
        if status is None:
            return None
        if self.watchdog.verdict:
            return self.watchdog.verdict
        if self._ended_by_us:
            return "stopped: by the grader"
        limits, most_tasks = self.limits, self.watchdog.most_tasks
        spent = self.watchdog.most_cpu_s >= limits.cpu_s
        if status == 128 + signal.SIGXCPU or (status == 128 + signal.SIGKILL and spent):
            return f"CPU time: a process used more than {limits.cpu_s} s"
        what = f"exit: status {status}" if status < 128 else f"signal: {signal_name(status - 128)}"
        what += f"; at most it held {self.watchdog.most_memory // MB} of {limits.memory_mb} MB"
        if most_tasks >= limits.processes:
            what += f" and reached its limit of {limits.processes} processes and threads"
        return what

    def activity(self) -> Activity:
        """Measures what the processes inside compute.

        Raises:
            OSError: the sandbox is closed.
        """
        if not self._descriptors:
            raise OSError(errno.ESRCH, os.strerror(errno.ESRCH))
        return activity(self.watchdog.proc)

    def interrupt(self) -> None:
        self._send(self._kernel, signal.SIGINT)

    def kill(self) -> None:
        """Kills every process inside."""
        if self.status() is None:
            self._ended_by_us = True
        self._kill_init()

    def _kill_init(self) -> None:
        # The first process of the pid namespace: the kernel of the system ends all others with it.
        self._send(self._init, signal.SIGKILL)

    def _send(self, process: int, signal_number: int) -> None:
        if not self._descriptors:  # closed
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(process, signal_number)

    def wait_until_gone(self) -> int:
        """Waits until no process of the sandbox is left. Call `kill` first.

        Returns:
            The kernel's exit status.
        """
        self._process.wait()
        while self.status() is None:
            time.sleep(0.001)
        self.watchdog.stop()
        return self.status() or 0

    def said(self) -> str:
        """Returns the end of what processes wrote past jupyter: a hint for a person, never a fact."""
        return self.watchdog.written.decode(errors="replace")

    def collect(self, destination: Path, subfolder: str, max_bytes: int, max_files: int) -> transfer.Copied:
        """Copies the folder `subfolder` from where the notebook ran. Works on a dead kernel too, until `close`."""
        try:
            folder = transfer.open_subfolder(self._work, subfolder)
        except OSError as error:
            return transfer.Copied(refused={subfolder: error.strerror or str(error)})
        try:
            return transfer.copy_folder(folder, destination, max_bytes, max_files)
        finally:
            os.close(folder)

    def close(self) -> None:
        """Ends everything and lets go of the sandbox's memory. Does nothing the second time."""
        if not self._descriptors:
            return
        self.kill()
        self.wait_until_gone()
        self.layout.sockets.unlink(missing_ok=True)
        self._close_descriptors()


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
