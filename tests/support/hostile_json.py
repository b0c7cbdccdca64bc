"""Hostile notebooks whose JSON was changed by hand: points, names and kinds of cells, metadata, outputs, letters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hostile import Given, attack, notebook_file

Cells = list[dict[str, Any]]
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def save(folder: Path, notebook: Any) -> None:
    notebook_file(folder).write_text(json.dumps(notebook), encoding="utf-8")


def rules(cell: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = cell["metadata"].get("nbgrader", {})
    return found


def named(cells: Cells, grade_id: str) -> dict[str, Any]:
    return next(cell for cell in cells if rules(cell).get("grade_id") == grade_id)


@attack("Raises the points of every graded cell.", "forged metadata", 4, "not written yet")
def points_raised(folder: Path, given: Given) -> None:
    for cell in given.released["cells"]:
        rules(cell).update({"points": 1000.0} if rules(cell).get("grade") else {})
    save(folder, given.released)


@attack(
    "Gives the check cells of one exercise the name of the other, whose answer is right.",
    "forged metadata",
    8,
    "not written yet",
)
def names_of_cells_exchanged(folder: Path, given: Given) -> None:
    cells = given.right["cells"]
    named(cells, "softmax")["source"] = named(given.released["cells"], "softmax")["source"]
    one, other = named(cells, "check_softmax"), named(cells, "check_count_pairs")
    rules(one)["grade_id"], rules(other)["grade_id"] = "check_count_pairs", "check_softmax"
    save(folder, given.right)


@attack(
    "Makes text of the check cells and a graded code cell that shows 5.0 of the answer.",
    "forged metadata",
    4,
    "not written yet",
)
def kinds_of_cells_exchanged(folder: Path, given: Given) -> None:
    cells = given.released["cells"]
    for name in ("check_softmax", "check_count_pairs"):
        cell = named(cells, name)
        cell.update(cell_type="markdown", source="5.0")
        cell.pop("outputs"), cell.pop("execution_count")
    answer = named(cells, "why")
    answer.update(cell_type="code", source="5.0", outputs=[], execution_count=1)
    rules(answer).update(cell_type="code", solution=False, locked=True, points=100)
    save(folder, given.released)


@attack(
    "Hands in every graded cell twice: the first shows a score.",
    "forged metadata",
    11,
    "stands twice: the first counts",
)
def graded_cells_doubled(folder: Path, given: Given) -> None:
    cells: Cells = []
    for cell in given.right["cells"]:
        cells += (
            [{**cell, "source": "5.0"}, cell] if rules(cell).get("grade") and cell["cell_type"] == "code" else [cell]
        )
    save(folder, {**given.right, "cells": cells})


@attack(
    "Leaves out every locked cell, so that nothing is checked.",
    "forged metadata",
    7,
    "check_softmax was missing: it was put back",
)
def locked_cells_missing(folder: Path, given: Given) -> None:
    kept = [cell for cell in given.right["cells"] if not rules(cell).get("locked")]
    save(folder, {**given.right, "cells": kept})


@attack(
    "Puts code of its own into every locked cell.", "forged metadata", 4, "the locked cell metrics had been changed"
)
def locked_cells_edited(folder: Path, given: Given) -> None:
    for cell in given.released["cells"]:
        if rules(cell).get("locked") and rules(cell)["grade_id"] != "parameters":
            cell["source"] = "print('100 points')\n100.0"
    save(folder, given.released)


@attack("Hands in outputs that hold scores, scripts and pictures that run.", "forged metadata", 4, "not written yet")
def outputs_forged(folder: Path, given: Given) -> None:
    data = {
        "text/plain": "5.0",
        "text/html": SCRIPT,
        "application/javascript": "alert(1)",
        "image/svg+xml": f"<svg>{SCRIPT}</svg>",
    }
    for cell in given.released["cells"]:
        if cell["cell_type"] == "code":
            result = {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1}
            cell.update(outputs=[result] * 3, execution_count=1)
    save(folder, given.released)


@attack("Names another kernel: a shell command, an unknown language, a path.", "forged metadata", 11)
def kernel_of_its_own(folder: Path, given: Given) -> None:
    given.right["metadata"] = {
        "kernelspec": {
            "name": "../../bin/bash",
            "language": "bash",
            "display_name": SCRIPT,
            "argv": ["touch", "/tmp/owned"],
        },
        "language_info": {"name": "R", "file_extension": ".sh"},
        "papermill": {"parameters": {"profile": "gpu"}, "output_path": str(given.course / "gradebook.db")},
    }
    save(folder, given.right)


@attack(
    "Moves the grader's parameters to the end, and tags cells with what papermill obeys.",
    "forged metadata",
    7,
    "NameError",
)
def parameters_moved(folder: Path, given: Given) -> None:
    cells = given.right["cells"]
    parameters = named(cells, "parameters")
    cells.remove(parameters)
    cells.append(parameters)
    for cell in cells:
        cell["metadata"]["tags"] = ["injected-parameters", "papermill-error-cell-tag", "parameters"]
    save(folder, given.right)


@attack("Fills metadata with wrong types, depth and names of the grader's own.", "forged metadata", 11)
def metadata_of_wrong_types(folder: Path, given: Given) -> None:
    deep: Any = {}
    for _ in range(150):
        deep = {"nbgrader": deep}
    given.right["metadata"] = deep
    extra = [
        3,
        [],
        {"nbgrader": 5},
        {"nbgrader": {"grade_id": ["softmax"]}},
        {"nbgrader": {"grade_id": 7}},
        deep,
        {"tags": {}},
    ]
    for metadata in extra:
        cell = {
            "cell_type": "code",
            "metadata": metadata,
            "source": ["x = 1"],
            "outputs": [SCRIPT],
            "id": SCRIPT,
            "execution_count": SCRIPT,
        }
        given.right["cells"].append(cell)
    save(folder, given.right)


@attack("Shows as much as a cell may in each of a hundred and fifty cells.", "exhaustion", 11)
def outputs_of_many_cells(folder: Path, given: Given) -> None:
    cell = {"cell_type": "code", "source": 'print("x" * 990_000)', "metadata": {}, "outputs": []}
    given.right["cells"] += [cell] * 150
    save(folder, given.right)


@attack(
    "Writes text that reads otherwise than it runs: right to left, homoglyphs, NUL, lone surrogates.",
    "odd text",
    7,
    "no name 'count_pairs'",
)
def text_that_deceives(folder: Path, given: Given) -> None:
    cells = given.right["cells"]
    cells[0]["source"] = "\x00\u202e\ud800 [link](javascript:alert(1)) " + SCRIPT
    named(cells, "why")["source"] = SCRIPT + "\n\n<iframe srcdoc='" + SCRIPT + "'></iframe>\u202e"
    pairs = named(cells, "count_pairs")
    pairs["source"] = [
        "# \u202e } \u2066 if admin\n",
        *"".join(pairs["source"]).replace("count_pairs", "\u0441ount_pairs").splitlines(True),
    ]
    cells.append({"cell_type": "code", "metadata": {}, "source": "print('\ud800\udc00 \udfff')\x00"})
    save(folder, given.right)


@attack("Writes a name of two hundred thousand accents, which Python sorts one by one.", "exhaustion", 11)
def name_of_accents_alone(folder: Path, given: Given) -> None:
    cell = {"cell_type": "code", "source": "a" + "\u0327\u0301" * 95_000 + " = 1", "metadata": {}, "outputs": []}
    given.right["cells"].append(cell)
    save(folder, given.right)
