"""generation: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import itertools
import math
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import DrawFn, composite, integers, lists, sampled_from, tuples
from torch import Tensor
from torch.nn import functional as F

from etude import pretrained_gpt
from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

OUT = -math.inf


def _normal(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def whole(value: Any) -> list[int]:
    """Whole numbers of the student's, in a row."""
    true("int" in str(getattr(value, "dtype", "int")), "whole numbers were expected", actual=value)
    return [int(one) for one in value]


# next_probabilities
@exercise("next_probabilities")
@for_all(
    logits=tuples(integers(1, 3), sampled_from([4, 1, 3])).flatmap(lambda sizes: inputs.tables(*sizes)),
    temperature=sampled_from([0, 0.25, 0.5, 1, 1.5, 3]),
)
def test_any_logits_give_the_odds_of_brute_force(student: Student, logits: Tensor, temperature: float) -> None:
    expected = []
    for row in logits.tolist():
        best = max(row)
        if temperature:
            weights = [math.exp((score - best) / temperature) for score in row]
        else:
            weights = [float(score == best) for score in row]
        expected.append([weight / sum(weights) for weight in weights])
    close(student.next_probabilities(logits, temperature), expected, atol=1e-5)


@exercise("next_probabilities", points=0.5, needs="test_at_temperature_one_it_is_the_softmax")
def test_numbers_of_double_precision_are_as_welcome(student: Student) -> None:
    logits = torch.tensor([[math.log(3), 0.0], [0.0, OUT]], dtype=torch.float64)
    close(student.next_probabilities(logits, 1.0), [[0.75, 0.25], [1.0, 0.0]], given="float64 logits (ln 3, 0), (0, −∞), T = 1")
    close(student.next_probabilities(logits, 0.0), [[1.0, 0.0], [1.0, 0.0]], given="the same, T = 0.0")


@exercise("next_probabilities", points=0.5, needs="test_at_temperature_zero_the_likeliest_has_everything")
def test_at_temperature_zero_the_least_gap_decides(student: Student) -> None:
    logits = torch.tensor([[1.0, 1 + 2**-20, 0.0]])
    close(student.next_probabilities(logits, 0), [[0.0, 1.0, 0.0]], given="logits (1, 1 + 2⁻²⁰, 0), T = 0")
    for gap in (2**-40, 2**-60):
        given = f"logits (0, {gap:.1g}, −{gap:.1g}, 0), T = 0"
        close(student.next_probabilities(torch.tensor([[0.0, gap, -gap, 0.0]]), 0), [[0.0, 1.0, 0.0, 0.0]], given=given)
    logits = torch.tensor([[1.0, 1 + 2**-40, 0.0]], dtype=torch.float64)
    close(student.next_probabilities(logits, 0), [[0.0, 1.0, 0.0]], given="float64 logits (1, 1 + 2⁻⁴⁰, 0), T = 0")


@exercise("next_probabilities", points=0.5, needs="test_odds_are_raised_to_one_over_the_temperature")
def test_a_temperature_near_zero_is_none_at_zero(student: Student) -> None:
    for temperature in (1e-5, 1e-9, 1e-13, 1e-20):
        logits = torch.tensor([[temperature * math.log(3), 0.0]])
        given = f"logits ({temperature:g} · ln 3, 0), T = {temperature:g}: odds of 3 to 1"
        close(student.next_probabilities(logits, temperature), [[0.75, 0.25]], given=given, rtol=0.01)


@exercise("next_probabilities", points=0.5, needs="test_odds_are_raised_to_one_over_the_temperature")
def test_a_temperature_may_be_high(student: Student) -> None:
    for temperature in (20, 1000.0, 10**7):
        logits = torch.tensor([[temperature * math.log(3), 0.0, OUT]])
        given = f"logits ({temperature:g} · ln 3, 0, −∞), T = {temperature:g}: odds of 3 to 1"
        close(student.next_probabilities(logits, temperature), [[0.75, 0.25, 0.0]], given=given, rtol=0.01)


@exercise("next_probabilities", points=0.5, needs="test_at_temperature_zero_the_likeliest_has_everything")
def test_many_share_at_temperature_zero(student: Student) -> None:
    logits = torch.zeros(2, 1500)
    logits[0, 5::100] = logits[1, 1499] = 2.0
    given = "1,500 logits in each of 2 rows: 15 are 2, then one is; all others are 0; T = 0"
    close(student.next_probabilities(logits, 0), (logits == 2) / torch.tensor([[15.0], [1.0]]), given=given)


@exercise("next_probabilities", points=0.5, needs="test_at_temperature_one_it_is_the_softmax")
def test_what_is_shut_out_has_nothing_however_low_the_others_are(student: Student) -> None:
    logits = torch.tensor([[-2001.0, OUT, -2000.0]])
    low = 1 / (1 + math.e)
    close(student.next_probabilities(logits, 1), [[low, 0.0, 1 - low]], given="logits (−2001, −∞, −2000), T = 1")
    for score in (-3e4, -3e9, -1e20):
        for temperature in (0, 1, 2):
            given = f"logits ({score:g}, −∞, {score:g}), T = {temperature}"
            found = student.next_probabilities(torch.tensor([[score, OUT, score]]), temperature)
            close(found, [[0.5, 0.0, 0.5]], given=given)


@exercise("next_probabilities", points=0.5, needs="test_at_temperature_one_it_is_the_softmax")
def test_probabilities_are_a_tensor(student: Student) -> None:
    for temperature in (0, 1):
        found = student.next_probabilities(torch.tensor([[1.0, 0.0]]), temperature)
        kind = str(getattr(found, "dtype", type(found).__name__))
        true(kind.startswith("torch.float"), "a tensor of floats was expected", given=f"T = {temperature}", actual=kind)


