"""which_model: classic mistakes and other right ways, for each exercise. Never released."""

import math
import statistics

import numpy as np
import torch
from scipy import stats

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# interval
@alternative("interval", "scipys-own")
def interval(scores):
    if len(set(scores)) == 1:
        return scores[0], scores[0]
    return stats.t.interval(0.95, len(scores) - 1, loc=np.mean(scores), scale=stats.sem(scores))


@alternative("interval", "by-hand")
def interval(scores):
    n = len(scores)
    mean = sum(scores) / n
    variance = sum((score - mean) ** 2 for score in scores) / (n - 1)
    t = stats.t.isf(0.025, n - 1)
    return [mean - t * (variance / n) ** 0.5, mean + t * (variance / n) ** 0.5]


edit("interval", "deviation-of-a-population", {"statistics.stdev": "statistics.pstdev"},
     "the spread divides by n: a sample's divides by n − 1", killed_by="test_five_scores_have_students_interval")
edit("interval", "spread-not-of-the-mean", {" / math.sqrt(len(scores))": ""},
     "that is the spread of single scores: the mean's is smaller by √n", killed_by="test_five_scores_have_students_interval")
edit("interval", "divided-by-n", {"math.sqrt(len(scores))": "len(scores)"},
     "divided by n: the mean's spread falls with √n", killed_by="test_five_scores_have_students_interval")
edit("interval", "normal-quantile", {"stats.t.ppf(0.975, len(scores) - 1)": "1.96"},
     "1.96 is for very many scores: few have Student's t", killed_by="test_two_scores_know_little")
edit("interval", "one-sided", {"0.975": "0.95"},
     "t of .95 leaves 5 % on each side: 2.5 % are to be left", killed_by="test_five_scores_have_students_interval")
edit("interval", "n-degrees-of-freedom", {"stats.t.ppf(0.975, len(scores) - 1)": "stats.t.ppf(0.975, len(scores))"},
     "n degrees of freedom: the mean took one of them", killed_by="test_five_scores_have_students_interval")
edit("interval", "median", {"return statistics.mean(scores) - half, statistics.mean(scores) + half": "return statistics.median(scores) - half, statistics.median(scores) + half"},
     "the interval stands around the median: it is the mean's", killed_by="test_five_scores_have_students_interval")


@mistake("interval", "mean-of-squares", "the mean of squares minus the square of the mean loses a small spread: subtract the mean first",
         killed_by="test_scores_near_each_other_and_far_from_0_keep_their_spread")
def interval(scores):
    n, mean = len(scores), statistics.fmean(scores)
    variance = max(0.0, statistics.fmean(score * score for score in scores) - mean**2) * n / (n - 1)
    half = stats.t.ppf(0.975, n - 1) * math.sqrt(variance / n)
    return mean - half, mean + half


edit("interval", "normal-from-30-on", {"stats.t.ppf(0.975, len(scores) - 1)": "(stats.t.ppf(0.975, len(scores) - 1) if len(scores) < 30 else 1.96)"},
     "from 30 scores on the normal distribution is taken: t is still larger", killed_by="test_any_number_of_scores_has_a_t_of_its_own")


@mistake("interval", "scipy-without-spread", "scipy gives no number where all scores are the same: both ends are the mean", killed_by="test_equal_scores_may_be_0_or_negative")
def interval(scores):
    return stats.t.interval(0.95, len(scores) - 1, loc=np.mean(scores), scale=stats.sem(scores))


# tied_with_best
@alternative("tied_with_best", "arrays")
def tied_with_best(scores):
    table = np.array(list(scores.values()))  # (M, n)
    best = table[table.mean(axis=1).argmax()]
    tied = []
    for name, row in zip(scores, table):
        low, high = interval(list(best - row))
        if not (low > 0 or high < 0):
            tied.append(name)
    return tied


