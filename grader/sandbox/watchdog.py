"""Look at a running sandbox ten times a second; say, once, when it has used more than it may.

Reads the sandbox's own /proc through a descriptor, so it sees each process in there however it was started, and
none else. It counts what rlimits cannot: memory over all processes, wall time, files, text written past jupyter, and
what this process, which takes the kernel's messages, has come to hold since the sandbox began.
It asks its owner to kill; it knows nothing of bubblewrap or jupyter.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from grader.sandbox.limits import MB, Limits

PERIOD_S = 0.1
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
KEPT_OUTPUT = 64 * 1024
MOST_SESSIONS = 6  # the system shares processors out by session (autogroup): who opens many takes those of others
MOST_HELD_MB = (
    1024  # of this process, for what a kernel sends: jupyter's library takes a message whole, whatever its size
)
TASKS_TOLERANCE = 16  # bubblewrap's own processes are not under the rlimit


def read_text(proc: int, name: str) -> str:
    descriptor = os.open(name, os.O_RDONLY, dir_fd=proc)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
        return file.read().decode(errors="replace")


def processes(proc: int) -> Iterator[str]:
    """Lists the pids (inside) of the sandbox whose /proc is open at `proc`."""
    yield from (name for name in os.listdir(proc) if name.isdecimal())


def resident_bytes(proc: int, pid: str) -> int:
    """Reads the RSS of one process; 0 once it is gone. Pages shared after a fork count in each."""
    try:
        return int(read_text(proc, f"{pid}/statm").split()[1]) * PAGE
    except OSError:
        return 0


def proportional_bytes(proc: int, pid: str) -> int:
    """Reads the PSS of one process: its own pages and its share of shared ones; RSS where the process has hidden its PSS."""
    try:
        lines = read_text(proc, f"{pid}/smaps_rollup").splitlines()
        return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)
    except OSError:
        return resident_bytes(proc, pid)


def task_count(proc: int) -> int:
    """Counts processes and threads together. The folder of a process's threads has two links more than threads."""
    count = 0
    for pid in processes(proc):
        try:
            count += os.stat(f"{pid}/task", dir_fd=proc).st_nlink - 2
        except OSError:
            continue
    return count


def cpu_seconds_and_sessions(proc: int) -> tuple[float, int]:
    """Measures the CPU time in seconds of the process that has used most, and counts the sessions."""
    most = 0
    sessions = set()
    for pid in processes(proc):
        try:
            fields = read_text(proc, f"{pid}/stat").rsplit(")", 1)[1].split()
        except OSError:
            continue
        most = max(most, int(fields[11]) + int(fields[12]))  # user and system time, fields 14 and 15 of stat(5)
        sessions.add(fields[3])  # field 6
    return most / TICKS_PER_S, len(sessions)


def memory_bytes(proc: int, enough: int) -> int:
    """Sums the memory of all processes in bytes: RSS if the sum is below `enough`, else PSS, which takes longer."""
    pids = list(processes(proc))
    resident = sum(resident_bytes(proc, pid) for pid in pids)
    return resident if resident <= enough else sum(proportional_bytes(proc, pid) for pid in pids)


def own_bytes() -> int:
    """Reads the memory of this very process in bytes, without what it shares with others, such as libraries."""
    resident, shared = Path("/proc/self/statm").read_text().split()[1:3]
    return (int(resident) - int(shared)) * PAGE


class Watchdog:
    """Watches from `start()` until `stop()`, or until it has called `kill`; then `verdict` says why."""

    def __init__(self, limits: Limits, proc: int, folders: list[int], output: int, kill: Callable[[], None]) -> None:
        """Prepares to watch one sandbox.

        Args:
            proc: the sandbox's open folder /proc.
            folders: the other open folders inside.
            output: the reading end of the processes' output.
        """
        self.limits, self.proc, self.folders, self.output, self.kill = limits, proc, folders, output, kill
        self.verdict: str | None = None
        self.most_tasks, self.most_memory, self.most_cpu_s = 0, 0, 0.0
        self.written = b""
        self._count_written = 0
        self._own_before = own_bytes()
        self._began = time.monotonic()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sandbox-watchdog", daemon=True)
        os.set_blocking(output, False)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stops watching, with the last words of the processes taken."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        self._drain()

    def _run(self) -> None:
        while not self._stopped.wait(PERIOD_S):
            self._drain()
            self.verdict = self._judge()
            if self.verdict:
                self.kill()
                return

    def _drain(self) -> None:
        """Takes what the processes wrote since the last time, and keeps the end of it."""
        while self._count_written <= self.limits.output_mb * MB:
            try:
                data = os.read(self.output, KEPT_OUTPUT)
            except BlockingIOError:
                return
            if not data:
                return
            self._count_written += len(data)
            self.written = (self.written + data)[-KEPT_OUTPUT:]

    def _judge(self) -> str | None:
        limits = self.limits
        if time.monotonic() - self._began > limits.wall_s:
            return f"wall time: it ran longer than {limits.wall_s} s"
        if self._count_written > limits.output_mb * MB:
            return f"output: it wrote more than {limits.output_mb} MB past the notebook"
        held = own_bytes() - self._own_before
        if held > MOST_HELD_MB * MB:
            return (
                f"memory: the grader came to hold {held // MB} MB of what it sent, at most {MOST_HELD_MB} MB are held"
            )
        try:
            memory, tasks = memory_bytes(self.proc, limits.memory_mb * MB), task_count(self.proc)
            self.most_memory, self.most_tasks = max(self.most_memory, memory), max(self.most_tasks, tasks)
            spent, sessions = cpu_seconds_and_sessions(self.proc)
            self.most_cpu_s = max(self.most_cpu_s, spent)
            usage = [os.fstatvfs(folder) for folder in self.folders]
            files = sum(about.f_files - about.f_ffree for about in usage)
        except OSError:  # the sandbox ended while it was being looked at
            return None
        if memory > limits.memory_mb * MB:
            return f"memory: its processes held {memory // MB} MB, the limit is {limits.memory_mb} MB"
        if tasks > limits.processes + TASKS_TOLERANCE:
            return f"processes: it ran {tasks} processes and threads, the limit is {limits.processes}"
        if sessions > MOST_SESSIONS:
            return f"processes: it opened {sessions} sessions, at most {MOST_SESSIONS} may be open at a time"
        if files > limits.files:
            return f"files: it made {files} files and folders, the limit is {limits.files}"
        return None
