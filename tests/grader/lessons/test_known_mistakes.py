"""Which of a bank's mistakes are named: those that their outcomes tell from all others."""

from typing import Any

from grader.lessons.known_mistakes import entries

PASSED = {"status": "passed"}
RAISED = {"status": "error", "error": "IndexError"}
FALSE = {"status": "failed", "type": "bool", "shape": [], "values": [0.0]}


def gave(*numbers: float) -> dict[str, Any]:
    return {"status": "failed", "type": "list", "shape": [len(numbers)], "values": list(numbers)}


def test_a_mistake_that_gives_what_no_other_gives_is_named() -> None:
    known = entries([("relu", "abs", {"test_a": gave(1, 2)}), ("relu", "sign", {"test_a": gave(1, 1)})])
    assert [entry["sentence"] for entry in known["relu"]] == ["abs", "sign"]


def test_two_mistakes_that_come_out_alike_are_not_named() -> None:
    tried = [
        ("relu", "abs", {"test_a": gave(1)}),
        ("relu", "sign", {"test_a": gave(1)}),
        ("tanh", "abs", {"t": gave(1)}),
    ]
    assert list(entries(tried)) == ["tanh"]


def test_two_answers_with_one_mistake_have_one_entry() -> None:
    assert len(entries([("relu", "abs", {"test_a": gave(1)}), ("relu", "abs", {"test_a": gave(1)})])["relu"]) == 1


def test_what_many_mistakes_share_names_none() -> None:
    """A truth value, an exception, a bare failure, or nothing at all."""
    for outcome in (FALSE, RAISED, {"status": "failed"}, PASSED):
        assert entries([("relu", "abs", {"test_a": PASSED, "test_b": outcome})]) == {}


def test_a_value_in_one_check_is_enough() -> None:
    assert entries([("relu", "abs", {"test_a": gave(1), "test_b": RAISED})])
