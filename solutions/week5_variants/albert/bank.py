"""albert: classic mistakes and other right ways, for each exercise. Never released."""

import math
import re
from collections import Counter

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# embedding_sizes
@alternative("embedding_sizes", "search")
def embedding_sizes(words, width, narrow):
    whole = words * width
    widest = max(int(whole / (words + width)) - 2, 0)
    while (widest + 1) * (words + width) < whole:
        widest += 1
    while widest and widest * (words + width) >= whole:
        widest -= 1
    return whole, (words + width) * narrow, widest


@alternative("embedding_sizes", "remainder-and-tensor")
def embedding_sizes(words, width, narrow):
    quotient, rest = divmod(words * width, words + width)
    return torch.tensor([words * width, narrow * words + narrow * width, quotient - (rest == 0)])


@alternative("embedding_sizes", "ceiling")
def embedding_sizes(words, width, narrow):
    whole = words * width
    return [whole, narrow * (words + width), -(-whole // (words + width)) - 1]


@alternative("embedding_sizes", "from-nought-on")
def embedding_sizes(words, width, narrow):
    widest = 0
    while (widest + 1) * (words + width) < words * width:
        widest += 1
    return words * width, narrow * words + narrow * width, widest


edit("embedding_sizes", "twice-the-first", {"words * narrow + narrow * width": "words * narrow * 2"},
     "15,000 for 500 × 15 and 15 × 100: the second factor is E × H, not the first once more",
     killed_by="test_500_words_of_width_100_are_50000_numbers_and_9000_by_a_width_of_15")
edit("embedding_sizes", "product", {"words * narrow + narrow * width": "words * narrow * narrow * width"},
     "the sizes of the two factors are multiplied: they are stored side by side, so they add up",
     killed_by="test_500_words_of_width_100_are_50000_numbers_and_9000_by_a_width_of_15")
edit("embedding_sizes", "first-factor-alone", {"words * narrow + narrow * width": "words * narrow"},
     "the matrix from E to H is left out", killed_by="test_500_words_of_width_100_are_50000_numbers_and_9000_by_a_width_of_15")
edit("embedding_sizes", "with-bias", {"words * narrow + narrow * width": "words * narrow + narrow * width + width"},
     "a bias of H numbers is counted: biases were left out here",
     killed_by="test_the_published_table_holds_3938304_numbers_of_23040000")
edit("embedding_sizes", "break-even-pays", {"(whole - 1) // (words + width)": "whole // (words + width)"},
     "at the break-even itself there are as many numbers, not fewer", killed_by="test_the_widest_that_pays_is_just_below_the_break_even")
edit("embedding_sizes", "rounded", {"(whole - 1) // (words + width)": "round(whole / (words + width))"},
     "the break-even is rounded, perhaps up to a width that no longer pays", killed_by="test_the_widest_that_pays_is_just_below_the_break_even")
edit("embedding_sizes", "one-less", {"(whole - 1) // (words + width)": "whole // (words + width) - 1"},
     "one less than the whole part: right only where the break-even is a whole number", killed_by="test_the_widest_that_pays_is_just_below_the_break_even")
edit("embedding_sizes", "below-the-width", {"(whole - 1) // (words + width)": "width - 1"},
     "an E just below H does not pay: V·E + E·H must be below V·H", killed_by="test_the_widest_that_pays_is_just_below_the_break_even")
edit("embedding_sizes", "in-floats", {"(whole - 1) // (words + width)": "math.ceil(whole / (words + width)) - 1",
                                      "whole = words * width": "whole = int(float(words) * float(width))"},
     "floats round large whole numbers", killed_by="test_large_tables_are_counted_without_rounding")
edit("embedding_sizes", "ceiling-of-a-float", {"(whole - 1) // (words + width)": "math.ceil(whole / (words + width)) - 1"},
     "the break-even is rounded as a float, and falls on a whole number that it lies just above",
     killed_by="test_one_number_fewer_is_fewer")
edit("embedding_sizes", "a-little-below", {"(whole - 1) // (words + width)": "int(whole / (words + width) - 1e-3)"},
     "a little is taken off the break-even, so that it does not pay itself: too much where an E just below it does",
     killed_by="test_one_number_fewer_is_fewer")


# factorise
@alternative("factorise", "roots-on-both-sides")
def factorise(table, narrow):
    left, values, right = torch.linalg.svd(table)
    roots = values[:narrow].sqrt()
    return left[:, :narrow] * roots, roots[:, None] * right[:narrow]


@alternative("factorise", "projection")
def factorise(table, narrow):
    right = torch.linalg.svd(table, full_matrices=False).Vh[:narrow]  # (E, H)
    return table @ right.T, right


@alternative("factorise", "numpy")
def factorise(table, narrow):
    left, values, right = np.linalg.svd(table.numpy(), full_matrices=False)
    return torch.from_numpy(left[:, :narrow].copy()), torch.from_numpy(np.diag(values[:narrow]) @ right[:narrow])


edit("factorise", "no-singular-values", {" * values[:narrow]": ""},
     "the singular values are in neither factor", killed_by="test_what_is_kept_is_what_is_longest")
edit("factorise", "values-twice", {"right[:narrow]  #": "values[:narrow, None] * right[:narrow]  #"},
     "the singular values are in both factors: once in all", killed_by="test_what_is_kept_is_what_is_longest")
edit("factorise", "smallest-kept", {"left[:, :narrow] * values[:narrow], right[:narrow]": "left[:, -narrow:] * values[-narrow:], right[-narrow:]"},
     "the smallest singular values are kept: the greatest are", killed_by="test_what_is_kept_is_what_is_longest")
edit("factorise", "first-columns", {"left[:, :narrow] * values[:narrow], right[:narrow]": "table[:, :narrow], torch.eye(table.shape[1], dtype=table.dtype)[:narrow]"},
     "the first E columns are kept and the others are 0: the nearest table of rank E keeps directions, not columns",
     killed_by="test_a_table_of_rank_two_is_given_back_by_two_columns")
edit("factorise", "columns-of-wt", {"right[:narrow]  #": "right[:, :narrow].T  #"},
     "svd gives Wᵀ: its rows are the directions, not its columns", killed_by="test_a_table_of_rank_two_is_given_back_by_two_columns")
edit("factorise", "second-is-h-by-e", {"right[:narrow]  #": "right[:narrow].T  #"},
     "the second factor is (H, E): (E, H) was asked for", killed_by="test_a_table_of_rank_two_is_given_back_by_two_columns")
edit("factorise", "rows-of-u", {"left[:, :narrow] * values": "left[:narrow].T * values"},
     "the directions of U are its columns", killed_by="test_a_table_of_rank_two_is_given_back_by_two_columns")
edit("factorise", "centred", {"torch.linalg.svd(table, ": "torch.linalg.svd(table - table.mean(dim=0), "},
     "the mean row is taken off and not given back, as in PCA", killed_by="test_what_is_kept_is_what_is_longest")


@mistake("factorise", "random-projection", "the rows are projected on random directions: the singular ones are nearest",
         killed_by="test_a_table_of_rank_two_is_given_back_by_two_columns")
def factorise(table, narrow):
    right = torch.linalg.qr(torch.randn(table.shape[1], narrow, generator=torch.Generator().manual_seed(0), dtype=table.dtype))[0].T
    return table @ right.T, right


edit("factorise", "always-float64", {"torch.linalg.svd(table, ": "torch.linalg.svd(table.double(), "},
     "the factors are float64, whatever came in: they have the table's type", killed_by="test_wide_tables_and_doubles_are_factorised_too")
edit("factorise", "always-float32", {"torch.linalg.svd(table, ": "torch.linalg.svd(table.float(), "},
     "it computes in float32, whatever comes in", killed_by="test_wide_tables_and_doubles_are_factorised_too")
edit("factorise", "arrays", {"return left[:, :narrow] * values[:narrow], right[:narrow]": "return (left[:, :narrow] * values[:narrow]).numpy(), right[:narrow].numpy()"},
     "the factors are arrays of numpy: tensors were asked for", killed_by="test_wide_tables_and_doubles_are_factorised_too")
edit("factorise", "small-values-dropped", {"    return left": "    values = torch.where(values > 1e-3, values, 0.0)\n    return left"},
     "singular values below 0.001 are taken for 0: a table of small numbers has small ones",
     killed_by="test_small_numbers_are_numbers_too")
edit("factorise", "all-equal-ones", {"return left[:, :narrow] * values[:narrow], right[:narrow]":
     "kept = values >= values[narrow - 1]\n    return left[:, kept] * values[kept], right[kept]"},
     "all singular values are kept that are as great as the E-th: where some are equal, these are more than E",
     killed_by="test_of_equal_singular_values_as_many_are_kept_as_asked_for")
edit("factorise", "no-equal-ones", {"return left[:, :narrow] * values[:narrow], right[:narrow]":
     "kept = values > (values[narrow] if narrow < len(values) else -1)\n    return left[:, kept] * values[kept], right[kept]"},
     "the singular values are kept that are greater than the next one: where some are equal, these are fewer than E",
     killed_by="test_of_equal_singular_values_as_many_are_kept_as_asked_for")


@mistake("factorise", "twenty-rounds", "twenty rounds of an iteration come only near it where singular values are close together",
         killed_by="test_the_nearest_of_a_large_table_is_not_only_nearly_met")
def factorise(table, narrow):
    right = torch.randn(table.shape[1], narrow, generator=torch.Generator().manual_seed(0), dtype=table.dtype)
    for _ in range(20):
        right = torch.linalg.qr(table.T @ (table @ right))[0]
    return table @ right, right.T


edit("factorise", "divided-by-values", {"return left[:, :narrow] * values[:narrow], right[:narrow]":
     "first = left[:, :narrow] * values[:narrow]\n    return first, (left[:, :narrow].T @ table) / values[:narrow, None]"},
     "it is divided by the singular values, which may be 0", killed_by="test_a_table_of_lower_rank_than_e_is_met")


# embed_input
@alternative("embed_input", "one-hot-and-matrix")
def embed_input(words, segments, positions, scale, shift, widen, bias, tokens, kinds):
    x = functional.one_hot(tokens, len(words)).to(words.dtype) @ words + functional.one_hot(kinds, 2).to(words.dtype) @ segments
    x = x + positions[torch.arange(tokens.size(1))].unsqueeze(0)
    x = (x - x.mean(dim=-1, keepdim=True)) / (x.var(dim=-1, keepdim=True, correction=0) + 1e-12).sqrt()
    return (x * scale + shift) @ widen.T + bias


@alternative("embed_input", "modules")
def embed_input(words, segments, positions, scale, shift, widen, bias, tokens, kinds):
    norm = nn.LayerNorm(words.size(1), eps=1e-12, elementwise_affine=False)
    places = torch.arange(tokens.size(1)).expand_as(tokens)
    summed = functional.embedding(tokens, words) + functional.embedding(kinds, segments) + functional.embedding(places, positions)
    return torch.einsum("bne,he->bnh", norm(summed) * scale + shift, widen) + bias


@alternative("embed_input", "text-by-text")
def embed_input(words, segments, positions, scale, shift, widen, bias, tokens, kinds):
    rows = []
    for ids, kind in zip(tokens, kinds):
        x = words[ids] + segments[kind] + positions[:len(ids)]
        rows.append(functional.linear(functional.layer_norm(x, (x.size(-1),), scale, shift, 1e-12), widen, bias))
    return torch.stack(rows)


edit("embed_input", "norm-after-widening", {"x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)\n    return functional.linear(x, widen, bias)":
     "x = functional.linear(x, widen, bias)\n    return functional.layer_norm(x, x.shape[-1:], eps=1e-12)"},
     "LayerNorm stands behind the widening: it runs over the narrow vectors, before it", killed_by="test_layernorm_runs_over_the_narrow_vector")
edit("embed_input", "no-norm", {"    x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)\n": ""},
     "LayerNorm is missing", killed_by="test_layernorm_runs_over_the_narrow_vector")
edit("embed_input", "words-alone", {" + segments[kinds] + positions[: tokens.shape[1]]": ""},
     "segments and positions are left out: they are narrow and belong to the sum", killed_by="test_it_is_torchs_embeddings_normalised_and_then_widened")
edit("embed_input", "no-segments", {" + segments[kinds]": ""},
     "the segments are left out", killed_by="test_it_is_torchs_embeddings_normalised_and_then_widened")
edit("embed_input", "no-bias", {"functional.linear(x, widen, bias)": "functional.linear(x, widen)"},
     "the bias of the linear map is left out", killed_by="test_it_is_torchs_embeddings_normalised_and_then_widened")
edit("embed_input", "no-scale", {"x.shape[-1:], scale, shift, eps": "x.shape[-1:], eps"},
     "LayerNorm's scale and shift are left out", killed_by="test_it_is_torchs_embeddings_normalised_and_then_widened")
edit("embed_input", "norm-over-the-text", {"functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)": "functional.layer_norm(x, x.shape[1:], eps=1e-12) * scale + shift"},
     "LayerNorm runs over all tokens of a text together: each token has its own", killed_by="test_it_is_torchs_embeddings_normalised_and_then_widened")
edit("embed_input", "places-by-token", {"positions[: tokens.shape[1]]": "positions[tokens % len(positions)]"},
     "positions are looked up by the token's id: the first place is 0, the next 1", killed_by="test_places_count_from_the_left_and_may_be_fewer_than_there_are")
edit("embed_input", "places-from-the-right", {"positions[: tokens.shape[1]]": "positions[-tokens.shape[1] :]"},
     "the last positions of the table are taken: places count from 0", killed_by="test_places_count_from_the_left_and_may_be_fewer_than_there_are")
edit("embed_input", "usual-eps", {"eps=1e-12": "eps=1e-5"},
     "LayerNorm's eps is 1e-5, torch's usual one: ALBERT's is 1e-12", killed_by="test_short_vectors_show_how_small_the_eps_is")
edit("embed_input", "words-widened-alone", {"words[tokens] + segments[kinds] + positions[: tokens.shape[1]]  # (B, N, E)\n    x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)":
     "functional.layer_norm(words[tokens], words.shape[-1:], scale, shift, eps=1e-12) + segments[kinds] + positions[: tokens.shape[1]]"},
     "the words are normalised before segments and positions are added: the sum is", killed_by="test_it_is_torchs_embeddings_normalised_and_then_widened")
edit("embed_input", "constants", {"x = words[tokens]": "x = words.detach()[tokens]"},
     "the word table is taken as a constant, so it is never trained", killed_by="test_gradients_reach_every_table")
edit("embed_input", "moments-in-float32", {"x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)":
     "mean = x.mean(-1, keepdim=True)\n    x = (x - mean) / ((x * x).mean(-1, keepdim=True) - mean * mean + 1e-12).sqrt() * scale + shift"},
     "the variance is the mean of the squares less the square of the mean: far from zero, float32 has lost it by then",
     killed_by="test_vectors_far_from_zero_keep_their_variance")
edit("embed_input", "always-float32", {"return functional.linear(x, widen, bias)": "return functional.linear(x, widen, bias).float()"},
     "the result is float32, whatever comes in", killed_by="test_the_embedding_keeps_double_precision")
edit("embed_input", "clipped", {"x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)": "x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12).clamp(-10, 10)"},
     "what LayerNorm gives is clipped at ±10: nothing is", killed_by="test_vectors_far_from_zero_keep_their_variance")


edit("embed_input", "squeezed", {"return functional.linear(x, widen, bias)": "return functional.linear(x.squeeze(0), widen, bias)"},
     "a single text loses its axis", killed_by="test_an_axis_of_one_is_kept_and_a_text_may_be_long")
edit("embed_input", "512-positions", {"positions[: tokens.shape[1]]": "positions[torch.arange(tokens.shape[1]).clamp(max=511)]"},
     "the table of positions is taken to end at 512", killed_by="test_an_axis_of_one_is_kept_and_a_text_may_be_long")
edit("embed_input", "0-is-padding", {"words[tokens]": "functional.embedding(tokens, words, padding_idx=0)"},
     "id 0 is taken for padding: its row gets no gradient", killed_by="test_gradients_reach_every_table")


# owner
@alternative("owner", "regular-expression")
def owner(name, what):
    patterns = {"none": "(?!)", "all": ".*", "attention": "attention(_sum)?", "feed_forward": "feed_forward(_sum)?"}
    return re.sub(rf"^layers\.\d+\.({patterns[what]})\.", lambda found: f"layers.0.{found.group(1)}.", name)


@alternative("owner", "table-of-parts")
def owner(name, what):
    shared = {"none": (), "attention": ("attention", "attention_sum"), "feed_forward": ("feed_forward", "feed_forward_sum")}
    shared["all"] = shared["attention"] + shared["feed_forward"]
    pieces = name.split(".")
    if pieces[0] == "layers" and pieces[2] in shared[what]:
        pieces[1] = "0"
    return ".".join(pieces)


@alternative("owner", "startswith")
def owner(name, what):
    if what == "none" or not name.startswith("layers."):
        return name
    rest = name[len("layers."):]
    rest = rest[rest.index(".") + 1:]
    if what == "all" or rest.startswith(what):
        return "layers.0." + rest
    return name


edit("owner", "output-is-feed-forward", {'part = rest[1].removesuffix("_sum")': 'part = "feed_forward" if len(rest) > 2 and rest[2] == "project_out" else rest[1].removesuffix("_sum")'},
     "W^O, project_out, is taken for a part of the feed-forward network: it belongs to attention",
     killed_by="test_the_output_projection_is_shared_with_attention")
edit("owner", "norms-keep-theirs", {'rest[1].removesuffix("_sum")': "rest[1]"},
     "the LayerNorms of the residual sums are not shared with their part", killed_by="test_the_output_projection_is_shared_with_attention")
edit("owner", "all-is-attention", {'what in ("all", part)': 'what == part'},
     "all is no name of a part: with it, both are shared", killed_by="test_all_belongs_to_layer_0_in_albert")
edit("owner", "always-shared", {'what in ("all", part)': "True"},
     "everything is shared, whatever was said", killed_by="test_without_sharing_each_layer_has_its_own")
edit("owner", "the-other-part", {'what in ("all", part)': 'what in ("all", "attention" if part == "feed_forward" else "feed_forward")'},
     "the part that was named keeps its own, and the other is shared", killed_by="test_the_feed_forward_network_is_shared_alone")
edit("owner", "first-layer-is-1", {'[place, "0", *rest[1:]]': '[place, "1", *rest[1:]]'},
     "the first layer's number is 0", killed_by="test_all_belongs_to_layer_0_in_albert")
edit("owner", "attention-in-all", {'what in ("all", part)': '(what == "all" and part == "attention") or what == part'},
     "with all, the feed-forward network keeps its own", killed_by="test_all_belongs_to_layer_0_in_albert")
edit("owner", "norms-always-shared", {'what in ("all", part)': 'what in ("all", part) or (what != "none" and rest[1].endswith("_sum"))'},
     "the LayerNorm of the other part is shared, too", killed_by="test_the_feed_forward_network_is_shared_alone")


@mistake("owner", "one-digit", "the number is taken to be one digit: layer 11 is no layer 1", killed_by="test_layers_may_have_two_digits")
def owner(name, what):
    if name.startswith("layers."):
        part = name[9:].split(".")[0].removesuffix("_sum")
        if what in ("all", part):
            return "layers.0" + name[8:]
    return name


@mistake("owner", "embeddings-too", "what is in no layer has no other owner: its name stays", killed_by="test_what_is_in_no_layer_is_never_shared")
def owner(name, what):
    first, _, *rest = name.split(".")
    if what == "all" or (rest and rest[0].startswith(what)):
        return ".".join([first, "0", *rest])
    return name


edit("owner", "number-everywhere", {'return ".".join([place, "0", *rest[1:]]) if shared else name': 'return name.replace(rest[0], "0") if shared else name'},
     "the layer's number becomes 0 wherever it stands: layers.2.feed_forward.2 has it twice",
     killed_by="test_the_layers_number_alone_becomes_0")
edit("owner", "number-between-dots", {'return ".".join([place, "0", *rest[1:]]) if shared else name': 'return name.replace(f".{rest[0]}.", ".0.") if shared else name'},
     "the layer's number becomes 0 wherever it stands between dots: layers.2.feed_forward.2.weight has it twice",
     killed_by="test_the_layers_number_alone_becomes_0")


edit("owner", "anywhere-in-the-name", {'part = rest[1].removesuffix("_sum")': 'part = "attention" if "attention" in name else "feed_forward"'},
     "the part is looked for anywhere in the name: the word after the number says it",
     killed_by="test_the_word_after_the_number_alone_says_whose_part_it_is")
edit("owner", "begins-like-layers", {'if place != "layers":': 'if not place.startswith("layer"):'},
     "what begins like layers is taken for a layer", killed_by="test_the_word_after_the_number_alone_says_whose_part_it_is")


# count_parameters
@alternative("count_parameters", "list-of-shapes")
def count_parameters(words, narrow, width, layers, what):
    def linear(a, b):
        return (a + 1) * b

    tables = sum(rows * narrow for rows in (words, 512, 2))
    attention = 4 * linear(width, width) + 2 * width
    forward = linear(width, 4 * width) + linear(4 * width, width) + 2 * width
    times = {"none": (layers, layers), "attention": (1, layers), "feed_forward": (layers, 1), "all": (1, 1)}[what]
    return tables + 2 * narrow + linear(narrow, width) + times[0] * attention + times[1] * forward + linear(width, width)


@alternative("count_parameters", "meta-modules")
def count_parameters(words, narrow, width, layers, what):
    with torch.device("meta"):
        once = [nn.Embedding(words, narrow), nn.Embedding(512, narrow), nn.Embedding(2, narrow), nn.LayerNorm(narrow)]
        once += [nn.Linear(narrow, width), nn.Linear(width, width)]
        attention = [nn.Linear(width, width) for _ in range(4)] + [nn.LayerNorm(width)]
        forward = [nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.LayerNorm(width)]

    def count(modules):
        return sum(p.numel() for module in modules for p in module.parameters())

    copies = layers if what in ("none", "feed_forward") else 1
    others = layers if what in ("none", "attention") else 1
    return count(once) + copies * count(attention) + others * count(forward)


@alternative("count_parameters", "closed-form")
def count_parameters(words, narrow, width, layers, what):
    total = (words + 516) * narrow + narrow * width + width + width * width + width
    total += (4 * width**2 + 6 * width) * (layers if what in ("none", "feed_forward") else 1)
    total += (8 * width**2 + 7 * width) * (layers if what in ("none", "attention") else 1)
    return torch.tensor(total)


edit("count_parameters", "no-sharing", {'attention *= 1 if what in ("all", "attention") else layers': "attention *= layers",
     'feed_forward *= 1 if what in ("all", "feed_forward") else layers': "feed_forward *= layers"},
     "every layer is counted, though its weights are shared", killed_by="test_the_printed_base_model_has_11683584")
edit("count_parameters", "parts-exchanged", {'attention *= 1 if what in ("all", "attention")': 'attention *= 1 if what in ("all", "feed_forward")',
     'feed_forward *= 1 if what in ("all", "feed_forward")': 'feed_forward *= 1 if what in ("all", "attention")'},
     "the part that is shared is counted for each layer, and the other once", killed_by="test_each_kind_of_sharing_counted_by_hand")
edit("count_parameters", "no-pooler", {" + feed_forward + pooler": " + feed_forward"},
     "the pooler is left out: 11,092,992 for the base size", killed_by="test_the_printed_base_model_has_11683584")
edit("count_parameters", "wide-embeddings", {"(words + 512 + 2) * narrow + 2 * narrow": "(words + 512 + 2) * width + 2 * width"},
     "the embeddings are counted as wide as the layers", killed_by="test_the_printed_base_model_has_11683584")
edit("count_parameters", "wide-positions", {"(words + 512 + 2) * narrow": "words * narrow + (512 + 2) * width"},
     "positions and segments are as narrow as the words", killed_by="test_the_printed_base_model_has_11683584")
edit("count_parameters", "map-without-bias", {"narrow * width + width\n": "narrow * width\n"},
     "the map from E to H has a bias of H numbers", killed_by="test_the_printed_base_model_has_11683584")
edit("count_parameters", "no-embedding-norm", {" + 2 * narrow\n": "\n"},
     "the LayerNorm of the embeddings is left out", killed_by="test_the_printed_base_model_has_11683584")
edit("count_parameters", "no-biases", {"4 * (width * width + width) + 2 * width": "4 * width * width + 2 * width",
     "(width * 4 * width + 4 * width) + (4 * width * width + width) + 2 * width": "8 * width * width + 2 * width"},
     "the biases of the layer are left out", killed_by="test_the_printed_base_model_has_11683584")
edit("count_parameters", "three-projections", {"4 * (width * width + width)": "3 * (width * width + width)"},
     "attention has four matrices: queries, keys, values and W^O", killed_by="test_the_printed_base_model_has_11683584")
edit("count_parameters", "output-with-the-feed-forward", {"4 * (width * width + width) + 2": "3 * (width * width + width) + 2",
     "feed_forward = (width": "feed_forward = (width * width + width) + (width"},
     "W^O is counted with the feed-forward network: it belongs to attention", killed_by="test_each_kind_of_sharing_counted_by_hand")
edit("count_parameters", "norms-for-each-layer", {"4 * (width * width + width) + 2 * width": "4 * (width * width + width)",
     "(4 * width * width + width) + 2 * width": "(4 * width * width + width)", "+ feed_forward + pooler": "+ feed_forward + pooler + 4 * width * layers"},
     "the LayerNorms are counted for each layer: they are shared with their part", killed_by="test_the_printed_base_model_has_11683584")
edit("count_parameters", "one-norm", {"(4 * width * width + width) + 2 * width": "(4 * width * width + width)"},
     "the layer has two LayerNorms", killed_by="test_the_printed_base_model_has_11683584")


edit("count_parameters", "in-32-bits", {"return embeddings + mapping + attention + feed_forward + pooler":
     "return int(np.array([embeddings, mapping, attention, feed_forward, pooler]).astype(np.int32).sum(dtype=np.int32))"},
     "the numbers are added in 32 bits, which end at 2,147,483,647", killed_by="test_billions_are_counted_to_the_digit")
edit("count_parameters", "in-float32", {"return embeddings + mapping + attention + feed_forward + pooler":
     "return int(torch.tensor([embeddings, mapping, attention, feed_forward, pooler], dtype=torch.float32).sum())"},
     "the numbers are added in float32, which is exact up to 16,777,216 alone", killed_by="test_billions_are_counted_to_the_digit")


# multiply_adds
@alternative("multiply_adds", "products-one-by-one")
def multiply_adds(narrow, width, layers, length):
    layer = [(length, width, width)] * 4 + [(length, width, length), (length, length, width)]
    layer += [(length, width, 4 * width), (length, 4 * width, width)]
    return math.prod((length, narrow, width)) + sum(math.prod(shape) for shape in layer * layers)


@alternative("multiply_adds", "closed-form")
def multiply_adds(narrow, width, layers, length):
    return length * width * (narrow + layers * (12 * width + 2 * length))


edit("multiply_adds", "shared-once", {"+ layers * (projections": "+ (projections"},
     "the layer is counted once: its weights are stored once, and used in every layer", killed_by="test_every_layer_costs_the_same_and_the_map_is_used_once")
edit("multiply_adds", "map-in-every-layer", {"length * narrow * width + layers * (projections": "layers * (length * narrow * width + projections"},
     "the embeddings are widened in every layer: once, before the first", killed_by="test_every_layer_costs_the_same_and_the_map_is_used_once")
edit("multiply_adds", "flops", {"return length": "return 2 * (length", "feed_forward)": "feed_forward))"},
     "additions are counted as well: one for each multiplication, which makes it twice as many", killed_by="test_one_layer_on_one_token_counted_by_hand")
edit("multiply_adds", "no-scores", {"2 * length * length * width": "0"},
     "scores and weighted values are left out", killed_by="test_one_layer_on_one_token_counted_by_hand")
edit("multiply_adds", "scores-alone", {"2 * length * length * width": "length * length * width"},
     "of scores and weighted values one is left out", killed_by="test_one_layer_on_one_token_counted_by_hand")
edit("multiply_adds", "three-projections", {"4 * length * width * width": "3 * length * width * width"},
     "attention has four matrices, W^O is one of them", killed_by="test_one_layer_on_one_token_counted_by_hand")
edit("multiply_adds", "one-way-feed-forward", {"2 * length * width * 4 * width": "length * width * 4 * width"},
     "the feed-forward network has two matrices, in and out", killed_by="test_one_layer_on_one_token_counted_by_hand")
edit("multiply_adds", "no-map", {"length * narrow * width + layers": "layers"},
     "the widening of the embeddings is left out", killed_by="test_one_layer_on_one_token_counted_by_hand")
edit("multiply_adds", "linear-scores", {"2 * length * length * width": "2 * length * width * width"},
     "each token is scored against each: N · N · H", killed_by="test_one_layer_on_one_token_counted_by_hand")
edit("multiply_adds", "weights-counted", {"4 * length * width * width": "4 * width * width", "2 * length * width * 4 * width": "2 * width * 4 * width"},
     "these are the weights: each of them is used for each token", killed_by="test_every_layer_costs_the_same_and_the_map_is_used_once")


edit("multiply_adds", "at-most-512", {"projections = 4 * length": "length = min(length, 512)\n    projections = 4 * length"},
     "no more than 512 tokens are counted: N is what was given", killed_by="test_products_beyond_what_floats_hold_are_counted_to_the_digit")
edit("multiply_adds", "in-floats", {"return length * narrow * width + layers * (": "return int(float(length * narrow * width) + layers * 1.0 * ("
     , "scores_and_values + feed_forward)": "scores_and_values + feed_forward))"},
     "floats round large whole numbers", killed_by="test_products_beyond_what_floats_hold_are_counted_to_the_digit")
edit("multiply_adds", "in-float32", {"return length * narrow * width + layers * (": "return int(torch.tensor([length * narrow * width, layers * ("
     , "scores_and_values + feed_forward)": "scores_and_values + feed_forward)], dtype=torch.float32).sum())"},
     "the numbers are added in float32, which is exact up to 16,777,216 alone",
     killed_by="test_products_beyond_what_floats_hold_are_counted_to_the_digit")


# order_example
@alternative("order_example", "list-of-two")
def order_example(document, start, middle, end, swap):
    segments = [[w for s in document[a:b] for w in s] for a, b in ((start, middle), (middle, end))]
    if swap:
        segments.reverse()
    return segments[0], segments[1], int(swap)


@alternative("order_example", "extend")
def order_example(document, start, middle, end, swap):
    first, second = [], []
    for number in range(start, end):
        (first if number < middle else second).extend(document[number])
    pair = (second, first) if swap else (first, second)
    return *pair, 1 if swap else 0


edit("order_example", "label-upside-down", {"(second, first, 1) if swap else (first, second, 0)": "(second, first, 0) if swap else (first, second, 1)"},
     "the labels are exchanged: 0 is the order of the text, 1 the other", killed_by="test_two_neighbours_in_their_order")
edit("order_example", "sentences-reversed", {"(second, first, 1)": "([w for s in reversed(document[middle:end]) for w in s], [w for s in reversed(document[start:middle]) for w in s], 1)"},
     "the sentences inside of a segment are turned round, too: only the segments are exchanged",
     killed_by="test_exchanged_segments_keep_their_own_order")
edit("order_example", "words-reversed", {"(second, first, 1)": "(second[::-1], first[::-1], 1)"},
     "the words are turned round, too: only the segments are exchanged", killed_by="test_exchanged_segments_keep_their_own_order")
edit("order_example", "never-exchanged", {"(second, first, 1)": "(first, second, 1)"},
     "the label says exchanged, and the segments are not", killed_by="test_exchanged_segments_keep_their_own_order")
edit("order_example", "one-sentence-each", {"document[start:middle]": "document[start : start + 1]", "document[middle:end]": "document[middle : middle + 1]"},
     "a segment is one sentence here: it goes on until the next begins", killed_by="test_exchanged_segments_keep_their_own_order")
edit("order_example", "to-the-end", {"document[middle:end]": "document[middle:]"},
     "the second segment goes on to the end of the document", killed_by="test_two_neighbours_in_their_order")
edit("order_example", "from-the-beginning", {"document[start:middle]": "document[:middle]"},
     "the first segment begins with the document", killed_by="test_two_neighbours_in_their_order")
edit("order_example", "gap", {"document[middle:end]": "document[middle + 1 : end + 1]"},
     "a sentence is left out between the two: they are consecutive", killed_by="test_two_neighbours_in_their_order")
edit("order_example", "lists-of-sentences", {"[word for sentence in document[start:middle] for word in sentence]": "document[start:middle]",
     "[word for sentence in document[middle:end] for word in sentence]": "document[middle:end]"},
     "the segments are lists of sentences: flat lists were asked for", killed_by="test_two_neighbours_in_their_order")


@mistake("order_example", "document-grows", "first is the document's own list, and grows by += : the document is changed",
         killed_by="test_a_segment_may_be_several_sentences_long_and_the_text_goes_on_after_it")
def order_example(document, start, middle, end, swap):
    first, second = document[start], document[middle]
    for sentence in document[start + 1:middle]:
        first += sentence
    for sentence in document[middle + 1:end]:
        second += sentence
    return (second, first, 1) if swap else (first, second, 0)


edit("order_example", "label-by-comparison", {"return (second, first, 1) if swap else (first, second, 0)":
     "before = first\n    if swap:\n        first, second = second, first\n    return first, second, int(first != before)"},
     "the label is whether the first list is another than before: equal segments are exchanged, too",
     killed_by="test_equal_segments_are_exchanged_as_others_are")
edit("order_example", "equal-ones-left", {"if swap else": "if swap and first != second else"},
     "equal segments are left as they are, with label 0: exchanged is exchanged",
     killed_by="test_equal_segments_are_exchanged_as_others_are")
edit("order_example", "iterators", {"[word for sentence in document[start:middle] for word in sentence]": "iter([word for sentence in document[start:middle] for word in sentence])",
     "[word for sentence in document[middle:end] for word in sentence]": "iter([word for sentence in document[middle:end] for word in sentence])"},
     "the segments are iterators, which are empty after one reading: lists were asked for",
     killed_by="test_segments_may_be_read_twice_and_hold_the_words_as_they_were")
edit("order_example", "lower-case", {"return (second, first, 1)": "first, second = ([w.lower() if isinstance(w, str) else w for w in part] for part in (first, second))\n    return (second, first, 1)"},
     "the words come back in lower case: they stay as they are",
     killed_by="test_segments_may_be_read_twice_and_hold_the_words_as_they_were")


edit("order_example", "joined-and-split", {"return (second, first, 1)": "first, second = ([w for p in part for w in str(p).split()] if part and isinstance(part[0], str) else part for part in (first, second))\n    return (second, first, 1)"},
     "the words are split at blanks again: a word may hold one", killed_by="test_segments_may_be_read_twice_and_hold_the_words_as_they_were")
edit("order_example", "tuples", {"return (second, first, 1)": "first, second = tuple(first), tuple(second)\n    return (second, first, 1)"},
     "the segments are tuples: lists were asked for", killed_by="test_segments_may_be_read_twice_and_hold_the_words_as_they_were")


# overlap
@alternative("overlap", "counters")
def overlap(first, second):
    one, other = Counter(set(first)), Counter(set(second))
    every = (one | other).total()
    return (one & other).total() / every if every else 0


@alternative("overlap", "loop")
def overlap(first, second):
    seen, both = set(first), 0
    for word in dict.fromkeys(second):
        both += word in seen
        seen.add(word)
    return torch.tensor(both / max(1, len(seen)))


edit("overlap", "of-the-first", {"len(one | other) if one | other else": "len(one) if one else"},
     "the words of A alone are below the line: overlap(A, B) and overlap(B, A) differ", killed_by="test_two_of_five_words_are_in_both")
edit("overlap", "of-both-lengths", {"len(one | other) if": "(len(one) + len(other)) if"},
     "what is in both is counted twice below the line", killed_by="test_two_of_five_words_are_in_both")
edit("overlap", "dice", {"len(one & other) / len(one | other)": "2 * len(one & other) / (len(one) + len(other))"},
     "this is Dice's index: Jaccard's divides by the words in at least one", killed_by="test_two_of_five_words_are_in_both")
edit("overlap", "of-the-smaller", {"len(one | other) if one | other else": "min(len(one), len(other)) if one and other else"},
     "below the line are the words of the smaller segment alone", killed_by="test_two_of_five_words_are_in_both")
edit("overlap", "division-by-zero", {" if one | other else 0.0": ""},
     "two empty segments divide by 0", killed_by="test_empty_segments_share_nothing")
edit("overlap", "count", {"len(one & other) / len(one | other) if one | other else 0.0": "len(one & other)"},
     "this is the number of shared words: a share was asked for", killed_by="test_two_of_five_words_are_in_both")
edit("overlap", "empty-is-equal", {"else 0.0": "else 1.0"},
     "two empty segments have 1: 0 was asked for", killed_by="test_empty_segments_share_nothing")
edit("overlap", "distance", {"len(one & other) /": "len(one ^ other) /"},
     "this is the share of words that are not in both", killed_by="test_two_of_five_words_are_in_both")


@mistake("overlap", "with-repeats", "a word counts as often as it stands there: different words were asked for",
         killed_by="test_a_word_counts_once_however_often_it_stands_there")
def overlap(first, second):
    both = sum(word in second for word in first)
    every = len(first) + len(second) - both
    return both / every if every > 0 else 0.0


@mistake("overlap", "in-place", "words are compared place by place: where they stand does not count",
         killed_by="test_the_same_words_in_another_order_overlap_wholly")
def overlap(first, second):
    same = {one for one, other in zip(first, second) if one == other}
    every = set(first) | set(second)
    return len(same) / len(every) if every else 0.0


edit("overlap", "a-millionth-more", {"len(one | other) if one | other": "(len(one | other) + 1e-6) if one | other"},
     "a millionth is added below the line: equal segments no longer have 1",
     killed_by="test_nothing_is_added_above_or_below_the_line")
edit("overlap", "an-epsilon", {"len(one | other) if one | other else 0.0": "(len(one | other) + 1e-8)"},
     "1e-8 is added below the line: equal segments no longer have 1", killed_by="test_nothing_is_added_above_or_below_the_line")
edit("overlap", "signs-stripped", {"set(first), set(second)": '({w.strip(" .,!?") if isinstance(w, str) else w for w in part} for part in (first, second))'},
     "signs at the ends of words are taken off: a word is compared as it is", killed_by="test_words_are_compared_whole_and_by_what_they_are")
edit("overlap", "split-again", {"set(first), set(second)": '(set(" ".join(map(str, part)).split()) for part in (first, second))'},
     "the words are joined and split at blanks again: a word may hold a blank", killed_by="test_words_are_compared_whole_and_by_what_they_are")
edit("overlap", "by-identity", {"set(first), set(second)": "({id(w) for w in part} for part in (first, second))"},
     "words are compared by where they lie in memory: equal words may lie apart", killed_by="test_words_are_compared_whole_and_by_what_they_are")


edit("overlap", "rounded", {"len(one & other) / len(one | other) if one | other else 0.0": "round(len(one & other) / len(one | other), 4) if one | other else 0.0"},
     "the share is rounded to four places", killed_by="test_long_segments_are_counted_whole_and_nothing_is_rounded")
edit("overlap", "first-thousand", {"set(first), set(second)": "set(first[:1000]), set(second[:1000])"},
     "only the first thousand words are looked at", killed_by="test_long_segments_are_counted_whole_and_nothing_is_rounded")


# albert_loss
@alternative("albert_loss", "all-places-ignored-later")
def albert_loss(hidden, narrow, narrow_bias, scale, shift, words, bias, labels, order_logits, swapped):
    x = functional.gelu(hidden @ narrow.T + narrow_bias, approximate="tanh")
    logits = functional.layer_norm(x, (x.size(-1),), scale, shift, 1e-12) @ words.T + bias
    tokens = functional.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100)
    return functional.cross_entropy(order_logits, swapped) + tokens


@alternative("albert_loss", "by-hand")
def albert_loss(hidden, narrow, narrow_bias, scale, shift, words, bias, labels, order_logits, swapped):
    rows, places = (labels >= 0).nonzero(as_tuple=True)
    x = torch.einsum("mh,eh->me", hidden[rows, places], narrow) + narrow_bias
    x = 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3)))
    x = x - x.mean(dim=-1, keepdim=True)
    x = x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + 1e-12) * scale + shift
    scores = torch.log_softmax(x @ words.T + bias, dim=-1)
    tokens = -scores.gather(1, labels[rows, places][:, None]).mean()
    orders = order_logits.log_softmax(dim=1)[torch.arange(len(swapped)), swapped]
    return tokens - orders.mean()


