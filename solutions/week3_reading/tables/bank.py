"""Auditing tables: classic mistakes and other right ways, for each exercise. Never released."""

import itertools
import math
from decimal import Decimal
from statistics import NormalDist

import numpy as np
import pandas as pd

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# interval
@alternative("interval", "digits-scaled")
def interval(printed):
    digits, _, exponent = printed.lower().partition("e")
    whole, _, decimals = digits.partition(".")
    power = int(exponent or 0) - len(decimals) - 1
    tens = Decimal(whole + decimals) * 10
    return (tens - 5).scaleb(power), (tens + 5).scaleb(power)


@alternative("interval", "fractions")
def interval(printed):
    from fractions import Fraction

    half = Fraction(1, 2) * Fraction(10) ** Decimal(printed).as_tuple().exponent
    return Fraction(printed) - half, Fraction(printed) + half


edit("interval", "whole-unit",
     {"Decimal(5).scaleb(value.as_tuple().exponent - 1)": "Decimal(1).scaleb(value.as_tuple().exponent)"},
     "a whole unit of the last digit to both sides: half a unit",
     killed_by="test_half_a_unit_of_the_last_digit_to_both_sides")
edit("interval", "fixed-half", {"Decimal(5).scaleb(value.as_tuple().exponent - 1)": 'Decimal("0.05")'},
     "always 0.05: the last digit need not be the first after the point", killed_by="test_zeros_at_the_end_are_digits")
edit("interval", "float-between", {"return value - half, value + half":
     "return Decimal(float(value) - float(half)), Decimal(float(value) + float(half))"},
     "a float stands between: 28.35 is no float, and half a unit is no longer exact",
     killed_by="test_half_a_unit_of_the_last_digit_to_both_sides")
edit("interval", "zeros-dropped", {"value.as_tuple": "value.normalize().as_tuple"},
     "zeros at the end were dropped: 28.40 was rounded at its second digit",
     killed_by="test_zeros_at_the_end_are_digits")
edit("interval", "exponent-forgotten", {"value.as_tuple()": 'Decimal(printed.lower().split("e")[0]).as_tuple()'},
     "the exponent was forgotten: the last digit of 2.2e-5 counts millionths",
     killed_by="test_scientific_notation_counts_the_digits_before_the_exponent")
edit("interval", "negative-ends-exchanged",
     {"value - half, value + half": "(value - half).copy_sign(value), (abs(value) + half).copy_sign(value)"},
     "for a negative number the ends are exchanged: the low end is the one further from zero",
     killed_by="test_many_printed_numbers_agree_with_fractions")


# spread
@alternative("spread", "bits-as-corners")
def spread(formula, *printed):
    low = high = None
    for bits in range(2 ** len(printed)):
        value = formula(*(interval(text)[bits >> i & 1] for i, text in enumerate(printed)))
        low = value if low is None or value < low else low
        high = value if high is None or value > high else high
    return low, high


@alternative("spread", "recursive")
def spread(formula, *printed):
    def values(chosen, rest):
        if not rest:
            return [formula(*chosen)]
        return [value for end in interval(rest[0]) for value in values([*chosen, end], rest[1:])]

    ends = sorted(values([], printed))
    return ends[0], ends[-1]


edit("spread", "two-corners", {"itertools.product(*map(interval, printed))": "zip(*map(interval, printed))"},
     "only two corners were tried, all low and all high: a ratio is least where the second is high",
     killed_by="test_a_ratio_is_least_where_its_parts_disagree")
edit("spread", "printed-as-exact", {"itertools.product(*map(interval, printed))": "[map(Decimal, printed)]"},
     "the printed numbers were taken as exact", killed_by="test_one_number_has_two_ends")
edit("spread", "neighbours-only", {"itertools.product(*map(interval, printed))":
     "([interval(p)[(i + first) % 2] for i, p in enumerate(printed)] for first in (0, 1))"},
     "only corners at which neighbours disagree were tried: that is right for a ratio, not for every formula",
     killed_by="test_sums_differences_and_products_of_any_sign_agree_with_fractions")
edit("spread", "greatest-first", {"min(values), max(values)": "max(values), min(values)"},
     "the greatest value comes first: (low, high) is asked for", killed_by="test_one_number_has_two_ends")
