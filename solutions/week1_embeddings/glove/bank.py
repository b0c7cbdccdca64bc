"""GloVe: classic mistakes and other right ways, for each exercise. Never released."""

import math
from decimal import Decimal

import numpy as np
import torch

from grader.lessons.bank import alternative, equivalent, mistake


@mistake(
    "possible_ratios",
    "the printed numbers are divided as they stand: each may be off by half a unit of its last digit",
    "test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides",
)
def possible_ratios(above, below):
    ratio = float(above) / float(below)
    return ratio, ratio


@mistake(
    "possible_ratios",
    "a whole unit of the last digit is given to each side: rounding leaves half a unit",
    "test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides",
)
def possible_ratios(above, below):
    (a, unit_a), (b, unit_b) = ((Decimal(x), Decimal(1).scaleb(Decimal(x).as_tuple().exponent)) for x in (above, below))
    return float((a - unit_a) / (b + unit_b)), float((a + unit_a) / (b - unit_b)) if b > unit_b else math.inf


@mistake(
    "possible_ratios",
    "low is divided by low and high by high: the ratio is smallest for the smallest above and the largest below",
    "test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides",
)
def possible_ratios(above, below):
    (a, half_a), (b, half_b) = (
        (Decimal(x), Decimal(1).scaleb(Decimal(x).as_tuple().exponent) / 2) for x in (above, below)
    )
    return float((a - half_a) / (b - half_b)), float((a + half_a) / (b + half_b))


@mistake(
    "possible_ratios",
    "only the number above is taken as rounded: the one below is too",
    "test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides",
)
def possible_ratios(above, below):
    a, half = Decimal(above), Decimal(1).scaleb(Decimal(above).as_tuple().exponent) / 2
    return float((a - half) / Decimal(below)), float((a + half) / Decimal(below))


@mistake(
    "possible_ratios",
    "the zeros at the end are lost (as in float): 2.20 is exact to the second place, not to the first",
    "test_a_zero_at_the_end_is_a_digit_too",
)
def possible_ratios(above, below):
    (a, half_a), (b, half_b) = (
        (x, Decimal(1).scaleb(x.as_tuple().exponent) / 2)
        for x in (Decimal(above).normalize(), Decimal(below).normalize())
    )
    return float((a - half_a) / (b + half_b)), float((a + half_a) / (b - half_b))


@mistake(
    "possible_ratios",
    "the last digit's place is counted in the digits before the e alone: the power of ten moves it",
    "test_powers_of_ten_move_the_last_digit",
)
def possible_ratios(above, below):
    def ends(printed):
        half = Decimal(1).scaleb(Decimal(printed.split("e")[0]).as_tuple().exponent) / 2
        return Decimal(printed) - half, Decimal(printed) + half

    (low_a, high_a), (low_b, high_b) = ends(above), ends(below)
    return float(low_a / high_b), float(high_a / low_b)


@mistake(
    "possible_ratios",
    "the ends are given in the wrong order: the smallest comes first",
    "test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides",
)
def possible_ratios(above, below):
    (a, half_a), (b, half_b) = (
        (Decimal(x), Decimal(1).scaleb(Decimal(x).as_tuple().exponent) / 2) for x in (above, below)
    )
    return float((a + half_a) / (b - half_b)), float((a - half_a) / (b + half_b))


@alternative("possible_ratios")
def possible_ratios(above, below):
    def interval(printed):
        digits, _, power = printed.partition("e")
        decimals = len(digits.partition(".")[2])
        half = 0.5 * 10.0 ** (int(power or 0) - decimals)
        return float(printed) - half, float(printed) + half

    numbers = [a / b for a in interval(above) for b in interval(below)]
    return min(numbers), max(numbers)


@alternative("possible_ratios")
def possible_ratios(above, below):
    from fractions import Fraction

    ends = []
    for printed in (above, below):
        half = Fraction(10) ** Decimal(printed).as_tuple().exponent / 2
        ends.append((Fraction(printed) - half, Fraction(printed) + half))
    return float(ends[0][0] / ends[1][1]), float(ends[0][1] / ends[1][0])


