"""Where a number comes from, command, hardware, versions, commit and date; and what decides it, as one hash."""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any

import etude

DRAWN = ("grader.lessons.generated", "grader.lessons.inputs")  # what hidden checks draw their inputs with
ROOT = Path(etude.__file__).parents[1]  # of both packages


def provenance(command: str, device: str, course: Path = ROOT) -> str:
    """Says in one line where a number comes from.

    Args:
        course: the folder whose commit is named.
    """
    versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "numpy"))
    return (
        f"{command}; {hardware(device)}; Python {platform.python_version()}, {versions}; commit {commit(course)}; "
        f"{datetime.now(UTC):%Y-%m-%d}"
    )


def head(command: str, *libraries: str, course: Path = ROOT) -> dict[str, Any]:
    """Gives the head of a recorded run: command, commit of the course's folder, hardware, when, versions.

    Args:
        libraries: packages whose versions are wanted too.
    """
    return {
        "command": command,
        "commit": commit(course),
        "hardware": hardware("cpu"),
        "versions": versions() | {name: version(name) for name in libraries},
        "when": now(),
    }


def hardware(device: str) -> str:
    """Names the processor, or the GPU if one is used, in words."""
    if device != "cpu":
        import torch

        if torch.cuda.is_available():
            return torch.cuda.get_device_name()
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        model = next(
            (line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")),
            model,
        )
    return f"{os.cpu_count()} cores {model}"


def fingerprint(*facts: object, code: Iterable[Path] = (), data: Iterable[Path] = ()) -> str:
    """Hashes all that decides a result. While it stays the same, the result is not made again.

    Args:
        facts: settings, versions, texts, by their repr.
        code: Python files; comments and docstrings decide nothing.
        data: other files, to the byte, each with its name.
    """
    parts = [*map(repr, facts), *(bare(path.read_text(encoding="utf-8")) for path in code)]
    return digest(*parts, *(part for path in data for part in (path.name, path.read_bytes())))


def modules(*rooms: str) -> list[Path]:
    """Lists the files of these packages and modules of ours ("etude", "grader.grading", "grader.course"), in order."""
    files: set[Path] = set()
    for room in rooms:
        path = ROOT.joinpath(*room.split("."))
        files.update(path.rglob("*.py") if path.is_dir() else [path.with_suffix(".py")])
    return sorted(files)


@cache
def code_hash(*rooms: str) -> str:
    """Hashes what `modules` gives for these, read once a process, which goes on with the code that it has loaded."""
    return fingerprint(code=modules(*rooms))


def imported(paths: Iterable[Path]) -> list[Path]:
    """Lists the modules that decide what these files do, of the student's library and of the kit for drawn inputs, in order.

    These are the modules that the files import, and those that these import.
    """
    finder = ModuleFinder(path=[str(ROOT)])
    for path in paths:
        finder.run_script(str(path))
    ours = [module for name, module in finder.modules.items() if name.startswith("etude") or name in DRAWN]
    files = [getattr(module, "__file__", None) for module in ours]
    return sorted(Path(file) for file in files if file)


@cache
def bare(text: str) -> str:
    """Strips Python of its comments and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Pass()
    return ast.unparse(tree)


def commit(course: Path = ROOT) -> str:
    """Names the commit of a course's folder, with + if files differ from it; "unknown" where there is no repository."""
    try:
        name = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=course, capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(
            ["git", "status", "--porcelain"], cwd=course, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name}{'+' if changed else ''}"


def digest(*parts: bytes | str) -> str:
    """Hashes the parts with sha256, each with its length, so that moving a byte from one to the next changes the hash."""
    total = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        total.update(len(content).to_bytes(8, "little") + content)
    return total.hexdigest()


def versions() -> dict[str, str]:
    """Gives the versions that a score depends on."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in ("etude", "torch", "numpy", "papermill", "hypothesis")},
    }


def libraries() -> str:
    """Names the libraries that decide what a check sees, with their versions.

    What tells only the build of one is left out: the +cpu of 2.13.0+cpu, the last 7 of Python 3.11.7.
    """
    numbers = {name: version.partition("+")[0] for name, version in versions().items()}
    some = ", ".join(f"{name} {numbers[name]}" for name in ("torch", "numpy", "hypothesis"))
    return f"Python {'.'.join(numbers['python'].split('.')[:2])}, {some}"


def now() -> str:
    """Returns the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
