"""polysemy: classic mistakes and other right ways, for each exercise. Never released."""

import math
from collections import Counter

import numpy as np
import torch
from torch.nn.functional import cosine_similarity, normalize

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# embed
@alternative("embed", "extra-row-of-zeros")
def embed(vectors, words, tokens):
    table = torch.cat([vectors, torch.zeros(1, vectors.shape[1])])  # the last row is for unknown tokens
    index = {word: i for i, word in enumerate(words)}
    return table[torch.tensor([index.get(token, len(words)) for token in tokens], dtype=torch.int64)]


@alternative("embed", "one-hot-product")
def embed(vectors, words, tokens):
    match = torch.tensor([[float(token == word) for word in words] for token in tokens])
    return match.reshape(len(tokens), len(words)) @ vectors


@alternative("embed", "numpy-rows")
def embed(vectors, words, tokens):
    rows = np.zeros((len(tokens), vectors.shape[1]), dtype=np.float32)
    for i, token in enumerate(tokens):
        if token in words:
            rows[i] = vectors[words.index(token)].numpy()
    return torch.from_numpy(rows)


edit("embed", "unknown-left-out", {"return rows": "return rows[[token in index for token in tokens]]"},
     "tokens that are not in the table are left out: each has a row of zeros",
     killed_by="test_a_token_that_is_not_in_the_table_gets_zeros")
edit("embed", "unknown-raises", {"if token in index:": "if True:"},
     "an unknown token raises an error: it has a row of zeros",
     killed_by="test_a_token_that_is_not_in_the_table_gets_zeros")
edit("embed", "unknown-as-last-word", {"if token in index:": "if True:",
     "vectors[index[token]]": "vectors[index.get(token, -1)]"},
     "an unknown token gets the vector of the last word: −1 is an index too",
     killed_by="test_a_token_that_is_not_in_the_table_gets_zeros")
edit("embed", "unknown-as-first-word", {"if token in index:": "if True:",
     "vectors[index[token]]": "vectors[index.get(token, 0)]"},
     "an unknown token gets the vector of the first word", killed_by="test_a_token_that_is_not_in_the_table_gets_zeros")
edit("embed", "order-of-the-table",
     {"return rows": "return vectors[[place for place, word in enumerate(words) if word in tokens]]"},
     "the rows come in the order of the table: they follow the order of the sentence",
     killed_by="test_each_token_gets_its_row_in_the_order_of_the_sentence")
edit("embed", "averaged",
     {"return rows": "return torch.stack([row for row, token in zip(rows, tokens) if token in index]).mean(dim=0)"},
     "the vectors are averaged into one: each token keeps its own",
     killed_by="test_each_token_gets_its_row_in_the_order_of_the_sentence")
edit("embed", "scaled-to-length-one", {"return rows": "return normalize(rows, dim=1)"},
     "the vectors are scaled to length 1: the table's rows are asked for as they are",
     killed_by="test_each_token_gets_its_row_in_the_order_of_the_sentence")
edit("embed", "empty-loses-shape", {"return rows": "return torch.stack(list(rows))"},
     "an empty sentence raises an error or loses its columns: its shape is (0, d)",
     killed_by="test_an_empty_sentence_has_no_rows_but_all_columns")
edit("embed", "unknown-as-unk", {"        if token in index:": "        token = token if token in index else '[UNK]'\n        if token in index:"},
     "an unknown token gets the vector of the word [UNK]: it has a row of zeros",
     killed_by="test_words_that_differ_in_one_sign_have_rows_of_their_own")
edit("embed", "empty-word-left-out", {"if token in index": "if token and token in index"},
     "the empty word gets zeros: it is a word like any other",
     killed_by="test_words_that_differ_in_one_sign_have_rows_of_their_own")
edit("embed", "blanks-cut-off", {"enumerate(tokens)": "enumerate(token.strip() for token in tokens)"},
     "blanks around a token are cut off: ' us' is another word than 'us'",
     killed_by="test_words_that_differ_in_one_sign_have_rows_of_their_own")
edit("embed", "one-spelling", {"enumerate(tokens)": "enumerate(__import__('unicodedata').normalize('NFC', token) for token in tokens)"},
     "two spellings of a letter count as one: another string is another word",
     killed_by="test_words_that_differ_in_one_sign_have_rows_of_their_own")
