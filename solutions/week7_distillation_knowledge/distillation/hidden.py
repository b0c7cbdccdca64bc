"""distillation: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import itertools
import math
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import booleans, integers, lists, sampled_from
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import vector_to_parameters

from etude import pretrained
from etude.lesson.checks import Mismatch, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.models.bert_heads import BertClassifier
from etude.models.classifiers import BagClassifier
from etude.world import World
from etude.world.tasks import Tasks
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

NOT = -100  # the label of a row that has none
TEMPERATURES = (0.5, 1, 2.0, 5)


def eighths(rows: int, columns: int, seed: int) -> Tensor:
    """Logits from −4 to 4 in eighths, float64."""
    return torch.randint(-32, 33, (rows, columns), generator=torch.Generator().manual_seed(seed)).double() / 8


def kind(value: Any) -> str:
    """The precision of what came back, or its type."""
    return str(getattr(value, "dtype", type(value).__name__))


def shares(logits: list[float], temperature: float) -> list[float]:
    """A softmax in Python's floats."""
    top = max(logits)
    parts = [math.exp((x - top) / temperature) if x > -math.inf else 0.0 for x in logits]
    return [part / math.fsum(parts) for part in parts]


# soft_targets
@exercise("soft_targets")
@for_all(rows=integers(1, 4), columns=integers(1, 6), seed=integers(0, 10**6), temperature=sampled_from(TEMPERATURES))
def test_any_logits_are_softened_row_by_row(
    student: Student, rows: int, columns: int, seed: int, temperature: float
) -> None:
    logits = eighths(rows, columns, seed)
    expected = [shares(row, temperature) for row in logits.tolist()]
    close(student.soft_targets(logits, temperature), expected)


@exercise("soft_targets", points=0.5, needs="test_at_temperature_2_odds_become_their_square_roots")
def test_half_precision_takes_a_low_temperature(student: Student) -> None:
    logits = torch.tensor([[60.0, -60.0, -59.0], [-60.0, -60.0, -61.0]], dtype=torch.float16)
    given = "the logits (60, −60, −59) and (−60, −60, −61) in float16, T = 0.0005"
    found = student.soft_targets(logits, 0.0005)
    close(found, [[1, 0, 0], [0.5, 0.5, 0]], given=given)
    equal(kind(found), "torch.float16", given=f"{given}; the precision")


@exercise("soft_targets", points=0.5, needs="test_at_temperature_2_odds_become_their_square_roots")
def test_the_classes_are_the_last_dimension_however_many_there_are(student: Student) -> None:
    logits = eighths(6, 3, 1).reshape(2, 1, 3, 3)
    given = "logits of the shape (2, 1, 3, 3) in float64, T = 2"
    found = student.soft_targets(logits, 2.0)
    close(found, functional.softmax(logits / 2, dim=-1), given=given, rtol=1e-10, atol=0)
    equal(kind(found), "torch.float64", given=f"{given}; the precision")
    close(student.soft_targets(torch.tensor([[3.0]]), 2.0), [[1.0]], given="a single class")
    given = "the logits (0, ln 4, −∞), one row without another dimension, T = 2"
    close(student.soft_targets(torch.tensor([0.0, 2 * math.log(2), -math.inf]), 2), [1 / 3, 2 / 3, 0], given=given)


@exercise("soft_targets", points=0.5, needs="test_at_temperature_2_odds_become_their_square_roots")
def test_logits_far_from_zero_are_softened_as_others_are(student: Student) -> None:
    logits = torch.tensor([[10_000.0, 10_002.0], [-10_000.0, -10_002.0], [-5000.0, 5000.0]], dtype=torch.float64)
    first = 1 / (1 + math.e)
    given = "the logits (10000, 10002), (−10000, −10002) and (−5000, 5000), T = 2"
    close(student.soft_targets(logits, 2), [[first, 1 - first], [1 - first, first], [0, 1]], given=given)


@exercise("soft_targets", points=0.5, needs="test_at_temperature_2_odds_become_their_square_roots")
def test_very_low_and_very_high_temperatures_are_taken_as_they_are(student: Student) -> None:
    near = torch.tensor([[0.0, 0.0005 * math.log(3)]], dtype=torch.float64)
    close(student.soft_targets(near, 0.0005), [[0.25, 0.75]], given="the logits (0, 0.0005 · ln 3) in float64, T = 0.0005")
    for temperature in (1e6, 1e12):
        given = f"the logits (0, 0, −∞), T = {temperature:,.0f}"
        close(student.soft_targets(torch.tensor([[0.0, 0.0, -math.inf]]), temperature), [[0.5, 0.5, 0]], given=given)


@exercise("soft_targets", points=0.5, needs="test_at_temperature_2_odds_become_their_square_roots")
def test_small_probabilities_are_themselves_and_those_of_no_class_are_0(student: Student) -> None:
    logits = torch.tensor([[0.0, -40.0], [-math.inf, 3.0]], dtype=torch.float64)
    found = student.soft_targets(logits, 1)
    given = "the logits (0, −40) and (−∞, 3) in float64, T = 1"
    close(found, [[1, math.exp(-40)], [0, 1]], given=given, rtol=1e-6, atol=0)


# ask_teacher
WEIGHT, BIAS = torch.tensor([[1.0, -1.0], [0.5, 2.0]]), torch.tensor([0.25, -1.0])


def made(student: Student) -> Any:
    """A teacher on the student's side: dropout, a linear map, dropout."""
    teacher = student.nn.Sequential(student.nn.Dropout(1.0), student.nn.Linear(2, 2), student.nn.Dropout(1.0))
    teacher.load_state_dict({"1.weight": WEIGHT, "1.bias": BIAS})
    return teacher


