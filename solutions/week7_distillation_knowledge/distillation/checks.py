"""distillation: the public checks. Expected values come from hand counts, closed forms, and torch on small inputs."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from etude.lesson.checks import Mismatch, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student

NOT = -100  # the label of a row that has none
LN2, LN3, LN5 = math.log(2), math.log(3), math.log(5)


# soft_targets
@exercise("soft_targets")
def test_at_temperature_1_they_are_the_teachers_probabilities(student: Student) -> None:
    logits = torch.tensor([[0.0, LN2, LN5], [LN3, 0.0, 0.0]])
    given = "the logits (0, ln 2, ln 5) and (ln 3, 0, 0), T = 1"
    close(student.soft_targets(logits, 1), [[1 / 8, 2 / 8, 5 / 8], [3 / 5, 1 / 5, 1 / 5]], given=given)


@exercise("soft_targets")
def test_at_temperature_2_odds_become_their_square_roots(student: Student) -> None:
    logits = torch.tensor([[0.0, 2 * LN2, 2 * LN5]])
    given = "the logits (0, ln 4, ln 25), T = 2: 1 to 2 to 5"
    close(student.soft_targets(logits, 2.0), [[1 / 8, 2 / 8, 5 / 8]], given=given)


@exercise("soft_targets")
def test_at_temperature_a_half_odds_become_their_squares(student: Student) -> None:
    logits = torch.tensor([[0.0, LN2, LN3]])
    given = "the logits (0, ln 2, ln 3), T = 0.5: 1 to 4 to 9"
    close(student.soft_targets(logits, 0.5), [[1 / 14, 4 / 14, 9 / 14]], given=given)


@exercise("soft_targets")
def test_what_is_hidden_at_temperature_1_comes_out_at_a_high_one(student: Student) -> None:
    # At T = 1 the second has e⁻¹⁵⁰, which no float32 holds; at T = 150 its odds are e⁻¹.
    expected = [[1 / (1 + math.exp(-1)), math.exp(-1) / (1 + math.exp(-1))]]
    close(student.soft_targets(torch.tensor([[150.0, 0.0]]), 150), expected, given="the logits (150, 0), T = 150")


@exercise("soft_targets", points=0.5, needs="test_at_temperature_2_odds_become_their_square_roots")
def test_a_class_that_is_not_offered_has_no_share(student: Student) -> None:
    logits = torch.tensor([[-math.inf, 2 * LN2, 0.0], [0.0, 0.0, -math.inf]])
    given = "the logits (−∞, ln 4, 0) and (0, 0, −∞), T = 2"
    close(student.soft_targets(logits, 2), [[0, 2 / 3, 1 / 3], [0.5, 0.5, 0]], given=given)


# ask_teacher
WEIGHT, BIAS = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), torch.tensor([0.0, 1.0, -1.0])


def made(student: Student) -> Any:
    """A teacher on the student's side: a linear map whose outputs are all dropped out in training mode."""
    teacher = student.nn.Sequential(student.nn.Linear(2, 3), student.nn.Dropout(1.0))
    teacher.load_state_dict({"0.weight": WEIGHT, "0.bias": BIAS})
    return teacher


def rows_of(count: int) -> Tensor:
    return torch.arange(2 * count, dtype=torch.float32).reshape(count, 2) / 4


@exercise("ask_teacher")
def test_dropout_is_off_while_the_teacher_answers(student: Student) -> None:
    given = "four rows, a linear map in training mode, whose outputs are all dropped out, all rows at once"
    expected = functional.linear(rows_of(4), WEIGHT, BIAS)
    close(student.ask_teacher(made(student), rows_of(4), 4), expected, given=given)


@exercise("ask_teacher")
def test_the_last_batch_may_be_smaller(student: Student) -> None:
    for count, size in ((7, 3), (1, 5), (4, 2), (3, 1)):
        given = f"{count} rows, {size} at a time"
        expected = functional.linear(rows_of(count), WEIGHT, BIAS)
        close(student.ask_teacher(made(student), rows_of(count), size), expected, given=given)


