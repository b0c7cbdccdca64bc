"""Scores of real tasks on cases that are counted by hand, and the baselines beside them."""

import pytest

from etude.corpora.tasks import Choice, Question, Split, Text, Words, task
from etude.finetuning import baselines, score


def test_classes_and_numbers() -> None:
    found = score.of_labels([0, 0, 0, 1], [0, 0, 0, 0])
    assert found == {"accuracy": 0.75, "macro F1": pytest.approx(3 / 7), "Matthews": 0.0}
    assert score.of_scores([1.0, 2.0, 4.0], [1.0, 4.0, 16.0])["Spearman"] == pytest.approx(1)
    assert score.of_scores([1.0, 2.0], [3.0, 3.0]) == {"Pearson": 0.0, "Spearman": 0.0}


def test_a_name_counts_as_a_whole() -> None:
    truth = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
    found = score.of_tags(truth, [["B-PER", "O", "O"], ["O", "B-LOC", "O"]])
    assert found == {"F1 of names": pytest.approx(0.5), "accuracy of tags": pytest.approx(5 / 6)}


@pytest.mark.parametrize(
    ("truth", "answer", "unit", "exact", "f1"),
    [
        ("The cat!", "a cat", "word", 1, 1.0),
        ("black cat", "cat", "word", 0, 2 / 3),
        ("cat", "dog", "word", 0, 0.0),
        ("1989년", "1989", "character", 0, 8 / 9),
        ("하루 3잔", "하루3잔.", "character", 1, 1.0),
        ("", "", "word", 1, 1.0),
    ],
)
def test_answers(truth: str, answer: str, unit: str, exact: float, f1: float) -> None:
    found = score.of_answers([truth], [answer], unit)  # type: ignore[arg-type]
    assert found == {"exact match": exact, "F1": pytest.approx(f1)}


def test_counted_words_tell_what_words_can_tell() -> None:
    good, bad = [Text("fine good film", None, 1)] * 5, [Text("dull weak film", None, 0)] * 4
    split = Split(good + bad, [Text("good", None, 1), Text("weak", None, 0)])
    assert baselines.majority(task("sst2"), split)["accuracy"] == 0.5
    assert baselines.counted_words(task("sst2"), split)["accuracy"] == 1
    pairs = [Text("a cat sat", "a cat sat", 5.0), Text("a cat sat", "a dog sat", 3.0), Text("one", "two", 0.0)]
    assert baselines.counted_words(task("stsb"), Split(pairs, pairs))["Spearman"] == pytest.approx(1)
    tags = [Words(("in", "Seoul"), ("O", "B-location")), Words(("Seoul",), ("B-location",))]
    assert baselines.counted_words(task("wnut17"), Split(tags, tags))["F1 of names"] == 1
    assert baselines.majority(task("wnut17"), Split(tags, tags)) == {"F1 of names": 0, "accuracy of tags": 1 / 3}
    ends = [Choice("the old cat", ("dogs bark", "the cat", "we ran", "no"), 1)]
    assert baselines.counted_words(task("codah"), Split(ends, ends))["accuracy"] == 1
    asked = [Question("It rained. The cat slept.", "which cat", "The cat slept", 11)]
    assert baselines.counted_words(task("xquad"), Split(asked, asked)) == {"exact match": 1.0, "F1": 1.0}
