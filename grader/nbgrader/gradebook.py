"""Verdicts into nbgrader's gradebook, by nbgrader itself: one writer, one submission after the other."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook, SubmittedAssignment
from sqlalchemy import text
from sqlalchemy.exc import OperationalError, SAWarning

from grader.course import Course, CourseError
from grader.grading import submission
from grader.interrupt import postponed
from grader.nbgrader import engines, late_penalties, lateness
from grader.nbgrader.config import api, configuration
from grader.nbgrader.course import NbgraderCourse
from grader.nbgrader.lateness import IN_TIME, Lateness
from grader.sandbox.transfer import copy_folder
from grader.settings import Settings

MOST_BYTES, MOST_FILES = 256 << 20, 2000  # of what lies beside a student's notebooks
INDEXED = [("grade", "notebook_id"), ("submitted_notebook", "assignment_id"), ("submitted_assignment", "student_id")]


@dataclass(frozen=True)
class Score:
    """What the gradebook holds for one student's notebook: automatic and manual points together.

    Attributes:
        automatic: the points from verdicts, whether a person has given others instead or not.
        penalty: the points that are taken from the score, as the notebook was late.
        late: what became of the week, by the class's rule and the times of handing in as they stand now.
    """

    student: str
    week: str
    notebook: str
    score: float
    points: float
    needs_manual_grade: bool
    automatic: float = 0.0
    penalty: float = 0.0
    late: Lateness = IN_TIME

    @property
    def lesson(self) -> str:
        return f"{self.week}/{self.notebook}"

    @property
    def penalty_is_right(self) -> bool:
        """Whether the penalty is what the rule takes from the score as it stands: no answer was read, no date changed since."""
        return abs(self.penalty - self.late.share * self.score) < 1e-6

    def holds(self, earned: float) -> bool:
        """Tells whether these are the points from the verdict that is stored."""
        return abs(self.automatic - earned) < 1e-6


def store(course: Course | NbgraderCourse, home: Path, week: str, student: str, settings: Settings) -> None:
    """Stores one submission through `nbgrader autograde`, which finds its verdict.

    Raises:
        CourseError: it could not be stored; the error holds nbgrader's words.
    """
    looked_for = glob.escape(student).strip()  # nbgrader looks for the folder by such a pattern
    if looked_for != student or not student.isprintable():
        raise CourseError(
            f"nbgrader cannot store what {student!r} handed in: rename the folder, without [ * ?, line ends and "
            "blanks at its ends, and grade again"
        )
    interface = api(course, home, settings)
    coursedir = interface.coursedir
    handed_in = Path(coursedir.format_path(coursedir.submitted_directory, student, week))
    with tempfile.TemporaryDirectory(prefix="etude-") as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # nbgrader's own, on every new submission
        try:
            _copy(handed_in, Path(scratch, student, week))
        except OSError as error:
            raise CourseError(
                f"{week} of {student} cannot be read whole ({error.strerror}), so nothing of it is stored: let the grader read "
                f"{error.filename or handed_in}"
            ) from None
        _add_missing(course, home, week, Path(scratch, student, week))
        coursedir.submitted_directory = scratch
        # Ctrl-C: nbgrader would take it for a failure of this submission, and go on.
        with postponed(), engines.kept():
            result = interface.autograde(week, student, force=True, create=True)
    if not result["success"]:
        raise CourseError(
            f"nbgrader could not store {student}'s {week}:\n{result.get('log') or ''}{result.get('error') or ''}"
        )


def _copy(handed_in: Path, target: Path) -> None:
    """Copies what nbgrader may look at: regular files within bounds. It would follow links and wait at a FIFO.

    A notebook that cannot be read within bounds is there, and empty.
    """
    opened = os.open(handed_in, os.O_RDONLY | os.O_DIRECTORY)
    try:
        copy_folder(opened, target, MOST_BYTES, MOST_FILES)
    finally:
        os.close(opened)
    for path in handed_in.glob("*.ipynb"):
        copy = target / path.name
        if copy.is_dir():
            shutil.rmtree(copy)
        copy.write_bytes(submission.content(path))


def _add_missing(course: Course | NbgraderCourse, home: Path, week: str, target: Path) -> None:
    """Adds an empty file for each lesson that left the week, and for all others where none of them was handed in.

    nbgrader takes all points for a notebook without a file, and stores nothing for a student who handed in none that it knows.
    """
    with _opened(course, home) as book:
        known = {one.name for one in book.find_assignment(week).notebooks} if book and _has(book, week) else set()
    lessons = {lesson.name for lesson in course.lessons(week)}
    nothing_there = not any((target / f"{name}.ipynb").exists() for name in lessons)
    for name in known if nothing_there else known - lessons:
        (target / f"{name}.ipynb").touch()


def knows(course: Course | NbgraderCourse, home: Path, week: str) -> bool:
    """Tells whether the week has been released into the gradebook at `home`."""
    with _opened(course, home) as book:
        return book is not None and _has(book, week)


def _has(book: Gradebook, week: str) -> bool:
    return any(assignment.name == week for assignment in book.assignments)


def scores(course: Course | NbgraderCourse, home: Path, week: str) -> list[Score]:
    """Reads all scores of one week in the gradebook at `home`; empty if there is none.

    Raises:
        CourseError: the class's dates cannot be read.
    """
    dates = lateness.read(home)
    scores_of_week = []
    with _opened(course, home) as book:
        if book is None:
            return []
        for submission in book.assignment_submissions(week):
            judged = late_penalties.of_student(book, home, dates, submission.student.id) if dates else None
            scores_of_week += _scores(submission, judged)
    return sorted(scores_of_week, key=lambda score: (score.notebook, score.student))


def wrong_penalties(course: Course | NbgraderCourse, home: Path, students: Iterable[str]) -> list[tuple[str, str]]:
    """Lists (week, student) where the class's rule takes another penalty now than the gradebook holds.

    Raises:
        CourseError: the class's dates cannot be read.
    """
    dates, wrong = lateness.read(home), []
    with _opened(course, home) as book:
        if book is None or dates is None:
            return []
        for student in sorted(students):
            judged = late_penalties.of_student(book, home, dates, student)
            wrong += [
                (submission.assignment.name, student)
                for submission in book.student_submissions(student)
                if not all(score.penalty_is_right for score in _scores(submission, judged))
            ]
    return wrong


@contextmanager
def _opened(course: Course | NbgraderCourse, home: Path) -> Iterator[Gradebook | None]:
    """Opens the gradebook at `home`; gives None if there is none, which opening it would make."""
    directory = configuration(course, home).CourseDirectory
    if not (home / "gradebook.db").is_file():
        yield None
        return
    with Gradebook(directory.db_url, directory.course_id) as book:
        _index(book)
        yield book


def _index(book: Gradebook) -> None:
    """Adds the indexes by which a notebook's grades and a student's weeks are found: without them each time all are read."""
    try:
        for table, column in INDEXED:
            book.db.execute(text(f"CREATE INDEX IF NOT EXISTS {table}_{column} ON {table} ({column})"))
        book.db.commit()
    except OperationalError:  # as of a gradebook that may only be read
        book.db.rollback()


def _scores(submission: SubmittedAssignment, judged: Mapping[str, Lateness] | None) -> list[Score]:
    """Reads the scores of a student's week.

    Args:
        judged: week → what became of it; None if the class has no rule of ours, then what was taken away is right.
    """
    week, scores = submission.assignment.name, []
    for notebook in submission.notebooks:
        penalty = notebook.late_submission_penalty or 0.0
        taken = Lateness(penalty / notebook.score if notebook.score else 0.0)
        scores.append(
            Score(
                submission.student.id,
                week,
                notebook.name,
                notebook.score,
                notebook.max_score,
                notebook.needs_manual_grade,
                automatic=sum(grade.auto_score or 0.0 for grade in notebook.grades),
                penalty=penalty,
                late=taken if judged is None else judged.get(week, IN_TIME),
            )
        )
    return scores
