"""The instructor's command line, `grader`. Each command says what it does, shows progress and ends in a table or a sentence."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from grader.course import Course, CourseError, Lesson

if TYPE_CHECKING:
    from grader.grading.store import Gradable
    from grader.nbgrader.course import NbgraderCourse
    from grader.quality.reference import ReferenceRun
    from grader.registry.report import Page
    from grader.settings import Settings

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Build, run and grade the course.\n\n"
    "A lesson is written once, in [bold]solutions/WEEK/LESSON[/bold]. [bold]build[/bold] makes the students' notebook of it, "
    "[bold]run[/bold] executes the reference, [bold]calibrate[/bold] measures the expected table, [bold]autograde[/bold] turns "
    "what a class hands in into verdicts and stores them in nbgrader's gradebook ([bold]grade[/bold]: one notebook), "
    "[bold]report[/bold] shows it all on one page, and [bold]demo[/bold] does everything on a sample class.\n\n"
    "nbgrader's own commands (generate_assignment, autograde, generate_feedback, export) and formgrader work from the same "
    "folder on the same files.",
    epilog="[bold]From an empty clone to a graded class[/bold]\n\n"
    "grader build  [dim]weeks/ from solutions/, nothing leaks[/dim]\n\n"
    "grader demo  [dim]everything, on a sample class[/dim]\n\n"
    "grader autograde week1_embeddings --jobs 2  [dim]submitted/STUDENT/week1_embeddings/*.ipynb[/dim]\n\n"
    "grader report  [dim]build/report/index.html[/dim]",
)
console = Console()
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1  # that we may use

Which = Annotated[
    str,
    typer.Argument(
        help="A week (week1_embeddings), a lesson (week1_embeddings/word2vec), or nothing for all.", show_default=False
    ),
]
One = Annotated[
    str, typer.Argument(help="A lesson: week1_embeddings/word2vec, or its name if it is the only one of that name.")
]
Profile = Annotated[str, typer.Option(help="smoke: seconds · cpu: about a minute a lesson · gpu: full size.")]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="The seed of the run.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="How many at a time. Unless told, as many as there are cores; one reference in the profile gpu.",
        show_default=False,
    ),
]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")]
Sandbox = Annotated[
    bool,
    typer.Option(
        "--sandbox/--no-sandbox",
        help="Contain submissions with bubblewrap; --no-sandbox runs them as you, and every verdict says so.",
    ),
]
Home = Annotated[
    Path | None,
    typer.Option(
        help="The folder of the class: submitted, autograded, feedback, gradebook.db. "
        "Without it, the course's own folder.",
        show_default=False,
    ),
]


@contextmanager
def explained() -> Iterator[None]:
    """A trouble with the course ends the command in one clear sentence and exit status 1."""
    try:
        yield
    except CourseError as error:
        console.print(f"[bold red]{escape(str(error))}[/]", highlight=False, soft_wrap=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        console.print("[bold]Stopped.[/] What is stored stays; the same command goes on from there.", highlight=False)
        raise typer.Exit(130) from None


def _profile(name: str) -> str:
    from etude.lesson.run import PROFILES

    if name not in PROFILES:
        raise CourseError(f"profile {name!r} is not known: choose one of {', '.join(PROFILES)}")
    return name


def _bar() -> Progress:
    """A live bar on a terminal; nothing in a log, where commands print lines alone."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[now]}"),
        console=console,
        disable=not console.is_terminal,
    )


@app.command(epilog="Example: grader build week1_embeddings")
def build(which: Which = "") -> None:
    """Make the students' notebooks in weeks/ from solutions/, through nbgrader's release step, and prove that nothing leaks."""
    from grader.release.build import build as build_lessons

    with explained():
        course = Course()
        build_lessons(course, course.lessons(which), say=lambda text: console.print(text, highlight=False))


