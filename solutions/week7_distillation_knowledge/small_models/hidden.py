"""small_models: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
from typing import Any

import torch
from hypothesis.strategies import (
    DrawFn,
    SearchStrategy,
    booleans,
    composite,
    integers,
    lists,
    permutations,
    sampled_from,
)
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import vector_to_parameters

from etude import pretrained
from etude.lesson.checks import close, close_gradients, equal, exercise, refused, true
from etude.lesson.interface import Student
from etude.models.bert import Bert, BertConfig, BertForPretraining
from etude.models.bert_heads import BertClassifier
from etude.models.distilled import DistilBert, DistilBertConfig, DistilBertForMaskedLM
from etude.pretraining import Examples, Vocabulary
from etude.world import World
from etude.world.tasks import Tasks
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

NOT = -100  # the label of a token that is not asked for


def eighths(*shape: int, seed: int) -> Tensor:
    """Numbers from −4 to 4 in eighths, float64, none of them 0."""
    generator = torch.Generator().manual_seed(seed)
    whole = torch.randint(1, 33, shape, generator=generator) * (2 * torch.randint(0, 2, shape, generator=generator) - 1)
    return whole.double() / 8


def texts(lengths: list[int], seed: int, ends: bool = True) -> Tensor:
    """Texts of so many real tokens, at the beginning or anywhere: (B, N) bool."""
    real = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    if ends:
        return real
    generator = torch.Generator().manual_seed(seed)
    return torch.stack([row[torch.randperm(row.numel(), generator=generator)] for row in real])


def some_lengths() -> SearchStrategy[list[int]]:
    """Draws how many real tokens texts have: perhaps none, but one of them has some."""
    return lists(integers(0, 4), min_size=1, max_size=3).filter(any)


def kind(value: Any) -> str:
    """The precision of what came back, or its type."""
    return str(getattr(value, "dtype", type(value).__name__))


# take_layers
def teacher_of(layers: int, seed: int) -> BertForPretraining:
    """A BERT with random weights, of which none is the same as another."""
    config = BertConfig(11, 8, layers, 2, 12, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, max_position_embeddings=6)
    model = BertForPretraining(config)
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5, generator=generator)
    return model.eval()


@exercise("take_layers")
@for_all(layers=integers(1, 4), seed=integers(0, 10**6), examples=12)
def test_with_all_layers_it_says_what_its_teacher_says(student: Student, layers: int, seed: int) -> None:
    teacher = teacher_of(layers, seed)
    weights = {name: tensor.detach() for name, tensor in teacher.state_dict().items()}
    found = student.take_layers(weights, list(range(layers)))
    true(isinstance(found, dict), "a dict was expected", actual=type(found).__name__)
    config = DistilBertConfig(**{**vars(teacher.bert.config), "type_vocab_size": 0})
    model = DistilBertForMaskedLM(config).eval()
    equal(sorted(found), sorted(model.state_dict()))
    model.load_state_dict({name: torch.as_tensor(tensor) for name, tensor in found.items()})
    tokens = torch.randint(1, 11, (3, 6), generator=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        close(model.token_logits(model.bert(tokens)), teacher.token_logits(teacher.bert(tokens)), rtol=1e-3, atol=1e-3)


@exercise("take_layers")
@for_all(kept=permutations(list(range(12))), count=integers(1, 12), examples=20)
def test_any_of_twelve_layers_stands_at_its_place(student: Student, kept: list[int], count: int) -> None:
    kept = kept[:count]
    weights = {f"bert.layers.{n}.attention.project_in.bias": torch.tensor([float(n)]) for n in range(12)}
    segments, places = torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0]])
    weights |= {"bert.input.segments.weight": segments, "bert.input.positions.weight": places, "bias": torch.ones(1)}
    found = student.take_layers(weights, kept)
    true(isinstance(found, dict), "a dict was expected", actual=type(found).__name__)
    names = {f"bert.layers.{i}.attention.project_in.bias" for i in range(count)} | {"bert.input.positions.weight", "bias"}
    equal(sorted(found), sorted(names))
    for i, layer in enumerate(kept):
        close(found[f"bert.layers.{i}.attention.project_in.bias"], [float(layer)])


@exercise("take_layers", points=0.5, needs="test_positions_hold_the_first_segments_vector")
def test_one_segment_and_names_of_other_teachers(student: Student) -> None:
    # Embeddings of one segment, after the positions; tensors whose names only look like those that are left out or renamed.
    kept = ["bert.pooler_norm.bias", "next_sentence_norm.bias", "transform.layers.0.bias", "transform.pooler"]
    weights = {
        "bert.input.positions.weight": torch.zeros(3, 2),
        "bert.input.segments.weight": torch.tensor([[0.5, 1.0]]),
        "bert.input.norm.bias": torch.ones(2),
        "bert.layers.0.attention.next_sentence": torch.ones(1),
        **{name: torch.full((1,), float(number)) for number, name in enumerate(kept)},
    }
    given = "three positions of zeros, then one segment (0.5, 1), the tensors " + ", ".join(kept) + ", and of layer 0 attention.next_sentence"
    found = student.take_layers(weights, [0])
    equal(sorted(found), ["bert.input.norm.bias", "bert.input.positions.weight", "bert.layers.0.attention.next_sentence", *kept], given=given)
    close(found["bert.input.positions.weight"], [[0.5, 1.0]] * 3, given=given)
    for number, name in enumerate(kept):
        close(found[name], [float(number)], given=f"{given}; {name}")


@exercise("take_layers", points=0.5, needs="test_positions_hold_the_first_segments_vector")
def test_numbers_keep_their_types(student: Student) -> None:
    weights = {
        "bert.input.segments.weight": torch.tensor([[1.0, 2.0]], dtype=torch.float64),
        "bert.input.positions.weight": torch.tensor([[1e-12, 3.0]], dtype=torch.float64),
        "bert.layers.0.norm.weight": torch.tensor([2.0], dtype=torch.float16),
        "bert.layers.1.steps": torch.tensor([2**60 + 1]),
        "bias": torch.tensor([0.1], dtype=torch.float64),
    }
    found = student.take_layers(weights, [1, 0])
    given = "positions and bias in float64, layer 0 in float16, whole numbers in layer 1; kept 1, then 0; the types"
    types = {"bert.input.positions.weight": "float64", "bert.layers.1.norm.weight": "float16", "bert.layers.0.steps": "int64", "bias": "float64"}
    equal({name: kind(tensor).removeprefix("torch.") for name, tensor in found.items()}, types, given=given)
    equal(torch.as_tensor(found["bert.layers.0.steps"]).tolist(), [2**60 + 1], given=f"{given}; 2^60 + 1 in layer 1")
    for name, wanted in (("bias", [0.1]), ("bert.input.positions.weight", [[1 + 1e-12, 5.0]])):
        close(found[name], wanted, given=f"{given}; {name} to thirteen digits", rtol=1e-14, atol=0)


# triple_loss
def three(
    logits: Tensor, teacher: Tensor, labels: Tensor, own: Tensor, theirs: Tensor, real: Tensor, temperature: float, weights: Any
) -> Tensor:
    """The triple loss token by token, by sums of exponentials."""
    soft, masked, apart = [], [], []
    for row in range(len(real)):
        for place in range(real.shape[1]):
            if real[row, place]:
                z, v = logits[row, place] / temperature, teacher[row, place].detach() / temperature
                q = (v - v.logsumexp(0)).exp()
                soft.append(temperature**2 * (q * (z.logsumexp(0) - z)).sum())
                a, b = own[row, place], theirs[row, place].detach()
                apart.append(1 - (a * b).sum() / (a.square().sum().sqrt() * b.square().sum().sqrt()))
            if labels[row, place] != NOT:
                z = logits[row, place]
                masked.append(z.logsumexp(0) - z[labels[row, place]])
    parts = [torch.stack(some).mean() if some else 0 * logits.sum() for some in (soft, masked, apart)]
    total: Tensor = weights[0] * parts[0] + weights[1] * parts[1] + weights[2] * parts[2]
    return total


def drawn(lengths: list[int], seed: int, ends: bool, asked: float) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Scores of 5 words, labels, states of 3 numbers, real tokens."""
    shape = (len(lengths), max(lengths))
    real = texts(lengths, seed, ends)
    generator = torch.Generator().manual_seed(seed + 9)
    words = torch.randint(0, 5, shape, generator=generator)
    labels = words.masked_fill((torch.rand(shape, generator=generator) >= asked) | ~real, NOT)
    a, b, c, d = (eighths(*shape, width, seed=seed + n) for n, width in enumerate((5, 5, 3, 3)))
    return a, b, labels, c, d, real


