"""How far an expected table can be trusted: `grader calibrate --errors` measures its two error rates, errors.csv.

False alarms: how often the reference, on seeds that nothing was calibrated on, falls outside a row's interval. Misses: which
wrong answers of the bank, run through the whole experiment in the reference's place, fall inside it. A row that no wrong
answer leaves is blind: it tells nothing apart, and may carry no points. How a run is made, calibration knows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median

import pandas as pd
from scipy.stats import binomtest

from etude.files import write_whole
from etude.lesson import table
from grader.classes.workers import Step
from grader.course import CourseError, Lesson
from grader.lessons import bank
from grader.provenance import bare, fingerprint, provenance
from grader.quality import calibrate
from grader.quality.calibrate import FRESH_FROM, Task

Values = Mapping[str, float]  # metric → value

FILE = "errors.csv"
MOST_FRESH = 1000
FEW = 2  # wrong answers to each exercise, unless told; a run is a whole experiment, and a bank has a hundred and more
SURE = 0.001  # how improbable so many right runs outside must be before we say that a row's promise is broken
SLOWER = (
    5  # times as long as right runs (their median) a wrong answer may take, where that is more than the lesson's limit
)


@dataclass(frozen=True)
class ErrorRates:
    """What is known of one row of the expected table: a metric in a profile.

    Attributes:
        low, high: the interval that was tried.
        coverage, confidence: what it promises.
        fresh: right runs on seeds that were never calibrated on.
        outside: those of them outside of the interval.
        outside_most: the exact 95 % upper bound of that rate (Clopper and Pearson, one-sided).
        lost, lost_most: the share of the row's points that a right run lost, in the mean and at most.
        wrong: wrong answers run.
        failed: those that came to no value, which earns nothing.
        inside: those that this row cannot tell from a right answer; `unseen` are their names. On a seed whose right answer
            is outside these are the ones equal to it.
        untouched: those of them whose value is the reference's own to the last digit, as their code has no part in
            this metric.
        inputs: the hash of what decides these numbers, but for the interval.
    """

    metric: str
    profile: str
    low: float
    high: float
    coverage: float
    confidence: float
    fresh: int
    outside: int
    outside_most: float
    lost: float
    lost_most: float
    wrong: int
    failed: int
    inside: int
    untouched: int
    unseen: str
    inputs: str
    provenance: str

    @property
    def seen(self) -> int:
        """How many wrong answers came to a value outside the interval."""
        return self.wrong - self.failed - self.inside

    @property
    def broken(self) -> bool:
        """Whether more right runs fell outside than a row that keeps its promise would allow, as when it has two modes."""
        return bool(binomtest(self.outside, self.fresh, 1 - self.coverage, alternative="greater").pvalue < SURE)

    @property
    def blind(self) -> bool:
        """Whether wrong answers were tried and none of them came to a value outside."""
        return self.wrong > 0 and self.seen == 0

    def cells(self) -> list[str]:
        """Writes the row as the table with HEADS shows it."""
        right = [
            f"{self.outside} of {self.fresh}",
            f"{self.outside_most:.0%}",
            f"{self.lost:.1%}",
            f"{self.lost_most:.0%}",
        ]
        wrong = [self.seen, self.failed, self.inside, self.untouched] if self.wrong else ["not run", "", "", ""]
        return [self.metric, *right, *map(str, wrong)]


HEADS = (
    *("metric", "right: outside", "at most", "share lost", "at most"),
    *("wrong: outside", "no value", "inside", "of them untouched"),
)

COLUMNS = [field.name for field in fields(ErrorRates)]


def measure(
    lesson: Lesson, profile: str, fresh: int, wrong: int | None, device: str, jobs: int, step: Step
) -> list[ErrorRates]:
    """Measures one profile of one lesson and writes its rows of errors.csv; gives those that are there if they still hold.

    Rows of a corpus that is not on this machine stay as they were measured elsewhere.

    Args:
        fresh: how many fresh seeds.
        wrong: how many of the bank's wrong answers to each exercise, in the bank's order. None: FEW in the profile smoke,
            and all of them where a row with points would be blind with these; none in the other profiles.
        jobs: runs at a time.
        step: `step(done, total, what is running)` is called whenever that changes.

    Returns:
        The rows of the profile.

    Raises:
        CourseError: the number of fresh seeds makes no sense, the profile has no interval yet, or the runs fail.
    """
    if not 1 <= fresh <= MOST_FRESH:
        raise CourseError(f"{fresh} fresh seeds make no sense: give 1 to {MOST_FRESH}")
    rows = _rows(lesson, profile)
    if not rows:
        command = f"grader calibrate {lesson.id} --profile {profile}"
        raise CourseError(f"{lesson.id} has no interval in the profile {profile} yet: measure it with `{command}`")
    kept = read(lesson.source / FILE)
    known = [answer for answer in bank.load(lesson) if answer.sentence is not None]
    few = first(known, wrong if wrong is not None else FEW if profile == "smoke" else 0)
    graded = {row.metric for row in rows if row.points}
    stored = [row for row in kept if row.profile == profile]
    enough = [few] if wrong is not None or not _blind(stored, graded) else []
    enough += [known] if wrong is None else []
    if any(_hold(stored, rows, _inputs(lesson, device, fresh, answers)) for answers in enough):
        return stored

    seeds = range(FRESH_FROM, FRESH_FROM + fresh)
    asked = [Task(profile, device, seed) for seed in seeds]
    right = calibrate.results(lesson, asked, jobs, lambda done, _, now: step(done, fresh, now))
    here = {metric for run in right for metric in run.metrics}
    elsewhere = {row.metric: row for row in stored if row.metric not in here}
    limit = max(lesson.limits["notebook_seconds"], SLOWER * median(run.seconds for run in right))
    command = f"grader calibrate {lesson.id} --profile {profile} --errors --fresh {fresh}"
    origin = provenance(command if wrong is None else f"{command} --wrong {wrong}", device, lesson.course.root)
    origin += f"; seeds {seeds[0]} to {seeds[-1]}"

    def of_answers(answers: Sequence[bank.Answer]) -> list[ErrorRates]:
        total = fresh + len(answers)
        asked = [Task(profile, device, FRESH_FROM, limit, answer) for answer in answers]
        runs = calibrate.results(lesson, asked, jobs, lambda done, _, now: step(fresh + done, total, now))
        tried = {answer.label: run.metrics for answer, run in zip(answers, runs, strict=True)}
        where = origin + (f", wrong answers on {FRESH_FROM}" if answers else "")
        decisive = _inputs(lesson, device, fresh, answers)
        return [
            elsewhere.get(row.metric) or rates(row, [run.metrics for run in right], tried, decisive, where)
            for row in rows
            if row.metric in here or row.metric in elsewhere
        ]

    measured = of_answers(few)
    if wrong is None and _blind(measured, graded):
        measured = of_answers(known)  # the runs above are kept: only the others are made
    _write(lesson.source / FILE, [*(row for row in kept if row.profile != profile), *measured])
    return measured


def are_current(lesson: Lesson, profile: str) -> bool:
    """Tells whether the stored rates of a profile are those of the lesson as it is: nothing that decides them has changed."""
    stored = [row for row in read(lesson.source / FILE) if row.profile == profile]
    known = [answer for answer in bank.load(lesson) if answer.sentence is not None]
    rows, tried = _rows(lesson, profile), (first(known, FEW), known)
    return any(_hold(stored, rows, _inputs(lesson, "auto", row.fresh, some)) for row in stored[:1] for some in tried)


def _rows(lesson: Lesson, profile: str) -> list[table.Expected]:
    """Reads the profile's rows that have an interval."""
    return [row for row in table.read(lesson.source / "expected.csv") if row.profile == profile and row.measured]


