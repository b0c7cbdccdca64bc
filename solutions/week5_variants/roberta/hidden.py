"""roberta: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import itertools
import random
from collections.abc import Iterator
from contextlib import contextmanager
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


def kind(value: Any) -> str:
    """The type of a tensor's numbers, or what else the value is."""
    return str(getattr(value, "dtype", type(value).__name__))


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


@exercise("position_ids", points=0.5, needs="test_words_count_from_padding_plus_one")
def test_positions_are_an_int64_tensor(student: Student) -> None:
    found = student.position_ids(torch.tensor([[0, 11, 2, 1]]), 1)
    equal(kind(found), "torch.int64", given="the row [0, 11, 2, 1] with padding 1: the type of the positions")


@exercise("position_ids", points=0.5, needs="test_words_count_from_padding_plus_one")
def test_long_texts_are_counted_to_their_end(student: Student) -> None:
    found = nested(student.position_ids(torch.tensor([[1, *[7] * 3000, 1]]), 1))[0]
    given = "padding 1, 3,000 words, 1 padding: the positions of words 127, 128, 257, 513, 2,049 and 3,000"
    equal([found[word] for word in (127, 128, 257, 513, 2049, 3000)], [128, 129, 258, 514, 2050, 3001], given=given)


@exercise("position_ids", points=0.5, needs="test_words_count_from_padding_plus_one")
def test_one_row_one_token_and_a_large_padding_are_counted(student: Student) -> None:
    for rows, padding, expected in (
        ([[7]], 1, [[2]]),
        ([[1]], 1, [[1]]),
        ([[1], [7], [1]], 1, [[1], [2], [1]]),
        ([[3, 100_000, 3, 99_999]], 100_000, [[100_001, 100_000, 100_002, 100_003]]),
    ):
        found = nested(student.position_ids(torch.tensor(rows), padding))
        equal(found, expected, given=f"the rows {rows} with padding {padding}")


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


def judged(student: Student, tokens: list[bytes], expected: list[bool], given: str) -> None:
    equal([bool(one) for one in student.whole_characters(tokens)], expected, given=given)


@exercise("whole_characters", points=0.5, needs="test_a_syllable_ends_with_its_third_byte")
def test_the_answer_is_a_list_of_bools(student: Student) -> None:
    given = "the tokens EB 88, 88, 61"
    equal(student.whole_characters([b"\xeb\x88", b"\x88", b"a"]), [False, True, True], given=given)


@exercise("whole_characters", points=0.5, needs="test_a_syllable_ends_with_its_third_byte")
def test_several_empty_tokens_may_follow_each_other(student: Student) -> None:
    tokens = [b"\xeb", b"", b"", b"", b"\x88\x88", b"", b"", b"a"]
    expected = [False] * 4 + [True] * 4
    judged(student, tokens, expected, "the tokens EB, nothing three times, 88 88, nothing twice, 61")


@exercise("whole_characters", points=0.5, needs="test_a_syllable_ends_with_its_third_byte")
def test_a_replacement_sign_is_a_character_like_others(student: Student) -> None:
    tokens = ["\ufffd".encode(), b"a", b"\xeb", b"\x88\x88", "\ufffd".encode()]
    judged(student, tokens, [True, True, False, True, True], "the tokens \ufffd (EF BF BD), a, EB, 88 88, \ufffd")


@exercise("whole_characters", points=0.5, needs="test_a_syllable_ends_with_its_third_byte")
def test_marks_joiners_and_signs_unseen_are_characters_too(student: Student) -> None:
    given = "e and a mark above it (CC 81), in tokens 65, CC, 81, 61"
    judged(student, [b"e", b"\xcc", b"\x81", b"a"], [True, False, True, True], given)
    given = "two signs with a joiner (E2 80 8D) between them, each a token, then a"
    judged(student, ["\U0001f469".encode(), "\u200d".encode(), "\U0001f52c".encode(), b"a"], [True] * 4, given)
    given = "the mark of the byte order (EF BB BF) in tokens EF BB, BF, EB, 88 88"
    judged(student, [b"\xef\xbb", b"\xbf", b"\xeb", b"\x88\x88"], [False, True, False, True], given)
    given = "the tokens 0A, 00, EB, 88 88, 20"
    judged(student, [b"\n", b"\0", b"\xeb", b"\x88\x88", b" "], [True, True, False, True, True], given)