@exercise("triple_loss")
@for_all(
    lengths=some_lengths(),
    seed=integers(0, 10**6),
    temperature=sampled_from((1, 2.0, 0.5, 5)),
    weights=sampled_from(((5.0, 2.0, 1.0), (1.0, 0.0, 0.0), (0.0, 3.0, 0.0), (0.0, 0.0, 2.0))),
    asked=sampled_from((0.5, 0.0, 1.0)),
    ends=booleans(),
    examples=30,
)
def test_any_batch_costs_its_three_means(
    student: Student, lengths: list[int], seed: int, temperature: float, weights: Any, asked: float, ends: bool
) -> None:
    batch = drawn(lengths, seed, ends, asked)
    found = student.triple_loss(*batch, temperature, weights)
    close(found, three(*batch, temperature, weights))


@exercise("triple_loss")
def test_scores_and_states_learn_and_the_teachers_do_not(student: Student) -> None:
    logits, teacher, labels, own, theirs, real = drawn([3, 2], 4, True, 0.5)
    given = "texts of 3 and 2 tokens, T = 2, weights 5, 2, 1"
    asked = [tensor.clone().requires_grad_() for tensor in (logits, teacher, own, theirs)]
    found = student.gradients("triple_loss", asked[0], asked[1], labels, asked[2], asked[3], real, 2.0, (5.0, 2.0, 1.0))
    leaves = [logits.clone().requires_grad_(), own.clone().requires_grad_()]
    loss = three(leaves[0], teacher, labels, leaves[1], theirs, real, 2.0, (5.0, 2.0, 1.0))
    expected = torch.autograd.grad(loss, leaves)
    for name, actual, wanted in (("scores", found[0], expected[0]), ("states", found[2], expected[1])):
        true(actual is not None, f"no gradient reaches the student's {name}", given=given)
        close(actual, wanted, given=f"{given}; the gradient for the student's {name}")
    for name, actual, one in (("scores", found[1], teacher), ("states", found[3], theirs)):
        if actual is not None:
            close(actual, torch.zeros_like(one), given=f"{given}; the gradient for the teacher's {name}")
    nothing, given = torch.full_like(labels, NOT), "texts of 3 and 2 tokens without a label, T = 2, weights 5, 2, 1"
    leaves = [logits.clone().requires_grad_(), own.clone().requires_grad_()]
    loss = three(leaves[0], teacher, nothing, leaves[1], theirs, real, 2.0, (5.0, 2.0, 1.0))
    expected = torch.autograd.grad(loss, leaves)
    asked = [tensor.clone().requires_grad_() for tensor in (logits, own)]
    found = student.gradients("triple_loss", asked[0], teacher, nothing, asked[1], theirs, real, 2.0, (5.0, 2.0, 1.0))
    for name, actual, wanted in zip(("scores", "states"), found, expected, strict=False):
        true(actual is not None, f"no gradient reaches the student's {name}", given=given)
        close(actual, wanted, given=f"{given}; the gradient for the student's {name}")


