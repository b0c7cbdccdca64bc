"""word2vec's variants: classic mistakes and other right ways, for each exercise. Never released."""

import numpy as np
import torch
from torch.nn.functional import pad

from grader.lessons.bank import alternative, equivalent, mistake


@mistake(
    "cbow_contexts",
    "the centre word is among its own contexts, so the answer is in the question",
    "test_the_centre_word_of_the_coffee_sentence_has_four_contexts",
)
def cbow_contexts(ids, sentences, window):
    span = 2 * window + 1
    words = pad(ids, (window, window), value=-1).unfold(0, span, 1)
    home = pad(sentences, (window, window), value=-1).unfold(0, span, 1)
    return torch.where(home == sentences[:, None], words, -1)


@mistake(
    "cbow_contexts",
    "the window runs on into the next sentence: it is cut off where its own sentence ends",
    "test_windows_are_cut_off_where_a_sentence_ends",
)
def cbow_contexts(ids, sentences, window):
    words = pad(ids, (window, window), value=-1).unfold(0, 2 * window + 1, 1)
    return torch.cat([words[:, :window], words[:, window + 1 :]], dim=1)


@mistake(
    "cbow_contexts",
    "empty places hold 0, which is the id of a word: they hold −1",
    "test_the_coffee_sentence_has_8_examples_and_26_pairs",
)
def cbow_contexts(ids, sentences, window):
    span = 2 * window + 1
    words = pad(ids, (window, window)).unfold(0, span, 1)
    home = pad(sentences, (window, window), value=-1).unfold(0, span, 1)
    words = torch.where(home == sentences[:, None], words, 0)
    return torch.cat([words[:, :window], words[:, window + 1 :]], dim=1)


