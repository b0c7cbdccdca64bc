"""gpt: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
import random
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import DrawFn, booleans, composite, integers, lists, sampled_from
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import vector_to_parameters

from etude import pretrained_gpt
from etude.lesson.checks import Mismatch, close, close_gradients, equal, exercise, true
from etude.lesson.gradients import WEIGHTED, scalar
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.models.gpt import GPT, GPTConfig
from etude.tokenizers.byte_bpe import ByteBPE
from etude.world import World
from etude.world.tasks import Tasks
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all


def normal(*shape: int, seed: int) -> Tensor:
    """Draws from the standard normal distribution; the same seed gives the same tensor."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


# next_token_loss
def by_hand(logits: Tensor, tokens: Tensor, real: Tensor) -> Tensor:
    """Place by place in float64: the logarithm of the sum of exponentials minus the logit of the next token."""
    costs = [
        logits[row, place].double().logsumexp(dim=0) - logits[row, place, tokens[row, place + 1]].double()
        for row in range(len(tokens))
        for place in range(tokens.size(1) - 1)
        if real[row, place + 1]
    ]
    return torch.stack(costs).mean()


@composite
def texts_in_a_batch(draw: DrawFn) -> tuple[list[int], list[int], list[float]]:
    """Lengths of texts, one of 2 or more; ids of the batch, padding among them; eighths for its logits."""
    lengths = [draw(integers(2, 4)), *draw(lists(integers(0, 4), max_size=2))]
    places = len(lengths) * (max(lengths) + draw(integers(0, 1)))  # perhaps padding behind the longest, too
    ids = draw(lists(integers(0, 2), min_size=places, max_size=places))
    first = draw(integers(0, len(lengths) - 1))
    return lengths[first:] + lengths[:first], ids, draw(lists(inputs.numbers(), min_size=3 * places, max_size=3 * places))


def batch(drawn: tuple[list[int], list[int], list[float]]) -> tuple[Tensor, Tensor, Tensor]:
    lengths, ids, numbers = drawn
    rows, longest = len(lengths), len(ids) // len(lengths)
    real = torch.arange(longest) < torch.tensor(lengths)[:, None]  # (B, N)
    return torch.tensor(numbers).reshape(rows, longest, 3), torch.tensor(ids).reshape(rows, longest), real


@exercise("next_token_loss")
@for_all(drawn=texts_in_a_batch(), double=booleans())
def test_any_batch_costs_what_its_tokens_cost_one_by_one(
    student: Student, drawn: tuple[list[int], list[int], list[float]], double: bool
) -> None:
    logits, tokens, real = batch(drawn)
    logits = logits.double() if double else logits
    close(student.next_token_loss(logits, tokens, real), by_hand(logits, tokens, real))


@exercise("next_token_loss", points=0.5, needs="test_a_known_probability_costs_its_logarithm")
def test_large_logits_are_no_problem(student: Student) -> None:
    logits = torch.tensor([[[2000.0, 1000.0], [-3000.0, 500.0], [0.0, 0.0]]])
    given = "tokens 0 1 0; logits (2000, 1000) and (−3000, 500): 1,000 and 3,500 nats"
    close(student.next_token_loss(logits, torch.tensor([[0, 1, 0]]), torch.ones(1, 3) > 0), 2250.0, given=given)


@exercise("next_token_loss", points=0.5, needs="test_any_batch_costs_what_its_tokens_cost_one_by_one")
def test_every_place_of_a_large_batch_is_asked_for(student: Student) -> None:
    logits, lengths = 2 * normal(20, 70, 300, seed=2), [0, 1, *range(53, 71)]
    tokens = torch.randint(300, (20, 70), generator=torch.Generator().manual_seed(3))
    real = torch.arange(70) < torch.tensor(lengths)[:, None]
    given = "20 texts of 0, 1, 53, 54, … 70 tokens, 300 ids, random logits"
    close(student.next_token_loss(logits, tokens, real), by_hand(logits, tokens, real), given=given)


