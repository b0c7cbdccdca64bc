"""elmo: the public checks. Expected values come from hand counts, closed forms, torch's own layers and paths in a graph."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from etude.lesson.checks import claim, close, close_gradients, equal, exercise
from etude.lesson.interface import Student


def _normal(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise("bigram_probabilities")
def test_a_pair_has_its_share_of_the_pairs_that_begin_alike(student: Student) -> None:
    close(
        student.bigram_probabilities([[0, 1, 0, 2, 0, 1]], 3, k=1.0),
        [[1 / 6, 3 / 6, 2 / 6], [2 / 4, 1 / 4, 1 / 4], [2 / 4, 1 / 4, 1 / 4]],
        given="the sentence 0 1 0 2 0 1, three tokens, k = 1",
    )


@exercise("bigram_probabilities")
def test_k_is_added_to_every_pair_and_its_total_to_the_row(student: Student) -> None:
    close(
        student.bigram_probabilities([[1, 0, 0, 0]], 2, k=0.25),
        [[2.25 / 2.5, 0.25 / 2.5], [1.25 / 1.5, 0.25 / 1.5]],
        given="the sentence 1 0 0 0, two tokens, k = 0.25",
    )


@exercise("bigram_probabilities")
def test_no_pair_reaches_over_the_end_of_a_sentence(student: Student) -> None:
    close(
        student.bigram_probabilities([[0, 1], [2], [0, 1]], 3, k=1.0),
        [[1 / 5, 3 / 5, 1 / 5], [1 / 3, 1 / 3, 1 / 3], [1 / 3, 1 / 3, 1 / 3]],
        given="the sentences 0 1, 2 and 0 1; three tokens, k = 1",
    )


@exercise("bigram_probabilities", points=0.5)
def test_a_token_that_begins_no_pair_is_followed_by_anything(student: Student) -> None:
    rows = student.bigram_probabilities([[0, 0, 3]], 4, k=0.1)
    close(rows[1:], torch.full((3, 4), 0.25), given="the sentence 0 0 3, four tokens, k = 0.1; rows 1 to 3")


@exercise("perplexity")
def test_equal_chances_give_their_number(student: Student) -> None:
    close(student.perplexity([[math.log(1 / 8)] * 3]), 8.0, given="three tokens, each with probability 1/8")


@exercise("perplexity")
def test_it_is_the_geometric_mean_of_the_inverse_probabilities(student: Student) -> None:
    close(
        student.perplexity([[math.log(1 / 2), math.log(1 / 32)]]),
        8.0,
        given="two tokens with probabilities 1/2 and 1/32",
    )


@exercise("perplexity")
def test_every_token_counts_alike_in_long_and_short_sentences(student: Student) -> None:
    close(
        student.perplexity([[math.log(1 / 2)] * 3, [math.log(1 / 32)]]),
        4.0,
        given="three tokens with probability 1/2 in one sentence, one with 1/32 in another",
    )


@exercise("perplexity", points=0.5)
def test_the_probability_of_a_long_text_may_be_below_all_floats(student: Student) -> None:
    close(
        student.perplexity([[math.log(0.01)] * 400] * 3),
        100.0,
        given="three sentences of 400 tokens, each token with probability 0.01",
    )


def _one_unit(gates: list[float], c: float) -> tuple[Tensor, ...]:
    """Inputs of a step with one unit, x and h of 0, whose gates are these four numbers before their functions: i f g o."""
    zero, rows = torch.zeros(1, 1), torch.zeros(4, 1)
    return zero, zero, torch.tensor([[c]]), rows, rows, torch.tensor(gates)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@exercise("lstm_step")
def test_an_open_forget_gate_and_a_closed_input_gate_keep_the_memory(student: Student) -> None:
    _, c = student.lstm_step(*_one_unit([-30.0, 30.0, 2.0, 0.0], c=1.5))
    close(c, [[1.5]], given="one unit, c = 1.5; i = −30, f = 30, g = 2, o = 0 before their functions: the new c")


@exercise("lstm_step")
def test_a_half_open_forget_gate_halves_the_memory(student: Student) -> None:
    _, c = student.lstm_step(*_one_unit([-30.0, 0.0, 2.0, 0.0], c=1.5))
    close(c, [[0.75]], given="one unit, c = 1.5; i = −30, f = 0, g = 2, o = 0 before their functions: the new c")


@exercise("lstm_step")
def test_the_input_gate_lets_tanh_of_the_candidate_in(student: Student) -> None:
    _, c = student.lstm_step(*_one_unit([1.0, -30.0, 0.7, 0.0], c=1.5))
    close(
        c,
        [[_sigmoid(1.0) * math.tanh(0.7)]],
        given="one unit, c = 1.5; i = 1, f = −30, g = 0.7, o = 0 before their functions: the new c",
    )


@exercise("lstm_step")
def test_the_output_gate_shows_tanh_of_the_new_memory(student: Student) -> None:
    h, _ = student.lstm_step(*_one_unit([0.0, 0.0, 0.5, 2.0], c=3.0))
    close(
        h,
        [[_sigmoid(2.0) * math.tanh(0.5 * 3.0 + 0.5 * math.tanh(0.5))]],
        given="one unit, c = 3; i = 0, f = 0, g = 0.5, o = 2 before their functions: the new h",
    )


@exercise("lstm_step")
def test_a_step_agrees_with_torch(student: Student) -> None:
    cell = nn.LSTMCell(3, 5)
    weight_x, weight_h, bias = _normal(20, 3, seed=1), _normal(20, 5, seed=2), _normal(20, seed=3)
    x, h, c = _normal(4, 3, seed=4), _normal(4, 5, seed=5), _normal(4, 5, seed=6)
    weights = {"weight_ih": weight_x, "weight_hh": weight_h, "bias_ih": bias, "bias_hh": torch.zeros(20)}
    cell.load_state_dict(weights)
    with torch.no_grad():
        expected = cell(x, (h, c))
    found = student.lstm_step(x, h, c, weight_x, weight_h, bias)
    close(found[0], expected[0], given="four random rows of width 3, five units: the new h")
    close(found[1], expected[1], given="the same: the new c")


@exercise("fading")
def test_one_unit_fades_by_its_weight_times_its_slope(student: Student) -> None:
    last, middle = 2 * (1 - 0.8**2), 2 * (1 - 0.5**2)
    close(
        student.fading(torch.tensor([[2.0]]), torch.tensor([[0.3], [0.5], [-0.8]])),
        [last * middle, last, 1.0],
        given="one unit, W = 2, states 0.3, 0.5, −0.8",
    )


@exercise("fading")
def test_states_of_zero_leave_powers_of_the_matrix(student: Student) -> None:
    close(
        student.fading(torch.tensor([[0.5, 0.0], [0.0, 0.25]]), torch.zeros(4, 2)),
        [0.125, 0.25, 0.5, 1.0],
        given="W = ½ 0 / 0 ¼, four states of zero",
    )


@exercise("fading")
def test_the_slope_is_that_of_the_unit_that_is_written(student: Student) -> None:
    close(
        student.fading(torch.tensor([[0.0, 4.0], [0.0, 0.0]]), torch.tensor([[0.1, 0.2], [0.5, 0.9]])),
        [4 * (1 - 0.5**2), 1.0],
        given="W = 0 4 / 0 0, so unit 1 writes to unit 0; states (0.1, 0.2) and (0.5, 0.9)",
    )


@exercise("fading")
def test_later_factors_stand_to_the_left(student: Student) -> None:
    weight = torch.tensor([[1.0, 0.0], [1.0, 0.0]])  # each step copies unit 0 to both units
    states = torch.tensor([[0.0, 0.0], [0.6, 0.0], [0.0, 0.8]])
    # From h_2 on: both copies, with slopes 1 and 0.36. From h_1 on the first step has given unit 0 its slope, 0.64.
    last = math.hypot(1.0, 0.36)
    close(
        student.fading(weight, states), [0.64 * last, last, 1.0], given="W = 1 0 / 1 0; states (0, 0), (0.6, 0), (0, 0.8)"
    )


@exercise("fading")
def test_the_product_is_taken_before_the_norm(student: Student) -> None:
    weight = torch.tensor([[0.0, 3.0], [1.0, 0.0]])  # its stretch is 3, that of its square too
    close(student.fading(weight, torch.zeros(3, 2)), [3.0, 3.0, 1.0], given="W = 0 3 / 1 0, three states of zero")


@exercise("fading", points=0.5)
def test_one_state_has_nothing_to_fade(student: Student) -> None:
    close(student.fading(torch.tensor([[0.5, 1.0], [2.0, 0.1]]), torch.tensor([[0.3, 0.9]])), [1.0], given="one state")


TOKENS = torch.tensor([[1, 3, 2, 0], [2, 1, 3, 3]])  # 0 is padding
TWO = "tokens 1 3 2 (padding) and 2 1 3 3"


def _sure(tokens: Tensor) -> Tensor:
    """Logits (B, N, 4) that are sure of these tokens."""
    return 50.0 * one_hot(tokens, 4)


@exercise("lm_losses")
def test_the_forward_model_is_right_that_names_the_next_token(student: Student) -> None:
    forward, _ = student.lm_losses(_sure(TOKENS.roll(-1, dims=1)), torch.zeros(2, 4, 4), TOKENS)
    close(forward, 0.0, given=f"{TWO}; each position is sure of the token behind it")


@exercise("lm_losses")
def test_the_backward_model_is_right_that_names_the_token_before(student: Student) -> None:
    _, backward = student.lm_losses(torch.zeros(2, 4, 4), _sure(TOKENS.roll(1, dims=1)), TOKENS)
    close(backward, 0.0, given=f"{TWO}; each position is sure of the token before it")


@exercise("lm_losses")
def test_who_knows_nothing_pays_the_logarithm_of_the_vocabulary(student: Student) -> None:
    forward, backward = student.lm_losses(torch.zeros(2, 4, 7), torch.zeros(2, 4, 7), TOKENS)
    close(forward, math.log(7), given=f"{TWO}, all logits 0, seven tokens: the forward loss")
    close(backward, math.log(7), given="the same: the backward loss")


@exercise("lm_losses")
def test_padding_is_neither_predicted_nor_counted(student: Student) -> None:
    tokens = torch.tensor([[1, 2, 0, 0, 0], [2, 1, 1, 2, 1]])
    logits = _normal(2, 5, 3, seed=4)
    chances = logits.double().log_softmax(dim=2)
    ahead = [(0, 0, 2), (1, 0, 1), (1, 1, 1), (1, 2, 2), (1, 3, 1)]  # sentence, position, the token behind it
    behind = [(0, 1, 1), (1, 1, 2), (1, 2, 1), (1, 3, 1), (1, 4, 2)]  # ... and the one before it
    forward, backward = student.lm_losses(logits, logits, tokens)
    given = "tokens 1 2 (padding three times) and 2 1 1 2 1, random logits"
    close(forward, -sum(float(chances[place]) for place in ahead) / 5, given=f"{given}: the forward loss")
    close(backward, -sum(float(chances[place]) for place in behind) / 5, given=f"{given}: the backward loss")


def _by_hand(forward: Tensor, backward: Tensor, tokens: Tensor) -> Tensor:
    """The sum of both losses of TOKENS: each sentence, and each sentence read from its end, to its next token."""
    order = torch.tensor([[2, 1, 0, 3], [3, 2, 1, 0]])
    turned = backward.gather(1, order[:, :, None].expand(backward.shape))
    pairs = ((forward, tokens), (turned, tokens.gather(1, order)))
    losses = [cross_entropy(x[:, :-1].flatten(0, 1), y[:, 1:].flatten(), ignore_index=0) for x, y in pairs]
    return torch.stack(losses)


@exercise("lm_losses")
def test_both_losses_send_gradients_to_their_own_logits(student: Student) -> None:
    both = {"forward": _normal(2, 4, 4, seed=5), "backward": _normal(2, 4, 4, seed=6)}
    close_gradients(student, "lm_losses", _by_hand, both, TOKENS, given=f"{TWO}, random logits")


@exercise("sight")
def test_one_layer_sees_what_it_reads(student: Student) -> None:
    reads = torch.tensor([[0, 1, 0], [0, 0, 0], [1, 1, 0]], dtype=torch.bool)
    close(
        student.sight([reads]),
        reads,
        given="position 0 reads 1, position 1 nothing, position 2 reads 0 and 1; one layer",
    )


@exercise("sight")
def test_with_two_layers_a_word_sees_itself_by_way_of_the_others(student: Student) -> None:
    others = ~torch.eye(4, dtype=torch.bool)
    close(student.sight([others, others]), torch.ones(4, 4), given="four positions, each reads all others; two layers")


@exercise("sight")
def test_a_layer_that_reads_the_word_before_reaches_back_one_word_a_layer(student: Student) -> None:
    before = torch.eye(5, dtype=torch.bool).roll(1, dims=0)
    before[0] = False
    expected = torch.zeros(5, 5)
    expected[3, 0] = expected[4, 1] = 1
    close(student.sight([before] * 3), expected, given="five positions, each reads the one before it; three layers")


@exercise("sight")
def test_one_way_models_never_see_ahead_however_deep(student: Student) -> None:
    so_far = torch.ones(4, 4, dtype=torch.bool).tril()
    close(student.sight([so_far] * 5), so_far, given="four positions, each reads itself and those before; five layers")


@exercise("sight")
def test_the_lowest_layer_comes_first(student: Student) -> None:
    low = torch.tensor([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=torch.bool)
    high = torch.tensor([[0, 0, 0], [1, 0, 0], [0, 0, 0]], dtype=torch.bool)
    expected = torch.zeros(3, 3)
    expected[1, 2] = 1
    close(student.sight([low, high]), expected, given="below, 0 reads token 2; above, 1 reads 0; nothing else is read")


@exercise("sight", points=0.5)
def test_the_answer_is_yes_or_no(student: Student) -> None:
    others = ~torch.eye(4, dtype=torch.bool)
    kind = getattr(student.sight([others, others]), "dtype", None)
    equal(str(kind), "torch.bool", given="four positions, each reads all others; two layers: the type")


TOKEN = torch.tensor([[[1.0, 2.0]]])
FORWARD = [torch.tensor([[[3.0, 4.0]]]), torch.tensor([[[5.0, 6.0]]])]
BACKWARD = [torch.tensor([[[7.0, 8.0]]]), torch.tensor([[[9.0, 0.0]]])]
LAYERS = "one token (1, 2); forward (3, 4), (5, 6); backward (7, 8), (9, 0)"
ONE = torch.tensor(1.0)


@claim("elmo-2layers")
@exercise("elmo")
def test_two_layers_of_lstm_give_three_vectors_to_mix(student: Student) -> None:
    close(
        student.elmo(TOKEN, FORWARD, BACKWARD, torch.zeros(3), ONE),
        [[[3.0, 4.0, 17 / 3, 10 / 3]]],
        given=f"{LAYERS}; scores 0 0 0, γ = 1",
    )


@exercise("elmo")
def test_the_lowest_layer_is_the_token_twice(student: Student) -> None:
    close(
        student.elmo(TOKEN, FORWARD, BACKWARD, torch.tensor([60.0, 0.0, 0.0]), ONE),
        [[[1.0, 2.0, 1.0, 2.0]]],
        given=f"{LAYERS}; scores 60 0 0, γ = 1",
    )


@exercise("elmo")
def test_a_layer_is_its_forward_half_and_then_its_backward_half(student: Student) -> None:
    close(
        student.elmo(TOKEN, FORWARD, BACKWARD, torch.tensor([0.0, 0.0, 60.0]), ONE),
        [[[5.0, 6.0, 9.0, 0.0]]],
        given=f"{LAYERS}; scores 0 0 60, γ = 1",
    )


@exercise("elmo")
def test_both_halves_stand_at_their_own_token(student: Student) -> None:
    close(
        student.elmo(
            torch.tensor([[[1.0], [2.0]]]),
            [torch.tensor([[[3.0], [4.0]]])],
            [torch.tensor([[[5.0], [6.0]]])],
            torch.tensor([0.0, 60.0]),
            ONE,
        ),
        [[[3.0, 5.0], [4.0, 6.0]]],
        given="two tokens (1), (2); forward (3), (4); backward (5), (6); scores 0 60, γ = 1",
    )


@exercise("elmo")
def test_weights_are_the_softmax_of_the_scores(student: Student) -> None:
    scores = torch.tensor([0.0, math.log(2.0), math.log(5.0)])
    close(
        student.elmo(TOKEN, FORWARD, BACKWARD, scores, ONE),
        [[[(1 + 6 + 25) / 8, (2 + 8 + 30) / 8, (1 + 14 + 45) / 8, (2 + 16 + 0) / 8]]],
        given=f"{LAYERS}; scores ln 1, ln 2, ln 5, γ = 1",
    )


@exercise("elmo")
def test_gamma_scales_the_mixture(student: Student) -> None:
    close(
        student.elmo(TOKEN, FORWARD, BACKWARD, torch.zeros(3), torch.tensor(-3.0)),
        [[[-9.0, -12.0, -17.0, -10.0]]],
        given=f"{LAYERS}; scores 0 0 0, γ = −3",
    )


LINE = torch.tensor([[0.0], [1.0], [2.0], [3.0]])
HALVES = torch.tensor([0, 0, 1, 1])
POINTS = "points 0 1 2 3 with labels 0 0 1 1"


@exercise("probe")
def test_without_a_penalty_it_is_least_squares_with_a_constant(student: Student) -> None:
    close(
        student.probe(LINE, HALVES, torch.tensor([[0.0], [1.5], [5.0]]), 2, ridge=0.0),
        [[1.1, -0.1], [0.5, 0.5], [-0.9, 1.9]],
        given=f"{POINTS}, no penalty; new points 0, 1.5, 5",
        atol=1e-5,
    )


@exercise("probe")
def test_the_penalty_shrinks_the_slope(student: Student) -> None:
    close(
        student.probe(LINE, HALVES, torch.tensor([[0.5], [2.5]]), 2, ridge=5.0),
        [[0.7, 0.3], [0.3, 0.7]],
        given=f"{POINTS}, ridge 5; new points 0.5 and 2.5",
        atol=1e-5,
    )


@exercise("probe")
def test_a_huge_penalty_leaves_the_shares_of_the_classes(student: Student) -> None:
    close(
        student.probe(LINE, torch.tensor([2, 0, 2, 2]), torch.tensor([[9.0]]), 3, ridge=1e9),
        [[0.25, 0.0, 0.75]],
        given="points 0 1 2 3 with labels 2 0 2 2, three classes, ridge 10⁹; new point 9",
        atol=1e-5,
    )


@exercise("probe")
def test_new_points_change_nothing_of_the_line(student: Student) -> None:
    slope = 2 / 6  # of the score for label 1, with ridge 1
    for new in ([[5.0]], [[5.0], [100.0]]):
        close(
            student.probe(LINE, HALVES, torch.tensor(new), 2, ridge=1.0)[:1],
            [[0.5 - 3.5 * slope, 0.5 + 3.5 * slope]],
            given=f"{POINTS}, ridge 1; new points {new}: the row of 5",
            atol=1e-5,
        )


@exercise("probe", points=0.5)
def test_points_that_are_all_moved_are_judged_alike(student: Student) -> None:
    scores = student.probe(LINE + 40, HALVES, torch.tensor([[40.5], [42.5]]), 2, ridge=5.0)
    close(
        scores,
        [[0.7, 0.3], [0.3, 0.7]],
        given="points 40 to 43 with labels 0 0 1 1, ridge 5; new points 40.5 and 42.5",
        rtol=0,
        atol=1e-3,
    )
