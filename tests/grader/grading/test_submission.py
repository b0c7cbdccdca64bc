"""Submissions of every kind become a notebook in the lesson's shape, or are refused in one sentence."""

import errno
import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat import NotebookNode

from etude.handing_in import LARGEST
from grader.course import Lesson
from grader.grading import submission
from grader.grading.submission import BadSubmission, parse, read, restore

SOURCES = st.one_of(st.text(), st.lists(st.text(), max_size=3), st.integers(), st.none())
METADATA = st.one_of(
    st.none(),
    st.dictionaries(
        st.sampled_from(["nbgrader", "tags", "x"]),
        st.one_of(
            st.integers(),
            st.dictionaries(
                st.sampled_from(["grade_id", "points", "locked"]),
                st.one_of(st.text(max_size=5), st.integers(), st.just("check_nearest")),
            ),
        ),
        max_size=2,
    ),
)
CELLS = st.dictionaries(
    st.sampled_from(["cell_type", "source", "metadata", "outputs", "id"]),
    st.one_of(st.sampled_from(["code", "markdown", "raw", "odd"]), SOURCES, METADATA),
)


@pytest.fixture(scope="module")
def released(word2vec: Lesson) -> NotebookNode:
    notebook: NotebookNode = nbformat.read(word2vec.released, as_version=4)
    return notebook