# draw
@composite
def thrown(draw: DrawFn) -> tuple[list[list[int]], list[float]]:
    """Rows of weights in 32nds, some 0, and for each a noise at a 32nd or half-way to the next."""
    rows, most = [], draw(sampled_from([3, 0, 1, 6]))
    for _ in range(draw(integers(1, 3))):
        cuts = sorted(draw(lists(integers(0, 32), min_size=most, max_size=most)))
        rows.append([after - before for before, after in itertools.pairwise([0, *cuts, 32])])
    halves = draw(lists(integers(0, 63), min_size=len(rows), max_size=len(rows)))
    return rows, [half / 64 for half in halves]


@exercise("draw")
@for_all(drawn=thrown())
def test_any_noise_finds_the_token_of_brute_force(student: Student, drawn: tuple[list[list[int]], list[float]]) -> None:
    rows, noise = drawn
    expected = []
    for row, point in zip(rows, noise, strict=True):
        line = [token for token, weight in enumerate(row) for _ in range(weight)]  # 32 places
        expected.append(line[int(point * 32)])
    probabilities = torch.tensor(rows, dtype=torch.float32) / 32
    equal(whole(student.draw(probabilities, torch.tensor(noise, dtype=torch.float32))), expected)


@exercise("draw", points=0.5)
def test_evenly_spread_noise_draws_as_often_as_the_probabilities_say(student: Student) -> None:
    weights, count = [1, 0, 7, 64, 20, 8, 0], 400
    noise = (torch.arange(count, dtype=torch.float64) + 0.5) / count
    probabilities = (torch.tensor([weights], dtype=torch.float64) / 100).expand(count, -1).clone()
    found = whole(student.draw(probabilities, noise))
    counts = [found.count(token) for token in range(len(weights))]
    given = "400 points evenly on the line, probabilities .01, 0, .07, .64, .2, .08, 0: how often each token is drawn"
    equal(counts, [4 * weight for weight in weights], given=given)


@exercise("draw", points=0.5, needs="test_the_noise_falls_into_a_stretch_of_the_line")
def test_one_int64_comes_back_for_each_row(student: Student) -> None:
    for count in (1, 3):
        found = student.draw(torch.full((count, 4), 0.25), torch.full((count,), 0.6))
        kind = str(getattr(found, "dtype", type(found).__name__))
        true(kind == "torch.int64", "a tensor of int64 was expected", given=f"{count} rows", actual=kind)
        equal(tuple(found.shape), (count,), given=f"{count} rows: the shape")


@exercise("draw", points=0.5, needs="test_the_noise_falls_into_a_stretch_of_the_line")
def test_a_narrow_stretch_at_an_end_is_found(student: Student) -> None:
    tiny = 2**-22  # the sums are exact in float32
    probabilities = torch.tensor([[tiny, 0.5, 0.5 - 2 * tiny, tiny]]).expand(2, -1).clone()
    given = "probabilities (2⁻²², ½, ½ − 2⁻²¹, 2⁻²²) twice, noise 0 and 1 − 2⁻²³"
    equal(whole(student.draw(probabilities, torch.tensor([0.0, 1 - tiny / 2]))), [0, 3], given=given)
    tiny = 2**-60
    probabilities = torch.tensor([[0.0, tiny, 1.0]]).expand(3, -1).clone()
    given = "probabilities (0, 2⁻⁶⁰, 1 in float32) three times, noise 0, 2⁻⁶¹ and 2⁻⁶⁰"
    equal(whole(student.draw(probabilities, torch.tensor([0.0, tiny / 2, tiny]))), [1, 1, 2], given=given)
    probabilities = torch.tensor([[0.5, 2**-40, 0.5 - 2**-40]], dtype=torch.float64)
    given = "float64 probabilities (½, 2⁻⁴⁰, ½ − 2⁻⁴⁰), noise ½"
    equal(whole(student.draw(probabilities, torch.tensor([0.5], dtype=torch.float64))), [1], given=given)


@exercise("draw", points=0.5, needs="test_any_noise_finds_the_token_of_brute_force")
def test_any_of_many_tokens_may_be_drawn(student: Student) -> None:
    tokens = [*range(3, 2048, 12), 2047]
    probabilities = torch.full((len(tokens), 2048), 2**-11)  # sums are exact
    noise = (torch.tensor(tokens) + 0.5) / 2048
    given = "2,048 tokens of equal probability, noise in the middle of the stretches of the tokens 3, 15, 27, …, 2047"
    equal(whole(student.draw(probabilities, noise)), tokens, given=given)


@exercise("draw", points=0.5, needs="test_the_noise_falls_into_a_stretch_of_the_line")
def test_the_last_possible_token_may_be_hardly_possible(student: Student) -> None:
    tiny = 2**-23
    probabilities = torch.tensor([[0.5, 0.5 - tiny, 2**-40, 0.0]])
    given = "probabilities (½, ½ − 2⁻²³, 2⁻⁴⁰, 0), which sum to less than the noise 1 − 2⁻²⁴"
    equal(whole(student.draw(probabilities, torch.tensor([1 - tiny / 2]))), [2], given=given)


# top_k
@exercise("top_k")
@for_all(logits=tuples(integers(1, 3), sampled_from([5, 1, 2])).flatmap(lambda sizes: inputs.tables(*sizes)), k=integers(1, 7))
def test_any_token_stays_unless_k_others_are_likelier(student: Student, logits: Tensor, k: int) -> None:
    expected = [
        [score if sum(other > score for other in row) < k else OUT for score in row] for row in logits.tolist()
    ]
    close(student.top_k(logits, k), expected)


