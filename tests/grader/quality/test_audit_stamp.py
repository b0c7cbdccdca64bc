"""The stamp of an audit: it holds as long as nothing has changed that decides how the audit ends, and no longer."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from modulefinder import ModuleFinder
from pathlib import Path

import pytest
import relu

from grader import provenance
from grader.course import Course, CourseError, Lesson
from grader.lessons.known_mistakes import PRIVATE
from grader.provenance import ROOT, libraries, modules
from grader.quality import audit_stamp
from grader.quality.audit import DECISIVE, Audit, inputs

IMPORTS = "import math\nfrom etude.embeddings.evaluate import similarity\n"
# What an audit imports and what decides nothing of its end: where files lie, how they are written and hashed, and the
# sandbox's names of limits; the line of a stub, which any skeleton shows to end in NotImplementedError.
NAMES_ONLY = {"grader.course", "grader.provenance", "etude.files", "etude.handing_in"}


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lesson:
    """The small lesson, which imports a module of the library, beside copies of both packages that a test may change."""
    for package in ("etude", "grader"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    made = relu.write(tmp_path, notebook=relu.NOTEBOOK.replace("import math\n", IMPORTS))
    for path in (made.source / PRIVATE, made.released.with_suffix("") / "mistakes.json"):
        path.write_text("{}\n", encoding="utf-8")
    return made


@pytest.fixture
def audited(lesson: Lesson) -> Lesson:
    """The small lesson with a stamp of what it is now."""
    audit_stamp.write(lesson, Audit(lesson.id, inputs(lesson), exercises=1), "grader audit relu", "abc1234")
    assert audit_stamp.holds(lesson)
    return lesson


SOURCE, RELEASED = "solutions/week1_small/relu", "weeks/week1_small/relu"


def replaced(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


@pytest.mark.parametrize(
    ("file", "change"),
    [
        (f"{SOURCE}/bank.py", replaced("abs(x)", "-x")),
        (f"{SOURCE}/bank.py", replaced("the absolute value", "the value without its sign")),
        (f"{SOURCE}/checks.py", replaced("[2, 1]), [2, 1]", "[2, 3]), [2, 3]")),
        (f"{SOURCE}/hidden.py", replaced("0.5", "0.25")),
        (f"{SOURCE}/notebook.py", replaced("x > 0", "x >= 0")),
        (f"{SOURCE}/{PRIVATE}", replaced("{}", '{"answers": []}')),
        (f"{RELEASED}/mistakes.json", replaced("{}", '{"relu": []}')),
        ("course.toml", replaced("cell_seconds = 10", "cell_seconds = 20")),
        ("etude/embeddings/evaluate.py", lambda text: f"{text}\nMORE = 1\n"),
        ("etude/lesson/values.py", lambda text: f"{text}\nMORE = 1\n"),
        ("grader/lessons/source.py", lambda text: f"{text}\nMORE = 1\n"),
        ("grader/quality/mutants.py", lambda text: f"{text}\nMORE = 1\n"),
    ],
)
def test_a_change_of_what_decides_an_audit_makes_its_stamp_old(
    audited: Lesson, file: str, change: Callable[[str], str]
) -> None:
    root = audited.course.root
    (root / file).write_text(change((root / file).read_text(encoding="utf-8")), encoding="utf-8")
    lesson = Course(root).lesson("relu")
    assert audit_stamp.is_old(lesson, audit_stamp.read(lesson))
    assert not audit_stamp.holds(lesson)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (f"{SOURCE}/bank.py", "\n# another word\n"),
        (f"{SOURCE}/checks.py", "\n# another word\n"),
        (f"{SOURCE}/notebook.py", "\n# %% [markdown]\n# another word\n"),
        ("etude/embeddings/evaluate.py", "\n# another word\n"),
        ("etude/papers/tables.py", "\nMORE = 1\n"),  # the lesson does not import it
        ("grader/grading/metrics.py", "\nMORE = 1\n"),  # no audit grades
    ],
)
def test_comments_and_what_the_lesson_does_not_use_leave_the_stamp_as_it_is(
    audited: Lesson, file: str, text: str
) -> None:
    with (audited.course.root / file).open("a", encoding="utf-8") as out:
        out.write(text)
    assert audit_stamp.holds(audited)


def test_tests_that_take_long_run_a_lesson_once_it_has_changed(
    audited: Lesson, changed: Callable[[Lesson], bool], pytestconfig: pytest.Config
) -> None:
    assert changed(audited) == pytestconfig.getoption("every_lesson")
    with (audited.source / "checks.py").open("a", encoding="utf-8") as out:
        out.write("\nmore = 3\n")
    assert changed(audited)


def test_what_an_audit_imports_is_in_its_hash() -> None:
    finder = ModuleFinder(path=[str(ROOT)])
    finder.run_script(str(ROOT / "grader" / "quality" / "audit.py"))
    decisive = {str(path) for path in modules(*DECISIVE)}
    others = {
        name
        for name, module in finder.modules.items()
        if (file := getattr(module, "__file__", None)) and file not in decisive and Path(file).name != "__init__.py"
        if name.split(".")[0] in ("etude", "grader")
    }
    assert {name for name in others if not name.startswith("grader.sandbox.")} == NAMES_ONLY


def test_with_other_libraries_a_stamp_is_not_old_but_does_not_hold(
    audited: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_stamp, "libraries", lambda: "Python 4.0, torch 9.9.9, numpy 9.9.9")
    assert not audit_stamp.is_old(audited, audit_stamp.read(audited))
    assert not audit_stamp.holds(audited)


def test_the_stamp_holds_the_counts_and_where_they_come_from(lesson: Lesson) -> None:
    why = {"exercise": "relu", "label": "1: a → b", "why": "„gleich“"}
    found = Audit(lesson.id, inputs(lesson), wrong=4, wrong_caught=4, equivalent_mutants=[why, why])
    audit_stamp.write(lesson, found, "grader audit relu", "abc1234")
    stamp = audit_stamp.read(lesson)
    assert stamp is not None
    assert stamp.audit == found
    assert stamp.command == "grader audit relu"
    assert stamp.libraries == libraries()
    assert stamp.commit == "abc1234"
    assert stamp.date


def test_an_audit_with_a_fault_leaves_no_stamp(audited: Lesson) -> None:
    audit_stamp.write(
        audited, Audit(audited.id, inputs(audited), faults=["the reference fails"]), "grader audit relu", "abc1234"
    )
    assert audit_stamp.read(audited) is None
    assert not audit_stamp.holds(audited)


def test_a_lesson_that_changes_while_it_is_audited_is_not_stamped(lesson: Lesson) -> None:
    found = Audit(lesson.id, inputs(lesson))
    with (lesson.source / "checks.py").open("a", encoding="utf-8") as out:
        out.write("\nmore = 3\n")
    with pytest.raises(CourseError, match="changed while it was audited"):
        audit_stamp.write(lesson, found, "grader audit relu", "abc1234")
    assert audit_stamp.read(lesson) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"audit": {}}', "<<<<<<< HEAD\n{}"])
def test_a_stamp_that_cannot_be_read_is_none(audited: Lesson, text: str) -> None:
    audit_stamp.path(audited).write_text(text, encoding="utf-8")
    assert audit_stamp.read(audited) is None
    assert audit_stamp.is_old(audited, None)
