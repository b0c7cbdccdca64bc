"""albert: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
import random
from itertools import chain
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import booleans, integers, lists, sampled_from
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import vector_to_parameters
from torch.utils.flop_counter import FlopCounterMode

from etude import pretrained
from etude.lesson.checks import Mismatch, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.models.albert import Albert, AlbertConfig, AlbertForPretraining
from etude.models.bert_heads import BertClassifier
from etude.pretraining import Masking, Vocabulary, mask_tokens
from etude.tokenizers.wordpiece import WordPiece
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

NOT = -100  # the label that no loss asks for
WHAT = ("none", "attention", "feed_forward", "all")


def numbers(value: Any) -> list[int]:
    """Whole numbers of the student's in a row, whatever holds them."""
    try:
        found = [plain(one.item() if hasattr(one, "item") else one) for one in value]
    except TypeError:
        raise Mismatch("a row of whole numbers was expected", actual=value) from None
    true(all(type(one) is int for one in found), "whole numbers were expected", actual=found)
    return found


# embedding_sizes
@exercise("embedding_sizes")
@for_all(words=integers(1, 60), width=integers(1, 40), narrow=integers(1, 40))
def test_any_sizes_are_those_of_the_matrices(student: Student, words: int, width: int, narrow: int) -> None:
    whole, factors, widest = numbers(student.embedding_sizes(words, width, narrow))
    made = torch.empty(words, narrow).numel() + torch.empty(narrow, width).numel()
    equal([whole, factors], [torch.empty(words, width).numel(), made])
    equal(widest, max(e for e in range(width + 1) if words * e + e * width < words * width))


@exercise("embedding_sizes", points=0.5, needs="test_the_widest_that_pays_is_just_below_the_break_even")
def test_large_tables_are_counted_without_rounding(student: Student) -> None:
    # The break-even V·H / (V + H) is 10 − 100 / (V + H): beyond 9, and 10 in floats. H is small, so that a search ends soon.
    words = 300_000_000_000_000_007
    found = numbers(student.embedding_sizes(words, 10, 2))
    equal(found, [10 * words, 2 * words + 20, 9], given=f"V = {words:,}, H = 10, E = 2")


@exercise("embedding_sizes", points=0.5, needs="test_the_widest_that_pays_is_just_below_the_break_even")
def test_one_number_fewer_is_fewer(student: Student) -> None:
    # 1,999 · 2,002,001 = 4,001,999,999.
    found = numbers(student.embedding_sizes(2_000_000, 2001, 1))
    equal(found[2], 1999, given="V = 2,000,000, H = 2,001: E = 1,999 has 4,001,999,999 numbers, one fewer than the table")
    # The break-even is 499,999 + 1 / (V + H): in floats 499,999.
    found = numbers(student.embedding_sizes(125_000_000_000, 500_001, 1))
    equal(found[2], 499_999, given="V = 125,000,000,000, H = 500,001: E = 499,999 has one number fewer than the table")


# factorise
@exercise("factorise")
@for_all(rows=integers(1, 7), columns=integers(1, 7), cut=integers(0, 6), shift=integers(0, 10**6))
def test_any_table_is_met_as_nearly_as_it_can_be(student: Student, rows: int, columns: int, cut: int, shift: int) -> None:
    table = torch.randint(-16, 17, (rows, columns), generator=torch.Generator().manual_seed(shift)).float() / 8
    narrow = 1 + cut % min(rows, columns)
    one, other = (torch.as_tensor(part).double() for part in student.factorise(table, narrow))
    equal([list(one.shape), list(other.shape)], [[rows, narrow], [narrow, columns]])
    squares = np.linalg.eigvalsh(table.double().numpy() @ table.double().numpy().T)[::-1]  # σ²
    lost = float(squares[narrow:].clip(0).sum())
    close(float((one @ other - table).square().sum()), lost, atol=1e-3)


@exercise("factorise", points=0.5, needs="test_what_is_kept_is_what_is_longest")
def test_wide_tables_and_doubles_are_factorised_too(student: Student) -> None:
    generator = torch.Generator().manual_seed(1)
    left, right = (torch.randn(size, generator=generator, dtype=torch.float64) for size in ((3, 2), (2, 40)))
    one, other = student.factorise(left @ right, 2)
    given = "a table 3 × 40 of rank 2 in float64, E = 2"
    kinds = [str(getattr(part, "dtype", type(part).__name__)) for part in (one, other)]
    equal(kinds, ["torch.float64", "torch.float64"], given=f"{given}: the types of the factors")
    close(one @ other, left @ right, given=f"{given}: the product of the factors", rtol=1e-8, atol=1e-8)
    kinds = [str(getattr(part, "dtype", type(part).__name__)) for part in student.factorise(torch.eye(3), 2)]
    equal(kinds, ["torch.float32", "torch.float32"], given="a table 3 × 3 in float32, E = 2: the types of the factors")


@exercise("factorise", points=0.5, needs="test_what_is_kept_is_what_is_longest")
def test_small_numbers_are_numbers_too(student: Student) -> None:
    table = torch.diag(torch.tensor([1.0, 4.0, 2.0, 3.0]))
    one, other = (torch.as_tensor(part).double() for part in student.factorise(table * 2.0**-20, 2))
    given = "a table with 1, 4, 2, 3 on its diagonal times 2⁻²⁰, E = 2: the product of the factors times 2²⁰"
    close(one @ other * 2.0**20, torch.diag(torch.tensor([0.0, 4.0, 0.0, 3.0])), given=given, atol=1e-4)


