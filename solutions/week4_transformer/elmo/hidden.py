"""elmo: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import torch
from hypothesis.strategies import integers, lists, sampled_from
from sklearn.linear_model import Ridge
from torch import Tensor, nn
from torch.nn.functional import nll_loss, one_hot

from etude.lesson.checks import close, close_gradients, exercise, true
from etude.lesson.gradients import WEIGHTED, scalar
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

FEW = 50  # documents whose next words the notebook records
MORE = 30_000  # what the grader adds to the seed for a text that the notebook has not seen


def _normal(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise("bigram_probabilities")
@for_all(
    sentences=lists(lists(inputs.ids(4), min_size=1, max_size=6), min_size=1, max_size=4).filter(
        lambda rows: any(len(row) > 1 for row in rows)
    ),
    k=sampled_from([1.0, 0.1, 0.5, 3.0]),
)
def test_any_sentences_agree_with_counting_pairs(student: Student, sentences: list[list[int]], k: float) -> None:
    pairs = Counter(pair for ids in sentences for pair in itertools.pairwise(ids))
    starts = Counter(first for first, _ in pairs.elements())
    added = Fraction(k)
    expected = [[float((pairs[a, b] + added) / (starts[a] + 4 * added)) for b in range(4)] for a in range(4)]
    close(student.bigram_probabilities(sentences, 4, k), expected, given=f"{sentences}, four tokens, k = {k}")


@exercise("bigram_probabilities", points=0.5)
def test_a_tenth_is_added_unless_told(student: Student) -> None:
    close(
        student.bigram_probabilities([[0, 1, 1]], 2),
        [[0.1 / 1.2, 1.1 / 1.2]] * 2,
        given="the sentence 0 1 1, two tokens",
    )


@exercise("bigram_probabilities", points=0.5, needs="test_any_sentences_agree_with_counting_pairs")
def test_many_sentences_and_long_ones_count_whole(student: Student) -> None:
    close(
        student.bigram_probabilities([[0, 1]] * 12 + [[1] * 12 + [2, 2]], 3, k=1.0),
        [[1 / 15, 13 / 15, 1 / 15], [1 / 15, 12 / 15, 2 / 15], [1 / 4, 1 / 4, 2 / 4]],
        given="twelve sentences 0 1, and one of twelve 1 and two 2; three tokens, k = 1",
    )
    close(student.bigram_probabilities([[0, 0]], 1, k=1.0), [[1.0]], given="the sentence 0 0, one token, k = 1")
    expected = torch.full((300, 300), 1 / 300)
    expected[299], expected[0] = 1 / 302, 1 / 301
    expected[299, 0], expected[299, 298], expected[0, 299] = 2 / 302, 2 / 302, 2 / 301
    found = student.bigram_probabilities([[299, 0, 299, 298]], 300, k=1.0)
    close(found, expected, rtol=1e-4, atol=0, given="the sentence 299 0 299 298, 300 tokens, k = 1")


@exercise("bigram_probabilities", points=0.5, needs="test_any_sentences_agree_with_counting_pairs")
def test_a_pair_may_be_very_frequent_and_k_very_small(student: Student) -> None:
    total = 33_000 + 2e-6
    expected = [[(32_999 + 1e-6) / total, (1 + 1e-6) / total], [0.5, 0.5]]
    given = "the sentence of 33,000 times 0, and 1; two tokens, k = 10⁻⁶"
    close(student.bigram_probabilities([[0] * 33_000 + [1]], 2, k=1e-6), expected, rtol=1e-3, atol=0, given=given)
    expected = [[1e-6 / (1 + 2e-6), (1 + 1e-6) / (1 + 2e-6)], [0.5, 0.5]]
    given = "the sentence 0 1, two tokens, k = 10⁻⁶"
    close(student.bigram_probabilities([[0, 1]], 2, k=1e-6), expected, rtol=1e-3, atol=0, given=given)


@exercise("perplexity")
@for_all(counts=lists(lists(integers(0, 12) | sampled_from([0, 100]), min_size=1, max_size=5), min_size=1, max_size=5))
def test_any_text_has_the_power_of_its_mean_logarithm(student: Student, counts: list[list[int]]) -> None:
    halvings = [n for row in counts for n in row]  # a token with n has the probability 2 to the power −n
    close(
        student.perplexity([[-n * math.log(2) for n in row] for row in counts]),
        2 ** (sum(halvings) / len(halvings)),
        given=f"tokens with probabilities 2^−n, n = {counts}",
    )


@exercise("perplexity", points=0.5, needs="test_equal_chances_give_their_number")
def test_the_perplexity_is_a_plain_number(student: Student) -> None:
    value = student.perplexity([[math.log(1 / 4)] * 2])
    true(isinstance(plain(value), float), "a float was expected", given="two tokens, each with 1/4", actual=value)


@exercise("perplexity", points=0.5, needs="test_any_text_has_the_power_of_its_mean_logarithm")
def test_many_sentences_and_long_ones_count_to_the_last_token(student: Student) -> None:
    half, eighth = math.log(1 / 2), math.log(1 / 8)
    close(
        student.perplexity([[half]] * 12 + [[half] * 12 + [eighth] * 24]),
        4.0,
        given="twelve sentences of one token, 1/2 each; one of twelve tokens with 1/2 and 24 with 1/8",
    )


@exercise("lstm_step", points=1.5)
@for_all(
    examples=30,
    rows=integers(1, 3),
    x=inputs.tables(3, 2),
    h=inputs.tables(3, 3),
    c=inputs.tables(3, 3),
    weight=inputs.tables(12, 5),
    bias=inputs.tables(1, 12),
)
def test_any_step_agrees_with_torch(
    student: Student, rows: int, x: Tensor, h: Tensor, c: Tensor, weight: Tensor, bias: Tensor
) -> None:
    x, h, c, weight_x, weight_h = x[:rows], h[:rows], c[:rows], weight[:, :2], weight[:, 2:]
    cell = nn.LSTMCell(2, 3, dtype=torch.float64)
    weights = {"weight_ih": weight_x, "weight_hh": weight_h, "bias_ih": bias[0], "bias_hh": torch.zeros(12)}
    cell.load_state_dict({name: tensor.double() for name, tensor in weights.items()})
    with torch.no_grad():
        expected = cell(x.double(), (h.double(), c.double()))
    found = student.lstm_step(x, h, c, weight_x.contiguous(), weight_h.contiguous(), bias[0])
    close(found[0], expected[0], given=f"{rows} rows of width 2, three units: the new h", atol=1e-5)
    close(found[1], expected[1], given="the same: the new c", atol=1e-5)


@exercise("lstm_step", points=0.5, needs="test_any_step_agrees_with_torch")
def test_many_rows_of_as_many_numbers_as_units_agree_with_torch(student: Student) -> None:
    x, h, c = (_normal(13, 5, seed=40 + i) for i in range(3))
    weight_x, weight_h, bias = _normal(20, 5, seed=43), _normal(20, 5, seed=44), _normal(20, seed=45)
    cell = nn.LSTMCell(5, 5)
    cell.load_state_dict({"weight_ih": weight_x, "weight_hh": weight_h, "bias_ih": bias, "bias_hh": torch.zeros(20)})
    with torch.no_grad():
        expected = cell(x, (h, c))
    found = student.lstm_step(x, h, c, weight_x, weight_h, bias)
    close(found[0], expected[0], given="13 random rows of width 5, five units: the new h", atol=1e-5)
    close(found[1], expected[1], given="the same: the new c", atol=1e-5)


@exercise("lstm_step", points=0.5, needs="test_a_step_agrees_with_torch")
def test_the_old_output_and_memory_are_left_alone(student: Student) -> None:
    h, c = _normal(2, 3, seed=1), _normal(2, 3, seed=2)
    old_h, old_c = student.put(h.clone()), student.put(c.clone())
    student.lstm_step(
        _normal(2, 4, seed=3), old_h, old_c, _normal(12, 4, seed=4), _normal(12, 3, seed=5), _normal(12, seed=6)
    )
    close(student.value(old_h), h, given="h, after a step")
    close(student.value(old_c), c, given="c, after a step")


def _norms(weight: Tensor, states: Tensor) -> list[float]:
    """The spectral norm of ∂h_N / ∂h_t for each t, by autograd through the network itself."""
    weight, states = weight.double(), states.double().clamp(-0.999, 0.999)
    norms = []
    for start in range(len(states)):

        def last(state: Tensor, start: int = start) -> Tensor:
            for number in range(start + 1, len(states)):
                # The input is whatever brings the network to the state that is given.
                pushed = states[number].atanh() - weight @ states[number - 1]
                state = (weight @ state + pushed).tanh()
            return state

        jacobian = torch.autograd.functional.jacobian(last, states[start])
        norms.append(float(np.linalg.norm(jacobian.numpy(), 2)))
    return norms


@exercise("fading", points=1.5)
@for_all(
    examples=30,
    weight=inputs.tables(3, 3),
    values=lists(lists(integers(-7, 7), min_size=3, max_size=3), min_size=1, max_size=5),
)
def test_any_network_agrees_with_autograd(student: Student, weight: Tensor, values: list[list[int]]) -> None:
    states, weight = torch.tensor(values) / 8, weight.clamp(-2, 2)
    close(
        student.fading(weight, states),
        _norms(weight, states),
        given=f"W = {weight.tolist()}, states {states.tolist()}",
        rtol=1e-3,
        atol=1e-4,
    )


@exercise("fading", points=0.5)
def test_what_has_faded_far_is_small_and_no_floor(student: Student) -> None:
    close(
        student.fading(torch.tensor([[0.0, 0.1], [0.1, 0.0]]), torch.zeros(13, 2)),
        [0.1**steps for steps in range(12, -1, -1)],
        given="W = 0 0.1 / 0.1 0, thirteen states of zero",
        rtol=1e-3,
        atol=0,
    )


@exercise("fading", points=0.5, needs="test_any_network_agrees_with_autograd")
def test_what_has_grown_far_is_great_and_a_state_of_1_stops_all(student: Student) -> None:
    close(
        student.fading(torch.tensor([[0.0, 10.0], [10.0, 0.0]]), torch.zeros(13, 2)),
        [10.0**steps for steps in range(12, -1, -1)],
        given="W = 0 10 / 10 0, thirteen states of zero",
        rtol=1e-3,
    )
    turn = torch.eye(3).roll(1, dims=0)
    close(student.fading(turn, torch.zeros(40, 3)), [1.0] * 40, given="W moves each unit to the next, 40 states of zero")
    states = torch.tensor([[0.5, 0.5], [1.0, -1.0], [0.0, 0.5]])
    given = "W = 2 0 / 0 1; states (0.5, 0.5), (1, −1), whose slopes are 0, and (0, 0.5)"
    close(student.fading(torch.tensor([[2.0, 0.0], [0.0, 1.0]]), states), [0.0, 2.0, 1.0], given=given)


@exercise("lm_losses")
@for_all(
    examples=30,
    lengths=lists(integers(1, 5), min_size=1, max_size=4).filter(lambda found: max(found) > 1),
    seed=integers(0, 50),
    padding=sampled_from([0, 3]),
)
def test_any_batch_agrees_with_sums_over_its_pairs(
    student: Student, lengths: list[int], seed: int, padding: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(0 if padding else 1, 3, (len(lengths), 5), generator=generator)
    for row, length in zip(tokens, lengths, strict=True):
        row[length:] = padding
    logits = torch.randint(-16, 17, (2, len(lengths), 5, 4), generator=generator) / 8
    chances = logits.double().log_softmax(dim=3)
    pairs = [(i, n) for i, length in enumerate(lengths) for n in range(length - 1)]
    ahead = -sum(float(chances[0, i, n, tokens[i, n + 1]]) for i, n in pairs) / len(pairs)
    behind = -sum(float(chances[1, i, n + 1, tokens[i, n]]) for i, n in pairs) / len(pairs)
    close(
        student.lm_losses(logits[0], logits[1], tokens, padding),
        [ahead, behind],
        given=f"tokens {tokens.tolist()}, padding {padding}, drawn logits",
    )


@exercise("lm_losses", points=0.5)
def test_who_is_sure_and_wrong_pays_a_finite_price(student: Student) -> None:
    wrong = 200.0 * one_hot(torch.tensor([[1, 2]]), 3)  # each position is sure of the token that it has read
    close(
        student.lm_losses(wrong, wrong, torch.tensor([[1, 2]])),
        [200.0, 200.0],
        given="tokens 1 2; at each position its own token has the logit 200, the others 0",
    )


@exercise("lm_losses", points=0.5, needs="test_any_batch_agrees_with_sums_over_its_pairs")
def test_logits_of_one_position_may_be_far_below_those_of_another(student: Student) -> None:
    logits = torch.tensor([[[0.0] * 3, [-500.0] * 3, [700.0] * 3]])
    given = "tokens 1 2 1, three tokens; logits 0 at the first position, −500 at the second, 700 at the third"
    close(student.lm_losses(logits, logits, torch.tensor([[1, 2, 1]])), [math.log(3)] * 2, given=given)


@exercise("lm_losses", points=0.5, needs="test_any_batch_agrees_with_sums_over_its_pairs")
def test_a_large_batch_of_many_tokens_counts_whole(student: Student) -> None:
    tokens = 1 + 7 * torch.arange(13 * 30).reshape(13, 30) % 299
    logits = 3 * _normal(2, 13, 30, 300, seed=46)
    chances = logits.double().log_softmax(dim=3)
    ahead = nll_loss(chances[0, :, :-1].flatten(0, 1), tokens[:, 1:].flatten())
    behind = nll_loss(chances[1, :, 1:].flatten(0, 1), tokens[:, :-1].flatten())
    given = "13 texts of 30 tokens, none of them padding, 300 tokens, random logits"
    close(student.lm_losses(logits[0], logits[1], tokens), [ahead, behind], rtol=1e-3, given=given)


@exercise("lm_losses", points=0.5)
def test_no_position_of_padding_gets_a_gradient(student: Student) -> None:
    tokens = torch.tensor([[2, 1, 0, 0], [1, 2, 2, 1]])

    def oracle(forward: Tensor, backward: Tensor, tokens: Tensor) -> Tensor:
        pairs = [(0, 0), (1, 0), (1, 1), (1, 2)]
        ahead = torch.stack([forward[i, n].log_softmax(dim=0)[tokens[i, n + 1]] for i, n in pairs])
        behind = torch.stack([backward[i, n + 1].log_softmax(dim=0)[tokens[i, n]] for i, n in pairs])
        return torch.stack([-ahead.mean(), -behind.mean()])

    both = {"forward": _normal(2, 4, 3, seed=8), "backward": _normal(2, 4, 3, seed=9)}
    close_gradients(student, "lm_losses", oracle, both, tokens, given="tokens 2 1 (padding twice) and 1 2 2 1")


@exercise("sight")
@for_all(
    size=integers(1, 4),
    bits=lists(lists(sampled_from([False, True]), min_size=16, max_size=16), min_size=1, max_size=4),
)
def test_any_layers_agree_with_paths_that_are_followed(student: Student, size: int, bits: list[list[bool]]) -> None:
    layers = [torch.tensor(row).reshape(4, 4)[:size, :size] for row in bits]
    expected = torch.zeros(size, size)
    for top in range(size):
        here = {top}
        for reads in reversed(layers):  # from the top down
            here = {k for i in here for k in range(size) if reads[i, k]}
        for token in here:
            expected[top, token] = 1
    close(
        student.sight([reads.clone() for reads in layers]),
        expected,
        given=f"layers, the lowest first: {[reads.int().tolist() for reads in layers]}",
    )


@exercise("sight", points=0.5)
def test_no_number_of_paths_is_too_great(student: Student) -> None:
    halves = one_hot(torch.tensor([0, 0, 0, 0, 1, 1, 1, 1]), 2)
    reads = (halves @ halves.T).bool()  # each position reads the four of its own half, so there are 4**59 paths to each
    close(
        student.sight([reads.clone() for _ in range(60)]),
        reads,
        given="eight positions, 0 to 3 read each other, and so do 4 to 7; sixty layers",
    )


@exercise("sight", points=0.5, needs="test_any_layers_agree_with_paths_that_are_followed")
@for_all(
    examples=24,
    bits=lists(sampled_from([True, False]), min_size=16, max_size=16),
    size=sampled_from([2, 3, 4]),
    count=sampled_from([5, 9, 17, 33, 65, 130, 1100]),
)
def test_any_layer_may_stand_there_many_times(student: Student, bits: list[bool], size: int, count: int) -> None:
    reads = torch.tensor(bits).reshape(4, 4)[:size, :size]
    one = reads.int().tolist()
    seen = [{k for k in range(size) if row[k]} for row in one]
    for _ in range(count - 1):
        seen = [set().union(*(seen[k] for k in range(size) if row[k])) for row in one]
    expected = [[float(j in tokens) for j in range(size)] for tokens in seen]
    close(student.sight([reads.clone() for _ in range(count)]), expected)


@exercise("sight", points=0.5, needs="test_any_layers_agree_with_paths_that_are_followed")
def test_a_token_is_seen_in_256_ways_and_in_any_number(student: Student) -> None:
    for size, count in ((16, 3), (4, 5), (256, 2), (2, 9), (2, 17), (2, 33), (2, 65)):
        everything = torch.ones(size, size, dtype=torch.bool)
        given = f"{size} positions, each reads all; {count} layers, so {size}^{count - 1} paths lead to each token"
        close(student.sight([everything.clone() for _ in range(count)]), everything, given=given)


@exercise("sight", points=0.5, needs="test_any_layers_agree_with_paths_that_are_followed")
def test_what_reads_itself_alone_sees_itself_beside_any_number_of_paths(student: Student) -> None:
    reads = torch.tensor([[1, 1, 1], [1, 1, 1], [0, 0, 1]]).bool()
    for count in (130, 1100):
        given = f"three positions, 0 and 1 read all, 2 reads itself; {count} layers"
        close(student.sight([reads.clone() for _ in range(count)]), reads, given=given)


@exercise("sight", points=0.5, needs="test_any_layers_agree_with_paths_that_are_followed")
def test_every_one_of_many_layers_is_passed(student: Student) -> None:
    before = torch.ones(13, dtype=torch.bool).diag(-1)  # (14, 14), each position reads the one before it
    expected = torch.zeros(14, 14)
    expected[13, 0] = 1
    close(
        student.sight([before.clone() for _ in range(13)]),
        expected,
        given="14 positions, each reads the one before it; 13 layers",
    )


def _mixture(tokens: Tensor, scores: Tensor, gamma: Tensor, forward: list[Tensor], backward: list[Tensor]) -> Tensor:
    layers = torch.stack([torch.cat(pair, dim=2) for pair in [(tokens, tokens), *zip(forward, backward, strict=True)]])
    weights = scores.exp() / scores.exp().sum()
    return gamma * torch.einsum("l,lbnd->bnd", weights, layers)


@exercise("elmo")
@for_all(
    examples=40,
    layers=integers(1, 3),
    table=inputs.tables(14, 3),
    scores=lists(inputs.numbers(), min_size=4, max_size=4),
    gamma=inputs.numbers(),
)
def test_any_layers_are_mixed_as_the_equation_says(
    student: Student, layers: int, table: Tensor, scores: list[float], gamma: float
) -> None:
    tokens, *others = table.reshape(7, 1, 2, 3)
    forward, backward = list(others[:layers]), list(others[3 : 3 + layers])
    weights = torch.tensor(scores[: layers + 1])
    expected = _mixture(
        tokens.double(),
        weights.double(),
        torch.tensor(gamma).double(),
        [x.double() for x in forward],
        [x.double() for x in backward],
    )
    close(
        student.elmo(tokens, forward, backward, weights, torch.tensor(gamma)),
        expected,
        given=f"{layers} layers each way, scores {weights.tolist()}, γ = {gamma}, drawn vectors of two tokens",
        atol=1e-4,
    )


@exercise("elmo", points=0.5)
def test_scores_may_be_great(student: Student) -> None:
    one = torch.ones(1, 1, 2)
    for score in (1000.0, -1000.0):
        close(
            student.elmo(one, [3 * one], [5 * one], torch.tensor([score, score]), torch.tensor(1.0)),
            [[[2.0, 2.0, 3.0, 3.0]]],
            given=f"one token (1, 1), forward (3, 3), backward (5, 5); scores {score:.0f} {score:.0f}, γ = 1",
        )


@exercise("elmo", points=0.5, needs="test_any_layers_are_mixed_as_the_equation_says")
def test_sentences_of_a_batch_stay_apart(student: Student) -> None:
    scores, gamma = _normal(4, seed=47), torch.tensor(0.5)
    for shape in ((3, 3, 3), (4, 1, 2), (2, 5, 1)):
        tokens, *others = _normal(7, *shape, seed=48)
        forward, backward = list(others[:3]), list(others[3:])
        close(
            student.elmo(tokens, forward, backward, scores, gamma),
            _mixture(tokens, scores, gamma, forward, backward),
            given=f"three layers each way, random vectors (B, N, d) = {shape}, random scores, γ = ½",
            atol=1e-5,
        )


@exercise("elmo")
def test_scores_gamma_and_tokens_can_be_learnt(student: Student) -> None:
    forward, backward = [[_normal(2, 3, 4, seed=10 * i + j) for i in range(2)] for j in range(2)]

    def oracle(scores: Tensor, gamma: Tensor, tokens: Tensor) -> Tensor:
        return _mixture(tokens, scores, gamma, forward, backward)

    leaves = {"the tokens": _normal(2, 3, 4, seed=30), "the scores": _normal(3, seed=31), "γ": torch.tensor(0.7)}
    expected = [tensor.clone().requires_grad_() for tensor in leaves.values()]
    scalar(oracle(expected[1], expected[2], expected[0])).backward()
    asked = [tensor.clone().requires_grad_() for tensor in leaves.values()]
    gradients = student.gradients("elmo", asked[0], forward, backward, asked[1], asked[2])
    for name, found, leaf in zip(leaves, gradients, expected, strict=True):
        true(found is not None, f"no gradient reaches {name}, so nothing is learnt", given="two random layers each way")
        close(found, leaf.grad, given=f"two random layers each way: the gradient for {name}{WEIGHTED}", atol=1e-5)


@exercise("elmo", points=0.5, needs="test_any_layers_are_mixed_as_the_equation_says")
def test_every_one_of_many_layers_is_mixed(student: Student) -> None:
    numbers = [torch.tensor([[[float(layer)]]]) for layer in range(13)]
    scores = torch.tensor([0.0] * 12 + [math.log(12.0)])  # the top layer has half of all the weight
    close(
        student.elmo(numbers[0], numbers[1:], [-number for number in numbers[1:]], scores, torch.tensor(1.0)),
        [[[66 / 24 + 12 / 2, -66 / 24 - 12 / 2]]],
        given="one token (0); forward (1) to (12), backward (−1) to (−12); twelve scores of 0, then ln 12; γ = 1",
    )


@exercise("probe", points=1.5)
@for_all(
    examples=40,
    vectors=inputs.tables(7, 2),
    labels=lists(inputs.ids(3), min_size=7, max_size=7),
    new=inputs.tables(2, 2),
    ridge=sampled_from([1.0, 0.5, 20.0]),
)
def test_any_points_agree_with_scikit_learn(
    student: Student, vectors: Tensor, labels: list[int], new: Tensor, ridge: float
) -> None:
    targets = np.eye(3)[labels]
    expected = Ridge(alpha=ridge, solver="svd").fit(vectors.double().numpy(), targets).predict(new.double().numpy())
    close(
        student.probe(vectors, torch.tensor(labels), new, 3, ridge),
        expected,
        given=f"vectors {vectors.tolist()}, labels {labels}, new {new.tolist()}, three classes, ridge {ridge}",
        rtol=1e-2,
        atol=1e-2,
    )


@exercise("probe", points=0.5)
def test_the_penalty_is_one_unless_told(student: Student) -> None:
    vectors, new = _normal(12, 3, seed=1), _normal(4, 3, seed=2)
    labels = torch.tensor([0, 1, 2] * 4)
    oracle = Ridge(alpha=1.0, solver="svd").fit(vectors.double().numpy(), np.eye(3)[labels.numpy()])
    close(
        student.probe(vectors, labels, new, 3),
        oracle.predict(new.double().numpy()),
        given="twelve random points, three classes, ridge as it is",
        atol=1e-4,
    )


@exercise("probe", points=0.5, needs="test_any_points_agree_with_scikit_learn")
def test_few_points_of_many_numbers_and_many_classes_agree_with_scikit_learn(student: Student) -> None:
    for rows, width, classes, asked in ((4, 12, 5, 1), (300, 3, 40, 20), (40, 30, 2, 40)):
        vectors, new = _normal(rows, width, seed=3), _normal(asked, width, seed=4)
        labels = 7 * torch.arange(rows) % classes
        oracle = Ridge(alpha=2.0, solver="svd").fit(vectors.double().numpy(), np.eye(classes)[labels.numpy()])
        expected = oracle.predict(new.double().numpy()).reshape(asked, classes)
        given = f"{rows} random points of {width} numbers, {classes} classes, ridge 2; {asked} new points"
        close(student.probe(vectors, labels, new, classes, 2.0), expected, given=given, rtol=1e-2, atol=1e-3)


@exercise("probe", points=0.5, needs="test_any_points_agree_with_scikit_learn")
def test_of_one_point_or_one_class_the_shares_are_left(student: Student) -> None:
    found = student.probe(torch.tensor([[3.0, 1.0]]), torch.tensor([1]), torch.tensor([[5.0, 0.0], [3.0, 1.0]]), 3)
    close(found, [[0.0, 1.0, 0.0]] * 2, given="one point (3, 1) with the label 1, three classes; two new points", atol=1e-5)
    found = student.probe(torch.tensor([[3.0], [1.0]]), torch.tensor([0, 0]), torch.tensor([[5.0]]), 1)
    close(found, [[1.0]], given="points 3 and 1, one class; one new point", atol=1e-5)


@metric("perplexity_bigram")
def perplexity_bigram(artifacts: Artifacts) -> float:
    """Of the recorded table, on a text that the notebook has not seen."""
    table, words = artifacts.tensor("bigram", ndim=2).double(), artifacts.strings("vocabulary")
    _distributions(table, len(words), "bigram")
    if len(table) != len(words):
        raise BadArtifact(f"the tensor 'bigram' has {len(table)} rows for {len(words)} words")
    pairs = [pair for ids in _ids(artifacts.seed, artifacts.seed + MORE, words) for pair in itertools.pairwise(ids)]
    first, second = torch.tensor(pairs).T
    return math.exp(nll_loss(table.log().clamp(min=-100)[first], second))


@metric("perplexity_lm")
def perplexity_lm(artifacts: Artifacts) -> float:
    """Of the recorded distributions, at the words that really come next in the text."""
    logs, words = artifacts.tensor("next_words", ndim=2).double(), artifacts.strings("vocabulary")
    _distributions(logs.exp(), len(words), "next_words")
    following = [i for ids in _ids(artifacts.seed, artifacts.seed + 10_000, words)[:FEW] for i in ids[1:]]
    if len(following) != len(logs):
        raise BadArtifact(
            f"the tensor 'next_words' has {len(logs)} rows, for {len(following)} words of {FEW} documents"
        )
    return math.exp(nll_loss(logs.clamp(min=-100), torch.tensor(following)))


@metric("sense_accuracy")
def sense_accuracy(artifacts: Artifacts) -> float:
    return _right(artifacts, "chosen")


@metric("sense_minus_untrained")
def sense_minus_untrained(artifacts: Artifacts) -> float:
    return _right(artifacts, "chosen") - _right(artifacts, "chosen_untrained")


def _distributions(table: Tensor, size: int, name: str) -> None:
    if table.shape[1] != size or bool((table < 0).any()) or bool(((table.sum(dim=1) - 1).abs() > 1e-3).any()):
        raise BadArtifact(f"the rows of the tensor {name!r} are no distributions over the {size} words of 'vocabulary'")


def _right(artifacts: Artifacts, name: str) -> float:
    chosen, planted = artifacts.tensor(name, ndim=2), torch.tensor(_planted(artifacts.seed))
    if chosen.shape[1] != len(planted):
        raise BadArtifact(f"the tensor {name!r} has {chosen.shape[1]} columns, for {len(planted)} occurrences")
    return float((chosen == planted).double().mean())


@functools.lru_cache(maxsize=8)
def _names(seed: int) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Each stem's pseudoword, and each word's topics if it has two, as the notebook makes them."""
    world = World("ko")
    senses: dict[str, tuple[str, str]] = dict(world.homonyms())
    pseudo: dict[str, str] = {}
    chance = random.Random(seed)
    for number in range(3):
        things = [(topic.name, thing.stem) for topic in world.lexicon.topics for thing in topic.verbs[number][1]]
        single = [(topic, stem) for topic, stem in things if stem not in world.homonyms()]
        chance.shuffle(single)
        half = len(single) // 2
        for (topic, stem), (other_topic, other) in zip(single[:half], single[half:], strict=False):
            if topic != other_topic:
                pseudo[stem] = pseudo[other] = f"{stem}|{other}"
                senses[pseudo[stem]] = topic, other_topic
    return pseudo, senses


