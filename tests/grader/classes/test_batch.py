"""A class is graded to its end: nothing twice, nobody's score lost by a kill, nobody costs anybody else anything.

What grading itself does is a stand-in here (tests/support/stand_in.py); worker processes, kills and nbgrader's gradebook are real.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path

import nbformat
import psutil
import pytest
import stand_in
from stand_in import POINTS, runs

from grader.classes.batch import Batch, Queue, grade_batch, unchanged
from grader.classes.uploads import Submission, submissions
from grader.course import Course
from grader.grading import store, verdict
from grader.grading.notebook import Notebook
from grader.grading.verdict import Verdict
from grader.nbgrader import config, gradebook
from grader.nbgrader.course import NbgraderCourse
from grader.settings import Settings

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

CONFIG = """
from grader.nbgrader.config import grade_in_sandbox
c = get_config()
grade_in_sandbox(c)
"""
SECONDS = 120  # for a command to end; it takes a few


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of nbgrader's with one released notebook of one graded cell."""
    root = tmp_path_factory.mktemp("released")
    (root / "nbgrader_config.py").write_text(CONFIG)
    cell = nbformat.v4.new_code_cell("assert answer == 42")
    rules = {"grade": True, "grade_id": "check", "locked": True, "points": POINTS, "solution": False, "task": False}
    cell.metadata["nbgrader"] = {**rules, "schema_version": 3, "cell_type": "code"}
    (root / "source" / "hw").mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), root / "source" / "hw" / "one.ipynb")
    config.release(NbgraderCourse(root), "hw")  # type: ignore[arg-type]
    return root


@pytest.fixture
def root(released: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(released, tmp_path / "course"))


def hand_in(root: Path, **students: str) -> list[Submission]:
    """Writes what becomes of each student's submission into it; all that is handed in now."""
    for student, text in students.items():
        path = root / "submitted" / student / "hw" / "one.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return submissions(NbgraderCourse(root).lessons(), root)


def graded(todo: list[Submission], home: Path, jobs: int = 1) -> Batch:
    return grade_batch(
        todo,
        home,
        Settings(),
        jobs=jobs,
        running=lambda names: None,
        done=lambda item, found: None,
        grade=stand_in.grade,
    )


def earned(batch: Batch) -> dict[str, float]:
    return {student: found.earned for (student, _), found in batch.verdicts.items()}


# The order in which things are run.


def items(lesson: str, *students: str) -> list[Submission]:
    return [Submission(Notebook("hw", lesson, "", Path()), student, Path()) for student in students]


def test_a_submission_waits_for_its_own_lesson_alone() -> None:
    one, other = items("one", "ada", "bora"), items("other", "ada")
    queue = Queue(deque([one[0].lesson, other[0].lesson]), deque([*one, *other]))
    assert [queue.next(), queue.next(), queue.next()] == [one[0].lesson, other[0].lesson, None]
    queue.unprepared.discard("hw/other")
    assert [queue.next(), queue.next()] == [other[0], None]
    queue.unprepared.discard("hw/one")
    assert [queue.next(), queue.next(), queue.next()] == [*one, None]


def test_what_could_not_be_begun_is_the_next_again() -> None:
    ada, bora = items("one", "ada", "bora")
    queue = Queue(deque(), deque([ada, bora]))
    assert queue.next() == ada
    queue.put_back(ada)
    assert [queue.next(), queue.next(), bool(queue)] == [ada, bora, False]


def test_a_lesson_that_cannot_be_prepared_takes_its_submissions_with_it() -> None:
    one, other = items("one", "ada", "bora"), items("other", "ada")
    queue = Queue(deque(), deque([one[0], *other, one[1]]))
    assert queue.take("hw/one") == one
    assert [queue.next(), queue.next()] == [*other, None]


# What is run, and what is not run again.


def test_what_has_not_changed_is_not_run_again(root: Path) -> None:
    todo = hand_in(root, ada="earns 3", bora="earns 1")
    first, again = graded(todo, root), graded(todo, root)
    assert earned(first) == earned(again) == {"ada": 3, "bora": 1}
    assert (len(first.fresh), len(again.fresh)) == (2, 0)
    assert runs(root) == ["ada", "bora"]


