"""GloVe: classic mistakes and other right ways, for each exercise. Never released."""

import math
from decimal import Decimal

import numpy as np
import torch

from grader.lessons.bank import alternative, edit, equivalent

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# possible_ratios
@alternative("possible_ratios", "inner-function")
def possible_ratios(above, below):
    def interval(printed):
        digits, _, power = printed.partition("e")
        decimals = len(digits.partition(".")[2])
        half = 0.5 * 10.0 ** (int(power or 0) - decimals)
        return float(printed) - half, float(printed) + half

    numbers = [a / b for a in interval(above) for b in interval(below)]
    return min(numbers), max(numbers)


@alternative("possible_ratios", "fractions")
def possible_ratios(above, below):
    from fractions import Fraction

    ends = []
    for printed in (above, below):
        half = Fraction(10) ** Decimal(printed).as_tuple().exponent / 2
        ends.append((Fraction(printed) - half, Fraction(printed) + half))
    return float(ends[0][0] / ends[1][1]), float(ends[0][1] / ends[1][0])


@alternative("possible_ratios", "numpy-floats")
def possible_ratios(above, below):
    ends = []  # of numpy's floats, which are Python's too
    for printed in (above, below):
        half = np.float64(0.5) * 10.0 ** Decimal(printed).as_tuple().exponent
        ends.append((np.float64(printed) - half, np.float64(printed) + half))
    return ends[0][0] / ends[1][1], ends[0][1] / ends[1][0]


edit("possible_ratios", "printed-as-exact", {"value - half, value + half": "value, value"},
     "the printed numbers are divided as they stand: each may be off by half a unit of its last digit",
     killed_by="test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides")
edit("possible_ratios", "whole-unit", {"exponent) / 2": "exponent)",
     "float(above_high / below_low)": "float(above_high / below_low) if below_low > 0 else math.inf"},
     "a whole unit of the last digit is given to each side: rounding leaves half a unit",
     killed_by="test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides")
edit("possible_ratios", "low-by-low", {"above_low / below_high": "above_low / below_low",
     "above_high / below_low": "above_high / below_high"},
     "low is divided by low and high by high: the ratio is smallest for the smallest above and the largest below",
     killed_by="test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides")
edit("possible_ratios", "only-above-rounded",
     {"below_low, below_high = interval(below)": "below_low = below_high = Decimal(below)"},
     "only the number above is taken as rounded: the one below is too",
     killed_by="test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides")
edit("possible_ratios", "zeros-lost", {"Decimal(printed)": "Decimal(printed).normalize()"},
     "the zeros at the end are lost (as in float): 2.20 is exact to the second place, not to the first",
     killed_by="test_a_zero_at_the_end_is_a_digit_too")
edit("possible_ratios", "exponent-ignored", {"value.as_tuple()": 'Decimal(printed.split("e")[0]).as_tuple()'},
     "the last digit's place is counted in the digits before the e alone: the power of ten moves it",
     killed_by="test_powers_of_ten_move_the_last_digit")
edit("possible_ratios", "ends-exchanged", {"float(above_low / below_high), float(above_high / below_low)":
     "float(above_high / below_low), float(above_low / below_high)"},
     "the ends are given in the wrong order: the smallest comes first",
     killed_by="test_a_number_stands_for_half_a_unit_of_its_last_digit_to_both_sides")
edit("possible_ratios", "list-returned", {"float(above_low / below_high), float(above_high / below_low)":
     "[float(above_low / below_high), float(above_high / below_low)]"},
     "the two ends come back as a list: a tuple is asked for", killed_by="test_the_result_is_a_pair_of_floats")
edit("possible_ratios", "four-digits", {"Decimal(printed)": "Decimal('%.4g' % float(printed)) if len(Decimal(printed).as_tuple().digits) > 4 else Decimal(printed)"},
     "no more than four digits are read",
     killed_by="test_the_ratios_of_table_1_lie_in_their_intervals_and_no_wider")
edit("possible_ratios", "zeros-no-digits", {"scaleb(value.as_tuple().exponent)": "scaleb(value.as_tuple().exponent + (len(printed) - len(printed.rstrip('0')) if printed.isdigit() else 0))"},
     "zeros at the end of a whole number are taken for rounded: 120 stands for 119.5 to 120.5",
     killed_by="test_any_two_printed_numbers_have_the_ends_of_exact_fractions")
edit("possible_ratios", "nothing-before-the-point", {"scaleb(value.as_tuple().exponent)": "scaleb(value.as_tuple().exponent if printed[0] != '.' else 0)"},
     "without a digit before the point its places are lost",
     killed_by="test_the_ratios_of_table_1_lie_in_their_intervals_and_no_wider")


# harmonic_counts
@alternative("harmonic_counts", "numpy-add-at")
def harmonic_counts(sentences, words, window):
    counts = np.zeros((len(words), len(words)))
    for sentence in sentences:
        ids = np.array([words.index(word) for word in sentence], dtype=int)
        for distance in range(1, window + 1):
            np.add.at(counts, (ids[:-distance], ids[distance:]), 1 / distance)
    return torch.from_numpy(counts + counts.T)