@exercise("ask_teacher")
@for_all(count=integers(1, 30), size=integers(1, 40), seed=integers(0, 10**6), examples=20)
def test_any_rows_are_answered_in_their_order(student: Student, count: int, size: int, seed: int) -> None:
    rows = eighths(count, 2, seed).float()
    close(student.ask_teacher(made(student), rows, size), functional.linear(rows, WEIGHT, BIAS))


@exercise("ask_teacher", points=0.5, needs="test_dropout_is_off_while_the_teacher_answers")
def test_each_part_stays_in_its_own_mode(student: Student) -> None:
    teacher = made(student)
    teacher[0].eval()
    student.ask_teacher(teacher, torch.ones(3, 2), 2)
    given = "a teacher in training mode whose first part is in evaluation mode: the modes of all, first, last part afterwards"
    equal([teacher.training, teacher[0].training, teacher[2].training], [True, False, True], given=given)
    teacher.eval()
    student.ask_teacher(teacher, torch.ones(3, 2), 2)
    given = "a teacher in evaluation mode: the modes of all, first, last part afterwards"
    equal([teacher.training, teacher[0].training, teacher[2].training], [False, False, False], given=given)


@exercise("ask_teacher", points=0.5, needs="test_dropout_is_off_while_the_teacher_answers")
def test_a_part_in_training_answers_in_evaluation_mode(student: Student) -> None:
    teacher, rows = made(student), torch.ones(3, 2)
    for top, first, last in itertools.product((False, True), repeat=3):
        teacher.train(top)
        teacher[0].train(first)
        teacher[2].train(last)
        given = f"a teacher whose own mode is training = {top}, its first dropout's {first}, its last one's {last}"
        close(student.ask_teacher(teacher, rows, 2), functional.linear(rows, WEIGHT, BIAS), given=given)
        found = [teacher.training, teacher[0].training, teacher[2].training]
        equal(found, [top, first, last], given=f"{given}: the three afterwards")


@exercise("ask_teacher", points=0.5, needs="test_dropout_is_off_while_the_teacher_answers")
def test_parts_of_parts_have_modes_of_their_own(student: Student) -> None:
    nn_ = student.nn
    for inner, outer in itertools.product((False, True), repeat=2):
        teacher = nn_.Sequential(nn_.Sequential(nn_.Dropout(1.0), nn_.Identity()), nn_.Dropout(1.0))
        teacher[0][0].train(inner)
        teacher[1].train(outer)
        given = f"a teacher in training mode with a dropout (training = {outer}) and one in a part of its own ({inner})"
        close(student.ask_teacher(teacher, torch.ones(3, 2), 2), torch.ones(3, 2), given=given)
        found = [teacher[0].training, teacher[0][0].training, teacher[0][1].training, teacher[1].training]
        equal(found, [True, inner, True, outer], given=f"{given}: the modes of all parts afterwards")


@exercise("ask_teacher", points=0.5, needs="test_no_gradient_flows_through_the_answers")
def test_autograd_stays_as_it_was_and_inputs_get_no_gradient_either(student: Student) -> None:
    found = student.ask_teacher(made(student), torch.ones(3, 2).requires_grad_(), 2)
    asks = getattr(found, "requires_grad", False)
    equal(asks, False, given="requires_grad of the answers on inputs that ask for gradients")
    student.torch.set_grad_enabled(False)
    try:
        student.ask_teacher(made(student), torch.ones(3, 2), 2)
        on = student.torch.is_grad_enabled()
    finally:
        student.torch.set_grad_enabled(True)
    equal(on, False, given="autograd is off when the teacher is asked: is it on afterwards?")


@exercise("ask_teacher", points=0.5, needs="test_dropout_is_off_while_the_teacher_answers")
def test_a_teacher_of_many_parts_is_as_it_was(student: Student) -> None:
    teacher = student.nn.Sequential(*(student.nn.Dropout(1.0) for _ in range(12)))
    close(student.ask_teacher(teacher, torch.ones(3, 2), 2), torch.ones(3, 2), given="twelve layers of dropout")
    given = "twelve layers of dropout in training mode: the modes of the first and the last afterwards"
    equal([teacher[0].training, teacher[11].training], [True, True], given=given)


@exercise("ask_teacher", points=0.5, needs="test_no_gradient_flows_through_the_answers")
def test_the_teachers_weights_may_be_trained_afterwards(student: Student) -> None:
    teacher = student.nn.Sequential(student.nn.Linear(2, 2), student.nn.Linear(2, 2))
    teacher[0].requires_grad_(False)  # of the layer: a tensor would come here as a copy
    student.ask_teacher(teacher, torch.ones(3, 2), 2)
    given = "a teacher whose second layer asks for gradients and whose first does not: do they afterwards?"
    equal([teacher[0].weight.requires_grad, teacher[1].weight.requires_grad], [False, True], given=given)


