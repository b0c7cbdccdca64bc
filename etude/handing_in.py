"""`etude hand-in LESSON.ipynb`: says what will be graded, runs the notebook as the grader does first, keeps a copy and a receipt.

    handed-in/LESSON.ipynb          the file as it was read and run, byte for byte: this is what is uploaded
    handed-in/LESSON.receipt.json   when, its SHA-256, and what was found

Only public checks are known here. What the grader adds (hidden checks, metrics against their intervals, a person who reads
answers) is named and not foretold.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from etude.files import write_whole
from etude.lesson.checks import collect
from etude.lesson.run import LessonError, find_folder

if TYPE_CHECKING:
    from nbformat import NotebookNode

STUB = 'raise NotImplementedError("write this")'
ANSWER_STUB = "*Write your answer here.*"
LARGEST = 20 << 20  # bytes that the grader reads; the course's notebooks have some 50 KiB without outputs
RUNNING = "ETUDE_HANDING_IN"  # set in the run that a hand-in starts
CELL_SECONDS = 600  # that a cell may take here; the grader's own limits come from its machine
LESSON = re.compile(r"""etude\.start\(\s*["']([a-z0-9_]+/[a-z0-9_]+)["']""")
CHECK = re.compile(r"""^check\(["'](\w+)["']\)$""", re.MULTILINE)

State = Literal["passes", "fails", "not written", "missing", "not reached", "runs", "written", "empty"]
Step = Callable[[int, int], None]  # (cells done, cells in all)


class HandInError(ValueError):
    """The file cannot be handed in as it is; the message says what to do."""


@dataclass(frozen=True)
class Part:
    """A part of the notebook that earns points.

    Attributes:
        kind: exercise, metrics, or question (which a person reads).
        said: what the check said, in a line.
    """

    name: str
    kind: Literal["exercise", "metrics", "question"]
    points: float
    state: State
    said: str = ""


@dataclass(frozen=True)
class HandedIn:
    """What was handed in: the copy, what it holds, and what is odd about it."""

    lesson: str
    sha256: str
    copy: Path
    parts: list[Part]
    notes: list[str]


def hand_in(path: Path, *, run: bool = True, step: Step = lambda done, total: None) -> HandedIn:
    """Looks at a notebook, runs it in the profile smoke, and writes the copy and its receipt beside it.

    Raises:
        HandInError: it is no notebook of a lesson that is here, or this is called by a notebook that a hand-in runs.
    """
    if RUNNING in os.environ:  # a cell that hands in its own notebook would run it without end
        raise HandInError("a hand-in runs this notebook, and does not hand in from there: this cell does nothing now")
    content, notebook = _read(path)
    lesson = _lesson(path, notebook)
    try:
        checks = collect(find_folder(lesson, path.parent) / "checks.py")
    except LessonError as error:
        raise HandInError(str(error)) from None
    found, notes = _executed(notebook, path.parent, step) if run else (None, ["it was not run"])
    parts = _parts(notebook, found)
    there = [part.name for part in parts]
    parts += [
        Part(name, "exercise", 0, "missing") for name in dict.fromkeys(c.exercise for c in checks) if name not in there
    ]
    notes += [f"{name} stands {n} times: the first counts" for name, n in Counter(there).items() if n > 1]
    copy = path.parent / "handed-in" / path.name
    write_whole(copy, content)
    handed_in = HandedIn(lesson, hashlib.sha256(content).hexdigest(), copy, parts, notes)
    receipt = {
        "lesson": lesson,
        "sha256": handed_in.sha256,
        "bytes": len(content),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "parts": [asdict(part) for part in parts],
        "notes": notes,
    }
    write_whole(copy.with_suffix(".receipt.json"), json.dumps(receipt, indent=1, ensure_ascii=False) + "\n")
    return handed_in


def _read(path: Path) -> tuple[bytes, NotebookNode]:
    try:
        import nbformat
    except ImportError:
        raise HandInError('JupyterLab is not installed here: pip install "etude[lab]"') from None
    if path.suffix != ".ipynb" or not path.is_file():
        raise HandInError(f"{path} is not there or no notebook: give the .ipynb file")
    content = path.read_bytes()
    if len(content) > LARGEST:
        raise HandInError(
            f"{path.name} has {len(content) >> 20} MiB, and {LARGEST >> 20} are read: clear its outputs and save it"
        )
    try:
        notebook: NotebookNode = nbformat.reads(content.decode(), as_version=4)
        nbformat.validate(notebook)
    except Exception as error:  # whatever nbformat makes of a broken file
        reason = str(error).split("\n")[0][:200]
        raise HandInError(f"{path.name} is no whole notebook ({reason}): open it in JupyterLab and save it") from None
    return content, notebook


def _lesson(path: Path, notebook: NotebookNode) -> str:
    for cell in notebook.cells:
        if cell.cell_type == "code" and (named := LESSON.search(cell.source)):
            return named[1]
    raise HandInError(
        f'{path.name} opens no lesson: its cell with etude.start("week1_embeddings/word2vec", …) is missing'
    )


def _parts(notebook: NotebookNode, found: dict[int, str | None] | None) -> list[Part]:
    """Lists what earns points.

    Args:
        found: by the cell's place, the error that it ended in, or None; a cell that is not in it was not reached.
    """
    unwritten = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells if STUB in cell.source}
    parts = []
    for place, cell in enumerate(notebook.cells):
        rules = cell.metadata.get("nbgrader", {})
        if not rules.get("grade"):
            continue
        points = float(rules.get("points", 0))
        reached, said = found is not None and place in found, (found or {}).get(place) or ""
        if cell.cell_type != "code":
            state: State = "empty" if cell.source.strip() in ("", ANSWER_STUB) else "written"
            parts.append(Part(rules.grade_id, "question", points, state))
        elif checked := CHECK.search(cell.source):
            name = checked[1]
            state = (
                "not written" if name in unwritten else "not reached" if not reached else "fails" if said else "passes"
            )
            parts.append(Part(name, "exercise", points, state, said if state == "fails" else ""))
        else:
            parts.append(
                Part(
                    rules.grade_id,
                    "metrics",
                    points,
                    "not reached" if not reached else "fails" if said else "runs",
                    said,
                )
            )
    return parts


def _executed(notebook: NotebookNode, folder: Path, step: Step) -> tuple[dict[int, str | None], list[str]]:
    """Runs a copy of the notebook; returns the error that each cell ended in, by its place, and notes."""
    import copy

    import nbclient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from nbformat.v4 import new_code_cell

    run, places = copy.deepcopy(notebook), list(range(len(notebook.cells)))
    found: dict[int, str | None] = {}
    with TemporaryDirectory() as out:
        at = next((i for i, cell in enumerate(run.cells) if "parameters" in cell.metadata.get("tags", [])), -1) + 1
        run.cells.insert(at, new_code_cell(f'profile = "smoke"\nout = {out!r}'))
        places.insert(at, -1)

        def done(cell: NotebookNode, cell_index: int, **_: Any) -> None:
            errors = [output for output in cell.get("outputs", []) if output.output_type == "error"]
            found[places[cell_index]] = f"{errors[0].ename}: {errors[0].evalue}".split("\n")[0] if errors else None
            step(cell_index + 1, len(run.cells))

        client = nbclient.NotebookClient(
            run, timeout=CELL_SECONDS, allow_errors=True, kernel_name="python3",
            resources={"metadata": {"path": str(folder)}}, on_cell_executed=done,
        )  # fmt: skip
        notes = []
        try:
            # stderr is the kernel's own log; what cells print comes another way
            client.execute(stderr=subprocess.DEVNULL, env=os.environ | {RUNNING: "1"})
        except CellTimeoutError:
            notes.append(f"a cell took more than {CELL_SECONDS} s: what stands behind it was not reached")
        except DeadKernelError:
            notes.append("the kernel died, perhaps for want of memory: what stands behind was not reached")
    return found, notes
