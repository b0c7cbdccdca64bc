"""The report's page: it says at its top whether all is as it should be, and leads to what is not."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from bs4 import BeautifulSoup
from small import course_file

from etude.lesson import table
from grader.course import Course, CourseError, Lesson
from grader.grading.verdict import CheckResult, ExerciseResult, Verdict
from grader.quality.reference import run_references
from grader.registry import report

NOTEBOOK = """
# %% tags=["parameters"]
profile, seed, device, out = "cpu", 0, "auto", "results"

# %% tags=["metrics"]
import json
from pathlib import Path
{line}
Path(out).mkdir(exist_ok=True)
Path(out, "metrics.json").write_text(json.dumps({{"count": {count}}}))
"""
HIDDEN = """
from grader.grading.metrics import metric

@metric("computed")
def computed(artifacts):
    return 1.0
"""


def row(metric: str, profile: str = "smoke", points: float = 0) -> table.Expected:
    return table.Expected(metric, profile, 0.5, 0.1, 12, 0.2, 0.8, "higher", points, "", "", "")


def course(root: Path, **lines: tuple[str, float]) -> Course:
    """A course whose lessons' references run a line and then record a count."""
    for name, (line, count) in lines.items():
        folder = root / "solutions" / "week1_words" / name
        folder.mkdir(parents=True)
        (folder / "notebook.py").write_text(NOTEBOOK.format(line=line, count=count), encoding="utf-8")
        for file in ("checks.py", "bank.py"):
            (folder / file).touch()
        (folder / "hidden.py").write_text(HIDDEN, encoding="utf-8")
        table.write(folder / "expected.csv", [row("count"), row("computed", points=1), row("wordsim"), row("x", "gpu")])
    (root / "course.toml").write_text(course_file(*lines), encoding="utf-8")
    return Course(root)


def run(lessons: list[Lesson]) -> None:
    with contextlib.suppress(CourseError):
        list(run_references(lessons, "smoke", 0, "cpu", 2, lambda done, total, now: None))


def hand_in(home: Path, lesson: Lesson, student: str, earned: float | None, status: str = "graded") -> None:
    """A file, and its verdict if there are points."""
    path = home / "submitted" / student / lesson.week.name / f"{lesson.name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(), path)
    if earned is not None:
        check = CheckResult(name="it", title="it", hidden=False, points=4, status="passed", partial=earned)
        common: dict[str, Any] = {
            "submission": "",
            "inputs": "",
            "profile": "smoke",
            "seed": 0,
            "sandbox": "none",
            "status": status,
        }
        made = Verdict(
            **common, lesson=lesson.id, student=student, exercises=[ExerciseResult(name="it", checks=[check])]
        )
        made.save(home / "verdicts" / student / lesson.week.name / f"{lesson.name}.json")


def parsed(page: report.Page) -> BeautifulSoup:
    """The page, once each link within it leads somewhere and nothing is fetched or run."""
    soup = BeautifulSoup(page.path.read_text(encoding="utf-8"), "html.parser")
    ids = {tag["id"] for tag in soup.find_all(id=True)}
    assert {link["href"][1:] for link in soup.find_all("a", href=re.compile("^#"))} <= ids
    assert soup.find_all(["script", "link", "iframe"]) == []
    assert all(str(picture["src"]).startswith("data:") for picture in soup.find_all("img"))
    return soup


