"""Translation: do the figures of GNMT, ConvS2S and the Transformer follow from each other?"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pandas as pd
import published
import pytest
from published import Interval, cut_off, difference, exactly, figure, mean, overlap, papers, printed, product, ratio

from etude.lesson.checks import claim

SECONDS = {"hours": 3600, "days": 86_400}


def gnmt() -> pd.DataFrame:
    return papers("gnmt_table10").set_index("pair")


def improvement(row: pd.Series[str]) -> Interval:
    """(GNMT − PBMT) / (human − PBMT) in percent: it rises with GNMT and falls with the other two."""
    low, high = (
        100 * (printed(row.gnmt)[i] - printed(row.pbmt)[1 - i]) / (printed(row.human)[1 - i] - printed(row.pbmt)[1 - i])
        for i in (0, 1)
    )
    return low, high


def explained(rule: Callable[[str], Interval]) -> set[str]:
    return {str(pair) for pair, row in gnmt().iterrows() if overlap(improvement(row), rule(row.improvement))}


@claim("gnmt-t10-En-Fr+gnmt-t10-Es-En+gnmt-t10-Fr-En+gnmt-t10-Zh-En", "gnmt-t10-En-Es+gnmt-t10-En-Zh")
def test_rounding_explains_four_of_gnmts_relative_improvements_and_not_two() -> None:
    rounded = {"English-French", "Spanish-English", "French-English", "Chinese-English"}
    assert explained(printed) == rounded
    assert set(gnmt().index) - rounded == {"English-Spanish", "English-Chinese"}


@claim("gnmt-t10-rounding")
def test_cutting_off_explains_all_of_gnmts_relative_improvements() -> None:
    assert explained(cut_off) == set(gnmt().index)


def test_gnmts_last_improvement_is_cut_off_only_if_its_ratings_were_rounded_first() -> None:
    row = published.row(gnmt(), "French-English")
    of_the_printed = 100 * (Decimal(row.gnmt) - Decimal(row.pbmt)) / (Decimal(row.human) - Decimal(row.pbmt))
    assert not overlap(exactly(str(of_the_printed)), cut_off(row.improvement))


def test_a_misprinted_improvement_would_be_seen() -> None:
    row = published.row(gnmt(), "English-French").copy()
    row["improvement"] = "46"
    assert not overlap(improvement(row), printed(row.improvement))
    assert not overlap(improvement(row), cut_off(row.improvement))


@claim("gnmt-t10-mean")
def test_gnmt_closes_more_than_half_of_the_gap_to_people_in_every_pair() -> None:
    gaps = [improvement(row) for _, row in gnmt().iterrows()]
    assert all(low > 50 for low, _ in gaps)
    assert overlap(mean(gaps), printed("69.5"))


def bleu(pair: str, system: str, units: str) -> Interval:
    rows = papers("convs2s_table1")
    [found] = rows[(rows.pair == pair) & rows.system.str.contains(system) & (rows.units == units)].bleu
    return printed(found)


@claim(
    "convs2s-t1-En-Ro-sennrich37+convs2s-t1-En-Ro-convs2s38+convs2s-t1-En-Ro-convs2s39+convs2s-t1-En-De-luong40+convs2s-t1-En-De-bytenet41+convs2s-t1-En-De-gnmt43+convs2s-t1-En-De-convs2s44+convs2s-t1-En-Fr-gnmt47+convs2s-t1-En-Fr-convs2s48"
)
@pytest.mark.parametrize(
    ("pair", "system", "units", "gain"),
    [
        ("English-Romanian", "Sennrich", "BPE 90K", "1.92"),
        ("English-German", "GNMT", "Word pieces", "0.55"),
        ("English-French", "GNMT", "Word pieces + RL", "0.59"),
    ],
)
def test_convs2s_is_better_than_the_best_earlier_system_of_its_table(
    pair: str, system: str, units: str, gain: str
) -> None:
    ahead = difference(bleu(pair, "ConvS2S", "BPE 40K"), bleu(pair, system, units))
    assert ahead[0] > 0
    assert overlap(ahead, printed(gain))
    rows = papers("convs2s_table1")
    earlier = rows[(rows.pair == pair) & ~rows.system.str.contains("ConvS2S")]
    assert all(printed(value)[1] <= bleu(pair, system, units)[1] for value in earlier.bleu)


@claim("convs2s-t1-En-De-gnmt42+convs2s-t1-En-Fr-gnmt45+convs2s-t1-En-Fr-gnmt46")
@pytest.mark.parametrize(("pair", "gain"), [("English-German", "1.49"), ("English-French", "1.05")])
def test_word_pieces_are_better_than_words_in_gnmt(pair: str, gain: str) -> None:
    ahead = difference(bleu(pair, "GNMT", "Word pieces"), bleu(pair, "GNMT", "Word 80K"))
    assert ahead[0] > 0
    assert overlap(ahead, printed(gain))


def transformer(system: str) -> pd.Series[str]:
    return published.row(papers("transformer_table2").set_index("system"), system)


@claim("convs2s-two-values")
def test_two_papers_print_different_bleu_for_convs2s() -> None:
    assert bleu("English-German", "ConvS2S", "BPE 40K") == printed(transformer("ConvS2S").bleu_en_de)
    assert not overlap(bleu("English-French", "ConvS2S", "BPE 40K"), printed(transformer("ConvS2S").bleu_en_fr))


@claim(
    "tr-t2-bytenet+tr-t2-deep-att-posunk+tr-t2-gnmt-rl+tr-t2-convs2s+tr-t2-moe+tr-t2-deep-att-posunkensemble+tr-t2-gnmt-rlensemble+tr-t2-convs2sensemble+tr-t2-transformer-big"
)
@pytest.mark.parametrize("pair", ["bleu_en_de", "bleu_en_fr"])
def test_the_big_transformer_is_better_than_every_other_system_of_its_table_ensembles_too(pair: str) -> None:
    others = papers("transformer_table2").set_index("system").drop("Transformer (big)")[pair]
    best = printed(transformer("Transformer (big)")[pair])
    assert all(printed(value)[1] < best[0] for value in others if value)


def abstract(name: str) -> str:
    return figure("Transformer", name, "abstract")


def test_the_abstract_prints_the_scores_of_the_table() -> None:
    best = transformer("Transformer (big)")
    assert abstract("BLEU English-German of the big model") == best.bleu_en_de
    assert abstract("BLEU English-French of the big model") == best.bleu_en_fr


@claim("tr-over2bleu")
def test_the_big_transformer_is_over_two_bleu_better_than_the_best_ensemble_in_german() -> None:
    best = printed(abstract("BLEU English-German of the big model"))
    ahead = difference(best, printed(transformer("ConvS2S Ensemble").bleu_en_de))
    assert overlap(ahead, (Decimal(2), Decimal(3)))
    assert not overlap(difference(best, printed(transformer("ConvS2S Ensemble").bleu_en_fr)), (Decimal(2), Decimal(3)))


@claim("tr-enfr-418")
def test_41_8_is_the_best_of_single_models_in_french_and_41_0_is_below_two_ensembles() -> None:
    table = papers("transformer_table2")
    single = [printed(value) for value in table[table.group == "single"].bleu_en_fr if value]
    ensembles = [printed(value) for value in table[table.group == "ensemble"].bleu_en_fr]
    name = "BLEU English-French of the big model"
    one, other = printed(abstract(name)), printed(figure("Transformer", name, "section 6.1"))
    assert overlap(difference(one, max(single)), printed("1.24"))
    assert all(one[0] > high for _, high in (*single, *ensembles))
    assert sum(other[1] < low for low, _ in ensembles) == 2


@claim("tr-flops-base+tr-flops-big")
@pytest.mark.parametrize("model", ["base", "big"])
def test_the_flops_are_time_times_devices_times_their_sustained_rate(model: str) -> None:
    row = published.row(papers("transformer_training").set_index("model"), model)
    rate = product(printed(row.teraflops), exactly("1e12"))
    seconds = product(printed(row.time), exactly(SECONDS[row.unit]))
    assert overlap(product(seconds, exactly(row.devices), rate), printed(row.flops))
    weeks = product(printed(row.time), exactly(7 * 86_400))
    assert not overlap(product(weeks, exactly(row.devices), rate), printed(row.flops))


@claim("tr-steps-time")
@pytest.mark.parametrize("model", ["base", "big"])
def test_the_training_time_is_steps_times_seconds_a_step(model: str) -> None:
    row = published.row(papers("transformer_training").set_index("model"), model)
    total = product(exactly(row.steps), printed(row.seconds_per_step))
    assert overlap(total, product(printed(row.time), exactly(SECONDS[row.unit])))


def cost(system: str, pair: str) -> Interval:
    """The big Transformer's training cost over that of a system."""
    return ratio(printed(transformer("Transformer (big)")[pair]), printed(transformer(system)[pair]))


@claim("tr-small-fraction")
def test_the_big_transformer_costs_a_fraction_of_every_other_system_in_french() -> None:
    systems = [
        str(row.system)
        for row in papers("transformer_table2").itertuples()
        if row.group != "transformer" and row.flops_en_fr
    ]
    assert len(systems) == 7
    assert all(cost(system, "flops_en_fr")[1] < Decimal("0.25") for system in systems)


@claim("tr-small-fraction-german")
def test_the_big_transformer_costs_more_than_convs2s_in_german_and_as_much_as_gnmt() -> None:
    assert overlap(cost("ConvS2S", "flops_en_de"), printed("2.4"))
    assert cost("ConvS2S", "flops_en_de")[0] > 1
    assert overlap(cost("GNMT + RL", "flops_en_de"), exactly(1))


@claim("tr-t2-transformer-base")
def test_the_base_transformer_is_below_every_other_system_in_french() -> None:
    scores = papers("transformer_table2").set_index("system").bleu_en_fr
    base = printed(scores["Transformer (base model)"])
    assert all(base[1] < printed(value)[0] for value in scores.drop("Transformer (base model)") if value)
