"""What a submission may spend: a multiple of what the lesson's reference spends in the same kind of kernel on this machine.

So a slow machine gives everybody more time, and a fast one less; seconds are those of grader.sandbox.meter, which a busy machine
does not stretch, but for a notebook that starts processes of its own. course.toml sets the multiple (`times`) and what a cell
(`cell_seconds`) and a notebook (`notebook_seconds`) may spend in any case. This module must not know how anything is run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from grader.course import CourseError, Lesson
from grader.grading.usage import Usage
from grader.remote.budget import Budget

LEAST = Budget(seconds=10, requests=1000, reply_bytes=4 << 20)  # what every check may use
LEAST_OWN_SECONDS = 30  # of the grader's own computing in one check
START_SECONDS = 60  # of processor time for a kernel to start and import
ENOUGH = 3600.0  # seconds for a reference
CLOCK = 30  # times its processor time a kernel may live by the clock: a last resort, on the busiest machine


@dataclass(frozen=True)
class Allowance:
    """Seconds for a cell, for all cells, for all checks together; by check its budget and the grader's own seconds."""

    cell: float
    notebook: float
    checks: float
    budgets: Mapping[str, Budget]
    own_seconds: Mapping[str, float]

    def sandbox_limits(self, lesson: Lesson) -> dict[str, int]:
        """Returns the limits that are set for the lesson's sandbox, and the time that these seconds need where none is set."""
        seconds = math.ceil(self.notebook + self.checks) + START_SECONDS
        return {"cpu_s": seconds, "wall_s": CLOCK * seconds} | lesson.sandbox_limits


def of(lesson: Lesson, reference: Usage) -> Allowance:
    """Computes what a submission to this lesson may spend, if the reference spends this.

    Raises:
        CourseError: what the course sets for the sandbox leaves no time for the checks.
    """
    limits = lesson.limits
    times = limits["times"]
    least_check = min(LEAST.seconds, limits["cell_seconds"])
    allowed = Allowance(
        cell=max(limits["cell_seconds"], times * reference.slowest_cell),
        notebook=max(limits["notebook_seconds"], times * reference.notebook),
        checks=max(limits["notebook_seconds"], times * reference.all_checks),
        budgets={
            name: Budget(
                seconds=max(least_check, times * check.seconds),
                requests=max(LEAST.requests, times * check.requests),
                reply_bytes=max(LEAST.reply_bytes, times * check.reply_bytes),
            )
            for name, check in reference.checks.items()
        },
        own_seconds={
            name: max(LEAST_OWN_SECONDS, times * check.own_seconds) for name, check in reference.checks.items()
        },
    )
    _prove_time_for_checks(lesson, allowed)
    return allowed


def _prove_time_for_checks(lesson: Lesson, allowed: Allowance) -> None:
    longest = max((budget.seconds for budget in allowed.budgets.values()), default=0.0)
    needed = math.ceil(allowed.notebook + longest)
    for name in ("cpu_s", "wall_s"):
        if (given := lesson.limits.get(name, needed)) < needed:
            raise CourseError(
                f"course.toml, limits of {lesson.id}: {name} = {given} leaves nothing for the checks: a notebook may spend "
                f"{allowed.notebook:.0f} s here and a check {longest:.0f} s, so write {needed} or more, or leave it out"
            )


# For a reference, whose own needs nobody knows yet.
FOR_REFERENCE = Allowance(cell=ENOUGH, notebook=ENOUGH, checks=ENOUGH, budgets={}, own_seconds={})
