"""BERT's GLUE tables, in two versions of the paper: averages, gains, and whether size helps most where data are few."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from itertools import product

import numpy as np
import pandas as pd
import published
import pytest
from published import Interval, difference, exactly, figure, mean, overlap, papers, printed
from scipy import stats

from etude.lesson.checks import claim

TASKS = ["mnli_m", "mnli_mm", "qqp", "qnli", "sst2", "cola", "stsb", "mrpc", "rte"]
MISSED = ("final", "BiLSTM+ELMo+Attn")
ROWS = list(papers("bert_glue").set_index(["version", "system"]).index)


def glue(version: str, system: str) -> pd.Series[str]:
    return published.row(papers("bert_glue").set_index(["version", "system"]), (version, system))


def test_the_tasks_of_the_table_are_nine_without_ner_and_with_both_sst_2_and_sts_b() -> None:
    assert set(papers("bert_glue").columns) == {"version", "system", *TASKS, "average"}
    assert set(papers("glue_sizes").task) == set(TASKS)
    assert not overlap(printed(glue("final", "BERT_LARGE").sst2), printed(glue("final", "BERT_LARGE").stsb))


def rounded_mean(row: pd.Series[str]) -> str:
    scores = [Decimal(row[task]) for task in TASKS]
    return str((sum(scores, Decimal(0)) / len(scores)).quantize(Decimal("0.1"), ROUND_HALF_UP))


@claim(
    "glue-v1-PreOpenAI+glue-v1-BiLSTM+ELMo+Attn+glue-v1-OpenAI-GPT+glue-v1-BASE+glue-v1-LARGE+glue-v2-PreOpenAI+glue-v2-OpenAI-GPT+glue-v2-BASE+glue-v2-LARGE"
)
@pytest.mark.parametrize(("version", "system"), [row for row in ROWS if row != MISSED])
def test_the_average_is_the_rounded_mean_of_nine_columns(version: str, system: str) -> None:
    row = glue(version, system)
    assert rounded_mean(row) == row.average


@claim("glue-v2-BiLSTM+ELMo+Attn")
def test_one_average_of_the_final_version_is_not_the_mean_of_its_scores_but_that_of_the_first_version() -> None:
    row = glue(*MISSED)
    assert (rounded_mean(row), row.average) == ("70.9", "71.0")
    assert rounded_mean(glue("first", MISSED[1])) == "71.0"


def test_that_average_is_possible_if_the_mean_was_taken_of_scores_before_rounding() -> None:
    possible = mean(printed(glue(*MISSED)[task]) for task in TASKS)
    assert overlap(possible, printed("71.0"))
    assert not overlap(possible, printed("71.1"))


@pytest.mark.parametrize(("version", "system"), ROWS)
def test_a_misprint_of_two_points_in_one_score_would_be_seen(version: str, system: str) -> None:
    row = glue(version, system).copy()
    row["rte"] = str(Decimal(row["rte"]) + 2)
    assert not overlap(mean(printed(row[task]) for task in TASKS), printed(row.average))


@claim("glue-avg-9")
def test_an_average_over_tasks_would_count_mnli_once_and_give_another_number() -> None:
    row = glue("final", "BERT_LARGE")
    mnli = mean([printed(row.mnli_m), printed(row.mnli_mm)])
    by_task = mean([mnli, *(printed(row[task]) for task in TASKS[2:])])
    assert overlap(by_task, printed("81.55"))
    assert not overlap(by_task, printed(row.average))


@claim("glue-two-versions")
def test_the_two_versions_differ_in_qnli_and_the_average_alone() -> None:
    table = papers("bert_glue").set_index(["version", "system"])
    first, final = table.xs("first"), table.xs("final")
    assert isinstance(first, pd.DataFrame)
    changed = (first != final).any()
    assert set(changed[changed].index) == {"qnli", "average"}


@claim("glue-gain")
@pytest.mark.parametrize("system", ["BERT_BASE", "BERT_LARGE"])
def test_the_gains_over_gpt_are_those_of_the_text(system: str) -> None:
    ahead = difference(printed(glue("final", system).average), printed(glue("final", "OpenAI GPT").average))
    assert overlap(ahead, printed(figure("BERT", f"GLUE average of {system} above the best before")))
    assert not overlap(ahead, printed("5.5"))


@claim("glue-all-sota")
@pytest.mark.parametrize("version", ["first", "final"])
@pytest.mark.parametrize("task", TASKS)
def test_both_sizes_beat_all_earlier_systems_on_every_task(version: str, task: str) -> None:
    scores = papers("bert_glue").set_index("version").loc[version].set_index("system")[task]
    earlier = [printed(score) for system, score in scores.items() if not str(system).startswith("BERT")]
    for system in ("BERT_BASE", "BERT_LARGE"):
        assert all(printed(scores[system])[0] >= high for _, high in earlier)


def gains() -> dict[str, Interval]:
    """What BERT_LARGE has more than BERT_BASE, by task."""
    large, base = glue("final", "BERT_LARGE"), glue("final", "BERT_BASE")
    return {task: difference(printed(large[task]), printed(base[task])) for task in TASKS}


def sizes() -> list[float]:
    return papers("glue_sizes").set_index("task").loc[TASKS].train_thousands.astype(float).tolist()


@claim("glue-large-small-data")
def test_the_gain_of_size_does_not_fall_with_the_number_of_training_examples() -> None:
    middle = [float(sum(gain) / 2) for gain in gains().values()]
    assert round(stats.spearmanr(middle, sizes()).statistic, 2) == 0.10
    assert stats.spearmanr(sorted(middle, reverse=True), sorted(sizes())).statistic < -0.9


def test_no_rounding_hides_a_falling_trend_of_the_gain_of_size() -> None:
    ends = product(*((float(low), float(high)) for low, high in gains().values()))
    ranks = stats.rankdata(list(ends), axis=1)  # (2 ** tasks, tasks)
    corners = [np.corrcoef(rank, stats.rankdata(sizes()))[0, 1] for rank in ranks]
    assert min(corners) > -0.3


def test_the_two_largest_gains_of_size_are_on_small_tasks_and_so_is_the_smallest() -> None:
    order = sorted(TASKS, key=lambda task: gains()[task])
    small = {"cola", "stsb", "mrpc", "rte"}
    assert set(order[-2:]) == {"cola", "rte"}
    assert set(order[:2]) == {"mrpc", "stsb"}
    assert set(order[-2:]) | set(order[:2]) == small
    assert not overlap(gains()["cola"], gains()["rte"])
    assert gains()["mrpc"][0] >= exactly("0.3")[0]
