"""transformer: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import itertools
import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import sacrebleu
import torch
from hypothesis.strategies import integers, lists, sampled_from
from torch import Tensor, nn
from torch.nn import functional

from etude.lesson.checks import close, close_gradients, equal, exercise, true
from etude.lesson.gradients import WEIGHTED, scalar
from etude.lesson.interface import Student
from etude.models.search import greedy
from etude.models.transformer import Transformer, TransformerConfig
from etude.world import World
from etude.world.lexicon import load
from etude.world.parallel import Pair, parallel
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

PAIRS, DRAWN, BEYOND, UNSEEN, LONGEST = 4_000, 1_500, 10_000, 20_000, 14  # UNSEEN: of sentences that no notebook has
WIDTH, HEADS = 64, 4
SPECIAL = ["<pad>", "<s>", "</s>"]


def _normal(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _shaken(layer: nn.Module, seed: int) -> Any:
    """The layer with every weight drawn at random: no gain is 1, no shift and no bias is 0."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(0.4 * torch.randn(parameter.shape, generator=generator))
    return layer.eval()


def _weights(layer: nn.Module, norms: int) -> dict[str, Tensor]:
    state = layer.state_dict()
    weights = {f"w{i}": state[f"linear{i}.weight"].T.clone() for i in (1, 2)}
    weights |= {f"b{i}": state[f"linear{i}.bias"].clone() for i in (1, 2)}
    for i in range(1, norms + 1):
        weights |= {f"gain{i}": state[f"norm{i}.weight"].clone(), f"shift{i}": state[f"norm{i}.bias"].clone()}
    return weights


def _attention(student: Student, attention: nn.MultiheadAttention) -> Any:
    made = student.MultiHeadAttention(attention.embed_dim, attention.num_heads)
    state: dict[str, Tensor] = {
        "project_in.weight": attention.in_proj_weight,
        "project_in.bias": attention.in_proj_bias,
    }
    state |= {"project_out.weight": attention.out_proj.weight, "project_out.bias": attention.out_proj.bias}
    made.load_state_dict({name: weight.detach().clone() for name, weight in state.items()})
    made.requires_grad_(False)
    return made


# layer_norm
@exercise("layer_norm")
@for_all(x=inputs.tables(3, 5), rows=inputs.tables(2, 5), eps=sampled_from([1e-5, 0.125, 4.0]))
def test_any_table_is_normalised_as_by_torch(student: Student, x: Tensor, rows: Tensor, eps: float) -> None:
    expected = functional.layer_norm(x.double(), (5,), rows[0].double(), rows[1].double(), eps)
    close(student.layer_norm(x, rows[0], rows[1], eps), expected, rtol=1e-3, atol=1e-3)


