"""The expected tables' own errors: right runs outside and wrong answers inside are counted, blind and broken rows carry no points."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats
from small import course_file

from etude.lesson import table
from grader.course import Course, CourseError, Lesson
from grader.lessons import bank
from grader.lessons.bank import Answer
from grader.quality import calibrate, error_rates, readiness
from grader.quality.calibrate import FRESH_FROM, Run, Task
from grader.quality.error_rates import rates

ROW = table.Expected("m", "smoke", 0.9, 0.03, 12, 0.8, 1.0, "higher", 3, "", "", "")


def test_right_runs_outside_are_counted_with_an_exact_upper_bound() -> None:
    found = rates(ROW, [{"m": 0.9}] * 23 + [{"m": 0.7}], {}, "", "")
    assert (found.fresh, found.outside) == (24, 1)
    assert found.outside_most == pytest.approx(stats.beta.ppf(0.95, 2, 23), abs=1e-4)
    assert found.lost_most == pytest.approx(1 - ROW.share(0.7), abs=1e-4)
    assert found.lost == pytest.approx((1 - ROW.share(0.7)) / 24, abs=1e-4)
    assert found.lost_most > 0


def test_a_right_run_without_a_value_is_outside() -> None:
    found = rates(ROW, [{"m": 0.9}, {}], {}, "", "")
    assert (found.outside, found.lost_most) == (1, 1)


def test_wrong_answers_inside_are_named_and_those_without_a_value_are_counted_apart() -> None:
    tried = {"near": {"m": 0.95}, "same": {"m": 0.9}, "far": {"m": 0.1}, "none": {}}
    found = rates(ROW, [{"m": 0.9}], tried, "", "")
    assert (found.wrong, found.failed, found.inside, found.untouched) == (4, 1, 2, 1)
    assert found.unseen == "near same"
    assert (found.seen, found.blind) == (1, False)


def test_a_value_outside_that_the_right_answer_has_too_tells_nothing() -> None:
    found = rates(ROW, [{"m": 0.7}] + [{"m": 0.9}] * 23, {"same": {"m": 0.7}, "far": {"m": 0.1}}, "", "")
    assert (found.outside, found.inside, found.untouched, found.unseen) == (1, 1, 1, "same")


def test_a_row_is_blind_when_no_wrong_answer_is_outside() -> None:
    assert rates(ROW, [{"m": 0.9}], {"a": {"m": 0.95}, "b": {}}, "", "").blind
    assert not rates(ROW, [{"m": 0.9}], {}, "", "").blind  # none was tried


@pytest.mark.parametrize(("outside", "broken"), [(0, False), (1, False), (2, False), (4, True)])
def test_a_promise_is_broken_when_chance_alone_would_hardly_leave_so_many_outside(outside: int, broken: bool) -> None:
    right = [{"m": 0.0}] * outside + [{"m": 0.9}] * (24 - outside)
    found = rates(ROW, right, {}, "", "")
    assert found.broken == broken
    assert any("more than it promises" in sentence for sentence in error_rates.sentences([found])) == broken


def test_the_file_gives_back_what_was_measured(tmp_path: Path) -> None:
    found = [rates(ROW, [{"m": 0.9}], {"a": {"m": 0.95}}, "hash", "by hand, 2 seeds"), rates(ROW, [{}], {}, "", "")]
    error_rates._write(tmp_path / "errors.csv", found)
    assert error_rates.read(tmp_path / "errors.csv") == found
    assert error_rates.read(tmp_path / "none.csv") == []


def test_a_file_of_other_columns_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "errors.csv").write_text("metric,profile\n", encoding="utf-8")
    with pytest.raises(CourseError, match="measure anew with `grader calibrate LESSON --errors`"):
        error_rates.read(tmp_path / "errors.csv")


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lesson:
    """A lesson with one row and one wrong answer."""
    folder = tmp_path / "solutions" / "week1_words" / "count"
    folder.mkdir(parents=True)
    (tmp_path / "course.toml").write_text(
        course_file("count", cell_seconds=1, notebook_seconds=5),
        encoding="utf-8",
    )
    table.write(folder / "expected.csv", [ROW])
    for name in ("notebook.py", "hidden.py"):
        (folder / name).touch()
    answer = Answer("words", "nothing", "it gives nothing", None, "def words(): pass")
    monkeypatch.setattr(bank, "load", lambda lesson: [answer])
    return Course(tmp_path).lesson("count")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """The runs that are asked for; none is made."""
    found: list[Task] = []

    def results(lesson: Lesson, tasks: list[Task], jobs: int, step: object) -> list[Run]:
        found.extend(tasks)
        return [Run({"m": 0.1 if task.answer else 0.9}, 4.0, "") for task in tasks]

    monkeypatch.setattr(calibrate, "results", results)
    return found


def test_measuring_asks_for_fresh_seeds_and_writes_the_profiles_rows(lesson: Lesson, asked: list[Task]) -> None:
    (one,) = error_rates.measure(lesson, "smoke", 3, None, "cpu", 1, lambda *_: None)
    assert [task.seed for task in asked] == [FRESH_FROM, FRESH_FROM + 1, FRESH_FROM + 2, FRESH_FROM]
    assert asked[-1].limit == 20  # five times what right runs took
    assert (one.fresh, one.outside, one.wrong, one.seen) == (3, 0, 1, 1)
    assert error_rates.read(lesson.source / "errors.csv") == [one]
    with pytest.raises(CourseError, match="no interval in the profile gpu yet"):
        error_rates.measure(lesson, "gpu", 3, None, "cpu", 1, lambda *_: None)
    with pytest.raises(CourseError, match="0 fresh seeds make no sense"):
        error_rates.measure(lesson, "smoke", 0, None, "cpu", 1, lambda *_: None)


def test_what_was_measured_is_given_back_until_something_changes_that_decides_it(
    lesson: Lesson, asked: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    def runs(fresh: int = 3, wrong: int | None = None) -> int:
        """How many runs are made."""
        asked.clear()
        error_rates.measure(lesson, "smoke", fresh, wrong, "cpu", 1, lambda *_: None)
        return len(asked)

    assert runs() == 4
    assert runs() == 0
    assert (runs(fresh=2), runs(fresh=2)) == (3, 0)
    table.write(lesson.source / "expected.csv", [replace(ROW, low=0.85)])
    assert (runs(fresh=2), runs(fresh=2)) == (3, 0)  # another interval
    table.write(lesson.source / "expected.csv", [ROW, replace(ROW, metric="new")])
    assert runs(fresh=2) == 3  # a row that was not there
    table.write(lesson.source / "expected.csv", [ROW])
    assert runs(fresh=2) == 0
    (lesson.source / "notebook.py").write_text("a = 1\n", encoding="utf-8")
    assert (runs(fresh=2), runs(fresh=2)) == (3, 0)
    hidden = (
        '@exercise("words")\ndef test_words(student):\n    "Says."\n    oracle()\n\n\ndef oracle():\n    return 3\n'
    )
    hidden += '\n\n@metric("m")\ndef m():\n    "Says."\n    return {}\n'
    (lesson.source / "hidden.py").write_text(hidden.format(1), encoding="utf-8")
    assert (runs(fresh=2), runs(fresh=2)) == (3, 0)
    (lesson.source / "hidden.py").write_text(
        hidden.format(1).replace("Says", "Tells").replace("3", "4"), encoding="utf-8"
    )
    assert runs(fresh=2) == 0  # neither a check, nor its oracle, nor a docstring has a part in a metric
    (lesson.source / "hidden.py").write_text(hidden.format(2), encoding="utf-8")
    assert (runs(fresh=2), runs(fresh=2)) == (3, 0)
    other = Answer("words", "nothing", "it gives nothing", None, "def words(): return 2")
    monkeypatch.setattr(bank, "load", lambda lesson: [other])
    assert (runs(fresh=2), runs(fresh=2)) == (3, 0)
    assert runs(fresh=2, wrong=0) == 2


def test_rates_are_current_until_something_changes_that_decides_them(lesson: Lesson, asked: list[Task]) -> None:
    assert not error_rates.are_current(lesson, "smoke")  # there are none
    error_rates.measure(lesson, "smoke", 3, None, "auto", 1, lambda *_: None)
    assert error_rates.are_current(lesson, "smoke")
    (lesson.source / "notebook.py").write_text("# a comment\n", encoding="utf-8")
    assert error_rates.are_current(lesson, "smoke")
    (lesson.source / "notebook.py").write_text("a = 1\n", encoding="utf-8")
    assert not error_rates.are_current(lesson, "smoke")


def test_rows_of_a_corpus_that_is_not_here_stay_as_they_were_measured(
    lesson: Lesson, asked: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    table.write(lesson.source / "expected.csv", [ROW, replace(ROW, metric="of_a_corpus")])
    (here,) = error_rates.measure(lesson, "smoke", 3, None, "cpu", 1, lambda *_: None)
    there = replace(here, metric="of_a_corpus", inputs="of other code")
    error_rates._write(lesson.source / "errors.csv", [here, there])
    monkeypatch.setattr(bank, "load", lambda lesson: [])
    changed, kept = error_rates.measure(lesson, "smoke", 3, None, "cpu", 1, lambda *_: None)
    assert changed.inputs != here.inputs
    assert kept == there
    assert error_rates.read(lesson.source / "errors.csv") == [changed, there]


def test_some_wrong_answers_are_the_first_of_each_exercise() -> None:
    answers = [Answer(exercise, str(i), "x", None, "") for i in range(3) for exercise in ("a", "b")]
    assert [one.label for one in error_rates.first(answers, 2)] == ["a/0", "b/0", "a/1", "b/1"]
    assert error_rates.first(answers, 0) == []


@pytest.mark.parametrize(
    ("profile", "wrong", "seen_from", "points", "tried"),
    [
        ("smoke", None, 0, 3, 2),  # two will do
        ("smoke", None, 3, 3, 4),  # only the fourth is outside: all are tried
        ("smoke", None, 3, 0, 2),  # a row without points may be blind
        ("smoke", 2, 3, 3, 2),  # as told
        ("cpu", None, 0, 3, 0),
    ],
)
def test_the_whole_bank_is_tried_where_two_answers_leave_a_row_with_points_blind(
    lesson: Lesson,
    monkeypatch: pytest.MonkeyPatch,
    profile: str,
    wrong: int | None,
    seen_from: int,
    points: int,
    tried: int,
) -> None:
    answers = [Answer("words", str(i), "it gives nothing", None, f"def words(): return {i}") for i in range(4)]
    monkeypatch.setattr(bank, "load", lambda lesson: answers)
    table.write(lesson.source / "expected.csv", [replace(ROW, profile=profile, points=points)])

    def results(lesson: Lesson, tasks: list[Task], jobs: int, step: object) -> list[Run]:
        outside = [task.answer is not None and answers.index(task.answer) >= seen_from for task in tasks]
        return [Run({"m": 0.1 if out else 0.9}, 4.0, "") for out in outside]

    monkeypatch.setattr(calibrate, "results", results)
    (one,) = error_rates.measure(lesson, profile, 3, wrong, "cpu", 1, lambda *_: None)
    assert error_rates.measure(lesson, profile, 3, wrong, "cpu", 1, lambda *_: None) == [one]
    assert one.wrong == tried
    assert one.seen == max(tried - seen_from, 0)


@pytest.mark.parametrize("lesson", Course().lessons(), ids=lambda lesson: lesson.id)
def test_a_row_with_points_has_its_errors_measured_and_tells_wrong_from_right(lesson: Lesson) -> None:
    """In the profile smoke on the interval and the bank of today, with all wrong answers or two for each exercise."""
    found = {(one.metric, one.profile): one for one in error_rates.read(lesson.source / error_rates.FILE)}
    for row in table.read(lesson.source / "expected.csv"):
        one = found.get((row.metric, row.profile))
        assert not (one and one.blind and row.points), f"{row.metric} carries points and is blind"
        assert not (one and one.broken and row.points), f"{row.metric} carries points and loses too many right runs"
        if row.profile == "smoke" and row.points:
            again = f"{row.metric}: run `grader calibrate {lesson.id} --errors`"
            assert one is not None, again
            assert readiness.is_current(lesson, row, one), again
            assert math.isfinite(one.lost), again