@exercise("ask_teacher")
def test_no_gradient_flows_through_the_answers(student: Student) -> None:
    found = student.ask_teacher(made(student), rows_of(3), 2)
    close(found, functional.linear(rows_of(3), WEIGHT, BIAS), given="three rows, two at a time")
    asks = getattr(found, "requires_grad", False)
    equal(asks, False, given="requires_grad of the answers of a teacher whose weights ask for gradients")


@exercise("ask_teacher", points=0.5, needs="test_dropout_is_off_while_the_teacher_answers")
def test_a_teacher_in_training_goes_on_training(student: Student) -> None:
    teacher = made(student)
    student.ask_teacher(teacher, rows_of(2), 2)
    given = "a teacher in training mode: is it, and is its dropout, in training mode afterwards?"
    equal([teacher.training, teacher[1].training], [True, True], given=given)


# wrong_classes
@exercise("wrong_classes")
def test_one_row_shares_the_rest_among_the_others(student: Student) -> None:
    logits, labels = torch.tensor([[9.0, LN3, 0.0]]), torch.tensor([0])
    expected = [[0, 3 / 4, 1 / 4], [0, 0, 0], [0, 0, 0]]
    close(student.wrong_classes(logits, labels, 1), expected, given="the logits (9, ln 3, 0), label 0, T = 1")


@exercise("wrong_classes")
def test_rows_of_one_label_are_averaged(student: Student) -> None:
    logits = torch.tensor([[0.0, LN3, 5.0], [0.0, 0.0, -7.0], [2.0, 1.0, 2.0]])
    expected = [[0, 0, 0], [1 / 2, 0, 1 / 2], [(1 / 4 + 1 / 2) / 2, (3 / 4 + 1 / 2) / 2, 0]]
    given = "the logits (0, ln 3, 5), (0, 0, −7) with label 2, and (2, 1, 2) with label 1, T = 1"
    close(student.wrong_classes(logits, torch.tensor([2, 2, 1]), 1), expected, given=given)


@exercise("wrong_classes")
def test_the_label_is_the_true_class_and_not_the_teachers(student: Student) -> None:
    logits = torch.tensor([[0.0, 2 * LN2, 0.0]])
    expected = [[0, 2 / 3, 1 / 3], [0, 0, 0], [0, 0, 0]]
    given = "the logits (0, ln 4, 0), label 0 though the teacher says 1, T = 2"
    close(student.wrong_classes(logits, torch.tensor([0]), 2.0), expected, given=given)


@exercise("wrong_classes")
def test_a_teacher_who_is_quite_sure_still_says_something(student: Student) -> None:
    logits = torch.tensor([[100.0, LN3, 0.0]])  # 1 − p is 0 in float32
    expected = [[0, 3 / 4, 1 / 4], [0, 0, 0], [0, 0, 0]]
    close(student.wrong_classes(logits, torch.tensor([0]), 1), expected, given="the logits (100, ln 3, 0), label 0, T = 1")


# soft_loss
Z, V = torch.tensor([[0.0, LN3]]), torch.tensor([[LN3, 0.0]])


def all_real(*shape: int) -> Tensor:
    return torch.ones(shape, dtype=torch.bool)


@exercise("soft_loss")
def test_a_student_that_says_the_same_pays_the_entropy(student: Student) -> None:
    given = "both with the logits (0, ln 3), T = 1: the entropy of (1/4, 3/4)"
    close(student.soft_loss(Z, Z, 1, all_real(1)), 2 * LN2 - 0.75 * LN3, given=given)


@exercise("soft_loss")
def test_the_teachers_probabilities_weigh_the_students_logarithms(student: Student) -> None:
    # q = (3/4, 1/4, 0), p = (1/8, 2/8, 5/8)
    logits, teacher = torch.tensor([[0.0, LN2, LN5]]), torch.tensor([[LN3, 0.0, -60.0]])
    given = "the student's logits (0, ln 2, ln 5), the teacher's (ln 3, 0, −60), T = 1"
    close(student.soft_loss(logits, teacher, 1, all_real(1)), 0.75 * 3 * LN2 + 0.25 * 2 * LN2, given=given)


@exercise("soft_loss")
def test_both_are_softened_and_the_loss_grows_by_t_squared(student: Student) -> None:
    given = "twice the logits (0, ln 3) for the student and (ln 3, 0) for the teacher, T = 2"
    expected = 4 * (0.75 * 2 * LN2 + 0.25 * (2 * LN2 - LN3))
    close(student.soft_loss(2 * Z, 2 * V, 2, all_real(1)), expected, given=given)


