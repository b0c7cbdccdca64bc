"""Ctrl-C as a question that a loop asks, in place of an exception that comes at any moment.

Raised in the middle of a library, KeyboardInterrupt may be taken for a failure of one submission (nbgrader), be ignored
(a finalizer's), or leave a lock held that the way out then waits for. This module must not know what is interrupted.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def postponed() -> Iterator[Callable[[], None]]:
    """Gives a function that raises KeyboardInterrupt if Ctrl-C was pressed; so does the end of the block.

    For the main thread alone, as all signals are.
    """
    signals: list[int] = []

    def stop_if_asked() -> None:
        if signals:
            signals.clear()
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, lambda number, frame: signals.append(number))
    try:
        yield stop_if_asked
    finally:
        signal.signal(signal.SIGINT, before)
    stop_if_asked()
