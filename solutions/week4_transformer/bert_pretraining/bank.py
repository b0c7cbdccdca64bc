"""bert_pretraining: classic mistakes and other right ways, for each exercise. Never released."""

import math

import torch
from torch.nn import functional

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# gelu
@alternative("gelu", "normal-distribution")
def gelu(x, approximate=False):
    if not approximate:
        return x * torch.special.ndtr(x)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x.pow(3))
    return x * (inner.tanh() + 1) / 2


@alternative("gelu", "sigmoid-for-tanh")
def gelu(x, approximate=False):
    if approximate:  # (1 + tanh z) / 2 is the sigmoid of 2 z
        return x * torch.sigmoid(2 * (2 / math.pi) ** 0.5 * x * (1 + 0.044715 * x * x))
    return x * torch.erfc(-x / 2**0.5) / 2


edit("gelu", "cube-lost", {"x**3": "x"}, "the exponent of x³ is lost: the formula has 0.044715 x³",
     killed_by="test_the_form_with_tanh_has_the_cube_of_x")
edit("gelu", "always-tanh", {"if approximate:": "if True:"}, "the formula with tanh is used for both forms: the exact one has erf",
     killed_by="test_the_exact_form_is_not_the_approximation")
edit("gelu", "forms-exchanged", {"if approximate:": "if not approximate:"},
     "the two forms are exchanged: approximate=True asks for tanh", killed_by="test_the_exact_form_is_not_the_approximation")
edit("gelu", "erf-of-x", {"torch.erf(x / math.sqrt(2))": "torch.erf(x)"},
     "erf is taken of x: the normal distribution function has erf(x / √2)",
     killed_by="test_the_exact_form_is_x_times_the_normal_distribution_function")
edit("gelu", "distribution-alone", {"return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))": "return 0.5 * (1 + torch.erf(x / math.sqrt(2)))"},
     "Φ(x) alone is returned: GELU is x · Φ(x)", killed_by="test_the_exact_form_is_x_times_the_normal_distribution_function")
edit("gelu", "sigmoid-form", {"return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))": "return x * torch.sigmoid(1.702 * x)"},
     "x · sigmoid(1.702 x) is a third form, and coarser than both", killed_by="test_the_exact_form_is_x_times_the_normal_distribution_function")
edit("gelu", "root-of-pi-over-two", {"math.sqrt(2 / math.pi)": "math.sqrt(math.pi / 2)"},
     "the factor is √(2/π), not √(π/2)", killed_by="test_the_form_with_tanh_has_the_cube_of_x")
edit("gelu", "relu", {"return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))": "return x.clamp(min=0)"},
     "this is ReLU: GELU is below 0 for negative numbers", killed_by="test_negative_numbers_get_a_gradient")


edit("gelu", "float32-always", {"if approximate:": "x = x.float()\n    if approximate:"},
     "float32 comes back whatever came in: doubles lose their digits", killed_by="test_a_double_without_axes_keeps_its_digits")


edit("gelu", "half-as-float", {"if approximate:": "x = x.float() if x.dtype == torch.float16 else x\n    if approximate:"},
     "half precision comes back as float32: what is returned has the type of x", killed_by="test_shape_and_type_stay_as_they_are")
edit("gelu", "squeezed", {"return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))": "return (0.5 * x * (1 + torch.erf(x / math.sqrt(2)))).squeeze(1) if x.dim() == 3 else 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))"},
     "an axis of one is lost", killed_by="test_shape_and_type_stay_as_they_are")


# pair_input
@alternative("pair_input", "lengths-first")
def pair_input(first, second, length, cls=2, sep=3):
    if second is None:
        whole = [cls] + first[: length - 2] + [sep]
        return whole, [0 for _ in whole]
    a, b = len(first), len(second)
    while a + b + 3 > length:
        if a > b:
            a -= 1
        else:
            b -= 1
    front, back = [cls] + first[:a] + [sep], second[:b] + [sep]
    return front + back, [0] * len(front) + [1] * len(back)


