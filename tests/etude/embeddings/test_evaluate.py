"""Evaluation of word vectors: gensim and scipy agree, and coverage is told."""

import math
import warnings
from collections.abc import Callable

import pytest
import torch
from gensim.models import KeyedVectors
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from etude.embeddings import evaluate
from etude.embeddings.evaluate import Score, analogies, similarity

WORDS = [f"w{i}" for i in range(40)]
words = st.sampled_from([*WORDS, "unknown"])
seeds = st.integers(0, 10**6)


def vectors(seed: int, d: int = 6) -> torch.Tensor:
    """Random vectors (40, d) of lengths between 0.1 and 10."""
    generator = torch.Generator().manual_seed(seed)
    lengths = 10 ** (2 * torch.rand(len(WORDS), 1, generator=generator) - 1)
    return lengths * torch.nn.functional.normalize(torch.randn(len(WORDS), d, generator=generator), dim=1)


def answer(points: torch.Tensor, a: str, b: str, c: str) -> str:
    """By brute force: the word nearest to b − a + c of unit vectors, in double precision."""
    unit = {word: point / point.norm() for word, point in zip(WORDS, points.double(), strict=True)}
    return max(sorted(unit.keys() - {a, b, c}), key=lambda word: float(unit[word] @ (unit[b] - unit[a] + unit[c])))


@given(seeds, st.lists(st.tuples(words, words, words, st.none() | words), min_size=1, max_size=20))
def test_gensim_gives_the_same_accuracy(
    tmp_path_factory: pytest.TempPathFactory, seed: int, drawn: list[tuple[str, str, str, str | None]]
) -> None:
    points = vectors(seed)
    questions = []
    for a, b, c, d in drawn:
        if d is None:  # half of the questions are answered rightly
            d = answer(points, a, b, c) if "unknown" not in (a, b, c) else "w0"
        questions.append((a, b, c, d))
    path = tmp_path_factory.mktemp("questions") / "questions.txt"
    path.write_text("\n".join([": drawn", *(" ".join(question) for question in questions)]))
    model = KeyedVectors(points.shape[1])
    model.add_vectors(WORDS, points.numpy())
    accuracy, sections = model.evaluate_word_analogies(str(path), case_insensitive=False)
    covered = sum(len(sections[0][key]) for key in ("correct", "incorrect"))
    score = analogies(points, WORDS, questions)
    assert (score.covered, score.total) == (covered, len(questions))
    assert score.value == pytest.approx(accuracy) if covered else math.isnan(score.value)


pairs_of_words = st.tuples(words, words, st.integers(0, 10)).filter(lambda pair: pair[0] != pair[1])


