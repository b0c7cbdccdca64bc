"""The grader graded: what an audit counts, and that it finds what is wrong with a lesson."""

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
import relu
from relu import BANK, CHECKS, NOTEBOOK

from etude.lesson.check import check_namespace
from etude.lesson.mistakes import fingerprint
from grader.course import CourseError, Lesson
from grader.lessons import bank, source
from grader.lessons import known_mistakes as kept_mistakes
from grader.lessons.bank import Answer
from grader.quality.audit import audit
from grader.release import known_mistakes
from grader.release.isolated_run import IsolatedRuns, Task

pytestmark = [pytest.mark.grading_path, pytest.mark.slow]

ROUNDED = '@mistake("relu", "rounded", "numbers are rounded", "test_small_numbers_count_too")'
WRONG = ["relu/absolute", "relu/turned-round", "relu/left-out", "relu/rounded"]


@pytest.fixture(scope="module")
def runs() -> Iterator[IsolatedRuns]:
    with IsolatedRuns() as running:
        yield running


@pytest.fixture
def small(tmp_path: Path, runs: IsolatedRuns, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Lesson]:
    """A course of one lesson with one exercise; `small(BANK...)` writes it and gives the lesson."""
    monkeypatch.setattr(known_mistakes, "IsolatedRuns", lambda: nullcontext(runs))  # started once for all tests

    def make(bank_text: str = BANK, checks: str = CHECKS, notebook: str = NOTEBOOK) -> Lesson:
        lesson = relu.write(tmp_path, bank_text, checks, notebook)
        known_mistakes.write(lesson, lesson.released.with_suffix("") / "mistakes.json")
        return lesson

    return make


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The labels of the wrong answers that have been run, a list for each run: one here, one on the other processor."""
    found: list[list[str]] = []
    run = known_mistakes._run

    def listed(lesson: Lesson, answers: list[Answer]) -> object:
        found.append([one.label for one in answers])
        return run(lesson, answers)

    monkeypatch.setattr(known_mistakes, "_run", listed)
    return found


@pytest.mark.parametrize(
    ("name", "code"),
    [("notebook.py", "\n# %%\nmore = 3\n"), ("checks.py", "\nmore = 3\n"), ("hidden.py", "\nmore = 3\n")],
)
def test_all_wrong_answers_are_run_again_only_if_code_that_decides_all_outcomes_changed(
    small: Callable[..., Lesson], ran: list[list[str]], name: str, code: str
) -> None:
    lesson = small()
    table, kept = lesson.released.with_suffix("") / "mistakes.json", lesson.source / kept_mistakes.PRIVATE
    first = table.read_bytes(), kept.read_bytes()
    ran.clear()
    with (lesson.source / name).open("a", encoding="utf-8") as file:
        file.write("\n# another word\n")
    known_mistakes.write(lesson, table)
    assert ran == []
    assert (table.read_bytes(), kept.read_bytes()) == first
    with (lesson.source / name).open("a", encoding="utf-8") as file:
        file.write(code)
    known_mistakes.write(lesson, table)
    assert ran == [WRONG, WRONG]
    assert table.read_bytes() == first[0]
    assert kept.read_bytes().splitlines()[1:] == first[1].splitlines()[1:]


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        ('"abs(x)"', '"abs(x) + 1"', "relu/absolute"),
        ("[max(0, int(x)) for", "[max(0, int(x) + 1) for", "relu/rounded"),
        (
            '@mistake("relu", "left-out"',
            'edit("relu", "new", {"x > 0": "x > 1"}, "1")\n@mistake("relu", "left-out"',
            "relu/new",
        ),
    ],
)
def test_a_change_of_one_answer_costs_one_run_for_each_processor(
    small: Callable[..., Lesson], ran: list[list[str]], old: str, new: str, label: str
) -> None:
    lesson = small()
    kept = lesson.source / kept_mistakes.PRIVATE
    lines = kept.read_text(encoding="utf-8").splitlines()
    ran.clear()
    (lesson.source / "bank.py").write_text(BANK.replace(old, new), encoding="utf-8")
    for _ in range(2):
        known_mistakes.write(lesson, lesson.released.with_suffix("") / "mistakes.json")
    assert ran == [[label], [label]]
    slug = label.split("/")[1]
    others = [line.rstrip(",") for line in kept.read_text(encoding="utf-8").splitlines() if f'"{slug}"' not in line]
    assert others == [line.rstrip(",") for line in lines if f'"{slug}"' not in line]


def test_another_name_sentence_or_comment_of_an_answer_costs_no_run(
    small: Callable[..., Lesson], ran: list[list[str]]
) -> None:
    lesson = small()
    ran.clear()
    changed = BANK.replace('"rounded", "numbers', '"whole-numbers", "all numbers').replace(
        "[max(0, int", "# x\n    return [max(0, int", 1
    )
    changed = changed.replace("return # x", "# x")
    (lesson.source / "bank.py").write_text(changed, encoding="utf-8")
    known_mistakes.write(lesson, lesson.released.with_suffix("") / "mistakes.json")
    assert ran == []
    kept = kept_mistakes.read(lesson.source / kept_mistakes.PRIVATE).tried[-1]
    assert (kept.slug, kept.sentence) == ("whole-numbers", "all numbers are rounded")


def test_other_versions_of_the_libraries_are_tried_once_and_leave_what_agrees(
    small: Callable[..., Lesson], ran: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = small()
    table, kept = lesson.released.with_suffix("") / "mistakes.json", lesson.source / kept_mistakes.PRIVATE
    first = kept.read_bytes()
    ran.clear()
    monkeypatch.setattr(known_mistakes, "libraries", lambda: "Python 4.0, torch 9.9.9, numpy 9.9.9")
    for _ in range(2):
        known_mistakes.write(lesson, table)
    assert ran == [WRONG, WRONG]
    assert kept.read_bytes() == first


def test_a_file_of_kept_outcomes_that_was_cut_is_made_anew(small: Callable[..., Lesson]) -> None:
    lesson = small()
    kept = lesson.source / kept_mistakes.PRIVATE
    whole = kept.read_bytes()
    kept.write_bytes(whole[:50])
    known_mistakes.write(lesson, lesson.released.with_suffix("") / "mistakes.json")
    assert kept.read_bytes() == whole


def test_numbers_on_which_two_processors_differ_are_left_out_and_match_any(
    small: Callable[..., Lesson], monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = small()
    here, elsewhere = ({"test_it": {"status": "failed", "type": "float", "values": [x]}} for x in (0.02, -0.3))
    kept = known_mistakes._steady(lesson, bank.load(lesson)[0], here, elsewhere)
    assert kept == {"test_it": {"status": "failed", "type": "float", "values": "any"}}
    assert kept_mistakes.same(here, kept)
    assert kept_mistakes.same(elsewhere, kept)


def test_a_mistake_that_only_one_processor_shows_is_an_error_of_the_checks(small: Callable[..., Lesson]) -> None:
    lesson = small()
    with pytest.raises(CourseError, match=r"depends on the processor.*an input that leaves no doubt"):
        known_mistakes._steady(
            lesson, bank.load(lesson)[0], {"test_it": {"status": "failed"}}, {"test_it": {"status": "passed"}}
        )


def test_every_count_is_that_of_the_small_lesson(small: Callable[..., Lesson], runs: IsolatedRuns) -> None:
    found = audit(small(), runs)
    assert found.faults == []
    assert (found.exercises, found.public_checks, found.hidden_checks) == (1, 2, 1)
    assert (found.wrong, found.wrong_caught_as_meant, found.wrong_caught_by_public) == (4, 4, 3)
    assert (found.wrong_named, found.wrong_named_rightly, found.wrong_named_by_grader) == (3, 3, 4)
    assert (found.right, found.right_passing, found.right_named) == (2, 2, 0)
    assert found.mutants == found.mutants_killed + 1
    assert found.equivalent_mutants == [
        {"exercise": "relu", "label": "1: x if x > 0 else 0 → x if x >= 0 else 0", "why": "at 0 both give 0"}
    ]
    assert 0 < found.mutants_killed_by_public < found.mutants_killed


def test_without_diagnosis_the_same_mutants_are_killed(small: Callable[..., Lesson], runs: IsolatedRuns) -> None:
    lesson = small()
    assert audit(lesson, runs, diagnose=False).mutants_killed == audit(lesson, runs).mutants_killed


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (ROUNDED, '@mistake("relu", "rounded", "numbers are rounded")', "does not say which check is meant for it"),
        (ROUNDED, ROUNDED.replace("small_numbers_count_too", "positive_numbers_stay"), "but not test_positive_numbers"),
        ("[max(0, int(x)) for", "[max(0, x) for", "passes every check (numbers are rounded)"),
        ("[max(x, 0) for x in xs]", "[abs(x) for x in xs]", "a right answer, fails test_negative_numbers_become_0"),
        ("[max(x, 0) for x in xs]", "[abs(x) for x in xs]", "is named a mistake: the absolute value"),
        (
            '@alternative("relu", "maximum"',
            '@mistake("relu", "maximum", "x"',
            "has 1 other right ways in bank.py, at least 2",
        ),
        (ROUNDED, '@alternative("relu", "rounded")', "has 3 classic mistakes in bank.py, at least 4"),
        (
            'equivalent("relu", ',
            "print(",
            "1: x if x > 0 else 0 → x if x >= 0 else 0 passes every check: strengthen one, or explain it",
        ),
        (
            "→ x if x >= 0 else 0",
            "→ x if x < 0 else 0",
            "1: x if x > 0 else 0 → x if x < 0 else 0 is explained, but test_",
        ),
        ("→ x if x >= 0 else 0", "→ y", "1: x if x > 0 else 0 → y is explained, but there is no such mutant"),
        ("[max(0, int(x)) for", "[max(0, floor(x)) for", "relu/rounded ends in NameError"),
    ],
)
def test_what_is_wrong_with_a_bank_is_a_fault(
    small: Callable[..., Lesson], runs: IsolatedRuns, old: str, new: str, fault: str
) -> None:
    assert old in BANK
    faults = audit(small(BANK.replace(old, new)), runs).faults
    assert any(fault in found for found in faults), faults


def test_a_reference_that_fails_and_a_skeleton_that_does_not_are_faults(
    small: Callable[..., Lesson], runs: IsolatedRuns
) -> None:
    checks = CHECKS + '\n@exercise("relu")\ndef test_nothing(student):\n    equal(1, 1)\n'
    checks += '\n@exercise("relu")\ndef test_too_much(student):\n    equal(student.relu([0]), [1])\n'
    faults = audit(small(checks=checks), runs).faults
    assert any("the reference fails test_too_much" in fault for fault in faults)
    assert any("the skeleton does not end in NotImplementedError in test_nothing: passed" in fault for fault in faults)


def test_a_constant_that_earns_points_is_a_fault(small: Callable[..., Lesson], runs: IsolatedRuns) -> None:
    nothing = (
        '\n@exercise("relu", points=0.5)\ndef test_nothing_in_nothing_out(student):\n    equal(student.relu([]), [])\n'
    )
    fault = "a relu that returns [] earns the 0.5 points of test_nothing_in_nothing_out"
    lesson = small(checks=CHECKS + nothing)
    assert fault in audit(lesson, runs).faults
    needed = nothing.replace("0.5", '0.5, needs="test_negative_numbers_become_0"')
    (lesson.source / "checks.py").write_text(CHECKS + needed, encoding="utf-8")
    assert not [found for found in audit(lesson, runs).faults if "earns" in found]


@pytest.mark.parametrize("stored", ["mistakes.json", "outcomes.json"])
def test_stored_outcomes_that_the_checks_do_not_give_any_more_are_a_fault(
    small: Callable[..., Lesson], runs: IsolatedRuns, stored: str
) -> None:
    lesson = small()
    path = (lesson.source if stored == "outcomes.json" else lesson.released.with_suffix("")) / stored
    known = json.loads(path.read_text(encoding="utf-8"))
    known["answers" if stored == "outcomes.json" else "relu"].pop()
    path.write_text(json.dumps(known), encoding="utf-8")
    assert [fault for fault in audit(lesson, runs).faults if fault.startswith(f"{stored} is not")]


def test_the_sentence_that_the_audit_counts_is_the_one_that_a_student_reads(small: Callable[..., Lesson]) -> None:
    lesson = small()
    known = json.loads((lesson.released.with_suffix("") / "mistakes.json").read_text(encoding="utf-8"))
    for answer in bank.load(lesson):
        space = source.namespace(lesson, {"relu": answer.code})
        result = check_namespace(lesson.released.with_suffix(""), "relu", space)
        seen = {outcome.check.name: fingerprint(outcome) for outcome in result.outcomes}
        assert kept_mistakes.diagnose(seen, known["relu"]) == result.diagnosis


def test_the_graders_table_names_what_only_a_hidden_check_catches(small: Callable[..., Lesson]) -> None:
    lesson = small()
    public = json.loads((lesson.released.with_suffix("") / "mistakes.json").read_text(encoding="utf-8"))
    private = kept_mistakes.known(lesson)
    sentences = [{entry["sentence"] for entry in table["relu"]} for table in (public, private)]
    assert sentences[1] - sentences[0] == {"numbers are rounded"}


CODE = "def relu(xs):\n    {}\n"
FATAL = {
    "never ends": "while True: pass",
    "takes all memory": "return bytearray(10**15)",
    "ends the process": "import os; os._exit(0)",
    "is killed": "import os; os.kill(os.getpid(), 9)",
    "returns": "return [max(x, 0) for x in xs]",
}


@pytest.mark.parametrize("what", FATAL)
def test_code_that_ends_its_process_is_an_outcome_and_the_next_trial_goes_on(
    small: Callable[..., Lesson], runs: IsolatedRuns, what: str
) -> None:
    lesson = small()
    names = tuple(check.name for check in source.checks(lesson))
    tasks = [Task({"relu": CODE.format(FATAL[name])}, names, seconds=1) for name in (what, "returns")]
    fatal, well = runs.run(lesson, tasks)
    assert [one.status for one in well] == ["passed"] * 3
    if what == "takes all memory":
        assert [one.message for one in fatal] == ["MemoryError: "] * 3
    elif what != "returns":
        assert [(one.check, one.status) for one in fatal] == [(names[0], "ended")]


def test_trials_share_no_state(small: Callable[..., Lesson], runs: IsolatedRuns) -> None:
    lesson = small()
    code = "import math\ndef relu(xs):\n    math.pi += 1\n    return [math.pi]\n"
    first, second = runs.run(lesson, [Task({"relu": code}, ("test_negative_numbers_become_0",), 5)] * 2)
    assert first[0].fingerprint == second[0].fingerprint


def test_a_trial_that_is_told_to_stop_runs_no_check_after_the_first_that_fails(
    small: Callable[..., Lesson], runs: IsolatedRuns
) -> None:
    lesson = small()
    names = tuple(check.name for check in source.checks(lesson))
    code = CODE.format("return [abs(x) for x in xs]")
    (seen,) = runs.run(lesson, [Task({"relu": code}, names, 5, stop=True)])
    assert [one.status for one in seen] == ["passed", "failed"]


def test_a_cell_that_does_not_run_fails_every_check(small: Callable[..., Lesson], runs: IsolatedRuns) -> None:
    lesson = small()
    names = tuple(check.name for check in source.checks(lesson))
    (seen,) = runs.run(lesson, [Task({"relu": "relu = undefined"}, names, 5)])
    assert [(one.status, one.message) for one in seen] == [("error", "NameError: name 'undefined' is not defined")] * 3


def test_a_mutant_that_never_ends_counts_as_killed(small: Callable[..., Lesson], runs: IsolatedRuns) -> None:
    loop = "    found = []\n    while len(found) < len(xs):\n        x = xs[len(found)]\n        found.append(x if x > 0 else 0)\n"
    loop += "    return found"
    notebook = NOTEBOOK.replace("    return [x if x > 0 else 0 for x in xs]", loop)
    found = audit(small(BANK.split("equivalent(")[0].rstrip() + "\n", notebook=notebook), runs, diagnose=False)
    assert found.mutants_ended >= 1  # without the append, for one