@exercise("triple_loss", points=0.5, needs="test_padding_does_not_count_whatever_stands_there")
def test_the_teachers_padding_spoils_no_gradient(student: Student) -> None:
    logits, teacher, labels, own, theirs, real = drawn([3, 2], 7, True, 0.5)
    leaves = [logits.clone().requires_grad_(), own.clone().requires_grad_()]
    loss = three(leaves[0], teacher, labels, leaves[1], theirs, real, 2.0, (5.0, 2.0, 1.0))
    expected = torch.autograd.grad(loss, leaves)
    teacher[~real], theirs[~real] = math.nan, math.inf
    given = "texts of 3 and 2 tokens, NaN and ∞ in what is the teacher's at padding, T = 2, weights 5, 2, 1"
    found = student.gradients(
        "triple_loss", logits.requires_grad_(), teacher, labels, own.requires_grad_(), theirs, real, 2.0, (5.0, 2.0, 1.0)
    )
    for name, actual, wanted in zip(("scores", "states"), found, expected, strict=True):
        true(actual is not None, f"no gradient reaches the student's {name}", given=given)
        close(actual, wanted, given=f"{given}; the gradient for the student's {name}")


@exercise("triple_loss", points=0.5, needs="test_soft_targets_alone")
def test_far_scores_cost_what_they_say(student: Student) -> None:
    logits = torch.tensor([[[4000.0, 0.0], [0.0, 0.0]]])
    teacher, states = torch.tensor([[[0.0, 6000.0], [0.0, 0.0]]]), torch.ones(1, 2, 3)
    labels, real = torch.tensor([[1, NOT]]), torch.tensor([[True, False]])
    given = "scores (4000, 0), the teacher's (0, 6000), word 1, T = 2, weights 1, 1, 1"
    found = student.triple_loss(logits, teacher, labels, states, states, real, 2, (1.0, 1.0, 1.0))
    close(found, 4 * 2000 + 4000, given=given)


@exercise("triple_loss", points=0.5, needs="test_it_is_a_sum_of_three")
def test_the_sum_keeps_double_precision_and_has_no_dimension(student: Student) -> None:
    batch = drawn([2, 3], 11, True, 0.5)
    given = "texts of 2 and 3 tokens in float64, T = 3, weights as a list (5, 2, 1)"
    found = student.triple_loss(*batch, 3, [5.0, 2.0, 1.0])
    close(found, three(*batch, 3, (5.0, 2.0, 1.0)), given=f"{given}, to ten digits", rtol=1e-10, atol=0)
    equal(kind(found), "torch.float64", given=f"{given}; the precision")


# fitting_words
@functools.cache
def parameters(words: int, layers: int) -> int:
    """The parameters of the library's encoder, its shapes alone."""
    with torch.device("meta"):
        model = DistilBert(DistilBertConfig(vocab_size=words, num_hidden_layers=layers))
    return sum(parameter.numel() for parameter in model.parameters())


@exercise("fitting_words")
@for_all(words=integers(1, 60_000), more=integers(0, 3), layers=sampled_from((1, 2, 3, 6, 12)), below=integers(0, 900), above=integers(0, 900))
def test_any_range_holds_the_vocabularies_that_fit(
    student: Student, words: int, more: int, layers: int, below: int, above: int
) -> None:
    one = parameters(1, layers)
    low, high = one + 768 * (words - 1) - below, one + 768 * (words + more - 1) + above
    fit = [v for v in range(max(1, words - 3), words + more + 4) if low <= one + 768 * (v - 1) <= high]
    found = student.fitting_words(low, high, layers)
    equal(tuple(found) if isinstance(found, list) else found, (fit[0], fit[-1]))


