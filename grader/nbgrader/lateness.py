"""The rule for late submissions, HOME/class.toml: when a week is due, who has longer, what a late day costs.

    [due]
    week1_embeddings = 2026-03-13T23:59:00+09:00

    [extended.ada]                 # a later date for one student
    week1_embeddings = 2026-03-20T23:59:00+09:00

    [late]
    share_a_day = 0.1              # of the points, for each day that has begun; without it nothing is taken away
    floor = 0.5                    # a late submission keeps at least this share
    free_days = 3                  # of each student, over all weeks, spent in the order in which the weeks are due

This module judges dates; it must not know a gradebook. Where the clocks disagree it takes nothing away and says so.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator

from grader.course import CourseError
from grader.grading import submission

FILE = "class.toml"
HANDED_IN = "timestamp.txt"  # nbgrader's, beside a student's notebooks
EXAMPLE = "2026-03-14 10:02:00 +0900"  # of what it holds
TIME = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)"
    r" ?((UTC|GMT|Z)?(?P<offset>[+-]\d\d:?\d\d)?|(?P<zone>[A-Za-z_/]+))"
)
DAY = timedelta(days=1)


class Rule(BaseModel):
    """What a late day costs: a share of the points, down to a floor, once the free days are spent."""

    model_config = ConfigDict(extra="forbid")
    share_a_day: float = Field(default=0.0, ge=0, le=1)
    floor: float = Field(default=0.0, ge=0, le=1)
    free_days: int = Field(default=0, ge=0)


class Dates(BaseModel):
    """class.toml: due dates by week, later ones by student and week, and the rule. Each date names its offset."""

    model_config = ConfigDict(extra="forbid")
    due: dict[str, AwareDatetime] = {}
    extended: dict[str, dict[str, AwareDatetime]] = {}
    late: Rule = Rule()

    @model_validator(mode="after")
    def _extend_what_is_due(self) -> Self:
        for student, weeks in self.extended.items():
            for week, later in weeks.items():
                if week not in self.due:
                    raise ValueError(f"{student} has longer for {week}, which is due on no day: write it under [due]")
                if later < self.due[week]:
                    raise ValueError(f"the extension of {student} for {week} ends before the week is due")
        return self

    def due_of(self, student: str, week: str) -> datetime | None:
        return self.extended.get(student, {}).get(week) or self.due.get(week)


@dataclass(frozen=True)
class Lateness:
    """What became of a student's week.

    Attributes:
        share: of its points that is taken away, from 0 to 1.
        sentence: why, for the student; empty if it was handed in in time.
    """

    share: float = 0.0
    sentence: str = ""


IN_TIME = Lateness()


def read(home: Path) -> Dates | None:
    """Reads the class's dates; None if it has none.

    Raises:
        CourseError: the file is not right; the sentence says where.
    """
    path = home / FILE
    try:
        return Dates.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CourseError(f"{path} cannot be read: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        hint = ": write a date as 2026-03-13T23:59:00+09:00, with its offset" if "timezone" in first["type"] else ""
        raise CourseError(f"{path}{f', {where}' if where else ''}: {first['msg']}{hint}") from None


def unknown_weeks(dates: Dates, known: set[str]) -> list[str]:
    """Names the weeks of the dates that the course does not have."""
    named = {*dates.due, *(week for weeks in dates.extended.values() for week in weeks)}
    return sorted(named - known)


def unknown_students(dates: Dates, home: Path) -> list[str]:
    """Names the students with a later date of whom nothing is handed in: a name may be misspelt."""
    return sorted(student for student in dates.extended if not (home / "submitted" / student).is_dir())


def handed_in(folder: Path) -> datetime | None:
    """Reads when the student's week in this folder was handed in, in UTC; None if there is no file or no time can be read."""
    try:
        return _time(submission.content(folder / HANDED_IN).decode("utf-8", "replace").strip())
    except (ValueError, OverflowError, LookupError, OSError):  # zones are looked up as files
        return None


def times(dates: Dates, home: Path, student: str) -> dict[str, datetime | None]:
    """Reads when the student handed in the weeks that are due and lie in the class's folder now."""
    folders = {week: home / "submitted" / student / week for week in dates.due}
    return {
        week: handed_in(folder)
        for week, folder in folders.items()
        if os.path.isdir(folder)  # noqa: PTH112 - Path's raises where it may not look
    }


def written(home: Path, week: str, student: str) -> list[str]:
    """Gives what the class's rule writes of a student's week into gradebook and feedback: both dates and the reason.

    Raises:
        CourseError: the class's dates cannot be read.
    """
    if (dates := read(home)) is None:
        return []
    judged = judge(dates, student, times(dates, home, student), datetime.now(UTC))
    return [str(dates.due.get(week)), str(dates.due_of(student, week)), judged.get(week, IN_TIME).sentence]


def holds_no_time(folder: Path) -> bool:
    """Tells whether there is a file with the time of handing in from which none can be read."""
    return os.path.lexists(folder / HANDED_IN) and handed_in(folder) is None


def _time(text: str) -> datetime:
    """Reads a time as nbgrader writes it, or with an offset: without a zone it is UTC.

    nbgrader's own reading takes " +0900" for 900 seconds, and a zone that it does not know (KST) for UTC.

    Raises:
        ValueError, OverflowError: it is no time.
        LookupError, OSError: no zone has this name.
    """
    if (found := TIME.fullmatch(text)) is None:
        raise ValueError(f"{text!r} is no time")
    zone = ZoneInfo(found["zone"]) if found["zone"] else UTC
    time = datetime.fromisoformat(found["time"] + (found["offset"] or ""))
    return (time if time.tzinfo else time.replace(tzinfo=zone)).astimezone(UTC)


def judge(dates: Dates, student: str, handed_in: Mapping[str, datetime | None], now: datetime) -> dict[str, Lateness]:
    """Judges all that a student has handed in, since free days are spent over all weeks.

    Args:
        handed_in: week → when, None if that is not known. With time zones, as `now`.
    """
    due = {week: day for week in handed_in if (day := dates.due_of(student, week)) is not None}
    free, judged = dates.late.free_days, {}
    for week in sorted(due, key=lambda week: (dates.due[week], week)):
        judged[week], spent = _judge(dates.late, due[week], handed_in[week], now, free)
        free -= spent
    return judged


def _judge(rule: Rule, due: datetime, when: datetime | None, now: datetime, free: int) -> tuple[Lateness, int]:
    """Judges one week; also gives the free days that it spends."""
    if when is None:
        return Lateness(0.0, "It is not known when this was handed in, so nothing is taken away for being late."), 0
    if when > now:
        told = f"The time of handing in, {_written(when)}, had not come when this was graded: the clocks disagree"
        return Lateness(0.0, f"{told}, so nothing is taken away for being late."), 0
    days = math.ceil((when - due) / DAY)
    if days <= 0:
        return IN_TIME, 0
    spent = min(free, days) if rule.share_a_day else 0
    share = min((days - spent) * rule.share_a_day, 1 - rule.floor)
    told = f"Handed in {_written(when)}, due {_written(due.astimezone(when.tzinfo))}: {_days(days)} late"
    told += f", of which {_days(spent)} free" if spent else ""
    at_floor = share < (days - spent) * rule.share_a_day - 1e-9
    cost = f"{100 * share:.3g} % of the points are taken away{', the most there is' if at_floor else ''}"
    return Lateness(share, f"{told}; {cost if share else 'nothing is taken away'}."), spent


def _written(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M} {when.tzname()}"


def _days(number: int) -> str:
    return f"{number} day{'' if number == 1 else 's'}"
