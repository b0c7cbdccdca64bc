"""Folders of a running process among the machine's temporary files; what a killed process left is removed by the next.

A folder is held by a lock on it for as long as its process lives, so nobody takes it for one that was left behind.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

PREFIXES = ("etude-batch-", "etude-fork-")  # of a batch's folder, and of the one where a fork server listens


class Scratch:
    """A new folder for nobody but this process's user, until `remove()`."""

    def __init__(self, prefix: str) -> None:
        assert prefix in PREFIXES, prefix
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        self._hold = held(self.path)

    def remove(self) -> None:
        """Removes the folder and lets it go."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.let_go()

    def let_go(self) -> None:
        """Leaves the folder to another process, which holds it too."""
        if self._hold is not None:
            os.close(self._hold)
            self._hold = None


def held(folder: Path) -> int | None:
    """Opens a descriptor that keeps others from taking the folder for one left behind; None if somebody holds it already."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def remove_left_behind() -> None:
    """Removes the folders of processes that were killed: nobody holds them."""
    for prefix in PREFIXES:
        for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
            with contextlib.suppress(OSError):  # another user's, or gone meanwhile
                if (descriptor := held(folder)) is not None:
                    shutil.rmtree(folder, ignore_errors=True)
                    os.close(descriptor)
