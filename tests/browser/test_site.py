"""The course's site as a reader opens it, from a disk and without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import browser, contrasts
from playwright.sync_api import Browser, Page, ViewportSize, expect
from recorded import record_run

from grader.course import ROOT, Course
from grader.lessons import source
from grader.site.make import make_site
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PHONE = ViewportSize(width=390, height=844)
DESK = ViewportSize(width=1280, height=900)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built without a warning; one lesson has a recorded run."""
    course = Course(ROOT)
    course.build = tmp_path_factory.mktemp("build")
    record_run(course.lesson("polysemy"), printed="0.97")
    return make_site(course).parent


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A window that finds no network; it fails the test if a page asks for anything there, or a script fails."""
    page = chromium.new_page(viewport=DESK)
    troubles: list[str] = []
    page.on(
        "request", lambda request: None if request.url.startswith(("file:", "data:")) else troubles.append(request.url)
    )
    page.on("pageerror", lambda error: troubles.append(str(error)))
    yield page
    page.close()
    assert troubles == []


def test_the_front_page_leads_to_every_lesson(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    for lesson in Course(ROOT).lessons():
        assert page.locator(f"article a[href='weeks/{lesson.id}.html']").count() == 1, lesson.id
    page.locator("article a[href='weeks/week1_embeddings/polysemy.html']").click()
    expect(page.locator("h1")).to_contain_text("The limit: one vector for a word")


def test_a_lesson_shows_plots_and_formulas_and_an_exercise_as_its_skeleton(
    site: Path, page: Page, tmp_path: Path
) -> None:
    page.goto((site / "weeks" / "week1_embeddings" / "polysemy.html").as_uri())
    picture(page, tmp_path / "lesson.png")
    plot = page.locator("article .cell_output img").first
    plot.scroll_into_view_if_needed()
    assert plot.evaluate("image => image.complete && image.naturalWidth") == 400
    expect(page.locator("article .cell_output").first).to_contain_text("0.97")
    written = source.exercises(source.read(Course(ROOT).lesson("polysemy")))
    expect(page.locator("article .cell_input", has_text="raise NotImplementedError")).to_have_count(len(written))
    assert page.locator("article math").count() > 5


def test_claims_are_found_by_words_and_by_choice(site: Path, page: Page, tmp_path: Path) -> None:
    page.goto((site / "docs" / "claims.html").as_uri())
    rows, count = page.locator("#claims tbody tr:visible"), page.get_by_role("status")
    everything = rows.count()
    page.locator("#claims-search").fill("one-hot √2")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Every two different one-hot vectors are √2 apart")
    expect(count).to_have_text(f"1 of {everything} claims")
    page.get_by_role("button", name="Show all").click()
    expect(rows).to_have_count(everything)
    page.get_by_label("Paper", exact=True).select_option("GloVe (Pennington et al. 2014)")
    page.get_by_label("Verdict", exact=True).select_option("does not hold")
    picture(page, tmp_path / "claims.png")
    shown = rows.all()
    assert 0 < len(shown) < everything
    for row in shown:
        expect(row).to_have_attribute("data-paper", "GloVe (Pennington et al. 2014)")
        expect(row).to_contain_text("does not hold")
    assert min(contrasts(shown[0]).values()) >= 4.5  # of text, by WCAG 2.1 (1.4.3)


@pytest.mark.parametrize("address", ["index", "weeks/week1_embeddings/polysemy", "docs/claims", "docs/trust"])
def test_a_page_is_no_wider_than_a_phone(site: Path, page: Page, address: str, tmp_path: Path) -> None:
    page.set_viewport_size(PHONE)
    page.goto((site / f"{address}.html").as_uri())
    picture(page, tmp_path / "phone.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
