"""Sparse vectors: the public checks. Expected values come from hand counts, closed forms, numpy and the papers' own tables."""

import math
from typing import Any

import numpy as np
import torch

from etude.lesson.checks import claim, close, equal, exercise, true
from etude.lesson.interface import Student


def _tensor(value: Any) -> Any:
    """A value that must be a tensor."""
    true(torch.is_tensor(value), "a tensor was expected", actual=str(type(value)))
    return value


COFFEE = ["하루", "커피", "최소", "3잔은", "마셔야", "살", "수", "있다"]


@exercise("one_hot")
def test_each_word_has_an_axis_of_its_own(student: Student) -> None:
    words = ["커피", "최소", "3", "잔"]
    close(
        student.one_hot(["3", "커피", "3"], words),
        [[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]],
        given="3 커피 3, with the words 커피, 최소, 3, 잔",
    )


@claim("onehot-dim")
@exercise("one_hot")
def test_one_more_word_makes_every_vector_longer(student: Student) -> None:
    before, after = student.one_hot(COFFEE[:2], COFFEE), student.one_hot(COFFEE[:2], [*COFFEE, "차"])
    equal(
        [list(before.shape), list(after.shape)], [[2, 8], [2, 9]], given="two words, of 8 and of 9 known words; shapes"
    )


@exercise("one_hot", points=0.5)
def test_an_unknown_word_has_no_axis(student: Student) -> None:
    close(student.one_hot(["차", "커피"], ["커피", "잔"]), [[0, 0], [1, 0]], given="차 커피, with the words 커피, 잔")


@exercise("one_hot", points=0.5, needs="test_each_word_has_an_axis_of_its_own")
def test_the_vectors_are_of_floats(student: Student) -> None:
    vectors = student.one_hot(["커피"], ["커피", "잔"])
    kind = str(getattr(vectors, "dtype", type(vectors)))
    true(
        torch.is_tensor(vectors) and vectors.is_floating_point(),
        "a float tensor was expected",
        given="one word",
        actual=kind,
    )


@exercise("distances")
def test_three_points_are_as_far_apart_as_pythagoras_says(student: Student) -> None:
    points = torch.tensor([[0.0, 0.0], [3.0, 4.0], [3.0, -1.0]])
    expected = [[0, 5, math.sqrt(10)], [5, 0, 5], [math.sqrt(10), 5, 0]]
    close(_tensor(student.distances(points)), expected, given="the points (0, 0), (3, 4) and (3, −1)")


@claim("onehot-dist")
@exercise("distances")
def test_all_one_hot_vectors_are_the_square_root_of_two_apart(student: Student) -> None:
    for size in (4, 60):
        expected = math.sqrt(2) * (1 - np.eye(size))
        close(student.distances(torch.eye(size)), expected, given=f"the one-hot vectors of {size} words")


@exercise("cosines")
def test_length_does_not_matter_and_direction_does(student: Student) -> None:
    vectors = torch.tensor([[2.0, 0.0], [0.5, 0.0], [3.0, 4.0], [-1.0, 0.0]])
    expected = [[1, 1, 0.6, -1], [1, 1, 0.6, -1], [0.6, 0.6, 1, -0.6], [-1, -1, -0.6, 1]]
    close(_tensor(student.cosines(vectors)), expected, atol=1e-5, given="(2, 0), (½, 0), (3, 4) and (−1, 0)")


@exercise("cosines", needs="test_length_does_not_matter_and_direction_does")
def test_one_hot_vectors_have_cosine_0(student: Student) -> None:
    close(student.cosines(torch.eye(5)), np.eye(5), given="the one-hot vectors of 5 words")


@exercise("cosines")
def test_a_row_of_zeros_has_cosine_0_with_every_row(student: Student) -> None:
    vectors = torch.tensor([[0.0, 0.0], [1.0, 1.0]])
    close(student.cosines(vectors), [[0, 0], [0, 1]], atol=1e-5, given="(0, 0) and (1, 1)")


@exercise("vocabulary_growth")
def test_different_words_are_counted_from_the_start_of_the_text(student: Student) -> None:
    text = "a b a c b a d d"
    equal(student.vocabulary_growth(text.split(), 2), [(2, 2), (4, 3), (6, 3), (8, 4)], given=f"{text}, every 2 tokens")


@exercise("vocabulary_growth")
def test_a_rest_adds_no_point(student: Student) -> None:
    equal(student.vocabulary_growth(["a", "b", "c", "d", "e"], 3), [(3, 3)], given="a b c d e, every 3 tokens")


@exercise("vocabulary_growth")
def test_every_single_token_can_be_noted(student: Student) -> None:
    equal(student.vocabulary_growth(["so", "so", "la"], 1), [(1, 1), (2, 1), (3, 2)], given="so so la, every token")


@claim("cooc-3x3")
@exercise("neighbour_counts")
def test_the_morning_coffee_matrix_is_that_of_the_page(student: Student) -> None:
    words = ["모닝", "커피", "좋아"]
    close(
        student.neighbour_counts([words], words, 1), [[0, 1, 0], [1, 0, 1], [0, 1, 0]], given="모닝 커피 좋아, window 1"
    )


