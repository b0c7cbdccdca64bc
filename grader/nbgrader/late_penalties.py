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
    """nbgrader's step, with the dates of class.toml written to the gradebook before it and the reason below the score."""

    lateness: Lateness = IN_TIME

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about = resources["nbgrader"]
        home = Path(about["db_url"].removeprefix("sqlite:///")).parent
        if (dates := lateness.read(home)) is not None:
            self.plugin_class = ShareADay
            week, student = about["assignment"], about["student"]
            with Gradebook(about["db_url"]) as book:
                _write_dates(book, dates, week, student)
                self.lateness = of_student(book, dates, student).get(week, IN_TIME)
        nb, resources = super().preprocess(nb, resources)
        if self.lateness.sentence:
            _show(nb, self.lateness.sentence)
        return nb, resources


def of_student(book: Gradebook, dates: Dates, student: str) -> dict[str, Lateness]:
    """Judges all weeks that the gradebook holds of the student."""
    handed_in = {one.assignment.name: _aware(one.timestamp) for one in book.student_submissions(student)}
    return lateness.judge(dates, student, handed_in, datetime.now(UTC))


def _write_dates(book: Gradebook, dates: Dates, week: str, student: str) -> None:
    """Writes the week's due date and the student's extension, so that formgrader and export show them."""
    if (own := dates.due_of(student, week)) is None:
        return
    submission, due = book.find_submission(week, student), dates.due[week]
    submission.assignment.duedate = due.astimezone(UTC).replace(tzinfo=None)
    submission.extension = own - due if own > due else None
    book.db.commit()


def _aware(when: datetime | None) -> datetime | None:
    """Adds the zone: nbgrader keeps times in UTC without saying so."""
    return None if when is None else when.replace(tzinfo=UTC)


def _show(nb: NotebookNode, sentence: str) -> None:
    """Puts the sentence above what the first graded cell shows."""
    for cell in nb.cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
            cell.outputs.insert(0, text_output(f"{sentence}\n"))
            return
