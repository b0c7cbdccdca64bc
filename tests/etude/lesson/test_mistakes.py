"""Diagnosis: a classic mistake is named by what it gives, up to rounding, and a right answer is never named one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from etude.lesson.checks import Check, Outcome, close, equal, run_check, true
from etude.lesson.mistakes import MOST_NUMBERS, alike, diagnose, fingerprint, load
from etude.lesson.student import LiveStudent

EXPECTED = torch.tensor([[0.5, 0.5], [0.2, 0.8]])


def outcome(
    actual: Any, expected: object = None, comparison: Callable[..., None] = equal, name: str = "test_it"
) -> Outcome:
    """What a check makes of a student's value."""

    def function(student: Any) -> None:
        comparison(student.f(), expected)

    return run_check(Check(name, "it", 1, function), LiveStudent({"f": lambda: actual}))


def known(sentence: str, *outcomes: Outcome) -> dict[str, Any]:
    """A row of mistakes.json, as it comes back from the file."""
    row: dict[str, Any] = json.loads(
        json.dumps({"sentence": sentence, "outcomes": {o.check.name: fingerprint(o) for o in outcomes}})
    )
    return row


def softmax_answers(actual: torch.Tensor) -> list[Outcome]:
    return [outcome(actual, EXPECTED, close, "test_values"), outcome(actual.sum().item() > 3, False, equal, "test_sum")]


MISTAKES = [
    known("the softmax is taken over the columns", *softmax_answers(EXPECTED.T)),
    known("the sum is not taken out", *softmax_answers(EXPECTED * 3)),
    known("the scores are not divided", *softmax_answers(torch.tensor([[0.9, 0.1], [0.1, 0.9]]))),
]


@pytest.mark.parametrize(
    ("actual", "sentence"),
    [
        (EXPECTED, None),
        (EXPECTED + 1e-7, None),
        (EXPECTED.T, "the softmax is taken over the columns"),
        (EXPECTED.T * (1 + 2e-4), "the softmax is taken over the columns"),
        (EXPECTED.double() * 3, "the sum is not taken out"),
        (EXPECTED * 3.1, None),
        (EXPECTED[0], None),
    ],
)
def test_each_mistake_has_its_own_sentence_and_any_other_answer_none(actual: Any, sentence: str | None) -> None:
    assert diagnose(softmax_answers(actual), MISTAKES) == sentence


numbers = st.lists(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2), max_size=4).map(np.array)


