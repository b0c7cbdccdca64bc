"""polysemy: classic mistakes and other right ways, for each exercise. Never released."""

import math
from collections import Counter

import numpy as np
import torch
from torch.nn.functional import cosine_similarity, normalize

from grader.lessons.bank import alternative, equivalent, mistake


@mistake(
    "embed",
    "tokens that are not in the table are left out: each has a row of zeros",
    "test_a_token_that_is_not_in_the_table_gets_zeros",
)
def embed(vectors, words, tokens):
    rows = [vectors[words.index(token)] for token in tokens if token in words]
    return torch.stack(rows) if rows else torch.zeros(0, vectors.shape[1])


@mistake(
    "embed",
    "an unknown token raises an error: it has a row of zeros",
    "test_a_token_that_is_not_in_the_table_gets_zeros",
)
def embed(vectors, words, tokens):
    index = {word: i for i, word in enumerate(words)}
    return vectors[torch.tensor([index[token] for token in tokens], dtype=torch.int64)]


@mistake(
    "embed",
    "an unknown token gets the vector of the last word: −1 is an index too",
    "test_a_token_that_is_not_in_the_table_gets_zeros",
)
def embed(vectors, words, tokens):
    index = {word: i for i, word in enumerate(words)}
    return vectors[torch.tensor([index.get(token, -1) for token in tokens], dtype=torch.int64)]


@mistake(
    "embed",
    "an unknown token gets the vector of the first word",
    "test_a_token_that_is_not_in_the_table_gets_zeros",
)
def embed(vectors, words, tokens):
    index = {word: i for i, word in enumerate(words)}
    return vectors[torch.tensor([index.get(token, 0) for token in tokens], dtype=torch.int64)]


@mistake(
    "embed",
    "the rows come in the order of the table: they follow the order of the sentence",
    "test_each_token_gets_its_row_in_the_order_of_the_sentence",
)
def embed(vectors, words, tokens):
    kept = [i for i, word in enumerate(words) if word in tokens]
    return vectors[torch.tensor(kept, dtype=torch.int64)]


@mistake(
    "embed",
    "the vectors are averaged into one: each token keeps its own",
    "test_each_token_gets_its_row_in_the_order_of_the_sentence",
)
def embed(vectors, words, tokens):
    index = {word: i for i, word in enumerate(words)}
    return torch.stack([vectors[index[token]] for token in tokens if token in index]).mean(dim=0)


@mistake(
    "embed",
    "the vectors are scaled to length 1: the table's rows are asked for as they are",
    "test_each_token_gets_its_row_in_the_order_of_the_sentence",
)
def embed(vectors, words, tokens):
    index = {word: i for i, word in enumerate(words)}
    rows = [vectors[index[token]] if token in index else torch.zeros(vectors.shape[1]) for token in tokens]
    return normalize(torch.stack(rows), dim=1) if rows else torch.zeros(0, vectors.shape[1])


@mistake(
    "embed",
    "an empty sentence raises an error or loses its columns: its shape is (0, d)",
    "test_an_empty_sentence_has_no_rows_but_all_columns",
)
def embed(vectors, words, tokens):
    index = {word: i for i, word in enumerate(words)}
    return torch.stack([vectors[index[token]] if token in index else torch.zeros_like(vectors[0]) for token in tokens])


@alternative("embed")
def embed(vectors, words, tokens):
    table = torch.cat([vectors, torch.zeros(1, vectors.shape[1])])  # the last row is for unknown tokens
    index = {word: i for i, word in enumerate(words)}
    return table[torch.tensor([index.get(token, len(words)) for token in tokens], dtype=torch.int64)]


@alternative("embed")
def embed(vectors, words, tokens):
    match = torch.tensor([[float(token == word) for word in words] for token in tokens])
    return match.reshape(len(tokens), len(words)) @ vectors


@alternative("embed")
def embed(vectors, words, tokens):
    rows = np.zeros((len(tokens), vectors.shape[1]), dtype=np.float32)
    for i, token in enumerate(tokens):
        if token in words:
            rows[i] = vectors[words.index(token)].numpy()
    return torch.from_numpy(rows)


