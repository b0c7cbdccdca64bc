"""bert_parts: classic mistakes and other right ways, for each exercise. Never released."""

import math
import random
from collections import Counter

import numpy as np
import torch

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# combine_layers
@alternative("combine_layers", "stacked-and-einsum")
def combine_layers(layers, way, scores=None):
    single = {"embeddings": 0, "second-to-last": len(layers) - 2, "last": len(layers) - 1}
    if way in single:
        return layers[single[way]]
    count = len(layers) - 1
    k = count if way == "sum-all" else min(4, count)
    stack = torch.stack(list(layers[-k:]))  # (K, B, N, H)
    if way == "concat-last-4":
        return stack.permute(1, 2, 0, 3).flatten(2)
    return torch.einsum("k,kbnh->bnh", scores.softmax(0).to(stack.dtype), stack)


@alternative("combine_layers", "exp-by-hand")
def combine_layers(layers, way, scores=None):
    embeddings, *hidden = layers
    if way == "embeddings":
        return embeddings
    if way == "last":
        return hidden.pop()
    if way == "second-to-last":
        return layers[len(layers) - 2]
    if way != "sum-all":
        hidden = hidden[max(0, len(hidden) - 4):]
    if way == "concat-last-4":
        return torch.cat(hidden, 2)
    odds = (scores - scores.max()).exp()
    total = torch.zeros_like(hidden[0])
    for i in range(len(hidden)):
        total = total + odds[i] / odds.sum() * hidden[i]
    return total


edit("combine_layers", "sum-not-softmax", {"torch.softmax(scores, dim=0)": "scores"},
     "the scores are the weights: their softmax is", killed_by="test_scores_become_weights_by_a_softmax")
edit("combine_layers", "embeddings-in-the-sum", {'layers[1:] if way == "sum-all"': 'layers if way == "sum-all"'},
     "the embeddings are a layer of \"sum-all\": the sum begins above them", killed_by="test_equal_scores_give_the_mean_of_the_layers")
edit("combine_layers", "embeddings-among-the-last-four", {"layers[1:][-4:]": "layers[-4:]"},
     "with fewer than four layers the embeddings slip in", killed_by="test_of_two_layers_the_last_four_are_both_without_the_embeddings")
edit("combine_layers", "first-four", {"layers[1:][-4:]": "layers[1:][:4]"},
     "the first four layers are taken: the last four were asked for", killed_by="test_the_last_four_stand_side_by_side_lower_layers_first")
edit("combine_layers", "top-layer-first", {"torch.cat(hidden, dim=-1)": "torch.cat(hidden[::-1], dim=-1)"},
     "the top layer stands first: lower layers come first", killed_by="test_the_last_four_stand_side_by_side_lower_layers_first")
edit("combine_layers", "tokens-side-by-side", {"torch.cat(hidden, dim=-1)": "torch.cat(hidden, dim=1)"},
     "the sequences are joined end to end: the vectors of a token stand side by side", killed_by="test_the_last_four_stand_side_by_side_lower_layers_first")
edit("combine_layers", "off-by-one-layer", {"return layers[-2]": "return layers[-3]", "return layers[-1]": "return layers[-2]"},
     "the last layer is taken for the one below it", killed_by="test_one_layer_is_taken_as_it_is")
edit("combine_layers", "plain-mean", {"sum(weight * layer for weight, layer in zip(weights, hidden))": "sum(hidden) / len(hidden)"},
     "the mean, whatever the scores", killed_by="test_scores_become_weights_by_a_softmax")
edit("combine_layers", "scores-turned", {"zip(weights, hidden)": "zip(weights.flip(0), hidden)"},
     "the first score is given to the top layer: lower layers come first", killed_by="test_scores_become_weights_by_a_softmax")
edit("combine_layers", "detached", {"torch.softmax(scores, dim=0)": "torch.softmax(scores.detach(), dim=0)"},
     "the scores are detached, so they cannot be learned", killed_by="test_scores_can_be_learned")


edit("combine_layers", "exp-without-maximum", {"torch.softmax(scores, dim=0)": "scores.exp() / scores.exp().sum()"},
     "the exponential of a great score is infinite: softmax takes the maximum off first", killed_by="test_scores_may_be_far_from_zero")
edit("combine_layers", "learned-in-one-sum-alone", {"torch.softmax(scores, dim=0)": 'torch.softmax(scores if way == "sum-all" else scores.detach(), dim=0)'},
     "the scores of \"sum-last-4\" are detached: both sums are learned", killed_by="test_scores_can_be_learned")


edit("combine_layers", "twelve-layers", {'layers[1:] if way == "sum-all"': 'layers[1:13] if way == "sum-all"'},
     "twelve layers, as in BERT base: there may be more", killed_by="test_thirty_layers_are_all_summed")
edit("combine_layers", "one-place-squeezed", {"return torch.cat(hidden, dim=-1)": "return torch.cat(hidden, dim=-1).squeeze(1)"},
     "a sentence of one token loses its axis", killed_by="test_an_axis_of_one_is_kept_in_every_way")


@mistake("combine_layers", "scores-decide", "whether there are scores decides: the way does",
         killed_by="test_a_way_without_a_sum_looks_at_no_scores")
def combine_layers(layers, way, scores=None):
    hidden = layers[1:] if way == "sum-all" else layers[1:][-4:]
    if scores is not None:
        return sum(weight * layer for weight, layer in zip(torch.softmax(scores, dim=0), hidden))
    if way == "concat-last-4":
        return torch.cat(hidden, dim=-1)
    return layers[{"embeddings": 0, "second-to-last": -2, "last": -1}[way]]


