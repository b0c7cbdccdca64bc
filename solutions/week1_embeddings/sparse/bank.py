"""Sparse vectors: classic mistakes and other right ways, for each exercise. Never released."""

import math
from collections import Counter

import numpy as np
import torch
from scipy.sparse import coo_array

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# one_hot
@alternative("one_hot", "comparison")
def one_hot(tokens, words):
    return torch.tensor([[float(token == word) for word in words] for token in tokens]).reshape(len(tokens), len(words))


@alternative("one_hot", "torch-one-hot")
def one_hot(tokens, words):
    ids = torch.tensor([words.index(t) if t in words else len(words) for t in tokens], dtype=torch.int64)
    return torch.nn.functional.one_hot(ids, len(words) + 1)[:, :-1].float()


@alternative("one_hot", "identity-rows")
def one_hot(tokens, words):
    axes = torch.cat([torch.eye(len(words)), torch.zeros(1, len(words))])
    return axes[[words.index(token) if token in words else -1 for token in tokens]]


@alternative("one_hot", "numpy-double")
def one_hot(tokens, words):
    vectors = np.zeros((len(tokens), len(words)))
    for row, token in enumerate(tokens):
        if token in words:
            vectors[row, words.index(token)] = 1
    return torch.from_numpy(vectors)  # float64


edit("one_hot", "columns-by-text", {"index = {": "words = list(dict.fromkeys(tokens))\n    index = {"},
     "the columns are numbered by the text, so the vector's length is that of the text: there is one column for each known word",
     killed_by="test_one_more_word_makes_every_vector_longer")
edit("one_hot", "bag-of-words", {"return vectors": "return vectors.sum(dim=0)"},
     "the words of the text are summed up in one vector (a bag of words): each token has a row of its own",
     killed_by="test_each_word_has_an_axis_of_its_own")
edit("one_hot", "number-written", {"= 1.0": "= index[token] + 1.0"},
     "the word's number is written into the vector: only a 1 marks its place",
     killed_by="test_each_word_has_an_axis_of_its_own")
edit("one_hot", "unknown-gets-last",
     {"if token in index:\n            vectors[row, index[token]] = 1.0": "vectors[row, index.get(token, -1)] = 1.0"},
     "an unknown word is given the last axis (index −1): it has none", killed_by="test_an_unknown_word_has_no_axis")
edit("one_hot", "unknown-left-out",
     {"vectors = torch": "tokens = [token for token in tokens if token in index]\n    vectors = torch"},
     "an unknown word is left out, so the rows after it move up: it has a row of zeros",
     killed_by="test_an_unknown_word_has_no_axis")
edit("one_hot", "transposed", {"return vectors": "return vectors.T"},
     "rows and columns are exchanged: one row for each token, one column for each word",
     killed_by="test_one_more_word_makes_every_vector_longer")
edit("one_hot", "whole-numbers", {"return vectors": "return vectors.long()"},
     "the vectors are of whole numbers: vectors are floats", killed_by="test_the_vectors_are_of_floats")
edit("one_hot", "counted-in-bytes", {"enumerate(words)}": "enumerate(words)}\n    index = {word: i % 256 for word, i in index.items()}"},
     "the words' numbers are kept in bytes, which know no number beyond 255",
     killed_by="test_the_last_of_many_words_has_its_axis")
edit("one_hot", "blanks-cut-off", {"index[token]] = 1.0": "index.get(token.strip(), 0)] = 1.0"},
     "blanks around a word are cut off: ' us' is another word than 'us'",
     killed_by="test_words_that_differ_in_one_sign_have_axes_of_their_own")
edit("one_hot", "empty-word-left-out", {"if token in index": "if token and token in index"},
     "the empty word has no axis: it is a word like any other",
     killed_by="test_words_that_differ_in_one_sign_have_axes_of_their_own")


# distances
@alternative("distances", "cdist")
def distances(vectors):
    return torch.cdist(vectors, vectors, compute_mode="donot_use_mm_for_euclid_dist")


@alternative("distances", "row-by-row")
def distances(vectors):
    return torch.stack([torch.linalg.vector_norm(vectors - row, dim=1) for row in vectors])


@alternative("distances", "two-loops")
def distances(vectors):
    result = torch.zeros(len(vectors), len(vectors))
    for i in range(len(vectors)):
        for j in range(len(vectors)):
            result[i, j] = (vectors[i] - vectors[j]).norm()
    return result


@alternative("distances", "numpy-broadcast")
def distances(vectors):
    array = vectors.numpy().astype(np.float64)
    return torch.from_numpy(np.sqrt(((array[:, None] - array[None]) ** 2).sum(axis=2))).float()


edit("distances", "root-missing",
     {'torch.cdist(vectors, vectors, compute_mode="donot_use_mm_for_euclid_dist")': "(vectors[:, None] - vectors[None]).square().sum(dim=2)"},
     "the square root is missing: these are squared distances",
     killed_by="test_three_points_are_as_far_apart_as_pythagoras_says", of="cdist")
edit("distances", "manhattan", {'torch.cdist(vectors, vectors, compute_mode="donot_use_mm_for_euclid_dist")': "(vectors[:, None] - vectors[None]).abs().sum(dim=2)"},
     "the absolute differences are added up: that is the L1 distance, the streets of Manhattan",
     killed_by="test_three_points_are_as_far_apart_as_pythagoras_says", of="cdist")
edit("distances", "squares-averaged",
     {'torch.cdist(vectors, vectors, compute_mode="donot_use_mm_for_euclid_dist")': "(vectors[:, None] - vectors[None]).square().mean(dim=2).sqrt()"},
     "squares are averaged over the coordinates: they are summed",
     killed_by="test_all_one_hot_vectors_are_the_square_root_of_two_apart", of="cdist")
