"""generation: classic mistakes and other right ways, for each exercise. Never released."""

import math
from collections import Counter

import torch

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)

# next_probabilities
edit("next_probabilities", "multiplied", {"logits / temperature": "logits * temperature"},
     "the logits are multiplied by the temperature: they are divided by it",
     killed_by="test_odds_are_raised_to_one_over_the_temperature")
edit("next_probabilities", "after-the-softmax",
     {"(logits / temperature).softmax(dim=-1)": "logits.softmax(dim=-1) / temperature"},
     "probabilities are divided by the temperature: the logits are, before the softmax",
     killed_by="test_odds_are_raised_to_one_over_the_temperature")
edit("next_probabilities", "forgotten", {"(logits / temperature)": "logits"},
     "the temperature is not used", killed_by="test_odds_are_raised_to_one_over_the_temperature")
edit("next_probabilities", "no-zero", {"temperature == 0": "temperature < 0"},
     "temperature 0 has no case of its own: a division by 0 gives no number",
     killed_by="test_at_temperature_zero_the_likeliest_has_everything")
edit("next_probabilities", "equals-do-not-share",
     {"return likeliest / likeliest.sum(dim=-1, keepdim=True)": "return likeliest"},
     "at temperature 0 equals get 1 each: they share it", killed_by="test_at_temperature_zero_equals_share")
edit("next_probabilities", "softmax-over-texts", {"(logits / temperature).softmax(dim=-1)": "(logits / temperature).softmax(dim=0)"},
     "the softmax runs over the texts: it runs over the vocabulary",
     killed_by="test_at_temperature_one_it_is_the_softmax")
edit("next_probabilities", "largest-of-all", {"logits.amax(dim=-1, keepdim=True)": "logits.max()"},
     "at temperature 0 the largest logit of all texts counts: each row has its own",
     killed_by="test_at_temperature_zero_the_likeliest_has_everything")


@mistake("next_probabilities", "exponentials", "e to the power of the logit is too large a number for a float: take the largest of the row off first",
         killed_by="test_low_temperatures_do_not_overflow")
def next_probabilities(logits, temperature):
    if temperature == 0:
        likeliest = (logits == logits.amax(dim=-1, keepdim=True)).to(logits.dtype)
        return likeliest / likeliest.sum(dim=-1, keepdim=True)
    weights = (logits / temperature).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


@mistake("next_probabilities", "first-of-equals", "at temperature 0 the first of equals gets everything: they share it equally",
         killed_by="test_at_temperature_zero_equals_share")
def next_probabilities(logits, temperature):
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.size(-1)).to(logits.dtype)
    return (logits / temperature).softmax(dim=-1)


edit("next_probabilities", "least-temperature", {"    if temperature == 0:\n": "    temperature = max(temperature, 1e-6)\n    if temperature == 0:\n"},
     "a temperature near 0 stands for 0, so nearly equal logits share: the largest alone has everything",
     killed_by="test_at_temperature_zero_the_least_gap_decides")
edit("next_probabilities", "least-temperature-of-a-thousandth", {"    if temperature == 0:\n": "    temperature = max(temperature, 1e-3)\n    if temperature == 0:\n"},
     "temperatures below 0.001 are taken for 0.001", killed_by="test_a_temperature_near_zero_is_none_at_zero")
edit("next_probabilities", "added-to-the-temperature", {"    if temperature == 0:\n": "    temperature = temperature + 1e-6\n    if temperature == 0:\n"},
     "something small is added to the temperature, so at 0 nearly equal logits share",
     killed_by="test_at_temperature_zero_the_least_gap_decides")
edit("next_probabilities", "low-is-zero", {"temperature == 0": "temperature < 1e-2"},
     "a temperature below 0.01 is taken for 0", killed_by="test_a_temperature_near_zero_is_none_at_zero")
edit("next_probabilities", "very-low-is-zero", {"temperature == 0": "temperature < 1e-4"},
     "a temperature below 0.0001 is taken for 0", killed_by="test_a_temperature_near_zero_is_none_at_zero")
edit("next_probabilities", "nearly-equal-share", {"(logits == logits.amax(dim=-1, keepdim=True))": "torch.isclose(logits, logits.amax(dim=-1, keepdim=True))"},
     "at temperature 0 nearly equal logits share: only those equal to the largest do",
     killed_by="test_at_temperature_zero_the_least_gap_decides")
edit("next_probabilities", "equal-to-a-thousandth-share",
     {"(logits == logits.amax(dim=-1, keepdim=True))": "torch.isclose(logits, logits.amax(dim=-1, keepdim=True), atol=1e-3)"},
     "at temperature 0 logits within a thousandth of the largest share with it",
     killed_by="test_at_temperature_zero_the_least_gap_decides")
edit("next_probabilities", "minus-a-thousand", {"    if temperature == 0:\n": "    logits = logits.clamp(min=-1000)\n    if temperature == 0:\n"},
     "−∞ becomes −1000, which is likely where the others are lower still",
     killed_by="test_what_is_shut_out_has_nothing_however_low_the_others_are")
edit("next_probabilities", "as-numpy", {"(logits / temperature).softmax(dim=-1)": "(logits / temperature).softmax(dim=-1).numpy()"},
     "an array of numpy comes back: the cells below need a tensor", killed_by="test_probabilities_are_a_tensor")


@mistake("next_probabilities", "powers-of-probabilities", "probabilities are raised to 1 / T: at a low temperature all become 0. Divide the logits",
         killed_by="test_a_temperature_near_zero_is_none_at_zero")
def next_probabilities(logits, temperature):
    if temperature == 0:
        likeliest = (logits == logits.amax(dim=-1, keepdim=True)).to(logits.dtype)
        return likeliest / likeliest.sum(dim=-1, keepdim=True)
    weights = logits.softmax(dim=-1) ** (1 / temperature)
    return weights / weights.sum(dim=-1, keepdim=True)


@alternative("next_probabilities", "largest-taken-off")
def next_probabilities(logits, temperature):
    gaps = logits - logits.max(dim=-1, keepdim=True).values  # (B, V)
    weights = (gaps == 0).double() if temperature == 0 else torch.exp(gaps / temperature)
    return weights / weights.sum(dim=-1, keepdim=True)


@alternative("next_probabilities", "row-by-row")
def next_probabilities(logits, temperature):
    rows = []
    for row in logits:
        if temperature == 0:
            best = row == row.max()
            rows.append(best.float() / best.sum())
        else:
            rows.append(torch.softmax(row / temperature, dim=0))
    return torch.stack(rows)


@alternative("next_probabilities", "masked-softmax")
def next_probabilities(logits, temperature):
    if temperature > 0:
        return torch.nn.functional.softmax(logits / temperature, dim=1)
    best = logits.max(dim=1, keepdim=True)[0]
    return torch.nn.functional.softmax(torch.where(logits < best, -torch.inf, torch.zeros_like(logits)), dim=1)


