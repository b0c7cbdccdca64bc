"""What a student sees in JupyterLab, and an instructor in the report, in a real browser."""

from __future__ import annotations

import base64
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.image
import nbformat
import numpy as np
import pytest
from browser import LabNotebook, browser, contrasts, jupyterlab
from nbformat.v4 import new_code_cell, new_notebook, new_output
from playwright.sync_api import Browser, Page, expect

from grader.course import ROOT, Course
from grader.grading.verdict import CheckResult, ExerciseResult, MetricResult, Verdict
from grader.registry import report
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAIRED_WITH_ITSELF = """def skipgram_pairs(tokens, window):
    return [(tokens[i], tokens[j]) for i in range(len(tokens))
            for j in range(max(0, i - window), min(len(tokens), i + window + 1))]
"""
RIGHT = PAIRED_WITH_ITSELF.replace("window + 1))]", "window + 1)) if j != i]")
HOSTILE = '"><script>alert(window.ran = true)</script><img src=x onerror="window.ran = true">'
MANY = 14  # exercises that ada got right: more than fit side by side
REFUSED = "the file is not a notebook: hand in the .ipynb file itself"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def notebook(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabNotebook]:
    """word2vec as it was released, open in JupyterLab, its first cells run."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "weeks", folder / "weeks")
    with jupyterlab(folder / "weeks", folder / "private") as address:
        page = chromium.new_page(viewport={"width": 1280, "height": 1000})
        opened = LabNotebook(page, address, "week1_embeddings/word2vec.ipynb")
        opened.run("parameters", "setup")
        yield opened
        page.close()


def test_an_exercise_that_is_not_written_says_so_without_a_traceback(notebook: LabNotebook, tmp_path: Path) -> None:
    notebook.run("cbow_examples", "check_cbow_examples")
    result, stopped = notebook.outputs("check_cbow_examples", 2)
    picture(notebook.page, tmp_path / "unwritten.png")
    expect(result).to_contain_text("cbow_examples not written yet")
    expect(result).not_to_contain_text("NotImplementedError")
    expect(stopped).to_have_text("CheckFailed: 2 of 2 checks of cbow_examples fail")


def test_a_classic_mistake_is_named_beside_what_came_back_and_what_was_expected(
    notebook: LabNotebook, tmp_path: Path
) -> None:
    notebook.write("skipgram_pairs", PAIRED_WITH_ITSELF)
    notebook.run("skipgram_pairs", "check_skipgram_pairs")
    result, stopped = notebook.outputs("check_skipgram_pairs", 2)
    picture(notebook.page, tmp_path / "mistake.png")
    expect(result).to_contain_text("Perhaps: the centre word is paired with itself")
    for line in (
        "given     a b c, window 2",
        "came back [('a', 'a'), ('a', 'b'), ('a', 'c'),",
        "expected  [('a', 'b'), ('a', 'c'), ('b', 'a'),",
    ):
        expect(result.get_by_text(line)).to_be_visible()
    expect(stopped).to_have_text("CheckFailed: 3 of 3 checks of skipgram_pairs fail")


def test_a_right_answer_is_green_and_passes_every_check(notebook: LabNotebook, tmp_path: Path) -> None:
    notebook.write("skipgram_pairs", RIGHT)
    notebook.run("skipgram_pairs", "check_skipgram_pairs")
    [result] = notebook.outputs("check_skipgram_pairs", 1)
    picture(notebook.page, tmp_path / "right.png")
    expect(result).to_contain_text("skipgram_pairs 3 of 3 checks pass")
    expect(result.get_by_text("✓", exact=True)).to_have_count(3)
    expect(result.locator("b", has_text="✓").first).to_have_css("color", "rgb(0, 158, 115)")
    expect(result).not_to_contain_text("✗")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_a_failing_check_can_be_read_in_either_theme(notebook: LabNotebook, theme: str, tmp_path: Path) -> None:
    notebook.theme(theme)
    notebook.write("skipgram_pairs", PAIRED_WITH_ITSELF)
    notebook.run("skipgram_pairs", "check_skipgram_pairs")
    result, _ = notebook.outputs("check_skipgram_pairs", 2)
    picture(notebook.page, tmp_path / "theme.png")
    expect(result).to_contain_text("Perhaps")
    found = contrasts(result)
    assert found.pop("✗") >= 3  # of graphics, by WCAG 2.1 (1.4.11); 4.5 of text (1.4.3)
    assert len(found) > 10
    assert min(found.values()) >= 4.5, found


def _stored(course: Course) -> Path:
    """A class in a folder of its own: one lesson's run with a very wide plot, one hostile submission, one refused."""
    lesson, home = course.lesson("word2vec"), course.root / "class"
    run = course.build / "runs" / lesson.id / "smoke-seed0"
    (run / "results").mkdir(parents=True)
    (run / "results" / "metrics.json").write_text(json.dumps({"analogies_en": 0.5}), encoding="utf-8")
    picture = io.BytesIO()
    matplotlib.image.imsave(picture, np.zeros((10, 3000)), format="png")
    shown = {"image/png": base64.b64encode(picture.getvalue()).decode(), "text/html": HOSTILE}
    executed = new_notebook(cells=[new_code_cell(outputs=[new_output("display_data", shown)])])
    executed.metadata["papermill"] = {"duration": 12.0, "exception": None}
    nbformat.write(executed, run / f"{lesson.name}.ipynb")

    def exercise(name: str, status: Any, message: str = "", diagnosis: str | None = None) -> ExerciseResult:
        check = CheckResult(name="test_it", title="it", hidden=False, points=3, status=status, message=message)
        return ExerciseResult(name=name, checks=[check], diagnosis=diagnosis)

    metric = MetricResult(name="analogies_en", value=0.5, low=0.8, high=1, better="higher", points=2, share=0.25)
    common: dict[str, Any] = {"lesson": lesson.id, "profile": "smoke", "seed": 0, "sandbox": "none"}
    common |= {"submission": "", "inputs": ""}
    names = [f"exercise_number_{i}" for i in range(MANY)]
    failing = exercise("sgns_loss", "failed", f"{HOSTILE}\ncame back {'x' * 2000}", diagnosis=HOSTILE)
    graded = Verdict(
        **common,
        student=HOSTILE,
        status="graded",
        notes=[HOSTILE],
        metrics=[metric],
        exercises=[*(exercise(name, "passed") for name in names), failing],
    )
    refused = Verdict(
        **common,
        student="eun",
        status="refused",
        reason=REFUSED,
        metrics=[metric.model_copy(update={"share": 0})],
        exercises=[exercise(name, "unwritten") for name in (*names, "sgns_loss")],
    )
    for folder, verdict in (("ada", graded), ("eun", refused)):
        verdict.save(home / "verdicts" / folder / lesson.week.name / f"{lesson.name}.json")
    return home


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """The report on the stored class, in a window 1000 pixels wide."""
    shutil.copy(ROOT / "course.toml", tmp_path)
    (tmp_path / "solutions").symlink_to(ROOT / "solutions")
    course = Course(tmp_path)
    opened = chromium.new_page(viewport={"width": 1000, "height": 900})
    opened.goto(report.render(course, _stored(course)).path.as_uri())
    picture(opened, tmp_path / "report.png", full_page=True)
    yield opened
    opened.close()


