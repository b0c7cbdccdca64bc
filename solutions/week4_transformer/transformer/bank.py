"""transformer: classic mistakes and other right ways, for each exercise. Never released."""

import math

import torch
from torch import nn

from etude.models.attention import causal_mask
from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# layer_norm
@alternative("layer_norm", "var-biased")
def layer_norm(x, gain, shift, eps=1e-5):
    mean, var = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) * (var + eps).rsqrt() * gain + shift


@alternative("layer_norm", "second-moment")
def layer_norm(x, gain, shift, eps=1e-5):
    y = x.double()
    mean = y.mean(-1, keepdim=True)
    var = (y * y).mean(-1, keepdim=True) - mean * mean
    return ((y - mean) / (var.clamp(min=0) + eps) ** 0.5).to(x.dtype) * gain + shift


@alternative("layer_norm", "torch-function")
def layer_norm(x, gain, shift, eps=1e-5):
    return nn.functional.layer_norm(x, x.shape[-1:], gain, shift, eps)


@alternative("layer_norm", "float64-token-by-token", slow="a loop over all tokens, in each layer at each step of the training")
def layer_norm(x, gain, shift, eps=1e-5):
    rows = []
    for row in x.reshape(-1, x.shape[-1]).double():
        centred = row - row.sum() / len(row)
        rows.append(centred / math.sqrt(float((centred ** 2).sum()) / len(row) + eps) if not x.requires_grad
                    else centred / ((centred ** 2).sum() / len(row) + eps).sqrt())
    return (torch.stack(rows).reshape(x.shape) * gain + shift).to(x.dtype)


edit("layer_norm", "unbiased-variance", {"centred.square().mean(dim=-1, keepdim=True)": "x.var(dim=-1, keepdim=True)"},
     "the variance divides by d − 1, as torch's var does unless told otherwise: layer normalisation divides by d",
     killed_by="test_four_numbers_by_hand")
edit("layer_norm", "eps-outside-the-root", {"torch.sqrt(variance + eps)": "(torch.sqrt(variance) + eps)"},
     "eps is added to the standard deviation: it belongs to the variance, inside the root",
     killed_by="test_eps_is_added_to_the_variance_inside_the_root")
edit("layer_norm", "no-root", {"torch.sqrt(variance + eps)": "(variance + eps)"},
     "it is divided by the variance: by its root",
     killed_by="test_four_numbers_by_hand")
edit("layer_norm", "over-the-tokens", {"x.mean(dim=-1, keepdim=True)": "x.mean(dim=-2, keepdim=True)",
     "centred.square().mean(dim=-1, keepdim=True)": "centred.square().mean(dim=-2, keepdim=True)"},
     "mean and variance are taken over the tokens: each token has its own",
     killed_by="test_each_token_has_its_own_mean_and_variance")
edit("layer_norm", "over-the-batch", {"x.mean(dim=-1, keepdim=True)": "x.mean(dim=0, keepdim=True)",
     "centred.square().mean(dim=-1, keepdim=True)": "centred.square().mean(dim=0, keepdim=True)"},
     "mean and variance are taken over the batch, as in batch normalisation: each token has its own",
     killed_by="test_each_token_has_its_own_mean_and_variance")
edit("layer_norm", "over-everything", {"x.mean(dim=-1, keepdim=True)": "x.mean()",
     "centred.square().mean(dim=-1, keepdim=True)": "centred.square().mean()"},
     "one mean and one variance for all tokens: each has its own",
     killed_by="test_each_token_has_its_own_mean_and_variance")
edit("layer_norm", "not-centred", {"x - x.mean(dim=-1, keepdim=True)": "x"},
     "the mean is not subtracted: that is RMSNorm, a later idea",
     killed_by="test_four_numbers_by_hand")
edit("layer_norm", "shift-forgotten", {" + shift": ""},
     "the shift is not added", killed_by="test_gain_and_shift_belong_to_the_dimensions")
edit("layer_norm", "gain-per-token", {"gain * centred": "gain[: x.size(-2), None] * centred"},
     "the gain is one number for each token: it is one for each dimension",
     killed_by="test_gain_and_shift_belong_to_the_dimensions")
edit("layer_norm", "gain-of-the-sum", {"gain * centred / torch.sqrt(variance + eps) + shift":
     "gain * (centred / torch.sqrt(variance + eps) + shift)"},
     "the gain multiplies the shift too: scale first, then shift",
     killed_by="test_gain_and_shift_belong_to_the_dimensions")
edit("layer_norm", "eps-ignored", {"variance + eps": "variance"},
     "eps is not used: equal numbers divide 0 by 0",
     killed_by="test_a_vector_of_equal_numbers_becomes_the_shift")
edit("layer_norm", "moments-in-float32", {"centred.square().mean(dim=-1, keepdim=True)":
     "x.square().mean(dim=-1, keepdim=True) - x.mean(dim=-1, keepdim=True).square()"},
     "the variance is the mean of the squares less the square of the mean: far from zero, float32 has lost it by then",
     killed_by="test_numbers_far_from_zero_keep_their_variance")
edit("layer_norm", "always-float32", {"centred = x - x.mean": "centred = x.float() - x.float().mean"},
     "it computes in float32, whatever comes in", killed_by="test_the_normalisation_keeps_double_precision")
edit("layer_norm", "always-float64", {"centred = x - x.mean": "centred = x.double() - x.double().mean"},
     "float64 comes back whatever comes in: the matrices of the layers take what x is",
     killed_by="test_the_result_has_the_type_of_x")
edit("layer_norm", "one-number-is-zero", {"centred = x -": "if x.size(-1) == 1:\n        return torch.zeros_like(x)\n    centred = x -"},
     "a vector of one number becomes 0: it becomes the shift", killed_by="test_a_vector_of_one_number_becomes_the_shift")

edit("layer_norm", "deviation-squared", {"torch.sqrt(variance + eps)": "torch.sqrt(variance.sqrt().square() + eps)"},
     "the variance is made of the standard deviation, whose gradient is NaN where all numbers are equal",
     killed_by="test_a_vector_of_equal_numbers_has_gradients_too")
