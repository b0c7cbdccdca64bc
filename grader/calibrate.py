"""`grader calibrate`: expected.csv measured, not guessed. Runs the reference over many seeds and writes, for each metric of
the profile, mean, standard deviation and the tolerance interval in which a right answer falls.

The interval is a normal tolerance interval: with CONFIDENCE it covers the share COVERAGE of all seeds (one-sided where
only one side is bad). It states its own provenance: command, seeds, hardware, versions, commit.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import nbformat
import numpy as np
import toleranceinterval

import etude
from etude import table
from grader import metrics
from grader.artifacts import Artifacts
from grader.build import write_master
from grader.course import CourseError, Lesson
from grader.reference import run_reference
from grader.verdict import digest, versions

COVERAGE, CONFIDENCE = 0.99, 0.95
FEWEST_SEEDS = 5
FIRST_SEED = 1000  # the seeds on which a lesson's settings were chosen are small numbers: none of them is reported


def calibrate(
    lesson: Lesson, profile: str, seeds: int, device: str, say: Callable[[str], None]
) -> list[table.Expected]:
    """Measures one profile of one lesson and writes its rows of expected.csv. Raises CourseError."""
    if seeds < FEWEST_SEEDS:
        raise CourseError(f"{seeds} seeds say too little about the spread: give at least {FEWEST_SEEDS}")
    write_master(lesson)
    values: dict[str, list[float]] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        found = _of_seed(lesson, profile, seed, device)
        for name, value in found.items():
            values.setdefault(name, []).append(value)
        say(f"seed {seed}: " + ", ".join(f"{name} {value:.4g}" for name, value in found.items()))
    path = lesson.source / "expected.csv"
    origin = provenance(f"grader calibrate {lesson.id} --profile {profile} --seeds {seeds}", device)
    rows = [
        _measured(row, values[row.metric], origin) if row.profile == profile and row.metric in values else row
        for row in table.read(path)
    ]
    table.write(path, rows)
    return [row for row in rows if row.profile == profile]


def _of_seed(lesson: Lesson, profile: str, seed: int, device: str) -> dict[str, float]:
    """The metrics of one seed; taken from an earlier call that was cut, if nothing that decides them has changed."""
    decisive = inputs(lesson, device)
    kept = lesson.course.build / "runs" / lesson.id / f"{profile}-seed{seed}" / "calibrated.json"
    if kept.is_file():
        stored = json.loads(kept.read_text(encoding="utf-8"))
        if stored["inputs"] == decisive:
            return stored["metrics"]
    run = run_reference(lesson, profile, seed, device)
    found = {**run.metrics, **graded(lesson, run.results, seed)}
    kept.write_text(json.dumps({"inputs": decisive, "metrics": found}, indent=1), encoding="utf-8")
    return found


def inputs(lesson: Lesson, device: str, answer: str = "") -> str:
    """The hash of all that decides the metrics of a run: the code of notebook, hidden checks and library, the versions."""
    library = sorted(Path(etude.__file__).parent.rglob("*.py"))
    code = [cell.source for cell in nbformat.read(lesson.master, as_version=4).cells if cell.cell_type == "code"]
    files = [path.read_bytes() for path in (lesson.source / "hidden.py", *library)]
    return digest(*code, *files, answer, device, repr(versions()))


def graded(lesson: Lesson, results: Path, seed: int) -> dict[str, float]:
    """The metrics as the grader computes them. A reference whose artifacts do not suffice is the lesson's fault."""
    computed = metrics.compute(metrics.collect(lesson.source / "hidden.py"), Artifacts(results, seed))
    for name, (value, reason) in computed.items():
        if value is None:
            raise CourseError(f"{lesson.id}, seed {seed}: the grader cannot compute {name}: {reason}")
    return {name: value for name, (value, _) in computed.items() if value is not None}


def _measured(row: table.Expected, values: Iterable[float], origin: str) -> table.Expected:
    sample = np.array(list(values), dtype=float)
    low, high = interval(sample, row.better)
    return replace(
        row,
        mean=float(sample.mean()),
        sd=float(sample.std(ddof=1)),
        seeds=len(sample),
        low=low,
        high=high,
        provenance=origin,
    )


def interval(sample: np.ndarray, better: str) -> tuple[float, float]:
    """[low, high]: the tolerance bounds of a normal sample (n,), one-sided on the bad side, two-sided for "near".

    The good side of a one-sided row is as far from the mean, so that the interval has a width by which points fall off.
    """
    mean = float(sample.mean())
    if better == "near":
        low, high = (float(x) for x in np.ravel(toleranceinterval.twoside.normal(sample, COVERAGE, CONFIDENCE)))
        return low, high
    tail = 1 - COVERAGE if better == "higher" else COVERAGE
    bound = float(np.ravel(toleranceinterval.oneside.normal(sample, tail, CONFIDENCE))[0])
    return min(bound, 2 * mean - bound), max(bound, 2 * mean - bound)


def provenance(command: str, device: str) -> str:
    """Where a number comes from, in one line."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "numpy"))
    return f"{command}; {hardware(device)}; Python {platform.python_version()}, {versions}; commit {commit()}; {datetime.now(UTC):%Y-%m-%d}"


def hardware(device: str) -> str:
    """The processor, or the GPU if one is used, in words."""
    import torch

    if device != "cpu" and torch.cuda.is_available():
        return torch.cuda.get_device_name()
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        model = next(
            (line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")),
            model,
        )
    return f"{os.cpu_count()} cores {model}"


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
