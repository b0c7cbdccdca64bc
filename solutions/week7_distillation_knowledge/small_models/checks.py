"""small_models: the public checks. Expected values come from hand counts, closed forms, and torch on small inputs."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from etude.lesson.checks import Mismatch, claim, close, equal, exercise, refused, true
from etude.lesson.interface import Student

NOT = -100  # the label of a token that is not asked for
LN2, LN3 = math.log(2), math.log(3)


# take_layers
def named(layers: int) -> dict[str, Tensor]:
    """A teacher's tensors with numbers that tell which is which: width 2, three words, two positions."""
    weights = {
        "bert.input.tokens.weight": torch.tensor([[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]]),
        "bert.input.segments.weight": torch.tensor([[10.0, 20.0], [-7.0, -8.0]]),
        "bert.input.positions.weight": torch.tensor([[0.5, 0.25], [1.5, 1.25]]),
        "bert.input.norm.weight": torch.tensor([1.0, 1.5]),
    }
    for number in range(layers):
        weights[f"bert.layers.{number}.feed_forward.2.bias"] = torch.tensor([number, -float(number)])
        weights[f"bert.layers.{number}.attention_sum.norm.bias"] = torch.tensor([number + 0.5])
    return weights | {
        "bert.pooler.weight": torch.ones(2, 2),
        "transform.bias": torch.tensor([9.0]),
        "norm.weight": torch.tensor([8.0]),
        "bias": torch.tensor([7.0]),
        "next_sentence.bias": torch.tensor([6.0]),
    }


def taken(student: Student, weights: dict[str, Tensor], kept: list[int], given: str) -> Any:
    """What came back, if it is a dict."""
    found = student.take_layers(weights, kept)
    true(isinstance(found, dict), "a dict from names to tensors was expected", given=given, actual=type(found).__name__)
    return found


@exercise("take_layers")
def test_every_second_layer_gets_a_new_number(student: Student) -> None:
    given = "four layers, kept 0 and 2"
    found = taken(student, named(4), [0, 2], given)
    layers = sorted(name for name in found if name.startswith("bert.layers."))
    expected = [f"bert.layers.{n}.{rest}" for n in (0, 1) for rest in ("attention_sum.norm.bias", "feed_forward.2.bias")]
    equal(layers, expected, given=f"{given}; the names of layers")
    close(found["bert.layers.1.feed_forward.2.bias"], [2.0, -2.0], given=f"{given}; a bias of the student's layer 1")
    close(found["bert.layers.0.attention_sum.norm.bias"], [0.5], given=f"{given}; a bias of the student's layer 0")


@exercise("take_layers")
def test_pooler_next_sentence_and_segments_are_left_out(student: Student) -> None:
    given = "one layer, kept 0; the names of what is in no layer"
    found = taken(student, named(1), [0], given)
    expected = ["bert.input.norm.weight", "bert.input.positions.weight", "bert.input.tokens.weight", "bias", "norm.weight", "transform.bias"]
    equal(sorted(name for name in found if ".layers." not in name), expected, given=given)


@exercise("take_layers")
def test_positions_hold_the_first_segments_vector(student: Student) -> None:
    given = "positions (0.5, 0.25) and (1.5, 1.25), segments (10, 20) and (−7, −8)"
    found = taken(student, named(1), [0], given)
    close(found["bert.input.positions.weight"], [[10.5, 20.25], [11.5, 21.25]], given=given)
    close(found["bert.input.tokens.weight"], [[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]], given=f"{given}; the words stay")


@exercise("take_layers")
def test_layers_stand_in_the_order_that_is_asked_for(student: Student) -> None:
    given = "three layers, kept 2, then 0"
    found = taken(student, named(3), [2, 0], given)
    close(found["bert.layers.0.feed_forward.2.bias"], [2.0, -2.0], given=f"{given}; a bias of the student's layer 0")
    close(found["bert.layers.1.feed_forward.2.bias"], [0.0, 0.0], given=f"{given}; a bias of the student's layer 1")


# triple_loss
def states(*rows: list[float]) -> Tensor:
    """One text of such states."""
    return torch.tensor([rows])


EVEN, ODDS = [0.0, 0.0], [0.0, LN3]  # scores of two words: a half each; a quarter and three quarters
RIGHT, UP = [1.0, 0.0], [0.0, 2.0]
ONE = torch.tensor([[True]])