@exercise("top_k", points=0.5, needs="test_the_k_largest_logits_stay_where_they_are")
def test_what_was_shut_out_stays_out(student: Student) -> None:
    logits = torch.tensor([[OUT, 2.0, OUT, 1.0]], dtype=torch.float64)
    close(student.top_k(logits, 1), [[OUT, 2.0, OUT, OUT]], given="float64 logits (−∞, 2, −∞, 1), k = 1")
    close(student.top_k(logits, 3), [[OUT, 2.0, OUT, 1.0]], given="float64 logits (−∞, 2, −∞, 1), k = 3")


@exercise("top_k", points=0.5, needs="test_the_k_largest_logits_stay_where_they_are")
def test_the_least_gap_shuts_out(student: Student) -> None:
    close(student.top_k(torch.tensor([[1.0, 1 + 2**-20, 0.0]]), 1), [[OUT, 1.0, OUT]], given="logits (1, 1 + 2⁻²⁰, 0), k = 1")
    logits = torch.tensor([[1.0, 1 + 2**-40, 0.0]], dtype=torch.float64)
    close(student.top_k(logits, 1), [[OUT, 1.0, OUT]], given="float64 logits (1, 1 + 2⁻⁴⁰, 0), k = 1")
    for gap in (2**-40, 2**-60):
        given = f"logits (0, {gap:.1g}, −{gap:.1g}), k ="
        close(student.top_k(torch.tensor([[0.0, gap, -gap]]), 1), [[OUT, gap, OUT]], given=f"{given} 1")
        close(student.top_k(torch.tensor([[0.0, gap, -gap]]), 2), [[0.0, gap, OUT]], given=f"{given} 2")


def _as_they_are(found: Any, expected: Tensor, given: str) -> None:
    """The same numbers to the last bit, in a tensor of the same type."""
    equal(str(getattr(found, "dtype", type(found).__name__)), str(expected.dtype), given=f"{given}; the type of the result")
    equal(found.tolist(), expected.tolist(), given=given)


@exercise("top_k", points=0.5, needs="test_the_k_largest_logits_stay_where_they_are")
def test_the_logits_that_stay_are_the_same_numbers(student: Student) -> None:
    for dtype in (torch.float32, torch.float64):
        logits = torch.tensor([[math.pi * 1e4, -1 / 3, math.e * 1e-9, -1e6 / 7]], dtype=dtype)
        expected = logits.clone()
        expected[0, 3] = OUT
        given = f"logits 10⁴ π, −1/3, 10⁻⁹ e, −10⁶/7 of {dtype}, k = 3"
        _as_they_are(student.top_k(logits, 3), expected, given)
        _as_they_are(student.top_k(logits, 4), logits, f"{given} + 1")


@exercise("top_k", points=0.5, needs="test_the_k_largest_logits_stay_where_they_are")
def test_the_unlikeliest_tokens_differ_too(student: Student) -> None:
    given = "logits (0, −300, −200), k = 2: the probabilities of the last two are 0 in float32"
    close(student.top_k(torch.tensor([[0.0, -300.0, -200.0]]), 2), [[0.0, OUT, -200.0]], given=given)


@exercise("top_k", points=0.5, needs="test_the_k_largest_logits_stay_where_they_are")
def test_many_may_stay(student: Student) -> None:
    logits = [float(7 * place % 600) for place in range(600)]  # each of 0 to 599 once
    for k in (45, 500):
        expected = [[score if score >= 600 - k else OUT for score in logits]]
        close(student.top_k(torch.tensor([logits]), k), expected, given=f"the logits 0 to 599, mixed, k = {k}")


# top_p
@composite
def nuclei(draw: DrawFn) -> tuple[list[list[int]], int]:
    """Rows of weights in hundredths, sum 100, ties frequent; p in halves of a hundredth, so that no sum meets it."""
    count = draw(integers(2, 6))
    rows = []
    for _ in range(draw(integers(1, 3))):
        cuts = sorted(draw(lists(sampled_from([10, 20, 25, 40, 50, 60, 75, 90, 97]), min_size=count - 1, max_size=count - 1)))
        rows.append(np.diff([0, *cuts, 100]).tolist())
    return rows, draw(integers(0, 99))


@exercise("top_p", points=1.5)
@for_all(drawn=nuclei())
def test_any_nucleus_is_the_smallest_that_suffices(student: Student, drawn: tuple[list[list[int]], int]) -> None:
    rows, hundredths = drawn
    logits = (torch.tensor(rows, dtype=torch.float64) / 100).log()
    p = (hundredths + 0.5) / 100
    found = torch.as_tensor(student.top_p(logits, p).tolist())
    true(found.shape == logits.shape, "a table like the logits was expected", actual=found)
    for row, left, before in zip(rows, found, logits, strict=True):
        kept = [token for token, value in enumerate(left.tolist()) if value != OUT]
        sums = list(itertools.accumulate(sorted(row, reverse=True)))
        needed = next(n for n, total in enumerate(sums, 1) if total >= hundredths + 0.5)
        equal(len(kept), needed, given="how many tokens stay")
        equal(sorted((row[token] for token in kept), reverse=True), sorted(row, reverse=True)[:needed], given="their hundredths")
        close(left[kept].tolist(), before[kept].tolist(), given="their logits")


