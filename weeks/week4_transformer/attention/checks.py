"""attention: the public checks. Expected values come from hand counts, closed forms, brute force and PyTorch's own attention."""

import math

import torch
from torch.nn import functional

from etude.lesson.checks import close, exercise, true
from etude.lesson.interface import Student


def _normal(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


UNIT = torch.eye(3)


@exercise("additive_scores")
def test_one_query_and_one_key_follow_the_formula(student: Student) -> None:
    query, key = torch.tensor([[0.5, 1.0]]), torch.tensor([[2.0, -1.0]])
    w_query, w_key = torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[0.5, 0.0], [1.0, 0.0]])
    close(
        student.additive_scores(query, key, w_query, w_key, torch.tensor([3.0, -1.0])),
        [[3 * math.tanh(0.5 + 1.0) - math.tanh(2.0 + 2.0)]],
        given="q = (½, 1), k = (2, −1), w_query = diag(1, 2), w_key = (½ 0; 1 0), v = (3, −1)",
    )


@exercise("additive_scores")
def test_the_maps_work_on_queries_and_keys_and_not_on_their_transposes(student: Student) -> None:
    turn = torch.tensor([[0.0, 1.0], [0.0, 0.0]])  # takes the second number to the first place
    v = torch.tensor([1.0, 0.0])
    close(
        student.additive_scores(torch.tensor([[0.0, 1.0]]), torch.zeros(1, 2), turn, turn, v),
        [[math.tanh(1.0)]],
        given="q = (0, 1), k = 0, both maps (0 1; 0 0), v = (1, 0)",
    )
    close(
        student.additive_scores(torch.zeros(1, 2), torch.tensor([[0.0, 1.0]]), turn, turn, v),
        [[math.tanh(1.0)]],
        given="q = 0, k = (0, 1), both maps (0 1; 0 0), v = (1, 0)",
    )


@exercise("additive_scores")
def test_every_query_meets_every_key(student: Student) -> None:
    queries, keys, one = torch.tensor([[0.0], [1.0]]), torch.tensor([[0.0], [2.0], [-1.0]]), torch.ones(1, 1)
    close(
        student.additive_scores(queries, keys, one, one, torch.ones(1)),
        [[math.tanh(q + k) for k in (0, 2, -1)] for q in (0, 1)],
        given="queries 0 and 1, keys 0, 2 and −1, all weights 1",
    )


@exercise("additive_scores", points=0.5)
def test_queries_and_keys_may_differ_in_width(student: Student) -> None:
    queries, keys = torch.tensor([[1.0, 1.0]]), torch.tensor([[1.0, 2.0, 3.0]])
    close(
        student.additive_scores(queries, keys, torch.ones(2, 2), torch.full((2, 3), 0.1), torch.tensor([1.0, 1.0])),
        [[2 * math.tanh(2.6)]],
        given="q = (1, 1), k = (1, 2, 3), w_query all 1 (2 × 2), w_key all 0.1 (2 × 3), v = (1, 1)",
    )


@exercise("attention")
def test_one_key_gets_all_the_weight(student: Student) -> None:
    close(
        student.attention(torch.tensor([[3.0, 1.0]]), torch.tensor([[-2.0, 5.0]]), torch.tensor([[7.0, 8.0, 9.0]])),
        [[7.0, 8.0, 9.0]],
        given="one query, one key, the value (7, 8, 9)",
    )


@exercise("attention")
def test_a_query_of_zeros_gets_the_mean_of_the_values(student: Student) -> None:
    close(
        student.attention(torch.zeros(2, 2), _normal(3, 2, seed=1), torch.tensor([[3.0, 0.0], [0.0, 6.0], [0.0, 0.0]])),
        [[1.0, 2.0], [1.0, 2.0]],
        given="two queries of zeros, three keys, values (3, 0), (0, 6), (0, 0)",
    )


@exercise("attention")
def test_each_query_shares_its_weight_among_the_keys(student: Student) -> None:
    first = 1 / (1 + math.exp(-2))  # scores 2 and 0
    close(
        student.attention(torch.tensor([[1.0], [0.0]]), torch.tensor([[2.0], [0.0]]), torch.eye(2)),
        [[first, 1 - first], [0.5, 0.5]],
        given="width 1: queries 1 and 0, keys 2 and 0; with the unit vectors as values, the weights come back",
    )


@exercise("attention")
def test_scores_are_divided_by_the_root_of_the_width(student: Student) -> None:
    query = torch.tensor([[2.0, 0.0, 0.0, 0.0]])
    keys = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    first = 1 / (1 + math.exp(-1))  # scores 2/√4 and 0
    close(
        student.attention(query, keys, torch.tensor([[1.0], [0.0]])),
        [[first]],
        given="width 4: query (2, 0, 0, 0), keys (1, 0, 0, 0) and (0, 1, 0, 0), values 1 and 0",
    )