@app.command(epilog="Examples: grader run word2vec --profile cpu --seed 3 · grader run week1_embeddings --jobs 1")
def run(
    which: Which = "", profile: Profile = "smoke", seed: Seed = 0, device: Device = "auto", jobs: Jobs = None
) -> None:
    """Execute the hidden reference with papermill, showing its progress, and say which metrics are outside their interval."""
    with explained():
        _run(Course().lessons(which), _profile(profile), seed, device, jobs)


def _run(lessons: Sequence[Lesson], profile: str, seed: int = 0, device: str = "auto", jobs: int | None = None) -> None:
    from grader.registry.report import reference

    jobs = jobs or (1 if profile == "gpu" else CORES)
    width = max(len(lesson.id) for lesson in lessons)
    for lesson, done in _references(lessons, profile, seed, device, jobs):
        found = reference(lesson, profile, seed)
        inside, outside = found.named("inside"), found.named("outside")
        console.print(
            f"{lesson.id:<{width}}  {done.seconds:4.0f} s  {len(inside)} of {len(inside) + len(outside)} metrics inside",
            highlight=False,
        )
        if outside:
            console.print(f"  [bold red]outside: {', '.join(outside)}[/]", highlight=False)
        console.print(f"  {escape(str(_near(done.notebook)))}", highlight=False, soft_wrap=True)


def _near(path: Path) -> Path:
    """The path from the working folder on, if it lies in it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _references(
    lessons: Sequence[Lesson], profile: str, seed: int, device: str, jobs: int
) -> Iterator[tuple[Lesson, ReferenceRun]]:
    """One at a time with papermill's bar of cells, or some at a time with a bar of lessons; a log gets neither."""
    from grader.quality.reference import run_references

    if min(jobs, len(lessons)) == 1 and console.is_terminal:
        yield from run_references(lessons, profile, seed, device)
        return
    with _bar() as bar:
        task = bar.add_task(f"references, {profile}", total=len(lessons), now="")
        step = lambda done, total, now: bar.update(task, completed=done, now=escape(now))  # noqa: E731
        yield from run_references(lessons, profile, seed, device, jobs, step)


@app.command(
    epilog="Examples: grader calibrate word2vec --seeds 12 · grader calibrate word2vec --errors --jobs 2 · "
    "grader calibrate word2vec --profile cpu --errors · grader calibrate word2vec --profile cpu --errors --wrong 1"
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
            "experiment. Unless told, all of them in the profile smoke, and none in the others, where it takes hours.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many runs at a time, each on one core.")] = CORES,
) -> None:
    """Measure a lesson's expected table: run the reference over seeds, write mean, sd and tolerance interval to expected.csv.

    With --errors: how often a right answer falls outside that interval, and which wrong answers fall inside. A call that
    was cut goes on from there.
    """
    from grader.quality import calibrate as measuring
    from grader.quality import error_rates

    with explained():
        lesson = Course().lesson(which)
        title = f"{lesson.id}, {_profile(profile)}: an interval holds {measuring.PROMISE}"
        with _bar() as bar:
            task = bar.add_task("runs", total=None, now="")
            step = lambda done, total, now: bar.update(task, completed=done, total=total, now=escape(now))  # noqa: E731
            if errors:
                found = error_rates.measure(lesson, profile, fresh, wrong, device, jobs, step)
            else:
                rows = measuring.calibrate(lesson, profile, seeds, device, jobs, step)
        if errors:
            table = Table(*error_rates.HEADS, title=title)
            for rate in found:
                table.add_row(*rate.cells())
        else:
            table = Table("metric", "mean", "sd", "seeds", "low", "high", title=title)
            for row in rows:
                table.add_row(row.metric, *(f"{x:.4g}" for x in (row.mean, row.sd, row.seeds, row.low, row.high)))
        console.print(table)
        for sentence in error_rates.sentences(found) if errors else []:
            console.print(sentence, highlight=False)


