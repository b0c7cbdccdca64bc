"""What the inside of a sandbox looks like: bubblewrap's argument list, and nothing that runs.

A fresh namespace of every kind, no capabilities, no way to make another user namespace; the system, the interpreter
and the visible folders read-only; all that is writable lies in memory, of bounded size, and is gone with the sandbox.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.limits import MB, Limits

HOME = Path("/home/student")
WORK = HOME / "work"  # where the notebook runs: a copy of the submission
SUBMISSION = Path("/submission")  # the submission itself, read-only
UID_INSIDE = 1000
SOCKETS_MB = 1
SYSTEM = [Path(p) for p in ("/usr", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/fonts")]
PACKAGE = Path(__file__).resolve().parents[1]  # the grader's own code, never to be seen inside
STUDENT_PACKAGES = ("etude", "etude_data")


@dataclass(frozen=True)
class Layout:
    """The folders of one sandbox. Paths are the machine's; all but `submission` have the same path inside.

    `sockets` is where an empty file system for unix sockets appears inside; `connection_file` is jupyter's, read-only;
    `visible` holds further read-only folders, such as the student's library. The files of `given` appear in the kernel's own
    folder, beside the submission's; none can be written, removed or replaced.
    """

    submission: Path
    sockets: Path
    connection_file: Path
    visible: tuple[Path, ...] = ()
    given: Path | None = None


def student_packages() -> list[str]:
    """Finds the folders of the student's library and its data, wherever they are installed."""
    specs = [importlib.util.find_spec(name) for name in STUDENT_PACKAGES]
    return [folder for spec in specs if spec for folder in spec.submodule_search_locations or []]


def interpreter_paths() -> list[Path]:
    """Lists the folders that hold the running interpreter and its environment, outermost first, /usr left out."""
    candidates = [Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent.parent]
    paths: list[Path] = []
    for path in sorted(dict.fromkeys(candidates), key=lambda p: len(p.parts)):
        if not any(path.is_relative_to(other) for other in [*paths, Path("/usr")]):
            paths.append(path)
    return paths


def environment(limits: Limits) -> dict[str, str]:
    """Builds the whole environment of a kernel; nothing is inherited.

    The hash seed is fixed, so that the order of a set of strings is the same in every run, cold or warm.
    """
    threads = str(limits.threads)
    return {
        "PATH": f"{sys.prefix}/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(HOME),
        "USER": "student",
        "LOGNAME": "student",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "OMP_WAIT_POLICY": "passive",  # a waiting thread that spins takes the core of another kernel
        "ETUDE_OFFLINE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # ipykernel's debugger would warn of Python's frozen modules,
        "PYDEVD_USE_FRAME_EVAL": "NO",  # and sets this while it is imported, which a warm kernel has behind it
    }


def readable_paths(layout: Layout) -> list[Path]:
    """Lists what the unprivileged user has to be able to read on the machine's side."""
    given = [layout.given] if layout.given else []
    return [*interpreter_paths(), *layout.visible, layout.submission, *given, layout.connection_file]


def sized_tmpfs(megabytes: int, path: Path | str) -> list[str]:
    return ["--size", str(megabytes * MB), "--tmpfs", str(path)]


def arguments(limits: Limits, layout: Layout, seccomp_fd: int, info_fd: int, command: list[str]) -> list[str]:
    """Builds the command line that runs `command` inside a new sandbox.

    Args:
        seccomp_fd: the descriptor from which `bwrap` reads the seccomp program.
        info_fd: the descriptor to which `bwrap` writes its child's pid, as JSON.
    """
    shown = [*SYSTEM, *interpreter_paths(), *layout.visible]
    args = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]
    args += ["--uid", str(UID_INSIDE), "--gid", str(UID_INSIDE), "--cap-drop", "ALL", "--hostname", "sandbox"]
    for name in ("lib", "lib64", "bin", "sbin"):
        args += ["--symlink", f"usr/{name}", f"/{name}"]
    args += ["--proc", "/proc", "--dev", "/dev", *sized_tmpfs(limits.tmp_mb, "/dev/shm")]
    if limits.gpu:
        for device in sorted(Path("/dev").glob("nvidia*")):
            args += ["--dev-bind", str(device), str(device)]
    args += ["--remount-ro", "/dev", *sized_tmpfs(limits.tmp_mb, "/tmp"), *sized_tmpfs(limits.work_mb, HOME)]
    args += ["--dir", str(WORK)]
    if layout.given:
        for file in sorted(filter(Path.is_file, layout.given.rglob("*"))):
            args += ["--ro-bind", str(file), str(WORK / file.relative_to(layout.given))]
    for path in shown:
        args += ["--ro-bind-try", str(path), str(path)]
    if any(PACKAGE.is_relative_to(path) for path in shown):  # installed beside the student's library: cover it
        args += [*sized_tmpfs(1, PACKAGE), "--remount-ro", str(PACKAGE)]
    args += ["--ro-bind", str(layout.submission), str(SUBMISSION)]
    args += sized_tmpfs(SOCKETS_MB, layout.sockets)
    args += ["--ro-bind", str(layout.connection_file), str(layout.connection_file)]
    args += ["--remount-ro", "/", "--chdir", str(WORK), "--seccomp", str(seccomp_fd), "--info-fd", str(info_fd)]
    args += ["--clearenv"]
    for name, value in environment(limits).items():
        args += ["--setenv", name, value]
    return [*args, "--", *command]
