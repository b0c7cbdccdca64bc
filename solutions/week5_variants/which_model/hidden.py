"""which_model: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import itertools
import math
import statistics
from typing import Any

import torch
from hypothesis.strategies import booleans, dictionaries, integers, lists, none, sampled_from, tuples
from scipy import stats
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from etude.lesson.checks import close, equal, exercise
from etude.lesson.interface import Student
from etude.models.blocks import Block, BlockConfig, LayerCache
from etude.world.tasks import Tasks
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons.generated import for_all


# interval
@exercise("interval", points=0.5)
@for_all(examples=40, eighths=lists(integers(-8, 16), min_size=2, max_size=9))
def test_any_interval_is_scipys(student: Student, eighths: list[int]) -> None:
    scores = [n / 8 for n in eighths]
    mean, error = statistics.fmean(scores), statistics.stdev(scores) / math.sqrt(len(scores))
    expected = [float(end) for end in stats.t.interval(0.95, len(scores) - 1, loc=mean, scale=error)] if error else [mean] * 2
    close([float(end) for end in student.interval(scores)], expected)


@exercise("interval", points=0.5)
def test_many_scores_leave_little_doubt(student: Student) -> None:
    scores = [0.25, 0.75] * 200
    low, high = student.interval(scores)
    half = 1.96593 * 0.25 * math.sqrt(400 / 399) / 20  # t with 399 degrees of freedom
    close([float(low), float(high)], [0.5 - half, 0.5 + half], given="200 scores of .25, 200 of .75", rtol=1e-4)


@exercise("interval", points=0.5)
def test_scores_near_each_other_and_far_from_0_keep_their_spread(student: Student) -> None:
    scores = [1e6 + n / 1024 for n in (0, 1, 2, 4)]
    low, high = student.interval(scores)
    width = 2 * float(stats.t.ppf(0.975, 3)) * math.sqrt(35 / 12) / 1024 / 2  # 0, 1, 2, 4 have the variance 35/12
    close(float(high) - float(low), width, given=f"scores {scores}: high − low")
    tiny = [n / 2**24 for n in (0, 1, 2, 4)]
    low, high = student.interval(tiny)
    close((float(high) - float(low)) * 2**14, width, given=f"scores {tiny}: high − low, times 16,384")


@exercise("interval", points=0.5)
def test_any_number_of_scores_has_a_t_of_its_own(student: Student) -> None:
    for count in (10, 20, 30, 31, 60, 101):
        scores = [float(place % 3 == 0) for place in range(count)]
        low, high = student.interval(scores)
        width = 2 * float(stats.t.ppf(0.975, count - 1)) * statistics.stdev(scores) / math.sqrt(count)
        close(float(high) - float(low), width, given=f"{count} scores 1 0 0 1 0 0 …: high − low")
        close((float(low) + float(high)) / 2, -(-count // 3) / count, given=f"{count} scores 1 0 0 1 0 0 …: the middle")


@exercise("interval", points=0.5, needs="test_five_scores_have_students_interval")
def test_equal_scores_may_be_0_or_negative(student: Student) -> None:
    for score, count in ((0.0, 2), (0.0, 5), (-0.5, 4), (0.1, 7), (-3e6, 2), (2.0**-30, 3)):
        found = [float(end) for end in student.interval([score] * count)]
        close(found, [score, score], given=f"{count} times {score:g}", rtol=1e-9, atol=1e-15)


# tied_with_best
def tied(scores: dict[str, list[float]]) -> list[str]:
    """By scipy's paired t-test: p above 5 %; two equal lists are tied, a difference that is always the same is none."""
    best = max(scores, key=lambda name: statistics.mean(scores[name]))
    found = []
    for name, own in scores.items():
        apart = [a - b for a, b in zip(scores[best], own, strict=True)]
        if len(set(apart)) == 1:
            p = float(apart[0] == 0)
        else:
            p = float(stats.ttest_rel(scores[best], own).pvalue)
        if p > 0.05:
            found.append(name)
    return found


@exercise("tied_with_best")
@for_all(
    examples=40,
    table=lists(lists(integers(0, 16), min_size=6, max_size=6), min_size=1, max_size=5),
    draws=sampled_from([4, 2, 3, 6]),
    less=sampled_from([0, 20]),
    turned=sampled_from([1, -1]),
)
def test_any_ties_are_those_of_the_paired_t_test(
    student: Student, table: list[list[int]], draws: int, less: int, turned: int
) -> None:
    names = ["e", "b", "d", "a", "c"][::turned]
    scores = {name: [(n - less) / 16 for n in row[:draws]] for name, row in zip(names, table, strict=False)}
    equal(list(student.tied_with_best(scores)), tied(scores))


