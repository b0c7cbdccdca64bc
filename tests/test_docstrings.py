"""A docstring says first what the function does for its caller: it begins with a verb in the third person."""

from __future__ import annotations

import pytest
from docstrings import ROOT, begins_with_verb, fields_in_prose, files, without_verb


@pytest.mark.parametrize("path", files())
def test_docstrings_of_functions_begin_with_a_verb_in_the_third_person(path: str) -> None:
    others = without_verb((ROOT / path).read_text(encoding="utf-8"))
    assert not others, "\n".join([f"{path} has docstrings that begin otherwise:", *others])


@pytest.mark.parametrize("path", files())
def test_fields_are_explained_under_attributes(path: str) -> None:
    assert fields_in_prose((ROOT / path).read_text(encoding="utf-8")) == []


def test_a_field_explained_in_prose_is_seen() -> None:
    source = '''
class Interval:
    """An interval. low: where it begins; high: where it ends.

    Attributes:
        kind: open or closed.
    """
    low: float
    high: float
    kind: str
'''
    assert fields_in_prose(source) == ["Interval.low", "Interval.high"]


@pytest.mark.parametrize(
    "docstring",
    ["Hashes the parts.", "Tells whether it is.", "Names the processor.", "Says that it ran.", "Does nothing."],
)
def test_a_verb_in_the_third_person_is_seen(docstring: str) -> None:
    assert begins_with_verb(docstring)


@pytest.mark.parametrize(
    "docstring",
    [
        "The hash of the parts.",
        "What the check saw.",
        "Whether it is.",
        "Hash the parts.",
        "This hashes the parts.",
        "Process the parts.",
        "Seconds of CPU time.",
        "Names of the parts.",
        "Words: letters alone.",
        "BERT's rules.",
        "(name, value) of each part.",
        "",
    ],
)
def test_what_is_no_verb_in_the_third_person_is_refused(docstring: str) -> None:
    assert not begins_with_verb(docstring)


def test_functions_and_methods_are_named_and_properties_and_fixtures_left_out() -> None:
    source = '''
def area(side):
    """The area."""
    def nested():
        """The nested one."""

class Square:
    """A square."""
    async def grow(self):
        """Grow it."""
    @cached_property
    def side(self):
        """The side."""
    def shrink(self):
        """Shrinks it."""

@pytest.fixture(scope="module")
def square():
    """A square."""
'''
    named = ["area: The area. ...", "area.nested: The nested one. ...", "Square.grow: Grow it. ..."]
    assert without_verb(source) == named


def test_what_a_command_line_shows_is_left_out() -> None:
    paths = files()
    assert {"etude/lesson/check.py", "grader/course.py"} <= set(paths)
    assert not {"etude/cli.py", "grader/cli/author.py", "grader/templates/lesson/bank.py"} & set(paths)