@exercise("top_p", points=0.5, needs="test_tokens_stay_until_their_probabilities_reach_p")
def test_what_was_shut_out_before_stays_out_and_counts_nothing(student: Student) -> None:
    logits = torch.tensor([[OUT, math.log(3), 0.0, OUT], [5.0, OUT, OUT, OUT]])
    given = "logits (−∞, ln 3, 0, −∞) and (5, −∞, −∞, −∞), p ="
    close(student.top_p(logits, 0.7), [[OUT, math.log(3), OUT, OUT], [5.0, OUT, OUT, OUT]], given=f"{given} .7")
    close(student.top_p(logits, 0.8), logits, given=f"{given} .8")
    close(student.top_p(logits, 1), logits, given=f"{given} 1")
    for score in (-3e4, -3e9, -1e20):
        logits = torch.tensor([[score, OUT, score]])
        close(student.top_p(logits, 0.8), logits, given=f"logits ({score:g}, −∞, {score:g}), p = .8")


@exercise("top_p", points=0.5, needs="test_tokens_stay_until_their_probabilities_reach_p")
def test_the_logits_that_stay_are_the_same_numbers_after_top_p(student: Student) -> None:
    for dtype in (torch.float32, torch.float64):
        logits = torch.tensor([[100 / 3, math.pi * 11, 1 / 7, 33.1]], dtype=dtype)
        expected = logits.clone()
        expected[0, 2] = OUT
        given = f"logits 33⅓, 11 π, 1/7 and 33.1 of {dtype}, p = .98: probabilities .19, .66, 0 and .15"
        _as_they_are(student.top_p(logits, 0.98), expected, given)


@exercise("top_p", points=0.5, needs="test_tokens_stay_until_their_probabilities_reach_p")
def test_huge_logits_do_not_overflow(student: Student) -> None:
    logits = torch.tensor([[1000.0, 999.0, 990.0]])
    given = "logits (1000, 999, 990): probabilities .73, .27, .00003, p = .9"
    close(student.top_p(logits, 0.9), [[1000.0, 999.0, OUT]], given=given)
    logits = torch.tensor([[-2000.0, OUT, -2001.0]])
    given = "logits (−2000, −∞, −2001): probabilities .73, 0, .27"
    close(student.top_p(logits, 0.7), [[-2000.0, OUT, OUT]], given=f"{given}, p = .7")
    close(student.top_p(logits, 0.8), logits, given=f"{given}, p = .8")


def _counts(student: Student, logits: Tensor, p: float, given: str) -> list[int]:
    """How many tokens stay in each row."""
    found = student.top_p(logits, p)
    true(tuple(getattr(found, "shape", ())) == tuple(logits.shape), "a table like the logits was expected", given=given)
    return [sum(value != OUT for value in row) for row in found.tolist()]


@exercise("top_p", points=0.5, needs="test_tokens_stay_until_their_probabilities_reach_p")
def test_a_sum_of_exactly_p_is_enough(student: Student) -> None:
    given = "two equal logits, p = ½: how many stay"
    equal(_counts(student, torch.zeros(1, 2), 0.5, given), [1], given=given)
    for p, count in ((0.25, 1), (0.5, 2), (0.75, 3), (1.0, 4), (1, 4)):
        given = f"four equal logits, p = {p}: how many stay"
        equal(_counts(student, torch.zeros(1, 4), p, given), [count], given=given)
    for p, count in ((3 / 1024, 3), (0.5, 512), (1023 / 1024, 1023)):
        given = f"1,024 equal logits twice, p = {p}: how many stay"
        equal(_counts(student, torch.ones(2, 1024), p, given), [count, count], given=given)


@exercise("top_p", points=0.5, needs="test_tokens_stay_until_their_probabilities_reach_p")
def test_one_of_equals_stays_where_p_is_zero(student: Student) -> None:
    for p in (0, 0.0, 1e-12):
        given = f"rows of four equal logits and of two likeliest ones, p = {p}: how many stay"
        equal(_counts(student, torch.tensor([[1.0, 1.0, 1.0, 1.0], [0.0, 2.0, 2.0, 1.0]]), p, given), [1, 1], given=given)
    for p in (0, 0.5, 1):
        given = f"three rows of one token, p = {p}: how many stay"
        equal(_counts(student, torch.tensor([[3.0], [-2.0], [0.0]]), p, given), [1, 1, 1], given=given)


@exercise("top_p", points=0.5, needs="test_tokens_stay_until_their_probabilities_reach_p")
def test_half_a_thousandth_decides(student: Student) -> None:
    logits = torch.tensor([[0.249, 0.5, 0.251]]).log()
    for p, count in ((0.7505, 2), (0.7515, 3)):
        given = f"probabilities .249, .5, .251, p = {p}: how many stay"
        equal(_counts(student, logits, p, given), [count], given=given)


@exercise("top_p", points=0.5, needs="test_tokens_stay_until_their_probabilities_reach_p")
def test_p_of_one_leaves_all_that_counts(student: Student) -> None:
    logits = 2 * _normal(200, 100, seed=11)  # of some rows rounding leaves a sum below 1
    given = "200 rows of 100 random logits, p = 1: the probability of what stays"
    found = student.top_p(logits, 1.0)
    true(tuple(getattr(found, "shape", ())) == (200, 100), "a table like the logits was expected", given=given)
    stays = torch.tensor(found.tolist()) != OUT
    left = (logits.double().softmax(dim=-1) * stays).sum(dim=-1)
    close(left, torch.ones(200), given=given)


# penalize
@composite
def written(draw: DrawFn) -> tuple[Tensor, list[list[int]], float]:
    """Logits (B, 4), texts (B, N) of ids below 4, a penalty."""
    rows, length = draw(integers(1, 3)), draw(integers(0, 5))
    texts = [draw(lists(integers(0, 3), min_size=length, max_size=length)) for _ in range(rows)]
    return draw(inputs.tables(rows, 4)), texts, draw(sampled_from([1.0, 1.25, 2.0, 1, 4, 50.0]))


