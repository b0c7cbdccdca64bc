"""The class that bench_grading.py grades: a course of nbgrader's own, whose notebooks train with an optimiser."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

BIN = Path(sys.executable).parent
IMPORTS = "import io\nimport matplotlib.pyplot as plt\nimport numpy as np\nimport pandas as pd\nimport torch"

# A task: (name, reference answer, test cell, points). Each notebook has a small one and one that trains.
STANDARDISE = (
    "standardise",
    "def standardise(x):\n    return (x - x.mean(0)) / x.std(0, unbiased=False)",
    "x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])\n"
    "assert torch.allclose(standardise(x), torch.tensor([[-1.0, -1.0], [1.0, 1.0]]))",
    2,
)
SOFTMAX = (
    "softmax",
    "def softmax(x):\n    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)",
    "assert np.allclose(softmax(np.array([0.0, 0.0])), 0.5)\n"
    "### BEGIN HIDDEN TESTS\nassert np.allclose(softmax(np.array([1e4, 1e4])), 0.5)\n### END HIDDEN TESTS",
    3,
)
MEANS = (
    "means",
    "def means(table):\n    return table.groupby('word')['score'].mean().to_dict()",
    "table = pd.DataFrame({'word': ['a', 'b', 'a'], 'score': [1.0, 2.0, 3.0]})\n"
    "found = means(table)\n(found.get('a') == 2.0) + (found.get('b') == 2.0)",
    2,
)
TRAIN = (
    "train",
    """def train(model, optimiser, loss_of, x, y, steps):
    losses = []
    for step in range(steps):
        rows = torch.arange(64 * step, 64 * (step + 1)) % len(x)
        loss = loss_of(model(x[rows]), y[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses""",
    "model, optimiser, loss_of, x, y = begin()\n"
    "losses = train(model, optimiser, loss_of, x, y, STEPS)\n"
    "assert len(losses) == STEPS and sum(losses[-5:]) < 0.9 * sum(losses[:5])",
    5,
)
REGRESSION = """def begin():
    torch.manual_seed(0)
    x = torch.randn(4096, 32)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    return model, torch.optim.Adam(model.parameters(), 0.01), torch.nn.functional.mse_loss, x, x[:, :1] * 3"""
CLASSES = """def begin():
    torch.manual_seed(0)
    x = torch.randn(4096, 32)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 3))
    optimiser = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    return model, optimiser, torch.nn.functional.cross_entropy, x, x[:, :3].argmax(1)"""
WORDS = """def begin():
    torch.manual_seed(0)
    x = torch.randint(0, 1000, (4096, 8))
    model = torch.nn.Sequential(torch.nn.EmbeddingBag(1000, 32), torch.nn.Linear(32, 2))
    optimiser = torch.optim.AdamW(model.parameters(), 0.03)
    return model, optimiser, torch.nn.functional.cross_entropy, x, ((x < 500).sum(1) > 4).long()"""
NOTEBOOKS = {"classes": (CLASSES, SOFTMAX), "regression": (REGRESSION, STANDARDISE), "words": (WORDS, MEANS)}
SHOWN = """print(pd.Series(losses).describe())
figure, ax = plt.subplots()
ax.semilogy(losses)
figure.savefig(io.BytesIO())
plt.close(figure)"""
WRONG = {
    "standardise": "def standardise(x):\n    return (x - x.mean(0)) / x.std(0)",
    "softmax": "def softmax(x):\n    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)",
    "means": "def means(table):\n    return {table['word'][0]: 2.0}",
}


def source(begin: str, small: tuple[str, str, str, int], steps: int) -> nbformat.NotebookNode:
    """nbgrader's source notebook: for each of two tasks a cell to write and a cell that tests it."""
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook: nbformat.NotebookNode = new_notebook(metadata={"kernelspec": spec})
    notebook.cells = [new_markdown_cell("# Small tasks with torch"), new_code_cell(IMPORTS)]
    notebook.cells.append(new_code_cell(f"STEPS = {steps}\n\n\n{begin}"))
    for name, answer, test, points in (small, TRAIN):
        rules: dict[str, Any] = {"schema_version": 3, "grade_id": name, "locked": False}
        written = {**rules, "grade": False, "solution": True}
        tested = {
            **rules,
            "grade": True,
            "solution": False,
            "grade_id": f"test_{name}",
            "locked": True,
            "points": points,
        }
        notebook.cells.append(
            new_code_cell(f"### BEGIN SOLUTION\n{answer}\n### END SOLUTION", metadata={"nbgrader": written})
        )
        notebook.cells.append(new_code_cell(test, metadata={"nbgrader": tested}))
    notebook.cells.append(new_code_cell(SHOWN))
    return notebook


def answers(number: int) -> dict[str, str]:
    """What a student writes otherwise: of four students two are right, one makes a mistake and one makes all of them."""
    if number % 4 == 2:
        name = list(WRONG)[number // 4 % len(WRONG)]
        return {name: WRONG[name]}
    return WRONG if number % 4 == 3 else {}


def make_course(root: Path, submissions: int, steps: int) -> None:
    """A course with one released assignment of three notebooks, handed in by that many students."""
    (root / "source" / "hw").mkdir(parents=True)
    (root / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'bench'\n")
    for name, (begin, small) in NOTEBOOKS.items():
        nbformat.write(source(begin, small, steps), root / "source" / "hw" / f"{name}.ipynb")
    timed(root, "nbgrader", "generate_assignment", "hw")
    right = {name: answer for name, answer, _, _ in (STANDARDISE, SOFTMAX, MEANS, TRAIN)}
    for number in range(submissions):
        folder = root / "submitted" / f"student{number:03d}" / "hw"
        folder.mkdir(parents=True)
        for name in NOTEBOOKS:
            notebook = nbformat.read(root / "release" / "hw" / f"{name}.ipynb", as_version=4)
            for cell in notebook.cells:
                written = cell.metadata.get("nbgrader", {}).get("grade_id")
                cell.source = (right | answers(number)).get(written, cell.source)
            nbformat.write(notebook, folder / f"{name}.ipynb")


def timed(root: Path, *words: str) -> float:
    """Seconds that the command took, from its start to its end. Raises RuntimeError with its words if it failed."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    started = time.monotonic()
    done = subprocess.run(
        [str(BIN / words[0]), *words[1:]], cwd=root, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    seconds = time.monotonic() - started
    if done.returncode:
        raise RuntimeError(f"{shlex.join(words)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return seconds
