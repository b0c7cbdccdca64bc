"""A class of attackers: the hostile submissions of tests/attacks, handed in beside two honest students and graded as one class.

Everything is real: a course that is built and released, `grader autograde` with its sandbox and two workers, nbgrader's
gradebook. Secrets lie where an attack may look for them. What must come of it is for a test to say.
"""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from decoys import Decoys
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grader.course import Course, Lesson
from grader.grading import verdict
from grader.grading.verdict import Verdict
from grader.lessons import source
from grader.lessons.source import filled
from grader.nbgrader import gradebook
from grader.provenance import head
from grader.release.build import build

HERE = Path(__file__).parents[1] / "attacks"
FILES = sorted(path for path in HERE.glob("*.py") if path.name != "conftest.py")
WEEK, LESSON = "week1_trial", "softmax"
BIN = Path(sys.executable).parent
SECONDS = 900  # for a class to be graded; it takes one to two minutes
WRONG = "def softmax(scores):\n    return scores.exp() / scores.exp().sum(dim=0, keepdim=True)"  # as in its bank
HEADER = re.compile(
    r"# (?P<tries>.+)\n"
    r"# family: (?P<family>.+?) · honest: (?P<honest>.+?) · earns: (?P<earns>[\d.]+)(?: · deserves: (?P<deserves>[\d.]+))?\n"
    r"# says: (?P<says>.+)\n"
)
SAYS_NOTHING = "nothing"
LARGE = 64 << 20  # bytes; larger files take no room and are not read


@dataclass(frozen=True)
class Attack:
    """One hostile submission, handed in by a student of its name.

    earns: what the gradebook must hold for it. deserves: less than that only where nothing can prevent it. says: a
    pattern that the words of its verdict must hold. write: puts the submission into the student's folder of the week.
    """

    name: str
    tries: str
    family: str
    earns: float
    deserves: float
    says: str
    write: Callable[[Path], None]


def attacks_of_notebooks(lesson: Lesson, places: dict[str, str], secret: str) -> list[Attack]:
    """The attacks of tests/attacks/*.py, put onto the released notebook; `@NAME@` stands for a place of this run."""
    found = []
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        header = HEADER.match(text)
        assert header, f"{path.name}: its first three lines do not say what it tries and what it earns"
        text = text[header.end() :]
        for name, value in places.items():
            text = text.replace(f"@{name}@", value)
        notebook = merged(text, lesson, honest(lesson, header["honest"].split(", "), secret))
        earns = float(header["earns"])
        deserves = float(header["deserves"] or earns)

        def write(folder: Path, content: str = nbformat.writes(notebook)) -> None:
            notebook_file(folder).write_text(content, encoding="utf-8")

        found.append(Attack(path.stem, header["tries"], header["family"], earns, deserves, header["says"], write))
    return found


@dataclass(frozen=True)
class Given:
    """What an attacker has: the right notebook as JSON, the released one, and where the course lies."""

    right: dict[str, Any]
    released: dict[str, Any]
    course: Path


Maker = Callable[[Path, Given], None]
MAKERS: list[tuple[Maker, str, str, float, str]] = []


def attack(tries: str, family: str, earns: float, says: str = SAYS_NOTHING) -> Callable[[Maker], Maker]:
    def note(make: Maker) -> Maker:
        MAKERS.append((make, tries, family, earns, says))
        return make

    return note


def attacks_made_by_hand(lesson: Lesson, secret: str) -> list[Attack]:
    def as_json(*names: str) -> dict[str, Any]:
        notebook: dict[str, Any] = json.loads(nbformat.writes(filled(lesson, honest(lesson, names, secret))))
        return notebook

    given = Given(as_json("softmax", "count_pairs"), as_json(), lesson.course.root)
    return [
        Attack(
            make.__name__,
            tries,
            family,
            earns,
            earns,
            says,
            lambda folder, make=make: make(folder, copy.deepcopy(given)),  # type: ignore[misc]
        )
        for make, tries, family, earns, says in MAKERS
    ]


def notebook_file(folder: Path) -> Path:
    return folder / f"{LESSON}.ipynb"


def honest(lesson: Lesson, names: Iterable[str], secret: str) -> dict[str, str]:
    """The reference's answers to these exercises, without the secret that its source holds."""
    right = source.exercises(source.read(lesson))
    return {name: right[name].replace(secret, "") for name in names if name in right}


def merged(text: str, lesson: Lesson, answers: dict[str, str]) -> NotebookNode:
    """The released notebook with these answers, and the cells of `text`, in jupytext's percent format, put in.

    `# %% cell="softmax"` takes the place of a cell, `# %% before="metrics"` goes in front of one, others to the end.
    """
    notebook = filled(lesson, answers)
    for cell in jupytext.reads(text, fmt="py:percent").cells:
        place, before = cell.metadata.pop("cell", None), cell.metadata.pop("before", None)
        if place is not None:
            notebook.cells[_index(notebook, place)].source = cell.source
        else:
            notebook.cells.insert(len(notebook.cells) if before is None else _index(notebook, before), cell)
    return notebook