edit("next_probabilities", "extremely-low-is-zero", {"temperature == 0": "temperature < 1e-8"},
     "temperatures below 10⁻⁸ are taken for 0", killed_by="test_a_temperature_near_zero_is_none_at_zero")
edit("next_probabilities", "within-a-billionth", {"logits == logits.amax(dim=-1, keepdim=True)": "logits >= logits.amax(dim=-1, keepdim=True) - 1e-9"},
     "at temperature 0 logits 10⁻⁹ below the largest share: only those equal to it do", killed_by="test_at_temperature_zero_the_least_gap_decides")
edit("next_probabilities", "minus-a-billion", {"    if temperature == 0:\n": "    logits = logits.clamp(min=-1e9)\n    if temperature == 0:\n"},
     "−10⁹ stands for −∞: what is shut out may then be likelier than the others",
     killed_by="test_what_is_shut_out_has_nothing_however_low_the_others_are")
edit("next_probabilities", "at-most-ten", {"    if temperature == 0:\n": "    temperature = min(temperature, 10)\n    if temperature == 0:\n"},
     "temperatures above 10 are taken for 10", killed_by="test_a_temperature_may_be_high")


# draw
edit("draw", "at-least", {"<= noise": "< noise"},
     "a sum equal to the noise is taken: it has to exceed it", killed_by="test_a_stretch_begins_with_its_left_end")
edit("draw", "no-sums", {"probabilities.cumsum(dim=-1)": "probabilities"},
     "single probabilities are compared with the noise: their running sums are",
     killed_by="test_the_noise_falls_into_a_stretch_of_the_line")
edit("draw", "rounding-forgotten", {"left.minimum(last)": "left"},
     "where the sum of all is rounded below the noise, a token is drawn that there is not",
     killed_by="test_where_rounding_leaves_too_small_a_sum_the_last_possible_token_is_drawn")
edit("draw", "last-of-the-vocabulary", {"left.minimum(last)": "left.clamp(max=probabilities.size(-1) - 1)"},
     "where the sum of all is rounded below the noise, the vocabulary's last token is drawn, even with probability 0",
     killed_by="test_where_rounding_leaves_too_small_a_sum_the_last_possible_token_is_drawn")
edit("draw", "one-too-far", {".sum(dim=-1)  # (B, V) → (B,)": ".sum(dim=-1) + 1"},
     "the token after the right one is drawn: ids count from 0",
     killed_by="test_the_noise_falls_into_a_stretch_of_the_line")
edit("draw", "sums-down-the-batch", {"probabilities.cumsum(dim=-1)": "probabilities.cumsum(dim=0)"},
     "the sums run over the texts: they run over the vocabulary",
     killed_by="test_the_noise_falls_into_a_stretch_of_the_line")
edit("draw", "one-noise-for-all", {"noise[:, None]": "noise[:1, None]"},
     "all rows get the first noise: each has its own", killed_by="test_the_noise_falls_into_a_stretch_of_the_line")


@mistake("draw", "sorted-first", "the line is laid out from the likeliest token on: it is laid out in the order of the ids",
         killed_by="test_each_row_has_probabilities_and_noise_of_its_own")
def draw(probabilities, noise):
    ordered, order = probabilities.sort(dim=-1, descending=True)
    left = (ordered.cumsum(dim=-1) <= noise[:, None]).sum(dim=-1)
    left = left.minimum((ordered > 0).sum(dim=-1) - 1)
    return order.gather(1, left[:, None])[:, 0]


@mistake("draw", "noise-of-its-own", "noise is drawn anew: it is given, so that the result is exact",
         killed_by="test_the_noise_falls_into_a_stretch_of_the_line")
def draw(probabilities, noise):
    return torch.multinomial(probabilities, 1, generator=torch.Generator().manual_seed(0))[:, 0]


@mistake("draw", "greedy", "the likeliest token is taken, whatever the noise",
         killed_by="test_the_noise_falls_into_a_stretch_of_the_line")
def draw(probabilities, noise):
    return probabilities.argmax(dim=-1)


edit("draw", "tiny-is-nothing", {"probabilities.flip(-1) > 0": "probabilities.flip(-1) > 1e-4"},
     "the last token of more than a small probability is drawn: any above 0 is possible",
     killed_by="test_the_last_possible_token_may_be_hardly_possible")
edit("draw", "very-tiny-is-nothing", {"probabilities.flip(-1) > 0": "probabilities.flip(-1) > 1e-8"},
     "the last token of more than 10⁻⁸ is drawn: any above 0 is possible",
     killed_by="test_the_last_possible_token_may_be_hardly_possible")
edit("draw", "a-column", {"return left.minimum(last)": "return left.minimum(last)[:, None]"},
     "a column (B, 1) comes back: (B,) was asked for", killed_by="test_one_int64_comes_back_for_each_row")
edit("draw", "int32", {"return left.minimum(last)": "return left.minimum(last).int()"},
     "int32 comes back: int64 was asked for", killed_by="test_one_int64_comes_back_for_each_row")
edit("draw", "a-list", {"return left.minimum(last)": "return left.minimum(last).tolist()"},
     "a list comes back: the cells below need a tensor", killed_by="test_one_int64_comes_back_for_each_row")
edit("draw", "noise-capped", {"noise[:, None]": "noise.clamp(max=0.999)[:, None]"},
     "the noise is cut off below 1: the last thousandth of the line is never met",
     killed_by="test_a_narrow_stretch_at_an_end_is_found")
edit("draw", "noise-between-epsilons", {"noise[:, None]": "noise.clamp(1e-6, 1 - 1e-6)[:, None]"},
     "the noise is moved away from 0 and 1: the ends of the line are never met",
     killed_by="test_a_narrow_stretch_at_an_end_is_found")
edit("draw", "sums-rounded", {"probabilities.cumsum(dim=-1)": "probabilities.cumsum(dim=-1).round(decimals=4)"},
     "the sums are rounded: a narrow stretch vanishes", killed_by="test_a_narrow_stretch_at_an_end_is_found")


@alternative("draw", "searchsorted")
def draw(probabilities, noise):
    sums = probabilities.cumsum(dim=-1)
    places = torch.searchsorted(sums, noise.to(sums.dtype)[:, None], right=True)[:, 0]
    ids = torch.arange(probabilities.size(-1), device=probabilities.device)
    last = torch.where(probabilities > 0, ids, -1).amax(dim=-1)
    return torch.minimum(places, last)


@alternative("draw", "loop")
def draw(probabilities, noise):
    drawn = []
    for row, point in zip(probabilities.tolist(), noise.tolist()):
        total, token = 0.0, 0
        for i, p in enumerate(row):
            if p > 0:
                token = i
            total += p
            if total > point:
                break
        drawn.append(token)
    return torch.tensor(drawn, device=probabilities.device)


@alternative("draw", "argmax-of-the-first-above")
def draw(probabilities, noise):
    above = probabilities.cumsum(dim=1) > noise.unsqueeze(1)
    first = above.int().argmax(dim=1)
    back = (probabilities > 0).int().flip(1).argmax(dim=1)
    return torch.where(above.any(dim=1), first, probabilities.size(1) - 1 - back)


