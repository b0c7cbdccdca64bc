"""The student's command line, `etude`: `doctor` looks at the machine, `hand-in` at a notebook, `data` lists and fetches corpora.

It turns options into calls and exceptions into one sentence and an exit status; what is done is decided elsewhere. The
modules behind a command are imported by the command, so that `etude --help` answers at once.
"""

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

# What is said of a part where the word alone would promise too much.
HERE = {
    ("exercise", "passes"): "public checks pass; hidden ones ask the same of other inputs",
    ("metrics", "runs"): "runs; the grader compares it with the table",
    ("question", "written"): "a person reads it",
}

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, help="The course from a terminal.")
data_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="List and fetch the real corpora.")
app.add_typer(data_app, name="data")


@app.callback(epilog="Examples:  etude doctor   |   etude data list   |   etude data fetch wikitext2")
def main() -> None:
    """Etude: reproduce the papers of NLP in notebooks."""


@app.command(epilog="Examples:  etude doctor   |   etude doctor --json > report.json   (for a bug report)")
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON, for a bug report.")] = False,
) -> None:
    """Look at this machine: what is here, what is missing, how to get it. Exit status 1 if a necessity is missing."""
    from etude.doctor import examine, healthy, show

    findings = examine()
    if as_json:
        report = {"healthy": healthy(findings), "findings": [dataclasses.asdict(finding) for finding in findings]}
        typer.echo(json.dumps(report, indent=2))
    else:
        show(findings, Console())
    raise typer.Exit(0 if healthy(findings) else 1)


@app.command("hand-in", epilog="Examples:  etude hand-in word2vec.ipynb   |   etude hand-in word2vec.ipynb --no-run")
def hand_in(
    notebook: Annotated[Path, typer.Argument(help="The notebook that you have saved.")],
    run: Annotated[bool, typer.Option(help="Run it first in the profile smoke, as the grader does.")] = True,
) -> None:
    """Say what will be graded, try it, and write the copy to upload with a receipt into handed-in."""
    from tqdm import tqdm

    from etude import handing_in

    bar = tqdm(total=0, unit="cell", desc=notebook.name, disable=None, leave=False)

    def step(done: int, total: int) -> None:
        bar.total, bar.n = total, done
        bar.refresh()

    with _errors_in_words(handing_in.HandInError):
        done = handing_in.hand_in(notebook, run=run, step=step)
    bar.close()
    table = Table("part", "points", "here", "", box=None, padding=(0, 2, 0, 0))
    for part in done.parts:
        table.add_row(
            escape(part.name), f"{part.points:g}", HERE.get((part.kind, part.state), part.state), escape(part.said)
        )
    Console().print(table)
    for note in done.notes:
        typer.echo(f"Note: {note}")
    typer.echo(f"\nUpload {done.copy}\nSHA-256 {done.sha256}, also in {done.copy.with_suffix('.receipt.json').name}")


@data_app.command("list", epilog="Examples:  etude data list   |   etude data list klue")
def list_corpora(name: Annotated[str, typer.Argument(help="Only this corpus or file.")] = "") -> None:
    """Show every file the course can use: size, language, licence, and whether it is here already."""
    from etude.corpora import datasets

    with _errors_in_words(datasets.DataError):
        chosen = datasets.names(name)
    table = Table("name", "KiB", "language", "licence", "here", box=None, padding=(0, 2, 0, 0))
    rows = datasets.registry().set_index("name").loc[chosen]
    for file, row in zip(chosen, rows.to_dict("records"), strict=True):
        here = "yes" if datasets.available(file) else "no"
        table.add_row(escape(file), f"{row['bytes'] / 1024:,.0f}", row["language"], escape(row["licence"]), here)
    Console().print(table)


@data_app.command(
    epilog="Examples:  etude data fetch wikitext2   |   etude data fetch klue sst2/dev.tsv   |   ... --all"
)
def fetch(
    wanted: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Corpora or files.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every file that has an address or is in the mirror.")
    ] = False,
) -> None:
    """Get files into the cache, from the mirror if ETUDE_MIRROR is set, and check them. Exit status 1 if one fails."""
    from etude.corpora import datasets

    if bool(wanted) == everything:
        raise typer.BadParameter("name what to fetch, or give --all, and not both")
    with _errors_in_words(datasets.DataError):
        chosen = [file for name in wanted or [""] for file in datasets.names(name)]
    if everything:
        urls = datasets.registry().set_index("name")["url"]
        mirror_only = [name for name in chosen if not urls[name] and not datasets.available(name)]
        chosen = [name for name in chosen if name not in mirror_only]
        if mirror_only:
            typer.echo(f"Left out, because only a mirror has them: {', '.join(mirror_only)}")
    failed = 0
    for number, name in enumerate(chosen, start=1):
        try:
            size = datasets.path(name).stat().st_size
            typer.echo(f"[{number}/{len(chosen)}] {name}  {size / 1024:,.0f} KiB")
        except datasets.DataError as error:  # the next file may be fine
            failed += 1
            typer.echo(f"[{number}/{len(chosen)}] {error}", err=True)
    if failed:
        typer.echo(f"{failed} of {len(chosen)} files could not be fetched.", err=True)
        raise typer.Exit(1)


@contextlib.contextmanager
def _errors_in_words(kind: type[Exception]) -> Iterator[None]:
    """Turn an error that the user can mend into its message and exit status 1."""
    try:
        yield
    except kind as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
