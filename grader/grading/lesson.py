"""From a notebook to a verdict: read it, have it run and asked within its allowance, score what came of it.

Whatever a submission does becomes part of its verdict. Only trouble of the grader's own raises.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from etude.lesson import mistakes, table
from etude.lesson.checks import Check, Outcome
from grader import provenance
from grader.course import CourseError, Lesson
from grader.grading import allowance, costs, submission
from grader.grading.allowance import Allowance
from grader.grading.execution import Computed, Execution, Progress, execute
from grader.grading.usage import CheckUsage, Usage
from grader.grading.verdict import CellResult, CheckResult, ExerciseResult, Graded, MetricResult, Spent, Time, Verdict
from grader.lessons import known_mistakes, source
from grader.provenance import digest, modules, now, versions
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
    """The hash of everything that decides a score: the submission, the lesson's files, the settings, versions, our code."""
    tables = [lesson.source / name for name in ("expected.csv", known_mistakes.PRIVATE)]
    tables += [lesson.released, lesson.released.with_suffix("") / "mistakes.json"]
    return provenance.fingerprint(
        digest(content),
        settings,
        sorted(lesson.limits.items()),
        sorted(versions().items()),
        code=[lesson.source / "checks.py", lesson.source / "hidden.py", *modules(*DECIDING)],
        data=tables,
    )


def grade(
    lesson: Lesson, path: Path, student: str, settings: Settings, progress: Progress = lambda text: None
) -> Graded:
    """Grades one notebook file. Raises CourseError if the lesson itself is not built."""
    if not lesson.released.is_file():
        raise CourseError(f"{lesson.id} has not been released: run `grader build {lesson.week.name}`")
    released = nbformat.read(lesson.released, as_version=4)
    started = time.monotonic()
    verdict = _verdict(lesson, submission.content(path), student, settings)
    try:
        restored = submission.restore(submission.read(path)[1], released)
    except submission.BadSubmission as problem:
        verdict.status, verdict.reason = "refused", str(problem)
        _score(verdict, lesson, {}, {}, Usage())
        verdict.graded_at = now()
        return Graded(verdict, None)
    reference = costs.of(lesson, settings)
    allowed = allowance.of(lesson, reference)
    found = _executed(lesson, restored.notebook, settings, allowed, progress)
    if _fails_at_the_start(found):
        costs.prove_setup(lesson, settings)
    verdict.notes = restored.notes + found.notes
    verdict.cells = [CellResult.of(cell) for cell in found.report.cells]
    verdict.time = _time(lesson, found.usage, reference, allowed)
    if not found.report.alive:
        verdict.status, verdict.reason = "ended", found.report.reason or "the notebook's process ended"
    _score(verdict, lesson, found.outcomes, found.metrics, found.usage)
    verdict.seconds, verdict.graded_at = round(time.monotonic() - started, 2), now()
    return Graded(verdict, found.report.notebook)


def _verdict(lesson: Lesson, content: bytes, student: str, settings: Settings) -> Verdict:
    """The verdict as far as it is known before anything is run."""
    return Verdict(
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


def _executed(
    lesson: Lesson, notebook: NotebookNode, settings: Settings, allowance: Allowance, progress: Progress
) -> Execution:
    """Runs the notebook; once more if it met a limit of time while the machine stood still."""
    with tempfile.TemporaryDirectory(prefix="etude-") as folder:
        first = execute(lesson, notebook, settings, allowance, Path(folder, "first"), progress)
        if not (first.stood_still and first.late):
            return first
        second = execute(lesson, notebook, settings, allowance, Path(folder, "second"), progress)
        second.notes.append(
            f"the machine stood still for {first.stood_still:.0f} s while this ran, so it was run again: this counts"
        )
        return second


def _fails_at_the_start(found: Execution) -> bool:
    """Whether the setup cell, which is the course's own, did not end well."""
    cells = found.report.notebook.cells
    ids = {run.index: cells[run.index].metadata.get("nbgrader", {}).get("grade_id") for run in found.report.cells}
    return any(ids[run.index] == "setup" and run.status != "ok" for run in found.report.cells)


def _time(lesson: Lesson, spent: Usage, reference: Usage, allowed: Allowance) -> Time:
    """What was spent, beside the reference and the limits."""

    def beside(mine: float, theirs: float, limit: float) -> Spent:
        return Spent(spent=round(mine, 2), reference=round(theirs, 2), limit=round(limit, 1))

    return Time(
        machine=costs.factor(lesson, reference),
        slowest_cell=beside(spent.slowest_cell, reference.slowest_cell, allowed.cell),
        notebook=beside(spent.notebook, reference.notebook, allowed.notebook),
        checks=beside(spent.all_checks, reference.all_checks, allowed.checks),
    )


def _score(verdict: Verdict, lesson: Lesson, outcomes: dict[str, Outcome], found: Computed, usage: Usage) -> None:
    """Fills in exercises and metrics; a check that was not run has failed, a metric that was not found earns nothing."""
    by_all = known_mistakes.known(lesson)
    by_public = mistakes.load(lesson.released.with_suffix("") / "mistakes.json")  # as the student's notebook names it
    by_exercise: dict[str, list] = {name: [] for name in source.exercises(source.read(lesson))}
    for check in source.checks(lesson):
        by_exercise[check.exercise].append(check)
    for name, checks in by_exercise.items():
        results = [_result(check, outcomes.get(check.name), verdict.reason) for check in checks]
        for result in results:
            result.spent = round(usage.checks.get(result.name, CheckUsage()).seconds, 3)
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