@exercise("triple_loss")
def test_soft_targets_alone(student: Student) -> None:
    given = "one token, the student's scores (0, ln 9), the teacher's (ln 9, 0), T = 2, weights 1, 0, 0"
    found = student.triple_loss(states([0.0, 2 * LN3]), states([2 * LN3, 0.0]), torch.tensor([[NOT]]), states(RIGHT), states(UP), ONE, 2.0, (1.0, 0.0, 0.0))
    close(found, 4 * (0.75 * 2 * LN2 + 0.25 * (2 * LN2 - LN3)), given=given)


@exercise("triple_loss")
def test_masked_words_alone_at_temperature_1(student: Student) -> None:
    logits, labels = states(ODDS, EVEN, ODDS), torch.tensor([[0, NOT, 1]])
    given = "scores (0, ln 3), (0, 0), (0, ln 3), the words 0, none, 1; T = 4, weights 0, 1, 0"
    real = torch.ones(1, 3, dtype=torch.bool)
    found = student.triple_loss(logits, states(EVEN, EVEN, EVEN), labels, states(UP, UP, UP), states(RIGHT, UP, UP), real, 4.0, (0.0, 1.0, 0.0))
    close(found, (2 * LN2 + (2 * LN2 - LN3)) / 2, given=given)


@exercise("triple_loss")
def test_directions_alone(student: Student) -> None:
    own, theirs = states([3.0, 0.0], [1.0, 0.0], [0.0, 5.0]), states([1.5, 2.0], [0.0, 2.0], [0.0, -1.0])
    given = "states (3, 0), (1, 0), (0, 5) beside (1.5, 2), (0, 2), (0, −1): cosines 0.6, 0, −1; weights 0, 0, 1"
    flat = torch.zeros(1, 3, 2)
    found = student.triple_loss(flat, flat, torch.full((1, 3), NOT), own, theirs, torch.ones(1, 3, dtype=torch.bool), 2.0, (0.0, 0.0, 1.0))
    close(found, (0.4 + 1 + 2) / 3, given=given)


@claim("triple-loss")
@exercise("triple_loss")
def test_it_is_a_sum_of_three(student: Student) -> None:
    logits, labels = states(ODDS, EVEN), torch.tensor([[NOT, 0]])
    own, theirs = states(RIGHT, RIGHT), states([0.0, 1.0], [1.0, 0.0])
    given = "scores (0, ln 3) and (0, 0), the teacher's (0, 0) twice, the second token is word 0, cosines 0 and 1; T = 1, weights 5, 2, 1"
    found = student.triple_loss(logits, states(EVEN, EVEN), labels, own, theirs, torch.ones(1, 2, dtype=torch.bool), 1.0, (5.0, 2.0, 1.0))
    soft = (0.5 * 2 * LN2 + 0.5 * (2 * LN2 - LN3) + LN2) / 2
    close(found, 5 * soft + 2 * LN2 + 0.5, given=given)


@exercise("triple_loss")
def test_padding_does_not_count_whatever_stands_there(student: Student) -> None:
    bad = [math.nan, math.inf]
    logits, teacher = states(ODDS, [5.0, 1.0]), states(EVEN, bad)
    real, labels = torch.tensor([[True, False]]), torch.tensor([[1, NOT]])
    given = "two tokens of which the second is padding, with NaN and ∞ in all that is the teacher's; T = 1, weights 1, 1, 1"
    found = student.triple_loss(logits, teacher, labels, states(RIGHT, [4.0, 4.0]), states([1.0, 1.0], bad), real, 1.0, (1.0, 1.0, 1.0))
    soft = 0.5 * 2 * LN2 + 0.5 * (2 * LN2 - LN3)
    close(found, soft + (2 * LN2 - LN3) + 1 - math.sqrt(0.5), given=given)


@exercise("triple_loss", points=0.5, needs="test_soft_targets_alone")
def test_without_any_label_the_masked_words_cost_0(student: Student) -> None:
    given = "one token, scores (0, ln 3), the teacher's (0, 0), no label, the same states, T = 1, weights 1, 1, 1"
    found = student.triple_loss(states(ODDS), states(EVEN), torch.tensor([[NOT]]), states(RIGHT), states(RIGHT), ONE, 1.0, (1.0, 1.0, 1.0))
    close(found, 0.5 * 2 * LN2 + 0.5 * (2 * LN2 - LN3), given=given)


# fitting_words
def pair(found: Any, given: str) -> Any:
    """What came back as two whole numbers in a tuple, or as it is."""
    if isinstance(found, tuple | list):
        return tuple(found)
    true(found is None, "two whole numbers or None were expected", given=given, actual=type(found).__name__)
    return found


@exercise("fitting_words")
def test_distilberts_parameters_are_those_of_30522_words(student: Student) -> None:
    given = "66,362,880 parameters exactly, 6 layers"
    equal(pair(student.fitting_words(66_362_880, 66_362_880, 6), given), (30_522, 30_522), given=given)


