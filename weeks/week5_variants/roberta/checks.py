"""roberta: the public checks. Expected values come from hand counts and closed forms."""

import math
from typing import Any

import torch
from torch import Tensor

from etude.lesson.checks import Mismatch, claim, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain

NOT = -100  # the label that no loss asks for


def nested(value: Any, given: str) -> list[list[int]]:
    """Lists of whole numbers, whatever holds them."""
    try:
        found = [[plain(one.item() if hasattr(one, "item") else one) for one in row] for row in value]
    except TypeError:
        raise Mismatch("a list of lists of whole numbers was expected", given=given, actual=value) from None
    true(
        all(type(one) is int for row in found for one in row), "whole numbers were expected", given=given, actual=found
    )
    return found


# position_ids
def rows(student: Student, tokens: list[list[int]], padding: int, expected: list[list[int]]) -> None:
    given = f"the rows {tokens} with padding {padding}"
    equal(nested(student.position_ids(torch.tensor(tokens), padding), given), expected, given=given)


@exercise("position_ids")
@claim("roberta-positions")
def test_words_count_from_padding_plus_one(student: Student) -> None:
    rows(student, [[0, 11, 12, 13, 2, 1, 1]], 1, [[2, 3, 4, 5, 6, 1, 1]])


@exercise("position_ids")
def test_padding_may_stand_in_front(student: Student) -> None:
    rows(student, [[1, 1, 0, 7, 2], [0, 1, 7, 1, 2]], 1, [[1, 1, 2, 3, 4], [2, 1, 3, 1, 4]])


@exercise("position_ids")
def test_another_padding_moves_all_positions(student: Student) -> None:
    rows(student, [[5, 1, 0], [5, 0, 0]], 0, [[1, 2, 0], [1, 0, 0]])
    rows(student, [[5, 1, 4]], 4, [[5, 6, 4]])


# whole_characters
def ends(student: Student, tokens: list[bytes], given: str) -> list[Any]:
    found = student.whole_characters(tokens)
    try:
        return [bool(one) for one in found]
    except (TypeError, ValueError):
        raise Mismatch("a list of bools was expected", given=given, actual=found) from None


@exercise("whole_characters")
def test_a_syllable_ends_with_its_third_byte(student: Student) -> None:
    given = "the tokens EB, 88, 88: the bytes of 눈"
    equal(ends(student, [b"\xeb", b"\x88", b"\x88"], given), [False, False, True], given=given)
    given = "the tokens EB 88, 88 61: 눈a"
    equal(ends(student, [b"\xeb\x88", b"\x88a"], given), [False, True], given=given)


@exercise("whole_characters")
def test_a_token_may_hold_whole_characters_and_a_part_of_one(student: Student) -> None:
    given = "the tokens 61 EB, 88 88 F0 9F, 99 82, 2E: a눈🙂."
    found = ends(student, [b"a\xeb", b"\x88\x88\xf0\x9f", b"\x99\x82", b"."], given)
    equal(found, [False, False, True, True], given=given)


@exercise("whole_characters", needs="test_a_syllable_ends_with_its_third_byte")
def test_whole_words_end_whole_characters(student: Student) -> None:
    given = "the tokens of three, ␣눈, ␣é, 🙂, each whole"
    tokens = [b"three", " 눈".encode(), " é".encode(), "🙂".encode()]
    equal(ends(student, tokens, given), [True] * 4, given=given)


# chosen_places
def mask(student: Student, length: int, *others: Any, text: int = 0, rate: float | None = None) -> list[bool]:
    """The student's mask; others: epoch, copies, seed."""
    rest = [] if rate is None else [rate]
    found = student.chosen_places(text, length, *others, *rest)
    epoch, copies, seed = others
    given = f"text {text} of {length} tokens, epoch {epoch}, copies {copies}, seed {seed}"
    try:
        values = [plain(one.item() if hasattr(one, "item") else one) for one in found]
    except TypeError:
        raise Mismatch("a bool for each token was expected", given=given, actual=found) from None
    fine = len(values) == length and all(type(one) is bool for one in values)
    true(fine, f"{length} bools were expected, one for each token", given=given, actual=values)
    return values


@exercise("chosen_places")
def test_a_share_of_the_tokens_is_chosen(student: Student) -> None:
    for length, count in ((20, 3), (100, 15), (8, 1), (3, 1), (1, 1)):
        found = sum(mask(student, length, 2, None, 5))
        equal(found, count, given=f"{length} tokens, rate .15: how many are chosen")
    equal(sum(mask(student, 10, 2, None, 5, rate=0.4)), 4, given="10 tokens, rate .4: how many are chosen")


@exercise("chosen_places", points=0.5, needs="test_a_share_of_the_tokens_is_chosen")
def test_the_same_arguments_give_the_same_mask(student: Student) -> None:
    for copies in (None, 4):
        same = mask(student, 200, 3, copies, 7) == mask(student, 200, 3, copies, 7)
        true(same, "two calls gave two masks", given=f"text 0 of 200 tokens, epoch 3, copies {copies}, seed 7, twice")


