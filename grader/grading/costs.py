"""What a lesson's reference costs on this machine: found once, by grading the reference as a submission is, and kept.

A submission may spend a multiple of it (grader.grading.allowance). What is kept lies in build/costs, one file a lesson and kind of
kernel; it holds as long as nothing that decides it has changed, the processor among it. The executed reference and what
it recorded are kept as those of `grader run` are, for the report.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from nbformat import NotebookNode
from pydantic import BaseModel, ConfigDict, ValidationError

from etude.files import write_whole
from grader.course import Course, CourseError, Lesson
from grader.grading.allowance import FOR_REFERENCE
from grader.grading.usage import Usage
from grader.lessons import source
from grader.provenance import fingerprint, hardware, head, modules, versions
from grader.settings import Settings

if TYPE_CHECKING:
    from grader.grading.execution import Execution

FIRST = ("parameters", "setup")  # the cells before the first exercise
COMPUTED = "computed.json"  # the metrics that the grader computed of an executed reference
RECORD = Path("solutions", "seconds.json")


class Cost(BaseModel):
    """What the reference has used, and the hash of all that decides it."""

    model_config = ConfigDict(extra="forbid")
    inputs: str
    usage: Usage


def kept(lesson: Lesson, settings: Settings) -> Usage | None:
    """Reads what the reference used when it was last run here; None if that is not known any more."""
    try:
        cost = Cost.model_validate_json(_path(lesson, settings).read_bytes())
    except (OSError, ValidationError):
        return None
    ran = lesson.run_folder(settings.profile, settings.seed) / f"{lesson.name}.ipynb"
    return cost.usage if cost.inputs == _inputs(lesson, settings) and ran.is_file() else None


def of(lesson: Lesson, settings: Settings) -> Usage:
    """Returns what the reference uses here: as kept, or measured now.

    Raises:
        CourseError: the reference does not do well here.
    """
    return kept(lesson, settings) or measure(lesson, settings)


def measure(lesson: Lesson, settings: Settings) -> Usage:
    """Runs the reference as a submission is run, and keeps what it used.

    Raises:
        CourseError: the lesson has not been released, or the reference does not do well here.
    """
    if not lesson.released.is_file():
        raise CourseError(f"{lesson.id} has not been released: run `grader build {lesson.week.name}`")
    from grader.grading.execution import execute
    from grader.grading.suite import Suite

    decisive, folder = _inputs(lesson, settings), lesson.run_folder(settings.profile, settings.seed)
    shutil.rmtree(folder, ignore_errors=True)  # nobody takes an earlier run for this one
    with tempfile.TemporaryDirectory(prefix="etude-") as scratch:
        results = Path(scratch) / "results"
        run = execute(lesson, Suite.of(lesson), _reference(lesson), settings, FOR_REFERENCE, results)
        if trouble := _trouble(run):
            raise CourseError(
                f"the reference of {lesson.id} does not run here as it should, so nobody's is graded and old scores stand: {trouble}\n"
                f"see the whole of it with `grader run {lesson.id}`"
            )
        shutil.copytree(results, folder / "results", dirs_exist_ok=True)  # another command may measure it too
        computed = {name: value for name, (value, _) in run.metrics.items()}
        write_whole(folder / COMPUTED, json.dumps(computed, indent=1))
        write_whole(folder / f"{lesson.name}.ipynb", nbformat.writes(run.report.notebook))
    write_whole(_path(lesson, settings), Cost(inputs=decisive, usage=run.usage).model_dump_json(indent=1))
    return run.usage


def faults(lesson: Lesson, settings: Settings) -> list[str]:
    """Says in a sentence what the reference does not do here as it should; empty if all is well."""
    try:
        of(lesson, settings)
    except CourseError as error:
        return [str(error)]
    return []


def prove_setup(lesson: Lesson, settings: Settings) -> None:
    """Runs the lesson's own first cells.

    Raises:
        CourseError: they fail; then no submission can be run here.
    """
    from grader.grading.execution import execute
    from grader.grading.suite import Suite

    notebook = _reference(lesson)
    notebook.cells = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") in FIRST]
    with tempfile.TemporaryDirectory(prefix="etude-") as scratch:
        run = execute(lesson, Suite.of(lesson), notebook, settings, FOR_REFERENCE, Path(scratch) / "results")
    if failed := [cell for cell in run.report.cells if cell.status != "ok"]:
        raise CourseError(
            f"the first cells of {lesson.id} fail in the kernel {settings.kernel!r}, so nothing can be graded: "
            f"{failed[0].error}\nIs this environment whole? `etude doctor` says what is missing"
        )


def factor(lesson: Lesson, usage: Usage) -> float | None:
    """Tells how many times as long the reference takes here as on the recorded machine; None if the course has no record."""
    recorded = recorded_seconds(lesson.course).get(lesson.id)
    return round(usage.notebook / recorded, 2) if recorded else None


def recorded_seconds(course: Course) -> dict[str, float]:
    """Reads the record of the course: lesson → seconds of its reference's cells on the recorded machine, in the profile smoke."""
    path = course.root / RECORD
    return json.loads(path.read_text(encoding="utf-8"))["seconds"] if path.is_file() else {}


def record(course: Course, settings: Settings, command: str) -> Path:
    """Writes down what the references of all lessons take on this machine, as `kept`.

    Returns:
        The path of the record.
    """
    seconds = {lesson.id: round(of(lesson, settings).notebook, 2) for lesson in course.lessons()}
    path = course.root / RECORD
    write_whole(path, json.dumps({**head(command, course=course.root), "seconds": seconds}, indent=1) + "\n")
    return path


def _trouble(run: Execution) -> str:
    """Says in words what no reference should meet, the most telling first; empty if all is well."""
    troubles = [run.report.reason or "its process ended"] if not run.report.alive else []
    troubles += [f"{outcome.check.name}: {outcome.message}" for outcome in run.outcomes.values() if not outcome.passed]
    troubles += [f"cell {cell.index + 1}: {cell.error}" for cell in run.report.cells if cell.status != "ok"]
    troubles += [f"{name}: {why}" for name, (value, why) in run.metrics.items() if value is None]
    return troubles[0][:1000] if troubles else ""


def _path(lesson: Lesson, settings: Settings) -> Path:
    return lesson.course.build / "costs" / settings.kernel / f"{lesson.id}.json"


def _reference(lesson: Lesson) -> NotebookNode:
    """Builds the lesson's notebook as a student hands it in who writes what the reference does."""
    return source.filled(lesson, source.exercises(source.read(lesson)))


def _inputs(lesson: Lesson, settings: Settings) -> str:
    written = [lesson.source / name for name in ("notebook.py", "checks.py", "hidden.py")]
    data = source.data_read(lesson)
    return fingerprint(settings, hardware("cpu"), versions(), code=[*written, *modules("etude")], data=data)