@exercise("attention", points=0.5)
def test_huge_scores_do_not_overflow(student: Student) -> None:
    close(
        student.attention(torch.tensor([[1000.0]]), torch.tensor([[1.0], [0.0]]), torch.eye(2)),
        [[1.0, 0.0]],
        given="width 1: query 1000, keys 1 and 0, the unit vectors as values",
    )


@exercise("attention", points=0.5)
def test_batches_and_heads_attend_each_for_themselves(student: Student) -> None:
    queries, keys, values = _normal(2, 3, 4, 5, seed=1), _normal(2, 3, 6, 5, seed=2), _normal(2, 3, 6, 2, seed=3)
    close(
        student.attention(queries, keys, values),
        functional.scaled_dot_product_attention(queries, keys, values),
        given="random queries (2, 3, 4, 5), keys (2, 3, 6, 5), values (2, 3, 6, 2)",
    )


@exercise("padding_mask")
def test_a_sentence_of_one_token_and_one_of_five(student: Student) -> None:
    close(
        student.padding_mask(torch.tensor([1, 5]), 5),
        [[[[1, 0, 0, 0, 0]]], [[[1, 1, 1, 1, 1]]]],
        given="킹받네 and 하루 커피 최소 3 잔: lengths 1 and 5, 5 positions",
    )


@exercise("padding_mask", points=0.5)
def test_there_may_be_more_positions_than_the_longest_sentence_has(student: Student) -> None:
    close(student.padding_mask(torch.tensor([2]), 4), [[[[1, 1, 0, 0]]]], given="length 2, 4 positions")


@exercise("padding_mask", points=0.5)
def test_the_mask_is_boolean_and_spreads_over_heads_and_queries(student: Student) -> None:
    mask = student.padding_mask(torch.tensor([3, 1]), 3)
    close(mask, [[[[1, 1, 1]]], [[[1, 0, 0]]]], given="lengths 3 and 1, 3 positions")
    true("bool" in str(getattr(mask, "dtype", "")), "a bool tensor was expected", given="lengths 3 and 1", actual=mask)


@exercise("causal_mask")
def test_each_position_sees_itself_and_what_came_before(student: Student) -> None:
    close(student.causal_mask(3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]], given="3 positions")


@exercise("causal_mask")
def test_new_positions_see_all_of_the_past(student: Student) -> None:
    close(student.causal_mask(2, 3), [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]], given="2 new positions after a past of 3")


@exercise("causal_mask", points=0.5)
def test_the_causal_mask_is_boolean(student: Student) -> None:
    mask = student.causal_mask(1, 2)
    close(mask, [[1, 1, 1]], given="1 new position after a past of 2")
    true("bool" in str(getattr(mask, "dtype", "")), "a bool tensor was expected", given="1 after 2", actual=mask)


@exercise("masked_attention")
def test_what_is_masked_gets_no_weight_and_the_rest_sums_to_one(student: Student) -> None:
    first = 1 / (1 + math.exp(-1))  # scores 1 and 0
    close(
        student.masked_attention(
            torch.tensor([[1.0]]), torch.tensor([[1.0], [5.0], [0.0]]), UNIT, torch.tensor([[True, False, True]])
        ),
        [[first, 0.0, 1 - first]],
        given="width 1: query 1, keys 1, 5 and 0, the second masked; with the unit vectors as values, the weights come back",
    )


@exercise("masked_attention")
def test_a_mask_works_where_the_allowed_scores_are_far_below_the_masked(student: Student) -> None:
    close(
        student.masked_attention(
            torch.tensor([[30.0]]), torch.tensor([[-1.0], [-1.0], [9.0]]), UNIT, torch.tensor([[True, True, False]])
        ),
        [[0.5, 0.5, 0.0]],
        given="width 1: query 30, keys −1, −1 and 9, the third masked; the unit vectors as values",
    )


@exercise("masked_attention")
def test_where_all_is_allowed_it_is_attention(student: Student) -> None:
    queries, keys, values = _normal(2, 4, seed=4), _normal(3, 4, seed=5), _normal(3, 5, seed=6)
    close(
        student.masked_attention(queries, keys, values, torch.ones(2, 3, dtype=torch.bool)),
        functional.scaled_dot_product_attention(queries, keys, values),
        given="2 random queries, 3 keys of width 4, nothing masked",
    )


@exercise("masked_attention")
def test_a_query_that_may_see_nothing_gets_zeros(student: Student) -> None:
    close(
        student.masked_attention(
            torch.ones(2, 1),
            torch.tensor([[1.0], [1.0], [3.0]]),
            UNIT,
            torch.tensor([[False] * 3, [True, True, False]]),
        ),
        [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0]],
        given="two queries; the first may see nothing, the second keys 0 and 1, which are alike; the unit vectors as values",
    )


