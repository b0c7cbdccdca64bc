"""bert_parts: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import itertools
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import torch
from hypothesis.strategies import SearchStrategy, booleans, integers, lists, sampled_from, tuples
from torch import Tensor

from etude import pretrained
from etude.lesson.checks import close, close_gradients, equal, exercise, true
from etude.lesson.gradients import WEIGHTED, scalar
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.world.tasks import Tasks
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all


def random_layers(count: int, *shape: int, seed: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=generator, dtype=torch.float64) for _ in range(count)]


# combine_layers
def mixture(layers: list[Tensor], scores: Tensor) -> np.ndarray:
    """The sum of the last layers, weighted by exp(score) over their sum, in numpy."""
    weights = np.exp(scores.numpy() - scores.numpy().max())
    stacked = np.stack([layer.numpy() for layer in layers[-len(weights) :]])  # (K, B, N, H)
    return np.asarray(np.tensordot(weights / weights.sum(), stacked, axes=1))


@exercise("combine_layers", points=0.5)
@for_all(
    examples=20,
    count=integers(2, 7),
    shape=lists(integers(1, 3), min_size=3, max_size=3),
    numbers=lists(inputs.numbers(), min_size=7, max_size=7),
    seed=integers(0, 9),
)
def test_any_layers_are_mixed_as_by_numpy(
    student: Student, count: int, shape: list[int], numbers: list[float], seed: int
) -> None:
    layers, scores = random_layers(count + 1, *shape, seed=seed), torch.tensor(numbers, dtype=torch.float64)
    few = scores[: min(4, count)]
    close(student.combine_layers(layers, "sum-last-4", few), mixture(layers, few))
    close(student.combine_layers(layers, "sum-all", scores[:count]), mixture(layers, scores[:count]))
    side = np.concatenate([layer.numpy() for layer in layers[1:][-4:]], axis=-1)
    close(student.combine_layers(layers, "concat-last-4"), side)
    close(student.combine_layers(layers, "second-to-last"), layers[count - 1])


@exercise("combine_layers", points=0.5, needs="test_scores_become_weights_by_a_softmax")
def test_scores_can_be_learned(student: Student) -> None:
    layers, scores = random_layers(3, 1, 2, 2, seed=8), torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    first, second = scalar(layers[1]), scalar(layers[2])
    share = 1 / (1 + (scores[1] - scores[0]).exp())  # of the first of two
    (expected,) = torch.autograd.grad(share * first + (1 - share) * second, scores)
    for way in ("sum-all", "sum-last-4"):
        given = f"2 layers, {way!r}, scores 0.5 and −1; the gradient for the scores{WEIGHTED}"
        (found,) = student.gradients("combine_layers", layers, way, scores.detach().requires_grad_())
        true(found is not None, "the result knows nothing of the scores, so they cannot be trained", given=given)
        close(found, expected, given=given)


@exercise("combine_layers", points=0.5, needs="test_scores_become_weights_by_a_softmax")
def test_scores_may_be_far_from_zero(student: Student) -> None:
    layers = random_layers(3, 1, 2, 2, seed=5)
    for first in (800.0, -800.0):
        scores = torch.tensor([first, first + 2], dtype=torch.float64)
        given = f"2 layers, 'sum-all', scores {first:.0f} and {first + 2:.0f}"
        close(student.combine_layers(layers, "sum-all", scores), mixture(layers, scores), given=given)


@exercise("combine_layers", points=0.5, needs="test_one_layer_is_taken_as_it_is")
def test_a_way_without_a_sum_looks_at_no_scores(student: Student) -> None:
    layers, scores = random_layers(3, 1, 2, 2, seed=6), torch.tensor([0.5, -1.0], dtype=torch.float64)
    for way, place in {"embeddings": 0, "second-to-last": 1, "last": 2}.items():
        given = f"the embeddings and 2 layers, {way!r}, scores 0.5 and −1"
        close(student.combine_layers(layers, way, scores), layers[place], given=given)
    side = np.concatenate([layers[1].numpy(), layers[2].numpy()], axis=-1)
    given = "the embeddings and 2 layers, 'concat-last-4', scores 0.5 and −1"
    close(student.combine_layers(layers, "concat-last-4", scores), side, given=given)


@exercise("combine_layers", points=0.5, needs="test_scores_become_weights_by_a_softmax")
def test_thirty_layers_are_all_summed(student: Student) -> None:
    layers, scores = random_layers(31, 2, 1, 3, seed=9), torch.linspace(-1, 1, 30, dtype=torch.float64)
    given = "the embeddings and 30 layers (2, 1, 3), 'sum-all', scores from −1 to 1"
    close(student.combine_layers(layers, "sum-all", scores), mixture(layers, scores), given=given)
    close(student.combine_layers(layers, "second-to-last"), layers[29], given="the embeddings and 30 layers, 'second-to-last'")


@exercise("combine_layers", points=0.5, needs="test_scores_become_weights_by_a_softmax")
def test_an_axis_of_one_is_kept_in_every_way(student: Student) -> None:
    scores = torch.tensor([0.5, -1.0], dtype=torch.float64)
    for shape in ((1, 3, 2), (2, 1, 3), (2, 3, 1), (1, 1, 1)):
        layers, given = random_layers(3, *shape, seed=4), f"the embeddings and 2 layers {shape}, scores 0.5 and −1"
        for way, place in {"embeddings": 0, "second-to-last": 1, "last": 2}.items():
            close(student.combine_layers(layers, way), layers[place], given=f"{given}, {way!r}")
        for way in ("sum-last-4", "sum-all"):
            close(student.combine_layers(layers, way, scores), mixture(layers, scores), given=f"{given}, {way!r}")
        side = np.concatenate([layers[1].numpy(), layers[2].numpy()], axis=-1)
        close(student.combine_layers(layers, "concat-last-4"), side, given=f"{given}, 'concat-last-4'")


# trainable
PARTS = ("attention.project_in.weight", "attention_sum.norm.bias", "feed_forward.0.weight")


@exercise("trainable", points=0.5)
@for_all(examples=30, layers=integers(1, 14), first=integers(0, 16), sizes=lists(integers(1, 5), min_size=2, max_size=3), turned=booleans())
def test_any_model_is_frozen_as_counted_by_hand(
    student: Student, layers: int, first: int, sizes: list[int], turned: bool
) -> None:
    levels = {"bert.input.tokens.weight": 0, "bert.input.norm.weight": 0}
    levels |= {f"bert.layers.{i}.{part}": i + 1 for i in range(layers) for part in PARTS}
    levels |= {"bert.pooler.bias": 99, "head.weight": 99}
    names = list(reversed(levels)) if turned else list(levels)
    shapes = {name: tuple(sizes) if name.endswith("weight") else (sizes[0],) for name in names}
    expected = [name for name in names if levels[name] >= first]
    found, count = student.trainable(shapes, first)
    equal(list(found), expected)
    numbers = 0
    for name in expected:
        numbers += int(np.prod(shapes[name]))
    equal(int(count), numbers)


@exercise("trainable", points=0.5)
def test_a_head_of_another_name_is_always_trained(student: Student) -> None:
    shapes = {"bert.input.norm.weight": (4,), "scorer.layers.0.weight": (2, 4), "bert.pooler.bias": (4,), "scorer.input.bias": (2,)}
    names, count = student.trainable(shapes, 9)
    equal(list(names), list(shapes)[1:], given="weights scorer.layers.0.weight, bert.pooler.bias, scorer.input.bias; first = 9")
    equal(int(count), 14, given="the same: how many weights")
    shapes = {"head.bert.layers.0.weight": (2, 3), "bert.layers.0.norm.bias": (5,), "head.bert.input.bias": (2,)}
    names, count = student.trainable(shapes, 9)
    given = "weights head.bert.layers.0.weight, bert.layers.0.norm.bias, head.bert.input.bias; first = 9"
    equal(list(names), ["head.bert.layers.0.weight", "head.bert.input.bias"], given=given)
    equal(int(count), 8, given=f"{given}: how many weights")


@exercise("trainable", points=0.5, needs="test_from_0_on_all_is_trained")
def test_a_weight_without_sides_is_one_number(student: Student) -> None:
    _, count = student.trainable({"bert.input.norm.weight": (4,), "head.temperature": ()}, 0)
    equal(int(count), 5, given="weights of shapes (4,) and (), first = 0: how many weights")
    _, count = student.trainable({"bert.input.norm.weight": (4,), "head.weight": (0, 3)}, 0)
    equal(int(count), 4, given="weights of shapes (4,) and (0, 3), first = 0: how many weights")


@exercise("trainable", points=0.5, needs="test_from_1_on_the_input_alone_is_frozen")
def test_the_dot_ends_the_name_of_what_is_frozen(student: Student) -> None:
    shapes = {"bert.input.norm.bias": (4,), "bert.input_scale.weight": (3,), "bert.layers_mix.scores": (2,)}
    names, count = student.trainable(shapes, 3)
    given = "weights bert.input.norm.bias, bert.input_scale.weight, bert.layers_mix.scores; first = 3"
    equal(list(names), ["bert.input_scale.weight", "bert.layers_mix.scores"], given=given)
    equal(int(count), 5, given=f"{given}: how many weights")


@exercise("trainable", points=0.5, needs="test_from_0_on_all_is_trained")
def test_millions_are_counted_to_the_last_one(student: Student) -> None:
    _, count = student.trainable({"bert.input.tokens.weight": (5000, 5000), "head.bias": (3,)}, 0)
    equal(int(count), 25_000_003, given="weights of shapes (5000, 5000) and (3,), first = 0: how many weights")
    _, count = student.trainable({"bert.input.tokens.weight": (300_000, 40_000), "head.bias": (3,)}, 0)
    equal(int(count), 12_000_000_003, given="weights of shapes (300000, 40000) and (3,), first = 0: how many weights")


@exercise("trainable", points=0.5, needs="test_from_1_on_the_input_alone_is_frozen")
def test_layers_may_have_three_digits_and_stand_in_any_order(student: Student) -> None:
    order = random.Random(5).sample(range(120), 120)
    shapes = {f"bert.layers.{i}.feed_forward.{i % 13}.weight": (2, 1, 3, 2, 1) for i in order} | {"bert.input.norm.bias": (4,)}
    names, count = student.trainable(shapes, 101)
    given = "120 layers in no order, then the input; each layer a weight of shape (2, 1, 3, 2, 1); first = 101"
    equal(list(names), [name for i, name in zip(order, shapes, strict=False) if i >= 100], given=given)
    equal(int(count), 20 * 12, given=f"{given}: how many weights")


@exercise("trainable", points=0.5, needs="test_from_1_on_the_input_alone_is_frozen")
def test_the_names_come_as_a_list(student: Student) -> None:
    names, _ = student.trainable({"bert.input.norm.bias": (4,), "bert.layers.0.norm.bias": (4,), "head.bias": (3,)}, 1)
    equal(names, ["bert.layers.0.norm.bias", "head.bias"], given="weights of the input, of one layer and of a head; first = 1")
    names, count = student.trainable({"bert.input.norm.bias": (4,), "bert.layers.0.norm.bias": (4,)}, 2)
    equal(names, [], given="weights of the input and of one layer, no head; first = 2")
    equal(int(count), 0, given="weights of the input and of one layer, no head; first = 2: how many weights")


# few_labels
@contextmanager
def another_run_of_python(student: Student) -> Iterator[None]:
    """Lets hash() give other numbers on the student's side, as it does for strings each time Python starts."""
    builtins = student.np.frompyfunc(__import__, 1, 1)("builtins")
    put, own = student.np.frompyfunc(setattr, 3, 1), student.np.frompyfunc(getattr, 2, 1)(builtins, "hash")
    put(builtins, "hash", id)
    try:
        yield
    finally:
        put(builtins, "hash", own)


