"""The claims registry: what the papers claim, data/claims.csv, each claim with the machine's verdict on it.

A claim is `exact` (a count, an algorithm's output) or `recomputed` (from published numbers): a test shows whether it holds, and
the registry only looks that the test is there, since it runs with all others. Or it is an `experiment`: its effect is a metric of
a lesson, measured over seeds in expected.csv, and the verdict is computed here from mean, spread and direction. `waits` are
for a later week, `untestable` says why in its note. This module reads tables; it runs nothing.
"""

from __future__ import annotations

import ast
import csv
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from scipy import stats

from etude.lesson import table
from grader.course import Course, CourseError

KINDS = ("exact", "recomputed", "experiment", "waits", "untestable")
HOLDS, FAILS, UNDECIDED, WAITS, UNTESTABLE = "holds", "does not hold", "undecided", "waits", "not testable here"
CONFIDENCE = 0.95
PROFILES = ("gpu", "cpu", "smoke")  # the largest that has been measured counts
DIRECTION = re.compile(r"(>|<)\s*(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Claim:
    """One row. `evidence`: FILE::TEST, or a metric of the lesson; `expect`: for an experiment the direction that the claim
    gives its effect (`> 0`), for a test what it shows (`holds` or `does not hold`)."""

    id: str
    paper: str
    where: str
    claim: str
    number: str
    kind: str
    lesson: str
    evidence: str
    expect: str
    note: str


@dataclass(frozen=True)
class Finding:
    """The verdict on one claim. `ours`: the effect with its standard error, seeds and profile, or the test that shows it."""

    claim: Claim
    verdict: str
    ours: str
    where_run: str


COLUMNS = [field.name for field in fields(Claim)]


def read_table(path: Path, columns: list[str]) -> list[dict[str, str]]:
    """The lines of a table with these columns. Raises CourseError for others."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = csv.DictReader(file)
        if lines.fieldnames != columns:
            raise CourseError(f"{path}: the columns are {lines.fieldnames}, expected {columns}")
        return [{name: (line[name] or "").strip() for name in columns} for line in lines]


def read(path: Path) -> list[Claim]:
    """The rows of claims.csv. Raises CourseError, naming the row and what is wrong."""
    claims = [Claim(**line) for line in read_table(path, COLUMNS)]
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise CourseError(f"{path}: {claim.id} stands there twice")
        seen.add(claim.id)
        if problem := _problem(claim):
            raise CourseError(f"{path}, {claim.id}: {problem}")
    return claims


def _problem(claim: Claim) -> str:
    if claim.kind not in KINDS:
        return f"its kind is {claim.kind!r}, expected one of {', '.join(KINDS)}"
    if claim.kind in ("exact", "recomputed"):
        if claim.expect not in (HOLDS, FAILS):
            return f"it expects {claim.expect!r}, expected {HOLDS!r} or {FAILS!r}"
        if "::" not in claim.evidence:
            return f"its evidence {claim.evidence!r} is no test, expected FILE::TEST"
    if claim.kind == "experiment" and not (claim.evidence and claim.lesson and DIRECTION.fullmatch(claim.expect)):
        return f"an experiment needs a lesson, a metric and a direction like '> 0', it has {claim.expect!r}"
    if claim.kind == "untestable" and not claim.note:
        return "it does not say why it cannot be tested"
    return ""


def findings(course: Course, claims: Iterable[Claim]) -> list[Finding]:
    """The verdict on each claim. Raises CourseError for evidence that is not there."""
    return [_finding(course, claim) for claim in claims]


def _finding(course: Course, claim: Claim) -> Finding:
    if claim.kind == "waits":
        return Finding(claim, WAITS, "", "")
    if claim.kind == "untestable":
        return Finding(claim, UNTESTABLE, "", "")
    if claim.kind == "experiment":
        return _experiment(course, claim)
    name, _, test = claim.evidence.partition("::")
    if not has_test(course, claim.evidence):
        raise CourseError(f"data/claims.csv, {claim.id}: there is no test {claim.evidence}")
    return Finding(claim, claim.expect, f"`{test}`", name)


def has_test(course: Course, evidence: str) -> bool:
    """Whether there is the test or check FILE::TEST; FILE starts at the course's root."""
    name, _, test = evidence.partition("::")
    path = course.root / name
    if not path.is_file():
        return False
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == test for node in ast.walk(tree))


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
    """Whether an effect lies on the claimed side of a bound: one-sided t at 95 %, undecided between the two.

    error: the standard error of the mean over the seeds.
    """
    bound = DIRECTION.fullmatch(expect)
    assert bound is not None, expect
    sign = 1 if bound[1] == ">" else -1
    distance = sign * (mean - float(bound[2]))
    margin = float(stats.t.ppf(CONFIDENCE, seeds - 1)) * error
    return HOLDS if distance > margin else FAILS if distance < -margin else UNDECIDED


def page(found: list[Finding]) -> str:
    """docs/claims.md: the claims registry by paper."""
    counts = {
        verdict: sum(one.verdict == verdict for one in found)
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
        f"| all | {len(found)} |",
    ]
    for paper in dict.fromkeys(one.claim.paper for one in found):
        lines += ["", f"## {paper}", "", "| claim | the paper | verdict | ours | note |", "|---|---|---|---|---|"]
        for one in found:
            if one.claim.paper == paper:
                printed = " · ".join(filter(None, (one.claim.number, one.claim.where)))
                expected = f" ({one.claim.expect})" if one.claim.kind == "experiment" else ""
                cells = (one.claim.claim + expected, printed, f"**{one.verdict}**", one.ours, one.claim.note)
                lines.append(markdown_row(cells))
    return "\n".join(lines) + "\n"


def markdown_row(cells: Iterable[str]) -> str:
    """One row of a table of Markdown; a bar within a cell does not end it."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
