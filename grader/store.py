"""Where verdicts are kept: HOME/verdicts/STUDENT/WEEK/LESSON.json, the notebook as it ran beside it.

A verdict is written whole, after its notebook: what is there is complete, and on the same inputs it is not made again.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grader import submission, verdict
from grader.course import Lesson
from grader.grade import fingerprint
from grader.settings import Settings


def verdict_path(home: Path, student: str, lesson: Lesson) -> Path:
    return home / "verdicts" / student / lesson.week.name / f"{lesson.name}.json"


def load(lesson: Lesson, submitted: Path, stored: Path, settings: Settings) -> tuple[verdict.Verdict | None, NotebookNode | None]:
    """The stored verdict and executed notebook if they are on these very inputs, else (None, None)."""
    found = verdict.load(stored)
    if found is None or found.inputs != fingerprint(lesson, submission.content(submitted), settings):
        return None, None
    executed = stored.with_suffix(".ipynb")
    return found, nbformat.read(executed, as_version=4) if executed.is_file() else None


def save(stored: Path, made: verdict.Verdict, executed: NotebookNode | None) -> None:
    """Writes the executed notebook, then the verdict."""
    stored.parent.mkdir(parents=True, exist_ok=True)
    notebook = stored.with_suffix(".ipynb")
    if executed is not None:
        nbformat.write(executed, notebook)
    else:
        notebook.unlink(missing_ok=True)
    made.save(stored)
