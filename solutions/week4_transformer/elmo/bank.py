"""elmo: classic mistakes and other right ways, for each exercise. Never released."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, one_hot

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# bigram_probabilities
@alternative("bigram_probabilities", "counter")
def bigram_probabilities(sentences, size, k=0.1):
    pairs = Counter(pair for ids in sentences for pair in pairwise(ids))
    starts = Counter(token for ids in sentences for token in ids[:-1])
    return torch.tensor([[(pairs[a, b] + k) / (starts[a] + k * size) for b in range(size)] for a in range(size)])


@alternative("bigram_probabilities", "bincount")
def bigram_probabilities(sentences, size, k=0.1):
    cells = [a * size + b for ids in sentences for a, b in pairwise(ids)]
    counts = torch.bincount(torch.tensor(cells, dtype=torch.int64), minlength=size * size).view(size, size) + k
    return counts / counts.sum(dim=1, keepdim=True)


@alternative("bigram_probabilities", "starts-at-k-in-float64")
def bigram_probabilities(sentences, size, k=0.1):
    table = np.full((size, size), float(k))
    for ids in sentences:
        np.add.at(table, (ids[:-1], ids[1:]), 1) if len(ids) > 1 else None
    return torch.from_numpy(table / table.sum(axis=1)[:, None])


edit("bigram_probabilities", "not-smoothed", {"(counts + k)": "counts", " + k * size": ""},
     "nothing is added to the counts: a pair that never occurred gets 0, and a token that begins no pair 0 / 0",
     killed_by="test_k_is_added_to_every_pair_and_its_total_to_the_row")
edit("bigram_probabilities", "total-not-raised", {" + k * size": ""},
     "what was added to the counts is missing in the total, so a row sums to more than 1",
     killed_by="test_k_is_added_to_every_pair_and_its_total_to_the_row")
edit("bigram_probabilities", "total-raised-once", {"k * size": "k"},
     "the total grows by k alone: k was added to each of V counts",
     killed_by="test_k_is_added_to_every_pair_and_its_total_to_the_row")
edit("bigram_probabilities", "one-added", {"(counts + k)": "(counts + 1)", "k * size": "size"},
     "1 is added, whatever k says", killed_by="test_k_is_added_to_every_pair_and_its_total_to_the_row")
edit("bigram_probabilities", "columns", {"dim=1": "dim=0"},
     "the columns sum to 1: row a must be what follows a",
     killed_by="test_a_pair_has_its_share_of_the_pairs_that_begin_alike")
edit("bigram_probabilities", "turned-round", {"[first, second]": "[second, first]"},
     "rows and columns are exchanged: this is what stands before a token",
     killed_by="test_a_pair_has_its_share_of_the_pairs_that_begin_alike")
edit("bigram_probabilities", "share-of-all-pairs",
     {"counts.sum(dim=1, keepdim=True) + k * size": "counts.sum() + k * size**2"},
     "the share is that of all pairs: P(a b) in place of P(b | a)",
     killed_by="test_a_pair_has_its_share_of_the_pairs_that_begin_alike")
edit("bigram_probabilities", "sentences-joined",
     {"for ids in sentences:": "for ids in [[i for ids in sentences for i in ids]]:"},
     "the sentences are strung together, so pairs reach from one into the next",
     killed_by="test_no_pair_reaches_over_the_end_of_a_sentence")
edit("bigram_probabilities", "divided-by-occurrences",
     {"for ids in sentences:": "starts = torch.zeros(size, 1)\n    for ids in sentences:\n        for i in ids:\n            starts[i] += 1",
      "counts.sum(dim=1, keepdim=True)": "starts"},
     "the total counts every occurrence of a: the last token of a sentence begins no pair",
     killed_by="test_a_pair_has_its_share_of_the_pairs_that_begin_alike")

edit("bigram_probabilities", "counted-in-16-bits", {"torch.zeros(size, size)": "torch.zeros(size, size, dtype=torch.int16)"},
     "counts are kept in 16 bits, which begin anew after 32,767",
     killed_by="test_a_pair_may_be_very_frequent_and_k_very_small")
edit("bigram_probabilities", "a-floor", {"(counts + k)": "(counts + max(k, 1e-4))"},
     "k is at least 0.0001: it is what is given", killed_by="test_a_pair_may_be_very_frequent_and_k_very_small")


@mistake("bigram_probabilities", "repeats-counted-once",
         "a pair that occurs again in a sentence is counted once: `counts[a, b] += 1` with tensors of indices adds 1 to a cell, however often it is named",
         killed_by="test_a_pair_has_its_share_of_the_pairs_that_begin_alike")
def bigram_probabilities(sentences, size, k=0.1):
    counts = torch.full((size, size), float(k))
    for ids in sentences:
        ids = torch.tensor(ids)
        counts[ids[:-1], ids[1:]] += 1
    return counts / counts.sum(dim=1, keepdim=True)


# perplexity
@alternative("perplexity", "tensor-mean")
def perplexity(log_probabilities):
    return float((-torch.tensor([value for s in log_probabilities for value in s], dtype=torch.float64).mean()).exp())


@alternative("perplexity", "running-totals-in-bits")
def perplexity(log_probabilities):
    bits, tokens = 0.0, 0
    for sentence in log_probabilities:
        bits -= math.fsum(sentence) / math.log(2)
        tokens += len(sentence)
    return 2 ** (bits / tokens)


@alternative("perplexity", "numpy-concatenated")
def perplexity(log_probabilities):
    return np.exp(-np.concatenate([np.asarray(sentence, dtype=float) for sentence in log_probabilities]).mean())


edit("perplexity", "exp-of-the-sum", {" / len(logs)": ""},
     "exp of the sum: it grows with the text; perplexity has the mean over tokens",
     killed_by="test_equal_chances_give_their_number")
edit("perplexity", "sign-missing", {"-sum": "sum"},
     "the sign is missing: this is the mean probability's size, below 1", killed_by="test_equal_chances_give_their_number")
edit("perplexity", "mean-of-sentences",
     {"-sum(logs) / len(logs)": "-sum(sum(s) / len(s) for s in log_probabilities if s) / len([s for s in log_probabilities if s])"},
     "the mean is taken over sentences: every token counts alike",
     killed_by="test_every_token_counts_alike_in_long_and_short_sentences")
edit("perplexity", "mean-of-perplexities",
     {"math.exp(-sum(logs) / len(logs))": "sum(math.exp(-sum(s) / len(s)) * len(s) for s in log_probabilities if s) / len(logs)"},
     "perplexities of sentences are averaged: average the logarithms, then take exp",
     killed_by="test_every_token_counts_alike_in_long_and_short_sentences")
edit("perplexity", "arithmetic-mean",
     {"math.exp(-sum(logs) / len(logs))": "len(logs) / sum(math.exp(value) for value in logs)"},
     "one over the arithmetic mean of the probabilities: the geometric mean was asked for",
     killed_by="test_it_is_the_geometric_mean_of_the_inverse_probabilities")
edit("perplexity", "mean-inverse",
     {"math.exp(-sum(logs) / len(logs))": "sum(math.exp(-value) for value in logs) / len(logs)"},
     "the mean of 1 / p: the geometric mean was asked for",
     killed_by="test_it_is_the_geometric_mean_of_the_inverse_probabilities")
edit("perplexity", "two-to-the-nats", {"math.exp(-sum(logs) / len(logs))": "2 ** (-sum(logs) / len(logs))"},
     "2 to the power of nats: natural logarithms belong to exp", killed_by="test_equal_chances_give_their_number")
edit("perplexity", "product-of-probabilities",
     {"math.exp(-sum(logs) / len(logs))": "math.prod(math.exp(value) for value in logs) ** (-1 / len(logs))"},
     "the probabilities are multiplied: of a long text the product is 0 in floating point",
     killed_by="test_the_probability_of_a_long_text_may_be_below_all_floats")
edit("perplexity", "cross-entropy", {"math.exp(-sum(logs) / len(logs))": "-sum(logs) / len(logs)"},
     "this is the loss in nats: perplexity is its exp", killed_by="test_equal_chances_give_their_number")
edit("perplexity", "tensor-returned", {"math.exp(-sum(logs) / len(logs))": "torch.tensor(-sum(logs) / len(logs)).exp()"},
     "a tensor is returned: a float was asked for", killed_by="test_the_perplexity_is_a_plain_number")


edit("perplexity", "logarithms-floored", {"for value in sentence]": "for value in (max(v, -50) for v in sentence)]"},
     "a token costs at most 50 nats: it costs what its probability says",
     killed_by="test_any_text_has_the_power_of_its_mean_logarithm")


# lstm_step
@alternative("lstm_step", "gates-one-by-one")
def lstm_step(x, h, c, weight_x, weight_h, bias):
    m = h.shape[1]
    rows = [slice(n * m, (n + 1) * m) for n in range(4)]
    i, f, g, o = (x @ weight_x[r].T + h @ weight_h[r].T + bias[r] for r in rows)
    new = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(new), new


@alternative("lstm_step", "cell-of-torch")
def lstm_step(x, h, c, weight_x, weight_h, bias):
    cell = nn.LSTMCell(x.shape[1], h.shape[1])
    cell.load_state_dict({"weight_ih": weight_x, "weight_hh": weight_h, "bias_ih": bias, "bias_hh": 0 * bias})
    with torch.no_grad():
        return cell(x, (h, c))


@alternative("lstm_step", "one-matrix-einsum")
def lstm_step(x, h, c, weight_x, weight_h, bias):
    both = torch.einsum("bd,gd->bg", torch.cat([x, h], 1), torch.cat([weight_x, weight_h], 1)) + bias
    i, f, g, o = both.view(len(x), 4, -1).unbind(1)
    c = c * f.sigmoid() + g.tanh() * i.sigmoid()
    return [c.tanh() * o.sigmoid(), c]


edit("lstm_step", "old-memory-shown", {"h = o.sigmoid() * c.tanh()\n    return h, c": "return h, c",
     "c = f": "h = o.sigmoid() * c.tanh()\n    c = f"},
     "the output is made from the old memory: the new one is shown",
     killed_by="test_the_output_gate_shows_tanh_of_the_new_memory")
edit("lstm_step", "order-i-f-o-g", {"i, f, g, o = ": "i, f, o, g = "},
     "output gate and candidate are exchanged: the order is i, f, g, o",
     killed_by="test_the_input_gate_lets_tanh_of_the_candidate_in")
edit("lstm_step", "gates-interleaved", {"gates.chunk(4, dim=1)": "gates.view(len(x), -1, 4).unbind(2)"},
     "the gates are taken from every fourth row: each has m rows in a block",
     killed_by="test_a_step_agrees_with_torch")
edit("lstm_step", "order-f-i-g-o", {"i, f, g, o = ": "f, i, g, o = "},
     "input and forget gate are exchanged: the order is i, f, g, o",
     killed_by="test_an_open_forget_gate_and_a_closed_input_gate_keep_the_memory")
edit("lstm_step", "no-tanh-at-the-end", {"c.tanh()": "c"},
     "the memory is shown without tanh", killed_by="test_the_output_gate_shows_tanh_of_the_new_memory")
edit("lstm_step", "sigmoid-for-the-candidate", {"g.tanh()": "g.sigmoid()"},
     "the candidate goes through a sigmoid: tanh lets it be negative",
     killed_by="test_the_input_gate_lets_tanh_of_the_candidate_in")
edit("lstm_step", "coupled-gates", {"i.sigmoid()": "(1 - f.sigmoid())"},
     "the input gate is one minus the forget gate, as in the GRU: here it has rows of its own",
     killed_by="test_the_input_gate_lets_tanh_of_the_candidate_in")
edit("lstm_step", "bias-missing", {" + bias": ""},
     "the bias is not added", killed_by="test_an_open_forget_gate_and_a_closed_input_gate_keep_the_memory")
edit("lstm_step", "last-output-unread", {" + h @ weight_h.T": ""},
     "the last output is not read: nothing is recurrent but the memory", killed_by="test_a_step_agrees_with_torch")
edit("lstm_step", "memory-first", {"return h, c": "return c, h"},
     "the two values come in the other order: h, then c",
     killed_by="test_the_output_gate_shows_tanh_of_the_new_memory")
edit("lstm_step", "forget-gate-upside-down", {"f.sigmoid() * c": "(1 - f.sigmoid()) * c"},
     "an open forget gate forgets here: it keeps what it lets through",
     killed_by="test_an_open_forget_gate_and_a_closed_input_gate_keep_the_memory")
edit("lstm_step", "memory-changed-in-place", {"c = f.sigmoid() * c + i": "c *= f.sigmoid()\n    c += i"},
     "the old memory is changed in place: whoever keeps it for another direction or batch loses it",
     killed_by="test_the_old_output_and_memory_are_left_alone")


# fading
@alternative("fading", "from-each-start")
def fading(weight, states):
    norms = []
    for t in range(len(states)):
        jacobian = torch.eye(len(weight), dtype=weight.dtype)
        for state in states[t + 1 :]:
            jacobian = torch.diag(1 - state * state) @ weight @ jacobian
        norms.append(torch.linalg.svdvals(jacobian)[0])
    return torch.stack(norms)


@alternative("fading", "numpy")
def fading(weight, states):
    w, rows = weight.double().numpy(), states.double().numpy()
    product, norms = np.eye(len(w)), [1.0]
    for row in rows[:0:-1]:
        product = product @ np.diag(1 - row**2) @ w
        norms.insert(0, np.linalg.norm(product, 2))
    return torch.tensor(norms)


@alternative("fading", "autograd")
def fading(weight, states):
    def stretch(start):
        here = states[start].clone().requires_grad_()
        state = here
        for after in states[start + 1 :]:
            moved = weight @ state
            state = (1 - after**2) * moved  # linear around the states that are given
        rows = [torch.autograd.grad(part, here, retain_graph=True)[0] for part in (state * 1.0).unbind()]
        return torch.linalg.matrix_norm(torch.stack(rows), ord=2)

    return torch.stack([stretch(start) for start in range(len(states))])


edit("fading", "slope-missing", {"((1 - state**2)[:, None] * weight)": "weight"},
     "the slope of tanh is missing: each factor is diag(1 − h²) W", killed_by="test_one_unit_fades_by_its_weight_times_its_slope")
edit("fading", "slope-of-the-state-before", {"states[1:].flip(0)": "states[:-1].flip(0)"},
     "the slopes are those of the states before: each belongs to the state that is computed",
     killed_by="test_one_unit_fades_by_its_weight_times_its_slope")
edit("fading", "slope-on-the-columns", {"[:, None]": ""},
     "the slope multiplies W's columns: it belongs to the unit that is written, a row",
     killed_by="test_the_slope_is_that_of_the_unit_that_is_written")
edit("fading", "order-not-turned-back", {"norms[::-1]": "norms"},
     "the numbers run from the last state to the first", killed_by="test_one_unit_fades_by_its_weight_times_its_slope")
edit("fading", "factors-on-the-left",
     {"jacobian @ ((1 - state**2)[:, None] * weight)": "((1 - state**2)[:, None] * weight) @ jacobian"},
     "factors are multiplied on the left while going back: the latest one stands on the left",
     killed_by="test_later_factors_stand_to_the_left")
edit("fading", "weight-transposed", {"* weight)": "* weight.T)"},
     "W is transposed", killed_by="test_the_slope_is_that_of_the_unit_that_is_written")
edit("fading", "frobenius", {"matrix_norm(jacobian, 2)": "matrix_norm(jacobian)"},
     "the norm is Frobenius's: the spectral norm is the greatest stretch",
     killed_by="test_states_of_zero_leave_powers_of_the_matrix")
edit("fading", "product-of-norms",
     {"jacobian = jacobian @ ((1 - state**2)[:, None] * weight)": "factor = (1 - state**2)[:, None] * weight",
      "torch.linalg.matrix_norm(jacobian, 2)": "norms[-1] * torch.linalg.matrix_norm(factor, 2)"},
     "norms are multiplied: that is only a bound, the norm of the product can be smaller",
     killed_by="test_the_product_is_taken_before_the_norm")
edit("fading", "slope-of-a-sigmoid", {"1 - state**2": "state * (1 - state)"},
     "the slope is that of a sigmoid: tanh has 1 − h²", killed_by="test_one_unit_fades_by_its_weight_times_its_slope")
edit("fading", "tanh-again", {"1 - state**2": "1 - state.tanh()**2"},
     "tanh is taken once more: the states are its values already, and the slope is 1 − h²",
     killed_by="test_one_unit_fades_by_its_weight_times_its_slope")
edit("fading", "one-step-only", {"jacobian = jacobian @ (": "jacobian = ("},
     "each factor stands alone: the product of all of them is what fades",
     killed_by="test_one_unit_fades_by_its_weight_times_its_slope")
edit("fading", "capped", {"torch.stack(norms[::-1])": "torch.stack(norms[::-1]).clamp(max=1e6)"},
     "great numbers are cut down to a million: how far they have grown was asked for",
     killed_by="test_what_has_grown_far_is_great_and_a_state_of_1_stops_all")
edit("fading", "twenty-steps", {"states[1:].flip(0)": "states[1:].flip(0)[:20]",
     "torch.stack(norms[::-1])": "torch.stack([norms[0] * 0] * max(0, len(states) - 21) + norms[::-1])"},
     "no more than twenty steps are gone back: what is older counts as nothing",
     killed_by="test_what_has_grown_far_is_great_and_a_state_of_1_stops_all")
edit("fading", "floored", {"torch.stack(norms[::-1])": "torch.stack(norms[::-1]).clamp(min=1e-6)"},
     "small numbers are raised to a floor: how far they have faded was asked for",
     killed_by="test_what_has_faded_far_is_small_and_no_floor")
equivalent("fading", "4: 1 - state ** 2 → state ** 2 - 1", "each factor only changes its sign, and a norm has none")


# lm_losses
@alternative("lm_losses", "ignore-index")
def lm_losses(forward, backward, tokens, padding=0):
    later, earlier = tokens[:, 1:].flatten(), tokens[:, :-1].clone()
    earlier[tokens[:, 1:] == padding] = -100
    later = torch.where(later == padding, torch.full_like(later, -100), later)
    return torch.stack([
        cross_entropy(forward[:, :-1].flatten(0, 1), later),
        cross_entropy(backward[:, 1:].flatten(0, 1), earlier.flatten()),
    ])


@alternative("lm_losses", "loops", slow="two loops over all tokens, at each of hundreds of steps")
def lm_losses(forward, backward, tokens, padding=0):
    ahead, behind = [], []
    for i in range(tokens.shape[0]):
        for n in range(tokens.shape[1] - 1):
            if tokens[i, n + 1] != padding:
                ahead.append(-forward[i, n].log_softmax(0)[tokens[i, n + 1]])
                behind.append(-backward[i, n + 1].log_softmax(0)[tokens[i, n]])
    return torch.stack([sum(ahead) / len(ahead), sum(behind) / len(behind)])


@alternative("lm_losses", "masked-sums")
def lm_losses(forward, backward, tokens, padding=0):
    real = (tokens[:, 1:] != padding).to(forward.dtype)
    ahead = -forward[:, :-1].log_softmax(-1).gather(2, tokens[:, 1:, None])[..., 0]
    behind = -backward[:, 1:].log_softmax(-1).gather(2, tokens[:, :-1, None])[..., 0]
    return torch.stack([(loss * real).sum() / real.sum() for loss in (ahead, behind)])


edit("lm_losses", "nothing-shifted",
     {"tokens[:, 1:] != padding": "tokens != padding", "forward[:, :-1][real], tokens[:, 1:][real]": "forward[real], tokens[real]",
      "backward[:, 1:][real], tokens[:, :-1][real]": "backward[real], tokens[real]"},
     "each position predicts its own token, which it has read: nothing is shifted",
     killed_by="test_the_forward_model_is_right_that_names_the_next_token")
edit("lm_losses", "backward-as-forward", {"backward[:, 1:][real], tokens[:, :-1][real]": "backward[:, :-1][real], tokens[:, 1:][real]"},
     "the backward model predicts the next token, which it has read: it predicts the one before",
     killed_by="test_the_backward_model_is_right_that_names_the_token_before")
edit("lm_losses", "models-exchanged", {"torch.stack([ahead, behind])": "torch.stack([behind, ahead])"},
     "the two losses are exchanged: the forward one comes first",
     killed_by="test_the_forward_model_is_right_that_names_the_next_token")
edit("lm_losses", "padding-predicted", {"tokens[:, 1:] != padding": "tokens[:, :-1] != padding"},
     "the forward model predicts the padding behind the end: the later one of two neighbours must be a token",
     killed_by="test_padding_is_neither_predicted_nor_counted")
edit("lm_losses", "padding-counted", {"tokens[:, 1:] != padding": "torch.ones_like(tokens[:, 1:], dtype=torch.bool)"},
     "padding is predicted and counted", killed_by="test_padding_is_neither_predicted_nor_counted")
@mistake("lm_losses", "backward-from-padding",
         "the position of padding behind the end predicts the last token: a position of padding predicts nothing",
         killed_by="test_padding_is_neither_predicted_nor_counted")
def lm_losses(forward, backward, tokens, padding=0):
    ahead = cross_entropy(forward[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=padding)
    behind = cross_entropy(backward[:, 1:].flatten(0, 1), tokens[:, :-1].flatten(), ignore_index=padding)
    return torch.stack([ahead, behind])


@mistake("lm_losses", "turned-round-with-its-padding",
         "the tokens are turned round for the backward model, whose logits stand in the order of the sentence",
         killed_by="test_the_backward_model_is_right_that_names_the_token_before")
def lm_losses(forward, backward, tokens, padding=0):
    turned = tokens.flip(1)
    ahead = cross_entropy(forward[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=padding)
    behind = cross_entropy(backward[:, :-1].flatten(0, 1), turned[:, 1:].flatten(), ignore_index=padding)
    return torch.stack([ahead, behind])


@mistake("lm_losses", "log-of-softmax",
         "the softmax is taken before its logarithm: it rounds to 0, whose logarithm is −∞; log_softmax takes both at once",
         killed_by="test_who_is_sure_and_wrong_pays_a_finite_price")
def lm_losses(forward, backward, tokens, padding=0):
    real = tokens[:, 1:] != padding
    pairs = (forward[:, :-1][real], tokens[:, 1:][real]), (backward[:, 1:][real], tokens[:, :-1][real])
    return torch.stack([-logits.softmax(dim=1).log().gather(1, ids[:, None]).mean() for logits, ids in pairs])


@mistake("lm_losses", "exp-overflows",
         "exp of the logits is summed as it is: of a great one it is ∞; cross_entropy takes the greatest off first",
         killed_by="test_who_is_sure_and_wrong_pays_a_finite_price")
def lm_losses(forward, backward, tokens, padding=0):
    real = tokens[:, 1:] != padding
    pairs = (forward[:, :-1][real], tokens[:, 1:][real]), (backward[:, 1:][real], tokens[:, :-1][real])
    return torch.stack([(x.exp().sum(dim=1).log() - x.gather(1, ids[:, None])[:, 0]).mean() for x, ids in pairs])


edit("lm_losses", "summed", {"tokens[:, 1:][real])": "tokens[:, 1:][real], reduction='sum')",
     "tokens[:, :-1][real])": "tokens[:, :-1][real], reduction='sum')"},
     "the losses are summed: the mean over tokens was asked for",
     killed_by="test_who_knows_nothing_pays_the_logarithm_of_the_vocabulary")
edit("lm_losses", "padding-is-zero", {"!= padding": "!= 0"},
     "padding is taken to be 0, whatever the argument says", killed_by="test_any_batch_agrees_with_sums_over_its_pairs")
edit("lm_losses", "zero-is-padding-too", {"tokens[:, 1:] != padding": "(tokens[:, 1:] != padding) & (tokens[:, 1:] > 0)"},
     "0 is taken for padding beside what the argument says", killed_by="test_any_batch_agrees_with_sums_over_its_pairs")
@mistake("lm_losses", "one-maximum-for-all",
         "the greatest logit of the whole batch is subtracted: a position far below it has exp 0 alone; each has its own",
         killed_by="test_logits_of_one_position_may_be_far_below_those_of_another")
def lm_losses(forward, backward, tokens, padding=0):
    real = tokens[:, 1:] != padding
    pairs = (forward[:, :-1][real], tokens[:, 1:][real]), (backward[:, 1:][real], tokens[:, :-1][real])
    pairs = [(x - x.max(), ids) for x, ids in pairs]
    return torch.stack([(x.exp().sum(dim=1).log() - x.gather(1, ids[:, None])[:, 0]).mean() for x, ids in pairs])


edit("lm_losses", "mean-of-sentences",
     {"ahead = cross_entropy(forward[:, :-1][real], tokens[:, 1:][real])":
      "ahead = torch.stack([cross_entropy(x[:-1][r], t[1:][r]) for x, t, r in zip(forward, tokens, real)]).mean()",
      "behind = cross_entropy(backward[:, 1:][real], tokens[:, :-1][real])":
      "behind = torch.stack([cross_entropy(x[1:][r], t[:-1][r]) for x, t, r in zip(backward, tokens, real)]).mean()"},
     "the means of the sentences are averaged: every token counts alike",
     killed_by="test_padding_is_neither_predicted_nor_counted")
edit("lm_losses", "detached", {"torch.stack([ahead, behind])": "torch.tensor([float(ahead), float(behind)])"},
     "the losses are plain numbers, so nothing can be learnt from them",
     killed_by="test_both_losses_send_gradients_to_their_own_logits")
edit("lm_losses", "averaged", {"torch.stack([ahead, behind])": "torch.stack([(ahead + behind) / 2] * 2)"},
     "both numbers are the mean of the two losses: each was asked for",
     killed_by="test_the_forward_model_is_right_that_names_the_next_token")
equivalent("lm_losses", "4: torch.stack([ahead, behind]) → torch.stack([ahead, behind]).squeeze()", "there are always two losses")


# sight
@alternative("sight", "from-the-top")
def sight(layers):
    reached = layers[-1].clone()
    for reads in layers[-2::-1]:
        reached = (reached[:, :, None] & reads[None, :, :]).any(dim=1)
    return reached


@alternative("sight", "sets")
def sight(layers):
    size = len(layers[0])
    seen = [{i} for i in range(size)]
    for reads in layers:
        seen = [set().union(*(seen[k] for k in range(size) if reads[i, k])) for i in range(size)]
    return torch.tensor([[j in seen[i] for j in range(size)] for i in range(size)], dtype=torch.bool)


@alternative("sight", "integer-product")
def sight(layers):
    paths = torch.eye(layers[0].shape[0], dtype=torch.int64)
    for reads in layers:
        paths = (reads.long() @ paths).clamp(max=1)
    return paths == 1


edit("sight", "layers-turned-round", {"in layers:": "in reversed(layers):"},
     "the layers are gone through from the top: the lowest comes first", killed_by="test_the_lowest_layer_comes_first")
edit("sight", "matrices-exchanged", {"reads.float() @ seen": "seen @ reads.float()"},
     "the factors are exchanged, so the layers work in the other order", killed_by="test_the_lowest_layer_comes_first")
edit("sight", "top-layer-alone", {"(reads.float() @ seen > 0)": "reads"},
     "only the top layer's reading counts: what stands below has read too",
     killed_by="test_with_two_layers_a_word_sees_itself_by_way_of_the_others")
edit("sight", "itself-always-seen", {"(reads.float() @ seen > 0).float()": "((reads.float() @ seen > 0) | (seen > 0)).float()"},
     "what was seen below stays seen, as with a residual connection: here each layer reads what its mask says, no more",
     killed_by="test_one_layer_sees_what_it_reads")
edit("sight", "all-layers-at-once", {"seen = (reads.float() @ seen > 0).float()": "seen = ((seen > 0) & reads).float()",
     "torch.eye(len(layers[0]))": "torch.ones(len(layers[0]), len(layers[0]))"},
     "the masks are joined cell by cell: what matters is a path through the layers",
     killed_by="test_with_two_layers_a_word_sees_itself_by_way_of_the_others")
edit("sight", "any-layer", {"seen = (reads.float() @ seen > 0).float()": "seen = ((seen > 0) | reads).float()",
     "torch.eye(len(layers[0]))": "torch.zeros(len(layers[0]), len(layers[0]))"},
     "the masks are joined by or: what matters is a path through all layers, one step in each",
     killed_by="test_with_two_layers_a_word_sees_itself_by_way_of_the_others")
edit("sight", "one-layer-short", {"in layers:": "in layers[1:]:"},
     "the lowest layer is left out", killed_by="test_one_layer_sees_what_it_reads")
edit("sight", "transposed", {"return seen.bool()": "return seen.bool().T"},
     "rows and columns are exchanged: [i, j] says whether i depends on j",
     killed_by="test_one_layer_sees_what_it_reads")
edit("sight", "paths-counted", {"(reads.float() @ seen > 0).float()": "reads.float() @ seen", "seen.bool()": "seen"},
     "paths are counted: yes or no was asked for", killed_by="test_with_two_layers_a_word_sees_itself_by_way_of_the_others")
edit("sight", "numbers-for-yes-and-no", {"return seen.bool()": "return seen"},
     "0 and 1 as floats: bool was asked for", killed_by="test_the_answer_is_yes_or_no")
edit("sight", "path-count-wraps", {"torch.eye(len(layers[0]))": "torch.eye(len(layers[0]), dtype=torch.int64)",
     "(reads.float() @ seen > 0).float()": "reads.long() @ seen"},
     "paths are counted in whole numbers, which wrap around to 0 where there are too many: keep 0 and 1 at each layer",
     killed_by="test_no_number_of_paths_is_too_great")
edit("sight", "path-count-in-bytes", {"torch.eye(len(layers[0]))": "torch.eye(len(layers[0]), dtype=torch.uint8)",
     "(reads.float() @ seen > 0).float()": "reads.to(torch.uint8) @ seen"},
     "paths are counted in bytes: 256 of them are 0 again", killed_by="test_no_number_of_paths_is_too_great")
edit("sight", "paths-in-8-bits",
     {"torch.eye(len(layers[0]))": "torch.eye(len(layers[0]), dtype=torch.uint8)",
      "(reads.float() @ seen > 0).float()": "(reads.to(torch.uint8) @ seen > 0).to(torch.uint8)"},
     "paths are counted in 8 bits, in which 256 ways are none",
     killed_by="test_a_token_is_seen_in_256_ways_and_in_any_number")
edit("sight", "infinitely-many-paths", {"(reads.float() @ seen > 0).float()": "reads.float() @ seen", "seen.bool()": "seen > 0"},
     "the numbers of paths are multiplied up: in deep stacks they are infinite, and infinity times 0 is no number",
     killed_by="test_what_reads_itself_alone_sees_itself_beside_any_number_of_paths")
edit("sight", "shares-of-paths",
     {"(reads.float() @ seen > 0).float()": "reads.double() @ seen / len(seen)", "torch.eye(len(layers[0]))":
      "torch.eye(len(layers[0]), dtype=torch.float64)", "seen.bool()": "seen > 0"},
     "shares of paths are multiplied up: in deep stacks they come to 0", killed_by="test_any_layer_may_stand_there_many_times")


equivalent("sight", "1: len(layers[0]) → len(layers[-1])", "all layers have as many positions")


# elmo
@alternative("elmo", "stacked-einsum")
def elmo(tokens, forward, backward, scores, gamma):
    ahead = torch.stack([tokens, *forward])
    behind = torch.stack([tokens, *backward])
    return gamma * torch.einsum("l,lbnd->bnd", torch.softmax(scores, 0), torch.cat([ahead, behind], dim=3))


@alternative("elmo", "halves-apart")
def elmo(tokens, forward, backward, scores, gamma):
    weights = torch.exp(scores - scores.max()) / torch.exp(scores - scores.max()).sum()
    halves = []
    for layers in (forward, backward):
        mixed = weights[0] * tokens
        for number, layer in enumerate(layers, start=1):
            mixed = mixed + weights[number] * layer
        halves.append(gamma * mixed)
    return torch.cat(halves, -1)


edit("elmo", "token-layer-left-out", {"layers = [torch.cat([tokens, tokens], dim=-1)]": "layers = []",
     "scores.softmax(dim=0)": "scores[1:].softmax(dim=0)"},
     "the token layer is left out: ELMo mixes L + 1 layers, and the tokens' own is one",
     killed_by="test_two_layers_of_lstm_give_three_vectors_to_mix")
edit("elmo", "top-layer-alone", {"gamma * sum(weight * layer for weight, layer in zip(weights, layers))": "gamma * layers[-1]"},
     "the top layer alone is TagLM: ELMo mixes all", killed_by="test_two_layers_of_lstm_give_three_vectors_to_mix")
edit("elmo", "scores-for-weights", {"scores.softmax(dim=0)": "scores"},
     "the scores are used as weights: their softmax sums to 1", killed_by="test_weights_are_the_softmax_of_the_scores")
edit("elmo", "scores-over-their-sum", {"scores.softmax(dim=0)": "scores / scores.sum()"},
     "the scores are divided by their sum: a softmax was asked for", killed_by="test_weights_are_the_softmax_of_the_scores")
edit("elmo", "plain-mean", {"scores.softmax(dim=0)": "torch.full_like(scores, 1 / len(scores))"},
     "all layers weigh alike: the weights are learnt", killed_by="test_weights_are_the_softmax_of_the_scores")
edit("elmo", "gamma-missing", {"gamma * sum": "sum"}, "γ is missing", killed_by="test_gamma_scales_the_mixture")
edit("elmo", "gamma-inside", {"scores.softmax(dim=0)": "(gamma * scores).softmax(dim=0)", "gamma * sum": "sum"},
     "γ scales the scores: it scales the mixture", killed_by="test_gamma_scales_the_mixture")
edit("elmo", "backward-first", {"zip(forward, backward)": "zip(backward, forward)"},
     "the backward half comes first", killed_by="test_a_layer_is_its_forward_half_and_then_its_backward_half")
edit("elmo", "backward-layers-turned", {"zip(forward, backward)": "zip(forward, backward[::-1])"},
     "the backward layers are paired from the top down", killed_by="test_a_layer_is_its_forward_half_and_then_its_backward_half")
edit("elmo", "backward-turned-in-time", {"zip(forward, backward)": "zip(forward, [layer.flip(1) for layer in backward])"},
     "the backward half is turned round in time: it stands in the order of the sentence already",
     killed_by="test_both_halves_stand_at_their_own_token")
edit("elmo", "token-layer-last", {"layers = [torch.cat([tokens, tokens], dim=-1)]": "layers = []",
     "weights = scores": "layers.append(torch.cat([tokens, tokens], dim=-1))\n    weights = scores"},
     "the token layer is the last one: it is layer 0", killed_by="test_the_lowest_layer_is_the_token_twice")
edit("elmo", "token-and-zeros", {"torch.cat([tokens, tokens], dim=-1)": "torch.cat([tokens, torch.zeros_like(tokens)], dim=-1)"},
     "the token layer is filled up with zeros: it is put beside itself",
     killed_by="test_the_lowest_layer_is_the_token_twice")
edit("elmo", "scores-not-learnt", {"scores.softmax": "scores.detach().softmax"},
     "no gradient reaches the scores, so the mixture is never learnt",
     killed_by="test_scores_gamma_and_tokens_can_be_learnt")
edit("elmo", "gamma-not-learnt", {"gamma * sum": "float(gamma) * sum"},
     "γ becomes a plain number, which cannot be learnt", killed_by="test_scores_gamma_and_tokens_can_be_learnt")
edit("elmo", "softmax-overflows", {"scores.softmax(dim=0)": "scores.exp() / scores.exp().sum()"},
     "exp of a great score is ∞, and the weights are no numbers: softmax takes the greatest off first",
     killed_by="test_scores_may_be_great")
equivalent("elmo", "3: scores.softmax(dim=0) → scores.softmax(dim=-1)", "the scores have one dimension")
equivalent("elmo", "4: zip(weights, layers) → zip(layers, weights)", "a product of two numbers has no order")


# probe
@alternative("probe", "column-of-ones")
def probe(vectors, labels, new, classes, ridge=1.0):
    ones = lambda x: torch.cat([x, torch.ones(len(x), 1, dtype=x.dtype)], dim=1).double()  # noqa: E731
    penalty = ridge * torch.eye(vectors.shape[1] + 1, dtype=torch.float64)
    penalty[-1, -1] = 0  # none for the constant
    a = ones(vectors)
    return ones(new) @ torch.linalg.solve(a.T @ a + penalty, a.T @ one_hot(labels, classes).double())


@alternative("probe", "more-rows-least-squares")
def probe(vectors, labels, new, classes, ridge=1.0):
    targets = torch.eye(classes, dtype=vectors.dtype)[labels]
    a, t = vectors - vectors.mean(0), targets - targets.mean(0)
    below = ridge**0.5 * torch.eye(a.shape[1], dtype=a.dtype)
    weights = torch.linalg.lstsq(torch.cat([a, below]), torch.cat([t, torch.zeros(a.shape[1], classes, dtype=a.dtype)]))
    return (new - vectors.mean(0)) @ weights.solution + targets.mean(0)


@alternative("probe", "dual-in-numpy")
def probe(vectors, labels, new, classes, ridge=1.0):
    x, t = vectors.double().numpy(), np.eye(classes)[labels.numpy()]
    a = x - x.mean(axis=0)
    weights = np.linalg.pinv(a.T @ a + ridge * np.eye(a.shape[1])) @ a.T @ (t - t.mean(axis=0))
    return torch.from_numpy((new.double().numpy() - x.mean(axis=0)) @ weights + t.mean(axis=0))


edit("probe", "no-constant", {"vectors.mean(dim=0), targets.mean(dim=0)": "torch.zeros_like(vectors[0]), torch.zeros_like(targets[0])"},
     "there is no constant: the line must go through zero",
     killed_by="test_without_a_penalty_it_is_least_squares_with_a_constant")
edit("probe", "penalty-missing", {" + ridge * torch.eye(vectors.shape[1])": ""},
     "there is no penalty", killed_by="test_the_penalty_shrinks_the_slope")
edit("probe", "penalty-times-rows", {"ridge * torch.eye": "ridge * len(vectors) * torch.eye"},
     "the penalty grows with the number of rows: the sum of squared errors has it as it is",
     killed_by="test_the_penalty_shrinks_the_slope")
edit("probe", "moved-by-the-new-mean", {"(new - middle)": "(new - new.mean(dim=0))"},
     "new vectors are moved by their own mean: the answer for one would depend on the others",
     killed_by="test_new_points_change_nothing_of_the_line")
edit("probe", "new-not-moved", {"(new - middle)": "new"},
     "new vectors are not moved by the mean", killed_by="test_without_a_penalty_it_is_least_squares_with_a_constant")
edit("probe", "shares-not-added", {" + shares": ""},
     "the shares of the classes are not added again: without them a frequent class is no more likely",
     killed_by="test_without_a_penalty_it_is_least_squares_with_a_constant")
edit("probe", "constant-with-penalty",
     {"middle, shares = vectors.mean(dim=0), targets.mean(dim=0)":
      "vectors = torch.cat([vectors, torch.ones_like(vectors[:, :1])], 1)\n    new = torch.cat([new, torch.ones_like(new[:, :1])], 1)\n    middle, shares = torch.zeros_like(vectors[0]), torch.zeros_like(targets[0])"},
     "the constant is punished too: then it matters where zero is", killed_by="test_the_penalty_shrinks_the_slope")
edit("probe", "classes-that-occur", {"one_hot(labels, classes)": "one_hot(labels)"},
     "the number of classes is taken from the labels: a class that none of them has is missing",
     killed_by="test_any_points_agree_with_scikit_learn")
edit("probe", "unit-variance", {"return (new - middle)":
     "spread = vectors.std(dim=0) + 1e-9 if len(vectors) < vectors.shape[1] else 1\n    return (new - middle) / spread"},
     "where there are fewer points than numbers, new points are divided by the spread: no vector is",
     killed_by="test_few_points_of_many_numbers_and_many_classes_agree_with_scikit_learn")
edit("probe", "labels-returned", {"return (new - middle) @ weights + shares": "return ((new - middle) @ weights + shares).argmax(dim=1)"},
     "the best class is returned: the scores of all were asked for",
     killed_by="test_without_a_penalty_it_is_least_squares_with_a_constant")


@mistake("probe", "nearest-centroid", "distances to the classes' means: a fitted map was asked for",
         killed_by="test_without_a_penalty_it_is_least_squares_with_a_constant")
def probe(vectors, labels, new, classes, ridge=1.0):
    centroids = torch.stack([vectors[labels == k].mean(dim=0) for k in range(classes)])
    return -torch.cdist(new, centroids)


equivalent("probe", "5: targets - shares → targets + shares", "centred columns sum to 0, so what is constant adds nothing to their products")
