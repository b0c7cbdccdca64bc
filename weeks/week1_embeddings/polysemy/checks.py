"""polysemy: the public checks. Expected values come from hand counts, closed forms, numpy and brute force."""

import math
from typing import Any

import torch

from etude.lesson.checks import claim, close, equal, exercise, true
from etude.lesson.interface import Student


def _tensor(value: Any) -> Any:
    """A value that must be a tensor."""
    true(torch.is_tensor(value), "a tensor was expected", actual=str(type(value)))
    return value


WORDS = ["눈", "이", "내리", "아프"]
TABLE = torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.0, -1.0], [4.0, 4.0, 0.0], [-2.0, 1.0, 1.0]])


@exercise("embed")
def test_each_token_gets_its_row_in_the_order_of_the_sentence(student: Student) -> None:
    close(
        _tensor(student.embed(TABLE, WORDS, ["내리", "눈", "이"])),
        TABLE[[2, 0, 1]],
        given="words 눈 이 내리 아프 with a table of 4 rows; the tokens 내리 눈 이",
    )


@claim("static-polysemy")
@exercise("embed", needs="test_each_token_gets_its_row_in_the_order_of_the_sentence")
def test_a_homonym_gets_exactly_the_same_vector_in_every_sentence(student: Student) -> None:
    snow = student.embed(TABLE, WORDS, ["눈", "이", "내리"])
    eye = student.embed(TABLE, WORDS, ["아프", "눈"])
    close(snow[0] - eye[1], [0.0, 0.0, 0.0], rtol=0, atol=0, given="눈 in 눈이 내리, minus 눈 in 아프 눈")


@exercise("embed", points=0.5)
def test_a_token_that_is_not_in_the_table_gets_zeros(student: Student) -> None:
    close(
        student.embed(TABLE, WORDS, ["배", "아프"]),
        [[0.0, 0.0, 0.0], [-2.0, 1.0, 1.0]],
        given="the tokens 배 아프, where 배 is not in the table",
    )


@exercise("topic_entropy", needs="test_unequal_shares_follow_the_formula")
def test_one_topic_has_no_entropy(student: Student) -> None:
    equal(student.topic_entropy(["food"] * 5), 0.0, given="food, five times")


@exercise("topic_entropy")
def test_two_halves_are_one_bit_and_eight_topics_alike_are_three(student: Student) -> None:
    close(student.topic_entropy(["sea", "food", "food", "sea"]), 1.0, given="sea food food sea")
    close(student.topic_entropy([f"topic {i}" for i in range(8)] * 3), 3.0, given="eight topics, three times each")


@exercise("topic_entropy")
def test_unequal_shares_follow_the_formula(student: Student) -> None:
    expected = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    close(student.topic_entropy(["sea", "sea", "food", "sea"]), expected, given="sea three times, food once")


@exercise("mixture")
def test_weights_of_senses_at_right_angles_are_read_off(student: Student) -> None:
    senses = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    found = student.mixture(torch.tensor([3.0, 4.0, 5.0]), senses)
    true(isinstance(found, tuple) and len(found) == 2, "a tuple of weights and cosine was expected", actual=found)
    weights, cosine = found
    close(_tensor(weights), [3.0, 4.0], given="vector (3, 4, 5); senses (1, 0, 0) and (0, 1, 0)")
    close(cosine, 5 / math.sqrt(50), given="the same: the cosine of (3, 4, 5) and (3, 4, 0)")


@exercise("mixture")
def test_a_sum_of_slanting_senses_is_found_again(student: Student) -> None:
    senses = torch.tensor([[1.0, 1.0, 0.0], [1.0, 0.0, 2.0]])
    weights, cosine = student.mixture(2 * senses[0] - senses[1], senses)
    close(weights, [2.0, -1.0], given="the vector 2 a − b; senses a = (1, 1, 0) and b = (1, 0, 2)", atol=1e-5)
    close(cosine, 1.0, given="the cosine of the vector and its reconstruction")


@exercise("mixture")
def test_a_longer_sense_gets_a_smaller_weight(student: Student) -> None:
    senses = torch.tensor([[4.0, 0.0, 0.0], [0.0, 0.5, 0.0]])
    weights, cosine = student.mixture(torch.tensor([2.0, 2.0, 1.0]), senses)
    close(weights, [0.5, 4.0], given="vector (2, 2, 1); senses (4, 0, 0) and (0, ½, 0)")
    close(cosine, math.sqrt(8) / 3, given="the same: the cosine of (2, 2, 1) and (2, 2, 0)")


UNIT = torch.eye(4)
ONES = torch.ones(4)


@exercise("context_vector")
def test_it_is_the_mean_of_the_neighbours_without_the_word_itself(student: Student) -> None:
    close(
        _tensor(student.context_vector(UNIT, ONES, [0, 1, 2, 3, 0], 2, 1)),
        [0.0, 0.5, 0.0, 0.5],
        given="ids 0 1 2 3 0, position 2, window 1, all weights 1",
    )


