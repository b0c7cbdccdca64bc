"""Auditing tables: hidden checks and the metrics that the grader computes itself. Never released."""

import math
import operator
import random
from decimal import Decimal
from fractions import Fraction
from itertools import chain, product
from typing import Any

import pandas as pd
import torch
from hypothesis.strategies import DrawFn, SearchStrategy, booleans, composite, integers, lists, none, sampled_from
from scipy import stats

from etude.lesson.checks import Mismatch, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.papers import tables
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons.generated import for_all

TABLES = 150  # planted tables in a run, as in the notebook
Ends = tuple[Fraction, Fraction]


def numbers(ends: Any, given: str) -> list[Fraction]:
    """Two exact numbers of the student's, whatever type they have."""
    try:
        ratios = [end.as_integer_ratio() for end in ends]
        found = [Fraction(above, below) for above, below in ratios]
    except (AttributeError, ArithmeticError, TypeError, ValueError):
        raise Mismatch("two numbers (low, high) were expected", given=given, actual=ends) from None
    true(len(found) == 2, "two numbers (low, high) were expected", given=given, actual=[str(n) for n in found])
    return found


def near(ends: Any, expected: Any, given: str) -> None:
    """Both ends agree, up to the 28 digits that a Decimal keeps."""
    close(
        [float(end) for end in numbers(ends, given)], [float(end) for end in expected], given=given, rtol=1e-9, atol=0
    )


def frame(student: Any, table: pd.DataFrame) -> Any:
    """A DataFrame on the student's side."""
    return student["pd"].DataFrame(table.to_dict("list"), index=table.index.tolist())


def interval(printed: str) -> Ends:
    """By hand, without Decimal: the digits as a whole number, and the power of ten that they count."""
    digits, _, exponent = printed.lower().partition("e")
    whole, _, decimals = digits.partition(".")
    unit = Fraction(10) ** (int(exponent or 0) - len(decimals))
    return (int(whole + decimals) - Fraction(1, 2)) * unit, (int(whole + decimals) + Fraction(1, 2)) * unit


def rows_that_cannot_follow(table: pd.DataFrame, claimed: str, rule: str, parts: list[str]) -> list[str]:
    """The least and the greatest value over all corners against the claim's interval."""
    found = []
    for name, row in table.iterrows():
        if "" in [row[claimed], *row[parts]]:
            continue
        values = [tables.RULES[rule](corner) for corner in product(*(interval(row[part]) for part in parts))]
        low, high = interval(row[claimed])
        if max(values) < low or min(values) > high:
            found.append(str(name))
    return found


@composite
def printed_numbers(draw: DrawFn, signs: tuple[str, ...] = ("", "-")) -> str:
    """Printed numbers: with and without a point, zeros at the end, leading zeros, an exponent."""
    digits = "".join(draw(lists(sampled_from("0159"), min_size=1, max_size=5)))
    point = draw(integers(0, len(digits) - 1))
    decimal = f"{digits[: len(digits) - point]}.{digits[len(digits) - point :]}" if point else digits
    decimal = draw(sampled_from([decimal] * 6 + ([] if point else [f"{digits}.", f".{digits}"])))
    return draw(sampled_from(signs)) + decimal + draw(sampled_from(["", "", "", "e1", "E-2", "e+3", "e12", "e0"]))


def above_zero() -> SearchStrategy[str]:
    """Printed numbers whose whole interval is above 0."""
    return printed_numbers(("",)).filter(lambda printed: interval(printed)[0] > 0)


# interval


@exercise("interval")
@for_all(printed=printed_numbers(("", "-", "-", "+")))
def test_any_printed_number_agrees_with_fractions(student: Student, printed: str) -> None:
    equal([str(end) for end in numbers(student.interval(printed), printed)], [str(end) for end in interval(printed)])


@exercise("interval", points=2)
def test_many_printed_numbers_agree_with_fractions(student: Student) -> None:
    for printed in [
        "0.960",
        "5.404",
        "-0.50",
        "-3",
        "0",
        "0.0",
        "8.5e-2",
        "1.0E20",
        "3e0",
        "-2.50e3",
        "110e6",
        "123456.789",
        "0.12345678",
        "12345678901234567890",
        "-0.01234567890123456789",
        "1.00000000000000000e-30",
        "99999999999999999.99e25",
    ]:
        ends = numbers(student.interval(printed), printed)
        equal([str(end) for end in ends], [str(end) for end in interval(printed)], given=printed)


# spread


@exercise("spread")
def test_sums_differences_and_products_of_any_sign_agree_with_fractions(student: Student) -> None:
    chance = random.Random(1)
    for _ in range(5):
        one, other = (f"{chance.uniform(-9, 9):.2f}" for _ in range(2))
        for formula in (operator.mul, operator.add, operator.sub):
            values = [formula(a, b) for a, b in product(interval(one), interval(other))]
            given = f"{formula.__name__} of {one} and {other}"
            near(student.spread(formula, one, other), (min(values), max(values)), given)