# trainable
@alternative("trainable", "regular-expression")
def trainable(shapes, first):
    import re

    names, numbers = [], 0
    for name, shape in shapes.items():
        layer = re.match(r"bert\.layers\.(\d+)\.", name)
        level = 0 if re.match(r"bert\.input\.", name) else int(layer[1]) + 1 if layer else math.inf
        if level >= first:
            names.append(name)
            numbers += int(np.prod(shape))
    return names, numbers


@alternative("trainable", "frozen-prefixes")
def trainable(shapes, first):
    below = ["bert.input."] * (first > 0) + [f"bert.layers.{i}." for i in range(first - 1)]
    names = [name for name in shapes if not any(name.startswith(prefix) for prefix in below)]
    return names, sum(torch.Size(shapes[name]).numel() for name in names)


edit("trainable", "counted-from-0", {"level = 1 + int(": "level = int("},
     "bert.layers.0 is taken for layer 0: that is the input, and bert.layers.0 is layer 1",
     killed_by="test_from_1_on_the_input_alone_is_frozen")
edit("trainable", "one-layer-too-many", {"if level >= first": "if level > first"},
     "layer `first` itself is frozen: it is the first that is trained", killed_by="test_from_0_on_all_is_trained")
edit("trainable", "input-never-frozen", {"            level = 0\n": "            level = first\n"},
     "the embeddings are trained whatever is frozen above them", killed_by="test_from_1_on_the_input_alone_is_frozen")
edit("trainable", "head-frozen", {"level = first  # pooler and head": "level = 0"},
     "pooler and head are frozen: then nothing can learn the task", killed_by="test_above_the_last_layer_pooler_and_head_are_left")
edit("trainable", "one-digit", {'int(name.split(".")[2])': 'int(name[len("bert.layers."):][0])'},
     "one digit is read: layers 10 and 11 are taken for layer 1", killed_by="test_of_twelve_layers_layer_1_is_not_layer_10")
edit("trainable", "tensors-counted", {"sum(math.prod(shapes[name]) for name in names)": "len(names)"},
     "the tensors are counted: their numbers were asked for", killed_by="test_from_0_on_all_is_trained")
edit("trainable", "sides-added", {"math.prod(shapes[name])": "sum(shapes[name])"},
     "the sides of a matrix are added: its weights are their product", killed_by="test_from_0_on_all_is_trained")
edit("trainable", "all-counted", {"for name in names)": "for name in shapes)"},
     "all weights are counted, the frozen ones too", killed_by="test_from_1_on_the_input_alone_is_frozen")


@mistake("trainable", "prefixes-without-dot", "a prefix without its dot: \"bert.layers.1\" is the beginning of layers 10 and 11, too",
         killed_by="test_of_twelve_layers_layer_1_is_not_layer_10")
def trainable(shapes, first):
    below = ["bert.input."] * (first > 0) + [f"bert.layers.{i}" for i in range(first - 1)]
    names = [name for name in shapes if not name.startswith(tuple(below))]
    return names, sum(math.prod(shapes[name]) for name in names)


@mistake("trainable", "frozen-returned", "what is frozen is returned: what is trained was asked for",
         killed_by="test_from_0_on_all_is_trained")
def trainable(shapes, first):
    below = tuple(["bert.input."] * (first > 0) + [f"bert.layers.{i}." for i in range(first - 1)])
    names = [name for name in shapes if name.startswith(below)]
    return names, sum(math.prod(shapes[name]) for name in names)


edit("trainable", "no-sides-no-weight", {"math.prod(shapes[name])": "(math.prod(shapes[name]) if shapes[name] else 0)"},
     "a weight of shape () counts for nothing: it is one number", killed_by="test_a_weight_without_sides_is_one_number")
edit("trainable", "empty-side-as-one", {"math.prod(shapes[name])": "math.prod(max(1, side) for side in shapes[name])"},
     "a side of length 0 counts as 1: such a weight holds no number", killed_by="test_a_weight_without_sides_is_one_number")
edit("trainable", "input-without-dot", {'name.startswith("bert.input.")': 'name.startswith("bert.input")'},
     "a prefix without its dot: bert.input_scale is no part of bert.input", killed_by="test_the_dot_ends_the_name_of_what_is_frozen")
edit("trainable", "counted-in-float32", {"sum(math.prod(shapes[name]) for name in names)":
     "int(torch.tensor([float(math.prod(shapes[name])) for name in names]).sum())"},
     "the count is a float of 32 bits, which has no odd number beyond 2^24", killed_by="test_millions_are_counted_to_the_last_one")


edit("trainable", "name-anywhere", {'name.startswith("bert.layers.")': '"bert.layers." in name', 'name.split(".")[2]': 'name.split("bert.layers.")[1].split(".")[0]'},
     "the prefix is looked for anywhere: a head's name may hold it further on", killed_by="test_a_head_of_another_name_is_always_trained")
edit("trainable", "two-digits", {'int(name.split(".")[2])': 'int(name.split(".")[2][:2])'},
     "two digits are read: layer 100 is taken for layer 10", killed_by="test_layers_may_have_three_digits_and_stand_in_any_order")
edit("trainable", "counted-in-32-bits", {"sum(math.prod(shapes[name]) for name in names)":
     "sum(int(np.prod(np.array(shapes[name], dtype=np.int32), dtype=np.int32)) for name in names)"},
     "32 bits hold no count beyond 2^31", killed_by="test_millions_are_counted_to_the_last_one")