@exercise("context_vector")
def test_the_window_is_cut_off_at_the_edges_of_the_text(student: Student) -> None:
    close(
        student.context_vector(UNIT, ONES, [0, 1, 2, 3], 0, 2),
        [0.0, 0.5, 0.5, 0.0],
        given="ids 0 1 2 3, position 0, window 2, all weights 1",
    )
    close(
        student.context_vector(UNIT, ONES, [0, 1, 2, 3], 3, 2),
        [0.0, 0.5, 0.5, 0.0],
        given="ids 0 1 2 3, position 3, window 2, all weights 1",
    )
    close(
        student.context_vector(UNIT, ONES, [0, 1, 2, 3], 1, 2),
        [1 / 3, 0.0, 1 / 3, 1 / 3],
        given="ids 0 1 2 3, position 1, window 2, all weights 1",
    )


@exercise("context_vector")
def test_each_neighbour_weighs_what_its_word_weighs(student: Student) -> None:
    close(
        student.context_vector(UNIT, torch.tensor([3.0, 1.0, 9.0, 0.0]), [0, 2, 1, 3], 1, 5),
        [0.75, 0.25, 0.0, 0.0],
        given="ids 0 2 1 3, position 1, window 5, weights 3, 1, 9, 0",
    )


@exercise("context_vector", points=0.5)
def test_the_same_word_at_another_position_counts_as_a_neighbour(student: Student) -> None:
    close(
        student.context_vector(UNIT, ONES, [1, 0, 1, 1], 2, 2),
        [1 / 3, 2 / 3, 0.0, 0.0],
        given="ids 1 0 1 1, position 2, window 2, all weights 1",
    )


@exercise("context_vector", points=0.5)
def test_a_word_alone_has_a_context_of_zeros(student: Student) -> None:
    close(student.context_vector(UNIT, ONES, [2], 0, 3), [0.0] * 4, given="one word, window 3")


@exercise("context_vector", points=0.5, needs="test_each_neighbour_weighs_what_its_word_weighs")
def test_neighbours_that_change_places_change_nothing(student: Student) -> None:
    generator = torch.Generator().manual_seed(5)
    vectors, weights = torch.randn(6, 3, generator=generator), torch.rand(6, generator=generator)
    one, other = ([5, 1, 0, 2, 3], [3, 2, 0, 5, 1])
    close(
        student.context_vector(vectors, weights, other, 2, 4),
        student.context_vector(vectors, weights, one, 2, 4),
        given="ids 3 2 0 5 1 against 5 1 0 2 3, position 2, window 4",
    )


LINE = torch.tensor([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0], [10.0, 0.0]])


@exercise("kmeans")
def test_two_groups_on_a_line_are_found(student: Student) -> None:
    centroids, labels = student.kmeans(LINE, torch.tensor([[2.0, 0.0], [3.0, 0.0]]))
    equal(
        [int(label) for label in labels], [0, 0, 1, 1], given="points 0, 1, 9, 10 on a line; centroids start at 2 and 3"
    )
    close(_tensor(centroids), [[0.5, 0.0], [9.5, 0.0]], given="the centroids of the same")


@exercise("kmeans", points=0.5)
def test_two_groups_on_a_line_are_found_from_a_bad_start(student: Student) -> None:
    _, labels = student.kmeans(LINE, torch.tensor([[0.0, 0.0], [1.0, 0.0]]))
    equal(
        [int(label) for label in labels], [0, 0, 1, 1], given="points 0, 1, 9, 10 on a line; centroids start at 0 and 1"
    )


@exercise("kmeans")
def test_one_round_labels_first_and_then_moves(student: Student) -> None:
    centroids, labels = student.kmeans(LINE, torch.tensor([[0.0, 0.0], [1.0, 0.0]]), steps=1)
    equal(
        [int(label) for label in labels], [0, 1, 1, 1], given="points 0, 1, 9, 10; centroids start at 0 and 1; 1 step"
    )
    close(centroids, [[0.0, 0.0], [20 / 3, 0.0]], given="the centroids after that step")


@exercise("kmeans")
def test_a_centroid_without_points_stays_where_it_is(student: Student) -> None:
    centroids, labels = student.kmeans(LINE, torch.tensor([[5.0, 0.0], [5.0, 80.0]]), steps=3)
    equal(
        [int(label) for label in labels],
        [0, 0, 0, 0],
        given="points 0, 1, 9, 10; centroids start at (5, 0) and (5, 80)",
    )
    close(centroids, [[5.0, 0.0], [5.0, 80.0]], given="the centroids after 3 steps")


@exercise("kmeans", points=0.5)
def test_a_point_between_two_centroids_gets_the_first(student: Student) -> None:
    _, labels = student.kmeans(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 0.0], [2.0, 0.0]]), steps=1)
    equal([int(label) for label in labels], [0], given="one point at 1, centroids at 0 and 2, 1 step")