@exercise("masked_attention", points=0.5)
def test_one_mask_serves_all_heads_and_queries(student: Student) -> None:
    queries, keys, values = _normal(2, 3, 2, 4, seed=7), _normal(2, 3, 5, 4, seed=8), _normal(2, 3, 5, 4, seed=9)
    mask = torch.tensor([[True, True, False, False, False], [True, True, True, True, False]])[:, None, None]
    close(
        student.masked_attention(queries, keys, values, mask),
        functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask),
        given="2 sentences of lengths 2 and 4, 3 heads, 2 queries, 5 keys; a mask (2, 1, 1, 5)",
    )


@exercise("split_heads")
def test_each_head_gets_its_part_of_every_token(student: Student) -> None:
    x = torch.tensor([[[0.0, 1.0, 2.0, 3.0], [10.0, 11.0, 12.0, 13.0], [20.0, 21.0, 22.0, 23.0]]])
    close(
        student.split_heads(x, 2),
        [[[[0.0, 1.0], [10.0, 11.0], [20.0, 21.0]], [[2.0, 3.0], [12.0, 13.0], [22.0, 23.0]]]],
        given="three tokens, 0 1 2 3, 10 11 12 13, 20 21 22 23; two heads",
    )


@exercise("split_heads", points=0.5)
def test_one_head_gets_everything(student: Student) -> None:
    x = _normal(2, 3, 4, seed=10)
    close(student.split_heads(x, 1), x[:, None], given="2 sentences of 3 tokens of width 4, one head")


@exercise("split_heads", points=0.5)
def test_sentences_of_a_batch_stay_apart(student: Student) -> None:
    x = torch.arange(2 * 2 * 6).float().reshape(2, 2, 6)
    split = [
        [[[12.0 * b + 6 * n + 2 * h, 12.0 * b + 6 * n + 2 * h + 1] for n in range(2)] for h in range(3)]
        for b in range(2)
    ]
    close(student.split_heads(x, 3), split, given="0 … 23 as 2 sentences of 2 tokens of width 6; three heads")