@alternative("tied_with_best", "model-minus-best")
def tied_with_best(scores):
    means = {name: sum(own) / len(own) for name, own in scores.items()}
    top = next(name for name in scores if means[name] == max(means.values()))

    def same(name):
        low, high = interval([a - b for a, b in zip(scores[name], scores[top])])
        return low <= 0 <= high

    return [name for name in scores if name == top or same(name)]


@mistake("tied_with_best", "intervals-overlap", "two intervals that overlap are no tie: look at the differences, draw by draw",
         killed_by="test_always_a_little_worse_is_worse")
def tied_with_best(scores):
    best = max(scores, key=lambda name: statistics.mean(scores[name]))
    low, _ = interval(scores[best])
    return [name for name, own in scores.items() if interval(own)[1] >= low]


@mistake("tied_with_best", "mean-inside-the-bests-interval", "a mean inside the best's interval is no tie: look at the differences, draw by draw",
         killed_by="test_always_a_little_worse_is_worse")
def tied_with_best(scores):
    best = max(scores, key=lambda name: statistics.mean(scores[name]))
    low, high = interval(scores[best])
    return [name for name, own in scores.items() if low <= statistics.mean(own) <= high]


edit("tied_with_best", "strictly-inside", {"low <= 0 <= high": "low < 0 < high"},
     "an interval that ends at 0 holds it, too: the same scores are a tie", killed_by="test_the_same_scores_are_a_tie")
edit("tied_with_best", "sorted", {"    return tied": "    return sorted(tied)"},
     "the names are sorted: they stand in the dict's order", killed_by="test_the_names_stand_in_the_dicts_order")
edit("tied_with_best", "best-single-score", {"key=lambda name: statistics.mean(scores[name])": "key=lambda name: max(scores[name])"},
     "the best has the highest mean, not the highest single score", killed_by="test_the_best_has_the_highest_mean")
edit("tied_with_best", "best-left-out", {"if low <= 0 <= high:": "if low <= 0 <= high and own is not best:"},
     "the best is as good as itself: it belongs to the list", killed_by="test_always_a_little_worse_is_worse")
edit("tied_with_best", "worst", {"max(scores, key": "min(scores, key"},
     "compared with the model that has the lowest mean", killed_by="test_always_a_little_worse_is_worse")
edit("tied_with_best", "sorted-scores", {"zip(best, own)": "zip(sorted(best), sorted(own))"},
     "the scores are sorted before they are paired: place i of each list belongs to draw i", killed_by="test_any_ties_are_those_of_the_paired_t_test")

edit("tied_with_best", "last-of-equal-means", {"max(scores, key": "max(reversed(scores), key"},
     "of equal means the last is taken for the best: the first is", killed_by="test_the_best_is_the_first_of_the_highest_means")
edit("tied_with_best", "best-by-median", {"key=lambda name: statistics.mean(scores[name])": "key=lambda name: statistics.median(scores[name])"},
     "the best has the highest mean, not the highest median", killed_by="test_the_best_is_the_first_of_the_highest_means")
edit("tied_with_best", "nearly-as-good", {"low <= 0 <= high": "low <= 0.01 and high >= 0"},
     "a lead of a hundredth is allowed: the interval must hold 0", killed_by="test_each_model_is_compared_with_the_best_alone")


@mistake("tied_with_best", "stops-at-the-first-that-is-worse", "a model with a lower mean may be tied where a higher one is not: compare each with the best",
         killed_by="test_each_model_is_compared_with_the_best_alone")
def tied_with_best(scores):
    order = sorted(scores, key=lambda name: -statistics.mean(scores[name]))
    tied = []
    for name in order:
        low, high = interval([a - b for a, b in zip(scores[order[0]], scores[name])])
        if not low <= 0 <= high:
            break
        tied.append(name)
    return [name for name in scores if name in tied]


