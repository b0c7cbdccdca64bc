"""`grader run`: the hidden reference solution, executed by papermill in a plain kernel of this environment.

It is the instructor's own notebook, so nothing is contained here; submissions take another way (grader.grade).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import papermill
from papermill.exceptions import PapermillExecutionError

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


def run_reference(lesson: Lesson, profile: str, seed: int, device: str = "auto", progress: bool = True) -> ReferenceRun:
    """Executes the reference. Raises CourseError with the cell and the error if a cell fails."""
    if not lesson.master.is_file():
        write_master(lesson)
    folder = lesson.course.build / "runs" / lesson.id / f"{profile}-seed{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    run = ReferenceRun(folder / f"{lesson.name}.ipynb", folder / "results")
    parameters = {"profile": profile, "seed": seed, "device": device, "out": str(run.results)}
    # Two kernels on two cores: torch's own threads would only spin against each other.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        papermill.execute_notebook(
            lesson.master,
            run.notebook,
            parameters=parameters,
            cwd=lesson.master.parent,
            progress_bar={"desc": f"{lesson.id} {profile} seed {seed}"} if progress else False,
        )
    except PapermillExecutionError as error:
        raise CourseError(
            f"the reference of {lesson.id} failed in profile {profile}, seed {seed}: {error.ename}: {error.evalue}\n"
            f"the executed notebook is {run.notebook}"
        ) from None
    return run
