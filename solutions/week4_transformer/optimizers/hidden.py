"""optimizers: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
from collections import Counter

import numpy as np
import torch
from hypothesis.strategies import SearchStrategy, booleans, integers, lists, sampled_from
from torch import Tensor, nn
from torch.nn.utils import vector_to_parameters

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.models.blocks import Block, BlockConfig
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all


def streams(least: int = 1, most: int = 8) -> SearchStrategy[Tensor]:
    """Gradients of three weights over some steps, (T, 3) float64, never 0: Adam's ε is then nothing beside them."""
    one = integers(1, 32).flatmap(lambda n: sampled_from([n / 8, -n / 8]))
    return lists(lists(one, min_size=3, max_size=3), min_size=least, max_size=most).map(
        lambda rows: torch.tensor(rows, dtype=torch.float64)
    )


def of_torch(optimizer: type[torch.optim.Optimizer], gradients: Tensor, start: Tensor, **settings: object) -> Tensor:
    """The weights after each step of an optimizer of torch that is given these gradients, (T, P): (T, P)."""
    weights = start.clone().requires_grad_()
    steps = optimizer([weights], **settings)  # type: ignore[arg-type]
    found = []
    for gradient in gradients:
        weights.grad = gradient.clone()
        steps.step()
        found.append(weights.detach().clone())
    return torch.stack(found)


ZEROS = torch.zeros(3, dtype=torch.float64)


# clip_by_global_norm
@exercise("clip_by_global_norm", points=0.5)
@for_all(first=inputs.tables(2, 2), second=inputs.tables(3, 1), limit=integers(1, 40).map(lambda n: n / 4))
def test_any_gradients_are_clipped_as_by_torch(student: Student, first: Tensor, second: Tensor, limit: float) -> None:
    parts = [first.double(), second.double()]
    norm = float(torch.cat([part.flatten() for part in parts]).norm())
    clipped, found = student.clip_by_global_norm(parts, limit)
    close(found, norm)
    for part, actual in zip(parts, clipped, strict=True):
        close(actual, part * min(1.0, limit / norm) if norm else part)


@exercise("clip_by_global_norm", points=0.5)
def test_two_clipped_gradients_keep_their_proportion(student: Student) -> None:
    clipped, _ = student.clip_by_global_norm([torch.full((9,), 1e-3), torch.full((4,), 50.0)], 2.0)
    true(len(clipped) == 2, "as many gradients as came in were expected", actual=len(clipped))
    close(clipped[0] / clipped[1][0], [2e-5] * 9, given="nine numbers 0.001 and four numbers 50, limit 2; first by second")
    together = float(torch.cat([torch.as_tensor(one).flatten() for one in clipped]).norm())
    close(together, 2.0, given="the norm of both together after clipping")


@exercise("clip_by_global_norm", points=0.5, needs="test_one_factor_shortens_all_gradients")
def test_zeros_stay_zeros_and_no_limit_clips_nothing(student: Student) -> None:
    clipped, norm = student.clip_by_global_norm([torch.zeros(2)], 1.0)
    close(clipped[0], [0.0, 0.0], given="two zeros, limit 1")
    true(isinstance(plain(norm), float), "a float was expected for the norm", given="two zeros", actual=norm)
    clipped, norm = student.clip_by_global_norm([torch.full((2,), 7.0)], math.inf)
    close(clipped[0], [7.0, 7.0], given="two numbers 7, no limit (infinity)")
    close(norm, 7 * math.sqrt(2), given="two numbers 7, no limit (infinity): the norm")


@exercise("clip_by_global_norm", points=0.5, needs="test_one_factor_shortens_all_gradients")
def test_all_of_many_gradients_are_clipped(student: Student) -> None:
    clipped, norm = student.clip_by_global_norm([torch.full((1,), 2.0) for _ in range(16)], 4.0)
    close(norm, 8.0, given="16 gradients of one number 2, limit 4: their norm")
    close(torch.cat([torch.as_tensor(one) for one in clipped]), [1.0] * 16, given="16 gradients of one number 2, limit 4")