edit("distances", "largest-difference",
     {'torch.cdist(vectors, vectors, compute_mode="donot_use_mm_for_euclid_dist")': "(vectors[:, None] - vectors[None]).abs().amax(dim=2)"},
     "the largest difference is taken, where all of them count",
     killed_by="test_three_points_are_as_far_apart_as_pythagoras_says", of="cdist")
edit("distances", "scaled-first",
     {"difference = vectors": "vectors = normalize(vectors, dim=1)\n    difference = vectors"},
     "the vectors are brought to length 1 first: distances depend on the lengths too",
     killed_by="test_three_points_are_as_far_apart_as_pythagoras_says")
edit("distances", "root-of-each",
     {'torch.cdist(vectors, vectors, compute_mode="donot_use_mm_for_euclid_dist")': "(vectors[:, None] - vectors[None]).square().sqrt().sum(dim=2)"},
     "the root is taken of each difference before they are summed: square, sum, then root",
     killed_by="test_three_points_are_as_far_apart_as_pythagoras_says", of="cdist")
edit("distances", "one-column-squeezed", {"difference = vectors": "vectors = vectors.squeeze()\n    difference = vectors"},
     "a single coordinate is squeezed away: rows of one number are rows too",
     killed_by="test_one_coordinate_and_many_rows_have_their_distances")
edit("distances", "single-precision", {"difference = vectors": "vectors = vectors.float()\n    difference = vectors"},
     "the points are rounded to float32 whatever came in",
     killed_by="test_near_points_far_from_the_origin_are_told_apart")
@mistake("distances", "dot-product-identity", "a² + b² − 2ab loses the small difference of two large numbers: subtract first",
         killed_by="test_near_points_far_from_the_origin_are_told_apart")
def distances(vectors):
    square = vectors.square().sum(dim=1)
    return (square[:, None] + square[None] - 2 * vectors @ vectors.T).clamp(min=0).sqrt().fill_diagonal_(0)


@mistake("distances", "mean-off-first", "the mean is taken off before a² + b² − 2ab: two near pairs far from each other are still far from it",
         killed_by="test_any_near_pairs_far_away_are_told_apart")
def distances(vectors):
    centred = vectors - vectors.mean(dim=0)
    square = centred.square().sum(dim=1)
    return (square[:, None] + square[None] - 2 * centred @ centred.T).clamp(min=0).sqrt().fill_diagonal_(0)


edit("distances", "cdist-by-products", {', compute_mode="donot_use_mm_for_euclid_dist"': ""},
     "torch.cdist as it is multiplies matrices from 26 rows on, and loses the distance of near rows far from the origin",
     killed_by="test_any_near_pairs_far_away_are_told_apart", of="cdist")
edit("distances", "something-added", {"vectors[:, None, :] - vectors[None, :, :]": "vectors[:, None, :] - vectors[None, :, :] + 1e-6"},
     "something is added to each difference, so a point is not at distance 0 from itself",
     killed_by="test_many_coordinates_and_small_distances_are_exact")


# cosines
@alternative("cosines", "library-cosine")
def cosines(vectors):
    return torch.nn.functional.cosine_similarity(vectors[:, None], vectors[None], dim=2)


@alternative("cosines", "outer-lengths")
def cosines(vectors):
    length = vectors.norm(dim=1, keepdim=True)
    product = length @ length.T
    return torch.where(product > 0, vectors @ vectors.T / product, torch.zeros(()))


@alternative("cosines", "einsum")
def cosines(vectors):
    unit = vectors / vectors.norm(dim=1, keepdim=True).clamp(min=1e-12)
    return torch.einsum("id,jd->ij", unit, unit)


edit("cosines", "dot-products", {"unit = normalize(vectors, dim=1)": "", "unit @ unit.T": "vectors @ vectors.T"},
     "these are dot products: each must be divided by both lengths",
     killed_by="test_length_does_not_matter_and_direction_does")
edit("cosines", "divided-by-one-length", {"unit = normalize(vectors, dim=1)": "",
     "unit @ unit.T": "vectors @ normalize(vectors, dim=1).T"},
     "dot products are divided by one of the two lengths only",
     killed_by="test_length_does_not_matter_and_direction_does")
edit("cosines", "zero-by-zero", {"normalize(vectors, dim=1)": "vectors / vectors.norm(dim=1, keepdim=True)"},
     "0 / 0 is not a number: a row of zeros has cosine 0", killed_by="test_a_row_of_zeros_has_cosine_0_with_every_row")
edit("cosines", "columns-scaled", {"dim=1": "dim=0"},
     "columns are brought to length 1, where rows are the words' vectors",
     killed_by="test_length_does_not_matter_and_direction_does")
edit("cosines", "cosine-distance", {"unit @ unit.T": "1 - unit @ unit.T"},
     "this is the cosine distance, 1 − cosine", killed_by="test_one_hot_vectors_have_cosine_0")
edit("cosines", "sign-lost", {"unit @ unit.T": "(unit @ unit.T).abs()"},
     "the sign is lost: opposite directions have cosine −1", killed_by="test_length_does_not_matter_and_direction_does")
edit("cosines", "centred-first", {"vectors, dim=1": "vectors - vectors.mean(dim=1, keepdim=True), dim=1"},
     "the vectors are centred first: that is Pearson's correlation", killed_by="test_one_hot_vectors_have_cosine_0")
