"""optimizers: the public checks. Expected values come from torch.optim, closed forms and hand counts."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student

START = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
GRADIENTS = torch.tensor(
    [[0.5, -1.0, 0.02], [0.25, 2.0, -0.04], [-1.0, 0.5, 0.01], [0.125, 0.25, 0.5], [2.0, -0.5, 0.25], [1.0, 1.0, -1.0]],
    dtype=torch.float64,
)  # (6, 3)
FIRST = GRADIENTS[0].clone()  # a row would be a view: what an answer writes into it would stay for the next one
ZEROS = torch.zeros(3, dtype=torch.float64)


def by_torch(optimizer: Callable[[list[Tensor]], torch.optim.Optimizer], gradients: Tensor = GRADIENTS) -> Tensor:
    """The weights after each step of an optimizer of torch that is given these gradients, (T, P): (T, P)."""
    weights = START[: gradients.size(1)].clone().requires_grad_()
    steps, found = optimizer([weights]), []
    for gradient in gradients:
        weights.grad = gradient.clone()
        steps.step()
        found.append(weights.detach().clone())
    return torch.stack(found)


def walk(directions: list[Tensor], lr: float = 0.1) -> Tensor:
    """The weights after each step along the directions: (T, P)."""
    return START - lr * torch.stack([torch.as_tensor(one) for one in directions]).cumsum(dim=0)


def by_adam(student: Student, name: str, gradients: Tensor, *settings: float) -> list[Tensor]:
    """The student's directions at each of the gradients, (T, P); `name` is adam or radam."""
    zeros = torch.zeros(gradients.size(1), dtype=torch.float64)
    memory, directions = (0, zeros, zeros), []
    for gradient in gradients.clone():
        direction, memory = student[name](gradient, memory, *settings)
        directions.append(direction)
    return directions


# clip_by_global_norm
PAIR = [torch.tensor([3.0, 0.0]), torch.tensor([[0.0], [4.0]])]


@exercise("clip_by_global_norm")
def test_the_norm_is_that_of_all_gradients_together_before_clipping(student: Student) -> None:
    _, norm = student.clip_by_global_norm(PAIR, 1.0)
    close(norm, 5.0, given="the gradients (3, 0) and ((0), (4)), limit 1; the norm")


@exercise("clip_by_global_norm")
def test_one_factor_shortens_all_gradients(student: Student) -> None:
    clipped, _ = student.clip_by_global_norm(PAIR, 1.0)
    close(clipped[0], [0.6, 0.0], given="the gradients (3, 0) and ((0), (4)), limit 1; the first")
    close(clipped[1], [[0.0], [0.8]], given="the gradients (3, 0) and ((0), (4)), limit 1; the second")


@exercise("clip_by_global_norm")
def test_gradients_within_the_limit_stay_as_they_are(student: Student) -> None:
    clipped, norm = student.clip_by_global_norm(PAIR, 10.0)
    close(clipped[0], [3.0, 0.0], given="the gradients (3, 0) and ((0), (4)), limit 10; the first")
    close(clipped[1], [[0.0], [4.0]], given="the gradients (3, 0) and ((0), (4)), limit 10; the second")
    close(norm, 5.0, given="the norm of the same")


# sgd
@exercise("sgd")
def test_the_first_direction_is_the_gradient(student: Student) -> None:
    direction, velocity = student.sgd(FIRST, ZEROS)
    close(direction, FIRST, given="the first step, velocity 0, β = 0.9: the direction")
    close(velocity, FIRST, given="the same: the velocity")


@exercise("sgd")
def test_equal_gradients_add_up(student: Student) -> None:
    one = torch.ones(1)
    direction, velocity = student.sgd(one, 2 * one, 0.5)
    close(direction, [2.0], given="gradient 1, velocity 2, β = 0.5: the direction")
    close(velocity, [2.0], given="gradient 1, velocity 2, β = 0.5: the velocity")
    direction, velocity = student.sgd(one, 4 * one, 0.75)
    close(direction, [4.0], given="gradient 1, velocity 4, β = 0.75: the direction")