edit("albert_loss", "no-order", {" + functional.cross_entropy(order_logits, swapped)": ""},
     "the order's loss is missing", killed_by="test_the_two_means_are_added")
edit("albert_loss", "no-tokens", {"functional.cross_entropy(logits, labels[asked]) + ": ""},
     "the tokens' loss is missing", killed_by="test_who_knows_nothing_pays_ln_v_for_a_token_and_ln_2_for_an_order")
edit("albert_loss", "mean-of-both", {"return functional.cross_entropy(logits, labels[asked]) + functional.cross_entropy(order_logits, swapped)":
     "return (functional.cross_entropy(logits, labels[asked]) + functional.cross_entropy(order_logits, swapped)) / 2"},
     "the two losses are averaged: they are added", killed_by="test_who_knows_nothing_pays_ln_v_for_a_token_and_ln_2_for_an_order")
edit("albert_loss", "sum-over-tokens", {"cross_entropy(logits, labels[asked])": 'cross_entropy(logits, labels[asked], reduction="sum")'},
     "the hidden tokens are summed: their mean is asked for", killed_by="test_who_knows_nothing_pays_ln_v_for_a_token_and_ln_2_for_an_order")
edit("albert_loss", "all-places", {"functional.cross_entropy(logits, labels[asked]) +": "functional.cross_entropy(logits, labels[asked]) * asked.float().mean() +"},
     "the mean is over all places: over the hidden ones alone", killed_by="test_who_knows_nothing_pays_ln_v_for_a_token_and_ln_2_for_an_order")
