"""A plain nbgrader course of numpy, pandas and torch: the points of nbgrader for honest work, none for those who attack its tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from plain_course import OURS, done, hand_in, scores

from grader.grading import verdict

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

SETUP = """import numpy as np
import pandas as pd
import torch

towns = pd.DataFrame({"town": ["서울", "부산", "Paris", "Lyon"], "country": ["KR", "KR", "FR", "FR"], "people": [9.4, 3.3, 2.1, 0.5]})
x = torch.linspace(-1, 1, 32).unsqueeze(1)"""
STANDARDISE = "def standardise(a):\n    return (a - a.mean(axis=0)) / a.std(axis=0)"
LARGEST = """def largest(frame):
    rows = frame.groupby("country")["people"].idxmax()
    return frame.loc[rows].sort_values("town").reset_index(drop=True)"""
SOFTMAX = "def softmax(z):\n    e = torch.exp(z - z.max(dim=-1, keepdim=True).values)\n    return e / e.sum(dim=-1, keepdim=True)"
FIT = """torch.manual_seed(0)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(100):
    loss = ((model(x) - 3 * x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()"""
CELLS = [  # (name, source, points of a test cell, None for what the student writes, "" for the instructor's)
    ("setup", SETUP, ""),
    ("standardise", STANDARDISE, None),
    (
        "test_standardise",
        "a = np.array([[1.0, 10.0], [3.0, 30.0]])\n"
        "np.testing.assert_allclose(standardise(a), [[-1, -1], [1, 1]])\n"
        "### BEGIN HIDDEN TESTS\n"
        "generator = np.random.default_rng(4711)\n"
        "b = generator.normal(5, 2, size=(50, 3))\n"
        "np.testing.assert_allclose(standardise(b).std(axis=0), np.ones(3))\n"
        "### END HIDDEN TESTS",
        2,
    ),
    ("largest", LARGEST, None),
    (
        "test_largest",
        "expected = pd.DataFrame({'town': ['Paris', '서울'], 'country': ['FR', 'KR'], 'people': [2.1, 9.4]})\n"
        "pd.testing.assert_frame_equal(largest(towns), expected)",
        2,
    ),
    ("softmax", SOFTMAX, None),
    (
        "test_softmax",
        "z = torch.tensor([[0.0, 1.0], [1000.0, 1001.0]])\n"
        "torch.testing.assert_close(softmax(z), torch.softmax(z, dim=-1))\n"
        "2 * (softmax(z).shape == z.shape)",
        2,
    ),
    ("fit", FIT, None),
    ("test_fit", "assert ((model(x) - 3 * x) ** 2).mean().item() < 1e-3", 1),
]
RIGHT = {"standardise": STANDARDISE, "largest": LARGEST, "softmax": SOFTMAX, "fit": FIT}
HONEST = {
    "right": RIGHT,
    "other": {  # other right ways
        **RIGHT,
        "standardise": "def standardise(a):\n    return np.apply_along_axis(lambda c: (c - c.mean()) / c.std(), 0, a)",
        "largest": "def largest(frame):\n    rows = sorted(frame.itertuples(index=False), key=lambda r: -r.people)\n"
        "    best = {}\n    for row in rows:\n        best.setdefault(row.country, row)\n"
        "    return pd.DataFrame(best.values()).sort_values('town', ignore_index=True)",
        "softmax": "def softmax(z):\n    return torch.nn.functional.log_softmax(z, -1).exp()",
    },
    "partly": {  # the axis is wrong, an index is left, exp overflows
        **RIGHT,
        "standardise": "def standardise(a):\n    return (a - a.mean()) / a.std()",
        "largest": LARGEST.replace(".reset_index(drop=True)", ""),
        "softmax": "def softmax(z):\n    return torch.exp(z) / torch.exp(z).sum(-1, keepdim=True)",
    },
    "untouched": {},
}
NOTHING = "def standardise(a): return a\ndef largest(frame): return frame\ndef softmax(z): return z\n"
ATTACKS = {
    "patches": f"{NOTHING}np.testing.assert_allclose = pd.testing.assert_frame_equal = torch.testing.assert_close = print",
    "equals": f"{NOTHING}class Same(np.ndarray):\n    __eq__ = lambda self, other: True\n"
    "def standardise(a): return a.view(Same)\nnp.ndarray.__array_function__ = lambda *args: True\n",
    "expects": f"{NOTHING}def softmax(z):\n    import inspect\n"
    "    return inspect.currentframe().f_back.f_locals.get('expected', z)\nlargest = standardise = softmax",
}


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course, its assignment released and handed in by honest students; not graded."""
    root = tmp_path_factory.mktemp("plain") / "course"
    notebook = new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}}
    )
    for name, source, points in CELLS:
        rules = {"schema_version": 3, "grade_id": name, "grade": bool(points), "solution": points is None}
        rules |= {"locked": points is not None} | ({"points": points} if points else {})
        if points is None:
            source = f"### BEGIN SOLUTION\n{source}\n### END SOLUTION"
        notebook.cells.append(new_code_cell(source, metadata={"nbgrader": rules}))
    (root / "source" / "arrays").mkdir(parents=True)
    nbformat.write(notebook, root / "source" / "arrays" / "arrays.ipynb")
    (root / "nbgrader_config.py").write_text("c = get_config()\n", encoding="utf-8")
    done(root, "generate_assignment", "arrays")
    for student, answers in HONEST.items():
        hand_in(root, "arrays", student, answers)
    return root


@pytest.fixture(scope="module")
def plain(handed_in: Path) -> dict[str, dict[str, float | None]]:
    """What nbgrader alone makes of the honest students."""
    root = handed_in.with_name("alone")
    shutil.copytree(handed_in, root)
    done(root, "autograde", "arrays")
    return scores(root, "arrays")


@pytest.fixture(scope="module")
def ours(handed_in: Path) -> Path:
    """The same class and those who attack its tests, graded by the grader."""
    root = handed_in.with_name("ours")
    shutil.copytree(handed_in, root)
    with (root / "nbgrader_config.py").open("a") as file:
        file.write(OURS)
    for student, attack in ATTACKS.items():
        hand_in(root, "arrays", student, {"standardise": attack, "largest": "", "softmax": "", "fit": ""})
    done(root, "autograde", "arrays")
    return root


@pytest.mark.parametrize("student", HONEST)
def test_honest_work_has_the_points_of_nbgrader(
    student: str, plain: dict[str, dict[str, float | None]], ours: Path
) -> None:
    assert scores(ours, "arrays")[student] == plain[student]


def test_honest_students_are_told_apart(plain: dict[str, dict[str, float | None]]) -> None:
    totals = {student: sum(score or 0 for score in cells.values()) for student, cells in plain.items()}
    assert totals == {"right": 7, "other": 7, "partly": 1, "untouched": 0}


@pytest.mark.parametrize("student", ATTACKS)
def test_who_attacks_the_tests_earns_nothing(student: str, ours: Path) -> None:
    assert not any(scores(ours, "arrays")[student].values())


def test_arrays_tables_and_tensors_are_tested_out_of_the_notebooks_reach(ours: Path) -> None:
    answer = verdict.load(ours / "verdicts" / "right" / "arrays" / "arrays.json")
    assert answer is not None
    assert answer.notes == []  # it would name the test cells that ran within reach
