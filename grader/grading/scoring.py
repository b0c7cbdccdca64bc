"""What the outcomes of checks and the computed metrics earn: a verdict's exercises and metrics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from etude.lesson import mistakes, table
from etude.lesson.checks import Check, Outcome
from grader.course import Lesson
from grader.grading import lost_callees
from grader.grading.execution import Computed
from grader.grading.suite import Suite
from grader.grading.usage import CheckUsage, Usage
from grader.grading.verdict import CheckResult, ExerciseResult, MetricResult
from grader.lessons import known_mistakes, source


@dataclass(frozen=True)
class Scored:
    """What outcomes and metrics earn. A check that was not run has failed; a metric that was not found earns nothing.

    Attributes:
        reason: why there are none, empty if there are.
        notebook: in the lesson's shape; None if it did not run to its end, as points were lost for that then.
    """

    lesson: Lesson
    suite: Suite
    profile: str
    reason: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    computed: Computed = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    notebook: NotebookNode | None = None

    def exercises(self) -> list[ExerciseResult]:
        """Scores the exercises in the notebook's order, each with its checks and the classic mistake that all of them tell.

        No mistake is named of one that calls another which lost points.
        """
        known = known_mistakes.known(self.lesson)
        by_exercise: dict[str, list[Check]] = {name: [] for name in source.exercises(source.read(self.lesson))}
        for check in self.suite.checks:
            by_exercise[check.exercise].append(check)
        scored = [
            ExerciseResult(
                name=name,
                checks=[self._check(check) for check in checks],
                diagnosis=mistakes.diagnose(
                    [self.outcomes[check.name] for check in checks if check.name in self.outcomes], known.get(name, [])
                ),
            )
            for name, checks in by_exercise.items()
        ]
        return lost_callees.with_causes(scored, self.notebook) if self.notebook is not None else scored

    def _check(self, check: Check) -> CheckResult:
        about: dict[str, Any] = {
            "name": check.name,
            "title": check.title,
            "hidden": check.hidden,
            "points": check.points,
            "spent": round(self.usage.checks.get(check.name, CheckUsage()).seconds, 3),
        }
        if (outcome := self.outcomes.get(check.name)) is None:
            return CheckResult(**about, status="error", message=f"not run: {self.reason}" if self.reason else "not run")
        if outcome.passed and not self._counts(check):
            return CheckResult(**about, status="passed", partial=0.0, message=f"counts once “{check.needed}” passes")
        trace = f"\n{outcome.error[2]}".rstrip() if outcome.error and outcome.status == "error" else ""
        message = f"{outcome.message}{trace}"[:4000]
        return CheckResult(
            **about,
            status=outcome.status,
            seconds=round(outcome.seconds, 4),
            message=message,
            example=outcome.mismatch.example if outcome.mismatch else "",
        )

    def _counts(self, check: Check) -> bool:
        """Tells whether the check that this one needs has passed; True if it needs none."""
        return not check.needs or (check.needs in self.outcomes and self.outcomes[check.needs].passed)

    def metrics(self) -> list[MetricResult]:
        """Scores the metrics of the profile's table that earn points or were computed."""
        rows = table.of_profile(table.read(self.lesson.source / "expected.csv"), self.profile).values()
        return [self._metric(row) for row in rows if row.points or row.metric in self.computed]

    def _metric(self, row: table.Expected) -> MetricResult:
        value, why = self.computed.get(row.metric, (None, self.reason or "the grader does not compute it"))
        return MetricResult(
            name=row.metric,
            value=value,
            reason=why,
            low=_bound(row.low),
            high=_bound(row.high),
            better=row.better,  # type: ignore[arg-type]
            points=row.points,
            share=0.0 if value is None else row.share(value),
        )


def _bound(value: float) -> float | None:
    return None if value != value else value