@exercise("whole_characters", points=0.5, needs="test_a_syllable_ends_with_its_third_byte")
def test_of_many_tokens_the_last_are_judged_too(student: Student) -> None:
    tokens = [bytes([byte]) for byte in "눈이 오고 ab".encode()]  # 17 bytes
    expected = [False, False, True] * 2 + [True] + [False, False, True] * 2 + [True] * 3
    judged(student, tokens, expected, "each byte of 눈이 오고 ab a token")
    tokens = [bytes([byte]) for byte in ("눈a" * 300).encode()]
    judged(student, tokens, [False, False, True, True] * 300, "each byte of 눈a, 300 times over, a token")


@exercise("whole_characters", points=0.5, needs="test_a_syllable_ends_with_its_third_byte")
def test_the_first_and_the_last_character_of_each_length_are_known(student: Student) -> None:
    for number in (0x00, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF):
        spelled = chr(number).encode()
        expected = [False] * (len(spelled) - 1) + [True, True]
        given = f"the bytes of the character U+{number:04X} ({spelled.hex(' ')}) and a, each byte a token"
        judged(student, [bytes([byte]) for byte in spelled + b"a"], expected, given)


# chosen_places
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


def mask(student: Student, text: int, length: int, epoch: int, copies: int | None, seed: int) -> list[bool]:
    found = student.chosen_places(text, length, epoch, copies, seed)
    values = [bool(one) for one in found]
    equal(len(values), length, given=f"a text of {length} tokens: how many bools")
    return values


@exercise("chosen_places")
@for_all(
    length=integers(1, 60),
    epoch=integers(0, 25),
    copies=sampled_from([None, 1, 3, 10]),
    text=integers(0, 9),
    examples=20,
)
def test_any_text_has_its_share_and_its_turn(
    student: Student, length: int, epoch: int, copies: int | None, text: int
) -> None:
    found = mask(student, text, length, epoch, copies, 1)
    equal(sum(found), max(1, round(Fraction(3, 20) * length)), given="how many are chosen")
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


@exercise("chosen_places", points=0.5, needs="test_a_share_of_the_tokens_is_chosen")
def test_a_mask_is_a_tensor_of_bools(student: Student) -> None:
    given = "5 tokens, epoch 1, copies None, seed 0: the type of the mask"
    equal(kind(student.chosen_places(0, 5, 1, None, 0)), "torch.bool", given=given)


@exercise("chosen_places", points=0.5, needs="test_a_share_of_the_tokens_is_chosen")
def test_every_rate_has_its_share(student: Student) -> None:
    for rate, count in ((0.15, 3), (0.9, 18), (1.0, 20), (0.001, 1), (0.3, 6), (0.15, 3)):
        found = sum(bool(one) for one in student.chosen_places(4, 20, 3, 5, 2, rate))
        equal(found, count, given=f"text 4 of 20 tokens, epoch 3, 5 copies, seed 2, rate {rate}: how many are chosen")


@exercise("chosen_places", points=0.5, needs="test_a_share_of_the_tokens_is_chosen")
def test_the_generators_of_others_are_left_as_they_are(student: Student) -> None:
    def state() -> list[Any]:
        numbers = student.np.random.get_state()
        rest = [plain(one) for one in numbers[2:]]
        return [student.random.getstate(), student.torch.get_rng_state().tolist(), numbers[1].tolist(), rest]

    for copies in (None, 3):
        before = state()
        mask(student, 2, 50, 7, copies, 5)
        for name, old, new in zip(("Python's", "torch's", "numpy's", "numpy's"), before, state(), strict=True):
            given = f"a text of 50 tokens, copies {copies}"
            true(old == new, f"{name} own generator is not as it was before the call", given=given)


