"""Counts what a kernel spends of its time limits, in a way that does not depend on who else uses the machine.

Spent is the processor time of all its processes, and the time in which none of them wants to compute: a loop is charged
for computing, a sleeper for sleeping, and nobody for waiting until a busy machine lets him run. Only where a process
has ended is the clock's time the least that is charged, since what it computed may go uncounted. This module must not know
what the limits are.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

PERIOD = 0.1  # seconds between two looks at a kernel that is busy
LONGEST_STEP = 1.0  # seconds of idleness that one look may charge: if more has passed, the grader itself did not run
STANDSTILL = 10.0  # seconds without a look after which the machine, or the grader on it, has stood still
IDLE = 0.02  # of a processor: who computes less is idle, unless he waits for a processor


@dataclass(frozen=True)
class Activity:
    """What the processes of a kernel do.

    Attributes:
        cpu_seconds: of all of them so far, ended ones too.
        runnable: whether one computes or waits for a processor.
        processes: their numbers.
    """

    cpu_seconds: float
    runnable: bool
    processes: frozenset[int] = frozenset()


class Meter:
    """What one kernel has spent since the meter was made, in seconds.

    `look` tells the kernel's activity now; it may raise OSError or psutil.Error once there is none.
    """

    def __init__(self, look: Callable[[], Activity], clock: Callable[[], float] = time.monotonic) -> None:
        self._look, self._clock = look, clock
        self.total = 0.0
        self.stood_still = 0.0  # seconds for which nobody looked, though the kernel had something to do
        self._last = Activity(0.0, False)
        self._last = self._activity()
        self._when = clock()

    def resume(self) -> None:
        """Forgives the idleness until now: the kernel had nothing to do. To be called before it gets something."""
        self._when = self._clock()

    def charge(self) -> float:
        """Adds what was spent since the last call, and returns the total. To be called every PERIOD of a kernel's work."""
        now, activity = self._clock(), self._activity()
        passed, computed = now - self._when, max(0.0, activity.cpu_seconds - self._last.cpu_seconds)
        idle = computed < IDLE * passed and not activity.runnable
        # What a process has computed is nowhere to be seen once it has ended, if its parent does not wait for it.
        uncounted = not self._last.processes <= activity.processes
        self.total += max(computed, min(passed, LONGEST_STEP)) if idle or uncounted else computed
        if passed > STANDSTILL:
            self.stood_still += passed
        self._when, self._last = now, activity
        return self.total

    def _activity(self) -> Activity:
        try:
            return self._look()
        except (OSError, psutil.Error):  # it has ended
            return Activity(self._last.cpu_seconds, False)


def of_process(pid: int) -> Activity:
    """Measures the activity of a plain process and its descendants.

    Raises:
        psutil.Error: the process is gone.
    """
    process = psutil.Process(pid)
    cpu, runnable, all_of_it = 0.0, False, [process, *process.children(recursive=True)]
    for each in all_of_it:
        try:
            times = each.cpu_times()
            cpu += times.user + times.system + times.children_user + times.children_system
            runnable = runnable or each.status() == psutil.STATUS_RUNNING
        except psutil.NoSuchProcess:
            continue
    return Activity(cpu, runnable, frozenset(each.pid for each in all_of_it))
