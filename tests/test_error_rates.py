"""The expected tables' own errors: what the interval promises it keeps, and rows that tell nothing apart carry no points."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from etude import table
from grader import calibrate, error_rates
from grader.course import Course, Lesson
from grader.error_rates import rates

LESSONS = Course().lessons()


def row(low: float = 0.8, high: float = 1.0, better: str = "higher", points: float = 3) -> table.Expected:
    return table.Expected("m", "smoke", 0.9, 0.03, 12, low, high, better, points, "", "", "")


def test_a_one_sided_bound_is_the_noncentral_t_one() -> None:
    sample = np.random.default_rng(0).normal(3.0, 0.5, 12)
    n = len(sample)
    factor = stats.nct.ppf(calibrate.CONFIDENCE, n - 1, stats.norm.ppf(calibrate.COVERAGE) * math.sqrt(n)) / math.sqrt(
        n
    )
    low, _ = calibrate.interval(sample, "higher")
    _, high = calibrate.interval(sample, "lower")
    assert low == pytest.approx(sample.mean() - factor * sample.std(ddof=1), rel=1e-6)
    assert high == pytest.approx(sample.mean() + factor * sample.std(ddof=1), rel=1e-6)


@pytest.mark.parametrize("better", ["higher", "lower", "near"])
@pytest.mark.parametrize("n", [6, 12])
def test_the_interval_covers_what_it_promises_as_often_as_it_promises(better: str, n: int) -> None:
    """Of many calibrations on normal samples, 95 % give an interval that holds at least 99 % of all values."""
    rng, trials = np.random.default_rng(1), 400
    good = 0
    for _ in range(trials):
        low, high = calibrate.interval(rng.normal(0, 1, n), better)
        bounds = {"higher": (low, math.inf), "lower": (-math.inf, high), "near": (low, high)}[better]
        good += stats.norm.cdf(bounds[1]) - stats.norm.cdf(bounds[0]) >= calibrate.COVERAGE
    spread = 3 * math.sqrt(0.95 * 0.05 / trials)
    assert good / trials == pytest.approx(calibrate.CONFIDENCE, abs=spread + 0.01)


def test_right_runs_outside_are_counted_with_an_exact_upper_bound() -> None:
    found = rates(row(), [{"m": 0.9}] * 23 + [{"m": 0.7}], {}, "")
    assert (found.fresh, found.outside) == (24, 1)
    assert found.outside_most == pytest.approx(stats.beta.ppf(0.975, 2, 23), abs=1e-4)
    assert found.points_lost == pytest.approx(0.5 / 24, abs=1e-4)


def test_wrong_answers_inside_are_named_and_those_without_a_value_are_counted_apart() -> None:
    found = rates(row(), [{"m": 0.9}], {"a": {"m": 0.95}, "b": {"m": 0.1}, "c": {}}, "")
    assert (found.wrong, found.failed, found.inside, found.unseen) == (3, 1, 1, "a")
    assert not found.blind


def test_a_row_is_blind_when_every_wrong_answer_looks_right() -> None:
    assert rates(row(), [{"m": 0.9}], {"a": {"m": 0.95}, "b": {}}, "").blind
    assert not rates(row(), [{"m": 0.9}], {}, "").blind  # none was tried
    assert not rates(row(), [{"m": 0.9}], {"a": {}}, "").blind  # none came to a value


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_row_that_tells_nothing_apart_carries_no_points(lesson: Lesson) -> None:
    path = lesson.source / error_rates.FILE
    found = {(one.metric, one.profile): one for one in error_rates.read(path)} if path.is_file() else {}
    for expected in table.read(lesson.source / "expected.csv"):
        one = found.get((expected.metric, expected.profile))
        assert not (one and one.blind and expected.points), f"{expected.metric} carries points and is blind"
