"""Benchmark of grading: the same class by plain `nbgrader autograde` and by `grader autograde`, in one run.

The class is a course of nbgrader's own: small torch notebooks with test cells, some answers wrong. Beside the two times it
measures what a batch is bound by (the cells' own run time in one process that has torch imported), how long a warm and a
cold kernel take to their first reply, and the memory of each of several running warm kernels. It knows nothing of lessons.
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import nbformat
import typer
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from rich.console import Console
from rich.table import Table

from grader.engine import run_notebook
from grader.kernel import KernelSession
from grader.provenance import commit, hardware
from grader.settings import COLD, WARM, Settings, ready

BIN = Path(sys.executable).parent
LATEST = Path("build/bench/grading.json")
GOALS = {"speedup": 6.0, "over_cells": 1.25, "warm_over_cold": 1 / 6, "own_memory_mb": 250.0}
KERNELS = 4  # that run at the same time while their memory is read
STARTS = 5
IMPORTS = "import numpy as np\nimport pandas as pd\nimport torch"

# The assignment: (name, reference answer, test cell, points).
TASKS = [
    (
        "standardise",
        "def standardise(x):\n    return (x - x.mean(0)) / x.std(0, unbiased=False)",
        "x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])\n"
        "assert torch.allclose(standardise(x), torch.tensor([[-1.0, -1.0], [1.0, 1.0]]))",
        2,
    ),
    (
        "softmax",
        "def softmax(x):\n    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)",
        "assert np.allclose(softmax(np.array([0.0, 0.0])), 0.5)\n"
        "### BEGIN HIDDEN TESTS\nassert np.allclose(softmax(np.array([1e4, 1e4])), 0.5)\n### END HIDDEN TESTS",
        3,
    ),
    (
        "means",
        "def means(table):\n    return table.groupby('word')['score'].mean().to_dict()",
        "table = pd.DataFrame({'word': ['a', 'b', 'a'], 'score': [1.0, 2.0, 3.0]})\n"
        "found = means(table)\n(found.get('a') == 2.0) + (found.get('b') == 2.0)",
        2,
    ),
    (
        "fit",
        """def fit(x, y, steps):
    weight = torch.zeros(x.shape[1], requires_grad=True)
    for _ in range(steps):
        loss = ((x @ weight - y) ** 2).mean()
        (gradient,) = torch.autograd.grad(loss, weight)
        weight = (weight - 0.1 * gradient).detach().requires_grad_()
    return weight.detach()""",
        "assert torch.allclose(fit(x, y, STEPS), truth, atol=0.01)",
        5,
    ),
]
DATA = "torch.manual_seed(0)\nx = torch.randn(4096, 32)\ntruth = torch.randn(32)\ny = x @ truth"
SHOWN = "print(pd.Series(fit(x, y, STEPS).numpy()).describe())"
WRONG = {
    "standardise": "def standardise(x):\n    return (x - x.mean(0)) / x.std(0)",
    "softmax": "def softmax(x):\n    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)",
    "means": "def means(table):\n    return {table['word'][0]: 2.0}",
}

console = Console()


def assignment(steps: int) -> nbformat.NotebookNode:
    """nbgrader's source notebook: for each task a cell to write and a cell that tests it."""
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = new_notebook(metadata={"kernelspec": spec})
    notebook.cells = [new_markdown_cell("# Small tasks with torch"), new_code_cell(IMPORTS)]
    for name, answer, test, points in TASKS:
        if name == "fit":
            notebook.cells.append(new_code_cell(f"STEPS = {steps}\n{DATA}"))
        rules: dict[str, Any] = {
            "schema_version": 3,
            "grade_id": name,
            "grade": False,
            "solution": True,
            "locked": False,
        }
        notebook.cells.append(
            new_code_cell(f"### BEGIN SOLUTION\n{answer}\n### END SOLUTION", metadata={"nbgrader": rules})
        )
        rules = {
            **rules,
            "grade_id": f"test_{name}",
            "grade": True,
            "solution": False,
            "locked": True,
            "points": points,
        }
        notebook.cells.append(new_code_cell(test, metadata={"nbgrader": rules}))
    notebook.cells.append(new_code_cell(SHOWN))
    return notebook