edit("albert_loss", "no-activation", {'functional.gelu(functional.linear(hidden[asked], narrow, narrow_bias), approximate="tanh")': "functional.linear(hidden[asked], narrow, narrow_bias)"},
     "GELU is missing between the map and LayerNorm", killed_by="test_hidden_tokens_are_scored_by_the_narrow_table")
edit("albert_loss", "exact-gelu", {', approximate="tanh"': ""},
     "this is the exact GELU: ALBERT's is the tanh form", killed_by="test_any_batch_costs_what_its_places_cost_one_by_one")
edit("albert_loss", "relu", {'functional.gelu(functional.linear(hidden[asked], narrow, narrow_bias), approximate="tanh")': "functional.relu(functional.linear(hidden[asked], narrow, narrow_bias))"},
     "the activation is ReLU: it is GELU", killed_by="test_hidden_tokens_are_scored_by_the_narrow_table")
edit("albert_loss", "no-norm", {"    x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)\n    logits": "    logits"},
     "LayerNorm is missing before the table", killed_by="test_hidden_tokens_are_scored_by_the_narrow_table")
edit("albert_loss", "no-word-bias", {"functional.linear(x, words, bias)": "functional.linear(x, words)"},
     "the bias of each word is missing", killed_by="test_hidden_tokens_are_scored_by_the_narrow_table")
