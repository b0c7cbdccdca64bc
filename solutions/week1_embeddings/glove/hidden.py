"""GloVe: hidden checks and the metrics that the grader computes itself. Never released."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import DrawFn, composite, integers, lists, sampled_from, tuples
from scipy.stats import spearmanr

from etude.embeddings import evaluate
from etude.lesson.checks import close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.world import World
from etude.world.lexicon import Lexeme
from grader.grading.artifacts import Artifacts
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all


@exercise("possible_ratios")
def test_the_ratios_of_table_1_lie_in_their_intervals_and_no_wider(student: Student) -> None:
    for above, below, low, high in (
        ("1.9e-4", "2.2e-5", 1.85e-4 / 2.25e-5, 1.95e-4 / 2.15e-5),
        ("6.6e-5", "7.8e-4", 6.55e-5 / 7.85e-4, 6.65e-5 / 7.75e-4),
        ("3.0e-3", "2.2e-3", 2.95 / 2.25, 3.05 / 2.15),
        ("1.7e-5", "1.8e-5", 1.65 / 1.85, 1.75 / 1.75),
        ("12", "0.040", 11.5 / 0.0405, 12.5 / 0.0395),
        ("1.23456", ".5", 1.234555 / 0.55, 1.234565 / 0.45),
        ("1.23456", "1.00000", 1.234555 / 1.000005, 1.234565 / 0.999995),
    ):
        close(student.possible_ratios(above, below), (low, high), rtol=1e-6, given=f"{above} / {below}")


@composite
def _printed(draw: DrawFn) -> str:
    """Draws positive numbers as they are printed, with and without a point and a power of ten."""
    whole = draw(sampled_from(["3", "1", "12", "120", "1000", "0", "907"]))
    places = draw(sampled_from(["", ".5", ".0", ".20", ".040", ".9995"]))
    number = "3.1" if whole == "0" and places in ("", ".0") else whole + places
    return number + draw(sampled_from(["", "", "e-4", "e2", "e0", "e-12", "e10"]))


def _ends(printed: str) -> tuple[Fraction, Fraction]:
    digits, _, power = printed.partition("e")
    half = Fraction(10) ** (int(power or "0") - len(digits.partition(".")[2])) / 2
    return Fraction(printed) - half, Fraction(printed) + half


@exercise("possible_ratios", points=0.5, needs="test_powers_of_ten_move_the_last_digit")
@for_all(above=_printed(), below=_printed())
def test_any_two_printed_numbers_have_the_ends_of_exact_fractions(student: Student, above: str, below: str) -> None:
    (low, high), (least, most) = _ends(above), _ends(below)
    close(student.possible_ratios(above, below), (float(low / most), float(high / least)), rtol=1e-7, atol=0)


@exercise("harmonic_counts", points=2)
def test_random_sentences_agree_with_brute_force(student: Student) -> None:
    draw = np.random.default_rng(3)
    words = list("abcde")
    sentences = [[str(word) for word in draw.choice(words, size=length)] for length in (9, 1, 0, 12, 2)]
    for window in (1, 3, 20):
        expected = np.zeros((5, 5))
        for sentence in sentences:
            for i, one in enumerate(sentence):
                for j, other in enumerate(sentence):
                    if 0 < abs(i - j) <= window:
                        expected[words.index(one), words.index(other)] += 1 / abs(i - j)
        close(student.harmonic_counts(sentences, words, window), expected, given=f"random sentences, window {window}")


@exercise("harmonic_counts", points=0.5, needs="test_words_two_apart_count_half")
@for_all(
    sentences=lists(lists(sampled_from(["a", "b", "A", "a ", "", "é", "e\u0301"]), max_size=7), max_size=4),
    window=integers(1, 9),
)
def test_any_sentences_have_the_sums_of_brute_force(student: Student, sentences: list[list[str]], window: int) -> None:
    words = ["e\u0301", "", "a", "A", "b", "é", "a ", "c"]
    expected = np.zeros((8, 8))
    for sentence in sentences:
        for i, one in enumerate(sentence):
            for j, other in enumerate(sentence):
                if 0 < abs(i - j) <= window:
                    expected[words.index(one), words.index(other)] += 1 / abs(i - j)
    counts = student.harmonic_counts(sentences, words, window)
    close(counts, expected, rtol=1e-9)
    equal(str(counts.dtype), "torch.float64")


@exercise("harmonic_counts", points=0.5)
def test_long_texts_are_added_up_in_double_precision(student: Student) -> None:
    counts = student.harmonic_counts([list("abc")] * 3000, list("abc"), 2)
    close(counts.sum(), 3000 * 5.0, rtol=1e-12, given="a b c, 3000 times, window 2; the sum")
    close(float(str(counts.dtype) == "torch.float64"), 1.0, given="whether the type is float64")
    counts = student.harmonic_counts([list("abcd")] * 3000, list("abcd"), 3)
    close(counts[0, 3], 1000, rtol=1e-10, given="a b c d, 3000 times, window 3; a near d: 3000 times a third")
    counts = student.harmonic_counts([["la", "so"] * 300 + ["mi"]], ["la", "so", "mi"], 400)
    near = sum(Fraction(1, d) for d in range(1, 401, 2)), sum(Fraction(1, d) for d in range(2, 401, 2))
    given = "one sentence, la so 300 times, then mi; window 400; mi near so, and near la"
    close(counts[2, [1, 0]], [float(part) for part in near], rtol=1e-9, given=given)


@exercise("harmonic_counts", points=0.5)
def test_many_words_are_counted_case_and_all(student: Student) -> None:
    words = ["us", "Us", *"abcdefghijkl", ""]
    expected = np.zeros((15, 15))
    for one, other, share in (
        ("Us", "us", 1.0),
        ("us", "l", 1.0),
        ("Us", "l", 0.5),
        ("k", "us", 0.5),
        ("k", "", 1.0),
        ("", "us", 1.0),
    ):
        i, j = words.index(one), words.index(other)
        expected[i, j] = expected[j, i] = share
    close(
        student.harmonic_counts([["Us", "us", "l"], ["k", "", "us"]], words, 2),
        expected,
        given="the sentences Us us l and k '' us, window 2, words us, Us, a … l, ''",
    )


@composite
def _tables_of_counts(draw: DrawFn) -> tuple[torch.Tensor, int, int]:
    """(counts (V, K) float64, two rows that are not all zeros); ties, zeros and very different sizes are frequent."""
    words, probes = draw(integers(1, 4)), draw(integers(1, 12))
    counts = lists(sampled_from([0.0, 0.0, 1.0, 1.0, 0.25, 1 / 3, 7.0, 1e-9, 1e12]), min_size=probes, max_size=probes)
    rows = [draw(counts) for _ in range(words)]
    i, j = draw(integers(0, words - 1)), draw(integers(0, words - 1))
    for row in (i, j):
        rows[row][draw(integers(0, probes - 1))] = draw(sampled_from([1.0, 2.5, 1e12]))
    return torch.tensor(rows, dtype=torch.float64), i, j


@exercise("probability_ratios", points=0.5)
@for_all(drawn=_tables_of_counts())
def test_any_two_words_have_the_ratios_of_exact_fractions(
    student: Student, drawn: tuple[torch.Tensor, int, int]
) -> None:
    counts, i, j = drawn
    one, other = ([Fraction(count) for count in counts[row].tolist()] for row in (i, j))
    met = [k for k, pair in enumerate(zip(one, other, strict=True)) if any(pair)]
    ratios = student.probability_ratios(counts, i, j)
    close(ratios.isnan().double(), [float(k not in met) for k in range(len(one))])
    expected = [float(one[k] / sum(one) / (other[k] / sum(other))) if other[k] else math.inf for k in met]
    close(ratios[met], expected, rtol=1e-9, atol=0)


@exercise("probability_ratios")
def test_a_random_table_agrees_with_the_definition_and_stays_as_it_is(student: Student) -> None:
    draw = np.random.default_rng(4)
    counts = draw.gamma(1.0, 0.05, size=(6, 9))
    counts[1] = 0  # a word of which nobody asks
    handle = student.put(torch.tensor(counts))
    for i, j in ((0, 5), (4, 2), (3, 3)):
        expected = [(counts[i, k] / counts[i].sum()) / (counts[j, k] / counts[j].sum()) for k in range(9)]
        close(
            student.probability_ratios(handle, i, j), expected, given=f"random counts, 6 words, 9 probes, {i} and {j}"
        )
    close(student.value(handle), counts, given="the counts, afterwards")
    one_probe = torch.tensor([[3.0], [5.0]], dtype=torch.float64)
    close(student.probability_ratios(one_probe, 0, 1), [1.0], given="the counts 3 and 5 of 2 words near the only probe")
    rows = [[1e-14, 1e14, 0.0, 5e13], [1e14, 1e-14, 3.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    spread = torch.tensor(rows, dtype=torch.float64)
    shares = spread / spread.sum(dim=1, keepdim=True)
    expected = [float(shares[0, 0] / shares[1, 0]), float(shares[0, 1] / shares[1, 1]), 0.0, math.inf]
    close(student.probability_ratios(spread, 0, 1), expected, atol=0, given="rows 1e-14 1e14 0 5e13 and 1e14 1e-14 3 0")
    nowhere = student.probability_ratios(spread, 0, 0)
    close(nowhere[[0, 1, 3]], [1, 1, 1], given="row 1e-14 1e14 0 5e13 with itself, all probes but the third")
    true(bool(torch.isnan(nowhere[2])), "NaN was expected", given="the third", actual=nowhere[2])


@exercise("glove_weight", points=0.5)
def test_small_counts_other_powers_and_a_single_number_have_weights(student: Student) -> None:
    tiny = torch.tensor([0.0, 2.5e-5])
    close(
        student.glove_weight(tiny, x_max=1e-4, alpha=0.5),
        [0, 0.5],
        given="counts 0 and 2.5e-5, x_max = 1e-4, alpha = ½",
    )
    flat = student.glove_weight(torch.tensor([3.0, 200.0]), alpha=0)
    close(flat, [1, 1], given="counts 3 and 200, x_max = 100, alpha = 0")
    close(student.glove_weight(torch.tensor(6.25)), 1 / 8, given="a tensor without axes, 6.25; x_max = 100")
    close(student.glove_weight(torch.tensor(200)), 1, given="a tensor without axes, the whole number 200; x_max = 100")
    large = student.glove_weight(torch.tensor([0.5, 3.0]), x_max=2, alpha=2)
    close(large, [1 / 16, 1], given="counts ½ and 3, x_max = 2, alpha = 2")
    for kind in (torch.uint8, torch.int16, torch.int32, torch.int64, torch.float64):
        for counts in ([0, 25, 200], [], [[100], [101]], *([[10**12, 2**31]] if kind == torch.int64 else [])):
            given = f"{counts} of {kind}, alpha = ½"
            found = student.glove_weight(torch.tensor(counts, dtype=kind), alpha=0.5)
            close(found, np.sqrt(np.minimum(np.array(counts) / 100, 1)), given=given)
            true(found.is_floating_point(), "a float tensor was expected", given=given, actual=str(found.dtype))


@composite
def _counts(draw: DrawFn) -> torch.Tensor:
    """Draws counts of one of four types, with none to three axes."""
    kind = draw(sampled_from([torch.float32, torch.float64, torch.int32, torch.int64]))
    shape = draw(sampled_from([(), (1,), (3,), (12,), (0,), (1, 1), (3, 4), (1, 3, 2)]))
    values = [0.0, 1.0, 2.0, 9.0, 10.0, 11.0, 100.0, 1e6]
    if kind.is_floating_point:
        values += [0.125, 9.875, 1e-12, 1e15]
    size = math.prod(shape)
    return torch.tensor(draw(lists(sampled_from(values), min_size=size, max_size=size)), dtype=kind).reshape(shape)


@exercise("glove_weight")
@for_all(
    counts=_counts(), x_max=sampled_from([10.0, 100.0, 0.25, 3.0]), alpha=sampled_from([0.75, 0.5, 1.0, 2.0, 0.125])
)
def test_random_counts_agree_with_the_definition_and_stay_as_they_are(
    student: Student, counts: torch.Tensor, x_max: float, alpha: float
) -> None:
    weights = [(x / x_max) ** alpha if x < x_max else 1.0 for x in counts.double().flatten().tolist()]
    expected = torch.tensor(weights, dtype=torch.float64).reshape(counts.shape)
    close(student.glove_weight(counts, x_max=x_max, alpha=alpha), expected, atol=0)


def _batch(size: int, dim: int, seed: int) -> tuple[np.ndarray, ...]:
    draw = np.random.default_rng(seed)
    return (*(draw.normal(size=shape) for shape in ((size, dim), (size, dim), size, size)), draw.gamma(1.0, 20.0, size))


def _loss(
    word: np.ndarray,
    context: np.ndarray,
    word_bias: np.ndarray,
    context_bias: np.ndarray,
    counts: np.ndarray,
    *,
    x_max: float,
) -> float:
    """Eq. 8 as a sum of plain numbers."""
    total = 0.0
    for w, c, a, b, x in zip(word, context, word_bias, context_bias, counts, strict=True):
        weight = (x / x_max) ** 0.75 if x < x_max else 1.0
        total += weight * (math.fsum(p * q for p, q in zip(w, c, strict=True)) + a + b - math.log(x)) ** 2
    return total


@composite
def _entries(draw: DrawFn) -> tuple[tuple[torch.Tensor, ...], float]:
    """Draws what glove_loss takes: vectors, biases and counts of one type, and x_max."""
    size, dim = draw(integers(1, 4)), draw(integers(1, 3))
    biases = lists(inputs.numbers(), min_size=size, max_size=size)
    counts = lists(sampled_from([1.0, 0.125, 9.875, 10.0, 1000.0, 1e-12, 1e15]), min_size=size, max_size=size)
    vectors = draw(inputs.tables(size, dim)), draw(inputs.tables(size, dim))
    parts = (*vectors, *(torch.tensor(draw(each)) for each in (biases, biases, counts)))
    kind = draw(sampled_from([torch.float32, torch.float64]))
    return tuple(part.to(kind) for part in parts), draw(sampled_from([10.0, 100.0, 0.5]))


@exercise("glove_loss", points=0.5)
@for_all(entries=_entries())
def test_any_entries_have_the_loss_of_plain_numbers(
    student: Student, entries: tuple[tuple[torch.Tensor, ...], float]
) -> None:
    parts, x_max = entries
    expected = _loss(*(part.double().numpy() for part in parts), x_max=x_max)
    close(student.glove_loss(*parts, x_max=x_max), expected, rtol=1e-3, atol=1e-12)


@exercise("glove_loss", points=1.5)
def test_random_batches_agree_with_the_definition(student: Student) -> None:
    for size, dim, x_max in ((1, 1, 100.0), (6, 1, 5.0), (1, 3, 2.0), (70, 2, 3.0), (5, 3, 10.0), (4, 7, 25.0)):
        batch = _batch(size, dim, seed=size)
        batch[2][:1] -= 30 if size == 70 else 3000  # a large error, beside which each of many still counts
        batch[4][:2] = [1.0, 0.2][:size]
        found = student.glove_loss(*(torch.tensor(x) for x in batch), x_max=x_max)
        close(found, _loss(*batch, x_max=x_max), given=f"random vectors, N = {size}, d = {dim}, x_max = {x_max:g}")
    close(
        student.glove_loss(*(torch.tensor(x) for x in batch)),
        _loss(*batch, x_max=100.0),
        given="the last batch, x_max not given",
    )
    counts = torch.tensor([1e-12, 1e-9, 1e15])
    zeros = torch.zeros(3, 2), torch.zeros(3, 2), torch.zeros(3), torch.zeros(3)
    found = student.glove_loss(*zeros, counts, x_max=1e-12)
    expected = math.log(1e-12) ** 2 + math.log(1e-9) ** 2 + math.log(1e15) ** 2
    close(found, expected, given="vectors and biases 0; counts 1e-12, 1e-9 and 1e15, x_max = 1e-12")


def _loss_for_autograd(
    word: torch.Tensor,
    context: torch.Tensor,
    word_bias: torch.Tensor,
    context_bias: torch.Tensor,
    counts: torch.Tensor,
    x_max: float,
) -> torch.Tensor:
    weight = torch.where(counts < x_max, (counts / x_max) ** 0.75, 1.0)
    return (weight * (torch.einsum("nd,nd->n", word, context) + word_bias + context_bias - counts.log()) ** 2).sum()


@exercise("glove_loss", points=0.5, needs="test_random_batches_agree_with_the_definition")
def test_vectors_and_biases_can_all_be_trained(student: Student) -> None:
    *parameters, counts = (torch.tensor(x) for x in _batch(4, 3, seed=9))
    names = ("word", "context", "word_bias", "context_bias")
    given = "random vectors, N = 4, d = 3, x_max = 20"
    close_gradients(
        student, "glove_loss", _loss_for_autograd, dict(zip(names, parameters, strict=True)), counts, 20.0, given=given
    )


@exercise("glove_gradients", points=0.5)
@for_all(entries=_entries())
def test_any_entries_have_the_gradients_of_autograd(
    student: Student, entries: tuple[tuple[torch.Tensor, ...], float]
) -> None:
    parts, x_max = entries
    word, context, word_bias, context_bias, counts = (part.double().requires_grad_() for part in parts)
    leaves = (word, context, word_bias, context_bias)
    loss = _loss_for_autograd(*leaves, counts.detach(), x_max)
    found = student.glove_gradients(*parts, x_max=x_max)
    for gradient, expected in zip(found, torch.autograd.grad(loss, leaves), strict=True):
        close(gradient, expected, rtol=1e-3, atol=1e-8)


@exercise("glove_gradients", points=1.5)
def test_the_gradients_agree_with_finite_differences(student: Student) -> None:
    for x_max in (100.0, 15.0, 0.3):
        batch = _batch(3, 4, seed=7)
        batch[0][1] *= 50
        gradients = student.glove_gradients(*(torch.tensor(x) for x in batch), x_max=x_max)
        for place in range(4):
            expected = np.zeros_like(batch[place])
            for position in np.ndindex(expected.shape):
                for sign in (1, -1):
                    moved = [x.copy() for x in batch]
                    moved[place][position] += sign * 1e-5
                    expected[position] += sign * _loss(*moved, x_max=x_max) / 2e-5
            close(gradients[place], expected, rtol=1e-4, atol=1e-5, given=f"random vectors, x_max = {x_max:g}; {place}")
    for far in (100.0, -3000.0, 1e6):  # the weight of a count of 100 is 1, so the slope is twice the error
        one = torch.ones(1, 1).double()
        parts = (far * one, one, torch.zeros(1).double(), torch.zeros(1).double(), torch.full((1,), 100.0).double())
        slope = 2 * (far - math.log(100))
        for gradient, wanted in zip(student.glove_gradients(*parts), (slope, slope * far, slope, slope), strict=True):
            close(gradient.flatten(), [wanted], given=f"vectors ({far:g}) and (1), biases 0, a count of 100")


@exercise("glove_gradients", points=0.5, needs="test_the_gradients_are_those_of_autograd")
def test_one_entry_many_entries_and_extreme_counts_have_gradients(student: Student) -> None:
    names = ("word", "context", "word_bias", "context_bias")
    for size, dim in ((1, 1), (1, 4), (4, 1), (130, 3)):
        batch = _batch(size, dim, seed=20 + size)
        batch[4][:2] = [1.0, 300.0][:size]
        found = student.glove_gradients(*(torch.tensor(x) for x in batch))
        word, context, a, b, counts = batch
        slope = 2 * np.minimum(counts / 100, 1) ** 0.75 * ((word * context).sum(axis=1) + a + b - np.log(counts))
        expected = slope[:, None] * context, slope[:, None] * word, slope, slope
        for name, mine, right in zip(names, found, expected, strict=True):
            given = f"random vectors, N = {size}, d = {dim}, x_max not given; the gradient of {name}"
            close(mine, right, given=given)
    extreme = torch.tensor([1e-12, 1e-9, 1e15])
    found = student.glove_gradients(torch.zeros(3, 2), torch.ones(3, 2), torch.zeros(3), torch.zeros(3), extreme, 1e-12)
    slope = [-2 * math.log(count) for count in (1e-12, 1e-9, 1e15)]
    expected = [[value] * 2 for value in slope], np.zeros((3, 2)), slope, slope
    for name, mine, right in zip(names, found, expected, strict=True):
        given = f"words 0, contexts 1, biases 0; counts 1e-12, 1e-9 and 1e15, x_max = 1e-12; the gradient of {name}"
        close(mine, right, given=given)


@composite
def _steps(draw: DrawFn) -> list[torch.Tensor]:
    """Draws parameters, squares above 0 and gradients, of one shape with none to two axes and of one type."""
    shape = draw(sampled_from([(), (1,), (3,), (1, 1), (3, 2), (12,)]))
    size, kind = math.prod(shape), draw(sampled_from([torch.float32, torch.float64]))
    gradients = inputs.numbers() | sampled_from([0.0, 1e-6, -64.0, 1e5])
    parts = inputs.numbers(), sampled_from([1.0, 0.125, 9.0, 1e-12, 1e6]), gradients
    return [torch.tensor(draw(lists(n, min_size=size, max_size=size)), dtype=kind).reshape(shape) for n in parts]


@exercise("adagrad_step", points=0.5)
@for_all(parts=_steps(), lr=sampled_from([0.5, 0.05, 2.0, 0.0]))
def test_any_step_is_that_of_plain_numbers(student: Student, parts: list[torch.Tensor], lr: float) -> None:
    parameters, squares, gradients = (part.double().numpy() for part in parts)
    new, total = student.adagrad_step(*parts, lr)
    close(total, squares + gradients**2, atol=0)
    close(new, parameters - lr * gradients / np.sqrt(squares + gradients**2), atol=1e-6)


@exercise("adagrad_step", points=1.5)
def test_ten_steps_agree_with_torch(student: Student) -> None:
    generator = torch.Generator().manual_seed(8)
    start, gradients = torch.randn(4, 3, generator=generator), torch.randn(10, 4, 3, generator=generator)
    leaf = start.clone().requires_grad_()
    optimiser = torch.optim.Adagrad([leaf], lr=0.3, initial_accumulator_value=0.5, eps=0.0)
    mine, squares = start, torch.full_like(start, 0.5)
    for gradient in gradients:
        leaf.grad = gradient.clone()
        optimiser.step()
        mine, squares = student.adagrad_step(mine, squares, gradient, 0.3)
    close(mine, leaf.detach(), given="10 random gradients, lr = 0.3, squares that begin at ½")
    close(squares, 0.5 + (gradients**2).sum(dim=0), given="the squares after 10 steps")


@exercise("adagrad_step", points=0.5)
def test_tiny_and_huge_gradients_make_steps_in_double_precision(student: Student) -> None:
    zeros, squares = torch.zeros(2, dtype=torch.float64), torch.tensor([1e-14, 1.0], dtype=torch.float64)
    new, total = student.adagrad_step(zeros, squares, torch.tensor([1e-7, -1e5], dtype=torch.float64), 2.0)
    given = "float64: parameters 0, squares 1e-14 and 1, gradients 1e-7 and −1e5, lr = 2"
    close(new, [-math.sqrt(2), 2e5 / math.sqrt(1e10 + 1)], rtol=1e-10, given=given)
    close(total, [2e-14, 1e10 + 1], rtol=1e-12, atol=0, given=f"{given}; the new squares")
    values = [torch.tensor(x, dtype=torch.float64) for x in (1.0, 1e-30, 1e-15)]
    new, total = student.adagrad_step(*values, 0.5)
    given = "float64, without axes: parameter 1, square 1e-30, gradient 1e-15, lr = ½"
    close(new, 1 - 0.5 / math.sqrt(2), rtol=1e-9, given=given)
    close(total, 2e-30, rtol=1e-9, atol=0, given=f"{given}; the new square")
    new, total = student.adagrad_step(torch.tensor([[2.0]]), torch.tensor([[9.0]]), torch.tensor([[-4.0]]), 0)
    close(new, [[2.0]], given="parameter 2, square 9, gradient −4, one row of one number, lr = 0")
    close(total, [[25.0]], given="the same; the new square")


@composite
def _texts(draw: DrawFn) -> tuple[torch.Tensor, torch.Tensor, dict[str, Any]]:
    """(pairs (2, N), counts (N,), settings): entries of a table of few words, each once, so that all words repeat themselves."""
    size = draw(integers(1, 4))
    places = draw(lists(tuples(inputs.ids(size), inputs.ids(size)), min_size=1, max_size=7, unique=True))
    counts = draw(lists(sampled_from([1.0, 0.25, 3.0, 10.0, 40.0, 1000.0]), min_size=len(places), max_size=len(places)))
    settings = {
        "size": size,
        "dim": draw(integers(1, 3)),
        "x_max": draw(sampled_from([10.0, 2.0, 100.0])),
        "epochs": draw(integers(1, 3)),
        "lr": draw(sampled_from([0.2, 0.5])),
        "batch": draw(sampled_from([2, 3, 50])),
        "seed": draw(integers(0, 99)),
    }
    return torch.tensor(places).T.contiguous(), torch.tensor(counts), settings


@exercise("train_glove", points=0.5)
@for_all(drawn=_texts(), examples=15)
def test_any_few_entries_are_trained_as_by_torch(
    student: Student, drawn: tuple[torch.Tensor, torch.Tensor, dict[str, Any]]
) -> None:
    pairs, counts, settings = drawn
    found = student.train_glove(pairs, counts, **settings)
    for mine, right in zip(found, _with_torch(pairs, counts, **settings), strict=True):
        close(mine, right, rtol=1e-3, atol=1e-4)


@exercise("train_glove", points=2.5)
def test_epochs_agree_with_torch_step_by_step(student: Student) -> None:
    generator = torch.Generator().manual_seed(9)
    table = torch.rand(7, 7, generator=generator) * 12 * (torch.rand(7, 7, generator=generator) > 0.3)
    pairs = table.nonzero().T.contiguous()  # (2, N)
    for scale, batch, epochs in ((1.0, 7, 2), (1e12, 50, 4)):
        counts = table[pairs[0], pairs[1]] * scale
        expected = _with_torch(pairs, counts, 7, dim=3, x_max=5.0, epochs=epochs, lr=0.4, batch=batch, seed=11)
        handle = student.put(counts.clone())
        model = student.train_glove(pairs, handle, 7, dim=3, x_max=5.0, epochs=epochs, lr=0.4, batch=batch, seed=11)
        names = ("word vectors", "context vectors", "word biases", "context biases")
        for name, mine, right in zip(names, model, expected, strict=True):
            given = f"7 words, counts up to {12 * scale:g}, x_max = 5, batch {batch}, lr = 0.4, {epochs} epochs; {name}"
            close(mine, right, rtol=1e-3, atol=1e-4, given=given)
        close(student.value(handle), counts, given="the counts, afterwards")


@exercise("train_glove", points=0.5, needs="test_epochs_agree_with_torch_step_by_step")
def test_a_rest_of_one_entry_and_vectors_of_one_number_are_trained(student: Student) -> None:
    pairs, counts = torch.tensor([[0, 1, 1, 4, 0], [1, 0, 4, 4, 0]]), torch.tensor([3.0, 0.25, 40.0, 1.0, 7.0])
    names = ("word vectors", "context vectors", "word biases", "context biases")
    for entries, dim, batch in ((5, 1, 2), (5, 3, 4), (1, 2, 8), (1, 1, 1), (5, 1, 1)):
        settings = {"dim": dim, "epochs": 3, "batch": batch, "seed": 12}
        model = student.train_glove(pairs[:, :entries], counts[:entries], 5, **settings)
        right = _with_torch(pairs[:, :entries], counts[:entries], 5, x_max=10.0, lr=0.2, **settings)
        for name, mine, expected in zip(names, model, right, strict=True):
            given = f"5 words, entries: {entries}, dim = {dim}, batches of {batch}, x_max and lr not given; {name}"
            close(mine, expected, rtol=1e-3, atol=1e-4, given=given)


def _with_torch(
    pairs: torch.Tensor,
    counts: torch.Tensor,
    size: int,
    dim: int,
    x_max: float,
    epochs: int,
    lr: float,
    batch: int,
    seed: int,
) -> list[torch.Tensor]:
    """The same training by torch's own optimiser and autograd, from the same start and in the same order."""
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.requires_grad_() for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    optimiser = torch.optim.Adagrad(tables, lr=lr, initial_accumulator_value=1.0, eps=0.0)
    word, context, word_bias, context_bias = tables
    for _ in range(epochs):
        for entries in torch.randperm(len(counts), generator=generator).split(batch):
            (i, k), x = pairs[:, entries], counts[entries]
            error = torch.einsum("nd,nd->n", word[i], context[k]) + word_bias[i] + context_bias[k] - torch.log(x)
            loss = (torch.minimum(x / x_max, torch.ones(())).pow(0.75) * error.square()).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return [table.detach() for table in tables]


