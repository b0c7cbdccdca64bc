"""What a reference costs is found once, before anybody is graded; a lesson whose reference does not run here is not graded."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import hostile
import nbformat
import pytest
from nbformat.v4 import new_code_cell
from sandboxed import machine  # noqa: F401 - a fixture

from grader.classes.batch import Batch, grade_batch
from grader.classes.uploads import Submission
from grader.course import Course, CourseError, Lesson
from grader.grading import costs, store
from grader.grading import lesson as of_lesson
from grader.grading.execution import Execution, execute
from grader.grading.usage import METRICS
from grader.kernels.run_report import CellRun
from grader.lessons import source
from grader.release.build import build
from grader.settings import COLD, PLAIN, Settings

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

RIGHT = "return Counter(zip(words, words[1:]))"  # of the reference


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course of one small lesson, built."""
    return hostile.course_to_attack(tmp_path_factory.mktemp("built") / "course", "", "")


@pytest.fixture
def lesson(built: Course, tmp_path: Path) -> Lesson:
    shutil.copytree(built.root, tmp_path / "course")
    return Course(tmp_path / "course").lessons()[0]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def second(lesson: Lesson) -> Lesson:
    """Puts a second lesson into the course, a copy of its first."""
    root, name = lesson.course.root, "pairs"
    shutil.copytree(lesson.source, lesson.source.with_name(name))
    toml = (root / "course.toml").read_text(encoding="utf-8")
    again = toml[toml.index("[[weeks.lessons]]") :].replace(f'name = "{lesson.name}"', f'name = "{name}"')
    (root / "course.toml").write_text(f"{toml}\n{again}", encoding="utf-8")
    course = Course(root)
    build(course, course.lessons(), say=lambda text: None)
    return course.lesson(f"{lesson.week.name}/{name}")


def hand_in(lesson: Lesson, **answers: str) -> Submission:
    """Ada's notebook: the reference's answers but for these."""
    path = lesson.course.root / "submitted" / "ada" / lesson.week.name / f"{lesson.name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    right = source.exercises(source.read(lesson))
    nbformat.write(source.filled(lesson, right | answers), path)
    return Submission(lesson, "ada", path)


def graded(item: Submission, settings: Settings = Settings()) -> Batch:
    assert isinstance(item.lesson, Lesson)
    home = item.lesson.course.root
    return grade_batch([item], home, settings, jobs=1, running=lambda names: None, done=lambda item, found: None)


def test_a_reference_is_measured_once_and_kept(lesson: Lesson) -> None:
    assert costs.kept(lesson, Settings()) is None
    usage = costs.of(lesson, Settings())
    assert len(usage.cells) >= 6
    assert usage.checks.keys() >= {check.name for check in source.checks(lesson)} | {METRICS}
    assert usage.checks["test_the_pairs_of_a_short_sentence"].requests > 0
    assert costs.kept(lesson, Settings()) == usage
    ran = lesson.run_folder("smoke", 0)
    assert (ran / "softmax.ipynb").is_file()
    assert (ran / "results" / "metrics.json").is_file()


@pytest.mark.parametrize("name", ["notebook.py", "checks.py", "hidden.py"])
def test_what_is_kept_ends_with_what_decided_it(lesson: Lesson, name: str) -> None:
    costs.of(lesson, Settings(kernel=PLAIN))
    assert costs.kept(lesson, Settings(kernel=COLD)) is None
    with (lesson.source / name).open("a", encoding="utf-8") as file:
        file.write("\nanother_word = 1\n")
    assert costs.kept(lesson, Settings(kernel=PLAIN)) is None


def test_a_verdict_says_what_was_spent_beside_the_reference_and_the_limits(lesson: Lesson) -> None:
    (found,) = graded(hand_in(lesson)).verdicts.values()
    assert found.earned == found.points
    assert found.time is not None
    assert found.time.slowest_cell.limit == lesson.limits["cell_seconds"]
    assert 0 < found.time.notebook.spent < found.time.notebook.limit
    assert found.time.notebook.reference == pytest.approx(costs.of(lesson, Settings()).notebook, abs=0.01)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("raise OSError('the corpus is missing')", "OSError: the corpus is missing"),
        ("return [0] * 10**9", "memory"),
        ("import os; os._exit(3)", "exit: status 3"),
        ("return {}", "test_the_pairs_of_a_short_sentence"),
    ],
)
def test_nobody_is_graded_by_a_reference_that_does_not_run_here(lesson: Lesson, broken: str, says: str) -> None:
    edit(lesson.source / "notebook.py", RIGHT, broken)
    batch = graded(hand_in(lesson))
    (trouble,) = batch.troubles
    assert re.search(f"(?is)the reference of .* does not run here as it should.*{says}", trouble)
    assert batch.verdicts == {}
    assert not (lesson.course.root / "verdicts").exists()
    (again,) = costs.faults(lesson, Settings())
    assert re.search(f"(?is){says}", again)