@mistake(
    "topic_entropy",
    "the natural logarithm gives nats: bits have base 2",
    "test_two_halves_are_one_bit_and_eight_topics_alike_are_three",
)
def topic_entropy(topics):
    return -sum(n / len(topics) * math.log(n / len(topics)) for n in Counter(topics).values()) + 0.0


@mistake(
    "topic_entropy",
    "the sign is missing: the logarithm of a share is negative",
    "test_two_halves_are_one_bit_and_eight_topics_alike_are_three",
)
def topic_entropy(topics):
    return float(sum(n / len(topics) * math.log2(n / len(topics)) for n in Counter(topics).values()))


@mistake(
    "topic_entropy",
    "each topic counts once: the logarithms are weighted by the shares",
    "test_unequal_shares_follow_the_formula",
)
def topic_entropy(topics):
    return math.log2(len(set(topics))) if topics else 0.0


@mistake(
    "topic_entropy",
    "the logarithms are not weighted by the shares",
    "test_unequal_shares_follow_the_formula",
)
def topic_entropy(topics):
    return -sum(math.log2(n / len(topics)) for n in Counter(topics).values()) + 0.0


@mistake(
    "topic_entropy",
    "the mean over topics is taken: entropy is the sum",
    "test_two_halves_are_one_bit_and_eight_topics_alike_are_three",
)
def topic_entropy(topics):
    parts = [-n / len(topics) * math.log2(n / len(topics)) for n in Counter(topics).values()]
    return sum(parts) / len(parts) + 0.0 if parts else 0.0


@mistake(
    "topic_entropy",
    "the sum runs over the items, so a frequent topic counts as often as it occurs",
    "test_unequal_shares_follow_the_formula",
)
def topic_entropy(topics):
    counts = Counter(topics)
    return -sum(counts[t] / len(topics) * math.log2(counts[t] / len(topics)) for t in topics) + 0.0


@mistake(
    "topic_entropy",
    "counts stand where shares belong: divide by the length of the list",
    "test_one_topic_has_no_entropy",
)
def topic_entropy(topics):
    return -sum(n * math.log2(n) for n in Counter(topics).values()) + 0.0


@mistake(
    "topic_entropy",
    "the entropy is divided by its maximum, so it ends at 1: bits were asked for",
    "test_two_halves_are_one_bit_and_eight_topics_alike_are_three",
)
def topic_entropy(topics):
    counts = Counter(topics)
    if len(counts) < 2:
        return 0.0
    return -sum(n / len(topics) * math.log2(n / len(topics)) for n in counts.values()) / math.log2(len(counts))


@mistake("topic_entropy", "an empty list raises an error: its entropy is 0.0", "test_an_empty_list_has_no_entropy")
def topic_entropy(topics):
    _, counts = np.unique(topics, return_counts=True)
    shares = counts / counts.sum()
    return abs(float(-(shares * np.log2(shares)).sum())) if max(shares) < 1 else 0.0


@alternative("topic_entropy")
def topic_entropy(topics):
    shares = np.array([topics.count(topic) for topic in sorted(set(topics))]) / max(1, len(topics))
    return abs(float((shares * np.log2(shares)).sum()))


@alternative("topic_entropy")
def topic_entropy(topics):
    if not topics:
        return 0.0
    counts = torch.tensor(list(Counter(topics).values()), dtype=torch.float64)
    shares = counts / counts.sum()
    return abs(float((shares * shares.log2()).sum()))


@alternative("topic_entropy")
def topic_entropy(topics):  # of an empty list the sum is the whole number 0
    return -sum(n / len(topics) * math.log2(n / len(topics)) for n in Counter(topics).values())


@alternative("topic_entropy")
def topic_entropy(topics):
    n = len(topics)
    return sum((c * math.log2(n / c) for c in Counter(topics).values()), start=0.0) / max(n, 1)


@mistake(
    "mixture",
    "each weight is a dot product with the sense: that is right only for senses of length 1 at right angles",
    "test_a_sum_of_slanting_senses_is_found_again",
)
def mixture(vector, senses):
    weights = senses @ vector
    return weights, float(cosine_similarity(weights @ senses, vector, dim=0))


@mistake(
    "mixture",
    "each sense is fitted by itself: senses that are not at right angles share what they explain",
    "test_a_sum_of_slanting_senses_is_found_again",
)
def mixture(vector, senses):
    weights = senses @ vector / senses.square().sum(dim=1)
    return weights, float(cosine_similarity(weights @ senses, vector, dim=0))