@exercise("ask_teacher", points=0.5, needs="test_dropout_is_off_while_the_teacher_answers")
def test_rows_may_be_tokens_and_one_row_stays_a_row(student: Student) -> None:
    table = torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    teacher = student.nn.EmbeddingBag(3, 2, mode="sum")
    teacher.load_state_dict({"weight": table})
    for ids in ([[1, 2, 2]], [[0, 1, 1], [2, 2, 2], [0, 0, 1]]):
        tokens = torch.tensor(ids)
        given = f"the tokens {ids}, two rows at a time, a teacher that adds up their vectors"
        close(student.ask_teacher(teacher, tokens, 2), table[tokens].sum(dim=1), given=given)
    teacher = student.nn.Embedding(3, 2)
    teacher.load_state_dict({"weight": table})
    given = "the tokens 2, 0, 1, one a row, two rows at a time, a teacher that gives their vectors"
    close(student.ask_teacher(teacher, torch.tensor([2, 0, 1]), 2), table[[2, 0, 1]], given=given)
    pictures = torch.arange(20.0).reshape(5, 2, 2)
    given = "five pictures of 2 × 2, three at a time, a teacher that puts their numbers in a row"
    close(student.ask_teacher(student.nn.Sequential(student.nn.Flatten()), pictures, 3), pictures.reshape(5, 4), given=given)


@exercise("ask_teacher", points=0.5, needs="test_the_last_batch_may_be_smaller")
def test_so_many_rows_go_through_at_a_time(student: Student) -> None:
    rows = torch.tensor([[0.0, 1.0], [2.0, 1.0], [5.0, 5.0], [5.0, 0.0], [3.0, 2.0], [1.0, 1.0]])
    expected = torch.cat([part.softmax(dim=0) for part in rows.split(2)])
    given = "six rows, two at a time, a teacher whose outputs are shares among the rows of a batch"
    close(student.ask_teacher(student.nn.Sequential(student.nn.Softmax(dim=0)), rows, 2), expected, given=given)


@exercise("ask_teacher", points=0.5, needs="test_dropout_is_off_while_the_teacher_answers")
def test_every_part_is_in_evaluation_mode_and_nothing_else_is_changed(student: Student) -> None:
    teacher = student.nn.Sequential(student.nn.BatchNorm1d(2, eps=0.0).double())
    given = "rows in float64, a batch normalization in training mode, which has seen nothing yet"
    rows = eighths(5, 2, 3)
    found = student.ask_teacher(teacher, rows, 5)
    on = student.torch.is_grad_enabled()
    student.torch.set_grad_enabled(True)
    close(found, rows, given=given, rtol=1e-9)
    equal(kind(found), "torch.float64", given=f"{given}; the type of the answers")
    close(teacher[0].running_mean, [0.0, 0.0], given=f"{given}: what it has seen afterwards")
    equal(on, True, given="is autograd still on afterwards?")


# wrong_classes
def table_of(logits: list[list[float]], labels: list[int], temperature: float) -> list[list[float]]:
    """Class by class, row by row, in Python's floats."""
    classes = len(logits[0])
    rows = []
    for label in range(classes):
        mine = [row for row, own in zip(logits, labels, strict=True) if own == label]
        parts = [shares([x if i != label else -math.inf for i, x in enumerate(row)], temperature) for row in mine]
        rows.append([math.fsum(part[i] for part in parts) / max(1, len(parts)) for i in range(classes)])
    return rows


@exercise("wrong_classes")
@for_all(
    rows=integers(1, 8), columns=integers(2, 5), seed=integers(0, 10**6), temperature=sampled_from(TEMPERATURES)
)
def test_any_table_is_that_of_row_by_row(
    student: Student, rows: int, columns: int, seed: int, temperature: float
) -> None:
    logits = eighths(rows, columns, seed)
    labels = torch.randint(0, columns, (rows,), generator=torch.Generator().manual_seed(seed))
    close(student.wrong_classes(logits, labels, temperature), table_of(logits.tolist(), labels.tolist(), temperature))


@exercise("wrong_classes", points=0.5, needs="test_rows_of_one_label_are_averaged")
def test_logits_of_thousands_below_zero_share_the_rest_too(student: Student) -> None:
    logits = torch.tensor([[-2000.0, -5000.0, -5000.0], [5000.0, -3000.0, -3000.0]])
    given = "the logits (−2000, −5000, −5000) and (5000, −3000, −3000), both with label 0, T = 1"
    expected = [[0, 0.5, 0.5], [0, 0, 0], [0, 0, 0]]
    close(student.wrong_classes(logits, torch.tensor([0, 0]), 1), expected, given=given)
    for far in (1e10, 1e40):
        logits = torch.tensor([[-far, -2 * far, -3 * far]], dtype=torch.float64)
        given = f"the logits ({-far:g}, {-2 * far:g}, {-3 * far:g}) in float64, label 0, T = 1"
        close(student.wrong_classes(logits, torch.tensor([0]), 1), [[0, 1, 0], [0, 0, 0], [0, 0, 0]], given=given)


@exercise("wrong_classes", points=0.5, needs="test_rows_of_one_label_are_averaged")
def test_small_shares_are_themselves_and_the_true_class_has_none(student: Student) -> None:
    logits = torch.tensor([[5.0, 0.0, -40.0], [0.0, 3.0, -40.0]], dtype=torch.float64)
    share = math.exp(-40) / (1 + math.exp(-40))
    given = "the logits (5, 0, −40) with label 0 and (0, 3, −40) with label 1 in float64, T = 1"
    expected = [[0, 1, share], [1, 0, share], [0, 0, 0]]
    close(student.wrong_classes(logits, torch.tensor([0, 1]), 1), expected, given=given, rtol=1e-6, atol=0)


@exercise("wrong_classes", points=0.5, needs="test_rows_of_one_label_are_averaged")
def test_many_rows_and_two_classes(student: Student) -> None:
    logits, labels = eighths(50, 2, 3), torch.tensor([0, 1] * 25)
    found = student.wrong_classes(logits, labels, 2.0)
    close(found, [[0, 1], [1, 0]], given="50 rows of two classes in float64: all of the rest is the other one's")
    equal(kind(found), "torch.float64", given="50 rows of two classes in float64: the precision")


