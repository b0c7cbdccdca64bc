"""What the checks make of a lesson's bank: mistakes.json for students, outcomes.json for the grader alone.

    weeks/WEEK/LESSON/mistakes.json         for each known mistake its sentence and what the public checks make of it
    solutions/WEEK/LESSON/outcomes.json     the same with what the hidden checks make of it

Neither holds code. Both come from one run of the wrong answers, kept in build/outcomes until something that decides it
changes. This module must not know how a mistake is told to a student.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from etude.checks import run_check
from etude.mistakes import alike, fingerprint
from etude.student import LiveStudent
from grader import source
from grader.bank import Answer, load
from grader.course import Lesson
from grader.files import write_whole
from grader.verdict import digest, versions

PRIVATE = "outcomes.json"
LEDGERS = ("claims.csv", "mistakes.csv")  # of the course's data: no check reads them
PASSED = {"status": "passed"}

Outcomes = dict[str, dict[str, Any]]  # check → the fingerprint of what it saw
Known = dict[str, list[dict[str, Any]]]  # exercise → for each mistake {"sentence": ..., "outcomes": Outcomes}


def write(lesson: Lesson, public: Path) -> None:
    """Writes both tables: `public` is the path of mistakes.json, outcomes.json lies with the lesson's source."""
    tried = _tried(lesson)
    shipped = {check.name for check in source.checks(lesson, hidden=False)}
    _write(public, entries((answer, {k: v for k, v in seen.items() if k in shipped}) for answer, seen in tried))
    _write(lesson.source / PRIVATE, entries(tried))


def _write(path: Path, known: Known) -> None:
    path.write_text(json.dumps(known, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _tried(lesson: Lesson) -> list[tuple[Answer, Outcomes]]:
    """Every wrong answer with its outcomes in all checks, run anew only if they may have changed."""
    wrong = [answer for answer in load(lesson) if answer.sentence is not None]
    kept, decisive = lesson.course.build / "outcomes" / f"{lesson.id}.json", _inputs(lesson)
    try:
        found = json.loads(kept.read_text(encoding="utf-8"))
        if found["inputs"] == decisive:
            return list(zip(wrong, found["outcomes"], strict=True))
    except (OSError, ValueError, KeyError, TypeError):
        pass  # none is kept, or what is kept was cut while it was written
    outcomes = [_outcomes(lesson, answer) for answer in wrong]
    write_whole(kept, json.dumps({"inputs": decisive, "outcomes": outcomes}))
    return list(zip(wrong, outcomes, strict=True))


def _inputs(lesson: Lesson) -> str:
    """The hash of all that decides an outcome: bank, notebook, checks, the modules that they import, the course's data."""
    mine = ("bank.py", "notebook.py", "checks.py", "hidden.py")
    tables = sorted(path for path in Path(str(files("etude_data"))).rglob("*.csv") if path.name not in LEDGERS)
    paths = [*(lesson.source / name for name in mine), *source.library(lesson, mine[1:]), *tables]
    return digest(*(path.read_bytes() for path in paths), repr(versions()))


def _outcomes(lesson: Lesson, answer: Answer) -> Outcomes:
    student = LiveStudent(source.namespace(lesson, {answer.exercise: answer.code}))
    mine = [check for check in source.checks(lesson) if check.exercise == answer.exercise]
    return {check.name: fingerprint(run_check(check, student)) for check in mine}


def entries(tried: Iterable[tuple[Answer, Outcomes]]) -> Known:
    """The mistakes among the answers with their outcomes.

    Mistakes that the checks cannot tell apart share one entry; a mistake that they all let through has none.
    """
    known: Known = {}
    for answer, seen in tried:
        if answer.sentence is None or all(one == PASSED for one in seen.values()):
            continue
        mine = known.setdefault(answer.exercise, [])
        twin = next((entry for entry in mine if same(seen, entry["outcomes"])), None)
        if twin is None:
            mine.append({"sentence": answer.sentence, "outcomes": seen})
        elif answer.sentence not in twin["sentence"]:
            twin["sentence"] += f"; or {answer.sentence}"
    return known


def same(seen: Outcomes, known: Outcomes) -> bool:
    """Whether every check came out alike: etude.mistakes.diagnose's comparison, on fingerprints already taken."""
    return seen.keys() == known.keys() and all(alike(seen[name], known[name]) for name in known)


def diagnose(seen: Outcomes, known: Sequence[Mapping[str, Any]]) -> str | None:
    """The sentence that a student with these outcomes reads, or None."""
    if all(one == PASSED for one in seen.values()):
        return None
    return next((str(entry["sentence"]) for entry in known if same(seen, entry["outcomes"])), None)