@composite
def _models(draw: DrawFn) -> tuple[tuple[torch.Tensor, ...], torch.Tensor, int, int]:
    """(model, totals (V,), two ids): words that stand near nothing have a total of 0."""
    size, dim = draw(integers(1, 12)), draw(integers(1, 3))

    def eighths(*shape: int) -> torch.Tensor:
        count = math.prod(shape)
        return torch.tensor(draw(lists(inputs.numbers(), min_size=count, max_size=count))).reshape(shape)

    i, j = draw(inputs.ids(size)), draw(inputs.ids(size))
    totals = draw(lists(sampled_from([0.0, 1.0, 1.0, 40.5, 0.125, 1e6]), min_size=size, max_size=size))
    for row in {i, j}:
        totals[row] = totals[row] or 3.0
    kind = draw(sampled_from([torch.float32, torch.float64]))
    model = eighths(size, dim), eighths(size, dim), eighths(size), eighths(size)
    return model, torch.tensor(totals, dtype=kind), i, j


@exercise("log_ratios", points=0.5)
@for_all(drawn=_models())
def test_any_two_words_have_the_log_ratios_of_two_fitted_rows(
    student: Student, drawn: tuple[tuple[torch.Tensor, ...], torch.Tensor, int, int]
) -> None:
    model, totals, i, j = drawn
    words, contexts, biases, others = (table.double().numpy() for table in model)
    one, other = (contexts @ words[row] + biases[row] + others - math.log(totals[row]) for row in (i, j))
    close(student.log_ratios(model, totals, i, j), one - other, rtol=1e-3, atol=1e-4)