def answers(number: int) -> dict[str, str]:
    """Of four students two are right, one makes a mistake and one makes all of them."""
    right = {name: answer for name, answer, _, _ in TASKS}
    if number % 4 == 2:
        name = list(WRONG)[number // 4 % len(WRONG)]
        return right | {name: WRONG[name]}
    return right | (WRONG if number % 4 == 3 else {})


def make_course(root: Path, submissions: int, steps: int) -> None:
    """A course with one released assignment, handed in by that many students."""
    (root / "source" / "hw").mkdir(parents=True)
    (root / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'bench'\n")
    nbformat.write(assignment(steps), root / "source" / "hw" / "torch.ipynb")
    timed(root, "nbgrader", "generate_assignment", "hw")
    for number in range(submissions):
        notebook = nbformat.read(root / "release" / "hw" / "torch.ipynb", as_version=4)
        for cell in notebook.cells:
            cell.source = answers(number).get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
        folder = root / "submitted" / f"student{number:03d}" / "hw"
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / "torch.ipynb")


def timed(root: Path, *words: str) -> float:
    """Seconds that the command took, from its start to its end. Raises RuntimeError with its words if it failed."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    started = time.monotonic()
    done = subprocess.run(
        [str(BIN / words[0]), *words[1:]], cwd=root, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    seconds = time.monotonic() - started
    if done.returncode:
        raise RuntimeError(f"{shlex.join(words)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return seconds


def scores(root: Path) -> dict[str, dict[str, float | None]]:
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}", "bench") as book:
        return {
            submission.student.id: {
                grade.name: grade.auto_score for book in submission.notebooks for grade in book.grades
            }
            for submission in book.assignment_submissions("hw")
        }


def cells_seconds(paths: list[Path]) -> list[float]:
    """Seconds that each notebook's cells run for in this process, which has imported everything; one thread."""
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # some answers are wrong
    warm: dict[str, Any] = {}
    exec(f"{IMPORTS}\n{DATA}\n((x @ truth.requires_grad_()) ** 2).mean().backward()", warm)
    found = []
    for path in paths:
        space: dict[str, Any] = {}
        codes = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        started = time.perf_counter()
        for code in codes:
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                exec(code, space)
        found.append(time.perf_counter() - started)
    return found


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
    notebook = assignment(steps=10)
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
    submissions: Annotated[int, typer.Option(min=1, help="How many notebooks.")] = 24,
    jobs: Annotated[int, typer.Option(min=1, help="How many at a time; the cells' time is divided by it.")] = 2,
    steps: Annotated[int, typer.Option(min=10, help="Training steps of each fit; two fits a notebook.")] = 100,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = LATEST,
) -> None:
    """Grade the same class by nbgrader alone and by the grader, and compare.

    \b
    python ci/bench_grading.py                       (some minutes; build/bench/grading.json)
    python ci/bench_grading.py --submissions 6       (a quick look)
    python ci/bench_grading.py --steps 20000         (cells that train for seconds: what the batch adds to them)
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
        console.print(f"  {plain_seconds:.1f} s\ngrader autograde --jobs {jobs}")
        our_seconds = timed(ours, "grader", "autograde", "hw", "--jobs", str(jobs))
        console.print(f"  {our_seconds:.1f} s\nthe cells alone")
        paths = sorted((theirs / "autograded").glob("*/hw/torch.ipynb"))  # with the hidden tests
        context = multiprocessing.get_context("spawn")
        with context.Pool(1) as pool:
            cells = pool.apply(cells_seconds, (paths,))
        with context.Pool(jobs) as pool:
            together = sum(map(sum, pool.map(cells_seconds, [paths[job::jobs] for job in range(jobs)])))
        agree = scores(theirs) == scores(ours)
        points = sorted({sum(value or 0 for value in one.values()) for one in scores(ours).values()})
    console.print("kernels")
    first_reply(WARM)  # starts the process that warm kernels are forked from
    warm, cold = ([first_reply(kernel) for _ in range(STARTS)] for kernel in (WARM, COLD))
    memory = own_memory()
    figures = {
        "speedup": plain_seconds / our_seconds,
        "over_cells": our_seconds / (sum(cells) / jobs),
        "warm_over_cold": statistics.median(warm) / statistics.median(cold),
        "own_memory_mb": max(memory),
    }
    met = {key: value >= GOALS[key] if key == "speedup" else value <= GOALS[key] for key, value in figures.items()}
    report = {
        "command": shlex.join(["python", *sys.argv]),
        "commit": commit(),
        "hardware": {"processor": hardware("cpu"), "cores": os.cpu_count(), "load": os.getloadavg()[0]},
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("torch", "numpy", "pandas", "nbgrader", "ipykernel", "jupyter_client")},
        },
        "submissions": submissions,
        "jobs": jobs,
        "seconds": {"nbgrader": plain_seconds, "grader": our_seconds, "cells": sum(cells), "cells_together": together},
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
    seconds = report["seconds"]
    names = {
        "speedup": "times as many submissions a minute as nbgrader",
        "over_cells": "batch time over the cells' own time on these cores",
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
    console.print(
        f"the cells alone: {seconds['cells']:.1f} s in one process, "
        f"{seconds['cells_together']:.1f} s in {report['jobs']} processes that share the machine "
        f"(the batch took {seconds['grader'] / (seconds['cells_together'] / report['jobs']):.2f} times their share)"
    )
    agreed = "all scores agree" if report["scores_agree"] else "the scores do not agree"
    console.print(f"submissions a minute: nbgrader {rate['nbgrader']:.1f}, grader {rate['grader']:.1f}; {agreed}")


if __name__ == "__main__":
    typer.run(main)