@exercise("few_labels", points=0.5)
@for_all(
    examples=20,
    labels=lists(sampled_from([0, 1, 2]), max_size=9),
    most=integers(1, 4),
    seed=integers(0, 1000),
)
def test_any_samples_are_balanced_and_nested(student: Student, labels: list[int], most: int, seed: int) -> None:
    labels = labels + [0, 1, 2] * most
    smaller: set[int] = set()
    for per_class in range(1, most + 1):
        places = [int(place) for place in student.few_labels(labels, per_class, seed)]
        equal(len(set(places)), len(places))
        equal(sorted(labels[place] for place in places), sorted([0, 1, 2] * per_class))
        true(smaller <= set(places), "the larger sample does not hold the smaller one", actual=places)
        smaller = set(places)


@exercise("few_labels")
def test_the_draw_is_fair_within_a_class(student: Student) -> None:
    labels = ["x"] * 4 + ["y"] * 2
    times = [0] * 6
    for seed in range(400):
        for place in student.few_labels(labels, 1, seed):
            times[int(place)] += 1
    fair = all(60 <= count <= 140 for count in times[:4]) and all(150 <= count <= 250 for count in times[4:])
    true(fair, "some places are drawn far too often", given="4 x and 2 y, one of each, 400 seeds: how often each place", actual=times)


