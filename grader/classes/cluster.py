"""Grading a class on a Dask cluster: this process sends what was handed in, and it alone stores what comes back.

Which worker grades what, and what is done again when a worker is lost, is Dask's part. At most as many submissions are under
way as the workers take, and one more for each worker: the scheduler holds few files, and what kills a worker has few
neighbours. Who was under way when one worker after another died is tried again alone at the end, so that nobody is blamed
for a neighbour.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty

import nbformat
from distributed import Future, KilledWorker

from grader.classes.batch import POLL, Batch, Made, grade_one, key, unchanged
from grader.classes.cluster_line import Line, Unreachable
from grader.classes.cluster_worker import Terms
from grader.classes.uploads import Submission
from grader.course import CourseError, Lesson
from grader.grading import store, submission
from grader.grading.verdict import Verdict
from grader.interrupt import postponed
from grader.kernels.session import KernelLost
from grader.sandbox import SandboxError
from grader.settings import Settings

FETCH = 60.0  # seconds for a verdict to come over
RETURN = 120.0  # seconds for another scheduler to stand where one has gone


def grade_on_cluster(
    todo: list[Submission],
    home: Path,
    settings: Settings,
    *,
    scheduler: str,
    running: Callable[[list[str]], None],
    done: Callable[[Submission, Verdict | None], None],
    say: Callable[[str], None],
) -> Batch:
    """Grades what is not stored yet on the workers of the scheduler at this address.

    Args:
        running: is told who is being graded.
        done: is called for each submission, with its verdict if there is one, while the others are being graded.
        say: is told what a person should know of the cluster, a line at a time.

    Raises:
        CourseError: no scheduler of the right kind is there, or none of its workers can grade.
        KeyboardInterrupt: Ctrl-C was pressed; it is answered between calls of `running` and `done`, never within.
    """
    terms = Terms.of(_lessons(todo), settings)
    work = Work(home, settings, Batch(verdicts=unchanged(todo, home, settings)))
    for item in todo:
        (work.answered if key(item) in work.batch.verdicts else work.waiting).append(item)

    def tell() -> None:
        stop_if_asked()
        if work.answered:
            item = work.answered.popleft()
            done(item, work.batch.verdicts.get(key(item)))

    with postponed() as stop_if_asked:
        patience = 0.0
        while work.left:
            with _line(scheduler, terms, say, patience, stop_if_asked) as line:
                while work.left and line.holds():
                    work.send(line)
                    names = [item.student for item, _ in work.busy.values()]
                    running(names[: line.threads] if line.threads else ["the workers get ready"])
                    tell()  # of one at a time, while the workers are busy
                    work.take(line, 0 if work.answered else POLL)
            if work.left:
                work.take_back()
                patience = RETURN
                say(
                    f"the scheduler at {scheduler} is gone: this waits for another there, and sends again what was under way"
                )
        while work.answered:
            tell()
    return work.batch


def _lessons(todo: Sequence[Submission]) -> list[Lesson]:
    """Lists the lessons of what is handed in. Raises CourseError for a notebook of another nbgrader course."""
    lessons = list({item.lesson.id: item.lesson for item in todo}.values())
    ours = [lesson for lesson in lessons if isinstance(lesson, Lesson)]
    if len(ours) < len(lessons):
        raise CourseError(
            "--dask grades courses with a course.toml; this one is nbgrader's own: grade it without --dask"
        )
    return ours


def _line(
    scheduler: str, terms: Terms, say: Callable[[str], None], patience: float, stop_if_asked: Callable[[], None]
) -> Line:
    """Opens a line to the scheduler, trying for so many seconds, and once in any case."""
    until = time.monotonic() + patience
    while True:
        try:
            return Line(scheduler, terms, say)
        except Unreachable:
            if time.monotonic() >= until:
                raise
        stop_if_asked()


@dataclass
class Work:
    """A class in the middle of being graded. It outlives a line."""

    home: Path
    settings: Settings
    batch: Batch
    waiting: deque[Submission] = field(default_factory=deque)
    suspects: deque[Submission] = field(default_factory=deque)  # under way when workers died: each is tried alone
    alone: set[tuple[str, str]] = field(default_factory=set)  # those of them that were
    busy: dict[Future[Made], tuple[Submission, str]] = field(default_factory=dict)  # with the hash of its inputs
    answered: deque[Submission] = field(default_factory=deque)  # to be told of

    @property
    def left(self) -> bool:
        """Whether anybody is still to be graded."""
        return bool(self.waiting or self.busy or self.suspects)

    def send(self, line: Line) -> None:
        """Sends as many as the workers take, and one more for each; a suspect when nobody else is under way."""
        while self.waiting and len(self.busy) < line.threads + line.workers:
            self._send(line, self.waiting.popleft())
        if self.suspects and line.workers and not self.busy:
            item = self.suspects.popleft()
            self.alone.add(key(item))
            self._send(line, item)

    def take(self, line: Line, seconds: float) -> None:
        """Takes all that has ended, waiting for the first so many seconds."""
        while True:
            try:
                future = line.finished.get(timeout=seconds)
            except Empty:
                return
            seconds = 0
            item, inputs = self.busy.pop(future)
            if future.status == "error":
                error = future.exception()
                assert error is not None
                self._not_made(item, error)
            else:
                self._made(item, inputs, future)

    def take_back(self) -> None:
        """Lets what was under way wait again."""
        self.waiting.extendleft(item for item, _ in self.busy.values())
        self.busy.clear()

    def _send(self, line: Line, item: Submission) -> None:
        assert isinstance(item.lesson, Lesson)
        try:
            content = submission.content(item.path)
            if not content:  # it is missing, a link, a folder, too large: whatever it is, it is refused here
                self._keep(item, grade_one(item, self.home, self.settings))
                return
            inputs = store.fingerprint(item.lesson, item.path, self.settings)
        except CourseError:
            raise
        except Exception as error:
            self._not_made(item, error)
        else:
            self.busy[line.send(item.lesson.id, item.student, content)] = item, inputs

    def _made(self, item: Submission, inputs: str, future: Future[Made]) -> None:
        """Fetches the verdict and stores it."""
        try:
            text, notebook = future.result(timeout=FETCH)
        except (CancelledError, OSError):  # the worker that held it, or the line, is lost
            self.waiting.appendleft(item)
            return
        try:
            verdict = Verdict.model_validate_json(text)
            if verdict.inputs != inputs:
                raise CourseError("its lesson or its file changed meanwhile: grade again")
            executed = None if notebook is None else nbformat.reads(notebook, as_version=4)
            store.save(store.verdict_path(self.home, item.student, item.lesson), verdict, executed)
        except Exception as error:
            self._fail(item, str(error))
        else:
            self._keep(item, verdict)

    def _keep(self, item: Submission, verdict: Verdict) -> None:
        self.batch.verdicts[key(item)] = verdict
        self.batch.fresh.add(key(item))
        self.answered.append(item)

    def _not_made(self, item: Submission, error: BaseException) -> None:
        if isinstance(error, CancelledError):
            self.waiting.appendleft(item)
        elif isinstance(error, KilledWorker) and key(item) not in self.alone:
            self.suspects.append(item)
        elif isinstance(error, KilledWorker):
            times = error.allowed_failures + 1
            self._fail(
                item, f"it was graded when {times} of the cluster's workers died, and alone when {times} more did"
            )
        elif isinstance(error, BrokenProcessPool):
            self._fail(item, "the grader's worker died, twice")
        elif isinstance(error, KernelLost | SandboxError):
            self._fail(item, f"{error}, twice")
        elif isinstance(error, CourseError):
            raise error
        else:
            self._fail(item, f"the grader failed ({type(error).__name__}: {error})")

    def _fail(self, item: Submission, why: str) -> None:
        self.batch.failed(item, why)
        self.answered.append(item)