equivalent("tied_with_best", "4: [a - b for a, b in zip(best, own)] → [b - a for a, b in zip(best, own)]", "the interval is turned round, and 0 stays where it is")
equivalent("tied_with_best", "4: zip(best, own) → zip(own, best)", "the interval is turned round, and 0 stays where it is")


@mistake("tied_with_best", "differences-rounded", "rounded differences: a small one counts if it is there in every draw",
         killed_by="test_a_little_better_every_time_is_better")
def tied_with_best(scores):
    best = scores[max(scores, key=lambda name: statistics.mean(scores[name]))]
    return [name for name, own in scores.items() if interval([round(a - b, 4) for a, b in zip(best, own)])[0] <= 0]


edit("tied_with_best", "within-a-billionth", {"low <= 0 <= high": "low <= 1e-9 and high >= 0"},
     "a lead of a billionth is allowed: the interval must hold 0", killed_by="test_a_little_better_every_time_is_better")


@mistake("tied_with_best", "best-above-0", "the search for the best begins at 0: means may be negative", killed_by="test_any_ties_are_those_of_the_paired_t_test")
def tied_with_best(scores):
    best, top = None, 0.0
    for name, own in scores.items():
        if best is None or statistics.mean(own) > top:
            best, top = name, max(top, statistics.mean(own))
    tied = []
    for name, own in scores.items():
        low, high = interval([a - b for a, b in zip(scores[best], own)])
        if low <= 0 <= high:
            tied.append(name)
    return tied


# seconds_of
@alternative("seconds_of", "numpy")
def seconds_of(readings):
    times = np.array(readings)  # (calls, 2)
    return float(np.median((times[:, 1] - times[:, 0])[1:]))


@alternative("seconds_of", "sorted-by-hand")
def seconds_of(readings):
    _, *counted = readings
    taken = sorted(after - before for before, after in counted)
    middle = len(taken) // 2
    return taken[middle] if len(taken) % 2 else (taken[middle - 1] + taken[middle]) / 2


edit("seconds_of", "first-call-counted", {"readings[1:]": "readings"},
     "the first call is counted, which loads and allocates", killed_by="test_the_first_call_does_not_count")
edit("seconds_of", "mean", {"statistics.median": "statistics.mean"},
     "the mean, which one slow call moves", killed_by="test_one_slow_call_moves_no_median")
edit("seconds_of", "fastest", {"statistics.median": "min"},
     "the fastest call: the median was asked for", killed_by="test_one_slow_call_moves_no_median")
edit("seconds_of", "upper-median", {"statistics.median": "statistics.median_high"},
     "of an even number the upper one of the two in the middle: their mean was asked for", killed_by="test_of_an_even_number_the_two_in_the_middle_count")
edit("seconds_of", "lower-median", {"statistics.median": "statistics.median_low"},
     "of an even number the lower one of the two in the middle: their mean was asked for", killed_by="test_of_an_even_number_the_two_in_the_middle_count")


@mistake("seconds_of", "pauses-counted", "from the first reading to the last, pauses between calls and all",
         killed_by="test_the_first_call_does_not_count")
def seconds_of(readings):
    return (readings[-1][1] - readings[1][0]) / (len(readings) - 1)


edit("seconds_of", "rounded", {"return statistics.median([after - before for before, after in readings[1:]])": "return round(statistics.median([after - before for before, after in readings[1:]]), 12)"},
     "seconds lose their digits: the clock shows large numbers, and a call may take very few", killed_by="test_a_call_may_take_less_than_the_clock_has_digits_for_in_float32")


# forward_flops
@alternative("forward_flops", "layer-by-layer")
def forward_flops(tokens, layers, width, inner, vocabulary=0, scored=0):
    pairs = 0
    for _ in range(layers):
        pairs += 3 * tokens * width * width  # queries, keys, values
        pairs += tokens * tokens * width  # scores
        pairs += tokens * tokens * width  # mixing
        pairs += tokens * width * width  # the way out
        pairs += tokens * width * inner + tokens * inner * width
    return 2 * (pairs + scored * width * vocabulary)


