"""A course whose week week1_words has small lessons of one exercise, check, worth four points; built in seconds."""

from __future__ import annotations

from pathlib import Path

from small import course_file

from etude.lesson import table
from grader.course import Course
from grader.release.build import build

WEEK = "week1_words"
NOTEBOOK = """# %% tags=["parameters"]
profile, seed, device, out = "smoke", 0, "cpu", "results"

# %% tags=["setup"]
import etude
from etude import check
run = etude.start("{lesson}", profile=profile, seed=seed, device=device, out=out)

# %% exercise="check"
def check_it(word):
    ### BEGIN SOLUTION
    return len(word)
    ### END SOLUTION

# %%
check("check")
"""
CHECKS = """from etude.lesson.checks import equal, exercise

@exercise("check", points=4)
def test_letters_are_counted(student):
    equal(student.check_it("word"), 4)
"""


def words_course(root: Path, *lessons: str) -> Course:
    """Makes the course at `root` with these lessons and builds it."""
    for name in lessons:
        source = root / "solutions" / WEEK / name
        source.mkdir(parents=True)
        files = {"notebook.py": NOTEBOOK.format(lesson=f"{WEEK}/{name}"), "checks.py": CHECKS}
        for file, text in {**files, "hidden.py": "", "bank.py": ""}.items():
            (source / file).write_text(text, encoding="utf-8")
        table.write(source / "expected.csv", [])
    course = with_lessons(root, *lessons)
    build(course, course.lessons(), say=lambda text: None)
    return course


def with_lessons(root: Path, *lessons: str) -> Course:
    """Lets the course have these of its lessons."""
    (root / "course.toml").write_text(course_file(*lessons), encoding="utf-8")
    return Course(root)
