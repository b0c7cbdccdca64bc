"""word2vec's variants: classic mistakes and other right ways, for each exercise. Never released."""

import numpy as np
import torch

from grader.lessons.bank import alternative, edit, equivalent

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# cbow_contexts
@alternative("cbow_contexts", "numpy-columns")
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


@alternative("cbow_contexts", "places-and-mask")
def cbow_contexts(ids, sentences, window):
    offsets = torch.tensor([o for o in range(-window, window + 1) if o], device=ids.device)
    places = torch.arange(len(ids), device=ids.device)[:, None] + offsets
    inside = (places >= 0) & (places < len(ids))
    places = places.clamp(0, len(ids) - 1)
    inside &= sentences[places] == sentences[:, None]
    return torch.where(inside, ids[places], -1)


@alternative("cbow_contexts", "two-loops")
def cbow_contexts(ids, sentences, window):
    table = torch.full((len(ids), 2 * window), -1)
    for i in range(len(ids)):
        for column, offset in enumerate([o for o in range(-window, window + 1) if o]):
            if 0 <= i + offset < len(ids) and sentences[i + offset] == sentences[i]:
                table[i, column] = ids[i + offset]
    return table


edit("cbow_contexts", "centre-included", {"torch.cat([words[:, :window], words[:, window + 1 :]], dim=1)": "words"},
     "the centre word is among its own contexts, so the answer is in the question",
     killed_by="test_the_centre_word_of_the_coffee_sentence_has_four_contexts")
edit("cbow_contexts", "across-sentences", {"pad(ids, (window, window))": "pad(ids, (window, window), value=-1)",
     "words = torch.where(home == sentences[:, None], words, -1)": ""},
     "the window runs on into the next sentence: it is cut off where its own sentence ends",
     killed_by="test_windows_are_cut_off_where_a_sentence_ends")
edit("cbow_contexts", "zero-as-padding", {"words, -1": "words, 0"},
     "empty places hold 0, which is the id of a word: they hold −1",
     killed_by="test_the_coffee_sentence_has_8_examples_and_26_pairs")
edit("cbow_contexts", "window-as-span",
     {"span = 2 * window + 1": "window = max(1, window // 2)\n    span = 2 * window + 1"},
     "the window is taken as the whole span: half of it on each side, where it means the words on one side",
     killed_by="test_the_coffee_sentence_has_8_examples_and_26_pairs")
edit("cbow_contexts", "text-wraps-around", {"inside = (places >= 0) & (places < len(ids))": "inside = places == places",
     "places.clamp(0, len(ids) - 1)": "places % len(ids)"},
     "the ends of the text are joined: a place before the first wraps around",
     killed_by="test_the_coffee_sentence_has_8_examples_and_26_pairs", of="places-and-mask")
edit("cbow_contexts", "only-before",
     {"torch.cat([words[:, :window], words[:, window + 1 :]], dim=1)": "words[:, :window]"},
     "only the words before the centre are its context: the window reaches to both sides",
     killed_by="test_the_centre_word_of_the_coffee_sentence_has_four_contexts")
edit("cbow_contexts", "places-for-ids", {"ids[places], -1": "places, -1"},
     "these are the places in the text, not the ids of the words that stand there",
     killed_by="test_windows_are_cut_off_where_a_sentence_ends", of="places-and-mask")
edit("cbow_contexts", "float-table", {"torch.full((len(ids), 2 * window), -1)": "-torch.ones(len(ids), 2 * window)"},
     "the table holds floats: ids are whole numbers", killed_by="test_ids_stay_whole_numbers", of="two-loops")
edit("cbow_contexts", "sentences-in-turn", {"sentences[i + offset] == sentences[i]": "homes[i + offset] == homes[i]",
     "    table = torch.full": "    sizes = [int((sentences == n).sum()) for n in range(len(set(sentences.tolist())))]\n    homes = [n for n, size in enumerate(sizes) for _ in range(size)]\n    homes += [-1] * (len(ids) - len(homes))\n    table = torch.full"},
     "the sentences are taken to be 0, 1, 2, … without a gap: a sentence may have no word left",
     killed_by="test_any_text_has_the_contexts_of_brute_force", of="two-loops")
edit("cbow_contexts", "window-of-five", {"    return torch.cat(": "    words[:, : max(0, window - 5)], words[:, window + 6 :] = -1, -1\n    return torch.cat("},
     "no more than five words on each side are seen",
     killed_by="test_the_table_agrees_with_brute_force")


# cbow_hidden
@alternative("cbow_hidden", "weighted-einsum")
def cbow_hidden(vectors, contexts):
    real = (contexts >= 0).to(vectors.dtype)
    return torch.einsum("bc,bcd->bd", real / real.sum(dim=1, keepdim=True), vectors[contexts])


@alternative("cbow_hidden", "embedding-bag")
def cbow_hidden(vectors, contexts):
    from torch.nn.functional import embedding_bag

    table = torch.cat([vectors, vectors.new_zeros(1, vectors.shape[1])])
    rows = torch.where(contexts < 0, len(vectors), contexts)
    return embedding_bag(rows, table, mode="mean", padding_idx=len(vectors))


@alternative("cbow_hidden", "row-by-row")
def cbow_hidden(vectors, contexts):
    return torch.stack([vectors[row[row >= 0]].mean(dim=0) for row in contexts])


edit("cbow_hidden", "sum-of-contexts", {"(vectors[contexts.clamp(min=0)] * real).sum(dim=1) / real.sum(dim=1)":
     "(vectors[contexts.clamp(min=0)] * real).sum(dim=1)"},
     "the sum of the contexts, where CBOW takes their mean", killed_by="test_padding_does_not_count")
edit("cbow_hidden", "padding-as-last-word",
     {"torch.stack([vectors[row[row >= 0]].mean(dim=0) for row in contexts])": "vectors[contexts].mean(dim=1)"},
     "−1 picks the last word of the table, so the padding counts as that word", killed_by="test_padding_does_not_count",
     of="row-by-row")
edit("cbow_hidden", "padding-counted", {"(vectors[contexts.clamp(min=0)] * real).sum(dim=1) / real.sum(dim=1)":
     "(vectors[contexts.clamp(min=0)] * real).mean(dim=1)"},
     "empty places are counted: the sum is divided by 2 × window, not by the number of words that are there",
     killed_by="test_padding_does_not_count")
edit("cbow_hidden", "word-zero-counts", {"torch.stack([vectors[row[row >= 0]].mean(dim=0) for row in contexts])":
     "vectors[contexts.clamp(min=0)].mean(dim=1)"},
     "word 0 stands in for the padding and counts: mask its vectors out", killed_by="test_padding_does_not_count",
     of="row-by-row")
edit("cbow_hidden", "word-zero-dropped", {"contexts >= 0": "contexts > 0"},
     "word 0 is taken for padding: only −1 is", killed_by="test_padding_does_not_count")
edit("cbow_hidden", "doubles-count-once", {"row[row >= 0]": "sorted({int(i) for i in row if i >= 0})"},
     "a word that stands there twice is counted once", killed_by="test_the_hidden_vector_is_the_mean_of_the_contexts",
     of="row-by-row")
edit("cbow_hidden", "weighted-by-place",
     {"(contexts >= 0)[:, :, None]": "((contexts >= 0) / torch.arange(1, contexts.shape[1] + 1))[:, :, None]"},
     "the contexts are weighted by their place, so their order changes the result",
     killed_by="test_the_order_of_the_context_words_changes_nothing")
edit("cbow_hidden", "mean-over-batch", {"(vectors[contexts.clamp(min=0)] * real).sum(dim=1) / real.sum(dim=1)":
     "(vectors[contexts.clamp(min=0)] * real).sum(dim=0) / real.sum(dim=0)"},
     "the mean is taken over the batch (dim=0): each example has a mean of its own",
     killed_by="test_the_hidden_vector_is_the_mean_of_the_contexts")
edit("cbow_hidden", "no-return", {"return (vectors[contexts.clamp(min=0)] * real).sum(dim=1) / real.sum(dim=1)":
     "(vectors[contexts.clamp(min=0)] * real).sum(dim=1) / real.sum(dim=1)"},
     "nothing comes back: `return` is missing", killed_by="test_padding_does_not_count")
edit("cbow_hidden", "zero-vectors-left-out", {"real.sum(dim=1)": "(real & vectors[contexts.clamp(min=0)].any(dim=2, keepdim=True)).sum(dim=1).clamp(min=1)"},
     "context words whose vector is zero are not counted",
     killed_by="test_random_contexts_agree_with_brute_force")
edit("cbow_hidden", "one-number-loses-axis", {"real.sum(dim=1)": "real.sum(dim=1)).squeeze(-1)", "return (vectors": "return ((vectors"},
     "vectors of one number lose their axis",
     killed_by="test_random_contexts_agree_with_brute_force")
edit("cbow_hidden", "something-added", {"real.sum(dim=1)": "(real.sum(dim=1) + 1e-6)"},
     "a millionth is added to the number of words: there is one in each row",
     killed_by="test_random_contexts_agree_with_brute_force")
edit("cbow_hidden", "single-precision", {"vectors[contexts.clamp(min=0)]": "vectors.float()[contexts.clamp(min=0)]"},
     "the result is float32, whatever the vectors are",
     killed_by="test_random_contexts_agree_with_brute_force")
edit("cbow_hidden", "mask-in-float32", {"real.sum(dim=1)": "real.float().sum(dim=1)"},
     "the count is of float32, and so is the mean of vectors of half precision: it has the vectors' dtype",
     killed_by="test_random_contexts_agree_with_brute_force")
edit("cbow_hidden", "numpy-array", {"return (vectors": "return ((vectors", "real.sum(dim=1)": "real.sum(dim=1)).numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_the_hidden_vector_is_the_mean_of_the_contexts")


# cbow_gradient
@alternative("cbow_gradient", "scatter-add")
def cbow_gradient(contexts, d_hidden, size):
    real = (contexts >= 0).to(d_hidden.dtype)
    weight = d_hidden.new_zeros(len(contexts), size).scatter_add(1, contexts.clamp(min=0), real)  # (B, V)
    return (weight / real.sum(dim=1, keepdim=True)).T @ d_hidden


@alternative("cbow_gradient", "one-loop")
def cbow_gradient(contexts, d_hidden, size):
    total = torch.zeros(size, d_hidden.shape[1], dtype=d_hidden.dtype)
    for row, gradient in zip(contexts, d_hidden):
        words = row[row >= 0].tolist()
        for word in words:
            total[word] += gradient / len(words)
    return total


@alternative("cbow_gradient", "autograd")
def cbow_gradient(contexts, d_hidden, size):
    vectors = d_hidden.new_zeros(size, d_hidden.shape[1]).requires_grad_()
    real = (contexts >= 0)[:, :, None]
    hidden = (vectors[contexts.clamp(min=0)] * real).sum(dim=1) / real.sum(dim=1)
    return torch.autograd.grad(hidden, vectors, d_hidden)[0]


edit("cbow_gradient", "whole-gradient-each", {"(d_hidden / count[:, None])": "d_hidden"},
     "each context gets the whole gradient, as in the authors' program: of a mean of C vectors each gets 1/C",
     killed_by="test_each_context_gets_its_share_of_the_gradient")
edit("cbow_gradient", "divided-by-places", {"count[:, None]": "contexts.shape[1]"},
     "the shares are divided by the number of places: only the words that are there count",
     killed_by="test_padding_gets_no_gradient")
edit("cbow_gradient", "last-share-kept",
     {"return d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)":
     ("total = d_hidden.new_zeros(size, d_hidden.shape[1])\n"
      "    total[contexts[real]] += shares\n"
      "    return total")},
     "table[rows] += … keeps only the last of the shares of a word that is named twice; index_add sums them",
     killed_by="test_a_word_in_several_contexts_gets_the_sum_of_its_shares")
edit("cbow_gradient", "padding-to-last-word", {"for word in words": "for word in row.tolist()"},
     "the padding's share goes to the last word: −1 is its index", killed_by="test_padding_gets_no_gradient",
     of="one-loop")
edit("cbow_gradient", "padding-to-word-zero",
     {"repeat_interleave(count, dim=0)": "repeat_interleave(contexts.shape[1], dim=0)",
     "contexts[real]": "contexts.clamp(min=0).flatten()"},
     "the padding's share goes to word 0", killed_by="test_padding_gets_no_gradient")
edit("cbow_gradient", "sign-of-update",
     {"d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)":
     "-d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)"},
     "the sign is that of an update (minus the gradient)", killed_by="test_each_context_gets_its_share_of_the_gradient")
edit("cbow_gradient", "averaged-over-occurrences", {"index_add(0, contexts[real], shares)":
     "index_add(0, contexts[real], shares) / torch.bincount(contexts[real], minlength=size).clamp(min=1)[:, None]"},
     "the shares of a word are averaged over its occurrences: a gradient is their sum",
     killed_by="test_a_word_in_several_contexts_gets_the_sum_of_its_shares")
edit("cbow_gradient", "row-for-each-example",
     {"return d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)":
     "return d_hidden / count[:, None]"},
     "there is one row for each example: one for each word of the vocabulary was asked for",
     killed_by="test_each_context_gets_its_share_of_the_gradient")
edit("cbow_gradient", "no-return",
     {"return d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)":
     "d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)"},
     "nothing comes back: `return` is missing", killed_by="test_each_context_gets_its_share_of_the_gradient")
edit("cbow_gradient", "clipped", {"contexts[real], shares)": "contexts[real], shares).clamp(-5, 5)"},
     "gradients are cut off at ±5",
     killed_by="test_the_gradient_is_that_of_autograd")
edit("cbow_gradient", "one-word-loses-axis", {"contexts[real], shares)": "contexts[real], shares).squeeze(0)"},
     "a vocabulary of one word loses its axis",
     killed_by="test_hundreds_of_words_in_a_context_get_their_shares")
edit("cbow_gradient", "single-precision", {"count = real.sum(dim=1)": "d_hidden = d_hidden.float()\n    count = real.sum(dim=1)"},
     "the gradient is rounded to float32",
     killed_by="test_the_gradient_is_that_of_autograd")
edit("cbow_gradient", "numpy-array", {"contexts[real], shares)": "contexts[real], shares).numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_each_context_gets_its_share_of_the_gradient")


# softmax_loss
@alternative("softmax_loss", "cross-entropy")
def softmax_loss(hidden, outputs, targets):
    return torch.nn.functional.cross_entropy(hidden @ outputs.T, targets)


@alternative("softmax_loss", "one-loop")
def softmax_loss(hidden, outputs, targets):
    losses = []
    for h, target in zip(hidden, targets):
        scores = outputs @ h
        top = scores.max()
        losses.append((scores - top).exp().sum().log() + top - scores[target])
    return torch.stack(losses).mean()


@alternative("softmax_loss", "gather")
def softmax_loss(hidden, outputs, targets):
    log_p = torch.einsum("bd,vd->bv", hidden, outputs).log_softmax(dim=1)
    return -log_p.gather(1, targets[:, None]).mean()


edit("softmax_loss", "sum-over-batch", {"(scores.logsumexp(dim=1) - scores[torch.arange(len(targets)), targets]).mean":
     "(scores.logsumexp(dim=1) - scores[torch.arange(len(targets)), targets]).sum"},
     "the sum over the batch was taken in place of the mean",
     killed_by="test_with_equal_scores_each_word_has_probability_one_over_v")
edit("softmax_loss", "softmax-over-batch",
     {"(scores.logsumexp(dim=1) - scores[torch.arange(len(targets)), targets]).mean()":
     "-scores.log_softmax(dim=0)[torch.arange(len(targets)), targets].mean()"},
     "the softmax runs over the batch (dim=0): the probabilities of all words sum to 1 for each example",
     killed_by="test_with_equal_scores_each_word_has_probability_one_over_v")
edit("softmax_loss", "sign-of-maximum", {"(scores.logsumexp(dim=1) - scores[torch.arange(len(targets)), targets])":
     "scores.log_softmax(dim=1)[torch.arange(len(targets)), targets]"},
     "the sign is that of the log-probability, which is maximised; a loss is minimised",
     killed_by="test_with_equal_scores_each_word_has_probability_one_over_v")
edit("softmax_loss", "exp-overflows", {"(scores.logsumexp(dim=1) - scores[torch.arange(len(targets)), targets])":
     "-scores.softmax(dim=1)[torch.arange(len(targets)), targets].log()"},
     "exp overflows for large scores, or its logarithm is minus infinity: use logsumexp or log_softmax",
     killed_by="test_large_scores_stay_finite")
edit("softmax_loss", "probability-itself", {"(scores.logsumexp(dim=1) - scores[torch.arange(len(targets)), targets])":
     "-scores.softmax(dim=1)[torch.arange(len(targets)), targets]"},
     "the probability was taken without its logarithm", killed_by="test_the_loss_is_the_cross_entropy_of_all_scores")
edit("softmax_loss", "targets-of-all", {"torch.nn.functional.cross_entropy(hidden @ outputs.T, targets)":
     "-(hidden @ outputs.T).log_softmax(dim=1)[:, targets].mean()"},
     "scores[:, targets] picks the targets of all examples for each example",
     killed_by="test_the_loss_is_the_cross_entropy_of_all_scores", of="cross-entropy")
edit("softmax_loss", "sigmoid-of-target", {"torch.nn.functional.cross_entropy(hidden @ outputs.T, targets)":
     "-torch.nn.functional.logsigmoid((hidden * outputs[targets]).sum(dim=1)).mean()"},
     "only the target's score is looked at, as in a sigmoid: the other words are missing",
     killed_by="test_with_equal_scores_each_word_has_probability_one_over_v", of="cross-entropy")
edit("softmax_loss", "divided-by-root", {"hidden @ outputs.T": "hidden @ outputs.T / hidden.shape[1] ** 0.5"},
     "the scores are divided by √d: that belongs to attention, word2vec has no such factor",
     killed_by="test_the_loss_is_the_cross_entropy_of_all_scores", of="cross-entropy")
edit("softmax_loss", "plain-number", {"torch.nn.functional.cross_entropy(hidden @ outputs.T, targets)":
     "torch.nn.functional.cross_entropy(hidden @ outputs.T, targets).item()"},
     "a Python number has no gradient: the loss stays a tensor until `backward` has run",
     killed_by="test_gradients_flow_back_to_both_tables", of="cross-entropy")
edit("softmax_loss", "largest-of-the-batch", {"(scores.logsumexp(dim=1) -": "((scores - scores.max()).exp().sum(dim=1).log() + scores.max() -"},
     "the largest score of the whole batch is taken off: an example whose scores are all far lower gets log 0",
     killed_by="test_each_example_has_its_own_largest_score")
edit("softmax_loss", "single-precision", {"scores.logsumexp(dim=1)": "scores.float().logsumexp(dim=1)"},
     "the sum over the words is rounded to float32",
     killed_by="test_one_example_agrees_with_the_sum_over_all_words")
edit("softmax_loss", "thousand-words", {"scores.logsumexp(dim=1)": "scores[:, :1000].logsumexp(dim=1)"},
     "only the first thousand words are in the sum",
     killed_by="test_one_example_agrees_with_the_sum_over_all_words")
edit("softmax_loss", "hundred-words", {"scores.logsumexp(dim=1)": "scores[:, :100].logsumexp(dim=1)"},
     "only the first hundred words are in the sum",
     killed_by="test_one_example_agrees_with_the_sum_over_all_words")


# softmax_gradients
@alternative("softmax_gradients", "autograd")
def softmax_gradients(hidden, outputs, targets):
    inputs = [x.detach().clone().requires_grad_() for x in (hidden, outputs)]
    loss = torch.nn.functional.cross_entropy(inputs[0] @ inputs[1].T, targets)
    return tuple(torch.autograd.grad(loss, inputs))


@alternative("softmax_gradients", "two-loops", slow="a loop over all words of the vocabulary for each word of the text")
def softmax_gradients(hidden, outputs, targets):
    d_hidden, d_outputs = torch.zeros_like(hidden), torch.zeros_like(outputs)
    for i, target in enumerate(targets.tolist()):
        p = (outputs @ hidden[i]).softmax(dim=0)
        for word in range(len(outputs)):
            error = (p[word] - int(word == target)) / len(targets)
            d_hidden[i] += error * outputs[word]
            d_outputs[word] += error * hidden[i]
    return d_hidden, d_outputs


@alternative("softmax_gradients", "einsum")
def softmax_gradients(hidden, outputs, targets):
    y = torch.nn.functional.one_hot(targets, len(outputs))
    error = (torch.einsum("bd,vd->bv", hidden, outputs).softmax(dim=1) - y) / len(targets)
    return torch.einsum("bv,vd->bd", error, outputs), torch.einsum("bv,bd->vd", error, hidden)


edit("softmax_gradients", "sum-over-batch", {"error /= len(targets)": ""},
     "the gradient of the sum over the batch: the loss is a mean, so divide by B",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("softmax_gradients", "target-not-subtracted", {"error[torch.arange(len(targets)), targets] -= 1": ""},
     "the 1 of the target is not subtracted: the error is p − y",
     killed_by="test_every_word_moves_though_only_one_was_the_target")
edit("softmax_gradients", "only-target-moves",
     {"error /= len(targets)": "error *= torch.nn.functional.one_hot(targets, len(outputs)) / len(targets)"},
     "only the target's vector moves: with a softmax all words do",
     killed_by="test_every_word_moves_though_only_one_was_the_target")
edit("softmax_gradients", "sign-of-update", {"error /= len(targets)": "error /= -len(targets)"},
     "the sign is that of an update (minus the gradient)",
     killed_by="test_every_word_moves_though_only_one_was_the_target")
edit("softmax_gradients", "gradients-exchanged",
     {"error @ outputs, error.T @ hidden": "error.T @ hidden, error @ outputs"},
     "the two gradients are exchanged: the hidden vectors' comes first",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("softmax_gradients", "sigmoid-error", {".softmax(dim=1)": ".sigmoid()"},
     "this is the error of a sigmoid for each word: the softmax divides by the sum over all words",
     killed_by="test_every_word_moves_though_only_one_was_the_target")
edit("softmax_gradients", "softmax-over-batch", {"dim=1": "dim=0"},
     "the softmax runs over the batch (dim=0): the probabilities of all words sum to 1 for each example",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("softmax_gradients", "targets-of-all", {"torch.arange(len(targets)), targets": ":, targets"},
     "error[:, targets] −= 1 takes the targets of all examples from each example",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("softmax_gradients", "exp-overflows", {".softmax(dim=1)": ".exp()\n    error /= error.sum(dim=1, keepdim=True)"},
     "exp of a large score is infinite: softmax is not",
     killed_by="test_large_scores_of_one_example_have_gradients")
edit("softmax_gradients", "single-precision", {"(hidden @ outputs.T).softmax(dim=1)": "(hidden @ outputs.T).float().softmax(dim=1).to(hidden.dtype)"},
     "the probabilities are rounded to float32",
     killed_by="test_the_gradients_keep_double_precision")
edit("softmax_gradients", "scores-cut-off", {".softmax(dim=1)": ".clamp(-20, 20).softmax(dim=1)"},
     "scores beyond ±20 are cut off",
     killed_by="test_large_scores_of_one_example_have_gradients")
edit("softmax_gradients", "one-example-loses-axis", {"return error @ outputs": "return (error @ outputs).squeeze(0)"},
     "a batch of one loses its axis",
     killed_by="test_large_scores_of_one_example_have_gradients")
edit("softmax_gradients", "numpy-arrays", {"return error @ outputs, error.T @ hidden": "return (error @ outputs).numpy(), (error.T @ hidden).numpy()"},
     "arrays come back: tensors are asked for",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("softmax_gradients", "largest-of-the-batch", {"(hidden @ outputs.T).softmax(dim=1)": "(hidden @ outputs.T - (hidden @ outputs.T).max()).exp()",
     "error[torch": "error /= error.sum(dim=1, keepdim=True)\n    error[torch"},
     "the largest score of the whole batch is taken off: an example whose scores are all far lower gets 0 / 0",
     killed_by="test_each_example_has_its_own_largest_score_in_the_gradients_too")


# costs
@alternative("costs", "meta-tensors")
def costs(vocabulary, dim, negatives):
    inputs = outputs = torch.empty(vocabulary, dim, device="meta")
    return inputs.numel() + outputs.numel(), outputs.numel(), torch.empty(negatives + 1, dim, device="meta").numel()


@alternative("costs", "products")
def costs(vocabulary, dim, negatives):
    table, one = vocabulary * dim, dim
    return (table + table, sum([table]), one + negatives * one)


edit("costs", "one-table", {"2 * vocabulary": "vocabulary"},
     "one table was counted: each word has an input and an output vector",
     killed_by="test_ten_thousand_words_of_300_numbers_have_six_million_weights")
edit("costs", "target-left-out", {"(negatives + 1)": "negatives"},
     "the target is left out: negative sampling scores k negatives and the real word",
     killed_by="test_other_sizes_are_counted_too")
edit("costs", "both-tables-scored",
     {"2 * vocabulary * dim, vocabulary * dim": "2 * vocabulary * dim, 2 * vocabulary * dim"},
     "the softmax's multiplications count both tables: a score takes one output vector",
     killed_by="test_other_sizes_are_counted_too")
edit("costs", "scores-count-one", {"vocabulary * dim, (negatives + 1) * dim": "vocabulary, negatives + 1"},
     "each score is counted as one: a dot product takes d multiplications",
     killed_by="test_other_sizes_are_counted_too")
edit("costs", "biases-counted", {"2 * vocabulary * dim": "2 * vocabulary * dim + vocabulary"},
     "biases are counted: word2vec has none",
     killed_by="test_ten_thousand_words_of_300_numbers_have_six_million_weights")
edit("costs", "grows-with-vocabulary", {"(negatives + 1)": "vocabulary * (negatives + 1)"},
     "negative sampling does not look at the vocabulary: its cost does not grow with V",
     killed_by="test_negative_sampling_costs_the_same_for_any_vocabulary")
edit("costs", "floats", {"2 * vocabulary * dim, vocabulary * dim, (negatives + 1) * dim":
     "2.0 * vocabulary * dim, 1.0 * vocabulary * dim, 1.0 * (negatives + 1) * dim"},
     "a float comes back: counts are whole numbers",
     killed_by="test_ten_thousand_words_of_300_numbers_have_six_million_weights")
edit("costs", "int32", {"return 2 * vocabulary * dim": "return int(np.int64(2 * vocabulary * dim).astype(np.int32))"},
     "the weights are counted in 32 bits, where millions of words overflow",
     killed_by="test_other_sizes_are_counted_too")
edit("costs", "single-precision", {"vocabulary * dim, (": "int(np.float32(vocabulary) * np.float32(dim)), ("},
     "the product is computed in float32, which rounds it",
     killed_by="test_other_sizes_are_counted_too")
edit("costs", "nothing-without-negatives", {"(negatives + 1) * dim": "(negatives + 1) * dim * (negatives > 0)"},
     "without negatives the target's score is forgotten",
     killed_by="test_other_sizes_are_counted_too")
edit("costs", "no-more-than-all", {"(negatives + 1)": "min(negatives + 1, vocabulary)"},
     "no more negatives are counted than there are words: they may be drawn twice",
     killed_by="test_other_sizes_are_counted_too")
edit("costs", "ordered", {"vocabulary * dim, (negatives + 1) * dim": "*sorted((vocabulary * dim, (negatives + 1) * dim), reverse=True)"},
     "the dearer model comes first, whichever it is",
     killed_by="test_other_sizes_are_counted_too")


# subsample
@alternative("subsample", "one-loop")
def subsample(ids, counts, t, uniform):
    total = int(counts.sum())
    keep = [min(1.0, (t * total / count) ** 0.5) for count in counts.tolist()]
    return torch.tensor([draw < keep[i] for i, draw in zip(ids.tolist(), uniform.tolist())], dtype=torch.bool)


@alternative("subsample", "numpy")
def subsample(ids, counts, t, uniform):
    share = np.asarray(counts) / np.asarray(counts).sum()
    return torch.from_numpy(np.asarray(uniform) < np.sqrt(t / share)[np.asarray(ids)])


@alternative("subsample", "drop-compared")
def subsample(ids, counts, t, uniform):
    drop = (1 - (t * counts.sum() / counts).sqrt()).clamp(min=0)
    return 1 - uniform > drop[ids]


edit("subsample", "dropped-words", {"uniform <": "uniform >="},
     "turned round: these are the words that are dropped",
     killed_by="test_an_occurrence_stays_if_its_number_is_below_the_root")
edit("subsample", "drop-probability", {"share = counts / counts.sum()": "",
     "(t / share).sqrt()": "(1 - (t / (counts / counts.sum())).sqrt())"},
     "kept with 1 − sqrt(t/f): that is the probability with which the paper drops a word",
     killed_by="test_an_occurrence_stays_if_its_number_is_below_the_root")
edit("subsample", "fraction-turned-over", {"share = counts / counts.sum()": "",
     "t / share": "counts / counts.sum() / t"},
     "the fraction is turned over: sqrt(f/t) keeps the frequent words and drops the rare ones",
     killed_by="test_a_rare_word_is_always_kept")
edit("subsample", "root-missing", {"share = counts / counts.sum()": "",
     "(t / share).sqrt()": "(t / (counts / counts.sum()))"},
     "the square root is missing", killed_by="test_an_occurrence_stays_if_its_number_is_below_the_root")
edit("subsample", "threshold-against-count", {"share = counts / counts.sum()": "", "t / share": "t / counts"},
     "the threshold is compared with the count, where f is the share of all tokens",
     killed_by="test_an_occurrence_stays_if_its_number_is_below_the_root")
edit("subsample", "removed-altogether", {"share = counts / counts.sum()": "",
     "uniform < (t / share).sqrt()[ids]": "(counts / counts.sum() <= t)[ids]"},
     "frequent words are removed altogether: they are thinned out at random",
     killed_by="test_an_occurrence_stays_if_its_number_is_below_the_root")
edit("subsample", "shares-of-the-text",
     {"share = counts / counts.sum()": "here = torch.bincount(ids, minlength=len(counts))",
     "t / share": "t * len(ids) / here"},
     "the shares are those of the text that is thinned: f is a word's share of `counts`",
     killed_by="test_the_share_is_that_of_the_corpus_not_of_the_text_that_is_thinned")
edit("subsample", "ids-returned", {"uniform < (t / share).sqrt()[ids]": "ids[uniform < (t / share).sqrt()[ids]]"},
     "the ids that stay are returned: a bool for each occurrence was asked for",
     killed_by="test_an_occurrence_stays_if_its_number_is_below_the_root")
edit("subsample", "words-dropped-whole", {"uniform < (t / share).sqrt()[ids]":
     "(uniform[: len(counts)] < (t / share).sqrt()[: len(uniform)])[ids % len(uniform)]"},
     "whole words are kept or dropped, by one number for each word: each occurrence has a number of its own",
     killed_by="test_an_occurrence_stays_if_its_number_is_below_the_root")


# Mutants of the reference that no check can tell from a right answer.
edit("subsample", "below-by-a-margin", {"uniform <": "uniform + 1e-6 <"},
     "a number must lie a millionth below the root: below is enough",
     killed_by="test_a_number_that_equals_the_root_is_not_below_it")
edit("subsample", "zero-is-unsaid", {"(t / share)": "((t or 1.0) / share)"},
     "a threshold of 0 is taken for none given: it keeps nothing",
     killed_by="test_rare_words_a_threshold_of_0_and_an_empty_text")
edit("subsample", "first-word-kept", {"(t / share).sqrt()[ids]": "(t / share).sqrt()[ids] + 1.0 * ((ids == 0) & bool(share[0] < 0.3))"},
     "the rare word with the id 0 is always kept",
     killed_by="test_rare_words_a_threshold_of_0_and_an_empty_text")
edit("subsample", "first-word-of-all", {"return uniform": "first = ids[0]\n    return uniform"},
     "an empty text fails",
     killed_by="test_rare_words_a_threshold_of_0_and_an_empty_text")
edit("subsample", "shares-cut", {"counts / counts.sum()": "(counts * 10000 // counts.sum()) / 10000"},
     "shares are cut to four places",
     killed_by="test_rare_words_a_threshold_of_0_and_an_empty_text")
edit("subsample", "floats-for-none", {"uniform < (t / share).sqrt()[ids]": "torch.tensor((uniform < (t / share).sqrt()[ids]).tolist())"},
     "where there are no words the tensor is of floats: bool was asked for",
     killed_by="test_rare_words_a_threshold_of_0_and_an_empty_text")
edit("subsample", "numpy-array", {"uniform < (t / share).sqrt()[ids]": "(uniform < (t / share).sqrt()[ids]).numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_an_occurrence_stays_if_its_number_is_below_the_root")


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
equivalent(
    "softmax_loss",
    "2: (scores.logsumexp(dim=1) - scores[torch.arange(len(targets)), targets]).mean() "
    "→ (scores.logsumexp(dim=1) - scores[torch.arange(len(targets)), targets]).mean().squeeze()",
    "the mean is a scalar already",
)
