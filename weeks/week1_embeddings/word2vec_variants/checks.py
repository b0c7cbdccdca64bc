"""word2vec's variants: the public checks. Expected values come from hand counts, closed forms and torch's autograd."""

import math
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from etude.lesson.checks import claim, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student


def _tensor(value: Any) -> Any:
    """A value that must be a tensor."""
    true(torch.is_tensor(value), "a tensor was expected", actual=str(type(value)))
    return value


COFFEE = ["하루", "커피", "최소", "3잔은", "마셔야", "살", "수", "있다"]
ONE_SENTENCE = torch.zeros(8, dtype=torch.int64)


@exercise("cbow_contexts")
def test_the_centre_word_of_the_coffee_sentence_has_four_contexts(student: Student) -> None:
    contexts = student.cbow_contexts(torch.arange(8), ONE_SENTENCE, 2)
    close(contexts[3], [1, 2, 4, 5], given="the coffee sentence, window 2; the row of 3잔은 (word 3)")


@exercise("cbow_contexts")
def test_the_coffee_sentence_has_8_examples_and_26_pairs(student: Student) -> None:
    contexts = student.cbow_contexts(torch.arange(8), ONE_SENTENCE, 2)
    equal(tuple(contexts.shape), (8, 4), given="the coffee sentence of 8 words, window 2; the shape")
    equal(int((contexts >= 0).sum()), 26, given="the coffee sentence, window 2; places that hold a word")


@exercise("cbow_contexts")
def test_windows_are_cut_off_where_a_sentence_ends(student: Student) -> None:
    close(
        student.cbow_contexts(torch.tensor([10, 11, 20, 21, 22]), torch.tensor([0, 0, 1, 1, 1]), 1),
        [[-1, 11], [10, -1], [-1, 21], [20, 22], [21, -1]],
        given="two sentences, 10 11 and 20 21 22; window 1",
    )


@exercise("cbow_contexts", points=0.5, needs="test_windows_are_cut_off_where_a_sentence_ends")
def test_ids_stay_whole_numbers(student: Student) -> None:
    contexts = student.cbow_contexts(torch.tensor([0, 1, 2]), torch.tensor([0, 0, 0]), 1)
    true(contexts.dtype == torch.int64, "ids were expected as int64", given="three words", actual=str(contexts.dtype))


VECTORS = torch.tensor([[1.0, 0.0], [0.0, 2.0], [4.0, 4.0], [100.0, -100.0]])


@exercise("cbow_hidden")
def test_the_hidden_vector_is_the_mean_of_the_contexts(student: Student) -> None:
    close(
        _tensor(student.cbow_hidden(VECTORS, torch.tensor([[0, 1, 2, 1], [2, 2, 0, 0]]))),
        [[1.25, 2.0], [2.5, 2.0]],
        given="four contexts each: words 0 1 2 1 and words 2 2 0 0",
    )


@exercise("cbow_hidden")
def test_padding_does_not_count(student: Student) -> None:
    close(
        student.cbow_hidden(VECTORS, torch.tensor([[-1, -1, 0, 1], [2, -1, -1, -1]])),
        [[0.5, 1.0], [4.0, 4.0]],
        given="words 0 and 1 with two empty places; word 2 with three",
    )


@claim("w2v-order")
@exercise("cbow_hidden")
def test_the_order_of_the_context_words_changes_nothing(student: Student) -> None:
    generator = torch.Generator().manual_seed(1)
    vectors = torch.randn(9, 5, generator=generator)
    first, second = torch.tensor([[1, 3, 0, 7]]), torch.tensor([[7, 0, 3, 1]])
    hidden = student.cbow_hidden(vectors, first)
    close(student.cbow_hidden(vectors, second), vectors[[0, 1, 3, 7]].mean(0)[None], given="contexts 7 3 0 1, shuffled")
    close(hidden, vectors[[0, 1, 3, 7]].mean(0)[None], given="contexts 1 3 0 7")


@exercise("cbow_gradient")
def test_each_context_gets_its_share_of_the_gradient(student: Student) -> None:
    close(
        _tensor(student.cbow_gradient(torch.tensor([[0, 1, 2, 3]]), torch.tensor([[4.0, -8.0]]), 5)),
        [[1.0, -2.0], [1.0, -2.0], [1.0, -2.0], [1.0, -2.0], [0.0, 0.0]],
        given="one example with contexts 0 1 2 3, gradient (4, −8); five words",
    )


@exercise("cbow_gradient")
def test_a_word_in_several_contexts_gets_the_sum_of_its_shares(student: Student) -> None:
    close(
        student.cbow_gradient(torch.tensor([[0, 0], [0, 1]]), torch.tensor([[2.0], [6.0]]), 2),
        [[5.0], [3.0]],
        given="contexts 0 0 with gradient 2, contexts 0 1 with gradient 6",
    )