@exercise("chosen_places")
def test_large_numbers_have_masks_of_their_own(student: Student) -> None:
    seeds, texts, epochs = (0, 1, 11, 42, 1_000_000), (0, 1, 11, 101, 1000), (0, 1, 40, 100, 101)
    found: dict[tuple[bool, ...], tuple[int, int, int]] = {}
    for seed, text, epoch in itertools.product(seeds, texts, epochs):
        other = found.setdefault(tuple(mask(student, text, 200, epoch, None, seed)), (seed, text, epoch))
        given = f"200 tokens, copies None, (seed, text, epoch) {other} and {(seed, text, epoch)}"
        true(other == (seed, text, epoch), "the two have the same mask", given=given)


@exercise("chosen_places", points=0.5, needs="test_texts_and_seeds_have_masks_of_their_own")
def test_seeds_below_zero_have_masks_of_their_own(student: Student) -> None:
    below, above, zero = (mask(student, 0, 200, 0, None, seed) for seed in (-1, 1, 0))
    equal(sum(below), 30, given="200 tokens, seed −1: how many are chosen")
    true(below not in (above, zero), "another seed has the same mask", given="200 tokens, seeds −1, 0 and 1")
    true(below == mask(student, 0, 200, 0, None, -1), "two calls gave two masks", given="200 tokens, seed −1, twice")


@exercise("chosen_places", points=0.5, needs="test_a_share_of_the_tokens_is_chosen")
def test_halves_go_to_the_even_number(student: Student) -> None:
    halves = ((0.15, 10, 2), (0.15, 30, 4), (0.15, 50, 8), (0.15, 70, 10), (0.15, 110, 16), (0.5, 1, 1), (0.5, 3, 2), (0.5, 5, 2))
    for rate, length, count in (*halves, (0.25, 14, 4), (0.25, 18, 4), (0.25, 22, 6), (0.75, 6, 4), (0.75, 2, 2)):
        found = sum(bool(one) for one in student.chosen_places(1, length, 2, None, 3, rate))
        given = f"a text of {length} tokens, rate {rate}, which are {rate * length}: how many are chosen"
        equal(found, count, given=given)


@exercise("chosen_places", points=0.5, needs="test_texts_and_seeds_have_masks_of_their_own")
def test_each_of_many_seeds_has_masks_of_its_own(student: Student) -> None:
    ends = (2**31 - 1, 2**31 - 2, 2**30, 2**16, 2**15, 256)
    found: dict[tuple[bool, ...], tuple[int, int]] = {}
    for seed, text in itertools.product((*range(-12, 13), *ends, *(-end for end in ends), -(2**31)), (0, 1, 12)):
        other = found.setdefault(tuple(mask(student, text, 200, 1, 5, seed)), (seed, text))
        given = f"200 tokens, epoch 1, 5 copies, (seed, text) {other} and {(seed, text)}"
        true(other == (seed, text), "the two have the same mask", given=given)


@exercise("chosen_places", points=0.5, needs="test_texts_and_seeds_have_masks_of_their_own")
def test_another_run_of_python_has_the_same_masks(student: Student) -> None:
    for copies in (None, 3):
        here = mask(student, 2, 200, 4, copies, 6)
        with another_run_of_python(student):
            there = mask(student, 2, 200, 4, copies, 6)
        given = f"200 tokens, copies {copies}, and again where hash() gives other numbers, as in another run"
        true(here == there, "the mask is another one", given=given)