@exercise("next_token_loss")
def test_the_gradients_are_those_of_the_mean_over_tokens(student: Student) -> None:
    tokens, real = torch.tensor([[0, 2, 1, 0], [1, 1, 0, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]) > 0
    logits = normal(2, 4, 3, seed=1).double()
    close_gradients(student, "next_token_loss", by_hand, {"logits": logits}, tokens, real, given="texts of 4 and 2 tokens")


# gpt2_layers
def part_of(student: Student, width: int, heads: int, seed: int) -> tuple[tuple[Any, dict[str, Tensor]], dict[str, Tensor]]:
    """A layer with random weights as the exercise takes it, and its attention's weights."""
    shapes = {"project_in.weight": (3 * width, width), "project_in.bias": (3 * width,)}
    shapes |= {"project_out.weight": (width, width), "project_out.bias": (width,)}
    state = {name: 0.5 * normal(*shape, seed=seed + n) for n, (name, shape) in enumerate(shapes.items())}
    attention = student.MultiHeadAttention(width, heads)
    attention.load_state_dict(state)
    attention.requires_grad_(False)
    others = {"w1": (width, 4 * width), "b1": (4 * width,), "w2": (4 * width, width), "b2": (width,)}
    others |= dict.fromkeys(("gain1", "shift1", "gain2", "shift2"), (width,))
    weights = {name: 0.5 * normal(*shape, seed=seed + 10 + n) for n, (name, shape) in enumerate(others.items())}
    return (attention, weights), state


def normed(x: Tensor, gain: Tensor, shift: Tensor) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return gain * centred / (centred.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt() + shift


def attended(x: Tensor, state: dict[str, Tensor], heads: int) -> Tensor:
    """Causal attention query by query, head by head."""
    queries, keys, values = (x @ state["project_in.weight"].T + state["project_in.bias"]).chunk(3, dim=-1)
    size, mixed = x.size(-1) // heads, torch.zeros_like(x)
    for row in range(len(x)):
        for head in range(heads):
            own = slice(head * size, (head + 1) * size)
            for place in range(x.size(1)):
                scores = keys[row, : place + 1, own] @ queries[row, place, own] / math.sqrt(size)
                mixed[row, place, own] = scores.softmax(dim=0) @ values[row, : place + 1, own]
    return mixed @ state["project_out.weight"].T + state["project_out.bias"]


def gelu(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + (math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)).tanh())


def layered(x: Tensor, weights: dict[str, Tensor], state: dict[str, Tensor], heads: int) -> Tensor:
    """One layer, attention place by place."""
    x = x + attended(normed(x, weights["gain1"], weights["shift1"]), state, heads)
    inner = normed(x, weights["gain2"], weights["shift2"]) @ weights["w1"] + weights["b1"]
    return x + gelu(inner) @ weights["w2"] + weights["b2"]


@exercise("gpt2_layers")
@for_all(examples=12, rows=integers(1, 2), length=integers(1, 4), depth=integers(0, 3), heads=sampled_from([1, 2]), seed=integers(0, 99))
def test_any_stack_of_layers_gives_what_is_computed_place_by_place(
    student: Student, rows: int, length: int, depth: int, heads: int, seed: int
) -> None:
    x, gain, shift = normal(rows, length, 4, seed=seed), normal(4, seed=seed + 1), normal(4, seed=seed + 2)
    parts, expected = [], x
    for number in range(depth):
        part, state = part_of(student, 4, heads, 1000 * number + seed)
        expected = layered(expected, part[1], state, heads)
        parts.append(part)
    close(student.gpt2_layers(x, parts, gain, shift), normed(expected, gain, shift), rtol=1e-3, atol=1e-3)


@exercise("gpt2_layers", points=0.5, needs="test_one_layer_agrees_with_torchs")
def test_gelu_has_its_tanh_form(student: Student) -> None:
    (attention, weights), state = part_of(student, 4, 1, 5)
    attention.load_state_dict({name: torch.zeros_like(tensor) for name, tensor in state.items()})
    ones = {"gain1": torch.ones(4), "gain2": torch.zeros(4), "shift1": torch.zeros(4), "shift2": torch.zeros(4)}
    weights |= ones | {"w1": torch.zeros(4, 16), "b1": torch.full((16,), 2.3), "w2": torch.zeros(16, 4)}
    weights["w2"][0] = torch.tensor([100.0, 0.0, 0.0, 0.0])
    weights["b2"] = torch.tensor([-100 * float(gelu(torch.tensor(2.3, dtype=torch.float64))), 0.0, 0.0, 0.0])
    # What is left of 100 · GELU(2.3) less its tanh form is 0; the exact form leaves 0.05, beside numbers of that size.
    x = torch.tensor([[[0.05, -0.05, 0.02, -0.02]]])
    found = student.gpt2_layers(x, [(attention, weights)], torch.ones(4), torch.zeros(4))
    given = "attention gives 0; the feed-forward network gives 100 · (GELU(2.3) − its tanh form at 2.3), so 0"
    close(found, functional.layer_norm(x, (4,)), given=given, rtol=1e-2, atol=1e-2)


@exercise("gpt2_layers", points=0.5, needs="test_one_layer_agrees_with_torchs")
def test_small_vectors_show_what_is_added_to_the_variance(student: Student) -> None:
    x = 0.002 * normal(1, 2, 4, seed=6)
    found = student.gpt2_layers(x, [], torch.ones(4), torch.zeros(4))
    close(found, normed(x, torch.ones(4), torch.zeros(4)), given="no layers, vectors of length 0.004 or so", rtol=1e-3, atol=1e-4)
    for quiet in ("attention", "the feed-forward network"):  # so the other one's input is as small
        (attention, weights), state = part_of(student, 4, 2, 23)
        if quiet == "attention":
            state = {name: torch.zeros_like(tensor) for name, tensor in state.items()}
            attention.load_state_dict(state)
        else:
            weights |= {"w2": torch.zeros(16, 4), "b2": torch.zeros(4)}
        found = student.gpt2_layers(x, [(attention, weights)], torch.ones(4), torch.zeros(4))
        expected = normed(layered(x, weights, state, 2), torch.ones(4), torch.zeros(4))
        given = f"one layer in which {quiet} gives 0, vectors of length 0.004 or so"
        close(found, expected, given=given, rtol=1e-2, atol=1e-2)


@exercise("gpt2_layers", points=0.5, needs="test_one_layer_agrees_with_torchs")
def test_gelu_takes_large_numbers(student: Student) -> None:
    (attention, weights), state = part_of(student, 4, 1, 24)
    attention.load_state_dict({name: torch.zeros_like(tensor) for name, tensor in state.items()})
    weights |= {"w1": torch.zeros(4, 16), "b1": torch.tensor([60.0, -60.0] * 8), "b2": torch.zeros(4)}
    weights["w2"] = torch.zeros(16, 4)
    weights["w2"][0, 0] = weights["w2"][1, 1] = weights["w2"][2, 2] = 0.1
    x, ones = torch.tensor([[[1.0, -2.0, 0.5, 3.0]]]), torch.ones(4)
    found = student.gpt2_layers(x, [(attention, weights)], ones, torch.zeros(4))
    given = "attention gives 0; GELU gets 60 and −60, a tenth of what it gives is added to (1, −2, 0.5, 3): 6, 0 and 6"
    close(found, normed(x + torch.tensor([6.0, 0.0, 6.0, 0.0]), ones, torch.zeros(4)), given=given, rtol=1e-3, atol=1e-3)


@exercise("gpt2_layers", points=0.5, needs="test_one_layer_agrees_with_torchs")
def test_numbers_of_double_precision_stay_so(student: Student) -> None:
    (attention, weights), state = part_of(student, 4, 2, 25)
    attention.double()
    weights = {name: tensor.double() for name, tensor in weights.items()}
    x, gain, shift = (normal(*shape, seed=26).double() for shape in ((2, 3, 4), (4,), (4,)))
    found = student.gpt2_layers(x, [(attention, weights)], gain, shift)
    given = "2 texts of 3 tokens, d = 4, one layer, all of float64"
    equal(str(getattr(found, "dtype", type(found).__name__)), "torch.float64", given=f"{given}; the type of the result")
    expected = normed(layered(x, weights, {name: one.double() for name, one in state.items()}, 2), gain, shift)
    close(found, expected, given=given, rtol=1e-3, atol=1e-3)


@exercise("gpt2_layers", points=0.5, needs="test_one_layer_agrees_with_torchs")
def test_every_weight_of_a_layer_can_be_trained(student: Student) -> None:
    (attention, weights), _ = part_of(student, 4, 2, 27)
    x, ones = normal(1, 3, 4, seed=28), torch.ones(4)
    for name, tensor in weights.items():
        asked = weights | {name: tensor.clone().requires_grad_()}
        found = student.gpt2_layers(x, [(attention, asked)], ones, torch.zeros(4))
        true(bool(getattr(found, "requires_grad", False)), f"no gradient gets through to {name}", given="one layer, random weights")


@exercise("gpt2_layers", points=0.5, needs="test_one_layer_agrees_with_torchs")
def test_gradients_flow_through_both_sublayers(student: Student) -> None:
    part, state = part_of(student, 4, 2, 7)
    leaves = [one.requires_grad_() for one in (normal(1, 3, 4, seed=8), normal(4, seed=9), normal(4, seed=10))]
    expected = torch.autograd.grad(scalar(normed(layered(leaves[0], part[1], state, 2), *leaves[1:])), leaves)
    found = student.gradients("gpt2_layers", leaves[0], [part], *leaves[1:])
    for name, actual, wanted in zip(("x", "gain", "shift"), found, expected, strict=True):
        given = f"3 tokens, d = 4, one layer of 2 heads, random weights; the gradient for {name}{WEIGHTED}"
        true(actual is not None, "it knows nothing of the numbers that it comes from, so they cannot be trained", given=given)
        close(actual, wanted, given=given, rtol=1e-2, atol=1e-3)


@exercise("gpt2_layers", points=0.5, needs="test_any_stack_of_layers_gives_what_is_computed_place_by_place")
def test_every_one_of_twelve_layers_is_passed(student: Student) -> None:
    x, gain, shift = normal(1, 2, 4, seed=20), normal(4, seed=21), normal(4, seed=22)
    parts, expected = [], x
    for number in range(12):
        part, state = part_of(student, 4, 1, 50 * number + 100)
        expected = layered(expected, part[1], state, 1)
        parts.append(part)
    given = "2 tokens, d = 4, twelve layers of one head, random weights"
    close(student.gpt2_layers(x, parts, gain, shift), normed(expected, gain, shift), given=given, rtol=1e-3, atol=1e-3)


# shrink_residuals
KINDS = [f"attention.project_{part}" for part in ("in.weight", "out.weight", "out.bias")]
KINDS += [f"feed_forward.{part}" for part in ("0.weight", "2.weight", "2.bias")] + ["attention_sum.norm.weight"]
SHRUNK = {"attention.project_out.weight", "feed_forward.2.weight"}


@exercise("shrink_residuals")
@for_all(
    some=lists(sampled_from([f"layers.{n}.{kind}" for n in (0, 1, 2, 11) for kind in KINDS] + ["tokens.weight"]), max_size=6, unique=True),
    layers=integers(12, 120),
    double=booleans(),
)
def test_any_part_of_a_state_is_shrunk_by_name(student: Student, some: list[str], layers: int, double: bool) -> None:
    weights = {name: normal(2, 3, seed=len(name) + place) for place, name in enumerate(some)}
    weights = {name: tensor.double() if double else tensor for name, tensor in weights.items()}
    found = student.shrink_residuals(weights, layers)
    equal(sorted(found), sorted(some))
    for name, tensor in weights.items():
        shrinks = name.partition(".")[2].partition(".")[2] in SHRUNK
        close(found[name], tensor / math.sqrt(2 * layers) if shrinks else tensor)


@exercise("shrink_residuals", points=0.5, needs="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
def test_names_that_end_in_a_part_of_it_are_others(student: Student) -> None:
    names = ["layers.0.adapter.2.weight", "layers.0.norm2.weight", "readout.weight", "project_out.weight"]
    weights = {name: torch.tensor([4.0, float(place)]) for place, name in enumerate(names)}
    found = student.shrink_residuals(weights, 2)
    for name in names:
        close(found[name], weights[name], given=f"2 blocks; {name}")


@exercise("shrink_residuals", points=0.5, needs="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
def test_one_block_has_two_sums_already(student: Student) -> None:
    weights = {f"layers.0.{kind}": torch.tensor([[1e-6, -3.0]], dtype=torch.float64) for kind in KINDS}
    found = student.shrink_residuals(weights, 1)
    for name, tensor in weights.items():
        shrinks = name.removeprefix("layers.0.") in SHRUNK
        close(found[name], tensor / math.sqrt(2) if shrinks else tensor, given=f"1 block, weights 10⁻⁶ and −3; {name}", atol=0)


@exercise("shrink_residuals", points=0.5, needs="test_both_residual_projections_are_divided_by_the_root_of_the_sums")
def test_tensors_stay_tensors_of_their_type(student: Student) -> None:
    for dtype in (torch.float32, torch.float64, torch.float16):
        weights = {f"layers.0.{kind}": torch.full((2, 2), 4.0, dtype=dtype) for kind in KINDS}
        found = student.shrink_residuals(weights, 8)
        for name in weights:
            kind = str(getattr(found[name], "dtype", type(found[name]).__name__))
            equal(kind, str(dtype), given=f"8 blocks, {dtype}; the type of {name}")


# gpt_parameters
def whole(value: Any) -> int:
    found = plain(value.item() if hasattr(value, "item") else value)
    true(type(found) is int, "a whole number was expected", actual=found)
    return int(found)


def built(vocabulary: int, positions: int, width: int, layers: int, last: bool) -> int:
    """The parameters of torch's own modules, on a device that holds no numbers."""
    with torch.device("meta"):
        norm = nn.LayerNorm(width)
        one = nn.TransformerEncoderLayer(width, 1, 4 * width)
        tables = [nn.Embedding(vocabulary, width), nn.Embedding(positions, width)]
    sizes = [sum(parameter.numel() for parameter in module.parameters()) for module in (*tables, one, norm)]
    return sizes[0] + sizes[1] + layers * sizes[2] + last * sizes[3]


@exercise("gpt_parameters")
@for_all(sizes=lists(integers(1, 40), min_size=3, max_size=3), layers=integers(0, 4), last=booleans())
def test_any_sizes_have_the_parameters_of_a_model_that_is_built(
    student: Student, sizes: list[int], layers: int, last: bool
) -> None:
    vocabulary, positions, width = sizes
    found = whole(student.gpt_parameters(vocabulary, positions, width, layers, final_norm=last))
    equal(found, built(vocabulary, positions, width, layers, last))


@exercise("gpt_parameters", points=0.5, needs="test_gpt_2_in_four_sizes")
def test_the_count_may_be_larger_than_32_bits_hold(student: Student) -> None:
    given = "GPT-3: 50,257 tokens, 2,048 positions, width 12,288, 96 blocks"
    equal(whole(student.gpt_parameters(50_257, 2048, 12_288, 96)), built(50_257, 2048, 12_288, 96, True), given=given)
    given = "1,000,003 tokens, 100,003 positions, width 100,001, 1,000,003 blocks: more than a float holds exactly"
    expected = built(1_000_003, 100_003, 100_001, 1_000_003, True)
    equal(whole(student.gpt_parameters(1_000_003, 100_003, 100_001, 1_000_003)), expected, given=given)


@exercise("gpt_parameters", points=0.5, needs="test_a_small_model_counted_by_hand")
def test_a_model_without_blocks_has_tables_and_the_last_normalisation(student: Student) -> None:
    equal(whole(student.gpt_parameters(5, 3, 2, 0)), 20, given="5 tokens, 3 positions, width 2, no block")


# task_rows
def lists_of(found: Any) -> list[list[int]]:
    try:
        return [[whole(one) for one in row] for row in found]
    except TypeError:
        raise Mismatch("a list of rows of ids was expected", actual=found) from None


TEXTS = lists(lists(integers(3, 6), max_size=3), min_size=3, max_size=5)


@exercise("task_rows")
@for_all(
    task=sampled_from(["classification", "entailment", "similarity", "choice"]),
    texts=TEXTS,
    special=sampled_from([(7, 8, 9), (0, 1, 2), (1, 0, 2), (2, 1, 0)]),
)
def test_any_texts_are_written_as_in_the_papers_figure(
    student: Student, task: str, texts: list[list[int]], special: tuple[int, int, int]
) -> None:
    (first, second), (start, delimiter, extract) = texts[:2], special
    expected = {
        "classification": [[start, *first, extract]],
        "entailment": [[start, *first, delimiter, *second, extract]],
        "similarity": [[start, *first, delimiter, *second, extract], [start, *second, delimiter, *first, extract]],
        "choice": [[start, *first, delimiter, *choice, extract] for choice in texts[1:]],
    }
    taken = {"classification": 1, "entailment": 2, "similarity": 2, "choice": len(texts)}
    equal(lists_of(student.task_rows(task, texts[: taken[task]], *special)), expected[task])


@exercise("task_rows", points=0.5, needs="test_similarity_has_both_orders")
def test_equal_texts_are_written_each_for_itself(student: Student) -> None:
    for text in ([5, 6], []):
        row, given = [7, *text, 8, *text, 9], f"the text {text} twice; start 7, delimiter 8, extract 9"
        equal(lists_of(student.task_rows("entailment", [text, text], 7, 8, 9)), [row], given=f"entailment, {given}")
        equal(lists_of(student.task_rows("similarity", [text, text], 7, 8, 9)), [row, row], given=f"similarity, {given}")
        found = lists_of(student.task_rows("choice", [text, text, [4], text], 7, 8, 9))
        equal(found, [row, [7, *text, 8, 4, 9], row], given=f"choice, context and two choices {text}, between them [4]")


@exercise("task_rows", points=0.5, needs="test_any_texts_are_written_as_in_the_papers_figure")
def test_a_long_text_is_written_whole(student: Student) -> None:
    long = [5 + number % 7 for number in range(1100)]
    given = "1,100 ids; start 1, delimiter 2, extract 3"
    equal(lists_of(student.task_rows("classification", [long], 1, 2, 3)), [[1, *long, 3]], given=f"classification, {given}")
    for task in ("entailment", "choice"):
        found = lists_of(student.task_rows(task, [long, [4]], 1, 2, 3))
        equal(found, [[1, *long, 2, 4, 3]], given=f"{task}, {given}; and the text [4]")


@exercise("task_rows", points=0.5, needs="test_each_choice_is_read_with_the_context")
def test_there_may_be_one_choice_or_many(student: Student) -> None:
    for count in (1, 6, 12):
        texts = [[5], *([number] for number in range(count))]
        given = f"choice, the context 5 and the {count} choices 0, 1, …; start 7, delimiter 8, extract 9"
        found = lists_of(student.task_rows("choice", texts, 7, 8, 9))
        equal(found, [[7, 5, 8, number, 9] for number in range(count)], given=given)


# extract_vectors
@exercise("extract_vectors")
@for_all(
    places=lists(integers(0, 4), min_size=1, max_size=4),
    extract=sampled_from([0, 5, 9, 50_259]),
    width=sampled_from([3, 1, 5]),
    seed=integers(0, 99),
)
def test_any_rows_are_read_where_extract_stands(
    student: Student, places: list[int], extract: int, width: int, seed: int
) -> None:
    draw, size = random.Random(seed), max(places) + 1 + seed % 2
    others = [one for one in (0, 3, 5, 7, 9, 50_300) if one != extract]
    tokens = torch.tensor([[extract if n == place else draw.choice(others) for n in range(size)] for place in places])
    hidden = normal(len(places), size, width, seed=seed)
    close(student.extract_vectors(hidden, tokens, extract), [hidden[n, place].tolist() for n, place in enumerate(places)])


@exercise("extract_vectors", points=0.5, needs="test_texts_of_unlike_length_are_read_at_their_own_end")
def test_gradients_reach_the_vectors_that_are_read(student: Student) -> None:
    tokens = torch.tensor([[7, 9, 0], [7, 3, 9]])

    def read(hidden: Tensor, *_: Any) -> Tensor:
        return torch.stack([hidden[0, 1], hidden[1, 2]])

    close_gradients(student, "extract_vectors", read, {"hidden": normal(2, 3, 2, seed=3)}, tokens, 9, given="rows 7 9 0 and 7 3 9")


@exercise("extract_vectors", points=0.5, needs="test_any_rows_are_read_where_extract_stands")
def test_many_long_rows_are_read(student: Student) -> None:
    places = [(37 * row + 90) % 600 for row in range(70)]
    tokens = torch.tensor([[2 if n == place else 1 + 2 * (n > place) for n in range(600)] for place in places])
    hidden = normal(70, 600, 2, seed=4)
    given = "70 rows of 600 tokens, ids 1 before the extract token 2 and 3 behind it, random vectors"
    close(student.extract_vectors(hidden, tokens, 2), [hidden[n, place].tolist() for n, place in enumerate(places)], given=given)


@exercise("extract_vectors", points=0.5, needs="test_texts_of_unlike_length_are_read_at_their_own_end")
def test_the_vectors_keep_their_type(student: Student) -> None:
    for dtype in (torch.float32, torch.float64, torch.float16):
        found = student.extract_vectors(torch.ones(2, 2, 3, dtype=dtype), torch.tensor([[7, 9], [9, 0]]), 9)
        equal(str(getattr(found, "dtype", type(found).__name__)), str(dtype), given=f"vectors of {dtype}; the type of the result")


# task_scores
def scored(task: str, vectors: Tensor, rows: int, weight: Tensor, bias: Tensor) -> Tensor:
    """Example by example, score by score, in loops."""
    examples = []
    for first in range(0, len(vectors), rows):
        own = [vectors[first + number] for number in range(rows)]
        read = own if task == "choice" else [torch.stack(own).sum(dim=0)]
        examples.append(torch.stack([(line * vector).sum() + b for vector in read for line, b in zip(weight, bias, strict=True)]))
    return torch.stack(examples)


CASES = [("classification", 1, 3), ("entailment", 1, 1), ("similarity", 2, 2), ("similarity", 2, 1), ("choice", 4, 1), ("choice", 2, 1)]
CASES += [("choice", 1, 1), ("choice", 12, 1), ("classification", 1, 12), ("entailment", 1, 2), ("similarity", 2, 9)]


@exercise("task_scores")
@for_all(case=sampled_from(CASES), count=integers(1, 5), width=sampled_from([3, 1, 2]), seed=integers(0, 99), double=booleans())
def test_any_vectors_get_the_scores_of_loops(
    student: Student, case: tuple[str, int, int], count: int, width: int, seed: int, double: bool
) -> None:
    task, rows, classes = case
    drawn = [normal(count * rows, width, seed=seed), normal(classes, width, seed=seed + 1), normal(classes, seed=seed + 2)]
    vectors, weight, bias = (one.double() for one in drawn) if double else drawn
    close(student.task_scores(task, vectors, rows, weight, bias), scored(task, vectors, rows, weight, bias), atol=1e-5)


@exercise("task_scores")
def test_gradients_reach_vectors_and_weights(student: Student) -> None:
    for task, rows, classes in (("similarity", 2, 3), ("choice", 2, 1), ("classification", 1, 3), ("entailment", 1, 2)):
        vectors, weight, bias = normal(4, 2, seed=5).double(), normal(classes, 2, seed=6).double(), normal(classes, seed=7).double()
        leaves = [one.clone().requires_grad_() for one in (vectors, weight, bias)]
        expected = torch.autograd.grad(scalar(scored(task, leaves[0], rows, leaves[1], leaves[2])), leaves)
        found = student.gradients("task_scores", task, leaves[0], rows, *leaves[1:])
        found = [one for one in found if one is not None]
        true(len(found) == 3, "gradients must reach vectors, weight and bias", given=task, actual=len(found))
        for actual, wanted in zip(found, expected, strict=True):
            close(actual, wanted, given=task)


# fine_tuning_loss
@exercise("fine_tuning_loss")
@for_all(drawn=texts_in_a_batch(), classes=integers(1, 12), count=integers(1, 5), weight=sampled_from([0.5, 0.0, 0.25, 1.0, 3.0]), seed=integers(0, 9))
def test_any_batch_costs_its_task_and_its_tokens(
    student: Student, drawn: tuple[list[int], list[int], list[float]], classes: int, count: int, weight: float, seed: int
) -> None:
    logits, tokens, real = batch(drawn)
    scores, labels = normal(count, classes, seed=seed), (torch.arange(count) * 5 + seed) % classes
    task = (scores.double().logsumexp(dim=1) - scores.double()[torch.arange(count), labels]).mean()
    close(student.fine_tuning_loss(scores, labels, logits, tokens, real, weight), task + weight * by_hand(logits, tokens, real), atol=1e-5)


@exercise("fine_tuning_loss", points=0.5, needs="test_the_language_model_counts_half")
def test_scores_may_be_far_apart(student: Student) -> None:
    scores, tokens = torch.tensor([[2000.0, 1000.0, 0.0]]), torch.tensor([[0, 1]])
    loss = student.fine_tuning_loss(scores, torch.tensor([1]), torch.zeros(1, 2, 2), tokens, torch.ones(1, 2) > 0)
    given = "scores (2000, 1000, 0), label 1: 1,000 nats; one token with probability 1/2"
    close(loss, 1000 + 0.5 * math.log(2), given=given)


@exercise("fine_tuning_loss", points=0.5, needs="test_the_language_model_counts_half")
def test_tokens_may_cost_as_much_as_they_like(student: Student) -> None:
    logits = torch.tensor([[[0.0, 400.0], [0.0, 0.0]]])
    loss = student.fine_tuning_loss(torch.zeros(1, 4), torch.tensor([2]), logits, torch.tensor([[1, 0]]), torch.ones(1, 2) > 0)
    close(loss, math.log(4) + 200, given="4 classes with equal scores; one token that costs 400 nats, weight 0.5")
    logits = torch.tensor([[[-5000.0, -4000.0], [0.0, 0.0]]])
    loss = student.fine_tuning_loss(torch.zeros(1, 4), torch.tensor([2]), logits, torch.tensor([[1, 0]]), torch.ones(1, 2) > 0)
    close(loss, math.log(4) + 500, given="4 classes with equal scores; logits (−5000, −4000) and token 0: 1,000 nats, weight 0.5")


@exercise("fine_tuning_loss")
def test_gradients_reach_both_losses(student: Student) -> None:
    tokens, real = torch.tensor([[0, 2, 1], [1, 1, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]]) > 0
    scores, logits, labels = normal(2, 3, seed=8).double(), normal(2, 3, 3, seed=9).double(), torch.tensor([2, 0])
    leaves = [scores.clone().requires_grad_(), logits.clone().requires_grad_()]
    task = (leaves[0].logsumexp(dim=1) - leaves[0][torch.arange(2), labels]).mean()
    expected = torch.autograd.grad(task + 0.5 * by_hand(leaves[1], tokens, real), leaves)
    found = student.gradients("fine_tuning_loss", leaves[0], labels, leaves[1], tokens, real)
    found = [one for one in found if one is not None]
    given = "2 examples of 3 classes, texts of 3 and 2 tokens, no weight given"
    true(len(found) == 2, "gradients must reach the scores and the logits", given=given, actual=len(found))
    for name, actual, wanted in zip(("scores", "logits"), found, expected, strict=True):
        close(actual, wanted, given=f"{given}; the gradient for {name}")


# text_scores
@composite
def written(draw: DrawFn) -> str:
    """A text with at least one word; gaps of all kinds, some in front and behind."""
    word, gap = sampled_from(["a", "커피", "3잔", "eye.", "é", "🙂"]), sampled_from([" ", "  ", "\n", "\t", " \n"])
    pieces = [draw(sampled_from(["", " ", "\n"])), draw(word)]
    for one in draw(lists(word, max_size=4)):
        pieces += [draw(gap), one]
    return "".join([*pieces, draw(sampled_from(["", " ", "\n"]))])


@exercise("text_scores")
@for_all(text=written(), bits=integers(0, 40))
def test_any_text_is_divided_by_its_words_and_bytes(student: Student, text: str, bits: int) -> None:
    words, inside = 0, False
    for letter in text:
        blank = letter in " \t\n"
        words, inside = words + (not blank and not inside), not blank
    size = sum(1 + (ord(c) > 0x7F) + (ord(c) > 0x7FF) + (ord(c) > 0xFFFF) for c in text)
    found = student.text_scores(bits * math.log(2), text)
    true(hasattr(found, "__len__") and len(found) == 2, "two numbers were expected", actual=found)
    close([float(one) for one in found], [2 ** (bits / words), bits / size])


def both(student: Student, bits: int, text: str, expected: list[float], given: str) -> None:
    found = student.text_scores(bits * math.log(2), text)
    true(hasattr(found, "__len__") and len(found) == 2, "two numbers were expected", given=given, actual=found)
    equal([type(plain(one)).__name__ for one in found], ["float", "float"], given=f"{given}; the types of the two")
    close([float(one) for one in found], expected, given=given, atol=0)


@exercise("text_scores", points=0.5, needs="test_an_english_text_counted_by_hand")
def test_a_long_text_costs_thousands_of_nats(student: Student) -> None:
    both(student, 5000, "read " * 1000, [32.0, 1.0], "5000 · ln 2 nats for a thousand times 'read '")


@exercise("text_scores", points=0.5, needs="test_an_english_text_counted_by_hand")
def test_a_long_text_may_cost_nearly_nothing(student: Student) -> None:
    both(student, 1, "a" * 200_000, [2.0, 5e-6], "1 · ln 2 nats for one word of 200,000 letters a")
    both(student, 1, "a " * 100_000, [2 ** (1 / 100_000), 5e-6], "1 · ln 2 nats for 100,000 times 'a '")


@exercise("text_scores", points=0.5, needs="test_an_english_text_counted_by_hand")
def test_a_word_may_be_very_dear(student: Student) -> None:
    both(student, 200, "a" * 100, [2.0**200, 2.0], "200 · ln 2 nats for one word of 100 letters a")


@exercise("text_scores", points=0.5, needs="test_an_english_text_counted_by_hand")
def test_the_text_is_counted_as_it_is_written(student: Student) -> None:
    given = "12 · ln 2 nats for e with a combining accent, a blank and İ: 3 + 1 + 2 bytes"
    both(student, 12, "e\u0301 \u0130", [64.0, 2.0], given)
    for text, words, size in ((" - . 3,5 … ", 4, 13), ("don't x-y <s> ▁a ##b", 5, 22), ("The THE the the", 4, 15), ("\t\n눈\t\n\n", 1, 8)):
        both(student, 24, text, [2 ** (24 / words), 24 / size], f"24 · ln 2 nats for {text!r}: {words} words, {size} bytes")


# metrics
BEYOND = 5_000  # added to the run's seed: other items and texts than the notebook's
ITEMS = 200  # of each task
SIZES = (256, 400, 1500)  # tokens of the small vocabularies
READ, BYTES = 30_000, 240


@functools.cache
def _tokenizer() -> ByteBPE:
    return pretrained_gpt.load("world-en-gpt").tokenizer


class _Tuned(nn.Module):
    """A GPT with three more tokens and a linear layer, its parameters in the order of the notebook's."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        config = pretrained_gpt.load("world-en-gpt").model.config
        self.gpt, self.plain = GPT(config), config.vocab_size
        self.gpt.tokens = nn.Embedding(config.vocab_size + 3, config.n_embd)
        self.head = nn.Linear(config.n_embd, classes)

    def vector(self, *texts: str) -> Tensor:
        """What stands at the extract token of one row, (H,)."""
        ids = [self.plain]
        for number, text in enumerate(texts):
            ids += [self.plain + 1] * (number > 0) + _tokenizer().encode(text)
        hidden = self.gpt.hidden(torch.tensor([[*ids, self.plain + 2]]))
        return hidden[0, -1]


def _models(artifacts: Artifacts, task: str, count: int, classes: int) -> list[_Tuned]:
    """The recorded models of a task: fine-tuned from the pre-trained GPT, from scratch, and with the auxiliary loss."""
    rows, models = artifacts.tensor(task, ndim=2), []
    for row in range(count):
        model = _Tuned(classes)
        expected = (count, sum(parameter.numel() for parameter in model.parameters()))
        if tuple(rows.shape) != expected:
            raise BadArtifact(f"the tensor {task!r} has shape {tuple(rows.shape)}, expected {expected}")
        vector_to_parameters(rows[row].float(), model.parameters())
        models.append(model.eval())
    return models


@torch.no_grad()
def _topics(model: _Tuned, seed: int) -> float:
    items = Tasks("en", seed=seed + BEYOND).topics(ITEMS, "test")
    return float(np.mean([int(model.head(model.vector(item.text)).argmax()) == item.label for item in items]))


@metric("topics_gain")
def topics_gain(artifacts: Artifacts) -> float:
    models = _models(artifacts, "topics", 3, 9)
    return _topics(models[0], artifacts.seed) - _topics(models[1], artifacts.seed)


@metric("auxiliary_gain")
def auxiliary_gain(artifacts: Artifacts) -> float:
    """Topics with λ = 0.5 minus with λ = 0."""
    models = _models(artifacts, "topics", 3, 9)
    return _topics(models[2], artifacts.seed) - _topics(models[0], artifacts.seed)


@metric("pairs_gain")
@torch.no_grad()
def pairs_gain(artifacts: Artifacts) -> float:
    models = _models(artifacts, "pairs", 2, 2)
    items = Tasks("en", seed=artifacts.seed + BEYOND).topics(2 * ITEMS, "test")
    draw, scores = random.Random(artifacts.seed), []
    pairs = [(first, draw.choice([one for one in items if (one.label == first.label) == same])) for first in items[:ITEMS] for same in [draw.random() < 0.5]]
    for model in models:
        right = [
            int(model.head(model.vector(a.text, b.text) + model.vector(b.text, a.text)).argmax()) == (a.label == b.label)
            for a, b in pairs
        ]
        scores.append(float(np.mean(right)))
    return scores[0] - scores[1]


@metric("choices_gain")
@torch.no_grad()
def choices_gain(artifacts: Artifacts) -> float:
    items = Tasks("en", seed=artifacts.seed + BEYOND).choices(ITEMS, "test")
    scores = []
    for model in _models(artifacts, "choices", 2, 1):
        right = [
            int(torch.stack([model.head(model.vector(item.start, f" {ending}"))[0] for ending in item.endings]).argmax()) == item.label
            for item in items
        ]
        scores.append(float(np.mean(right)))
    return scores[0] - scores[1]


@metric("start_gain")
@torch.no_grad()
def start_gain(artifacts: Artifacts, student: Student) -> float:
    """Powers of ten by which the stream of 48 random blocks grows less with the student's start than without."""
    deviation, growth = 0.02 * math.sqrt(768 / 64), []
    for shrunk in (False, True):
        torch.manual_seed(artifacts.seed + BEYOND)
        model = GPT(GPTConfig(vocab_size=500, n_positions=64, n_embd=64, n_layer=48, n_head=4, initializer_range=deviation)).eval()
        for module in model.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=deviation)
        if shrunk:
            names = ("attention.project_out.weight", "feed_forward.2.weight")
            state = {name: tensor for name, tensor in model.state_dict().items() if name.endswith(names)}
            found = student.shrink_residuals(state, 48)
            for name, tensor in state.items():
                new = found[name] if isinstance(found, dict) and name in found else None
                if not isinstance(new, Tensor) or new.shape != tensor.shape:
                    raise BadArtifact(f"shrink_residuals gives no tensor of the shape {tuple(tensor.shape)} for {name}")
                tensor.copy_(new)
        ids = torch.randint(500, (4, 64))
        x = model.tokens(ids) + model.positions.weight
        first = float(x.var(dim=-1).mean())
        for block in model.layers:
            x = block(x, causal=True)
        growth.append(float(x.var(dim=-1).mean()) / first)
    return math.log10(growth[0] / growth[1])


def _world(seed: int, words: int) -> str:
    return "\n".join(str(document) for document in World("en", seed=seed).documents(words))


@metric("bits_saved")
@torch.no_grad()
def bits_saved(artifacts: Artifacts) -> float:
    """Bits per byte of the recorded GPT of bytes minus those of the one of 1,500 tokens, on a text that neither has read."""
    learn, held_out = _world(artifacts.seed, READ), _world(artifacts.seed + BEYOND, READ // 20)
    bits = []
    for size in (SIZES[0], SIZES[-1]):
        cut = ByteBPE.train([learn], size)
        length = round(BYTES * len(cut.encode(learn)) / len(learn.encode()))
        model = GPT(GPTConfig(vocab_size=size, n_positions=length, n_embd=48, n_layer=1, n_head=4, dropout=0.0)).eval()
        vector = artifacts.tensor(f"gpt_{size}", ndim=1)
        expected = sum(parameter.numel() for parameter in model.parameters())
        if len(vector) != expected:
            raise BadArtifact(f"the tensor 'gpt_{size}' has {len(vector)} numbers, expected {expected}")
        vector_to_parameters(vector.float(), model.parameters())
        ids, nats = torch.tensor(cut.encode("\n" + held_out)), 0.0
        for place in range(0, len(ids) - 1, length):
            window = ids[None, place : place + length + 1]
            scores = model.logits(model.hidden(window[:, :-1]))[0]
            nats += float(functional.cross_entropy(scores, window[0, 1:], reduction="sum"))
        bits.append(nats / math.log(2) / len(held_out.encode()))
    return bits[0] - bits[1]
