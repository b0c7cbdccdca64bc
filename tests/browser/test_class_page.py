"""What an instructor sees of the class, and a student of the own score, in a real browser at desktop and phone size."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from browser import browser, contrasts
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Page, expect
from verdicts import exercise, graded

from grader.course import ROOT, Course
from grader.grading.verdict import Memory, MetricResult, Spent, Time
from grader.registry import report
from grader.reports.pages import student_file
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HOSTILE = '"><script>window.ran = true</script><img src=x onerror="window.ran = true">\u202e[x](javascript:alert(1))'
SIZES = {"desktop": 1280, "phone": 390}
LINES = [f"value_{i} = {i} * first[{i}] + second[{i % 7}] ** {i * 37 % 11}  # {HOSTILE}" for i in range(12)]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a class of twelve, among them a hostile student whose code somebody else has too, and one refused."""
    root = tmp_path_factory.mktemp("course")
    shutil.copy(ROOT / "course.toml", root)
    for name in ("solutions", "weeks"):
        (root / name).symlink_to(ROOT / name)
    course = Course(root)
    lesson, home = course.lesson("word2vec"), root / "class"
    metric = MetricResult(name="analogies_en", value=0.5, low=0.8, high=1, better="higher", points=2, share=0.25)
    spent = Spent(spent=5, reference=6, limit=90)
    for i, student in enumerate((HOSTILE, *(f"student{i}" for i in range(1, 12)))):
        wrong = exercise("sgns_loss", 0, 3, message=f"{HOSTILE} {'x' * 2000}", diagnosis=HOSTILE)
        hidden = exercise("analogy", 0, 2, hidden=True, message="expected 4711", title="a hidden question")
        verdict = graded(
            student,
            lesson.id,
            exercises=[exercise("skipgram_pairs", i % 4, 3), exercise("nearest", i % 3, 2), wrong, hidden],
            metrics=[metric.model_copy(update={"value": 0.4 + i / 20})],
            time=Time(machine=1.5, slowest_cell=spent, notebook=spent, checks=spent),
            memory=Memory(held_mb=800 + i, limit_mb=4096),
            notes=[HOSTILE],
        )
        if i == 11:
            verdict = graded(
                student, lesson.id, status="refused", reason="the file is no notebook: hand in the .ipynb file"
            )
        place = "hostile" if i == 0 else student
        verdict.save(home / "verdicts" / place / lesson.week.name / f"{lesson.name}.json")
        lines = LINES if i < 2 else [f"own_{i} = {i} + {line}" for line in range(12)]
        path = home / "submitted" / place / lesson.week.name / f"{lesson.name}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(new_notebook(cells=[new_code_cell("\n".join(lines))]), path)
    return report.render(course, home).path.parent


@pytest.fixture(params=SIZES)
def page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    opened = chromium.new_page(viewport={"width": SIZES[request.param], "height": 900})
    yield opened
    opened.close()


def opened(page: Page, path: Path, tmp_path: Path) -> Page:
    page.goto(path.as_uri())
    for summary in page.locator("summary").all():
        summary.click()
    picture(page, tmp_path / "page.png", full_page=True)
    return page


def harmless(page: Page) -> None:
    """Nothing that a student wrote runs, leads away or turns the text; the page fits, and can be read by everybody."""
    assert page.evaluate("window.ran") is None
    expect(page.locator("script, img:not([src^='data:image/png']), iframe, link")).to_have_count(0)
    assert page.locator("[href^='javascript' i]").count() == 0
    assert "\u202e" not in page.content()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("table:not(:has(caption)), thead th:not([scope]), img:not([alt])").count() == 0
    found = contrasts(page.locator("main"))
    assert min(found.values()) >= 4.5, {text: ratio for text, ratio in found.items() if ratio < 4.5}


def test_the_class_page_shows_each_exercise_and_who_needs_help(page: Page, folder: Path, tmp_path: Path) -> None:
    opened(page, folder / "index.html", tmp_path).get_by_role("link", name="The class:").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Etude: the class")
    opened(page, folder / "class.html", tmp_path)
    harmless(page)
    exercises = page.get_by_role("table", name="Exercises").get_by_role("row")
    first = exercises.filter(has_text="skipgram pairs").get_by_role("cell").all_inner_texts()
    # 0, 1 and 2 points have three students each, 3 points two: fifteen of the thirty-three that eleven could have.
    assert [text.strip() for text in first[:3]] == ["3", "2 / 6 / 3 / 0", "0.45"]
    help_needed = page.get_by_role("table", name="Students whom this rule finds").get_by_role("row")
    expect(help_needed.filter(has_text="student11")).to_contain_text("the file is no notebook")
    mistakes = page.get_by_role("table", name="Mistakes that the grader named").get_by_role("row")
    expect(mistakes.nth(1)).to_contain_text('"><script>')
    expect(mistakes.nth(1).get_by_role("cell").last).to_have_text("11")


def test_likeness_is_shown_with_both_names_and_the_lines(page: Page, folder: Path, tmp_path: Path) -> None:
    pairs = opened(page, folder / "class.html", tmp_path).locator("details")
    expect(pairs).to_have_count(1)
    expect(pairs).to_contain_text("hostile and student1: 12 lines alike")
    expect(pairs.locator("pre").first).to_contain_text("value_3 = 3 * first[3]")


def test_a_students_page_says_what_the_score_is_made_of_and_nothing_hidden(
    page: Page, folder: Path, tmp_path: Path
) -> None:
    opened(page, folder / "students" / student_file(HOSTILE), tmp_path)
    harmless(page)
    text = page.locator("main").inner_text()
    assert "a hidden question" in text
    assert "(a hidden check)" in text
    assert 'Perhaps: "><script>' in text
    assert "≥ 0.8" in text
    assert "800 MB" in text
    for secret in ("4711", "student1", str(folder.parent), str(Path.home())):
        assert secret not in page.content()
    assert page.locator("a:not([href^='#'])").count() == 0
    assert student_file(HOSTILE).isascii()
