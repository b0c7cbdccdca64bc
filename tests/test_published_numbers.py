"""Do the numbers that papers print follow from each other? Each is taken as the interval that its last printed digit leaves."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pandas as pd
import torch

from grader.course import Course

PAPERS = Path(Course().root, "data", "papers")
Interval = tuple[Decimal, Decimal]


def printed(text: str) -> Interval:
    """What may have been rounded to this text: half a unit of its last digit to both sides."""
    value = Decimal(text)
    half = Decimal(5).scaleb(int(value.as_tuple().exponent) - 1)
    return value - half, value + half


def ratio(above: Interval, below: Interval) -> Interval:
    return above[0] / below[1], above[1] / below[0]


def overlap(one: Interval, other: Interval) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def glove() -> pd.DataFrame:
    return pd.read_csv(PAPERS / "glove_table1.csv", dtype=str).set_index("word")


def test_a_printed_number_stands_for_an_interval() -> None:
    assert printed("8.9") == (Decimal("8.85"), Decimal("8.95"))
    assert printed("2.2e-5") == (Decimal("2.15e-5"), Decimal("2.25e-5"))


def test_every_ratio_of_gloves_table_follows_from_its_probabilities_within_rounding() -> None:
    for word, row in glove().iterrows():
        possible = ratio(printed(row.p_ice), printed(row.p_steam))
        assert overlap(possible, printed(row.ratio)), f"{word}: {possible} against {row.ratio}"


def test_a_misprint_in_gloves_table_would_be_seen() -> None:
    row = glove().loc["solid"]
    assert not overlap(ratio(printed(row.p_ice), printed(row.p_steam)), printed("9.8"))


def test_gloves_ratios_are_large_for_ice_small_for_steam_and_near_one_for_both_or_neither() -> None:
    ratios = glove().ratio.astype(float)
    assert ratios.solid > 5
    assert ratios.gas < 1 / 5
    assert all(1 / 2 < ratios[word] < 2 for word in ("water", "fashion"))


def test_three_hundred_numbers_for_ten_thousand_words_in_two_tables_are_six_million_weights() -> None:
    centers, contexts = torch.nn.Embedding(10_000, 300), torch.nn.Embedding(10_000, 300)
    assert sum(table.weight.numel() for table in (centers, contexts)) == 6_000_000