# few_labels
@alternative("few_labels", "class-by-class")
def few_labels(labels, per_class, seed):
    by_class = {}
    for place, label in enumerate(labels):
        by_class.setdefault(label, []).append(place)
    chosen = []
    draw = random.Random(seed)
    for label in sorted(by_class):
        draw.shuffle(by_class[label])
        chosen += by_class[label][:per_class]
    return chosen


@alternative("few_labels", "numpy-permutation")
def few_labels(labels, per_class, seed):
    places = np.random.default_rng(seed).permutation(len(labels)).tolist()
    return [place for label in set(labels) for place in [p for p in places if labels[p] == label][:per_class]]


@alternative("few_labels", "random-state")
def few_labels(labels, per_class, seed):
    places = np.random.RandomState(seed).permutation(len(labels)).tolist()
    return [place for label in set(labels) for place in [p for p in places if labels[p] == label][:per_class]]


@alternative("few_labels", "random-keys")
def few_labels(labels, per_class, seed):
    keys = torch.rand(len(labels), generator=torch.Generator().manual_seed(seed))
    places = keys.argsort().tolist()
    names = np.array(labels, dtype=object)
    return [p for i, p in enumerate(places) if sum(names[q] == names[p] for q in places[:i]) < per_class]


@mistake("few_labels", "labels-returned", "the classes come back: their places were asked for",
         killed_by="test_each_class_has_equally_many")
def few_labels(labels, per_class, seed):
    order, taken = list(labels), Counter()
    random.Random(seed).shuffle(order)
    found = []
    for label in order:
        if taken[label] < per_class:
            taken[label] += 1
            found.append(sorted(set(labels)).index(label))
    return found


edit("few_labels", "size-in-the-seed", {"random.Random(seed)": "random.Random(1000 * seed + per_class)"},
     "each size has a draw of its own: a larger sample does not hold the smaller one", killed_by="test_a_larger_sample_holds_every_smaller_one")
edit("few_labels", "no-shuffle", {"    random.Random(seed).shuffle(order)\n": ""},
     "always the first of each class: nothing is drawn", killed_by="test_every_place_has_its_chance")
edit("few_labels", "seed-ignored", {"random.Random(seed)": "random.Random(0)"},
     "the seed is ignored: every seed gives the same sample", killed_by="test_every_place_has_its_chance")
edit("few_labels", "one-too-many", {"< per_class": "<= per_class"},
     "one more of each class than was asked for", killed_by="test_each_class_has_equally_many")
edit("few_labels", "indices-of-the-shuffle", {"for place in order:\n        if": "for i, place in enumerate(order):\n        if",
     "places.append(place)": "places.append(i)"},
     "the place in the shuffled list is returned: the place in `labels` was asked for", killed_by="test_each_class_has_equally_many")


@mistake("few_labels", "not-balanced", "the first of one shuffle, whatever their class: each class should have equally many",
         killed_by="test_each_class_has_equally_many")
def few_labels(labels, per_class, seed):
    order = list(range(len(labels)))
    random.Random(seed).shuffle(order)
    return order[: per_class * len(set(labels))]


@mistake("few_labels", "with-replacement", "places are drawn with replacement, so one may come twice",
         killed_by="test_each_class_has_equally_many")
def few_labels(labels, per_class, seed):
    draw = random.Random(seed)
    return [draw.choice([i for i, one in enumerate(labels) if one == label]) for label in sorted(set(labels)) for _ in range(per_class)]


@mistake("few_labels", "sample-for-each-class", "random.sample of each class in turn: its draws for a larger sample are others",
         killed_by="test_a_larger_sample_holds_every_smaller_one")
def few_labels(labels, per_class, seed):
    draw, places = random.Random(seed), []
    for label in sorted(set(labels)):
        places += draw.sample([i for i, one in enumerate(labels) if one == label], per_class)
    return places


@mistake("few_labels", "one-generator-for-all-calls", "one generator goes on from call to call: the same seed gives another sample the next time",
         killed_by="test_the_same_seed_gives_the_same_sample")
def few_labels(labels, per_class, seed, draw=random.Random(0)):
    order, places, taken = list(range(len(labels))), [], Counter()
    draw.shuffle(order)
    for place in order:
        if taken[labels[place]] < per_class:
            taken[labels[place]] += 1
            places.append(place)
    return places


@mistake("few_labels", "sample-from-the-seed-for-each-class",
         "random.sample of each class from the seed: for more of them it goes another way, and draws others",
         killed_by="test_samples_of_large_classes_are_nested")
def few_labels(labels, per_class, seed):
    places = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    return [place for found in places.values() for place in random.Random(seed).sample(found, per_class)]


@mistake("few_labels", "classes-from-0", "classes that are ints are taken for 0, 1, 2, …: they may be any",
         killed_by="test_classes_may_have_any_numbers")
def few_labels(labels, per_class, seed):
    order = list(range(len(labels)))
    random.Random(seed).shuffle(order)
    classes = range(len(set(labels))) if isinstance(labels[0], int) else set(labels)
    return [place for label in classes for place in [p for p in order if labels[p] == label][:per_class]]


@mistake("few_labels", "classes-in-the-order-of-a-set",
         "classes draw in the order of a set: of strings it is another one in the next run of Python",
         killed_by="test_the_order_of_a_set_decides_nothing")
def few_labels(labels, per_class, seed):
    chance, places = random.Random(seed), []
    for label in set(labels):
        own = [place for place, one in enumerate(labels) if one == label]
        chance.shuffle(own)
        places += own[:per_class]
    return places