edit("albert_loss", "softmax-twice", {"cross_entropy(order_logits, swapped)": "cross_entropy(order_logits.softmax(dim=-1), swapped)"},
     "cross_entropy takes logits and makes the softmax itself: here it is made twice", killed_by="test_the_two_means_are_added")
edit("albert_loss", "labels-upside-down", {"cross_entropy(order_logits, swapped)": "cross_entropy(order_logits, 1 - swapped)"},
     "0 and 1 of the order are exchanged", killed_by="test_the_two_means_are_added")
edit("albert_loss", "unsafe-softmax", {"functional.cross_entropy(logits, labels[asked]) +": "-(logits.exp() / logits.exp().sum(-1, keepdim=True)).log()[torch.arange(len(logits)), labels[asked]].mean() +"},
     "exp of a large score is infinite: use cross_entropy, logsumexp or log_softmax", killed_by="test_huge_scores_cost_no_infinity")
edit("albert_loss", "plain-number", {"return functional.cross_entropy(logits, labels[asked]) + functional.cross_entropy(order_logits, swapped)":
     "return torch.tensor(float(functional.cross_entropy(logits, labels[asked]) + functional.cross_entropy(order_logits, swapped)))"},
     "the loss is a plain number that knows nothing of the weights: nothing can be trained with it",
     killed_by="test_gradients_reach_hidden_vectors_the_table_and_the_order")
