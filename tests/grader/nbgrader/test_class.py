"""A class from end to end with nbgrader's own commands: released, handed in, autograded, regraded, fed back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from grader.cli import app
from grader.course import Course
from grader.grading import verdict
from grader.nbgrader import gradebook
from grader.quality import sample_class

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

BIN = Path(sys.executable).parent
WEEK, LESSON = "week2_tokenizers", "oov"
RIGHT, WRONG = 38.5, 0  # all automatic points; the answers in words (4 points) wait for a person


def command(course: Course, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        [str(BIN / words[0]), *words[1:]], cwd=course.root, env=environment, capture_output=True, text=True, timeout=300
    )


def with_one_lesson(text: str, name: str) -> str:
    """A course.toml that has this lesson alone."""
    head, *weeks = text.split("[[weeks]]")
    week = next(week for week in weeks if f'name = "{name}"' in week)
    title, *lessons = week.split("[[weeks.lessons]]")
    lesson = next(lesson for lesson in lessons if f'name = "{name}"' in lesson)
    return f"{head}[[weeks]]{title}[[weeks.lessons]]{lesson}"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The sample class handed in at the root of a course of its own and graded by `nbgrader autograde`."""
    here, root = Course(), tmp_path_factory.mktemp("class") / "course"
    shutil.copytree(here.root / "solutions", root / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(here.root / "nbgrader_config.py", root)
    text = (here.root / "course.toml").read_text(encoding="utf-8")
    (root / "course.toml").write_text(with_one_lesson(text, LESSON), encoding="utf-8")
    course = Course(root)
    released = command(course, "nbgrader", "generate_assignment", WEEK)
    assert released.returncode == 0, released.stderr
    sample_class.hand_in(course.lessons(), root)
    autograded = command(course, "nbgrader", "autograde", WEEK)
    assert autograded.returncode == 0, autograded.stderr
    return course


def scores(course: Course) -> dict[str, float]:
    return {score.student: score.score for score in gradebook.scores(course, course.root, WEEK)}


def test_nbgraders_own_release_is_the_committed_one(graded: Course) -> None:
    path = Path("weeks", WEEK, f"{LESSON}.ipynb")
    assert (graded.root / path).read_bytes() == (Course().root / path).read_bytes()


def test_the_gradebook_holds_what_each_student_earned(graded: Course) -> None:
    found = scores(graded)
    assert found["ada"] == RIGHT
    assert found["dana"] == found["eun"] == WRONG
    assert WRONG < found["bora"] < RIGHT
    assert WRONG < found["chul"] < RIGHT


def test_a_class_that_was_graded_as_it_should_be_is_no_surprise_and_any_other_is(
    graded: Course, tmp_path: Path
) -> None:
    lessons = graded.lessons()
    assert sample_class.surprises(lessons, graded.root) == []
    shutil.copytree(graded.root / "verdicts", tmp_path / "verdicts")
    of = {
        student: tmp_path / "verdicts" / student / WEEK / f"{LESSON}.json" for student in ("ada", "bora", "dana", "eun")
    }
    shutil.copy(of["bora"], of["ada"])
    shutil.copy(of["bora"], of["dana"])
    of["eun"].unlink()
    ada, dana, eun = sample_class.surprises(lessons, tmp_path)
    assert "ada" in ada
    assert f"expected {RIGHT:g}" in ada
    assert "dana" in dana
    assert "eun" in eun


def test_a_broken_file_is_answered_in_words_and_costs_nobody_else(graded: Course) -> None:
    found = verdict.load(graded.root / "verdicts" / "eun" / WEEK / f"{LESSON}.json")
    assert found is not None
    assert found.status == "refused"
    assert "not a notebook" in found.reason


def test_of_each_failing_exercise_its_mistake_is_named_or_what_it_calls(graded: Course) -> None:
    found = verdict.load(graded.root / "verdicts" / "chul" / WEEK / f"{LESSON}.json")
    assert found is not None
    failing = [exercise for exercise in found.exercises if exercise.earned < exercise.points]
    assert len(failing) == 5
    assert [exercise.name for exercise in failing if exercise.cause] == ["bits_per_character"]  # it calls bits_per_word
    assert [exercise.name for exercise in failing if not exercise.diagnosis] == ["bits_per_character"]


def test_grading_again_runs_nothing_and_gives_the_same_scores(graded: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    before, path = scores(graded), graded.root / "verdicts" / "ada" / WEEK / f"{LESSON}.json"
    stamp = path.stat().st_mtime_ns
    monkeypatch.chdir(graded.root)
    result = CliRunner().invoke(app, ["autograde", WEEK])
    assert result.exit_code == 0, result.output
    assert path.stat().st_mtime_ns == stamp
    assert scores(graded) == before


def test_a_class_in_a_new_folder_needs_no_other_command(
    graded: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("submitted", "verdicts"):
        shutil.copytree(graded.root / name, tmp_path / name)
    monkeypatch.chdir(graded.root)
    result = CliRunner().invoke(app, ["autograde", WEEK, "--home", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert {score.student for score in gradebook.scores(graded, tmp_path, WEEK)} == set(scores(graded))


def test_a_score_given_by_hand_outlives_grading_again(graded: Course) -> None:
    url = f"sqlite:///{graded.root / 'gradebook.db'}"
    before = scores(graded)["chul"]
    with Gradebook(url, "etude") as book:
        grade = book.find_grade("two_perplexities", LESSON, WEEK, "chul")
        grade.manual_score = 1.5
        book.db.commit()
    again = command(graded, "nbgrader", "autograde", WEEK, "--student", "chul", "--force")
    assert again.returncode == 0, again.stderr
    assert scores(graded)["chul"] == before + 1.5


def test_nbgrader_exports_every_score(graded: Course) -> None:
    assert command(graded, "nbgrader", "export").returncode == 0
    rows = pd.read_csv(graded.root / "grades.csv").set_index("student_id")["score"]
    assert rows.to_dict() == scores(graded)


def test_feedback_names_the_mistake_and_hides_hidden_values(graded: Course) -> None:
    result = command(graded, "nbgrader", "generate_feedback", WEEK)
    assert result.returncode == 0, result.stderr
    page = (graded.root / "feedback" / "chul" / WEEK / f"{LESSON}.html").read_text(encoding="utf-8")
    assert "unknown words are left out of the sum" in page
    assert "(a hidden check)" in page


def test_nbgrader_validate_tells_skeleton_from_answer(graded: Course) -> None:
    skeleton = command(graded, "nbgrader", "validate", f"weeks/{WEEK}/{LESSON}.ipynb")
    assert "VALIDATION FAILED ON" in skeleton.stdout
    assert "not written" in skeleton.stdout or "fail" in skeleton.stdout


def test_nothing_handed_in_is_said_in_words(here: Path) -> None:
    result = CliRunner().invoke(app, ["autograde", WEEK, "--home", str(here)])
    assert result.exit_code == 1
    assert "nothing is handed in" in result.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "word2vec", "--profile", "huge"], "profile 'huge' is not known"),
        (["run", "word2vec", "--seed", "-1"], "greater than or equal to 0"),
        (["run", "week9"], "there is no week or lesson 'week9'"),
        (["calibrate", "word2vec", "--seeds", "2"], "2 seeds say too little"),
    ],
)
def test_options_that_make_no_sense_end_in_one_line(words: list[str], said: str) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code != 0
    assert said in result.output


def test_a_gpu_that_is_not_there_is_said_in_words() -> None:
    import torch

    if torch.cuda.is_available():
        device, said = "mps", "sees none here"
    else:
        device, said = "cuda", "sees none here"
    result = CliRunner().invoke(app, ["run", "word2vec", "--device", device])
    assert result.exit_code == 1
    assert said in " ".join(result.output.split())


def test_help_shows_every_command_with_an_example() -> None:
    page = CliRunner().invoke(app, ["--help"]).output
    for name in ("build", "run", "calibrate", "grade", "report", "audit", "demo", "schema"):
        assert name in page
    assert "Examples: grader run word2vec" in CliRunner().invoke(app, ["run", "--help"]).output
