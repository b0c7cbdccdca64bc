"""word2vec: classic mistakes and other right ways, for each exercise. Never released."""

import math

import torch
from torch.nn.functional import logsigmoid, normalize

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# skipgram_pairs
@alternative("skipgram_pairs", "offsets")
def skipgram_pairs(tokens, window):
    offsets = [o for o in range(-window, window + 1) if o]
    return [(word, tokens[i + o]) for i, word in enumerate(tokens) for o in offsets if 0 <= i + o < len(tokens)]


@alternative("skipgram_pairs", "two-slices")
def skipgram_pairs(tokens, window):
    pairs = []
    for i, word in enumerate(tokens):
        around = list(tokens[max(0, i - window) : i]) + list(tokens[i + 1 : i + 1 + window])
        pairs.extend(zip([word] * len(around), around))
    return pairs


edit("skipgram_pairs", "paired-with-itself", {"if j != i": "if True"},
     "the centre word is paired with itself", killed_by="test_the_window_is_cut_off_at_the_edges")
edit("skipgram_pairs", "right-edge-left-out", {"i + window + 1": "i + window"},
     "the right edge of the window is left out: range stops before its end",
     killed_by="test_a_word_inside_the_sentence_has_two_neighbours_on_each_side")
edit("skipgram_pairs", "window-as-span", {"pairs = []": "window //= 2\n    pairs = []"},
     "the window is taken as the whole span: half of it on each side, where it means the words on one side",
     killed_by="test_a_word_inside_the_sentence_has_two_neighbours_on_each_side")
edit("skipgram_pairs", "wraps-around", {"max(0, i - window)": "i - window"},
     "negative indices wrap around to the sentence's end: the window must be cut off at the edges",
     killed_by="test_the_window_is_cut_off_at_the_edges")
edit("skipgram_pairs", "edge-words-skipped", {"if j != i": "if j != i and window <= i < len(tokens) - window"},
     "words whose window reaches over an edge are skipped: they have fewer pairs, not none",
     killed_by="test_the_window_is_cut_off_at_the_edges")
edit("skipgram_pairs", "told-apart-by-word", {"if j != i": "if tokens[j] != center"},
     "positions are told apart by the word that stands there, so a repeated word loses pairs",
     killed_by="test_a_word_that_stands_twice_is_paired_at_both_places")
edit("skipgram_pairs", "pairs-turned-round", {"(center, tokens[j])": "(tokens[j], center)"},
     "each pair is turned round: the centre comes first, then its context",
     killed_by="test_the_window_is_cut_off_at_the_edges")
edit("skipgram_pairs", "only-after", {"max(0, i - window)": "i + 1"},
     "only the words after the centre are paired with it: the window reaches to both sides",
     killed_by="test_a_word_inside_the_sentence_has_two_neighbours_on_each_side")
edit("skipgram_pairs", "one-word-too-far", {"i + window + 1": "i + window + 2"},
     "the window reaches one word too far to the right",
     killed_by="test_a_word_inside_the_sentence_has_two_neighbours_on_each_side")
edit("skipgram_pairs", "lists-for-tuples", {"(center, tokens[j])": "[center, tokens[j]]"},
     "each pair is a list: a tuple was asked for",
     killed_by="test_a_word_inside_the_sentence_has_two_neighbours_on_each_side")
edit("skipgram_pairs", "return-in-loop", {"    return pairs": "        return pairs"},
     "`return` stands inside the loop, so only the first word is a centre",
     killed_by="test_the_window_is_cut_off_at_the_edges")
edit("skipgram_pairs", "no-return", {"return pairs": ""},
     "nothing comes back: `return` is missing",
     killed_by="test_a_word_inside_the_sentence_has_two_neighbours_on_each_side")
edit("skipgram_pairs", "id-0-no-context", {"if j != i": "if j != i and tokens[j]"},
     "the id 0 is taken for no word, as it is not true",
     killed_by="test_every_window_agrees_with_brute_force")
edit("skipgram_pairs", "id-0-no-centre", {"if j != i": "if j != i and center != 0"},
     "the id 0 is never a centre",
     killed_by="test_every_window_agrees_with_brute_force")
edit("skipgram_pairs", "blanks-cut-off", {"    pairs = []": "    pairs, tokens = [], [token.strip() if isinstance(token, str) else token for token in tokens]"},
     "blanks around a word are cut off: ' so' is another word than 'so'",
     killed_by="test_a_word_that_stands_twice_is_paired_at_both_places")


# cbow_examples
@alternative("cbow_examples", "by-distance")
def cbow_examples(tokens, window):
    around = [[tokens[j] for j in range(len(tokens)) if 0 < abs(i - j) <= window] for i in range(len(tokens))]
    return [(contexts, center) for contexts, center in zip(around, tokens) if contexts]


@alternative("cbow_examples", "one-loop")
def cbow_examples(tokens, window):
    result = []
    for i in range(len(tokens)):
        contexts = []
        for offset in range(-window, window + 1):
            if offset != 0 and 0 <= i + offset < len(tokens):
                contexts.append(tokens[i + offset])
        if len(contexts) > 0:
            result.append((contexts, tokens[i]))
    return result


edit("cbow_examples", "one-example-a-pair", {"if contexts:\n            examples.append((list(contexts), center))":
     "examples += [([context], center) for context in contexts]"},
     "one example for each (context, centre) pair: CBOW averages all contexts of a word into one example",
     killed_by="test_all_contexts_of_a_word_make_one_example")
edit("cbow_examples", "centre-included", {"i] + tokens[i + 1 : ": ""},
     "the centre word is among its own contexts, so the answer is in the question",
     killed_by="test_all_contexts_of_a_word_make_one_example")
edit("cbow_examples", "start-wraps-around", {"max(0, i - window)": "i - window"},
     "a negative start of a slice wraps around, and the first words lose their left context",
     killed_by="test_the_examples_agree_with_brute_force")
