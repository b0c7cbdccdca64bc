"""t5: the public checks. Expected values come from hand counts, closed forms, and torch."""

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from etude.lesson.checks import Mismatch, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain


def number(value: Any, given: str) -> int:
    """A whole number of the student's, whatever holds it."""
    found = plain(value.item() if hasattr(value, "item") else value)
    true(type(found) is int, "a whole number was expected", given=given, actual=found)
    return int(found)


# rms_norm
@exercise("rms_norm")
def test_a_vector_is_divided_by_the_root_of_its_mean_square(student: Student) -> None:
    # (1 + 49) / 2 = 25.
    found = student.rms_norm(torch.tensor([[1.0, 7.0], [-7.0, 1.0]]), torch.ones(2), 0.0)
    close(found, [[0.2, 1.4], [-1.4, 0.2]], given="the vectors (1, 7) and (−7, 1), scale 1, eps 0")


@exercise("rms_norm")
def test_each_place_has_its_scale(student: Student) -> None:
    found = student.rms_norm(torch.tensor([1.0, 7.0]), torch.tensor([10.0, -5.0]), 0.0)
    close(found, [2.0, -7.0], given="the vector (1, 7), scale (10, −5), eps 0")


@exercise("rms_norm")
def test_eps_is_added_inside_the_root(student: Student) -> None:
    # The mean square is 9, with eps 16 it is 25.
    found = student.rms_norm(torch.tensor([3.0, -3.0, 3.0]), torch.ones(3), 16.0)
    close(found, [0.6, -0.6, 0.6], given="the vector (3, −3, 3), scale 1, eps 16")


# distance_buckets
def numbers_of(student: Student, distances: list[int], both: bool, given: str) -> list[int]:
    found = student.distance_buckets(torch.tensor(distances), both)
    kind = str(getattr(found, "dtype", type(found).__name__))
    equal(kind, "torch.int64", given=f"{given}: the type of what comes back")
    values: list[int] = found.tolist()
    return values


@exercise("distance_buckets")
def test_near_distances_have_a_number_each(student: Student) -> None:
    given = "distances −7 to 7 in the encoder"
    found = numbers_of(student, list(range(-7, 8)), True, given)
    equal(found, [7, 6, 5, 4, 3, 2, 1, 0, 17, 18, 19, 20, 21, 22, 23], given=given)


@exercise("distance_buckets")
def test_the_decoder_counts_to_15_and_looks_back_alone(student: Student) -> None:
    given = "distances −15 to 3 in the decoder"
    found = numbers_of(student, list(range(-15, 4)), False, given)
    equal(found, [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0], given=given)


@exercise("distance_buckets")
def test_far_distances_share_numbers_more_and_more(student: Student) -> None:
    # Borders at 8 · 2^(k/2): 8, 11.3, 16, 22.6, 32, 45.3, 64, 90.5.
    given = "distances −8, −11, −12, −22, −23, −45, −46, −90, −91, −500 in the encoder"
    found = numbers_of(student, [-8, -11, -12, -22, -23, -45, -46, -90, -91, -500], True, given)
    equal(found, [8, 8, 9, 10, 11, 12, 13, 14, 15, 15], given=given)


@exercise("distance_buckets")
def test_from_128_on_all_have_the_last_number(student: Student) -> None:
    given = "distances −127, −128, −129, −100000 in the decoder"
    equal(numbers_of(student, [-127, -128, -129, -100_000], False, given), [31, 31, 31, 31], given=given)
    given = "distances 127, 128, 129, 100000 in the encoder"
    equal(numbers_of(student, [127, 128, 129, 100_000], True, given), [31, 31, 31, 31], given=given)


# attend
@exercise("attend")
def test_scores_are_products_that_nothing_divides(student: Student) -> None:
    # q · k is 2 and 0: weights e² / (e² + 1) and the rest. With 1/√4 it would be e / (e + 1).
    queries, keys = torch.ones(1, 1, 1, 4), torch.tensor([[[[0.5] * 4, [0.0] * 4]]])
    values = torch.tensor([[[[1.0], [0.0]]]])
    found = student.attend(queries, keys, values, torch.zeros(1, 1, 2), torch.ones(1, 1, 1, 2, dtype=torch.bool))
    weight = torch.tensor([2.0, 0.0], dtype=torch.float64).softmax(0)[0]
    close(found, [[[[float(weight)]]]], given="k = 4, the products q · k are 2 and 0, the values 1 and 0")