@exercise("chosen_places")
def test_one_copy_is_one_mask_for_ever(student: Student) -> None:
    masks = [mask(student, 200, epoch, 1, 0) for epoch in range(6)]
    true(all(one == masks[0] for one in masks), "the masks differ", given="200 tokens, one copy, epochs 0 to 5")


@exercise("chosen_places")
@claim("roberta-ten-copies")
def test_of_ten_copies_each_is_read_four_times_in_40_epochs(student: Student) -> None:
    masks = [tuple(mask(student, 200, epoch, 10, 0)) for epoch in range(40)]
    equal(len(set(masks)), 10, given="200 tokens, ten copies, epochs 0 to 39: how many different masks")
    times = sorted({masks.count(one) for one in masks})
    equal(times, [4], given="200 tokens, ten copies, epochs 0 to 39: how often each mask is read")
    true(masks[13] == masks[3], "the masks of epochs 3 and 13 differ", given="200 tokens, ten copies")


@exercise("chosen_places")
def test_a_dynamic_mask_is_new_in_every_epoch(student: Student) -> None:
    masks = {tuple(mask(student, 200, epoch, None, 0)) for epoch in range(24)}
    equal(len(masks), 24, given="200 tokens, copies None, epochs 0 to 23: how many different masks")


@exercise("chosen_places")
def test_texts_and_seeds_have_masks_of_their_own(student: Student) -> None:
    one = mask(student, 200, 0, 1, 0)
    true(one != mask(student, 200, 0, 1, 0, text=1), "texts 0 and 1 have the same mask", given="200 tokens, one copy")
    true(one != mask(student, 200, 0, 1, 1), "seeds 0 and 1 give the same mask", given="200 tokens, one copy")


# full_sentences
def packed(student: Student, documents: list[list[list[int]]], length: int, given: str) -> list[list[int]]:
    return nested(student.full_sentences(documents, length), given)


@exercise("full_sentences")
def test_sentences_follow_each_other_up_to_the_length(student: Student) -> None:
    document = [[11, 12], [13], [14, 15, 16], [17]]
    given = "one document, sentences of 2, 1, 3, 1 tokens, N = 8"
    equal(packed(student, [document], 8, given), [[0, 11, 12, 13, 14, 15, 16, 2], [0, 17, 2]], given=given)
    given = "one document, sentences of 2, 1, 3, 1 tokens, N = 7"
    equal(packed(student, [document], 7, given), [[0, 11, 12, 13, 2], [0, 14, 15, 16, 17, 2]], given=given)


@exercise("full_sentences")
def test_a_separator_stands_between_two_documents(student: Student) -> None:
    given = "the documents (11 12, 13) and (21, 22 23), N = 20"
    found = packed(student, [[[11, 12], [13]], [[21], [22, 23]]], 20, given)
    equal(found, [[0, 11, 12, 13, 2, 21, 22, 23, 2]], given=given)


@exercise("full_sentences")
def test_the_separator_takes_room(student: Student) -> None:
    given = "the documents (11 12 13) and (21 22, 23), N = 7: with the separator it would be 8"
    found = packed(student, [[[11, 12, 13]], [[21, 22], [23]]], 7, given)
    equal(found, [[0, 11, 12, 13, 2], [0, 21, 22, 23, 2]], given=given)
    given = "the documents (11 12 13) and (21 22, 23), N = 8"
    found = packed(student, [[[11, 12, 13]], [[21, 22], [23]]], 8, given)
    equal(found, [[0, 11, 12, 13, 2, 21, 22, 2], [0, 23, 2]], given=given)


@exercise("full_sentences")
def test_a_sentence_that_is_too_long_is_cut(student: Student) -> None:
    given = "one document, sentences of 5 and 1 tokens, N = 5"
    found = packed(student, [[[11, 12, 13, 14, 15], [16]]], 5, given)
    equal(found, [[0, 11, 12, 13, 2], [0, 16, 2]], given=given)


# token_batches
@exercise("token_batches")
def test_a_batch_is_full_when_the_next_has_no_room(student: Student) -> None:
    given = "lengths 4, 3, 2, 5, 1, budget 9"
    equal(nested(student.token_batches([4, 3, 2, 5, 1], 9), given), [[0, 1, 2], [3, 4]], given=given)
    given = "lengths 4, 3, 3, 5, 1, budget 9"
    equal(nested(student.token_batches([4, 3, 3, 5, 1], 9), given), [[0, 1], [2, 3, 4]], given=given)


@exercise("token_batches")
def test_short_inputs_make_large_batches(student: Student) -> None:
    given = "lengths 1, 1, 1, 1, 1, 1, 6, 6, budget 6"
    found = nested(student.token_batches([1, 1, 1, 1, 1, 1, 6, 6], 6), given)
    equal(found, [[0, 1, 2, 3, 4, 5], [6], [7]], given=given)


