"""Grading a class: verdicts from worker processes, each stored as it comes; what has not changed is not run again.

A kill at any moment loses at most the submissions that are then running: the next call goes on from what is stored. A
worker that dies takes nobody else down: its submission is tried once more, alone, and then reported.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from grader import store
from grader.course import CourseError
from grader.intake import Submission
from grader.settings import Settings
from grader.verdict import Verdict

Grade = Callable[[Submission, Path, Settings], Verdict]  # makes and stores a verdict; a worker is sent it by its name


@dataclass
class Batch:
    """The outcome of a class: verdicts in the order of the submissions, and those for which the grader itself failed."""

    verdicts: dict[tuple[str, str], Verdict] = field(default_factory=dict)
    fresh: set[tuple[str, str]] = field(default_factory=set)
    troubles: list[str] = field(default_factory=list)

    def failed(self, item: Submission, why: str) -> None:
        self.troubles.append(f"{item.student}, {item.lesson.id}: {why}; its old score stands")


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


def grade_batch(
    todo: list[Submission],
    home: Path,
    settings: Settings,
    *,
    jobs: int,
    running: Callable[[list[str]], None],
    done: Callable[[], None],
    grade: Grade = grade_one,
) -> Batch:
    """Grades what is not stored yet with `jobs` processes. `running` is told who is being graded, `done` called for each."""
    batch = Batch(verdicts=unchanged(todo, home, settings))
    for _ in batch.verdicts:
        done()

    def work(waiting: deque[Submission], jobs: int) -> list[Submission]:
        """Works the queue off with one pool; if a worker dies, returns who was being graded, the rest still waiting."""
        died: list[Submission] = []
        broken = False
        busy: dict[Future[Verdict], Submission] = {}
        with _workers(min(jobs, len(waiting))) as pool:
            while busy or (waiting and not broken):
                while waiting and len(busy) < jobs and not broken:
                    try:
                        busy[pool.submit(grade, waiting[0], home, settings)] = waiting[0]
                    except BrokenProcessPool:  # a worker died of something else
                        broken = True
                    else:
                        waiting.popleft()
                running([item.student for item in busy.values()])
                for future in wait(busy, return_when=FIRST_COMPLETED).done:
                    item = busy.pop(future)
                    try:
                        batch.verdicts[key(item)] = future.result()
                        batch.fresh.add(key(item))
                    except BrokenProcessPool:
                        died.append(item)
                        broken = True
                        continue
                    except CourseError:
                        raise
                    except Exception as error:
                        batch.failed(item, f"the grader failed ({type(error).__name__}: {error})")
                    done()
        return died

    waiting = deque(item for item in todo if key(item) not in batch.verdicts)
    suspects: list[Submission] = []
    while waiting:
        suspects += work(waiting, jobs)
    for item in suspects:
        if work(deque([item]), jobs=1):
            batch.failed(item, "the grader's worker died twice on it")
            done()
    return batch


@contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes. They end with this one, at once if it is interrupted, and what they leave behind goes with them."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # workers share the cores: none may spin while it waits
    context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
    with tempfile.TemporaryDirectory(prefix="etude-") as scratch:
        Path(scratch).chmod(0o711)  # the sandbox's user passes through
        pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=(scratch,))
        try:
            yield pool
        except BaseException:
            for worker in multiprocessing.active_children():
                worker.kill()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _begin(scratch: str) -> None:
    """The first thing that a worker does. Ctrl-C is for its parent to answer; ignored, it would be so in kernels too."""
    signal.signal(signal.SIGINT, lambda *_: None)
    tempfile.tempdir = scratch
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
