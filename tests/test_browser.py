"""What a student sees in JupyterLab, and an instructor in the report, in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import LabNotebook, browser, contrasts, jupyterlab
from playwright.sync_api import Browser, Page, expect

from grader.course import ROOT

PAIRED_WITH_ITSELF = """def skipgram_pairs(tokens, window):
    return [(tokens[i], tokens[j]) for i in range(len(tokens))
            for j in range(max(0, i - window), min(len(tokens), i + window + 1))]
"""
RIGHT = PAIRED_WITH_ITSELF.replace("window + 1))]", "window + 1)) if j != i]")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "weeks", folder / "weeks")
    with jupyterlab(folder / "weeks", folder / "private") as address:
        yield address


@pytest.fixture(scope="module")
def notebook(chromium: Browser, lab: str) -> Iterator[LabNotebook]:
    """word2vec, opened, its first cells run."""
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    opened = LabNotebook(page, lab, "week1_embeddings/word2vec.ipynb")
    opened.run("parameters")
    opened.run("setup")
    yield opened
    page.close()


def test_an_exercise_that_is_not_written_says_so_without_a_traceback(notebook: LabNotebook, tmp_path: Path) -> None:
    notebook.run("skipgram_pairs")
    notebook.run("check_skipgram_pairs")
    output = notebook.output("check_skipgram_pairs")
    expect(output.first).to_contain_text("not written yet")
    notebook.page.screenshot(path=tmp_path / "unwritten.png")
    shown = "\n".join(output.all_inner_texts())
    print(shown)
    notebook.write("skipgram_pairs", PAIRED_WITH_ITSELF)
    notebook.run("skipgram_pairs")
    notebook.run("check_skipgram_pairs")
    notebook.page.screenshot(path=tmp_path / "wrong.png")
    print(output.all_inner_texts())
    print(contrasts(output.first))
    notebook.theme("JupyterLab Dark")
    notebook.page.screenshot(path=tmp_path / "wrong-dark.png")
    print(contrasts(output.first))
    notebook.write("skipgram_pairs", RIGHT)
    notebook.run("skipgram_pairs")
    notebook.run("check_skipgram_pairs")
    notebook.page.screenshot(path=tmp_path / "right.png")
    print(output.all_inner_texts())
    print(tmp_path)