@exercise("few_labels", points=0.5, needs="test_each_class_has_equally_many")
def test_samples_of_large_classes_are_nested(student: Student) -> None:
    labels = ["x", "y"] * 100
    for seed in range(3):
        smaller: set[int] = set()
        for per_class in (5, 20, 60, 100):
            places = {int(place) for place in student.few_labels(labels, per_class, seed)}
            given = f"100 x and 100 y; {per_class} of each after a smaller sample, seed {seed}"
            true(smaller <= places, "places of the smaller sample are not in the larger one", given=given)
            smaller = places


@exercise("few_labels", points=0.5, needs="test_each_class_has_equally_many")
def test_classes_may_have_any_numbers(student: Student) -> None:
    labels = [7, -3, 2**40, 7, 2**40, -3, 7, -3]
    found = sorted(labels[int(place)] for place in student.few_labels(labels, 2, 1))
    equal(found, [-3, -3, 7, 7, 2**40, 2**40], given=f"{labels}, 2 of each class: their classes, sorted")


@exercise("few_labels", points=0.5, needs="test_each_class_has_equally_many")
def test_there_may_be_many_classes(student: Student) -> None:
    labels = list("abcdefghijkl") * 2
    found = sorted(labels[int(place)] for place in student.few_labels(labels, 1, 1))
    equal("".join(found), "abcdefghijkl", given="two each of 12 classes a to l, one of each: their classes, sorted")


@exercise("few_labels", points=0.5, needs="test_each_class_has_equally_many")
def test_classes_are_told_apart_to_the_letter(student: Student) -> None:
    names = ["a", "A", " a", "a ", "", "é", "e\u0301", "0", "00"]
    labels = names + names[::-1]
    found = sorted(labels[int(place)] for place in student.few_labels(labels, 1, 3))
    equal(found, sorted(names), given=f"two each of the classes {names}, one of each: their classes, sorted")


@exercise("few_labels", points=0.5, needs="test_each_class_has_equally_many")
def test_a_class_may_stand_at_the_end_of_many(student: Student) -> None:
    labels = ["x"] * 1190 + ["y"] * 10
    places = sorted(int(place) for place in student.few_labels(labels, 10, 2))
    equal(places[10:], list(range(1190, 1200)), given="1,190 x, then 10 y; 10 of each: the ten highest places")
    true(places[9] < 1190, "ten of the x were expected", given="1,190 x, then 10 y; 10 of each", actual=places)


@exercise("few_labels", points=0.5, needs="test_every_place_has_its_chance")
def test_every_pair_of_a_class_has_its_chance(student: Student) -> None:
    times: dict[tuple[int, ...], int] = dict.fromkeys(itertools.combinations(range(6), 2), 0)
    for seed in range(300):
        pair = tuple(sorted(int(place) for place in student.few_labels(["x"] * 6, 2, seed)))
        times[pair] = times.get(pair, 0) + 1
    fair = len(times) == 15 and all(3 <= count <= 60 for count in times.values())
    true(fair, "some pairs never come, or far too often", given="six x, two drawn, 300 seeds: how often each pair", actual=times)


@exercise("few_labels", points=0.5, needs="test_every_place_has_its_chance")
def test_other_seeds_give_other_samples(student: Student) -> None:
    seeds = [*range(60), *(10**power for power in range(2, 10)), *(2**power for power in range(8, 32, 4)), 2**32 - 1]
    samples: dict[tuple[int, ...], int] = {}
    for seed in dict.fromkeys(seeds):
        places = tuple(sorted(int(place) for place in student.few_labels(["x", "y"] * 30, 9, seed)))
        same = samples.setdefault(places, seed)
        true(same == seed, "two seeds have one sample", given=f"30 x and 30 y, 9 of each; the seeds {same} and {seed}")


@exercise("few_labels", points=0.5, needs="test_each_class_has_equally_many")
def test_the_places_come_as_a_list(student: Student) -> None:
    found = student.few_labels(["a", "b", "a"], 1, 0)
    true(isinstance(plain(found), list), "a list was expected", given="the classes a, b, a; one of each", actual=found)