edit("spread", "half-unit-on-result",
     {"values = [formula(*corner) for corner in itertools.product(*map(interval, printed))]":
     ("value = formula(*map(Decimal, printed))\n"
      "    half = max((interval(p)[1] - interval(p)[0]) / 2 for p in printed)"),
     "min(values), max(values)": "value - half, value + half"},
     "half a unit was put on the result: its interval follows from those of its parts",
     killed_by="test_a_product_of_negative_numbers_has_its_extremes_at_other_corners")

edit("spread", "zero-left-out", {"itertools.product(*map(interval, printed))]": "itertools.product(*map(interval, printed)) if formula(*corner)]"},
     "a value of 0 was left out: 0 is a number, and may be the least", killed_by="test_equal_numbers_are_apart_and_zero_is_a_value")


@mistake("spread", "two-at-their-upper-end", "no more than two numbers were taken at their upper ends: three 1.0 add up to 3.15 at most",
         killed_by="test_any_corner_of_any_number_of_numbers_may_be_an_extreme")
def spread(formula, *printed):
    lows, highs = zip(*map(interval, printed))
    values = []
    for i in range(len(printed)):
        for j in range(len(printed)):
            for chosen in ((), (i,), (i, j)):
                values.append(formula(*(highs[k] if k in chosen else lows[k] for k in range(len(printed)))))
    values.append(formula(*lows))
    return min(values), max(values)


@mistake("spread", "one-end-at-a-time", "one number at a time was moved to an end, the others all low or all high",
         killed_by="test_any_corner_of_any_number_of_numbers_may_be_an_extreme")
def spread(formula, *printed):
    ends = list(map(interval, printed))
    values = []
    for rest in (0, 1):
        for i in range(len(ends)):
            for end in (0, 1):
                values.append(formula(*(pair[end] if j == i else pair[rest] for j, pair in enumerate(ends))))
    return min(values), max(values)


@mistake("spread", "equal-texts-as-one", "two numbers that print alike were taken for one: each may have been rounded from another",
         killed_by="test_equal_numbers_are_apart_and_zero_is_a_value")
def spread(formula, *printed):
    texts = list(dict.fromkeys(printed))
    values = []
    for corner in itertools.product(*map(interval, texts)):
        at = dict(zip(texts, corner))
        values.append(formula(*(at[text] for text in printed)))
    return min(values), max(values)



# follows
@alternative("follows", "shifted-interval")
def follows(claimed, possible, cut=False):
    low, high = interval(claimed)
    if not cut:
        return max(low, possible[0]) <= min(high, possible[1])
    low, high = low + (high - low) / 2, high + (high - low) / 2
    return not (possible[1] < low or possible[0] >= high)


@alternative("follows", "decimal-floor")
def follows(claimed, possible, cut=False):
    from decimal import ROUND_FLOOR

    value = Decimal(claimed)
    unit = Decimal(1).scaleb(value.as_tuple().exponent)
    if cut:
        first = (possible[0] / unit).to_integral_value(ROUND_FLOOR)
        last = (possible[1] / unit).to_integral_value(ROUND_FLOOR)
        return bool(first <= value / unit <= last)
    return bool(possible[0] - unit / 2 <= value <= possible[1] + unit / 2)


edit("follows", "claim-as-exact",
     {"low <= possible[1] and possible[0] <= high": "possible[0] <= Decimal(claimed) <= possible[1]"},
     "the claim was taken as exact: it was rounded too", killed_by="test_the_ends_count")
edit("follows", "middle-must-lie", {"low, high = interval(claimed)":
     "low, high = interval(claimed)\n    possible = [(possible[0] + possible[1]) / 2] * 2"},
     "the middle of what is possible must lie in the claim's interval: any common number is enough",
     killed_by="test_intervals_that_share_a_number")
edit("follows", "ends-left-out",
     {"low <= possible[1] and possible[0] <= high": "low < possible[1] and possible[0] < high"},
     "the ends were left out: a half may have been rounded to this number", killed_by="test_the_ends_count")
edit("follows", "everything-must-lie",
     {"low, high = interval(claimed)": "low, high = interval(claimed)\n    possible = possible[1], possible[0]"},
     "everything that is possible must lie in the claim's interval: one common number is enough",
     killed_by="test_intervals_that_share_a_number")
edit("follows", "cut-ignored",
     {("if cut:\n"
      "        half = (high - low) / 2\n"
      "        return low + half <= possible[1] and possible[0] < high + half"):
     ""},
     "`cut` makes no difference", killed_by="test_a_number_that_was_cut_off_stands_for_all_up_to_the_next")
