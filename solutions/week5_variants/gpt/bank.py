"""gpt: classic mistakes and other right ways, for each exercise. Never released."""

import math

import torch
from torch import nn
from torch.nn import functional

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# next_token_loss
@alternative("next_token_loss", "log-softmax-and-gather")
def next_token_loss(logits, tokens, real):
    logs = logits.log_softmax(dim=-1)[:, :-1]  # (B, N − 1, V)
    right = logs.gather(2, tokens[:, 1:, None])[..., 0]  # (B, N − 1)
    asked = real[:, 1:].to(right.dtype)
    return -(right * asked).sum() / asked.sum()


@alternative("next_token_loss", "ignored-labels")
def next_token_loss(logits, tokens, real):
    labels = torch.where(real, tokens, torch.full_like(tokens, -100)).roll(-1, dims=1)  # (B, N)
    labels[:, -1] = -100
    return functional.cross_entropy(logits.transpose(1, 2), labels)


@alternative("next_token_loss", "loop-over-texts")
def next_token_loss(logits, tokens, real):
    total, count = 0.0, 0
    for scores, ids, mask in zip(logits, tokens, real):
        length = int(mask.sum())
        if length > 1:
            total = total + functional.cross_entropy(scores[: length - 1], ids[1:length], reduction="sum")
            count += length - 1
    return total / count


edit("next_token_loss", "no-shift", {"asked = real[:, 1:]": "asked = real", "logits[:, :-1][asked], tokens[:, 1:][asked]": "logits[asked], tokens[asked]"},
     "each place is asked for the token that it has just been fed: nothing is shifted", killed_by="test_each_place_is_asked_for_the_token_after_it")
edit("next_token_loss", "shift-backwards", {"logits[:, :-1][asked], tokens[:, 1:][asked]": "logits[:, 1:][asked], tokens[:, :-1][asked]"},
     "each place is asked for the token before it: the shift goes the wrong way", killed_by="test_each_place_is_asked_for_the_token_after_it")
edit("next_token_loss", "padding-counts", {"asked = real[:, 1:]": "asked = torch.ones_like(real[:, 1:])"},
     "padding is asked for as if it were text", killed_by="test_padding_is_not_asked_for_whatever_its_id")
edit("next_token_loss", "padding-by-id-0", {"asked = real[:, 1:]": "asked = tokens[:, 1:] != 0"},
     "the id 0 is taken for padding: `real` says what is", killed_by="test_padding_is_not_asked_for_whatever_its_id")
edit("next_token_loss", "asked-by-the-place-fed", {"asked = real[:, 1:]": "asked = real[:, :-1]"},
     "a place counts where it is real itself: its target may be padding", killed_by="test_padding_is_not_asked_for_whatever_its_id")
edit("next_token_loss", "sum", {"tokens[:, 1:][asked])": 'tokens[:, 1:][asked], reduction="sum")'},
     "this is the sum over tokens: the mean is asked for", killed_by="test_a_long_text_weighs_more_than_a_short_one")
edit("next_token_loss", "bits", {"tokens[:, 1:][asked])": "tokens[:, 1:][asked]) / math.log(2)"},
     "this is in bits: nats are asked for", killed_by="test_a_known_probability_costs_its_logarithm")


@mistake("next_token_loss", "round-the-corner", "the last place is asked for the first token: nothing comes behind it",
         killed_by="test_a_known_probability_costs_its_logarithm")
def next_token_loss(logits, tokens, real):
    return functional.cross_entropy(logits[real], tokens.roll(-1, dims=1)[real])


@mistake("next_token_loss", "mean-of-texts", "each text counts the same, whatever its length: the mean is over tokens",
         killed_by="test_a_long_text_weighs_more_than_a_short_one")
def next_token_loss(logits, tokens, real):
    losses = [functional.cross_entropy(x[:-1][r[1:]], t[1:][r[1:]]) for x, t, r in zip(logits, tokens, real) if r[1:].any()]
    return torch.stack(losses).mean()


@mistake("next_token_loss", "padding-in-the-mean", "the sum over real tokens is divided by all places, padding included",
         killed_by="test_padding_is_not_asked_for_whatever_its_id")
def next_token_loss(logits, tokens, real):
    costs = functional.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none")  # (B, N − 1)
    return (costs * real[:, 1:]).mean()


@mistake("next_token_loss", "log-of-softmax", "the logarithm of a softmax is −∞ where the probability rounds to 0: use log_softmax",
         killed_by="test_large_logits_are_no_problem")
def next_token_loss(logits, tokens, real):
    asked = real[:, 1:]
    chances = logits[:, :-1].softmax(dim=-1).gather(2, tokens[:, 1:, None])[..., 0]
    return -chances.log()[asked].mean()


@mistake("next_token_loss", "item", "the loss is a plain number, so nothing can be trained by it",
         killed_by="test_the_gradients_are_those_of_the_mean_over_tokens")
def next_token_loss(logits, tokens, real):
    asked = real[:, 1:]
    return torch.tensor(functional.cross_entropy(logits[:, :-1][asked], tokens[:, 1:][asked]).item())


edit("next_token_loss", "sixty-four-places", {"asked = real[:, 1:]": "asked = real[:, 1:] & (torch.arange(real.size(1) - 1) < 64)"},
     "only the first 64 places are asked: a text may be longer", killed_by="test_every_place_of_a_large_batch_is_asked_for")


