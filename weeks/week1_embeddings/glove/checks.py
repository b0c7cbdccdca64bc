"""GloVe: the public checks. Expected values come from hand counts, closed forms, the paper's Table 1 and torch's autograd."""

import math
from collections.abc import Sequence
from typing import Any

import torch

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student


def _tensor(value: Any) -> Any:
    """A value that must be a tensor."""
    true(torch.is_tensor(value), "a tensor was expected", actual=str(type(value)))
    return value


COFFEE = ["모닝", "커피", "좋아"]


@exercise("possible_ratios")
def test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides(student: Student) -> None:
    close(student.possible_ratios("3", "2"), (2.5 / 2.5, 3.5 / 1.5), given="3 / 2: from 2.5 / 2.5 to 3.5 / 1.5")
    close(student.possible_ratios("0.5", "0.25"), (0.45 / 0.255, 0.55 / 0.245), given="0.5 / 0.25")


@exercise("possible_ratios")
def test_powers_of_ten_move_the_last_digit(student: Student) -> None:
    close(
        student.possible_ratios("1.9e-4", "2.2e-5"),
        (1.85e-4 / 2.25e-5, 1.95e-4 / 2.15e-5),
        given="1.9e-4 / 2.2e-5, where the paper prints 8.9",
    )
    close(student.possible_ratios("3e2", "1.0e-1"), (250 / 0.105, 350 / 0.095), given="3e2 / 1.0e-1")


@exercise("possible_ratios", points=0.5)
def test_a_zero_at_the_end_is_a_digit_too(student: Student) -> None:
    close(student.possible_ratios("2.20", "3.0e-3"), (2.195 / 3.05e-3, 2.205 / 2.95e-3), given="2.20 / 3.0e-3")


@exercise("possible_ratios", points=0.5, needs="test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides")
def test_the_result_is_a_pair_of_floats(student: Student) -> None:
    found = student.possible_ratios("6.6e-5", "7.8e-4")
    equal(found, tuple(float(end) for end in found), given="6.6e-5 / 7.8e-4; the types of the result")


@exercise("harmonic_counts")
def test_words_two_apart_count_half(student: Student) -> None:
    close(
        student.harmonic_counts([COFFEE], COFFEE, 2),
        [[0, 1, 0.5], [1, 0, 1], [0.5, 1, 0]],
        given="모닝 커피 좋아, window 2",
    )


@exercise("harmonic_counts")
def test_the_window_ends_where_it_should_and_with_the_sentence(student: Student) -> None:
    counts = student.harmonic_counts([list("abcd"), list("da")], list("abcd"), 2)
    expected = [[0, 1, 0.5, 1], [1, 0, 1, 0.5], [0.5, 1, 0, 1], [1, 0.5, 1, 0]]
    close(counts, expected, given="the sentences a b c d and d a, window 2")


@exercise("harmonic_counts", points=0.5)
def test_a_word_near_itself_is_counted_from_both_places(student: Student) -> None:
    close(student.harmonic_counts([["so", "so", "so"]], ["so"], 2), [[5]], given="so so so, window 2: twice 1 + 1 + ½")


@exercise("harmonic_counts", points=0.5)
def test_meetings_add_up_over_places_and_sentences(student: Student) -> None:
    counts = student.harmonic_counts([list("abab"), list("ba")], list("ba"), 3)
    apart = 1 + 1 + 1 + 1 / 3 + 1
    close(counts, [[1, apart], [apart, 1]], given="the sentences a b a b and b a, window 3, words b, a")


@exercise("probability_ratios")
def test_counts_are_shares_of_their_rows_before_they_are_divided(student: Student) -> None:
    counts = torch.tensor([[2.0, 1.0, 1.0], [1.0, 1.0, 6.0], [5.0, 0.0, 5.0]], dtype=torch.float64)
    close(student.probability_ratios(counts, 0, 1), [4, 2, 1 / 3], given="rows 2 1 1 and 1 1 6 of a table of three")


@exercise("probability_ratios")
def test_the_order_of_the_two_words_matters(student: Student) -> None:
    counts = torch.tensor([[2.0, 1.0, 1.0], [1.0, 1.0, 6.0], [5.0, 0.0, 5.0]], dtype=torch.float64)
    close(student.probability_ratios(counts, 1, 0), [1 / 4, 1 / 2, 3], given="rows 1 1 6 and 2 1 1 of a table of three")