edit("follows", "cut-left-out",
     {"half = (high - low) / 2": "low, high = Decimal(claimed), Decimal(claimed) + (high - low)",
     "return low + half <= possible[1] and possible[0] < high + half": ""},
     "88 would not have been cut to 87: the next number is left out",
     killed_by="test_what_is_cut_off_is_less_than_one_unit")
edit("follows", "cut-downwards", {"low + half <= possible[1] and possible[0] < high + half":
     "low - half < possible[1] and possible[0] <= high - half"},
     "what was cut off makes a number smaller: the true one lies above the printed one",
     killed_by="test_a_number_that_was_cut_off_stands_for_all_up_to_the_next")

edit("follows", "floats-compared", {"low, high = interval(claimed)": "low, high = map(float, interval(claimed))\n    possible = [float(end) for end in possible]"},
     "the ends were made floats before they were compared: what lies just outside falls on the border",
     killed_by="test_a_hairs_breadth_outside_and_a_claim_of_nothing")



# average
@alternative("average", "one-loop")
def average(table, groups):
    found = {}
    for name, row in table.iterrows():
        ends = []
        for end in (0, 1):
            total = Decimal(0)
            for group in groups:
                total += sum(interval(row[column])[end] for column in group) / Decimal(len(group))
            ends.append(total / len(groups))
        found[name] = tuple(ends)
    return found


@alternative("average", "fraction-weights")
def average(table, groups):
    from fractions import Fraction

    weights = {column: Fraction(1, len(group) * len(groups)) for group in groups for column in group}

    def ends(row):
        pairs = [(interval(row[column]), weight) for column, weight in weights.items()]
        return tuple(sum(Fraction(pair[end]) * weight for pair, weight in pairs) for end in (0, 1))

    return table.apply(ends, axis=1).to_dict()


@alternative("average", "numpy-means")
def average(table, groups):
    low, high = (
        np.mean(
            [table[group].map(lambda cell, end=end: float(interval(cell)[end])).mean(axis=1) for group in groups],
            axis=0,
        )
        for end in (0, 1)
    )
    return dict(zip(table.index, zip(low, high)))


edit("average", "columns-count-alike",
     {"sum(numbers[group].sum(axis=1) / len(group) for group in groups) / len(groups)":
     "numbers[[column for group in groups for column in group]].sum(axis=1) / sum(map(len, groups))"},
     "every column counts alike: a group counts once, by its own mean", killed_by="test_a_group_counts_once")
edit("average", "divided-by-columns", {"/ len(groups)": "/ sum(map(len, groups))"},
     "the sum of the groups was divided by the number of columns, not of groups", killed_by="test_a_group_counts_once")
edit("average", "scores-as-exact",
     {"table.map(interval)": "table.map(lambda printed: (Decimal(printed), Decimal(printed)))"},
     "the scores were taken as exact", killed_by="test_each_row_has_the_mean_of_its_columns")


@mistake("average", "mean-over-rows", "the mean over the rows of each column: the mean of each row is asked for",
         killed_by="test_each_row_has_the_mean_of_its_columns")
def average(table, groups):
    return {
        group[0]: tuple(
            sum(interval(cell)[end] for column in group for cell in table[column]) / (len(table) * len(group))
            for end in (0, 1)
        )
        for group in groups
    }


@mistake("average", "independent-errors",
         "the interval was divided by the root of the number of columns, as if roundings were independent errors: all of them may point the same way",
         killed_by="test_each_row_has_the_mean_of_its_columns")
def average(table, groups):
    found = {}
    for name, row in table.iterrows():
        mean = sum(sum(Decimal(row[column]) for column in group) / len(group) for group in groups) / len(groups)
        halves = [(interval(row[column])[1] - interval(row[column])[0]) / 2 for group in groups for column in group]
        half = sum(halves) / len(halves) / Decimal(len(halves)).sqrt()
        found[name] = (mean - half, mean + half)
    return found


edit("average", "sums-averaged", {".sum(axis=1) / len(group) for": ".sum(axis=1) for"},
     "the groups' sums were averaged: first comes the mean within each group", killed_by="test_a_group_counts_once")