edit("embed", "numpy-array", {"return rows": "return rows.numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_each_token_gets_its_row_in_the_order_of_the_sentence")


# topic_entropy
@alternative("topic_entropy", "numpy-shares")
def topic_entropy(topics):
    shares = np.array([topics.count(topic) for topic in sorted(set(topics))]) / max(1, len(topics))
    return abs(float((shares * np.log2(shares)).sum()))


@alternative("topic_entropy", "torch-shares")
def topic_entropy(topics):
    if not topics:
        return 0.0
    counts = torch.tensor(list(Counter(topics).values()), dtype=torch.float64)
    shares = counts / counts.sum()
    return abs(float((shares * shares.log2()).sum()))


@alternative("topic_entropy", "negative-sum")
def topic_entropy(topics):  # of an empty list the sum is the whole number 0
    return -sum(n / len(topics) * math.log2(n / len(topics)) for n in Counter(topics).values())


@alternative("topic_entropy", "start-of-float")
def topic_entropy(topics):
    n = len(topics)
    return sum((c * math.log2(n / c) for c in Counter(topics).values()), start=0.0) / max(n, 1)


edit("topic_entropy", "natural-logarithm", {"math.log2": "math.log"},
     "the natural logarithm gives nats: bits have base 2",
     killed_by="test_two_halves_are_one_bit_and_eight_topics_alike_are_three")
edit("topic_entropy", "sign-missing", {"entropy -=": "entropy +="},
     "the sign is missing: the logarithm of a share is negative",
     killed_by="test_two_halves_are_one_bit_and_eight_topics_alike_are_three")
edit("topic_entropy", "topics-count-once",
     {"-sum(n / len(topics) * math.log2(n / len(topics)) for n in Counter(topics).values())":
     "math.log2(len(set(topics))) if topics else 0.0"},
     "each topic counts once: the logarithms are weighted by the shares",
     killed_by="test_unequal_shares_follow_the_formula", of="negative-sum")
edit("topic_entropy", "logarithms-unweighted", {"share * math.log2(share)": "math.log2(share)"},
     "the logarithms are not weighted by the shares", killed_by="test_unequal_shares_follow_the_formula")
edit("topic_entropy", "mean-over-topics", {"return entropy": "return entropy / max(1, len(set(topics)))"},
     "the mean over topics is taken: entropy is the sum",
     killed_by="test_two_halves_are_one_bit_and_eight_topics_alike_are_three")
edit("topic_entropy", "sum-over-items", {"entropy -= share": "entropy -= count * share"},
     "the sum runs over the items, so a frequent topic counts as often as it occurs",
     killed_by="test_unequal_shares_follow_the_formula")
edit("topic_entropy", "counts-for-shares",
     {"-sum(n / len(topics) * math.log2(n / len(topics)) for n in Counter(topics).values())":
     "-sum(n * math.log2(n) for n in Counter(topics).values()) + 0.0"},
     "counts stand where shares belong: divide by the length of the list", killed_by="test_one_topic_has_no_entropy",
     of="negative-sum")
edit("topic_entropy", "divided-by-maximum", {"return entropy": "return entropy / math.log2(max(2, len(set(topics))))"},
     "the entropy is divided by its maximum, so it ends at 1: bits were asked for",
     killed_by="test_two_halves_are_one_bit_and_eight_topics_alike_are_three")
edit("topic_entropy", "empty-raises",
     {"if not topics:\n        return 0.0": "_, counts = np.unique(topics, return_counts=True)",
     "counts = torch.tensor(list(Counter(topics).values()), dtype=torch.float64)": "",
     "abs(float((shares * shares.log2()).sum()))":
     "abs(float(-(shares * np.log2(shares)).sum())) if max(shares) < 1 else 0.0"},
     "an empty list raises an error: its entropy is 0.0", killed_by="test_an_empty_list_has_no_entropy",
     of="torch-shares")
edit("topic_entropy", "rounded", {"return entropy": "return round(entropy, 6)"},
     "the entropy is rounded to six places, where very unequal shares have little more",
     killed_by="test_many_topics_and_very_unequal_shares_have_an_entropy")
edit("topic_entropy", "lower-case", {"Counter(topics)": "Counter(topic.lower() for topic in topics)"},
     "topics are compared in lower case: they are strings as they stand",
     killed_by="test_topics_that_differ_in_one_sign_are_different_topics")
edit("topic_entropy", "blanks-cut-off", {"Counter(topics)": "Counter(topic.strip() for topic in topics)"},
     "blanks around a topic are cut off",
     killed_by="test_topics_that_differ_in_one_sign_are_different_topics")
edit("topic_entropy", "empty-left-out", {"Counter(topics)": "Counter(topic for topic in topics if topic)"},
     "the empty string is left out: it is a topic like any other",
     killed_by="test_topics_that_differ_in_one_sign_are_different_topics")

@alternative("topic_entropy", "one-against-the-rest")
def topic_entropy(topics):
    def binary(part, whole):
        return sum(share * math.log2(1 / share) for share in (part / whole, (whole - part) / whole) if share)

    def of(counts):  # Shannon's third property
        whole = sum(counts)
        return binary(counts[0], whole) + (whole - counts[0]) / whole * of(counts[1:]) if len(counts) > 1 else 0.0

    return of(list(Counter(topics).values()))


# mixture
@alternative("mixture", "normal-equations")
def mixture(vector, senses):
    weights = torch.linalg.solve(senses @ senses.T, senses @ vector)  # the normal equations
    rebuilt = senses.T @ weights
    return weights, float(rebuilt @ vector / rebuilt.norm() / vector.norm())


@alternative("mixture", "pseudo-inverse")
def mixture(vector, senses):
    weights = torch.linalg.pinv(senses).T @ vector
    rebuilt = torch.einsum("k,kd->d", weights, senses)
    return weights, cosine_similarity(rebuilt[None], vector[None]).item()


@alternative("mixture", "numpy-double")
def mixture(vector, senses):
    rows, target = senses.double().numpy(), vector.double().numpy()
    weights, *_ = np.linalg.lstsq(rows.T, target, rcond=None)
    rebuilt = weights @ rows
    return torch.tensor(weights, dtype=torch.float32), float(
        rebuilt @ target / np.linalg.norm(rebuilt) / np.linalg.norm(target)
    )


@alternative("mixture", "numpy-lstsq")
def mixture(vector, senses):
    weights = np.linalg.lstsq(senses.T.numpy(), vector.numpy(), rcond=None)[0]
    rebuilt, target = (weights @ senses.numpy()).astype(float), vector.numpy().astype(float)
    cosine = rebuilt @ target / np.linalg.norm(rebuilt) / np.linalg.norm(target)  # numpy's float64
    return torch.from_numpy(weights), cosine


@alternative("mixture", "numpy-float32-cosine")
def mixture(vector, senses):
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]
    return weights, cosine_similarity(weights @ senses, vector, dim=0).numpy()[()]  # numpy's float32