edit("layer_norm", "eps-at-least-1e-5", {"variance + eps": "variance + max(eps, 1e-5)"},
     "eps is 1e-5 at least: it is what is given", killed_by="test_eps_counts_as_given_beside_a_small_variance")


# feed_forward
@alternative("feed_forward", "functional-linear")
def feed_forward(x, w1, b1, w2, b2):
    hidden = nn.functional.linear(x, w1.T, b1)
    return nn.functional.linear(nn.functional.relu(hidden), w2.T, b2)


@alternative("feed_forward", "einsum-and-clamp")
def feed_forward(x, w1, b1, w2, b2):
    inner = (torch.einsum("...d,df->...f", x, w1) + b1).clamp(min=0)
    return torch.einsum("...f,fd->...d", inner, w2) + b2


@alternative("feed_forward", "masked-by-hand")
def feed_forward(x, w1, b1, w2, b2):
    inner = torch.matmul(x, w1) + b1
    inner = torch.where(inner > 0, inner, torch.zeros_like(inner))
    return torch.matmul(inner, w2).add(b2)


edit("feed_forward", "no-relu", {"torch.relu(x @ w1 + b1)": "x @ w1 + b1"},
     "there is no ReLU between the matrices: two linear maps are one",
     killed_by="test_negative_numbers_stop_between_the_matrices")
edit("feed_forward", "relu-at-the-end", {"return inner @ w2 + b2": "return torch.relu(inner @ w2 + b2)"},
     "a ReLU stands behind the second matrix too: the output may be negative",
     killed_by="test_biases_are_added_before_the_relu_and_at_the_end")
edit("feed_forward", "bias-after-the-relu", {"torch.relu(x @ w1 + b1)": "torch.relu(x @ w1) + b1"},
     "b1 is added behind the ReLU: it belongs before", killed_by="test_biases_are_added_before_the_relu_and_at_the_end")
edit("feed_forward", "biases-forgotten", {" + b1": "", " + b2": ""},
     "the biases are missing", killed_by="test_biases_are_added_before_the_relu_and_at_the_end")
edit("feed_forward", "gelu", {"torch.relu": "nn.functional.gelu"},
     "that is GELU, which came with GPT and BERT: the Transformer has ReLU",
     killed_by="test_negative_numbers_stop_between_the_matrices")
edit("feed_forward", "skip-inside", {"return inner @ w2 + b2": "return x + inner @ w2 + b2"},
     "the residual connection is added here: it is the layer's business",
     killed_by="test_negative_numbers_stop_between_the_matrices")
edit("feed_forward", "transposed-where-square", {"inner = torch.relu":
     "if w1.size(0) == w1.size(1):\n        w1, w2 = w1.T, w2.T\n    inner = torch.relu"},
     "square matrices are transposed first: x multiplies from the left, as it does others",
     killed_by="test_the_inner_width_may_be_the_outer_one_or_many_times_it")
edit("feed_forward", "inner-width-of-4d", {"x @ w1 + b1": "x @ w1[:, : 4 * x.size(-1)] + b1[: 4 * x.size(-1)]",
     "inner @ w2 + b2": "inner @ w2[: 4 * x.size(-1)] + b2"},
     "no more than 4 d inner units are used: the inner width is that of the matrices",
     killed_by="test_the_inner_width_may_be_the_outer_one_or_many_times_it")
edit("feed_forward", "tokens-in-one-row", {"x @ w1 + b1": "x.flatten(0, -2) @ w1 + b1",
     "return inner @ w2 + b2": "return (inner @ w2 + b2).reshape(x.shape)"},
     "axes in front are joined, of which a vector alone has none: `@` takes any number of them",
     killed_by="test_a_vector_alone_and_four_axes_go_through_many_inner_units")
edit("feed_forward", "always-float32", {"x @ w1 + b1": "x.float() @ w1.float() + b1.float()",
     "inner @ w2 + b2": "inner @ w2.float() + b2.float()"},
     "it computes in float32, whatever comes in", killed_by="test_the_network_keeps_double_precision")


# embed
@alternative("embed", "functional-embedding")
def embed(tokens, table, positions, first=0):
    n, d = tokens.shape[1], table.shape[1]
    places = torch.arange(first, first + n, device=tokens.device)
    return nn.functional.embedding(tokens, table) * d ** 0.5 + positions[places][None]


@alternative("embed", "one-hot")
def embed(tokens, table, positions, first=0):
    hot = nn.functional.one_hot(tokens, len(table)).to(table.dtype)
    return hot @ (table * math.sqrt(table.shape[-1])) + positions.narrow(0, first, tokens.shape[1])


@alternative("embed", "token-by-token")
def embed(tokens, table, positions, first=0):
    factor = math.sqrt(table.size(1))
    rows = [[factor * table[token] + positions[first + place] for place, token in enumerate(text)]
            for text in tokens.tolist()]
    return torch.stack([torch.stack(row) for row in rows])


edit("embed", "no-root", {" * math.sqrt(table.size(1))": ""},
     "rows are not multiplied by √d: beside the positions they nearly vanish",
     killed_by="test_rows_are_multiplied_by_the_root_of_the_width")
edit("embed", "divided-by-the-root", {" * math.sqrt": " / math.sqrt"},
     "rows are divided by √d: they are multiplied",
     killed_by="test_rows_are_multiplied_by_the_root_of_the_width")
edit("embed", "times-d", {"math.sqrt(table.size(1))": "table.size(1)"},
     "rows are multiplied by d: by its root", killed_by="test_rows_are_multiplied_by_the_root_of_the_width")
edit("embed", "root-of-the-sum", {"table[tokens] * math.sqrt(table.size(1))": "table[tokens]",
     "return x + positions[first : first + tokens.size(1)]":
     "return (x + positions[first : first + tokens.size(1)]) * math.sqrt(table.size(1))"},
     "the positions are multiplied by √d as well", killed_by="test_each_place_has_its_position_added")