@exercise("spread")
@for_all(
    name=sampled_from(["sub", "add", "mul", "max", "min"]),
    printed=lists(sampled_from(["0", "0.5", "1", "1.0", "-2", "-0.50", "3e1", "2.25"]), min_size=2, max_size=2),
)
def test_any_two_numbers_have_their_corners(student: Student, name: str, printed: list[str]) -> None:
    formula: Any = {"max": max, "min": min}.get(name) or getattr(operator, name)
    values = [formula(*corner) for corner in product(*map(interval, printed))]
    ends = numbers(student.spread(formula, *printed), f"{name} of {printed}")
    equal([str(end) for end in ends], [str(min(values)), str(max(values))])


@exercise("spread")
@for_all(one=above_zero(), other=above_zero())
def test_any_ratio_has_its_corners(student: Student, one: str, other: str) -> None:
    ends = interval(one)[0] / interval(other)[1], interval(one)[1] / interval(other)[0]
    near(student.spread(operator.truediv, one, other), ends, f"{one} / {other}")


@exercise("spread")
def test_three_numbers_have_eight_corners(student: Student) -> None:
    given = "the greatest of 1.0, 7.0 and 3.0"
    near(student.spread(max, "1.0", "7.0", "3.0"), (Fraction("6.95"), Fraction("7.05")), given)
    given = "the greatest of 7.0, 1.0, 3.0, 2.0 and 0.5: 32 corners"
    near(student.spread(max, "7.0", "1.0", "3.0", "2.0", "0.5"), (Fraction("6.95"), Fraction("7.05")), given)


@exercise("spread", needs="test_three_numbers_have_eight_corners")
@for_all(
    printed=lists(sampled_from(["1.0", "-1.0", "2", "-2", "-3.5", "0.75", "-4.00", "1.0"]), min_size=1, max_size=6)
)
def test_any_corner_of_any_number_of_numbers_may_be_an_extreme(student: Student, printed: list[str]) -> None:
    # The root of the sum of squares grows with each number above 0 and falls with each below, so signs choose the corner.
    squares = [sorted(end**2 for end in interval(number)) for number in printed]
    expected = [math.sqrt(sum(ends[place] for ends in squares)) for place in (0, 1)]
    given = f"math.hypot, the root of the sum of the squares, of {printed}"
    near(student.spread(math.hypot, *printed), expected, given)


@exercise("spread", points=0.5)
def test_equal_numbers_are_apart_and_zero_is_a_value(student: Student) -> None:
    for one, other in [("5.0", "5.0"), ("1.0", "0.9"), ("0.9", "1.0")]:
        values = [a - b for a, b in product(interval(one), interval(other))]
        ends = numbers(student.spread(operator.sub, one, other), f"{one} − {other}")
        equal([str(end) for end in ends], [str(min(values)), str(max(values))], given=f"{one} − {other}")


# follows


@exercise("follows")
@for_all(
    claimed=sampled_from(["0", "0.0", "87", "8.9", "0.960", "340", "2.3e19", "1.0e-3", "0.30"]),
    places=lists(sampled_from([-9, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 9]), min_size=2, max_size=2).map(sorted),
    hairs=lists(sampled_from([0, 0, 1, -1]), min_size=2, max_size=2),
    cut=booleans(),
)
def test_any_two_intervals_meet_or_not(
    student: Student, claimed: str, places: list[int], hairs: list[int], cut: bool
) -> None:
    low, high = interval(claimed)
    unit, value = high - low, (low + high) / 2
    ends = sorted(value + unit * (Fraction(a, 4) + Fraction(b, 10**15)) for a, b in zip(places, hairs, strict=True))
    start, end = (value, value + unit) if cut else (low, high)
    expected = start <= ends[1] and (ends[0] < end if cut else ends[0] <= end)
    possible = tuple(student["Decimal"](str(Decimal(end.numerator) / end.denominator)) for end in ends)
    equal(student.follows(claimed, possible, cut=cut), expected)


@exercise("follows", points=0.5)
def test_a_hairs_breadth_outside_and_a_claim_of_nothing(student: Student) -> None:
    for claimed, end, answer in [
        ("0.3", "0.35", True),
        ("0.3", "0.35000000000000000000001", False),
        ("0.0", "0.04", True),
        ("0", "0.6", False),
    ]:
        ends = (student["Decimal"](end),) * 2
        equal(student.follows(claimed, ends), answer, given=f"{claimed} is claimed, {end} is what there was")


