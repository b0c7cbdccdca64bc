"""word2vec: classic mistakes and other right ways, for each exercise. Never released."""

import math

import torch
from torch.nn.functional import logsigmoid, normalize

from grader.lessons.bank import alternative, equivalent, mistake

# Answers run in the notebook's namespace, which has these too.
noise_distribution = sgns_loss = trange = None


@mistake("skipgram_pairs", "the centre word is paired with itself", "test_the_window_is_cut_off_at_the_edges")
def skipgram_pairs(tokens, window):
    return [
        (tokens[i], tokens[j])
        for i in range(len(tokens))
        for j in range(max(0, i - window), min(len(tokens), i + window + 1))
    ]


@mistake(
    "skipgram_pairs",
    "the right edge of the window is left out: range stops before its end",
    "test_a_word_inside_the_sentence_has_two_neighbours_on_each_side",
)
def skipgram_pairs(tokens, window):
    return [
        (tokens[i], tokens[j])
        for i in range(len(tokens))
        for j in range(max(0, i - window), min(len(tokens), i + window))
        if j != i
    ]


@mistake(
    "skipgram_pairs",
    "the window is taken as the whole span: half of it on each side, where it means the words on one side",
    "test_a_word_inside_the_sentence_has_two_neighbours_on_each_side",
)
def skipgram_pairs(tokens, window):
    half = window // 2
    return [
        (tokens[i], tokens[j])
        for i in range(len(tokens))
        for j in range(max(0, i - half), min(len(tokens), i + half + 1))
        if j != i
    ]


@mistake(
    "skipgram_pairs",
    "negative indices wrap around to the sentence's end: the window must be cut off at the edges",
    "test_the_window_is_cut_off_at_the_edges",
)
def skipgram_pairs(tokens, window):
    return [
        (tokens[i], tokens[j])
        for i in range(len(tokens))
        for j in range(i - window, i + window + 1)
        if j != i and j < len(tokens)
    ]


@mistake(
    "skipgram_pairs",
    "words whose window reaches over an edge are skipped: they have fewer pairs, not none",
    "test_the_window_is_cut_off_at_the_edges",
)
def skipgram_pairs(tokens, window):
    return [
        (tokens[i], tokens[j])
        for i in range(window, len(tokens) - window)
        for j in range(i - window, i + window + 1)
        if j != i
    ]


@mistake(
    "skipgram_pairs",
    "positions are told apart by the word that stands there, so a repeated word loses pairs",
    "test_a_word_that_stands_twice_is_paired_at_both_places",
)
def skipgram_pairs(tokens, window):
    return [(c, o) for i, c in enumerate(tokens) for o in tokens[max(0, i - window) : i + window + 1] if o != c]


@mistake(
    "skipgram_pairs",
    "each pair is turned round: the centre comes first, then its context",
    "test_the_window_is_cut_off_at_the_edges",
)
def skipgram_pairs(tokens, window):
    return [
        (tokens[j], tokens[i])
        for i in range(len(tokens))
        for j in range(max(0, i - window), min(len(tokens), i + window + 1))
        if j != i
    ]


@mistake(
    "skipgram_pairs",
    "only the words after the centre are paired with it: the window reaches to both sides",
    "test_a_word_inside_the_sentence_has_two_neighbours_on_each_side",
)
def skipgram_pairs(tokens, window):
    return [(tokens[i], tokens[j]) for i in range(len(tokens)) for j in range(i + 1, min(len(tokens), i + window + 1))]


@mistake(
    "skipgram_pairs",
    "the window reaches one word too far to the right",
    "test_a_word_inside_the_sentence_has_two_neighbours_on_each_side",
)
def skipgram_pairs(tokens, window):
    return [
        (tokens[i], tokens[j])
        for i in range(len(tokens))
        for j in range(max(0, i - window), min(len(tokens), i + window + 2))
        if j != i
    ]


@mistake(
    "skipgram_pairs",
    "each pair is a list: a tuple was asked for",
    "test_a_word_inside_the_sentence_has_two_neighbours_on_each_side",
)
def skipgram_pairs(tokens, window):
    return [
        [tokens[i], tokens[j]]
        for i in range(len(tokens))
        for j in range(max(0, i - window), min(len(tokens), i + window + 1))
        if j != i
    ]


@mistake(
    "skipgram_pairs",
    "`return` stands inside the loop, so only the first word is a centre",
    "test_the_window_is_cut_off_at_the_edges",
)
def skipgram_pairs(tokens, window):
    pairs = []
    for i, center in enumerate(tokens):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((center, tokens[j]))
        return pairs


@mistake(
    "skipgram_pairs",
    "nothing comes back: `return` is missing",
    "test_a_word_inside_the_sentence_has_two_neighbours_on_each_side",
)
def skipgram_pairs(tokens, window):
    pairs = []
    for i, center in enumerate(tokens):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((center, tokens[j]))


@alternative("skipgram_pairs")
def skipgram_pairs(tokens, window):
    offsets = [o for o in range(-window, window + 1) if o]
    return [(word, tokens[i + o]) for i, word in enumerate(tokens) for o in offsets if 0 <= i + o < len(tokens)]