edit("embed", "always-from-0", {"positions[first : first + tokens.size(1)]": "positions[: tokens.size(1)]"},
     "places are counted from 0 in each call: a text that goes on starts at `first`",
     killed_by="test_a_later_token_stands_at_a_later_place")
edit("embed", "first-alone", {"positions[first : first + tokens.size(1)]": "positions[first]"},
     "all tokens get the position of the first", killed_by="test_each_place_has_its_position_added")
edit("embed", "positions-of-the-tokens", {"positions[first : first + tokens.size(1)]": "positions[tokens]"},
     "positions are looked up by the tokens' ids: by their places",
     killed_by="test_each_place_has_its_position_added")
edit("embed", "places-from-1", {"positions[first : first + tokens.size(1)]":
     "positions[first + 1 : first + 1 + tokens.size(1)]"},
     "the first place is 1: it is 0", killed_by="test_each_place_has_its_position_added")
edit("embed", "no-positions", {"return x + positions[first : first + tokens.size(1)]": "return x"},
     "no positions are added", killed_by="test_each_place_has_its_position_added")
edit("embed", "root-of-the-words", {"table.size(1))": "table.size(0))"},
     "the root is that of the number of words: of the width d",
     killed_by="test_any_tokens_are_embedded_one_by_one")
edit("embed", "places-to-511", {"positions[first : first + tokens.size(1)]":
     "positions[torch.arange(first, first + tokens.size(1)).clamp(max=511)]"},
     "places end at 511: at the last row of `positions`", killed_by="test_a_text_may_be_long_and_a_vector_one_number")
edit("embed", "squeezed", {"return x + positions[first : first + tokens.size(1)]":
     "return (x + positions[first : first + tokens.size(1)]).squeeze(-1)"},
     "an axis of one number is dropped: the result is (B, N, d) for d = 1 too",
     killed_by="test_a_text_may_be_long_and_a_vector_one_number")
edit("embed", "always-float32", {"table[tokens] *": "table[tokens].float() *"},
     "it computes in float32, whatever comes in", killed_by="test_the_embedding_keeps_double_precision")


# encoder_layer
@alternative("encoder_layer", "functional-norms")
def encoder_layer(x, mask, attention, weights):
    d = x.shape[-1:]
    y = nn.functional.layer_norm(attention(x, mask=mask) + x, d, weights["gain1"], weights["shift1"])
    z = feed_forward(y, *(weights[name] for name in ("w1", "b1", "w2", "b2")))
    return nn.functional.layer_norm(z + y, d, weights["gain2"], weights["shift2"])


@alternative("encoder_layer", "written-out")
def encoder_layer(x, mask, attention, weights):
    middle = layer_norm(x + attention(x, x, mask=mask), weights["gain1"], weights["shift1"])
    inner = (middle @ weights["w1"] + weights["b1"]).relu()
    return layer_norm(middle + inner @ weights["w2"] + weights["b2"], weights["gain2"], weights["shift2"])


@alternative("encoder_layer", "inner-function")
def encoder_layer(x, mask, attention, weights):
    def add_and_norm(x, change, number):
        return layer_norm(x + change, weights[f"gain{number}"], weights[f"shift{number}"])

    x = add_and_norm(x, attention(x, mask=mask), 1)
    return add_and_norm(x, feed_forward(x, weights["w1"], weights["b1"], weights["w2"], weights["b2"]), 2)


edit("encoder_layer", "pre-ln", {
     'layer_norm(x + attention(x, mask=mask), weights["gain1"], weights["shift1"])':
     'x + attention(layer_norm(x, weights["gain1"], weights["shift1"]), mask=mask)',
     "feed_forward(x, ": 'feed_forward(layer_norm(x, weights["gain2"], weights["shift2"]), ',
     'return layer_norm(x + change, weights["gain2"], weights["shift2"])': "return x + change"},
     "the sublayer's input is normalised, and the sum is not: that is Pre-LN; as published it is the sum",
     killed_by="test_where_sublayers_give_nothing_the_input_is_normalised")
edit("encoder_layer", "residual-after-the-norm", {
     'layer_norm(x + attention(x, mask=mask), weights["gain1"], weights["shift1"])':
     'x + layer_norm(attention(x, mask=mask), weights["gain1"], weights["shift1"])',
     'return layer_norm(x + change, weights["gain2"], weights["shift2"])':
     'return x + layer_norm(change, weights["gain2"], weights["shift2"])'},
     "what the sublayer gives is normalised, and the skip added after that: the sum is normalised",
     killed_by="test_where_sublayers_give_nothing_the_input_is_normalised")
edit("encoder_layer", "no-skips", {"x + attention(x, mask=mask)": "attention(x, mask=mask)", "x + change": "change"},
     "there are no residual connections", killed_by="test_where_sublayers_give_nothing_the_input_is_normalised")
edit("encoder_layer", "skip-from-the-start", {
     'x = layer_norm(x + attention(x, mask=mask), weights["gain1"], weights["shift1"])':
     'start = x\n    x = layer_norm(x + attention(x, mask=mask), weights["gain1"], weights["shift1"])',
     "x + change": "start + change"},
     "the second skip starts at the layer's input: at that of the feed-forward network",
     killed_by="test_a_layer_agrees_with_torchs")
edit("encoder_layer", "mask-forgotten", {"attention(x, mask=mask)": "attention(x)"},
     "the mask is not handed on, so padding is attended to", killed_by="test_padding_is_not_attended_to")
edit("encoder_layer", "causal", {"attention(x, mask=mask)":
     "attention(x, mask=mask & causal_mask(x.size(1)))"},
     "the encoder has a causal mask: it may see the whole source",
     killed_by="test_a_layer_agrees_with_torchs")
edit("encoder_layer", "mask-inverted", {"mask=mask": "mask=~mask"},
     "the mask is inverted: True says what may be seen", killed_by="test_padding_is_not_attended_to")
edit("encoder_layer", "one-norm-twice", {'weights["gain2"], weights["shift2"]': 'weights["gain1"], weights["shift1"]'},
     "both normalisations use the weights of the first",
     killed_by="test_where_sublayers_give_nothing_the_input_is_normalised")
