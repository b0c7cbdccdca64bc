"""gpt: the public checks. Expected values come from torch's own layers, closed forms and hand counts."""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.lesson.checks import Mismatch, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain


def normal(*shape: int, seed: int) -> Tensor:
    """Draws from the standard normal distribution; the same seed gives the same tensor."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def yes(*rows: list[int]) -> Tensor:
    return torch.tensor(rows) > 0


# next_token_loss
@exercise("next_token_loss", needs="test_a_known_probability_costs_its_logarithm")
def test_each_place_is_asked_for_the_token_after_it(student: Student) -> None:
    tokens = torch.tensor([[2, 0, 1, 1]])
    logits = torch.zeros(1, 4, 3)
    for place, token in enumerate([0, 1, 1]):
        logits[0, place, token] = 40.0
    given = "tokens 2 0 1 1; the logits at the places 0, 1, 2 are 40 for 0, 1, 1, else 0"
    close(student.next_token_loss(logits, tokens, yes([1, 1, 1, 1])), 0.0, given=given)


@exercise("next_token_loss")
def test_a_known_probability_costs_its_logarithm(student: Student) -> None:
    logits = torch.tensor([[[0.0, math.log(3.0)], [50.0, -50.0]]])
    given = "tokens 0 1; logits (0, ln 3) at place 0 and (50, −50) at place 1, behind which nothing comes"
    close(student.next_token_loss(logits, torch.tensor([[0, 1]]), yes([1, 1])), math.log(4 / 3), given=given)


@exercise("next_token_loss")
def test_padding_is_not_asked_for_whatever_its_id(student: Student) -> None:
    logits = torch.zeros(1, 4, 4)
    logits[0, 0, 0] = math.log(2.0)  # 2/5
    logits[0, 1:, 3] = -30.0
    given = "tokens 1 0 3 3, of which the last two are padding; logits (ln 2, 0, 0, 0) at place 0"
    close(student.next_token_loss(logits, torch.tensor([[1, 0, 3, 3]]), yes([1, 1, 0, 0])), math.log(2.5), given=given)


@exercise("next_token_loss")
def test_a_long_text_weighs_more_than_a_short_one(student: Student) -> None:
    logits = torch.zeros(2, 4, 2)
    logits[1, 0] = torch.tensor([math.log(3.0), 0.0])  # the short text's one question has an answer of 1/4
    tokens, real = torch.tensor([[0, 1, 1, 0], [0, 1, 0, 0]]), yes([1, 1, 1, 1], [1, 1, 0, 0])
    given = "a text of 4 tokens, each next one with probability 1/2, and one of 2 tokens, the second with 1/4"
    close(student.next_token_loss(logits, tokens, real), (3 * math.log(2) + math.log(4)) / 4, given=given)


# gpt2_layers
def tanh_gelu(x: Tensor) -> Tensor:
    return functional.gelu(x, approximate="tanh")


def layer_of(width: int = 8, heads: int = 2, seed: int = 0) -> Any:
    """torch's own Pre-LN layer with every weight drawn at random: no gain is 1, no shift and no bias is 0."""
    layer = nn.TransformerEncoderLayer(
        width, heads, 4 * width, dropout=0.0, activation=tanh_gelu, batch_first=True, norm_first=True
    )
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(0.5 * torch.randn(parameter.shape, generator=generator))
    return layer.eval()


def part_of(student: Student, layer: Any) -> tuple[Any, dict[str, Tensor]]:
    """The layer as the exercise takes it: the library's attention on the student's side, and the other weights."""
    own = layer.self_attn
    attention = student.MultiHeadAttention(own.embed_dim, own.num_heads)
    state = {"project_in.weight": own.in_proj_weight, "project_in.bias": own.in_proj_bias}
    state |= {"project_out.weight": own.out_proj.weight, "project_out.bias": own.out_proj.bias}
    attention.load_state_dict({name: weight.detach().clone() for name, weight in state.items()})
    attention.requires_grad_(False)
    theirs = {name: tensor.detach().clone() for name, tensor in layer.state_dict().items()}
    weights = {f"w{n}": theirs[f"linear{n}.weight"].T.clone() for n in (1, 2)}
    weights |= {f"b{n}": theirs[f"linear{n}.bias"] for n in (1, 2)}
    weights |= {f"gain{n}": theirs[f"norm{n}.weight"] for n in (1, 2)}
    weights |= {f"shift{n}": theirs[f"norm{n}.bias"] for n in (1, 2)}
    return attention, weights