@alternative("skipgram_pairs")
def skipgram_pairs(tokens, window):
    pairs = []
    for i, word in enumerate(tokens):
        around = list(tokens[max(0, i - window) : i]) + list(tokens[i + 1 : i + 1 + window])
        pairs.extend(zip([word] * len(around), around))
    return pairs


@mistake(
    "cbow_examples",
    "one example for each (context, centre) pair: CBOW averages all contexts of a word into one example",
    "test_all_contexts_of_a_word_make_one_example",
)
def cbow_examples(tokens, window):
    return [
        ([tokens[j]], tokens[i])
        for i in range(len(tokens))
        for j in range(max(0, i - window), min(len(tokens), i + window + 1))
        if j != i
    ]


@mistake(
    "cbow_examples",
    "the centre word is among its own contexts, so the answer is in the question",
    "test_all_contexts_of_a_word_make_one_example",
)
def cbow_examples(tokens, window):
    return [(tokens[max(0, i - window) : i + window + 1], tokens[i]) for i in range(len(tokens))]


@mistake(
    "cbow_examples",
    "a negative start of a slice wraps around, and the first words lose their left context",
    "test_the_examples_agree_with_brute_force",
)
def cbow_examples(tokens, window):
    examples = [(tokens[i - window : i] + tokens[i + 1 : i + window + 1], tokens[i]) for i in range(len(tokens))]
    return [example for example in examples if example[0]]


@mistake(
    "cbow_examples",
    "each example is turned round: contexts come first, then the centre",
    "test_all_contexts_of_a_word_make_one_example",
)
def cbow_examples(tokens, window):
    examples = [
        (tokens[i], tokens[max(0, i - window) : i] + tokens[i + 1 : i + window + 1]) for i in range(len(tokens))
    ]
    return [example for example in examples if example[1]]


@mistake(
    "cbow_examples",
    "a word without any context still makes an example, and the mean of no vectors is not a number",
    "test_a_sentence_of_one_word_has_no_example",
)
def cbow_examples(tokens, window):
    return [(tokens[max(0, i - window) : i] + tokens[i + 1 : i + window + 1], tokens[i]) for i in range(len(tokens))]


@mistake(
    "cbow_examples",
    "only the words before the centre are its context: the window reaches to both sides",
    "test_all_contexts_of_a_word_make_one_example",
)
def cbow_examples(tokens, window):
    return [(tokens[max(0, i - window) : i], tokens[i]) for i in range(1, len(tokens))]


@mistake(
    "cbow_examples",
    "the window is one word short on the right: the end of a slice is exclusive",
    "test_all_contexts_of_a_word_make_one_example",
)
def cbow_examples(tokens, window):
    examples = [(tokens[max(0, i - window) : i] + tokens[i + 1 : i + window], tokens[i]) for i in range(len(tokens))]
    return [example for example in examples if example[0]]


@mistake(
    "cbow_examples",
    "the whole sentence is the context: the window is not used",
    "test_all_contexts_of_a_word_make_one_example",
)
def cbow_examples(tokens, window):
    return [(tokens[:i] + tokens[i + 1 :], tokens[i]) for i in range(len(tokens)) if len(tokens) > 1]


@mistake(
    "cbow_examples",
    "`return` stands inside the loop, so there is one example only",
    "test_the_coffee_sentence_has_8_examples",
)
def cbow_examples(tokens, window):
    examples = []
    for i, center in enumerate(tokens):
        contexts = tokens[max(0, i - window) : i] + tokens[i + 1 : i + window + 1]
        if contexts:
            examples.append((list(contexts), center))
        return examples


@mistake("cbow_examples", "nothing comes back: `return` is missing", "test_all_contexts_of_a_word_make_one_example")
def cbow_examples(tokens, window):
    examples = []
    for i, center in enumerate(tokens):
        contexts = tokens[max(0, i - window) : i] + tokens[i + 1 : i + window + 1]
        if contexts:
            examples.append((list(contexts), center))


@alternative("cbow_examples")
def cbow_examples(tokens, window):
    around = [[tokens[j] for j in range(len(tokens)) if 0 < abs(i - j) <= window] for i in range(len(tokens))]
    return [(contexts, center) for contexts, center in zip(around, tokens) if contexts]


@alternative("cbow_examples")
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


@mistake(
    "keep_probability",
    "this is the probability of dropping a word, 1 − sqrt(t/f): the paper states it so, the exercise asks for keeping",
    "test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f",
)
def keep_probability(counts, t):
    return 1 - (t / (counts / counts.sum())).sqrt().clamp(max=1.0)


@mistake(
    "keep_probability",
    "the threshold is compared with the count, where f is the share of all tokens",
    "test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f",
)
def keep_probability(counts, t):
    return (t / counts).sqrt().clamp(max=1.0)


@mistake(
    "keep_probability",
    "probabilities above 1: a word rarer than t is always kept, with probability 1",
    "test_a_rare_word_is_always_kept",
)
def keep_probability(counts, t):
    return (t / (counts / counts.sum())).sqrt()


@mistake(
    "keep_probability", "the square root is missing", "test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f"
)
def keep_probability(counts, t):
    return (t / (counts / counts.sum())).clamp(max=1.0)


@mistake(
    "keep_probability",
    "frequent words are removed altogether: they are thinned out at random",
    "test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f",
)
def keep_probability(counts, t):
    return (counts / counts.sum() <= t).float()