@exercise("soft_loss")
def test_it_is_the_mean_over_real_rows_whatever_stands_in_the_others(student: Student) -> None:
    student_logits = torch.tensor([[0.0, 0.0], [math.nan, 1.0], [0.0, LN3], [5.0, 6.0]])
    teacher_logits = torch.tensor([[7.0, 0.0], [math.inf, 0.0], [LN3, 0.0], [math.nan, math.nan]])
    real = torch.tensor([True, False, True, False])
    given = "four rows of which two are real, the others with NaN and ∞; T = 1"
    expected = (LN2 + 0.75 * 2 * LN2 + 0.25 * (2 * LN2 - LN3)) / 2
    close(student.soft_loss(student_logits, teacher_logits, 1, real), expected, given=given)


@exercise("soft_loss")
def test_only_the_student_learns(student: Student) -> None:
    one, other = torch.tensor([[0.5, -1.0, 2.0]]), torch.tensor([[1.0, 0.0, -0.5]])
    given = "three classes, T = 3"

    def oracle(logits: Tensor) -> Tensor:
        return 9 * functional.cross_entropy(logits / 3, (other / 3).softmax(dim=1))

    close_gradients(student, "soft_loss", oracle_of(oracle), {"student": one}, other, 3, all_real(1), given=given)
    found = student.gradients("soft_loss", one.requires_grad_(), other.clone().requires_grad_(), 3, all_real(1))
    untouched(found[1], other, given)


def untouched(gradient: Any, teacher: Tensor, given: str) -> None:
    """No gradient reaches the teacher, or one of zeros."""
    if gradient is not None:
        close(gradient, torch.zeros_like(teacher), given=f"{given}; the gradient for the teacher, whose logits are constants")


def oracle_of(function: Any) -> Any:
    """The function of the first argument alone."""
    return lambda first, *_: function(first)


# soft_gradient
@exercise("soft_gradient")
def test_at_temperature_1_it_is_p_minus_q(student: Student) -> None:
    one, other = torch.tensor([[0.0, LN2, LN5]]), torch.tensor([[0.0, 0.0, 0.0]])
    given = "the student's logits (0, ln 2, ln 5), the teacher's (0, 0, 0), T = 1"
    close(student.soft_gradient(one, other, 1), [[1 / 8 - 1 / 3, 2 / 8 - 1 / 3, 5 / 8 - 1 / 3]], given=given)


@exercise("soft_gradient")
def test_at_temperature_4_it_is_four_times_p_minus_q(student: Student) -> None:
    given = "four times the logits (0, ln 3) for the student and (ln 3, 0) for the teacher, T = 4"
    close(student.soft_gradient(4 * Z, 4 * V, 4), [[-2.0, 2.0]], given=given)


@exercise("soft_gradient")
def test_each_row_of_a_batch_has_its_part_of_the_mean(student: Student) -> None:
    given = "two rows: (0, ln 3) against (ln 3, 0), and the other way round; T = 1"
    found = student.soft_gradient(torch.cat([Z, V]), torch.cat([V, Z]), 1)
    close(found, [[-0.25, 0.25], [0.25, -0.25]], given=given)


@exercise("soft_gradient")
def test_the_limit_is_the_difference_of_centred_logits(student: Student) -> None:
    one, other = torch.tensor([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0]]), torch.tensor([[0.0, 0.0, 0.0], [3.0, 0.0, -3.0]])
    given = "the student's logits (1, 2, 6) and (0, 0, 0), the teacher's (0, 0, 0) and (3, 0, −3), T = ∞"
    found = student.soft_gradient(one, other, math.inf)
    close(found, [[-2 / 6, -1 / 6, 3 / 6], [-3 / 6, 0, 3 / 6]], given=given)


# logit_loss
@exercise("logit_loss")
def test_half_the_squared_distance(student: Student) -> None:
    one, other = torch.tensor([[1.0, -1.0, 0.0]]), torch.tensor([[-1.0, -1.0, 2.0]])
    close(student.logit_loss(one, other), (4 + 0 + 4) / 2, given="the logits (1, −1, 0) and (−1, −1, 2)")


