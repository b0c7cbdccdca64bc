"""`grader calibrate`: expected.csv measured, not guessed. Runs the reference over many seeds and writes, for each metric of
the profile, mean, standard deviation and the tolerance interval in which a right answer falls.

A run is made as grading makes it: in a kernel of its own with one thread, where the notebook goes on after a cell that
fails, and the grader computes the metrics. What came of it is kept, so that a call that was cut goes on from there.

The interval is a normal tolerance interval: with CONFIDENCE it covers the share COVERAGE of all seeds (one-sided where
only one side is bad). Each row states what its interval promises and where it comes from: command, seeds, hardware,
versions, commit. Whether the promise is kept is measured elsewhere (grader.quality.error_rates).
"""

from __future__ import annotations

import ast
import json
import math
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import toleranceinterval
from nbformat import NotebookNode

from etude.files import write_whole
from etude.lesson import table
from grader.classes.workers import Step, Workers, side_by_side
from grader.course import CourseError, Lesson
from grader.grading import metrics
from grader.grading.artifacts import Artifacts
from grader.grading.suite import Suite
from grader.kernels.runner import run_notebook
from grader.kernels.session import KernelSession
from grader.lessons import source
from grader.lessons.bank import Answer
from grader.provenance import bare, fingerprint, imported, libraries, provenance
from grader.remote.connection import KernelGone
from grader.settings import PLAIN, Settings

COVERAGE, CONFIDENCE = 0.99, 0.95
PROMISE = f"{100 * COVERAGE:g} % of right answers with {100 * CONFIDENCE:g} % confidence"
FEWEST_SEEDS = 5
FIRST_SEED = 1000  # the seeds on which a lesson's settings were chosen are small numbers: none of them is reported
# Of etude: what only checks use has no part in a metric.
CHECKING = {
    "arguments.py",
    "callees.py",
    "check.py",
    "checks.py",
    "differences.py",
    "gradients.py",
    "mistakes.py",
    "student.py",
}
FRESH_FROM = 2000  # the seeds from here on are never calibrated on: the error rates are measured on them


@dataclass(frozen=True)
class Task:
    """One run of the experiment: with the reference, or with a wrong answer in its exercise's cell.

    Attributes:
        limit: seconds.
    """

    profile: str
    device: str
    seed: int
    limit: float = math.inf
    answer: Answer | None = None

    @property
    def name(self) -> str:
        return self.answer.label if self.answer else f"seed {self.seed}"


@dataclass(frozen=True)
class Run:
    """What came of a run: metric → value where there is one, seconds, and the first trouble, "" if there was none."""

    metrics: dict[str, float]
    seconds: float
    trouble: str


def calibrate(lesson: Lesson, profile: str, seeds: int, device: str, jobs: int, step: Step) -> list[table.Expected]:
    """Measures one profile of one lesson and writes its rows of expected.csv.

    Returns:
        The rows of the profile.

    Raises:
        CourseError: the number of seeds is too small or too large, the reference fails, or a process was ended from outside.
    """
    if seeds < FEWEST_SEEDS:
        raise CourseError(f"{seeds} seeds say too little about the spread: give at least {FEWEST_SEEDS}")
    if seeds > FRESH_FROM - FIRST_SEED:
        raise CourseError(f"{seeds} seeds reach into those kept fresh: give at most {FRESH_FROM - FIRST_SEED}")
    tasks = [Task(profile, device, seed) for seed in range(FIRST_SEED, FIRST_SEED + seeds)]
    runs = results(lesson, tasks, jobs, step)
    values = {name: [run.metrics[name] for run in runs] for name in set.intersection(*(set(r.metrics) for r in runs))}
    path = lesson.source / "expected.csv"
    origin = provenance(f"grader calibrate {lesson.id} --profile {profile} --seeds {seeds}", device, lesson.course.root)
    origin += f"; the interval holds {PROMISE}"
    rows = [
        _measured(row, values[row.metric], origin) if row.profile == profile and row.metric in values else row
        for row in table.read(path)
    ]
    table.write(path, rows)
    return [row for row in rows if row.profile == profile]


def results(lesson: Lesson, tasks: Sequence[Task], jobs: int, step: Step) -> list[Run]:
    """Runs the tasks, `jobs` of them at a time, and gives what comes of them, in their order.

    Raises:
        CourseError: the reference fails, or a process was ended from outside.
    """
    with Workers(Settings(kernel=PLAIN)) as workers:
        runs = side_by_side(partial(result, lesson), tasks, lambda task: task.name, jobs, step, workers)
        by_task = {task: run.result() for task, run in runs}
    return [by_task[task] for task in tasks]


def result(lesson: Lesson, task: Task) -> Run:
    """Runs a task and gives what comes of it; taken from an earlier call if nothing has changed that decides it.

    Raises:
        CourseError: the reference does not do well.
    """
    decisive = inputs(lesson, task.device, task.answer.code if task.answer else "")
    label = task.answer.label.replace("/", "-") if task.answer else "reference"
    name = f"{task.profile}-seed{task.seed}-{label}.json"
    path = lesson.course.build / "measured" / lesson.id / name
    if path.is_file() and (stored := json.loads(path.read_text(encoding="utf-8"))).pop("inputs") == decisive:
        return Run(**stored)
    run = _run(lesson, task)
    if run.trouble and task.answer is None:
        command = f"grader run {lesson.id} --profile {task.profile} --seed {task.seed}"
        raise CourseError(f"{lesson.id}, seed {task.seed}: the reference fails: {run.trouble}\nsee it with `{command}`")
    write_whole(path, json.dumps({"inputs": decisive, **asdict(run)}, indent=1))
    return run


