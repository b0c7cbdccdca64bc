"""Isolated runs: code in the place of an exercise's cell, and what the lesson's checks make of it, in a process of its own.

A few workers import what the lesson imports; each run is forked from one of them, so runs share no state, and ends
at a limit of processor time and memory: code that never ends, or takes the process down, is an outcome like another.
This is no sandbox: what is tried is the course's own. This module must not know why it is tried.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import resource
import select
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from hypothesis import find
from hypothesis.strategies import booleans

from etude.lesson.checks import Check, Outcome, run_check
from etude.lesson.mistakes import fingerprint
from etude.lesson.student import LiveStudent
from grader.course import Course, Lesson
from grader.lessons import generated, source

LAZY = ("torch", "torch._dynamo")  # what torch's optimizers import at their first step: seconds, once for all runs
PATIENCE = 60  # times its processor time a run may take by the clock: the machine may be busy, and few mutants sleep


@dataclass(frozen=True)
class Task:
    """What to try: `answers` (exercise → code), the names of the checks in the order in which they run, and the limit."""

    answers: dict[str, str]
    checks: tuple[str, ...]
    seconds: int  # of processor time
    stop: bool = False  # at the first check that fails


@dataclass(frozen=True)
class Seen:
    """What one check saw.

    Attributes:
        status: as of an Outcome, or "ended" where the process did not survive the check.
    """

    check: str
    hidden: bool
    status: str
    message: str = ""
    seconds: float = 0.0
    fingerprint: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    @classmethod
    def of(cls, outcome: Outcome) -> Self:
        check = outcome.check
        return cls(check.name, check.hidden, outcome.status, outcome.message, outcome.seconds, fingerprint(outcome))


class IsolatedRuns:
    """Workers that try code. A context manager; they serve any number of lessons."""

    def __init__(self, processes: int = 2) -> None:
        self._pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), initializer=_begin)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if error is not None:
            for worker in multiprocessing.active_children():
                worker.kill()
        self._pool.shutdown(cancel_futures=True)

    def run(self, lesson: Lesson, tasks: Sequence[Task]) -> Iterator[list[Seen]]:
        """Runs the tasks and gives what the checks saw, task by task, in order, as they come."""
        stamps = tuple((lesson.source / name).stat().st_mtime_ns for name in ("notebook.py", "checks.py", "hidden.py"))
        futures = [self._pool.submit(_try, lesson.course.root, lesson.id, stamps, task) for task in tasks]
        return (future.result() for future in futures)


def _begin() -> None:
    """Starts a worker. It only imports: a parallel operation here would leave threads that no fork survives."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to answer
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["OMP_NUM_THREADS"] = "1"
    for name in LAZY:
        importlib.import_module(name)
    find(booleans(), lambda value: True)  # the first search imports what each run would have to


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@lru_cache(maxsize=1)
def _prepared(root: Path, name: str, stamps: tuple[int, ...]) -> tuple[Lesson, dict[str, Check]]:
    """Returns the lesson and its checks by name, all its imports done. `stamps`: of its files, so that none is out of date."""
    lesson = Course(root).lesson(name)
    source.namespace(lesson)
    return lesson, {check.name: check for check in source.checks(lesson)}


def _try(root: Path, name: str, stamps: tuple[int, ...], task: Task) -> list[Seen]:
    lesson, checks = _prepared(root, name, stamps)
    asked = [checks[check] for check in task.checks]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _in_child(lesson, asked, task, write)
    os.close(write)
    try:
        lines = _lines(read, time.monotonic() + PATIENCE * task.seconds)
    finally:
        os.close(read)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    results = [Seen(**json.loads(line)) for line in lines]
    stopped = task.stop and any(not result.passed for result in results)
    if len(results) < len(asked) and not stopped:
        fatal = asked[len(results)]
        results.append(Seen(fatal.name, fatal.hidden, "ended", "it takes too long, or takes its process down"))
    return results


def _lines(read: int, deadline: float) -> list[bytes]:
    """Reads the whole lines that come through the pipe until it is closed or the deadline has passed."""
    content = b""
    while select.select([read], [], [], max(0.0, deadline - time.monotonic()))[0] and (part := os.read(read, 1 << 16)):
        content += part
    return content.split(b"\n")[:-1]


def _in_child(lesson: Lesson, checks: list[Check], task: Task, write: int) -> NoReturn:
    """Runs the checks, each outcome written as soon as it is there, and ends the process."""
    try:
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        multiprocessing.set_start_method("fork", force=True)  # semaphores (tqdm's) are then unlinked as they are made
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_CPU, task.seconds)
        _limit(resource.RLIMIT_DATA, lesson.limits["memory_mb"] << 20)
        importlib.import_module("torch").set_num_threads(1)
        generated.leave_large()  # what is kept of a drawn input is that it went wrong
        with os.fdopen(write, "wb", buffering=0) as out:
            for result in _outcomes(lesson, checks, task.answers):
                out.write(json.dumps(asdict(result)).encode() + b"\n")
                if task.stop and not result.passed:
                    break
    finally:
        os._exit(0)


def _outcomes(lesson: Lesson, checks: list[Check], answers: dict[str, str]) -> Iterator[Seen]:
    try:
        student = LiveStudent(source.namespace(lesson, answers))
    except Exception as error:  # the cell itself fails, so there is nothing to check
        name = type(error).__name__
        for check in checks:
            yield Seen(check.name, check.hidden, "error", f"{name}: {error}", 0.0, {"status": "error", "error": name})
        return
    yield from (Seen.of(run_check(check, student)) for check in checks)


def _limit(kind: int, most: int) -> None:
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))
