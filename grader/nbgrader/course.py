"""A course of nbgrader's that has no course.toml, seen as notebooks to grade: its configuration and its gradebook.

It only reads. What nbgrader's gradebook keeps of a released assignment (its cells, hidden tests among them) is the
measure to which submissions are restored; solutions never are part of it.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import is_locked
from traitlets.config.loader import Config, PyFileConfigLoader

from grader.course import CourseError
from grader.grading.notebook import Notebook

CONFIG = "nbgrader_config.py"


class NbgraderCourse:
    """The course in the folder `root`, which holds nbgrader_config.py and what nbgrader makes beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    @cached_property
    def config(self) -> Config:
        """What nbgrader_config.py says, and where the gradebook is if it does not say that."""
        config = PyFileConfigLoader(CONFIG, path=str(self.root)).load_config()
        config.CourseDirectory.root = str(self.root)
        coursedir = CourseDirectory(config=config)
        config.CourseDirectory.update(db_url=coursedir.db_url, course_id=coursedir.course_id)
        return config

    def lessons(self, which: str = "") -> list[Notebook]:
        """Lists all released notebooks, those of one assignment ("ps1") or one ("ps1/problem1", "problem1").

        Raises:
            CourseError: nothing has been released, or there is no assignment or notebook of this name.
        """
        coursedir = CourseDirectory(config=self.config)
        names = _released(coursedir)
        if not names:
            raise CourseError(f"{self.root} has no released assignment: run `nbgrader generate_assignment NAME` first")
        chosen = [pair for pair in names if which in ("", "/".join(pair), *pair)]
        if not chosen:
            listed = ", ".join(map("/".join, names))
            raise CourseError(f"there is no assignment or notebook {which!r} in the gradebook; there are {listed}")
        return [notebook(coursedir, *pair) for pair in chosen]

    def lesson(self, which: str) -> Notebook:
        """Finds the one notebook of this name.

        Raises:
            CourseError: there is none of this name, or more than one.
        """
        chosen = self.lessons(which)
        if len(chosen) != 1:
            raise CourseError(f"{which!r} names {len(chosen)} notebooks; give one, for example {chosen[0].id}")
        return chosen[0]


def _released(coursedir: CourseDirectory) -> list[tuple[str, str]]:
    path = Path(coursedir.db_url.removeprefix("sqlite:///"))
    if coursedir.db_url.startswith("sqlite:") and not path.is_file():
        return []  # opening it would make it
    with Gradebook(coursedir.db_url, coursedir.course_id) as book:
        return sorted(
            (assignment.name, notebook.name) for assignment in book.assignments for notebook in assignment.notebooks
        )


def notebook(coursedir: CourseDirectory, assignment: str, name: str) -> Notebook:
    """Reads one notebook as the gradebook knows it.

    Raises:
        CourseError: it has not been released, its file is missing, or it is not Python's.
    """
    with Gradebook(coursedir.db_url, coursedir.course_id) as book:
        try:
            cells = {cell.name: cell.source for cell in book.find_notebook(name, assignment).source_cells}
        except MissingEntry:
            raise CourseError(
                f"{assignment}/{name} is not released: run `nbgrader generate_assignment {assignment}`"
            ) from None
    released, source = (
        Path(coursedir.format_path(folder, ".", assignment))
        for folder in (coursedir.release_directory, coursedir.source_directory)
    )
    paths = [path for folder in (released, source) if (path := folder / f"{name}.ipynb").is_file()]
    if not paths:
        raise CourseError(f"{name}.ipynb is neither in {released} nor in {source}")
    measure = nbformat.read(paths[0], as_version=4)
    language = measure.metadata.get("kernelspec", {}).get("language", "python")
    if language.lower() != "python":
        raise CourseError(f"{assignment}/{name} is written in {language}; the sandbox runs Python alone")
    shown: dict[str, str] = {}
    measure.nbformat_minor = 5  # the first in which cells have ids
    for number, cell in enumerate(measure.cells):
        cell["id"] = f"cell-{number:04d}"
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader["locked"] = is_locked(cell)
            grade_id = cell.metadata.nbgrader.grade_id
            shown[grade_id], cell.source = cell.source, cells.get(grade_id, cell.source)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    limits = dict(coursedir.config.Grade.get("limits", {}))
    kept = Path(coursedir.root, "build", "outside", assignment, f"{name}.json")
    return Notebook(
        assignment, name, nbformat.writes(measure), Path(os.path.normpath(source)), shown, limits, kept=kept
    )
