"""xlnet: hidden checks and the metrics that the grader computes itself. Never released."""

import itertools
import math
import random
from functools import cache
from typing import Any

import torch
from hypothesis.strategies import booleans, integers, lists, permutations, sampled_from
from torch import Tensor
from torch.nn.utils import vector_to_parameters

from etude.lesson.checks import Mismatch, close, close_gradients, equal, exercise, true
from etude.lesson.gradients import WEIGHTED, scalar
from etude.lesson.interface import Student
from etude.models.xlnet import XLNetConfig, XLNetForPermutationLM, XLNetLayer
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons.generated import for_all


def normal(*shape: int, seed: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def eighths(*shape: int, seed: int) -> Tensor:
    """Numbers from −2 to 2 in float64, of which sums of a few are exact."""
    return torch.randint(-16, 17, shape, generator=torch.Generator().manual_seed(seed)).double() / 8


def parts(value: Any, count: int) -> list[Any]:
    """So many values of the student's, whatever holds them."""
    try:
        found = list(value)
    except TypeError:
        found = []
    true(len(found) == count, f"{count} values were expected", actual=value)
    return found


def rows_of(mask: Any) -> Any:
    """A tensor of the student's as lists."""
    if not hasattr(mask, "tolist"):
        raise Mismatch("a tensor was expected", actual=mask)
    return mask.tolist()


# order_masks
def pairs_of(order: list[int]) -> tuple[list[list[bool]], list[list[bool]]]:
    """The content and the query mask, pair by pair."""
    n = range(len(order))
    query = [[order.index(other) < order.index(place) for other in n] for place in n]
    return [[query[i][j] or i == j for j in n] for i in n], query


@exercise("order_masks")
@for_all(order=integers(1, 7).flatmap(lambda n: permutations(range(n))))
def test_any_order_gives_the_masks_of_its_pairs(student: Student, order: list[int]) -> None:
    content, query = (rows_of(mask) for mask in parts(student.order_masks(torch.tensor(order)), 2))
    equal([content, query], list(pairs_of(list(order))))


@exercise("order_masks", points=0.5, needs="test_in_the_order_3_2_4_1_the_first_place_sees_all_others_and_the_third_none")
def test_orders_may_be_long(student: Student) -> None:
    order = [(7 * n + 3) % 300 for n in range(300)]
    content, query = (rows_of(mask) for mask in parts(student.order_masks(torch.tensor(order)), 2))
    turn = {place: number for number, place in enumerate(order)}
    expected = [[[turn[j] < turn[i] + own for j in range(300)] for i in range(300)] for own in (1, 0)]
    given = "the order (3, 10, 17, …) of 300 places, each 7 on, around the end"
    true([content, query] == expected, "masks by the places' turns were expected", given=given)


# over_all_orders
def by_sets(table: list[list[float]]) -> tuple[float, float, float]:
    """The mean by how many orders put a set before a place; the lowest and highest from set to set."""
    n = len(table)
    mean, low, high = 0.0, {0: 0.0}, {0: 0.0}
    for before in range(2**n):
        for place in range(n):
            if before >> place & 1:
                continue
            size, value, after = before.bit_count(), table[place][before], before | 1 << place
            mean += math.factorial(size) * math.factorial(n - 1 - size) / math.factorial(n) * value
            low[after] = min(low.get(after, math.inf), low[before] + value)
            high[after] = max(high.get(after, -math.inf), high[before] + value)
    return mean, low[2**n - 1], high[2**n - 1]


def table_of(n: int, seed: int) -> Tensor:
    """A table of numbers from −4 to 0, NaN where the place itself is in the set."""
    table = eighths(n, 2**n, seed=seed) - 2
    for place, before in itertools.product(range(n), range(2**n)):
        if before >> place & 1:
            table[place, before] = math.nan
    return table


@exercise("over_all_orders")
@for_all(n=integers(1, 4), scale=sampled_from([1, 1024]), seed=integers(0, 10**6))
def test_any_table_gives_what_its_sets_add_up_to(student: Student, n: int, scale: int, seed: int) -> None:
    table = scale * table_of(n, seed)
    found = [float(number) for number in parts(student.over_all_orders(table), 3)]
    close(found, list(by_sets(table.tolist())))


@exercise("over_all_orders", points=0.5, needs="test_three_tokens_by_brute_force")
def test_six_tokens_have_720_orders(student: Student) -> None:
    table = table_of(6, 11)
    found = [float(number) for number in parts(student.over_all_orders(table), 3)]
    close(found, list(by_sets(table.tolist())), given="six tokens, a table of numbers that belong to no distribution")


@exercise("over_all_orders", points=0.5, needs="test_two_tokens_have_two_orders")
def test_what_is_impossible_in_one_order_is_minus_infinity_there(student: Student) -> None:
    table = torch.tensor([[-1.0, math.nan, -0.5, math.nan], [-4.0, -math.inf, math.nan, math.nan]], dtype=torch.float64)
    found = [float(number) for number in parts(student.over_all_orders(table), 3)]
    given = "ln P(0) = −1, ln P(1 | 0) = −∞, ln P(1) = −4, ln P(0 | 1) = −0.5"
    close(found, [-math.inf, -math.inf, -4.5], given=given)
    table = torch.tensor([[-1.0, math.nan, -math.inf, math.nan], [-math.inf, -math.inf, math.nan, math.nan]], dtype=torch.float64)
    found = [float(number) for number in parts(student.over_all_orders(table), 3)]
    close(found, [-math.inf] * 3, given="ln P(0) = −1, ln P(1 | 0) = ln P(1) = ln P(0 | 1) = −∞: no order is possible")


@exercise("over_all_orders", points=0.5, needs="test_two_tokens_have_two_orders")
def test_sums_keep_double_precision(student: Student) -> None:
    table = torch.full((2, 4), math.nan, dtype=torch.float64)
    table[0, 0], table[1, 1], table[1, 0], table[0, 2] = -0.1, -0.2, -0.3, -1e-9
    found = [float(number) for number in parts(student.over_all_orders(table), 3)]
    given = "ln P(0) = −0.1, ln P(1 | 0) = −0.2, ln P(1) = −0.3, ln P(0 | 1) = −1e-9; float64, to eleven digits"
    close(found, [-(0.6 + 1e-9) / 2, -0.3 - 1e-9, -0.3], given=given, rtol=1e-11, atol=0)


# masked_and_chained
def enumerated(joint: Tensor, tokens: list[int], hidden: list[int]) -> list[float]:
    """Text by text: those that agree with what is visible."""
    ids = range(joint.shape[0])
    kept = {
        text: float(joint[text])
        for text in itertools.product(ids, repeat=joint.dim())
        if all(text[place] == tokens[place] for place in range(len(tokens)) if place not in hidden)
    }
    whole = math.fsum(kept.values())

    def log(part: float) -> float:
        return math.log(part / whole) if part else -math.inf

    alone = [math.fsum(p for text, p in kept.items() if text[place] == tokens[place]) for place in hidden]
    return [sum(map(log, alone)), log(kept[tuple(tokens)])]


def paid(student: Student, joint: Tensor, tokens: list[int], hidden: list[int]) -> list[float]:
    return [float(number) for number in parts(student.masked_and_chained(joint, tokens, hidden), 2)]


@exercise("masked_and_chained")
@for_all(
    length=integers(1, 4),
    words=integers(1, 3),
    low=sampled_from([1, -8]),
    seed=integers(0, 10**6),
    hide=lists(booleans(), min_size=4, max_size=4),
)
def test_any_distribution_pays_what_its_texts_say(
    student: Student, length: int, words: int, low: int, seed: int, hide: list[bool]
) -> None:
    generator = torch.Generator().manual_seed(seed)
    joint = torch.randint(low, 9, (words,) * length, generator=generator).clamp(min=0).double()  # perhaps half of them 0
    tokens = torch.randint(0, words, (length,), generator=generator).tolist()
    hidden = [place for place in range(length) if hide[place]] or [0]
    joint[tuple(0 if place in hidden else token for place, token in enumerate(tokens))] += 1.0  # what is visible occurs
    joint = joint / joint.sum()
    close(paid(student, joint, tokens, hidden), enumerated(joint, tokens, hidden))


@exercise("masked_and_chained", points=0.5, needs="test_what_is_visible_is_given_and_not_paid_for")
def test_rare_texts_are_paid_to_the_digit(student: Student) -> None:
    # What is visible has a probability of 1e-200.
    rest = torch.tensor([[0.5, 0.25], [0.125, 0.125]], dtype=torch.float64)
    joint = torch.stack([rest * 1e-200, rest])
    given = "three tokens; the visible first one has a probability of 1e-200; P(x, y) = .5 .25 / .125 .125; (0, 0) is hidden"
    close(paid(student, joint, [0, 0, 0], [1, 2]), [math.log(0.75) + math.log(0.625), math.log(0.5)], given=given)
    joint = torch.stack([1e-30 * rest, rest])
    expected = [math.log(1e-30) + math.log(0.375) + math.log(0.25), math.log(1e-30) + math.log(0.125)]
    given = "the same with 1e-30, all three hidden, the text (0, 1, 1)"
    close(paid(student, joint, [0, 1, 1], [0, 1, 2]), expected, given=given, rtol=1e-9)


@exercise("masked_and_chained", points=0.5, needs="test_what_is_visible_is_given_and_not_paid_for")
def test_a_token_that_never_occurs_is_impossible_for_both(student: Student) -> None:
    joint = torch.tensor([[0.5, 0.25, 0.0], [0.25, 0.0, 0.0], [0.0, 0.0, 0.0]], dtype=torch.float64)
    for tokens, hidden in (([0, 2], [0, 1]), ([2, 2], [0, 1]), ([0, 2], [1])):
        given = f"two tokens of three kinds, P = .5 .25 0 / .25 0 0 / 0 0 0, the text {tuple(tokens)}, hidden places {hidden}"
        close(paid(student, joint, tokens, hidden), [-math.inf, -math.inf], given=given)


@exercise("masked_and_chained", points=0.5, needs="test_what_is_visible_is_given_and_not_paid_for")
def test_twelve_tokens_may_be_hidden_at_once(student: Student) -> None:
    generator = torch.Generator().manual_seed(12)
    joint = torch.randint(1, 9, (2,) * 12, generator=generator).double()
    joint, tokens = joint / joint.sum(), [0, 1] * 6
    for hidden in (list(range(12)), list(range(11))):
        given = f"twelve tokens of two kinds, {len(hidden)} hidden, the text (0, 1, 0, 1, …)"
        close(paid(student, joint, tokens, hidden), enumerated(joint, tokens, hidden), given=given)


# partial_prediction
def partial_oracle(order: list[int], k: int) -> list[Any]:
    """Place by place."""
    count = max(1, len(order) // k)
    context, asked = order[:-count], order[-count:]
    every = range(len(order))

    def sees(place: int) -> set[int]:
        return set(context) | (set(asked[: asked.index(place)]) if place in asked else set())

    content = [[other in sees(place) or other == place for other in every] for place in every]
    return [asked, content, [[other in sees(place) for other in every] for place in asked]]


@exercise("partial_prediction")
@for_all(order=integers(1, 8).flatmap(lambda n: permutations(range(n))), k=integers(1, 9))
def test_any_order_is_asked_for_as_the_rule_says(student: Student, order: list[int], k: int) -> None:
    found = [rows_of(part) for part in parts(student.partial_prediction(torch.tensor(order), k), 3)]
    equal(found, partial_oracle(list(order), k))


@exercise("partial_prediction", points=0.5, needs="test_an_asked_token_sees_the_context_and_asked_ones_before_it")
def test_of_512_places_85_are_asked_for(student: Student) -> None:
    order = [(187 * n + 5) % 512 for n in range(512)]
    found = parts(student.partial_prediction(torch.tensor(order), 6), 3)
    asked, content, query = (rows_of(part) for part in found)
    expected = partial_oracle(order, 6)
    given = "512 places, the order (5, 192, 379, …), K = 6"
    equal(len(asked), 85, given=f"{given}: how many are asked for")
    equal([asked, query], [expected[0], expected[2]], given=given)
    true(content == expected[1], "another content mask was expected", given=given)
    equal(str(getattr(found[0], "dtype", "")).removeprefix("torch."), "int64", given=f"{given}: the type of asked")
    every = [rows_of(part) for part in parts(student.partial_prediction(torch.tensor(order[::-1]), 1), 3)]
    true(every == partial_oracle(order[::-1], 1), "all 512 are asked for, each sees those before it", given="the converse, K = 1")
    asked = rows_of(parts(student.partial_prediction(torch.arange(98), 49), 3)[0])  # 98 · (1/49) is below 2 in floats
    equal(asked, [96, 97], given="98 places in turn, K = 49: which are asked for")


# by_distance
def shifted(scores: Tensor, places: Tensor) -> Tensor:
    """Row by row, key by key."""
    keys = (scores.size(-1) + 1) // 2
    where = places.expand(scores.size(0), -1)
    texts, heads, rows, _ = scores.shape
    index = itertools.product(range(texts), range(heads), range(rows), range(keys))
    taken = [scores[b, h, i, keys - 1 - (int(where[b, i]) - j)] for b, h, i, j in index]
    return torch.stack(taken).reshape(texts, heads, rows, keys)


def places_of(texts: int, rows: int, keys: int, seed: int, *, own: bool) -> Tensor:
    """Places of rows among keys: of each text's own, or (1, N)."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, keys, (texts if own else 1, rows), generator=generator)


@exercise("by_distance")
@for_all(
    texts=integers(1, 3),
    heads=integers(1, 3),
    rows=integers(1, 4),
    keys=integers(1, 5),
    own=booleans(),
    seed=integers(0, 10**6),
)
def test_any_rows_take_the_scores_of_their_distances(
    student: Student, texts: int, heads: int, rows: int, keys: int, own: bool, seed: int
) -> None:
    scores, places = eighths(texts, heads, rows, 2 * keys - 1, seed=seed), places_of(texts, rows, keys, seed, own=own)
    close(student.by_distance(scores, places), shifted(scores, places))


@exercise("by_distance", points=0.5)
def test_gradients_go_back_to_the_scores_that_were_taken(student: Student) -> None:
    scores, places = eighths(2, 2, 3, 5, seed=3), torch.tensor([[0, 2, 2]])
    given = "2 texts, 2 heads, 3 keys, rows at places 0, 2, 2, float64"
    close_gradients(student, "by_distance", shifted, {"scores": scores}, places, given=given)


@exercise("by_distance", points=0.5, needs="test_heads_and_rows_keep_their_own_scores")
def test_the_scores_keep_their_type_and_their_digits(student: Student) -> None:
    scores, places = normal(1, 1, 2, 3, seed=4, dtype=torch.float64), torch.tensor([[1, 0]])
    given = "scores in float64, to twelve digits"
    close(student.by_distance(scores, places), shifted(scores, places), given=given, rtol=1e-12, atol=0)
    scores, places = torch.arange(2 * 599.0).reshape(1, 1, 2, 599), torch.tensor([[299, 7]])
    close(student.by_distance(scores, places), shifted(scores, places), given="300 keys, rows at places 299 and 7", rtol=1e-6)


# relative_scores
def four_products(queries: Tensor, keys: Tensor, distances: Tensor, u: Tensor, v: Tensor, places: Tensor) -> Tensor:
    """The four products, each by itself, in one sum of pairs."""
    count = keys.size(2)
    columns = count - 1 - (places.expand(len(queries), -1)[:, :, None] - torch.arange(count))  # (B, N, K)
    away = distances[:, columns].transpose(0, 1)  # (B, h, N, K, d)
    scores = torch.einsum("bhnd,bhkd->bhnk", queries, keys) + torch.einsum("bhnd,bhnkd->bhnk", queries, away)
    scores = scores + torch.einsum("hd,bhkd->bhk", u, keys)[:, :, None] + torch.einsum("hd,bhnkd->bhnk", v, away)
    scaled: Tensor = scores / math.sqrt(queries.size(-1))
    return scaled


NAMES = ("queries", "keys", "distances", "u", "v")


def drawn(texts: int, heads: int, rows: int, keys: int, width: int, seed: int) -> dict[str, Tensor]:
    shapes = ((texts, heads, rows, width), (texts, heads, keys, width), (heads, 2 * keys - 1, width), (heads, width), (heads, width))
    return {name: eighths(*shape, seed=seed + n) for n, (name, shape) in enumerate(zip(NAMES, shapes, strict=True))}


@exercise("relative_scores")
@for_all(
    texts=integers(1, 2),
    heads=integers(1, 3),
    rows=integers(1, 3),
    keys=integers(1, 4),
    width=integers(1, 4),
    own=booleans(),
    seed=integers(0, 10**6),
)
def test_any_pair_is_scored_by_the_four_products(
    student: Student, texts: int, heads: int, rows: int, keys: int, width: int, own: bool, seed: int
) -> None:
    tensors, places = drawn(texts, heads, rows, keys, width, seed), places_of(texts, rows, keys, seed, own=own)
    close(student.relative_scores(*tensors.values(), places), four_products(**tensors, places=places), atol=1e-5)


@exercise("relative_scores", points=0.5)
def test_gradients_reach_both_biases(student: Student) -> None:
    tensors, places = drawn(1, 2, 2, 3, 4, 5), torch.tensor([[2, 0]])
    given = "2 heads, 3 keys, rows at places 2 and 0, d = 4, float64"
    close_gradients(student, "relative_scores", four_products, tensors, places, given=given)


@exercise("relative_scores", points=0.5, needs="test_all_four_products_are_there")
def test_scores_keep_double_precision(student: Student) -> None:
    tensors = {name: tensor / 3 for name, tensor in drawn(1, 2, 3, 3, 3, 8).items()}
    places = torch.arange(3)[None]
    expected = four_products(**tensors, places=places)
    given = "2 heads, 3 keys, d = 3, float64, to ten digits"
    close(student.relative_scores(*tensors.values(), places), expected, given=given, rtol=1e-10, atol=1e-10)


# mix
def mean_of_visible(scores: Tensor, values: Tensor, sees: Tensor) -> Tensor:
    """Row by row, over the visible keys alone; nothing, which depends on nothing, where there is none."""
    texts, heads, rows, _ = scores.shape
    where = sees.expand(texts, -1, -1)
    found = []
    for b, h, i in itertools.product(range(texts), range(heads), range(rows)):
        keys = where[b, i].nonzero()[:, 0]
        weights = (scores[b, h, i, keys] - scores[b, h, i, keys].max()).exp() if len(keys) else scores[b, h, i, keys]
        found.append((weights[:, None] * values[b, h, keys]).sum(dim=0) / (weights.sum() if len(keys) else 1))
    return torch.stack(found).reshape(texts, heads, rows, -1)


@exercise("mix")
@for_all(
    texts=integers(1, 2),
    heads=integers(1, 2),
    rows=integers(1, 3),
    keys=integers(1, 4),
    scale=sampled_from([1, 64, 1024]),
    own=booleans(),
    seed=integers(0, 10**6),
)
def test_any_rows_get_the_mean_of_what_they_see(
    student: Student, texts: int, heads: int, rows: int, keys: int, scale: int, own: bool, seed: int
) -> None:
    scores, values = scale * eighths(texts, heads, rows, keys, seed=seed), eighths(texts, heads, keys, 3, seed=seed + 1)
    generator = torch.Generator().manual_seed(seed)
    sees = torch.rand(texts if own else 1, rows, keys, generator=generator) < 0.5
    close(student.mix(scores, values, sees), mean_of_visible(scores, values, sees), atol=1e-5)


@exercise("mix")
def test_gradients_are_finite_where_a_row_sees_nothing(student: Student) -> None:
    tensors = {"scores": eighths(1, 2, 3, 3, seed=7), "values": eighths(1, 2, 3, 2, seed=8)}
    sees = torch.tensor([[[True, True, False], [False, False, False], [False, True, True]]])
    given = "2 heads, 3 rows of which the second sees nothing, float64"
    close_gradients(student, "mix", mean_of_visible, tensors, sees, given=given)
    tensors["scores"] = tensors["scores"] + 2000.0 * (~sees[:, None])
    close_gradients(student, "mix", mean_of_visible, tensors, sees, given=f"{given}; what is hidden scores 2000 more")
    tensors["scores"] = tensors["scores"] - 4000.0
    close_gradients(student, "mix", mean_of_visible, tensors, sees, given=f"{given}; what is hidden scores −2000, what is seen −4000")


@exercise("mix", points=0.5, needs="test_visible_values_are_weighted_by_the_softmax")
def test_low_scores_that_are_visible_count_more_than_high_ones_that_are_hidden(student: Student) -> None:
    scores = torch.tensor([[[[-3e9, -3e9, 0.0, 5e9]]]], dtype=torch.float64)
    values = torch.tensor([[[[2.0], [4.0], [100.0], [100.0]]]], dtype=torch.float64)
    given = "one row with the scores (−3e9, −3e9, 0, 5e9), of which the last two are hidden; the values 2, 4, 100, 100"
    close(student.mix(scores, values, torch.tensor([[[True, True, False, False]]])), [[[[3.0]]]], given=given)
    scores, given = scores * 1e27, "the scores (−3e36, −3e36, 0, 5e36), of which the second alone is seen; the values 2, 4, 100, 100"
    for kind in (torch.float64, torch.float32):
        found = student.mix(scores.to(kind), values.to(kind), torch.tensor([[[False, True, False, False]]]))
        close(found, [[[[4.0]]]], given=f"{given}; {kind}")


@exercise("mix", points=0.5, needs="test_visible_values_are_weighted_by_the_softmax")
def test_the_mean_keeps_double_precision(student: Student) -> None:
    scores, values = eighths(1, 1, 2, 3, seed=9) / 3, eighths(1, 1, 3, 2, seed=10) / 3
    scores[0, 0, 1, 2] = -12.0
    sees = torch.tensor([[[True, False, True], [True, True, True]]])
    given = "float64, one weight about 1e-6, to ten digits"
    close(student.mix(scores, values, sees), mean_of_visible(scores, values, sees), given=given, rtol=1e-10, atol=1e-10)


# two_streams
WIDTH = 4
SMALL: dict[str, Any] = {"d_model": WIDTH, "n_head": 2, "d_inner": 6, "dropout": 0.0}


@cache
def layers_of(count: int, seed: int) -> tuple[XLNetLayer, ...]:
    """Layers of the library with every weight drawn at random."""
    made = []
    for n in range(count):
        layer = XLNetLayer(XLNetConfig(**SMALL)).eval()
        generator = torch.Generator().manual_seed(seed + n)
        for parameter in layer.parameters():
            torch.nn.init.normal_(parameter, std=0.6, generator=generator)
        made.append(layer.requires_grad_(False))
    return tuple(made)


def theirs(student: Student, layers: tuple[XLNetLayer, ...]) -> list[Any]:
    """The same layers on the student's side."""
    made = []
    for layer in layers:
        other = student.XLNetLayer(student.XLNetConfig(**SMALL))
        other.load_state_dict({name: tensor.clone() for name, tensor in layer.state_dict().items()})
        other.requires_grad_(False)
        made.append(other)
    return made


def by_rows(
    layers: tuple[XLNetLayer, ...], h: Tensor, g: Tensor, memory: list[Tensor], asked: Tensor, content: Tensor, query: Tensor
) -> Tensor:
    """Each row by itself."""
    texts = []
    for b in range(len(h)):
        x, y = h[b : b + 1], g[b : b + 1]
        for layer, kept in zip(layers, memory, strict=True):
            context, past = torch.cat([kept[b : b + 1], x], dim=1), kept.size(1)
            rows = [(y[:, t : t + 1], int(asked[b, t]), query[b, t]) for t in range(y.size(1))]
            rows += [(x[:, i : i + 1], i, content[b, i]) for i in range(x.size(1))]
            made = []
            for row, place, mask in rows:
                sees = torch.cat([torch.ones(past, dtype=torch.bool), mask])[None, None]
                made.append(layer(row, context, torch.tensor([[past + place]]), sees))
            y, x = torch.cat(made[: y.size(1)], dim=1), torch.cat(made[y.size(1) :], dim=1)
        texts.append(y)
    return torch.cat(texts)


def masks_of(orders: list[list[int]], count: int) -> tuple[Tensor, Tensor, Tensor]:
    """The last places of each order with their masks: asked (B, T), content (B, N, N), query (B, T, N)."""
    found: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for order in orders:
        context, asked = order[:-count], order[-count:]
        turn = dict.fromkeys(context, 0) | {place: 1 + t for t, place in enumerate(asked)}
        every = range(len(order))
        found[0].append(asked)
        found[1].append([[turn[j] <= turn[i] for j in every] for i in every])
        found[2].append([[turn[j] < turn[i] for j in every] for i in asked])
    return torch.tensor(found[0]), torch.tensor(found[1]), torch.tensor(found[2])


@exercise("two_streams")
@for_all(
    depth=integers(1, 3),
    past=integers(0, 2),
    orders=integers(1, 4).flatmap(lambda n: lists(permutations(range(n)), min_size=1, max_size=2)),
    count=integers(1, 4),
    any_masks=booleans(),
    seed=integers(0, 10**6),
    examples=30,
)
def test_any_text_is_predicted_as_row_by_row(
    student: Student, depth: int, past: int, orders: list[list[int]], count: int, any_masks: bool, seed: int
) -> None:
    texts, length = len(orders), len(orders[0])
    count = min(count, length)
    layers, some = layers_of(depth, 50), masks_of([list(order) for order in orders], count)
    if any_masks:  # of no order, and perhaps with a place that does not see itself
        some = some[0], normal(*some[1].shape, seed=seed + 5) > 0, normal(*some[2].shape, seed=seed + 6) > 0
    h, g = normal(texts, length, WIDTH, seed=seed), normal(texts, count, WIDTH, seed=seed + 1)
    memory = [normal(texts, past, WIDTH, seed=seed + 2 + n) for n in range(depth)]
    found = student.two_streams(theirs(student, layers), h, g, memory, *some)
    close(found, by_rows(layers, h, g, memory, *some), rtol=1e-3, atol=1e-3)


@exercise("two_streams")
def test_gradients_reach_content_and_query_from_all_layers(student: Student) -> None:
    layers, some = layers_of(3, 60), masks_of([[1, 3, 0, 2], [0, 1, 2, 3]], 2)
    h, g = normal(2, 4, WIDTH, seed=61).requires_grad_(), normal(2, 2, WIDTH, seed=62).requires_grad_()
    memory = [normal(2, 2, WIDTH, seed=63 + n) for n in range(3)]
    expected = torch.autograd.grad(scalar(by_rows(layers, h, g, memory, *some)), [h, g])
    found = student.gradients("two_streams", theirs(student, layers), h, g, memory, *some)
    given = "three layers with a memory of 2, 2 texts of 4 places, two asked for; the gradient for "
    for name, gradient, wanted in zip(("h", "g"), found, expected, strict=True):
        true(gradient is not None, "the prediction knows nothing of it, so it cannot be trained", given=given + name)
        close(gradient, wanted, given=given + name + WEIGHTED, rtol=1e-3, atol=1e-3)


@exercise("two_streams", points=0.5, needs="test_in_three_layers_both_streams_look_at_the_content_of_the_layer_before")
def test_twelve_layers_are_all_gone_through(student: Student) -> None:
    layers, some = layers_of(12, 70), masks_of([[2, 0, 1]], 1)
    h, g = normal(1, 3, WIDTH, seed=71), normal(1, 1, WIDTH, seed=72)
    memory = [torch.zeros(1, 0, WIDTH) for _ in layers]
    found = student.two_streams(theirs(student, layers), h, g, memory, *some)
    given = "twelve layers, 3 places, one asked for, no memory"
    close(found, by_rows(layers, h, g, memory, *some), given=given, rtol=1e-2, atol=1e-2)


# remember
@exercise("remember")
@for_all(
    texts=integers(1, 3), before=integers(-1, 4), new=integers(1, 4), width=integers(1, 3), length=integers(0, 9),
    scale=sampled_from([0, 1]), seed=integers(0, 10**6),
)  # fmt: skip
def test_any_memory_keeps_the_last_places(
    student: Student, texts: int, before: int, new: int, width: int, length: int, scale: int, seed: int
) -> None:
    hidden = eighths(texts, new, width, seed=seed)
    memory = None if before < 0 else scale * eighths(texts, before, width, seed=seed + 1)  # perhaps of zeros
    places = [hidden[:, n] for n in range(new)]
    if memory is not None:
        places = [memory[:, n] for n in range(before)] + places
    places = places[max(0, len(places) - length) :]
    found = student.remember(memory, hidden, length)
    equal(list(getattr(found, "shape", [])), [texts, len(places), width])
    if places:
        close(found, torch.stack(places, dim=1))


@exercise("remember", points=0.5, needs="test_the_last_places_are_kept")
def test_no_gradient_goes_back_into_what_was_kept_before(student: Student) -> None:
    memory, hidden = normal(2, 3, 4, seed=81).requires_grad_(), normal(2, 2, 4, seed=82).requires_grad_()
    found = student.gradients("remember", memory, hidden, 4)
    given = "a memory of 3 places and a part of 2 that both ask for gradients, four places are kept"
    equal([gradient is None for gradient in found], [True, True], given=given)


@exercise("remember", points=0.5, needs="test_the_last_places_are_kept")
def test_the_part_itself_goes_on_asking_for_gradients(student: Student) -> None:
    hidden = student.put(normal(2, 3, 4, seed=85).requires_grad_())
    student.in_place().remember(None, hidden, 4)
    given = "a part of 3 places that asks for gradients, four are kept: whether the part itself still asks for them afterwards"
    equal(student.value(hidden).requires_grad, True, given=given)


@exercise("remember", points=0.5, needs="test_the_last_places_are_kept")
def test_what_is_remembered_keeps_its_type(student: Student) -> None:
    memory, hidden = eighths(1, 2, 3, seed=83) / 3, eighths(1, 2, 3, seed=84) / 3
    found = student.remember(memory, hidden, 3)
    given = "float64, to twelve digits: a memory of 2 places and a part of 2, three are kept"
    close(found, torch.cat([memory[:, 1:], hidden], dim=1), given=given, rtol=1e-12, atol=0)
    memory, hidden = torch.arange(600.0).reshape(1, 600, 1), torch.arange(600.0, 700.0).reshape(1, 100, 1)
    found = student.remember(memory, hidden, 650)
    close(found, torch.arange(50.0, 700.0).reshape(1, 650, 1), given="a memory of 0 … 599 and a part of 600 … 699; 650 places are kept")


# metrics
BEYOND = 50_000  # added to the run's seed: other sentences than the notebook's
SENTENCES = 600
LENGTH = 8
OPENING, CLOSING, DIGITS, SIGNS, PARTICLES = "([{«", ")]}»", "123", "<=>", "은는"
NOUNS = {"눈": "은", "밤": "은", "산": "은", "배": "는", "차": "는", "비": "는"}
WORDS = ["⟨s⟩", *OPENING, *CLOSING, *DIGITS, *SIGNS, *NOUNS, *PARTICLES]
ID = {word: number for number, word in enumerate(WORDS)}


def _sentences(seed: int) -> Tensor:
    """Sentences of the planted language, (n, 8) ids."""
    chance, rows = random.Random(f"xlnet {seed}"), []
    for _ in range(SENTENCES):
        noun, first, second = chance.choice(list(NOUNS)), chance.choice(DIGITS), chance.choice(DIGITS)
        sign = SIGNS[1 + (first > second) - (first < second)]
        phrases = [[first, sign, second], [noun, NOUNS[noun]]]
        chance.shuffle(phrases)
        kind = chance.randrange(4)
        words = ["⟨s⟩", OPENING[kind], *phrases[0], *phrases[1], CLOSING[kind]]
        rows.append([ID[word] for word in words])
    return torch.tensor(rows)


def _model(artifacts: Artifacts, name: str) -> XLNetForPermutationLM:
    """The library's network with the recorded parameters."""
    config = XLNetConfig(vocab_size=len(WORDS), d_model=48, n_layer=2, n_head=4, d_inner=96, dropout=0.0)
    model, numbers = XLNetForPermutationLM(config), artifacts.tensor(name, ndim=1)
    expected = sum(parameter.numel() for parameter in model.parameters())
    if numbers.numel() != expected:
        raise BadArtifact(f"{name!r} holds {numbers.numel()} numbers, and the model has {expected} parameters")
    vector_to_parameters(numbers.float(), model.parameters())
    return model.eval()


@torch.no_grad()
def _scores(model: XLNetForPermutationLM, tokens: Tensor, asked: Tensor, sees: Tensor) -> Tensor:
    """ln P of every token at one place of each text, (n, V); sees (n, N, N) or (n, 1, N): what each place may see."""
    streams = model.xlnet(tokens, sees.expand(-1, LENGTH, -1), asked[:, None])
    assert streams.query is not None
    return model.logits(streams.query)[:, 0].log_softmax(dim=-1)


def _all_but(tokens: Tensor, *hidden: int) -> Tensor:
    sees = torch.ones(len(tokens), 1, LENGTH, dtype=torch.bool)
    sees[:, :, list(hidden)] = False
    return sees


def _of(scores: Tensor, tokens: Tensor) -> float:
    return float(scores.gather(1, tokens[:, None]).mean())


def _pairs(artifacts: Artifacts, name: str, *, chain: bool) -> tuple[float, float, float]:
    """Nats for both brackets hidden and for the closing one alone, and how probable a sampled pair that agrees is."""
    model, tokens, last = _model(artifacts, name), _sentences(artifacts.seed + BEYOND), LENGTH - 1
    at = {place: torch.full((len(tokens),), place) for place in (1, last)}
    both, one = _all_but(tokens, 1, last), _all_but(tokens, last)
    opening, visible = _scores(model, tokens, at[1], both), _scores(model, tokens, at[last], one)
    unseen = _scores(model, tokens, at[last], both)
    agree = torch.zeros(len(tokens))
    for first, second in zip(OPENING, CLOSING, strict=True):
        said = tokens.clone()
        said[:, 1] = ID[first]
        closing = _scores(model, said, at[last], one) if chain else unseen
        agree += (opening[:, ID[first]] + closing[:, ID[second]]).exp()
    closing = visible if chain else unseen
    return _of(opening, tokens[:, 1]) + _of(closing, tokens[:, last]), _of(visible, tokens[:, last]), float(agree.mean())


def _gap(artifacts: Artifacts, which: int) -> float:
    permutation, masked = (_pairs(artifacts, name, chain=name == "permutation") for name in ("permutation", "masked"))
    return permutation[which] - masked[which]


@metric("pair_gap")
def pair_gap(artifacts: Artifacts) -> float:
    return _gap(artifacts, 0)


@metric("pair_gap_one_visible")
def pair_gap_one_visible(artifacts: Artifacts) -> float:
    return _gap(artifacts, 1)


@metric("agreement_gap")
def agreement_gap(artifacts: Artifacts) -> float:
    return _gap(artifacts, 2)


def _right(artifacts: Artifacts, name: str, words: str) -> float:
    """The share of texts whose only hidden token, one of these words, is the likeliest there."""
    tokens = _sentences(artifacts.seed + BEYOND)
    asked = torch.isin(tokens, torch.tensor([ID[word] for word in words])).long().argmax(dim=1)
    sees = (torch.arange(LENGTH) != asked[:, None])[:, None]  # (n, 1, N)
    if name == "left_to_right":
        sees = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril(-1).expand(len(tokens), -1, -1)
    best = _scores(_model(artifacts, name), tokens, asked, sees).argmax(dim=-1)
    return float((best == tokens.gather(1, asked[:, None])[:, 0]).float().mean())


@metric("both_sides_gap")
def both_sides_gap(artifacts: Artifacts) -> float:
    return _right(artifacts, "permutation", SIGNS) - _right(artifacts, "left_to_right", SIGNS)


@metric("left_side_gap")
def left_side_gap(artifacts: Artifacts) -> float:
    return _right(artifacts, "permutation", PARTICLES) - _right(artifacts, "left_to_right", PARTICLES)