edit("draw", "single-precision", {"probabilities.cumsum(dim=-1) <= noise[:, None]": "probabilities.float().cumsum(dim=-1) <= noise[:, None].float()"},
     "probabilities are rounded to float32, which loses narrow stretches", killed_by="test_a_narrow_stretch_at_an_end_is_found")
edit("draw", "first-thousand", {"left = (probabilities.cumsum(dim=-1)": "left = (probabilities[:, :1000].cumsum(dim=-1)"},
     "only the first 1,000 tokens lie on the line", killed_by="test_any_of_many_tokens_may_be_drawn")


# top_k
edit("top_k", "ties-cut", {"return logits.masked_fill(logits < least, -torch.inf)":
     "order = logits.topk(min(k, logits.size(-1)), dim=-1).indices\n    return torch.full_like(logits, -torch.inf).scatter(1, order, logits.gather(1, order))"},
     "of those as likely as the last one only some stay: all of them do", killed_by="test_those_as_likely_as_the_last_stay_too")
edit("top_k", "last-shut-out", {"logits < least": "logits <= least"},
     "the last of the k is shut out too", killed_by="test_the_k_largest_logits_stay_where_they_are")
edit("top_k", "too-few-tokens", {"min(k, logits.size(-1))": "k"},
     "k may be more than there are tokens: then all stay", killed_by="test_k_may_be_more_than_there_are_tokens")
edit("top_k", "zeros", {"-torch.inf": "0.0"},
     "shut out logits are 0, which is not impossible: e⁰ = 1", killed_by="test_the_k_largest_logits_stay_where_they_are")
edit("top_k", "one-threshold", {"logits < least": "logits < least.min()"},
     "one threshold serves all texts: each row has its own", killed_by="test_each_row_has_a_threshold_of_its_own")
edit("top_k", "smallest", {"dim=-1)": "dim=-1, largest=False)", "logits < least": "logits > least"},
     "the k least likely tokens stay", killed_by="test_the_k_largest_logits_stay_where_they_are")
edit("top_k", "values-alone", {"return logits.masked_fill(logits < least, -torch.inf)": "return logits.topk(min(k, logits.size(-1)), dim=-1).values"},
     "the k logits come back alone: they stay in their places", killed_by="test_the_k_largest_logits_stay_where_they_are")


@mistake("top_k", "written-into-the-argument", "the logits that came in are changed: return new ones",
         killed_by="test_the_k_largest_logits_stay_where_they_are")
def top_k(logits, k):
    least = logits.topk(min(k, logits.size(-1)), dim=-1).values[:, -1:]
    logits[logits < least] = -torch.inf
    return logits


@mistake("top_k", "equals-count-once", "equal logits are counted as one token: two 2s are two tokens",
         killed_by="test_those_as_likely_as_the_last_stay_too")
def top_k(logits, k):
    least = torch.stack([row.unique().flip(0)[:k][-1:] for row in logits])
    return logits.masked_fill(logits < least, -torch.inf)


edit("top_k", "by-probability", {"least = logits.topk(": "chances = logits.softmax(dim=-1)\n    least = chances.topk(", "logits < least": "chances < least"},
     "probabilities are compared: those of unlikely tokens round to 0, and become equal",
     killed_by="test_the_unlikeliest_tokens_differ_too")
edit("top_k", "nearly-equal-stay", {"logits < least": "logits < least - 1e-4"},
     "logits a little below the last of the k stay: only those equal to it do", killed_by="test_the_least_gap_shuts_out")
edit("top_k", "close-ones-stay", {"logits < least": "(logits < least) & ~torch.isclose(logits, least)"},
     "logits close to the last of the k stay: only those equal to it do", killed_by="test_the_least_gap_shuts_out")
edit("top_k", "at-most-forty", {"min(k, logits.size(-1))": "min(k, logits.size(-1), 40)"},
     "never more than 40 stay: k says how many", killed_by="test_many_may_stay")
edit("top_k", "single-precision", {"least = logits.topk(": "logits = logits.float()\n    least = logits.topk("},
     "the logits are rounded to float32, which makes some equal", killed_by="test_the_least_gap_shuts_out")
edit("top_k", "half-precision", {"least = logits.topk(": "small = logits.bfloat16()\n    least = small.topk(", "logits < least": "small < least"},
     "logits are compared in half precision, which makes many equal", killed_by="test_the_least_gap_shuts_out")


@alternative("top_k", "sorted")
def top_k(logits, k):
    ordered = logits.sort(dim=-1, descending=True).values
    least = ordered[:, min(k, ordered.size(1)) - 1, None]
    return torch.where(logits >= least, logits, torch.full_like(logits, -math.inf))


@alternative("top_k", "counted", slow="compares each token with each other: V² comparisons of 1,500 tokens")
def top_k(logits, k):
    likelier = (logits[:, None, :] > logits[:, :, None]).sum(dim=-1)  # (B, V)
    return logits.masked_fill(likelier >= k, float("-inf"))


@alternative("top_k", "row-by-row")
def top_k(logits, k):
    left = torch.full_like(logits, -torch.inf)
    for i, row in enumerate(logits):
        least = sorted(row.tolist(), reverse=True)[:k][-1]
        stays = row >= least
        left[i, stays] = row[stays]
    return left


edit("top_k", "within-a-billionth", {"logits < least": "logits < least - 1e-9"},
     "logits 10⁻⁹ below the last of the k stay: only those equal to it do", killed_by="test_the_least_gap_shuts_out")
edit("top_k", "returned-in-float32", {"return logits.masked_fill(": "return logits.float().masked_fill("},
     "the logits come back as float32, whatever they were: they keep their type",
     killed_by="test_the_logits_that_stay_are_the_same_numbers")


# top_p
edit("top_p", "one-missing", {"- probabilities  # (B, V), of all likelier tokens together": ""},
     "the token with which the sum reaches p is shut out: it is still needed",
     killed_by="test_tokens_stay_until_their_probabilities_reach_p")
edit("top_p", "none-stays", {"    needed[:, 0] = True\n": ""},
     "with p = 0 no token stays: one always does", killed_by="test_one_token_always_stays")
edit("top_p", "not-back-in-place", {"needed.scatter(1, order, needed)": "needed"},
     "what is known of the sorted tokens is applied to the unsorted ones",
     killed_by="test_the_likeliest_stay_wherever_they_stand")
edit("top_p", "wrong-way-back", {"needed.scatter(1, order, needed)": "needed.gather(1, order)"},
     "gather with the order of the sort goes the wrong way: scatter brings each back to its place",
     killed_by="test_each_row_has_a_nucleus_of_its_own")
edit("top_p", "least-likely-first", {"descending=True": "descending=False"},
     "the sum begins with the least likely tokens: it begins with the likeliest",
     killed_by="test_tokens_stay_until_their_probabilities_reach_p")