@exercise("log_ratios", points=1.5)
def test_random_models_agree_with_the_formula(student: Student) -> None:
    draw = np.random.default_rng(10)
    words, contexts = draw.normal(size=(12, 4)) * 3, draw.normal(size=(12, 4))
    biases, others, totals = draw.normal(size=12), draw.normal(size=12), draw.gamma(2.0, 50.0, size=12)
    totals[4] = 0.25
    model = tuple(torch.tensor(x, dtype=torch.float32) for x in (words, contexts, biases, others))
    handle = student.put(torch.tensor(totals, dtype=torch.float32))
    for i, j in ((0, 5), (4, 1), (2, 2)):
        bias = biases[i] - math.log(totals[i]) - biases[j] + math.log(totals[j])
        expected = [math.fsum((words[i] - words[j]) * contexts[k]) + bias for k in range(12)]
        close(
            student.log_ratios(model, handle, i, j),
            expected,
            rtol=1e-3,
            atol=1e-4,
            given=f"a random model, {i} and {j}",
        )
    close(student.value(handle), totals, given="the totals, afterwards")
    only = tuple(table[:1] for table in model)
    close(
        student.log_ratios(only, torch.tensor([40.0]), 0, 0),
        [0.0],
        atol=1e-4,
        given="a model of a single word, with itself",
    )
    totals[7] = 0
    narrow = model[0][:, :1], model[1][:, :1], *model[2:]
    found = student.log_ratios(narrow, torch.tensor(totals), 3, 9)
    bias = biases[3] - math.log(totals[3]) - biases[9] + math.log(totals[9])
    expected = [(words[3, 0] - words[9, 0]) * contexts[k, 0] + bias for k in range(12)]
    given = "vectors of one number, float64 totals, word 7 never seen; 3 and 9"
    close(found, expected, rtol=1e-3, atol=1e-4, given=given)


