"""The registry of claims as one table that a reader searches and filters in the browser (docs/site/claims.html, claims.js)."""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from grader.course import Course, Lesson, WeekEntry
from grader.registry import claims
from grader.registry.claims import Finding

NO_WEEK = "no week"


@dataclass(frozen=True)
class Row:
    """A finding and the lesson and the week that it belongs to, if there are any."""

    finding: Finding
    lesson: Lesson | None
    week: str


def claims_page(course: Course) -> str:
    """Renders the page, in Markdown: the head of docs/claims.md, then the table.

    Raises:
        CourseError: a claim makes no sense, or its evidence is not there.
    """
    findings = claims.findings(course, claims.read(course.root / "data" / "claims.csv"))
    head = claims.page(findings).partition("\n## ")[0]
    rows = [_row(course, finding) for finding in findings]
    environment = Environment(
        loader=FileSystemLoader(course.root / "docs" / "site"), autoescape=True, undefined=StrictUndefined
    )
    table = environment.get_template("claims.html").render(
        rows=rows,
        papers=sorted({row.finding.claim.paper for row in rows}),
        weeks=[week.title for week in course.file.weeks if any(row.week == week.title for row in rows)] + [NO_WEEK],
        verdicts=list(dict.fromkeys(row.finding.verdict for row in rows)),
    )
    return f"---\nhide-toc: true\n---\n\n{head}\n````{{raw}} html\n{table}\n````\n"


def _row(course: Course, finding: Finding) -> Row:
    named = finding.claim.lesson
    lesson = next((one for one in course.lessons() if named in (one.id, one.name)), None)
    week: WeekEntry | None = next(
        (one for one in course.file.weeks if one.name == (lesson.week.name if lesson else named)), None
    )
    return Row(finding, lesson, week.title if week else NO_WEEK)