@exercise("layer_norm", points=0.5)
def test_gradients_of_the_normalisation_are_those_of_torch(student: Student) -> None:
    tensors = {"x": _normal(2, 3, 4, seed=1), "gain": _normal(4, seed=2), "shift": _normal(4, seed=3)}

    def oracle(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
        return functional.layer_norm(x, (4,), gain, shift, eps)

    close_gradients(student, "layer_norm", oracle, tensors, 0.25, given="random x (2, 3, 4), gain and shift; eps ¼")


@exercise("layer_norm", points=0.5, needs="test_any_table_is_normalised_as_by_torch")
def test_one_vector_without_a_batch_and_four_axes_work_too(student: Student) -> None:
    for shape in ((6,), (2, 1, 3, 6), (1, 1, 6), (3, 2, 1, 6), (2, 700)):
        x, d = _normal(*shape, seed=4), shape[-1]
        close(
            student.layer_norm(x, torch.ones(d), torch.zeros(d)),
            functional.layer_norm(x, (d,)),
            given=f"random x of shape {shape}",
            atol=1e-4,
        )


@exercise("layer_norm", points=0.5, needs="test_gradients_of_the_normalisation_are_those_of_torch")
def test_a_vector_of_equal_numbers_has_gradients_too(student: Student) -> None:
    tensors = {"x": torch.tensor([[5.0, 5.0, 5.0, 5.0], [1.0, 3.0, 5.0, 7.0]])}
    tensors |= {"gain": torch.arange(1.0, 5.0), "shift": torch.zeros(4)}

    def oracle(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
        return functional.layer_norm(x, (4,), gain, shift, eps)

    close_gradients(student, "layer_norm", oracle, tensors, 0.25, given="5 5 5 5 and 1 3 5 7; gain 1 2 3 4, shift 0, eps ¼")


@exercise("layer_norm", points=0.5, needs="test_any_table_is_normalised_as_by_torch")
def test_eps_counts_as_given_beside_a_small_variance(student: Student) -> None:
    x = 1e-4 * torch.tensor([[1.0, -1.0, 1.0, -1.0]])
    given = "10⁻⁴ times 1 −1 1 −1: variance 10⁻⁸; gain 1, shift 0, eps 10⁻⁸"
    expected = x.sign() / math.sqrt(2)
    close(student.layer_norm(x, torch.ones(4), torch.zeros(4), 1e-8), expected, given=given, rtol=1e-3)


@exercise("layer_norm", points=0.5, needs="test_any_table_is_normalised_as_by_torch")
def test_numbers_far_from_zero_keep_their_variance(student: Student) -> None:
    x = torch.tensor([[10_001.0, 9_999.0, 10_001.0, 9_999.0]])
    given = "10001 9999 10001 9999: variance 1; gain 1, shift 0, eps 3, so the root of 4"
    close(student.layer_norm(x, torch.ones(4), torch.zeros(4), 3.0), [[0.5, -0.5, 0.5, -0.5]], given=given)


@exercise("layer_norm", points=0.5, needs="test_any_table_is_normalised_as_by_torch")
def test_the_normalisation_keeps_double_precision(student: Student) -> None:
    x = 2.0**25 + torch.tensor([[1.0, -1.0, 1.0, -1.0]], dtype=torch.float64)
    one, nought = torch.ones(4, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)
    given = "float64, 2²⁵ + (1 −1 1 −1), which float32 cannot hold; gain 1, shift 0, eps 3"
    close(student.layer_norm(x, one, nought, 3.0), [[0.5, -0.5, 0.5, -0.5]], given=given)


@exercise("layer_norm", points=0.5, needs="test_any_table_is_normalised_as_by_torch")
def test_a_vector_of_one_number_becomes_the_shift(student: Student) -> None:
    x = torch.tensor([[7.0], [-3.0]])
    close(student.layer_norm(x, torch.tensor([2.0]), torch.tensor([5.0])), [[5.0], [5.0]], given="d = 1; gain 2, shift 5")


# feed_forward
@exercise("feed_forward")
@for_all(x=inputs.tables(2, 3), w1=inputs.tables(3, 4), w2=inputs.tables(4, 3), b=inputs.tables(1, 7))
def test_any_vectors_go_through_as_by_hand(student: Student, x: Tensor, w1: Tensor, w2: Tensor, b: Tensor) -> None:
    b1, b2 = b[0, :4], b[0, 4:]
    inner = (x.double() @ w1.double() + b1.double()).clamp(min=0)
    expected = inner @ w2.double() + b2.double()
    close(student.feed_forward(x, w1, b1.clone(), w2, b2.clone()), expected, rtol=1e-3, atol=1e-2)


@exercise("feed_forward", points=0.5)
def test_gradients_of_all_weights_are_those_of_torch(student: Student) -> None:
    shapes = {"x": (2, 3, 4), "w1": (4, 5), "b1": (5,), "w2": (5, 4), "b2": (4,)}
    tensors = {name: _normal(*shape, seed=i) for i, (name, shape) in enumerate(shapes.items())}

    def oracle(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
        return functional.linear(functional.linear(x, w1.T, b1).relu(), w2.T, b2)

    close_gradients(student, "feed_forward", oracle, tensors, given="random x (2, 3, 4), d = 4, f = 5")


@exercise("feed_forward", points=0.5, needs="test_any_vectors_go_through_as_by_hand")
@for_all(examples=30, width=integers(1, 3), inner=integers(1, 13), seed=integers(0, 99))
def test_the_inner_width_may_be_the_outer_one_or_many_times_it(
    student: Student, width: int, inner: int, seed: int
) -> None:
    shapes = [(2, width), (width, inner), (inner,), (inner, width), (width,)]
    tensors = [_normal(*shape, seed=5 * seed + i) for i, shape in enumerate(shapes)]
    x, w1, b1, w2, b2 = (tensor.tolist() for tensor in tensors)
    expected = []
    for row in x:
        hidden = [max(0.0, b1[j] + sum(row[i] * w1[i][j] for i in range(width))) for j in range(inner)]
        expected.append([b2[i] + sum(hidden[j] * w2[j][i] for j in range(inner)) for i in range(width)])
    close(student.feed_forward(*tensors), expected, rtol=1e-3, atol=1e-4)


@exercise("feed_forward", points=0.5, needs="test_any_vectors_go_through_as_by_hand")
def test_a_vector_alone_and_four_axes_go_through_many_inner_units(student: Student) -> None:
    w1, b1, w2, b2 = (_normal(*shape, seed=30 + i) for i, shape in enumerate([(3, 700), (700,), (700, 3), (3,)]))
    for shape in ((3,), (2, 1, 1, 3), (1, 4, 1, 3)):
        x = _normal(*shape, seed=34)
        expected = (x.double() @ w1.double() + b1.double()).clamp(min=0) @ w2.double() + b2.double()
        found = student.feed_forward(x, w1, b1, w2, b2)
        close(found, expected, rtol=1e-3, atol=1e-2, given=f"random x of shape {shape}, f = 700")


@exercise("feed_forward", points=0.5, needs="test_any_vectors_go_through_as_by_hand")
def test_the_network_keeps_double_precision(student: Student) -> None:
    one, big = torch.ones(1, 1, dtype=torch.float64), torch.full((1,), 2.0**30, dtype=torch.float64)
    given = "float64, x = 2³⁰ + 1, which float32 cannot hold; both matrices 1, b1 = −2³⁰, b2 = 0"
    close(student.feed_forward((big + 1)[None], one, -big, one, 0 * big), [[1.0]], given=given)


# embed
@exercise("embed")
@for_all(
    tokens=lists(lists(inputs.ids(4), min_size=2, max_size=2), min_size=1, max_size=3),
    table=inputs.tables(4, 3),
    positions=inputs.tables(6, 3),
    first=integers(0, 4),
)
def test_any_tokens_are_embedded_one_by_one(
    student: Student, tokens: list[list[int]], table: Tensor, positions: Tensor, first: int
) -> None:
    expected = [
        [[math.sqrt(3) * float(table[t, i]) + float(positions[first + n, i]) for i in range(3)] for n, t in enumerate(text)]
        for text in tokens
    ]
    close(student.embed(torch.tensor(tokens), table, positions, first), expected, atol=1e-4)


@exercise("embed", points=0.5)
def test_the_table_is_trained_through_its_rows(student: Student) -> None:
    tokens, positions = torch.tensor([[2, 0], [2, 1]]), _normal(3, 4, seed=6)

    def oracle(table: Tensor, positions: Tensor) -> Tensor:
        return 2 * functional.embedding(tokens, table) + positions[:2]

    leaves = [_normal(3, 4, seed=5).requires_grad_(), positions.requires_grad_()]
    expected = torch.autograd.grad(scalar(oracle(*leaves)), leaves)
    found = student.gradients("embed", tokens, *leaves)
    for name, actual, wanted in zip(("table", "positions"), found, expected, strict=True):
        true(actual is not None, "it knows nothing of the numbers that it comes from", given=f"the {name}")
        close(actual, wanted, given=f"tokens 2 0 and 2 1; the gradient for the {name}{WEIGHTED}")


@exercise("embed", points=0.5, needs="test_any_tokens_are_embedded_one_by_one")
def test_a_text_may_be_long_and_a_vector_one_number(student: Student) -> None:
    tokens, table, positions = 7 * torch.arange(600)[None] % 1000, _normal(1000, 5, seed=35), _normal(690, 5, seed=36)
    expected = math.sqrt(5) * table[tokens].double() + positions[90:].double()
    given = "a text of 600 tokens, first = 90, 690 positions, d = 5, 1000 words"
    close(student.embed(tokens, table, positions, 90), expected, given=given, atol=1e-4)
    found = student.embed(torch.tensor([[1], [0]]), torch.tensor([[2.0], [3.0]]), torch.tensor([[10.0], [20.0]]), 1)
    close(found, [[[23.0]], [[22.0]]], given="d = 1: a table of 2 and 3, positions 10 and 20; the tokens 1 and 0, first = 1")


@exercise("embed", points=0.5, needs="test_any_tokens_are_embedded_one_by_one")
def test_the_embedding_keeps_double_precision(student: Student) -> None:
    table = torch.full((2, 4), 2.0**30 + 1, dtype=torch.float64)
    positions = torch.full((3, 4), -(2.0**31), dtype=torch.float64)
    given = "float64, a table of 2³⁰ + 1, which float32 cannot hold, positions of −2³¹; d = 4, one token"
    close(student.embed(torch.tensor([[1]]), table, positions), torch.full((1, 1, 4), 2.0), given=given)


# encoder_layer
@exercise("encoder_layer")
@for_all(examples=15, sizes=sampled_from([(1, 1, 4, 1), (3, 2, 4, 2), (2, 6, 8, 4), (1, 3, 6, 3), (12, 2, 4, 2)]), seed=integers(0, 99))
def test_layers_of_any_size_agree_with_torchs(student: Student, sizes: tuple[int, ...], seed: int) -> None:
    batch, length, width, heads = sizes
    layer = _shaken(nn.TransformerEncoderLayer(width, heads, 2 * width + 1, dropout=0.0, batch_first=True), seed)
    x, mask = _normal(batch, length, width, seed=seed), torch.ones(batch, 1, 1, length, dtype=torch.bool)
    mask[0, ..., 1:] = False
    with torch.no_grad():
        seen = layer.self_attn(x, x, x, key_padding_mask=~mask[:, 0, 0])[0]
        middle = layer.norm1(x + seen)
        expected = layer.norm2(middle + layer.linear2(layer.linear1(middle).relu()))
    found = student.encoder_layer(x, mask, _attention(student, layer.self_attn), _weights(layer, 2))
    close(found, expected, rtol=1e-3, atol=1e-3)


@exercise("encoder_layer", points=0.5)
def test_the_input_learns_through_the_skips(student: Student) -> None:
    layer = _shaken(nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, batch_first=True), 3)
    x, mask = _normal(1, 4, 8, seed=7), torch.ones(1, 1, 1, 4, dtype=torch.bool)

    def oracle(x: Tensor) -> Tensor:
        middle = layer.norm1(x + layer.self_attn(x, x, x)[0])
        out: Tensor = layer.norm2(middle + layer.linear2(layer.linear1(middle).relu()))
        return out

    attention = _attention(student, layer.self_attn)
    leaf = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad(scalar(oracle(leaf)), [leaf])
    (found,) = student.gradients("encoder_layer", leaf, mask, attention, _weights(layer, 2))
    true(found is not None, "it knows nothing of the numbers that it comes from", given="the input")
    close(found, expected, rtol=1e-2, atol=1e-3, given=f"4 tokens, d = 8, 2 heads, random weights; the input's gradient{WEIGHTED}")


def _double_norms(norms: int) -> tuple[Tensor, dict[str, Tensor]]:
    """x (1, 1, 4), 2²⁵ + (1 −1 1 −1), and weights of sublayers that give 0, the last shift 7; in doubles."""
    x = 2.0**25 + torch.tensor([[[1.0, -1.0, 1.0, -1.0]]], dtype=torch.float64)
    shapes = {"w1": (4, 4), "b1": (4,), "w2": (4, 4), "b2": (4,)}
    weights = {name: torch.zeros(*shape, dtype=torch.float64) for name, shape in shapes.items()}
    for i in range(1, norms + 1):
        weights |= {f"gain{i}": torch.ones(4, dtype=torch.float64), f"shift{i}": torch.zeros(4, dtype=torch.float64)}
    return x, weights


def _silent(student: Student) -> Any:
    """The lesson's attention in doubles, which gives 0 whatever it sees."""
    layer = nn.MultiheadAttention(4, 2)
    layer.load_state_dict({name: torch.zeros_like(weight) for name, weight in layer.state_dict().items()})
    return _attention(student, layer).double()


@exercise("encoder_layer", points=0.5, needs="test_layers_of_any_size_agree_with_torchs")
def test_an_encoder_layer_keeps_double_precision(student: Student) -> None:
    (x, weights), mask = _double_norms(2), torch.ones(1, 1, 1, 1, dtype=torch.bool)
    given = "float64, x = 2²⁵ + (1 −1 1 −1), which float32 cannot hold; sublayers give 0, gains 1, shifts 0"
    found = student.encoder_layer(x, mask, _silent(student), weights)
    close(found, [[[1.0, -1.0, 1.0, -1.0]]], given=given, rtol=1e-3)


# decoder_layer
@exercise("decoder_layer", points=0.5, needs="test_decoder_layers_of_any_size_agree_with_torchs")
def test_a_decoder_layer_keeps_double_precision(student: Student) -> None:
    (x, weights), mask = _double_norms(3), torch.ones(1, 1, 1, 1, dtype=torch.bool)
    given = "float64, x = 2²⁵ + (1 −1 1 −1), which float32 cannot hold; sublayers give 0, gains 1, shifts 0"
    found = student.decoder_layer(x, torch.ones_like(x), mask, _silent(student), _silent(student), weights)
    close(found, [[[1.0, -1.0, 1.0, -1.0]]], given=given, rtol=1e-3)


@exercise("decoder_layer", points=1.5)
@for_all(
    examples=15,
    sizes=sampled_from([(1, 1, 1, 4, 1), (2, 4, 3, 4, 2), (2, 2, 6, 8, 4), (2, 3, 3, 4, 2), (1, 12, 15, 4, 2)]),
    seed=integers(0, 99),
)
def test_decoder_layers_of_any_size_agree_with_torchs(student: Student, sizes: tuple[int, ...], seed: int) -> None:
    batch, length, source, width, heads = sizes
    layer = _shaken(nn.TransformerDecoderLayer(width, heads, 2 * width + 1, dropout=0.0, batch_first=True), seed)
    x, memory = _normal(batch, length, width, seed=seed), _normal(batch, source, width, seed=seed + 100)
    mask = torch.ones(batch, 1, 1, source, dtype=torch.bool)
    mask[0, ..., 1:] = False
    later = torch.ones(length, length, dtype=torch.bool).triu(1)
    with torch.no_grad():
        expected = layer(x, memory, tgt_mask=later, memory_key_padding_mask=~mask[:, 0, 0])
    parts = (_attention(student, layer.self_attn), _attention(student, layer.multihead_attn), _weights(layer, 3))
    close(student.decoder_layer(x, memory, mask, *parts), expected, rtol=1e-3, atol=1e-3)


@exercise("decoder_layer", points=0.5)
def test_the_memory_learns_from_the_decoder(student: Student) -> None:
    layer = _shaken(nn.TransformerDecoderLayer(8, 2, 12, dropout=0.0, batch_first=True), 4)
    x, memory, mask = _normal(1, 3, 8, seed=8), _normal(1, 4, 8, seed=9), torch.ones(1, 1, 1, 4, dtype=torch.bool)
    leaves = [x.requires_grad_(), memory.requires_grad_()]
    later = torch.ones(3, 3, dtype=torch.bool).triu(1)
    expected = torch.autograd.grad(scalar(layer(*leaves, tgt_mask=later)), leaves)
    parts = (_attention(student, layer.self_attn), _attention(student, layer.multihead_attn), _weights(layer, 3))
    found = student.gradients("decoder_layer", *leaves, mask, *parts)
    for name, actual, wanted in zip(("target", "memory"), found, expected, strict=True):
        true(actual is not None, "it knows nothing of the numbers that it comes from", given=f"the {name}")
        close(actual, wanted, rtol=1e-2, atol=1e-3, given=f"3 tokens, a source of 4, d = 8; the gradient for the {name}{WEIGHTED}")


# shift
@exercise("shift")
@for_all(texts=lists(lists(integers(3, 9), max_size=4), min_size=1, max_size=4), padding=sampled_from([0, 15]))
def test_any_texts_are_shifted_as_place_by_place(student: Student, texts: list[list[int]], padding: int) -> None:
    width = max(map(len, texts)) + 1
    fed, asked = student.shift(texts, 1, 2, padding)
    equal(
        [fed.tolist(), asked.tolist()],
        [
            [([1, *text] + [padding] * width)[:width] for text in texts],
            [([*text, 2] + [padding] * width)[:width] for text in texts],
        ],
    )


@exercise("shift", points=0.5)
def test_both_come_as_tensors_of_int64(student: Student) -> None:
    kinds = [str(getattr(part, "dtype", type(part).__name__)) for part in student.shift([[5, 6], []], 1, 2)]
    equal(kinds, ["torch.int64", "torch.int64"], given="the texts 5 6 and an empty one; the types")
    kinds = [str(getattr(part, "dtype", type(part).__name__)) for part in student.shift([[], []], 1, 2)]
    equal(kinds, ["torch.int64", "torch.int64"], given="two empty texts; the types")


def _shifted(student: Student, texts: list[list[int]], begin: int, end: int, padding: int) -> list[Any]:
    return [part.tolist() for part in student.shift(texts, begin, end, padding)]


@exercise("shift", points=0.5, needs="test_any_texts_are_shifted_as_place_by_place")
def test_0_may_be_the_id_of_begin_or_of_end(student: Student) -> None:
    texts = [[7, 8], [9]]
    given = "the texts 7 8 and 9; padding 15, end 2, begin 0"
    equal(_shifted(student, texts, 0, 2, 15), [[[0, 7, 8], [0, 9, 15]], [[7, 8, 2], [9, 2, 15]]], given=given)
    given = "the texts 7 8 and 9; padding 15, begin 1, end 0"
    equal(_shifted(student, texts, 1, 0, 15), [[[1, 7, 8], [1, 9, 15]], [[7, 8, 0], [9, 0, 15]]], given=given)


@exercise("shift", points=0.5, needs="test_any_texts_are_shifted_as_place_by_place")
def test_begin_may_be_the_id_of_the_end_or_of_the_padding(student: Student) -> None:
    texts = [[7, 8], [9]]  # GPT-2 begins with its end, T5 with its padding
    given = "the texts 7 8 and 9; padding 0, begin and end 2"
    equal(_shifted(student, texts, 2, 2, 0), [[[2, 7, 8], [2, 9, 0]], [[7, 8, 2], [9, 2, 0]]], given=given)
    given = "the texts 7 8 and 9; begin and padding 0, end 1"
    equal(_shifted(student, texts, 0, 1, 0), [[[0, 7, 8], [0, 9, 0]], [[7, 8, 1], [9, 1, 0]]], given=given)


@exercise("shift", points=0.5, needs="test_any_texts_are_shifted_as_place_by_place")
def test_ids_may_be_large_and_texts_long(student: Student) -> None:
    large = 3 * 10**9 + 1
    given = "the texts 3000000001 70000 and 40000; begin 50257, end 16777217, padding −100"
    expected = [[[50_257, large, 70_000], [50_257, 40_000, -100]], [[large, 70_000, 2**24 + 1], [40_000, 2**24 + 1, -100]]]
    equal(_shifted(student, [[large, 70_000], [40_000]], 50_257, 2**24 + 1, -100), expected, given=given)
    long = list(range(3, 703))
    expected = [[[1, *long], [1, 5] + [0] * 699], [[*long, 2], [5, 2] + [0] * 699]]
    equal(_shifted(student, [long, [5]], 1, 2, 0), expected, given="the text 3 4 5 … 702, and 5; begin 1, end 2, padding 0")


@exercise("shift", points=0.5, needs="test_any_texts_are_shifted_as_place_by_place")
def test_every_one_of_many_texts_is_shifted(student: Student) -> None:
    texts = [[7]] * 12 + [[8, 9]]
    given = "twelve texts 7, then 8 9; begin 1, end 2, padding 0"
    expected = [[[1, 7, 0]] * 12 + [[1, 8, 9]], [[7, 2, 0]] * 12 + [[8, 9, 2]]]
    equal(_shifted(student, texts, 1, 2, 0), expected, given=given)


# smoothed_loss
@exercise("smoothed_loss")
@for_all(
    logits=inputs.tables(6, 5),
    asked=lists(inputs.ids(5), min_size=6, max_size=6).filter(any),
    smoothing=sampled_from([0.0, 0.1, 0.5]),
)
def test_any_logits_cost_what_torch_says(student: Student, logits: Tensor, asked: list[int], smoothing: float) -> None:
    expected = functional.cross_entropy(
        logits.double(), torch.tensor(asked), ignore_index=0, label_smoothing=smoothing
    )
    found = student.smoothed_loss(logits.reshape(2, 3, 5), torch.tensor(asked).reshape(2, 3), smoothing)
    close(found, expected, rtol=1e-3, atol=1e-4)


@exercise("smoothed_loss", points=0.5)
def test_gradients_of_the_loss_are_those_of_torch(student: Student) -> None:
    asked = torch.tensor([[1, 4, 0], [2, 0, 0]])

    def oracle(logits: Tensor, asked: Tensor, smoothing: float) -> Tensor:
        return functional.cross_entropy(
            logits.flatten(0, 1), asked.flatten(), ignore_index=0, label_smoothing=smoothing
        )

    tensors = {"logits": _normal(2, 3, 5, seed=11)}
    close_gradients(student, "smoothed_loss", oracle, tensors, asked, 0.1, given="random logits (2, 3, 5); 3 words count")


@exercise("smoothed_loss", points=0.5)
def test_large_logits_give_no_infinity(student: Student) -> None:
    logits = torch.tensor([[[300.0, 0.0, -300.0, 10.0]]])
    expected = functional.cross_entropy(logits[0].double(), torch.tensor([2]), label_smoothing=0.1)
    close(student.smoothed_loss(logits, torch.tensor([[2]]), 0.1), expected, given="logits 300 0 −300 10; 2 is right")


@exercise("smoothed_loss", points=0.5, needs="test_any_logits_cost_what_torch_says")
def test_the_logits_of_one_place_may_be_far_below_those_of_another(student: Student) -> None:
    logits = torch.tensor([[[0.0, 0.0, 0.0], [-500.0, -500.0, -500.0]]])
    given = "logits 0 0 0 and −500 −500 −500, asked for 1 and 2; ε = 0.1"
    close(student.smoothed_loss(logits, torch.tensor([[1, 2]]), 0.1), math.log(3), given=given)


@exercise("smoothed_loss", points=0.5, needs="test_any_logits_cost_what_torch_says")
def test_a_large_batch_of_many_words_costs_what_torch_says(student: Student) -> None:
    logits, asked = 3 * _normal(13, 30, 300, seed=37), 7 * torch.arange(390) % 300
    expected = functional.cross_entropy(logits.flatten(0, 1).double(), asked, ignore_index=0, label_smoothing=0.3)
    found = student.smoothed_loss(logits, asked.reshape(13, 30), 0.3)
    close(found, expected, rtol=1e-3, given="13 texts of 30 places, 300 words, random logits; ε = 0.3")


@exercise("smoothed_loss", points=0.5, needs="test_any_logits_cost_what_torch_says")
def test_the_loss_keeps_double_precision(student: Student) -> None:
    logits = 2.0**30 + torch.tensor([[[0.0, math.log(2), 0.0]]], dtype=torch.float64)
    given = "float64 logits, 2³⁰ + (0, ln 2, 0), which float32 cannot hold; the second is right; ε = 0"
    close(student.smoothed_loss(logits, torch.tensor([[1]]), 0.0), math.log(2), given=given)


# attend_next
@exercise("attend_next", points=1.5)
@for_all(
    examples=20,
    sizes=sampled_from([(1, 1, 2, 1), (2, 3, 4, 2), (1, 2, 5, 3)]),
    draws=inputs.tables(6, 30),
)
def test_token_by_token_equals_one_pass_with_a_causal_mask(
    student: Student, sizes: tuple[int, ...], draws: Tensor
) -> None:
    batch, heads, length, width = sizes
    numbers = draws.flatten()[: 3 * math.prod(sizes)].repeat(3)[: 3 * math.prod(sizes)]
    query, key, value = numbers.clamp(-4, 4).reshape(3, batch, heads, length, width)
    expected = functional.scaled_dot_product_attention(query.double(), key.double(), value.double(), is_causal=True)
    past = None
    for n in range(length):
        now = slice(n, n + 1)
        output, past = student.attend_next(query[:, :, now], key[:, :, now], value[:, :, now], past)
        past = tuple(past)
        close(output, expected[:, :, now], rtol=1e-3, atol=1e-4, given=f"token {n} of {length}")


@exercise("attend_next", points=0.5)
def test_a_score_far_above_the_others_takes_all_the_weight(student: Student) -> None:
    past = (torch.tensor([[[[300.0, 0.0], [-300.0, 0.0]]]]), torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]))
    query, key, value = torch.tensor([[[[300.0, 0.0]]]]), torch.tensor([[[[0.0, 300.0]]]]), torch.tensor([[[[5.0, 6.0]]]])
    output, _ = student.attend_next(query, key, value, past)
    close(output, [[[[1.0, 2.0]]]], given="query 300 0; keys 300 0, −300 0 and 0 300; values 1 2, 3 4 and 5 6")


