"""Look at a running sandbox ten times a second; say, once, when it has used more than it may.

Reads the sandbox's own /proc through a descriptor, so it sees each process in there however it was started, and
none else. It counts what rlimits cannot: memory over all processes, wall time, files, text written past jupyter.
It asks its owner to kill; it knows nothing of bubblewrap or jupyter.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable, Iterator

from grader.sandbox.limits import MB, Limits

PERIOD_S = 0.1
PAGE = os.sysconf("SC_PAGE_SIZE")
KEPT_OUTPUT = 64 * 1024
TASKS_TOLERANCE = 16  # bubblewrap's own processes are not under the rlimit


def read_text(proc: int, name: str) -> str:
    descriptor = os.open(name, os.O_RDONLY, dir_fd=proc)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
        return file.read().decode(errors="replace")


def processes(proc: int) -> Iterator[str]:
    """The pids (inside) of the sandbox whose /proc is open at `proc`."""
    yield from (name for name in os.listdir(proc) if name.isdecimal())


def resident_bytes(proc: int, pid: str) -> int:
    """RSS of one process; 0 once it is gone. Pages shared after a fork count in each."""
    try:
        return int(read_text(proc, f"{pid}/statm").split()[1]) * PAGE
    except OSError:
        return 0


def proportional_bytes(proc: int, pid: str) -> int:
    """PSS of one process: its own pages and its share of shared ones; RSS where the process has hidden its PSS."""
    try:
        lines = read_text(proc, f"{pid}/smaps_rollup").splitlines()
        return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)
    except OSError:
        return resident_bytes(proc, pid)


def task_count(proc: int) -> int:
    """Processes and threads together."""
    count = 0
    for pid in processes(proc):
        try:
            count += len(os.listdir(os.open(f"{pid}/task", os.O_RDONLY, dir_fd=proc)))
        except OSError:
            continue
    return count


def memory_bytes(proc: int, enough: int) -> int:
    """Memory of all processes in bytes: the sum of RSS where that is below `enough`, else the sum of PSS, which costs more."""
    pids = list(processes(proc))
    resident = sum(resident_bytes(proc, pid) for pid in pids)
    return resident if resident <= enough else sum(proportional_bytes(proc, pid) for pid in pids)


class Watchdog:
    """Watches from `start()` until `stop()`, or until it has called `kill`; then `verdict` says why."""

    def __init__(self, limits: Limits, proc: int, folders: list[int], output: int, kill: Callable[[], None]) -> None:
        """`proc` and `folders` are open folders inside; `output` is the reading end of the processes' output."""
        self.limits, self.proc, self.folders, self.output, self.kill = limits, proc, folders, output, kill
        self.verdict: str | None = None
        self.most_tasks = 0
        self.most_memory = 0
        self.tail = b""
        self._written = 0
        self._began = time.monotonic()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sandbox-watchdog", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopped.is_set():
            end = time.monotonic() + PERIOD_S
            while (left := end - time.monotonic()) > 0 and not self._stopped.is_set():
                self._drain(left)
            self.verdict = self._judge()
            if self.verdict:
                self.kill()
                return

    def _drain(self, seconds: float) -> None:
        """Take what the processes wrote, waiting at most `seconds` for it."""
        if self._written > self.limits.output_mb * MB or not select.select([self.output], [], [], seconds)[0]:
            self._stopped.wait(seconds if self._written else 0)
            return
        data = os.read(self.output, 1 << 16)
        if not data:  # every writer has gone
            self._stopped.wait(seconds)
        self._written += len(data)
        self.tail = (self.tail + data)[-KEPT_OUTPUT:]

    def _judge(self) -> str | None:
        limits = self.limits
        try:
            if time.monotonic() - self._began > limits.wall_s:
                return f"wall time: it ran longer than {limits.wall_s} s"
            self.most_memory = max(self.most_memory, memory := memory_bytes(self.proc, limits.memory_mb * MB))
            if memory > limits.memory_mb * MB:
                return f"memory: its processes held {memory // MB} MB, the limit is {limits.memory_mb} MB"
            self.most_tasks = max(self.most_tasks, tasks := task_count(self.proc))
            if tasks > limits.processes + TASKS_TOLERANCE:
                return f"processes: it ran {tasks} processes and threads, the limit is {limits.processes}"
            files = sum(about.f_files - about.f_ffree for about in map(os.fstatvfs, self.folders))
            if files > limits.files:
                return f"files: it made {files} files and folders, the limit is {limits.files}"
        except OSError:  # the sandbox ended while it was being looked at
            return None
        if self._written > limits.output_mb * MB:
            return f"output: it wrote more than {limits.output_mb} MB past the notebook"
        return None
