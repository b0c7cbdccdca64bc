"""From a notebook to a verdict: read it, have it run and asked within its allowance, score what came of it.

Whatever a submission does becomes part of its verdict. Only trouble of the grader's own raises.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from grader import provenance
from grader.course import CourseError, Lesson
from grader.grading import allowance, costs, submission
from grader.grading.allowance import Allowance
from grader.grading.execution import Execution, Progress, execute
from grader.grading.scoring import Scored
from grader.grading.suite import Suite
from grader.grading.usage import Usage
from grader.grading.verdict import CellResult, Graded, Memory, Spent, Time, Verdict
from grader.lessons import known_mistakes, source
from grader.provenance import code_hash, digest, now, versions
from grader.sandbox.limits import MB, Limits
from grader.settings import Settings

DECIDING = (
    "etude",
    "grader.grading",
    "grader.kernels",
    "grader.remote",
    "grader.sandbox",
    "grader.lessons",
    "grader.course",
)


def fingerprint(lesson: Lesson, content: bytes, settings: Settings) -> str:
    """Hashes everything that decides a score: the submission, the lesson's files, the settings, versions, our code."""
    tables = [lesson.source / name for name in ("expected.csv", known_mistakes.PRIVATE)]
    tables += [lesson.released, lesson.released.with_suffix("") / "mistakes.json"]
    tables += source.data_read(lesson)
    return provenance.fingerprint(
        digest(content),
        settings,
        sorted(lesson.limits.items()),
        sorted(versions().items()),
        code_hash(*DECIDING),
        code=[lesson.source / "checks.py", lesson.source / "hidden.py"],
        data=tables,
    )


def grade(
    lesson: Lesson,
    path: Path,
    student: str,
    settings: Settings,
    progress: Progress = lambda text: None,
    results: Path | None = None,
) -> Graded:
    """Grades one notebook file.

    Args:
        results: a new folder that keeps what the notebook records; without it nothing is kept.

    Raises:
        CourseError: the lesson itself is not built.
    """
    if not lesson.released.is_file():
        raise CourseError(f"{lesson.id} has not been released: run `grader build {lesson.week.name}`")
    started, given = time.monotonic(), submission.read(path)
    inputs = fingerprint(lesson, given.content, settings)  # before anything is read that might change meanwhile
    suite = Suite.of(lesson)
    verdict = partial(_verdict, lesson, given.content, inputs, student, settings, started)
    if given.notebook is None:
        refused = Scored(lesson, suite, settings.profile, given.problem)
        return Graded(verdict(refused, status="refused", reason=given.problem), None)
    restored = submission.restore(given.notebook, nbformat.read(lesson.released, as_version=4))
    reference = costs.of(lesson, settings)
    allowed = allowance.of(lesson, reference)
    ran = _executed(lesson, suite, restored.notebook, settings, allowed, progress, results)
    if _fails_at_the_start(ran):
        costs.prove_setup(lesson, settings)
    reason = ran.report.reason or ("" if ran.report.alive else "the notebook's process ended")
    if_alive = restored.notebook if ran.report.alive else None
    return Graded(
        verdict(
            Scored(lesson, suite, settings.profile, reason, ran.outcomes, ran.metrics, ran.usage, if_alive),
            status="graded" if ran.report.alive else "ended",
            reason=reason,
            notes=restored.notes + ran.notes,
            cells=[CellResult.of(cell) for cell in ran.report.cells],
            time=_time(lesson, ran.usage, reference, allowed),
            memory=_memory(lesson, ran),
        ),
        ran.report.notebook,
    )


def _verdict(
    lesson: Lesson,
    content: bytes,
    inputs: str,
    student: str,
    settings: Settings,
    started: float,
    scored: Scored,
    **came_of: Any,
) -> Verdict:
    """Writes the whole verdict: who and what it is on, what came of it, what that earns."""
    return Verdict(
        lesson=lesson.id,
        student=student,
        submission=digest(content),
        inputs=inputs,
        profile=settings.profile,
        seed=settings.seed,
        sandbox=settings.sandbox,
        exercises=scored.exercises(),
        metrics=scored.metrics(),
        versions=versions(),
        seconds=round(time.monotonic() - started, 2),
        graded_at=now(),
        **came_of,
    )


def _executed(
    lesson: Lesson,
    suite: Suite,
    notebook: NotebookNode,
    settings: Settings,
    allowance: Allowance,
    progress: Progress,
    results: Path | None,
) -> Execution:
    """Runs the notebook; once more if it met a limit of time while the machine stood still."""
    with tempfile.TemporaryDirectory(prefix="etude-") as folder:
        first = execute(lesson, suite, notebook, settings, allowance, Path(folder, "first"), progress)
        if not (first.stood_still and first.late):
            _keep(Path(folder, "first"), results)
            return first
        second = execute(lesson, suite, notebook, settings, allowance, Path(folder, "second"), progress)
        _keep(Path(folder, "second"), results)
        second.notes.append(
            f"the machine stood still for {first.stood_still:.0f} s while this ran, so it was run again: this counts"
        )
        return second


def _keep(recorded: Path, results: Path | None) -> None:
    """Copies what was recorded to `results`, if it is wanted and there is any; links stay links."""
    if results is not None and recorded.is_dir():
        shutil.copytree(recorded, results, symlinks=True)


def _fails_at_the_start(execution: Execution) -> bool:
    """Tells whether the setup cell, which is the course's own, did not end well."""
    cells = execution.report.notebook.cells
    ids = {run.index: cells[run.index].metadata.get("nbgrader", {}).get("grade_id") for run in execution.report.cells}
    return any(ids[run.index] == "setup" and run.status != "ok" for run in execution.report.cells)


def _memory(lesson: Lesson, ran: Execution) -> Memory | None:
    """Sets what was held beside the limit; None if nobody watched."""
    limit = Limits.from_dict(lesson.sandbox_limits).memory_mb
    return Memory(held_mb=ran.most_memory // MB, limit_mb=limit) if ran.most_memory else None


def _time(lesson: Lesson, spent: Usage, reference: Usage, allowed: Allowance) -> Time:
    """Sets what was spent beside the reference and the limits."""

    def beside(spent_seconds: float, reference_seconds: float, limit: float) -> Spent:
        return Spent(spent=round(spent_seconds, 2), reference=round(reference_seconds, 2), limit=round(limit, 1))

    return Time(
        machine=costs.factor(lesson, reference),
        slowest_cell=beside(spent.slowest_cell, reference.slowest_cell, allowed.cell),
        notebook=beside(spent.notebook, reference.notebook, allowed.notebook),
        checks=beside(spent.all_checks, reference.all_checks, allowed.checks),
    )