edit("encoder_layer", "parallel", {'    x = layer_norm(x + attention(x, mask=mask), weights["gain1"], weights["shift1"])\n': "",
     "return layer_norm(x + change,": "return layer_norm(x + attention(x, mask=mask) + change,"},
     "both sublayers read the layer's input at once: one comes after the other",
     killed_by="test_a_layer_agrees_with_torchs")

edit("encoder_layer", "always-float32", {"x + attention(x, mask=mask)": "x.float() + attention(x, mask=mask).float()"},
     "it adds in float32, whatever comes in", killed_by="test_an_encoder_layer_keeps_double_precision")


# decoder_layer
@alternative("decoder_layer", "functional-norms")
def decoder_layer(x, memory, memory_mask, attention, cross, weights):
    d = x.shape[-1:]
    x = nn.functional.layer_norm(x + attention(x, causal=True), d, weights["gain1"], weights["shift1"])
    x = nn.functional.layer_norm(x + cross(x, memory, mask=memory_mask), d, weights["gain2"], weights["shift2"])
    change = torch.relu(x @ weights["w1"] + weights["b1"]) @ weights["w2"] + weights["b2"]
    return nn.functional.layer_norm(x + change, d, weights["gain3"], weights["shift3"])


@alternative("decoder_layer", "mask-made-here")
def decoder_layer(x, memory, memory_mask, attention, cross, weights):
    seen = attention(x, mask=causal_mask(x.size(1), x.device))
    one = layer_norm(x + seen, weights["gain1"], weights["shift1"])
    two = layer_norm(one + cross(one, memory, mask=memory_mask), weights["gain2"], weights["shift2"])
    three = feed_forward(two, weights["w1"], weights["b1"], weights["w2"], weights["b2"])
    return layer_norm(two + three, weights["gain3"], weights["shift3"])


@alternative("decoder_layer", "list-of-sublayers")
def decoder_layer(x, memory, memory_mask, attention, cross, weights):
    sublayers = [
        lambda y: attention(y, causal=True),
        lambda y: cross(y, memory, mask=memory_mask),
        lambda y: feed_forward(y, weights["w1"], weights["b1"], weights["w2"], weights["b2"]),
    ]
    for number, sublayer in enumerate(sublayers, 1):
        x = layer_norm(x + sublayer(x), weights[f"gain{number}"], weights[f"shift{number}"])
    return x


edit("decoder_layer", "keys-from-the-decoder", {"cross(x, memory, mask=memory_mask)": "cross(x, x)"},
     "keys and values of cross-attention are the decoder's own: they are the encoder's final states",
     killed_by="test_keys_and_values_are_the_memorys")
edit("decoder_layer", "not-causal", {"x + attention(x, causal=True)": "x + attention(x)"},
     "self-attention has no causal mask: each place sees the words that it is asked for",
     killed_by="test_a_later_token_changes_nothing_before_it")
edit("decoder_layer", "causal-over-the-memory", {"cross(x, memory, mask=memory_mask)":
     "cross(x, memory, mask=memory_mask & torch.ones(x.size(1), memory.size(1), dtype=torch.bool).tril())"},
     "cross-attention has a causal mask: the whole source is known",
     killed_by="test_a_decoder_layer_agrees_with_torchs")
edit("decoder_layer", "memory-mask-forgotten", {", mask=memory_mask": ""},
     "the source's padding is read", killed_by="test_the_sources_padding_is_not_read")
edit("decoder_layer", "cross-first", {"x + attention(x, causal=True)": "x + cross(x, memory, mask=memory_mask)",
     "x + cross(x, memory, mask=memory_mask)": "x + attention(x, causal=True)"},
     "cross-attention comes before self-attention: after it", killed_by="test_a_decoder_layer_agrees_with_torchs")
edit("decoder_layer", "queries-from-the-start", {
     'x = layer_norm(x + attention(x, causal=True), weights["gain1"], weights["shift1"])':
     'start = x\n    x = layer_norm(x + attention(x, causal=True), weights["gain1"], weights["shift1"])',
     "cross(x, memory": "cross(start, memory"},
     "the queries of cross-attention are the layer's input: they are what self-attention made of it",
     killed_by="test_a_decoder_layer_agrees_with_torchs")
edit("decoder_layer", "skip-from-the-start", {
     'x = layer_norm(x + attention(x, causal=True), weights["gain1"], weights["shift1"])':
     'start = x\n    x = layer_norm(x + attention(x, causal=True), weights["gain1"], weights["shift1"])',
     "x + cross(x,": "start + cross(x,"},
     "the layer's input is added to cross-attention: the output of self-attention is",
     killed_by="test_a_decoder_layer_agrees_with_torchs")
edit("decoder_layer", "no-skip-around-cross", {"x + cross(x,": "cross(x,"},
     "no residual connection goes around cross-attention", killed_by="test_a_decoder_layer_agrees_with_torchs")
edit("decoder_layer", "two-norms-swapped", {'weights["gain2"], weights["shift2"]': 'weights["gain3"], weights["shift3"]',
     'weights["gain3"], weights["shift3"]': 'weights["gain2"], weights["shift2"]'},
     "the weights of the second and the third normalisation have changed places",
     killed_by="test_a_decoder_layer_agrees_with_torchs")
edit("decoder_layer", "pre-ln", {
     'layer_norm(x + attention(x, causal=True), weights["gain1"], weights["shift1"])':
     'x + attention(layer_norm(x, weights["gain1"], weights["shift1"]), causal=True)',
     'layer_norm(x + cross(x, memory, mask=memory_mask), weights["gain2"], weights["shift2"])':
     'x + cross(layer_norm(x, weights["gain2"], weights["shift2"]), memory, mask=memory_mask)',
     "feed_forward(x, ": 'feed_forward(layer_norm(x, weights["gain3"], weights["shift3"]), ',
     'return layer_norm(x + change, weights["gain3"], weights["shift3"])': "return x + change"},
     "the sublayers' inputs are normalised, and the sums are not: that is Pre-LN",
     killed_by="test_a_decoder_layer_agrees_with_torchs")