@exercise("attend")
def test_a_distance_is_worth_what_is_added_to_its_score(student: Student) -> None:
    zeros = torch.zeros(1, 2, 2, 3)
    values = torch.tensor([[[[1.0], [0.0]], [[1.0], [0.0]]]])
    worth = torch.tensor([[[1.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [-3.0, 1.0]]])
    found = student.attend(zeros, zeros, values, worth, torch.ones(1, 1, 1, 2, dtype=torch.bool))
    close(found, worth.softmax(dim=-1)[None, :, :, :1], given="two heads, products of 0, what distances are worth alone")


@exercise("attend")
def test_what_a_query_must_not_see_has_no_weight(student: Student) -> None:
    generator = torch.Generator().manual_seed(4)
    queries, keys, values = (torch.randn(2, 3, 4, 5, generator=generator) for _ in range(3))
    worth, mask = torch.randn(3, 4, 4, generator=generator), torch.ones(4, 4, dtype=torch.bool).tril()
    added = worth.masked_fill(~mask, -torch.inf)[None].expand(2, -1, -1, -1)
    expected = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=added, scale=1.0)
    close(student.attend(queries, keys, values, worth, mask), expected, given="B 2, h 3, N = M = 4, a causal mask", atol=1e-5)


# count_parameters
@exercise("count_parameters")
def test_a_model_of_ones_is_counted_by_hand(student: Student) -> None:
    # Words 1; encoder layer 4 + 2 + 2; decoder layer 8 + 2 + 3; two last norms and two tables of 32.
    given = "V = 1, one layer each, d = 1, inner 1, one head of 1"
    equal(number(student.count_parameters(1, 1, 1, 1, 1, 1), given), 1 + 8 + 13 + 2 + 64, given=given)


@exercise("count_parameters")
def test_small_has_60506624_and_base_222903552(student: Student) -> None:
    for size, count in (((6, 512, 2048, 8, 64), 60_506_624), ((12, 768, 3072, 12, 64), 222_903_552)):
        given = f"V = 32,128, {size[0]} layers each, d = {size[1]}, inner {size[2]}, {size[3]} heads of {size[4]}"
        equal(number(student.count_parameters(32_128, *size), given), count, given=given)


@exercise("count_parameters")
def test_in_11b_the_heads_together_are_wider_than_the_model(student: Student) -> None:
    given = "V = 32,128, 24 layers each, d = 1,024, inner 65,536, 128 heads of 128"
    equal(number(student.count_parameters(32_128, 24, 1024, 65_536, 128, 128), given), 11_307_321_344, given=given)


# noise_spans
def spans_of(student: Student, length: int, rate: float, mean: float, seed: int) -> list[tuple[int, int]]:
    given = f"length {length}, rate {rate}, mean {mean}, seed {seed}"
    found = student.noise_spans(length, rate, mean, seed)
    true(type(found) in (list, tuple), "a list was expected", given=given)
    try:
        spans = [(number(start, given), number(end, given)) for start, end in found]
    except (TypeError, ValueError):
        raise Mismatch("pairs (start, end) were expected", given=given, actual=found) from None
    return spans


def told(student: Student, length: int, rate: float, mean: float, seed: int, hidden: int, count: int) -> None:
    """Compares how many tokens are hidden in how many spans, and that they lie apart."""
    given = f"length {length}, rate {rate}, mean {mean}, seed {seed}"
    spans = spans_of(student, length, rate, mean, seed)
    equal(len(spans), count, given=f"{given}: the number of spans")
    equal(sum(end - start for start, end in spans), hidden, given=f"{given}: the number of hidden tokens")
    flat = [place for span in spans for place in span]
    true(all(a < b for a, b in pairwise(flat)), "spans are not empty, in order, and apart", given=given, actual=spans)
    true(flat[0] >= 1 and flat[-1] == length, "the first token is kept, the last is hidden", given=given, actual=spans)


@exercise("noise_spans")
def test_of_100_tokens_15_are_hidden_in_5_spans(student: Student) -> None:
    for seed in range(5):
        told(student, 100, 0.15, 3, seed, 15, 5)


