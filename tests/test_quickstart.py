"""A course of nbgrader's own, graded as its instructor is used to and by the grader: the same scores, and a class that ends."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from plain_course import OURS, done, hand_in, scores

from grader.grading import verdict

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

SQUARES = """def squares(n):
    if n < 1:
        raise ValueError(f"n = {n} is below 1")
    return [i * i for i in range(1, n + 1)]"""
RIGHT = {"squares": SQUARES, "sum_of_squares": "def sum_of_squares(n):\n    return sum(squares(n))"}
PS1 = {
    "right": RIGHT,
    "partly": {**RIGHT, "squares": "def squares(n):\n    return [i * i for i in range(1, n + 1)]"},
    "wrong": {"squares": "def squares(n):\n    return n", "sum_of_squares": "def sum_of_squares(n):\n    return 385"},
    "untouched": {},
}

MEAN = "def mean(numbers):\n    return sum(numbers) / len(numbers)"
OWN = [  # (source, points of a test cell or None for the student's)
    (f"### BEGIN SOLUTION\n{MEAN}\n### END SOLUTION", None),
    ("assert mean([1, 3]) == 2\n# secret\nassert mean([1, 2]) == 1.5\n# no longer secret", 2),
    ("2 * (mean([1, 3]) == 2) + (mean([5]) == 5)", 4),
    ("import warnings\nwarnings.warn('this goes to stderr')\nassert mean([4]) == 4", 1),
]
SHELL = "\nshell = get_ipython()\n"
ATTACKS = {  # where the tests run in the notebook's process, each earns all
    "equals": "class Same:\n    __eq__ = lambda self, other: True\n    __add__ = __rmul__ = lambda self, other: 4\n"
    "def mean(numbers):\n    return Same()",
    "drops_asserts": f"{SHELL}shell.input_transformers_post.append(lambda lines: ['4' for line in lines])",
    "passes_asserts": "import ast\nclass Pass(ast.NodeTransformer):\n"
    f"    visit_Assert = lambda self, node: ast.Pass()\n{SHELL}shell.ast_transformers.append(Pass())",
    "swallows": f"{SHELL}shell.set_custom_exc((Exception,), lambda *args, **more: None)",
    "runs_nothing": f"{SHELL}old = shell.run_cell\n"
    "shell.run_cell = lambda code, *args, **more: old('4', *args, **more)\n"
    "async def run(code, *args, **more):\n    return old('4')\nshell.run_cell_async = run",
    "reads": "import gc\ndef found(backwards):\n    text = backwards[::-1]\n"
    "    strings = [x for x in gc.get_referents(*gc.get_objects()) if type(x) is str]\n"
    "    return sum(text in x and x is not text for x in strings)",
}
SEARCH = "print('hidden:', found('5.1 == )]2 ,1[(naem'), 'own:', found(')sdrawkcab(dnuof fed') > 0)"
HW = {
    "right": MEAN,
    "whole": "def mean(numbers):\n    return sum(numbers) // len(numbers)",  # wrong for the hidden test alone
    "three": "def mean(numbers):\n    return 5",
    "marks": f"{MEAN}\n# secret",
    **{name: f"def mean(numbers):\n    return None\n{code}" for name, code in ATTACKS.items()},
    "quits": "import os\ncalls = []\ndef mean(numbers):\n    calls.append(1)\n"
    "    return sum(numbers) / len(numbers) if len(calls) < 5 else os._exit(3)",  # in the last test cell
}


def double(notebook: NotebookNode) -> None:
    """The student has copied a test cell, metadata and all."""
    for place, cell in enumerate(notebook.cells):
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "correct_squares":
            notebook.cells.insert(place, cell)
            return


def search(notebook: NotebookNode) -> None:
    """The student looks for the hidden tests once all else has run."""
    notebook.cells.append(new_code_cell(SEARCH))


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`nbgrader quickstart`, its example released and handed in by four students; not graded."""
    folder = tmp_path_factory.mktemp("nbgrader")
    done(folder, "quickstart", "example")
    root = folder / "example"
    done(root, "generate_assignment", "ps1")
    for student, answers in PS1.items():
        hand_in(root, "ps1", student, answers)
    return root


@pytest.fixture(scope="module")
def plain(quickstart: Path) -> dict[str, dict[str, float | None]]:
    """What nbgrader alone makes of the class."""
    root = quickstart.with_name("plain")
    shutil.copytree(quickstart, root)
    done(root, "autograde", "ps1")
    return scores(root, "ps1")


@pytest.fixture(scope="module")
def ours(quickstart: Path) -> Path:
    """The same class graded by the grader, with two more students who hand in what nbgrader cannot read."""
    root = quickstart.with_name("ours")
    shutil.copytree(quickstart, root)
    with (root / "nbgrader_config.py").open("a") as file:
        file.write(OURS)
    hand_in(root, "ps1", "doubled", RIGHT, double)
    (hand_in(root, "ps1", "broken", RIGHT) / "problem1.ipynb").write_text("no notebook at all")
    done(root, "autograde", "ps1")
    return root


@pytest.fixture(scope="module")
def homework(ours: Path) -> Path:
    """An instructor's own assignment in the same course: hidden tests in marks of its own, partial credit, warnings; graded."""
    notebook = new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    for number, (source, points) in enumerate(OWN):
        rules = {
            "schema_version": 3,
            "grade_id": f"cell{number}",
            "grade": points is not None,
            "solution": points is None,
        }
        rules |= {"locked": points is not None} | ({"points": points} if points is not None else {})
        notebook.cells.append(new_code_cell(source, metadata={"nbgrader": rules}))
    with (ours / "nbgrader_config.py").open("a") as file:
        file.write("c.ClearHiddenTests.begin_test_delimeter = '# secret'\n")
        file.write("c.ClearHiddenTests.end_test_delimeter = '# no longer secret'\n")
    (ours / "source" / "hw").mkdir()
    nbformat.write(notebook, ours / "source" / "hw" / "mean.ipynb")
    done(ours, "generate_assignment", "hw")
    for student, answer in HW.items():
        hand_in(ours, "hw", student, {"cell0": answer}, search if student == "reads" else lambda notebook: None)
    done(ours, "autograde", "hw")
    return ours


