"""A notebook of any nbgrader course: what a lesson is to this course, graded by the test cells that it holds.

The notebook runs in a kernel inside the sandbox. Its test cells run in this process where they can (grader.grading.outside), and
in the kernel where they cannot. nbgrader's rules are applied to what really ran (grader.grading.cell_scores).
This module knows neither nbgrader nor its gradebook (grader.nbgrader.course does), so a worker imports it without them.
"""

from __future__ import annotations

import copy
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grader import provenance
from grader.course import sandbox_limits
from grader.grading import outside, shown_outputs, submission
from grader.grading.allowance import CLOCK, START_SECONDS
from grader.grading.cell_scores import Run, is_test, scores, tests
from grader.grading.verdict import CellResult, Graded, Verdict
from grader.kernels.run_report import RunReport
from grader.kernels.runner import run_notebook
from grader.kernels.session import KernelSession
from grader.provenance import code_hash, digest, now, versions
from grader.remote.connection import KernelGone
from grader.sandbox.limits import MB, Limits
from grader.sandbox.transfer import copy_folder
from grader.settings import PLAIN, Settings

LIMITS = {"cell_seconds": 60, "notebook_seconds": 600}
LARGEST_FILE = 256 << 20  # bytes of a file whose content is looked at
MOST_KERNELS = 5  # for one notebook whose cells or tests end them
MOST_READ_ONLY = 200  # files: each is mounted for each kernel; of an assignment with more they are copies
CODE = ("etude", "grader.grading", "grader.kernels", "grader.remote", "grader.sandbox")  # that decides a score
LEFT_BEHIND = ("*.ipynb", ".ipynb_checkpoints", "__pycache__")  # of the assignment's files: notebooks hold solutions


@dataclass(frozen=True)
class Notebook:
    """One notebook of an assignment, as plain data that a worker process can be sent."""

    assignment: str
    name: str
    measure: str  # JSON: the released notebook with its hidden tests, to which submissions are restored
    files: Path  # the folder whose other files (data, modules) belong to the assignment
    shown: dict[str, str] = field(default_factory=dict)  # the text of the cells, by name, as students got them
    limits: dict[str, int] = field(default_factory=dict)  # LIMITS, as grader.sandbox.meter counts, and the sandbox's
    outside: tuple[str, ...] = ()  # names of the test cells that run in the grader's process
    kept: Path | None = None  # the file that keeps which these are

    @property
    def id(self) -> str:
        return f"{self.assignment}/{self.name}"

    @property
    def released(self) -> NotebookNode:
        notebook: NotebookNode = nbformat.reads(self.measure, as_version=4)
        return notebook

    @property
    def seconds(self) -> dict[str, int]:
        return LIMITS | {name: value for name, value in self.limits.items() if name in LIMITS}

    @property
    def sandbox_limits(self) -> dict[str, int]:
        """What is set, and the time that the notebook needs. Raises CourseError for a limit that makes no sense."""
        seconds = self.seconds["notebook_seconds"] + START_SECONDS
        given = sandbox_limits({**self.seconds, **self.limits}, "c.Grade.limits")
        return {"cpu_s": seconds, "wall_s": CLOCK * seconds} | given


def fingerprint(notebook: Notebook, path: Path, settings: Settings) -> str:
    """Hashes everything that decides a score: what was handed in, the assignment, the settings, versions, our code."""
    return provenance.fingerprint(
        digest(submission.content(path)),
        _hashes(path.parent),
        _hashes(notebook.files),
        notebook.measure,
        notebook.outside,
        settings,
        sorted(notebook.limits.items()),
        sorted(versions().items()),
        code_hash(*CODE),
    )