def test_a_change_of_one_students_file_runs_that_one(root: Path) -> None:
    graded(hand_in(root, ada="earns 3", bora="earns 1"), root)
    assert earned(graded(hand_in(root, bora="earns 2"), root)) == {"ada": 3, "bora": 2}
    assert runs(root) == ["ada", "bora", "bora"]


def test_a_change_of_the_settings_or_the_lesson_runs_all(root: Path) -> None:
    todo = hand_in(root, ada="earns 3", bora="earns 1")
    graded(todo, root)
    assert len(unchanged(todo, root, Settings())) == 2
    assert unchanged(todo, root, Settings(seed=1)) == {}
    (root / "source" / "hw" / "data.csv").write_text("new")
    assert unchanged(todo, root, Settings()) == {}


@pytest.mark.parametrize("name", ["hidden.py", "checks.py", "expected.csv", "mistakes.json", "word2vec.ipynb"])
def test_a_change_of_any_of_a_lessons_files_runs_all(course_copy: Course, name: str) -> None:
    lesson = course_copy.lesson("word2vec")
    todo = [Submission(lesson, student, course_copy.root / student) for student in ("ada", "bora")]
    for item in todo:
        stand_in_verdict(item).save(store.verdict_path(course_copy.root, item.student, lesson))
    assert len(unchanged(todo, course_copy.root, Settings())) == 2
    released = {"mistakes.json": lesson.released.with_suffix("") / name, "word2vec.ipynb": lesson.released}
    path = released.get(name, lesson.source / name)
    path.write_text(path.read_text() + ("\nmore = 1\n" if name.endswith(".py") else "\n"))
    assert unchanged(todo, course_copy.root, Settings()) == {}


