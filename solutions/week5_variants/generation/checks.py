"""generation: the public checks. Expected values come from hand counts, closed forms and PyTorch's own attention."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from etude.lesson.checks import claim, close, equal, exercise, true
from etude.lesson.interface import Student

OUT = -math.inf


def _normal(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def whole(value: Any) -> list[int]:
    """Whole numbers of the student's, in a row."""
    true("int" in str(getattr(value, "dtype", "int")), "whole numbers were expected", actual=value)
    return [int(one) for one in value]


# next_probabilities
@exercise("next_probabilities")
def test_at_temperature_one_it_is_the_softmax(student: Student) -> None:
    logits = torch.tensor([[math.log(6), math.log(3), 0.0]])
    close(student.next_probabilities(logits, 1.0), [[0.6, 0.3, 0.1]], given="logits (ln 6, ln 3, 0), T = 1")


@exercise("next_probabilities")
def test_odds_are_raised_to_one_over_the_temperature(student: Student) -> None:
    logits = torch.tensor([[math.log(2), 0.0]])
    close(student.next_probabilities(logits, 0.5), [[0.8, 0.2]], given="logits (ln 2, 0), T = ½: odds of 2² = 4 to 1")
    logits = torch.tensor([[math.log(9), 0.0]])
    close(student.next_probabilities(logits, 2), [[0.75, 0.25]], given="logits (ln 9, 0), T = 2: odds of √9 = 3 to 1")


@exercise("next_probabilities")
def test_at_temperature_zero_the_likeliest_has_everything(student: Student) -> None:
    logits = torch.tensor([[1.0, 1.25, -3.0], [-1.0, -2.0, -1.5]])
    expected = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    close(student.next_probabilities(logits, 0), expected, given="logits (1, 1.25, −3) and (−1, −2, −1.5), T = 0")


@exercise("next_probabilities", points=0.5, needs="test_at_temperature_zero_the_likeliest_has_everything")
def test_at_temperature_zero_equals_share(student: Student) -> None:
    logits = torch.tensor([[2.0, 0.0, 2.0]])
    close(student.next_probabilities(logits, 0), [[0.5, 0.0, 0.5]], given="logits (2, 0, 2), T = 0")


@exercise("next_probabilities", points=0.5, needs="test_odds_are_raised_to_one_over_the_temperature")
def test_low_temperatures_do_not_overflow(student: Student) -> None:
    logits = torch.tensor([[100.0, 99.0, OUT]])
    given = "logits (100, 99, −∞), T = 0.01: e^10000 is too large for a float"
    close(student.next_probabilities(logits, 0.01), [[1.0, 0.0, 0.0]], given=given)


# draw
@exercise("draw")
def test_the_noise_falls_into_a_stretch_of_the_line(student: Student) -> None:
    probabilities = torch.tensor([[0.5, 0.2, 0.3]]).expand(5, 3).clone()
    noise = torch.tensor([0.1, 0.45, 0.62, 0.75, 0.95])
    given = "probabilities (.5, .2, .3), noise .1, .45, .62, .75, .95"
    equal(whole(student.draw(probabilities, noise)), [0, 0, 1, 2, 2], given=given)


@exercise("draw")
def test_each_row_has_probabilities_and_noise_of_its_own(student: Student) -> None:
    probabilities = torch.tensor([[0.25, 0.25, 0.5], [0.0, 1.0, 0.0], [0.5, 0.25, 0.25]])
    given = "rows (¼, ¼, ½), (0, 1, 0), (½, ¼, ¼), noise .4, .9, .6"
    equal(whole(student.draw(probabilities, torch.tensor([0.4, 0.9, 0.6]))), [1, 1, 1], given=given)


@exercise("draw", points=0.5, needs="test_the_noise_falls_into_a_stretch_of_the_line")
def test_a_stretch_begins_with_its_left_end(student: Student) -> None:
    probabilities = torch.tensor([[0.0, 0.5, 0.5], [0.25, 0.25, 0.5]])
    given = "rows (0, ½, ½) with noise 0 and (¼, ¼, ½) with noise ½: the sum has to exceed the noise"
    equal(whole(student.draw(probabilities, torch.tensor([0.0, 0.5]))), [1, 2], given=given)


