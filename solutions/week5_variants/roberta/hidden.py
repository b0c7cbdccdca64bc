"""roberta: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import random
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import SearchStrategy, integers, lists, sampled_from
from torch import Tensor
from torch.nn.utils import vector_to_parameters
from torch.nn.utils.rnn import pad_sequence

from etude import pretrained
from etude.lesson.checks import Mismatch, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.models.bert import BertForPretraining, PretrainingBatch
from etude.models.roberta import RobertaConfig, RobertaInput
from etude.recipes import Recipe
from etude.tokenizers.byte_bpe import ByteBPE
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

NOT = -100  # the label that no loss asks for


def nested(value: Any) -> list[list[int]]:
    """Lists of whole numbers, whatever holds them."""
    try:
        return [[plain(one.item() if hasattr(one, "item") else one) for one in row] for row in value]
    except TypeError:
        raise Mismatch("a list of lists of whole numbers was expected", actual=value) from None


# position_ids
@exercise("position_ids")
@for_all(
    rows=integers(1, 6).flatmap(lambda n: lists(lists(integers(0, 3), min_size=n, max_size=n), min_size=1, max_size=3)),
    padding=integers(0, 3),
    examples=25,
)
def test_any_rows_have_the_positions_counted_word_by_word(
    student: Student, rows: list[list[int]], padding: int
) -> None:
    expected = []
    for row in rows:
        place, found = padding, []
        for token in row:
            place += token != padding
            found.append(padding if token == padding else place)
        expected.append(found)
    equal(nested(student.position_ids(torch.tensor(rows), padding)), expected)


# whole_characters
PIECES = [b"a", b" ", "눈".encode(), "é".encode(), "🙂".encode()]


@exercise("whole_characters")
@for_all(
    letters=lists(sampled_from(PIECES), min_size=1, max_size=6), cuts=lists(integers(0, 23), max_size=5), examples=30
)
def test_any_cuts_are_judged_as_by_decoding(student: Student, letters: list[bytes], cuts: list[int]) -> None:
    text = b"".join(letters)
    places = sorted(min(cut, len(text)) for cut in cuts)
    expected = []
    for place in [*places, len(text)]:
        try:
            text[:place].decode("utf-8")
            expected.append(True)
        except UnicodeDecodeError:
            expected.append(False)
    tokens = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    equal([bool(one) for one in student.whole_characters(tokens)], expected)


@exercise("whole_characters", points=0.5, needs="test_a_syllable_ends_with_its_third_byte")
def test_empty_tokens_end_where_the_one_before_ended(student: Student) -> None:
    tokens = [b"", b"\xeb", b"", b"\x88\x88", b""]
    found = [bool(one) for one in student.whole_characters(tokens)]
    equal(found, [True, False, False, True, True], given="the tokens nothing, EB, nothing, 88 88, nothing")
    equal(list(student.whole_characters([])), [], given="no tokens")


# chosen_places
def mask(student: Student, text: int, length: int, epoch: int, copies: int | None, seed: int) -> list[bool]:
    found = student.chosen_places(text, length, epoch, copies, seed)
    values = [bool(one) for one in found]
    equal(len(values), length, given=f"a text of {length} tokens: how many bools")
    return values


@exercise("chosen_places")
@for_all(
    length=integers(1, 60).filter(lambda n: n * 3 % 20 != 10),
    epoch=integers(0, 25),
    copies=sampled_from([None, 1, 3, 10]),
    text=integers(0, 9),
    examples=20,
)
def test_any_text_has_its_share_and_its_turn(
    student: Student, length: int, epoch: int, copies: int | None, text: int
) -> None:
    found = mask(student, text, length, epoch, copies, 1)
    equal(sum(found), max(1, int(Fraction(3, 20) * length + Fraction(1, 2))), given="how many are chosen")
    same = epoch if copies is None else epoch % copies + 2 * copies
    true(found == mask(student, text, length, same, copies, 1), "the same mask was expected")


@exercise("chosen_places")
def test_no_two_texts_epochs_or_seeds_share_a_mask(student: Student) -> None:
    keys = [(0, 1, 11), (0, 11, 1), (1, 0, 11), (1, 1, 1), (11, 1, 0), (0, 0, 0), (0, 0, 5), (0, 5, 0), (5, 0, 0)]
    keys += [(0, 2, 3), (0, 3, 2), (2, 3, 0), (3, 2, 0), (0, 1, 4), (0, 4, 1), (2, 2, 1), (0, 1, 6), (1, 6, 0)]
    keys += [(0, 0, 6), (0, 12, 3), (0, 1, 23), (1, 2, 3), (12, 3, 0), (0, 1, 1), (0, 0, 2), (2, 0, 0), (0, 2, 0)]
    masks = {tuple(mask(student, text, 200, epoch, None, seed)) for seed, text, epoch in keys}
    given = f"200 tokens, copies None, {len(keys)} triples of seed, text and epoch below 24"
    equal(len(masks), len(keys), given=f"{given}: how many different masks")


@exercise("chosen_places", points=0.5, needs="test_a_share_of_the_tokens_is_chosen")
def test_every_place_is_equally_likely(student: Student) -> None:
    counts = np.sum([mask(student, 0, 4, epoch, None, 0) for epoch in range(120)], axis=0)  # (4,)
    given = "4 tokens, one of them chosen, 120 epochs: how often each place is (30 expected)"
    true(bool((counts >= 8).all() and (counts <= 58).all()), "some place is far too rare or frequent", given=given)
    long = np.array(mask(student, 3, 2000, 1, None, 2))
    blocks = long.reshape(10, 200).sum(axis=1)  # (10,), 30 expected, with a deviation below 5.1
    given = "2,000 tokens, 300 of them chosen: how many in each tenth"
    true(bool((blocks >= 4).all() and (blocks <= 60).all()), "some tenths hold far too few or many", given=given)
    runs = int(long[0]) + int((long[1:] & ~long[:-1]).sum())  # 255 expected, with a deviation below 6
    true(runs > 200, "chosen places stand side by side far too often", given="2,000 tokens, 300 of them chosen")


# full_sentences
def by_brute_force(documents: list[list[list[int]]], length: int) -> list[list[int]]:
    """Groups of (document, sentence), joined whole to see whether they fit."""

    def joined(group: list[tuple[int, list[int]]]) -> list[int]:
        tokens = [0]
        for place, (document, sentence) in enumerate(group):
            if place and group[place - 1][0] != document:
                tokens.append(2)
            tokens += sentence
        return [*tokens, 2]

    groups: list[list[tuple[int, list[int]]]] = []
    for number, document in enumerate(documents):
        for sentence in document:
            one = (number, sentence[: length - 2])
            if groups and len(joined([*groups[-1], one])) <= length:
                groups[-1].append(one)
            else:
                groups.append([one])
    return [joined(group) for group in groups]


SENTENCES: SearchStrategy[Any] = lists(
    lists(integers(1, 7).map(lambda n: list(range(11, 11 + n))), max_size=4), max_size=4
)


@exercise("full_sentences")
@for_all(documents=SENTENCES, length=integers(3, 14), examples=40)
def test_any_documents_are_packed_as_by_brute_force(
    student: Student, documents: list[list[list[int]]], length: int
) -> None:
    equal(nested(student.full_sentences(documents, length)), by_brute_force(documents, length))


@exercise("full_sentences", points=0.5, needs="test_a_separator_stands_between_two_documents")
def test_documents_without_sentences_leave_no_trace(student: Student) -> None:
    given = "the documents (), (11), (), (), (21), (), N = 9"
    found = nested(student.full_sentences([[], [[11]], [], [], [[21]], []], 9))
    equal(found, [[0, 11, 2, 21, 2]], given=given)
    equal(nested(student.full_sentences([], 9)), [], given="no documents")


@exercise("full_sentences", points=0.5, needs="test_a_separator_stands_between_two_documents")
def test_the_special_tokens_are_those_given(student: Student) -> None:
    given = "the documents (11), (21 22) and (31), N = 7, begin 5, end 6"
    found = nested(student.full_sentences([[[11]], [[21, 22]], [[31]]], 7, 5, 6))
    equal(found, [[5, 11, 6, 21, 22, 6], [5, 31, 6]], given=given)


# token_batches
@exercise("token_batches")
@for_all(lengths=lists(integers(1, 9), max_size=9), budget=integers(1, 14), examples=30)
def test_any_lengths_are_grouped_as_by_brute_force(student: Student, lengths: list[int], budget: int) -> None:
    expected: list[list[int]] = []
    for place in range(len(lengths)):
        if expected and sum(lengths[one] for one in [*expected[-1], place]) <= budget:
            expected[-1].append(place)
        else:
            expected.append([place])
    equal(nested(student.token_batches(lengths, budget)), expected)


# gradient_in_parts
def gradient(weight: Tensor, parts: list[tuple[Tensor, Tensor]]) -> Tensor:
    """In closed form: (p − one-hot) times x, summed over the asked tokens, over their number."""
    total, found = 0, torch.zeros_like(weight)
    for x, labels in parts:
        for vector, label in zip(x.flatten(0, 1), labels.flatten().tolist(), strict=True):
            if label != NOT:
                error = (weight @ vector).softmax(dim=0)
                error[label] -= 1
                found, total = found + torch.outer(error, vector), total + 1
    return found / total


@exercise("gradient_in_parts")
@for_all(
    table=inputs.tables(8, 2),
    weight=inputs.tables(3, 2),
    labels=lists(sampled_from([NOT, 0, 1, 2]), min_size=7, max_size=7),
    rows=integers(1, 3),
    examples=20,
)
def test_any_parts_sum_to_the_gradient_of_the_mean(
    student: Student, table: Tensor, weight: Tensor, labels: list[int], rows: int
) -> None:
    asked, x = torch.tensor([*labels, 1]), table.double() / 8  # (8,) and (8, 2)
    cut = 2 * rows  # of two tokens each; the others in one text
    parts = [
        (x[:cut].reshape(rows, 2, 2), asked[:cut].reshape(rows, 2)),
        (x[cut:].reshape(1, 8 - cut, 2), asked[cut:].reshape(1, 8 - cut)),
    ]
    close(student.gradient_in_parts(weight.double(), parts), gradient(weight.double(), parts))


@exercise("gradient_in_parts", points=0.5, needs="test_one_part_is_the_whole_batch")
def test_large_scores_are_no_problem(student: Student) -> None:
    weight = torch.tensor([[300.0], [-300.0], [0.0]])
    parts = [(torch.tensor([[[1.0], [2.0]]]), torch.tensor([[1, 0]])), (torch.tensor([[[-1.0]]]), torch.tensor([[2]]))]
    close(student.gradient_in_parts(weight, parts), gradient(weight, parts), given="scores of up to 600")


@exercise("gradient_in_parts", points=0.5, needs="test_each_token_counts_the_same_whatever_part_it_is_in")
def test_a_second_call_begins_at_zero(student: Student) -> None:
    weight, x = torch.tensor([[1.0, 0.5], [0.0, -1.0]]), torch.tensor([[[1.0, 2.0], [0.5, -0.5]]])
    parts = [(x, torch.tensor([[1, 0]]))]
    student.gradient_in_parts(weight, parts)
    close(student.gradient_in_parts(weight, parts), gradient(weight, parts), given="the second of two equal calls")


# equal_budget
@exercise("equal_budget")
@for_all(
    steps=integers(1, 400),
    warmup=integers(0, 40),
    batch=sampled_from([1, 3, 8, 100]),
    larger=sampled_from([1, 4, 8, 7, 300]),
    power=sampled_from([0, 0.5, 1]),
    examples=30,
)
def test_any_plan_is_that_of_exact_fractions(
    student: Student, steps: int, warmup: int, batch: int, larger: int, power: float
) -> None:
    found = student.equal_budget(steps, warmup, 0.01, batch, larger, power)
    times = Fraction(larger, batch)
    half = Fraction(1, 2)
    for one, exact in zip(found[:2], (max(Fraction(1), steps / times), warmup / times), strict=True):
        true(abs(Fraction(int(one)) - exact) <= half, "not the nearest whole number", given=str(float(exact)))
    close(float(found[2]), 0.01 * float(times) ** power)


# metrics
FIRST, PADDING, END, LENGTH, PIECES_LEARNT = 4, 1, 2, 64, 400  # as in the notebook's experiment
MASK = PIECES_LEARNT + FIRST
SIZES = ((32, 1), (64, 2))  # width and layers
BEYOND = 20_000  # added to the run's seed: other text than the notebook's
RUNS = {"base": 0, "no_loss": 2, "pairs": 3, "full": 4, "docs": 5, "text": 9, "steps": 10, "all": 11}
BATCHES = (6, 7, 8)  # a batch four times as large, at three rates


@functools.cache
def _tokenizer() -> ByteBPE:
    corpus = pretrained.text_of(Recipe("en", words=20_000))
    return ByteBPE.train((text for document in corpus for text in document), PIECES_LEARNT)


@functools.cache
def _test(seed: int) -> PretrainingBatch:
    """Held-out text in inputs of one document each, 15 % of the tokens hidden."""
    texts = pretrained.text_of(Recipe("en", words=3_000), seed)
    chance, read, labels = random.Random(seed), [], []
    for document in texts:
        ids = [[i + FIRST for i in _tokenizer().encode(text)] for text in document]
        for tokens in by_brute_force([ids], LENGTH):
            asked = [place for place, token in enumerate(tokens) if token >= FIRST]
            asked = chance.sample(asked, max(1, round(0.15 * len(asked))))
            labels.append(torch.tensor([token if place in asked else NOT for place, token in enumerate(tokens)]))
            read.append(torch.tensor([MASK if place in asked else token for place, token in enumerate(tokens)]))
    return PretrainingBatch(
        pad_sequence(read, batch_first=True, padding_value=PADDING),
        None,
        pad_sequence(labels, batch_first=True, padding_value=NOT),
    )


def _empty(width: int, layers: int) -> BertForPretraining:
    config = RobertaConfig(
        MASK + 1, width, layers, 4, 4 * width, "gelu", 0.0, 0.0, LENGTH + 2, type_vocab_size=2, initializer_range=0.05
    )
    model = BertForPretraining(config)
    model.bert.input = RobertaInput(config)
    return model.eval()


@functools.lru_cache(maxsize=256)
@torch.no_grad()
def _price(size: tuple[int, int], weights: bytes, seed: int) -> float:
    """What a model pays for a hidden token of new text, in nats; several metrics ask for the same one."""
    model = _empty(*size)
    vector_to_parameters(torch.frombuffer(bytearray(weights), dtype=torch.float32), model.parameters())
    return float(model(_test(seed)))


def _prices(artifacts: Artifacts, name: str, runs: int) -> Tensor:
    """What each recorded model pays: (S, R) nats, of S seeds and R runs."""
    rows = artifacts.tensor(name, ndim=3).float()  # (S, R, P)
    sizes = {sum(p.numel() for p in _empty(*size).parameters()): size for size in SIZES}
    if rows.size(1) != runs or rows.size(2) not in sizes or not 1 <= rows.size(0) <= 10:
        raise BadArtifact(
            f"the tensor {name!r} has shape {tuple(rows.shape)}, expected (seeds, {runs}, one of {sorted(sizes)})"
        )
    size, seed = sizes[rows.size(2)], artifacts.seed + BEYOND
    return torch.tensor([[_price(size, row.numpy().tobytes(), seed) for row in some] for some in rows])


def _masks(artifacts: Artifacts) -> Tensor:
    return _prices(artifacts, "mask_weights", 3)[0]


def _changes(artifacts: Artifacts) -> Tensor:
    return _prices(artifacts, "weights", 12).mean(dim=0)


@metric("one_mask_minus_dynamic")
def one_mask_minus_dynamic(artifacts: Artifacts) -> float:
    one, _, new = _masks(artifacts).tolist()
    return float(one - new)


@metric("ten_masks_minus_dynamic")
def ten_masks_minus_dynamic(artifacts: Artifacts) -> float:
    _, ten, new = _masks(artifacts).tolist()
    return float(ten - new)


@metric("nsp_minus_full_sentences")
def nsp_minus_full_sentences(artifacts: Artifacts) -> float:
    found = _changes(artifacts)
    return float(found[RUNS["base"]] - found[RUNS["full"]])


@metric("nsp_minus_same_pairs")
def nsp_minus_same_pairs(artifacts: Artifacts) -> float:
    found = _changes(artifacts)
    return float(found[RUNS["base"]] - found[RUNS["no_loss"]])


@metric("small_minus_large_batch")
def small_minus_large_batch(artifacts: Artifacts) -> float:
    """The large batch at the best of its rates."""
    found = _changes(artifacts)
    return float(found[RUNS["base"]] - found[list(BATCHES)].min())


@metric("bert_minus_all_changes")
def bert_minus_all_changes(artifacts: Artifacts) -> float:
    found = _changes(artifacts)
    return float(found[RUNS["base"]] - found[RUNS["all"]])