@exercise("follows")
def test_a_million_is_rounded_at_its_last_digit(student: Student) -> None:
    for count, answer in [("109482240", False), ("109500000", True), ("110499999", True), ("110500001", False)]:
        ends = (student["Decimal"](count),) * 2
        equal(student.follows("110e6", ends), answer, given=f"110e6 is claimed, {count} was counted")


@exercise("follows", needs="test_intervals_that_share_a_number")
def test_possible_numbers_may_reach_beyond_the_claim_on_both_sides(student: Student) -> None:
    ends = (student["Decimal"]("1"), student["Decimal"]("9"))
    equal(student.follows("5.0", ends), True, given="5.0 is claimed, 1 to 9 are possible")
    equal(student.follows("5.0", ends, cut=True), True, given="5.0 is claimed and was cut off, 1 to 9 are possible")


@exercise("follows")
def test_what_is_cut_off_is_less_than_one_unit(student: Student) -> None:
    for end, answer in [("87", True), ("87.999", True), ("88", False), ("86.999", False)]:
        ends = (student["Decimal"](end),) * 2
        equal(
            student.follows("87", ends, cut=True), answer, given=f"87 is claimed and was cut off, {end} is what was cut"
        )
    for end, answer in [("0.9599", False), ("0.96", True), ("0.97", False)]:
        ends = (student["Decimal"](end),) * 2
        equal(
            student.follows("0.96", ends, cut=True),
            answer,
            given=f"0.96 is claimed and was cut off, {end} is what was cut",
        )


@exercise("follows")
def test_gnmts_improvements_can_all_have_been_cut_off_but_not_all_rounded(student: Student) -> None:
    rounded = {}
    for _, row in tables.table("gnmt_table10").iterrows():
        corners = product(*(interval(cell) for cell in (row.pbmt, row.gnmt, row.human)))
        values = [100 * (new - old) / (best - old) for old, new, best in corners]
        ends = tuple(student["Decimal"](f"{float(end):.10f}") for end in (min(values), max(values)))
        equal(student.follows(row.improvement, ends, cut=True), True, given=f"GNMT's Table 10, {row.pair}, cut off")
        rounded[row.pair] = student.follows(row.improvement, ends)
    doubtful = sorted(pair for pair, answer in rounded.items() if not answer)
    equal(
        doubtful, ["English-Chinese", "English-Spanish"], given="GNMT's Table 10, rounded: the pairs that cannot follow"
    )


# average


@composite
def scores(draw: DrawFn) -> tuple[dict[str, list[str]], list[int], list[list[str]]]:
    """The columns of a table, the names of its rows, and groups of some of its columns in any order."""
    cells = sampled_from(["1", "2.0", "2.00", "9.50", "40", "1.5e1", "88.25", "0.750"])
    rows, columns = draw(integers(1, 3)), draw(lists(sampled_from("abcdef"), min_size=1, max_size=5, unique=True))
    table = {column: draw(lists(cells, min_size=rows, max_size=rows)) for column in columns}
    groups: list[list[str]] = [[] for _ in range(3)]
    for column in columns[: draw(integers(1, len(columns)))]:
        draw(sampled_from(groups)).append(column)
    return table, draw(sampled_from([[3, 1, 2], [7, 8, 9]]))[:rows], [group for group in groups if group]


@exercise("average")
@for_all(drawn=scores(), examples=30)
def test_any_groups_have_their_means(
    student: Student, drawn: tuple[dict[str, list[str]], list[int], list[list[str]]]
) -> None:
    columns, names, groups = drawn
    found = dict(student.average(student["pd"].DataFrame(columns, index=names), groups))
    equal(list(found), names)
    for i, name in enumerate(names):
        ends = [
            sum(sum(interval(columns[column][i])[end] for column in group) / len(group) for group in groups)
            / len(groups)
            for end in (0, 1)
        ]
        near(found[name], ends, given=f"row {name}")


@exercise("average")
def test_berts_averages_are_means_of_nine_columns_and_not_of_eight_tasks(student: Student) -> None:
    for version, table in tables.table("bert_glue").groupby("version"):
        scores = table.set_index("system").drop(columns="version")
        printed, scores = scores["average"], scores.drop(columns="average")
        nine = [[column] for column in scores]
        for groups, expected in ((nine, True), ([["mnli_m", "mnli_mm"], *nine[2:]], False)):
            given = f"BERT, {version} version, {len(groups)} groups"
            averages = dict(student.average(frame(student, scores), groups))
            equal(list(averages), list(scores.index), given=given)
            for name, ends in averages.items():
                low, high = numbers(ends, given)
                claimed = interval(printed[name])
                equal(claimed[0] <= high and low <= claimed[1], expected, given=f"{given}: {name} can follow")


