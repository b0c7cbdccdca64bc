"""Grading a class: verdicts from worker processes, each stored as it comes; what has not changed is not run again.

A kill at any moment loses at most the submissions that are then running: the next call goes on from what is stored. A
worker that dies takes nobody else down: its submission is tried again, alone, and reported if that fails twice.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import nbformat

from grader.classes.uploads import Submission
from grader.classes.workers import Workers, side_by_side
from grader.course import CourseError, Lesson
from grader.grading import costs, store
from grader.grading.store import Gradable
from grader.grading.verdict import Verdict
from grader.interrupt import postponed
from grader.kernels.session import KernelLost
from grader.sandbox import SandboxError
from grader.settings import Settings

POLL = 0.1  # seconds after which a batch that waits for its workers looks whether Ctrl-C was pressed

Made = tuple[str, str | None]  # a verdict and the executed notebook, both as JSON; no notebook if the file was refused
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
    """Makes the verdict on one submission and stores it. This is what a worker runs."""
    path = store.verdict_path(home, item.student, item.lesson)
    return store.make(item.lesson, item.path, item.student, path, settings)[0]


def grade_bytes(lesson: Lesson, student: str, content: bytes, settings: Settings) -> Made:
    """Makes the verdict on what was handed in elsewhere, as a file of the lesson's name, which refusals call it by."""
    with tempfile.TemporaryDirectory(prefix="etude-") as folder:
        path = Path(folder, f"{lesson.name}.ipynb")
        path.write_bytes(content)
        made = store.grade(lesson, path, student, settings)
    return made.verdict.as_json(), None if made.notebook is None else nbformat.writes(made.notebook)


def unchanged(todo: Iterable[Submission], home: Path, settings: Settings) -> dict[tuple[str, str], Verdict]:
    """Finds the stored verdicts that are on the very inputs of these submissions."""
    verdicts = {}
    for item in todo:
        verdict, _ = store.load(item.lesson, item.path, store.verdict_path(home, item.student, item.lesson), settings)
        if verdict is not None:
            verdicts[key(item)] = verdict
    return verdicts


def key(item: Submission) -> tuple[str, str]:
    return item.student, item.lesson.id


def measure_references(
    lessons: Sequence[Lesson],
    settings: Settings,
    jobs: int,
    workers: Workers,
    running: Callable[[list[str]], None],
    measured: Callable[[Lesson], None],
) -> dict[str, str]:
    """Finds out what the references of these lessons cost here. One that fails stops no other.

    Args:
        measured: is told of each lesson that has been measured.

    Returns:
        A sentence for each lesson, by its id, that cannot be graded: its reference does not run here as it should.
    """
    show = lambda done, total, now: running([f"reference of {name}" for name in now.split(", ") if name])  # noqa: E731
    runs = side_by_side(
        partial(costs.measure, settings=settings), lessons, lambda lesson: lesson.name, jobs, show, workers
    )
    failed = {}
    for lesson, run in runs:
        if (error := run.exception()) is None:
            measured(lesson)
        elif isinstance(error, CourseError):
            failed[lesson.id] = str(error)
        else:
            failed[lesson.id] = f"the reference of {lesson.id} could not be run here: {error}"
    return failed


def unmeasured(lessons: Iterable[Gradable], settings: Settings) -> list[Lesson]:
    """Picks the lessons of ours among these of which it is not known what their references cost here."""
    ours = {lesson.id: lesson for lesson in lessons if isinstance(lesson, Lesson)}
    return [lesson for lesson in ours.values() if costs.kept(lesson, settings) is None]


def grade_batch(
    todo: list[Submission],
    home: Path,
    settings: Settings,
    *,
    jobs: int,
    running: Callable[[list[str]], None],
    done: Callable[[Submission, Verdict | None], None],
    grade: Grade = grade_one,
    references: Iterable[Gradable] = (),
    measured: Callable[[Lesson], None] = lambda lesson: None,
) -> Batch:
    """Grades what is not stored yet with `jobs` processes.

    First the references of what is to be graded, and of the lessons in `references`, are measured, if it is not known what
    they cost here. A lesson whose reference does not run here as it should is not graded; the others are.

    Args:
        running: is told who is being graded.
        done: is called for each submission, with its verdict if there is one, while the others are being graded.
        references: lessons whose references are to be measured too.
        measured: is told of each lesson whose reference has been measured.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; it is answered between calls of `running` and `done`, never within.
    """
    batch = Batch(verdicts=unchanged(todo, home, settings))
    waiting = deque(item for item in todo if key(item) not in batch.verdicts)
    answered = deque(item for item in todo if key(item) in batch.verdicts)  # to be told of by `done`

    def fail(item: Submission, why: str) -> None:
        batch.failed(item, why)
        answered.append(item)

    def work(waiting: deque[Submission], jobs: int) -> list[Submission]:
        """Works the queue off with one pool; if a worker dies, returns who was being graded, the rest still waiting."""
        again: list[Submission] = []
        broken = False
        busy: dict[Future[Verdict], Submission] = {}
        with workers.pool(min(jobs, len(waiting))) as pool:
            while busy or (waiting and not broken):
                stop_if_asked()
                while waiting and len(busy) <= jobs and not broken:  # one is ready for whoever ends while `done` works
                    try:
                        busy[pool.submit(grade, waiting[0], home, settings)] = waiting[0]
                    except BrokenProcessPool:  # a worker died of something else
                        broken = True
                    else:
                        waiting.popleft()
                running([item.student for item in busy.values()][:jobs])
                while answered:  # while the workers are busy
                    stop_if_asked()
                    item = answered.popleft()
                    done(item, batch.verdicts.get(key(item)))
                for future in wait(busy, POLL, FIRST_COMPLETED).done:
                    item = busy.pop(future)
                    try:
                        batch.verdicts[key(item)] = future.result()
                    except (BrokenProcessPool, KernelLost, SandboxError) as error:
                        again.append(item)
                        broken = broken or isinstance(error, BrokenProcessPool)
                        why[key(item)] = "the grader's worker died" if broken else str(error)
                    except CourseError:
                        raise
                    except Exception as error:
                        fail(item, f"the grader failed ({type(error).__name__}: {error})")
                    else:
                        batch.fresh.add(key(item))
                        answered.append(item)
        return again

    why: dict[tuple[str, str], str] = {}
    unknown = unmeasured([*references, *(item.lesson for item in waiting)], settings)
    lessons = [*unknown, *(item.lesson for item in waiting)]
    with postponed() as stop_if_asked, Workers(settings, lessons) as workers:
        failed = measure_references(unknown, settings, jobs, workers, running, measured)
        batch.troubles += failed.values()
        answered.extend(item for item in waiting if item.lesson.id in failed)
        waiting = deque(item for item in waiting if item.lesson.id not in failed)
        suspects: list[Submission] = []
        while waiting:
            suspects += work(waiting, jobs)
        for item in suspects:
            # Twice: the first time its neighbour may have taken the pool down before it ran at all.
            if work(deque([item]), jobs=1) and work(deque([item]), jobs=1):
                fail(item, f"{why[key(item)]}, twice")
        while answered:
            stop_if_asked()
            item = answered.popleft()
            done(item, batch.verdicts.get(key(item)))
    return batch