edit("average", "names-as-text", {"dict(zip(table.index,": "dict(zip(map(str, table.index),"},
     "the rows' names were made texts: a table whose rows are 7 and 8 has those names", killed_by="test_groups_of_three_zeros_and_names_that_are_numbers")



# training_flops
@alternative("training_flops", "products")
def training_flops(time, devices, teraflops):
    number, unit = time.split(" ")
    hours = 24 if unit == "days" else 1
    low, high = (a * b * Decimal("1e12") for a, b in zip(interval(number), interval(teraflops)))
    return low * hours * 3600 * devices, high * hours * 3600 * devices


@alternative("training_flops", "fractions")
def training_flops(time, devices, teraflops):
    from fractions import Fraction

    number, unit = time.split()
    scale = Fraction(pd.Timedelta(1, unit=unit[0]).total_seconds()) * devices * 10**12
    return tuple(Fraction(t) * Fraction(r) * scale for t, r in zip(interval(number), interval(teraflops)))


@alternative("training_flops", "by-spread")
def training_flops(time, devices, teraflops):
    number, unit = time.split()
    seconds = {"hours": 3600.0, "days": 86400.0}[unit]
    return spread(lambda duration, rate: float(duration) * seconds * devices * float(rate) * 1e12, number, teraflops)


edit("training_flops", "days-as-hours", {"24 * 3600": "3600"},
     "days were taken as hours", killed_by="test_days")
edit("training_flops", "minutes-for-hours", {'{"hours": 3600, "days": 24 * 3600}': '{"hours": 60, "days": 24 * 60}'},
     "an hour has 3600 seconds, not 60", killed_by="test_hours")
edit("training_flops", "devices-rounded",
     {"lambda duration, rate: duration * seconds * devices * rate * 10**12, number":
     "lambda duration, n, rate: duration * seconds * n * rate * 10**12, number, str(devices)"},
     "the number of devices was taken as rounded: it was counted", killed_by="test_hours")
edit("training_flops", "giga", {"10**12": "10**9"},
     "tera is 10¹², giga is 10⁹", killed_by="test_hours")
edit("training_flops", "rate-through-float", {"number, teraflops)": "number, str(float(teraflops)))"},
     "the rate goes through a float, which forgets printed zeros: 9.50 becomes 9.5, and 10 becomes 10.0",
     killed_by="test_any_training_keeps_the_digits_of_time_and_rate")
edit("training_flops", "time-through-float", {"number, teraflops)": "str(float(number)), teraflops)"},
     "the time goes through a float, which forgets printed zeros: 3.50 becomes 3.5, and 12 becomes 12.0",
     killed_by="test_any_training_keeps_the_digits_of_time_and_rate")
edit("training_flops", "one-device", {"duration * seconds * devices": "duration * seconds"},
     "the cost of one device: there are several", killed_by="test_hours")
edit("training_flops", "printed-as-exact",
     {"return spread(lambda duration, rate: duration * seconds * devices * rate * 10**12, number, teraflops)":
     "flops = Decimal(number) * seconds * devices * Decimal(teraflops) * 10**12\n    return flops, flops"},
     "time and rate were taken as exact: both were rounded", killed_by="test_hours")


# parameter_count
@alternative("parameter_count", "sizes-of-layers")
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    def linear(inputs, outputs):
        return (inputs + 1) * outputs

    width = embedding or hidden
    layer = [linear(hidden, hidden)] * 4 + [
        linear(hidden, feed_forward),
        linear(feed_forward, hidden),
        2 * hidden,
        2 * hidden,
    ]
    parts = [vocabulary * width, positions * width, segments * width, 2 * width]
    parts += layer if shared and layers >= 0 else layer * layers
    if width != hidden:
        parts.append(linear(width, hidden))
    if pooler:
        parts.append(linear(hidden, hidden))
    return sum(parts)


@alternative("parameter_count", "torch-modules")
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    from torch import nn

    width = hidden if embedding is None else embedding
    modules = [nn.Embedding(n, width, device="meta") for n in (vocabulary, positions, segments)]
    modules.append(nn.LayerNorm(width, device="meta"))
    if width != hidden:
        modules.append(nn.Linear(width, hidden, device="meta"))
    layer = nn.TransformerEncoderLayer(hidden, 1, feed_forward, device="meta")
    modules += [layer] if shared else [layer] * layers
    if pooler:
        modules.append(nn.Linear(hidden, hidden, device="meta"))
    return sum(p.numel() for module in modules for p in module.parameters())