edit("mixture", "dot-products", {"torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]": "senses @ vector"},
     "each weight is a dot product with the sense: that is right only for senses of length 1 at right angles",
     killed_by="test_a_sum_of_slanting_senses_is_found_again")
edit("mixture", "senses-fitted-alone",
     {"torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]": "senses @ vector / senses.square().sum(dim=1)"},
     "each sense is fitted by itself: senses that are not at right angles share what they explain",
     killed_by="test_a_sum_of_slanting_senses_is_found_again")
edit("mixture", "weights-sum-to-one", {"rebuilt = weights @ senses": "weights = weights / weights.sum()",
     "rebuilt, vector": "weights @ senses, vector"},
     "the weights are made to sum to 1: least squares leaves their sum free",
     killed_by="test_weights_of_senses_at_right_angles_are_read_off")
edit("mixture", "scaled-senses", {"weights = torch": "senses = normalize(senses, dim=1)\n    weights = torch"},
     "the weights are those of senses scaled to length 1: the senses come as they are",
     killed_by="test_a_longer_sense_gets_a_smaller_weight")
edit("mixture", "negatives-cut-off", {".solution[:, 0]": ".solution[:, 0].clamp(min=0)"},
     "negative weights are cut off at 0: least squares allows them",
     killed_by="test_a_sum_of_slanting_senses_is_found_again")
edit("mixture", "distance-returned", {"rebuilt = weights @ senses": "",
     "cosine_similarity(rebuilt, vector, dim=0)": "(weights @ senses - vector).norm()"},
     "the second value is the distance that remains: the cosine was asked for",
     killed_by="test_weights_of_senses_at_right_angles_are_read_off")
edit("mixture", "share-explained",
     {"cosine_similarity(rebuilt, vector, dim=0)": "rebuilt.square().sum() / vector.square().sum()"},
     "the second value is the share of the squared length that is explained: that is the cosine squared",
     killed_by="test_weights_of_senses_at_right_angles_are_read_off")
edit("mixture", "dot-product-returned", {"rebuilt = weights @ senses": "",
     "cosine_similarity(rebuilt, vector, dim=0)": "weights @ senses @ vector"},
     "the second value is a dot product: divide by both lengths for the cosine",
     killed_by="test_weights_of_senses_at_right_angles_are_read_off")
edit("mixture", "plain-sum", {"rebuilt = weights @ senses": "", "rebuilt, vector": "senses.sum(dim=0), vector"},
     "the reconstruction is the plain sum of the senses: each is multiplied by its weight",
     killed_by="test_weights_of_senses_at_right_angles_are_read_off")
edit("mixture", "second-dimension", {"return weights,": "return weights[:, None],"},
     "the weights keep a second dimension, (K, 1): (K,) was asked for",
     killed_by="test_weights_of_senses_at_right_angles_are_read_off")
edit("mixture", "cosine-as-tensor", {"cosine_similarity(weights @ senses, vector, dim=0).numpy()[()]":
     "cosine_similarity(weights @ senses, vector, dim=0)"},
     "the cosine comes as a tensor: a float was asked for", killed_by="test_the_cosine_is_a_plain_number",
     of="numpy-float32-cosine")
edit("mixture", "list-of-weights", {"return weights,": "return weights.tolist(),"},
     "the weights are a list: a tensor is asked for",
     killed_by="test_weights_of_senses_at_right_angles_are_read_off")