edit("top_p", "exponentials", {"logits.softmax(dim=-1)": "logits.exp()"},
     "logits are not logarithms of probabilities: the softmax makes them sum to 1",
     killed_by="test_logits_need_not_be_logarithms_of_probabilities")
edit("top_p", "probabilities-come-back", {"logits.masked_fill(": "logits.softmax(dim=-1).masked_fill("},
     "probabilities come back: the logits were asked for",
     killed_by="test_tokens_stay_until_their_probabilities_reach_p")


@mistake("top_p", "threshold-on-each", "each token's own probability is compared with something: their sum from the likeliest on is",
         killed_by="test_tokens_stay_until_their_probabilities_reach_p")
def top_p(logits, p):
    probabilities = logits.softmax(dim=-1)
    return logits.masked_fill(probabilities < (1 - p) * probabilities.amax(dim=-1, keepdim=True), -torch.inf)


@mistake("top_p", "first-row-for-all", "the nucleus of the first row serves all: each row has its own",
         killed_by="test_each_row_has_a_nucleus_of_its_own")
def top_p(logits, p):
    probabilities, order = logits[0].softmax(dim=-1).sort(descending=True)
    before = probabilities.cumsum(dim=-1) - probabilities
    count = max(1, int((before < p).sum()))
    left = torch.full_like(logits, -torch.inf)
    left[:, order[:count]] = logits[:, order[:count]]
    return left


@mistake("top_p", "share-of-the-largest", "tokens whose own probability is at least p times the largest stay: their sum decides",
         killed_by="test_tokens_stay_until_their_probabilities_reach_p")
def top_p(logits, p):
    probabilities = logits.softmax(dim=-1)
    return logits.masked_fill(probabilities < p * probabilities.amax(dim=-1, keepdim=True), -torch.inf)


edit("top_p", "one-more-at-equality", {"needed = before < p": "needed = before <= p"},
     "where the sum is p exactly one more token stays: p or more is enough", killed_by="test_a_sum_of_exactly_p_is_enough")
edit("top_p", "half-precision", {"probabilities.cumsum(dim=-1) - probabilities  #": "probabilities.bfloat16().cumsum(dim=-1) - probabilities.bfloat16()  #"},
     "the sums are in half precision, which is wrong by a thousandth and more", killed_by="test_half_a_thousandth_decides")
edit("top_p", "slack", {"needed = before < p": "needed = before < p - 1e-3"},
     "a sum a thousandth below p is taken for enough", killed_by="test_half_a_thousandth_decides")
edit("top_p", "never-all", {"needed = before < p": "needed = before < min(p, 0.99)"},
     "p is never more than 0.99: with 1 all stay", killed_by="test_p_of_one_leaves_all_that_counts")
edit("top_p", "minus-a-thousand", {"    probabilities, order =": "    logits = logits.clamp(min=-1000)\n    probabilities, order ="},
     "−∞ becomes −1000, and so do logits that are lower", killed_by="test_huge_logits_do_not_overflow")


@mistake("top_p", "shifted-by-one", "where the sum is p exactly one more token stays: p or more is enough, not more than p alone",
         killed_by="test_a_sum_of_exactly_p_is_enough")
def top_p(logits, p):
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    shut = probabilities.cumsum(dim=-1) > p
    shut[:, 1:] = shut[:, :-1].clone()
    shut[:, 0] = False
    return logits.masked_fill(shut.scatter(1, order, shut), -torch.inf)


@mistake("top_p", "searchsorted-from-the-right", "the first sum above p is looked for: one of p exactly is enough",
         killed_by="test_a_sum_of_exactly_p_is_enough")
def top_p(logits, p):
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    sums = probabilities.cumsum(dim=-1)
    last = torch.searchsorted(sums, torch.full_like(sums[:, :1], p), right=True)  # (B, 1)
    needed = torch.arange(logits.size(1), device=logits.device) <= last
    return logits.masked_fill(~torch.zeros_like(needed).scatter(1, order, needed), -torch.inf)


@mistake("top_p", "until-above-p", "tokens are added until their sum exceeds p: until it reaches p",
         killed_by="test_a_sum_of_exactly_p_is_enough")
def top_p(logits, p):
    left = torch.full_like(logits, -torch.inf)
    for i, row in enumerate(logits.softmax(dim=-1)):
        total = 0.0
        for token in row.argsort(descending=True).tolist():
            left[i, token] = logits[i, token]
            total += float(row[token])
            if total > p:
                break
    return left


@mistake("top_p", "sum-that-never-comes", "a sum of p is expected to come: rounding may leave the last one below 1",
         killed_by="test_p_of_one_leaves_all_that_counts")
def top_p(logits, p):
    left = torch.full_like(logits, -torch.inf)
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    for i, sums in enumerate(probabilities.cumsum(dim=-1)):
        stay = order[i, : int((sums >= p).nonzero()[0]) + 1]
        left[i, stay] = logits[i, stay]
    return left


@alternative("top_p", "least-probability")
def top_p(logits, p):
    probabilities = logits.softmax(dim=-1)
    ordered, order = probabilities.sort(dim=-1, descending=True)
    sums = ordered.cumsum(dim=-1)
    shut = torch.zeros_like(sums, dtype=torch.bool)
    shut[:, 1:] = sums[:, :-1] >= p
    places = torch.empty_like(order).scatter_(1, order, torch.arange(order.size(1), device=order.device).expand_as(order).contiguous())
    return torch.where(shut.gather(1, places), -torch.inf, logits)


@alternative("top_p", "row-by-row")
def top_p(logits, p):
    left = torch.full_like(logits, -torch.inf)
    for i, row in enumerate(torch.softmax(logits, dim=-1)):
        order = row.argsort(descending=True)
        total, count = 0.0, 0
        for probability in row[order].tolist():
            total += probability
            count += 1
            if total >= p:
                break
        left[i, order[:count]] = logits[i, order[:count]]
    return left


@alternative("top_p", "searchsorted")
def top_p(logits, p):
    ordered, order = logits.sort(dim=-1, descending=True)
    sums = ordered.softmax(dim=-1).cumsum(dim=-1)  # (B, V)
    last = torch.searchsorted(sums, torch.full_like(sums[:, :1], p))  # (B, 1): the first sum of p or more
    shut = torch.arange(logits.size(1), device=logits.device) > last
    return torch.full_like(logits, -torch.inf).scatter(1, order, ordered.masked_fill(shut, -torch.inf))


edit("top_p", "minus-a-billion", {"    probabilities, order =": "    logits = logits.clamp(min=-1e9)\n    probabilities, order ="},
     "−10⁹ stands for −∞: what is shut out may then be likelier than the others",
     killed_by="test_what_was_shut_out_before_stays_out_and_counts_nothing")
edit("top_p", "returned-in-float32", {"return logits.masked_fill(": "return logits.float().masked_fill("},
     "the logits come back as float32, whatever they were: they keep their type",
     killed_by="test_the_logits_that_stay_are_the_same_numbers_after_top_p")
