"""Formgrader on a class of this course: its buttons grade in the sandbox, and its pages run nothing of the students'."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import bs4
import nbformat
import pytest
from browser import browser, jupyterlab
from formgrader import (
    BEACON,
    FORGED,
    HONEST,
    LESSON,
    POINTS,
    PRINTED,
    SCORE,
    SCRIPTS,
    STUDENT,
    TEXTS,
    WEEK,
    WRITTEN,
    Formgrader,
    Window,
    hand_in,
    small_course,
    window,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from nbconvert.filters import markdown2html
from nbgrader.api import Gradebook
from playwright.sync_api import Browser, expect
from sqlalchemy.exc import SAWarning
from typer.testing import CliRunner

from grader.cli import app
from grader.course import Course
from grader.grading import verdict
from grader.nbgrader import config, gradebook, pages
from grader.nbgrader.gradebook import Score

pytestmark = [pytest.mark.browser, pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

BY_HAND = 2.5
COMMENT = "Say *why* rare words do."


@dataclass
class Class:
    """The small course, its submission graded by formgrader's button."""

    course: Course
    server: str
    chromium: Browser
    said: str  # by formgrader after the button
    row: str  # of its table of submissions then
    score: Score  # in the gradebook then

    def book(self) -> Gradebook:
        return Gradebook(f"sqlite:///{self.course.root / 'gradebook.db'}", "small")

    def submission(self, student: str) -> str:
        """The last part of the address of formgrader's page for grading it by hand."""
        with self.book() as book:
            return str(book.find_submission_notebook(LESSON, WEEK, student).id)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def graded(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    folder = tmp_path_factory.mktemp("formgrader")
    course = small_course(folder / "course")
    hand_in(course)
    with jupyterlab(course.root, folder / "private") as server:
        with window(chromium, server) as opened:
            said, row = Formgrader(opened).press("autograde")
        [score] = gradebook.scores(course, course.root, WEEK)
        yield Class(course, server, chromium, said, row, score)


@pytest.fixture(scope="module")
def page(graded: Class) -> Iterator[Window]:
    """The submission on the page for grading by hand."""
    with window(graded.chromium, graded.server) as opened:
        Formgrader(opened).open(graded.submission(STUDENT))
        yield opened


@pytest.fixture(scope="module")
def unsafe(graded: Class) -> Iterator[Window]:
    """The same page on the notebook as it ran, its outputs and texts as they came: what would happen."""
    shown = graded.course.root / "autograded" / "control" / WEEK / f"{LESSON}.ipynb"
    shown.parent.mkdir(parents=True)
    ran = nbformat.read(graded.course.root / "verdicts" / STUDENT / WEEK / f"{LESSON}.ipynb", as_version=4)
    ran.cells = [cell for cell in ran.cells if cell.source != FORGED]  # with it there would be no page at all
    nbformat.write(ran, shown)
    with graded.book() as book, warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # nbgrader's own, on every new submission
        book.add_student("control")
        book.add_submission(WEEK, "control")
    with window(graded.chromium, graded.server) as opened:
        Formgrader(opened).open(graded.submission("control"))
        yield opened


@pytest.fixture(scope="module")
def returned(graded: Class, page: Window) -> Iterator[tuple[str, Window]]:
    """Scored and commented by hand, graded once more by the button, fed back: the row of the table, and the feedback."""
    by_hand = Formgrader(page)
    by_hand.type("why", str(BY_HAND))
    by_hand.type("why-comment", COMMENT)
    with window(graded.chromium, graded.server) as opened:
        buttons = Formgrader(opened)
        _, row = buttons.press("autograde")
        buttons.press("generate-feedback")
        opened.page.goto((graded.course.root / "feedback" / STUDENT / WEEK / f"{LESSON}.html").as_uri())
        opened.settle()
        yield row, opened


# The buttons.


def test_the_button_grades_in_the_sandbox(graded: Class) -> None:
    assert graded.said == f"Successfully autograded '{WEEK}' for student '{STUDENT}'."
    found = verdict.load(graded.course.root / "verdicts" / STUDENT / WEEK / f"{LESSON}.json")
    assert found is not None
    assert (found.status, found.sandbox, found.earned) == ("graded", "bubblewrap (etude-warm)", SCORE)


def test_the_button_gives_the_score_that_grader_autograde_gives(
    graded: Class, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.chdir(graded.course.root)
    shutil.copytree(graded.course.root / "submitted", home / "submitted")
    config.release(graded.course, WEEK, home)
    result = CliRunner().invoke(app, ["autograde", WEEK, "--home", str(home), "--jobs", "1"])
    assert result.exit_code == 0, result.output
    assert gradebook.scores(graded.course, home, WEEK) == [graded.score]
    assert (graded.score.score, graded.score.points) == (SCORE, POINTS)
    assert f"{SCORE} / {POINTS}" in graded.row


def test_a_score_and_a_comment_given_by_hand_outlive_grading_again(graded: Class, returned: tuple[str, Window]) -> None:
    with graded.book() as book:
        assert book.find_grade("why", LESSON, WEEK, STUDENT).manual_score == BY_HAND
        assert book.find_comment("why", LESSON, WEEK, STUDENT).manual_comment == COMMENT
    assert f"{SCORE + BY_HAND} / {POINTS}" in returned[0]
    assert "needs manual grading" in returned[0]  # to be looked at again, as the guide says


def test_feedback_shows_the_score_and_the_comment_given_by_hand(returned: tuple[str, Window]) -> None:
    shown = returned[1].page
    expect(shown.locator("h4").first).to_contain_text(f"(Score: {SCORE + BY_HAND} / {POINTS}.0)")
    expect(shown.locator(".panel-footer", has_text="Comments:")).to_contain_text("Say why rare words do.")


# What a student hands in, in the instructor's browser.


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_that_would_run_on_the_page_for_grading_does_not(name: str, page: Window, unsafe: Window) -> None:
    assert name in unsafe.ran()
    assert name not in page.ran()


def test_the_page_for_grading_opens_no_dialog_and_asks_nobody_anything(page: Window, unsafe: Window) -> None:
    assert unsafe.dialogs
    assert any(url.endswith(BEACON) for url in unsafe.strange())
    assert page.dialogs == []
    assert page.strange() == []


def test_feedback_runs_nothing_and_asks_nobody_anything(returned: tuple[str, Window]) -> None:
    shown = returned[1]
    assert (shown.ran(), shown.dialogs, shown.strange()) == (set(), [], [])


def test_the_stored_notebook_holds_text_pictures_and_numbers_alone(graded: Class) -> None:
    stored = nbformat.read(graded.course.root / "autograded" / STUDENT / WEEK / f"{LESSON}.ipynb", as_version=4)
    outputs = [output for cell in stored.cells if cell.cell_type == "code" for output in cell.outputs]
    assert {kind for output in outputs for kind in output.get("data", {})} <= {"text/plain", "image/png"}
    [forged] = [cell for cell in stored.cells if cell.source == FORGED]
    assert forged.execution_count is None


def test_the_students_answer_can_be_read(page: Window) -> None:
    answer = page.page.locator(".nbgrader_cell", has=page.page.locator("input#why")).locator(".panel-body")
    expect(answer).to_contain_text(f"{WRITTEN} {TEXTS['script']}")
    expect(page.page.locator("pre").get_by_text(PRINTED, exact=True)).to_be_visible()


def test_honest_text_is_formatted_and_the_courses_own_is_left_as_it_is(page: Window) -> None:
    honest = page.page.locator("p", has_text="looked")
    expect(honest).to_have_text(HONEST.replace("*", "").replace("`", ""))
    expect(honest.locator("em")).to_have_text("looked")
    expect(page.page.locator("h1 span")).to_have_css("color", "rgb(0, 128, 128)")


# Any text.

FORMATTING = """# 말뭉치 & "words"

A *text* with **all** that ~~Markdown~~ makes of `<unk>`, 1 < 2, $a<b$ and [a paper](https://example.org/?a=1&b=2 "a & b").

- a
- b
  1. c<br>H<sub>2</sub>O

> quoted

| a | b |
|:--|--:|
| 1 | 2 |

```python
print("<b>" if 1 < 2 else 'no')
```

---
$$\\begin{aligned} a &< b \\end{aligned}$$
"""
PIECES = [
    *("<", ">", "</", "<!--", "-->", "<![CDATA[", "script", "img src=x", " onerror=a", "svg", "b", "a href=", "style"),
    *("javascript:", "/files/", "http://a.b", "[a](", "![a](", ")", "```", "~~~", "`", "$", "$$", "\\(", "\\", "&lt;"),
    *("\n", "\n\n", "    ", "# ", "> ", "- ", '"', "'", "=", "mermaid\n", "\\begin{a}", "\\end{a}", "\0", "\r", "한"),
    *("&#60;", "&#9999999;", "&nbsp;", "|", "why", '<b id="why">', '<a class="score">', "<details>", "\\[", "[^1]"),
]


@settings(deadline=None)  # each example starts two processes
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_whatever_is_written_is_shown_without_scripts_pictures_and_fields(source: str) -> None:
    [shown] = pages.harmless_texts([source], {"why"})
    for element in bs4.BeautifulSoup(markdown2html(shown), "html.parser").find_all(True):
        assert element.name not in {"script", "style", "img", "svg", "iframe", "object", "input", "form", "button"}
        assert not {name for name in element.attrs if name.startswith("on") or name == "src"}
        assert element.get("id") != "why"
        assert "score" not in (element.get("class") or [])
        assert str(element.get("href", "#")).lower().startswith(("http://", "https://", "mailto:", "#"))
    assert shown == source or source.replace("\0", "\ufffd") in shown
    assert pages.harmless_texts([shown], {"why"}) == [shown]


@pytest.mark.parametrize("source", [FORMATTING, *FORMATTING.split("\n\n"), HONEST, WRITTEN, ""])
def test_formatting_is_left_as_it_is(source: str) -> None:
    assert pages.harmless_texts([source]) == [source]