@torch.no_grad()
def torchs(x: Tensor, layers: list[Any], gain: Tensor, shift: Tensor) -> Tensor:
    """What torch's layers with a causal mask, and its normalisation behind them, make of x."""
    mask = nn.Transformer.generate_square_subsequent_mask(x.size(1))
    for layer in layers:
        x = layer(x, src_mask=mask, is_causal=True)
    return functional.layer_norm(x, x.shape[-1:], gain, shift)


def agree(student: Student, x: Tensor, layers: list[Any], gain: Tensor, shift: Tensor, given: str) -> None:
    found = student.gpt2_layers(x, [part_of(student, layer) for layer in layers], gain, shift)
    close(found, torchs(x, layers, gain, shift), given=given, rtol=1e-3, atol=1e-4)


def silent(layer: Any) -> Any:
    """The layer with sublayers that give 0."""
    with torch.no_grad():
        for part in (layer.self_attn.out_proj, layer.linear2):
            part.weight.zero_()
            part.bias.zero_()
    return layer


@exercise("gpt2_layers")
def test_where_sublayers_give_nothing_the_last_normalisation_alone_is_left(student: Student) -> None:
    x, layer = normal(1, 3, 8, seed=1), silent(layer_of(seed=2))
    gain, shift = torch.arange(1.0, 9.0), torch.ones(8)
    found = student.gpt2_layers(x, [part_of(student, layer)], gain, shift)
    given = "one layer whose attention and feed-forward network give 0; gain 1 2 … 8 and shift 1 of the last normalisation"
    close(found, functional.layer_norm(x, (8,)) * gain + 1, given=given, rtol=1e-3, atol=1e-4)


@exercise("gpt2_layers")
def test_one_layer_agrees_with_torchs(student: Student) -> None:
    given = "2 texts of 5 tokens, d = 8, one layer of 2 heads, random weights"
    agree(student, normal(2, 5, 8, seed=3), [layer_of(seed=4)], normal(8, seed=5), normal(8, seed=6), given)


@exercise("gpt2_layers")
def test_three_layers_agree_with_torchs(student: Student) -> None:
    layers = [layer_of(seed=seed) for seed in (7, 8, 9)]
    given = "2 texts of 4 tokens, d = 8, three layers of 2 heads, random weights"
    agree(student, normal(2, 4, 8, seed=10), layers, normal(8, seed=11), normal(8, seed=12), given)


@exercise("gpt2_layers")
def test_no_place_sees_a_later_one(student: Student) -> None:
    layers, x = [layer_of(seed=13), layer_of(seed=14)], normal(1, 4, 8, seed=15)
    parts = [part_of(student, layer) for layer in layers]
    found = student.gpt2_layers(x, parts, torch.ones(8), torch.zeros(8))
    alone = torchs(x[:, :1], layers, torch.ones(8), torch.zeros(8))
    given = "4 tokens, two layers: the first place, which sees itself alone, beside a text of that one token"
    close(found[:, :1], alone, given=given, rtol=1e-3, atol=1e-4)


# shrink_residuals
OUT, BACK = "attention.project_out.weight", "feed_forward.2.weight"


@exercise("shrink_residuals")
def test_both_residual_projections_are_divided_by_the_root_of_the_sums(student: Student) -> None:
    weights = {f"layers.0.{OUT}": torch.full((2, 2), 4.0), f"layers.0.{BACK}": torch.full((2, 8), -8.0)}
    given = "8 blocks, so 16 residual sums"
    found = student.shrink_residuals(weights, 8)
    close(found[f"layers.0.{OUT}"], torch.full((2, 2), 1.0), given=f"{given}; attention.project_out.weight, all 4")
    close(found[f"layers.0.{BACK}"], torch.full((2, 8), -2.0), given=f"{given}; feed_forward.2.weight, all −8")


