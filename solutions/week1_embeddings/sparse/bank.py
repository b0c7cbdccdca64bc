"""Sparse vectors: classic mistakes and other right ways, for each exercise. Never released."""

import math
from collections import Counter

import numpy as np
import torch
from scipy.sparse import coo_array
from torch.nn.functional import normalize

from grader.lessons.bank import alternative, equivalent, mistake


@mistake(
    "one_hot",
    "the columns are numbered by the text, so the vector's length is that of the text: there is one column for each known word",
    "test_one_more_word_makes_every_vector_longer",
)
def one_hot(tokens, words):
    index = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    vectors = torch.zeros(len(tokens), len(index))
    for row, token in enumerate(tokens):
        vectors[row, index[token]] = 1.0
    return vectors


@mistake(
    "one_hot",
    "the words of the text are summed up in one vector (a bag of words): each token has a row of its own",
    "test_each_word_has_an_axis_of_its_own",
)
def one_hot(tokens, words):
    return torch.tensor([float(tokens.count(word)) for word in words])


@mistake(
    "one_hot",
    "the word's number is written into the vector: only a 1 marks its place",
    "test_each_word_has_an_axis_of_its_own",
)
def one_hot(tokens, words):
    vectors = torch.zeros(len(tokens), len(words))
    for row, token in enumerate(tokens):
        if token in words:
            vectors[row, words.index(token)] = words.index(token) + 1.0
    return vectors


@mistake(
    "one_hot",
    "an unknown word is given the last axis (index −1): it has none",
    "test_an_unknown_word_has_no_axis",
)
def one_hot(tokens, words):
    index = {word: i for i, word in enumerate(words)}
    vectors = torch.zeros(len(tokens), len(words))
    for row, token in enumerate(tokens):
        vectors[row, index.get(token, -1)] = 1.0
    return vectors


@mistake(
    "one_hot",
    "an unknown word is left out, so the rows after it move up: it has a row of zeros",
    "test_an_unknown_word_has_no_axis",
)
def one_hot(tokens, words):
    known = [words.index(token) for token in tokens if token in words]
    return torch.eye(len(words))[known]


@mistake(
    "one_hot",
    "rows and columns are exchanged: one row for each token, one column for each word",
    "test_one_more_word_makes_every_vector_longer",
)
def one_hot(tokens, words):
    return torch.tensor([[float(token == word) for token in tokens] for word in words]).reshape(len(words), len(tokens))


@mistake("one_hot", "the vectors are of whole numbers: vectors are floats", "test_the_vectors_are_of_floats")
def one_hot(tokens, words):
    vectors = torch.zeros(len(tokens), len(words), dtype=torch.int64)
    for row, token in enumerate(tokens):
        if token in words:
            vectors[row, words.index(token)] = 1
    return vectors


@alternative("one_hot")
def one_hot(tokens, words):
    return torch.tensor([[float(token == word) for word in words] for token in tokens]).reshape(len(tokens), len(words))


@alternative("one_hot")
def one_hot(tokens, words):
    ids = torch.tensor([words.index(t) if t in words else len(words) for t in tokens], dtype=torch.int64)
    return torch.nn.functional.one_hot(ids, len(words) + 1)[:, :-1].float()


@alternative("one_hot")
def one_hot(tokens, words):
    axes = torch.cat([torch.eye(len(words)), torch.zeros(1, len(words))])
    return axes[[words.index(token) if token in words else -1 for token in tokens]]


@alternative("one_hot")
def one_hot(tokens, words):
    vectors = np.zeros((len(tokens), len(words)))
    for row, token in enumerate(tokens):
        if token in words:
            vectors[row, words.index(token)] = 1
    return torch.from_numpy(vectors)  # float64


@mistake(
    "distances",
    "the square root is missing: these are squared distances",
    "test_three_points_are_as_far_apart_as_pythagoras_says",
)
def distances(vectors):
    return (vectors[:, None] - vectors[None]).square().sum(dim=2)


@mistake(
    "distances",
    "the absolute differences are added up: that is the L1 distance, the streets of Manhattan",
    "test_three_points_are_as_far_apart_as_pythagoras_says",
)
def distances(vectors):
    return (vectors[:, None] - vectors[None]).abs().sum(dim=2)