@mistake(
    "possible_ratios",
    "the two ends come back as a list: a tuple is asked for",
    "test_the_result_is_a_pair_of_floats",
)
def possible_ratios(above, below):
    (a, half_a), (b, half_b) = (
        (Decimal(x), Decimal(1).scaleb(Decimal(x).as_tuple().exponent) / 2) for x in (above, below)
    )
    return [float((a - half_a) / (b + half_b)), float((a + half_a) / (b - half_b))]


@alternative("possible_ratios")
def possible_ratios(above, below):
    ends = []  # of numpy's floats, which are Python's too
    for printed in (above, below):
        half = np.float64(0.5) * 10.0 ** Decimal(printed).as_tuple().exponent
        ends.append((np.float64(printed) - half, np.float64(printed) + half))
    return ends[0][0] / ends[1][1], ends[0][1] / ends[1][0]


@mistake(
    "harmonic_counts",
    "every pair counts 1: a pair d words apart counts 1/d",
    "test_words_two_apart_count_half",
)
def harmonic_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.float64)
    for sentence in sentences:
        ids = [words.index(word) for word in sentence]
        for i, one in enumerate(ids):
            for j, other in enumerate(ids):
                if 0 < abs(i - j) <= window:
                    counts[one, other] += 1
    return counts


@mistake(
    "harmonic_counts",
    "only the words to the right are counted: the table must be symmetric",
    "test_words_two_apart_count_half",
)
def harmonic_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.float64)
    for sentence in sentences:
        ids = [words.index(word) for word in sentence]
        for i, one in enumerate(ids):
            for distance, other in enumerate(ids[i + 1 : i + 1 + window], start=1):
                counts[one, other] += 1 / distance
    return counts


@mistake(
    "harmonic_counts",
    "the nearest pair counts ½: words side by side are one apart, not two",
    "test_words_two_apart_count_half",
)
def harmonic_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.float64)
    for sentence in sentences:
        ids = [words.index(word) for word in sentence]
        for i, one in enumerate(ids):
            for j, other in enumerate(ids):
                if 0 < abs(i - j) <= window:
                    counts[one, other] += 1 / (abs(i - j) + 1)
    return counts


@mistake(
    "harmonic_counts",
    "the weight falls in a straight line with the distance (as word2vec's does in the mean): GloVe's is 1/d",
    "test_words_two_apart_count_half",
)
def harmonic_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.float64)
    for sentence in sentences:
        ids = [words.index(word) for word in sentence]
        for i, one in enumerate(ids):
            for j, other in enumerate(ids):
                if 0 < abs(i - j) <= window:
                    counts[one, other] += 1 - abs(i - j) / (window + 1)
    return counts


@mistake(
    "harmonic_counts",
    "the window runs on into the next sentence: it ends with the sentence",
    "test_the_window_ends_where_it_should_and_with_the_sentence",
)
def harmonic_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.float64)
    ids = [words.index(word) for sentence in sentences for word in sentence]
    for i, one in enumerate(ids):
        for distance, other in enumerate(ids[i + 1 : i + 1 + window], start=1):
            counts[one, other] += 1 / distance
            counts[other, one] += 1 / distance
    return counts


@mistake(
    "harmonic_counts",
    "the window is taken as the number of words on both sides together: it is that on one side",
    "test_words_two_apart_count_half",
)
def harmonic_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.float64)
    for sentence in sentences:
        ids = [words.index(word) for word in sentence]
        for i, one in enumerate(ids):
            for j, other in enumerate(ids):
                if 0 < abs(i - j) <= window // 2:
                    counts[one, other] += 1 / abs(i - j)
    return counts


@mistake(
    "harmonic_counts",
    "the last word of the window is left out",
    "test_words_two_apart_count_half",
)
def harmonic_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.float64)
    for sentence in sentences:
        ids = [words.index(word) for word in sentence]
        for i, one in enumerate(ids):
            for distance in range(1, window):
                if i + distance < len(ids):
                    counts[one, ids[i + distance]] += 1 / distance
                    counts[ids[i + distance], one] += 1 / distance
    return counts