def _index(notebook: NotebookNode, grade_id: str) -> int:
    return [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells].index(grade_id)


def course_to_attack(root: Path, secret: str, asked: str) -> Course:
    """The course of one small lesson, built and released: `secret` is in all that students never get.

    `asked` is in what the hidden checks ask.
    """
    folder = root / "solutions" / WEEK / LESSON
    shutil.copytree(HERE / "lesson", folder)
    for path in folder.iterdir():
        path.write_text(path.read_text().replace("@SECRET@", secret).replace("@INPUT@", asked))
    (folder / "course.toml").replace(root / "course.toml")
    course = Course(root)
    build(course, course.lessons(), say=lambda text: None)
    return course


def hand_in(course: Course, attacks: Iterable[Attack], secret: str) -> None:
    """The class: ada, who is right and keeps a secret, bora, who is half right, and a student for each attack."""
    lesson = course.lessons()[0]
    right = honest(lesson, ("softmax", "count_pairs"), secret)
    for student, answers in {"ada": right, "bora": {**right, "softmax": WRONG}}.items():
        notebook = filled(lesson, answers)
        notebook.cells.append(new_markdown_cell(f"My own note: {secret}"))
        nbformat.write(notebook, notebook_file(_folder(course, student)))
    for attack in attacks:
        attack.write(_folder(course, attack.name))


def _folder(course: Course, student: str) -> Path:
    folder = course.root / "submitted" / student / WEEK
    folder.mkdir(parents=True)
    return folder


@dataclass(frozen=True)
class Done:
    """What the command did: its exit status, what it said, and the seconds it took."""

    status: int
    said: str
    seconds: float


def autograde(course: Course, decoys: Decoys, scratch: Path) -> Done:
    """`grader autograde` as an instructor calls it, with secrets in its environment and `scratch` for its own files."""
    environment = {
        **os.environ,
        **decoys.environment,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "TMPDIR": str(scratch),
        "COLUMNS": "200",
    }
    command = [str(BIN / "grader"), "autograde", WEEK, "--jobs", "2"]
    started = time.monotonic()
    done = subprocess.run(command, cwd=course.root, env=environment, capture_output=True, timeout=SECONDS)
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    return Done(done.returncode, said, time.monotonic() - started)


def verdicts(course: Course) -> dict[str, Verdict]:
    """Student → verdict."""
    found = {path.parts[-3]: verdict.load(path) for path in (course.root / "verdicts").glob(f"*/{WEEK}/{LESSON}.json")}
    return {student: one for student, one in found.items() if one is not None}


def scores(course: Course) -> dict[str, float]:
    """Student → what the gradebook holds."""
    return {score.student: score.score for score in gradebook.scores(course, course.root, WEEK)}


def words(found: Verdict) -> str:
    """All that a verdict says to a person."""
    checks = [check.message for exercise in found.exercises for check in exercise.checks]
    metrics = [f"{metric.name}: {metric.reason if metric.value is None else metric.value}" for metric in found.metrics]
    return "\n".join([found.reason, *found.notes, *checks, *metrics, *(cell.error for cell in found.cells)])


def answer(attack: Attack, found: Verdict) -> str:
    """The line of the verdict that the attack's pattern finds, or a word for what needs none."""
    if attack.earns > attack.deserves:
        return "cannot be prevented"
    said = words(found)
    match = re.search(attack.says, said)
    if attack.says == SAYS_NOTHING or match is None:
        return "nothing came of it"
    start, end = said.rfind("\n", 0, match.start()) + 1, said.find("\n", match.end())
    return said[start : end if end >= 0 else None][:200].replace("\n", " · ")


def record(path: Path, attacks: Iterable[Attack], course: Course, done: Done) -> None:
    """Writes what came of each attack as JSON, with the command, commit, hardware and versions that it comes from."""
    found, booked = verdicts(course), scores(course)
    rows: list[dict[str, Any]] = [
        {
            "name": attack.name,
            "family": attack.family,
            "tries": attack.tries,
            "earned": booked[attack.name],
            "deserves": attack.deserves,
            "status": found[attack.name].status,
            "answer": answer(attack, found[attack.name]),
            "seconds": found[attack.name].seconds,
        }
        for attack in attacks
    ]
    content = {
        **head("pytest tests/grader/quality/test_attacks.py"),
        "seconds": round(done.seconds, 1),
        "attacks": rows,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
