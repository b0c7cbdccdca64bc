"""probing: the public checks. Expected values come from scikit-learn, numpy, hand counts and sums place by place."""

import math

import numpy as np
import torch
from sklearn.linear_model import Ridge
from torch import Tensor

from etude.lesson.checks import claim, close, equal, exercise, true
from etude.lesson.interface import Student


def drawn(*shape: int, seed: int = 0) -> Tensor:
    """Random numbers, float64."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


# linear_probe
def ridge(vectors: Tensor, labels: Tensor, classes: int, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """scikit-learn's ridge regression on rows of 0 and 1."""
    found = Ridge(alpha=penalty, solver="svd").fit(vectors.double().numpy(), np.eye(classes)[labels.numpy()])
    return found.coef_, found.intercept_


@exercise("linear_probe")
def test_the_probe_is_scikit_learns_ridge_regression(student: Student) -> None:
    vectors, labels = drawn(30, 4), torch.arange(30) % 3
    weight, bias = ridge(vectors, labels, 3, 2.0)
    found = student.linear_probe(vectors, labels, 3, 2.0)
    close(found[0], weight, given="30 random vectors of width 4, three classes, λ = 2; the weight")
    close(found[1], bias, given="30 random vectors of width 4, three classes, λ = 2; the bias")


@exercise("linear_probe")
def test_the_bias_carries_the_classes_shares_and_is_not_penalised(student: Student) -> None:
    vectors = torch.tensor([[1.0], [-1.0], [1.0], [-1.0]], dtype=torch.float64)
    labels = torch.tensor([0, 0, 0, 1])
    weight, bias = student.linear_probe(vectors, labels, 2, 1e9)
    given = "the numbers 1, −1, 1, −1 with labels 0, 0, 0, 1, λ = 1e9"
    close(bias, [0.75, 0.25], given=f"{given}: nothing is left but the shares; the bias")
    close(weight, [[0.0], [0.0]], given=f"{given}; the weight")


@exercise("linear_probe")
def test_vectors_far_from_zero_are_told_apart(student: Student) -> None:
    vectors, labels = drawn(20, 3, seed=1) + torch.tensor([50.0, -20.0, 5.0]), torch.arange(20) % 2
    weight, bias = ridge(vectors, labels, 2, 1.0)
    found = student.linear_probe(vectors, labels, 2, 1.0)
    close(found[0], weight, given="20 vectors around (50, −20, 5), two classes, λ = 1; the weight")
    close(found[1], bias, given="20 vectors around (50, −20, 5), two classes, λ = 1; the bias")


@exercise("linear_probe", points=0.5, needs="test_the_probe_is_scikit_learns_ridge_regression")
def test_a_class_may_be_missing(student: Student) -> None:
    vectors, labels = drawn(12, 3, seed=2), torch.tensor([0, 2] * 6)
    weight, bias = ridge(vectors, labels, 4, 1.0)
    found = student.linear_probe(vectors, labels, 4, 1.0)
    close(found[0], weight, given="12 vectors of width 3, labels 0 and 2 of four classes, λ = 1; the weight")
    close(found[1], bias, given="12 vectors of width 3, labels 0 and 2 of four classes, λ = 1; the bias")


# control_labels
MANY = [f"word{number}" for number in range(400)]


@claim("control-task")
@exercise("control_labels")
def test_a_word_has_one_label_wherever_it_stands(student: Student) -> None:
    words, labels = ["a", "b", "a", "c", "b", "a"] * 5, [0, 1, 2, 1, 0, 2] * 5
    for seed in range(5):
        first, second = student.control_labels(words, labels, ["c", "b", "a", "b"], seed)
        given = f"the words a, b, a, c, b, a five times; test words c, b, a, b; seed {seed}"
        true(len(first) == 30 and len(second) == 4, "one label for each token was expected", given=given)
        pairs = {*zip(words, first, strict=True), *zip("cbab", second, strict=True)}
        true(len(pairs) == 3, "a word has two labels", given=given, actual=sorted(pairs))


