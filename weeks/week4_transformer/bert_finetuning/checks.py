"""bert_finetuning: the public checks. Expected values come from hand counts, closed forms and brute force."""

import math
from typing import Any

import torch

from etude.lesson.checks import Mismatch, claim, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain

NOT = -100  # the label that no loss asks for


def numbers(value: Any, given: str) -> list[int]:
    """Whole numbers of the student's in a row, whatever holds them."""
    try:
        found = [plain(one.item() if hasattr(one, "item") else one) for one in value]
    except TypeError:
        raise Mismatch("a row of whole numbers was expected", given=given, actual=value) from None
    true(all(type(one) is int for one in found), "whole numbers were expected", given=given, actual=found)
    return found


# matthews
@exercise("matthews")
def test_a_table_counted_by_hand(student: Student) -> None:
    # 6 · 3 − 1 · 2 = 16; the rows sum to 7 and 5, the columns to 8 and 4.
    given = "TN 6, FP 1, FN 2, TP 3"
    close(student.matthews([[6, 1], [2, 3]]), 16 / math.sqrt(7 * 5 * 8 * 4), given=given)


@exercise("matthews")
def test_all_right_is_one_and_all_wrong_is_minus_one(student: Student) -> None:
    close(student.matthews([[5, 0], [0, 2]]), 1.0, given="TN 5, TP 2, nothing wrong")
    close(student.matthews([[0, 5], [2, 0]]), -1.0, given="FP 5, FN 2, nothing right")


@exercise("matthews", points=0.5, needs="test_a_table_counted_by_hand")
def test_who_always_says_the_same_has_zero(student: Student) -> None:
    close(student.matthews([[0, 300], [0, 700]]), 0.0, given="FP 300, TP 700: always yes")
    close(student.matthews([[300, 0], [700, 0]]), 0.0, given="TN 300, FN 700: always no")


# first_pieces
@exercise("first_pieces")
def test_the_label_stands_at_the_first_piece_alone(student: Student) -> None:
    words, tags = [["han", "##s", "##i"], ["in"], ["bus", "##an"]], [1, 0, 3]
    given = "the words han ##s ##i, in, bus ##an with the tags 1, 0, 3"
    _, labels = student.first_pieces(words, tags)
    equal(numbers(labels, given), [NOT, 1, NOT, NOT, 0, 3, NOT, NOT], given=f"{given}: the labels")


@exercise("first_pieces")
def test_the_pieces_stand_between_cls_and_sep(student: Student) -> None:
    pieces, _ = student.first_pieces([["han", "##s"], ["in"]], [1, 0])
    given = "the words han ##s and in: the pieces"
    equal(list(pieces), ["[CLS]", "han", "##s", "in", "[SEP]"], given=given)


@exercise("first_pieces")
def test_a_word_without_pieces_takes_no_place(student: Student) -> None:
    given = "the words seoul, one without a piece, and is, with the tags 2, 4, 0"
    pieces, labels = student.first_pieces([["seoul"], [], ["is"]], [2, 4, 0])
    equal(list(pieces), ["[CLS]", "seoul", "is", "[SEP]"], given=f"{given}: the pieces")
    equal(numbers(labels, given), [NOT, 2, 0, NOT], given=f"{given}: the labels")


# choice_loss
@exercise("choice_loss")
def test_equal_scores_cost_the_logarithm_of_the_choices(student: Student) -> None:
    loss = student.choice_loss(torch.zeros(8), torch.tensor([3, 0]))
    close(loss, math.log(4), given="two questions of four choices, all scores 0")


@exercise("choice_loss")
def test_each_question_has_its_own_softmax(student: Student) -> None:
    scores = torch.tensor([math.log(3.0), 0.0, 50.0, 50.0 + math.log(3.0)])
    loss = student.choice_loss(scores, torch.tensor([0, 0]))
    given = "scores (ln 3, 0) and (50, 50 + ln 3), labels 0 and 0: the mean of ln 4/3 and ln 4"
    close(loss, (math.log(4 / 3) + math.log(4)) / 2, given=given)


