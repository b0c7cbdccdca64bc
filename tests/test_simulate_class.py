"""The simulated class is the arithmetic that it says: workers take the next submission, one writer stores in order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.simulate_class import WORKERS, graded_at, simulate, stored_at, table

SECONDS = st.lists(st.floats(0.1, 100), min_size=1, max_size=30)


def test_who_is_free_first_takes_the_next() -> None:
    assert graded_at(2, 10, [5, 1, 1, 1]) == [11, 12, 13, 15]


def test_a_score_is_stored_after_its_verdict_and_after_the_one_before() -> None:
    assert stored_at([1, 2, 10], [3, 3, 1]) == 11
    assert stored_at([1, 2, 3], [3, 3, 3]) == 10


@given(SECONDS, st.integers(1, 8))
def test_no_cluster_is_faster_than_its_work_and_its_longest_submission(seconds: list[float], workers: int) -> None:
    end = graded_at(workers, 7, seconds)[-1]
    assert end >= 7 + max(max(seconds), sum(seconds) / workers) - 1e-9
    assert end <= 7 + sum(seconds) + 1e-9
    assert graded_at(1, 7, seconds)[-1] == pytest.approx(7 + sum(seconds))


def test_the_same_seed_gives_the_same_rows_and_more_workers_never_take_longer() -> None:
    one = {"submission_seconds": [2.0, 3.0, 9.0], "ready_seconds": 20.0, "memory_mb": 1024}
    measured = {"one": one, "store_seconds": [0.3, 0.5]}
    rows = simulate(measured, 200, seed=3)
    assert rows == simulate(measured, 200, seed=3) != simulate(measured, 200, seed=4)
    assert [row["workers"] for row in rows] == list(WORKERS)
    times = [row["graded_seconds"] for row in rows]
    assert times == sorted(times, reverse=True)
    assert all(row["stored_seconds"] > row["graded_seconds"] for row in rows)
    assert [row["memory_gb"] for row in rows] == list(WORKERS)


def test_the_table_says_where_it_comes_from() -> None:
    row = {"workers": 4, "graded_seconds": 600.0, "stored_seconds": 660.0, "memory_gb": 6.0, "core_hours": 0.67}
    measured = {
        "submissions": 24,
        "lesson": "week1_embeddings/sparse",
        "mean_seconds": 4.0,
        "hardware": "2 cores",
        "load": 0.5,
        "commit": "abc",
        "ready_seconds": 20.0,
        "memory_mb": 1500,
        "scores_a_second": 2.5,
        "times_as_fast": 1.9,
    }
    text = table({"rows": [row], "measured": measured})
    assert "| 4 | 10.0 | 11.0 | 6.0 | 0.67 |" in text
    assert (
        "24 submissions of week1_embeddings/sparse, 4.0 s each in the mean, on 2 cores (load 0.5, commit abc)" in text
    )