@exercise("chosen_places")
def test_masks_know_nothing_of_each_other(student: Student) -> None:
    ways = {
        "epochs 0 to 20": [mask(student, 3, 199, epoch, None, 4) for epoch in range(21)],
        "copies 0 to 20": [mask(student, 3, 199, epoch, 21, 4) for epoch in range(21)],
        "texts 0 to 20": [mask(student, text, 199, 3, None, 4) for text in range(21)],
        "seeds 0 to 20": [mask(student, 3, 199, 4, None, seed) for seed in range(21)],
    }
    for name, masks in ways.items():
        both = sum(int(np.sum(np.logical_and(one, two))) for one, two in itertools.pairwise(masks))
        given = f"199 tokens, 30 of them chosen, {name}: how many places neighbours share in all (90 expected)"
        true(30 <= both <= 160, "masks share far too few or too many places", given=given, actual=both)
        rows = ["".join("01"[one] for one in row) for row in masks]
        moved = any(two in one + one for one, two in itertools.pairwise(rows))
        true(not moved, "a mask is another one, moved along the text", given=f"199 tokens, {name}")


@exercise("chosen_places", points=0.5, needs="test_a_share_of_the_tokens_is_chosen")
def test_no_part_of_a_text_is_preferred(student: Student) -> None:
    places = [np.flatnonzero(mask(student, text, 2000, 0, None, 1)).mean() for text in range(10)]
    given = "ten texts of 2,000 tokens, 300 of them chosen: the mean place (999.5 expected, with a deviation of 10)"
    true(abs(float(np.mean(places)) - 999.5) < 75, "earlier or later places are preferred", given=given)


@exercise("chosen_places", needs="test_texts_and_seeds_have_masks_of_their_own")
def test_no_weighted_sum_of_seed_text_and_epoch_decides(student: Student) -> None:
    small, steps = range(64), range(64, 4097, 64)  # a difference of the two is any number up to 4,096
    far = (7919, 10_000, 10_007, 65_536, 65_537, 100_000, 100_003)
    beyond = (10**6, 1_000_003, 2**20, 10**9, 10**9 + 7, 2**31)
    keys = [(0, 0, epoch) for epoch in (*steps, *far[:4], 100_003)] + [(0, text, 0) for text in (*steps, *far, *beyond)]
    keys += [(0, 1, epoch) for epoch in small] + [(0, text, 1) for text in small if text != 1]
    keys += [(1, text, 0) for text in small] + [(1, 0, epoch) for epoch in small if epoch]
    found: dict[tuple[bool, ...], tuple[int, int, int]] = {}
    for seed, text, epoch in keys:
        other = found.setdefault(tuple(mask(student, text, 80, epoch, None, seed)), (seed, text, epoch))
        given = f"80 tokens, copies None, (seed, text, epoch) {other} and {(seed, text, epoch)}"
        true(other == (seed, text, epoch), "the two have the same mask", given=given)


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


@exercise("full_sentences", points=0.5, needs="test_a_separator_stands_between_two_documents")
def test_equal_documents_are_two(student: Student) -> None:
    given = "the documents (11 12), (11 12) and (11 12, 11 12), N = 14"
    found = nested(student.full_sentences([[[11, 12]], [[11, 12]], [[11, 12], [11, 12]]], 14))
    equal(found, [[0, 11, 12, 2, 11, 12, 2, 11, 12, 11, 12, 2]], given=given)


@exercise("full_sentences", points=0.5, needs="test_a_separator_stands_between_two_documents")
def test_many_documents_and_sentences_are_all_packed(student: Student) -> None:
    given = "12 documents of one sentence of one token each, N = 7"
    found = nested(student.full_sentences([[[10 + i]] for i in range(12)], 7))
    equal(found, [[0, 10 + i, 2, 11 + i, 2, 12 + i, 2] for i in range(0, 12, 3)], given=given)
    given = "a document of 12 sentences of one token each, N = 6"
    found = nested(student.full_sentences([[[10 + i] for i in range(12)]], 6))
    equal(found, [[0, 10, 11, 12, 13, 2], [0, 14, 15, 16, 17, 2], [0, 18, 19, 20, 21, 2]], given=given)