@alternative("harmonic_counts", "library-call")
def harmonic_counts(sentences, words, window):
    from etude.embeddings.cooccurrence import cooccurrence

    return cooccurrence(sentences, words, window, "harmonic").to_dense()


@alternative("harmonic_counts", "counter")
def harmonic_counts(sentences, words, window):
    from collections import Counter

    found = Counter()
    for sentence in sentences:
        for i, one in enumerate(sentence):
            for j in range(max(0, i - window), min(len(sentence), i + window + 1)):
                if j != i:
                    found[one, sentence[j]] += 1 / abs(i - j)
    return torch.tensor([[found[one, other] for other in words] for one in words], dtype=torch.float64)


edit("harmonic_counts", "every-pair-one", {"counts[one, other] += 1 / distance": "counts[one, other] += 1",
     "counts[other, one] += 1 / distance": "counts[other, one] += 1"},
     "every pair counts 1: a pair d words apart counts 1/d", killed_by="test_words_two_apart_count_half")
edit("harmonic_counts", "only-to-the-right", {"counts[other, one] += 1 / distance": ""},
     "only the words to the right are counted: the table must be symmetric",
     killed_by="test_words_two_apart_count_half")
edit("harmonic_counts", "nearest-counts-half", {"start=1": "start=2"},
     "the nearest pair counts ½: words side by side are one apart, not two",
     killed_by="test_words_two_apart_count_half")
edit("harmonic_counts", "linear-weight",
     {"counts[one, other] += 1 / distance": "counts[one, other] += 1 - distance / (window + 1)",
     "counts[other, one] += 1 / distance": "counts[other, one] += 1 - distance / (window + 1)"},
     "the weight falls in a straight line with the distance (as word2vec's does in the mean): GloVe's is 1/d",
     killed_by="test_words_two_apart_count_half")
edit("harmonic_counts", "across-sentences",
     {"for sentence in sentences:\n        ids = [index[word] for word in sentence]":
     "for ids in [[index[word] for sentence in sentences for word in sentence]]:"},
     "the window runs on into the next sentence: it ends with the sentence",
     killed_by="test_the_window_ends_where_it_should_and_with_the_sentence")
edit("harmonic_counts", "window-of-both-sides", {"place + 1 + window": "place + 1 + window // 2"},
     "the window is taken as the number of words on both sides together: it is that on one side",
     killed_by="test_words_two_apart_count_half")
edit("harmonic_counts", "last-word-left-out", {"place + 1 + window": "place + window"},
     "the last word of the window is left out", killed_by="test_words_two_apart_count_half")
edit("harmonic_counts", "same-word-left-out",
     {"counts[one, other] += 1 / distance": "counts[one, other] += (one != other) / distance",
     "counts[other, one] += 1 / distance": "counts[other, one] += (one != other) / distance"},
     "a word near itself is left out", killed_by="test_a_word_near_itself_is_counted_from_both_places")
edit("harmonic_counts", "later-overwrites", {"+= 1 / abs(i - j)": "= 1 / abs(i - j)"},
     "a later meeting takes the place of an earlier one: meetings add up",
     killed_by="test_meetings_add_up_over_places_and_sentences", of="counter")
edit("harmonic_counts", "single-precision", {", dtype=torch.float64": "", "return counts": "return counts.double()"},
     "added up in single precision, which thousands of thirds do not forgive",
     killed_by="test_long_texts_are_added_up_in_double_precision")
edit("harmonic_counts", "empty-word-left-out", {"for word in sentence]": "for word in sentence if word]"},
     "the empty word is left out: it is a word like any other, and takes a place",
     killed_by="test_many_words_are_counted_case_and_all")


# probability_ratios
@alternative("probability_ratios", "one-line")
def probability_ratios(counts, i, j):
    return (counts[i] / counts[i].sum()) / (counts[j] / counts[j].sum())


@alternative("probability_ratios", "cross-multiplied")
def probability_ratios(counts, i, j):
    return counts[i] * counts[j].sum() / (counts[j] * counts[i].sum())


@alternative("probability_ratios", "numpy")
def probability_ratios(counts, i, j):
    table = counts.numpy()
    with np.errstate(all="ignore"):
        return torch.from_numpy(table[i] / table[i].sum() / (table[j] / table[j].sum()))


edit("probability_ratios", "counts-divided",
     {"counts[i] * counts[j].sum() / (counts[j] * counts[i].sum())": "counts[i] / counts[j]"},
     "counts are divided, not probabilities: each count is first divided by the sum of its row",
     killed_by="test_counts_are_shares_of_their_rows_before_they_are_divided", of="cross-multiplied")
