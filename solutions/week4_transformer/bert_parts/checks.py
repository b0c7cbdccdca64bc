"""bert_parts: the public checks. Expected values come from numpy, torch's own LSTM, hand counts and enumeration."""

import itertools
import math

import numpy as np
import torch
from torch import Tensor

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student

BASE = 13  # layers of BERT base with the embeddings


def layers_of(count: int, *shape: int, seed: int = 0) -> list[Tensor]:
    """Random layers, float64."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=generator, dtype=torch.float64) for _ in range(count)]


# combine_layers
LAYERS = layers_of(BASE, 2, 3, 4)


@exercise("combine_layers")
def test_one_layer_is_taken_as_it_is(student: Student) -> None:
    for way, place in {"embeddings": 0, "second-to-last": 11, "last": 12}.items():
        close(student.combine_layers(LAYERS, way), LAYERS[place], given=f"13 random layers (2, 3, 4), {way!r}")


@exercise("combine_layers")
def test_the_last_four_stand_side_by_side_lower_layers_first(student: Student) -> None:
    expected = np.concatenate([LAYERS[i].numpy() for i in (9, 10, 11, 12)], axis=2)  # (2, 3, 16)
    close(student.combine_layers(LAYERS, "concat-last-4"), expected, given="13 random layers (2, 3, 4), 'concat-last-4'")


@exercise("combine_layers")
def test_equal_scores_give_the_mean_of_the_layers(student: Student) -> None:
    stacked = np.stack([layer.numpy() for layer in LAYERS])  # (13, 2, 3, 4)
    four, twelve = torch.zeros(4, dtype=torch.float64), torch.full((12,), 5.0, dtype=torch.float64)
    close(student.combine_layers(LAYERS, "sum-last-4", four), stacked[9:].mean(axis=0), given="'sum-last-4', scores all 0")
    close(student.combine_layers(LAYERS, "sum-all", twelve), stacked[1:].mean(axis=0), given="'sum-all', scores all 5")


@exercise("combine_layers")
def test_scores_become_weights_by_a_softmax(student: Student) -> None:
    scores = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64).log()
    weights = np.array([0.1, 0.2, 0.3, 0.4]).reshape(4, 1, 1, 1)
    expected = (weights * np.stack([layer.numpy() for layer in LAYERS[9:]])).sum(axis=0)
    given = "'sum-last-4', scores ln 1, ln 2, ln 3, ln 4, so weights 0.1 to 0.4"
    close(student.combine_layers(LAYERS, "sum-last-4", scores), expected, given=given)


@exercise("combine_layers")
def test_of_two_layers_the_last_four_are_both_without_the_embeddings(student: Student) -> None:
    found = student.combine_layers(LAYERS[:3], "concat-last-4")
    expected = np.concatenate([LAYERS[1].numpy(), LAYERS[2].numpy()], axis=2)
    close(found, expected, given="the embeddings and 2 layers (2, 3, 4), 'concat-last-4'")
    scores = torch.tensor([0.0, math.log(3)], dtype=torch.float64)
    mixed = 0.25 * LAYERS[1] + 0.75 * LAYERS[2]
    close(student.combine_layers(LAYERS[:3], "sum-last-4", scores), mixed, given="2 layers, 'sum-last-4', scores 0, ln 3")


# trainable
def shapes_of(layers: int) -> dict[str, tuple[int, ...]]:
    """The weights of a small BERT with a head, by hand."""
    shapes: dict[str, tuple[int, ...]] = {"bert.input.tokens.weight": (10, 4), "bert.input.norm.bias": (4,)}
    for i in range(layers):
        shapes |= {f"bert.layers.{i}.attention.project_in.weight": (12, 4), f"bert.layers.{i}.feed_forward.0.bias": (16,)}
    return shapes | {"bert.pooler.weight": (4, 4), "head.weight": (5, 4)}


@exercise("trainable")
def test_from_0_on_all_is_trained(student: Student) -> None:
    names, count = student.trainable(shapes_of(2), 0)
    equal(list(names), list(shapes_of(2)), given="a BERT of 2 layers, first = 0; the names")
    equal(int(count), 44 + 2 * 64 + 36, given="a BERT of 2 layers, first = 0; how many weights")


@exercise("trainable")
def test_from_1_on_the_input_alone_is_frozen(student: Student) -> None:
    names, count = student.trainable(shapes_of(2), 1)
    expected = [name for name in shapes_of(2) if not name.startswith("bert.input.")]
    equal(list(names), expected, given="a BERT of 2 layers, first = 1; the names")
    equal(int(count), 2 * 64 + 36, given="a BERT of 2 layers, first = 1; how many weights")


@exercise("trainable")
def test_above_the_last_layer_pooler_and_head_are_left(student: Student) -> None:
    names, count = student.trainable(shapes_of(2), 3)
    equal(list(names), ["bert.pooler.weight", "head.weight"], given="a BERT of 2 layers, first = 3; the names")
    equal(int(count), 36, given="a BERT of 2 layers, first = 3; how many weights")


@exercise("trainable")
def test_of_twelve_layers_layer_1_is_not_layer_10(student: Student) -> None:
    names, count = student.trainable(shapes_of(12), 3)
    frozen = [name for name in shapes_of(12) if name not in names]
    expected = [name for name in shapes_of(12) if name.startswith(("bert.input.", "bert.layers.0.", "bert.layers.1."))]
    equal(frozen, expected, given="a BERT of 12 layers, first = 3; the names that are frozen")
    equal(int(count), 10 * 64 + 36, given="a BERT of 12 layers, first = 3; how many weights")


# few_labels
CLASSES = ["a", "b", "c", "a", "b", "c", "a", "a", "a", "b", "c", "a", "b", "c", "a", "a"]  # 8 a, 4 b, 4 c


def drawn(student: Student, per_class: int, seed: int, labels: list[str] = CLASSES) -> list[int]:
    """The places that the student draws, sorted."""
    return sorted(int(place) for place in student.few_labels(labels, per_class, seed))


@exercise("few_labels")
def test_each_class_has_equally_many(student: Student) -> None:
    for per_class in (1, 3, 4):
        places = drawn(student, per_class, 5)
        true(len(set(places)) == len(places), "a place was drawn twice", given=f"{per_class} of each class", actual=places)
        found = {name: sum(CLASSES[place] == name for place in places) for name in "abc"}
        equal(found, dict.fromkeys("abc", per_class), given=f"8 a, 4 b, 4 c; {per_class} of each class; how many of each")


@exercise("few_labels", needs="test_each_class_has_equally_many")
def test_a_larger_sample_holds_every_smaller_one(student: Student) -> None:
    for seed in range(6):
        samples = [set(drawn(student, per_class, seed)) for per_class in (1, 2, 3, 4)]
        for small, large in itertools.pairwise(samples):
            true(small <= large, "places of the smaller sample are not in the larger one", given=f"seed {seed}")


@exercise("few_labels", points=0.5, needs="test_each_class_has_equally_many")
def test_the_same_seed_gives_the_same_sample(student: Student) -> None:
    for seed in (0, 1, 2):
        first, second = (drawn(student, 3, seed) for _ in range(2))
        equal(second, first, given=f"3 of each class, seed {seed}, twice")


@exercise("few_labels")
def test_every_place_has_its_chance(student: Student) -> None:
    found = {place for seed in range(120) for place in drawn(student, 1, seed)}
    missing = sorted(set(range(len(CLASSES))) - found)
    equal(missing, [], given="one of each class, seeds 0 to 119; the places that were never drawn")


# labels_needed
COUNTS, SCORES = [5, 20, 80, 320], [0.2, 0.4, 0.8, 0.9]


@exercise("labels_needed")
def test_at_a_point_of_the_curve_it_is_its_count(student: Student) -> None:
    for count, score in zip(COUNTS[1:], SCORES[1:], strict=True):
        close(student.labels_needed(COUNTS, SCORES, score), float(count), given=f"{COUNTS}, {SCORES}, target {score}")


@exercise("labels_needed")
def test_half_way_is_the_geometric_mean(student: Student) -> None:
    close(student.labels_needed([10, 1000], [0.0, 1.0], 0.5), 100.0, given="score 0 at 10 labels, 1 at 1,000; target 0.5")
    close(student.labels_needed([1, 16], [0.5, 1.0], 0.625), 2.0, given="score 0.5 at 1 label, 1 at 16; target 0.625")
    close(student.labels_needed([4, 9], [0.25, 0.75], 0.5), 6.0, given="score 0.25 at 4 labels, 0.75 at 9; target 0.5")


@exercise("labels_needed")
def test_a_target_that_is_never_reached_gives_none(student: Student) -> None:
    equal(student.labels_needed(COUNTS, SCORES, 0.95), None, given=f"{COUNTS}, {SCORES}, target 0.95")


@exercise("labels_needed")
def test_the_first_crossing_counts(student: Student) -> None:
    found = student.labels_needed([1, 10, 100, 1000], [0.0, 1.0, 0.0, 1.0], 0.5)
    close(found, math.sqrt(10), given="scores 0, 1, 0, 1 at 1, 10, 100, 1,000 labels; target 0.5")
    found = student.labels_needed([1, 10, 100], [0.0, 1.0, 0.0], 0.5)
    close(found, math.sqrt(10), given="scores 0, 1, 0 at 1, 10, 100 labels; target 0.5")
    found = student.labels_needed([1, 10, 1000], [0.25, 0.0, 1.0], 0.5)
    close(found, 100.0, given="scores 0.25, 0, 1 at 1, 10, 1,000 labels; target 0.5")


@exercise("labels_needed", points=0.5, needs="test_half_way_is_the_geometric_mean")
def test_a_curve_that_begins_above_needs_the_first_count(student: Student) -> None:
    close(student.labels_needed(COUNTS, SCORES, 0.1), 5.0, given=f"{COUNTS}, {SCORES}, target 0.1")
    close(student.labels_needed(COUNTS, SCORES, 0.2), 5.0, given=f"{COUNTS}, {SCORES}, target 0.2")


# left_to_right
TOKENS = torch.tensor([[2, 7, 5, 7, 3], [2, 9, 9, 4, 3]])


@exercise("left_to_right")
def test_the_label_is_the_next_token_and_the_last_has_none(student: Student) -> None:
    labels, _ = student.left_to_right(TOKENS)
    close(labels, [[7, 5, 7, 3, -100], [9, 9, 4, 3, -100]], given=f"{TOKENS.tolist()}; the labels")


@exercise("left_to_right")
def test_each_token_sees_itself_and_those_before(student: Student) -> None:
    _, visible = student.left_to_right(TOKENS[:, :3])
    found = [[bool(one) for one in row] for row in torch.as_tensor(visible).tolist()]
    equal(found, [[True, False, False], [True, True, False], [True, True, True]], given="3 tokens; what each row may see")


@exercise("left_to_right")
def test_what_may_be_seen_is_bool(student: Student) -> None:
    _, visible = student.left_to_right(TOKENS)
    true(
        torch.as_tensor(visible).dtype == torch.bool,
        "True and False were expected: numbers would be added to the scores, or hide nothing",
        given="2 × 5 tokens",
        actual=visible,
    )


@exercise("left_to_right", points=0.5, needs="test_the_label_is_the_next_token_and_the_last_has_none")
def test_a_single_token_has_no_label_and_sees_itself(student: Student) -> None:
    labels, visible = student.left_to_right(torch.tensor([[5]]))
    close(labels, [[-100]], given="one token 5; the labels")
    close(torch.as_tensor(visible).int(), [[1]], given="one token; what it may see")


# reverse_padded
@exercise("reverse_padded")
def test_the_sentence_is_turned_round_and_its_padding_stays(student: Student) -> None:
    x = torch.tensor([[[1.0], [2.0], [3.0], [8.0], [9.0]]])
    found = student.reverse_padded(x, torch.tensor([3]))
    close(found, [[[3.0], [2.0], [1.0], [8.0], [9.0]]], given="1, 2, 3 and padding 8, 9; length 3")


@exercise("reverse_padded")
def test_each_row_has_its_own_length(student: Student) -> None:
    x = torch.arange(24.0).reshape(3, 4, 2)
    found = student.reverse_padded(x, torch.tensor([4, 1, 2]))
    expected = [x[0].tolist()[::-1], x[1].tolist(), x[2, [1, 0, 2, 3]].tolist()]
    close(found, expected, given="three rows of 4 places with the numbers 0 to 23, lengths 4, 1, 2")


@exercise("reverse_padded")
def test_twice_is_as_before(student: Student) -> None:
    x, lengths = layers_of(1, 3, 6, 2, seed=1)[0], torch.tensor([6, 2, 5])
    once = torch.as_tensor(student.reverse_padded(x, lengths))
    true(not torch.equal(once, x), "nothing was turned round", given="random rows of lengths 6, 2, 5", actual=once)
    close(student.reverse_padded(once, lengths), x, given="random rows of lengths 6, 2, 5, turned round twice")


@exercise("reverse_padded")
def test_an_lstm_on_it_is_the_backward_half_of_torchs_own(student: Student) -> None:
    torch.manual_seed(4)
    both = torch.nn.LSTM(2, 3, batch_first=True, bidirectional=True).double()
    single = torch.nn.LSTM(2, 3, batch_first=True).double()
    single.load_state_dict({name: both.state_dict()[f"{name}_reverse"] for name in single.state_dict()})
    x, lengths = layers_of(1, 2, 5, 2, seed=2)[0], torch.tensor([5, 3])
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
    with torch.no_grad():
        expected, _ = torch.nn.utils.rnn.pad_packed_sequence(both(packed)[0], batch_first=True)
        run = single(torch.as_tensor(student.reverse_padded(x, lengths)))[0]
        found = torch.as_tensor(student.reverse_padded(run, lengths))
    inside = (torch.arange(5) < lengths[:, None])[:, :, None]  # (2, 5, 1): no padding
    given = "an LSTM that reads rows of lengths 5 and 3 backwards, against torch's bidirectional one on packed sequences"
    close(found * inside, expected[:, :, 3:] * inside, given=given)


# paired_p_value
def all_signs(count: int) -> Tensor:
    """Every row of signs there is, (2^N, N)."""
    return torch.tensor(list(itertools.product((1.0, -1.0), repeat=count)))


@exercise("paired_p_value")
def test_four_wins_of_four_are_one_case_in_sixteen(student: Student) -> None:
    found = student.paired_p_value(torch.ones(4), torch.zeros(4), all_signs(4))
    close(found, 2 / 17, given="A has 1, B has 0 on all of 4 items; all 16 rows of signs: one does as well, plus 1")


@exercise("paired_p_value")
def test_the_observed_outcome_counts_as_one(student: Student) -> None:
    signs = -torch.ones(9, 2)
    found = student.paired_p_value(torch.tensor([1.0, 1.0]), torch.zeros(2), signs)
    close(found, 0.1, given="A has 1, B has 0 on 2 items; 9 rows of signs that are all −1: (1 + 0) / (1 + 9)")


@exercise("paired_p_value", needs="test_four_wins_of_four_are_one_case_in_sixteen")
def test_chance_that_does_exactly_as_well_counts(student: Student) -> None:
    a = torch.tensor([1.0, 0.0, 1.0, 1.0])
    found = student.paired_p_value(a, a, all_signs(4))
    close(found, 1.0, given="equal scores 1, 0, 1, 1: every swap gives a lead of 0, which is what was observed")


@exercise("paired_p_value")
def test_only_a_lead_of_a_counts(student: Student) -> None:
    a, b = torch.tensor([0.0, 0.0, 1.0, 0.0]), torch.tensor([1.0, 1.0, 0.0, 1.0])
    found = student.paired_p_value(a, b, all_signs(4))
    close(found, (1 + 15) / 17, given="B leads on 3 of 4 items, A on one; all 16 rows: 15 give A a lead of −2 or more")


@exercise("paired_p_value")
def test_the_same_scores_in_another_order_are_another_case(student: Student) -> None:
    a = torch.tensor([0.5, 4.0, 2.0, 1.0])
    near, far = torch.tensor([0.25, 3.75, 1.75, 0.75]), torch.tensor([3.75, 0.75, 0.25, 1.75])
    close(student.paired_p_value(a, near, all_signs(4)), 2 / 17, given="A a quarter above B on each of 4 items")
    swapped = int((all_signs(4) @ (a - far) >= (a - far).sum()).sum())
    close(student.paired_p_value(a, far, all_signs(4)), (1 + swapped) / 17, given="the same scores of B in another order")


# expected_best
@exercise("expected_best")
def test_the_best_of_one_is_the_mean(student: Student) -> None:
    close(student.expected_best([0.5, 0.9, 0.1, 0.7], 1), 0.55, given="0.5, 0.9, 0.1, 0.7; n = 1")
    close(student.expected_best([0.0, 0.0, 0.0, 1.0], 1), 0.25, given="0, 0, 0, 1; n = 1")


@exercise("expected_best")
def test_the_best_of_two_is_the_mean_over_all_pairs(student: Student) -> None:
    close(student.expected_best([0.0, 1.0], 2), 0.75, given="0 and 1, n = 2: 00, 01, 10, 11 have the best 0, 1, 1, 1")
    close(student.expected_best([1.0, 2.0, 3.0], 2), 22 / 9, given="1, 2, 3; n = 2: nine ordered draws")


@exercise("expected_best")
def test_the_order_of_scores_does_not_matter(student: Student) -> None:
    for scores in ([3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [3.0, 2.0, 1.0]):
        close(student.expected_best(scores, 3), 72 / 27, given=f"{scores}, n = 3: 27 draws with a sum of 72")


@exercise("expected_best")
def test_many_draws_come_near_the_best(student: Student) -> None:
    expected = 0.9 - 0.4 * (2 / 3) ** 10 - 0.4 * (1 / 3) ** 10
    close(student.expected_best([0.1, 0.5, 0.9], 10), expected, given="0.1, 0.5, 0.9; n = 10")
    close(student.expected_best([0.1, 0.5, 0.9], 1000), 0.9, given="0.1, 0.5, 0.9; n = 1000")
