"""Which test shows which claim: tests and checks marked `@claim("id")`, found by reading their files, without running them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from grader.course import Course, CourseError

MARK = "claim"  # etude.lesson.checks.claim


def marked(course: Course) -> dict[str, str]:
    """Finds the test of each claim: claim id → FILE::TEST, the file from the course's root.

    Raises:
        CourseError: two tests are marked with one id.
    """
    tests: dict[str, str] = {}
    for path in _files(course):
        for claim_id, test in _marks(path):
            name = f"{path.relative_to(course.root).as_posix()}::{test}"
            if claim_id in tests:
                raise CourseError(f"{name} and {tests[claim_id]} are both marked with the claim {claim_id!r}")
            tests[claim_id] = name
    return tests


def _files(course: Course) -> list[Path]:
    of_lessons = [lesson.source / name for lesson in course.lessons() for name in ("checks.py", "hidden.py")]
    return [*filter(Path.is_file, of_lessons), *sorted((course.root / "tests").rglob("test_*.py"))]


def _marks(path: Path) -> Iterator[tuple[str, str]]:
    """Reads (claim id, name of the test) for each mark in the file."""
    text = path.read_text(encoding="utf-8")
    if f"@{MARK}(" not in text:
        return
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == MARK:
                yield from ((str(ast.literal_eval(argument)), node.name) for argument in decorator.args)
