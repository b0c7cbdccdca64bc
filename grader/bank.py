"""A lesson's bank of answers, bank.py: every classic mistake and several other right ways, for each exercise.

    @mistake("sgns_loss", "the sum over the batch was taken in place of the mean")
    def sgns_loss(center, context, negatives): ...

    @alternative("sgns_loss")
    def sgns_loss(center, context, negatives): ...

An answer takes the place of the exercise's whole cell, so it must define what that cell defines. It sees what the
notebook's setup cell imports. The bank is never released; what is shipped are the outcomes of the checks on it.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from etude.checks import Outcome, run_check
from etude.mistakes import fingerprint
from etude.student import LiveStudent
from grader import source
from grader.course import CourseError, Lesson


@dataclass(frozen=True)
class Answer:
    """One answer. `sentence` names the mistake, None for a right answer; `caught_by`: the check that is meant for it."""

    exercise: str
    label: str
    sentence: str | None
    caught_by: str | None
    code: str


def mistake(exercise: str, sentence: str, caught_by: str | None = None) -> Callable[[Callable], Callable]:
    """Marks a wrong answer: what a student who got it wrong in this way hands in, and the sentence that names it."""
    return _mark(exercise, sentence, caught_by)


def alternative(exercise: str) -> Callable[[Callable], Callable]:
    """Marks another right answer."""
    return _mark(exercise, None, None)


_found: list[Answer] = []


def _mark(exercise: str, sentence: str | None, caught_by: str | None) -> Callable[[Callable], Callable]:
    def register(function: Callable) -> Callable:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        definition = tree.body[0]
        assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
        definition.decorator_list = []
        number = sum(answer.exercise == exercise for answer in _found)
        kind = "right" if sentence is None else "wrong"
        _found.append(Answer(exercise, f"{exercise}-{kind}-{number}", sentence, caught_by, ast.unparse(tree)))
        return function

    return register


def load(lesson: Lesson) -> list[Answer]:
    """The lesson's answers in the order of the file. Raises CourseError for an answer to an exercise that is not there."""
    path = lesson.source / "bank.py"
    names = source.exercises(source.read(lesson))
    _found.clear()
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "bank", "__file__": str(path)})
    for answer in _found:
        if answer.exercise not in names:
            raise CourseError(f"{path}: there is no exercise {answer.exercise!r}; there are {', '.join(names)}")
    return list(_found)


def outcomes(lesson: Lesson, answer: Answer | None, *, hidden: bool = True) -> list[Outcome]:
    """The exercise's checks on one answer; None: every check on the reference."""
    student = LiveStudent(source.namespace(lesson, {answer.exercise: answer.code} if answer else None))
    mine = [c for c in source.checks(lesson, hidden) if answer is None or c.exercise == answer.exercise]
    return [run_check(check, student) for check in mine]


def known_mistakes(lesson: Lesson) -> dict[str, list[dict[str, Any]]]:
    """mistakes.json: exercise → for each mistake its sentence and what the public checks make of it, never its code.

    Mistakes that the public checks cannot tell apart share one entry; a mistake that they all let through has none.
    """
    known: dict[str, list[dict[str, Any]]] = {}
    for answer in load(lesson):
        if answer.sentence is None:
            continue
        found = outcomes(lesson, answer, hidden=False)
        if all(outcome.passed for outcome in found):
            continue
        seen = {outcome.check.name: fingerprint(outcome) for outcome in found}
        entries = known.setdefault(answer.exercise, [])
        twin = next((entry for entry in entries if entry["outcomes"] == seen), None)
        if twin is None:
            entries.append({"sentence": answer.sentence, "outcomes": seen})
        elif answer.sentence not in twin["sentence"]:
            twin["sentence"] += f"; or {answer.sentence}"
    return known