@exercise("clip_by_global_norm", points=0.5, needs="test_one_factor_shortens_all_gradients")
def test_a_gradient_may_have_no_axis_or_three(student: Student) -> None:
    gradients = [torch.tensor(6.0), torch.full((2, 1, 2), 4.0), torch.zeros(3, 0), torch.tensor([[[0.0]]])]
    given = "the gradients 6 without an axis, 4 four times (2, 1, 2), none (3, 0) and 0 (1, 1, 1); "
    for limit, factor in ((5.0, 0.5), (50.0, 1.0)):
        clipped, norm = student.clip_by_global_norm(gradients, limit)
        close(norm, 10.0, given=f"{given}limit {limit}: the norm")
        close(len(clipped), 4, given=f"{given}limit {limit}: how many come back")
        for one, found in zip(gradients, clipped, strict=True):
            close(found, factor * one, given=f"{given}limit {limit}: the one of shape {tuple(one.shape)}")


@exercise("clip_by_global_norm", points=0.5, needs="test_one_factor_shortens_all_gradients")
def test_clipped_gradients_are_tensors(student: Student) -> None:
    clipped, _ = student.clip_by_global_norm([torch.full((2,), 3.0), torch.full((1, 1), 4.0)], 1.0)
    kinds = [type(one).__name__ for one in clipped]
    true(all(isinstance(one, Tensor) for one in clipped), "tensors were expected", given="two gradients", actual=kinds)


@exercise("clip_by_global_norm", points=0.5, needs="test_one_factor_shortens_all_gradients")
@for_all(examples=30, limit=sampled_from([0.1, 0.5, 3.0]), power=integers(-2, 6), count=integers(1, 4))
def test_what_is_longer_comes_out_as_long_as_the_limit(student: Student, limit: float, power: int, count: int) -> None:
    gradients = [torch.full((1, 2), 2.0**power, dtype=torch.float64) for _ in range(count)]
    norm = 2.0**power * math.sqrt(2 * count)
    clipped, found = student.clip_by_global_norm(gradients, limit)
    close(found, norm)
    wanted = [[2.0**power * min(1.0, limit / norm)] * 2]
    for one in clipped:
        close(one, wanted, rtol=3e-5, atol=0)


# sgd
@exercise("sgd", points=0.5)
@for_all(gradients=streams(), beta=sampled_from([0.0, 0.5, 0.9]), nesterov=booleans())
def test_any_gradients_lead_where_torch_goes(
    student: Student, gradients: Tensor, beta: float, nesterov: bool
) -> None:
    nesterov = nesterov and beta > 0  # torch allows no other
    expected = of_torch(torch.optim.SGD, gradients, ZEROS, lr=0.5, momentum=beta, nesterov=nesterov)
    weights, velocity = ZEROS, ZEROS
    for number, gradient in enumerate(gradients):
        direction, velocity = student.sgd(gradient, velocity, beta, nesterov)
        weights = weights - 0.5 * torch.as_tensor(direction)
        close(weights, expected[number])


@exercise("sgd", points=0.5, needs="test_equal_gradients_add_up")
def test_a_velocity_alone_rolls_out(student: Student) -> None:
    velocity = torch.ones(2)
    for _ in range(3):
        direction, velocity = student.sgd(torch.zeros(2), velocity)
    close(direction, [0.729, 0.729], given="velocity 1, three gradients 0, β = 0.9: the third direction")


@exercise("sgd", points=0.5, needs="test_equal_gradients_add_up")
def test_direction_and_velocity_are_tensors(student: Student) -> None:
    found = student.sgd(torch.ones(2), torch.ones(2))
    kinds = [type(one).__name__ for one in found]
    true(all(isinstance(one, Tensor) for one in found), "two tensors were expected", given="two weights", actual=kinds)