@exercise("choice_loss", needs="test_equal_scores_cost_the_logarithm_of_the_choices")
def test_the_choices_of_one_question_stand_side_by_side(student: Student) -> None:
    loss = student.choice_loss(torch.tensor([20.0, 0.0, 0.0, 0.0, 20.0, 0.0]), torch.tensor([0, 1]))
    close(loss, 0.0, given="two questions of three choices, scores (20, 0, 0) and (0, 20, 0), labels 0 and 1")


# answer_tokens
SPANS = [(0, 2), (2, 3), (4, 6), (6, 8), (9, 10), (10, 11)]


def tokens(student: Student, spans: list[tuple[int, int]], start: int, end: int, given: str) -> list[int] | None:
    found = student.answer_tokens(spans, start, end)
    return None if found is None else numbers(found, given)


TEXT = "tokens at the characters 0:2, 2:3, 4:6, 6:8, 9:10 and 10:11"


@exercise("answer_tokens")
def test_an_answer_of_whole_tokens(student: Student) -> None:
    given = f"{TEXT}; the answer is 4:6"
    equal(tokens(student, SPANS, 4, 6, given), [2, 2], given=given)
    given = f"{TEXT}; the answer is 4:10"
    equal(tokens(student, SPANS, 4, 10, given), [2, 4], given=given)
    given = f"{TEXT}; the answer is 6:8"
    equal(tokens(student, SPANS, 6, 8, given), [3, 3], given=given)


@exercise("answer_tokens")
def test_a_token_counts_if_a_part_of_it_is_in_the_answer(student: Student) -> None:
    given = f"{TEXT}; the answer is 5:7"
    equal(tokens(student, SPANS, 5, 7, given), [2, 3], given=given)
    given = f"{TEXT}; the answer is 1:2"
    equal(tokens(student, SPANS, 1, 2, given), [0, 0], given=given)


@exercise("answer_tokens")
def test_a_window_that_holds_half_of_the_answer_or_nothing_of_it(student: Student) -> None:
    given = "a window with the tokens 9:10 and 10:11; the answer is 4:10"
    equal(tokens(student, SPANS[4:], 4, 10, given), [0, 0], given=given)
    given = "a window with the tokens 9:10 and 10:11; the answer is 4:8"
    equal(tokens(student, SPANS[4:], 4, 8, given), None, given=given)


# best_span
def span(
    student: Student, starts: list[float], ends: list[float], allowed: list[bool], longest: int, given: str
) -> tuple[list[int], float]:
    """The student's span and its score."""
    found = student.best_span(torch.tensor(starts).float(), torch.tensor(ends).float(), torch.tensor(allowed), longest)
    try:
        first, last, score = found
    except (TypeError, ValueError):
        raise Mismatch("three values were expected: first, last, score", given=given, actual=found) from None
    return numbers([first, last], given), float(score)


@exercise("best_span")
def test_start_and_end_are_added(student: Student) -> None:
    given = "starts (0, 5, 1, 0), ends (0, 1, 2, 4), all allowed, at most 4 tokens"
    place, score = span(student, [0, 5, 1, 0], [0, 1, 2, 4], [True] * 4, 4, given)
    equal(place, [1, 3], given=given)
    close(score, 9.0, given=f"{given}: the score")


@exercise("best_span")
def test_the_best_start_need_not_be_in_the_best_span(student: Student) -> None:
    given = "starts (3, 0, 5, 0), ends (0, 6, 1, 2), all allowed, at most 4 tokens"
    place, score = span(student, [3, 0, 5, 0], [0, 6, 1, 2], [True] * 4, 4, given)
    equal(place, [0, 1], given=given)
    close(score, 9.0, given=f"{given}: the score")


@exercise("best_span")
@claim("squad-argmax")
def test_it_never_ends_before_it_begins(student: Student) -> None:
    given = "starts (0, 1, 5, 0), ends (6, 2, 0, 2), all allowed, at most 4 tokens"
    place, score = span(student, [0, 1, 5, 0], [6, 2, 0, 2], [True] * 4, 4, given)
    equal(place, [2, 3], given=given)  # the two maxima apart are start 2 and end 0
    close(score, 7.0, given=f"{given}: the score")


