"""bert_finetuning: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
import string
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import DrawFn, SearchStrategy, composite, integers, lists, sampled_from, tuples
from torch import Tensor, nn
from torch.nn.utils import vector_to_parameters

from etude import pretrained
from etude.lesson.checks import Mismatch, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.models.bert import Bert
from etude.models.bert_heads import BertChooser, BertClassifier, BertReader, BertTagger
from etude.tokenizers.wordpiece import WordPiece
from etude.world.tasks import Question, Tasks
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

NOT = -100  # the label that no loss asks for


def numbers(value: Any) -> list[int]:
    """Whole numbers of the student's in a row, whatever holds them."""
    try:
        found = [plain(one.item() if hasattr(one, "item") else one) for one in value]
    except TypeError:
        raise Mismatch("a row of whole numbers was expected", actual=value) from None
    true(all(type(one) is int for one in found), "whole numbers were expected", actual=found)
    return found


# matthews
@exercise("matthews", points=0.5)
@for_all(counts=lists(sampled_from([0, 0, 1, 2, 3, 7, 40]), min_size=4, max_size=4))
def test_any_table_has_the_correlation_of_its_two_columns(student: Student, counts: list[int]) -> None:
    tn, fp, fn, tp = counts
    if sum(counts) == 0:
        return
    truth, answer = [0] * (tn + fp) + [1] * (fn + tp), [0] * tn + [1] * fp + [0] * fn + [1] * tp
    varied = len(set(truth)) == len(set(answer)) == 2
    close(student.matthews([[tn, fp], [fn, tp]]), float(np.corrcoef(truth, answer)[0, 1]) if varied else 0.0)


@exercise("matthews", points=0.5, needs="test_a_table_counted_by_hand")
def test_millions_of_answers_are_no_problem(student: Student) -> None:
    given = "TN, FP, FN, TP of 3, 1, 1 and 3 million"
    close(student.matthews([[3_000_000, 1_000_000], [1_000_000, 3_000_000]]), 0.5, given=given)


@exercise("matthews", points=0.5, needs="test_a_table_counted_by_hand")
def test_the_correlation_is_a_float_of_any_counts(student: Student) -> None:
    for table in ([[6, 1], [2, 3]], [[0, 3], [0, 7]], [[3, 0], [7, 0]], [[0, 0], [2, 5]], [[5, 2], [0, 0]], [[1, 0], [0, 1]]):
        found = student.matthews(table)
        true(isinstance(plain(found), float), "a float was expected", given=f"[[TN, FP], [FN, TP]] = {table}", actual=found)
    one = 10**9
    found = student.matthews([[6 * one, one], [2 * one, 3 * one]])
    close(found, 16 / math.sqrt(7 * 5 * 8 * 4), given="TN, FP, FN, TP of 6, 1, 2 and 3 thousand million")
    expected = (one - 1) / math.sqrt(4 * (one + 1) ** 2)
    close(student.matthews([[one, 1], [1, 1]]), expected, given="TN of a thousand million, FP, FN and TP of 1")


# first_pieces
@composite
def tagged(draw: DrawFn) -> list[tuple[list[str], int]]:
    """Words in pieces, some without any, each with its tag; a tag may be 0, and equal pieces are frequent."""
    pieces = lists(sampled_from(["a", "##a", "눈", "##은"]), max_size=3)
    return draw(lists(tuples(pieces, integers(0, 3)), max_size=5))


@exercise("first_pieces")
@for_all(sentence=tagged())
def test_any_sentence_gets_the_labels_counted_by_place(student: Student, sentence: list[tuple[list[str], int]]) -> None:
    expected, labels = ["[CLS]"], [NOT]
    for word, tag in sentence:
        for place, piece in enumerate(word):
            expected.append(piece)
            labels.append(NOT if place else tag)
    found = student.first_pieces([word for word, _ in sentence], [tag for _, tag in sentence])
    true(len(found) == 2, "two lists were expected", actual=found)
    equal(list(found[0]), [*expected, "[SEP]"])
    equal(numbers(found[1]), [*labels, NOT])


@exercise("first_pieces", points=0.5, needs="test_the_label_stands_at_the_first_piece_alone")
def test_an_unknown_word_keeps_its_label(student: Student) -> None:
    given = "the words [UNK] and in with the tags 2 and 0: the labels"
    _, labels = student.first_pieces([["[UNK]"], ["in"]], [2, 0])
    equal(numbers(labels), [NOT, 2, 0, NOT], given=given)


@exercise("first_pieces", points=0.5, needs="test_any_sentence_gets_the_labels_counted_by_place")
def test_many_words_and_words_of_many_pieces_stay_whole(student: Student) -> None:
    long = ["a", *["##b"] * 11]
    found = student.first_pieces([["in"]] * 12 + [long], [*range(12), 5])
    given = "twelve words of one piece with the tags 0 to 11, then one of twelve pieces with the tag 5: "
    equal(list(found[0]), ["[CLS]", *["in"] * 12, *long, "[SEP]"], given=given + "the pieces")
    equal(numbers(found[1]), [NOT, *range(12), 5, *[NOT] * 12], given=given + "the labels")


@exercise("first_pieces", points=0.5, needs="test_any_sentence_gets_the_labels_counted_by_place")
def test_a_piece_says_nothing_by_its_letters(student: Student) -> None:
    words = [["[SEP]", "x"], ["##a"], ["[CLS]"], ["[PAD]"], ["", "b"]]
    found = student.first_pieces(words, [4, 3, 2, 1, 7])
    given = f"the words {words} with the tags 4, 3, 2, 1, 7: "
    expected = ["[CLS]", "[SEP]", "x", "##a", "[CLS]", "[PAD]", "", "b", "[SEP]"]
    equal(list(found[0]), expected, given=given + "the pieces")
    equal(numbers(found[1]), [NOT, 4, NOT, 3, 2, 1, 7, NOT, NOT], given=given + "the labels")