@exercise("neighbour_counts")
def test_the_window_is_cut_off_at_the_edges_of_each_sentence(student: Student) -> None:
    counts = student.neighbour_counts([list("abcd"), list("da")], list("abcd"), 2)
    expected = [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]
    close(counts, expected, given="the sentences a b c d and d a, window 2")


@exercise("neighbour_counts")
def test_words_that_meet_again_are_counted_again(student: Student) -> None:
    counts = student.neighbour_counts([list("abab"), list("ba")], list("ba"), 1)
    close(counts, [[0, 4], [4, 0]], given="the sentences a b a b and b a, window 1, words b, a")


@exercise("neighbour_counts", points=0.5)
def test_a_word_beside_itself_is_counted_from_both_places(student: Student) -> None:
    close(student.neighbour_counts([["so", "so", "so"]], ["so"], 1), [[4]], given="so so so, window 1")


@exercise("neighbour_counts", points=0.5)
def test_the_counts_are_whole_numbers(student: Student) -> None:
    counts = student.neighbour_counts([["a", "b"]], ["a", "b"], 1)
    equal(str(getattr(counts, "dtype", type(counts))), "torch.int64", given="a b, window 1; the type of the result")


# Church and Hanks 1990, the tables of words near "doctor": I(x, y), f(x, y), f(x), f(y). They print N = 15 million; with 14.85
# million, which rounds to it, every ratio comes back as it is printed.
DOCTOR = [
    (11.3, 12, 111, 621), (11.3, 8, 1105, 44), (10.7, 30, 1105, 241), (9.4, 8, 1105, 154), (9.0, 6, 275, 621),
    (8.9, 11, 1105, 317), (8.7, 25, 621, 1407), (8.7, 6, 621, 350), (8.6, 19, 1105, 676), (8.4, 6, 241, 1105),
    (0.96, 6, 621, 73785), (0.95, 41, 284690, 1105), (0.93, 12, 84716, 1105),
]  # fmt: skip


@claim("pmi-doctor")
@exercise("association")
def test_the_words_near_doctor_have_the_ratios_that_the_paper_prints(student: Student) -> None:
    printed = [row[0] for row in DOCTOR]
    together, first, second = (torch.tensor([row[column] for row in DOCTOR]) for column in (1, 2, 3))
    found = student.association(together, first, second, 14_850_000)
    rounded = [round(float(x), 1 if ratio > 1 else 2) for x, ratio in zip(found, printed, strict=True)]
    close(rounded, printed, given="thirteen pairs with doctor from the paper, N = 14.85 million; rounded as printed")


@exercise("association")
def test_twice_as_often_as_chance_is_one_bit(student: Student) -> None:
    close(
        _tensor(
            student.association(*(torch.tensor([x, y, z]) for x, y, z in ((4, 2, 1), (20, 20, 20), (10, 10, 10))), 100)
        ),
        [1.0, 0.0, -1.0],
        given="4, 2 and 1 meetings of a word seen 20 times and one seen 10 times, among 100 tokens",
    )


@exercise("association", points=0.5)
def test_words_that_never_met_have_minus_infinity(student: Student) -> None:
    close(
        student.association(torch.tensor([0]), torch.tensor([7]), torch.tensor([3]), 50),
        [-math.inf],
        given="0 meetings of a word seen 7 times and one seen 3 times",
    )


def _skewed() -> torch.Tensor:
    """A symmetric table of counts in which some pairs meet more often than by chance, some less, some never."""
    return torch.tensor([[0.0, 6.0, 1.0, 3.0], [6.0, 2.0, 0.0, 1.0], [1.0, 0.0, 8.0, 2.0], [3.0, 1.0, 2.0, 0.0]])


@exercise("ppmi")
def test_four_cells_by_hand(student: Student) -> None:
    close(
        _tensor(student.ppmi(torch.tensor([[3.0, 1.0], [1.0, 3.0]]))),
        [[math.log(1.5), 0.0], [0.0, math.log(1.5)]],
        given="the table 3 1 / 1 3",
    )


@exercise("ppmi")
def test_each_cell_is_compared_with_chance_and_never_negative(student: Student) -> None:
    counts = _skewed()
    expected = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            meetings = float(counts[i, j])
            if meetings:
                ratio = meetings * float(counts.sum()) / float(counts[i].sum() * counts[:, j].sum())
                expected[i, j] = max(0.0, math.log(ratio))
    close(student.ppmi(counts), expected, given="a table of 4 words; cell by cell")


@exercise("ppmi")
def test_rows_are_words_and_columns_are_contexts(student: Student) -> None:
    close(
        student.ppmi(torch.tensor([[4.0, 0.0, 4.0], [0.0, 8.0, 0.0]])),
        [[math.log(2), 0, math.log(2)], [0, math.log(2), 0]],
        given="2 words, 3 contexts: 4 0 4 / 0 8 0",
    )