@exercise("attend_next", points=0.5, needs="test_token_by_token_equals_one_pass_with_a_causal_mask")
def test_of_two_great_scores_the_greater_one_wins(student: Student) -> None:
    past = (torch.tensor([[[[1.0, 0.0], [2.0, 0.0]]]]), torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]))
    query, key, value = torch.tensor([[[[100.0, 0.0]]]]), torch.tensor([[[[-1.0, 0.0]]]]), torch.tensor([[[[5.0, 6.0]]]])
    output, _ = student.attend_next(query, key, value, past)
    close(output, [[[[3.0, 4.0]]]], given="query 100 0; keys 1 0, 2 0 and −1 0; values 1 2, 3 4 and 5 6")


@exercise("attend_next", points=0.5, needs="test_token_by_token_equals_one_pass_with_a_causal_mask")
def test_a_past_of_many_tokens_is_seen_and_kept_whole(student: Student) -> None:
    query, key, value = torch.zeros(1, 2, 1, 3), _normal(1, 2, 600, 3, seed=12), _normal(1, 2, 600, 3, seed=13)
    past = (key[:, :, :599].clone(), value[:, :, :599].clone())
    output, (keys, values) = student.attend_next(query, key[:, :, 599:], value[:, :, 599:], past)
    given = "599 earlier tokens, two heads; a query of zeros, so each value has one weight"
    close(output, value.double().mean(dim=2, keepdim=True), rtol=1e-3, atol=1e-4, given=given)
    close(keys, key, given="the same: the keys that are kept")
    close(values, value, given="the same: the values that are kept")


