"""Difficulty, discrimination and named mistakes of a class, against numbers computed by hand."""

from __future__ import annotations

import pytest
from verdicts import exercise, graded

from grader.reports import help_needed
from grader.reports.items import items, mistakes


def test_an_item_tells_its_difficulty_and_counts_who_earned_what() -> None:
    verdicts = [
        graded("ada", exercises=[exercise("it", 4, 4)]),
        graded("bora", exercises=[exercise("it", 1, 4)]),
        graded("chul", exercises=[exercise("it", 0, 4)]),
        graded("dana", exercises=[exercise("it", 0, 4, status="unwritten")]),
    ]
    [item] = items(verdicts)
    assert (item.difficulty, item.discrimination) == (5 / 16, None)  # too few for a correlation
    assert (item.everything, item.something, item.nothing, item.unwritten) == (1, 1, 1, 1)


def test_discrimination_is_the_correlation_with_the_others_without_the_item_itself() -> None:
    points = [(0, 4), (1, 3), (2, 4), (3, 1), (4, 2), (0, 0), (1, 4), (2, 2), (3, 3), (4, 1)]
    verdicts = [
        graded(f"s{i}", exercises=[exercise("one", a, 4), exercise("two", b, 4)]) for i, (a, b) in enumerate(points)
    ]
    one, two = items(verdicts)
    # Between (0 1 2 3 4 0 1 2 3 4) and (4 3 4 1 2 0 4 2 3 1): covariance −5, variances 20 and 18.4, each times ten.
    assert one.discrimination == pytest.approx(-5 / (20 * 18.4) ** 0.5)
    assert two.discrimination == one.discrimination  # each is all the other's rest
    assert one.is_low


def test_an_item_that_all_solved_has_no_discrimination() -> None:
    verdicts = [
        graded(f"s{i}", exercises=[exercise("one", i % 5, 4), exercise("all", 4, 4), exercise("two", i % 3, 4)])
        for i in range(12)
    ]
    assert [item.discrimination is None for item in items(verdicts)] == [False, True, False]


def test_nothing_is_said_of_no_verdicts() -> None:
    assert items([]) == []
    assert mistakes([]) == []


def test_mistakes_are_counted_by_exercise_and_sentence_the_most_frequent_first() -> None:
    verdicts = [
        graded("ada", exercises=[exercise("it", 0, 4, diagnosis="rare")]),
        *(graded(name, exercises=[exercise("it", 0, 4, diagnosis="frequent")]) for name in ("bora", "chul")),
    ]
    assert [(one.sentence, one.students) for one in mistakes(verdicts)] == [
        ("frequent", ["bora", "chul"]),
        ("rare", ["ada"]),
    ]


def test_who_needs_help_is_found_by_the_rule_and_told_why() -> None:
    half = [exercise("one", 2, 4), exercise("two", 2, 4)]
    assert help_needed.reasons([graded("ada", exercises=half)]) == []
    assert help_needed.reasons([graded("ada", exercises=[exercise("one", 1, 4)])]) == ["25 % of the automatic points"]
    unwritten = [exercise("one", 4, 4), exercise("two", 0, 1, status="unwritten")]
    assert help_needed.reasons([graded("ada", exercises=unwritten)]) == ["lesson: 1 of 2 exercises not written"]
    refused = graded("ada", status="refused", reason="word2vec.ipynb was not handed in")
    assert help_needed.reasons([refused]) == ["lesson: word2vec.ipynb was not handed in"]