@exercise("fitting_words", points=0.5, needs="test_distilberts_parameters_are_those_of_30522_words")
def test_a_model_without_words_is_none(student: Student) -> None:
    rest = parameters(1, 2) - 768
    for low, high, expected in ((0, rest + 767, None), (0, rest + 768, (1, 1)), (-5, rest + 1600, (1, 2)), (rest, rest, None), (100, 50, None)):
        given = f"{low:,} to {high:,} parameters, 2 layers; without words there are {rest:,}"
        found = student.fitting_words(low, high, 2)
        equal(tuple(found) if isinstance(found, list) else found, expected, given=given)


@exercise("fitting_words", points=0.5, needs="test_both_ends_belong_to_the_range")
def test_large_sizes_are_exact(student: Student) -> None:
    words = 2**50 + 1
    size = parameters(1, 6) + 768 * (words - 1)
    given = f"{size:,} parameters exactly, 6 layers"
    found = student.fitting_words(size, size, 6)
    equal(tuple(found) if isinstance(found, list) else found, (words, words), given=given)
    found = student.fitting_words(size + 1, size + 767, 6)
    equal(tuple(found) if isinstance(found, list) else found, None, given=f"{size + 1:,} to {size + 767:,} parameters, 6 layers")
    size = parameters(1, 1) + 999 * (parameters(1, 2) - parameters(1, 1))
    found = student.fitting_words(size - 1, size + 768, 1000)
    equal(tuple(found) if isinstance(found, list) else found, (1, 2), given=f"{size - 1:,} to {size + 768:,} parameters, 1,000 layers")


# layer_map
def not_uniform(student: Student, teacher: int, layers: int) -> None:
    """Asks for a ValueError, as the student's layers do not divide the teacher's."""
    given = f"{teacher} layers, {layers} layers, uniform"
    why = f"{layers} does not divide {teacher}"
    refused(student.layer_map, teacher, layers, "uniform", why=why, given=given)


@exercise("layer_map")
@for_all(
    student_layers=integers(1, 9),
    times=integers(1, 6),
    more=sampled_from((0, 0, 1, 2, 8)),
    way=sampled_from(("uniform", "top", "bottom")),
)
def test_any_map_begins_with_0_and_ends_with_the_prediction(
    student: Student, student_layers: int, times: int, more: int, way: str
) -> None:
    teacher = student_layers * times + more
    if way == "uniform" and teacher % student_layers:
        not_uniform(student, teacher, student_layers)
        return
    step = teacher // student_layers
    inner = {
        "uniform": range(step, teacher + 1, step),
        "top": range(teacher - student_layers + 1, teacher + 1),
        "bottom": range(1, student_layers + 1),
    }[way]
    found = student.layer_map(teacher, student_layers, way)
    equal(list(found), [0, *inner, teacher + 1])


@exercise("layer_map", points=0.5, needs="test_five_of_twelve_cannot_be_uniform")
def test_only_the_uniform_map_must_divide(student: Student) -> None:
    for teacher, layers in ((3, 2), (12, 7), (5, 4)):
        not_uniform(student, teacher, layers)
    equal(list(student.layer_map(12, 5, "top")), [0, 8, 9, 10, 11, 12, 13], given="12 layers, 5 layers, top")
    equal(list(student.layer_map(12, 5, "bottom")), [0, 1, 2, 3, 4, 5, 13], given="12 layers, 5 layers, bottom")


@exercise("layer_map", points=0.5, needs="test_tinyberts_four_layers_learn_from_every_third")
def test_many_layers(student: Student) -> None:
    equal(list(student.layer_map(48, 24, "uniform")), [0, *range(2, 49, 2), 49], given="48 layers, 24 layers, uniform")
    equal(list(student.layer_map(30, 12, "top")), [0, *range(19, 31), 31], given="30 layers, 12 layers, top")
    equal(list(student.layer_map(30, 12, "bottom")), [0, *range(1, 13), 31], given="30 layers, 12 layers, bottom")


# attention_loss
def squares(own: Tensor, theirs: Tensor, real: Tensor) -> Tensor:
    """The mean of squares over heads and pairs of real tokens, pair by pair."""
    found = []
    for row in range(len(real)):
        for i in range(real.shape[1]):
            for j in range(real.shape[1]):
                if real[row, i] and real[row, j]:
                    found.append((own[row, :, i, j] - theirs[row, :, i, j].detach()).square())
    return torch.cat(found).mean()


@exercise("attention_loss")
@for_all(lengths=some_lengths(), heads=integers(1, 3), seed=integers(0, 10**6), ends=booleans(), examples=30)
def test_any_batch_costs_the_mean_of_its_squares(
    student: Student, lengths: list[int], heads: int, seed: int, ends: bool
) -> None:
    size = max(lengths)
    own, theirs = (eighths(len(lengths), heads, size, size, seed=seed + n) for n in (0, 1))
    real = texts(lengths, seed, ends)
    padding = ~(real[:, None, :, None] & real[:, None, None, :]).expand_as(own)
    own[padding], theirs[padding] = ((-math.inf, -math.inf), (1e30, -1e30), (math.nan, math.inf))[seed % 3]
    close(student.attention_loss(own, theirs, real), squares(own, theirs, real))