edit("cosines", "something-added", {"normalize(vectors, dim=1)": "vectors / (vectors.norm(dim=1, keepdim=True) + 1e-6)"},
     "something is added to each length, so short rows have too small cosines",
     killed_by="test_random_vectors_agree_with_brute_force")
edit("cosines", "short-rows-stay-short", {"dim=1": "dim=1, eps=1e-3"},
     "rows shorter than a thousandth do not get length 1",
     killed_by="test_random_vectors_agree_with_brute_force")
edit("cosines", "zero-by-its-sum", {"unit @ unit.T": "unit @ unit.T * (vectors.sum(dim=1) != 0) * (vectors.sum(dim=1, keepdim=True) != 0)"},
     "a row whose numbers sum to 0, such as 1, −1, is taken for a row of zeros",
     killed_by="test_random_vectors_agree_with_brute_force")
edit("cosines", "little-added", {"normalize(vectors, dim=1)": "vectors / (vectors.norm(dim=1, keepdim=True) + 1e-8)"},
     "something is added to each length, so very short rows have too small cosines",
     killed_by="test_very_short_rows_and_very_long_ones_have_cosines_too")
edit("cosines", "numpy-array", {"unit @ unit.T": "(unit @ unit.T).numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_length_does_not_matter_and_direction_does")


# vocabulary_growth
@alternative("vocabulary_growth", "prefix-sets")
def vocabulary_growth(tokens, every):
    return [(n, len(set(tokens[:n]))) for n in range(every, len(tokens) + 1, every)]


@alternative("vocabulary_growth", "cumulative-sum")
def vocabulary_growth(tokens, every):
    new, seen = [], set()
    for token in tokens:
        new.append(token not in seen)
        seen.add(token)
    total = np.cumsum(new)
    return [(n, int(total[n - 1])) for n in range(every, len(tokens) + 1, every)]


edit("vocabulary_growth", "counted-afresh",
     {"noted.append((count, len(seen)))": "noted.append((count, len(seen)))\n            seen = set()"},
     "the words are counted afresh in each stretch: count them from the start of the text",
     killed_by="test_different_words_are_counted_from_the_start_of_the_text")
edit("vocabulary_growth", "rest-adds-point", {"if count % every == 0": "if count % every == 0 or count == len(tokens)"},
     "the rest at the end adds a point too", killed_by="test_a_rest_adds_no_point")
edit("vocabulary_growth", "starts-at-origin", {"every, len(tokens) + 1": "0, len(tokens) + 1"},
     "the curve begins with (0, 0): the first point comes after `every` tokens",
     killed_by="test_different_words_are_counted_from_the_start_of_the_text", of="prefix-sets")
edit("vocabulary_growth", "counted-from-zero", {", start=1": ""},
     "tokens are counted from 0, so the points come one token late, and one comes before any stretch is full",
     killed_by="test_different_words_are_counted_from_the_start_of_the_text")
edit("vocabulary_growth", "before-last-token",
     {("seen.add(token)\n"
      "        if count % every == 0:\n"
      "            noted.append((count, len(seen)))"):
     ("if count % every == 0:\n"
      "            noted.append((count, len(seen)))\n"
      "        seen.add(token)")},
     "the point is taken before its last token is read",
     killed_by="test_different_words_are_counted_from_the_start_of_the_text")
edit("vocabulary_growth", "all-tokens-counted", {"len(set(tokens[:n]))": "n"},
     "all tokens are counted, where each different word counts once",
     killed_by="test_different_words_are_counted_from_the_start_of_the_text", of="prefix-sets")
edit("vocabulary_growth", "last-point-missing", {"len(tokens) + 1": "len(tokens)"},
     "the last point is missing where the text ends with a full stretch: the end of a range is exclusive",
     killed_by="test_different_words_are_counted_from_the_start_of_the_text", of="prefix-sets")
edit("vocabulary_growth", "lists", {"(count, len(seen))": "[count, len(seen)]"},
     "the points are lists: tuples are asked for",
     killed_by="test_different_words_are_counted_from_the_start_of_the_text")
edit("vocabulary_growth", "stops-cut-off", {"seen.add(token)": "seen.add(token.rstrip('.'))"},
     "the full stop at a word's end is cut off: another string is another word",
     killed_by="test_words_that_differ_in_one_sign_are_different_words")
edit("vocabulary_growth", "one-spelling",
     {"seen, noted = set(), []": "import unicodedata\n    seen, noted = set(), []",
      "seen.add(token)": "seen.add(unicodedata.normalize('NFC', token))"},
     "two spellings of a letter count as one: another string is another word",
     killed_by="test_words_that_differ_in_one_sign_are_different_words")
edit("vocabulary_growth", "empty-word-left-out", {"seen.add(token)": "seen.update([token] if token else [])"},
     "the empty word is not counted: it is a word like any other",
     killed_by="test_words_that_differ_in_one_sign_are_different_words")
edit("vocabulary_growth", "hundred-points", {"return noted": "return noted[:100]"},
     "no more than a hundred points come back",
     killed_by="test_a_long_text_agrees_with_brute_force")


# neighbour_counts
@alternative("neighbour_counts", "two-loops")
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        for i, word in enumerate(sentence):
            for j, other in enumerate(sentence):
                if 0 < abs(i - j) <= window:
                    counts[words.index(word), words.index(other)] += 1
    return counts


@alternative("neighbour_counts", "counter")
def neighbour_counts(sentences, words, window):
    index = {word: i for i, word in enumerate(words)}
    pairs = Counter()
    for sentence in sentences:
        for i, word in enumerate(sentence):
            around = sentence[max(0, i - window) : i] + sentence[i + 1 : i + 1 + window]
            pairs.update((index[word], index[other]) for other in around)
    return torch.tensor([[pairs[i, j] for j in range(len(words))] for i in range(len(words))])


@alternative("neighbour_counts", "sparse-matrix")
def neighbour_counts(sentences, words, window):
    index = {word: i for i, word in enumerate(words)}
    rows, columns = [], []
    for sentence in sentences:
        ids = [index[token] for token in sentence]
        for distance in range(1, window + 1):
            rows += ids[:-distance] + ids[distance:]
            columns += ids[distance:] + ids[:-distance]
    table = coo_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), (len(words), len(words)))
    return torch.from_numpy(table.toarray())