@exercise("fitting_words")
def test_distilkobert_has_about_eight_thousand_words(student: Student) -> None:
    given = "27,750,000 to 27,850,000 parameters, 3 layers"
    equal(pair(student.fitting_words(27_750_000, 27_850_000, 3), given), (7_932, 8_062), given=given)


@exercise("fitting_words")
def test_both_ends_belong_to_the_range(student: Student) -> None:
    # 1 layer: 7,482,624 without words
    given = "from 7,482,624 + 10 × 768 to 7,482,624 + 12 × 768 parameters, 1 layer"
    equal(pair(student.fitting_words(7_490_304, 7_491_840, 1), given), (10, 12), given=given)
    given = "one parameter more than 10 words have, one less than 12 have, 1 layer"
    equal(pair(student.fitting_words(7_490_305, 7_491_839, 1), given), (11, 11), given=given)


@exercise("fitting_words", points=0.5, needs="test_distilberts_parameters_are_those_of_30522_words")
def test_between_two_vocabularies_there_is_none(student: Student) -> None:
    given = "7,490,305 to 7,490,400 parameters, 1 layer: more than 10 words have, and fewer than 11"
    equal(pair(student.fitting_words(7_490_305, 7_490_400, 1), given), None, given=given)


# layer_map
def places(found: Any, given: str) -> list[Any]:
    true(isinstance(found, list | tuple), "a list of whole numbers was expected", given=given, actual=type(found).__name__)
    return list(found)


@exercise("layer_map")
def test_tinyberts_four_layers_learn_from_every_third(student: Student) -> None:
    given = "12 layers, 4 layers, uniform"
    equal(places(student.layer_map(12, 4, "uniform"), given), [0, 3, 6, 9, 12, 13], given=given)


@exercise("layer_map")
def test_top_and_bottom(student: Student) -> None:
    for way, expected in (("top", [0, 9, 10, 11, 12, 13]), ("bottom", [0, 1, 2, 3, 4, 13])):
        given = f"12 layers, 4 layers, {way}"
        equal(places(student.layer_map(12, 4, way), given), expected, given=given)


@exercise("layer_map")
def test_five_of_twelve_cannot_be_uniform(student: Student) -> None:
    given = "12 layers, 5 layers, uniform"
    refused(student.layer_map, 12, 5, "uniform", why="5 does not divide 12", given=given)


@exercise("layer_map", points=0.5, needs="test_tinyberts_four_layers_learn_from_every_third")
def test_as_many_layers_as_the_teacher(student: Student) -> None:
    for way in ("uniform", "top", "bottom"):
        given = f"2 layers, 2 layers, {way}"
        equal(places(student.layer_map(2, 2, way), given), [0, 1, 2, 3], given=given)


# attention_loss
def text(*lengths: int) -> Tensor:
    """Texts of so many real tokens, padded to the longest: (B, N) bool."""
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


@exercise("attention_loss")
def test_the_mean_of_squares_over_heads_and_pairs(student: Student) -> None:
    own = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]]]])
    theirs = torch.tensor([[[[1.0, 0.0], [3.0, 4.0]], [[0.0, 0.0], [3.0, 0.0]]]])
    given = "two heads of two tokens; the first differs by 2 at one pair, the second by −3 at one"
    close(student.attention_loss(own, theirs, text(2)), (4 + 9) / 8, given=given)


@exercise("attention_loss")
def test_scores_are_compared_before_the_softmax(student: Student) -> None:
    own, theirs = torch.full((1, 1, 2, 2), 5.0), torch.full((1, 1, 2, 2), 3.0)
    close(student.attention_loss(own, theirs, text(2)), 4.0, given="one head, scores of 5 everywhere and of 3 everywhere")


@exercise("attention_loss")
def test_a_pair_counts_if_both_tokens_are_real(student: Student) -> None:
    own = torch.zeros(1, 1, 3, 3)
    own[0, 0, 0, 1], own[0, 0, 2, 0], own[0, 0, 0, 2] = 3.0, 50.0, 70.0
    given = "three tokens of which the last is padding; differences: 3 from token 0 to 1, 50 from the padding to 0, 70 from 0 to the padding"
    close(student.attention_loss(own, torch.zeros(1, 1, 3, 3), torch.tensor([[True, True, False]])), 9 / 4, given=given)