@exercise("factorise", points=0.5, needs="test_what_is_kept_is_what_is_longest")
def test_of_equal_singular_values_as_many_are_kept_as_asked_for(student: Student) -> None:
    given = "a table 3 × 3 with 2, 2, 2 on its diagonal, E = 2"
    one, other = (torch.as_tensor(part).double() for part in student.factorise(2 * torch.eye(3), 2))
    equal([list(one.shape), list(other.shape)], [[3, 2], [2, 3]], given=f"{given}: the shapes of the factors")
    lost = float((one @ other - 2 * torch.eye(3)).square().sum())
    close(lost, 4.0, given=f"{given}: the sum of squared differences", atol=1e-3)


@exercise("factorise", points=0.5, needs="test_what_is_kept_is_what_is_longest")
def test_a_table_of_lower_rank_than_e_is_met(student: Student) -> None:
    column, row = torch.tensor([[1.0], [2.0], [-1.0], [0.5]]), torch.tensor([[2.0, 0.0, 1.0]])
    for table, words in ((column @ row, "of rank 1"), (torch.zeros(4, 3), "of zeros"), (row, "of one row"), (column, "of one column")):
        narrow = min(2, *table.shape)
        one, other = (torch.as_tensor(part).double() for part in student.factorise(table, narrow))
        given = f"a table {tuple(table.shape)} {words}, E = {narrow}"
        equal([list(one.shape), list(other.shape)], [[len(table), narrow], [narrow, table.shape[1]]], given=f"{given}: the shapes")
        close(one @ other, table, given=f"{given}: the product of the factors", atol=1e-4)


@exercise("factorise", points=0.5, needs="test_what_is_kept_is_what_is_longest")
def test_the_nearest_of_a_large_table_is_not_only_nearly_met(student: Student) -> None:
    for rows, columns, narrow in ((60, 40, 3), (40, 90, 12)):
        table = torch.randn(rows, columns, generator=torch.Generator().manual_seed(rows), dtype=torch.float64)
        one, other = (torch.as_tensor(part).double() for part in student.factorise(table, narrow))
        lost = float((torch.linalg.svdvals(table)[narrow:] ** 2).sum())
        given = f"a random table {rows} × {columns}, E = {narrow}: the sum of squared differences"
        close(float((one @ other - table).square().sum()), lost, given=given, rtol=1e-5)


# embed_input
def embedded(words: Tensor, segments: Tensor, positions: Tensor, scale: Tensor, shift: Tensor, widen: Tensor, bias: Tensor,
             tokens: Tensor, kinds: Tensor) -> Tensor:  # fmt: skip
    """Each token by itself: sum, normalise over E, widen."""
    rows = []
    for row, kind in zip(tokens.tolist(), kinds.tolist(), strict=True):
        for place, (word, segment) in enumerate(zip(row, kind, strict=True)):
            x = words[word] + segments[segment] + positions[place]
            x = (x - x.mean()) / (x.var(correction=0) + 1e-12).sqrt() * scale + shift
            rows.append(widen @ x + bias)
    return torch.stack(rows).reshape(*tokens.shape, -1)


def weights_of(narrow: int, width: int, words: int, seed: int) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shapes = {"words": (words, narrow), "segments": (2, narrow), "positions": (8, narrow), "scale": (narrow,)}
    shapes |= {"shift": (narrow,), "widen": (width, narrow), "bias": (width,)}
    return {name: torch.randn(shape, generator=generator) for name, shape in shapes.items()}


@exercise("embed_input")
@for_all(
    narrow=integers(2, 5),
    width=integers(1, 6),
    length=integers(1, 8),
    batch=integers(1, 3),
    shift=integers(0, 10**6),
)
def test_any_tokens_are_embedded_one_by_one(
    student: Student, narrow: int, width: int, length: int, batch: int, shift: int
) -> None:
    weights = {name: one.double() for name, one in weights_of(narrow, width, 7, shift).items()}
    generator = torch.Generator().manual_seed(shift)
    tokens = torch.randint(0, 7, (batch, length), generator=generator)
    kinds = torch.randint(0, 2, (batch, length), generator=generator)
    close(student.embed_input(*weights.values(), tokens, kinds), embedded(**weights, tokens=tokens, kinds=kinds), atol=1e-5)


@exercise("embed_input", points=0.5)
def test_gradients_reach_every_table(student: Student) -> None:
    weights = {name: one.double() for name, one in weights_of(3, 4, 5, 2).items()}
    tokens, kinds = torch.tensor([[1, 4, 1, 0]]), torch.tensor([[0, 1, 1, 0]])
    given = "E = 3, H = 4, the tokens (1, 4, 1, 0), float64"
    close_gradients(student, "embed_input", embedded, weights, tokens, kinds, given=given)