@exercise("noise_spans")
def test_numbers_are_rounded_to_the_nearest(student: Student) -> None:
    told(student, 25, 0.15, 3, 1, 4, 1)  # 3.75, and 1.33
    told(student, 34, 0.15, 3, 1, 5, 2)  # 5.1, and 1.67
    told(student, 20, 0.5, 4, 1, 10, 2)  # 2.5 to even


@exercise("noise_spans")
def test_one_token_is_hidden_at_least_and_one_kept(student: Student) -> None:
    told(student, 3, 0.15, 3, 0, 1, 1)  # 0.45
    told(student, 4, 0.99, 3, 0, 3, 1)
    told(student, 2, 0.15, 1, 0, 1, 1)


# corrupt
def corrupted(student: Student, tokens: list[str], spans: list[tuple[int, int]], given: str) -> list[list[str]]:
    found = student.corrupt(list(tokens), list(spans))
    try:
        read, write = found
    except (TypeError, ValueError):
        raise Mismatch("two lists were expected", given=given, actual=found) from None
    return [list(read), list(write)]


FIGURE = ["Thank", "you", "for", "inviting", "me", "to", "your", "party", "last", "week", "."]


@exercise("corrupt")
def test_figure_2_of_the_paper(student: Student) -> None:
    given = "Thank you for inviting me to your party last week . with the spans (2, 4) and (8, 9)"
    read, write = corrupted(student, FIGURE, [(2, 4), (8, 9)], given)
    equal(read, ["Thank", "you", "<0>", "me", "to", "your", "party", "<1>", "week", "."], given=f"{given}: what is read")
    equal(write, ["<0>", "for", "inviting", "<1>", "last", "<2>"], given=f"{given}: what is written")


@exercise("corrupt")
def test_spans_at_both_ends(student: Student) -> None:
    given = "a b c d e with the spans (0, 1) and (3, 5)"
    found = corrupted(student, list("abcde"), [(0, 1), (3, 5)], given)
    equal(found, [["<0>", "b", "c", "<1>"], ["<0>", "a", "<1>", "d", "e", "<2>"]], given=given)


@exercise("corrupt", points=0.5, needs="test_figure_2_of_the_paper")
def test_nothing_hidden_leaves_the_last_sentinel(student: Student) -> None:
    equal(corrupted(student, ["a", "b"], [], "a b without spans"), [["a", "b"], ["<0>"]], given="a b without spans")


# score_text
def written(student: Student, scores: dict[float, str]) -> None:
    for score, text in scores.items():
        equal(student.score_text(score), text, given=f"the score {score}")


@exercise("score_text")
def test_257_is_written_as_26(student: Student) -> None:
    written(student, {2.57: "2.6", 2.51: "2.6", 2.49: "2.4", 3.75: "3.8", 4.05: "4.0"})


@exercise("score_text")
def test_one_digit_stands_after_the_point(student: Student) -> None:
    written(student, {3.8: "3.8", 1.0: "1.0", 5.0: "5.0", 0.6: "0.6", 1.4: "1.4"})


@exercise("score_text")
def test_in_the_middle_the_even_number_of_steps_wins(student: Student) -> None:
    written(student, {2.5: "2.4", 3.5: "3.6", 0.5: "0.4", 1.5: "1.6"})


def heads(batch: int, count: int, queries: int, keys: int, width: int) -> tuple[Tensor, ...]:
    """Queries, keys and values, and what distances are worth, drawn the same each time."""
    generator = torch.Generator().manual_seed(8)
    shapes = ((batch, count, queries, width), (batch, count, keys, width), (batch, count, keys, width), (count, queries, keys))
    return tuple(torch.randn(shape, generator=generator) for shape in shapes)


@exercise("attend", points=0.5, needs="test_scores_are_products_that_nothing_divides")
def test_a_decoder_may_look_at_another_text(student: Student) -> None:
    queries, keys, values, worth = heads(1, 2, 3, 5, 4)
    mask = torch.tensor([True, True, False, True, False])[None, None, None]  # (B, 1, 1, M)
    added = worth.masked_fill(~mask, -torch.inf)
    expected = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=added, scale=1.0)
    close(student.attend(queries, keys, values, worth, mask), expected, given="N = 3 queries, M = 5 keys, padding", atol=1e-5)
