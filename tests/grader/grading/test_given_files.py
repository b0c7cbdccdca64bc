"""The files of an assignment in the folder of a plain course's kernel: they are the instructor's, whatever was handed in."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader.grading import notebook as notebooks
from grader.grading.cell_scores import Run
from grader.grading.notebook import Notebook
from grader.settings import Settings

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox]

TAMPER = """import os
def tried(change, *words):
    try:
        change(*words)
    except OSError as error:
        return type(error).__name__
    return "done"
print(tried(open, "towns.csv", "w"), tried(os.chmod, "towns.csv", 0o777), tried(os.remove, "data/names.csv"),
      tried(os.rename, "towns.csv", "old.csv"), tried(os.replace, "mine.csv", "towns.csv"))"""
NEW = 'print(open("data/new.csv", "w").write("x"))'
LOOK = 'print(open("towns.csv").read(), open("data/names.csv").read(), open("data/mine.csv").read())'


def run(tmp_path: Path, cells: list[str], handed_in: dict[str, str], given: dict[str, str]) -> Run:
    for name, text in [
        *((f"submitted/{a}", b) for a, b in handed_in.items()),
        *((f"given/{a}", b) for a, b in given.items()),
    ]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    made = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    notebook = Notebook("hw", "towns", nbformat.writes(made), tmp_path / "given")
    return notebooks.run(notebook, made, tmp_path / "submitted", Settings())


def printed(run: Run) -> list[str]:
    return [
        "".join(output.get("text", "") for output in cell.outputs) for cell in run.report.notebook.cells if cell.outputs
    ]


def test_no_cell_changes_them_and_new_files_find_their_place(tmp_path: Path) -> None:
    handed_in = {"towns.csv": "mine", "mine.csv": "mine", "data/mine.csv": "kept"}
    given = {"towns.csv": "서울", "data/names.csv": "Paris"}
    changes, new, seen = printed(run(tmp_path, [TAMPER, NEW, LOOK], handed_in, given))
    assert changes == "OSError OSError OSError OSError OSError\n"
    assert new == "1\n"
    assert seen == "서울 Paris kept\n"


def test_what_stands_in_their_way_is_left_out_and_said(tmp_path: Path) -> None:
    handed_in = {"towns.csv/deep.txt": "a folder", "data": "a file", "kept.txt": "kept"}
    given = {"towns.csv": "서울", "data/names.csv": "Paris"}
    done = run(
        tmp_path,
        ['print(*(open(name).read() for name in ("towns.csv", "data/names.csv", "kept.txt")))'],
        handed_in,
        given,
    )
    assert printed(done) == ["서울 Paris kept\n"]
    assert done.notes == [
        "data was handed in as a file; it is a folder of the assignment's: the file was left out",
        "towns.csv was handed in as a folder; it is a file of the assignment's: the folder was left out",
    ]


def test_very_many_files_are_copies(tmp_path: Path) -> None:
    given = {f"{number}.txt": str(number) for number in range(notebooks.MOST_READ_ONLY + 1)}
    done = run(
        tmp_path,
        ['print(open("7.txt").read())\nopen("7.txt", "w").write("8")\nprint(open("7.txt").read())'],
        {"a.txt": ""},
        given,
    )
    assert printed(done) == ["7\n8\n"]
