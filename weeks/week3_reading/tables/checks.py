"""Auditing tables: the public checks. Expected values come from hand counts and closed forms."""

import operator
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from etude.lesson.checks import Mismatch, close, equal, exercise, true
from etude.lesson.interface import Student


def exact(ends: Any, given: str) -> list[str]:
    """Two exact numbers, Decimals or any others that have a numerator and a denominator, as text: ["28.35", "28.45"]."""
    return [f"{number.normalize():f}" for number in _numbers(ends, given)]


def near(ends: Any, given: str) -> list[float]:
    """The same as floats."""
    return [float(number) for number in _numbers(ends, given)]


def _numbers(ends: Any, given: str) -> list[Decimal]:
    try:
        ratios = [
            end.as_integer_ratio() for end in ends
        ]  # a Decimal stays on the student's side, whole numbers come over
        numbers = [Decimal(above) / Decimal(below) for above, below in ratios]
    except (AttributeError, ArithmeticError, TypeError, ValueError):
        raise Mismatch("two numbers (low, high) were expected", given=given, actual=ends) from None
    true(len(numbers) == 2, "two numbers (low, high) were expected", given=given, actual=[str(n) for n in numbers])
    return numbers


def decimals(student: Any, *texts: str) -> tuple[Any, ...]:
    """Decimals on the student's side."""
    return tuple(student["Decimal"](text) for text in texts)


def frame(student: Any, columns: dict[str, list[str]], rows: Iterable[str]) -> Any:
    """A DataFrame on the student's side."""
    return student["pd"].DataFrame(columns, index=list(rows))


# interval


@exercise("interval")
def test_half_a_unit_of_the_last_digit_to_both_sides(student: Student) -> None:
    equal(exact(student.interval("28.4"), "28.4"), ["28.35", "28.45"], given="28.4")
    equal(exact(student.interval("340"), "340"), ["339.5", "340.5"], given="340")


@exercise("interval")
def test_zeros_at_the_end_are_digits(student: Student) -> None:
    equal(exact(student.interval("28.40"), "28.40"), ["28.395", "28.405"], given="28.40")


@exercise("interval")
def test_scientific_notation_counts_the_digits_before_the_exponent(student: Student) -> None:
    equal(exact(student.interval("2.2e-5"), "2.2e-5"), ["0.0000215", "0.0000225"], given="2.2e-5")


# spread


@exercise("spread")
def test_a_ratio_is_least_where_its_parts_disagree(student: Student) -> None:
    given = "a / b of 6.0 and 3.0"
    close(
        near(student.spread(operator.truediv, "6.0", "3.0"), given), [5.95 / 3.05, 6.05 / 2.95], given=given, rtol=1e-9
    )


@exercise("spread")
def test_one_number_has_two_ends(student: Student) -> None:
    given = "the number itself, 1.36"
    equal(exact(student.spread(operator.pos, "1.36"), given), ["1.355", "1.365"], given=given)


@exercise("spread")
def test_a_product_of_negative_numbers_has_its_extremes_at_other_corners(student: Student) -> None:
    given = "a × b of -2 and 3"
    equal(exact(student.spread(operator.mul, "-2", "3"), given), ["-8.75", "-3.75"], given=given)


# follows


@exercise("follows")
def test_intervals_that_share_a_number(student: Student) -> None:
    for low, high, answer in [("8.2", "9.1", True), ("8.9", "8.9", True), ("9.0", "9.5", False), ("8.0", "8.8", False)]:
        given = f"8.9 is claimed, {low} to {high} are possible"
        equal(student.follows("8.9", decimals(student, low, high)), answer, given=given)


@exercise("follows", needs="test_intervals_that_share_a_number")
def test_the_ends_count(student: Student) -> None:
    equal(
        student.follows("8.9", decimals(student, "8.95", "9.5")), True, given="8.9 is claimed, 8.95 to 9.5 are possible"
    )
    equal(
        student.follows("8.9", decimals(student, "8.0", "8.85")), True, given="8.9 is claimed, 8.0 to 8.85 are possible"
    )


