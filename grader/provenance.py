"""Where a number comes from: command, hardware, versions, commit, date."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

import etude


def provenance(command: str, device: str) -> str:
    """Where a number comes from, in one line."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "numpy"))
    return (
        f"{command}; {hardware(device)}; Python {platform.python_version()}, {versions}; commit {commit()}; "
        f"{datetime.now(UTC):%Y-%m-%d}"
    )


def hardware(device: str) -> str:
    """The processor, or the GPU if one is used, in words."""
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


@cache
def code() -> str:
    """The hash of the grader's code and the student's library's: a verdict depends on both."""
    folders = (Path(__file__).parent, Path(etude.__file__).parent)
    total = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        total.update(path.read_bytes())
    return total.hexdigest()


def commit() -> str:
    """The commit of the course, with + if files differ from it."""
    root = Path(__file__).parent
    try:
        name = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(
            ["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name}{'+' if changed else ''}"


def digest(*parts: bytes | str) -> str:
    """sha256 of the parts, each with its length, so that moving a byte from one to the next changes it."""
    total = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        total.update(len(content).to_bytes(8, "little") + content)
    return total.hexdigest()


def versions() -> dict[str, str]:
    """Versions that a score depends on."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in ("etude", "torch", "numpy", "papermill")},
    }


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
