"""attention: classic mistakes and other right ways, for each exercise. Never released."""

import math

import torch
from torch.nn import functional

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)

edit("additive_scores", "two-tanhs", {"torch.tanh(asked + offered)": "(torch.tanh(asked) + torch.tanh(offered))"},
     "query and key have a tanh each: they meet under one tanh",
     killed_by="test_one_query_and_one_key_follow_the_formula")
edit("additive_scores", "no-tanh", {"torch.tanh(asked + offered)": "(asked + offered)"},
     "the tanh is missing: without it the score is a sum in which query and key never meet",
     killed_by="test_one_query_and_one_key_follow_the_formula")
edit("additive_scores", "multiplied", {"asked + offered": "asked * offered"},
     "query and key are multiplied: Bahdanau's score adds them",
     killed_by="test_one_query_and_one_key_follow_the_formula")
edit("additive_scores", "weighed-before-tanh", {"torch.tanh(asked + offered) @ v": "torch.tanh((asked + offered) @ v)"},
     "v weighs before the tanh: it weighs the numbers that come out of it",
     killed_by="test_one_query_and_one_key_follow_the_formula")
edit("additive_scores", "maps-transposed", {"w_query.T": "w_query", "w_key.T": "w_key"},
     "rows are multiplied by the map itself: row vectors need its transpose",
     killed_by="test_the_maps_work_on_queries_and_keys_and_not_on_their_transposes")
edit("additive_scores", "maps-swapped", {"queries @ w_query.T": "queries @ w_key.T", "keys @ w_key.T": "keys @ w_query.T"},
     "the maps of queries and keys are swapped",
     killed_by="test_one_query_and_one_key_follow_the_formula")
edit("additive_scores", "keys-by-queries",
     {"[..., :, None, :]  # (…, N, 1, a)": "[..., None, :, :]", "[..., None, :, :]  # (…, 1, M, a)": "[..., :, None, :]"},
     "the table has a row for each key: it has one for each query",
     killed_by="test_every_query_meets_every_key")
edit("additive_scores", "softmax-too", {"@ v  # (…, N, M)": "@ v).softmax(dim=-1)", "return torch": "return (torch"},
     "weights are returned: the scores were asked for, before any softmax",
     killed_by="test_one_query_and_one_key_follow_the_formula")


edit("additive_scores", "axis-1-opened", {"[..., :, None, :]  # (…, N, 1, a)": ".unsqueeze(-2 if queries.ndim == 2 else 2)", "[..., None, :, :]  # (…, 1, M, a)": ".unsqueeze(-3 if keys.ndim == 2 else 1)"},
     "axes are counted from the front, which is right for one batch axis alone: count them from the end",
     killed_by="test_any_axes_may_stand_in_front_and_doubles_keep_their_digits")


edit("additive_scores", "squeezed", {"torch.tanh(asked + offered) @ v": "(torch.tanh(asked + offered) @ v).squeeze(0)"},
     "a batch of one is dropped: all axes in front stay",
     killed_by="test_three_axes_may_stand_in_front_and_keys_may_be_many")


@alternative("additive_scores", "einsum")
def additive_scores(queries, keys, w_query, w_key, v):
    asked = torch.einsum("...nd,ad->...na", queries, w_query)
    offered = torch.einsum("...me,ae->...ma", keys, w_key)
    return torch.einsum("...nma,a->...nm", (asked.unsqueeze(-2) + offered.unsqueeze(-3)).tanh(), v)


@alternative("additive_scores", "key-by-key")
def additive_scores(queries, keys, w_query, w_key, v):
    asked = functional.linear(queries, w_query)  # (…, N, a)
    columns = []
    for j in range(keys.size(-2)):
        inner = torch.tanh(asked + functional.linear(keys[..., j : j + 1, :], w_key))  # (…, N, a)
        columns.append((inner * v).sum(-1))
    return torch.stack(columns, dim=-1)


edit("attention", "not-scaled", {" / math.sqrt(queries.size(-1))": ""},
     "scores are not divided by √d", killed_by="test_scores_are_divided_by_the_root_of_the_width")
edit("attention", "scaled-by-width", {"math.sqrt(queries.size(-1))": "queries.size(-1)"},
     "scores are divided by d: by its root", killed_by="test_scores_are_divided_by_the_root_of_the_width")
edit("attention", "scaled-by-values", {"math.sqrt(queries.size(-1))": "math.sqrt(values.size(-1))"},
     "scores are divided by the root of the values' width: it is that of queries and keys that makes them grow",
     killed_by="test_each_query_shares_its_weight_among_the_keys")
edit("attention", "scaled-by-length", {"math.sqrt(queries.size(-1))": "math.sqrt(keys.size(-2))"},
     "scores are divided by the root of the number of keys: by that of the width",
     killed_by="test_each_query_shares_its_weight_among_the_keys")
edit("attention", "multiplied-by-root", {" / math.sqrt": " * math.sqrt"},
     "scores are multiplied by √d: divide", killed_by="test_scores_are_divided_by_the_root_of_the_width")