@exercise("attention_loss")
def test_pairs_of_the_whole_batch_count_alike(student: Student) -> None:
    own = torch.zeros(2, 1, 3, 3)
    own[0], own[1, 0, 0, 0] = 1.0, 11.0
    given = "texts of 3 and 1 tokens; the nine pairs of the first differ by 1, the one of the second by 11"
    close(student.attention_loss(own, torch.zeros(2, 1, 3, 3), text(3, 1)), (9 + 121) / 10, given=given)


@exercise("attention_loss", points=0.5, needs="test_the_mean_of_squares_over_heads_and_pairs")
def test_minus_infinity_at_padding_does_not_matter(student: Student) -> None:
    own, theirs = torch.ones(1, 2, 3, 3), torch.zeros(1, 2, 3, 3)
    own[..., 2], theirs[..., 2] = -math.inf, -math.inf
    given = "three tokens, the last is padding, where all scores are −∞; elsewhere they differ by 1"
    close(student.attention_loss(own, theirs, torch.tensor([[True, True, False]])), 1.0, given=given)


# hidden_loss
@exercise("hidden_loss")
def test_the_students_states_are_brought_up(student: Student) -> None:
    own, lift = states([1.0, 2.0]), torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]])
    given = "a state (1, 2), the lift ((1, 0, 2), (0, 1, −1)): (1, 2, 0); the teacher's is (1, 0, 1)"
    close(student.hidden_loss(own, states([1.0, 0.0, 1.0]), lift, ONE), (0 + 4 + 1) / 3, given=given)


@exercise("hidden_loss")
def test_a_square_lift_is_not_turned_round(student: Student) -> None:
    own, lift = states([1.0, 0.0]), torch.tensor([[0.0, 3.0], [0.0, 0.0]])
    given = "a state (1, 0), the lift ((0, 3), (0, 0)): (0, 3); the teacher's is (0, 1)"
    close(student.hidden_loss(own, states([0.0, 1.0]), lift, ONE), 2.0, given=given)


@exercise("hidden_loss")
def test_real_tokens_of_the_whole_batch_count_alike(student: Student) -> None:
    own, theirs = torch.zeros(2, 2, 1), torch.tensor([[[1.0], [3.0]], [[5.0], [math.nan]]])
    given = "texts of 2 and 1 tokens, states 0, the teacher's 1, 3 and 5, NaN at padding"
    close(student.hidden_loss(own, theirs, torch.ones(1, 1), text(2, 1)), (1 + 9 + 25) / 3, given=given)


@exercise("hidden_loss")
def test_student_and_lift_learn_and_the_teacher_does_not(student: Student) -> None:
    own, theirs, lift = states([1.0, 0.5]), states([0.0, 1.0, 2.0]), torch.tensor([[1.0, 0.0, 2.0], [0.5, 1.0, -1.0]])
    given = "a state (1, 0.5), the teacher's (0, 1, 2)"

    def oracle(a: Tensor, b: Tensor, c: Tensor, real: Tensor) -> Tensor:
        return functional.mse_loss(torch.einsum("bnd,de->bne", a, c), b.detach())

    found = student.gradients("hidden_loss", *(t.clone().requires_grad_() for t in (own, theirs, lift)), ONE)
    leaves = [own.clone().requires_grad_(), lift.clone().requires_grad_()]
    expected = torch.autograd.grad(oracle(leaves[0], theirs, leaves[1], ONE), leaves)
    for name, actual, wanted in (("states", found[0], expected[0]), ("lift", found[2], expected[1])):
        true(actual is not None, f"no gradient reaches the student's {name}, so it learns nothing", given=given)
        close(actual, wanted, given=f"{given}; the gradient for the student's {name}")
    untouched(found[1], theirs, given)


def untouched(gradient: Any, teacher: Tensor, given: str) -> None:
    """No gradient reaches the teacher, or one of zeros."""
    if gradient is not None:
        close(gradient, torch.zeros_like(teacher), given=f"{given}; the gradient for the teacher, which is constant")


# tinybert_loss
def ladder(levels: list[float], width: int) -> list[Tensor]:
    """States of one token, each level once in all its numbers."""
    return [torch.full((1, 1, width), level) for level in levels]


def marks(levels: list[float]) -> list[Tensor]:
    """Scores of one token and one head."""
    return [torch.full((1, 1, 1, 1), level) for level in levels]


@exercise("tinybert_loss")
def test_each_layer_learns_from_the_one_on_the_map(student: Student) -> None:
    found = student.tinybert_loss(
        ladder([0.0, 0.0, 0.0], 1), marks([0.0, 0.0]), ladder([0.0, 1.0, 2.0, 3.0, 4.0], 1), marks([0.0] * 4), [torch.ones(1, 1)] * 3, ONE, [0, 2, 4, 5]
    )
    given = "two layers learn from 2 and 4 of four; the student's states are 0, the teacher's 0, 1, 2, 3, 4; all scores 0"
    close(found, 0 + 4 + 16, given=given)


