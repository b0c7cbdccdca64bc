"""What this machine has of what the course needs: `examine()` looks, `show()` prints one screen.

Each thing looked at is one Finding. Only a missing necessity makes the machine unfit; the rest is told as it is, with
what to do about it. This module must run where things are broken, so it imports the heavy or optional ones (torch,
matplotlib, the data module) only where it looks at them. It changes nothing and downloads nothing.
"""

import importlib
import importlib.util
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from rich.console import Console
from rich.markup import escape
from rich.table import Table

Status = Literal["ok", "differs", "absent", "missing"]
COLOURS = {"ok": "green", "differs": "yellow", "absent": "yellow", "missing": "red"}
PYTHON = (3, 11)
SHOWN_EXTRAS = ("jupyterlab", "nbgrader", "papermill")  # useful to know in a bug report, needed by no student
GIB = 2**30


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `missing` is necessary and not there; `absent` is optional; `differs` is another version."""

    section: str
    name: str
    value: str
    status: Status = "ok"
    remedy: str = ""


def examine() -> list[Finding]:
    """Looks at the whole machine, in the order in which it is shown."""
    return [*_system(), *_packages(), *_device(), *_fonts(), *_data()]


def healthy(findings: list[Finding]) -> bool:
    """Tells whether nothing necessary is missing."""
    return all(finding.status != "missing" for finding in findings)


def show(findings: list[Finding], console: Console) -> None:
    """Prints the findings as one table, then what is missing and how to get it."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    section = ""
    for finding in findings:
        heading = "" if finding.section == section else f"[bold]{finding.section}[/]"
        section = finding.section
        table.add_row(heading, finding.name, escape(finding.value), _mark(finding))
    console.print(table)
    for finding in findings:
        if finding.remedy:
            console.print(f"{_mark(finding)} {finding.name}: {escape(finding.remedy)}", highlight=False, soft_wrap=True)
    console.print(
        "[green]This machine is ready.[/]" if healthy(findings) else "[red]Something necessary is missing.[/]"
    )


def _mark(finding: Finding) -> str:
    return f"[{COLOURS[finding.status]}]{finding.status}[/]"


def constraints_file() -> Path | None:
    """Finds constraints.txt of the checkout that etude runs from, else of the current folder; None if there is none."""
    folders = (Path(__file__).resolve().parents[1], Path.cwd())
    return next((folder / "constraints.txt" for folder in folders if (folder / "constraints.txt").is_file()), None)


def _system() -> Iterator[Finding]:
    version = platform.python_version()
    if tuple(map(int, platform.python_version_tuple()[:2])) >= PYTHON:
        yield Finding("system", "Python", version)
    else:
        wanted = ".".join(map(str, PYTHON))
        yield Finding("system", "Python", version, "missing", f"install Python {wanted} or newer")
    yield Finding("system", "OS", platform.platform())


def _pins() -> dict[str, str]:
    """Reads the tested version of each package in constraints.txt, by canonical name; none without the file."""
    file = constraints_file()
    lines = file.read_text(encoding="utf-8").splitlines() if file else []
    pairs = (line.split("#")[0].strip().split("==") for line in lines)
    return {canonicalize_name(pair[0]): pair[1] for pair in pairs if len(pair) == 2}


def _packages() -> Iterator[Finding]:
    """Looks at what `etude` requires of every student, then at a few extras where they are installed."""
    try:
        requirements = [Requirement(line) for line in metadata.requires("etude") or []]
    except metadata.PackageNotFoundError:
        yield Finding("packages", "etude", "not installed", "missing", "pip install -e . in the course's folder")
        return
    pins = _pins()
    for requirement in requirements:
        necessary = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if necessary or (requirement.name in SHOWN_EXTRAS and importlib.util.find_spec(requirement.name)):
            yield _package(requirement, pins)