@exercise("shrink_residuals")
def test_the_factor_is_one_for_all_layers(student: Student) -> None:
    weights = {f"layers.{n}.{name}": torch.full((2, 2), 6.0) for n in range(18) for name in (OUT, BACK)}
    found = student.shrink_residuals(weights, 18)
    for number in (0, 9, 17):
        given = f"18 blocks, residual weights all 6; those of block {number}"
        close(found[f"layers.{number}.{OUT}"], torch.ones(2, 2), given=given)
        close(found[f"layers.{number}.{BACK}"], torch.ones(2, 2), given=given)


@exercise("shrink_residuals", needs="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
def test_everything_else_stays_as_it_is(student: Student) -> None:
    names = ["tokens.weight", "positions.weight", "norm.weight", "layers.0.attention_sum.norm.weight"]
    names += [f"layers.0.attention.project_{part}" for part in ("in.weight", "in.bias", "out.bias")]
    names += [f"layers.0.feed_forward.{part}" for part in ("0.weight", "0.bias", "2.bias")]
    weights = {name: torch.tensor([1.0, -2.0, float(place)]) for place, name in enumerate(names)}
    found = student.shrink_residuals(weights | {f"layers.0.{OUT}": torch.ones(2, 2)}, 2)
    equal(sorted(found), sorted([*names, f"layers.0.{OUT}"]), given="2 blocks; the names in the result")
    for name in names:
        close(found[name], weights[name], given=f"2 blocks; {name}")


# gpt_parameters
def whole(value: Any, given: str) -> int:
    """A whole number of the student's, whatever holds it."""
    found = plain(value.item() if hasattr(value, "item") else value)
    true(type(found) is int, "a whole number was expected", given=given, actual=found)
    return int(found)


def counts(student: Student, expected: int, given: str, *sizes: int, **more: bool) -> None:
    equal(whole(student.gpt_parameters(*sizes, **more), given), expected, given=given)


@exercise("gpt_parameters")
def test_a_small_model_counted_by_hand(student: Student) -> None:
    # tables 10 + 6; a block: 18 + 6 for attention, 24 + 18 for the feed-forward network, 4 + 4 for two normalisations; the last one 4
    counts(student, 94, "5 tokens, 3 positions, width 2, one block, a last normalisation", 5, 3, 2, 1)
    counts(student, 90, "5 tokens, 3 positions, width 2, one block, none", 5, 3, 2, 1, final_norm=False)


@exercise("gpt_parameters")
def test_gpt_1(student: Student) -> None:
    given = "GPT-1: 40,478 tokens, 512 positions, width 768, 12 blocks, no last normalisation"
    counts(student, 116_534_784, given, 40_478, 512, 768, 12, final_norm=False)


@exercise("gpt_parameters")
def test_gpt_2_in_four_sizes(student: Student) -> None:
    sizes = {(768, 12): 124_439_808, (1024, 24): 354_823_168, (1280, 36): 774_030_080, (1600, 48): 1_557_611_200}
    for (width, layers), expected in sizes.items():
        given = f"GPT-2: 50,257 tokens, 1,024 positions, width {width}, {layers} blocks"
        counts(student, expected, given, 50_257, 1024, width, layers)


# task_rows
S, D, E = 90, 91, 92


def rows_are(student: Student, task: str, texts: list[list[int]], expected: list[list[int]]) -> None:
    given = f"{task}, the texts {texts}; start 90, delimiter 91, extract 92"
    found = student.task_rows(task, texts, S, D, E)
    try:
        lists = [[whole(one, given) for one in row] for row in found]
    except TypeError:
        raise Mismatch("a list of rows of ids was expected", given=given, actual=found) from None
    equal(lists, expected, given=given)


@exercise("task_rows")
def test_classification_is_one_text_between_start_and_extract(student: Student) -> None:
    rows_are(student, "classification", [[5, 6, 7]], [[S, 5, 6, 7, E]])


@exercise("task_rows")
def test_entailment_is_premise_delimiter_hypothesis(student: Student) -> None:
    rows_are(student, "entailment", [[5, 6], [7]], [[S, 5, 6, D, 7, E]])


@exercise("task_rows")
def test_similarity_has_both_orders(student: Student) -> None:
    rows_are(student, "similarity", [[5, 6], [7]], [[S, 5, 6, D, 7, E], [S, 7, D, 5, 6, E]])


@exercise("task_rows")
def test_each_choice_is_read_with_the_context(student: Student) -> None:
    rows_are(student, "choice", [[5, 6], [7], [8, 9], [4]], [[S, 5, 6, D, 7, E], [S, 5, 6, D, 8, 9, E], [S, 5, 6, D, 4, E]])


# extract_vectors
@exercise("extract_vectors")
def test_texts_of_unlike_length_are_read_at_their_own_end(student: Student) -> None:
    tokens = torch.tensor([[7, 3, 9, 0, 0], [7, 3, 4, 5, 9], [7, 9, 0, 0, 0]])
    hidden = torch.arange(30.0).reshape(3, 5, 2)
    given = "rows 7 3 9 0 0, 7 3 4 5 9 and 7 9 0 0 0, extract 9; the vectors count on: (0, 1), (2, 3), …"
    close(student.extract_vectors(hidden, tokens, 9), [[4.0, 5.0], [18.0, 19.0], [22.0, 23.0]], given=given)


@exercise("extract_vectors")
def test_neither_extract_nor_padding_need_be_the_greatest_id(student: Student) -> None:
    tokens, hidden = torch.tensor([[7, 3, 2, 8, 8], [7, 5, 4, 2, 8]]), torch.arange(10.0).reshape(2, 5, 1)
    given = "rows 7 3 2 8 8 and 7 5 4 2 8, extract 2; the vectors are (0), (1), …"
    close(student.extract_vectors(hidden, tokens, 2), [[2.0], [8.0]], given=given)


@exercise("extract_vectors", points=0.5, needs="test_texts_of_unlike_length_are_read_at_their_own_end")
def test_a_batch_of_one_is_still_a_batch(student: Student) -> None:
    found = student.extract_vectors(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]), torch.tensor([[7, 9]]), 9)
    close(found, [[3.0, 4.0]], given="one row 7 9, extract 9; the vectors (1, 2) and (3, 4)")


