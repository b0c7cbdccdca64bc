"""Where nbgrader and the grader meet: `nbgrader autograde` reads through SafeExporter and scores through Grade.

SafeExporter reads what a student handed in, whatever it is, as a notebook in the assignment's shape, so that one broken
file costs nobody else anything. Grade stands where nbgrader executes notebooks: it takes the stored verdict if it is on the same
inputs, makes it otherwise, and writes each graded cell's score and reasons as the outputs that nbgrader reads. Both do so
for the lessons of course.toml and for every other notebook that nbgrader has released. A lesson that was taken out of its week is
not graded: its score stands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Dict, Unicode

from grader.course import Course, CourseError, Lesson
from grader.grading import notebook as plain
from grader.grading import rehearsal, store, submission
from grader.nbgrader import course, feedback, pages
from grader.settings import COLD, PLAIN, WARM, Settings, ready

TAKEN_OUT = "This lesson is no longer part of the course, so it is not graded again. What it earned stands."


class SafeExporter(NotebookExporter):
    """Reads a submission's notebook in the released shape; the released notebook in its place if it cannot be read."""

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> Any:
        path = Path(filename)
        converter: Any = self.parent
        if not converter._sanitizing:  # nbgrader's second pass reads what its first pass wrote
            return super().from_filename(filename, resources, **kwargs)
        lesson = _gradable(converter.coursedir, resources["nbgrader"])
        taken_out = new_notebook(cells=[new_markdown_cell(TAKEN_OUT)])
        notebook = taken_out if lesson is None else self._restored(path, _released(lesson))
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        return self.from_notebook_node(notebook, resources=resources, **kwargs)  # type: ignore[no-untyped-call]  # nbconvert's

    def _restored(self, path: Path, released: NotebookNode) -> NotebookNode:
        given = submission.read(path)
        if given.notebook is None:
            self.log.warning("%s: %s", path, given.problem)
            return released
        return submission.restore(given.notebook, released).notebook


class Grade(NbGraderPreprocessor):
    """nbgrader's autograde step: scores from the verdict."""

    kernel = Unicode(WARM, help=f"{WARM}, {COLD}, or {PLAIN} for no sandbox at all, which every verdict says").tag(
        config=True
    )
    limits = Dict(
        help="of notebooks that are not in course.toml: cell_seconds, notebook_seconds and the sandbox's, as memory_mb"
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        submission_of = resources["nbgrader"]
        lesson = _gradable(self._coursedir, submission_of)
        if lesson is None:
            return nb, resources  # without a graded cell, so that nbgrader changes no score
        submitted = self._submitted(submission_of)
        stored = store.verdict_path(self._home(), submission_of["student"], lesson)
        settings = Settings(kernel=self.kernel)
        if isinstance(lesson, plain.Notebook):
            lesson = rehearsal.prepared(lesson, settings)
        verdict, executed = store.load(lesson, submitted, stored, settings)
        if verdict is None:
            if missing := ready(settings):
                raise CourseError("there is no sandbox to grade in:\n" + "\n".join(missing))
            verdict, executed = store.make(lesson, submitted, submission_of["student"], stored, settings)
        (plain if isinstance(lesson, plain.Notebook) else feedback).write(nb, verdict, executed)
        pages.make_harmless(nb, _released(lesson))
        return nb, resources

    @property
    def _coursedir(self) -> CourseDirectory:
        return (
            self.parent.parent.coursedir
        )  # a preprocessor's parent is the exporter, whose parent is nbgrader's converter

    def _home(self) -> Path:
        """Returns the class's folder: where the gradebook lies."""
        return Path(self._coursedir.db_url.removeprefix("sqlite:///")).parent

    def _submitted(self, submission_of: dict[str, str]) -> Path:
        coursedir = self._coursedir
        folder = coursedir.format_path(
            coursedir.submitted_directory, submission_of["student"], submission_of["assignment"]
        )
        return Path(folder) / f"{submission_of['notebook']}.ipynb"


def _gradable(coursedir: CourseDirectory, submission_of: dict[str, str]) -> store.Gradable | None:
    """Finds the lesson of course.toml, or else the notebook as nbgrader released it.

    Returns:
        None for a notebook of a week of course.toml that is none of its lessons: it has been taken out.
    """
    root, week, name = Path(coursedir.root), submission_of["assignment"], submission_of["notebook"]
    lessons = Course(root).lessons() if (root / "course.toml").is_file() else []
    of_week = {lesson.name: lesson for lesson in lessons if lesson.assignment == week}
    return of_week.get(name) if of_week else course.notebook(coursedir, week, name)


def _released(lesson: store.Gradable) -> NotebookNode:
    return nbformat.read(lesson.released, as_version=4) if isinstance(lesson, Lesson) else lesson.released
