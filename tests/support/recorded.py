"""A recorded run of a lesson's reference, made without running it: outputs that tests choose, on cells as the lesson has them."""

from __future__ import annotations

import base64
import io
from typing import Any

import matplotlib.image
import nbformat
import numpy as np
from nbformat.v4 import new_output

from grader.course import Lesson
from grader.lessons import source


def record_run(lesson: Lesson, profile: str = "smoke", printed: str = "it ran", **papermill: Any) -> None:
    """Keeps a run in which each code cell printed this text, warned on stderr, and drew a picture.

    Args:
        papermill: what papermill noted otherwise than of a run that came to its end.
    """
    notebook = source.read(lesson)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [
                new_output("stream", name="stdout", text=f"{printed}\n"),
                new_output("stream", name="stderr", text="a progress bar\n"),
                new_output("display_data", {"image/png": picture()}),
            ]
    noted = {"start_time": "2026-11-20T10:00:00+00:00", "duration": 1.0, "exception": None}
    notebook.metadata["papermill"] = noted | papermill
    folder = lesson.run_folder(profile, 0)
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{lesson.name}.ipynb")


def picture() -> str:
    """Draws a small PNG, in base64."""
    file = io.BytesIO()
    matplotlib.image.imsave(file, np.linspace(0, 1, 400 * 300).reshape(300, 400), format="png")
    return base64.b64encode(file.getvalue()).decode()