edit("top_p", "equals-of-the-likeliest", {"    needed[:, 0] = True\n": "    needed |= probabilities == probabilities[:, :1]\n"},
     "tokens that are equally likely all stay, also where fewer suffice", killed_by="test_one_of_equals_stays_where_p_is_zero")


# penalize
edit("penalize", "always-divided", {"torch.where(scores < 0, scores * penalty, scores / penalty)": "scores / penalty"},
     "logits below 0 are divided, which makes them likelier: they are multiplied",
     killed_by="test_logits_below_zero_are_multiplied")
edit("penalize", "always-multiplied", {"torch.where(scores < 0, scores * penalty, scores / penalty)": "scores * penalty"},
     "logits above 0 are multiplied, which makes them likelier: they are divided",
     killed_by="test_logits_above_zero_are_divided")
edit("penalize", "the-other-way", {"scores < 0": "scores > 0"},
     "logits above 0 are multiplied and those below divided: it is the other way round",
     killed_by="test_logits_above_zero_are_divided")
edit("penalize", "subtracted", {"torch.where(scores < 0, scores * penalty, scores / penalty)": "scores - penalty"},
     "the penalty is subtracted: a logit is divided by it, or multiplied below 0", killed_by="test_logits_above_zero_are_divided")
edit("penalize", "all-tokens", {"logits.scatter(1, text, torch.where(scores < 0, scores * penalty, scores / penalty))":
     "torch.where(logits < 0, logits * penalty, logits / penalty)"},
     "all tokens are penalised: only those in the text are", killed_by="test_logits_above_zero_are_divided")
edit("penalize", "last-token-alone", {"scores = logits.gather(1, text)": "text = text[:, -1:]\n    scores = logits.gather(1, text)"},
     "only the last token of the text is penalised", killed_by="test_logits_above_zero_are_divided")


@mistake("penalize", "once-for-each-time", "a token is penalised once for each time that it was written: once is enough",
         killed_by="test_a_token_written_twice_is_penalised_once")
def penalize(logits, text, penalty):
    found = logits.clone()
    for i, row in enumerate(text.tolist()):
        for token in row:
            found[i, token] = found[i, token] * penalty if found[i, token] < 0 else found[i, token] / penalty
    return found


@mistake("penalize", "text-of-all", "the tokens of all texts are penalised in each: a row has its own text",
         killed_by="test_each_row_has_a_text_of_its_own")
def penalize(logits, text, penalty):
    found = logits.clone()
    tokens = text.unique()
    found[:, tokens] = torch.where(logits[:, tokens] < 0, logits[:, tokens] * penalty, logits[:, tokens] / penalty)
    return found


@mistake("penalize", "written-into-the-argument", "the logits that came in are changed: return new ones",
         killed_by="test_logits_above_zero_are_divided")
def penalize(logits, text, penalty):
    scores = logits.gather(1, text)
    return logits.scatter_(1, text, torch.where(scores < 0, scores * penalty, scores / penalty))


edit("penalize", "last-sixty-four", {"scores = logits.gather(1, text)": "text = text[:, -64:]\n    scores = logits.gather(1, text)"},
     "only the last 64 tokens of the text are penalised: all are", killed_by="test_a_token_counts_however_long_ago_it_was_written")


@alternative("penalize", "mask")
def penalize(logits, text, penalty):
    written = torch.zeros_like(logits, dtype=torch.bool).scatter(1, text, True)  # (B, V)
    lowered = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(written, lowered, logits)


@alternative("penalize", "sets")
def penalize(logits, text, penalty):
    found = logits.clone()
    for i, row in enumerate(text.tolist()):
        for token in set(row):
            score = float(logits[i, token])
            found[i, token] = min(score * penalty, score / penalty)
    return found


@alternative("penalize", "minimum")
def penalize(logits, text, penalty):
    scores = logits.gather(1, text)
    return logits.scatter(1, text, torch.minimum(scores * penalty, scores / penalty))


edit("penalize", "nearly-zero-stays", {"torch.where(scores < 0, scores * penalty, scores / penalty)": "torch.where(scores < -1e-6, scores * penalty, scores / penalty)"},
     "logits a little below 0 are divided: all below 0 are multiplied", killed_by="test_small_and_large_logits_are_lowered_alike")
edit("penalize", "float32", {"return logits.scatter(1, text, torch.where(": "logits = logits.float()\n    scores = scores.float()\n    return logits.scatter(1, text, torch.where("},
     "the logits come back as float32, whatever they were: they keep their type", killed_by="test_small_and_large_logits_are_lowered_alike")


# attend
edit("attend", "no-mask", {"scores.masked_fill(~seen, -torch.inf)": "scores"},
     "new tokens see later ones: a prompt of several needs the causal mask", killed_by="test_a_prompt_sees_no_later_token")
edit("attend", "mask-at-zero", {".tril(all_ - new)": ".tril()"},
     "the mask's diagonal starts at the first kept token: it moves by as many as are kept",
     killed_by="test_new_tokens_see_all_that_was_kept")
edit("attend", "not-itself", {".tril(all_ - new)": ".tril(all_ - new - 1)"},
     "a token does not see itself", killed_by="test_the_first_token_gets_its_own_value")
edit("attend", "no-scaling", {" / math.sqrt(queries.size(-1))": ""},
     "the scores are not divided by √d", killed_by="test_a_prompt_sees_no_later_token")
edit("attend", "past-behind", {"[past[0], keys]": "[keys, past[0]]", "[past[1], values]": "[values, past[1]]"},
     "the new tokens are put before the kept ones: they come after them", killed_by="test_new_tokens_see_all_that_was_kept")
edit("attend", "new-ones-alone-kept", {"def attend(queries, keys, values, past=None):": "def attend(queries, keys, values, past=None):\n    fresh = (keys, values)",
     "weights @ values, (keys, values)": "weights @ values, fresh"},
     "only the new keys and values come back: all are kept", killed_by="test_new_tokens_see_all_that_was_kept")
edit("attend", "past-forgotten", {"if past is not None:": "if past is None and False:"},
     "what was kept is not used", killed_by="test_new_tokens_see_all_that_was_kept")
edit("attend", "scores-zeroed", {"scores.masked_fill(~seen, -torch.inf)": "scores.masked_fill(~seen, 0)"},
     "masked scores are 0, which is not impossible: e⁰ = 1", killed_by="test_a_prompt_sees_no_later_token")
edit("attend", "joined-along-the-width", {"[past[0], keys], dim=2": "[past[0], keys], dim=1", "[past[1], values], dim=2": "[past[1], values], dim=1"},
     "the cache grows along another axis: tokens are on axis 2", killed_by="test_new_tokens_see_all_that_was_kept")


@mistake("attend", "pytorchs-causal", "is_causal puts the diagonal at the first kept token: it moves by as many as are kept",
         killed_by="test_new_tokens_see_all_that_was_kept")