edit("parameter_count", "biases-missing", {"count += width * hidden + hidden": "count += width * hidden",
     "4 * (hidden * hidden + hidden)": "4 * hidden * hidden",
     "hidden * feed_forward + feed_forward + feed_forward * hidden + hidden": "2 * hidden * feed_forward",
     "(hidden * hidden + hidden if pooler": "(hidden * hidden if pooler"},
     "the biases are missing", killed_by="test_one_layer")
edit("parameter_count", "inner-norms-missing", {"attention + forward + 4 * hidden": "attention + forward"},
     "the layer norms inside the layers are missing", killed_by="test_one_layer")
edit("parameter_count", "outer-norm-missing", {" + 2 * width": ""},
     "the layer norm outside the layers is missing", killed_by="test_a_model_without_layers_has_embeddings_and_a_norm")
edit("parameter_count", "projection-missing", {"count += width * hidden + hidden": "pass"},
     "narrow embeddings need a projection to the model's width", killed_by="test_narrow_embeddings_are_projected")
edit("parameter_count", "embedding-width-ignored", {"hidden if embedding is None else embedding": "hidden"},
     "the embedding's width is ignored", killed_by="test_narrow_embeddings_are_projected")
edit("parameter_count", "shared-counted-again", {"(1 if shared else layers)": "layers"},
     "shared layers are counted again in each layer", killed_by="test_shared_layers_are_stored_once")
edit("parameter_count", "fixed-feed-forward", {"width = hidden if": "feed_forward = 4 * hidden\n    width = hidden if"},
     "the feed-forward width was taken as 4 × hidden", killed_by="test_one_layer")
edit("parameter_count", "pooler-always", {"(hidden * hidden + hidden if pooler else 0)": "hidden * hidden + hidden"},
     "the pooler is always counted", killed_by="test_a_model_without_layers_has_embeddings_and_a_norm")

edit("parameter_count", "narrow-alone-projected", {"if width != hidden:": "if width < hidden:"},
     "only embeddings narrower than the model were projected: wider ones have to be too",
     killed_by="test_wider_embeddings_are_projected_too_and_175_billion_are_counted")



# spearman
@alternative("spearman", "scipy")
def spearman(x, y):
    from scipy import stats

    return float(stats.spearmanr(x, y).statistic)


@alternative("spearman", "ranks-by-comparison")
def spearman(x, y):
    def ranks(numbers):
        return [sum(b < a for b in numbers) + (sum(b == a for b in numbers) + 1) / 2 for a in numbers]

    a, b = np.array(ranks(x)), np.array(ranks(y))
    a, b = a - a.mean(), b - b.mean()
    return float((a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum()))


edit("spearman", "pearson", {"pd.Series(x).rank().corr(pd.Series(y).rank())": "np.corrcoef(x, y)[0, 1]"},
     "Pearson's correlation of the numbers: their ranks are asked for", killed_by="test_the_same_order_gives_one")
edit("spearman", "shortcut",
     {"return float(pd.Series(x).rank().corr(pd.Series(y).rank()))":
     ("d = pd.Series(x).rank() - pd.Series(y).rank()\n"
      "    return float(1 - 6 * (d**2).sum() / (len(x) ** 3 - len(x)))")},
     "the shortcut 1 − 6 Σd² / (n³ − n) is wrong where numbers are equal",
     killed_by="test_equal_numbers_share_their_mean_rank")
edit("spearman", "ranks-by-order", {"pd.Series(x).rank().corr(pd.Series(y).rank())":
     'pd.Series(x).rank(method="first").corr(pd.Series(y).rank(method="first"))'},
     "equal numbers were ranked in the order in which they stand: they share their mean rank",
     killed_by="test_equal_numbers_share_their_mean_rank")
edit("spearman", "lowest-rank", {"pd.Series(x).rank().corr(pd.Series(y).rank())":
     'pd.Series(x).rank(method="min").corr(pd.Series(y).rank(method="min"))'},
     "equal numbers all got the lowest rank: they share the mean of their ranks",
     killed_by="test_samples_with_and_without_ties_agree_with_scipy")
edit("spearman", "dense-ranks", {"pd.Series(x).rank().corr(pd.Series(y).rank())":
     'pd.Series(x).rank(method="dense").corr(pd.Series(y).rank(method="dense"))'},
     "ranks were given to the different numbers only (1, 2, 2, 3): after a tie the count goes on by as many",
     killed_by="test_samples_with_and_without_ties_agree_with_scipy")