@pytest.mark.parametrize("student", PS1)
def test_every_cell_scores_as_with_nbgrader_alone(
    student: str, plain: dict[str, dict[str, float | None]], ours: Path
) -> None:
    assert scores(ours, "ps1")[student] == plain[student]


def test_the_command_rehearses_each_notebook_once_and_grades_as_nbgrader_does(
    quickstart: Path, plain: dict[str, dict[str, float | None]]
) -> None:
    root = quickstart.with_name("commanded")
    shutil.copytree(quickstart, root)
    with (root / "nbgrader_config.py").open("a") as file:
        file.write(OURS)
    command = [str(Path(sys.executable).with_name("grader")), "autograde", "ps1"]
    first, again = (
        subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout for _ in range(2)
    )
    assert scores(root, "ps1") == plain
    for name in ("problem1", "problem2"):
        assert first.count(f"ps1/{name}: ") == again.count(f"ps1/{name}: ") == 1
        kept = root / "build" / "outside" / "ps1" / f"{name}.json"
        assert kept.stat().st_mtime <= (root / "verdicts" / "right" / "ps1" / f"{name}.json").stat().st_mtime
    assert "8 graded now, 0 unchanged" in first
    assert "0 graded now, 8 unchanged" in again


def test_the_class_is_told_apart(plain: dict[str, dict[str, float | None]]) -> None:
    totals = {student: sum(score or 0 for score in cells.values()) for student, cells in plain.items()}
    assert totals == {"right": 3, "partly": 2, "wrong": 0, "untouched": 0}


def test_a_copied_test_cell_counts_once(ours: Path) -> None:
    found = scores(ours, "ps1")
    assert found["doubled"] == found["right"]


def test_a_file_that_is_no_notebook_earns_nothing_and_is_answered_in_words(ours: Path) -> None:
    assert not any(scores(ours, "ps1")["broken"].values())
    answer = verdict.load(ours / "verdicts" / "broken" / "ps1" / "problem1.json")
    assert answer is not None
    assert "not a notebook" in answer.reason
    assert answer.reason in (ours / "autograded" / "broken" / "ps1" / "problem1.ipynb").read_text(encoding="utf-8")


def test_submissions_ran_in_the_sandbox(ours: Path) -> None:
    answer = verdict.load(ours / "verdicts" / "right" / "ps1" / "problem1.json")
    assert answer is not None
    assert answer.sandbox == "bubblewrap (etude-warm)"


@pytest.mark.parametrize(
    ("student", "expected"),
    [
        ("right", [2, 3, 1]),
        ("whole", [0, 3, 1]),  # the hidden test is run
        ("three", [0, 1, 0]),
        ("quits", [2, 3, 0]),  # what ran before the process ended counts, what did not run earns nothing
    ],
)
def test_numbers_are_partial_credit_and_warnings_cost_nothing(
    student: str, expected: list[int], homework: Path
) -> None:
    assert list(scores(homework, "hw")[student].values()) == expected


@pytest.mark.parametrize("student", ATTACKS)
def test_who_attacks_the_tests_earns_nothing(student: str, homework: Path) -> None:
    assert list(scores(homework, "hw")[student].values()) == [0, 0, 0]


def test_a_hidden_test_is_never_in_the_notebooks_process(homework: Path) -> None:
    ran = nbformat.read(homework / "verdicts" / "reads" / "hw" / "mean.ipynb", as_version=4)
    assert ran.cells[-1].outputs[0].text == "hidden: 0 own: True\n"


def test_what_ran_within_the_notebooks_reach_is_said(ours: Path, homework: Path) -> None:
    for assignment, name, note in (
        ("ps1", "problem1", ["ran in the notebook's own process, within its reach: sum_of_squares_uses_squares"]),
        ("hw", "mean", []),
    ):
        answer = verdict.load(ours / "verdicts" / "right" / assignment / f"{name}.json")
        assert answer is not None
        assert answer.notes == note


def test_feedback_is_made_by_nbgrader_as_ever(homework: Path) -> None:
    done(homework, "generate_feedback", "hw")
    assert "AssertionError" in (homework / "feedback" / "three" / "hw" / "mean.html").read_text(encoding="utf-8")


def test_feedback_shows_no_hidden_test(homework: Path) -> None:
    done(homework, "generate_feedback", "hw", "--force")
    for student in ("right", "marks", "whole"):
        page = read(homework / "feedback" / student / "hw" / "mean.html")
        assert "assert mean([1, 3]) == 2" in page, "control: the student has seen this test"
        assert "mean([1, 2])" not in page
        assert ("A hidden test of this cell failed." in page) == (student == "whole")
    assert "mean([1, 2])" in read(homework / "autograded" / "whole" / "hw" / "mean.ipynb"), "control: the instructor's"


def read(page: Path) -> str:
    """Reads a page without its tags."""
    return html.unescape(re.sub("<[^>]*>", "", page.read_text(encoding="utf-8")))


def test_a_cell_whose_hidden_tests_the_student_never_had_is_no_change(homework: Path) -> None:
    answer = verdict.load(homework / "verdicts" / "right" / "hw" / "mean.json")
    assert answer is not None
    assert not [note for note in answer.notes if "had been changed" in note]