@given(numbers)
def test_where_every_check_passes_no_mistake_is_named(array: np.ndarray) -> None:
    right = outcome(array, array, close)
    assert diagnose([right], [known("anything that passes", right)]) is None
    assert diagnose([], [known("nothing at all")]) is None


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9), st.floats(-3e-4, 3e-4))
def test_a_mistake_is_known_again_up_to_rounding(values: list[float], error: float) -> None:
    array = np.array(values)
    seen = outcome(array * (1 + error), array + 1 + abs(array), close)
    assert diagnose([seen], [known("too small", outcome(array, array + 1 + abs(array), close))]) == "too small"


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9), st.integers(0, 8), st.floats(0.01, 10))
def test_two_mistakes_that_differ_in_one_number_are_told_apart(values: list[float], place: int, part: float) -> None:
    other = np.array(values)
    other[place % len(values)] += part * (1 + abs(other[place % len(values)]))
    one, two = (fingerprint(outcome(x, np.full(len(values), np.nan), close)) for x in (np.array(values), other))
    assert not alike(one, two)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("seoul", "busan"),
        ([("a", "b")], [("b", "a")]),
        ([1, 2], [2, 1]),
        ([1.0], 1.0),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (torch.zeros(2), [0.0, 0.0]),
        ([("seoul", 0.5)], [("busan", 0.5)]),
        ([("seoul", 0.5)], [("seoul", 0.6)]),
        ([("seoul", 0.5)], [("seoul", 1)]),
        ({"a": [1.5]}, {"b": [1.5]}),
        ({"a", "b"}, {"a", "c"}),
        ([torch.zeros(2), "a"], [torch.ones(2), "a"]),
        (torch.tensor([torch.nan, 1.0]), torch.tensor([0.0, 1.0])),
        (torch.tensor([-torch.inf, 1.0]), torch.tensor([torch.inf, 1.0])),
        (1 + 2j, 1 - 2j),
        ("a" * 300 + "x", "a" * 300 + "y"),
        (None, 0),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_that_differ_have_fingerprints_that_differ(one: object, other: object) -> None:
    first, second = (json.loads(json.dumps(fingerprint(outcome(value, object())))) for value in (one, other))
    assert alike(first, first)
    assert not alike(first, second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([("seoul", 0.5), ("busan", 0.25)], [("seoul", 0.50001), ("busan", 0.25)]),
        ({"a": torch.ones(2)}, {"a": torch.ones(2) * 1.0001}),
        ([np.float64(1.5), "a"], [1.5, "a"]),
        ([np.int64(3), "a"], [3, "a"]),
        ({"b", "a"}, {"a", "b"}),
        (frozenset({"b", "a"}), {"a", "b"}),
        ({"눈": 0.5, "배": [1.5]}, {"배": [1.5], "눈": 0.5}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_mixed_values_are_alike_up_to_rounding_and_library_types(one: object, other: object) -> None:
    assert alike(fingerprint(outcome(one, object())), fingerprint(outcome(other, object())))


def test_the_fingerprint_of_a_set_is_the_same_in_every_process() -> None:
    program = (
        "from etude.lesson.checks import Check, Mismatch, Outcome; from etude.lesson.mistakes import fingerprint\n"
        "seen = {'seoul', 'busan', 'paris', 'rome'}\n"
        "print(fingerprint(Outcome(Check('t', 'e', 1, len), 'failed', mismatch=Mismatch('x', actual=[seen]))))"
    )
    runs = [
        subprocess.check_output([sys.executable, "-c", program], env=os.environ | {"PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


def test_an_exception_is_known_by_its_name_alone() -> None:
    def answer(error: BaseException) -> Outcome:
        def f() -> NoReturn:
            raise error

        return run_check(Check("test_it", "it", 1, lambda student: student.f()), LiveStudent({"f": f}))

    rows = [known("the shapes do not fit", answer(RuntimeError("3 and 4")))]
    assert diagnose([answer(RuntimeError("5 and 6"))], rows) == "the shapes do not fit"
    assert diagnose([answer(ValueError("3 and 4"))], rows) is None
    assert diagnose([answer(NotImplementedError())], rows) is None


def test_a_property_that_fails_without_a_value_differs_from_one_that_saw_none() -> None:
    silent = outcome(0, comparison=lambda a, b: true(False, "the seeds differ"))
    spoken = outcome(0, comparison=lambda a, b: true(False, "a list was expected", actual=None))
    assert fingerprint(silent) == {"status": "failed"}
    assert not alike(fingerprint(silent), fingerprint(spoken))


def test_large_tensors_have_small_fingerprints() -> None:
    assert len(fingerprint(outcome(torch.zeros(1000, 10), torch.ones(1000, 10), close))["values"]) == MOST_NUMBERS


def test_an_object_that_refuses_to_be_shown_has_a_fingerprint() -> None:
    def refuse(self: object, *_: object) -> NoReturn:
        raise RuntimeError

    for base in (object, dict, list, set):
        hostile = type(
            "Hostile", (base,), {"__repr__": refuse, "__iter__": refuse, "items": refuse, "__getattr__": refuse}
        )()
        assert fingerprint(outcome(hostile, 3))["status"] == "failed"
        assert fingerprint(outcome([hostile], [3]))["status"] == "failed"


def test_a_mistake_whose_checks_are_not_those_that_ran_is_not_named() -> None:
    wrong = softmax_answers(EXPECTED.T)
    assert diagnose(wrong[:1], MISTAKES) is None


def test_a_lesson_without_known_mistakes_knows_none(tmp_path: Path) -> None:
    assert load(tmp_path / "mistakes.json") == {}
    (tmp_path / "other.json").write_text('{"it": []}', encoding="utf-8")
    assert load(tmp_path / "other.json") == {"it": []}
