"""Errors that are often made about the papers, data/mistakes.csv: each is caught by a test or answered by a sentence of a lesson.

The registry of claims holds what papers say; this one holds what is said wrongly of them, and looks that the answer is really
there: the named test exists, the sentence stands in what students read. It runs no test and judges no answer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, Self, get_args

import jupytext
from pydantic import model_validator

from grader.course import Course, CourseError
from grader.lessons import source
from grader.registry import rows
from grader.registry.claims import markdown_row
from grader.registry.rows import Row

PAPERS = "data/papers"  # the published tables; the page there is read beside them
LATER = ("week5_pretraining", "week7_distillation_knowledge")


class Mistake(Row):
    """One row.

    Attributes:
        id: one or more, joined with +, and in several rows where one id is several errors.
        lesson: a lesson, a week to come or data/papers.
        evidence: FILE::TEST, or FILE::"a fragment of a sentence"; nothing for other kinds.
    """

    paper: str
    error: str
    right: str
    kind: Literal["test", "sentence", "waits", "out_of_scope"]
    lesson: str
    evidence: str

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if not self.right:
            raise ValueError("it does not say what is right, or why it is out of scope")
        if bool(self.evidence) != (self.kind in ("test", "sentence")):
            raise ValueError("tests and sentences need evidence, and no other kind has any")
        return self


KINDS = get_args(Mistake.model_fields["kind"].annotation)


def read(path: Path) -> list[Mistake]:
    """Reads the rows of mistakes.csv.

    Raises:
        CourseError: a row makes no sense; the error names the row and what is wrong.
    """
    return rows.read(path, Mistake)


def ids(mistakes: Iterable[Mistake]) -> set[str]:
    return {name for mistake in mistakes for name in mistake.id.split("+")}


def check(course: Course, mistakes: Iterable[Mistake]) -> None:
    """Proves that the answers to these mistakes are there.

    Raises:
        CourseError: an answer is not there; the error names the row and what is missing.
    """
    for mistake in mistakes:
        if missing := _missing(course, mistake):
            raise CourseError(f"data/mistakes.csv, {mistake.id}: {missing}")


def _missing(course: Course, mistake: Mistake) -> str:
    lessons = {lesson.id for lesson in course.lessons()}
    weeks = {lesson.week.name for lesson in course.lessons()}
    if mistake.kind == "waits":
        if mistake.lesson not in LATER:
            return f"it waits for {mistake.lesson!r}, expected one of {', '.join(LATER)}"
        return f"it waits for {mistake.lesson}, which the course has now" if mistake.lesson in weeks else ""
    if mistake.lesson not in {*lessons, *LATER, PAPERS} and mistake.kind != "out_of_scope":
        return f"there is no lesson {mistake.lesson!r}"
    if mistake.kind == "test" and not _has_test(course, mistake.evidence):
        return f"there is no test {mistake.evidence}"
    if mistake.kind == "sentence":
        name, _, fragment = mistake.evidence.partition("::")
        page = PAPERS + "/README.md" if mistake.lesson == PAPERS else f"solutions/{mistake.lesson}/notebook.py"
        if name != page:
            return f"its sentence should stand in {page}, it names {name}"
        if len(fragment) < 3 or fragment[0] + fragment[-1] != '""':
            return f"its sentence {fragment!r} does not stand between quotation marks"
        if fragment[1:-1] not in _prose(course.root / name):
            return f"{name} does not say {fragment}"
    return ""


def _has_test(course: Course, evidence: str) -> bool:
    """Tells whether there is the test or check FILE::TEST; FILE starts at the course's root."""
    name, _, test = evidence.partition("::")
    path = course.root / name
    if not path.is_file():
        return False
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == test for node in ast.walk(tree))


def _prose(path: Path) -> str:
    """Reads what students read in a file, in one line: of a notebook the Markdown, without the answers to its questions."""
    if path.suffix == ".md":
        return " ".join(path.read_text(encoding="utf-8").split())
    cells = source.parts(jupytext.read(path, fmt="py:percent"))
    return " ".join(" ".join(cell.source for part, cell in cells if part.kind == "text").split())


def page(mistakes: list[Mistake]) -> str:
    """Renders docs/errata.md: the errors by paper, each with what is right and where the course says or tests it."""
    lines = [
        "# Errors that are often made",
        "",
        "What is often written about the papers of the course and is wrong. Rendered by `grader claims --write` from",
        "`data/mistakes.csv`, after a look that each named test is there and each quoted sentence stands in its lesson.",
        "",
        "| answered by | errors |",
        "|---|---|",
        *(f"| {kind.replace('_', ' ')} | {sum(mistake.kind == kind for mistake in mistakes)} |" for kind in KINDS),
        f"| all | {len(mistakes)} |",
    ]
    for paper in dict.fromkeys(mistake.paper for mistake in mistakes):
        lines += ["", f"## {paper}", "", "| | often written | right | where | answered by |", "|---|---|---|---|---|"]
        lines += [markdown_row(_cells(mistake)) for mistake in mistakes if mistake.paper == paper]
    return "\n".join(lines) + "\n"


def _cells(mistake: Mistake) -> tuple[str, ...]:
    name, _, what = mistake.evidence.partition("::")
    answer = {"test": f"`{what}` in `{name}`", "sentence": what, "waits": "waits", "out_of_scope": "out of scope"}
    return mistake.id, mistake.error, mistake.right, mistake.lesson, answer[mistake.kind]