@exercise("best_span")
def test_it_has_at_most_so_many_tokens(student: Student) -> None:
    starts, ends = [9.0, 0.0, 0.0, 0.0, 3.0], [1.0, 2.0, 5.0, 9.0, 1.0]
    for longest, expected in ((1, [0, 0]), (2, [0, 1]), (3, [0, 2]), (4, [0, 3])):
        given = f"starts (9, 0, 0, 0, 3), ends (1, 2, 5, 9, 1), at most {longest} tokens"
        place, _ = span(student, starts, ends, [True] * 5, longest, given)
        equal(place, expected, given=given)


@exercise("best_span")
def test_it_begins_and_ends_inside_the_passage(student: Student) -> None:
    given = "starts (9, 9, 1, 0, 0), ends (0, 9, 0, 2, 9), of which the tokens 2 and 3 are allowed, at most 5 tokens"
    place, score = span(student, [9, 9, 1, 0, 0], [0, 9, 0, 2, 9], [False, False, True, True, False], 5, given)
    equal(place, [2, 3], given=given)
    close(score, 3.0, given=f"{given}: the score")


# choose_threshold
def threshold(student: Student, margins: list[float], answered: list[float], silent: list[float], given: str) -> float:
    found = student.choose_threshold(margins, answered, silent)
    try:
        value = float(found)
    except (TypeError, ValueError):
        raise Mismatch("a number was expected", given=given, actual=found) from None
    true(not math.isnan(value), "a number was expected", given=given, actual=value)
    return value


@exercise("choose_threshold", needs="test_a_question_whose_margin_is_the_threshold_is_not_answered")
def test_it_lies_where_most_is_earned(student: Student) -> None:
    margins, answered, silent = [5.0, 1.0, 3.0, -2.0], [1.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.0, 1.0]
    given = "margins 5, 1, 3, −2; answers earn 1, 0, .5, 0, silence 0, 1, 0, 1"
    found = threshold(student, margins, answered, silent, given)
    true(1 <= found < 3, "thresholds from 1 on, and below 3, earn most", given=given, actual=found)


@exercise("choose_threshold")
def test_a_question_whose_margin_is_the_threshold_is_not_answered(student: Student) -> None:
    margins, answered, silent = [2.0, 2.0, 4.0], [0.0, 0.25, 1.0], [1.0, 0.0, 0.0]
    given = "margins 2, 2, 4; answers earn 0, .25, 1, silence 1, 0, 0"
    found = threshold(student, margins, answered, silent, given)
    true(2 <= found < 4, "thresholds from 2 on, and below 4, earn most", given=given, actual=found)


@exercise("choose_threshold", points=0.5, needs="test_a_question_whose_margin_is_the_threshold_is_not_answered")
def test_it_may_be_best_to_answer_all_or_none(student: Student) -> None:
    given = "margins −3, 1; answers earn 1 and 1, silence 0 and 0"
    found = threshold(student, [-3.0, 1.0], [1.0, 1.0], [0.0, 0.0], given)
    true(found < -3, "a threshold below all margins answers all", given=given, actual=found)
    given = "margins −3, 1; answers earn 0 and 0, silence 1 and 1"
    found = threshold(student, [-3.0, 1.0], [0.0, 0.0], [1.0, 1.0], given)
    true(found >= 1, "a threshold of 1 or more answers none", given=given, actual=found)


# answer_scores
def scores(student: Student, answer: str, truths: list[str], exact: float, f1: float) -> None:
    found, given = student.answer_scores(answer, truths), f"the answer {answer!r}, the truths {truths!r}"
    true(isinstance(found, tuple | list) and len(found) == 2, "two numbers were expected", given=given, actual=found)
    close([float(one) for one in found], [exact, f1], given=f"{given}: exact match and F1")