@exercise("attend_next", points=0.5, needs="test_token_by_token_equals_one_pass_with_a_causal_mask")
def test_the_cache_keeps_double_precision(student: Student) -> None:
    query, number = torch.zeros(1, 1, 1, 1, dtype=torch.float64), torch.full((1, 1, 1, 1), 2.0**30 + 1, dtype=torch.float64)
    output, kept = student.attend_next(query, number, number.clone())
    given = "float64, no past, key and value 2³⁰ + 1, which float32 cannot hold; less 2³⁰: "
    for name, found in zip(("the output", "the key", "the value"), (output, *kept), strict=True):
        close(torch.as_tensor(found).double() - 2.0**30, [[[[1.0]]]], given=given + name)
    output, kept = student.attend_next(query, number + 2, number + 2, (number, number.clone()))
    given = "float64, a query of 0; key and value 2³⁰ + 1 in the past, now 2³⁰ + 3; less 2³⁰: "
    expected = {"the output": [[[[2.0]]]], "the keys": [[[[1.0], [3.0]]]], "the values": [[[[1.0], [3.0]]]]}
    for (name, wanted), found in zip(expected.items(), (output, *kept), strict=True):
        close(torch.as_tensor(found).double() - 2.0**30, wanted, given=given + name)


@exercise("attend_next", points=0.5, needs="test_token_by_token_equals_one_pass_with_a_causal_mask")
def test_the_scores_of_one_head_may_be_far_below_those_of_another(student: Student) -> None:
    query, key, value = torch.tensor([[[[100.0]], [[100.0]]]]), torch.tensor([[[[5.0]], [[-5.0]]]]), torch.ones(1, 2, 1, 2)
    output, _ = student.attend_next(query, key, 3 * value, (key.clone(), value))
    given = "two heads, queries 100, keys 5 in the first and −5 in the second; values 1 in the past and now 3"
    close(output, 2 * value, given=given)