@exercise("average")
def test_alberts_averages_agree_with_fractions(student: Student) -> None:
    table = tables.table("albert_sharing")
    groups = [["squad11_f1", "squad11_em"], ["squad20_f1", "squad20_em"], ["mnli"], ["sst2"], ["race"]]
    table = table[list(chain(*groups))].set_axis([f"model {i}" for i in range(len(table))])
    averages = dict(student.average(frame(student, table), groups))
    equal(list(averages), list(table.index), given="ALBERT's Table 4, in order")
    for name, row in table.iterrows():
        ends = [
            sum(sum(interval(row[column])[end] for column in group) / len(group) for group in groups) / len(groups)
            for end in (0, 1)
        ]
        near(averages[name], ends, given=f"ALBERT's Table 4, {name}")


@exercise("average")
def test_columns_may_have_other_numbers_of_digits(student: Student) -> None:
    table = pd.DataFrame({"a": ["1"], "b": ["2.00"], "unused": ["9.9"]}, index=["x"])
    near(student.average(frame(student, table), [["b"], ["a"]])["x"], (1.2475, 1.7525), given="1 and 2.00")
    table = pd.DataFrame({f"c{i}": [str(i)] for i in range(12)}, index=["x"])
    found = student.average(frame(student, table), [[column] for column in table])
    near(found["x"], (5, 6), given="0 to 11, each in a column and a group of its own")
    found = student.average(frame(student, table), [[*table][1:9], [*table][9:]])
    near(found["x"], (6.75, 7.75), given="1 to 11, in a group of eight columns and one of three")
    table = pd.DataFrame({"a": ["-3.20", *["1.0"] * 39], "b": ["-0.5", *["2"] * 39]}, index=range(100, 140))
    found = dict(student.average(frame(student, table), [["a"], ["b"]]))
    equal(list(found), list(range(100, 140)), given="40 rows, 100 to 139")
    near(found[100], (-1.8775, -1.8225), given="-3.20 and -0.5")
    near(found[139], (1.225, 1.775), given="1.0 and 2, in the last of 40 rows")


@exercise("average", points=0.5)
def test_groups_of_three_zeros_and_names_that_are_numbers(student: Student) -> None:
    table = pd.DataFrame({"a": ["0.1", "0.0"], "b": ["0.25", "0.7"], "c": ["0.3", "1.3"]}, index=[7, 8])
    for groups in ([["a", "b", "c"]], [["a", "c"], ["b"]]):
        found = dict(student.average(frame(student, table), groups))
        equal(list(found), [7, 8], given="a table whose rows are 7 and 8")
        for name, row in table.iterrows():
            ends = [
                sum(sum(interval(row[column])[end] for column in group) / len(group) for group in groups) / len(groups)
                for end in (0, 1)
            ]
            near(found[name], ends, given=f"{dict(row)}, groups {groups}")


@exercise("average", points=0.5, needs="test_each_row_has_the_mean_of_its_columns")
def test_the_table_stays_as_it_was(student: Student) -> None:
    table = student["pd"].DataFrame({"a": ["1.0", "2.0"], "b": ["3.0", "4.0"]}, index=["x", "y"])
    student.average(table, [["a"], ["b"]])
    after = {column: list(table[column]) for column in ("a", "b")}
    equal(after, {"a": ["1.0", "2.0"], "b": ["3.0", "4.0"]}, given="the table, after its averages were asked for")


# training_flops


@exercise("training_flops")
def test_other_trainings_agree_with_fractions(student: Student) -> None:
    for time, devices, rate in [("6 days", 96, "2.8"), ("0.50 hours", 1, "19.5"), ("21 days", 64, "6.0")]:
        number, unit = time.split()
        seconds = {"hours": 3600, "days": 86400}[unit]
        ends = [interval(number)[i] * seconds * devices * interval(rate)[i] * 10**12 for i in (0, 1)]
        given = f"{time}, {devices} devices, {rate} TFLOPS"
        near(student.training_flops(time, devices, rate), ends, given)


@exercise("training_flops")
@for_all(
    number=sampled_from(["12", "3.5", "3.50", "10", "10.0", "0.50", "0.5", "1e1", "1.50e1", "120"]),
    unit=sampled_from(["hours", "days"]),
    devices=sampled_from([1, 2, 8, 1_000_003]),
    rate=sampled_from(["9.5", "9.50", "10", "10.0", "28", "0.5", "0.50", "1.5e1", "100", "312.00"]),
)
def test_any_training_keeps_the_digits_of_time_and_rate(
    student: Student, number: str, unit: str, devices: int, rate: str
) -> None:
    seconds = {"hours": 3600, "days": 86400}[unit]
    ends = [interval(number)[i] * seconds * devices * interval(rate)[i] * 10**12 for i in (0, 1)]
    given = f"{number} {unit}, {devices} devices, {rate} TFLOPS"
    near(student.training_flops(f"{number} {unit}", devices, rate), ends, given)