@exercise("penalize")
@for_all(drawn=written())
def test_any_text_lowers_its_tokens_as_brute_force_does(
    student: Student, drawn: tuple[Tensor, list[list[int]], float]
) -> None:
    logits, texts, penalty = drawn
    expected = logits.double().tolist()
    for row, text in zip(expected, texts, strict=True):
        for token in set(text):
            row[token] = min(row[token] * penalty, row[token] / penalty)
    ids = torch.tensor(texts, dtype=torch.int64).reshape(len(texts), -1)
    close(student.penalize(logits, ids, penalty), expected)


@exercise("penalize", points=0.5, needs="test_logits_below_zero_are_multiplied")
def test_what_was_shut_out_stays_out_of_the_choice(student: Student) -> None:
    logits = torch.tensor([[OUT, 2.0, -1.0]], dtype=torch.float64)
    given = "float64 logits (−∞, 2, −1), the text 0 2, penalty 1.2"
    close(student.penalize(logits, torch.tensor([[0, 2]]), 1.2), [[OUT, 2.0, -1.2]], given=given)


@exercise("penalize", points=0.5, needs="test_logits_below_zero_are_multiplied")
def test_small_and_large_logits_are_lowered_alike(student: Student) -> None:
    for dtype in (torch.float32, torch.float64):
        for size in (2.0**-60, 2.0**-20, 2.0**40):
            logits = torch.tensor([[4 * size, -4 * size, size, -size / 3, 0.0]], dtype=dtype)
            expected = logits * torch.tensor([[0.5, 2.0, 0.5, 1.0, 1.0]])
            given = f"logits (4, −4, 1, −1/3, 0) · {size:.2g} of {dtype}, the text 0 1 2 4, penalty 2"
            _as_they_are(student.penalize(logits, torch.tensor([[0, 1, 2, 4]]), 2.0), expected, given)


@exercise("penalize", points=0.5, needs="test_logits_above_zero_are_divided")
def test_a_token_counts_however_long_ago_it_was_written(student: Student) -> None:
    text = torch.tensor([[0] + [1] * 599])
    given = "logits (4, 3, 2), the text 0 and then 1 599 times, penalty 2"
    close(student.penalize(torch.tensor([[4.0, 3.0, 2.0]]), text, 2.0), [[2.0, 1.5, 2.0]], given=given)


# attend
def _one_by_one(queries: Tensor, keys: Tensor, values: Tensor, past: tuple[Tensor, Tensor] | None = None) -> Tensor:
    """Query by query, over the keys up to its own place."""
    if past is not None:
        keys, values = torch.cat([past[0], keys], dim=2), torch.cat([past[1], values], dim=2)
    kept = keys.size(2) - queries.size(2)
    rows = []
    for n in range(queries.size(2)):
        seen = slice(0, kept + n + 1)
        scores = torch.einsum("bhd,bhmd->bhm", queries[:, :, n], keys[:, :, seen]) / queries.size(-1) ** 0.5
        rows.append(torch.einsum("bhm,bhmd->bhd", scores.softmax(dim=-1), values[:, :, seen]))
    return torch.stack(rows, dim=2)


@exercise("attend", points=1.5)
@for_all(
    sizes=lists(integers(1, 3), min_size=4, max_size=4), kept=integers(0, 4), number=integers(0, 30), examples=40
)
def test_any_chunk_after_any_past_agrees_with_one_query_after_another(
    student: Student, sizes: list[int], kept: int, number: int
) -> None:
    batch, heads, new, width = sizes
    parts = [_normal(batch, heads, new, width, seed=10 * number + n).double() for n in range(3)]
    before = [_normal(batch, heads, kept, width, seed=10 * number + n).double() for n in (3, 4)]
    past = (before[0], before[1]) if kept or number % 2 else None
    found = student.attend(*parts, past)
    true(len(found) == 2 and len(found[1]) == 2, "the output and (keys, values) were expected")
    close(found[0], _one_by_one(parts[0], parts[1], parts[2], past), atol=1e-5)
    close(found[1][0], torch.cat([before[0], parts[1]], dim=2), given="the keys that are kept")
    close(found[1][1], torch.cat([before[1], parts[2]], dim=2), given="the values that are kept")


@exercise("attend", points=0.5, needs="test_a_prompt_sees_no_later_token")
def test_huge_scores_do_not_overflow_in_a_prompt(student: Student) -> None:
    queries, keys = torch.full((1, 1, 2, 1), 100.0), torch.tensor([[[[1.0], [-1.0]]]])
    given = "queries 100, keys 1 and −1, values 2 and 6"
    output, _ = student.attend(queries, keys, torch.tensor([[[[2.0], [6.0]]]]))
    close(output, [[[[2.0], [2.0]]]], given=given)


@exercise("attend", points=0.5, needs="test_a_prompt_sees_no_later_token")
def test_a_later_token_is_not_seen_however_high_its_score(student: Student) -> None:
    queries, keys = torch.full((1, 1, 2, 1), 1000.0), torch.tensor([[[[-1000.0], [1000.0]]]])
    given = "queries 1000, keys −1000 and 1000, values 2 and 6"
    output, _ = student.attend(queries, keys, torch.tensor([[[[2.0], [6.0]]]]))
    close(output, [[[[2.0], [6.0]]]], given=given)
    given = "queries 10⁸, keys −10⁸ and 10⁸, values 2 and 6"
    output, _ = student.attend(1e5 * queries, 1e5 * keys, torch.tensor([[[[2.0], [6.0]]]]))
    close(output, [[[[2.0], [6.0]]]], given=given)