@mistake("few_labels", "hash-of-the-class", "each class's seed is Python's hash of it, which is another number in the next run",
         killed_by="test_another_run_of_python_has_the_same_sample")
def few_labels(labels, per_class, seed):
    places = []
    for label in dict.fromkeys(labels):
        own = [place for place, one in enumerate(labels) if one == label]
        random.Random(hash((seed, label))).shuffle(own)
        places += own[:per_class]
    return places


edit("few_labels", "samples-kept-by-seed",
     {"def few_labels(labels, per_class, seed):": "def few_labels(labels, per_class, seed, kept={}):",
      "    random.Random(seed).shuffle(order)\n": "    kept.setdefault(seed, random.Random(len(kept))).shuffle(order)\n"},
     "a seed's generator goes on from call to call: the same seed gives another sample the next time",
     killed_by="test_the_same_seed_gives_the_same_sample_whatever_was_drawn_before")
edit("few_labels", "five-classes", {"    for place in order:\n": "    for place in order:\n        if len(places) == 5 * per_class:\n            break\n"},
     "five classes, as in this experiment: there may be more", killed_by="test_there_may_be_many_classes")
edit("few_labels", "set-returned", {"return places": "return set(places)"},
     "a set comes back: a list was asked for", killed_by="test_the_places_come_as_a_list")


edit("few_labels", "seed-modulo", {"random.Random(seed)": "random.Random(seed % 1000)"},
     "seeds a thousand apart give one sample", killed_by="test_other_seeds_give_other_samples")
edit("few_labels", "letters-in-lower-case", {"    places, taken = [], Counter()\n": "    places, taken = [], Counter()\n    labels = [str(label).strip().lower() for label in labels]\n"},
     "classes that differ in case or blanks are thrown together", killed_by="test_classes_are_told_apart_to_the_letter")
edit("few_labels", "turned-not-shuffled", {"    random.Random(seed).shuffle(order)\n": "    start = random.Random(seed).randrange(len(order) or 1)\n    order = order[start:] + order[:start]\n"},
     "the list is read from a random place on: neighbours always come together", killed_by="test_every_pair_of_a_class_has_its_chance")


# labels_needed
@alternative("labels_needed", "numpy-interp-of-one-piece")
def labels_needed(counts, scores, target):
    reached = np.flatnonzero(np.asarray(scores) >= target)
    if len(reached) == 0:
        return None
    i = int(reached[0])
    if i == 0:
        return float(counts[0])
    return float(np.exp(np.interp(target, scores[i - 1 : i + 1], np.log(counts[i - 1 : i + 1]))))


@alternative("labels_needed", "pairs-in-log2")
def labels_needed(counts, scores, target):
    if target <= scores[0]:
        return counts[0] * 1.0
    for (c0, s0), (c1, s1) in zip(zip(counts, scores), zip(counts[1:], scores[1:])):
        if s0 < target <= s1:
            weight = (s1 - target) / (s1 - s0)
            return 2 ** (weight * math.log2(c0) + (1 - weight) * math.log2(c1))


edit("labels_needed", "linear-in-labels",
     {"counts[i - 1] * (counts[i] / counts[i - 1]) ** share": "counts[i - 1] + share * (counts[i] - counts[i - 1])"},
     "a line over the labels themselves: over their logarithm was asked for", killed_by="test_half_way_is_the_geometric_mean")
edit("labels_needed", "next-count", {"return counts[i - 1] * (counts[i] / counts[i - 1]) ** share": "return float(counts[i])"},
     "the next measured count: between two points the curve is read", killed_by="test_half_way_is_the_geometric_mean")
edit("labels_needed", "last-count-for-none", {"return None": "return float(counts[-1])"},
     "the last count, though the target is not reached", killed_by="test_a_target_that_is_never_reached_gives_none")
edit("labels_needed", "infinity-for-none", {"return None": "return math.inf"},
     "infinity in place of None", killed_by="test_a_target_that_is_never_reached_gives_none")
edit("labels_needed", "above-only", {"        if scores[i] >= target:": "        if scores[i] > target:"},
     "a point that has just the target does not count", killed_by="test_at_a_point_of_the_curve_it_is_its_count")
edit("labels_needed", "last-crossing",
     {"for i in range(1, len(counts)):\n        if scores[i] >= target:": "for i in range(len(counts) - 1, 0, -1):\n        if scores[i - 1] < target <= scores[i]:"},
     "the last crossing: the first one counts", killed_by="test_the_first_crossing_counts")
edit("labels_needed", "share-turned", {"(target - scores[i - 1])": "(scores[i] - target)"},
     "the share is measured from the upper end", killed_by="test_half_way_is_the_geometric_mean")
edit("labels_needed", "extrapolates-down",
     {"    if scores[0] >= target:\n        return float(counts[0])\n": ""},
     "a curve that begins above the target is followed to the left of its first point",
     killed_by="test_a_curve_that_begins_above_needs_the_first_count")


@mistake("labels_needed", "np-interp", "np.interp over the whole curve: it needs scores that rise, and gives the last count where none reaches the target",
         killed_by="test_a_target_that_is_never_reached_gives_none")
def labels_needed(counts, scores, target):
    return float(np.exp(np.interp(target, scores, np.log(counts))))


@mistake("labels_needed", "best-so-far", "the curve is replaced by its best so far: it is read as it is",
         killed_by="test_the_first_crossing_counts")
def labels_needed(counts, scores, target):
    best = np.maximum.accumulate(scores)
    if best[-1] < target:
        return None
    return float(np.exp(np.interp(target, best, np.log(counts))))


