"""A class that is graded again: what is stored is what is there now, and an old score stands until its successor is there.

What grading itself does is a stand-in (tests/support/stand_in.py); the processes, nbgrader and its gradebook are real.
"""

from __future__ import annotations

import functools
import io
import itertools
import shutil
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import nbformat
import pytest
import stand_in
from nbgrader.api import Gradebook
from rich.console import Console
from rich.progress import Progress
from small import fingerprints
from stand_in import POINTS, runs
from words_course import WEEK, with_lessons, words_course

from grader.classes import batch
from grader.classes.classroom import Classroom
from grader.course import Course, CourseError
from grader.grading import store, verdict
from grader.nbgrader import config, gradebook
from grader.nbgrader.course import NbgraderCourse
from grader.release.build import build
from grader.settings import Settings

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

CONFIG = """
from grader.nbgrader.config import grade_in_sandbox
c = get_config()
grade_in_sandbox(c)
"""
# A late day costs a point; one is free. hv is due after hw.
DATES = """
[due]
hw = 2026-03-13T12:00:00Z
hv = 2026-03-20T12:00:00Z
[late]
share_a_day = 0.25
"""
FREE = f"{DATES}free_days = 1\n"


@pytest.fixture(autouse=True)
def _grading(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_batch = functools.partial(batch.grade_batch, grade=stand_in.grade)
    monkeypatch.setattr("grader.classes.classroom.grade_batch", stand_in_batch)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of nbgrader's with two assignments, each with a notebook of the same name with one graded cell."""
    root = tmp_path_factory.mktemp("released")
    (root / "nbgrader_config.py").write_text(CONFIG)
    for week in ("hw", "hv"):
        cell = nbformat.v4.new_code_cell("assert answer == 42")
        rules = {"grade": True, "grade_id": "check", "locked": True, "points": POINTS, "solution": False, "task": False}
        cell.metadata["nbgrader"] = {**rules, "schema_version": 3, "cell_type": "code"}
        (root / "source" / week).mkdir(parents=True)
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), root / "source" / week / "one.ipynb")
        config.release(NbgraderCourse(root), week)  # type: ignore[arg-type]
    return root


