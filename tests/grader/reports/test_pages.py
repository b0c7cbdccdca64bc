"""The pages of a class and of a student, as files: what late days took stands there, and names make safe file names."""

from __future__ import annotations

from pathlib import Path

from bs4 import BeautifulSoup
from small import course_file
from verdicts import exercise, graded

from grader.course import Course
from grader.nbgrader.gradebook import Score
from grader.nbgrader.lateness import Lateness
from grader.reports import class_page, student_page
from grader.reports.gathered import LessonClass
from grader.reports.pages import student_file

WHY = "Handed in two days late; 20 % of the points are taken away."


def one_lesson(root: Path) -> tuple[Course, LessonClass]:
    """A class of one student, who earned 4 of 5 points and 3 of 5 of a person, and was late."""
    (root / "course.toml").write_text(course_file("one"), encoding="utf-8")
    course = Course(root)
    lesson = course.lesson("one")
    verdict = graded("ada", lesson.id, exercises=[exercise("it", 4, 5)])
    score = Score("ada", "week1_words", "one", 7, 10, False, penalty=1.4, late=Lateness(0.2, WHY))
    return course, LessonClass(lesson, [verdict], [], [], {"ada": score})


def text(path: Path) -> str:
    return " ".join(BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").get_text(" ").split())


def test_a_students_score_is_made_of_automatic_points_read_ones_and_what_late_days_took(tmp_path: Path) -> None:
    course, one = one_lesson(tmp_path)
    [path] = student_page.write(course, [one], tmp_path)
    assert path == tmp_path / "students" / "ada.html"
    assert "4.0 of 5 3.0 of 5 −1.4 5.6 of 10" in text(path)
    assert WHY in text(path)


def test_the_class_page_says_who_was_late_and_why(tmp_path: Path) -> None:
    course, one = one_lesson(tmp_path)
    assert f"ada Words {WHY}" in text(class_page.write(course, [one], tmp_path))


def test_pages_of_students_who_are_gone_go(tmp_path: Path) -> None:
    course, one = one_lesson(tmp_path)
    (tmp_path / "students").mkdir()
    (tmp_path / "students" / "gone.html").touch()
    student_page.write(course, [one], tmp_path)
    assert [path.name for path in (tmp_path / "students").iterdir()] == ["ada.html"]


def test_a_class_of_nobody_has_a_page(tmp_path: Path) -> None:
    course, one = one_lesson(tmp_path)
    nobody = LessonClass(one.lesson, [], [], [], {})
    assert "0 students" in text(class_page.write(course, [nobody], tmp_path))


def test_a_name_is_a_files_name_only_if_it_is_plain() -> None:
    assert student_file("kim-ada_유나") == "kim-ada_유나.html"
    for hostile in ("../../etc/passwd", "a/b", "<script>", "x" * 300, "", "\udcff", "javascript:alert(1)"):
        assert len(student_file(hostile)) == 25
        assert student_file(hostile).removesuffix(".html").isalnum()
