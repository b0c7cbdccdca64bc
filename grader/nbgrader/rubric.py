"""Rubrics on formgrader's page: below each answer in words, what its source says between the markers of the solution.

It is read from the lesson's source while the page is made, so it is in no stored notebook, no feedback and no release.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grader.course import Course
from grader.lessons import source

HEADING = "**Only you see this: what the source says of the answer above.**"


class ShowRubric(Preprocessor):
    """Of nbgrader's exporter to HTML, which makes formgrader's page and the feedback: acts on the first alone."""

    enabled = True

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        if "submission_id" not in resources:  # formgrader gives it, the feedback does not
            return nb, resources
        rubrics = rubrics_of(
            Path(self.config.CourseDirectory.root), resources["assignment_id"], resources["notebook_id"]
        )
        cells = []
        for cell in nb.cells:
            cells.append(cell)
            if (rubric := rubrics.get(cell.metadata.get("nbgrader", {}).get("grade_id"))) is not None:
                cells.append(new_markdown_cell(f"{HEADING}\n\n{rubric}"))
        nb.cells = cells
        return nb, resources


def rubrics_of(root: Path, week: str, name: str) -> dict[str, str]:
    """Collects the rubrics of a notebook: answer in words → the text of its solution.

    A notebook that is not in course.toml has none.
    """
    if not (root / "course.toml").is_file():
        return {}
    for lesson in Course(root).lessons():
        if lesson.id == f"{week}/{name}":
            parts = source.parts(source.read(lesson))
            return {p.name: "\n".join(source.split_solution(cell.source)[1]) for p, cell in parts if p.kind == "answer"}
    return {}
