"""xlnet: classic mistakes and other right ways, for each exercise. Never released."""

import itertools
import math

import numpy as np
import torch
from torch.nn import functional

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# order_masks
@alternative("order_masks", "place-by-place")
def order_masks(order):
    n = len(order)
    content, query = torch.eye(n, dtype=torch.bool), torch.zeros(n, n, dtype=torch.bool)
    for turn, place in enumerate(order.tolist()):
        query[place, order[:turn]] = True
    return content | query, query


@alternative("order_masks", "permuted-triangle")
def order_masks(order):
    whole, back = torch.ones(len(order), len(order), dtype=torch.bool), torch.argsort(order)
    return torch.stack([whole.tril()[back][:, back], whole.tril(-1)[back][:, back]])


@alternative("order_masks", "turns-in-a-list")
def order_masks(order):
    turn = {place: t for t, place in enumerate(order.tolist())}
    n = range(len(order))
    query = torch.tensor([[turn[j] < turn[i] for j in n] for i in n])
    return [query | torch.eye(len(order)).bool(), query]


edit("order_masks", "order-for-turns", {"order.argsort()": "order"},
     "the order is taken for the turns: order[0] is the place that comes first, not when place 0 comes",
     killed_by="test_an_order_whose_turns_are_not_the_order_itself")
edit("order_masks", "query-sees-itself", {"turn[None, :] < turn[:, None]": "turn[None, :] <= turn[:, None]"},
     "the query mask holds the place itself: it would be told the token that it is to predict",
     killed_by="test_in_the_order_3_2_4_1_the_first_place_sees_all_others_and_the_third_none")
edit("order_masks", "content-without-itself", {"turn[None, :] <= turn[:, None]": "turn[None, :] < turn[:, None]"},
     "the content mask leaves out the place itself: content knows its own token",
     killed_by="test_in_the_order_2_4_3_1_content_sees_itself_too")
edit("order_masks", "turned-round", {"turn[None, :] <= turn[:, None], turn[None, :] < turn[:, None]": "turn[None, :] >= turn[:, None], turn[None, :] > turn[:, None]"},
     "each place sees those that come after it", killed_by="test_in_the_order_3_2_4_1_the_first_place_sees_all_others_and_the_third_none")
edit("order_masks", "rows-by-turn", {"turn = order.argsort()": "turn = torch.arange(len(order))[order]", "turn[None, :] <= turn[:, None], turn[None, :] < turn[:, None]":
     "torch.ones(len(order), len(order)).bool().tril()[:, order], torch.ones(len(order), len(order)).bool().tril(-1)[:, order]"},
     "the rows stand in the order of prediction: row i belongs to place i", killed_by="test_in_the_order_3_2_4_1_the_first_place_sees_all_others_and_the_third_none")
edit("order_masks", "left-to-right", {"order.argsort()": "torch.arange(len(order))"},
     "the masks are those of left to right, whatever the order", killed_by="test_in_the_order_3_2_4_1_the_first_place_sees_all_others_and_the_third_none")
edit("order_masks", "exchanged", {"turn[None, :] <= turn[:, None], turn[None, :] < turn[:, None]": "turn[None, :] < turn[:, None], turn[None, :] <= turn[:, None]"},
     "content and query are exchanged", killed_by="test_in_the_order_2_4_3_1_content_sees_itself_too")
edit("order_masks", "small-numbers", {"order.argsort()": "order.argsort().to(torch.int8)"},
     "the turns are int8, which ends at 127", killed_by="test_orders_may_be_long")
edit("order_masks", "one-tensor", {"return turn[None, :] <= turn[:, None], turn[None, :] < turn[:, None]": "query = turn[None, :] < turn[:, None]\n    content = query\n    content.fill_diagonal_(True)\n    return content, query"},
     "both masks are one tensor, so the diagonal of the content mask is the query's, too",
     killed_by="test_in_the_order_3_2_4_1_the_first_place_sees_all_others_and_the_third_none")
edit("order_masks", "place-before-alone", {"turn[None, :] < turn[:, None]": "turn[None, :] == turn[:, None] - 1"},
     "only the place just before is seen: all that come before are", killed_by="test_in_the_order_3_2_4_1_the_first_place_sees_all_others_and_the_third_none")
edit("order_masks", "numbers", {"turn[None, :] <= turn[:, None], turn[None, :] < turn[:, None]": "(turn[None, :] <= turn[:, None]).float(), (turn[None, :] < turn[:, None]).float()"},
     "the masks are numbers: bool tensors were asked for", killed_by="test_in_the_order_3_2_4_1_the_first_place_sees_all_others_and_the_third_none")


# over_all_orders
@alternative("over_all_orders", "by-sets")
def over_all_orders(table):
    n = len(table)
    weights = [1 / (n * math.comb(n - 1, size)) for size in range(n)]
    mean, low, high = 0.0, [0.0] + [math.inf] * (2**n - 1), [0.0] + [-math.inf] * (2**n - 1)
    for before in range(2**n):
        for place in range(n):
            if not before & 1 << place:
                value, after = float(table[place, before]), before | 1 << place
                mean += weights[before.bit_count()] * value
                low[after] = min(low[after], low[before] + value)
                high[after] = max(high[after], high[before] + value)
    return mean, low[-1], high[-1]


@alternative("over_all_orders", "recursion-and-tensor")
def over_all_orders(table):
    def sums(seen):
        rest = [place for place in range(len(table)) if not seen >> place & 1]
        if not rest:
            return torch.zeros(1, dtype=table.dtype)
        return torch.cat([table[place, seen] + sums(seen + 2**place) for place in rest])

    found = sums(0)
    return found.mean(), found.min(), found.max()


@alternative("over_all_orders", "numpy")
def over_all_orders(table):
    orders = np.array(list(itertools.permutations(range(table.shape[0]))))
    before = np.cumsum(2**orders, axis=1) - 2**orders
    found = table.numpy()[orders, before].sum(axis=1)
    return [found.mean(), found.min(), found.max()]


edit("over_all_orders", "place-in-its-own-set", {"            total += numbers[place][seen]\n            seen |= 1 << place\n": "            seen |= 1 << place\n            total += numbers[place][seen]\n"},
     "the place is put into the set before it is predicted, where NaN stands", killed_by="test_two_tokens_have_two_orders")
