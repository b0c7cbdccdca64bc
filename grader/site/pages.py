"""The pages of the site, gathered in one folder that is laid out as the repository is, so that links between files hold.

Only what is named here is copied. Of solutions/ that is the expected tables, which are released with the lessons.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nbformat
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from grader.course import Course
from grader.site.claims_page import claims_page
from grader.site.lesson_page import lesson_page

DOCUMENTS = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "docs/*.md",
    "docs/images/*.png",
    "data/**/README.md",
)
SHOWS_SOLUTIONS = re.compile(r"<!-- shows solutions -->.*?<!-- /shows solutions -->", re.DOTALL)


def gather(course: Course, folder: Path) -> None:
    """Writes all pages into a new folder.

    Raises:
        CourseError: a claim makes no sense, or its evidence is not there.
    """
    shutil.rmtree(folder, ignore_errors=True)
    documents = [path for pattern in DOCUMENTS for path in sorted(course.root.glob(pattern))]
    for path in (*documents, *(lesson.source / "expected.csv" for lesson in course.lessons())):
        copy = folder / path.relative_to(course.root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            copy.write_text(_without_solutions(path.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            shutil.copyfile(path, copy)
    (folder / "docs" / "claims.md").write_text(claims_page(course), encoding="utf-8")
    for lesson in course.lessons():
        page = folder / lesson.released.relative_to(course.root)
        page.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(lesson_page(lesson), page)
    (folder / "index.md").write_text(_front_page(course), encoding="utf-8")


def _without_solutions(text: str) -> str:
    """Leaves out what a document marks as showing lines of solutions."""
    return SHOWS_SOLUTIONS.sub(
        "*Left out on this site, since it shows lines of solutions; the file itself has it.*", text
    )


def _front_page(course: Course) -> str:
    loader = FileSystemLoader(course.root / "docs" / "site")
    environment = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("index.md").render(course=course)