@exercise("kmeans", points=0.5, needs="test_two_groups_on_a_line_are_found")
def test_the_start_is_left_alone(student: Student) -> None:
    start = torch.tensor([[2.0, 0.0], [3.0, 0.0]])
    handle = student.put(start.clone())
    student.kmeans(LINE, handle, steps=2)
    close(student.value(handle), start, given="the centroids that were handed in, after 2 steps")


@exercise("kmeans", points=0.5)
def test_labels_come_as_a_tensor_of_int64(student: Student) -> None:
    _, labels = student.kmeans(LINE, torch.tensor([[2.0, 0.0], [3.0, 0.0]]), steps=2)
    kind = str(labels.dtype) if isinstance(labels, torch.Tensor) else type(labels).__name__
    equal(kind, "torch.int64", given="points 0, 1, 9, 10; centroids start at 2 and 3; 2 steps; the type of the labels")


@exercise("purity")
def test_each_group_counts_its_most_frequent_sense(student: Student) -> None:
    close(
        student.purity([0, 0, 0, 1, 1, 1, 1], [5, 5, 7, 7, 7, 7, 5]),
        5 / 7,
        given="groups 0 0 0 1 1 1 1, senses 5 5 7 7 7 7 5",
    )


@exercise("purity", needs="test_each_group_counts_its_most_frequent_sense")
def test_group_numbers_need_not_be_those_of_the_senses(student: Student) -> None:
    close(student.purity([1, 1, 0, 0], [0, 0, 1, 1]), 1.0, given="groups 1 1 0 0, senses 0 0 1 1")


@exercise("purity")
def test_one_group_is_as_pure_as_the_share_of_the_commoner_sense(student: Student) -> None:
    close(student.purity([0] * 5, [0, 1, 1, 0, 1]), 0.6, given="one group, senses 0 1 1 0 1")


@exercise("purity", points=0.5)
def test_two_groups_may_have_the_same_sense(student: Student) -> None:
    close(student.purity([0, 0, 1, 1, 1], [3, 3, 3, 3, 4]), 0.8, given="groups 0 0 1 1 1, senses 3 3 3 3 4")


@exercise("choose_senses")
def test_a_new_context_gets_the_sense_in_whose_direction_it_lies(student: Student) -> None:
    contexts = torch.tensor([[1.0, 0.1], [0.0, 2.0], [1.0, -0.1], [0.0, 1.0]])
    new = torch.tensor([[3.0, 1.0], [0.1, 0.2]])
    chosen = student.choose_senses(contexts, torch.tensor([0, 1, 0, 1]), new)
    equal(
        [int(sense) for sense in chosen], [0, 1], given="sense 0 points east, sense 1 north; new: (3, 1) and (0.1, 0.2)"
    )


@exercise("choose_senses")
def test_the_direction_decides_and_not_the_distance(student: Student) -> None:
    contexts = torch.tensor([[10.0, 0.0], [0.0, 1.0]])
    chosen = student.choose_senses(contexts, torch.tensor([0, 1]), torch.tensor([[1.0, 0.5], [9.0, 12.0]]))
    equal(
        [int(sense) for sense in chosen], [0, 1], given="sense 0 at (10, 0), sense 1 at (0, 1); new: (1, ½) and (9, 12)"
    )
    contexts = torch.tensor([[8.0, 6.0], [0.0, 1.0]])
    chosen = student.choose_senses(contexts, torch.tensor([0, 1]), torch.tensor([[1.0, 3.0], [5.0, 1.0]]))
    equal(
        [int(sense) for sense in chosen], [1, 0], given="sense 0 at (8, 6), sense 1 at (0, 1); new: (1, 3) and (5, 1)"
    )


@exercise("choose_senses", needs="test_a_new_context_gets_the_sense_in_whose_direction_it_lies")
def test_the_centroid_decides_and_not_the_nearest_single_context(student: Student) -> None:
    contexts = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.5, 0.8], [0.0, 1.0]])
    chosen = student.choose_senses(contexts, torch.tensor([0, 0, 0, 1]), torch.tensor([[0.4, 0.7]]))
    equal(
        [int(sense) for sense in chosen],
        [1],
        given="sense 0 at (1, 0), (1, 0), (0.5, 0.8); sense 1 at (0, 1); new: (0.4, 0.7)",
    )


@exercise("choose_senses", points=0.5, needs="test_a_new_context_gets_the_sense_in_whose_direction_it_lies")
def test_long_contexts_pull_their_centroid_more(student: Student) -> None:
    contexts = torch.tensor([[6.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    chosen = student.choose_senses(contexts, torch.tensor([0, 0, 1]), torch.tensor([[2.0, 1.0]]))
    true(
        int(chosen[0]) == 0,
        "the centroid of sense 0 is (3, ½), the mean of its contexts as they are",
        given="sense 0 at (6, 0) and (0, 1), sense 1 at (1, 1); new: (2, 1)",
    )