@exercise("attention_loss")
def test_only_the_students_scores_are_moved(student: Student) -> None:
    own, theirs, real = eighths(2, 2, 3, 3, seed=1), eighths(2, 2, 3, 3, seed=2), texts([3, 2], 0)
    given = "texts of 3 and 2 tokens, two heads"
    close_gradients(student, "attention_loss", lambda a, b, c: squares(a, b, c), {"the student's scores": own}, theirs, real, given=given)
    found = student.gradients("attention_loss", own.requires_grad_(), theirs.clone().requires_grad_(), real)[1]
    if found is not None:
        close(found, torch.zeros_like(theirs), given=f"{given}; the gradient for the teacher's scores")


@exercise("attention_loss", points=0.5, needs="test_the_mean_of_squares_over_heads_and_pairs")
def test_infinity_at_padding_spoils_no_gradient(student: Student) -> None:
    own, theirs, real = torch.ones(1, 1, 3, 3), torch.zeros(1, 1, 3, 3), torch.tensor([[True, True, False]])
    own[..., 2], theirs[..., 2], own[..., 2, :] = -math.inf, math.nan, math.nan
    given = "three tokens, the last is padding, with −∞ and NaN; elsewhere the scores differ by 1; the gradient for the student's"
    found = student.gradients("attention_loss", own.requires_grad_(), theirs, real)[0]
    expected = torch.zeros(1, 1, 3, 3)
    expected[..., :2, :2] = 2 / 4
    true(found is not None, "no gradient reaches the student's scores", given=given)
    close(found, expected, given=given)


@exercise("attention_loss", points=0.5, needs="test_the_mean_of_squares_over_heads_and_pairs")
def test_one_token_and_twelve_heads_in_double_precision(student: Student) -> None:
    own, theirs = eighths(1, 12, 1, 1, seed=3), eighths(1, 12, 1, 1, seed=4)
    given = "one text of one token, twelve heads, float64"
    found = student.attention_loss(own, theirs, torch.tensor([[True]]))
    close(found, (own - theirs).square().mean(), given=given, rtol=1e-10, atol=0)
    equal(kind(found), "torch.float64", given=f"{given}; the precision")


# hidden_loss
def lifted(own: Tensor, theirs: Tensor, lift: Tensor, real: Tensor) -> Tensor:
    """The mean of squares, token by token."""
    rows = [
        (sum(own[b, n, k] * lift[k] for k in range(own.shape[2])) - theirs[b, n].detach()).square()
        for b in range(len(real))
        for n in range(real.shape[1])
        if real[b, n]
    ]
    return torch.cat(rows).mean()


@exercise("hidden_loss")
@for_all(
    lengths=some_lengths(),
    narrow=integers(1, 3),
    wide=integers(1, 5),
    seed=integers(0, 10**6),
    ends=booleans(),
    examples=30,
)
def test_any_states_are_lifted_and_compared(
    student: Student, lengths: list[int], narrow: int, wide: int, seed: int, ends: bool
) -> None:
    shape = (len(lengths), max(lengths))
    own, theirs, lift = eighths(*shape, narrow, seed=seed), eighths(*shape, wide, seed=seed + 1), eighths(narrow, wide, seed=seed + 2)
    real = texts(lengths, seed, ends)
    own[~real], theirs[~real] = ((math.nan, 3.0), (1e30, -1e30), (-math.inf, math.inf))[seed % 3]
    close(student.hidden_loss(own, theirs, lift, real), lifted(own, theirs, lift, real))


@exercise("hidden_loss", points=0.5, needs="test_real_tokens_of_the_whole_batch_count_alike")
def test_nan_at_the_students_padding_spoils_no_gradient(student: Student) -> None:
    own, theirs = torch.tensor([[[1.0, 2.0], [math.nan, math.inf]]]), torch.tensor([[[1.0], [math.inf]]])
    lift, real = torch.tensor([[1.0], [1.0]]), torch.tensor([[True, False]])
    given = "a state (1, 2), the lift ((1), (1)), the teacher's state (1), padding of NaN and ∞; the gradients"
    found = student.gradients("hidden_loss", own.requires_grad_(), theirs, lift.requires_grad_(), real)
    for name, actual, wanted in (("states", found[0], [[[4.0, 4.0], [0.0, 0.0]]]), ("lift", found[1], [[4.0], [8.0]])):
        true(actual is not None, f"no gradient reaches the student's {name}", given=given)
        close(actual, wanted, given=f"{given} for the student's {name}")


@exercise("hidden_loss", points=0.5, needs="test_the_students_states_are_brought_up")
def test_wide_states_in_double_precision(student: Student) -> None:
    own, theirs, lift = eighths(2, 12, 11, seed=5), eighths(2, 12, 13, seed=6), eighths(11, 13, seed=7)
    given = "two texts of twelve tokens, widths 11 and 13, float64"
    found = student.hidden_loss(own, theirs, lift, torch.ones(2, 12, dtype=torch.bool))
    close(found, (own @ lift - theirs).square().mean(), given=given, rtol=1e-10, atol=0)
    equal(kind(found), "torch.float64", given=f"{given}; the precision")


