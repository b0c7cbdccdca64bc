"""What a worker of a Dask cluster does for a class: it proves that it has the same course, measures, and grades.

The bytes that were handed in come with each task, the verdict and the executed notebook go back as text: a worker
writes nothing that a class keeps. A submission runs where it always does, in a sandbox below a process of its own. A worker
is given tasks once it holds the resource that is named like the class's terms; which worker gets which is Dask's to say.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import shutil
import threading
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self, TypedDict

from distributed import Worker, WorkerPlugin, get_worker

from grader.classes.batch import Made, grade_bytes, prepare, unmeasured, why_not
from grader.classes.workers import Workers, side_by_side
from grader.course import Course, CourseError, Lesson
from grader.grading import lesson as grading
from grader.provenance import code_hash, digest, versions
from grader.sandbox import SandboxError
from grader.settings import Settings, ready

CODE = (*grading.DECIDING, "grader.classes")
SAME = "install there what you grade with, the same commit and constraints.txt"
DAEMON = (
    "its nanny lets it start no processes: start it with --no-nanny, or with DASK_DISTRIBUTED__WORKER__DAEMON=false "
    "in its environment"
)


class Report(TypedDict):
    """What a worker tells of itself when it has got ready; `trouble` is empty if it grades."""

    address: str
    trouble: str


@dataclass(frozen=True)
class Terms:
    """All that decides verdicts beside what is handed in: what every worker must have as the client has it."""

    settings: Settings
    versions: tuple[tuple[str, str], ...]
    code: str  # a hash
    lessons: tuple[tuple[str, str], ...]  # id, and the hash of what belongs to the lesson

    @classmethod
    def of(cls, lessons: Sequence[Lesson], settings: Settings) -> Self:
        """States the terms as they are in this process."""
        hashes = tuple((lesson.id, grading.fingerprint(lesson, b"", settings)) for lesson in lessons)
        return cls(settings, tuple(versions().items()), code_hash(*CODE), hashes)

    @property
    def name(self) -> str:
        """A name of the terms, for the plugin, its resource and its topic."""
        return f"etude-{digest(repr(self))[:16]}"

    def differences(self, course: Course) -> str:
        """Says what this process has otherwise; empty if the terms are met."""
        here = versions()
        other = [f"{name} {here[name]} instead of {wanted}" for name, wanted in self.versions if here[name] != wanted]
        if other:
            return f"it has {', '.join(other)}: {SAME}"
        if code_hash(*CODE) != self.code:
            return f"it has other code of the grader: {SAME}"
        for name, wanted in self.lessons:
            try:
                same = grading.fingerprint(course.lesson(name), b"", self.settings) == wanted
            except (CourseError, OSError) as error:
                return f"it has no whole {name} ({error}): {SAME}"
            if not same:
                return f"it has another {name}, in solutions or weeks: {SAME}"
        return ""


class Grader(WorkerPlugin):
    """Makes a worker one that grades: by its own check, in its own time, for as long as it lives.

    The scheduler keeps the plugin and gives it to workers that come later.
    """

    idempotent = True  # a second client on the same terms finds the worker ready

    def __init__(self, terms: Terms) -> None:
        self.name, self.terms = terms.name, terms

    async def setup(self, worker: Worker) -> None:
        """Begins to get ready; the worker goes on meanwhile."""
        self._opened, self._own = ExitStack(), threading.local()
        self._getting_ready = asyncio.create_task(self._get_ready(worker))

    async def teardown(self, worker: Worker) -> None:
        """Ends with the worker: its processes at once, and what lies among the machine's temporary files."""
        for process in multiprocessing.active_children():
            process.kill()
        self._opened.close()

    def grade(self, lesson: str, student: str, content: bytes) -> Made:
        """Grades in a process of this thread's own, so that one that dies costs nobody else anything."""
        if not hasattr(self._own, "pool"):
            self._own.pool = self._opened.enter_context(self._workers.pool(1))
        try:
            made: Made = self._own.pool.submit(
                grade_bytes, self._lessons[lesson], student, content, self.terms.settings
            ).result()
        except BrokenProcessPool:
            del self._own.pool  # the next one begins with a new process
            raise
        return made

    async def _get_ready(self, worker: Worker) -> None:
        threads = worker.state.nthreads
        trouble = await asyncio.to_thread(self._prepared, Path(worker.local_directory, self.name), threads)
        if not trouble:
            await worker.set_resources(**{self.name: threads})
        worker.log_event(self.name, Report(address=worker.address, trouble=trouble))

    def _prepared(self, build: Path, threads: int) -> str:
        """Gets everything ready that grading needs here. Returns what is missing."""
        if multiprocessing.current_process().daemon:
            return DAEMON
        try:
            course = Course()
            if missing := self.terms.differences(course) or "; ".join(ready(self.terms.settings)):
                return missing
            course.build = build  # what the references take is measured by each worker, and kept as long as it lives
            self._opened.callback(shutil.rmtree, build, ignore_errors=True)
            self._lessons = {name: course.lesson(name) for name, _ in self.terms.lessons}
            self._workers = self._opened.enter_context(Workers(self.terms.settings, self._lessons.values()))
            runs = side_by_side(
                partial(prepare, settings=self.terms.settings),
                unmeasured(self._lessons.values(), self.terms.settings),
                lambda lesson: lesson.name,
                threads,
                lambda done, total, now: None,
                self._workers,
            )
            failed = [why_not(lesson, error) for lesson, run in runs if (error := run.exception()) is not None]
        except (CourseError, SandboxError) as error:
            return str(error)
        except Exception as error:  # a worker that says nothing would be waited for
            return f"the grader failed ({type(error).__name__}: {error})"
        return "\n".join(failed)


def grade(terms: str, lesson: str, student: str, content: bytes) -> Made:
    """Makes the verdict on what was handed in. This is the task that the client sends.

    Args:
        terms: their name.
        lesson: its id.

    Raises:
        CourseError: this worker cannot grade the lesson, whoever handed it in.
    """
    worker = get_worker()
    plugin = worker.plugins[terms]
    assert isinstance(plugin, Grader)
    try:
        return plugin.grade(lesson, student, content)
    except CourseError as error:
        raise CourseError(f"worker {worker.name} at {worker.address}: {error}") from None


def same_code() -> str:
    """Names the code that a process has loaded; what has no grader of this kind cannot even be asked."""
    return code_hash(*CODE)
