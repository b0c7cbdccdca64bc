"""A failure that follows from another exercise's failure says so, and nothing of a student's breaks the search for it."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from etude.lesson import mistakes
from etude.lesson.callees import callees
from etude.lesson.check import Result, check_namespace

CHECKS = """
from etude.lesson.checks import equal, exercise

@exercise("forward")
def test_a_text_of_one(student):
    equal(student.forward("a"), 1)

@exercise("forward")
def test_a_text_of_two(student):
    equal(student.forward("ab"), 2)

@exercise("best")
def test_the_best(student):
    equal(student.best("ab"), "b")

@exercise("sample")
def test_a_draw(student):
    equal(student.sample("ab"), [2, "b"])
"""
RIGHT = {
    "forward": "def forward(text): return len(text)",
    "best": "def best(text): return max(text)",
    "sample": "def sample(text): return [forward(text), best(text)]",
}
WRONG_FORWARD = "def forward(text): return 1"
UNWRITTEN = "def forward(text): raise NotImplementedError"
SAID = "Your `sample` calls `forward`, of which 1 of 2 checks fail: mend that first."


def notebook(**answers: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    for source in (RIGHT | answers).values():
        exec(source, names)
    return names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "checks.py").write_text(CHECKS)
    return tmp_path


def result(folder: Path, exercise: str = "sample", **answers: str) -> Result:
    return check_namespace(folder, exercise, notebook(**answers))


def test_a_failure_that_follows_from_another_says_so_at_the_top(folder: Path) -> None:
    found = result(folder, forward=WRONG_FORWARD)
    assert repr(found).splitlines()[1].strip() == SAID
    assert f"<div>{SAID}</div>" in found._repr_html_()


def test_what_is_not_written_yet_and_several_callees_are_named(folder: Path) -> None:
    unwritten = result(folder, forward=UNWRITTEN)
    both = result(folder, forward=WRONG_FORWARD, best="def best(text): return 0")
    assert unwritten.cause == "Your `sample` calls `forward`, which is not written yet: write that first."
    assert both.cause == (
        "Your `sample` calls `forward`, of which 1 of 2 checks fail, and `best`, of which 1 of 1 checks fail: mend these first."
    )


def test_nothing_is_said_where_nothing_fails_or_all_that_is_called_is_right(folder: Path) -> None:
    wrong = "def sample(text): return [forward(text), best(text), 0]"
    itself = "def forward(text): return forward(text[1:]) + 1 if text else 1"
    assert result(folder).cause == ""
    assert result(folder, sample=wrong).cause == ""
    assert result(folder, forward=WRONG_FORWARD, sample="def sample(text): return 0").cause == ""
    assert result(folder, "forward", forward=itself).cause == ""


def test_of_two_that_call_each_other_neither_is_to_be_mended_first(folder: Path) -> None:
    answers = {
        "forward": "def forward(text): return best(text) if text else 1",
        "best": "def best(text): return forward(text[1:])",
    }
    assert [result(folder, name, **answers).cause for name in ("forward", "best")] == ["", ""]


def test_where_a_callee_fails_no_mistake_is_named(folder: Path) -> None:
    wrong = {"sample": "def sample(text): return [1, best(text)]"}
    seen = [mistakes.fingerprint(one) for one in result(folder, **wrong).outcomes]
    known = {"sample": [{"sentence": "one is drawn", "outcomes": {"test_a_draw": seen[0]}}]}
    (folder / "mistakes.json").write_text(json.dumps(known))
    mistakes.load.cache_clear()
    assert result(folder, **wrong).diagnosis == "one is drawn"
    assert result(folder, forward=WRONG_FORWARD).diagnosis is None


def test_a_placeholder_is_called_by_nobody(folder: Path) -> None:
    sample = "class sample:\n def __init__(self, text): pass"  # its docstring is None, too
    assert result(folder, forward="forward = None", sample=sample).cause == ""


def test_a_caller_that_passes_is_not_asked_about(folder: Path) -> None:
    found = result(folder, forward=WRONG_FORWARD, sample="def sample(text): forward(text); return [2, best(text)]")
    assert (found.passed, found.cause) == (1, "")


@pytest.mark.parametrize(
    "sample",
    [
        "def sample(text): return [forward(part) for part in text]",
        "def sample(text):\n def inner(): return (lambda: forward(text))()\n return inner()",
        "def helper(text): return forward(text)\ndef sample(text): return helper(text)",
        "class sample:\n def __init__(self, text): self.sums = forward(text)",
        "class sample:\n @property\n def sums(self): return forward(self.text)",
        "class sample:\n @staticmethod\n def sums(text): return forward(text)",
        "class Sampler:\n def __call__(self, text): return forward(text)\nsample = Sampler()",
        "import functools\n@functools.cache\ndef sample(text): return forward(text)",
        "import functools\nsample = functools.partial(forward)",
        "import torch\n@torch.no_grad()\ndef sample(text): return forward(text)",
        "class sample(type('Base', (), {'__init__': lambda self, text: forward(text)})): pass",
    ],
)
def test_a_call_is_found_wherever_it_stands(folder: Path, sample: str) -> None:
    assert result(folder, forward=WRONG_FORWARD, sample=sample).cause.startswith("Your `sample` calls `forward`")


@pytest.mark.parametrize(
    "sample",
    [
        "def sample(text): return text.forward()",
        "def sample(text, forward=len): return forward(text)",
        "def sample(text):\n forward = len\n return forward(text)",
        "from fnmatch import fnmatch as sample",
    ],
)
def test_another_thing_of_that_name_is_no_call(folder: Path, sample: str) -> None:
    assert result(folder, forward=WRONG_FORWARD, sample=sample).cause == ""


def refuse(*_: object) -> NoReturn:
    raise ValueError("no")


def leave(*_: object) -> NoReturn:
    raise SystemExit


class LeavingMeta(type):
    __dict__ = property(leave)  # type: ignore[misc]


class Leaving(metaclass=LeavingMeta):
    pass


class Meta(type):
    __dict__ = property(refuse)  # type: ignore[misc]
    __hash__ = refuse


class Refusing(metaclass=Meta):
    __getattribute__ = refuse
    __class__ = property(refuse)
    __eq__ = refuse


ODD: dict[str, Any] = {
    "none": None, "number": 3, "builtin": len, "class": int, "refusing class": Refusing, "refusing": Refusing(),
    "leaving class": Leaving,
    "list": [], "partial": functools.partial(len), "empty property": property(), "text": "sample",
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD)
def test_odd_objects_call_nothing(folder: Path, kind: str) -> None:
    names = notebook() | {"sample": ODD[kind]}
    assert callees("sample", list(RIGHT), names) == []
    assert check_namespace(folder, "sample", names).cause == ""
    assert callees("forward", list(RIGHT), names) == []


def test_a_name_that_is_not_defined_calls_nothing(folder: Path) -> None:
    assert callees("sample", list(RIGHT), {}) == []
    assert check_namespace(folder, "sample", {}).cause == ""