@mistake(
    "cbow_contexts",
    "the window is taken as the whole span: half of it on each side, where it means the words on one side",
    "test_the_coffee_sentence_has_8_examples_and_26_pairs",
)
def cbow_contexts(ids, sentences, window):
    half = max(1, window // 2)
    span = 2 * half + 1
    words = pad(ids, (half, half), value=-1).unfold(0, span, 1)
    home = pad(sentences, (half, half), value=-1).unfold(0, span, 1)
    words = torch.where(home == sentences[:, None], words, -1)
    return torch.cat([words[:, :half], words[:, half + 1 :]], dim=1)


@mistake(
    "cbow_contexts",
    "the ends of the text are joined: negative indices wrap around",
    "test_the_coffee_sentence_has_8_examples_and_26_pairs",
)
def cbow_contexts(ids, sentences, window):
    offsets = torch.tensor([o for o in range(-window, window + 1) if o])
    places = (torch.arange(len(ids))[:, None] + offsets) % len(ids)
    return torch.where(sentences[places] == sentences[:, None], ids[places], -1)


@mistake(
    "cbow_contexts",
    "only the words before the centre are its context: the window reaches to both sides",
    "test_the_centre_word_of_the_coffee_sentence_has_four_contexts",
)
def cbow_contexts(ids, sentences, window):
    words = pad(ids, (window, 0), value=-1).unfold(0, window + 1, 1)
    home = pad(sentences, (window, 0), value=-1).unfold(0, window + 1, 1)
    return torch.where(home == sentences[:, None], words, -1)[:, :window]


@mistake(
    "cbow_contexts",
    "these are the places in the text, not the ids of the words that stand there",
    "test_windows_are_cut_off_where_a_sentence_ends",
)
def cbow_contexts(ids, sentences, window):
    offsets = torch.tensor([o for o in range(-window, window + 1) if o])
    places = torch.arange(len(ids))[:, None] + offsets
    inside = (places >= 0) & (places < len(ids))
    inside &= sentences[places.clamp(0, len(ids) - 1)] == sentences[:, None]
    return torch.where(inside, places, -1)


@mistake("cbow_contexts", "the table holds floats: ids are whole numbers", "test_ids_stay_whole_numbers")
def cbow_contexts(ids, sentences, window):
    table = -torch.ones(len(ids), 2 * window)
    for i in range(len(ids)):
        for column, offset in enumerate([o for o in range(-window, window + 1) if o]):
            if 0 <= i + offset < len(ids) and sentences[i + offset] == sentences[i]:
                table[i, column] = ids[i + offset]
    return table


@alternative("cbow_contexts")
def cbow_contexts(ids, sentences, window):
    words, home = np.asarray(ids), np.asarray(sentences)
    columns = []
    for offset in [*range(-window, 0), *range(1, window + 1)]:
        column = np.full(len(words), -1)
        size = max(0, len(words) - abs(offset))
        here, there = (slice(-offset, None), slice(0, size)) if offset < 0 else (slice(0, size), slice(offset, None))
        column[here] = np.where(home[here] == home[there], words[there], -1)
        columns.append(column)
    return torch.from_numpy(np.stack(columns, axis=1))


@alternative("cbow_contexts")
def cbow_contexts(ids, sentences, window):
    offsets = torch.tensor([o for o in range(-window, window + 1) if o], device=ids.device)
    places = torch.arange(len(ids), device=ids.device)[:, None] + offsets
    inside = (places >= 0) & (places < len(ids))
    places = places.clamp(0, len(ids) - 1)
    inside &= sentences[places] == sentences[:, None]
    return torch.where(inside, ids[places], -1)


@alternative("cbow_contexts")
def cbow_contexts(ids, sentences, window):
    table = torch.full((len(ids), 2 * window), -1)
    for i in range(len(ids)):
        for column, offset in enumerate([o for o in range(-window, window + 1) if o]):
            if 0 <= i + offset < len(ids) and sentences[i + offset] == sentences[i]:
                table[i, column] = ids[i + offset]
    return table


@mistake("cbow_hidden", "the sum of the contexts, where CBOW takes their mean", "test_padding_does_not_count")
def cbow_hidden(vectors, contexts):
    real = (contexts >= 0)[:, :, None]
    return (vectors[contexts.clamp(min=0)] * real).sum(dim=1)


@mistake(
    "cbow_hidden",
    "−1 picks the last word of the table, so the padding counts as that word",
    "test_padding_does_not_count",
)
def cbow_hidden(vectors, contexts):
    return vectors[contexts].mean(dim=1)


@mistake(
    "cbow_hidden",
    "empty places are counted: the sum is divided by 2 × window, not by the number of words that are there",
    "test_padding_does_not_count",
)
def cbow_hidden(vectors, contexts):
    real = (contexts >= 0)[:, :, None]
    return (vectors[contexts.clamp(min=0)] * real).mean(dim=1)


@mistake(
    "cbow_hidden",
    "word 0 stands in for the padding and counts: mask its vectors out",
    "test_padding_does_not_count",
)
def cbow_hidden(vectors, contexts):
    return vectors[contexts.clamp(min=0)].mean(dim=1)


@mistake(
    "cbow_hidden",
    "word 0 is taken for padding: only −1 is",
    "test_padding_does_not_count",
)
def cbow_hidden(vectors, contexts):
    real = (contexts > 0)[:, :, None]
    return (vectors[contexts.clamp(min=0)] * real).sum(dim=1) / real.sum(dim=1)


@mistake(
    "cbow_hidden",
    "a word that stands there twice is counted once",
    "test_the_hidden_vector_is_the_mean_of_the_contexts",
)
def cbow_hidden(vectors, contexts):
    return torch.stack([vectors[sorted({int(i) for i in row if i >= 0})].mean(dim=0) for row in contexts])


@mistake(
    "cbow_hidden",
    "the contexts are weighted by their place, so their order changes the result",
    "test_the_order_of_the_context_words_changes_nothing",
)
def cbow_hidden(vectors, contexts):
    weight = (contexts >= 0) / torch.arange(1, contexts.shape[1] + 1)
    weight = (weight / weight.sum(dim=1, keepdim=True))[:, :, None]
    return (vectors[contexts.clamp(min=0)] * weight).sum(dim=1)


@mistake(
    "cbow_hidden",
    "the mean is taken over the batch (dim=0): each example has a mean of its own",
    "test_the_hidden_vector_is_the_mean_of_the_contexts",
)
def cbow_hidden(vectors, contexts):
    real = (contexts >= 0)[:, :, None]
    return (vectors[contexts.clamp(min=0)] * real).sum(dim=0) / real.sum(dim=0)


@mistake("cbow_hidden", "nothing comes back: `return` is missing", "test_padding_does_not_count")
def cbow_hidden(vectors, contexts):
    real = (contexts >= 0)[:, :, None]
    (vectors[contexts.clamp(min=0)] * real).sum(dim=1) / real.sum(dim=1)


@alternative("cbow_hidden")
def cbow_hidden(vectors, contexts):
    real = (contexts >= 0).to(vectors.dtype)
    return torch.einsum("bc,bcd->bd", real / real.sum(dim=1, keepdim=True), vectors[contexts])


@alternative("cbow_hidden")
def cbow_hidden(vectors, contexts):
    from torch.nn.functional import embedding_bag

    table = torch.cat([vectors, vectors.new_zeros(1, vectors.shape[1])])
    rows = torch.where(contexts < 0, len(vectors), contexts)
    return embedding_bag(rows, table, mode="mean", padding_idx=len(vectors))


@alternative("cbow_hidden")
def cbow_hidden(vectors, contexts):
    return torch.stack([vectors[row[row >= 0]].mean(dim=0) for row in contexts])


@mistake(
    "cbow_gradient",
    "each context gets the whole gradient, as in the authors' program: of a mean of C vectors each gets 1/C",
    "test_each_context_gets_its_share_of_the_gradient",
)
def cbow_gradient(contexts, d_hidden, size):
    real = contexts >= 0
    shares = d_hidden.repeat_interleave(real.sum(dim=1), dim=0)
    return d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)


