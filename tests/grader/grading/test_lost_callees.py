"""Points lost by what an exercise calls: a sentence on that, in place of a mistake that its own code may not hold."""

from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode

from grader.course import Lesson
from grader.grading import lost_callees
from grader.grading.scoring import Scored
from grader.grading.suite import Suite
from grader.grading.verdict import CheckResult, ExerciseResult


def scored(name: str, points: float) -> ExerciseResult:
    """An exercise that earned so many of 2 points, of which a mistake is named."""
    about: dict[str, Any] = {"name": "test_it", "title": "it", "hidden": True, "points": 2}
    check = CheckResult(**about, status="passed", partial=points) if points else CheckResult(**about, status="failed")
    return ExerciseResult(name=name, checks=[check], diagnosis="the loss climbs")


def notebook_of(lesson: Lesson, caller: str) -> NotebookNode:
    notebook: NotebookNode = nbformat.read(lesson.released, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "train_sgns":
            cell.source = caller
    return notebook


def found(word2vec: Lesson, caller: str, earned: dict[str, float]) -> ExerciseResult:
    """What is found of train_sgns, which is written as `caller`, where of 2 points each exercise earned so many."""
    named = lost_callees.with_causes([scored(*one) for one in earned.items()], notebook_of(word2vec, caller))
    return next(one for one in named if one.name == "train_sgns")


CALLER = "def train_sgns(pairs):\n    return sgns_loss(noise_distribution(pairs))"
ONE_LINE = "def train_sgns(a): return sgns_loss("


@pytest.mark.parametrize(
    ("earned", "sentence"),
    [
        (
            {"sgns_loss": 0, "train_sgns": 1},
            "Your `train_sgns` calls `sgns_loss`, which lost points, too: mend that first.",
        ),
        (
            {"noise_distribution": 1, "sgns_loss": 0, "train_sgns": 0},
            "Your `train_sgns` calls `noise_distribution` and `sgns_loss`, which lost points, too: mend these first.",
        ),
    ],
)
def test_the_cause_is_told_in_place_of_a_mistake(word2vec: Lesson, earned: dict[str, float], sentence: str) -> None:
    caller = found(word2vec, CALLER, earned)
    assert (caller.cause, caller.diagnosis) == (sentence, None)


def test_the_callee_keeps_its_own_mistake(word2vec: Lesson) -> None:
    both = [scored("sgns_loss", 0), scored("train_sgns", 0)]
    callee, _ = lost_callees.with_causes(both, notebook_of(word2vec, CALLER))
    assert (callee.cause, callee.diagnosis) == ("", "the loss climbs")


def test_a_call_in_a_helper_in_a_method_or_in_a_list_is_one(word2vec: Lesson) -> None:
    for caller in (
        "def helper(n): return sgns_loss(n)\ndef train_sgns(n): return helper(n)",
        "class train_sgns:\n    def forward(self, n): return sgns_loss(n)",
        "def train_sgns(n): return [sgns_loss(one) for one in n]",
        "train_sgns = lambda n: sgns_loss(n)",
        ONE_LINE + "1)",
    ):
        assert "calls `sgns_loss`" in found(word2vec, caller, {"sgns_loss": 0, "train_sgns": 0}).cause, caller


@pytest.mark.parametrize(
    ("caller", "earned"),
    [
        (CALLER, {"sgns_loss": 2, "train_sgns": 0}),
        (CALLER, {"sgns_loss": 0, "train_sgns": 2}),
        ("def train_sgns(n):\n    return train_sgns(n - 1)", {"sgns_loss": 0, "train_sgns": 0}),
        ("def train_sgns(sgns_loss):\n    return sgns_loss()", {"sgns_loss": 0, "train_sgns": 0}),
        ("def train_sgns(model):\n    return model.sgns_loss()", {"sgns_loss": 0, "train_sgns": 0}),
        ("def train_sgns(:\n sgns_loss", {"sgns_loss": 0, "train_sgns": 0}),
        ("def train_sgns(n) -> sgns_loss:\n    return n", {"sgns_loss": 0, "train_sgns": 0}),
        ("def train_sgns(loss=sgns_loss):\n    return loss()", {"sgns_loss": 0, "train_sgns": 0}),
        ("def train_sgns(n):\n    return n\nprint(sgns_loss(1))", {"sgns_loss": 0, "train_sgns": 0}),
        (
            "def train_sgns(n):\n    def sgns_loss(): return n\n    return sgns_loss()",
            {"sgns_loss": 0, "train_sgns": 0},
        ),
        (ONE_LINE + "(" * 9999, {"sgns_loss": 0, "train_sgns": 0}),
        (ONE_LINE + "-" * 15_000 + "1)", {"sgns_loss": 0, "train_sgns": 0}),
        (ONE_LINE + "a" + "\u0327\u0301" * 5000 + ")", {"sgns_loss": 0, "train_sgns": 0}),
        ("def train_sgns(a):\n" + " sgns_loss(1)\n" * 5000, {"sgns_loss": 0, "train_sgns": 0}),
        ("\0" + ONE_LINE + "1)", {"sgns_loss": 0, "train_sgns": 0}),
    ],
)
def test_of_what_an_exercise_does_not_call_or_is_right_nothing_is_said(
    word2vec: Lesson, caller: str, earned: dict[str, float]
) -> None:
    alone = found(word2vec, caller, earned)
    assert (alone.cause, alone.diagnosis) == ("", "the loss climbs")


def test_where_the_notebook_did_not_run_to_its_end_no_callee_is_blamed(word2vec: Lesson) -> None:
    suite, notebook = Suite.of(word2vec), notebook_of(word2vec, CALLER)
    ended = Scored(word2vec, suite, "smoke", "its process ended").exercises()  # nothing was asked: all points are lost
    assert not any(one.cause for one in ended)
    run = Scored(word2vec, suite, "smoke", "", notebook=notebook).exercises()
    assert [one.name for one in run if one.cause] == ["train_sgns"]
