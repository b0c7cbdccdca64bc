"""The points that a test cell of an nbgrader course gives by the number it ends with."""

import pytest
from nbformat.v4 import new_code_cell, new_output

from grader.grading.cell_scores import partial_credit


def ended_with(*texts: str) -> float | None:
    outputs = [new_output("execute_result", data={"text/plain": text}) for text in texts]
    return partial_credit(new_code_cell(outputs=outputs), 3)


@pytest.mark.parametrize(("text", "points"), [("2", 2), ("5", 3), ("-1", 0), ("nan", 0), ("'two'", None)])
def test_a_number_gives_points_between_none_and_all(text: str, points: float | None) -> None:
    assert ended_with(text) == points


def test_the_last_number_counts_and_not_one_that_was_shown_before() -> None:
    assert ended_with("3", "0") == 0


def test_a_cell_that_shows_no_number_gives_all() -> None:
    assert ended_with() is None
