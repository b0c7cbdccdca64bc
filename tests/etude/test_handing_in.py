"""`etude hand-in`: what is found in a notebook, what is refused, the copy and its receipt."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from typer.testing import CliRunner

from etude import handing_in
from etude.cli import app
from etude.handing_in import HandInError, hand_in

CHECKS = """
from etude.lesson.checks import equal, exercise


@exercise("double", points=1)
def test_two(student):
    equal(student.double(1), 2)


@exercise("triple", points=1)
def test_three(student):
    equal(student.triple(1), 3)
"""
STUB = f"def {{}}(x):\n    {handing_in.STUB}"
DOUBLE = "def double(x):\n    return 2 * x"


def cell(grade_id: str, source: str, points: float | None = None, tags: tuple[str, ...] = ()) -> NotebookNode:
    rules: dict[str, Any] = {"grade_id": grade_id, "grade": points is not None, "locked": True, "solution": False}
    metadata = {"nbgrader": rules | ({"points": points} if points is not None else {}), "tags": list(tags)}
    made: NotebookNode = new_code_cell(source, metadata=metadata)
    return made


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """A notebook with an exercise that is written, one that is not, metrics and a question; its checks beside it."""
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums" / "checks.py").write_text(CHECKS)
    notebook = new_notebook(
        cells=[
            cell("parameters", 'profile = "cpu"\nseed, device, out = 0, "auto", "results"', tags=("parameters",)),
            cell(
                "setup",
                'import etude\nfrom etude import check\netude.start("week1_words/sums", profile=profile, out=out)',
            ),
            cell("double", DOUBLE),
            cell("check_double", 'check("double")', 2),
            cell("triple", STUB.format("triple")),
            cell("check_triple", 'check("triple")', 3),
            cell("metrics", 'assert profile == "smoke"', 1, ("metrics",)),
            new_markdown_cell(
                handing_in.ANSWER_STUB, metadata={"nbgrader": {"grade_id": "why", "grade": True, "points": 4}}
            ),
        ]
    )
    path = tmp_path / "sums.ipynb"
    nbformat.write(notebook, path)
    return path


def edit(path: Path, grade_id: str, source: str) -> None:
    notebook = nbformat.read(path, as_version=4)
    [found] = [cell for cell in notebook.cells if cell.metadata.nbgrader.grade_id == grade_id]
    found.source = source
    nbformat.write(notebook, path)


def states(handed_in: handing_in.HandedIn) -> dict[str, str]:
    return {part.name: part.state for part in handed_in.parts}


def test_it_says_what_passes_what_fails_and_what_is_not_written(lesson: Path) -> None:
    assert states(hand_in(lesson)) == {"double": "passes", "triple": "not written", "metrics": "runs", "why": "empty"}
    edit(lesson, "triple", "def triple(x):\n    return 2 * x")
    edit(lesson, "why", "because")
    done = hand_in(lesson)
    assert states(done) == {"double": "passes", "triple": "fails", "metrics": "runs", "why": "written"}
    assert "1 of 1 checks of triple fail" in next(part.said for part in done.parts if part.name == "triple")


def test_the_copy_is_the_file_and_the_receipt_holds_its_hash(lesson: Path) -> None:
    done = hand_in(lesson, run=False)
    assert done.copy.read_bytes() == lesson.read_bytes()
    receipt = json.loads(done.copy.with_suffix(".receipt.json").read_text())
    assert receipt["sha256"] == hashlib.sha256(lesson.read_bytes()).hexdigest() == done.sha256
    assert receipt["lesson"] == "week1_words/sums"
    assert receipt["bytes"] == lesson.stat().st_size
    assert receipt["parts"][0] == {
        "name": "double",
        "kind": "exercise",
        "points": 2.0,
        "state": "not reached",
        "said": "",
    }


def test_a_notebook_that_changes_while_it_is_run_is_handed_in_as_it_was_read(lesson: Path) -> None:
    before = lesson.read_bytes()
    done = hand_in(lesson, step=lambda cells, total: edit(lesson, "double", f"# {cells}") if cells == 3 else None)
    assert lesson.read_bytes() != before
    assert done.copy.read_bytes() == before
    assert done.sha256 == hashlib.sha256(before).hexdigest()


def test_a_cell_that_hands_in_its_own_notebook_does_not_run_it_again(
    lesson: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(lesson, "metrics", f"import os\nassert {handing_in.RUNNING!r} in os.environ")
    assert states(hand_in(lesson))["metrics"] == "runs"
    assert handing_in.RUNNING not in os.environ
    monkeypatch.setenv(handing_in.RUNNING, "1")
    for words in ([], ["--no-run"]):
        done = CliRunner().invoke(app, ["hand-in", str(lesson), *words], env={"COLUMNS": "160"})
        assert done.exit_code == 1
        assert "a hand-in runs this notebook" in done.output


def test_a_kernel_that_dies_leaves_what_stands_behind_not_reached(lesson: Path) -> None:
    edit(lesson, "double", "import os\nos._exit(1)")
    done = hand_in(lesson)
    assert states(done)["double"] == "not reached"
    assert [note for note in done.notes if "the kernel died" in note]


def test_an_exercise_that_is_gone_and_one_that_stands_twice_are_named(lesson: Path) -> None:
    notebook = nbformat.read(lesson, as_version=4)
    notebook.cells = [*notebook.cells[:4], notebook.cells[3], *notebook.cells[6:]]
    nbformat.write(notebook, lesson)
    done = hand_in(lesson, run=False)
    assert states(done)["triple"] == "missing"
    assert "double stands 2 times: the first counts" in done.notes


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no whole notebook"),
        (b"\xff\xfe", "no whole notebook"),
        (b'{"cells": 3}', "no whole notebook"),
        (nbformat.writes(new_notebook()).encode(), "opens no lesson"),
        (
            nbformat.writes(new_notebook(cells=[new_code_cell('etude.start("week9_none/none")')])).encode(),
            "checks of .* are missing",
        ),
        (b" " * (handing_in.LARGEST + 1), "clear its outputs"),
    ],
)
def test_what_cannot_be_handed_in_is_refused_with_what_to_do(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "sums.ipynb").write_bytes(content)
    with pytest.raises(HandInError, match=said):
        hand_in(tmp_path / "sums.ipynb")
    assert not (tmp_path / "handed-in").exists()


def test_the_command_prints_a_table_and_where_the_copy_is(lesson: Path) -> None:
    done = CliRunner().invoke(app, ["hand-in", str(lesson), "--no-run"], env={"COLUMNS": "160"})
    assert done.exit_code == 0, done.output
    assert "not written" in done.output
    assert "Upload" in done.output
    assert hashlib.sha256(lesson.read_bytes()).hexdigest() in done.output
    missing = CliRunner().invoke(app, ["hand-in", str(lesson.with_name("other.ipynb"))])
    assert missing.exit_code == 1
    assert "give the .ipynb file" in missing.output