@exercise("training_flops", points=0.5)
def test_trainings_of_hundreds_of_days_and_hours(student: Student) -> None:
    for time, seconds in [("120 days", 86400), ("250 hours", 3600)]:
        ends = [interval(time.split()[0])[i] * seconds * 3 * interval("0.1234567")[i] * 10**12 for i in (0, 1)]
        near(student.training_flops(time, 3, "0.1234567"), ends, given=f"{time}, 3 devices, 0.1234567 TFLOPS")


@exercise("training_flops")
def test_the_transformers_printed_costs_follow(student: Student) -> None:
    for _, row in tables.table("transformer_training").iterrows():
        given = f"the Transformer paper, {row.model} model"
        low, high = numbers(student.training_flops(f"{row.time} {row.unit}", int(row.devices), row.teraflops), given)
        claimed = interval(row.flops)
        true(
            claimed[0] <= high and low <= claimed[1],
            "the printed FLOPs can follow",
            given=given,
            actual=[float(low), float(high)],
        )


# parameter_count


def by_torch(layers: int, hidden: int, feed_forward: int, vocabulary: int, positions: int, segments: int) -> int:
    """The same model as torch's own modules."""
    layer = torch.nn.TransformerEncoderLayer(hidden, 1, feed_forward, device="meta")
    tables = [torch.nn.Embedding(size, hidden, device="meta") for size in (vocabulary, positions, segments)]
    modules = [*tables, torch.nn.LayerNorm(hidden, device="meta"), *[layer] * layers]
    return sum(weights.numel() for module in modules for weights in module.parameters())


@exercise("parameter_count")
@for_all(
    sizes=lists(integers(1, 9), min_size=5, max_size=5),
    segments=integers(0, 3),
    embedding=none() | integers(1, 9),
    shared=booleans(),
    pooler=booleans(),
)
def test_any_model_agrees_with_the_sum_of_its_shapes(
    student: Student, sizes: list[int], segments: int, embedding: int | None, shared: bool, pooler: bool
) -> None:
    layers, hidden, feed_forward, vocabulary, positions = sizes
    width = hidden if embedding is None else embedding
    shapes = [(vocabulary, width), (positions, width), (segments, width), (width, 1), (width, 1)]
    shapes += [(width, hidden), (hidden, 1)] if width != hidden else []
    for _ in range(1 if shared else layers):
        shapes += [(hidden, hidden), (hidden, 1)] * 4 + [(hidden, 1)] * 4
        shapes += [(hidden, feed_forward), (feed_forward, 1), (feed_forward, hidden), (hidden, 1)]
    shapes += [(hidden, hidden), (hidden, 1)] if pooler else []
    found = student.parameter_count(*sizes, segments=segments, embedding=embedding, shared=shared, pooler=pooler)
    equal(found, sum(rows * columns for rows, columns in shapes))


@exercise("parameter_count", points=2)
def test_small_models_agree_with_torchs_modules(student: Student) -> None:
    for sizes in [(2, 8, 20, 30, 7, 1), (5, 6, 6, 11, 4, 3), (1, 12, 48, 9, 2, 2)]:
        layers, hidden, feed_forward, vocabulary, positions, segments = sizes
        expected = by_torch(*sizes)
        given = f"{layers} layers, width {hidden}, feed-forward {feed_forward}, tables {vocabulary}, {positions}, {segments}"
        equal(
            student.parameter_count(layers, hidden, feed_forward, vocabulary, positions, segments=segments),
            expected,
            given=given,
        )


@exercise("parameter_count", points=2)
def test_published_models_have_their_known_counts(student: Student) -> None:
    # The counts of the released weights.
    known = {
        "GPT-2 small": ((12, 768, 3072, 50257, 1024), {}, 124_439_808),
        "GPT-2 1542M": ((48, 1600, 6400, 50257, 1024), {}, 1_557_611_200),
        "BERT_LARGE": ((24, 1024, 4096, 30522, 512), {"segments": 2, "pooler": True}, 335_141_888),
        "ALBERT base": (
            (12, 768, 3072, 30000, 512),
            {"segments": 2, "embedding": 128, "shared": True, "pooler": True},
            11_683_584,
        ),
        "ALBERT xxlarge": (
            (12, 4096, 16384, 30000, 512),
            {"segments": 2, "embedding": 128, "shared": True, "pooler": True},
            222_595_584,
        ),
        "DistilBERT": ((6, 768, 3072, 30522, 512), {}, 66_362_880),
        "KoBERT": ((12, 768, 3072, 8002, 512), {"segments": 2, "pooler": True}, 92_186_880),
        "DistilKoBERT": ((3, 768, 3072, 8002, 512), {}, 27_803_904),
    }
    for name, (sizes, more, count) in known.items():
        equal(student.parameter_count(*sizes, **more), count, given=name)


