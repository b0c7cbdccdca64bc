"""RoBERTa's and ALBERT's tables: next sentences or not, averages, the same model in two tables; data, batches and rates of training."""

from decimal import Decimal

import pandas as pd
import published
import pytest
from published import (
    Interval,
    cut_off,
    difference,
    exactly,
    figure,
    mean,
    overlap,
    papers,
    printed,
    product,
    ratio,
    rough,
)

from etude.lesson.checks import claim

TASKS = ["mnli", "sst2", "race"]
SQUADS = ["squad11", "squad20"]


@claim("roberta-t2")
@pytest.mark.parametrize("model", ["FULL-SENTENCES", "DOC-SENTENCES"])
def test_without_nsp_no_score_but_that_of_sst_2_is_below_that_of_segment_pairs_with_it(model: str) -> None:
    rows = papers("roberta_nsp").set_index("model")[["squad11_f1", "squad20_f1", "mnli_m", "sst2", "race"]]
    gains = {column: difference(printed(rows[column][model]), printed(rows[column]["SEGMENT-PAIR"])) for column in rows}
    assert {column for column, (_, high) in gains.items() if high < 0} <= {"sst2"}
    assert {column for column, (low, _) in gains.items() if low > 0} >= {"squad20_f1", "mnli_m", "race"}


def average(row: pd.Series) -> Interval:
    """Of five tasks, each SQuAD as the mean of F1 and exact match."""
    squads = [mean([printed(row[f"{name}_f1"]), printed(row[f"{name}_em"])]) for name in SQUADS]
    return mean([*squads, *(printed(row[task]) for task in TASKS)])


@claim("albert-averages")
@pytest.mark.parametrize("table", ["albert_embedding", "albert_sharing", "albert_order"])
def test_alberts_averages_follow_from_five_tasks_with_squad_as_the_mean_of_two_measures(table: str) -> None:
    for _, row in papers(table).iterrows():
        assert overlap(average(row), printed(row.average)), f"{list(row)}: {average(row)}"
        assert not overlap(average(row), printed(str(Decimal(row.average) + Decimal("0.2"))))


def test_an_average_of_f1_alone_would_be_another() -> None:
    row = published.row(papers("albert_order").set_index("task"), "sop")
    f1 = mean([*(printed(row[f"{name}_f1"]) for name in SQUADS), *(printed(row[task]) for task in TASKS)])
    assert not overlap(f1, printed(row.average))


@claim("albert-published-clash")
def test_the_same_four_models_differ_in_two_of_alberts_tables() -> None:
    keys = ["sharing", "embedding"]
    one, other = (papers(name).set_index(keys) for name in ("albert_embedding", "albert_sharing"))
    both = one.index.intersection(other.index)
    changed = {
        (key, column): (one.loc[key, column], other.loc[key, column])
        for key in both
        for column in one.columns
        if one.loc[key, column] != other.loc[key, column]
    }
    assert len(both) == 4
    assert changed == {
        (("all-shared", "128"), "mnli"): ("81.6", "82.0"),
        (("not-shared", "128"), "mnli"): ("83.7", "83.2"),
        (("not-shared", "128"), "average"): ("81.7", "81.6"),
    }


@claim("sop-gain")
@pytest.mark.parametrize("before", ["none", "nsp"])
def test_sentence_order_adds_about_a_point_to_the_average(before: str) -> None:
    rows = papers("albert_order").set_index("task").average
    gain = difference(printed(rows["sop"]), printed(rows[before]))
    assert gain[0] >= Decimal("0.8")
    assert gain[1] <= Decimal("1.2")


def test_next_sentences_add_little_to_the_average_and_cost_points_on_squad() -> None:
    rows = papers("albert_order").set_index("task")
    assert difference(printed(rows.average["nsp"]), printed(rows.average["none"]))[1] < Decimal("0.4")
    assert printed(rows.squad20_f1["nsp"])[1] < printed(rows.squad20_f1["none"])[0]


@claim("sop-vs-nsp-printed")
def test_a_model_of_next_sentences_cannot_tell_their_order_and_one_of_order_can_tell_the_next() -> None:
    rows = papers("albert_order").set_index("task")
    assert overlap(printed(rows.sop_accuracy["nsp"]), (Decimal(48), Decimal(53)))
    assert printed(rows.nsp_accuracy["sop"])[0] > 75