edit("probability_ratios", "upside-down",
     {"probabilities[i] / probabilities[j]": "probabilities[j] / probabilities[i]"},
     "the ratio is upside down: P(k | i) stands above", killed_by="test_the_order_of_the_two_words_matters")
edit("probability_ratios", "column-sums", {"dim=1": "dim=0"},
     "the counts are divided by the sums of the columns: P(k | i) is a share of row i",
     killed_by="test_counts_are_shares_of_their_rows_before_they_are_divided")
edit("probability_ratios", "total-sum", {"counts.sum(dim=1, keepdim=True)": "counts.sum()"},
     "the counts are divided by the sum of the whole table: P(k | i) is a share of row i",
     killed_by="test_counts_are_shares_of_their_rows_before_they_are_divided")
edit("probability_ratios", "logarithm",
     {"probabilities[i] / probabilities[j]": "probabilities[i].log() - probabilities[j].log()"},
     "this is the logarithm of the ratio", killed_by="test_counts_are_shares_of_their_rows_before_they_are_divided")
edit("probability_ratios", "smoothed-below", {"probabilities[j]": "(probabilities[j] + 1e-9)"},
     "a small number is added to the count below, so no ratio is infinite: a probe that was seen near i only has an infinite one",
     killed_by="test_probes_near_one_word_alone_have_an_infinite_ratio_or_none")
edit("probability_ratios", "single-precision", {"counts / counts.sum": "counts.float() / counts.float().sum"},
     "the ratios come back as float32: they keep the type of the counts, float64",
     killed_by="test_the_ratios_keep_the_double_precision_of_the_counts")
edit("probability_ratios", "digits-lost", {"counts / counts.sum(dim=1, keepdim=True)": "(counts.float() / counts.float().sum(dim=1, keepdim=True)).double()"},
     "the ratios are computed in float32, and given the type float64 afterwards: half of the digits are lost",
     killed_by="test_any_two_words_have_the_ratios_of_exact_fractions")
edit("probability_ratios", "sums-at-least-one", {"counts.sum(dim=1, keepdim=True)": "counts.sum(dim=1, keepdim=True).clamp(min=1)"},
     "row sums below 1 are taken for 1",
     killed_by="test_a_random_table_agrees_with_the_definition_and_stays_as_it_is")
edit("probability_ratios", "little-is-never", {"    return": "    probabilities = torch.where(probabilities > 1e-12, probabilities, 0)\n    return"},
     "tiny probabilities are taken for 0",
     killed_by="test_a_random_table_agrees_with_the_definition_and_stays_as_it_is")
edit("probability_ratios", "no-row-of-zeros", {"    probabilities =": "    assert bool((counts.sum(dim=1) > 0).all())\n    probabilities ="},
     "a row of zeros of which nobody asks makes it fail",
     killed_by="test_a_random_table_agrees_with_the_definition_and_stays_as_it_is")


# glove_weight
@alternative("glove_weight", "where")
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return torch.where(counts < x_max, (counts / x_max) ** alpha, torch.ones(()))


@alternative("glove_weight", "minimum")
def glove_weight(counts, x_max=100.0, alpha=0.75):
    return torch.minimum((counts / x_max) ** alpha, torch.ones(()))


@alternative("glove_weight", "list-of-floats")
def glove_weight(counts, x_max=100.0, alpha=0.75):
    values = [(float(x) / x_max) ** alpha if float(x) < x_max else 1.0 for x in counts.flatten()]
    return torch.tensor(values).reshape(counts.shape).to(counts.dtype if counts.is_floating_point() else torch.float32)


edit("glove_weight", "grows-beyond-maximum", {"(counts / x_max).clamp(max=1.0)": "(counts / x_max)"},
     "the weight goes on growing beyond x_max: it is at most 1", killed_by="test_from_x_max_on_the_weight_is_one")
edit("glove_weight", "power-missing", {"(counts / x_max).clamp(max=1.0) ** alpha": "(counts / x_max).clamp(max=1.0)"},
     "the weight is not raised to the power alpha", killed_by="test_the_weight_grows_with_the_power_three_quarters")
edit("glove_weight", "power-before-division",
     {"(counts / x_max).clamp(max=1.0) ** alpha": "(counts**alpha / x_max).clamp(max=1.0)"},
     "the counts are raised to the power before they are divided by x_max: (x / x_max) ** alpha",
     killed_by="test_the_weight_grows_with_the_power_three_quarters")
edit("glove_weight", "fixed-numbers",
     {"(counts / x_max).clamp(max=1.0) ** alpha": "(counts / 100).clamp(max=1.0) ** 0.75"},
     "x_max and alpha are written as fixed numbers: they are arguments", killed_by="test_x_max_and_alpha_are_obeyed")
edit("glove_weight", "frequent-get-zero", {"torch.ones": "torch.zeros"},
     "frequent pairs get weight 0: from x_max on it is 1", killed_by="test_from_x_max_on_the_weight_is_one", of="where")
