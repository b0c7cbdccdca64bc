"""Copy a folder that someone else may be rewriting, links and traps included, to a folder of ours.

Used for the submission on its way in and for the results on their way out. Every step is taken from an open
folder by one name that is no link, and only what is a regular file once opened is read; so nothing outside the source
folder can be reached, whatever happens to its names meanwhile. Knows nothing of sandboxes.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

DEPTH = 16
CHUNK = 1 << 20
OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC  # a FIFO opens at once, empty


@dataclass
class Copied:
    """What a copy did: names relative to the source, and for what was left out the reason.

    `exceeded` says that something was left out because it did not fit into the allowance.
    """

    files: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    bytes: int = 0
    exceeded: bool = False


@dataclass
class Copy:
    """One copy in progress, with what is left of its allowance."""

    max_bytes: int
    max_files: int
    done: Copied = field(default_factory=Copied)
    entries: int = 0

    def folder(self, source: int, target: Path, prefix: PurePosixPath) -> None:
        target.mkdir(exist_ok=True)
        with os.scandir(source) as entries:
            for entry in entries:
                self.entries += 1
                name = str(prefix / entry.name)
                if self.entries > self.max_files:
                    self.done.exceeded = True
                    self.done.refused[str(prefix)] = f"more than {self.max_files} files and folders"
                    return
                if not entry.name.isprintable():
                    self.done.refused[ascii(name)] = "its name does not print"
                elif refusal := self.entry(source, entry, target, prefix):
                    self.done.refused[name] = refusal

    def entry(self, source: int, entry: os.DirEntry[str], target: Path, prefix: PurePosixPath) -> str | None:
        """Copies one entry; gives the reason if it cannot be copied."""
        name = prefix / entry.name
        try:
            if entry.is_dir(follow_symlinks=False):
                if len(name.parts) > DEPTH:
                    self.done.exceeded = True
                    return f"deeper than {DEPTH} folders"
                opened = os.open(entry.name, OPEN_FOLDER, dir_fd=source)
                try:
                    self.folder(opened, target / entry.name, name)
                finally:
                    os.close(opened)
                return None
            if not entry.is_file(follow_symlinks=False):
                return "neither a regular file nor a folder"
            opened = os.open(entry.name, OPEN_FILE, dir_fd=source)
            try:
                return self.file(opened, target / entry.name, str(name))
            finally:
                os.close(opened)
        except OSError as error:
            return error.strerror or type(error).__name__

    def file(self, source: int, target: Path, name: str) -> str | None:
        about = os.fstat(source)
        left = self.max_bytes - self.done.bytes
        if not stat.S_ISREG(about.st_mode):
            return "neither a regular file nor a folder"
        if about.st_size > left:
            self.done.exceeded = True
            return f"{about.st_size} bytes where {left} of {self.max_bytes} were left"
        with target.open("xb") as out:
            while left > 0 and (data := os.read(source, min(CHUNK, left))):  # a file that grows is cut off
                left -= out.write(data)
                self.done.bytes += len(data)
        self.done.files.append(name)
        return None


def copy_folder(source: int, target: Path, max_bytes: int, max_files: int) -> Copied:
    """Copies the folder open at descriptor `source` into `target`, which must be absent or empty.

    Links, devices, FIFOs and sockets are left out and named in the answer, as is all that exceeds the limits.

    Raises:
        FileExistsError: `target` has files in it.
    """
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise FileExistsError(f"{target} is not empty: give a new folder")
    copy = Copy(max_bytes, max_files)
    copy.folder(source, target, PurePosixPath())
    return copy.done


def open_subfolder(folder: int, name: str) -> int:
    """Opens a descriptor for the folder `name` (which may have slashes) below the open `folder`, following no link.

    Raises:
        ValueError: the name is absolute or climbs.
        OSError: it is not there, or not a folder.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"subfolder {name!r}: write a relative name without '..'")
    current = os.dup(folder)
    for part in path.parts:
        try:
            deeper = os.open(part, OPEN_FOLDER, dir_fd=current)
        finally:
            os.close(current)
        current = deeper
    return current
