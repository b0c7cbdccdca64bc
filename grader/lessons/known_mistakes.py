"""What is known of the mistakes in a lesson's bank: solutions/WEEK/LESSON/outcomes.json, read.

For each wrong answer the file holds what all checks make of it, never code (grader.release.known_mistakes writes it). A
student's outcomes that agree in every check get the mistake's sentence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from etude.lesson.mistakes import alike
from grader.course import Lesson

PRIVATE = "outcomes.json"
PASSED = {"status": "passed"}

Outcomes = dict[str, dict[str, Any]]  # check → the fingerprint of what it saw
Known = dict[str, list[dict[str, Any]]]  # exercise → for each mistake {"sentence": ..., "outcomes": Outcomes}


@dataclass(frozen=True)
class Tried:
    """A wrong answer of the bank, and what all checks make of it.

    Attributes:
        digest: the hash of its code (grader.lessons.bank).
    """

    exercise: str
    slug: str
    digest: str
    sentence: str
    outcomes: Outcomes


def known(lesson: Lesson) -> Known:
    """Reads the lesson's mistakes with what all checks make of them, as they were last written; none if they never were."""
    path = lesson.source / PRIVATE
    return _known(path, path.stat().st_mtime_ns) if path.is_file() else {}


@cache
def _known(path: Path, stamp: int) -> Known:
    return entries((answer.exercise, answer.sentence, answer.outcomes) for answer in read(path).tried)


@dataclass(frozen=True)
class Kept:
    """outcomes.json: wrong answers with their outcomes, and what these were made from.

    Attributes:
        code: the hash of what they all share: the notebook, its checks and what these import.
    """

    code: str = ""
    libraries: str = ""
    tried: list[Tried] = field(default_factory=list)


def read(path: Path) -> Kept:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Kept(content["code"], content["libraries"], [Tried(*row) for row in content["answers"]])
    except (OSError, ValueError, KeyError, TypeError):
        return Kept()  # there is none, or it was cut or merged by hand


def entries(tried: Iterable[tuple[str, str, Outcomes]]) -> Known:
    """Collects the mistakes that their outcomes tell from all others.

    One without an entry: the checks let it through, or saw no value of it, or cannot tell it from another mistake.

    Args:
        tried: wrong answers, each an exercise, a sentence and its outcomes.
    """
    by_exercise: dict[str, list[tuple[Outcomes, set[str]]]] = {}
    for exercise, sentence, outcomes in tried:
        alike = by_exercise.setdefault(exercise, [])
        if twins := next((sentences for others, sentences in alike if same(outcomes, others)), None):
            twins.add(sentence)
        else:
            alike.append((outcomes, {sentence}))
    known = {
        exercise: [
            {"sentence": sentence, "outcomes": outcomes}
            for outcomes, (sentence, *others) in alike
            if not others and _saw_a_value(outcomes)
        ]
        for exercise, alike in by_exercise.items()
    }
    return {exercise: mistakes for exercise, mistakes in known.items() if mistakes}


def _saw_a_value(outcomes: Outcomes) -> bool:
    """Tells whether a check saw more than a truth value or an exception: many mistakes share these."""
    return any(outcome.get("type", "bool") != "bool" for outcome in outcomes.values())


def same(outcomes: Outcomes, known: Outcomes) -> bool:
    """Tells whether every check came out alike: etude.lesson.mistakes.diagnose's comparison, on fingerprints already taken."""
    return outcomes.keys() == known.keys() and all(alike(outcomes[name], known[name]) for name in known)


def diagnose(outcomes: Outcomes, known: Sequence[Mapping[str, Any]]) -> str | None:
    """Finds the sentence that a student with these outcomes reads; None if there is none."""
    if all(outcome == PASSED for outcome in outcomes.values()):
        return None
    return next((str(entry["sentence"]) for entry in known if same(outcomes, entry["outcomes"])), None)
