"""Answers in words, graded by a person: the lesson on reading papers in formgrader, with points and a comment by its rubric."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from browser import LabNotebook, browser, jupyterlab
from formgrader import CONFIG, Formgrader, Window, window
from nbgrader.api import Gradebook
from playwright.sync_api import Browser, expect

from grader.course import Course, Lesson
from grader.lessons import source
from grader.nbgrader import config, gradebook
from grader.release import build
from grader.settings import Settings

pytestmark = [pytest.mark.browser, pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

WEEK, LESSON, STUDENT = "week3_reading", "marking", "ada"
COURSE = f"""title = "Reading"
[limits]
cell_seconds = 60
notebook_seconds = 180
[[weeks]]
name = "{WEEK}"
title = "Reading papers"
[[weeks.lessons]]
name = "{LESSON}"
title = "Reading with a pencil"
paper = "Cohen 1960"
link = "https://example.org"
minutes = 120
"""
WRITTEN = {
    "a_hard_sentence": "Sentence 5 of roberta: problem or *evidence*? This paper measured it, so evidence.",
    "would_you_use_it": "Yes. It has 28.4 BLEU.",
}
BY_HAND = {"a_hard_sentence": 2.5, "would_you_use_it": 1}
COMMENT = "Decided by the first question: right. What would *your* rule spoil?"
RUBRIC = "one point for each line that is met"  # words of the rubric of a_hard_sentence


@dataclass
class Class:
    """The lesson in a course of its own, one submission graded by machine."""

    lesson: Lesson
    server: str
    chromium: Browser

    @property
    def course(self) -> Course:
        return self.lesson.course

    def book(self) -> Gradebook:
        return Gradebook(f"sqlite:///{self.course.root / 'gradebook.db'}", "reading")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def graded(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    folder = tmp_path_factory.mktemp("rubric")
    lesson = reading_course(folder / "course")
    hand_in(lesson)
    gradebook.store(lesson.course, lesson.course.root, WEEK, STUDENT, Settings())
    with jupyterlab(lesson.course.root, folder / "private") as server:
        yield Class(lesson, server, chromium)


def reading_course(root: Path) -> Lesson:
    """The lesson as it is in this course, alone in a course at `root`, released."""
    original = Course().lesson(f"{WEEK}/{LESSON}").source
    shutil.copytree(original, root / "solutions" / WEEK / LESSON, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "course.toml").write_text(COURSE, encoding="utf-8")
    (root / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    course = Course(root)
    build.build(course, course.lessons(), say=lambda text: None)
    return course.lesson(LESSON)


def hand_in(lesson: Lesson) -> None:
    notebook = source.filled(lesson, source.exercises(source.read(lesson)))
    for cell in notebook.cells:
        cell.source = WRITTEN.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
    path = lesson.course.root / "submitted" / STUDENT / WEEK / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def before(graded: Class) -> tuple[float, bool]:
    """The score by machine, and whether a person has to look at it."""
    [score] = gradebook.scores(graded.course, graded.course.root, WEEK)
    return score.score, score.needs_manual_grade


@pytest.fixture(scope="module")
def page(graded: Class, before: tuple[float, bool]) -> Iterator[Window]:
    """The submission on formgrader's page for grading by hand."""
    with graded.book() as book:
        submission = str(book.find_submission_notebook(LESSON, WEEK, STUDENT).id)
    with window(graded.chromium, graded.server) as opened:
        Formgrader(opened).open(submission)
        yield opened


@pytest.fixture(scope="module")
def scored(graded: Class, page: Window) -> Class:
    """The class after a person gave points and a comment on the page."""
    by_hand = Formgrader(page)
    for answer, points in BY_HAND.items():
        by_hand.type(answer, str(points))
    by_hand.type("a_hard_sentence-comment", COMMENT)
    return graded


def test_an_answer_in_words_waits_for_a_person(before: tuple[float, bool]) -> None:
    assert before[1] is True


def test_the_page_shows_what_the_student_wrote_and_how_many_points_it_can_have(page: Window) -> None:
    for answer, written in WRITTEN.items():
        cell = page.page.locator(".nbgrader_cell", has=page.page.locator(f"input#{answer}"))
        expect(cell.locator(".panel-body")).to_contain_text(written.replace("*", ""))
        expect(cell).to_contain_text("/ 4")


def test_the_rubric_stands_below_the_answer_on_the_page(page: Window) -> None:
    answer = page.page.locator(".nbgrader_cell", has=page.page.locator("input#a_hard_sentence"))
    expect(answer.locator("xpath=following::*").get_by_text(RUBRIC).first).to_be_visible()


def test_formgrader_leads_to_the_source_where_the_rubric_stands(graded: Class) -> None:
    with window(graded.chromium, graded.server) as opened:
        opened.page.goto(f"{graded.server}/formgrader/manage_assignments")
        link = opened.page.locator("#main-table .name a", has_text=WEEK)
        expect(link).to_have_attribute("href", re.compile(rf"build/source/{WEEK}$"))
        lab = LabNotebook(opened.page, graded.server, f"build/source/{WEEK}/{LESSON}.ipynb")
        lab.run("a_hard_sentence")
        expect(opened.page.locator(".jp-Cell.jp-mod-active .jp-MarkdownOutput")).to_contain_text(RUBRIC)


def test_points_and_comment_stand_in_the_gradebook(scored: Class, before: tuple[float, bool]) -> None:
    with scored.book() as book:
        given = {name: book.find_grade(name, LESSON, WEEK, STUDENT).manual_score for name in WRITTEN}
        assert given == BY_HAND
        assert book.find_comment("a_hard_sentence", LESSON, WEEK, STUDENT).manual_comment == COMMENT
    [score] = gradebook.scores(scored.course, scored.course.root, WEEK)
    assert (score.score, score.needs_manual_grade) == (before[0] + sum(BY_HAND.values()), False)


def test_points_stand_in_the_exported_table(scored: Class, before: tuple[float, bool]) -> None:
    program = str(Path(sys.executable).with_name("nbgrader"))
    subprocess.run([program, "export"], cwd=scored.course.root, check=True, capture_output=True)
    with (scored.course.root / "grades.csv").open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["student_id"], float(row["score"])) == (STUDENT, before[0] + sum(BY_HAND.values()))


def test_points_and_comment_stand_in_the_feedback_and_the_rubric_does_not(
    scored: Class, before: tuple[float, bool]
) -> None:
    assert config.api(scored.course).generate_feedback(WEEK, STUDENT)["success"]
    feedback = scored.course.root / "feedback" / STUDENT / WEEK / f"{LESSON}.html"
    with window(scored.chromium, scored.server) as opened:
        opened.page.goto(feedback.as_uri())
        opened.settle()
        expect(opened.page.locator("h4").first).to_contain_text(f"(Score: {before[0] + sum(BY_HAND.values())} /")
        expect(opened.page.locator(".panel-footer", has_text="Comments:")).to_contain_text(COMMENT.replace("*", ""))
        expect(opened.page.get_by_text(RUBRIC)).to_have_count(0)


def test_the_rubric_is_in_the_source_and_in_no_file_that_students_get(graded: Class) -> None:
    assert RUBRIC in graded.lesson.master.read_text(encoding="utf-8")
    released = [path for path in (graded.course.root / "weeks").rglob("*") if path.is_file()]
    assert graded.lesson.released in released
    assert [path for path in released if RUBRIC.encode() in path.read_bytes()] == []
