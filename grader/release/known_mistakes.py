"""What the checks make of a lesson's bank: mistakes.json for students, outcomes.json for the grader alone.

    weeks/WEEK/LESSON/mistakes.json         for each known mistake its sentence and what the public checks make of it
    solutions/WEEK/LESSON/outcomes.json     for each wrong answer what all checks make of it

Neither holds code. Both are committed, and no processor may change them. So outcomes.json carries the hash of the code that
decides all outcomes, and of each answer's own code: an answer is run only if one of the two has changed. What is run anew and
still agrees with what is kept stays as it is, to the digit; and a new outcome keeps only the numbers that two unlike
arithmetics agree on. Rounding alone would not do: wherever it cuts, some value lies at the edge. This module must not know
how a mistake is told to a student.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from etude.files import write_whole
from etude.lesson.mistakes import ANY, alike
from grader.course import CourseError, Lesson
from grader.lessons import source
from grader.lessons.bank import Answer, load
from grader.lessons.known_mistakes import PRIVATE, Known, Outcomes, Tried, entries, read, same
from grader.provenance import digest, fingerprint, libraries
from grader.release.arithmetic import OTHER_PROCESSOR, environment
from grader.release.isolated_run import IsolatedRuns, Task

SECONDS = 600  # of processor time for one wrong answer: none of a bank runs for ever


def write(lesson: Lesson, public: Path) -> None:
    """Writes both tables: mistakes.json and, with the lesson's source, outcomes.json.

    Args:
        public: the path of mistakes.json.

    Raises:
        CourseError: a check catches a wrong answer on one processor and not on another.
    """
    shipped = {check.name for check in source.checks(lesson, hidden=False)}
    outcomes = ((answer.exercise, answer.sentence, _only(answer.outcomes, shipped)) for answer in _current(lesson))
    public.write_text(_lines(entries(outcomes)), encoding="utf-8")


def _current(lesson: Lesson) -> list[Tried]:
    """Returns what outcomes.json should hold now. It is written if it does not; wrong answers are run only if they must be."""
    path, code, here = lesson.source / PRIVATE, _code(lesson), libraries()
    kept = read(path)
    agreed = lesson.course.build / "outcomes" / f"{lesson.id}.txt"  # what has been tried on this machine
    holds = kept.code == code and (kept.libraries == here or _text(agreed) == _stamp(code, here, kept.tried))
    tried = _tried(
        lesson, kept.tried, {(answer.exercise, answer.digest): answer.outcomes for answer in kept.tried if holds}
    )
    if kept.code != code or kept.tried != tried:
        head = json.dumps({"code": code, "libraries": here})[1:-1]
        answers = ",\n".join(json.dumps(astuple(answer), ensure_ascii=False, sort_keys=True) for answer in tried)
        path.write_text(f'{{{head}, "answers": [\n{answers}\n]}}\n', encoding="utf-8")
    write_whole(agreed, _stamp(code, here, tried))
    return tried


def _stamp(code: str, here: str, tried: Sequence[Tried]) -> str:
    return digest(code, here, json.dumps([astuple(answer) for answer in tried]))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _code(lesson: Lesson) -> str:
    """Hashes the code and data that decide all outcomes: notebook, checks, what they import, the course's tables."""
    code, tables = source.inputs(lesson)
    return fingerprint(code=[path for path in code if path.name != "bank.py"], data=tables)


def _tried(lesson: Lesson, kept: Sequence[Tried], known: Mapping[tuple[str, str], Outcomes]) -> list[Tried]:
    """Lists every wrong answer with what all checks make of it.

    known: the outcomes for an exercise and the digest of an answer's code. The other answers are run; what agrees
    with what is kept of an answer stays as it is.
    """
    wrong = [answer for answer in load(lesson) if answer.sentence is not None]
    new = [answer for answer in wrong if (answer.exercise, answer.digest) not in known]
    run = dict(zip([answer.label for answer in new], _outcomes(lesson, new), strict=True))
    tried = []
    for answer in wrong:
        outcomes = run[answer.label] if answer.label in run else known[answer.exercise, answer.digest]
        alike = (
            earlier.outcomes for earlier in kept if (earlier.exercise, earlier.slug) == (answer.exercise, answer.slug)
        )
        outcomes = next((old for old in alike if same(outcomes, old)), outcomes)
        tried.append(Tried(answer.exercise, answer.slug, answer.digest, str(answer.sentence), outcomes))
    return tried


def _outcomes(lesson: Lesson, answers: Sequence[Answer]) -> list[Outcomes]:
    """Runs the answers and gives what all checks make of them, as far as two unlike arithmetics agree."""
    if not answers:
        return []
    here = _run(lesson, answers)
    with environment(OTHER_PROCESSOR):
        elsewhere = _run(lesson, answers)
    return [_steady(lesson, *trial) for trial in zip(answers, here, elsewhere, strict=True)]


def _run(lesson: Lesson, answers: Sequence[Answer]) -> list[Outcomes]:
    checks = source.checks(lesson)
    names = {answer.exercise: tuple(c.name for c in checks if c.exercise == answer.exercise) for answer in answers}
    tasks = [Task({answer.exercise: answer.code}, names[answer.exercise], SECONDS) for answer in answers]
    with IsolatedRuns() as runs:
        return [{result.check: result.fingerprint for result in results} for results in runs.run(lesson, tasks)]


def _steady(lesson: Lesson, answer: Answer, here: Outcomes, elsewhere: Outcomes) -> Outcomes:
    """Strips the outcomes of the numbers that depend on the processor."""
    steady = {}
    for check, outcome in here.items():
        other = elsewhere.get(check, {})
        steady[check] = outcome if alike(outcome, other) else {**outcome, "values": ANY}
        if not alike(other, steady[check]):
            raise CourseError(
                f"{lesson.id}, {answer.label}: what {check} makes of it depends on the processor ({_short(outcome)} or "
                f"{_short(other)}): give the check an input that leaves no doubt"
            )
    return steady


def _short(fingerprint: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {str(value)[:60]}" for name, value in fingerprint.items())


def _only(outcomes: Outcomes, names: Collection[str]) -> Outcomes:
    return {check: outcome for check, outcome in outcomes.items() if check in names}


def _lines(known: Known) -> str:
    """Writes the table as JSON with a line for each mistake."""
    parts = []
    for exercise, mistakes in sorted(known.items()):
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False, sort_keys=True) for entry in mistakes)
        parts.append(f"{json.dumps(exercise)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"