@exercise("cbow_gradient")
def test_padding_gets_no_gradient(student: Student) -> None:
    close(
        student.cbow_gradient(torch.tensor([[-1, 1, -1, 2], [1, -1, -1, -1]]), torch.tensor([[2.0], [3.0]]), 4),
        [[0.0], [4.0], [1.0], [0.0]],
        given="contexts 1 2 with gradient 2, context 1 with gradient 3, empty places; four words",
    )


@exercise("softmax_loss", points=0.5)
def test_with_equal_scores_each_word_has_probability_one_over_v(student: Student) -> None:
    close(
        student.softmax_loss(torch.zeros(3, 4), torch.ones(50, 4), torch.tensor([0, 7, 49])),
        math.log(50),
        given="three zero vectors, 50 words",
    )


@exercise("softmax_loss")
def test_the_loss_is_the_cross_entropy_of_all_scores(student: Student) -> None:
    generator = torch.Generator().manual_seed(3)
    hidden, outputs = torch.randn(4, 3, generator=generator), torch.randn(7, 3, generator=generator)
    targets = torch.tensor([6, 0, 3, 3])
    close(
        student.softmax_loss(hidden, outputs, targets),
        cross_entropy(hidden @ outputs.T, targets),
        given="random vectors, B = 4, V = 7, d = 3",
    )


@exercise("softmax_loss")
def test_large_scores_stay_finite(student: Student) -> None:
    close(
        student.softmax_loss(torch.tensor([[20.0]]), torch.tensor([[10.0], [-10.0]]), torch.tensor([1])),
        400.0,
        given="scores 200 and −200, the second word is the target",
    )


@exercise("softmax_loss", points=0.5)
def test_gradients_flow_back_to_both_tables(student: Student) -> None:
    tables = {"hidden": torch.ones(2, 3), "outputs": torch.ones(5, 3)}

    def loss(hidden: torch.Tensor, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return cross_entropy(hidden @ outputs.T, targets)

    targets = torch.tensor([4, 0])
    close_gradients(
        student, "softmax_loss", loss, tables, targets, given="vectors of ones, B = 2, V = 5, d = 3; targets 4, 0"
    )


@exercise("softmax_gradients", points=2)
def test_the_gradients_are_those_of_autograd(student: Student) -> None:
    generator = torch.Generator().manual_seed(5)
    hidden = torch.randn(3, 4, generator=generator, requires_grad=True)
    outputs = torch.randn(6, 4, generator=generator, requires_grad=True)
    targets = torch.tensor([5, 2, 2])
    expected = torch.autograd.grad(cross_entropy(hidden @ outputs.T, targets), (hidden, outputs))
    found = student.softmax_gradients(hidden.detach(), outputs.detach(), targets)
    true(isinstance(found, tuple) and len(found) == 2, "a tuple of two gradients was expected", actual=found)
    for name, mine, right in zip(("hidden", "outputs"), found, expected, strict=True):
        close(_tensor(mine), right, given=f"random vectors, B = 3, V = 6, d = 4; the gradient of {name}")


@exercise("softmax_gradients")
def test_every_word_moves_though_only_one_was_the_target(student: Student) -> None:
    close(
        student.softmax_gradients(torch.tensor([[4.0]]), torch.zeros(4, 1), torch.tensor([1]))[1],
        [[1.0], [-3.0], [1.0], [1.0]],
        given="one hidden vector (4), four zero output vectors, target 1; the gradient of outputs",
    )


@exercise("costs", points=0.5)
def test_ten_thousand_words_of_300_numbers_have_six_million_weights(student: Student) -> None:
    equal(student.costs(10_000, 300, 5)[0], 6_000_000, given="V = 10,000, d = 300; the weights")


@exercise("costs", points=0.5, needs="test_ten_thousand_words_of_300_numbers_have_six_million_weights")
def test_negative_sampling_costs_the_same_for_any_vocabulary(student: Student) -> None:
    small, large = student.costs(1_000, 300, 5), student.costs(1_000_000, 300, 5)
    equal(large[1], 1000 * small[1], given="1,000 and 1,000,000 words; multiplications of the full softmax")
    equal(large[2], small[2], given="1,000 and 1,000,000 words; multiplications of negative sampling")


@exercise("subsample")
def test_an_occurrence_stays_if_its_number_is_below_the_root(student: Student) -> None:
    # Word 0 has share 0.64, so with t = 0.01 it is kept with probability 0.125; word 1 (0.36) with 1/6.
    kept = student.subsample(
        torch.tensor([0, 0, 1, 1]), torch.tensor([64, 36]), 0.01, torch.tensor([0.12, 0.13, 0.16, 0.17])
    )
    equal(
        _tensor(kept).tolist(), [True, False, True, False], given="counts 64 and 36, t = 0.01, numbers .12 .13 .16 .17"
    )


@exercise("subsample")
def test_a_rare_word_is_always_kept(student: Student) -> None:
    kept = student.subsample(
        torch.tensor([2, 1, 2]), torch.tensor([900, 98, 2]), 0.01, torch.tensor([0.999, 0.999, 0.5])
    )
    equal(kept.tolist(), [True, False, True], given="counts 900, 98, 2; t = 0.01; words 2 1 2; numbers .999 .999 .5")