def _inputs(lesson: Lesson, device: str, fresh: int, answers: Sequence[bank.Answer]) -> str:
    """Hashes what decides the rates of a lesson's rows, but for their intervals: the same on every machine."""
    return fingerprint(
        fresh, calibrate.inputs(lesson, device), *((answer.label, bare(answer.code)) for answer in answers)
    )


def _hold(stored: Sequence[ErrorRates], rows: Sequence[table.Expected], decisive: str) -> bool:
    """Tells whether rates that are stored would come out again: of all rows of the table, and of what decides them."""
    now = {(row.metric, row.low, row.high, decisive) for row in rows}
    return now == {(one.metric, one.low, one.high, one.inputs) for one in stored}


def _blind(rows: Sequence[ErrorRates], graded: Collection[str]) -> bool:
    return any(one.blind and one.metric in graded for one in rows)


def first(answers: Sequence[bank.Answer], most: int) -> list[bank.Answer]:
    """Takes the first answers to each exercise, `most` of them, in their order."""
    counts: Counter[str] = Counter()
    chosen = []
    for answer in answers:
        counts[answer.exercise] += 1
        if counts[answer.exercise] <= most:
            chosen.append(answer)
    return chosen


def rates(
    row: table.Expected, right: Sequence[Values], wrong: Mapping[str, Values], decisive: str, origin: str
) -> ErrorRates:
    """Computes the error rates of one row, from the metrics of right runs, and of wrong answers on the first one's seed.

    A right run without a value of this metric counts as outside: it would earn nothing.
    """
    values = [run.get(row.metric, math.nan) for run in right]
    lost = [1 - row.share(value) for value in values]
    outside = sum(row.distance(value) > 0 for value in values)
    most = binomtest(outside, len(values), alternative="less").proportion_ci(0.95, method="exact").high
    ended = {name: run[row.metric] for name, run in wrong.items() if row.metric in run}
    unseen = [name for name, value in ended.items() if row.distance(value) == 0 or value == values[0]]
    return ErrorRates(
        metric=row.metric,
        profile=row.profile,
        low=row.low,
        high=row.high,
        coverage=calibrate.COVERAGE,
        confidence=calibrate.CONFIDENCE,
        fresh=len(values),
        outside=outside,
        outside_most=round(float(most), 4),
        lost=round(sum(lost) / len(lost), 4),
        lost_most=round(max(lost), 4),
        wrong=len(wrong),
        failed=len(wrong) - len(ended),
        inside=len(unseen),
        untouched=sum(ended[name] == values[0] for name in unseen),
        unseen=" ".join(unseen),
        inputs=decisive,
        provenance=origin,
    )