@mistake(
    "cbow_gradient",
    "the shares are divided by the number of places: only the words that are there count",
    "test_padding_gets_no_gradient",
)
def cbow_gradient(contexts, d_hidden, size):
    real = contexts >= 0
    shares = (d_hidden / contexts.shape[1]).repeat_interleave(real.sum(dim=1), dim=0)
    return d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)


@mistake(
    "cbow_gradient",
    "table[rows] += … keeps only the last of the shares of a word that is named twice; index_add sums them",
    "test_a_word_in_several_contexts_gets_the_sum_of_its_shares",
)
def cbow_gradient(contexts, d_hidden, size):
    real = contexts >= 0
    count = real.sum(dim=1)
    total = d_hidden.new_zeros(size, d_hidden.shape[1])
    total[contexts[real]] += (d_hidden / count[:, None]).repeat_interleave(count, dim=0)
    return total


@mistake(
    "cbow_gradient",
    "the padding's share goes to the last word: −1 is its index",
    "test_padding_gets_no_gradient",
)
def cbow_gradient(contexts, d_hidden, size):
    total = d_hidden.new_zeros(size, d_hidden.shape[1])
    for row, gradient in zip(contexts.tolist(), d_hidden):
        for word in row:
            total[word] += gradient / sum(i >= 0 for i in row)
    return total


@mistake("cbow_gradient", "the padding's share goes to word 0", "test_padding_gets_no_gradient")
def cbow_gradient(contexts, d_hidden, size):
    real = contexts >= 0
    shares = (d_hidden / real.sum(dim=1)[:, None]).repeat_interleave(contexts.shape[1], dim=0)
    return d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts.clamp(min=0).flatten(), shares)


@mistake(
    "cbow_gradient",
    "the sign is that of an update (minus the gradient)",
    "test_each_context_gets_its_share_of_the_gradient",
)
def cbow_gradient(contexts, d_hidden, size):
    real = contexts >= 0
    count = real.sum(dim=1)
    shares = (d_hidden / count[:, None]).repeat_interleave(count, dim=0)
    return -d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)


@mistake(
    "cbow_gradient",
    "the shares of a word are averaged over its occurrences: a gradient is their sum",
    "test_a_word_in_several_contexts_gets_the_sum_of_its_shares",
)
def cbow_gradient(contexts, d_hidden, size):
    real = contexts >= 0
    count = real.sum(dim=1)
    shares = (d_hidden / count[:, None]).repeat_interleave(count, dim=0)
    total = d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)
    return total / torch.bincount(contexts[real], minlength=size).clamp(min=1)[:, None]


@mistake(
    "cbow_gradient",
    "there is one row for each example: one for each word of the vocabulary was asked for",
    "test_each_context_gets_its_share_of_the_gradient",
)
def cbow_gradient(contexts, d_hidden, size):
    return d_hidden / (contexts >= 0).sum(dim=1)[:, None]


