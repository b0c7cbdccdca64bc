"""bert_pretraining: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import random
from typing import Any, NamedTuple

import torch
from hypothesis.strategies import booleans, integers, lists, permutations, sampled_from, tuples
from torch import Tensor
from torch.nn import functional

from etude.lesson.checks import claim, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.models.bert import IGNORED, BertConfig, BertForPretraining, PretrainingBatch
from etude.pretrained import text_of
from etude.pretraining import Masking, Vocabulary, mask_tokens
from etude.recipes import Recipe
from etude.tokenizers.wordpiece import WordPiece
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all


def _normal(*shape: int, seed: int, scale: float = 1.0) -> Tensor:
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _as_lists(pair: Any) -> list[list[int]]:
    return [[int(number) for number in part] for part in pair]


# gelu


@exercise("gelu", points=0.5)
@for_all(x=lists(inputs.numbers(), min_size=1, max_size=6), approximate=booleans())
def test_any_numbers_agree_with_torch(student: Student, x: list[float], approximate: bool) -> None:
    expected = functional.gelu(torch.tensor(x, dtype=torch.float64), approximate="tanh" if approximate else "none")
    close(student.gelu(torch.tensor(x), approximate), expected)


@exercise("gelu", points=0.5)
def test_far_out_it_is_x_or_0_in_both_forms(student: Student) -> None:
    x = torch.tensor([[-60.0, -30.0], [30.0, 60.0]])
    for approximate in (False, True):
        close(
            student.gelu(x, approximate=approximate),
            [[0.0, 0.0], [30.0, 60.0]],
            given=f"−60, −30, 30, 60; approximate={approximate}",
        )


@exercise("gelu", points=0.5)
def test_the_form_with_tanh_has_its_own_gradient(student: Student) -> None:
    def oracle(x: Tensor, approximate: bool) -> Tensor:
        return functional.gelu(x, approximate="tanh" if approximate else "none")

    close_gradients(
        student, "gelu", oracle, {"x": _normal(3, 2, seed=1, scale=2)}, True, given="six numbers; approximate=True"
    )


@exercise("gelu", points=0.5)
def test_a_double_without_axes_keeps_its_digits(student: Student) -> None:
    x = torch.tensor(0.3, dtype=torch.float64)
    for approximate in (False, True):
        close(
            student.gelu(x, approximate=approximate),
            functional.gelu(x, approximate="tanh" if approximate else "none"),
            given=f"x = 0.3 as a double, a tensor of shape (); approximate={approximate}",
            rtol=1e-9,
            atol=1e-12,
        )


@exercise("gelu", points=0.5, needs="test_any_numbers_agree_with_torch")
def test_shape_and_type_stay_as_they_are(student: Student) -> None:
    for approximate in (False, True):
        for shape in ((1, 1), (2, 1, 3), (1, 2, 1, 1, 2), (0,), (2, 0)):
            x = _normal(*shape, seed=4)
            expected = functional.gelu(x, approximate="tanh" if approximate else "none")
            close(student.gelu(x, approximate), expected, given=f"a tensor {shape}; approximate={approximate}", atol=1e-5)
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
            found = student.gelu(torch.tensor([-1.0, 2.0], dtype=dtype), approximate)
            given = f"a {dtype} tensor; approximate={approximate}"
            true(str(getattr(found, "dtype", "")) == str(dtype), f"{dtype} was expected", given=given, actual=found)


# pair_input


def _pair_oracle(first: list[int], second: list[int], room: int) -> tuple[int, int]:
    """How many tokens of each remain: of all ways to fill the room, the most even one, the first text getting the odd token."""
    if len(first) + len(second) <= room:
        return len(first), len(second)
    ways = [(a, room - a) for a in range(len(first) + 1) if 0 <= room - a <= len(second)]
    return min(ways, key=lambda way: (abs(way[0] - way[1]), way[0] < way[1]))


@exercise("pair_input")
@for_all(
    first=lists(integers(0, 9), max_size=7),
    second=lists(integers(0, 9), max_size=7),
    length=integers(3, 14),
    cls=integers(0, 2),
    sep=integers(3, 5),
)
def test_any_two_texts_are_cut_as_evenly_as_possible(
    student: Student, first: list[int], second: list[int], length: int, cls: int, sep: int
) -> None:
    a, b = _pair_oracle(first, second, length - 3)
    expected = [[cls, *first[:a], sep, *second[:b], sep], [0] * (a + 2) + [1] * (b + 1)]
    equal(_as_lists(student.pair_input(first, second, length, cls=cls, sep=sep)), expected)


@exercise("pair_input", points=0.5, needs="test_the_first_separator_belongs_to_segment_0")
def test_a_text_may_hold_the_ids_of_special_tokens(student: Student) -> None:
    found = student.pair_input([3, 2, 3], [3, 0, 2], 12)
    equal(_as_lists(found), [[2, 3, 2, 3, 3, 3, 0, 2, 3], [0] * 5 + [1] * 4], given="3 2 3 and 3 0 2, length 12")
    found = student.pair_input([], [3, 3, 8, 8], 6, cls=101, sep=0)
    equal(_as_lists(found), [[101, 0, 3, 3, 8, 0], [0, 0, 1, 1, 1, 1]], given="no tokens and 3 3 8 8, length 6, cls=101, sep=0")


@exercise("pair_input", points=0.5)
@for_all(first=lists(integers(5, 9), max_size=6), length=integers(3, 8), cls=integers(0, 1), sep=integers(2, 4))
def test_any_text_alone_is_cut_to_the_length(
    student: Student, first: list[int], length: int, cls: int, sep: int
) -> None:
    expected = [cls, *first[: length - 2], sep]
    equal(_as_lists(student.pair_input(first, None, length, cls=cls, sep=sep)), [expected, [0] * len(expected)])


@exercise("pair_input", points=0.5, needs="test_the_longer_text_loses_its_last_tokens")
def test_the_lists_that_came_in_stay_whole(student: Student) -> None:
    first, second = [11, 12, 13, 14], [21, 22, 23]
    handles = student.put(list(first)), student.put(list(second))
    student.in_place().pair_input(*handles, 6)
    equal(
        [student.value(handle) for handle in handles],
        [first, second],
        given="11 to 14 and 21 to 23, cut to 6 tokens: the two lists afterwards",
    )


@exercise("pair_input", points=0.5, needs="test_any_two_texts_are_cut_as_evenly_as_possible")
def test_a_second_text_without_tokens_still_has_its_separator(student: Student) -> None:
    found = _as_lists(student.pair_input([5, 6], [], 9))
    equal(found, [[2, 5, 6, 3, 3], [0, 0, 0, 0, 1]], given="5 6 and an empty list, length 9")


@exercise("pair_input", points=0.5)
def test_lists_come_back_and_may_be_longer_than_512(student: Student) -> None:
    first, second = list(range(100, 400)), list(range(400, 700))
    equal(
        list(student.pair_input(first, second, 600)),
        [[2, *first[:299], 3, *second[:298], 3], [0] * 301 + [1] * 299],
        given="two texts of 300 tokens, length 600",
    )


# embed_input


def _embedded(words: Tensor, kinds: Tensor, places: Tensor, gain: Tensor, bias: Tensor, *rest: Any) -> Tensor:
    tokens, segments, eps = rest
    x = functional.embedding(tokens, words) + functional.embedding(segments, kinds) + places[: tokens.shape[1]]
    return functional.layer_norm(x, x.shape[-1:], gain, bias, eps)


@exercise("embed_input")
@for_all(
    words=inputs.tables(5, 3),
    kinds=inputs.tables(2, 3),
    places=inputs.tables(4, 3),
    affine=lists(inputs.numbers(), min_size=6, max_size=6),
    rows=lists(lists(tuples(integers(0, 4), integers(0, 1)), min_size=3, max_size=3), min_size=1, max_size=2),
    examples=30,
)
def test_any_tables_agree_with_torch(
    student: Student,
    words: Tensor,
    kinds: Tensor,
    places: Tensor,
    affine: list[float],
    rows: list[list[tuple[int, int]]],
) -> None:
    tokens, segments = torch.tensor(rows).unbind(dim=2)  # (B, N) each
    tables = (words, kinds, places, torch.tensor(affine[:3]), torch.tensor(affine[3:]))
    expected = _embedded(*(table.double() for table in tables), tokens, segments, 0.5)
    close(student.embed_input(*tables, tokens, segments, 0.5), expected, rtol=1e-3, atol=1e-3)


@exercise("embed_input", points=0.5)
def test_numbers_far_from_0_keep_their_variance(student: Student) -> None:
    words = torch.tensor([[1e8, 1e8 + 1, 1e8 + 2, 1e8 + 3]], dtype=torch.float64)  # variance 5/4
    others = [torch.zeros(rows, 4, dtype=torch.float64) for rows in (2, 3)]
    affine = torch.ones(4, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)
    one = torch.tensor([[0]])
    close(
        student.embed_input(words, *others, *affine, one, one),
        [[[number / 5**0.5 for number in (-3, -1, 1, 3)]]],
        given="one token with the vector 10⁸, 10⁸ + 1, 10⁸ + 2, 10⁸ + 3, in doubles; the other tables are 0",
        rtol=1e-6,
    )


@exercise("embed_input", points=0.5, needs="test_the_sum_is_normalised_then_stretched_and_moved")
def test_small_vectors_and_vectors_of_equal_numbers_are_normalised_too(student: Student) -> None:
    words = torch.tensor([[3e-4, -1e-4, 1e-4, -3e-4], [2.0, 2.0, 2.0, 2.0]], dtype=torch.float64)  # the first: variance 5e-8
    others = [torch.zeros(rows, 4, dtype=torch.float64) for rows in (2, 3)]
    affine = torch.ones(4, dtype=torch.float64), torch.tensor([0.0, 1.0, 2.0, 3.0], dtype=torch.float64)
    tokens = torch.tensor([[0, 1, 0]])
    found = student.embed_input(words, *others, *affine, tokens, torch.zeros_like(tokens))
    small = [number / (5 + 1e-4) ** 0.5 + i for i, number in enumerate((3, -1, 1, -3))]
    given = "tokens with the vectors (3, −1, 1, −3) / 10⁴ and (2, 2, 2, 2), the other tables 0; bias 0, 1, 2, 3"
    close(found, [[small, [0.0, 1.0, 2.0, 3.0], small]], given=given)


@exercise("embed_input", points=0.5, needs="test_positions_are_counted_from_0_in_every_text")
def test_an_axis_of_one_is_kept_and_all_positions_may_be_used(student: Student) -> None:
    for rows, length, width in ((1, 4, 3), (3, 1, 3), (1, 1, 2), (4, 4, 4), (3, 2, 1)):
        tables = [_normal(size, width, seed=size) for size in (5, 2, 4)]
        affine = _normal(width, seed=8), _normal(width, seed=9)
        tokens = (torch.arange(rows * length) * 3 % 5).reshape(rows, length)
        segments = (torch.arange(rows * length) % 2).reshape(rows, length)
        found = student.embed_input(*tables, *affine, tokens, segments, 0.5)
        given = f"{rows} texts of {length} tokens, 4 positions, width {width}, eps = ½"
        close(found, _embedded(*tables, *affine, tokens, segments, 0.5), given=given, atol=1e-5)


@exercise("embed_input", points=0.5)
def test_all_tables_are_trained(student: Student) -> None:
    tables = {name: _normal(*shape, seed=i) for i, (name, shape) in enumerate(TABLE_SHAPES.items())}
    tokens, segments = torch.tensor([[1, 5, 5, 2], [3, 3, 0, 0]]), torch.tensor([[0, 0, 1, 1], [0, 0, 0, 0]])
    close_gradients(
        student, "embed_input", _weighed, tables, tokens, segments, 0.3, given="two texts of 4 tokens, eps = 0.3"
    )


TABLE_SHAPES = {"words": (6, 3), "kinds": (2, 3), "places": (5, 3), "gain": (3,), "bias": (3,)}


def _weighed(*args: Any) -> Tensor:
    return _embedded(*args)


# BertForPreTraining of transformers 5.23.0 without layers, so that hidden vectors are the input's: vocab_size 9, hidden_size 4,
# max_position_embeddings 6. Weight number i of the list below is _waves(shape, i); what it returned stands here, so that
# grading needs no transformers.
THEIRS = {
    name: (shape, start)
    for start, (name, shape) in enumerate(
        {
            "words": (9, 4),  # bert.embeddings: word, token type, position, LayerNorm
            "kinds": (2, 4),
            "places": (6, 4),
            "gain": (4,),
            "bias": (4,),
            "transform": (4, 4),  # cls.predictions: transform.dense, transform.LayerNorm, bias
            "transform_bias": (4,),
            "head_gain": (4,),
            "head_bias": (4,),
            "words_bias": (9,),
            "pooler": (4, 4),  # bert.pooler.dense, cls.seq_relationship
            "pooler_bias": (4,),
            "sentence": (2, 4),
            "sentence_bias": (2,),
        }.items()
    )
}
THEIR_TOKENS = torch.tensor([[2, 5, 4, 3, 6], [1, 7, 3, 4, 3]])
THEIR_SEGMENTS = torch.tensor([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]])
THEIR_LABELS = torch.tensor([[-100, -100, 8, -100, 6], [-100, 0, -100, 5, -100]])
THEIR_FOLLOWS = torch.tensor([1, 0])
THEIR_HIDDEN = [
    [
        [-0.541529, -1.061815, 0.200283, 0.667189],
        [-0.898211, -2.101555, 0.466496, 0.26559],
        [-0.802843, -2.245025, 0.654795, 0.883712],
        [-0.615518, -1.663679, 0.593005, 1.133329],
        [-0.836901, -2.248956, 0.451051, 0.5906],
    ],
    [
        [-0.595226, -1.595107, 0.386224, 0.992983],
        [-0.948397, -1.996765, 1.22894, 0.623177],
        [-0.738431, -1.63042, 1.415386, 1.314055],
        [-0.882, -1.992675, 0.316336, 0.127396],
        [-0.808972, -2.056593, 1.138065, 1.121506],
    ],
]
THEIR_LOGITS = [
    [-0.829488, -0.204171, 0.015629, 0.651181, -2.01933, -1.902653, -0.842832, 1.026756, -0.84557],
    [-0.558969, 0.081843, -0.472307, 0.631186, -1.596985, -1.454137, -0.393006, 1.104647, -0.552968],
    [-0.815232, -0.47594, 0.000259, 0.616643, -2.204335, -1.795002, -1.01151, 0.938854, -0.760998],
    [-0.229997, 0.235387, -0.857547, 0.489113, -1.285967, -0.973934, -0.039509, 1.0286, -0.231454],
]
THEIR_LOSS = 3.631028


def _waves(shape: tuple[int, ...], start: int) -> Tensor:
    """Numbers from −1 to 1 that are the same everywhere."""
    places = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return torch.sin(places**2 + start).reshape(shape).float()


def _their_weights(*names: str) -> list[Tensor]:
    return [_waves(*THEIRS[name]) for name in names]


@exercise("embed_input")
def test_the_weights_of_transformers_give_its_input(student: Student) -> None:
    tables = _their_weights("words", "kinds", "places", "gain", "bias")
    close(
        student.embed_input(*tables, THEIR_TOKENS, THEIR_SEGMENTS),
        THEIR_HIDDEN,
        given="2 texts of 5 tokens, the weights of a BERT of transformers",
        rtol=1e-3,
        atol=1e-4,
    )


# count_parameters


@exercise("count_parameters", points=2)
@for_all(
    layers=integers(0, 3),
    width=integers(1, 9),
    vocabulary=integers(1, 30),
    positions=integers(1, 20),
    heads=booleans(),
    examples=30,
)
def test_any_size_agrees_with_a_model_that_is_built(
    student: Student, layers: int, width: int, vocabulary: int, positions: int, heads: bool
) -> None:
    config = BertConfig(vocabulary, width, layers, 1, 4 * width, max_position_embeddings=positions)
    with torch.device("meta"):
        model = BertForPretraining(config)
    expected = sum(p.numel() for p in (model if heads else model.bert).parameters())
    equal(student.count_parameters(layers, width, vocabulary=vocabulary, positions=positions, heads=heads), expected)


@exercise("count_parameters", points=0.5)
def test_published_sizes_have_their_parameters_with_heads(student: Student) -> None:
    for (layers, width), expected in {(2, 128): 4_433_468, (8, 512): 41_668_412, (12, 768): 110_106_428}.items():
        equal(
            student.count_parameters(layers, width, heads=True),
            expected,
            given=f"{layers} layers, width {width}, with heads",
        )


@exercise("count_parameters", points=0.5, needs="test_base_and_large_have_110_and_335_million")
def test_billions_are_counted_to_the_last_one(student: Student) -> None:
    found = student.count_parameters(96, 12_289, vocabulary=50_257, positions=2_048)
    expected = 52_307 * 12_289 + 2 * 12_289 + 96 * (12 * 12_289**2 + 13 * 12_289) + 12_289**2 + 12_289
    equal(found, expected, given="96 layers, width 12,289, vocabulary 50,257, 2,048 positions")


# mask_tokens

DRAWS = [0.0, 0.05, 0.119, 0.121, 0.134, 0.136, 0.149, 0.151, 0.5, 0.999]


def _masked(token: int, draw: float, pick: int, special: list[bool], mask: int) -> tuple[int, int]:
    """What is read and the label, for one token, from the table of the four cases."""
    ordinary = [i for i, is_special in enumerate(special) if not is_special]
    if special[token] or draw > 0.15:
        return token, IGNORED
    if draw < 0.12:
        return mask, token
    return (ordinary[pick % len(ordinary)] if draw < 0.135 else token), token


@exercise("mask_tokens")
@for_all(
    row=lists(tuples(integers(0, 8), sampled_from(DRAWS), integers(0, 20)), min_size=1, max_size=8),
    places=lists(booleans(), min_size=8, max_size=8),
)
def test_any_tokens_agree_with_the_four_cases(
    student: Student, row: list[tuple[int, float, int]], places: list[bool]
) -> None:
    special = [*places, False]
    tokens, picks = torch.tensor([[t for t, _, _ in row]]), torch.tensor([[p for _, _, p in row]])
    draws = torch.tensor([[d for _, d, _ in row]])
    found = student.mask_tokens(tokens, draws, picks, torch.tensor(special), 3)
    expected = [_masked(t, d, p, special, 3) for t, d, p in row]
    equal([_as_lists(part)[0] for part in found], [[a for a, _ in expected], [b for _, b in expected]])


@exercise("mask_tokens", points=0.5)
def test_each_of_many_texts_has_its_own_draws(student: Student) -> None:
    generator = torch.Generator().manual_seed(5)
    special = torch.rand(50, generator=generator) < 0.2
    tokens, pick = (torch.randint(0, high, (6, 40), generator=generator) for high in (50, 1000))
    draw = torch.tensor(DRAWS)[torch.randint(0, len(DRAWS), (6, 40), generator=generator)]
    rows = [
        [_masked(int(t), float(d), int(p), special.tolist(), 4) for t, d, p in zip(*three, strict=True)]
        for three in zip(tokens, draw, pick, strict=True)
    ]
    read, labels = student.mask_tokens(tokens, draw, pick, special, 4)
    close(
        read,
        [[a for a, _ in row] for row in rows],
        given="what is read in 6 texts of 40 tokens, 50 ids, a fifth of them special",
    )
    close(labels, [[b for _, b in row] for row in rows], given="the labels of the same")


@exercise("mask_tokens", points=0.5, needs="test_one_draw_decides_what_is_read")
def test_whole_numbers_come_back(student: Student) -> None:
    read, labels = student.mask_tokens(
        torch.tensor([[5, 1]]), torch.tensor([[0.0, 0.9]]), torch.tensor([[0, 0]]), torch.tensor([False] * 8), 4
    )
    for name, tensor in {"read": read, "labels": labels}.items():
        true("int64" in str(getattr(tensor, "dtype", "")), f"{name} is expected as an int64 tensor", actual=tensor)


@exercise("mask_tokens", points=0.5, needs="test_any_tokens_agree_with_the_four_cases")
def test_rates_may_be_0_or_1_and_texts_of_one_token(student: Student) -> None:
    special, picks = torch.tensor([True, False, True, True, True, False, False, False]), torch.tensor([[3], [2], [0]])
    tokens, draws = torch.tensor([[5], [2], [6]]), torch.tensor([[0.0], [0.5], [0.9375]])
    cases: dict[tuple[float, float, float], list[list[int]]] = {
        (0.0, 0.8, 0.1): [[5, 2, 6], [-100, -100, -100]],
        (1.0, 0.0, 1.0): [[7, 2, 1], [5, -100, 6]],
        (1.0, 1.0, 0.0): [[4, 2, 4], [5, -100, 6]],
        (1.0, 0.0, 0.0): [[5, 2, 6], [5, -100, 6]],
    }
    for (rate, hidden, swapped), expected in cases.items():
        found = student.mask_tokens(tokens, draws, picks, special, 4, rate=rate, hidden=hidden, swapped=swapped)
        given = f"three texts of one token, 5, 2, 6; draws 0, ½, 15/16; rate {rate}, hidden {hidden}, swapped {swapped}"
        for part, wanted in zip(found, expected, strict=True):
            close(part, [[one] for one in wanted], given=given)


@exercise("mask_tokens", points=0.5, needs="test_any_tokens_agree_with_the_four_cases")
def test_ids_and_picks_may_be_large(student: Student) -> None:
    special = torch.zeros(100_000, dtype=torch.bool)
    special[:5] = True
    tokens, picks = torch.tensor([[70_001, 99_999, 80_001]]), torch.tensor([[99_994, 2**40 + 1, 7]])
    read, labels = student.mask_tokens(tokens, torch.tensor([[0.13, 0.13, 0.01]]), picks, special, 99_998)
    given = "tokens 70001, 99999, 80001; draws 0.13, 0.13, 0.01; pick 99994, 2^40 + 1, 7; V = 100000, the first five special"
    close(read, [[99_999, 5 + (2**40 + 1) % 99_995, 99_998]], given=f"{given}: what is read", rtol=0)
    close(labels, [[70_001, 99_999, 80_001]], given=f"{given}: the labels", rtol=0)


# whole_words


@exercise("whole_words")
@for_all(
    lengths=lists(integers(1, 4), min_size=1, max_size=6),
    gaps=lists(sampled_from(["", "[SEP]", "[CLS]", "[PAD]"]), min_size=7, max_size=7),
    keys=permutations(range(6)),
    tried=integers(0, 6),
    budget=integers(0, 9),
)
def test_any_words_agree_with_a_slow_search(
    student: Student, lengths: list[int], gaps: list[str], keys: list[int], tried: int, budget: int
) -> None:
    pieces: list[str] = []
    places: list[list[int]] = []
    for length, gap in zip(lengths, gaps, strict=False):
        pieces += [gap] * bool(gap)
        places.append(list(range(len(pieces), len(pieces) + length)))
        pieces += ["a", *["##b"] * (length - 1)]
    order = [key for key in keys if key < len(lengths)][:tried]
    left, expected = budget, set()
    for number in order:
        if lengths[number] <= left:
            left -= lengths[number]
            expected |= set(places[number])
    found = student.whole_words(pieces, order, budget)
    equal([int(i) for i in found], sorted(expected))


@exercise("whole_words", points=0.5, needs="test_any_words_agree_with_a_slow_search")
def test_every_one_of_many_words_is_tried(student: Student) -> None:
    pieces = ["[CLS]", *["a"] * 12, "b", "##c", "[SEP]"]
    equal(
        [int(i) for i in student.whole_words(pieces, list(range(13)), 14)],
        list(range(1, 15)),
        given="[CLS], twelve words of one piece, one of two, [SEP]; order 0 to 12, budget 14",
    )
    found = student.whole_words(pieces, list(range(11, -1, -1)), 12)
    equal([int(i) for i in found], list(range(1, 13)), given="the same; order 11 to 0, budget 12")


@exercise("whole_words", points=0.5, needs="test_any_words_agree_with_a_slow_search")
def test_two_signs_alone_go_on_with_the_word_before(student: Student) -> None:
    pieces = ["[CLS]", "c", "##", "a", "[SEP]"]
    equal(
        [int(i) for i in student.whole_words(pieces, [1, 0], 2)],
        [3],
        given="[CLS] c ## a [SEP]; order 1 0, budget 2",
    )


@exercise("whole_words", points=0.5, needs="test_any_words_agree_with_a_slow_search")
def test_only_three_pieces_are_no_words(student: Student) -> None:
    pieces = ["[CLS]", "[MASK]", "[cls]", "", "[SEP]", "[SEP] ", "###", "[unused1]", "[PAD]", "PAD", "[PAD"]
    expected = [1, 2, 3, 5, 6, 7, 9, 10]
    found = student.whole_words(pieces, list(range(7)), 8)
    equal(list(found), expected, given=f"{pieces}, order 0 to 6, budget 8; ### goes on with the word before")
    equal(student.whole_words(["[CLS]", "a", "##b", "c"], [1, 0], 3), [1, 2, 3], given="[CLS] a ##b c, order 1 0, budget 3")
    equal(student.whole_words(["[CLS]", "a", "##b", "c"], [1, 0], 0), [], given="[CLS] a ##b c, order 1 0, budget 0")
    equal(student.whole_words(["[CLS]", "[SEP]"], [], 3), [], given="[CLS] [SEP], no words, budget 3")


@exercise("whole_words", points=0.5, needs="test_any_words_agree_with_a_slow_search")
def test_a_text_may_be_longer_than_512(student: Student) -> None:
    pieces = ["[CLS]", *["a", "##b", "##c"] * 300, "[SEP]"]
    found = student.whole_words(pieces, [*range(299, 0, -1), 0], 899)
    given = "300 words of three pieces, order 299 to 0, budget 899: the last one tried has no room"
    equal([int(i) for i in found], list(range(4, 901)), given=given)


# next_sentence_pair


@exercise("next_sentence_pair")
@for_all(
    sizes=lists(integers(1, 4), min_size=2, max_size=4),
    numbers=tuples(integers(0, 9), integers(0, 9), integers(0, 1), integers(0, 9)),
)
def test_any_documents_agree_with_a_list_of_all_sentences(
    student: Student, sizes: list[int], numbers: tuple[int, int, int, int]
) -> None:
    sizes = [sizes[0] + 1, *sizes[1:]]
    documents = [[[100 * d + 10 * s, 100 * d + 10 * s + 1] for s in range(size)] for d, size in enumerate(sizes)]
    several = [d for d, size in enumerate(sizes) if size > 1]
    number = several[numbers[0] % len(several)]
    cut, coin = 1 + numbers[1] % (sizes[number] - 1), numbers[2]
    source, start = number, cut
    if coin:
        source = [d for d in range(len(sizes)) if d != number][numbers[3] % (len(sizes) - 1)]
        start = cut if cut < sizes[source] else sizes[source] - 1
    first = [100 * number + 10 * s + i for s in range(cut) for i in (0, 1)]
    second = [100 * source + 10 * s + i for s in range(start, sizes[source]) for i in (0, 1)]
    found = student.next_sentence_pair(documents, number, cut, coin, numbers[3])
    equal([*_as_lists(found[:2]), int(found[2])], [first, second, coin], given=None)


@claim("nsp-5050")
@exercise("next_sentence_pair", points=0.5)
def test_with_a_fair_coin_half_follow_and_no_false_text_is_of_the_same_document(student: Student) -> None:
    documents = [[[100 * d + s] for s in range(3 + d % 2)] for d in range(4)]
    draw, labels = random.Random(6), []
    for coin in [0, 1] * 40:
        number = draw.randrange(4)
        cut = draw.randrange(1, len(documents[number]))
        first, second, label = student.next_sentence_pair(documents, number, cut, coin, draw.randrange(100))
        labels.append(int(label))
        same = int(first[0]) // 100 == int(second[0]) // 100
        true(
            same == (int(label) == 0),
            "B is of A's document exactly if its label is 0",
            given=f"coin {coin}",
            actual=(first, second, label),
        )
    equal(labels.count(1), 40, given="80 pairs, the coin 1 in 40 of them: how many have label 1")


@exercise("next_sentence_pair", points=0.5)
def test_two_documents_that_read_the_same_are_two(student: Student) -> None:
    documents = [[[1], [2]], [[1], [2]], [[3], [4]]]
    found = student.next_sentence_pair(documents, 0, 1, 1, 0)
    equal(
        [*_as_lists(found[:2]), int(found[2])],
        [[1], [2], 1],
        given="documents (1 | 2), (1 | 2), (3 | 4); number 0, cut 1, coin 1, other 0",
    )


@exercise("next_sentence_pair", points=0.5)
def test_the_others_keep_their_order_where_two_read_the_same(student: Student) -> None:
    documents = [[[1, 1], [2]], [[3], [4]], [[1, 1], [2]]]
    equal(
        list(student.next_sentence_pair(documents, 2, 1, 1, 0)),
        [[1, 1], [2], 1],
        given="documents (1 1 | 2), (3 | 4), (1 1 | 2); number 2, cut 1, coin 1, other 0",
    )


@exercise("next_sentence_pair", points=0.5, needs="test_any_documents_agree_with_a_list_of_all_sentences")
def test_a_sentence_without_ids_is_a_sentence(student: Student) -> None:
    equal(
        list(student.next_sentence_pair([[[1], [2]], [[], [7], [8, 8]]], 0, 1, 1, 0)),
        [[1], [7, 8, 8], 1],
        given="documents (1 | 2), (an empty sentence | 7 | 8 8); number 0, cut 1, coin 1, other 0",
    )
    equal(
        list(student.next_sentence_pair([[[], [1], [], [2]], [[7], []]], 0, 2, 1, 0)),
        [[1], [], 1],
        given="documents (empty | 1 | empty | 2), (7 | empty); number 0, cut 2, coin 1, other 0",
    )
    equal(
        list(student.next_sentence_pair([[[], [1], []], [[7]]], 0, 1, 0, 0)),
        [[], [1], 0],
        given="documents (empty | 1 | empty), (7); number 0, cut 1, coin 0",
    )


@exercise("next_sentence_pair", points=0.5, needs="test_any_documents_agree_with_a_list_of_all_sentences")
def test_many_documents_sentences_and_tokens_count_whole(student: Student) -> None:
    short = [[[1], [2]] for _ in range(12)]
    first, second = ([[base + 20 * s + i for i in range(12)] for s in range(24)] for base in (1000, 2000))
    given = "14 documents: twelve of two sentences, then two of 24 sentences of twelve tokens; number 12, cut 12, "
    for coin, source, words in ((0, first, "coin 0"), (1, second, "coin 1, other 12")):
        a, b, label = student.next_sentence_pair([*short, first, second], 12, 12, coin, 12)
        expected = [[i for text in part for i in text] for part in (first[:12], source[12:])]
        equal([*_as_lists((a, b)), int(label)], [*expected, coin], given=given + words)


# masked_logits

HEAD_SHAPES = {
    "hidden": (2, 6, 5),
    "transform": (5, 5),
    "transform_bias": (5,),
    "gain": (5,),
    "bias": (5,),
    "words": (8, 5),
    "words_bias": (8,),
}


def _scored(
    hidden: Tensor,
    transform: Tensor,
    transform_bias: Tensor,
    gain: Tensor,
    bias: Tensor,
    words: Tensor,
    words_bias: Tensor,
    *rest: Any,
) -> Tensor:
    labels, eps = rest
    x = functional.gelu(hidden @ transform.T + transform_bias)
    x = functional.layer_norm(x, (hidden.shape[-1],), gain, bias, eps)
    scores: Tensor = (x @ words.T + words_bias)[labels != IGNORED]
    return scores


@exercise("masked_logits", points=0.5)
def test_all_weights_of_the_head_are_trained(student: Student) -> None:
    tensors = {name: _normal(*shape, seed=30 + i) for i, (name, shape) in enumerate(HEAD_SHAPES.items())}
    labels = torch.full((2, 6), IGNORED)
    labels[0, 1], labels[1, 5], labels[1, 0] = 3, 0, 7
    close_gradients(
        student, "masked_logits", _scored, tensors, labels, 0.1, given="3 of 12 places asked for, eps = 0.1"
    )


@exercise("masked_logits", points=0.5)
def test_a_vector_of_zeros_is_scored_too(student: Student) -> None:
    tensors = [_normal(*shape, seed=60 + i).double() for i, shape in enumerate(HEAD_SHAPES.values())]
    tensors[0][0, 1] = 0
    labels = torch.full((2, 6), IGNORED)
    labels[0, 1], labels[1, 0] = 3, 1
    close(
        student.masked_logits(*tensors, labels, 0.1),
        _scored(*tensors, labels, 0.1),
        given="random doubles; 2 of 12 places asked for; the encoder's vector at the first is all zeros",
        rtol=1e-9,
        atol=1e-12,
    )


@exercise("masked_logits", points=0.5, needs="test_only_places_that_are_asked_for_get_scores")
def test_one_text_one_place_and_one_number_keep_their_axes(student: Student) -> None:
    for rows, length, width, asked in ((1, 4, 3, [1, 3]), (3, 1, 2, [0, 2]), (1, 1, 2, [0]), (2, 2, 1, [1, 2])):
        shapes = ((rows, length, width), (width, width), (width,), (width,), (width,), (1 if asked == [0] else 6, width))
        tensors = [_normal(*shape, seed=70 + i).double() for i, shape in enumerate(shapes)]
        tensors.append(_normal(shapes[-1][0], seed=79).double())
        labels = torch.full((rows * length,), IGNORED)
        labels[asked] = 0
        labels = labels.reshape(rows, length)
        given = f"{rows} texts of {length} tokens, width {width}, {shapes[-1][0]} tokens in the table; places {asked} asked for"
        close(student.masked_logits(*tensors, labels, 0.1), _scored(*tensors, labels, 0.1), given=given)


@exercise("masked_logits")
@for_all(chosen=lists(booleans(), min_size=12, max_size=12).filter(any), seed=integers(0, 5), examples=30)
def test_any_places_come_in_reading_order(student: Student, chosen: list[bool], seed: int) -> None:
    tensors = [_normal(*shape, seed=seed + i) for i, shape in enumerate(HEAD_SHAPES.values())]
    labels = torch.where(torch.tensor(chosen).reshape(2, 6), 2, IGNORED)
    expected = _scored(*(tensor.double() for tensor in tensors), labels, 0.1)
    close(student.masked_logits(*tensors, labels, 0.1), expected, rtol=1e-3, atol=1e-4)


@exercise("masked_logits")
def test_the_weights_of_transformers_give_its_scores(student: Student) -> None:
    names = ("transform", "transform_bias", "head_gain", "head_bias", "words", "words_bias")
    close(
        student.masked_logits(torch.tensor(THEIR_HIDDEN), *_their_weights(*names), THEIR_LABELS),
        THEIR_LOGITS,
        given="2 texts of 5 tokens, the weights of a BERT of transformers",
        rtol=1e-3,
        atol=1e-4,
    )


# pretraining_loss

LOSS_SHAPES = {
    "token_logits": (4, 7),
    "hidden": (3, 5, 6),
    "pooler": (6, 6),
    "pooler_bias": (6,),
    "sentence": (2, 6),
    "sentence_bias": (2,),
}


def _loss(
    logits: Tensor,
    hidden: Tensor,
    pooler: Tensor,
    pooler_bias: Tensor,
    sentence: Tensor,
    sentence_bias: Tensor,
    *rest: Any,
) -> Tensor:
    labels, follows = rest
    right = labels[labels != IGNORED]
    guessed = -logits.log_softmax(dim=1)[torch.arange(len(right)), right].mean()
    scores = torch.tanh(hidden[:, 0] @ pooler.T + pooler_bias) @ sentence.T + sentence_bias
    return guessed - scores.log_softmax(dim=1)[torch.arange(len(follows)), follows].mean()


def _asked(labels: list[int]) -> Tensor:
    rows = torch.full((3, 5), IGNORED)
    rows[[0, 1, 1, 2], [3, 0, 4, 1]] = torch.tensor(labels)
    return rows


@exercise("pretraining_loss", points=0.5)
def test_one_text_with_huge_scores_pays_their_differences(student: Student) -> None:
    zeros = [torch.zeros(shape, dtype=torch.float64) for shape in ((1, 2, 4), (4, 4), (4,), (2, 4))]
    logits, bias = (
        torch.tensor([[800.1, 0.0, 0.0]], dtype=torch.float64),
        torch.tensor([900.0, 0.0], dtype=torch.float64),
    )
    close(
        student.pretraining_loss(logits, *zeros, bias, torch.tensor([[IGNORED, 1]]), torch.tensor([1])),
        1700.1,
        given="one text; doubles: scores 800.1, 0, 0, the right one is number 1; scores of the sentence 900 and 0, follows 1",
        rtol=1e-9,
    )


@exercise("pretraining_loss")
@for_all(
    labels=lists(integers(0, 6), min_size=4, max_size=4),
    follows=lists(integers(0, 1), min_size=3, max_size=3),
    seed=integers(0, 5),
    examples=30,
)
def test_any_labels_agree_with_the_formula(student: Student, labels: list[int], follows: list[int], seed: int) -> None:
    tensors = [_normal(*shape, seed=seed + 40 + i) for i, shape in enumerate(LOSS_SHAPES.values())]
    rest = _asked(labels), torch.tensor(follows)
    close(
        student.pretraining_loss(*tensors, *rest),
        _loss(*(tensor.double() for tensor in tensors), *rest),
        rtol=1e-3,
        atol=1e-4,
    )


@exercise("pretraining_loss")
def test_the_weights_of_transformers_give_its_loss(student: Student) -> None:
    weights = _their_weights("pooler", "pooler_bias", "sentence", "sentence_bias")
    hidden = torch.tensor(THEIR_HIDDEN)
    close(
        student.pretraining_loss(torch.tensor(THEIR_LOGITS), hidden, *weights, THEIR_LABELS, THEIR_FOLLOWS),
        THEIR_LOSS,
        given="2 texts of 5 tokens, the weights of a BERT of transformers",
        rtol=1e-4,
    )


# Metrics: the recorded model on a text of the grader's.

SIZES = ((2, 64), (4, 256))  # of the profiles
LENGTH, POSITIONS, BEYOND, PAIRS = 64, 128, 20_000, 256


class _Exam(NamedTuple):
    """What the recorded model says of held-out pairs, and what the same tokens cost among strange words."""

    logits: Tensor  # (M, V)
    asked: Tensor  # (M,)
    strange: Tensor  # (M, V)
    told: Tensor  # (PAIRS,) whether NSP is right


@metric("unigram_minus_model")
def unigram_minus_model(artifacts: Artifacts) -> float:
    exam = _exam(artifacts)
    counts = torch.bincount(_training_ids(artifacts), minlength=exam.logits.shape[1]) + 1.0  # (V,)
    unigram = -(counts / counts.sum()).log()[exam.asked].mean()
    return float(unigram - functional.cross_entropy(exam.logits, exam.asked))


@metric("guessed_minus_commonest")
def guessed_minus_commonest(artifacts: Artifacts) -> float:
    exam = _exam(artifacts)
    commonest = torch.bincount(_training_ids(artifacts)).argmax()
    return float((exam.logits.argmax(dim=1) == exam.asked).float().mean() - (exam.asked == commonest).float().mean())


@metric("strange_minus_own_context")
def strange_minus_own_context(artifacts: Artifacts) -> float:
    exam = _exam(artifacts)
    return float(functional.cross_entropy(exam.strange, exam.asked) - functional.cross_entropy(exam.logits, exam.asked))


@metric("nsp_accuracy")
def nsp_accuracy(artifacts: Artifacts) -> float:
    return float(_exam(artifacts).told.float().mean())


def _exam(artifacts: Artifacts) -> _Exam:
    weights, vocabulary = artifacts.tensor("weights", ndim=1).float(), artifacts.strings("vocabulary")
    tokenizer = _tokenizer(tuple(vocabulary))
    model = _model(weights, len(vocabulary))
    batch, strange = _held_out(tokenizer, artifacts.seed)
    asked = batch.labels != IGNORED
    found = []
    with torch.no_grad():
        for tokens in (batch.tokens, strange):
            hidden = model.bert(tokens, batch.segments)
            found.append((model.token_logits(hidden[asked]), model.next_sentence_logits(hidden)))
    assert batch.follows is not None
    told = found[0][1].argmax(dim=1).eq(batch.follows)
    return _Exam(found[0][0], batch.labels[asked], found[1][0], told)


def _tokenizer(vocabulary: tuple[str, ...]) -> WordPiece:
    needed = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    if vocabulary[: len(needed)] != needed or len(vocabulary) > 10_000:
        raise BadArtifact("the list 'vocabulary' is none that the experiment makes")
    try:
        return WordPiece(vocabulary)
    except ValueError as error:
        raise BadArtifact(f"the list 'vocabulary' makes no tokenizer: {error}") from None


def _model(weights: Tensor, vocabulary: int) -> BertForPretraining:
    """The model of the profile whose parameters are as many as were recorded, with these."""
    for layers, width in SIZES:
        model = BertForPretraining(Recipe("en", layers=layers, width=width).config(vocabulary)).eval()
        if sum(p.numel() for p in model.parameters()) == len(weights):
            torch.nn.utils.vector_to_parameters(weights, model.parameters())
            return model
    raise BadArtifact(f"the tensor 'weights' holds {len(weights)} numbers, and no profile's model has as many")


def _ids(tokenizer: WordPiece, texts: list[list[str]]) -> list[list[list[int]]]:
    return [[[tokenizer.index[piece] for piece in tokenizer.tokenize(text)] for text in document] for document in texts]


def _training_ids(artifacts: Artifacts) -> Tensor:
    """How often tokens occur in a text of the world that is neither the notebook's nor the exam's."""
    tokenizer = _tokenizer(tuple(artifacts.strings("vocabulary")))
    texts = _text(artifacts.seed + 2 * BEYOND)
    return torch.tensor([i for document in _ids(tokenizer, texts) for sentence in document for i in sentence])


@functools.lru_cache(maxsize=4)
def _text(seed: int) -> list[list[str]]:
    return text_of(Recipe("en", words=12_000), seed)


def _held_out(tokenizer: WordPiece, seed: int) -> tuple[PretrainingBatch, Tensor]:
    """Pairs of held-out documents with tokens hidden, and the same with strange words around the hidden ones."""
    documents = [document for document in _ids(tokenizer, _text(seed + BEYOND)) if len(document) > 1]
    draw, vocabulary = random.Random(seed), Vocabulary(tokenizer)
    tokens = torch.full((PAIRS, LENGTH), vocabulary.padding)
    segments, follows = torch.zeros_like(tokens), torch.tensor([0, 1]).repeat(PAIRS // 2)
    for row in range(PAIRS):
        document = draw.choice(documents)
        cut, second = draw.randrange(1, len(document)), document
        if follows[row] == 1:
            second = draw.choice([other for other in documents if other is not document])
        one = [i for sentence in document[:cut] for i in sentence]
        two = [i for sentence in second[min(cut, len(second) - 1) :] for i in sentence]
        a, b = _pair_oracle(one, two, LENGTH - 3)
        whole = [vocabulary.begin, *one[:a], vocabulary.separator, *two[:b], vocabulary.separator]
        tokens[row, : len(whole)] = torch.tensor(whole)
        segments[row, a + 2 : len(whole)] = 1
    generator = torch.Generator().manual_seed(seed)
    read, labels = mask_tokens(tokens, vocabulary, Masking(), generator)
    context = (labels == IGNORED) & ~vocabulary.special[read]
    strange = read.clone()
    strange[context] = read[context][torch.randperm(int(context.sum()), generator=generator)]
    return PretrainingBatch(read, segments, labels, follows), strange