edit("cbow_examples", "turned-round", {"(list(contexts), center)": "(center, list(contexts))"},
     "each example is turned round: contexts come first, then the centre",
     killed_by="test_all_contexts_of_a_word_make_one_example")
edit("cbow_examples", "empty-example", {"if contexts:": "if True:"},
     "a word without any context still makes an example, and the mean of no vectors is not a number",
     killed_by="test_a_sentence_of_one_word_has_no_example")
edit("cbow_examples", "only-before", {" + tokens[i + 1 : i + window + 1]": ""},
     "only the words before the centre are its context: the window reaches to both sides",
     killed_by="test_all_contexts_of_a_word_make_one_example")
edit("cbow_examples", "one-word-short", {"i + window + 1": "i + window"},
     "the window is one word short on the right: the end of a slice is exclusive",
     killed_by="test_all_contexts_of_a_word_make_one_example")
edit("cbow_examples", "whole-sentence",
     {"tokens[max(0, i - window) : i] + tokens[i + 1 : i + window + 1]": "tokens[:i] + tokens[i + 1 :]"},
     "the whole sentence is the context: the window is not used",
     killed_by="test_all_contexts_of_a_word_make_one_example")
edit("cbow_examples", "return-in-loop", {"    return examples": "        return examples"},
     "`return` stands inside the loop, so there is one example only",
     killed_by="test_the_coffee_sentence_has_8_examples")
edit("cbow_examples", "no-return", {"return examples": ""},
     "nothing comes back: `return` is missing", killed_by="test_all_contexts_of_a_word_make_one_example")
edit("cbow_examples", "only-zeros", {"if contexts:": "if any(contexts):"},
     "contexts that are all the id 0 are taken for none",
     killed_by="test_the_examples_agree_with_brute_force")
edit("cbow_examples", "id-0-no-centre", {"if contexts:": "if contexts and center != 0:"},
     "the id 0 is never a centre",
     killed_by="test_the_examples_agree_with_brute_force")
edit("cbow_examples", "window-of-five", {"examples = []": "examples, window = [], min(window, 5)"},
     "no window is larger than 5",
     killed_by="test_the_examples_agree_with_brute_force")


# keep_probability
@alternative("keep_probability", "list-of-floats")
def keep_probability(counts, t):
    total = int(counts.sum())
    return torch.tensor([min(1.0, math.sqrt(t * total / c)) for c in counts.tolist()])


@alternative("keep_probability", "one-minus-drop")
def keep_probability(counts, t):
    dropped = 1 - (t * counts.sum() / counts).sqrt()
    return 1 - dropped.clamp(min=0)


@alternative("keep_probability", "numpy")
def keep_probability(counts, t):
    import numpy as np

    frequency = np.asarray(counts) / np.asarray(counts).sum()
    return torch.from_numpy(np.minimum(1.0, np.sqrt(t / frequency)))


edit("keep_probability", "drop-probability", {"return (t / frequency)": "return 1 - (t / frequency)"},
     "this is the probability of dropping a word, 1 − sqrt(t/f): the paper states it so, the exercise asks for keeping",
     killed_by="test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f")
edit("keep_probability", "threshold-against-count", {"frequency = counts / counts.sum()": "",
     "t / frequency": "t / counts"},
     "the threshold is compared with the count, where f is the share of all tokens",
     killed_by="test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f")
edit("keep_probability", "above-one", {"frequency = counts / counts.sum()": "",
     "(t / frequency).sqrt().clamp(max=1.0)": "(t / (counts / counts.sum())).sqrt()"},
     "probabilities above 1: a word rarer than t is always kept, with probability 1",
     killed_by="test_a_rare_word_is_always_kept")
edit("keep_probability", "root-missing", {"frequency = counts / counts.sum()": "",
     "(t / frequency).sqrt()": "(t / (counts / counts.sum()))"},
     "the square root is missing", killed_by="test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f")
edit("keep_probability", "removed-altogether", {"frequency = counts / counts.sum()": "",
     "(t / frequency).sqrt().clamp(max=1.0)": "(counts / counts.sum() <= t).float()"},
     "frequent words are removed altogether: they are thinned out at random",
     killed_by="test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f")
edit("keep_probability", "fraction-turned-over", {"frequency = counts / counts.sum()": "",
     "t / frequency": "counts / counts.sum() / t"},
     "the fraction is turned over: sqrt(f/t) keeps the frequent words and drops the rare ones",
     killed_by="test_a_rare_word_is_always_kept")
edit("keep_probability", "share-of-most-frequent", {"frequency = counts / counts.sum()": "",
     "t / frequency": "t / (counts / counts.max())"},
     "the share is taken of the most frequent word: f is the share of all tokens",
     killed_by="test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f")
edit("keep_probability", "no-return", {"return (t": "(t"},
     "nothing comes back: `return` is missing", killed_by="test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f")
edit("keep_probability", "least-threshold", {"(t / frequency)": "(max(t, 1e-3) / frequency)"},
     "no threshold is below a thousandth",
     killed_by="test_probabilities_follow_the_formula_at_every_frequency")
edit("keep_probability", "least-probability", {"clamp(max=1.0)": "clamp(min=0.05, max=1.0)"},
     "no word is kept less often than once in twenty",
     killed_by="test_probabilities_follow_the_formula_at_every_frequency")
edit("keep_probability", "sum-in-32-bits", {"counts.sum()": "counts.sum(dtype=counts.dtype)"},
     "the total is counted in the counts' own type, which 32 bits may not hold",
     killed_by="test_counts_of_any_type_and_any_threshold_are_obeyed")
