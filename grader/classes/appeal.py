"""One submission graded with everything kept, for a person to look at: an appeal.

The folder holds submission.ipynb, run.ipynb (as it ran, its outputs as the student's code made them), verdict.json, results/ and
about.json. What hidden checks say stands in it: it is for the instructor.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path

import nbformat

from etude.files import write_whole
from grader.course import CourseError
from grader.grading import store, submission
from grader.grading.store import Gradable
from grader.grading.verdict import Graded
from grader.provenance import head
from grader.settings import Settings


def make(folder: Path) -> None:
    """Makes the folder that is to keep a grading.

    Raises:
        CourseError: there is something in the folder, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise CourseError(f"{folder} is not empty: give a new folder, so that nothing of two gradings is mixed")
    except OSError as error:
        raise CourseError(f"{folder} cannot be made: {error.strerror}; give a folder that you may write") from None


def grade(root: Path, lesson: Gradable, notebook: Path, student: str, settings: Settings, folder: Path) -> Graded:
    """Grades the notebook and keeps all that came of it in `folder`, which `make` has made.

    Args:
        root: the course's folder, whose commit is told.
    """
    graded = store.grade(lesson, notebook, student, settings, results=folder / "results")
    write_whole(folder / "submission.ipynb", submission.content(notebook))
    if graded.notebook is not None:
        write_whole(folder / "run.ipynb", nbformat.writes(graded.notebook))
    graded.verdict.save(folder / "verdict.json")
    command = shlex.join(["grader", "grade", "submission.ipynb", lesson.id])
    about = {"settings": asdict(settings), "limits": lesson.limits, **head(command, course=root)}
    write_whole(folder / "about.json", json.dumps(about, indent=1, ensure_ascii=False) + "\n")
    return graded