@exercise("follows")
def test_a_number_that_was_cut_off_stands_for_all_up_to_the_next(student: Student) -> None:
    for low, high, answer in [("87.6", "87.9", True), ("86.6", "86.9", False), ("88.1", "88.4", False)]:
        given = f"87 is claimed and was cut off, {low} to {high} are possible"
        equal(student.follows("87", decimals(student, low, high), cut=True), answer, given=given)


# average

SCORES = {"a": ["80.0", "60.0"], "b": ["84.0", "61.0"], "c": ["50.0", "62.0"]}


@exercise("average")
def test_each_row_has_the_mean_of_its_columns(student: Student) -> None:
    given = "rows x: 80.0 84.0 50.0 and y: 60.0 61.0 62.0; three groups of one column"
    averages = dict(student.average(frame(student, SCORES, "xy"), [["a"], ["b"], ["c"]]))
    equal(sorted(averages), ["x", "y"], given=given)
    ends = [near(averages[name], given) for name in "xy"]
    close(ends, [[71.3333333333 - 0.05, 71.3333333333 + 0.05], [60.95, 61.05]], given=given, rtol=1e-9)


@exercise("average")
def test_a_group_counts_once(student: Student) -> None:
    given = "row x: 80.0 84.0 50.0; groups (a, b) and (c)"
    averages = dict(student.average(frame(student, SCORES, "xy"), [["a", "b"], ["c"]]))
    close(near(averages["x"], given), [66 - 0.05, 66 + 0.05], given=given, rtol=1e-9)


# training_flops


@exercise("training_flops")
def test_hours(student: Student) -> None:
    given = "12 hours, 8 devices, 9.5 TFLOPS"
    expected = [11.5 * 3600 * 8 * 9.45e12, 12.5 * 3600 * 8 * 9.55e12]
    close(near(student.training_flops("12 hours", 8, "9.5"), given), expected, given=given, rtol=1e-9)


@exercise("training_flops")
def test_days(student: Student) -> None:
    given = "3.5 days, 8 devices, 9.5 TFLOPS"
    expected = [3.45 * 86400 * 8 * 9.45e12, 3.55 * 86400 * 8 * 9.55e12]
    close(near(student.training_flops("3.5 days", 8, "9.5"), given), expected, given=given, rtol=1e-9)


# parameter_count


@exercise("parameter_count")
def test_a_model_without_layers_has_embeddings_and_a_norm(student: Student) -> None:
    equal(
        student.parameter_count(0, 4, 16, 10, 5),
        (10 + 5) * 4 + 2 * 4,
        given="no layers, width 4, 10 tokens, 5 positions",
    )
    equal(
        student.parameter_count(0, 4, 16, 10, 5, segments=2, pooler=True),
        (10 + 5 + 2) * 4 + 2 * 4 + 4 * 4 + 4,
        given="no layers, width 4, 10 tokens, 5 positions, 2 segments, pooler",
    )


@exercise("parameter_count")
def test_one_layer(student: Student) -> None:
    layer = student.parameter_count(1, 4, 10, 7, 3) - student.parameter_count(0, 4, 10, 7, 3)
    equal(
        layer, 4 * (4 * 4 + 4) + (4 * 10 + 10) + (10 * 4 + 4) + 2 * (4 + 4), given="one layer, width 4, feed-forward 10"
    )


@exercise("parameter_count")
def test_bert_base(student: Student) -> None:
    count = student.parameter_count(12, 768, 3072, 30522, 512, segments=2, pooler=True)
    equal(count, 109_482_240, given="12 layers, width 768, 30522 tokens, 512 positions, 2 segments, pooler")


@exercise("parameter_count")
def test_narrow_embeddings_are_projected(student: Student) -> None:
    count = student.parameter_count(0, 768, 3072, 30000, 512, segments=2, embedding=128)
    equal(count, 30514 * 128 + 2 * 128 + 128 * 768 + 768, given="no layers, width 768, embeddings of 128, 30000 tokens")


@exercise("parameter_count", needs="test_one_layer")
def test_shared_layers_are_stored_once(student: Student) -> None:
    one, many = (student.parameter_count(layers, 8, 32, 5, 5, shared=True) for layers in (1, 12))
    true(
        one == many,
        "twelve layers that share their weights have as many as one",
        given="1 and 12 layers",
        actual=[one, many],
    )


