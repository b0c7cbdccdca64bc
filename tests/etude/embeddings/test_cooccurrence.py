"""The fast counter of co-occurrences against brute force, and what it says to values that make no sense."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from etude.embeddings.cooccurrence import cooccurrence

LETTERS = list("abcdef")
TEXTS = st.lists(st.lists(st.sampled_from(LETTERS), max_size=9), max_size=6)


def brute_force(
    sentences: list[list[str]], vocabulary: list[str], window: int, weight: Callable[[int], float]
) -> torch.Tensor:
    table = torch.zeros(len(vocabulary), len(vocabulary), dtype=torch.float64)
    for sentence in sentences:
        known = [vocabulary.index(word) for word in sentence if word in vocabulary]
        for i, one in enumerate(known):
            for j, other in enumerate(known):
                if 0 < abs(i - j) <= window:
                    table[one, other] += weight(abs(i - j))
    return table


@settings(deadline=None)  # the first call waits for scipy and torch
@given(TEXTS, st.integers(1, 4), st.permutations(LETTERS), st.integers(1, 6))
def test_flat_counts_are_those_of_brute_force(
    sentences: list[list[str]], window: int, order: list[str], known: int
) -> None:
    counts = cooccurrence(sentences, order[:known], window)
    assert torch.equal(counts.to_dense(), brute_force(sentences, order[:known], window, lambda distance: 1.0))


@settings(deadline=None)  # the first call waits for scipy and torch
@given(TEXTS, st.integers(1, 4), st.permutations(LETTERS), st.integers(1, 6))
def test_harmonic_counts_weigh_each_pair_by_one_over_its_distance(
    sentences: list[list[str]], window: int, order: list[str], known: int
) -> None:
    counts = cooccurrence(sentences, order[:known], window, weighting="harmonic")
    expected = brute_force(sentences, order[:known], window, lambda distance: 1 / distance)
    torch.testing.assert_close(counts.to_dense(), expected)


def test_the_morning_coffee_matrix_has_ones_beside_the_diagonal() -> None:
    counts = cooccurrence([["모닝", "커피", "좋아"]], ["모닝", "커피", "좋아"], 1)
    assert counts.to_dense().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_a_word_beside_itself_is_counted_from_both_places() -> None:
    assert cooccurrence([["so", "so", "so"]], ["so"], 1).to_dense().tolist() == [[4]]


def test_an_unknown_word_is_taken_out_before_distances_are_measured() -> None:
    counts = cooccurrence([["ice", "xyzzy", "cold"]], ["ice", "cold"], 1, weighting="harmonic")
    assert counts.to_dense().tolist() == [[0, 1], [1, 0]]


def test_each_entry_is_stored_once() -> None:
    counts = cooccurrence([list("abab"), list("abba")], ["a", "b"], 3)
    assert counts.is_coalesced()
    assert counts.values().min() > 0
    assert counts.dtype == torch.float64


@given(TEXTS, st.sampled_from(["flat", "harmonic"]))
@settings(deadline=None)
def test_a_window_beyond_the_sentence_is_the_sentence(sentences: list[list[str]], weighting: Any) -> None:
    """A sum for each distance up to the window would take hours."""
    expected = cooccurrence(sentences, LETTERS, 9, weighting)
    assert torch.equal(cooccurrence(sentences, LETTERS, 10**9, weighting).to_dense(), expected.to_dense())


@pytest.mark.parametrize("sentences", [[], [[]], [["alone"]], [["unknown", "words"]]])
def test_a_text_without_pairs_gives_zeros(sentences: list[list[str]]) -> None:
    assert cooccurrence(sentences, ["alone", "together"], 5)._nnz() == 0


@pytest.mark.parametrize(
    ("sentences", "vocabulary", "window", "weighting", "said"),
    [
        ([["a"]], ["a"], 0, "flat", "window is 0"),
        ([["a"]], ["a"], 2, "linear", "'linear': choose 'flat' or 'harmonic'"),
        (["a b"], ["a"], 2, "flat", "'a b' is a string"),
        ([["a"]], ["a", "b", "a"], 2, "flat", "holds 'a' twice"),
    ],
)
def test_values_that_make_no_sense_are_refused(
    sentences: list[list[str]], vocabulary: list[str], window: int, weighting: Any, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        cooccurrence(sentences, vocabulary, window, weighting)