edit("over_all_orders", "one-order", {"itertools.permutations(range(len(numbers)))": "[range(len(numbers))]"},
     "only the order from left to right is taken", killed_by="test_two_tokens_have_two_orders")
edit("over_all_orders", "nothing-seen", {"            seen |= 1 << place\n": ""},
     "every token is predicted from none: the set stays empty", killed_by="test_two_tokens_have_two_orders")
edit("over_all_orders", "sum-of-orders", {"sum(sums) / len(sums)": "sum(sums)"},
     "the orders are added up: their mean was asked for", killed_by="test_two_tokens_have_two_orders")
edit("over_all_orders", "mean-for-a-token", {"sum(sums) / len(sums), min(sums), max(sums)": "sum(sums) / len(sums) / len(numbers), min(sums), max(sums)"},
     "the mean is divided by the number of tokens: the whole text was asked for", killed_by="test_two_tokens_have_two_orders")
edit("over_all_orders", "bits-turned-round", {"seen |= 1 << place": "seen |= 1 << (len(numbers) - 1 - place)"},
     "bits are counted from the wrong end: token 0 is bit 0, of value 1", killed_by="test_three_tokens_by_brute_force")
edit("over_all_orders", "exchanged", {"min(sums), max(sums)": "max(sums), min(sums)"},
     "the lowest and the highest are exchanged", killed_by="test_two_tokens_have_two_orders")
edit("over_all_orders", "half-the-orders", {"itertools.permutations(range(len(numbers)))": "list(itertools.permutations(range(len(numbers))))[::2]"},
     "every other order is left out", killed_by="test_two_tokens_have_two_orders")
edit("over_all_orders", "thousand-for-infinity", {"max(sums)": "max([-1000.0, *sums])"},
     "the highest begins at −1000: a text may be less likely in every order", killed_by="test_any_table_gives_what_its_sets_add_up_to")
edit("over_all_orders", "lowest-float-for-infinity", {"max(sums)": "max([-1e300, *sums])"},
     "the highest begins at a very low number: where no order is possible it is −∞", killed_by="test_what_is_impossible_in_one_order_is_minus_infinity_there")
edit("over_all_orders", "agreeing-orders-once", {"sum(sums) / len(sums)": "sum(set(sums)) / len(set(sums))"},
     "orders that agree count once: each of the N! orders counts", killed_by="test_any_table_gives_what_its_sets_add_up_to")
edit("over_all_orders", "infinity-left-out", {"total += numbers[place][seen]": "total += numbers[place][seen] if math.isfinite(numbers[place][seen]) else 0.0"},
     "−∞ is left out of the sums: what is impossible has no other probability", killed_by="test_what_is_impossible_in_one_order_is_minus_infinity_there")
edit("over_all_orders", "log-of-the-mean", {"sum(sums) / len(sums),": "math.log(sum(math.exp(x) for x in sums) / len(sums)),"},
     "this is the logarithm of the mean probability: XLNet's objective is the mean of logarithms",
     killed_by="test_two_tokens_have_two_orders")


@mistake("over_all_orders", "sets-alike", "every set counts as much as any other: a set of k places comes before a place in k! (N − 1 − k)! orders",
         killed_by="test_three_tokens_by_brute_force")
def over_all_orders(table):
    n = len(table)
    mean = sum(float(row[~row.isnan()].mean()) for row in table)
    sums = []
    for order in itertools.permutations(range(n)):
        before = [sum(2**other for other in order[:turn]) for turn in range(n)]
        sums.append(sum(float(table[place, seen]) for place, seen in zip(order, before)))
    return mean, min(sums), max(sums)


# masked_and_chained
@alternative("masked_and_chained", "text-by-text")
def masked_and_chained(joint, tokens, hidden):
    whole, alone, chain = 0.0, [0.0] * len(hidden), 0.0
    for text in itertools.product(range(joint.shape[0]), repeat=len(tokens)):
        if any(text[place] != token for place, token in enumerate(tokens) if place not in hidden):
            continue
        p = joint[text].item()
        whole += p
        for number, place in enumerate(hidden):
            alone[number] += p * (text[place] == tokens[place])
        chain += p * (list(text) == list(tokens))

    def log(p):
        return math.log(p / whole) if p > 0 else -math.inf

    return sum(log(p) for p in alone), log(chain)


@alternative("masked_and_chained", "numpy")
def masked_and_chained(joint, tokens, hidden):
    left = joint.numpy()
    for place in reversed(range(len(tokens))):
        if place not in hidden:
            left = left.take(tokens[place], axis=place)
    with np.errstate(divide="ignore"):
        whole, chain = np.log(left.sum()), np.log(left[tuple(tokens[place] for place in hidden)])
        alone = [np.log(np.moveaxis(left, axis, 0)[tokens[place]].sum()) for axis, place in enumerate(hidden)]
    return np.array([sum(part - whole for part in alone), chain - whole])


edit("masked_and_chained", "not-given-the-visible", {"    left = left / left.sum()  # as many dimensions as there are hidden places\n": ""},
     "what is visible is paid for, too: divide by its probability", killed_by="test_what_is_visible_is_given_and_not_paid_for")
edit("masked_and_chained", "visible-ignored", {"slice(None) if place in hidden else token for place, token": "slice(None) for place, token", "enumerate(hidden):": "enumerate(hidden):\n        axis = place",
     "range(len(hidden)) if other != axis": "range(len(tokens)) if other != axis",
     "left[tuple(tokens[place] for place in hidden)].log()": "left[tuple(tokens)].log()"},
     "the visible tokens are not used: the hidden ones are predicted from them", killed_by="test_with_one_bracket_visible_both_are_certain")
edit("masked_and_chained", "exchanged", {"return masked, float(left[tuple(tokens[place] for place in hidden)].log())": "return float(left[tuple(tokens[place] for place in hidden)].log()), masked"},
     "masked and chain are exchanged", killed_by="test_of_four_brackets_that_agree_a_product_gives_a_sixteenth_and_a_chain_a_fourth")
