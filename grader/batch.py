"""Grading a class: verdicts from worker processes, each stored as it comes; what has not changed is not run again.

A kill at any moment loses at most the submissions that are then running: the next call goes on from what is stored. A
worker that dies takes nobody else down: its submission is tried once more, alone, and then reported.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

from grader import store
from grader.course import CourseError
from grader.intake import Submission
from grader.settings import Settings
from grader.verdict import Verdict

TRIES = 2


@dataclass
class Batch:
    """The outcome of a class: verdicts in the order of the submissions, and those for which the grader itself failed."""

    verdicts: dict[tuple[str, str], Verdict] = field(default_factory=dict)
    fresh: set[tuple[str, str]] = field(default_factory=set)
    troubles: list[str] = field(default_factory=list)


def grade_one(item: Submission, home: Path, settings: Settings) -> Verdict:
    """One submission's verdict, made and stored. This is what a worker runs."""
    path = store.verdict_path(home, item.student, item.lesson)
    return store.make(item.lesson, item.path, item.student, path, settings)[0]


def unchanged(todo: Iterable[Submission], home: Path, settings: Settings) -> dict[tuple[str, str], Verdict]:
    """The stored verdicts that are on the very inputs of these submissions."""
    found = {}
    for item in todo:
        verdict, _ = store.load(item.lesson, item.path, store.verdict_path(home, item.student, item.lesson), settings)
        if verdict is not None:
            found[key(item)] = verdict
    return found


def key(item: Submission) -> tuple[str, str]:
    return item.student, item.lesson.id


def grade_batch(todo: list[Submission], home: Path, settings: Settings, *, jobs: int, running: Callable[[list[str]], None],
                done: Callable[[], None]) -> Batch:
    """Grades what is not stored yet with `jobs` processes. `running` is told who is being graded, `done` called for each."""
    batch = Batch(verdicts=unchanged(todo, home, settings))
    for _ in batch.verdicts:
        done()
    waiting = deque((item, 1) for item in todo if key(item) not in batch.verdicts)
    while waiting:
        _work(waiting, batch, home, settings, jobs, running, done)
    return batch


def _work(waiting: deque[tuple[Submission, int]], batch: Batch, home: Path, settings: Settings, jobs: int,
          running: Callable[[list[str]], None], done: Callable[[], None]) -> None:
    """Works the queue off with one pool of processes; returns early, with the rest still waiting, if a worker died."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # workers share the cores: none may spin while it waits
    context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
    alone = waiting[0][1] > 1
    busy: dict[Future[Verdict], tuple[Submission, int]] = {}
    with ProcessPoolExecutor(max_workers=1 if alone else min(jobs, len(waiting)), mp_context=context) as pool:
        while waiting or busy:
            while waiting and len(busy) < (1 if alone else jobs):
                item, tries = waiting.popleft()
                busy[pool.submit(grade_one, item, home, settings)] = item, tries
            running([item.student for item, _ in busy.values()])
            finished, _ = wait(busy, return_when=FIRST_COMPLETED)
            broken = False
            for future in finished:
                item, tries = busy.pop(future)
                broken |= _settle(future, item, tries, waiting, batch, done)
            if broken:
                for future, (item, tries) in busy.items():
                    _settle(future, item, tries, waiting, batch, done)
                return
            if alone:
                return


def _settle(future: Future[Verdict], item: Submission, tries: int, waiting: deque[tuple[Submission, int]], batch: Batch,
            done: Callable[[], None]) -> bool:
    """Takes one result in; True if the worker died."""
    try:
        batch.verdicts[key(item)] = future.result()
        batch.fresh.add(key(item))
    except BrokenProcessPool:
        if tries < TRIES:
            waiting.append((item, tries + 1))
        else:
            batch.troubles.append(f"{item.student}, {item.lesson.id}: the grader's worker died twice on it; its old score stands")
            done()
        return True
    except CourseError:
        raise
    except Exception as error:
        batch.troubles.append(f"{item.student}, {item.lesson.id}: the grader failed ({type(error).__name__}: {error}); its old score stands")
    done()
    return False
