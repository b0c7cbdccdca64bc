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

from grader import feedback, submission, verdict
from grader.course import Course, CourseError, Lesson
from grader.grade import Settings, fingerprint, grade


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

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        who = resources["nbgrader"]
        lesson = _lesson(self._coursedir, who)
        if lesson is None:
            raise CourseError(f"{who['assignment']}/{who['notebook']} is not in course.toml")
        submitted = self._submitted(who)
        stored = verdict_path(self._home(), who["student"], lesson)
        found, executed = load_verdict(lesson, submitted, stored)
        if found is None:
            graded = grade(lesson, submitted, who["student"])
            found, executed = graded.verdict, graded.notebook
            store_verdict(stored, found, executed)
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


def verdict_path(home: Path, student: str, lesson: Lesson) -> Path:
    """home/verdicts/STUDENT/WEEK/LESSON.json; the executed notebook lies beside it."""
    return home / "verdicts" / student / lesson.week.name / f"{lesson.name}.json"


def load_verdict(lesson: Lesson, submitted: Path, stored: Path,
                 settings: Settings = Settings()) -> tuple[verdict.Verdict | None, NotebookNode | None]:
    """The stored verdict and executed notebook if they are on these very inputs, else (None, None)."""
    found = verdict.load(stored)
    small = submitted.is_file() and submitted.stat().st_size <= submission.LARGEST
    content = submitted.read_bytes() if small else b""
    if found is None or found.inputs != fingerprint(lesson, content, settings):
        return None, None
    executed = stored.with_suffix(".ipynb")
    return found, nbformat.read(executed, as_version=4) if executed.is_file() else None


def store_verdict(stored: Path, made: verdict.Verdict, executed: NotebookNode | None) -> None:
    """Writes the executed notebook, then the verdict: a verdict that is there is complete."""
    stored.parent.mkdir(parents=True, exist_ok=True)
    notebook = stored.with_suffix(".ipynb")
    if executed is not None:
        nbformat.write(executed, notebook)
    else:
        notebook.unlink(missing_ok=True)
    made.save(stored)


__all__ = ["Grade", "SafeExporter", "load_verdict", "store_verdict", "verdict_path"]
