"""probing: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from hypothesis.strategies import booleans, integers, lists, sampled_from
from scipy.stats import spearmanr
from sklearn.linear_model import Ridge
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import vector_to_parameters

from etude import cloze, pretrained, probing
from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.models.bert import Bert, BertForPretraining
from etude.probing import Examples, Occurrence, Sentences
from etude.tokenizers.wordpiece import WordPiece
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all


def drawn(*shape: int, seed: int = 0) -> Tensor:
    """Random numbers, float64."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


# linear_probe
def ridge(vectors: Tensor, labels: Tensor, classes: int, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """scikit-learn's ridge regression on rows of 0 and 1."""
    found = Ridge(alpha=penalty, solver="svd").fit(vectors.double().numpy(), np.eye(classes)[labels.numpy()])
    return found.coef_.reshape(classes, -1), found.intercept_


@exercise("linear_probe", points=0.5)
@for_all(
    examples=30,
    count=integers(1, 7),
    width=integers(1, 5),
    classes=integers(2, 4),
    first=integers(0, 3),
    penalty=sampled_from([0.25, 1.0, 8.0, 2]),
    seed=integers(0, 99),
)
def test_any_probe_is_scikit_learns(
    student: Student, count: int, width: int, classes: int, first: int, penalty: float, seed: int
) -> None:
    vectors, labels = drawn(count, width, seed=seed), (first + torch.arange(count) * (seed + 1)) % classes
    weight, bias = ridge(vectors, labels, classes, penalty)
    found = student.linear_probe(vectors, labels, classes, penalty)
    close(found[0], weight)
    close(found[1], bias)


@exercise("linear_probe", points=0.5, needs="test_the_probe_is_scikit_learns_ridge_regression")
def test_more_numbers_than_vectors_do_no_harm(student: Student) -> None:
    vectors, labels = drawn(5, 12, seed=3), torch.tensor([0, 1, 1, 0, 1])
    weight, bias = ridge(vectors, labels, 2, 0.5)
    found = student.linear_probe(vectors, labels, 2, 0.5)
    close(found[0], weight, given="5 vectors of width 12, two classes, λ = 0.5; the weight")
    close(found[1], bias, given="5 vectors of width 12, two classes, λ = 0.5; the bias")


@exercise("linear_probe", points=0.5, needs="test_the_probe_is_scikit_learns_ridge_regression")
def test_many_vectors_and_classes_all_count(student: Student) -> None:
    for first, classes in ((0, 20), (1, 3), (2, 3)):
        labels = first + torch.arange(600) % max(1, classes - first - 1)
        vectors = drawn(600, 3, seed=8) + labels[:, None]
        found, expected = student.linear_probe(vectors, labels, classes, 1.0), ridge(vectors, labels, classes, 1.0)
        given = f"600 vectors of width 3, {classes} classes, labels {int(labels.min())} to {int(labels.max())}, λ = 1"
        close(found[0], expected[0], given=f"{given}; the weight")
        close(found[1], expected[1], given=f"{given}; the bias")


@exercise("linear_probe", points=0.5, needs="test_the_probe_is_scikit_learns_ridge_regression")
def test_small_differences_far_from_zero_survive(student: Student) -> None:
    labels = torch.tensor([0, 0, 1, 1, 0, 1])
    # Multiples of 1/64 about 1,000 are exact in float32.
    vectors = 1000 + torch.tensor([[0.0, 1], [1, 2], [2, 0], [4, 1], [1, 1], [3, 3]]) / 64
    weight, _ = ridge(vectors, labels, 2, 0.01)
    found = student.linear_probe(vectors, labels, 2, 0.01)
    close(found[0], weight, given="six float32 vectors about (1000, 1000), apart by 64ths, λ = 0.01; the weight", rtol=1e-3)


@exercise("linear_probe", points=0.5, needs="test_the_probe_is_scikit_learns_ridge_regression")
def test_the_probe_keeps_double_precision(student: Student) -> None:
    vectors, labels = drawn(9, 3, seed=4), torch.arange(9) % 3
    for penalty in (2.3, 0.0001):
        expected, found = ridge(vectors, labels, 3, penalty), student.linear_probe(vectors, labels, 3, penalty)
        given = f"9 vectors in float64, three classes, λ = {penalty}, to nine digits"
        for name, part, wanted in zip(("weight", "bias"), found, expected, strict=True):
            close(part, wanted, given=f"{given}; the {name}", rtol=1e-9, atol=1e-12)
    vectors, labels = 0.001 * drawn(9, 3, seed=4), torch.arange(9) % 3
    weight, _ = ridge(vectors, labels, 3, 1e-8)
    found = student.linear_probe(vectors, labels, 3, 1e-8)
    close(found[0], weight, given="9 vectors of some thousandths in float64, three classes, λ = 0.00000001; the weight", rtol=1e-6)


@exercise("linear_probe", points=0.5, needs="test_the_probe_is_scikit_learns_ridge_regression")
def test_the_probe_has_the_vectors_type(student: Student) -> None:
    vectors, labels = drawn(6, 2, seed=5), torch.tensor([0, 1, 0, 1, 1, 0])
    for some in (vectors.float(), vectors, vectors.half()):
        for part in student.linear_probe(some, labels, 2, 1.0):
            kind = torch.as_tensor(part).dtype
            true(kind == some.dtype, f"{some.dtype} was expected", given=f"six vectors, {some.dtype}", actual=str(kind))


# control_labels
@contextmanager
def another_run_of_python(student: Student) -> Iterator[None]:
    """Lets hash() give other numbers on the student's side, as it does for strings each time Python starts."""
    builtins = student.np.frompyfunc(__import__, 1, 1)("builtins")
    put, own = student.np.frompyfunc(setattr, 3, 1), student.np.frompyfunc(getattr, 2, 1)(builtins, "hash")
    put(builtins, "hash", id)
    try:
        yield
    finally:
        put(builtins, "hash", own)


@exercise("control_labels", points=0.5)
@for_all(
    examples=30,
    words=lists(sampled_from([*inputs.WORDS, "", " a"]), min_size=1, max_size=8),
    others=lists(sampled_from([*inputs.WORDS, "", " a"]), max_size=5),
    seed=integers(0, 1000) | sampled_from([2**31, 2**32 + 1, 10**12]),
)
def test_any_text_has_one_label_for_each_type(student: Student, words: list[str], others: list[str], seed: int) -> None:
    labels = [3 * (number % 3) for number in range(len(words))]
    first, second = (list(part) for part in student.control_labels(words, labels, others, seed))
    equal((len(first), len(second)), (len(words), len(others)))
    true({*first, *second} <= set(labels), "a label that no token has", actual=sorted({*first, *second}))
    pairs = {*zip(words, first, strict=True), *zip(others, second, strict=True)}
    equal(len(pairs), len({*words, *others}))


@exercise("control_labels", points=0.5, needs="test_a_word_has_one_label_wherever_it_stands")
def test_words_draw_on_their_own(student: Student) -> None:
    words = [f"w{number}" for number in range(300)]
    labels = [number % 2 for number in range(300)]
    first, _ = student.control_labels(words, labels, [], 5)
    ones = sum(first)
    same = sum(a == b for a, b in zip(first, labels, strict=True))
    given = "300 words, once each, labels 0 and 1 in turn"
    true(90 <= ones <= 210, "about half of them were expected to draw 1", given=given, actual=ones)
    true(90 <= same <= 210, "the labels are the real ones, or their opposites", given=given, actual=same)


@exercise("control_labels", points=0.5, needs="test_a_word_has_one_label_wherever_it_stands")
def test_shares_are_not_exactly_those_of_the_labels(student: Student) -> None:
    # A shuffle of the labels would give 100 ones at each seed: labels are drawn on their own.
    words, labels = [f"w{number}" for number in range(200)], [0, 1] * 100
    counts = {sum(student.control_labels(words, labels, [], seed)[0]) for seed in range(8)}
    true(len(counts) > 1, "each word draws alone, so the counts vary", given="200 words, 8 seeds: how often 1", actual=sorted(counts))


@exercise("control_labels", points=0.5, needs="test_a_word_has_one_label_wherever_it_stands")
def test_case_and_order_are_as_they_stand(student: Student) -> None:
    words = [f"w{number}" for number in range(100)] + [f"W{number}" for number in range(100)]
    first, second = student.control_labels(words, [0, 1] * 100, words[::-1], 2)
    true(list(second) == list(first)[::-1], "the same words in another order have other labels", given="w0 … w99, W0 … W99, turned round")
    true(list(first[:100]) != list(first[100:]), "w and W have the same labels: they are different words", given="w0 … w99, W0 … W99")
    for one, other in (("w", "w "), ("é", "e\u0301"), ("é", "e"), ("xy", "yx"), ("ß", "ss")):
        words = [f"{number}{part}" for part in (one, other) for number in range(100)]
        first, _ = student.control_labels(words, [0, 1] * 100, [], 2)
        given = f"100 words that end in {one!r}, and the same with {other!r}"
        true(list(first[:100]) != list(first[100:]), "both have the same labels: they are different words", given=given)


@exercise("control_labels", points=0.5, needs="test_labels_are_drawn_with_the_frequencies_of_the_tokens")
def test_new_words_draw_by_the_same_frequencies_and_on_their_own(student: Student) -> None:
    # In the order in which they come the labels are neither sorted nor sorted by how often they occur.
    words, labels = [f"a{number:03}" for number in range(400)], [5] * 40 + [1] * 280 + [3] * 80
    for seed in (0, 1, 6):
        for new in ([f"b{number:03}" for number in range(400)], [f"A{number:03}" for number in range(400)]):
            found = [list(part) for part in student.control_labels(words, labels, new, seed)]
            given = f"400 words, label 1 at 280, 3 at 80, 5 at 40; 400 new words; seed {seed}"
            for part, name in zip(found, ("the words", "the new words"), strict=True):
                often = {label: part.count(label) for label in (1, 3, 5)}
                near = 220 <= often[1] <= 340 and 35 <= often[3] <= 125 and 8 <= often[5] <= 80
                true(near, "some 280, 80 and 40 were expected", given=f"{given}: how often {name} draw 1, 3, 5", actual=often)
            true(found[0] != found[1], "the new words repeat the draws of the words", given=given)


@exercise("control_labels", points=0.5, needs="test_a_word_has_one_label_wherever_it_stands")
def test_the_order_of_a_set_decides_nothing(student: Student) -> None:
    labels = list(range(0, 3000, 3))  # so many that each draw is known by its label
    for seed in range(3):
        drawn = []
        for names in ("abcdefghijklmn", "opqrstuvwxyzäö"):  # the same words but for their names, whose order is the same
            words, others = [f"w{name}" for name in names[:12]], [f"w{name}" for name in names[::-1]]
            _, second = student.control_labels([words[i * 7 % 12] for i in range(1000)], labels, others, seed)
            drawn.append(list(second))  # each word once
        given = f"1,000 labels, 12 words and two new ones, seed {seed}; the same under other names in the same order"
        if sorted(drawn[0]) == sorted(drawn[1]):  # the same draws have come, which no name has decided
            true(drawn[0] == drawn[1], "the draws go to the words in an order that a set may have", given=given)


@exercise("control_labels", points=0.5, needs="test_a_word_has_one_label_wherever_it_stands")
def test_another_run_of_python_has_the_same_labels(student: Student) -> None:
    words, labels = [f"w{number}" for number in range(60)], list(range(60))
    here = [list(part) for part in student.control_labels(words, labels, ["x", "w1"], 3)]
    with another_run_of_python(student):
        there = [list(part) for part in student.control_labels(words, labels, ["x", "w1"], 3)]
    given = "60 words and labels, and again where hash() gives other numbers, as in another run"
    true(here == there, "the labels are others", given=given)


@exercise("control_labels", points=0.5, needs="test_a_word_has_one_label_wherever_it_stands")
def test_seed_0_is_a_seed_like_others(student: Student) -> None:
    words, labels = [f"w{number}" for number in range(100)], [0, 1] * 50
    once, again = ([list(part) for part in student.control_labels(words, labels, ["x"], 0)] for _ in range(2))
    true(again == once, "the labels are others the second time", given="100 words, two labels, seed 0 twice")


# selectivity
def by_hand(right: Sequence[bool], control: Sequence[bool], words: Sequence[str]) -> tuple[float, float]:
    apart = [int(a) - int(b) for a, b in zip(right, control, strict=True)]
    mean = sum(apart) / len(apart)
    sums: dict[str, float] = defaultdict(float)
    for word, one in zip(words, apart, strict=True):
        sums[word] += one - mean
    return mean, math.sqrt(sum(one**2 for one in sums.values())) / len(apart)


@exercise("selectivity", points=0.5)
@for_all(
    examples=40,
    words=lists(sampled_from(inputs.WORDS[:5]), min_size=1, max_size=8),
    right=lists(booleans(), min_size=8, max_size=8),
    control=lists(booleans(), min_size=8, max_size=8),
)
def test_any_tokens_are_counted_by_type(student: Student, words: list[str], right: list[bool], control: list[bool]) -> None:
    right, control = right[: len(words)], control[: len(words)]
    found = student.selectivity(torch.tensor(right), torch.tensor(control), words)
    close([float(one) for one in found], list(by_hand(right, control, words)))


@exercise("selectivity", points=0.5, needs="test_tokens_of_one_word_count_together")
def test_many_types_are_all_counted(student: Student) -> None:
    words = [f"w{number % 60}" for number in range(240)]
    right, control = torch.arange(240) % 3 > 0, torch.arange(240) % 5 > 2
    found = student.selectivity(right, control, words)
    expected = by_hand(right.tolist(), control.tolist(), words)
    close([float(one) for one in found], list(expected), given="240 tokens of 60 words")
    words = ["the" if number % 8 else f"w{number % 5}" for number in range(4000)]
    right, control = torch.arange(4000) % 8 > 0, torch.arange(4000) % 16 > 11
    expected = by_hand(right.tolist(), control.tolist(), words)
    found = student.selectivity(right, control, words)
    close([float(one) for one in found], list(expected), given="4,000 tokens, of which 3,500 are one word")


@exercise("selectivity", points=0.5, needs="test_it_is_the_difference_of_two_accuracies")
def test_both_numbers_are_plain_floats(student: Student) -> None:
    found = student.selectivity(torch.tensor([True, False]), torch.tensor([False, False]), ["a", "b"])
    kinds = [type(plain(one)).__name__ for one in found]
    equal(kinds, ["float", "float"], given="two tokens; the types of what comes back")
    found = student.selectivity(torch.tensor([True]), torch.tensor([False]), ["a"])
    given = "a single token, at which the probe is right and the control's is not"
    equal([type(plain(one)).__name__ for one in found], ["float", "float"], given=f"{given}; the types of what comes back")
    close([float(one) for one in found], [1.0, 0.0], given=given)


@exercise("selectivity", points=0.5, needs="test_tokens_of_one_word_count_together")
def test_words_that_differ_in_case_are_two(student: Student) -> None:
    same = (["the ", "the"], ["café", "cafe\u0301"], ["café", "cafe"], ["ß", "ss"], ["1", "01"], ["ab", "ba"])
    for words in (["The", "the"], ["", "the"], *same):
        found = student.selectivity(torch.tensor([True, True]), torch.tensor([True, False]), words)
        given = f"differences 0 at {words[0]!r}, 1 at {words[1]!r}; the standard error"
        close(float(found[1]), math.sqrt(0.5) / 2, given=given)


# layer_centres
def centres(scores: Sequence[float], cumulative: Sequence[float]) -> tuple[float, float | None]:
    odds = [math.exp(one - max(scores)) for one in scores]
    gravity = sum(layer * one for layer, one in enumerate(odds)) / sum(odds)
    whole = cumulative[-1] - cumulative[0]
    if not whole:
        return gravity, None
    return gravity, sum(n * (cumulative[n] - cumulative[n - 1]) for n in range(1, len(cumulative))) / whole


@exercise("layer_centres", points=0.5)
@for_all(
    examples=40,
    scores=lists(inputs.numbers() | sampled_from([-50.0, 30.0]), min_size=2, max_size=6),
    cumulative=lists(integers(0, 8).map(lambda n: n / 8), min_size=6, max_size=6),
)
def test_any_network_is_weighed_by_hand(student: Student, scores: list[float], cumulative: list[float]) -> None:
    cumulative = cumulative[: len(scores)]
    gravity, expected = centres(scores, cumulative)
    found = student.layer_centres(torch.tensor(scores, dtype=torch.float64), cumulative)
    close(float(found[0]), gravity)
    if expected is None:
        equal(found[1], None)
    else:
        close(float(found[1]), expected)


@exercise("layer_centres", points=0.5, needs="test_scores_become_shares_by_a_softmax")
def test_scores_may_be_far_from_zero(student: Student) -> None:
    for first in (900.0, -900.0):
        found = student.layer_centres(torch.tensor([first, first + math.log(3)], dtype=torch.float64), [0.0, 1.0])
        close(float(found[0]), 0.75, given=f"scores {first:.0f} and ln 3 more; the centre of gravity")


@exercise("layer_centres", points=0.5, needs="test_the_expected_layer_weighs_each_layer_by_what_it_adds")
def test_a_network_may_have_24_layers(student: Student) -> None:
    cumulative = [0.5 + layer / 64 for layer in range(25)]
    found = student.layer_centres(torch.zeros(25), cumulative)
    close([float(one) for one in found], [12.0, 12.5], given="24 layers and the embeddings, even scores, even gains")


@exercise("layer_centres", points=0.5, needs="test_the_expected_layer_weighs_each_layer_by_what_it_adds")
def test_a_loss_on_the_whole_is_divided_by_all_the_same(student: Student) -> None:
    found = student.layer_centres(torch.zeros(3), [1.0, 0.75, 0.5])
    close(float(found[1]), 1.5, given="cumulative scores 1, .75, .5; the expected layer")
    found = student.layer_centres(torch.zeros(3), [0.0, 0.0, 0.5])
    close(float(found[1]), 2.0, given="cumulative scores 0, 0, .5; the expected layer")
    for name, one in zip(("centre of gravity", "expected layer"), found, strict=True):
        true(isinstance(plain(one), float), "a float was expected", given=f"three layers; the {name}", actual=one)


@exercise("layer_centres", points=0.5, needs="test_the_expected_layer_weighs_each_layer_by_what_it_adds")
def test_the_last_score_is_held_against_the_first_itself(student: Student) -> None:
    found = student.layer_centres(torch.zeros(4), [0.1, 0.7, 0.3, 0.1])
    equal(found[1], None, given="cumulative scores .1, .7, .3, .1, whose differences add up to 3e-17; the expected layer")
    for first, more in ((0.5, 2**-50), (0.0, 1e-20)):
        found = student.layer_centres(torch.zeros(3), [first, first, first + more])
        given = f"cumulative scores {first}, {first}, {more:.0e} more; the expected layer"
        true(found[1] is not None, "the last score is not the first", given=given)
        close(found[1], 2.0, given=given)
    found = student.layer_centres(torch.zeros(3), [0.0, 0.5, 0.25])
    given = "cumulative scores 0, .5, .25, of which layer 1 adds .5 and layer 2 takes .25; the expected layer"
    true(found[1] is not None, "the last score is not the first", given=given)
    close(found[1], 0.0, given=given)
    found = student.layer_centres(torch.zeros(4), [0.7, 0.1 + 0.2, 0.9, 0.7])
    equal(found[1], None, given="cumulative scores .7, .1 + .2, .9, .7; the expected layer")


# online_code
@exercise("online_code", points=0.5)
@for_all(examples=30, sizes=lists(integers(0, 3), min_size=1, max_size=4), classes=integers(2, 5), seed=integers(0, 99))
def test_any_blocks_cost_what_their_labels_cost(student: Student, sizes: list[int], classes: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    sizes = [*sizes[:-1], sizes[-1] + 1]
    blocks: list[tuple[Tensor | None, Tensor]] = []
    bits, alone = 0.0, 1 + seed % 3  # so many blocks have no probe
    for number, count in enumerate(sizes):
        labels = torch.randint(classes, (count,), generator=generator)
        logits = torch.randint(-16, 17, (count, classes), generator=generator).double() / 8
        if number < alone:
            bits += count * math.log2(classes)
        else:
            odds = logits.exp()
            for row, label in zip(odds, labels.tolist(), strict=True):
                bits -= math.log2(float(row[label] / row.sum()))
        blocks.append((None if number < alone else logits, labels))
    found = student.online_code(blocks, classes)
    close([float(one) for one in found], [bits, sum(sizes) * math.log2(classes) / bits])


@exercise("online_code", points=0.5, needs="test_a_probe_pays_the_bits_of_what_it_finds_improbable")
def test_a_probe_may_be_very_sure_and_wrong(student: Student) -> None:
    blocks = [(torch.tensor([[800.0, 0.0, 0.0]]), torch.tensor([1]))]
    found = student.online_code(blocks, 3)
    close(float(found[0]), 800 / math.log(2), given="three classes, scores (800, 0, 0), the label 1; bits")


@exercise("online_code", points=0.5, needs="test_labels_of_a_block_add_up")
def test_the_first_block_may_have_a_probe_and_a_later_one_none(student: Student) -> None:
    logits = torch.zeros(2, 2)
    found = student.online_code([(logits, torch.tensor([0, 1])), (None, torch.tensor([1])), (logits[:0], torch.zeros(0).long())], 2)
    close([float(one) for one in found], [3.0, 1.0], given="two even labels, one without a probe, an empty block; bits and compression")


@exercise("online_code", points=0.5, needs="test_compression_is_the_even_code_by_this_one")
def test_a_code_of_no_bits_compresses_infinitely(student: Student) -> None:
    blocks = [(torch.tensor([[0.0, -2000.0]], dtype=torch.float64), torch.tensor([0]))]
    found = student.online_code(blocks, 2)
    equal([float(one) for one in found], [0.0, math.inf], given="one label of probability 1; bits and compression")
    blocks = [(torch.tensor([[0.0, -16.0]], dtype=torch.float64), torch.tensor([0]))]
    bits = math.log1p(math.exp(-16)) / math.log(2)
    given = "one label of logits 0 and −16, the label 0: less than a millionth of a bit; bits and compression"
    close([float(one) for one in student.online_code(blocks, 2)], [bits, 1 / bits], given=given, rtol=1e-6, atol=0)
    blocks = [(torch.tensor([[0.0, -30.0]], dtype=torch.float64), torch.tensor([0]))]
    bits = math.log1p(math.exp(-30)) / math.log(2)
    given = "one label of logits 0 and −30, the label 0; bits and compression"
    close([float(one) for one in student.online_code(blocks, 2)], [bits, 1 / bits], given=given, rtol=0.02, atol=0)


@exercise("online_code", points=0.5, needs="test_labels_of_a_block_add_up")
def test_bits_are_a_plain_float_and_many_blocks_are_all_read(student: Student) -> None:
    blocks = [(None, torch.tensor([0]))] + [(torch.zeros(1, 4), torch.tensor([3]))] * 15
    found = student.online_code(blocks, 4)
    equal([type(plain(one)).__name__ for one in found], ["float", "float"], given="sixteen blocks; the types of what comes back")
    close(float(found[0]), 32.0, given="sixteen labels of four even classes in blocks of one; bits")
    found = student.online_code([(None, torch.zeros(3000).long()), (torch.zeros(5000, 4), torch.full((5000,), 3))], 4)
    close([float(one) for one in found], [16000.0, 1.0], given="3,000 labels without a probe, 5,000 of four even classes; bits and compression")


# structure_loss
def loss_by_hand(vectors: Tensor, transform: Tensor, distances: Tensor, lengths: Tensor) -> Tensor:
    """Pair by pair."""
    costs = []
    for x, table, count in zip(vectors, distances, lengths.tolist(), strict=True):
        pairs = [(i, j) for i in range(count) for j in range(count)]
        apart = [(table[i, j] - ((transform @ (x[i] - x[j])) ** 2).sum()).abs() for i, j in pairs]
        costs.append(torch.stack(apart).sum() / count**2)
    return torch.stack(costs).mean()


@exercise("structure_loss", points=0.5)
@for_all(
    examples=20,
    lengths=lists(integers(1, 5), min_size=1, max_size=3),
    width=integers(1, 4),
    rank=integers(1, 4),
    more=integers(0, 2),
    beyond=sampled_from([0.0, 7.0, math.nan, math.inf, -math.inf]),
    seed=integers(0, 99),
)
def test_any_sentences_cost_what_their_pairs_cost(
    student: Student, lengths: list[int], width: int, rank: int, more: int, beyond: float, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    count, longest = len(lengths), max(lengths) + more
    vectors, transform = drawn(count, longest, width, seed=seed), drawn(rank, width, seed=seed + 1)
    edges = torch.randint(0, 5, (count, longest, longest), generator=generator).double().triu(1)
    edges = edges + edges.transpose(1, 2)
    for number, words in enumerate(lengths):
        vectors[number, words:], edges[number, words:], edges[number, :, words:] = beyond, beyond, beyond
    some = (vectors, transform, edges, torch.tensor(lengths))
    close(student.structure_loss(*some), loss_by_hand(*some))


@exercise("structure_loss")
def test_the_map_can_be_trained(student: Student) -> None:
    vectors, transform, lengths = drawn(2, 4, 3, seed=7), drawn(2, 3, seed=8), torch.tensor([4, 2])
    edges = torch.tensor([[0.0, 1, 2, 2], [1, 0, 1, 1], [2, 1, 0, 2], [2, 1, 2, 0]], dtype=torch.float64).repeat(2, 1, 1)

    def oracle(transform: Tensor) -> Tensor:
        return loss_by_hand(vectors, transform, edges, lengths)

    leaf = transform.clone().requires_grad_()
    expected = torch.autograd.grad(oracle(leaf), leaf)[0]
    given = "trees of 4 and 2 words, a map from width 3 to 2; the gradient for the map"
    (found,) = student.gradients("structure_loss", vectors, transform.clone().requires_grad_(), edges, lengths)
    true(found is not None, "the loss knows nothing of the map, so it cannot be trained", given=given)
    close(found, expected, given=given)


@exercise("structure_loss", points=0.5, needs="test_random_sentences_cost_what_their_pairs_cost")
def test_no_gradient_comes_out_of_padding(student: Student) -> None:
    vectors, transform, lengths = drawn(2, 3, 2, seed=9), drawn(2, 2, seed=10), torch.tensor([3, 1])
    edges = torch.tensor([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]], dtype=torch.float64).repeat(2, 1, 1)
    leaf = transform.clone().requires_grad_()
    expected = torch.autograd.grad(loss_by_hand(vectors, leaf, edges, lengths), leaf)[0]
    vectors[1, 1:] = math.nan
    edges[1, 1:], edges[1, :, 1:] = math.inf, math.inf
    (found,) = student.gradients("structure_loss", vectors, transform.clone().requires_grad_(), edges, lengths)
    given = "sentences of 3 and 1 words, NaN and infinity beyond them; the gradient for the map"
    true(found is not None, "the loss knows nothing of the map, so it cannot be trained", given=given)
    close(found, expected, given=given)


@exercise("structure_loss", points=0.5, needs="test_random_sentences_cost_what_their_pairs_cost")
def test_sentences_far_from_zero_cost_what_those_near_it_do(student: Student) -> None:
    near = torch.tensor([[[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [0.5, 1.0]]])
    places = torch.arange(4.0)
    some = torch.tensor([[1.0, 0.0], [0.5, 0.5]]), (places[:, None] - places).abs()[None], torch.tensor([4])
    # Multiples of 1/2 about 65,536 are exact in float32, and so are their maps.
    given = "a chain of four words in float32, apart by 1 or less, about (65536, 65536)"
    close(student.structure_loss(near + 65536, *some), loss_by_hand(near, *some), given=given)
    near = torch.stack([torch.arange(40) % 3, torch.arange(40) % 4], dim=-1)[None] / 2
    places = torch.arange(40.0)
    some = torch.tensor([[1.0, 0.0], [0.5, 0.5]]), (places[:, None] - places).abs()[None], torch.tensor([40])
    given = "a chain of forty words in float32, apart by 2 or less, about (4096, 4096)"
    close(student.structure_loss(near + 4096, *some), loss_by_hand(near, *some), given=given)


# precision_at
@exercise("precision_at", points=0.5)
@for_all(
    examples=40,
    scores=lists(lists(integers(0, 4), min_size=6, max_size=6), min_size=1, max_size=4),
    out=lists(lists(integers(0, 5), max_size=3), min_size=4, max_size=4),
    k=integers(1, 4),
)
def test_any_questions_are_ranked_by_hand(student: Student, scores: list[list[int]], out: list[list[int]], k: int) -> None:
    candidates = [5, 0, 3, 2]
    answers = [candidates[number % 4] for number in range(len(scores))]
    also = [[one for one in some if one != answer] for some, answer in zip(out, answers, strict=False)]
    found = 0
    for row, answer, gone in zip(scores, answers, also, strict=True):
        rank = 1 + sum(row[one] >= row[answer] for one in candidates if one != answer and one not in gone)
        found += rank <= k
    close(float(student.precision_at(torch.tensor(scores).float(), candidates, answers, also, k)), found / len(scores))


@exercise("precision_at", points=0.5, needs="test_what_is_right_as_well_does_not_compete")
def test_each_question_has_its_own_list(student: Student) -> None:
    logits = torch.tensor([[5.0, 4.0, 3.0]]).repeat(3, 1)
    found = student.precision_at(logits, [0, 1, 2], [2, 2, 2], [[0, 1], [0], [1]], 1)
    close(float(found), 1 / 3, given="scores (5, 4, 3) three times, the answer 2; not competing: 0 and 1; 0; 1; P@1")


@exercise("precision_at", points=0.5, needs="test_the_first_candidate_is_what_counts")
def test_scores_may_all_be_far_below_zero(student: Student) -> None:
    logits = torch.tensor([[-5000.0, -6000.0, -7000.0], [-5000.0, -4000.0, -7000.0]])
    found = student.precision_at(logits, [0, 1, 2], [0, 0], [[1], [1]], 1)
    close(float(found), 1.0, given="scores (−5000, −6000, −7000), (−5000, −4000, −7000), the answer 0, 1 does not compete; P@1")


@exercise("precision_at", points=0.5, needs="test_what_is_right_as_well_does_not_compete")
def test_what_does_not_compete_ties_with_nobody(student: Student) -> None:
    logits = torch.tensor([[-math.inf, 2.0, 1.0]])
    found = student.precision_at(logits, [0, 1, 2], [0], [[1, 2]], 1)
    close(float(found), 1.0, given="scores (−∞, 2, 1), the answer 0; 1 and 2 do not compete; P@1")
    found = student.precision_at(logits, [0, 1, 2], [0], [[1]], 1)
    close(float(found), 0.0, given="scores (−∞, 2, 1), the answer 0; 1 does not compete; P@1")
    logits = torch.tensor([[-math.inf, 1.0, -math.inf, -math.inf]])
    for k, expected in ((1, 0.0), (2, 0.0), (3, 1.0)):
        found = student.precision_at(logits, [3, 1, 0, 2], [0], [[1]], k)
        close(float(found), expected, given=f"scores (−∞, 1, −∞, −∞), the answer 0; 1 does not compete; P@{k}")


@exercise("precision_at", points=0.5, needs="test_the_first_candidate_is_what_counts")
def test_the_share_is_a_plain_float(student: Student) -> None:
    found = student.precision_at(torch.tensor([[1.0, 2.0]]), [0, 1], [1], [[]], 1)
    equal(type(plain(found)).__name__, "float", given="one question, two candidates; the type of what comes back")


@exercise("precision_at", points=0.5, needs="test_the_first_candidate_is_what_counts")
def test_an_answer_without_a_rival_is_the_first(student: Student) -> None:
    found = student.precision_at(torch.tensor([[1.0, 2.0]]), [0, 1], [0], [[1]], 1)
    close(float(found), 1.0, given="candidates 0 and 1, of which 1 does not compete, the answer 0; P@1")
    found = student.precision_at(torch.tensor([[1.0, 2.0]]), [0], [0], [[]], 2)
    close(float(found), 1.0, given="the only candidate 0, the answer 0; P@2")
    found = student.precision_at(torch.tensor([[1.0, 2.0]]), [0, 1], [0], [[]], 100)
    close(float(found), 1.0, given="candidates 0 and 1, the answer 0; P@100")


@exercise("precision_at", points=0.5, needs="test_the_first_candidate_is_what_counts")
def test_all_candidates_and_questions_are_looked_at(student: Student) -> None:
    count = 30
    logits = torch.arange(float(count)).repeat(count, 1)  # each question scores candidate n with n
    found = student.precision_at(logits, list(range(count)), list(range(count)), [[] for _ in range(count)], 12)
    close(float(found), 12 / 30, given="30 questions and candidates, candidate n scores n everywhere, answers 0 to 29; P@12")
    gone = [[one for one in range(count) if one > number] for number in range(count)]
    found = student.precision_at(logits, list(range(count)), list(range(count)), gone, 1)
    close(float(found), 1.0, given="the same, all that score higher do not compete; P@1")


@exercise("precision_at", points=0.5, needs="test_a_tie_counts_against_the_model")
def test_scores_are_told_apart_to_the_last_digit(student: Student) -> None:
    logits = torch.tensor([[16777216.0, 16777218.0]])
    close(float(student.precision_at(logits, [0, 1], [1], [[]], 1)), 1.0, given="scores 16777216 and 16777218, the answer is the second; P@1")
    found = student.precision_at(torch.tensor([[1.0, 1.0 + 2**-50]], dtype=torch.float64), [0, 1], [1], [[]], 1)
    close(float(found), 1.0, given="scores 1 and 1 + 2^−50 in float64, the answer is the second; P@1")
    found = student.precision_at(torch.tensor([[1e-30, 2e-30]], dtype=torch.float64), [0, 1], [1], [[]], 1)
    close(float(found), 1.0, given="scores 1e-30 and 2e-30, the answer is the second; P@1")


# remove_directions
@exercise("remove_directions", points=0.5)
@for_all(examples=30, count=integers(1, 3), width=integers(1, 5), rows=integers(1, 4), rank=integers(1, 3), seed=integers(0, 99))
def test_what_is_left_is_the_least_squares_rest(
    student: Student, count: int, width: int, rows: int, rank: int, seed: int
) -> None:
    vectors = drawn(count, width, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    left, right = (torch.randint(-2, 3, shape, generator=generator).double() for shape in ((rows, rank), (rank, width)))
    weight = left @ right
    basis, *_ = np.linalg.svd(weight.T.numpy(), full_matrices=False)
    basis = basis[:, : np.linalg.matrix_rank(weight.numpy())]  # (H, R)
    expected = vectors.numpy() - vectors.numpy() @ basis @ basis.T
    close(student.remove_directions(vectors, weight), expected)


@exercise("remove_directions", points=0.5, needs="test_rows_that_sum_to_zero_are_one_direction_fewer")
def test_rows_that_nearly_depend_are_one_direction(student: Student) -> None:
    vectors = drawn(2, 3, seed=6)
    for scale in (1.0, 1e-4, 1e4, 1e-12, 1e9):
        weight = scale * torch.tensor([[1.0, 0.0, 0.0], [1.0, 1e-6, 0.0]], dtype=torch.float64)
        expected = vectors * torch.tensor([0.0, 1.0, 1.0])
        given = f"a probe with rows (1, 0, 0), (1, 0.000001, 0), times {scale:g}"
        close(student.remove_directions(vectors, weight), expected, given=given, atol=1e-5)
        weight = scale * torch.tensor([[1.0, 0.0, 0.0], [1.0, 1e-3, 0.0]], dtype=torch.float64)
        expected = vectors * torch.tensor([0.0, 0.0, 1.0])
        close(student.remove_directions(vectors, weight), expected, given=given.replace("0.000001", "0.001"), atol=1e-5)


@exercise("remove_directions", points=0.5, needs="test_one_direction_is_taken_out")
def test_a_direction_counts_above_a_hundred_thousandth_of_the_greatest(student: Student) -> None:
    vectors = drawn(2, 3, seed=11)
    for value, left in ((1.5e-5, 0.0), (0.7e-5, 1.0)):
        weight = torch.tensor([[1.0, 0.0, 0.0], [0.0, value, 0.0]], dtype=torch.float64)
        expected = vectors * torch.tensor([0.0, left, 1.0])
        close(student.remove_directions(vectors, weight), expected, given=f"a probe with rows (1, 0, 0), (0, {value:f}, 0)")


@exercise("remove_directions", points=0.5, needs="test_one_direction_is_taken_out")
def test_one_vector_stays_a_row_and_none_stay_none(student: Student) -> None:
    weight = torch.tensor([[1.0, 0.0]])
    close(student.remove_directions(torch.tensor([[2.0, 3.0]]), weight), [[0.0, 3.0]], given="one vector (2, 3), a probe along (1, 0)")
    for kind in (torch.float32, torch.float64):
        found = torch.as_tensor(student.remove_directions(torch.zeros(0, 2, dtype=kind), weight))
        given = f"no vector of width 2, {kind}; what comes back"
        equal(tuple(found.shape), (0, 2), given=f"{given}: its shape")
        equal(str(found.dtype), str(kind), given=f"{given}: its type")
    vectors = torch.tensor([[2.0, 3.0, 1.0]]).repeat(600, 1)
    found = student.remove_directions(vectors, torch.tensor([[1.0, 0.0, 0.0]] * 12))
    close(found, [[0.0, 3.0, 1.0]] * 600, given="600 times (2, 3, 1), a probe of twelve rows (1, 0, 0)")


@exercise("remove_directions", points=0.5, needs="test_one_direction_is_taken_out")
def test_what_is_left_has_the_vectors_type(student: Student) -> None:
    kinds = (torch.float32, torch.float64), (torch.float64, torch.float32), (torch.float16, torch.float32)
    for kind, other in kinds:
        found = student.remove_directions(torch.ones(2, 3, dtype=kind), torch.eye(3, dtype=other)[:1])
        actual = torch.as_tensor(found).dtype
        true(actual == kind, f"{kind} was expected", given=f"vectors {kind}, a weight {other}", actual=str(actual))
        close(found, [[0.0, 1.0, 1.0]] * 2, given=f"ones, {kind}, a probe along (1, 0, 0), {other}")


@exercise("remove_directions", points=0.5, needs="test_directions_need_not_be_at_right_angles")
def test_what_is_left_keeps_double_precision(student: Student) -> None:
    vectors = torch.tensor([[4096.0, 4097.0, 1/3]], dtype=torch.float64)
    found = student.remove_directions(vectors, torch.tensor([[3.0, 4.0, 0.0]], dtype=torch.float64))
    along = (3 * 4096 + 4 * 4097) / 25
    expected = [[4096 - 3 * along, 4097 - 4 * along, 1 / 3]]
    close(found, expected, given="(4096, 4097, 1/3) in float64, a probe along (3, 4, 0), to ten digits", rtol=1e-10, atol=0)


# metrics: on text that the notebook has not chosen
BEYOND = 50_000
WORDS = 40_000
TOKENS = 600
TASKS = tuple(probing.LABELS)
CLASSES = 9  # the most that a task has


@functools.cache
def _model() -> tuple[BertForPretraining, WordPiece]:
    model, tokenizer = pretrained.load("world-en")
    return model.eval(), tokenizer


@functools.cache
def _encoder(name: str, seed: int) -> Bert:
    """The course's BERT, or the random one of the run's seed."""
    model, _ = _model()
    if name == "pre-trained":
        return model.bert
    torch.manual_seed(seed)
    return Bert(model.bert.config).eval()


@functools.cache
def _text(seed: int) -> tuple[Sentences, list[Occurrence]]:
    return probing.occurrences("en", BEYOND + seed, WORDS)


@functools.cache
def _vectors(name: str, seed: int) -> list[Tensor]:
    return probing.word_vectors(_encoder(name, seed), _model()[1], _text(seed)[0])


@functools.cache
def _examples(name: str, task: str, seed: int) -> Examples:
    return probing.examples(task, _text(seed)[1], _vectors(name, seed), TOKENS)


def _layers() -> int:
    return len(_model()[0].bert.layers) + 1


def _table(artifacts: Artifacts, name: str, *shape: int) -> Tensor:
    found = artifacts.tensor(name, ndim=len(shape))
    if tuple(found.shape) != shape or not found.is_floating_point():
        raise BadArtifact(f"the tensor {name!r} has shape {tuple(found.shape)}, expected {shape} floats")
    return found.float()


def _said(probe: Tensor, vectors: Tensor, classes: int) -> Tensor:
    """The class that a recorded probe, (9, H + 1), gives each vector."""
    return (vectors @ probe[:classes, :-1].T + probe[:classes, -1]).argmax(dim=1)


def _right(artifacts: Artifacts, name: str, task: str, layer: int) -> float:
    """The accuracy of a recorded probe."""
    width = _model()[0].bert.config.hidden_size
    probes = _table(artifacts, "probes", 2 * len(TASKS) * _layers(), CLASSES, width + 1)
    row = ((name == "untrained") * len(TASKS) + TASKS.index(task)) * _layers() + layer
    some = _examples(name, task, artifacts.seed)
    hit = _said(probes[row], some.vectors[:, layer], len(probing.LABELS[task])) == some.labels
    return float(hit.double().mean())


def _controlled(artifacts: Artifacts) -> tuple[Tensor, Tensor]:
    """Which of the grader's tokens have a control label, and these labels: (O,) bool, (M,)."""
    words, labels = artifacts.strings("control_words"), artifacts.tensor("control_labels", ndim=1)
    if len(words) != len(labels) or labels.is_floating_point():
        raise BadArtifact(f"there are {len(words)} control words and {len(labels)} control labels")
    given = dict(zip(words, labels.tolist(), strict=True))
    some = _examples("pre-trained", "kind", artifacts.seed)
    known = torch.tensor([word in given for word in some.words])
    if int(known.sum()) < TOKENS // 2:
        raise BadArtifact("most words of another text have no control label")
    return known, torch.tensor([given[word] for word in some.words if word in given])


def _kind_selectivity(artifacts: Artifacts, layer: int) -> float:
    """The accuracy of the linear probe of kinds minus that of its control, at words that have a control label."""
    known, labels = _controlled(artifacts)
    some = _examples("pre-trained", "kind", artifacts.seed)
    probes = _table(artifacts, "control_probes", _layers(), CLASSES, some.vectors.shape[2] + 1)
    control = _said(probes[layer], some.vectors[known, layer], len(probing.KINDS)) == labels
    return _right(artifacts, "pre-trained", "kind", layer) - float(control.double().mean())


@metric("kind_selectivity")
def kind_selectivity(artifacts: Artifacts) -> float:
    return _kind_selectivity(artifacts, _layers() - 1)


@metric("upper_more_selective")
def upper_more_selective(artifacts: Artifacts) -> float:
    return _kind_selectivity(artifacts, _layers() - 1) - _kind_selectivity(artifacts, 1)


@metric("linear_more_selective")
def linear_more_selective(artifacts: Artifacts) -> float:
    numbers = artifacts.tensor("mlps", ndim=2)
    some, classes = _examples("pre-trained", "kind", artifacts.seed), len(probing.KINDS)
    width = some.vectors.shape[2]
    hidden, rest = divmod(numbers.shape[1] - classes, width + 1 + classes)
    if len(numbers) != 2 or rest or hidden < 1:
        raise BadArtifact(f"'mlps' has shape {tuple(numbers.shape)}: no two networks with one hidden layer")
    known, labels = _controlled(artifacts)
    shares = []
    for row, (rows, truth) in zip(numbers, ((torch.ones_like(known), some.labels), (known, labels)), strict=True):
        network = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, classes)).requires_grad_(False)
        vector_to_parameters(row.float(), network.parameters())
        shares.append(float((network(some.vectors[rows, -1]).argmax(dim=1) == truth).double().mean()))
    return _kind_selectivity(artifacts, _layers() - 1) - (shares[0] - shares[1])


def _context(artifacts: Artifacts, task: str) -> float:
    """What the top layer has over the embeddings."""
    return _right(artifacts, "pre-trained", task, _layers() - 1) - _right(artifacts, "pre-trained", task, 0)


@metric("sense_by_context")
def sense_by_context(artifacts: Artifacts) -> float:
    return _context(artifacts, "sense")


@metric("topic_by_context")
def topic_by_context(artifacts: Artifacts) -> float:
    return _context(artifacts, "topic")


@metric("kind_by_context")
def kind_by_context(artifacts: Artifacts) -> float:
    return _context(artifacts, "kind")


def _trained(artifacts: Artifacts, task: str) -> float:
    """What the trained encoder has over the untrained one at the top."""
    top = _layers() - 1
    return _right(artifacts, "pre-trained", task, top) - _right(artifacts, "untrained", task, top)


@metric("topic_untrained")
def topic_untrained(artifacts: Artifacts) -> float:
    return _trained(artifacts, "topic")


@metric("kind_untrained")
def kind_untrained(artifacts: Artifacts) -> float:
    return _trained(artifacts, "kind")


def _bits(artifacts: Artifacts, student: Student, name: str, random_labels: bool) -> float:
    """The student's code length for the grader's labels of kinds, the top layer's vectors."""
    some, classes = _examples(name, "kind", artifacts.seed), len(probing.KINDS)
    labels = some.labels
    if random_labels:
        generator = torch.Generator().manual_seed(artifacts.seed)
        given = {word: int(labels[torch.randint(len(labels), (1,), generator=generator)]) for word in sorted(set(some.words))}
        labels = torch.tensor([given[word] for word in some.words])
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(artifacts.seed))
    vectors, labels = some.vectors[order, -1], labels[order]
    ends = [round(fraction * len(labels)) for fraction in (0, 0.05, 0.1, 0.2, 0.4, 0.7, 1)]
    blocks: list[tuple[Tensor | None, Tensor]] = []
    for start, end in itertools.pairwise(ends):
        logits = None
        if start:
            logits = probing.softmax_probe(vectors[:start], labels[:start], classes)(vectors[start:end])
        blocks.append((logits, labels[start:end]))
    return float(student.online_code(blocks, classes)[0])


@metric("code_untrained")
def code_untrained(artifacts: Artifacts, student: Student) -> float:
    return _bits(artifacts, student, "untrained", False) / _bits(artifacts, student, "pre-trained", False)


@metric("code_control")
def code_control(artifacts: Artifacts, student: Student) -> float:
    return _bits(artifacts, student, "pre-trained", True) / _bits(artifacts, student, "pre-trained", False)


def _gravity(artifacts: Artifacts, student: Student) -> dict[str, float]:
    """The student's centres of gravity of the recorded mixtures."""
    mixes = _table(artifacts, "mixes", len(TASKS), _layers())
    cumulative = [layer / 4 for layer in range(_layers())]
    return {task: float(student.layer_centres(row, cumulative)[0]) for task, row in zip(TASKS, mixes, strict=True)}


@metric("centre_gap")
def centre_gap(artifacts: Artifacts, student: Student) -> float:
    gravity = _gravity(artifacts, student)
    return (gravity["topic"] + gravity["sense"]) / 2 - gravity["tense"]


@metric("centre_kind")
def centre_kind(artifacts: Artifacts, student: Student) -> float:
    gravity = _gravity(artifacts, student)
    return gravity["kind"] - gravity["tense"]


MIDDLE = 1  # the layer whose maps are recorded


@functools.cache
def _trees(seed: int, unseen: bool) -> list[probing.Parsed]:
    return probing.parsed(200, BEYOND + seed, unseen=unseen)


def _rho(truth: np.ndarray, guess: np.ndarray) -> float:
    """Spearman's ρ, 0 for a guess that is the same everywhere."""
    return 0.0 if np.ptp(guess) == 0 else float(spearmanr(truth, guess).statistic)


def _tree(artifacts: Artifacts, name: str, unseen: bool) -> float:
    """Spearman's ρ of distances after a recorded map and in the tree, mean over sentences."""
    width = _model()[0].bert.config.hidden_size
    maps = artifacts.tensor("maps", ndim=3)
    if len(maps) != 2 or maps.shape[2] != width:
        raise BadArtifact(f"the tensor 'maps' has shape {tuple(maps.shape)}, expected two maps from width {width}")
    sentences = _trees(artifacts.seed, unseen)
    vectors = probing.word_vectors(_encoder(name, artifacts.seed), _model()[1], [one.words for one in sentences])
    found = []
    for one, layers in zip(sentences, vectors, strict=True):
        x = layers[:, MIDDLE] @ maps[int(name == "untrained")].float().T  # (n, R)
        pairs = np.triu_indices(len(one.words), 1)
        guess = torch.cdist(x, x).square().numpy()[pairs]
        found.append(_rho(probing.tree_distances(one.heads).numpy()[pairs], guess))
    return float(np.mean(found))


def _line(seed: int, unseen: bool) -> float:
    """The same for distances in the line of words."""
    found = []
    for one in _trees(seed, unseen):
        pairs = np.triu_indices(len(one.words), 1)
        found.append(_rho(probing.tree_distances(one.heads).numpy()[pairs], pairs[1] - pairs[0]))
    return float(np.mean(found))


@metric("tree_gain")
def tree_gain(artifacts: Artifacts) -> float:
    return _tree(artifacts, "pre-trained", True) - _tree(artifacts, "untrained", True)


@metric("tree_over_line")
def tree_over_line(artifacts: Artifacts) -> float:
    return _tree(artifacts, "pre-trained", True) - _line(artifacts.seed, True)


@metric("tree_seen")
def tree_seen(artifacts: Artifacts) -> float:
    return _tree(artifacts, "pre-trained", False) - _line(artifacts.seed, False)


def _precision(student: Student, questions: Sequence[cloze.Cloze], candidates: Sequence[str]) -> float:
    """P@1 by the student's function."""
    model, tokenizer = _model()
    ids, logits = tokenizer.index, cloze.mask_logits(model, tokenizer, questions)
    also = [[ids[word] for word in one.also] for one in questions]
    return float(student.precision_at(logits, [ids[word] for word in candidates], [ids[one.answer] for one in questions], also, 1))


def _above_chance(student: Student, name: str) -> float:
    """P@1 minus that of a guess, on a relation's questions."""
    questions, candidates = cloze.relations()[name]
    chance = [1 / (len(candidates) - len(set(one.also) & set(candidates))) for one in questions]
    return _precision(student, questions, candidates) - sum(chance) / len(chance)


@metric("stated")
def stated(artifacts: Artifacts, student: Student) -> float:
    return _above_chance(student, "custom")


@metric("in_document")
def in_document(artifacts: Artifacts, student: Student) -> float:
    return _above_chance(student, "capital")


@metric("unstated")
def unstated(artifacts: Artifacts, student: Student) -> float:
    return _above_chance(student, "neighbour")


@metric("negated")
def negated(artifacts: Artifacts, student: Student) -> float:
    questions, candidates = cloze.relations()["custom"]
    return _precision(student, cloze.with_word(questions, "not"), candidates)


@metric("misprimed_loss")
def misprimed_loss(artifacts: Artifacts, student: Student) -> float:
    relation = cloze.relations()["custom"]
    return _precision(student, *relation) - _precision(student, cloze.misprimed(relation), relation.candidates)


def _used(artifacts: Artifacts, student: Student, name: str) -> float:
    """Nats for a hidden thing that the recorded directions cost more than as many random ones, taken out by the student's function."""
    model, tokenizer = _model()
    directions = artifacts.tensor(name, ndim=2).float()
    if directions.shape[1] != model.bert.config.hidden_size or not len(directions):
        raise BadArtifact(f"the tensor {name!r} has shape {tuple(directions.shape)}: no directions of the top layer")
    sentences, found = _text(artifacts.seed)
    things = [one for one in found if one.kind == "thing" and one.tense and one.word in tokenizer.index]
    some = things[:: max(1, len(things) // TOKENS)][:TOKENS]
    vectors, answers = cloze.masked_vectors(model, tokenizer, sentences, some)
    rank = int(torch.linalg.matrix_rank(directions.double(), rtol=1e-5))
    noise = torch.randn(rank, vectors.shape[1], generator=torch.Generator().manual_seed(artifacts.seed))
    prices = []
    for these in (directions, noise):
        left = torch.as_tensor(student.remove_directions(vectors, these)).float()
        with torch.no_grad():
            prices.append(float(functional.cross_entropy(model.token_logits(left), answers)))
    return prices[0] - prices[1]


@metric("topic_used")
def topic_used(artifacts: Artifacts, student: Student) -> float:
    return _used(artifacts, student, "forget_topic")


@metric("tense_used")
def tense_used(artifacts: Artifacts, student: Student) -> float:
    return _used(artifacts, student, "forget_tense")