# beam_search
APART = 1e-3  # scores nearer than this are a tie, which rounding would decide; a chain has many: 0 2 0 0 costs what 0 0 2 0 does


def _apart(scores: list[float]) -> bool:
    return all(a - b > APART for a, b in itertools.pairwise(scores))


def _all(table: Tensor, longest: int, alpha: float) -> list[tuple[float, list[int]]]:
    """All texts that there are, the best first: begin 0, end 1."""
    logp = table.double().log_softmax(dim=-1)
    scored = []
    for length in range(1, longest + 1):
        for words in itertools.product(range(len(table)), repeat=length):
            ended = words[-1] == 1
            if 1 in words[:-1] or not (ended or length == longest):
                continue
            total = sum(float(logp[a, b]) for a, b in itertools.pairwise((0, *words)))
            scored.append((total / ((5 + length) / 6) ** alpha, list(words[:-1] if ended else words)))
    return sorted(scored, reverse=True)


@exercise("beam_search", points=1.5)
@for_all(examples=25, seed=integers(0, 500), longest=integers(1, 3), alpha=sampled_from([0.0, 0.6, 1.5]))
def test_with_room_for_all_texts_it_finds_the_best_of_brute_force(
    student: Student, seed: int, longest: int, alpha: float
) -> None:
    table = 2 * _normal(4, 4, seed=seed)
    expected = _all(table, longest, alpha)
    if not _apart([score for score, _ in expected[:2]]):
        return
    found = student.beam_search(student.torch.nn.Embedding.from_pretrained(table), 0, 1, longest, 4**3, alpha)
    score, words = found[0]
    equal([int(word) for word in words], expected[0][1])
    close(score, expected[0][0], rtol=1e-3, atol=1e-4)