edit("albert_loss", "padding-ignored", {"asked = labels != -100": "asked = labels > 0"},
     "the label 0 is a token's id as any other: only −100 is left out", killed_by="test_hidden_tokens_are_scored_by_the_narrow_table")
edit("albert_loss", "detached-table", {"functional.linear(x, words, bias)": "functional.linear(x, words.detach(), bias)"},
     "the table is taken as a constant: it is tied, and trained from both sides", killed_by="test_gradients_reach_hidden_vectors_the_table_and_the_order")
edit("albert_loss", "usual-eps", {"eps=1e-12": "eps=1e-5"},
     "LayerNorm's eps is 1e-5, torch's usual one: ALBERT's is 1e-12", killed_by="test_short_vectors_show_how_small_the_eps_is_here")
edit("albert_loss", "always-float32", {"return functional.cross_entropy(logits, labels[asked]) + functional.cross_entropy(order_logits, swapped)":
     "return (functional.cross_entropy(logits, labels[asked]) + functional.cross_entropy(order_logits, swapped)).float()"},
     "the loss is float32, whatever comes in", killed_by="test_the_loss_keeps_double_precision")
edit("albert_loss", "moments-in-float32", {"x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)":
     "mean = x.mean(-1, keepdim=True)\n    x = (x - mean) / ((x * x).mean(-1, keepdim=True) - mean * mean + 1e-12).sqrt() * scale + shift"},
     "the variance is the mean of the squares less the square of the mean: far from zero, float32 has lost it by then",
     killed_by="test_narrow_vectors_far_from_zero_keep_their_variance")
