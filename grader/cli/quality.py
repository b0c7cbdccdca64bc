"""Commands that measure how far a lesson and its grading can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from grader.cli.common import (
    CORES,
    Device,
    Jobs,
    One,
    Profile,
    Sandbox,
    Which,
    console,
    explained,
    grading,
    known_profile,
    progress_bar,
)
from grader.course import Course, CourseError, Lesson

if TYPE_CHECKING:
    from grader.quality.audit import Audit
    from grader.settings import Settings

PANEL = "Measure"
app = typer.Typer()


@app.command(
    rich_help_panel=PANEL,
    epilog="Examples: grader calibrate word2vec --seeds 12 · grader calibrate word2vec --errors --jobs 2 · "
    "grader calibrate word2vec --profile cpu --errors · grader calibrate word2vec --profile cpu --errors --wrong 1",
)
def calibrate(
    which: One,
    profile: Profile = "smoke",
    seeds: Annotated[int, typer.Option(help="How many seeds, from 1000 on.")] = 12,
    device: Device = "auto",
    errors: Annotated[
        bool, typer.Option("--errors", help="Measure the table's error rates in place of the table: errors.csv.")
    ] = False,
    fresh: Annotated[int, typer.Option(help="With --errors: how many seeds never calibrated on, from 2000 on.")] = 24,
    wrong: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="With --errors: how many of the bank's wrong answers to each exercise are run, each through the whole "
            "experiment. Unless told, two in the profile smoke, and all where two leave a row with points blind; none in the "
            "other profiles, where it takes hours.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many runs at a time, each on one core.")] = CORES,
) -> None:
    """Measure a lesson's expected table: run the reference over seeds, write mean, sd and tolerance interval to expected.csv.

    With --errors: how often a right answer falls outside that interval, and which wrong answers fall inside; not measured
    again while nothing has changed that decides it. A call that was cut goes on from there.
    """
    from grader.quality import calibrate as measuring
    from grader.quality import error_rates

    with explained():
        lesson = Course().lesson(which)
        title = f"{lesson.id}, {known_profile(profile)}: an interval holds {measuring.PROMISE}"
        with progress_bar() as bar:
            task = bar.add_task("runs", total=None, now="")
            step = lambda done, total, now: bar.update(task, completed=done, total=total, now=escape(now))  # noqa: E731
            if errors:
                rates = error_rates.measure(lesson, profile, fresh, wrong, device, jobs, step)
            else:
                rows = measuring.calibrate(lesson, profile, seeds, device, jobs, step)
        if errors:
            table = Table(*error_rates.HEADS, title=title)
            for rate in rates:
                table.add_row(*rate.cells())
        else:
            table = Table("metric", "mean", "sd", "seeds", "low", "high", title=title)
            for row in rows:
                table.add_row(row.metric, *(f"{x:.4g}" for x in (row.mean, row.sd, row.seeds, row.low, row.high)))
        console.print(table)
        if errors:
            for sentence in [*error_rates.sentences(rates), *dict.fromkeys(rate.provenance for rate in rates)]:
                console.print(escape(sentence), highlight=False)


@app.command(rich_help_panel=PANEL, epilog="Example: grader audit word2vec")
def audit(which: Which = "", sandbox: Sandbox = True) -> None:
    """Grade the grader: reference, skeleton, classic mistakes, other right answers, and mutants of the reference.

    Last the reference is graded as a submission is. The counts of a lesson without a fault are written beside it,
    audit.json; commit it.
    """
    from grader.quality.audit import COLUMNS

    with explained():
        course = Course()
        audits = audited(course.lessons(which), f"grader audit {which}".strip(), grading(sandbox))
        table = Table(*COLUMNS)
        for report in audits:
            table.add_row(*report.row())
        console.print(table)
    if any(report.faults for report in audits):
        raise typer.Exit(1)


def audited(lessons: Sequence[Lesson], command: str, settings: Settings) -> list[Audit]:
    """Audits the lessons behind a bar, stamps those without a fault, and prints the faults of the others.

    A lesson without a fault is also graded, by these settings: its checks must pass where values travel between processes.
    """
    from grader.grading import costs
    from grader.provenance import commit
    from grader.quality import audit_stamp
    from grader.quality.audit import audit
    from grader.release.isolated_run import IsolatedRuns

    audits, began_at = [], commit(Course().root)
    with progress_bar() as bar, IsolatedRuns() as runs:
        task = bar.add_task("lessons", total=len(lessons), now="")
        tries = bar.add_task("answers and mutants", now="")
        for lesson in lessons:
            bar.update(task, now=lesson.id)
            report = audit(lesson, runs, step=lambda done, total: bar.update(tries, completed=done, total=total))
            if not report.faults:
                bar.update(tries, now="the reference, graded")
                report.faults += costs.faults(lesson, settings)
                bar.update(tries, now="")
            audit_stamp.write(lesson, report, command, began_at)
            audits.append(report)
            bar.advance(task)
    for report in audits:
        for fault in report.faults:
            console.print(f"[red]{escape(f'{report.lesson}: {fault}')}[/]", highlight=False, soft_wrap=True)
    return audits


@app.command(
    rich_help_panel=PANEL,
    epilog="Examples: grader headroom word2vec · grader headroom --out benchmarks/results/trust/headroom.json",
)
def headroom(
    which: Which = "",
    out: Annotated[Path | None, typer.Option(help="The JSON file; without it, build/trust/headroom.json.")] = None,
    jobs: Jobs = None,
    sandbox: Sandbox = True,
) -> None:
    """Grade the bank's other right answers as whole notebooks: do they earn all points, and how much of their limits do they take?"""
    from grader.classes.batch import grade_batch
    from grader.quality import headroom as room

    with explained():
        course = Course()
        lessons, settings = course.lessons(which), grading(sandbox)
        home = course.build / "headroom"
        todo = room.hand_in(lessons, home)
        with progress_bar() as bar:
            task = bar.add_task("right ways", total=len(todo), now="")
            batch = grade_batch(
                todo,
                home,
                settings,
                jobs=jobs or CORES,
                running=lambda names: bar.update(task, now=escape(", ".join(names))),
                done=lambda item, verdict: bar.advance(task),
            )
        rows = room.found(lessons, batch, settings)
        table = Table("lesson", "ways", "points", "most of a limit", "of", "missed")
        for row in rows:
            name = row.lesson.split("/")[1]
            points, share = f"{row.earned:g} of {row.points:g}", f"{row.share:.0%}"
            table.add_row(name, str(len(row.answers)), points, share, row.what, escape(row.trouble))
        console.print(table)
        room.write(
            out or course.build / "trust" / "headroom.json", rows, course.root, f"grader headroom {which}".strip()
        )
    if batch.troubles or not all(row.enough for row in rows):
        raise typer.Exit(1)