@mistake(
    "distances",
    "squares are averaged over the coordinates: they are summed",
    "test_all_one_hot_vectors_are_the_square_root_of_two_apart",
)
def distances(vectors):
    return (vectors[:, None] - vectors[None]).square().mean(dim=2).sqrt()


@mistake(
    "distances",
    "the largest difference is taken, where all of them count",
    "test_three_points_are_as_far_apart_as_pythagoras_says",
)
def distances(vectors):
    return (vectors[:, None] - vectors[None]).abs().amax(dim=2)


@mistake(
    "distances",
    "the vectors are brought to length 1 first: distances depend on the lengths too",
    "test_three_points_are_as_far_apart_as_pythagoras_says",
)
def distances(vectors):
    unit = normalize(vectors, dim=1)
    return (unit[:, None] - unit[None]).square().sum(dim=2).sqrt()


@mistake(
    "distances",
    "the root is taken of each difference before they are summed: square, sum, then root",
    "test_three_points_are_as_far_apart_as_pythagoras_says",
)
def distances(vectors):
    return (vectors[:, None] - vectors[None]).square().sqrt().sum(dim=2)


@alternative("distances")
def distances(vectors):
    return torch.cdist(vectors, vectors)


@alternative("distances")
def distances(vectors):
    result = torch.zeros(len(vectors), len(vectors))
    for i in range(len(vectors)):
        for j in range(len(vectors)):
            result[i, j] = (vectors[i] - vectors[j]).norm()
    return result


@alternative("distances")
def distances(vectors):
    array = vectors.numpy().astype(np.float64)
    return torch.from_numpy(np.sqrt(((array[:, None] - array[None]) ** 2).sum(axis=2))).float()


@alternative("distances")
def distances(vectors):
    square = vectors.square().sum(dim=1)
    return (square[:, None] + square[None] - 2 * vectors @ vectors.T).clamp(min=0).sqrt().fill_diagonal_(0)


@mistake(
    "cosines",
    "these are dot products: each must be divided by both lengths",
    "test_length_does_not_matter_and_direction_does",
)
def cosines(vectors):
    return vectors @ vectors.T


@mistake(
    "cosines",
    "dot products are divided by one of the two lengths only",
    "test_length_does_not_matter_and_direction_does",
)
def cosines(vectors):
    return vectors @ normalize(vectors, dim=1).T


@mistake(
    "cosines", "0 / 0 is not a number: a row of zeros has cosine 0", "test_a_row_of_zeros_has_cosine_0_with_every_row"
)
def cosines(vectors):
    length = vectors.norm(dim=1)
    return vectors @ vectors.T / (length[:, None] * length[None])


@mistake(
    "cosines",
    "columns are brought to length 1, where rows are the words' vectors",
    "test_length_does_not_matter_and_direction_does",
)
def cosines(vectors):
    unit = normalize(vectors, dim=0)
    return unit @ unit.T


@mistake(
    "cosines",
    "this is the cosine distance, 1 − cosine",
    "test_one_hot_vectors_have_cosine_0",
)
def cosines(vectors):
    unit = normalize(vectors, dim=1)
    return 1 - unit @ unit.T


@mistake(
    "cosines",
    "the sign is lost: opposite directions have cosine −1",
    "test_length_does_not_matter_and_direction_does",
)
def cosines(vectors):
    unit = normalize(vectors, dim=1)
    return (unit @ unit.T).abs()


@mistake(
    "cosines",
    "the vectors are centred first: that is Pearson's correlation",
    "test_one_hot_vectors_have_cosine_0",
)
def cosines(vectors):
    unit = normalize(vectors - vectors.mean(dim=1, keepdim=True), dim=1)
    return unit @ unit.T


@alternative("cosines")
def cosines(vectors):
    return torch.nn.functional.cosine_similarity(vectors[:, None], vectors[None], dim=2)


@alternative("cosines")
def cosines(vectors):
    length = vectors.norm(dim=1, keepdim=True)
    product = length @ length.T
    return torch.where(product > 0, vectors @ vectors.T / product, torch.zeros(()))