@mistake(
    "harmonic_counts",
    "a word near itself is left out",
    "test_a_word_near_itself_is_counted_from_both_places",
)
def harmonic_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.float64)
    for sentence in sentences:
        ids = [words.index(word) for word in sentence]
        for i, one in enumerate(ids):
            for j, other in enumerate(ids):
                if 0 < abs(i - j) <= window and one != other:
                    counts[one, other] += 1 / abs(i - j)
    return counts


@mistake(
    "harmonic_counts",
    "a later meeting takes the place of an earlier one: meetings add up",
    "test_meetings_add_up_over_places_and_sentences",
)
def harmonic_counts(sentences, words, window):
    counts = torch.zeros(len(words), len(words), dtype=torch.float64)
    for sentence in sentences:
        ids = [words.index(word) for word in sentence]
        for i, one in enumerate(ids):
            for j, other in enumerate(ids):
                if 0 < abs(i - j) <= window:
                    counts[one, other] = 1 / abs(i - j)
    return counts


@alternative("harmonic_counts")
def harmonic_counts(sentences, words, window):
    counts = np.zeros((len(words), len(words)))
    for sentence in sentences:
        ids = np.array([words.index(word) for word in sentence], dtype=int)
        for distance in range(1, window + 1):
            np.add.at(counts, (ids[:-distance], ids[distance:]), 1 / distance)
    return torch.from_numpy(counts + counts.T)


@alternative("harmonic_counts")
def harmonic_counts(sentences, words, window):
    from etude.embeddings.cooccurrence import cooccurrence

    return cooccurrence(sentences, words, window, "harmonic").to_dense()


@alternative("harmonic_counts")
def harmonic_counts(sentences, words, window):
    from collections import Counter

    found = Counter()
    for sentence in sentences:
        for i, one in enumerate(sentence):
            for j in range(max(0, i - window), min(len(sentence), i + window + 1)):
                if j != i:
                    found[one, sentence[j]] += 1 / abs(i - j)
    return torch.tensor([[found[one, other] for other in words] for one in words], dtype=torch.float64)


@mistake(
    "probability_ratios",
    "counts are divided, not probabilities: each count is first divided by the sum of its row",
    "test_counts_are_shares_of_their_rows_before_they_are_divided",
)
def probability_ratios(counts, i, j):
    return counts[i] / counts[j]


@mistake(
    "probability_ratios",
    "the ratio is upside down: P(k | i) stands above",
    "test_the_order_of_the_two_words_matters",
)
def probability_ratios(counts, i, j):
    probabilities = counts / counts.sum(dim=1, keepdim=True)
    return probabilities[j] / probabilities[i]


@mistake(
    "probability_ratios",
    "the counts are divided by the sums of the columns: P(k | i) is a share of row i",
    "test_counts_are_shares_of_their_rows_before_they_are_divided",
)
def probability_ratios(counts, i, j):
    probabilities = counts / counts.sum(dim=0, keepdim=True)
    return probabilities[i] / probabilities[j]


@mistake(
    "probability_ratios",
    "the counts are divided by the sum of the whole table: P(k | i) is a share of row i",
    "test_counts_are_shares_of_their_rows_before_they_are_divided",
)
def probability_ratios(counts, i, j):
    probabilities = counts / counts.sum()
    return probabilities[i] / probabilities[j]


@mistake(
    "probability_ratios",
    "this is the logarithm of the ratio",
    "test_counts_are_shares_of_their_rows_before_they_are_divided",
)
def probability_ratios(counts, i, j):
    probabilities = counts / counts.sum(dim=1, keepdim=True)
    return probabilities[i].log() - probabilities[j].log()


@mistake(
    "probability_ratios",
    "a small number is added to the count below, so no ratio is infinite: a probe that was seen near i only has an infinite one",
    "test_probes_near_one_word_alone_have_an_infinite_ratio_or_none",
)
def probability_ratios(counts, i, j):
    probabilities = counts / counts.sum(dim=1, keepdim=True)
    return probabilities[i] / (probabilities[j] + 1e-9)