@exercise("attend", points=0.5, needs="test_new_tokens_see_all_that_was_kept")
def test_high_scores_keep_their_gaps(student: Student) -> None:
    one = torch.ones(1, 1, 1, 1)
    for score in (80.0, -80.0):
        past = (score * one, 2 * one)
        given = f"query 1, key {score:g} and value 2 kept, key {score:g} + ln 3 and value 6 new: weights ¼ and ¾"
        output, _ = student.attend(one, (score + math.log(3)) * one, 6 * one, past)
        close(output, 5 * one, given=given)
    for score in (300.0, 20_000.0, 1e6, 1e9):
        for sign in (1, -1):
            given = f"query 1, key {sign * score:g} and value 2 kept, key {sign * score / 2:g} and value 6 new"
            output, _ = student.attend(one, sign * score / 2 * one, 6 * one, (sign * score * one, 2 * one))
            close(output, (2 if sign > 0 else 6) * one, given=given)


@exercise("attend", points=0.5, needs="test_new_tokens_see_all_that_was_kept")
def test_a_long_chunk_may_follow_a_long_past(student: Student) -> None:
    queries, keys, values = (_normal(2, 5, 130, 8, seed=n) for n in (21, 22, 23))
    before = (_normal(2, 5, 90, 8, seed=24), _normal(2, 5, 90, 8, seed=25))
    given = "2 texts, 5 heads, d = 8, 90 tokens kept and 130 new ones, random numbers"
    output, kept = student.attend(queries, keys, values, before)
    close(output, _one_by_one(queries, keys, values, before), given=given, atol=1e-5)
    close(kept[0], torch.cat([before[0], keys], dim=2), given=f"{given}: the keys that are kept")


@exercise("attend", points=0.5, needs="test_new_tokens_see_all_that_was_kept")
def test_what_was_kept_long_ago_counts(student: Student) -> None:
    values = torch.arange(600.0).view(1, 1, 600, 1)
    zeros = torch.zeros_like(values)
    given = "queries and keys 0, the values 0 to 598 kept, 599 new: the mean of all, 299.5"
    output, kept = student.attend(zeros[:, :, :1], zeros[:, :, :1], values[:, :, -1:], (zeros[:, :, :-1], values[:, :, :-1]))
    close(output, [[[[299.5]]]], given=given)
    close(kept[1], values, given="the values that are kept")


# complete_text
@composite
def cut_bytes(draw: DrawFn) -> list[bytes]:
    """A text cut anywhere into pieces, some of them empty; the last character may lack bytes."""
    text = draw(inputs.texts()) + draw(sampled_from(["", "눈", "배 ", "é", "😀", "aé눈😀b"]))
    raw = text.encode("utf-8", errors="ignore")
    raw = raw[: len(raw) - draw(integers(0, min(3, len(raw))))]
    cuts = sorted(draw(lists(integers(0, len(raw)), max_size=8)))
    return [raw[start:stop] for start, stop in itertools.pairwise([0, *cuts, len(raw)])]


@exercise("complete_text", points=1.5)
@for_all(pieces=cut_bytes())
def test_any_cut_shows_each_character_as_soon_as_it_is_whole(student: Student, pieces: list[bytes]) -> None:
    shown, expected = 0, []
    for count in range(1, len(pieces) + 1):
        text = b"".join(pieces[:count]).decode("utf-8", errors="ignore")  # drops the incomplete end
        expected.append(text[shown:])
        shown = len(text)
    equal(list(student.complete_text(pieces)), expected)


@exercise("complete_text", points=0.5, needs="test_whole_characters_are_shown_at_once")
def test_without_pieces_nothing_is_shown(student: Student) -> None:
    equal(list(student.complete_text([])), [], given="no pieces")
    equal(list(student.complete_text([b"", b"a", b""])), ["", "a", ""], given="an empty piece, a, an empty piece")


@exercise("complete_text", points=0.5, needs="test_a_character_waits_for_its_last_byte")
def test_the_sign_of_replacement_may_be_a_part_of_the_text(student: Student) -> None:
    raw = "a\ufffd눈".encode()
    pieces = [raw[:2], raw[2:5], raw[5:]]
    equal(list(student.complete_text(pieces)), ["a", "\ufffd", "눈"], given="a, U+FFFD and 눈 in three pieces: 61 EF | BF BD EB | 88 88")


@exercise("complete_text", points=0.5, needs="test_whole_characters_are_shown_at_once")
def test_nothing_of_the_text_is_changed(student: Student) -> None:
    for text, given in (
        ("\ufeffwe", "U+FEFF and we"),
        ("we\ufeff", "we and U+FEFF"),
        ("\u0301e\u0301", "U+0301, e and U+0301, an accent that joins what stands before it"),
        ("we\u2028saw\x85\x1b\x7f", "we, U+2028, saw, U+0085, ESC, DEL"),
        ("&amp; \\n \\xeb \ufb01", "&amp; \\n \\xeb and the ligature fi"),
        ("we\r\nsaw\ra", "we, CR LF, saw, CR, a"),
        ("e\u0301", "e and U+0301, the accent that joins it"),
        ("\u1102\u116e\u11ab", "눈 as three letters: U+1102, U+116E, U+11AB"),
        ("a\x00b", "a, NUL, b"),
    ):
        equal(list(student.complete_text([text.encode()])), [text], given=f"{given}, in one piece")
        given = f"a space and then {given}, in two pieces"
        equal(list(student.complete_text([b" ", text.encode()])), [" ", text], given=given)


@exercise("complete_text", points=0.5, needs="test_a_character_may_come_byte_by_byte")
def test_the_first_and_the_last_characters_of_each_length(student: Student) -> None:
    text = "\x00\x7f\x80\xbf\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0003fffd\U0010ffff"
    for character in text:
        raw = character.encode()
        pieces, given = [bytes([byte]) for byte in raw], f"U+{ord(character):04X} byte by byte, then a"
        equal(list(student.complete_text([*pieces, b"a"])), [*[""] * (len(raw) - 1), character, "a"], given=given)
        given = f"U+{ord(character):04X} in one piece, then all of its bytes but the last"
        equal(list(student.complete_text([raw, raw[:-1]])), [character, ""], given=given)