def _hashes(folder: Path) -> list[str]:
    """Lists name and sha256 of each file that is no notebook; links are not followed.

    Of a file that no sandbox would take, only the size counts.
    """
    hashes = []
    for path in sorted(folder.rglob("*")):
        if path.suffix != ".ipynb" and path.is_file() and not path.is_symlink():
            size = path.stat().st_size
            with path.open("rb") as file:
                hashed = hashlib.file_digest(file, "sha256").hexdigest() if size <= LARGEST_FILE else f"{size} bytes"
            hashes.append(f"{path.relative_to(folder)} {hashed}")
    return hashes


def grade(notebook: Notebook, path: Path, student: str, settings: Settings) -> Graded:
    """Grades one notebook file; the other files of its folder go into the kernel's folder with it."""
    started, given = time.monotonic(), submission.read(path)
    inputs = fingerprint(notebook, path, settings)  # before anything runs: the files might change meanwhile
    done, notes = Run(RunReport(notebook.released)), []
    if given.notebook is not None:
        restored = submission.restore(given.notebook, notebook.released, notebook.shown)
        done = run(notebook, restored.notebook, path.parent, settings)
        notes = [*restored.notes, *done.notes]
        written = [test.metadata.nbgrader.grade_id for test in tests(restored.notebook) if test.source.strip()]
        if inside := [name for name in written if name not in notebook.outside]:
            notes.append(f"ran in the notebook's own process, within its reach: {', '.join(inside)}")
    reason = given.problem or done.report.reason or ""
    verdict = Verdict(
        lesson=notebook.id,
        student=student,
        status="refused" if given.problem else "graded" if done.report.alive else "ended",
        reason=reason,
        notes=notes,
        submission=digest(given.content),
        profile="nbgrader",
        inputs=inputs,
        seed=settings.seed,
        sandbox=settings.sandbox,
        exercises=scores(notebook.released, notebook.outside, done, reason),
        cells=[CellResult.of(cell) for cell in done.report.cells],
        versions=versions(),
        seconds=round(time.monotonic() - started, 2),
        graded_at=now(),
    )
    return Graded(verdict, None if given.problem else done.report.notebook)


def run(notebook: Notebook, restored: NotebookNode, handed_in: Path, settings: Settings) -> Run:
    """Runs the notebook's cells in a kernel, then asks it what the test cells outside want to know.

    A cell that ends the kernel must not cost the tests above it, nor a test that ends it the others: they are asked of
    another kernel, which runs what stands above that cell.
    """
    if not any(cell.cell_type == "code" and cell.source.strip() for cell in restored.cells):
        return Run(RunReport(restored, alive=True))  # answers in words alone
    inside = copy.deepcopy(restored)
    for cell in tests(inside):
        if cell.metadata.nbgrader.grade_id in notebook.outside:
            cell.source = ""
    done = latest = _in_a_kernel(notebook, inside, handed_in, settings)
    for _ in range(MOST_KERNELS - 1):
        if not latest.report.alive:
            inside.cells = _above_the_end(inside, latest.report)
        unasked = {cell.metadata.nbgrader.grade_id for cell in tests(inside)} & {*notebook.outside} - {*done.outside}
        if not unasked or not latest.ended:
            break
        latest = _in_a_kernel(notebook, inside, handed_in, settings, done.outside)
        done.outside |= latest.outside
    return done


def _above_the_end(inside: NotebookNode, report: RunReport) -> list[NotebookNode]:
    """Lists the cells above the last that ran: the one that has ended the kernel."""
    last = max((one.index for one in report.cells if one.status != "not run"), default=0)
    ended = [cell.id for cell in report.notebook.cells[last:]]  # by their ids: a cell of parameters stands there too
    return [cell for cell in inside.cells if cell.id not in ended]


