"""Formulas that papers print, computed: schedules, activations, positions, masks, a rectified rate, a soft target."""

from fractions import Fraction
from itertools import permutations
from math import log, pi, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from etude.lesson.checks import claim

DENSE = torch.linspace(-6, 6, 1_200_001, dtype=torch.float64)


def noam(step: float, width: int = 512, warm_up: int = 4_000) -> float:
    """Vaswani et al. 2017, equation 3."""
    rate: float = width**-0.5 * min(step**-0.5, step * warm_up**-1.5)
    return rate


def berts_rate(step: float, peak: float = 1e-4, warm_up: int = 10_000, steps: int = 1_000_000) -> float:
    """Devlin et al. 2019, appendix A.2: up in a line, down in a line."""
    return peak * min(step / warm_up, (steps - step) / (steps - warm_up))


def test_the_transformers_rate_rises_in_a_line_to_7e_4_at_step_4000() -> None:
    assert noam(2_000) == pytest.approx(noam(4_000) / 2)
    assert f"{noam(4_000):.2e}" == "6.99e-04"
    assert max(range(1, 20_000, 100), key=noam) == 4_001


@claim("noam-shape")
def test_the_transformers_rate_falls_with_the_root_of_the_steps_and_not_in_a_line() -> None:
    assert noam(16_000) == pytest.approx(noam(4_000) / 2)
    assert f"{noam(100_000):.2e}" == "1.40e-04"
    line = (noam(4_000) + noam(100_000)) / 2
    assert noam(52_000) < 0.5 * line


@claim("bert-schedule")
def test_berts_rate_rises_to_1e_4_in_10000_steps_and_falls_in_a_line() -> None:
    assert berts_rate(5_000) == pytest.approx(5e-5)
    assert berts_rate(10_000) == 1e-4
    assert berts_rate(505_000) == pytest.approx(5e-5)
    assert berts_rate(1_000_000) == 0


@claim("gelu-tanh")
def test_the_tanh_formula_of_gelu_is_within_5e_4_of_it_and_farthest_at_2_7() -> None:
    exact = DENSE * torch.from_numpy(norm.cdf(DENSE.numpy()))
    formula = 0.5 * DENSE * (1 + torch.tanh(sqrt(2 / pi) * (DENSE + 0.044715 * DENSE**3)))
    error = (exact - formula).abs()
    assert f"{error.max().item():.2e}" == "4.73e-04"
    assert round(abs(DENSE[error.argmax()].item()), 2) == 2.70
    without_the_cube = 0.5 * DENSE * (1 + torch.tanh(sqrt(2 / pi) * (DENSE + 0.044715 * DENSE * 3)))
    assert (exact - without_the_cube).abs().max() > 0.01


def test_torchs_gelu_and_its_tanh_form_are_these_two_formulas() -> None:
    exact = DENSE * torch.from_numpy(norm.cdf(DENSE.numpy()))
    formula = 0.5 * DENSE * (1 + torch.tanh(sqrt(2 / pi) * (DENSE + 0.044715 * DENSE**3)))
    torch.testing.assert_close(torch.nn.functional.gelu(DENSE), exact)
    torch.testing.assert_close(torch.nn.functional.gelu(DENSE, approximate="tanh"), formula)


@claim("gelu-neg")
def test_gelu_has_a_gradient_for_negative_inputs_where_relu_has_none() -> None:
    x = torch.tensor([-1.0], dtype=torch.float64, requires_grad=True)
    [slope] = torch.autograd.grad(torch.nn.functional.gelu(x), x)
    [flat] = torch.autograd.grad(torch.relu(x), x)
    assert round(slope.item(), 3) == -0.083
    assert flat.item() == 0
    lowest = torch.nn.functional.gelu(DENSE).min(dim=0)
    assert (round(lowest.values.item(), 3), round(DENSE[lowest.indices].item(), 3)) == (-0.170, -0.752)


def sinusoids(positions: torch.Tensor, width: int) -> torch.Tensor:
    """Vaswani et al. 2017, section 3.5, as pairs (sin, cos): (..., width / 2, 2)."""
    rates = 10_000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = positions.to(torch.float64)[..., None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1)


@claim("tr-pe-once")
@given(offset=st.integers(-500, 500), width=st.sampled_from([2, 8, 64, 512]))
def test_moving_by_k_positions_turns_every_pair_of_the_encoding_by_one_angle(offset: int, width: int) -> None:
    here, there = sinusoids(torch.arange(100), width), sinusoids(torch.arange(100) + offset, width)
    sine, cosine = sinusoids(torch.tensor(offset), width).unbind(-1)  # (width / 2,)
    turned = [here[..., 0] * cosine + here[..., 1] * sine, here[..., 1] * cosine - here[..., 0] * sine]
    torch.testing.assert_close(torch.stack(turned, dim=-1), there)


def test_the_encoding_of_position_0_is_zeros_and_ones_and_all_encodings_are_equally_long() -> None:
    encoded = sinusoids(torch.arange(200), 64)
    assert torch.equal(encoded[0], torch.tensor([0.0, 1.0], dtype=torch.float64).expand(32, 2))
    torch.testing.assert_close((encoded**2).sum(dim=(1, 2)), torch.full((200,), 32.0, dtype=torch.float64))


@claim("tr-dhead")
def test_the_transformers_heads_have_width_64() -> None:
    layer = torch.nn.MultiheadAttention(512, 8)
    assert layer.head_dim == 64
    assert layer.out_proj.weight.shape == (8 * 64, 512)


