"""The verdict on one notebook: one JSON file that says what was earned and why. Validated on the way in and out.

A verdict is repeatable: it carries the hash of everything that decides the score (`inputs`), so the same inputs need not be
graded twice. `grader schema` prints its JSON schema.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from nbformat import NotebookNode
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from etude.files import write_whole
from etude.lesson.checks import Status
from grader.kernels.run_report import CellRun

SCHEMA = 2


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class CheckResult(Model):
    """One check.

    Attributes:
        message: may hold expected values: of hidden checks it is for the instructor alone.
        example: an input drawn at random that went wrong and what was expected, which the student may see of hidden
            checks too.
    """

    name: str
    title: str
    hidden: bool
    points: float = Field(ge=0)
    status: Status
    message: str = ""
    example: str = ""
    seconds: float = 0.0  # by the clock, the grader's own work too
    spent: float = 0.0  # by the notebook's process, as grader.sandbox.meter counts
    partial: float | None = Field(default=None, ge=0)  # points that a passed check gives instead of all

    @model_validator(mode="after")
    def _no_more_than_all(self) -> Self:
        if self.partial is not None and self.partial > self.points:
            raise ValueError(f"{self.partial} points of {self.points} make no sense: give at most all")
        return self

    @property
    def earned(self) -> float:
        if self.status != "passed":
            return 0.0
        return self.points if self.partial is None else self.partial


class ExerciseResult(Model):
    """One exercise: its checks, and the sentence of the classic mistake if it is one.

    Attributes:
        cause: names the exercises that it calls and that lost points, too; no mistake is named then.
    """

    name: str
    checks: list[CheckResult]
    diagnosis: str | None = None
    cause: str = ""

    @property
    def points(self) -> float:
        return sum(check.points for check in self.checks)

    @property
    def earned(self) -> float:
        return sum(check.earned for check in self.checks)


class MetricResult(Model):
    """One metric, computed by the grader: its value, or the reason why there is none, and the share of its points."""

    name: str
    value: float | None
    reason: str = ""
    low: float | None
    high: float | None
    better: Literal["higher", "lower", "near"]
    points: float = Field(ge=0)
    share: float = Field(ge=0, le=1)

    @property
    def earned(self) -> float:
        return self.points * self.share


class CellResult(Model):
    """What became of one cell when the notebook ran."""

    index: int
    status: Literal["ok", "error", "timeout", "not run"]
    seconds: float = 0.0  # by the clock
    spent: float = 0.0  # as grader.sandbox.meter counts
    error: str = ""

    @classmethod
    def of(cls, run: CellRun) -> CellResult:
        seconds, spent = round(run.seconds, 3), round(run.spent, 3)
        return cls(index=run.index, status=run.status, seconds=seconds, spent=spent, error=run.error[:500])


class Spent(Model):
    """Seconds as grader.sandbox.meter counts them: of the submission, of the reference on the same machine, and the limit."""

    spent: float
    reference: float
    limit: float


class Time(Model):
    """What a submission has spent.

    Attributes:
        machine: how many times as long as where the course was measured things take here.
    """

    machine: float | None = None
    slowest_cell: Spent
    notebook: Spent
    checks: Spent


class Memory(Model):
    """The most MB that the notebook's processes held at a time, shared libraries counted in each, and the limit."""

    held_mb: int
    limit_mb: int


class Verdict(Model):
    """The verdict on one student's notebook of one lesson."""

    schema_version: int = SCHEMA
    lesson: str
    student: str
    status: Literal[
        "graded", "refused", "ended"
    ]  # refused: not a notebook of this lesson; ended: its process did not survive
    reason: str = ""
    notes: list[str] = []
    submission: str  # sha256 of the file that was handed in
    inputs: str  # sha256 of all that decides the score
    profile: str
    seed: int
    sandbox: str
    exercises: list[ExerciseResult] = []
    metrics: list[MetricResult] = []
    cells: list[CellResult] = []
    time: Time | None = None
    memory: Memory | None = None  # unknown without a sandbox
    seconds: float = 0.0
    graded_at: str = ""
    versions: dict[str, str] = {}

    @property
    def earned(self) -> float:
        return sum(exercise.earned for exercise in self.exercises) + sum(metric.earned for metric in self.metrics)

    @property
    def points(self) -> float:
        return sum(exercise.points for exercise in self.exercises) + sum(metric.points for metric in self.metrics)

    @property
    def summary(self) -> str:
        """One line on what came of it: the reason why it was not graded as usual, or what was missed."""
        counted = [
            (sum(exercise.earned < exercise.points for exercise in self.exercises), "exercises failed"),
            (sum(bool(exercise.diagnosis) for exercise in self.exercises), "mistakes named"),
            (sum(metric.earned < metric.points for metric in self.metrics), "metrics short"),
        ]
        return self.reason or "; ".join(f"{what}: {count}" for count, what in counted if count) or "all is right"

    def as_json(self) -> str:
        """Writes the verdict as JSON text.

        What a submission says may hold lone surrogates, which no file can: they become `?`.
        """
        text = json.dumps(self.model_dump(), indent=1, ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8", "replace").decode("utf-8")

    def save(self, path: Path) -> None:
        """Writes the verdict; the file is whole or absent, also after a power cut."""
        write_whole(path, self.as_json() + "\n")


@dataclass
class Graded:
    """A verdict and the notebook as it ran; None if it was refused."""

    verdict: Verdict
    notebook: NotebookNode | None


def load(path: Path) -> Verdict | None:
    """Reads a stored verdict; None if there is none or it is not whole."""
    try:
        return Verdict.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
