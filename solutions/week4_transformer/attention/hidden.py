"""attention: hidden checks and the metrics that the grader computes itself. Never released."""

import math
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import DrawFn, composite, integers, lists, sampled_from
from torch import Tensor
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from etude.lesson.checks import claim, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

# as in the notebook's experiment
WIDTH, SYMBOLS, TOKENS, BACK = 64, 16, 8, 3
PAIRS = {16: 8, 32: 12, 64: 16}  # of a profile, by the length of its sequences
BEYOND = 10**6  # the number of the batch that is asked


def _normal(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _additive(queries: Tensor, keys: Tensor, w_query: Tensor, w_key: Tensor, v: Tensor) -> Tensor:
    """One pair after another; no axes in front."""
    rows = [torch.stack([v @ torch.tanh(w_query @ q + w_key @ k) for k in keys]) for q in queries]
    return torch.stack(rows)


def _chosen(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """Attention by choosing the keys that are allowed, query by query: no −∞ is ever there. No axes in front."""
    rows = []
    for query, allowed in zip(queries, mask.expand(len(queries), len(keys)), strict=True):
        scores = keys[allowed] @ query / math.sqrt(len(query))
        rows.append(
            scores.softmax(dim=0) @ values[allowed] if bool(allowed.any()) else 0 * values.sum(dim=0) + 0 * query.sum()
        )
    return torch.stack(rows)


def _multi_head(
    x: Tensor,
    context: Tensor,
    w_in: Tensor,
    b_in: Tensor,
    w_out: Tensor,
    b_out: Tensor,
    heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """One head after another, each with its own rows of the maps, by torch's attention."""
    width, d = x.size(-1) // heads, x.size(-1)
    found = []
    for head in range(heads):
        own = [slice(part * d + head * width, part * d + (head + 1) * width) for part in range(3)]
        queries, keys, values = (
            functional.linear(side, w_in[rows], b_in[rows])
            for side, rows in zip((x, context, context), own, strict=True)
        )
        allowed = None if mask is None else mask.expand(len(x), heads, x.size(1), context.size(1))[:, head]
        found.append(functional.scaled_dot_product_attention(queries, keys, values, attn_mask=allowed))
    return functional.linear(torch.cat(found, dim=-1), w_out, b_out)


def _sinusoids(length: int, width: int) -> Tensor:
    table = [
        [(math.cos if j % 2 else math.sin)(i / 10_000 ** ((j - j % 2) / width)) for j in range(width)]
        for i in range(length)
    ]
    return torch.tensor(table, dtype=torch.float64)


@exercise("additive_scores", points=0.5)
def test_a_batch_agrees_with_one_pair_after_another(student: Student) -> None:
    queries, keys = _normal(2, 4, 3, seed=1), _normal(2, 5, 6, seed=2)
    maps = _normal(7, 3, seed=3), _normal(7, 6, seed=4), _normal(7, seed=5)
    expected = torch.stack([_additive(q, k, *maps) for q, k in zip(queries, keys, strict=True)])
    close(
        student.additive_scores(queries, keys, *maps),
        expected,
        given="random queries (2, 4, 3), keys (2, 5, 6), 7 inner numbers",
        atol=1e-5,
    )


@composite
def questions(draw: DrawFn) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """(queries (N, d), keys (M, e), w_query (a, d), w_key (a, e), v (a,))."""
    n, m, d, e, a = (draw(integers(1, 3)) for _ in range(5))
    return (
        draw(inputs.tables(n, d)),
        draw(inputs.tables(m, e)),
        draw(inputs.tables(a, d)),
        draw(inputs.tables(a, e)),
        draw(inputs.tables(1, a))[0],
    )


@exercise("additive_scores", points=0.5)
@for_all(drawn=questions())
def test_any_scores_agree_with_one_pair_after_another(
    student: Student, drawn: tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
) -> None:
    close(student.additive_scores(*drawn), _additive(*(each.double() for each in drawn)), atol=1e-4)


@exercise("additive_scores", points=0.5)
def test_gradients_reach_all_weights_of_the_scores(student: Student) -> None:
    drawn = [_normal(*shape, seed=6 + i) for i, shape in enumerate(((3, 2), (4, 2), (3, 2), (3, 2), (3,)))]
    names = ("queries", "keys", "w_query", "w_key", "v")
    close_gradients(
        student, "additive_scores", _additive, dict(zip(names, drawn, strict=True)), given="3 random queries, 4 keys"
    )


@exercise("additive_scores", points=0.5)
def test_any_axes_may_stand_in_front_and_doubles_keep_their_digits(student: Student) -> None:
    queries, keys = _normal(2, 3, 4, 2, seed=9).double(), _normal(2, 3, 4, 5, seed=10).double()
    maps = [_normal(*shape, seed=11 + i).double() for i, shape in enumerate(((3, 2), (3, 5), (3,)))]
    pairs = zip(queries.flatten(0, 1), keys.flatten(0, 1), strict=True)
    expected = torch.stack([_additive(q, k, *maps) for q, k in pairs]).unflatten(0, (2, 3))
    close(
        student.additive_scores(queries, keys, *maps),
        expected,
        given="random doubles: queries (2, 3, 4, 2), keys (2, 3, 4, 5)",
        rtol=1e-9,
        atol=1e-12,
    )


@exercise("additive_scores", points=0.5, needs="test_any_scores_agree_with_one_pair_after_another")
def test_three_axes_may_stand_in_front_and_keys_may_be_many(student: Student) -> None:
    for front, n, m in (((2, 1, 3), 2, 2), ((1,), 1, 300), ((1, 1), 300, 1)):
        queries, keys = _normal(*front, n, 3, seed=60), _normal(*front, m, 2, seed=61)
        maps = [_normal(*shape, seed=62 + i) for i, shape in enumerate(((5, 3), (5, 2), (5,)))]
        pairs = zip(queries.reshape(-1, n, 3), keys.reshape(-1, m, 2), strict=True)
        expected = torch.stack([_additive(q, k, *maps) for q, k in pairs]).reshape(*front, n, m)
        given = f"random queries {tuple(queries.shape)}, keys {tuple(keys.shape)}, 5 inner numbers"
        close(student.additive_scores(queries, keys, *maps), expected, given=given, rtol=1e-3, atol=1e-4)


@composite
def lookups(draw: DrawFn) -> tuple[Tensor, Tensor, Tensor]:
    """(queries (N, d), keys (M, d), values (M, e))."""
    n, m, d, e = (draw(integers(1, 4)) for _ in range(4))
    return draw(inputs.tables(n, d)), draw(inputs.tables(m, d)), draw(inputs.tables(m, e))


@exercise("attention")
@for_all(drawn=lookups())
def test_any_attention_agrees_with_pytorchs(student: Student, drawn: tuple[Tensor, Tensor, Tensor]) -> None:
    expected = functional.scaled_dot_product_attention(*(each.double() for each in drawn))  # type: ignore[arg-type]
    close(student.attention(*drawn), expected, rtol=1e-3, atol=1e-3)


@exercise("attention", points=0.5)
def test_doubles_keep_their_digits(student: Student) -> None:
    queries, keys, values = (_normal(3, 5, seed=seed).double() for seed in (14, 15, 16))  # √5 has no end
    close(
        student.attention(queries, keys, values),
        functional.scaled_dot_product_attention(queries, keys, values),
        given="random doubles: 3 queries, 3 keys",
        rtol=1e-11,
        atol=1e-13,
    )


@exercise("attention", points=0.5, needs="test_any_attention_agrees_with_pytorchs")
def test_the_scores_of_one_query_may_be_far_below_those_of_another(student: Student) -> None:
    queries, keys = torch.tensor([[[100.0], [-100.0]], [[1.0], [0.0]]]), torch.tensor([[[5.0], [5.0]], [[-900.0], [-900.0]]])
    given = "width 1, two texts: queries 100 and −100, keys 5 and 5; queries 1 and 0, keys −900 and −900; values 1 and 3"
    values = torch.tensor([[1.0], [3.0]]).expand(2, 2, 1).clone()
    close(student.attention(queries, keys, values), torch.full((2, 2, 1), 2.0), given=given)


@exercise("attention", points=0.5, needs="test_any_attention_agrees_with_pytorchs")
def test_axes_in_front_may_be_one_or_three_and_keys_many(student: Student) -> None:
    for front, n, m in (((2, 1, 3), 2, 4), ((1,), 1, 600), ((1, 1), 3, 2)):
        queries, keys, values = (_normal(*front, rows, 3, seed=65 + i) for i, rows in enumerate((n, m, m)))
        expected = functional.scaled_dot_product_attention(queries, keys, values)
        given = f"random queries {tuple(queries.shape)}, keys and values {tuple(keys.shape)}"
        close(student.attention(queries, keys, values), expected, given=given, rtol=1e-3, atol=1e-4)


@exercise("attention", points=0.5)
def test_gradients_are_pytorchs(student: Student) -> None:
    drawn = {
        "queries": _normal(2, 3, 4, seed=11),
        "keys": _normal(2, 5, 4, seed=12),
        "values": _normal(2, 5, 6, seed=13),
    }
    close_gradients(
        student, "attention", functional.scaled_dot_product_attention, drawn, given="random tensors, 3 queries, 5 keys"
    )


@exercise("padding_mask", points=0.5)
@for_all(lengths=lists(integers(0, 6), min_size=1, max_size=5), more=integers(0, 2))
def test_any_lengths_give_the_mask_of_a_loop(student: Student, lengths: list[int], more: int) -> None:
    size = max([1, *lengths]) + more
    expected = [[[[float(j < length) for j in range(size)]]] for length in lengths]
    close(student.padding_mask(torch.tensor(lengths), size), expected)


@exercise("padding_mask", points=0.5)
def test_long_sentences_are_marked_to_their_end(student: Student) -> None:
    lengths = [300, 0, 513]
    expected = [[[[float(j < length) for j in range(600)]]] for length in lengths]
    close(student.padding_mask(torch.tensor(lengths), 600), expected, given="lengths 300, 0 and 513, 600 positions")
    expected = [[[[float(j < length) for j in range(130)]]] for length in range(130)]
    close(student.padding_mask(torch.arange(130), 130), expected, given="130 sentences of lengths 0 to 129, 130 positions")


@exercise("padding_mask", points=0.5, needs="test_a_sentence_of_one_token_and_one_of_five")
def test_the_mask_is_made_where_the_lengths_are(student: Student) -> None:
    lengths, library = student.put(torch.tensor([1, 3])), student.torch
    given = "lengths 1 and 3, 4 positions, on another device than torch's default"
    library.set_default_device("meta")  # where what is made without a device holds no numbers
    try:
        mask = student.padding_mask(lengths, 4)
    except NotImplementedError as error:  # made elsewhere and then moved, from where there is nothing to move
        _, message, lines = student.explain(error)
        if "meta" not in message or not lines:
            raise
        return
    finally:
        library.set_default_device(None)
    true(str(getattr(mask, "device", "")) == "cpu", "the mask is not on the device of the lengths", given=given)
    close(mask, [[[[1, 0, 0, 0]]], [[[1, 1, 1, 0]]]], given=given)


@exercise("causal_mask", points=0.5)
def test_a_long_past_is_seen_whole(student: Student) -> None:
    expected = [[float(j <= 600 + i) for j in range(603)] for i in range(3)]
    close(student.causal_mask(3, 600), expected, given="3 new positions after a past of 600")
    below = (torch.arange(607) <= 7 + torch.arange(600)[:, None]).float()
    close(student.causal_mask(600, 7), below, given="600 new positions after a past of 7")
    for past in (0, 600):
        kind = str(getattr(student.causal_mask(3, past), "dtype", ""))
        true("bool" in kind, "a bool tensor was expected", given=f"3 new positions after a past of {past}", actual=kind)


@exercise("causal_mask", points=0.5)
@for_all(length=integers(1, 6), past=integers(0, 6))
def test_any_length_and_past_give_the_mask_of_a_loop(student: Student, length: int, past: int) -> None:
    close(
        student.causal_mask(length, past),
        [[float(j <= past + i) for j in range(past + length)] for i in range(length)],
    )


@composite
def masked(draw: DrawFn) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(queries (N, d), keys (M, d), values (M, e), mask (N, M), (M,), (1, M) or (N, 1)); some rows are masked as a whole."""
    queries, keys, values = draw(lookups())
    n, m = len(queries), len(keys)
    shape: tuple[int, ...] = [(m,), (n, m), (n, m), (1, m), (n, 1)][draw(integers(0, 4))]
    size = math.prod(shape)
    bits = draw(lists(integers(0, 1), min_size=size, max_size=size))
    return queries, keys, values, torch.tensor(bits, dtype=torch.bool).reshape(shape)


@exercise("masked_attention")
@for_all(drawn=masked())
def test_any_mask_is_as_if_the_masked_keys_were_not_there(
    student: Student, drawn: tuple[Tensor, Tensor, Tensor, Tensor]
) -> None:
    queries, keys, values, mask = drawn
    expected = _chosen(queries.double(), keys.double(), values.double(), mask)
    close(student.masked_attention(queries, keys, values, mask), expected, rtol=1e-3, atol=1e-3)


@exercise("masked_attention", points=0.5)
def test_no_score_is_lower_than_that_of_a_masked_key(student: Student) -> None:
    close(
        student.masked_attention(
            torch.tensor([[1e6]]),
            torch.tensor([[-1e6], [-1e6], [1.0]]),
            torch.eye(3),
            torch.tensor([[True, True, False]]),
        ),
        [[0.5, 0.5, 0.0]],
        given="width 1: query 10⁶, keys −10⁶, −10⁶ and 1, the third masked; the unit vectors as values",
    )


@exercise("masked_attention", points=0.5, needs="test_any_mask_is_as_if_the_masked_keys_were_not_there")
def test_texts_of_a_batch_may_share_a_mask_or_have_their_own(student: Student) -> None:
    queries, keys, values = _normal(2, 3, 4, seed=70), _normal(2, 300, 4, seed=71), _normal(2, 300, 5, seed=72)
    for shape in ((2, 1, 300), (3, 300), (2, 3, 300), (2, 3, 1), (1, 1, 300)):
        mask = _normal(*shape, seed=73) > 0
        mask[..., 0, :] &= shape[-2] == 1  # with rows of their own, the first query sees nothing
        rows = zip(queries.double(), keys.double(), values.double(), mask.expand(2, 3, 300), strict=True)
        expected = torch.stack([_chosen(*row) for row in rows])
        found = student.masked_attention(queries, keys, values, mask)
        close(found, expected, rtol=1e-3, atol=1e-4, given=f"2 texts, 3 random queries, 300 keys; a random mask {shape}")


@exercise("masked_attention", points=0.5, needs="test_any_mask_is_as_if_the_masked_keys_were_not_there")
def test_the_allowed_scores_of_one_query_may_be_far_below_those_of_another(student: Student) -> None:
    queries, keys = torch.tensor([[100.0], [-100.0], [0.0]]), torch.tensor([[5.0], [5.0], [7.0]])
    mask = torch.tensor([[True, True, False], [True, True, False], [False] * 3])
    found = student.masked_attention(queries, keys, torch.eye(3), mask)
    given = "width 1: queries 100, −100 and 0, keys 5, 5 and 7, the third masked, for the third query all; the unit vectors as values"
    close(found, [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0]], given=given)


@exercise("masked_attention", points=0.5, needs="test_gradients_are_numbers_also_where_a_query_may_see_nothing")
def test_gradients_are_numbers_also_where_a_masked_score_is_huge(student: Student) -> None:
    mask = torch.tensor([[True, True, False], [False] * 3])
    drawn = {"queries": torch.tensor([[10.0], [10.0]]), "keys": torch.tensor([[0.1], [0.0], [100.0]])}
    drawn |= {"values": torch.tensor([[1.0, 2.0], [3.0, -1.0], [5.0, 5.0]])}
    given = "width 1: queries 10 and 10, keys 0.1, 0 and 100, the third masked, for the second query all"
    close_gradients(student, "masked_attention", _chosen, drawn, mask, given=given)


@exercise("masked_attention", points=0.5)
def test_a_query_attends_also_where_nobody_may_look(student: Student) -> None:
    x, mask = _normal(1, 2, 3, 4, seed=18).double(), torch.tensor([[[[True, True, False]]]])
    close(
        student.masked_attention(x, x, x, mask),
        functional.scaled_dot_product_attention(x, x, x, attn_mask=mask.expand(1, 2, 3, 3)),
        given="3 random tokens that ask each other, in doubles; a mask (1, 1, 1, 3) hides the third as a key",
        rtol=1e-11,
        atol=1e-13,
    )


@exercise("masked_attention")
def test_gradients_are_numbers_also_where_a_query_may_see_nothing(student: Student) -> None:
    mask = torch.tensor([[True, False, True, True], [False] * 4, [True, True, False, False]])
    drawn = {"queries": _normal(3, 2, seed=14), "keys": _normal(4, 2, seed=15), "values": _normal(4, 3, seed=16)}
    close_gradients(
        student,
        "masked_attention",
        _chosen,
        drawn,
        mask,
        given="3 random queries, of which the second may see none of 4 keys",
    )


@composite
def cut(draw: DrawFn) -> tuple[Tensor, int]:
    """(x (B, N, heads · width), heads), each number another one."""
    b, n, heads, width = (draw(integers(1, 4)) for _ in range(4))
    return torch.arange(b * n * heads * width).float().reshape(b, n, -1), heads


@exercise("split_heads", points=0.5)
@for_all(drawn=cut())
def test_any_tokens_are_cut_where_the_heads_are(student: Student, drawn: tuple[Tensor, int]) -> None:
    x, heads = drawn
    expected = np.stack(np.split(x.numpy(), heads, axis=2), axis=1)  # (B, h, N, d/h)
    close(student.split_heads(x, heads), expected)


@exercise("split_heads", points=0.5)
def test_whole_numbers_stay_whole(student: Student) -> None:
    large = 2**40 + 1  # no float32 number
    found = student.split_heads(torch.arange(large, large + 4).reshape(1, 1, 4), 2)
    equal(
        torch.as_tensor(found).tolist(),
        [[[[large, large + 1]], [[large + 2, large + 3]]]],
        given="one token, 2⁴⁰ + 1 to 2⁴⁰ + 4 as int64; two heads",
    )


@exercise("split_heads", points=0.5, needs="test_any_tokens_are_cut_where_the_heads_are")
def test_every_type_is_kept(student: Student) -> None:
    for kind in (torch.bool, torch.uint8, torch.int32, torch.float16, torch.float64):
        x = torch.tensor([[[1, 0, 0, 1], [0, 1, 1, 1]]]).to(kind)
        found = student.split_heads(x, 2)
        given = f"two tokens, 1 0 0 1 and 0 1 1 1, as {kind}; two heads"
        close(found, [[[[1, 0], [0, 1]], [[0, 1], [1, 1]]]], given=given)
        equal(str(getattr(found, "dtype", type(found).__name__)), str(kind), given=f"{given}: the type")


@exercise("split_heads", points=0.5)
def test_gradients_go_back_through_the_cut(student: Student) -> None:
    close_gradients(
        student,
        "split_heads",
        lambda x, heads: torch.stack(x.chunk(heads, dim=2), dim=1),
        {"x": _normal(2, 3, 4, seed=17)},
        2,
        given="2 sentences of 3 tokens of width 4, 2 heads",
    )


@composite
def layers(draw: DrawFn) -> tuple[list[Tensor], int, Tensor | None]:
    """(x, context, w_in, b_in, w_out, b_out; heads; a mask that leaves each query the first key, or None)."""
    b, n, m, heads, width = draw(integers(1, 2)), *(draw(integers(1, 3)) for _ in range(4))
    heads = draw(sampled_from([heads, heads, 8]))
    d, seed = heads * width, draw(integers(0, 50))
    shapes = (b, n, d), (b, m, d), (3 * d, d), (3 * d,), (d, d), (d,)
    drawn = [_normal(*shape, seed=100 * seed + i) for i, shape in enumerate(shapes)]
    kind = draw(integers(0, 6))
    if kind == 0:
        return drawn, heads, None
    shapes_of_masks = (b, 1, 1, m), (b, heads, n, m), (n, m), (b, 1, n, m), (1, heads, 1, m), (heads, n, m)
    shape: tuple[int, ...] = shapes_of_masks[kind - 1]
    mask = _normal(*shape, seed=100 * seed + 6) > 0
    mask[..., 0] = True
    return drawn, heads, mask


@exercise("multi_head")
@for_all(drawn=layers())
def test_any_layer_agrees_with_one_head_after_another(
    student: Student, drawn: tuple[list[Tensor], int, Tensor | None]
) -> None:
    tensors, heads, mask = drawn
    expected = _multi_head(*(each.double() for each in tensors), heads, mask)  # type: ignore[arg-type, call-arg]
    close(student.multi_head(*tensors, heads, mask), expected, rtol=1e-3, atol=1e-3)


@exercise("multi_head", points=0.5, needs="test_any_layer_agrees_with_one_head_after_another")
def test_a_query_that_sees_nothing_gets_the_bias_of_the_output(student: Student) -> None:
    mask = torch.tensor([[[[True, False]]], [[[False, False]]]])
    weights = [_normal(*shape, seed=50 + i) for i, shape in enumerate(((12, 4), (12,), (4, 4), (4,)))]
    found = student.multi_head(_normal(2, 1, 4, seed=54), _normal(2, 2, 4, seed=55), *weights, 2, mask)
    close(found[1], weights[3][None], given="2 texts, of which the second has padding alone; its heads all find zeros")


@exercise("multi_head", points=0.5, needs="test_any_layer_agrees_with_one_head_after_another")
def test_gradients_are_numbers_also_where_a_text_is_padding_alone(student: Student) -> None:
    shapes = (2, 1, 4), (2, 2, 4), (12, 4), (12,), (4, 4), (4,)
    names = ("x", "context", "w_in", "b_in", "w_out", "b_out")
    drawn = {name: _normal(*shape, seed=80 + i) / 4 for i, (name, shape) in enumerate(zip(names, shapes, strict=True))}
    mask = torch.tensor([[[[True, False]]], [[[False, False]]]])

    def oracle(*given: Any) -> Tensor:
        x, context, *weights, heads, mask = given
        first = _multi_head(x[:1], context[:1], *weights, heads, mask[:1])  # type: ignore[call-arg]
        return torch.cat([first, (weights[3] + 0 * x[1:]) + 0 * context[1:, :1]])

    given = "2 texts, of which the second has padding alone; random weights, 2 heads"
    close_gradients(student, "multi_head", oracle, drawn, 2, mask, given=given)


@exercise("multi_head")
def test_gradients_reach_every_weight(student: Student) -> None:
    shapes = (2, 3, 4), (2, 5, 4), (12, 4), (12,), (4, 4), (4,)
    names = ("x", "context", "w_in", "b_in", "w_out", "b_out")
    # The gradient for the keys' bias is 0 in theory, as it adds the same to all scores of a query: small numbers, small noise.
    drawn = {name: _normal(*shape, seed=30 + i) / 4 for i, (name, shape) in enumerate(zip(names, shapes, strict=True))}
    mask = torch.ones(3, 5, dtype=torch.bool).tril(2)
    close_gradients(student, "multi_head", _multi_head, drawn, 2, mask, given="random weights, 2 heads, a causal mask")


@exercise("sinusoids", points=0.5)
@for_all(length=integers(1, 12), half=integers(1, 6))
def test_any_table_agrees_with_the_formula_number_by_number(student: Student, length: int, half: int) -> None:
    close(student.sinusoids(length, 2 * half), _sinusoids(length, 2 * half), atol=1e-4)


@exercise("sinusoids", points=0.5)
def test_a_wide_table_agrees_with_the_formula(student: Student) -> None:
    close(student.sinusoids(50, 128), _sinusoids(50, 128), given="50 positions, width 128", atol=1e-4)


@exercise("sinusoids", points=0.5)
def test_a_long_table_is_a_tensor_that_does_not_learn(student: Student) -> None:
    table = student.sinusoids(700, 4)
    true(
        isinstance(table, Tensor) and table.dtype == torch.float32 and not table.requires_grad,
        "a float32 tensor is expected, and no parameter",
        given="700 positions, width 4",
        actual=table,
    )
    close(table, _sinusoids(700, 4), given="700 positions, width 4", atol=1e-3)
    close(student.sinusoids(5100, 2), _sinusoids(5100, 2), given="5,100 positions, width 2", atol=1e-3)


@claim("tr-n2d")
@exercise("attention_cost")
def test_the_counts_are_those_of_pytorchs_counter(student: Student) -> None:
    for length, width, heads in ((5, 8, 2), (10, 8, 2), (20, 8, 4), (7, 12, 3)):
        layer, x = torch.nn.MultiheadAttention(width, heads, batch_first=True), _normal(1, length, width, seed=40)
        with FlopCounterMode(display=False) as counter:
            _, weights = layer(x, x, x, average_attn_weights=False)
        found = counter.get_flop_counts()["Global"]  # multiplications and additions
        counts = {str(name): count // 2 for name, count in found.items()}
        close(
            student.attention_cost(length, width, heads),
            [counts["aten.addmm"], counts["aten.bmm"], weights.numel()],
            given=f"{length} tokens, width {width}, {heads} heads",
        )


@exercise("attention_cost", points=0.5)
def test_large_counts_are_whole_numbers(student: Student) -> None:
    equal(
        list(student.attention_cost(100_001, 1024, 16)),
        [4 * 100_001 * 1024 * 1024, 2 * 100_001 * 100_001 * 1024, 16 * 100_001 * 100_001],
        given="100,001 tokens, width 1024, 16 heads",
    )
    n = 10**9 + 1
    equal(
        list(student.attention_cost(n, 1023, 3)),
        [4 * n * 1023 * 1023, 2 * n * n * 1023, 3 * n * n],
        given="1,000,000,001 tokens, width 1023, 3 heads",
    )


@exercise("attention_cost", points=0.5)
@for_all(length=integers(1, 40), width=integers(1, 8), heads=integers(1, 6))
def test_any_layer_costs_what_its_products_cost(student: Student, length: int, width: int, heads: int) -> None:
    scores = mixture = sum(length * width * length for _ in range(heads))
    projections = sum(length * (heads * width) * (heads * width) for _ in "QKVO")
    close(
        student.attention_cost(length, heads * width, heads),
        [projections, scores + mixture, heads * length * length],
    )


class _Model:
    """The weights of one of the notebook's models, as they were recorded."""

    def __init__(self, artifacts: Artifacts, name: str) -> None:
        self.artifacts, self.name = artifacts, name

    def __call__(self, key: str, *shape: int) -> Tensor:
        """Reads one tensor of this shape.

        Raises:
            BadArtifact: it was not recorded, or has another shape.
        """
        tensor = self.artifacts.tensor(f"{self.name}.{key}", ndim=len(shape))
        if tuple(tensor.shape) != shape:
            raise BadArtifact(f"the tensor '{self.name}.{key}' has shape {tuple(tensor.shape)}, expected {shape}")
        return tensor.float()

    def heads(self, x: Tensor, context: Tensor, mask: Tensor, heads: int) -> Tensor:
        d = WIDTH
        maps = (
            self("look.w_in", 3 * d, d),
            self("look.b_in", 3 * d),
            self("look.w_out", d, d),
            self("look.b_out", d),
        )
        return _multi_head(x, context, *maps, heads, mask)


def _longest(artifacts: Artifacts) -> int:
    """The length of the profile's sequences."""
    length = artifacts.tensor("learned.places", ndim=2).size(0)
    if length not in PAIRS:
        raise BadArtifact(
            f"the tensor 'learned.places' has {length} positions, expected one of {', '.join(map(str, PAIRS))}"
        )
    return length


def _right(artifacts: Artifacts, name: str, looks: int, heads: int = 0) -> float:
    """The share of 2,000 questions of which all is answered rightly."""
    model, count, pairs = _Model(artifacts, name), 2_000, PAIRS[_longest(artifacts)]
    draws = torch.Generator().manual_seed(1_000_003 * artifacts.seed + BEYOND)
    keys = torch.rand(count, SYMBOLS, generator=draws).argsort(dim=1)[:, :pairs]
    values = torch.randint(SYMBOLS, (count, pairs), generator=draws)
    lengths = torch.randint(2, pairs + 1, (count,), generator=draws)
    places = (torch.rand(count, looks, generator=draws) * lengths[:, None]).long()
    asked, answers = keys.gather(1, places), values.gather(1, places)
    here = torch.arange(pairs) < lengths[:, None]  # (B, M)
    keys, values = keys * here, values * here
    context = model("keys.weight", SYMBOLS, WIDTH)[keys] + model("values.weight", SYMBOLS, WIDTH)[values]  # (B, M, d)
    rows = asked + SYMBOLS * torch.arange(looks)
    x = model("asked.weight", looks * SYMBOLS, WIDTH)[rows].sum(dim=1, keepdim=True)  # (B, 1, d)
    if heads:
        seen = model.heads(x, context, here[:, None, None], heads)
    elif name == "additive":
        maps = model("look.w_query", WIDTH, WIDTH), model("look.w_key", WIDTH, WIDTH)
        scores = torch.tanh(x @ maps[0].T + context @ maps[1].T) @ model("look.v", WIDTH)  # (B, M): one query
        seen = scores.masked_fill(~here, -torch.inf).softmax(dim=1)[:, None] @ context
    else:
        mean = (context * here[:, :, None]).sum(dim=1, keepdim=True) / lengths[:, None, None]
        inner = functional.linear(
            torch.cat([mean, x], dim=-1),
            model("look.inner.weight", 4 * WIDTH, 2 * WIDTH),
            model("look.inner.bias", 4 * WIDTH),
        )
        seen = functional.linear(
            inner.relu(), model("look.outer.weight", WIDTH, 4 * WIDTH), model("look.outer.bias", WIDTH)
        )
    read = functional.linear(
        seen[:, 0], model("read.weight", looks * SYMBOLS, WIDTH), model("read.bias", looks * SYMBOLS)
    )
    found = read.unflatten(-1, (looks, SYMBOLS)).argmax(dim=-1)  # (B, looks)
    return float((found == answers).all(dim=1).float().mean())


def _echoed(artifacts: Artifacts, name: str) -> float:
    """The share of tokens that are right, three places back."""
    model, length = _Model(artifacts, name), _longest(artifacts)
    draws = torch.Generator().manual_seed(1_000_003 * artifacts.seed + BEYOND)
    ids = torch.randint(TOKENS, (1_000, length), generator=draws)
    places = {
        "no_positions": lambda: torch.zeros(length, WIDTH),
        "sinusoids": lambda: _sinusoids(length, WIDTH).float(),
        "learned": lambda: model("places", length, WIDTH),
    }[name]()
    x = model("tokens.weight", TOKENS, WIDTH)[ids] + places  # (B, N, d)
    seen = model.heads(x, x, torch.ones(length, length, dtype=torch.bool).tril(), 4)
    found = functional.linear(seen, model("read.weight", TOKENS, WIDTH), model("read.bias", TOKENS)).argmax(dim=-1)
    return float((found[:, BACK:] == ids[:, :-BACK]).float().mean())


@metric("dot_minus_one_vector")
def dot_minus_one_vector(artifacts: Artifacts) -> float:
    return _right(artifacts, "dot", 1, heads=1) - _right(artifacts, "one_vector", 1)


@metric("additive_minus_one_vector")
def additive_minus_one_vector(artifacts: Artifacts) -> float:
    return _right(artifacts, "additive", 1) - _right(artifacts, "one_vector", 1)


@metric("four_heads_minus_one")
def four_heads_minus_one(artifacts: Artifacts) -> float:
    return _right(artifacts, "four_heads", 2, heads=4) - _right(artifacts, "one_head", 2, heads=1)


@metric("sinusoids_minus_none")
def sinusoids_minus_none(artifacts: Artifacts) -> float:
    return _echoed(artifacts, "sinusoids") - _echoed(artifacts, "no_positions")


@metric("learned_minus_none")
def learned_minus_none(artifacts: Artifacts) -> float:
    return _echoed(artifacts, "learned") - _echoed(artifacts, "no_positions")