edit("glove_weight", "raised-to-one", {"counts / x_max": "counts.clamp(min=1) / x_max"},
     "counts below 1 are raised to 1 first: f(0) is 0", killed_by="test_a_pair_that_was_never_seen_has_weight_0")
edit("glove_weight", "inverse-power",
     {"(counts / x_max).clamp(max=1.0) ** alpha": "(counts / x_max).clamp(max=1.0) ** (1 / alpha)"},
     "the power is 1 / alpha: it is alpha", killed_by="test_the_weight_grows_with_the_power_three_quarters")
edit("glove_weight", "changed-in-place",
     {"return (counts":
     ("if counts.is_floating_point():\n"
      "        return counts.div_(x_max).clamp_(max=1.0).pow_(alpha)\n"
      "    return (counts")},
     "the counts are changed in place: the table is needed again",
     killed_by="test_random_counts_agree_with_the_definition_and_stay_as_they_are")
edit("glove_weight", "zero-is-unsaid", {"clamp(max=1.0) ** alpha": "clamp(max=1.0) ** (alpha or 0.75)"},
     "an alpha of 0 is taken for none given",
     killed_by="test_small_counts_other_powers_and_a_single_number_have_weights")
edit("glove_weight", "something-added", {"(counts / x_max)": "((counts + 1e-6) / x_max)"},
     "something is added to the counts, so a count of 0 has a weight",
     killed_by="test_small_counts_other_powers_and_a_single_number_have_weights")
edit("glove_weight", "at-least-one-axis", {"(counts / x_max)": "(torch.atleast_1d(counts) / x_max)"},
     "a single number comes back with an axis",
     killed_by="test_small_counts_other_powers_and_a_single_number_have_weights")