# adam
@exercise("adam", points=0.5)
@for_all(gradients=streams(), beta1=sampled_from([0.0, 0.5, 0.9]), beta2=sampled_from([0.5, 0.9, 0.99]))
def test_any_gradients_lead_where_torchs_adam_goes(
    student: Student, gradients: Tensor, beta1: float, beta2: float
) -> None:
    expected = of_torch(torch.optim.Adam, gradients, ZEROS, lr=0.5, betas=(beta1, beta2), eps=0.125)
    weights, memory = ZEROS, (0, ZEROS, ZEROS)
    for number, gradient in enumerate(gradients):
        direction, memory = student.adam(gradient, memory, beta1, beta2, 0.125)
        weights = weights - 0.5 * torch.as_tensor(direction)
        close(weights, expected[number])


@exercise("adam")
def test_the_directions_do_not_depend_on_the_gradients_scale(student: Student) -> None:
    gradients = torch.randn(20, 3, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    found = []
    for scale in (1.0, 1000.0):
        memory, directions = (0, ZEROS, ZEROS), []
        for gradient in scale * gradients:
            direction, memory = student.adam(gradient, memory)
            directions.append(torch.as_tensor(direction))
        found.append(torch.stack(directions))
    close(found[1], found[0], given="twenty random gradients, times 1,000 against times 1")
    expected = of_torch(torch.optim.Adam, gradients, ZEROS, lr=1.0)
    close(-found[0].cumsum(dim=0), expected, given="twenty random gradients, lr = 1, against torch.optim.Adam")


@exercise("adam", points=0.5, needs="test_several_steps_agree_with_torch")
def test_gradients_of_zero_give_no_step_and_no_nan(student: Student) -> None:
    direction, _ = student.adam(torch.zeros(2), (0, torch.zeros(2), torch.zeros(2)))
    close(direction, [0.0, 0.0], given="a gradient 0 in the first step")


@exercise("adam", points=0.5, needs="test_several_steps_agree_with_torch")
def test_a_gradient_of_zero_lets_the_mean_roll_on(student: Student) -> None:
    one = torch.ones(1, dtype=torch.float64)
    _, memory = student.adam(2 * one, (0, 0 * one, 0 * one), 0.5, 0.75)
    direction, _ = student.adam(0 * one, memory, 0.5, 0.75)
    # m = 1, then 0.5, of the weight 0.75; v = 1, then 0.75, of the weight 0.4375.
    close(direction, [0.5 / 0.75 / math.sqrt(0.75 / 0.4375)], given="the gradients 2 and 0, betas 0.5 and 0.75: the second")


@exercise("adam", points=0.5, needs="test_several_steps_agree_with_torch")
def test_epsilon_counts_beside_a_tiny_gradient(student: Student) -> None:
    tiny, zero = torch.full((1,), 1e-8, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
    direction, _ = student.adam(tiny, (0, zero, zero))
    close(direction, [0.5], given="the gradient 10⁻⁸ in the first step, ε as it is: 10⁻⁸ / (10⁻⁸ + 10⁻⁸)")
    direction, _ = student.adam(tiny, (0, zero, zero), 0.9, 0.999, 0.0)
    close(direction, [1.0], given="the gradient 10⁻⁸ in the first step, ε = 0")


@exercise("adam", points=0.5, needs="test_several_steps_agree_with_torch")
def test_the_memory_counts_on(student: Student) -> None:
    one = torch.ones(1, dtype=torch.float64)
    _, (t, m, v) = student.adam(2 * one, (41, 4 * one, 8 * one), 0.5, 0.75)
    given = "memory (41, 4, 8), the gradient 2, betas 0.5 and 0.75; of the memory "
    equal(int(t), 42, given=given + "t")
    close(m, [3.0], given=given + "m")
    close(v, [7.0], given=given + "v")


@exercise("adam", points=0.5, needs="test_several_steps_agree_with_torch")
def test_the_correction_goes_on_after_many_steps(student: Student) -> None:
    steps, one = 1500, torch.ones(1, dtype=torch.float64)
    memory = (steps, 3 * (1 - 0.9**steps) * one, 9 * (1 - 0.999**steps) * one)  # of that many gradients 3
    direction, _ = student.adam(3 * one, memory)
    close(direction, [1.0], given="1,500 gradients 3, and one more: the direction")


# adam_step
@exercise("adam_step", points=0.5)
@for_all(gradients=streams(most=5), decay=sampled_from([0.0, 0.25, 1.0]), decoupled=booleans())
def test_any_gradients_lead_where_torchs_adamw_and_adam_go(
    student: Student, gradients: Tensor, decay: float, decoupled: bool
) -> None:
    start = torch.tensor([4.0, -3.0, 0.125], dtype=torch.float64)
    kind = torch.optim.AdamW if decoupled else torch.optim.Adam
    expected = of_torch(kind, gradients, start, lr=0.0625, weight_decay=decay)
    weights, memory = start, (0, ZEROS, ZEROS)
    for number, gradient in enumerate(gradients):
        weights, memory = student.adam_step(weights, gradient, memory, 0.0625, decay, decoupled)
        close(weights, expected[number])


@exercise("adam_step")
def test_decoupled_decay_shrinks_all_weights_alike_and_l2_does_not(student: Student) -> None:
    start, gradient = torch.tensor([1.0, 10.0, -100.0]).double(), torch.full((3,), 2.0, dtype=torch.float64)
    weights, _ = student.adam_step(start, gradient, (0, ZEROS, ZEROS), 0.01, 0.5)
    close(weights, start * 0.995 - 0.01, given="weights 1, 10, −100, gradient 2, lr 0.01, decay 0.5, decoupled")
    weights, _ = student.adam_step(start, gradient, (0, ZEROS, ZEROS), 0.01, 0.5, False)
    close(weights, [0.99, 9.99, -99.99], given="weights 1, 10, −100, gradient 2, lr 0.01, decay 0.5, not decoupled")


@exercise("adam_step", points=0.5, needs="test_both_agree_with_torch_over_several_steps")
def test_epsilon_is_adams_default_and_the_memory_counts_on(student: Student) -> None:
    one = torch.ones(1, dtype=torch.float64)
    for decoupled in (True, False):
        weights, _ = student.adam_step(0 * one, 1e-8 * one, (0, 0 * one, 0 * one), 1.0, 0.5, decoupled)
        close(weights, [-0.5], given=f"weight 0, gradient 10⁻⁸, lr 1, decay 0.5, decoupled: {decoupled}; the first step")
        _, (t, m, v) = student.adam_step(2 * one, one, (41, one, one), 0.1, 0.5, decoupled)
        given = f"weight 2, gradient 1, memory (41, 1, 1), lr 0.1, decay 0.5, decoupled: {decoupled}; of the memory "
        equal(int(t), 42, given=given + "t")
        close(m, [1.0 if decoupled else 1.1], given=given + "m")
        close(v, [1.0 if decoupled else 1.003], given=given + "v", rtol=1e-6)


# noam
@exercise("noam", points=0.5)
@for_all(step=integers(1, 5000), width=sampled_from([1, 16, 100, 512]), warmup=sampled_from([1, 10, 100, 4000]))
def test_any_step_has_the_rate_of_the_two_branches(student: Student, step: int, width: int, warmup: int) -> None:
    peak = 1 / math.sqrt(width * warmup)
    close(student.noam(step, width, warmup), peak * (step / warmup if step < warmup else math.sqrt(warmup / step)), atol=0)


@exercise("noam", points=0.5)
def test_rise_and_fall_meet_at_the_end_of_the_warm_up(student: Student) -> None:
    rates = [float(student.noam(step, 256, 40)) for step in range(1, 81)]
    equal(1 + max(range(80), key=rates.__getitem__), 40, given="d = 256, W = 40: the step of the highest rate")
    close(rates[20] - rates[19], rates[1] - rates[0], given="d = 256, W = 40: how much the rate rises at step 21")


@exercise("noam", points=0.5, needs="test_it_falls_with_the_root_of_the_steps_and_not_in_a_line")
def test_it_falls_without_an_end(student: Student) -> None:
    close(student.noam(1_000_000, 64, 100), 1 / 8000, atol=0, given="step 1,000,000, d = 64, W = 100: 1/100 of the peak")
    close(student.noam(4_000_000, 64, 100), 1 / 16000, atol=0, given="step 4,000,000, d = 64, W = 100: 1/200 of the peak")


# linear_decay
@exercise("linear_decay", points=0.5)
@for_all(step=integers(0, 60), warmup=integers(0, 20), more=integers(1, 30))
def test_any_step_has_the_factor_of_the_broken_line(student: Student, step: int, warmup: int, more: int) -> None:
    corners = ([0, warmup, warmup + more], [0, 1, 0]) if warmup else ([0, more], [1, 0])
    close(student.linear_decay(step, warmup + more, warmup), float(np.interp(step, *corners)))


@exercise("linear_decay", points=0.5, needs="test_the_way_down_is_a_line_to_0")
def test_after_the_last_step_it_stays_0(student: Student) -> None:
    close(student.linear_decay(101, 100, 10), 0.0, atol=1e-12, given="step 101 of 100, warm-up 10")
    close(student.linear_decay(1000, 100, 0), 0.0, atol=1e-12, given="step 1,000 of 100, no warm-up")


@exercise("linear_decay", points=0.5, needs="test_the_way_down_is_a_line_to_0")
def test_of_millions_of_steps_each_has_its_factor(student: Student) -> None:
    given = "7,000,000 steps of warm-up and 7,000,000 after it: "
    steps = 14_000_000
    for step, expected in ((3, 3 / 7e6), (6_999_999, 1 - 1 / 7e6), (7_000_001, 1 - 1 / 7e6), (steps - 3, 3 / 7e6)):
        close(student.linear_decay(step, steps, 7_000_000), expected, rtol=1e-7, atol=0, given=f"{given}step {step:,}")


@exercise("linear_decay", points=0.5, needs="test_the_way_up_is_a_line_from_0")
def test_a_warm_up_of_one_step_starts_at_0(student: Student) -> None:
    close(student.linear_decay(0, 5, 1), 0.0, given="step 0 of 5, warm-up 1")
    close(student.linear_decay(1, 5, 1), 1.0, given="step 1 of 5, warm-up 1")
    close(student.linear_decay(3, 5, 1), 0.5, given="step 3 of 5, warm-up 1")


# rectification
def mean_age(step: int, beta: float) -> float:
    """The mean age of the numbers in a running mean, weighted as they are in it; the newest has age 0."""
    ages = np.arange(step)
    weights = beta**ages
    return float((ages * weights).sum() / weights.sum())


@exercise("rectification", points=0.5)
@for_all(step=integers(1, 400), beta2=sampled_from([0.9, 0.98, 0.99, 0.999]))
def test_at_any_step_a_plain_mean_of_as_many_has_the_same_mean_age(student: Student, step: int, beta2: float) -> None:
    close(student.rectification(step, beta2)[0], 2 * mean_age(step, beta2) + 1)


@exercise("rectification")
@for_all(
    examples=40,
    step=integers(1, 300),
    beta2=sampled_from([0.9, 0.98, 0.999]),
    threshold=sampled_from([4.0, 4.75, 7.25]),
)
def test_any_factor_keeps_the_papers_variance(student: Student, step: int, beta2: float, threshold: float) -> None:
    def variance(rho: float) -> float:
        return rho / (2 * (rho - 2) * (rho - 4))  # the paper's equation for 1/√v̂, up to σ

    rho, last = 2 * mean_age(step, beta2) + 1, 2 / (1 - beta2) - 1
    if abs(rho - threshold) < 1e-3:  # which side it falls on is rounding
        return
    found = student.rectification(step, beta2, threshold)[1]
    if rho < threshold:
        equal(found, None)
    else:
        close(found, math.sqrt(variance(last) / variance(rho)))


@exercise("rectification", points=0.5, needs="test_with_the_threshold_of_common_code_step_6_is_the_first")
@for_all(examples=40, step=integers(6, 300), beta2=sampled_from([0.9, 0.98, 0.99, 0.999]))
def test_just_at_the_threshold_there_is_no_factor(student: Student, step: int, beta2: float) -> None:
    rho = float(student.rectification(step, beta2, 4.0)[0])
    close(rho, 2 * mean_age(step, beta2) + 1)
    if not 4 < rho < (2 / (1 - beta2) - 1) * (1 - 1e-6):
        return
    equal(student.rectification(step, beta2, rho)[1], None)


@exercise("rectification", points=0.5, needs="test_the_factor_is_that_of_torch")
def test_both_numbers_are_floats(student: Student) -> None:
    for step in (3, 30):
        rho, factor = student.rectification(step)
        given = f"step {step}, β₂ = 0.999"
        true(isinstance(plain(rho), float), "a float was expected for ρ", given=given, actual=rho)
        kind = factor is None if step == 3 else isinstance(plain(factor), float)
        true(kind, "r should be None at step 3, and a float at step 30", given=given, actual=factor)


# radam
@exercise("radam", points=0.5, needs="test_the_weights_after_each_step_are_those_of_torch")
def test_gradients_of_zero_never_give_nan(student: Student) -> None:
    zeros = torch.zeros(2, dtype=torch.float64)
    memory = (0, zeros, zeros)
    for step in range(1, 9):
        direction, memory = student.radam(zeros.clone(), memory)
        close(direction, [0.0, 0.0], given=f"all gradients 0: the direction of step {step}")
    _, (t, m, v) = student.radam(zeros + 2, (41, zeros + 4, zeros + 8), 0.5, 0.75)
    given = "memory (41, 4, 8), the gradient 2, betas 0.5 and 0.75; of the memory "
    equal(int(t), 42, given=given + "t")
    close(m, [3.0, 3.0], given=given + "m")
    close(v, [7.0, 7.0], given=given + "v")


@exercise("radam", points=0.5)
@for_all(gradients=streams(least=4, most=9), threshold=sampled_from([4.0, 5.0]), beta2=sampled_from([0.9, 0.999]))
def test_any_gradients_lead_where_algorithm_2_goes(
    student: Student, gradients: Tensor, threshold: float, beta2: float
) -> None:
    memory = (0, ZEROS, ZEROS)
    for number, gradient in enumerate(gradients):
        direction, memory = student.radam(gradient, memory, 0.75, beta2, 0.5, threshold)
        ages = torch.arange(number + 1).flip(0)[:, None]  # (t, 1): of the gradients so far
        mean = (0.75**ages * gradients[: number + 1]).sum(dim=0) / (0.75**ages).sum()  # (3,)
        square = (beta2**ages * gradients[: number + 1].square()).sum(dim=0) / (beta2**ages).sum()  # (3,)
        rho, last = 2 * mean_age(number + 1, beta2) + 1, 2 / (1 - beta2) - 1
        if rho > threshold:
            factor = (rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho)
            mean = math.sqrt(factor) * mean / (square.sqrt() + 0.5)
        close(direction, mean)


@exercise("radam", points=0.5)
def test_the_threshold_of_the_paper_rectifies_one_step_earlier(student: Student) -> None:
    found: dict[float, list[float]] = {4.0: [], 5.0: []}
    for threshold, directions in found.items():
        memory = (0, torch.zeros(1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64))
        for _ in range(6):
            direction, memory = student.radam(
                torch.full((1,), 3.0, dtype=torch.float64), memory, 0.9, 0.999, 1e-8, threshold
            )
            directions.append(float(direction[0]))
    close(found[4.0][:4], [3.0] * 4, given="all gradients 3, threshold 4: the first four directions")
    close(found[5.0][:5], [3.0] * 5, given="all gradients 3, threshold 5: the first five directions")
    true(
        found[4.0][4] < 0.1 and found[5.0][5] < 0.1,
        "the first rectified direction is far shorter than 1",
        given="all gradients 3: the directions",
        actual=found,
    )


# rank1_residual
@exercise("rank1_residual", points=0.5)
@for_all(x=inputs.tables(4, 3))
def test_any_tokens_are_as_far_as_the_nearest_table_of_equal_rows(student: Student, x: Tensor) -> None:
    table = x.double().numpy()
    if not table.any():
        return
    best = np.linalg.lstsq(np.ones((4, 1)), table, rcond=None)[0]  # (1, 3): the row that is nearest to all
    close(
        student.rank1_residual(x.double()),
        np.linalg.norm(table - best) / np.linalg.norm(table),
        atol=1e-5,
    )


@exercise("rank1_residual", points=0.5)
def test_a_single_token_is_like_itself(student: Student) -> None:
    close(student.rank1_residual(torch.tensor([[2.0, -1.0, 3.0]])), 0.0, given="one token (2, −1, 3)")
    close(
        student.rank1_residual(torch.tensor([[1.0], [2.0], [3.0]])),
        math.sqrt(2 / 14),
        given="three tokens of one number: 1, 2, 3",
    )


@exercise("rank1_residual", points=0.5, needs="test_the_lengths_are_those_of_the_whole_table")
def test_tokens_that_are_nearly_alike_still_differ(student: Student) -> None:
    found = []
    for a in (2.0**-17 + 2.0**-25, 2.0**-33):  # in float64 1 ± a and their mean are exact, in float32 neither is
        x = torch.tensor([[1 + a, 2.0, -1.0], [1 - a, 2.0, -1.0]], dtype=torch.float64)
        found.append(float(student.rank1_residual(x)) / a)
    given = "the tokens (1 + a, 2, −1) and (1 − a, 2, −1) in float64, a = 7.66e-6 and 1.16e-10; the shares, divided by a"
    close(found, [math.sqrt(1 / 6)] * 2, rtol=1e-3, atol=0, given=given)


@exercise("rank1_residual", points=0.5, needs="test_the_lengths_are_those_of_the_whole_table")
def test_every_one_of_many_tokens_counts(student: Student) -> None:
    x = torch.ones(600, 30)
    x[599, 29] = 31.0
    expected = 30 * math.sqrt(1 - 1 / 600) / math.sqrt(600 * 30 - 1 + 31**2)
    given = "600 tokens of 30 numbers, all 1 but the very last, 31"
    close(float(student.rank1_residual(x)), expected, rtol=1e-3, given=given)


@exercise("rank1_residual", points=0.5, needs="test_the_lengths_are_those_of_the_whole_table")
def test_very_short_tokens_are_no_more_alike(student: Student) -> None:
    x = 1e-10 * torch.tensor([[3.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
    given = "the tokens (3, 0) and (1, 0), times 1e-10"
    close(student.rank1_residual(x), math.sqrt(2 / 10), rtol=0.01, atol=0, given=given)


# The experiment's model, as the library's blocks give it: vocabulary, length, width and layers are the notebook's in all profiles.
VOCABULARY, LENGTH, WIDTH, LAYERS, BEYOND, TOKENS = 60, 8, 32, 6, 100_000, 20_000
POST, PRE = ("warm-up", "none", "RAdam"), ("warm-up", "none")  # what the recorded rows are


class Mirror(nn.Module):
    """The notebook's model, with its parameters in the same order."""

    def __init__(self, norm: str) -> None:
        super().__init__()
        config = BlockConfig(WIDTH, heads=2, inner=2 * WIDTH, dropout=0.0, attention_dropout=0.0, norm=norm)  # type: ignore[arg-type]
        self.tokens, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block(config) for _ in range(LAYERS))
        self.last_norm = nn.LayerNorm(WIDTH) if norm == "pre" else nn.Identity()
        self.out = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: Tensor) -> Tensor:
        x: Tensor = self.tokens(tokens) + self.places.weight  # (B, N, d)
        for block in self.blocks:
            x = block(x)
        scores = self.out(self.last_norm(x))  # (B, N, V)
        return nn.functional.cross_entropy(scores.flatten(0, 1), tokens.flip(1).flatten())


@functools.lru_cache(maxsize=2)
def _held_out(seed: int) -> Tensor:
    """Sequences of a text that the notebook's models have not seen, (R, N)."""
    texts = [
        [token for words in World("ko", seed=one).corpus(TOKENS, "morpheme") for token in words]
        for one in (seed, seed + BEYOND)
    ]
    common = Counter(texts[0]).most_common(VOCABULARY - 1)
    ids = {name: number for number, (name, _) in enumerate(common, start=1)}
    found = torch.tensor([ids.get(token, 0) for token in texts[1]])  # (T,)
    return found[: len(found) // LENGTH * LENGTH].reshape(-1, LENGTH)


def _loss(artifacts: Artifacts, norm: str, way: str) -> float:
    """What the recorded weights of one way of training lose on another text, in nats."""
    ways = POST if norm == "post" else PRE
    rows, model = artifacts.tensor(norm, ndim=2), Mirror(norm)
    expected = (len(ways), sum(parameter.numel() for parameter in model.parameters()))
    if tuple(rows.shape) != expected:
        raise BadArtifact(f"the tensor {norm!r} has shape {tuple(rows.shape)}, expected {expected}")
    vector_to_parameters(rows[ways.index(way)].float(), model.parameters())
    with torch.no_grad():
        return float(model(_held_out(artifacts.seed)))


@metric("post_gains_by_warmup")
def post_gains_by_warmup(artifacts: Artifacts) -> float:
    return _loss(artifacts, "post", "none") - _loss(artifacts, "post", "warm-up")


@metric("pre_gains_by_warmup")
def pre_gains_by_warmup(artifacts: Artifacts) -> float:
    return _loss(artifacts, "pre", "none") - _loss(artifacts, "pre", "warm-up")


@metric("radam_minus_adam")
def radam_minus_adam(artifacts: Artifacts) -> float:
    return _loss(artifacts, "post", "RAdam") - _loss(artifacts, "post", "none")


@metric("preln_slope")
def preln_slope(artifacts: Artifacts) -> float:
    return _slope(artifacts, "pre")


@metric("post_minus_pre_slope")
def post_minus_pre_slope(artifacts: Artifacts) -> float:
    return _slope(artifacts, "post") - _slope(artifacts, "pre")


def _slope(artifacts: Artifacts, norm: str) -> float:
    """The slope of the logarithm of the recorded gradient norms over that of the depths."""
    norms = artifacts.tensor(f"{norm}_norms", ndim=1).double().numpy()  # (D,)
    if len(norms) not in (4, 5) or (norms <= 0).any():
        raise BadArtifact(f"the tensor '{norm}_norms' is not a positive number for each of four or five depths")
    return float(np.polyfit(np.log([2, 4, 8, 16, 24][: len(norms)]), np.log(norms), 1)[0])


@metric("collapse_lg")
def collapse_lg(artifacts: Artifacts) -> float:
    """The recorded residuals are (2, stacks, layers): attention alone, and with skips."""
    residuals = artifacts.tensor("residuals", ndim=3).double()
    if residuals.size(0) != 2 or residuals.size(2) != 5 or bool(((residuals <= 0) | (residuals > 1.001)).any()):
        raise BadArtifact("the tensor 'residuals' does not hold shares above 0, for 2 kinds and 5 places")
    alone, skips = residuals[:, :, 2].log10().mean(dim=1)
    return float(skips - alone)
