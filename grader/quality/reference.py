"""`grader run`: the hidden reference solution, executed by papermill in a plain kernel of this environment.

It is the instructor's own notebook, so nothing is contained here; submissions take another way (grader.grading.lesson).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError

from grader.classes.workers import Step, Workers, side_by_side
from grader.course import CourseError, Lesson
from grader.grading.costs import COMPUTED
from grader.kernels.session import KernelSession
from grader.release.build import write_master
from grader.remote.connection import KernelGone
from grader.settings import PLAIN, Settings


@dataclass(frozen=True)
class ReferenceRun:
    """Where an executed reference lies: the notebook and its results folder."""

    notebook: Path
    results: Path

    @property
    def seconds(self) -> float:
        """From the first cell's start to the last one's end, as papermill wrote it down."""
        return float(nbformat.read(self.notebook, as_version=4).metadata.papermill["duration"])

    @property
    def metrics(self) -> dict[str, float]:
        metrics: dict[str, float] = json.loads((self.results / "metrics.json").read_text(encoding="utf-8"))
        return metrics


def run_reference(lesson: Lesson, profile: str, seed: int, device: str = "auto", progress: bool = True) -> ReferenceRun:
    """Executes the reference.

    Raises:
        CourseError: a cell fails, or the kernel ends.
    """
    if _out_of_date(lesson):
        write_master(lesson)
    folder = lesson.run_folder(profile, seed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / COMPUTED).unlink(missing_ok=True)  # what was computed of an earlier run
    run = ReferenceRun(folder / f"{lesson.name}.ipynb", folder / "results")
    parameters = {"profile": profile, "seed": seed, "device": device, "out": str(run.results)}
    # One thread, as in grading and calibration: the same sums everywhere, and a core for each lesson.
    env = {} if profile == "gpu" else {"OMP_NUM_THREADS": "1"}
    try:
        with KernelSession(lesson.master.parent, PLAIN, env=env) as session:
            papermill.execute_notebook(
                lesson.master,
                run.notebook,
                parameters=parameters,
                cwd=lesson.master.parent,
                engine_name="etude",
                session=session,
                progress_bar={"desc": f"{lesson.id} {profile} seed {seed}"} if progress else False,
            )
    except KernelGone as error:
        raise CourseError(f"{lesson.id} did not come to an end: {error}") from None
    except PapermillExecutionError as error:
        raise CourseError(
            f"the reference of {lesson.id} failed in profile {profile}, seed {seed}: {error.ename}: {error.evalue}\n"
            f"the executed notebook is {run.notebook}"
        ) from None
    return run


def run_references(
    lessons: Sequence[Lesson], profile: str, seed: int, device: str, jobs: int = 1, step: Step | None = None
) -> Iterator[tuple[Lesson, ReferenceRun]]:
    """Executes the references, `jobs` at a time, and gives them as they end. What fails does not stop the others.

    Args:
        step: `step(done, total, what is running)` is called whenever that changes; without it they run one by one, each with
            papermill's bar of cells.

    Raises:
        CourseError: at the end, for all that failed.
    """
    run_one = partial(run_reference, profile=profile, seed=seed, device=device, progress=step is None)
    troubles = []
    with Workers(Settings(kernel=PLAIN)) as workers:
        side = side_by_side(run_one, lessons, lambda lesson: lesson.name, jobs, step, workers) if step else None
        for lesson, run in side or _one_by_one(run_one, lessons):
            if (error := run.exception()) is None:
                yield lesson, run.result()
            elif isinstance(error, CourseError):
                troubles.append(str(error))
            else:
                raise error
    if troubles:
        raise CourseError("\n".join(troubles))


def _one_by_one(
    run_one: Callable[[Lesson], ReferenceRun], lessons: Sequence[Lesson]
) -> Iterator[tuple[Lesson, Future[ReferenceRun]]]:
    for lesson in lessons:
        run: Future[ReferenceRun] = Future()
        try:
            run.set_result(run_one(lesson))
        except CourseError as error:
            run.set_exception(error)
        yield lesson, run


def _out_of_date(lesson: Lesson) -> bool:
    """Tells whether the master is not there, or a source of it was changed since."""
    if not lesson.master.is_file():
        return True
    made = lesson.master.stat().st_mtime_ns
    return any(
        (lesson.source / name).stat().st_mtime_ns > made for name in ("notebook.py", "checks.py", "expected.csv")
    )
