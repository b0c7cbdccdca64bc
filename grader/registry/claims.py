"""The claims registry: what the papers claim, data/claims.csv, each claim with the machine's verdict on it.

A claim is `exact` (a count, an algorithm's output) or `recomputed` (from published numbers): the test marked with its id
shows whether it holds, and the registry only looks that there is one, since it runs with all others. Or it is an `experiment`:
its effect is a metric of a lesson, measured over seeds in expected.csv, and the verdict is computed here from mean, spread
and direction. `waits` are for a later week, `untestable` says why in its note. This module reads tables; it runs nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from pydantic import model_validator
from scipy import stats

from etude.lesson import table
from grader.course import Course, CourseError
from grader.registry import claim_tests, rows
from grader.registry.rows import Row

TESTED = ("exact", "recomputed")  # kinds of claims that a test shows
HOLDS, FAILS, UNDECIDED, WAITS, UNTESTABLE = "holds", "does not hold", "undecided", "waits", "not testable here"
CONFIDENCE = 0.95
PROFILES = ("gpu", "cpu", "smoke")  # the largest that has been measured counts
DIRECTION = re.compile(r"(>|<)\s*(-?\d+(?:\.\d+)?)")


class Claim(Row):
    """One row.

    Attributes:
        evidence: of an experiment, the metric of the lesson.
        expect: the direction that the claim gives this effect (`> 0`), or what the test that is marked with the claim
            shows (`holds` or `does not hold`).
    """

    paper: str
    where: str
    claim: str
    number: str
    kind: Literal["exact", "recomputed", "experiment", "waits", "untestable"]
    lesson: str
    evidence: str
    expect: str
    note: str

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.kind in TESTED and self.expect not in (HOLDS, FAILS):
            raise ValueError(f"it expects {self.expect!r}, expected {HOLDS!r} or {FAILS!r}")
        if self.kind in TESTED and self.evidence:
            raise ValueError(f"its evidence is the test marked @claim({self.id!r}): leave the column empty")
        if self.kind == "experiment" and not (self.evidence and self.lesson and DIRECTION.fullmatch(self.expect)):
            raise ValueError(
                f"an experiment needs a lesson, a metric and a direction like '> 0', it has {self.expect!r}"
            )
        if self.kind == "untestable" and not self.note:
            raise ValueError("it does not say why it cannot be tested")
        return self


@dataclass(frozen=True)
class Finding:
    """The verdict on one claim.

    Attributes:
        ours: the effect with its standard error, seeds and profile, or the test that shows it.
    """

    claim: Claim
    verdict: str
    ours: str
    where_run: str


def read(path: Path) -> list[Claim]:
    """Reads the rows of claims.csv.

    Raises:
        CourseError: a row makes no sense, or an id stands there twice; the error names the row and what is wrong.
    """
    claims = rows.read(path, Claim)
    counts = Counter(claim.id for claim in claims)
    if twice := [claim_id for claim_id, count in counts.items() if count > 1]:
        raise CourseError(f"{path}: {twice[0]} stands there twice")
    return claims


def findings(course: Course, claims: Sequence[Claim]) -> list[Finding]:
    """Gives the verdict on each claim.

    Raises:
        CourseError: evidence is not there, or a test is marked with the id of no exact or recomputed claim.
    """
    tests = claim_tests.marked(course)
    verdicts = [_finding(course, claim, tests.get(claim.id, "")) for claim in claims]
    tested = {claim.id for claim in claims if claim.kind in TESTED}
    if strangers := [claim_id for claim_id in tests if claim_id not in tested]:
        raise CourseError(
            f"{tests[strangers[0]]} is marked @claim({strangers[0]!r}), which is no exact or recomputed claim of "
            "data/claims.csv"
        )
    return verdicts


def _finding(course: Course, claim: Claim, test: str) -> Finding:
    if claim.kind == "waits":
        return Finding(claim, WAITS, "", "")
    if claim.kind == "untestable":
        return Finding(claim, UNTESTABLE, "", "")
    if claim.kind == "experiment":
        return _experiment(course, claim)
    if not test:
        raise CourseError(f"data/claims.csv, {claim.id}: no test is marked @claim({claim.id!r})")
    path, _, name = test.partition("::")
    return Finding(claim, claim.expect, f"`{name}`", path)


def _experiment(course: Course, claim: Claim) -> Finding:
    path = course.lesson(claim.lesson).source / "expected.csv"
    rows = {row.profile: row for row in table.read(path) if row.metric == claim.evidence}
    if not rows:
        raise CourseError(f"data/claims.csv, {claim.id}: {path} has no metric {claim.evidence}")
    row = next((rows[p] for p in PROFILES if p in rows and rows[p].seeds > 1), None)
    if row is None:
        return Finding(claim, WAITS, "not measured yet", "")
    error = row.sd / math.sqrt(row.seeds)
    ours = f"{row.mean:.3g} ± {error:.1g} ({row.seeds} seeds, {row.profile})"
    return Finding(claim, judged(claim.expect, row.mean, error, row.seeds), ours, row.provenance)


def judged(expect: str, mean: float, error: float, seeds: int) -> str:
    """Tells whether an effect lies on the claimed side of a bound: one-sided t at 95 %, undecided between the two.

    Args:
        expect: the claimed side and the bound.
        error: the standard error of the mean over the seeds.
    """
    bound = DIRECTION.fullmatch(expect)
    assert bound is not None, expect
    sign = 1 if bound[1] == ">" else -1
    distance = sign * (mean - float(bound[2]))
    margin = float(stats.t.ppf(CONFIDENCE, seeds - 1)) * error
    return HOLDS if distance > margin else FAILS if distance < -margin else UNDECIDED


def page(findings: list[Finding]) -> str:
    """Renders docs/claims.md: the claims registry by paper."""
    counts = {
        verdict: sum(finding.verdict == verdict for finding in findings)
        for verdict in (HOLDS, FAILS, UNDECIDED, WAITS, UNTESTABLE)
    }
    lines = [
        "# The registry of claims",
        "",
        "What the papers of the course claim, and what a machine found. Rendered by `grader claims --write` from `data/claims.csv`",
        "and the measured tables of the lessons; no figure here is typed by hand. A claim that does not hold at our scale is a result.",
        "",
        "An experiment's effect is given with its standard error over seeds; it holds, or does not, if it lies on that side of the",
        f"bound at {CONFIDENCE:.0%} (one-sided t), else it is undecided. *exact* and *recomputed* claims are shown by the named test.",
        "",
        "| verdict | claims |",
        "|---|---|",
        *(f"| {verdict} | {count} |" for verdict, count in counts.items()),
        f"| all | {len(findings)} |",
    ]
    for paper in dict.fromkeys(finding.claim.paper for finding in findings):
        lines += ["", f"## {paper}", "", "| claim | the paper | verdict | ours | note |", "|---|---|---|---|---|"]
        for finding in findings:
            if finding.claim.paper == paper:
                printed = " · ".join(filter(None, (finding.claim.number, finding.claim.where)))
                expected = f" ({finding.claim.expect})" if finding.claim.kind == "experiment" else ""
                cells = (
                    finding.claim.claim + expected,
                    printed,
                    f"**{finding.verdict}**",
                    finding.ours,
                    finding.claim.note,
                )
                lines.append(markdown_row(cells))
    return "\n".join(lines) + "\n"


def markdown_row(cells: Iterable[str]) -> str:
    """Writes one row of a table of Markdown; a bar within a cell does not end it."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
