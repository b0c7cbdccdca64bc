"""Start a command as a user who owns nothing, wherever the interpreter lives.

For an ordinary user the command is left as it is. Root never runs bubblewrap (with every capability dropped, uid 0
still owns /proc/sys), so for root this file is also run as a script: it becomes uid 41000, then the command. Where a
folder on the way to a needed path is closed to others (a Python under /root), the script first makes a mount namespace
of its own, puts an empty file system over that folder and binds only the needed path back to its place. The
machine's own view does not change, and the mounts vanish with the command. Knows nothing of what the command is.
"""

import ctypes
import os
import sys
from pathlib import Path

SANDBOX_UID = 41000
CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_PRIVATE, MS_NOSUID, MS_NODEV = 4096, 16384, 1 << 18, 2, 4


def as_unprivileged(command: list[str], paths: list[Path]) -> list[str]:
    """Builds the argument list that runs `command` without root's rights, with each of `paths` readable to it."""
    if os.getuid() != 0:
        return command
    return [sys.executable, "-I", "-S", str(Path(__file__).resolve()), *map(str, paths), "--", *command]


def give_to_sandbox(path: Path) -> None:
    """Makes the sandbox's user the owner of `path`, where that is another user than this process's."""
    if os.getuid() == 0:
        os.chown(path, SANDBOX_UID, SANDBOX_UID)


def first_closed_folder(path: Path) -> Path | None:
    """Finds the outermost folder above `path` that others may not enter."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001), None)


def mount(source: str, target: Path, kind: str, flags: int, options: str = "") -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), os.fsencode(target), kind.encode(), flags, options.encode()) < 0:
        raise OSError(ctypes.get_errno(), f"cannot mount on {target}: {os.strerror(ctypes.get_errno())}")


def open_the_way(paths: list[Path]) -> None:
    """Makes every path reachable for others, in a mount namespace of this process's own."""
    wanted = [path for path in dict.fromkeys([*paths, *(path.resolve() for path in paths)]) if path.exists()]
    if all(first_closed_folder(path) is None for path in wanted):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) < 0:
        raise OSError(ctypes.get_errno(), "root may not make a mount namespace (a container without CAP_SYS_ADMIN?)")
    mount("none", Path("/"), "none", MS_REC | MS_PRIVATE)
    held = {path: os.open(path, os.O_PATH) for path in wanted}  # reachable through these once the folder is covered
    for path in sorted(wanted, key=lambda p: len(p.parts)):
        while path.exists() and (closed := first_closed_folder(path)):
            mount("tmpfs", closed, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
        if not path.exists():
            if os.path.isdir(f"/proc/self/fd/{held[path]}"):  # noqa: PTH112 - a descriptor, not a path
                path.mkdir(parents=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            mount(f"/proc/self/fd/{held[path]}", path, "none", MS_BIND | MS_REC)
    for descriptor in held.values():
        os.close(descriptor)


def main() -> None:
    separator = sys.argv.index("--")
    paths, command = [Path(path) for path in sys.argv[1:separator]], sys.argv[separator + 1 :]
    os.umask(0o022)
    open_the_way(paths)
    os.setgroups([])
    os.setresgid(SANDBOX_UID, SANDBOX_UID, SANDBOX_UID)
    os.setresuid(SANDBOX_UID, SANDBOX_UID, SANDBOX_UID)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"cannot become the unprivileged user {SANDBOX_UID}: {error}")