@mistake(
    "cbow_gradient",
    "nothing comes back: `return` is missing",
    "test_each_context_gets_its_share_of_the_gradient",
)
def cbow_gradient(contexts, d_hidden, size):
    real = contexts >= 0
    count = real.sum(dim=1)
    shares = (d_hidden / count[:, None]).repeat_interleave(count, dim=0)
    d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)


@alternative("cbow_gradient")
def cbow_gradient(contexts, d_hidden, size):
    real = (contexts >= 0).to(d_hidden.dtype)
    weight = d_hidden.new_zeros(len(contexts), size).scatter_add(1, contexts.clamp(min=0), real)  # (B, V)
    return (weight / real.sum(dim=1, keepdim=True)).T @ d_hidden


@alternative("cbow_gradient")
def cbow_gradient(contexts, d_hidden, size):
    total = torch.zeros(size, d_hidden.shape[1], dtype=d_hidden.dtype)
    for row, gradient in zip(contexts, d_hidden):
        words = row[row >= 0].tolist()
        for word in words:
            total[word] += gradient / len(words)
    return total


@alternative("cbow_gradient")
def cbow_gradient(contexts, d_hidden, size):
    vectors = d_hidden.new_zeros(size, d_hidden.shape[1]).requires_grad_()
    real = (contexts >= 0)[:, :, None]
    hidden = (vectors[contexts.clamp(min=0)] * real).sum(dim=1) / real.sum(dim=1)
    return torch.autograd.grad(hidden, vectors, d_hidden)[0]


@mistake(
    "softmax_loss",
    "the sum over the batch was taken in place of the mean",
    "test_with_equal_scores_each_word_has_probability_one_over_v",
)
def softmax_loss(hidden, outputs, targets):
    scores = hidden @ outputs.T
    return (scores.logsumexp(dim=1) - scores[torch.arange(len(targets)), targets]).sum()


@mistake(
    "softmax_loss",
    "the softmax runs over the batch (dim=0): the probabilities of all words sum to 1 for each example",
    "test_with_equal_scores_each_word_has_probability_one_over_v",
)
def softmax_loss(hidden, outputs, targets):
    scores = hidden @ outputs.T
    return -scores.log_softmax(dim=0)[torch.arange(len(targets)), targets].mean()


@mistake(
    "softmax_loss",
    "the sign is that of the log-probability, which is maximised; a loss is minimised",
    "test_with_equal_scores_each_word_has_probability_one_over_v",
)
def softmax_loss(hidden, outputs, targets):
    scores = hidden @ outputs.T
    return scores.log_softmax(dim=1)[torch.arange(len(targets)), targets].mean()


@mistake(
    "softmax_loss",
    "exp overflows for large scores, or its logarithm is minus infinity: use logsumexp or log_softmax",
    "test_large_scores_stay_finite",
)
def softmax_loss(hidden, outputs, targets):
    probability = (hidden @ outputs.T).softmax(dim=1)
    return -probability[torch.arange(len(targets)), targets].log().mean()


@mistake(
    "softmax_loss",
    "the probability was taken without its logarithm",
    "test_the_loss_is_the_cross_entropy_of_all_scores",
)
def softmax_loss(hidden, outputs, targets):
    probability = (hidden @ outputs.T).softmax(dim=1)
    return -probability[torch.arange(len(targets)), targets].mean()


@mistake(
    "softmax_loss",
    "scores[:, targets] picks the targets of all examples for each example",
    "test_the_loss_is_the_cross_entropy_of_all_scores",
)
def softmax_loss(hidden, outputs, targets):
    return -(hidden @ outputs.T).log_softmax(dim=1)[:, targets].mean()


@mistake(
    "softmax_loss",
    "only the target's score is looked at, as in a sigmoid: the other words are missing",
    "test_with_equal_scores_each_word_has_probability_one_over_v",
)
def softmax_loss(hidden, outputs, targets):
    return -torch.nn.functional.logsigmoid((hidden * outputs[targets]).sum(dim=1)).mean()


