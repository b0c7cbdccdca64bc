"""t5: classic mistakes and other right ways, for each exercise. Never released."""

import math
import random

import torch
from torch import nn

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# rms_norm
@alternative("rms_norm", "division")
def rms_norm(x, weight, eps):
    return x / torch.sqrt((x ** 2).sum(-1, keepdim=True) / x.shape[-1] + eps) * weight


@alternative("rms_norm", "torch")
def rms_norm(x, weight, eps):
    return nn.functional.rms_norm(x, (x.size(-1),), weight, eps)


edit("rms_norm", "layer-norm", {"return weight * x *": "x = x - x.mean(dim=-1, keepdim=True)\n    return weight * x *"},
     "the mean is subtracted, as in LayerNorm: RMSNorm subtracts nothing", killed_by="test_a_vector_is_divided_by_the_root_of_its_mean_square")
edit("rms_norm", "eps-outside", {"torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)": "(1 / (x.square().mean(dim=-1, keepdim=True).sqrt() + eps))"},
     "eps is added to the root: it stands inside", killed_by="test_eps_is_added_inside_the_root")
edit("rms_norm", "sum-for-mean", {".mean(": ".sum("}, "the squares are summed: their mean is asked for",
     killed_by="test_a_vector_is_divided_by_the_root_of_its_mean_square")
edit("rms_norm", "no-root", {"torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)": "(1 / (x.square().mean(dim=-1, keepdim=True) + eps))"},
     "the root is missing", killed_by="test_a_vector_is_divided_by_the_root_of_its_mean_square")
edit("rms_norm", "no-scale", {"weight * x *": "x *"}, "the scale is missing", killed_by="test_each_place_has_its_scale")
edit("rms_norm", "no-eps", {" + eps": ""}, "eps is left out", killed_by="test_eps_is_added_inside_the_root")
edit("rms_norm", "over-all", {"dim=-1, keepdim=True": ""}, "one mean for all vectors: each has its own",
     killed_by="test_any_vectors_are_normalised_one_by_one")
edit("rms_norm", "mean-of-sizes", {"torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)": "(1 / (x.abs().mean(dim=-1, keepdim=True) + eps))"},
     "the mean of the absolute values is no root of a mean square", killed_by="test_a_vector_is_divided_by_the_root_of_its_mean_square")

edit("rms_norm", "eps-or", {"return weight": "eps = eps or 1e-6\n    return weight"},
     "an eps of 0 is taken for none given: it adds nothing", killed_by="test_eps_0_adds_nothing")
edit("rms_norm", "eps-at-least", {" + eps": " + max(eps, 1e-12)"},
     "1e-12 is added at least: eps may be 0, and then nothing is", killed_by="test_eps_0_adds_nothing")
edit("rms_norm", "half-comes-out-as-float", {"return weight * x *": "return weight * x.float() *"},
     "half precision goes in and float32 comes out: keep x's type", killed_by="test_the_type_of_the_numbers_stays")


# distance_buckets
@alternative("distance_buckets", "one-by-one")
def distance_buckets(distances, both):
    half, near, ratio = (16, 8, 16) if both else (32, 16, 8)

    def one(distance):
        far = abs(distance) if both else max(0, -distance)
        number = far
        if far >= near:
            number = min(half - 1, near + int(math.log(far / near) / math.log(ratio) * (half - near) + 1e-9))
        return number + (half if both and distance > 0 else 0)

    return torch.tensor([one(distance) for distance in distances.flatten().tolist()]).reshape(distances.shape)


@alternative("distance_buckets", "borders")
def distance_buckets(distances, both):
    half, near, ratio = (16, 8, 16.0) if both else (32, 16, 8.0)
    borders = torch.tensor([*map(float, range(1, near)), *(near * ratio ** (n / (half - near)) for n in range(half - near))])
    far = distances.abs() if both else torch.relu(-distances)
    numbers = torch.bucketize(far.float(), borders, right=True)
    return numbers + 16 * (distances > 0).long() if both else numbers