# tinybert_loss
@exercise("tinybert_loss")
@for_all(
    layers=integers(1, 3),
    more=integers(0, 3),
    seed=integers(0, 10**6),
    lengths=lists(integers(1, 3), min_size=1, max_size=2),
    tuples=booleans(),
    examples=20,
)
def test_any_ladder_costs_the_sum_of_its_pairs(
    student: Student, layers: int, more: int, seed: int, lengths: list[int], tuples: bool
) -> None:
    teacher, shape = layers + more, (len(lengths), max(lengths))
    generator = torch.Generator().manual_seed(seed)
    places = [0, *sorted((torch.randperm(teacher, generator=generator)[:layers] + 1).tolist()), teacher + 1]
    real = texts(lengths, seed)
    own = [eighths(*shape, 2, seed=seed + n) for n in range(layers + 1)]
    theirs = [eighths(*shape, 3, seed=seed + 10 + n) for n in range(teacher + 1)]
    lifts = [eighths(2, 3, seed=seed + 20 + n) for n in range(layers + 1)]
    own_scores = [eighths(len(lengths), 2, shape[1], shape[1], seed=seed + 30 + n) for n in range(layers)]
    their_scores = [eighths(len(lengths), 2, shape[1], shape[1], seed=seed + 40 + n) for n in range(teacher)]
    expected: Any = sum(lifted(own[m], theirs[places[m]], lifts[m], real) for m in range(layers + 1))
    expected = expected + sum(squares(own_scores[m], their_scores[places[m + 1] - 1], real) for m in range(layers))
    some = [tuple(one) if tuples else one for one in (own, own_scores, theirs, their_scores, lifts)]
    found = student.tinybert_loss(*some, real, tuple(places) if tuples else places)
    close(found, expected)


@exercise("tinybert_loss", points=0.5, needs="test_each_layer_learns_from_the_one_on_the_map")
def test_twelve_layers_of_twelve(student: Student) -> None:
    own, theirs = [torch.ones(1, 1, 1)] * 13, [torch.zeros(1, 1, 1)] * 13
    scores = [torch.ones(1, 1, 1, 1)] * 12
    given = "twelve layers of twelve, states 1, the teacher's 0, scores 1 in both, all lifts 2"
    found = student.tinybert_loss(own, scores, theirs, scores, [torch.tensor([[2.0]])] * 13, torch.tensor([[True]]), list(range(14)))
    close(found, 4.0 * 13, given=given)


@exercise("tinybert_loss")
def test_states_scores_and_lifts_learn_and_the_teachers_do_not(student: Student) -> None:
    own, theirs, lifts = eighths(2, 1, 2, 2, seed=1), eighths(3, 1, 2, 3, seed=2), eighths(2, 2, 3, seed=3)
    own_scores, their_scores = eighths(1, 1, 2, 2, 2, seed=4), eighths(2, 1, 2, 2, 2, seed=5)
    real, given = torch.tensor([[True, True]]), "one layer of two numbers, which learns from the second of two; all stacked"
    leaves = [tensor.clone().requires_grad_() for tensor in (own, own_scores, lifts)]
    loss = lifted(leaves[0][0], theirs[0], leaves[2][0], real) + lifted(leaves[0][1], theirs[2], leaves[2][1], real)
    expected = torch.autograd.grad(loss + squares(leaves[1][0], their_scores[1], real), leaves)
    asked = [tensor.clone().requires_grad_() for tensor in (own, own_scores, theirs, their_scores, lifts)]
    found = student.gradients("tinybert_loss", *asked, real, [0, 2, 3])
    for name, place, wanted in (("states", 0, expected[0]), ("scores", 1, expected[1]), ("lifts", 4, expected[2])):
        true(found[place] is not None, f"no gradient reaches the student's {name}", given=given)
        close(found[place], wanted, given=f"{given}; the gradient for the student's {name}")
    for name, place, one in (("states", 2, theirs), ("scores", 3, their_scores)):
        if found[place] is not None:
            close(found[place], torch.zeros_like(one), given=f"{given}; the gradient for the teacher's {name}")


# quantise
@composite
def matrices(draw: DrawFn) -> Tensor:
    """Draws matrices (R, C), float32, of large or small numbers; some rows are zeros, equal, or of one long number."""
    matrix = draw(inputs.tables(draw(integers(1, 5)), draw(integers(1, 12))))
    return matrix * draw(sampled_from((1.0, 1e-4, 1e4)))


@exercise("quantise")
@for_all(matrix=matrices())
def test_any_matrix_is_within_half_a_step(student: Student, matrix: Tensor) -> None:
    whole, scales = student.quantise(matrix)
    greatest = matrix.double().abs().amax(dim=1)
    expected = torch.where(greatest > 0, greatest / 127, 1.0)
    close(scales, expected, atol=0)
    steps = matrix.double() / expected[:, None]
    off = (torch.as_tensor(whole).double() - steps).abs()
    true(off.shape == matrix.shape and bool((off <= 0.5 + 1e-3).all()), "a whole number is not the nearest", actual=whole)
    equal(kind(whole), "torch.int8")


