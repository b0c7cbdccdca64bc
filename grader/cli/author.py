"""Commands that write a lesson: from the first file to a lesson of which nothing is left to be done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from grader.cli.common import (
    CORES,
    Device,
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
    progress_bar,
    say,
)
from grader.cli.quality import audited
from grader.course import Course, CourseError, Lesson

if TYPE_CHECKING:
    from grader.quality.reference import ReferenceRun

PANEL = "Write lessons"
app = typer.Typer()


@app.command(
    rich_help_panel=PANEL,
    epilog="Examples: grader new week2_letters/pairs · grader new week1_embeddings/elmo --title 'ELMo: vectors in context' "
    "--paper 'Peters et al. 2018, Deep Contextualized Word Representations (NAACL)' --link https://aclanthology.org/N18-1202",
)
def new(
    lesson: Annotated[str, typer.Argument(help="WEEK/LESSON; a week is called week1_embeddings, a lesson word2vec.")],
    title: Annotated[str, typer.Option(help="What students read at the top.", show_default=False)] = "",
    paper: Annotated[str, typer.Option(help="Authors and year, title (venue).", show_default=False)] = "",
    link: Annotated[str, typer.Option(help="Where the paper can be read.", show_default=False)] = "",
) -> None:
    """Make a lesson that works: a small one, on what a letter tells, to be rewritten piece by piece."""
    from grader.lessons.template import new_lesson

    with explained():
        made = new_lesson(Course(), lesson, title, paper, link)
    say(f"{near(made.source)} is there, and course.toml lists it.")
    say(f"Next: grader check {made.name}")


@app.command(rich_help_panel=PANEL, epilog="Example: grader new-course ~/my-course --title 'Speech and language'")
def new_course(
    folder: Annotated[Path, typer.Argument(help="A folder that does not exist yet, or is empty.")],
    title: Annotated[str, typer.Option(help="The course's name.")] = "My course",
) -> None:
    """Make a course of its own in a folder: course.toml, nbgrader's configuration, a first lesson."""
    from grader.lessons.template import new_course as make

    with explained():
        lesson = make(folder, title)
    say(f"{folder} holds a course with the lesson {lesson.id}.")
    say(f"Next: cd {folder} && grader check {lesson.name}")


@app.command(rich_help_panel=PANEL, epilog="Example: grader check word2vec")
def check(which: One, sandbox: Sandbox = True) -> None:
    """Say how far a lesson is: build it, run it, try its checks, look at its table; stop where something is not right."""
    from grader.quality import audit_stamp, readiness

    with explained():
        course = Course()
        lesson = course.lesson(which)
        with _step("1. It builds, and nothing leaks", lesson):
            _build(course, [lesson])
        with _step("2. The reference runs, and its metrics are inside their intervals", lesson):
            if outside := _run([lesson], "smoke", jobs=1):
                raise CourseError(f"measure the table again (grader calibrate), or mend {', '.join(outside)}")
        with _step("3. The skeleton fails every check by NotImplementedError", lesson):
            readiness.try_skeleton(lesson)
        with _step("4. The audit finds no fault: wrong answers and mutants fail, right answers pass", lesson):
            if audit_stamp.holds(lesson):
                say(f"{lesson.id}: unchanged since it was audited")
            elif faults := audited([lesson], f"grader audit {lesson.id}", grading(sandbox))[0].faults:
                raise CourseError(f"faults: {len(faults)}; docs/author.md says what they mean")
        console.print("[bold]5. The expected table is measured, and so are its error rates[/]", highlight=False)
        measured = readiness.measured(lesson)
        if measured.fault:
            raise CourseError(f"{measured.fault}\nNext: {measured.step}")
        console.print("[bold green]All is as it should be.[/]")
        say(f"Next: {measured.step}")


@contextmanager
def _step(title: str, lesson: Lesson) -> Iterator[None]:
    """Says what is tried; what is not right there ends in what to do next."""
    console.print(f"[bold]{title}[/]", highlight=False)
    try:
        yield
    except CourseError as error:
        raise CourseError(f"{error}\nNext: mend this, then grader check {lesson.name}") from None


@app.command(rich_help_panel=PANEL, epilog="Example: grader build week1_embeddings")
def build(which: Which = "") -> None:
    """Make the students' notebooks in weeks/ from solutions/, through nbgrader's release step, and prove that nothing leaks.

    nbgrader releases whole weeks: of a lesson, its week is built.
    """
    with explained():
        course = Course()
        _build(course, course.lessons(which))


def _build(course: Course, lessons: Sequence[Lesson]) -> None:
    from grader.registry.lesson_table import update
    from grader.release.build import build as build_lessons

    build_lessons(course, lessons, say)
    if update(course):
        say("README.md: the table of lessons")