@exercise("logit_loss", needs="test_half_the_squared_distance")
def test_a_number_added_to_all_logits_of_a_row_costs_nothing(student: Student) -> None:
    one, other = torch.tensor([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]]), torch.tensor([[11.0, 12.0, 13.0], [-5.0, -5.0, -5.0]])
    given = "the logits (1, 2, 3) and (11, 12, 13); (5, 5, 5) and (−5, −5, −5)"
    close(student.logit_loss(one, other), 0.0, given=given)


@exercise("logit_loss")
def test_squares_are_summed_over_classes_and_averaged_over_rows(student: Student) -> None:
    one = torch.tensor([[3.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])  # less its mean: 2, 0, −1, −1
    given = "the logits (3, 1, 0, 0) and (0, 0, 0, 0) against zeros"
    close(student.logit_loss(one, torch.zeros(2, 4)), 6 / 2 / 2, given=given)


@exercise("logit_loss")
def test_only_the_students_logits_are_moved(student: Student) -> None:
    one, other = torch.tensor([[3.0, 1.0, -1.0]]), torch.tensor([[0.0, 1.0, 5.0]])
    given = "the logits (3, 1, −1) and (0, 1, 5)"
    found = student.gradients("logit_loss", one.requires_grad_(), other.clone().requires_grad_())
    true(found[0] is not None, "the loss knows nothing of the student's logits, so it trains nothing", given=given)
    close(found[0], [[4.0, 1.0, -5.0]], given=f"{given}; the gradient for the student's")
    untouched(found[1], other, given)


# mixed_loss
@exercise("mixed_loss")
def test_weight_0_is_the_labels_alone_at_temperature_1(student: Student) -> None:
    logits, labels = torch.tensor([[0.0, LN2, LN5], [LN3, 0.0, 0.0]]), torch.tensor([2, 1])
    given = "the student's logits (0, ln 2, ln 5) with label 2, (ln 3, 0, 0) with label 1; T = 4, w = 0"
    found = student.mixed_loss(logits, torch.zeros(2, 3), labels, 4, 0.0)
    close(found, (math.log(8 / 5) + LN5) / 2, given=given)


@exercise("mixed_loss")
def test_weight_1_is_the_soft_targets_alone_with_t_squared(student: Student) -> None:
    given = "twice the logits (0, ln 3) for the student and (ln 3, 0) for the teacher, label 0, T = 2, w = 1"
    expected = 4 * (0.75 * 2 * LN2 + 0.25 * (2 * LN2 - LN3))
    close(student.mixed_loss(2 * Z, 2 * V, torch.tensor([0]), 2, 1.0), expected, given=given)


@exercise("mixed_loss")
def test_the_weight_belongs_to_the_soft_part(student: Student) -> None:
    given = "the student's logits (0, 0), the teacher's (0, ln 3), label 0, T = 3, w = 3/4"
    found = student.mixed_loss(torch.zeros(1, 2), Z, torch.tensor([0]), 3, 0.75)
    close(found, 0.75 * 9 * LN2 + 0.25 * LN2, given=given)


@exercise("mixed_loss")
def test_each_part_is_a_mean_over_its_own_rows(student: Student) -> None:
    logits, labels = torch.tensor([[0.0, LN3], [0.0, 0.0], [0.0, 0.0]]), torch.tensor([0, NOT, NOT])
    given = "the student's logits (0, ln 3), (0, 0), (0, 0), the teacher's zeros, labels (0, −100, −100), T = 1, w = 1/2"
    soft = (0.5 * 2 * LN2 + 0.5 * (2 * LN2 - LN3) + 2 * LN2) / 3  # −ln 1/4 and −ln 3/4, half each; then ln 2 twice
    close(student.mixed_loss(logits, torch.zeros(3, 2), labels, 1, 0.5), 0.5 * soft + 0.5 * 2 * LN2, given=given)


@exercise("mixed_loss", points=0.5, needs="test_weight_1_is_the_soft_targets_alone_with_t_squared")
def test_without_any_label_the_hard_part_is_0(student: Student) -> None:
    given = "the student's logits (0, 0), the teacher's (0, ln 3), label −100, T = 1, w = 1/4"
    close(student.mixed_loss(torch.zeros(1, 2), Z, torch.tensor([NOT]), 1, 0.25), 0.25 * LN2, given=given)


# without_similarity
@exercise("without_similarity")
def test_the_greatest_stays_and_the_others_become_even(student: Student) -> None:
    targets = torch.tensor([[0.7, 0.15, 0.03, 0.02, 0.1], [0.1, 0.1, 0.2, 0.2, 0.4]])
    given = "the targets (.7, .15, .03, .02, .1) and (.1, .1, .2, .2, .4)"
    expected = [[0.7, 0.075, 0.075, 0.075, 0.075], [0.15, 0.15, 0.15, 0.15, 0.4]]
    close(student.without_similarity(targets), expected, given=given)


@exercise("without_similarity", needs="test_the_greatest_stays_and_the_others_become_even")
def test_two_classes_stay_as_they_are(student: Student) -> None:
    targets = torch.tensor([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]])
    given = "the targets (1/4, 3/4), (1, 0) and (1/2, 1/2)"
    close(student.without_similarity(targets), targets, given=given)


