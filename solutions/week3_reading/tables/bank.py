"""Auditing tables: classic mistakes and other right ways, for each exercise. Never released."""

import itertools
import math
from decimal import Decimal
from statistics import NormalDist

import numpy as np
import pandas as pd

from grader.lessons.bank import alternative, equivalent, mistake

# interval


@mistake(
    "interval",
    "a whole unit of the last digit to both sides: half a unit",
    "test_half_a_unit_of_the_last_digit_to_both_sides",
)
def interval(printed):
    value = Decimal(printed)
    unit = Decimal(1).scaleb(value.as_tuple().exponent)
    return value - unit, value + unit


@mistake(
    "interval", "always 0.05: the last digit need not be the first after the point", "test_zeros_at_the_end_are_digits"
)
def interval(printed):
    value = Decimal(printed)
    return value - Decimal("0.05"), value + Decimal("0.05")


@mistake(
    "interval",
    "a float stands between: 28.35 is no float, and half a unit is no longer exact",
    "test_half_a_unit_of_the_last_digit_to_both_sides",
)
def interval(printed):
    half = 0.5 * 10.0 ** Decimal(printed).as_tuple().exponent
    return Decimal(float(printed) - half), Decimal(float(printed) + half)


@mistake(
    "interval",
    "zeros at the end were dropped: 28.40 was rounded at its second digit",
    "test_zeros_at_the_end_are_digits",
)
def interval(printed):
    value = Decimal(printed)
    half = Decimal(5).scaleb(value.normalize().as_tuple().exponent - 1)
    return value - half, value + half


@mistake(
    "interval",
    "the exponent was forgotten: the last digit of 2.2e-5 counts millionths",
    "test_scientific_notation_counts_the_digits_before_the_exponent",
)
def interval(printed):
    value = Decimal(printed)
    decimals = printed.lower().split("e")[0].partition(".")[2]
    half = Decimal(5).scaleb(-len(decimals) - 1)
    return value - half, value + half


@mistake(
    "interval",
    "for a negative number the ends are exchanged: the low end is the one further from zero",
    "test_many_printed_numbers_agree_with_fractions",
)
def interval(printed):
    value = Decimal(printed)
    half = Decimal(5).scaleb(value.as_tuple().exponent - 1)
    return (value - half).copy_sign(value), (abs(value) + half).copy_sign(value)


@alternative("interval")
def interval(printed):
    digits, _, exponent = printed.lower().partition("e")
    whole, _, decimals = digits.partition(".")
    power = int(exponent or 0) - len(decimals) - 1
    tens = Decimal(whole + decimals) * 10
    return (tens - 5).scaleb(power), (tens + 5).scaleb(power)


@alternative("interval")
def interval(printed):
    from fractions import Fraction

    half = Fraction(1, 2) * Fraction(10) ** Decimal(printed).as_tuple().exponent
    return Fraction(printed) - half, Fraction(printed) + half


# spread


@mistake(
    "spread",
    "only two corners were tried, all low and all high: a ratio is least where the second is high",
    "test_a_ratio_is_least_where_its_parts_disagree",
)
def spread(formula, *printed):
    lows, highs = zip(*map(interval, printed))
    ends = formula(*lows), formula(*highs)
    return min(ends), max(ends)


@mistake("spread", "the printed numbers were taken as exact", "test_one_number_has_two_ends")
def spread(formula, *printed):
    value = formula(*map(Decimal, printed))
    return value, value


@mistake(
    "spread",
    "only corners at which neighbours disagree were tried: that is right for a ratio, not for every formula",
    "test_sums_differences_and_products_of_any_sign_agree_with_fractions",
)
def spread(formula, *printed):
    corners = ([interval(p)[(i + first) % 2] for i, p in enumerate(printed)] for first in (0, 1))
    ends = [formula(*corner) for corner in corners]
    return min(ends), max(ends)


@mistake("spread", "the greatest value comes first: (low, high) is asked for", "test_one_number_has_two_ends")
def spread(formula, *printed):
    values = [formula(*corner) for corner in itertools.product(*map(interval, printed))]
    return max(values), min(values)