def _in_a_kernel(
    notebook: Notebook, inside: NotebookNode, handed_in: Path, settings: Settings, asked: Collection[str] = ()
) -> Run:
    with tempfile.TemporaryDirectory(prefix="etude-") as name:
        work, given = Path(name) / "work", Path(name) / "given"
        notes = _fill(work, given, handed_in, notebook)
        limits = None if settings.kernel == PLAIN else notebook.sandbox_limits
        read_only = limits is not None and len(list(given.rglob("*"))) <= MOST_READ_ONLY
        if not read_only:
            shutil.copytree(given, work, dirs_exist_ok=True)
        env = {"OMP_NUM_THREADS": "1"}
        with KernelSession(work, settings.kernel, limits, env, given if read_only else None) as session:
            report = run_notebook(
                inside,
                session,
                parameters={},
                cell_timeout=notebook.seconds["cell_seconds"],
                notebook_timeout=notebook.seconds["notebook_seconds"],
            )
            found = _asked(notebook, report, session, asked) if report.alive else {}
            return Run(report, found, notes, ended=not session.alive())


def _asked(
    notebook: Notebook, report: RunReport, session: KernelSession, asked: Collection[str]
) -> dict[str, outside.Ran]:
    """Runs the test cells outside that have not been, until the time of the whole notebook is over or its process has ended."""
    names = [cell.metadata.nbgrader.grade_id for cell in tests(report.notebook)]
    here = [name for name in names if name in notebook.outside and name not in asked]
    released, found = notebook.released, dict[str, outside.Ran]()  # read once: it is kept as text
    try:
        student = session.student() if here else None
    except KernelGone:  # by the last cell, which seemed to end well
        report.alive, report.reason = False, session.reason
        return {}
    for name in here:
        session.meter.resume()  # the kernel had nothing to do while this process computed
        left = notebook.seconds["notebook_seconds"] - session.meter.charge()
        program = outside.program(released, name)
        if student is None or program is None or left <= 0:
            break
        try:
            found[name] = outside.run(program, student, min(notebook.seconds["cell_seconds"], left))
        except KernelGone as gone:
            found[name] = outside.Ran("KernelGone", str(gone))
        if not session.alive():
            break
    return found


def _fill(work: Path, given: Path, handed_in: Path, notebook: Notebook) -> list[str]:
    """Puts the files that were handed in into `work`, the assignment's own into `given`; those win where both have one.

    Returns a note on what of the student's was left out; half of the sandbox's folder is theirs.
    """
    limits = Limits.from_dict(notebook.sandbox_limits)
    notes = []
    opened = os.open(handed_in, os.O_RDONLY | os.O_DIRECTORY)
    try:
        copied = copy_folder(opened, work, limits.work_mb * MB // 2, limits.files // 2)
    finally:
        os.close(opened)
    if copied.refused:
        notes.append(
            "left out of the files handed in: " + "; ".join(f"{a} ({b})" for a, b in copied.refused.items())[:500]
        )
    if notebook.files.is_dir():
        shutil.copytree(notebook.files, given, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    else:
        given.mkdir()
    for path in sorted(given.rglob("*")):
        name = path.relative_to(given)
        theirs = work / name
        if theirs.is_dir() and not path.is_dir():
            shutil.rmtree(theirs)
            notes.append(f"{name} was handed in as a folder; it is a file of the assignment's: the folder was left out")
        elif theirs.is_file():
            theirs.unlink()
            if path.is_dir():
                notes.append(
                    f"{name} was handed in as a file; it is a folder of the assignment's: the file was left out"
                )
    return notes


def write(notebook: NotebookNode, verdict: Verdict, executed: NotebookNode | None) -> None:
    """Fills `notebook` with harmless outputs of the run, and its test cells with the scores that nbgrader reads."""
    shown_outputs.show_run(notebook, executed)
    earned = {exercise.name: exercise for exercise in verdict.exercises}
    for cell in filter(is_test, notebook.cells):
        exercise = earned[cell.metadata.nbgrader.grade_id]
        if not cell.outputs and exercise.checks[0].message:
            cell.outputs.append(shown_outputs.text_output(f"{exercise.checks[0].message}\n"))
        cell.outputs.append(shown_outputs.score_output(exercise.earned))