@alternative("forward_flops", "factored")
def forward_flops(tokens, layers, width, inner, vocabulary=0, scored=0):
    return 4 * layers * tokens * width * (2 * width + tokens + inner) + 2 * scored * width * vocabulary


edit("forward_flops", "pairs-not-flops", {"return 2 * (": "return 1 * ("},
     "pairs of a multiplication and an addition: each is 2 FLOPs", killed_by="test_each_product_is_counted")
edit("forward_flops", "without-the-way-out", {"4 * tokens * width**2": "3 * tokens * width**2"},
     "queries, keys and values are three: the way out is the fourth product", killed_by="test_each_product_is_counted")
edit("forward_flops", "scores-alone", {"2 * tokens**2 * width": "tokens**2 * width"},
     "the scores alone: mixing the values takes as much again", killed_by="test_attention_grows_with_the_square_of_the_text")
edit("forward_flops", "attention-linear", {"2 * tokens**2 * width": "2 * tokens * width"},
     "each token is compared with all N, so N² pairs", killed_by="test_attention_grows_with_the_square_of_the_text")
edit("forward_flops", "one-way-in", {"2 * tokens * width * inner": "tokens * width * inner"},
     "into the feed-forward network and not out of it", killed_by="test_each_product_is_counted")
edit("forward_flops", "words-in-every-layer", {"2 * (layers * layer + scored * width * vocabulary)": "2 * layers * (layer + scored * width * vocabulary)"},
     "the words are scored once, at the end, not in every layer", killed_by="test_words_are_scored_where_it_is_asked")
edit("forward_flops", "words-everywhere", {"scored * width * vocabulary": "tokens * width * vocabulary"},
     "all N places are scored: K of them are", killed_by="test_words_are_scored_where_it_is_asked")
edit("forward_flops", "one-layer", {"layers * layer + ": "layer + "},
     "one layer is counted: there are L", killed_by="test_attention_grows_with_the_square_of_the_text")


@mistake("forward_flops", "float32", "floats hold 24 or 53 bits: count in whole numbers",
         killed_by="test_a_whole_number_is_exact_however_large")
def forward_flops(tokens, layers, width, inner, vocabulary=0, scored=0):
    n, h = torch.tensor(float(tokens)), torch.tensor(float(width))
    return int(2 * (layers * (4 * n * h**2 + 2 * n**2 * h + 2 * n * h * inner) + scored * h * vocabulary))


@mistake("forward_flops", "int64", "64 bits are not always enough: count in Python's whole numbers", killed_by="test_a_whole_number_is_exact_however_large")
def forward_flops(tokens, layers, width, inner, vocabulary=0, scored=0):
    n, h, f = np.array([tokens, width, inner], dtype=np.int64)
    return int(2 * (layers * (4 * n * h**2 + 2 * n**2 * h + 2 * n * h * f) + scored * h * vocabulary))


# serving_bytes
@alternative("serving_bytes", "summed-up")
def serving_bytes(parameters, layers, width, tokens, texts, number_bytes):
    weights = parameters * number_bytes
    one_text = sum(tokens * (width + width) for _ in range(layers))
    return weights + texts * one_text * number_bytes


@alternative("serving_bytes", "tensors-on-meta")
def serving_bytes(parameters, layers, width, tokens, texts, number_bytes):
    cache = torch.empty(2, layers, texts, tokens, width, device="meta")  # keys and values
    return (parameters + cache.numel()) * number_bytes


edit("serving_bytes", "keys-alone", {"tokens * 2 * width": "tokens * width"},
     "keys alone: values are kept, too", killed_by="test_keys_and_values_of_every_layer_token_and_text")
edit("serving_bytes", "one-text", {"texts * layers": "layers"},
     "one text's cache: each text has its own", killed_by="test_weights_alone")