@exercise("embed_input", points=0.5, needs="test_it_is_torchs_embeddings_normalised_and_then_widened")
def test_short_vectors_show_how_small_the_eps_is(student: Student) -> None:
    weights = weights_of(4, 3, 5, 4)
    weights |= {name: weights[name].double() * 1e-5 for name in ("words", "segments", "positions")}
    weights = {name: one.double() for name, one in weights.items()}
    tokens, kinds = torch.tensor([[1, 4]]), torch.tensor([[0, 1]])
    given = "embeddings of length 1e-5 in float64: an eps of 1e-5 would make nothing of them"
    close(student.embed_input(*weights.values(), tokens, kinds), embedded(**weights, tokens=tokens, kinds=kinds), given=given)


@exercise("embed_input", points=0.5, needs="test_it_is_torchs_embeddings_normalised_and_then_widened")
def test_vectors_far_from_zero_keep_their_variance(student: Student) -> None:
    zeros, scale, shift = torch.zeros(2, 4), torch.full((4,), 100.0), torch.zeros(4)
    words = torch.tensor([[0.0, 0.0, 0.0, 0.0], [10_001.0, 9_999.0, 10_001.0, 9_999.0]])
    widen = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0]])
    given = "the word (10001, 9999, 10001, 9999), which has the variance 1; scale 100, shift 0; widened to (a, b, a − b)"
    rest = (widen, torch.zeros(3), torch.tensor([[1]]), torch.tensor([[0]]))
    close(student.embed_input(words, zeros, zeros, scale, shift, *rest), [[[100.0, -100.0, 200.0]]], given=given)


@exercise("embed_input", points=0.5, needs="test_it_is_torchs_embeddings_normalised_and_then_widened")
def test_the_embedding_keeps_double_precision(student: Student) -> None:
    weights = {name: one.double() for name, one in weights_of(3, 4, 5, 6).items()}
    tokens, kinds = torch.tensor([[1, 4, 1]]), torch.tensor([[0, 1, 1]])
    expected = embedded(**weights, tokens=tokens, kinds=kinds)
    given = "E = 3, H = 4, the tokens (1, 4, 1), float64, to nine digits"
    close(student.embed_input(*weights.values(), tokens, kinds), expected, given=given, rtol=1e-9, atol=1e-9)


@exercise("embed_input", points=0.5, needs="test_it_is_torchs_embeddings_normalised_and_then_widened")
def test_an_axis_of_one_is_kept_and_a_text_may_be_long(student: Student) -> None:
    for narrow, width, batch, length in ((3, 2, 1, 8), (3, 2, 4, 1), (1, 3, 2, 2), (2, 1, 2, 3), (3, 2, 1, 1), (2, 3, 2, 600)):
        weights = {name: one.double() for name, one in weights_of(narrow, width, 7, 5).items()}
        weights["positions"] = torch.sin(torch.arange(max(8, length) * narrow).double() ** 2).reshape(-1, narrow)
        tokens, kinds = (torch.arange(batch * length).reshape(batch, length) * step % size for step, size in ((3, 7), (1, 2)))
        expected = embedded(**weights, tokens=tokens, kinds=kinds)
        given = f"E = {narrow}, H = {width}, {batch} texts of {length} tokens, {len(weights['positions'])} positions, float64"
        close(student.embed_input(*weights.values(), tokens, kinds), expected, given=given, atol=1e-5)


# owner
PARTS = {"attention": "attention", "attention_sum": "attention", "feed_forward": "feed_forward", "feed_forward_sum": "feed_forward"}


@exercise("owner")
@for_all(
    layer=integers(0, 130),
    part=sampled_from([*PARTS, ""]),
    rest=sampled_from(["0.weight", "2.bias", "norm.weight", "project_out.weight", "1.layers.1.weight", "10.bias"]),
    what=sampled_from(WHAT),
)
def test_any_name_has_the_owner_that_its_part_says(student: Student, layer: int, part: str, rest: str, what: str) -> None:
    name = f"layers.{layer}.{part}.{rest}" if part else f"pooler.{layer}.{rest}"
    mine = part and what in ("all", PARTS[part])
    equal(student.owner(name, what), f"layers.0.{part}.{rest}" if mine else name)


@exercise("owner")
def test_the_librarys_models_keep_as_many_tensors(student: Student) -> None:
    for what in WHAT:
        sizes = AlbertConfig(12, 2, 4, 12, 2, 8, max_position_embeddings=4)
        with torch.device("meta"):
            tensors = dict(Albert(AlbertConfig(**{**vars(sizes), "shared": what})).named_parameters(remove_duplicate=False))
        first = {id(tensor): name for name, tensor in reversed(tensors.items())}  # the first name of each tensor
        for name, tensor in tensors.items():
            given = f"the name {name} in the library's model with 12 layers, shared: {what}"
            equal(student.owner(name, what), first[id(tensor)], given=given)


@exercise("owner", points=0.5, needs="test_the_feed_forward_network_is_shared_alone")
def test_the_layers_number_alone_becomes_0(student: Student) -> None:
    for layer, rest in ((2, "feed_forward.2.weight"), (2, "feed_forward.2.bias"), (12, "feed_forward.12.weight")):
        given = f"the name layers.{layer}.{rest}, shared: feed_forward"
        equal(student.owner(f"layers.{layer}.{rest}", "feed_forward"), f"layers.0.{rest}", given=given)