edit("labels_needed", "epsilon-in-the-rise", {"(scores[i] - scores[i - 1])": "(scores[i] - scores[i - 1] + 1e-6)"},
     "a millionth is added to the rise: it is never 0 here", killed_by="test_two_scores_may_be_close_together")
edit("labels_needed", "whole-counts", {"    if scores[0] >= target:\n": "    counts = [int(count) for count in counts]\n    if scores[0] >= target:\n"},
     "the counts are cut to whole numbers", killed_by="test_counts_need_not_be_whole")
edit("labels_needed", "at-least-one-label",
     {"counts[i - 1] * (counts[i] / counts[i - 1]) ** share": "max(1.0, counts[i - 1] * (counts[i] / counts[i - 1]) ** share)"},
     "never less than 1: the curve is read as it is", killed_by="test_counts_need_not_be_whole")


edit("labels_needed", "lines-alone", {"    if scores[0] >= target:\n        return float(counts[0])\n": "    if len(scores) > 1 and scores[0] >= target:\n        return float(counts[0])\n"},
     "the first point is only looked at as the beginning of a line: a curve may be a single point",
     killed_by="test_a_curve_may_be_a_single_point")
edit("labels_needed", "nearly-reached", {"        if scores[i] >= target:": "        if scores[i] >= target or math.isclose(scores[i], target):"},
     "a score that falls short by a billionth counts as reached", killed_by="test_a_score_that_falls_short_by_a_little_has_not_reached_the_target")
edit("labels_needed", "logarithm-of-0", {"return float(counts[0])": "return float(counts[0]) if math.log(counts[0]) else None"},
     "the logarithm of 1 is 0, and is taken for nothing found", killed_by="test_what_is_needed_is_a_float_of_any_size")
edit("labels_needed", "whole-count-returned", {"return float(counts[0])": "return counts[0]"},
     "a count that is an int comes back as one: a float was asked for", killed_by="test_what_is_needed_is_a_float_of_any_size")


# left_to_right
@alternative("left_to_right", "cat-and-compare")
def left_to_right(tokens):
    places = torch.arange(tokens.shape[1])
    none = tokens.new_full((len(tokens), 1), -100)
    return torch.cat([tokens[:, 1:], none], dim=1), places[:, None] >= places


@alternative("left_to_right", "roll-then-fill")
def left_to_right(tokens):
    labels = tokens.roll(-1, dims=1)
    labels[:, -1] = -100
    n = tokens.size(1)
    return labels, ~torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)


edit("left_to_right", "shifted-the-other-way", {"labels[:, :-1] = tokens[:, 1:]": "labels[:, 1:] = tokens[:, :-1]"},
     "the label is the token before: the next one was asked for", killed_by="test_the_label_is_the_next_token_and_the_last_has_none")
edit("left_to_right", "the-token-itself", {"labels[:, :-1] = tokens[:, 1:]": "labels[:, :-1] = tokens[:, :-1]"},
     "the label is the token itself, which it sees", killed_by="test_the_label_is_the_next_token_and_the_last_has_none")
edit("left_to_right", "wraps-around", {"    labels = torch.full_like(tokens, IGNORED)\n    labels[:, :-1] = tokens[:, 1:]\n": "    labels = tokens.roll(-1, dims=1)\n"},
     "the last token is asked for the first one: it has no next token", killed_by="test_the_label_is_the_next_token_and_the_last_has_none")
edit("left_to_right", "padding-as-label", {"torch.full_like(tokens, IGNORED)": "torch.zeros_like(tokens)"},
     "the last label is 0, which is a token: IGNORED (−100) is left out of the loss", killed_by="test_the_label_is_the_next_token_and_the_last_has_none")
edit("left_to_right", "sees-the-future", {".tril()": ".triu()"},
     "each token sees those after it, the answer among them", killed_by="test_each_token_sees_itself_and_those_before")
edit("left_to_right", "not-itself", {".tril()": ".tril(-1)"},
     "a token does not see itself, and the first sees nothing", killed_by="test_each_token_sees_itself_and_those_before")
edit("left_to_right", "sees-the-answer", {".tril()": ".tril(1)"},
     "each token sees one place too far: the answer", killed_by="test_each_token_sees_itself_and_those_before")
edit("left_to_right", "numbers-not-bool", {".tril().bool()": ".tril()"},
     "ones and zeros came back: True and False were asked for", killed_by="test_what_may_be_seen_is_bool")
edit("left_to_right", "turned-mask", {".tril().bool()": ".tril().bool().logical_not()"},
     "True where a token may not look: True means that it may", killed_by="test_each_token_sees_itself_and_those_before")
edit("left_to_right", "shortened", {"    labels = torch.full_like(tokens, IGNORED)\n    labels[:, :-1] = tokens[:, 1:]\n": "    labels = tokens[:, 1:]\n"},
     "one label too few: the last place has IGNORED", killed_by="test_the_label_is_the_next_token_and_the_last_has_none")


edit("left_to_right", "last-token-by-its-value", {"    labels = torch.full_like(tokens, IGNORED)\n    labels[:, :-1] = tokens[:, 1:]\n":
     "    labels = tokens.roll(-1, dims=1).masked_fill(tokens == tokens[:, -1:], IGNORED)\n"},
     "each token equal to the last one has no label: it is the last place that has none",
     killed_by="test_equal_tokens_are_told_apart_by_their_places")
edit("left_to_right", "16-bits", {"= tokens[:, 1:]": "= tokens[:, 1:].short()"},
     "16 bits hold no id above 32,767", killed_by="test_the_ids_of_a_large_vocabulary_stay_as_they_are")
