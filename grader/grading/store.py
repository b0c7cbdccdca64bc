"""Where verdicts are kept: HOME/verdicts/STUDENT/WEEK/LESSON.json, the notebook as it ran beside it.

A verdict is written whole, after its notebook: what is there is complete, and on the same inputs it is not made again.
What is graded is a lesson of this course or a notebook of any nbgrader course; this is where the two ways part.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from etude.files import write_whole
from grader.course import Lesson
from grader.grading import notebook, submission, verdict
from grader.grading.verdict import Graded
from grader.settings import Settings

Gradable = Lesson | notebook.Notebook


def verdict_path(home: Path, student: str, lesson: Gradable) -> Path:
    return home / "verdicts" / student / lesson.assignment / f"{lesson.name}.json"


def fingerprint(lesson: Gradable, submitted: Path, settings: Settings) -> str:
    """Hashes everything that decides the score."""
    if isinstance(lesson, notebook.Notebook):
        return notebook.fingerprint(lesson, submitted, settings)
    from grader.grading.lesson import fingerprint as of_lesson

    return of_lesson(lesson, submission.content(submitted), settings)


def load(
    lesson: Gradable, submitted: Path, stored: Path, settings: Settings
) -> tuple[verdict.Verdict | None, NotebookNode | None]:
    """Reads the stored verdict and executed notebook if they are on these very inputs, else gives (None, None)."""
    kept = verdict.load(stored)
    if kept is None or kept.inputs != fingerprint(lesson, submitted, settings):
        return None, None
    executed = stored.with_suffix(".ipynb")
    return kept, nbformat.read(executed, as_version=4) if executed.is_file() else None


def grade(lesson: Gradable, submitted: Path, student: str, settings: Settings, results: Path | None = None) -> Graded:
    """Grades the submission.

    Args:
        results: a new folder that keeps what a lesson's notebook records; notebooks of other courses record nothing.
    """
    if isinstance(lesson, notebook.Notebook):
        return notebook.grade(lesson, submitted, student, settings)
    from grader.grading.lesson import grade as grade_lesson

    return grade_lesson(lesson, submitted, student, settings, results=results)


def make(
    lesson: Gradable, submitted: Path, student: str, stored: Path, settings: Settings
) -> tuple[verdict.Verdict, NotebookNode | None]:
    """Grades the submission and keeps what came out."""
    made = grade(lesson, submitted, student, settings)
    save(stored, made.verdict, made.notebook)
    return made.verdict, made.notebook


def save(stored: Path, made: verdict.Verdict, executed: NotebookNode | None) -> None:
    """Writes the executed notebook, then the verdict, each whole or not at all."""
    notebook = stored.with_suffix(".ipynb")
    if executed is not None:
        write_whole(notebook, nbformat.writes(executed))
    else:
        notebook.unlink(missing_ok=True)
    made.save(stored)
