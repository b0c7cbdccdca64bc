"""Sparse vectors: hidden checks and the metrics that the grader computes itself. Never released."""

import math
from collections import Counter

import numpy as np
import torch

from etude.embeddings import evaluate
from etude.lesson.checks import close, equal, exercise
from etude.lesson.interface import Student
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric


@exercise("one_hot")
def test_a_longer_text_agrees_with_brute_force(student: Student) -> None:
    words = [f"w{i}" for i in range(30)]
    tokens = [f"w{i * i % 37}" for i in range(50)]  # some of them unknown, some twice
    expected = [[float(token == word) for word in words] for token in tokens]
    close(student.one_hot(tokens, words), expected, given="50 tokens, 30 words")


@exercise("one_hot", points=0.5)
def test_no_text_has_no_rows(student: Student) -> None:
    equal(list(student.one_hot([], ["a", "b", "c"]).shape), [0, 3], given="no tokens, 3 words; the shape")


@exercise("one_hot", points=0.5)
def test_words_that_differ_in_one_sign_have_axes_of_their_own(student: Student) -> None:
    words = ["us", "Us", "3"]
    close(student.one_hot(["Us"], words), [[0, 1, 0]], given="Us, with the words us, Us, 3")
    near = ["us", " us", "us.", "", "café", "cafe\u0301"]
    close(student.one_hot(near, near), np.eye(6), given="us, ' us', 'us.', '' and café with é as one sign and as two")
    close(student.one_hot(["US", "us"], words), [[0, 0, 0], [1, 0, 0]], given="US us, with the words us, Us, 3")


@exercise("distances")
def test_random_points_agree_with_brute_force(student: Student) -> None:
    generator = torch.Generator().manual_seed(1)
    vectors = torch.randn(9, 4, generator=generator)
    handle = student.put(vectors.clone())
    expected = [[math.dist(one, other) for other in vectors.tolist()] for one in vectors.tolist()]
    close(student.distances(handle), expected, rtol=1e-3, atol=2e-3, given="9 random points in 4 dimensions")
    close(student.value(handle), vectors, given="the points, after their distances were asked for")


@exercise("distances", points=0.5)
def test_one_point_is_at_no_distance_from_itself(student: Student) -> None:
    close(student.distances(torch.tensor([[5.0, -2.0]])), [[0.0]], atol=1e-5, given="one point")


@exercise("distances", points=0.5)
def test_near_points_far_from_the_origin_are_told_apart(student: Student) -> None:
    for far, kind in ((10_000.0, torch.float32), (1e8, torch.float64)):
        points = torch.tensor([[far, 0.0], [far + 0.5, 0.0]], dtype=kind)
        close(student.distances(points), [[0, 0.5], [0.5, 0]], given=f"({far:g}, 0) and ({far:g} + ½, 0), of {kind}")


@exercise("cosines")
def test_random_vectors_agree_with_brute_force(student: Student) -> None:
    generator = torch.Generator().manual_seed(2)
    vectors = torch.randn(8, 5, generator=generator) * torch.logspace(-4, 3, 8)[:, None]
    vectors[4] = torch.tensor([1.0, -1.0, 2.0, -2.0, 0.0])
    handle = student.put(vectors.clone())
    expected = torch.nn.functional.cosine_similarity(vectors[:, None], vectors[None], dim=2)
    close(student.cosines(handle), expected, rtol=1e-3, atol=1e-5, given="8 random vectors of many lengths")
    close(student.value(handle), vectors, given="the vectors, after their cosines were asked for")
    close(student.cosines(vectors[:1]), [[1]], rtol=1e-3, given="the first of them alone")