@app.command(rich_help_panel=PANEL, epilog="Examples: grader release week1_embeddings · grader release")
def release(which: Which = "") -> None:
    """Make what students get of a week: a folder and a zip with notebooks, checks, the library and how to install it.

    They lie in build/packs. Nothing of the solutions and of the grader is in them, which is proved each time.
    """
    from grader.release.pack import pack

    with explained():
        course = Course()
        lessons = course.lessons(which)
        _build(course, lessons)
        for week in dict.fromkeys(lesson.week.name for lesson in lessons):
            made = pack(course, week)
            say(f"{near(made)}: {made.stat().st_size / 1e6:.1f} MB, nothing of the instructor's in it")


@app.command(rich_help_panel=PANEL, epilog="Example: grader costs && grader site")
def site() -> None:
    """Make the course's static site, build/site: lessons without solutions, claims to search, the documents, the library.

    A lesson's page shows the outputs of a recorded run: `grader demo` and `grader costs` record one of each lesson in the profile
    smoke, `grader run --profile cpu` a larger one. No notebook is run here. The pages are searched for lines of solutions.
    """
    from grader.site.lesson_page import recorded_run
    from grader.site.make import make_site

    with explained():
        course = Course()
        made = make_site(course)
        if bare := [lesson.name for lesson in course.lessons() if recorded_run(lesson) is None]:
            say(f"without outputs, as no run of them is recorded: {', '.join(bare)}\nNext: grader costs && grader site")
        say("No solution leaks, and every link leads somewhere.")
        say(f"Open {near(made)} in a browser.")


@app.command(
    rich_help_panel=PANEL, epilog="Examples: grader pretrain · grader pretrain world-ko · grader pretrain --list"
)
def pretrain(
    name: Annotated[str, typer.Argument(help="One of the recipes; nothing for all.", show_default=False)] = "",
    show: Annotated[bool, typer.Option("--list", help="Only say which checkpoints are as they should be.")] = False,
) -> None:
    """Make the course's pre-trained models (data/models), each once: what has not changed since is left as it is.

    It takes some minutes for each and shows how the loss falls; a call that was cut goes on from there.
    """
    from grader.release import checkpoints

    with explained():
        for recipe in [name] if name else checkpoints.names():
            if checkpoints.fresh(recipe):
                say(f"{recipe}: as its recipe and the code of today would give it")
            elif show:
                say(f"{recipe}: old or missing. Next: grader pretrain {recipe}")
            else:
                history = checkpoints.make(recipe, Course().build / "pretraining", f"grader pretrain {recipe}")
                say(f"{recipe}: {len(history.losses)} steps, {history.tokens_per_second:,.0f} tokens a second")


@app.command(
    rich_help_panel=PANEL,
    epilog="Examples: grader run word2vec --profile cpu --seed 3 · grader run week1_embeddings --jobs 1",
)
def run(
    which: Which = "", profile: Profile = "smoke", seed: Seed = 0, device: Device = "auto", jobs: Jobs = None
) -> None:
    """Execute the hidden reference with papermill, showing its progress, and say which metrics are outside their interval."""
    with explained():
        _run(Course().lessons(which), known_profile(profile), seed, device, jobs)


def _run(
    lessons: Sequence[Lesson], profile: str, seed: int = 0, device: str = "auto", jobs: int | None = None
) -> list[str]:
    """Runs the references and gives the metrics that are outside their interval."""
    from grader.registry.report import reference

    jobs = jobs or (1 if profile == "gpu" else CORES)
    width, everything_outside = max(len(lesson.id) for lesson in lessons), list[str]()
    for lesson, done in _references(lessons, profile, seed, device, jobs):
        run = reference(lesson, profile, seed)
        inside, outside = run.named("inside"), run.named("outside")
        console.print(
            f"{lesson.id:<{width}}  {done.seconds:4.0f} s  {len(inside)} of {len(inside) + len(outside)} metrics inside",
            highlight=False,
        )
        everything_outside += outside
        if outside:
            console.print(f"  [bold red]outside: {', '.join(outside)}[/]", highlight=False)
        console.print(f"  {escape(str(near(done.notebook)))}", highlight=False, soft_wrap=True)
    return everything_outside


def _references(
    lessons: Sequence[Lesson], profile: str, seed: int, device: str, jobs: int
) -> Iterator[tuple[Lesson, ReferenceRun]]:
    """Runs one at a time with papermill's bar of cells, or some at a time with a bar of lessons; a log gets neither."""
    from grader.quality.reference import run_references

    if min(jobs, len(lessons)) == 1 and console.is_terminal:
        yield from run_references(lessons, profile, seed, device)
        return
    with progress_bar() as bar:
        task = bar.add_task(f"references, {profile}", total=len(lessons), now="")
        step = lambda done, total, now: bar.update(task, completed=done, total=total, now=escape(now))  # noqa: E731
        yield from run_references(lessons, profile, seed, device, jobs, step)