edit("distance_buckets", "both-always", {"half = 16 if both else 32": "half = 16"},
     "the decoder has all 32 numbers for one side", killed_by="test_the_decoder_counts_to_15_and_looks_back_alone")
edit("distance_buckets", "decoder-looks-both-ways", {"(-distances).clamp(min=0)": "distances.abs()"},
     "keys behind the query count as distance 0 in the decoder", killed_by="test_the_decoder_counts_to_15_and_looks_back_alone")
edit("distance_buckets", "sides-exchanged", {"distances > 0": "distances < 0"},
     "16 is added for keys behind the query, not before it", killed_by="test_near_distances_have_a_number_each")
edit("distance_buckets", "zero-behind", {"distances > 0": "distances >= 0"},
     "the query itself has the number 0", killed_by="test_near_distances_have_a_number_each")
edit("distance_buckets", "no-last", {".clamp(max=half - 1)": ""}, "from 128 on all share the last number",
     killed_by="test_from_128_on_all_have_the_last_number")
edit("distance_buckets", "clipped", {"torch.where(far < near, far, (near + steps.long()).clamp(max=half - 1))": "far.clamp(max=half - 1)"},
     "distances are cut off at 15 or 31: far ones share numbers, up to 128", killed_by="test_far_distances_share_numbers_more_and_more")
edit("distance_buckets", "all-logarithms", {"math.log(128 / near)": "math.log(128)"},
     "the steps reach the last number at 128, not later: divide by ln(128 / near)", killed_by="test_far_distances_share_numbers_more_and_more")
edit("distance_buckets", "rounded", {"steps.long()": "steps.round().long()"}, "the steps are rounded: take the whole part",
     killed_by="test_far_distances_share_numbers_more_and_more")
edit("distance_buckets", "int32", {"    half = 16 if": "    distances = distances.int()\n    half = 16 if", "return torch.where(distances > 0, numbers + half, numbers) if both else numbers":
     "return (torch.where(distances > 0, numbers + half, numbers) if both else numbers).long()"},
     "the distances become int32, which ends at 2³¹ − 1", killed_by="test_all_distances_near_and_very_far")
edit("distance_buckets", "table-of-512", {"    half = 16 if": "    distances = torch.where(distances.abs() < 512, distances, 0)\n    half = 16 if"},
     "distances of 512 and more are taken for 0: they have the last number", killed_by="test_all_distances_near_and_very_far")
edit("distance_buckets", "floats", {"near + steps.long()": "near + steps.floor()"},
     "the numbers are floats: an embedding takes whole numbers", killed_by="test_near_distances_have_a_number_each")


# attend
@alternative("attend", "einsum")
def attend(queries, keys, values, worth, mask):
    scores = torch.einsum("bhnk,bhmk->bhnm", queries, keys) + worth[None]
    weights = torch.softmax(torch.where(mask, scores, float("-inf")), dim=3)
    return torch.einsum("bhnm,bhmk->bhnk", weights, values)


@alternative("attend", "torch")
def attend(queries, keys, values, worth, mask):
    added = worth.expand(queries.size(0), -1, -1, -1).masked_fill(~mask, float("-inf"))
    return nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=added, scale=1.0)


edit("attend", "divided", {"transpose(-1, -2) +": "transpose(-1, -2) / math.sqrt(queries.size(-1)) +"},
     "the scores are divided by √d: T5's are not", killed_by="test_scores_are_products_that_nothing_divides")
edit("attend", "no-distances", {" + worth": ""}, "what distances are worth is not added", killed_by="test_a_distance_is_worth_what_is_added_to_its_score")
edit("attend", "distances-multiplied", {" + worth": " * worth"}, "what distances are worth is added to the scores, not multiplied",
     killed_by="test_a_distance_is_worth_what_is_added_to_its_score")
edit("attend", "after-the-softmax", {" + worth  #": "  #", ".softmax(dim=-1) @": ".softmax(dim=-1).add(worth) @"},
     "what distances are worth is added to the weights: to the scores, before the softmax",
     killed_by="test_a_distance_is_worth_what_is_added_to_its_score")