@claim("bert-corpus")
def test_bookscorpus_and_wikipedia_are_3_3_billion_words_together() -> None:
    words = int(figure("BERT", "BooksCorpus")) + int(figure("BERT", "English Wikipedia"))
    assert overlap(exactly(words), product(printed(figure("BERT", "corpus about")), exactly(1000)))
    assert words > 2_500


@claim("bert-batch")
def test_256_sequences_of_512_tokens_are_128_times_1024_tokens_and_not_128_000() -> None:
    tokens = int(figure("BERT", "sequences in a batch")) * int(figure("BERT", "length of a sequence"))
    assert tokens == 128 * 1024
    assert not overlap(exactly(tokens), rough(figure("BERT", "tokens in a batch")))


@claim("bert-batch-ratio")
def test_bert_reads_four_times_the_words_of_gpt_1_in_a_batch() -> None:
    words = (figure("BERT", "words in a batch of BERT"), figure("BERT", "words in a batch of GPT-1"))
    assert overlap(ratio(rough(words[0]), rough(words[1])), exactly(4))
    assert 256 * 512 == 4 * 64 * 512


@claim("bert-epochs")
def test_a_million_steps_are_about_40_epochs() -> None:
    tokens = product(exactly(256 * 512), exactly(figure("BERT", "training")))
    corpus = product(printed(figure("BERT", "corpus about")), exactly("1e9"))
    assert overlap(ratio(tokens, corpus), printed(figure("BERT", "training is about")))
    assert not overlap(ratio(tokens, corpus), printed("4"))


@claim("gpt1-lr")
def test_two_papers_print_different_learning_rates_for_fine_tuning_gpt_1() -> None:
    berts = figure("BERT", "learning rate of fine-tuning of GPT-1")
    assert not overlap(printed(berts), printed(figure("GPT-1", "learning rate of fine-tuning")))


@claim("warmup-5pct")
@pytest.mark.parametrize(
    ("paper", "warm_up", "training", "percent"),
    [
        ("Transformer", "warm-up of the base model", "training of the base model", "4.0"),
        ("BERT", "warm-up", "training", "1.0"),
    ],
)
def test_warm_up_is_4_percent_of_the_transformers_steps_and_1_percent_of_berts(
    paper: str, warm_up: str, training: str, percent: str
) -> None:
    share = 100 * Decimal(figure(paper, warm_up)) / Decimal(figure(paper, training))
    assert share == Decimal(percent)
    assert not overlap(exactly(str(share)), printed("5"))


@claim("roberta-data")
def test_roberta_reads_ten_times_the_text_of_bert() -> None:
    times = ratio(printed(figure("RoBERTa", "text of RoBERTa over")), printed(figure("RoBERTa", "text of BERT")))
    assert overlap(times, exactly(10))
    assert not overlap(times, exactly(11))


@claim("gpt2-40gb")
def test_a_document_of_webtext_has_5_kilobytes_and_one_link_in_six_is_left() -> None:
    documents, links = (
        figure("GPT-2", name) for name in ("documents left in WebText slightly over", "links in WebText")
    )
    size = product(printed(figure("GPT-2", "text of WebText")), exactly("1e6"))
    assert overlap(ratio(size, product(cut_off(documents), exactly("1e6"))), printed("5.0"))
    assert overlap(ratio(printed(documents), printed(links)), printed("0.178"))


@claim("gpt2-tldr-printed")
def test_tl_dr_is_better_than_no_hint_and_hardly_better_than_three_random_sentences() -> None:
    hint, without, chance = (
        printed(figure("GPT-2", name))
        for name in ("mean ROUGE with TL;DR:", "mean ROUGE without the hint", "mean ROUGE of three random sentences")
    )
    assert overlap(difference(hint, without), printed("6.37"))
    assert Decimal(0) < difference(hint, chance)[0] < difference(hint, chance)[1] < Decimal("0.5")


@claim("semisup-failed")
def test_the_error_on_imdb_fell_with_pretraining_in_2015() -> None:
    fall = difference(
        printed(figure("Dai and Le", "error on IMDB of the best model before")),
        printed(figure("Dai and Le", "error on IMDB with pre-training")),
    )
    assert fall[0] > 0
    assert overlap(fall, printed("0.18"))