edit("neighbour_counts", "one-direction", {"counts[other, word] += 1": ""},
     "each pair is counted in one direction only, so the table is not symmetric: the window reaches to both sides",
     killed_by="test_the_morning_coffee_matrix_is_that_of_the_page")
edit("neighbour_counts", "own-neighbour",
     {"for place, word in enumerate(ids):": "for place, word in enumerate(ids):\n            counts[word, word] += 1"},
     "a word is counted as its own neighbour at the place where it stands",
     killed_by="test_the_morning_coffee_matrix_is_that_of_the_page")
edit("neighbour_counts", "sentences-joined",
     {"for sentence in sentences:\n        ids = [index[token] for token in sentence]":
     "for ids in [[index[token] for sentence in sentences for token in sentence]]:"},
     "the sentences are joined, so windows reach from one into the next",
     killed_by="test_the_window_is_cut_off_at_the_edges_of_each_sentence")
edit("neighbour_counts", "negative-places-wrap",
     {("for other in ids[place + 1 : place + 1 + window]:\n"
      "                counts[word, other] += 1\n"
      "                counts[other, word] += 1"):
     ("for j in range(place - window, place + window + 1):\n"
      "                if j != place and j < len(ids):\n"
      "                    counts[word, ids[j]] += 1")},
     "negative places wrap around to the sentence's end: the window must be cut off at the edges",
     killed_by="test_the_morning_coffee_matrix_is_that_of_the_page")
edit("neighbour_counts", "met-or-not", {"counts[word, other] += 1": "counts[word, other] = 1",
     "counts[other, word] += 1": "counts[other, word] = 1"},
     "it is noted whether two words ever meet, not how often", killed_by="test_words_that_meet_again_are_counted_again")
edit("neighbour_counts", "beside-itself-left-out", {"counts[word, other] += 1": "counts[word, other] += word != other",
     "counts[other, word] += 1": "counts[other, word] += word != other"},
     "a word beside itself is left out: positions differ, so it is a neighbour",
     killed_by="test_a_word_beside_itself_is_counted_from_both_places")
edit("neighbour_counts", "beside-itself-once", {"counts[other, word] += 1": "counts[other, word] += word != other"},
     "a word beside itself is counted once: it is counted from both of its places",
     killed_by="test_a_word_beside_itself_is_counted_from_both_places")
edit("neighbour_counts", "window-as-span", {"place + 1 + window": "place + 1 + window // 2"},
     "the window is taken as the whole span: half of it on each side, where it means the words on one side",
     killed_by="test_the_window_is_cut_off_at_the_edges_of_each_sentence")
edit("neighbour_counts", "right-edge-left-out", {"place + 1 + window": "place + window"},
     "the right edge of the window is left out: the end of a slice is exclusive",
     killed_by="test_the_morning_coffee_matrix_is_that_of_the_page")
edit("neighbour_counts", "whole-sentence", {"place + 1 : place + 1 + window": "place + 1 :"},
     "the whole sentence is the context: the window is not used",
     killed_by="test_the_morning_coffee_matrix_is_that_of_the_page")
edit("neighbour_counts", "harmonic-weights", {"dtype=np.int64": "dtype=np.float32",
     "for other in ids[place + 1 : place + 1 + window]":
     "for distance, other in enumerate(ids[place + 1 : place + 1 + window], start=1)",
     "counts[word, other] += 1": "counts[word, other] += 1 / distance",
     "counts[other, word] += 1": "counts[other, word] += 1 / distance"},
     "a neighbour d words away counts 1/d, as in GloVe: here each counts 1",
     killed_by="test_the_window_is_cut_off_at_the_edges_of_each_sentence")
edit("neighbour_counts", "float-counts", {"dtype=np.int64": "dtype=np.float32"},
     "the counts are floats: whole numbers were asked for", killed_by="test_the_counts_are_whole_numbers")
edit("neighbour_counts", "list-indexing",
     {("for place, word in enumerate(ids):\n"
      "            for other in ids[place + 1 : place + 1 + window]:\n"
      "                counts[word, other] += 1\n"
      "                counts[other, word] += 1"):
     ("for distance in range(1, window + 1):\n"
      "            counts[ids[:-distance], ids[distance:]] += 1\n"
      "            counts[ids[distance:], ids[:-distance]] += 1")},
     "indexing with lists adds 1 once however often a pair stands in them: use index_put_ with accumulate=True, or np.add.at",
     killed_by="test_words_that_meet_again_are_counted_again")
edit("neighbour_counts", "counted-in-bytes", {"dtype=np.int64": "dtype=np.uint8", "from_numpy(counts)": "from_numpy(counts).long()"},
     "counted in a byte, which knows no number beyond 255",
     killed_by="test_many_sentences_of_many_words_are_counted_case_and_all")
edit("neighbour_counts", "counted-in-16-bits", {"dtype=np.int64": "dtype=np.int16", "from_numpy(counts)": "from_numpy(counts).long()"},
     "counted in 16 bits, which know no number beyond 32,767",
     killed_by="test_many_meetings_are_counted_whole")
