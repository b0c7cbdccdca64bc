"""What an instructor reads while a class is graded and at the end of it: lines that fit into a log of 80 columns."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.classes.batch import Batch, key
from grader.classes.summary import Lines, summarize
from grader.classes.uploads import Submission
from grader.grading.notebook import Notebook
from grader.grading.verdict import CheckResult, ExerciseResult, Verdict
from grader.nbgrader.gradebook import Score
from grader.nbgrader.lateness import Lateness
from grader.settings import Settings

WIDTH, POINTS = 80, 47.0
LESSONS = [Notebook("week1", name, "", Path()) for name in ("word2vec_variants", "glove")]
HOSTILE = "[bold]eve[/] \x1b[2J\n[9/9] ada  glove  47.0 of 47 points" + "유" * 60


def handed_in(*students: str) -> list[Submission]:
    return [Submission(lesson, student, Path()) for student in students for lesson in LESSONS]


def verdict(item: Submission, earned: float, **changed: object) -> Verdict:
    check = CheckResult(name="it", title="it", hidden=False, points=POINTS, status="passed", partial=earned)
    common: dict[str, Any] = {
        "submission": "",
        "inputs": "",
        "profile": "smoke",
        "seed": 0,
        "sandbox": "none",
        "status": "graded",
    }
    common |= {"lesson": item.lesson.id, "student": item.student, "seconds": 12.4}
    return Verdict(**common, exercises=[ExerciseResult(name="it", checks=[check])]).model_copy(update=changed)


def printed(show: Callable[[Console], None]) -> list[str]:
    """The lines of a log without colours, held to its width."""
    console = Console(file=io.StringIO(), width=WIDTH)
    show(console)
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert all(cell_len(line) <= WIDTH for line in lines)
    return lines


def test_each_submission_has_a_line_with_its_place_points_and_seconds() -> None:
    ada, eun = todo = [one for one in handed_in("ada", "eun") if one.lesson.name == "glove"]

    def show(console: Console) -> None:
        lines = Lines(console, todo, {}, Settings())
        lines.add(ada, verdict(ada, POINTS))
        lines.add(eun, verdict(eun, 0, reason="the file is not a notebook: " + "it breaks off " * 9))

    first, second, why = printed(show)
    assert first == "[1/2] ada  glove   47.0 of 47 points     12 s"
    assert second == "[2/2] eun  glove    0.0 of 47 points     12 s"
    assert why.startswith("      the file is not a notebook: it breaks off")
    assert why.endswith("…")


def test_a_line_says_what_changed_and_what_was_not_run_again() -> None:
    ada, bora, chul = todo = [one for one in handed_in("ada", "bora", "chul") if one.lesson.name == "glove"]
    before = {key(one): verdict(one, 40.0) for one in todo}

    def show(console: Console) -> None:
        lines = Lines(console, todo, before, Settings())
        lines.add(ada, verdict(ada, POINTS))
        lines.add(bora, verdict(bora, 40.0))
        lines.add(chul, None)

    changed, unchanged, failed = printed(show)
    assert changed.endswith("47.0 of 47 points     12 s  before 40.0")
    assert unchanged.endswith("40.0 of 47 points    unchanged")
    assert failed.endswith("the grader failed, see the end")


def test_a_name_stays_on_its_line_and_commands_nothing() -> None:
    todo = handed_in(HOSTILE)
    lines = printed(
        lambda console: Lines(console, todo, {}, Settings()).add(todo[0], verdict(todo[0], POINTS, reason=HOSTILE))
    )
    assert len(lines) == 1
    assert lines[0].startswith("[1/2] [bold]eve[/] \\x1b[2J")
    assert "\x1b" not in lines[0]


@pytest.mark.parametrize(("dry_run", "heading"), [(False, "points changed:"), (True, "points would change:")])
def test_the_summary_has_a_line_for_each_lesson_and_says_whose_points_moved(dry_run: bool, heading: str) -> None:
    todo = handed_in("ada", "bora")
    batch = Batch(verdicts={key(one): verdict(one, POINTS if one.student == "ada" else 10.0) for one in todo})
    before = {("ada", "week1/glove"): verdict(todo[1], 40.0), ("bora", "week1/glove"): verdict(todo[3], 10.0)}
    stored = [Score("ada", "week1", "glove", 49.0, 51.0, needs_manual_grade=True)]
    lines = printed(lambda console: summarize(console, batch, before, stored, dry_run))
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.startswith(("glove", "word2vec"))}
    assert rows == {
        "glove": ["2", "28.5", "of", "47", "1", "1", "1"],
        "word2vec_variants": ["2", "28.5", "of", "47", *"000"],
    }
    assert lines[lines.index(heading) + 1] == "  ada  glove  40.0 → 47.0 of 47"
    assert not any("bora" in line for line in lines)


def test_a_score_of_another_week_is_none_of_a_notebook_of_the_same_name() -> None:
    other = Submission(Notebook("week2", "glove", "", Path()), "ada", Path())
    batch = Batch(verdicts={key(other): verdict(other, POINTS)})
    stored = [Score("ada", "week1", "glove", 40, 47, needs_manual_grade=True)]
    lines = printed(lambda console: summarize(console, batch, {}, stored, dry_run=False))
    [row] = [line.split() for line in lines if line.startswith("glove")]
    assert row[-2:] == ["0", "0"]  # in the gradebook, to read


def test_the_summary_says_once_who_was_late_and_why() -> None:
    todo = handed_in(*(f"s{i}" for i in range(12)))
    batch = Batch(verdicts={key(one): verdict(one, POINTS) for one in todo})
    unknown = Lateness(0.0, "It is not known when.")
    stored = [Score(one.student, "week1", one.lesson.name, 40, 47, False, late=unknown) for one in todo]
    stored.append(Score("\x1b[2Jeve", "week1", "glove", 40, 47, False, late=Lateness(0.1, "1 day late.")))
    lines = printed(lambda console: summarize(console, batch, {}, stored, dry_run=False))
    told = lines[lines.index("late:") + 1 :]
    assert told == [
        "  s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 2 more: It is not known when.",
        "  \\x1b[2Jeve: 1 day late.",
    ]


def test_the_summary_names_whose_files_were_refused_and_fits_a_class_of_sixty() -> None:
    todo = handed_in(*(f"student_number_{i}_유나" for i in range(59)), HOSTILE)
    refused = {key(one): verdict(one, 0, status="refused", reason="no notebook") for one in todo[-2:]}
    batch = Batch(verdicts={key(one): verdict(one, 20.5) for one in todo} | refused)
    lines = printed(lambda console: summarize(console, batch, {}, [], dry_run=False))
    assert sum(line.split()[1:2] == ["60"] for line in lines) == len(LESSONS)
    told = " ".join(lines[lines.index("refused, as they are no notebooks of the lesson:") + 1 :])
    assert "glove, word2vec_variants" in told
    assert "student_number" not in told
    assert len(lines) < 15