@mistake(
    "mixture",
    "the weights are made to sum to 1: least squares leaves their sum free",
    "test_weights_of_senses_at_right_angles_are_read_off",
)
def mixture(vector, senses):
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]
    weights = weights / weights.sum()
    return weights, float(cosine_similarity(weights @ senses, vector, dim=0))


@mistake(
    "mixture",
    "the weights are those of senses scaled to length 1: the senses come as they are",
    "test_a_longer_sense_gets_a_smaller_weight",
)
def mixture(vector, senses):
    unit = normalize(senses, dim=1)
    weights = torch.linalg.lstsq(unit.T, vector[:, None]).solution[:, 0]
    return weights, float(cosine_similarity(weights @ unit, vector, dim=0))


@mistake(
    "mixture",
    "negative weights are cut off at 0: least squares allows them",
    "test_a_sum_of_slanting_senses_is_found_again",
)
def mixture(vector, senses):
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0].clamp(min=0)
    return weights, float(cosine_similarity(weights @ senses, vector, dim=0))


@mistake(
    "mixture",
    "the second value is the distance that remains: the cosine was asked for",
    "test_weights_of_senses_at_right_angles_are_read_off",
)
def mixture(vector, senses):
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]
    return weights, float((weights @ senses - vector).norm())


@mistake(
    "mixture",
    "the second value is the share of the squared length that is explained: that is the cosine squared",
    "test_weights_of_senses_at_right_angles_are_read_off",
)
def mixture(vector, senses):
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]
    return weights, float((weights @ senses).square().sum() / vector.square().sum())


@mistake(
    "mixture",
    "the second value is a dot product: divide by both lengths for the cosine",
    "test_weights_of_senses_at_right_angles_are_read_off",
)
def mixture(vector, senses):
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]
    return weights, float(weights @ senses @ vector)


@mistake(
    "mixture",
    "the reconstruction is the plain sum of the senses: each is multiplied by its weight",
    "test_weights_of_senses_at_right_angles_are_read_off",
)
def mixture(vector, senses):
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]
    return weights, float(cosine_similarity(senses.sum(dim=0), vector, dim=0))


@mistake(
    "mixture",
    "the weights keep a second dimension, (K, 1): (K,) was asked for",
    "test_weights_of_senses_at_right_angles_are_read_off",
)
def mixture(vector, senses):
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution
    return weights, float(cosine_similarity(weights[:, 0] @ senses, vector, dim=0))


@mistake(
    "mixture",
    "the cosine comes as a tensor: a float was asked for",
    "test_the_cosine_is_a_plain_number",
)
def mixture(vector, senses):
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]
    return weights, cosine_similarity(weights @ senses, vector, dim=0)


@alternative("mixture")
def mixture(vector, senses):
    weights = torch.linalg.solve(senses @ senses.T, senses @ vector)  # the normal equations
    rebuilt = senses.T @ weights
    return weights, float(rebuilt @ vector / rebuilt.norm() / vector.norm())


@alternative("mixture")
def mixture(vector, senses):
    weights = torch.linalg.pinv(senses).T @ vector
    rebuilt = torch.einsum("k,kd->d", weights, senses)
    return weights, cosine_similarity(rebuilt[None], vector[None]).item()


@alternative("mixture")
def mixture(vector, senses):
    rows, target = senses.double().numpy(), vector.double().numpy()
    weights, *_ = np.linalg.lstsq(rows.T, target, rcond=None)
    rebuilt = weights @ rows
    return torch.tensor(weights, dtype=torch.float32), float(
        rebuilt @ target / np.linalg.norm(rebuilt) / np.linalg.norm(target)
    )


@alternative("mixture")
def mixture(vector, senses):
    weights = np.linalg.lstsq(senses.T.numpy(), vector.numpy(), rcond=None)[0]
    rebuilt, target = (weights @ senses.numpy()).astype(float), vector.numpy().astype(float)
    cosine = rebuilt @ target / np.linalg.norm(rebuilt) / np.linalg.norm(target)  # numpy's float64
    return torch.from_numpy(weights), cosine


