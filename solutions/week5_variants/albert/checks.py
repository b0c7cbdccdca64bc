"""albert: the public checks. Expected values come from hand counts, closed forms, and torch on shapes."""

import math
from typing import Any

import torch
from torch.nn import functional

from etude.lesson.checks import Mismatch, claim, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain

NOT = -100  # the label that no loss asks for


def numbers(value: Any, given: str) -> list[int]:
    """Whole numbers of the student's in a row, whatever holds them."""
    try:
        found = [plain(one.item() if hasattr(one, "item") else one) for one in value]
    except TypeError:
        raise Mismatch("a row of whole numbers was expected", given=given, actual=value) from None
    true(all(type(one) is int for one in found), "whole numbers were expected", given=given, actual=found)
    return found


def number(value: Any, given: str) -> int:
    """A whole number of the student's, whatever holds it."""
    return numbers([value], given)[0]


# embedding_sizes
@exercise("embedding_sizes")
def test_500_words_of_width_100_are_50000_numbers_and_9000_by_a_width_of_15(student: Student) -> None:
    given = "V = 500, H = 100, E = 15"
    equal(numbers(student.embedding_sizes(500, 100, 15), given)[:2], [50_000, 9_000], given=given)


@exercise("embedding_sizes")
def test_the_published_table_holds_3938304_numbers_of_23040000(student: Student) -> None:
    given = "V = 30,000, H = 768, E = 128"
    equal(numbers(student.embedding_sizes(30_000, 768, 128), given)[:2], [23_040_000, 3_938_304], given=given)


@exercise("embedding_sizes")
def test_the_widest_that_pays_is_just_below_the_break_even(student: Student) -> None:
    # 83 · 600 = 49,800 < 50,000 < 84 · 600; 2 · 9 = 18 is no fewer than 6 · 3.
    given = "V = 500, H = 100, E = 15"
    equal(numbers(student.embedding_sizes(500, 100, 15), given)[2], 83, given=f"{given}: the widest")
    given = "V = 6, H = 3, E = 1: E = 2 has 18 numbers, as many as the whole table"
    equal(numbers(student.embedding_sizes(6, 3, 1), given)[2], 1, given=f"{given}: the widest")