@exercise("beam_search", points=0.5, needs="test_narrow_beams_keep_what_lists_keep")
@for_all(examples=15, seed=integers(0, 500), size=integers(2, 4))
def test_with_room_for_all_texts_it_returns_them_all(student: Student, seed: int, size: int) -> None:
    table = 2 * _normal(size, size, seed=seed)
    expected = _all(table, 2, 0.6)  # two words at most: longer chains have ties
    if not _apart([score for score, _ in expected]):
        return
    found = student.beam_search(student.torch.nn.Embedding.from_pretrained(table), 0, 1, 2, 4**2, 0.6)
    equal([[int(word) for word in words] for _, words in found], [words for _, words in expected])
    close([float(score) for score, _ in found], [score for score, _ in expected], rtol=1e-3, atol=1e-4)


def _narrow(
    table: Tensor, longest: int, beams: int, alpha: float, begin: int, end: int, whole: bool = False
) -> list[tuple[float, list[int]]] | None:
    """The search of the exercise, written with lists. None if there is a tie on the way.

    table: logits after each word; whole: they are the mean over all words of the prefix, else those of its last word.
    """

    def after(text: list[int]) -> list[float]:
        logits = table.double()[text if whole else text[-1:]].mean(dim=0)
        logp: list[float] = logits.log_softmax(dim=0).tolist()
        return logp

    running: list[tuple[float, list[int]]] = [(0.0, [begin])]
    finished = []
    for length in range(1, longest + 1):
        every = [(total + p, [*text, w]) for total, text in running for w, p in enumerate(after(text))]
        every.sort(reverse=True)
        kept = every[:beams]
        if not _apart([total for total, _ in every[: beams + 1]]):
            return None
        running = [one for one in kept if one[1][-1] != end and length < longest]
        for total, text in (one for one in kept if one not in running):
            words = text[1:-1] if text[-1] == end else text[1:]
            finished.append((total / ((5 + length) / 6) ** alpha, words))
    finished.sort(reverse=True)
    return finished if _apart([score for score, _ in finished]) else None