# gpt2_layers
@alternative("gpt2_layers", "torchs-modules")
def gpt2_layers(x, layers, gain, shift):
    size = (x.size(-1),)
    for attention, w in layers:
        y = functional.layer_norm(x, size, w["gain1"], w["shift1"])
        x = attention(y, causal=True) + x
        y = functional.layer_norm(x, size, w["gain2"], w["shift2"])
        y = nn.GELU(approximate="tanh")(functional.linear(y, w["w1"].T, w["b1"]))  # (B, N, 4d)
        x = functional.linear(y, w["w2"].T, w["b2"]) + x
    return functional.layer_norm(x, size, gain, shift)


@alternative("gpt2_layers", "all-by-hand")
def gpt2_layers(x, layers, gain, shift):
    def norm(v, g, s):
        v = v - v.mean(-1, keepdim=True)
        return g * v / torch.sqrt(v.pow(2).mean(-1, keepdim=True) + 1e-5) + s

    for attention, w in layers:
        x = x + attention(norm(x, w["gain1"], w["shift1"]), causal=True)
        inner = norm(x, w["gain2"], w["shift2"]) @ w["w1"] + w["b1"]
        inner = inner / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (inner + 0.044715 * inner**3)))
        x = x + inner @ w["w2"] + w["b2"]
    return norm(x, gain, shift)


@alternative("gpt2_layers", "a-mask-of-its-own")
def gpt2_layers(x, layers, gain, shift):
    n, d = x.shape[-2:]
    seen = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
    for attention, w in layers:
        x = x + attention(functional.layer_norm(x, (d,), w["gain1"], w["shift1"]), mask=seen)
        hidden = functional.gelu(functional.layer_norm(x, (d,), w["gain2"], w["shift2"]) @ w["w1"] + w["b1"], approximate="tanh")
        x = x + (hidden @ w["w2"] + w["b2"])
    return functional.layer_norm(x, (d,), gain, shift)


edit("gpt2_layers", "no-last-norm", {"return norm(x, gain, shift)": "return x"},
     "the normalisation behind the last layer is missing", killed_by="test_where_sublayers_give_nothing_the_last_normalisation_alone_is_left")
edit("gpt2_layers", "not-causal", {'w["shift1"]), causal=True)': 'w["shift1"]))'},
     "attention sees later tokens: it must be causal", killed_by="test_no_place_sees_a_later_one")
edit("gpt2_layers", "exact-gelu", {', approximate="tanh"': ""},
     "this is GELU's exact form: GPT has the one with tanh", killed_by="test_gelu_has_its_tanh_form")
edit("gpt2_layers", "relu", {'functional.gelu(inner, approximate="tanh")': "torch.relu(inner)"},
     "this is ReLU: GPT has GELU", killed_by="test_one_layer_agrees_with_torchs")
edit("gpt2_layers", "one-norm-for-both", {'inner = norm(x, w["gain2"], w["shift2"])': 'inner = norm(x, w["gain1"], w["shift1"])'},
     "the first normalisation's weights are used twice", killed_by="test_one_layer_agrees_with_torchs")
edit("gpt2_layers", "no-second-norm", {'inner = norm(x, w["gain2"], w["shift2"]) @': "inner = x @"},
     "the feed-forward network's input is not normalised", killed_by="test_one_layer_agrees_with_torchs")
edit("gpt2_layers", "no-residual-in-attention", {"x = x + attention(": "x = attention("},
     "attention's output replaces the stream: it is added to it", killed_by="test_where_sublayers_give_nothing_the_last_normalisation_alone_is_left")
edit("gpt2_layers", "no-residual-in-feed-forward", {"x = x + functional.gelu(": "x = functional.gelu("},
     "the feed-forward network's output replaces the stream: it is added to it",
     killed_by="test_where_sublayers_give_nothing_the_last_normalisation_alone_is_left")
edit("gpt2_layers", "norm-in-every-layer", {'@ w["w2"] + w["b2"]  # (B, N, d)': '@ w["w2"] + w["b2"]\n        x = norm(x, gain, shift)',
     "return norm(x, gain, shift)": "return x"},
     "the last normalisation stands behind every layer: it comes once, behind the last", killed_by="test_three_layers_agree_with_torchs")
edit("gpt2_layers", "eps", {"eps=1e-5": "eps=1e-12"},
     "1e-12 is added to the variance, as in BERT: GPT adds 1e-5", killed_by="test_small_vectors_show_what_is_added_to_the_variance")


@mistake("gpt2_layers", "post-norm", "the sum is normalised, as in GPT-1: GPT-2 normalises what goes into a sublayer",
         killed_by="test_where_sublayers_give_nothing_the_last_normalisation_alone_is_left")
def gpt2_layers(x, layers, gain, shift):
    size = x.shape[-1:]
    for attention, w in layers:
        x = functional.layer_norm(x + attention(x, causal=True), size, w["gain1"], w["shift1"])
        change = functional.gelu(x @ w["w1"] + w["b1"], approximate="tanh") @ w["w2"] + w["b2"]
        x = functional.layer_norm(x + change, size, w["gain2"], w["shift2"])
    return functional.layer_norm(x, size, gain, shift)


@mistake("gpt2_layers", "norm-in-the-stream", "the sublayer is added to the normalised vectors: the stream itself is not normalised",
         killed_by="test_where_sublayers_give_nothing_the_last_normalisation_alone_is_left")
def gpt2_layers(x, layers, gain, shift):
    size = x.shape[-1:]
    for attention, w in layers:
        x = functional.layer_norm(x, size, w["gain1"], w["shift1"])
        x = x + attention(x, causal=True)
        x = functional.layer_norm(x, size, w["gain2"], w["shift2"])
        x = x + functional.gelu(x @ w["w1"] + w["b1"], approximate="tanh") @ w["w2"] + w["b2"]
    return functional.layer_norm(x, size, gain, shift)