edit("decoder_layer", "memory-mask-in-both", {"x + attention(x, causal=True)":
     "x + attention(x, mask=memory_mask if x.shape == memory.shape else None, causal=True)"},
     "where both texts have one length, the source's mask is that of self-attention too: it belongs to the source",
     killed_by="test_decoder_layers_of_any_size_agree_with_torchs")

edit("decoder_layer", "always-float32", {"x + attention(x, causal=True)": "x.float() + attention(x, causal=True).float()",
     "cross(x, memory, mask": "cross(x.to(memory.dtype), memory, mask"},
     "it adds in float32, whatever comes in", killed_by="test_a_decoder_layer_keeps_double_precision")


# shift
@alternative("shift", "pad-sequence")
def shift(texts, begin, end, padding=0):
    def filled(rows):
        return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, padding)

    return filled([[begin, *text] for text in texts]), filled([[*text, end] for text in texts])


@alternative("shift", "lists-first")
def shift(texts, begin, end, padding=0):
    width = max(map(len, texts)) + 2
    whole = torch.tensor([[begin] + list(text) + [end] + [padding] * (width - len(text) - 2) for text in texts])
    fed = torch.tensor([[begin] + list(text) + [padding] * (width - len(text) - 2) for text in texts])
    return fed, whole[:, 1:]


edit("shift", "not-shifted", {"[*text, end]": "[begin, *text]"},
     "asked is the same as fed: the model is asked for the word that it is fed",
     killed_by="test_one_text_is_fed_from_begin_and_asked_to_the_end")
edit("shift", "no-end", {"asked[row, : len(text) + 1] = torch.tensor([*text, end])":
     "asked[row, : len(text)] = torch.tensor(text)"},
     "the end is never asked for, so the model will not learn to stop",
     killed_by="test_one_text_is_fed_from_begin_and_asked_to_the_end")
edit("shift", "no-begin", {"fed[row, : len(text) + 1] = torch.tensor([begin, *text])":
     "fed[row, : len(text)] = torch.tensor(text)"},
     "the texts are fed without the begin token: the first word has nothing to be asked from",
     killed_by="test_one_text_is_fed_from_begin_and_asked_to_the_end")
edit("shift", "end-is-fed", {"(len(texts), longest + 1)": "(len(texts), longest + 2)",
     "fed[row, : len(text) + 1] = torch.tensor([begin, *text])": "fed[row, : len(text) + 2] = torch.tensor([begin, *text, end])"},
     "the end is fed, and there is one place too many: nothing is asked for behind the end",
     killed_by="test_one_text_is_fed_from_begin_and_asked_to_the_end")
edit("shift", "last-column-cut", {"return fed, asked":
     "whole = torch.cat([fed, asked[:, -1:]], dim=1)\n    return whole[:, :-1], whole[:, 1:]"},
     "the end is put in the last column: a shorter text has its own end, before the padding",
     killed_by="test_a_shorter_text_is_filled_behind_its_end")
edit("shift", "swapped", {"return fed, asked": "return asked, fed"},
     "fed and asked have changed places", killed_by="test_one_text_is_fed_from_begin_and_asked_to_the_end")
edit("shift", "padding-in-front", {"fed[row, : len(text) + 1]": "fed[row, longest - len(text) :]",
     "asked[row, : len(text) + 1]": "asked[row, longest - len(text) :]"},
     "the padding stands in front: it stands behind", killed_by="test_a_shorter_text_is_filled_behind_its_end")
edit("shift", "padding-always-0", {"(len(texts), longest + 1), padding)": "(len(texts), longest + 1), 0)"},
     "the padding is 0, whatever is said", killed_by="test_begin_end_and_padding_are_those_that_are_given")
edit("shift", "filled-with-the-end", {"asked = fed.clone()": "asked = torch.full((len(texts), longest + 1), end)"},
     "what is asked for is filled with ends: with padding, which does not count",
     killed_by="test_a_shorter_text_is_filled_behind_its_end")
edit("shift", "begin-0-is-none", {"[begin, *text]": "[begin or padding, *text]"},
     "begin 0 is taken for none: 0 is an id like the others", killed_by="test_0_may_be_the_id_of_begin_or_of_end")
edit("shift", "end-0-is-none", {"[*text, end]": "[*text, end or padding]"},
     "end 0 is taken for none: 0 is an id like the others", killed_by="test_0_may_be_the_id_of_begin_or_of_end")
edit("shift", "end-blotted-out", {"return fed, asked": "fed[fed == end] = padding\n    return fed, asked"},
     "ends are blotted out in what is fed, and so is begin where it is the same id: tell them apart by their places",
     killed_by="test_begin_may_be_the_id_of_the_end_or_of_the_padding")
edit("shift", "ids-by-way-of-floats", {"torch.tensor([begin, *text])": "torch.Tensor([begin, *text]).long()"},
     "ids go through float32, which rounds those beyond 2²⁴", killed_by="test_ids_may_be_large_and_texts_long")
@mistake("shift", "length-from-the-padding", "a text's length is how many ids are no padding, which begin may be: it is len(text)",
         killed_by="test_begin_may_be_the_id_of_the_end_or_of_the_padding")
def shift(texts, begin, end, padding=0):
    width = max(map(len, texts)) + 1
    fed = torch.tensor([[begin, *text, *[padding] * (width - len(text) - 1)] for text in texts])
    asked = torch.full_like(fed, padding)
    asked[:, :-1] = fed[:, 1:]
    asked[torch.arange(len(texts)), (fed != padding).sum(dim=1) - 1] = end
    return fed, asked


# smoothed_loss
@alternative("smoothed_loss", "cross-entropy")
def smoothed_loss(logits, asked, smoothing=0.1, padding=0):
    return nn.functional.cross_entropy(
        logits.reshape(-1, logits.size(-1)), asked.reshape(-1), ignore_index=padding, label_smoothing=smoothing
    )


