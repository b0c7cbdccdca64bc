"""Bounds what this process itself computes, in processor seconds: for work whose amount somebody else decides.

The system's timer for processor time interrupts Python code and regular expressions wherever they are; a single call in C
ends first, as of numpy or sum(range(n)), so bound its input. One that does not end takes this process with it: `grader
autograde` grades the others in a new one, `nbgrader autograde` ends there. Only the main thread can be interrupted: in others
nothing is bounded.
"""

from __future__ import annotations

import math
import resource
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

GRACE = 60  # seconds after which a call that could not be interrupted ends the process


class OwnTimeOver(BaseException):
    """The time is over. No Exception: code that shields itself from any Exception must not swallow it."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises OwnTimeOver inside the block once this process has computed so long. Not to be nested.

    Args:
        seconds: processor time of this process; no bound if infinite, nor in any but the main thread.
    """
    if math.isinf(seconds) or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(signum: int, frame: FrameType | None) -> None:
        raise OwnTimeOver(f"it took more than {seconds:g} s of processor time")

    before, (soft, hard) = signal.signal(signal.SIGPROF, late), resource.getrlimit(resource.RLIMIT_CPU)
    last = math.ceil(time.process_time() + seconds + GRACE)
    resource.setrlimit(resource.RLIMIT_CPU, (min([last, *(limit for limit in (soft, hard) if limit >= 0)]), hard))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
        signal.signal(signal.SIGPROF, before)