edit("neighbour_counts", "empty-word-left-out", {"for token in sentence]": "for token in sentence if token]"},
     "the empty word is left out: it is a word like any other",
     killed_by="test_many_sentences_of_many_words_are_counted_case_and_all")


# association
@alternative("association", "logarithms-of-shares")
def association(n_xy, n_x, n_y, n):
    together, first, second = n_xy / n, n_x / n, n_y / n
    return together.log2() - first.log2() - second.log2()


@alternative("association", "list-of-floats")
def association(n_xy, n_x, n_y, n):
    values = []
    for xy, x, y in zip(n_xy.tolist(), n_x.tolist(), n_y.tolist()):
        values.append(math.log2(xy * n / (x * y)) if xy else -math.inf)
    return torch.tensor(values)


edit("association", "natural-logarithm",
     {"torch.log2(n_xy.double() * n / (n_x.double() * n_y.double()))": "torch.log(n_xy * n / (n_x * n_y))"},
     "the logarithm is natural: bits are to base 2", killed_by="test_twice_as_often_as_chance_is_one_bit")
edit("association", "factor-n-missing",
     {"torch.log2(n_xy.double() * n / (n_x.double() * n_y.double())).float()": "torch.log2(n_xy / (n_x * n_y))"},
     "counts are used where the formula has probabilities: a factor n is missing",
     killed_by="test_twice_as_often_as_chance_is_one_bit")
edit("association", "weighed-by-probability",
     {"return torch.log2(n_xy.double() * n / (n_x.double() * n_y.double())).float()":
     "ratio = torch.log2(n_xy.double() * n / (n_x.double() * n_y.double()))\n    return (n_xy / n * ratio).float()"},
     "each term is weighed by P(x, y): that is the mutual information's summand, not the association of one pair",
     killed_by="test_twice_as_often_as_chance_is_one_bit")
edit("association", "something-added", {"n_xy.double()": "(n_xy.double() + 1e-8)"},
     "words that never met get a finite number, because something was added to the count",
     killed_by="test_words_that_never_met_have_minus_infinity")
edit("association", "upside-down",
     {"n_xy.double() * n / (n_x.double() * n_y.double())": "n_x.double() * n_y.double() / (n_xy.double() * n)"},
     "the ratio is upside down", killed_by="test_twice_as_often_as_chance_is_one_bit")
edit("association", "negatives-cut-off", {"torch.log2(n_xy.double() * n / (n_x.double() * n_y.double()))":
     "torch.log2(n_xy.double() * n / (n_x.double() * n_y.double())).clamp(min=0)"},
     "negative values are cut off: that comes with PPMI", killed_by="test_twice_as_often_as_chance_is_one_bit")
edit("association", "logarithm-missing",
     {"torch.log2(n_xy.double() * n / (n_x.double() * n_y.double())).float()": "n_xy * n / (n_x * n_y)"},
     "the logarithm is missing: this is the ratio itself", killed_by="test_twice_as_often_as_chance_is_one_bit")
edit("association", "second-word-missing",
     {"n_xy.double() * n / (n_x.double() * n_y.double())": "n_xy.double() / n_x.double()"},
     "P(y | x) is compared with nothing: the second word's probability is missing",
     killed_by="test_twice_as_often_as_chance_is_one_bit")
edit("association", "product-in-int32", {"n_x.double() * n_y.double()": "n_x.int() * n_y.int()"},
     "the product of the counts is computed in 32 bits, where it overflows",
     killed_by="test_random_counts_agree_with_the_definition")
edit("association", "product-in-their-own-type", {"n_xy.double() * n / (n_x.double() * n_y.double())": "n_xy.double() * n / (n_x * n_y)"},
     "products are taken in the tensors' own type: 32 bits do not hold that of two frequent words",
     killed_by="test_counts_of_any_type_are_multiplied_whole")
edit("association", "something-added-to-shares",
     {"n_xy.double() * n / (n_x.double() * n_y.double())": "(n_xy.double() / n) / (n_x.double() / n * n_y.double() / n + 1e-12)"},
     "something is added below the line, which halves the ratio of two words seen once in a million",
     killed_by="test_any_counts_agree_with_exact_fractions")