edit("left_to_right", "half-precision", {"= tokens[:, 1:]": "= tokens[:, 1:].half().long()"},
     "half precision does not hold every whole number above 2,048", killed_by="test_the_ids_of_a_large_vocabulary_stay_as_they_are")


edit("left_to_right", "512-places", {"torch.ones(length, length).tril().bool()": "torch.ones(512, 512).tril().bool()[:length, :length]"},
     "a mask of 512 places, as of BERT: a text may be longer", killed_by="test_a_text_may_be_long_and_its_ids_large")
edit("left_to_right", "float32-labels", {"= tokens[:, 1:]": "= tokens[:, 1:].float().long()"},
     "the ids go through 32-bit floats, which have no odd number beyond 2^24", killed_by="test_a_text_may_be_long_and_its_ids_large")


@mistake("left_to_right", "seen-by-value", "a token is looked up by its value, and seen from the first place on that has the same one",
         killed_by="test_equal_tokens_are_told_apart_by_their_places")
def left_to_right(tokens):
    labels = torch.full_like(tokens, -100)
    labels[:, :-1] = tokens[:, 1:]
    places = [tokens[0].tolist().index(token) for token in tokens[0].tolist()]
    return labels, torch.tensor([[seen <= at for seen in places] for at in range(len(places))])


# reverse_padded
@alternative("reverse_padded", "loop-of-flips")
def reverse_padded(x, lengths):
    return torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(x, lengths.tolist())])


@alternative("reverse_padded", "fancy-index")
def reverse_padded(x, lengths):
    place = torch.arange(x.shape[1]).expand(x.shape[:2])
    turned = lengths.unsqueeze(1) - 1 - place
    place = torch.where(place < lengths.unsqueeze(1), turned, place)
    return x[torch.arange(len(x))[:, None], place]


edit("reverse_padded", "unchanged", {"    return x.gather(1, source[:, :, None].expand_as(x))": "    return x.clone()"},
     "nothing is turned round", killed_by="test_the_sentence_is_turned_round_and_its_padding_stays")
edit("reverse_padded", "flip", {"source = torch.where(source < 0, places, source)": "source = (x.size(1) - 1 - places).expand(len(x), -1)"},
     "the whole row is turned round: padding comes first", killed_by="test_the_sentence_is_turned_round_and_its_padding_stays")
edit("reverse_padded", "one-place-off", {"lengths[:, None] - 1 - places": "(lengths[:, None] - places).clamp(max=x.size(1) - 1)"},
     "each place takes one too far to the right: the first token would be padding", killed_by="test_the_sentence_is_turned_round_and_its_padding_stays")
edit("reverse_padded", "clamped", {"torch.where(source < 0, places, source)": "source.clamp(min=0)"},
     "padding becomes copies of the first token: it stays where it is", killed_by="test_the_sentence_is_turned_round_and_its_padding_stays")
edit("reverse_padded", "padding-zeroed", {"    return x.gather(1, source[:, :, None].expand_as(x))": "    return x.gather(1, source[:, :, None].expand_as(x)) * (places < lengths[:, None])[:, :, None]"},
     "padding becomes 0: it stays as it is", killed_by="test_the_sentence_is_turned_round_and_its_padding_stays")
edit("reverse_padded", "longest-length", {"lengths[:, None] - 1 - places": "lengths.max() - 1 - places + 0 * lengths[:, None]"},
     "all rows are turned by the longest length: each has its own", killed_by="test_each_row_has_its_own_length")
edit("reverse_padded", "rolled", {"    source = torch.where(source < 0, places, source)\n": "    source = (places + lengths[:, None]) % x.size(1)\n"},
     "the row is rolled, not turned round", killed_by="test_the_sentence_is_turned_round_and_its_padding_stays")
edit("reverse_padded", "detached", {"x.gather(1,": "x.detach().gather(1,"},
     "gradients do not flow back: the model below could not learn", killed_by="test_gradients_go_to_where_the_numbers_came_from")
edit("reverse_padded", "batch-turned", {"    return x.gather": "    return x.flip(0).gather"},
     "the sentences of the batch change places", killed_by="test_each_row_has_its_own_length")


edit("reverse_padded", "one-place-squeezed", {"    return x.gather(1, source[:, :, None].expand_as(x))": "    return x.gather(1, source[:, :, None].expand_as(x)).squeeze(1)"},
     "sentences of one place lose their axis", killed_by="test_an_axis_of_one_is_kept")


@mistake("reverse_padded", "mixed-by-masks", "what is padding is mixed in by products with 0 and 1, and 0 times infinity is no number",
         killed_by="test_the_numbers_are_the_same_to_the_last_bit")
def reverse_padded(x, lengths):
    places = torch.arange(x.size(1))
    inside = (places < lengths[:, None])[:, :, None].to(x.dtype)
    source = (lengths[:, None] - 1 - places).clamp(min=0)
    return x.gather(1, source[:, :, None].expand_as(x)) * inside + x * (1 - inside)


@mistake("reverse_padded", "flip-then-shift-left", "after the flip the row is rolled to the left, so that its padding goes round, too: it comes out in another order",
         killed_by="test_the_sentence_is_turned_round_and_its_padding_stays")
def reverse_padded(x, lengths):
    return torch.stack([row.flip(0).roll(int(n), 0) for row, n in zip(x, lengths)])