def test_the_report_shows_scores_what_failed_and_why_a_file_was_refused(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Etude")
    for heading in ("Scores by exercise", "What failed, and why"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    ada, eun = page.locator(".grid tr").all()[1:]
    assert ada.locator("td").all_inner_texts()[1:] == ["3/3"] * MANY + ["0/3", "0.5/2", "42.5/47", "—"]
    assert eun.locator("td").all_inner_texts()[1:] == ["0/3"] * MANY + ["0/3", "0/2", "0.0/47", "—"]
    failed, refused = page.get_by_text("0.5, expected ≥ 0.8"), page.locator(".say", has_text=REFUSED)
    expect(failed).not_to_be_visible()
    page.locator(".grid a").first.click()  # the student's name leads to what failed, and opens it
    expect(failed).to_be_visible()
    page.locator("summary", has_text="eun").click()
    expect(refused).to_be_visible()


def test_what_a_submission_says_is_shown_in_the_report_and_does_not_run(page: Page) -> None:
    page.locator("summary").first.click()
    expect(page.locator("pre", has_text=HOSTILE)).to_be_visible()
    assert page.content().count("&lt;script&gt;") >= 4
    assert page.evaluate("window.ran") is None
    expect(page.locator("script, img:not([src^='data:image/png'])")).to_have_count(0)


def test_the_report_fits_a_window_of_1000_pixels(page: Page) -> None:
    assert page.evaluate("document.querySelector('figure img').naturalWidth") == 3000
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000


def test_the_report_fits_a_phone(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    picture(page, tmp_path / "phone.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_report_begins_with_what_is_not_as_it_should_be_and_leads_there(page: Page) -> None:
    banner = page.locator(".banner")
    expect(banner).to_contain_text("2 things are not as they should be")
    unmeasured, not_run = banner.locator("a").all()
    expect(not_run).to_contain_text("the reference was not run")
    expect(unmeasured).to_contain_text("word2vec: graded, but not measured in the reference's run: analogies_en")
    unmeasured.click()
    expect(page.get_by_role("heading", name="word2vec: words from the company they keep")).to_be_in_viewport()


def test_the_report_can_be_read_by_everybody(page: Page) -> None:
    for summary in page.locator("summary").all():
        summary.click()
    found = contrasts(page.locator("main"))
    assert len(found) > 100
    assert min(found.values()) >= 4.5, {text: ratio for text, ratio in found.items() if ratio < 4.5}