@alternative("cosines")
def cosines(vectors):
    unit = vectors / vectors.norm(dim=1, keepdim=True).clamp(min=1e-12)
    return torch.einsum("id,jd->ij", unit, unit)


@mistake(
    "vocabulary_growth",
    "the words are counted afresh in each stretch: count them from the start of the text",
    "test_different_words_are_counted_from_the_start_of_the_text",
)
def vocabulary_growth(tokens, every):
    return [(i + every, len(set(tokens[i : i + every]))) for i in range(0, len(tokens) - every + 1, every)]


@mistake(
    "vocabulary_growth",
    "the rest at the end adds a point too",
    "test_a_rest_adds_no_point",
)
def vocabulary_growth(tokens, every):
    ends = [min(i + every, len(tokens)) for i in range(0, len(tokens), every)]
    return [(end, len(set(tokens[:end]))) for end in ends]


@mistake(
    "vocabulary_growth",
    "the curve begins with (0, 0): the first point comes after `every` tokens",
    "test_different_words_are_counted_from_the_start_of_the_text",
)
def vocabulary_growth(tokens, every):
    return [(n, len(set(tokens[:n]))) for n in range(0, len(tokens) + 1, every)]


@mistake(
    "vocabulary_growth",
    "tokens are counted from 0, so the points come one token late, and one comes before any stretch is full",
    "test_different_words_are_counted_from_the_start_of_the_text",
)
def vocabulary_growth(tokens, every):
    seen, growth = set(), []
    for count, token in enumerate(tokens):
        seen.add(token)
        if count % every == 0:
            growth.append((count, len(seen)))
    return growth


@mistake(
    "vocabulary_growth",
    "the point is taken before its last token is read",
    "test_different_words_are_counted_from_the_start_of_the_text",
)
def vocabulary_growth(tokens, every):
    seen, growth = set(), []
    for count, token in enumerate(tokens, start=1):
        if count % every == 0:
            growth.append((count, len(seen)))
        seen.add(token)
    return growth


@mistake(
    "vocabulary_growth",
    "all tokens are counted, where each different word counts once",
    "test_different_words_are_counted_from_the_start_of_the_text",
)
def vocabulary_growth(tokens, every):
    return [(n, n) for n in range(every, len(tokens) + 1, every)]


@mistake(
    "vocabulary_growth",
    "the last point is missing where the text ends with a full stretch: the end of a range is exclusive",
    "test_different_words_are_counted_from_the_start_of_the_text",
)
def vocabulary_growth(tokens, every):
    return [(n, len(set(tokens[:n]))) for n in range(every, len(tokens), every)]


@alternative("vocabulary_growth")
def vocabulary_growth(tokens, every):
    return [(n, len(set(tokens[:n]))) for n in range(every, len(tokens) + 1, every)]


@alternative("vocabulary_growth")
def vocabulary_growth(tokens, every):
    new, seen = [], set()
    for token in tokens:
        new.append(token not in seen)
        seen.add(token)
    total = np.cumsum(new)
    return [(n, int(total[n - 1])) for n in range(every, len(tokens) + 1, every)]