@exercise("quantise", points=0.5, needs="test_the_greatest_of_a_row_becomes_127")
def test_a_row_of_negative_numbers_and_one_of_one_number(student: Student) -> None:
    given = "the rows (−2, −1.001) and (−5, −5)"
    whole, scales = student.quantise(torch.tensor([[-2.0, -1.001], [-5.0, -5.0]]))
    close(scales, [2 / 127, 5 / 127], given=f"{given}; the scales")
    close(torch.as_tensor(whole).double(), [[-127, -64], [-127, -127]], given=f"{given}; the whole numbers")
    whole, scales = student.quantise(torch.tensor([[3.0]]))
    close(torch.as_tensor(whole).double(), [[127]], given="one number; the whole number")
    close(scales, [3 / 127], given="one number; the scale")


@exercise("quantise", points=0.5, needs="test_the_greatest_of_a_row_becomes_127")
def test_small_rows_and_many_rows(student: Student) -> None:
    matrix = torch.full((12, 3), 1e-12)
    matrix[11] = torch.tensor([1e-12, -5.1e-13, 0.0])
    given = "twelve rows of numbers about 1e−12"
    whole, scales = student.quantise(matrix)
    close(1e12 * torch.as_tensor(scales).double(), [1 / 127] * 12, given=f"{given}; the scales, times 1e12")
    close(torch.as_tensor(whole).double(), [[127] * 3] * 11 + [[127, -65, 0]], given=f"{given}; the whole numbers")
    equal(kind(scales), "torch.float32", given=f"{given}; the type of the scales")
    whole, scales = student.quantise(torch.tensor([[2e-30, -1.2e-30], [2.0, -1.2]]))
    given = "the rows (2e−30, −1.2e−30) and (2, −1.2)"
    close(1e30 * torch.as_tensor(scales).double(), [2 / 127, 2e30 / 127], given=f"{given}; the scales, times 1e30")
    close(torch.as_tensor(whole).double(), [[127, -76]] * 2, given=f"{given}; the whole numbers")
    matrix = torch.ones(600, 300)
    matrix[:, 150], matrix[300:] = -2.0, -matrix[300:]
    whole, scales = student.quantise(4 * matrix)
    close(scales, torch.where(torch.arange(600) < 300, 8 / 127, 4 / 127), given="600 rows of 300 numbers; the scales")


@exercise("quantise", points=0.5, needs="test_the_greatest_of_a_row_becomes_127")
def test_padding_is_as_exact_as_before(student: Student) -> None:
    matrix = torch.zeros(3, 4)
    matrix[1] = torch.tensor([0.5, -0.25, 0.0, 0.125])
    whole, scales = student.quantise(matrix)
    back = torch.as_tensor(whole).double() * torch.as_tensor(scales).double()[:, None]
    close(back[[0, 2]], torch.zeros(2, 4), given="three rows of which the first and the last are zeros: both, computed back")


# metrics
BEYOND = 70_000  # added to the run's seed: other text than the notebook's
TESTS = 900
NAMES = ("whole", "soft", "masked", "cosine", "random", "none")  # the triple loss, without …, random layers, no teacher


@functools.cache
def _text(seed: int) -> list[Any]:
    """Masked windows of text that the notebook has not chosen."""
    tokenizer = pretrained.load("world-en").tokenizer
    documents = [
        [[tokenizer.index[piece] for piece in tokenizer.tokenize(str(sentence))] for sentence in document.sentences]
        for document in World("en", seed + BEYOND).documents(20_000)
    ]
    batches = Examples(documents, Vocabulary(tokenizer), length=32, batch_size=32, next_sentence=False, seed=seed + BEYOND)
    return [batches(number) for number in range(20)]


@functools.cache
def _sentences(seed: int) -> tuple[Tensor, Tensor]:
    """Sentences of the test's words that the notebook has not chosen: tokens (B, N), topics (B,)."""
    tokenizer = pretrained.load("world-en").tokenizer
    items = Tasks("en", seed + BEYOND).topics(TESTS, "test")
    rows = [torch.tensor(tokenizer.encode(item.text)) for item in items]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True), torch.tensor([item.label for item in items])


def _filled(model: Any, numbers: Tensor, name: str) -> Any:
    expected = sum(parameter.numel() for parameter in model.parameters())
    if numbers.numel() != expected:
        raise BadArtifact(f"a row of {name!r} holds {numbers.numel()} numbers, and the model has {expected} parameters")
    vector_to_parameters(numbers.float(), model.parameters())
    return model.eval()


def _settings() -> dict[str, Any]:
    return dict(vars(pretrained.load("world-en").model.bert.config))


def _narrow() -> BertConfig:
    return BertConfig(**{**_settings(), "hidden_size": 32, "intermediate_size": 128, "num_hidden_layers": 1})


def _row(artifacts: Artifacts, name: str, place: int, count: int) -> Tensor:
    numbers = artifacts.tensor(name, ndim=2)
    if len(numbers) != count:
        raise BadArtifact(f"the tensor {name!r} has {len(numbers)} rows, expected {count}")
    return numbers[place]


@torch.no_grad()
def _nats(model: Any, seed: int) -> float:
    costs = []
    for batch in _text(seed):
        asked = batch.labels != NOT
        logits = model.token_logits(model.bert(batch.tokens)[asked])
        costs.append(functional.cross_entropy(logits, batch.labels[asked], reduction="none"))
    return float(torch.cat(costs).mean())


