"""What is stored of a class on one lesson: verdicts, scores of the gradebook, files that have no verdict. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.classes.uploads import Submission, submissions
from grader.course import Lesson
from grader.grading import store, verdict
from grader.grading.verdict import Verdict
from grader.nbgrader import gradebook


@dataclass(frozen=True)
class LessonClass:
    """A class on one lesson.

    Attributes:
        verdicts: of each student who has one, by name.
        handed_in: the files of all students, of those without a verdict too.
        ungraded: who has handed in a file that has no verdict.
        stored: what the gradebook holds, by student.
    """

    lesson: Lesson
    verdicts: list[Verdict]
    handed_in: list[Submission]
    ungraded: list[str]
    stored: dict[str, gradebook.Score]

    @property
    def readable(self) -> list[Verdict]:
        """The verdicts on files that were notebooks of the lesson: what they say of an exercise can be counted."""
        return [verdict for verdict in self.verdicts if verdict.status != "refused"]


def gather(lesson: Lesson, home: Path) -> LessonClass:
    """Reads what is stored of the class in `home` on the lesson."""
    paths = sorted((home / "verdicts").glob(f"*/{lesson.week.name}/{lesson.name}.json"))
    handed_in = submissions([lesson], home)
    graded = {path: stored for path in paths if (stored := verdict.load(path)) is not None}
    return LessonClass(
        lesson,
        list(graded.values()),
        handed_in,
        [
            item.student
            for item in handed_in
            if item.path.is_file() and store.verdict_path(home, item.student, lesson) not in graded
        ],
        {
            score.student: score
            for score in gradebook.scores(lesson.course, home, lesson.week.name)
            if score.notebook == lesson.name
        },
    )


def by_student(classes: Iterable[LessonClass]) -> dict[str, list[tuple[LessonClass, Verdict]]]:
    """Sorts verdicts by student, each student's in the order of the course."""
    found: dict[str, list[tuple[LessonClass, Verdict]]] = {}
    for one in classes:
        for graded in one.verdicts:
            found.setdefault(graded.student, []).append((one, graded))
    return dict(sorted(found.items()))