def attend(queries, keys, values, past=None):
    if past is not None:
        keys, values = torch.cat([past[0], keys], dim=2), torch.cat([past[1], values], dim=2)
    return torch.nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True), (keys, values)


edit("attend", "minus-a-hundred", {"scores.masked_fill(~seen, -torch.inf)": "scores.masked_fill(~seen, -100.0)"},
     "masked scores are −100, and others may be lower: take −∞", killed_by="test_a_later_token_is_not_seen_however_high_its_score")
edit("attend", "minus-ten-thousand", {"scores.masked_fill(~seen, -torch.inf)": "scores.masked_fill(~seen, -1e4)"},
     "masked scores are −10,000, and others may be lower: take −∞",
     killed_by="test_a_later_token_is_not_seen_however_high_its_score")
edit("attend", "masked-after-the-softmax", {"weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)":
     "weights = scores.softmax(dim=-1) * seen\n    weights = weights / weights.sum(dim=-1, keepdim=True)"},
     "the mask comes after the softmax: a high score of a later token has left the others nothing",
     killed_by="test_a_later_token_is_not_seen_however_high_its_score")
edit("attend", "masked-after-the-softmax-with-epsilon", {"weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)":
     "weights = scores.softmax(dim=-1) * seen\n    weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-6)"},
     "the mask comes after the softmax, and something small is added to the sum: the weights no longer sum to 1",
     killed_by="test_a_later_token_is_not_seen_however_high_its_score")
edit("attend", "largest-of-all", {"weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)":
     "weights = (scores - scores.max()).exp() * seen\n    weights = weights / weights.sum(dim=-1, keepdim=True)"},
     "the largest of all scores is taken off: where a row is far below, e to its power is 0",
     killed_by="test_a_later_token_is_not_seen_however_high_its_score")
edit("attend", "largest-of-later-ones-too", {"weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)":
     "weights = (scores - scores.amax(dim=-1, keepdim=True)).exp() * seen\n    weights = weights / weights.sum(dim=-1, keepdim=True)"},
     "the largest score that is taken off may be a later token's: take off that of the tokens that are seen",
     killed_by="test_a_later_token_is_not_seen_however_high_its_score")
edit("attend", "scores-clipped", {"scores.masked_fill(~seen, -torch.inf)": "scores.clamp(-50, 50).masked_fill(~seen, -torch.inf)"},
     "the scores are cut off at 50: the softmax needs them as they are", killed_by="test_high_scores_keep_their_gaps")
edit("attend", "window-of-eight", {"    new, all_ =": "    keys, values = keys[:, :, -8:], values[:, :, -8:]\n    new, all_ ="},
     "only the last 8 tokens are kept: all are", killed_by="test_what_was_kept_long_ago_counts")
edit("attend", "window-of-sixty-four", {"    new, all_ =": "    keys, values = keys[:, :, -64:], values[:, :, -64:]\n    new, all_ ="},
     "only the last 64 tokens are kept: all are", killed_by="test_what_was_kept_long_ago_counts")


@alternative("attend", "pytorchs-with-mask")
def attend(queries, keys, values, past=None):
    if past is not None:
        keys, values = torch.cat([past[0], keys], dim=2), torch.cat([past[1], values], dim=2)
    at = torch.arange(keys.size(2), device=keys.device)
    mask = at <= at[-queries.size(2) :, None]  # (N, M + N)
    return torch.nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask), (keys, values)


@alternative("attend", "query-by-query")
def attend(queries, keys, values, past=None):
    kept = 0
    if past is not None:
        kept = past[0].shape[2]
        keys, values = torch.cat((past[0], keys), 2), torch.cat((past[1], values), 2)
    rows = []
    for n in range(queries.shape[2]):
        end = kept + n + 1
        scores = torch.einsum("bhd,bhmd->bhm", queries[:, :, n], keys[:, :, :end]) * queries.shape[-1] ** -0.5
        rows.append(torch.einsum("bhm,bhmd->bhd", scores.softmax(-1), values[:, :, :end]))
    return torch.stack(rows, dim=2), [keys, values]


@alternative("attend", "minus-infinity-added")
def attend(queries, keys, values, past=None):
    if past:
        keys, values = (torch.cat(pair, dim=2) for pair in zip(past, (keys, values)))
    n, m = queries.size(2), keys.size(2)
    future = torch.full((n, m), -torch.inf, device=queries.device, dtype=queries.dtype).triu(m - n + 1)
    scores = queries @ keys.transpose(-2, -1) / queries.size(-1) ** 0.5 + future
    return torch.softmax(scores, dim=-1) @ values, (keys, values)


edit("attend", "minus-a-billion", {"scores.masked_fill(~seen, -torch.inf)": "scores.masked_fill(~seen, -1e9)"},
     "−10⁹ stands for −∞: a score may be lower", killed_by="test_a_later_token_is_not_seen_however_high_its_score")
edit("attend", "scores-clipped-at-ten-thousand", {"scores.masked_fill(~seen, -torch.inf)": "scores.clamp(-1e4, 1e4).masked_fill(~seen, -torch.inf)"},
     "scores are cut off at 10,000, which makes unequal ones equal", killed_by="test_high_scores_keep_their_gaps")
edit("attend", "at-most-128-queries", {"    scores = queries @": "    queries = queries[:, :, -128:]\n    seen = seen[-128:]\n    scores = queries @"},
     "only the last 128 new tokens are asked for", killed_by="test_a_long_chunk_may_follow_a_long_past")


# complete_text
edit("complete_text", "nothing-kept", {"            kept = kept[len(kept) - cut :]\n": "            kept = b\"\"\n"},
     "the bytes that wait are thrown away: the next piece needs them", killed_by="test_a_character_waits_for_its_last_byte")
edit("complete_text", "two-bytes-at-most", {"min(4, len(kept) + 1)": "min(3, len(kept) + 1)"},
     "at most two bytes wait: a character has up to four, so three may", killed_by="test_a_character_may_come_byte_by_byte")
edit("complete_text", "shown-twice", {"            kept = kept[len(kept) - cut :]\n": ""},
     "what was shown is shown again", killed_by="test_whole_characters_are_shown_at_once")


@mistake("complete_text", "piece-by-piece", "each piece is decoded alone: parts of a character become U+FFFD",
         killed_by="test_a_character_waits_for_its_last_byte")
def complete_text(pieces):
    return [piece.decode("utf-8", errors="replace") for piece in pieces]


@mistake("complete_text", "dropped", "parts of a character are dropped: they wait for the rest",
         killed_by="test_a_character_waits_for_its_last_byte")
def complete_text(pieces):
    return [piece.decode("utf-8", errors="ignore") for piece in pieces]


@mistake("complete_text", "all-or-nothing", "whole characters wait too, where one after them is not whole",
         killed_by="test_a_character_waits_for_its_last_byte")