@exercise("beam_search")
@for_all(
    examples=30,
    seed=integers(0, 500),
    beams=integers(1, 3),
    longest=integers(1, 6),
    ends=sampled_from([(0, 1), (3, 0), (2, 4), (4, 3), (1, 1)]),
)
def test_narrow_beams_keep_what_lists_keep(
    student: Student, seed: int, beams: int, longest: int, ends: tuple[int, int]
) -> None:
    table = 2 * _normal(5, 5, seed=seed)
    expected = _narrow(table, longest, beams, 0.6, *ends)
    if expected is None:
        return
    found = student.beam_search(student.torch.nn.Embedding.from_pretrained(table), *ends, longest, beams, 0.6)
    equal([[int(word) for word in words] for _, words in found], [words for _, words in expected])
    close([float(score) for score, _ in found], [score for score, _ in expected], rtol=1e-3, atol=1e-4)


@exercise("beam_search", points=0.5, needs="test_narrow_beams_keep_what_lists_keep")
@for_all(examples=12, seed=integers(0, 500), beams=integers(1, 4))
def test_the_model_reads_the_whole_text_so_far(student: Student, seed: int, beams: int) -> None:
    table = 4 * _normal(5, 5, seed=seed)
    expected = _narrow(table, 5, beams, 0.6, 2, 0, whole=True)
    if expected is None:
        return
    mean = student.MultiHeadAttention(5, 1)  # all scores are 0
    state = {"project_in.weight": torch.cat([torch.zeros(10, 5), torch.eye(5)]), "project_in.bias": torch.zeros(15)}
    mean.load_state_dict(state | {"project_out.weight": torch.eye(5), "project_out.bias": torch.zeros(5)})
    model = student.torch.nn.Sequential(student.torch.nn.Embedding.from_pretrained(table), mean)
    found = student.beam_search(model, 2, 0, 5, beams, 0.6)
    equal([[int(word) for word in words] for _, words in found], [words for _, words in expected])
    close([float(score) for score, _ in found], [score for score, _ in expected], rtol=1e-3, atol=1e-4)


@exercise("beam_search", points=0.5, needs="test_narrow_beams_keep_what_lists_keep")
def test_scores_are_floats_and_words_are_lists_of_ids(student: Student) -> None:
    table = torch.tensor([[0.5, 0.2, 0.3], [0.0, 1.0, 0.0], [0.1, 0.6, 0.3]]).clamp(min=1e-9).log()
    found = student.beam_search(student.torch.nn.Embedding.from_pretrained(table), 0, 1, 1, 3, 0.0)
    given = "begin 0, end 1; after begin .5 .2 .3; one word at most, 3 beams"
    equal([words for _, words in found], [[0], [2], []], given=given)
    kinds = [type(score).__name__ for score, _ in found]
    true(all(isinstance(score, float) for score, _ in found), "each score should be a float", given=given, actual=kinds)


@exercise("beam_search", points=0.5, needs="test_narrow_beams_keep_what_lists_keep")
def test_a_word_that_is_nearly_impossible_has_its_score(student: Student) -> None:
    for logit in (-200.0, -1e10):
        table = torch.tensor([[0.0, logit], [0.0, 0.0]])
        found = student.beam_search(student.torch.nn.Embedding.from_pretrained(table), 0, 1, 1, 2, 0.0)
        given = f"begin 0, end 1; logits 0 and {logit:g}; one word, 2 beams"
        close([float(score) for score, _ in found], [0.0, logit], given=given)


@exercise("beam_search", points=0.5, needs="test_narrow_beams_keep_what_lists_keep")
def test_begin_and_end_may_be_one_id(student: Student) -> None:
    table = torch.tensor([[0.1, 0.7, 0.2], [0.1, 0.1, 0.8], [0.9, 0.05, 0.05]]).log()
    found = student.beam_search(student.torch.nn.Embedding.from_pretrained(table), 0, 0, 4, 1, 0.0)
    given = "0 is begin and end; after it .7 for 1, after 1 .8 for 2, after 2 .9 for the end; 1 beam, at most 4 words"
    equal([[int(word) for word in words] for _, words in found], [[1, 2]], given=given)
    close([float(score) for score, _ in found], [math.log(0.7 * 0.8 * 0.9)], given=given)


@exercise("beam_search", points=0.5, needs="test_narrow_beams_keep_what_lists_keep")
def test_a_text_may_have_many_words(student: Student) -> None:
    steps = 8.0 * torch.eye(16).roll(1, dims=1)  # each word is followed by the next one, and 15 by 0
    model = student.torch.nn.Embedding.from_pretrained(steps)
    given = "each of 16 words is followed by the next one; begin 0; 1 beam, "
    found = student.beam_search(model, 0, 15, 20, 1, 0.0)
    equal([[int(word) for word in words] for _, words in found], [list(range(1, 15))], given=given + "end 15, at most 20 words")
    found = student.beam_search(model, 0, 0, 13, 1, 0.0)
    equal([[int(word) for word in words] for _, words in found], [list(range(1, 14))], given=given + "end 0, at most 13 words")
    steps = torch.zeros(300, 300)
    steps[7, 299] = steps[299, 260] = 20.0
    found = student.beam_search(student.torch.nn.Embedding.from_pretrained(steps), 7, 260, 4, 1, 0.0)
    given = "300 words; begin 7 is followed by 299, and 299 by the end, 260; 1 beam, at most 4 words"
    equal([[int(word) for word in words] for _, words in found], [[299]], given=given)


# metrics
@metric("exact_match")
def exact_match(artifacts: Artifacts) -> float:
    """The recorded weights in the library's Transformer, on sentences that the notebook has not drawn."""
    told, references, _ = _translated(artifacts)
    return sum(map(list.__eq__, told, references)) / len(references)


@metric("bleu")
def bleu(artifacts: Artifacts) -> float:
    told, references, _ = _translated(artifacts)
    lines = [[" ".join(map(str, text)) for text in texts] for texts in (told, references)]
    return float(sacrebleu.corpus_bleu(lines[0], [lines[1]], tokenize="none").score)


