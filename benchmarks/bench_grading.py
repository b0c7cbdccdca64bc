"""Benchmark of grading: one class by plain `nbgrader autograde`, by `grader autograde`, and its cells alone, in one run.

The class is a course of nbgrader's own: each student hands in three notebooks that train with an optimiser, some answers
wrong. The floor under any grader is the time that the cells alone take, in as many plain Python processes as there are
jobs, which have imported everything and used an optimiser before. Beside these it measures how long a warm and a cold
kernel take to their first reply, and the memory of each of several running warm kernels. It knows nothing of lessons.
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import shlex
import shutil
import statistics
import sys
import tempfile
import time
import warnings
from contextlib import ExitStack
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Annotated, Any

import nbformat
import typer
from bench_class import IMPORTS, NOTEBOOKS, SHOWN, TRAIN, make_course, source, timed
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook
from rich.console import Console
from rich.table import Table

from grader.kernels.runner import run_notebook
from grader.kernels.session import KernelSession
from grader.provenance import head
from grader.settings import COLD, WARM, Settings, ready

LATEST = Path("build/bench/grading.json")
GOALS = {"speedup": 6.0, "over_floor": 1.3, "warm_over_cold": 1 / 6, "own_memory_mb": 250.0}
KERNELS = 4  # that run at the same time while their memory is read
STARTS = 5

console = Console()


def scores(root: Path) -> dict[str, dict[str, float | None]]:
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}", "bench") as book:
        return {
            submission.student.id: {
                f"{book.name}: {grade.name}": grade.auto_score for book in submission.notebooks for grade in book.grades
            }
            for submission in book.assignment_submissions("hw")
        }


def run_cells(path: Path) -> None:
    """Run a notebook's cells in this process, one after another whatever they raise."""
    space: dict[str, Any] = {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                exec(cell.source, space)


def get_ready(meeting: Barrier) -> None:
    """Make this process one that has imported all that the cells use, and has used it; one thread."""
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # some answers are wrong
    for begin, _ in NOTEBOOKS.values():
        with contextlib.redirect_stdout(io.StringIO()):
            exec(f"{IMPORTS}\n{begin}\n{TRAIN[1]}\nlosses = train(*begin(), 10)\n{SHOWN}", {})
    meeting.wait()


def floor_seconds(paths: list[Path], jobs: int) -> float:
    """Seconds that the cells of all notebooks take in `jobs` plain processes, from when the last of them is ready."""
    context = multiprocessing.get_context("spawn")
    meeting = context.Barrier(jobs + 1)
    with context.Pool(jobs, get_ready, (meeting,)) as pool:
        meeting.wait()
        started = time.monotonic()
        pool.map(run_cells, paths, chunksize=1)
        return time.monotonic() - started


def first_reply(kernel: str) -> float:
    """Seconds from asking for a kernel to the reply of its first cell, the imports."""
    notebook = new_notebook(cells=[new_code_cell(IMPORTS)])
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        with KernelSession(folder, kernel, limits={}) as session:
            report = run_notebook(notebook, session, parameters={}, cell_timeout=60, notebook_timeout=60)
            seconds = time.monotonic() - started
        if [cell.status for cell in report.cells] != ["ok", "ok"]:
            raise RuntimeError(f"{kernel}: {report.reason or report.cells}")
    return seconds


def own_memory() -> list[float]:
    """MB of its own (private pages) of each of several warm kernels that have run the assignment at the same time."""
    notebook = source(*NOTEBOOKS["regression"], steps=10)
    with ExitStack() as stack:
        sessions = []
        for _ in range(KERNELS):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            sessions.append(stack.enter_context(KernelSession(folder, WARM, limits={})))
            run_notebook(notebook, sessions[-1], parameters={}, cell_timeout=60, notebook_timeout=60)
        return [private_mb(session.provisioner.sandbox.first_pid) for session in sessions]


def private_mb(holder: int) -> float:
    """MB of private pages of all processes in the pid namespace of `holder`."""
    inside = Path(f"/proc/{holder}/ns/pid").readlink()
    kilobytes = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "ns" / "pid").readlink() == inside:
                lines = (process / "smaps_rollup").read_text().splitlines()
                kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
    return kilobytes / 1024