@exercise("parameter_count")
def test_gpt2s_printed_counts_follow_with_gpt1s_vocabulary_and_not_with_its_own(student: Student) -> None:
    table = tables.table("configurations").set_index("model")
    for model, row in table[table.index.str.startswith("GPT-2")].iterrows():
        low, high = interval(row.parameters.replace("M", "e6"))
        for words, expected in ((40478, True), (50257, False)):
            width = int(row.hidden)
            count = student.parameter_count(int(row.layers), width, 4 * width, words, int(row.positions))
            equal(bool(low <= count <= high), expected, given=f"{model} with {words} words: the printed count follows")


@exercise("parameter_count", needs="test_one_layer")
def test_embeddings_as_wide_as_the_model_are_not_projected(student: Student) -> None:
    narrow, same = (student.parameter_count(3, 12, 48, 50, 9, embedding=width) for width in (None, 12))
    true(
        narrow == same,
        "with E = H there is no projection",
        given="width 12, embeddings of 12 or None",
        actual=[narrow, same],
    )


@exercise("parameter_count", points=0.5)
def test_wider_embeddings_are_projected_too_and_175_billion_are_counted(student: Student) -> None:
    projection = torch.nn.Linear(20, 8, device="meta")
    tables = [torch.nn.Embedding(size, 20, device="meta") for size in (30, 7)]
    layer = torch.nn.TransformerEncoderLayer(8, 1, 20, device="meta")
    modules = [*tables, torch.nn.LayerNorm(20, device="meta"), projection, layer]
    expected = sum(weights.numel() for module in modules for weights in module.parameters())
    equal(student.parameter_count(1, 8, 20, 30, 7, embedding=20), expected, given="width 8, embeddings of 20")
    gpt3 = (96, 12288, 49152, 50257, 2048)
    equal(student.parameter_count(*gpt3), by_torch(*gpt3, 0), given=f"GPT-3 175B: {gpt3}")


# spearman


@composite
def _two_lists(draw: DrawFn) -> tuple[list[float], list[float]]:
    """Two lists of one length, neither all equal: whole numbers with many ties, or floats of many sizes."""
    n = draw(integers(2, 8))
    some = [sampled_from([-1, 0, 0, 1, 2]), sampled_from([-1e9, -0.5, -0.25, 0.0, 1e-12, 2e-12, 0.5, 3.0, 1e9, 1.1e9])]
    one, other = (
        draw(lists(draw(sampled_from(some)), min_size=n, max_size=n).filter(lambda values: len(set(values)) > 1))
        for _ in range(2)
    )
    return one, other


@exercise("spearman")
@for_all(drawn=_two_lists())
def test_any_two_lists_agree_with_scipy(student: Student, drawn: tuple[list[float], list[float]]) -> None:
    close(student.spearman(*drawn), stats.spearmanr(*drawn).statistic)


@exercise("spearman", points=0.5)
def test_numbers_that_are_near_are_no_ties(student: Student) -> None:
    x, y = [1 + i * 1e-9 for i in (3, 0, 2, 1, 4)], [0.2, 0.1, 0.5, 0.4, 0.3]
    close(student.spearman(x, y), stats.spearmanr(x, y).statistic, given="five numbers 1e-9 apart")


@exercise("spearman", points=2)
def test_samples_with_and_without_ties_agree_with_scipy(student: Student) -> None:
    chance = random.Random(2)
    for most in (3, 6, 1000):
        x, y = ([chance.randint(0, most) for _ in range(25)] for _ in range(2))
        close(student.spearman(x, y), stats.spearmanr(x, y).statistic, given=f"25 whole numbers up to {most}")
    x, y = ([chance.randint(0, 50) for _ in range(400)] for _ in range(2))
    close(student.spearman(x, y), stats.spearmanr(x, y).statistic, given="400 whole numbers up to 50")
    one = [chance.gauss(0, 1) for _ in range(40)]
    other = [number**3 + chance.gauss(0, 1) for number in one]
    close(student.spearman(one, other), stats.spearmanr(one, other).statistic, given="40 numbers with a trend")


def gains() -> tuple[list[float], list[float]]:
    """The gain of BERT's large model in each column of the final table, and the training examples in thousands."""
    table = tables.table("bert_glue").query("version == 'final'").set_index("system")
    sizes = tables.table("glue_sizes").set_index("task")["train_thousands"]
    scores = table[sizes.index].map(Fraction).T
    return [float(gain) for gain in scores["BERT_LARGE"] - scores["BERT_BASE"]], [float(size) for size in sizes]


@exercise("spearman")
def test_the_gain_of_a_large_bert_hardly_goes_with_the_training_examples(student: Student) -> None:
    close(student.spearman(*gains()), 0.100419, given="BERT's Table 1: gains of the nine columns, training examples")


