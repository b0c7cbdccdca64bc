"""A stranger's first lesson: made by a command in a course of its own, it builds, runs, fails its skeleton and passes its audit."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from etude.lesson import table
from grader.course import Course, CourseError
from grader.grading.verdict import Verdict
from grader.lessons import source
from grader.lessons.template import new_course, new_lesson
from grader.quality import error_rates, readiness
from grader.registry import lesson_table

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
PAIRS = "week2_letters/pairs"


def grader(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(BIN / "grader"), *words], cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A new course with its first lesson, nothing built."""
    return new_course(tmp_path / "course", "Letters").course


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A new course whose second lesson was made and checked by commands, and what the check said."""
    root = tmp_path_factory.mktemp("outside") / "course"
    made = grader(root.parent, "new-course", "course", "--title", 'Letters "and" signs')
    assert made.returncode == 0, made.stdout + made.stderr
    (root / "later" / "deep").mkdir(parents=True)
    new = grader(root / "later" / "deep", "new", PAIRS, "--title", "Pairs of letters", "--link", "https://example.org")
    assert new.returncode == 0, new.stdout + new.stderr
    assert "Next: grader check pairs" in new.stdout
    lesson = Course(root).lesson("pairs")
    (lesson.source / "data").mkdir()
    (lesson.source / "data" / "poem.txt").write_text("하루 커피 최소 3잔\n", encoding="utf-8")
    with (lesson.source / "notebook.py").open("a", encoding="utf-8") as notebook:
        notebook.write('\n# %%\nprint((run.folder / "data" / "poem.txt").read_text(encoding="utf-8"))\n')
    found = grader(root, "check", "pairs", "--no-sandbox")
    assert found.returncode == 1, "a table that was never measured is not right"
    return root, found.stdout


@pytest.mark.grading_path
@pytest.mark.slow
def test_a_new_lesson_lacks_nothing_but_its_measured_table(checked: tuple[Path, str]) -> None:
    root, output = checked
    assert output.splitlines()[-2:] == ["never measured: bits_per_letter", "Next: grader calibrate pairs --seeds 12"]
    assert "week2_letters/pairs: released, nothing leaks" in output
    assert [step for step in "12345" if f"{step}. " not in output] == []
    assert (root / "weeks" / "week2_letters" / "pairs" / "mistakes.json").is_file()
    assert not (root / "weeks" / "week1_letters").exists(), "another week than the lesson's was built"
    assert (root / "solutions" / "week2_letters" / "pairs" / "audit.json").is_file()


@pytest.mark.grading_path
@pytest.mark.slow
def test_a_lessons_own_data_are_released_with_it_and_read_where_it_runs(checked: tuple[Path, str]) -> None:
    lesson = Course(checked[0]).lesson("pairs")
    released = lesson.released.with_suffix("") / "data" / "poem.txt"
    assert released.read_text(encoding="utf-8") == "하루 커피 최소 3잔\n"
    executed = next(lesson.run_folder("smoke", 0).glob("*.ipynb")).read_text(encoding="utf-8")
    assert "하루 커피 최소 3잔" in executed


def test_data_that_are_too_large_are_refused_with_where_they_belong(course: Course, tmp_path: Path) -> None:
    (lesson,) = course.lessons()
    (lesson.source / "data").mkdir()
    (lesson.source / "data" / "large.bin").write_bytes(bytes(source.MOST_DATA + 1))
    with pytest.raises(CourseError, match=r"register larger ones in data/registry\.csv"):
        source.copy_public(lesson, tmp_path / "public")
    assert not (tmp_path / "public").exists()


@pytest.mark.grading_path
@pytest.mark.slow
def test_submissions_are_graded_in_a_course_of_its_own(checked: tuple[Path, str]) -> None:
    root, _ = checked
    lesson = Course(root).lesson("pairs")
    right = source.exercises(source.read(lesson))
    for student, answers in (("ada", right), ("bo", {})):
        path = root / f"{student}.ipynb"
        path.write_text(json.dumps(source.filled(lesson, answers)), encoding="utf-8")
        graded = grader(root, "grade", path.name, "pairs", "--no-sandbox")
        found = Verdict.model_validate_json(graded.stdout)
        assert graded.returncode == 0, graded.stderr
        assert found.earned == (found.points if answers else 0.0), graded.stdout
        assert found.points == 4


# Stands for checks that ask for an object's identity: they pass only where nothing travels between processes.
IN_ONE_PROCESS = """