@exercise("answer_scores")
def test_f1_counts_the_words_that_both_have(student: Student) -> None:
    scores(student, "in the old hospital", ["the hospital"], 0.0, 0.5)
    scores(student, "red red cat", ["red cat cat"], 0.0, 2 / 3)
    scores(student, "tac", ["cat"], 0.0, 0.0)


@exercise("answer_scores")
def test_exact_match_asks_for_the_order_and_f1_does_not(student: Student) -> None:
    scores(student, "hospital old", ["old hospital"], 0.0, 1.0)


@exercise("answer_scores")
def test_case_punctuation_and_articles_do_not_count(student: Student) -> None:
    scores(student, "The U.S. Navy!", ["us navy"], 1.0, 1.0)
    scores(student, "a   theatre", ["An theatre"], 1.0, 1.0)
    scores(student, "theatre", ["tre"], 0.0, 0.0)


@exercise("answer_scores")
def test_the_best_of_several_truths_counts(student: Student) -> None:
    scores(student, "old hospital", ["hospital", "the old hospital", "school"], 1.0, 1.0)
    scores(student, "old hospital", ["school", "hospital"], 0.0, 2 / 3)


@exercise("answer_scores", points=0.5, needs="test_f1_counts_the_words_that_both_have")
def test_no_answer_is_right_only_where_there_is_none(student: Student) -> None:
    scores(student, "", [""], 1.0, 1.0)
    scores(student, "hospital", [""], 0.0, 0.0)
    scores(student, "", ["hospital"], 0.0, 0.0)


# windows
def pairs(found: Any, given: str) -> list[list[int]]:
    """Windows as lists of two whole numbers, whatever holds them."""
    try:
        return [numbers(one, given) for one in found]
    except TypeError:
        raise Mismatch("a list of windows was expected", given=given, actual=found) from None


@exercise("windows")
def test_they_follow_each_other_by_the_stride(student: Student) -> None:
    given = "10 tokens, size 6, stride 3"
    equal(pairs(student.windows(10, 6, 3), given), [[0, 6], [3, 9], [6, 10]], given=given)
    given = "10 tokens, size 6, stride 2"
    equal(pairs(student.windows(10, 6, 2), given), [[0, 6], [2, 8], [4, 10]], given=given)


@exercise("windows")
def test_the_first_that_reaches_the_end_is_the_last(student: Student) -> None:
    for length, expected in ((6, [[0, 6]]), (9, [[0, 6], [3, 9]]), (7, [[0, 6], [3, 7]])):
        given = f"{length} tokens, size 6, stride 3"
        equal(pairs(student.windows(length, 6, 3), given), expected, given=given)


@exercise("windows")
def test_a_short_text_is_one_window(student: Student) -> None:
    given = "4 tokens, size 6, stride 3"
    equal(pairs(student.windows(4, 6, 3), given), [[0, 4]], given=given)


# most_context
@exercise("most_context")
def test_the_smaller_side_counts(student: Student) -> None:
    given = "the windows (0, 6), (3, 9), (6, 10) over 10 tokens"
    found = numbers(student.most_context([(0, 6), (3, 9), (6, 10)], 10), given)
    equal(found, [0, 0, 0, 0, 0, 1, 1, 1, 2, 2], given=given)
    given = "the windows (0, 6), (2, 8) over 8 tokens"
    equal(numbers(student.most_context([(0, 6), (2, 8)], 8), given), [0, 0, 0, 0, 1, 1, 1, 1], given=given)


@exercise("most_context")
def test_of_equally_good_windows_the_first(student: Student) -> None:
    given = "the windows (0, 5), (2, 7) over 7 tokens: token 3 has 1 at its smaller side in both"
    equal(numbers(student.most_context([(0, 5), (2, 7)], 7), given), [0, 0, 0, 0, 1, 1, 1], given=given)


@exercise("most_context", points=0.5, needs="test_the_smaller_side_counts")
def test_one_window_judges_all(student: Student) -> None:
    given = "the window (0, 3) over 3 tokens"
    equal(numbers(student.most_context([(0, 3)], 3), given), [0, 0, 0], given=given)