def test_the_release_comes_back_as_it_is(word2vec: Lesson, released: NotebookNode) -> None:
    notebook = read(word2vec.released).notebook
    assert notebook is not None
    restored = restore(notebook, released)
    assert restored.notes == []
    assert [cell.source for cell in restored.notebook.cells] == [cell.source for cell in released.cells]


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"PK\x03\x04\xff", "not UTF-8"),
        (b'{"cells": [', "not JSON"),
        (b"[1, 2]", "no cells"),
        (b'{"worksheets": []}', "nbformat 3"),
        (b'{"cells": [], "nbformat": 5}', "nbformat 5"),
        (b'{"cells": 3, "nbformat": 4}', "make no sense"),
        (b'{"cells": [{"cell_type": "heading"}], "nbformat": 4}', "neither code nor text"),
        (b'{"cells": [{"cell_type": "code", "source": 4}], "nbformat": 4}', "not text"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_notebook_is_refused_with_what_to_do(content: bytes, word: str) -> None:
    with pytest.raises(BadSubmission, match=word):
        parse(content)


def test_what_the_machine_cannot_read_is_no_refusal_and_has_no_code(
    word2vec: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", unreadable)
    assert submission.code(word2vec.released) == []
    for reading in (submission.read, submission.content):
        with pytest.raises(PermissionError):
            reading(word2vec.released)


def test_a_file_of_200_megabytes_is_refused_without_being_read(tmp_path: Path) -> None:
    path = tmp_path / "word2vec.ipynb"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    given = read(path)
    assert given.notebook is None
    assert "200 MiB" in given.problem


@pytest.mark.parametrize(
    "around",
    [
        '{"nbformat": 4, "cells": [], "metadata": {"a": [%s]}}',
        '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "outputs": [%s]}]}',
        '{"nbformat": 4, "cells": [{"cell_type": "code", "source": [%s]}]}',
    ],
)
def test_millions_of_empty_objects_are_refused_before_they_are_made(around: str) -> None:
    data = (around % ",".join(["{}"] * 6_000_000)).encode()
    assert len(data) < LARGEST
    tracemalloc.start()
    try:
        with pytest.raises(BadSubmission, match="more than 1,000,000 values: clear the outputs"):
            parse(data)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("end", submission.LINE_ENDS)
def test_millions_of_lines_are_refused(end: str) -> None:
    cell = {"cell_type": "code", "source": end * (submission.MOST_LINES + 1)}
    with pytest.raises(BadSubmission, match="have 200,001 lines"):
        parse(json.dumps({"nbformat": 4, "cells": [cell]}).encode())
    assert len(cell["source"].splitlines()) == submission.MOST_LINES + 1


def test_a_notebook_with_long_outputs_is_read(word2vec: Lesson, released: NotebookNode) -> None:
    notebook = nbformat.read(word2vec.released, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    code[0].outputs = [nbformat.v4.new_output("stream", text='{"a": [1, 2]},\n' * 300_000)]
    code[1].outputs = [nbformat.v4.new_output("display_data", data={"image/png": "iVBORw0KGgo" * 700_000})]
    plot = {"data": [{"x": list(range(100_000)), "y": [0.5] * 100_000}]}
    code[2].outputs = [nbformat.v4.new_output("display_data", data={"application/vnd.plotly.v1+json": plot})]
    data = nbformat.writes(notebook, indent=None).encode()
    assert 10 << 20 < len(data) < LARGEST
    assert restore(parse(data), released).notes == []


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    given = read(tmp_path / "word2vec.ipynb")
    assert given.notebook is None
    assert "not handed in" in given.problem


def test_a_link_is_refused_wherever_it_leads(tmp_path: Path, word2vec: Lesson) -> None:
    path = tmp_path / "word2vec.ipynb"
    path.symlink_to(word2vec.released)
    given = read(path)
    assert given.notebook is None
    assert "is a link to another file" in given.problem
    assert submission.content(path) == b""


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_refused_without_waiting_for_it(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "word2vec.ipynb")
    given = read(tmp_path / "word2vec.ipynb")
    assert given.notebook is None
    assert "is not a file" in given.problem
    assert submission.content(tmp_path / "word2vec.ipynb") == b""


def test_a_version_of_megabytes_is_told_in_short() -> None:
    with pytest.raises(BadSubmission) as caught:
        parse(json.dumps({"cells": [], "nbformat": "\x1b[2J" * 1_000_000}).encode())
    assert len(str(caught.value)) < 200
    assert "\x1b" not in str(caught.value)


def ids(notebook: NotebookNode) -> list[str]:
    return [cell.metadata.nbgrader.grade_id for cell in notebook.cells if "nbgrader" in cell.metadata]


def test_a_missing_graded_cell_is_put_back_in_its_place(word2vec: Lesson, released: NotebookNode) -> None:
    notebook = nbformat.read(word2vec.released, as_version=4)
    notebook.cells = [
        cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") != "check_sgns_loss"
    ]
    restored = restore(parse(nbformat.writes(notebook).encode()), released)
    assert ids(restored.notebook) == ids(released)
    assert restored.notes == ["the cell check_sgns_loss was missing: it was put back as released"]


def test_a_doubled_cell_is_said_with_what_counts(word2vec: Lesson, released: NotebookNode) -> None:
    notebook = nbformat.read(word2vec.released, as_version=4)
    place = next(
        i for i, cell in enumerate(notebook.cells) if cell.metadata.get("nbgrader", {}).get("grade_id") == "nearest"
    )
    notebook.cells[place].source = "first = 1"
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell("second = 2", metadata=notebook.cells[place].metadata))
    restored = restore(parse(nbformat.writes(notebook).encode()), released)
    assert ids(restored.notebook) == ids(released)
    assert [cell.source for cell in restored.notebook.cells[place : place + 2]] == ["first = 1", "second = 2"]
    assert restored.notes == ["the cell nearest stands twice: both were run, in their order"]
    test = next(cell for cell in released.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "check_nearest")
    notebook.cells = [*released.cells, test]
    restored = restore(parse(nbformat.writes(notebook).encode()), released)
    assert restored.notes == ["the cell check_nearest stands twice: the first counts"]


def test_a_changed_locked_cell_is_put_back(word2vec: Lesson, released: NotebookNode) -> None:
    notebook = nbformat.read(word2vec.released, as_version=4)
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata and cell.metadata.nbgrader.grade_id == "check_nearest":
            cell.source = "5.0"
            cell.metadata.nbgrader.points = 500
    restored = restore(parse(nbformat.writes(notebook).encode()), released)
    again = {cell.metadata.nbgrader.grade_id: cell for cell in restored.notebook.cells if "nbgrader" in cell.metadata}
    assert again["check_nearest"].source == 'check("nearest")'
    assert again["check_nearest"].metadata.nbgrader.points < 500


def test_tags_and_metadata_of_the_students_own_stay_behind(released: NotebookNode) -> None:
    cell = {
        "cell_type": "code",
        "source": "x = 1",
        "metadata": {"tags": ["injected-parameters"], "papermill": {}},
        "outputs": [{"bad": 1}],
    }
    restored = restore(parse(json.dumps({"cells": [cell], "nbformat": 4}).encode()), released)
    assert [cell.metadata for cell in restored.notebook.cells if cell.source == "x = 1"] == [{}]


@given(st.lists(CELLS, max_size=6))
def test_any_cells_give_a_valid_notebook_or_a_sentence(released: NotebookNode, cells: list[Any]) -> None:
    try:
        notebook = parse(json.dumps({"cells": cells, "nbformat": 4}).encode())
    except BadSubmission as problem:
        assert len(str(problem)) > 20
        return
    restored = restore(notebook, released).notebook
    nbformat.validate(restored)
    assert sorted(ids(restored)) == sorted(ids(released))


@given(st.binary(max_size=200))
def test_any_bytes_give_a_notebook_or_a_sentence(content: bytes) -> None:
    try:
        parse(content)
    except BadSubmission as problem:
        assert "\n" not in str(problem)


def test_a_notebook_without_a_kernel_name_gets_the_lessons(released: NotebookNode) -> None:
    notebook = parse(b'{"cells": [], "nbformat": 4, "metadata": {}}')
    assert restore(notebook, released).notebook.metadata.kernelspec.name == "python3"


def test_lone_surrogates_are_replaced(released: NotebookNode) -> None:
    notebook = parse(b'{"cells": [{"cell_type": "code", "source": "x = \\"\\ud800\\""}], "nbformat": 4}')
    assert notebook.cells[0].source.encode("utf-8")
    assert LARGEST < 200 * 2**20
