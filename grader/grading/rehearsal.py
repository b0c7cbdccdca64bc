"""Finds which test cells of another nbgrader course can run outside the notebook: with the instructor's own solution.

A test cell runs outside if it gives the solution the same points there, and if the notebook's other cells do without it as they do with
it. What is found is kept below build/ in the course's folder while nothing that decides it changes.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from nbformat import NotebookNode

from etude.files import write_whole
from grader.grading import notebook as notebooks
from grader.grading import outside, submission
from grader.grading.cell_scores import Run, scores, tests
from grader.grading.notebook import Notebook
from grader.kernels.session import KernelLost
from grader.provenance import code_hash, digest, versions
from grader.remote.connection import KernelGone
from grader.sandbox import SandboxError
from grader.settings import Settings

CODE = ("grader.grading", "grader.kernels", "grader.remote")


def known(notebook: Notebook) -> Notebook | None:
    """Returns the notebook with its test cells that run outside, if it is known which; none do where the solution is missing."""
    if not _solution(notebook).is_file():
        return notebook
    try:
        kept = json.loads(notebook.kept.read_text(encoding="utf-8")) if notebook.kept else {}
    except (OSError, ValueError):
        return None
    return replace(notebook, outside=tuple(kept["outside"])) if kept.get("inputs") == _inputs(notebook) else None


def prepared(notebook: Notebook, settings: Settings) -> Notebook:
    """Returns the notebook with its test cells that run outside; none do where the solution does not run."""
    if (before := known(notebook)) is not None:
        return before
    try:
        outside = rehearse(notebook, _solution(notebook), settings)
    except (KernelLost, SandboxError):  # of this machine, or of this moment: nothing to keep
        return notebook
    if notebook.kept:
        write_whole(notebook.kept, json.dumps({"inputs": _inputs(notebook), "outside": outside}, indent=1) + "\n")
    return replace(notebook, outside=tuple(outside))


def _solution(notebook: Notebook) -> Path:
    return notebook.files / f"{notebook.name}.ipynb"


def _inputs(notebook: Notebook) -> str:
    solution = _solution(notebook).read_bytes()
    return digest(notebook.measure, solution, code_hash(*CODE), json.dumps(versions(), sort_keys=True))


def rehearse(notebook: Notebook, solution: Path, settings: Settings) -> list[str]:
    """Runs the solution, and names the test cells that can run outside."""
    given = submission.read(solution)
    if given.notebook is None:
        return []
    right = submission.restore(given.notebook, notebook.released, notebook.shown).notebook
    names = [name for name in map(_name, tests(right)) if outside.program(notebook.released, name)]
    try:
        found = _of_all_points(notebook, right, names, settings)
        return _compared(notebook, right, names, settings) if found is None else found
    except KernelGone:
        return []


def _of_all_points(notebook: Notebook, right: NotebookNode, names: list[str], settings: Settings) -> list[str] | None:
    """Takes the cells that give the solution all their points outside, if everything else is then as well as can be.

    This is what nearly every assignment is like, and saves a run with none outside to compare with. None if it is not.
    """
    points = {_name(cell): float(cell.metadata.nbgrader.points) for cell in tests(right)}
    while names:
        tried = replace(notebook, outside=tuple(names))
        done = notebooks.run(tried, right, notebook.files, settings)
        earned = _earned(tried, done)
        able = [name for name in names if earned[name] == points[name] > 0]
        if able == names:
            return names if earned == points and not _errors(done) else None
        names = able
    return None


def _compared(notebook: Notebook, right: NotebookNode, names: list[str], settings: Settings) -> list[str]:
    """Runs it with fewer and fewer test cells outside, until all is as it is with none."""
    inside = notebooks.run(notebook, right, notebook.files, settings)
    alone, points = _errors(inside), _earned(notebook, inside)
    while names:
        tried = replace(notebook, outside=tuple(names))
        done = notebooks.run(tried, right, notebook.files, settings)
        needing = _errors(done) - alone  # cells that fail without a test cell above them
        first = min(needing, default="")
        earned = _earned(tried, done)
        able = [name for name in names if earned[name] == points[name] > 0 and not (first and _id(right, name) < first)]
        if able == names:
            return names
        names = able
    return []


def _name(cell: NotebookNode) -> str:
    return str(cell.metadata.nbgrader.grade_id)


def _id(notebook: NotebookNode, name: str) -> str:
    return str(next(cell.id for cell in tests(notebook) if _name(cell) == name))


def _errors(done: Run) -> set[str]:
    """Collects the ids of the cells that did not end well; ids are in the notebook's order."""
    return {done.report.notebook.cells[run.index].id for run in done.report.cells if run.status != "ok"}


def _earned(notebook: Notebook, done: Run) -> dict[str, float]:
    return {result.name: result.earned for result in scores(notebook.released, notebook.outside, done, "")}