@mistake(
    "spread",
    "half a unit was put on the result: its interval follows from those of its parts",
    "test_a_product_of_negative_numbers_has_its_extremes_at_other_corners",
)
def spread(formula, *printed):
    value = formula(*map(Decimal, printed))
    half = max((interval(p)[1] - interval(p)[0]) / 2 for p in printed)
    return value - half, value + half


@alternative("spread")
def spread(formula, *printed):
    low = high = None
    for bits in range(2 ** len(printed)):
        value = formula(*(interval(text)[bits >> i & 1] for i, text in enumerate(printed)))
        low = value if low is None or value < low else low
        high = value if high is None or value > high else high
    return low, high


@alternative("spread")
def spread(formula, *printed):
    def values(chosen, rest):
        if not rest:
            return [formula(*chosen)]
        return [value for end in interval(rest[0]) for value in values([*chosen, end], rest[1:])]

    ends = sorted(values([], printed))
    return ends[0], ends[-1]


# follows


@mistake(
    "follows",
    "the claim was taken as exact: it was rounded too",
    "test_the_ends_count",
)
def follows(claimed, possible, cut=False):
    value = Decimal(claimed)
    if cut:
        low, high = interval(claimed)
        return value <= possible[1] and possible[0] < value + (high - low)
    return possible[0] <= value <= possible[1]


@mistake(
    "follows",
    "the middle of what is possible must lie in the claim's interval: any common number is enough",
    "test_intervals_that_share_a_number",
)
def follows(claimed, possible, cut=False):
    low, high = interval(claimed)
    middle = (possible[0] + possible[1]) / 2
    if cut:
        return Decimal(claimed) <= middle < Decimal(claimed) + (high - low)
    return low <= middle <= high


@mistake("follows", "the ends were left out: a half may have been rounded to this number", "test_the_ends_count")
def follows(claimed, possible, cut=False):
    low, high = interval(claimed)
    if cut:
        low, high = Decimal(claimed), Decimal(claimed) + (high - low)
        return low <= possible[1] and possible[0] < high
    return low < possible[1] and possible[0] < high


@mistake(
    "follows",
    "everything that is possible must lie in the claim's interval: one common number is enough",
    "test_intervals_that_share_a_number",
)
def follows(claimed, possible, cut=False):
    low, high = interval(claimed)
    if cut:
        low, high = Decimal(claimed), Decimal(claimed) + (high - low)
        return low <= possible[0] and possible[1] < high
    return low <= possible[0] and possible[1] <= high


@mistake("follows", "`cut` makes no difference", "test_a_number_that_was_cut_off_stands_for_all_up_to_the_next")
def follows(claimed, possible, cut=False):
    low, high = interval(claimed)
    return low <= possible[1] and possible[0] <= high


@mistake(
    "follows",
    "88 would not have been cut to 87: the next number is left out",
    "test_what_is_cut_off_is_less_than_one_unit",
)
def follows(claimed, possible, cut=False):
    low, high = interval(claimed)
    if cut:
        low, high = Decimal(claimed), Decimal(claimed) + (high - low)
    return low <= possible[1] and possible[0] <= high


@mistake(
    "follows",
    "what was cut off makes a number smaller: the true one lies above the printed one",
    "test_a_number_that_was_cut_off_stands_for_all_up_to_the_next",
)
def follows(claimed, possible, cut=False):
    low, high = interval(claimed)
    if cut:
        return Decimal(claimed) - (high - low) < possible[1] and possible[0] <= Decimal(claimed)
    return low <= possible[1] and possible[0] <= high


@alternative("follows")
def follows(claimed, possible, cut=False):
    low, high = interval(claimed)
    if not cut:
        return max(low, possible[0]) <= min(high, possible[1])
    low, high = low + (high - low) / 2, high + (high - low) / 2
    return not (possible[1] < low or possible[0] >= high)


@alternative("follows")
def follows(claimed, possible, cut=False):
    from decimal import ROUND_FLOOR

    value = Decimal(claimed)
    unit = Decimal(1).scaleb(value.as_tuple().exponent)
    if cut:
        first = (possible[0] / unit).to_integral_value(ROUND_FLOOR)
        last = (possible[1] / unit).to_integral_value(ROUND_FLOOR)
        return bool(first <= value / unit <= last)
    return bool(possible[0] - unit / 2 <= value <= possible[1] + unit / 2)


