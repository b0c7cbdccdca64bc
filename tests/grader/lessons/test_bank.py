"""A bank: what an edit gives, what is wrong with one, and that the course's banks can be read."""

from pathlib import Path

import pytest
import relu
from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course, CourseError, Lesson
from grader.lessons import bank

IMPORT = "from grader.lessons.bank import alternative, edit, equivalent, mistake\n"
REFERENCE = 'def relu(xs):\n    """Each x where it is positive, else 0."""\n    return [x if x > 0 else 0 for x in xs]'


def read(root: Path, text: str) -> list[bank.Answer]:
    return bank.load(relu.write(root, IMPORT + text))


def test_an_edit_is_the_reference_with_one_text_replaced(tmp_path: Path) -> None:
    (answer,) = read(tmp_path, 'edit("relu", "absolute", {"x if x > 0 else 0": "abs(x)"}, "it is", "test_it")')
    assert answer.code == REFERENCE.replace("x if x > 0 else 0", "abs(x)")
    assert (answer.label, answer.sentence, answer.killed_by) == ("relu/absolute", "it is", "test_it")


def test_an_edit_may_be_of_another_answer(tmp_path: Path) -> None:
    text = """
@alternative("relu", "maximum")
def relu(xs):
    return [max(x, 0) for x in xs]  # the larger

edit("relu", "minimum", {"max(": "min("}, "the smaller", of="maximum")
edit("relu", "smaller-than-1", {"0": "1"}, "the smaller of 1", of="minimum")
"""
    answers = read(tmp_path, text)
    assert [answer.code.splitlines()[1] for answer in answers] == [
        "    return [max(x, 0) for x in xs]  # the larger",
        "    return [min(x, 0) for x in xs]  # the larger",
        "    return [min(x, 1) for x in xs]  # the larger",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"y": "x"}, "s"',
            "relu/one, an edit of the reference: 'y' stands there 0 times, and should stand there once",
        ),
        ('{"x > 0": "1", "xs": "x"}, "s"', "relu/one, an edit of the reference: 'xs' stands there 2 times"),
        ('{"x if x": "x", "if x > 0": "if x"}, "s"', "the text that becomes 'if x' overlaps with another"),
        ('{"for x": "of x"}, "s"', "relu/one, an edit of the reference: the result is no Python"),
        ('{"x > 0": "x"}, "s", of="maximum"', "relu/maximum does not stand above its edit"),
    ],
)
def test_an_edit_that_does_not_fit_is_an_error_that_names_it(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CourseError) as error:
        read(tmp_path, f'edit("relu", "one", {text})')
    assert message in str(error.value)
    assert "week1_small/relu/bank.py" in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('edit("sigmoid", "one", {}, "s")', "there is no exercise 'sigmoid'; there are relu"),
        ('equivalent("sigmoid", "1: x → y", "why")', "there is no exercise 'sigmoid'; there are relu"),
        ('edit("relu", "One answer", {"x > 0": "x"}, "s")', "relu/One answer: a slug is a few lower-case words"),
        ('edit("relu", "one", {"x > 0": "x"}, "s")\n' * 2, "relu/one stands twice"),
    ],
)
def test_a_bank_that_cannot_be_read_says_why(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CourseError, match=message):
        read(tmp_path, text)


def test_the_digest_of_an_answer_is_that_of_its_code_alone() -> None:
    def digest(code: str) -> str:
        return bank.Answer("f", "a", "s", None, code).digest

    one = digest('def f():\n    """One."""\n    return 1')
    assert one == digest('def f():\n    """1."""\n    return  1  # one')
    assert one != digest('def f():\n    """One."""\n    return 2')


LINES = st.lists(st.tuples(st.integers(), st.none() | st.integers()), min_size=1, max_size=8)


@given(LINES)
def test_edits_are_replacements_one_after_another(lines: list[tuple[int, int | None]]) -> None:
    """Each line is a number, and the one that it becomes, if any."""
    code = "\n".join(f"x{place}_ = {number}, None" for place, (number, _) in enumerate(lines))
    edits = {f"x{p}_ = {old},": f"x{p}_ = {new}," for p, (old, new) in enumerate(lines) if new is not None}
    replaced = code
    for old, new in edits.items():
        replaced = replaced.replace(old, new)
    assert bank.edited(code, edits) == replaced


@pytest.mark.parametrize("lesson", Course().lessons(), ids=lambda lesson: lesson.id)
def test_every_edit_of_a_bank_applies_and_no_two_answers_are_the_same(lesson: Lesson) -> None:
    answers = bank.load(lesson)
    twins: dict[tuple[str, str], list[str]] = {}
    for answer in answers:
        twins.setdefault((answer.exercise, answer.digest), []).append(answer.slug)
    assert [slugs for slugs in twins.values() if len(slugs) > 1] == []