@exercise("sgd")
def test_nesterov_looks_one_step_ahead(student: Student) -> None:
    direction, velocity = student.sgd(torch.ones(1), torch.full((1,), 4.0), 0.5, nesterov=True)
    close(velocity, [3.0], given="gradient 1, velocity 4, β = 0.5, Nesterov: the velocity")
    close(direction, [2.5], given="gradient 1, velocity 4, β = 0.5, Nesterov: the direction")


# adam
@exercise("adam")
def test_the_first_direction_is_the_sign_of_the_gradient(student: Student) -> None:
    direction, _ = student.adam(FIRST, (0, ZEROS, ZEROS))
    close(direction, [1.0, -1.0, 1.0], rtol=1e-5, given="the gradient (0.5, −1, 0.02) in the first step")


@exercise("adam")
def test_the_memory_counts_the_step_and_holds_means_without_correction(student: Student) -> None:
    _, (t, m, v) = student.adam(FIRST, (0, ZEROS, ZEROS))
    equal(int(t), 1, given="the first step: t of the memory")
    close(m, [0.05, -0.1, 0.002], given="the gradient (0.5, −1, 0.02) in the first step: m of the memory")
    close(v, [2.5e-4, 1e-3, 4e-7], atol=1e-12, given="the gradient (0.5, −1, 0.02) in the first step: v of the memory")


@exercise("adam")
def test_a_huge_epsilon_is_added_outside_of_the_root_after_the_correction(student: Student) -> None:
    direction, _ = student.adam(torch.full((1,), 4.0), (0, torch.zeros(1), torch.zeros(1)), 0.9, 0.999, 4.0)
    close(direction, [0.5], given="the gradient 4 in the first step, ε = 4: 4 / (4 + 4)")


@exercise("adam")
def test_several_steps_agree_with_torch(student: Student) -> None:
    expected = by_torch(lambda weights: torch.optim.Adam(weights, lr=0.1))
    actual = walk(by_adam(student, "adam", GRADIENTS))
    close(actual, expected, rtol=1e-6, given="the weights after each of six steps, lr = 0.1, against torch.optim.Adam")


# adam_step
@exercise("adam_step")
def test_decoupled_decay_goes_beside_the_step(student: Student) -> None:
    weights, _ = student.adam_step(START, ZEROS, (0, ZEROS, ZEROS), 0.1, 0.5)
    close(weights, [0.95, -1.9, 0.475], given="weights (1, −2, 0.5), gradient 0, lr 0.1, decay 0.5, decoupled")


@exercise("adam_step")
def test_l2_goes_through_adam(student: Student) -> None:
    weights, _ = student.adam_step(START, ZEROS, (0, ZEROS, ZEROS), 0.1, 0.5, decoupled=False)
    close(weights, [0.9, -1.9, 0.4], given="weights (1, −2, 0.5), gradient 0, lr 0.1, decay 0.5, not decoupled")


@exercise("adam_step")
def test_the_memory_knows_of_l2_and_not_of_decoupled_decay(student: Student) -> None:
    _, (t, m, _) = student.adam_step(START, ZEROS, (0, ZEROS, ZEROS), 0.1, 0.5)
    equal(int(t), 1, given="one step of AdamW: t of the memory")
    close(m, [0.0, 0.0, 0.0], given="gradient 0, decay 0.5, decoupled: m of the memory")
    _, (_, m, _) = student.adam_step(START, ZEROS, (0, ZEROS, ZEROS), 0.1, 0.5, decoupled=False)
    close(m, [0.05, -0.1, 0.025], given="weights (1, −2, 0.5), gradient 0, decay 0.5, not decoupled: m of the memory")


@exercise("adam_step")
def test_both_agree_with_torch_over_several_steps(student: Student) -> None:
    for decoupled, kind in ((True, torch.optim.AdamW), (False, torch.optim.Adam)):
        expected = by_torch(lambda weights, kind=kind: kind(weights, lr=0.1, weight_decay=0.25))  # type: ignore[misc]
        weights, memory = START, (0, ZEROS, ZEROS)
        for number, gradient in enumerate(GRADIENTS.clone()):
            weights, memory = student.adam_step(weights, gradient, memory, 0.1, 0.25, decoupled)
            given = f"lr 0.1, decay 0.25, after step {number + 1}, against torch.optim.{kind.__name__}"
            close(weights, expected[number], rtol=1e-6, given=given)