# average


@mistake("average", "every column counts alike: a group counts once, by its own mean", "test_a_group_counts_once")
def average(table, groups):
    columns = [column for group in groups for column in group]
    ends = [table[columns].map(lambda cell, end=end: interval(cell)[end]).sum(axis=1) / len(columns) for end in (0, 1)]
    return dict(zip(table.index, zip(*ends)))


@mistake(
    "average",
    "the sum of the groups was divided by the number of columns, not of groups",
    "test_a_group_counts_once",
)
def average(table, groups):
    ends = []
    for end in (0, 1):
        numbers = table.map(lambda cell, end=end: interval(cell)[end])
        ends.append(sum(numbers[group].sum(axis=1) / len(group) for group in groups) / sum(map(len, groups)))
    return dict(zip(table.index, zip(*ends)))


@mistake("average", "the scores were taken as exact", "test_each_row_has_the_mean_of_its_columns")
def average(table, groups):
    numbers = table.map(Decimal)
    means = sum(numbers[group].sum(axis=1) / len(group) for group in groups) / len(groups)
    return {name: (mean, mean) for name, mean in means.items()}


@mistake(
    "average",
    "the mean over the rows of each column: the mean of each row is asked for",
    "test_each_row_has_the_mean_of_its_columns",
)
def average(table, groups):
    return {
        group[0]: tuple(
            sum(interval(cell)[end] for column in group for cell in table[column]) / (len(table) * len(group))
            for end in (0, 1)
        )
        for group in groups
    }


@mistake(
    "average",
    "the interval was divided by the root of the number of columns, as if roundings were independent errors: all of them may point the same way",
    "test_each_row_has_the_mean_of_its_columns",
)
def average(table, groups):
    found = {}
    for name, row in table.iterrows():
        mean = sum(sum(Decimal(row[column]) for column in group) / len(group) for group in groups) / len(groups)
        halves = [(interval(row[column])[1] - interval(row[column])[0]) / 2 for group in groups for column in group]
        half = sum(halves) / len(halves) / Decimal(len(halves)).sqrt()
        found[name] = (mean - half, mean + half)
    return found


@mistake(
    "average",
    "the groups' sums were averaged: first comes the mean within each group",
    "test_a_group_counts_once",
)
def average(table, groups):
    ends = []
    for end in (0, 1):
        numbers = table.map(lambda cell, end=end: interval(cell)[end])
        ends.append(sum(numbers[group].sum(axis=1) for group in groups) / len(groups))
    return dict(zip(table.index, zip(*ends)))


@alternative("average")
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


@alternative("average")
def average(table, groups):
    from fractions import Fraction

    weights = {column: Fraction(1, len(group) * len(groups)) for group in groups for column in group}

    def ends(row):
        pairs = [(interval(row[column]), weight) for column, weight in weights.items()]
        return tuple(sum(Fraction(pair[end]) * weight for pair, weight in pairs) for end in (0, 1))

    return table.apply(ends, axis=1).to_dict()


@alternative("average")
def average(table, groups):
    low, high = (
        np.mean(
            [table[group].map(lambda cell, end=end: float(interval(cell)[end])).mean(axis=1) for group in groups],
            axis=0,
        )
        for end in (0, 1)
    )
    return dict(zip(table.index, zip(low, high)))


# training_flops


@mistake("training_flops", "days were taken as hours", "test_days")
def training_flops(time, devices, teraflops):
    number, _ = time.split()
    return spread(lambda duration, rate: duration * 3600 * devices * rate * 10**12, number, teraflops)


@mistake("training_flops", "an hour has 3600 seconds, not 60", "test_hours")
def training_flops(time, devices, teraflops):
    number, unit = time.split()
    seconds = {"hours": 60, "days": 24 * 60}[unit]
    return spread(lambda duration, rate: duration * seconds * devices * rate * 10**12, number, teraflops)


@mistake("training_flops", "the number of devices was taken as rounded: it was counted", "test_hours")
def training_flops(time, devices, teraflops):
    number, unit = time.split()
    seconds = {"hours": 3600, "days": 24 * 3600}[unit]
    return spread(lambda duration, n, rate: duration * seconds * n * rate * 10**12, number, str(devices), teraflops)