def test_a_change_of_the_graders_own_code_runs_all(course_copy: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    item = Submission(course_copy.lesson("word2vec"), "ada", course_copy.root / "ada")
    stand_in_verdict(item).save(store.verdict_path(course_copy.root, item.student, item.lesson))
    assert len(unchanged([item], course_copy.root, Settings())) == 1
    monkeypatch.setattr("grader.grading.lesson.code_hash", lambda *rooms: "of the mended code")
    assert unchanged([item], course_copy.root, Settings()) == {}


def stand_in_verdict(item: Submission) -> Verdict:
    inputs = store.fingerprint(item.lesson, item.path, Settings())
    known = {"lesson": item.lesson.id, "student": item.student, "submission": "", "profile": "smoke", "sandbox": ""}
    return Verdict(**known, status="refused", inputs=inputs, seed=0)  # type: ignore[arg-type]


def test_the_number_of_jobs_makes_no_difference(root: Path, tmp_path: Path) -> None:
    todo = hand_in(root, ada="earns 3", bora="kills", chul="earns 2", dana="raises x", eun="earns 0.5")
    one = graded(todo, tmp_path / "one", jobs=1)
    (root / "runs").unlink()
    two = graded(todo, tmp_path / "two", jobs=2)
    assert one.verdicts == two.verdicts
    assert sorted(one.troubles) == sorted(two.troubles)
    assert earned(one) == {"ada": 3, "chul": 2, "eun": 0.5}


# Workers that die.


@pytest.mark.parametrize("jobs", [1, 2])
def test_workers_that_die_cost_only_what_killed_them(root: Path, jobs: int) -> None:
    todo = hand_in(root, ada="kills", bora="kills", chul="earns 1", dana="earns 2", eun="kills")
    batch = graded(todo, root, jobs)
    assert earned(batch) == {"chul": 1, "dana": 2}
    assert sorted(batch.troubles) == [
        f"{student}, hw/one: the grader's worker died, twice; its old score stands"
        for student in ("ada", "bora", "eun")
    ]


def test_who_died_once_is_tried_once_more(root: Path) -> None:
    batch = graded(hand_in(root, ada="exits-once 3", bora="earns 1"), root)
    assert (earned(batch), batch.troubles) == ({"ada": 3, "bora": 1}, [])
    assert Counter(runs(root)) == {"ada": 2, "bora": 1}


def test_an_error_of_the_graders_own_is_reported_and_the_old_verdict_stands(root: Path) -> None:
    graded(hand_in(root, ada="earns 3", bora="earns 1"), root)
    todo = hand_in(root, ada="raises no space left")
    batch = graded(todo, root)
    assert batch.troubles == ["ada, hw/one: the grader failed (RuntimeError: no space left); its old score stands"]
    stored = verdict.load(store.verdict_path(root, "ada", todo[0].lesson))
    assert stored is not None
    assert stored.earned == 3


def test_a_file_that_cannot_be_read_costs_nobody_else_anything(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graded(hand_in(root, ada="earns 3", bora="earns 1"), root)
    todo = hand_in(root, ada="earns 2", bora="raises Input/output error", chul="earns 4")
    read = Path.read_bytes

    def unreadable(path: Path) -> bytes:
        if path.parts[-3:] == ("bora", "hw", "one.ipynb"):
            raise OSError(errno.EIO, "Input/output error")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", unreadable)
    batch = graded(todo, root)
    assert earned(batch) == {"ada": 2, "chul": 4}
    assert batch.troubles == [
        "bora, hw/one: the grader failed (RuntimeError: Input/output error); its old score stands"
    ]


def test_each_submission_is_counted_once_in_the_progress(root: Path) -> None:
    todo = hand_in(root, ada="kills", bora="raises x", chul="exits-once 1", dana="earns 2")
    counted: list[str] = []
    seen: set[str] = set()

    def done(item: Submission, found: Verdict | None) -> None:
        counted.append(item.student)
        assert (found is not None) == (item.student in ("chul", "dana"))

    grade_batch(todo, root, Settings(), jobs=2, running=seen.update, done=done, grade=stand_in.grade)
    assert sorted(counted) == [item.student for item in todo]
    assert seen == {"ada", "bora", "chul", "dana"}


# The command.


def started(root: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, stand_in.__file__, "autograde", *words]
    environment = {**os.environ, "COLUMNS": "200"}
    return subprocess.Popen(
        command,
        cwd=root,
        env=environment,
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def autograde(root: Path, *words: str) -> tuple[int, str]:
    """Exit status and what it said."""
    with started(root, *words) as process:
        said, errors = process.communicate(timeout=SECONDS)
    assert "Traceback" not in errors, errors
    return process.returncode, said


def scores(root: Path) -> list[tuple[str, float]]:
    return [(score.student, score.score) for score in gradebook.scores(NbgraderCourse(root), root, "hw")]


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the command keeps what is temporary: in the system's folder, another test's batch would remove what it leaves."""
    with tempfile.TemporaryDirectory(prefix="etude-") as name:
        Path(name).chmod(0o711)  # the sandbox is another user
        monkeypatch.setenv("TMPDIR", name)
        yield Path(name)


@pytest.fixture
def halfway(root: Path, scratch: Path) -> Iterator[tuple[Path, subprocess.Popen[str], list[int]]]:
    """The command in the middle of a class: two are graded, the third runs in its sandbox; and its processes' pidfds."""
    hand_in(root, ada="earns 3", bora="earns 1", chul="waits 2", dana="earns 4")
    os.mkfifo(root / "gate")
    with started(root, "--jobs", "1") as process:
        with (root / "gate").open("w"):
            (root / "gate").unlink()
            below = psutil.Process(process.pid).children(recursive=True)
            opened = [os.pidfd_open(child.pid) for child in below]
            assert {"bwrap"} <= {child.name() for child in below}
            yield root, process, opened
        process.kill()
    for descriptor in opened:
        os.close(descriptor)


def assert_gone(processes: list[int]) -> None:
    for descriptor in processes:
        assert select.select([descriptor], [], [], SECONDS)[0]


def test_a_killed_command_loses_what_was_running_and_goes_on_from_there(
    halfway: tuple[Path, subprocess.Popen[str], list[int]], scratch: Path
) -> None:
    root, process, below = halfway
    process.kill()
    process.wait(SECONDS)
    assert_gone(below)
    [left] = scratch.glob("etude-batch-*")
    assert sorted(path.parts[-3] for path in (root / "verdicts").rglob("*.json")) == ["ada", "bora"]
    status, said = autograde(root)
    assert status == 0
    assert "2 graded now, 2 unchanged" in said
    assert not left.exists()  # the next batch removes what nobody holds
    assert Counter(runs(root)) == {"ada": 1, "bora": 1, "chul": 2, "dana": 1}
    assert scores(root) == [("ada", 3), ("bora", 1), ("chul", 2), ("dana", 4)]


def test_ctrl_c_ends_with_a_sentence_and_no_process_is_left(
    halfway: tuple[Path, subprocess.Popen[str], list[int]],
) -> None:
    root, process, below = halfway
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to its workers too
    said, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert "Stopped. What is stored stays; the same command goes on from there." in said
    assert errors == ""
    assert_gone(below)
    assert sorted(path.parts[-3] for path in (root / "verdicts").rglob("*.json")) == ["ada", "bora"]


def test_ctrl_c_is_not_lost_in_code_that_takes_it_for_a_failure_of_its_own(root: Path) -> None:
    todo = hand_in(root, ada="earns 3", bora="earns 1", chul="earns 2", dana="earns 4")
    told = []
    before = signal.getsignal(signal.SIGINT)

    def done(item: Submission, found: Verdict | None) -> None:
        told.append(item.student)
        with contextlib.suppress(BaseException):
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        grade_batch(todo, root, Settings(), jobs=1, running=lambda names: None, done=done, grade=stand_in.grade)
    assert told == ["ada"]
    assert "dana" not in runs(root)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_dry_run_shows_whose_points_would_change_and_stores_nothing(root: Path) -> None:
    hand_in(root, ada="earns 3", bora="earns 1", chul="earns 2")
    assert autograde(root)[0] == 0
    hand_in(root, bora="earns 2", dana="earns 4")
    before = files(root)
    status, said = autograde(root, "--dry-run")
    assert status == 0
    assert files(root) == before | {root / "runs": b"ada\nbora\nchul\nbora\ndana\n"}
    lines = [line.split("one")[1].split() for line in said.splitlines() if line.startswith("[")]
    assert sorted(lines) == sorted(
        [
            ["3.0", "of", "4", "points", "unchanged"],
            ["2.0", "of", "4", "points", "unchanged"],
            ["2.0", "of", "4", "points", "0", "s", "before", "1.0"],
            ["4.0", "of", "4", "points", "0", "s"],
        ]
    )
    changed = said[said.index("points would change:") :].splitlines()
    assert changed[1] == "  bora  one  1.0 → 2.0 of 4"
    [row] = [line.split() for line in changed if line.startswith("bora")]
    assert row[2:5] == ["1.00", "2.00", "4"]
    assert changed[-1].endswith("; nothing is stored")


def files(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc"}


def test_the_exit_status_tells_of_what_the_grader_failed_at_and_the_rest_is_stored(root: Path) -> None:
    hand_in(root, ada="earns 3", bora="earns 1", chul="says nbformat '[/4]' is not known")
    status, said = autograde(root)
    assert status == 0
    assert "nbformat '[/4]' is not known" in said
    hand_in(root, ada="raises no room in [/tmp]", bora="kills", chul="earns 2", dana="earns 4")
    status, said = autograde(root)
    assert status == 1
    assert "ada, hw/one: the grader failed (RuntimeError: no room in [/tmp]); its old score stands" in said
    assert "bora, hw/one: the grader's worker died, twice; its old score stands" in said
    assert scores(root) == [("ada", 3), ("bora", 1), ("chul", 2), ("dana", 4)]


def test_a_late_week_costs_its_share_and_a_change_of_the_rule_runs_nobody_again(root: Path) -> None:
    rule = "[due]\nhw = 2026-03-13T12:00:00Z\n[late]\nshare_a_day = {}\n"
    hand_in(root, ada="earns 4", bora="earns 4")
    (root / "submitted" / "ada" / "hw" / "timestamp.txt").write_text("2026-03-14 12:00:00 UTC")
    for share, penalty in ((0.25, 1.0), (0.5, 2.0)):
        (root / "class.toml").write_text(rule.format(share))
        status, said = autograde(root)
        assert status == 0
        assert (
            f"ada: Handed in 2026-03-14 12:00 UTC, due 2026-03-13 12:00 UTC: 1 day late; {share:.0%}"
            in said.replace(" %", "%")
        )
        assert "bora: It is not known when this was handed in" in said
        found = {score.student: score.penalty for score in gradebook.scores(NbgraderCourse(root), root, "hw")}
        assert found == {"ada": penalty, "bora": 0.0}
    assert sorted(runs(root)) == ["ada", "bora"]
    (root / "class.toml").write_text(rule.replace("hw", "hv").format(1))
    status, said = autograde(root)
    assert status == 1
    assert "names hv, but the weeks are hw" in " ".join(said.split())