@exercise("wrong_classes", points=0.5, needs="test_rows_of_one_label_are_averaged")
def test_twelve_classes_at_a_high_temperature(student: Student) -> None:
    logits, labels = eighths(24, 12, 4), torch.arange(24) % 12
    expected = table_of(logits.tolist(), labels.tolist(), 5000)
    close(student.wrong_classes(logits, labels, 5000), expected, given="24 rows of twelve classes, each label twice, T = 5000")


# soft_loss
def rows_cost(student: Tensor, teacher: Tensor, temperature: float, real: Tensor) -> Tensor:
    """Row by row, each logarithm written out."""
    costs = []
    for z, v, counts in zip(student.flatten(0, -2), teacher.flatten(0, -2), real.flatten().tolist(), strict=True):
        if counts:
            q = torch.tensor(shares(v.tolist(), temperature), dtype=z.dtype)
            scaled = z / temperature
            costs.append((q * (scaled.logsumexp(dim=0) - scaled)).sum())
    return temperature**2 * torch.stack(costs).mean()


@exercise("soft_loss")
@for_all(
    rows=integers(1, 6), columns=integers(1, 5), seed=integers(0, 10**6), temperature=sampled_from(TEMPERATURES)
)
def test_any_batch_costs_the_mean_of_its_real_rows(
    student: Student, rows: int, columns: int, seed: int, temperature: float
) -> None:
    one, other = eighths(rows, columns, seed), eighths(rows, columns, seed + 1)
    real = torch.rand(rows, generator=torch.Generator().manual_seed(seed)) < 0.6
    real[0] = True
    close(student.soft_loss(one, other, temperature, real), rows_cost(one, other, temperature, real))


@exercise("soft_loss")
def test_gradients_reach_real_rows_alone_and_none_is_nan(student: Student) -> None:
    one, other = eighths(4, 3, 5), eighths(4, 3, 6)
    one[1], other[1], other[3] = math.nan, math.inf, math.nan
    real = torch.tensor([True, False, True, False])
    given = "four rows, two of them real, the others with NaN and ∞; T = 2"

    def oracle(logits: Tensor, *_: Any) -> Tensor:
        kept = logits[[0, 2]]
        return 4 * functional.cross_entropy(kept / 2, (other[[0, 2]] / 2).softmax(dim=1))

    close_gradients(student, "soft_loss", oracle, {"student": one}, other, 2.0, real, given=given)


@exercise("soft_loss", points=0.5, needs="test_it_is_the_mean_over_real_rows_whatever_stands_in_the_others")
def test_a_batch_without_a_real_row_costs_nothing(student: Student) -> None:
    one, other, real = torch.tensor([[1.0, math.nan]]), torch.zeros(1, 2), torch.tensor([False])
    close(student.soft_loss(one, other, 1, real), 0.0, given="one row, which is not real")
    gradient = student.gradients("soft_loss", one.requires_grad_(), other, 1, real)[0]
    if gradient is not None:
        close(gradient, [[0.0, 0.0]], given="one row, which is not real; the gradient for the student's logits")


@exercise("soft_loss", points=0.5, needs="test_both_are_softened_and_the_loss_grows_by_t_squared")
def test_tokens_of_sentences_are_rows_too(student: Student) -> None:
    one, other = eighths(6, 4, 7).reshape(2, 3, 4), eighths(6, 4, 8).reshape(2, 3, 4)
    real = torch.tensor([[True, True, False], [True, False, False]])
    given = "logits of the shape (2, 3, 4), of which three tokens are real, float64, T = 3"
    found = student.soft_loss(one, other, 3, real)
    close(found, rows_cost(one, other, 3, real), given=given, rtol=1e-9)
    equal(kind(found), "torch.float64", given=f"{given}; the precision")
    found = student.soft_loss(one[None, :, None], other[None, :, None], 3, real[None, :, None])
    close(found, rows_cost(one, other, 3, real), given="the same in the shape (1, 2, 1, 3, 4)", rtol=1e-9)


@exercise("soft_loss", points=0.5, needs="test_both_are_softened_and_the_loss_grows_by_t_squared")
def test_logits_of_thousands_cost_no_infinity(student: Student) -> None:
    one = torch.tensor([[0.0, 3000.0], [-5000.0, -5001.0]]).double()
    other = torch.tensor([[4000.0, 0.0], [9000.0, 9000.0]]).double()
    given = "the student's logits (0, 3000) and (−5000, −5001), the teacher's (4000, 0) and (9000, 9000) in float64, T = 1"
    expected = (3000 + (math.log(1 + math.exp(-1)) + math.log(1 + math.exp(-1)) + 1) / 2) / 2
    close(student.soft_loss(one, other, 1, torch.tensor([True, True])), expected, given=given)


@exercise("soft_loss", points=0.5, needs="test_both_are_softened_and_the_loss_grows_by_t_squared")
def test_low_and_high_temperatures_keep_their_digits(student: Student) -> None:
    one, other = torch.tensor([[1.0, 3.0, -2.0]]), torch.tensor([[0.0, 1.0, 5.0]])
    for temperature in (0.01, 100):
        expected = rows_cost(one.double(), other.double(), temperature, torch.tensor([True]))
        given = f"the student's logits (1, 3, −2), the teacher's (0, 1, 5), T = {temperature:g}"
        close(student.soft_loss(one, other, temperature, torch.tensor([True])), expected, given=given)


