"""bert_parts: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import itertools
import math
import random

import numpy as np
import torch
from hypothesis.strategies import SearchStrategy, booleans, integers, lists, sampled_from
from torch import Tensor

from etude import pretrained
from etude.lesson.checks import close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
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
@for_all(examples=20, count=integers(2, 7), numbers=lists(inputs.numbers(), min_size=7, max_size=7), seed=integers(0, 9))
def test_any_layers_are_mixed_as_by_numpy(student: Student, count: int, numbers: list[float], seed: int) -> None:
    layers, scores = random_layers(count + 1, 1, 2, 3, seed=seed), torch.tensor(numbers, dtype=torch.float64)
    few = scores[: min(4, count)]
    close(student.combine_layers(layers, "sum-last-4", few), mixture(layers, few))
    close(student.combine_layers(layers, "sum-all", scores[:count]), mixture(layers, scores[:count]))
    side = np.concatenate([layer.numpy() for layer in layers[1:][-4:]], axis=-1)
    close(student.combine_layers(layers, "concat-last-4"), side)
    close(student.combine_layers(layers, "second-to-last"), layers[count - 1])


@exercise("combine_layers", points=0.5, needs="test_scores_become_weights_by_a_softmax")
def test_scores_can_be_learned(student: Student) -> None:
    layers, scores = random_layers(3, 1, 2, 2, seed=8), torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    first, second = layers[1].sum(), layers[2].sum()
    share = 1 / (1 + (scores[1] - scores[0]).exp())  # of the first of two
    (expected,) = torch.autograd.grad(share * first + (1 - share) * second, scores)
    given = "2 layers, 'sum-all', scores 0.5 and −1; the gradient for the scores"
    (found,) = student.gradients("combine_layers", layers, "sum-all", scores.detach().requires_grad_())
    true(found is not None, "the result knows nothing of the scores, so they cannot be trained", given=given)
    close(found, expected, given=given)


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


# few_labels
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


# labels_needed
@exercise("labels_needed", points=0.5)
@for_all(
    steps=lists(integers(1, 4), min_size=1, max_size=4),
    scores=lists(integers(0, 16), min_size=5, max_size=5),
    target=integers(0, 16),
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


# reverse_padded
@exercise("reverse_padded", points=0.5)
@for_all(examples=30, x=inputs.tables(8, 3), lengths=lists(integers(0, 4), min_size=2, max_size=2))
def test_any_rows_are_turned_as_lists_are(student: Student, x: Tensor, lengths: list[int]) -> None:
    rows = x.double().reshape(2, 4, 3)
    expected = [row[:length][::-1] + row[length:] for row, length in zip(rows.tolist(), lengths, strict=True)]
    close(student.reverse_padded(rows, torch.tensor(lengths)), expected)


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


@exercise("paired_p_value", points=0.5)
def test_of_8_wins_and_no_loss_chance_is_one_in_256(student: Student) -> None:
    signs = torch.tensor(list(itertools.product((1.0, -1.0), repeat=8)))
    a = torch.tensor([0.5, 1.0, 0.25, 2.0, 1.0, 1.5, 0.125, 1.0])
    close(student.paired_p_value(a, 0 * a, signs), 2 / 257, given="A leads on each of 8 items; all 256 rows of signs")
    close(student.paired_p_value(0 * a, a, signs), 1.0, given="B leads on each of 8 items; all 256 rows of signs")


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
