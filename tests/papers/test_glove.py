"""GloVe's table of ratios, and the size of word2vec's two tables."""

import pandas as pd
import published
import torch
from published import overlap, papers, printed, ratio

from etude.lesson.checks import claim


def glove() -> pd.DataFrame:
    return papers("glove_table1").set_index("word")


@claim("glove-t1+glove-t1-solid+glove-t1-gas+glove-t1-water+glove-t1-fashion")
def test_every_ratio_of_gloves_table_follows_from_its_probabilities_within_rounding() -> None:
    for word, row in glove().iterrows():
        possible = ratio(printed(row.p_ice), printed(row.p_steam))
        assert overlap(possible, printed(row.ratio)), f"{word}: {possible} against {row.ratio}"


def test_a_misprint_in_gloves_table_would_be_seen() -> None:
    row = published.row(glove(), "solid")
    assert not overlap(ratio(printed(row.p_ice), printed(row.p_steam)), printed("9.8"))


@claim("glove-ratio-dir")
def test_gloves_ratios_are_large_for_ice_small_for_steam_and_near_one_for_both_or_neither() -> None:
    ratios = glove().ratio.astype(float)
    assert ratios.solid > 5
    assert ratios.gas < 1 / 5
    assert all(1 / 2 < ratios[word] < 2 for word in ("water", "fashion"))


@claim("w2v-params")
def test_three_hundred_numbers_for_ten_thousand_words_in_two_tables_are_six_million_weights() -> None:
    centers, contexts = torch.nn.Embedding(10_000, 300), torch.nn.Embedding(10_000, 300)
    assert sum(table.weight.numel() for table in (centers, contexts)) == 6_000_000