@pytest.fixture
def root(released: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(released, tmp_path / "course"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of ours with two lessons in a week."""
    return words_course(tmp_path_factory.mktemp("built") / "course", "one", "two").root


@pytest.fixture
def ours(built: Path, tmp_path: Path) -> Course:
    return Course(Path(shutil.copytree(built, tmp_path / "course")))


def hand_in(home: Path, week: str, text: str, student: str = "ada", lesson: str = "one", when: str = "") -> None:
    """Hands in a notebook whose text says what it earns."""
    folder = home / "submitted" / student / week
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{lesson}.ipynb").write_text(text)
    if when:
        (folder / "timestamp.txt").write_text(when)


def graded(course: Course | NbgraderCourse, home: Path, which: str = "", resume: bool = True) -> tuple[list[str], str]:
    """Grades the class; returns what the grader failed at, and what was said."""
    console = Console(file=io.StringIO(), width=200)
    troubles = Classroom(course, home, Settings()).grade(
        course.lessons(which), "*", console, lambda: Progress(disable=True), jobs=1, resume=resume
    )
    return troubles, console.file.getvalue()  # type: ignore[attr-defined]


def grade(root: Path, which: str = "") -> str:
    troubles, said = graded(NbgraderCourse(root), root, which)
    assert troubles == []
    return said


def scores(root: Path, *weeks: str) -> dict[str, float]:
    """Ada's points by week, less penalties."""
    found = [score for week in weeks for score in gradebook.scores(NbgraderCourse(root), root, week)]
    return {score.week: score.score - score.penalty for score in found if score.student == "ada"}


# What was graded stays until there is something to put in its place.


def test_grading_everything_anew_keeps_an_old_verdict_until_its_successor_is_there(root: Path) -> None:
    hand_in(root, "hw", "earns 3")
    hand_in(root, "hw", "earns 1", "bora")
    grade(root)
    hand_in(root, "hw", "raises no space left")
    troubles, _ = graded(NbgraderCourse(root), root, resume=False)
    assert troubles == ["ada, hw/one: the grader failed (RuntimeError: no space left); its old score stands"]
    kept = verdict.load(root / "verdicts" / "ada" / "hw" / "one.json")
    assert kept is not None
    assert kept.earned == 3


def test_grading_everything_anew_runs_all_and_puts_the_new_verdicts_in_place(root: Path) -> None:
    hand_in(root, "hw", "earns 3")
    grade(root)
    [lesson] = NbgraderCourse(root).lessons("hw")
    path = store.verdict_path(root, "ada", lesson)
    old = verdict.load(path)
    assert old is not None
    old.model_copy(update={"reason": "of an older grader"}).save(path)
    path.with_suffix(".ipynb").write_text("as it ran then")
    assert graded(NbgraderCourse(root), root, resume=False)[0] == []
    assert runs(root) == ["ada", "ada"]
    assert verdict.load(path) == old
    assert not path.with_suffix(".ipynb").exists()  # the stand-in runs no notebook


def test_a_week_whose_scores_wait_for_a_lesson_that_is_not_graded_is_named(ours: Course) -> None:
    root = ours.root
    for student in ("ada", "bora"):
        hand_in(root, WEEK, "earns 3", student, "one")
        hand_in(root, WEEK, "earns 2" if student == "bora" else "raises no space left", student, "two")
    failed, held_back = graded(ours, root)[0]
    assert failed.startswith("ada, week1_words/two: the grader failed")
    assert held_back.startswith(f"{WEEK}: no score of ada goes into the gradebook until all lessons of this week")
    assert {score.student for score in gradebook.scores(ours, root, WEEK)} == {"bora"}
    hand_in(root, WEEK, "earns 1", "ada", "two")
    assert graded(ours, root)[0] == []
    assert Counter(runs(root)) == {"ada": 3, "bora": 2}


# When something was handed in.


def test_a_time_that_is_added_changed_or_removed_later_is_read_and_runs_nobody_again(ours: Course) -> None:
    root = ours.root
    (root / "class.toml").write_text(DATES.replace("hw", WEEK).replace("hv = 2026-03-20T12:00:00Z", ""))
    for when, penalty, told in (
        ("", 0, "It is not known when this was handed in"),
        ("2026-03-14 10:00:00 UTC", 1, "1 day late"),
        ("2026-03-15 20:00:00 +0900", 2, "2 days late"),
        ("2026-03-13 20:59:00 +0900", 0, ""),
        ("2026-03-16 10:00:00", 3, "3 days late"),
        ("", 0, "It is not known when this was handed in"),
    ):
        hand_in(root, WEEK, "earns 4", when=when)
        if not when:
            (root / "submitted" / "ada" / WEEK / "timestamp.txt").unlink(missing_ok=True)
        troubles, said = graded(ours, root, "one")
        [score] = [score for score in gradebook.scores(ours, root, WEEK) if score.notebook == "one"]
        assert (troubles, score.score, score.penalty, runs(root)) == ([], 4, penalty, ["ada"])
        assert told in said
        assert ("late:" in said) == bool(told)


def test_nbgraders_own_rule_gets_the_time_that_stands_there_now(ours: Course) -> None:
    hand_in(ours.root, WEEK, "earns 4")
    graded(ours, ours.root, "one")
    hand_in(ours.root, WEEK, "earns 4", when="2026-03-14T10:00:00+09:00")
    graded(ours, ours.root, "one")
    with Gradebook(f"sqlite:///{ours.root / 'gradebook.db'}") as book:
        assert book.find_submission(WEEK, "ada").timestamp == datetime(2026, 3, 14, 1)
    assert runs(ours.root) == ["ada"]


def test_free_days_that_an_earlier_week_spends_later_are_taken_from_the_others(root: Path) -> None:
    (root / "class.toml").write_text(FREE)
    hand_in(root, "hv", "earns 4", when="2026-03-21 10:00:00 UTC")
    grade(root, "hv")
    assert scores(root, "hv") == {"hv": 4}  # its late day was free
    hand_in(root, "hw", "earns 4", when="2026-03-14 10:00:00 UTC")
    grade(root, "hw")
    assert scores(root, "hw", "hv") == {"hw": 4, "hv": 3}
    assert Counter(runs(root)) == {"ada": 2}
    page = nbformat.read(root / "autograded" / "ada" / "hv" / "one.ipynb", as_version=4)
    assert "25 % of the points are taken away" in page.cells[0].outputs[0].text


def test_a_changed_date_is_written_though_no_penalty_changes(root: Path) -> None:
    for student, day in (("ada", 14), ("bora", 12)):
        hand_in(root, "hw", "earns 4", student, when=f"2026-03-{day} 10:00:00 UTC")
    for due in ("12:00", "11:30"):
        (root / "class.toml").write_text(DATES.replace("13T12:00", f"13T{due}"))
        grade(root)
        page = nbformat.read(root / "autograded" / "ada" / "hw" / "one.ipynb", as_version=4)
        assert f"due 2026-03-13 {due} UTC: 1 day late" in page.cells[0].outputs[0].text
        with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
            assert f"{book.find_assignment('hw').duedate:%H:%M}" == due
    (root / "class.toml").write_text(f"{DATES}[extended.bora]\nhw = 2026-03-14T12:00:00Z\n")
    grade(root)
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        assert book.find_submission("hw", "bora").extension == timedelta(days=1)
    assert Counter(runs(root)) == {"ada": 1, "bora": 1}


def test_a_week_that_is_not_graded_as_it_stands_waits_for_its_penalty(root: Path) -> None:
    (root / "class.toml").write_text(FREE)
    hand_in(root, "hv", "earns 4", when="2026-03-21 10:00:00 UTC")
    grade(root, "hv")
    hand_in(root, "hw", "earns 4", when="2026-03-14 10:00:00 UTC")
    hand_in(root, "hv", "earns 2")
    assert "another penalty is due from ada for hv: grade this week again" in grade(root, "hw")
    assert (scores(root, "hv"), len(runs(root))) == ({"hv": 4}, 2)


def test_a_file_that_holds_no_time_and_a_date_for_nobody_are_said_in_a_line_each(root: Path) -> None:
    (root / "class.toml").write_text(f"{DATES}[extended.adda]\nhw = 2026-03-20T12:00:00Z\n")
    hand_in(root, "hw", "earns 4", when="2026-03-16 10:00:00 KST")
    said = grade(root).splitlines()
    assert "class.toml gives more time to adda: no folder of submitted has this name" in said
    assert "timestamp.txt holds no time in ada/hw: write it as 2026-03-14 10:02:00 +0900" in said
    assert scores(root, "hw") == {"hw": 4}


# What the gradebook holds.


def test_an_older_gradebook_gets_the_scores_that_it_lacks(root: Path) -> None:
    backup = root / "gradebook.bak"
    hand_in(root, "hw", "earns 3")
    grade(root)
    shutil.copy(root / "gradebook.db", backup)
    hand_in(root, "hw", "earns 4")
    hand_in(root, "hv", "earns 3")  # in a notebook of the same name, as many points as the other had
    grade(root)
    shutil.copy(backup, root / "gradebook.db")
    grade(root)
    assert scores(root, "hw", "hv") == {"hw": 4, "hv": 3}
    assert len(runs(root)) == 3


@pytest.mark.parametrize("name", [None, "final version.ipynb"])
def test_who_handed_in_no_notebook_of_the_week_gets_0_points(
    root: Path, name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.classes.classroom.grade_batch", batch.grade_batch)  # as it is: nothing is run
    (root / "submitted" / "ada" / "hw").mkdir(parents=True)
    if name is not None:
        (root / "submitted" / "ada" / "hw" / name).write_text("earns 4")
    grade(root)
    assert scores(root, "hw") == {"hw": 0}
    page = nbformat.read(root / "autograded" / "ada" / "hw" / "one.ipynb", as_version=4)
    assert "was not handed in" in page.cells[0].outputs[0].text
    grade(root)


@pytest.mark.parametrize("left", [None, "", DATES.replace("0.25", "0")])
def test_a_penalty_goes_with_the_rule_that_took_it(root: Path, left: str | None) -> None:
    (root / "class.toml").write_text(DATES)
    hand_in(root, "hw", "earns 4", when="2026-03-14 10:00:00 UTC")
    grade(root)
    assert scores(root, "hw") == {"hw": 3}
    if left is None:
        (root / "class.toml").unlink()
    else:
        (root / "class.toml").write_text(left)
    grade(root)
    assert scores(root, "hw") == {"hw": 4}
    assert runs(root) == ["ada"]


def test_what_has_not_changed_is_not_stored_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "class.toml").write_text(FREE)
    hand_in(root, "hw", "earns 4", when="2026-03-15 10:00:00 UTC")
    hand_in(root, "hv", "earns 3")
    grade(root)
    monkeypatch.setattr(gradebook, "store", lambda *args: pytest.fail("it is stored again"))
    grade(root)


# Weeks that are built again.


def earned(course: Course, home: Path) -> dict[str, tuple[float, float]]:
    """Lesson → ada's points, and all there are."""
    return {score.notebook: (score.score, score.points) for score in gradebook.scores(course, home, WEEK)}


def test_a_lesson_that_is_taken_out_keeps_its_scores_and_is_not_graded_again(ours: Course) -> None:
    root = ours.root
    hand_in(root, WEEK, "earns 3", lesson="one")
    hand_in(root, WEEK, "earns 2", lesson="two")
    assert graded(ours, root)[0] == []
    less = with_lessons(root, "one")
    (root / "verdicts" / "ada" / WEEK / "two.json").unlink()
    for points in (4, 1):
        hand_in(root, WEEK, f"earns {points}", lesson="one")
        assert graded(less, root)[0] == []
        assert earned(less, root) == {"one": (points, 4), "two": (2, 4)}
        assert not (root / "verdicts" / "ada" / WEEK / "two.json").exists()
        build(less, less.lessons(), say=lambda text: None)
        assert not less.lesson("one").released.with_name("two.ipynb").exists()


def test_a_class_gets_a_week_as_it_was_last_built_wherever_it_lies(ours: Course, tmp_path: Path) -> None:
    homes = [ours.root, tmp_path / "class"]

    def points() -> list[tuple[float, float]]:
        for home in homes:
            assert graded(ours, home, "one")[0] == []
        return [earned(ours, home)["one"] for home in homes]

    for home in homes:
        hand_in(home, WEEK, "earns 3")
    assert points() == [(3, 4)] * 2
    checks = ours.lesson("one").source / "checks.py"
    checks.write_text(checks.read_text().replace("points=4", "points=5"))
    assert points() == [(3, 4)] * 2  # it has not been built yet
    build(ours, ours.lessons(), say=lambda text: None)
    assert points() == [(3, 5)] * 2


def test_a_lesson_that_is_taken_out_keeps_score_and_penalty_when_its_file_is_gone(ours: Course) -> None:
    root = ours.root
    (root / "class.toml").write_text(DATES.replace("hw", WEEK).replace("hv = 2026-03-20T12:00:00Z", ""))
    for lesson, points in (("one", 2), ("two", 3)):
        hand_in(root, WEEK, f"earns {points}", lesson=lesson, when="2026-03-14 10:00:00 UTC")
    assert graded(ours, root)[0] == []
    less = with_lessons(root, "two")
    (root / "submitted" / "ada" / WEEK / "one.ipynb").unlink()
    hand_in(root, WEEK, "earns 4", lesson="two", when="2026-03-15 10:00:00 UTC")
    assert graded(less, root)[0] == []
    found = {score.notebook: (score.score, score.penalty) for score in gradebook.scores(less, root, WEEK)}
    assert found == {"one": (2, 1), "two": (4, 2)}


def add_exercise(course: Course) -> None:
    """Gives the lesson one another exercise."""
    source = course.lesson(f"{WEEK}/one").source
    for file, name in (("notebook.py", "check"), ("checks.py", "check")):
        text = (source / file).read_text()
        more = text[text.index("# %% exercise") :] if file == "notebook.py" else text[text.index("@exercise") :]
        more = more.replace(f'"{name}"', '"more"').replace("check_it", "count_it").replace("letters_are", "more_are")
        (source / file).write_text(f"{text}\n{more}")


def test_a_week_that_the_gradebook_does_not_take_in_stays_released_and_the_others_are_graded(
    ours: Course, tmp_path: Path
) -> None:
    root, home, other = ours.root, tmp_path / "class", "week2_words"
    text = (root / "course.toml").read_text()
    (root / "course.toml").write_text(text + text[text.index("[[weeks]]") :].replace(WEEK, other))
    shutil.copytree(root / "solutions" / WEEK, root / "solutions" / other)
    for notebook in (root / "solutions" / other).rglob("notebook.py"):
        notebook.write_text(notebook.read_text().replace(WEEK, other))
    course = Course(root)
    build(course, course.lessons(other), say=lambda text: None)
    for week, lesson in itertools.product((WEEK, other), ("one", "two")):
        hand_in(home, week, "earns 3", lesson=lesson)
    assert graded(course, home)[0] == []
    add_exercise(course)
    build(course, course.lessons(), say=lambda text: None)
    before = fingerprints(root)
    hand_in(home, other, "earns 1")
    [trouble] = graded(course, home)[0]
    assert trouble.startswith(f"{WEEK} has other cells or lessons than when its first scores were stored")
    assert "Traceback" not in trouble
    assert fingerprints(root) == before
    [score] = [one for one in gradebook.scores(course, home, other) if one.notebook == "one"]
    assert score.score == 1
    with pytest.raises(CourseError, match="has other cells or lessons"):
        graded(course, home, WEEK)
    (home / "gradebook.db").unlink()
    assert graded(course, home)[0] == []  # as the sentence says