@exercise("ppmi")
def test_a_word_without_company_gets_zeros(student: Student) -> None:
    counts = torch.tensor([[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    close(student.ppmi(counts), [[0, math.log(2), 0], [math.log(2), 0, 0], [0, 0, 0]], given="0 2 0 / 2 0 0 / 0 0 0")


@exercise("shifted_ppmi")
def test_with_one_negative_and_power_1_it_is_ppmi(student: Student) -> None:
    close(
        _tensor(student.shifted_ppmi(torch.tensor([[3.0, 1.0], [1.0, 3.0]]), negatives=1, power=1)),
        [[math.log(1.5), 0.0], [0.0, math.log(1.5)]],
        given="the table 3 1 / 1 3, negatives=1, power=1",
    )


@exercise("shifted_ppmi")
def test_the_shift_comes_before_the_cut(student: Student) -> None:
    counts = torch.eye(6) * 5 + 1  # the pairs on the diagonal meet 6·66/11² = 3.3 times as often as by chance
    close(
        student.shifted_ppmi(counts, negatives=2, power=1),
        math.log(36 / 11 / 2) * np.eye(6),
        given="6 on the diagonal, 1 elsewhere, negatives=2, power=1",
    )


@exercise("shifted_ppmi")
def test_the_columns_are_smoothed_and_not_the_rows(student: Student) -> None:
    counts = torch.tensor([[15.0, 1.0], [66.0, 0.0]])  # columns 81 and 1; to the power ¾: 27 and 1
    expected = [
        [math.log(15 / 16 * 28 / 27) if 15 / 16 * 28 / 27 > 1 else 0, math.log(28 / 16)],
        [math.log(28 / 27), 0],
    ]
    close(student.shifted_ppmi(counts, negatives=1, power=0.75), expected, given="15 1 / 66 0, negatives=1, power=0.75")


@exercise("shifted_ppmi", points=0.5)
def test_five_negatives_and_three_quarters_are_the_defaults(student: Student) -> None:
    counts = torch.eye(9) * 80 + 1
    close(
        student.shifted_ppmi(counts),
        math.log(81 * 9 / 89 / 5) * np.eye(9),
        given="81 on the diagonal of 9 × 9, 1 elsewhere",
    )


# Deerwester et al. 1990, Table 2: how often twelve words (human, interface, computer, user, system, response, time, EPS, survey,
# tree, graph, minor) occur in nine titles. Their appendix prints the singular values.
TITLES = torch.tensor(
    [[1, 0, 0, 1, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 1, 0, 1, 0, 0, 0, 0],
     [0, 1, 1, 2, 0, 0, 0, 0, 0], [0, 1, 0, 0, 1, 0, 0, 0, 0], [0, 1, 0, 0, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0, 0, 0, 0],
     [0, 1, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0, 1, 1]],
    dtype=torch.float32,
)  # fmt: skip
SINGULAR_VALUES = [3.34, 2.54, 2.35, 1.64, 1.50, 1.31, 0.85, 0.56, 0.36]
HUMAN, USER, MINOR = 0, 3, 11


@claim("lsa-singular-values")
@exercise("lsa")
def test_the_titles_have_the_singular_values_that_the_paper_prints(student: Student) -> None:
    lengths = student.lsa(TITLES, 9).norm(dim=0)
    close(
        [round(float(x), 2) for x in lengths],
        SINGULAR_VALUES,
        given="12 words in 9 titles (Deerwester et al. 1990), 9 directions; the length of each column",
    )


@claim("lsa-human-user")
@exercise("lsa")
def test_two_directions_bring_human_and_user_together(student: Student) -> None:
    vectors = student.lsa(TITLES, 2).double()
    titles = TITLES.double()
    smooth = vectors @ torch.linalg.pinv(vectors) @ titles  # (12, 9) the table as far as two directions hold it
    together, apart = (float(np.corrcoef(smooth[HUMAN], smooth[word])[0, 1]) for word in (USER, MINOR))
    close(
        [round(together, 2), round(apart, 2)],
        [0.94, -0.83],
        given="the titles in 2 directions; correlation of human with user and with minor, −0.38 and −0.29 before",
    )


@exercise("lsa")
def test_dot_products_are_those_of_the_nearest_matrix_of_rank_d(student: Student) -> None:
    generator = np.random.default_rng(5)
    matrix = generator.normal(size=(7, 5))
    strength, axes = np.linalg.eigh(matrix @ matrix.T)  # weakest first: another road to the same directions
    expected = (axes[:, -3:] * strength[-3:]) @ axes[:, -3:].T
    vectors = student.lsa(torch.tensor(matrix), 3)
    close(
        vectors @ vectors.T, expected, rtol=1e-3, atol=1e-5, given="a random 7 × 5 matrix, 3 directions; dot products"
    )


@exercise("lsa")
def test_the_power_is_that_of_the_singular_values(student: Student) -> None:
    matrix = torch.tensor([[5.0, 4.0, 0.0], [4.0, 5.0, 0.0], [0.0, 0.0, 4.0]])  # singular values 9, 4, 1
    close(
        student.lsa(matrix, 2, power=0.5).abs(),
        [[3 / math.sqrt(2), 0], [3 / math.sqrt(2), 0], [0, 2]],
        atol=1e-5,
        given="5 4 0 / 4 5 0 / 0 0 4, 2 directions, power ½; absolute values",
    )
