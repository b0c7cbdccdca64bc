"""Can this machine run the sandbox? Each thing missing is one line that says how to get it.

The answer comes from trying: bubblewrap with the options that are used later, the interpreter as the user who runs it.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox import seccomp
from grader.sandbox.bwrap import interpreter_paths
from grader.sandbox.privileges import SANDBOX_UID, as_unprivileged, give_to_sandbox

TOOLS = {"bwrap": "bubblewrap", "prlimit": "util-linux", "setsid": "util-linux"}
TOOLS |= {"sh": "dash", "cp": "coreutils", "sleep": "coreutils"}
SWITCHES = {  # a kernel setting that forbids user namespaces: (the value that forbids, what to do)
    "/proc/sys/kernel/unprivileged_userns_clone": ("0", "sysctl kernel.unprivileged_userns_clone=1"),
    "/proc/sys/user/max_user_namespaces": ("0", "sysctl user.max_user_namespaces=10000"),
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile with 'userns,' for bwrap",
    ),
}
MINIMAL = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"]
MINIMAL += ["--ro-bind", "/usr", "/usr"]
MINIMAL += ["--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin"]
MINIMAL += ["--proc", "/proc", "--dev", "/dev", "--size", "4096", "--tmpfs", "/tmp", "--", "/bin/sh", "-c", ":"]


@dataclass(frozen=True)
class Problem:
    """One thing that keeps the sandbox from working, and what to do about it."""

    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}: {self.remedy}"


def attempt(command: list[str]) -> str | None:
    """Runs `command` and gives what it said when it failed (its last line); None if it worked."""
    try:
        done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]


def check_bubblewrap() -> Problem | None:
    error = attempt(as_unprivileged(MINIMAL, []))
    if error is None:
        return None
    if "nknown option" in error:
        return Problem(f"bubblewrap is too old ({error})", "install 0.8 or newer")
    for file, (forbidding, remedy) in SWITCHES.items():
        if Path(file).is_file() and Path(file).read_text().strip() == forbidding:
            return Problem(f"user namespaces are switched off ({error})", remedy)
    return Problem(
        f"bubblewrap cannot make a sandbox here ({error})",
        "inside a container, allow user namespaces and mounts (docker run --security-opt seccomp=unconfined "
        "--security-opt systempaths=unconfined), or run the grader outside it",
    )


def check_interpreter() -> Problem | None:
    error = attempt(as_unprivileged([sys.executable, "-c", "import ipykernel"], interpreter_paths()))
    if error is None:
        return None
    if "ipykernel" in error:
        return Problem(f"{sys.executable} has no ipykernel ({error})", "pip install 'etude[grader]'")
    return Problem(
        f"{sys.executable} cannot be run by the unprivileged user {SANDBOX_UID} ({error})",
        "make the environment readable for everyone (chmod -R go+rX), put Python where everyone may read (/opt), "
        "or run the grader as an ordinary user",
    )


def check_temporary_folder() -> Problem | None:
    with tempfile.TemporaryDirectory(prefix="etude-") as name:
        folder = Path(name)
        give_to_sandbox(folder)
        error = attempt(as_unprivileged(["/bin/sh", "-c", f'test -r "{folder}"'], [folder]))
    return Problem(f"{folder.parent} cannot be read by the sandbox ({error})", "set TMPDIR=/tmp") if error else None


def check_sandbox() -> list[Problem]:
    """Finds what keeps the sandbox from working on this machine; empty if nothing does. Takes about a second."""
    if platform.system() != "Linux":
        return [
            Problem(f"the sandbox needs Linux, this is {platform.system()}", "use WSL or a virtual machine with Linux")
        ]
    try:
        seccomp.architecture()
    except OSError as error:
        return [Problem(str(error), "grade on such a machine")]
    problems = [
        Problem(f"{package} is not installed (no {tool} on PATH)", f"apt-get install {package}")
        for tool, package in TOOLS.items()
        if not shutil.which(tool)
    ]
    if not problems:
        checks = (check_bubblewrap(), check_interpreter(), check_temporary_folder())
        problems += [problem for problem in checks if problem]
    return problems