@mistake(
    "probability_ratios",
    "the ratios come back as float32: they keep the type of the counts, float64",
    "test_the_ratios_keep_the_double_precision_of_the_counts",
)
def probability_ratios(counts, i, j):
    counts = counts.float()
    return counts[i] / counts[i].sum() / (counts[j] / counts[j].sum())


@alternative("probability_ratios")
def probability_ratios(counts, i, j):
    return (counts[i] / counts[i].sum()) / (counts[j] / counts[j].sum())


@alternative("probability_ratios")
def probability_ratios(counts, i, j):
    return counts[i] * counts[j].sum() / (counts[j] * counts[i].sum())


@alternative("probability_ratios")
def probability_ratios(counts, i, j):
    table = counts.numpy()
    with np.errstate(all="ignore"):
        return torch.from_numpy(table[i] / table[i].sum() / (table[j] / table[j].sum()))


@mistake(
    "glove_weight", "the weight goes on growing beyond x_max: it is at most 1", "test_from_x_max_on_the_weight_is_one"
)
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return (counts / x_max) ** alpha


@mistake(
    "glove_weight", "the weight is not raised to the power alpha", "test_the_weight_grows_with_the_power_three_quarters"
)
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return (counts / x_max).clamp(max=1.0)


@mistake(
    "glove_weight",
    "the counts are raised to the power before they are divided by x_max: (x / x_max) ** alpha",
    "test_the_weight_grows_with_the_power_three_quarters",
)
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return (counts**alpha / x_max).clamp(max=1.0)


@mistake(
    "glove_weight",
    "x_max and alpha are written as fixed numbers: they are arguments",
    "test_x_max_and_alpha_are_obeyed",
)
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return (counts / 100).clamp(max=1.0) ** 0.75


@mistake(
    "glove_weight",
    "frequent pairs get weight 0: from x_max on it is 1",
    "test_from_x_max_on_the_weight_is_one",
)
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return torch.where(counts < x_max, (counts / x_max) ** alpha, torch.zeros(()))


@mistake(
    "glove_weight",
    "counts below 1 are raised to 1 first: f(0) is 0",
    "test_a_pair_that_was_never_seen_has_weight_0",
)
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return (counts.clamp(min=1) / x_max).clamp(max=1.0) ** alpha


@mistake(
    "glove_weight",
    "the power is 1 / alpha: it is alpha",
    "test_the_weight_grows_with_the_power_three_quarters",
)
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return (counts / x_max).clamp(max=1.0) ** (1 / alpha)


@mistake(
    "glove_weight",
    "the counts are changed in place: the table is needed again",
    "test_random_counts_agree_with_the_definition_and_stay_as_they_are",
)
def glove_weight(counts, x_max=100.0, alpha=0.75):
    if counts.is_floating_point():
        return counts.div_(x_max).clamp_(max=1.0).pow_(alpha)
    return (counts / x_max).clamp(max=1.0) ** alpha


@alternative("glove_weight")
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return torch.where(counts < x_max, (counts / x_max) ** alpha, torch.ones(()))


@alternative("glove_weight")
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return torch.minimum((counts / x_max) ** alpha, torch.ones(()))


@alternative("glove_weight")
def glove_weight(counts, x_max=100.0, alpha=0.75):
    values = [(float(x) / x_max) ** alpha if float(x) < x_max else 1.0 for x in counts.flatten()]
    return torch.tensor(values).reshape(counts.shape).to(counts.dtype if counts.is_floating_point() else torch.float32)


@mistake(
    "glove_loss",
    "the dot product is fitted to the count: it is the count's logarithm",
    "test_a_perfect_fit_costs_nothing",
)
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts
    return (glove_weight(counts, x_max) * error**2).sum()


@mistake("glove_loss", "the two biases are left out", "test_a_perfect_fit_costs_nothing")
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) - counts.log()
    return (glove_weight(counts, x_max) * error**2).sum()


@mistake("glove_loss", "the context's bias is left out: there are two", "test_a_perfect_fit_costs_nothing")
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias - counts.log()
    return (glove_weight(counts, x_max) * error**2).sum()


