"""Whether a lesson is ready: its skeleton fails as it should, its table is measured; and what its author does next.

Building, running and auditing it are the business of others; `grader check` asks all of them in order.
"""

from __future__ import annotations

from dataclasses import dataclass

from etude.lesson import table
from grader.course import CourseError, Lesson
from grader.grading.suite import Suite
from grader.lessons import bank, source
from grader.quality import error_rates
from grader.release.build import GRADING_PROFILE
from grader.release.isolated_run import IsolatedRuns, Task


@dataclass(frozen=True)
class Next:
    """What is not right with a table, "" if nothing is, and what to do next in any case."""

    fault: str
    step: str


def try_skeleton(lesson: Lesson) -> None:
    """Runs every check on the skeleton.

    Raises:
        CourseError: a check ends otherwise than by NotImplementedError.
    """
    cells = source.exercises(source.read(lesson))
    stubs = {name: source.skeleton(code) for name, code in cells.items()}
    names = tuple(check.name for check in source.checks(lesson))
    with IsolatedRuns() as runs:
        (outcomes,) = runs.run(lesson, [Task(stubs, names, lesson.limits["cell_seconds"] * len(cells))])
    if others := [
        f"{result.check}: {result.status} {result.message}".strip()
        for result in outcomes
        if result.status != "unwritten"
    ]:
        raise CourseError("\n".join(["the skeleton does not end in NotImplementedError in", *others]))


def measured(lesson: Lesson) -> Next:
    """Looks at the expected table and its error rates in the graded profile."""
    everything = table.read(lesson.source / "expected.csv")
    rows = table.of_profile(everything, GRADING_PROFILE)
    computed = Suite.of(lesson).metrics
    graded = [row for row in rows.values() if row.points]
    if names := [row.metric for row in graded if row.metric not in computed]:
        step = "compute them in hidden.py, each in a function marked @metric"
        return Next(f"points for metrics that the grader does not compute: {', '.join(names)}", step)
    if names := sorted(computed.keys() - rows.keys()):
        step = "write their rows in expected.csv, the numbers left empty"
        return Next(f"hidden.py computes metrics without a row for {GRADING_PROFILE}: {', '.join(names)}", step)
    if names := [row.metric for row in rows.values() if row.metric in computed and not row.measured]:
        return Next(f"never measured: {', '.join(names)}", f"grader calibrate {lesson.name} --seeds 12")
    rates = {
        rate.metric: rate
        for rate in error_rates.read(lesson.source / error_rates.FILE)
        if rate.profile == GRADING_PROFILE
    }
    if names := [row.metric for row in graded if not is_current(lesson, row, rates.get(row.metric))]:
        fault = f"no error rates on the table and the bank of today: {', '.join(names)}"
        return Next(fault, f"grader calibrate {lesson.name} --errors")
    if names := [row.metric for row in graded if rates[row.metric].blind or rates[row.metric].broken]:
        step = "take their points away in expected.csv, or measure something else; docs/author.md says what these words mean"
        return Next(f"points for rows that are blind or broken: {', '.join(names)}", step)
    return Next("", _after(lesson, everything, bool(graded)))


def is_current(lesson: Lesson, row: table.Expected, rates: error_rates.ErrorRates | None) -> bool:
    """Tells whether the rates are of the row's interval, and of all wrong answers of the bank or two of each exercise."""
    if rates is None or (rates.low, rates.high) != (row.low, row.high):
        return False
    wrong = [answer for answer in bank.load(lesson) if answer.sentence is not None]
    return rates.wrong in (len(wrong), len(error_rates.first(wrong, error_rates.FEW)))


def _after(lesson: Lesson, rows: list[table.Expected], graded: bool) -> str:
    if any(row.profile == "cpu" and not row.measured for row in rows):
        return f"grader calibrate {lesson.name} --profile cpu --seeds 6, the table that students see at home"
    if not graded:
        return (
            f"grader demo {lesson.name} grades a sample class; no metric earns points: to give some, write them in "
            f"expected.csv, then grader calibrate {lesson.name} --errors"
        )
    return f"grader demo {lesson.name} grades a sample class"