@exercise("without_similarity", points=0.5, needs="test_the_greatest_stays_and_the_others_become_even")
def test_of_two_greatest_the_first_is_kept(student: Student) -> None:
    targets = torch.tensor([[0.0, 0.5, 0.0, 0.5], [0.375, 0.25, 0.375, 0.0]])
    given = "the targets (0, .5, 0, .5) and (.375, .25, .375, 0)"
    third = 0.625 / 3
    expected = [[1 / 6, 0.5, 1 / 6, 1 / 6], [0.375, third, third, third]]
    close(student.without_similarity(targets), expected, given=given)


# raise_bias
def number(value: Any, given: str) -> float:
    """A number of the student's, whatever holds it."""
    try:
        return float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError, RuntimeError):
        raise Mismatch("a number was expected", given=given, actual=value) from None


def mean_share(logits: Tensor, place: int, bias: float) -> float:
    """The mean probability of a class once the bias is added, in float64."""
    raised = logits.double().clone()
    raised[:, place] += bias
    return float(raised.softmax(dim=1)[:, place].mean())


@exercise("raise_bias")
def test_one_row_needs_the_difference_of_log_odds(student: Student) -> None:
    # Odds of the class 1 to 3 + 5; a share of 1/2 needs odds of 1.
    given = "the logits (0, ln 3, ln 5), class 0, share 1/2"
    close(number(student.raise_bias(torch.tensor([[0.0, LN3, LN5]]), 0, 0.5), given), 3 * LN2, given=given, atol=1e-3)


@exercise("raise_bias")
def test_a_class_that_is_said_too_often_gets_a_negative_bias(student: Student) -> None:
    given = "the logits (0, 0, ln 6), class 2, share 1/4"
    found = number(student.raise_bias(torch.tensor([[0.0, 0.0, math.log(6)]]), 2, 0.25), given)
    close(found, -math.log(9), given=given, atol=1e-3)


@exercise("raise_bias")
def test_the_mean_of_probabilities_is_the_share(student: Student) -> None:
    logits = torch.tensor([[4.0, 0.0, 0.0], [-3.0, 1.0, 0.5], [0.0, 2.0, -1.0], [-6.0, 0.0, 0.0]])
    for place, share in ((0, 0.1), (1, 0.9), (2, 0.333)):
        given = f"four rows of three classes, class {place}, share {share:g}: the mean probability with the bias"
        found = number(student.raise_bias(logits, place, share), given)
        close(mean_share(logits, place, found), share, given=given, rtol=1e-3, atol=1e-4)


@exercise("raise_bias", points=0.5, needs="test_the_mean_of_probabilities_is_the_share")
def test_logits_of_thousands_need_a_bias_of_thousands(student: Student) -> None:
    logits = torch.tensor([[-9000.0, 0.0, 0.0], [-9000.0, 1.0, 0.0]])
    given = "the logits (−9000, 0, 0) and (−9000, 1, 0), class 0, share 0.2: the mean probability with the bias"
    found = number(student.raise_bias(logits, 0, 0.2), given)
    close(mean_share(logits, 0, found), 0.2, given=given, rtol=1e-3, atol=1e-4)
