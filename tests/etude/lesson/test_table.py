"""The expected table: what was written is read back, nonsense is refused with file and line, points fall off by distance."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from etude.lesson.table import BETTER, COLUMNS, Expected, of_profile, read, write
from grader.course import Course

HEAD = ",".join(COLUMNS)
ROW = Expected("accuracy", "cpu", 0.7, 0.02, 20, 0.6, 0.8, "near", 2.0, "71 %", "Table 1", "a command")
LINE = "accuracy,cpu,0.7,0.02,20,0.6,0.8,near,2,71 %,Table 1,a command"

cells = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=12) | st.just('a "b", c\nd')
decimals = st.integers(-(10**6), 10**6).map(lambda n: n / 1000) | st.just(math.nan)


@st.composite
def expected_rows(draw: st.DrawFn) -> Expected:
    low, high = sorted(draw(st.tuples(*[st.integers(-999, 999)] * 2)))
    low, high = draw(st.sampled_from([(low / 100, high / 100), (math.nan, math.nan)]))
    mean, sd = draw(decimals), draw(decimals)
    seeds, points = draw(st.integers(0, 100)), draw(st.integers(0, 40)) / 4
    return Expected(
        "m",
        "cpu",
        mean,
        sd,
        seeds,
        low,
        high,
        draw(st.sampled_from(BETTER)),
        points,
        *draw(st.tuples(cells, cells, cells)),
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("table") / "expected.csv"


@given(row=expected_rows())
def test_what_was_written_is_read_back(path: Path, row: Expected) -> None:
    write(path, [row])
    assert [repr(found) for found in read(path)] == [repr(row)]  # NaN is not equal to itself, its repr is


def test_the_course_tables_are_written_as_they_are(path: Path) -> None:
    for lesson in Course().lessons():
        table = lesson.source / "expected.csv"
        write(path, read(table))
        assert path.read_bytes() == table.read_bytes()


def test_a_table_saved_by_a_spreadsheet_is_read(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + f"{HEAD}\n{LINE}\n".replace("\n", "\r\n").encode())
    assert read(path) == [ROW]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "the columns are None, expected"),
        ("metric,mean\na,1\n", r"the columns are \['metric', 'mean'\], expected \['metric', 'profile'"),
        (HEAD.replace("sd", "std") + "\n", "'std'"),
        (f"{HEAD}\n{LINE},more\n", "line 2: there are too few or too many cells, expected 12"),
        (f"{HEAD}\n{LINE}\nrecall,cpu\n", "line 3: there are too few or too many cells"),
        (f"{HEAD}\n{LINE.replace('near', 'bigger')}\n", "better='bigger', expected one of higher, lower, near"),
        (f"{HEAD}\n{LINE.replace('0.7', '70 %')}\n", "line 2: mean is '70 %', expected a number"),
        (f"{HEAD}\n{LINE.replace('20', '2.5')}\n", "line 2: seeds is '2.5', expected a whole number"),
        (f"{HEAD}\n{LINE.replace('20', '')}\n", "line 2: seeds is '', expected a whole number"),
        (f"{HEAD}\n{LINE.replace('0.6', '0.9')}\n", "accuracy has low 0.9 and high 0.8, expected low ≤ high"),
        (f"{HEAD}\n{LINE.replace('0.8', 'inf')}\n", "accuracy has low 0.6 and high inf, expected low ≤ high"),
        (f"{HEAD}\n{LINE.replace('0.6', '')}\n", "accuracy has low nan and high 0.8, expected low ≤ high"),
        (f"{HEAD}\n{LINE.replace('near,2', 'near,-2')}\n", "accuracy has -2 points"),
        (f"{HEAD}\n{LINE.replace('near,2', 'near,')}\n", "accuracy has nan points"),
        (f"{HEAD}\n{LINE}\n{LINE}\n", "accuracy has two rows for the profile cpu"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused_with_the_file_and_the_fault(
    path: Path, content: str, words: str
) -> None:
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=words) as caught:
        read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("better", "value", "share"),
    [
        ("near", 0.6, 1), ("near", 0.8, 1), ("near", 0.5, 0.5), ("near", 0.9, 0.5), ("near", 0.4, 0), ("near", 5, 0),
        ("higher", 5, 1), ("higher", 0.55, 0.75), ("higher", math.inf, 1), ("lower", -5, 1), ("lower", 0.85, 0.75),
        ("near", math.nan, 0), ("near", math.inf, 0), ("higher", -math.inf, 0), ("lower", math.inf, 0),
    ],
)  # fmt: skip
def test_points_fall_off_in_a_straight_line_on_the_bad_side_alone(better: str, value: float, share: float) -> None:
    assert replace(ROW, better=better).share(value) == pytest.approx(share, abs=1e-3)


@given(row=expected_rows(), value=st.floats(allow_nan=False))
def test_a_share_lies_between_nothing_and_everything(row: Expected, value: float) -> None:
    assert 0 <= row.share(value) <= 1
    assert row.distance(value) > 0 or row.share(value) == 1


@given(mean=st.floats(-1e9, 1e9), better=st.sampled_from(BETTER))
def test_a_metric_without_spread_is_inside_after_its_table_was_written_and_read(
    path: Path, mean: float, better: str
) -> None:
    write(path, [replace(ROW, mean=mean, sd=0.0, low=mean, high=mean, better=better)])
    assert read(path)[0].share(mean) == 1


@pytest.mark.parametrize("better", BETTER)
def test_a_metric_without_spread_is_outside_when_it_is_another_number(better: str) -> None:
    row = replace(ROW, low=0.5, high=0.5, better=better)
    assert row.share(0.501 if better == "lower" else 0.499) == 0


def test_without_an_interval_nothing_but_nan_is_outside() -> None:
    row = replace(ROW, low=math.nan, high=math.nan)
    assert not row.measured
    assert row.distance(0.1) == 0
    assert row.distance(math.nan) == math.inf


def test_a_profile_is_picked_out_by_metric() -> None:
    smoke, loss = replace(ROW, profile="smoke"), replace(ROW, metric="loss")
    assert of_profile([smoke, ROW, loss], "cpu") == {"accuracy": ROW, "loss": loss}