@alternative("mixture")
def mixture(vector, senses):
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]
    return weights, cosine_similarity(weights @ senses, vector, dim=0).numpy()[()]  # numpy's float32


@mistake(
    "context_vector",
    "the word itself is among its neighbours",
    "test_it_is_the_mean_of_the_neighbours_without_the_word_itself",
)
def context_vector(vectors, weights, ids, position, window):
    around = ids[max(0, position - window) : position + window + 1]
    total = weights[around].sum()
    return weights[around] @ vectors[around] / total if total > 0 else torch.zeros(vectors.shape[1])


@mistake(
    "context_vector",
    "the window is one word short on the right: the end of a slice is exclusive",
    "test_it_is_the_mean_of_the_neighbours_without_the_word_itself",
)
def context_vector(vectors, weights, ids, position, window):
    around = ids[max(0, position - window) : position] + ids[position + 1 : position + window]
    total = weights[around].sum()
    return weights[around] @ vectors[around] / total if total > 0 else torch.zeros(vectors.shape[1])


@mistake(
    "context_vector",
    "a negative start of the slice counts from the end, so the first words lose their neighbours on the left",
    "test_the_window_is_cut_off_at_the_edges_of_the_text",
)
def context_vector(vectors, weights, ids, position, window):
    around = ids[position - window : position] + ids[position + 1 : position + window + 1]
    total = weights[around].sum()
    return weights[around] @ vectors[around] / total if total > 0 else torch.zeros(vectors.shape[1])


@mistake(
    "context_vector",
    "the text wraps around: the window must be cut off at its edges",
    "test_the_window_is_cut_off_at_the_edges_of_the_text",
)
def context_vector(vectors, weights, ids, position, window):
    around = [ids[(position + o) % len(ids)] for o in range(-window, window + 1) if o and len(ids) > 1]
    total = weights[around].sum()
    return weights[around] @ vectors[around] / total if total > 0 else torch.zeros(vectors.shape[1])


@mistake(
    "context_vector",
    "only the words before it are taken: the window reaches to both sides",
    "test_it_is_the_mean_of_the_neighbours_without_the_word_itself",
)
def context_vector(vectors, weights, ids, position, window):
    around = ids[max(0, position - window) : position]
    total = weights[around].sum()
    return weights[around] @ vectors[around] / total if total > 0 else torch.zeros(vectors.shape[1])


@mistake(
    "context_vector",
    "the weights are not used: this is the plain mean",
    "test_each_neighbour_weighs_what_its_word_weighs",
)
def context_vector(vectors, weights, ids, position, window):
    around = ids[max(0, position - window) : position] + ids[position + 1 : position + window + 1]
    return vectors[around].mean(dim=0) if around else torch.zeros(vectors.shape[1])


@mistake(
    "context_vector",
    "the sum is divided by the number of neighbours: divide by the sum of their weights",
    "test_each_neighbour_weighs_what_its_word_weighs",
)
def context_vector(vectors, weights, ids, position, window):
    around = ids[max(0, position - window) : position] + ids[position + 1 : position + window + 1]
    return weights[around] @ vectors[around] / max(1, len(around))


@mistake(
    "context_vector",
    "the weighted sum is not divided by the sum of the weights",
    "test_it_is_the_mean_of_the_neighbours_without_the_word_itself",
)
def context_vector(vectors, weights, ids, position, window):
    around = ids[max(0, position - window) : position] + ids[position + 1 : position + window + 1]
    return weights[around] @ vectors[around]


@mistake(
    "context_vector",
    "every occurrence of the word is left out: only the one at this position is",
    "test_the_same_word_at_another_position_counts_as_a_neighbour",
)
def context_vector(vectors, weights, ids, position, window):
    near = ids[max(0, position - window) : position + window + 1]
    around = [i for i in near if i != ids[position]]
    total = weights[around].sum()
    return weights[around] @ vectors[around] / total if total > 0 else torch.zeros(vectors.shape[1])


@mistake(
    "context_vector",
    "a neighbour that stands twice counts once: each place counts",
    "test_the_same_word_at_another_position_counts_as_a_neighbour",
)
def context_vector(vectors, weights, ids, position, window):
    around = sorted(set(ids[max(0, position - window) : position] + ids[position + 1 : position + window + 1]))
    total = weights[around].sum()
    return weights[around] @ vectors[around] / total if total > 0 else torch.zeros(vectors.shape[1])