@exercise("draw", points=0.5, needs="test_the_noise_falls_into_a_stretch_of_the_line")
def test_where_rounding_leaves_too_small_a_sum_the_last_possible_token_is_drawn(student: Student) -> None:
    tiny = 2**-23  # in float32 the sums are 1 − tiny, the noise is half-way to 1
    probabilities = torch.tensor([[0.5, 0.5 - tiny, 0, 0], [0.5 - tiny, 0, 0.5, 0]])
    given = "rows (½, ½ − 2⁻²³, 0, 0) and (½ − 2⁻²³, 0, ½, 0), which sum to 1 − 2⁻²³, noise 1 − 2⁻²⁴ for both"
    equal(whole(student.draw(probabilities, torch.tensor([1 - tiny / 2] * 2))), [1, 2], given=given)


# top_k
@exercise("top_k")
def test_the_k_largest_logits_stay_where_they_are(student: Student) -> None:
    logits = torch.tensor([[1.0, 3.0, -2.0, 2.0]])
    close(student.top_k(logits, 2), [[OUT, 3.0, OUT, 2.0]], given="logits (1, 3, −2, 2), k = 2")
    close(student.top_k(logits, 1), [[OUT, 3.0, OUT, OUT]], given="logits (1, 3, −2, 2), k = 1")


@exercise("top_k")
def test_each_row_has_a_threshold_of_its_own(student: Student) -> None:
    logits = torch.tensor([[1.0, 2.0, 3.0], [30.0, 10.0, 20.0]])
    expected = [[OUT, 2.0, 3.0], [30.0, OUT, 20.0]]
    close(student.top_k(logits, 2), expected, given="logits (1, 2, 3) and (30, 10, 20), k = 2")


@exercise("top_k")
def test_those_as_likely_as_the_last_stay_too(student: Student) -> None:
    given = "logits (3, 1, 2, 2, ½), k = 2"
    logits = torch.tensor([[3.0, 1.0, 2.0, 2.0, 0.5]])
    close(student.top_k(logits, 2), [[3.0, OUT, 2.0, 2.0, OUT]], given=given)
    close(student.top_k(logits, 3), [[3.0, OUT, 2.0, 2.0, OUT]], given="the same logits, k = 3: the two 2s are two tokens")


@exercise("top_k", points=0.5, needs="test_the_k_largest_logits_stay_where_they_are")
def test_k_may_be_more_than_there_are_tokens(student: Student) -> None:
    close(student.top_k(torch.tensor([[1.0, -1.0]]), 40), [[1.0, -1.0]], given="logits (1, −1), k = 40")


# top_p
def _logs(*probabilities: float) -> Tensor:
    return torch.tensor([probabilities]).log()


def _left(student: Student, logits: Tensor, p: float) -> list[list[int]]:
    """The tokens that the student leaves, row by row, after a look at their logits."""
    found = student.top_p(logits, p)
    given = f"p = {p}"
    true(tuple(getattr(found, "shape", ())) == tuple(logits.shape), "a table like the logits was expected", given=given)
    kept = [[token for token, value in enumerate(row) if value != OUT] for row in found.tolist()]
    places = [(row, token) for row, tokens in enumerate(kept) for token in tokens]
    values, expected = ([table[row][token] for row, token in places] for table in (found.tolist(), logits.tolist()))
    close(values, expected, given="the logits that are left")
    return kept


@exercise("top_p")
def test_tokens_stay_until_their_probabilities_reach_p(student: Student) -> None:
    logits = _logs(0.6, 0.25, 0.1, 0.05)
    for p, kept in ((0.5, [0]), (0.8, [0, 1]), (0.9, [0, 1, 2]), (0.99, [0, 1, 2, 3])):
        equal(_left(student, logits, p), [kept], given=f"probabilities .6, .25, .1, .05, p = {p}: the tokens that stay")
    given = "probabilities .4, .3, .2, .1, p = .6: the tokens that stay"
    equal(_left(student, _logs(0.4, 0.3, 0.2, 0.1), 0.6), [[0, 1]], given=given)


@exercise("top_p")
def test_the_likeliest_stay_wherever_they_stand(student: Student) -> None:
    given = "probabilities .05, .6, .1, .25, p = .8: the tokens that stay"
    equal(_left(student, _logs(0.05, 0.6, 0.1, 0.25), 0.8), [[1, 3]], given=given)


@exercise("top_p")
def test_each_row_has_a_nucleus_of_its_own(student: Student) -> None:
    logits = torch.cat([_logs(0.01, 0.97, 0.02), _logs(0.4, 0.25, 0.35)])
    given = "rows .01, .97, .02 and .4, .25, .35, p = .9: the tokens that stay"
    equal(_left(student, logits, 0.9), [[1], [0, 1, 2]], given=given)


