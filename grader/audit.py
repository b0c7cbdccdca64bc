"""`grader audit`: the grader graded on a lesson's bank. No kernel: answers run in this process, which trusts them.

The reference passes every check; the skeleton fails every one with NotImplementedError; every wrong answer fails at
least one check and the check that is meant for it; every other right answer passes, and is never named a mistake.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from etude.check import check_namespace
from etude.checks import run_check
from etude.student import LiveStudent
from grader import bank, source
from grader.course import Lesson


@dataclass
class Audit:
    """What the audit of one lesson found. `faults` is empty when all is well."""

    lesson: str
    exercises: int = 0
    checks: int = 0
    wrong: int = 0
    right: int = 0
    named: int = 0
    faults: list[str] = field(default_factory=list)


def audit(lesson: Lesson) -> Audit:
    """Audits one lesson; its public files must have been built."""
    cells = source.exercises(source.read(lesson))
    checks = source.checks(lesson)
    report = Audit(lesson.id, exercises=len(cells), checks=len(checks))
    for outcome in bank.outcomes(lesson, None):
        if not outcome.passed:
            report.faults.append(f"the reference fails {outcome.check.name}: {outcome.message}")
    stubs = LiveStudent(source.namespace(lesson, {name: source.skeleton(code) for name, code in cells.items()}))
    for check in checks:
        outcome = run_check(check, stubs)
        if outcome.status != "unwritten":
            report.faults.append(
                f"the skeleton does not end in NotImplementedError in {check.name}: {outcome.status} {outcome.message}"
            )
    for answer in bank.load(lesson):
        _audit_answer(lesson, answer, report)
    return report


def _audit_answer(lesson: Lesson, answer: bank.Answer, report: Audit) -> None:
    failed = {outcome.check.name: outcome for outcome in bank.outcomes(lesson, answer) if not outcome.passed}
    named = check_namespace(
        lesson.released.with_suffix(""), answer.exercise, source.namespace(lesson, {answer.exercise: answer.code})
    ).diagnosis
    if answer.sentence is None:
        report.right += 1
        report.faults += [
            f"{answer.label}, a right answer, fails {name}: {outcome.message}" for name, outcome in failed.items()
        ]
        if named:
            report.faults.append(f"{answer.label}, a right answer, is named a mistake: {named}")
        return
    report.wrong += 1
    report.named += named is not None and answer.sentence in named
    if not failed:
        report.faults.append(f"{answer.label} passes every check ({answer.sentence})")
    elif answer.caught_by and answer.caught_by not in failed:
        report.faults.append(
            f"{answer.label} fails {', '.join(failed)}, but not {answer.caught_by}, which is meant for it"
        )