@mistake(
    "context_vector",
    "0 is divided by 0 where nothing weighs anything: zeros were asked for",
    "test_a_word_alone_has_a_context_of_zeros",
)
def context_vector(vectors, weights, ids, position, window):
    around = ids[max(0, position - window) : position] + ids[position + 1 : position + window + 1]
    return weights[around] @ vectors[around] / weights[around].sum()


@alternative("context_vector")
def context_vector(vectors, weights, ids, position, window):
    total, norm = torch.zeros(vectors.shape[1]), 0.0
    for place in range(max(0, position - window), min(len(ids), position + window + 1)):
        if place != position:
            total += weights[ids[place]] * vectors[ids[place]]
            norm += float(weights[ids[place]])
    return total / norm if norm else total


@alternative("context_vector")
def context_vector(vectors, weights, ids, position, window):
    away = (torch.arange(len(ids)) - position).abs()
    weight = weights[ids] * ((away > 0) & (away <= window))  # (N,)
    return torch.einsum("n,nd->d", weight, vectors[ids]) / weight.sum().clamp(min=1e-12)


@alternative("context_vector")
def context_vector(vectors, weights, ids, position, window):
    around = [word for place, word in enumerate(ids) if 0 < abs(place - position) <= window]
    if sum(float(weights[word]) for word in around) == 0:
        return torch.zeros(vectors.shape[1])
    mean = np.average(vectors[around].numpy(), axis=0, weights=weights[around].numpy())
    return torch.tensor(mean, dtype=torch.float32)


@mistake(
    "kmeans",
    "the centroids move before the points are labelled",
    "test_one_round_labels_first_and_then_moves",
)
def kmeans(points, centroids, steps=50):
    centroids = centroids.clone()
    for _ in range(steps):
        labels = torch.cdist(points, centroids).argmin(dim=1)
        for k in range(len(centroids)):
            if (labels == k).any():
                centroids[k] = points[labels == k].mean(dim=0)
        labels = torch.cdist(points, centroids).argmin(dim=1)
    return centroids, labels


@mistake("kmeans", "the centroids never move", "test_two_groups_on_a_line_are_found")
def kmeans(points, centroids, steps=50):
    return centroids.clone(), torch.cdist(points, centroids).argmin(dim=1)


@mistake(
    "kmeans",
    "there is one round only: labels and centroids are found in turn, `steps` times",
    "test_two_groups_on_a_line_are_found_from_a_bad_start",
)
def kmeans(points, centroids, steps=50):
    centroids = centroids.clone()
    labels = torch.cdist(points, centroids).argmin(dim=1)
    for k in range(len(centroids)):
        if (labels == k).any():
            centroids[k] = points[labels == k].mean(dim=0)
    return centroids, labels


@mistake(
    "kmeans",
    "a centroid without points becomes not-a-number: it stays where it is",
    "test_a_centroid_without_points_stays_where_it_is",
)
def kmeans(points, centroids, steps=50):
    for _ in range(steps):
        labels = torch.cdist(points, centroids).argmin(dim=1)
        centroids = torch.stack([points[labels == k].mean(dim=0) for k in range(len(centroids))])
    return centroids, labels


@mistake(
    "kmeans",
    "a centroid without points moves to the origin: it stays where it is",
    "test_a_centroid_without_points_stays_where_it_is",
)
def kmeans(points, centroids, steps=50):
    for _ in range(steps):
        labels = torch.cdist(points, centroids).argmin(dim=1)
        member = torch.nn.functional.one_hot(labels, len(centroids)).float()
        centroids = member.T @ points / member.sum(dim=0).clamp(min=1)[:, None]
    return centroids, labels


@mistake(
    "kmeans",
    "the centroids that were handed in are changed: work on a copy",
    "test_the_start_is_left_alone",
)
def kmeans(points, centroids, steps=50):
    for _ in range(steps):
        labels = torch.cdist(points, centroids).argmin(dim=1)
        for k in range(len(centroids)):
            if (labels == k).any():
                centroids[k] = points[labels == k].mean(dim=0)
    return centroids, labels