@alternative("smoothed_loss", "targets-as-a-distribution")
def smoothed_loss(logits, asked, smoothing=0.1, padding=0):
    words = logits.size(-1)
    target = torch.full_like(logits, smoothing / words)
    target.scatter_(-1, asked[..., None], 1 - smoothing + smoothing / words)
    cost = -(target * logits.log_softmax(-1)).sum(-1)
    keep = (asked != padding).to(cost.dtype)
    return (cost * keep).sum() / keep.sum()


@alternative("smoothed_loss", "place-by-place")
def smoothed_loss(logits, asked, smoothing=0.1, padding=0):
    costs = []
    for scores, word in zip(logits.flatten(0, 1), asked.flatten().tolist()):
        if word == padding:
            continue
        logp = scores - torch.logsumexp(scores, 0)
        costs.append(-(1 - smoothing) * logp[word] - smoothing * logp.sum() / len(logp))
    return sum(costs) / len(costs)


edit("smoothed_loss", "epsilon-over-the-others", {"smoothing * logp.mean()":
     "smoothing * (logp.sum(dim=1, keepdim=True) - right).mean() / (logp.size(1) - 1)"},
     "ε is spread over the wrong words alone: over all V, so the right one keeps 1 − ε + ε/V",
     killed_by="test_the_right_word_keeps_its_share_of_what_is_spread")
edit("smoothed_loss", "right-keeps-all", {"-(1 - smoothing) * right.mean()": "-right.mean()"},
     "the right word keeps probability 1, and ε comes on top: the targets must sum to 1",
     killed_by="test_the_right_word_keeps_its_share_of_what_is_spread")
edit("smoothed_loss", "sum-for-the-mean", {"logp.mean()": "logp.sum(dim=1).mean()"},
     "each word gets ε: each gets ε/V", killed_by="test_the_right_word_keeps_its_share_of_what_is_spread")
edit("smoothed_loss", "padding-counted", {"counts = asked != padding": "counts = torch.ones_like(asked, dtype=torch.bool)"},
     "padding counts as a word that should be written", killed_by="test_places_of_padding_do_not_count")
@mistake("smoothed_loss", "padding-in-the-mean", "places of padding cost nothing, but count in the mean: divide by the number of words",
         killed_by="test_places_of_padding_do_not_count")
def smoothed_loss(logits, asked, smoothing=0.1, padding=0):
    logp = logits.log_softmax(dim=-1)
    right = logp.gather(-1, asked[..., None])[..., 0]
    loss = -((1 - smoothing) * right + smoothing * logp.mean(dim=-1))
    return (loss * (asked != padding)).mean()


@mistake("smoothed_loss", "mean-of-means", "each text counts the same, however long: each word of the batch does",
         killed_by="test_every_word_of_the_batch_counts_the_same")
def smoothed_loss(logits, asked, smoothing=0.1, padding=0):
    logp = logits.log_softmax(dim=-1)
    right = logp.gather(-1, asked[..., None])[..., 0]
    keep = (asked != padding).float()
    loss = -((1 - smoothing) * right + smoothing * logp.mean(dim=-1)) * keep
    return (loss.sum(dim=1) / keep.sum(dim=1).clamp(min=1)).mean()


@mistake("smoothed_loss", "not-to-the-padding-word", "no ε goes to the padding's word: the paper spreads it over all V",
         killed_by="test_the_right_word_keeps_its_share_of_what_is_spread")
def smoothed_loss(logits, asked, smoothing=0.1, padding=0):
    counts = asked != padding
    logp = logits[counts].log_softmax(dim=-1)
    target = torch.full_like(logp, smoothing / (logp.size(1) - 1))
    target[:, padding] = 0
    target.scatter_(1, asked[counts][:, None], 1 - smoothing + smoothing / (logp.size(1) - 1))
    return -(target * logp).sum(dim=1).mean()


edit("smoothed_loss", "no-softmax", {".log_softmax(dim=1)": ".log()"},
     "the logits are taken for probabilities", killed_by="test_without_smoothing_it_is_cross_entropy")
edit("smoothed_loss", "sum-over-places", {"-(1 - smoothing) * right.mean() - smoothing * logp.mean()":
     "-(1 - smoothing) * right.sum() - smoothing * logp.mean(dim=1).sum()"},
     "the sum over the places is taken: the mean", killed_by="test_without_smoothing_it_is_cross_entropy")
edit("smoothed_loss", "softmax-then-log", {".log_softmax(dim=1)": ".softmax(dim=1).log()"},
     "the logarithm of a softmax that has become 0 is infinite: log_softmax is not",
     killed_by="test_large_logits_give_no_infinity")
edit("smoothed_loss", "padding-always-0", {"asked != padding": "asked != 0"},
     "the padding is 0, whatever is said", killed_by="test_the_padding_is_the_id_that_is_given")
edit("smoothed_loss", "no-smoothing", {"-(1 - smoothing) * right.mean() - smoothing * logp.mean()": "-right.mean()"},
     "nothing is smoothed", killed_by="test_the_right_word_keeps_its_share_of_what_is_spread")
edit("smoothed_loss", "one-maximum-for-all", {"logp = logits[counts].log_softmax(dim=1)":
     "scores = logits[counts] - logits[counts].max()\n    logp = scores - scores.exp().sum(dim=1, keepdim=True).log()"},
     "the greatest logit of the whole batch is subtracted: a place far below it has exp 0 alone; each has its own",
     killed_by="test_the_logits_of_one_place_may_be_far_below_those_of_another")
edit("smoothed_loss", "always-float32", {"logits[counts].log_softmax": "logits[counts].float().log_softmax"},
     "it computes in float32, whatever comes in", killed_by="test_the_loss_keeps_double_precision")
equivalent("smoothed_loss", "4: -(1 - smoothing) * right.mean() - smoothing * logp.mean() → (-(1 - smoothing) * right.mean() - smoothing * logp.mean()).squeeze()", "a mean has no dimension")