@mistake("gpt2_layers", "parallel", "both sublayers read the same input: the feed-forward network reads what attention has added to",
         killed_by="test_one_layer_agrees_with_torchs")
def gpt2_layers(x, layers, gain, shift):
    size = x.shape[-1:]
    for attention, w in layers:
        first = functional.layer_norm(x, size, w["gain1"], w["shift1"])
        second = functional.layer_norm(x, size, w["gain2"], w["shift2"])
        change = functional.gelu(second @ w["w1"] + w["b1"], approximate="tanh") @ w["w2"] + w["b2"]
        x = x + attention(first, causal=True) + change
    return functional.layer_norm(x, size, gain, shift)


@mistake("gpt2_layers", "first-layer-alone", "only the first layer is used", killed_by="test_three_layers_agree_with_torchs")
def gpt2_layers(x, layers, gain, shift):
    size = x.shape[-1:]
    for attention, w in layers[:1]:
        x = x + attention(functional.layer_norm(x, size, w["gain1"], w["shift1"]), causal=True)
        inner = functional.layer_norm(x, size, w["gain2"], w["shift2"]) @ w["w1"] + w["b1"]
        x = x + functional.gelu(inner, approximate="tanh") @ w["w2"] + w["b2"]
    return functional.layer_norm(x, size, gain, shift)


edit("gpt2_layers", "no-grad", {"def gpt2_layers(": "@torch.no_grad()\ndef gpt2_layers("},
     "nothing is recorded for gradients, so the layers cannot be trained", killed_by="test_gradients_flow_through_both_sublayers")
edit("gpt2_layers", "attention-detached", {'w["shift1"]), causal=True)': 'w["shift1"]), causal=True).detach()'},
     "attention's output is detached: its gradients are missing", killed_by="test_gradients_flow_through_both_sublayers")


edit("gpt2_layers", "eps-of-the-second-norm", {'inner = norm(x, w["gain2"], w["shift2"])': 'inner = functional.layer_norm(x, x.shape[-1:], w["gain2"], w["shift2"], eps=1e-12)'},
     "in front of the feed-forward network 1e-12 is added to the variance: every normalisation adds 1e-5",
     killed_by="test_small_vectors_show_what_is_added_to_the_variance")
edit("gpt2_layers", "tanh-by-exponentials", {'functional.gelu(inner, approximate="tanh")':
     "(inner / 2 * (1 + (lambda z: (z.exp() - (-z).exp()) / (z.exp() + (-z).exp()))(0.7978845608 * (inner + 0.044715 * inner**3))))"},
     "tanh is computed by exponentials, which overflow for large numbers: use torch.tanh or functional.gelu", killed_by="test_gelu_takes_large_numbers")
edit("gpt2_layers", "float32", {"return norm(x, gain, shift)": "return norm(x, gain, shift).float()"},
     "the result is float32, whatever x was: it keeps its type", killed_by="test_numbers_of_double_precision_stay_so")
edit("gpt2_layers", "weights-detached", {'@ w["w2"] +': '@ w["w2"].detach() +'},
     "a weight is detached: it cannot be trained", killed_by="test_every_weight_of_a_layer_can_be_trained")


# shrink_residuals
@alternative("shrink_residuals", "copy-then-replace")
def shrink_residuals(weights, layers):
    made = dict(weights)
    for name in made:
        if "attention.project_out.weight" in name or "feed_forward.2.weight" in name:
            made[name] = made[name] / math.sqrt(layers * 2)
    return made


@alternative("shrink_residuals", "clones")
def shrink_residuals(weights, layers):
    made = {name: tensor.clone() for name, tensor in weights.items()}
    for name, tensor in made.items():
        if name.split(".", 2)[-1] in {"attention.project_out.weight", "feed_forward.2.weight"}:
            tensor.mul_((2 * layers) ** -0.5)
    return made