@functools.lru_cache(maxsize=8)
def _text(seed: int, number: int) -> list[list[list[tuple[str, str | None]]]]:
    """Documents about a topic: for each word of each sentence its stem or pseudoword, and its topic."""
    pseudo, _ = _names(seed)
    world = World("ko", number)
    topics = {topic.name for topic in world.lexicon.topics}
    return [
        [
            [(pseudo.get(word.morphemes[0], word.morphemes[0]), word.topic) for word in sentence]
            for sentence in document.sentences
        ]
        for document in world.documents(20_000)
        if document.topic in topics
    ]


def _ids(seed: int, number: int, words: list[str]) -> list[list[int]]:
    """The documents of a text as ids: <s>, and </s> behind each sentence."""
    index = {word: i for i, word in enumerate(words)}
    if any(word not in index for word in ("<unk>", "<s>", "</s>")):
        raise BadArtifact("'vocabulary' lacks <unk>, <s> or </s>")
    rows = [
        ["<s>", *(stem for sentence in document for stem in [*(stem for stem, _ in sentence), "</s>"])]
        for document in _text(seed, number)
    ]
    return [[index.get(stem, index["<unk>"]) for stem in row] for row in rows]


def _planted(seed: int) -> list[int]:
    """The planted sense, 0 or 1, of each word with two that stands in a sentence with a verb."""
    _, senses = _names(seed)
    verbs = {verb.stem for topic in World("ko").lexicon.topics for verb, _ in topic.verbs}
    return [
        senses[stem].index(topic)
        for document in _text(seed, seed + 10_000)
        for sentence in document
        if any(stem in verbs for stem, _ in sentence)
        for stem, topic in sentence
        if stem in senses and topic is not None and topic in senses[stem]
    ]