@mistake("glove_loss", "the weights f are left out: every entry counts alike", "test_rare_pairs_weigh_less")
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log()
    return (error**2).sum()


@mistake(
    "glove_loss",
    "the mean is taken over the entries: eq. 8 is a sum",
    "test_zeros_cost_the_weighted_square_of_the_logarithm",
)
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log()
    return (glove_weight(counts, x_max) * error**2).mean()


@mistake(
    "glove_loss",
    "the weight is inside the square: it multiplies the squared error",
    "test_rare_pairs_weigh_less",
)
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log()
    return ((glove_weight(counts, x_max) * error) ** 2).sum()


@mistake(
    "glove_loss",
    "the logarithm of 1 + X is fitted, not that of X",
    "test_a_perfect_fit_costs_nothing",
)
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log1p()
    return (glove_weight(counts, x_max) * error**2).sum()


@mistake(
    "glove_loss",
    "the logarithm is to the base 2: eq. 8 takes the natural one",
    "test_a_perfect_fit_costs_nothing",
)
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log2()
    return (glove_weight(counts, x_max) * error**2).sum()


@mistake(
    "glove_loss",
    "x_max is not passed on to the weight",
    "test_zeros_cost_the_weighted_square_of_the_logarithm",
)
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log()
    return (glove_weight(counts) * error**2).sum()


@mistake(
    "glove_loss",
    "every word is paired with every context (word @ context.T): entry n has one of each",
    "test_zeros_cost_the_weighted_square_of_the_logarithm",
)
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = word @ context.T + word_bias[:, None] + context_bias - counts.log()
    return (glove_weight(counts, x_max) * error**2).sum()


@alternative("glove_loss")
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    predicted = torch.einsum("nd,nd->n", word, context) + word_bias + context_bias
    weight = torch.where(counts < x_max, (counts / x_max) ** 0.75, torch.ones(()))
    return weight @ (predicted - torch.log(counts)).square()


@alternative("glove_loss", slow="a loop over the pairs of words with a count, if training asks it for its gradient")
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    total = torch.zeros((), dtype=word.dtype)
    for n in range(len(counts)):
        error = word[n] @ context[n] + word_bias[n] + context_bias[n] - math.log(counts[n])
        total = total + min(1.0, float(counts[n]) / x_max) ** 0.75 * error**2
    return total


@mistake(
    "glove_gradients",
    "the 2 is missing: the derivative of e² is 2e",
    "test_the_gradients_are_those_of_autograd",
)
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log()
    slope = glove_weight(counts, x_max) * error
    return slope[:, None] * context, slope[:, None] * word, slope, slope


@mistake(
    "glove_gradients",
    "the sign is turned round: these go downhill, where a gradient points uphill",
    "test_the_gradients_are_those_of_autograd",
)
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = counts.log() - (word * context).sum(dim=1) - word_bias - context_bias
    slope = 2 * glove_weight(counts, x_max) * error
    return slope[:, None] * context, slope[:, None] * word, slope, slope


@mistake(
    "glove_gradients",
    "the two vectors are exchanged: the derivative for w is w̃, that for w̃ is w",
    "test_the_gradients_are_those_of_autograd",
)
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log()
    slope = 2 * glove_weight(counts, x_max) * error
    return slope[:, None] * word, slope[:, None] * context, slope, slope


@mistake(
    "glove_gradients",
    "the weight f is left out",
    "test_the_gradients_are_those_of_autograd",
)
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    slope = 2 * ((word * context).sum(dim=1) + word_bias + context_bias - counts.log())
    return slope[:, None] * context, slope[:, None] * word, slope, slope


@mistake(
    "glove_gradients",
    "the biases are left out of the error",
    "test_an_entry_that_fits_does_not_move",
)
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    slope = 2 * glove_weight(counts, x_max) * ((word * context).sum(dim=1) - counts.log())
    return slope[:, None] * context, slope[:, None] * word, slope, slope