edit("attend", "mask-turned", {"~mask": "mask"}, "True means that a query may look there", killed_by="test_what_a_query_must_not_see_has_no_weight")
edit("attend", "no-mask", {".masked_fill(~mask, -torch.inf)": ""}, "the mask is not used", killed_by="test_what_a_query_must_not_see_has_no_weight")
edit("attend", "over-queries", {"dim=-1)": "dim=-2)"}, "the weights of one query sum to 1: the softmax runs over keys",
     killed_by="test_scores_are_products_that_nothing_divides")
edit("attend", "zero-for-hidden", {"-torch.inf": "0"}, "a score of 0 is a score as any other: what is hidden has −∞",
     killed_by="test_what_a_query_must_not_see_has_no_weight")

edit("attend", "ten-thousand", {"-torch.inf": "-1e4"},
     "−10,000 is taken for −∞: scores that nothing divides may lie below it", killed_by="test_huge_scores_stay_finite_and_hidden_ones_hidden")
edit("attend", "authors-number", {"-torch.inf": "-1e30"},
     "−10³⁰ is taken for −∞: scores that nothing divides may lie below it", killed_by="test_huge_scores_stay_finite_and_hidden_ones_hidden")
edit("attend", "softmax-in-float32", {"softmax(dim=-1) @ values": "softmax(dim=-1, dtype=torch.float32).to(torch.promote_types(torch.float32, values.dtype)) @ values.to(torch.promote_types(torch.float32, values.dtype))"},
     "half precision goes in and float32 comes out: keep the queries' type", killed_by="test_each_head_may_have_a_mask_and_the_type_stays")
edit("attend", "overflows", {"    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1) @ values":
     "    least = scores.masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True).clamp(max=0)\n    raised = torch.where(mask, (scores - least).exp(), 0.0)\n    return raised / raised.sum(dim=-1, keepdim=True) @ values"},
     "a maximum above 0 is not taken off: exp of a large score is infinite", killed_by="test_huge_scores_stay_finite_and_hidden_ones_hidden")
edit("attend", "three-dimensions-of-a-batch", {"    scores =": "    mask = mask[:, None] if mask.dim() == 3 else mask\n    scores ="},
     "a mask of three dimensions is taken for (B, N, M): it spreads as (h, N, M)", killed_by="test_any_heads_attend_as_by_brute_force")
edit("attend", "float32", {"softmax(dim=-1) @ values": "float().softmax(dim=-1) @ values.float()"},
     "all is computed in float32, and comes back so: keep the queries' type", killed_by="test_each_head_may_have_a_mask_and_the_type_stays")
edit("attend", "first-heads-mask", {"~mask": "~(mask[:, :1] if mask.dim() == 4 else mask)"},
     "all heads look through the first one's mask", killed_by="test_each_head_may_have_a_mask_and_the_type_stays")


# count_parameters
@alternative("count_parameters", "in-all")
def count_parameters(words, layers, width, inner, heads, of_head):
    return words * width + layers * (12 * width * heads * of_head + 4 * width * inner + 5 * width) + 2 * width + 64 * heads


@alternative("count_parameters", "shapes")
def count_parameters(words, layers, width, inner, heads, of_head):
    attention = [(width, heads * of_head)] * 3 + [(heads * of_head, width)]
    rest = [(width, inner), (inner, width)]
    shapes = [(words, width)]
    for attentions in (1, 2):
        shapes += [(32, heads), (width, 1)]
        shapes += layers * (attentions * attention + rest + (attentions + 1) * [(width, 1)])
    return sum(math.prod(shape) for shape in shapes)


edit("count_parameters", "output-of-its-own", {"words * width +": "2 * words * width +"},
     "the output shares the table of words", killed_by="test_a_model_of_ones_is_counted_by_hand")
edit("count_parameters", "one-attention", {"2 * attention": "attention"}, "a decoder layer attends twice: to itself and to the encoder",
     killed_by="test_a_model_of_ones_is_counted_by_hand")