@exercise("control_labels")
def test_labels_are_drawn_with_the_frequencies_of_the_tokens(student: Student) -> None:
    # 400 words that stand once with label 0, and one word that stands 1,200 times with label 5.
    words, labels = [*MANY, *["the"] * 1200], [0] * 400 + [5] * 1200
    first, _ = student.control_labels(words, labels, [], 3)
    fives = sum(label == 5 for label in first[:400])
    given = "400 words with label 0, once each, and one word 1,200 times with label 5: how many of the 400 draw 5"
    true(250 <= fives <= 350, "some 300 of 400 were expected: three of four tokens have label 5", given=given, actual=fives)


@exercise("control_labels", points=0.5, needs="test_a_word_has_one_label_wherever_it_stands")
def test_a_word_that_is_new_in_the_test_draws_a_label_too(student: Student) -> None:
    _, second = student.control_labels(["a", "b"], [0, 1], MANY, 1)
    ones = sum(label == 1 for label in second)
    given = "training words a, b with labels 0, 1; 400 new words in the test: how many draw 1"
    true(150 <= ones <= 250, "about half of them were expected", given=given, actual=ones)


@exercise("control_labels", points=0.5, needs="test_labels_are_drawn_with_the_frequencies_of_the_tokens")
def test_the_same_seed_gives_the_same_labels_and_another_one_others(student: Student) -> None:
    labels = [number % 4 for number in range(400)]
    again = [[list(part) for part in student.control_labels(MANY, labels, ["x"], seed)] for seed in (7, 7, 8)]
    equal(again[1], again[0], given="400 words, four labels, seed 7 twice")
    true(again[2] != again[0], "seed 8 gives the labels of seed 7", given="400 words, four labels")


# selectivity
def bools(text: str) -> Tensor:
    """True for each x of a text."""
    return torch.tensor([letter == "x" for letter in text])


@exercise("selectivity")
def test_it_is_the_difference_of_two_accuracies(student: Student) -> None:
    found = student.selectivity(bools("xxx."), bools("x..."), ["a", "b", "c", "d"])
    close(float(found[0]), 0.5, given="right at 3 of 4 tokens, the control's probe at 1")
    found = student.selectivity(bools("...."), bools("xxx."), ["a", "b", "c", "d"])
    close(float(found[0]), -0.75, given="right at none of 4 tokens, the control's probe at 3")


@exercise("selectivity")
def test_of_words_that_stand_once_the_error_is_the_usual_one(student: Student) -> None:
    found = student.selectivity(bools("xxx.x"), bools("xx..."), ["a", "b", "c", "d", "e"])
    apart = np.array([0, 0, 1, 0, 1])
    given = "differences 0, 0, 1, 0, 1 at five words that stand once; the standard error"
    close(float(found[1]), float(apart.std() / math.sqrt(5)), given=given)


@exercise("selectivity")
def test_tokens_of_one_word_count_together(student: Student) -> None:
    found = student.selectivity(bools("xxxx"), bools("xx.."), ["a", "a", "b", "b"])
    given = "differences 0, 0 at the word a, 1, 1 at the word b: sums −1 and 1 about the mean; the standard error"
    close(float(found[1]), math.sqrt(2) / 4, given=given)


@exercise("selectivity")
def test_gains_and_losses_within_a_word_cancel(student: Student) -> None:
    found = student.selectivity(bools("x.x."), bools(".x.x"), ["a", "a", "b", "b"])
    close([float(one) for one in found], [0.0, 0.0], given="differences 1, −1 at the word a, 1, −1 at the word b")


# layer_centres
@exercise("layer_centres")
def test_even_scores_have_their_centre_in_the_middle(student: Student) -> None:
    found = student.layer_centres(torch.zeros(5), [0.5, 0.5, 0.5, 0.5, 1.0])
    close(float(found[0]), 2.0, given="five equal scores; the centre of gravity")