edit("mixture", "list-for-tuple", {"return weights, float(cosine_similarity(rebuilt, vector, dim=0))": "return [weights, float(cosine_similarity(rebuilt, vector, dim=0))]"},
     "a list comes back: a tuple is asked for",
     killed_by="test_weights_of_senses_at_right_angles_are_read_off")


# context_vector
@alternative("context_vector", "one-loop")
def context_vector(vectors, weights, ids, position, window):
    total, norm = torch.zeros(vectors.shape[1]), 0.0
    for place in range(max(0, position - window), min(len(ids), position + window + 1)):
        if place != position:
            total += weights[ids[place]] * vectors[ids[place]]
            norm += float(weights[ids[place]])
    return total / norm if norm else total


@alternative("context_vector", "masked-weights")
def context_vector(vectors, weights, ids, position, window):
    away = (torch.arange(len(ids)) - position).abs()
    weight = weights[ids] * ((away > 0) & (away <= window))  # (N,)
    return torch.einsum("n,nd->d", weight, vectors[ids]) / weight.sum().clamp(min=1e-12)


@alternative("context_vector", "numpy-average")
def context_vector(vectors, weights, ids, position, window):
    around = [word for place, word in enumerate(ids) if 0 < abs(place - position) <= window]
    if sum(float(weights[word]) for word in around) == 0:
        return torch.zeros(vectors.shape[1])
    mean = np.average(vectors[around].numpy(), axis=0, weights=weights[around].numpy())
    return torch.tensor(mean, dtype=torch.float32)


edit("context_vector", "word-itself-included", {"position] + ids[position + 1 : position": "position"},
     "the word itself is among its neighbours",
     killed_by="test_it_is_the_mean_of_the_neighbours_without_the_word_itself")
edit("context_vector", "one-word-short", {"position + window + 1": "position + window"},
     "the window is one word short on the right: the end of a slice is exclusive",
     killed_by="test_it_is_the_mean_of_the_neighbours_without_the_word_itself")
edit("context_vector", "start-wraps-around", {"max(0, position - window)": "position - window"},
     "a negative start of the slice counts from the end, so the first words lose their neighbours on the left",
     killed_by="test_the_window_is_cut_off_at_the_edges_of_the_text")
edit("context_vector", "text-wraps-around",
     {"around = ids[max(0, position - window) : position] + ids[position + 1 : position + window + 1]":
     "around = [ids[(position + o) % len(ids)] for o in range(-window, window + 1) if o and len(ids) > 1]"},
     "the text wraps around: the window must be cut off at its edges",
     killed_by="test_the_window_is_cut_off_at_the_edges_of_the_text")
edit("context_vector", "only-before", {" + ids[position + 1 : position + window + 1]": ""},
     "only the words before it are taken: the window reaches to both sides",
     killed_by="test_it_is_the_mean_of_the_neighbours_without_the_word_itself")
edit("context_vector", "plain-mean", {"around = ids": "weights = torch.ones_like(weights)\n    around = ids"},
     "the weights are not used: this is the plain mean", killed_by="test_each_neighbour_weighs_what_its_word_weighs")
edit("context_vector", "divided-by-neighbours", {"/ total": "/ len(around)"},
     "the sum is divided by the number of neighbours: divide by the sum of their weights",
     killed_by="test_each_neighbour_weighs_what_its_word_weighs")
edit("context_vector", "not-divided", {" / total": ""},
     "the weighted sum is not divided by the sum of the weights",
     killed_by="test_it_is_the_mean_of_the_neighbours_without_the_word_itself")
edit("context_vector", "every-occurrence-left-out",
     {"around = ids[max(0, position - window) : position] + ids[position + 1 : position + window + 1]":
     ("near = ids[max(0, position - window) : position + window + 1]\n"
      "    around = [i for i in near if i != ids[position]]")},
     "every occurrence of the word is left out: only the one at this position is",
     killed_by="test_the_same_word_at_another_position_counts_as_a_neighbour")
edit("context_vector", "doubles-count-once", {"around = ids[": "around = sorted(set(ids[",
     "window + 1]": "window + 1]))"},
     "a neighbour that stands twice counts once: each place counts",
     killed_by="test_the_same_word_at_another_position_counts_as_a_neighbour")
edit("context_vector", "zero-by-zero", {"if total == 0:\n        return torch.zeros(vectors.shape[1])": ""},
     "0 is divided by 0 where nothing weighs anything: zeros were asked for",
     killed_by="test_a_word_alone_has_a_context_of_zeros")
edit("context_vector", "tiny-is-nothing", {"total == 0": "total < 1e-3"},
     "small weights are taken for none",
     killed_by="test_wide_windows_no_window_and_tiny_weights")
edit("context_vector", "fifty-at-most", {"    around =": "    window = min(window, 50)\n    around ="},
     "no window is wider than 50",
     killed_by="test_wide_windows_no_window_and_tiny_weights")