edit("serving_bytes", "weights-for-each-text", {"(parameters + texts * layers * tokens * 2 * width)": "texts * (parameters + layers * tokens * 2 * width)"},
     "the weights are there once, for all texts", killed_by="test_weights_alone")
edit("serving_bytes", "numbers-not-bytes", {"number_bytes * (parameters": "(parameters"},
     "that counts numbers: each has several bytes", killed_by="test_weights_alone")
edit("serving_bytes", "one-layer", {"texts * layers * tokens": "texts * tokens"},
     "one layer's cache: each layer keeps keys and values of its own", killed_by="test_keys_and_values_of_every_layer_token_and_text")
edit("serving_bytes", "cache-in-single-bytes", {"number_bytes * (parameters + texts * layers * tokens * 2 * width)": "number_bytes * parameters + texts * layers * tokens * 2 * width"},
     "the cache's numbers have bytes, too", killed_by="test_gpt3s_cache_of_one_text")


edit("serving_bytes", "cache-through-a-float", {"texts * layers * tokens * 2 * width)": "int(float(texts) * layers * tokens * 2 * width))"},
     "the cache goes through a float, which holds 53 bits: count in whole numbers", killed_by="test_a_whole_number_of_bytes_is_exact_however_large")


# energy
@alternative("energy", "joules")
def energy(hours, cpu, memory, gpu=0.0, gpus=0, overhead=1.58, pounds=0.954):
    watts = cpu + memory + gpu * gpus
    joules = watts * hours * 3600
    kwh = joules / 3.6e6 * overhead
    return kwh, kwh * pounds


@alternative("energy", "summed-up")
def energy(hours, cpu, memory, gpu=0.0, gpus=0, overhead=1.58, pounds=0.954):
    parts = [cpu, memory] + [gpu] * gpus
    kwh = sum(overhead * part * hours for part in parts) / 1000
    return [kwh, kwh * pounds]


edit("energy", "watt-hours", {" / 1000": ""},
     "watt-hours: a kWh has a thousand of them", killed_by="test_elmos_row_of_the_papers_table")
edit("energy", "cooling-of-gpus-alone", {"overhead * hours * (cpu + memory + gpus * gpu) / 1000": "hours * (cpu + memory + overhead * gpus * gpu) / 1000"},
     "the overhead is on all that the machines draw, not on the GPUs alone", killed_by="test_cooling_is_on_all_of_it")
edit("energy", "one-gpu", {"gpus * gpu": "gpu"},
     "one GPU is counted: each of them draws", killed_by="test_every_gpu_draws")
edit("energy", "without-memory", {"cpu + memory + ": "cpu + "},
     "the memory draws, too", killed_by="test_every_gpu_draws")
edit("energy", "no-overhead", {"overhead * hours": "hours"},
     "the data centre's overhead is missing", killed_by="test_elmos_row_of_the_papers_table")
edit("energy", "kilograms", {"pounds * kwh": "0.4536 * pounds * kwh"},
     "kilograms: pounds were asked for", killed_by="test_elmos_row_of_the_papers_table")


edit("energy", "zero-for-none", {"pounds * kwh": "(pounds or 0.954) * kwh"},
     "0 pounds are a number: a grid of wind and water emits next to none", killed_by="test_a_grid_may_emit_nothing")


edit("energy", "rounded", {"return kwh, pounds * kwh": "return round(kwh, 9), round(pounds * kwh, 9)"},
     "kilowatt-hours are rounded: they may be very few", killed_by="test_hours_in_parts_many_gpus_and_little_power")


# pareto_front
@alternative("pareto_front", "sweep")
def pareto_front(models):
    front, best, price = [], -math.inf, None
    order = sorted(models, key=lambda name: (models[name][0], -models[name][1]))
    for name in order:
        cost, quality = models[name]
        if quality > best or (quality == best and cost == price):
            front.append(name)
            best, price = quality, cost
    return sorted(front, key=lambda name: (models[name][0], list(models).index(name)))


