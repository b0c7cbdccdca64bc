"""Grading a class: verdicts from worker processes, each stored as it comes; what has not changed is not run again.

A kill at any moment loses at most the submissions that are then running: the next call goes on from what is stored. A
worker that dies takes nobody else down: its submission is tried again, alone, and reported if that fails twice.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import nbformat

from grader.classes.uploads import Submission
from grader.classes.workers import Workers
from grader.course import CourseError, Lesson
from grader.grading import costs, rehearsal, store
from grader.grading.notebook import Notebook
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
        stored = store.verdict_path(home, item.student, item.lesson)
        with suppress(OSError):  # of a file that cannot be read: grading it meets the error too, and says whose it is
            verdict, _ = store.load(item.lesson, item.path, stored, settings)
            if verdict is not None:
                verdicts[key(item)] = verdict
    return verdicts


def key(item: Submission) -> tuple[str, str]:
    return item.student, item.lesson.id


def name(task: Gradable | Submission) -> str:
    """Names what is being run: a student, or a lesson's reference."""
    return task.student if isinstance(task, Submission) else f"reference of {task.name}"


def prepare(lesson: Gradable, settings: Settings) -> Gradable:
    """Finds out what has to be known of a lesson before anybody's work is run: what the reference costs, which tests run outside."""
    if isinstance(lesson, Lesson):
        costs.measure(lesson, settings)
        return lesson
    return rehearsal.prepared(lesson, settings)


def unmeasured(lessons: Iterable[Gradable], settings: Settings) -> list[Lesson]:
    """Picks the lessons of ours among these of which it is not known what their references cost here."""
    ours = {lesson.id: lesson for lesson in lessons if isinstance(lesson, Lesson)}
    return [lesson for lesson in ours.values() if costs.kept(lesson, settings) is None]


def unrehearsed(lessons: Iterable[Gradable]) -> list[Notebook]:
    """Picks the notebooks of other courses among these of which it is not known which test cells run outside."""
    theirs = {lesson.id: lesson for lesson in lessons if isinstance(lesson, Notebook)}
    return [notebook for notebook in theirs.values() if rehearsal.known(notebook) is None]


def why_not(lesson: Gradable, error: BaseException) -> str:
    """Says why nobody's work on the lesson is graded, once it could not be prepared."""
    return (
        str(error) if isinstance(error, CourseError) else f"the reference of {lesson.id} could not be run here: {error}"
    )