edit("context_vector", "zero-is-unsaid", {"    around =": "    window = window or len(ids)\n    around ="},
     "a window of 0 is taken for none given: it holds no neighbour",
     killed_by="test_wide_windows_no_window_and_tiny_weights")
edit("context_vector", "list", {"vectors[around] / total": "vectors[around] / total).tolist()", "return weights": "return (weights"},
     "a list comes back: a tensor is asked for",
     killed_by="test_it_is_the_mean_of_the_neighbours_without_the_word_itself")
edit("context_vector", "numpy-array", {"vectors[around] / total": "vectors[around] / total).numpy()", "return weights": "return (weights"},
     "an array comes back: a tensor is asked for",
     killed_by="test_it_is_the_mean_of_the_neighbours_without_the_word_itself")


# kmeans
@alternative("kmeans", "one-hot-members")
def kmeans(points, centroids, steps=50):
    for _ in range(steps):
        distance = ((points.unsqueeze(1) - centroids.unsqueeze(0)) ** 2).sum(-1)  # (N, K)
        labels = distance.argmin(1)
        member = torch.nn.functional.one_hot(labels, len(centroids)).to(points.dtype)  # (N, K)
        sizes = member.sum(0)[:, None]
        centroids = torch.where(sizes > 0, member.T @ points / sizes.clamp(min=1), centroids)
    return centroids, labels


@alternative("kmeans", "numpy-means")
def kmeans(points, centroids, steps=50):
    places, centers = points.numpy(), centroids.numpy().copy()
    for _ in range(steps):
        labels = np.linalg.norm(places[:, None] - centers[None], axis=2).argmin(axis=1)
        for k in np.unique(labels):
            centers[k] = places[labels == k].mean(axis=0)
    return torch.from_numpy(centers), torch.from_numpy(labels)


@alternative("kmeans", "lists-of-groups")
def kmeans(points, centroids, steps=50):
    centers = [row.clone() for row in centroids]
    for _ in range(steps):
        groups = [[] for _ in centers]
        labels = []
        for point in points:
            distances = [float((point - center).square().sum()) for center in centers]
            labels.append(distances.index(min(distances)))
            groups[labels[-1]].append(point)
        centers = [sum(group) / len(group) if group else center for group, center in zip(groups, centers)]
    return torch.stack(centers), torch.tensor(labels)


edit("kmeans", "moves-before-labels",
     {"return centroids, labels": "return centroids, torch.cdist(points, centroids).argmin(dim=1)"},
     "the labels are not those from which the last move was made: points are labelled, then the centroids move", killed_by="test_one_round_labels_first_and_then_moves")
edit("kmeans", "centroids-never-move", {"centroids[k] = points[labels == k].mean(dim=0)": "pass"},
     "the centroids never move", killed_by="test_two_groups_on_a_line_are_found")
edit("kmeans", "one-round", {"range(steps)": "range(1)"},
     "there is one round only: labels and centroids are found in turn, `steps` times",
     killed_by="test_two_groups_on_a_line_are_found_from_a_bad_start")
edit("kmeans", "empty-becomes-nan",
     {"if (labels == k).any():\n                centroids[k] = points[labels == k].mean(dim=0)":
     "centroids[k] = points[labels == k].mean(dim=0)"},
     "a centroid without points becomes not-a-number: it stays where it is",
     killed_by="test_a_centroid_without_points_stays_where_it_is")
edit("kmeans", "empty-to-origin",
     {"if (labels == k).any():\n                centroids[k] = points[labels == k].mean(dim=0)":
     "centroids[k] = points[labels == k].sum(dim=0) / (labels == k).sum().clamp(min=1)"},
     "a centroid without points moves to the origin: it stays where it is",
     killed_by="test_a_centroid_without_points_stays_where_it_is")
edit("kmeans", "input-changed", {"centroids = centroids.clone()": ""},
     "the centroids that were handed in are changed: work on a copy", killed_by="test_the_start_is_left_alone")
edit("kmeans", "by-direction", {"(points[:, None, :] - centroids[None, :, :]).square().sum(dim=2).argmin":
     "(normalize(points, dim=1) @ normalize(centroids, dim=1).T).argmax"},
     "a point goes to the centroid in whose direction it lies: Euclidean distance was asked for",
     killed_by="test_two_groups_on_a_line_are_found")
edit("kmeans", "median", {".mean(dim=0)": ".median(dim=0).values"},
     "a centroid is the median of its points: the mean was asked for",
     killed_by="test_one_round_labels_first_and_then_moves")
edit("kmeans", "last-of-ties", {"labels = (points": "labels = len(centroids) - 1 - (points",
     ".argmin(dim=1)": ".flip(1).argmin(dim=1)"},
     "of equally near centroids the last one is taken: it is the first",
     killed_by="test_a_point_between_two_centroids_gets_the_first")
