"""The reference of the lesson on sparse vectors against scikit-learn, and the papers' printed numbers against arithmetic."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances

from etude.embeddings.cooccurrence import cooccurrence
from etude.lesson.checks import collect
from etude.world import World
from grader.course import Course
from grader.lessons import source

LESSON = Course().lesson("week1_embeddings/sparse")


@pytest.fixture(scope="module")
def reference() -> SimpleNamespace:
    return SimpleNamespace(**source.namespace(LESSON))


@pytest.fixture(scope="module")
def corpus() -> list[list[str]]:
    return World("en", seed=7).corpus(4_000)


def plain(**settings: Any) -> CountVectorizer:
    """A CountVectorizer that takes tokens as they are."""
    return CountVectorizer(analyzer=lambda tokens: tokens, **settings)


def test_one_hot_rows_are_those_of_a_count_vectorizer_on_texts_of_one_word(
    reference: SimpleNamespace, corpus: list[list[str]]
) -> None:
    tokens, words = corpus[0] + corpus[1], sorted({token for sentence in corpus[:3] for token in sentence})
    expected = plain(vocabulary=words).transform([[token] for token in tokens]).toarray()
    np.testing.assert_array_equal(reference.one_hot(tokens, words), expected)


def test_the_vocabulary_has_grown_to_the_features_of_a_count_vectorizer(
    reference: SimpleNamespace, corpus: list[list[str]]
) -> None:
    tokens = [token for sentence in corpus for token in sentence]
    for read, different in reference.vocabulary_growth(tokens, 500):
        assert different == len(plain().fit([tokens[:read]]).vocabulary_)


def test_distances_and_cosines_are_those_of_scikit_learn(reference: SimpleNamespace) -> None:
    vectors = torch.randn(15, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    vectors[4] = 0
    np.testing.assert_allclose(reference.distances(vectors), euclidean_distances(vectors.numpy()), atol=1e-7)
    np.testing.assert_allclose(reference.cosines(vectors), cosine_similarity(vectors.numpy()), atol=1e-12)


@pytest.mark.parametrize("window", [1, 4])
def test_the_counts_of_neighbours_are_those_of_the_fast_counter(
    reference: SimpleNamespace, corpus: list[list[str]], window: int
) -> None:
    words = sorted({token for sentence in corpus for token in sentence})
    expected = cooccurrence(corpus, words, window).to_dense().long()
    assert torch.equal(reference.neighbour_counts(corpus, words, window), expected)


def test_lsa_is_a_truncated_svd_up_to_the_sign_of_columns(reference: SimpleNamespace, corpus: list[list[str]]) -> None:
    words = sorted({token for sentence in corpus for token in sentence})
    surprise = reference.ppmi(cooccurrence(corpus, words, 4).to_dense()).double()
    expected = TruncatedSVD(20, algorithm="arpack", random_state=0).fit_transform(surprise.numpy())
    np.testing.assert_allclose(reference.lsa(surprise, 20).abs(), np.abs(expected), atol=1e-8)


def test_the_thirteen_ratios_near_doctor_come_from_one_size_of_corpus() -> None:
    check = collect(LESSON.source / "checks.py")[0]
    rows = check.function.__globals__["DOCTOR"]
    half = {True: 0.05, False: 0.005}  # of the last printed digit, above and below one bit
    sizes = [[2 ** (bits + side * half[bits > 1]) * x * y / xy for side in (-1, 1)] for bits, xy, x, y in rows]
    smallest, largest = max(low for low, _ in sizes), min(high for _, high in sizes)
    assert 14.5e6 < smallest < 14.85e6 < largest < 15.5e6  # they print 15 million