@exercise("layer_centres")
def test_scores_become_shares_by_a_softmax(student: Student) -> None:
    found = student.layer_centres(torch.tensor([1.0, 2.0, 5.0]).log(), [0.0, 0.5, 1.0])
    close(float(found[0]), (2 + 2 * 5) / 8, given="scores ln 1, ln 2, ln 5: shares 1/8, 2/8, 5/8; the centre of gravity")


@exercise("layer_centres")
def test_the_expected_layer_weighs_each_layer_by_what_it_adds(student: Student) -> None:
    found = student.layer_centres(torch.zeros(4), [0.5, 0.75, 0.75, 1.0])
    close(float(found[1]), (1 + 3) / 2, given="cumulative scores .5, .75, .75, 1: gains 1/4, 0, 1/4; the expected layer")
    found = student.layer_centres(torch.zeros(3), [0.25, 0.375, 0.875])
    close(float(found[1]), (0.125 + 2 * 0.5) / 0.625, given="cumulative scores .25, .375, .875; the expected layer")
    found = student.layer_centres(torch.zeros(3), [0.5, 0.5, 0.5 + 2**-30])
    close(found[1], 2.0, given="cumulative scores .5, .5, a billionth more; the expected layer")


@exercise("layer_centres")
def test_what_a_layer_loses_counts_as_it_is(student: Student) -> None:
    found = student.layer_centres(torch.zeros(3), [0.25, 1.0, 0.75])
    close(float(found[1]), (0.75 - 2 * 0.25) / 0.5, given="cumulative scores .25, 1, .75: gains 3/4, −1/4; the expected layer")


@exercise("layer_centres", points=0.5, needs="test_the_expected_layer_weighs_each_layer_by_what_it_adds")
def test_without_a_gain_there_is_no_expected_layer(student: Student) -> None:
    found = student.layer_centres(torch.zeros(3), [0.75, 0.5, 0.75])
    equal(found[1], None, given="cumulative scores .75, .5, .75; the expected layer")
    close(float(found[0]), 1.0, given="three equal scores, cumulative scores .75, .5, .75; the centre of gravity")


# online_code
def even(*probabilities: float) -> Tensor:
    """Logits of these probabilities, one row."""
    return torch.tensor([probabilities]).log()


@exercise("online_code")
def test_without_a_probe_each_label_costs_log2_of_the_classes(student: Student) -> None:
    found = student.online_code([(None, torch.tensor([0, 7, 3]))], 8)
    close(float(found[0]), 9.0, given="three labels of 8 classes, no probe; bits")
    close(float(found[1]), 1.0, given="three labels of 8 classes, no probe; compression")


@exercise("online_code")
def test_a_probe_pays_the_bits_of_what_it_finds_improbable(student: Student) -> None:
    blocks = [(None, torch.tensor([1])), (even(0.25, 0.5, 0.125, 0.125), torch.tensor([0]))]
    found = student.online_code(blocks, 4)
    close(float(found[0]), 2 + 2, given="four classes: a label without a probe, a label of probability 1/4; bits")
    blocks[1] = (even(0.25, 0.5, 0.125, 0.125), torch.tensor([2]))
    close(float(student.online_code(blocks, 4)[0]), 2 + 3, given="the same, a label of probability 1/8; bits")


@exercise("online_code")
def test_labels_of_a_block_add_up(student: Student) -> None:
    logits = torch.cat([even(0.5, 0.5), even(0.25, 0.75), even(0.875, 0.125)])
    found = student.online_code([(None, torch.tensor([0, 1])), (logits, torch.tensor([1, 0, 1]))], 2)
    close(float(found[0]), 2 + 1 + 2 + 3, given="two classes: 2 labels without a probe, 3 of probabilities 1/2, 1/4, 1/8; bits")


@exercise("online_code")
def test_compression_is_the_even_code_by_this_one(student: Student) -> None:
    logits = even(0.5, 0.25, 0.125, 0.125).repeat(6, 1)
    found = student.online_code([(None, torch.tensor([3, 3])), (logits, torch.zeros(6, dtype=torch.long))], 4)
    close(float(found[1]), 16 / 10, given="8 labels of 4 classes: 2 without a probe, 6 of probability 1/2; compression")