# noam
@exercise("noam")
def test_the_papers_highest_rate_is_at_step_4000(student: Student) -> None:
    close(student.noam(4000, 512, 4000), 1 / math.sqrt(512 * 4000), atol=0, given="step 4,000, d = 512, W = 4,000")


@exercise("noam")
def test_it_rises_in_a_line(student: Student) -> None:
    close(student.noam(1, 64, 100), 1 / 8000, atol=0, given="step 1, d = 64, W = 100: 1/100 of 1/(8 · 10)")
    close(student.noam(50, 64, 100), 1 / 160, atol=0, given="step 50, d = 64, W = 100: half of 1/(8 · 10)")


@exercise("noam")
def test_it_falls_with_the_root_of_the_steps_and_not_in_a_line(student: Student) -> None:
    close(student.noam(400, 64, 100), 1 / 160, atol=0, given="step 400, d = 64, W = 100: half of the rate at 100")
    close(student.noam(2500, 64, 100), 1 / 400, atol=0, given="step 2,500, d = 64, W = 100: a fifth of the rate at 100")


# linear_decay
@exercise("linear_decay")
def test_the_way_up_is_a_line_from_0(student: Student) -> None:
    close(student.linear_decay(1, 100, 10), 0.1, given="step 1 of 100, warm-up 10")
    close(student.linear_decay(5, 100, 10), 0.5, given="step 5 of 100, warm-up 10")
    close(student.linear_decay(10, 100, 10), 1.0, given="step 10 of 100, warm-up 10")


@exercise("linear_decay")
def test_the_way_down_is_a_line_to_0(student: Student) -> None:
    close(student.linear_decay(55, 100, 10), 0.5, given="step 55 of 100, warm-up 10")
    close(student.linear_decay(91, 100, 10), 0.1, given="step 91 of 100, warm-up 10")
    close(student.linear_decay(100, 100, 10), 0.0, given="step 100 of 100, warm-up 10")


@exercise("linear_decay")
def test_without_warm_up_there_is_the_way_down_alone(student: Student) -> None:
    close(student.linear_decay(0, 8, 0), 1.0, given="step 0 of 8, no warm-up")
    close(student.linear_decay(1, 8, 0), 0.875, given="step 1 of 8, no warm-up")
    close(student.linear_decay(6, 8, 0), 0.25, given="step 6 of 8, no warm-up")


# rectification
@exercise("rectification")
def test_the_first_step_counts_for_one_gradient(student: Student) -> None:
    for beta2 in (0.9, 0.99, 0.999):
        close(student.rectification(1, beta2)[0], 1.0, given=f"step 1, β₂ = {beta2}: ρ")


@exercise("rectification")
def test_in_the_end_it_counts_for_as_many_as_beta_says(student: Student) -> None:
    rho, factor = student.rectification(10_000, 0.9)
    close(rho, 19.0, given="step 10,000, β₂ = 0.9: ρ = 2/0.1 − 1")
    close(factor, 1.0, given="step 10,000, β₂ = 0.9: r")


@exercise("rectification")
def test_with_the_threshold_of_common_code_step_6_is_the_first(student: Student) -> None:
    found = [student.rectification(step)[1] for step in range(1, 8)]
    equal([one is None for one in found], [True] * 5 + [False] * 2, given="steps 1 to 7, β₂ = 0.999: whether r is None")


@exercise("rectification")
def test_with_the_papers_threshold_step_5_is_the_first(student: Student) -> None:
    found = [student.rectification(step, 0.999, 4.0)[1] for step in range(1, 7)]
    equal(
        [one is None for one in found],
        [True] * 4 + [False] * 2,
        given="steps 1 to 6, β₂ = 0.999, threshold 4: whether r is None",
    )