# soft_gradient
@exercise("soft_gradient")
@for_all(
    rows=integers(1, 5),
    columns=integers(1, 5),
    seed=integers(0, 10**6),
    temperature=sampled_from((*TEMPERATURES, 200, 0.01, 2000.0, 1e5, 1e8)),
    scale=sampled_from((1, 2000, 10**8)),
)
def test_any_gradient_is_autograds(
    student: Student, rows: int, columns: int, seed: int, temperature: float, scale: int
) -> None:
    one, other = (scale * eighths(rows, columns, seed)).requires_grad_(), scale * eighths(rows, columns, seed + 1)
    loss = rows_cost(one, other, temperature, torch.ones(rows, dtype=torch.bool))
    expected = torch.autograd.grad(loss, one)[0]
    close(student.soft_gradient(one.detach(), other, temperature), expected)


@exercise("soft_gradient")
@for_all(rows=integers(1, 5), columns=integers(1, 6), seed=integers(0, 10**6), examples=30)
def test_any_limit_is_what_high_temperatures_come_to(student: Student, rows: int, columns: int, seed: int) -> None:
    one, other = eighths(rows, columns, seed), eighths(rows, columns, seed + 1)
    centred = [[x - sum(row) / columns for x in row] for row in (one - other).tolist()]
    expected = [[x / columns / rows for x in row] for row in centred]
    found = student.soft_gradient(one, other, float("inf"))
    close(found, expected)
    equal(kind(found), "torch.float64")


@exercise("soft_gradient", points=0.5, needs="test_at_temperature_4_it_is_four_times_p_minus_q")
def test_a_million_is_a_temperature_and_not_the_limit_itself(student: Student) -> None:
    one, other = eighths(3, 4, 2), eighths(3, 4, 3)
    given = "three rows of four classes in float64, T = 1,000,000: near the limit"
    apart = one - other
    limit = (apart - apart.mean(dim=1, keepdim=True)) / 12
    found = student.soft_gradient(one, other, 1e6)
    close(found, limit, given=given, rtol=1e-3, atol=1e-5)
    equal(kind(found), "torch.float64", given=f"{given}; the precision")


@exercise("soft_gradient", points=0.5, needs="test_the_limit_is_the_difference_of_centred_logits")
def test_logits_of_thousands_have_a_gradient(student: Student) -> None:
    one, other = torch.tensor([[9000.0, 0.0], [-9000.0, -9000.0]]), torch.tensor([[0.0, 9000.0], [9000.0, 9000.0]])
    given = "the student's logits (9000, 0) and (−9000, −9000), the teacher's (0, 9000) and (9000, 9000), T = "
    close(student.soft_gradient(one, other, 2), [[1.0, -1.0], [0, 0]], given=f"{given}2")
    close(student.soft_gradient(one, other, math.inf), [[4500 / 2, -4500 / 2], [0, 0]], given=f"{given}∞")


# logit_loss
@exercise("logit_loss")
@for_all(one=inputs.tables(3, 4), other=inputs.tables(3, 4))
def test_any_logits_cost_the_squares_of_what_is_left_of_them(student: Student, one: Tensor, other: Tensor) -> None:
    costs = []
    for z, v in zip(one.double().tolist(), other.double().tolist(), strict=True):
        z_mean, v_mean = math.fsum(z) / len(z), math.fsum(v) / len(v)
        costs.append(math.fsum(((a - z_mean) - (b - v_mean)) ** 2 for a, b in zip(z, v, strict=True)) / 2)
    close(student.logit_loss(one, other), math.fsum(costs) / len(costs), atol=1e-3)


@exercise("logit_loss", points=0.5, needs="test_squares_are_summed_over_classes_and_averaged_over_rows")
def test_one_row_and_doubles(student: Student) -> None:
    one, other = eighths(1, 5, 4), eighths(1, 5, 5)
    apart = one - other
    expected = (apart - apart.mean()).square().sum() / 2
    found = student.logit_loss(one, other)
    close(found, expected, given="one row of five classes in float64, to ten digits", rtol=1e-10, atol=0)
    equal(kind(found), "torch.float64", given="one row of five classes in float64: the precision")
    equal(list(found.shape), [], given="one row of five classes: the shape")
    for rows, columns in ((1, 1), (3, 1), (1, 2), (40, 12)):
        one, other = eighths(rows, columns, 6), eighths(rows, columns, 7)
        apart = one - other
        apart = apart - apart.mean(dim=1, keepdim=True)
        given = f"{rows} rows of {columns} classes in float64"
        close(student.logit_loss(one, other), apart.square().sum() / 2 / rows, given=given, rtol=1e-9, atol=1e-12)


@exercise("logit_loss", points=0.5, needs="test_squares_are_summed_over_classes_and_averaged_over_rows")
def test_rows_of_a_batch_share_the_gradient(student: Student) -> None:
    one, other = eighths(4, 3, 8), eighths(4, 3, 9)
    apart = one - other
    (found,) = student.gradients("logit_loss", one.clone().requires_grad_(), other)
    given = "four rows of three classes in float64; the gradient for the student's logits"
    true(found is not None, "the loss knows nothing of the student's logits, so it trains nothing", given=given)
    close(found, (apart - apart.mean(dim=1, keepdim=True)) / 4, given=given)


@exercise("logit_loss", points=0.5, needs="test_half_the_squared_distance")
def test_logits_far_from_zero_keep_their_distance(student: Student) -> None:
    one, other = torch.tensor([[20_001.0, 19_999.0]]), torch.tensor([[-20_000.0, -20_000.0]])
    given = "the logits (20001, 19999) and (−20000, −20000)"
    close(student.logit_loss(one, other), 1.0, given=given)