@exercise("full_sentences", points=0.5, needs="test_a_separator_stands_between_two_documents")
def test_sentences_may_hold_the_numbers_of_special_tokens(student: Student) -> None:
    given = "the documents (0) and (0 0, 0), N = 9"
    equal(nested(student.full_sentences([[[0]], [[0, 0], [0]]], 9)), [[0, 0, 2, 0, 0, 0, 2]], given=given)
    given = "the documents (11 2) and (2, 12), N = 9"
    equal(nested(student.full_sentences([[[11, 2]], [[2], [12]]], 9)), [[0, 11, 2, 2, 2, 12, 2]], given=given)
    given = "the documents (7) and (7), N = 5, begin 7, end 7"
    equal(nested(student.full_sentences([[[7]], [[7]]], 5, 7, 7)), [[7, 7, 7, 7, 7]], given=given)


@exercise("full_sentences", points=0.5, needs="test_sentences_follow_each_other_up_to_the_length")
def test_the_inputs_are_lists_in_a_list(student: Student) -> None:
    given = "one document, sentences (11 12) and (13), N = 4"
    equal(student.full_sentences([[[11, 12], [13]]], 4), [[0, 11, 12, 2], [0, 13, 2]], given=given)


@exercise("full_sentences", points=0.5, needs="test_a_separator_stands_between_two_documents")
def test_hundreds_of_sentences_are_packed_up_to_512(student: Student) -> None:
    draw = random.Random(8)
    documents = [[[draw.randrange(9)] * draw.randrange(1, 90) for _ in range(draw.randrange(40))] for _ in range(30)]
    documents[7].append([5] * 600)
    given = "30 documents of up to 39 sentences of up to 89 tokens, one of 600, N = 512"
    equal(nested(student.full_sentences(documents, 512)), by_brute_force(documents, 512), given=given)
    equal(nested(student.full_sentences([[[11, 12], [13]], [[21]]], 3)), [[0, 11, 2], [0, 13, 2], [0, 21, 2]], given="N = 3")


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


@exercise("token_batches", points=0.5, needs="test_a_batch_is_full_when_the_next_has_no_room")
def test_the_batches_are_lists_in_a_list(student: Student) -> None:
    equal(student.token_batches([4, 3, 2], 7), [[0, 1], [2]], given="lengths 4, 3, 2, budget 7")


@exercise("token_batches", points=0.5, needs="test_a_batch_is_full_when_the_next_has_no_room")
def test_batches_of_thousands_of_tokens_are_full_to_the_last_token(student: Student) -> None:
    given = "lengths 512 eight times, 511, 1, 1, 300, budget 2,048"
    found = nested(student.token_batches([512] * 8 + [511, 1, 1, 300], 2048))
    equal(found, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], given=given)


@exercise("token_batches", points=0.5, needs="test_a_batch_is_full_when_the_next_has_no_room")
def test_inputs_may_be_none_many_or_huge(student: Student) -> None:
    equal(student.token_batches([], 5), [], given="no inputs, budget 5")
    equal(nested(student.token_batches([7], 5)), [[0]], given="lengths 7, budget 5")
    expected = [list(range(start, min(start + 700, 2000))) for start in range(0, 2000, 700)]
    equal(nested(student.token_batches([3] * 2000, 2100)), expected, given="2,000 inputs of 3 tokens, budget 2,100")
    given = "lengths 10⁹ five times, budget 3 · 10⁹"
    equal(nested(student.token_batches([10**9] * 5, 3 * 10**9)), [[0, 1, 2], [3, 4]], given=given)


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


