"""The proofs that a released lesson holds no solution and still is the same notebook. Reads what was released, trusts nothing."""

from __future__ import annotations

from pathlib import Path

import nbformat

from grader.course import CourseError, Lesson
from grader.lessons import source

TELLING = 12  # characters: a shorter line (`else:`, `return x`) stands in many places and tells nothing


class Leak(CourseError):
    """Something that must stay with the instructor is in the release."""


def prove_release(lesson: Lesson) -> None:
    """Proves that the released lesson holds no solution and still is the same notebook.

    - No cell has an output or an execution count, no marker is left, and cells stand in the source's order.
    - Each exercise's stub equals the source outside the markers, and raises NotImplementedError.
    - No telling line of a solution and no name of a hidden check is anywhere in the lesson's released files.
    - No file but the notebook, checks.py, expected.csv, mistakes.json and the lesson's own data is released.

    Raises:
        Leak: something is in the release that must stay with the instructor; the error names the cell or file, and the line.
        CourseError: the notebook is another than the source's; the error names the cell.
    """
    released = nbformat.read(lesson.released, as_version=4)
    original = source.read(lesson)
    if len(released.cells) != len(original.cells):
        raise CourseError(
            f"{lesson.id}: {len(released.cells)} cells were released, the source has {len(original.cells)}"
        )
    for (part, cell), given in zip(source.parts(original), released.cells, strict=True):
        _prove_cell(lesson, part, cell.source, given)
    support = lesson.released.with_suffix("")
    paths = (path for path in support.rglob("*") if path.is_file() and path.suffix != ".pyc")
    files = {path.relative_to(support).as_posix() for path in paths}
    data = {path.relative_to(lesson.source).as_posix() for path in lesson.data}
    if extra := files - {"checks.py", "expected.csv", "mistakes.json"} - data:
        raise Leak(f"{lesson.id}: {sorted(extra)} must not be released")
    _prove_files(lesson, [lesson.released, *(support / name for name in sorted(files))])


def _prove_cell(lesson: Lesson, part: source.Part, original: str, given: nbformat.NotebookNode) -> None:
    where = f"{lesson.id}, cell {given.id}"
    if given.cell_type == "code" and (given.outputs or given.execution_count is not None):
        raise Leak(f"{where} holds outputs")
    if "BEGIN SOLUTION" in given.source or "END SOLUTION" in given.source:
        raise Leak(f"{where} holds a marker of the solution")
    if part.kind == "exercise":
        if given.source != source.skeleton(original):
            raise CourseError(
                f"{where}: the skeleton of {part.name} is not the source with the stub in the solution's place"
            )
        compile(given.source, where, "exec")
    elif part.kind != "answer" and given.source != original:
        raise CourseError(f"{where} differs from the source")


def _prove_files(lesson: Lesson, files: list[Path]) -> None:
    secrets = hidden_names(lesson) | solution_lines(lesson)
    for path in files:
        text = path.read_text(encoding="utf-8", errors="ignore")
        if path.suffix == ".ipynb":
            text = "\n".join(cell.source for cell in nbformat.reads(text, as_version=4).cells)
        for secret in secrets:
            if secret in text:
                raise Leak(f"{lesson.id}: {path.name} holds {secret!r}, which belongs to the solution")


def hidden_names(lesson: Lesson) -> set[str]:
    """Collects the names of the lesson's hidden checks."""
    return {check.name for check in source.checks(lesson) if check.hidden}


def solution_lines(lesson: Lesson) -> set[str]:
    """Collects the lines of the lesson's solutions, without their indents, that tell something and stand nowhere in what is shown."""
    notebook = source.read(lesson)
    public = (lesson.source / "checks.py").read_text(encoding="utf-8")
    shown = {line.strip() for part, cell in source.parts(notebook) for line in _visible(part, cell.source)}
    lines = set[str]()
    for part, cell in source.parts(notebook):
        if part.kind in ("exercise", "answer"):
            inside = {line.strip() for line in source.split_solution(cell.source)[1]}
            lines |= {line for line in inside - shown if len(line) >= TELLING and line not in public}
    return lines


def _visible(part: source.Part, text: str) -> list[str]:
    return source.split_solution(text)[0] if part.kind in ("exercise", "answer") else text.splitlines()