# structure_loss
def loss_by_hand(vectors: Tensor, transform: Tensor, distances: Tensor, lengths: Tensor) -> Tensor:
    """Pair by pair."""
    costs = []
    for x, table, count in zip(vectors, distances, lengths.tolist(), strict=True):
        pairs = [(i, j) for i in range(count) for j in range(count)]
        apart = [(table[i, j] - ((transform @ (x[i] - x[j])) ** 2).sum()).abs() for i, j in pairs]
        costs.append(torch.stack(apart).sum() / count**2)
    return torch.stack(costs).mean()


def chain(count: int) -> Tensor:
    """Distances in a chain of words, (1, count, count)."""
    places = torch.arange(float(count), dtype=torch.float64)
    return (places[:, None] - places).abs()[None]


@exercise("structure_loss", needs="test_random_sentences_cost_what_their_pairs_cost")
def test_vectors_whose_squared_distances_are_the_trees_cost_nothing(student: Student) -> None:
    corner = torch.tensor([[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]], dtype=torch.float64)
    found = student.structure_loss(corner, torch.eye(2, dtype=torch.float64), chain(3), torch.tensor([3]))
    close(found, 0.0, given="three words in a chain at (0, 0), (1, 0), (1, 1), the map 1")
    found = student.structure_loss(2 * corner, torch.eye(2, dtype=torch.float64) / 2, chain(3), torch.tensor([3]))
    close(found, 0.0, given="the same at twice the distance, the map 1/2")


@exercise("structure_loss")
def test_each_sentence_is_divided_by_the_square_of_its_own_length(student: Student) -> None:
    vectors, distances = torch.zeros(2, 3, 2, dtype=torch.float64), chain(3).repeat(2, 1, 1)
    found = student.structure_loss(vectors, torch.eye(2, dtype=torch.float64), distances, torch.tensor([3, 2]))
    given = "two chains of 3 and 2 words, all vectors 0: (2·1 + 2·1 + 2·2) / 9 and 2 / 4"
    close(found, (8 / 9 + 2 / 4) / 2, given=given)


@exercise("structure_loss")
def test_random_sentences_cost_what_their_pairs_cost(student: Student) -> None:
    vectors, transform, lengths = drawn(3, 5, 4), drawn(2, 4, seed=1), torch.tensor([5, 1, 3])
    distances = chain(5).repeat(3, 1, 1)
    expected = loss_by_hand(vectors, transform, distances, lengths)
    given = "chains of 5, 1 and 3 words, random vectors of width 4, a map to width 2"
    close(student.structure_loss(vectors, transform, distances, lengths), expected, given=given)


@exercise("structure_loss", points=0.5, needs="test_random_sentences_cost_what_their_pairs_cost")
def test_padding_may_hold_anything(student: Student) -> None:
    vectors, transform, lengths = drawn(2, 4, 3), drawn(3, 3, seed=1), torch.tensor([4, 2])
    distances = chain(4).repeat(2, 1, 1)
    expected = loss_by_hand(vectors, transform, distances, lengths)
    vectors[1, 2:], distances[1, 2:], distances[1, :, 2:] = math.nan, math.nan, math.nan
    given = "chains of 4 and 2 words, all beyond them NaN"
    close(student.structure_loss(vectors, transform, distances, lengths), expected, given=given)


# precision_at
@exercise("precision_at")
def test_the_first_candidate_is_what_counts(student: Student) -> None:
    logits = torch.tensor([[9.0, 1.0, 3.0, 2.0], [9.0, 3.0, 1.0, 2.0]])
    given = "scores (9, 1, 3, 2) and (9, 3, 1, 2), candidates 1, 2, 3, answers 2 and 2"
    close(float(student.precision_at(logits, [1, 2, 3], [2, 2], [[], []], 1)), 0.5, given=f"{given}; P@1")
    close(float(student.precision_at(logits, [3, 2, 1], [2, 2], [[], []], 2)), 0.5, given=f"{given}; P@2")
    close(float(student.precision_at(logits, [3, 2, 1], [2, 2], [[], []], 3)), 1.0, given=f"{given}; P@3")


