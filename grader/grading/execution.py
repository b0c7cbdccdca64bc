"""One notebook, run and asked: its cells in a kernel, then the checks and metrics on what they left.

Expected values, hidden checks and the metrics' code stay in this process; the notebook's code runs in the kernel's.
Whatever the notebook does becomes part of the outcome; only trouble of the grader's own raises. This module must not know
what anything is worth.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from etude.lesson.checks import Check, Outcome, run_check
from grader.course import Lesson
from grader.grading import metrics
from grader.grading.allowance import Allowance
from grader.grading.artifacts import Artifacts
from grader.grading.definitions import definitions
from grader.grading.own_time import OwnTimeOver, at_most
from grader.grading.suite import Suite
from grader.grading.usage import METRICS, CheckUsage, Usage
from grader.kernels.run_report import RunReport
from grader.kernels.runner import run_notebook
from grader.kernels.session import KernelSession
from grader.remote.budget import Account
from grader.remote.client import Student
from grader.remote.connection import KernelGone
from grader.settings import PLAIN, Settings

Progress = Callable[[str], None]
Computed = dict[str, tuple[float | None, str]]  # metric → (value, "") or (None, why there is none)
MOST_KERNELS = 5  # for one notebook whose cells or checks end them
MOST_NOTES = 10  # on results that were left out
UNDEFINED = {
    "MissingName",
    "NameError",
}  # of errors that say that a cell is missing; what was answered is not asked again
LATE = {"StudentTimeout", "KernelGone"}  # names of errors in which a limit of time may have a part


@dataclass
class Execution:
    """What came of a notebook.

    Attributes:
        stood_still: seconds for which the machine, or the grader on it, did not run.
        most_memory: bytes that its processes held at a time; 0 without a sandbox.
    """

    report: RunReport
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    metrics: Computed = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    stood_still: float = 0.0
    most_memory: int = 0

    @property
    def late(self) -> bool:
        """Whether a limit of time had a part in it."""
        names = {outcome.error[0] for outcome in self.outcomes.values() if outcome.error}
        return (
            not self.report.alive
            or self.report.reason is not None
            or any(cell.status == "timeout" for cell in self.report.cells)
            or not names.isdisjoint(LATE)
        )


def execute(
    lesson: Lesson,
    suite: Suite,
    notebook: NotebookNode,
    settings: Settings,
    allowance: Allowance,
    results: Path,
    progress: Progress = lambda text: None,
) -> Execution:
    """Runs the notebook, which is in the lesson's shape, and asks it what is in the suite.

    Args:
        results: the folder where what it records is put.
    """
    limits = None if settings.kernel == PLAIN else allowance.sandbox_limits(lesson)
    with tempfile.TemporaryDirectory(prefix="etude-") as name:
        work = Path(name)
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(lesson.released.with_suffix(""), work / lesson.name, ignore=ignore)
        run = _Run(lesson, suite, settings, allowance, limits, work, results, progress)
        asked = run.in_a_kernel(notebook, allowance.notebook)
        execution, again, cell_seconds = run.execution, dict[str, Outcome](), allowance.notebook
        if execution.report.alive and execution.report.reason:  # exercises may be among the cells that were not run
            again = {name: one for name, one in execution.outcomes.items() if one.error and one.error[0] in UNDEFINED}
            execution.outcomes = {name: one for name, one in execution.outcomes.items() if name not in again}
            asked = asked and not again
        # A cell or a check that ends the process must not cost the exercises that it has nothing to do with.
        for _ in range(MOST_KERNELS - 1):
            if asked or run.time_left <= 0 or cell_seconds <= 0:
                break
            asked = run.in_a_kernel(definitions(notebook, run.ended), cell_seconds)
            cell_seconds -= run.spent_on_cells
        execution.outcomes = again | execution.outcomes
        return execution


class _Run:
    """One notebook on its way, through one kernel after the other if need be."""

    def __init__(
        self,
        lesson: Lesson,
        suite: Suite,
        settings: Settings,
        allowance: Allowance,
        limits: dict[str, int] | None,
        work: Path,
        results: Path,
        progress: Progress,
    ) -> None:
        self.lesson, self.suite, self.settings, self.allowance, self.limits = lesson, suite, settings, allowance, limits
        self.work, self.results, self.progress = work, results, progress
        self._execution: Execution | None = None
        self.ended: set[str] = set()  # the ids of cells that have ended a kernel
        self.spent_on_cells = 0.0  # seconds, in the last kernel
        self._slow: set[str] = set()  # exercises of which a check has met its limit of time

    @property
    def execution(self) -> Execution:
        assert self._execution is not None
        return self._execution

    @property
    def time_left(self) -> float:
        """Seconds that all checks together may still spend."""
        return self.allowance.checks - self.execution.usage.all_checks

    def in_a_kernel(self, notebook: NotebookNode, cell_seconds: float) -> bool:
        """Runs the notebook and asks what has no outcome yet.

        Args:
            cell_seconds: that all cells together may spend.

        Returns:
            False if the kernel did not live until all was asked.
        """
        # Nothing that is graded may depend on whether a corpus could be fetched.
        plain = {"ETUDE_OFFLINE": "1", "ETUDE_MIRROR": str(self.work), "OMP_NUM_THREADS": "1"}  # as a sandbox sets it
        parameters = {"profile": self.settings.profile, "seed": self.settings.seed, "device": self.settings.device}
        with KernelSession(self.work, self.settings.kernel, limits=self.limits, env=plain) as session:
            report = run_notebook(
                notebook,
                session,
                cell_timeout=self.allowance.cell,
                notebook_timeout=cell_seconds,
                parameters={**parameters, "out": "results"},
                on_cell=lambda index, total, cell: self.progress(f"cell {index + 1} of {total}"),
            )
            self.spent_on_cells = sum(cell.spent for cell in report.cells)
            if not report.alive and (ran := [cell.index for cell in report.cells if cell.status != "not run"]):
                self.ended.add(report.notebook.cells[ran[-1]].id)
            if self._execution is None:
                cells = [cell.spent for cell in report.cells]
                self._execution = Execution(report, usage=Usage(cells=cells))
                self.execution.notes += self._bring_out(session)
            artifacts = Artifacts(self.results, self.settings.seed)
            student = self._ask(session) if report.alive else None
            if report.alive and student is None and session.reason and not self.execution.outcomes:
                report.alive, report.reason = False, session.reason
            self._compute(artifacts, student)
            self.execution.stood_still += session.meter.stood_still
            self.execution.most_memory = max(self.execution.most_memory, session.most_memory)
            return student is not None

    def _ask(self, session: KernelSession) -> Student | None:
        """Runs the checks that have no outcome yet; gives the student to go on asking, None if the kernel has ended."""
        self.progress("checks")
        try:
            student = session.student(float("inf"), patience=self.allowance.cell)
        except KernelGone:
            return None
        student.input_seed = self.settings.seed
        waiting = [check for check in self.suite.checks if check.name not in self.execution.outcomes]
        while waiting:
            # Those of an exercise that hangs come last: they must not use up the time of the others.
            check = min(waiting, key=lambda one: one.exercise in self._slow)
            waiting.remove(check)
            if self.time_left <= 0:
                late = (
                    f"not run: the checks before it have spent the {self.allowance.checks:.0f} s that all of them may"
                )
                self.execution.outcomes[check.name] = Outcome(check, "error", late, error=("StudentTimeout", late, ""))
                continue
            outcome = self.execution.outcomes[check.name] = self._outcome(check, student)
            if outcome.error and outcome.error[0] in LATE:
                self._slow.add(check.exercise)
            if not session.alive():
                return None
        return student

    def _outcome(self, check: Check, student: Student) -> Outcome:
        account, own = student.begin(self.allowance.budgets.get(check.name)), time.process_time()
        try:
            with at_most(self.allowance.own_seconds.get(check.name, float("inf"))):
                outcome = run_check(check, student)
        except OwnTimeOver as late:
            what = f"what came back cannot be checked: {late}"
            outcome = Outcome(check, "error", what, error=("StudentTimeout", what, ""))
        self._count(check.name, account, own)
        return outcome

    def _compute(self, artifacts: Artifacts, student: Student | None) -> None:
        own = time.process_time()
        account = student.begin(self.allowance.budgets.get(METRICS)) if student else None
        try:
            with at_most(self.allowance.own_seconds.get(METRICS, float("inf"))):
                computed = metrics.compute(self.suite.metrics, artifacts, student)
        except OwnTimeOver as late:
            computed = dict.fromkeys(self.suite.metrics, (None, f"what was recorded cannot be measured: {late}"))
        found = {name: one for name, one in self.execution.metrics.items() if one[0] is not None}
        self.execution.metrics = computed | found  # what an experiment has left was there in the first kernel alone
        if account:
            self._count(METRICS, account, own)

    def _count(self, name: str, account: Account, own: float) -> None:
        before = self.execution.usage.checks.get(name, CheckUsage())
        self.execution.usage.checks[name] = CheckUsage(
            seconds=before.seconds + account.spent(),
            own_seconds=time.process_time() - own,
            requests=account.requests,
            reply_bytes=account.largest_reply,
        )

    def _bring_out(self, session: KernelSession) -> list[str]:
        """Copies what the notebook recorded out of its kernel's reach; gives a note on each thing that was left out."""
        if self.settings.kernel == PLAIN:
            if (recorded := self.work / "results").is_dir():
                shutil.copytree(recorded, self.results, symlinks=True)
            return []
        left = session.provisioner.collect(self.results).refused
        missing = os.strerror(errno.ENOENT)  # a notebook that records nothing has no such folder
        notes = [f"of the results, {name[:80]} was left out: {why}" for name, why in left.items() if why != missing]
        return notes[:MOST_NOTES]