edit("count_parameters", "width-squared", {"4 * width * heads * of_head": "4 * width * width"},
     "the heads together need not be as wide as the model", killed_by="test_in_11b_the_heads_together_are_wider_than_the_model")
edit("count_parameters", "layer-norms", {"+ 2 * width)": "+ 4 * width)", "+ 3 * width)": "+ 6 * width)"},
     "RMSNorm has no shifts", killed_by="test_a_model_of_ones_is_counted_by_hand")
edit("count_parameters", "no-last-norms", {"2 * (width + 32 * heads)": "2 * 32 * heads"}, "each stack ends with an RMSNorm",
     killed_by="test_a_model_of_ones_is_counted_by_hand")
edit("count_parameters", "distances-in-each-layer", {"2 * (width + 32 * heads)": "2 * (width + 32 * heads * layers)"},
     "all layers of a stack share the numbers for distances", killed_by="test_small_has_60506624_and_base_222903552")
edit("count_parameters", "no-distances", {"(width + 32 * heads)": "width"}, "the numbers for distances are left out",
     killed_by="test_a_model_of_ones_is_counted_by_hand")
edit("count_parameters", "biases", {"feed_forward = 2 * width * inner": "feed_forward = 2 * width * inner + inner + width"},
     "the feed-forward network has biases here: T5 has none", killed_by="test_a_model_of_ones_is_counted_by_hand")

edit("count_parameters", "float64", {"return words * width + encoder": "return int(float(words * width) + encoder", "2 * (width + 32 * heads)": "2 * (width + 32 * heads))"},
     "floats round whole numbers beyond 2⁵³", killed_by="test_large_and_3b_are_what_they_are")
edit("count_parameters", "float32", {"words * width + encoder + decoder + 2 * (width + 32 * heads)":
     "int(torch.tensor([words * width, encoder, decoder, 2 * (width + 32 * heads)], dtype=torch.float32).sum())"},
     "float32 has 24 binary digits: whole numbers beyond 16,777,216 are rounded", killed_by="test_large_and_3b_are_what_they_are")


# noise_spans
@alternative("noise_spans", "shuffled-marks")
def noise_spans(length, rate, mean, seed):
    generator = torch.Generator().manual_seed(seed)
    hidden = max(1, min(length - 1, round(length * rate)))
    count = max(1, round(hidden / mean))

    def parts(total):
        places = torch.randperm(total - 1, generator=generator)[: count - 1] + 1
        return torch.tensor([0, *sorted(places.tolist()), total]).diff().tolist()

    kept, lost = parts(length - hidden), parts(hidden)
    ends = [sum(kept[: n + 1]) + sum(lost[: n + 1]) for n in range(count)]
    return [(end - b, end) for end, b in zip(ends, lost)]


@alternative("noise_spans", "first-marks")
def noise_spans(length, rate, mean, seed):
    chance = random.Random(f"spans {seed}")
    hidden = min(max(round(length * rate), 1), length - 1)
    count = max(round(hidden / mean), 1)

    def parts(total):
        first = [1] * (count - 1) + [0] * (total - count)  # does a part begin here?
        chance.shuffle(first)
        sizes = [1]
        for begins in first:
            if begins:
                sizes.append(1)
            else:
                sizes[-1] += 1
        return sizes

    mask = [flag for kept, lost in zip(parts(length - hidden), parts(hidden)) for flag in [0] * kept + [1] * lost]
    starts = [n for n in range(length) if mask[n] and not mask[n - 1]]
    ends = [n + 1 for n in range(length) if mask[n] and (n + 1 == length or not mask[n + 1])]
    return [[start, end] for start, end in zip(starts, ends)]


edit("noise_spans", "rounded-down", {"round(length * rate)": "int(length * rate)"}, "the number of hidden tokens is cut off: round it",
     killed_by="test_numbers_are_rounded_to_the_nearest")
edit("noise_spans", "spans-rounded-down", {"round(hidden / mean)": "hidden // mean"}, "the number of spans is cut off: round it",
     killed_by="test_numbers_are_rounded_to_the_nearest")
