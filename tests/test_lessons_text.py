"""The text of the course's lessons, as a student reads it: sparing, and with a word on each exercise before it begins."""

from __future__ import annotations

import re
from statistics import median

import pytest
from nbformat import NotebookNode

from grader.course import Course, Lesson
from grader.lessons import source

LESSONS = Course().lessons()
HINTS = re.compile(r"<details>.*?</details>", re.DOTALL)
EFFORT = re.compile(r"\b(\d+) minutes, (easy|medium|hard)\.")
WIDEST = 112  # characters, as a screen of 1,400 pixels shows of a cell in JupyterLab
MOST_WORDS = 45  # of a text cell, in the median


def before_exercises(lesson: Lesson) -> dict[str, NotebookNode]:
    """Finds the cell that stands before each exercise."""
    notebook = source.read(lesson)
    names = [(source.part(cell).kind, source.part(cell).name) for cell in notebook.cells]
    return {name: notebook.cells[i - 1] for i, (kind, name) in enumerate(names) if kind == "exercise"}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_each_exercise_says_how_long_and_how_hard_it_is_and_has_a_hint_that_unfolds(lesson: Lesson) -> None:
    found = before_exercises(lesson)
    assert found
    assert [name for name, cell in found.items() if not EFFORT.search(cell.source)] == []
    assert [name for name, cell in found.items() if not HINTS.search(cell.source)] == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_text_cells_are_short(lesson: Lesson) -> None:
    texts = [cell.source for cell in source.read(lesson).cells if source.part(cell).kind == "text"]
    assert median(len(HINTS.sub("", text).split()) for text in texts) <= MOST_WORDS


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_what_an_exercise_asks_for_is_read_without_scrolling_sideways(lesson: Lesson) -> None:
    asked = [
        skeleton for cell in source.exercises(source.read(lesson)).values() for skeleton in [source.skeleton(cell)]
    ]
    assert [line for skeleton in asked for line in skeleton.splitlines() if len(line) > WIDEST] == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_the_minutes_of_the_exercises_fit_into_what_the_course_says_of_the_lesson(lesson: Lesson) -> None:
    minutes = sum(int(found[1]) for cell in before_exercises(lesson).values() if (found := EFFORT.search(cell.source)))
    assert 0.6 * lesson.entry.minutes <= minutes <= 1.2 * lesson.entry.minutes