# task_scores
WEIGHT, BIAS = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), torch.tensor([10.0, 20.0, 30.0])
TEXT = "the layer (1 0), (0 2), (1 1) with the bias (10, 20, 30)"


@exercise("task_scores")
def test_one_row_goes_through_the_linear_layer(student: Student) -> None:
    for task in ("classification", "entailment"):
        found = student.task_scores(task, torch.tensor([[1.0, 2.0], [3.0, -1.0]]), 1, WEIGHT, BIAS)
        close(found, [[11.0, 24.0, 33.0], [13.0, 18.0, 32.0]], given=f"{task}, vectors (1, 2) and (3, −1); {TEXT}")


@exercise("task_scores")
def test_the_vectors_of_both_orders_are_added_before_the_layer(student: Student) -> None:
    vectors = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0], [0.0, 5.0]])
    given = f"similarity, two pairs: vectors (1, 2) and (3, −1); (0, 1) and (0, 5); {TEXT}"
    close(student.task_scores("similarity", vectors, 2, WEIGHT, BIAS), [[14.0, 22.0, 35.0], [10.0, 32.0, 36.0]], given=given)


@exercise("task_scores")
def test_the_choices_of_one_example_stand_side_by_side(student: Student) -> None:
    vectors = torch.tensor([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 0.0], [5.0, 0.0], [6.0, 0.0]])
    found = student.task_scores("choice", vectors, 3, torch.tensor([[1.0, 10.0]]), torch.tensor([0.5]))
    given = "two examples of three choices: vectors (1, 0), (2, 0), (3, 1); (4, 0), (5, 0), (6, 0); the layer (1 10), bias 0.5"
    close(found, [[1.5, 2.5, 13.5], [4.5, 5.5, 6.5]], given=given)