@mistake("training_flops", "tera is 10¹², giga is 10⁹", "test_hours")
def training_flops(time, devices, teraflops):
    number, unit = time.split()
    seconds = {"hours": 3600, "days": 24 * 3600}[unit]
    return spread(lambda duration, rate: duration * seconds * devices * rate * 10**9, number, teraflops)


@mistake("training_flops", "the cost of one device: there are several", "test_hours")
def training_flops(time, devices, teraflops):
    number, unit = time.split()
    seconds = {"hours": 3600, "days": 24 * 3600}[unit]
    return spread(lambda duration, rate: duration * seconds * rate * 10**12, number, teraflops)


@mistake("training_flops", "time and rate were taken as exact: both were rounded", "test_hours")
def training_flops(time, devices, teraflops):
    number, unit = time.split()
    seconds = {"hours": 3600, "days": 24 * 3600}[unit]
    flops = Decimal(number) * seconds * devices * Decimal(teraflops) * 10**12
    return flops, flops


@alternative("training_flops")
def training_flops(time, devices, teraflops):
    number, unit = time.split(" ")
    hours = 24 if unit == "days" else 1
    low, high = (a * b * Decimal("1e12") for a, b in zip(interval(number), interval(teraflops)))
    return low * hours * 3600 * devices, high * hours * 3600 * devices


@alternative("training_flops")
def training_flops(time, devices, teraflops):
    from fractions import Fraction

    number, unit = time.split()
    scale = Fraction(pd.Timedelta(1, unit=unit[0]).total_seconds()) * devices * 10**12
    return tuple(Fraction(t) * Fraction(r) * scale for t, r in zip(interval(number), interval(teraflops)))


@alternative("training_flops")
def training_flops(time, devices, teraflops):
    number, unit = time.split()
    seconds = {"hours": 3600.0, "days": 86400.0}[unit]
    return spread(lambda duration, rate: float(duration) * seconds * devices * float(rate) * 1e12, number, teraflops)


# parameter_count


@mistake("parameter_count", "the biases are missing", "test_one_layer")
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    width = hidden if embedding is None else embedding
    count = (vocabulary + positions + segments) * width + 2 * width
    if width != hidden:
        count += width * hidden
    count += (1 if shared else layers) * (4 * hidden * hidden + 2 * hidden * feed_forward + 4 * hidden)
    return count + (hidden * hidden if pooler else 0)


@mistake("parameter_count", "the layer norms inside the layers are missing", "test_one_layer")
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    width = hidden if embedding is None else embedding
    count = (vocabulary + positions + segments) * width + 2 * width
    if width != hidden:
        count += width * hidden + hidden
    layer = 4 * (hidden * hidden + hidden) + 2 * hidden * feed_forward + feed_forward + hidden
    return count + (1 if shared else layers) * layer + (hidden * hidden + hidden if pooler else 0)


@mistake(
    "parameter_count",
    "the layer norm outside the layers is missing",
    "test_a_model_without_layers_has_embeddings_and_a_norm",
)
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    width = hidden if embedding is None else embedding
    count = (vocabulary + positions + segments) * width
    if width != hidden:
        count += width * hidden + hidden
    layer = 4 * (hidden * hidden + hidden) + 2 * hidden * feed_forward + feed_forward + hidden + 4 * hidden
    return count + (1 if shared else layers) * layer + (hidden * hidden + hidden if pooler else 0)


@mistake(
    "parameter_count",
    "narrow embeddings need a projection to the model's width",
    "test_narrow_embeddings_are_projected",
)
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    width = hidden if embedding is None else embedding
    count = (vocabulary + positions + segments) * width + 2 * width
    layer = 4 * (hidden * hidden + hidden) + 2 * hidden * feed_forward + feed_forward + hidden + 4 * hidden
    return count + (1 if shared else layers) * layer + (hidden * hidden + hidden if pooler else 0)


@mistake("parameter_count", "the embedding's width is ignored", "test_narrow_embeddings_are_projected")
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    count = (vocabulary + positions + segments) * hidden + 2 * hidden
    layer = 4 * (hidden * hidden + hidden) + 2 * hidden * feed_forward + feed_forward + hidden + 4 * hidden
    return count + (1 if shared else layers) * layer + (hidden * hidden + hidden if pooler else 0)


