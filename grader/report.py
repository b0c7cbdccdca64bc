"""`grader report`: one page a person wants to look at, build/report/index.html, made from stored runs and verdicts.

Reads the executed reference, the expected tables, the verdicts and the gradebook; runs nothing. The page stands alone: its
pictures are inside it, it needs no network and no JavaScript.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import nbformat
from jinja2 import Environment, PackageLoader, StrictUndefined

from etude import table
from grader import gradebook, verdict
from grader.course import Course, Lesson
from grader.feedback import harmless
from grader.provenance import commit, hardware
from grader.sample_class import STUDENTS


@dataclass(frozen=True)
class MetricRow:
    """One metric of the reference's run beside the expected table and the paper."""

    name: str
    value: float | None
    row: table.Expected

    @property
    def inside(self) -> bool | None:
        return None if self.value is None or self.row.seeds == 0 else self.row.distance(self.value) == 0


@dataclass(frozen=True)
class LessonReport:
    """What the page shows of one lesson."""

    lesson: Lesson
    profile: str
    metrics: list[MetricRow]
    pictures: list[str]
    seconds: float | None
    verdicts: list[verdict.Verdict]
    stored: dict[str, gradebook.Score]


def collect(course: Course, home: Path, profile: str = "smoke", seed: int = 0) -> list[LessonReport]:
    """What is there of each lesson: nothing is run, and what was never run is left empty."""
    reports = []
    for lesson in course.lessons():
        folder = course.build / "runs" / lesson.id / f"{profile}-seed{seed}"
        pictures, seconds = _executed(folder / f"{lesson.name}.ipynb")
        scores = {
            score.student: score
            for score in gradebook.scores(course, home, lesson.week.name)
            if score.notebook == lesson.name
        }
        paths = sorted((home / "verdicts").glob(f"*/{lesson.week.name}/{lesson.name}.json"))
        verdicts = [found for path in paths if (found := verdict.load(path)) is not None]
        reports.append(
            LessonReport(
                lesson, profile, _metrics(lesson, folder / "results", profile), pictures, seconds, verdicts, scores
            )
        )
    return reports


def render(course: Course, home: Path, profile: str = "smoke", seed: int = 0) -> Path:
    """Writes the page and returns its path."""
    environment = Environment(
        loader=PackageLoader("grader"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.get_template("report.html").render(
        course=course,
        reports=collect(course, home, profile, seed),
        about=STUDENTS,
        made=verdict.now(),
        versions=verdict.versions(),
        hardware=hardware("auto"),
        commit=commit(),
    )
    path = course.build / "report" / "index.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path


def _metrics(lesson: Lesson, results: Path, profile: str) -> list[MetricRow]:
    import json

    path = results / "metrics.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    rows = table.of_profile(table.read(lesson.source / "expected.csv"), profile)
    return [MetricRow(name, found.get(name), row) for name, row in rows.items()]


def _executed(path: Path) -> tuple[list[str], float | None]:
    """(the pictures of an executed notebook as base64 PNG, its run time in seconds)."""
    if not path.is_file():
        return [], None
    notebook = nbformat.read(path, as_version=4)
    kept = [
        safe for cell in notebook.cells for output in cell.get("outputs", []) if (safe := harmless(output)) is not None
    ]
    pictures = [output.data["image/png"].replace("\n", "") for output in kept if "image/png" in output.get("data", {})]
    return pictures, notebook.metadata.get("papermill", {}).get("duration")