edit("attention", "softmax-over-queries", {"softmax(dim=-1)": "softmax(dim=-2)"},
     "the softmax runs over the queries: each query shares its weight among the keys",
     killed_by="test_each_query_shares_its_weight_among_the_keys")
edit("attention", "no-softmax", {"scores.softmax(dim=-1)": "scores"},
     "scores are taken for weights: a softmax makes them sum to 1", killed_by="test_one_key_gets_all_the_weight")
edit("attention", "exp-without-maximum",
     {"return scores.softmax(dim=-1)": "weights = scores.exp()\n    return (weights / weights.sum(dim=-1, keepdim=True))"},
     "exp overflows for large scores: subtract the row's maximum first, or call softmax",
     killed_by="test_huge_scores_do_not_overflow")
edit("attention", "weights-returned", {"scores.softmax(dim=-1) @ values": "scores.softmax(dim=-1)"},
     "the weights are returned: mix the values with them", killed_by="test_one_key_gets_all_the_weight")
edit("attention", "scaled-after-softmax",
     {" / math.sqrt(queries.size(-1))": "", "scores.softmax(dim=-1)": "(scores.softmax(dim=-1) / math.sqrt(queries.size(-1)))"},
     "weights are divided by √d, after the softmax: the scores are, before it",
     killed_by="test_one_key_gets_all_the_weight")
edit("attention", "one-maximum-for-all",
     {"return scores.softmax(dim=-1)": "shares = (scores - scores.max()).exp()\n    return (shares / shares.sum(dim=-1, keepdim=True))"},
     "the greatest of all scores is subtracted: of a query far below it nothing is left; each has its own",
     killed_by="test_the_scores_of_one_query_may_be_far_below_those_of_another")
edit("attention", "a-little-in-the-sum",
     {"return scores.softmax(dim=-1)": "shares = (scores - scores.amax(dim=-1, keepdim=True)).exp()\n    return (shares / (shares.sum(dim=-1, keepdim=True) + 1e-9))"},
     "1e-9 is added to the sum, which is never 0: the weights no longer sum to 1",
     killed_by="test_doubles_keep_their_digits")
edit("attention", "keys-mixed", {"@ values": "@ keys"},
     "keys are mixed: the weights are for the values", killed_by="test_one_key_gets_all_the_weight")
edit("attention", "softmax-over-heads", {"softmax(dim=-1)": "softmax(dim=1)"},
     "the softmax runs over axis 1, which is the keys only in a table without batch: with batch and heads take the last",
     killed_by="test_batches_and_heads_attend_each_for_themselves")


edit("attention", "float32-root", {"math.sqrt(queries.size(-1))": "torch.tensor(queries.size(-1)).sqrt()"},
     "the root is a tensor of float32: doubles are divided by a rounded √d", killed_by="test_doubles_keep_their_digits")
edit("attention", "float32-always", {"scores.softmax(dim=-1) @ values": "scores.float().softmax(dim=-1) @ values.float()"},
     "the result is float32 whatever came in: doubles lose their digits",
     killed_by="test_doubles_keep_their_digits")


@alternative("attention", "einsum-and-logsumexp")
def attention(queries, keys, values):
    scores = torch.einsum("...nd,...md->...nm", queries, keys) * queries.shape[-1] ** -0.5
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    return torch.einsum("...nm,...me->...ne", weights, values)


@alternative("attention", "query-by-query")
def attention(queries, keys, values):
    rows = []
    for i in range(queries.size(-2)):
        scores = (queries[..., i : i + 1, :] * keys).sum(-1) / keys.size(-1) ** 0.5  # (…, M)
        weights = torch.softmax(scores, -1)
        rows.append((weights.unsqueeze(-1) * values).sum(-2))
    return torch.stack(rows, dim=-2)


@alternative("attention", "pytorchs")
def attention(queries, keys, values):
    return functional.scaled_dot_product_attention(queries, keys, values)


edit("padding_mask", "one-too-many", {"positions < lengths": "positions <= lengths"},
     "one position too many is marked: positions count from 0",
     killed_by="test_a_sentence_of_one_token_and_one_of_five")
edit("padding_mask", "padding-marked", {"positions < lengths": "positions >= lengths"},
     "True marks the padding: here it marks the tokens",
     killed_by="test_a_sentence_of_one_token_and_one_of_five")
edit("padding_mask", "two-axes", {"lengths[:, None, None, None]": "lengths[:, None]"},
     "the mask is (B, M): axes for heads and queries are missing",
     killed_by="test_a_sentence_of_one_token_and_one_of_five")
edit("padding_mask", "batch-against-heads", {"lengths[:, None, None, None]": "lengths[None, :, None, None]"},
     "the sentences lie on the axis of the heads: the batch comes first",
     killed_by="test_a_sentence_of_one_token_and_one_of_five")
edit("padding_mask", "queries-masked", {"return positions < lengths[:, None, None, None]": "return (positions < lengths[:, None])[:, None, :, None]"},
     "the mask is (B, 1, M, 1), so queries are masked: keys are on the last axis",
     killed_by="test_a_sentence_of_one_token_and_one_of_five")
