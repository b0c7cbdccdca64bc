"""The release: current, without solutions, and refused when it would leak."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from words_course import WEEK, with_lessons, words_course

from etude.lesson import table
from grader.course import Course, CourseError, Lesson
from grader.lessons import source
from grader.quality import reference
from grader.release.build import build, master, write_master
from grader.release.leak_checks import Leak, prove_release

pytestmark = pytest.mark.slow


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_committed_weeks_are_what_the_sources_give(course: Course, course_copy: Course) -> None:
    build(course_copy, course_copy.lessons(), say=lambda text: None)
    built = {
        path.relative_to(course_copy.root): path.read_bytes()
        for path in (course_copy.root / "weeks").rglob("*")
        if path.is_file()
    }
    kept = {
        path.relative_to(course.root): path.read_bytes()
        for path in (course.root / "weeks").rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        and ".ipynb_checkpoints" not in path.parts
        and "results" not in path.parts
    }
    assert kept.keys() == {path for path in built if path.suffix != ".pyc"}
    assert [str(path) for path in kept if kept[path] != built[path]] == []


def test_a_build_during_which_a_source_changes_does_not_count(course_copy: Course) -> None:
    lesson = course_copy.lesson("week3_reading/tables")
    said: list[str] = []

    def change(text: str) -> None:
        with (lesson.source / "bank.py").open("a", encoding="utf-8") as bank:
            bank.write("LATER = 0\n")

    with pytest.raises(CourseError, match="changed while it was built"):
        build(course_copy, [lesson], say=change)
    build(course_copy, [lesson], say=said.append)
    assert "unchanged" not in said[0]
    build(course_copy, [lesson], say=said.append)
    assert "unchanged" in said[-1]


def test_a_lesson_that_is_taken_out_leaves_nothing_of_what_was_made_for_it(tmp_path: Path) -> None:
    course = words_course(tmp_path, "one", "two")
    made = [course.build / "source" / WEEK, tmp_path / "weeks" / WEEK]
    assert [(folder / "two.ipynb").is_file() and (folder / "two").is_dir() for folder in made] == [True, True]
    less, said = with_lessons(tmp_path, "one"), list[str]()
    build(less, less.lessons(), say=said.append)
    assert "unchanged" not in said[0]
    assert [sorted(path.name for path in folder.iterdir()) for folder in made] == [["one", "one.ipynb"]] * 2


def test_a_kill_while_a_lesson_is_taken_out_leaves_nothing_that_the_next_build_does_not_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = words_course(tmp_path, "one", "two")
    less, folder = with_lessons(tmp_path, "one"), course.build / "source" / WEEK
    unlink, rmtree = Path.unlink, shutil.rmtree

    def then_killed(remove: Callable[..., None]) -> Callable[..., None]:
        def removed(path: Path, *args: object, **options: object) -> None:
            remove(path, *args, **options)
            if path.parent == folder:
                raise KeyboardInterrupt

        return removed

    with monkeypatch.context() as killed:
        killed.setattr(Path, "unlink", then_killed(unlink))
        killed.setattr(shutil, "rmtree", then_killed(rmtree))
        with pytest.raises(KeyboardInterrupt):
            build(less, less.lessons(), say=lambda text: None)
    build(less, less.lessons(), say=lambda text: None)
    assert sorted(path.name for path in folder.iterdir()) == ["one", "one.ipynb"]


def test_every_lesson_proves_that_nothing_leaks(course: Course) -> None:
    for lesson in course.lessons():
        prove_release(lesson)


def test_a_cell_that_is_not_the_sources_is_refused(course_copy: Course) -> None:
    lesson = course_copy.lesson("word2vec")
    notebook = nbformat.read(lesson.released, as_version=4)
    notebook.cells[0].source += "\nHint: look at the counts."
    nbformat.write(notebook, lesson.released)
    with pytest.raises(CourseError, match="differs from the source"):
        prove_release(lesson)


def test_a_line_of_a_solution_in_a_released_file_is_a_leak(course_copy: Course) -> None:
    lesson = course_copy.lesson("word2vec")
    inside = source.split_solution(source.exercises(source.read(lesson))["train_sgns"])[1]
    line = max(inside, key=len).strip()
    edit(lesson.released.with_suffix("") / "checks.py", '"""word2vec', f'"""{line} word2vec')
    with pytest.raises(Leak, match=r"checks\.py holds"):
        prove_release(lesson)


def test_the_name_of_a_hidden_check_in_the_release_is_a_leak(course_copy: Course) -> None:
    lesson = course_copy.lesson("word2vec")
    edit(lesson.released.with_suffix("") / "checks.py", '"""word2vec', '"""test_another_power_is_obeyed')
    with pytest.raises(Leak, match="test_another_power_is_obeyed"):
        prove_release(lesson)


def test_an_output_in_the_release_is_a_leak(course_copy: Course) -> None:
    lesson = course_copy.lesson("word2vec")
    notebook = nbformat.read(lesson.released, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
    cell.outputs = [nbformat.v4.new_output("stream", text="0.91")]
    nbformat.write(notebook, lesson.released)
    with pytest.raises(Leak, match="holds outputs"):
        prove_release(lesson)


def test_another_file_in_the_release_is_a_leak(course_copy: Course) -> None:
    lesson = course_copy.lesson("word2vec")
    (lesson.released.with_suffix("") / "hidden.py").write_text("")
    with pytest.raises(Leak, match=r"hidden\.py"):
        prove_release(lesson)


def test_two_cells_of_one_name_are_refused(course_copy: Course) -> None:
    lesson = course_copy.lesson("word2vec")
    edit(lesson.source / "notebook.py", 'exercise="sgns_loss"', 'exercise="setup"')
    edit(lesson.source / "notebook.py", 'check("sgns_loss")', 'check("setup")')
    for name in ("checks.py", "hidden.py"):
        text = (lesson.source / name).read_text(encoding="utf-8")
        (lesson.source / name).write_text(text.replace('@exercise("sgns_loss"', '@exercise("setup"'), encoding="utf-8")
    with pytest.raises(CourseError, match="two cells are called 'setup'"):
        master(lesson)


def test_a_master_older_than_its_source_is_made_anew(course_copy: Course) -> None:
    lesson = course_copy.lesson("word2vec")
    assert reference._out_of_date(lesson)
    write_master(lesson)
    assert not reference._out_of_date(lesson)
    made = lesson.master.stat().st_mtime_ns
    os.utime(lesson.source / "notebook.py", ns=(made + 1, made + 1))
    assert reference._out_of_date(lesson)


def test_an_exercise_without_a_check_cell_is_refused(course_copy: Course) -> None:
    lesson = course_copy.lesson("word2vec")
    edit(lesson.source / "notebook.py", 'check("analogy")', "1 + 1")
    with pytest.raises(CourseError, match="each exercise needs one check"):
        master(lesson)


def test_an_exercise_with_an_open_solution_is_refused(course_copy: Course) -> None:
    lesson = course_copy.lesson("word2vec")
    edit(lesson.source / "notebook.py", "    ### END SOLUTION\n", "")
    with pytest.raises(CourseError, match="END SOLUTION"):
        master(lesson)


def test_points_of_check_cells_are_those_of_their_checks(word2vec: Lesson) -> None:
    points = {
        cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader.points
        for cell in master(word2vec).cells
        if cell.metadata.get("nbgrader", {}).get("grade")
    }
    checks = [check.points for check in source.checks(word2vec) if check.exercise == "sgns_loss"]
    assert points["check_sgns_loss"] == sum(checks) > 0


def test_a_course_file_that_makes_no_sense_is_named(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"course\.toml is missing"):
        Course(tmp_path).lessons()
    (tmp_path / "course.toml").write_text('title = "x"\nweeks = 3\n')
    with pytest.raises(CourseError, match="is not right"):
        Course(tmp_path).lessons()


def test_an_unknown_lesson_is_answered_with_those_that_exist(course: Course) -> None:
    with pytest.raises(CourseError, match="week1_embeddings/word2vec"):
        course.lessons("week9")


def test_points_for_a_metric_that_was_never_measured_are_refused(course_copy: Course) -> None:
    lesson = course_copy.lesson("word2vec")
    path = lesson.source / "expected.csv"
    rows = [replace(row, seeds=0) if row.metric == "similarity_en" else row for row in table.read(path)]
    table.write(path, rows)
    with pytest.raises(CourseError, match="similarity_en earn points but were never measured"):
        build(course_copy, [lesson], say=lambda text: None)


def test_a_limit_that_does_not_exist_is_named(course_copy: Course) -> None:
    edit(course_copy.root / "course.toml", "limits = { times = 60 }", "limits = { memory = 4096 }")
    with pytest.raises(CourseError, match="did you mean 'memory_mb'"):
        _ = course_copy.lesson("word2vec").sandbox_limits