# factorise
def factors(student: Student, table: torch.Tensor, narrow: int, given: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The student's two factors, of the right shapes."""
    found = student.factorise(table, narrow)
    try:
        one, other = (torch.as_tensor(part).double() for part in found)
    except (TypeError, ValueError, RuntimeError):
        raise Mismatch("two tensors were expected", given=given, actual=found) from None
    shapes = [list(one.shape), list(other.shape)]
    equal(shapes, [[table.shape[0], narrow], [narrow, table.shape[1]]], given=f"{given}: the shapes of the two factors")
    return one, other


@exercise("factorise")
def test_a_table_of_rank_two_is_given_back_by_two_columns(student: Student) -> None:
    table = torch.tensor([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [1.0, 3.0, 1.0, 1.0], [2.0, 5.0, 1.0, 2.0], [0.0, 2.0, 2.0, 0.0]])
    given = "a table 5 × 4 of which three rows are sums of the other two, E = 2: the product of the factors"
    one, other = factors(student, table, 2, given)
    close(one @ other, table, given=given, atol=1e-4)


@exercise("factorise")
def test_what_is_kept_is_what_is_longest(student: Student) -> None:
    table = torch.diag(torch.tensor([1.0, 4.0, 2.0, 3.0]))
    given = "a table with 1, 4, 2, 3 on its diagonal and E = 2: the product of the factors"
    one, other = factors(student, table, 2, given)
    close(one @ other, torch.diag(torch.tensor([0.0, 4.0, 0.0, 3.0])), given=given, atol=1e-4)


@exercise("factorise", points=0.5)
def test_nothing_is_lost_at_full_width(student: Student) -> None:
    table = torch.tensor([[3.0, -1.0], [0.5, 2.0], [-2.0, 1.0]])
    given = "a table 3 × 2, E = 2: the product of the factors"
    one, other = factors(student, table, 2, given)
    close(one @ other, table, given=given, atol=1e-4)


# embed_input
def parts(words: int, narrow: int, width: int, places: int = 6) -> dict[str, torch.Tensor]:
    """Weights of an embedding layer, drawn the same each time."""
    generator = torch.Generator().manual_seed(3)
    shapes = {"words": (words, narrow), "segments": (2, narrow), "positions": (places, narrow), "scale": (narrow,)}
    shapes |= {"shift": (narrow,), "widen": (width, narrow), "bias": (width,)}
    return {name: torch.randn(shape, generator=generator) for name, shape in shapes.items()}


def embedded(weights: dict[str, torch.Tensor], tokens: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
    """torch's modules, in the order of the paper's Figure and code."""
    summed = functional.embedding(tokens, weights["words"]) + functional.embedding(kinds, weights["segments"])
    summed = summed + weights["positions"][None, : tokens.size(1)]
    norm = torch.nn.LayerNorm(summed.size(-1), eps=1e-12, dtype=summed.dtype)
    norm.load_state_dict({"weight": weights["scale"], "bias": weights["shift"]})
    linear = torch.nn.Linear(summed.size(-1), len(weights["bias"]), dtype=summed.dtype)
    linear.load_state_dict({"weight": weights["widen"], "bias": weights["bias"]})
    with torch.no_grad():
        wide: torch.Tensor = linear(norm(summed))
    return wide


@exercise("embed_input")
def test_it_is_torchs_embeddings_normalised_and_then_widened(student: Student) -> None:
    weights = parts(9, 4, 7)
    tokens, kinds = torch.tensor([[2, 5, 8], [3, 0, 0]]), torch.tensor([[0, 0, 1], [0, 1, 1]])
    given = "V = 9, E = 4, H = 7, the tokens (2, 5, 8) and (3, 0, 0)"
    close(student.embed_input(*weights.values(), tokens, kinds), embedded(weights, tokens, kinds), given=given, atol=1e-5)


@exercise("embed_input")
def test_layernorm_runs_over_the_narrow_vector(student: Student) -> None:
    # (1, 3) becomes (−1, 1), which the widening copies three times: a LayerNorm over H would give other numbers.
    zeros = torch.zeros(2, 2)
    tables = (torch.tensor([[0.0, 0.0], [1.0, 3.0]]), zeros, zeros, torch.ones(2), torch.zeros(2))
    widen = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    found = student.embed_input(*tables, widen, torch.tensor([0.0, 0.0, 5.0]), torch.tensor([[1]]), torch.tensor([[0]]))
    close(found, [[[-1.0, 1.0, 3.0]]], given="the word (1, 3), nothing else, widened to (a, b, 2a + 5)", atol=1e-5)


@exercise("embed_input", points=0.5, needs="test_it_is_torchs_embeddings_normalised_and_then_widened")
def test_places_count_from_the_left_and_may_be_fewer_than_there_are(student: Student) -> None:
    weights = parts(5, 3, 4)
    tokens, kinds = torch.tensor([[4, 4, 4, 4, 4]]), torch.zeros(1, 5, dtype=torch.long)
    given = "one word five times, 6 positions, a batch of one"
    close(student.embed_input(*weights.values(), tokens, kinds), embedded(weights, tokens, kinds), given=given, atol=1e-5)


# owner
NAMES = {  # of layer 7, and whose part it is
    "attention.project_in.weight": "attention",
    "attention.project_in.bias": "attention",
    "attention.project_out.weight": "attention",
    "attention_sum.norm.weight": "attention",
    "feed_forward.0.weight": "feed_forward",
    "feed_forward.2.bias": "feed_forward",
    "feed_forward_sum.norm.bias": "feed_forward",
}


def owned(student: Student, what: str, layer: int = 7) -> None:
    for rest, part in NAMES.items():
        mine = 0 if what in ("all", part) else layer
        name = f"layers.{layer}.{rest}"
        equal(student.owner(name, what), f"layers.{mine}.{rest}", given=f"the name {name}, shared: {what}")


@exercise("owner")
def test_all_belongs_to_layer_0_in_albert(student: Student) -> None:
    owned(student, "all")


@exercise("owner")
def test_the_output_projection_is_shared_with_attention(student: Student) -> None:
    owned(student, "attention")


@exercise("owner")
def test_the_feed_forward_network_is_shared_alone(student: Student) -> None:
    owned(student, "feed_forward")


@exercise("owner", points=0.5, needs="test_all_belongs_to_layer_0_in_albert")
def test_without_sharing_each_layer_has_its_own(student: Student) -> None:
    owned(student, "none")


@exercise("owner", points=0.5, needs="test_all_belongs_to_layer_0_in_albert")
def test_what_is_in_no_layer_is_never_shared(student: Student) -> None:
    for name in ("input.tokens.weight", "input.norm.bias", "widen.weight", "pooler.bias"):
        equal(student.owner(name, "all"), name, given=f"the name {name}, shared: all")


@exercise("owner", points=0.5, needs="test_all_belongs_to_layer_0_in_albert")
def test_layers_may_have_two_digits(student: Student) -> None:
    owned(student, "all", layer=11)
    owned(student, "attention", layer=20)


# count_parameters
@exercise("count_parameters")
def test_the_printed_base_model_has_11683584(student: Student) -> None:
    given = "V = 30,000, E = 128, H = 768, 12 layers, all shared"
    equal(number(student.count_parameters(30_000, 128, 768, 12, "all"), given), 11_683_584, given=given)


@exercise("count_parameters")
def test_the_larger_models_have_17683968_and_58724864_and_222595584(student: Student) -> None:
    for width, layers, count in ((1024, 24, 17_683_968), (2048, 24, 58_724_864), (4096, 12, 222_595_584)):
        given = f"V = 30,000, E = 128, H = {width:,}, {layers} layers, all shared"
        equal(number(student.count_parameters(30_000, 128, width, layers, "all"), given), count, given=given)


@exercise("count_parameters")
def test_each_kind_of_sharing_counted_by_hand(student: Student) -> None:
    # V = 1, E = 1, H = 1: tables 515, LayerNorm 2, map 2, pooler 2: 521. Attention 4 · 2 + 2 = 10; feed-forward 8 + 5 + 2 = 15.
    for what, count in {"none": 521 + 75, "attention": 521 + 55, "feed_forward": 521 + 45, "all": 521 + 25}.items():
        given = f"V = 1, E = 1, H = 1, 3 layers, shared: {what}"
        equal(number(student.count_parameters(1, 1, 1, 3, what), given), count, given=given)


# multiply_adds
@exercise("multiply_adds")
def test_one_layer_on_one_token_counted_by_hand(student: Student) -> None:
    # widen 2 · 3; four projections 4 · 9; scores and values 3 each; feed-forward 3 · 12 twice.
    given = "E = 2, H = 3, one layer, one token"
    equal(number(student.multiply_adds(2, 3, 1, 1), given), 6 + 36 + 6 + 72, given=given)


@claim("albert-faster")
@exercise("multiply_adds")
def test_the_xxlarge_model_multiplies_some_eight_times_as_much_as_bert_large(student: Student) -> None:
    # 128 tokens. BERT-large: 24 layers of width 1,024 and no map. Counted product by product.
    def products(narrow: int, width: int, layers: int) -> int:
        each = [(128, width, width)] * 4 + [(128, width, 128)] + [(128, 128, width)]
        each += [(128, width, 4 * width), (128, 4 * width, width)]
        return 128 * narrow * width + layers * sum(math.prod(shape) for shape in each)

    large, xxlarge = products(0, 1024, 24), products(128, 4096, 12)
    true(7.5 < xxlarge / large < 8, "BERT-large and ALBERT xxlarge are not what they were")
    for width, layers, count in ((1024, 24, products(128, 1024, 24)), (4096, 12, xxlarge)):
        given = f"E = 128, H = {width:,}, {layers} layers, 128 tokens"
        equal(number(student.multiply_adds(128, width, layers, 128), given), count, given=given)


@exercise("multiply_adds")
def test_every_layer_costs_the_same_and_the_map_is_used_once(student: Student) -> None:
    # H = 4, N = 5: a layer costs 4 · 80 + 2 · 100 + 2 · 320 = 1,160, the map with E = 2 costs 40.
    for layers in (0, 1, 7):
        given = f"E = 2, H = 4, {layers} layers, 5 tokens"
        equal(number(student.multiply_adds(2, 4, layers, 5), given), 40 + 1_160 * layers, given=given)


# order_example
DOCUMENT = [["a", "b"], ["c"], ["d", "e"], ["f"], ["g", "h"]]


def example(student: Student, start: int, middle: int, end: int, swap: bool, given: str) -> tuple[list[str], list[str], int]:
    found = student.order_example([list(sentence) for sentence in DOCUMENT], start, middle, end, swap)
    try:
        first, second, label = found
        return list(first), list(second), number(label, given)
    except (TypeError, ValueError):
        raise Mismatch("three values were expected: first, second, label", given=given, actual=found) from None


TEXT = "the document a b · c · d e · f · g h"


@exercise("order_example")
def test_two_neighbours_in_their_order(student: Student) -> None:
    given = f"{TEXT}, from sentence 1 over 2 to 3, not exchanged"
    equal(example(student, 1, 2, 3, False, given), (["c"], ["d", "e"], 0), given=given)


@exercise("order_example")
def test_exchanged_segments_keep_their_own_order(student: Student) -> None:
    given = f"{TEXT}, from sentence 0 over 2 to 4, exchanged"
    equal(example(student, 0, 2, 4, True, given), (["d", "e", "f"], ["a", "b", "c"], 1), given=given)


@exercise("order_example")
def test_a_segment_may_be_several_sentences_long_and_the_text_goes_on_after_it(student: Student) -> None:
    given = f"{TEXT}, from sentence 0 over 3 to 4, not exchanged"
    equal(example(student, 0, 3, 4, False, given), (["a", "b", "c", "d", "e"], ["f"], 0), given=given)


# overlap
@exercise("overlap")
def test_two_of_five_words_are_in_both(student: Student) -> None:
    given = "the words (now, the, chef) and (the, chef, will, roast)"
    close(student.overlap(["now", "the", "chef"], ["the", "chef", "will", "roast"]), 2 / 5, given=given)


@exercise("overlap")
def test_a_word_counts_once_however_often_it_stands_there(student: Student) -> None:
    given = "the words (눈, 눈, 눈, 배) and (눈, 하루, 하루)"
    close(student.overlap(["눈", "눈", "눈", "배"], ["눈", "하루", "하루"]), 1 / 3, given=given)


@exercise("overlap", needs="test_two_of_five_words_are_in_both")
def test_the_same_words_in_another_order_overlap_wholly(student: Student) -> None:
    given = "the words (a, b, c) and (c, a, b)"
    close(student.overlap(["a", "b", "c"], ["c", "a", "b"]), 1.0, given=given)


@exercise("overlap", points=0.5, needs="test_two_of_five_words_are_in_both")
def test_empty_segments_share_nothing(student: Student) -> None:
    close(student.overlap([], []), 0.0, given="two empty segments")
    close(student.overlap(["a"], []), 0.0, given="the word (a) and an empty segment")
    close(student.overlap([], [1, 2]), 0.0, given="an empty segment and the ids (1, 2)")


# albert_loss
def loss_parts(narrow: int, width: int, words: int, batch: int, length: int) -> dict[str, torch.Tensor]:
    """What albert_loss is given, but for labels, drawn the same each time."""
    generator = torch.Generator().manual_seed(5)
    shapes = {"hidden": (batch, length, width), "narrow": (narrow, width), "narrow_bias": (narrow,), "scale": (narrow,)}
    shapes |= {"shift": (narrow,), "words": (words, narrow), "bias": (words,)}
    return {name: torch.randn(shape, generator=generator) for name, shape in shapes.items()}


def token_loss(weights: dict[str, torch.Tensor], labels: torch.Tensor) -> torch.Tensor:
    """Place by place: the mean of −log p over those that are asked."""
    costs = []
    for row, place in (labels != NOT).nonzero().tolist():
        x = weights["narrow"] @ weights["hidden"][row, place] + weights["narrow_bias"]  # (E,)
        x = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        x = (x - x.mean()) / (x.var(correction=0) + 1e-12).sqrt() * weights["scale"] + weights["shift"]
        logits = weights["words"] @ x + weights["bias"]  # (V,)
        costs.append(logits.logsumexp(dim=0) - logits[labels[row, place]])
    return torch.stack(costs).mean()


EQUAL = torch.zeros(2, 2)  # order logits that say nothing: ln 2 each


@exercise("albert_loss")
def test_who_knows_nothing_pays_ln_v_for_a_token_and_ln_2_for_an_order(student: Student) -> None:
    weights = loss_parts(3, 4, 8, 2, 3)
    weights |= {"words": torch.zeros(8, 3), "bias": torch.zeros(8)}
    labels = torch.tensor([[NOT, 5, NOT], [1, NOT, 7]])
    found = student.albert_loss(*weights.values(), labels, EQUAL, torch.tensor([0, 1]))
    close(found, math.log(8) + math.log(2), given="scores that are all 0, V = 8, three hidden tokens, two orders")


@exercise("albert_loss")
def test_hidden_tokens_are_scored_by_the_narrow_table(student: Student) -> None:
    weights, labels = loss_parts(3, 5, 6, 2, 4), torch.tensor([[NOT, 0, NOT, 4], [NOT, NOT, 2, NOT]])
    found = student.albert_loss(*weights.values(), labels, EQUAL, torch.tensor([1, 1]))
    given = "H = 5, E = 3, V = 6, three hidden tokens, order logits that are all 0"
    close(found, token_loss(weights, labels) + math.log(2), given=given, atol=1e-5)


@exercise("albert_loss")
def test_the_two_means_are_added(student: Student) -> None:
    weights = loss_parts(3, 4, 8, 2, 3) | {"words": torch.zeros(8, 3), "bias": torch.zeros(8)}
    labels = torch.tensor([[NOT, 5, 1], [1, NOT, 7]])
    logits = torch.tensor([[0.0, math.log(3.0)], [math.log(7.0), 0.0]])
    found = student.albert_loss(*weights.values(), labels, logits, torch.tensor([1, 1]))
    given = "tokens at ln 8 each; orders of probability 3/4 and 1/8"
    close(found, math.log(8) + (math.log(4 / 3) + math.log(8)) / 2, given=given)