# paired_p_value
@alternative("paired_p_value", "loop-of-swaps")
def paired_p_value(a, b, signs):
    a, b = a.double(), b.double()
    lead, as_well = float((a - b).sum()), 1
    for row in signs:
        first, second = torch.where(row > 0, a, b), torch.where(row > 0, b, a)
        as_well += float((first - second).sum()) >= lead
    return as_well / (len(signs) + 1)


@alternative("paired_p_value", "means-in-numpy")
def paired_p_value(a, b, signs):
    d = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    null = (np.asarray(signs, dtype=float) * d).mean(axis=1)
    return float((np.count_nonzero(null >= d.mean()) + 1) / (len(null) + 1))


edit("paired_p_value", "ties-do-not-count", {"swapped >= difference": "swapped > difference"},
     "chance that does exactly as well is left out", killed_by="test_chance_that_does_exactly_as_well_counts")
edit("paired_p_value", "no-plus-one", {"(1 + at_least) / (1 + len(signs))": "at_least / len(signs)"},
     "the observed outcome is left out: p may be 0", killed_by="test_the_observed_outcome_counts_as_one")
edit("paired_p_value", "plus-one-above-only", {"(1 + at_least) / (1 + len(signs))": "(1 + at_least) / len(signs)"},
     "the observed outcome is counted above the line, but not below it", killed_by="test_the_observed_outcome_counts_as_one")
edit("paired_p_value", "two-sided", {"(swapped >= difference.sum())": "(swapped.abs() >= difference.sum().abs())"},
     "two-sided: a lead of B counts, too", killed_by="test_four_wins_of_four_are_one_case_in_sixteen")
edit("paired_p_value", "other-side", {"swapped >= difference": "swapped <= difference"},
     "chance that does worse is counted", killed_by="test_four_wins_of_four_are_one_case_in_sixteen")
edit("paired_p_value", "b-minus-a", {"a.double() - b.double()": "b.double() - a.double()"},
     "whether B is better is asked", killed_by="test_four_wins_of_four_are_one_case_in_sixteen")
edit("paired_p_value", "against-zero", {"swapped >= difference.sum()": "swapped >= 0"},
     "chance must beat 0: it must beat the observed lead", killed_by="test_four_wins_of_four_are_one_case_in_sixteen")
edit("paired_p_value", "one-minus-p", {"return (1 + at_least) / (1 + len(signs))": "return 1 - (1 + at_least) / (1 + len(signs))"},
     "1 − p: a small p is the good news", killed_by="test_four_wins_of_four_are_one_case_in_sixteen")


@mistake("paired_p_value", "only-a-swapped", "the signs turn the scores of A alone: a swap exchanges the scores of both",
         killed_by="test_the_same_scores_in_another_order_are_another_case")
def paired_p_value(a, b, signs):
    swapped = signs @ a - b.sum()
    return (1 + int((swapped >= (a - b).sum()).sum())) / (1 + len(signs))


@mistake("paired_p_value", "not-paired", "the scores are sorted first, so the pairs are lost",
         killed_by="test_the_same_scores_in_another_order_are_another_case")
def paired_p_value(a, b, signs):
    difference = a.sort().values - b.sort().values
    return (1 + int((signs @ difference >= difference.sum()).sum())) / (1 + len(signs))


@mistake("paired_p_value", "wins-counted", "only who wins each item counts: by how much does, too",
         killed_by="test_any_p_value_is_that_of_swapping_by_hand")
def paired_p_value(a, b, signs):
    difference = (a - b).sign()
    return (1 + int((signs @ difference >= difference.sum()).sum())) / (1 + len(signs))


@alternative("paired_p_value", "what-stays-beats-all")
def paired_p_value(a, b, signs):
    difference = a.double() - b.double()
    kept = ((signs > 0) * difference).sum(dim=1)  # what is not swapped: the swapped ones have no lead together
    return (1 + int((kept >= difference.sum()).sum())) / (1 + signs.shape[0])


edit("paired_p_value", "tensor-returned", {"int((swapped >= difference.sum()).sum())": "(swapped >= difference.sum()).sum()"},
     "a tensor is returned: a float was asked for", killed_by="test_p_is_a_plain_number")
edit("paired_p_value", "tolerance", {"swapped >= difference.sum()": "swapped >= difference.sum() - 1e-3"},
     "chance may fall short by a thousandth: a lead may be as small", killed_by="test_a_small_lead_is_a_lead")
edit("paired_p_value", "differences-in-32-bits", {"a.double() - b.double()": "(a - b).double()"},
     "the differences are taken in float32, where a small one of large scores is lost: make doubles first",
     killed_by="test_large_scores_may_differ_by_little")
edit("paired_p_value", "half-precision", {"a.double() - b.double()": "(a - b).half().double()"},
     "the differences are rounded to half precision: 2049 becomes 2048", killed_by="test_large_scores_may_differ_by_little")


edit("paired_p_value", "equal-within-a-millionth", {"swapped >= difference.sum()": "swapped >= difference.sum() - 1e-6"},
     "chance may fall short by a millionth: scores may differ by less", killed_by="test_a_small_lead_is_a_lead")
edit("paired_p_value", "equal-within-a-share", {"swapped >= difference.sum()": "(swapped >= difference.sum()) | torch.isclose(swapped, difference.sum(), rtol=1e-7, atol=0)"},
     "chance may fall short by a ten-millionth of the lead: float64 knows better",
     killed_by="test_a_sum_below_a_large_lead_by_a_little_is_below_it")
edit("paired_p_value", "squeezed", {"signs.double() @ difference": "(signs.squeeze().double() * difference).sum(dim=-1)"},
     "the signs lose an axis of one: there may be one item alone", killed_by="test_there_may_be_one_item_one_row_or_thousands")