def texts_of_two(rows: int, width: int, seed: int) -> Tensor:
    """Texts of two tokens."""
    return torch.randn(rows, 2, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


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
def test_a_batch_may_have_many_parts(student: Student) -> None:
    weight = torch.tensor([[1.0, 0.5], [0.0, -1.0]])
    parts = [(torch.tensor([[[i / 4, 1 - i / 8]]]), torch.tensor([[i % 2]])) for i in range(12)]
    close(student.gradient_in_parts(weight, parts), gradient(weight, parts), given="12 parts of one token each")
    parts = [(texts_of_two(1 + i % 3, 2, seed=i), torch.tensor([[i % 2, NOT]] * (1 + i % 3))) for i in range(130)]
    given = "130 parts of one to three texts, one asked token each"
    close(student.gradient_in_parts(weight.double(), parts), gradient(weight.double(), parts), given=given)


@exercise("gradient_in_parts", points=0.5, needs="test_each_token_counts_the_same_whatever_part_it_is_in")
def test_a_second_call_begins_at_zero(student: Student) -> None:
    weight, x = torch.tensor([[1.0, 0.5], [0.0, -1.0]]), torch.tensor([[[1.0, 2.0], [0.5, -0.5]]])
    parts = [(x, torch.tensor([[1, 0]]))]
    student.gradient_in_parts(weight, parts)
    close(student.gradient_in_parts(weight, parts), gradient(weight, parts), given="the second of two equal calls")


@exercise("gradient_in_parts", points=0.5, needs="test_one_part_is_the_whole_batch")
def test_the_gradient_has_the_type_of_the_weight(student: Student) -> None:
    for dtype in (torch.float32, torch.float64):
        weight, x = torch.tensor([[1.0, 0.5], [0.0, -1.0]], dtype=dtype), torch.ones(1, 2, 2, dtype=dtype)
        found = student.gradient_in_parts(weight, [(x, torch.tensor([[1, 0]]))])
        equal(kind(found), str(dtype), given=f"a weight of {dtype}: the type of the gradient")


@exercise("gradient_in_parts", points=0.5, needs="test_each_token_counts_the_same_whatever_part_it_is_in")
def test_the_weight_stays_as_it_was(student: Student) -> None:
    x, labels = torch.tensor([[[1.0, 2.0], [0.5, -0.5]]]), torch.tensor([[1, 0]])
    for asks in (False, True):
        weight = torch.tensor([[1.0, 0.5], [0.0, -1.0]], requires_grad=asks)
        kept, given = student.put(weight), f"a weight with requires_grad {asks}"
        for _ in range(2):
            found = student.gradient_in_parts(kept, [(x, labels)])
            close(found, gradient(weight.detach(), [(x, labels)]), given=f"{given}, put in twice")
        equal(student.value(kept).requires_grad, asks, given=f"{given}: its requires_grad afterwards")


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
    shared = Fraction(warmup * int(found[0]), steps)  # the same share of the new steps, which are rounded
    for one, exact in ((found[0], {max(Fraction(1), steps / times)}), (found[1], {warmup / times, shared})):
        near = any(abs(Fraction(int(one)) - number) <= half for number in exact)
        true(near, "not the nearest whole number", given=str(float(min(exact))))
    close(float(found[2]), 0.01 * float(times) ** power)


@exercise("equal_budget", points=0.5, needs="test_the_rate_rises_with_the_power")
def test_small_rates_and_other_powers_are_taken_as_they_are(student: Student) -> None:
    for rate, power in ((3e-7, 0.5), (1e-3, 0.25), (1e-3, 1.5), (1e-3, -1)):
        given = f"rate {rate}, batches of 2 → 32, power {power}: the rate"
        close(float(student.equal_budget(800, 80, rate, 2, 32, power)[2]), rate * 16.0**power, given=given, atol=0)


@exercise("equal_budget", points=0.5, needs="test_the_rate_rises_with_the_power")
def test_the_rate_is_a_float(student: Student) -> None:
    found = plain(student.equal_budget(900, 90, 1e-3, 10, 90, 1)[2])
    equal(type(found).__name__, "float", given="900 steps, rate 1e-3, batches of 10 → 90: the type of the rate")


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