edit("padding_mask", "numbers", {"return positions < lengths[:, None, None, None]": "return (positions < lengths[:, None, None, None]).float()"},
     "ones and zeros are returned: a bool tensor was asked for",
     killed_by="test_the_mask_is_boolean_and_spreads_over_heads_and_queries")
edit("padding_mask", "longest-sentence", {"torch.arange(size": "torch.arange(int(lengths.max())"},
     "there are as many positions as the longest sentence has: there are `size`",
     killed_by="test_there_may_be_more_positions_than_the_longest_sentence_has")
edit("padding_mask", "spread-to-square", {"return positions < lengths[:, None, None, None]": "return (positions < lengths[:, None, None, None]).repeat(1, 1, size, 1)"},
     "a row for each query is made: one row serves all of them",
     killed_by="test_a_sentence_of_one_token_and_one_of_five")


edit("padding_mask", "counted-in-a-byte", {"device=lengths.device)  # (M,)": "device=lengths.device).to(torch.uint8).long()"},
     "positions are kept in a byte, which begins anew at 256",
     killed_by="test_long_sentences_are_marked_to_their_end")


edit("padding_mask", "positions-on-the-default-device", {", device=lengths.device": ""},
     "positions are made on torch's default device: they belong on that of the lengths",
     killed_by="test_the_mask_is_made_where_the_lengths_are")
edit("padding_mask", "lists-on-the-default-device", {"torch.arange(size, device=lengths.device)": "torch.arange(size)", "lengths[:": "torch.tensor(lengths.tolist())[:"},
     "the mask is made on torch's default device: it belongs on that of the lengths",
     killed_by="test_the_mask_is_made_where_the_lengths_are")


@alternative("padding_mask", "made-and-then-moved")
def padding_mask(lengths, size):
    return torch.arange(size).to(lengths.device) < lengths.reshape(-1, 1, 1, 1)


@alternative("padding_mask", "sentence-by-sentence")
def padding_mask(lengths, size):
    mask = torch.zeros(len(lengths), 1, 1, size, dtype=torch.bool, device=lengths.device)
    for row, length in zip(mask, lengths.tolist()):
        row[..., :length] = True
    return mask


@alternative("padding_mask", "counted")
def padding_mask(lengths, size):
    counted = torch.ones(len(lengths), size, dtype=torch.long, device=lengths.device).cumsum(dim=1)  # (B, M): 1, 2, …
    return counted.le(lengths.unsqueeze(1)).view(-1, 1, 1, size)


edit("causal_mask", "present-hidden", {"diagonal=past": "diagonal=past - 1"},
     "a position does not see itself: it sees positions 0 to i, itself too",
     killed_by="test_each_position_sees_itself_and_what_came_before")
edit("causal_mask", "next-seen", {"diagonal=past": "diagonal=past + 1"},
     "a position sees the next one", killed_by="test_each_position_sees_itself_and_what_came_before")
edit("causal_mask", "future-instead", {"tril": "triu"},
     "a position sees what comes after it: the lower triangle is the past",
     killed_by="test_each_position_sees_itself_and_what_came_before")
edit("causal_mask", "past-forgotten", {"tril(diagonal=past)": "tril()"},
     "query i is taken to stand at position i: it stands at past + i",
     killed_by="test_new_positions_see_all_of_the_past")
edit("causal_mask", "square", {"torch.ones(length, past + length": "torch.ones(length, length"},
     "there are no columns for the past", killed_by="test_new_positions_see_all_of_the_past")
edit("causal_mask", "rows-of-the-past", {"torch.ones(length, past + length, dtype=torch.bool).tril(diagonal=past)":
     "torch.ones(past + length, past + length, dtype=torch.bool).tril()"},
     "the past has rows too: only new positions ask", killed_by="test_new_positions_see_all_of_the_past")
edit("causal_mask", "true-hides", {"return torch.ones(length, past + length, dtype=torch.bool).tril(diagonal=past)":
     "return torch.ones(length, past + length, dtype=torch.bool).triu(diagonal=past + 1)"},
     "True marks what is hidden, as in some of PyTorch's layers: here it marks what may be seen",
     killed_by="test_each_position_sees_itself_and_what_came_before")
edit("causal_mask", "numbers", {", dtype=torch.bool": ""},
     "ones and zeros are returned: a bool tensor was asked for", killed_by="test_the_causal_mask_is_boolean")
edit("causal_mask", "minus-infinity",
     {"return torch.ones(length, past + length, dtype=torch.bool).tril(diagonal=past)":
     "return torch.full((length, past + length), -torch.inf).triu(diagonal=past + 1)"},
     "0 and −∞ are returned, to be added to scores: a bool tensor was asked for",
     killed_by="test_each_position_sees_itself_and_what_came_before")