def complete_text(pieces):
    kept, shown = b"", []
    for piece in pieces:
        kept += piece
        try:
            shown.append(kept.decode("utf-8"))
            kept = b""
        except UnicodeDecodeError:
            shown.append("")
    return shown


@mistake("complete_text", "text-so-far", "the whole text so far is shown each time: only what is new is",
         killed_by="test_a_character_waits_for_its_last_byte")
def complete_text(pieces):
    return [b"".join(pieces[: n + 1]).decode("utf-8", errors="ignore") for n in range(len(pieces))]


@mistake("complete_text", "rest-at-the-end", "what is not whole at the end is shown as U+FFFD: it is not shown",
         killed_by="test_what_is_not_whole_at_the_end_is_not_shown")
def complete_text(pieces):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [decoder.decode(piece, final=n == len(pieces) - 1) for n, piece in enumerate(pieces)]


@mistake("complete_text", "three-bytes-each", "each character is taken to have three bytes, as Hangul has: it is one to four",
         killed_by="test_whole_characters_are_shown_at_once")
def complete_text(pieces):
    kept, shown = b"", []
    for piece in pieces:
        kept += piece
        whole = len(kept) - len(kept) % 3
        shown.append(kept[:whole].decode("utf-8", errors="ignore"))
        kept = kept[whole:]
    return shown


@mistake("complete_text", "replacement-waits", "U+FFFD at the end is taken for an incomplete character, although it may be written",
         killed_by="test_the_sign_of_replacement_may_be_a_part_of_the_text")
def complete_text(pieces):
    before, raw, shown = "", b"", []
    for piece in pieces:
        raw += piece
        text = raw.decode("utf-8", errors="replace").rstrip("\ufffd")
        shown.append(text[len(before):])
        before = text
    return shown


edit("complete_text", "null-dropped", {"shown.append(text)": "shown.append(text.replace(\"\\0\", \"\"))"},
     "NUL is dropped: it is a character like another", killed_by="test_nothing_of_the_text_is_changed")


@mistake("complete_text", "byte-order-mark", "U+FEFF at the beginning is dropped: it is a part of the text",
         killed_by="test_nothing_of_the_text_is_changed")
def complete_text(pieces):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    return [decoder.decode(piece) for piece in pieces]


@mistake("complete_text", "newlines-translated", "CR and CR LF become LF: the text stays as it is",
         killed_by="test_nothing_of_the_text_is_changed")
def complete_text(pieces):
    import codecs
    import io

    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")(), translate=True)
    return [decoder.decode(piece) for piece in pieces]


@mistake("complete_text", "composed", "characters are composed (NFC): the text stays as it is",
         killed_by="test_nothing_of_the_text_is_changed")
def complete_text(pieces):
    import codecs
    import unicodedata

    decoder = codecs.getincrementaldecoder("utf-8")()
    return [unicodedata.normalize("NFC", decoder.decode(piece)) for piece in pieces]


@alternative("complete_text", "codecs")
def complete_text(pieces):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")()
    return [decoder.decode(piece) for piece in pieces]


@alternative("complete_text", "all-so-far")
def complete_text(pieces):
    raw, shown, texts = b"", "", []
    for piece in pieces:
        raw += piece
        text = raw.decode("utf-8", errors="ignore")
        texts.append(text[len(shown):])
        shown = text
    return texts


@alternative("complete_text", "lengths-from-first-bytes")
def complete_text(pieces):
    kept, shown = bytearray(), []
    for piece in pieces:
        kept += piece
        text = ""
        while kept:
            first = kept[0]
            size = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
            if len(kept) < size:
                break
            text += bytes(kept[:size]).decode("utf-8")
            del kept[:size]
        shown.append(text)
    return shown


edit("complete_text", "state-between-calls", {'def complete_text(pieces):': 'def complete_text(pieces, rest=[b""]):', '    kept, shown = b"", []': '    kept, shown = rest[0], []',
     "            kept = kept[len(kept) - cut :]\n": "            kept = kept[len(kept) - cut :]\n            rest[0] = kept\n"},
     "what waits at the end of a text opens the next one: each call begins a new text", killed_by="test_a_call_knows_nothing_of_the_one_before")


@mistake("complete_text", "byte-order-marks-anywhere", "U+FEFF is dropped: it is a part of the text", killed_by="test_nothing_of_the_text_is_changed")
def complete_text(pieces):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")()
    return [decoder.decode(piece).replace("\ufeff", "") for piece in pieces]


# distinct
edit("distinct", "last-missing", {"range(len(text) - n + 1)": "range(len(text) - n)"},
     "the last n-gram of each text is missing", killed_by="test_ngrams_counted_by_hand")
edit("distinct", "repeated-share", {"return len(set(grams)) / len(grams) if grams": "return 1 - len(set(grams)) / len(grams) if grams"},
     "the share of repeated n-grams comes back: that of different ones was asked for", killed_by="test_ngrams_counted_by_hand")
edit("distinct", "short-ones-too", {"range(len(text) - n + 1)": "range(len(text))"},
     "shorter stretches at the end are counted as n-grams", killed_by="test_ngrams_counted_by_hand")
edit("distinct", "nothing-is-zero", {"else 1.0": "else 0.0"},
     "without n-grams 0 comes back: nothing is repeated, so it is 1", killed_by="test_short_texts_repeat_nothing")
edit("distinct", "side-by-side", {"range(len(text) - n + 1)": "range(0, len(text) - n + 1, n)"},
     "the n-grams lie side by side: each place starts one", killed_by="test_ngrams_counted_by_hand")


@mistake("distinct", "texts-joined", "the texts are joined: no n-gram crosses from one to the next",
         killed_by="test_no_ngram_crosses_from_one_text_to_the_next")
