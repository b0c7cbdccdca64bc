"""From a notebook to a verdict: run it in its own kernel, call its functions from outside, score what it left.

Expected values, hidden checks and the metrics' code stay in this process; the student's code runs in the kernel's.
Whatever a submission does becomes part of its verdict. Only trouble of the grader's own raises.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from etude import mistakes, table
from etude.checks import Check, Outcome, run_check
from grader import diagnosis, metrics, source, submission
from grader.artifacts import Artifacts
from grader.course import CourseError, Lesson
from grader.engine import RunReport, run_notebook
from grader.kernel import KernelSession
from grader.line import KernelGone
from grader.proxy import Student
from grader.settings import PLAIN, Settings
from grader.verdict import CellResult, CheckResult, ExerciseResult, Graded, MetricResult, Verdict, digest, now, versions

Progress = Callable[[str], None]
CALL_SECONDS = 10  # for one call of a student's function, or as long as a cell may take if that is less
MOST_NOTES = 10  # on results that were left out


def fingerprint(lesson: Lesson, content: bytes, settings: Settings) -> str:
    """The hash of everything that decides a score: the submission, the lesson's files, the settings, the versions."""
    files = [lesson.source / name for name in ("checks.py", "hidden.py", "expected.csv", diagnosis.PRIVATE)]
    files += [lesson.released, lesson.released.with_suffix("") / "mistakes.json"]
    return digest(
        content,
        *(path.read_bytes() for path in files),
        repr(settings),
        repr(sorted(lesson.limits.items())),
        repr(sorted(versions().items())),
    )


def grade(
    lesson: Lesson, path: Path, student: str, settings: Settings, progress: Progress = lambda text: None
) -> Graded:
    """Grades one notebook file. Raises CourseError if the lesson itself is not built."""
    if not lesson.released.is_file():
        raise CourseError(f"{lesson.id} has not been released: run `grader build {lesson.week.name}`")
    released = nbformat.read(lesson.released, as_version=4)
    started = time.monotonic()
    content = submission.content(path)
    verdict = Verdict(
        lesson=lesson.id,
        student=student,
        status="graded",
        submission=digest(content),
        profile=settings.profile,
        inputs=fingerprint(lesson, content, settings),
        seed=settings.seed,
        sandbox=settings.sandbox,
        versions=versions(),
    )
    try:
        restored = submission.restore(submission.read(path)[1], released)
    except submission.BadSubmission as problem:
        verdict.status, verdict.reason = "refused", str(problem)
        _score(verdict, lesson, {}, {})
        verdict.graded_at = now()
        return Graded(verdict, None)
    verdict.notes = restored.notes
    report = _run_and_check(verdict, lesson, restored.notebook, settings, progress)
    verdict.seconds, verdict.graded_at = round(time.monotonic() - started, 2), now()
    return Graded(verdict, report.notebook)


@dataclass
class Ran:
    """What came of one kernel: the run, metrics, and whether it lived until every check had an outcome."""

    report: RunReport
    metrics: dict[str, tuple[float | None, str]]
    asked: bool


def _run_and_check(
    verdict: Verdict, lesson: Lesson, notebook: NotebookNode, settings: Settings, progress: Progress
) -> RunReport:
    with tempfile.TemporaryDirectory(prefix="etude-") as name:
        work, results = Path(name) / "work", Path(name) / "results"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(lesson.released.with_suffix(""), work / lesson.name, ignore=ignore)
        outcomes: dict[str, Outcome] = {}
        end = time.monotonic() + lesson.sandbox_limits["wall_s"]
        ran = _in_a_kernel(lesson, notebook, work, results, settings, progress, outcomes, verdict.notes)
        report = ran.report
        verdict.cells = [CellResult.of(cell) for cell in report.cells]
        if not report.alive:
            verdict.status, verdict.reason = "ended", report.reason or "the notebook's process ended"
        known = -1
        # An experiment or a check that ends the process must not cost the exercises that it has nothing to do with.
        while not ran.asked and known < len(outcomes) and time.monotonic() < end:
            known = len(outcomes)
            short = _definitions(notebook)
            ran = _in_a_kernel(lesson, short, work, results, settings, progress, outcomes, verdict.notes)
        _score(verdict, lesson, outcomes, ran.metrics)
    return report


