"""How far an expected table can be trusted: `grader calibrate --errors` measures its two error rates, errors.csv.

The false alarms: how often the reference, on seeds that nothing was calibrated on, falls outside a row's interval. The misses:
which wrong answers of the bank, run through the whole experiment in the reference's place, fall inside it. A row that no
wrong answer leaves tells nothing apart, and may carry no points. Runs are kept: a call that was cut goes on.
"""

from __future__ import annotations

import csv
import io
import json
import math
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from scipy.stats import binomtest

from etude import table
from grader import bank, calibrate
from grader.build import write_master
from grader.course import Course, CourseError, Lesson
from grader.files import write_whole
from grader.reference import run_reference

FRESH_FROM, WRONG_SEED = 2000, 3000  # calibration takes its seeds from 1000 on, and far fewer than a thousand
FILE = "errors.csv"


@dataclass(frozen=True)
class ErrorRates:
    """One row of the table: a metric in a profile.

    coverage, confidence: what the interval claims; fresh, outside: right runs on fresh seeds, and those of them outside;
    outside_most: the upper end of the exact 95 % interval of that rate (Clopper and Pearson); points_lost: mean share
    of the row's points that a right run lost; wrong, failed, inside: wrong answers run, those that came to no value,
    and those that this row cannot tell from a right one, `unseen` being their names.
    """

    metric: str
    profile: str
    coverage: float
    confidence: float
    fresh: int
    outside: int
    outside_most: float
    points_lost: float
    wrong: int
    failed: int
    inside: int
    unseen: str
    provenance: str

    @property
    def blind(self) -> bool:
        """Whether wrong answers were tried and every one that came to a value looks right."""
        return self.wrong > self.failed and self.inside == self.wrong - self.failed


COLUMNS = [field.name for field in fields(ErrorRates)]
Values = dict[str, float]  # metric → value; empty: the run did not come to an end


def read(path: Path) -> list[ErrorRates]:
    """The rows of errors.csv."""
    kinds = {field.name: {"int": int, "float": float, "str": str}[str(field.type)] for field in fields(ErrorRates)}
    with path.open(encoding="utf-8", newline="") as file:
        return [ErrorRates(**{name: kinds[name](line[name]) for name in COLUMNS}) for line in csv.DictReader(file)]


def measure(
    lesson: Lesson,
    profile: str,
    *,
    fresh: int,
    wrong: bool,
    jobs: int,
    device: str,
    step: Callable[[int, int, str], None],
) -> list[ErrorRates]:
    """Measures one profile of one lesson and writes its rows of errors.csv. `step(done, total, what)`. Raises CourseError."""
    write_master(lesson)
    answers = [answer for answer in bank.load(lesson) if answer.sentence is not None] if wrong else []
    tasks: list[tuple[int, bank.Answer | None]] = [(FRESH_FROM + number, None) for number in range(fresh)]
    tasks += [(WRONG_SEED, answer) for answer in answers]
    right: list[Values] = []
    tried: dict[str, Values] = {}
    for (seed, answer), values in _run(lesson, profile, device, tasks, jobs, step):
        if answer is not None:
            tried[answer.label] = values
        elif values:
            right.append(values)
        else:
            raise CourseError(f"{lesson.id}: the reference did not come to an end with seed {seed}")
    command = (
        f"grader calibrate {lesson.id} --profile {profile} --errors --fresh {fresh}{'' if wrong else ' --no-wrong'}"
    )
    origin = calibrate.provenance(command, device)
    rows = [
        rates(row, right, tried, origin)
        for row in table.read(lesson.source / "expected.csv")
        if row.profile == profile and row.measured
    ]
    path = lesson.source / FILE
    others = [row for row in read(path) if row.profile != profile] if path.is_file() else []
    _write(path, [*others, *rows])
    return rows


def rates(row: table.Expected, right: Sequence[Values], wrong: dict[str, Values], origin: str) -> ErrorRates:
    """The error rates of one row, from the metrics of right runs and of wrong answers."""
    values = [run.get(row.metric, math.nan) for run in right]
    outside = sum(row.distance(value) > 0 for value in values)
    ended = {label: run[row.metric] for label, run in wrong.items() if row.metric in run}
    inside = sorted(label for label, value in ended.items() if row.distance(value) == 0)
    most = binomtest(outside, len(values)).proportion_ci(0.95, method="exact").high if values else 1.0
    return ErrorRates(
        metric=row.metric,
        profile=row.profile,
        coverage=calibrate.COVERAGE,
        confidence=calibrate.CONFIDENCE,
        fresh=len(values),
        outside=outside,
        outside_most=round(float(most), 4),
        points_lost=round(sum(1 - row.share(value) for value in values) / max(len(values), 1), 4),
        wrong=len(wrong),
        failed=len(wrong) - len(ended),
        inside=len(inside),
        unseen=" ".join(inside),
        provenance=origin,
    )


def _run(
    lesson: Lesson,
    profile: str,
    device: str,
    tasks: Sequence[tuple[int, bank.Answer | None]],
    jobs: int,
    step: Callable[[int, int, str], None],
) -> Iterator[tuple[tuple[int, bank.Answer | None], Values]]:
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        futures = {
            pool.submit(_values, lesson.course.root, lesson.id, profile, seed, device, answer): (seed, answer)
            for seed, answer in tasks
        }
        step(0, len(futures), "")
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                seed, answer = futures[future]
                step(done, len(futures), answer.label if answer else f"seed {seed}")
                yield (seed, answer), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _values(root: Path, name: str, profile: str, seed: int, device: str, answer: bank.Answer | None) -> Values:
    """The metrics of one run; empty if a wrong answer does not come to an end. Taken from an earlier call if it is the same."""
    lesson = Course(root).lesson(name)
    inputs = calibrate.inputs(lesson, device, answer.code if answer else "")
    folder = lesson.course.build / "runs" / lesson.id / f"{profile}-{answer.label if answer else f'seed{seed}'}"
    kept = folder / "errors.json"
    if kept.is_file() and (stored := json.loads(kept.read_text(encoding="utf-8")))["inputs"] == inputs:
        return stored["metrics"]
    try:
        run = run_reference(lesson, profile, seed, device, progress=False, answer=answer)
        found = {**run.metrics, **calibrate.graded(lesson, run.results, seed)}
    except CourseError:
        if answer is None:
            raise
        found = {}
    write_whole(kept, json.dumps({"inputs": inputs, "metrics": found}, indent=1))
    return found


def _write(path: Path, rows: Iterable[ErrorRates]) -> None:
    text = io.StringIO()
    lines = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    lines.writeheader()
    lines.writerows(asdict(row) for row in rows)
    write_whole(path, text.getvalue())