edit("causal_mask", "table-of-512", {"return torch.ones(length, past + length, dtype=torch.bool).tril(diagonal=past)": "return torch.ones(512, 512, dtype=torch.bool).tril()[past : past + length, : past + length]"},
     "the mask is cut from a table of 512 positions: longer texts get less than they ask for",
     killed_by="test_a_long_past_is_seen_whole")


edit("causal_mask", "numbers-without-a-past", {"return torch": "if past == 0:\n        return torch.ones(length, length).tril()\n    return torch"},
     "without a past ones and zeros are returned: a bool tensor was asked for", killed_by="test_a_long_past_is_seen_whole")


@alternative("causal_mask", "compared")
def causal_mask(length, past=0):
    return torch.arange(past + length)[None, :] <= torch.arange(past, past + length)[:, None]


@alternative("causal_mask", "row-by-row")
def causal_mask(length, past=0):
    rows = [[j <= past + i for j in range(past + length)] for i in range(length)]
    return torch.tensor(rows, dtype=torch.bool)


edit("masked_attention", "nan-rows", {"weights.masked_fill(~mask, 0) @": "weights @"},
     "a query that may see nothing gets NaN, 0 / 0: give it zeros",
     killed_by="test_a_query_that_may_see_nothing_gets_zeros")
edit("masked_attention", "masked-with-zero", {"masked_fill(~mask, -torch.inf).softmax(dim=-1)": "masked_fill(~mask, 0).softmax(dim=-1)"},
     "masked scores are set to 0, which still has weight e⁰ = 1: set them to −∞",
     killed_by="test_what_is_masked_gets_no_weight_and_the_rest_sums_to_one")
edit("masked_attention", "masked-with-zero-kept",
     {"masked_fill(~mask, -torch.inf).softmax(dim=-1)": "masked_fill(~mask, 0).softmax(dim=-1)", "weights.masked_fill(~mask, 0) @": "weights @"},
     "masked scores are set to 0, which is a score like any other: set them to −∞",
     killed_by="test_what_is_masked_gets_no_weight_and_the_rest_sums_to_one")
edit("masked_attention", "mask-after-softmax", {"scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)": "scores.softmax(dim=-1)"},
     "the mask comes after the softmax, so weights no longer sum to 1: set scores to −∞ before it",
     killed_by="test_what_is_masked_gets_no_weight_and_the_rest_sums_to_one")
edit("masked_attention", "mask-inverted", {"scores.masked_fill(~mask": "scores.masked_fill(mask", "weights.masked_fill(~mask": "weights.masked_fill(mask"},
     "what is allowed is masked: True is where a query may look",
     killed_by="test_what_is_masked_gets_no_weight_and_the_rest_sums_to_one")
edit("masked_attention", "uniform-rows", {"-torch.inf": "-1e9", "weights.masked_fill(~mask, 0) @": "weights @"},
     "a query that may see nothing gets the mean of all values: with one large negative number in every place all weights are alike",
     killed_by="test_a_query_that_may_see_nothing_gets_zeros")
edit("masked_attention", "multiplied-scores", {"scores.masked_fill(~mask, -torch.inf)": "(scores * mask)"},
     "scores are multiplied by the mask, so masked ones are 0 and keep weight: set them to −∞",
     killed_by="test_what_is_masked_gets_no_weight_and_the_rest_sums_to_one")
edit("masked_attention", "infinity-times-zero",
     {"weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)": "weights = (scores + torch.where(mask, 0.0, -torch.inf)).softmax(dim=-1)",
      "return weights.masked_fill(~mask, 0) @ values": "return torch.nan_to_num(weights @ values)"},
     "the result's NaN are replaced, but not those of the gradient: a row that sees nothing must give none on the way",
     killed_by="test_gradients_are_numbers_also_where_a_query_may_see_nothing")
edit("masked_attention", "not-scaled", {" / math.sqrt(queries.size(-1))": ""},
     "scores are not divided by √d", killed_by="test_where_all_is_allowed_it_is_attention")
edit("masked_attention", "mask-ignored", {"scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)": "scores.softmax(dim=-1)",
     "weights.masked_fill(~mask, 0) @": "weights @"},
     "the mask is not used", killed_by="test_what_is_masked_gets_no_weight_and_the_rest_sums_to_one")
edit("masked_attention", "small-penalty", {"masked_fill(~mask, -torch.inf)": "masked_fill(~mask, -10.0)"},
     "masked scores are set to a number that real scores reach: set them to −∞",
     killed_by="test_a_mask_works_where_the_allowed_scores_are_far_below_the_masked")
edit("masked_attention", "softmax-over-queries", {"softmax(dim=-1)": "softmax(dim=-2)"},
     "the softmax runs over the queries: each query shares its weight among the keys",
     killed_by="test_what_is_masked_gets_no_weight_and_the_rest_sums_to_one")


edit("masked_attention", "large-penalty", {"-torch.inf": "-1e9"},
     "−10⁹ stands for −∞: an allowed score may be lower still",
     killed_by="test_no_score_is_lower_than_that_of_a_masked_key")