@mistake("parameter_count", "shared layers are counted again in each layer", "test_shared_layers_are_stored_once")
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    width = hidden if embedding is None else embedding
    count = (vocabulary + positions + segments) * width + 2 * width
    if width != hidden:
        count += width * hidden + hidden
    layer = 4 * (hidden * hidden + hidden) + 2 * hidden * feed_forward + feed_forward + hidden + 4 * hidden
    return count + layers * layer + (hidden * hidden + hidden if pooler else 0)


@mistake("parameter_count", "the feed-forward width was taken as 4 × hidden", "test_one_layer")
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    width = hidden if embedding is None else embedding
    count = (vocabulary + positions + segments) * width + 2 * width
    if width != hidden:
        count += width * hidden + hidden
    count += (1 if shared else layers) * (12 * hidden * hidden + 13 * hidden)
    return count + (hidden * hidden + hidden if pooler else 0)


@mistake("parameter_count", "the pooler is always counted", "test_a_model_without_layers_has_embeddings_and_a_norm")
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    width = hidden if embedding is None else embedding
    count = (vocabulary + positions + segments) * width + 2 * width
    if width != hidden:
        count += width * hidden + hidden
    layer = 4 * (hidden * hidden + hidden) + 2 * hidden * feed_forward + feed_forward + hidden + 4 * hidden
    return count + (1 if shared else layers) * layer + hidden * hidden + hidden


@alternative("parameter_count")
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


@alternative("parameter_count")
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


# spearman


@mistake("spearman", "Pearson's correlation of the numbers: their ranks are asked for", "test_the_same_order_gives_one")
def spearman(x, y):
    return float(np.corrcoef(x, y)[0, 1])


@mistake(
    "spearman",
    "the shortcut 1 − 6 Σd² / (n³ − n) is wrong where numbers are equal",
    "test_equal_numbers_share_their_mean_rank",
)
def spearman(x, y):
    d = pd.Series(x).rank() - pd.Series(y).rank()
    return float(1 - 6 * (d**2).sum() / (len(x) ** 3 - len(x)))


@mistake(
    "spearman",
    "equal numbers were ranked in the order in which they stand: they share their mean rank",
    "test_equal_numbers_share_their_mean_rank",
)
def spearman(x, y):
    return float(pd.Series(x).rank(method="first").corr(pd.Series(y).rank(method="first")))


@mistake(
    "spearman",
    "equal numbers all got the lowest rank: they share the mean of their ranks",
    "test_samples_with_and_without_ties_agree_with_scipy",
)
def spearman(x, y):
    return float(pd.Series(x).rank(method="min").corr(pd.Series(y).rank(method="min")))


@mistake(
    "spearman",
    "ranks were given to the different numbers only (1, 2, 2, 3): after a tie the count goes on by as many",
    "test_samples_with_and_without_ties_agree_with_scipy",
)
def spearman(x, y):
    return float(pd.Series(x).rank(method="dense").corr(pd.Series(y).rank(method="dense")))


@mistake(
    "spearman",
    "argsort gives the places of the sorted numbers, not the ranks",
    "test_samples_with_and_without_ties_agree_with_scipy",
)
def spearman(x, y):
    return float(np.corrcoef(np.argsort(x), np.argsort(y))[0, 1])


@mistake(
    "spearman",
    "this is Kendall's τ, which counts pairs: Spearman's ρ correlates ranks",
    "test_equal_numbers_share_their_mean_rank",
)
def spearman(x, y):
    from scipy import stats

    return float(stats.kendalltau(x, y).statistic)


@alternative("spearman")
def spearman(x, y):
    from scipy import stats

    return float(stats.spearmanr(x, y).statistic)


@alternative("spearman")
def spearman(x, y):
    def ranks(numbers):
        return [sum(b < a for b in numbers) + (sum(b == a for b in numbers) + 1) / 2 for a in numbers]

    a, b = np.array(ranks(x)), np.array(ranks(y))
    a, b = a - a.mean(), b - b.mean()
    return float((a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum()))


# wilson