def test_a_reference_that_fails_leaves_the_other_lessons_graded(lesson: Lesson) -> None:
    other = second(lesson)
    edit(other.source / "notebook.py", RIGHT, "return {}")
    told: list[tuple[str, bool]] = []
    batch = grade_batch(
        [hand_in(other), hand_in(lesson)],
        lesson.course.root,
        Settings(),
        jobs=1,
        running=lambda names: None,
        done=lambda item, found: told.append((item.lesson.id, found is not None)),
    )
    assert list(batch.verdicts) == [("ada", lesson.id)]
    assert sorted(told) == sorted([(lesson.id, True), (other.id, False)])
    (trouble,) = batch.troubles
    assert f"the reference of {other.id} does not run here as it should" in trouble


def test_a_lesson_whose_reference_runs_has_no_faults(lesson: Lesson) -> None:
    assert costs.faults(lesson, Settings()) == []


def test_first_cells_that_fail_stop_the_batch(lesson: Lesson) -> None:
    item = hand_in(lesson)
    costs.of(lesson, Settings())
    edit(lesson.released, "import pandas as pd", "import pandas_that_is_not_there as pd")
    with pytest.raises(CourseError, match=r"(?s)the first cells of .* fail.*No module named.*etude doctor"):
        of_lesson.grade(lesson, item.path, "ada", Settings())


def test_who_breaks_the_first_cells_for_himself_has_a_verdict(lesson: Lesson) -> None:
    item = hand_in(lesson)
    notebook = nbformat.read(item.path, as_version=4)
    notebook.cells.insert(0, new_code_cell("import sys\nsys.modules['pandas'] = None"))
    nbformat.write(notebook, item.path)
    (found,) = graded(item).verdicts.values()
    assert found.status == "graded"
    assert found.earned < found.points


def test_a_run_that_met_a_limit_while_the_machine_stood_still_is_repeated(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[Execution] = []

    def disturbed(*given: object) -> Execution:
        found = execute(*given)  # type: ignore[arg-type]
        runs.append(found)
        if len(runs) == 1:
            found.report.cells = [replace(cell, status="timeout") for cell in found.report.cells]
            found.outcomes.clear()
            found.stood_still = 700.0
        return found

    item = hand_in(lesson)
    costs.of(lesson, Settings())
    monkeypatch.setattr(of_lesson, "execute", disturbed)
    found = of_lesson.grade(lesson, item.path, "ada", Settings()).verdict
    assert len(runs) == 2
    assert found.earned == found.points
    assert found.notes == ["the machine stood still for 700 s while this ran, so it was run again: this counts"]


def test_a_late_run_on_a_machine_that_ran_is_not_repeated(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Execution] = []

    def late(*given: object) -> Execution:
        runs.append(execute(*given))  # type: ignore[arg-type]
        runs[-1].report.cells.append(CellRun(0, "timeout"))
        return runs[-1]

    item = hand_in(lesson)
    costs.of(lesson, Settings())
    monkeypatch.setattr(of_lesson, "execute", late)
    assert of_lesson.grade(lesson, item.path, "ada", Settings()).verdict.notes == []
    assert len(runs) == 1


def test_the_machines_factor_is_against_the_recorded_machine(lesson: Lesson) -> None:
    usage = costs.of(lesson, Settings())
    assert costs.factor(lesson, usage) is None
    (lesson.course.root / costs.RECORD).write_text(f'{{"seconds": {{"{lesson.id}": {usage.notebook / 2}}}}}')
    assert costs.factor(lesson, usage) == pytest.approx(2.0)


def test_a_stored_verdict_needs_no_reference(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    item = hand_in(lesson)
    graded(item)
    monkeypatch.setattr(costs, "measure", lambda *given: pytest.fail("it was measured"))
    (lesson.course.build / "costs").rename(lesson.course.build / "gone")
    assert len(graded(item).fresh) == 0
    stored = store.verdict_path(lesson.course.root, "ada", lesson)
    assert stored.is_file()


COMPUTES = "import time\nbegan = time.process_time()\nwhile time.process_time() - began < {}: pass"


@pytest.fixture
def busy_core() -> Iterator[None]:
    """Keeps this process and its children to one core, where three others compute all the time."""
    mine = os.sched_getaffinity(0)
    neighbours = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        for pid in (0, *(neighbour.pid for neighbour in neighbours)):
            os.sched_setaffinity(pid, {min(mine)})
        yield
    finally:
        os.sched_setaffinity(0, mine)
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()


@pytest.mark.parametrize(("seconds", "status"), [(1.5, "ok"), (60, "timeout")])
def test_a_limit_is_of_computing_also_where_the_clock_runs_four_times_as_fast(
    lesson: Lesson, busy_core: None, seconds: float, status: str
) -> None:
    item = hand_in(lesson)
    notebook = nbformat.read(item.path, as_version=4)
    notebook.cells.append(new_code_cell(COMPUTES.format(seconds)))  # the limit is 3 s
    nbformat.write(notebook, item.path)
    (found,) = graded(item).verdicts.values()
    assert found.earned == found.points
    assert found.cells[-1].status == status
    assert found.time is not None
    assert found.time.slowest_cell.spent >= min(seconds, found.time.slowest_cell.limit) * 0.95