def _torchs(
    x: torch.Tensor,
    context: torch.Tensor,
    w_in: torch.Tensor,
    b_in: torch.Tensor,
    w_out: torch.Tensor,
    b_out: torch.Tensor,
    heads: int,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Multi-head attention by torch; its masks are True where nobody may look, and lie head after head within a sentence."""
    b, n, m = len(x), x.size(1), context.size(1)
    hidden = None if mask is None else ~mask.expand(b, heads, n, m).reshape(b * heads, n, m)
    x, context = x.transpose(0, 1), context.transpose(0, 1)  # (N, B, d), (M, B, d)
    out, _ = functional.multi_head_attention_forward(
        *(x, context, context, x.size(-1), heads, w_in, b_in, None, None, False, 0.0, w_out, b_out),
        attn_mask=hidden,
        need_weights=False,
    )
    return out.transpose(0, 1)


def _weights(width: int, seed: int) -> list[torch.Tensor]:
    """w_in, b_in, w_out, b_out."""
    shapes = ((3 * width, width), (3 * width,), (width, width), (width,))
    return [_normal(*shape, seed=seed + i) / 2 for i, shape in enumerate(shapes)]


@exercise("multi_head")
def test_of_one_token_the_value_comes_back_through_the_output_map(student: Student) -> None:
    x, context = torch.ones(1, 1, 2), torch.tensor([[[1.0, 2.0]]])
    w_in = torch.cat([_normal(4, 2, seed=11), torch.tensor([[0.0, 1.0], [3.0, 0.0]])])
    b_in = torch.cat([_normal(4, seed=12), torch.tensor([10.0, 20.0])])
    close(
        student.multi_head(
            x, context, w_in, b_in, torch.tensor([[1.0, 1.0], [0.0, 2.0]]), torch.tensor([100.0, 200.0]), 1
        ),
        [[[135.0, 246.0]]],
        given="context (1, 2), W_V = (0 1; 3 0), b_V = (10, 20), so the value is (12, 23); W_O = (1 1; 0 2), b_O = (100, 200)",
    )


@exercise("multi_head", points=0.5)
def test_queries_of_zeros_give_the_mean_of_the_context(student: Student) -> None:
    context = torch.tensor([[[1.0, 0.0], [3.0, 4.0]]])
    w_in = torch.cat([torch.zeros(2, 2), _normal(2, 2, seed=13), torch.eye(2)])
    close(
        student.multi_head(torch.ones(1, 3, 2), context, w_in, torch.zeros(6), torch.eye(2), torch.zeros(2), 2),
        [[[2.0, 2.0]] * 3],
        given="W_Q = 0, W_V and W_O the identity, no biases, two heads; three queries, context (1, 0) and (3, 4)",
    )


@exercise("multi_head", points=1.5)
def test_it_agrees_with_pytorchs_layer(student: Student) -> None:
    x, context, weights = _normal(2, 3, 6, seed=14), _normal(2, 5, 6, seed=15), _weights(6, seed=16)
    for heads in (1, 2, 3):
        close(
            student.multi_head(x, context, *weights, heads),
            _torchs(x, context, *weights, heads),  # type: ignore[arg-type, call-arg]
            given=f"random x (2, 3, 6), context (2, 5, 6) and weights; {heads} heads",
            atol=1e-5,
        )


@exercise("multi_head")
def test_masks_of_a_padded_batch_and_of_the_future_are_obeyed(student: Student) -> None:
    x, weights = _normal(2, 4, 6, seed=20), _weights(6, seed=21)
    for name, mask in (
        (
            "a padding mask (2, 1, 1, 4)",
            torch.tensor([[True, False, False, False], [True, True, True, False]])[:, None, None],
        ),
        ("a causal mask (4, 4)", torch.ones(4, 4, dtype=torch.bool).tril()),
    ):
        close(
            student.multi_head(x, x, *weights, 2, mask),
            _torchs(x, x, *weights, 2, mask),  # type: ignore[arg-type, call-arg]
            given=f"random x (2, 4, 6) and weights, 2 heads; {name}",
            atol=1e-5,
        )


@exercise("multi_head", points=0.5)
def test_shuffled_tokens_get_their_vectors_in_the_new_order(student: Student) -> None:
    x, weights, order = _normal(1, 5, 4, seed=25), _weights(4, seed=26), [3, 0, 4, 1, 2]
    straight = _torchs(x, x, *weights, 2)  # type: ignore[arg-type, call-arg]
    shuffled = x[:, order]
    close(
        student.multi_head(shuffled, shuffled, *weights, 2),
        straight[:, order],
        given="five random tokens in the order 3 0 4 1 2, random weights, 2 heads",
        atol=1e-5,
    )


@exercise("sinusoids")
def test_position_zero_is_a_zero_and_a_one_in_turn(student: Student) -> None:
    table = student.sinusoids(1, 6)
    close(table, [[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]], given="1 position, width 6")
    single = isinstance(table, torch.Tensor) and table.dtype == torch.float32
    true(single, "a float32 tensor was expected, as the tokens' vectors are", given="1 position, width 6", actual=table)


@exercise("sinusoids")
def test_of_width_two_they_are_sine_and_cosine_of_the_position(student: Student) -> None:
    close(
        student.sinusoids(4, 2),
        [[math.sin(i), math.cos(i)] for i in range(4)],
        given="4 positions, width 2",
        atol=1e-5,
    )


@exercise("sinusoids")
def test_the_second_of_two_pairs_turns_a_hundred_times_more_slowly(student: Student) -> None:
    close(
        student.sinusoids(3, 4),
        [[math.sin(i), math.cos(i), math.sin(i / 100), math.cos(i / 100)] for i in range(3)],
        given="3 positions, width 4: 10000^(2/4) = 100",
        atol=1e-5,
    )


@exercise("sinusoids", points=0.5)
def test_a_shift_turns_every_pair_by_an_angle_of_its_own(student: Student) -> None:
    places = torch.as_tensor(student.sinusoids(20, 8)).double()
    turned = places.clone()
    for j in range(4):
        angle = 5 * 10_000 ** (-2 * j / 8)
        sine, cosine = places[:, 2 * j], places[:, 2 * j + 1]
        turned[:, 2 * j] = sine * math.cos(angle) + cosine * math.sin(angle)
        turned[:, 2 * j + 1] = cosine * math.cos(angle) - sine * math.sin(angle)
    close(places[5:], turned[:-5], given="20 positions, width 8: those from 5 on, and the first 15 turned", atol=1e-4)


@exercise("attention_cost")
def test_one_token_of_width_one_takes_four_and_two_multiplications(student: Student) -> None:
    close(student.attention_cost(1, 1, 1), [4, 2, 1], given="1 token, width 1, 1 head")


@exercise("attention_cost")
def test_a_small_layer_is_counted_by_hand(student: Student) -> None:
    close(
        student.attention_cost(3, 8, 2),
        [768, 144, 18],
        given="3 tokens, width 8, 2 heads: 4 · (3 · 8 · 8); 2 heads · 2 products · (3 · 4 · 3); 2 heads · 3 · 3 weights",
    )


@exercise("attention_cost", points=0.5)
def test_twice_the_length_takes_twice_the_projections_and_four_times_the_rest(student: Student) -> None:
    close(
        student.attention_cost(1024, 512, 8),
        [2 * 536_870_912, 4 * 268_435_456, 4 * 2_097_152],
        given="1024 tokens, width 512, 8 heads; with 512 tokens it is 536870912, 268435456 and 2097152",
    )