def _package(requirement: Requirement, pins: dict[str, str]) -> Finding:
    name, pin = requirement.name, pins.get(canonicalize_name(requirement.name))
    try:
        installed = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding("packages", name, "not installed", "missing", f'pip install "{name}{requirement.specifier}"')
    if not requirement.specifier.contains(installed, prereleases=True):
        remedy = f'pip install --upgrade "{name}{requirement.specifier}"'
        return Finding("packages", name, f"{installed}, needs {requirement.specifier}", "missing", remedy)
    if pin is None:
        return Finding("packages", name, installed)
    if Version(installed).public == Version(pin).public:
        return Finding("packages", name, f"{installed}, as tested")
    remedy = f"tested with {pin}; if results differ, pip install {name}=={pin}"
    return Finding("packages", name, f"{installed}, tested with {pin}", "differs", remedy)


def _device() -> Iterator[Finding]:
    cores = os.cpu_count()
    try:
        import torch
    except (ImportError, OSError) as error:  # OSError: a shared library of torch does not load
        yield Finding("device", "torch", f"cannot be imported: {error}", "missing", "reinstall torch: see pytorch.org")
    else:
        if torch.cuda.is_available():
            free, total = torch.cuda.mem_get_info()
            memory = f"{free / GIB:.1f} of {total / GIB:.1f} GiB free"
            yield Finding("device", "device", f"cuda: {torch.cuda.get_device_name()}, {memory}")
        elif torch.backends.mps.is_available():
            yield Finding("device", "device", f"mps: {platform.machine()}, shares the memory below")
        else:
            yield Finding("device", "device", f"cpu: {platform.processor() or platform.machine()}")
        yield Finding("device", "threads", f"torch uses {torch.get_num_threads()} of {cores} cores")
    yield Finding("device", "memory", _memory())


def _memory() -> str:
    if importlib.util.find_spec("psutil"):
        memory = importlib.import_module("psutil").virtual_memory()
        return f"{memory.available / GIB:.1f} of {memory.total / GIB:.1f} GiB free"
    try:
        page = os.sysconf("SC_PAGE_SIZE")
        free, total = page * os.sysconf("SC_AVPHYS_PAGES"), page * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf, macOS no count of free pages
        return "unknown (pip install psutil to see it)"
    return f"{free / GIB:.1f} of {total / GIB:.1f} GiB free"


def _fonts() -> Iterator[Finding]:
    try:
        from etude import fonts
    except ImportError:
        return  # matplotlib is already told as missing
    font = fonts.korean_font()
    if font:
        yield Finding("plots", "Korean font", font)
    else:
        yield Finding("plots", "Korean font", "none", "absent", fonts.hint())


def _data() -> Iterator[Finding]:
    """Looks at the cache, the mirror and the corpora.

    The embedded world needs no file, so a corpus that is not here is absent, never missing.
    """
    try:
        from etude.corpora import datasets
    except (ImportError, OSError) as error:  # OSError: the tables in data/ are not where the installation says
        yield Finding("data", "corpora", f"cannot be read: {error}", "missing", "install etude again: pip install -e .")
        return
    yield Finding("data", "cache", str(datasets.cache_folder()))
    mirror = datasets.mirror_folder()
    if mirror and not mirror.is_dir():
        yield Finding("data", "mirror", f"{mirror} is no folder", "absent", "correct or unset ETUDE_MIRROR")
    else:
        yield Finding("data", "mirror", str(mirror) if mirror else "none (ETUDE_MIRROR is not set)")
    names = datasets.names()
    corpora = sorted({name.split("/")[0] for name in names})
    lacking = {name.split("/")[0] for name in names if not datasets.available(name)}
    if not lacking:
        yield Finding("data", "corpora", f"all {len(corpora)}")
        return
    here = [corpus for corpus in corpora if corpus not in lacking]
    value = f"{len(here)} of {len(corpora)}" + (f": {', '.join(here)}" if here else "")
    remedy = (
        f"not here: {', '.join(sorted(lacking))}. Every lesson runs without them on the embedded world; to get them, "
        "etude data fetch NAME or --all, or set ETUDE_MIRROR"
    )
    yield Finding("data", "corpora", value, "absent", remedy)