@mistake(
    "keep_probability",
    "the fraction is turned over: sqrt(f/t) keeps the frequent words and drops the rare ones",
    "test_a_rare_word_is_always_kept",
)
def keep_probability(counts, t):
    return (counts / counts.sum() / t).sqrt().clamp(max=1.0)


@mistake(
    "keep_probability",
    "the share is taken of the most frequent word: f is the share of all tokens",
    "test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f",
)
def keep_probability(counts, t):
    return (t / (counts / counts.max())).sqrt().clamp(max=1.0)


@mistake(
    "keep_probability",
    "nothing comes back: `return` is missing",
    "test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f",
)
def keep_probability(counts, t):
    (t / (counts / counts.sum())).sqrt().clamp(max=1.0)


@alternative("keep_probability")
def keep_probability(counts, t):
    total = int(counts.sum())
    return torch.tensor([min(1.0, math.sqrt(t * total / c)) for c in counts.tolist()])


@alternative("keep_probability")
def keep_probability(counts, t):
    import numpy as np

    frequency = np.asarray(counts) / np.asarray(counts).sum()
    return torch.from_numpy(np.minimum(1.0, np.sqrt(t / frequency)))


@mistake(
    "noise_distribution",
    "the power is taken of the normalised result, which no longer sums to 1",
    "test_it_sums_to_one",
)
def noise_distribution(counts, power=0.75):
    return (counts / counts.sum()) ** power


@mistake(
    "noise_distribution",
    "plain frequencies: the power ¾ is missing",
    "test_the_weights_are_counts_to_the_power_three_quarters",
)
def noise_distribution(counts, power=0.75):
    return counts / counts.sum()


@mistake(
    "noise_distribution",
    "a uniform draw: the counts are not used",
    "test_the_weights_are_counts_to_the_power_three_quarters",
)
def noise_distribution(counts, power=0.75):
    return torch.full((len(counts),), 1 / len(counts))


@mistake(
    "noise_distribution",
    "a softmax of the counts, which gives all weight to the most frequent word",
    "test_the_weights_are_counts_to_the_power_three_quarters",
)
def noise_distribution(counts, power=0.75):
    return (counts.float() * power).softmax(dim=0)


@mistake("noise_distribution", "the weights are not normalised", "test_it_sums_to_one")
def noise_distribution(counts, power=0.75):
    return counts.float() ** power


@mistake("noise_distribution", "the power is fixed at ¾, whatever is asked for", "test_another_power_is_obeyed")
def noise_distribution(counts, power=0.75):
    weights = counts.float() ** 0.75
    return weights / weights.sum()


@mistake(
    "noise_distribution",
    "the weights are divided by the largest, so the most frequent word has probability 1",
    "test_it_sums_to_one",
)
def noise_distribution(counts, power=0.75):
    weights = counts.double() ** power
    return weights / weights.max()


@mistake(
    "noise_distribution",
    "base and exponent are exchanged: power ** counts draws rare words most",
    "test_the_weights_are_counts_to_the_power_three_quarters",
)
def noise_distribution(counts, power=0.75):
    weights = power ** counts.double()
    return weights / weights.sum()


@mistake(
    "noise_distribution",
    "nothing comes back: `return` is missing",
    "test_the_weights_are_counts_to_the_power_three_quarters",
)
def noise_distribution(counts, power=0.75):
    weights = counts.double() ** power
    weights / weights.sum()


@alternative("noise_distribution")
def noise_distribution(counts, power=0.75):
    weights = [c**power for c in counts.tolist()]
    return torch.tensor([w / sum(weights) for w in weights])


@alternative("noise_distribution")
def noise_distribution(counts, power=0.75):
    return (power * counts.double().log()).softmax(dim=0)