def sentences(rows: Sequence[ErrorRates]) -> list[str]:
    """Says what the runs show: rows whose promise is broken, rows that see no wrong answer, how many of them no row sees."""
    tried = [row for row in rows if row.wrong]
    lines = [
        f"{row.metric} loses {row.outside} of {row.fresh} right runs, more than it promises: its values are not normal "
        "or it has too few seeds; it may carry no points"
        for row in rows
        if row.broken
    ]
    lines += [
        f"{row.metric} tells no wrong answer from a right one: it may carry no points" for row in tried if row.blind
    ]
    if tried:
        unseen = set.intersection(*(set(row.unseen.split()) for row in tried))
        lines.append(
            f"{len(unseen)} of {tried[0].wrong} wrong answers are inside in every row: the checks alone catch them"
        )
    return lines


def read(path: Path) -> list[ErrorRates]:
    """Reads the rows of errors.csv, none if there is no such file.

    Raises:
        CourseError: the file has other columns.
    """
    if not path.is_file():
        return []
    rows = pd.read_csv(path, keep_default_na=False)
    if list(rows.columns) != COLUMNS:
        again = "delete the file, and measure anew with `grader calibrate LESSON --errors`"
        raise CourseError(f"{path}: the columns are {list(rows.columns)}, expected {COLUMNS}: {again}")
    return [ErrorRates(*row) for row in rows.itertuples(index=False, name=None)]


def _write(path: Path, rows: Sequence[ErrorRates]) -> None:
    write_whole(path, pd.DataFrame(rows, columns=COLUMNS).to_csv(index=False, lineterminator="\n"))