@alternative("pareto_front", "arrays")
def pareto_front(models):
    if not models:
        return []
    names, table = list(models), np.array(list(models.values()))  # (M, 2)
    cost, quality = table[:, 0], table[:, 1]
    no_worse = (cost[None] <= cost[:, None]) & (quality[None] >= quality[:, None])  # (M, M): column against row
    better = (cost[None] < cost[:, None]) | (quality[None] > quality[:, None])
    front = ~(no_worse & better).any(axis=1)
    return [names[i] for i in np.argsort(cost, kind="stable") if front[i]]


edit("pareto_front", "twins-dominate", {"if other != (cost, quality))": ")", "price <= cost and value >= quality for": "price <= cost and value > quality for"},
     "as good and dearer is dominated, too", killed_by="test_as_good_and_dearer_is_dominated")
edit("pareto_front", "better-in-both", {"price <= cost and value >= quality": "price < cost and value > quality"},
     "better in one of the two is enough, if it is not worse in the other", killed_by="test_as_good_and_dearer_is_dominated")
edit("pareto_front", "high-costs", {"price <= cost": "price >= cost"},
     "higher costs are taken for better ones", killed_by="test_dearer_and_worse_is_dominated")
edit("pareto_front", "dict-order", {"sorted(front, key=lambda name: models[name][0])": "front"},
     "the front stands in the dict's order: the cheapest comes first", killed_by="test_dearer_and_worse_is_dominated")
edit("pareto_front", "by-quality", {"key=lambda name: models[name][0]": "key=lambda name: -models[name][1]"},
     "the best comes first: the cheapest should", killed_by="test_dearer_and_worse_is_dominated")
edit("pareto_front", "by-name", {"key=lambda name: models[name][0]": "key=lambda name: (models[name][0], name)"},
     "equal costs are sorted by name: they stand in the dict's order", killed_by="test_twins_do_not_dominate_each_other")


@mistake("pareto_front", "one-of-twins", "twins do not dominate each other: both are on the front",
         killed_by="test_twins_do_not_dominate_each_other")
def pareto_front(models):
    front, best = [], -math.inf
    for name in sorted(models, key=lambda name: (models[name][0], -models[name][1])):
        if models[name][1] > best:
            front.append(name)
            best = models[name][1]
    return front


@mistake("pareto_front", "best-ratio", "quality for the money is another thing: the front holds all that nobody dominates",
         killed_by="test_dearer_and_worse_is_dominated")
def pareto_front(models):
    if not models:
        return []
    ratio = {name: quality / max(cost, 1e-9) for name, (cost, quality) in models.items()}
    return [name for name in models if ratio[name] == max(ratio.values())]

@mistake("pareto_front", "convex-hull", "a line between two models is none to buy: a model below it is on the front, too",
         killed_by="test_a_front_may_bend_inwards")
def pareto_front(models):
    def above(first, middle, last):
        (a, p), (b, q), (c, r) = (models[name] for name in (first, middle, last))
        return (q - p) * (c - a) >= (r - p) * (b - a)

    front = []
    for name in sorted(models, key=lambda name: (models[name][0], -models[name][1])):
        if front and models[name] != models[front[-1]] and models[name][1] <= models[front[-1]][1]:
            continue
        while len(front) > 1 and not above(front[-2], front[-1], name):
            front.pop()
        front.append(name)
    return sorted(front, key=lambda name: (models[name][0], list(models).index(name)))


equivalent("pareto_front", "6: models[name][0] → models[name][1]", "along a front the dearer one is the better one")
equivalent("pareto_front", "6: models[name][0] → models[name][-1]", "along a front the dearer one is the better one")


edit("pareto_front", "nearly-as-cheap", {"price <= cost and": "price <= cost + 1e-12 and"},
     "a little dearer is taken for as cheap: the least difference counts", killed_by="test_a_little_dearer_or_better_counts")