@exercise("complete_text", points=0.5, needs="test_a_character_waits_for_its_last_byte")
def test_a_call_knows_nothing_of_the_one_before(student: Student) -> None:
    equal(list(student.complete_text([b"a\xeb\x88"])), ["a"], given="61 EB 88")
    equal(list(student.complete_text([b"b", b"\xeb", b"\x88\x88"])), ["b", "", "눈"], given="after another text: b | EB | 88 88")


@exercise("complete_text", points=0.5, needs="test_any_cut_shows_each_character_as_soon_as_it_is_whole")
def test_a_text_may_come_in_many_pieces(student: Student) -> None:
    for count in (12, 600):
        pieces = [b"a"] * count + [b"\xeb\x88", b"\x88"]
        equal(list(student.complete_text(pieces)), ["a"] * count + ["", "눈"], given=f"{count} pieces a, then EB 88 | 88")
    long = "눈 é " * 2000
    given = "a piece of 10,000 characters, one of a letter"
    equal(list(student.complete_text([long.encode(), b"b"])), [long, "b"], given=given)


# distinct
def _share(student: Student, texts: list[Any], n: int, given: str) -> float:
    """The student's number, which may be a whole one."""
    found = plain(student.distinct(texts, n))
    true(type(found) in (float, int), "a float was expected", given=given or None, actual=found)
    return float(found)


@exercise("distinct")
@for_all(texts=lists(lists(integers(0, 2), max_size=6), max_size=4), n=integers(1, 4))
def test_any_texts_have_the_share_of_brute_force(student: Student, texts: list[list[int]], n: int) -> None:
    found = [text[i : i + n] for text in texts for i in range(len(text)) if i + n <= len(text)]
    firsts = [gram for place, gram in enumerate(found) if gram not in found[:place]]
    close(_share(student, texts, n, ""), len(firsts) / len(found) if found else 1.0)


@exercise("distinct", points=0.5, needs="test_ngrams_counted_by_hand")
def test_tokens_that_look_alike_when_joined_are_different(student: Student) -> None:
    given = "the text a · ab · b · aa · b · b with 2-grams such as (a, ab) and (aa, b)"
    close(float(student.distinct([["a", "ab", "b", "aa", "b", "b"]], 2)), 1.0, given=given)
    close(float(student.distinct([[1, 11, 1, 1, 11]], 2)), 0.75, given="the ids 1, 11, 1, 1, 11, n = 2")
    for mark in (" ", ",", ", ", "/", "|", "-", "_", "\t", "\n"):
        texts = [[f"a{mark}b", "c"], ["a", f"b{mark}c"]]
        close(float(student.distinct(texts, 2)), 1.0, given=f"the texts {texts}, n = 2")


@exercise("distinct", points=0.5, needs="test_ngrams_counted_by_hand")
def test_case_and_spaces_make_tokens_different(student: Student) -> None:
    close(float(student.distinct([["We", "we", " we", "we "]], 1)), 1.0, given="the tokens 'We', 'we', ' we', 'we ', n = 1")
    others = ["", " ", "  ", "\n", "é", "e\u0301", "ß", "ss", "ﬁ", "fi", "눈", "\u1102\u116e\u11ab", "##we", "▁we", "we.", "1", "01", "１"]
    given = f"the tokens {others}, n = "
    close(float(student.distinct([others], 1)), 1.0, given=f"{given}1")
    close(float(student.distinct([[one, "x"] for one in others], 2)), 1.0, given=f"{given}2, each with x in a text of its own")


@exercise("distinct", points=0.5, needs="test_ngrams_counted_by_hand")
def test_ids_may_be_high(student: Student) -> None:
    for high in (1000, 1024, 1500, 50_257, 65_536, 100_000, 2**17, 250_000, 10**6, 2**20, 10**9, 2**31, 2**32):
        given = f"the texts {high} 0 and 0 1, n = 2"
        close(float(student.distinct([[high, 0], [0, 1]], 2)), 1.0, given=given)
        given = f"the texts 0 {high} and 1 0, n = 2"
        close(float(student.distinct([[0, high], [1, 0]], 2)), 1.0, given=given)


@exercise("distinct", points=0.5, needs="test_ngrams_counted_by_hand")
def test_ngrams_may_be_long(student: Student) -> None:
    text = [0] * 12
    for n in (5, 6, 11):
        close(float(student.distinct([text], n)), 1 / (13 - n), given=f"twelve times 0, n = {n}")


@exercise("distinct", points=0.5, needs="test_any_texts_have_the_share_of_brute_force")
def test_many_texts_and_long_ones_count_whole(student: Student) -> None:
    close(float(student.distinct([[1, 2]] * 12 + [[3, 4]], 2)), 2 / 13, given="twelve texts 1 2, then 3 4; n = 2")
    given = "a text of twelve 0, then 1 2 3; n = "
    for n, share in ((1, 4 / 15), (2, 4 / 14)):
        close(float(student.distinct([[0] * 12 + [1, 2, 3]], n)), share, given=f"{given}{n}")
    close(float(student.distinct([[0] * 7000], 1)), 1 / 7000, given="7,000 times 0, n = 1", atol=0)
    close(float(student.distinct([[0], [0, 1]] * 600, 2)), 1 / 600, given="the texts 0 and 0 1, each 600 times, n = 2", atol=0)


