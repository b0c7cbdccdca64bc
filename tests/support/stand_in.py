"""A stand-in for grading, for tests of what happens around it: a submission's text says what becomes of it.

Run as a program it is the `grader` command with this in grading's place.
"""

from __future__ import annotations

import functools
import os
import signal
import tempfile
from pathlib import Path

from grader.classes import batch
from grader.classes.uploads import Submission
from grader.cli import app
from grader.grading import store
from grader.grading.verdict import CheckResult, ExerciseResult, Verdict
from grader.settings import WARM, Settings

POINTS = 4.0


def grade(item: Submission, home: Path, settings: Settings) -> Verdict:
    """Notes that it was called, does what the submission says, then gives it the number at the end of its text."""
    root = item.path.parents[3]
    with (root / "runs").open("a") as log:
        log.write(f"{item.student}\n")
    word, _, rest = item.path.read_text().partition(" ")
    if word == "kills":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "exits-once" and runs(root).count(item.student) == 1:
        os._exit(3)
    if word == "raises":
        raise RuntimeError(rest)
    if word == "waits" and (root / "gate").exists():
        wait_in_a_sandbox(root / "gate")
    made = Verdict(
        lesson=item.lesson.id,
        student=item.student,
        status="graded",
        reason=rest if word == "says" else "",
        submission="",
        inputs=store.fingerprint(item.lesson, item.path, settings),
        profile=settings.profile,
        seed=settings.seed,
        sandbox=settings.sandbox,
        exercises=[exercise(float(rest) if word in ("earns", "waits", "exits-once") else 0.0)],
    )
    store.save(store.verdict_path(home, item.student, item.lesson), made, None)
    return made


def exercise(earned: float) -> ExerciseResult:
    check = CheckResult(name="check", title="it works", hidden=False, points=POINTS, status="passed", partial=earned)
    return ExerciseResult(name="check", checks=[check])


def wait_in_a_sandbox(gate: Path) -> None:
    """Starts a kernel, then waits at a named pipe: who opens its other end knows that the kernel is running."""
    from grader.kernels.session import KernelSession

    with tempfile.TemporaryDirectory() as work, KernelSession(Path(work), WARM, limits={}), gate.open() as pipe:
        pipe.read()


def runs(root: Path) -> list[str]:
    """The students whose submissions were run, one entry a run."""
    return (root / "runs").read_text().split() if (root / "runs").is_file() else []


if __name__ == "__main__":
    batch.grade_batch = functools.partial(batch.grade_batch, grade=grade)
    app()