edit("spearman", "argsort-as-ranks",
     {"pd.Series(x).rank().corr(pd.Series(y).rank())": "np.corrcoef(np.argsort(x), np.argsort(y))[0, 1]"},
     "argsort gives the places of the sorted numbers, not the ranks",
     killed_by="test_samples_with_and_without_ties_agree_with_scipy")
edit("spearman", "kendall", {"stats.spearmanr": "stats.kendalltau"},
     "this is Kendall's τ, which counts pairs: Spearman's ρ correlates ranks",
     killed_by="test_equal_numbers_share_their_mean_rank", of="scipy")

edit("spearman", "near-as-ties", {"pd.Series(x).rank()": "pd.Series(x).round(6).rank()", "pd.Series(y).rank()": "pd.Series(y).round(6).rank()"},
     "numbers that lie near each other were taken for ties", killed_by="test_numbers_that_are_near_are_no_ties")



# wilson
@alternative("wilson", "scipy")
def wilson(successes, trials, confidence=0.95):
    from scipy import stats

    interval = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return interval.low, interval.high


@alternative("wilson", "quadratic-formula")
def wilson(successes, trials, confidence=0.95):
    z = NormalDist().inv_cdf(1 - (1 - confidence) / 2)
    p = successes / trials
    a, b, c = 1 + z * z / trials, -(2 * p + z * z / trials), p * p  # (p − x)² = z² x (1 − x) / n, solved for x
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    return np.array([(-b - root) / (2 * a), (-b + root) / (2 * a)])


edit("wilson", "plain-interval", {" + z**2 / (4 * trials**2)": "",
     "return (centre - half) / (1 + z**2 / trials), (centre + half) / (1 + z**2 / trials)":
     "return max(0.0, share - half), min(1.0, share + half)"},
     "this is the plain interval p ± z √(p(1 − p)/n), which has no width at 0 of n",
     killed_by="test_no_success_still_leaves_room_above")
edit("wilson", "five-percent-each-side", {"(1 + confidence) / 2": "confidence"},
     "5 % were left out on each side: 2.5 % on either, 5 % together",
     killed_by="test_no_success_still_leaves_room_above")
edit("wilson", "fixed-z", {"NormalDist().inv_cdf((1 + confidence) / 2)": "1.959963984540054"},
     "z is always 1.96: it depends on the confidence", killed_by="test_the_confidence_is_obeyed")
edit("wilson", "not-divided",
     {"(centre - half) / (1 + z**2 / trials), (centre + half) / (1 + z**2 / trials)": "centre - half, centre + half"},
     "the division by 1 + z²/n is missing", killed_by="test_a_half_has_an_interval_around_a_half")
edit("wilson", "percent", {"interval.low, interval.high": "100 * interval.low, 100 * interval.high"},
     "percent: shares from 0 to 1 are asked for", killed_by="test_a_half_has_an_interval_around_a_half", of="scipy")
edit("wilson", "clopper-pearson", {'"wilson"': '"exact"'},
     "this is the exact interval of Clopper and Pearson, which is wider: Wilson's is asked for",
     killed_by="test_a_half_has_an_interval_around_a_half", of="scipy")


# misprints
edit("misprints", "thirds-added-up", {"sum(numbers) / len(numbers)": "sum(number / len(numbers) for number in numbers)"},
     "a mean adds up what was divided already: rounded thirds miss a border that their sum divided once meets",
     killed_by="test_zeros_count_gaps_elsewhere_do_not_and_a_border_is_inside")


@alternative("misprints", "corners")
def misprints(table, claimed, rule, parts):
    def can_follow(row):
        if "" in [row[claimed], *(row[part] for part in parts)]:
            return True
        ends = [interval(row[part]) for part in parts]
        lows, highs = [low for low, _ in ends], [high for _, high in ends]
        if rule in ("sum", "mean"):
            n = len(parts) if rule == "mean" else 1
            low, high = sum(lows) / n, sum(highs) / n
        elif rule == "difference":
            low, high = lows[0] - highs[1], highs[0] - lows[1]
        else:
            low, high = lows[0] / highs[1], highs[0] / lows[1]
        return interval(row[claimed])[0] <= high and low <= interval(row[claimed])[1]

    return [name for name, row in table.iterrows() if not can_follow(row)]