@exercise("owner", points=0.5, needs="test_the_feed_forward_network_is_shared_alone")
def test_the_word_after_the_number_alone_says_whose_part_it_is(student: Student) -> None:
    for what, name, expected in (
        ("attention", "layers.3.feed_forward.attention.weight", "layers.3.feed_forward.attention.weight"),
        ("feed_forward", "layers.3.attention_sum.feed_forward.bias", "layers.3.attention_sum.feed_forward.bias"),
        ("feed_forward", "layers.14.feed_forward_sum.attention.bias", "layers.0.feed_forward_sum.attention.bias"),
        ("all", "head.layers.3.attention.project_in.weight", "head.layers.3.attention.project_in.weight"),
        ("all", "layers_norm.3.attention.weight", "layers_norm.3.attention.weight"),
        ("attention", "attention.3.weight", "attention.3.weight"),
        ("all", "layers.1000.attention.10.layers.7.weight", "layers.0.attention.10.layers.7.weight"),
    ):
        equal(student.owner(name, what), expected, given=f"the name {name}, shared: {what}")


# count_parameters
@exercise("count_parameters")
@for_all(
    words=integers(1, 50),
    narrow=integers(1, 9),
    width=integers(1, 9),
    layers=integers(1, 5),
    what=sampled_from(WHAT),
    examples=30,
)
def test_any_model_of_the_library_has_as_many(
    student: Student, words: int, narrow: int, width: int, layers: int, what: Any
) -> None:
    config = AlbertConfig(words, narrow, width, layers, 1, 4 * width, shared=what)
    with torch.device("meta"):
        expected = sum(one.numel() for one in Albert(config).parameters())
    equal(numbers([student.count_parameters(words, narrow, width, layers, what)]), [expected])


@exercise("count_parameters", points=0.5, needs="test_each_kind_of_sharing_counted_by_hand")
def test_billions_are_counted_to_the_digit(student: Student) -> None:
    config = AlbertConfig(30_001, 127, 4095, 13, 1, 4 * 4095, shared="none")
    with torch.device("meta"):
        expected = sum(one.numel() for one in Albert(config).parameters())
    true(expected > 2**31, "the model is not as large as it was")
    given = "V = 30,001, E = 127, H = 4,095, 13 layers, nothing shared"
    equal(numbers([student.count_parameters(30_001, 127, 4095, 13, "none")]), [expected], given=given)