edit("kmeans", "wrong-order", {"return centroids, labels": "return labels, centroids"},
     "labels and centroids are returned in the wrong order: the centroids come first",
     killed_by="test_two_groups_on_a_line_are_found")
edit("kmeans", "float-labels", {"return centroids, labels": "return centroids, labels.float()"},
     "the labels are floats: they are numbers of centroids, and only whole ones can be used as an index",
     killed_by="test_labels_come_as_a_tensor_of_int64")
edit("kmeans", "list-of-labels", {"return centroids, labels": "return centroids, labels.tolist()"},
     "the labels come as a list: a tensor was asked for", killed_by="test_labels_come_as_a_tensor_of_int64")
edit("kmeans", "one-point-is-none", {"(labels == k).any()": "(labels == k).sum() > 1"},
     "a centroid with one point stays: only one without points does",
     killed_by="test_near_points_far_from_the_origin_are_told_apart")
edit("kmeans", "dot-product-identity", {"(points[:, None, :] - centroids[None, :, :]).square().sum(dim=2)": "(points.square().sum(dim=1)[:, None] + centroids.square().sum(dim=1) - 2 * points @ centroids.T)"},
     "a² + b² − 2ab loses the small difference of two large numbers: subtract first",
     killed_by="test_near_points_far_from_the_origin_are_told_apart")
edit("kmeans", "stops-when-slow", {"    for _ in range(steps):": "    for step in range(steps):\n        before = centroids.clone()",
     "    return centroids, labels": "        if (centroids - before).norm(dim=1).max() < 0.01:\n            break\n    return centroids, labels"},
     "it stops when no centroid moves by more than 0.01, while points may still change groups",
     killed_by="test_centroids_that_creep_are_followed_to_the_end")
edit("kmeans", "stops-when-slow-for-the-spread", {"    for _ in range(steps):": "    for step in range(steps):\n        before = centroids.clone()",
     "    return centroids, labels": "        if (centroids - before).square().sum() < 1e-4 * points.var(dim=0).mean():\n            break\n    return centroids, labels"},
     "it stops when centroids move by little beside the spread of the points, while points may still change groups",
     killed_by="test_centroids_that_creep_are_followed_to_the_end")
edit("kmeans", "another-default", {"steps=50": "steps=30"},
     "there are 30 rounds if nobody says how many: 50",
     killed_by="test_centroids_that_creep_are_followed_to_the_end")
edit("kmeans", "single-precision", {"centroids = centroids.clone()": "points, centroids = points.float(), centroids.float().clone()"},
     "the points become float32, in which near ones far from the origin are one",
     killed_by="test_near_points_far_from_the_origin_are_told_apart")
edit("kmeans", "numpy-centroids", {"return centroids, labels": "return centroids.numpy(), labels"},
     "the centroids are an array: a tensor is asked for",
     killed_by="test_two_groups_on_a_line_are_found")


# purity
@alternative("purity", "numpy-unique")
def purity(labels, senses):
    labels, senses = np.asarray(labels), np.asarray(senses)
    right = sum(np.unique(senses[labels == k], return_counts=True)[1].max() for k in np.unique(labels))
    return float(right / len(labels))


@alternative("purity", "contingency-table")
def purity(labels, senses):
    _, rows = torch.as_tensor(labels).unique(return_inverse=True)
    _, columns = torch.as_tensor(senses).unique(return_inverse=True)
    table = torch.zeros(int(rows.max()) + 1, int(columns.max()) + 1)
    table.index_put_((rows, columns), torch.ones(len(rows)), accumulate=True)
    return float(table.max(dim=1).values.sum() / len(rows))


@alternative("purity", "counter")
def purity(labels, senses):
    best = Counter()
    for (label, _), count in Counter((int(a), int(b)) for a, b in zip(labels, senses)).items():
        best[label] = max(best[label], count)
    return sum(best.values()) / len(senses)


edit("purity", "numbers-compared", {"max(Counter(group).values()) for group in groups.values()":
     "int(label) == int(sense) for label, sense in zip(labels, senses)"},
     "group numbers are compared with sense numbers: groups have no names",
     killed_by="test_group_numbers_need_not_be_those_of_the_senses")
edit("purity", "groups-averaged", {"max(Counter(group).values())": "max(Counter(group).values()) / len(group)",
     "len(labels)": "len(groups)"},
     "the purities of the groups are averaged, so a small group counts as much as a large one",
     killed_by="test_each_group_counts_its_most_frequent_sense")
edit("purity", "groups-senses-exchanged", {"int(label)": "int(sense)", "int(sense)": "int(label)"},
     "groups and senses are exchanged: this looks for the most frequent group of each sense",
     killed_by="test_two_groups_may_have_the_same_sense")


@mistake("purity", "sense-given-once", "each sense is given to one group only: two groups may have the same",
         killed_by="test_two_groups_may_have_the_same_sense")