@mistake(
    "wilson",
    "this is the plain interval p ± z √(p(1 − p)/n), which has no width at 0 of n",
    "test_no_success_still_leaves_room_above",
)
def wilson(successes, trials, confidence=0.95):
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    half = z * math.sqrt(share * (1 - share) / trials)
    return max(0.0, share - half), min(1.0, share + half)


@mistake(
    "wilson",
    "5 % were left out on each side: 2.5 % on either, 5 % together",
    "test_no_success_still_leaves_room_above",
)
def wilson(successes, trials, confidence=0.95):
    z = NormalDist().inv_cdf(confidence)
    share = successes / trials
    centre = share + z**2 / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    return (centre - half) / (1 + z**2 / trials), (centre + half) / (1 + z**2 / trials)


@mistake("wilson", "z is always 1.96: it depends on the confidence", "test_the_confidence_is_obeyed")
def wilson(successes, trials, confidence=0.95):
    z = 1.959963984540054
    share = successes / trials
    centre = share + z**2 / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    return (centre - half) / (1 + z**2 / trials), (centre + half) / (1 + z**2 / trials)


@mistake(
    "wilson",
    "the division by 1 + z²/n is missing",
    "test_a_half_has_an_interval_around_a_half",
)
def wilson(successes, trials, confidence=0.95):
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    centre = share + z**2 / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    return centre - half, centre + half


@mistake("wilson", "percent: shares from 0 to 1 are asked for", "test_a_half_has_an_interval_around_a_half")
def wilson(successes, trials, confidence=0.95):
    from scipy import stats

    interval = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return 100 * interval.low, 100 * interval.high


@mistake(
    "wilson",
    "this is the exact interval of Clopper and Pearson, which is wider: Wilson's is asked for",
    "test_a_half_has_an_interval_around_a_half",
)
def wilson(successes, trials, confidence=0.95):
    from scipy import stats

    interval = stats.binomtest(successes, trials).proportion_ci(confidence, method="exact")
    return interval.low, interval.high


@alternative("wilson")
def wilson(successes, trials, confidence=0.95):
    from scipy import stats

    interval = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return interval.low, interval.high


@alternative("wilson")
def wilson(successes, trials, confidence=0.95):
    z = NormalDist().inv_cdf(1 - (1 - confidence) / 2)
    p = successes / trials
    a, b, c = 1 + z * z / trials, -(2 * p + z * z / trials), p * p  # (p − x)² = z² x (1 − x) / n, solved for x
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    return np.array([(-b - root) / (2 * a), (-b + root) / (2 * a)])


# misprints


@mistake(
    "misprints",
    "the parts were taken as exact: what was rounded before it was printed is accused too",
    "test_planted_misprints_are_found_and_nobody_else_accused",
)
def misprints(table, claimed, rule, parts):
    accused = []
    for name, row in table.iterrows():
        if "" in [row[claimed], *row[parts]]:
            continue
        numbers = [Decimal(row[part]) for part in parts]
        if rule in ("sum", "mean"):
            value = sum(numbers) / (len(numbers) if rule == "mean" else 1)
        else:
            value = numbers[0] - numbers[1] if rule == "difference" else numbers[0] / numbers[1]
        if not follows(row[claimed], (value, value)):
            accused.append(name)
    return accused


@mistake(
    "misprints",
    "the claim was taken as exact: it was rounded as well",
    "test_a_claim_with_fewer_digits_than_its_parts_is_rounded_further",
)
def misprints(table, claimed, rule, parts):
    formula = {
        "sum": lambda *numbers: sum(numbers),
        "mean": lambda *numbers: sum(numbers) / len(numbers),
        "difference": lambda first, second: first - second,
        "ratio": lambda first, second: first / second,
    }[rule]
    accused = []
    for name, row in table.iterrows():
        numbers = [row[part] for part in parts]
        if row[claimed] and all(numbers):
            low, high = spread(formula, *numbers)
            if not low <= Decimal(row[claimed]) <= high:
                accused.append(name)
    return accused


@mistake(
    "misprints",
    "these are the rows that can follow: those that cannot are asked for",
    "test_a_sum_that_cannot_follow_is_found",
)
def misprints(table, claimed, rule, parts):
    formula = {
        "sum": lambda *numbers: sum(numbers),
        "mean": lambda *numbers: sum(numbers) / len(numbers),
        "difference": lambda first, second: first - second,
        "ratio": lambda first, second: first / second,
    }[rule]
    return [
        name
        for name, row in table.iterrows()
        if row[claimed] and all(row[parts]) and follows(row[claimed], spread(formula, *row[parts]))
    ]


