"""A lesson's bank of answers, bank.py: every classic mistake and several other right ways, for each exercise.

    edit("sgns_loss", "sum-over-batch", {".mean()": ".sum()"},
         "the sum over the batch was taken in place of the mean", killed_by="test_the_loss_is_the_mean")

    @mistake("nearest", "euclidean", "the nearest by distance: the cosine was asked for", killed_by="test_…")
    def nearest(vectors, words, query): ...

    @alternative("sgns_loss", "one-loop")
    def sgns_loss(center, context, negatives): ...

    equivalent("nearest", "3: unit @ unit[row] → unit[row] @ unit", "the same product: cosine is symmetric")

Most mistakes are an edit of the reference, or of another answer: the old text must stand there exactly once. Another
algorithm is written out. An answer takes the place of the exercise's whole cell, so it must define what that cell defines. It sees
what the notebook's setup cell imports. A slug names an answer within its exercise, in a few lower-case words.

An equivalent mutant is a mutant of the reference (`grader.quality.mutants`) that passes every check, with the reason why it may.
The bank is never released; what is shipped are the outcomes of the public checks on it (grader.release.known_mistakes).
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

from grader.course import CourseError, Lesson
from grader.lessons import source
from grader.provenance import bare, digest

Function = TypeVar("Function", bound=Callable[..., object])

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes:
        sentence: names the mistake; None for a right answer.
        killed_by: the check that is meant for it.
        slow: why a right answer is too slow for the lesson's experiment, though its checks pass; empty if it is not.
    """

    exercise: str
    slug: str
    sentence: str | None
    killed_by: str | None
    code: str
    slow: str = ""

    @property
    def label(self) -> str:
        return f"{self.exercise}/{self.slug}"

    @property
    def digest(self) -> str:
        """A short hash of the code, comments and docstrings apart: while it is the same, so is what checks make of it."""
        return digest(bare(self.code))[:12]


@dataclass(frozen=True)
class Equivalent:
    """A mutant that passes every check: the exercise, the mutant's label, and why nothing can tell it from a right answer."""

    exercise: str
    label: str
    why: str


@dataclass
class _Bank:
    """What has been read of a bank, and the reference's cells without their markers."""

    cells: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    equivalent: list[Equivalent] = field(default_factory=list)

    def add(self, answer: Answer) -> None:
        """Takes an answer in.

        Raises:
            CourseError: the exercise is unknown, or the slug is none or is taken.
        """
        self.cell(answer.exercise)
        if not SLUG.fullmatch(answer.slug):
            raise CourseError(f"{answer.label}: a slug is a few lower-case words with hyphens between them")
        if answer.label in self.answers:
            raise CourseError(f"{answer.label} stands twice: a slug names one answer of its exercise")
        self.answers[answer.label] = answer

    def cell(self, exercise: str, slug: str = "") -> str:
        """Returns the reference's cell, or the answer that the slug names.

        Raises:
            CourseError: there is none.
        """
        if exercise not in self.cells:
            raise CourseError(f"there is no exercise {exercise!r}; there are {', '.join(self.cells)}")
        if not slug:
            return self.cells[exercise]
        if f"{exercise}/{slug}" not in self.answers:
            raise CourseError(f"{exercise}/{slug} does not stand above its edit")
        return self.answers[f"{exercise}/{slug}"].code


_bank = _Bank()


def edit(
    exercise: str, slug: str, edits: Mapping[str, str], sentence: str, killed_by: str | None = None, of: str = ""
) -> None:
    """Adds a wrong answer that is the reference with each old text replaced by its new one.

    Args:
        edits: old text → new text.
        sentence: names the mistake for its student.
        killed_by: the check that is meant for the wrong answer.
        of: the slug of an answer further up that is edited in place of the reference.

    Raises:
        CourseError: an old text does not stand exactly once in what is edited, or the result is no Python.
    """
    try:
        code = edited(_bank.cell(exercise, of), edits)
    except ValueError as error:
        raise CourseError(f"{exercise}/{slug}, an edit of {of or 'the reference'}: {error}") from error
    _bank.add(Answer(exercise, slug, sentence, killed_by, code))


def edited(code: str, edits: Mapping[str, str]) -> str:
    """Replaces each old text in the code.

    Raises:
        ValueError: an old text does not stand there exactly once, apart from the others, or the result is no Python.
    """
    for old in edits:
        if (times := code.count(old)) != 1:
            raise ValueError(f"{old!r} stands there {times} times, and should stand there once")
    places = sorted((code.index(old), code.index(old) + len(old), new) for old, new in edits.items())
    for (_, end, _), (start, _, new) in pairwise(places):
        if start < end:
            raise ValueError(f"the text that becomes {new!r} overlaps with another")
    for start, end, new in reversed(places):
        code = code[:start] + new + code[end:]
    try:
        ast.parse(code)
    except SyntaxError as error:
        raise ValueError(f"the result is no Python, {error}") from error
    return code


def mistake(exercise: str, slug: str, sentence: str, killed_by: str | None = None) -> Callable[[Function], Function]:
    """Marks a wrong answer that is written out, with the sentence that names the mistake."""
    return _mark(exercise, slug, sentence, killed_by)


def alternative(exercise: str, slug: str, slow: str = "") -> Callable[[Function], Function]:
    """Marks another right answer.

    Args:
        slow: why it is too slow for the experiment, whose points it then costs.
    """
    return _mark(exercise, slug, None, None, slow)


def equivalent(exercise: str, label: str, why: str) -> None:
    """Explains a mutant that passes every check.

    Args:
        label: the mutant's, as `grader audit` prints it.
    """
    _bank.cell(exercise)
    _bank.equivalent.append(Equivalent(exercise, label, why))


def _mark(
    exercise: str, slug: str, sentence: str | None, killed_by: str | None, slow: str = ""
) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        code = textwrap.dedent(inspect.getsource(function))
        definition = ast.parse(code).body[0]
        written = "\n".join(code.splitlines()[definition.lineno - 1 :])  # without the decorator
        _bank.add(Answer(exercise, slug, sentence, killed_by, written, slow))
        return function

    return register


def load(lesson: Lesson) -> list[Answer]:
    """Reads the lesson's answers in the order of the file.

    Raises:
        CourseError: the bank cannot be read; the error says why.
    """
    return list(_read(lesson).answers.values())


def equivalent_mutants(lesson: Lesson) -> list[Equivalent]:
    """Reads the mutants that the bank explains, in the order of the file."""
    return _read(lesson).equivalent


def _read(lesson: Lesson) -> _Bank:
    global _bank
    path = lesson.source / "bank.py"
    _bank = _Bank({name: _unmarked(cell) for name, cell in source.exercises(source.read(lesson)).items()})
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "bank", "__file__": str(path)})
    except CourseError as error:
        raise CourseError(f"{path}: {error}") from error
    return _bank


def _unmarked(cell: str) -> str:
    """Copies the reference's cell without the solution's markers: so a student would hand it in."""
    return "\n".join(line for line in cell.splitlines() if line.strip() not in (source.BEGIN, source.END))
