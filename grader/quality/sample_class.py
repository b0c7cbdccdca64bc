"""A small class whose answers are known: made from a lesson's own reference, skeletons and bank, so never out of date.

Its students stand for what comes in: everything right in other ways than the reference's, half finished, classic mistakes,
nothing written, a file that is no notebook. Grading them shows an instructor (and CI) what the grader does with each.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import nbformat

from grader.course import Lesson
from grader.grading import store, verdict
from grader.lessons import bank, source

STUDENTS = {
    "ada": "everything right, in other ways than the reference's",
    "bora": "the first half of the exercises is right, the rest not written",
    "chul": "every second exercise holds a classic mistake",
    "dana": "the notebook as it was released, nothing written",
    "eun": "a file that is no notebook: the upload broke off in the middle",
}


def hand_in(lessons: Iterable[Lesson], home: Path) -> None:
    """Writes the class's submissions of these lessons below home/submitted, in nbgrader's layout."""
    for lesson in lessons:
        for student, given in answers(lesson).items():
            path = home / "submitted" / student / lesson.week.name / f"{lesson.name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            text = nbformat.writes(source.filled(lesson, given))
            path.write_text(text[: len(text) // 2] if student == "eun" else text, encoding="utf-8")


def answers(lesson: Lesson) -> dict[str, dict[str, str]]:
    """Composes what each student hands in: student → exercise → the source that the student writes.

    What a student leaves unwritten is not in it.
    """
    right = source.exercises(source.read(lesson))
    names, known = list(right), bank.load(lesson)
    other_ways = {a.exercise: a.code for a in reversed(known) if a.sentence is None and not a.slow}
    mistakes = {a.exercise: a.code for a in reversed(known) if a.sentence is not None}
    return {
        "ada": right | other_ways,
        "bora": {name: right[name] for name in names[: (len(names) + 1) // 2]},
        "chul": right | {name: mistakes[name] for name in names[::2] if name in mistakes},
        "dana": {},
        "eun": {},
    }


def surprises(lessons: Iterable[Lesson], home: Path) -> list[str]:
    """Says in sentences what the grader made of these students and should not have; empty if all is well."""
    sentences = []
    for lesson in lessons:
        for student, share in (("ada", 1.0), ("dana", 0.0)):
            graded = verdict.load(store.verdict_path(home, student, lesson))
            if graded is None or graded.status != "graded":
                sentences.append(f"{lesson.id}: {student} has no score, though it is the notebook that was released")
            elif abs(graded.earned - share * graded.points) > 1e-9:
                sentences.append(
                    f"{lesson.id}: {student} ({STUDENTS[student]}) has {graded.earned:g} points of {graded.points:g}, "
                    f"expected {share * graded.points:g}; see {store.verdict_path(home, student, lesson)}"
                )
        broken = verdict.load(store.verdict_path(home, "eun", lesson))
        if broken is None or broken.status != "refused":
            sentences.append(f"{lesson.id}: eun's file is no notebook, and was not refused")
    return sentences