edit("masked_and_chained", "probabilities", {"alone[tokens[place]].log()": "alone[tokens[place]]", "for place in hidden)].log())": "for place in hidden)])"},
     "these are probabilities: logarithms were asked for", killed_by="test_of_four_brackets_that_agree_a_product_gives_a_sixteenth_and_a_chain_a_fourth")
edit("masked_and_chained", "chain-twice", {"return masked, float(": "masked = float(left[tuple(tokens[place] for place in hidden)].log())\n    return masked, float("},
     "masked tokens see each other here: each is predicted from the visible ones alone",
     killed_by="test_of_four_brackets_that_agree_a_product_gives_a_sixteenth_and_a_chain_a_fourth")
edit("masked_and_chained", "mean-for-a-token", {"return masked, float(": "return masked / len(hidden), float("},
     "the mean over hidden tokens: their sum was asked for", killed_by="test_of_four_brackets_that_agree_a_product_gives_a_sixteenth_and_a_chain_a_fourth")
edit("masked_and_chained", "axes-by-place", {"for axis, place in enumerate(hidden):": "for place in hidden:\n        axis = place"},
     "places are taken for axes of what is left: the visible ones are gone from it", killed_by="test_what_is_visible_is_given_and_not_paid_for")
edit("masked_and_chained", "most-likely", {"alone[tokens[place]].log()": "alone.max().log()"},
     "the likeliest token is paid for: the text's own was asked for", killed_by="test_what_is_visible_is_given_and_not_paid_for")
edit("masked_and_chained", "a-little-more", {"for place in hidden)].log())": "for place in hidden)].clamp(min=1e-12).log())"},
     "what never occurs gets 1e-12: its logarithm is −inf", killed_by="test_a_pair_that_never_occurs_is_impossible_for_the_chain_alone")
edit("masked_and_chained", "a-little-more-alone", {"alone[tokens[place]].log()": "alone[tokens[place]].clamp(min=1e-300).log()"},
     "a token that never occurs gets 1e-300: its logarithm is −inf, by itself as well", killed_by="test_a_token_that_never_occurs_is_impossible_for_both")
edit("masked_and_chained", "squeezed", {"for place, token in enumerate(tokens))]": "for place, token in enumerate(tokens))].squeeze()"},
     "where there is one kind of token alone, squeeze takes away the hidden places", killed_by="test_any_distribution_pays_what_its_texts_say")
edit("masked_and_chained", "joint-changed", {"left = left / left.sum()": "left /= left.sum().clone()"},
     "what indexing gives is a view: /= changes the caller's distribution", killed_by="test_with_one_bracket_visible_both_are_certain")
edit("masked_and_chained", "thousand-for-infinity", {"for place in hidden)].log())": "for place in hidden)].log().clamp(min=-1000.0))"},
     "what never occurs gets −1000: its logarithm is −inf", killed_by="test_a_pair_that_never_occurs_is_impossible_for_the_chain_alone")
edit("masked_and_chained", "float32", {"left = left / left.sum()": "left = left.float() / left.float().sum()"},
     "it computes in float32, which has no number as small as 1e-200", killed_by="test_rare_texts_are_paid_to_the_digit")
edit("masked_and_chained", "epsilon-below", {"left / left.sum()": "left / (left.sum() + 1e-12)"},
     "1e-12 is added below the line: what is visible may be rarer than that", killed_by="test_rare_texts_are_paid_to_the_digit")


@mistake("masked_and_chained", "nought-is-none", "a visible token of id 0 is taken for none", killed_by="test_any_distribution_pays_what_its_texts_say")
def masked_and_chained(joint, tokens, hidden):
    shown = [None if place in hidden else token for place, token in enumerate(tokens)]
    left = joint[tuple(token or slice(None) for token in shown)]
    left, axes, masked = left / left.sum(), [place for place, token in enumerate(shown) if not token], 0.0
    for place in hidden:
        others = [axis for axis, other in enumerate(axes) if other != place]
        masked += float((left.sum(dim=others) if others else left)[tokens[place]].log())
    return masked, float(left[tuple(tokens[place] for place in axes)].log())