@mistake(
    "sgns_loss", "the sum over the batch was taken in place of the mean", "test_the_loss_is_the_mean_over_the_batch"
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (center[:, None] * negatives).sum(2)
    return -(logsigmoid(real).sum() + logsigmoid(-noise).sum())


@mistake(
    "sgns_loss",
    "the negatives are averaged: eq. 4 sums over them",
    "test_zero_vectors_cost_log_2_for_the_pair_and_for_each_negative",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (center[:, None] * negatives).sum(2)
    return -(logsigmoid(real) + logsigmoid(-noise).mean(1)).mean()


@mistake(
    "sgns_loss",
    "the noise is rewarded like real pairs: its score needs a minus sign inside the sigmoid",
    "test_real_pairs_attract_and_noise_repels",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (center[:, None] * negatives).sum(2)
    return -(logsigmoid(real) + logsigmoid(noise).sum(1)).mean()


@mistake(
    "sgns_loss",
    "the sign is that of the paper's objective, which is maximised; a loss is minimised",
    "test_zero_vectors_cost_log_2_for_the_pair_and_for_each_negative",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (center[:, None] * negatives).sum(2)
    return (logsigmoid(real) + logsigmoid(-noise).sum(1)).mean()


@mistake(
    "sgns_loss",
    "log(sigmoid(x)) is minus infinity for large negative scores; logsigmoid is exact",
    "test_large_scores_stay_finite",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (center[:, None] * negatives).sum(2)
    return -(real.sigmoid().log() + (-noise).sigmoid().log().sum(1)).mean()


@mistake(
    "sgns_loss",
    "the negatives are compared with the context: they are noise for the centre word",
    "test_random_batches_agree_with_the_definition",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (context[:, None] * negatives).sum(2)
    return -(logsigmoid(real) + logsigmoid(-noise).sum(1)).mean()


@mistake("sgns_loss", "the negatives are left out", "test_zero_vectors_cost_log_2_for_the_pair_and_for_each_negative")
def sgns_loss(center, context, negatives):
    return -logsigmoid((center * context).sum(1)).mean()


@mistake(
    "sgns_loss",
    "the noise is summed over the whole batch: `sum` needs the axis of the k negatives",
    "test_the_loss_is_the_mean_over_the_batch",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (center[:, None] * negatives).sum(2)
    return -(logsigmoid(real) + logsigmoid(-noise).sum()).mean()


@mistake(
    "sgns_loss",
    "the scores of the real pairs are summed over the whole batch: `sum` needs the axis of the d numbers",
    "test_real_pairs_attract_and_noise_repels",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(), (center[:, None] * negatives).sum(2)
    return -(logsigmoid(real) + logsigmoid(-noise).sum(1)).mean()


@mistake(
    "sgns_loss",
    "a score is a dot product, the sum over the d numbers, not their mean",
    "test_real_pairs_attract_and_noise_repels",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).mean(1), (center[:, None] * negatives).mean(2)
    return -(logsigmoid(real) + logsigmoid(-noise).sum(1)).mean()


@mistake(
    "sgns_loss",
    "the sign of the noise term is that of the objective: both terms are subtracted",
    "test_zero_vectors_cost_log_2_for_the_pair_and_for_each_negative",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (center[:, None] * negatives).sum(2)
    return -logsigmoid(real).mean() + logsigmoid(-noise).sum(1).mean()


@mistake(
    "sgns_loss",
    "nothing comes back: `return` is missing",
    "test_zero_vectors_cost_log_2_for_the_pair_and_for_each_negative",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (center[:, None] * negatives).sum(2)
    -(logsigmoid(real) + logsigmoid(-noise).sum(1)).mean()


@mistake(
    "sgns_loss",
    "a Python number has no gradient: the loss stays a tensor until `backward` has run",
    "test_gradients_flow_back_to_all_vectors",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (center[:, None] * negatives).sum(2)
    return -(logsigmoid(real) + logsigmoid(-noise).sum(1)).mean().item()


@mistake(
    "sgns_loss",
    "no gradient flows back to the negatives, so the noise words are never pushed away",
    "test_gradients_flow_back_to_all_vectors",
)
def sgns_loss(center, context, negatives):
    real, noise = (center * context).sum(1), (center[:, None] * negatives.detach()).sum(2)
    return -(logsigmoid(real) + logsigmoid(-noise).sum(1)).mean()


@alternative("sgns_loss")
def sgns_loss(center, context, negatives):
    from torch.nn.functional import binary_cross_entropy_with_logits as bce

    candidates = torch.cat([context[:, None], negatives], dim=1)
    logits = (candidates @ center[:, :, None]).squeeze(2)
    labels = torch.zeros_like(logits)
    labels[:, 0] = 1
    return bce(logits, labels, reduction="sum") / len(center)


@alternative("sgns_loss")
def sgns_loss(center, context, negatives):
    from torch.nn.functional import softplus

    real = torch.einsum("bd,bd->b", center, context)
    noise = torch.matmul(negatives, center.unsqueeze(-1)).squeeze(-1)
    return softplus(-real).mean() + softplus(noise).sum(dim=1).mean()


@alternative("sgns_loss", slow="a loop over 2,048 pairs and their negatives in each of hundreds of steps")
def sgns_loss(center, context, negatives):
    total = torch.zeros((), dtype=center.dtype)
    for i in range(len(center)):
        total = total - logsigmoid(center[i] @ context[i])
        for j in range(negatives.shape[1]):
            total = total - logsigmoid(-(center[i] @ negatives[i, j]))
    return total / len(center)


@mistake(
    "sgns_gradients",
    "the gradient of the sum over the batch: the loss is a mean, so divide by B",
    "test_the_gradients_are_those_of_autograd",
)
def sgns_gradients(center, context, negatives):
    real = (center * context).sum(1).sigmoid() - 1
    noise = (center[:, None] * negatives).sum(2).sigmoid()
    return (
        real[:, None] * context + (noise[:, :, None] * negatives).sum(1),
        real[:, None] * center,
        noise[:, :, None] * center[:, None],
    )


@mistake(
    "sgns_gradients", "the error of the real pair is σ(x) − 1, not σ(x)", "test_the_gradients_are_those_of_autograd"
)
def sgns_gradients(center, context, negatives):
    b = len(center)
    real = (center * context).sum(1).sigmoid()
    noise = (center[:, None] * negatives).sum(2).sigmoid()
    return (
        (real[:, None] * context + (noise[:, :, None] * negatives).sum(1)) / b,
        real[:, None] * center / b,
        noise[:, :, None] * center[:, None] / b,
    )


@mistake(
    "sgns_gradients",
    "the centre also feels its negatives: their share of its gradient is missing",
    "test_the_gradients_are_those_of_autograd",
)
def sgns_gradients(center, context, negatives):
    b = len(center)
    real = (center * context).sum(1).sigmoid() - 1
    noise = (center[:, None] * negatives).sum(2).sigmoid()
    return real[:, None] * context / b, real[:, None] * center / b, noise[:, :, None] * center[:, None] / b


@mistake(
    "sgns_gradients", "the sign is that of an update (minus the gradient)", "test_the_gradients_are_those_of_autograd"
)
def sgns_gradients(center, context, negatives):
    b = len(center)
    real = 1 - (center * context).sum(1).sigmoid()
    noise = -(center[:, None] * negatives).sum(2).sigmoid()
    return (
        (real[:, None] * context + (noise[:, :, None] * negatives).sum(1)) / b,
        real[:, None] * center / b,
        noise[:, :, None] * center[:, None] / b,
    )


@mistake(
    "sgns_gradients", "the gradients of centre and context are exchanged", "test_the_gradients_are_those_of_autograd"
)
def sgns_gradients(center, context, negatives):
    b = len(center)
    real = (center * context).sum(1).sigmoid() - 1
    noise = (center[:, None] * negatives).sum(2).sigmoid()
    return (
        real[:, None] * center / b,
        (real[:, None] * context + (noise[:, :, None] * negatives).sum(1)) / b,
        noise[:, :, None] * center[:, None] / b,
    )


@mistake(
    "sgns_gradients",
    "the error of the real pair has the wrong sign: it is σ(x) − 1, not 1 − σ(x)",
    "test_the_gradients_are_those_of_autograd",
)
def sgns_gradients(center, context, negatives):
    b = len(center)
    real = 1 - (center * context).sum(1).sigmoid()
    noise = (center[:, None] * negatives).sum(2).sigmoid()
    return (
        (real[:, None] * context + (noise[:, :, None] * negatives).sum(1)) / b,
        real[:, None] * center / b,
        noise[:, :, None] * center[:, None] / b,
    )


@mistake(
    "sgns_gradients",
    "the error of noise is σ(x), not σ(x) − 1: noise is pushed away",
    "test_the_gradients_are_those_of_autograd",
)
def sgns_gradients(center, context, negatives):
    b = len(center)
    real = (center * context).sum(1).sigmoid() - 1
    noise = (center[:, None] * negatives).sum(2).sigmoid() - 1
    return (
        (real[:, None] * context + (noise[:, :, None] * negatives).sum(1)) / b,
        real[:, None] * center / b,
        noise[:, :, None] * center[:, None] / b,
    )


@mistake(
    "sgns_gradients",
    "the negatives move the centre away from themselves: their share of its gradient is added, not subtracted",
    "test_the_gradients_are_those_of_autograd",
)
def sgns_gradients(center, context, negatives):
    b = len(center)
    real = (center * context).sum(1).sigmoid() - 1
    noise = (center[:, None] * negatives).sum(2).sigmoid()
    return (
        (real[:, None] * context - (noise[:, :, None] * negatives).sum(1)) / b,
        real[:, None] * center / b,
        noise[:, :, None] * center[:, None] / b,
    )


@mistake("sgns_gradients", "nothing comes back: `return` is missing", "test_the_gradients_are_those_of_autograd")
def sgns_gradients(center, context, negatives):
    real = (center * context).sum(1).sigmoid() - 1
    noise = (center[:, None] * negatives).sum(2).sigmoid()
    real[:, None] * context + (noise[:, :, None] * negatives).sum(1)


@alternative("sgns_gradients")
def sgns_gradients(center, context, negatives):
    inputs = [x.detach().clone().requires_grad_() for x in (center, context, negatives)]
    real, noise = (inputs[0] * inputs[1]).sum(1), (inputs[0][:, None] * inputs[2]).sum(2)
    loss = -(logsigmoid(real) + logsigmoid(-noise).sum(1)).mean()
    return tuple(torch.autograd.grad(loss, inputs))


@alternative("sgns_gradients")
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


@mistake(
    "train_sgns",
    "the optimizer never steps, so the vectors stay at their random start",
    "test_one_epoch_moves_the_vector_of_every_centre",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(len(counts), dim, generator=generator) - 0.5) / dim


@mistake(
    "train_sgns",
    "the loss is maximised: words that keep company are pushed apart",
    "test_words_that_never_meet_are_told_apart",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), noise_distribution(counts)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True, generator=generator).view(
                -1, negatives
            )
            optimizer.zero_grad()
            (-sgns_loss(centers[pairs[rows, 0]], contexts[pairs[rows, 1]], contexts[drawn])).backward()
            optimizer.step()
    return centers.detach()


@mistake(
    "train_sgns",
    "draws come from torch's global generator, so the seed is ignored",
    "test_the_same_seed_gives_the_same_vectors_and_another_seed_others",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    centers = ((torch.rand(len(counts), dim) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), noise_distribution(counts)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs)).split(batch):
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True).view(-1, negatives)
            optimizer.zero_grad()
            sgns_loss(centers[pairs[rows, 0]], contexts[pairs[rows, 1]], contexts[drawn]).backward()
            optimizer.step()
    return centers.detach()


@mistake(
    "train_sgns",
    "the context vectors are returned; the centre vectors are kept",
    "test_a_word_that_is_never_a_centre_keeps_its_start",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), noise_distribution(counts)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True, generator=generator).view(
                -1, negatives
            )
            optimizer.zero_grad()
            sgns_loss(centers[pairs[rows, 0]], contexts[pairs[rows, 1]], contexts[drawn]).backward()
            optimizer.step()
    return contexts.detach()


@mistake(
    "train_sgns",
    "the negatives are left out, so everything is pulled together",
    "test_with_the_same_company_for_all_only_the_noise_is_learned",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([centers, contexts], lr=lr)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            optimizer.zero_grad()
            (-logsigmoid((centers[pairs[rows, 0]] * contexts[pairs[rows, 1]]).sum(1)).mean()).backward()
            optimizer.step()
    return centers.detach()


@mistake(
    "train_sgns",
    "the gradients of earlier batches pile up: `zero_grad` is missing",
    "test_with_the_same_company_for_all_only_the_noise_is_learned",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), noise_distribution(counts)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True, generator=generator).view(
                -1, negatives
            )
            sgns_loss(centers[pairs[rows, 0]], contexts[pairs[rows, 1]], contexts[drawn]).backward()
            optimizer.step()
    return centers.detach()


@mistake(
    "train_sgns",
    "centre and context are exchanged in the loss, so the noise is scored against the context",
    "test_with_the_same_company_for_all_only_the_noise_is_learned",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), noise_distribution(counts)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True, generator=generator).view(
                -1, negatives
            )
            optimizer.zero_grad()
            sgns_loss(contexts[pairs[rows, 1]], centers[pairs[rows, 0]], contexts[drawn]).backward()
            optimizer.step()
    return centers.detach()


@mistake(
    "train_sgns",
    "the noise is drawn uniformly: it follows the noise distribution",
    "test_with_the_same_company_for_all_only_the_noise_is_learned",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), torch.ones(len(counts))
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True, generator=generator).view(
                -1, negatives
            )
            optimizer.zero_grad()
            sgns_loss(centers[pairs[rows, 0]], contexts[pairs[rows, 1]], contexts[drawn]).backward()
            optimizer.step()
    return centers.detach()


@mistake(
    "train_sgns",
    "the noise is drawn by the plain counts: `noise_distribution` raises them to the power ¾",
    "test_with_the_same_company_for_all_only_the_noise_is_learned",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([centers, contexts], lr=lr)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            size = len(rows) * negatives
            drawn = torch.multinomial(counts.float(), size, replacement=True, generator=generator).view(-1, negatives)
            optimizer.zero_grad()
            sgns_loss(centers[pairs[rows, 0]], contexts[pairs[rows, 1]], contexts[drawn]).backward()
            optimizer.step()
    return centers.detach()


@mistake(
    "train_sgns",
    "the power ¾ is taken twice: `noise_distribution` has it already",
    "test_with_the_same_company_for_all_only_the_noise_is_learned",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), noise_distribution(counts) ** 0.75
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True, generator=generator).view(
                -1, negatives
            )
            optimizer.zero_grad()
            sgns_loss(centers[pairs[rows, 0]], contexts[pairs[rows, 1]], contexts[drawn]).backward()
            optimizer.step()
    return centers.detach()


@mistake(
    "train_sgns",
    "every step takes the first pairs: `rows` says which pairs are in the batch",
    "test_one_epoch_moves_the_vector_of_every_centre",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), noise_distribution(counts)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[: len(rows)].T
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True, generator=generator).view(
                -1, negatives
            )
            optimizer.zero_grad()
            sgns_loss(centers[center], contexts[context], contexts[drawn]).backward()
            optimizer.step()
    return centers.detach()


@mistake(
    "train_sgns",
    "one table serves for centres and contexts: each word has two vectors",
    "test_a_word_that_is_never_a_centre_keeps_its_start",
)
def train_sgns(pairs, counts, dim=64, negatives=5, epochs=5, lr=0.02, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centers = ((torch.rand(len(counts), dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer, noise = torch.optim.Adam([centers, contexts], lr=lr), noise_distribution(counts)
    for _ in range(epochs):
        for rows in torch.randperm(len(pairs), generator=generator).split(batch):
            drawn = torch.multinomial(noise, len(rows) * negatives, replacement=True, generator=generator).view(
                -1, negatives
            )
            optimizer.zero_grad()
            sgns_loss(centers[pairs[rows, 0]], centers[pairs[rows, 1]], centers[drawn]).backward()
            optimizer.step()
    return centers.detach()


@alternative("train_sgns")
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


@alternative("train_sgns")
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


@alternative("train_sgns")
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


@mistake("nearest", "the query itself comes first", "test_the_query_is_not_its_own_neighbour")
def nearest(vectors, words, query, k=5):
    cosine = normalize(vectors, dim=1) @ normalize(vectors, dim=1)[words.index(query)]
    values, indices = cosine.topk(k)
    return [(words[i], v) for i, v in zip(indices.tolist(), values.tolist())]


@mistake(
    "nearest",
    "the dot product was taken in place of the cosine: long vectors win",
    "test_neighbours_are_ordered_by_cosine_not_by_length",
)
def nearest(vectors, words, query, k=5):
    score = vectors @ vectors[words.index(query)]
    score[words.index(query)] = -math.inf
    values, indices = score.topk(k)
    return [(words[i], v) for i, v in zip(indices.tolist(), values.tolist())]


@mistake("nearest", "the farthest words come first", "test_neighbours_are_ordered_by_cosine_not_by_length")
def nearest(vectors, words, query, k=5):
    cosine = normalize(vectors, dim=1) @ normalize(vectors, dim=1)[words.index(query)]
    cosine[words.index(query)] = math.inf
    values, indices = cosine.topk(k, largest=False)
    return [(words[i], v) for i, v in zip(indices.tolist(), values.tolist())]


@mistake(
    "nearest",
    "each column was normalised in place of each row (dim=0 for dim=1)",
    "test_neighbours_are_ordered_by_cosine_not_by_length",
)
def nearest(vectors, words, query, k=5):
    unit = normalize(vectors, dim=0)
    cosine = unit @ unit[words.index(query)]
    cosine[words.index(query)] = -math.inf
    values, indices = cosine.topk(k)
    return [(words[i], v) for i, v in zip(indices.tolist(), values.tolist())]


@mistake(
    "nearest",
    "the vectors are changed in place while they are normalised",
    "test_the_vectors_are_left_alone_and_the_order_is_that_of_all_cosines",
)
def nearest(vectors, words, query, k=5):
    vectors /= vectors.norm(dim=1, keepdim=True)
    cosine = vectors @ vectors[words.index(query)]
    cosine[words.index(query)] = -math.inf
    values, indices = cosine.topk(k)
    return [(words[i], v) for i, v in zip(indices.tolist(), values.tolist())]


@mistake(
    "nearest",
    "each neighbour is (cosine, word): the word comes first",
    "test_neighbours_are_ordered_by_cosine_not_by_length",
)
def nearest(vectors, words, query, k=5):
    unit = normalize(vectors, dim=1)
    cosine = unit @ unit[words.index(query)]
    cosine[words.index(query)] = -math.inf
    values, indices = cosine.topk(k)
    return [(v, words[i]) for i, v in zip(indices.tolist(), values.tolist())]


@mistake(
    "nearest",
    "the nearest by Euclidean distance were taken: nearness is the cosine",
    "test_neighbours_are_ordered_by_cosine_not_by_length",
)
def nearest(vectors, words, query, k=5):
    distance = (vectors - vectors[words.index(query)]).norm(dim=1)
    distance[words.index(query)] = math.inf
    values, indices = distance.topk(k, largest=False)
    return [(words[i], v) for i, v in zip(indices.tolist(), values.tolist())]


@mistake(
    "nearest",
    "the words come without their cosines",
    "test_neighbours_are_ordered_by_cosine_not_by_length",
)
def nearest(vectors, words, query, k=5):
    unit = normalize(vectors, dim=1)
    cosine = unit @ unit[words.index(query)]
    cosine[words.index(query)] = -math.inf
    return [words[i] for i in cosine.topk(k).indices.tolist()]


@mistake(
    "nearest",
    "the cosines are tensors: `tolist()` or `float` makes plain numbers of them",
    "test_the_cosines_are_plain_numbers",
)
def nearest(vectors, words, query, k=5):
    unit = normalize(vectors, dim=1)
    cosine = unit @ unit[words.index(query)]
    cosine[words.index(query)] = -math.inf
    values, indices = cosine.topk(k)
    return [(words[i], value) for i, value in zip(indices.tolist(), values)]


@mistake("nearest", "nothing comes back: `return` is missing", "test_the_query_is_not_its_own_neighbour")
def nearest(vectors, words, query, k=5):
    unit = normalize(vectors, dim=1)
    (unit @ unit[words.index(query)]).topk(k)


@alternative("nearest")
def nearest(vectors, words, query, k=5):
    from torch.nn.functional import cosine_similarity

    target = vectors[words.index(query)]
    found = [(w, float(cosine_similarity(v, target, dim=0))) for w, v in zip(words, vectors) if w != query]
    return sorted(found, key=lambda pair: -pair[1])[:k]


@alternative("nearest")
def nearest(vectors, words, query, k=5):
    import numpy as np

    table = np.array(vectors.tolist())
    table = table / np.linalg.norm(table, axis=1, keepdims=True)
    row = words.index(query)
    cosine = table @ table[row]
    order = [i for i in np.argsort(-cosine) if i != row][:k]
    return [(words[i], float(cosine[i])) for i in order]


@mistake(
    "analogy",
    "the three words of the question are not excluded, and one of them nearly always wins",
    "test_the_three_words_of_the_question_are_no_answers",
)
def analogy(vectors, words, a, b, c):
    unit = normalize(vectors, dim=1)
    target = unit[words.index(b)] - unit[words.index(a)] + unit[words.index(c)]
    return words[int((unit @ target).argmax())]


@mistake(
    "analogy",
    "the signs are exchanged: a − b + c in place of b − a + c",
    "test_the_offset_of_one_pair_answers_for_another",
)
def analogy(vectors, words, a, b, c):
    unit = normalize(vectors, dim=1)
    i, j, k = (words.index(w) for w in (a, b, c))
    cosine = unit @ (unit[i] - unit[j] + unit[k])
    cosine[[i, j, k]] = -math.inf
    return words[int(cosine.argmax())]


@mistake(
    "analogy",
    "the vectors are not brought to unit length, so long ones decide",
    "test_long_vectors_weigh_no_more_than_short_ones",
)
def analogy(vectors, words, a, b, c):
    i, j, k = (words.index(w) for w in (a, b, c))
    score = vectors @ (vectors[j] - vectors[i] + vectors[k])
    score[[i, j, k]] = -math.inf
    return words[int(score.argmax())]


@mistake(
    "analogy",
    "only c is excluded: a and b are no answers either",
    "test_the_three_words_of_the_question_are_no_answers",
)
def analogy(vectors, words, a, b, c):
    unit = normalize(vectors, dim=1)
    i, j, k = (words.index(w) for w in (a, b, c))
    cosine = unit @ (unit[j] - unit[i] + unit[k])
    cosine[k] = -math.inf
    return words[int(cosine.argmax())]


@mistake("analogy", "the index is returned in place of the word", "test_the_offset_of_one_pair_answers_for_another")
def analogy(vectors, words, a, b, c):
    unit = normalize(vectors, dim=1)
    i, j, k = (words.index(w) for w in (a, b, c))
    cosine = unit @ (unit[j] - unit[i] + unit[k])
    cosine[[i, j, k]] = -math.inf
    return int(cosine.argmax())


@mistake(
    "analogy",
    "c is left out: what is nearest to b − a is the relation itself, not its answer for c",
    "test_random_questions_agree_with_brute_force",
)
def analogy(vectors, words, a, b, c):
    unit = normalize(vectors, dim=1)
    i, j, k = (words.index(w) for w in (a, b, c))
    cosine = unit @ (unit[j] - unit[i])
    cosine[[i, j, k]] = -math.inf
    return words[int(cosine.argmax())]


@mistake(
    "analogy",
    "c is subtracted: the offset b − a is added to it",
    "test_the_offset_of_one_pair_answers_for_another",
)
def analogy(vectors, words, a, b, c):
    unit = normalize(vectors, dim=1)
    i, j, k = (words.index(w) for w in (a, b, c))
    cosine = unit @ (unit[j] - unit[i] - unit[k])
    cosine[[i, j, k]] = -math.inf
    return words[int(cosine.argmax())]


@mistake(
    "analogy",
    "a is added: the offset is b − a",
    "test_random_questions_agree_with_brute_force",
)
def analogy(vectors, words, a, b, c):
    unit = normalize(vectors, dim=1)
    i, j, k = (words.index(w) for w in (a, b, c))
    cosine = unit @ (unit[j] + unit[i] + unit[k])
    cosine[[i, j, k]] = -math.inf
    return words[int(cosine.argmax())]


@mistake(
    "analogy",
    "each column was normalised in place of each row (dim=0 for dim=1)",
    "test_long_vectors_weigh_no_more_than_short_ones",
)
def analogy(vectors, words, a, b, c):
    unit = normalize(vectors, dim=0)
    i, j, k = (words.index(w) for w in (a, b, c))
    cosine = unit @ (unit[j] - unit[i] + unit[k])
    cosine[[i, j, k]] = -math.inf
    return words[int(cosine.argmax())]


@mistake("analogy", "nothing comes back: `return` is missing", "test_the_offset_of_one_pair_answers_for_another")
def analogy(vectors, words, a, b, c):
    unit = normalize(vectors, dim=1)
    i, j, k = (words.index(w) for w in (a, b, c))
    words[int((unit @ (unit[j] - unit[i] + unit[k])).argmax())]


@alternative("analogy")
def analogy(vectors, words, a, b, c):
    unit = {w: v / v.norm() for w, v in zip(words, vectors)}
    target = unit[b] - unit[a] + unit[c]
    return max((w for w in words if w not in (a, b, c)), key=lambda w: float(unit[w] @ target))


@alternative("analogy")
def analogy(vectors, words, a, b, c):
    import numpy as np

    table = vectors.numpy() / np.linalg.norm(vectors.numpy(), axis=1, keepdims=True)
    i, j, k = words.index(a), words.index(b), words.index(c)
    for row in np.argsort(-(table @ (table[j] - table[i] + table[k]))):
        if row not in (i, j, k):
            return words[row]


# Mutants of the reference that no check can tell from a right answer.
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


@mistake(
    "analogy",
    "the vectors that were given are changed: normalise a copy",
    "test_the_offset_of_one_pair_answers_for_another",
)
def analogy(vectors, words, a, b, c):
    vectors /= vectors.norm(dim=1, keepdim=True)
    i, j, k = words.index(a), words.index(b), words.index(c)
    cosine = vectors @ (vectors[j] - vectors[i] + vectors[k])
    cosine[[i, j, k]] = -math.inf
    return words[int(cosine.argmax())]


@mistake(
    "sgns_loss", "the loss is taken out of the graph: nothing can be trained", "test_gradients_flow_back_to_all_vectors"
)
def sgns_loss(center, context, negatives):
    real = (center * context).sum(dim=1)
    noise = torch.einsum("bd,bkd->bk", center, negatives)
    loss = -(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean()
    return torch.tensor(loss.item(), requires_grad=True)
