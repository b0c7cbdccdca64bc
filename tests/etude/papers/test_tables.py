"""Published tables arrive as they were printed, and planted misprints are where they are said to be."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from etude.papers import tables

seeds = st.integers(min_value=0, max_value=2**32)


def test_a_cell_is_the_text_that_was_printed() -> None:
    ratios = tables.table("glove_table1").set_index("word")["ratio"]
    assert ratios.to_dict() == {"solid": "8.9", "gas": "8.5e-2", "water": "1.36", "fashion": "0.96"}


def test_a_cell_that_was_not_printed_is_empty() -> None:
    table = tables.table("transformer_table2").set_index("system")
    assert table.loc["ByteNet", "flops_en_de"] == ""


@pytest.mark.parametrize("name", tables.names())
def test_every_table_is_text_throughout(name: str) -> None:
    table = tables.table(name)
    assert len(table) > 0
    assert all(isinstance(cell, str) for column in table for cell in table[column])


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(tables.UnknownTable, match="'glove_table_1': did you mean glove_table1"):
        tables.table("glove_table_1")


@pytest.mark.parametrize("name", ["../registry", "", "xyz"])
def test_a_name_like_no_other_lists_the_tables(name: str) -> None:
    with pytest.raises(tables.UnknownTable, match=r"there are .*glove_table1.*gnmt_table10"):
        tables.table(name)


def interval(text: str) -> tuple[Fraction, Fraction]:
    value = Decimal(text)
    half = Fraction(1, 2) * Fraction(10) ** int(value.as_tuple().exponent)
    return Fraction(value) - half, Fraction(value) + half


def follows(planted: tables.Planted, row: str) -> bool:
    """Whether the claimed number overlaps what the rule can give at the ends of the parts' intervals."""
    ends = [interval(str(planted.table.loc[row, part])) for part in planted.parts]
    if planted.rule in ("difference", "ratio"):
        ends[1] = ends[1][::-1]  # both fall when the second number grows
    low, high = (tables.RULES[planted.rule]([pair[side] for pair in ends]) for side in (0, 1))
    claimed = interval(str(planted.table.loc[row, planted.claimed]))
    return claimed[0] <= high and low <= claimed[1]


@given(seeds)
def test_rows_without_a_misprint_follow_within_rounding(seed: int) -> None:
    planted = tables.planted(seed)
    assert all(follows(planted, row) for row in planted.table.index if row not in planted.misprints)


@given(seeds)
def test_a_misprint_changes_digits_and_nothing_else(seed: int) -> None:
    planted = tables.planted(seed)
    for row in planted.misprints:
        assert all(interval(str(cell)) for cell in planted.table.loc[row])


@given(seeds)
def test_the_same_seed_gives_the_same_table(seed: int) -> None:
    one, other = tables.planted(seed), tables.planted(seed)
    assert one.table.equals(other.table)
    assert one.misprints == other.misprints


def test_rounding_hides_some_misprints_but_not_most() -> None:
    made = [tables.planted(seed) for seed in range(300)]
    seen = [not follows(planted, row) for planted in made for row in planted.misprints]
    assert 0.5 < sum(seen) / len(seen) < 0.95


def test_every_rule_is_planted() -> None:
    assert {tables.planted(seed).rule for seed in range(50)} == set(tables.RULES)
