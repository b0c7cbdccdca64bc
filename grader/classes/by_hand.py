"""One notebook put by hand where a class is graded: as what a student has handed in, once everything about it is looked at."""

from __future__ import annotations

import re
from pathlib import Path

from nbformat import NotebookNode

from etude.files import write_whole
from grader.classes.uploads import path_of
from grader.course import CourseError
from grader.grading import submission
from grader.grading.notebook import Notebook
from grader.grading.store import Gradable

NAME = re.compile(r"(?!\.)[^/\[*?]+")  # one folder's, and nothing that nbgrader takes for a pattern


def put(notebook: Path, student: str, lesson: Gradable, home: Path) -> Path:
    """Makes the notebook what this student has handed in; returns where it is then.

    Raises:
        CourseError: the name cannot be a student's, the file is no notebook of the lesson, or it cannot be stored. What was
            handed in before is as it was.
    """
    if not NAME.fullmatch(student) or student != student.strip() or not student.isprintable():
        raise CourseError(
            f"{student!r} cannot be a student's name: it names one folder, without / [ * ?, line ends, a dot at its "
            "beginning and blanks at its ends"
        )
    path = path_of(home, student, lesson)
    if notebook.resolve() == path.resolve():
        return path
    content = _content(notebook, lesson)
    try:
        write_whole(path, content)
    except OSError as error:
        raise CourseError(f"{path} cannot be written ({error.strerror})") from None
    return path


def _content(notebook: Path, lesson: Gradable) -> bytes:
    """Reads the file. Raises CourseError unless it has at least half of the lesson's cells: all lessons have some alike."""
    given = submission.read(notebook)
    if given.notebook is None:
        raise CourseError(f"{notebook}: {given.problem}")
    released = lesson.released if isinstance(lesson, Notebook) else submission.read(lesson.released).notebook
    if released is None:
        raise CourseError(f"{lesson.id} has not been released: run `grader build {lesson.assignment}`")
    cells = _names(released)
    if 2 * len(there := cells & _names(given.notebook)) < len(cells):
        raise CourseError(f"{notebook} has {len(there)} of the {len(cells)} cells of {lesson.id}: is it this lesson's?")
    return given.content


def _names(notebook: NotebookNode) -> set[str]:
    """Gives the names that nbgrader has for cells."""
    return {cell.metadata.nbgrader.grade_id for cell in notebook.cells if "nbgrader" in cell.metadata}
