"""A lesson's source, solutions/WEEK/LESSON/notebook.py, read as a notebook whose cells know their part.

The percent format's cell metadata say what a cell is for:

    # %% tags=["parameters"]        papermill's parameters: profile, seed, device, out
    # %% tags=["setup"]             imports and etude.start(...)
    # %% exercise="sgns_loss"       a skeleton, its solution between ### BEGIN SOLUTION and ### END SOLUTION
    # %% [markdown] answer="why_negatives" points=2      answered in words, graded by hand
    # %% tags=["metrics"]           record(...): graded against the expected table

A code cell that holds only check("sgns_loss") is that exercise's graded cell.
"""

from __future__ import annotations

import ast
import re
import shutil
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode

from etude.handing_in import STUB
from etude.lesson.checks import Check, load, marked
from grader.course import CourseError, Lesson
from grader.provenance import imported

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
WRITTEN = ("bank.py", "notebook.py", "checks.py", "hidden.py")
REGISTRIES = ("claims.csv", "mistakes.csv")  # of the course's data: no check reads them
MOST_DATA = 4 << 20  # bytes of a lesson's own data files
CHECK = re.compile(r'^check\("(\w+)"\)\s*$')


@dataclass(frozen=True)
class Part:
    """What one cell is for: kind is text, code, parameters, setup, exercise, check, answer or metrics."""

    kind: str
    name: str = ""
    points: float = 0.0


def read(lesson: Lesson) -> NotebookNode:
    """Reads the source as a notebook.

    Cell ids are made from the lesson's name, so that the same source gives the same file.

    Raises:
        CourseError: the lesson has no notebook.py.
    """
    path = lesson.source / "notebook.py"
    if not path.is_file():
        raise CourseError(f"{lesson.id} has no notebook.py in {path.parent}")
    notebook: NotebookNode = jupytext.read(path, fmt="py:percent")
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{lesson.name.replace('_', '-')}-{number:03d}"
    return notebook


def inputs(lesson: Lesson) -> tuple[list[Path], list[Path]]:
    """Lists the files that decide what the checks make of an answer.

    Returns:
        (code, tables). The code is what an author has written of the lesson, and what that imports of the student's library.
    """
    written = [lesson.source / name for name in WRITTEN]
    tables = sorted(path for path in Path(str(files("etude_data"))).rglob("*.csv") if path.name not in REGISTRIES)
    return [*written, *imported(written[1:])], [*tables, *data_read(lesson)]


def data_read(lesson: Lesson) -> list[Path]:
    """Lists the data that the lesson's code reads: its own files, and the course's checkpoints that it names in quotes."""
    written = [path.read_text(encoding="utf-8") for name in WRITTEN if (path := lesson.source / name).is_file()]
    checkpoints = Path(str(files("etude_data"))) / "models"
    named = [folder for folder in sorted(checkpoints.glob("*/")) if any(f'"{folder.name}"' in text for text in written)]
    return [*lesson.data, *(path for folder in named for path in sorted(folder.glob("*")) if path.name != "made.json")]