edit("masked_attention", "padded-queries-cleared", {"return weights.masked_fill(~mask, 0) @ values": "out = weights.masked_fill(~mask, 0) @ values\n    square = mask.ndim == 4 and mask.size(-2) == 1 and mask.size(-1) == out.size(-2)\n    return out * mask.transpose(-2, -1) if square else out"},
     "queries at padded places get zeros: the mask is for keys, and who may see some gets their mean",
     killed_by="test_a_query_attends_also_where_nobody_may_look")

edit("masked_attention", "exp-of-what-is-masked",
     {"weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)":
      "top = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True)\n    shares = (scores - top).exp().masked_fill(~mask, 0)\n    weights = shares / shares.sum(dim=-1, keepdim=True).clamp(min=1e-30)"},
     "exp of a masked score may be ∞, which is filled with 0 and has the gradient 0 · ∞ all the same: fill before exp",
     killed_by="test_gradients_are_numbers_also_where_a_masked_score_is_huge")


@alternative("masked_attention", "lowest-number")
def masked_attention(queries, keys, values, mask):
    scores = (queries @ keys.mT) * keys.size(-1) ** -0.5
    weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1)
    return torch.where(mask, weights, 0.0) @ values


@alternative("masked_attention", "exp-by-hand")
def masked_attention(queries, keys, values, mask):
    scores = torch.einsum("...nd,...md->...nm", queries, keys) / math.sqrt(keys.shape[-1])
    top = torch.where(mask, scores, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True)
    top = top.detach()
    shares = torch.where(mask, torch.where(mask, scores - top, 0.0).exp(), 0.0)
    return (shares / shares.sum(dim=-1, keepdim=True).clamp(min=1e-30)) @ values


@alternative("masked_attention", "rows-cleared")
def masked_attention(queries, keys, values, mask):
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
    alone = ~mask.any(dim=-1, keepdim=True)  # (…, N or 1, 1): queries that may see nothing
    scores = scores.masked_fill(~mask, float("-inf")).masked_fill(alone, 0.0)
    return (scores.softmax(dim=-1) @ values).masked_fill(alone, 0.0)


@alternative("masked_attention", "pytorchs")
def masked_attention(queries, keys, values, mask):
    return functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)


edit("split_heads", "wrong-axes", {"x.unflatten(-1, (heads, -1)).transpose(1, 2)": "x.reshape(x.size(0), heads, x.size(1), -1)"},
     "(B, N, d) is reshaped to (B, h, N, d/h) at once, which mixes the numbers of tokens: cut the last axis, then swap",
     killed_by="test_each_head_gets_its_part_of_every_token")
edit("split_heads", "not-swapped", {".transpose(1, 2)": ""},
     "the axes of tokens and heads are not swapped: (B, h, N, d/h) was asked for",
     killed_by="test_each_head_gets_its_part_of_every_token")
edit("split_heads", "interleaved", {"x.unflatten(-1, (heads, -1)).transpose(1, 2)": "x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)"},
     "numbers are dealt out to the heads in turn: the first head gets the first d / h",
     killed_by="test_each_head_gets_its_part_of_every_token")
edit("split_heads", "heads-first", {"x.unflatten(-1, (heads, -1)).transpose(1, 2)": "x.unflatten(-1, (heads, -1)).permute(2, 0, 1, 3)"},
     "the heads come before the batch: (B, h, N, d/h) was asked for",
     killed_by="test_each_head_gets_its_part_of_every_token")
edit("split_heads", "tokens-swapped-last", {"transpose(1, 2)": "permute(0, 2, 3, 1)"},
     "the tokens come last: (B, h, N, d/h) was asked for",
     killed_by="test_each_head_gets_its_part_of_every_token")
edit("split_heads", "width-of-a-head", {"(heads, -1)": "(-1, heads)"},
     "there are d / heads heads of width `heads`: the two are mixed up",
     killed_by="test_one_head_gets_everything")


@mistake("split_heads", "filled-into-float32", "parts are filled into a new float32 tensor: other types lose digits",
         killed_by="test_whole_numbers_stay_whole")
def split_heads(x, heads):
    width = x.size(2) // heads
    out = torch.zeros(x.size(0), heads, x.size(1), width)
    for head in range(heads):
        out[:, head] = x[:, :, head * width : (head + 1) * width]
    return out


edit("split_heads", "bytes-become-whole-numbers", {"return x.": "x = x.long() if x.dtype in (torch.bool, torch.uint8) else x\n    return x."},
     "bool and bytes become int64: the type is kept", killed_by="test_every_type_is_kept")


