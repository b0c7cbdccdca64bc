"""A line to a Dask scheduler: is it there, is it the right one, and which of its workers grade for these terms?

Whoever cannot grade is named in a sentence. This module must not know what is graded.
"""

from __future__ import annotations

import logging
import queue
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from types import TracebackType
from typing import Self

from distributed import Client, Future

from grader.classes.batch import Made
from grader.classes.cluster_worker import SAME, Grader, Report, Terms, grade, same_code
from grader.course import CourseError

CONNECT = 10.0  # seconds for a scheduler to answer
LOOK = 1.0  # seconds after which it is looked again which workers there are
NO_GRADER = (ImportError, AttributeError)  # what a process says that cannot load ours


class Unreachable(CourseError):
    """No scheduler answers."""


class Line:
    """A connection, and what is known of the workers behind it. A context manager, which closes it.

    Attributes:
        finished: tasks that have ended, well or not.
        threads: how many submissions the workers that grade take at a time.
        workers: how many workers grade.
    """

    def __init__(self, address: str, terms: Terms, say: Callable[[str], None]) -> None:
        """Connects.

        Raises:
            Unreachable: no scheduler answers.
            CourseError: the scheduler is not like this process.
        """
        self.address, self.terms, self._say = address, terms, say
        self.finished: queue.SimpleQueue[Future[Made]] = queue.SimpleQueue()
        self.threads = self.workers = 0
        self._refused: set[str] = set()  # addresses
        self._next_look = 0.0
        self._told_to_wait = False
        self._client = _connected(address)
        try:
            self._prove_scheduler()
            self._prepare_workers()
        except BaseException as error:
            self._client.close()
            if isinstance(error, OSError):
                raise _unreachable(address, error) from None
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._client.close()

    def send(self, lesson: str, student: str, content: bytes) -> Future[Made]:
        """Sends a task, to whichever worker is free; it is in `finished` when it has ended."""
        future = self._client.submit(
            grade,
            self.terms.name,
            lesson,
            student,
            content,
            pure=False,
            retries=1,
            resources={self.terms.name: 1},
        )
        future.add_done_callback(self.finished.put)
        return future

    def holds(self) -> bool:
        """Tells whether the scheduler is still there, and looks from time to time which workers grade.

        Raises:
            CourseError: there are workers, and none can grade.
        """
        if self._client.status == "running" and time.monotonic() >= self._next_look:
            with suppress(OSError):  # of a connection that is being lost
                self._look()
            self._next_look = time.monotonic() + LOOK
        return bool(self._client.status == "running")

    def _prove_scheduler(self) -> None:
        here, there = version("distributed"), self._client.run_on_scheduler(version, "distributed")
        if here != there:
            raise CourseError(
                f"the scheduler at {self.address} runs distributed {there}, this machine {here}: start it from the same "
                "environment"
            )
        try:
            code = self._client.run_on_scheduler(same_code)
        except NO_GRADER:
            code = ""
        if code != self.terms.code:
            raise CourseError(f"the scheduler at {self.address} has another version of the grader, or none: {SAME}")

    def _prepare_workers(self) -> None:
        """Gives the workers, and those to come, the plugin that makes them ready; who cannot even load it is refused."""
        for address, code in self._client.run(same_code, on_error="return").items():
            if isinstance(code, Exception):
                self._refuse(address, address, f"it has another version of the grader, or none: {SAME}")
        try:
            self._client.register_plugin(Grader(self.terms))
        except NO_GRADER:
            if not self._refused:
                raise

    def _look(self) -> None:
        there = self._client.scheduler_info()["workers"]
        for _, report in self._client.get_events(self.terms.name):
            self._read(report, {address: str(worker["name"]) for address, worker in there.items()})
        grading = [taken for worker in there.values() if (taken := int(worker["resources"].get(self.terms.name, 0)))]
        self.threads, self.workers = sum(grading), len(grading)
        if there and there.keys() <= self._refused:
            raise CourseError(f"none of the {len(there)} workers at {self.address} can grade; why stands above")
        if not there and not self._told_to_wait:
            self._say(f"no worker is at {self.address}: this waits until one comes")
        self._told_to_wait = not there

    def _read(self, report: Report, names: dict[str, str]) -> None:
        if report["trouble"] and report["address"] in names:
            self._refuse(report["address"], names[report["address"]], report["trouble"])

    def _refuse(self, address: str, name: str, trouble: str) -> None:
        if address not in self._refused:
            self._refused.add(address)
            at = "" if name == address else f" at {address}"
            self._say(f"worker {name}{at} is not used: {trouble}; then start it again")


def _connected(address: str) -> Client:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said here in a sentence
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on versions, which are compared afterwards
            return Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise _unreachable(address, error) from None


def _unreachable(address: str, error: Exception) -> Unreachable:
    return Unreachable(
        f"no Dask scheduler answers at {address} ({error}): start one with `dask scheduler`, or give the address that it "
        "prints, like tcp://HOST:8786"
    )
