"""Grading a class: one submission after the other, each verdict stored as it comes; what has not changed is not run again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.course import Lesson
from grader.grade import Settings, grade
from grader.nbgrader_step import load_verdict, store_verdict, verdict_path
from grader.verdict import Verdict


@dataclass(frozen=True)
class Submission:
    """One notebook that a student handed in, or should have."""

    lesson: Lesson
    student: str
    path: Path


def submissions(lessons: Iterable[Lesson], home: Path, student: str = "*") -> list[Submission]:
    """All that is handed in below home/submitted; a student who handed in another notebook of the week counts as missing this one."""
    return [Submission(lesson, folder.parent.name, folder / f"{lesson.name}.ipynb")
            for lesson in lessons for folder in sorted((home / "submitted").glob(f"{student}/{lesson.week.name}")) if folder.is_dir()]


def grade_batch(todo: Iterable[Submission], home: Path, *, settings: Settings = Settings(), progress: Callable[[str], None],
                done: Callable[[], None]) -> list[Verdict]:
    """The verdict on each submission, from the store where it is on the same inputs."""
    verdicts = []
    for item in todo:
        stored = verdict_path(home, item.student, item.lesson)
        verdict, _ = load_verdict(item.lesson, item.path, stored, settings)
        if verdict is None:
            made = grade(item.lesson, item.path, item.student, settings, lambda text, who=item.student: progress(f"{who}: {text}"))  # type: ignore[misc]
            verdict = made.verdict
            store_verdict(stored, verdict, made.notebook)
        verdicts.append(verdict)
        done()
    return verdicts