@app.command(rich_help_panel=PANEL, epilog="Examples: grader claims · grader claims glove · grader claims --write")
def claims(
    paper: Annotated[str, typer.Argument(help="Part of a paper's name; nothing for all.", show_default=False)] = "",
    write: Annotated[bool, typer.Option("--write", help="Also write docs/claims.md and docs/errata.md.")] = False,
) -> None:
    """Print the registry of claims: what the papers say, what we found, whether it holds."""
    from grader.registry import claims as claims_registry
    from grader.registry import errata

    with explained():
        course = Course()
        rows = claims_registry.read(course.root / "data" / "claims.csv")
        findings = claims_registry.findings(course, rows)
        chosen = [finding for finding in findings if paper.lower() in finding.claim.paper.lower()]
        if not findings:
            raise CourseError("data/claims.csv has no claim yet: docs/author.md says what one is")
        if not chosen:
            papers = ", ".join(dict.fromkeys(finding.claim.paper for finding in findings))
            raise CourseError(f"no claim is of a paper named like {paper!r}; there are {papers}")
        table = Table("paper", "claim", "number", "verdict", "ours")
        colours = {claims_registry.HOLDS: "green", claims_registry.FAILS: "red", claims_registry.UNDECIDED: "yellow"}
        for finding in chosen:
            colour = colours.get(finding.verdict, "dim")
            cells = (finding.claim.paper, finding.claim.claim, finding.claim.number)
            table.add_row(*map(escape, cells), f"[{colour}]{finding.verdict}[/]", escape(finding.ours))
        console.print(table)
        if write:
            mistakes = errata.read(course.root / "data" / "mistakes.csv")
            errata.check(course, mistakes)
            (course.root / "docs" / "claims.md").write_text(claims_registry.page(findings), encoding="utf-8")
            (course.root / "docs" / "errata.md").write_text(errata.page(mistakes), encoding="utf-8")
            console.print("docs/claims.md and docs/errata.md are written")
