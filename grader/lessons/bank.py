"""A lesson's bank of answers, bank.py: every classic mistake and several other right ways, for each exercise.

    @mistake("sgns_loss", "the sum over the batch was taken in place of the mean", "test_the_loss_is_the_mean")
    def sgns_loss(center, context, negatives): ...

    @alternative("sgns_loss")
    def sgns_loss(center, context, negatives): ...

    equivalent("nearest", "3: unit @ unit[row] → unit[row] @ unit", "the same product: cosine is symmetric")

An answer takes the place of the exercise's whole cell, so it must define what that cell defines. It sees what the
notebook's setup cell imports. An equivalent mutant is a mutant of the reference (`grader.quality.mutants`) that passes every check, with
the reason why it may. The bank is never released; what is shipped are the outcomes
of the public checks on it (grader.release.known_mistakes).
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from grader.course import CourseError, Lesson
from grader.lessons import source


@dataclass(frozen=True)
class Answer:
    """One answer. `sentence` names the mistake, None for a right answer; `killed_by`: the check that is meant for it.

    slow: why a right answer is too slow for the lesson's experiment, though its checks pass; empty if it is not.
    """

    exercise: str
    label: str
    sentence: str | None
    killed_by: str | None
    code: str
    slow: str = ""


@dataclass(frozen=True)
class Equivalent:
    """A mutant that passes every check: the exercise, the mutant's label, and why nothing can tell it from a right answer."""

    exercise: str
    label: str
    why: str


def mistake(exercise: str, sentence: str, killed_by: str | None = None) -> Callable[[Callable], Callable]:
    """Marks a wrong answer: what a student who got it wrong in this way hands in, and the sentence that names it."""
    return _mark(exercise, sentence, killed_by)


def alternative(exercise: str, slow: str = "") -> Callable[[Callable], Callable]:
    """Marks another right answer. slow: why it is too slow for the experiment, whose points it then costs."""
    return _mark(exercise, None, None, slow)


def equivalent(exercise: str, label: str, why: str) -> None:
    """Explains a mutant that passes every check; `label` as `grader audit` prints it."""
    _explained.append(Equivalent(exercise, label, why))


_found: list[Answer] = []
_explained: list[Equivalent] = []


def _mark(exercise: str, sentence: str | None, killed_by: str | None, slow: str = "") -> Callable[[Callable], Callable]:
    def register(function: Callable) -> Callable:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        definition = tree.body[0]
        assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
        definition.decorator_list = []
        number = sum(answer.exercise == exercise for answer in _found)
        kind = "right" if sentence is None else "wrong"
        _found.append(Answer(exercise, f"{exercise}-{kind}-{number}", sentence, killed_by, ast.unparse(tree), slow))
        return function

    return register


def load(lesson: Lesson) -> list[Answer]:
    """The lesson's answers in the order of the file. Raises CourseError for an answer to an exercise that is not there."""
    return _read(lesson)[0]


def equivalent_mutants(lesson: Lesson) -> list[Equivalent]:
    """The mutants that the bank explains, in the order of the file."""
    return _read(lesson)[1]


def _read(lesson: Lesson) -> tuple[list[Answer], list[Equivalent]]:
    path = lesson.source / "bank.py"
    names = source.exercises(source.read(lesson))
    _found.clear()
    _explained.clear()
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "bank", "__file__": str(path)})
    for exercise in [*(answer.exercise for answer in _found), *(entry.exercise for entry in _explained)]:
        if exercise not in names:
            raise CourseError(f"{path}: there is no exercise {exercise!r}; there are {', '.join(names)}")
    return list(_found), list(_explained)