@metric("homonyms_minus_majority")
def homonyms_minus_majority(artifacts: Artifacts) -> float:
    """The share of homonyms whose right Korean word was written, minus that of the more frequent sense."""
    told, _, pairs = _translated(artifacts)
    words = _vocabulary(artifacts)
    lexemes = zip(load("en").lexemes(), load("ko").lexemes(), strict=True)
    twins = {(english.stem, english.topic): korean.stem for english, korean in lexemes}
    senses = World("en", artifacts.seed).homonyms()
    right, counts = 0, dict[str, dict[str, int]]()
    for (english, _), text in zip(pairs, told, strict=True):
        for word in english:
            for morpheme in word.morphemes:
                if word.topic is not None and word.topic in senses.get(morpheme, ()):
                    right += words.get(twins[morpheme, word.topic], -1) in text
                    of_word = counts.setdefault(morpheme, {})
                    of_word[word.topic] = of_word.get(word.topic, 0) + 1
    total = sum(sum(of_word.values()) for of_word in counts.values())
    return (right - sum(max(of_word.values()) for of_word in counts.values())) / total


@metric("positions_where_order_counts")
def positions_where_order_counts(artifacts: Artifacts) -> float:
    kept = [str(english).startswith("last week") for english, _ in _held_out(artifacts.seed)[1]]
    return _exact(artifacts, "Transformer", kept) - _exact(artifacts, "no positions", kept)


@metric("minus_lstm_equal_steps")
def minus_lstm_equal_steps(artifacts: Artifacts) -> float:
    return _exact(artifacts, "Transformer") - _exact(artifacts, "LSTM, equal steps")


@metric("minus_lstm_equal_work")
def minus_lstm_equal_work(artifacts: Artifacts) -> float:
    return _exact(artifacts, "Transformer") - _exact(artifacts, "LSTM")


def _vocabulary(artifacts: Artifacts) -> dict[str, int]:
    words = artifacts.strings("vocabulary")
    if words[:3] != SPECIAL:
        raise BadArtifact(f"the vocabulary begins with {words[:3]}, expected {SPECIAL}")
    return {word: i for i, word in enumerate(words)}


@functools.lru_cache(maxsize=4)
def _held_out(seed: int, beyond: int = BEYOND) -> tuple[list[Pair], list[Pair]]:
    """The pairs that are learnt from, and those of another draw that are not among them, each English sentence once."""
    pairs = parallel(PAIRS, seed)
    seen = {str(english) for english, _ in pairs}
    fresh = {str(english): (english, korean) for english, korean in parallel(DRAWN, seed + beyond)}
    return pairs, [pair for text, pair in fresh.items() if text not in seen]


def _written(rows: list[list[int]]) -> Iterator[list[int]]:
    for row in rows:
        yield row[: row.index(2)] if 2 in row else row


def _exact(artifacts: Artifacts, name: str, kept: list[bool] | None = None) -> float:
    """The share of the recorded translations of the notebook's unseen sentences that are exact."""
    words, pairs = _vocabulary(artifacts), _held_out(artifacts.seed)[1]
    written = artifacts.tensor(f"translation {name}", ndim=2)
    if tuple(written.shape) != (len(pairs), LONGEST) or written.dtype != torch.int64:
        raise BadArtifact(f"the translations {name!r} have shape {tuple(written.shape)}, expected {(len(pairs), LONGEST)}")
    references = [[words.get(m, -1) for m in korean.tokens("morpheme")] for _, korean in pairs]
    right = [text == asked for text, asked in zip(_written(written.tolist()), references, strict=True)]
    chosen = right if kept is None else [one for one, keep in zip(right, kept, strict=True) if keep]
    return sum(chosen) / len(chosen)


def _model(artifacts: Artifacts, words: int) -> Transformer:
    """The library's Transformer with the recorded weights."""
    layers = 1
    with suppress(BadArtifact):
        while artifacts.tensor(f"weight encoder.{layers}.weights.b1", ndim=1) is not None:
            layers += 1
    config = TransformerConfig(words, layers, WIDTH, 2 * WIDTH, HEADS, dropout=0.0)
    model = Transformer(config)

    def recorded(name: str, like: Tensor) -> Tensor:
        value = artifacts.tensor(f"weight {name}", ndim=like.dim())
        if value.shape != like.shape:
            raise BadArtifact(f"the weight {name!r} has shape {tuple(value.shape)}, expected {tuple(like.shape)}")
        return value

    table = model.embedding.tokens.weight
    with torch.no_grad():
        table.copy_(recorded("table", table))
        sides: list[tuple[str, Any]] = [("encoder", model.encoder), ("decoder", model.decoder)]
        for kind, blocks in sides:
            for number, block in enumerate(blocks):
                parts = {"attention": block.attention, "cross": block.cross}
                for part, attention in parts.items():
                    for name, weight in attention.named_parameters() if attention is not None else ():
                        weight.copy_(recorded(f"{kind}.{number}.{part}.{name}", weight))
                sums = [block.attention_sum, *([block.cross_sum] if block.cross is not None else []), block.feed_forward_sum]
                for i, residual in enumerate(sums, start=1):
                    residual.norm.weight.copy_(recorded(f"{kind}.{number}.weights.gain{i}", residual.norm.weight))
                    residual.norm.bias.copy_(recorded(f"{kind}.{number}.weights.shift{i}", residual.norm.bias))
                for i, linear in ((1, block.feed_forward[0]), (2, block.feed_forward[2])):
                    linear.weight.copy_(recorded(f"{kind}.{number}.weights.w{i}", linear.weight.T).T)
                    linear.bias.copy_(recorded(f"{kind}.{number}.weights.b{i}", linear.bias))
    return model.eval()


def _translated(artifacts: Artifacts) -> tuple[list[list[int]], list[list[int]], list[Pair]]:
    """Greedy translations of sentences that the notebook has not drawn, their references, and the pairs."""
    words = _vocabulary(artifacts)
    pairs = [
        pair
        for pair in _held_out(artifacts.seed, UNSEEN)[1]
        if all(morpheme in words for sentence in pair for morpheme in sentence.tokens("morpheme"))
    ]
    if len(pairs) < DRAWN // 3:
        raise BadArtifact(f"the vocabulary holds the words of {len(pairs)} of the unseen sentences alone")
    source, target = ([[words[m] for m in pair[side].tokens("morpheme")] for pair in pairs] for side in (0, 1))
    padded = nn.utils.rnn.pad_sequence([torch.tensor(text) for text in source], batch_first=True)
    told = greedy(_model(artifacts, len(words)), padded, begin=1, end=2, longest=LONGEST)
    return told, target, pairs