# metrics
START, LONGEST = 8, 64  # tokens of a prompt, and of what is written after it
COUNTS = (64, 256, 1024)  # texts, by profile
SEARCHED = (32, 64, 512)  # by beam search
TIMES = 8
MODELS = {"en": "world-en-gpt", "ko": "world-ko-gpt"}


@functools.cache
def _gpt(language: str) -> pretrained_gpt.PretrainedGPT:
    found = pretrained_gpt.load(MODELS[language])
    found.model.eval()
    return found


@functools.cache
def _human(language: str, seed: int, count: int) -> Tensor:
    """The first tokens of held-out documents, (count, START + LONGEST)."""
    bpe, size = _gpt(language).tokenizer, START + LONGEST
    rows = []
    for document in World(language, seed=10_000 + seed).documents(20_000 + 250 * count):  # type: ignore[arg-type]
        ids = [bpe.special_tokens["<|endoftext|>"], *bpe.encode(str(document))]
        if len(ids) >= size:
            rows.append(ids[:size])
    return torch.tensor(rows[:count])


def _texts(artifacts: Artifacts, name: str, language: str = "en") -> tuple[Tensor, Tensor]:
    """The recorded texts, and those of people with the same beginnings.

    Raises:
        BadArtifact: they are not as many or as long as the lesson's, hold other ids, or go on from other prompts.
    """
    text = artifacts.tensor(name, ndim=2)
    counts, end = SEARCHED if name == "beam" else COUNTS, _gpt(language).tokenizer.special_tokens["<|endoftext|>"]
    if text.size(0) not in counts or text.size(1) != START + LONGEST:
        raise BadArtifact(f"the tensor '{name}' has shape {tuple(text.shape)}, expected (texts, {START + LONGEST})")
    if text.is_floating_point() or text.min() < 0 or text.max() > end or (text[:, START:] == end).any():
        raise BadArtifact(f"the tensor '{name}' must hold ids from 0 to {end - 1}, after the prompt")
    text = text.long()
    of_people = COUNTS[SEARCHED.index(len(text))] if name == "beam" else len(text)
    human = _human(language, artifacts.seed, of_people)[: len(text)]
    if not torch.equal(text[:, :START], human[:, :START]):
        raise BadArtifact(f"the texts '{name}' do not begin with the first {START} tokens of the held-out documents")
    return text, human


def _repeats(text: Tensor) -> float:
    """The mean share of 4-grams that a text has written before."""
    shares = []
    for row in text[:, START:].tolist():
        grams = list(zip(*(row[n:] for n in range(4)), strict=False))
        shares.append(1 - len(set(grams)) / len(grams))
    return float(np.mean(shares))


@torch.no_grad()
def _logps(text: Tensor, language: str = "en") -> Tensor:
    """ln p of each token but the first, (B, N − 1)."""
    model = _gpt(language).model
    logits = model.logits(model.hidden(text[:, :-1]))
    return -F.cross_entropy(logits.transpose(1, 2), text[:, 1:], reduction="none")


def _likelihood(text: Tensor) -> float:
    return float(_logps(text)[:, START - 1 :].double().mean())


@metric("greedy_repeats_minus_human")
def greedy_repeats_minus_human(artifacts: Artifacts) -> float:
    text, human = _texts(artifacts, "greedy")
    return _repeats(text) - _repeats(human)


@metric("beam_repeats_minus_human")
def beam_repeats_minus_human(artifacts: Artifacts) -> float:
    text, human = _texts(artifacts, "beam")
    return _repeats(text) - _repeats(human)


@metric("repeats_stopped_by_penalty")
def repeats_stopped_by_penalty(artifacts: Artifacts) -> float:
    return _repeats(_texts(artifacts, "greedy")[0]) - _repeats(_texts(artifacts, "penalty")[0])


@metric("beam_logp_minus_human")
def beam_logp_minus_human(artifacts: Artifacts) -> float:
    text, human = _texts(artifacts, "beam")
    return _likelihood(text) - _likelihood(human)


@metric("sampling_logp_minus_human")
def sampling_logp_minus_human(artifacts: Artifacts) -> float:
    text, human = _texts(artifacts, "sampling")
    return _likelihood(text) - _likelihood(human)


@functools.cache
def _known() -> frozenset[str]:
    """The words that the Korean model has read."""
    return frozenset(word for document in World("ko", seed=0).documents(240_000) for word in str(document).split())


def _unknown(text: Tensor) -> float:
    bpe, words = _gpt("ko").tokenizer, []
    for row in text[:, START:].tolist():
        words += bpe.decode(row).split()[1:-1]
    if not words:
        raise BadArtifact("the Korean texts have no words")
    return float(np.mean([word not in _known() for word in words]))


@metric("unknown_words_cut_by_top_p")
def unknown_words_cut_by_top_p(artifacts: Artifacts) -> float:
    sampled, cut = (_texts(artifacts, name, "ko")[0] for name in ("korean_sampling", "korean_top_p"))
    return _unknown(sampled) - _unknown(cut)


@metric("eighth_time_minus_second")
def eighth_time_minus_second(artifacts: Artifacts) -> float:
    """The gain in ln p of a token, of first sentences that are written eight times."""
    bpe, gains = _gpt("en").tokenizer, []
    for document in World("en", seed=20_000 + artifacts.seed).documents(5_000)[:60]:
        ids = bpe.encode(str(document).split("\n")[0] + "\n")
        if TIMES * len(ids) < 128:
            text = torch.tensor([[bpe.special_tokens["<|endoftext|>"], *ids * TIMES]])
            by_time = _logps(text)[0].view(TIMES, -1).mean(dim=1)
            gains.append(float(by_time[-1] - by_time[1]))
    return float(np.mean(gains))