@exercise("precision_at")
def test_what_is_right_as_well_does_not_compete(student: Student) -> None:
    logits = torch.tensor([[0.0, 5.0, 4.0, 3.0], [0.0, 5.0, 4.0, 3.0]])
    found = student.precision_at(logits, [1, 2, 3], [2, 3], [[1], [1]], 1)
    given = "scores (0, 5, 4, 3) twice, candidates 1, 2, 3, answers 2 and 3, candidate 1 is right as well; P@1"
    close(float(found), 0.5, given=given)


@exercise("precision_at")
def test_a_tie_counts_against_the_model(student: Student) -> None:
    logits = torch.zeros(3, 5)
    for k, expected in ((1, 0.0), (3, 0.0), (4, 1.0)):
        found = student.precision_at(logits, [0, 1, 2, 4], [0, 2, 4], [[], [], []], k)
        close(float(found), expected, given=f"all scores 0, candidates 0, 1, 2, 4, answers 0, 2, 4; P@{k}")


@exercise("precision_at", needs="test_the_first_candidate_is_what_counts")
def test_candidates_are_ids(student: Student) -> None:
    logits = torch.full((1, 200), -1.0)
    logits[0, 150], logits[0, 3], logits[0, 199] = 2.0, 1.0, 5.0
    found = student.precision_at(logits, [3, 150, 7], [150], [[]], 1)
    close(float(found), 1.0, given="200 scores, candidates 3, 150, 7, the answer 150 with 2, 3 with 1, no candidate 199 with 5; P@1")


# remove_directions
@exercise("remove_directions")
def test_one_direction_is_taken_out(student: Student) -> None:
    vectors = torch.tensor([[3.0, 4.0], [1.0, 0.0]], dtype=torch.float64)
    found = student.remove_directions(vectors, torch.tensor([[0.0, 2.0]], dtype=torch.float64))
    close(found, [[3.0, 0.0], [1.0, 0.0]], given="(3, 4) and (1, 0), a probe that looks along (0, 2)")
    found = student.remove_directions(vectors, torch.tensor([[1.0, 1.0]], dtype=torch.float64))
    close(found, [[-0.5, 0.5], [0.5, -0.5]], given="(3, 4) and (1, 0), a probe that looks along (1, 1)")


@exercise("remove_directions")
def test_directions_need_not_be_at_right_angles(student: Student) -> None:
    vectors, weight = drawn(4, 3), torch.tensor([[1.0, 0.0, 0.0], [5.0, 1.0, 0.0]], dtype=torch.float64)
    expected = vectors * torch.tensor([0.0, 0.0, 1.0])
    close(student.remove_directions(vectors, weight), expected, given="random vectors, a probe with rows (1, 0, 0), (5, 1, 0)")


@exercise("remove_directions")
def test_rows_that_sum_to_zero_are_one_direction_fewer(student: Student) -> None:
    vectors = drawn(3, 4, seed=4)
    weight = torch.tensor([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [-1.0, -1.0, 1e-8, 0]], dtype=torch.float64)
    expected = vectors * torch.tensor([0.0, 0.0, 1.0, 1.0])
    given = "random vectors, a probe with rows (1, 0, 0, 0), (0, 1, 0, 0), (−1, −1, 0.00000001, 0)"
    close(student.remove_directions(vectors, weight), expected, given=given)


@exercise("remove_directions", points=0.5, needs="test_one_direction_is_taken_out")
def test_a_probe_of_zeros_takes_nothing_out(student: Student) -> None:
    vectors = drawn(2, 3)
    found = student.remove_directions(vectors, torch.zeros(2, 3, dtype=torch.float64))
    close(found, vectors, given="random vectors, a probe that is all 0")