@app.command(epilog="Example: grader grade ada/word2vec.ipynb word2vec")
def grade(
    notebook: Annotated[Path, typer.Argument(help="The notebook that was handed in.")],
    lesson: One,
    student: Annotated[
        str, typer.Option(help="Store the score under this student's name; without it nothing is stored.")
    ] = "",
    home: Home = None,
    sandbox: Sandbox = True,
) -> None:
    """Grade one notebook: print its verdict and, with --student, store it in nbgrader's gradebook."""
    from grader.classes.batch import grade_one
    from grader.classes.uploads import Submission
    from grader.grading.store import grade as grade_notebook
    from grader.nbgrader import gradebook

    with explained():
        course = _course()
        one, settings = course.lesson(lesson), _settings(sandbox)
        if student:
            folder = _home(course, home)
            path = folder / "submitted" / student / one.assignment / f"{one.name}.ipynb"
            if notebook.resolve() != path:
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(notebook, path)
            verdict = grade_one(Submission(one, student, path), folder, settings)
            gradebook.store(course, folder, one.assignment, student, settings)
        else:
            verdict = grade_notebook(one, notebook, notebook.stem, settings).verdict
    typer.echo(verdict.as_json())
    if verdict.status != "graded":
        raise typer.Exit(1)


@app.command(
    epilog="Examples: grader autograde week1_embeddings --jobs 2 · grader autograde word2vec --take-in moodle.zip · "
    "grader autograde week1_embeddings --dry-run"
)
def autograde(
    which: Which = "",
    home: Home = None,
    student: Annotated[str, typer.Option(help="Grade this student alone.")] = "*",
    take_in: Annotated[
        Path | None, typer.Option(help="First take in a zip from a learning platform, or one notebook.", exists=True)
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many submissions at a time.")] = CORES,
    resume: Annotated[
        bool, typer.Option(help="Keep verdicts on unchanged inputs; --no-resume grades everything anew.")
    ] = True,
    dry_run: Annotated[bool, typer.Option(help="Store nothing; show whose points would change.")] = False,
    sandbox: Sandbox = True,
) -> None:
    """Grade a class (HOME/submitted/STUDENT/WEEK/LESSON.ipynb): verdicts as they come, then nbgrader's gradebook.

    It can be stopped at any moment and called again: what is stored and unchanged is not run again. In the folder of
    another nbgrader course (nbgrader_config.py and no course.toml) it grades the assignments that nbgrader has released.
    """
    from grader.classes import uploads
    from grader.classes.classroom import Classroom

    with explained():
        course = _course()
        lessons: list[Gradable] = [*course.lessons(which)]
        folder = _home(course, home)
        if take_in is not None:
            for problem in uploads.take_in(take_in, lessons, folder):
                console.print(f"[yellow]left out: {escape(problem)}[/]", highlight=False)
        classroom = Classroom(course, folder, _settings(sandbox))
        failed = classroom.grade(lessons, student, console, _bar, jobs=jobs, resume=resume, dry_run=dry_run)
    if failed:
        raise typer.Exit(1)


def _settings(sandbox: bool) -> Settings:
    """How to grade. Raises CourseError with what is missing if there is no sandbox and none was waived."""
    from grader.settings import PLAIN, Settings, ready

    settings = Settings() if sandbox else Settings(kernel=PLAIN)
    if missing := ready(settings):
        raise CourseError(
            "\n".join([*missing, "or run with --no-sandbox: submissions then run as you, and every verdict says so"])
        )
    return settings


def _course() -> Course | NbgraderCourse:
    """The course of the working folder: ours by its course.toml, another by its nbgrader_config.py; else the one here."""
    from grader.nbgrader.course import CONFIG, NbgraderCourse

    here = Path.cwd()
    return NbgraderCourse(here) if (here / CONFIG).is_file() and not (here / "course.toml").is_file() else Course()


def _home(course: Course | NbgraderCourse, home: Path | None) -> Path:
    return (home or course.root).resolve()


@app.command(epilog="Example: grader report --home build/class")
def report(home: Home = None, profile: Profile = "smoke", seed: Seed = 0) -> None:
    """Write build/report/index.html from the stored runs, verdicts and scores."""
    from grader.registry.report import render

    with explained():
        course = Course()
        _show(render(course, (home or course.root).resolve(), _profile(profile), seed))


def _show(page: Page) -> None:
    """What the report says at its top, and where it is."""
    for trouble in page.troubles:
        console.print(f"[bold red]{escape(trouble.text)}[/]", highlight=False)
    if not page.troubles:
        console.print("[bold green]Everything is as it should be.[/]", highlight=False)
    console.print(f"Open [bold]{escape(str(_near(page.path)))}[/] in a browser.", highlight=False, soft_wrap=True)


@app.command(epilog="Example: grader audit word2vec")
def audit(
    which: Which = "",
    out: Annotated[Path | None, typer.Option(help="The JSON file; without it, build/trust/audit.json.")] = None,
) -> None:
    """Grade the grader: reference, skeleton, classic mistakes, other right answers, and mutants of the reference."""
    from grader.quality.audit import COLUMNS, write
    from grader.quality.audit import audit as audit_lesson
    from grader.release.isolated_run import IsolatedRuns

    with explained():
        course = Course()
        lessons, found = course.lessons(which), []
        with _bar() as bar, IsolatedRuns() as runs:
            task = bar.add_task("lessons", total=len(lessons), now="")
            tries = bar.add_task("answers and mutants", now="")
            for lesson in lessons:
                bar.update(task, now=lesson.id)
                report = audit_lesson(
                    lesson, runs, step=lambda done, total: bar.update(tries, completed=done, total=total)
                )
                found.append(report)
                bar.advance(task)
        table = Table(*COLUMNS)
        for one in found:
            for fault in one.faults:
                console.print(f"[red]{escape(f'{one.lesson}: {fault}')}[/]", highlight=False, soft_wrap=True)
            table.add_row(*one.row())
        console.print(table)
        path = out or course.build / "trust" / "audit.json"
        write(path, found, f"grader audit {which}".strip())
        console.print(f"[bold]{path}[/]", highlight=False, soft_wrap=True)
    if any(one.faults for one in found):
        raise typer.Exit(1)


@app.command(epilog="Examples: grader costs · grader costs word2vec · grader costs --record")
def costs(
    which: Which = "",
    record: Annotated[
        bool,
        typer.Option("--record", help="Write those of all lessons to solutions/seconds.json, the recorded machine."),
    ] = False,
    sandbox: Sandbox = True,
) -> None:
    """Run the references as submissions run, if they have not been, and print what they take on this machine."""
    from grader.grading import costs as known

    with explained():
        course, settings = Course(), _settings(sandbox)
        table = Table("lesson", "seconds of all cells", "of the slowest", "of all checks", "times the recorded machine")
        for lesson in course.lessons(which):
            usage = known.of(lesson, settings)
            times = known.factor(lesson, usage)
            seconds = (f"{x:.1f}" for x in (usage.notebook, usage.slowest_cell, usage.all_checks))
            table.add_row(lesson.name, *seconds, "" if times is None else f"{times:.2f}")
        console.print(table)
        if record:
            console.print(known.record(course, settings, "grader costs --record"))


@app.command(epilog="Examples: grader headroom word2vec · grader headroom --out ci/results/trust/headroom.json")
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
        lessons, settings = course.lessons(which), _settings(sandbox)
        home = course.build / "headroom"
        todo = room.hand_in(lessons, home)
        with _bar() as bar:
            task = bar.add_task("right ways", total=len(todo), now="")
            batch = grade_batch(
                todo,
                home,
                settings,
                jobs=jobs or CORES,
                running=lambda names: bar.update(task, now=escape(", ".join(names))),
                done=lambda item, found: bar.advance(task),
            )
        rows = room.found(lessons, batch, settings)
        table = Table("lesson", "ways", "points", "most of a limit", "of", "missed")
        for row in rows:
            name = row.lesson.split("/")[1]
            points, share = f"{row.earned:g} of {row.points:g}", f"{row.share:.0%}"
            table.add_row(name, str(len(row.answers)), points, share, row.what, escape(row.trouble))
        console.print(table)
        room.write(out or course.build / "trust" / "headroom.json", rows, f"grader headroom {which}".strip())
    if batch.troubles or not all(row.enough for row in rows):
        raise typer.Exit(1)


@app.command(epilog="Examples: grader claims · grader claims glove · grader claims --write")
def claims(
    paper: Annotated[str, typer.Argument(help="Part of a paper's name; nothing for all.", show_default=False)] = "",
    write: Annotated[bool, typer.Option("--write", help="Also write docs/claims.md and docs/errata.md.")] = False,
) -> None:
    """Print the registry of claims: what the papers say, what we found, whether it holds."""
    from grader.registry import claims as claims_registry
    from grader.registry import errata

    with explained():
        course = Course()
        found = claims_registry.findings(course, claims_registry.read(course.root / "data" / "claims.csv"))
        chosen = [one for one in found if paper.lower() in one.claim.paper.lower()]
        if not chosen:
            papers = ", ".join(dict.fromkeys(one.claim.paper for one in found))
            raise CourseError(f"no claim is of a paper named like {paper!r}; there are {papers}")
        table = Table("paper", "claim", "number", "verdict", "ours")
        colours = {claims_registry.HOLDS: "green", claims_registry.FAILS: "red", claims_registry.UNDECIDED: "yellow"}
        for one in chosen:
            colour = colours.get(one.verdict, "dim")
            cells = (one.claim.paper, one.claim.claim, one.claim.number)
            table.add_row(*map(escape, cells), f"[{colour}]{one.verdict}[/]", escape(one.ours))
        console.print(table)
        if write:
            mistakes = errata.read(course.root / "data" / "mistakes.csv")
            errata.check(course, mistakes)
            (course.root / "docs" / "claims.md").write_text(claims_registry.page(found), encoding="utf-8")
            (course.root / "docs" / "errata.md").write_text(errata.page(mistakes), encoding="utf-8")
            console.print("docs/claims.md and docs/errata.md are written")


@app.command(epilog="Examples: grader demo · grader demo week1_embeddings --jobs 1")
def demo(which: Which = "", sandbox: Sandbox = True, jobs: Jobs = None) -> None:
    """The whole course on the embedded default: build, run every reference, grade a sample class, store, report.

    The references run as submissions do, in the profile smoke. What has not changed since the last time is not run again.
    """
    from grader.classes.classroom import Classroom
    from grader.quality.sample_class import hand_in, surprises
    from grader.registry.report import render
    from grader.release.build import build as build_lessons
    from grader.release.build import release_to

    with explained():
        course = Course()
        lessons, settings = course.lessons(which), _settings(sandbox)
        home = course.build / "class"
        console.rule("build")
        build_lessons(course, lessons, say=lambda text: console.print(text, highlight=False))
        for week in dict.fromkeys(lesson.week.name for lesson in lessons):
            release_to(course, week, home)
        hand_in(lessons, home)
        console.rule("the references, and a sample class")
        classroom = Classroom(course, home, settings)
        try:
            failed = classroom.grade(lessons, "*", console, _bar, jobs=jobs or CORES, references=lessons)
        except CourseError as error:  # the report shows what there is
            failed = [str(error)]
        console.rule("report")
        _show(render(course, home, lessons=lessons, told=failed))
        failed += surprises(lessons, home)
    if failed:
        raise typer.Exit(1)


@app.command()
def schema() -> None:
    """Print the JSON schema of a verdict."""
    from grader.grading.verdict import Verdict

    typer.echo(json.dumps(Verdict.model_json_schema(), indent=1))