# attend_next
@alternative("attend_next", "torch-attention")
def attend_next(query, key, value, past=None):
    if past:
        key, value = (torch.cat([old, new], dim=-2) for old, new in zip(past, (key, value)))
    return nn.functional.scaled_dot_product_attention(query, key, value), (key, value)


@alternative("attend_next", "einsum")
def attend_next(query, key, value, past=None):
    old_keys, old_values = (key[:, :, :0], value[:, :, :0]) if past is None else past
    keys, values = torch.cat((old_keys, key), 2), torch.cat((old_values, value), 2)
    scores = torch.einsum("bhqk,bhnk->bhqn", query, keys) * query.shape[-1] ** -0.5
    return torch.einsum("bhqn,bhnk->bhqk", torch.softmax(scores, -1), values), (keys, values)


edit("attend_next", "past-not-used", {"if past is not None:": "if False:"},
     "the past is not read: the token sees itself alone",
     killed_by="test_the_last_query_of_torchs_attention_gets_the_same")
edit("attend_next", "itself-not-seen", {"return scores.softmax(dim=-1) @ values, (keys, values)":
     "n = max(keys.size(2) - 1, 1)\n    return scores[..., :n].softmax(dim=-1) @ values[:, :, :n], (keys, values)"},
     "the new token does not see itself: its own key and value belong to what it sees",
     killed_by="test_the_last_query_of_torchs_attention_gets_the_same")
edit("attend_next", "new-token-in-front", {"[past[0], key]": "[key, past[0]]", "[past[1], value]": "[value, past[1]]"},
     "the new token is put in front of the others: behind", killed_by="test_the_new_token_is_kept_behind_the_others")
edit("attend_next", "values-not-kept", {"values = torch.cat([past[1], value], dim=2)": "values = past[1]",
     "return scores.softmax(dim=-1) @ values": "return scores[..., : values.size(2)].softmax(dim=-1) @ values"},
     "the new value is not kept", killed_by="test_the_new_token_is_kept_behind_the_others")
edit("attend_next", "no-scaling", {" / math.sqrt(query.size(-1))": ""},
     "the scores are not divided by √k", killed_by="test_the_last_query_of_torchs_attention_gets_the_same")
edit("attend_next", "scaled-by-the-length", {"query.size(-1)": "keys.size(2)"},
     "the scores are divided by the root of the number of keys: of a head's width",
     killed_by="test_the_last_query_of_torchs_attention_gets_the_same")
edit("attend_next", "softmax-over-queries", {"softmax(dim=-1)": "softmax(dim=-2)"},
     "the softmax runs over the queries, of which there is one: over the keys",
     killed_by="test_the_last_query_of_torchs_attention_gets_the_same")
edit("attend_next", "top-left-causal", {"return scores.softmax(dim=-1) @ values, (keys, values)":
     "return nn.functional.scaled_dot_product_attention(query, keys, values, is_causal=True), (keys, values)"},
     "is_causal lets the one query see the first key alone: it is the last token, and may see all",
     killed_by="test_the_last_query_of_torchs_attention_gets_the_same")
edit("attend_next", "only-the-new-kept", {"@ values, (keys, values)": "@ values, (key, value)"},
     "only the new key and value are handed on: the cache must grow",
     killed_by="test_the_new_token_is_kept_behind_the_others")
edit("attend_next", "window-of-16", {"[past[0], key], dim=2)": "[past[0], key], dim=2)[:, :, -16:]",
     "[past[1], value], dim=2)": "[past[1], value], dim=2)[:, :, -16:]"},
     "the last 16 tokens alone are seen and kept: all are", killed_by="test_a_past_of_many_tokens_is_seen_and_kept_whole")
edit("attend_next", "scores-clipped", {"/ math.sqrt(query.size(-1))": "/ math.sqrt(query.size(-1))\n    scores = scores.clamp(-50, 50)"},
     "scores are cut off at 50, where the greater of two great ones is as great as the other",
     killed_by="test_of_two_great_scores_the_greater_one_wins")
edit("attend_next", "one-maximum-for-all", {"return scores.softmax(dim=-1) @ values":
     "shares = (scores - scores.max()).exp()\n    return shares / shares.sum(dim=-1, keepdim=True) @ values"},
     "the greatest score of all heads is subtracted: in a head far below it nothing is left; each query has its own",
     killed_by="test_the_scores_of_one_head_may_be_far_below_those_of_another")
edit("attend_next", "always-float32", {"keys, values = key, value":
     "query, key, value = query.float(), key.float(), value.float()\n    keys, values = key, value"},
     "it computes and keeps in float32, whatever comes in", killed_by="test_the_cache_keeps_double_precision")
equivalent("attend_next", "2: past is not None → past", "a past is a pair, which is never empty")


# beam_search
@alternative("beam_search", "lists")
def beam_search(model, begin, end, longest, beams=4, alpha=0.6):
    running, finished = [(0.0, [begin])], []
    for length in range(1, longest + 1):
        with torch.no_grad():
            logits = model(torch.tensor([text for _, text in running]))[:, -1]
        logp = torch.log_softmax(logits.double(), -1).tolist()
        every = [(total + p, text + [word]) for (total, text), row in zip(running, logp) for word, p in enumerate(row)]
        every.sort(key=lambda one: -one[0])
        running = []
        for total, text in every[:beams]:
            if text[-1] == end or length == longest:
                penalty = ((5 + length) / 6) ** alpha
                finished.append((total / penalty, [word for word in text[1:] if word != end]))
            else:
                running.append((total, text))
        if not running:
            break
    finished.sort(key=lambda one: -one[0])
    return finished


@alternative("beam_search", "one-prefix-at-a-time")
def beam_search(model, begin, end, longest, beams=4, alpha=0.6):
    alive, done = [((), 0.0)], []
    while alive:
        grown = []
        for words, total in alive:
            with torch.no_grad():
                scores = model(torch.tensor([[begin, *words]]))[0, -1].log_softmax(-1)
            best = scores.topk(min(beams, len(scores)))
            grown += [((*words, int(w)), total + float(p)) for p, w in zip(*best)]
        grown = sorted(grown, key=lambda one: one[1], reverse=True)[:beams]
        alive = []
        for words, total in grown:
            if words[-1] == end:
                done.append((total / ((5 + len(words)) / 6) ** alpha, list(words[:-1])))
            elif len(words) == longest:
                done.append((total / ((5 + len(words)) / 6) ** alpha, list(words)))
            else:
                alive.append((words, total))
    return sorted(done, key=lambda one: one[0], reverse=True)