# multiply_adds
@exercise("multiply_adds")
@for_all(narrow=integers(1, 6), width=integers(1, 6), layers=integers(1, 4), length=integers(1, 9), examples=30)
def test_any_model_multiplies_as_torch_counts(
    student: Student, narrow: int, width: int, layers: int, length: int
) -> None:
    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        x = torch.empty(length, narrow) @ torch.empty(narrow, width)
        for _ in range(layers):
            q, k, v = (x @ torch.empty(width, width) for _ in range(3))
            x = (q @ k.T) @ v @ torch.empty(width, width)
            x = x @ torch.empty(width, 4 * width) @ torch.empty(4 * width, width)
    equal(numbers([student.multiply_adds(narrow, width, layers, length)]), [counter.get_total_flops() // 2])


@exercise("multiply_adds", points=0.5, needs="test_every_layer_costs_the_same_and_the_map_is_used_once")
def test_twice_the_tokens_cost_more_than_twice(student: Student) -> None:
    given = "E = 4, H = 8, 2 layers, 512 tokens"
    expected = 512 * 32 + 2 * (12 * 512 * 64 + 2 * 512 * 512 * 8)
    equal(numbers([student.multiply_adds(4, 8, 2, 512)]), [expected], given=given)


@exercise("multiply_adds", points=0.5, needs="test_every_layer_costs_the_same_and_the_map_is_used_once")
def test_products_beyond_what_floats_hold_are_counted_to_the_digit(student: Student) -> None:
    size = 100_003  # odd, as is 1 + 11 · 14, so the last digit in base 2 is a 1
    given = f"E = H = N = {size:,}, 11 layers"
    equal(numbers([student.multiply_adds(size, size, 11, size)]), [155 * size**3], given=given)


# order_example
@exercise("order_example")
@for_all(
    document=lists(lists(integers(0, 5), max_size=3), min_size=2, max_size=6),
    cuts=lists(integers(0, 10**6), min_size=3, max_size=3),
    swap=booleans(),
)
def test_any_two_segments_stand_whole_and_side_by_side(
    student: Student, document: list[list[int]], cuts: list[int], swap: bool
) -> None:
    start = cuts[0] % (len(document) - 1)
    middle = start + 1 + cuts[1] % (len(document) - 1 - start)
    end = middle + 1 + cuts[2] % (len(document) - middle)
    found = student.order_example(document, start, middle, end, swap)
    true(len(found) == 3, "three values were expected: first, second, label", actual=found)
    first, second = [*chain(*document[start:middle])], [*chain(*document[middle:end])]
    equal([numbers(found[0]), numbers(found[1])], [second, first] if swap else [first, second])
    equal(numbers([found[2]]), [int(swap)])


@exercise("order_example", points=0.5, needs="test_exchanged_segments_keep_their_own_order")
def test_equal_segments_are_exchanged_as_others_are(student: Student) -> None:
    document = [["no"], ["a", "b"], ["c"], ["a", "b", "c"]]
    given = "the document no · a b · c · a b c, from sentence 1 over 3 to 4, exchanged: both segments are a b c"
    first, second, label = student.order_example(document, 1, 3, 4, True)
    equal([list(first), list(second), numbers([label])], [["a", "b", "c"], ["a", "b", "c"], [1]], given=given)


@exercise("order_example", points=0.5, needs="test_two_neighbours_in_their_order")
def test_segments_may_be_read_twice_and_hold_the_words_as_they_were(student: Student) -> None:
    given = "the document The CHEF · roasts · ß É, from sentence 0 over 2 to 3, not exchanged; each segment is read twice"
    first, second, _ = student.order_example([["The", "CHEF"], ["roasts"], ["ß", "É"]], 0, 2, 3, False)
    true(isinstance(first, list) and isinstance(second, list), "the two segments are lists", given=given)
    for _ in range(2):
        equal([first, second], [["The", "CHEF", "roasts"], ["ß", "É"]], given=given)
    given = "the document ['New York', ''] · [' a', 'e\u0301'] · ['a', 'a'], from sentence 0 over 1 to 3, exchanged"
    first, second, _ = student.order_example([["New York", ""], [" a", "e\u0301"], ["a", "a"]], 0, 1, 3, True)
    equal([first, second], [[" a", "e\u0301", "a", "a"], ["New York", ""]], given=given)


@exercise("order_example", points=0.5, needs="test_any_two_segments_stand_whole_and_side_by_side")
def test_many_sentences_and_long_ones_stay_whole(student: Student) -> None:
    document = [[20 * number + place for place in range(12)] for number in range(26)]
    first, second = ([word for sentence in part for word in sentence] for part in (document[1:13], document[13:25]))
    given = "26 sentences of twelve ids; from 1 to 13 and to 25, "
    for swap, words in ((False, "in their order"), (True, "exchanged")):
        a, b, label = student.order_example(document, 1, 13, 25, swap)
        expected = [second, first, 1] if swap else [first, second, 0]
        equal([numbers(a), numbers(b), int(label)], expected, given=given + words)


# overlap
@exercise("overlap")
@for_all(first=inputs.sentences(), second=inputs.sentences())
def test_any_segments_share_what_a_count_says(student: Student, first: list[str], second: list[str]) -> None:
    union = list(dict.fromkeys(first + second))
    both = [word for word in union if word in first and word in second]
    close(float(student.overlap(first, second)), len(both) / len(union) if union else 0.0)


@exercise("overlap", points=0.5, needs="test_two_of_five_words_are_in_both")
def test_ids_count_as_words_do(student: Student) -> None:
    close(float(student.overlap([7, 0, 7, 3], [0, 9])), 1 / 4, given="the ids (7, 0, 7, 3) and (0, 9)")


@exercise("overlap", points=0.5, needs="test_two_of_five_words_are_in_both")
def test_nothing_is_added_above_or_below_the_line(student: Student) -> None:
    # Halves and quarters are exact in every float.
    for first, second, expected in ((["a"], ["a"], 1.0), (["a"], ["a", "b"], 0.5), (["a", "b", "c"], ["c", "d"], 0.25)):
        given = f"the words ({', '.join(first)}) and ({', '.join(second)}), to the last digit"
        equal(float(student.overlap(first, second)), expected, given=given)


@exercise("overlap", points=0.5, needs="test_two_of_five_words_are_in_both")
def test_words_are_compared_whole_and_by_what_they_are(student: Student) -> None:
    close(float(student.overlap(["a.", "b"], ["a", "b"])), 1 / 3, given="the words (a., b) and (a, b)")
    given = "the words (Việt Nam) and (Việt, Nam): the first is one word with a blank in it"
    close(float(student.overlap(["Việt Nam"], ["Việt", "Nam"])), 0.0, given=given)
    given = "the words (nowhere, 1000) and (1000, nowhere), made apart"
    apart = ["".join(("now", "here")), int("1000")]
    close(float(student.overlap(apart, [int("1000"), "".join(("no", "where"))])), 1.0, given=given)


@exercise("overlap", points=0.5, needs="test_two_of_five_words_are_in_both")
def test_long_segments_are_counted_whole_and_nothing_is_rounded(student: Student) -> None:
    given = "the ids 0 to 1999 and 1500 to 3499"
    close(float(student.overlap(list(range(2000)), list(range(1500, 3500)))), 1 / 7, given=given, rtol=1e-6)
    given = "the ids 0 to 1200 and the id 1200"
    close(float(student.overlap(list(range(1201)), [1200])), 1 / 1201, given=given, rtol=1e-6, atol=0)
    words = ["a", "A", "a ", "", "é", "e\u0301"]
    close(float(student.overlap(words, ["a", "b"])), 1 / 7, given=f"the words {words} and (a, b)", rtol=1e-6)
    close(float(student.overlap(["", "a"], [""])), 1 / 2, given="the words ('', a) and ('')", rtol=1e-6)


# albert_loss
TENSORS = ("hidden", "narrow", "narrow_bias", "scale", "shift", "words", "bias")


def loss_weights(narrow: int, width: int, words: int, batch: int, length: int, seed: int) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shapes = [(batch, length, width), (narrow, width), (narrow,), (narrow,), (narrow,), (words, narrow), (words,)]
    return {name: torch.randn(shape, generator=generator) for name, shape in zip(TENSORS, shapes, strict=True)}


def loss_of(hidden: Tensor, narrow: Tensor, narrow_bias: Tensor, scale: Tensor, shift: Tensor, words: Tensor, bias: Tensor,
            labels: Tensor, order_logits: Tensor, swapped: Tensor) -> Tensor:  # fmt: skip
    """Place by place, each logarithm written out."""
    tokens = []
    for row, place in (labels != NOT).nonzero().tolist():
        x = narrow @ hidden[row, place] + narrow_bias
        x = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        x = (x - x.mean()) / (x.var(correction=0) + 1e-12).sqrt() * scale + shift
        logits = words @ x + bias
        tokens.append(logits.logsumexp(dim=0) - logits[labels[row, place]])
    orders = [row.logsumexp(dim=0) - row[label] for row, label in zip(order_logits, swapped.tolist(), strict=True)]
    return torch.stack(tokens).mean() + torch.stack(orders).mean()


@exercise("albert_loss")
@for_all(
    narrow=integers(3, 5),
    width=integers(1, 5),
    batch=integers(1, 3),
    length=integers(1, 5),
    shift=integers(0, 10**6),
)
def test_any_batch_costs_what_its_places_cost_one_by_one(
    student: Student, narrow: int, width: int, batch: int, length: int, shift: int
) -> None:
    generator = torch.Generator().manual_seed(shift)
    weights = {name: one.double() for name, one in loss_weights(narrow, width, 6, batch, length, shift).items()}
    labels = torch.randint(0, 6, (batch, length), generator=generator)
    hide = torch.rand(batch, length, generator=generator) < 0.5
    hide[0, 0] = False  # one is asked for at least
    labels = labels.masked_fill(hide, NOT)
    logits = torch.randint(-16, 17, (batch, 2), generator=generator).double() / 8
    swapped = torch.randint(0, 2, (batch,), generator=generator)
    expected = loss_of(**weights, labels=labels, order_logits=logits, swapped=swapped)
    close(student.albert_loss(*weights.values(), labels, logits, swapped), expected, atol=1e-5)


@exercise("albert_loss")
def test_gradients_reach_hidden_vectors_the_table_and_the_order(student: Student) -> None:
    weights = {name: one.double() for name, one in loss_weights(3, 4, 5, 2, 3, 8).items()}
    labels, swapped = torch.tensor([[NOT, 4, 0], [NOT, NOT, 2]]), torch.tensor([1, 0])
    logits = torch.tensor([[0.5, -0.25], [1.0, 0.0]], dtype=torch.float64)

    given = "H = 4, E = 3, V = 5, three hidden tokens, float64"
    close_gradients(student, "albert_loss", loss_of, weights, labels, logits, swapped, given=given)
    logits.requires_grad_()
    expected = torch.autograd.grad(functional.cross_entropy(logits, swapped), logits)[0]
    found = student.gradients("albert_loss", *weights.values(), labels, logits, swapped)
    where = f"{given}; the gradient for order_logits"
    true(found[-1] is not None, "the loss knows nothing of order_logits, so the order cannot be trained", given=where)
    close(found[-1], expected, given=where)


@exercise("albert_loss", points=0.5, needs="test_hidden_tokens_are_scored_by_the_narrow_table")
def test_huge_scores_cost_no_infinity(student: Student) -> None:
    weights = loss_weights(3, 4, 5, 1, 2, 9)
    weights["words"] = weights["words"] * 1e4
    labels, logits = torch.tensor([[1, 3]]), torch.tensor([[300.0, -300.0]])
    doubles = {name: one.double() for name, one in weights.items()}
    expected = loss_of(**doubles, labels=labels, order_logits=logits.double(), swapped=torch.tensor([1]))
    found = student.albert_loss(*weights.values(), labels, logits, torch.tensor([1]))
    close(found, expected.float(), given="scores of tens of thousands; orders with the logits (300, −300)", rtol=1e-3)


@exercise("albert_loss", points=0.5, needs="test_hidden_tokens_are_scored_by_the_narrow_table")
def test_every_id_may_be_hidden(student: Student) -> None:
    weights, labels = loss_weights(3, 4, 130, 2, 3, 10), torch.tensor([[0, 100, 129], [NOT, 99, 101]])
    logits, swapped = torch.zeros(2, 2), torch.tensor([0, 0])
    expected = loss_of(**weights, labels=labels, order_logits=logits, swapped=swapped)
    found = student.albert_loss(*weights.values(), labels, logits, swapped)
    close(found, expected, given="V = 130, the labels (0, 100, 129) and (−100, 99, 101)", rtol=1e-3)


@exercise("albert_loss", points=0.5, needs="test_hidden_tokens_are_scored_by_the_narrow_table")
def test_short_vectors_show_how_small_the_eps_is_here(student: Student) -> None:
    weights = {name: one.double() for name, one in loss_weights(4, 5, 6, 1, 2, 11).items()}
    weights["narrow"], weights["narrow_bias"] = weights["narrow"] * 1e-6, weights["narrow_bias"] * 1e-6
    labels, logits, swapped = torch.tensor([[1, 5]]), torch.zeros(1, 2, dtype=torch.float64), torch.tensor([1])
    given = "narrow vectors of length 1e-6 in float64: eps is 1e-12"
    expected = loss_of(**weights, labels=labels, order_logits=logits, swapped=swapped)
    close(student.albert_loss(*weights.values(), labels, logits, swapped), expected, given=given)


@exercise("albert_loss", points=0.5, needs="test_hidden_tokens_are_scored_by_the_narrow_table")
def test_the_loss_keeps_double_precision(student: Student) -> None:
    weights = {name: one.double() for name, one in loss_weights(3, 4, 5, 2, 3, 12).items()}
    labels, swapped = torch.tensor([[NOT, 4, 0], [NOT, NOT, 2]]), torch.tensor([1, 0])
    logits = torch.tensor([[0.5, -0.25], [1.0, 0.0]], dtype=torch.float64)
    expected = loss_of(**weights, labels=labels, order_logits=logits, swapped=swapped)
    given = "H = 4, E = 3, V = 5, three hidden tokens, float64, to ten digits"
    close(student.albert_loss(*weights.values(), labels, logits, swapped), expected, given=given, rtol=1e-10, atol=0)


@exercise("albert_loss", points=0.5, needs="test_hidden_tokens_are_scored_by_the_narrow_table")
def test_narrow_vectors_far_from_zero_keep_their_variance(student: Student) -> None:
    far, one = torch.tensor([10_001.0, 9_999.0, 10_001.0, 9_999.0]), torch.ones(4)
    words = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    weights = (torch.ones(1, 1, 3), torch.zeros(4, 3), far, one, 0 * one, words, torch.zeros(2))
    found = student.albert_loss(*weights, torch.tensor([[0]]), torch.zeros(1, 2), torch.tensor([0]))
    given = "the narrow vector (10001, 9999, 10001, 9999), the words (1, 0, 0, 0) and 0; the first is right; order logits 0"
    close(found, math.log(1 + math.exp(-1)) + math.log(2), given=given)


@exercise("albert_loss", points=0.5, needs="test_the_two_means_are_added")
def test_each_order_is_judged_by_its_own_two_logits(student: Student) -> None:
    weights = loss_weights(3, 4, 8, 3, 1, 13) | {"words": torch.zeros(8, 3), "bias": torch.zeros(8)}
    logits = torch.tensor([[500.0, 500.0], [-500.0, -500.0], [1000.0, 500.0]])
    found = student.albert_loss(*weights.values(), torch.tensor([[1], [NOT], [NOT]]), logits, torch.tensor([0, 1, 1]))
    given = "one token at ln 8; the order logits (500, 500), (−500, −500), (1000, 500), of which 0, 1, 1 are right"
    close(found, math.log(8) + (2 * math.log(2) + 500) / 3, given=given)


@exercise("albert_loss", points=0.5, needs="test_hidden_tokens_are_scored_by_the_narrow_table")
def test_one_text_and_one_token_and_narrow_widths_cost_their_price(student: Student) -> None:
    for narrow, width, batch, length in ((3, 2, 1, 1), (1, 3, 2, 2), (2, 1, 3, 2), (3, 2, 4, 1), (2, 2, 1, 40)):
        weights = {name: one.double() for name, one in loss_weights(narrow, width, 6, batch, length, 14).items()}
        labels = torch.where(torch.arange(batch * length) % 3 == 0, 5, NOT).reshape(batch, length)
        logits, swapped = torch.sin(torch.arange(2.0 * batch)).double().reshape(batch, 2), torch.arange(batch) % 2
        expected = loss_of(**weights, labels=labels, order_logits=logits, swapped=swapped)
        given = f"E = {narrow}, H = {width}, V = 6, {batch} texts of {length} tokens, every third one hidden"
        close(student.albert_loss(*weights.values(), labels, logits, swapped), expected, given=given, atol=1e-5)


# metrics
BEYOND = 50_000  # added to the run's seed: other text than the notebook's
TEXT = 60_000  # words
PAIRS = 600
WIDTHS = (48, 128)
TIMES_OF = ({"yesterday", "last", "ago", "had"}, {"now", "every", "always", "is"}, {"tomorrow", "next", "soon", "will"})
Documents = list[tuple[str, list[list[str]]]]  # topic, sentences of words
Pairs = list[tuple[list[str], list[str], int]]  # first, second, label


@functools.cache
def _tokenizer() -> WordPiece:
    return pretrained.load("world-en-no-nsp").tokenizer


def _diaries(seed: int) -> Documents:
    """One sentence for each time, past, present, future, of documents with two or three of them."""
    found = []
    for document in World("en", seed).documents(TEXT):
        by_time: dict[int, list[str]] = {}
        for sentence in document.sentences:
            words = sentence.tokens()
            times = [time for time in (0, 2, 1) if TIMES_OF[time].intersection(words)]
            if times and document.topic not in ("nation", "people") and words[0] not in ("you", "it"):
                by_time.setdefault(times[0], words)
        if len(by_time) > 1:
            found.append((document.topic, [words for _, words in sorted(by_time.items())]))
    return found


def _pairs(documents: Documents, task: str, seed: int, count: int, longest: int = 1) -> Pairs:
    """Pairs of one task, half of them false in the mean; of order each in both orders."""
    chance = random.Random(f"{task} {seed}")
    found: Pairs = []
    while len(found) < count:
        topic, document = chance.choice(documents)
        cut = chance.randrange(1, len(document))
        first = [word for sentence in document[max(0, cut - longest) : cut] for word in sentence]
        second = [word for sentence in document[cut : cut + longest] for word in sentence]
        if task == "order":
            found += [(first, second, 0), (second, first, 1)]
        elif chance.random() < 0.5:
            found.append((first, second, 0))
        else:  # the text of another document at the same place; as many false pairs as true ones, whatever the topic
            others = [
                other
                for other_topic, other in documents
                if other is not document and len(other) > cut and (task == "next" or other_topic == topic)
            ]
            false = chance.choice(others)[cut : cut + longest]
            found.append((first, [word for sentence in false for word in sentence], 1))
    return found


def _rows(pairs: Pairs) -> tuple[Tensor, Tensor, Tensor]:
    """[CLS] first [SEP] second [SEP], padded: tokens and segments (B, N), labels (B,)."""
    tokenizer = _tokenizer()
    begin, end = tokenizer.index["[CLS]"], tokenizer.index["[SEP]"]
    rows = []
    for first, second, _ in pairs:
        one, other = (
            [tokenizer.index[piece] for word in words for piece in tokenizer.tokenize(word)]
            for words in (first, second)
        )
        rows.append(([begin, *one, end], [*other, end]))
    tokens = torch.zeros(len(rows), max(len(one) + len(other) for one, other in rows), dtype=torch.long)  # (B, N)
    segments = torch.zeros_like(tokens)
    for row, (one, other) in enumerate(rows):
        tokens[row, : len(one) + len(other)] = torch.tensor(one + other)
        segments[row, len(one) : len(one) + len(other)] = 1
    return tokens, segments, torch.tensor([label for *_, label in pairs])


def _filled(model: nn.Module, numbers: Tensor, name: str) -> Any:
    expected = sum(parameter.numel() for parameter in model.parameters())
    if numbers.numel() != expected:
        raise BadArtifact(f"{name!r} holds {numbers.numel()} numbers, and the model has {expected} parameters")
    vector_to_parameters(numbers.float(), model.parameters())
    return model.eval()


@torch.no_grad()
def _price(artifacts: Artifacts, name: str, shared: Any) -> float:
    """Nats for a hidden token of text that the notebook has not chosen."""
    numbers, vocabulary = artifacts.tensor(name, ndim=1), Vocabulary(_tokenizer())
    for width in WIDTHS:
        config = AlbertConfig(vocabulary.size, width, width, 2, 4, 4 * width, max_position_embeddings=64, shared=shared)
        model: Any = AlbertForPretraining(config)
        if sum(parameter.numel() for parameter in model.parameters()) == len(numbers):
            break
    model = _filled(model, numbers, name)
    tokens, segments, _ = _rows(_pairs(_diaries(artifacts.seed + BEYOND), "next", artifacts.seed, PAIRS))
    generator = torch.Generator().manual_seed(artifacts.seed)
    read, labels = mask_tokens(tokens, vocabulary, Masking(rate=0.3), generator)
    hidden = model.albert(read, segments)[labels != NOT]  # (M, H)
    return float(functional.cross_entropy(model.token_logits(hidden), labels[labels != NOT]))


@metric("all_shared_cost")
def all_shared_cost(artifacts: Artifacts) -> float:
    return _price(artifacts, "all_shared", "all") - _price(artifacts, "nothing_shared", "none")


@torch.no_grad()
def _right(artifacts: Artifacts, judge: int, task: str) -> float:
    """The share of pairs that a recorded model tells: 0, the one of next sentences; 1, the one of order."""
    numbers = artifacts.tensor("judges", ndim=2)
    if len(numbers) != 2:
        raise BadArtifact(f"the tensor 'judges' has {len(numbers)} rows, expected 2: next and order")
    model = _filled(BertClassifier(pretrained.load("world-en-no-nsp").model.bert, 2), numbers[judge], "judges")
    tokens, segments, labels = _rows(_pairs(_diaries(artifacts.seed + BEYOND), task, artifacts.seed, PAIRS))
    return float((model.logits(tokens, segments).argmax(dim=-1) == labels).float().mean())


@metric("order_gap")
def order_gap(artifacts: Artifacts) -> float:
    return _right(artifacts, 1, "order") - _right(artifacts, 0, "order")


@metric("next_gap")
def next_gap(artifacts: Artifacts) -> float:
    return _right(artifacts, 0, "next") - _right(artifacts, 1, "next")


@metric("matched_drop")
def matched_drop(artifacts: Artifacts) -> float:
    return _right(artifacts, 0, "next") - _right(artifacts, 0, "matched")


@metric("overlap_gap")
def overlap_gap(artifacts: Artifacts, student: Student) -> float:
    """The area under the curve of the student's overlap, for next sentences minus for order."""
    documents = [
        (document.topic, [sentence.tokens() for sentence in document.sentences])
        for document in World("en", artifacts.seed + BEYOND).documents(20_000)
    ]
    areas = []
    for task in ("next", "order"):
        pairs = _pairs(documents, task, artifacts.seed, PAIRS, longest=4)
        scores = [float(student.overlap(first, second)) for first, second, _ in pairs]
        areas.append(float(roc_auc_score([1 - label for *_, label in pairs], scores)))
    return areas[0] - areas[1]
