"""A lesson's page: the release's cells, and outputs of a recorded run where they belong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from recorded import record_run

from etude.handing_in import STUB
from grader.course import ROOT, Course, Lesson
from grader.lessons import source
from grader.site.lesson_page import lesson_page


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    """A lesson of the course; what is built and recorded of it lies in a folder of its own."""
    course = Course(ROOT)
    course.build = tmp_path
    return course.lesson("polysemy")


def outputs(page: NotebookNode, lesson: Lesson) -> dict[str, list[NotebookNode]]:
    """Collects the outputs of the page's code cells by what the cells are for."""
    kinds = {cell.id: part.kind for part, cell in source.parts(source.read(lesson))}
    found: dict[str, list[NotebookNode]] = {}
    for cell in page.cells:
        if cell.cell_type == "code":
            found.setdefault(kinds[cell.id], []).extend(cell.outputs)
    return found


def test_experiments_show_what_the_run_printed_and_drew_and_exercises_show_nothing(lesson: Lesson) -> None:
    record_run(lesson, printed="0.97")
    found = outputs(lesson_page(lesson), lesson)
    assert not found["exercise"]
    assert not found["check"]
    assert {output.text for output in found["code"] if output.output_type == "stream"} == {"0.97\n"}
    assert any("image/png" in output.get("data", {}) for output in found["metrics"])


def test_every_cell_is_as_it_was_released(lesson: Lesson) -> None:
    record_run(lesson)
    page = [cell.source for cell in lesson_page(lesson).cells if cell.id != "about-this-page"]
    assert page == [cell.source for cell in nbformat.read(lesson.released, as_version=4).cells]
    assert sum(STUB in text for text in page) == len(source.exercises(source.read(lesson)))


def test_the_page_says_which_run_it_shows(lesson: Lesson) -> None:
    record_run(lesson, "smoke", printed="small")
    record_run(lesson, "cpu", printed="large")
    page = lesson_page(lesson)
    assert "in the profile cpu, seed 0, on 2026-11-20" in page.cells[1].source
    assert outputs(page, lesson)["code"][0].text == "large\n"


def test_without_a_run_the_page_shows_no_output_and_says_so(lesson: Lesson) -> None:
    page = lesson_page(lesson)
    assert not any(outputs(page, lesson).values())
    assert "No run of this lesson is recorded here" in page.cells[1].source


@pytest.mark.parametrize("noted", [{"exception": True}, {"duration": None}])
def test_a_run_that_did_not_come_to_its_end_is_not_shown(lesson: Lesson, noted: dict[str, Any]) -> None:
    record_run(lesson, **noted)
    assert not any(outputs(lesson_page(lesson), lesson).values())


def test_a_run_of_other_code_is_not_shown(lesson: Lesson) -> None:
    record_run(lesson)
    path = lesson.run_folder("smoke", 0) / "polysemy.ipynb"
    ran = nbformat.read(path, as_version=4)
    next(cell for cell in ran.cells if source.part(cell).kind == "exercise").source += "\n# as it was yesterday"
    nbformat.write(ran, path)
    assert not any(outputs(lesson_page(lesson), lesson).values())
