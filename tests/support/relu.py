"""A course of one small lesson with one exercise, relu, whose audit takes seconds and finds no fault."""

from __future__ import annotations

from pathlib import Path

from grader.course import Course, Lesson

COURSE = """
title = "A small course"
limits = {cell_seconds = 10, notebook_seconds = 10, memory_mb = 4096}
[[weeks]]
name = "week1_small"
title = "Small"
[[weeks.lessons]]
name = "relu"
title = "Relu"
paper = "None"
link = "https://example.org"
minutes = 1
"""
NOTEBOOK = '''
# %% tags=["setup"]
import math

# %% exercise="relu"
def relu(xs):
    """Each x where it is positive, else 0."""
    ### BEGIN SOLUTION
    return [x if x > 0 else 0 for x in xs]
    ### END SOLUTION

# %%
check("relu")
'''
CHECKS = """
from etude.lesson.checks import equal, exercise

@exercise("relu", needs="test_negative_numbers_become_0")
def test_positive_numbers_stay(student):
    equal(student.relu([2, 1]), [2, 1])

@exercise("relu")
def test_negative_numbers_become_0(student):
    equal(student.relu([-3]), [0])
"""
HIDDEN = """
from etude.lesson.checks import equal, exercise

@exercise("relu")
def test_small_numbers_count_too(student):
    equal(student.relu([-0.5, 0.5] * 6), [0, 0.5] * 6)
"""
BANK = """
from grader.lessons.bank import alternative, edit, equivalent, mistake

edit("relu", "absolute", {"x if x > 0 else 0": "abs(x)"}, "the absolute value", "test_negative_numbers_become_0")
edit("relu", "turned-round", {"x if x > 0": "-x if x < 0"}, "the sign is turned round", "test_positive_numbers_stay")

@mistake("relu", "left-out", "negative numbers are left out", "test_negative_numbers_become_0")
def relu(xs):
    return [x for x in xs if x > 0]

@mistake("relu", "rounded", "numbers are rounded", "test_small_numbers_count_too")
def relu(xs):
    return [max(0, int(x)) for x in xs]

@alternative("relu", "maximum")
def relu(xs):
    return [max(x, 0) for x in xs]

@alternative("relu", "one-loop")
def relu(xs):
    found = []
    for x in xs:
        found.append(0 if x < 0 else x)
    return found

equivalent("relu", "1: x if x > 0 else 0 → x if x >= 0 else 0", "at 0 both give 0")
"""


def write(root: Path, bank: str = BANK, checks: str = CHECKS, notebook: str = NOTEBOOK) -> Lesson:
    """Writes the course below `root`, as if its public checks had been released."""
    (root / "course.toml").write_text(COURSE, encoding="utf-8")
    lesson = Course(root).lesson("relu")
    public = lesson.released.with_suffix("")
    for folder in (lesson.source, public):
        folder.mkdir(parents=True)
    written = {"notebook.py": notebook, "checks.py": checks, "hidden.py": HIDDEN, "bank.py": bank}
    for name, text in written.items():
        (lesson.source / name).write_text(text, encoding="utf-8")
    (public / "checks.py").write_text(checks, encoding="utf-8")
    return lesson
