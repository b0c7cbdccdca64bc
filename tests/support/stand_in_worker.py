"""The `dask` command with a stand-in for grading: a submission's text says what becomes of it on a worker.

Terms, processes, tasks and losses are real; no reference is measured. STAND_IN in its environment makes the process another:
`torch`, one with another torch; `distributed`, one with another distributed.
"""

from __future__ import annotations

import importlib.metadata
import os
import signal
from multiprocessing import parent_process

from stand_in import exercise

from grader.classes import cluster_worker
from grader.classes.batch import Made
from grader.course import Lesson
from grader.grading import lesson as grading
from grader.grading.verdict import Verdict
from grader.provenance import versions
from grader.settings import Settings


def grade_bytes(lesson: Lesson, student: str, content: bytes, settings: Settings) -> Made:
    """Notes that it was called, does what the submission says, then gives it the number at the end of its text."""
    root = lesson.course.root
    with (root / "runs").open("a") as log:
        log.write(f"{student}\n")
    word, _, rest = content.decode().partition(" ")
    worker = parent_process()
    assert worker is not None
    assert worker.pid is not None
    if word == "kills":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "kills-its-worker":
        os.kill(worker.pid, signal.SIGKILL)
        signal.pause()  # until the loss of its worker ends it too
    if word == "raises":
        raise RuntimeError(rest)
    if word == "waits" and (gate := root / "gate").exists():
        (root / "waiting").write_text(str(worker.pid))
        gate.read_text()  # until somebody opens its other end
    made = Verdict(
        lesson=lesson.id,
        student=student,
        status="graded",
        submission="",
        inputs=grading.fingerprint(lesson, content, settings),
        profile=settings.profile,
        seed=settings.seed,
        sandbox=settings.sandbox,
        exercises=[exercise(float(rest))],
    )
    return made.as_json(), None


def become_another(what: str) -> None:
    """Makes this process one with another version of a package."""
    real = importlib.metadata.version
    if what == "distributed":
        vars(importlib.metadata)["version"] = lambda name: "1.0" if name == what else real(name)
    elif what:
        vars(cluster_worker)["versions"] = lambda: versions() | {what: "1.0"}


if __name__ == "__main__":
    import stand_in_worker
    from dask.__main__ import main

    vars(cluster_worker)["grade_bytes"] = stand_in_worker.grade_bytes  # by a name that its processes can import
    vars(cluster_worker)["unmeasured"] = lambda lessons, settings: []
    become_another(os.environ.get("STAND_IN", ""))
    main()