@exercise("tied_with_best", points=0.5)
def test_the_best_is_the_first_of_the_highest_means(student: Student) -> None:
    steady, restless, behind = [0.5, 0.5, 0.5, 0.5], [0.25, 0.75, 0.25, 0.75], [0.4375, 0.4375, 0.4375, 0.4375]
    equal(list(student.tied_with_best({"s": steady, "r": restless, "b": behind})), ["s", "r"])
    equal(list(student.tied_with_best({"r": restless, "s": steady, "b": behind})), ["r", "s", "b"])
    scores = {"mean": [1.0, 1.0, 0.5, 0.5, 0.5], "median": [0.5625] * 5, "behind": [0.53125] * 5}
    equal(list(student.tied_with_best(scores)), ["mean", "median", "behind"])


@exercise("tied_with_best", points=0.5)
def test_each_model_is_compared_with_the_best_alone(student: Student) -> None:
    best, other = [0.5, 0.75, 0.5, 0.75], [0.25, 0.9375, 0.25, 0.875]
    near = [score - 1 / 1024 for score in best]
    equal(list(student.tied_with_best({"best": best, "near": near, "other": other})), ["best", "other"])


@exercise("tied_with_best", points=0.5)
def test_many_models_and_draws_are_all_compared(student: Student) -> None:
    scores = {f"m{place}": [place / 16, place / 16 + 0.125] * 6 for place in range(12)}
    equal(list(student.tied_with_best(scores)), ["m11"], given="12 models, 12 draws: each model always better than those before")
    late = [0.5] * 10 + [0.0, 0.0, 0.0, 0.0]
    scores = {"steady": [0.5] * 14, "late": late}
    equal(list(student.tied_with_best(scores)), ["steady"], given="14 draws: as good in ten, worse by .5 in the last four")


@exercise("tied_with_best", points=0.5)
def test_a_little_better_every_time_is_better(student: Student) -> None:
    for power in (21, 35, 45):
        scores = {"a": [0.5, 0.75, 0.25, 0.5], "b": [0.5, 0.75, 0.25, 0.5], "c": [0.5, 0.75, 0.25, 0.5]}
        scores["b"] = [score + 2**-power for score in scores["b"]]
        given = f"a and c have the scores {scores['a']}, b is 2^-{power} better in every draw"
        equal(list(student.tied_with_best(scores)), ["b"], given=given)
    scores = {"a": [-3e9, -1e9, -2e9], "b": [-3e9 - 1, -1e9 - 1, -2e9 - 1], "c": [-3e9, -1e9, -2e9]}
    equal(list(student.tied_with_best(scores)), ["a", "c"], given=f"scores {scores}: b is 1 worse in every draw")


# seconds_of
@exercise("seconds_of", points=0.5)
def test_many_calls_all_count(student: Student) -> None:
    pairs = [(0.0, float(seconds)) for seconds in [9, *[1] * 10, *[5] * 11]]
    close(float(student.seconds_of(pairs)), 5.0, given="a first call of 9 s, ten of 1 s, eleven of 5 s")
    pairs = [(0.0, float(seconds)) for seconds in [9, *[1] * 600, *[5] * 600]]
    close(float(student.seconds_of(pairs)), 3.0, given="a first call of 9 s, 600 of 1 s, 600 of 5 s")


