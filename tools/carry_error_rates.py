"""Carries lessons' error rates over a change of the library that leaves their metrics as they are.

A clearer error of a tokenizer makes the rates of nearly all lessons old: they would be measured for hours and come out the
same. For each lesson this makes a few of the runs that its rates are of twice, with the library as it was and as it is. Where
all metrics are the same to six digits, the rates stay, and say in their provenance what was compared. The other runs are not
made, so read the change, too. If anything but the library has changed, the rates are to be measured anew.

    python tools/carry_error_rates.py 1a2b3c4                            # the commit before the change; all lessons
    python tools/carry_error_rates.py 1a2b3c4 week1_embeddings/glove
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.course import Course, Lesson
from grader.lessons import bank, source
from grader.lessons.bank import Answer
from grader.provenance import ROOT as PACKAGES
from grader.provenance import bare, commit, fingerprint
from grader.quality import calibrate, error_rates
from grader.quality.calibrate import FRESH_FROM, Task
from grader.quality.error_rates import ErrorRates

Runs = dict[str, dict[str, float | None]]  # run → metric → value

ROOT = Path(__file__).parent.parent
PROFILE, DEVICE = "smoke", "auto"
TIMES = "_seconds_"  # in the names of metrics that differ from run to run: none of them carries points
SEEDS = (FRESH_FROM, FRESH_FROM + 1)


def stored(lesson: Lesson) -> list[ErrorRates]:
    return [row for row in error_rates.read(lesson.source / error_rates.FILE) if row.profile == PROFILE]


def tried(lesson: Lesson) -> list[Answer]:
    """Lists the wrong answers that the stored rates are of."""
    known = [answer for answer in bank.load(lesson) if answer.sentence is not None]
    few = error_rates.first(known, error_rates.FEW)
    return few if stored(lesson)[0].wrong == len(few) else known


def look(lesson: Lesson) -> dict[str, Any]:
    """Makes the runs that are compared, in the checkout that this process imports from: of each its metrics with an interval.

    There are none in the earlier checkout where the rates were of other code even then.
    """
    assert lesson.course.root == PACKAGES.resolve()  # or both sides would be the same code
    if lesson.course.root != ROOT and not error_rates.are_current(lesson, PROFILE):
        return {"hold": False}
    answers = tried(lesson)
    tasks = [Task(PROFILE, DEVICE, seed) for seed in SEEDS]
    limit = 2 * lesson.limits["notebook_seconds"]
    tasks += [Task(PROFILE, DEVICE, SEEDS[0], limit, answer) for answer in (answers[0], answers[-1])]
    runs = calibrate.results(lesson, tasks, os.cpu_count() or 1, lambda *_: None)
    names = sorted({row.metric for row in stored(lesson) if TIMES not in row.metric})
    metrics = {
        task.name: {name: run.metrics.get(name) for name in names} for task, run in zip(tasks, runs, strict=True)
    }
    return {"hold": True, "metrics": metrics}


def looked_at(lesson: Lesson) -> dict[str, Any]:
    """Does that in a process of its own, with the code of the lesson's checkout."""
    root = str(lesson.course.root)
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "found.json")
        command = [sys.executable, __file__, "--look", str(found), root, lesson.id]
        # In one thread, so that sums are in the same order on both sides.
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1"})
        return dict(json.loads(found.read_text(encoding="utf-8")))


def beside_the_library(lesson: Lesson) -> str:
    """Hashes what decides the rates of a lesson, but for the library and for the intervals."""
    metrics_code = bare(calibrate._of_metrics((lesson.source / "hidden.py").read_text(encoding="utf-8")))
    answers = [(answer.label, bare(answer.code)) for answer in tried(lesson)]
    return fingerprint(metrics_code, *answers, code=[lesson.source / "notebook.py"], data=source.data_read(lesson))


def different(now: Runs, before: Runs) -> str:
    """Names the metrics that differ by more than rounding, as the order of a sum makes it; empty if there are none."""
    told = []
    for run, name in [(one, metric) for one in now for metric in now[one]]:
        here, there = now[run][name], before[run][name]
        if here != there and (
            here is None or there is None or not math.isclose(here, there, rel_tol=1e-6, abs_tol=1e-8)
        ):
            told.append(f"{name} is {here} now, {there} before ({run})")
    return "; ".join(told)


def carry_over(now: Lesson, then: Lesson, before: str) -> str:
    """Carries the rates of a lesson over, or says why not.

    Args:
        then: the lesson in a checkout of the commit `before`.
    """
    rows = stored(now)
    if error_rates.are_current(now, PROFILE):
        return "of the code as it is"
    intervals = {(row.metric, row.low, row.high) for row in error_rates._rows(now, PROFILE)}
    if intervals != {(row.metric, row.low, row.high) for row in rows}:
        return "measure anew: the table's intervals have changed"
    if beside_the_library(now) != beside_the_library(then):
        return "measure anew: the lesson, its metrics or its wrong answers have changed"
    found = looked_at(then)
    if rows != stored(then) or not found["hold"]:
        return f"measure anew: at {before} the rates were of other code"
    if differ := different(looked_at(now)["metrics"], found["metrics"]):
        return f"measure anew: {differ}"
    said = (
        f"; carried over to {commit(now.course.root)}: as at {before}, to six digits, in {', '.join(found['metrics'])}"
    )
    inputs = error_rates._inputs(now, DEVICE, rows[0].fresh, tried(now))
    carried = [replace(row, inputs=inputs, provenance=row.provenance.partition("; carried")[0] + said) for row in rows]
    others = [row for row in error_rates.read(now.source / error_rates.FILE) if row.profile != PROFILE]
    error_rates._write(now.source / error_rates.FILE, [*others, *carried])
    return "carried over"


def main(names: Sequence[str], before: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "before")
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(root), before], check=True)
        try:
            course, earlier = Course(ROOT), Course(root)
            for name in names or [lesson.id for lesson in course.lessons()]:
                print(f"{name}: {carry_over(course.lesson(name), earlier.lesson(name), before)}", flush=True)
        finally:
            subprocess.run([*git, "remove", "--force", str(root)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--look"]:
        _, _, out, checkout, asked_for = sys.argv
        Path(out).write_text(json.dumps(look(Course(Path(checkout)).lesson(asked_for))), encoding="utf-8")
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("before", metavar="COMMIT", help="from before the change")
        parser.add_argument("lessons", metavar="WEEK/LESSON", nargs="*")
        asked = parser.parse_args()
        main(asked.lessons, asked.before)