@exercise("vocabulary_growth")
def test_a_long_text_agrees_with_brute_force(student: Student) -> None:
    tokens = [str(i * i % 101 + i // 40) for i in range(503)]
    expected = [(n, len(set(tokens[:n]))) for n in range(25, 504, 25)]
    equal(student.vocabulary_growth(tokens, 25), expected, given="503 tokens, every 25 tokens")
    each = [(n, len(set(tokens[:n]))) for n in range(1, 504)]
    equal(student.vocabulary_growth(tokens, 1), each, given="503 tokens, every token")


@exercise("vocabulary_growth", points=0.5)
def test_words_that_differ_in_one_sign_are_different_words(student: Student) -> None:
    points = student.vocabulary_growth(["us", "Us", "US", "us"], 2)
    equal(points, [(2, 2), (4, 3)], given="us Us US us, every 2 tokens")
    points = student.vocabulary_growth(["café", "cafe\u0301", "us", "us.", "", "us "], 2)
    equal(points, [(2, 2), (4, 4), (6, 6)], given="café with é as one sign and as two, us, us., an empty word, us and a blank")


@exercise("vocabulary_growth", points=0.5)
def test_a_text_that_is_too_short_has_no_points(student: Student) -> None:
    equal(list(student.vocabulary_growth(["a", "b"], 3)), [], given="a b, every 3 tokens")


@exercise("neighbour_counts", points=2)
def test_random_sentences_agree_with_brute_force(student: Student) -> None:
    draw = np.random.default_rng(3)
    words = list("abcde")
    sentences = [[str(word) for word in draw.choice(words, size=length)] for length in (9, 1, 4, 12, 2)]
    for window in (1, 3, 20):
        met = Counter(
            (one, other)
            for sentence in sentences
            for i, one in enumerate(sentence)
            for j, other in enumerate(sentence)
            if 0 < abs(i - j) <= window
        )
        expected = [[met[one, other] for other in words] for one in words]
        close(
            student.neighbour_counts(sentences, words, window),
            expected,
            given=f"five random sentences, window {window}",
        )


@exercise("neighbour_counts", points=0.5)
def test_a_word_that_never_occurs_has_a_row_of_zeros(student: Student) -> None:
    close(
        student.neighbour_counts([["b"], [], ["b", "c"]], ["a", "b", "c"], 5),
        [[0, 0, 0], [0, 0, 1], [0, 1, 0]],
        given="the sentences b, an empty one and b c, window 5, words a, b, c",
    )


@exercise("neighbour_counts", points=0.5)
def test_many_sentences_of_many_words_are_counted_case_and_all(student: Student) -> None:
    words = ["us", "Us", *"abcdefghijkl", ""]
    sentences = [["Us", "us", "l"]] * 300 + [["k", "", "us"]]
    expected = np.zeros((15, 15))
    for one, other, times in (("Us", "us", 300), ("us", "l", 300), ("Us", "l", 300), ("k", "us", 1), ("k", "", 1), ("", "us", 1)):
        i, j = words.index(one), words.index(other)
        expected[i, j] = expected[j, i] = times
    close(
        student.neighbour_counts(sentences, words, 2),
        expected,
        given="Us us l, 300 times, and k '' us, window 2, words us, Us, a … l, ''",
    )


@exercise("association")
def test_random_counts_agree_with_the_definition(student: Student) -> None:
    draw = np.random.default_rng(8)
    together, first, second = (draw.integers(1, high, size=20) for high in (50, 90_000, 60_000))
    expected = [
        math.log2((xy / 2e6) / ((x / 2e6) * (y / 2e6))) for xy, x, y in zip(together, first, second, strict=True)
    ]
    found = student.association(*(torch.tensor(column) for column in (together, first, second)), 2_000_000)
    close(found, expected, given="20 random pairs among 2 million tokens")


@exercise("ppmi", points=2)
def test_a_random_table_agrees_with_the_definition(student: Student) -> None:
    draw = np.random.default_rng(4)
    counts = draw.poisson(1.3, size=(12, 9)) * draw.integers(1, 5, size=(12, 9))
    counts[3], counts[:, 5] = 0, 0
    joint = counts / counts.sum()
    with np.errstate(all="ignore"):
        expected = np.log(joint / np.outer(joint.sum(1), joint.sum(0)))
    expected = np.where(counts > 0, np.maximum(expected, 0), 0)
    handle = student.put(torch.tensor(counts, dtype=torch.float64))
    close(student.ppmi(handle), expected, given="a random table of 12 words and 9 contexts, one of each empty")
    close(student.value(handle), counts, given="the counts, after their PPMI was asked for")


@exercise("ppmi", points=0.5)
def test_whole_numbers_are_counts_too(student: Student) -> None:
    close(
        student.ppmi(torch.tensor([[0, 4], [4, 8]])),
        [[0, math.log(4 / 3)], [math.log(4 / 3), 0]],
        given="the whole numbers 0 4 / 4 8",
    )


@exercise("ppmi", points=0.5, needs="test_four_cells_by_hand")
def test_one_word_has_one_row_of_zeros(student: Student) -> None:
    close(student.ppmi(torch.tensor([[3.0, 0.0, 1.0]])), [[0, 0, 0]], given="one word, 3 contexts: 3 0 1")


@exercise("ppmi", points=0.5, needs="test_four_cells_by_hand")
def test_any_table_of_numbers_has_its_surprise(student: Student) -> None:
    close(student.ppmi(torch.zeros(2, 3)), np.zeros((2, 3)), given="a table of zeros")
    small = torch.tensor([[0.25, 0.0], [0.0, 0.75]])
    close(student.ppmi(small), [[math.log(4), 0], [0, math.log(4 / 3)]], given="¼ 0 / 0 ¾")
    close(
        student.ppmi(torch.tensor([[1000.0, 0.0], [0.0, 1.0]])),
        [[math.log(1.001), 0], [0, math.log(1001)]],
        given="1000 0 / 0 1",
    )
    close(
        student.ppmi(torch.tensor([[1.0, 3.0], [0.0, 4.0]])),
        [[math.log(2), 0], [0, math.log(8 / 7)]],
        given="1 3 / 0 4",
    )


@exercise("shifted_ppmi", points=2)
def test_a_random_table_agrees_with_the_definition_for_several_shifts(student: Student) -> None:
    draw = np.random.default_rng(6)
    whole = draw.poisson(0.7, size=(10, 8)) * draw.integers(1, 9, size=(10, 8)) + np.eye(10, 8) * 40
    for negatives, power, scale in ((1, 0.75, 1), (5, 1.0, 1), (3, 0.5, 1), (2, 0.0, 1), (2, 0.75, 1 / 64)):
        counts = whole * scale
        columns = counts.sum(0)
        with np.errstate(all="ignore"):
            ratio = (counts / counts.sum()) / np.outer(
                counts.sum(1) / counts.sum(), columns**power / (columns**power).sum()
            )
            expected = np.where(counts > 0, np.maximum(np.log(ratio) - np.log(negatives), 0), 0)
        handle = student.put(torch.tensor(counts))
        close(
            student.shifted_ppmi(handle, negatives=negatives, power=power),
            expected,
            given=f"a random table of 10 words and 8 contexts, negatives={negatives}, power={power}, all counts times {scale:g}",
        )
        close(student.value(handle), counts, given="the counts, afterwards")


@exercise("shifted_ppmi", points=0.5)
def test_empty_rows_and_columns_give_zeros(student: Student) -> None:
    counts = torch.tensor([[6.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 6.0]])
    close(
        student.shifted_ppmi(counts, negatives=1, power=1),
        [[math.log(2), 0, 0], [0, 0, 0], [0, 0, math.log(2)]],
        given="6 0 0 / 0 0 0 / 0 0 6, negatives=1, power=1",
    )


@exercise("shifted_ppmi", points=0.5)
def test_one_word_has_one_row(student: Student) -> None:
    close(
        student.shifted_ppmi(torch.tensor([[16.0, 1.0]]), negatives=1, power=0.5),
        [[math.log(20 / 17), 0]],
        given="one word, 2 contexts: 16 1, negatives=1, power=½; 16/17 against 4/5",
    )


@exercise("lsa", points=0.5)
def test_directions_beyond_the_rank_are_zeros(student: Student) -> None:
    draw = np.random.default_rng(10)
    matrix = draw.normal(size=(7, 2)) @ draw.normal(size=(2, 5))
    left, strength, _ = np.linalg.svd(matrix, full_matrices=False)
    for power in (0.5, 1.0):
        vectors = student.lsa(torch.tensor(matrix), 4, power=power)
        given = f"a random 7 × 5 matrix of rank 2, 4 directions, power {power:g}; lengths of the columns"
        expected = np.linalg.norm(left[:, :4] * strength[:4] ** power, axis=0)
        close(vectors.norm(dim=0), expected, rtol=1e-3, atol=2e-3, given=given)
        corner = student.lsa(torch.diag(torch.tensor([4.0, 1.0, 0.0])), 3, power=power)
        close(corner.abs(), np.diag([4**power, 1, 0]), atol=2e-3, given=f"4, 1, 0 on the diagonal, power {power:g}")


@exercise("lsa", points=2)
def test_random_tables_agree_with_numpy_in_every_power(student: Student) -> None:
    draw = np.random.default_rng(9)
    for shape, dim, power in (((6, 11), 4, 1.0), ((11, 6), 6, 0.5), ((5, 5), 2, 0.0), ((4, 6), 1, 1.0), ((1, 5), 1, 0.5)):
        matrix = draw.normal(size=shape)
        left, strength, _ = np.linalg.svd(matrix, full_matrices=False)
        expected = left[:, :dim] * strength[:dim] ** power
        handle = student.put(torch.tensor(matrix))
        vectors = student.lsa(handle, dim, power=power)
        given = f"a random {shape[0]} × {shape[1]} matrix, {dim} directions, power {power}"
        equal(list(vectors.shape), list(expected.shape), given=f"{given}; the shape")
        close(vectors @ vectors.T, expected @ expected.T, rtol=1e-3, atol=1e-5, given=f"{given}; dot products")
        close(
            vectors.norm(dim=0), np.linalg.norm(expected, axis=0), rtol=1e-3, given=f"{given}; lengths of the columns"
        )
        close(student.value(handle), matrix, given=f"{given}; the matrix, afterwards")


def _likeness(artifacts: Artifacts, vectors: str, words: str) -> float:
    score = evaluate.similarity(
        artifacts.tensor(vectors, ndim=2), artifacts.strings(words), World("en", seed=artifacts.seed).similarities()
    )
    return score.value if score.covered * 2 > score.total else 0.0


@metric("similarity_ppmi")
def similarity_ppmi(artifacts: Artifacts) -> float:
    return _likeness(artifacts, "ppmi", "words")


@metric("similarity_lsa")
def similarity_lsa(artifacts: Artifacts) -> float:
    width = artifacts.tensor("lsa", ndim=2).shape[1]
    if width > 64:
        raise BadArtifact(f"the tensor 'lsa' has {width} columns, expected at most 64 directions")
    return _likeness(artifacts, "lsa", "words")


@metric("similarity_shuffled")
def similarity_shuffled(artifacts: Artifacts) -> float:
    return _likeness(artifacts, "lsa_shuffled", "words_shuffled")


@metric("analogies_ppmi")
def analogies_ppmi(artifacts: Artifacts) -> float:
    questions = World("en", seed=artifacts.seed).analogies("word")
    planted = [question for relation, asked in questions.items() if relation != "control" for question in asked]
    score = evaluate.analogies(artifacts.tensor("ppmi", ndim=2), artifacts.strings("words"), planted)
    return score.value * score.covered / score.total if score.covered else 0.0
