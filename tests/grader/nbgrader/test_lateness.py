"""What a late day costs, whom free days and extensions spare, and that nothing is guessed where the clocks disagree."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.utils import parse_utc

from grader.course import CourseError
from grader.grading import submission
from grader.nbgrader.config import _CourseDirectory
from grader.nbgrader.lateness import (
    EXAMPLE,
    IN_TIME,
    Dates,
    Lateness,
    Rule,
    handed_in,
    holds_no_time,
    judge,
    read,
    unknown_students,
    unknown_weeks,
)

DUE = datetime(2026, 3, 13, 23, 59, tzinfo=timezone(timedelta(hours=9)))
NOW = DUE + timedelta(days=100)
RULE = Rule(share_a_day=0.1, floor=0.5)


def late(days: float, rule: Rule = RULE, **dates: dict[str, dict[str, datetime]]) -> Lateness:
    made = Dates(due={"week1": DUE}, late=rule, **dates)
    return judge(made, "ada", {"week1": DUE + timedelta(days=days)}, NOW)["week1"]


@pytest.mark.parametrize(("days", "share"), [(-1, 0), (0, 0), (0.001, 0.1), (1, 0.1), (1.5, 0.2), (5, 0.5), (50, 0.5)])
def test_each_day_that_has_begun_costs_a_share_down_to_the_floor(days: float, share: float) -> None:
    assert late(days).share == pytest.approx(share)
    assert bool(late(days).sentence) == (share > 0)


def test_the_reason_says_when_how_late_and_what_it_costs() -> None:
    assert late(1.5).sentence == (
        "Handed in 2026-03-15 11:59 UTC+09:00, due 2026-03-13 23:59 UTC+09:00: 2 days late; "
        "20 % of the points are taken away."
    )
    assert late(9).sentence.endswith("9 days late; 50 % of the points are taken away, the most there is.")


def test_without_a_rule_late_is_said_and_costs_nothing() -> None:
    assert late(2, Rule()).share == 0
    assert late(2, Rule()).sentence.endswith("2 days late; nothing is taken away.")


def test_an_extension_moves_the_date_of_one_student() -> None:
    longer = {"ada": {"week1": DUE + timedelta(days=7)}}
    assert late(7, extended=longer) == IN_TIME
    assert late(8, extended=longer).share == pytest.approx(0.1)
    assert late(7, extended={"bora": longer["ada"]}).share == 0.5


def test_free_days_are_spent_in_the_order_in_which_weeks_are_due() -> None:
    rule = Rule(share_a_day=0.1, free_days=3)
    dates = Dates(due={"a": DUE + timedelta(days=7), "b": DUE}, late=rule)
    judged = judge(dates, "ada", {"a": DUE + timedelta(days=9), "b": DUE + timedelta(days=2)}, NOW)
    assert judged["b"].share == 0  # two of three
    assert judged["a"].share == pytest.approx(0.1)  # the third, and one day more
    assert "2 days late, of which 1 day free" in judged["a"].sentence


@pytest.mark.parametrize(("when", "told"), [(None, "not known"), (NOW + timedelta(seconds=1), "the clocks disagree")])
def test_a_time_that_is_missing_or_has_not_come_costs_nothing_and_no_free_day(when: datetime | None, told: str) -> None:
    dates = Dates(due={"a": DUE, "b": DUE}, late=Rule(share_a_day=1, free_days=1))
    judged = judge(dates, "ada", {"a": when, "b": DUE + timedelta(days=1)}, NOW)
    assert judged["a"].share == judged["b"].share == 0
    assert told in judged["a"].sentence


def test_a_week_without_a_date_is_not_judged() -> None:
    assert judge(Dates(), "ada", {"week1": DUE}, NOW) == {}


@given(
    st.floats(-10, (NOW - DUE) / timedelta(days=1)),  # a time that has not come costs nothing
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 400),
    st.timedeltas(timedelta(0), timedelta(9)),
)
def test_a_penalty_is_within_the_floor_and_never_greater_for_less_lateness(
    days: float, share: float, floor: float, free: int, sooner: timedelta
) -> None:
    rule = Rule(share_a_day=share, floor=floor, free_days=free)
    one, other = late(days, rule).share, late(days - sooner / timedelta(days=1), rule).share
    assert 0 <= other <= one <= 1 - floor


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[due]\nweek1 = 2026-03-13T23:59:00", "due.week1: Input should have timezone info: write a date as"),
        ("[due]\nweek1 = 'soon'", "due.week1"),
        ("[late]\nshare = 0.1", "late.share: Extra inputs are not permitted"),
        ("[late]\nfloor = 2", "late.floor"),
        ("[extended.ada]\nweek1 = 2026-03-13T23:59:00Z", "ada has longer for week1, which is due on no day"),
        ("[due]\nw = 2026-03-13T23:59:00Z\n[extended.ada]\nw = 2026-03-12T23:59:00Z", "ends before the week is due"),
        ("[due", "cannot be read"),
        ("\udcff", "cannot be read"),
    ],
)
def test_a_file_that_is_not_right_is_told_in_a_sentence(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "class.toml").write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(CourseError, match=told):
        read(tmp_path)


def test_a_class_without_the_file_has_no_dates_and_a_misspelt_week_is_found(tmp_path: Path) -> None:
    assert read(tmp_path) is None
    (tmp_path / "class.toml").write_text("[due]\nwek1 = 2026-03-13T23:59:00Z\n", encoding="utf-8")
    dates = read(tmp_path)
    assert dates is not None
    assert unknown_weeks(dates, {"week1"}) == ["wek1"]
    assert dates.due["wek1"] == datetime(2026, 3, 13, 23, 59, tzinfo=UTC)


def test_a_student_of_whom_nothing_is_handed_in_is_found(tmp_path: Path) -> None:
    (tmp_path / "submitted" / "ada").mkdir(parents=True)
    longer = {"week1": DUE + timedelta(days=7)}
    assert unknown_students(Dates(due={"week1": DUE}, extended={"ada": longer, "adda": longer}), tmp_path) == ["adda"]


# When something was handed in.


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-14 01:02:00.000000 UTC",  # as nbgrader writes it
        "2026-03-14 01:02:00 UTC\n",
        "2026-03-14 01:02",
        "2026-03-14T01:02:00Z",
        "2026-03-14 01:02:00 GMT",
        "2026-03-14 10:02:00+09:00",
        "2026-03-14T10:02:00+0900",
        "2026-03-14 10:02:00 UTC+09:00",
        "2026-03-14 10:02:00 Asia/Seoul",
        "2026-03-13 20:02:00 EST",
    ],
)
def test_a_time_is_read_as_nbgrader_reads_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "timestamp.txt").write_text(text)
    assert handed_in(tmp_path) == parse_utc(text.strip()).replace(tzinfo=UTC) == datetime(2026, 3, 14, 1, 2, tzinfo=UTC)
    assert not holds_no_time(tmp_path)


@pytest.mark.parametrize("text", ["2026-03-14 10:02:00 +0900", "2026-03-14 10:02:00 +09:00", EXAMPLE])
def test_an_offset_after_a_blank_is_one_though_nbgrader_takes_it_for_seconds_or_nothing(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "timestamp.txt").write_text(text)
    right = datetime(2026, 3, 14, 1, 2, tzinfo=UTC)
    assert handed_in(tmp_path) == right != parse_utc(text).replace(tzinfo=UTC)
    assert _CourseDirectory().get_existing_timestamp(str(tmp_path)) == right.replace(tzinfo=None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "noon",
        "10:02",  # nbgrader: of today
        "1",
        "2026-03-14",
        "2026-02-30 10:02:00",
        "2026-03-14 10:02:00 KST",  # nbgrader: UTC
        "2026-03-14 10:02:00 PM",
        "2026-03-14 10:02:00 +9",
        "2026-03-14 10:02:00 +99:00",
        "2026-03-14 10:02:00 Asia",
        "2026-03-14 10:02:00 /etc/localtime",
        "0001-01-01 00:00:00+09:00",
        "\udcff",
    ],
)
def test_what_is_no_time_or_of_an_unknown_zone_is_never_read_as_another_time(tmp_path: Path, text: str) -> None:
    (tmp_path / "timestamp.txt").write_text(text, encoding="utf-8", errors="surrogateescape")
    assert handed_in(tmp_path) is None
    assert holds_no_time(tmp_path)
    assert _CourseDirectory().get_existing_timestamp(str(tmp_path)) is None


def test_without_the_file_no_time_is_known_and_none_is_missing(tmp_path: Path) -> None:
    assert handed_in(tmp_path) is None
    assert not holds_no_time(tmp_path)


def test_a_file_that_cannot_be_read_holds_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "timestamp.txt").write_text(EXAMPLE)

    def fail(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(submission, "content", fail)
    assert handed_in(tmp_path) is None
    assert holds_no_time(tmp_path)