edit("noise_spans", "none-hidden", {"max(round(length * rate), 1)": "round(length * rate)"},
     "a short text would have nothing hidden: at least one token is", killed_by="test_one_token_is_hidden_at_least_and_one_kept")
edit("noise_spans", "all-hidden", {", length - 1)": ", length)"}, "at least one token is kept", killed_by="test_one_token_is_hidden_at_least_and_one_kept")
edit("noise_spans", "always-the-same", {"random.Random(seed)": "random.Random(0)"}, "each seed draws the same spans",
     killed_by="test_all_cuts_are_equally_likely")
edit("noise_spans", "no-seed", {"random.Random(seed)": "random.Random()"}, "the same seed draws other spans each time",
     killed_by="test_the_same_seed_draws_the_same")
edit("noise_spans", "hidden-first", {"(place + kept, place + kept + lost)": "(place, place + lost)"},
     "the first token is hidden: kept and hidden parts take turns, kept first", killed_by="test_of_100_tokens_15_are_hidden_in_5_spans")
edit("noise_spans", "equal-parts", {"cuts = [0, *sorted(chance.sample(range(1, total), count - 1)), total]": "cuts = [total * n // count for n in range(count + 1)]"},
     "the spans are all equally long: where the cuts fall is drawn", killed_by="test_all_cuts_are_equally_likely")
edit("noise_spans", "inclusive-ends", {"place + kept + lost))": "place + kept + lost - 1))"},
     "the end is the place after the last hidden token", killed_by="test_of_100_tokens_15_are_hidden_in_5_spans")

edit("noise_spans", "one-after-the-other", {"cuts = [0, *sorted(chance.sample(range(1, total), count - 1)), total]":
     "cuts = [0]\n        for left in range(count - 1, 0, -1):\n            cuts.append(chance.randint(cuts[-1] + 1, total - left))\n        cuts.append(total)"},
     "the first part is drawn from 1 to what is left, then the next: long first parts are too likely", killed_by="test_all_cuts_are_equally_likely")
edit("noise_spans", "cuts-go-together", {"chance.sample": "random.Random(seed).sample"},
     "both cuts start from the same seed, so one decides the other", killed_by="test_all_cuts_are_equally_likely")
edit("noise_spans", "seed-0-is-none", {"random.Random(seed)": "random.Random(seed or None)"},
     "seed 0 is taken for none: it is a seed like any other", killed_by="test_the_same_seed_draws_the_same")
edit("noise_spans", "three-digits-of-the-seed", {"random.Random(seed)": "random.Random(seed % 1000)"},
     "seeds that agree in their last three digits draw the same", killed_by="test_other_seeds_draw_other_spans_and_nothing_else_is_seeded")
edit("noise_spans", "31-bits-of-the-seed", {"random.Random(seed)": "random.Random(seed % 2**31)"},
     "seeds that agree in their last binary digits draw the same", killed_by="test_other_seeds_draw_other_spans_and_nothing_else_is_seeded")
edit("noise_spans", "whole-mean", {"round(hidden / mean)": "round(hidden / int(mean))"},
     "the mean is cut off to a whole number: spans may have 1.5 tokens on average", killed_by="test_any_text_has_its_number_of_hidden_tokens_and_spans")
edit("noise_spans", "global-generator", {"chance = random.Random(seed)": "random.seed(seed)", "chance.sample": "random.sample"},
     "Python's global generator is seeded: whatever draws next draws the same each time", killed_by="test_other_seeds_draw_other_spans_and_nothing_else_is_seeded")
edit("noise_spans", "an-iterator", {"return spans": "return iter(spans)"}, "an iterator can be read once: a list was asked for",
     killed_by="test_of_100_tokens_15_are_hidden_in_5_spans")


@mistake("noise_spans", "coins", "each token is hidden by a throw of its own: the number of hidden tokens is fixed",
         killed_by="test_of_100_tokens_15_are_hidden_in_5_spans")