edit("albert_loss", "one-maximum", {"return functional.cross_entropy(logits, labels[asked]) + functional.cross_entropy(order_logits, swapped)":
     "safe = order_logits - order_logits.max()\n    orders = (safe.exp().sum(-1).log() - safe.gather(1, swapped[:, None])[:, 0]).mean()\n"
     "    return functional.cross_entropy(logits, labels[asked]) + orders"},
     "the greatest of all order logits is taken off before exp: each example has its own, or one far below costs infinity",
     killed_by="test_each_order_is_judged_by_its_own_two_logits")
edit("albert_loss", "order-clipped", {"cross_entropy(order_logits, swapped)": "cross_entropy(order_logits.clamp(-400, 400), swapped)"},
     "the order's logits are clipped: a wrong order that is sure costs what its logits say",
     killed_by="test_each_order_is_judged_by_its_own_two_logits")
edit("albert_loss", "narrow-clipped", {"x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)": "x = functional.layer_norm(x.clamp(-100, 100), x.shape[-1:], scale, shift, eps=1e-12)"},
     "the narrow vector is clipped before LayerNorm: nothing is", killed_by="test_narrow_vectors_far_from_zero_keep_their_variance")

edit("albert_loss", "squeezed", {"functional.linear(hidden[asked],": "functional.linear(hidden[asked].squeeze(1),"},
     "hidden vectors of one number lose their axis", killed_by="test_one_text_and_one_token_and_narrow_widths_cost_their_price")