@given(seeds, st.lists(pairs_of_words, min_size=3, max_size=20, unique_by=lambda pair: frozenset(pair[:2])))
def test_scipy_gives_the_same_correlation(seed: int, pairs: list[tuple[str, str, float]]) -> None:
    points = vectors(seed).double()
    cosine = 1 - cdist(points, points, "cosine")
    known = [(WORDS.index(a), WORDS.index(b), score) for a, b, score in pairs if "unknown" not in (a, b)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a correlation with a constant
        found = similarity(points, WORDS, pairs)
        expected = math.nan
        if len(known) >= 3:
            expected = spearmanr([cosine[a, b] for a, b, _ in known], [score for *_, score in known]).statistic
    assert (found.covered, found.total) == (len(known), len(pairs))
    assert found.value == pytest.approx(expected, abs=1e-9, nan_ok=True)


QUESTION = ("france", "paris", "korea", "seoul")
PLACES = ["france", "paris", "korea", "seoul", "coffee"]
OFFSETS = torch.tensor([[1.0, 0.0, 0.2], [1.0, 1.0, 0.2], [-1.0, 0.0, 0.3], [-1.0, 1.0, 0.3], [0.0, 0.1, -2.0]])


@pytest.mark.parametrize(
    "points",
    [
        OFFSETS,
        OFFSETS.clone().requires_grad_(),
        torch.nn.Parameter(OFFSETS.clone()),
        OFFSETS.double(),
        OFFSETS.half(),
        OFFSETS.T.contiguous().T,
    ],
    ids=["plain", "requires grad", "parameter", "double", "half", "transposed"],
)
def test_vectors_of_every_kind_are_evaluated_and_left_alone(points: torch.Tensor) -> None:
    before = points.detach().clone()
    assert analogies(points, PLACES, [QUESTION]) == Score(1.0, 1, 1)
    assert (
        similarity(points, PLACES, [("france", "paris", 3), ("france", "korea", 2), ("france", "coffee", 1)]).covered
        == 3
    )
    assert torch.equal(points.detach(), before)


@pytest.mark.parametrize("block", [1, 7, 100, 10**6])
def test_the_size_of_a_block_changes_nothing(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    points = vectors(3)
    questions = [
        (a, b, c, answer(points, a, b, c)) for a, b, c in zip(WORDS[::2], WORDS[1::2], WORDS[5:25], strict=True)
    ]
    questions[::3] = [(*question[:3], "w39") for question in questions[::3]]
    expected = analogies(points, WORDS, questions)
    monkeypatch.setattr(evaluate, "BLOCK", block)
    assert analogies(points, WORDS, questions) == expected
    assert 0 < expected.value < 1


def test_the_words_of_a_question_are_never_its_answer() -> None:
    assert analogies(OFFSETS, PLACES, [("france", "paris", "korea", word) for word in PLACES[:3]]).value == 0


def test_without_a_covered_question_there_is_no_score() -> None:
    for score in (
        analogies(OFFSETS, PLACES, [("x", "y", "z", "w")]),
        similarity(OFFSETS, PLACES, iter([("x", "y", 1.0)])),
    ):
        assert math.isnan(score.value)
        assert str(score) == "nan (0 of 1 covered)"
    assert analogies(torch.zeros(0, 3), [], []).total == 0


def test_where_all_cosines_or_all_judgements_are_equal_there_is_no_correlation_and_no_warning() -> None:
    pairs = [("w0", "w1", 3.0), ("w0", "w2", 2.0), ("w1", "w2", 1.0)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one_hot = similarity(torch.eye(len(WORDS)), WORDS, pairs)
        indifferent = similarity(vectors(1), WORDS, [(a, b, 2.0) for a, b, _ in pairs])
    for score in (one_hot, indifferent):
        assert math.isnan(score.value)
        assert (score.covered, score.total) == (3, 3)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("row", [0, 4])
def test_a_vector_that_is_not_finite_is_refused_by_its_word_and_not_taken_for_the_nearest(
    wrong: float, row: int
) -> None:
    points = OFFSETS.clone()
    points[row, 1] = wrong
    with pytest.raises(ValueError, match=f"the vector of '{PLACES[row]}' holds NaN or an infinite number"):
        analogies(points, PLACES, [QUESTION])


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
@pytest.mark.parametrize("more", [[], [("france", "broken", 0.0)]])
def test_similarity_refuses_a_vector_that_is_not_finite_as_analogies_do_asked_about_or_not(
    wrong: float, more: list[tuple[str, str, float]]
) -> None:
    points = torch.cat([OFFSETS, torch.full((1, 3), wrong)])
    pairs = [("france", "paris", 3.0), ("france", "korea", 2.0), ("france", "coffee", 1.0), *more]
    with pytest.raises(ValueError, match="the vector of 'broken' holds NaN or an infinite number: leave the word out"):
        similarity(points, [*PLACES, "broken"], pairs)


def test_a_judgement_that_is_no_number_is_refused_by_its_pair() -> None:
    with pytest.raises(ValueError, match=r"the similarity of 'france' and 'korea' is NaN.*leave the pair out"):
        similarity(OFFSETS, PLACES, [("france", "paris", 3.0), ("france", "korea", math.nan)])


@pytest.mark.parametrize("function", [analogies, similarity])
def test_a_list_of_words_that_does_not_fit_the_vectors_is_refused(function: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="4 words for 5 vectors: give one word for each row"):
        function(OFFSETS, PLACES[:4], [])
