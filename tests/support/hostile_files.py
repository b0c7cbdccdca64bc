"""Hostile files in the place of a notebook and beside it: none at all, too large, links, pipes, another's verdict."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from hostile import LESSON, WEEK, Given, attack, notebook_file
from hostile_json import SCRIPT, save


@attack("Says a version of the format that is ten megabytes long.", "no notebook", 0, "the notebook says nbformat")
def version_of_ten_megabytes(folder: Path, given: Given) -> None:
    save(folder, {**given.right, "nbformat": "[red]\x1b[2J" * 1_000_000})


@attack("Hands in 2001 cells.", "no notebook", 0, "at most 2000")
def too_many_cells(folder: Path, given: Given) -> None:
    given.right["cells"] += [{"cell_type": "code", "source": "", "metadata": {}}] * 2001
    save(folder, given.right)


@attack(
    "Hands in another student's verdict, with its name changed, in the notebook's place.",
    "no notebook",
    0,
    "holds no cells",
)
def verdict_of_another(folder: Path, given: Given) -> None:
    passed = {"name": "x", "title": "x", "hidden": False, "points": 11, "status": "passed"}
    known = {
        "lesson": f"{WEEK}/{LESSON}",
        "student": "verdict_of_another",
        "status": "graded",
        "submission": "",
        "inputs": "",
    }
    save(folder, {**known, "exercises": [{"name": "softmax", "checks": [passed]}]})


@attack("Hands in JSON nested a hundred thousand deep.", "no notebook", 0, "not JSON")
def json_without_a_bottom(folder: Path, given: Given) -> None:
    notebook_file(folder).write_text('{"nbformat": 4, "cells": ' + "[" * 100_000)


@attack("Hands in a zip that unpacks to a gigabyte under the notebook's name.", "no notebook", 0, "not UTF-8")
def zip_bomb(folder: Path, given: Given) -> None:
    with (
        zipfile.ZipFile(notebook_file(folder), "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("softmax.ipynb", "w") as member,
    ):
        for _ in range(64):
            member.write(bytes(1 << 24))


@attack("Hands in a file of two hundred gigabytes that takes no room.", "no notebook", 0, "MiB, at most 20 are read")
def file_without_end(folder: Path, given: Given) -> None:
    with notebook_file(folder).open("wb") as file:
        file.truncate(200 << 30)


@attack("Hands in a FIFO, at which a reader waits for ever.", "no notebook", 0, "is not a file")
def fifo_for_a_notebook(folder: Path, given: Given) -> None:
    os.mkfifo(notebook_file(folder))


@attack("Hands in a folder with the notebook's name.", "no notebook", 0, "is not a file")
def folder_for_a_notebook(folder: Path, given: Given) -> None:
    notebook_file(folder).mkdir()


@attack("Hands in a link to the right answers of another student.", "no notebook", 0, "is a link to another file")
def link_to_another_student(folder: Path, given: Given) -> None:
    notebook_file(folder).symlink_to(notebook_file(Path("..", "..", "ada", WEEK)))


@attack("Hands in a link to the notebook with the solutions.", "no notebook", 0, "is a link to another file")
def link_to_the_solutions(folder: Path, given: Given) -> None:
    notebook_file(folder).symlink_to(given.course / "build" / "source" / WEEK / f"{LESSON}.ipynb")


@attack(
    "Hands in files beside the notebook: modules of torch's name, checks, links to the solutions, a time of its own.",
    "files beside",
    11,
)
def files_beside_the_notebook(folder: Path, given: Given) -> None:
    save(folder, given.right)
    for name in (
        "torch.py",
        "etude.py",
        "sitecustomize.py",
        "conftest.py",
        "checks.py",
        "softmax/checks.py",
        "numpy/__init__.py",
        "etude.pth",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("raise SystemExit('shadowed')")
    (folder / "extra.ipynb").write_text("{}")


@attack("Says that it was handed in at a time that is no time.", "files beside", 11)
def time_that_is_no_time(folder: Path, given: Given) -> None:
    save(folder, given.right)
    (folder / "timestamp.txt").write_text(f"yesterday {SCRIPT}")


@attack("Hands in a FIFO for the time, at which whoever reads it waits for ever.", "files beside", 11)
def time_that_is_a_pipe(folder: Path, given: Given) -> None:
    save(folder, given.right)
    os.mkfifo(folder / "timestamp.txt")


@attack("Hands in a file of three hundred megabytes and a thousand small ones beside the notebook.", "files beside", 11)
def much_beside_the_notebook(folder: Path, given: Given) -> None:
    save(folder, given.right)
    with (folder / "data.bin").open("wb") as file:
        file.truncate(300 << 20)
    for number in range(1000):
        (folder / f"{number}.txt").touch()


@attack("Hands in links to the hidden checks and to all solutions beside the notebook.", "files beside", 11)
def links_beside_the_notebook(folder: Path, given: Given) -> None:
    save(folder, given.right)
    (folder / "notes.txt").symlink_to(given.course / "solutions" / WEEK / LESSON / "hidden.py")
    (folder / "all").symlink_to(given.course / "solutions")
