"""What the processes of a sandbox have computed so far, and whether one of them wants to compute now.

Reads the sandbox's own /proc through an open descriptor, as the watchdog does: every process in there, none else.
"""

from __future__ import annotations

import os

from grader.sandbox.meter import Activity
from grader.sandbox.watchdog import TICKS_PER_S, processes, read_text

RUNNABLE = "R"  # of stat(5): computing, or waiting for a processor


def activity(proc: int) -> Activity:
    """Measures the activity of the sandbox whose /proc is open at `proc`.

    Raises:
        OSError: the sandbox is gone.
    """
    ticks, runnable, seen = 0, False, set()
    own_proc = os.open(
        ".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=proc
    )  # the watchdog's thread goes through `proc` meanwhile
    try:
        for pid in processes(own_proc):
            seen.add(int(pid))
            try:
                # User and system time, its own and that of children that have ended: fields 14 to 17 of stat(5).
                ticks += sum(map(int, _fields(own_proc, f"{pid}/stat")[11:15]))
                runnable = runnable or _is_runnable(own_proc, pid)
            except (OSError, IndexError):  # it ended while it was being looked at
                continue
    finally:
        os.close(own_proc)
    return Activity(ticks / TICKS_PER_S, runnable, frozenset(seen))


def _is_runnable(proc: int, pid: str) -> bool:
    threads = os.open(f"{pid}/task", os.O_RDONLY | os.O_DIRECTORY, dir_fd=proc)
    try:
        return any(_fields(threads, f"{thread}/stat")[0] == RUNNABLE for thread in os.listdir(threads))  # noqa: PTH208 - a descriptor
    finally:
        os.close(threads)


def _fields(folder: int, name: str) -> list[str]:
    """Reads the fields of a stat file from the third on: the second, the name, may hold anything."""
    return read_text(folder, name).rsplit(")", 1)[1].split()