@exercise("token_batches", points=0.5, needs="test_a_batch_is_full_when_the_next_has_no_room")
def test_an_input_beyond_the_budget_is_alone(student: Student) -> None:
    given = "lengths 2, 9, 1, 1, budget 5"
    equal(nested(student.token_batches([2, 9, 1, 1], 5), given), [[0], [1], [2, 3]], given=given)
    given = "lengths 9, 2, budget 5"
    equal(nested(student.token_batches([9, 2], 5), given), [[0], [1]], given=given)


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


def drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@exercise("gradient_in_parts")
def test_one_part_is_the_whole_batch(student: Student) -> None:
    weight, x = drawn(3, 2, seed=1), drawn(2, 2, 2, seed=2)
    labels = torch.tensor([[1, NOT], [NOT, 2]])
    given = "one part of two texts, with one asked token each"
    close(student.gradient_in_parts(weight, [(x, labels)]), gradient(weight, [(x, labels)]), given=given)


@exercise("gradient_in_parts")
def test_each_token_counts_the_same_whatever_part_it_is_in(student: Student) -> None:
    weight, parts = drawn(3, 2, seed=3), [(drawn(1, 2, 2, seed=4), torch.tensor([[0, NOT]]))]
    parts.append((drawn(2, 3, 2, seed=5), torch.tensor([[1, 2, NOT], [2, 0, 0]])))
    given = "two parts, with 1 and 5 asked tokens"
    close(student.gradient_in_parts(weight, parts), gradient(weight, parts), given=given)


@exercise("gradient_in_parts", points=0.5, needs="test_one_part_is_the_whole_batch")
def test_a_part_that_asks_for_nothing_adds_nothing(student: Student) -> None:
    weight, parts = drawn(3, 2, seed=6), [(drawn(1, 2, 2, seed=7), torch.tensor([[NOT, NOT]]))]
    parts.append((drawn(1, 2, 2, seed=8), torch.tensor([[1, 0]])))
    given = "two parts, of which the first asks for nothing"
    close(student.gradient_in_parts(weight, parts), gradient(weight, parts), given=given)


# equal_budget
def plan(student: Student, given: str, *arguments: Any) -> tuple[float, float, float]:
    found = student.equal_budget(*arguments)
    try:
        steps, warmup, rate = (plain(one.item() if hasattr(one, "item") else one) for one in found)
    except (TypeError, ValueError):
        raise Mismatch("three numbers were expected: steps, warm-up, rate", given=given, actual=found) from None
    whole = type(steps) is int and type(warmup) is int
    true(whole, "steps and warm-up are whole numbers", given=given, actual=(steps, warmup))
    return steps, warmup, rate


@exercise("equal_budget")
@claim("roberta-equal-budget")
def test_as_many_texts_are_read_in_all(student: Student) -> None:
    given = "1,000,000 steps, 10,000 of warm-up, batches of 256 → 2,048"
    steps, warmup, _ = plan(student, given, 1_000_000, 10_000, 1e-4, 256, 2048, 1)
    equal([steps, warmup], [125_000, 1_250], given=f"{given}: steps, warm-up")
    given = "1,000,000 steps, 10,000 of warm-up, batches of 256 → 8,192"
    steps, _, _ = plan(student, given, 1_000_000, 10_000, 1e-4, 256, 8192, 1)
    equal(steps, 31_250, given=f"{given}: steps")


@exercise("equal_budget")
def test_the_rate_rises_with_the_power(student: Student) -> None:
    for power, rate in ((0, 1e-3), (0.5, 3e-3), (1, 9e-3)):
        given = f"rate 1e-3, batches of 10 → 90, power {power}"
        close(plan(student, given, 900, 90, 1e-3, 10, 90, power)[2], rate, given=f"{given}: the rate", atol=1e-9)


@exercise("equal_budget")
def test_a_smaller_batch_takes_more_steps_at_a_lower_rate(student: Student) -> None:
    given = "100 steps, 10 of warm-up, rate .04, batches of 64 → 16, power ½"
    steps, warmup, rate = plan(student, given, 100, 10, 0.04, 64, 16, 0.5)
    equal([steps, warmup], [400, 40], given=f"{given}: steps, warm-up")
    close(rate, 0.04 / math.sqrt(4), given=f"{given}: the rate")


@exercise("equal_budget", points=0.5, needs="test_as_many_texts_are_read_in_all")
def test_steps_are_rounded_to_the_nearest_and_never_none(student: Student) -> None:
    given = "100 steps, 8 of warm-up, batches of 3 → 7: 42.86 steps, 3.43 of warm-up"
    equal(list(plan(student, given, 100, 8, 1.0, 3, 7, 1)[:2]), [43, 3], given=given)
    given = "2 steps, 1 of warm-up, batches of 1 → 10"
    equal(list(plan(student, given, 2, 1, 1.0, 1, 10, 1)[:2]), [1, 0], given=given)