@exercise("first_pieces", points=0.5, needs="test_any_sentence_gets_the_labels_counted_by_place")
def test_a_sentence_may_be_longer_than_512(student: Student) -> None:
    found = student.first_pieces([["a", "##b"]] * 400, list(range(400)))
    given = "400 words of two pieces with the tags 0 to 399: "
    equal(list(found[0]), ["[CLS]", *["a", "##b"] * 400, "[SEP]"], given=given + "the pieces")
    equal(numbers(found[1]), [NOT, *(n for tag in range(400) for n in (tag, NOT)), NOT], given=given + "the labels")


# choice_loss
def brute_loss(scores: Tensor, labels: Tensor) -> Tensor:
    """Question by question: the logarithm of the sum of exponentials minus the right score."""
    count = len(scores) // len(labels)
    parts = scores.split(count)
    return torch.stack(
        [part.logsumexp(dim=0) - part[label] for part, label in zip(parts, labels.tolist(), strict=True)]
    ).mean()


@exercise("choice_loss", points=0.5)
@for_all(table=integers(1, 4).flatmap(lambda rows: inputs.tables(rows, 3)), draw=integers(0, 80))
def test_any_scores_cost_what_brute_force_says(student: Student, table: Tensor, draw: int) -> None:
    labels = torch.tensor([(draw // 3**row) % 3 for row in range(len(table))])
    close(student.choice_loss(table.double().flatten(), labels), brute_loss(table.double().flatten(), labels))


@exercise("choice_loss")
def test_the_gradients_are_those_of_the_mean_over_questions(student: Student) -> None:
    scores = torch.tensor([0.5, -1.0, 2.0, 0.25, 1.5, -0.5], dtype=torch.float64)
    labels = torch.tensor([2, 0])
    close_gradients(
        student,
        "choice_loss",
        lambda s, y: brute_loss(s, y),
        {"scores": scores},
        labels,
        given="two questions of three",
    )


@exercise("choice_loss", points=0.5, needs="test_equal_scores_cost_the_logarithm_of_the_choices")
def test_one_question_and_many_choices(student: Student) -> None:
    loss = student.choice_loss(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]), torch.tensor([4]))
    close(loss, math.log(sum(math.exp(-n) for n in range(5))), given="one question, scores 1 to 5, label 4")


@exercise("choice_loss", points=0.5, needs="test_each_question_has_its_own_softmax")
def test_great_scores_cost_a_number(student: Student) -> None:
    loss = student.choice_loss(torch.tensor([300.0, 0.0, 100.0]), torch.tensor([1]))
    close(loss, 300.0, given="one question, scores 300, 0 and 100, label 1")


@exercise("choice_loss", points=0.5, needs="test_each_question_has_its_own_softmax")
def test_the_scores_of_one_question_may_be_far_below_those_of_another(student: Student) -> None:
    loss = student.choice_loss(torch.tensor([0.0, 0.0, -500.0, -500.0]), torch.tensor([0, 1]))
    close(loss, math.log(2), given="two questions of two choices, scores (0, 0) and (−500, −500), labels 0 and 1")


@exercise("choice_loss", points=0.5, needs="test_each_question_has_its_own_softmax")
def test_one_question_one_choice_and_many_questions(student: Student) -> None:
    for rows, choices in ((1, 2), (1, 1), (3, 1), (2, 2), (300, 3), (2, 40)):
        scores = torch.sin(torch.arange(rows * choices, dtype=torch.float64) ** 2) * 3
        labels = (torch.arange(rows) * 2 + 1) % choices
        given = f"questions: {rows}, choices of each: {choices}; scores 3 sin 0, 3 sin 1, 3 sin 4, 3 sin 9, …"
        close(student.choice_loss(scores, labels), brute_loss(scores, labels), given=given)
    (found,) = student.gradients("choice_loss", torch.tensor([1.0, 0.0], requires_grad=True), torch.tensor([1]))
    true(found is not None, "the loss knows nothing of the scores", given="one question of two choices")
    share = math.exp(1) / (1 + math.exp(1))
    close(found, [share, -share], given="one question, scores 1 and 0, label 1: the gradients")


# answer_tokens
@composite
def cut_texts(draw: DrawFn) -> tuple[list[tuple[int, int]], int, int]:
    """Tokens of one to three characters with gaps between some of them, and an answer somewhere."""
    place, spans = draw(integers(0, 2)), []
    for size, gap in draw(lists(tuples(integers(1, 3), integers(0, 2)), min_size=1, max_size=6)):
        spans.append((place, place + size))
        place += size + gap
    start = draw(integers(0, place))
    return spans, start, start + draw(integers(1, 5))


@exercise("answer_tokens")
@for_all(drawn=cut_texts())
def test_any_answer_is_found_character_by_character(
    student: Student, drawn: tuple[list[tuple[int, int]], int, int]
) -> None:
    spans, start, end = drawn
    answer = set(range(start, end))
    shared = [number for number, (left, right) in enumerate(spans) if answer & set(range(left, right))]
    found = student.answer_tokens(spans, start, end)
    equal(None if found is None else numbers(found), [shared[0], shared[-1]] if shared else None)


@exercise("answer_tokens", points=0.5, needs="test_an_answer_of_whole_tokens")
def test_two_tokens_may_be_parts_of_one_character(student: Student) -> None:
    spans = [(0, 1), (0, 1), (1, 2), (1, 2), (2, 3)]
    given = "tokens at the characters 0:1, 0:1, 1:2, 1:2 and 2:3, the first two being jamo of one; the answer is "
    equal(numbers(student.answer_tokens(spans, 0, 1)), [0, 1], given=given + "0:1")
    equal(numbers(student.answer_tokens(spans, 1, 2)), [2, 3], given=given + "1:2")


@exercise("answer_tokens", points=0.5, needs="test_an_answer_of_whole_tokens")
def test_an_answer_may_stand_behind_many_tokens(student: Student) -> None:
    spans = [(2 * place, 2 * place + 1) for place in range(16)]
    given = "sixteen tokens at the characters 0:1, 2:3, 4:5 … 30:31; the answer is "
    equal(numbers(student.answer_tokens(spans, 26, 29)), [13, 14], given=given + "26:29")
    equal(numbers(student.answer_tokens(spans, 1, 31)), [1, 15], given=given + "1:31")


@exercise("answer_tokens", points=0.5, needs="test_an_answer_of_whole_tokens")
def test_a_text_may_have_more_than_512_tokens(student: Student) -> None:
    spans = [(3 * place, 3 * place + 2) for place in range(700)]
    given = "700 tokens at the characters 0:2, 3:5, 6:8 … 2097:2099; the answer is "
    equal(numbers(student.answer_tokens(spans, 1900, 2099)), [633, 699], given=given + "1900:2099")
    equal(numbers(student.answer_tokens(spans, 1, 1900)), [0, 633], given=given + "1:1900")
    equal(student.answer_tokens(spans, 2099, 2101), None, given=given + "2099:2101")
    equal(student.answer_tokens(spans, 1901, 1902), None, given=given + "1901:1902, which is in no token")
    equal(numbers(student.answer_tokens([(4, 7)], 5, 6)), [0, 0], given="one token at the characters 4:7; the answer is 5:6")


# best_span
@composite
def span_scores(draw: DrawFn) -> tuple[list[float], list[float], tuple[int, int]]:
    """Start and end scores, and the stretch of tokens that is allowed."""
    count = draw(sampled_from([5, 4, 3, 6, 1, 2]))
    row = lists(sampled_from([0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 4.5, -4.5]), min_size=count, max_size=count)
    first = draw(sampled_from([0, 1]).map(lambda place: min(place, count - 1)))
    return draw(row), draw(row), (first, draw(sampled_from([count - 1, max(first, count - 2)])))


@exercise("best_span")
@for_all(drawn=span_scores(), longest=sampled_from([3, 2, 1, 4, 7]))
def test_any_scores_give_the_best_of_all_spans(
    student: Student, drawn: tuple[list[float], list[float], tuple[int, int]], longest: int
) -> None:
    starts, ends, (low, high) = drawn
    allowed = [low <= place <= high for place in range(len(starts))]
    best = max(starts[i] + ends[j] for i in range(low, high + 1) for j in range(i, min(high, i + longest - 1) + 1))
    tensors = (torch.tensor(row, dtype=torch.float32) for row in (starts, ends))
    found = student.best_span(*tensors, torch.tensor(allowed), longest)
    true(len(found) == 3, "three values were expected: first, last, score", actual=found)
    first, last = numbers(found[:2])
    true(
        low <= first <= last <= high and last - first < longest,
        f"the span must lie in {low} to {high} and have 1 to {longest} tokens",
        actual=[first, last],
    )
    close(starts[first] + ends[last], best)
    close(float(found[2]), best)


@exercise("best_span", points=0.5, needs="test_start_and_end_are_added")
def test_scores_below_zero_are_scores_too(student: Student) -> None:
    starts, ends = torch.tensor([-9.0, -4.0, -6.0]), torch.tensor([-5.0, -7.0, -2.0])
    given = "starts (−9, −4, −6), ends (−5, −7, −2), the tokens 1 and 2 allowed, at most 2 tokens"
    first, last, score = student.best_span(starts, ends, torch.tensor([False, True, True]), 2)
    equal([int(first), int(last)], [1, 2], given=given)
    close(float(score), -6.0, given=given)


@exercise("best_span", points=0.5, needs="test_start_and_end_are_added")
@for_all(
    starts=lists(sampled_from([-math.inf, -1e8, 0.0, 2.0]), min_size=6, max_size=6),
    ends=lists(sampled_from([-math.inf, -1e8, 0.0, 2.0]), min_size=6, max_size=6),
    allowed=lists(sampled_from([True, False]), min_size=6, max_size=6),
    longest=integers(1, 6),
)
def test_any_scores_with_infinities_give_a_span_that_is_allowed(
    student: Student, starts: list[float], ends: list[float], allowed: list[bool], longest: int
) -> None:
    fits = [(i, j) for i in range(6) for j in range(i, min(6, i + longest)) if allowed[i] and allowed[j]]
    best = max((starts[i] + ends[j] for i, j in fits), default=-math.inf)
    if best == -math.inf:
        return
    tensors = (torch.tensor(row, dtype=torch.float64) for row in (starts, ends))
    first, last, score = student.best_span(*tensors, torch.tensor(allowed), longest)
    true((int(first), int(last)) in fits, "the span is not allowed", actual=[int(first), int(last)])
    close(starts[int(first)] + ends[int(last)], best)
    close(float(score), best)


@exercise("best_span", points=0.5, needs="test_start_and_end_are_added")
def test_starts_that_are_shut_out_are_not_chosen(student: Student) -> None:
    starts = torch.tensor([-math.inf, -math.inf, 1.0, -math.inf])
    given = "starts (−∞, −∞, 1, −∞), ends (8, 8, 0, 3), all allowed, at most 4 tokens"
    first, last, score = student.best_span(starts, torch.tensor([8.0, 8.0, 0.0, 3.0]), torch.ones(4) > 0, 4)
    equal([int(first), int(last)], [2, 3], given=given)
    close(float(score), 4.0, given=given)


@exercise("best_span", points=0.5, needs="test_start_and_end_are_added")
def test_scores_of_millions_are_scores_too(student: Student) -> None:
    starts = torch.tensor([3e6, -3e6, -2e6])
    given = "starts and ends (3, −3, −2) million, the tokens 1 and 2 allowed, at most 2 tokens"
    first, last, score = student.best_span(starts, starts.clone(), torch.tensor([False, True, True]), 2)
    equal([int(first), int(last)], [2, 2], given=given)
    close(float(score), -4e6, given=given)


@exercise("best_span", points=0.5, needs="test_it_begins_and_ends_inside_the_passage")
def test_what_lies_between_start_and_end_need_not_be_allowed(student: Student) -> None:
    starts, ends, allowed = torch.tensor([5.0, 9.0, 0.0]), torch.tensor([0.0, 9.0, 4.0]), [True, False, True]
    given = "starts (5, 9, 0), ends (0, 9, 4), the tokens 0 and 2 allowed, at most 3 tokens"
    first, last, score = student.best_span(starts, ends, torch.tensor(allowed), 3)
    equal([int(first), int(last)], [0, 2], given=given)
    close(float(score), 9.0, given=given)


@exercise("best_span", points=0.5, needs="test_the_best_start_need_not_be_in_the_best_span")
def test_neither_start_nor_end_need_be_among_the_best_twenty(student: Student) -> None:
    starts, ends = torch.full((62,), -5.0), torch.full((62,), -5.0)
    starts[32:], ends[:30] = 3.0, 3.0
    starts[30], ends[31] = 1.0, 1.0
    given = "62 tokens; 30 starts of 3 behind the span 30 to 31, which has 1 and 1, 30 ends of 3 before it, all else −5"
    first, last, score = student.best_span(starts, ends, torch.ones(62) > 0, 30)
    equal([int(first), int(last)], [30, 31], given=given)
    close(float(score), 2.0, given=given)


@exercise("best_span", points=0.5, needs="test_start_and_end_are_added")
def test_one_token_and_hundreds_of_tokens(student: Student) -> None:
    one = torch.tensor([2.0]), torch.tensor([-3.5]), torch.tensor([True])
    first, last, score = student.best_span(*one, 1)
    equal([int(first), int(last)], [0, 0], given="one token with the scores 2 and −3½, allowed, at most 1 token")
    close(float(score), -1.5, given="one token with the scores 2 and −3½, allowed, at most 1 token: the score")
    starts, ends = torch.zeros(700), torch.zeros(700)
    starts[630], ends[690], starts[640], ends[669], ends[670] = 9.0, 9.0, 7.0, 6.0, 8.0
    first, last, score = student.best_span(starts, ends, torch.ones(700) > 0, 31)
    given = "700 tokens, all allowed; starts of 9 at 630 and 7 at 640, ends of 6 at 669, 8 at 670, 9 at 690; at most 31 tokens"
    equal([int(first), int(last)], [640, 670], given=given)
    close(float(score), 15.0, given=f"{given}: the score")


@exercise("best_span", points=0.5, needs="test_start_and_end_are_added")
def test_scores_may_be_very_small(student: Student) -> None:
    for power in (20, 40):
        starts, ends = (torch.tensor(row) / 2**power for row in ([1.0, 2.0, 0.0], [0.0, 1.0, 3.0]))
        first, last, score = student.best_span(starts, ends, torch.ones(3) > 0, 3)
        given = f"starts (1, 2, 0) and ends (0, 1, 3), all times 2^−{power}; all allowed, at most 3 tokens"
        equal([int(first), int(last)], [1, 2], given=given)
        close(float(score), 5 / 2**power, given=f"{given}: the score", atol=0)


# choose_threshold
def earned(threshold: float, questions: list[tuple[float, float, float]]) -> float:
    return sum(answer if margin > threshold else silence for margin, answer, silence in questions)


def held_out() -> SearchStrategy[list[tuple[float, float, float]]]:
    """Questions: a margin, and what the span and silence earn, in quarters; equal margins are frequent."""
    share = sampled_from([0.0, 0.25, 0.5, 1.0])
    return lists(tuples(integers(-3, 3).map(float), share, share), min_size=1, max_size=7)


@exercise("choose_threshold")
@for_all(questions=held_out())
def test_no_threshold_earns_more(student: Student, questions: list[tuple[float, float, float]]) -> None:
    columns = [list(column) for column in zip(*questions, strict=True)]
    threshold = float(student.choose_threshold(*columns))
    margins = sorted({margin for margin, *_ in questions})
    between = [(low + high) / 2 for low, high in pairwise(margins)]
    best = max(earned(one, questions) for one in [margins[0] - 1, *margins, *between, margins[-1] + 1])
    close(earned(threshold, questions), best)


@exercise("choose_threshold", points=0.5, needs="test_a_question_whose_margin_is_the_threshold_is_not_answered")
def test_margins_may_be_close_together_and_far_from_zero(student: Student) -> None:
    given = "margins 40.125, 40.126953125, −900, 300; answers earn 0, 1, 0, 1, silence 1, 0, 1, 0"
    found = float(
        student.choose_threshold([40.125, 40.126953125, -900.0, 300.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0])
    )
    true(
        40.125 <= found < 40.126953125,
        "thresholds from 40.125 on, and below 40.126953125, earn most",
        given=given,
        actual=found,
    )
    low, high = 0.5, 0.5 + 2.0**-16
    found = float(student.choose_threshold([low, high], [0.0, 1.0], [1.0, 0.0]))
    given = "margins ½ and ½ + 2⁻¹⁶; answers earn 0 and 1, silence 1 and 0"
    true(low <= found < high, "thresholds from ½ on, and below ½ + 2⁻¹⁶, earn most", given=given, actual=found)


@exercise("choose_threshold", points=0.5, needs="test_no_threshold_earns_more")
def test_the_threshold_is_not_rounded_below_a_margin(student: Student) -> None:
    given = "margins 0.7 and 2; answers earn 0 and 1, silence 1 and 0"
    found = float(student.choose_threshold([0.7, 2.0], [0.0, 1.0], [1.0, 0.0]))
    true(0.7 <= found < 2, "thresholds from 0.7 on, and below 2, earn most", given=given, actual=found)


@exercise("choose_threshold", points=0.5, needs="test_no_threshold_earns_more")
def test_margins_may_be_many_and_far_below_zero(student: Student) -> None:
    margins = [*map(float, range(1, 11)), 4.5, 4.5, 4.5]
    answered, silent = [0.0] * 10 + [10.0] * 3, [1.0] * 10 + [0.0] * 3
    found = float(student.choose_threshold(margins, answered, silent))
    given = "margins 1 to 10, at which silence earns 1, and 4.5 three times, at which answers earn 10"
    true(4 <= found < 4.5, "thresholds from 4 on, and below 4.5, earn most", given=given, actual=found)
    found = float(student.choose_threshold([-1e5, -1e4], [1.0, 1.0], [0.0, 0.0]))
    given = "margins −100000 and −10000; answers earn 1, silence 0"
    true(found < -1e5, "thresholds below −100000 earn most", given=given, actual=found)


@exercise("choose_threshold", points=0.5, needs="test_no_threshold_earns_more")
def test_what_is_earned_may_be_nothing_little_or_below_zero(student: Student) -> None:
    found = float(student.choose_threshold([1.0, 2.0], [0.0, 0.0], [0.0, 0.0]))
    true(not math.isnan(found), "a number was expected", given="margins 1, 2; nothing is earned either way", actual=found)
    for factor in (1.0, 50.0, 2.0**-22):
        answered, silent = [-3 * factor, -1 * factor, -2 * factor], [-1 * factor, -2 * factor, -3 * factor]
        found = float(student.choose_threshold([0.5, 1.5, 2.5], answered, silent))
        given = f"margins 0.5, 1.5, 2.5; answers earn −3, −1, −2, silence −1, −2, −3, all times {factor}"
        true(0.5 <= found < 1.5, "thresholds from 0.5 on, and below 1.5, earn most", given=given, actual=found)


@exercise("choose_threshold", points=0.5, needs="test_no_threshold_earns_more")
def test_equal_margins_are_answered_all_or_none(student: Student) -> None:
    # Of two questions with one margin one earns by its answer and one by silence, so neither order of them can be used.
    margins, answered, silent = [0.0, 0, 1, 2, 4, 4], [0.0, 1, 0, 0.25, 1, 0], [1.0, 0, 0.25, 0, 0, 1]
    found = float(student.choose_threshold(margins, answered, silent))
    given = f"margins {margins}; answers earn {answered}, silence {silent}"
    true(1 <= found < 2, "thresholds from 1 on, and below 2, earn most", given=given, actual=found)


@exercise("choose_threshold", points=0.5, needs="test_no_threshold_earns_more")
def test_questions_may_be_hundreds_and_margins_huge(student: Student) -> None:
    margins = [float(n * 7 % 400) for n in range(400)]
    answered, silent = [float(margin >= 371) for margin in margins], [float(margin < 371) for margin in margins]
    found = float(student.choose_threshold(margins, answered, silent))
    given = "the margins 0 to 399 in no order; answers earn 1 from 371 on, silence below"
    true(370 <= found < 371, "thresholds from 370 on, and below 371, earn most", given=given, actual=found)
    found = float(student.choose_threshold([-1e12, 1e12], [1.0, 1.0], [0.0, 0.0]))
    true(found < -1e12, "a threshold below all answers all", given="margins ∓10¹²; answers earn 1, silence 0", actual=found)
    found = float(student.choose_threshold([-1e12, 1e12], [0.0, 0.0], [1.0, 1.0]))
    true(found >= 1e12, "a threshold of 10¹² or more answers none", given="margins ∓10¹²; silence earns 1", actual=found)


# answer_scores
def official(answer: str, truth: str) -> tuple[float, float]:
    """Both scores by sorted lists, after SQuAD's normalisation character by character."""
    bags = []
    for text in (answer, truth):
        letters = [c for c in text.lower() if not (c.isascii() and not c.isalnum() and not c.isspace())]
        bags.append([word for word in "".join(letters).split() if word not in {"a", "an", "the"}])
    shared, rest = 0, list(bags[1])
    for word in bags[0]:
        if word in rest:
            rest.remove(word)
            shared += 1
    if not bags[0] or not bags[1]:
        return (float(bags[0] == bags[1]),) * 2
    precision, recall = shared / len(bags[0]), shared / len(bags[1])
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    return float(bags[0] == bags[1]), f1


TEXTS = lists(sampled_from(["cat", "The", "a", "cats", "AN", "병원", "theatre"]), max_size=4).flatmap(
    lambda words: sampled_from([" ", "  ", ". ", ", the "]).map(lambda between: between.join(words))
)


@exercise("answer_scores")
@for_all(answer=TEXTS, truths=lists(TEXTS, min_size=1, max_size=3))
def test_any_answer_scores_as_in_the_official_script(student: Student, answer: str, truths: list[str]) -> None:
    each = [official(answer, truth) for truth in truths]
    found = student.answer_scores(answer, truths)
    true(len(found) == 2, "two numbers were expected", actual=found)
    close([float(one) for one in found], [max(exact for exact, _ in each), max(f1 for _, f1 in each)])


@exercise("answer_scores", points=0.5, needs="test_case_punctuation_and_articles_do_not_count")
def test_every_sign_of_punctuation_is_deleted_without_a_gap(student: Student) -> None:
    given = "the answer $1,000 (a-b) 50%, the truth 1000 ab 50"
    exact, f1 = student.answer_scores("$1,000 (a-b) 50%", ["1000 ab 50"])
    close([float(exact), float(f1)], [1.0, 1.0], given=given)
    given = "the answer x, the 32 signs and y without a blank, the truth xy"
    exact, f1 = student.answer_scores(f"x{string.punctuation}y", ["xy"])
    close([float(exact), float(f1)], [1.0, 1.0], given=given)
    given = "the answer t.h.e 'it''s', the truth its; then !? and (the)"
    exact, f1 = student.answer_scores("t.h.e 'it''s'", ["its"])
    close([float(exact), float(f1)], [1.0, 1.0], given=given)
    exact, f1 = student.answer_scores("!?", ["(the)"])
    close([float(exact), float(f1)], [1.0, 1.0], given=given)
    given = "the answer [A.] `x_y`, the truth xy"
    exact, f1 = student.answer_scores("[A.] `x_y`", ["xy"])
    close([float(exact), float(f1)], [1.0, 1.0], given=given)


@exercise("answer_scores", points=0.5, needs="test_the_best_of_several_truths_counts")
def test_exact_match_and_f1_may_come_from_any_truth(student: Student) -> None:
    exact, f1 = student.answer_scores("the", ["hospital", "a"])
    close(
        [float(exact), float(f1)], [1.0, 1.0], given="the answer the, the truths hospital and a: nothing is left of two"
    )
    for answer, truth in (("the", ""), ("", "An."), ("!", "the"), ("", "")):
        found = student.answer_scores(answer, [truth])
        given = f"the answer {answer!r}, the truth {truth!r}: nothing is left of either"
        close([float(one) for one in found], [1.0, 1.0], given=given)
    for truths in (["hospital old", "old hospital"], ["old hospital", "hospital old"]):
        found = student.answer_scores("old hospital", truths)
        close([float(one) for one in found], [1.0, 1.0], given=f"the answer old hospital, the truths {truths}")
    found = student.answer_scores("old hospital", ["hospital old", "new hospital"])
    close([float(one) for one in found], [0.0, 1.0], given="the answer old hospital, the truths hospital old, new hospital")


@exercise("answer_scores", points=0.5, needs="test_case_punctuation_and_articles_do_not_count")
def test_tabs_and_line_ends_are_blanks_too(student: Student) -> None:
    exact, f1 = student.answer_scores("old\thospital\n", ["old hospital"])
    close([float(exact), float(f1)], [1.0, 1.0], given="the answer 'old\\thospital\\n', the truth 'old hospital'")


@exercise("answer_scores", points=0.5, needs="test_f1_counts_the_words_that_both_have")
def test_nothing_else_is_made_alike(student: Student) -> None:
    pairs = [("5–7", "57"), ("café", "cafe"), ("Straße", "strasse"), ("bath room", "bathroom"), ("ﬁn", "fin"), ("２", "2")]
    pairs += [("café", "cafe\u0301"), ("눈", "\u1102\u116e\u11ab"), ("thee", "the thé"), ("cats", "cat"), ("an 1", "one")]
    pairs += [("another", "other"), ("theatre", "atre"), ("bathe", "ba"), ("area", "are"), ("apple", "pple"), ("tuna", "tun")]
    for answer, truth in pairs:
        exact, f1 = student.answer_scores(answer, [truth])
        close([float(exact), float(f1)], [0.0, 0.0], given=f"the answer {answer!r}, the truth {truth!r}")


@exercise("answer_scores", points=0.5, needs="test_any_answer_scores_as_in_the_official_script")
def test_long_answers_and_many_truths_count_whole(student: Student) -> None:
    answer, truth = (" ".join("bcdefghijkl" + last) for last in "mn")
    exact, f1 = student.answer_scores(answer, [truth])
    close([float(exact), float(f1)], [0.0, 11 / 12], given="two texts of twelve words that differ in the last one")
    exact, f1 = student.answer_scores("cat", [*["dog"] * 12, "cat"])
    close([float(exact), float(f1)], [1.0, 1.0], given="the answer cat; twelve truths dog, then cat")
    answer = " ".join([*(f"w{n}" for n in range(697)), "cat"])
    exact, f1 = student.answer_scores(answer, ["cat"])
    close([float(exact), float(f1)], [0.0, 2 / 699], given="the answer w0 w1 … w696 cat, the truth cat")


@exercise("answer_scores", points=0.5, needs="test_f1_counts_the_words_that_both_have")
def test_both_scores_are_floats(student: Student) -> None:
    for answer, truth in (("cat", "cat"), ("cat", "dog"), ("", ""), ("old cat", "cat")):
        for one in student.answer_scores(answer, [truth]):
            given = f"the answer {answer!r}, the truth {truth!r}"
            true(isinstance(plain(one), float), "two floats were expected", given=given, actual=one)


@exercise("answer_scores", points=0.5, needs="test_f1_counts_the_words_that_both_have")
def test_no_answer_may_be_one_of_several_truths(student: Student) -> None:
    for answer, truths in (("cat", ["", "cat"]), ("cat", ["cat", ""]), ("", ["cat", ""]), ("", ["", "cat"])):
        found = student.answer_scores(answer, truths)
        close([float(one) for one in found], [1.0, 1.0], given=f"the answer {answer!r}, the truths {truths}")


# windows
@exercise("windows")
@for_all(length=integers(1, 30), size=integers(1, 9), short=integers(0, 8))
def test_any_text_is_covered_as_in_berts_code(student: Student, length: int, size: int, short: int) -> None:
    stride = max(1, size - short)
    expected, start = [], 0
    while True:
        expected.append([start, start + min(size, length - start)])
        if expected[-1][1] == length:
            break
        start += stride
    equal([numbers(one) for one in student.windows(length, size, stride)], expected)


@exercise("windows", points=0.5, needs="test_they_follow_each_other_by_the_stride")
def test_a_text_may_have_thousands_of_tokens(student: Student) -> None:
    for length, size, stride in ((5000, 384, 128), (4096, 512, 512), (700, 699, 1), (1000, 1000, 1), (300, 1, 1)):
        starts = [start for start in range(0, length, stride) if start == 0 or start - stride + size < length]
        expected = [[start, min(start + size, length)] for start in starts]
        given = f"{length} tokens, size {size}, stride {stride}"
        equal([numbers(one) for one in student.windows(length, size, stride)], expected, given=given)


# most_context
@exercise("most_context")
@for_all(length=integers(1, 24), size=integers(1, 9), short=integers(0, 8))
def test_any_windows_give_each_token_its_place_of_most_context(
    student: Student, length: int, size: int, short: int
) -> None:
    stride, spans = max(1, size - short), [(0, min(size, length))]
    while spans[-1][1] < length:
        start = spans[-1][0] + stride
        spans.append((start, min(start + size, length)))
    expected = []
    for token in range(length):
        best = (-1, -1)
        for number, (start, end) in enumerate(spans):
            smaller = min(len(range(start, token)), len(range(token + 1, end)))
            if start <= token < end and smaller > best[0]:
                best = (smaller, number)
        expected.append(best[1])
    equal(numbers(student.most_context(spans, length)), expected)


@exercise("most_context", points=0.5, needs="test_the_smaller_side_counts")
def test_the_windows_need_not_be_as_long_as_each_other(student: Student) -> None:
    given = "the windows (0, 4), (2, 9), (5, 9) over 9 tokens"
    found = numbers(student.most_context([(0, 4), (2, 9), (5, 9)], 9))
    equal(found, [0, 0, 0, 1, 1, 1, 1, 1, 1], given=given)


@exercise("most_context", points=0.5, needs="test_the_smaller_side_counts")
def test_neither_the_other_side_nor_the_length_counts(student: Student) -> None:
    given = "the windows (0, 22), (17, 23) over 23 tokens: token 20 has 20 and 1 in the first, 3 and 2 in the second"
    equal(numbers(student.most_context([(0, 22), (17, 23)], 23)), [0] * 20 + [1] * 3, given=given)
    given = "the windows (0, 300), (150, 310) over 310 tokens: token 225 has 225 and 74, then 75 and 84"
    equal(numbers(student.most_context([(0, 300), (150, 310)], 310)), [0] * 225 + [1] * 85, given=given)
    given = "the windows (0, 5), (2, 9) over 9 tokens: token 3 has 3 and 1, then 1 and 5, and the first window counts"
    equal(numbers(student.most_context([(0, 5), (2, 9)], 9)), [0] * 4 + [1] * 5, given=given)


@exercise("most_context", points=0.5, needs="test_the_smaller_side_counts")
def test_windows_may_be_many_equal_and_inside_each_other(student: Student) -> None:
    given = "the windows (0, 5), (0, 5) over 5 tokens"
    equal(numbers(student.most_context([(0, 5), (0, 5)], 5)), [0] * 5, given=given)
    given = "the windows (0, 9), (3, 6), (5, 9) over 9 tokens"
    equal(numbers(student.most_context([(0, 9), (3, 6), (5, 9)], 9)), [0] * 7 + [0, 0], given=given)
    given = "the windows (0, 1), (1, 2), (2, 3) … (599, 600) over 600 tokens"
    equal(numbers(student.most_context([(n, n + 1) for n in range(600)], 600)), list(range(600)), given=given)


# metrics
BEYOND = 5_000  # added to the run's seed: other items of the same tasks than the notebook's
ITEMS = 200  # of each task
SETTINGS = ((2, 12, 4), (3, 16, 6))  # events in a passage, tokens in a window, events in a long passage
LONGEST = 4  # tokens of an answer
TAGS = ["O", "B-PER", "B-COU", "B-CAP", "B-LAN"]


def _both(artifacts: Artifacts, task: str, head: Callable[[Bert], nn.Module]) -> list[nn.Module]:
    """The recorded models of a task: fine-tuned from the pre-trained encoder, and from scratch."""
    rows, models = artifacts.tensor(task, ndim=2), []
    for row in range(2):
        model = head(Bert(pretrained.load("world-en").model.bert.config))
        expected = (2, sum(parameter.numel() for parameter in model.parameters()))
        if tuple(rows.shape) != expected:
            raise BadArtifact(f"the tensor {task!r} has shape {tuple(rows.shape)}, expected {expected}")
        vector_to_parameters(rows[row].float(), model.parameters())
        models.append(model.eval())
    return models


@functools.cache
def _tokenizer() -> WordPiece:
    return pretrained.load("world-en").tokenizer


def _joined(first: str, second: str | None = None) -> tuple[Tensor, Tensor]:
    """The ids of [CLS] first [SEP], with second [SEP] after it if there is one, and their segments, (N,) both."""
    ids = torch.tensor(_tokenizer().encode(first, second))
    ends = (ids == _tokenizer().index["[SEP]"]).long().cumsum(dim=0)
    return ids, ((ends > 0) & (torch.arange(len(ids)) > int((ends == 0).sum()))).long()


@torch.no_grad()
def _gain(models: list[nn.Module], score: Callable[[nn.Module], float]) -> float:
    pre_trained, from_scratch = (score(model) for model in models)
    return pre_trained - from_scratch


@metric("topics_gain")
def topics_gain(artifacts: Artifacts) -> float:
    items = Tasks("en", seed=artifacts.seed + BEYOND).topics(ITEMS, "test")
    texts = [_joined(item.text) for item in items]

    def score(model: Any) -> float:
        right = [
            int(model.logits(ids[None], kinds[None]).argmax()) == item.label
            for (ids, kinds), item in zip(texts, items, strict=True)
        ]
        return float(np.mean(right))

    return _gain(_both(artifacts, "topics", lambda encoder: BertClassifier(encoder, 9)), score)


@metric("entities_gain")
def entities_gain(artifacts: Artifacts) -> float:
    """F1 of names, each of them being one word in these tasks."""
    tokenizer, items = _tokenizer(), Tasks("en", seed=artifacts.seed + BEYOND).entities(ITEMS, "test")

    def score(model: Any) -> float:
        found = right = named = 0
        for item in items:
            words = [tokenizer.tokenize(word) for word in item.words]
            firsts = [1 + sum(map(len, words[:place])) for place in range(len(words))]
            best = model.logits(torch.tensor([tokenizer.encode(" ".join(item.words))]))[0].argmax(dim=-1)  # (N,)
            answers = [TAGS[int(best[place])] for place in firsts]
            found += sum(answer != "O" for answer in answers)
            named += sum(tag != "O" for tag in item.tags)
            right += sum(answer == tag != "O" for answer, tag in zip(answers, item.tags, strict=True))
        return 2 * right / (found + named)

    return _gain(_both(artifacts, "entities", lambda encoder: BertTagger(encoder, len(TAGS))), score)


@metric("choices_gain")
def choices_gain(artifacts: Artifacts) -> float:
    items = Tasks("en", seed=artifacts.seed + BEYOND).choices(ITEMS, "test")
    texts = [[_joined(item.start, ending) for ending in item.endings] for item in items]

    def score(model: Any) -> float:
        right = []
        for four, item in zip(texts, items, strict=True):
            scores = [float(model.scorer.logits(ids[None], kinds[None])) for ids, kinds in four]
            right.append(scores.index(max(scores)) == item.label)
        return float(np.mean(right))

    return _gain(_both(artifacts, "choices", BertChooser), score)


def _settings(artifacts: Artifacts) -> tuple[int, int, int]:
    """Events in a passage, tokens in a window, events in a long passage."""
    found = tuple(int(one) for one in artifacts.tensor("settings", ndim=1))
    if found not in SETTINGS:
        raise BadArtifact(f"the settings of the questions are {found}: one of {SETTINGS} was expected")
    return found


def _earned(text: str, truth: str | None) -> float:
    return official(text, truth or "")[1]


@metric("questions_gain")
def questions_gain(artifacts: Artifacts) -> float:
    """F1 of the best spans above the recorded thresholds."""
    events, room, _ = _settings(artifacts)
    items = Tasks("en", seed=artifacts.seed + BEYOND).questions(ITEMS, "test", events)
    thresholds = artifacts.tensor("thresholds", ndim=1)
    if len(thresholds) != 2:
        raise BadArtifact(f"the tensor 'thresholds' has {len(thresholds)} numbers, expected 2")
    models = _both(artifacts, "questions", BertReader)

    def score(model: Any) -> float:
        threshold = float(thresholds[models.index(model)])
        return float(np.mean([_earned(_answer(model, item, room, threshold), item.answer) for item in items]))

    return _gain(models, score)


def _answer(model: Any, item: Question, room: int, threshold: float) -> str:
    """The best span of all windows, begun where its first token has most context; "" if it is not above no answer by the threshold."""
    tokenizer, characters, ids, place = _tokenizer(), [], [], 0
    for word in item.passage.split(" "):
        pieces = tokenizer.tokenize(word)
        sizes = [len(word)] if pieces == ["[UNK]"] else [len(piece.removeprefix("##")) for piece in pieces]
        for piece, size in zip(pieces, sizes, strict=True):
            ids.append(tokenizer.index[piece])
            characters.append((place, place + size))
            place += size
        place += 1
    question = tokenizer.encode(item.question)
    places = [(0, min(room, len(ids)))]
    while places[-1][1] < len(ids):
        start = places[-1][0] + room // 2
        places.append((start, min(start + room, len(ids))))
    sides = torch.tensor([[min(token - start, end - 1 - token) for token in range(len(ids))] for start, end in places])
    owner = sides.argmax(dim=0).tolist()  # (N,), the first of equals
    spans, silence = [], []
    for number, (start, end) in enumerate(places):
        tokens = torch.tensor([[*question, *ids[start:end], tokenizer.index["[SEP]"]]])
        segments = torch.tensor([[0] * len(question) + [1] * (end - start) + [0]])
        starts, ends = (one[0].tolist() for one in model.logits(tokens, segments))
        silence.append(starts[0] + ends[0])
        at = len(question) - start
        spans += [
            (starts[at + i] + ends[at + j], i, j)
            for i in range(start, end)
            if owner[i] == number
            for j in range(i, min(i + LONGEST, end))
        ]
    most, i, j = max(spans)
    return item.passage[characters[i][0] : characters[j][1]] if most - min(silence) > threshold else ""


@metric("windows_gain")
def windows_gain(artifacts: Artifacts) -> float:
    """F1 on long passages, of windows minus of the first window alone; answers are recorded as characters (from, to)."""
    spans = artifacts.tensor("long_answers", ndim=3)  # (2, Q, 2)
    if spans.size(0) != 2 or spans.size(1) not in (75, 200, 500) or spans.size(2) != 2:
        raise BadArtifact(f"the tensor 'long_answers' has shape {tuple(spans.shape)}, expected (2, questions, 2)")
    items = Tasks("en", seed=artifacts.seed).questions(spans.size(1), "test", _settings(artifacts)[2])
    cut, slid = (
        np.mean(
            [
                _earned(item.passage[max(0, int(a)) : max(0, int(b))], item.answer)
                for item, (a, b) in zip(items, way, strict=True)
            ]
        )
        for way in spans
    )
    return float(slid - cut)