# mixed_loss
def mixed(student: Tensor, teacher: Tensor, labels: Tensor, temperature: float, weight: float) -> Tensor:
    soft = rows_cost(student, teacher, temperature, torch.ones(len(student), dtype=torch.bool))
    costs = [z.logsumexp(dim=0) - z[label] for z, label in zip(student, labels.tolist(), strict=True) if label != NOT]
    hard = torch.stack(costs).mean() if costs else 0 * student.sum()
    return weight * soft + (1 - weight) * hard


@exercise("mixed_loss")
@for_all(
    rows=integers(1, 6),
    columns=integers(1, 5),
    seed=integers(0, 10**6),
    temperature=sampled_from(TEMPERATURES),
    weight=sampled_from((0.0, 0.25, 0.5, 1.0)),
    unlabelled=booleans(),
)
def test_any_batch_costs_its_two_means(
    student: Student, rows: int, columns: int, seed: int, temperature: float, weight: float, unlabelled: bool
) -> None:
    generator = torch.Generator().manual_seed(seed)
    one, other = eighths(rows, columns, seed), eighths(rows, columns, seed + 1)
    labels = torch.randint(0, columns, (rows,), generator=generator)
    labels = labels.masked_fill(torch.rand(rows, generator=generator) < (1.0 if unlabelled else 0.4), NOT)
    found = student.mixed_loss(one, other, labels, temperature, weight)
    close(found, mixed(one, other, labels, temperature, weight))


@exercise("mixed_loss")
def test_both_parts_train_the_student_and_none_the_teacher(student: Student) -> None:
    one, other, labels = eighths(3, 4, 9), eighths(3, 4, 10), torch.tensor([0, NOT, 3])
    given = "three rows of four classes, the labels (0, −100, 3), T = 2, w = 0.25"

    def oracle(logits: Tensor, *_: Any) -> Tensor:
        return mixed(logits, other, labels, 2.0, 0.25)

    close_gradients(student, "mixed_loss", oracle, {"student": one}, other, labels, 2.0, 0.25, given=given)
    none = torch.full((3,), NOT)
    where = "three rows of four classes, no label, T = 2, w = 0.25"

    def soft(logits: Tensor, *_: Any) -> Tensor:
        return mixed(logits, other, none, 2.0, 0.25)

    close_gradients(student, "mixed_loss", soft, {"student": one}, other, none, 2.0, 0.25, given=where)
    asked = [tensor.clone().requires_grad_() for tensor in (one, other)]
    gradient = student.gradients("mixed_loss", *asked, labels, 2.0, 0.25)[1]
    if gradient is not None:
        where = f"{given}; the gradient for the teacher, whose logits are constants"
        close(gradient, torch.zeros_like(other), given=where)


@exercise("mixed_loss", points=0.5, needs="test_weight_1_is_the_soft_targets_alone_with_t_squared")
def test_large_logits_cost_what_they_say(student: Student) -> None:
    one, other = torch.tensor([[4000.0, 0.0], [0.0, 6000.0]]), torch.tensor([[0.0, 5000.0], [0.0, 5000.0]])
    given = "the student's logits (4000, 0) and (0, 6000), the teacher's (0, 5000) twice, labels (1, 0), T = 2, w = 1/4"
    expected = 0.25 * 4 * 2000 / 2 + 0.75 * (4000 + 6000) / 2
    close(student.mixed_loss(one, other, torch.tensor([1, 0]), 2, 0.25), expected, given=given)


@exercise("mixed_loss", points=0.5, needs="test_the_weight_belongs_to_the_soft_part")
def test_the_mixture_keeps_double_precision(student: Student) -> None:
    one, other, labels = eighths(3, 4, 11), eighths(3, 4, 12), torch.tensor([0, NOT, 3])
    given = "three rows of four classes in float64, the labels (0, −100, 3), T = 3, w = 0.3, to ten digits"
    found = student.mixed_loss(one, other, labels, 3, 0.3)
    close(found, mixed(one, other, labels, 3, 0.3), given=given, rtol=1e-10, atol=0)


# without_similarity
@exercise("without_similarity")
@for_all(rows=lists(lists(integers(0, 5), min_size=4, max_size=4).filter(any), min_size=1, max_size=4))
def test_any_targets_keep_their_greatest_and_their_sum(student: Student, rows: list[list[int]]) -> None:
    targets = torch.tensor([[count / sum(row) for count in row] for row in rows], dtype=torch.float64)
    expected = []
    for row in targets.tolist():
        place = row.index(max(row))
        others = (sum(row) - row[place]) / 3
        expected.append([row[place] if i == place else others for i in range(4)])
    close(student.without_similarity(targets), expected)


@exercise("without_similarity", points=0.5, needs="test_the_greatest_stays_and_the_others_become_even")
def test_one_row_of_many_classes_and_the_precision(student: Student) -> None:
    targets = torch.full((1, 11), 0.05, dtype=torch.float64)
    targets[0, 10] = 0.5
    given = "eleven classes in float64, the last with 1/2, the others with 1/20 each"
    found = student.without_similarity(targets)
    close(found, targets, given=given, rtol=1e-9)
    equal(kind(found), "torch.float64", given=f"{given}; the precision")
    targets = torch.tensor([[0.5, 0.25, 0.125, 0.125], [0.0, 0.25, 0.0, 0.75]])
    given = "two rows: the sums of what came back"
    close(student.without_similarity(targets).sum(dim=1), [1.0, 1.0], given=given)
    targets = torch.full((60, 129), 1 / 256)
    targets[torch.arange(60), 2 * torch.arange(60)] = 0.5
    given = "sixty rows of 129 classes, of which class 0, 2, 4, … 118 has 1/2 and the others 1/256 each"
    close(student.without_similarity(targets), targets, given=given)
    found = student.without_similarity(torch.tensor([[0.25, 0.5, 0.125, 0.125]], dtype=torch.float16))
    given = "the targets (1/4, 1/2, 1/8, 1/8) in float16"
    close(found, [[1 / 6, 0.5, 1 / 6, 1 / 6]], given=given, rtol=2e-3)
    equal(kind(found), "torch.float16", given=f"{given}; the precision")