def copy_public(lesson: Lesson, folder: Path) -> None:
    """Copies what a notebook finds beside it as it stands in the source: checks, expected table, data files.

    Raises:
        CourseError: the data files are larger than MOST_DATA together: a lesson's folder travels with every submission.
    """
    if (size := sum(path.stat().st_size for path in lesson.data)) > MOST_DATA:
        raise CourseError(
            f"{lesson.id}: the files in {lesson.source / 'data'} have {size:,} bytes, at most {MOST_DATA:,} are released: "
            "register larger ones in data/registry.csv"
        )
    for path in (lesson.source / "checks.py", lesson.source / "expected.csv", *lesson.data):
        copy = folder / path.relative_to(lesson.source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def part(cell: NotebookNode) -> Part:
    """Tells what a source cell is for.

    Raises:
        CourseError: an answer says no points.
    """
    tags, metadata = cell.metadata.get("tags", []), cell.metadata
    if cell.cell_type == "markdown":
        if "answer" in metadata:
            if "points" not in metadata:
                raise CourseError(f"the answer {metadata['answer']!r} says no points")
            return Part("answer", metadata["answer"], float(metadata["points"]))
        return Part("text")
    if "exercise" in metadata:
        return Part("exercise", metadata["exercise"])
    if match := CHECK.match(cell.source):
        return Part("check", match[1])
    for kind in ("parameters", "setup", "metrics"):
        if kind in tags:
            return Part(kind, kind)
    return Part("code")


def parts(notebook: NotebookNode) -> list[tuple[Part, NotebookNode]]:
    return [(part(cell), cell) for cell in notebook.cells]


def exercises(notebook: NotebookNode) -> dict[str, str]:
    """Collects the exercises in the order of the notebook: exercise → its cell with the solution."""
    return {p.name: cell.source for p, cell in parts(notebook) if p.kind == "exercise"}


def filled(lesson: Lesson, given: dict[str, str]) -> NotebookNode:
    """Copies the released notebook with these answers in its skeletons' places."""
    notebook: NotebookNode = nbformat.read(lesson.released, as_version=4)
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if cell.cell_type == "code" and grade_id in given:
            cell.source = given[grade_id]
    return notebook


def split_solution(source: str) -> tuple[list[str], list[str]]:
    """Splits an exercise's cell at the markers of its solution.

    Returns:
        (lines outside the markers, lines inside).

    Raises:
        CourseError: there is not exactly one pair of markers.
    """
    outside: list[str] = []
    inside: list[str] = []
    within, regions = False, 0
    for line in source.splitlines():
        if line.strip() == BEGIN:
            within, regions = True, regions + 1
        elif line.strip() == END:
            within = False
        else:
            (inside if within else outside).append(line)
    if regions != 1 or within:
        raise CourseError(f"an exercise needs one {BEGIN} and one {END}:\n{source}")
    return outside, inside


def skeleton(source: str) -> str:
    """Makes an exercise's cell as the student gets it: the stub in place of the solution."""
    lines, skipping = [], False
    for line in source.splitlines():
        if line.strip() == BEGIN:
            lines.append(line[: len(line) - len(line.lstrip())] + STUB)
            skipping = True
        elif line.strip() == END:
            skipping = False
        elif not skipping:
            lines.append(line)
    return "\n".join(lines)


def checks(lesson: Lesson, hidden: bool = True) -> list[Check]:
    """Reads the public checks, then the hidden ones.

    Args:
        hidden: False leaves the hidden checks out.

    Raises:
        CourseError: as `loaded` does.
    """
    return loaded(lesson, hidden)[0]


def loaded(lesson: Lesson, hidden: bool = True) -> tuple[list[Check], ModuleType | None]:
    """Executes checks.py and hidden.py, once each, and gives their checks, and hidden.py as a module.

    Args:
        hidden: False leaves hidden.py out; None stands for the module then.

    Raises:
        CourseError: a name is used twice, or a check needs one that cannot be needed.
    """
    checks_in_order = marked(load(lesson.source / "checks.py"))
    kept_back = load(lesson.source / "hidden.py") if hidden else None
    if kept_back is not None:
        checks_in_order += marked(kept_back, hidden=True)
    names = [check.name for check in checks_in_order]
    if doubles := {name for name in names if names.count(name) > 1}:
        raise CourseError(f"{lesson.id}: the check {doubles.pop()} exists twice")
    free = {(check.exercise, check.name) for check in checks_in_order if not check.needs}
    for check in checks_in_order:
        if check.needs and (check.exercise, check.needs) not in free:
            raise CourseError(
                f"{lesson.id}: {check.name} needs {check.needs}, which must be a check of the same exercise, needs none "
                "itself, and is public if this one is"
            )
    return checks_in_order, kept_back


@cache
def _cells(path: Path, stamp: int) -> tuple[tuple[Part, str], ...]:
    return tuple((part(cell), cell.source) for cell in jupytext.read(path, fmt="py:percent").cells)


def namespace(lesson: Lesson, answers: dict[str, str] | None = None) -> dict[str, Any]:
    """Executes the notebook's imports and exercises, not its experiments, and gives its functions as a live namespace.

    `etude.start` is not called: no folder is made and no seed is set.

    Args:
        answers: other source for some exercises; the skeleton's is `skeleton(source)`.
    """
    path = lesson.source / "notebook.py"
    space: dict[str, Any] = {"__name__": "__main__"}
    for p, source in _cells(path, path.stat().st_mtime_ns):
        if p.kind == "setup":
            tree = ast.parse(source)
            tree.body = [node for node in tree.body if "etude.start(" not in ast.unparse(node)]
            source = ast.unparse(tree)
        elif p.kind == "exercise":
            source = (answers or {}).get(p.name, source)
        else:
            continue
        exec(compile(source, f"<{lesson.name}: {p.name}>", "exec"), space)
    return space