@alternative("pair_input", "halves")
def pair_input(first, second, length, cls=2, sep=3):
    if second is None:
        return [cls, *first[: length - 2], sep], [0] * (min(len(first), length - 2) + 2)
    room = length - 3
    a = min(len(first), max(room - len(second), (room + 1) // 2))  # the odd token is the first text's
    b = min(len(second), room - a)
    return [cls, *first[:a], sep, *second[:b], sep], [0] * (a + 2) + [1] * (b + 1)


edit("pair_input", "first-separator-in-segment-1",
     {"[0] * (len(first) + 2) + [1] * (len(second) + 1)": "[0] * (len(first) + 1) + [1] * (len(second) + 2)"},
     "the first [SEP] is given to segment 1: it ends the first text, and has segment 0",
     killed_by="test_the_first_separator_belongs_to_segment_0")
edit("pair_input", "second-text-cut", {"(first if len(first) > len(second) else second).pop()": "(second or first).pop()"},
     "only the second text is cut: the longer one loses its last token", killed_by="test_the_longer_text_loses_its_last_tokens")
edit("pair_input", "first-of-equals-cut", {"len(first) > len(second) else": "len(first) >= len(second) else"},
     "of two equally long texts the first is cut: the second is", killed_by="test_of_two_equally_long_texts_the_second_is_cut")
edit("pair_input", "special-tokens-not-counted", {"> length - 3": "> length", "first[: length - 2]": "first[:length]"},
     "the special tokens are not counted: they are among the `length`", killed_by="test_509_pieces_fit_into_512_tokens_and_the_510th_is_cut")
edit("pair_input", "cut-from-the-front", {"(first if len(first) > len(second) else second).pop()": "(first if len(first) > len(second) else second).pop(0)"},
     "the first tokens are cut off: the last ones are", killed_by="test_the_longer_text_loses_its_last_tokens")
edit("pair_input", "end-lost", {"return [cls, *first, sep, *second, sep], [0]": "return [cls, *first, sep, *second, sep][:length], [0]", "while len(first) + len(second) > length - 3:": "while False:"},
     "the whole is cut at `length`: the last [SEP] is lost, and the first text keeps all of its tokens",
     killed_by="test_the_longer_text_loses_its_last_tokens")
edit("pair_input", "one-separator", {"*second, sep], [0]": "*second], [0]", "len(second) + 1)": "len(second))"},
     "the second text has no [SEP] at its end", killed_by="test_two_texts_stand_between_three_special_tokens")
edit("pair_input", "segments-of-texts-alone", {"[0] * (len(first) + 2) + [1] * (len(second) + 1)": "[0] * len(first) + [1] * len(second)"},
     "special tokens have no segment: every token has one", killed_by="test_the_first_separator_belongs_to_segment_0")
edit("pair_input", "lists-shortened", {"first, second = list(first), None if second is None else list(second)": "pass"},
     "the caller's own lists are shortened: cut copies", killed_by="test_the_lists_that_came_in_stay_whole")
edit("pair_input", "one-text-not-cut", {"*first[: length - 2], sep]": "*first, sep]"},
     "a single text is not cut", killed_by="test_one_text_alone_has_one_separator_and_segment_0")
edit("pair_input", "longer-one-cut-at-once", {"    while len(first) + len(second) > length - 3:\n        (first if len(first) > len(second) else second).pop()":
     "    over = max(0, len(first) + len(second) - length + 3)\n    for _ in range(over):\n        longer.pop()",
     "None if second is None else list(second)": "None if second is None else list(second)\n    longer = first if second is None or len(first) > len(second) else second"},
     "the text that was longer at first loses all: who is longer is asked again after each token",
     killed_by="test_the_longer_text_loses_its_last_tokens")


edit("pair_input", "segments-as-a-tensor", {"[0] * (len(first) + 2) + [1] * (len(second) + 1)": "torch.tensor([0] * (len(first) + 2) + [1] * (len(second) + 1))"},
     "segments come back as a tensor: two lists were asked for", killed_by="test_lists_come_back_and_may_be_longer_than_512")
edit("pair_input", "at-most-512", {"first, second = list(first)": "length = min(length, 512)\n    first, second = list(first)"},
     "the input has 512 tokens at most: `length` says how many", killed_by="test_lists_come_back_and_may_be_longer_than_512")


edit("pair_input", "special-ids-fixed", {"return [cls, *first, sep, *second, sep], [0]": "return [2, *first, 3, *second, 3], [0]"},
     "[CLS] and [SEP] are always 2 and 3: `cls` and `sep` say what they are", killed_by="test_any_two_texts_are_cut_as_evenly_as_possible")
edit("pair_input", "segments-from-the-first-separator",
     {"return [cls, *first, sep, *second, sep], [0] * (len(first) + 2) + [1] * (len(second) + 1)":
      "tokens = [cls, *first, sep, *second, sep]\n    end = tokens.index(sep) + 1\n    return tokens, [0] * end + [1] * (len(tokens) - end)"},
     "the first [SEP] is looked for by its id, which a text may hold", killed_by="test_a_text_may_hold_the_ids_of_special_tokens")


# embed_input
@alternative("embed_input", "torch-functions")
def embed_input(words, kinds, places, gain, bias, tokens, segments, eps=1e-12):
    positions = torch.arange(tokens.size(1), device=tokens.device).unsqueeze(0)  # (1, N)
    x = functional.embedding(tokens, words) + functional.embedding(segments, kinds) + functional.embedding(positions, places)
    return functional.layer_norm(x, (words.size(1),), weight=gain, bias=bias, eps=eps)


@alternative("embed_input", "token-by-token", slow="a loop over all tokens, in each step of the pre-training")
def embed_input(words, kinds, places, gain, bias, tokens, segments, eps=1e-12):
    texts = []
    for text, parts in zip(tokens.tolist(), segments.tolist()):
        rows = []
        for position, (token, segment) in enumerate(zip(text, parts)):
            x = words[token] + kinds[segment] + places[position]
            rows.append(gain * (x - x.mean()) * (x.var(unbiased=False) + eps) ** -0.5 + bias)
        texts.append(torch.stack(rows))
    return torch.stack(texts)


edit("embed_input", "positions-from-1", {"places[: tokens.shape[1]]": "places[1 : tokens.shape[1] + 1]"},
     "positions are counted from 1: [CLS] is at position 0", killed_by="test_positions_are_counted_from_0_in_every_text")
edit("embed_input", "no-positions", {" + places[: tokens.shape[1]]": ""}, "positions have no vectors",
     killed_by="test_positions_are_counted_from_0_in_every_text")
edit("embed_input", "no-segments", {" + kinds[segments]": ""}, "segments have no vectors", killed_by="test_segments_have_a_vector_each")
edit("embed_input", "one-segment", {"kinds[segments]": "kinds[0]"}, "all tokens get the vector of segment 0",
     killed_by="test_segments_have_a_vector_each")
edit("embed_input", "not-normalised", {"return (x - mean) / torch.sqrt(variance + eps) * gain + bias": "return x"},
     "the sum is not normalised", killed_by="test_the_sum_is_normalised_then_stretched_and_moved")
edit("embed_input", "eps-outside-the-root", {"torch.sqrt(variance + eps)": "(torch.sqrt(variance) + eps)"},
     "eps is added to the root: it is added to the variance under it", killed_by="test_eps_is_added_to_the_variance_under_the_root")
edit("embed_input", "divided-by-h-minus-1", {"(x - mean).square().mean(dim=-1, keepdim=True)": "x.var(dim=-1, keepdim=True)"},
     "the variance is divided by H − 1: layer normalisation divides by H", killed_by="test_the_sum_is_normalised_then_stretched_and_moved")
edit("embed_input", "over-the-text", {"x.mean(dim=-1, keepdim=True)": "x.mean(dim=1, keepdim=True)", ".square().mean(dim=-1, keepdim=True)": ".square().mean(dim=1, keepdim=True)"},
     "mean and variance are taken over the tokens: each token is normalised by itself, over its H numbers",
     killed_by="test_the_sum_is_normalised_then_stretched_and_moved")
edit("embed_input", "scaled-by-the-root-of-h", {"words[tokens]": "words[tokens] * words.shape[1] ** 0.5"},
     "the token's vector is multiplied by √H: the Transformer does so, BERT does not",
     killed_by="test_the_eleven_tokens_of_the_figure_get_the_sum_of_three_vectors")
edit("embed_input", "gain-forgotten", {" * gain + bias": ""}, "gain and bias are forgotten",
     killed_by="test_the_sum_is_normalised_then_stretched_and_moved")
edit("embed_input", "positions-go-on", {"places[: tokens.shape[1]]": "places[torch.arange(tokens.numel()).reshape(tokens.shape) % len(places)]"},
     "positions go on from one text to the next: each text begins at 0", killed_by="test_positions_are_counted_from_0_in_every_text")


edit("embed_input", "mean-of-squares", {"(x - mean).square().mean(dim=-1, keepdim=True)": "x.square().mean(dim=-1, keepdim=True) - mean.square()"},
     "the variance is a difference of two large numbers, which cancels far from 0: average the squared distances from the mean",
     killed_by="test_numbers_far_from_0_keep_their_variance")


edit("embed_input", "squeezed", {"places[: tokens.shape[1]]  # (B, N, H)": "places[: tokens.shape[1]]\n    x = x.squeeze(1)"},
     "a text of one token loses its axis", killed_by="test_an_axis_of_one_is_kept_and_all_positions_may_be_used")
edit("embed_input", "eps-at-least-a-hundred-thousandth", {"variance + eps": "variance + max(eps, 1e-5)"},
     "eps is 10⁻⁵ at least, as torch's is unless one says", killed_by="test_small_vectors_and_vectors_of_equal_numbers_are_normalised_too")


# count_parameters
@alternative("count_parameters", "closed-form")
def count_parameters(layers, width, vocabulary=30_522, positions=512, heads=False):
    h = width
    encoder = h * (vocabulary + positions + 4) + layers * (12 * h * h + 13 * h) + h * h + h
    return encoder + heads * (h * h + 5 * h + vocabulary + 2)


@alternative("count_parameters", "list-of-shapes")
def count_parameters(layers, width, vocabulary=30_522, positions=512, heads=False):
    norm = [(width,), (width,)]
    square = [(width, width), (width,)]
    layer = 4 * square + norm + [(4 * width, width), (4 * width,), (width, 4 * width), (width,)] + norm
    shapes = [(vocabulary, width), (positions, width), (2, width), *norm, *(layers * layer), *square]
    if heads:
        shapes += [*square, *norm, (vocabulary,), (2, width), (2,)]
    return sum(math.prod(shape) for shape in shapes)


edit("count_parameters", "output-weights-untied", {"norm + vocabulary + linear": "norm + linear(width, vocabulary) + linear"},
     "the output weights are counted again: they are the token table", killed_by="test_the_heads_have_no_output_weights_of_their_own")
edit("count_parameters", "no-biases", {"a * b + b": "a * b"}, "linear maps have biases too", killed_by="test_a_layer_of_width_1_is_counted_by_hand")
edit("count_parameters", "no-pooler", {"    total += linear(width, width)\n    if heads": "    if heads"}, "the pooler is missing",
     killed_by="test_base_and_large_have_110_and_335_million")
edit("count_parameters", "no-positions", {"(vocabulary + positions + 2)": "(vocabulary + 2)"},
     "positions are missing: BERT's are learnt", killed_by="test_base_and_large_have_110_and_335_million")
edit("count_parameters", "no-segments", {"(vocabulary + positions + 2)": "(vocabulary + positions)"}, "the two segments are missing",
     killed_by="test_base_and_large_have_110_and_335_million")
edit("count_parameters", "three-maps-of-attention", {"4 * linear(width, width)": "3 * linear(width, width)"},
     "attention has four maps: the one of its output is missing", killed_by="test_a_layer_of_width_1_is_counted_by_hand")
edit("count_parameters", "one-norm-a-layer", {"linear(4 * width, width) + norm)": "linear(4 * width, width))"},
     "a layer has two normalisations", killed_by="test_a_layer_of_width_1_is_counted_by_hand")
edit("count_parameters", "norm-without-bias", {"norm = 2 * width": "norm = width"}, "a normalisation has a gain and a bias",
     killed_by="test_a_layer_of_width_1_is_counted_by_hand")
edit("count_parameters", "no-output-bias", {"norm + vocabulary + linear": "norm + linear"}, "the bias of each token of the vocabulary is missing",
     killed_by="test_the_heads_have_no_output_weights_of_their_own")
edit("count_parameters", "no-norm-of-the-input", {"(vocabulary + positions + 2) * width + norm": "(vocabulary + positions + 2) * width"},
     "the normalisation of the input is missing", killed_by="test_base_and_large_have_110_and_335_million")


edit("count_parameters", "counted-in-floats", {"return total": "return int(torch.tensor(float(total)))"},
     "the count goes through a float of 32 bits, which does not hold every whole number", killed_by="test_billions_are_counted_to_the_last_one")


# mask_tokens
@alternative("mask_tokens", "one-after-the-other")
def mask_tokens(tokens, draw, pick, special, mask, rate=0.15, hidden=0.8, swapped=0.1):
    read, labels = tokens.clone(), torch.full_like(tokens, -100)
    ordinary = [i for i in range(len(special)) if not special[i]]
    allowed = [not bool(special[i]) for i in range(len(special))]
    chosen = (draw < rate).nonzero().tolist()
    for b, n in chosen:
        token, u = int(tokens[b, n]), float(draw[b, n])
        if not allowed[token]:
            continue
        labels[b, n] = token
        if u < rate * hidden:
            read[b, n] = mask
        elif u < rate * (hidden + swapped):
            read[b, n] = ordinary[int(pick[b, n]) % len(ordinary)]
    return read, labels


@alternative("mask_tokens", "masks-of-truth")
def mask_tokens(tokens, draw, pick, special, mask, rate=0.15, hidden=0.8, swapped=0.1):
    free = ~special[tokens]
    chosen = free & (draw < rate)
    masked = chosen & (draw / rate < hidden)
    changed = chosen & ~masked & (draw < rate * hidden + rate * swapped)
    ids = torch.arange(len(special), device=tokens.device)[~special]
    read = tokens.clone()
    read[masked] = mask
    read[changed] = ids[pick[changed] % ids.numel()]
    labels = tokens.masked_fill(~chosen, -100)
    return read, labels


edit("mask_tokens", "all-chosen-become-mask", {"torch.where(draw < rate * hidden, mask, read)": "torch.where(draw < rate, mask, read)"},
     "all of the 15 % become [MASK]: 80 % of them do, 12 % of all", killed_by="test_one_draw_decides_what_is_read")
edit("mask_tokens", "special-tokens-chosen", {"draw = draw.masked_fill(special[tokens], 1.0)": "pass"},
     "special tokens are chosen too: they never are", killed_by="test_special_tokens_are_never_chosen")
edit("mask_tokens", "special-tokens-put-in", {"(~special).nonzero().flatten()": "torch.arange(len(special))"},
     "special tokens are put in the place of others: only ordinary ones are", killed_by="test_no_special_token_takes_the_place_of_another")
edit("mask_tokens", "special-tokens-taken-for-the-first", {"ordinary[pick % len(ordinary)]": "special.sum() + pick % len(ordinary)"},
     "the special ids are taken for the first ones: `special` says which they are", killed_by="test_no_special_token_takes_the_place_of_another")
edit("mask_tokens", "labels-everywhere", {"torch.where(draw < rate, tokens, -100)": "tokens"},
     "every token has a label: only the chosen ones do", killed_by="test_only_chosen_tokens_have_labels_and_those_that_stay_are_among_them")
edit("mask_tokens", "kept-have-no-label", {"torch.where(draw < rate, tokens, -100)": "torch.where(draw < rate * (hidden + swapped), tokens, -100)"},
     "chosen tokens that stay have no label: they are asked for as well",
     killed_by="test_only_chosen_tokens_have_labels_and_those_that_stay_are_among_them")
edit("mask_tokens", "labels-where-mask-is-read", {"torch.where(draw < rate, tokens, -100)": "torch.where(read == mask, tokens, -100)"},
     "labels stand at [MASK] alone: random and kept tokens are asked for as well",
     killed_by="test_only_chosen_tokens_have_labels_and_those_that_stay_are_among_them")
edit("mask_tokens", "shares-of-all", {"rate * (hidden + swapped)": "(hidden + swapped)", "draw < rate * hidden": "draw < hidden"},
     "80 % and 10 % are taken of all tokens: they are shares of the chosen ones", killed_by="test_one_draw_decides_what_is_read")
edit("mask_tokens", "labels-are-what-is-read", {"torch.where(draw < rate, tokens, -100)": "torch.where(draw < rate, read, -100)"},
     "the labels are what is read: they are the tokens that were there",
     killed_by="test_only_chosen_tokens_have_labels_and_those_that_stay_are_among_them")
edit("mask_tokens", "labels-0", {"torch.where(draw < rate, tokens, -100)": "torch.where(draw < rate, tokens, 0)"},
     "where nothing is asked the label is −100: 0 is a token", killed_by="test_only_chosen_tokens_have_labels_and_those_that_stay_are_among_them")
edit("mask_tokens", "nothing-swapped", {"torch.where(draw < rate * (hidden + swapped), other, tokens)": "tokens"},
     "no token is swapped for a random one", killed_by="test_one_draw_decides_what_is_read")


@mistake("mask_tokens", "two-draws", "a second draw decides which of the chosen stay, and a third which are masked: 81 % become [MASK], 9 % are random",
         killed_by="test_of_a_million_draws_15_percent_are_chosen_and_12_percent_become_mask")
def mask_tokens(tokens, draw, pick, special, mask, rate=0.15, hidden=0.8, swapped=0.1):
    chosen = (draw < rate) & ~special[tokens]
    generator = torch.Generator().manual_seed(0)
    kept = chosen & (torch.rand(tokens.shape, generator=generator) < swapped)
    masked = chosen & ~kept & (torch.rand(tokens.shape, generator=generator) < hidden + swapped)
    ordinary = (~special).nonzero().flatten()
    read = torch.where(masked, mask, torch.where(chosen & ~kept & ~masked, ordinary[pick % len(ordinary)], tokens))
    return read, torch.where(chosen, tokens, -100)


edit("mask_tokens", "32-bit-picks", {"pick % len(ordinary)": "pick.int() % len(ordinary)"},
     "32 bits hold no pick beyond 2^31", killed_by="test_ids_and_picks_may_be_large")
edit("mask_tokens", "squeezed", {"    return read, torch.where": "    read = read.squeeze(1)\n    return read, torch.where"},
     "texts of one token lose their axis", killed_by="test_rates_may_be_0_or_1_and_texts_of_one_token")


# whole_words
@alternative("whole_words", "starts-and-ends")
def whole_words(pieces, order, budget):
    special = {"[CLS]", "[SEP]", "[PAD]"}
    starts = [i for i, piece in enumerate(pieces) if piece not in special and not piece.startswith("##")]
    chosen, left = set(), budget
    for number in order:
        end = starts[number] + 1
        while end < len(pieces) and pieces[end][:2] == "##":
            end += 1
        if end - starts[number] <= left:
            chosen.update(range(starts[number], end))
            left -= end - starts[number]
    return [i for i in range(len(pieces)) if i in chosen]


@alternative("whole_words", "number-for-each-piece")
def whole_words(pieces, order, budget):
    numbers, number = [], -1
    for piece in pieces:
        if piece in ("[CLS]", "[SEP]", "[PAD]"):
            numbers.append(None)
            continue
        number += not piece.startswith("##")
        numbers.append(number)
    chosen = []
    for wanted in order:
        word = [i for i, found in enumerate(numbers) if found == wanted]
        if len(word) > budget:
            continue
        budget -= len(word)
        chosen.extend(word)
    chosen.sort()
    return chosen


edit("whole_words", "stops-at-the-first-that-does-not-fit",
     {"if len(chosen) + len(words[number]) <= budget:\n            chosen += words[number]": "if len(chosen) + len(words[number]) > budget:\n            break\n        chosen += words[number]"},
     "it stops at the first word that does not fit: that one is skipped, and the next is tried",
     killed_by="test_a_word_that_does_not_fit_is_skipped_and_the_next_is_tried")
edit("whole_words", "budget-of-words", {"for number in order:": "for number in order[:budget]:", "if len(chosen) + len(words[number]) <= budget:": "if True:"},
     "the budget counts words: it counts pieces", killed_by="test_the_budget_counts_pieces")
edit("whole_words", "budget-exceeded", {"len(chosen) + len(words[number]) <= budget": "len(chosen) < budget"},
     "the last word may exceed the budget: a word that does not fit is skipped", killed_by="test_a_word_longer_than_the_budget_is_never_chosen")
edit("whole_words", "pieces-apart", {'piece.startswith("##")': "False"}, "each piece is a word of its own: ## goes on with the word before",
     killed_by="test_all_pieces_of_a_word_are_chosen")
edit("whole_words", "special-tokens-are-words", {'if piece in ("[CLS]", "[SEP]", "[PAD]"):\n            continue': "pass"},
     "[CLS], [SEP] and [PAD] are counted as words", killed_by="test_special_tokens_are_no_words")
edit("whole_words", "order-of-choice", {"return sorted(chosen)": "return chosen"}, "the positions come in the order of the choice: they are asked for in increasing order",
     killed_by="test_special_tokens_are_no_words")
edit("whole_words", "part-of-a-word", {"if len(chosen) + len(words[number]) <= budget:\n            chosen += words[number]": "chosen += words[number][: budget - len(chosen)]"},
     "a word is chosen in part to use the budget up: all of its pieces are chosen, or none",
     killed_by="test_a_word_longer_than_the_budget_is_never_chosen")
edit("whole_words", "one-short-of-the-budget", {"<= budget": "< budget"}, "a word that just fits is skipped: the budget may be used up",
     killed_by="test_all_pieces_of_a_word_are_chosen")
edit("whole_words", "left-to-right", {"for number in order:": "for number in sorted(order):"}, "words are tried from left to right: the order says which is tried first",
     killed_by="test_all_pieces_of_a_word_are_chosen")


edit("whole_words", "one-sign-goes-on", {'piece.startswith("##")': 'piece.startswith("#")'},
     "a piece # is taken for the rest of a word: two signs ## go on with the word before", killed_by="test_a_piece_with_other_signs_is_a_word")
edit("whole_words", "signs-anywhere", {'piece.startswith("##")': '"##" in piece'},
     "signs ## anywhere are taken for the rest of a word: they stand at its beginning", killed_by="test_a_piece_with_other_signs_is_a_word")
edit("whole_words", "brackets-are-special", {'if piece in ("[CLS]", "[SEP]", "[PAD]"):': 'if piece.startswith("["):'},
     "every piece with a bracket is left out: only [CLS], [SEP] and [PAD] are no words", killed_by="test_a_piece_with_other_signs_is_a_word")
edit("whole_words", "all-reserved-are-special", {'("[CLS]", "[SEP]", "[PAD]")': '("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]")'},
     "[UNK] is left out as well: it stands for a word", killed_by="test_a_piece_with_other_signs_is_a_word")


edit("whole_words", "two-signs-are-a-word", {'piece.startswith("##")': '(piece.startswith("##") and len(piece) > 2)'},
     "the piece ## is taken for a word: it begins with two signs too, so it goes on", killed_by="test_two_signs_alone_go_on_with_the_word_before")


edit("whole_words", "mask-is-special", {'("[CLS]", "[SEP]", "[PAD]")': '("[CLS]", "[SEP]", "[PAD]", "[MASK]")'},
     "[MASK] is left out as well: it stands for a word", killed_by="test_only_three_pieces_are_no_words")
edit("whole_words", "512-pieces", {"enumerate(pieces)": "enumerate(pieces[:512])", "for number in order:": "for number in order:\n        if number >= len(words):\n            continue"},
     "only the first 512 pieces are read", killed_by="test_a_text_may_be_longer_than_512")


# next_sentence_pair
@alternative("next_sentence_pair", "step-over-its-own")
def next_sentence_pair(documents, number, cut, coin, other):
    first, second = [], []
    for sentence in documents[number][:cut]:
        first += sentence
    source = documents[number]
    start = cut
    if coin:
        index = other % (len(documents) - 1)
        source = documents[index + (index >= number)]
        start = min(cut, len(source) - 1)
    for sentence in source[start:]:
        second += sentence
    return first, second, int(coin)


@alternative("next_sentence_pair", "chain")
def next_sentence_pair(documents, number, cut, coin, other):
    from itertools import chain

    first = [*chain.from_iterable(documents[number][:cut])]
    if coin == 0:
        return first, [*chain.from_iterable(documents[number][cut:])], 0
    rest = documents[:number] + documents[number + 1 :]
    text = rest[other % len(rest)]
    return first, [*chain.from_iterable(text[cut:] or text[-1:])], 1


edit("next_sentence_pair", "labels-reversed", {"for i in text], coin": "for i in text], 1 - coin"},
     "the label is reversed: 0 means that B follows", killed_by="test_the_rest_of_the_document_follows_and_has_label_0")
edit("next_sentence_pair", "its-own-document", {" if place != number": ""}, "a false B may come from A's own document: its document is not among the others",
     killed_by="test_the_others_are_counted_without_the_documents_own")
edit("next_sentence_pair", "from-the-start", {"found[min(cut, len(found) - 1) :]": "found"}, "a false B is the whole other document: it begins at sentence `cut`",
     killed_by="test_a_false_text_stands_at_the_place_of_the_true_one")
edit("next_sentence_pair", "too-short-gives-nothing", {"found[min(cut, len(found) - 1) :]": "found[cut:]"},
     "a document that is too short gives an empty B: it gives its last sentence", killed_by="test_a_document_that_is_too_short_gives_its_last_sentence")
edit("next_sentence_pair", "last-token", {"second = found[min(cut, len(found) - 1) :]": "second = found[cut:] or [found[-1][-1:]]"},
     "a document that is too short gives its last token: it gives its last sentence", killed_by="test_a_document_that_is_too_short_gives_its_last_sentence")
edit("next_sentence_pair", "whole-if-too-short", {"second = found[min(cut, len(found) - 1) :]": "second = found[cut:] or found"},
     "a document that is too short is given whole: it gives its last sentence", killed_by="test_a_document_that_is_too_short_gives_its_last_sentence")
edit("next_sentence_pair", "one-sentence", {"first, second = document[:cut], document[cut:]": "first, second = document[:cut], document[cut : cut + 1]"},
     "B is one sentence: it is all of the rest", killed_by="test_the_rest_of_the_document_follows_and_has_label_0")
edit("next_sentence_pair", "one-sentence-each", {"first, second = document[:cut], document[cut:]": "first, second = document[cut - 1 : cut], document[cut:]"},
     "A is the last sentence before the cut: it is all of them", killed_by="test_the_rest_of_the_document_follows_and_has_label_0")
edit("next_sentence_pair", "cut-counted-from-1", {"found[min(cut, len(found) - 1) :]": "found[min(cut - 1, len(found) - 1) :]"},
     "sentences are counted from 0: a false B begins one sentence too early", killed_by="test_a_false_text_stands_at_the_place_of_the_true_one")
edit("next_sentence_pair", "compared-by-content",
     {"[text for place, text in enumerate(documents) if place != number]": "[text for text in documents if text != document]"},
     "documents are compared by what they hold: another one may read the same", killed_by="test_two_documents_that_read_the_same_are_two")
edit("next_sentence_pair", "not-joined", {"[i for text in first for i in text], [i for text in second for i in text]": "first, second"},
     "sentences are not joined: A and B are lists of ids", killed_by="test_the_rest_of_the_document_follows_and_has_label_0")
edit("next_sentence_pair", "false-text-labelled-0", {"for i in text], coin": "for i in text], 0"}, "a false B has label 0: it has label 1",
     killed_by="test_a_false_text_is_of_another_document_and_has_label_1")


edit("next_sentence_pair", "found-by-content",
     {"[text for place, text in enumerate(documents) if place != number]": "documents[: documents.index(document)] + documents[documents.index(document) + 1 :]"},
     "A's document is looked for by what it holds: an earlier one may read the same", killed_by="test_the_others_keep_their_order_where_two_read_the_same")
edit("next_sentence_pair", "label-true-or-false", {"for i in text], coin": "for i in text], coin == 1"},
     "the label is True or False: a whole number was asked for", killed_by="test_the_others_keep_their_order_where_two_read_the_same")
edit("next_sentence_pair", "empty-sentences-left-out", {"found = others[other % len(others)]": "found = [text for text in others[other % len(others)] if text]"},
     "sentences without ids are left out before counting: they count", killed_by="test_a_sentence_without_ids_is_a_sentence")


edit("next_sentence_pair", "last-sentence-with-ids", {"second = found[min(cut, len(found) - 1) :]": "second = found[cut:] or [text for text in found if text][-1:]"},
     "the last sentence that has ids: the last one counts, be it empty", killed_by="test_a_sentence_without_ids_is_a_sentence")


# masked_logits
@alternative("masked_logits", "all-then-pick")
def masked_logits(hidden, transform, transform_bias, gain, bias, words, words_bias, labels, eps=1e-12):
    x = functional.gelu(hidden @ transform.T + transform_bias)  # (B, N, H)
    mean = x.mean(-1, keepdim=True)
    x = (x - mean) / (x.var(-1, unbiased=False, keepdim=True) + eps).sqrt() * gain + bias
    scores = torch.einsum("bnh,vh->bnv", x, words) + words_bias  # (B, N, V)
    return scores.flatten(0, 1)[labels.flatten() != -100]


@alternative("masked_logits", "place-by-place")
def masked_logits(hidden, transform, transform_bias, gain, bias, words, words_bias, labels, eps=1e-12):
    rows = []
    for text, row in zip(hidden, labels):
        for place in (row >= 0).nonzero().flatten().tolist():
            x = transform @ text[place] + transform_bias  # (H,)
            x = functional.layer_norm(gelu(x), gain.shape, gain, bias, eps)
            rows.append(words @ x + words_bias)  # (V,)
    return torch.stack(rows)


edit("masked_logits", "scores-everywhere", {"x = hidden[labels != -100]  # (M, H)": "x = hidden"},
     "every token gets scores: only those that are asked for", killed_by="test_only_places_that_are_asked_for_get_scores")
edit("masked_logits", "no-transform", {"gelu(functional.linear(x, transform, transform_bias))": "x"},
     "the linear map and GELU are left out", killed_by="test_a_linear_map_and_gelu_come_before_the_normalisation")
edit("masked_logits", "no-gelu", {"gelu(functional.linear(x, transform, transform_bias))": "functional.linear(x, transform, transform_bias)"},
     "GELU is missing between the linear map and the normalisation", killed_by="test_a_linear_map_and_gelu_come_before_the_normalisation")
edit("masked_logits", "no-norm", {"x = functional.layer_norm(x, x.shape[-1:], gain, bias, eps)": "pass"}, "the normalisation is missing",
     killed_by="test_only_places_that_are_asked_for_get_scores")
edit("masked_logits", "norm-before-gelu", {"x = gelu(functional.linear(x, transform, transform_bias))": "x = functional.linear(x, transform, transform_bias)",
     "functional.layer_norm(x, x.shape[-1:], gain, bias, eps)": "gelu(functional.layer_norm(x, x.shape[-1:], gain, bias, eps))"},
     "the normalisation comes before GELU: it comes after it", killed_by="test_a_linear_map_and_gelu_come_before_the_normalisation")
edit("masked_logits", "no-output-bias", {"functional.linear(x, words, words_bias)": "functional.linear(x, words)"},
     "the bias of each token of the vocabulary is missing", killed_by="test_output_weights_are_the_token_table_with_a_bias_each")
edit("masked_logits", "relu", {"gelu(functional": "functional.relu(functional"}, "ReLU stands in GELU's place",
     killed_by="test_a_linear_map_and_gelu_come_before_the_normalisation")
edit("masked_logits", "gelu-with-tanh", {"x, transform, transform_bias))": "x, transform, transform_bias), approximate=True)"},
     "GELU is taken by the formula with tanh: BERT's is exact", killed_by="test_a_linear_map_and_gelu_come_before_the_normalisation")
edit("masked_logits", "token-0-left-out", {"labels != -100": "labels > 0"}, "a token with id 0 is not asked for: only −100 means that",
     killed_by="test_a_token_with_id_0_may_be_asked_for")
edit("masked_logits", "untied", {"functional.linear(x, words, words_bias)": "functional.linear(x, torch.ones_like(words), words_bias)"},
     "the output has weights of its own: they are the token table", killed_by="test_output_weights_are_the_token_table_with_a_bias_each")


edit("masked_logits", "zeros-are-padding", {"hidden[labels != -100]": "hidden[(labels != -100) & (hidden != 0).any(dim=-1)]"},
     "a vector of zeros is taken for padding: the labels alone say where is asked", killed_by="test_a_vector_of_zeros_is_scored_too")


edit("masked_logits", "squeezed", {"return functional.linear(x, words, words_bias)": "return functional.linear(x, words, words_bias).squeeze(1)"},
     "a table of one token loses its axis", killed_by="test_one_text_one_place_and_one_number_keep_their_axes")


# pretraining_loss
@alternative("pretraining_loss", "ignored-labels")
def pretraining_loss(token_logits, hidden, pooler, pooler_bias, sentence, sentence_bias, labels, follows):
    right = labels.flatten()[labels.flatten() >= 0]
    pooled = (hidden[:, 0, :] @ pooler.T + pooler_bias).tanh()
    scores = torch.einsum("bh,ch->bc", pooled, sentence) + sentence_bias
    both = functional.nll_loss(token_logits.log_softmax(-1), right), functional.nll_loss(scores.log_softmax(-1), follows)
    return sum(both)


@alternative("pretraining_loss", "term-by-term")
def pretraining_loss(token_logits, hidden, pooler, pooler_bias, sentence, sentence_bias, labels, follows):
    right = [i for row in labels.tolist() for i in row if i != -100]
    tokens = sum(row.logsumexp(0) - row[i] for row, i in zip(token_logits, right)) / len(right)
    pairs = torch.zeros(())
    for text, label in zip(hidden, follows.tolist()):
        scores = sentence @ torch.tanh(pooler @ text[0] + pooler_bias) + sentence_bias  # (2,)
        pairs = pairs + scores.logsumexp(0) - scores[label]
    return tokens + pairs / len(follows)


edit("pretraining_loss", "no-tanh", {"torch.tanh(functional.linear(hidden[:, 0], pooler, pooler_bias))": "functional.linear(hidden[:, 0], pooler, pooler_bias)"},
     "the pooler's tanh is forgotten", killed_by="test_the_pooler_has_a_tanh")
edit("pretraining_loss", "no-pooler", {"torch.tanh(functional.linear(hidden[:, 0], pooler, pooler_bias))": "hidden[:, 0]"},
     "[CLS] is read without the pooler", killed_by="test_the_two_means_are_added_with_equal_weights")
edit("pretraining_loss", "labels-reversed", {"functional.cross_entropy(scores, follows)": "functional.cross_entropy(scores, 1 - follows)"},
     "the labels of NSP are reversed: 0 is the first score", killed_by="test_label_0_is_the_first_of_the_two_scores")
edit("pretraining_loss", "mean-of-both", {"return guessed + functional.cross_entropy(scores, follows)": "return (guessed + functional.cross_entropy(scores, follows)) / 2"},
     "the two losses are averaged: they are added", killed_by="test_who_knows_nothing_pays_log_v_and_log_2")
edit("pretraining_loss", "over-all-tokens", {"functional.cross_entropy(token_logits, labels[labels != -100])": "functional.cross_entropy(token_logits, labels[labels != -100], reduction=\"sum\") / labels.numel()"},
     "the loss of hidden tokens is averaged over all tokens: over the hidden ones alone", killed_by="test_the_price_is_the_mean_over_hidden_tokens_alone")
edit("pretraining_loss", "sums", {"functional.cross_entropy(token_logits, labels[labels != -100])": "functional.cross_entropy(token_logits, labels[labels != -100], reduction=\"sum\")"},
     "the losses of the hidden tokens are summed up: their mean was asked for", killed_by="test_the_price_is_the_mean_over_hidden_tokens_alone")
edit("pretraining_loss", "mean-of-means", {"guessed = functional.cross_entropy(token_logits, labels[labels != -100])":
     "each = functional.cross_entropy(token_logits, labels[labels != -100], reduction=\"none\")\n    owner = (labels != -100).nonzero()[:, 0]\n"
     "    guessed = torch.stack([each[owner == b].mean() for b in owner.unique()]).mean()"},
     "tokens are averaged in each text, then the texts: it is one mean over all hidden tokens", killed_by="test_the_price_is_the_mean_over_hidden_tokens_alone")
edit("pretraining_loss", "no-next-sentence", {"return guessed + functional.cross_entropy(scores, follows)": "return guessed"},
     "the loss of next sentences is missing", killed_by="test_who_knows_nothing_pays_log_v_and_log_2")
edit("pretraining_loss", "mean-of-the-text", {"hidden[:, 0]": "hidden.mean(dim=1)"}, "the mean of all vectors is read: NSP reads [CLS], the first",
     killed_by="test_the_pooler_has_a_tanh")
edit("pretraining_loss", "last-token", {"hidden[:, 0]": "hidden[:, -1]"}, "the last vector is read: [CLS] is the first", killed_by="test_the_pooler_has_a_tanh")
edit("pretraining_loss", "detached", {"hidden[:, 0]": "hidden[:, 0].detach()"}, "NSP does not train the encoder: its vector is cut off from the gradient",
     killed_by="test_both_tasks_train_their_weights")
edit("pretraining_loss", "a-float", {"return guessed + functional.cross_entropy(scores, follows)": "return float(guessed + functional.cross_entropy(scores, follows))"},
     "a plain number comes back: nothing can be trained with it", killed_by="test_both_tasks_train_their_weights")
edit("pretraining_loss", "bits", {"return guessed + functional.cross_entropy(scores, follows)": "return (guessed + functional.cross_entropy(scores, follows)) / math.log(2)"},
     "the loss is in bits: nats were asked for", killed_by="test_who_knows_nothing_pays_log_v_and_log_2")


edit("pretraining_loss", "logarithm-of-a-softmax", {"functional.cross_entropy(token_logits, labels[labels != -100])": "functional.nll_loss((token_logits.softmax(dim=1) + 1e-9).log(), labels[labels != -100])"},
     "the logarithm is taken of a softmax that underflows: log_softmax or cross_entropy stay exact",
     killed_by="test_one_text_with_huge_scores_pays_their_differences")


equivalent("embed_input", "3: (x - mean).square → (mean - x).square", "the square takes the sign away")
equivalent("mask_tokens", "1: draw.masked_fill(special[tokens], 1.0) → draw.masked_fill(special[tokens], 2.0)", "no rate is above 1, so no draw of 1 or 2 is below it")
equivalent("whole_words", "3: ('[CLS]', '[SEP]', '[PAD]') → ('[SEP]', '[CLS]', '[PAD]')", "the order of a list that is searched")
equivalent("whole_words", "3: ('[CLS]', '[SEP]', '[PAD]') → ('[CLS]', '[PAD]', '[SEP]')", "the order of a list that is searched")
equivalent("masked_logits", "3: x.shape[-1:] → x.shape[1:]", "x has two dimensions")
equivalent("pretraining_loss", "4: guessed + functional.cross_entropy(scores, follows) → (guessed + functional.cross_entropy(scores, follows)).squeeze()", "a mean has no dimension")
equivalent("whole_words", "3: piece in ('[CLS]', '[SEP]', '[PAD]') → __import__('unicodedata').normalize('NFC', piece) in ('[CLS]', '[SEP]', '[PAD]')",
           "no mark holds a letter that is composed")
