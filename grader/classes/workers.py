"""Worker processes that grade together: they start fast, share this process's fork server, and end with this one.

Workers are forked from a server that has imported what grading needs (multiprocessing's forkserver), as kernels are
from the fork server. This module must not know what a worker is asked to do.
"""

from __future__ import annotations

import gc
import multiprocessing
import multiprocessing.forkserver
import os
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from grader.course import CourseError, Lesson
from grader.grading import outside
from grader.grading.notebook import Notebook
from grader.sandbox import fork_server, scratch
from grader.sandbox.limits import Limits, LimitsError
from grader.settings import WARM, Settings

LIGHT = ["grader.classes.preloaded"]
SAFE_PATH = "PYTHONSAFEPATH"  # the server, started by python -c, would import what lies in the working folder first
HEAVY = [*LIGHT, "grader.grading.lesson"]  # with torch
# Imported once for all workers, if a test cell of another course may ask for them.
LIBRARIES = {"numpy", "pandas", "torch"}

Task = TypeVar("Task")
Result = TypeVar("Result")
Step = Callable[[int, int, str], None]  # (done, total, what is running)


class Workers:
    """A folder, fork servers and a server to fork workers from, shared by the pools of one batch. A context manager.

    `lessons`: what will be run, so that only what it needs is started; nothing is if there is none.
    """

    def __init__(self, settings: Settings, lessons: Iterable[Lesson | Notebook] = ()) -> None:
        self._lessons = list(lessons)
        self._settings = settings
        scratch.remove_left_behind()
        self._scratch = scratch.Scratch("etude-batch-")
        self._context = multiprocessing.get_context("forkserver")
        self._addresses: dict[int, Path] = {}  # threads → where the fork server for them listens

    def __enter__(self) -> Self:
        self._scratch.path.chmod(0o711)  # the sandbox's user passes through
        self._addresses = start_servers(self._lessons, self._settings)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._scratch.remove()

    @contextmanager
    def pool(self, count: int) -> Iterator[ProcessPoolExecutor]:
        """Holds a pool of processes while the block runs. They end with this one, at once if it is interrupted."""
        pool = ProcessPoolExecutor(
            count, mp_context=self._context, initializer=_begin, initargs=(str(self._scratch.path), self._addresses)
        )
        try:
            yield pool
        except BaseException:
            for worker in multiprocessing.active_children():
                worker.kill()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def start_servers(lessons: Collection[Lesson | Notebook], settings: Settings) -> dict[int, Path]:
    """Starts the servers that kernels and workers are forked from, unless they run; they get ready while this process goes on.

    Returns:
        Where the fork server for each number of threads listens; none if no kernel is forked.

    Raises:
        CourseError: the limits of a lesson make no sense.
    """
    if not lessons:
        return {}
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # workers share the cores: none may spin while it waits
    try:
        threads = {Limits.from_dict(lesson.sandbox_limits).threads for lesson in lessons}
    except LimitsError as error:
        raise CourseError(f"the limits of a lesson make no sense: {error}") from None
    addresses = {number: fork_server.address(number) for number in threads} if settings.kernel == WARM else {}
    notebooks = [lesson.released for lesson in lessons if isinstance(lesson, Notebook)]
    needed = LIGHT if len(notebooks) == len(lessons) else HEAVY
    imported = LIBRARIES & set[str]().union(*map(outside.imports, notebooks))
    multiprocessing.get_context("forkserver").set_forkserver_preload([*needed, *sorted(imported)])
    os.environ[SAFE_PATH] = "1"
    multiprocessing.forkserver.ensure_running()
    del os.environ[SAFE_PATH]
    return addresses


def side_by_side(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    name: Callable[[Task], str],
    jobs: int,
    step: Step,
    workers: Workers,
) -> Iterator[tuple[Task, Future[Result]]]:
    """Runs the tasks in worker processes and gives each with what came of it, as they end.

    No more than `jobs` are ever started, so that `step` can name them.

    Args:
        step: is told how many tasks are done, how many there are, and the names of those that run.

    Raises:
        CourseError: a process was ended from outside.
    """
    waiting, done = deque(tasks), 0
    running: dict[Future[Result], Task] = {}
    with workers.pool(min(jobs, len(tasks)) or 1) as pool:
        while waiting or running:
            while waiting and len(running) < jobs:
                task = waiting.popleft()
                running[pool.submit(work, task)] = task
            step(done, len(tasks), ", ".join(map(name, running.values())))
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                if isinstance(future.exception(), BrokenProcessPool):
                    raise CourseError(
                        f"a process was ended from outside during {', '.join(map(name, running.values()))}, perhaps as memory "
                        "ran out: run the same command again, with --jobs 1 if memory is short"
                    )
                done += 1
                yield running.pop(future), future
    step(done, len(tasks), "")


def _begin(scratch: str, shared: dict[int, Path]) -> None:
    """Prepares a new worker. Ctrl-C is for its parent to answer; ignored, it would be so in kernels too."""
    signal.signal(signal.SIGINT, lambda *_: None)
    gc.freeze()  # what was imported before the fork stays; collections need not look at it
    gc.enable()
    os.environ.pop(SAFE_PATH, None)  # a notebook may import what lies beside it
    tempfile.tempdir = scratch
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for threads, address in shared.items():
        fork_server.join(threads, address)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