@exercise("rectification", points=0.5)
def test_the_threshold_is_for_rho_and_not_for_the_step(student: Student) -> None:
    # With β₂ = 0.9, step 8 counts for 6.91 gradients and step 9 for 7.62.
    found = [student.rectification(step, 0.9, 7.25)[1] for step in (8, 9)]
    equal([one is None for one in found], [True, False], given="steps 8 and 9, β₂ = 0.9, threshold 7.25: whether r is None")


def factors_of_torch(steps: int, beta2: float) -> list[float]:
    """How far torch.optim.RAdam goes in each step where all gradients are 1: then both means are 1, and the step is r."""
    weight = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer, found = torch.optim.RAdam([weight], lr=1.0, betas=(0.9, beta2), eps=0.0), []
    for _ in range(steps):
        before = float(weight.detach())
        weight.grad = torch.ones(1, dtype=torch.float64)
        optimizer.step()
        found.append(before - float(weight.detach()))
    return found


@exercise("rectification")
def test_the_factor_is_that_of_torch(student: Student) -> None:
    expected = factors_of_torch(100, 0.999)
    for step in (6, 7, 20, 100):
        factor = student.rectification(step)[1]
        true(factor is not None, "a factor was expected", given=f"step {step}, β₂ = 0.999", actual=factor)
        close(factor, expected[step - 1], given=f"step {step}, β₂ = 0.999: r")


# radam
@exercise("radam")
def test_the_first_direction_is_the_gradient_itself(student: Student) -> None:
    direction, (t, m, _) = student.radam(FIRST, (0, ZEROS, ZEROS))
    close(direction, FIRST, given="the gradient (0.5, −1, 0.02) in the first step")
    equal(int(t), 1, given="the first step: t of the memory")
    close(m, [0.05, -0.1, 0.002], given="the gradient (0.5, −1, 0.02) in the first step: m of the memory")


@exercise("radam")
def test_up_to_the_threshold_it_is_the_corrected_mean(student: Student) -> None:
    _, memory = student.radam(torch.full((1,), 4.0), (0, torch.zeros(1), torch.zeros(1)))
    direction, _ = student.radam(torch.full((1,), 2.0), memory)
    close(direction, [0.56 / 0.19], given="the gradients 4 and 2: the second direction, (0.9 · 0.4 + 0.1 · 2) / 0.19")


@exercise("radam", points=2)
def test_the_weights_after_each_step_are_those_of_torch(student: Student) -> None:
    gradients = torch.cat([GRADIENTS, GRADIENTS.flip(0)])  # (12, 3): rectified from the sixth on
    expected = by_torch(lambda weights: torch.optim.RAdam(weights, lr=0.1), gradients)
    actual = walk(by_adam(student, "radam", gradients))
    close(actual, expected, rtol=1e-5, given="the weights after each of twelve steps, lr = 0.1, against torch.optim.RAdam")


# rank1_residual
@exercise("rank1_residual", needs="test_the_lengths_are_those_of_the_whole_table")
def test_equal_tokens_have_none(student: Student) -> None:
    close(student.rank1_residual(torch.tensor([[1.0, 2.0, -1.0]] * 4)), 0.0, given="four times the token (1, 2, −1)")


@exercise("rank1_residual", needs="test_the_lengths_are_those_of_the_whole_table")
def test_opposite_tokens_have_nothing_in_common(student: Student) -> None:
    close(student.rank1_residual(torch.tensor([[1.0, 2.0], [-1.0, -2.0]])), 1.0, given="the tokens (1, 2) and (−1, −2)")


@exercise("rank1_residual")
def test_the_lengths_are_those_of_the_whole_table(student: Student) -> None:
    close(
        student.rank1_residual(torch.tensor([[3.0, 0.0], [1.0, 0.0]])),
        math.sqrt(2 / 10),
        given="the tokens (3, 0) and (1, 0): their mean is (2, 0)",
    )


@exercise("rank1_residual")
def test_longer_tokens_are_no_less_alike(student: Student) -> None:
    x = torch.tensor([[30.0, 0.0, 10.0], [10.0, 20.0, 0.0]])
    close(student.rank1_residual(x), math.sqrt(450 / 1500), given="the tokens (30, 0, 10) and (10, 20, 0)")