@exercise("letter_probabilities", needs="test_one_is_added_to_every_count")
def test_that_passes_in_one_process(student: Student) -> None:
    student.letter_probabilities("a", "ab")
    assert type(student).__name__ == "LiveStudent"
"""


@pytest.mark.grading_path
@pytest.mark.slow
def test_an_audit_finds_a_check_that_no_submission_could_pass(course: Course) -> None:
    (lesson,) = course.lessons()
    with (lesson.source / "hidden.py").open("a", encoding="utf-8") as hidden:
        hidden.write(IN_ONE_PROCESS)
    assert grader(course.root, "build").returncode == 0
    found = grader(course.root, "audit", "bits", "--no-sandbox")
    assert found.returncode == 1
    assert f"{lesson.id}: the reference of {lesson.id} does not run here as it should" in found.stdout
    assert "test_that_passes_in_one_process" in found.stdout
    assert not (lesson.source / "audit.json").exists()


def test_commands_find_the_course_around_the_working_folder(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course.lesson("bits").source)
    assert Course().root == course.root
    monkeypatch.chdir(tmp_path)
    assert Course().root == ROOT


def test_a_lesson_is_listed_in_its_week_and_the_rest_of_the_file_stays(course: Course) -> None:
    path = course.root / "course.toml"
    shutil.copy(ROOT / "course.toml", path)
    before = path.read_text(encoding="utf-8")
    for name in ("week1_embeddings/elmo", "week3_reading/last", "week9_far_away/first"):
        new_lesson(
            Course(course.root), name, title="A title:\n«more»", paper='Some "One" 2020, Work', link="https://x.org"
        )
    text = path.read_text(encoding="utf-8")
    assert [line for line in before.splitlines() if line not in text.splitlines()] == []
    assert "\n\n\n" not in text
    found = Course(course.root).lessons()
    new = {"week1_embeddings": ["week1_embeddings/elmo"], "week3_reading": ["week3_reading/last"]}
    expected = []
    for week in dict.fromkeys(lesson.week.name for lesson in Course(ROOT).lessons()):
        expected += [lesson.id for lesson in Course(ROOT).lessons(week)] + new.get(week, [])
    assert [lesson.id for lesson in found] == [*expected, "week9_far_away/first"]
    assert (found[-1].week.title, found[-1].entry.title) == ("Far away", "A title: «more»")
    for a, b in zip(tomllib.loads(before)["weeks"], tomllib.loads(text)["weeks"], strict=False):
        assert b["lessons"][: len(a["lessons"])] == a["lessons"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("week1_letters/bits", "is in course.toml already"),
        ("week1_letters/left", "exists, and course.toml has no such lesson"),
        ("letters/bits", "is no name of a lesson: write WEEK/LESSON"),
        ("week1_letters", "is no name of a lesson: write WEEK/LESSON"),
        ("week1_letters/Bits of it", "is no name of a lesson: write WEEK/LESSON"),
        ("week1_letters/../../bits", "is no name of a lesson: write WEEK/LESSON"),
    ],
)
def test_a_name_that_cannot_be_a_lessons_is_refused_in_a_sentence(course: Course, name: str, said: str) -> None:
    (course.root / "solutions" / "week1_letters" / "left").mkdir()
    before = (course.root / "course.toml").read_bytes()
    with pytest.raises(CourseError, match=said):
        new_lesson(course, name)
    assert (course.root / "course.toml").read_bytes() == before


def test_a_course_is_not_made_over_anything(course: Course) -> None:
    with pytest.raises(CourseError, match="is not empty"):
        new_course(course.root, "Another")
    with pytest.raises(CourseError, match="is not empty"):
        new_course(course.root / "course.toml", "Another")


def test_a_new_course_configures_nbgrader_as_this_one_does() -> None:
    template = ROOT / "grader" / "templates" / "course" / "nbgrader_config.py"
    assert template.read_bytes() == (ROOT / "nbgrader_config.py").read_bytes()


def write_rows(course: Course, *rows: table.Expected) -> None:
    table.write(course.lesson("bits").source / "expected.csv", list(rows))


def row(metric: str = "bits_per_letter", points: float = 0, low: float = 3.0, profile: str = "smoke") -> table.Expected:
    seeds = 0 if low != low else 12
    return table.Expected(metric, profile, 4.0, 0.1, seeds, low, 5.0 if seeds else low, "lower", points, "", "", "")


def rate(low: float = 3.0, wrong: int = 4, inside: int = 0, outside: int = 0) -> error_rates.ErrorRates:
    about = {"coverage": 0.99, "confidence": 0.95, "outside_most": 0.1, "lost": 0.0, "lost_most": 0.0, "provenance": ""}
    counts = {"fresh": 24, "outside": outside, "wrong": wrong, "failed": 0, "inside": inside, "untouched": 0}
    return error_rates.ErrorRates("bits_per_letter", "smoke", low, 5.0, **about, **counts, unseen="", inputs="")  # type: ignore[arg-type]


EMPTY = float("nan")


@pytest.mark.parametrize(
    ("rows", "rates", "fault", "step"),
    [
        ([row(low=EMPTY)], [], "never measured: bits_per_letter", "calibrate bits --seeds 12"),
        (
            [row(), row("guessed", points=1)],
            [],
            "that the grader does not compute: guessed",
            "compute them in hidden.py",
        ),
        ([row("spelled")], [], "metrics without a row for smoke: bits_per_letter", "write their rows"),
        ([row(points=1)], [], "no error rates on the table", "calibrate bits --errors"),
        ([row(points=1)], [rate(low=2.5)], "no error rates on the table", "calibrate bits --errors"),
        ([row(points=1)], [rate(wrong=3)], "no error rates on the table", "calibrate bits --errors"),
        ([row(points=1)], [rate(inside=4)], "blind or broken: bits_per_letter", "take their points away"),
        ([row(points=1)], [rate(outside=20)], "blind or broken: bits_per_letter", "take their points away"),
        ([row(), row(low=EMPTY, profile="cpu")], [], "", "calibrate bits --profile cpu"),
        ([row()], [], "", "no metric earns points"),
        ([row(points=1)], [rate()], "", "grader demo bits"),
    ],
)
def test_what_is_not_measured_comes_with_the_next_step(
    course: Course, rows: list[table.Expected], rates: list[error_rates.ErrorRates], fault: str, step: str
) -> None:
    write_rows(course, *rows)
    if rates:
        error_rates._write(course.lesson("bits").source / error_rates.FILE, rates)
    found = readiness.measured(course.lesson("bits"))
    assert (fault in found.fault, bool(found.fault)) == (True, bool(fault)), found
    assert step in found.step


def test_a_skeleton_that_does_something_is_named(course: Course) -> None:
    lesson = course.lesson("bits")
    readiness.try_skeleton(lesson)
    path = lesson.source / "notebook.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("    ### BEGIN", "    if not text:\n        return 1\n    ### BEGIN", 1), encoding="utf-8"
    )
    with pytest.raises(CourseError, match="test_without_a_text_all_letters_are_equally_probable: failed"):
        readiness.try_skeleton(lesson)


def test_the_readme_lists_every_lesson_of_the_course() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.partition(lesson_table.BEGIN)[2].partition(lesson_table.END)[0]
    assert block.strip() == lesson_table.rendered(Course(ROOT)), "run `grader build`"


def test_a_readme_with_marks_gets_the_table_between_them(course: Course) -> None:
    path = course.root / "README.md"
    assert not lesson_table.update(course), "there is no README"
    path.write_text(f"Before\n{lesson_table.BEGIN}\nold\n{lesson_table.END}\nAfter\n", encoding="utf-8")
    assert lesson_table.update(course)
    text = path.read_text(encoding="utf-8")
    assert "[Bits: how much a letter tells](weeks/week1_letters/bits.ipynb) | [Shannon 1951](https://doi.org/" in text
    assert (text[:7], text[-7:], "old" in text) == ("Before\n", "\nAfter\n", False)
    assert not lesson_table.update(course), "it is right already"
    path.write_text("Without marks", encoding="utf-8")
    assert not lesson_table.update(course)