@exercise("seconds_of", points=0.5)
@for_all(examples=30, first=integers(0, 99), taken=lists(integers(0, 9), min_size=1, max_size=7), pause=integers(0, 50))
def test_any_calls_have_their_median(student: Student, first: int, taken: list[int], pause: int) -> None:
    pairs, now = [], 0.0
    for seconds in [first, *taken]:
        pairs.append((now, now + seconds))
        now += seconds + pause
    ordered = sorted(taken)
    close(float(student.seconds_of(pairs)), (ordered[len(taken) // 2] + ordered[(len(taken) - 1) // 2]) / 2)


@exercise("seconds_of", points=0.5)
def test_a_call_may_take_less_than_the_clock_has_digits_for_in_float32(student: Student) -> None:
    pairs = [(2.0**20 + place, 2.0**20 + place + n / 2**22) for place, n in enumerate((9, 2, 1, 4))]
    given = "a clock at a million seconds, calls of 9, then 2, 1, 4, each / 4,194,304 seconds; in such parts"
    close(float(student.seconds_of(pairs)) * 2**22, 2.0, given=given)
    pairs = [(0.0, n * 2.0**-60) for n in (9, 2, 1, 4)]
    given = "each call begins at 0 of its clock, and takes 9, then 2, 1, 4, times 2^-60 seconds; in such parts"
    close(float(student.seconds_of(pairs)) * 2**60, 2.0, given=given)


@exercise("seconds_of", points=0.5)
def test_the_first_pair_is_left_out_wherever_its_clock_stands(student: Student) -> None:
    pairs = [(0.0, 1.0), (0.0, 1.0), (0.0, 5.0), (0.0, 1.0), (0.0, 5.0)]
    close(float(student.seconds_of(pairs)), 3.0, given=f"readings {pairs}: the first is left out, not what equals it")
    pairs = [(0.0, 8.0), (0.0, 1.0), (0.0, 3.0)]
    close(float(student.seconds_of(pairs)), 2.0, given=f"readings {pairs}")


# forward_flops
def counted(tokens: int, layers: int, width: int, inner: int, vocabulary: int, scored: int) -> int:
    """What torch counts in the course's own layers, with attention as two products of matrices."""
    blocks = [Block(BlockConfig(width, 1, inner, dropout=0.0)).eval() for _ in range(layers)]
    x = torch.zeros(1, tokens, width)
    with sdpa_kernel(SDPBackend.MATH), torch.no_grad(), FlopCounterMode(display=False) as counter:
        for block in blocks:
            x = block(x)
        if scored:
            torch.nn.functional.linear(torch.zeros(scored, width), torch.zeros(vocabulary, width))
    return int(counter.get_total_flops())


@exercise("forward_flops", points=0.5)
@for_all(
    examples=12,
    sizes=tuples(integers(2, 9), integers(1, 3), integers(2, 9), integers(2, 20)),
    words=tuples(integers(2, 50), integers(0, 4)),
)
def test_any_model_takes_what_torch_counts(
    student: Student, sizes: tuple[int, int, int, int], words: tuple[int, int]
) -> None:
    equal(int(student.forward_flops(*sizes, *words)), counted(*sizes, *words))


@exercise("forward_flops", points=0.5)
def test_a_whole_number_is_exact_however_large(student: Student) -> None:
    found = student.forward_flops(131_073, 97, 12_289, 49_157, 50_257, 3)
    layer = 4 * 131_073 * 12_289**2 + 2 * 131_073**2 * 12_289 + 2 * 131_073 * 12_289 * 49_157
    expected = 2 * (97 * layer + 3 * 12_289 * 50_257)
    equal(int(found), expected, given="131,073 tokens, 97 layers, widths 12,289 and 49,157, 50,257 words at 3 places")
    found = student.forward_flops(4_000_037, 97, 12_289, 49_157)  # more than 64 bits hold
    layer = 4 * 4_000_037 * 12_289**2 + 2 * 4_000_037**2 * 12_289 + 2 * 4_000_037 * 12_289 * 49_157
    equal(int(found), 2 * 97 * layer, given="4,000,037 tokens, 97 layers, widths 12,289 and 49,157")


@exercise("forward_flops", points=0.5)
def test_no_layers_and_no_inner_width_take_nothing_themselves(student: Student) -> None:
    equal(int(student.forward_flops(5, 0, 4, 16, 100, 3)), 2 * 3 * 4 * 100, given="no layers, 100 words scored at 3 places")
    equal(int(student.forward_flops(5, 2, 4, 0)), 2 * 2 * (4 * 5 * 16 + 2 * 25 * 4), given="5 tokens, 2 layers, width 4, inner 0")
    plain = int(student.forward_flops(5, 2, 4, 16))
    given = "5 tokens, 2 layers, width 4, inner 16: what a vocabulary adds"
    equal(int(student.forward_flops(5, 2, 4, 16, vocabulary=100)) - plain, 0, given=f"{given} that is scored nowhere")
    more = int(student.forward_flops(5, 2, 4, 16, scored=7, vocabulary=100)) - plain
    equal(more, 2 * 7 * 4 * 100, given=f"{given} of 100 words, scored at 7 places")


# serving_bytes
@exercise("serving_bytes", points=0.5)
@for_all(examples=12, layers=integers(1, 4), width=integers(1, 6), tokens=integers(1, 6), texts=integers(1, 4), size=sampled_from([2, 4, 1, 8]))
def test_any_cache_is_what_the_layers_keep(
    student: Student, layers: int, width: int, tokens: int, texts: int, size: int
) -> None:
    blocks = [Block(BlockConfig(2 * width, 2, 8, dropout=0.0)).eval() for _ in range(layers)]
    kept = 0
    for block in blocks:
        cache = LayerCache()
        with torch.no_grad():
            block(torch.zeros(texts, tokens, 2 * width), cache=cache)
        kept += sum(part.numel() for part in (cache.text.keys, cache.text.values) if part is not None)
    weights = sum(weight.numel() for block in blocks for weight in block.parameters())
    equal(int(student.serving_bytes(weights, layers, 2 * width, tokens, texts, size)), size * (weights + kept))


@exercise("serving_bytes", points=0.5)
def test_a_whole_number_of_bytes_is_exact_however_large(student: Student) -> None:
    found = student.serving_bytes(2**55 + 1, 3, 5, 7, 11, 1)
    equal(int(found), 2**55 + 1 + 3 * 5 * 7 * 11 * 2, given="2^55 + 1 weights, 3 layers, width 5, 7 tokens, 11 texts, 1 byte")
    found = student.serving_bytes(1, 1001, 10_007, 100_003, 50_021, 4)
    given = "1 weight, 1,001 layers, width 10,007, 100,003 tokens, 50,021 texts, 4 bytes"
    equal(int(found), 4 * (1 + 1001 * 10_007 * 100_003 * 50_021 * 2), given=given)


# energy
@exercise("energy", points=0.5)
@for_all(hours=integers(0, 90), watts=lists(integers(0, 40), min_size=3, max_size=3), gpus=integers(0, 8), eighths=integers(8, 16))
def test_any_energy_is_the_sum_of_its_parts(student: Student, hours: int, watts: list[int], gpus: int, eighths: int) -> None:
    cpu, memory, gpu = (100.0 * n for n in watts)
    parts = [cpu, memory, *itertools.repeat(gpu, gpus)]
    kwh = sum(part / 1000 * hours * eighths / 8 for part in parts)
    found = student.energy(hours, cpu, memory, gpu, gpus, overhead=eighths / 8, pounds=0.5)
    close([float(value) for value in found], [kwh, 0.5 * kwh])


@exercise("energy", points=0.5, needs="test_elmos_row_of_the_papers_table")
def test_the_papers_factors_are_the_defaults(student: Student) -> None:
    close([float(v) for v in student.energy(1000, 1.0, 0.0)], [1.58, 1.58 * 0.954], given="1,000 hours, 1 W")
    close([float(v) for v in student.energy(1000, 0.0, 1.0)], [1.58, 1.58 * 0.954], given="1,000 hours, 1 W of memory")


@exercise("energy", points=0.5)
def test_hours_in_parts_many_gpus_and_little_power(student: Student) -> None:
    found = student.energy(0.75, 40.0, 8.0, 250.0, 64, overhead=1.25, pounds=1.0)
    close([float(v) for v in found], [15.045] * 2, given="three quarters of an hour, 40 + 8 W, 64 GPUs of 250 W, overhead 1.25")
    found = student.energy(2**-10, 2.0, 0.0, overhead=1.0, pounds=0.5)
    close([float(v) * 1e6 for v in found], [1.953125, 0.9765625], given="3.5 seconds, 2 W, overhead 1; in millionths of a kWh")
    found = student.energy(2**-20, 2**-10, 0.0, overhead=1.0, pounds=0.5)
    given = "a 1,048,576th of an hour, a 1,024th of a W, overhead 1; times 2^30"
    close([float(v) * 2**30 for v in found], [0.001, 0.0005], given=given, atol=0)
    found = student.energy(1e6, 5e5, 5e5, 1e3, 25_000, overhead=2.0, pounds=4.0)
    close([float(v) for v in found], [5.2e10, 2.08e11], given="a million hours, a million W, 25,000 GPUs of 1,000 W, overhead 2, 4 lb")


@exercise("energy", points=0.5)
def test_a_grid_may_emit_nothing(student: Student) -> None:
    found = student.energy(10, 100.0, 0.0, overhead=1.5, pounds=0.0)
    close([float(v) for v in found], [1.5, 0.0], given="10 hours, 100 W, overhead 1.5, 0 lb for each kWh")


# pareto_front
@exercise("pareto_front", points=0.5)
@for_all(examples=50, points=lists(tuples(integers(-1, 3), integers(-1, 3)), max_size=7), turned=sampled_from([1, -1]))
def test_any_front_is_what_no_model_dominates(student: Student, points: list[tuple[int, int]], turned: int) -> None:
    names = list("gcafbed")[::turned]
    models = {name: (float(cost), float(quality)) for name, (cost, quality) in zip(names, points, strict=False)}
    best: dict[float, float] = {}  # cost → the best quality for that money
    for cost, quality in models.values():
        best[cost] = max(quality, best.get(cost, -math.inf))
    expected = [
        name
        for price in sorted(best)
        for name, (cost, quality) in models.items()
        if cost == price and quality == best[price] > max((best[less] for less in best if less < price), default=-math.inf)
    ]
    equal(list(student.pareto_front(models)), expected)


@exercise("pareto_front", points=0.5)
def test_of_many_models_the_last_may_dominate(student: Student) -> None:
    models = {f"m{place}": (float(place), float(place)) for place in range(12)}
    equal(list(student.pareto_front(models)), list(models), given="12 models, each dearer and better than the one before")
    models["best"] = (0.0, 20.0)
    equal(list(student.pareto_front(models)), ["best"], given="the same, and a thirteenth that costs 0 and is the best")


@exercise("pareto_front", points=0.5)
def test_a_front_may_bend_inwards(student: Student) -> None:
    models = {"dear": (3.0, 3.0), "cheap": (1.0, 1.0), "between": (2.0, 1.25), "fourth": (4.0, 3.125)}
    equal(list(student.pareto_front(models)), ["cheap", "between", "dear", "fourth"], given=str(models))


@exercise("pareto_front", points=0.5)
def test_a_little_dearer_or_better_counts(student: Student) -> None:
    for power in (31, 45):
        models = {"a": (1.0, 0.5), "dearer": (1.0 + 2**-power, 0.5), "better": (2.0, 0.5 + 2**-power)}
        equal(list(student.pareto_front(models)), ["a", "better"], given=f"{models}: 'dearer' and 'better' by 2^-{power}")
    models = {"dearer": (2.0**-60, 0.0), "a": (0.0, 0.0), "better": (2.0**-60, 2.0**-61), "worse": (0.0, -(2.0**-60))}
    equal(list(student.pareto_front(models)), ["a", "better"], given=str(models))
    models = {"dearer": (3e23 + 1e9, 1e12), "a": (3e23, 1e12), "better": (4e23, 1e12 + 1)}
    equal(list(student.pareto_front(models)), ["a", "better"], given=str(models))


@exercise("pareto_front", points=0.5, needs="test_dearer_and_worse_is_dominated")
def test_qualities_and_costs_may_be_negative(student: Student) -> None:
    models = {"c": (3.0, -4.0), "b": (2.0, -3.0), "a": (1.0, -5.0), "d": (4.0, -1e12)}
    equal(list(student.pareto_front(models)), ["a", "b"], given=f"{models}, such as ln p")
    models = {"a": (-1.0, -5.0), "b": (-2e12, -9.0), "c": (-1.5, -9.0)}
    equal(list(student.pareto_front(models)), ["b", "a"], given=str(models))


@exercise("pareto_front", points=0.5, needs="test_twins_do_not_dominate_each_other")
def test_of_many_twins_all_stay(student: Student) -> None:
    models = dict.fromkeys("zbyaxc", (2.0, 0.5)) | {"cheap": (0.0, 0.0)} | dict.fromkeys("qpr", (1.0, 0.25))
    equal(list(student.pareto_front(models)), ["cheap", *"qpr", *"zbyaxc"], given=f"{models}: six twins and three")


# choose
VALUES = none() | integers(-2, 2).map(float) | integers(-2, 2)


@exercise("choose", points=0.5)
@for_all(
    examples=50,
    facts=lists(dictionaries(sampled_from(["a", "b", "c"]), VALUES), max_size=5),
    needs=lists(tuples(sampled_from(["a", "b", "x", "c"]), sampled_from(["at least", "at most"]), integers(-2, 2)), max_size=3),
    whole=booleans(),
)
def test_any_choice_is_that_of_a_search_by_hand(
    student: Student, facts: list[dict[str, float | None]], needs: list[tuple[str, str, int]], whole: bool
) -> None:
    models = {f"model {5 - place}": fact for place, fact in enumerate(facts)}
    expected, price = None, math.inf
    for name, fact in models.items():
        values = [(fact.get(key), bound, number) for key, bound, number in needs]
        lacks = any(v is None or (v < n if bound == "at least" else v > n) for v, bound, n in values)
        cost = fact.get("c")
        if not lacks and cost is not None and cost < price:
            expected, price = name, cost
    equal(student.choose(models, [(key, bound, n if whole else float(n)) for key, bound, n in needs], "c"), expected)


@exercise("choose", points=0.5)
def test_many_models_and_needs_are_all_looked_at(student: Student) -> None:
    models = {f"m{place}": {"good": float(place), "ms": 1.0} for place in range(12)}
    equal(student.choose(models, [("good", "at least", 11.0)], "ms"), "m11", given="12 models, the last is good enough")
    facts = {f"fact {place}": 1.0 for place in range(12)} | {"ms": 1.0}
    needs = [(f"fact {place}", "at least", 1.0) for place in range(11)]
    equal(student.choose({"m": facts}, [*needs, ("fact 11", "at most", 0.5)], "ms"), None, given="12 needs, the last is not met")


@exercise("choose", points=0.5)
def test_a_value_of_0_is_known(student: Student) -> None:
    models = {"some": {"errors": 1.0, "ms": 3.0}, "none": {"errors": 0.0, "ms": 2.0}, "many": {"errors": 9.0, "ms": 1.0}}
    equal(student.choose(models, [("errors", "at most", 1.0)], "ms"), "none")
    equal(student.choose(models, [("errors", "at least", 0.0), ("errors", "at most", 0.5)], "ms"), "none")


@exercise("choose", points=0.5)
def test_a_value_below_0_is_known_and_0_is_a_bound(student: Student) -> None:
    models = {"a": {"log p": -1.0, "ms": 2.0}, "b": {"log p": -3.0, "ms": 1.0}, "c": {"log p": 1.0, "ms": 0.5}}
    needs = [("log p", "at least", -2.0), ("log p", "at most", 0.0)]
    equal(student.choose(models, needs, "ms"), "a", given=f"{models}, needs {needs}")


@exercise("choose", points=0.5)
def test_bounds_and_costs_are_exact(student: Student) -> None:
    for part in (2**-31, 2**-45):
        models = {"short": {"good": 0.5 - part, "ms": 1.0}, "dear": {"good": 0.5, "ms": 2.0 + part}, "right": {"good": 0.5, "ms": 2.0}}
        equal(student.choose(models, [("good", "at least", 0.5)], "ms"), "right", given=f"at least .5 of {models}")
        models = {"over": {"MB": 1.0 + part, "ms": 1.0}, "right": {"MB": 1.0, "ms": 2.0}}
        equal(student.choose(models, [("MB", "at most", 1.0)], "ms"), "right", given=f"at most 1 MB of {models}")
    tiny = 2.0**-60
    models = {"over": {"error": tiny, "ms": 0.0}, "dear": {"error": 0.0, "ms": 2 * tiny}, "right": {"error": 0.0, "ms": tiny}}
    equal(student.choose(models, [("error", "at most", 0.0)], "ms"), "right", given=f"at most 0 errors of {models}")
    equal(student.choose(models, [("error", "at least", tiny)], "ms"), "over", given=f"at least 2^-60 errors of {models}")


@exercise("choose", points=0.5)
def test_a_cost_may_be_0_or_very_large(student: Student) -> None:
    equal(student.choose({"free": {"ms": 0.0}, "dear": {"ms": 1.0}}, [], "ms"), "free", given="costs of 0 and 1, no needs")
    models = {"GPT-3": {"FLOPs": 3.14e23}, "GPT-2": {"FLOPs": 1.9e21}}
    equal(student.choose(models, [], "FLOPs"), "GPT-2", given=f"{models}, no needs")
    models = {"gain": {"ms": -1.0}, "free": {"ms": 0}, "more gain": {"ms": -5e12}, "as much": {"ms": -5e12}}
    equal(student.choose(models, [], "ms"), "more gain", given=f"{models}, no needs")


# What the notebook records, and the truth it is held against: the grader draws the tests itself from the run's seed.
SIZES = {400: (4, 100), 3000: (10, 300), 30_000: (30, 1000)}  # of the profiles: draws of labels, test items of each
TAGS = ("O", "B-PER", "B-COU", "B-CAP", "B-LAN")
JOBS = ("topics", "names", "endings")
MODELS = ["word counts", "word2vec", "ELMo", "BERT, half as wide", "BERT", "ALBERT", "RoBERTa", "GPT", "BERT, untrained"]
QUESTIONS = (  # needs, by the columns of `facts`
    ((0, "least", 0.7),),
    ((1, "least", 0.8),),
    ((2, "most", 1.0),),
    ((0, "least", 0.5), (1, "least", 0.5), (2, "most", 1.0)),
    ((3, "most", 1.0), (0, "least", 0.5), (1, "least", 0.5)),
)


@functools.lru_cache(maxsize=16)
def _truth(job: str, language: str, seed: int, draws: int, tests: int) -> list[Tensor]:
    """The right answers of each draw's test."""
    found = []
    for number in range(draws):
        tasks: Any = Tasks(language, seed=draws * seed + number)  # type: ignore[arg-type]
        if job == "names":
            found.append(torch.tensor([TAGS.index(tag) for item in tasks.entities(tests, "test") for tag in item.tags]))
        else:
            items = tasks.topics(tests, "test") if job == "topics" else tasks.choices(tests, "test")
            found.append(torch.tensor([item.label for item in items]))
    return found


def _scores(artifacts: Artifacts, job: str, language: str = "en") -> dict[str, list[float]]:
    """Model → its score in each draw, accuracy or F1 of names, of recorded answers; models without answers are left out."""
    if artifacts.strings("models") != MODELS:
        raise BadArtifact(f"'models' holds {artifacts.strings('models')}, expected {MODELS}")
    size = artifacts.tensor("topics_en", ndim=2).shape[1]
    if size not in SIZES:
        raise BadArtifact(f"'topics_en' has {size} answers of each model, which no profile has")
    truth = _truth(job, language, artifacts.seed, *SIZES[size])
    answers, total = artifacts.tensor(f"{job}_{language}", ndim=2), sum(map(len, truth))
    if answers.is_floating_point() or answers.shape != (len(MODELS), total):
        raise BadArtifact(f"'{job}_{language}' has shape {tuple(answers.shape)}: {len(MODELS)} rows of {total} whole numbers are expected")
    return {name: _of_draws(row, truth, job) for name, row in zip(MODELS, answers, strict=True) if bool((row >= 0).any())}


def _of_draws(answers: Tensor, truth: list[Tensor], job: str) -> list[float]:
    scores = []
    for own, gold in zip(answers.split([len(part) for part in truth]), truth, strict=True):
        if job == "names":
            right = int(((own == gold) & (gold > 0)).sum())
            scores.append(2 * right / max(1, int((own > 0).sum()) + int((gold > 0).sum())))
        else:
            scores.append(float((own == gold).double().mean()))
    return scores


def _lead(artifacts: Artifacts, job: str, better: str, worse: str, language: str = "en") -> float:
    scores = _scores(artifacts, job, language)
    for name in (better, worse):
        if name not in scores:
            raise BadArtifact(f"'{job}_{language}' holds no answers of {name}")
    return statistics.fmean(scores[better]) - statistics.fmean(scores[worse])


def _shaped(artifacts: Artifacts, name: str, *shape: int) -> Tensor:
    found = artifacts.tensor(name, ndim=len(shape))
    if found.shape != shape:
        raise BadArtifact(f"{name!r} has shape {tuple(found.shape)}, expected {shape}")
    return found.double()


@metric("topics_word2vec_minus_counts")
def topics_word2vec_minus_counts(artifacts: Artifacts) -> float:
    return _lead(artifacts, "topics", "word2vec", "word counts")


@metric("topics_bert_minus_word2vec")
def topics_bert_minus_word2vec(artifacts: Artifacts) -> float:
    return _lead(artifacts, "topics", "BERT", "word2vec")


@metric("topics_bert_minus_gpt")
def topics_bert_minus_gpt(artifacts: Artifacts) -> float:
    return _lead(artifacts, "topics", "BERT", "GPT")


@metric("topics_bert_minus_elmo")
def topics_bert_minus_elmo(artifacts: Artifacts) -> float:
    return _lead(artifacts, "topics", "BERT", "ELMo")


@metric("topics_bert_minus_albert")
def topics_bert_minus_albert(artifacts: Artifacts) -> float:
    return _lead(artifacts, "topics", "BERT", "ALBERT")


@metric("topics_roberta_minus_bert")
def topics_roberta_minus_bert(artifacts: Artifacts) -> float:
    return _lead(artifacts, "topics", "RoBERTa", "BERT")


@metric("names_gpt_minus_bert")
def names_gpt_minus_bert(artifacts: Artifacts) -> float:
    return _lead(artifacts, "names", "GPT", "BERT")


@metric("endings_gpt_minus_bert")
def endings_gpt_minus_bert(artifacts: Artifacts) -> float:
    return _lead(artifacts, "endings", "GPT", "BERT")


@metric("endings_roberta_minus_bert")
def endings_roberta_minus_bert(artifacts: Artifacts) -> float:
    return _lead(artifacts, "endings", "RoBERTa", "BERT")


@metric("topics_korean_bert_minus_word2vec")
def topics_korean_bert_minus_word2vec(artifacts: Artifacts) -> float:
    return _lead(artifacts, "topics", "BERT", "word2vec", "ko")


@metric("names_korean_bert_minus_word2vec")
def names_korean_bert_minus_word2vec(artifacts: Artifacts) -> float:
    return _lead(artifacts, "names", "BERT", "word2vec", "ko")


@metric("topics_bert_minus_untrained")
def topics_bert_minus_untrained(artifacts: Artifacts) -> float:
    return _lead(artifacts, "topics", "BERT", "BERT, untrained")


@metric("bits_bigrams_minus_gpt")
def bits_bigrams_minus_gpt(artifacts: Artifacts) -> float:
    bits = _shaped(artifacts, "bits", 3)
    if bool((bits <= 0).any()):
        raise BadArtifact("'bits' holds the bits per byte of unigrams, bigrams and GPT: three positive numbers")
    return float(bits[1] - bits[2])


# What the student's pieces gave on the experiment's own numbers, against the same computed here.
@metric("interval_in_standard_errors")
def interval_in_standard_errors(artifacts: Artifacts) -> float:
    intervals, found = _shaped(artifacts, "intervals", len(JOBS), len(MODELS), 2), []
    for job, own in zip(JOBS, intervals, strict=True):
        for name, scores in _scores(artifacts, job).items():
            error = statistics.stdev(scores) / math.sqrt(len(scores))
            if error > 0:
                found.append(float((own[MODELS.index(name)] - statistics.fmean(scores)).abs().max()) / error)
    return statistics.fmean(found)


@metric("ties_right")
def ties_right(artifacts: Artifacts) -> float:
    found = _shaped(artifacts, "tied", 2, len(JOBS), len(MODELS))
    right = [[tied(_scores(artifacts, job, language)) for job in JOBS] for language in ("en", "ko")]
    expected = torch.tensor([[[name in names for name in MODELS] for names in of_jobs] for of_jobs in right])
    return float((found == expected).double().mean())


@metric("seconds_right")
def seconds_right(artifacts: Artifacts) -> float:
    clock, seconds = artifacts.tensor("clock", ndim=3), _shaped(artifacts, "facts", len(MODELS), 5)[:, 4] / 1000
    if len(clock) != len(MODELS) or clock.shape[1] < 10 or clock.shape[2] != 2:
        raise BadArtifact("'clock' holds two readings for each call of each model, ten calls or more")
    taken = (clock[:, 1:, 1] - clock[:, 1:, 0]).double().sort(dim=1).values  # (M, calls)
    middle = (taken[:, (taken.shape[1] - 1) // 2] + taken[:, taken.shape[1] // 2]) / 2
    # A share and no quotient: on a fast machine with a coarse clock a call takes no time.
    return float(((seconds.double() - middle).abs() <= 1e-6 * middle.abs() + 1e-9).double().mean())


@metric("fronts_right")
def fronts_right(artifacts: Artifacts) -> float:
    costs, found = _shaped(artifacts, "flops", len(MODELS), 2)[:, 0].tolist(), _shaped(artifacts, "fronts", len(JOBS), len(MODELS))
    expected = torch.full_like(found, -1)
    for row, job in zip(expected, JOBS, strict=True):
        points = {MODELS.index(name): (costs[MODELS.index(name)], statistics.fmean(own)) for name, own in _scores(artifacts, job).items()}
        front = [place for place, own in points.items() if not any(b[0] <= own[0] and b[1] >= own[1] and b != own for b in points.values())]
        for number, place in enumerate(sorted(front, key=lambda place: points[place][0])):
            row[place] = number
    return float((found == expected).double().mean())


@metric("choices_right")
def choices_right(artifacts: Artifacts) -> float:
    facts, found = _shaped(artifacts, "facts", len(MODELS), 5).tolist(), _shaped(artifacts, "chosen", len(QUESTIONS)).tolist()
    expected = []
    for needs in QUESTIONS:
        good = [
            place for place, row in enumerate(facts)
            if all(row[fact] >= 0 and (row[fact] >= bound if side == "least" else row[fact] <= bound) for fact, side, bound in needs)
        ]
        expected.append(min(good, key=lambda place: facts[place][4], default=-1))
    return statistics.fmean(float(a == b) for a, b in zip(found, expected, strict=True))


@metric("teraflops_to_train_bert")
def teraflops_to_train_bert(artifacts: Artifacts) -> float:
    return float(_shaped(artifacts, "flops", len(MODELS), 2)[MODELS.index("BERT"), 1]) / 1e12


@metric("megabytes_to_write_with_gpt")
def megabytes_to_write_with_gpt(artifacts: Artifacts) -> float:
    return float(_shaped(artifacts, "facts", len(MODELS), 5)[MODELS.index("GPT"), 3])


@metric("kwh_to_train_elmo")
def kwh_to_train_elmo(artifacts: Artifacts) -> float:
    return float(_shaped(artifacts, "kwh", 4)[2])