edit("shrink_residuals", "one-sum-a-block", {"math.sqrt(2 * layers)": "math.sqrt(layers)"},
     "N is taken for the number of blocks: each block has two residual sums", killed_by="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
edit("shrink_residuals", "no-root", {"1 / math.sqrt(2 * layers)": "1 / (2 * layers)"},
     "the factor is 1/N: it is 1/√N", killed_by="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
edit("shrink_residuals", "grown", {"1 / math.sqrt(2 * layers)": "math.sqrt(2 * layers)"},
     "the weights are multiplied by √N: they are divided by it", killed_by="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
edit("shrink_residuals", "attention-alone", {', "feed_forward.2.weight")': ",)"},
     "the feed-forward network's projection is not shrunk", killed_by="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
edit("shrink_residuals", "feed-forward-alone", {'("attention.project_out.weight", "feed_forward.2.weight")': '("feed_forward.2.weight",)'},
     "attention's projection is not shrunk", killed_by="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
edit("shrink_residuals", "everything", {"tensor * factor if name.endswith(residual) else tensor": "tensor * factor"},
     "every tensor is shrunk: only residual projections are", killed_by="test_everything_else_stays_as_it_is")
edit("shrink_residuals", "inner-projections", {'"attention.project_out.weight", "feed_forward.2.weight"': '"attention.project_out.weight", "feed_forward.2.weight", "attention.project_in.weight", "feed_forward.0.weight"'},
     "projections that do not write into the stream are shrunk, too", killed_by="test_everything_else_stays_as_it_is")
edit("shrink_residuals", "biases", {'"feed_forward.2.weight")': '"feed_forward.2.weight", "attention.project_out.bias", "feed_forward.2.bias")'},
     "biases are shrunk, too: they stay as they are", killed_by="test_everything_else_stays_as_it_is")
edit("shrink_residuals", "only-the-shrunk", {"for name, tensor in weights.items()}": "for name, tensor in weights.items() if name.endswith(residual)}"},
     "the other tensors are missing in the result", killed_by="test_everything_else_stays_as_it_is")


@mistake("shrink_residuals", "falls-with-the-layer", "the factor falls from layer to layer: it is one for all, N being the number of all sums",
         killed_by="test_the_factor_is_one_for_all_layers")
def shrink_residuals(weights, layers):
    made = dict(weights)
    for name in made:
        if name.endswith(("attention.project_out.weight", "feed_forward.2.weight")):
            made[name] = made[name] / math.sqrt(2 * (int(name.split(".")[1]) + 1))
    return made


@mistake("shrink_residuals", "counts-what-it-is-given", "N is counted from the weights that are given: `layers` says how many blocks there are",
         killed_by="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
def shrink_residuals(weights, layers):
    names = [name for name in weights if name.endswith(("attention.project_out.weight", "feed_forward.2.weight"))]
    return {name: tensor / math.sqrt(len(names)) if name in names else tensor for name, tensor in weights.items()}


@mistake("shrink_residuals", "in-place", "the weights that were given are changed: make new ones",
         killed_by="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
def shrink_residuals(weights, layers):
    for name, tensor in weights.items():
        if name.endswith(("attention.project_out.weight", "feed_forward.2.weight")):
            tensor *= 1 / math.sqrt(2 * layers)
    return weights


edit("shrink_residuals", "any-2-weight", {'"feed_forward.2.weight")': '"2.weight")'},
     "every name that ends in 2.weight is taken for the feed-forward network's projection", killed_by="test_names_that_end_in_a_part_of_it_are_others")
edit("shrink_residuals", "any-out-weight", {'("attention.project_out.weight"': '("out.weight"'},
     "every name that ends in out.weight is taken for attention's projection", killed_by="test_names_that_end_in_a_part_of_it_are_others")
edit("shrink_residuals", "float32", {"tensor * factor if": "tensor.float() * factor if"},
     "the shrunk weights are float32, whatever they were: they keep their type", killed_by="test_tensors_stay_tensors_of_their_type")
edit("shrink_residuals", "numpy", {"tensor * factor if": "tensor.numpy() * factor if"},
     "the shrunk weights are numpy arrays: no model loads them", killed_by="test_tensors_stay_tensors_of_their_type")


edit("shrink_residuals", "others-float32", {"else tensor for": "else tensor.float() for"},
     "the other tensors are float32, whatever they were: they stay as they are", killed_by="test_tensors_stay_tensors_of_their_type")


# gpt_parameters
@alternative("gpt_parameters", "the-polynomial")
def gpt_parameters(vocabulary, positions, width, layers, final_norm=True):
    return (vocabulary + positions) * width + layers * (12 * width**2 + 13 * width) + 2 * width * int(final_norm)


@alternative("gpt_parameters", "part-by-part")
def gpt_parameters(vocabulary, positions, width, layers, final_norm=True):
    count = vocabulary * width
    count += positions * width
    for _ in range(layers):
        count += 3 * (width * width + width) + width * width + width  # attention
        count += width * 4 * width + 4 * width + 4 * width * width + width  # feed-forward network
        count += 2 * (width + width)
    if final_norm:
        count += width + width
    return count


edit("gpt_parameters", "output-matrix", {"total = (vocabulary + positions) * width": "total = (2 * vocabulary + positions) * width"},
     "the output's matrix is counted again: it is the token table", killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "segments", {"(vocabulary + positions) * width": "(vocabulary + positions + 2) * width"},
     "segments are counted: GPT has none", killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "no-positions", {"(vocabulary + positions) * width": "vocabulary * width"},
     "the table of positions is missing: GPT learns it", killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "no-biases", {"return a * b + b": "return a * b"},
     "the biases are missing", killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "one-norm", {"2 * norm)": "norm)"}, "a block has two normalisations",
     killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "norm-without-shift", {"norm = 2 * width": "norm = width"},
     "a normalisation has a gain and a shift", killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "always-a-last-norm", {"return total + norm if final_norm else total": "return total + norm"},
     "a last normalisation is counted where there is none, as in GPT-1", killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "never-a-last-norm", {"return total + norm if final_norm else total": "return total"},
     "the last normalisation is missing", killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "last-norm-in-each-block", {"layers * (attention + feed_forward + 2 * norm)": "layers * (attention + feed_forward + (3 if final_norm else 2) * norm)",
     "return total + norm if final_norm else total": "return total"},
     "the last normalisation is counted in every block: it is one", killed_by="test_gpt_2_in_four_sizes")
edit("gpt_parameters", "cross-attention", {"layers * (attention +": "layers * (2 * attention +"},
     "cross-attention is counted: GPT has none", killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "no-output-projection", {" + linear(width, width)": ""},
     "attention's output projection is missing", killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "embedding-norm", {"(vocabulary + positions) * width +": "(vocabulary + positions) * width + norm +"},
     "the embeddings are normalised, as in BERT: in GPT they are not", killed_by="test_a_small_model_counted_by_hand")
edit("gpt_parameters", "a-block-at-least", {"layers * (attention +": "max(layers, 1) * (attention +"},
     "a model without blocks is counted with one", killed_by="test_a_model_without_blocks_has_tables_and_the_last_normalisation")


@mistake("gpt_parameters", "int32", "the count does not fit in 32 bits: Python's whole numbers have no end",
         killed_by="test_the_count_may_be_larger_than_32_bits_hold")
def gpt_parameters(vocabulary, positions, width, layers, final_norm=True):
    v, p, d, n = torch.tensor([vocabulary, positions, width, layers], dtype=torch.int32)
    return int((v + p) * d + n * (12 * d * d + 13 * d)) + 2 * width * int(final_norm)


edit("gpt_parameters", "through-a-float", {"return total + norm if final_norm else total": "return int(float(total + norm if final_norm else total))"},
     "the count goes through a float, which holds 53 bits: count in whole numbers", killed_by="test_the_count_may_be_larger_than_32_bits_hold")


# task_rows
@alternative("task_rows", "a-helper")
def task_rows(task, texts, start, delimiter, extract):
    def row(*parts):
        ids = [start]
        for number, part in enumerate(parts):
            if number > 0:
                ids.append(delimiter)
            ids.extend(part)
        return ids + [extract]

    if task == "classification":
        return [row(texts[0])]
    if task == "entailment":
        return [row(texts[0], texts[1])]
    if task == "similarity":
        return [row(texts[0], texts[1]), row(texts[1], texts[0])]
    return [row(texts[0], choice) for choice in texts[1:]]


@alternative("task_rows", "match")
def task_rows(task, texts, start, delimiter, extract):
    match task, texts:
        case "classification", [text]:
            return [[start] + list(text) + [extract]]
        case "similarity", [a, b]:
            return [[start, *a, delimiter, *b, extract], [start, *b, delimiter, *a, extract]]
        case _, [context, *others]:
            return [[start, *context, delimiter, *other, extract] for other in others]


edit("task_rows", "one-order", {"orders = [texts, texts[::-1]]": "orders = [texts]"},
     "similarity is read in one order alone", killed_by="test_similarity_has_both_orders")
edit("task_rows", "entailment-both-ways", {'if task == "similarity":': 'if task in ("similarity", "entailment"):'},
     "entailment is read in both orders: premise and hypothesis have one", killed_by="test_entailment_is_premise_delimiter_hypothesis")
edit("task_rows", "same-order-twice", {"texts[::-1]": "texts"}, "both rows of similarity have the same order",
     killed_by="test_similarity_has_both_orders")
edit("task_rows", "reversed-tokens", {"orders = [texts, texts[::-1]]": "orders = [texts, [text[::-1] for text in texts]]"},
     "the tokens of each sentence are reversed: the sentences change places", killed_by="test_similarity_has_both_orders")
edit("task_rows", "no-extract", {"rows.append([*row, extract])": "rows.append(row)"}, "the extract token is missing",
     killed_by="test_classification_is_one_text_between_start_and_extract")
edit("task_rows", "no-start", {"row = [start, *first]": "row = [*first]"}, "the start token is missing",
     killed_by="test_classification_is_one_text_between_start_and_extract")
edit("task_rows", "no-delimiter", {"row += [delimiter, *text]": "row += text"}, "nothing separates the two texts",
     killed_by="test_entailment_is_premise_delimiter_hypothesis")
edit("task_rows", "delimiter-at-the-end", {"row += [delimiter, *text]": "row += [*text, delimiter]"},
     "the delimiter stands behind the second text: it stands between the two", killed_by="test_entailment_is_premise_delimiter_hypothesis")
edit("task_rows", "as-in-bert", {"row = [start, *first]": "row = [extract, *first]", "rows.append([*row, extract])": "rows.append(row)"},
     "the extract token stands in front, as BERT's [CLS]: there it has seen nothing", killed_by="test_classification_is_one_text_between_start_and_extract")
edit("task_rows", "choices-in-one-row", {"orders = [(texts[0], choice) for choice in texts[1:]]": "orders = [texts]"},
     "all choices stand in one row: each has its own", killed_by="test_each_choice_is_read_with_the_context")
edit("task_rows", "choices-alone", {"[(texts[0], choice) for": "[(choice,) for"}, "the choices are read without the context",
     killed_by="test_each_choice_is_read_with_the_context")
edit("task_rows", "context-is-a-choice", {"in texts[1:]]": "in texts]"}, "the context is read as a choice, too",
     killed_by="test_each_choice_is_read_with_the_context")
edit("task_rows", "choice-first", {"(texts[0], choice)": "(choice, texts[0])"}, "the choice stands before the context",
     killed_by="test_each_choice_is_read_with_the_context")
edit("task_rows", "four-choices", {"in texts[1:]]": "in texts[1:5]]"},
     "only the first four choices are read: there may be more", killed_by="test_there_may_be_one_choice_or_many")


edit("task_rows", "equal-sentences-once", {"orders = [texts, texts[::-1]]": "orders = [texts] if texts[0] == texts[1] else [texts, texts[::-1]]"},
     "two equal sentences give one row: there are always two", killed_by="test_equal_texts_are_written_each_for_itself")
edit("task_rows", "equal-choices-once", {"orders = [(texts[0], choice) for choice in texts[1:]]": "orders = [(texts[0], choice) for choice in dict.fromkeys(map(tuple, texts[1:]))]"},
     "equal choices give one row: each choice has its own", killed_by="test_equal_texts_are_written_each_for_itself")
edit("task_rows", "no-delimiter-0", {"row += [delimiter, *text]": "row += [delimiter, *text] if delimiter else text"},
     "a delimiter of id 0 is taken for none", killed_by="test_any_texts_are_written_as_in_the_papers_figure")
edit("task_rows", "cut-at-512", {"rows.append([*row, extract])": "rows.append([*row[:511], extract])"},
     "rows are cut at 512 tokens: nothing says so", killed_by="test_a_long_text_is_written_whole")


# extract_vectors
@alternative("extract_vectors", "by-place")
def extract_vectors(hidden, tokens, extract):
    place = (tokens == extract).int().argmax(dim=1)  # (R,)
    return hidden[torch.arange(len(tokens), device=tokens.device), place]


@alternative("extract_vectors", "weighted-sum")
def extract_vectors(hidden, tokens, extract):
    return ((tokens == extract)[..., None] * hidden).sum(dim=1)


@alternative("extract_vectors", "loop")
def extract_vectors(hidden, tokens, extract):
    return torch.stack([vectors[row.tolist().index(extract)] for vectors, row in zip(hidden, tokens)])


edit("extract_vectors", "last-place", {"hidden[tokens == extract]": "hidden[:, -1]"},
     "the last place is read: for a short text that is padding", killed_by="test_texts_of_unlike_length_are_read_at_their_own_end")
edit("extract_vectors", "first-place", {"hidden[tokens == extract]": "hidden[:, 0]"},
     "the first place is read, as in BERT: in GPT it has seen nothing", killed_by="test_texts_of_unlike_length_are_read_at_their_own_end")
edit("extract_vectors", "greatest-id", {"hidden[tokens == extract]": "hidden[torch.arange(len(tokens)), tokens.argmax(dim=1)]"},
     "the greatest id is taken for the extract token", killed_by="test_neither_extract_nor_padding_need_be_the_greatest_id")
edit("extract_vectors", "mean", {"hidden[tokens == extract]": "hidden.mean(dim=1)"},
     "this is the mean over all places, padding included", killed_by="test_texts_of_unlike_length_are_read_at_their_own_end")
edit("extract_vectors", "before-extract", {"hidden[tokens == extract]": "hidden[:, :-1][(tokens == extract)[:, 1:]]"},
     "the place before the extract token is read", killed_by="test_texts_of_unlike_length_are_read_at_their_own_end")
edit("extract_vectors", "padding-is-0", {"hidden[tokens == extract]": "hidden[torch.arange(len(tokens)), (tokens != 0).sum(dim=1) - 1]"},
     "the last id that is not 0 is taken for the extract token", killed_by="test_neither_extract_nor_padding_need_be_the_greatest_id")
edit("extract_vectors", "squeezed", {"hidden[tokens == extract]": "hidden[tokens == extract].squeeze(0)"},
     "a batch of one loses its first dimension", killed_by="test_a_batch_of_one_is_still_a_batch")
edit("extract_vectors", "detached", {"hidden[tokens == extract]": "hidden[tokens == extract].detach()"},
     "the vectors are detached: the model cannot be trained by them", killed_by="test_gradients_reach_the_vectors_that_are_read")
edit("extract_vectors", "float64", {"hidden[tokens == extract]": "hidden.double()[tokens == extract]"},
     "the vectors are float64, whatever they were: the linear layer takes its own type alone", killed_by="test_the_vectors_keep_their_type")


edit("extract_vectors", "cut-at-512", {"hidden[tokens == extract]": "hidden[:, :512][(tokens == extract)[:, :512]]"},
     "only the first 512 places are looked at", killed_by="test_many_long_rows_are_read")


# task_scores
@alternative("task_scores", "reshape-and-matrices")
def task_scores(task, vectors, rows, weight, bias):
    if task == "similarity":
        vectors = vectors[0::2] + vectors[1::2]  # (B, H)
    scores = vectors @ weight.T + bias
    return scores.reshape(-1, rows) if task == "choice" else scores


@alternative("task_scores", "einsum")
def task_scores(task, vectors, rows, weight, bias):
    three = vectors.reshape(-1, rows, vectors.size(-1))  # (B, rows, H)
    if task == "choice":
        return torch.einsum("brh,h->br", three, weight[0]) + bias
    return torch.einsum("brh,kh->bk", three, weight) + bias


@alternative("task_scores", "loop")
def task_scores(task, vectors, rows, weight, bias):
    examples = []
    for some in vectors.split(rows):
        if task == "choice":
            examples.append(torch.cat([weight @ one + bias for one in some]))
        else:
            examples.append(weight @ sum(some) + bias)
    return torch.stack(examples)


edit("task_scores", "scores-are-added", {"functional.linear(by_example.sum(dim=1), weight, bias)": "functional.linear(by_example, weight, bias).sum(dim=1)"},
     "the scores of both orders are added, so the bias counts twice: the vectors are added before the layer",
     killed_by="test_the_vectors_of_both_orders_are_added_before_the_layer")
edit("task_scores", "mean", {"by_example.sum(dim=1)": "by_example.mean(dim=1)"},
     "the mean of the two vectors is taken: they are added", killed_by="test_the_vectors_of_both_orders_are_added_before_the_layer")
edit("task_scores", "first-order-alone", {"by_example.sum(dim=1)": "by_example[:, 0]"},
     "only the first order is used", killed_by="test_the_vectors_of_both_orders_are_added_before_the_layer")
edit("task_scores", "maximum", {"by_example.sum(dim=1)": "by_example.amax(dim=1)"},
     "the greater number of the two vectors is taken in each dimension: they are added", killed_by="test_the_vectors_of_both_orders_are_added_before_the_layer")
edit("task_scores", "orders-in-blocks", {"vectors.unflatten(0, (-1, rows))": "vectors.unflatten(0, (rows, -1)).transpose(0, 1)"},
     "the rows of one example are looked for a batch apart: they stand side by side", killed_by="test_the_choices_of_one_example_stand_side_by_side")
edit("task_scores", "no-bias", {"by_example.sum(dim=1), weight, bias)": "by_example.sum(dim=1), weight)"}, "the bias is missing",
     killed_by="test_one_row_goes_through_the_linear_layer")
edit("task_scores", "choices-with-a-dimension", {"weight, bias)[..., 0]": "weight, bias)"},
     "the scores of choices are (B, C, 1): (B, C) is asked for", killed_by="test_the_choices_of_one_example_stand_side_by_side")
edit("task_scores", "all-squeezed", {"weight, bias)[..., 0]": "weight, bias).squeeze()"},
     "a batch of one loses its first dimension", killed_by="test_any_vectors_get_the_scores_of_loops")
edit("task_scores", "choices-flat", {"weight, bias)[..., 0]": "weight, bias).flatten()"},
     "the scores of all choices stand in one row: (B, C) is asked for", killed_by="test_the_choices_of_one_example_stand_side_by_side")
edit("task_scores", "probabilities", {"weight, bias)  # (B, K)": "weight, bias).softmax(dim=-1)"},
     "these are probabilities: scores are asked for", killed_by="test_one_row_goes_through_the_linear_layer")
edit("task_scores", "two-rows-are-similarity", {'if task == "choice":': "if rows > 2:"},
     "two rows are taken for two orders: they may be two choices", killed_by="test_two_choices_are_not_a_pair_of_orders")


edit("task_scores", "one-choice-squeezed", {"weight, bias)[..., 0]": "weight, bias)[..., 0].squeeze(1)"},
     "where there is one choice its dimension is lost: (B, 1) is asked for", killed_by="test_any_vectors_get_the_scores_of_loops")


# fine_tuning_loss
@alternative("fine_tuning_loss", "by-hand")
def fine_tuning_loss(scores, labels, logits, tokens, real, weight=0.5):
    right = scores.log_softmax(dim=-1).gather(1, labels[:, None])  # (B, 1)
    return -right.mean() + next_token_loss(logits, tokens, real) * weight


@alternative("fine_tuning_loss", "without-the-exercise-above")
def fine_tuning_loss(scores, labels, logits, tokens, real, weight=0.5):
    targets = tokens[:, 1:].masked_fill(~real[:, 1:], -100)
    language = functional.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())
    return nn.CrossEntropyLoss()(scores, labels) + weight * language


edit("fine_tuning_loss", "shares", {"return task + weight *": "return (1 - weight) * task + weight *"},
     "the task's loss is weighted by 1 − λ: it counts in full", killed_by="test_the_language_model_counts_half")
edit("fine_tuning_loss", "weight-on-the-task", {"return task + weight * next_token_loss": "return weight * task + next_token_loss"},
     "λ multiplies the task's loss: it multiplies the other", killed_by="test_the_language_model_counts_half")
edit("fine_tuning_loss", "no-weight", {"return task + weight * ": "return task + "}, "λ is missing",
     killed_by="test_the_language_model_counts_half")
edit("fine_tuning_loss", "always-half", {"weight * next": "0.5 * next"}, "λ is always a half: it is given",
     killed_by="test_another_weight_may_be_given")
edit("fine_tuning_loss", "minus", {"task + weight": "task - weight"},
     "the language model's loss is subtracted, as if it were a likelihood", killed_by="test_the_language_model_counts_half")
edit("fine_tuning_loss", "task-alone", {"return task + weight * next_token_loss(logits, tokens, real)": "return task"},
     "the language model's loss is missing", killed_by="test_the_language_model_counts_half")
edit("fine_tuning_loss", "padding", {"next_token_loss(logits, tokens, real)": "next_token_loss(logits, tokens, torch.ones_like(real))"},
     "padding is asked for as if it were text", killed_by="test_an_example_may_have_several_rows_and_padding")
edit("fine_tuning_loss", "sum-of-examples", {"functional.cross_entropy(scores, labels)": 'functional.cross_entropy(scores, labels, reduction="sum")'},
     "the task's losses are added up: their mean is asked for", killed_by="test_an_example_may_have_several_rows_and_padding")
edit("fine_tuning_loss", "first-rows", {"next_token_loss(logits, tokens, real)": "next_token_loss(logits[: len(labels)], tokens[: len(labels)], real[: len(labels)])"},
     "only as many rows as examples are read: there are more", killed_by="test_an_example_may_have_several_rows_and_padding")
edit("fine_tuning_loss", "log-of-softmax", {"functional.cross_entropy(scores, labels)": "-scores.softmax(dim=-1).log()[torch.arange(len(labels)), labels].mean()"},
     "the logarithm of a softmax is −∞ where the probability rounds to 0: use log_softmax or cross_entropy", killed_by="test_scores_may_be_far_apart")
edit("fine_tuning_loss", "epsilon", {"functional.cross_entropy(scores, labels)": "-(scores.softmax(dim=-1) + 1e-8).log()[torch.arange(len(labels)), labels].mean()"},
     "a small number beside the softmax hides what costs more than 18 nats", killed_by="test_scores_may_be_far_apart")
edit("fine_tuning_loss", "clipped", {"next_token_loss(logits, tokens, real)": "next_token_loss(logits, tokens, real).clamp(max=10)"},
     "the language model's loss is cut off at 10 nats: beyond that it learns nothing", killed_by="test_tokens_may_cost_as_much_as_they_like")


edit("fine_tuning_loss", "logits-clipped", {"next_token_loss(logits, tokens, real)": "next_token_loss(logits.clamp(-1000, 1000), tokens, real)"},
     "logits are cut off at 1,000: only their differences count", killed_by="test_tokens_may_cost_as_much_as_they_like")


# text_scores
@alternative("text_scores", "powers-of-two")
def text_scores(nats, text):
    bits = nats / math.log(2)
    return 2 ** (bits / len(text.split())), bits / len(bytes(text, "utf-8"))


@alternative("text_scores", "counted-by-hand")
def text_scores(nats, text):
    words = sum(1 for word in text.replace("\n", " ").replace("\t", " ").split(" ") if word)
    return [math.e ** (nats / words), nats * math.log2(math.e) / len(text.encode("utf-8"))]


edit("text_scores", "characters", {"len(text.encode())": "len(text)"},
     "characters are counted: a Korean syllable has three bytes", killed_by="test_a_korean_syllable_has_three_bytes")
edit("text_scores", "nats-per-byte", {"nats / math.log(2) / size": "nats / size"},
     "this is in nats per byte: bits are asked for", killed_by="test_an_english_text_counted_by_hand")
edit("text_scores", "times-ln-2", {"nats / math.log(2) / size": "nats * math.log(2) / size"},
     "nats are multiplied by ln 2: they are divided by it", killed_by="test_an_english_text_counted_by_hand")
edit("text_scores", "blanks", {"text.split()": 'text.split(" ")'},
     "words are cut at each blank: several in a row make empty words, and line ends cut none", killed_by="test_blanks_and_line_ends_in_a_row_separate_once")
edit("text_scores", "without-blanks", {"len(text.encode())": 'len("".join(text.split()).encode())'},
     "blanks are not counted among the bytes: they are", killed_by="test_an_english_text_counted_by_hand")
edit("text_scores", "per-byte-for-words", {"math.exp(nats / words)": "math.exp(nats / size)"},
     "this is the perplexity per byte", killed_by="test_an_english_text_counted_by_hand")
edit("text_scores", "loss-per-word", {"math.exp(nats / words)": "nats / words"},
     "the exponential is missing: this is the loss per word", killed_by="test_an_english_text_counted_by_hand")
edit("text_scores", "bits-in-the-exponential", {"math.exp(nats / words)": "math.exp(nats / math.log(2) / words)"},
     "bits are put into e to the power: nats belong there", killed_by="test_an_english_text_counted_by_hand")
edit("text_scores", "a-word-more", {"len(text.split())": "len(text.split()) + 1"},
     "there is a word too many", killed_by="test_an_english_text_counted_by_hand")
edit("text_scores", "root-of-the-exponential", {"math.exp(nats / words)": "math.exp(nats) ** (1 / words)"},
     "the exponential of a whole text's nats overflows: divide first", killed_by="test_a_long_text_costs_thousands_of_nats")
edit("text_scores", "float32", {"math.exp(nats / words)": "torch.tensor(nats / words).exp().item()"},
     "the exponential is computed in float32, where it is infinite from 89 on", killed_by="test_a_word_may_be_very_dear")
edit("text_scores", "case-folded", {"len(text.encode())": "len(text.casefold().encode())"},
     "the bytes are those of the text in lower case: count them as it is written", killed_by="test_the_text_is_counted_as_it_is_written")


@mistake("text_scores", "normal-form", "the bytes are those of the text in a normal form: count them as it is written",
         killed_by="test_the_text_is_counted_as_it_is_written")
def text_scores(nats, text):
    import unicodedata

    size = len(unicodedata.normalize("NFC", text).encode())
    return math.exp(nats / len(text.split())), nats / math.log(2) / size


edit("text_scores", "rounded", {"nats / math.log(2) / size": "round(nats / math.log(2) / size, 4)"},
     "bits per byte are rounded: they may be few", killed_by="test_a_long_text_may_cost_nearly_nothing")
edit("text_scores", "letters-and-digits", {"len(text.split())": 'len(__import__("re").findall(r"\\w+", text))'},
     "words are runs of letters and digits: they are what white space separates", killed_by="test_the_text_is_counted_as_it_is_written")
edit("text_scores", "tensors", {"math.exp(nats / words)": "torch.tensor(nats / words, dtype=torch.float64).exp()"},
     "the perplexity is a tensor: a float is asked for", killed_by="test_a_word_may_be_very_dear")


# what no input can tell from the reference
equivalent("gpt2_layers", "2: functional.layer_norm(vectors, vectors.shape[-1:], gain, shift, eps=1e-05) → functional.layer_norm(vectors, vectors.shape[-1:], gain, shift)",
           "1e-5 is what torch adds unless told otherwise")
equivalent("shrink_residuals", "2: ('attention.project_out.weight', 'feed_forward.2.weight') → ('feed_forward.2.weight', 'attention.project_out.weight')",
           "a name may end in one of the two, in any order")
equivalent("task_scores", "3: functional.linear(by_example, weight, bias)[..., 0] → functional.linear(by_example, weight, bias)[..., -1]",
           "for choices the layer gives one score, the first and the last")
equivalent("next_token_loss", "2: functional.cross_entropy(logits[:, :-1][asked], tokens[:, 1:][asked]) → functional.cross_entropy(logits[:, :-1][asked], tokens[:, 1:][asked]).squeeze()", "a mean has no dimension")
equivalent("task_rows", "10: others → __import__('itertools').islice(others, 10)", "behind the first text of a row stands one at most")
equivalent("fine_tuning_loss", "2: task + weight * next_token_loss(logits, tokens, real) → (task + weight * next_token_loss(logits, tokens, real)).squeeze()", "a sum of two means has no dimension")
equivalent("text_scores", "1: text.split() → text.lower().split()", "here words are only counted, and lower neither makes nor takes a blank")
equivalent("text_scores", "1: text.split() → text.strip().split()", "split drops the blanks at both ends in any case")
equivalent("text_scores", "1: text.split() → __import__('unicodedata').normalize('NFC', text).split()",
           "here words are only counted, and composing neither makes nor takes a blank")
