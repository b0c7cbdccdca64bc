"""Commands that grade a class and show what came of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from grader.cli.common import (
    CORES,
    Home,
    Jobs,
    One,
    Profile,
    Sandbox,
    Seed,
    Which,
    console,
    explained,
    grading,
    known_profile,
    near,
    on_cluster,
    progress_bar,
    say,
)
from grader.course import Course, CourseError
from grader.printable import printable

if TYPE_CHECKING:
    from grader.grading.store import Gradable
    from grader.nbgrader.course import NbgraderCourse
    from grader.registry.report import Page

PANEL = "Grade a class"
app = typer.Typer()


@app.command(
    rich_help_panel=PANEL,
    epilog="Examples: grader autograde week1_embeddings --jobs 2 · grader autograde word2vec --take-in moodle.zip · "
    "grader autograde week1_embeddings --dry-run · grader autograde week1_embeddings --dask tcp://10.0.0.1:8786",
)
def autograde(
    which: Which = "",
    home: Home = None,
    student: Annotated[str, typer.Option(help="Grade this student alone.")] = "*",
    take_in: Annotated[
        Path | None,
        typer.Option(
            help="First take in a platform's zip (Moodle, Canvas, Blackboard), a folder of clones, or a notebook.",
            exists=True,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many submissions at a time.")] = CORES,
    dask: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Grade on the workers of this Dask scheduler, tcp://HOST:8786, instead of here (docs/scale.md).",
            show_default=False,
        ),
    ] = "",
    resume: Annotated[
        bool, typer.Option(help="Keep verdicts on unchanged inputs; --no-resume grades everything anew.")
    ] = True,
    dry_run: Annotated[bool, typer.Option(help="Store nothing; show whose points would move, and why.")] = False,
    sandbox: Sandbox = True,
) -> None:
    """Grade a class (HOME/submitted/STUDENT/WEEK/LESSON.ipynb): verdicts as they come, then nbgrader's gradebook.

    It can be stopped at any moment and called again: what is stored and unchanged is not run again. In the folder of
    another nbgrader course (nbgrader_config.py and no course.toml) it grades the assignments that nbgrader has released.
    """
    with explained():
        if dry_run and take_in is not None:
            raise CourseError("--dry-run stores nothing: first take in (--take-in without --dry-run), or leave it out")
        settings = on_cluster(sandbox) if dask else grading(sandbox)
        course = _course()
        lessons: list[Gradable] = [*course.lessons(which)]
        if not dask:
            from grader.classes.workers import start_servers

            start_servers(lessons, settings)  # while this process imports nbgrader
        from grader.classes import uploads
        from grader.classes.classroom import Classroom

        folder = _home(course, home)
        if take_in is not None:
            for problem in uploads.take_in(take_in, lessons, folder):
                console.print(f"[yellow]left out: {escape(problem)}[/]", highlight=False)
        classroom = Classroom(course, folder, settings, dask)
        failed = classroom.grade(lessons, student, console, progress_bar, jobs=jobs, resume=resume, dry_run=dry_run)
    if failed:
        raise typer.Exit(1)


@app.command(
    rich_help_panel=PANEL,
    epilog="Examples: grader grade ada/word2vec.ipynb word2vec · grader grade ada/word2vec.ipynb word2vec --keep appeal-ada",
)
def grade(
    notebook: Annotated[Path, typer.Argument(help="The notebook that was handed in.", exists=True, dir_okay=False)],
    lesson: One,
    student: Annotated[
        str, typer.Option(help="Store the score under this student's name; without it nothing is stored.")
    ] = "",
    keep: Annotated[
        Path | None,
        typer.Option(
            help="A new folder for all that came of it: the notebook as it ran, the verdict, artifacts, seeds, versions.",
            show_default=False,
        ),
    ] = None,
    home: Home = None,
    sandbox: Sandbox = True,
) -> None:
    """Grade one notebook: print its verdict and, with --student, store it in nbgrader's gradebook."""
    from grader.classes import appeal, by_hand
    from grader.grading import notebook as plain
    from grader.grading import rehearsal, store
    from grader.nbgrader import gradebook

    with explained():
        course = _course()
        graded_lesson, settings, path = course.lesson(lesson), grading(sandbox), notebook
        if isinstance(graded_lesson, plain.Notebook):
            graded_lesson = rehearsal.prepared(graded_lesson, settings)
        if keep is not None:
            appeal.make(keep)
        if student:
            folder = _home(course, home)
            path = by_hand.put(notebook, student, graded_lesson, folder)
        whose = student or notebook.stem
        if keep is not None:
            made = appeal.grade(course.root, graded_lesson, path, whose, settings, keep)
        else:
            made = store.grade(graded_lesson, path, whose, settings)
        verdict = made.verdict
        if student:
            store.save(store.verdict_path(folder, student, graded_lesson), verdict, made.notebook)
            gradebook.store(course, folder, graded_lesson.assignment, student, settings)
    typer.echo(verdict.as_json())
    if verdict.status != "graded":
        raise typer.Exit(1)