def purity(labels, senses):
    pairs = Counter((int(a), int(b)) for a, b in zip(labels, senses))
    taken, right = set(), 0
    for (group, sense), count in pairs.most_common():
        if ("group", group) not in taken and ("sense", sense) not in taken:
            taken |= {("group", group), ("sense", sense)}
            right += count
    return right / len(labels)


edit("purity", "not-divided", {"sum(max(Counter(group).values()) for group in groups.values()) / len(labels)":
     "float(sum(max(Counter(group).values()) for group in groups.values()))"},
     "the count is not divided by the number of items", killed_by="test_group_numbers_need_not_be_those_of_the_senses")
edit("purity", "commonest-of-all", {"groups.setdefault(int(label), [])": "groups.setdefault(0, [])"},
     "the share of the commonest sense of all: each group has its own",
     killed_by="test_each_group_counts_its_most_frequent_sense")
edit("purity", "tensors-as-keys", {"int(label)": "label", "int(sense)": "sense"},
     "tensors of one number are counted as they are, and no two of them are the same key",
     killed_by="test_tensors_do_as_well_as_lists")
edit("purity", "purest-group", {"sum(max(Counter(group).values()) for group in groups.values()) / len(labels)":
     "max(max(Counter(group).values()) / len(group) for group in groups.values())"},
     "the purity of the purest group is taken: all groups count",
     killed_by="test_each_group_counts_its_most_frequent_sense")
edit("purity", "noise-left-out", {"in groups.values()": "in (group for label, group in groups.items() if label >= 0)"},
     "a group with the number −1 is left out: it is a group like any other",
     killed_by="test_tensors_do_as_well_as_lists")
edit("purity", "pairs-as-one-number", {"sum(max(Counter(group).values()) for group in groups.values()) / len(labels)":
     "sum(max(n for pair, n in Counter(int(a) * 1000 + int(b) for a, b in zip(labels, senses)).items() if pair // 1000 == k) for k in {int(a) for a in labels}) / len(labels)"},
     "group and sense are packed into one number, group × 1000 + sense: senses may be larger",
     killed_by="test_hundreds_of_items_in_a_group_are_counted_whole")
edit("purity", "tensor", {"return sum(": "return torch.tensor(sum(", "/ len(labels)": "/ len(labels))"},
     "a tensor comes back: a float is asked for",
     killed_by="test_tensors_do_as_well_as_lists")


# choose_senses
@alternative("choose_senses", "one-hot-sums")
def choose_senses(contexts, senses, new):
    member = torch.nn.functional.one_hot(senses).float()  # (N, K)
    centroids = torch.einsum("nk,nd->kd", member, contexts)  # a sum has the direction of the mean
    return torch.einsum("md,kd->mk", new, normalize(centroids, dim=1)).argmax(dim=1)


@alternative("choose_senses", "one-loop")
def choose_senses(contexts, senses, new):
    chosen = []
    for context in new:
        cosines = []
        for k in range(len(set(senses.tolist()))):
            centroid = contexts[senses == k].mean(dim=0)
            cosines.append(float(cosine_similarity(context, centroid, dim=0)))
        chosen.append(cosines.index(max(cosines)))
    return torch.tensor(chosen, dtype=torch.int64)


@alternative("choose_senses", "numpy")
def choose_senses(contexts, senses, new):
    rows, numbers, fresh = contexts.numpy(), senses.numpy(), new.numpy()
    centroids = np.stack([rows[numbers == k].mean(axis=0) for k in np.unique(numbers)])
    centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    return torch.from_numpy((fresh @ centroids.T).argmax(axis=1))


edit("choose_senses", "nearest-by-distance",
     {"(normalize(new, dim=1) @ normalize(centroids, dim=1).T).argmax": "torch.cdist(new, centroids).argmin"},
     "the nearest centroid by distance: the cosine was asked for",
     killed_by="test_the_direction_decides_and_not_the_distance")
edit("choose_senses", "dot-product", {"normalize(new, dim=1) @ normalize(centroids, dim=1).T": "new @ centroids.T"},
     "the largest dot product favours the longest centroid: divide by its length",
     killed_by="test_the_direction_decides_and_not_the_distance")
edit("choose_senses", "nearest-single-context",
     {"return (normalize(new, dim=1) @ normalize(centroids, dim=1).T).argmax(dim=1)":
     "return senses[(normalize(new, dim=1) @ normalize(contexts, dim=1).T).argmax(dim=1)]"},
     "the sense of the nearest single context: the centroid of each sense was asked for",
     killed_by="test_the_centroid_decides_and_not_the_nearest_single_context")
edit("choose_senses", "scaled-before-mean", {"count = int": "contexts = normalize(contexts, dim=1)\n    count = int"},
     "contexts are scaled to length 1 before the mean: the centroid is the mean of the contexts as they are",
     killed_by="test_long_contexts_pull_their_centroid_more")