# wilson


@exercise("wilson")
@for_all(
    trials=sampled_from([1, 2, 3, 9, 100, 4_000, 1_000_000]),
    part=sampled_from([0, 0.001, 0.25, 0.5, 0.9, 0.999, 1]),
    confidence=sampled_from([0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.9999]),
)
def test_any_share_agrees_with_scipy(student: Student, trials: int, part: float, confidence: float) -> None:
    successes = round(part * trials)
    expected = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    close(list(student.wilson(successes, trials, confidence)), [expected.low, expected.high], rtol=1e-6, atol=1e-11)


@exercise("wilson", points=2)
def test_many_shares_agree_with_scipy(student: Student) -> None:
    for successes, trials, confidence in [(85, 100, 0.95), (88, 100, 0.95), (1, 3, 0.8), (7, 7, 0.99), (0, 1, 0.5)]:
        expected = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
        given = f"{successes} of {trials}, {confidence:.0%}"
        close(list(student.wilson(successes, trials, confidence)), [expected.low, expected.high], given=given)


@exercise("wilson")
def test_bert_lies_inside_the_interval_of_the_human_expert(student: Student) -> None:
    low, high = student.wilson(85, 100)
    close([low, high], [0.7672, 0.9069], given="85 of 100", atol=1e-4)
    true(low < 0.863 < high, "86.3 % lies inside", given="85 of 100", actual=[low, high])


# misprints


@exercise("misprints", points=3)
def test_planted_misprints_are_found_and_nobody_else_accused(student: Student) -> None:
    for seed in range(10_000, 10_024):
        one = tables.planted(seed)
        found = student.misprints(frame(student, one.table), one.claimed, one.rule, one.parts)
        expected = rows_that_cannot_follow(one.table, one.claimed, one.rule, one.parts)
        given = f"a planted table of {len(one.table)} rows, {one.rule} of {len(one.parts)} columns"
        equal(list(found), expected, given=given)


@composite
def _claims(draw: DrawFn) -> tuple[dict[str, list[str]], list[int], str, list[str]]:
    """The columns of a table, the names of its rows, a rule, and the parts in order."""
    rule = draw(sampled_from(["sum", "mean", "difference", "ratio"]))
    cells = ["1", "2.0", "3.00", "0.5", "1.0e1"] + ([] if rule == "ratio" else ["0.0", "-0.5", "0", "-1"])
    claims = ["1", "2.0", "0.5", "3", "1.5", "0.50", "4.0", "1.0e1", "0.0", "0", ""] + (
        [] if rule == "ratio" else ["-1.0"]
    )
    rows = draw(integers(1, 3))
    parts = draw(
        sampled_from(
            [["b", "a"], ["a", "b"]] if rule in ("difference", "ratio") else [["b"], ["a", "b"], ["c", "a", "b"]]
        )
    )
    some = sampled_from([*cells, *cells, ""])
    table = {column: draw(lists(some, min_size=rows, max_size=rows)) for column in "abc"}
    table["claimed"] = draw(lists(sampled_from(claims), min_size=rows, max_size=rows))
    return table, draw(sampled_from([[0, 1, 2], [5, 3, 4]]))[:rows], rule, parts


@exercise("misprints")
@for_all(drawn=_claims(), examples=30)
def test_any_table_agrees_with_fractions(
    student: Student, drawn: tuple[dict[str, list[str]], list[int], str, list[str]]
) -> None:
    columns, names, rule, parts = drawn
    expected = rows_that_cannot_follow(
        pd.DataFrame(columns, index=[str(name) for name in names]), "claimed", rule, parts
    )
    found = student.misprints(student["pd"].DataFrame(columns, index=names), "claimed", rule, parts)
    equal([str(name) for name in found], expected)


@exercise("misprints")
def test_numbers_with_other_signs_and_exponents(student: Student) -> None:
    table = pd.DataFrame(
        {
            "old": ["-0.5", "1.0e2", "-3.0", "2.0e1"],
            "new": ["0.5", "1.1e2", "-3.5", "3.0e1"],
            "gain": ["1.0", "1.0e1", "0.5", "1.0e1"],
        },
        index=["a", "b", "c", "d"],
    )
    found = student.misprints(frame(student, table), "gain", "difference", ["new", "old"])
    equal(list(found), ["c"], given="0.5 − -0.5 = 1.0, 1.1e2 − 1.0e2 = 1.0e1, -3.5 − -3.0 = 0.5, 3.0e1 − 2.0e1 = 1.0e1")