edit("paired_p_value", "sums-in-32-bits-in-two-orders",
     {"a.double() - b.double()": "a - b", "signs.double()": "signs", "difference.sum()": "a.sum() - b.sum()"},
     "sums of 32 bits in two orders: a row without a swap may come out below the lead",
     killed_by="test_a_row_without_a_swap_does_as_well_among_many_items")
edit("paired_p_value", "sums-in-32-bits", {"a.double() - b.double()": "a - b", "signs.double()": "signs"},
     "sums of 32 bits: what does exactly as well may come out a little below",
     killed_by="test_equal_sums_of_any_scores_are_equal")


# expected_best
@alternative("expected_best", "from-the-distribution")
def expected_best(scores, n):
    v = np.sort(np.asarray(scores, dtype=float))
    below = np.arange(len(v) + 1) / len(v)
    return float(np.dot(v, np.diff(below**n)))


@alternative("expected_best", "sum-of-survivals")
def expected_best(scores, n):
    ordered, m = sorted(scores), len(scores)
    total = ordered[0]
    for i in range(1, m):
        total += (ordered[i] - ordered[i - 1]) * (1 - (i / m) ** n)
    return total


edit("expected_best", "not-sorted", {"enumerate(sorted(scores), start=1)": "enumerate(scores, start=1)"},
     "the scores are not sorted", killed_by="test_the_order_of_scores_does_not_matter")
edit("expected_best", "the-worst", {"sorted(scores)": "sorted(scores, reverse=True)"},
     "sorted from the best down: this is the expected worst", killed_by="test_the_best_of_two_is_the_mean_over_all_pairs")
edit("expected_best", "counted-from-0", {"start=1": "start=0"},
     "places are counted from 0: the highest of m has place m", killed_by="test_the_best_of_two_is_the_mean_over_all_pairs")
edit("expected_best", "power-forgotten", {"((i / m) ** n - ((i - 1) / m) ** n)": "n * (i / m - (i - 1) / m)"},
     "probabilities are multiplied by n: that all n draws are at most v is a power", killed_by="test_the_best_of_two_is_the_mean_over_all_pairs")
edit("expected_best", "at-most-only", {"((i / m) ** n - ((i - 1) / m) ** n)": "(i / m) ** n"},
     "the probability that the best is at most the i-th: take off that of the one below", killed_by="test_the_best_of_one_is_the_mean")


@mistake("expected_best", "without-replacement", "drawn without replacement: the paper's estimate draws with",
         killed_by="test_the_best_of_two_is_the_mean_over_all_pairs")
def expected_best(scores, n):
    m, ordered = len(scores), sorted(scores)
    if n >= m:
        return ordered[-1]
    return sum(v * math.comb(i, n - 1) for i, v in enumerate(ordered)) / math.comb(m, n)


@mistake("expected_best", "equal-scores-once", "equal scores are counted once: each is one of the m",
         killed_by="test_the_best_of_one_is_the_mean")
def expected_best(scores, n):
    ordered = sorted(set(scores))
    m = len(ordered)
    return sum(v * ((i / m) ** n - ((i - 1) / m) ** n) for i, v in enumerate(ordered, start=1))


@mistake("expected_best", "best-of-the-first", "the best of the first n: the mean over all draws was asked for",
         killed_by="test_the_best_of_one_is_the_mean")
def expected_best(scores, n):
    return max(scores[:n])


@mistake("expected_best", "best-of-all", "the best of all, whatever n", killed_by="test_the_best_of_one_is_the_mean")
def expected_best(scores, n):
    return max(scores)


@mistake("expected_best", "mean-of-the-best-n", "the mean of the n best scores", killed_by="test_the_best_of_one_is_the_mean")
def expected_best(scores, n):
    best = sorted(scores)[-n:]
    return sum(best) / len(best)


@mistake("expected_best", "int64-powers", "powers of whole numbers are taken before the quotient: 64 bits do not hold them",
         killed_by="test_fifty_runs_may_be_drawn_fifty_times")
def expected_best(scores, n):
    powers = np.arange(len(scores) + 1) ** n
    return float((np.sort(scores) * np.diff(powers)).sum() / powers[-1])


edit("expected_best", "tensor-returned", {"return sum(": "return torch.tensor(sum(", "start=1))": "start=1)))"},
     "a tensor is returned: a float was asked for", killed_by="test_the_expected_best_is_a_plain_number")


edit("expected_best", "rounded", {"return sum(": "return round(sum(", "start=1))": "start=1)), 4)"},
     "rounded to four places: scores may be small", killed_by="test_scores_may_be_of_any_size")
edit("expected_best", "never-below-0", {"return sum(": "return max(0.0, sum(", "start=1))": "start=1)))"},
     "never below 0: scores may be negative", killed_by="test_any_expected_best_is_the_mean_over_all_draws")


equivalent("combine_layers", "10: torch.softmax(scores, dim=0) → torch.softmax(scores, dim=-1)", "the scores have one dimension")
equivalent("combine_layers", "11: zip(weights, hidden) → zip(hidden, weights)", "a product does not ask for the order")
equivalent("labels_needed", "3: range(1, len(counts)) → range(len(counts))", "a first score that reaches the target has been returned before")
equivalent("labels_needed", "3: range(1, len(counts)) → range(0, len(counts))", "a first score that reaches the target has been returned before")
equivalent("labels_needed", "7: removed return None", "a function that ends returns None")
equivalent("reverse_padded", "1: torch.arange(x.size(1), device=x.device) → torch.arange(x.size(1))", "the checks run on a CPU")
