"""`grader run`: the hidden reference solution, executed by papermill in a plain kernel of this environment.

It is the instructor's own notebook, so nothing is contained here; submissions take another way (grader.grade).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import nbformat
import papermill
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.exceptions import PapermillExecutionError

from grader.bank import Answer
from grader.build import write_master
from grader.course import CourseError, Lesson


@dataclass(frozen=True)
class ReferenceRun:
    """Where an executed reference lies: the notebook and its results folder."""

    notebook: Path
    results: Path

    @property
    def metrics(self) -> dict[str, float]:
        return json.loads((self.results / "metrics.json").read_text(encoding="utf-8"))


def run_reference(
    lesson: Lesson,
    profile: str,
    seed: int,
    device: str = "auto",
    progress: bool = True,
    answer: Answer | None = None,
) -> ReferenceRun:
    """Executes the reference, or with an answer of the bank in its place. Raises CourseError if a cell fails or is late."""
    if _out_of_date(lesson):
        write_master(lesson)
    folder = lesson.course.build / "runs" / lesson.id / f"{profile}-{answer.label if answer else f'seed{seed}'}"
    folder.mkdir(parents=True, exist_ok=True)
    run = ReferenceRun(folder / f"{lesson.name}.ipynb", folder / "results")
    parameters = {"profile": profile, "seed": seed, "device": device, "out": str(run.results)}
    # Two kernels on two cores: torch's own threads would only spin against each other.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        papermill.execute_notebook(
            lesson.master if answer is None else _with_answer(lesson, answer, folder / "wrong.ipynb"),
            run.notebook,
            parameters=parameters,
            cwd=lesson.master.parent,
            progress_bar={"desc": f"{lesson.id} {profile} seed {seed}"} if progress else False,
            execution_timeout=None if answer is None else lesson.limits["cell_seconds"],
        )
    except (CellTimeoutError, DeadKernelError) as error:
        raise CourseError(f"{lesson.id} did not come to an end: {error}") from None
    except PapermillExecutionError as error:
        raise CourseError(
            f"the reference of {lesson.id} failed in profile {profile}, seed {seed}: {error.ename}: {error.evalue}\n"
            f"the executed notebook is {run.notebook}"
        ) from None
    return run


def _out_of_date(lesson: Lesson) -> bool:
    """Whether the master is not there, or a source of it was changed since."""
    if not lesson.master.is_file():
        return True
    made = lesson.master.stat().st_mtime_ns
    return any(
        (lesson.source / name).stat().st_mtime_ns > made for name in ("notebook.py", "checks.py", "expected.csv")
    )


def _with_answer(lesson: Lesson, answer: Answer, path: Path) -> Path:
    """The master with the answer in its exercise's cell, and without the checks, which would stop it there."""
    notebook = nbformat.read(lesson.master, as_version=4)
    kept = []
    for cell in notebook.cells:
        rules = cell.metadata.get("nbgrader", {})
        if rules.get("grade_id", "").startswith("check_"):
            continue
        if rules.get("grade_id") == answer.exercise:
            cell.source = answer.code
        kept.append(cell)
    notebook.cells = kept
    nbformat.write(notebook, path)
    return path