def noise_spans(length, rate, mean, seed):
    chance = random.Random(seed)
    hidden = [chance.random() < rate for _ in range(length)] + [False]
    spans, start = [], None
    for n, flag in enumerate(hidden):
        if flag and start is None:
            start = n
        elif not flag and start is not None:
            spans.append((start, n))
            start = None
    return spans


# corrupt
@alternative("corrupt", "from-the-end")
def corrupt(tokens, spans):
    read, write = list(tokens), [f"<{len(spans)}>"]
    for number in range(len(spans) - 1, -1, -1):
        start, end = spans[number]
        read[start:end] = [f"<{number}>"]
        write = [f"<{number}>"] + list(tokens[start:end]) + write
    return read, write


@alternative("corrupt", "token-by-token")
def corrupt(tokens, spans):
    number_of = {place: number for number, (start, end) in enumerate(spans) for place in range(start, end)}
    read, write, last = [], [], None
    for place, token in enumerate(tokens):
        number = number_of.get(place)
        if number is None:
            read.append(token)
        else:
            if number != last:
                read.append(f"<{number}>")
                write.append(f"<{number}>")
            write.append(token)
        last = number
    write.append(f"<{len(spans)}>")
    return read, write


edit("corrupt", "no-last-sentinel", {'[*write, f"<{len(spans)}>"]': "write"}, "the last sentinel of the target is missing",
     killed_by="test_figure_2_of_the_paper")
edit("corrupt", "one-sentinel-a-token", {'[*tokens[place:start], f"<{number}>"]': '[*tokens[place:start], *[f"<{number}>"] * (end - start)]'},
     "a whole span becomes one sentinel, not one for each token", killed_by="test_figure_2_of_the_paper")
edit("corrupt", "same-sentinel", {'read += [*tokens[place:start], f"<{number}>"]': 'read += [*tokens[place:start], "<0>"]'},
     "each span has a sentinel of its own", killed_by="test_figure_2_of_the_paper")
edit("corrupt", "from-one", {"enumerate(spans)": "enumerate(spans, 1)"}, "sentinels count from <0>", killed_by="test_figure_2_of_the_paper")
edit("corrupt", "rest-lost", {"[*read, *tokens[place:]]": "read"}, "what stands behind the last span is lost", killed_by="test_figure_2_of_the_paper")
edit("corrupt", "whole-target", {'*tokens[start:end]]': "*tokens[start:]]"}, "the target holds the hidden tokens alone", killed_by="test_figure_2_of_the_paper")
edit("corrupt", "span-still-there", {"place = end": "place = start"}, "the hidden tokens are still in what is read", killed_by="test_figure_2_of_the_paper")
edit("corrupt", "exchanged", {'[*read, *tokens[place:]], [*write, f"<{len(spans)}>"]': '[*write, f"<{len(spans)}>"], [*read, *tokens[place:]]'},
     "what is read comes first, then what is written", killed_by="test_figure_2_of_the_paper")

edit("corrupt", "hundred-sentinels", {"place = end": "place = end\n        if number == 99:\n            break"},
     "only a hundred spans are replaced: there may be more", killed_by="test_sentinels_have_two_digits_after_the_tenth")
edit("corrupt", "lower-case", {"*tokens[start:end]": "*(token.lower() for token in tokens[start:end])"},
     "hidden tokens lose their capitals: they are written as they stood", killed_by="test_any_text_is_whole_again_when_both_are_put_together")
edit("corrupt", "joined-and-split", {'[*read, *tokens[place:]], [*write, f"<{len(spans)}>"]': '" ".join([*read, *tokens[place:]]).split(), [*write, f"<{len(spans)}>"]'},
     "the text is joined and split again: a token may hold a blank, or be empty", killed_by="test_any_text_is_whole_again_when_both_are_put_together")


@mistake("corrupt", "words-for-places", "a word that stands twice is hidden twice: places are hidden, not words",
         killed_by="test_any_text_is_whole_again_when_both_are_put_together")