@mistake(
    "glove_gradients",
    "the logarithm is forgotten: the error is taken from the count",
    "test_an_entry_that_fits_does_not_move",
)
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts
    slope = 2 * glove_weight(counts, x_max) * error
    return slope[:, None] * context, slope[:, None] * word, slope, slope


@mistake(
    "glove_gradients",
    "the biases' gradients are added up to one number: each entry has its own",
    "test_the_gradients_are_those_of_autograd",
)
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log()
    slope = 2 * glove_weight(counts, x_max) * error
    return slope[:, None] * context, slope[:, None] * word, slope.sum(), slope.sum()


@mistake(
    "glove_gradients",
    "x_max is not passed on to the weight",
    "test_the_gradients_are_those_of_autograd",
)
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log()
    slope = 2 * glove_weight(counts) * error
    return slope[:, None] * context, slope[:, None] * word, slope, slope


@alternative("glove_gradients")
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    leaves = tuple(x.detach().clone().requires_grad_() for x in (word, context, word_bias, context_bias))
    with torch.enable_grad():
        return tuple(torch.autograd.grad(glove_loss(*leaves, counts, x_max), leaves))


@alternative("glove_gradients", slow="a loop over the pairs of words with a count, in each of twenty passes")
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    rows = []
    for w, c, a, b, x in zip(word, context, word_bias, context_bias, counts):
        slope = 2 * min(1.0, float(x) / x_max) ** 0.75 * (w @ c + a + b - math.log(x))
        rows.append((slope * c, slope * w, slope, slope))
    return tuple(torch.stack(column) for column in zip(*rows))


@mistake(
    "adagrad_step",
    "the sum of squares is not under a root",
    "test_the_first_step_is_divided_by_the_gradients_size",
)
def adagrad_step(parameters, squares, gradients, lr):
    squares = squares + gradients**2
    return parameters - lr * gradients / squares, squares


@mistake(
    "adagrad_step",
    "the step is divided by the old sum: the newest square belongs to it",
    "test_earlier_gradients_make_the_step_smaller",
)
def adagrad_step(parameters, squares, gradients, lr):
    return parameters - lr * gradients / squares.sqrt(), squares + gradients**2


@mistake(
    "adagrad_step",
    "the step goes uphill: it is subtracted",
    "test_the_first_step_is_divided_by_the_gradients_size",
)
def adagrad_step(parameters, squares, gradients, lr):
    squares = squares + gradients**2
    return parameters + lr * gradients / squares.sqrt(), squares


@mistake(
    "adagrad_step",
    "earlier squares are forgotten: they are added up",
    "test_earlier_gradients_make_the_step_smaller",
)
def adagrad_step(parameters, squares, gradients, lr):
    squares = gradients**2 + 1e-12
    return parameters - lr * gradients / squares.sqrt(), squares


@mistake(
    "adagrad_step",
    "the squares are averaged with decay (RMSProp): AdaGrad adds them up",
    "test_earlier_gradients_make_the_step_smaller",
)
def adagrad_step(parameters, squares, gradients, lr):
    squares = 0.9 * squares + 0.1 * gradients**2
    return parameters - lr * gradients / squares.sqrt(), squares


@mistake(
    "adagrad_step",
    "one sum is kept for all numbers together: each has its own",
    "test_the_first_step_is_divided_by_the_gradients_size",
)
def adagrad_step(parameters, squares, gradients, lr):
    squares = squares + (gradients**2).sum()
    return parameters - lr * gradients / squares.sqrt(), squares


@mistake(
    "adagrad_step",
    "gradients are added up, not their squares",
    "test_earlier_gradients_make_the_step_smaller",
)
def adagrad_step(parameters, squares, gradients, lr):
    squares = squares + gradients.abs()
    return parameters - lr * gradients / squares.sqrt(), squares


@mistake("adagrad_step", "the tensors that were given are changed in place", "test_nothing_is_changed_in_place")
def adagrad_step(parameters, squares, gradients, lr):
    squares += gradients**2
    parameters -= lr * gradients / squares.sqrt()
    return parameters, squares


@alternative("adagrad_step")
def adagrad_step(parameters, squares, gradients, lr):
    total = torch.addcmul(squares, gradients, gradients)
    return torch.addcdiv(parameters, gradients, total.sqrt(), value=-lr), total