@exercise("few_labels", points=0.5, needs="test_each_class_has_equally_many")
def test_the_order_of_a_set_decides_nothing(student: Student) -> None:
    for seed in range(3):
        samples = []
        for names in ("abcdefghijkl", "mnopqrstuvwx"):  # the same classes but for their names, whose order is the same
            labels = [names[i * 7 % 12] for i in range(480)]  # 40 of each
            places = sorted(int(place) for place in student.few_labels(labels, 8, seed))
            samples.append([[place // 12 for place in places if labels[place] == name] for name in names])
        given = f"40 each of 12 classes, 8 of each, seed {seed}; the same under other names in the same order"
        if sorted(samples[0]) == sorted(samples[1]):  # the same draws have come, which no name has decided
            true(samples[0] == samples[1], "the draws go to the classes in an order that a set may have", given=given)


@exercise("few_labels", points=0.5, needs="test_each_class_has_equally_many")
def test_another_run_of_python_has_the_same_sample(student: Student) -> None:
    labels = ["x", "y", "z"] * 40
    here = sorted(int(place) for place in student.few_labels(labels, 8, 4))
    with another_run_of_python(student):
        there = sorted(int(place) for place in student.few_labels(labels, 8, 4))
    given = "40 each of x, y and z, 8 of each, and again where hash() gives other numbers, as in another run"
    true(here == there, "the sample is another one", given=given)


@exercise("few_labels", points=0.5, needs="test_each_class_has_equally_many")
def test_the_same_seed_gives_the_same_sample_whatever_was_drawn_before(student: Student) -> None:
    labels = ["x", "y"] * 30
    found: dict[tuple[int, int], list[int]] = {}
    for seed, per_class in ((0, 5), (1, 5), (0, 9), (2, 5), (1, 5), (0, 5), (0, 9), (2**31, 5), (2, 5), (2**31, 5)):
        places = sorted(int(place) for place in student.few_labels(labels, per_class, seed))
        given = f"30 x and 30 y; {per_class} of each, seed {seed}, after other samples"
        equal(places, found.setdefault((seed, per_class), places), given=given)
    different = {tuple(places) for (_, per_class), places in found.items() if per_class == 5}
    equal(len(different), 4, given="5 each of 30 x and 30 y, the seeds 0, 1, 2 and 2^31: how many different samples")


# labels_needed
@exercise("labels_needed", points=0.5)
@for_all(
    steps=lists(integers(1, 4), min_size=1, max_size=4),
    scores=lists(integers(-16, 16), min_size=5, max_size=5),
    target=integers(-16, 16),
)
def test_any_curve_is_read_as_on_log_paper(student: Student, steps: list[int], scores: list[int], target: int) -> None:
    powers = list(itertools.accumulate([1, *steps]))  # the counts are powers of two
    heights = [score / 16 for score in scores[: len(powers)]]
    found = student.labels_needed([2**power for power in powers], heights, target / 16)
    reached = [i for i, height in enumerate(heights) if height >= target / 16]
    if not reached:
        equal(found, None)
    elif reached[0] == 0:
        close(found, float(2 ** powers[0]))
    else:
        i = reached[0]
        power = np.interp(target / 16, heights[i - 1 : i + 1], powers[i - 1 : i + 1])
        close(found, float(2**power))


@exercise("labels_needed", points=0.5, needs="test_half_way_is_the_geometric_mean")
def test_two_scores_may_be_close_together(student: Student) -> None:
    found = student.labels_needed([10, 1000], [0.5, 0.5 + 2**-20], 0.5 + 2**-21)
    close(found, 100.0, given="score 0.5 at 10 labels, a millionth more at 1,000; the target half way between")


@exercise("labels_needed", points=0.5, needs="test_half_way_is_the_geometric_mean")
def test_counts_need_not_be_whole(student: Student) -> None:
    close(student.labels_needed([2.5, 40.0], [0.0, 1.0], 0.5), 10.0, given="[2.5, 40], [0, 1], target 0.5")
    close(student.labels_needed([0.25, 4.0], [0.0, 1.0], 0.25), 0.5, given="[0.25, 4], [0, 1], target 0.25")


@exercise("labels_needed", points=0.5, needs="test_half_way_is_the_geometric_mean")
def test_a_curve_may_have_many_points(student: Student) -> None:
    counts = [4**power for power in range(14)]
    close(
        student.labels_needed(counts, [0.0] * 13 + [1.0], 0.5),
        2.0 * 4**12,
        given="fourteen points, at 1, 4, 16 … 4¹³ labels, the last score 1, all others 0; target 0.5",
    )


@exercise("labels_needed", points=0.5, needs="test_half_way_is_the_geometric_mean")
def test_a_curve_may_be_a_single_point(student: Student) -> None:
    for target, expected in ((0.25, 7.0), (0.5, 7.0), (0.75, None)):
        close(student.labels_needed([7], [0.5], target), expected, given=f"[7], [0.5], target {target}")


@exercise("labels_needed", points=0.5, needs="test_half_way_is_the_geometric_mean")
def test_a_score_that_falls_short_by_a_little_has_not_reached_the_target(student: Student) -> None:
    for target, short in ((0.5, 2**-20), (0.5, 2**-40), (2**-40, 2**-41)):
        given = f"[10, 1000], [{target} − {short}, 1], target {target}"
        found = student.labels_needed([10, 1000], [target - short, 1.0], target)
        true(found is not None and float(found) > 10, "the first score is below the target", given=given, actual=found)
        found = student.labels_needed([10, 1000], [-1.0, target - short], target)
        equal(found, None, given=f"[10, 1000], [−1, {target} − {short}], target {target}")


@exercise("labels_needed", points=0.5, needs="test_half_way_is_the_geometric_mean")
def test_what_is_needed_is_a_float_of_any_size(student: Student) -> None:
    for target in (0.0, 1.0):
        found = student.labels_needed([4, 16], [0.0, 1.0], target)
        true(isinstance(plain(found), float), "a float was expected", given=f"[4, 16], [0, 1], target {target}", actual=found)
    close(student.labels_needed([10**9, 10**13], [0.0, 1.0], 0.5), 1e11, given="[10⁹, 10¹³], [0, 1], target 0.5")
    close(student.labels_needed([1, 2], [0.7, 0.8], 0.5), 1.0, given="[1, 2], [0.7, 0.8], target 0.5")
    close(student.labels_needed([0.5, 1], [0.0, 1.0], 1.0), 1.0, given="[0.5, 1], [0, 1], target 1")
    found = student.labels_needed([1e-10, 1e-6], [0.0, 1.0], 0.5)
    close(found, 1e-8, given="[10⁻¹⁰, 10⁻⁶], [0, 1], target 0.5", atol=0)
    close(student.labels_needed([1, 100], [-80.0, 20.0], -30.0), 10.0, given="[1, 100], [−80, 20], target −30")


# left_to_right
@exercise("left_to_right", points=0.5)
@for_all(examples=30, rows=integers(1, 3), length=integers(1, 6), seed=integers(0, 50))
def test_any_tokens_are_asked_for_the_next_one(student: Student, rows: int, length: int, seed: int) -> None:
    draw = random.Random(seed)
    tokens = [[draw.randrange(50) for _ in range(length)] for _ in range(rows)]
    labels, visible = student.left_to_right(torch.tensor(tokens))
    close(labels, [[*row[1:], -100] for row in tokens])
    close(torch.as_tensor(visible).int(), [[int(seen <= at) for seen in range(length)] for at in range(length)])


@exercise("left_to_right", points=0.5, needs="test_the_label_is_the_next_token_and_the_last_has_none")
def test_torchs_cross_entropy_takes_the_labels(student: Student) -> None:
    labels, _ = student.left_to_right(torch.tensor([[1, 2, 0], [2, 2, 1]]))
    logits = torch.zeros(2, 3, 4)
    found = torch.nn.functional.cross_entropy(logits.flatten(0, 1), torch.as_tensor(labels).flatten(), reduction="none")
    close((found > 0).int(), [1, 1, 0, 1, 1, 0], given="2 × 3 tokens, equal scores of 4 words: which places have a loss")


@exercise("left_to_right", points=0.5, needs="test_the_label_is_the_next_token_and_the_last_has_none")
def test_equal_tokens_are_told_apart_by_their_places(student: Student) -> None:
    labels, visible = student.left_to_right(torch.tensor([[5, 5, 3, 5], [4, 9, 4, 4]]))
    close(labels, [[5, 3, 5, -100], [9, 4, 4, -100]], given="tokens 5, 5, 3, 5 and 4, 9, 4, 4; the labels")
    expected = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    close(torch.as_tensor(visible).int(), expected, given="the same tokens; what each row may see")


@exercise("left_to_right", points=0.5, needs="test_the_label_is_the_next_token_and_the_last_has_none")
def test_the_ids_of_a_large_vocabulary_stay_as_they_are(student: Student) -> None:
    labels, _ = student.left_to_right(torch.tensor([[2, 119_546, 40_001, 3]]))
    found = [[int(label) for label in row] for row in torch.as_tensor(labels).tolist()]
    equal(found, [[119_546, 40_001, 3, -100]], given="tokens 2, 119546, 40001, 3; the labels")


@exercise("left_to_right", points=0.5, needs="test_the_label_is_the_next_token_and_the_last_has_none")
def test_a_text_may_be_long_and_its_ids_large(student: Student) -> None:
    labels, visible = student.left_to_right(torch.tensor([[2, 2**24 + 1, 2**40 + 1, 3]]))
    found = [[int(label) for label in row] for row in torch.as_tensor(labels).tolist()]
    equal(found, [[2**24 + 1, 2**40 + 1, 3, -100]], given="tokens 2, 2^24 + 1, 2^40 + 1, 3; the labels")
    labels, visible = student.left_to_right(torch.arange(1100)[None])
    close(labels, [[*range(1, 1100), -100]], given="the tokens 0 to 1099; the labels")
    seen = torch.as_tensor(visible).int().sum(dim=1)
    close(seen, list(range(1, 1101)), given="1,100 tokens; how many each may see")


# reverse_padded
@exercise("reverse_padded", points=0.5)
@for_all(
    examples=30,
    x=inputs.tables(8, 3),
    shape=sampled_from([(2, 4, 3), (1, 8, 3), (4, 2, 3), (4, 6, 1)]),
    shares=lists(integers(0, 8), min_size=8, max_size=8),
)
def test_any_rows_are_turned_as_lists_are(
    student: Student, x: Tensor, shape: tuple[int, int, int], shares: list[int]
) -> None:
    rows, lengths = x.double().reshape(shape), [share * shape[1] // 8 for share in shares[: shape[0]]]
    expected = [row[:length][::-1] + row[length:] for row, length in zip(rows.tolist(), lengths, strict=True)]
    close(student.reverse_padded(rows, torch.tensor(lengths)), expected)


@exercise("reverse_padded", points=0.5, needs="test_each_row_has_its_own_length")
def test_the_numbers_are_the_same_to_the_last_bit(student: Student) -> None:
    rows = [[1 + 2**-40, 2**40 + 2**-10, math.inf, -math.inf], [1e300, -math.inf, 1e-300, 7.0]]
    found = student.reverse_padded(torch.tensor(rows, dtype=torch.float64)[:, :, None], torch.tensor([2, 3]))
    given = "float64: 1 + 2^−40, 2^40 + 2^−10, ∞, −∞ of length 2; 1e300, −∞, 1e−300, 7 of length 3"
    expected = [[rows[0][i] for i in (1, 0, 2, 3)], [rows[1][i] for i in (2, 1, 0, 3)]]
    equal(torch.as_tensor(found)[:, :, 0].tolist(), expected, given=given)


@exercise("reverse_padded", points=0.5, needs="test_each_row_has_its_own_length")
def test_rows_may_be_long(student: Student) -> None:
    x, lengths = torch.arange(2400.0).reshape(2, 1200, 1), torch.tensor([1101, 600])
    found = torch.as_tensor(student.reverse_padded(x, lengths))[:, :, 0]
    expected = [[*range(1100, -1, -1), *range(1101, 1200)], [*range(1799, 1199, -1), *range(1800, 2400)]]
    close(found, expected, given="two rows of 1,200 places with the numbers 0 to 2399, lengths 1101 and 600")


@exercise("reverse_padded", points=0.5, needs="test_each_row_has_its_own_length")
def test_an_axis_of_one_is_kept(student: Student) -> None:
    for shape, lengths in (((3, 1, 2), [1, 0, 1]), ((1, 3, 2), [2]), ((2, 3, 1), [3, 2]), ((1, 1, 1), [1]), ((1, 1, 1), [0])):
        x = torch.arange(1.0, 1 + math.prod(shape)).reshape(shape)
        expected = [row[:n][::-1] + row[n:] for row, n in zip(x.tolist(), lengths, strict=True)]
        given = f"the numbers 1, 2, 3, … as a tensor {shape}, lengths {lengths}"
        close(student.reverse_padded(x, torch.tensor(lengths)), expected, given=given)


@exercise("reverse_padded", needs="test_each_row_has_its_own_length")
def test_gradients_go_to_where_the_numbers_came_from(student: Student) -> None:
    lengths = torch.tensor([3, 1])

    def oracle(x: Tensor, lengths: Tensor) -> Tensor:
        return torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(x, lengths.tolist(), strict=True)])

    x = random_layers(1, 2, 4, 2, seed=3)[0]
    close_gradients(student, "reverse_padded", oracle, {"x": x}, lengths, given="random rows of lengths 3 and 1")


# paired_p_value
def eighths(most: int) -> SearchStrategy[float]:
    return integers(0, most).map(lambda n: n / 8)


@exercise("paired_p_value", points=0.5)
@for_all(
    examples=40,
    a=lists(eighths(8), min_size=4, max_size=4),
    b=lists(eighths(8), min_size=4, max_size=4),
    rows=lists(lists(booleans(), min_size=4, max_size=4), min_size=1, max_size=6),
)
def test_any_p_value_is_that_of_swapping_by_hand(
    student: Student, a: list[float], b: list[float], rows: list[list[bool]]
) -> None:
    lead, count = sum(a) - sum(b), 1
    for row in rows:
        swapped = [(y, x) if swap else (x, y) for x, y, swap in zip(a, b, row, strict=True)]
        count += sum(x for x, _ in swapped) - sum(y for _, y in swapped) >= lead
    signs = torch.tensor([[-1.0 if swap else 1.0 for swap in row] for row in rows])
    close(student.paired_p_value(torch.tensor(a), torch.tensor(b), signs), count / (1 + len(rows)))


@exercise("paired_p_value", points=0.5, needs="test_four_wins_of_four_are_one_case_in_sixteen")
@for_all(
    examples=40,
    tenths=lists(tuples(integers(0, 100), integers(0, 100)), min_size=1, max_size=60),
    parts=sampled_from([10, 3, 7]),
    seed=integers(0, 100),
)
def test_equal_sums_of_any_scores_are_equal(
    student: Student, tenths: list[tuple[int, int]], parts: int, seed: int
) -> None:
    draw = random.Random(seed)
    pairs = [*tenths, *[(n, n) for n, _ in tenths]]  # half of the items are ties, which may be swapped
    draw.shuffle(pairs)
    a, b = (torch.tensor([pair[side] / parts for pair in pairs]) for side in (0, 1))  # float32
    tied = torch.tensor([x == y for x, y in pairs])
    signs = torch.tensor([[draw.choice((1.0, -1.0)) for _ in pairs] for _ in range(12)])
    signs[0] = 1
    signs[1:6] = torch.where(tied, signs[1:6], 1.0)
    leads = [Fraction(x) - Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    sums = [sum(lead * int(sign) for lead, sign in zip(leads, row, strict=True)) for row in signs.tolist()]
    close(student.paired_p_value(a, b, signs), (1 + sum(one >= sum(leads) for one in sums)) / 13)


@exercise("paired_p_value", points=0.5, needs="test_four_wins_of_four_are_one_case_in_sixteen")
def test_a_row_without_a_swap_does_as_well_among_many_items(student: Student) -> None:
    for count in (300, 4000):
        a, b = (torch.rand(count, generator=torch.Generator().manual_seed(seed)) for seed in (count, count + 1))
        found = student.paired_p_value(a, b, torch.ones(7, count))
        close(found, 1.0, given=f"{count} random scores of each model; seven rows of signs that are all 1")
        equal_ones = student.paired_p_value(a, a, 2.0 * (torch.stack([a, b]) > 0.5) - 1)
        close(equal_ones, 1.0, given=f"{count} random scores, the same of both models; two rows of random signs")


@exercise("paired_p_value", points=0.5)
def test_of_8_wins_and_no_loss_chance_is_one_in_256(student: Student) -> None:
    signs = torch.tensor(list(itertools.product((1.0, -1.0), repeat=8)))
    a = torch.tensor([0.5, 1.0, 0.25, 2.0, 1.0, 1.5, 0.125, 1.0])
    close(student.paired_p_value(a, 0 * a, signs), 2 / 257, given="A leads on each of 8 items; all 256 rows of signs")
    close(student.paired_p_value(0 * a, a, signs), 1.0, given="B leads on each of 8 items; all 256 rows of signs")


@exercise("paired_p_value", points=0.5, needs="test_four_wins_of_four_are_one_case_in_sixteen")
def test_p_is_a_plain_number(student: Student) -> None:
    found = student.paired_p_value(torch.ones(2), torch.zeros(2), -torch.ones(3, 2))
    true(isinstance(plain(found), float), "a float was expected", given="two wins, three rows of −1", actual=found)


@exercise("paired_p_value", points=0.5, needs="test_four_wins_of_four_are_one_case_in_sixteen")
def test_a_small_lead_is_a_lead(student: Student) -> None:
    signs, a = torch.tensor(list(itertools.product((1.0, -1.0), repeat=4))), torch.tensor([1.0, 2.0, 4.0, 8.0]) / 2**16
    given = "A leads on 4 items by 1, 2, 4 and 8 times 2^−16; all 16 rows: only the one without a swap does as well"
    close(student.paired_p_value(a, 0 * a, signs), 2 / 17, given=given)
    for power in (24, 40, 70):
        given = f"A leads on 4 items by 1, 2, 4 and 8 times 2^−{power}; all 16 rows"
        close(student.paired_p_value(a / 2 ** (power - 16), 0 * a, signs), 2 / 17, given=given)


@exercise("paired_p_value", points=0.5, needs="test_four_wins_of_four_are_one_case_in_sixteen")
def test_a_sum_below_a_large_lead_by_a_little_is_below_it(student: Student) -> None:
    signs = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    for large in (2.0**20, 2.0**27):
        found = student.paired_p_value(torch.tensor([large, 1.0]), torch.zeros(2), signs)
        close(found, 2 / 5, given=f"A has {large:.0f} and 1, B has 0 and 0: the sums are the lead, 2 less, and negative ones")
    for a, b in ((1 + 2**-50, 1.0), (2.0**50 + 1, 2.0**50)):
        both = (torch.tensor([score], dtype=torch.float64) for score in (a, b))
        found = student.paired_p_value(*both, -torch.ones(1, 1).double())
        close(found, 0.5, given=f"float64, one item: A has {a!r}, B has {b!r}; one row, −1")


@exercise("paired_p_value", points=0.5, needs="test_four_wins_of_four_are_one_case_in_sixteen")
def test_there_may_be_one_item_one_row_or_thousands(student: Student) -> None:
    one, none = torch.ones(1), torch.zeros(1)
    found = student.paired_p_value(one, none, torch.tensor([[1.0], [-1.0], [1.0]]))
    close(found, 0.75, given="one item, A leads; the rows 1, −1, 1")
    close(student.paired_p_value(none, one, torch.ones(1, 1)), 1.0, given="one item, B leads; one row, 1")
    close(student.paired_p_value(torch.ones(3), torch.zeros(3), -torch.ones(1, 3)), 0.5, given="three wins; one row of −1")
    rows = torch.ones(3000, 2) - 2 * (torch.arange(3000)[:, None] >= 2500)
    found = student.paired_p_value(torch.ones(2), torch.zeros(2), rows)
    close(found, 2501 / 3001, given="two wins; 2,500 rows of 1 and 500 rows of −1")


@exercise("paired_p_value", points=0.5, needs="test_only_a_lead_of_a_counts")
def test_large_scores_may_differ_by_little(student: Student) -> None:
    signs = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    found = student.paired_p_value(torch.tensor([2049.0, 0.0]), torch.tensor([0.0, 2048.0]), signs)
    close(found, 3 / 5, given="A has 2049 and 0, B has 0 and 2048: a lead of 1; the four rows give 1, 4097, −4097 and −1")
    found = student.paired_p_value(torch.tensor([2.0**25, 1.0]), torch.tensor([0.0, 2.0**25]), signs)
    close(found, 3 / 5, given="float32: A has 2²⁵ and 1, B has 0 and 2²⁵: a lead of 1; the same four rows")


# expected_best
@exercise("expected_best", points=0.5)
@for_all(examples=40, scores=lists(inputs.numbers(), min_size=1, max_size=4), n=integers(1, 5))
def test_any_expected_best_is_the_mean_over_all_draws(student: Student, scores: list[float], n: int) -> None:
    draws = [max(draw) for draw in itertools.product(scores, repeat=n)]
    close(student.expected_best(scores, n), sum(draws) / len(draws))


@exercise("expected_best", points=0.5)
def test_one_score_is_its_own_best(student: Student) -> None:
    close(student.expected_best([0.625], 5), 0.625, given="a single score 0.625; n = 5")
    close(student.expected_best([0.5, 0.5, 0.5], 4), 0.5, given="three scores 0.5; n = 4")


@exercise("expected_best", points=0.5, needs="test_the_best_of_two_is_the_mean_over_all_pairs")
def test_fifty_runs_may_be_drawn_fifty_times(student: Student) -> None:
    scores = [i / 64 for i in range(50)]
    below = sum(Fraction(i, 50) ** 50 for i in range(1, 50))  # the steps that the best falls short of the highest
    expected = float((49 - below) / 64)
    close(student.expected_best(scores, 50), expected, given="the scores 0, 1/64, …, 49/64; n = 50")
    found = student.expected_best([float(i) for i in range(400)][::-1], 2)
    close(found, (400 - 1) * (4 * 400 + 1) / (6 * 400), given="the scores 399, 398, …, 0; n = 2")


@exercise("expected_best", points=0.5, needs="test_the_best_of_two_is_the_mean_over_all_pairs")
def test_scores_may_be_of_any_size(student: Student) -> None:
    close(student.expected_best([4e-9, 0.0], 2), 3e-9, given="the scores 4e−9 and 0; n = 2", atol=0)
    close(student.expected_best([-4e9, -8e9], 2), -5e9, given="the scores −4e9 and −8e9; n = 2")
    close(student.expected_best([12.345675, 12.345675], 3), 12.345675, given="twice the score 12.345675; n = 3", rtol=1e-7)
    close(student.expected_best([-90.0, -10.0], 3), -20.0, given="the scores −90 and −10; n = 3")


@exercise("expected_best", points=0.5, needs="test_the_best_of_one_is_the_mean")
def test_the_expected_best_is_a_plain_number(student: Student) -> None:
    found = student.expected_best([0.25, 0.75], 2)
    true(isinstance(plain(found), float), "a float was expected", given="0.25, 0.75; n = 2", actual=found)


# What the notebook records, and the truth it is held against: the grader draws the test itself from the run's seed.
TAGS = ("O", "B-PER", "B-COU", "B-CAP", "B-LAN")
TEST, TOPICS, DEV = 300, 9, 50
SYSTEMS = (
    *("full", "scratch", "3000 steps", "no nsp", "left to right", "mask 40", "narrow", "full, 80"),
    *("features", "features, embeddings", "features, mask only", "features, untrained"),
)
READERS = (
    *("both directions", "both directions, BiLSTM", "left to right", "left to right, BiLSTM", "untrained, BiLSTM"),
    "3000 steps",
)
PAIRED = ("full", "no nsp", "scratch")


@functools.lru_cache(maxsize=2)
def _names(seed: int) -> tuple[Tensor, Tensor]:
    """The tag of each word of the test, and the number of its sentence, (T,) each."""
    items = Tasks("en", seed=seed).entities(TEST, "test")
    tags = [TAGS.index(tag) for item in items for tag in item.tags]
    return torch.tensor(tags), torch.tensor([i for i, item in enumerate(items) for _ in item.tags])


@functools.lru_cache(maxsize=2)
def _topics(seed: int) -> tuple[Tensor, Tensor]:
    """The topic of each token of the test's sentences, and in which fifth of its sentence it stands, (T,) each."""
    tokenizer = pretrained.load("world-en").tokenizer
    topics, fifths = [], []
    for item in Tasks("en", seed=seed).topics(TEST, "test"):
        length = len(tokenizer.tokenize(item.text))
        topics += [item.label] * length
        # in float32, as tensors are divided
        places = torch.arange(length) / (length - 1)
        fifths += (places * 5).long().clamp(0, 4).tolist()
    return torch.tensor(topics), torch.tensor(fifths)


@functools.lru_cache(maxsize=2)
def _same(seed: int) -> Tensor:
    """Whether the sentences of each pair of the test have the same topic, (TEST,): drawn as the notebook draws."""
    items, draw = Tasks("en", seed=seed).topics(3 * TEST, "test"), random.Random(f"{seed} test")
    by_topic = {label: [item for item in items[TEST:] if item.label == label] for label in range(TOPICS)}
    found = []
    for item in items[:TEST]:
        same = draw.randrange(2)
        other = item.label if same else (item.label + 1 + draw.randrange(TOPICS - 1)) % TOPICS
        draw.choice(by_topic[other])
        found.append(same)
    return torch.tensor(found)


def _rows(artifacts: Artifacts, name: str, rows: int, truth: Tensor, classes: int) -> Tensor:
    """The recorded predictions, one row for each system."""
    found = artifacts.tensor(name, ndim=2)
    if tuple(found.shape) != (rows, len(truth)):
        raise BadArtifact(f"the tensor {name!r} has shape {tuple(found.shape)}, expected {(rows, len(truth))}")
    if found.is_floating_point() or bool(((found < 0) | (found >= classes)).any()):
        raise BadArtifact(f"the tensor {name!r} does not hold whole numbers from 0 to {classes - 1}")
    return found


def _f1(tags: Tensor, gold: Tensor) -> float:
    right = int(((tags == gold) & (gold > 0)).sum())
    return 2 * right / max(1, int((tags > 0).sum()) + int((gold > 0).sum()))


def _gap(artifacts: Artifacts, system: str, beside: str) -> float:
    """The F1 of one system minus that of another on the test's names."""
    gold, _ = _names(artifacts.seed)
    tags = _rows(artifacts, "tags", len(SYSTEMS), gold, len(TAGS))
    return _f1(tags[SYSTEMS.index(system)], gold) - _f1(tags[SYSTEMS.index(beside)], gold)


def _topic_gap(artifacts: Artifacts, reader: str, beside: str, fifth: int | None = None) -> float:
    """How much more often one probe names the topic than another, at the words of one fifth, or at all."""
    topics, fifths = _topics(artifacts.seed)
    told = _rows(artifacts, "topics", len(READERS), topics, TOPICS)
    part = torch.ones_like(topics).bool() if fifth is None else fifths == fifth
    right = (told == topics)[:, part].double().mean(dim=1)
    return float(right[READERS.index(reader)] - right[READERS.index(beside)])


@metric("pretrained_gain")
def pretrained_gain(artifacts: Artifacts) -> float:
    return _gap(artifacts, "full", "scratch")


@metric("steps_topics")
def steps_topics(artifacts: Artifacts) -> float:
    return _topic_gap(artifacts, "both directions", "3000 steps")


@metric("steps_names")
def steps_names(artifacts: Artifacts) -> float:
    return _gap(artifacts, "full", "3000 steps")


@metric("features_minus_finetuned")
def features_minus_finetuned(artifacts: Artifacts) -> float:
    return _gap(artifacts, "features", "full, 80")


@metric("features_minus_embeddings")
def features_minus_embeddings(artifacts: Artifacts) -> float:
    return _gap(artifacts, "features", "features, embeddings")


@metric("features_minus_untrained")
def features_minus_untrained(artifacts: Artifacts) -> float:
    return _gap(artifacts, "features", "features, untrained")


@metric("ltr_first_words")
def ltr_first_words(artifacts: Artifacts) -> float:
    return _topic_gap(artifacts, "left to right", "both directions", 0)


@metric("ltr_last_words")
def ltr_last_words(artifacts: Artifacts) -> float:
    return _topic_gap(artifacts, "left to right", "both directions", 4)


@metric("bilstm_repairs")
def bilstm_repairs(artifacts: Artifacts) -> float:
    return _topic_gap(artifacts, "left to right, BiLSTM", "left to right", 0)


@metric("bilstm_beside")
def bilstm_beside(artifacts: Artifacts) -> float:
    return _topic_gap(artifacts, "both directions, BiLSTM", "left to right, BiLSTM", 0)


@metric("ltr_names")
def ltr_names(artifacts: Artifacts) -> float:
    return _gap(artifacts, "left to right", "full")


@metric("no_nsp_pairs")
def no_nsp_pairs(artifacts: Artifacts) -> float:
    same = _same(artifacts.seed)
    right = (_rows(artifacts, "pairs", len(PAIRED), same, 2) == same).double().mean(dim=1)
    return float(right[1] - right[0])


@metric("no_nsp_names")
def no_nsp_names(artifacts: Artifacts) -> float:
    return _gap(artifacts, "no nsp", "full")


@metric("mask_only_features")
def mask_only_features(artifacts: Artifacts) -> float:
    return _gap(artifacts, "features, mask only", "features")


@metric("mask_40")
def mask_40(artifacts: Artifacts) -> float:
    return _gap(artifacts, "mask 40", "full")


@metric("narrow")
def narrow(artifacts: Artifacts) -> float:
    return _gap(artifacts, "narrow", "full")


@metric("best_of_five_flatters")
def best_of_five_flatters(artifacts: Artifacts) -> float:
    gold, sentences = _names(artifacts.seed)
    tags = _rows(artifacts, "dev", 5, gold, len(TAGS))
    part = sentences < DEV
    scores = sorted(_f1(row[part], gold[part]) for row in tags)
    best = math.fsum(score * ((i / 5) ** 5 - ((i - 1) / 5) ** 5) for i, score in enumerate(scores, start=1))
    return best - math.fsum(scores) / 5