@mistake(
    "kmeans",
    "a point goes to the centroid in whose direction it lies: Euclidean distance was asked for",
    "test_two_groups_on_a_line_are_found",
)
def kmeans(points, centroids, steps=50):
    centroids = centroids.clone()
    for _ in range(steps):
        labels = (normalize(points, dim=1) @ normalize(centroids, dim=1).T).argmax(dim=1)
        for k in range(len(centroids)):
            if (labels == k).any():
                centroids[k] = points[labels == k].mean(dim=0)
    return centroids, labels


@mistake(
    "kmeans",
    "a centroid is the median of its points: the mean was asked for",
    "test_one_round_labels_first_and_then_moves",
)
def kmeans(points, centroids, steps=50):
    centroids = centroids.clone()
    for _ in range(steps):
        labels = torch.cdist(points, centroids).argmin(dim=1)
        for k in range(len(centroids)):
            if (labels == k).any():
                centroids[k] = points[labels == k].median(dim=0).values
    return centroids, labels


@mistake(
    "kmeans",
    "of equally near centroids the last one is taken: it is the first",
    "test_a_point_between_two_centroids_gets_the_first",
)
def kmeans(points, centroids, steps=50):
    centroids, last = centroids.clone(), len(centroids) - 1
    for _ in range(steps):
        distance = (points[:, None, :] - centroids[None, :, :]).square().sum(dim=2)
        labels = last - distance.flip(1).argmin(dim=1)
        for k in range(len(centroids)):
            if (labels == k).any():
                centroids[k] = points[labels == k].mean(dim=0)
    return centroids, labels


@mistake(
    "kmeans",
    "labels and centroids are returned in the wrong order: the centroids come first",
    "test_two_groups_on_a_line_are_found",
)
def kmeans(points, centroids, steps=50):
    centroids = centroids.clone()
    for _ in range(steps):
        labels = torch.cdist(points, centroids).argmin(dim=1)
        for k in range(len(centroids)):
            if (labels == k).any():
                centroids[k] = points[labels == k].mean(dim=0)
    return labels, centroids


@mistake(
    "kmeans",
    "the labels are floats: they are numbers of centroids, and only whole ones can be used as an index",
    "test_labels_come_as_a_tensor_of_int64",
)
def kmeans(points, centroids, steps=50):
    centroids = centroids.clone()
    for _ in range(steps):
        labels = torch.cdist(points, centroids).argmin(dim=1)
        for k in range(len(centroids)):
            if (labels == k).any():
                centroids[k] = points[labels == k].mean(dim=0)
    return centroids, labels.float()


@mistake(
    "kmeans",
    "the labels come as a list: a tensor was asked for",
    "test_labels_come_as_a_tensor_of_int64",
)
def kmeans(points, centroids, steps=50):
    centroids = centroids.clone()
    for _ in range(steps):
        labels = torch.cdist(points, centroids).argmin(dim=1)
        for k in range(len(centroids)):
            if (labels == k).any():
                centroids[k] = points[labels == k].mean(dim=0)
    return centroids, labels.tolist()


@alternative("kmeans")
def kmeans(points, centroids, steps=50):
    for _ in range(steps):
        distance = ((points.unsqueeze(1) - centroids.unsqueeze(0)) ** 2).sum(-1)  # (N, K)
        labels = distance.argmin(1)
        member = torch.nn.functional.one_hot(labels, len(centroids)).to(points.dtype)  # (N, K)
        sizes = member.sum(0)[:, None]
        centroids = torch.where(sizes > 0, member.T @ points / sizes.clamp(min=1), centroids)
    return centroids, labels


@alternative("kmeans")
def kmeans(points, centroids, steps=50):
    places, centers = points.numpy(), centroids.numpy().copy()
    for _ in range(steps):
        labels = np.linalg.norm(places[:, None] - centers[None], axis=2).argmin(axis=1)
        for k in np.unique(labels):
            centers[k] = places[labels == k].mean(axis=0)
    return torch.from_numpy(centers), torch.from_numpy(labels)


@alternative("kmeans")
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


@mistake(
    "purity",
    "group numbers are compared with sense numbers: groups have no names",
    "test_group_numbers_need_not_be_those_of_the_senses",
)
def purity(labels, senses):
    return sum(int(a) == int(b) for a, b in zip(labels, senses)) / len(labels)