# spearman


@exercise("spearman")
def test_the_same_order_gives_one(student: Student) -> None:
    close(student.spearman([1, 2, 3, 4], [10, 11, 50, 1000]), 1.0, given="1 2 3 4 and 10 11 50 1000")
    close(student.spearman([1, 2, 3, 4], [4, 3, 2, 1]), -1.0, given="1 2 3 4 and 4 3 2 1")


@exercise("spearman")
def test_equal_numbers_share_their_mean_rank(student: Student) -> None:
    # Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: covariance 4.5 / 4, variances 4.5 / 4 and 5 / 4.
    close(student.spearman([1, 5, 5, 9], [1, 2, 3, 4]), 4.5 / (4.5 * 5) ** 0.5, given="1 5 5 9 and 1 2 3 4")


# wilson


@exercise("wilson")
def test_no_success_still_leaves_room_above(student: Student) -> None:
    z = 1.959963984540054
    close(student.wilson(0, 10), [0, z * z / (10 + z * z)], given="0 of 10")


@exercise("wilson")
def test_a_half_has_an_interval_around_a_half(student: Student) -> None:
    z = 1.959963984540054
    half = z / 2 / (100 + z * z) ** 0.5
    close(student.wilson(50, 100), [0.5 - half, 0.5 + half], given="50 of 100")


@exercise("wilson")
def test_the_confidence_is_obeyed(student: Student) -> None:
    z = 1.6448536269514722
    half = z / 2 / (36 + z * z) ** 0.5
    close(student.wilson(18, 36, confidence=0.9), [0.5 - half, 0.5 + half], given="18 of 36, 90 %")


# misprints

SUMS = {"a": ["1.2", "3.4", "10.0"], "b": ["2.3", "4.5", "20.0"], "total": ["3.5", "9.7", "30.1"]}


@exercise("misprints")
def test_a_sum_that_cannot_follow_is_found(student: Student) -> None:
    found = student.misprints(frame(student, SUMS, "xyz"), "total", "sum", ["a", "b"])
    equal(list(found), ["y"], given="1.2 + 2.3 = 3.5, 3.4 + 4.5 = 9.7, 10.0 + 20.0 = 30.1")


@exercise("misprints", needs="test_a_sum_that_cannot_follow_is_found")
def test_a_table_without_misprints_accuses_nobody(student: Student) -> None:
    columns = {
        "ice": ["1.9e-4", "6.6e-5", "3.0e-3"],
        "steam": ["2.2e-5", "7.8e-4", "2.2e-3"],
        "of": ["8.9", "8.5e-2", "1.36"],
    }
    found = student.misprints(frame(student, columns, ["solid", "gas", "water"]), "of", "ratio", ["ice", "steam"])
    equal(list(found), [], given="three ratios of GloVe's Table 1")


@exercise("misprints")
def test_a_claim_with_fewer_digits_than_its_parts_is_rounded_further(student: Student) -> None:
    columns = {"a": ["1.23", "1.23"], "b": ["1.24", "1.24"], "total": ["2.5", "2.6"]}
    found = student.misprints(frame(student, columns, "xy"), "total", "sum", ["a", "b"])
    equal(list(found), ["y"], given="1.23 + 1.24 = 2.5 and = 2.6")


@exercise("misprints")
def test_a_difference_is_the_first_less_the_second(student: Student) -> None:
    columns = {"old": ["82.1", "82.1"], "new": ["86.7", "86.7"], "gain": ["4.6", "5.6"]}
    found = student.misprints(frame(student, columns, "xy"), "gain", "difference", ["new", "old"])
    equal(list(found), ["y"], given="86.7 − 82.1 = 4.6 and = 5.6")


@exercise("misprints")
def test_a_row_in_which_a_number_is_missing_is_not_accused(student: Student) -> None:
    columns = {"a": ["1.0", "", "1.0"], "b": ["3.0", "3.0", "3.0"], "mean": ["", "9.0", "9.0"]}
    found = student.misprints(frame(student, columns, "xyz"), "mean", "mean", ["a", "b"])
    equal(list(found), ["z"], given="1.0 and 3.0 without a mean; a missing number; 1.0 and 3.0 with mean 9.0")
