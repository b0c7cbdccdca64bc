"""The instructor's command line, `grader`. Each command says what it does, shows progress and ends in a table or a sentence.

A command imports what it works with when it is called, so that --help is quick.
"""

from __future__ import annotations

import atexit
import gc

import typer

from grader.cli import author, instructor, quality

atexit.register(gc.freeze)  # a process that ends need not look through all that it has imported once more

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Write, build, run and grade a course.\n\n"
    "A lesson is written once, in [bold]solutions/WEEK/LESSON[/bold]. [bold]new[/bold] makes a small one that works, "
    "[bold]check[/bold] says how far a lesson is and what comes next, [bold]build[/bold] makes the students' notebook of it. "
    "[bold]autograde[/bold] turns what a class hands in into verdicts and stores them in nbgrader's gradebook "
    "([bold]grade[/bold]: one notebook), [bold]report[/bold] shows it all on one page, and [bold]demo[/bold] does everything "
    "on a sample class.\n\n"
    "A command works on the course that the working folder lies in, which is the nearest folder upwards with a course.toml; "
    "elsewhere on the course that came with it. nbgrader's own commands (generate_assignment, autograde, generate_feedback, "
    "export) and formgrader work from a course's folder on the same files.",
    epilog="[bold]From an empty clone to a graded class[/bold]\n\n"
    "grader build  [dim]weeks/ from solutions/, nothing leaks[/dim]\n\n"
    "grader demo  [dim]everything, on a sample class[/dim]\n\n"
    "grader autograde week1_embeddings --jobs 2  [dim]submitted/STUDENT/week1_embeddings/*.ipynb[/dim]\n\n"
    "grader report  [dim]build/report/index.html[/dim]\n\n"
    "[bold]From nothing to a lesson[/bold]\n\n"
    "grader new-course ~/my-course && cd ~/my-course  [dim]or in the clone[/dim]\n\n"
    "grader new week2_letters/pairs  [dim]a lesson that works, to be rewritten[/dim]\n\n"
    "grader check pairs  [dim]how far it is, and what comes next[/dim]",
)
app.add_typer(author.app)
app.add_typer(quality.app)
app.add_typer(instructor.app)