@mistake(
    "purity",
    "the purities of the groups are averaged, so a small group counts as much as a large one",
    "test_each_group_counts_its_most_frequent_sense",
)
def purity(labels, senses):
    groups = {}
    for label, sense in zip(labels, senses):
        groups.setdefault(int(label), []).append(int(sense))
    return sum(max(Counter(group).values()) / len(group) for group in groups.values()) / len(groups)


@mistake(
    "purity",
    "groups and senses are exchanged: this looks for the most frequent group of each sense",
    "test_two_groups_may_have_the_same_sense",
)
def purity(labels, senses):
    groups = {}
    for label, sense in zip(labels, senses):
        groups.setdefault(int(sense), []).append(int(label))
    return sum(max(Counter(group).values()) for group in groups.values()) / len(labels)


@mistake(
    "purity",
    "each sense is given to one group only: two groups may have the same",
    "test_two_groups_may_have_the_same_sense",
)
def purity(labels, senses):
    pairs = Counter((int(a), int(b)) for a, b in zip(labels, senses))
    taken, right = set(), 0
    for (group, sense), count in pairs.most_common():
        if ("group", group) not in taken and ("sense", sense) not in taken:
            taken |= {("group", group), ("sense", sense)}
            right += count
    return right / len(labels)


@mistake(
    "purity",
    "the count is not divided by the number of items",
    "test_group_numbers_need_not_be_those_of_the_senses",
)
def purity(labels, senses):
    groups = {}
    for label, sense in zip(labels, senses):
        groups.setdefault(int(label), []).append(int(sense))
    return float(sum(max(Counter(group).values()) for group in groups.values()))


@mistake(
    "purity",
    "the share of the commonest sense of all: each group has its own",
    "test_each_group_counts_its_most_frequent_sense",
)
def purity(labels, senses):
    return max(Counter(int(sense) for sense in senses).values()) / len(labels)


@mistake(
    "purity",
    "tensors of one number are counted as they are, and no two of them are the same key",
    "test_tensors_do_as_well_as_lists",
)
def purity(labels, senses):
    groups = {}
    for label, sense in zip(labels, senses):
        groups.setdefault(label, []).append(sense)
    return sum(max(Counter(group).values()) for group in groups.values()) / len(labels)


@mistake(
    "purity",
    "the purity of the purest group is taken: all groups count",
    "test_each_group_counts_its_most_frequent_sense",
)
def purity(labels, senses):
    groups = {}
    for label, sense in zip(labels, senses):
        groups.setdefault(int(label), []).append(int(sense))
    return max(max(Counter(group).values()) / len(group) for group in groups.values())


@alternative("purity")
def purity(labels, senses):
    labels, senses = np.asarray(labels), np.asarray(senses)
    right = sum(np.unique(senses[labels == k], return_counts=True)[1].max() for k in np.unique(labels))
    return float(right / len(labels))


@alternative("purity")
def purity(labels, senses):
    _, rows = torch.as_tensor(labels).unique(return_inverse=True)
    _, columns = torch.as_tensor(senses).unique(return_inverse=True)
    table = torch.zeros(int(rows.max()) + 1, int(columns.max()) + 1)
    table.index_put_((rows, columns), torch.ones(len(rows)), accumulate=True)
    return float(table.max(dim=1).values.sum() / len(rows))


@alternative("purity")
def purity(labels, senses):
    best = Counter()
    for (label, _), count in Counter((int(a), int(b)) for a, b in zip(labels, senses)).items():
        best[label] = max(best[label], count)
    return sum(best.values()) / len(senses)


@mistake(
    "choose_senses",
    "the nearest centroid by distance: the cosine was asked for",
    "test_the_direction_decides_and_not_the_distance",
)
def choose_senses(contexts, senses, new):
    centroids = torch.stack([contexts[senses == k].mean(dim=0) for k in range(int(senses.max()) + 1)])
    return torch.cdist(new, centroids).argmin(dim=1)


@mistake(
    "choose_senses",
    "the largest dot product favours the longest centroid: divide by its length",
    "test_the_direction_decides_and_not_the_distance",
)
def choose_senses(contexts, senses, new):
    centroids = torch.stack([contexts[senses == k].mean(dim=0) for k in range(int(senses.max()) + 1)])
    return (new @ centroids.T).argmax(dim=1)