@mistake("pareto_front", "qualities-above-0", "the sweep begins with a quality of 0: it may be negative", killed_by="test_qualities_and_costs_may_be_negative")
def pareto_front(models):
    front, best, price = [], 0.0, None
    for name in sorted(models, key=lambda name: (models[name][0], -models[name][1])):
        cost, quality = models[name]
        if quality > best or (quality == best and cost == price):
            front.append(name)
            best, price = quality, cost
    return sorted(front, key=lambda name: (models[name][0], list(models).index(name)))


# choose
@alternative("choose", "loop")
def choose(models, needs, cost):
    best = None
    for name, facts in models.items():
        if facts.get(cost) is None:
            continue
        for fact, bound, number in needs:
            if facts.get(fact) is None:
                break
            if bound == "at least" and facts[fact] < number:
                break
            if bound == "at most" and facts[fact] > number:
                break
        else:
            if best is None or facts[cost] < models[best][cost]:
                best = name
    return best


@alternative("choose", "nan-compares-false")
def choose(models, needs, cost):
    def value(facts, fact):
        number = facts.get(fact)
        return math.nan if number is None else number

    good = []
    for name, facts in models.items():
        sides = [(value(facts, fact), number) if bound == "at least" else (number, value(facts, fact)) for fact, bound, number in needs]
        if all(more >= less for more, less in sides) and not math.isnan(value(facts, cost)):
            good.append(name)
    good.sort(key=lambda name: models[name][cost])  # equal ones stay in order
    return good[0] if good else None


edit("choose", "zero-is-not-known", {"return facts.get(cost) is not None": "return bool(facts.get(cost))"},
     "a cost of 0 is taken for an unknown one", killed_by="test_the_cheapest_that_is_good_enough")
edit("choose", "bound-not-reached", {"value < number if bound": "value <= number if bound", "else value > number": "else value >= number"},
     "a bound that is reached is met", killed_by="test_all_needs_count_and_a_bound_may_be_reached")
edit("choose", "dearest", {"return min(good": "return max(good"},
     "the dearest of those that meet the needs", killed_by="test_the_cheapest_that_is_good_enough")
edit("choose", "first-need-alone", {"for fact, bound, number in needs:": "for fact, bound, number in needs[:1]:"},
     "the first need alone: all must be met", killed_by="test_all_needs_count_and_a_bound_may_be_reached")
edit("choose", "bounds-swapped", {'bound == "at least"': 'bound == "at most"'},
     "at least and at most are swapped", killed_by="test_the_cheapest_that_is_good_enough")
edit("choose", "unknown-is-zero", {"value = facts.get(fact)": "value = facts.get(fact) or 0"},
     "what is not known is taken for 0: it meets no need", killed_by="test_what_is_not_known_meets_no_need")
edit("choose", "unknown-is-fine", {"if value is None or (value < number if": "if value is not None and (value < number if"},
     "what is not known is let through: it meets no need", killed_by="test_what_is_not_known_meets_no_need")
edit("choose", "value-0-is-not-known", {"if value is None or": "if not value or"},
     "a value of 0 is taken for an unknown one", killed_by="test_a_value_of_0_is_known")

edit("choose", "nearly-enough", {"value < number if": "value < number - 1e-12 if", "else value > number": "else value > number + 1e-12"},
     "a bound that is missed by very little is taken for met", killed_by="test_bounds_and_costs_are_exact")
edit("choose", "floats-alone", {"if value is None or": "if not isinstance(value, float) or"},
     "an int is taken for an unknown number", killed_by="test_any_choice_is_that_of_a_search_by_hand")
edit("choose", "costs-above-0", {"return facts.get(cost) is not None": "return facts.get(cost) is not None and facts[cost] >= 0"},
     "a negative cost is taken for an unknown one", killed_by="test_a_cost_may_be_0_or_very_large")
