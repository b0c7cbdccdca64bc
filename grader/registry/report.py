"""`grader report`: what a person wants to look at, build/report/index.html, made from stored runs and verdicts.

Reads the executed references, the expected tables, the verdicts and the gradebook; runs no notebook. The page begins with what
is not as it should be, and leads to the page of the class (grader.reports). It stands alone: its pictures are inside it, it
needs no network and no JavaScript.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from etude.lesson import table
from grader.course import Course, Lesson
from grader.grading.costs import COMPUTED
from grader.grading.shown_outputs import harmless
from grader.printable import printable
from grader.provenance import commit, hardware, now, versions
from grader.quality.sample_class import STUDENTS, surprises
from grader.reports import class_page, pages, student_page
from grader.reports.gathered import LessonClass, gather

MOST_NAMED = 10  # students in one sentence


@dataclass(frozen=True)
class Trouble:
    """Something that is not as it should be, in a sentence, and the id of the place on the page that shows more."""

    text: str
    place: str


@dataclass(frozen=True)
class MetricRow:
    """One metric of the reference's run beside the expected table and the paper."""

    name: str
    value: float | None
    row: table.Expected

    @property
    def state(self) -> str:
        if self.value is None:
            return "not measured"
        if not self.row.measured:
            return "no interval"
        return "outside" if self.row.distance(self.value) else "inside"


@dataclass(frozen=True)
class Reference:
    """What became of a lesson's reference.

    Attributes:
        status: passed, failed, not run.
        metrics: with values only if it passed.
    """

    status: str
    metrics: list[MetricRow]
    error: str = ""
    seconds: float | None = None
    pictures: list[str] = field(default_factory=list)  # base64 PNG

    def named(self, state: str) -> list[str]:
        """Names the metrics of this state."""
        return [metric.name for metric in self.metrics if metric.state == state]


@dataclass(frozen=True)
class LessonReport(LessonClass):
    """What the page shows of one lesson: its reference, and the class."""

    reference: Reference

    @property
    def share(self) -> float | None:
        """The mean share of the automatic points that the submissions earned."""
        shares = [verdict.earned / verdict.points for verdict in self.verdicts if verdict.points]
        return sum(shares) / len(shares) if shares else None

    def troubles(self) -> Iterable[Trouble]:
        name, place, reference = self.lesson.name, self.lesson.id, self.reference
        if reference.status == "failed":
            yield Trouble(f"{name}: the reference failed: {reference.error}", place)
        if outside := reference.named("outside"):
            yield Trouble(f"{name}: outside the interval in the reference's run: {', '.join(outside)}", place)
        graded = [metric.name for metric in reference.metrics if metric.row.points and metric.state == "not measured"]
        if graded and reference.status == "passed":
            yield Trouble(f"{name}: graded, but not measured in the reference's run: {', '.join(graded)}", place)
        if self.ungraded:
            yield Trouble(f"{name}: handed in and not graded: {_listed(self.ungraded)}", place)


@dataclass(frozen=True)
class Page:
    """The page that was written, and what it says is not as it should be."""

    path: Path
    troubles: list[Trouble]


def render(
    course: Course,
    home: Path,
    profile: str = "smoke",
    seed: int = 0,
    lessons: Sequence[Lesson] | None = None,
    told: Sequence[str] = (),
) -> Page:
    """Writes the page on these lessons, or on all; beside it class.html and students/.

    Args:
        told: sentences on what the files do not show, as from Classroom.grade.
    """
    from grader.quality.calibrate import PROMISE

    reports = [collect(lesson, home, profile, seed) for lesson in (course.lessons() if lessons is None else lessons)]
    sample = home == course.build / "class"
    troubles = [trouble for report in reports for trouble in report.troubles()]
    if not_run := [report.lesson.id for report in reports if report.reference.status == "not run"]:
        command = f"grader run --profile {profile} --seed {seed}"
        troubles.append(Trouble(f"the reference was not run (`{command}`): {', '.join(not_run)}", "overview"))
    handed_in = [report.lesson for report in reports if report.verdicts or report.ungraded]
    sentences = [*told, *(surprises(handed_in, home) if sample else [])]
    troubles += [Trouble(printable(sentence), _place(sentence, reports)) for sentence in dict.fromkeys(sentences)]
    path = course.build / "report" / "index.html"
    pages.write(
        path,
        "report.html",
        course=course,
        home=None if sample else home,
        profile=profile,
        reports=reports,
        troubles=troubles,
        about=STUDENTS if sample else {},
        promise=PROMISE,
        made=now(),
        versions=versions(),
        hardware=hardware("auto"),
        commit=commit(course.root),
    )
    class_page.write(course, reports, path.parent)
    student_page.write(course, reports, path.parent)
    return Page(path, troubles)


def collect(lesson: Lesson, home: Path, profile: str, seed: int) -> LessonReport:
    """Gathers what is there of the lesson: no notebook is run, and what was never run is left empty."""
    return LessonReport(**vars(gather(lesson, home)), reference=reference(lesson, profile, seed))


def reference(lesson: Lesson, profile: str, seed: int) -> Reference:
    """Tells what became of the reference, from its executed notebook and what that recorded."""
    folder = lesson.run_folder(profile, seed)
    rows = table.of_profile(table.read(lesson.source / "expected.csv"), profile)
    path = folder / f"{lesson.name}.ipynb"
    if not path.is_file():
        return Reference("not run", [MetricRow(name, None, row) for name, row in rows.items()])
    notebook = nbformat.read(path, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    ran = notebook.metadata.get("papermill", {})
    if ran.get("exception") or ran.get("duration") is None:
        errors = [f"{output.ename}: {output.evalue}" for output in outputs if output.output_type == "error"]
        error = errors[-1] if errors else "it did not come to its end"
        return Reference("failed", [MetricRow(name, None, row) for name, row in rows.items()], printable(error))
    values = _measured(lesson, folder / "results", seed)
    kept = [safe for output in outputs if (safe := harmless(output)) is not None]
    pictures = [output.data["image/png"].replace("\n", "") for output in kept if "image/png" in output.get("data", {})]
    return Reference(
        "passed", [MetricRow(name, values.get(name), row) for name, row in rows.items()], "", ran["duration"], pictures
    )


def _measured(lesson: Lesson, results: Path, seed: int) -> dict[str, float | None]:
    """Collects the run's metrics: what the grader computes from its records counts, as in grading; the rest is as recorded."""
    from grader.grading import metrics
    from grader.grading.artifacts import Artifacts
    from grader.grading.suite import Suite

    path, kept = results / "metrics.json", results.with_name(COMPUTED)
    recorded: dict[str, float | None] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if kept.is_file():
        computed: dict[str, float | None] = json.loads(kept.read_text(encoding="utf-8"))
        return recorded | computed
    functions = Suite.of(lesson).metrics
    graded = {name: function for name, function in functions.items() if not metrics.asks_the_student(function)}
    return recorded | {name: value for name, (value, _) in metrics.compute(graded, Artifacts(results, seed)).items()}


def _place(sentence: str, reports: Iterable[LessonReport]) -> str:
    """Finds where the page shows more of what a sentence tells: at the lesson that it names."""
    ids = [report.lesson.id for report in reports]
    return next((name for name in ids if re.search(rf"\b{re.escape(name)}\b", sentence)), "overview")


def _listed(students: list[str]) -> str:
    more = len(students) - MOST_NAMED
    return ", ".join(map(printable, students[:MOST_NAMED])) + (f" and {more} more" if more > 0 else "")
