"""Drawn inputs: the same in every run, made small, within bounds; and what each strategy is for is drawn."""

from __future__ import annotations

import sys
import types
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import find
from hypothesis.strategies import integers
from nbformat.v4 import new_code_cell, new_notebook

from etude.lesson.checks import Check, Mismatch, Outcome, equal, run_check
from etude.lesson.mistakes import fingerprint
from etude.lesson.student import LiveStudent
from grader.grading.allowance import LEAST
from grader.kernels.runner import run_notebook
from grader.kernels.session import KernelSession
from grader.lessons import generated, inputs
from grader.lessons.generated import EXAMPLES, MOST_CALLS, for_all


@for_all(tokens=inputs.sentences(), number=integers(0, 9))
def is_reversed(student: Any, tokens: list[str], number: int) -> None:
    equal(student.f(tokens, number), tokens[::-1])


def outcome(function: Callable[..., object], seed: int = 0) -> Outcome:
    student = LiveStudent({"f": function})
    student.input_seed = seed
    return run_check(Check("is_reversed", "f", 1.0, is_reversed), student)


def drawn(seed: int = 0) -> list[str]:
    seen: list[str] = []

    def right(tokens: list[str], number: int) -> list[str]:
        seen.append(repr((tokens, number)))
        return tokens[::-1]

    assert outcome(right, seed).passed
    return seen


def test_the_draws_are_those_of_the_seed() -> None:
    assert drawn() == drawn() != drawn(seed=1)
    assert len(drawn()) == EXAMPLES


def test_no_other_module_of_the_process_has_a_part_in_the_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = drawn()
    path = tmp_path / "full_of_numbers.py"
    path.write_text(f"X = {list(range(10)) * 20}\n")
    module = types.ModuleType("full_of_numbers")
    module.__file__ = str(path)
    monkeypatch.setitem(sys.modules, "full_of_numbers", module)
    assert drawn() == before


def test_a_wrong_answer_is_shown_a_small_input_with_what_came_back() -> None:
    found = outcome(lambda tokens, number: tokens)
    assert found.status == "failed"
    assert found.message.splitlines() == [
        "'a' at [0], expected 'b'",
        "given     tokens = ['a', 'b'], number = 0",
        "came back ['a', 'b']",
        "expected  ['b', 'a']",
    ]


def test_an_error_of_the_students_code_is_shown_with_its_smallest_input() -> None:
    def fails(tokens: list[str], number: int) -> list[str]:
        tokens[0]
        return tokens[::-1]

    found = outcome(fails)
    assert found.status == "failed"
    assert "IndexError: list index out of range" in found.message
    assert "given     tokens = [], number = 0" in found.message


def test_a_skeleton_is_unwritten_and_a_missing_name_is_said() -> None:
    def skeleton(tokens: list[str], number: int) -> None:
        raise NotImplementedError

    assert outcome(skeleton).status == "unwritten"
    missing = run_check(Check("is_reversed", "f", 1.0, is_reversed), LiveStudent({}))
    assert missing.error is not None
    assert missing.error[0] == "MissingName"


def test_a_changed_argument_is_said() -> None:
    def reverse(tokens: list[str], number: int) -> list[str]:
        tokens.reverse()
        return tokens

    found = outcome(reverse)
    assert "your function changed its argument tokens: work on a copy" in found.message
    assert "given     tokens = ['a', 'b'], number = 0" in found.message


def test_calls_are_bounded_and_an_answer_that_changes_its_mind_has_failed() -> None:
    calls = []

    def fickle(tokens: list[str], number: int) -> list[str]:
        calls.append(tokens)
        return ["no"] if len(calls) % 7 == 5 else tokens[::-1]

    assert outcome(fickle).status == "failed"
    calls.clear()
    assert outcome(lambda tokens, number: calls.append(tokens)).status == "failed"
    assert len(calls) <= MOST_CALLS


def test_an_input_that_is_left_large_says_as_much_in_fewer_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    small = outcome(lambda tokens, number: calls.append(tokens))
    made_small = len(calls)
    monkeypatch.setattr(generated, "_phases", [*generated._phases])
    generated.leave_large()
    calls.clear()
    large = outcome(lambda tokens, number: calls.append(tokens))
    assert len(calls) < made_small
    assert fingerprint(large) == fingerprint(small)


def test_another_process_is_asked_the_same_within_the_requests_of_every_check(tmp_path: Path) -> None:
    cell = new_code_cell("def f(tokens, number):\n    return tokens")
    with KernelSession(tmp_path) as session:
        run_notebook(new_notebook(cells=[cell]), session, parameters={}, cell_timeout=60, notebook_timeout=60)
        student = session.student(60)
        account = student.begin(replace(LEAST, seconds=600))
        found = run_check(Check("is_reversed", "f", 1.0, is_reversed), student)
    live = outcome(lambda tokens, number: tokens)
    assert (found.status, found.message, fingerprint(found)) == (live.status, live.message, fingerprint(live))
    assert account.requests <= 2 * MOST_CALLS <= LEAST.requests


def test_the_fingerprint_holds_no_drawn_value() -> None:
    prints = [fingerprint(outcome(lambda tokens, number: tokens, seed)) for seed in range(4)]
    assert prints == [{"status": "failed"}] * 4


def test_nothing_is_left_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome(lambda tokens, number: tokens)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wanted",
    [
        lambda text: any(map(unicodedata.combining, text)),
        lambda text: unicodedata.normalize("NFC", text) != text,
        lambda text: "눈" in text and any(c.isascii() and c.isalpha() for c in text),
        lambda text: any(map(str.isupper, text)) and any(map(str.islower, text)),
        lambda text: any(c.isspace() and c != " " for c in text),
        lambda text: "aa" in text,
        lambda text: text == "",
    ],
)
def test_texts_hold_what_answers_trip_over(wanted: Callable[[str], bool]) -> None:
    assert wanted(find(inputs.texts(), wanted))


def test_tables_have_zero_equal_and_long_rows_and_batches_of_one() -> None:
    def rows(wanted: Callable[[torch.Tensor], object]) -> torch.Tensor:
        return find(inputs.tables(3, 2), lambda table: bool(wanted(table)))

    rows(lambda table: (table == 0).all(dim=1).any() and (table != 0).any())
    rows(lambda table: (table[0] == table[1]).all() and (table[0] != 0).any())
    rows(lambda table: table.abs().max() == inputs.LARGE)
    assert find(inputs.tables(1, 4), lambda table: True).shape == (1, 4)
    assert find(inputs.tables(0, 4), lambda table: True).shape == (0, 4)


def test_counts_have_ties_and_gaps_and_ids_lie_at_the_edges() -> None:
    find(inputs.word_counts(), lambda words: len(words) > 2 and len(set(words.values())) == 1)
    find(inputs.word_counts(), lambda words: max(words.values()) > 100 * min(words.values()))
    find(inputs.counts(), lambda counts: len(counts) > len(counts.unique()) > 1)
    assert {find(inputs.ids(9), at.__eq__) for at in (0, 8)} == {0, 8}


def test_a_mismatch_of_another_kind_keeps_its_sentence() -> None:
    @for_all(number=integers(0, 9))
    def is_small(student: Any, number: int) -> None:
        if student.f(number) > 4:
            raise Mismatch("too large")

    student = LiveStudent({"f": lambda number: number})
    found = run_check(Check("is_small", "f", 1.0, is_small), student)
    assert found.message == "too large\ngiven     number = 5"
    assert fingerprint(found) == {"status": "failed"}