@dataclass
class Queue:
    """What is still to be run: lessons that are to be prepared, then the submissions of those that are.

    Attributes:
        unprepared: the ids of lessons that are being prepared or wait for it.
    """

    lessons: deque[Gradable]
    submissions: deque[Submission]
    unprepared: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.unprepared = {lesson.id for lesson in self.lessons}

    def __bool__(self) -> bool:
        return bool(self.lessons or self.submissions)

    def next(self) -> Gradable | Submission | None:
        """Takes the next thing that can be run now; None if all that is left waits for a lesson."""
        if self.lessons:
            return self.lessons.popleft()
        for place, item in enumerate(self.submissions):
            if item.lesson.id not in self.unprepared:
                del self.submissions[place]
                return item
        return None

    def put_back(self, task: Gradable | Submission) -> None:
        """Lets what was taken and could not be begun be the next."""
        if isinstance(task, Submission):
            self.submissions.appendleft(task)
        else:
            self.lessons.appendleft(task)

    def take(self, lesson: str) -> list[Submission]:
        """Takes all submissions of a lesson."""
        taken = [item for item in self.submissions if item.lesson.id == lesson]
        self.submissions = deque(item for item in self.submissions if item.lesson.id != lesson)
        return taken


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
    rehearse: Iterable[Gradable] = (),
    prepared: Callable[[Gradable], None] = lambda lesson: None,
) -> Batch:
    """Grades what is not stored yet with `jobs` processes.

    The references of what is to be graded, and of the lessons in `references`, are measured first, if it is not known what
    they cost here. A submission is run once its own lesson's reference has been. A lesson whose reference does not run here as
    it should is not graded; the others are.

    Args:
        running: is told who is being graded.
        done: is called for each submission, with its verdict if there is one, while the others are being graded.
        references: lessons whose references are to be measured too.
        rehearse: notebooks of another course of which it is to be found first which test cells run outside.
        prepared: is told of each lesson whose reference has been measured, and of each notebook that has been rehearsed.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; it is answered between calls of `running` and `done`, never within.
        CourseError: a process was ended from outside while it prepared a lesson, twice.
    """
    unknown: list[Gradable] = [*unrehearsed(rehearse)]
    ids = {lesson.id for lesson in unknown}
    batch = Batch(verdicts=unchanged([item for item in todo if item.lesson.id not in ids], home, settings))
    waiting = [item for item in todo if key(item) not in batch.verdicts]
    unknown += unmeasured([*references, *(item.lesson for item in waiting)], settings)
    queue = Queue(deque(unknown), deque(waiting))
    answered = deque(item for item in todo if key(item) in batch.verdicts)  # to be told of by `done`
    why: dict[tuple[str, str], str] = {}
    ended = set[str]()  # lessons during whose preparation a process was ended

    def fail(item: Submission, why: str) -> None:
        batch.failed(item, why)
        answered.append(item)

    def has_prepared(lesson: Gradable, future: Future[Gradable]) -> bool:
        """Lets the lesson's submissions be run, or none of them. Returns False if the pool is broken."""
        if isinstance(error := future.exception(), BrokenProcessPool):
            if lesson.id in ended:
                raise CourseError(
                    f"a process was ended from outside during {name(lesson)}, perhaps as memory ran out: run the same command "
                    "again, with --jobs 1 if memory is short"
                )
            ended.add(lesson.id)
            queue.put_back(lesson)
            return False
        queue.unprepared.discard(lesson.id)
        if error is not None:
            batch.troubles.append(why_not(lesson, error))
            answered.extend(queue.take(lesson.id))
            return True
        prepared(future.result())
        if isinstance(lesson, Notebook):
            items = [replace(item, lesson=future.result()) for item in queue.take(lesson.id)]
            batch.verdicts |= unchanged(items, home, settings)
            answered.extend(item for item in items if key(item) in batch.verdicts)
            queue.submissions.extend(item for item in items if key(item) not in batch.verdicts)
        return True

    def has_graded(item: Submission, future: Future[Verdict]) -> bool:
        """Keeps the verdict. Returns False if the pool is broken."""
        try:
            batch.verdicts[key(item)] = future.result()
        except (BrokenProcessPool, KernelLost, SandboxError) as error:
            suspects.append(item)
            broken = isinstance(error, BrokenProcessPool)
            why[key(item)] = "the grader's worker died" if broken else str(error)
            return not broken
        except CourseError:
            raise
        except Exception as error:
            fail(item, f"the grader failed ({type(error).__name__}: {error})")
        else:
            batch.fresh.add(key(item))
            answered.append(item)
        return True

    def work(queue: Queue, jobs: int) -> None:
        """Works the queue off with one pool. If a worker dies the rest is still waiting, and who was being graded is suspect."""
        broken = False
        busy: dict[Future[Any], Gradable | Submission] = {}
        with workers.pool(min(jobs, len(queue.lessons) + len(queue.submissions))) as pool:
            while busy or (queue and not broken):
                stop_if_asked()
                while len(busy) <= jobs and not broken:  # one is ready for whoever ends while `done` works
                    if (task := queue.next()) is None:
                        break
                    try:
                        if isinstance(task, Submission):
                            busy[pool.submit(grade, task, home, settings)] = task
                        else:
                            busy[pool.submit(prepare, task, settings)] = task
                    except BrokenProcessPool:  # a worker died of something else
                        broken = True
                        queue.put_back(task)
                running([name(task) for task in busy.values()][:jobs])
                while answered:  # while the workers are busy
                    stop_if_asked()
                    item = answered.popleft()
                    done(item, batch.verdicts.get(key(item)))
                for future in wait(busy, POLL, FIRST_COMPLETED).done:
                    task = busy.pop(future)
                    whole = has_graded(task, future) if isinstance(task, Submission) else has_prepared(task, future)
                    broken = broken or not whole

    with postponed() as stop_if_asked, Workers(settings, [*unknown, *(item.lesson for item in waiting)]) as workers:
        suspects: list[Submission] = []
        while queue:
            work(queue, jobs)
        for item in suspects.copy():
            # Twice: the first time its neighbour may have taken the pool down before it ran at all.
            for _ in range(2):
                suspects.clear()
                work(Queue(deque(), deque([item])), jobs=1)
                if not suspects:
                    break
            else:
                fail(item, f"{why[key(item)]}, twice")
        while answered:
            stop_if_asked()
            item = answered.popleft()
            done(item, batch.verdicts.get(key(item)))
    return batch