def corrupt(tokens, spans):
    number_of = {token: number for number, (start, end) in enumerate(spans) for token in tokens[start:end]}
    read, write = [], []
    for token in tokens:
        mark = f"<{number_of[token]}>" if token in number_of else token
        if mark == token or mark not in read:
            read.append(mark)
    for number, (start, end) in enumerate(spans):
        write += [f"<{number}>", *tokens[start:end]]
    return read, [*write, f"<{len(spans)}>"]


# score_text
@alternative("score_text", "whole-arithmetic")
def score_text(score):
    steps = round(score * 5)
    return f"{steps // 5}.{steps % 5 * 2}"


@alternative("score_text", "decimal")
def score_text(score):
    from decimal import ROUND_HALF_EVEN, Decimal

    steps = (Decimal(str(score)) * 5).quantize(Decimal(1), rounding=ROUND_HALF_EVEN)
    return str((steps / 5).quantize(Decimal("0.1")))


@alternative("score_text", "division")
def score_text(score):
    return f"{round(score / 0.2) / 5:.1f}"


edit("score_text", "bare-float", {'f"{round(5 * score) / 5:.1f}"': "str(round(5 * score) * 0.2)"},
     "3.8000000000000003 is no label: one digit after the point", killed_by="test_one_digit_stands_after_the_point")
edit("score_text", "tenths", {"round(5 * score) / 5": "score"}, "rounded to tenths: the steps are 0.2", killed_by="test_257_is_written_as_26")
edit("score_text", "cut-off", {"round(5 * score)": "int(5 * score)"}, "the steps are cut off: round to the nearest", killed_by="test_257_is_written_as_26")
edit("score_text", "rounded-up", {"round(5 * score)": "math.floor(5 * score + 0.5)"}, "the middle goes up: the even number of steps wins",
     killed_by="test_in_the_middle_the_even_number_of_steps_wins")
edit("score_text", "rounded-down", {"round(5 * score)": "math.ceil(5 * score - 0.5)"}, "the middle goes down, which is right for 2.5 and wrong for 3.5",
     killed_by="test_in_the_middle_the_even_number_of_steps_wins")
edit("score_text", "rounded-twice", {"round(5 * score)": "round(5 * round(score, 2))"},
     "rounded to hundredths first, then to steps: 2.501 is above the middle, and 2.50 is not", killed_by="test_beside_the_middle_the_nearer_step_wins")
edit("score_text", "near-the-middle", {"round(5 * score)": "round(round(5 * score, 6))"},
     "what is within a millionth of the middle is taken for it", killed_by="test_beside_the_middle_the_nearer_step_wins")
edit("score_text", "two-digits", {":.1f": ":.2f"}, "one digit after the point", killed_by="test_257_is_written_as_26")
edit("score_text", "a-number", {'f"{round(5 * score) / 5:.1f}"': "round(round(5 * score) / 5, 1)"}, "a string is asked for, T5 writes text",
     killed_by="test_257_is_written_as_26")
edit("score_text", "whole-without-digit", {'f"{round(5 * score) / 5:.1f}"': 'f"{round(5 * score) / 5:g}"'}, "5 is written as 5.0",
     killed_by="test_one_digit_stands_after_the_point")

for label in ("4: far.clamp(min=1) → far.clamp(min=2)", "4: far.clamp(min=1) → far.clamp(min=0)"):
    equivalent("distance_buckets", label, "distances below near do not take the logarithm's number")
equivalent("distance_buckets", "4: math.log(128 / near) → math.log(128 // near)", "8 and 16 divide 128")
equivalent("distance_buckets", "5: torch.where(far < near, far, (near + steps.long()).clamp(max=half - 1)) → torch.where(far <= near, far, (near + steps.long()).clamp(max=half - 1))",
           "at near itself the logarithm is 0: both are near")
equivalent("corrupt", "2: enumerate(spans) → [(spans.index(item), item) for item in spans]",
           "the spans do not overlap, so no two are equal")
for label in ("1: keys.transpose(-1, -2) → keys.transpose(-2, -1)", "1: keys.transpose(-1, -2) → keys.transpose(-1, 2)"):
    equivalent("attend", label, "there are four dimensions, and the order of the two does not matter")