@alternative("adagrad_step")
def adagrad_step(parameters, squares, gradients, lr):
    total = squares + gradients.square()
    return parameters - gradients * lr * total.rsqrt(), total


@mistake(
    "train_glove",
    "a word that occurs several times in a batch keeps the gradient of one entry only (table[ids] = g): they add up",
    "test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number])
                total[ids] += gradient
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "x_max is not passed on, so that the weights are those of x_max = 100",
    "test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries])
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "columns are taken for rows: the word's vector is that of the entry's row",
    "test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            k, i = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "the step goes uphill",
    "test_the_model_learns_the_logarithms_of_the_counts",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], -total, lr)
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "each entry steps by itself from the same start, and the steps are added up: gradients are added up first, then comes one step",
    "test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                moved, _ = adagrad_step(tables[number][ids], squares[number][ids], gradient, lr)
                squares[number].index_add_(0, ids, gradient**2)
                tables[number].index_add_(0, ids, moved - tables[number][ids].clone())
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "the squares are not kept, so steps never become smaller",
    "test_steps_become_smaller_from_batch_to_batch",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number], _ = adagrad_step(tables[number], squares[number], total, lr)
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "the biases are never moved",
    "test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                if number > 1:
                    continue
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "the vectors are never moved",
    "test_the_model_learns_the_logarithms_of_the_counts",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                if number < 2:
                    continue
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "gradients are divided by the size of the batch: the loss is a sum",
    "test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient / len(entries))
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "this is plain gradient descent: the steps are not divided by the root of the squares",
    "test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number] = tables[number] - lr * total
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "word and context share one table: each word has two vectors",
    "test_two_epochs_agree_with_torch_step_by_step",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            tables[1] = tables[0]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "lr is not passed on: a fixed step is taken",
    "test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, 0.05)
    return tuple(table.detach() for table in tables)


@mistake(
    "train_glove",
    "the generator is given a fixed seed, so the argument is ignored",
    "test_the_same_seed_gives_the_same_model_and_another_seed_another",
)
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(0)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k = pairs[:, entries]
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)
    return tuple(table.detach() for table in tables)


@alternative("train_glove")
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            i, k, x = pairs[0, entries], pairs[1, entries], counts[entries]
            word, context, word_bias, context_bias = tables
            error = torch.einsum("nd,nd->n", word[i], context[k]) + word_bias[i] + context_bias[k] - x.log()
            slope = 2 * (x / x_max).clamp(max=1) ** 0.75 * error
            changes = [torch.zeros_like(table) for table in tables]
            changes[0].index_put_((i,), slope[:, None] * context[k], accumulate=True)
            changes[1].index_put_((k,), slope[:, None] * word[i], accumulate=True)
            changes[2].index_put_((i,), slope, accumulate=True)
            changes[3].index_put_((k,), slope, accumulate=True)
            for table, square, change in zip(tables, squares, changes):
                square += change**2
                table -= lr * change / square.sqrt()
    return tuple(table.detach() for table in tables)


@alternative("train_glove")
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            for table in tables:
                table.requires_grad_()
            (i, k), (word, context, word_bias, context_bias) = pairs[:, entries], tables
            with torch.enable_grad():
                loss = glove_loss(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, gradient in enumerate(torch.autograd.grad(loss, tables)):
                new, squares[number] = adagrad_step(tables[number].detach(), squares[number], gradient, lr)
                tables[number] = new
    return tuple(table.detach() for table in tables)


@alternative("train_glove")
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in range(epochs):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)
        for entries in order.split(batch):
            words, contexts = (torch.nn.functional.one_hot(ids, size).float() for ids in pairs[:, entries])  # (B, V)
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(
                words @ word, contexts @ context, words @ word_bias, contexts @ context_bias, counts[entries], x_max
            )
            for number, (which, gradient) in enumerate(zip((words, contexts, words, contexts), gradients)):
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], which.T @ gradient, lr)
    return tuple(table.detach() for table in tables)