@exercise("top_p", points=0.5)
def test_one_token_always_stays(student: Student) -> None:
    given = "probabilities .1, .7, .2, the tokens that stay"
    equal(_left(student, _logs(0.1, 0.7, 0.2), 0.3), [[1]], given=f"p = .3, {given}")
    equal(_left(student, _logs(0.1, 0.7, 0.2), 0.0), [[1]], given=f"p = 0, {given}")


@exercise("top_p", points=0.5)
def test_logits_need_not_be_logarithms_of_probabilities(student: Student) -> None:
    given = "logits 10 + ln(.6, .25, .1, .05), p = .8: the tokens that stay"
    equal(_left(student, _logs(0.6, 0.25, 0.1, 0.05) + 10, 0.8), [[0, 1]], given=given)


# penalize
@exercise("penalize")
def test_logits_above_zero_are_divided(student: Student) -> None:
    logits = torch.tensor([[3.0, 2.0, 1.0]])
    given = "logits (3, 2, 1), the text 0 2, penalty 2"
    close(student.penalize(logits, torch.tensor([[0, 2]]), 2.0), [[1.5, 2.0, 0.5]], given=given)


@claim("gen-penalty-sign")
@exercise("penalize")
def test_logits_below_zero_are_multiplied(student: Student) -> None:
    logits = torch.tensor([[-3.0, -2.0, 0.0]])
    divided = (logits / torch.tensor([[1.5, 1.0, 1.0]])).softmax(dim=-1)  # as printed: token 0 gains
    true(bool(divided[0, 0] > logits.softmax(dim=-1)[0, 0]), "a division raises a logit below 0")
    given = "logits (−3, −2, 0), the text 0 2, penalty 1.5"
    close(student.penalize(logits, torch.tensor([[0, 2]]), 1.5), [[-4.5, -2.0, 0.0]], given=given)


@exercise("penalize")
def test_a_token_written_twice_is_penalised_once(student: Student) -> None:
    given = "logits (4, −1, 2), the text 0 1 0 1 0, penalty 2"
    text = torch.tensor([[0, 1, 0, 1, 0]])
    close(student.penalize(torch.tensor([[4.0, -1.0, 2.0]]), text, 2.0), [[2.0, -2.0, 2.0]], given=given)


@exercise("penalize")
def test_each_row_has_a_text_of_its_own(student: Student) -> None:
    given = "logits (2, 4) twice, the texts 0 0 and 1 1, penalty 2"
    logits = torch.tensor([[2.0, 4.0], [2.0, 4.0]])
    close(student.penalize(logits, torch.tensor([[0, 0], [1, 1]]), 2.0), [[1.0, 4.0], [2.0, 2.0]], given=given)


@exercise("penalize", points=0.5, needs="test_logits_above_zero_are_divided")
def test_an_empty_text_changes_nothing(student: Student) -> None:
    text = torch.empty(2, 0, dtype=torch.int64)
    logits = torch.tensor([[1.0, -1.0], [0.5, 2.0]])
    close(student.penalize(logits, text, 1.2), [[1.0, -1.0], [0.5, 2.0]], given="two texts without tokens")


# attend
def _attended(student: Student, given: str, *args: Any) -> tuple[Any, Any]:
    found = student.attend(*args)
    true(len(found) == 2, "two things were expected: the output and the longer (keys, values)", given=given)
    true(len(found[1]) == 2, "keys and values were expected after the output", given=given)
    return found[0], found[1]


@exercise("attend")
def test_the_first_token_gets_its_own_value(student: Student) -> None:
    value = torch.tensor([[[[7.0, 8.0]]]])
    given = "one token, nothing kept, its value (7, 8)"
    output, kept = _attended(student, given, torch.ones(1, 1, 1, 2), torch.full((1, 1, 1, 2), 3.0), value)
    close(output, value, given=given)
    close(kept[0], [[[[3.0, 3.0]]]], given=f"{given}: the keys that are kept")
    close(kept[1], value, given=f"{given}: the values that are kept")


@exercise("attend")
def test_a_prompt_sees_no_later_token(student: Student) -> None:
    queries, keys, values = (_normal(2, 3, 4, 6, seed=n) for n in (1, 2, 3))
    given = "random queries, keys and values (2, 3, 4, 6), nothing kept"
    output, _ = _attended(student, given, queries, keys, values)
    expected = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    close(output, expected, given=given, atol=1e-5)