@mistake(
    "neighbour_counts",
    "each pair is counted in one direction only, so the table is not symmetric: the window reaches to both sides",
    "test_the_morning_coffee_matrix_is_that_of_the_page",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for other in ids[i + 1 : i + 1 + window]:
                counts[word, other] += 1
    return counts


@mistake(
    "neighbour_counts",
    "a word is counted as its own neighbour at the place where it stands",
    "test_the_morning_coffee_matrix_is_that_of_the_page",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for other in ids[max(0, i - window) : i + window + 1]:
                counts[word, other] += 1
    return counts


@mistake(
    "neighbour_counts",
    "the sentences are joined, so windows reach from one into the next",
    "test_the_window_is_cut_off_at_the_edges_of_each_sentence",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    ids = [words.index(token) for sentence in sentences for token in sentence]
    for i, word in enumerate(ids):
        for other in ids[i + 1 : i + 1 + window]:
            counts[word, other] += 1
            counts[other, word] += 1
    return counts


@mistake(
    "neighbour_counts",
    "negative places wrap around to the sentence's end: the window must be cut off at the edges",
    "test_the_morning_coffee_matrix_is_that_of_the_page",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for j in range(i - window, i + window + 1):
                if j != i and j < len(ids):
                    counts[word, ids[j]] += 1
    return counts


@mistake(
    "neighbour_counts",
    "it is noted whether two words ever meet, not how often",
    "test_words_that_meet_again_are_counted_again",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for other in ids[i + 1 : i + 1 + window]:
                counts[word, other] = counts[other, word] = 1
    return counts


@mistake(
    "neighbour_counts",
    "a word beside itself is left out: positions differ, so it is a neighbour",
    "test_a_word_beside_itself_is_counted_from_both_places",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for other in ids[max(0, i - window) : i + window + 1]:
                if other != word:
                    counts[word, other] += 1
    return counts


@mistake(
    "neighbour_counts",
    "a word beside itself is counted once: it is counted from both of its places",
    "test_a_word_beside_itself_is_counted_from_both_places",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for other in ids[i + 1 : i + 1 + window]:
                counts[word, other] += 1
                if word != other:
                    counts[other, word] += 1
    return counts


@mistake(
    "neighbour_counts",
    "the window is taken as the whole span: half of it on each side, where it means the words on one side",
    "test_the_window_is_cut_off_at_the_edges_of_each_sentence",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for other in ids[i + 1 : i + 1 + window // 2]:
                counts[word, other] += 1
                counts[other, word] += 1
    return counts


@mistake(
    "neighbour_counts",
    "the right edge of the window is left out: the end of a slice is exclusive",
    "test_the_morning_coffee_matrix_is_that_of_the_page",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for other in ids[i + 1 : i + window]:
                counts[word, other] += 1
                counts[other, word] += 1
    return counts


@mistake(
    "neighbour_counts",
    "the whole sentence is the context: the window is not used",
    "test_the_morning_coffee_matrix_is_that_of_the_page",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for j, other in enumerate(ids):
                if i != j:
                    counts[word, other] += 1
    return counts


@mistake(
    "neighbour_counts",
    "a neighbour d words away counts 1/d, as in GloVe: here each counts 1",
    "test_the_window_is_cut_off_at_the_edges_of_each_sentence",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words))
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for distance, other in enumerate(ids[i + 1 : i + 1 + window], start=1):
                counts[word, other] += 1 / distance
                counts[other, word] += 1 / distance
    return counts


@mistake("neighbour_counts", "the counts are floats: whole numbers were asked for", "test_the_counts_are_whole_numbers")
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words))
    for sentence in sentences:
        ids = [words.index(token) for token in sentence]
        for i, word in enumerate(ids):
            for other in ids[i + 1 : i + 1 + window]:
                counts[word, other] += 1
                counts[other, word] += 1
    return counts


@mistake(
    "neighbour_counts",
    "indexing with lists adds 1 once however often a pair stands in them: use index_put_ with accumulate=True, or np.add.at",
    "test_words_that_meet_again_are_counted_again",
)
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        ids = torch.tensor([words.index(token) for token in sentence], dtype=torch.int64)
        for distance in range(1, window + 1):
            counts[ids[:-distance], ids[distance:]] += 1
            counts[ids[distance:], ids[:-distance]] += 1
    return counts


@alternative("neighbour_counts")
def neighbour_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.int64)
    for sentence in sentences:
        for i, word in enumerate(sentence):
            for j, other in enumerate(sentence):
                if 0 < abs(i - j) <= window:
                    counts[words.index(word), words.index(other)] += 1
    return counts


@alternative("neighbour_counts")
def neighbour_counts(sentences, words, window):
    index = {word: i for i, word in enumerate(words)}
    pairs = Counter()
    for sentence in sentences:
        for i, word in enumerate(sentence):
            around = sentence[max(0, i - window) : i] + sentence[i + 1 : i + 1 + window]
            pairs.update((index[word], index[other]) for other in around)
    return torch.tensor([[pairs[i, j] for j in range(len(words))] for i in range(len(words))])


@alternative("neighbour_counts")
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


@mistake(
    "association",
    "the logarithm is natural: bits are to base 2",
    "test_twice_as_often_as_chance_is_one_bit",
)
def association(n_xy, n_x, n_y, n):
    return torch.log(n_xy * n / (n_x * n_y)).float()


@mistake(
    "association",
    "counts are used where the formula has probabilities: a factor n is missing",
    "test_twice_as_often_as_chance_is_one_bit",
)
def association(n_xy, n_x, n_y, n):
    return torch.log2(n_xy / (n_x * n_y))


@mistake(
    "association",
    "each term is weighed by P(x, y): that is the mutual information's summand, not the association of one pair",
    "test_twice_as_often_as_chance_is_one_bit",
)
def association(n_xy, n_x, n_y, n):
    ratio = torch.log2(n_xy.double() * n / (n_x.double() * n_y.double()))
    return (n_xy / n * ratio).float()


@mistake(
    "association",
    "words that never met get a finite number, because something was added to the count",
    "test_words_that_never_met_have_minus_infinity",
)
def association(n_xy, n_x, n_y, n):
    return torch.log2((n_xy.double() + 1e-8) * n / (n_x.double() * n_y.double())).float()


@mistake(
    "association",
    "the ratio is upside down",
    "test_twice_as_often_as_chance_is_one_bit",
)
def association(n_xy, n_x, n_y, n):
    return torch.log2(n_x.double() * n_y.double() / (n_xy.double() * n)).float()


@mistake(
    "association",
    "negative values are cut off: that comes with PPMI",
    "test_twice_as_often_as_chance_is_one_bit",
)
def association(n_xy, n_x, n_y, n):
    return torch.log2(n_xy.double() * n / (n_x.double() * n_y.double())).clamp(min=0).float()


@mistake(
    "association",
    "the logarithm is missing: this is the ratio itself",
    "test_twice_as_often_as_chance_is_one_bit",
)
def association(n_xy, n_x, n_y, n):
    return n_xy * n / (n_x * n_y)


@mistake(
    "association",
    "P(y | x) is compared with nothing: the second word's probability is missing",
    "test_twice_as_often_as_chance_is_one_bit",
)
def association(n_xy, n_x, n_y, n):
    return torch.log2(n_xy.double() / n_x.double()).float()


@alternative("association")
def association(n_xy, n_x, n_y, n):
    together, first, second = n_xy / n, n_x / n, n_y / n
    return together.log2() - first.log2() - second.log2()


@alternative("association")
def association(n_xy, n_x, n_y, n):
    values = []
    for xy, x, y in zip(n_xy.tolist(), n_x.tolist(), n_y.tolist()):
        values.append(math.log2(xy * n / (x * y)) if xy else -math.inf)
    return torch.tensor(values)


@mistake(
    "ppmi",
    "the logarithm is to base 2: from here on it is natural",
    "test_four_cells_by_hand",
)
def ppmi(counts):
    joint = counts.double() / counts.sum()
    expected = joint.sum(dim=1, keepdim=True) * joint.sum(dim=0, keepdim=True)
    return torch.where(joint > 0, joint / expected, 1.0).log2().clamp(min=0).float()


@mistake(
    "ppmi",
    "negative values are kept: this is PMI with 0 for what never met",
    "test_four_cells_by_hand",
)
def ppmi(counts):
    joint = counts.double() / counts.sum()
    expected = joint.sum(dim=1, keepdim=True) * joint.sum(dim=0, keepdim=True)
    return torch.where(joint > 0, joint / expected, 1.0).log().float()


@mistake(
    "ppmi",
    "0 / 0 is not a number: a word without company has zeros",
    "test_a_word_without_company_gets_zeros",
)
def ppmi(counts):
    joint = counts.double() / counts.sum()
    expected = joint.sum(dim=1, keepdim=True) * joint.sum(dim=0, keepdim=True)
    return (joint / expected).log().clamp(min=0).float()


@mistake(
    "ppmi",
    "this is the logarithm of 1 + count: the counts are not compared with chance",
    "test_four_cells_by_hand",
)
def ppmi(counts):
    return torch.log1p(counts.double()).float()


@mistake(
    "ppmi",
    "1 is added inside the logarithm, which shrinks every value",
    "test_four_cells_by_hand",
)
def ppmi(counts):
    joint = counts.double() / counts.sum()
    expected = joint.sum(dim=1, keepdim=True) * joint.sum(dim=0, keepdim=True)
    return torch.where(joint > 0, torch.log1p(joint / expected), 0.0).float()


@mistake(
    "ppmi",
    "the row's probability is used twice: the column has one of its own",
    "test_each_cell_is_compared_with_chance_and_never_negative",
)
def ppmi(counts):
    joint = counts.double() / counts.sum()
    expected = joint.sum(dim=1, keepdim=True) * joint.sum(dim=1, keepdim=True)
    return torch.where(joint > 0, joint / expected, 1.0).log().clamp(min=0).float()


@mistake(
    "ppmi",
    "counts are divided by row and column sums, where the formula has probabilities: the total is missing",
    "test_four_cells_by_hand",
)
def ppmi(counts):
    counts = counts.double()
    expected = counts.sum(dim=1, keepdim=True) * counts.sum(dim=0, keepdim=True)
    return torch.where(counts > 0, counts / expected, 1.0).log().clamp(min=0).float()


@mistake(
    "ppmi",
    "only the word's own probability is divided by: this is log P(j | i) against nothing",
    "test_four_cells_by_hand",
)
def ppmi(counts):
    counts = counts.double()
    given = counts / counts.sum(dim=1, keepdim=True)
    return torch.where(counts > 0, given, 1.0).log().clamp(min=0).float()


@mistake(
    "ppmi",
    "the table is taken to be square and symmetric: row sums stand for column sums",
    "test_rows_are_words_and_columns_are_contexts",
)
def ppmi(counts):
    joint = counts.double() / counts.sum()
    share = joint.sum(dim=1)
    return torch.where(joint > 0, joint / (share[:, None] * share[None]), 1.0).log().clamp(min=0).float()


@alternative("ppmi")
def ppmi(counts):
    table = counts.double().numpy()
    rows, columns, total = table.sum(1, keepdims=True), table.sum(0, keepdims=True), table.sum()
    with np.errstate(all="ignore"):
        pmi = np.log(table * total / (rows * columns))
    return torch.from_numpy(np.maximum(np.nan_to_num(pmi, nan=0.0, neginf=0.0), 0)).float()


@alternative("ppmi")
def ppmi(counts):
    result = torch.zeros(counts.shape)
    total, rows, columns = float(counts.sum()), counts.sum(dim=1), counts.sum(dim=0)
    for i, j in counts.nonzero().tolist():
        result[i, j] = max(0.0, math.log(float(counts[i, j]) * total / (float(rows[i]) * float(columns[j]))))
    return result


@alternative("ppmi")
def ppmi(counts):
    counts = counts.double()
    rows, columns = counts.sum(dim=1, keepdim=True), counts.sum(dim=0, keepdim=True)
    pmi = counts.log() + counts.sum().log() - rows.log() - columns.log()
    return pmi.nan_to_num(nan=0.0, neginf=0.0).relu().float()


@mistake(
    "shifted_ppmi",
    "the shift comes after the cut, so values below zero come back: subtract first, then cut off",
    "test_the_shift_comes_before_the_cut",
)
def shifted_ppmi(counts, negatives=5, power=0.75):
    counts = counts.double()
    smoothed = counts.sum(dim=0) ** power
    ratio = counts / counts.sum(dim=1, keepdim=True) / (smoothed / smoothed.sum())
    return (torch.where(counts > 0, ratio, 1.0).log().clamp(min=0) - math.log(negatives)).float()


@mistake(
    "shifted_ppmi",
    "k itself is subtracted: the shift is its logarithm",
    "test_the_shift_comes_before_the_cut",
)
def shifted_ppmi(counts, negatives=5, power=0.75):
    counts = counts.double()
    smoothed = counts.sum(dim=0) ** power
    ratio = counts / counts.sum(dim=1, keepdim=True) / (smoothed / smoothed.sum())
    return (torch.where(counts > 0, ratio, 1e-9).log() - negatives).clamp(min=0).float()


@mistake(
    "shifted_ppmi",
    "ln k is added: word2vec's optimum is PMI minus ln k",
    "test_the_shift_comes_before_the_cut",
)
def shifted_ppmi(counts, negatives=5, power=0.75):
    counts = counts.double()
    smoothed = counts.sum(dim=0) ** power
    ratio = counts / counts.sum(dim=1, keepdim=True) / (smoothed / smoothed.sum())
    return torch.where(counts > 0, ratio.log() + math.log(negatives), 0.0).clamp(min=0).float()


@mistake(
    "shifted_ppmi",
    "the contexts are not smoothed: the power is not used",
    "test_the_columns_are_smoothed_and_not_the_rows",
)
def shifted_ppmi(counts, negatives=5, power=0.75):
    counts = counts.double()
    ratio = counts * counts.sum() / counts.sum(dim=1, keepdim=True) / counts.sum(dim=0)
    return torch.where(counts > 0, ratio.log() - math.log(negatives), 0.0).clamp(min=0).float()


@mistake(
    "shifted_ppmi",
    "the words' probabilities are smoothed too: only the contexts' are",
    "test_the_columns_are_smoothed_and_not_the_rows",
)
def shifted_ppmi(counts, negatives=5, power=0.75):
    joint = counts.double() / counts.sum()
    rows, columns = joint.sum(dim=1) ** power, joint.sum(dim=0) ** power
    chance = (rows / rows.sum())[:, None] * (columns / columns.sum())[None]
    return torch.where(joint > 0, (joint / chance).log() - math.log(negatives), 0.0).clamp(min=0).float()


@mistake(
    "shifted_ppmi",
    "the smoothed contexts are not divided by their sum, so they are no probabilities",
    "test_the_columns_are_smoothed_and_not_the_rows",
)
def shifted_ppmi(counts, negatives=5, power=0.75):
    joint = counts.double() / counts.sum()
    chance = joint.sum(dim=1, keepdim=True) * joint.sum(dim=0, keepdim=True) ** power
    return torch.where(joint > 0, (joint / chance).log() - math.log(negatives), 0.0).clamp(min=0).float()


@mistake(
    "shifted_ppmi",
    "each count is raised to the power before the columns are summed: sum first",
    "test_the_columns_are_smoothed_and_not_the_rows",
)
def shifted_ppmi(counts, negatives=5, power=0.75):
    counts = counts.double()
    smoothed = (counts**power).sum(dim=0)
    ratio = counts / counts.sum(dim=1, keepdim=True) / (smoothed / smoothed.sum())
    return torch.where(counts > 0, ratio.log() - math.log(negatives), 0.0).clamp(min=0).float()


@mistake(
    "shifted_ppmi",
    "the rows are smoothed in place of the columns",
    "test_the_columns_are_smoothed_and_not_the_rows",
)
def shifted_ppmi(counts, negatives=5, power=0.75):
    joint = counts.double() / counts.sum()
    rows = joint.sum(dim=1, keepdim=True) ** power
    chance = rows / rows.sum() * joint.sum(dim=0, keepdim=True)
    return torch.where(joint > 0, (joint / chance).log() - math.log(negatives), 0.0).clamp(min=0).float()


@alternative("shifted_ppmi")
def shifted_ppmi(counts, negatives=5, power=0.75):
    table = counts.double().numpy()
    columns = table.sum(0) ** power
    with np.errstate(all="ignore"):
        pmi = np.log(table / table.sum(1, keepdims=True)) - np.log(columns / columns.sum()) - np.log(negatives)
    return torch.from_numpy(np.where(table > 0, np.maximum(pmi, 0), 0)).float()


@alternative("shifted_ppmi")
def shifted_ppmi(counts, negatives=5, power=0.75):
    result = torch.zeros(counts.shape)
    rows, columns = counts.sum(dim=1).tolist(), [x**power for x in counts.sum(dim=0).tolist()]
    for i, j in counts.nonzero().tolist():
        ratio = float(counts[i, j]) * sum(columns) / (rows[i] * columns[j])
        result[i, j] = max(0.0, math.log(ratio / negatives))
    return result


@mistake(
    "lsa",
    "the singular values are left out: directions are weighed by S to the power",
    "test_the_titles_have_the_singular_values_that_the_paper_prints",
)
def lsa(matrix, dim, power=1.0):
    return torch.linalg.svd(matrix, full_matrices=False)[0][:, :dim]


@mistake(
    "lsa",
    "the columns of V are taken: they belong to the contexts, the rows' directions are in U",
    "test_dot_products_are_those_of_the_nearest_matrix_of_rank_d",
)
def lsa(matrix, dim, power=1.0):
    _, strength, right = torch.linalg.svd(matrix, full_matrices=False)
    return right.T[:, :dim] * strength[:dim] ** power


@mistake(
    "lsa",
    "rows of Vᵀ are taken for columns: they must be transposed, and U holds the words",
    "test_two_directions_bring_human_and_user_together",
)
def lsa(matrix, dim, power=1.0):
    _, strength, right = torch.linalg.svd(matrix, full_matrices=False)
    return right[:, :dim] * strength[:dim] ** power


@mistake(
    "lsa",
    "the weakest directions are kept: singular values come with the largest first",
    "test_two_directions_bring_human_and_user_together",
)
def lsa(matrix, dim, power=1.0):
    left, strength, _ = torch.linalg.svd(matrix, full_matrices=False)
    return left[:, -dim:] * strength[-dim:] ** power


@mistake(
    "lsa",
    "the power is not used: U S whatever it is",
    "test_the_power_is_that_of_the_singular_values",
)
def lsa(matrix, dim, power=1.0):
    left, strength, _ = torch.linalg.svd(matrix, full_matrices=False)
    return left[:, :dim] * strength[:dim]


@mistake(
    "lsa",
    "the power also touches U: only the singular values are raised to it",
    "test_the_power_is_that_of_the_singular_values",
)
def lsa(matrix, dim, power=1.0):
    left, strength, _ = torch.linalg.svd(matrix, full_matrices=False)
    scaled = left[:, :dim] * strength[:dim]
    return scaled.sign() * scaled.abs() ** power


@mistake(
    "lsa",
    "the columns are centred first: that is principal component analysis, LSA takes the table as it is",
    "test_the_titles_have_the_singular_values_that_the_paper_prints",
)
def lsa(matrix, dim, power=1.0):
    left, strength, _ = torch.linalg.svd(matrix - matrix.mean(dim=0), full_matrices=False)
    return left[:, :dim] * strength[:dim] ** power


@mistake(
    "lsa",
    "the whole matrix of rank d comes back: the word vectors have d numbers",
    "test_the_power_is_that_of_the_singular_values",
)
def lsa(matrix, dim, power=1.0):
    left, strength, right = torch.linalg.svd(matrix, full_matrices=False)
    return (left[:, :dim] * strength[:dim] ** power) @ right[:dim]


@mistake(
    "lsa",
    "the eigenvalues of M Mᵀ are the squares of the singular values: take their root",
    "test_the_titles_have_the_singular_values_that_the_paper_prints",
)
def lsa(matrix, dim, power=1.0):
    values, axes = torch.linalg.eigh(matrix @ matrix.T)
    return axes.flip(1)[:, :dim] * values.flip(0)[:dim].clamp(min=0) ** power


@mistake(
    "lsa",
    "the rows are cut as well: every word keeps its row",
    "test_the_power_is_that_of_the_singular_values",
)
def lsa(matrix, dim, power=1.0):
    left, strength, _ = torch.linalg.svd(matrix, full_matrices=False)
    return left[:dim, :dim] * strength[:dim] ** power


@alternative("lsa")
def lsa(matrix, dim, power=1.0):
    left, strength, _ = np.linalg.svd(matrix.numpy(), full_matrices=False)
    return torch.from_numpy(left[:, :dim] * strength[:dim] ** power)


@alternative("lsa")
def lsa(matrix, dim, power=1.0):
    left, strength, _ = torch.svd(matrix)
    return left[:, :dim] @ torch.diag(strength[:dim].pow(power))


@alternative("lsa")
def lsa(matrix, dim, power=1.0):
    values, axes = torch.linalg.eigh(matrix.double() @ matrix.double().T)
    strength = values.flip(0)[:dim].clamp(min=0).sqrt()
    return -axes.flip(1)[:, :dim] * strength**power


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