@exercise("misprints", points=0.5)
def test_zeros_count_gaps_elsewhere_do_not_and_a_border_is_inside(student: Student) -> None:
    columns = {
        "note": ["", "2.0", "", "x"],
        "a": ["0.0", "0.1", "1.0", "0.0"],
        "b": ["0.0", "0.1", "1.0", "1.0"],
        "c": ["0.0", "0.3", "1.0", ""],
        "sum": ["2.0", "0.7", "9.0", "5.0"],  # of the second row 0.65 is the greatest sum and the least 0.7
    }
    table = pd.DataFrame(columns, index=[9, 8, 1, 4])
    handle = frame(student, table)
    found = student.misprints(handle, "sum", "sum", ["a", "b", "c"])
    equal(list(found), [9, 1], given="0.0 + 0.0 + 0.0 = 2.0, 0.1 + 0.1 + 0.3 = 0.7, 1.0 + 1.0 + 1.0 = 9.0, and a gap")
    thirds = pd.DataFrame({"a": ["1"], "b": ["4"], "c": ["7"], "mean": ["3"]}, index=["row"])  # (0.5 + 3.5 + 6.5) / 3 = 3.5
    found = student.misprints(frame(student, thirds), "mean", "mean", ["a", "b", "c"])
    equal(list(found), [], given="the mean of 1, 4 and 7 is 3: of the parts at least 3.5, of the mean at most 3.5")
    after = {column: list(handle[column]) for column in columns}
    equal(after, columns, given="the table, after its misprints were looked for")


@exercise("misprints", points=0.5)
def test_eleven_parts_and_twelve_rows_are_all_looked_at(student: Student) -> None:
    # Ten rows with a gap cannot be judged; eleven times 1.0 is 10.45 to 11.55.
    parts = [f"part {i}" for i in range(11)]
    rows = [["", *["1.0"] * 10, "99.0"]] * 10 + [["1.0"] * 11 + ["11.0"], ["1.0"] * 11 + ["12.0"]]
    table = pd.DataFrame(rows, columns=[*parts, "sum"], index=[f"row {i}" for i in range(12)])
    found = student.misprints(frame(student, table), "sum", "sum", parts)
    equal(
        list(found), ["row 11"], given="ten rows with a gap, then eleven times 1.0 = 11.0 and eleven times 1.0 = 12.0"
    )


@exercise("misprints", needs="test_a_sum_that_cannot_follow_is_found")
def test_all_averages_of_berts_first_version_can_follow(student: Student) -> None:
    table = tables.table("bert_glue").query("version == 'first'").set_index("system")
    parts = list(table.columns[1:-1])
    equal(
        list(student.misprints(frame(student, table), "average", "mean", parts)),
        [],
        given="BERT's first version, Table 1",
    )


# Metrics.


def _judged(artifacts: Artifacts) -> tuple[int, int, int, int]:
    """(misprints found, rows accused, misprints, rows) over the run's planted tables."""
    planted = [tables.planted(artifacts.seed * TABLES + i) for i in range(TABLES)]
    rows = {f"{i} {row}" for i, one in enumerate(planted) for row in one.table.index}
    misprints = {f"{i} {row}" for i, one in enumerate(planted) for row in one.misprints}
    accused = set(artifacts.strings("accused"))
    if unknown := accused - rows:
        raise BadArtifact(f"the row {min(unknown)[:40]!r} that is accused is in no table")
    return len(accused & misprints), len(accused), len(misprints), len(rows)


@metric("misprints_f1")
def misprints_f1(artifacts: Artifacts) -> float:
    hits, made, true_ones, _ = _judged(artifacts)
    return 2 * hits / (made + true_ones)


@metric("misprints_found")
def misprints_found(artifacts: Artifacts) -> float:
    hits, _, true_ones, _ = _judged(artifacts)
    return hits / true_ones


@metric("wrongly_accused")
def wrongly_accused(artifacts: Artifacts) -> float:
    hits, made, true_ones, rows = _judged(artifacts)
    return (made - hits) / (rows - true_ones)


# What cannot be had from the numbers beside it; the notebook says why for each kind.
DOUBTFUL = {
    "GNMT: English-Spanish",
    "GNMT: English-Chinese",
    *(f"Parameters: GPT-2 {size}" for size in ("117M", "345M", "762M", "1542M")),
    *(f"Parameters: GPT-3 {size}" for size in ("Medium", "175B")),
    "Parameters: BERT_LARGE",
    *(f"Parameters: ALBERT {size}" for size in ("xlarge", "xxlarge")),
    *(f"Parameters: {name} (as KR-BERT's page prints it)" for name in ("mBERT", "KorBERT")),
    "BERT abstract, first version: MNLI above GPT",
    "the same with nlnet's F1 as a lecture note copied it",
}


@metric("doubtful_claims")
def doubtful_claims(artifacts: Artifacts) -> float:
    """Jaccard's index of the claims that do not follow by the run and by the key."""
    found = set(artifacts.strings("doubtful"))
    return len(found & DOUBTFUL) / len(found | DOUBTFUL)