edit("glove_weight", "numpy-array", {"return (counts / x_max).clamp(max=1.0) ** alpha": "return ((counts / x_max).clamp(max=1.0) ** alpha).numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_the_weight_grows_with_the_power_three_quarters")
edit("glove_weight", "list", {"return (counts / x_max).clamp(max=1.0) ** alpha": "return ((counts / x_max).clamp(max=1.0) ** alpha).tolist()"},
     "a list comes back: a tensor is asked for",
     killed_by="test_the_weight_grows_with_the_power_three_quarters")


# glove_loss
@alternative("glove_loss", "einsum")
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    predicted = torch.einsum("nd,nd->n", word, context) + word_bias + context_bias
    weight = torch.where(counts < x_max, (counts / x_max) ** 0.75, torch.ones(()))
    return weight @ (predicted - torch.log(counts)).square()


@alternative("glove_loss", "one-loop",
             slow="a loop over the pairs of words with a count, if training asks it for its gradient")
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    total = torch.zeros((), dtype=word.dtype)
    for n in range(len(counts)):
        error = word[n] @ context[n] + word_bias[n] + context_bias[n] - math.log(counts[n])
        total = total + min(1.0, float(counts[n]) / x_max) ** 0.75 * error**2
    return total


edit("glove_loss", "count-not-logarithm", {"counts.log()": "counts"},
     "the dot product is fitted to the count: it is the count's logarithm",
     killed_by="test_a_perfect_fit_costs_nothing")
edit("glove_loss", "biases-left-out", {" + word_bias + context_bias": ""},
     "the two biases are left out", killed_by="test_a_perfect_fit_costs_nothing")
edit("glove_loss", "context-bias-left-out", {" + context_bias": ""},
     "the context's bias is left out: there are two", killed_by="test_a_perfect_fit_costs_nothing")
edit("glove_loss", "weights-left-out", {"glove_weight(counts, x_max) * error**2": "error**2"},
     "the weights f are left out: every entry counts alike", killed_by="test_rare_pairs_weigh_less")
edit("glove_loss", "mean-over-entries", {"error**2).sum()": "error**2).mean()"},
     "the mean is taken over the entries: eq. 8 is a sum",
     killed_by="test_zeros_cost_the_weighted_square_of_the_logarithm")
edit("glove_loss", "weight-inside-square",
     {"glove_weight(counts, x_max) * error**2": "(glove_weight(counts, x_max) * error) ** 2"},
     "the weight is inside the square: it multiplies the squared error", killed_by="test_rare_pairs_weigh_less")
edit("glove_loss", "logarithm-of-one-more", {"counts.log()": "counts.log1p()"},
     "the logarithm of 1 + X is fitted, not that of X", killed_by="test_a_perfect_fit_costs_nothing")
edit("glove_loss", "base-two", {"counts.log()": "counts.log2()"},
     "the logarithm is to the base 2: eq. 8 takes the natural one", killed_by="test_a_perfect_fit_costs_nothing")
edit("glove_loss", "x-max-not-passed", {"(counts, x_max)": "(counts)"},
     "x_max is not passed on to the weight", killed_by="test_zeros_cost_the_weighted_square_of_the_logarithm")
edit("glove_loss", "every-pair", {"(word * context).sum(dim=1) + word_bias": "word @ context.T + word_bias[:, None]"},
     "every word is paired with every context (word @ context.T): entry n has one of each",
     killed_by="test_zeros_cost_the_weighted_square_of_the_logarithm")
edit("glove_loss", "contexts-detached", {"(word * context)": "(word * context.detach())"},
     "the context vectors are taken as constants: they learn as the words' do",
     killed_by="test_vectors_and_biases_can_all_be_trained")
edit("glove_loss", "biases-detached", {"word_bias + context_bias": "(word_bias + context_bias).detach()"},
     "the biases are taken as constants: they learn, too",
     killed_by="test_vectors_and_biases_can_all_be_trained")
edit("glove_loss", "errors-cut-off", {"    return": "    error = error.clamp(-10, 10)\n    return"},
     "errors beyond ±10 are cut off",
     killed_by="test_random_batches_agree_with_the_definition")
edit("glove_loss", "logarithm-from-zero-on", {"counts.log()": "counts.clamp(min=1).log()"},
     "counts below 1 are taken for 1: harmonic counts may be",
     killed_by="test_random_batches_agree_with_the_definition")
edit("glove_loss", "fifty-entries", {"error**2)": "error**2)[:50]"},
     "only the first fifty entries are summed",
     killed_by="test_random_batches_agree_with_the_definition")
edit("glove_loss", "ones-left-out", {"error**2)": "error**2 * (counts != 1))"},
     "entries of exactly 1, whose logarithm is 0, are left out",
     killed_by="test_random_batches_agree_with_the_definition")
edit("glove_loss", "something-added", {"counts.log()": "(counts + 1e-10).log()"},
     "something is added under the logarithm, though counts are positive",
     killed_by="test_random_batches_agree_with_the_definition")
edit("glove_loss", "plain-number", {"error**2).sum()": "error**2).sum().item()"},
     "a number comes back: a scalar tensor is asked for",
     killed_by="test_zeros_cost_the_weighted_square_of_the_logarithm")


# glove_gradients
@alternative("glove_gradients", "autograd")
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    leaves = tuple(x.detach().clone().requires_grad_() for x in (word, context, word_bias, context_bias))
    with torch.enable_grad():
        return tuple(torch.autograd.grad(glove_loss(*leaves, counts, x_max), leaves))


@alternative("glove_gradients", "one-loop",
             slow="a loop over the pairs of words with a count, in each of twenty passes")
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    rows = []
    for w, c, a, b, x in zip(word, context, word_bias, context_bias, counts):
        slope = 2 * min(1.0, float(x) / x_max) ** 0.75 * (w @ c + a + b - math.log(x))
        rows.append((slope * c, slope * w, slope, slope))
    return tuple(torch.stack(column) for column in zip(*rows))


edit("glove_gradients", "held-within-a-hundred", {"return slope[:, None] * context": "slope = slope.clamp(-100, 100)\n    return slope[:, None] * context"},
     "slopes are held between −100 and 100: the gradients are those of glove_loss, however large",
     killed_by="test_the_gradients_agree_with_finite_differences")
edit("glove_gradients", "factor-two-missing", {"2 * glove_weight(counts, x_max)": "glove_weight(counts, x_max)"},
     "the 2 is missing: the derivative of e² is 2e", killed_by="test_the_gradients_are_those_of_autograd")
edit("glove_gradients", "sign-turned-round", {"(word * context).sum(dim=1) + word_bias + context_bias - counts.log()":
     "counts.log() - (word * context).sum(dim=1) - word_bias - context_bias"},
     "the sign is turned round: these go downhill, where a gradient points uphill",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("glove_gradients", "vectors-exchanged",
     {"slope[:, None] * context, slope[:, None] * word": "slope[:, None] * word, slope[:, None] * context"},
     "the two vectors are exchanged: the derivative for w is w̃, that for w̃ is w",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("glove_gradients", "weight-left-out", {"2 * glove_weight(counts, x_max) * error": "2 * error"},
     "the weight f is left out", killed_by="test_the_gradients_are_those_of_autograd")
edit("glove_gradients", "biases-left-out", {" + word_bias + context_bias": ""},
     "the biases are left out of the error", killed_by="test_an_entry_that_fits_does_not_move")
edit("glove_gradients", "logarithm-forgotten", {"counts.log()": "counts"},
     "the logarithm is forgotten: the error is taken from the count", killed_by="test_an_entry_that_fits_does_not_move")
edit("glove_gradients", "biases-added-up", {"slope, slope": "slope.sum(), slope.sum()"},
     "the biases' gradients are added up to one number: each entry has its own",
     killed_by="test_the_gradients_are_those_of_autograd")
edit("glove_gradients", "x-max-not-passed", {"glove_weight(counts, x_max)": "glove_weight(counts)"},
     "x_max is not passed on to the weight", killed_by="test_the_gradients_are_those_of_autograd")
edit("glove_gradients", "slopes-clipped", {"    return": "    slope = slope.clamp(-10, 10)\n    return"},
     "slopes are cut off at ±10",
     killed_by="test_the_gradients_agree_with_finite_differences")
edit("glove_gradients", "vectors-clipped", {"return slope[:, None] * context": "return (slope[:, None] * context).clamp(-100, 100)", "slope[:, None] * word": "(slope[:, None] * word).clamp(-100, 100)"},
     "gradients of vectors are cut off at ±100",
     killed_by="test_the_gradients_agree_with_finite_differences")
edit("glove_gradients", "frequent-stay", {"    return": "    slope = slope * (counts <= 10 * x_max)\n    return"},
     "entries far above x_max get no gradient: their weight is 1",
     killed_by="test_the_gradients_agree_with_finite_differences")
edit("glove_gradients", "one-entry-squeezed", {"slope[:, None] * word, slope": "(slope[:, None] * word).squeeze(), slope"},
     "axes of one entry or of one number are squeezed away",
     killed_by="test_one_entry_many_entries_and_extreme_counts_have_gradients")
edit("glove_gradients", "numpy-arrays", {"return slope[:, None] * context, slope[:, None] * word, slope, slope": "return tuple(x.numpy() for x in (slope[:, None] * context, slope[:, None] * word, slope, slope))"},
     "arrays come back: tensors are asked for",
     killed_by="test_the_gradients_are_those_of_autograd")


# adagrad_step
@alternative("adagrad_step", "addcmul-addcdiv")
def adagrad_step(parameters, squares, gradients, lr):
    total = torch.addcmul(squares, gradients, gradients)
    return torch.addcdiv(parameters, gradients, total.sqrt(), value=-lr), total


@alternative("adagrad_step", "rsqrt")
def adagrad_step(parameters, squares, gradients, lr):
    total = squares + gradients.square()
    return parameters - gradients * lr * total.rsqrt(), total


edit("adagrad_step", "root-missing", {"squares.sqrt()": "squares"},
     "the sum of squares is not under a root", killed_by="test_the_first_step_is_divided_by_the_gradients_size")
edit("adagrad_step", "divided-by-old-sum",
     {"squares = squares + gradients**2": "old, squares = squares, squares + gradients**2",
     "squares.sqrt()": "old.sqrt()"},
     "the step is divided by the old sum: the newest square belongs to it",
     killed_by="test_earlier_gradients_make_the_step_smaller")
edit("adagrad_step", "uphill",
     {"parameters - lr * gradients / squares.sqrt()": "parameters + lr * gradients / squares.sqrt()"},
     "the step goes uphill: it is subtracted", killed_by="test_the_first_step_is_divided_by_the_gradients_size")
edit("adagrad_step", "earlier-forgotten", {"squares + gradients**2": "gradients**2 + 1e-12"},
     "earlier squares are forgotten: they are added up", killed_by="test_earlier_gradients_make_the_step_smaller")
edit("adagrad_step", "averaged-with-decay", {"squares + gradients**2": "0.9 * squares + 0.1 * gradients**2"},
     "the squares are averaged with decay (RMSProp): AdaGrad adds them up",
     killed_by="test_earlier_gradients_make_the_step_smaller")
edit("adagrad_step", "one-sum-for-all", {"gradients**2": "(gradients**2).sum()"},
     "one sum is kept for all numbers together: each has its own",
     killed_by="test_the_first_step_is_divided_by_the_gradients_size")
edit("adagrad_step", "gradients-not-squared", {"gradients**2": "gradients.abs()"},
     "gradients are added up, not their squares", killed_by="test_earlier_gradients_make_the_step_smaller")
edit("adagrad_step", "changed-in-place", {"squares = squares + gradients**2": "squares += gradients**2",
     "return parameters - lr * gradients / squares.sqrt()":
     "parameters -= lr * gradients / squares.sqrt()\n    return parameters"},
     "the tensors that were given are changed in place", killed_by="test_nothing_is_changed_in_place")
edit("adagrad_step", "something-added", {"squares.sqrt(), squares": "(squares.sqrt() + 1e-6), squares"},
     "something is added to the root, so tiny gradients make too small steps",
     killed_by="test_tiny_and_huge_gradients_make_steps_in_double_precision")
edit("adagrad_step", "little-added", {"squares.sqrt(), squares": "(squares + 1e-20).sqrt(), squares"},
     "something is added under the root, though the squares are positive",
     killed_by="test_tiny_and_huge_gradients_make_steps_in_double_precision")
edit("adagrad_step", "gradients-clipped", {"squares = squares": "gradients = gradients.clamp(-1000, 1000)\n    squares = squares"},
     "gradients are cut off at ±1000",
     killed_by="test_tiny_and_huge_gradients_make_steps_in_double_precision")
edit("adagrad_step", "single-precision", {"squares.sqrt(), squares": "squares.sqrt().float(), squares.float()"},
     "the step is rounded to float32",
     killed_by="test_tiny_and_huge_gradients_make_steps_in_double_precision")
edit("adagrad_step", "rate-at-most-half", {"lr * gradients": "min(lr, 0.5) * gradients"},
     "the rate is at most ½",
     killed_by="test_tiny_and_huge_gradients_make_steps_in_double_precision")
edit("adagrad_step", "list-for-tuple", {"return parameters - lr * gradients / squares.sqrt(), squares": "return [parameters - lr * gradients / squares.sqrt(), squares]"},
     "a list comes back: a tuple is asked for",
     killed_by="test_earlier_gradients_make_the_step_smaller")


# train_glove
@alternative("train_glove", "gradients-by-index-put")
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


@alternative("train_glove", "gradients-by-autograd")
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


@alternative("train_glove", "gradients-by-one-hot")
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


edit("train_glove", "one-entry-per-word", {"total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)":
     "total = torch.zeros_like(tables[number])\n                total[ids] += gradient"},
     "a word that occurs several times in a batch keeps the gradient of one entry only (table[ids] = g): they add up",
     killed_by="test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word")
edit("train_glove", "x-max-not-passed", {"counts[entries], x_max": "counts[entries]"},
     "x_max is not passed on, so that the weights are those of x_max = 100",
     killed_by="test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word")
edit("train_glove", "columns-for-rows", {"i, k = pairs": "k, i = pairs"},
     "columns are taken for rows: the word's vector is that of the entry's row",
     killed_by="test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word")
edit("train_glove", "uphill", {"total, lr": "-total, lr"},
     "the step goes uphill", killed_by="test_the_model_learns_the_logarithms_of_the_counts")
edit("train_glove", "steps-added-up", {"total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)":
     "moved, _ = adagrad_step(tables[number][ids], squares[number][ids], gradient, lr)",
     "tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)":
     ("squares[number].index_add_(0, ids, gradient**2)\n"
      "                tables[number].index_add_(0, ids, moved - tables[number][ids].clone())")},
     "each entry steps by itself from the same start, and the steps are added up: gradients are added up first, then comes one step",
     killed_by="test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word")
edit("train_glove", "squares-not-kept", {"tables[number], squares[number] = adagrad": "tables[number], _ = adagrad"},
     "the squares are not kept, so steps never become smaller",
     killed_by="test_steps_become_smaller_from_batch_to_batch")
edit("train_glove", "biases-never-moved", {"zip((i, k, i, k), gradients)": "zip((i, k), gradients)"},
     "the biases are never moved", killed_by="test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word")
edit("train_glove", "vectors-never-moved",
     {"total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)":
     ("if number < 2:\n"
      "                    continue\n"
      "                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)")},
     "the vectors are never moved", killed_by="test_the_model_learns_the_logarithms_of_the_counts")
edit("train_glove", "divided-by-batch", {"0, ids, gradient": "0, ids, gradient / len(entries)"},
     "gradients are divided by the size of the batch: the loss is a sum",
     killed_by="test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word")
edit("train_glove", "plain-descent",
     {"tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)":
     "tables[number] = tables[number] - lr * total"},
     "this is plain gradient descent: the steps are not divided by the root of the squares",
     killed_by="test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word")
edit("train_glove", "shared-table",
     {"word, context, word_bias": "tables[1] = tables[0]\n            word, context, word_bias"},
     "word and context share one table: each word has two vectors",
     killed_by="test_epochs_agree_with_torch_step_by_step")
edit("train_glove", "fixed-rate", {"total, lr": "total, 0.05"},
     "lr is not passed on: a fixed step is taken",
     killed_by="test_the_first_step_adds_up_the_gradients_of_all_entries_of_a_word")
edit("train_glove", "fixed-seed", {"manual_seed(seed)": "manual_seed(0)"},
     "the generator is given a fixed seed, so the argument is ignored",
     killed_by="test_the_same_seed_gives_the_same_model_and_another_seed_another")
edit("train_glove", "last-batch-left-out", {"            i, k = pairs": "            if len(entries) < batch < len(counts):\n                continue\n            i, k = pairs"},
     "the last, smaller batch of an epoch is left out",
     killed_by="test_epochs_agree_with_torch_step_by_step")
edit("train_glove", "gradients-clipped", {"squares[number], total, lr)": "squares[number], total.clamp(-100, 100), lr)"},
     "gradients are cut off at ±100",
     killed_by="test_epochs_agree_with_torch_step_by_step")


# log_ratios
@alternative("log_ratios", "both-logarithms")
def log_ratios(model, totals, i, j):
    words, contexts, word_biases, context_biases = model
    one, other = (contexts @ words[n] + word_biases[n] + context_biases - totals[n].log() for n in (i, j))
    return one - other


@alternative("log_ratios", "numpy-probe-by-probe")
def log_ratios(model, totals, i, j):
    words, contexts, biases, _ = (table.double().numpy() for table in model)
    shift = biases[i] - biases[j] - math.log(totals[i] / totals[j])
    return torch.tensor([float((words[i] - words[j]) @ contexts[k]) + shift for k in range(len(contexts))]).float()


edit("log_ratios", "biases-left-out", {" + biases[i] - biases[j]": ""},
     "the biases are left out: trained ones are not ln X exactly",
     killed_by="test_a_model_that_fits_gives_the_ratios_of_its_table")
edit("log_ratios", "totals-left-out", {"word_biases, _": "biases, _", "biases = word_biases - totals.log()": ""},
     "the totals are left out: this is the ratio of counts, not that of probabilities",
     killed_by="test_a_frequent_word_is_not_nearer_to_everything")
edit("log_ratios", "sums-without-logarithm", {"totals.log()": "totals"},
     "the sums are subtracted as they are: their logarithms belong there",
     killed_by="test_a_frequent_word_is_not_nearer_to_everything")
edit("log_ratios", "logarithms-added", {"word_biases - totals": "word_biases + totals"},
     "the logarithms of the sums are added: each count is divided by the sum of its row",
     killed_by="test_a_frequent_word_is_not_nearer_to_everything")
edit("log_ratios", "probes-as-words", {"contexts @": "words @"},
     "the probes have the vectors w: k is a context, so its vector is w̃",
     killed_by="test_a_model_that_fits_gives_the_ratios_of_its_table")
edit("log_ratios", "words-exchanged",
     {"words[i] - words[j]) + biases[i] - biases[j]": "words[j] - words[i]) + biases[j] - biases[i]"},
     "i and j are exchanged: P(k | i) stands above", killed_by="test_a_model_that_fits_gives_the_ratios_of_its_table")
edit("log_ratios", "context-biases", {"word_biases, _ =": "_, word_biases ="},
     "the context's biases are taken: those of the two words belong there",
     killed_by="test_a_model_that_fits_gives_the_ratios_of_its_table")
edit("log_ratios", "ratio-itself", {"return contexts @ (words[i] - words[j]) + biases[i] - biases[j]":
     "return (contexts @ (words[i] - words[j]) + biases[i] - biases[j]).exp()"},
     "this is the ratio: its logarithm was asked for", killed_by="test_a_model_that_fits_gives_the_ratios_of_its_table")


# Mutants of the reference that no check can tell from a right answer.
edit("log_ratios", "totals-at-least-one", {"totals.log()": "totals.clamp(min=1).log()"},
     "totals below 1 are taken for 1: harmonic counts may be",
     killed_by="test_random_models_agree_with_the_formula")
edit("log_ratios", "ratios-cut-off", {"return contexts @ (words[i] - words[j]) + biases[i] - biases[j]": "return (contexts @ (words[i] - words[j]) + biases[i] - biases[j]).clamp(-5, 5)"},
     "ratios beyond ±5 are cut off",
     killed_by="test_random_models_agree_with_the_formula")
edit("log_ratios", "ten-words", {"return contexts @": "return contexts[:10] @"},
     "only the first ten words come back",
     killed_by="test_random_models_agree_with_the_formula")
edit("log_ratios", "list", {"return contexts @ (words[i] - words[j]) + biases[i] - biases[j]": "return (contexts @ (words[i] - words[j]) + biases[i] - biases[j]).tolist()"},
     "a list comes back: a tensor is asked for",
     killed_by="test_a_frequent_word_is_not_nearer_to_everything")
edit("log_ratios", "numpy-array", {"return contexts @ (words[i] - words[j]) + biases[i] - biases[j]": "return (contexts @ (words[i] - words[j]) + biases[i] - biases[j]).numpy()"},
     "an array comes back: a tensor is asked for",
     killed_by="test_a_frequent_word_is_not_nearer_to_everything")


equivalent(
    "probability_ratios",
    "1: counts.sum(dim=1, keepdim=True) → counts.mean(dim=1, keepdim=True)",
    "both rows are divided by the mean in place of the sum, K times as small: the ratio is the same",
)
equivalent(
    "harmonic_counts",
    "1: enumerate(words) → [(words.index(item), item) for item in words]",
    "the words are different strings, so each is found at its own place",
)
equivalent("glove_loss", "2: predicted - counts.log() → counts.log() - predicted", "the error is squared")
equivalent(
    "train_glove",
    "3: glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max) → "
    "glove_gradients(word[i], context[k], context_bias[k], word_bias[i], counts[entries], x_max)",
    "the two biases are added up, and their gradients are equal",
)
equivalent(
    "glove_loss",
    "3: (glove_weight(counts, x_max) * error ** 2).sum() → (glove_weight(counts, x_max) * error ** 2).sum().squeeze()",
    "the sum is a scalar already",
)
equivalent(
    "train_glove",
    "4: enumerate(zip((i, k, i, k), gradients)) "
    "→ __import__('itertools').islice(enumerate(zip((i, k, i, k), gradients)), 10)",
    "there are four tables",
)
