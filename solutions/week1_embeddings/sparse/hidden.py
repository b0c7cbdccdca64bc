"""Sparse vectors: hidden checks and the metrics that the grader computes itself. Never released."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import torch
from hypothesis.strategies import DrawFn, SearchStrategy, composite, integers, lists, sampled_from

from etude.embeddings import evaluate
from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

ALIKE = ["us", "Us", "US", " us", "us ", "us.", "u's", "", "<unk>", "3", "03", "3.0", "ﬁ", "fi", "ß", "ss", "İ", "i̇", "\n", "café", "cafe\u0301"]  # fmt: skip


def alike(longest: int, unique: bool = False) -> SearchStrategy[list[str]]:
    """Draws lists of words, many of which differ in one sign."""
    return lists(sampled_from(ALIKE[:4]) | sampled_from([*ALIKE, *inputs.WORDS]), max_size=longest, unique=unique)


@exercise("one_hot")
def test_a_longer_text_agrees_with_brute_force(student: Student) -> None:
    words = [f"w{i}" for i in range(30)]
    tokens = [f"w{i * i % 37}" for i in range(50)]  # some of them unknown, some twice
    expected = [[float(token == word) for word in words] for token in tokens]
    close(student.one_hot(tokens, words), expected, given="50 tokens, 30 words")


@exercise("one_hot", points=0.5, needs="test_each_word_has_an_axis_of_its_own")
def test_no_text_has_no_rows(student: Student) -> None:
    vectors = student.one_hot([], ["a", "b", "c"])
    equal(list(vectors.shape), [0, 3], given="no tokens, 3 words; the shape")
    kind = str(vectors.dtype)
    true(vectors.is_floating_point(), "a float tensor was expected", given="no tokens, 3 words", actual=kind)


@exercise("one_hot", points=0.5)
def test_words_that_differ_in_one_sign_have_axes_of_their_own(student: Student) -> None:
    words = ["us", "Us", "3"]
    close(student.one_hot(["Us"], words), [[0, 1, 0]], given="Us, with the words us, Us, 3")
    near = ["us", " us", "us.", "", "café", "cafe\u0301"]
    close(student.one_hot(near, near), np.eye(6), given="us, ' us', 'us.', '' and café with é as one sign and as two")
    close(student.one_hot(["US", "us"], words), [[0, 0, 0], [1, 0, 0]], given="US us, with the words us, Us, 3")


@exercise("one_hot", points=0.5, needs="test_each_word_has_an_axis_of_its_own")
@for_all(tokens=alike(6), words=alike(8, unique=True))
def test_any_words_have_the_axes_of_brute_force(student: Student, tokens: list[str], words: list[str]) -> None:
    expected = [[float(token == word) for word in words] for token in tokens]
    close(student.one_hot(tokens, words), np.array(expected).reshape(len(tokens), len(words)))


@exercise("one_hot", points=0.5)
def test_the_last_of_many_words_has_its_axis(student: Student) -> None:
    words = [f"w{i}" for i in range(700)]
    tokens = [words[-1], words[256], words[0], words[255], "w700"]
    expected = [[float(token == word) for word in words] for token in tokens]
    close(student.one_hot(tokens, words), expected, given="w699 w256 w0 w255 w700, with the words w0 … w699")


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


@composite
def _near_pairs(draw: DrawFn) -> torch.Tensor:
    """Points (N, 3) in eighths around centres far from each other, exact in float32."""
    centres = draw(lists(sampled_from([1000, -1000, 30_000, -30_000, 0]), min_size=1, max_size=3))
    step = draw(sampled_from([1, 4]))
    points = [[c + step * (i % 7) / 8, c - step * (i // 7) / 8, (i % 3) / 8] for i in range(10) for c in centres]
    return torch.tensor(points[: draw(sampled_from([2, 5, 30]))], dtype=torch.float32)


@exercise("distances", needs="test_three_points_are_as_far_apart_as_pythagoras_says")
@for_all(points=_near_pairs(), examples=30)
def test_any_near_pairs_far_away_are_told_apart(student: Student, points: torch.Tensor) -> None:
    close(student.distances(points), np.linalg.norm(points.double()[:, None] - points.double()[None], axis=2))


@exercise("distances", points=0.5, needs="test_three_points_are_as_far_apart_as_pythagoras_says")
def test_many_near_pairs_far_away_are_told_apart(student: Student) -> None:
    near = torch.tensor([[sign * (1000 + i / 64), i / 64] for i in range(20) for sign in (1, -1)])
    expected = np.linalg.norm(near.double()[:, None] - near.double()[None], axis=2)
    close(student.distances(near), expected, given="40 points near (1000, 0) and (−1000, 0), 1/64 apart")
    far = torch.tensor([[1e8, 0], [1e8 + 0.5, 0], [-1e8, 0], [-1e8, 0.5]], dtype=torch.float64)
    expected = np.linalg.norm(far[:, None] - far[None], axis=2)
    close(student.distances(far), expected, given="two points near (10⁸, 0) and two near (−10⁸, 0), ½ apart, of float64")


@exercise("distances", points=0.5, needs="test_three_points_are_as_far_apart_as_pythagoras_says")
def test_many_coordinates_and_small_distances_are_exact(student: Student) -> None:
    points = torch.zeros(3, 64)
    points[1, 0], points[2] = 1e-5, 1.0
    expected = np.linalg.norm(points.double()[:, None] - points.double()[None], axis=2)
    close(
        student.distances(points),
        expected,
        rtol=1e-3,
        atol=1e-7,
        given="the origin, (0.00001, 0, …) and (1, 1, …), 64 coordinates",
    )
    close(student.distances(points).diagonal(), np.zeros(3), rtol=0, atol=0, given="the same; the diagonal")


@exercise("distances", points=0.5, needs="test_three_points_are_as_far_apart_as_pythagoras_says")
def test_one_coordinate_and_many_rows_have_their_distances(student: Student) -> None:
    line = torch.tensor([[3.0], [-1.0], [3.0]])
    close(student.distances(line), [[0, 4, 0], [4, 0, 4], [0, 4, 0]], given="(3), (−1) and (3)")
    close(student.distances(line[:1]), [[0]], given="(3) alone")
    many = 10_000 + torch.arange(300.0)[:, None] * torch.tensor([[0.375, 0.5]])
    expected = 5 / 8 * np.abs(np.subtract.outer(np.arange(300), np.arange(300)))
    close(student.distances(many), expected, given="300 points from (10000, 10000) on, in steps of (3/8, 1/2)")


@exercise("cosines")
@for_all(vectors=integers(1, 5).flatmap(lambda rows: inputs.tables(rows, 3)))
def test_any_rows_have_the_cosines_of_brute_force(student: Student, vectors: torch.Tensor) -> None:
    rows = vectors.double().numpy()
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = rows / np.where(length > 0, length, 1)
    close(student.cosines(vectors), unit @ unit.T, atol=1e-5)


@exercise("cosines", points=0.5)
def test_very_short_rows_and_very_long_ones_have_cosines_too(student: Student) -> None:
    vectors = torch.tensor([[3e-7, 4e-7], [4e-7, -3e-7], [3e12, 4e12], [0.0, 0.0], [-1.0, 0.0]])
    expected = [[1, 0, 1, 0, -0.6], [0, 1, 0, 0, -0.8], [1, 0, 1, 0, -0.6], [0, 0, 0, 0, 0], [-0.6, -0.8, -0.6, 0, 1]]
    given = "(3, 4) and (4, −3) ten-millionths, (3, 4) million millions, (0, 0), (−1, 0)"
    close(student.cosines(vectors), expected, rtol=1e-3, atol=1e-4, given=given)


@exercise("cosines", points=0.5, needs="test_length_does_not_matter_and_direction_does")
def test_one_coordinate_and_many_rows_have_their_cosines(student: Student) -> None:
    line = torch.tensor([[2.0], [-3.0], [0.0]])
    close(student.cosines(line), [[1, -1, 0], [-1, 1, 0], [0, 0, 0]], atol=1e-5, given="(2), (−3) and (0)")
    close(student.cosines(line[2:]), [[0]], given="(0) alone")
    many = torch.tensor([[1.0, 0.0], [0.0, -2.0], [0.0, 0.0], [-3.0, 0.0]]).repeat(75, 1)
    expected = np.tile([[1, 0, 0, -1], [0, 1, 0, 0], [0, 0, 0, 0], [-1, 0, 0, 1]], (75, 75))
    given = "300 rows: (1, 0), (0, −2), (0, 0), (−3, 0), again and again"
    close(student.cosines(many), expected, atol=1e-5, given=given)


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


@exercise("vocabulary_growth")
@for_all(tokens=alike(12), every=integers(1, 7))
def test_any_text_grows_as_by_brute_force(student: Student, tokens: list[str], every: int) -> None:
    expected = [(n, len(set(tokens[:n]))) for n in range(every, len(tokens) + 1, every)]
    equal(list(student.vocabulary_growth(tokens, every)), expected)


@exercise("vocabulary_growth", points=0.5, needs="test_different_words_are_counted_from_the_start_of_the_text")
def test_very_many_words_are_counted_whole(student: Student) -> None:
    tokens = [f"w{i % 70_001}" for i in range(71_000)]
    expected = [(n, min(n, 70_001)) for n in range(3_000, 71_001, 3_000)]
    equal(
        student.vocabulary_growth(tokens, 3_000), expected, given="71,000 tokens, 70,001 different words, every 3,000"
    )


@exercise("vocabulary_growth", points=0.5)
def test_words_that_differ_in_one_sign_are_different_words(student: Student) -> None:
    points = student.vocabulary_growth(["us", "Us", "US", "us"], 2)
    equal(points, [(2, 2), (4, 3)], given="us Us US us, every 2 tokens")
    points = student.vocabulary_growth(["café", "cafe\u0301", "us", "us.", "", "us "], 2)
    equal(
        points,
        [(2, 2), (4, 4), (6, 6)],
        given="café with é as one sign and as two, us, us., an empty word, us and a blank",
    )


@exercise("vocabulary_growth", points=0.5, needs="test_different_words_are_counted_from_the_start_of_the_text")
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


@exercise("neighbour_counts")
@for_all(
    drawn=alike(6, unique=True)
    .filter(len)
    .flatmap(
        lambda words: lists(lists(sampled_from(words), max_size=7), max_size=4).map(
            lambda sentences: (sentences, words)
        )
    ),
    window=integers(1, 8),
)
def test_any_sentences_have_the_counts_of_brute_force(
    student: Student, drawn: tuple[list[list[str]], list[str]], window: int
) -> None:
    sentences, words = drawn
    places = [(s[i], s[j]) for s in sentences for i in range(len(s)) for j in range(len(s)) if 0 < abs(i - j) <= window]
    counts = student.neighbour_counts(sentences, words, window)
    close(counts, [[places.count((a, b)) for b in words] for a in words])
    equal(str(counts.dtype), "torch.int64")


@exercise("neighbour_counts", points=0.5)
def test_many_meetings_are_counted_whole(student: Student) -> None:
    counts = student.neighbour_counts([["so"] * 4] * 7_000 + [["la", "so"]] * 300, ["la", "so"], 2)
    close(
        counts, [[0, 300], [300, 70_000]], rtol=0, atol=0, given="so so so so, 7,000 times; la so, 300 times; window 2"
    )
    counts = student.neighbour_counts([["la", "so"] * 600 + ["mi"]], ["la", "so", "mi"], 2)
    expected = [[1198, 1199, 1], [1199, 1198, 1], [1, 1, 0]]
    close(counts, expected, rtol=0, atol=0, given="one sentence, la so 600 times, then mi; window 2")


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
    for one, other, times in (
        ("Us", "us", 300),
        ("us", "l", 300),
        ("Us", "l", 300),
        ("k", "us", 1),
        ("k", "", 1),
        ("", "us", 1),
    ):
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


COUNTED = sampled_from([1, 2, 3, 50, 4_000, 100_000, 1_000_000])


@exercise("association")
@for_all(
    pairs=lists(sampled_from([0, 1, 2, 3, 50, 4_000, 100_000]), max_size=5),
    first=lists(COUNTED, min_size=5, max_size=5),
    second=lists(COUNTED, min_size=5, max_size=5),
    n=sampled_from([10_000_000, 15e6, 10**9]),
    kind=sampled_from(["int64", "int32", "float32", "float64"]),
)
def test_any_counts_agree_with_exact_fractions(
    student: Student, pairs: list[int], first: list[int], second: list[int], n: float, kind: str
) -> None:
    columns = pairs, first[: len(pairs)], second[: len(pairs)]
    exact = [Fraction(xy * int(n), x * y) for xy, x, y in zip(*columns, strict=True)]
    expected = [math.log2(ratio) if ratio else -math.inf for ratio in exact]
    close(
        student.association(*(torch.tensor(column, dtype=getattr(torch, kind)) for column in columns), n),
        expected,
        atol=1e-4,
    )


@exercise("association", points=0.5, needs="test_twice_as_often_as_chance_is_one_bit")
def test_counts_of_any_type_are_multiplied_whole(student: Student) -> None:
    most = 10**9
    columns = [100_000, most, 0, 1], [100_000, most, most, 1], [100_000, most, most, 1]
    expected = [math.log2(1e4), 0, -math.inf, math.log2(1e9)]
    for kind in (torch.int32, torch.int64, torch.float32, torch.float64):
        for n in (most, 1e9):
            found = student.association(*(torch.tensor(column, dtype=kind) for column in columns), n)
            given = f"100000, 10⁹, 0 and 1 meetings, the words 100000, 10⁹, 10⁹ and 1 times each, of {kind}, n = 10⁹"
            close(found, expected, atol=1e-4, given=given)


@composite
def _tables_of_counts(draw: DrawFn) -> torch.Tensor:
    """Counts (V, C) of several types, with empty rows and columns; float counts are in eighths."""
    rows, columns = draw(integers(1, 4)), draw(integers(1, 4))
    some = [0, 0, 1, 1, 2, 3, 8, 50] if draw(sampled_from([True, True, False])) else [0, 1, 1000, 1_000_000]
    cells = draw(lists(sampled_from(some), min_size=rows * columns, max_size=rows * columns))
    table = torch.tensor(cells).reshape(rows, columns)
    kinds = (torch.int64, torch.int32, torch.float32, torch.float64)
    kind, scale = draw(sampled_from([*((kind, 1) for kind in kinds), *((kind, 8) for kind in kinds[2:])]))
    return table.to(kind) if scale == 1 else table.to(kind) / scale


def _positive(counts: torch.Tensor, negatives: float = 1, power: float = 1) -> np.ndarray:
    """Cell by cell, in float64."""
    table = counts.double().numpy()
    columns = table.sum(axis=0) ** power
    result = np.zeros(table.shape)
    for i, j in np.argwhere(table > 0):
        result[i, j] = max(0.0, math.log(table[i, j] / table[i].sum() * columns.sum() / columns[j] / negatives))
    return result


@exercise("ppmi")
@for_all(counts=_tables_of_counts())
def test_any_table_agrees_cell_by_cell(student: Student, counts: torch.Tensor) -> None:
    close(student.ppmi(counts), _positive(counts), atol=1e-5)


@exercise("ppmi", points=0.5, needs="test_four_cells_by_hand")
def test_words_seen_once_in_a_thousand_million_keep_their_surprise(student: Student) -> None:
    for high in (10**4, 10**6, 10**9 - 1):
        for kind in (torch.float64, torch.float32, torch.int64):
            counts = torch.tensor([[high, 0], [0, 1]], dtype=kind)
            close(student.ppmi(counts), _positive(counts), atol=1e-5, given=f"{high} 0 / 0 1, of {kind}")
        shares = torch.tensor([[high, 0], [0, 1]], dtype=torch.float64) / (high + 1)
        close(student.ppmi(shares), _positive(shares), atol=1e-5, given=f"{high} 0 / 0 1, divided by their sum")


@exercise("ppmi", points=0.5, needs="test_four_cells_by_hand")
def test_large_counts_of_32_bits_are_multiplied_whole(student: Student) -> None:
    for high in (100_000, 4 * 10**8):
        close(
            student.ppmi(torch.tensor([[high, 0], [0, high]], dtype=torch.int32)),
            [[math.log(2), 0], [0, math.log(2)]],
            given=f"{high} 0 / 0 {high}, of int32",
        )


@exercise("ppmi", points=0.5, needs="test_four_cells_by_hand")
def test_a_large_table_agrees_with_the_definition(student: Student) -> None:
    counts = torch.tensor(np.random.default_rng(13).poisson(0.3, size=(300, 20)), dtype=torch.float32)
    close(student.ppmi(counts), _positive(counts), atol=1e-5, given="a random table of 300 words and 20 contexts")
    close(student.ppmi(counts.T), _positive(counts.T), atol=1e-5, given="a random table of 20 words and 300 contexts")


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


@exercise("shifted_ppmi")
@for_all(
    counts=_tables_of_counts(), negatives=sampled_from([1, 1, 2, 5, 20]), power=sampled_from([1, 0.75, 0.5, 0.25, 1.5])
)
def test_any_table_agrees_cell_by_cell_with_any_shift(
    student: Student, counts: torch.Tensor, negatives: int, power: float
) -> None:
    close(student.shifted_ppmi(counts, negatives, power), _positive(counts, negatives, power), atol=1e-5)


@exercise("shifted_ppmi", points=0.5, needs="test_the_shift_comes_before_the_cut")
def test_a_context_seen_once_in_a_thousand_million_keeps_its_share(student: Student) -> None:
    for high in (10**6, 10**9 - 1):
        for kind in (torch.float64, torch.float32, torch.int64):
            counts = torch.tensor([[high, 0], [0, 1]], dtype=kind)
            for negatives, power in ((1, 1), (5, 1), (5, 0.75), (20, 0.75), (200, 1)):
                given = f"{high} 0 / 0 1, of {kind}, negatives={negatives}, power={power}"
                close(
                    student.shifted_ppmi(counts, negatives, power),
                    _positive(counts, negatives, power),
                    atol=1e-5,
                    given=given,
                )
    for high in (100_000, 4 * 10**8):
        counts = torch.tensor([[high, 0], [0, high]], dtype=torch.int32)
        close(
            student.shifted_ppmi(counts, 1, 0.75),
            [[math.log(2), 0], [0, math.log(2)]],
            given=f"{high} 0 / 0 {high}, of int32, negatives=1, power=0.75",
        )


@exercise("shifted_ppmi", points=0.5, needs="test_the_shift_comes_before_the_cut")
def test_a_large_table_agrees_with_the_definition_too(student: Student) -> None:
    counts = torch.tensor(np.random.default_rng(14).poisson(0.3, size=(300, 20)), dtype=torch.float32)
    for table, given in ((counts, "300 words and 20 contexts"), (counts.T, "20 words and 300 contexts")):
        given = f"a random table of {given}, negatives=2, power=0.75"
        close(student.shifted_ppmi(table, 2, 0.75), _positive(table, 2, 0.75), atol=1e-5, given=given)


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


@composite
def _matrices(draw: DrawFn) -> tuple[torch.Tensor, int]:
    """(matrix (V, C), d): singular values tie, are 0, or far below the strongest, as rows are equal, zeros, or weak."""
    rows, columns = draw(integers(1, 6)), draw(integers(1, 6))
    kind = draw(sampled_from([torch.float32, torch.float64]))
    weights = torch.tensor(draw(lists(sampled_from([1.0, 1 / 256]), min_size=rows, max_size=rows)))
    return (draw(inputs.tables(rows, columns)) * weights[:, None]).to(kind), draw(integers(1, min(rows, columns)))


@exercise("lsa", points=0.5)
@for_all(drawn=_matrices(), power=sampled_from([1.0, 0.5, 1.5]), examples=30)
def test_any_matrix_has_the_directions_of_its_own_squares(
    student: Student, drawn: tuple[torch.Tensor, int], power: float
) -> None:
    matrix, dim = drawn
    strength = np.linalg.svd(matrix.double().numpy(), compute_uv=False)
    largest = strength[0] or 1.0  # all is compared with that of the strongest direction
    shares = strength[:dim] / largest
    found = student.lsa(matrix, dim, power=power)
    equal(list(found.shape), [len(matrix), dim])
    vectors = found.double() / largest**power
    close(vectors.norm(dim=0), shares**power, rtol=1e-3, atol=2e-3)
    close(vectors.T @ vectors, np.diag(shares ** (2 * power)), rtol=1e-3, atol=1e-4)
    # Of M Mᵀ the columns are eigenvectors, with the squared singular values: that holds whatever their signs, and in ties.
    squares = (matrix.double() / largest) @ (matrix.double() / largest).T
    close(squares @ vectors, vectors * shares**2, rtol=1e-3, atol=1e-4)


@exercise("lsa", points=1.5)
def test_random_tables_agree_with_numpy_in_every_power(student: Student) -> None:
    draw = np.random.default_rng(9)
    for shape, dim, power in (
        ((6, 11), 4, 1.0),
        ((11, 6), 6, 0.5),
        ((5, 5), 2, 0.0),
        ((4, 6), 1, 1.0),
        ((1, 5), 1, 0.5),
    ):
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


@exercise("lsa", points=0.5)
def test_single_precision_leaves_no_noise_beyond_the_rank(student: Student) -> None:
    draw = np.random.default_rng(11)
    for rows, columns in ((12, 20), (20, 12), (16, 16)):
        matrix = torch.tensor(draw.normal(size=(rows, 2)) @ draw.normal(size=(2, columns)), dtype=torch.float32)
        strongest = float(np.linalg.norm(matrix.double().numpy(), 2))
        # An SVD leaves some 10⁻⁷ of the strongest here, the root of M Mᵀ's noise some 10⁻⁴; then the power ½ of either.
        noise = student.lsa(matrix, 12, power=0.5).double().norm(dim=0)[2:] / math.sqrt(strongest)
        given = f"a random {rows} × {columns} matrix of rank 2, float32, power ½; lengths of columns 3 to 12, of the root of the strongest"
        close(noise, np.zeros(10), atol=4e-3, given=given)
    for power in (0.5, 1.0):
        close(
            student.lsa(torch.zeros(4, 3), 2, power=power),
            np.zeros((4, 2)),
            given=f"a 4 × 3 matrix of zeros, power {power}",
        )


@exercise("lsa", points=0.5)
def test_small_tables_and_large_ones_have_their_directions(student: Student) -> None:
    matrix = np.random.default_rng(12).normal(size=(7, 5))
    for scale in (1e-5, 1e5):
        left, strength, _ = np.linalg.svd(scale * matrix, full_matrices=False)
        for power in (0.5, 1.0):
            expected = left[:, :4] * strength[:4] ** power
            vectors = student.lsa(torch.tensor(scale * matrix), 4, power=power).double().numpy()
            size = strength[0] ** power
            given = f"a random 7 × 5 matrix times {scale:g}, 4 directions, power {power}; dot products, of the largest singular value's"
            close(vectors @ vectors.T / size**2, expected @ expected.T / size**2, rtol=1e-3, atol=1e-4, given=given)
    weak = student.lsa(torch.diag(torch.tensor([1000.0, 1.0])), 2)
    close(weak.abs(), [[1000, 0], [0, 1]], atol=1e-2, given="1000 and 1 on the diagonal, 2 directions; absolute values")


@exercise("lsa", points=0.5, needs="test_the_power_is_that_of_the_singular_values")
def test_equally_strong_directions_and_large_tables_have_their_columns(student: Student) -> None:
    vectors, given = student.lsa(2 * torch.eye(5), 3), "2 on the diagonal of 5 × 5, 3 directions; columns' dot products"
    close(vectors.T @ vectors, 4 * np.eye(3), atol=1e-4, given=given)
    for shape in ((120, 30), (30, 120)):
        matrix = np.random.default_rng(15).normal(size=shape)
        expected = np.linalg.svd(matrix, compute_uv=False)
        for power in (0.25, 1.5):
            found = student.lsa(torch.tensor(matrix), 30, power=power)
            given = f"a random {shape[0]} × {shape[1]} matrix, 30 directions, power {power}"
            equal(list(found.shape), [shape[0], 30], given=f"{given}; the shape")
            lengths = found.double().norm(dim=0)
            close(lengths, expected**power, rtol=1e-3, atol=1e-4, given=f"{given}; lengths of the columns")
    matrix = np.random.default_rng(16).normal(size=(150, 150))
    lengths = student.lsa(torch.tensor(matrix), 10).double().norm(dim=0)
    expected = np.linalg.svd(matrix, compute_uv=False)[:10]
    close(lengths, expected, rtol=1e-3, given="a random 150 × 150 matrix, 10 directions; lengths of the columns")


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
