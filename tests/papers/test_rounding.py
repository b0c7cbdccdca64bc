"""Printed figures as intervals: what rounding leaves open, and what arithmetic on it must still contain."""

import csv
import re
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from published import (
    Interval,
    cut_off,
    difference,
    exactly,
    mean,
    overlap,
    papers,
    printed,
    product,
    ratio,
    rough,
)

numbers = st.decimals(min_value="0.01", max_value="1000", places=4)

PAPERS = Path(__file__).resolve().parents[2] / "data" / "papers"


def inside(value: Decimal, interval: Interval) -> bool:
    return overlap(exactly(str(value)), interval)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("8.9", "8.85", "8.95"), ("2.2e-5", "2.15e-5", "2.25e-5"), ("100", "99.5", "100.5"), ("1.2B", "1.15e9", "1.25e9")],
)
def test_a_printed_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides(
    text: str, low: str, high: str
) -> None:
    assert printed(text) == (Decimal(low), Decimal(high))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("110M", "105e6", "115e6"), ("335M", "334.5e6", "335.5e6"), ("175.0B", "174.95e9", "175.05e9")],
)
def test_zeros_at_the_end_of_a_whole_number_may_be_rounding_too(text: str, low: str, high: str) -> None:
    assert rough(text) == (Decimal(low), Decimal(high))


def test_digits_that_were_cut_off_leave_a_whole_unit_above() -> None:
    assert cut_off("87") == (Decimal(87), Decimal(88))


@given(one=numbers, other=numbers, places=st.integers(0, 3))
def test_arithmetic_on_rounded_numbers_contains_the_result_of_the_numbers_before_rounding(
    one: Decimal, other: Decimal, places: int
) -> None:
    a, b = (
        printed(str(value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN))) for value in (one, other)
    )
    assert inside(one - other, difference(a, b))
    assert inside((one + other) / 2, mean([a, b]))
    if a[0] > 0 and b[0] > 0:
        assert inside(one / other, ratio(a, b))
        assert inside(one * other, product(a, b))


def test_intervals_that_only_touch_overlap_and_others_do_not() -> None:
    assert overlap(printed("8.9"), printed("9.0"))
    assert not overlap(printed("8.9"), printed("9.1"))


@pytest.mark.parametrize("path", sorted(PAPERS.glob("*.csv")), ids=lambda path: path.stem)
def test_every_table_is_named_in_the_folders_page_and_has_as_many_cells_in_each_row(path: Path) -> None:
    assert f"`{path.name}`" in (PAPERS / "README.md").read_text(encoding="utf-8")
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert rows
    assert all(len(row) == len(header) and any(row) for row in rows)


@pytest.mark.parametrize(
    "path", [*PAPERS.glob("bert_*.csv"), *PAPERS.glob("albert_*.csv"), *PAPERS.glob("roberta_*.csv")]
)
def test_no_score_is_above_a_hundred(path: Path) -> None:
    settings = {"perplexity", "layers", "hidden", "heads", "samples", "embedding"}
    table = papers(path.stem).drop(columns=settings, errors="ignore")
    scores = [cell for cell in table.to_numpy().ravel() if re.fullmatch(r"\d+\.\d", cell)]
    assert scores
    assert all(0 < float(score) <= 100 for score in scores)