def main(
    submissions: Annotated[int, typer.Option(min=1, help="How many students hand in three notebooks each.")] = 24,
    jobs: Annotated[
        int, typer.Option(min=1, help="How many notebooks at a time, by the grader and for the floor.")
    ] = 2,
    steps: Annotated[int, typer.Option(min=10, help="Training steps of each notebook.")] = 6000,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = LATEST,
) -> None:
    """Grade the same class by nbgrader alone and by the grader, run its cells alone, and compare.

    \b
    python benchmarks/bench_grading.py                       (ten minutes or more; build/bench/grading.json)
    python benchmarks/bench_grading.py --submissions 2       (a quick look)
    """
    if missing := ready(Settings()):
        raise typer.BadParameter("\n".join(missing))
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        theirs, ours = Path(name) / "nbgrader", Path(name) / "grader"
        console.print(f"{submissions} submissions are being made")
        make_course(theirs, submissions, steps)
        shutil.copytree(theirs, ours)
        console.print("nbgrader autograde")
        plain_seconds = timed(theirs, "nbgrader", "autograde", "hw")
        paths = sorted((theirs / "autograded").glob("*/hw/*.ipynb"))  # with the hidden tests
        console.print(f"  {plain_seconds:.1f} s\nthe cells alone, before")
        floors = [floor_seconds(paths, jobs)]
        console.print(f"  {floors[0]:.1f} s\ngrader autograde --jobs {jobs}")
        our_seconds = timed(ours, "grader", "autograde", "hw", "--jobs", str(jobs))
        console.print(f"  {our_seconds:.1f} s\nthe cells alone, after")
        floors.append(floor_seconds(paths, jobs))
        console.print(f"  {floors[1]:.1f} s")
        agree = scores(theirs) == scores(ours)
        points = sorted({sum(value or 0 for value in one.values()) for one in scores(ours).values()})
    console.print("kernels")
    first_reply(WARM)  # starts the process that warm kernels are forked from
    warm, cold = ([first_reply(kernel) for _ in range(STARTS)] for kernel in (WARM, COLD))
    memory = own_memory()
    figures = {
        "speedup": plain_seconds / our_seconds,
        "over_floor": our_seconds / statistics.mean(floors),
        "warm_over_cold": statistics.median(warm) / statistics.median(cold),
        "own_memory_mb": max(memory),
    }
    met = {key: value >= GOALS[key] if key == "speedup" else value <= GOALS[key] for key, value in figures.items()}
    report = {
        **head(shlex.join(["python", *sys.argv]), "pandas", "nbgrader", "ipykernel", "jupyter_client"),
        "load": os.getloadavg()[0],
        "submissions": submissions,
        "notebooks": len(paths),
        "jobs": jobs,
        "seconds": {
            "nbgrader": plain_seconds,
            "grader": our_seconds,
            "cells_alone_before": floors[0],
            "cells_alone_after": floors[1],
        },
        "submissions_per_minute": {
            "nbgrader": 60 * submissions / plain_seconds,
            "grader": 60 * submissions / our_seconds,
        },
        "first_reply_seconds": {"warm": warm, "cold": cold},
        "own_memory_mb": memory,
        "scores_agree": agree,
        "points": points,
        "figures": figures,
        "goals": GOALS,
        "met": met,
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    show(report)
    if not agree:
        raise typer.Exit(1)


def show(report: dict[str, Any]) -> None:
    names = {
        "speedup": "times as many submissions a minute as nbgrader",
        "over_floor": "batch time over that of the cells alone",
        "warm_over_cold": "first reply of a warm kernel over a cold one's",
        "own_memory_mb": "MB of its own, of a running warm kernel, at most",
    }
    table = Table("", "measured", "goal", "met")
    for key, name in names.items():
        sign = ">=" if key == "speedup" else "<="
        table.add_row(
            name,
            f"{report['figures'][key]:.2f}",
            f"{sign} {report['goals'][key]:.2f}",
            "yes" if report["met"][key] else "no",
        )
    console.print(table)
    rate = report["submissions_per_minute"]
    agreed = "all scores agree" if report["scores_agree"] else "the scores do not agree"
    console.print(f"submissions a minute: nbgrader {rate['nbgrader']:.1f}, grader {rate['grader']:.1f}; {agreed}")


if __name__ == "__main__":
    typer.run(main)
