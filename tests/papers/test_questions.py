"""BERT's tables of SQuAD 1.1, SQuAD 2.0 and SWAG, and a poster on SQuAD: gains, impossible rows, people as a measure."""

from decimal import Decimal
from math import ceil

import pandas as pd
import published
import pytest
from published import Interval, difference, figure, overlap, papers, printed
from scipy.stats import binomtest

from etude.lesson.checks import claim


def score(table: str, system: str, column: str) -> Interval:
    return printed(str(papers(table).set_index("system").loc[system, column]))


def impossible(table: pd.DataFrame) -> list[str]:
    """The systems whose exact match is above their F1: F1 gives an exact match all its points and others some."""
    cells = [
        (row["system"], row[f"{part}_em"], row[f"{part}_f1"]) for _, row in table.iterrows() for part in ("dev", "test")
    ]
    return [str(system) for system, em, f1 in cells if em and f1 and printed(em)[0] > printed(f1)[1]]


@claim(
    "squad11-nlnet+squad11-bidaf-elmo+squad11-rm-reader+squad11-ours+squad11-base+squad11-medium-single+squad11-large-single+squad11-qanet+squad20-mir-mrc+squad20-nlnet+squad20-unet+squad20-slqa+squad20-ours"
)
@pytest.mark.parametrize("table", ["bert_squad11", "bert_squad20"])
def test_no_system_has_more_exact_matches_than_f1(table: str) -> None:
    assert impossible(papers(table)) == []


def test_an_exact_match_above_f1_would_be_seen() -> None:
    wrong = papers("bert_squad11")
    wrong.loc[wrong.system == "R.M. Reader (Ensemble)", "test_em"] = "88.9"
    assert impossible(wrong) == ["R.M. Reader (Ensemble)"]


def test_bidaf_elmo_prints_f1_alone_and_as_exact_matches_its_figures_would_beat_people() -> None:
    row = published.row(papers("bert_squad11").set_index("system"), "BiDAF+ELMo (Single)")
    assert (row.dev_em, row.test_em) == ("", "")
    assert printed(row.test_f1)[0] > score("bert_squad11", "Human", "test_em")[1]
    assert printed(row.test_f1)[1] < score("bert_squad11", "#2 Ensemble - QANet", "test_f1")[0]


@pytest.mark.parametrize("measure", ["dev_em", "dev_f1"])
def test_berts_own_rows_on_squad_11_rise_with_size_training_data_and_ensembles(measure: str) -> None:
    rows = papers("bert_squad11").set_index("group").loc["ours"].set_index("system")[measure]
    base, single, ensemble, more, most = (
        "BERT_BASE (Single)",
        *(f"BERT_LARGE ({kind})" for kind in ("Single", "Ensemble", "Sgl.+TriviaQA", "Ens.+TriviaQA")),
    )
    assert set(rows.index) == {base, single, ensemble, more, most}
    for below, above in ((base, single), (single, ensemble), (single, more), (ensemble, most), (more, most)):
        assert difference(printed(rows[above]), printed(rows[below]))[0] >= 0, (below, above)


@claim("squad11-gain+squad11-large-ens-triviaqa+squad11-large-triviaqa", "squad20-gain")
@pytest.mark.parametrize(
    ("table", "ours", "theirs", "gain"),
    [
        ("bert_squad11", "BERT_LARGE (Ens.+TriviaQA)", "#1 Ensemble - nlnet", "SQuAD 1.1 F1 of the ensemble"),
        ("bert_squad11", "BERT_LARGE (Sgl.+TriviaQA)", "#2 Ensemble - QANet", "SQuAD 1.1 F1 of the single system"),
        ("bert_squad20", "BERT_LARGE (Single)", "#1 Single - MIR-MRC (F-Net)", "SQuAD 2.0 F1"),
    ],
)
def test_the_gain_in_f1_is_that_of_the_text(table: str, ours: str, theirs: str, gain: str) -> None:
    ahead = difference(score(table, ours, "test_f1"), score(table, theirs, "test_f1"))
    assert overlap(ahead, printed(figure("BERT", f"{gain} above the best before")))