@mistake(
    "choose_senses",
    "the sense of the nearest single context: the centroid of each sense was asked for",
    "test_the_centroid_decides_and_not_the_nearest_single_context",
)
def choose_senses(contexts, senses, new):
    return senses[(normalize(new, dim=1) @ normalize(contexts, dim=1).T).argmax(dim=1)]


@mistake(
    "choose_senses",
    "contexts are scaled to length 1 before the mean: the centroid is the mean of the contexts as they are",
    "test_long_contexts_pull_their_centroid_more",
)
def choose_senses(contexts, senses, new):
    unit = normalize(contexts, dim=1)
    centroids = torch.stack([unit[senses == k].mean(dim=0) for k in range(int(senses.max()) + 1)])
    return (normalize(new, dim=1) @ normalize(centroids, dim=1).T).argmax(dim=1)


@mistake(
    "choose_senses",
    "the sense with the smallest cosine is taken: the nearest has the largest",
    "test_a_new_context_gets_the_sense_in_whose_direction_it_lies",
)
def choose_senses(contexts, senses, new):
    centroids = torch.stack([contexts[senses == k].mean(dim=0) for k in range(int(senses.max()) + 1)])
    return (normalize(new, dim=1) @ normalize(centroids, dim=1).T).argmin(dim=1)


@mistake(
    "choose_senses",
    "the more frequent sense is given to all: the context is not read",
    "test_a_new_context_gets_the_sense_in_whose_direction_it_lies",
)
def choose_senses(contexts, senses, new):
    return senses.mode().values.repeat(len(new))


@mistake(
    "choose_senses",
    "there are two senses only: there are as many as the numbers say",
    "test_three_senses_agree_with_brute_force",
)
def choose_senses(contexts, senses, new):
    centroids = torch.stack([contexts[senses == k].mean(dim=0) for k in (0, 1)])
    return (normalize(new, dim=1) @ normalize(centroids, dim=1).T).argmax(dim=1)


@mistake(
    "choose_senses",
    "the senses are numbered in the order in which they occur: their own numbers were asked for",
    "test_senses_come_as_whole_numbers_and_the_contexts_stay",
)
def choose_senses(contexts, senses, new):
    order = list(dict.fromkeys(senses.tolist()))
    centroids = torch.stack([contexts[senses == k].mean(dim=0) for k in order])
    return (normalize(new, dim=1) @ normalize(centroids, dim=1).T).argmax(dim=1)


@mistake(
    "choose_senses",
    "the centroids are scaled in place of a copy, or the contexts are: the inputs stay as they are",
    "test_senses_come_as_whole_numbers_and_the_contexts_stay",
)
def choose_senses(contexts, senses, new):
    centroids = torch.stack([contexts[senses == k].mean(dim=0) for k in range(int(senses.max()) + 1)])
    contexts /= contexts.norm(dim=1, keepdim=True)
    return (normalize(new, dim=1) @ normalize(centroids, dim=1).T).argmax(dim=1)


@alternative("choose_senses")
def choose_senses(contexts, senses, new):
    member = torch.nn.functional.one_hot(senses).float()  # (N, K)
    centroids = torch.einsum("nk,nd->kd", member, contexts)  # a sum has the direction of the mean
    return torch.einsum("md,kd->mk", new, normalize(centroids, dim=1)).argmax(dim=1)


@alternative("choose_senses")
def choose_senses(contexts, senses, new):
    chosen = []
    for context in new:
        cosines = []
        for k in range(len(set(senses.tolist()))):
            centroid = contexts[senses == k].mean(dim=0)
            cosines.append(float(cosine_similarity(context, centroid, dim=0)))
        chosen.append(cosines.index(max(cosines)))
    return torch.tensor(chosen, dtype=torch.int64)


@alternative("choose_senses")
def choose_senses(contexts, senses, new):
    rows, numbers, fresh = contexts.numpy(), senses.numpy(), new.numpy()
    centroids = np.stack([rows[numbers == k].mean(axis=0) for k in np.unique(numbers)])
    centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    return torch.from_numpy((fresh @ centroids.T).argmax(axis=1))


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
