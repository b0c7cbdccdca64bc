"""What changes when a part of BERT is left out or BERT grows: Tables 5, 6 and 7 of its paper, and that of masking."""

import itertools
from decimal import Decimal

import numpy as np
import pandas as pd
import published
import pytest
from published import Interval, difference, figure, overlap, papers, printed

from etude.lesson.checks import claim

COLUMNS = ["mnli_m", "qnli", "mrpc", "sst2", "squad"]
STEPS = [("BERT_BASE", "No NSP"), ("No NSP", "LTR & No NSP")]


def drop(table: str, before: str, after: str, column: str) -> Interval:
    rows = papers(table).set_index(papers(table).columns[0])
    return difference(printed(str(rows.loc[before, column])), printed(str(rows.loc[after, column])))


@claim("t5-any-removal+t5-base+t5-no-nsp")
@pytest.mark.parametrize(("before", "after"), STEPS)
@pytest.mark.parametrize("column", COLUMNS)
def test_no_score_rises_when_a_pretraining_task_is_removed(before: str, after: str, column: str) -> None:
    assert drop("bert_tasks", before, after, column)[0] >= 0


@claim("t5-nsp-large")
def test_without_nsp_qnli_alone_falls_by_more_than_a_point() -> None:
    falls = {column: drop("bert_tasks", "BERT_BASE", "No NSP", column) for column in COLUMNS}
    assert {column for column, (low, _) in falls.items() if low > 1} == {"qnli"}
    assert all(high < 1 for column, (_, high) in falls.items() if column != "qnli")
    assert overlap(falls["qnli"], printed("3.5"))


@claim("t5-ltr-no-nsp")
def test_left_to_right_loses_most_on_squad_and_mrpc() -> None:
    falls = {column: drop("bert_tasks", "No NSP", "LTR & No NSP", column) for column in COLUMNS}
    assert {column for column, (low, _) in falls.items() if low > 5} == {"mrpc", "squad"}
    assert all(high < 2 for column, (_, high) in falls.items() if column not in ("mrpc", "squad"))


@claim("t5-bilstm")
def test_a_bilstm_on_top_repairs_a_part_of_squad_and_nothing_of_glue() -> None:
    gains = {column: drop("bert_tasks", "+ BiLSTM", "LTR & No NSP", column) for column in COLUMNS}
    assert overlap(gains["squad"], printed("7.1"))
    assert drop("bert_tasks", "No NSP", "+ BiLSTM", "squad")[0] > 2
    assert all(gains[column][0] <= 0 for column in COLUMNS if column != "squad")


def sizes() -> pd.DataFrame:
    return papers("bert_sizes")


@claim("t6-monotone+t6-3-768-12+t6-6-768-3+t6-6-768-12+t6-12-768-12+t6-12-1024-16+t6-24-1024-16")
@pytest.mark.parametrize("column", ["mnli_m", "mrpc", "sst2"])
def test_every_larger_model_is_better_in_every_column(column: str) -> None:
    scores = [printed(value) for value in sizes()[column]]
    assert all(larger[0] > smaller[1] for smaller, larger in itertools.pairwise(scores))


def test_perplexity_falls_with_size() -> None:
    perplexities = [printed(value) for value in sizes().perplexity]
    assert all(larger[1] < smaller[0] for smaller, larger in itertools.pairwise(perplexities))


@pytest.mark.parametrize(("column", "r"), [("mnli_m", -0.99), ("mrpc", -0.96), ("sst2", -0.96)])
def test_accuracy_falls_in_proportion_to_the_logarithm_of_perplexity(column: str, r: float) -> None:
    found = np.corrcoef(np.log(sizes().perplexity.astype(float)), sizes()[column].astype(float))[0, 1]
    assert round(found, 2) == r