edit("keep_probability", "numpy-array", {"clamp(max=1.0)": "clamp(max=1.0).numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f")
edit("keep_probability", "counts-cut", {"frequency = counts / counts.sum()": "frequency = counts.long() / counts.long().sum()"},
     "counts of floats are cut to whole numbers",
     killed_by="test_counts_of_any_type_and_any_threshold_are_obeyed")


# noise_distribution
@alternative("noise_distribution", "list-of-floats")
def noise_distribution(counts, power=0.75):
    weights = [c**power for c in counts.tolist()]
    return torch.tensor([w / sum(weights) for w in weights])


@alternative("noise_distribution", "softmax-of-logarithms")
def noise_distribution(counts, power=0.75):
    return torch.special.xlogy(power, counts.double()).softmax(dim=0)


edit("noise_distribution", "power-after-division",
     {"torch.special.xlogy(power, counts.double()).softmax(dim=0)": "(counts / counts.sum()) ** power"},
     "the power is taken of the normalised result, which no longer sums to 1", killed_by="test_it_sums_to_one",
     of="softmax-of-logarithms")
edit("noise_distribution", "power-missing", {"torch.special.xlogy(power, counts.double()).softmax(dim=0)": "counts / counts.sum()"},
     "plain frequencies: the power ¾ is missing", killed_by="test_the_weights_are_counts_to_the_power_three_quarters",
     of="softmax-of-logarithms")
edit("noise_distribution", "uniform",
     {"torch.special.xlogy(power, counts.double()).softmax(dim=0)": "torch.full((len(counts),), 1 / len(counts))"},
     "a uniform draw: the counts are not used", killed_by="test_the_weights_are_counts_to_the_power_three_quarters",
     of="softmax-of-logarithms")
edit("noise_distribution", "softmax-of-counts", {"torch.special.xlogy(power, counts.double())": "(counts.float() * power)"},
     "a softmax of the counts, which gives all weight to the most frequent word",
     killed_by="test_the_weights_are_counts_to_the_power_three_quarters", of="softmax-of-logarithms")
edit("noise_distribution", "not-normalised",
     {"torch.special.xlogy(power, counts.double()).softmax(dim=0)": "counts.float() ** power"},
     "the weights are not normalised", killed_by="test_it_sums_to_one", of="softmax-of-logarithms")
edit("noise_distribution", "fixed-power", {"counts.double() ** power": "counts.float() ** 0.75",
     "(weights / weights.sum()).float()": "weights / weights.sum()"},
     "the power is fixed at ¾, whatever is asked for", killed_by="test_another_power_is_obeyed")
edit("noise_distribution", "divided-by-largest", {"(weights / weights.sum()).float()": "weights / weights.max()"},
     "the weights are divided by the largest, so the most frequent word has probability 1",
     killed_by="test_it_sums_to_one")
edit("noise_distribution", "base-and-exponent-exchanged", {"counts.double() ** power": "power ** counts.double()",
     "(weights / weights.sum()).float()": "weights / weights.sum()"},
     "base and exponent are exchanged: power ** counts draws rare words most",
     killed_by="test_the_weights_are_counts_to_the_power_three_quarters")
edit("noise_distribution", "no-return", {"return (weights / weights.sum()).float()": "weights / weights.sum()"},
     "nothing comes back: `return` is missing", killed_by="test_the_weights_are_counts_to_the_power_three_quarters")
edit("noise_distribution", "zero-is-unsaid", {"counts.double() ** power": "counts.double() ** (power or 0.75)"},
     "a power of 0 is taken for none given: it makes all words equally frequent",
     killed_by="test_another_power_is_obeyed")
edit("noise_distribution", "power-at-most-one", {"counts.double() ** power": "counts.double() ** min(power, 1)"},
     "a power above 1 is taken for 1",
     killed_by="test_another_power_is_obeyed")
edit("noise_distribution", "two-words-not-normalised", {"    return": "    if len(counts) == 2:\n        return (counts / counts.sum()) ** power\n    return"},
     "the power comes after the division, so two words do not sum to 1",
     killed_by="test_another_power_is_obeyed")
edit("noise_distribution", "zero-counts-one", {"counts.double()": "counts.double().clamp(min=1)"},
     "a count of 0 is taken for 1",
     killed_by="test_floats_and_zeros_are_counts_too")
edit("noise_distribution", "whole-numbers", {"counts.double()": "counts.long().double()"},
     "counts are cut to whole numbers",
     killed_by="test_floats_and_zeros_are_counts_too")
edit("noise_distribution", "power-in-32-bits", {"counts.double() ** power": "(counts**power).double()"},
     "the power is taken in the counts' own type: 32 bits do not hold the square of 100,000",
     killed_by="test_large_counts_of_any_type_are_raised_whole")
edit("noise_distribution", "counts-changed", {"counts.double() ** power": "counts.pow_(power).double() if counts.is_floating_point() else counts.double() ** power"},
     "the caller's counts become their powers",
     killed_by="test_floats_and_zeros_are_counts_too")
edit("noise_distribution", "numpy-array", {".float()": ".float().numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_the_weights_are_counts_to_the_power_three_quarters")

@mistake("noise_distribution", "by-logarithms", "0 times the logarithm of 0 is no number: at power 0 a count of 0 is drawn like any other",
         killed_by="test_floats_and_zeros_are_counts_too")
def noise_distribution(counts, power=0.75):
    return (power * counts.double().log()).softmax(dim=0).float()


# sgns_loss
@alternative("sgns_loss", "binary-cross-entropy")
def sgns_loss(center, context, negatives):
    from torch.nn.functional import binary_cross_entropy_with_logits as bce

    candidates = torch.cat([context[:, None], negatives], dim=1)
    logits = (candidates @ center[:, :, None]).squeeze(2)
    labels = torch.zeros_like(logits)
    labels[:, 0] = 1
    return bce(logits, labels, reduction="sum") / len(center)


@alternative("sgns_loss", "softplus")
def sgns_loss(center, context, negatives):
    from torch.nn.functional import softplus

    real = torch.einsum("bd,bd->b", center, context)
    noise = torch.matmul(negatives, center.unsqueeze(-1)).squeeze(-1)
    return softplus(-real).mean() + softplus(noise).sum(dim=1).mean()


@alternative("sgns_loss", "one-loop", slow="a loop over 2,048 pairs and their negatives in each of hundreds of steps")
def sgns_loss(center, context, negatives):
    total = torch.zeros((), dtype=center.dtype)
    for i in range(len(center)):
        total = total - logsigmoid(center[i] @ context[i])
        for j in range(negatives.shape[1]):
            total = total - logsigmoid(-(center[i] @ negatives[i, j]))
    return total / len(center)


edit("sgns_loss", "sum-over-batch", {").mean()": ").sum()"},
     "the sum over the batch was taken in place of the mean", killed_by="test_the_loss_is_the_mean_over_the_batch")
edit("sgns_loss", "negatives-averaged", {"(-noise).sum(dim=1)": "(-noise).mean(dim=1)"},
     "the negatives are averaged: eq. 4 sums over them",
     killed_by="test_zero_vectors_cost_log_2_for_the_pair_and_for_each_negative")
edit("sgns_loss", "noise-rewarded", {"logsigmoid(-noise)": "logsigmoid(noise)"},
     "the noise is rewarded like real pairs: its score needs a minus sign inside the sigmoid",
     killed_by="test_real_pairs_attract_and_noise_repels")
edit("sgns_loss", "sign-of-maximum", {"return -(": "return ("},
     "the sign is that of the paper's objective, which is maximised; a loss is minimised",
     killed_by="test_zero_vectors_cost_log_2_for_the_pair_and_for_each_negative")
edit("sgns_loss", "log-of-sigmoid",
     {"logsigmoid(real) + logsigmoid(-noise).sum": "real.sigmoid().log() + (-noise).sigmoid().log().sum"},
     "log(sigmoid(x)) is minus infinity for large negative scores; logsigmoid is exact",
     killed_by="test_large_scores_stay_finite")
edit("sgns_loss", "noise-against-context", {'bk", center, negatives': 'bk", context, negatives'},
     "the negatives are compared with the context: they are noise for the centre word",
     killed_by="test_random_batches_agree_with_the_definition")
edit("sgns_loss", "negatives-left-out", {" + logsigmoid(-noise).sum(dim=1)": ""},
     "the negatives are left out", killed_by="test_zero_vectors_cost_log_2_for_the_pair_and_for_each_negative")
edit("sgns_loss", "noise-over-batch", {"(-noise).sum(dim=1)": "(-noise).sum()"},
     "the noise is summed over the whole batch: `sum` needs the axis of the k negatives",
     killed_by="test_the_loss_is_the_mean_over_the_batch")
edit("sgns_loss", "scores-over-batch", {"(center * context).sum(dim=1)": "(center * context).sum()"},
     "the scores of the real pairs are summed over the whole batch: `sum` needs the axis of the d numbers",
     killed_by="test_real_pairs_attract_and_noise_repels")
edit("sgns_loss", "mean-for-dot-product", {"(center * context).sum(dim=1)": "(center * context).mean(dim=1)",
     'torch.einsum("bd,bkd->bk", center, negatives)': 'torch.einsum("bd,bkd->bk", center, negatives) / center.shape[1]'},
     "a score is a dot product, the sum over the d numbers, not their mean",
     killed_by="test_real_pairs_attract_and_noise_repels")
edit("sgns_loss", "noise-sign-turned", {"logsigmoid(real) + logsigmoid": "logsigmoid(real) - logsigmoid"},
     "the sign of the noise term is that of the objective: both terms are subtracted",
     killed_by="test_zero_vectors_cost_log_2_for_the_pair_and_for_each_negative")
edit("sgns_loss", "no-return", {"return -(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean()": ""},
     "nothing comes back: `return` is missing",
     killed_by="test_zero_vectors_cost_log_2_for_the_pair_and_for_each_negative")
edit("sgns_loss", "plain-number", {").mean()": ").mean().item()"},
     "a Python number has no gradient: the loss stays a tensor until `backward` has run",
     killed_by="test_gradients_flow_back_to_all_vectors")
edit("sgns_loss", "negatives-detached", {'bk", center, negatives)': 'bk", center, negatives.detach())'},
     "no gradient flows back to the negatives, so the noise words are never pushed away",
     killed_by="test_gradients_flow_back_to_all_vectors")
edit("sgns_loss", "loss-detached", {").mean()": ").mean().detach().requires_grad_()"},
     "the loss is taken out of the graph: nothing can be trained", killed_by="test_gradients_flow_back_to_all_vectors")
edit("sgns_loss", "five-negatives", {"center, negatives)  # (B, k)": "center, negatives[:, :5])"},
     "no more than five negatives are summed",
     killed_by="test_random_batches_agree_with_the_definition")
edit("sgns_loss", "three-negatives-of-one-pair", {"(-noise)": "(-(noise if len(noise) > 1 else noise[:, :3]))"},
     "a batch of one pair loses negatives",
     killed_by="test_random_batches_agree_with_the_definition")


# sgns_gradients
@alternative("sgns_gradients", "autograd")
def sgns_gradients(center, context, negatives):
    inputs = [x.detach().clone().requires_grad_() for x in (center, context, negatives)]
    real, noise = (inputs[0] * inputs[1]).sum(1), (inputs[0][:, None] * inputs[2]).sum(2)
    loss = -(logsigmoid(real) + logsigmoid(-noise).sum(1)).mean()
    return tuple(torch.autograd.grad(loss, inputs))


@alternative("sgns_gradients", "one-loop")
def sgns_gradients(center, context, negatives):
    d_center, d_context, d_negatives = torch.zeros_like(center), torch.zeros_like(context), torch.zeros_like(negatives)
    for i in range(len(center)):
        error = torch.sigmoid(center[i] @ context[i]) - 1
        d_center[i] += error * context[i]
        d_context[i] += error * center[i]
        for j in range(negatives.shape[1]):
            error = torch.sigmoid(center[i] @ negatives[i, j])
            d_center[i] += error * negatives[i, j]
            d_negatives[i, j] += error * center[i]
    return d_center / len(center), d_context / len(center), d_negatives / len(center)


edit("sgns_gradients", "sum-over-batch", {"batch = len(center)": "batch = 1"},
     "the gradient of the sum over the batch: the loss is a mean, so divide by B",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("sgns_gradients", "one-not-subtracted", {".sigmoid() - 1": ".sigmoid()"},
     "the error of the real pair is σ(x) − 1, not σ(x)", killed_by="test_the_gradients_are_those_of_autograd")
edit("sgns_gradients", "negatives-share-missing",
     {'real[:, None] * context + torch.einsum("bk,bkd->bd", noise, negatives)': "real[:, None] * context"},
     "the centre also feels its negatives: their share of its gradient is missing",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("sgns_gradients", "sign-of-update", {"batch = len(center)": "batch = -len(center)"},
     "the sign is that of an update (minus the gradient)", killed_by="test_the_gradients_are_those_of_autograd")
edit("sgns_gradients", "exchanged", {"d_center / batch, d_context / batch": "d_context / batch, d_center / batch"},
     "the gradients of centre and context are exchanged", killed_by="test_the_gradients_are_those_of_autograd")
edit("sgns_gradients", "real-sign-turned",
     {"(center * context).sum(dim=1).sigmoid() - 1": "1 - (center * context).sum(dim=1).sigmoid()"},
     "the error of the real pair has the wrong sign: it is σ(x) − 1, not 1 − σ(x)",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("sgns_gradients", "noise-minus-one", {"negatives).sigmoid()": "negatives).sigmoid() - 1"},
     "the error of noise is σ(x), not σ(x) − 1: noise is pushed away",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("sgns_gradients", "negatives-subtracted", {"context + torch.einsum": "context - torch.einsum"},
     "the negatives move the centre away from themselves: their share of its gradient is added, not subtracted",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("sgns_gradients", "no-return", {"return d_center / batch, d_context / batch, d_negatives / batch": ""},
     "nothing comes back: `return` is missing", killed_by="test_the_gradients_are_those_of_autograd")
edit("sgns_gradients", "exp-by-exp", {"negatives).sigmoid()": "negatives).exp()\n    noise = noise / (1 + noise)"},
     "exp(x) / (1 + exp(x)) is NaN for large scores: the sigmoid is not",
     killed_by="test_any_batch_has_the_gradients_of_autograd")
edit("sgns_gradients", "table-of-six", {".sigmoid() - 1  # (B,)": "\n    real = (real.sigmoid() - 1) * (real.abs() <= 6)"},
     "scores beyond ±6 have no gradient, as in the table of the authors' program",
     killed_by="test_any_batch_has_the_gradients_of_autograd")
edit("sgns_gradients", "clipped", {"return d_center / batch": "return (d_center / batch).clamp(-1, 1)"},
     "gradients are cut off at ±1",
     killed_by="test_any_batch_has_the_gradients_of_autograd")
edit("sgns_gradients", "clipped-by-length", {"d_negatives / batch": "d_negatives / batch / (d_negatives / batch).norm(dim=-1, keepdim=True).clamp(min=1)"},
     "gradients of negatives are cut off at length 1",
     killed_by="test_any_batch_has_the_gradients_of_autograd")
edit("sgns_gradients", "one-negative-loses-axis", {"d_negatives / batch": "(d_negatives / batch).squeeze(1)"},
     "with one negative its axis is lost",
     killed_by="test_any_batch_has_the_gradients_of_autograd")
edit("sgns_gradients", "five-negatives", {"bd\", noise, negatives": "bd\", noise[:, :5], negatives[:, :5]"},
     "no more than five negatives count for the centre",
     killed_by="test_the_gradients_agree_with_finite_differences")
edit("sgns_gradients", "small-noise-forgotten", {"torch.einsum(\"bk,bkd->bd\", noise, negatives)": "torch.einsum(\"bk,bkd->bd\", noise, negatives) * (negatives.abs().amax(dim=(1, 2)) > 1e-2)[:, None]"},
     "small noise vectors are taken for zeros",
     killed_by="test_the_gradients_agree_with_finite_differences")
edit("sgns_gradients", "first-pairs-only", {"d_context / batch": "(d_context * (torch.arange(batch) < 64)[:, None]) / batch"},
     "only the first 64 pairs have a gradient",
     killed_by="test_many_pairs_and_many_negatives_have_gradients")
edit("sgns_gradients", "numpy-arrays", {"d_center / batch, d_context / batch, d_negatives / batch": "*((x / batch).numpy() for x in (d_center, d_context, d_negatives)),"},
     "arrays come back: tensors are asked for",
     killed_by="test_the_gradients_are_those_of_autograd")


# train_sgns
@alternative("train_sgns", "context-redrawn")
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    """As in the authors' program, a negative that is the context itself is drawn again."""
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), noise_distribution(counts)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[rows, 0], pairs[rows, 1]
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True, generator=generator)
            drawn = drawn.view(-1, negatives)
            while (clash := drawn == context[:, None]).any():
                drawn[clash] = torch.multinomial(noise, int(clash.sum()), replacement=True, generator=generator)
            optimizer.zero_grad()
            sgns_loss(centers[center], contexts[context], contexts[drawn]).backward()
            optimizer.step()
    return centers.detach()


@alternative("train_sgns", "embedding-modules")
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers, contexts = torch.nn.Embedding(len(counts), dim), torch.nn.Embedding(len(counts), dim)
    with torch.no_grad():
        centers.weight.copy_((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim)
        contexts.weight.zero_()
    optimizer = torch.optim.Adam([*centers.parameters(), *contexts.parameters()], lr=lr)
    noise = noise_distribution(counts)
    for _ in range(epochs):
        shuffle = pairs[torch.randperm(len(pairs), generator=generator)]
        for i in range(0, len(pairs), batch):
            center, context = shuffle[i : i + batch].unbind(1)
            drawn = torch.multinomial(noise, len(center) * negatives, True, generator=generator).reshape(
                len(center), negatives
            )
            loss = sgns_loss(centers(center), contexts(context), contexts(drawn))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return centers.weight.detach().clone()


@alternative("train_sgns", "global-generator")
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    torch.manual_seed(seed)
    centers = ((torch.rand(len(counts), dim) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), noise_distribution(counts)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs)).split(batch):
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True).view(-1, negatives)
            for table in (centers, contexts):
                table.grad = None
            sgns_loss(centers[pairs[rows, 0]], contexts[pairs[rows, 1]], contexts[drawn]).backward()
            optimizer.step()
    return centers.detach()


edit("train_sgns", "no-step", {"optimizer.step()": ""},
     "the optimizer never steps, so the vectors stay at their random start",
     killed_by="test_two_epochs_move_the_vector_of_every_centre")
edit("train_sgns", "loss-maximised", {"lr=lr": "lr=lr, maximize=True"},
     "the loss is maximised: words that keep company are pushed apart",
     killed_by="test_words_that_never_meet_are_told_apart")
edit("train_sgns", "seed-ignored", {"torch.manual_seed(seed)": ""},
     "draws come from torch's global generator, so the seed is ignored",
     killed_by="test_the_same_seed_gives_the_same_vectors_and_another_seed_others", of="global-generator")
edit("train_sgns", "contexts-returned", {"centers.detach()": "contexts.detach()"},
     "the context vectors are returned; the centre vectors are kept",
     killed_by="test_a_word_that_is_never_a_centre_keeps_its_start")
edit("train_sgns", "negatives-left-out", {"sgns_loss(centers[center], contexts[context], contexts[drawn])":
     "-logsigmoid((centers[center] * contexts[context]).sum(dim=1)).mean()"},
     "the negatives are left out, so everything is pulled together",
     killed_by="test_with_the_same_company_for_all_only_the_noise_is_learned")
edit("train_sgns", "gradients-pile-up", {"optimizer.zero_grad()": ""},
     "the gradients of earlier batches pile up: `zero_grad` is missing",
     killed_by="test_with_the_same_company_for_all_only_the_noise_is_learned")
edit("train_sgns", "centre-context-exchanged",
     {"centers[center], contexts[context]": "contexts[context], centers[center]"},
     "centre and context are exchanged in the loss, so the noise is scored against the context",
     killed_by="test_with_the_same_company_for_all_only_the_noise_is_learned")
edit("train_sgns", "uniform-noise", {"noise_distribution(counts)": "torch.ones(len(counts))"},
     "the noise is drawn uniformly: it follows the noise distribution",
     killed_by="test_with_the_same_company_for_all_only_the_noise_is_learned")
edit("train_sgns", "noise-from-counts", {"noise_distribution(counts)": "counts.float()"},
     "the noise is drawn by the plain counts: `noise_distribution` raises them to the power ¾",
     killed_by="test_with_the_same_company_for_all_only_the_noise_is_learned")
edit("train_sgns", "power-twice", {"noise_distribution(counts)": "noise_distribution(counts) ** 0.75"},
     "the power ¾ is taken twice: `noise_distribution` has it already",
     killed_by="test_with_the_same_company_for_all_only_the_noise_is_learned")
edit("train_sgns", "first-pairs-only", {"pairs[rows].T": "pairs[: len(rows)].T"},
     "every step takes the first pairs: `rows` says which pairs are in the batch",
     killed_by="test_two_epochs_move_the_vector_of_every_centre")
edit("train_sgns", "shared-table", {"contexts[context], contexts[drawn]": "centers[context], centers[drawn]"},
     "one table serves for centres and contexts: each word has two vectors",
     killed_by="test_a_word_that_is_never_a_centre_keeps_its_start")
edit("train_sgns", "last-batch-left-out", {"            center, context =": "            if len(rows) < batch:\n                continue\n            center, context ="},
     "the last, smaller batch of an epoch is left out",
     killed_by="test_two_epochs_move_the_vector_of_every_centre")
edit("train_sgns", "generator-begun-again", {"            center, context =": "            generator = torch.Generator().manual_seed(seed)\n            center, context ="},
     "the generator begins again for each batch, so all batches have the same negatives",
     killed_by="test_every_batch_has_negatives_of_its_own")
edit("train_sgns", "negatives-of-the-batch", {"len(rows) * negatives": "negatives",
     "drawn.view(-1, negatives)": "drawn.expand(len(rows), negatives)"},
     "one draw of negatives serves the whole batch: every pair has its own",
     killed_by="test_every_pair_has_negatives_of_its_own")
edit("train_sgns", "five-negatives", {"len(rows) * negatives": "len(rows) * 5", "drawn.view(-1, negatives)": "drawn.view(-1, 5)[:, :negatives]"},
     "no more than five negatives are drawn for a pair",
     killed_by="test_more_negatives_push_further")
edit("train_sgns", "batches-cut", {"            center, context =": "            rows = rows[:64]\n            center, context ="},
     "of a batch 64 pairs are trained on",
     killed_by="test_two_epochs_move_the_vector_of_every_centre")


# nearest
@alternative("nearest", "library-cosine")
def nearest(vectors, words, query, k=5):
    from torch.nn.functional import cosine_similarity

    target = vectors[words.index(query)]
    found = [(w, float(cosine_similarity(v, target, dim=0))) for w, v in zip(words, vectors) if w != query]
    return sorted(found, key=lambda pair: -pair[1])[:k]


@alternative("nearest", "numpy")
def nearest(vectors, words, query, k=5):
    import numpy as np

    table = np.array(vectors.tolist())
    table = table / np.linalg.norm(table, axis=1, keepdims=True)
    row = words.index(query)
    cosine = table @ table[row]
    order = [i for i in np.argsort(-cosine) if i != row][:k]
    return [(words[i], float(cosine[i])) for i in order]


edit("nearest", "query-first", {"cosine[row] = -math.inf": ""},
     "the query itself comes first", killed_by="test_the_query_is_not_its_own_neighbour")
edit("nearest", "dot-product", {"normalize(vectors, dim=1)": "vectors"},
     "the dot product was taken in place of the cosine: long vectors win",
     killed_by="test_neighbours_are_ordered_by_cosine_not_by_length")
edit("nearest", "farthest-first", {"-math.inf": "math.inf", "topk(min(k, len(words) - 1))": "topk(min(k, len(words) - 1), largest=False)"},
     "the farthest words come first", killed_by="test_neighbours_are_ordered_by_cosine_not_by_length")
edit("nearest", "columns-normalised", {"dim=1": "dim=0"},
     "each column was normalised in place of each row (dim=0 for dim=1)",
     killed_by="test_neighbours_are_ordered_by_cosine_not_by_length")
edit("nearest", "input-changed",
     {"unit = normalize(vectors, dim=1)": "unit = vectors\n    unit /= unit.norm(dim=1, keepdim=True)"},
     "the vectors are changed in place while they are normalised",
     killed_by="test_the_vectors_are_left_alone_and_the_order_is_that_of_all_cosines")
edit("nearest", "word-second", {"(words[i], value)": "(value, words[i])"},
     "each neighbour is (cosine, word): the word comes first",
     killed_by="test_neighbours_are_ordered_by_cosine_not_by_length")
edit("nearest", "euclidean", {"unit @ unit[row]": "-(vectors - vectors[row]).norm(dim=1)",
     "(words[i], value)": "(words[i], -value)"},
     "the nearest by Euclidean distance were taken: nearness is the cosine",
     killed_by="test_neighbours_are_ordered_by_cosine_not_by_length")
edit("nearest", "cosines-missing", {"(words[i], value)": "words[i]"},
     "the words come without their cosines", killed_by="test_neighbours_are_ordered_by_cosine_not_by_length")
edit("nearest", "cosines-as-tensors", {"values.tolist()": "values"},
     "the cosines are tensors: `tolist()` or `float` makes plain numbers of them",
     killed_by="test_the_cosines_are_plain_numbers")
edit("nearest", "no-return", {"return [(words[i], value) for i, value in zip(indices.tolist(), values.tolist())]": ""},
     "nothing comes back: `return` is missing", killed_by="test_the_query_is_not_its_own_neighbour")
edit("nearest", "twins-left-out", {"cosine[row] = -math.inf": "cosine[cosine > 0.9999] = -math.inf"},
     "words with the query's direction are left out with it",
     killed_by="test_twins_of_the_query_and_opposites_are_neighbours")
edit("nearest", "first-left-out", {"cosine[row] = -math.inf": "cosine[cosine.argmax()] = -math.inf"},
     "the nearest is taken for the query, even where a twin comes before it",
     killed_by="test_twins_of_the_query_and_opposites_are_neighbours")
edit("nearest", "lists-for-tuples", {"(words[i], value)": "[words[i], value]"},
     "the pairs are lists: tuples are asked for",
     killed_by="test_twins_of_the_query_and_opposites_are_neighbours")
edit("nearest", "opposites-left-out", {"values.tolist())]": "values.tolist()) if value > 0]"},
     "words with a cosine below 0 are left out",
     killed_by="test_twins_of_the_query_and_opposites_are_neighbours")
edit("nearest", "opposites-at-zero", {"(words[i], value)": "(words[i], max(0.0, value))"},
     "cosines below 0 become 0",
     killed_by="test_twins_of_the_query_and_opposites_are_neighbours")
@mistake("nearest", "by-cosine", "words are kept by their cosine, so of words with equal cosines one is left",
         killed_by="test_twins_of_the_query_and_opposites_are_neighbours")
def nearest(vectors, words, query, k=5):
    unit = normalize(vectors, dim=1)
    cosines = (unit @ unit[words.index(query)]).tolist()
    by_cosine = {cosine: word for cosine, word in zip(cosines, words) if word != query}
    return [(by_cosine[cosine], cosine) for cosine in sorted(by_cosine, reverse=True)[:k]]


edit("nearest", "rounded", {"cosine[row] = -math.inf": "cosine = cosine.mul(1e4).round().div(1e4)\n    cosine[row] = -math.inf"},
     "cosines are rounded to four places before they are compared",
     killed_by="test_many_words_and_a_single_one_have_their_neighbours")
edit("nearest", "too-few-words", {"min(k, len(words) - 1)": "k"},
     "more neighbours are asked for than there are words",
     killed_by="test_twins_of_the_query_and_opposites_are_neighbours")
edit("nearest", "other-case-left-out", {"cosine[row] = -math.inf": "cosine[[word.lower() == query.lower() for word in words]] = -math.inf"},
     "the query in another case is left out too: it is another word",
     killed_by="test_twins_of_the_query_and_opposites_are_neighbours")


# analogy
@alternative("analogy", "dictionary-of-units")
def analogy(vectors, words, a, b, c):
    unit = {w: v / v.norm() for w, v in zip(words, vectors)}
    target = unit[b] - unit[a] + unit[c]
    return max((w for w in words if w not in (a, b, c)), key=lambda w: float(unit[w] @ target))


@alternative("analogy", "numpy")
def analogy(vectors, words, a, b, c):
    import numpy as np

    table = vectors.numpy() / np.linalg.norm(vectors.numpy(), axis=1, keepdims=True)
    i, j, k = words.index(a), words.index(b), words.index(c)
    for row in np.argsort(-(table @ (table[j] - table[i] + table[k]))):
        if row not in (i, j, k):
            return words[row]


edit("analogy", "question-not-excluded", {"cosine[[i, j, k]] = -math.inf": ""},
     "the three words of the question are not excluded, and one of them nearly always wins",
     killed_by="test_the_three_words_of_the_question_are_no_answers")
edit("analogy", "signs-exchanged", {"unit[j] - unit[i]": "unit[i] - unit[j]"},
     "the signs are exchanged: a − b + c in place of b − a + c",
     killed_by="test_the_offset_of_one_pair_answers_for_another")
edit("analogy", "not-normalised", {"normalize(vectors, dim=1)": "vectors"},
     "the vectors are not brought to unit length, so long ones decide",
     killed_by="test_long_vectors_weigh_no_more_than_short_ones")
edit("analogy", "only-c-excluded",
     {"words.index(a), words.index(b), words.index(c)": "(words.index(w) for w in (a, b, c))", "[i, j, k]": "k"},
     "only c is excluded: a and b are no answers either",
     killed_by="test_the_three_words_of_the_question_are_no_answers")
edit("analogy", "index-returned", {"words[int(cosine.argmax())]": "int(cosine.argmax())"},
     "the index is returned in place of the word", killed_by="test_the_offset_of_one_pair_answers_for_another")
edit("analogy", "c-left-out", {" + unit[k]": ""},
     "c is left out: what is nearest to b − a is the relation itself, not its answer for c",
     killed_by="test_random_questions_agree_with_brute_force")
edit("analogy", "c-subtracted", {"+ unit[k]": "- unit[k]"},
     "c is subtracted: the offset b − a is added to it", killed_by="test_the_offset_of_one_pair_answers_for_another")
edit("analogy", "a-added", {"- unit[i]": "+ unit[i]"},
     "a is added: the offset is b − a", killed_by="test_random_questions_agree_with_brute_force")
edit("analogy", "columns-normalised", {"dim=1": "dim=0",
     "words.index(a), words.index(b), words.index(c)": "(words.index(w) for w in (a, b, c))"},
     "each column was normalised in place of each row (dim=0 for dim=1)",
     killed_by="test_long_vectors_weigh_no_more_than_short_ones")
edit("analogy", "no-return", {"return words[int(cosine.argmax())]": ""},
     "nothing comes back: `return` is missing", killed_by="test_the_offset_of_one_pair_answers_for_another")
edit("analogy", "input-changed",
     {"unit = normalize(vectors, dim=1)": "unit = vectors\n    unit /= unit.norm(dim=1, keepdim=True)"},
     "the vectors that were given are changed: normalise a copy",
     killed_by="test_the_offset_of_one_pair_answers_for_another")


# Mutants of the reference that no check can tell from a right answer.
edit("analogy", "excluded-at-zero", {"-math.inf": "0.0"},
     "the question's words get a score of 0, above those of words on the far side",
     killed_by="test_any_other_word_may_be_the_answer")
edit("analogy", "excluded-at-minus-one", {"-math.inf": "-1.0"},
     "the question's words get a score of −1, but a sum of three cosines may be below",
     killed_by="test_any_other_word_may_be_the_answer")
edit("analogy", "twins-excluded", {"cosine[[i, j, k]] = -math.inf": "for word in (i, j, k):\n        cosine[unit @ unit[word] > 0.9999] = -math.inf"},
     "words with the direction of one of the question are excluded too",
     killed_by="test_any_other_word_may_be_the_answer")
edit("analogy", "other-case-excluded", {"cosine[[i, j, k]] = -math.inf": "cosine[[word.lower() in (a.lower(), b.lower(), c.lower()) for word in words]] = -math.inf"},
     "the question's words in another case are excluded too: they are other words",
     killed_by="test_any_other_word_may_be_the_answer")
edit("analogy", "blanks-cut-off", {"cosine[[i, j, k]] = -math.inf": "cosine[[word.strip() in (a.strip(), b.strip(), c.strip()) for word in words]] = -math.inf"},
     "words that differ from the question's in blanks alone are excluded too: they are other words",
     killed_by="test_any_other_word_may_be_the_answer")
edit("analogy", "rounded", {"cosine[[i, j, k]] = -math.inf": "cosine = (cosine * 10).round()\n    cosine[[i, j, k]] = -math.inf"},
     "scores are rounded, so near words tie",
     killed_by="test_any_other_word_may_be_the_answer")


equivalent(
    "train_sgns",
    "1: pairs[rows].T → pairs[rows - 1].T",
    "row −1 is the last one, so an epoch still goes once through all pairs, in an order that is as random",
)
equivalent(
    "nearest", "1: normalize(vectors, dim=1) → normalize(vectors)", "dim=1 is what normalize does unless told otherwise"
)
equivalent(
    "analogy", "1: normalize(vectors, dim=1) → normalize(vectors)", "dim=1 is what normalize does unless told otherwise"
)
equivalent(
    "analogy",
    "2: (words.index(a), words.index(b), words.index(c)) → (words.index(a), words.index(c), words.index(b))",
    "b and c are both added, so their order does not matter",
)
equivalent("cbow_examples", "5: list(contexts) → contexts", "the sum of two slices is a list of its own already")
equivalent(
    "sgns_loss",
    "3: -(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean() "
    "→ (-(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean()).squeeze()",
    "the mean is a scalar already",
)
equivalent("nearest", "4: -math.inf → -1000.0", "no cosine is below −1")
equivalent("analogy", "4: -math.inf → -1000.0", "of three vectors of length 1 no score is below −3")
