"""The proofs of a built site find what must not be there."""

from __future__ import annotations

import html
import shutil
from pathlib import Path

import nbformat
import pytest
from small import course_file

from grader.course import ROOT, Course, CourseError
from grader.lessons import source
from grader.release.leak_checks import Leak
from grader.site.proofs import prove_links, prove_no_leak

WEEK = "week1_words"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course with two real lessons in a folder of its own."""
    names = ("sparse", "polysemy")
    (tmp_path / "course.toml").write_text(course_file(*names), encoding="utf-8")
    for folder in ("solutions", "weeks"):
        for name in names:
            shutil.copytree(ROOT / folder / "week1_embeddings" / name, tmp_path / folder / WEEK / name)
    for name in names:
        shutil.copy(ROOT / "weeks" / "week1_embeddings" / f"{name}.ipynb", tmp_path / "weeks" / WEEK)
    return Course(tmp_path)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site" / "weeks" / WEEK).mkdir(parents=True)
    return tmp_path / "site"


def write(path: Path, body: str) -> None:
    path.write_text(f"<html><body>{body}</body></html>", encoding="utf-8")


def solution(course: Course) -> str:
    """A line of the solution of polysemy, as a page shows it: each word in a tag of its own."""
    lesson = course.lesson("polysemy")
    [_, inside] = source.split_solution(source.exercises(source.read(lesson))["kmeans"])
    return " ".join(f"<span>{html.escape(word)}</span>" for word in max(inside, key=len).split())


@pytest.mark.parametrize("page", [f"weeks/{WEEK}/polysemy.html", f"weeks/{WEEK}/sparse.html", "index.html"])
def test_a_line_of_a_solution_is_found_on_any_page(course: Course, site: Path, page: str) -> None:
    write(site / "other.html", "<p>nothing of interest</p>")
    prove_no_leak(course, site)
    write(site / page, f"<pre>{solution(course)}</pre>")
    with pytest.raises(Leak, match=rf"^{page} holds .*, which belongs to the solution of {WEEK}/polysemy"):
        prove_no_leak(course, site)


def test_a_hidden_check_is_named_on_no_lessons_page(course: Course, site: Path) -> None:
    hidden = next(check.name for check in source.checks(course.lesson("polysemy")) if check.hidden)
    write(site / "weeks" / WEEK / "polysemy.html", f"<p>{hidden}</p>")
    with pytest.raises(Leak, match=hidden):
        prove_no_leak(course, site)


def test_what_is_released_is_no_leak(course: Course, site: Path) -> None:
    cells = nbformat.read(course.lesson("polysemy").released, as_version=4).cells
    write(site / "weeks" / WEEK / "polysemy.html", "".join(f"<pre>{html.escape(cell.source)}</pre>" for cell in cells))
    prove_no_leak(course, site)


@pytest.mark.parametrize("body", ['<a href="gone.html">x</a>', '<a href="#gone">x</a>', '<img src="gone.png">'])
def test_a_link_that_leads_nowhere_is_named(site: Path, body: str) -> None:
    write(site / "index.html", body)
    with pytest.raises(CourseError, match=r"index\.html: .*gone"):
        prove_links(site)


@pytest.mark.parametrize("body", ['<script src="https://x.org/a.js"></script>', '<img src="//x.org/a.png">'])
def test_what_is_loaded_from_a_network_is_named(site: Path, body: str) -> None:
    write(site / "index.html", body)
    with pytest.raises(CourseError, match=r"index\.html: .*x\.org"):
        prove_links(site)


def test_links_that_hold_are_passed(site: Path) -> None:
    write(site / "other.html", '<h1 id="here">x</h1>')
    write(
        site / "index.html", '<a href="other.html#here">x</a> <a href="https://x.org">y</a> <a href="mailto:a@b">z</a>'
    )
    prove_links(site)
