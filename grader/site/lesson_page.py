"""A lesson as a page: the released notebook with the outputs of a recorded run of the reference.

Cells come from the release alone, so an exercise is the skeleton that students get. Of the run, outputs are taken, by the cells'
ids; cells that students write and the checks of these get none. This module runs no notebook.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grader.course import Lesson
from grader.lessons import source

PROFILES = ("gpu", "cpu", "smoke")  # the largest that was run is shown
SEED = 0
SHOWN = ("setup", "code", "metrics")  # kinds of cells whose outputs are shown


@dataclass(frozen=True)
class RecordedRun:
    """An executed reference as it was kept (build/runs)."""

    notebook: NotebookNode
    profile: str

    @property
    def day(self) -> str:
        """When the run began, as YYYY-MM-DD in UTC."""
        return str(self.notebook.metadata.papermill["start_time"])[:10]


def recorded_run(lesson: Lesson) -> RecordedRun | None:
    """Reads the largest recorded run of the lesson's reference that came to its end with the code that the lesson has now."""
    for profile in PROFILES:
        path = lesson.run_folder(profile, SEED) / f"{lesson.name}.ipynb"
        if path.is_file() and _is_current(lesson, path):
            return RecordedRun(nbformat.read(path, as_version=4), profile)
    return None


def lesson_page(lesson: Lesson) -> NotebookNode:
    """Builds the page's notebook: the release, a note on where its outputs come from, and these outputs."""
    page: NotebookNode = nbformat.read(lesson.released, as_version=4)
    run = recorded_run(lesson)
    ran = {cell.id: cell for cell in run.notebook.cells} if run else {}
    kinds = {cell.id: part.kind for part, cell in source.parts(source.read(lesson))}
    for cell in page.cells:
        cell.metadata.clear()
        if cell.id in ran and kinds[cell.id] in SHOWN:
            cell.outputs = [output for output in ran[cell.id].outputs if _is_for_readers(output)]
    page.metadata = {"kernelspec": page.metadata["kernelspec"]}
    page.cells.insert(1, new_markdown_cell(_note(lesson, run), id="about-this-page"))
    return page


def _is_current(lesson: Lesson, path: Path) -> bool:
    notebook = nbformat.read(path, as_version=4)
    done = notebook.metadata.get("papermill", {})
    now = {(cell.id, cell.source) for cell in source.read(lesson).cells if cell.cell_type == "code"}
    ended = not done.get("exception") and done.get("duration") is not None
    return ended and now <= {(cell.id, cell.source) for cell in notebook.cells}


def _is_for_readers(output: NotebookNode) -> bool:
    return not (output.output_type == "error" or (output.output_type == "stream" and output.name == "stderr"))


def _note(lesson: Lesson, run: RecordedRun | None) -> str:
    if run is None:
        shown = f"No run of this lesson is recorded here, so the page shows no outputs: `grader costs {lesson.id}` records one."
    else:
        shown = (
            f"Outputs and plots are those of the reference's run in the profile {run.profile}, seed {SEED}, on {run.day}. "
            "Cells that you write, and their checks, show none."
        )
    where = lesson.released.relative_to(lesson.course.root).as_posix()
    return f"```{{note}}\n`{where}`, about {lesson.entry.minutes} minutes. Exercises stand as students get them. {shown}\n```"
