"""A course of nbgrader's own, without Etude: its commands, what students hand in, and the scores in its gradebook."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook

BIN = Path(sys.executable).parent
OURS = "\nfrom grader.nbgrader.config import grade_in_sandbox\ngrade_in_sandbox(c)\n"  # what an instructor adds
Edit = Callable[[NotebookNode], None]


def nbgrader(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    command = [str(BIN / "nbgrader"), *words]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=300)


def done(root: Path, *words: str) -> None:
    result = nbgrader(root, *words)
    assert result.returncode == 0, result.stderr[-3000:]


def hand_in(
    root: Path, assignment: str, student: str, answers: dict[str, str], edit: Edit = lambda notebook: None
) -> Path:
    """Copies the release with these sources, by grade_id; returns the folder."""
    folder = root / "submitted" / student / assignment
    folder.mkdir(parents=True)
    for path in (root / "release" / assignment).glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            cell.source = answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
        edit(notebook)
        nbformat.write(notebook, folder / path.name)
    return folder


def scores(root: Path, assignment: str) -> dict[str, dict[str, float | None]]:
    """Each student's automatic scores by cell; None where a person has to look."""
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        return {
            submission.student.id: {
                f"{notebook.name}/{grade.name}": grade.auto_score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in book.assignment_submissions(assignment)
        }
