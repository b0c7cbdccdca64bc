"""Who needs help: a rule that can be read in full, and the reasons for each student whom it finds. No forecast."""

from __future__ import annotations

from collections.abc import Iterable

from grader.grading.verdict import Verdict

SHARE, UNWRITTEN = 0.5, 1 / 3
RULE = (
    "A student stands here who has earned less than half of the automatic points of all graded lessons, or of whom a lesson "
    "was not handed in or could not be read, or ended before its end, or has more than a third of its exercises not written."
)


def reasons(verdicts: Iterable[Verdict]) -> list[str]:
    """Says why the student of these verdicts needs help; empty if the rule finds nothing."""
    verdicts = list(verdicts)
    earned, points = (sum(getattr(verdict, what) for verdict in verdicts) for what in ("earned", "points"))
    found = []
    if points and earned < SHARE * points:
        found.append(f"{100 * earned / points:.0f} % of the automatic points")
    for verdict in verdicts:
        lesson = verdict.lesson.split("/")[-1]
        unwritten = [all(check.status == "unwritten" for check in exercise.checks) for exercise in verdict.exercises]
        if verdict.status != "graded":
            found.append(f"{lesson}: {verdict.reason or verdict.status}")
        elif sum(unwritten) > UNWRITTEN * len(unwritten):
            found.append(f"{lesson}: {sum(unwritten)} of {len(unwritten)} exercises not written")
    return found