@mistake(
    "softmax_loss",
    "the scores are divided by √d: that belongs to attention, word2vec has no such factor",
    "test_the_loss_is_the_cross_entropy_of_all_scores",
)
def softmax_loss(hidden, outputs, targets):
    return torch.nn.functional.cross_entropy(hidden @ outputs.T / hidden.shape[1] ** 0.5, targets)


@mistake(
    "softmax_loss",
    "a Python number has no gradient: the loss stays a tensor until `backward` has run",
    "test_gradients_flow_back_to_both_tables",
)
def softmax_loss(hidden, outputs, targets):
    return torch.nn.functional.cross_entropy(hidden @ outputs.T, targets).item()


@alternative("softmax_loss")
def softmax_loss(hidden, outputs, targets):
    return torch.nn.functional.cross_entropy(hidden @ outputs.T, targets)


@alternative("softmax_loss")
def softmax_loss(hidden, outputs, targets):
    losses = []
    for h, target in zip(hidden, targets):
        scores = outputs @ h
        top = scores.max()
        losses.append((scores - top).exp().sum().log() + top - scores[target])
    return torch.stack(losses).mean()


@alternative("softmax_loss")
def softmax_loss(hidden, outputs, targets):
    log_p = torch.einsum("bd,vd->bv", hidden, outputs).log_softmax(dim=1)
    return -log_p.gather(1, targets[:, None]).mean()


@mistake(
    "softmax_gradients",
    "the gradient of the sum over the batch: the loss is a mean, so divide by B",
    "test_the_gradients_are_those_of_autograd",
)
def softmax_gradients(hidden, outputs, targets):
    error = (hidden @ outputs.T).softmax(dim=1)
    error[torch.arange(len(targets)), targets] -= 1
    return error @ outputs, error.T @ hidden


@mistake(
    "softmax_gradients",
    "the 1 of the target is not subtracted: the error is p − y",
    "test_every_word_moves_though_only_one_was_the_target",
)
def softmax_gradients(hidden, outputs, targets):
    error = (hidden @ outputs.T).softmax(dim=1) / len(targets)
    return error @ outputs, error.T @ hidden


@mistake(
    "softmax_gradients",
    "only the target's vector moves: with a softmax all words do",
    "test_every_word_moves_though_only_one_was_the_target",
)
def softmax_gradients(hidden, outputs, targets):
    rows = torch.arange(len(targets))
    p = (hidden @ outputs.T).softmax(dim=1)
    error = torch.zeros_like(p)
    error[rows, targets] = (p[rows, targets] - 1) / len(targets)
    return error @ outputs, error.T @ hidden


@mistake(
    "softmax_gradients",
    "the sign is that of an update (minus the gradient)",
    "test_every_word_moves_though_only_one_was_the_target",
)
def softmax_gradients(hidden, outputs, targets):
    error = -(hidden @ outputs.T).softmax(dim=1)
    error[torch.arange(len(targets)), targets] += 1
    return error @ outputs / len(targets), error.T @ hidden / len(targets)


@mistake(
    "softmax_gradients",
    "the two gradients are exchanged: the hidden vectors' comes first",
    "test_the_gradients_are_those_of_autograd",
)
def softmax_gradients(hidden, outputs, targets):
    error = (hidden @ outputs.T).softmax(dim=1)
    error[torch.arange(len(targets)), targets] -= 1
    return error.T @ hidden / len(targets), error @ outputs / len(targets)


@mistake(
    "softmax_gradients",
    "this is the error of a sigmoid for each word: the softmax divides by the sum over all words",
    "test_every_word_moves_though_only_one_was_the_target",
)
def softmax_gradients(hidden, outputs, targets):
    error = (hidden @ outputs.T).sigmoid()
    error[torch.arange(len(targets)), targets] -= 1
    return error @ outputs / len(targets), error.T @ hidden / len(targets)


@mistake(
    "softmax_gradients",
    "the softmax runs over the batch (dim=0): the probabilities of all words sum to 1 for each example",
    "test_the_gradients_are_those_of_autograd",
)
def softmax_gradients(hidden, outputs, targets):
    error = (hidden @ outputs.T).softmax(dim=0)
    error[torch.arange(len(targets)), targets] -= 1
    return error @ outputs / len(targets), error.T @ hidden / len(targets)