def _distilled(artifacts: Artifacts, name: str) -> float:
    config = DistilBertConfig(**{**_settings(), "num_hidden_layers": 1, "type_vocab_size": 0})
    numbers = _row(artifacts, "distilled", NAMES.index(name), len(NAMES))
    return _nats(_filled(DistilBertForMaskedLM(config), numbers, "distilled"), artifacts.seed)


@metric("teacher_saves")
def teacher_saves(artifacts: Artifacts) -> float:
    return _distilled(artifacts, "none") - _distilled(artifacts, "whole")


@metric("layers_save")
def layers_save(artifacts: Artifacts) -> float:
    return _distilled(artifacts, "random") - _distilled(artifacts, "whole")


@metric("soft_saves")
def soft_saves(artifacts: Artifacts) -> float:
    return _distilled(artifacts, "soft") - _distilled(artifacts, "whole")


@metric("masked_saves")
def masked_saves(artifacts: Artifacts) -> float:
    return _distilled(artifacts, "masked") - _distilled(artifacts, "whole")


@metric("cosine_saves")
def cosine_saves(artifacts: Artifacts) -> float:
    return _distilled(artifacts, "cosine") - _distilled(artifacts, "whole")


def _reader(artifacts: Artifacts, place: int) -> float:
    """What a masked token costs a narrow student: 0 masked words, 1 outputs, 2 the inside, 3 that of an untrained teacher."""
    numbers = _row(artifacts, "readers", place, 4)
    return _nats(_filled(BertForPretraining(_narrow()), numbers, "readers"), artifacts.seed)


@metric("outputs_save")
def outputs_save(artifacts: Artifacts) -> float:
    return _reader(artifacts, 0) - _reader(artifacts, 1)


@metric("inside_saves")
def inside_saves(artifacts: Artifacts) -> float:
    return _reader(artifacts, 1) - _reader(artifacts, 2)


@metric("untrained_inside_costs")
def untrained_inside_costs(artifacts: Artifacts) -> float:
    return _reader(artifacts, 3) - _reader(artifacts, 2)


@torch.no_grad()
def _right(artifacts: Artifacts, model: Any) -> float:
    tokens, truth = _sentences(artifacts.seed)
    return float((model.logits(tokens).argmax(dim=1) == truth).float().mean())


def _stage(artifacts: Artifacts, place: int) -> float:
    """The share right of a student of the topics: no teacher, task alone, general and labels, both, an untrained teacher's."""
    numbers = _row(artifacts, "stages", place, 5)
    return _right(artifacts, _filled(BertClassifier(Bert(_narrow()), 9), numbers, "stages"))


@metric("stages_gain")
def stages_gain(artifacts: Artifacts) -> float:
    return _stage(artifacts, 3) - _stage(artifacts, 0)


@metric("general_gain")
def general_gain(artifacts: Artifacts) -> float:
    return _stage(artifacts, 3) - _stage(artifacts, 1)


@metric("task_gain")
def task_gain(artifacts: Artifacts) -> float:
    return _stage(artifacts, 3) - _stage(artifacts, 2)


@metric("untrained_general_gap")
def untrained_general_gap(artifacts: Artifacts) -> float:
    return _stage(artifacts, 3) - _stage(artifacts, 4)


@metric("teacher_gap")
def teacher_gap(artifacts: Artifacts) -> float:
    teacher = BertClassifier(Bert(BertConfig(**_settings())), 9)
    return _right(artifacts, _filled(teacher, _row(artifacts, "teacher", 0, 1), "teacher")) - _stage(artifacts, 3)


def _bytes(artifacts: Artifacts) -> tuple[Any, int]:
    """The student in int8, as it computes, and how many bytes its parts take."""
    whole, scales, vectors = (artifacts.tensor(name, ndim=1) for name in ("whole_numbers", "scales", "vectors"))
    if whole.dtype != torch.int8 or scales.dtype != torch.float32:
        raise BadArtifact(f"whole numbers are {whole.dtype}, expected torch.int8; scales are {scales.dtype}, expected torch.float32")
    model = BertClassifier(Bert(_narrow()), 9).eval()
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() != 2]
    sizes = [sum(p.numel() for p in matrices), sum(len(p) for p in matrices), sum(p.numel() for p in others)]
    if [whole.numel(), scales.numel(), vectors.numel()] != sizes:
        raise BadArtifact("whole numbers, scales and vectors are not as many as the student's matrices and vectors have")
    with torch.no_grad():
        counts = [p.numel() for p in matrices]
        for matrix, part, scale in zip(matrices, whole.split(counts), scales.split([len(p) for p in matrices]), strict=True):
            matrix.copy_(part.view_as(matrix) * scale[:, None])
        for vector, part in zip(others, vectors.split([p.numel() for p in others]), strict=True):
            vector.copy_(part.view_as(vector))
    return model, whole.numel() + 4 * scales.numel() + 4 * vectors.numel()


@metric("bytes_share")
def bytes_share(artifacts: Artifacts) -> float:
    return _bytes(artifacts)[1] / (4 * artifacts.tensor("teacher", ndim=2).numel())


@metric("int8_costs")
def int8_costs(artifacts: Artifacts) -> float:
    return _stage(artifacts, 3) - _right(artifacts, _bytes(artifacts)[0])