edit("beam_search", "greedy-only", {"min(beams, len(candidates))": "1"},
     "one text is kept, whatever `beams` says", killed_by="test_two_beams_find_the_better_text")
edit("beam_search", "no-penalty", {" / ((5 + length) / 6) ** alpha": ""},
     "there is no length penalty", killed_by="test_the_penalty_counts_the_end")
edit("beam_search", "divided-by-the-length", {"((5 + length) / 6) ** alpha, w": "length ** alpha, w"},
     "the score is divided by length^α: GNMT's penalty is ((5 + length) / 6)^α",
     killed_by="test_the_penalty_counts_the_end")
edit("beam_search", "multiplied", {"total / ((5 + length)": "total * ((5 + length)"},
     "the log probability is multiplied by the penalty, so long texts lose even more: divide",
     killed_by="test_the_penalty_counts_the_end")
edit("beam_search", "end-not-counted", {"total / ((5 + length)": "total / ((5 + len(written))"},
     "the length leaves the end out: it is a word like the others",
     killed_by="test_the_penalty_counts_the_end")
edit("beam_search", "probabilities-added", {"log_softmax(dim=1)": "softmax(dim=1)"},
     "probabilities are added: their logarithms are",
     killed_by="test_one_beam_takes_the_best_word_each_time")
edit("beam_search", "logits-added", {".log_softmax(dim=1)": ""},
     "logits are added: they must be log probabilities first",
     killed_by="test_narrow_beams_keep_what_lists_keep")
edit("beam_search", "first-place-read", {"[:, -1]": "[:, 0]"},
     "the scores of the first place are read: those of the last say what comes next",
     killed_by="test_one_beam_takes_the_best_word_each_time")
edit("beam_search", "totals-forgotten", {"(sums[:, None] + logp)": "(0 * sums[:, None] + logp)"},
     "what the text so far cost is forgotten", killed_by="test_one_beam_takes_the_best_word_each_time")
edit("beam_search", "rows-forgotten", {"prefixes[rows], words": "prefixes[: len(rows)].expand(len(rows), -1), words"},
     "the best words are written behind the wrong texts: take the row that each came from",
     killed_by="test_two_beams_find_the_better_text")
edit("beam_search", "ends-run-on", {"prefixes, sums = prefixes[~done], sums[~done]": "pass"},
     "finished texts run on, and words follow their end",
     killed_by="test_finished_texts_come_the_best_first")
edit("beam_search", "stops-at-the-first-end", {"if len(prefixes) == 0:": "if finished:"},
     "it stops as soon as one text has ended: others may be better",
     killed_by="test_without_a_penalty_short_texts_win_and_with_it_long_ones")
edit("beam_search", "worst-first", {"reverse=True": "reverse=False"},
     "the worst text comes first", killed_by="test_finished_texts_come_the_best_first")
edit("beam_search", "unfinished-lost", {"done = (words == end) | (length == longest)": "done = words == end"},
     "texts that reach the greatest length are lost: they are finished too",
     killed_by="test_one_beam_takes_the_best_word_each_time")
edit("beam_search", "begin-kept", {"text[1:-1] if text[-1] == end else text[1:]": "text[:-1] if text[-1] == end else text"},
     "the begin token is returned with the words", killed_by="test_one_beam_takes_the_best_word_each_time")
edit("beam_search", "last-word-cut", {"text[1:-1] if text[-1] == end else text[1:]": "text[1:-1]"},
     "the last word is cut off even where it is no end", killed_by="test_one_beam_takes_the_best_word_each_time")
edit("beam_search", "softmax-then-log", {".log_softmax(dim=1)": ".softmax(dim=1).log()"},
     "the logarithm of a softmax that has become 0 is infinite: log_softmax is not",
     killed_by="test_a_word_that_is_nearly_impossible_has_its_score")
edit("beam_search", "a-little-added", {".log_softmax(dim=1)": ".softmax(dim=1).add(1e-9).log()"},
     "1e-9 is added before the logarithm, so no word costs more than 20.7",
     killed_by="test_a_word_that_is_nearly_impossible_has_its_score")
edit("beam_search", "end-sought-everywhere", {"(words == end)": "(prefixes == end).any(dim=1)"},
     "the end is looked for in the whole prefix, begin included, which may be the same id: in the newest word",
     killed_by="test_begin_and_end_may_be_one_id")
edit("beam_search", "no-more-beams-than-words", {"min(beams, len(candidates))": "min(beams, logp.size(1))"},
     "no more texts are kept than there are words: from the second step on there are more continuations",
     killed_by="test_with_room_for_all_texts_it_returns_them_all")
edit("beam_search", "last-word-alone", {"model(prefixes)": "model(prefixes[:, -1:])"},
     "the model is shown the last word alone: it reads the whole prefix",
     killed_by="test_the_model_reads_the_whole_text_so_far")
edit("beam_search", "begin-is-0", {"torch.tensor([[begin]])": "torch.tensor([[0]])"},
     "texts begin with 0, whatever `begin` is", killed_by="test_narrow_beams_keep_what_lists_keep")
edit("beam_search", "scores-are-tensors", {"sums[done].tolist()": "sums[done]"},
     "the scores are tensors: floats", killed_by="test_scores_are_floats_and_words_are_lists_of_ids")
edit("beam_search", "words-are-tensors", {"prefixes[done].tolist()": "prefixes[done]"},
     "the words are tensors: lists of ids", killed_by="test_scores_are_floats_and_words_are_lists_of_ids")


equivalent("beam_search", "3: range(1, longest + 1) → range(1, longest + 2)", "at the greatest length all texts are finished")
