"""HTML pages from the templates beside: each stands alone, with its style and pictures inside, without JavaScript.

Whatever comes from a student's side is escaped by jinja2; `printable` shows what would turn the reading direction.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from grader.printable import printable
from grader.provenance import digest

PLAIN_NAME = re.compile(r"[\w-]{1,60}")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("grader"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["printable"] = printable
    environment.filters["student_file"] = student_file
    return environment


def write(path: Path, template: str, **content: Any) -> None:
    """Writes the page; lone surrogates, which no file can hold, become `?`."""
    page = _environment().get_template(template).render(**content)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8", errors="replace")


def student_file(student: str) -> str:
    """Names a student's page: by the name if that is letters, digits, - and _ alone, else by its hash."""
    return f"{student if PLAIN_NAME.fullmatch(student) else digest(student.encode('utf-8', 'replace'))[:20]}.html"