# partial_prediction
@alternative("partial_prediction", "place-by-place")
def partial_prediction(order, k):
    n = len(order)
    count = max(n // k, 1)
    context, asked = order[: n - count], order[n - count:]
    content = torch.zeros(n, n, dtype=torch.bool)
    content[:, context] = True
    query = torch.zeros(count, n, dtype=torch.bool)
    query[:, context] = True
    for t in range(count):
        query[t, asked[:t]] = True
        content[asked[t], asked[: t + 1]] = True
    return asked, content, query


@alternative("partial_prediction", "from-the-whole-order")
def partial_prediction(order, k):
    place = torch.argsort(order)
    cut = len(order) - max(1, int(len(order) / k))
    later, query = place.clamp(min=cut - 1), None
    content = later[:, None] >= later
    query = (place[:, None] > place) & (place >= cut)[:, None]
    return [order[cut:], content, query[order[cut:]]]


edit("partial_prediction", "first-ones", {"order[-max(1, len(order) // k) :]": "order[: max(1, len(order) // k)]"},
     "the first of the order are asked for: the last ones are, which have most to go by",
     killed_by="test_the_last_third_of_the_order_is_asked_for")
edit("partial_prediction", "rounded-up", {"len(order) // k": "-(-len(order) // k)"},
     "N/k is rounded up: down", killed_by="test_the_last_third_of_the_order_is_asked_for")
edit("partial_prediction", "times-a-fraction", {"len(order) // k": "int(len(order) * (1 / k))"},
     "1/k is rounded, and N times that may fall just below a whole number: N // k", killed_by="test_of_512_places_85_are_asked_for")
edit("partial_prediction", "small-numbers", {"turn = torch.zeros_like(order)\n    turn[asked] = torch.arange(1, len(asked) + 1)": "turn = torch.zeros(len(order), dtype=torch.int8)\n    turn[asked] = torch.arange(1, len(asked) + 1).to(torch.int8)"},
     "the turns are int8, which ends at 127", killed_by="test_of_512_places_85_are_asked_for")
edit("partial_prediction", "int32", {"return asked,": "return asked.int(),"},
     "asked is int32: int64 was said, which gather and indexing take", killed_by="test_of_512_places_85_are_asked_for")
edit("partial_prediction", "rows-by-place", {"turn[asked][:, None]": "turn[asked.sort().values][:, None]"},
     "the rows of the query mask stand by place, the asked ones in the order of prediction", killed_by="test_an_asked_token_sees_the_context_and_asked_ones_before_it")
edit("partial_prediction", "perhaps-none", {"max(1, len(order) // k)": "(len(order) // k)"},
     "order[-0:] is the whole order: at least one is asked for, and here it is all", killed_by="test_at_least_one_is_asked_for")
edit("partial_prediction", "places-in-order", {"order[-max(1, len(order) // k) :]": "order[-max(1, len(order) // k) :].sort().values"},
     "the asked places are sorted, so the chain goes from left to right: they come in the order of prediction",
     killed_by="test_the_last_third_of_the_order_is_asked_for")
edit("partial_prediction", "context-in-order", {"turn = torch.zeros_like(order)\n    turn[asked] = torch.arange(1, len(asked) + 1)": "turn = order.argsort()"},
     "context tokens see only those before them in the order: they see all of the context",
     killed_by="test_context_tokens_see_all_of_the_context_and_nothing_that_is_asked_for")
edit("partial_prediction", "context-sees-all", {"turn[None, :] <= turn[:, None],": "(turn[None, :] <= turn[:, None]) | (turn == 0)[:, None],"},
     "context tokens see what is asked for: in the next layer the query reads it off them, a leak",
     killed_by="test_context_tokens_see_all_of_the_context_and_nothing_that_is_asked_for")
edit("partial_prediction", "query-sees-itself", {"turn[None, :] < turn[asked][:, None]": "turn[None, :] <= turn[asked][:, None]"},
     "the query sees its own token: strictly before", killed_by="test_an_asked_token_sees_the_context_and_asked_ones_before_it")
edit("partial_prediction", "masked-model", {"turn[None, :] < turn[asked][:, None]": "(turn == 0)[None, :].expand(len(asked), -1)"},
     "asked tokens see the context alone: that is a masked model, without the chain", killed_by="test_an_asked_token_sees_the_context_and_asked_ones_before_it")
edit("partial_prediction", "all-rows", {"turn[asked][:, None]": "turn[:, None]"},
     "the query mask has a row for every place: one for each asked place, in their order",
     killed_by="test_an_asked_token_sees_the_context_and_asked_ones_before_it")
edit("partial_prediction", "turns-from-0", {"torch.arange(1, len(asked) + 1)": "torch.arange(len(asked))"},
     "the first asked token has the turn 0, as the context has: everything sees it", killed_by="test_context_tokens_see_all_of_the_context_and_nothing_that_is_asked_for")


# by_distance
@alternative("by_distance", "row-by-row")
def by_distance(scores, places):
    keys = scores.shape[-1] // 2 + 1
    texts = []
    for number, text in enumerate(scores):
        where = places[number if len(places) > 1 else 0].tolist()
        texts.append(torch.stack([text[:, i, keys - 1 - p : 2 * keys - 1 - p] for i, p in enumerate(where)], dim=1))
    return torch.stack(texts)


@alternative("by_distance", "one-hot-distances")
def by_distance(scores, places):
    wide = scores.shape[-1]
    keys = (wide + 1) // 2
    distances = places[:, :, None] - torch.arange(keys)
    chosen = functional.one_hot(keys - 1 - distances, wide).to(scores.dtype)  # (B, N, K, 2K − 1)
    return torch.einsum("bhnr,bnkr->bhnk", scores, chosen.expand(scores.shape[0], -1, -1, -1))


edit("by_distance", "turned-round", {"keys - 1 - places": "places"},
     "the distances are turned round: a key to the left has a positive distance, and the first column is of the greatest",
     killed_by="test_each_row_gets_how_far_each_key_is_to_its_left")
edit("by_distance", "one-too-far", {"keys - 1 - places": "(keys - places).clamp(max=keys - 1)"},
     "the columns are one off: the distance 0 stands in column K − 1", killed_by="test_each_row_gets_how_far_each_key_is_to_its_left")
edit("by_distance", "no-shift", {"return scores.gather(-1, columns.expand(*scores.shape[:3], keys))": "return scores[..., :keys]"},
     "every row takes the first columns: each has distances of its own", killed_by="test_each_row_gets_how_far_each_key_is_to_its_left")
edit("by_distance", "rows-for-places", {"keys - 1 - places": "keys - 1 - torch.arange(scores.shape[2])[None] % keys"},
     "the rows' numbers are taken for their places: rows may be some of the places, in any order",
     killed_by="test_rows_may_be_some_of_the_places_in_any_order")
edit("by_distance", "places-of-the-first-text", {"keys - 1 - places": "keys - 1 - places[:1]"},
     "the places of the first text are used for all texts", killed_by="test_rows_may_be_some_of_the_places_in_any_order")
edit("by_distance", "rows-in-turn", {"keys - 1 - places": "keys - 1 - (places[:, :1] + torch.arange(places.shape[1])).clamp(max=keys - 1)"},
     "rows are taken to follow each other from the first one's place on: they may stand in any order",
     killed_by="test_rows_may_be_some_of_the_places_in_any_order")
edit("by_distance", "no-distance-ahead", {"return scores.gather(-1, columns.expand(*scores.shape[:3], keys))": "return scores.gather(-1, columns.clamp(max=keys - 1).expand(*scores.shape[:3], keys))"},
     "keys to the right count as distance 0, as in a model that looks back alone: they have negative distances",
     killed_by="test_each_row_gets_how_far_each_key_is_to_its_left")
edit("by_distance", "keys-turned-round", {"keys - 1 - places": "-places", " + torch.arange(keys, device=places.device)": " + torch.arange(keys).flip(0) + keys - 1"},
     "the keys are counted from the right", killed_by="test_each_row_gets_how_far_each_key_is_to_its_left")
edit("by_distance", "first-head", {"columns.expand(*scores.shape[:3], keys))": "columns.expand(*scores.shape[:3], keys))[:, :1].expand(*scores.shape[:3], keys)"},
     "the first head's scores are used for all heads", killed_by="test_heads_and_rows_keep_their_own_scores")
edit("by_distance", "small-numbers", {"(keys - 1 - places)[:, None, :, None] + torch.arange(keys, device=places.device)": "((keys - 1 - places).to(torch.int8)[:, None, :, None] + torch.arange(keys).to(torch.int8)).long() % (2 * keys - 1)"},
     "the columns are int8, which ends at 127", killed_by="test_the_scores_keep_their_type_and_their_digits")
edit("by_distance", "always-float32", {"return scores.gather(": "return scores.float().gather("},
     "the scores come back in float32, whatever came in", killed_by="test_the_scores_keep_their_type_and_their_digits")
edit("by_distance", "constants", {"return scores.gather(": "return scores.detach().gather("},
     "the scores are taken as constants: distances are never trained", killed_by="test_gradients_go_back_to_the_scores_that_were_taken")


# relative_scores
@alternative("relative_scores", "einsum")
def relative_scores(queries, keys, distances, u, v, places):
    d = queries.size(-1)
    ac = torch.einsum("bhnd,bhkd->bhnk", queries + u.unsqueeze(1), keys)
    bd = torch.einsum("bhnd,hrd->bhnr", queries + v.unsqueeze(1), distances)
    return (ac + by_distance(bd, places)) * d**-0.5


@alternative("relative_scores", "four-terms-and-vectors-of-pairs")
def relative_scores(queries, keys, distances, u, v, places):
    n = keys.shape[2]
    away = distances[:, n - 1 - places[:, :, None] + torch.arange(n)].transpose(0, 1)  # (B, h, N, K, d)
    content = queries @ keys.mT + (u[:, None] * keys).sum(-1)[:, :, None]
    distance = (queries[:, :, :, None] * away).sum(-1) + (v[:, None, None] * away).sum(-1)
    return content / math.sqrt(u.shape[1]) + distance / math.sqrt(u.shape[1])


edit("relative_scores", "no-content-bias", {"(queries + u[:, None]) @ keys": "queries @ keys"},
     "u is left out: it looks for contents, the same from everywhere", killed_by="test_all_four_products_are_there")
edit("relative_scores", "no-distance-bias", {"(queries + v[:, None]) @ distances": "queries @ distances"},
     "v is left out: it looks for distances, the same from everywhere", killed_by="test_all_four_products_are_there")
edit("relative_scores", "biases-exchanged", {"queries + u[:, None]": "queries + v[:, None]", "queries + v[:, None]) @ distances": "queries + u[:, None]) @ distances"},
     "u and v are exchanged", killed_by="test_with_no_queries_contents_count_by_u_and_distances_by_v")
edit("relative_scores", "one-bias", {"queries + v[:, None]) @ distances": "queries + u[:, None]) @ distances"},
     "u is used for distances, too: they have a bias of their own", killed_by="test_with_no_queries_contents_count_by_u_and_distances_by_v")
edit("relative_scores", "no-scale", {" / math.sqrt(queries.shape[-1])": ""},
     "the scores are not divided by √d", killed_by="test_with_no_queries_contents_count_by_u_and_distances_by_v")
edit("relative_scores", "content-scaled-alone", {"(content + by_distance(distance, places)) / math.sqrt(queries.shape[-1])": "content / math.sqrt(queries.shape[-1]) + by_distance(distance, places)"},
     "only the contents' part is divided by √d: both are", killed_by="test_with_no_queries_contents_count_by_u_and_distances_by_v")
edit("relative_scores", "scaled-by-all-heads", {"math.sqrt(queries.shape[-1])": "math.sqrt(queries.shape[-1] * queries.shape[1])"},
     "the width of all heads is under the root: it is that of one head", killed_by="test_both_parts_are_divided_by_the_root_of_the_heads_width")
edit("relative_scores", "queries-scaled-alone", {"(queries + u[:, None])": "(queries / math.sqrt(queries.shape[-1]) + u[:, None])", "(queries + v[:, None])": "(queries / math.sqrt(queries.shape[-1]) + v[:, None])",
     "(content + by_distance(distance, places)) / math.sqrt(queries.shape[-1])": "content + by_distance(distance, places)"},
     "the queries are divided by √d before the biases come in: the whole is divided", killed_by="test_with_no_queries_contents_count_by_u_and_distances_by_v")
edit("relative_scores", "biases-stay", {"content = (queries + u[:, None])": "queries = queries + u[:, None]\n    content = queries"},
     "u stays in the queries when they look for distances", killed_by="test_all_four_products_are_there")
edit("relative_scores", "contents-alone", {"content + by_distance(distance, places)": "content"},
     "distances are left out, so no place can be told from another", killed_by="test_all_four_products_are_there")
edit("relative_scores", "query-alone-by-distance", {"queries + v[:, None]) @ distances": "0 * queries + v[:, None]) @ distances"},
     "what a row looks for at a distance depends on its content, too: q · r is left out", killed_by="test_all_four_products_are_there")
edit("relative_scores", "bias-not-trained", {"queries + u[:, None]": "queries + u.detach()[:, None]"},
     "u is taken as a constant, so it is never trained", killed_by="test_gradients_reach_both_biases")
edit("relative_scores", "always-float32", {"return (content": "return 1.0 * (content.float().to(content.dtype)"},
     "it computes in float32, whatever comes in", killed_by="test_scores_keep_double_precision")


# mix
@alternative("mix", "infinity-where-it-is-safe")
def mix(scores, values, sees):
    sees = sees.unsqueeze(1)
    some = sees.any(dim=-1, keepdim=True)
    safe = scores.masked_fill(~sees & some, -torch.inf)
    return torch.where(some, safe.softmax(dim=-1), 0.0) @ values


@alternative("mix", "by-hand")
def mix(scores, values, sees):
    sees = sees[:, None].expand_as(scores)
    highest = scores.masked_fill(~sees, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True)
    weights = torch.where(sees, (torch.where(sees, scores, highest) - highest).exp(), torch.zeros_like(scores))
    total = weights.sum(dim=-1, keepdim=True)
    return torch.einsum("bhnk,bhkd->bhnd", weights / torch.where(total > 0, total, torch.ones_like(total)), values)


@alternative("mix", "logsumexp")
def mix(scores, values, sees):
    hidden = scores.masked_fill(~sees[:, None], torch.finfo(scores.dtype).min)
    weights = (hidden - hidden.logsumexp(dim=-1, keepdim=True)).exp() * sees[:, None].to(scores)
    return torch.einsum("bhnk,bhkd->bhnd", weights, values)


@alternative("mix", "nan-to-zero")
def mix(scores, values, sees):
    weights = scores.masked_fill(~sees[:, None], -torch.inf).softmax(dim=-1)  # no gradient goes where masked_fill has written
    return torch.nan_to_num(weights, nan=0.0) @ values


edit("mix", "mean-of-all", {".masked_fill(hidden, 0.0) @ values": " @ values"},
     "a row that sees nothing gets the mean of all values, of those that are hidden from it: equal scores, however low, are equal weights",
     killed_by="test_a_row_that_sees_nothing_gets_zeros")
edit("mix", "infinity", {"torch.finfo(scores.dtype).min": "-torch.inf", ".masked_fill(hidden, 0.0) @ values": " @ values"},
     "a row that sees nothing gets NaN: softmax over nothing is 0/0", killed_by="test_a_row_that_sees_nothing_gets_zeros")
edit("mix", "nan-to-num", {"scores.masked_fill(hidden, torch.finfo(scores.dtype).min)": "torch.where(hidden, -torch.inf, 0.0).add(scores)", "weights.masked_fill(hidden, 0.0)": "weights.nan_to_num(0.0)"},
     "NaN becomes 0 too late: gradients through the softmax are NaN already", killed_by="test_gradients_are_finite_where_a_row_sees_nothing")
edit("mix", "upside-down", {"~sees[:, None]": "sees[:, None]"},
     "the mask is turned round: True is where a row may see a key", killed_by="test_visible_values_are_weighted_by_the_softmax")
edit("mix", "hidden-after-softmax", {"scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax": "scores.softmax"},
     "what is hidden is left out after the softmax, so the weights of a row do not sum to 1", killed_by="test_visible_values_are_weighted_by_the_softmax")
edit("mix", "thousand-for-infinity", {"torch.finfo(scores.dtype).min": "-1000.0", ".masked_fill(hidden, 0.0) @ values": ".masked_fill(hidden, 0.0) @ values"},
     "hidden scores are −1000, which visible ones may be below", killed_by="test_low_scores_that_are_visible_count_more_than_high_ones_that_are_hidden")
edit("mix", "subtracted", {"scores.masked_fill(hidden, torch.finfo(scores.dtype).min)": "(scores - 1e9 * hidden)"},
     "10⁹ is taken off hidden scores: a hidden one may be greater than that", killed_by="test_low_scores_that_are_visible_count_more_than_high_ones_that_are_hidden")
edit("mix", "authors-number", {"torch.finfo(scores.dtype).min": "-1e30"},
     "hidden scores are −10³⁰, which visible ones may be below", killed_by="test_low_scores_that_are_visible_count_more_than_high_ones_that_are_hidden")
edit("mix", "hidden-overflows", {"weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)":
     "highest = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True).detach()\n    raised = torch.where(hidden, 0.0, (scores - highest).exp())\n    weights = raised / raised.sum(dim=-1, keepdim=True).clamp(min=1e-30)"},
     "exp is taken of hidden scores, too: its infinity is left out of the value, and makes the gradient NaN", killed_by="test_gradients_are_finite_where_a_row_sees_nothing")
edit("mix", "nan-to-num-at-the-end", {"torch.finfo(scores.dtype).min": "-torch.inf", "weights.masked_fill(hidden, 0.0) @ values": "(weights @ values).nan_to_num(0.0)"},
     "NaN becomes 0 too late: the gradient for the values is NaN already", killed_by="test_gradients_are_finite_where_a_row_sees_nothing")
edit("mix", "maximum-of-all", {"scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)": "(scores - scores.max(dim=-1, keepdim=True).values).exp().masked_fill(hidden, 0.0)",
     "weights.masked_fill(hidden, 0.0) @ values": "(weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-30)) @ values"},
     "the maximum runs over hidden keys, too: beside a large one all that is visible underflows", killed_by="test_any_rows_get_the_mean_of_what_they_see")
edit("mix", "small-weights-left-out", {"weights.masked_fill(hidden, 0.0)": "weights.masked_fill(hidden | (weights < 1e-4), 0.0)"},
     "weights below 1e-4 are set to 0, and the others no longer sum to 1", killed_by="test_the_mean_keeps_double_precision")
edit("mix", "softmax-over-rows", {".softmax(dim=-1)": ".softmax(dim=-2)"},
     "the softmax runs over rows: over keys", killed_by="test_visible_values_are_weighted_by_the_softmax")
edit("mix", "mask-by-head", {"~sees[:, None]": "~sees[:, :, None].transpose(1, 2)[:, :1]", "weights.masked_fill(hidden, 0.0) @ values": "(weights.masked_fill(hidden, 0.0) @ values)[:, :1].expand(*scores.shape[:3], -1)"},
     "the first head's mean is used for all heads", killed_by="test_each_text_has_its_own_mask_and_all_heads_have_the_same")
edit("mix", "first-mask", {"~sees[:, None]": "~sees[:1, None]"},
     "the first text's mask is used for all texts", killed_by="test_each_text_has_its_own_mask_and_all_heads_have_the_same")
edit("mix", "sees-itself-then", {"hidden = ~sees[:, None]": "hidden = ~(sees | ~sees.any(dim=-1, keepdim=True))[:, None]"},
     "a row that sees nothing is shown everything: it gets nothing", killed_by="test_a_row_that_sees_nothing_gets_zeros")
edit("mix", "always-float32", {"@ values": "@ values.float().to(values.dtype)"},
     "it computes in float32, whatever comes in", killed_by="test_the_mean_keeps_double_precision")


# two_streams
@alternative("two_streams", "both-streams-in-one-call")
def two_streams(layers, h, g, memory, asked, content, query):
    asks = g.size(1)
    for number, layer in enumerate(layers):
        kept = memory[number]
        texts, past = kept.shape[:2]
        places = torch.cat([asked, torch.arange(h.size(1)).expand(texts, -1)], dim=1) + past
        sees = torch.cat([query, content], dim=1)
        sees = torch.cat([sees.new_ones(texts, sees.size(1), past), sees], dim=2)
        rows = layer(torch.cat([g, h], dim=1), torch.cat([kept, h], dim=1), places, sees)
        g, h = rows[:, :asks], rows[:, asks:]
    return g


@alternative("two_streams", "content-first-and-kept")
def two_streams(layers, h, g, memory, asked, content, query):
    inputs = []
    for layer, kept in zip(layers, memory):
        inputs.append(torch.cat((kept, h), 1))
        m = kept.size(1)
        h = layer(h, inputs[-1], torch.arange(m, m + h.size(1)).unsqueeze(0), functional.pad(content, (m, 0), value=1))
    for layer, context in zip(layers, inputs):
        m = context.size(1) - content.size(2)
        g = layer(g, context, asked + m, functional.pad(query, (m, 0), value=1))
    return g


edit("two_streams", "content-of-this-layer", {"        g = layer(g, context, before + asked, functional.pad(query, (before, 0), value=True))  # (B, T, H)\n": "",
     "        h = layer(h, context, places, functional.pad(content, (before, 0), value=True))  # (B, N, H)\n":
     "        h = layer(h, context, places, functional.pad(content, (before, 0), value=True))  # (B, N, H)\n        context = torch.cat([kept, h], dim=1)\n"
     "        g = layer(g, context, before + asked, functional.pad(query, (before, 0), value=True))  # (B, T, H)\n"},
     "the query looks at the content behind the layer: both streams look at what came into it",
     killed_by="test_one_layer_where_the_query_looks_at_the_content_that_it_may_see")
edit("two_streams", "content-never-moves", {"        h = layer(h, context, places, functional.pad(content, (before, 0), value=True))  # (B, N, H)\n": ""},
     "the content stream stays at its start: it goes through the layers, too", killed_by="test_in_three_layers_both_streams_look_at_the_content_of_the_layer_before")
edit("two_streams", "content-sees-all", {"functional.pad(content, (before, 0), value=True)": "functional.pad(torch.ones_like(content), (before, 0), value=True)"},
     "the content of every place sees all: two layers on, the query reads its own token off it, a leak",
     killed_by="test_no_gradient_leads_from_a_prediction_to_its_own_token")
edit("two_streams", "query-by-content-mask", {"functional.pad(query, (before, 0), value=True)": "functional.pad(content.gather(1, asked[:, :, None].expand_as(query)), (before, 0), value=True)"},
     "the query stream goes by the content mask, so it sees its own token, a leak", killed_by="test_no_gradient_leads_from_a_prediction_to_its_own_token")
edit("two_streams", "content-by-query-mask", {"functional.pad(content, (before, 0), value=True)": "functional.pad(content & ~torch.eye(h.shape[1], dtype=torch.bool), (before, 0), value=True)"},
     "the content stream does not look at its own token: the content mask holds it", killed_by="test_in_three_layers_both_streams_look_at_the_content_of_the_layer_before")
edit("two_streams", "query-looks-at-itself", {"        g = layer(g, context, before + asked, functional.pad(query, (before, 0), value=True))  # (B, T, H)\n":
     "        streams = context.clone()\n        streams[torch.arange(len(h))[:, None], before + asked] = g\n"
     "        g = layer(g, streams, before + asked, functional.pad(query, (before, 0), value=True))  # (B, T, H)\n"},
     "keys of asked places are queries here: keys and values of both streams come from the content",
     killed_by="test_one_layer_where_the_query_looks_at_the_content_that_it_may_see")
edit("two_streams", "places-of-the-asked", {"before + asked, functional": "before + torch.arange(g.shape[1])[None], functional"},
     "the rows of g are taken for places 0, 1, …: asked says where they stand", killed_by="test_one_layer_where_the_query_looks_at_the_content_that_it_may_see")
edit("two_streams", "places-without-memory", {"before + asked, functional": "asked, functional", "places = before + torch.arange": "places = torch.arange"},
     "places are counted without the memory, which stands to the left of them", killed_by="test_memory_stands_left_of_the_text_and_is_seen_by_all")
edit("two_streams", "query-without-memorys-shift", {"before + asked, functional": "asked, functional"},
     "the asked places are counted without the memory", killed_by="test_memory_stands_left_of_the_text_and_is_seen_by_all")
edit("two_streams", "memory-hidden", {"functional.pad(query, (before, 0), value=True)": "functional.pad(query, (before, 0), value=False)"},
     "the query does not see the memory: everything in it may be seen", killed_by="test_memory_stands_left_of_the_text_and_is_seen_by_all")
edit("two_streams", "memory-on-the-right", {"torch.cat([kept, h], dim=1)": "torch.cat([h, kept], dim=1)", "before + asked, functional.pad(query, (before, 0)": "asked, functional.pad(query, (0, before)",
     "functional.pad(content, (before, 0)": "functional.pad(content, (0, before)", "places = before + torch.arange": "places = torch.arange"},
     "the memory stands right of the text: it came before it", killed_by="test_memory_stands_left_of_the_text_and_is_seen_by_all")
edit("two_streams", "one-memory-for-all", {"        before = kept.shape[1]  # M": "        kept = memory[0]\n        before = kept.shape[1]  # M"},
     "the first layer's memory is used in all layers: each has its own", killed_by="test_memory_stands_left_of_the_text_and_is_seen_by_all")
edit("two_streams", "memory-left-out", {"        before = kept.shape[1]  # M": "        kept = kept[:, :0]\n        before = kept.shape[1]  # M"},
     "the memory is left out", killed_by="test_memory_stands_left_of_the_text_and_is_seen_by_all")
edit("two_streams", "asked-changed", {"        before = kept.shape[1]  # M": "        before = kept.shape[1]  # M\n        asked += before if kept is memory[0] else 0", "before + asked, functional": "asked, functional"},
     "+= shifts the caller's places", killed_by="test_memory_stands_left_of_the_text_and_is_seen_by_all")
edit("two_streams", "memory-replaced", {"    for layer, kept in zip(layers, memory):": "    for number, layer in enumerate(layers):\n        kept = memory[number]\n        memory[number] = h.detach()"},
     "the new memory is written into the caller's list", killed_by="test_in_three_layers_both_streams_look_at_the_content_of_the_layer_before")
edit("two_streams", "first-query-again", {"        g = layer(g, context, before": "        start = g if kept is memory[0] else start\n        g = layer(start, context, before"},
     "each layer begins with the first query again: it goes on with what the last one made", killed_by="test_in_three_layers_both_streams_look_at_the_content_of_the_layer_before")
edit("two_streams", "masks-made-anew", {"functional.pad(content, (before, 0), value=True)": "functional.pad(content | torch.eye(h.shape[1], dtype=torch.bool), (before, 0), value=True)"},
     "every place sees itself, whatever the mask says", killed_by="test_any_text_is_predicted_as_row_by_row")
edit("two_streams", "content-detached", {"context = torch.cat([kept, h], dim=1)": "context = torch.cat([kept, h.detach()], dim=1)"},
     "no gradient reaches the content: it is trained through the query", killed_by="test_no_gradient_leads_from_a_prediction_to_its_own_token")
edit("two_streams", "content-returned", {"    return g": "    return h.gather(1, asked[:, :, None].expand(-1, -1, h.shape[2]))"},
     "the content of the asked places comes back, which knows their tokens: the query stream was asked for",
     killed_by="test_one_layer_where_the_query_looks_at_the_content_that_it_may_see")


# remember
@alternative("remember", "split")
def remember(memory, hidden, length):
    parts = [hidden] if memory is None else [memory, hidden]
    both = torch.cat([part.detach() for part in parts], dim=1)
    return both[:, both.size(1) - min(length, both.size(1)):]


@alternative("remember", "no-grad")
def remember(memory, hidden, length):
    with torch.no_grad():
        both = hidden.clone() if memory is None else torch.cat((memory, hidden), 1)
        return both[:, -length:] if length else both[:, :0]


edit("remember", "not-detached", {".detach()": ""},
     "gradients go back through the memory, into all of the text before", killed_by="test_no_gradient_goes_back_through_memory")
edit("remember", "minus-zero", {"both[:, max(0, both.shape[1] - length) :]": "both[:, -length:]"},
     "x[:, -0:] is everything: a memory of length 0 is empty", killed_by="test_a_memory_of_length_0_is_empty")
edit("remember", "first-ones", {"both[:, max(0, both.shape[1] - length) :]": "both[:, :length]"},
     "the first places are kept: the last ones are nearest to what comes", killed_by="test_the_last_places_are_kept")
edit("remember", "part-alone", {"torch.cat([memory, hidden], dim=1)": "hidden"},
     "what was kept before is thrown away, though there is room for some of it", killed_by="test_the_last_places_are_kept")
edit("remember", "wrong-way-round", {"torch.cat([memory, hidden], dim=1)": "torch.cat([hidden, memory], dim=1)"},
     "the memory stands behind the new part: it came before it", killed_by="test_the_last_places_are_kept")
edit("remember", "below-zero", {"max(0, both.shape[1] - length)": "both.shape[1] - length"},
     "where there is less than may be kept, the beginning is below 0 and counts from the end", killed_by="test_at_the_beginning_there_is_less_than_it_may_keep")
edit("remember", "no-beginning", {"hidden if memory is None else torch.cat([memory, hidden], dim=1)": "torch.cat([memory, hidden], dim=1)"},
     "at the beginning there is no memory: None", killed_by="test_at_the_beginning_there_is_less_than_it_may_keep")
edit("remember", "memory-alone-detached", {"torch.cat([memory, hidden], dim=1)": "torch.cat([memory.detach(), hidden], dim=1)", "length) :].detach()": "length) :]"},
     "only what was kept before is cut off: what is remembered now must be, too", killed_by="test_no_gradient_goes_back_through_memory")
edit("remember", "cut-off-part-alone", {"hidden if memory is None else torch.cat([memory, hidden], dim=1)": "hidden.detach() if memory is None else torch.cat([memory, hidden.detach()], dim=1)", "length) :].detach()": "length) :]"},
     "gradients go back into what was kept before", killed_by="test_no_gradient_goes_back_into_what_was_kept_before")
edit("remember", "nought-is-none", {"hidden if memory is None": "hidden if memory is None or not memory.any()"},
     "a memory of zeros is taken for none", killed_by="test_any_memory_keeps_the_last_places")
edit("remember", "short-is-not-cut-off", {".detach()": ".detach() if both.shape[1] > length else both"},
     "what is short comes back as it was, gradients and all", killed_by="test_no_gradient_goes_back_through_memory")
edit("remember", "cut-off-in-place", {"both = hidden if": "hidden.detach_()\n    both = hidden if"},
     "detach_ cuts off the part itself, which this step is to be trained by", killed_by="test_the_part_itself_goes_on_asking_for_gradients")
edit("remember", "texts-for-places", {"both[:, max(0, both.shape[1] - length) :]": "both[max(0, both.shape[0] - length) :]"},
     "the last texts are kept: places are dimension 1", killed_by="test_the_last_places_are_kept")
edit("remember", "at-most-512", {"both.shape[1] - length)": "both.shape[1] - min(length, 512))"},
     "no more than 512 places are kept, whatever was said", killed_by="test_what_is_remembered_keeps_its_type")
edit("remember", "always-float32", {".detach()": ".detach().float().to(hidden.dtype)"},
     "the memory is kept in float32, whatever comes in", killed_by="test_what_is_remembered_keeps_its_type")


equivalent("over_all_orders", "4: order → __import__('itertools').islice(order, 10)", "there are six tokens at most")
equivalent("by_distance", "2: torch.arange(keys, device=places.device) → torch.arange(keys)", "the checks run on a CPU")
equivalent("two_streams", "4: torch.arange(h.shape[1], device=h.device) → torch.arange(h.shape[1])", "the checks run on a CPU")
equivalent("by_distance", "1: scores.shape[-1] + 1 → scores.shape[-1] + 2", "there are 2K − 1 columns, an odd number")
equivalent("masked_and_chained", "4: enumerate(hidden) → [(hidden.index(item), item) for item in hidden]",
           "the hidden places differ from each other")
for label in ("1: keys.transpose(-1, -2) → keys.transpose(-2, -1)", "1: keys.transpose(-1, -2) → keys.transpose(-1, 2)",
              "2: distances.transpose(-1, -2) → distances.transpose(-2, -1)"):
    equivalent("relative_scores", label, "the same two dimensions are exchanged")