def _course() -> Course | NbgraderCourse:
    """The course of the working folder: ours by its course.toml, another by its nbgrader_config.py; else the one here."""
    from grader.nbgrader.course import CONFIG, NbgraderCourse

    here = Path.cwd()
    return NbgraderCourse(here) if (here / CONFIG).is_file() and not (here / "course.toml").is_file() else Course()


def _home(course: Course | NbgraderCourse, home: Path | None) -> Path:
    return (home or course.root).resolve()


@app.command(
    rich_help_panel=PANEL,
    epilog="Examples: grader export week1_embeddings worksheet.csv · grader export week1_embeddings canvas.csv --column 'Week 1 (4711)'",
)
def export(
    week: Annotated[str, typer.Argument(help="The week, nbgrader's assignment.")],
    sheet: Annotated[
        Path,
        typer.Argument(
            help="Moodle's grading worksheet or Canvas's gradebook, as exported there.", exists=True, dir_okay=False
        ),
    ],
    column: Annotated[str, typer.Option(help="The column of the grades, if there are more.", show_default=False)] = "",
    out: Annotated[Path | None, typer.Option(help="Without it NAME-filled.csv.", show_default=False)] = None,
    home: Home = None,
) -> None:
    """Fill a platform's own sheet with the scores of the gradebook, ready to be imported there.

    A plain table of all scores is what `nbgrader export` writes.
    """
    from grader.nbgrader import sheets

    with explained():
        scores = sheets.totals(_home(_course(), home) / "gradebook.db", week)
        filled = sheets.fill(sheet, scores, out or sheet.with_name(f"{sheet.stem}-filled.csv"), column)
    for note in filled.notes:
        console.print(f"[yellow]{escape(printable(note))}[/]", highlight=False)
    say(f"{near(filled.path)}: {filled.rows} of {len(scores)} students have their grade")


@app.command(rich_help_panel=PANEL, epilog="Example: grader report --home build/class")
def report(home: Home = None, profile: Profile = "smoke", seed: Seed = 0) -> None:
    """Write build/report/index.html from the stored runs, verdicts and scores; beside it class.html and students/NAME.html.

    class.html is for instructors alone; a student's page holds nothing hidden and can be handed out.
    """
    from grader.registry.report import render

    with explained():
        course = Course()
        _show(render(course, (home or course.root).resolve(), known_profile(profile), seed))


def _show(page: Page) -> None:
    """What the report says at its top, and where it is."""
    for trouble in page.troubles:
        console.print(f"[bold red]{escape(trouble.text)}[/]", highlight=False)
    if not page.troubles:
        console.print("[bold green]Everything is as it should be.[/]", highlight=False)
    console.print(f"Open [bold]{escape(str(near(page.path)))}[/] in a browser.", highlight=False, soft_wrap=True)


@app.command(rich_help_panel=PANEL, epilog="Examples: grader costs · grader costs word2vec · grader costs --record")
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
        course, settings = Course(), grading(sandbox)
        table = Table("lesson", "seconds of all cells", "of the slowest", "of all checks", "times the recorded machine")
        for lesson in course.lessons(which):
            usage = known.of(lesson, settings)
            times = known.factor(lesson, usage)
            seconds = (f"{x:.1f}" for x in (usage.notebook, usage.slowest_cell, usage.all_checks))
            table.add_row(lesson.name, *seconds, "" if times is None else f"{times:.2f}")
        console.print(table)
        if record:
            console.print(known.record(course, settings, "grader costs --record"))


@app.command(rich_help_panel=PANEL, epilog="Examples: grader demo · grader demo week1_embeddings --jobs 1")
def demo(which: Which = "", sandbox: Sandbox = True, jobs: Jobs = None) -> None:
    """The whole course on the embedded default: build, run every reference, grade a sample class, store, report.

    The references run as submissions do, in the profile smoke. What has not changed since the last time is not run again.
    """
    from grader.classes.workers import start_servers

    with explained():
        course = Course()
        lessons, settings = course.lessons(which), grading(sandbox)
        start_servers(lessons, settings)  # while this process imports nbgrader and builds
        from grader.classes.classroom import Classroom
        from grader.quality.sample_class import hand_in, surprises
        from grader.registry.report import render
        from grader.release.build import build as build_lessons
        from grader.release.build import release_to

        home = course.build / "class"
        console.rule("build")
        build_lessons(course, lessons, say=say)
        for week in dict.fromkeys(lesson.week.name for lesson in lessons):
            release_to(course, week, home)
        hand_in(lessons, home)
        console.rule("the references, and a sample class")
        classroom = Classroom(course, home, settings)
        try:
            failed = classroom.grade(lessons, "*", console, progress_bar, jobs=jobs or CORES, references=lessons)
        except CourseError as error:  # the report shows what there is
            failed = [str(error)]
        console.rule("report")
        _show(render(course, home, lessons=lessons, told=failed))
        failed += surprises(lessons, home)
    if failed:
        raise typer.Exit(1)


@app.command(rich_help_panel=PANEL)
def schema() -> None:
    """Print the JSON schema of a verdict."""
    from grader.grading.verdict import Verdict

    typer.echo(json.dumps(Verdict.model_json_schema(), indent=1))
