"""Test cells outside the notebook: what they take from the instructor's cells, what from the student, and how they end."""

from __future__ import annotations

import ast
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from grader.grading import outside
from grader.grading.outside import bound, free, program


def notebook(*cells: tuple[str, str]) -> NotebookNode:
    """Cells as (who writes them, source); the last is the test cell t."""
    made: NotebookNode = new_notebook()
    for number, (who, source) in enumerate(cells):
        rules = {"grade_id": f"c{number}", "solution": who == "student", "grade": who == "test"}
        made.cells.append(new_code_cell(source, metadata={"nbgrader": rules} if who != "plain" else {}))
    made.cells[-1].metadata.nbgrader["grade_id"] = "t"
    return made


def taken(*cells: tuple[str, str]) -> tuple[tuple[str, ...], list[str], bool]:
    """The student's names, the instructor's statements above, and whether the cell ends with a value."""
    found = program(notebook(*cells), "t")
    assert found is not None
    return found.names, [ast.unparse(statement) for statement in found.before.body], found.last is not None


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("assert f(x) == 1", {"f", "x"}),
        ("y = [g(i) for i in range(3)]", {"g", "range"}),
        ("def h(a):\n    b = 1\n    return a + b + c", {"c"}),
        ("del f", set()),
        ("x = x + 1", {"x"}),
    ],
)
def test_free_names_are_those_that_the_notebook_has_to_give(source: str, names: set[str]) -> None:
    assert free(ast.parse(source)) == names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import numpy.linalg as la", {"la"}),
        ("from a import b, c as d", {"b", "d"}),
        ("a, (b, *c) = 1, (2, 3)", {"a", "b", "c"}),
        ("for i in range(3):\n    total = i", {"i", "total"}),
        ("class A:\n    inner = 1", {"A"}),
        ("print(x)", set()),
    ],
)
def test_bound_names_are_those_that_a_statement_gives(source: str, names: set[str]) -> None:
    assert bound(ast.parse(source).body[0]) == names


def test_imports_and_helpers_are_the_instructors_and_the_rest_is_the_students() -> None:
    assert taken(
        ("plain", "import numpy as np\nimport os"),
        ("student", "def f(x):\n    return x\nanswer = 3"),
        ("plain", "def near(a, b):\n    return np.allclose(a, b)\nunused = 1"),
        ("test", "assert near(f(2), answer)\nf(2)"),
    ) == (("answer", "f"), ["import numpy as np", "def near(a, b):\n    return np.allclose(a, b)"], True)


def test_the_last_who_gives_a_name_counts() -> None:
    assert taken(("plain", "x = 1"), ("student", "x = 2"), ("test", "assert x == 2")) == (("x",), [], False)
    assert taken(("student", "x = 1"), ("plain", "x = 2"), ("test", "assert x == 2")) == ((), ["x = 2"], False)
    assert taken(("plain", "x = 1\nx += 1"), ("test", "assert x == 2")) == ((), ["x = 1", "x += 1"], False)


def test_a_builtin_is_the_students_only_if_the_student_defines_it() -> None:
    assert taken(("test", "assert sum([1]) == 1"))[0] == ()
    assert taken(("student", "def sum(x): ..."), ("test", "assert sum([1]) == 1"))[0] == ("sum",)


@pytest.mark.parametrize("source", ["%timeit f()", "!ls", "", "# nothing but words"])
def test_what_is_not_plain_python_stays_in_the_notebook(source: str) -> None:
    assert program(notebook(("test", source)), "t") is None


class Afar:
    """A student's side in this process."""

    def __init__(self, **names: Any) -> None:
        self.names = names

    def begin(self, budget: object) -> None: ...

    def limit(self, seconds: float) -> Afar:
        return self

    def in_place(self) -> Afar:
        return self

    def whole(self) -> Afar:
        return self

    def has(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Any:
        return self.names[name]

    def explain(self, error: BaseException) -> tuple[str, str, str]:
        return type(error).__name__, str(error), ""


@pytest.mark.parametrize(
    ("source", "ename", "line", "shown"),
    [
        ("assert f(1) == 2", "", 0, None),
        ("x = 1\nassert f(1) == 3, 'three'", "AssertionError", 2, None),
        ("2 * (f(1) == 2) + (f(2) == 2)", "", 0, "2"),
        ("f(1)\nprint('said')", "", 0, None),
        ("missing(1)", "NameError", 1, None),
        ("while True:\n    pass", "TimeoutError", 0, None),
        ("raise SystemExit", "SystemExit", 1, None),
        ("import pytest\nwith pytest.raises(ValueError):\n    f(1)", "Failed", 2, None),
        ("import pytest\npytest.skip()", "Skipped", 2, None),
    ],
)
def test_a_cell_ends_as_in_a_notebook(source: str, ename: str, line: int, shown: str | None) -> None:
    test = program(notebook(("test", source)), "t")
    assert test is not None
    ran = outside.run(test, Afar(f=lambda x: x + 1), 0.2)  # type: ignore[arg-type]
    assert (ran.ename, ran.line, ran.shown) == (ename, line, shown)


def test_what_a_cell_writes_and_sets_is_gone_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    filters = list(warnings.filters)
    test = program(
        notebook(
            (
                "test",
                "import warnings\nwarnings.simplefilter('error')\nwith open('here.txt', 'w') as file:\n    file.write('x')",
            )
        ),
        "t",
    )
    assert test is not None
    assert outside.run(test, Afar(), 5).ename == ""  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
    assert list(warnings.filters) == filters


def test_a_call_that_nothing_interrupts_ends_the_process_and_not_the_machines_time() -> None:
    code = """
from grader.grading import own_time
own_time.GRACE = 1
with own_time.at_most(0.1):
    sum(range(10**13))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGXCPU
