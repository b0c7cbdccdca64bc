"""probing: classic mistakes and other right ways, for each exercise. Never released."""

import math
import random
from collections import Counter

import numpy as np
import torch
from torch.nn import functional

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# linear_probe
@alternative("linear_probe", "stacked-least-squares")
def linear_probe(vectors, labels, classes, penalty):
    x = vectors.double()
    y = torch.zeros(len(labels), classes, dtype=torch.float64)
    y[torch.arange(len(labels)), labels] = 1
    mean, middle = x.mean(0), y.mean(0)
    width = x.shape[1]
    rows = torch.cat([x - mean, math.sqrt(penalty) * torch.eye(width, dtype=torch.float64)])  # (N + H, H)
    targets = torch.cat([y - middle, torch.zeros(width, classes, dtype=torch.float64)])
    weight = torch.linalg.lstsq(rows, targets).solution.T
    bias = middle - weight @ mean
    return weight.to(vectors.dtype), bias.to(vectors.dtype)


@alternative("linear_probe", "a-column-of-ones")
def linear_probe(vectors, labels, classes, penalty):
    centre = vectors.double().mean(dim=0)
    x = torch.cat([vectors.double() - centre, torch.ones(len(vectors), 1, dtype=torch.float64)], dim=1)  # (N, H + 1)
    y = torch.eye(classes, dtype=torch.float64)[labels]
    free = penalty * torch.eye(x.shape[1], dtype=torch.float64)
    free[-1, -1] = 0
    both = torch.linalg.solve(x.T @ x + free, x.T @ y).T  # (K, H + 1)
    return both[:, :-1].to(vectors.dtype), (both[:, -1] - both[:, :-1] @ centre).to(vectors.dtype)


@alternative("linear_probe", "in-numpy-by-svd")
def linear_probe(vectors, labels, classes, penalty):
    x = vectors.detach().numpy().astype(np.float64)
    y = np.eye(classes)[labels.numpy()]
    left, values, right = np.linalg.svd(x - x.mean(0), full_matrices=False)
    weight = ((left * (values / (values**2 + penalty))) @ right).T @ (y - y.mean(0))  # (H, K)
    bias = y.mean(0) - x.mean(0) @ weight
    return torch.from_numpy(weight.T.copy()).to(vectors.dtype), torch.from_numpy(bias).to(vectors.dtype)


@alternative("linear_probe", "means-in-the-vectors-type")
def linear_probe(vectors, labels, classes, penalty):
    centre = vectors.mean(dim=0)
    x, y = (vectors - centre).double(), functional.one_hot(labels, classes).double()
    share = y.mean(dim=0)
    weight = torch.linalg.solve(x.T @ x + penalty * torch.eye(x.shape[1], dtype=x.dtype), x.T @ (y - share)).T
    return weight.to(vectors.dtype), (share - weight @ centre.double()).to(vectors.dtype)


edit("linear_probe", "small-penalties-raised", {"penalty * torch.eye(": "max(penalty, 0.01) * torch.eye("},
     "a small penalty is raised: it is taken as it is", killed_by="test_the_probe_keeps_double_precision")
edit("linear_probe", "no-penalty-but-a-millionth", {"penalty * torch.eye(": "1e-6 * torch.eye("},
     "the penalty is left out", killed_by="test_the_probe_is_scikit_learns_ridge_regression")
edit("linear_probe", "penalty-times-n", {"penalty * torch.eye(": "penalty * len(x) * torch.eye("},
     "the penalty is multiplied by N: the sum over the rows is what it stands beside", killed_by="test_the_probe_is_scikit_learns_ridge_regression")
edit("linear_probe", "vectors-not-centred", {"    x = x - centre\n": ""},
     "the vectors are not centred, but the rest is computed as if they were", killed_by="test_vectors_far_from_zero_are_told_apart")
edit("linear_probe", "labels-as-bias", {"(share - weight @ centre)": "share"},
     "the bias is the classes' shares: the mean vector, times the weight, has to be taken off", killed_by="test_vectors_far_from_zero_are_told_apart")
edit("linear_probe", "bias-sign", {"(share - weight @ centre)": "(share + weight @ centre)"},
     "the mean vector's part of the bias is added: it is taken off", killed_by="test_vectors_far_from_zero_are_told_apart")
edit("linear_probe", "transposed", {"x.T @ (y - share)).T": "x.T @ (y - share))"},
     "the weight is (H, K): (K, H) was asked for", killed_by="test_the_probe_is_scikit_learns_ridge_regression")
edit("linear_probe", "in-float32", {"x, y = vectors.double(), functional.one_hot(labels, classes).double()": "x, y = vectors.float(), functional.one_hot(labels, classes).float()"},
     "all is computed in float32: seven digits, whatever comes in", killed_by="test_the_probe_keeps_double_precision")
edit("linear_probe", "always-double", {"return weight.to(vectors.dtype), (share - weight @ centre).to(vectors.dtype)": "return weight, share - weight @ centre"},
     "the probe is float64, whatever the vectors are", killed_by="test_the_probe_has_the_vectors_type")


edit("linear_probe", "half-becomes-float", {"return weight.to(vectors.dtype), (share - weight @ centre).to(vectors.dtype)":
     "kind = torch.float64 if vectors.dtype == torch.float64 else torch.float32\n    return weight.to(kind), (share - weight @ centre).to(kind)"},
     "the probe of float16 vectors is float32: it has the vectors' type", killed_by="test_the_probe_has_the_vectors_type")
edit("linear_probe", "labels-begin-at-0", {"functional.one_hot(labels, classes)": "functional.one_hot(labels - labels.min(), classes)"},
     "the least label is taken for 0: class 0 may be missing", killed_by="test_many_vectors_and_classes_all_count")
edit("linear_probe", "penalty-and-a-millionth", {"penalty * torch.eye(": "(penalty + 1e-6) * torch.eye("},
     "a millionth is added to the penalty", killed_by="test_the_probe_keeps_double_precision")


@mistake("linear_probe", "bias-penalised", "a column of ones with the others: then the bias is penalised, too",
         killed_by="test_the_bias_carries_the_classes_shares_and_is_not_penalised")
def linear_probe(vectors, labels, classes, penalty):
    x = torch.cat([vectors.double(), torch.ones(len(vectors), 1, dtype=torch.float64)], dim=1)
    y = functional.one_hot(labels, classes).double()
    both = torch.linalg.solve(x.T @ x + penalty * torch.eye(x.shape[1], dtype=torch.float64), x.T @ y).T
    return both[:, :-1].to(vectors.dtype), both[:, -1].to(vectors.dtype)


@mistake("linear_probe", "classes-from-the-labels", "the number of classes is read off the labels: one may be missing",
         killed_by="test_a_class_may_be_missing")
def linear_probe(vectors, labels, classes, penalty):
    x, y = vectors.double(), functional.one_hot(labels).double()
    centre, share = x.mean(dim=0), y.mean(dim=0)
    x = x - centre
    weight = torch.linalg.solve(x.T @ x + penalty * torch.eye(x.shape[1], dtype=x.dtype), x.T @ (y - share)).T
    return weight.to(vectors.dtype), (share - weight @ centre).to(vectors.dtype)


@mistake("linear_probe", "class-means", "the weight is each class's mean vector: directions in which all vectors vary count too much",
         killed_by="test_the_probe_is_scikit_learns_ridge_regression")
def linear_probe(vectors, labels, classes, penalty):
    x, y = vectors.double(), functional.one_hot(labels, classes).double()
    weight = (x - x.mean(0)).T @ y / (y.sum(0) + penalty)
    return weight.T.to(vectors.dtype), (y.mean(0) - weight.T @ x.mean(0)).to(vectors.dtype)


# control_labels
@alternative("control_labels", "numpy-choice")
def control_labels(words, labels, others, seed):
    names = sorted(set(words) | set(others))
    values, counts = np.unique(np.array(labels), return_counts=True)
    picked = np.random.default_rng(seed).choice(values, size=len(names), p=counts / counts.sum())
    table = {name: int(one) for name, one in zip(names, picked)}
    return [table[word] for word in words], [table[word] for word in others]


@alternative("control_labels", "as-they-come")
def control_labels(words, labels, others, seed):
    generator = torch.Generator().manual_seed(seed)
    table = {}
    for word in [*words, *others]:
        if word not in table:
            table[word] = labels[int(torch.randint(len(labels), (1,), generator=generator))]
    return list(map(table.get, words)), list(map(table.get, others))


@alternative("control_labels", "numpys-integers")
def control_labels(words, labels, others, seed):
    draw = np.random.default_rng(seed)
    given = {word: draw.choice(labels) for word in dict.fromkeys([*words, *others])}
    return [given[word] for word in words], [given[word] for word in others]


edit("control_labels", "seed-0-is-none", {"random.Random(seed)": "random.Random(seed or None)"},
     "seed 0 is taken for no seed", killed_by="test_seed_0_is_a_seed_like_others")
edit("control_labels", "order-of-a-set", {"sorted({*words, *others})": "{*words, *others}"},
     "the words draw in the order of a set, which is another one in the next run of Python",
     killed_by="test_the_order_of_a_set_decides_nothing")
edit("control_labels", "order-of-two-sets", {"sorted({*words, *others})": "[*set(words), *(set(others) - set(words))]"},
     "the words draw in the order of sets, which is another one in the next run of Python",
     killed_by="test_the_order_of_a_set_decides_nothing")
edit("control_labels", "hash-of-the-word", {"draw.choice(labels) for": "random.Random(hash((seed, word))).choice(labels) for"},
     "each word's seed is Python's hash of it, which is another number in the next run",
     killed_by="test_another_run_of_python_has_the_same_labels")
edit("control_labels", "uniform", {"draw.choice(labels)": "draw.choice(sorted(set(labels)))"},
     "all labels are equally likely: they are drawn with the frequencies of the real ones", killed_by="test_labels_are_drawn_with_the_frequencies_of_the_tokens")
edit("control_labels", "a-label-for-each-token", {"return [given[word] for word in words], [given[word] for word in others]":
     "return [draw.choice(labels) for _ in words], [draw.choice(labels) for _ in others]"},
     "each token draws a label of its own: a word keeps its label wherever it stands", killed_by="test_a_word_has_one_label_wherever_it_stands")
edit("control_labels", "test-drawn-anew", {"return [given[word] for word in words], [given[word] for word in others]":
     "again = {word: draw.choice(labels) for word in sorted(set(others))}\n    return [given[word] for word in words], [again[word] for word in others]"},
     "the test's words draw again: nothing that was learnt by heart could help", killed_by="test_a_word_has_one_label_wherever_it_stands")
@mistake("control_labels", "new-words-most-frequent", "a word that is new in the test gets the most frequent label: it draws one as any other",
         killed_by="test_a_word_that_is_new_in_the_test_draws_a_label_too")
def control_labels(words, labels, others, seed):
    draw, most = random.Random(seed), max(labels, key=labels.count)
    given = {word: draw.choice(labels) for word in sorted(set(words))}
    return [given[word] for word in words], [given.get(word, most) for word in others]


edit("control_labels", "seed-ignored", {"random.Random(seed)": "random.Random(0)"},
     "the seed is ignored: every seed gives the same labels", killed_by="test_the_same_seed_gives_the_same_labels_and_another_one_others")
edit("control_labels", "lower-case", {"given = {word: draw.choice(labels) for word in sorted({*words, *others})}":
     "lower = {word: draw.choice(labels) for word in sorted({one.lower() for one in [*words, *others]})}\n    given = {word: lower[word.lower()] for word in [*words, *others]}"},
     "words that differ in case share a label", killed_by="test_case_and_order_are_as_they_stand")


edit("control_labels", "blanks-at-the-ends", {"given = {word: draw.choice(labels) for word in sorted({*words, *others})}":
     "bare = {word: draw.choice(labels) for word in sorted({one.strip() for one in [*words, *others]})}\n    given = {word: bare[word.strip()] for word in [*words, *others]}"},
     "words that differ in blanks at their ends share a label", killed_by="test_case_and_order_are_as_they_stand")


@mistake("control_labels", "new-words-uniform", "a word that is new in the test draws from all labels alike: by the same frequencies as any other",
         killed_by="test_new_words_draw_by_the_same_frequencies_and_on_their_own")
def control_labels(words, labels, others, seed):
    draw, each = random.Random(seed), sorted(set(labels))
    given = {word: draw.choice(labels) for word in sorted(set(words))}
    given |= {word: draw.choice(each) for word in sorted(set(others) - set(words))}
    return [given[word] for word in words], [given[word] for word in others]


@mistake("control_labels", "new-words-from-the-same-draws", "the test's new words begin with the seed again, and so repeat the draws of the others",
         killed_by="test_new_words_draw_by_the_same_frequencies_and_on_their_own")
def control_labels(words, labels, others, seed):
    first, second = random.Random(seed), random.Random(seed)
    given = {word: first.choice(labels) for word in sorted(set(words))}
    given |= {word: second.choice(labels) for word in sorted(set(others) - set(words))}
    return [given[word] for word in words], [given[word] for word in others]


@mistake("control_labels", "frequencies-of-types", "the labels' frequencies are counted over different words: they are those of the tokens",
         killed_by="test_labels_are_drawn_with_the_frequencies_of_the_tokens")
def control_labels(words, labels, others, seed):
    draw, types = random.Random(seed), list(dict(zip(words, labels)).values())
    given = {word: draw.choice(types) for word in sorted({*words, *others})}
    return [given[word] for word in words], [given[word] for word in others]


@mistake("control_labels", "one-generator-for-all-calls", "one generator goes on from call to call: the same seed gives other labels the next time",
         killed_by="test_the_same_seed_gives_the_same_labels_and_another_one_others")
def control_labels(words, labels, others, seed, draw=random.Random(0)):
    given = {word: draw.choice(labels) for word in sorted({*words, *others})}
    return [given[word] for word in words], [given[word] for word in others]


@mistake("control_labels", "shuffled", "the tokens' labels are shuffled: a word then has many",
         killed_by="test_a_word_has_one_label_wherever_it_stands")
def control_labels(words, labels, others, seed):
    draw, mixed = random.Random(seed), list(labels)
    draw.shuffle(mixed)
    return mixed, [draw.choice(mixed) for _ in others]


@mistake("control_labels", "types-shuffled", "the real labels of the types are dealt out anew: each word draws one on its own",
         killed_by="test_labels_are_drawn_with_the_frequencies_of_the_tokens")
def control_labels(words, labels, others, seed):
    draw, table = random.Random(seed), dict(zip(words, labels))
    mixed = list(table.values())
    draw.shuffle(mixed)
    given = dict(zip(sorted(table), mixed))
    for word in sorted(set(others) - set(given)):
        given[word] = draw.choice(mixed)
    return [given[word] for word in words], [given[word] for word in others]


# selectivity
@alternative("selectivity", "index-add")
def selectivity(right, control, words):
    number = {word: i for i, word in enumerate(dict.fromkeys(words))}
    apart = right.to(torch.float64) - control.to(torch.float64)
    of = torch.tensor([number[word] for word in words])
    sums = torch.zeros(len(number), dtype=torch.float64).index_add(0, of, apart - apart.mean())
    return float(apart.mean()), float(sums.square().sum().sqrt() / len(apart))


@alternative("selectivity", "sums-and-counts")
def selectivity(right, control, words):
    score, count = dict.fromkeys(words, 0), Counter(words)
    for word, a, b in zip(words, right.tolist(), control.tolist()):
        score[word] += int(a) - int(b)
    n = len(words)
    mean = sum(score.values()) / n
    return mean, sum((score[word] - count[word] * mean) ** 2 for word in score) ** 0.5 / n


edit("selectivity", "accuracy-alone", {"right.double() - control.double()": "right.double()"},
     "the accuracy alone: the control's was to be taken off", killed_by="test_it_is_the_difference_of_two_accuracies")
edit("selectivity", "turned-round", {"right.double() - control.double()": "control.double() - right.double()"},
     "the task is taken off the control", killed_by="test_it_is_the_difference_of_two_accuracies")
edit("selectivity", "mean-not-taken-off", {"sums[word] += one - mean": "sums[word] += one"},
     "the mean is not taken off before the sums: a large selectivity then looks uncertain", killed_by="test_tokens_of_one_word_count_together")
edit("selectivity", "divided-by-types", {"/ len(words)": "/ len(sums)"},
     "the root is divided by the number of types: N is the number of tokens", killed_by="test_tokens_of_one_word_count_together")
edit("selectivity", "root-of-n", {"/ len(words)": "/ math.sqrt(len(words))"},
     "the root is divided by √N: this is the spread, not the error of the mean", killed_by="test_of_words_that_stand_once_the_error_is_the_usual_one")
edit("selectivity", "empty-word-left-out", {"sums[word] += one - mean": "sums[word] += (one - mean) * bool(word)"},
     "the empty word is left out: it is a type like others", killed_by="test_words_that_differ_in_case_are_two")
edit("selectivity", "blanks-at-the-ends", {"sums[word] += one - mean": "sums[word.strip()] += one - mean"},
     "words that differ in blanks at their ends are one type", killed_by="test_words_that_differ_in_case_are_two")
edit("selectivity", "no-root", {"math.sqrt(sum(one * one for one in sums.values()))": "sum(one * one for one in sums.values())"},
     "the root is missing", killed_by="test_of_words_that_stand_once_the_error_is_the_usual_one")
edit("selectivity", "no-squares", {"one * one for one in": "abs(one) for one in"},
     "the sums are added as they are: their squares", killed_by="test_of_words_that_stand_once_the_error_is_the_usual_one")


@mistake("selectivity", "tokens-as-if-independent", "each token counts on its own: tokens of one word share one control label",
         killed_by="test_tokens_of_one_word_count_together")
def selectivity(right, control, words):
    apart = right.double() - control.double()
    return float(apart.mean()), float(apart.std(correction=0) / math.sqrt(len(words)))


@mistake("selectivity", "mean-over-types", "the mean of the types' means: each token counts alike",
         killed_by="test_any_tokens_are_counted_by_type")
def selectivity(right, control, words):
    lists = {}
    for word, a, b in zip(words, right.tolist(), control.tolist()):
        lists.setdefault(word, []).append(int(a) - int(b))
    means = [sum(some) / len(some) for some in lists.values()]
    mean = sum(means) / len(means)
    return mean, math.sqrt(sum((one - mean) ** 2 for one in means)) / len(means)


edit("selectivity", "tensors-returned", {"mean = float(apart.mean())": "mean = apart.mean()"},
     "the selectivity is a tensor: a float was asked for", killed_by="test_both_numbers_are_plain_floats")


# layer_centres
@alternative("layer_centres", "dot-products")
def layer_centres(scores, cumulative):
    layers = torch.arange(len(scores), dtype=torch.float64)
    gravity = float(torch.softmax(scores.double(), 0) @ layers)
    steps = torch.tensor(cumulative, dtype=torch.float64).diff()
    if cumulative[0] == cumulative[-1]:
        return gravity, None
    return gravity, float(steps @ layers[1:] / steps.sum())


@alternative("layer_centres", "summed-by-parts")
def layer_centres(scores, cumulative):
    odds = np.exp(scores.numpy().astype(float) - float(scores.max()))
    gravity = float(np.arange(len(odds)) @ odds / odds.sum())
    first, *middle, last = cumulative
    if last == first:
        return gravity, None
    return gravity, len(cumulative) - 1 - sum(one - first for one in middle) / (last - first)


edit("layer_centres", "no-softmax", {"scores.double().softmax(dim=0).tolist()": "(scores.double() / scores.double().sum()).tolist()"},
     "the scores are divided by their sum: their softmax was asked for", killed_by="test_scores_become_shares_by_a_softmax")
edit("layer_centres", "layers-from-1", {"enumerate(scores.double().softmax(dim=0).tolist())": "enumerate(scores.double().softmax(dim=0).tolist(), start=1)"},
     "the embeddings count as layer 1: they are layer 0", killed_by="test_even_scores_have_their_centre_in_the_middle")
edit("layer_centres", "gains-from-0", {"enumerate(gains, start=1)": "enumerate(gains)"},
     "the first layer's gain counts as that of layer 0", killed_by="test_the_expected_layer_weighs_each_layer_by_what_it_adds")
edit("layer_centres", "scores-not-gains", {"sum(layer * gain for layer, gain in enumerate(gains, start=1)) / whole": "sum(layer * gain for layer, gain in enumerate(cumulative)) / sum(cumulative)"},
     "the scores themselves are the weights: a layer counts by what it adds", killed_by="test_the_expected_layer_weighs_each_layer_by_what_it_adds")
edit("layer_centres", "losses-cut-off", {"[after - before for": "[max(0, after - before) for"},
     "a layer that loses counts as 0: it counts as it is", killed_by="test_what_a_layer_loses_counts_as_it_is")
edit("layer_centres", "losses-as-gains", {"[after - before for": "[abs(after - before) for"},
     "what a layer loses counts as a gain", killed_by="test_what_a_layer_loses_counts_as_it_is")
edit("layer_centres", "none-for-zero", {"return gravity, sum(layer * gain for layer, gain in enumerate(gains, start=1)) / whole": "return gravity, sum(layer * gain for layer, gain in enumerate(gains, start=1)) / whole or None"},
     "an expected layer of 0 is taken for none: gains and losses may cancel", killed_by="test_the_last_score_is_held_against_the_first_itself")
edit("layer_centres", "divided-by-the-last", {"whole = cumulative[-1] - cumulative[0]": "whole = cumulative[-1]"},
     "the last score divides: what the embeddings can do alone is no gain", killed_by="test_the_expected_layer_weighs_each_layer_by_what_it_adds")
edit("layer_centres", "zero-for-none", {"return gravity, None": "return gravity, 0.0"},
     "0 comes back where nothing is gained: there is no expected layer then, None", killed_by="test_without_a_gain_there_is_no_expected_layer")
edit("layer_centres", "no-loss-allowed", {"if whole == 0:": "if whole <= 0:"},
     "None comes back where the layers lose on the whole: only where the last score is the first", killed_by="test_a_loss_on_the_whole_is_divided_by_all_the_same")
edit("layer_centres", "nearly-zero", {"if whole == 0:": "if abs(whole) < 1e-6:"},
     "a gain that is small is taken for none: None only where the last score is exactly the first", killed_by="test_the_expected_layer_weighs_each_layer_by_what_it_adds")
edit("layer_centres", "close-is-equal", {"if whole == 0:": "if math.isclose(cumulative[0], cumulative[-1]):"},
     "scores that are close are taken for equal: None only where the last is exactly the first", killed_by="test_the_last_score_is_held_against_the_first_itself")
edit("layer_centres", "sum-of-gains", {"whole = cumulative[-1] - cumulative[0]": "whole = sum(gains)"},
     "the gains are added up: their roundings hide that the last score is the first", killed_by="test_the_last_score_is_held_against_the_first_itself")
edit("layer_centres", "greatest-share", {"gravity = sum(layer * share for layer, share in enumerate(scores.double().softmax(dim=0).tolist()))": "gravity = float(scores.argmax())"},
     "the layer with the greatest share: the centre of all shares was asked for", killed_by="test_even_scores_have_their_centre_in_the_middle")
edit("layer_centres", "exp-apart", {"scores.double().softmax(dim=0)": "(scores.double().exp() / scores.double().exp().sum())"},
     "exp of a great score is infinite: softmax takes the maximum off first", killed_by="test_scores_may_be_far_from_zero")


# online_code
@alternative("online_code", "log2-of-probabilities")
def online_code(blocks, classes):
    costs = []
    for logits, labels in blocks:
        if logits is None:
            costs += [math.log2(classes)] * len(labels)
        else:
            logs = logits.double().log_softmax(dim=1) / math.log(2)
            costs += (-logs.gather(1, labels[:, None])[:, 0]).tolist()
    bits = math.fsum(costs)
    return bits, math.inf if bits == 0 else len(costs) * math.log2(classes) / bits


@alternative("online_code", "even-logits")
def online_code(blocks, classes):
    nats, even = 0.0, 0.0
    for logits, labels in blocks:
        if logits is None:
            logits = torch.zeros(len(labels), classes)
        logits = logits.to(torch.float64)
        nats += float((logits.logsumexp(1) - logits[torch.arange(len(labels)), labels]).sum())
        even += len(labels) * math.log(classes)
    return nats / math.log(2), even / nats if nats != 0 else float("inf")


edit("online_code", "nats", {"bits += float(nats) / math.log(2)": "bits += float(nats)"},
     "the probe's costs are in nats: divide by ln 2", killed_by="test_a_probe_pays_the_bits_of_what_it_finds_improbable")
edit("online_code", "mean-of-a-block", {', reduction="sum"': ""},
     "the mean of a block is added: each label costs its own bits", killed_by="test_labels_of_a_block_add_up")
edit("online_code", "first-block-free", {"bits += len(labels) * math.log2(classes)": "bits += 0"},
     "labels without a probe are sent for nothing: they cost log2 K each", killed_by="test_without_a_probe_each_label_costs_log2_of_the_classes")
edit("online_code", "one-label-without-a-probe", {"bits += len(labels) * math.log2(classes)": "bits += math.log2(classes)"},
     "a block without a probe costs as one label", killed_by="test_without_a_probe_each_label_costs_log2_of_the_classes")
edit("online_code", "compression-upside-down", {"even / bits if bits else math.inf": "bits / even if bits else 0.0"},
     "the compression is upside down: how many times shorter is this code?", killed_by="test_compression_is_the_even_code_by_this_one")
edit("online_code", "compression-of-the-probed", {"        count += len(labels)\n": "        count += 0 if logits is None else len(labels)\n"},
     "labels without a probe are left out of the even code", killed_by="test_compression_is_the_even_code_by_this_one")
edit("online_code", "bits-of-the-classes-named", {"math.log2(classes)\n        else": "math.log2(max(2, len(labels.unique())))\n        else"},
     "K is taken from the labels of the block: it is given", killed_by="test_without_a_probe_each_label_costs_log2_of_the_classes")
edit("online_code", "log-of-the-softmax", {'functional.cross_entropy(logits.double(), labels, reduction="sum")': "-logits.softmax(dim=1).log()[torch.arange(len(labels)), labels].sum()"},
     "the logarithm of a softmax that is 0 is −∞: cross_entropy is safe", killed_by="test_a_probe_may_be_very_sure_and_wrong")
edit("online_code", "logits-as-probabilities", {'functional.cross_entropy(logits.double(), labels, reduction="sum")': "-logits.double()[torch.arange(len(labels)), labels].sum()"},
     "the logits are taken for logarithms of probabilities", killed_by="test_any_blocks_cost_what_their_labels_cost")
edit("online_code", "few-bits-are-none", {"even / bits if bits else math.inf": "even / bits if bits > 1e-6 else math.inf"},
     "few bits are taken for none: infinite only where they are 0", killed_by="test_a_code_of_no_bits_compresses_infinitely")
edit("online_code", "fewer-bits-are-none", {"even / bits if bits else math.inf": "even / bits if bits > 1e-9 else math.inf"},
     "a billionth of a bit is taken for none: infinite only where the bits are 0", killed_by="test_a_code_of_no_bits_compresses_infinitely")
edit("online_code", "first-block-has-no-probe", {"for logits, labels in blocks:": "for number, (logits, labels) in enumerate(blocks):", "if logits is None:": "if number == 0:"},
     "the first block is taken to have no probe, and the others one: None says it", killed_by="test_the_first_block_may_have_a_probe_and_a_later_one_none")


# structure_loss
@alternative("structure_loss", "sentence-by-sentence")
def structure_loss(vectors, transform, distances, lengths):
    costs = []
    for x, table, n in zip(vectors, distances, lengths.tolist()):
        mapped = x[:n] @ transform.T
        gaps = mapped.unsqueeze(1) - mapped.unsqueeze(0)
        costs.append((table[:n, :n] - gaps.pow(2).sum(-1)).abs().mean())
    return torch.stack(costs).mean()


@alternative("structure_loss", "differences-first")
def structure_loss(vectors, transform, distances, lengths):
    real = torch.arange(vectors.shape[1])[None] < lengths[:, None]
    x = torch.where(real[..., None], vectors, 0.0)
    squares = torch.einsum("bijh,rh->bijr", x.unsqueeze(2) - x.unsqueeze(1), transform).pow(2).sum(dim=3)
    pairs = torch.einsum("bi,bj->bij", real.long(), real.long()).bool()
    apart = torch.where(pairs, torch.where(pairs, distances, 0.0) - squares, 0.0).abs()
    return torch.mean(apart.flatten(1).sum(dim=1) / lengths.square())


@alternative("structure_loss", "each-pair-twice")
def structure_loss(vectors, transform, distances, lengths):
    costs = []
    for x, table, n in zip(vectors, distances, lengths.tolist()):
        i, j = torch.triu_indices(n, n, offset=1)
        squares = ((x[i] - x[j]) @ transform.T).square().sum(dim=1)
        costs.append(2 * (table[i, j] - squares).abs().sum() / n**2)
    return torch.stack(costs).mean()


edit("structure_loss", "as-long-as-the-longest", {"torch.arange(vectors.shape[1]) <": "torch.arange(int(lengths.max())) <"},
     "the longest sentence is taken to have all N words: all may be shorter", killed_by="test_any_sentences_cost_what_their_pairs_cost")


@mistake("structure_loss", "through-the-gram-matrix", "a² + b² − 2ab loses the distances of vectors far from 0: subtract first",
         killed_by="test_sentences_far_from_zero_cost_what_those_near_it_do")
def structure_loss(vectors, transform, distances, lengths):
    total = vectors.new_zeros(())
    for row in range(len(vectors)):
        n = int(lengths[row])
        mapped = vectors[row, :n] @ transform.T
        products = mapped @ mapped.T
        lengths_squared = products.diagonal()
        squares = lengths_squared[:, None] + lengths_squared[None] - 2 * products
        total = total + (distances[row, :n, :n] - squares).abs().sum() / (n * n)
    return total / len(vectors)


edit("structure_loss", "distance-not-squared", {".square().sum(dim=-1)": ".norm(dim=-1)"},
     "the distance is not squared: its square is the tree's distance", killed_by="test_random_sentences_cost_what_their_pairs_cost")
edit("structure_loss", "squared-error", {"(distances.masked_fill(~both, 0) - squares).abs()": "(distances.masked_fill(~both, 0) - squares).square()"},
     "the difference is squared: its absolute value was asked for", killed_by="test_random_sentences_cost_what_their_pairs_cost")
edit("structure_loss", "divided-by-n", {"/ lengths**2": "/ lengths"},
     "a sentence is divided by n: by n², since it has so many pairs", killed_by="test_each_sentence_is_divided_by_the_square_of_its_own_length")
edit("structure_loss", "one-mean-over-all-pairs", {"return (apart.sum(dim=(1, 2)) / lengths**2).mean()": "return apart.sum() / both.sum()"},
     "one mean over the pairs of all sentences: long ones then count for more", killed_by="test_each_sentence_is_divided_by_the_square_of_its_own_length")
edit("structure_loss", "padded-length", {"/ lengths**2": "/ vectors.shape[1] ** 2"},
     "each sentence is divided by the padded length's square", killed_by="test_each_sentence_is_divided_by_the_square_of_its_own_length")
edit("structure_loss", "sum-over-sentences", {"lengths**2).mean()": "lengths**2).sum()"},
     "the sum over sentences: their mean was asked for", killed_by="test_each_sentence_is_divided_by_the_square_of_its_own_length")
edit("structure_loss", "pairs-once", {".abs().masked_fill(~both, 0)": ".abs().masked_fill(~both, 0).triu()"},
     "each pair is counted once: n² is the number of ordered pairs", killed_by="test_random_sentences_cost_what_their_pairs_cost")
edit("structure_loss", "map-transposed-away", {" @ transform.T": ""},
     "the map is left out", killed_by="test_vectors_whose_squared_distances_are_the_trees_cost_nothing")
edit("structure_loss", "products-of-many-words", {"squares = (x[:, :, None] - x[:, None]).square().sum(dim=-1)": "squares = torch.cdist(x, x).square()"},
     "torch.cdist multiplies matrices from 26 words on, and far from 0 their differences are lost",
     killed_by="test_sentences_far_from_zero_cost_what_those_near_it_do")
edit("structure_loss", "padding-multiplied", {"vectors.masked_fill(~real[:, :, None], 0)": "vectors", ".abs().masked_fill(~both, 0)": ".abs() * both"},
     "padding is multiplied by 0: 0 times NaN is NaN", killed_by="test_padding_may_hold_anything")
edit("structure_loss", "padding-counted", {".abs().masked_fill(~both, 0)": ".abs()"},
     "pairs with padding are counted", killed_by="test_random_sentences_cost_what_their_pairs_cost")
edit("structure_loss", "map-detached", {" @ transform.T": " @ transform.detach().T"},
     "the map is detached, so it cannot be trained", killed_by="test_the_map_can_be_trained")
edit("structure_loss", "padding-cleaned-at-the-end", {"vectors.masked_fill(~real[:, :, None], 0)": "vectors"},
     "padding is left out only at the end: the gradient has passed through its NaN", killed_by="test_no_gradient_comes_out_of_padding")


# precision_at
@alternative("precision_at", "sorted-candidates")
def precision_at(logits, candidates, answers, also, k):
    hits = []
    for row, answer, out in zip(logits.tolist(), answers, also):
        left = [one for one in candidates if one not in set(out)]
        left.sort(key=lambda one: (-row[one], one == answer))
        hits.append(answer in left[:k])
    return sum(hits) / len(hits)


@alternative("precision_at", "masked-columns")
def precision_at(logits, candidates, answers, also, k):
    compete = torch.zeros(logits.shape, dtype=torch.bool)
    compete[:, candidates] = True
    for number, out in enumerate(also):
        compete[number, out] = False
    compete[torch.arange(len(answers)), answers] = False
    own = logits.gather(1, torch.tensor(answers)[:, None])
    ahead = ((logits >= own) & compete).sum(dim=1)
    return float((ahead < k).double().mean())


edit("precision_at", "whole-vocabulary", {"for one in candidates if": "for one in range(len(row)) if"},
     "the whole vocabulary competes: only the candidates do", killed_by="test_the_first_candidate_is_what_counts")
edit("precision_at", "right-answers-compete", {"if one != answer and one not in out]": "if one != answer]"},
     "what is right as well competes: it leaves this question", killed_by="test_what_is_right_as_well_does_not_compete")
edit("precision_at", "ties-for-the-model", {">= row[answer]": "> row[answer]"},
     "a tie counts for the model: who scores all alike is then always right", killed_by="test_a_tie_counts_against_the_model")
edit("precision_at", "one-more", {"found += ahead < k": "found += ahead <= k"},
     "the first k + 1 count", killed_by="test_the_first_candidate_is_what_counts")
edit("precision_at", "lists-of-all-questions", {"one not in out]": "one not in sum(also, [])]"},
     "what is out in one question is out in all", killed_by="test_each_question_has_its_own_list")
edit("precision_at", "count-not-share", {"return found / len(answers)": "return float(found)"},
     "the number of questions: their share was asked for", killed_by="test_the_first_candidate_is_what_counts")
edit("precision_at", "divided-by-k", {"return found / len(answers)": "return found / (k * len(answers))"},
     "the share is divided by k, as in retrieval: each question has one answer", killed_by="test_the_first_candidate_is_what_counts")


edit("precision_at", "a-tensor", {"return found / len(answers)": "return torch.tensor(found / len(answers))"},
     "a tensor: a float was asked for", killed_by="test_the_share_is_a_plain_float")


edit("precision_at", "minus-infinity-does-not-compete", {"(row[others] >= row[answer]).sum()": "((row[others] >= row[answer]) & (row[others] > -math.inf)).sum()"},
     "a candidate with −∞ does not compete: it ties with an answer of −∞", killed_by="test_what_does_not_compete_ties_with_nobody")


@mistake("precision_at", "minus-infinity-ties", "what does not compete gets −∞ and still counts, as a tie, where the answer has −∞",
         killed_by="test_what_does_not_compete_ties_with_nobody")
def precision_at(logits, candidates, answers, also, k):
    found = 0
    for row, answer, out in zip(logits, answers, also):
        row = row.clone()
        row[out] = -torch.inf
        found += int((row[candidates] >= row[answer]).sum()) <= k
    return found / len(answers)


@mistake("precision_at", "first-alone", "only the first guess is looked at, whatever k is",
         killed_by="test_the_first_candidate_is_what_counts")
def precision_at(logits, candidates, answers, also, k):
    found = 0
    for row, answer, out in zip(logits, answers, also):
        others = [one for one in candidates if one != answer and one not in out]
        found += not others or bool(row[answer] > row[others].max())
    return found / len(answers)


@mistake("precision_at", "place-for-id", "the place among the candidates is taken for the id",
         killed_by="test_candidates_are_ids")
def precision_at(logits, candidates, answers, also, k):
    found = 0
    for row, answer, out in zip(logits, answers, also):
        row = row[candidates].clone()
        for one in out:
            if one in candidates:
                row[candidates.index(one)] = -torch.inf
        found += answer in row.argsort(descending=True)[:k].tolist()
    return found / len(answers)


@mistake("precision_at", "minus-a-thousand", "what does not compete gets −1000: scores may be lower than that",
         killed_by="test_scores_may_all_be_far_below_zero")
def precision_at(logits, candidates, answers, also, k):
    found = 0
    for row, answer, out in zip(logits, answers, also):
        row = row.clone()
        row[[one for one in out if one != answer]] = -1000.0
        others = [one for one in candidates if one != answer]
        found += int((row[others] >= row[answer]).sum()) < k
    return found / len(answers)


# remove_directions
@alternative("remove_directions", "pseudo-inverse")
def remove_directions(vectors, weight):
    w = weight.to(torch.float64)
    onto = torch.linalg.pinv(w, rtol=1e-5) @ w  # (H, H)
    return (vectors.to(torch.float64) @ (torch.eye(w.shape[1], dtype=torch.float64) - onto)).to(vectors.dtype)


@alternative("remove_directions", "the-space-that-is-left")
def remove_directions(vectors, weight):
    _, values, right = np.linalg.svd(weight.detach().numpy().astype(np.float64), full_matrices=True)
    rank = int((values > 1e-5 * values.max()).sum())
    rest = right[rank:]  # (H − R, H): a basis of what no row looks at
    x = vectors.detach().numpy().astype(np.float64)
    return torch.from_numpy(x @ rest.T @ rest).to(vectors.dtype)


edit("remove_directions", "what-is-taken-out", {"(x - (x @ basis.T) @ basis)": "((x @ basis.T) @ basis)"},
     "what the probe looks at comes back: what is left was asked for", killed_by="test_one_direction_is_taken_out")
edit("remove_directions", "every-singular-vector", {"right[values > 1e-5 * values.max()]": "right"},
     "singular vectors whose value is 0 are taken out, too: no row looks there", killed_by="test_rows_that_sum_to_zero_are_one_direction_fewer")
edit("remove_directions", "qr", {"_, values, right = torch.linalg.svd(weight.double(), full_matrices=False)": "basis, _ = torch.linalg.qr(weight.double().T)",
     "    basis = right[values > 1e-5 * values.max()]\n": "    basis = basis.T\n"},
     "QR makes a full basis of rows that depend on one another: it holds directions that no row looks at", killed_by="test_rows_that_sum_to_zero_are_one_direction_fewer")
edit("remove_directions", "rows-as-they-are", {"_, values, right = torch.linalg.svd(weight.double(), full_matrices=False)": "right = weight.double()",
     "    basis = right[values > 1e-5 * values.max()]\n": "    basis = right\n"},
     "the rows themselves are projected on: they have neither length 1 nor right angles", killed_by="test_one_direction_is_taken_out")
edit("remove_directions", "rows-of-length-1", {"_, values, right = torch.linalg.svd(weight.double(), full_matrices=False)": "right = functional.normalize(weight.double(), dim=1)",
     "    basis = right[values > 1e-5 * values.max()]\n": "    basis = right\n"},
     "rows of length 1 are taken for a basis: they may not stand at right angles", killed_by="test_directions_need_not_be_at_right_angles")
edit("remove_directions", "fixed-bound", {"1e-5 * values.max()": "1e-5"},
     "singular values are held against 1e-5 itself: against the greatest", killed_by="test_rows_that_nearly_depend_are_one_direction")
edit("remove_directions", "least-bound", {"values > 1e-5 * values.max()": "values > max(1e-5 * float(values.max()), 1e-10)"},
     "values below 1e-10 never count: they are held against the greatest alone", killed_by="test_rows_that_nearly_depend_are_one_direction")
edit("remove_directions", "any-value-above-0", {"values > 1e-5 * values.max()": "values > 0"},
     "any singular value above 0 counts, rounding too", killed_by="test_rows_that_sum_to_zero_are_one_direction_fewer")
edit("remove_directions", "always-double", {").to(vectors.dtype)": ")"},
     "float64 comes back, whatever the vectors are", killed_by="test_what_is_left_has_the_vectors_type")
edit("remove_directions", "in-float32", {"weight.double()": "weight.float()", "vectors.double()": "vectors.float()"},
     "all is computed in float32", killed_by="test_what_is_left_keeps_double_precision")
edit("remove_directions", "centred", {"x = vectors.double()": "x = vectors.double() - vectors.double().mean(dim=0)"},
     "the vectors are centred as well", killed_by="test_one_direction_is_taken_out")


@mistake("remove_directions", "one-row-after-the-other", "one row after the other is taken out: without right angles the later ones bring the first back",
         killed_by="test_directions_need_not_be_at_right_angles")
def remove_directions(vectors, weight):
    x = vectors.double()
    for row in weight.double():
        if float(row.norm()) > 0:
            unit = row / row.norm()
            x = x - (x @ unit)[:, None] * unit
    return x.to(vectors.dtype)


equivalent("linear_probe", "5: x.T @ (y - share) → x.T @ (y + share)", "the vectors are centred, so a constant row adds nothing")
for label in ("5: sums[word] += one - mean → sums[word] -= one - mean", "5: one - mean → mean - one"):
    equivalent("selectivity", label, "the squares do not see the sign")
equivalent("layer_centres", "1: scores.double().softmax(dim=0) → scores.double().softmax(dim=-1)", "there is one dimension")
equivalent("online_code", "1: (0.0, 0) → (0, 0.0)", "the first block makes a float of the bits, and a count that is a float multiplies alike")
for value in ("1", "-1"):
    equivalent("structure_loss", f"3: vectors.masked_fill(~real[:, :, None], 0) → vectors.masked_fill(~real[:, :, None], {value})",
               "any finite number will do: pairs with padding are left out at the end")
    equivalent("structure_loss", f"5: distances.masked_fill(~both, 0) → distances.masked_fill(~both, {value})",
               "any finite number will do: pairs with padding are left out at the end")
equivalent("structure_loss", "4: x[:, :, None] - x[:, None] → x[:, None] - x[:, :, None]", "the square does not see the sign")
equivalent("structure_loss", "5: distances.masked_fill(~both, 0) - squares → squares - distances.masked_fill(~both, 0)", "the absolute value does not see the sign")
equivalent("structure_loss", "6: apart.sum(dim=(1, 2)) → apart.sum(dim=(2, 1))", "the order of the dimensions that are summed does not matter")
equivalent("structure_loss", "6: (apart.sum(dim=(1, 2)) / lengths ** 2).mean() → (apart.sum(dim=(1, 2)) / lengths ** 2).mean().squeeze()", "a mean has no dimension")
equivalent("structure_loss", "6: lengths ** 2 → lengths.detach() ** 2",
           "lengths are counts, through which no gradient goes")
