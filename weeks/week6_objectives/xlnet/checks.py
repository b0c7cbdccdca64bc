"""xlnet: the public checks. Expected values come from hand counts, enumeration, loops over places, and torch on single rows."""

import itertools
import math
from typing import Any

import torch
from torch import Tensor

from etude.lesson.checks import Mismatch, close, equal, exercise, true
from etude.lesson.gradients import WEIGHTED, scalar
from etude.lesson.interface import Student
from etude.models.xlnet import XLNetConfig, XLNetLayer


def parts(value: Any, count: int, what: str, given: str) -> list[Any]:
    """So many values of the student's, whatever holds them."""
    try:
        found = list(value)
    except TypeError:
        found = []
    true(len(found) == count, f"{what} were expected", given=given, actual=value)
    return found


def rows_of(mask: Any, given: str) -> Any:
    """A mask of the student's as lists of booleans."""
    if not hasattr(mask, "tolist"):
        raise Mismatch("a bool tensor was expected", given=given, actual=mask)
    return mask.tolist()


def normal(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


# order_masks
def masks(student: Student, order: list[int], given: str) -> tuple[Any, Any]:
    content, query = parts(student.order_masks(torch.tensor(order)), 2, "two masks, content and query,", given)
    return rows_of(content, given), rows_of(query, given)


def seen(order: list[int]) -> dict[int, set[int]]:
    """For each place those before it in the order."""
    return {place: set(order[:turn]) for turn, place in enumerate(order)}


def query_rows(order: list[int]) -> list[list[bool]]:
    return [[other in seen(order)[place] for other in range(len(order))] for place in range(len(order))]


@exercise("order_masks")
def test_in_the_order_3_2_4_1_the_first_place_sees_all_others_and_the_third_none(student: Student) -> None:
    given = "the order 3, 2, 4, 1, which is (2, 1, 3, 0) counted from 0: the query mask"
    yes, no = True, False
    expected = [[no, yes, yes, yes], [no, no, yes, no], [no, no, no, no], [no, yes, yes, no]]
    equal(masks(student, [2, 1, 3, 0], given)[1], expected, given=given)


@exercise("order_masks")
def test_in_the_order_2_4_3_1_content_sees_itself_too(student: Student) -> None:
    given = "the order 2, 4, 3, 1, which is (1, 3, 2, 0) counted from 0: the content mask"
    yes, no = True, False
    expected = [[yes, yes, yes, yes], [no, yes, no, no], [no, yes, yes, yes], [no, yes, no, yes]]
    equal(masks(student, [1, 3, 2, 0], given)[0], expected, given=given)


@exercise("order_masks")
def test_an_order_whose_turns_are_not_the_order_itself(student: Student) -> None:
    # In the order (1, 2, 3, 0) place 0 comes last; its turns are (3, 0, 1, 2).
    given = "the order (1, 2, 3, 0), counted from 0: the query mask"
    equal(masks(student, [1, 2, 3, 0], given)[1], query_rows([1, 2, 3, 0]), given=given)


@exercise("order_masks", points=0.5, needs="test_in_the_order_3_2_4_1_the_first_place_sees_all_others_and_the_third_none")
def test_from_left_to_right_it_is_the_causal_mask(student: Student) -> None:
    given = "the order (0, 1, 2, 3, 4)"
    content, query = masks(student, [0, 1, 2, 3, 4], given)
    whole = torch.ones(5, 5, dtype=torch.bool)
    equal([content, query], [whole.tril().tolist(), whole.tril(-1).tolist()], given=given)


# over_all_orders
def table_of(rows: dict[tuple[int, int], float], n: int) -> Tensor:
    """A table of the exercise: NaN, and the numbers of the pairs (place, set)."""
    table = torch.full((n, 2**n), torch.nan, dtype=torch.float64)
    for (place, before), value in rows.items():
        table[place, before] = value
    return table


def over(student: Student, table: Tensor, given: str) -> list[float]:
    found = parts(student.over_all_orders(table), 3, "three numbers, mean, lowest, highest,", given)
    try:
        return [float(number) for number in found]
    except (TypeError, ValueError):
        raise Mismatch("three numbers were expected", given=given, actual=found) from None


@exercise("over_all_orders")
def test_two_tokens_have_two_orders(student: Student) -> None:
    # First token 0, then 1: −1 − 2; first 1, then 0: −4 − 0.5.
    table = table_of({(0, 0): -1.0, (1, 1): -2.0, (1, 0): -4.0, (0, 2): -0.5}, 2)
    given = "ln P(0) = −1, ln P(1 | 0) = −2, ln P(1) = −4, ln P(0 | 1) = −0.5"
    close(over(student, table, given), [-3.75, -4.5, -3.0], given=given)


@exercise("over_all_orders")
def test_true_conditionals_say_the_same_in_all_24_orders(student: Student) -> None:
    # ln P(i | S) = f(S and i) − f(S) adds up to f(all) − f(none), whatever f is.
    whole = {before: -float(before % 7) - 0.25 * before for before in range(16)}
    table = table_of({(i, s): whole[s | 1 << i] - whole[s] for i in range(4) for s in range(16) if not s >> i & 1}, 4)
    given = "four tokens, true conditionals of one distribution"
    close(over(student, table, given), [whole[15] - whole[0]] * 3, given=given)


@exercise("over_all_orders")
def test_three_tokens_by_brute_force(student: Student) -> None:
    rows = {(i, s): -1.0 - 0.5 * ((3 * i + 5 * s) % 8) for i in range(3) for s in range(8) if not s >> i & 1}
    sums = []
    for order in itertools.permutations(range(3)):
        sums.append(sum(rows[place, sum(1 << other for other in seen(list(order))[place])] for place in order))
    given = "three tokens, a table of numbers that belong to no distribution"
    close(over(student, table_of(rows, 3), given), [sum(sums) / 6, min(sums), max(sums)], given=given)


# masked_and_chained
def brackets(kinds: int) -> Tensor:
    """The joint distribution of an opening and a closing bracket that always agree."""
    joint = torch.zeros(2 * kinds, 2 * kinds, dtype=torch.float64)
    for kind in range(kinds):
        joint[kind, kinds + kind] = 1 / kinds
    return joint


def paid(student: Student, joint: Tensor, tokens: list[int], hidden: list[int], given: str) -> list[float]:
    found = parts(student.masked_and_chained(joint, tokens, hidden), 2, "two numbers, masked and chain,", given)
    try:
        return [float(number) for number in found]
    except (TypeError, ValueError):
        raise Mismatch("two numbers were expected", given=given, actual=found) from None


@exercise("masked_and_chained")
def test_of_four_brackets_that_agree_a_product_gives_a_sixteenth_and_a_chain_a_fourth(student: Student) -> None:
    given = "four pairs of brackets of equal probability, both hidden"
    close(paid(student, brackets(4), [2, 6], [0, 1], given), [math.log(1 / 16), math.log(1 / 4)], given=given)


@exercise("masked_and_chained")
def test_with_one_bracket_visible_both_are_certain(student: Student) -> None:
    given = "four pairs of brackets of equal probability, the closing one hidden"
    close(paid(student, brackets(4), [1, 5], [1], given), [0.0, 0.0], given=given)


@exercise("masked_and_chained")
def test_what_is_visible_is_given_and_not_paid_for(student: Student) -> None:
    # Of x0 = 1: P(0, 0) = .1, P(0, 1) = .3, P(1, 0) = .2, P(1, 1) = .0, of .6 in all.
    joint = torch.tensor([[[0.1, 0.1], [0.1, 0.1]], [[0.1, 0.3], [0.2, 0.0]]], dtype=torch.float64)
    given = "three tokens of two kinds, P(1, x, y) = .1 .3 / .2 .0; the text (1, 1, 0) with places 1 and 2 hidden"
    expected = [math.log(2 / 6) + math.log(3 / 6), math.log(2 / 6)]
    close(paid(student, joint, [1, 1, 0], [1, 2], given), expected, given=given)


@exercise("masked_and_chained", points=0.5)
def test_a_pair_that_never_occurs_is_impossible_for_the_chain_alone(student: Student) -> None:
    given = "four pairs of brackets, an opening one with another's closing one, both hidden"
    close(paid(student, brackets(4), [0, 5], [0, 1], given), [math.log(1 / 16), -math.inf], given=given)


# partial_prediction
def partial(student: Student, order: list[int], k: int, given: str) -> list[Any]:
    found = parts(student.partial_prediction(torch.tensor(order), k), 3, "three tensors, asked, content and query,", given)
    return [rows_of(part, given) for part in found]


def partial_oracle(order: list[int], k: int) -> list[Any]:
    """Place by place, by the table of the notebook."""
    count = max(1, len(order) // k)
    context, asked = set(order[: len(order) - count]), order[len(order) - count :]
    sees = {place: set(context) for place in context}
    sees |= {place: context | set(asked[:turn]) for turn, place in enumerate(asked)}
    every = range(len(order))
    content = [[other in sees[place] | {place} for other in every] for place in every]
    return [asked, content, [[other in sees[place] for other in every] for place in asked]]


@exercise("partial_prediction")
def test_the_last_third_of_the_order_is_asked_for(student: Student) -> None:
    order, given = [4, 0, 2, 6, 1, 5, 3], "the order (4, 0, 2, 6, 1, 5, 3), K = 3: the last two are asked for"
    equal(partial(student, order, 3, given)[0], [5, 3], given=given)


@exercise("partial_prediction")
def test_context_tokens_see_all_of_the_context_and_nothing_that_is_asked_for(student: Student) -> None:
    order, given = [3, 0, 4, 1, 2], "the order (3, 0, 4, 1, 2), K = 2: context 3, 0, 4: the content mask"
    equal(partial(student, order, 2, given)[1], partial_oracle(order, 2)[1], given=given)


@exercise("partial_prediction")
def test_an_asked_token_sees_the_context_and_asked_ones_before_it(student: Student) -> None:
    order, given = [3, 0, 4, 5, 2, 1], "the order (3, 0, 4, 5, 2, 1), K = 2: asked 5, 2, 1: the query mask"
    yes, no = True, False
    expected = [[yes, no, no, yes, yes, no], [yes, no, no, yes, yes, yes], [yes, no, yes, yes, yes, yes]]
    equal(partial(student, order, 2, given)[2], expected, given=given)


@exercise("partial_prediction", points=0.5)
def test_at_least_one_is_asked_for(student: Student) -> None:
    given = "the order (1, 2, 0), K = 6"
    equal(partial(student, [1, 2, 0], 6, given), partial_oracle([1, 2, 0], 6), given=given)


@exercise("partial_prediction", points=0.5)
def test_with_k_of_1_everything_is_asked_for(student: Student) -> None:
    given = "the order (2, 0, 3, 1), K = 1"
    equal(partial(student, [2, 0, 3, 1], 1, given), partial_oracle([2, 0, 3, 1], 1), given=given)


# by_distance
def shifted(scores: Tensor, places: Tensor) -> Tensor:
    """Row by row, key by key."""
    keys = (scores.size(-1) + 1) // 2
    texts = [
        [[[head[i][keys - 1 - (p - j)] for j in range(keys)] for i, p in enumerate(where)] for head in text]
        for text, where in zip(scores, places.expand(len(scores), -1).tolist(), strict=True)
    ]
    return torch.tensor([[[[float(x) for x in row] for row in head] for head in text] for text in texts])


DISTANCES = torch.tensor([[2.0, 1.0, 0.0, -1.0, -2.0]])  # what the columns stand for, K = 3


@exercise("by_distance")
def test_each_row_gets_how_far_each_key_is_to_its_left(student: Student) -> None:
    scores = DISTANCES.expand(1, 1, 3, 5).clone()
    given = "scores that are the distances themselves, 3 keys, rows at places 0, 1, 2"
    expected = [[[[0.0, -1.0, -2.0], [1.0, 0.0, -1.0], [2.0, 1.0, 0.0]]]]
    close(student.by_distance(scores, torch.tensor([[0, 1, 2]])), expected, given=given)


@exercise("by_distance")
def test_rows_may_be_some_of_the_places_in_any_order(student: Student) -> None:
    scores = DISTANCES.expand(2, 1, 2, 5).clone()
    given = "scores that are the distances, 3 keys; rows at places (2, 0) in the first text, (1, 2) in the second"
    expected = [[[[2.0, 1.0, 0.0], [0.0, -1.0, -2.0]]], [[[1.0, 0.0, -1.0], [2.0, 1.0, 0.0]]]]
    close(student.by_distance(scores, torch.tensor([[2, 0], [1, 2]])), expected, given=given)


@exercise("by_distance")
def test_heads_and_rows_keep_their_own_scores(student: Student) -> None:
    scores, places = torch.arange(2 * 2 * 3 * 7.0).reshape(2, 2, 3, 7), torch.tensor([[1, 2, 3]])
    given = "2 texts, 2 heads, 4 keys, rows at places 1, 2, 3 of both texts; the scores 0, 1, …, 83"
    close(student.by_distance(scores, places), shifted(scores, places), given=given)


# relative_scores
def four_products(queries: Tensor, keys: Tensor, distances: Tensor, u: Tensor, v: Tensor, places: Tensor) -> Tensor:
    """Pair by pair, the four products of section 3.3."""
    texts, heads, rows, width = queries.shape
    count = keys.size(2)
    where = places.expand(texts, -1)
    found = []
    for b, h, i, j in itertools.product(range(texts), range(heads), range(rows), range(count)):
        away = distances[h, count - 1 - (int(where[b, i]) - j)]
        row, key = queries[b, h, i], keys[b, h, j]
        found.append((row @ key + row @ away + u[h] @ key + v[h] @ away) / width**0.5)
    return torch.stack(found).reshape(texts, heads, rows, count)


NAMES = ("queries", "keys", "distances", "u", "v")


def drawn(texts: int, heads: int, rows: int, keys: int, width: int, seed: int) -> dict[str, Tensor]:
    shapes = ((texts, heads, rows, width), (texts, heads, keys, width), (heads, 2 * keys - 1, width), (heads, width), (heads, width))
    return {name: normal(*shape, seed=seed + n) for n, (name, shape) in enumerate(zip(NAMES, shapes, strict=True))}


@exercise("relative_scores")
def test_all_four_products_are_there(student: Student) -> None:
    tensors, places = drawn(2, 2, 3, 3, 4, seed=1), torch.arange(3)[None]
    given = "2 texts, 2 heads, 3 rows and keys, d = 4"
    close(student.relative_scores(*tensors.values(), places), four_products(**tensors, places=places), given=given, atol=1e-5)


@exercise("relative_scores")
def test_with_no_queries_contents_count_by_u_and_distances_by_v(student: Student) -> None:
    # d = 4, so everything is halved. u · k = (2, 4), v · r = (10, 20, 30) of the distances 1, 0, −1.
    e = torch.eye(4)[0]
    keys, distances = torch.stack([2 * e, 4 * e])[None, None], torch.stack([e, 2 * e, 3 * e])[None]
    given = "queries 0; u · k = 2 and 4 for two keys; v · r = 10, 20, 30 for the distances 1, 0, −1; d = 4"
    found = student.relative_scores(torch.zeros(1, 1, 2, 4), keys, distances, e[None], 10 * e[None], torch.tensor([[0, 1]]))
    close(found, [[[[11.0, 17.0], [6.0, 12.0]]]], given=given)


@exercise("relative_scores")
def test_both_parts_are_divided_by_the_root_of_the_heads_width(student: Student) -> None:
    tensors, places = drawn(1, 3, 2, 4, 9, seed=7), torch.tensor([[3, 1]])
    given = "3 heads of width 9, 4 keys, rows at places 3 and 1"
    close(student.relative_scores(*tensors.values(), places), four_products(**tensors, places=places), given=given, atol=1e-5)


# mix
def mean_of_visible(scores: Tensor, values: Tensor, sees: Tensor) -> Tensor:
    """Row by row, over the visible keys alone."""
    texts, heads, rows, _ = scores.shape
    found = []
    for b, h, i in itertools.product(range(texts), range(heads), range(rows)):
        keys = sees.expand(texts, -1, -1)[b, i].nonzero()[:, 0]
        empty = 0 * (scores[b, h, i].sum() + values[b, h].sum(dim=0))
        found.append(scores[b, h, i][keys].softmax(dim=0) @ values[b, h][keys] if len(keys) else empty)
    return torch.stack(found).reshape(texts, heads, rows, -1)


@exercise("mix")
def test_visible_values_are_weighted_by_the_softmax(student: Student) -> None:
    # e⁰ : e^ln 3 = 1 : 3, and the third key is hidden.
    scores = torch.tensor([[[[0.0, math.log(3.0), 9.0]]]])
    values = torch.tensor([[[[4.0, 0.0], [0.0, 8.0], [100.0, 100.0]]]])
    given = "one row with the scores (0, ln 3, 9), of which the third key is hidden; the values (4, 0), (0, 8), (100, 100)"
    close(student.mix(scores, values, torch.tensor([[[True, True, False]]])), [[[[1.0, 6.0]]]], given=given, atol=1e-5)


@exercise("mix")
def test_a_row_that_sees_nothing_gets_zeros(student: Student) -> None:
    sees = torch.tensor([[[False, False, False], [True, True, True]]])
    values = torch.tensor([[[[3.0], [6.0], [9.0]]]])
    given = "two rows with equal scores, of which the first sees nothing; the values 3, 6, 9"
    close(student.mix(torch.zeros(1, 1, 2, 3), values, sees), [[[[0.0], [6.0]]]], given=given, atol=1e-5)


@exercise("mix")
def test_each_text_has_its_own_mask_and_all_heads_have_the_same(student: Student) -> None:
    scores, values = normal(2, 3, 2, 4, seed=21), normal(2, 3, 4, 5, seed=22)
    sees = torch.tensor([[[1, 0, 1, 1], [0, 0, 0, 1]], [[0, 1, 1, 0], [1, 1, 1, 1]]]).bool()
    given = "2 texts, 3 heads, 2 rows, 4 keys, d = 5, a mask of each text's own"
    close(student.mix(scores, values, sees), mean_of_visible(scores, values, sees), given=given, atol=1e-5)


# two_streams
WIDTH = 6


def layers_of(count: int, seed: int) -> list[XLNetLayer]:
    """Layers of the library with every weight drawn at random."""
    made = []
    for n in range(count):
        layer = XLNetLayer(XLNetConfig(d_model=WIDTH, n_head=2, d_inner=8, dropout=0.0)).eval()
        generator = torch.Generator().manual_seed(seed + n)
        for parameter in layer.parameters():
            torch.nn.init.normal_(parameter, std=0.6, generator=generator)
        made.append(layer.requires_grad_(False))
    return made


def theirs(student: Student, layers: list[XLNetLayer]) -> list[Any]:
    """The same layers on the student's side."""
    made = []
    for layer in layers:
        other = student.XLNetLayer(student.XLNetConfig(d_model=WIDTH, n_head=2, d_inner=8, dropout=0.0))
        other.load_state_dict({name: tensor.clone() for name, tensor in layer.state_dict().items()})
        other.requires_grad_(False)
        made.append(other)
    return made


def one_row(layer: XLNetLayer, stream: Tensor, i: int, context: Tensor, place: int, mask: Tensor) -> Tensor:
    """One row of a stream (1, R, H) by itself; the mask (N,) is of the text, and whatever stands before it is seen."""
    past = context.size(1) - len(mask)
    sees = torch.cat([torch.ones(past, dtype=torch.bool), mask])[None, None]  # (1, 1, K)
    row: Tensor = layer(stream[:, i : i + 1], context, torch.tensor([[past + place]]), sees)
    return row


def by_rows(
    layers: list[XLNetLayer], h: Tensor, g: Tensor, memory: list[Tensor], asked: Tensor, content: Tensor, query: Tensor
) -> Tensor:
    """Each row by itself, layer by layer, text by text."""
    texts = []
    for b in range(len(h)):
        x, y = h[b : b + 1], g[b : b + 1]  # (1, N, H), (1, T, H)
        for layer, kept in zip(layers, memory, strict=True):
            context = torch.cat([kept[b : b + 1], x], dim=1)
            y = torch.cat([one_row(layer, y, t, context, int(p), query[b, t]) for t, p in enumerate(asked[b])], dim=1)
            x = torch.cat([one_row(layer, x, i, context, i, content[b, i]) for i in range(x.size(1))], dim=1)
        texts.append(y)
    return torch.cat(texts)


def masks_of(orders: list[list[int]], count: int) -> tuple[Tensor, Tensor, Tensor]:
    """The last places of each order with their masks: asked (B, T), content (B, N, N), query (B, T, N)."""
    found = [partial_oracle(order, len(order) // count) for order in orders]
    asked, content, query = (torch.tensor([one[part] for one in found]) for part in range(3))
    return asked, content, query


def empty(count: int, texts: int) -> list[Tensor]:
    return [torch.zeros(texts, 0, WIDTH) for _ in range(count)]


@exercise("two_streams")
def test_one_layer_where_the_query_looks_at_the_content_that_it_may_see(student: Student) -> None:
    layers, h, g = layers_of(1, seed=1), normal(1, 4, WIDTH, seed=2), normal(1, 2, WIDTH, seed=3)
    some = masks_of([[2, 0, 3, 1]], 2)
    given = "one layer, 4 places, the order (2, 0, 3, 1), asked for 3 and 1, no memory"
    found = student.two_streams(theirs(student, layers), h, g, empty(1, 1), *some)
    close(found, by_rows(layers, h, g, empty(1, 1), *some), given=given, rtol=1e-3, atol=1e-4)


@exercise("two_streams")
def test_in_three_layers_both_streams_look_at_the_content_of_the_layer_before(student: Student) -> None:
    layers, h, g = layers_of(3, seed=4), normal(2, 5, WIDTH, seed=5), normal(2, 2, WIDTH, seed=6)
    some = masks_of([[2, 0, 4, 3, 1], [1, 4, 3, 0, 2]], 2)
    given = "three layers, 2 texts of 5 places, the orders (2, 0, 4, 3, 1) and (1, 4, 3, 0, 2), two places asked for, no memory"
    found = student.two_streams(theirs(student, layers), h, g, empty(3, 2), *some)
    close(found, by_rows(layers, h, g, empty(3, 2), *some), given=given, rtol=1e-3, atol=1e-4)


@exercise("two_streams")
def test_memory_stands_left_of_the_text_and_is_seen_by_all(student: Student) -> None:
    layers, h, g = layers_of(2, seed=7), normal(1, 4, WIDTH, seed=8), normal(1, 2, WIDTH, seed=9)
    memory, some = [normal(1, 3, WIDTH, seed=10), normal(1, 3, WIDTH, seed=11)], masks_of([[2, 0, 3, 1]], 2)
    given = "two layers, each with a memory of 3 places, and a text of 4; the order (2, 0, 3, 1), asked for 3 and 1"
    found = student.two_streams(theirs(student, layers), h, g, memory, *some)
    close(found, by_rows(layers, h, g, memory, *some), given=given, rtol=1e-3, atol=1e-4)


@exercise("two_streams")
def test_no_gradient_leads_from_a_prediction_to_its_own_token(student: Student) -> None:
    # One place is asked for, last in the order, so any gradient at its own token is a leak.
    layers, h, g = layers_of(2, seed=12), normal(1, 4, WIDTH, seed=13), normal(1, 1, WIDTH, seed=14)
    some = masks_of([[3, 0, 1, 2]], 1)
    given = "two layers, 4 places, place 2 asked for, no memory: the gradient of the prediction for "
    h.requires_grad_()
    g.requires_grad_()
    expected = torch.autograd.grad(scalar(by_rows(layers, h, g, empty(2, 1), *some)), [h, g])
    found = student.gradients("two_streams", theirs(student, layers), h, g, empty(2, 1), *some)
    for name, gradient in zip(("h", "g"), found, strict=True):
        true(gradient is not None, "the prediction knows nothing of it, so nothing can be trained", given=given + name)
    close(found[0][0, 2], torch.zeros(WIDTH), given=f"{given}h, at the place's own token")
    for name, gradient, wanted in zip(("h", "g"), found, expected, strict=True):
        close(gradient, wanted, given=given + name + WEIGHTED, rtol=1e-3, atol=1e-4)


# remember
@exercise("remember")
def test_the_last_places_are_kept(student: Student) -> None:
    memory, hidden = torch.tensor([[[1.0], [2.0], [3.0]]]), torch.tensor([[[4.0], [5.0]]])
    given = "a memory of 1, 2, 3 and a part of 4, 5; four places are kept"
    close(student.remember(memory, hidden, 4), [[[2.0], [3.0], [4.0], [5.0]]], given=given)


@exercise("remember", needs="test_the_last_places_are_kept")
def test_no_gradient_goes_back_through_memory(student: Student) -> None:
    hidden = normal(2, 3, 4, seed=31).requires_grad_()
    for length in (2, 5):
        found = student.gradients("remember", None, hidden, length)
        given = f"no memory yet, 3 places, up to {length} are kept: the gradient for hidden"
        true(found[0] is None, "what is remembered must be a number, not a computation that gradients go back through", given=given)


@exercise("remember", points=0.5, needs="test_the_last_places_are_kept")
def test_at_the_beginning_there_is_less_than_it_may_keep(student: Student) -> None:
    hidden = torch.tensor([[[4.0], [5.0]], [[6.0], [7.0]]])
    close(student.remember(None, hidden, 3), hidden, given="no memory yet, 2 texts of two places; up to three are kept")
    close(student.remember(hidden[:, :0], hidden, 1), hidden[:, 1:], given="an empty memory, 2 texts of two places; one is kept")


@exercise("remember", points=0.5, needs="test_the_last_places_are_kept")
def test_a_memory_of_length_0_is_empty(student: Student) -> None:
    memory, hidden = normal(2, 3, 4, seed=32), normal(2, 2, 4, seed=33)
    found = student.remember(memory, hidden, 0)
    equal(list(getattr(found, "shape", [])), [2, 0, 4], given="a memory of 3 places, a part of 2; none is kept: the shape")