@mistake(
    "misprints",
    "a missing number was taken as 0: a row that cannot be judged is not accused",
    "test_a_row_in_which_a_number_is_missing_is_not_accused",
)
def misprints(table, claimed, rule, parts):
    formula = {
        "sum": lambda *numbers: sum(numbers),
        "mean": lambda *numbers: sum(numbers) / len(numbers),
        "difference": lambda first, second: first - second,
        "ratio": lambda first, second: first / second,
    }[rule]
    filled = table.replace("", "0")
    return [
        name for name, row in filled.iterrows() if not follows(row[claimed], spread(formula, *(row[p] for p in parts)))
    ]


@mistake(
    "misprints",
    "a missing number was left out of the mean: a row that cannot be judged is not accused",
    "test_a_row_in_which_a_number_is_missing_is_not_accused",
)
def misprints(table, claimed, rule, parts):
    formula = {
        "sum": lambda *numbers: sum(numbers),
        "mean": lambda *numbers: sum(numbers) / len(numbers),
        "difference": lambda *numbers: numbers[0] - numbers[-1],
        "ratio": lambda *numbers: numbers[0] / numbers[-1],
    }[rule]
    accused = []
    for name, row in table.iterrows():
        numbers = [row[part] for part in parts if row[part]]
        if row[claimed] and numbers and not follows(row[claimed], spread(formula, *numbers)):
            accused.append(name)
    return accused


@mistake(
    "misprints", "row numbers were returned: the rows' names are asked for", "test_a_sum_that_cannot_follow_is_found"
)
def misprints(table, claimed, rule, parts):
    formula = {
        "sum": lambda *numbers: sum(numbers),
        "mean": lambda *numbers: sum(numbers) / len(numbers),
        "difference": lambda first, second: first - second,
        "ratio": lambda first, second: first / second,
    }[rule]
    accused = []
    for place, (_, row) in enumerate(table.iterrows()):
        numbers = [row[part] for part in parts]
        if row[claimed] and all(numbers) and not follows(row[claimed], spread(formula, *numbers)):
            accused.append(place)
    return accused


@mistake(
    "misprints", "the second less the first: the other way round", "test_a_difference_is_the_first_less_the_second"
)
def misprints(table, claimed, rule, parts):
    formula = {
        "sum": lambda *numbers: sum(numbers),
        "mean": lambda *numbers: sum(numbers) / len(numbers),
        "difference": lambda first, second: second - first,
        "ratio": lambda first, second: first / second,
    }[rule]
    accused = []
    for name, row in table.iterrows():
        numbers = [row[part] for part in parts]
        if row[claimed] and all(numbers) and not follows(row[claimed], spread(formula, *numbers)):
            accused.append(name)
    return accused


@mistake(
    "misprints",
    "one unit of the last digit is allowed whatever the rule: the rounding of many parts adds up, that of a mean does not",
    "test_planted_misprints_are_found_and_nobody_else_accused",
)
def misprints(table, claimed, rule, parts):
    accused = []
    for name, row in table.iterrows():
        if "" in [row[claimed], *row[parts]]:
            continue
        numbers = [Decimal(row[part]) for part in parts]
        if rule in ("sum", "mean"):
            value = sum(numbers) / (len(numbers) if rule == "mean" else 1)
        else:
            value = numbers[0] - numbers[1] if rule == "difference" else numbers[0] / numbers[1]
        unit = Decimal(1).scaleb(Decimal(row[claimed]).as_tuple().exponent)
        if abs(value - Decimal(row[claimed])) > unit:
            accused.append(name)
    return accused


@alternative("misprints")
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


@alternative("misprints")
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


# What no check can tell from a right answer.

equivalent(
    "training_flops",
    "3: spread(lambda duration, rate: duration * seconds * devices * rate * 10 ** 12, number, teraflops) → spread(lambda duration, rate: duration * seconds * devices * rate * 10 ** 12, teraflops, number)",
    "the two are multiplied, in whatever order",
)