def _in_a_kernel(
    lesson: Lesson,
    notebook: NotebookNode,
    work: Path,
    results: Path,
    settings: Settings,
    progress: Progress,
    outcomes: dict[str, Outcome],
    notes: list[str],
) -> Ran:
    """Runs the notebook, brings out what it recorded unless an earlier run did, and asks the checks and metrics.

    Adds to `outcomes` those of checks that have none yet, until the kernel ends; to `notes` what was left out.
    """
    # Nothing that is graded may depend on whether a corpus could be fetched.
    plain = {"ETUDE_OFFLINE": "1", "ETUDE_MIRROR": str(work), "OMP_NUM_THREADS": "1"}  # as a sandbox sets it
    limits = None if settings.kernel == PLAIN else lesson.sandbox_limits
    parameters = {"profile": settings.profile, "seed": settings.seed, "device": settings.device, "out": "results"}
    functions = metrics.collect(lesson.source / "hidden.py")
    with KernelSession(work, settings.kernel, limits=limits, env=plain) as session:
        report = run_notebook(
            notebook,
            session,
            cell_timeout=lesson.limits["cell_seconds"],
            notebook_timeout=lesson.limits["notebook_seconds"],
            parameters=parameters,
            on_cell=lambda index, total, cell: progress(f"cell {index + 1} of {total}"),
        )
        if not results.exists():
            notes += _bring_out(session, work / "results", results, settings)
        artifacts = Artifacts(results, settings.seed)
        if report.alive:
            progress("checks")
            if (student := _asked(lesson, session, outcomes)) is not None:
                return Ran(report, metrics.compute(functions, artifacts, student), asked=True)
            if session.reason and not outcomes:
                report.alive, report.reason = False, session.reason
        return Ran(report, metrics.compute(functions, artifacts), asked=False)


def _asked(lesson: Lesson, session: KernelSession, outcomes: dict[str, Outcome]) -> Student | None:
    """Runs the checks that have no outcome yet; the student to go on asking, None if the kernel has ended."""
    seconds = lesson.limits["cell_seconds"]
    try:
        student = session.student(min(CALL_SECONDS, seconds), patience=seconds)
    except KernelGone:
        return None
    for check in source.checks(lesson):
        if check.name not in outcomes:
            outcomes[check.name] = run_check(check, student)
            if not session.alive():
                return None
    return student


def _bring_out(session: KernelSession, recorded: Path, results: Path, settings: Settings) -> list[str]:
    """Copies what the notebook recorded out of its kernel's reach; a note on each thing that was left out."""
    if settings.kernel == PLAIN:
        if recorded.is_dir():
            shutil.copytree(recorded, results, symlinks=True)
        return []
    left = session.provisioner.collect(results).refused
    missing = os.strerror(errno.ENOENT)  # a notebook that records nothing has no such folder
    return [f"of the results, {name[:80]} was left out: {why}" for name, why in left.items() if why != missing][
        :MOST_NOTES
    ]


def _definitions(notebook: NotebookNode) -> NotebookNode:
    """The notebook's parameters, imports and exercises alone: what its functions need, and no experiment."""
    short = nbformat.v4.new_notebook(metadata=notebook.metadata)
    short.cells = [
        cell
        for cell in notebook.cells
        if "nbgrader" in cell.metadata and cell.cell_type == "code" and not cell.metadata.nbgrader.grade
    ]
    return short


def _score(
    verdict: Verdict, lesson: Lesson, outcomes: dict[str, Outcome], found: dict[str, tuple[float | None, str]]
) -> None:
    """Fills in exercises and metrics; a check that was not run has failed, a metric that was not found earns nothing."""
    by_all = mistakes.load(lesson.source / diagnosis.PRIVATE)
    by_public = mistakes.load(lesson.released.with_suffix("") / "mistakes.json")  # as the student's notebook names it
    by_exercise: dict[str, list] = {name: [] for name in source.exercises(source.read(lesson))}
    for check in source.checks(lesson):
        by_exercise[check.exercise].append(check)
    for name, checks in by_exercise.items():
        results = [_result(check, outcomes.get(check.name), verdict.reason) for check in checks]
        seen = [outcomes[check.name] for check in checks if check.name in outcomes]
        public = [outcome for outcome in seen if not outcome.check.hidden]
        named = mistakes.diagnose(seen, by_all.get(name, [])) or mistakes.diagnose(public, by_public.get(name, []))
        verdict.exercises.append(ExerciseResult(name=name, checks=results, diagnosis=named))
    for row in table.of_profile(table.read(lesson.source / "expected.csv"), verdict.profile).values():
        value, reason = found.get(row.metric, (None, verdict.reason or "the grader does not compute it"))
        if row.metric not in found and not row.points:
            continue  # shown to students, never graded
        verdict.metrics.append(
            MetricResult(
                name=row.metric,
                value=value,
                reason=reason,
                low=_bound(row.low),
                high=_bound(row.high),
                better=row.better,  # type: ignore[arg-type]
                points=row.points,
                share=0.0 if value is None else row.share(value),
            )
        )


def _bound(value: float) -> float | None:
    return None if value != value else value


def _result(check: Check, outcome: Outcome | None, reason: str) -> CheckResult:
    result = CheckResult(name=check.name, title=check.title, hidden=check.hidden, points=check.points, status="error")
    if outcome is None:
        result.message = reason or "it was not run"
        return result
    trace = f"\n{outcome.error[2]}".rstrip() if outcome.error and outcome.status == "error" else ""
    result.status, result.seconds = outcome.status, round(outcome.seconds, 4)
    result.message = f"{outcome.message}{trace}"[:4000]
    return result