def _run(lesson: Lesson, task: Task, threads: int = 1) -> Run:
    started = time.monotonic()
    functions = Suite.of(lesson).metrics
    with tempfile.TemporaryDirectory(prefix="etude-") as folder:
        work, results = Path(folder), Path(folder, "results")
        source.copy_public(lesson, work / lesson.name)
        parameters = {"profile": task.profile, "seed": task.seed, "device": task.device, "out": str(results)}
        try:
            with KernelSession(work, PLAIN, env={"OMP_NUM_THREADS": str(threads)}) as session:
                report = run_notebook(
                    _notebook(lesson, task.answer),
                    session,
                    parameters=parameters,
                    cell_timeout=task.limit,
                    notebook_timeout=task.limit,
                )
                asks = report.alive and any(map(metrics.asks_the_student, functions.values()))
                student = session.student() if asks else None
                computed = metrics.compute(functions, Artifacts(results, task.seed), student)
        except KernelGone as error:
            raise CourseError(f"{lesson.id}, {task.name}: {error}; the same command goes on from there") from None
        recorded = results / "metrics.json"
        of_notebook = json.loads(recorded.read_text(encoding="utf-8")) if recorded.is_file() else {}
    # What the grader computes counts, as in grading; the other metrics are as the notebook says, for students to see.
    metrics_of_run = of_notebook | {name: value for name, (value, _) in computed.items()}
    values = {
        name: float(value) for name, value in metrics_of_run.items() if value is not None and math.isfinite(value)
    }
    troubles = [f"cell {cell.index}: {cell.error}" for cell in report.cells if cell.status in ("error", "timeout")]
    troubles += [report.reason] if report.reason else []
    troubles += [f"{name}: {reason}" for name, (value, reason) in computed.items() if value is None]
    return Run(values, round(time.monotonic() - started, 2), troubles[0][:500] if troubles else "")


def _notebook(lesson: Lesson, answer: Answer | None) -> NotebookNode:
    """Builds the lesson's notebook with the answer in its exercise's cell; without the checks, which only take time here."""
    notebook = source.read(lesson)
    parts = [(part, cell) for part, cell in source.parts(notebook) if part.kind != "check"]
    notebook.cells = [cell for _, cell in parts]
    for part, cell in parts:
        if answer is not None and (part.kind, part.name) == ("exercise", answer.exercise):
            cell.source = answer.code
    return notebook


def inputs(lesson: Lesson, device: str, answer: str = "") -> str:
    """Hashes all that decides the metrics of a run: code of notebook, metrics and library, the libraries' versions."""
    notebook = lesson.source / "notebook.py"
    library = [path for path in imported([notebook]) if path.name not in CHECKING]
    metrics_code = bare(_of_metrics((lesson.source / "hidden.py").read_text(encoding="utf-8")))
    facts = (bare(answer), device, libraries(), metrics_code)
    return fingerprint(*facts, code=[notebook, *library], data=source.data_read(lesson))


def _of_metrics(code: str) -> str:
    """Takes the metrics of hidden.py and what they reach by name: checks and their oracles have no part."""
    tree = ast.parse(code)
    tree.body = [part for statement in tree.body for part in _one_name_each(statement)]
    defined = {name: statement for statement in tree.body for name in _defines(statement)}
    kept = [statement for statement in tree.body if _is_metric(statement)]
    for statement in kept:  # grows while it is gone through
        names = (node.id for node in ast.walk(statement) if isinstance(node, ast.Name))
        kept += dict.fromkeys(defined[name] for name in names if name in defined and defined[name] not in kept)
    tree.body = [statement for statement in tree.body if statement in kept]
    return ast.unparse(tree)


def _is_metric(statement: ast.stmt) -> bool:
    marks = statement.decorator_list if isinstance(statement, ast.FunctionDef) else []
    return any(isinstance(mark, ast.Call) and ast.unparse(mark.func) == "metric" for mark in marks)


def _one_name_each(statement: ast.stmt) -> list[ast.stmt]:
    """Splits an import of several names into imports of one name each."""
    match statement:
        case ast.ImportFrom():
            return [ast.ImportFrom(statement.module, [alias], statement.level) for alias in statement.names]
        case ast.Import():
            return [ast.Import([alias]) for alias in statement.names]
    return [statement]


def _defines(statement: ast.stmt) -> set[str]:
    """Finds the names that a statement of a module gives: of a function, a class, a variable or an import."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _measured(row: table.Expected, values: Iterable[float], origin: str) -> table.Expected:
    sample = np.array(list(values), dtype=float)
    low, high = interval(sample, row.better)
    return replace(
        row,
        mean=float(sample.mean()),
        sd=float(sample.std(ddof=1)),
        seeds=len(sample),
        low=low,
        high=high,
        provenance=origin,
    )


def interval(sample: np.ndarray, better: str) -> tuple[float, float]:
    """Computes the tolerance bounds of a normal sample (n,), one-sided on the bad side, two-sided for "near".

    The good side of a one-sided row is as far from the mean, so that the interval has a width by which points fall off.

    Returns:
        [low, high].
    """
    mean = float(sample.mean())
    if better == "near":
        low, high = (float(x) for x in np.ravel(toleranceinterval.twoside.normal(sample, COVERAGE, CONFIDENCE)))
        return low, high
    tail = 1 - COVERAGE if better == "higher" else COVERAGE
    bound = float(np.ravel(toleranceinterval.oneside.normal(sample, tail, CONFIDENCE))[0])
    return min(bound, 2 * mean - bound), max(bound, 2 * mean - bound)