# raise_bias
def number(value: Any, given: str = "") -> float:
    """A number of the student's, whatever holds it."""
    try:
        return float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError, RuntimeError):
        raise Mismatch("a number was expected", given=given or None, actual=value) from None


def mean_share(logits: Tensor, place: int, bias: float) -> float:
    """The mean probability of a class once the bias is added, in float64."""
    raised = logits.double().clone()
    raised[:, place] += bias
    return float(raised.softmax(dim=1)[:, place].mean())


@exercise("raise_bias")
@for_all(
    rows=integers(1, 6),
    columns=integers(2, 5),
    place=integers(0, 4),
    seed=integers(0, 10**6),
    share=sampled_from((0.5, 0.1, 0.25, 0.9, 0.01, 0.99)),
    scale=sampled_from((1, 8, 2500)),
)
def test_any_class_gets_any_share(
    student: Student, rows: int, columns: int, place: int, seed: int, share: float, scale: int
) -> None:
    logits, place = scale * eighths(rows, columns, seed), place % columns
    bias = number(student.raise_bias(logits, place, share))
    close(mean_share(logits, place, bias), share, rtol=1e-3, atol=1e-4)


@exercise("raise_bias", points=0.5, needs="test_the_mean_of_probabilities_is_the_share")
def test_the_share_is_of_probability_and_not_of_rows(student: Student) -> None:
    # Half of the rows would be won by any bias between the two log-odds; the mean probability asks for one of them.
    logits = torch.tensor([[0.0, 40.0], [40.0, 0.0]])
    for share, expected in ((0.25, -40.0), (0.75, 40.0)):
        given = f"the logits (0, 40) and (40, 0), class 0, share {share}"
        close(number(student.raise_bias(logits, 0, share), given), expected, given=given, atol=1e-2)


@exercise("raise_bias", points=0.5, needs="test_the_mean_of_probabilities_is_the_share")
def test_far_above_and_far_below(student: Student) -> None:
    logits = torch.tensor([[10_000.0, -10_000.0, 9_000.0], [10_000.0, -10_000.0, 10_000.0]], dtype=torch.float64)
    for place, share in ((0, 0.05), (1, 0.3), (2, 0.9)):
        given = f"the logits (10000, −10000, 9000) and (10000, −10000, 10000), class {place}, share {share}: the mean"
        found = number(student.raise_bias(logits, place, share), given)
        close(mean_share(logits, place, found), share, given=given, rtol=1e-3, atol=1e-4)


@exercise("raise_bias", points=0.5, needs="test_the_mean_of_probabilities_is_the_share")
def test_large_logits_lose_no_digits(student: Student) -> None:
    logits = torch.tensor([[-100_000.0, 0.0, 0.0, 0.0]])
    given = "the logits (−100000, 0, 0, 0) in float32, class 0, share 1/2: the mean probability with the bias, to four digits"
    found = number(student.raise_bias(logits, 0, 0.5), given)
    close(mean_share(logits, 0, found), 0.5, given=given, rtol=1e-4, atol=0)


@exercise("raise_bias", points=0.5, needs="test_the_mean_of_probabilities_is_the_share")
def test_every_row_of_many_counts(student: Student) -> None:
    logits = torch.zeros(1200, 20)
    logits[600:, 19] = -30.0
    for place, share in ((19, 0.75), (0, 0.3)):
        given = f"1,200 rows of twenty classes at 0, the last class at −30 in half of them, class {place}, share {share}: the mean"
        found = number(student.raise_bias(logits, place, share), given)
        close(mean_share(logits, place, found), share, given=given, rtol=1e-3, atol=1e-4)


# metrics
BEYOND = 50_000  # added to the run's seed: other sentences than the notebook's
TESTS = 900
STUDENTS = ("labels", "same", "hard", "soft", "both", "squares", "untrained", "shuffled")


@functools.cache
def _test(seed: int) -> tuple[Tensor, Tensor]:
    """Sentences of the test's words that the notebook has not chosen: tokens (B, N), topics (B,)."""
    tokenizer = pretrained.load("world-en").tokenizer
    items = Tasks("en", seed + BEYOND).topics(TESTS, "test")
    rows = [torch.tensor(tokenizer.encode(item.text)) for item in items]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True), torch.tensor([item.label for item in items])


def _filled(model: Any, numbers: Tensor, name: str) -> Any:
    expected = sum(parameter.numel() for parameter in model.parameters())
    if numbers.numel() != expected:
        raise BadArtifact(f"a row of {name!r} holds {numbers.numel()} numbers, and the model has {expected} parameters")
    vector_to_parameters(numbers.float(), model.parameters())
    return model.eval()


def _bags(artifacts: Artifacts, name: str, count: int) -> list[BagClassifier]:
    """The recorded students, of the width that their size says."""
    numbers = artifacts.tensor(name, ndim=2)
    if len(numbers) != count:
        raise BadArtifact(f"the tensor {name!r} has {len(numbers)} rows, expected {count}")
    vocabulary = len(pretrained.load("world-en").tokenizer.vocabulary)
    width = round((numbers.shape[1] - 9) / (vocabulary + 9))
    if not 1 <= width <= 256:
        raise BadArtifact(f"a row of {name!r} holds {numbers.shape[1]} numbers, which is no bag of up to 256 numbers a piece")
    return [_filled(BagClassifier(vocabulary, width, 9), row, name) for row in numbers]