@claim("t6-heads-printed")
def test_twelve_heads_are_better_than_three_in_six_layers() -> None:
    rows = sizes().set_index(["layers", "hidden", "heads"])
    gain = difference(
        printed(str(rows.loc[("6", "768", "12"), "mnli_m"])), printed(str(rows.loc[("6", "768", "3"), "mnli_m"]))
    )
    assert overlap(gain, printed("1.3"))
    assert gain[0] > 1


@claim("t6-not-striking")
def test_mnli_rises_by_less_than_nine_points_from_3_layers_to_24() -> None:
    rise = difference(printed(sizes().mnli_m.iloc[-1]), printed(sizes().mnli_m.iloc[0]))
    assert overlap(rise, printed("8.7"))
    assert rise[1] < 9


@claim("t5t6-sst2")
def test_sst_2_of_bert_base_is_printed_differently_in_two_tables_and_the_rest_alike() -> None:
    one = published.row(papers("bert_tasks").set_index("model"), "BERT_BASE")
    other = published.row(sizes().set_index(["layers", "hidden", "heads"]), ("12", "768", "12"))
    assert {column for column in ("mnli_m", "mrpc", "sst2") if one[column] != other[column]} == {"sst2"}
    assert not overlap(printed(one.sst2), printed(other.sst2))


def ner(system: str, column: str) -> Interval:
    return printed(str(papers("bert_ner").set_index("system").loc[system, column]))


@claim("t7-base+t7-second-to-last+t7-wsum-last4+t7-concat-last4+t7-wsum-all12")
def test_the_best_features_are_0_3_behind_fine_tuning() -> None:
    features = papers("bert_ner").set_index("group").loc["features"].set_index("system").dev
    best = max(features, key=printed)
    assert best == features["Concat Last Four Hidden"]
    assert overlap(
        difference(ner("BERT_BASE", "dev"), printed(best)),
        printed(figure("BERT", "NER F1 of the best features behind fine-tuning")),
    )


@claim("t7-embeddings+t7-last")
def test_the_embeddings_are_the_worst_features_and_the_last_layer_alone_the_next() -> None:
    features = papers("bert_ner").set_index("group").loc["features"].set_index("system").dev
    order = sorted(features.index, key=lambda system: printed(features[system]))
    assert order[:2] == ["Embeddings", "Last Hidden"]
    assert ner("Embeddings", "dev")[1] < ner("Last Hidden", "dev")[0] - 3


@claim("sota-all+t7-cse+t7-large+t7-cvt+t7-elmo")
def test_bert_is_not_the_best_on_the_test_part_of_conll_2003() -> None:
    for size in ("BERT_BASE", "BERT_LARGE"):
        assert ner("CSE", "test")[0] > ner(size, "test")[1]
    assert ner("BERT_LARGE", "test")[0] > ner("ELMo", "test")[1]


def masking(mask: str, same: str, column: str) -> Interval:
    return printed(str(papers("bert_masking").set_index(["mask", "same"]).loc[(mask, same), column]))


def test_the_masking_shares_add_up_to_all_chosen_tokens() -> None:
    shares = papers("bert_masking")[["mask", "same", "random"]].astype(int)
    assert (shares.sum(axis=1) == 100).all()
    names = ("of these replaced by [MASK]", "of these left as they are", "of these replaced by a random token")
    assert [figure("BERT", name) for name in names] == [str(share) for share in shares.iloc[0]]


@claim("bert-c2")
def test_masks_alone_hurt_ner_by_features_and_not_mnli() -> None:
    assert difference(masking("80", "10", "ner_features"), masking("100", "0", "ner_features"))[0] > Decimal("0.5")
    assert overlap(difference(masking("80", "10", "mnli"), masking("100", "0", "mnli")), printed("0.0"))


def test_random_words_alone_are_the_worst_for_mnli() -> None:
    rows = papers("bert_masking")
    worst = min(rows.itertuples(), key=lambda row: printed(str(row.mnli)))
    assert (worst.mask, worst.random) == ("0", "100")