@alternative("misprints", "fractions")
def misprints(table, claimed, rule, parts):
    from fractions import Fraction

    whole = table[(table[[claimed, *parts]] != "").all(axis=1)]

    def formula(numbers):
        if rule == "sum":
            return sum(numbers)
        if rule == "mean":
            return sum(numbers) / len(numbers)
        return numbers[0] - numbers[1] if rule == "difference" else numbers[0] / numbers[1]

    def wrong(row):
        corners = itertools.product(*([Fraction(end) for end in interval(row[part])] for part in parts))
        values = [formula(corner) for corner in corners]
        low, high = (Fraction(end) for end in interval(row[claimed]))
        return max(values) < low or min(values) > high

    return [] if whole.empty else whole.index[whole.apply(wrong, axis=1)].tolist()


edit("misprints", "parts-as-exact", {"spread(formula, *numbers)": "[formula(*map(Decimal, numbers))] * 2"},
     "the parts were taken as exact: what was rounded before it was printed is accused too",
     killed_by="test_planted_misprints_are_found_and_nobody_else_accused")
edit("misprints", "claim-as-exact", {"not follows(row[claimed], spread(formula, *numbers))":
     "not (ends := spread(formula, *numbers))[0] <= Decimal(row[claimed]) <= ends[1]"},
     "the claim was taken as exact: it was rounded as well",
     killed_by="test_a_claim_with_fewer_digits_than_its_parts_is_rounded_further")
edit("misprints", "rows-that-follow", {"not follows(": "follows("},
     "these are the rows that can follow: those that cannot are asked for",
     killed_by="test_a_sum_that_cannot_follow_is_found")
edit("misprints", "missing-as-zero", {"table.iterrows()": 'table.replace("", "0").iterrows()'},
     "a missing number was taken as 0: a row that cannot be judged is not accused",
     killed_by="test_a_row_in_which_a_number_is_missing_is_not_accused")
edit("misprints", "missing-left-out",
     {"lambda first, second: first - second": "lambda *numbers: numbers[0] - numbers[-1]",
     "lambda first, second: first / second": "lambda *numbers: numbers[0] / numbers[-1]",
     "for part in parts]": "for part in parts if row[part]]", "all(numbers)": "numbers"},
     "a missing number was left out of the mean: a row that cannot be judged is not accused",
     killed_by="test_a_row_in_which_a_number_is_missing_is_not_accused")
edit("misprints", "row-numbers", {"return accused": "return [list(table.index).index(name) for name in accused]"},
     "row numbers were returned: the rows' names are asked for", killed_by="test_a_sum_that_cannot_follow_is_found")
edit("misprints", "difference-turned-round", {"first - second": "second - first"},
     "the second less the first: the other way round", killed_by="test_a_difference_is_the_first_less_the_second")
edit("misprints", "one-unit-always",
     {"follows(row[claimed], spread(formula, *numbers))":
     ("abs(formula(*map(Decimal, numbers)) - Decimal(row[claimed])) <= Decimal(1).scaleb(\n"
      "            Decimal(row[claimed]).as_tuple().exponent\n"
      "        )")},
     "one unit of the last digit is allowed whatever the rule: the rounding of many parts adds up, that of a mean does not",
     killed_by="test_planted_misprints_are_found_and_nobody_else_accused")
edit("misprints", "zero-as-gap", {"if row[claimed] and all(numbers) and not": "if all(float(number or 0) for number in [row[claimed], *numbers]) and not"},
     "a printed 0 was taken for a gap: only an empty cell is one", killed_by="test_zeros_count_gaps_elsewhere_do_not_and_a_border_is_inside")
edit("misprints", "any-gap", {"if row[claimed] and all(numbers) and not": "if all(row) and not"},
     "a gap in a column that plays no part kept the row from being judged", killed_by="test_zeros_count_gaps_elsewhere_do_not_and_a_border_is_inside")


# What no check can tell from a right answer.

equivalent(
    "training_flops",
    "3: spread(lambda duration, rate: duration * seconds * devices * rate * 10 ** 12, number, teraflops) → spread(lambda duration, rate: duration * seconds * devices * rate * 10 ** 12, teraflops, number)",
    "the two are multiplied, in whatever order",
)
equivalent("parameter_count", "1: embedding is None → not embedding", "no model has embeddings of width 0")