@torch.no_grad()
def _right(artifacts: Artifacts, model: Any) -> float:
    tokens, truth = _test(artifacts.seed)
    return float((model.logits(tokens).argmax(dim=1) == truth).float().mean())


def _student(artifacts: Artifacts, name: str) -> float:
    return _right(artifacts, _bags(artifacts, "students", len(STUDENTS))[STUDENTS.index(name)])


@metric("text_gain")
def text_gain(artifacts: Artifacts) -> float:
    return _student(artifacts, "soft") - _student(artifacts, "labels")


@metric("same_sentences_gain")
def same_sentences_gain(artifacts: Artifacts) -> float:
    return _student(artifacts, "same") - _student(artifacts, "labels")


@metric("soft_minus_hard")
def soft_minus_hard(artifacts: Artifacts) -> float:
    return _student(artifacts, "soft") - _student(artifacts, "hard")


@metric("untrained_gap")
def untrained_gap(artifacts: Artifacts) -> float:
    return _student(artifacts, "soft") - _student(artifacts, "untrained")


@metric("shuffled_gap")
def shuffled_gap(artifacts: Artifacts) -> float:
    return _student(artifacts, "soft") - _student(artifacts, "shuffled")


@metric("squares_gain")
def squares_gain(artifacts: Artifacts) -> float:
    return _student(artifacts, "squares") - _student(artifacts, "labels")


def _teacher(artifacts: Artifacts) -> Any:
    numbers = artifacts.tensor("teacher", ndim=2)
    if len(numbers) != 1:
        raise BadArtifact(f"the tensor 'teacher' has {len(numbers)} rows, expected 1")
    return _filled(BertClassifier(pretrained.load("world-en").model.bert, 9), numbers[0], "teacher")


@metric("teacher_gap")
def teacher_gap(artifacts: Artifacts) -> float:
    return _right(artifacts, _teacher(artifacts)) - _student(artifacts, "soft")


@torch.no_grad()
def _found(artifacts: Artifacts, name: str, topics: list[int]) -> float:
    """The share of the test's sentences of a topic that the student found who never saw one, in the mean over topics."""
    tokens, truth = _test(artifacts.seed)
    shares = []
    for model, topic in zip(_bags(artifacts, name, len(topics)), topics, strict=True):
        mine = truth == topic
        shares.append(float((model.logits(tokens[mine]).argmax(dim=1) == topic).float().mean()))
    return float(np.mean(shares))


@torch.no_grad()
def _nats(artifacts: Artifacts, model: Any) -> float:
    tokens, truth = _test(artifacts.seed)
    return float(functional.cross_entropy(model.logits(tokens), truth))


@metric("nats_saved")
def nats_saved(artifacts: Artifacts) -> float:
    """What the right topic costs the student of few hard labels, less what it costs that of soft targets."""
    soft, hard = (_nats(artifacts, model) for model in _bags(artifacts, "fewest", 2))
    return hard - soft


@metric("homonym_gap")
def homonym_gap(artifacts: Artifacts) -> float:
    """How much more of the rest a teacher gives to topics that share a homonym with the true one than to others, at T = 2."""
    world = World("en", artifacts.seed + BEYOND)
    names, tokenizer = Tasks("en").topic_names, pretrained.load("world-en").tokenizer
    documents = [document for document in world.documents(20_000) if document.topic in names]
    rows = [torch.tensor(tokenizer.encode(str(sentence))) for document in documents for sentence in document.sentences]
    about = [names.index(document.topic) for document in documents for _ in document.sentences]
    tokens = nn.utils.rnn.pad_sequence(rows, batch_first=True)
    with torch.no_grad():
        logits = _teacher(artifacts).logits(tokens).double()
    table = torch.tensor(table_of(logits.tolist(), about, 2.0))
    shared = torch.zeros(9, 9, dtype=torch.bool)
    for one, other in world.homonyms().values():
        if one in names and other in names:
            shared[names.index(one), names.index(other)] = shared[names.index(other), names.index(one)] = True
    return float(table[shared].mean() - table[~shared & ~torch.eye(9, dtype=torch.bool)].mean())


def _unseen(artifacts: Artifacts) -> list[int]:
    """The topics that were left out."""
    topics = [int(topic) for topic in artifacts.tensor("left_out", ndim=1)]
    if not topics or len(set(topics)) != len(topics) or not all(0 <= topic < 9 for topic in topics):
        raise BadArtifact("the tensor 'left_out' holds no different topics from 0 to 8")
    return topics


@metric("unseen_found")
def unseen_found(artifacts: Artifacts) -> float:
    return _found(artifacts, "unseen_soft", _unseen(artifacts))


@metric("unseen_gain")
def unseen_gain(artifacts: Artifacts) -> float:
    return unseen_found(artifacts) - _found(artifacts, "unseen_hard", _unseen(artifacts))


@metric("unseen_similarity")
def unseen_similarity(artifacts: Artifacts) -> float:
    return unseen_found(artifacts) - _found(artifacts, "unseen_plain", _unseen(artifacts))


@metric("teacher_over_student")
def teacher_over_student(artifacts: Artifacts) -> float:
    """What a better teacher brings, less what more steps bring, to one student."""
    base, longer, better = (_right(artifacts, model) for model in _bags(artifacts, "ladder", 3))
    return (better - base) - (longer - base)
