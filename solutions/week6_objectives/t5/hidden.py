"""t5: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
import random
from collections import Counter
from itertools import pairwise

import torch
from hypothesis.strategies import booleans, integers, just, lists, sampled_from
from torch import Tensor
from torch.nn.utils import vector_to_parameters

from etude.lesson.checks import close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.models.search import greedy
from etude.models.t5 import T5, T5Config
from etude.world.lexicon import load
from etude.world.tasks import Split, Tasks
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons.generated import for_all

BEYOND = 50_000  # what the metrics ask for is drawn from the run's seed and this
NAMES = ("topic", "who", "where")
EVENTS = 300
BORDERS = {16, 32, 64}  # distances whose logarithm is a whole number


def drawn(shape: tuple[int, ...], seed: int) -> Tensor:
    """Eighths from −2 to 2, float64."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-16, 17, shape, generator=generator).double() / 8


def kind(value: object) -> str:
    """The type of a tensor's numbers, or what else came back."""
    return str(getattr(value, "dtype", type(value).__name__))


# rms_norm
def normed(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Vector by vector."""
    rows = [weight * row / math.sqrt(sum(float(one) ** 2 for one in row) / len(row) + eps) for row in x.reshape(-1, x.size(-1))]
    return torch.stack(rows).reshape(x.shape)


@exercise("rms_norm")
@for_all(batch=integers(1, 3), length=integers(1, 4), width=integers(1, 5), eps=sampled_from([0.5, 1.0, 3.0]), seed=integers(0, 9999))
def test_any_vectors_are_normalised_one_by_one(
    student: Student, batch: int, length: int, width: int, eps: float, seed: int
) -> None:
    x, weight = drawn((batch, length, width), seed), drawn((width,), seed + 1)
    close(student.rms_norm(x, weight, eps), normed(x, weight, eps))


@exercise("rms_norm", points=0.5)
def test_gradients_reach_vector_and_scale(student: Student) -> None:
    def oracle(x: Tensor, weight: Tensor, eps: float) -> Tensor:
        out: Tensor = weight * x / (x.pow(2).sum(-1, keepdim=True) / x.size(-1) + eps) ** 0.5
        return out

    tensors = {"x": drawn((2, 3), 1) + 3, "weight": drawn((3,), 2)}
    close_gradients(student, "rms_norm", oracle, tensors, 0.5, given="two vectors of three, eps 0.5, float64")


@exercise("rms_norm", points=0.5, needs="test_a_vector_is_divided_by_the_root_of_its_mean_square")
def test_the_type_of_the_numbers_stays(student: Student) -> None:
    x = drawn((2, 3), 5) + 3
    given = "two vectors of three in float64, to nine digits"
    close(student.rms_norm(x, torch.ones(3).double(), 1.0), normed(x, torch.ones(3).double(), 1.0), given=given, rtol=1e-9, atol=1e-9)
    found = student.rms_norm(torch.tensor([1.0, 7.0]).half(), torch.tensor([1.0, 2.0]).half(), 0.0)
    close(found, [0.2, 2.8], given="the vector (1, 7), scale (1, 2), both in float16, eps 0", rtol=4e-3)
    equal(kind(found), "torch.float16", given="a vector and a scale in float16: the type of what comes back")


@exercise("rms_norm", points=0.5, needs="test_a_vector_is_divided_by_the_root_of_its_mean_square")
def test_eps_0_adds_nothing(student: Student) -> None:
    found = student.rms_norm(torch.tensor([0.0001, -0.0001]), torch.ones(2), 0.0)
    close(found, [1.0, -1.0], given="the vector (0.0001, −0.0001), scale 1, eps 0")
    for kind, tiny in ((torch.float32, 1e-15), (torch.float64, 1e-100)):
        found = student.rms_norm(torch.tensor([tiny, -tiny], dtype=kind), torch.ones(2, dtype=kind), 0.0)
        close(found, [1.0, -1.0], given=f"the vector ({tiny}, −{tiny}) in {kind}, scale 1, eps 0")
    found = student.rms_norm(torch.tensor([1e-5, -1e-5]), torch.ones(2), 1e-10)
    close(found, [0.5**0.5, -(0.5**0.5)], given="the vector (1e-5, −1e-5), scale 1, eps 1e-10")


# distance_buckets
def bucket(distance: int, both: bool) -> int:
    """Powers in place of logarithms: far^steps ≥ near^steps · (128/near)^n, in whole numbers."""
    half = 16 if both else 32
    near = half // 2
    far = abs(distance) if both else max(-distance, 0)
    if far < near:
        place = far
    else:
        n = 0
        while n < half - near - 1 and far ** (half - near) >= near ** (half - near) * (128 // near) ** (n + 1):
            n += 1
        place = near + n
    return place + (half if both and distance > 0 else 0)


@exercise("distance_buckets")
@for_all(rows=integers(1, 3), distances=lists(integers(-200, 200), min_size=1, max_size=6), both=booleans())
def test_any_distances_have_the_numbers_of_whole_arithmetic(
    student: Student, rows: int, distances: list[int], both: bool
) -> None:
    kept = [distance if abs(distance) not in BORDERS else distance + 1 for distance in distances]
    found = student.distance_buckets(torch.tensor([kept] * rows), both)
    close(found, [[bucket(distance, both) for distance in kept]] * rows)


@exercise("distance_buckets", points=0.5, needs="test_far_distances_share_numbers_more_and_more")
def test_all_distances_near_and_very_far(student: Student) -> None:
    large = [10_000, 2**31 + 5, 2**40]
    distances = [n for n in range(-600, 601) if abs(n) not in BORDERS] + large + [-n for n in large]
    for both in (True, False):
        found = student.distance_buckets(torch.tensor(distances), both)
        given = f"distances −600 to 600 without ±16, ±32, ±64, then ±10,000, ±(2³¹ + 5), ±2⁴⁰; both {both}"
        close(found, [bucket(distance, both) for distance in distances], given=given)


@exercise("distance_buckets", points=0.5, needs="test_near_distances_have_a_number_each")
def test_a_single_distance_keeps_its_shape(student: Student) -> None:
    close(student.distance_buckets(torch.tensor([[3]]), True), [[19]], given="the distance 3, shape (1, 1), encoder")
    close(student.distance_buckets(torch.tensor(-3), False), 3, given="the distance −3 without a dimension, decoder")


@exercise("distance_buckets", points=0.5, needs="test_near_distances_have_a_number_each")
def test_numbers_are_whole_for_an_embedding(student: Student) -> None:
    for both in (True, False):
        found = student.distance_buckets(torch.arange(-3, 4), both)
        equal(kind(found), "torch.int64", given=f"distances −3 to 3, both {both}: the type")


# attend
def attended(queries: Tensor, keys: Tensor, values: Tensor, worth: Tensor, mask: Tensor) -> Tensor:
    """Query by query, over the keys that it may look at."""
    batch, count, length, _ = queries.shape
    seen = mask.expand(batch, count, length, keys.size(2))
    out = []
    for b in range(batch):
        for h in range(count):
            for n in range(length):
                places = seen[b, h, n].nonzero()[:, 0]
                scores = (queries[b, h, n] * keys[b, h, places]).sum(-1) + worth[h, n, places]
                out.append((scores.softmax(0)[:, None] * values[b, h, places]).sum(0))
    return torch.stack(out).reshape(batch, count, length, values.size(-1))


@exercise("attend")
@for_all(
    batch=integers(1, 3),
    count=integers(1, 3),
    length=integers(1, 3),
    keys=integers(1, 4),
    width=integers(1, 4),
    alike=lists(booleans(), min_size=3, max_size=3),
    dims=integers(1, 4),
    seed=integers(0, 9999),
)
def test_any_heads_attend_as_by_brute_force(
    student: Student, batch: int, count: int, length: int, keys: int, width: int, alike: list[bool], dims: int, seed: int
) -> None:
    queries, values = drawn((batch, count, length, width), seed), drawn((batch, count, keys, width), seed + 1)
    others, worth = drawn((batch, count, keys, width), seed + 2), drawn((count, length, keys), seed + 3)
    shape = (*(1 if one else size for one, size in zip(alike, (batch, count, length), strict=True)), keys)
    mask = drawn(shape[-dims:], seed + 4) > 0
    mask[..., 0] = True
    found = student.attend(queries, others, values, worth, mask)
    close(found, attended(queries, others, values, worth, mask), atol=1e-5)


@exercise("attend", points=0.5)
def test_gradients_reach_what_distances_are_worth(student: Student) -> None:
    tensors = {"queries": drawn((1, 2, 3, 2), 1), "keys": drawn((1, 2, 3, 2), 2), "values": drawn((1, 2, 3, 2), 3)}
    tensors["worth"] = drawn((2, 3, 3), 4)
    close_gradients(student, "attend", attended, tensors, torch.ones(3, 3, dtype=torch.bool).tril(), given="two heads, causal")


@exercise("attend", points=0.5, needs="test_what_a_query_must_not_see_has_no_weight")
def test_each_head_may_have_a_mask_and_the_type_stays(student: Student) -> None:
    queries, keys, values, worth = (drawn(shape, seed) for seed, shape in enumerate([(1, 2, 2, 3)] * 3 + [(2, 2, 2)]))
    mask = torch.tensor([[[[True, False], [True, True]], [[False, True], [True, False]]]])
    given = "two heads with a mask each, in float64, to nine digits"
    found = student.attend(queries, keys, values, worth, mask)
    close(found, attended(queries, keys, values, worth, mask), given=given, rtol=1e-9, atol=1e-9)
    equal(kind(found), "torch.float64", given="queries, keys, values and distances in float64: the type of what comes back")
    found = student.attend(*(part.half() for part in (queries, keys, values, worth)), mask)
    close(found, attended(queries, keys, values, worth, mask), given="the same in float16", rtol=0.02, atol=0.02)
    equal(kind(found), "torch.float16", given="queries, keys, values and distances in float16: the type of what comes back")


@exercise("attend", points=0.5, needs="test_what_a_query_must_not_see_has_no_weight")
def test_huge_scores_stay_finite_and_hidden_ones_hidden(student: Student) -> None:
    queries, keys = torch.full((1, 1, 1, 1), 100.0), torch.tensor([[[[-50.0], [-60.0], [90.0]]]])
    values = torch.tensor([[[[1.0], [2.0], [4.0]]]])
    mask = torch.tensor([[True, True, False]])
    found = student.attend(queries, keys, values, torch.zeros(1, 1, 3), mask)
    close(found, [[[[1.0]]]], given="scores −5000, −6000 and 9000, the third hidden; values 1, 2, 4")
    found = student.attend(queries, torch.tensor([[[[50.0], [50.0], [90.0]]]]), values, torch.zeros(1, 1, 3), mask)
    close(found, [[[[1.5]]]], given="scores 5000 twice and 9000, the third hidden; values 1, 2, 4", atol=1e-2)
    one, none = torch.ones(1, 1, 1, 1).double(), torch.zeros(1, 1, 3).double()
    for low in (-2e4, -1e6, -1e11):
        keys = torch.tensor([[[[low], [low], [0.0]]]])
        found = student.attend(one, keys.double(), values.double(), none, mask)
        given = f"float64, scores {low:g} twice and 0, the third hidden; values 1, 2, 4"
        close(found, [[[[1.5]]]], given=given, atol=1e-3)
    keys, alone = torch.tensor([[[[-1e35], [-2e35], [0.0]]]]), torch.tensor([[False, True, False]])
    found = student.attend(one.float(), keys, values, none.float(), alone)
    close(found, [[[[2.0]]]], given="scores −1e35, −2e35 and 0, of which the second alone may be looked at; values 1, 2, 4")
    keys, queries = torch.zeros(1, 1, 3, 1), torch.zeros(1, 1, 1, 1)
    found = student.attend(queries, keys, values, torch.tensor([[[-2e4, -2e4, 5.0]]]), mask)
    given = "scores 0, distances worth −20,000 twice and 5, the third hidden; values 1, 2, 4"
    close(found, [[[[1.5]]]], given=given, atol=1e-2)


# count_parameters
@exercise("count_parameters")
@for_all(
    words=integers(2, 9), layers=integers(1, 2), width=integers(1, 5), inner=integers(1, 6), heads=integers(1, 3), of_head=integers(1, 4)
)
def test_any_model_has_as_many_as_the_librarys_modules(
    student: Student, words: int, layers: int, width: int, inner: int, heads: int, of_head: int
) -> None:
    with torch.device("meta"):
        model = T5(T5Config(words, width, of_head, inner, layers, heads))
    expected = sum(parameter.numel() for parameter in model.parameters())
    close(student.count_parameters(words, layers, width, inner, heads, of_head), expected, rtol=0, atol=0.25)


@exercise("count_parameters", points=0.5, needs="test_a_model_of_ones_is_counted_by_hand")
def test_large_and_3b_are_what_they_are(student: Student) -> None:
    for size, count in (((24, 1024, 4096, 16, 64), 737_668_096), ((24, 1024, 16_384, 32, 128), 2_851_598_336)):
        close(student.count_parameters(32_128, *size), count, given=f"V = 32,128, {size}", rtol=0, atol=0.25)
    # 32,129 · 1,001 words; a layer has 12 · 1,001 · 7 · 61 + 4 · 1,001 · 4,095 + 5 · 1,001; at the end 2 · (1,001 + 32 · 7).
    odd = 32_129 * 1001 + 3 * (12 * 1001 * 427 + 4 * 1001 * 4095 + 5005) + 2450
    given = "V = 32,129, 3 layers each, d = 1,001, inner 4,095, 7 heads of 61"
    close(student.count_parameters(32_129, 3, 1001, 4095, 7, 61), odd, given=given, rtol=0, atol=0.25)
    large = 10**8 + 7
    found = student.count_parameters(large, 1, large, large, 1, 1)
    expected = large * large + 12 * large + 4 * large * large + 5 * large + 2 * large + 64
    equal(int(found), expected, given="V = d = inner = 100,000,007, one layer each, one head of 1")


# noise_spans
def spans_of(student: Student, length: int, rate: float, mean: float, seed: int) -> list[tuple[int, int]]:
    return [(int(start), int(end)) for start, end in student.noise_spans(length, rate, mean, seed)]


@exercise("noise_spans")
@for_all(
    length=integers(2, 90) | just(512),
    rate=sampled_from([0.1, 0.15, 0.25, 0.5, 0.0, 0.9, 1.0]),
    mean=sampled_from([2, 3, 5, 10, 1, 1.5, 2.5]),
    seed=integers(0, 9999) | sampled_from([2**31, 2**32 - 1]),
)
def test_any_text_has_its_number_of_hidden_tokens_and_spans(
    student: Student, length: int, rate: float, mean: float, seed: int
) -> None:
    hidden = min(max(round(length * rate), 1), length - 1)
    count = max(round(hidden / mean), 1)
    if count > length - hidden:  # never more spans than tokens kept
        mean, count = 512, 1
    spans = spans_of(student, length, rate, mean, seed)
    equal([len(spans), sum(end - start for start, end in spans)], [count, hidden])
    flat = [place for span in spans for place in span]
    true(all(a < b for a, b in pairwise(flat)), "spans are not empty, in order, and apart", actual=spans)
    true(flat[0] >= 1 and flat[-1] == length, "the first token is kept, the last is hidden", actual=spans)


@exercise("noise_spans", needs="test_of_100_tokens_15_are_hidden_in_5_spans")
def test_all_cuts_are_equally_likely(student: Student) -> None:
    # 5 hidden and 5 kept tokens in 3 parts each: 6 ways for either, of which each comes 60 times of 360 (standard deviation 7).
    hidden: Counter[tuple[int, ...]] = Counter()
    kept: Counter[tuple[int, ...]] = Counter()
    both: Counter[tuple[int, ...]] = Counter()
    for seed in range(360):
        flat = [0, *(int(place) for span in student.noise_spans(10, 0.5, 1.7, seed) for place in span)]
        sizes = [end - start for start, end in pairwise(flat)]
        hidden[tuple(sizes[1::2])] += 1
        kept[tuple(sizes[::2])] += 1
        both[tuple(flat)] += 1
    given = "length 10, rate 0.5, mean 1.7, seeds 0 to 359"
    for name, found in {"hidden": hidden, "kept": kept}.items():
        equal(len(found), 6, given=f"{given}: ways in which the {name} tokens were cut")
        true(min(found.values()) > 28 and max(found.values()) < 94, f"each of 6 ways to cut the {name} tokens is expected some 60 times", given=given)
    true(len(both) > 30, "36 ways to cut both were expected: one cut must not decide the other", given=given)
    ways = [*hidden.items(), *kept.items()]
    even = sum(count for way, count in ways if max(way) == 2)
    true(302 < even < 418, "parts of 1, 2 and 2 are as likely as parts of 1, 1 and 3: half of 720 (standard deviation 13)", given=given)


@exercise("noise_spans", points=0.5, needs="test_of_100_tokens_15_are_hidden_in_5_spans")
def test_the_same_seed_draws_the_same(student: Student) -> None:
    for seed in (7, 0):
        first = spans_of(student, 200, 0.15, 3, seed)
        spans_of(student, 200, 0.15, 3, 8)
        given = f"length 200, rate 0.15, mean 3, seed {seed}, twice"
        true(first == spans_of(student, 200, 0.15, 3, seed), "the same seed drew other spans", given=given)
    more = spans_of(student, 200, 0.5, 5, 7)
    given = "length 200, rate 0.5, mean 5, seed 7, after rate 0.15 and mean 3"
    equal([len(more), sum(end - start for start, end in more)], [20, 100], given=given)


@exercise("noise_spans", points=0.5, needs="test_of_100_tokens_15_are_hidden_in_5_spans")
def test_other_seeds_draw_other_spans_and_nothing_else_is_seeded(student: Student) -> None:
    seeds = (0, 1, 2, 7, 107, 1007, 10_007, 1_000_007, 2**31 + 7, 2**32 - 1)
    drawn_spans = {tuple(spans_of(student, 200, 0.15, 3, seed)) for seed in seeds}
    equal(len(drawn_spans), len(seeds), given=f"length 200, rate 0.15, mean 3, the seeds {seeds}: different draws")

    def after(seed: int | None) -> list[float]:
        student.random.seed(5)
        student.torch.manual_seed(5)
        if seed is not None:
            spans_of(student, 200, 0.15, 3, seed)
        return [float(student.random.random()), float(student.torch.rand(()))]

    given = "what Python's and torch's global generators draw, seeded by 5, with noise_spans called in between"
    true(after(7) == after(None), "noise_spans seeds or uses a global generator: draw from one of its own", given=given)


# corrupt
@exercise("corrupt")
@for_all(
    lengths=lists(integers(1, 4), max_size=12),
    first=integers(0, 1),
    letters=lists(sampled_from(["a", "b", "<0>", "눈", "", "a b", "A", " a", "<1>", "e\u0301", "é", "\n"]), min_size=48, max_size=48),
)
def test_any_text_is_whole_again_when_both_are_put_together(
    student: Student, lengths: list[int], first: int, letters: list[str]
) -> None:
    spans, read, write, place = list[tuple[int, int]](), list[str](), list[str](), 0
    for n, length in enumerate(lengths):
        part = letters[place : place + length]
        if n % 2 == first:
            read.append(f"<{len(spans)}>")
            write += [read[-1], *part]
            spans.append((place, place + length))
        else:
            read += part
        place += length
    write.append(f"<{len(spans)}>")
    found = student.corrupt(letters[:place], spans)
    equal([list(part) for part in found], [read, write])


@exercise("corrupt", points=0.5, needs="test_figure_2_of_the_paper")
def test_sentinels_have_two_digits_after_the_tenth(student: Student) -> None:
    for count in (12, 120):
        tokens = [str(n) for n in range(2 * count)]
        spans = [(2 * n, 2 * n + 1) for n in range(count)]
        read = [part for n in range(count) for part in (f"<{n}>", str(2 * n + 1))]
        write = [part for n in range(count) for part in (f"<{n}>", str(2 * n))] + [f"<{count}>"]
        found = student.corrupt(tokens, spans)
        equal([list(part) for part in found], [read, write], given=f"{2 * count} tokens, each second one hidden")


# score_text
@exercise("score_text")
@for_all(hundredths=integers(0, 500))
def test_any_score_is_written_as_its_nearest_step(student: Student, hundredths: int) -> None:
    if hundredths % 20 == 10:
        hundredths += 1  # no middles, where a product of floats may fall to either side
    steps = (hundredths + 10) // 20
    equal(student.score_text(hundredths / 100), f"{2 * steps // 10}.{2 * steps % 10}")


@exercise("score_text", points=0.5, needs="test_257_is_written_as_26")
def test_whole_numbers_are_scores_too(student: Student) -> None:
    for score in (1, 3, 5, 0, 2, 4):
        equal(student.score_text(score), f"{score}.0", given=f"the whole number {score}")


@exercise("score_text", points=0.5, needs="test_in_the_middle_the_even_number_of_steps_wins")
def test_beside_the_middle_the_nearer_step_wins(student: Student) -> None:
    near = {2.501: "2.6", 3.499: "3.4", 2.50001: "2.6", 3.49999: "3.4", 2.5 + 1e-9: "2.6", 3.5 - 1e-9: "3.4", 4.5: "4.4"}
    for score, text in (near | {0.0999: "0.0", 0.0: "0.0", 4.9001: "5.0", 1e-9: "0.0"}).items():
        equal(student.score_text(score), text, given=f"the score {score!r}")


# The metrics
@functools.cache
def _topics() -> dict[str, str]:
    return {place.stem: topic.name for topic in load("en").topics for place in topic.places}


def _events(count: int, split: Split, seed: int, sentences: int = 1) -> list[str]:
    return [one.passage for one in Tasks("en", seed).questions(count, split, sentences=sentences, unanswerable=0)]


@functools.cache
def _vocabulary() -> list[str]:
    splits: tuple[Split, Split] = ("train", "test")
    words = {word for split in splits for event in _events(2000, split, 0) for word in event.split()}
    tasks = sorted(words | {*_topics().values()} | {f"{name}:" for name in NAMES})
    return ["<pad>", "</s>", *tasks, ".", *(f"<{number}>" for number in range(10))]


def _model(numbers: Tensor, name: str) -> T5:
    """The model whose parameters were recorded: its number of layers follows from how many they are."""
    for layers in (1, 2, 4):
        model = T5(T5Config(len(_vocabulary()), 64, 16, 128, layers, 4, dropout_rate=0.0))
        if sum(parameter.numel() for parameter in model.parameters()) == numbers.numel():
            vector_to_parameters(numbers.float(), model.parameters())
            return model.eval()
    raise BadArtifact(f"{name!r} holds {numbers.numel()} numbers, which is no model of this lesson")


def _ids(texts: list[str]) -> Tensor:
    """Rows of ids, each with its end, padded: (B, N)."""
    index = {word: number for number, word in enumerate(_vocabulary())}
    rows = [[index[word] for word in text.split()] + [1] for text in texts]
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


def _corrupted(tokens: list[str], chance: random.Random) -> tuple[str, str]:
    """What is read and what is written: 15 % of the tokens are hidden, in spans of 3 on average."""
    hidden = min(max(round(len(tokens) * 0.15), 1), len(tokens) - 1)
    count = max(round(hidden / 3), 1)
    cuts = [[0, *sorted(chance.sample(range(1, n), count - 1)), n] for n in (len(tokens) - hidden, hidden)]
    place, read, write = 0, list[str](), list[str]()
    for number, ((a, b), (c, d)) in enumerate(zip(*map(pairwise, cuts), strict=True)):
        start, end = place + b - a, place + b - a + d - c
        read += [*tokens[place:start], f"<{number}>"]
        write += [f"<{number}>", *tokens[start:end]]
        place = end
    return " ".join([*read, *tokens[place:]]), " ".join([*write, f"<{count}>"])


def _right(numbers: Tensor, name: str, tasks: tuple[str, ...], seed: int, prefix: bool = True) -> float:
    """The share of answers written word for word, mean of the tasks, on events that the notebook has not chosen."""
    model, words, shares, events = _model(numbers, name), _vocabulary(), [], _events(EVENTS, "test", seed + BEYOND)
    for task in tasks:
        source = _ids([f"{task}: {event}" if prefix else event for event in events])  # (B, N)
        written = [" ".join(words[n] for n in row) for row in greedy(model, source, begin=0, end=1, longest=3)]
        shares.append(sum(text == _answer(task, e) for text, e in zip(written, events, strict=True)) / len(events))
    return sum(shares) / len(shares)


def _answer(task: str, event: str) -> str:
    words = event.split()
    return words[0] if task == "who" else words[-1] if task == "where" else _topics()[words[-1]]


@metric("one_model")
def one_model(artifacts: Artifacts) -> float:
    return _right(artifacts.tensor("one", ndim=1), "one", NAMES, artifacts.seed)


@metric("one_minus_three")
def one_minus_three(artifacts: Artifacts) -> float:
    three = artifacts.tensor("three", ndim=2)
    if len(three) != len(NAMES):
        raise BadArtifact(f"the tensor 'three' has {len(three)} rows, expected 3: topic, who, where")
    alone = [_right(row, "three", (name,), artifacts.seed) for row, name in zip(three, NAMES, strict=True)]
    return one_model(artifacts) - sum(alone) / len(alone)


@metric("prefix_gap")
def prefix_gap(artifacts: Artifacts) -> float:
    without = artifacts.tensor("without", ndim=1)
    return one_model(artifacts) - _right(without, "without", NAMES, artifacts.seed, prefix=False)


def _spans(seed: int) -> tuple[list[str], list[str]]:
    """What is read and what is written, of stories and spans that the notebook has not chosen."""
    chance = random.Random(seed)
    pairs = [_corrupted(story.split(), chance) for story in _events(EVENTS, "train", seed + BEYOND, sentences=4)]
    return [read for read, _ in pairs], [write for _, write in pairs]


def _nats(numbers: Tensor, name: str, seed: int) -> float:
    """Nats for each token of what an encoder and a decoder write for hidden spans."""
    with torch.no_grad():
        return float(_model(numbers, name)(*map(_ids, _spans(seed))))


@metric("fill_nats")
def fill_nats(artifacts: Artifacts) -> float:
    return _nats(artifacts.tensor("filler", ndim=1), "filler", artifacts.seed)


def _nats_of_one(numbers: Tensor, seed: int, prefix: bool) -> float:
    """The same of one stack that reads the source and goes on with the target."""
    model, (sources, targets) = _model(numbers, "fillers"), _spans(seed)
    both = _ids([f"{source} </s> {target}" for source, target in zip(sources, targets, strict=True)])  # (B, N)
    read = torch.tensor([[len(source.split()) + 1] for source in sources])  # (B, 1)
    places = torch.arange(both.shape[1] - 1)
    mask = (places <= places[:, None]).expand(len(both), 1, -1, -1)  # (B, 1, N - 1, N - 1)
    if prefix:
        mask = mask | (places < read)[:, None, None]
    with torch.no_grad():
        hidden = model.encoder(model.tokens(both[:, :-1]), model.encoder.added(mask))
        logits = hidden * model.config.d_model**-0.5 @ model.tokens.weight.T  # (B, N - 1, V)
    written = both[:, 1:].masked_fill(places + 1 < read, 0)
    return float(torch.nn.functional.cross_entropy(logits.flatten(0, 1), written.flatten(), ignore_index=0))


def _fillers(artifacts: Artifacts) -> list[float]:
    """Nats of the encoder–decoder, the prefix language model and the causal one."""
    three = artifacts.tensor("fillers", ndim=2)
    if len(three) != 3:
        raise BadArtifact(f"the tensor 'fillers' has {len(three)} rows, expected 3: two stacks, prefix, causal")
    seed = artifacts.seed
    return [_nats(three[0], "fillers", seed), *(_nats_of_one(three[n], seed, n == 1) for n in (1, 2))]


@metric("one_stack_costs")
def one_stack_costs(artifacts: Artifacts) -> float:
    two, prefix, _ = _fillers(artifacts)
    return prefix - two


@metric("causal_costs")
def causal_costs(artifacts: Artifacts) -> float:
    _, prefix, causal = _fillers(artifacts)
    return causal - prefix