@exercise("attend")
def test_new_tokens_see_all_that_was_kept(student: Student) -> None:
    zeros = torch.zeros(1, 1, 2, 1)
    past = (torch.zeros(1, 1, 2, 1), torch.tensor([[[[4.0], [8.0]]]]))
    given = "queries and keys 0, values 4 and 8 kept, then 3 and 1: means of 3 and of 4 values"
    output, kept = _attended(student, given, zeros, zeros, torch.tensor([[[[3.0], [1.0]]]]), past)
    close(output, [[[[5.0], [4.0]]]], given=given)
    close(kept[1], [[[[4.0], [8.0], [3.0], [1.0]]]], given=f"{given}; the values that are kept")


@exercise("attend")
def test_one_by_one_gives_what_one_pass_gives(student: Student) -> None:
    parts = [_normal(1, 2, 5, 3, seed=n) for n in (4, 5, 6)]
    expected = functional.scaled_dot_product_attention(*parts, is_causal=True)  # type: ignore[arg-type, misc]
    given = "five random tokens: two at once, then three one by one"
    past: Any = None
    outputs = []
    for start, stop in ((0, 2), (2, 3), (3, 4), (4, 5)):
        new = [part[:, :, start:stop] for part in parts]
        before = None if past is None else (parts[1][:, :, :start], parts[2][:, :, :start])
        output, past = _attended(student, given, *new, before)
        outputs.append(torch.as_tensor(output.tolist()))
    close(torch.cat(outputs, dim=2), expected, given=given, atol=1e-5)
    close(past[0], parts[1], given=f"{given}; the keys that are kept")


# complete_text
@exercise("complete_text")
def test_a_character_waits_for_its_last_byte(student: Student) -> None:
    pieces = [b"\xeb\x88", b"\x88 \xeb", b"\xb0\xb0"]
    equal(list(student.complete_text(pieces)), ["", "눈 ", "배"], given="EB 88 | 88 20 EB | B0 B0")


@exercise("complete_text")
def test_whole_characters_are_shown_at_once(student: Student) -> None:
    pieces = [b"we", b" saw", " 눈".encode(), b"!"]
    equal(list(student.complete_text(pieces)), ["we", " saw", " 눈", "!"], given="pieces that end where characters end")


@exercise("complete_text")
def test_a_character_may_come_byte_by_byte(student: Student) -> None:
    pieces = [bytes([byte]) for byte in "킹😀é".encode()]
    expected = ["", "", "킹", "", "", "", "😀", "", "é"]
    equal(list(student.complete_text(pieces)), expected, given="킹😀é, one byte at a time: 3, 4 and 2 bytes")


@exercise("complete_text", points=0.5)
def test_what_is_not_whole_at_the_end_is_not_shown(student: Student) -> None:
    pieces = [b"a\xf0\x9f", b"\x98"]
    equal(list(student.complete_text(pieces)), ["a", ""], given="61 F0 9F | 98: the last character lacks a byte")


# distinct
@exercise("distinct")
def test_ngrams_counted_by_hand(student: Student) -> None:
    text = ["we", "saw", "a", "flag", "we", "saw", "a", "map"]
    for n, share in ((1, 5 / 8), (2, 5 / 7), (3, 5 / 6), (4, 1.0)):
        close(float(student.distinct([text], n)), share, given=f"we saw a flag we saw a map, n = {n}")


@exercise("distinct")
def test_repeats_are_found_across_texts(student: Student) -> None:
    given = "the texts 1 2 3 and 1 2 4, n = 2: 12, 23, 12, 24"
    close(float(student.distinct([[1, 2, 3], [1, 2, 4]], 2)), 0.75, given=given)


@exercise("distinct")
def test_no_ngram_crosses_from_one_text_to_the_next(student: Student) -> None:
    given = "the texts 1 2 and 3 1 and 2 3, n = 2: 12, 31, 23"
    close(float(student.distinct([[1, 2], [3, 1], [2, 3]], 2)), 1.0, given=given)
    close(float(student.distinct([[1, 1, 2], [2, 1]], 2)), 1.0, given="the texts 1 1 2 and 2 1, n = 2: 11, 12, 21")
    close(float(student.distinct([[1, 2, 1], [2, 2]], 2)), 1.0, given="the texts 1 2 1 and 2 2, n = 2: 12, 21, 22")
    close(float(student.distinct([[1, 2], [1, 2]], 2)), 0.5, given="the text 1 2 twice, n = 2: 12, 12")


@exercise("distinct", points=0.5, needs="test_ngrams_counted_by_hand")
def test_short_texts_repeat_nothing(student: Student) -> None:
    close(float(student.distinct([["a", "b"], []], 3)), 1.0, given="the texts a b and one without tokens, n = 3")
    close(float(student.distinct([], 2)), 1.0, given="no text, n = 2")
