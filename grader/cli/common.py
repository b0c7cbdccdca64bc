"""What the commands share: the console, their options, a progress bar, and trouble told in one sentence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from grader.course import CourseError

if TYPE_CHECKING:
    from grader.settings import Settings

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
    """Ends the command in one clear sentence and exit status 1 if there is trouble with the course."""
    try:
        yield
    except CourseError as error:
        console.print(f"[bold red]{escape(str(error))}[/]", highlight=False, soft_wrap=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        console.print("[bold]Stopped.[/] What is stored stays; the same command goes on from there.", highlight=False)
        raise typer.Exit(130) from None


def say(text: str) -> None:
    """Prints a line as it is."""
    console.print(escape(text), highlight=False, soft_wrap=True)


def known_profile(name: str) -> str:
    """Gives the profile's name back. Raises CourseError if there is none of this name."""
    from etude.lesson.run import PROFILES

    if name not in PROFILES:
        raise CourseError(f"profile {name!r} is not known: choose one of {', '.join(PROFILES)}")
    return name


def grading(sandbox: bool) -> Settings:
    """Settles how to grade, and starts what nearly every lesson's kernels are forked from: it gets ready while this goes on.

    Raises:
        CourseError: there is no sandbox and none was waived; the error says what is missing.
    """
    from grader.settings import WARM, ready

    settings = _settings(sandbox)
    if settings.kernel == WARM:
        from grader.sandbox import Limits, fork_server

        fork_server.address(Limits().threads)
    if missing := ready(settings):
        raise CourseError(
            "\n".join([*missing, "or run with --no-sandbox: submissions then run as you, and every verdict says so"])
        )
    return settings


def on_cluster(sandbox: bool) -> Settings:
    """Settles how a cluster grades, whose workers look for themselves what they lack. Raises CourseError without Dask."""
    if find_spec("distributed") is None:
        raise CourseError("--dask needs the package distributed: pip install -c constraints.txt 'etude[cluster]'")
    return _settings(sandbox)


def _settings(sandbox: bool) -> Settings:
    from grader.settings import PLAIN, Settings

    return Settings() if sandbox else Settings(kernel=PLAIN)


def progress_bar() -> Progress:
    """Makes a live bar on a terminal; nothing in a log, where commands print lines alone."""
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


def near(path: Path) -> Path:
    """Shortens a path that lies in the working folder."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