def test_the_gain_over_the_first_system_would_not_follow_from_the_second_systems_f1() -> None:
    of_the_second = difference(
        score("bert_squad11", "BERT_LARGE (Ens.+TriviaQA)", "test_f1"),
        score("bert_squad11", "#2 Ensemble - QANet", "test_f1"),
    )
    assert overlap(of_the_second, printed("2.7"))
    assert not overlap(of_the_second, printed("1.5"))


@claim("squad11-human")
def test_the_ensemble_is_above_people_on_squad_11_in_both_measures() -> None:
    for measure in ("test_em", "test_f1"):
        ensemble = score("bert_squad11", "BERT_LARGE (Ens.+TriviaQA)", measure)
        assert difference(ensemble, score("bert_squad11", "Human", measure))[0] > 0


@claim("squad20-human")
def test_bert_is_six_f1_points_below_people_on_squad_20() -> None:
    behind = difference(
        score("bert_squad20", "Human", "test_f1"), score("bert_squad20", "BERT_LARGE (Single)", "test_f1")
    )
    assert overlap(behind, printed("6.4"))


@claim("swag-esim-glove+swag-esim-elmo+swag-gpt+swag-base+swag-large")
@pytest.mark.parametrize(("theirs", "name"), [("ESIM+ELMo", "ESIM+ELMo"), ("OpenAI GPT", "GPT")])
def test_the_gains_on_swag_are_those_of_the_text(theirs: str, name: str) -> None:
    ahead = difference(score("bert_swag", "BERT_LARGE", "test"), score("bert_swag", theirs, "test"))
    assert overlap(ahead, printed(figure("BERT", f"SWAG accuracy of BERT_LARGE above {name}")))
    assert not overlap(ahead, printed("18.3"))


def wilson(right: int, samples: int) -> tuple[float, float]:
    """The interval of a percentage at 95 %."""
    interval = binomtest(right, samples).proportion_ci(method="wilson")
    return 100 * interval.low, 100 * interval.high


@claim("swag-human-expert+swag-human-5")
def test_a_hundred_samples_leave_room_for_bert_on_both_sides_of_a_human_expert() -> None:
    row = published.row(papers("bert_swag").set_index("system"), "Human (expert)")
    right = Decimal(row.test) * int(row.samples) / 100
    assert right == 85
    low, high = wilson(int(right), int(row.samples))
    assert (round(low, 1), round(high, 1)) == (76.7, 90.7)
    assert low < score("bert_swag", "BERT_LARGE", "test")[0]
    assert score("bert_swag", "BERT_LARGE", "test")[1] < high


def test_ten_thousand_samples_would_have_settled_it() -> None:
    _, high = wilson(8_500, 10_000)
    assert high < score("bert_swag", "BERT_LARGE", "test")[0]


def poster(name: str, where: str = "text") -> Decimal:
    return Decimal(figure("McGill", name, where))


@claim("mcgill-counts")
def test_every_50th_and_every_25th_question_are_as_many_as_the_poster_says() -> None:
    questions, step = int(poster("questions in the training part of SQuAD 2.0")), 50
    assert poster("every how many-th question is taken for tuning") == step
    assert ceil(questions / step) == poster("questions for tuning")
    assert ceil(questions / (step // 2)) == poster("questions for testing")
    assert ceil(questions / (step - 1)) != poster("questions for tuning")


def test_every_question_of_the_tuning_part_would_then_be_in_the_test_part() -> None:
    questions = int(poster("questions in the training part of SQuAD 2.0"))
    assert set(range(0, questions, 50)) <= set(range(0, questions, 25))


@claim("mcgill-scores")
def test_a_partial_match_below_the_exact_match_is_impossible_and_the_posters_output_prints_one() -> None:
    def possible(where: str) -> bool:
        return poster("mean partial match", where) >= poster("exact matches", where)

    assert possible("text")
    assert not possible("printed output")