@metric("similarity_glove")
def similarity_glove(artifacts: Artifacts) -> float:
    word, context = (artifacts.tensor(name, ndim=2) for name in ("word_vectors", "context_vectors"))
    truth = World("en", seed=artifacts.seed).similarities()
    score = evaluate.similarity(word + context, artifacts.strings("words"), truth)
    return score.value if score.covered * 2 > score.total else 0.0


@metric("ratio_direction")
def ratio_direction(artifacts: Artifacts) -> float:
    """Spearman's ρ of (w_i − w_j) · w̃_k with +1, −1 and 0: k of i's topic, of j's topic, of another."""
    word, context = (artifacts.tensor(name, ndim=2).double() for name in ("word_vectors", "context_vectors"))
    world, words = World("en", seed=artifacts.seed), artifacts.strings("words")
    index, homonyms = {word: i for i, word in enumerate(words)}, world.homonyms()

    def known(lexemes: Iterable[Lexeme]) -> list[int]:
        return [index[entry.stem] for entry in lexemes if entry.stem in index and entry.stem not in homonyms]

    people = [known((*topic.agents, *topic.places)) for topic in world.lexicon.topics]
    own = [
        ids + known(thing for _, found in topic.verbs for thing in found)
        for ids, topic in zip(people, world.lexicon.topics, strict=True)
    ]
    probes, topic = [k for ids in own for k in ids], np.array([n for n, ids in enumerate(own) for _ in ids])
    said, planted = [], []
    for one in range(len(people)):
        for other in range(one):
            for i in people[one]:
                for j in people[other]:
                    said.append((context[probes] @ (word[i] - word[j])).numpy())
                    planted.append(1.0 * (topic == one) - 1.0 * (topic == other))
    return float(spearmanr(np.concatenate(said), np.concatenate(planted)).statistic)