@alternative("split_heads", "permute")
def split_heads(x, heads):
    b, n, d = x.shape
    return x.view(b, n, heads, d // heads).permute(0, 2, 1, 3).contiguous()


@alternative("split_heads", "chunks")
def split_heads(x, heads):
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


edit("multi_head", "no-output-map", {"functional.linear(mixed.transpose(1, 2).flatten(2), w_out, b_out)": "mixed.transpose(1, 2).flatten(2)"},
     "W_O is missing", killed_by="test_of_one_token_the_value_comes_back_through_the_output_map")
edit("multi_head", "merged-without-swap", {"mixed.transpose(1, 2).flatten(2)": "mixed.reshape(x.shape)"},
     "heads are merged without swapping the axes back, which mixes the numbers of tokens: transpose first",
     killed_by="test_it_agrees_with_pytorchs_layer")
edit("multi_head", "no-output-bias", {", w_out, b_out)  # (B, N, d)": ", w_out)"},
     "the output map's bias is missing", killed_by="test_of_one_token_the_value_comes_back_through_the_output_map")
edit("multi_head", "no-input-biases", {"w_query, b_query)": "w_query)", "w_key, b_key)": "w_key)", "w_value, b_value)": "w_value)"},
     "the biases of queries, keys and values are missing",
     killed_by="test_of_one_token_the_value_comes_back_through_the_output_map")
edit("multi_head", "keys-of-x", {"functional.linear(context, w_key": "functional.linear(x, w_key", "functional.linear(context, w_value": "functional.linear(x, w_value"},
     "keys and values are made of x: they come from the context",
     killed_by="test_of_one_token_the_value_comes_back_through_the_output_map")
edit("multi_head", "order-of-the-maps", {"w_query, w_key, w_value = w_in": "w_key, w_query, w_value = w_in", "b_query, b_key, b_value = b_in": "b_key, b_query, b_value = b_in"},
     "the first d rows are taken for W_K: the order is queries, keys, values",
     killed_by="test_it_agrees_with_pytorchs_layer")
edit("multi_head", "maps-transposed", {"return functional.linear(mixed.transpose(1, 2).flatten(2), w_out, b_out)": "return mixed.transpose(1, 2).flatten(2) @ w_out + b_out"},
     "rows are multiplied by W_O itself: x Wᵀ is the map",
     killed_by="test_of_one_token_the_value_comes_back_through_the_output_map")
edit("multi_head", "mask-forgotten", {"if mask is None:": "if True:"},
     "the mask is not used", killed_by="test_masks_of_a_padded_batch_and_of_the_future_are_obeyed")
edit("multi_head", "one-head", {"b_query), heads)": "b_query), 1)", "b_key), heads)": "b_key), 1)", "b_value), heads)": "b_value), 1)"},
     "there is one head, whatever was asked for", killed_by="test_it_agrees_with_pytorchs_layer")
edit("multi_head", "heads-averaged", {"mixed.transpose(1, 2).flatten(2)": "mixed.mean(dim=1, keepdim=True).expand_as(mixed).transpose(1, 2).flatten(2)"},
     "heads are averaged: each keeps its place in the merged vector",
     killed_by="test_it_agrees_with_pytorchs_layer")


@mistake("multi_head", "scaled-by-whole-width", "scores are divided by the root of the whole width: each head has d / h",
         killed_by="test_it_agrees_with_pytorchs_layer")
def multi_head(x, context, w_in, b_in, w_out, b_out, heads, mask=None):
    d = x.size(-1)
    queries = split_heads(functional.linear(x, w_in[:d], b_in[:d]), heads)
    keys = split_heads(functional.linear(context, w_in[d : 2 * d], b_in[d : 2 * d]), heads)
    values = split_heads(functional.linear(context, w_in[2 * d :], b_in[2 * d :]), heads)
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(d)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    mixed = scores.softmax(dim=-1) @ values
    return functional.linear(mixed.transpose(1, 2).flatten(2), w_out, b_out)


@mistake("multi_head", "heads-by-view", "the projections are viewed as (B, h, N, d/h) at once, which mixes the numbers of tokens",
         killed_by="test_it_agrees_with_pytorchs_layer")
def multi_head(x, context, w_in, b_in, w_out, b_out, heads, mask=None):
    b, d = x.size(0), x.size(-1)
    queries = functional.linear(x, w_in[:d], b_in[:d]).view(b, heads, -1, d // heads)
    keys = functional.linear(context, w_in[d : 2 * d], b_in[d : 2 * d]).view(b, heads, -1, d // heads)
    values = functional.linear(context, w_in[2 * d :], b_in[2 * d :]).view(b, heads, -1, d // heads)
    mixed = attention(queries, keys, values) if mask is None else masked_attention(queries, keys, values, mask)
    return functional.linear(mixed.reshape(b, -1, d), w_out, b_out)


edit("multi_head", "empty-rows-cleared", {"return functional.linear(mixed.transpose(1, 2).flatten(2), w_out, b_out)": "out = functional.linear(mixed.transpose(1, 2).flatten(2), w_out, b_out)\n    if mask is None:\n        return out\n    seen = mask.expand(len(x), heads, x.size(1), context.size(1)).any(dim=-1).any(dim=1)\n    return out * seen[..., None]"},
     "a query that sees nothing gets zeros at the end: its heads find zeros, and the output map adds its bias to them",
     killed_by="test_a_query_that_sees_nothing_gets_the_bias_of_the_output")

@mistake("multi_head", "nan-to-num", "the NaN of a query that sees nothing are replaced in the result, and not in its gradient",
         killed_by="test_gradients_are_numbers_also_where_a_text_is_padding_alone")
def multi_head(x, context, w_in, b_in, w_out, b_out, heads, mask=None):
    parts = zip((x, context, context), w_in.chunk(3), b_in.chunk(3))
    queries, keys, values = (split_heads(functional.linear(*part), heads) for part in parts)
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.size(-1))
    weights = (scores if mask is None else scores + torch.where(mask, 0.0, -torch.inf)).softmax(dim=-1)
    mixed = torch.nan_to_num(weights @ values)
    return functional.linear(mixed.transpose(1, 2).flatten(2), w_out, b_out)


@alternative("multi_head", "head-by-head")
def multi_head(x, context, w_in, b_in, w_out, b_out, heads, mask=None):
    b, n, d = x.shape
    m, width = context.size(1), d // heads
    if mask is None:
        mask = torch.ones(n, m, dtype=torch.bool, device=x.device)
    mask = mask.expand(b, heads, n, m)
    found = []
    for head in range(heads):
        rows = torch.arange(head * width, (head + 1) * width, device=x.device)
        queries, keys, values = (
            side @ w_in[rows + part * d].T + b_in[rows + part * d] for part, side in enumerate((x, context, context))
        )
        found.append(masked_attention(queries, keys, values, mask[:, head]))
    return torch.cat(found, dim=-1) @ w_out.T + b_out


@alternative("multi_head", "pytorchs-kernel")
def multi_head(x, context, w_in, b_in, w_out, b_out, heads, mask=None):
    d = x.size(-1)
    q = functional.linear(x, w_in[:d], b_in[:d])
    k, v = functional.linear(context, w_in[d:], b_in[d:]).chunk(2, dim=-1)
    q, k, v = (side.view(*side.shape[:2], heads, d // heads).transpose(1, 2) for side in (q, k, v))
    mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return functional.linear(mixed.permute(0, 2, 1, 3).reshape(x.shape), w_out, b_out)


edit("sinusoids", "halves", {"torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)": "torch.cat([angles.sin(), angles.cos()], dim=-1)"},
     "all sines come first and all cosines after, as in the authors' code: the paper has them in turn",
     killed_by="test_position_zero_is_a_zero_and_a_one_in_turn")
edit("sinusoids", "cosine-first", {"[angles.sin(), angles.cos()]": "[angles.cos(), angles.sin()]"},
     "cosines are on even dimensions: sines are", killed_by="test_position_zero_is_a_zero_and_a_one_in_turn")
edit("sinusoids", "from-one", {"torch.arange(length)": "torch.arange(1, length + 1)"},
     "positions count from 1: from 0", killed_by="test_position_zero_is_a_zero_and_a_one_in_turn")
edit("sinusoids", "frequency-for-each-dimension",
     {"torch.arange(0, width, 2) / width": "torch.arange(width) / width",
      "return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)": "return torch.where(torch.arange(width) % 2 == 0, angles.sin(), angles.cos())"},
     "each dimension has a frequency of its own: sine and cosine of a pair share one",
     killed_by="test_of_width_two_they_are_sine_and_cosine_of_the_position")
edit("sinusoids", "exponent-halved", {"torch.arange(0, width, 2) / width": "torch.arange(width // 2) / width"},
     "the exponent is j / d for pair j: it is 2j / d",
     killed_by="test_the_second_of_two_pairs_turns_a_hundred_times_more_slowly")
edit("sinusoids", "ever-faster", {"(-torch.arange(0, width, 2) / width)": "(torch.arange(0, width, 2) / width)"},
     "later pairs turn faster: the position is divided by the power of 10000",
     killed_by="test_the_second_of_two_pairs_turns_a_hundred_times_more_slowly")
edit("sinusoids", "base-of-a-thousand", {"10_000": "1_000"},
     "the base is 1000: 10000", killed_by="test_the_second_of_two_pairs_turns_a_hundred_times_more_slowly")
edit("sinusoids", "transposed", {".flatten(1)": ".flatten(1).T"},
     "a row for each dimension is returned: one for each position", killed_by="test_position_zero_is_a_zero_and_a_one_in_turn")
edit("sinusoids", "last-pair-at-the-base", {"torch.arange(0, width, 2) / width": "torch.linspace(0, 1, width // 2)"},
     "the last pair is 10000 times slower, as in the authors' code: the paper's exponent is 2j / d, which stays below 1",
     killed_by="test_the_second_of_two_pairs_turns_a_hundred_times_more_slowly")


edit("sinusoids", "table-of-5000", {"torch.arange(length)": "torch.arange(5000)[:length]"},
     "the table has 5,000 positions at most", killed_by="test_a_long_table_is_a_tensor_that_does_not_learn")
edit("sinusoids", "table-of-512", {"torch.arange(length)": "torch.arange(512)[:length]"},
     "the table has 512 positions at most", killed_by="test_a_long_table_is_a_tensor_that_does_not_learn")
edit("sinusoids", "doubles", {"-torch.arange(0, width, 2) / width": "-torch.arange(0, width, 2).double() / width"},
     "doubles come back: the tokens' vectors, to which they are added, are float32",
     killed_by="test_position_zero_is_a_zero_and_a_one_in_turn")


@alternative("sinusoids", "columns")
def sinusoids(length, width):
    table = torch.zeros(length, width)
    position = torch.arange(length, dtype=torch.float).unsqueeze(1)
    divide = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10000.0) / width))
    table[:, 0::2] = torch.sin(position * divide)
    table[:, 1::2] = torch.cos(position * divide)
    return table


@alternative("sinusoids", "number-by-number")
def sinusoids(length, width):
    rows = []
    for i in range(length):
        row = []
        for j in range(0, width, 2):
            angle = i / 10_000 ** (j / width)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows)


@alternative("sinusoids", "sines-alone")
def sinusoids(length, width):
    dims = torch.arange(width, dtype=torch.float64)
    angles = torch.arange(length, dtype=torch.float64)[:, None] / 10_000 ** ((dims - dims % 2) / width)
    return torch.sin(angles + math.pi / 2 * (dims % 2)).float()


edit("attention_cost", "no-output-map", {"4 * length * width**2": "3 * length * width**2"},
     "three projections are counted: the output has one too",
     killed_by="test_one_token_of_width_one_takes_four_and_two_multiplications")
edit("attention_cost", "mixture-forgotten", {"2 * length**2 * width": "length**2 * width"},
     "the scores are counted and the mixture is not", killed_by="test_one_token_of_width_one_takes_four_and_two_multiplications")
edit("attention_cost", "heads-times-width", {"2 * length**2 * width": "2 * heads * length**2 * width"},
     "each head is taken to have the whole width: it has d / h",
     killed_by="test_a_small_layer_is_counted_by_hand")
edit("attention_cost", "one-head-alone", {"2 * length**2 * width": "2 * length**2 * width // heads"},
     "one head's products are counted: all of them together were asked for",
     killed_by="test_a_small_layer_is_counted_by_hand")
edit("attention_cost", "weights-of-one-head", {"heads * length**2": "length**2"},
     "one head's weights are counted: each head keeps its own", killed_by="test_a_small_layer_is_counted_by_hand")
edit("attention_cost", "additions-too", {"4 * length": "8 * length", "2 * length**2 * width": "4 * length**2 * width"},
     "additions are counted as well: multiplications were asked for",
     killed_by="test_one_token_of_width_one_takes_four_and_two_multiplications")
edit("attention_cost", "length-and-width-swapped", {"4 * length * width**2": "4 * length**2 * width", "2 * length**2 * width": "2 * length * width**2"},
     "length and width are mixed up: a projection takes n · d · d", killed_by="test_a_small_layer_is_counted_by_hand")


edit("attention_cost", "in-32-bits", {"return projections, attending, heads * length**2": "return tuple(int(torch.tensor(count).to(torch.int32)) for count in (projections, attending, heads * length**2))"},
     "counts are kept in 32 bits, which overflow", killed_by="test_large_counts_are_whole_numbers")
edit("attention_cost", "by-way-of-floats", {"2 * length**2 * width ": "int(2 * float(length) ** 2 * width) "},
     "a float holds 53 bits alone: counts are whole numbers, however great", killed_by="test_large_counts_are_whole_numbers")
edit("attention_cost", "floats", {"2 * length**2 * width ": "2 * heads * length**2 * (width / heads) "},
     "a division with / makes a float: counts are whole numbers", killed_by="test_large_counts_are_whole_numbers")


@alternative("attention_cost", "by-product")
def attention_cost(length, width, heads):
    part = width // heads

    def product(a, b, c):
        return a * b * c

    attending = sum(product(length, part, length) + product(length, length, part) for _ in range(heads))
    return sum(product(length, width, width) for _ in range(4)), attending, sum(length * length for _ in range(heads))


@alternative("attention_cost", "list-of-ints")
def attention_cost(length, width, heads):
    pairs = length * length
    return [length * width * width * 4, pairs * (width // heads) * heads * 2, pairs * heads]


equivalent("additive_scores", "1: (queries @ w_query.T)[..., :, None, :] → (queries @ w_query.T)[:, ..., None, :]",
           "the new axis stands before the last one either way")
equivalent("attention", "1: keys.transpose(-1, -2) → keys.transpose(-2, -1)", "the same two axes are swapped")
equivalent("masked_attention", "1: keys.transpose(-1, -2) → keys.transpose(-2, -1)", "the same two axes are swapped")
equivalent("split_heads", "1: x.unflatten(-1, (heads, -1)).transpose(1, 2) → x.unflatten(-1, (heads, -1)).transpose(2, 1)",
           "the same two axes are swapped")
equivalent("multi_head", "10: mixed.transpose(1, 2) → mixed.transpose(2, 1)", "the same two axes are swapped")