edit("association", "numpy-array", {".float()": ".float().numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_twice_as_often_as_chance_is_one_bit")


# ppmi
@alternative("ppmi", "numpy")
def ppmi(counts):
    table = counts.double().numpy()
    rows, columns, total = table.sum(1, keepdims=True), table.sum(0, keepdims=True), table.sum()
    with np.errstate(all="ignore"):
        pmi = np.log(table * total / (rows * columns))
    return torch.from_numpy(np.maximum(np.nan_to_num(pmi, nan=0.0, neginf=0.0), 0)).float()


@alternative("ppmi", "nonzero-entries")
def ppmi(counts):
    result = torch.zeros(counts.shape)
    total, rows, columns = float(counts.sum()), counts.sum(dim=1), counts.sum(dim=0)
    for i, j in counts.nonzero().tolist():
        result[i, j] = max(0.0, math.log(float(counts[i, j]) * total / (float(rows[i]) * float(columns[j]))))
    return result


@alternative("ppmi", "sums-of-logarithms")
def ppmi(counts):
    counts = counts.double()
    rows, columns = counts.sum(dim=1, keepdim=True), counts.sum(dim=0, keepdim=True)
    pmi = counts.log() + counts.sum().log() - rows.log() - columns.log()
    return pmi.nan_to_num(nan=0.0, neginf=0.0).relu().float()


edit("ppmi", "base-two", {"ratio.log()": "ratio.log2()"},
     "the logarithm is to base 2: from here on it is natural", killed_by="test_four_cells_by_hand")
edit("ppmi", "negatives-kept", {".clamp(min=0)": ""},
     "negative values are kept: this is PMI with 0 for what never met", killed_by="test_four_cells_by_hand")
edit("ppmi", "zero-by-zero", {"ratio = torch.where(joint > 0, joint / expected, 1.0)": "",
     "ratio.log": "(joint / expected).log"},
     "0 / 0 is not a number: a word without company has zeros", killed_by="test_a_word_without_company_gets_zeros")
edit("ppmi", "log-of-count", {"torch.where(joint > 0, joint / expected, 1.0)": "1 + counts.double()"},
     "this is the logarithm of 1 + count: the counts are not compared with chance", killed_by="test_four_cells_by_hand")
edit("ppmi", "one-added", {"joint / expected, 1.0)": "1 + joint / expected, 1.0)"},
     "1 is added inside the logarithm, which shrinks every value", killed_by="test_four_cells_by_hand")
edit("ppmi", "row-used-twice", {"dim=0": "dim=1"},
     "the row's probability is used twice: the column has one of its own",
     killed_by="test_each_cell_is_compared_with_chance_and_never_negative")
edit("ppmi", "total-missing", {"counts.double() / counts.sum()": "counts.double()"},
     "counts are divided by row and column sums, where the formula has probabilities: the total is missing",
     killed_by="test_four_cells_by_hand")
edit("ppmi", "row-only", {" * joint.sum(dim=0, keepdim=True)": ""},
     "only the word's own probability is divided by: this is log P(j | i) against nothing",
     killed_by="test_four_cells_by_hand")
edit("ppmi", "square-assumed", {"joint.sum(dim=0, keepdim=True)": "joint.sum(dim=1)"},
     "the table is taken to be square and symmetric: row sums stand for column sums",
     killed_by="test_rows_are_words_and_columns_are_contexts")
edit("ppmi", "whole-numbers", {"counts.double() / counts.sum()": "counts.long().double() / counts.long().sum()"},
     "counts are cut to whole numbers: floats are counts too",
     killed_by="test_any_table_of_numbers_has_its_surprise")
edit("ppmi", "below-one-is-never", {"joint > 0": "counts >= 1"},
     "counts below 1 are taken for 0",
     killed_by="test_any_table_of_numbers_has_its_surprise")
edit("ppmi", "cut-off-above", {"clamp(min=0)": "clamp(min=0, max=5)"},
     "large values are cut off: only negative ones are",
     killed_by="test_any_table_of_numbers_has_its_surprise")
edit("ppmi", "nothing-by-nothing", {"return ratio": "ratio = ratio * (joint.sum() / joint.sum())\n    return ratio"},
     "a table of zeros gives NaN",
     killed_by="test_any_table_of_numbers_has_its_surprise")
edit("ppmi", "square-is-symmetric", {"    ratio =": "    if counts.shape[0] == counts.shape[1]:\n        expected = joint.sum(dim=1, keepdim=True) * joint.sum(dim=1)\n    ratio ="},
     "a square table is taken to be symmetric: row sums stand for column sums",
     killed_by="test_any_table_of_numbers_has_its_surprise")
edit("ppmi", "sums-at-least-one", {"    joint =": "    row = counts.sum(dim=1, keepdim=True).clamp(min=1)\n    joint =", "joint.sum(dim=1, keepdim=True) *": "row / counts.sum() *"},
     "row sums below 1 are taken for 1",
     killed_by="test_any_table_of_numbers_has_its_surprise")
edit("ppmi", "product-in-32-bits", {"joint / expected, 1.0": "counts * counts.sum() / (counts.sum(dim=1, keepdim=True) * counts.sum(dim=0, keepdim=True)), 1.0"},
     "an int32 table times its sum stays int32, where it overflows: turn to floats first",
     killed_by="test_large_counts_of_32_bits_are_multiplied_whole")
edit("ppmi", "at-least-a-little", {"joint / expected, 1.0": "joint / expected.clamp(min=1e-12), 1.0"},
     "what chance expects is taken for 10⁻¹² where it is less",
     killed_by="test_words_seen_once_in_a_thousand_million_keep_their_surprise")
edit("ppmi", "something-added", {"joint / expected, 1.0": "(joint + 1e-12) / (expected + 1e-12), 1.0"},
     "something is added above and below the line, which halves the ratio of two words seen once in a million",
     killed_by="test_words_seen_once_in_a_thousand_million_keep_their_surprise")
edit("ppmi", "numpy-array", {".float()": ".float().numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_four_cells_by_hand")


# shifted_ppmi
@alternative("shifted_ppmi", "numpy")
def shifted_ppmi(counts, negatives=5, power=0.75):
    table = counts.double().numpy()
    columns = table.sum(0) ** power
    with np.errstate(all="ignore"):
        pmi = np.log(table / table.sum(1, keepdims=True)) - np.log(columns / columns.sum()) - np.log(negatives)
    return torch.from_numpy(np.where(table > 0, np.maximum(pmi, 0), 0)).float()


@alternative("shifted_ppmi", "nonzero-entries")
def shifted_ppmi(counts, negatives=5, power=0.75):
    result = torch.zeros(counts.shape)
    rows, columns = counts.sum(dim=1).tolist(), [x**power for x in counts.sum(dim=0).tolist()]
    for i, j in counts.nonzero().tolist():
        ratio = float(counts[i, j]) * sum(columns) / (rows[i] * columns[j])
        result[i, j] = max(0.0, math.log(ratio / negatives))
    return result


edit("shifted_ppmi", "shift-after-cut",
     {"ratio.log() - math.log(negatives), 0.0).clamp(min=0)": "ratio.log(), 0.0).clamp(min=0).sub(math.log(negatives))"},
     "the shift comes after the cut, so values below zero come back: subtract first, then cut off",
     killed_by="test_the_shift_comes_before_the_cut")
edit("shifted_ppmi", "k-subtracted", {"math.log(negatives)": "negatives"},
     "k itself is subtracted: the shift is its logarithm", killed_by="test_the_shift_comes_before_the_cut")
edit("shifted_ppmi", "logarithm-added", {"- math.log": "+ math.log"},
     "ln k is added: word2vec's optimum is PMI minus ln k", killed_by="test_the_shift_comes_before_the_cut")
edit("shifted_ppmi", "not-smoothed", {"sum(dim=0) ** power": "sum(dim=0)"},
     "the contexts are not smoothed: the power is not used", killed_by="test_the_columns_are_smoothed_and_not_the_rows")
edit("shifted_ppmi", "words-smoothed-too",
     {"given_word = counts / counts.sum(dim=1, keepdim=True)":
     ("words = counts.sum(dim=1, keepdim=True) ** power\n"
      "    given_word = counts / counts.sum() / (words / words.sum())")},
     "the words' probabilities are smoothed too: only the contexts' are",
     killed_by="test_the_columns_are_smoothed_and_not_the_rows")
edit("shifted_ppmi", "not-normalised", {"smoothed = counts.sum(dim=0)": "smoothed = (counts / counts.sum()).sum(dim=0)",
     "(smoothed / smoothed.sum())": "smoothed"},
     "the smoothed contexts are not divided by their sum, so they are no probabilities",
     killed_by="test_the_columns_are_smoothed_and_not_the_rows")
edit("shifted_ppmi", "power-before-sum", {"counts.sum(dim=0) ** power": "(counts**power).sum(dim=0)"},
     "each count is raised to the power before the columns are summed: sum first",
     killed_by="test_the_columns_are_smoothed_and_not_the_rows")
edit("shifted_ppmi", "rows-smoothed", {"counts.sum(dim=0) ** power": "counts.sum(dim=0)"},
     "the rows are smoothed in place of the columns", killed_by="test_the_columns_are_smoothed_and_not_the_rows",
     of="words-smoothed-too")
edit("shifted_ppmi", "zero-is-unsaid", {"** power": "** (power or 0.75)"},
     "a power of 0 is taken for none given: it makes all contexts equally frequent",
     killed_by="test_a_random_table_agrees_with_the_definition_for_several_shifts")
edit("shifted_ppmi", "whole-numbers", {"counts = counts.double()": "counts = counts.long().double()"},
     "counts are cut to whole numbers: floats are counts too",
     killed_by="test_a_random_table_agrees_with_the_definition_for_several_shifts")
edit("shifted_ppmi", "below-one-is-never", {"counts > 0": "counts >= 1"},
     "counts below 1 are taken for 0",
     killed_by="test_a_random_table_agrees_with_the_definition_for_several_shifts")
edit("shifted_ppmi", "something-added", {"(smoothed / smoothed.sum())": "(smoothed / smoothed.sum() + 1e-10)"},
     "something is added to the contexts' shares, so rare ones look more frequent",
     killed_by="test_a_context_seen_once_in_a_thousand_million_keeps_its_share")
edit("shifted_ppmi", "product-in-32-bits", {"    counts = counts.double()\n": "",
     "counts / counts.sum(dim=1, keepdim=True)": "counts * counts.sum() / counts.sum(dim=1, keepdim=True) / counts.sum()"},
     "an int32 table times its sum stays int32, where it overflows: turn to floats first",
     killed_by="test_a_context_seen_once_in_a_thousand_million_keeps_its_share")
edit("shifted_ppmi", "numpy-array", {".float()": ".float().numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_with_one_negative_and_power_1_it_is_ppmi")


# lsa
@alternative("lsa", "numpy-svd")
def lsa(matrix, dim, power=1.0):
    left, strength, _ = np.linalg.svd(matrix.numpy(), full_matrices=False)
    return torch.from_numpy(left[:, :dim] * strength[:dim] ** power)


@alternative("lsa", "torch-svd")
def lsa(matrix, dim, power=1.0):
    left, strength, _ = torch.svd(matrix)
    return left[:, :dim] @ torch.diag(strength[:dim].pow(power))


@alternative("lsa", "eigenvectors")
def lsa(matrix, dim, power=1.0):
    values, axes = torch.linalg.eigh(matrix.double() @ matrix.double().T)
    strength = values.flip(0)[:dim].clamp(min=0).sqrt()
    return -axes.flip(1)[:, :dim] * strength**power


edit("lsa", "strength-left-out", {" * strength[:dim] ** power": ""},
     "the singular values are left out: directions are weighed by S to the power",
     killed_by="test_the_titles_have_the_singular_values_that_the_paper_prints")
edit("lsa", "columns-of-v", {"left, strength, _": "_, strength, right", "left[:, :dim]": "right.T[:, :dim]"},
     "the columns of V are taken: they belong to the contexts, the rows' directions are in U",
     killed_by="test_dot_products_are_those_of_the_nearest_matrix_of_rank_d")
edit("lsa", "rows-of-vt", {"left, strength, _": "_, strength, right", "left[:, :dim]": "right[:, :dim]"},
     "rows of Vᵀ are taken for columns: they must be transposed, and U holds the words",
     killed_by="test_two_directions_bring_human_and_user_together")
edit("lsa", "weakest-kept", {"left[:, :dim] * strength[:dim] ** power": "left[:, -dim:] * strength[-dim:] ** power"},
     "the weakest directions are kept: singular values come with the largest first",
     killed_by="test_two_directions_bring_human_and_user_together")
edit("lsa", "power-unused", {"strength[:dim] ** power": "strength[:dim]"},
     "the power is not used: U S whatever it is", killed_by="test_the_power_is_that_of_the_singular_values")
edit("lsa", "power-on-directions", {"return left[:, :dim] * strength[:dim] ** power":
     "scaled = left[:, :dim] * strength[:dim]\n    return scaled.sign() * scaled.abs() ** power"},
     "the power also touches U: only the singular values are raised to it",
     killed_by="test_the_power_is_that_of_the_singular_values")
edit("lsa", "centred-first", {"matrix, full_matrices=False": "matrix - matrix.mean(dim=0), full_matrices=False"},
     "the columns are centred first: that is principal component analysis, LSA takes the table as it is",
     killed_by="test_the_titles_have_the_singular_values_that_the_paper_prints")
edit("lsa", "rank-d-matrix", {"strength, _": "strength, right",
     "strength[:dim] ** power": "strength[:dim] ** power @ right[:dim]"},
     "the whole matrix of rank d comes back: the word vectors have d numbers",
     killed_by="test_the_power_is_that_of_the_singular_values")
edit("lsa", "root-missing", {"return left": "strength = strength**2\n    return left"},
     "the eigenvalues of M Mᵀ are the squares of the singular values: take their root",
     killed_by="test_the_titles_have_the_singular_values_that_the_paper_prints")
edit("lsa", "rows-cut", {":, :dim": ":dim, :dim"},
     "the rows are cut as well: every word keeps its row", killed_by="test_the_power_is_that_of_the_singular_values")
edit("lsa", "divided-by-zero", {"strength, _": "strength, right", "left[:, :dim] * strength[:dim] ** power": "matrix @ right[:dim].T * strength[:dim] ** (power - 1)"},
     "the table's projection is divided by the singular values, also by those that are 0",
     killed_by="test_directions_beyond_the_rank_are_zeros")
edit("lsa", "zero-directions-left-out", {"return left": "dim = min(dim, int((strength > 1e-6).sum()))\n    return left"},
     "directions with a singular value of 0 are left out: d columns are asked for",
     killed_by="test_directions_beyond_the_rank_are_zeros")
@mistake("lsa", "roots-of-negative-numbers", "by the eigenvalues of M Mᵀ, of which rounding makes some negative: their root is NaN",
         killed_by="test_directions_beyond_the_rank_are_zeros")
def lsa(matrix, dim, power=1.0):
    values, axes = torch.linalg.eigh(matrix.float() @ matrix.float().T)
    return axes.flip(1)[:, :dim] * values.flip(0)[:dim].sqrt() ** power


@mistake("lsa", "roots-of-noise", "roots of the eigenvalues of M Mᵀ in float32 leave noise in columns beyond the rank: squaring loses half of the digits",
         killed_by="test_single_precision_leaves_no_noise_beyond_the_rank")
def lsa(matrix, dim, power=1.0):
    values, axes = torch.linalg.eigh(matrix @ matrix.T)
    return axes.flip(1)[:, :dim] * values.flip(0)[:dim].clamp(min=0).sqrt() ** power


edit("lsa", "small-is-zero", {"return left": "strength = torch.where(strength > 1e-3, strength, 0)\n    return left"},
     "singular values below a thousandth are taken for 0, though the whole table may be small",
     killed_by="test_small_tables_and_large_ones_have_their_directions")


equivalent(
    "one_hot",
    "1: enumerate(words) → [(words.index(item), item) for item in words]",
    "the words are different strings, so each is found at its own place",
)
equivalent(
    "neighbour_counts",
    "1: enumerate(words) → [(words.index(item), item) for item in words]",
    "the words are different strings, so each is found at its own place",
)
equivalent(
    "distances",
    "1: vectors[:, None, :] - vectors[None, :, :] → vectors[None, :, :] - vectors[:, None, :]",
    "the difference is squared, so its sign does not matter",
)
equivalent(
    "cosines", "1: normalize(vectors, dim=1) → normalize(vectors)", "dim=1 is what normalize does unless told otherwise"
)
equivalent("ppmi", "2: joint.sum(dim=0, keepdim=True) → joint.sum(dim=0)", "(C,) is broadcast over rows as (1, C) is")
equivalent("ppmi", "2: keepdim=True → keepdim=False (2)", "(C,) is broadcast over rows as (1, C) is")
equivalent(
    "ppmi",
    "3: torch.where(joint > 0, joint / expected, 1.0) → torch.where(joint > 0, joint / expected, 0.5)",
    "ln ½ is negative, so it is cut off at 0 like ln 1",
)
equivalent(
    "shifted_ppmi",
    "1: removed counts = counts.double()",
    "dividing whole numbers gives floats; float32 is exact enough",
)
equivalent(
    "shifted_ppmi",
    "3: counts.sum(dim=0) → counts.mean(dim=0)",
    "a constant factor cancels where the weights are normalised",
)
equivalent(
    "lsa",
    "1: torch.linalg.svd(matrix, full_matrices=False) → torch.linalg.svd(matrix)",
    "the columns beyond the singular values are cut off",
)
equivalent("lsa", "1: full_matrices=False → full_matrices=True", "the columns beyond the singular values are cut off")