@exercise("task_scores")
def test_two_choices_are_not_a_pair_of_orders(student: Student) -> None:
    vectors = torch.tensor([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]])
    found = student.task_scores("choice", vectors, 2, torch.tensor([[1.0, 1.0]]), torch.zeros(1))
    given = "two examples of two choices: vectors (1, 0), (2, 0); (3, 0), (4, 0); the layer (1 1), bias 0"
    close(found, [[1.0, 2.0], [3.0, 4.0]], given=given)


# fine_tuning_loss
@exercise("fine_tuning_loss")
def test_the_language_model_counts_half(student: Student) -> None:
    tokens, real = torch.tensor([[0, 1, 3]]), yes([1, 1, 1])
    loss = student.fine_tuning_loss(torch.zeros(1, 8), torch.tensor([5]), torch.zeros(1, 3, 4), tokens, real)
    given = "8 classes with equal scores, 4 tokens with equal logits, no weight given: ln 8 + 0.5 · ln 4"
    close(loss, math.log(8) + 0.5 * math.log(4), given=given)


@exercise("fine_tuning_loss")
def test_another_weight_may_be_given(student: Student) -> None:
    tokens, real = torch.tensor([[0, 1, 3]]), yes([1, 1, 1])
    for weight in (0.0, 0.25, 2.0):
        loss = student.fine_tuning_loss(torch.zeros(1, 8), torch.tensor([5]), torch.zeros(1, 3, 4), tokens, real, weight)
        close(loss, math.log(8) + weight * math.log(4), given=f"8 classes, 4 tokens, all scores equal, weight {weight}")


@exercise("fine_tuning_loss")
def test_an_example_may_have_several_rows_and_padding(student: Student) -> None:
    scores = torch.tensor([[0.0, math.log(3.0)], [0.0, 0.0]])
    logits = torch.zeros(4, 3, 2)
    logits[0, 0, 1] = math.log(3.0)  # 3/4 for token 1; behind padding the logits are wild
    logits[1:, 1:, 1] = 60.0
    tokens, real = torch.tensor([[0, 1, 1], [0, 1, 0], [0, 0, 0], [1, 1, 0]]), yes([1, 1, 1], [1, 1, 0], [1, 1, 0], [1, 1, 0])
    loss = student.fine_tuning_loss(scores, torch.tensor([1, 0]), logits, tokens, real, 1.0)
    task, language = (math.log(4 / 3) + math.log(2)) / 2, (math.log(4 / 3) + 4 * math.log(2)) / 5
    given = "2 examples with scores (0, ln 3) and (0, 0), labels 1 and 0; 4 rows with 5 tokens to ask for; weight 1"
    close(loss, task + language, given=given)


# text_scores
def scored(student: Student, nats: float, text: str, per_word: float, per_byte: float) -> None:
    given = f"{nats / math.log(2):.0f} · ln 2 nats for the text {text!r}"
    found = student.text_scores(nats, text)
    true(hasattr(found, "__len__") and len(found) == 2, "two numbers were expected", given=given, actual=found)
    close([float(one) for one in found], [per_word, per_byte], given=f"{given}: perplexity per word and bits per byte")


@exercise("text_scores")
def test_an_english_text_counted_by_hand(student: Student) -> None:
    scored(student, 12 * math.log(2), "an eye", 64.0, 2.0)


@exercise("text_scores")
def test_a_korean_syllable_has_three_bytes(student: Student) -> None:
    scored(student, 25 * math.log(2), "하루 커피 최소 3잔", 2 ** (25 / 4), 1.0)


@exercise("text_scores")
def test_blanks_and_line_ends_in_a_row_separate_once(student: Student) -> None:
    scored(student, 10 * math.log(2), " an  eye\n\n", 32.0, 1.0)