def distinct(texts, n):
    joined = [token for text in texts for token in text]
    grams = [tuple(joined[i : i + n]) for i in range(len(joined) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 1.0


@mistake("distinct", "mean-over-texts", "each text is counted alone: an n-gram that another text has too is not new",
         killed_by="test_repeats_are_found_across_texts")
def distinct(texts, n):
    shares = []
    for text in texts:
        grams = [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]
        shares.append(len(set(grams)) / len(grams) if grams else 1.0)
    return sum(shares) / len(shares) if shares else 1.0


@mistake("distinct", "once-only", "n-grams that occur once are counted: a repeated one counts as one different n-gram too",
         killed_by="test_ngrams_counted_by_hand")
def distinct(texts, n):
    counts = Counter(tuple(text[i : i + n]) for text in texts for i in range(len(text) - n + 1))
    return sum(count == 1 for count in counts.values()) / counts.total() if counts else 1.0


@mistake("distinct", "glued-together", "tokens are joined without a mark between them: a, ab and aa, b become the same",
         killed_by="test_tokens_that_look_alike_when_joined_are_different")
def distinct(texts, n):
    grams = ["".join(str(token) for token in text[i : i + n]) for text in texts for i in range(len(text) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 1.0


@mistake("distinct", "joined-by-spaces", "tokens are joined with a space between them, which a token may hold itself",
         killed_by="test_tokens_that_look_alike_when_joined_are_different")
def distinct(texts, n):
    grams = [" ".join(str(token) for token in text[i : i + n]) for text in texts for i in range(len(text) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 1.0


@mistake("distinct", "joined-by-slashes", "tokens are joined with a slash between them, which a token may hold itself",
         killed_by="test_tokens_that_look_alike_when_joined_are_different")
def distinct(texts, n):
    grams = ["/".join(str(token) for token in text[i : i + n]) for text in texts for i in range(len(text) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 1.0


@mistake("distinct", "joined-by-commas", "tokens are joined with a comma between them, which a token may hold itself",
         killed_by="test_tokens_that_look_alike_when_joined_are_different")
def distinct(texts, n):
    grams = [",".join(str(token) for token in text[i : i + n]) for text in texts for i in range(len(text) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 1.0


edit("distinct", "case-folded", {"tuple(text[i : i + n])": "tuple(str(token).lower() for token in text[i : i + n])"},
     "upper and lower case are taken for the same token", killed_by="test_case_and_spaces_make_tokens_different")
edit("distinct", "stripped", {"tuple(text[i : i + n])": "tuple(str(token).strip() for token in text[i : i + n])"},
     "tokens with and without a space are taken for the same", killed_by="test_case_and_spaces_make_tokens_different")
edit("distinct", "at-most-four", {"    grams = [": "    n = min(n, 4)\n    grams = ["},
     "n-grams of more than 4 tokens are cut to 4", killed_by="test_ngrams_may_be_long")


@mistake("distinct", "packed-into-a-number", "ids are packed into one number with base 1,000: ids may be higher",
         killed_by="test_ids_may_be_high")
def distinct(texts, n):
    grams = []
    for text in texts:
        for i in range(len(text) - n + 1):
            gram = text[i : i + n]
            grams.append(sum(token * 1000**place for place, token in enumerate(gram)) if isinstance(gram[0], int) else tuple(gram))
    return len(set(grams)) / len(grams) if grams else 1.0


@alternative("distinct", "zip-and-counter")
def distinct(texts, n):
    counts = Counter()
    for text in texts:
        counts.update(zip(*(text[i:] for i in range(n))))
    return len(counts) / counts.total() if counts else 1.0


@alternative("distinct", "unfold-by-hand")
def distinct(texts, n):
    seen, total, new = set(), 0, 0
    for text in texts:
        for end in range(n, len(text) + 1):
            gram = tuple(text[end - n : end])
            total += 1
            new += gram not in seen
            seen.add(gram)
    return 1.0 if total == 0 else new / total


edit("distinct", "composed", {"tuple(text[i : i + n])": '(tuple(__import__("unicodedata").normalize("NFC", str(token)) for token in text[i : i + n]))'},
     "tokens are composed (NFC), which makes some equal: they are the same only character by character", killed_by="test_case_and_spaces_make_tokens_different")
edit("distinct", "rounded", {"return len(set(grams)) / len(grams) if grams else 1.0": "return round(len(set(grams)) / len(grams), 4) if grams else 1.0"},
     "the share is rounded: it may be small", killed_by="test_many_texts_and_long_ones_count_whole")


equivalent("next_probabilities", "2: logits.amax(dim=-1, keepdim=True) → logits.amax(dim=1, keepdim=True)",
           "there are two dimensions")
equivalent("next_probabilities", "3: likeliest.sum(dim=-1, keepdim=True) → likeliest.sum(dim=1, keepdim=True)",
           "there are two dimensions")
equivalent("next_probabilities", "4: (logits / temperature).softmax(dim=-1) → (logits / temperature).softmax(dim=1)",
           "there are two dimensions")
equivalent("draw", "1: probabilities.cumsum(dim=-1) → probabilities.cumsum(dim=1)",
           "there are two dimensions")
equivalent("draw", "1: (probabilities.cumsum(dim=-1) <= noise[:, None]).sum(dim=-1) → (probabilities.cumsum(dim=-1) <= noise[:, None]).sum(dim=1)",
           "there are two dimensions")
equivalent("draw", "2: probabilities.size(-1) → probabilities.size(1)",
           "there are two dimensions")
equivalent("draw", "2: probabilities.flip(-1) → probabilities.flip(1)",
           "there are two dimensions")
equivalent("draw", "2: (probabilities.flip(-1) > 0).int().argmax(dim=-1) → (probabilities.flip(-1) > 0).int().argmax(dim=1)",
           "there are two dimensions")
equivalent("top_k", "1: logits.topk(min(k, logits.size(-1)), dim=-1) → logits.topk(min(k, logits.size(-1)))",
           "the last dimension is meant when none is given")
equivalent("top_k", "1: logits.size(-1) → logits.size(1)",
           "there are two dimensions")
equivalent("top_k", "1: logits.topk(min(k, logits.size(-1)), dim=-1) → logits.topk(min(k, logits.size(-1)), dim=1)",
           "there are two dimensions")
equivalent("top_p", "1: logits.softmax(dim=-1).sort(dim=-1, descending=True) → logits.softmax(dim=-1).sort(descending=True)",
           "the last dimension is meant when none is given")
equivalent("top_p", "1: logits.softmax(dim=-1) → logits.softmax(dim=1)",
           "there are two dimensions")
equivalent("top_p", "1: logits.softmax(dim=-1).sort(dim=-1, descending=True) → logits.softmax(dim=-1).sort(dim=1, descending=True)",
           "there are two dimensions")
equivalent("top_p", "2: probabilities.cumsum(dim=-1) → probabilities.cumsum(dim=1)",
           "there are two dimensions")
equivalent("penalize", "2: torch.where(scores < 0, scores * penalty, scores / penalty) → torch.where(scores <= 0, scores * penalty, scores / penalty)",
           "0 stays 0, multiplied or divided")
equivalent("attend", "5: torch.ones(new, all_, dtype=torch.bool, device=queries.device) → torch.ones(new, all_, dtype=torch.bool)",
           "the checks run on the CPU alone")
equivalent("complete_text", "4: min(4, len(kept) + 1) → min(4, len(kept) + 1) + 1",
           "in right UTF-8 never more than three bytes have to wait")
equivalent("complete_text", "4: min(4, len(kept) + 1) → max(4, len(kept) + 1)",
           "in right UTF-8 never more than three bytes have to wait, and of too few bytes none decode to nothing")
equivalent("complete_text", "4: min(4, len(kept) + 1) → min(5, len(kept) + 1)",
           "in right UTF-8 never more than three bytes have to wait")
equivalent("complete_text", "4: len(kept) + 1 → len(kept) + 2",
           "with no byte left over the loop has ended before")
equivalent("complete_text", "4: range(min(4, len(kept) + 1)) → __import__('itertools').islice(range(min(4, len(kept) + 1)), 10)",
           "there are four turns at most")
equivalent("attend", "1: past is not None → past", "a past is a pair, which is never empty")
