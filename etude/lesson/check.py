"""`check("exercise")` in a notebook: runs the exercise's public checks on the live namespace, shows a short result.

Knows nothing of hidden checks, points or grades.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from etude.lesson import mistakes
from etude.lesson.callees import callees
from etude.lesson.checks import Check, Outcome, collect, run_check
from etude.lesson.run import LessonError, current
from etude.lesson.student import LiveStudent

# Okabe and Ito's green and vermilion, and a grey: the colour-blind tell them apart, all show on white and on black.
GREEN, RED, GREY = "#009E73", "#D55E00", "#808080"
MARKS = {"passed": ("✓", GREEN), "failed": ("✗", RED), "error": ("✗", RED), "unwritten": ("○", GREY)}
# A long value goes on below its own start, not below its label.
HANGING = "margin:0 0 0 22px;padding-left:10ch;text-indent:-10ch;white-space:pre-wrap"


class CheckFailed(Exception):
    """Stops the cell after its result has been shown; a notebook shows one line of it, not a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


class Result:
    """The outcomes of one exercise: HTML in a notebook, text elsewhere.

    cause: the sentence on exercises that this one calls and that fail, too; empty if there are none.
    """

    def __init__(self, exercise: str, outcomes: Sequence[Outcome], diagnosis: str | None, cause: str = "") -> None:
        self.exercise, self.outcomes, self.diagnosis, self.cause = exercise, outcomes, diagnosis, cause

    @property
    def passed(self) -> int:
        return sum(outcome.passed for outcome in self.outcomes)

    @property
    def unwritten(self) -> bool:
        return all(outcome.status == "unwritten" for outcome in self.outcomes)

    def _explanation(self, outcome: Outcome) -> str:
        if outcome.passed:
            needs = outcome.check.needs
            needed = not needs or any(outcome.passed for outcome in self.outcomes if outcome.check.name == needs)
            return "" if needed else f"counts once “{outcome.check.needed}” passes"
        trace = outcome.error[2] if outcome.error and outcome.status == "error" else ""
        return f"{outcome.message}\n{trace}".strip()

    def __repr__(self) -> str:
        lines = [f"{self.exercise}: {self.passed} of {len(self.outcomes)} checks pass"]
        if self.cause:
            lines.append(f"  {self.cause}")
        for outcome in self.outcomes:
            lines.append(f"  {MARKS[outcome.status][0]} {outcome.check.title}")
            lines += [f"      {line}" for line in self._explanation(outcome).splitlines()]
        if self.diagnosis:
            lines.append(f"  Perhaps: {self.diagnosis}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        summary = "not written yet" if self.unwritten else f"{self.passed} of {len(self.outcomes)} checks pass"
        rows = [f"<b>{html.escape(self.exercise)}</b> {summary}"]
        if self.cause:
            rows.append(f"<div>{html.escape(self.cause)}</div>")
        if self.diagnosis:
            rows.append(f"<div><b>Perhaps:</b> {html.escape(self.diagnosis)}</div>")
        for outcome in self.outcomes:
            mark, colour = MARKS[outcome.status]
            title = html.escape(outcome.check.title)
            rows.append(f'<div style="margin-top:6px"><b style="color:{colour}">{mark}</b> {title}</div>')
            lines = [] if self.unwritten else self._explanation(outcome).splitlines()
            rows += [f'<pre style="{HANGING}">{html.escape(line)}</pre>' for line in lines]
        colour = GREY if self.unwritten else GREEN if self.passed == len(self.outcomes) else RED
        return f'<div style="border-left:4px solid {colour};padding:4px 12px">{"".join(rows)}</div>'


def check(exercise: str) -> None:
    """Tries one exercise: `check("sgns_loss")`. Shows what was given, what came back and what was expected.

    Raises:
        CheckFailed: a check fails (so that `nbgrader validate` sees it).
        LessonError: there is no such exercise, no lesson is open, or this is no notebook.
    """
    from IPython import get_ipython
    from IPython.display import display

    run, shell = current(), get_ipython()
    if shell is None:
        raise LessonError("check() works in a notebook: it looks at the names that the notebook has defined")
    result = check_namespace(run.folder, exercise, shell.user_ns)
    display(result)
    if result.passed < len(result.outcomes):
        raise CheckFailed(f"{len(result.outcomes) - result.passed} of {len(result.outcomes)} checks of {exercise} fail")


def check_namespace(folder: Path, exercise: str, namespace: Mapping[str, Any]) -> Result:
    """Runs the public checks of one exercise on any namespace."""
    checks = _public(folder / "checks.py")
    if not (of_exercise := [c for c in checks if c.exercise == exercise]):
        names = ", ".join(dict.fromkeys(c.exercise for c in checks))
        raise LessonError(f"there is no exercise {exercise!r} here; there are {names}")
    outcomes = [run_check(c, LiveStudent(namespace)) for c in of_exercise]
    cause = "" if all(one.passed for one in outcomes) else _cause(exercise, checks, namespace)
    # A wrong callee's outcomes may be those of a mistake that this code does not hold.
    known = [] if cause else mistakes.load(folder / "mistakes.json").get(exercise, [])
    return Result(exercise, outcomes, mistakes.diagnose(outcomes, known), cause)


def _cause(exercise: str, checks: Sequence[Check], namespace: Mapping[str, Any]) -> str:
    """Finds the failing exercises that this one calls, by their public checks, and names them; empty if there are none."""
    failing, exercises = [], list(dict.fromkeys(c.exercise for c in checks))
    for name in callees(exercise, exercises, namespace):
        if exercise in callees(name, exercises, namespace):
            continue  # of two that call each other, each would be told to mend the other first
        outcomes = [run_check(c, LiveStudent(namespace)) for c in checks if c.exercise == name]
        failing += [] if all(one.passed for one in outcomes) else [Result(name, outcomes, None)]
    if not failing:
        return ""
    told = [
        f"`{one.exercise}`, which is not written yet"
        if one.unwritten
        else f"`{one.exercise}`, of which {len(one.outcomes) - one.passed} of {len(one.outcomes)} checks fail"
        for one in failing
    ]
    verb = "write" if all(one.unwritten for one in failing) else "mend"
    return f"Your `{exercise}` calls {', and '.join(told)}: {verb} {'that' if len(told) == 1 else 'these'} first."


@cache
def _public(path: Path) -> list[Check]:
    return collect(path)
