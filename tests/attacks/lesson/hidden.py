"""Hidden checks and metrics of the lesson that is attacked. @SECRET@"""

import torch

from etude.lesson.checks import close, equal, exercise
from grader.grading.artifacts import Artifacts
from grader.grading.metrics import metric

SECRET = "@SECRET@"  # what an attack would show if it had read this file or this process
INPUT = "@INPUT@"  # what an attack would show if it could tell its author what it was asked
SENTENCES = [[INPUT], [INPUT, "is", "not", "known"], ["to", "the", INPUT, "at", "all"]]


@exercise("softmax", points=2)
def test_large_scores_do_not_overflow(student):
    scores = torch.tensor([[1000.0, 1001.0], [-3.0, 4.0], [0.5, 0.25]])
    close(student.softmax(scores), torch.softmax(scores, dim=1), given="rows with large scores")


@exercise("count_pairs", points=1)
def test_every_pair_of_a_sentence_is_counted(student):
    for words, counts in zip(SENTENCES, map(student.count_pairs, SENTENCES), strict=False):
        equal(sum(counts.values()), len(words) - 1, given=f"a sentence of {len(words)} words")


@exercise("count_pairs", points=1)
def test_a_pair_that_stands_twice_counts_twice(student):
    equal(student.count_pairs([INPUT, "is", INPUT, "is"]), {(INPUT, "is"): 2, ("is", INPUT): 1}, given="a is a is")


@metric("accuracy")
def accuracy(artifacts: Artifacts) -> float:
    return _share_right(artifacts.tensor("weights", ndim=1))


@metric("accuracy_array")
def accuracy_array(artifacts: Artifacts) -> float:
    return _share_right(torch.from_numpy(artifacts.array("weights", ndim=1)))


@metric("accuracy_table")
def accuracy_table(artifacts: Artifacts) -> float:
    return _share_right(torch.tensor(artifacts.table("weights")["weight"].to_numpy()))


@metric("agreement")
def agreement(artifacts: Artifacts, student) -> float:
    return sum(len(student.count_pairs(words)) == len(words) - 1 for words in SENTENCES) / len(SENTENCES)


def _share_right(weights: torch.Tensor) -> float:
    """The share of held-out points on the right side of the line."""
    points = torch.randn(300, 2, generator=torch.Generator().manual_seed(2))
    truth = (points @ torch.tensor([2.0, -1.0])).sign()
    return float(((points @ weights.float()).sign() == truth).float().mean())