def rho(step: int, beta: float = 0.999) -> float:
    """Liu et al. 2020, algorithm 2: the length of the simple average that the exponential one is worth."""
    return 2 / (1 - beta) - 1 - 2 * step * beta**step / (1 - beta**step)


@claim("radam-rho")
def test_radam_rectifies_from_step_5_with_the_papers_threshold_and_from_step_6_with_that_of_common_code() -> None:
    assert [round(rho(step), 2) for step in range(1, 7)] == [1.0, 2.0, 3.0, 4.0, 5.0, 5.99]
    assert rho(4) < 4
    assert next(step for step in range(1, 100) if rho(step) > 4) == 5
    assert next(step for step in range(1, 100) if rho(step) > 5) == 6


@claim("gradclip")
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20), st.floats(0.1, 10))
def test_a_clipped_gradient_is_never_longer_than_the_bound_and_a_short_one_is_left(
    values: list[float], bound: float
) -> None:
    weight = torch.zeros(len(values), dtype=torch.float64, requires_grad=True)
    weight.grad = torch.tensor(values, dtype=torch.float64)
    before = weight.grad.clone()
    torch.nn.utils.clip_grad_norm_([weight], bound)
    assert weight.grad.norm() <= bound * (1 + 1e-6)
    if before.norm() < bound * 0.999:
        torch.testing.assert_close(weight.grad, before)


@claim("tr-batch")
def test_500_words_of_32_sentences_are_16000_and_not_512_times_32() -> None:
    assert 500 * 32 == 16_000
    assert 512 * 32 == 16_384


@claim("mlm-801010")
def test_12_percent_of_all_tokens_become_mask_and_one_and_a_half_each_are_random_and_kept() -> None:
    chosen = Fraction(15, 100)
    shares = [chosen * Fraction(share, 100) for share in (80, 10, 10)]
    assert [float(100 * share) for share in shares] == [12.0, 1.5, 1.5]
    assert sum(shares) == chosen


def test_drawing_kept_and_random_tokens_independently_would_give_81_10_9() -> None:
    masked = Fraction(9, 10) * Fraction(9, 10)
    kept, swapped = Fraction(1, 10), Fraction(9, 10) * Fraction(1, 10)
    assert [int(100 * share) for share in (masked, kept, swapped)] == [81, 10, 9]


@claim("wwm-example")
def test_a_word_of_two_pieces_is_a_quarter_of_a_sentence_of_eight_pieces() -> None:
    assert Fraction(2, 8) > Fraction(15, 100)
    assert Fraction(1, 8) < Fraction(15, 100)


def sees(order: tuple[int, ...]) -> dict[int, set[int]]:
    """What each position may look at when the positions are predicted in this order."""
    return {position: set(order[:place]) for place, position in enumerate(order)}


@claim("xlnet-perm")
def test_four_tokens_have_24_orders_and_each_sees_every_other_in_half_of_them() -> None:
    orders = list(permutations([1, 2, 3, 4]))
    assert len(orders) == 24
    for one, other in permutations([1, 2, 3, 4], 2):
        assert sum(other in sees(order)[one] for order in orders) == 12


def test_in_the_order_3_2_4_1_the_third_token_sees_nothing_and_in_2_4_3_1_the_second_and_fourth() -> None:
    assert sees((3, 2, 4, 1)) == {3: set(), 2: {3}, 4: {3, 2}, 1: {3, 2, 4}}
    assert sees((2, 4, 3, 1))[3] == {2, 4}


@claim("distill-example")
def test_a_soft_target_of_70_15_3_2_10_percent_sums_to_one_and_has_0_95_nats() -> None:
    shares = [Fraction(share, 100) for share in (70, 15, 3, 2, 10)]
    assert sum(shares) == 1
    assert round(-sum(float(share) * log(share) for share in shares), 3) == 0.948


@claim("tinybert-wqkv")
def test_tinyberts_weights_of_queries_differ_in_shape_from_its_teachers_while_attention_scores_do_not() -> None:
    student, teacher = torch.nn.MultiheadAttention(312, 12), torch.nn.MultiheadAttention(768, 12)
    assert student.in_proj_weight.shape != teacher.in_proj_weight.shape
    scores = [
        layer(states, states, states, average_attn_weights=False)[1]
        for layer, states in ((student, torch.randn(7, 312)), (teacher, torch.randn(7, 768)))
    ]
    assert scores[0].shape == scores[1].shape == (12, 7, 7)


@claim("tinybert-proj")
def test_a_student_of_width_312_needs_a_map_of_312_by_768_to_be_compared_with_its_teacher() -> None:
    student, teacher, lift = torch.randn(7, 312), torch.randn(7, 768), torch.randn(312, 768)
    assert (student @ lift).shape == teacher.shape
    with pytest.raises(RuntimeError):
        teacher @ lift


def test_one_factor_for_all_residual_layers_keeps_their_sum_and_a_factor_that_falls_with_the_layer_does_not() -> None:
    """Radford et al. 2019, section 2.3: weights of residual layers times 1/√N, N their number."""
    layers = 2 * 48  # attention and feed-forward of the largest model
    assert sum(Fraction(1, layers) for _ in range(layers)) == 1  # variances of independent terms add up
    falling = sum(Fraction(1, layer) for layer in range(1, layers + 1))
    assert round(float(falling), 1) == 5.1
