"""Late submissions in nbgrader's own terms: due dates, extensions and penalties of the gradebook, from the class's rule.

AssignLate stands where nbgrader assigns penalties. In a class without class.toml it is nbgrader's own step, with its due dates and
whatever plugin is configured.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties

from grader.grading.shown_outputs import text_output
from grader.nbgrader import lateness
from grader.nbgrader.lateness import IN_TIME, Dates, Lateness


class ShareADay(LateSubmissionPlugin):
    """nbgrader's plugin for penalties: takes the share of the score that the class's rule takes."""

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        step: Any = self.parent
        share = step.lateness.share
        return share * score if share else None


class AssignLate(AssignLatePenalties):
    """nbgrader's step, with the class's dates written to the gradebook before it and the reason above the score."""

    lateness: Lateness = IN_TIME

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about = resources["nbgrader"]
        home = Path(about["db_url"].removeprefix("sqlite:///")).parent
        if (dates := lateness.read(home)) is not None:
            self.plugin_class = ShareADay
            week, student = about["assignment"], about["student"]
            with Gradebook(about["db_url"]) as book:
                _write_dates(book, home, dates, week, student)
                self.lateness = of_student(book, home, dates, student).get(week, IN_TIME)
                _write_penalties(book, home, week, student, self.lateness.share)
        nb, resources = super().preprocess(nb, resources)
        if self.lateness.sentence:
            _show(nb, self.lateness.sentence)
        return nb, resources


def of_student(book: Gradebook, home: Path, dates: Dates, student: str) -> dict[str, Lateness]:
    """Judges all weeks of the student that lie in the class's folder now, and those that the gradebook alone knows."""
    handed_in = {one.assignment.name: _aware(one.timestamp) for one in book.student_submissions(student)}
    handed_in |= lateness.times(dates, home, student)
    return lateness.judge(dates, student, handed_in, datetime.now(UTC))


def _write_dates(book: Gradebook, home: Path, dates: Dates, week: str, student: str) -> None:
    """Writes the week's due date, the student's extension and the time of handing in, so that formgrader and export show them."""
    submission = book.find_submission(week, student)
    if (folder := _folder(home, student, week)).is_dir():
        when = lateness.handed_in(folder)
        submission.timestamp = None if when is None else _naive(when)
    if (own := dates.due_of(student, week)) is not None:
        due = dates.due[week]
        submission.assignment.duedate = _naive(due)
        submission.extension = own - due if own > due else None
    book.db.commit()


def _write_penalties(book: Gradebook, home: Path, week: str, student: str, share: float) -> None:
    """Writes the penalties of notebooks that are not there: nbgrader takes no step for them.

    They have 0 points, unless their lesson was taken out or a person gave some.
    """
    folder = _folder(home, student, week)
    for notebook in book.find_submission(week, student).notebooks:
        if folder.is_dir() and not (folder / f"{notebook.name}.ipynb").exists():
            notebook.late_submission_penalty = share * notebook.score or None
    book.db.commit()


def _folder(home: Path, student: str, week: str) -> Path:
    return home / "submitted" / student / week


def _naive(when: datetime) -> datetime:
    """Takes the zone away: nbgrader keeps times in UTC without saying so."""
    return when.astimezone(UTC).replace(tzinfo=None)


def _aware(when: datetime | None) -> datetime | None:
    """Adds the zone that `_naive` took away."""
    return None if when is None else when.replace(tzinfo=UTC)


def _show(nb: NotebookNode, sentence: str) -> None:
    """Puts the sentence above what the first graded cell shows."""
    for cell in nb.cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
            cell.outputs.insert(0, text_output(f"{sentence}\n"))
            return