@mistake(
    "softmax_gradients",
    "error[:, targets] −= 1 takes the targets of all examples from each example",
    "test_the_gradients_are_those_of_autograd",
)
def softmax_gradients(hidden, outputs, targets):
    error = (hidden @ outputs.T).softmax(dim=1)
    error[:, targets] -= 1
    return error @ outputs / len(targets), error.T @ hidden / len(targets)


@alternative("softmax_gradients")
def softmax_gradients(hidden, outputs, targets):
    inputs = [x.detach().clone().requires_grad_() for x in (hidden, outputs)]
    loss = torch.nn.functional.cross_entropy(inputs[0] @ inputs[1].T, targets)
    return tuple(torch.autograd.grad(loss, inputs))


@alternative("softmax_gradients", slow="a loop over all words of the vocabulary for each word of the text")
def softmax_gradients(hidden, outputs, targets):
    d_hidden, d_outputs = torch.zeros_like(hidden), torch.zeros_like(outputs)
    for i, target in enumerate(targets.tolist()):
        p = (outputs @ hidden[i]).softmax(dim=0)
        for word in range(len(outputs)):
            error = (p[word] - int(word == target)) / len(targets)
            d_hidden[i] += error * outputs[word]
            d_outputs[word] += error * hidden[i]
    return d_hidden, d_outputs


@alternative("softmax_gradients")
def softmax_gradients(hidden, outputs, targets):
    y = torch.nn.functional.one_hot(targets, len(outputs))
    error = (torch.einsum("bd,vd->bv", hidden, outputs).softmax(dim=1) - y) / len(targets)
    return torch.einsum("bv,vd->bd", error, outputs), torch.einsum("bv,bd->vd", error, hidden)


@mistake(
    "costs",
    "one table was counted: each word has an input and an output vector",
    "test_ten_thousand_words_of_300_numbers_have_six_million_weights",
)
def costs(vocabulary, dim, negatives):
    return vocabulary * dim, vocabulary * dim, (negatives + 1) * dim


@mistake(
    "costs",
    "the target is left out: negative sampling scores k negatives and the real word",
    "test_other_sizes_are_counted_too",
)
def costs(vocabulary, dim, negatives):
    return 2 * vocabulary * dim, vocabulary * dim, negatives * dim


@mistake(
    "costs",
    "the softmax's multiplications count both tables: a score takes one output vector",
    "test_other_sizes_are_counted_too",
)
def costs(vocabulary, dim, negatives):
    return 2 * vocabulary * dim, 2 * vocabulary * dim, (negatives + 1) * dim


@mistake(
    "costs",
    "each score is counted as one: a dot product takes d multiplications",
    "test_other_sizes_are_counted_too",
)
def costs(vocabulary, dim, negatives):
    return 2 * vocabulary * dim, vocabulary, negatives + 1


@mistake(
    "costs",
    "biases are counted: word2vec has none",
    "test_ten_thousand_words_of_300_numbers_have_six_million_weights",
)
def costs(vocabulary, dim, negatives):
    return 2 * vocabulary * dim + vocabulary, vocabulary * dim, (negatives + 1) * dim


@mistake(
    "costs",
    "negative sampling does not look at the vocabulary: its cost does not grow with V",
    "test_negative_sampling_costs_the_same_for_any_vocabulary",
)
def costs(vocabulary, dim, negatives):
    return 2 * vocabulary * dim, vocabulary * dim, vocabulary * (negatives + 1) * dim


@mistake(
    "costs",
    "the numbers are floats: counts are whole numbers",
    "test_ten_thousand_words_of_300_numbers_have_six_million_weights",
)
def costs(vocabulary, dim, negatives):
    return 2.0 * vocabulary * dim, 1.0 * vocabulary * dim, 1.0 * (negatives + 1) * dim


@alternative("costs")
def costs(vocabulary, dim, negatives):
    inputs = outputs = torch.empty(vocabulary, dim, device="meta")
    return inputs.numel() + outputs.numel(), outputs.numel(), outputs[: negatives + 1].numel()


@alternative("costs")
def costs(vocabulary, dim, negatives):
    table, one = vocabulary * dim, dim
    return (table + table, sum([table]), one + negatives * one)


