"""Distillation (Hinton, Vinyals and Dean 2015): what its factor T² is for, what high temperatures come to, printed numbers."""

import torch
from torch import Tensor
from torch.nn import functional

from etude.lesson.checks import claim


def logits(seed: int) -> Tensor:
    return 3 * torch.randn(50, 9, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def gradient(student: Tensor, teacher: Tensor, temperature: float) -> Tensor:
    """Of the mean cross entropy with softened targets, without a factor, for the student's logits."""
    asked = student.clone().requires_grad_()
    loss = functional.cross_entropy(asked / temperature, (teacher / temperature).softmax(dim=1))
    return torch.autograd.grad(loss, asked)[0]


@claim("distill-t2")
def test_the_gradient_shrinks_by_t_squared_and_the_factor_gives_it_back() -> None:
    student, teacher = logits(1), logits(2)
    lengths = {t: float(gradient(student, teacher, t).norm()) for t in (50, 100, 200, 400)}
    for t in (50, 100, 200):
        assert 3.7 < lengths[t] / lengths[2 * t] < 4.1  # twice the temperature, a quarter of the gradient
    assert abs(400**2 * lengths[400] / (200**2 * lengths[200]) - 1) < 0.02


@claim("distill-logits")
def test_at_a_high_temperature_it_is_the_gradient_of_squared_differences_of_centred_logits() -> None:
    student, teacher = logits(3), logits(4)
    asked = student.clone().requires_grad_()
    centred = (asked - asked.mean(dim=1, keepdim=True)) - (teacher - teacher.mean(dim=1, keepdim=True))
    squares = torch.autograd.grad(centred.square().sum(dim=1).mean() / 2, asked)[0]
    limit = squares / student.shape[1]
    apart = {t: float((t**2 * gradient(student, teacher, t) - limit).norm() / limit.norm()) for t in (1, 64, 10_000)}
    assert apart[1] > 0.5
    assert apart[64] < 0.05
    assert apart[10_000] < 1e-3


@claim("distill-speech")
def test_the_distilled_model_keeps_over_80_percent_of_what_ten_models_gain() -> None:
    baseline, ensemble, distilled = 58.9, 61.1, 60.8  # Table 1, frames right
    assert 0.8 < (distilled - baseline) / (ensemble - baseline) < 0.9


@claim("distill-threes")
def test_14_errors_among_1010_threes_are_98_6_percent_right() -> None:
    assert round(100 * (1 - 14 / 1010), 1) == 98.6