@mistake(
    "log_ratios",
    "the biases are left out: trained ones are not ln X exactly",
    "test_a_model_that_fits_gives_the_ratios_of_its_table",
)
def log_ratios(model, totals, i, j):
    words, contexts, _, _ = model
    return contexts @ (words[i] - words[j])


@mistake(
    "log_ratios",
    "the totals are left out: this is the ratio of counts, not that of probabilities",
    "test_a_frequent_word_is_not_nearer_to_everything",
)
def log_ratios(model, totals, i, j):
    words, contexts, biases, _ = model
    return contexts @ (words[i] - words[j]) + biases[i] - biases[j]


@mistake(
    "log_ratios",
    "the sums are subtracted as they are: their logarithms belong there",
    "test_a_frequent_word_is_not_nearer_to_everything",
)
def log_ratios(model, totals, i, j):
    words, contexts, biases, _ = model
    return contexts @ (words[i] - words[j]) + biases[i] - totals[i] - biases[j] + totals[j]


@mistake(
    "log_ratios",
    "the logarithms of the sums are added: each count is divided by the sum of its row",
    "test_a_frequent_word_is_not_nearer_to_everything",
)
def log_ratios(model, totals, i, j):
    words, contexts, biases, _ = model
    return contexts @ (words[i] - words[j]) + biases[i] + totals[i].log() - biases[j] - totals[j].log()


@mistake(
    "log_ratios",
    "the probes have the vectors w: k is a context, so its vector is w̃",
    "test_a_model_that_fits_gives_the_ratios_of_its_table",
)
def log_ratios(model, totals, i, j):
    words, _, biases, _ = model
    return words @ (words[i] - words[j]) + biases[i] - totals[i].log() - biases[j] + totals[j].log()


@mistake(
    "log_ratios",
    "i and j are exchanged: P(k | i) stands above",
    "test_a_model_that_fits_gives_the_ratios_of_its_table",
)
def log_ratios(model, totals, i, j):
    words, contexts, biases, _ = model
    return contexts @ (words[j] - words[i]) + biases[j] - totals[j].log() - biases[i] + totals[i].log()


@mistake(
    "log_ratios",
    "the context's biases are taken: those of the two words belong there",
    "test_a_model_that_fits_gives_the_ratios_of_its_table",
)
def log_ratios(model, totals, i, j):
    words, contexts, _, biases = model
    return contexts @ (words[i] - words[j]) + biases[i] - totals[i].log() - biases[j] + totals[j].log()


@mistake(
    "log_ratios",
    "this is the ratio: its logarithm was asked for",
    "test_a_model_that_fits_gives_the_ratios_of_its_table",
)
def log_ratios(model, totals, i, j):
    words, contexts, biases, _ = model
    return (contexts @ (words[i] - words[j]) + biases[i] - totals[i].log() - biases[j] + totals[j].log()).exp()


@alternative("log_ratios")
def log_ratios(model, totals, i, j):
    words, contexts, word_biases, context_biases = model
    one, other = (contexts @ words[n] + word_biases[n] + context_biases - totals[n].log() for n in (i, j))
    return one - other


@alternative("log_ratios")
def log_ratios(model, totals, i, j):
    words, contexts, biases, _ = (table.double().numpy() for table in model)
    shift = biases[i] - biases[j] - math.log(totals[i] / totals[j])
    return torch.tensor([float((words[i] - words[j]) @ contexts[k]) + shift for k in range(len(contexts))]).float()


# Mutants of the reference that no check can tell from a right answer.
equivalent(
    "probability_ratios",
    "1: counts.sum(dim=1, keepdim=True) → counts.mean(dim=1, keepdim=True)",
    "both rows are divided by the mean in place of the sum, K times as small: the ratio is the same",
)
equivalent("glove_loss", "2: predicted - counts.log() → counts.log() - predicted", "the error is squared")
equivalent(
    "train_glove",
    "3: glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max) → "
    "glove_gradients(word[i], context[k], context_bias[k], word_bias[i], counts[entries], x_max)",
    "the two biases are added up, and their gradients are equal",
)
