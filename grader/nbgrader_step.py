"""Where nbgrader and the grader meet: `nbgrader autograde` reads through SafeExporter and scores through Grade.

SafeExporter reads what a student handed in, whatever it is, as a notebook in the lesson's shape, so that one broken
file costs nobody else anything. Grade stands where nbgrader executes notebooks: it takes the stored verdict if it is on the same
inputs, makes it otherwise, and writes each graded cell's score and reasons as the outputs that nbgrader reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from grader import feedback, store, submission
from grader.course import Course, CourseError, Lesson
from grader.grade import grade
from grader.settings import COLD, PLAIN, WARM, Settings, ready


class SafeExporter(NotebookExporter):
    """Reads a submission's notebook in the lesson's shape; the released notebook in its place if it cannot be read."""

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> Any:
        path = Path(filename)
        lesson = _lesson(self.parent.coursedir, resources["nbgrader"])
        if lesson is None or not self.parent._sanitizing:  # nbgrader's second pass reads what its first pass wrote
            return super().from_filename(filename, resources, **kwargs)
        released = nbformat.read(lesson.released, as_version=4)
        try:
            notebook = submission.restore(submission.read(path)[1], released).notebook
        except submission.BadSubmission as problem:
            self.log.warning("%s: %s", filename, problem)
            notebook = released
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        return self.from_notebook_node(notebook, resources=resources, **kwargs)


class Grade(NbGraderPreprocessor):
    """nbgrader's autograde step: scores from the verdict."""

    kernel = Unicode(WARM, help=f"{WARM}, {COLD}, or {PLAIN} for no sandbox at all, which every verdict says").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        who = resources["nbgrader"]
        lesson = _lesson(self._coursedir, who)
        if lesson is None:
            raise CourseError(f"{who['assignment']}/{who['notebook']} is not in course.toml")
        submitted = self._submitted(who)
        stored = store.verdict_path(self._home(), who["student"], lesson)
        settings = Settings(kernel=self.kernel)
        found, executed = store.load(lesson, submitted, stored, settings)
        if found is None:
            if missing := ready(settings):
                raise CourseError("there is no sandbox to grade in:\n" + "\n".join(missing))
            graded = grade(lesson, submitted, who["student"], settings)
            found, executed = graded.verdict, graded.notebook
            store.save(stored, found, executed)
        feedback.write(nb, found, executed)
        return nb, resources

    @property
    def _coursedir(self) -> CourseDirectory:
        return self.parent.parent.coursedir  # a preprocessor's parent is the exporter, whose parent is nbgrader's converter

    def _home(self) -> Path:
        """The class's folder: where the gradebook lies."""
        return Path(self._coursedir.db_url.removeprefix("sqlite:///")).parent

    def _submitted(self, who: dict[str, str]) -> Path:
        coursedir = self._coursedir
        folder = coursedir.format_path(coursedir.submitted_directory, who["student"], who["assignment"])
        return Path(folder) / f"{who['notebook']}.ipynb"


def _lesson(coursedir: CourseDirectory, who: dict[str, str]) -> Lesson | None:
    try:
        return Course(Path(coursedir.root)).lesson(f"{who['assignment']}/{who['notebook']}")
    except CourseError:
        return None