@mistake(
    "subsample",
    "turned round: these are the words that are dropped",
    "test_an_occurrence_stays_if_its_number_is_below_the_root",
)
def subsample(ids, counts, t, uniform):
    return uniform >= (t / (counts / counts.sum())).sqrt()[ids]


@mistake(
    "subsample",
    "kept with 1 − sqrt(t/f): that is the probability with which the paper drops a word",
    "test_an_occurrence_stays_if_its_number_is_below_the_root",
)
def subsample(ids, counts, t, uniform):
    return uniform < (1 - (t / (counts / counts.sum())).sqrt())[ids]


@mistake(
    "subsample",
    "the fraction is turned over: sqrt(f/t) keeps the frequent words and drops the rare ones",
    "test_a_rare_word_is_always_kept",
)
def subsample(ids, counts, t, uniform):
    return uniform < (counts / counts.sum() / t).sqrt()[ids]


@mistake(
    "subsample",
    "the square root is missing",
    "test_an_occurrence_stays_if_its_number_is_below_the_root",
)
def subsample(ids, counts, t, uniform):
    return uniform < (t / (counts / counts.sum()))[ids]


@mistake(
    "subsample",
    "the threshold is compared with the count, where f is the share of all tokens",
    "test_an_occurrence_stays_if_its_number_is_below_the_root",
)
def subsample(ids, counts, t, uniform):
    return uniform < (t / counts).sqrt()[ids]


@mistake(
    "subsample",
    "frequent words are removed altogether: they are thinned out at random",
    "test_an_occurrence_stays_if_its_number_is_below_the_root",
)
def subsample(ids, counts, t, uniform):
    return (counts / counts.sum() <= t)[ids]


@mistake(
    "subsample",
    "the shares are those of the text that is thinned: f is a word's share of `counts`",
    "test_the_share_is_that_of_the_corpus_not_of_the_text_that_is_thinned",
)
def subsample(ids, counts, t, uniform):
    here = torch.bincount(ids, minlength=len(counts))
    return uniform < (t * len(ids) / here).sqrt()[ids]


@mistake(
    "subsample",
    "the ids that stay are returned: a bool for each occurrence was asked for",
    "test_an_occurrence_stays_if_its_number_is_below_the_root",
)
def subsample(ids, counts, t, uniform):
    return ids[uniform < (t / (counts / counts.sum())).sqrt()[ids]]


@mistake(
    "subsample",
    "whole words are kept or dropped, by one number for each word: each occurrence has a number of its own",
    "test_an_occurrence_stays_if_its_number_is_below_the_root",
)
def subsample(ids, counts, t, uniform):
    return (uniform[: len(counts)] < (t / (counts / counts.sum())).sqrt()[: len(uniform)])[ids % len(uniform)]


@alternative("subsample")
def subsample(ids, counts, t, uniform):
    total = int(counts.sum())
    keep = [min(1.0, (t * total / count) ** 0.5) for count in counts.tolist()]
    return torch.tensor([draw < keep[i] for i, draw in zip(ids.tolist(), uniform.tolist())], dtype=torch.bool)


@alternative("subsample")
def subsample(ids, counts, t, uniform):
    share = np.asarray(counts) / np.asarray(counts).sum()
    return torch.from_numpy(np.asarray(uniform) < np.sqrt(t / share)[np.asarray(ids)])


@alternative("subsample")
def subsample(ids, counts, t, uniform):
    drop = (1 - (t * counts.sum() / counts).sqrt()).clamp(min=0)
    return 1 - uniform > drop[ids]


# Mutants of the reference that no check can tell from a right answer.
equivalent(
    "cbow_contexts",
    "3: pad(sentences, (window, window), value=-1) → pad(sentences, (window, window), value=-2)",
    "any number will do that is not a sentence's, and those count from 0",
)
for axis in (
    "2: pad(ids, (window, window)).unfold(0, span, 1)",
    "3: pad(sentences, (window, window), value=-1).unfold(0, span, 1)",
):
    equivalent(
        "cbow_contexts",
        f"{axis} → {axis[3:].replace('unfold(0', 'unfold(-1')}",
        "a text has one axis, so the first is the last",
    )
equivalent(
    "cbow_hidden",
    "2: contexts.clamp(min=0) → contexts.clamp(min=-1)",
    "whichever row is read for an empty place, it is multiplied by 0",
)