def banner(page: report.Page) -> str:
    found = parsed(page).find(class_="banner")
    assert found is not None
    return " ".join(found.get_text(" ").split())


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Lessons whose references do well, end outside their interval, fail, and (the last) were never run."""
    made = course(
        tmp_path_factory.mktemp("course"),
        good=("pass", 0.5),
        low=("pass", 0.1),
        slips=("raise RuntimeError('a <b>slip')", 0.5),
        late=("pass", 0.5),
    )
    run(made.lessons()[:3])
    return made


def test_what_is_as_it_should_be_is_said_to_be(ran: Course, tmp_path: Path) -> None:
    good = ran.lesson("good")
    hand_in(tmp_path, good, "ada", 3.0)
    page = report.render(ran, tmp_path, lessons=[good])
    assert page.troubles == []
    assert "✓ Everything is as it should be" in banner(page)
    overview = parsed(page).find(id="overview")
    assert overview is not None
    cells = [" ".join(cell.get_text().split()) for cell in overview.find_all("tr")[-1].find_all("td")]
    assert cells[:2] == ["good", "✓ 2 inside, 1 not measured"]
    assert cells[3:] == ["1", "75 %"]


def test_each_thing_that_is_wrong_stands_at_the_top_with_a_link_to_its_place(ran: Course, tmp_path: Path) -> None:
    good, low, slips, _ = ran.lessons()
    hand_in(tmp_path, low, "유나", None)
    told = [f"ada, {good.id}: the grader failed", "the gradebook is locked", f"{good.id}_2 is no lesson"]
    page = report.render(ran, tmp_path, told=told)
    found = {trouble.text: trouble.place for trouble in page.troubles}
    assert found == {
        "low: outside the interval in the reference's run: count": low.id,
        "low: handed in and not graded: 유나": low.id,
        "slips: the reference failed: RuntimeError: a <b>slip": slips.id,
        "the reference was not run (`grader run --profile smoke --seed 0`): week1_words/late": "overview",
        f"ada, {good.id}: the grader failed": good.id,
        "the gradebook is locked": "overview",
        f"{good.id}_2 is no lesson": "overview",
    }
    links = {link.get_text(): link["href"] for link in parsed(page).select(".banner a")}
    assert links == {text: f"#{place}" for text, place in found.items()}
    assert "✗ 7 things are not as they should be" in banner(page)


def test_a_row_says_in_words_what_became_of_it(ran: Course, tmp_path: Path) -> None:
    states = {}
    for lesson in ran.lessons()[:3]:
        page = parsed(report.render(ran, tmp_path, lessons=[lesson]))
        rows = [
            [cell.get_text() for cell in line.find_all("td")] for line in page.select(f'[id="{lesson.id}"] ~ div tr')
        ]
        states[lesson.name] = {cells[0]: cells[2] for cells in rows if cells}
    assert states == {
        "good": {"count": "✓ inside", "computed": "✓ inside", "wordsim": "– not measured"},
        "low": {"count": "✗ outside", "computed": "✓ inside", "wordsim": "– not measured"},
        "slips": dict.fromkeys(("count", "computed", "wordsim"), "– not measured"),
    }


def test_numbers_of_an_earlier_run_are_not_shown_for_one_that_failed(tmp_path: Path) -> None:
    made = course(tmp_path, one=("pass", 0.5))
    run(made.lessons())
    [lesson] = made.lessons()
    (lesson.source / "notebook.py").write_text(NOTEBOOK.format(line="raise ValueError", count=0.5), encoding="utf-8")
    assert report.reference(lesson, "smoke", 0).named("inside") == ["count", "computed"]
    run(made.lessons())
    failed = report.reference(lesson, "smoke", 0)
    assert (failed.status, failed.named("inside")) == ("failed", [])


def test_a_graded_metric_that_was_not_measured_is_a_trouble(tmp_path: Path) -> None:
    made = course(tmp_path, one=("pass", 0.5))
    [lesson] = made.lessons()
    (lesson.source / "hidden.py").write_text("")
    run([lesson])
    [trouble] = report.render(made, tmp_path / "class").troubles
    assert trouble.text == "one: graded, but not measured in the reference's run: computed"


def test_the_sample_class_is_spoken_of_only_where_it_is_shown(ran: Course, tmp_path: Path) -> None:
    good, sample = ran.lesson("good"), ran.build / "class"
    for home in (tmp_path, sample):
        hand_in(home, good, "ada", 3.0)
    real = report.render(ran, tmp_path, lessons=[good])
    text = parsed(real).get_text()
    assert str(tmp_path) in text
    assert "sample class" not in text
    assert "everything right, in other ways" not in text
    shown = report.render(ran, sample, lessons=[good])
    assert "and a sample class whose answers are known" in parsed(shown).get_text()
    surprises = [trouble.text for trouble in shown.troubles]
    assert len(surprises) == 3
    assert surprises[0].startswith(
        "week1_words/good: ada (everything right, in other ways than the reference's) has 3 points"
    )
    assert {trouble.place for trouble in shown.troubles} == {good.id}


def test_a_refused_submission_is_counted_and_is_no_trouble(ran: Course, tmp_path: Path) -> None:
    good = ran.lesson("good")
    hand_in(tmp_path, good, "eun", 0.0, status="refused")
    page = report.render(ran, tmp_path, lessons=[good])
    assert page.troubles == []
    assert "1, 1 refused" in parsed(page).get_text()


def test_a_name_that_turns_the_text_around_is_shown_harmless(ran: Course, tmp_path: Path) -> None:
    hand_in(tmp_path, ran.lesson("good"), "eve\u202e\x1b[2J", 1.0)
    text = parsed(report.render(ran, tmp_path, lessons=[ran.lesson("good")])).get_text()
    assert "eve\\u202e\\x1b[2J" in text
    assert "\u202e" not in text
