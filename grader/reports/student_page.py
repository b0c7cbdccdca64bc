"""A page for each student, students/NAME.html: what the score is made of. It may be handed out.

It says no more than the feedback in the notebook does: of a hidden check its question and whether it passed, never its values.
It names no other student and links to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.course import Course
from grader.nbgrader.feedback import shown_message
from grader.provenance import now
from grader.reports import pages
from grader.reports.gathered import LessonClass, by_student


def write(course: Course, classes: Sequence[LessonClass], folder: Path) -> list[Path]:
    """Writes a page for each student who has a verdict into folder/students; pages of an earlier call go."""
    for old in (folder / "students").glob("*.html"):
        old.unlink()
    written = []
    for student, graded in by_student(classes).items():
        path = folder / "students" / pages.student_file(student)
        pages.write(
            path,
            "student.html",
            course=course,
            student=student,
            graded=graded,
            message=shown_message,
            made=now(),
        )
        written.append(path)
    return written
