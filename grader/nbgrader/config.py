"""nbgrader as this course uses it: one configuration for nbgrader's own commands, for formgrader and for `grader`.

`home` is the folder that holds what belongs to one class: submitted, autograded, feedback and gradebook.db. nbgrader's
commands from the repository's root use the root itself.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import capture_log
from traitlets.config import Config

from etude.handing_in import ANSWER_STUB, STUB
from grader.course import Course, CourseError
from grader.nbgrader import lateness
from grader.nbgrader.course import NbgraderCourse
from grader.nbgrader.hidden_tests import HideHiddenTests
from grader.settings import Settings


def configuration(course: Course | NbgraderCourse, home: Path | None = None, settings: Settings = Settings()) -> Config:
    """Builds nbgrader's configuration. nbgrader_config.py at the root is this with home = the root.

    Raises:
        CourseError: the course has no course.toml, and `home` is not its root.
    """
    home = (home or course.root).resolve()
    config = Config()
    if isinstance(course, NbgraderCourse):
        if home != course.root:
            raise CourseError(f"{course.root} has no course.toml, so its class cannot lie elsewhere: leave out --home")
        config.merge(course.config)
        grade_in_sandbox(config, settings)
        return config
    config.CourseDirectory.root = str(course.root)
    config.CourseDirectory.course_id = course.file.title.lower()
    config.CourseDirectory.source_directory = str(Path("build", "source"))
    config.CourseDirectory.release_directory = "weeks"
    config.CourseDirectory.db_url = f"sqlite:///{home / 'gradebook.db'}"
    for step in ("submitted", "autograded", "feedback"):
        config.CourseDirectory[f"{step}_directory"] = _relative(home / step, course.root)
    config.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "results"]
    config.ClearSolutions.code_stub = {"python": STUB}
    config.ClearSolutions.text_stub = ANSWER_STUB
    config.HTMLExporter.preprocessors = ["grader.nbgrader.rubric.ShowRubric"]
    grade_in_sandbox(config, settings)
    return config


def grade_in_sandbox(config: Config, settings: Settings = Settings()) -> None:
    """Makes `nbgrader autograde` grade with this package. All that the nbgrader_config.py of another course needs."""
    config.Grade.kernel = settings.kernel
    config.Autograde.exporter_class = "grader.nbgrader.autograde.SafeExporter"
    config.Autograde.autograde_preprocessors = [
        "grader.nbgrader.autograde.Grade",
        "nbgrader.preprocessors.IgnorePattern",
        "nbconvert.preprocessors.ClearMetadataPreprocessor",
        "nbgrader.preprocessors.LimitOutput",
        "nbgrader.preprocessors.SaveAutoGrades",
        "grader.nbgrader.late_penalties.AssignLate",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    config.GenerateFeedback.preprocessors.insert(0, HideHiddenTests)


def api(course: Course | NbgraderCourse, home: Path | None = None, settings: Settings = Settings()) -> NbGraderAPI:
    """Returns nbgrader's Python interface, its messages kept for errors instead of printed."""
    _alembic_on_path()
    config = configuration(course, home, settings)
    interface = NbGraderAPI(_CourseDirectory(config=config), config=config)
    interface.log.setLevel(logging.ERROR)
    return interface


class _CourseDirectory(CourseDirectory):
    """nbgrader's, which reads the time of handing in as the rule for late submissions does."""

    def get_existing_timestamp(self, dest_path: str) -> datetime | None:
        """Gives the time in UTC, without saying so, as nbgrader does; none if the file holds none."""
        when = lateness.handed_in(Path(dest_path))
        return None if when is None else when.replace(tzinfo=None)


class _GenerateAssignment(GenerateAssignment):
    """nbgrader's release step, which keeps what students earned in a notebook that has left the week.

    nbgrader itself would then release nothing of the week any more. A notebook that is new to a week with submissions is refused.
    """

    def _clean_old_notebooks(self, assignment_id: str, student_id: str) -> None:
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as book:
            assignment = book.find_assignment(assignment_id)
            known = {notebook.name for notebook in assignment.notebooks}
            if assignment.submissions and {Path(path).stem for path in self.notebooks} <= known:
                return
        super()._clean_old_notebooks(assignment_id, student_id)


def release(course: Course, week: str, home: Path | None = None) -> None:
    """Runs nbgrader's release step for one week: into the gradebook at `home`, and into weeks/WEEK if that is to be another.

    nbgrader removes the folder of a release before it makes it and when it fails, so it gets a folder of its own.

    Raises:
        CourseError: it failed, and weeks/WEEK is as it was; the error holds nbgrader's own words.
    """
    home = home or course.root
    home.mkdir(parents=True, exist_ok=True)
    interface = api(course, home)
    interface.coursedir.assignment_id = week
    with tempfile.TemporaryDirectory(prefix="etude-") as scratch:
        interface.coursedir.release_directory = scratch
        step = _GenerateAssignment(coursedir=interface.coursedir, parent=interface)
        step.force = True
        result = capture_log(step)
        if not result["success"]:
            raise CourseError(_refusal(week, home, f"{result.get('error') or ''}{result.get('log') or ''}"))
        made, released = Path(scratch, week), course.root / "weeks" / week
        if home.resolve() == course.root.resolve() or not _holds_notebooks(released, made):
            shutil.rmtree(released, ignore_errors=True)
            shutil.copytree(made, released)


def _refusal(week: str, home: Path, words: str) -> str:
    if "because there are submissions associated with it" not in words:
        return f"nbgrader could not release {week}:\n{words}"
    return (
        f"{week} has other cells or lessons than when its first scores were stored, and nbgrader takes that into no gradebook "
        f"that holds work on it: undo the change and build again, or put {home / 'gradebook.db'} aside and grade again (points "
        "given by hand are in it alone)"
    )


def _holds_notebooks(released: Path, made: Path) -> bool:
    """Tells whether the notebooks are released as they were made now."""
    there = {path: released / path.name for path in made.glob("*.ipynb")}
    return all(old.is_file() and old.read_bytes() == new.read_bytes() for new, old in there.items())


def _alembic_on_path() -> None:
    """Puts this interpreter's folder on PATH: nbgrader makes a new gradebook by calling the program alembic, which lies there."""
    folder = str(Path(sys.executable).parent)
    if folder not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PATH", "")]))


def _relative(path: Path, root: Path) -> str:
    """Writes the path as nbgrader wants its folders: relative to the course's root."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
