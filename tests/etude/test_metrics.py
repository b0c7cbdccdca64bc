"""The graded metrics: on all questions, so that nothing is won by leaving words out; alike in notebook and grader."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from etude import metrics
from etude.embeddings import evaluate
from etude.world import World

WORLD = World("en", seed=3)
WORDS = sorted(
    {word for question in WORLD.questions() for word in question} | {w for *ab, _ in WORLD.similarities() for w in ab}
)
VECTORS = torch.randn(len(WORDS), 8, generator=torch.Generator().manual_seed(1))


def test_the_questions_are_those_of_the_planted_relations() -> None:
    by_relation = WORLD.analogies()
    assert len(WORLD.questions()) == sum(map(len, by_relation.values())) - len(by_relation["control"])
    assert not set(WORLD.questions()) & set(by_relation["control"])
    assert set(World("ko").questions("morpheme")) == {
        q for name, asked in World("ko").analogies("morpheme").items() if name != "control" for q in asked
    }


def test_where_every_word_has_a_vector_the_plain_measures_are_the_graded_ones() -> None:
    questions, pairs = WORLD.questions(), WORLD.similarities()
    assert metrics.similarity(VECTORS, WORDS, pairs) == evaluate.similarity(VECTORS, WORDS, pairs)
    plain, graded = (of.analogies(VECTORS, WORDS, questions) for of in (evaluate, metrics))
    assert math.isclose(plain.value, graded.value)
    assert (graded.covered, graded.total) == (plain.covered, plain.total)


def test_three_recorded_words_earn_nothing() -> None:
    (a, b, _), *_ = pairs = sorted(WORLD.similarities(), key=lambda pair: -pair[2])
    few = [
        a,
        b,
        next(word for one, other, truth in pairs for word in (one, other) if truth == 0 and word not in (a, b)),
    ]
    chosen = torch.tensor([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    assert metrics.similarity(chosen, few, pairs).value == 0
    assert metrics.analogies(chosen, few, WORLD.questions()).value == 0


@given(st.integers(0, len(WORLD.questions()) - 1))
def test_the_words_of_one_question_answer_no_more_than_themselves(number: int) -> None:
    words = list(dict.fromkeys(WORLD.questions()[number]))
    alone = evaluate.analogies(torch.eye(len(words)), words, WORLD.questions())
    graded = metrics.analogies(torch.eye(len(words)), words, WORLD.questions())
    assert alone.value == 1.0  # the fourth word is the only one left to answer
    assert graded.value == graded.covered / graded.total < 0.01


@pytest.mark.parametrize(("covered", "counts"), [(2, False), (3, True)])
def test_similarity_counts_from_more_than_half_of_the_pairs_on(covered: int, counts: bool) -> None:
    words = [f"{side}{i}" for i in range(4) for side in "ab"][: 2 * covered]
    pairs = [(f"a{i}", f"b{i}", float(i)) for i in range(4)]
    vectors = torch.tensor([[math.cos(x), math.sin(x)] for i in range(covered) for x in (0.0, 1.0 / (i + 1))])
    score = metrics.similarity(vectors, words, pairs)
    assert (score.covered, score.total) == (covered, 4)
    assert math.isclose(score.value, 1.0) if counts else score.value == 0