for label in ("1: torch.linalg.svd(table, full_matrices=False) → torch.linalg.svd(table)", "1: full_matrices=False → full_matrices=True"):
    equivalent("factorise", label, "the columns and rows beyond the singular values are never taken")
equivalent("owner", "5: ('all', part) → (part, 'all')", "the order of what is looked through does not matter")
equivalent("count_parameters", "5: ('all', 'attention') → ('attention', 'all')", "the order of what is looked through does not matter")
equivalent("count_parameters", "6: ('all', 'feed_forward') → ('feed_forward', 'all')", "the order of what is looked through does not matter")
equivalent("overlap", "1: (set(first), set(second)) → (set(second), set(first))", "Jaccard's index is symmetric")
for label in ("1: labels != -100 → labels != -101", "1: labels != -100 → labels != -99"):
    equivalent("albert_loss", label, "cross_entropy leaves out the label −100 by itself")
equivalent("albert_loss", "3: x.shape[-1:] → x.shape[1:]", "the vectors of hidden tokens are a table, (M, E)")
equivalent("albert_loss", "5: functional.cross_entropy(logits, labels[asked]) + functional.cross_entropy(order_logits, swapped) → (functional.cross_entropy(logits, labels[asked]) + functional.cross_entropy(order_logits, swapped)).squeeze()", "a sum of two means has no dimension")