edit("choose_senses", "smallest-cosine", {"argmax": "argmin"},
     "the sense with the smallest cosine is taken: the nearest has the largest",
     killed_by="test_a_new_context_gets_the_sense_in_whose_direction_it_lies")
edit("choose_senses", "most-frequent",
     {"(normalize(new, dim=1) @ normalize(centroids, dim=1).T).argmax(dim=1)": "senses.mode().values.repeat(len(new))"},
     "the more frequent sense is given to all: the context is not read",
     killed_by="test_a_new_context_gets_the_sense_in_whose_direction_it_lies")
edit("choose_senses", "two-senses-only", {"count = int(senses.max()) + 1": "", "range(count)": "(0, 1)"},
     "there are two senses only: there are as many as the numbers say",
     killed_by="test_three_senses_agree_with_brute_force")
edit("choose_senses", "numbered-by-occurrence",
     {"count = int(senses.max()) + 1": "order = list(dict.fromkeys(senses.tolist()))", "range(count)": "order"},
     "the senses are numbered in the order in which they occur: their own numbers were asked for",
     killed_by="test_senses_come_as_whole_numbers_and_the_contexts_stay")
edit("choose_senses", "inputs-changed",
     {"return (normalize": "contexts /= contexts.norm(dim=1, keepdim=True)\n    return (normalize"},
     "the centroids are scaled in place of a copy, or the contexts are: the inputs stay as they are",
     killed_by="test_senses_come_as_whole_numbers_and_the_contexts_stay")
edit("choose_senses", "none-on-the-far-side", {"return (normalize(new, dim=1) @ normalize(centroids, dim=1).T).argmax(dim=1)": "cosine = normalize(new, dim=1) @ normalize(centroids, dim=1).T\n    return torch.where(cosine.max(dim=1).values < 0, -1, cosine.argmax(dim=1))"},
     "a context far from all senses gets none: it gets the nearest",
     killed_by="test_a_sense_is_chosen_on_the_far_side_by_short_contexts_and_for_none")
edit("choose_senses", "little-added", {"normalize(centroids, dim=1)": "(centroids / (centroids.norm(dim=1, keepdim=True) + 1e-6))"},
     "a millionth is added to the lengths, so very short centroids have too small cosines",
     killed_by="test_a_sense_is_chosen_on_the_far_side_by_short_contexts_and_for_none")
edit("choose_senses", "something-added", {"normalize(centroids, dim=1)": "(centroids / (centroids.norm(dim=1, keepdim=True) + 1e-2))"},
     "something is added to the lengths, so short centroids have too small cosines",
     killed_by="test_a_sense_is_chosen_on_the_far_side_by_short_contexts_and_for_none")
@mistake("choose_senses", "floats-for-none", "where there are no new contexts the tensor is of floats: int64 was asked for",
         killed_by="test_a_sense_is_chosen_on_the_far_side_by_short_contexts_and_for_none")
def choose_senses(contexts, senses, new):
    centroids = torch.stack([contexts[senses == k].mean(dim=0) for k in range(int(senses.max()) + 1)])
    return torch.tensor([int(cosine_similarity(centroids, context[None], dim=1).argmax()) for context in new])


edit("choose_senses", "first-of-none", {"count =": "first = new[0]\n    count ="},
     "no new contexts make it fail",
     killed_by="test_a_sense_is_chosen_on_the_far_side_by_short_contexts_and_for_none")


equivalent(
    "mixture",
    "1: torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0] → torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, -1]",
    "there is one column",
)
equivalent(
    "mixture",
    "3: cosine_similarity(rebuilt, vector, dim=0) → cosine_similarity(vector, rebuilt, dim=0)",
    "the cosine is symmetric",
)
equivalent(
    "mixture",
    "3: cosine_similarity(rebuilt, vector, dim=0) → cosine_similarity(rebuilt, vector, dim=-1)",
    "there is one dimension",
)
equivalent(
    "kmeans",
    "3: (points[:, None, :] - centroids[None, :, :]).square().sum → (points[:, None, :] - centroids[None, :, :]).square().mean",
    "each distance is divided by the same d",
)
equivalent(
    "kmeans",
    "3: points[:, None, :] - centroids[None, :, :] → centroids[None, :, :] - points[:, None, :]",
    "the square takes the sign away",
)
equivalent("kmeans", "4: len(centroids) → len(centroids) + 1", "no point has that label, so nothing moves")
equivalent(
    "choose_senses",
    "2: contexts[senses == k].mean → contexts[senses == k].sum",
    "the sum has the direction of the mean, and only the direction is read",
)
equivalent(
    "choose_senses", "3: normalize(new, dim=1) → normalize(new)", "dim=1 is what normalize does unless told otherwise"
)
equivalent(
    "choose_senses",
    "3: normalize(centroids, dim=1) → normalize(centroids)",
    "dim=1 is what normalize does unless told otherwise",
)
equivalent("embed", "1: enumerate(words) → [(words.index(item), item) for item in words]", "each word has one row")