@exercise("probability_ratios")
def test_probes_near_one_word_alone_have_an_infinite_ratio_or_none(student: Student) -> None:
    counts = torch.tensor([[1.0, 3.0, 0.0, 0.0], [2.0, 0.0, 2.0, 0.0]], dtype=torch.float64)
    ratios = student.probability_ratios(counts, 0, 1)
    close(ratios[:3], [0.5, math.inf, 0.0], given="rows 1 3 0 0 and 2 0 2 0, the first three probes")
    true(bool(torch.isnan(ratios[3])), "a probe that neither word has met should have NaN", actual=ratios[3])


@exercise("probability_ratios", points=0.5, needs="test_counts_are_shares_of_their_rows_before_they_are_divided")
def test_the_ratios_keep_the_double_precision_of_the_counts(student: Student) -> None:
    counts = torch.tensor([[2.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    ratios = student.probability_ratios(counts, 0, 1)
    equal(str(getattr(ratios, "dtype", type(ratios))), "torch.float64", given="float64 counts; the type of the result")


@exercise("glove_weight")
def test_the_weight_grows_with_the_power_three_quarters(student: Student) -> None:
    close(
        _tensor(student.glove_weight(torch.tensor([100 / 16, 100 / 81, 50.0]))),
        [1 / 8, 1 / 27, 0.5**0.75],
        given="counts 100/16, 100/81 and 50; x_max = 100",
    )


@exercise("glove_weight")
def test_from_x_max_on_the_weight_is_one(student: Student) -> None:
    close(
        student.glove_weight(torch.tensor([[99.99, 100.0], [101.0, 1e7]])), [[0.999925, 1], [1, 1]], given="x_max = 100"
    )


@exercise("glove_weight")
def test_x_max_and_alpha_are_obeyed(student: Student) -> None:
    close(
        student.glove_weight(torch.tensor([0.9, 3.6, 10.0, 11.0]), x_max=10.0, alpha=0.5),
        [0.3, 0.6, 1, 1],
        given="counts 0.9, 3.6, 10 and 11; x_max = 10, alpha = ½",
    )


@exercise("glove_weight", points=0.5)
def test_a_pair_that_was_never_seen_has_weight_0(student: Student) -> None:
    close(student.glove_weight(torch.tensor([0, 100, 2])), [0, 1, 0.02**0.75], given="whole numbers 0, 100 and 2")


@exercise("glove_loss", needs="test_zeros_cost_the_weighted_square_of_the_logarithm")
def test_a_perfect_fit_costs_nothing(student: Student) -> None:
    word, context = torch.tensor([[1.0, 2.0]]), torch.tensor([[0.5, -1.0]])
    count = torch.tensor([math.exp(-1.5 + 0.3 + 2.0)])
    loss = student.glove_loss(word, context, torch.tensor([0.3]), torch.tensor([2.0]), count)
    close(loss, 0.0, given="w · w̃ = −1.5, biases 0.3 and 2, ln X = 0.8")


@exercise("glove_loss")
def test_zeros_cost_the_weighted_square_of_the_logarithm(student: Student) -> None:
    counts = torch.tensor([math.e, 1.0, math.exp(2)])
    loss = student.glove_loss(torch.zeros(3, 4), torch.zeros(3, 4), torch.zeros(3), torch.zeros(3), counts, x_max=1.0)
    close(_tensor(loss), 1 + 4, given="vectors and biases 0; ln X = 1, 0 and 2; x_max = 1, so every weight is 1")


@exercise("glove_loss")
def test_rare_pairs_weigh_less(student: Student) -> None:
    counts = torch.tensor([100 / 16, 1000.0])
    loss = student.glove_loss(torch.zeros(2, 1), torch.zeros(2, 1), counts.log() + 2, -torch.ones(2), counts)
    close(loss, 1 / 8 + 1, given="two entries with an error of 1 each; counts 100/16 and 1000")


def _batch(size: int, dim: int, seed: int) -> tuple[torch.Tensor, ...]:
    """Random vectors, biases and counts on both sides of x_max, in double precision."""
    generator = torch.Generator().manual_seed(seed)
    shapes = ((size, dim), (size, dim), (size,), (size,))
    values = [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]
    return (*values, torch.rand(size, generator=generator, dtype=torch.float64) * 30 + 0.2)


@exercise("glove_gradients", points=2)
def test_the_gradients_are_those_of_autograd(student: Student) -> None:
    *parameters, counts = _batch(6, 3, seed=1)
    leaves = [x.clone().requires_grad_() for x in parameters]
    word, context, word_bias, context_bias = leaves
    error = torch.einsum("nd,nd->n", word, context) + word_bias + context_bias - torch.log(counts)
    loss = torch.sum(torch.minimum(counts / 20, torch.ones(())).pow(0.75) * error.square())
    expected = torch.autograd.grad(loss, leaves)
    gradients = student.glove_gradients(*parameters, counts, 20.0)
    true(
        isinstance(gradients, tuple) and len(gradients) == 4, "a tuple of four gradients was expected", actual=gradients
    )
    names = ("word", "context", "word_bias", "context_bias")
    for name, mine, right in zip(names, gradients, expected, strict=True):
        close(_tensor(mine), right, given=f"random vectors, N = 6, d = 3, x_max = 20; the gradient of {name}")


@exercise("glove_gradients")
def test_an_entry_that_fits_does_not_move(student: Student) -> None:
    word, context = torch.tensor([[1.0, 2.0]]), torch.tensor([[0.5, -1.0]])
    count = torch.tensor([math.exp(0.8)])
    gradients = student.glove_gradients(word, context, torch.tensor([0.3]), torch.tensor([2.0]), count)
    for gradient, zero in zip(gradients, (torch.zeros(1, 2), torch.zeros(1, 2), [0.0], [0.0]), strict=True):
        close(gradient, zero, given="w · w̃ = −1.5, biases 0.3 and 2, ln X = 0.8")


@exercise("adagrad_step")
def test_the_first_step_is_divided_by_the_gradients_size(student: Student) -> None:
    zeros = torch.zeros(3)
    parameters, squares = student.adagrad_step(zeros, zeros + 1e-20, torch.tensor([4.0, -0.01, 100.0]), 0.1)
    close(parameters, [-0.1, 0.1, -0.1], given="parameters 0, squares near 0, gradients 4, −0.01 and 100, lr = 0.1")
    close(squares, [16.0, 1e-4, 1e4], given="the new squares")


@exercise("adagrad_step")
def test_earlier_gradients_make_the_step_smaller(student: Student) -> None:
    found = student.adagrad_step(
        torch.tensor([[1.0, 1.0]]), torch.tensor([[16.0, 1.0]]), torch.tensor([[3.0, 0.0]]), 0.5
    )
    true(isinstance(found, tuple) and len(found) == 2, "a tuple of two tensors was expected", actual=found)
    parameters, squares = found
    close(parameters, [[0.7, 1.0]], given="parameters 1 and 1, squares 16 and 1, gradients 3 and 0, lr = 0.5")
    close(squares, [[25.0, 1.0]], given="the new squares")


@exercise("adagrad_step", points=0.5, needs="test_earlier_gradients_make_the_step_smaller")
def test_nothing_is_changed_in_place(student: Student) -> None:
    given = [torch.tensor([1.0, -2.0]), torch.tensor([3.0, 1.0]), torch.tensor([0.5, 4.0])]
    handles = [student.put(x.clone()) for x in given]
    student.adagrad_step(*handles, 0.5)
    for name, handle, before in zip(("parameters", "squares", "gradients"), handles, given, strict=True):
        close(student.value(handle), before, given=f"the {name}, after the step")


def _entries(table: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
    """The entries of a table (V, V) that are not zero as train_glove takes them: pairs (2, N), counts (N,), V."""
    pairs = table.nonzero().T.contiguous()
    return pairs, table[pairs[0], pairs[1]].float(), len(table)


def _planted(size: int, seed: int) -> torch.Tensor:
    """A table of counts (V, V) with logarithms of rank 2 plus two biases; about a third of its entries are zero."""
    generator = torch.Generator().manual_seed(seed)
    word, context, bias = (torch.randn(size, 2, generator=generator) for _ in range(3))
    table = (word @ context.T + bias[:, :1] + bias[:, 1] + 1).exp()  # (V, V)
    return table * (torch.rand(size, size, generator=generator) > 1 / 3)


def _errors(model: Sequence[torch.Tensor], entries: tuple[torch.Tensor, torch.Tensor, int]) -> torch.Tensor:
    (i, k), counts, _ = entries
    errors: torch.Tensor = (model[0][i] * model[1][k]).sum(dim=1) + model[2][i] + model[3][k] - counts.log()
    return errors


@exercise("train_glove")
def test_the_model_learns_the_logarithms_of_the_counts(student: Student) -> None:
    entries = _entries(_planted(20, seed=2))
    model = student.train_glove(*entries, dim=6, epochs=200, batch=64, lr=0.3)
    error = float(_errors(model, entries).square().mean().sqrt())
    # Over seeds right answers end below 0.02; a term, a sign or a bias that is missing leaves 0.2 and more.
    true(
        error < 0.1, f"on average ln X is missed by {error:.2f}", given="20 words whose ln X can be fitted; 200 epochs"
    )


@exercise("train_glove")
def test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word(student: Student) -> None:
    table = torch.tensor([[0.0, 20.0, 3.0], [5.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    pairs, counts, size = _entries(table)
    model = student.train_glove(pairs, counts, size, dim=200, x_max=8.0, epochs=1, lr=0.5, batch=50)
    # The first vectors are so small that their dot products are nearly 0, and every error is −ln X.
    slope = -2 * (counts / 8).clamp(max=1) ** 0.75 * counts.log()
    for name, ids, biases in (("word", pairs[0], model[2]), ("context", pairs[1], model[3])):
        total = torch.zeros(3).index_add_(0, ids, slope)
        close(
            biases,
            -0.5 * total / (1 + total**2).sqrt(),
            rtol=1e-2,
            given=f"0 20 3 / 5 0 0 / 0 0 2, one batch, lr = 0.5, x_max = 8; {name} biases",
        )


@exercise("train_glove", points=0.5)
def test_steps_become_smaller_from_batch_to_batch(student: Student) -> None:
    pairs, counts, size = _entries(torch.tensor([[0.0, 1000.0], [0.0, 0.0]]))
    model = student.train_glove(pairs, counts, size, dim=200, x_max=10.0, epochs=2, lr=0.01, batch=50)
    first = 2 * math.log(1000)
    second = 2 * (math.log(1000) - 2 * 0.01)  # both biases have moved by nearly 0.01
    expected = 0.01 * (first / math.hypot(1, first) + second / math.sqrt(1 + first**2 + second**2))
    close(model[2][0], expected, rtol=1e-2, given="one entry of 1000, two epochs, lr = 0.01; its word's bias")


@exercise("train_glove", points=0.5)
def test_the_same_seed_gives_the_same_model_and_another_seed_another(student: Student) -> None:
    entries = _entries(_planted(8, seed=4))
    first, again, other = (student.train_glove(*entries, dim=3, epochs=2, batch=16, seed=seed) for seed in (3, 3, 4))
    true(torch.equal(first[0], again[0]), "seed 3 gives other vectors the second time", given="seed 3, twice")
    true(not torch.allclose(first[0], other[0]), "seeds 3 and 4 give the same vectors", given="seed 3, then seed 4")


@exercise("log_ratios")
def test_a_model_that_fits_gives_the_ratios_of_its_table(student: Student) -> None:
    generator = torch.Generator().manual_seed(6)
    words, contexts = torch.randn(5, 2, generator=generator), torch.randn(5, 2, generator=generator)
    biases = torch.randn(2, 5, generator=generator)
    counts = (words @ contexts.T + biases[0][:, None] + biases[1]).exp()  # (5, 5)
    probabilities = counts / counts.sum(dim=1, keepdim=True)
    close(
        student.log_ratios((words, contexts, biases[0], biases[1]), counts.sum(dim=1), 1, 3),
        (probabilities[1] / probabilities[3]).log(),
        rtol=1e-3,
        atol=1e-4,
        given="a random model, and the table of counts that it fits exactly; i = 1, j = 3",
    )


@exercise("log_ratios")
def test_a_frequent_word_is_not_nearer_to_everything(student: Student) -> None:
    vectors = torch.ones(2, 3)
    totals = torch.tensor([100.0, 10.0])
    model = (vectors, vectors, totals.log(), torch.zeros(2))
    close(
        _tensor(student.log_ratios(model, totals, 0, 1)),
        [0.0, 0.0],
        given="equal vectors, biases that are ln 100 and ln 10",
    )