@exercise("tinybert_loss")
def test_scores_count_from_the_first_layer(student: Student) -> None:
    found = student.tinybert_loss(
        ladder([0.0, 0.0, 0.0], 1), marks([0.0, 0.0]), ladder([0.0] * 5, 1), marks([1.0, 2.0, 3.0, 5.0]), [torch.ones(1, 1)] * 3, ONE, [0, 2, 4, 5]
    )
    given = "two layers learn from 2 and 4 of four; all states 0, the student's scores 0, the teacher's 1, 2, 3, 5"
    close(found, 4 + 25, given=given)


@exercise("tinybert_loss")
def test_the_embeddings_are_matched_too(student: Student) -> None:
    found = student.tinybert_loss(
        ladder([1.0, 0.0], 1), marks([0.0]), ladder([4.0, 9.0, 0.0], 1), marks([7.0, 0.0]), [torch.ones(1, 1)] * 2, ONE, [0, 2, 3]
    )
    given = "one layer learns from the second; embeddings 1 and 4, all else that is compared is 0"
    close(found, 9.0, given=given)


@exercise("tinybert_loss")
def test_each_state_has_its_own_lift(student: Student) -> None:
    lifts = [torch.full((1, 2), level) for level in (2.0, 3.0, 5.0)]
    found = student.tinybert_loss(
        ladder([1.0, 1.0, 1.0], 1), marks([0.0, 0.0]), ladder([0.0] * 3, 2), marks([0.0, 0.0]), lifts, ONE, [0, 1, 2, 3]
    )
    close(found, 4 + 9 + 25, given="states of 1 at width 1, lifts of 2, 3, 5 to width 2, all of the teacher's is 0")


# quantise
def two(found: Any, given: str) -> Any:
    """The whole numbers and the scales that came back."""
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Mismatch("two tensors were expected: whole numbers and scales", given=given, actual=type(found).__name__)
    return found


@exercise("quantise")
def test_the_greatest_of_a_row_becomes_127(student: Student) -> None:
    given = "the rows (127, −64, 1, 0) and (0.5, 1.001, −2, 0.25)"
    whole, scales = two(student.quantise(torch.tensor([[127.0, -64.0, 1.0, 0.0], [0.5, 1.001, -2.0, 0.25]])), given)
    close(scales, [1.0, 2 / 127], given=f"{given}; the scales")
    close(whole.double() if isinstance(whole, Tensor) else whole, [[127, -64, 1, 0], [32, 64, -127, 16]], given=f"{given}; the whole numbers")


@exercise("quantise")
def test_whole_numbers_are_the_nearest(student: Student) -> None:
    given = "the row (127, 10.7, −10.7, 0.4)"
    whole, _ = two(student.quantise(torch.tensor([[127.0, 10.7, -10.7, 0.4]])), given)
    close(whole.double() if isinstance(whole, Tensor) else whole, [[127, 11, -11, 0]], given=f"{given}; the whole numbers")


@exercise("quantise")
def test_a_large_weight_makes_its_own_row_coarse_alone(student: Student) -> None:
    given = "the rows (1, 0.504) and (1000, 0.504)"
    whole, scales = two(student.quantise(torch.tensor([[1.0, 0.504], [1000.0, 0.504]])), given)
    close(scales, [1 / 127, 1000 / 127], given=f"{given}; the scales")
    close(whole.double() if isinstance(whole, Tensor) else whole, [[127, 64], [127, 0]], given=f"{given}; the whole numbers")


@exercise("quantise", needs="test_the_greatest_of_a_row_becomes_127")
def test_a_number_takes_one_byte(student: Student) -> None:
    given = "the row (3, −1): the types of whole numbers and scales"
    found = two(student.quantise(torch.tensor([[3.0, -1.0]])), given)
    equal([str(getattr(part, "dtype", type(part).__name__)) for part in found], ["torch.int8", "torch.float32"], given=given)


@exercise("quantise", points=0.5, needs="test_the_greatest_of_a_row_becomes_127")
def test_a_row_of_zeros_has_scale_1(student: Student) -> None:
    given = "the rows (0, 0) and (2, 0.999)"
    whole, scales = two(student.quantise(torch.tensor([[0.0, 0.0], [2.0, 0.999]])), given)
    close(scales, [1.0, 2 / 127], given=f"{given}; the scales")
    close(whole.double() if isinstance(whole, Tensor) else whole, [[0, 0], [127, 63]], given=f"{given}; the whole numbers")
