"""Every exercise of the course has a hidden check on inputs drawn from the submission's seed."""

import ast

import pytest

from grader.course import Course, Lesson
from grader.lessons import source


def takes_nothing(name: str, code: str) -> bool:
    """Tells whether the exercise is a function without parameters, or no function: there is nothing to draw."""
    functions = [node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    named = next((node for node in functions if node.name == name), None)
    return named is None or (isinstance(named, ast.FunctionDef) and not named.args.args)


@pytest.mark.parametrize("lesson", Course().lessons(), ids=lambda lesson: lesson.name)
def test_every_exercise_is_tried_on_drawn_inputs(lesson: Lesson) -> None:
    drawn = {check.exercise for check in source.checks(lesson) if check.function.__qualname__.startswith("for_all.")}
    cells = source.exercises(source.read(lesson))
    assert [name for name, code in cells.items() if name not in drawn and not takes_nothing(name, code)] == []
