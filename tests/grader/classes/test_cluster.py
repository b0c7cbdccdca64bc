"""A class on a Dask cluster: whatever is lost, a worker or the scheduler, costs time alone; what cannot grade is named.

Scheduler and workers are real and in processes of their own. What a worker makes of a submission is a stand-in
(tests/support/stand_in_worker.py); real verdicts are in test_cluster_verdicts.py.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import cast

import pytest
import relu
import stand_in_worker
from dask_cluster import Cluster

from grader.classes import cluster, cluster_line
from grader.classes.batch import Batch
from grader.classes.cluster_line import Line
from grader.classes.uploads import Submission, submissions
from grader.cli import common
from grader.course import CourseError, Lesson
from grader.grading.notebook import Notebook
from grader.grading.verdict import Verdict
from grader.lessons import known_mistakes
from grader.settings import PLAIN, WARM, Settings

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

STAND_IN = stand_in_worker.__file__
SETTINGS = Settings(kernel=PLAIN)  # the stand-in starts no kernel


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wait ends early on a slow machine."""
    monkeypatch.setattr(cluster_line, "CONNECT", 300.0)
    monkeypatch.setattr(cluster, "RETURN", 3600.0)


def small_course(root: Path) -> Lesson:
    """A lesson with all the files that decide a verdict."""
    root.mkdir(parents=True)
    lesson = relu.write(root)
    public = lesson.released.with_suffix("")
    for path in (lesson.released, public / "mistakes.json", lesson.source / known_mistakes.PRIVATE):
        path.write_text("{}")
    (lesson.source / "expected.csv").write_text("")
    return lesson


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    return small_course(tmp_path / "course")


@pytest.fixture
def started(tmp_path: Path, lesson: Lesson) -> Iterator[Cluster]:
    with Cluster(tmp_path, lesson.course.root) as one:
        yield one


def hand_in(lesson: Lesson, **students: str) -> list[Submission]:
    """Writes what becomes of each student's submission into it; all that is handed in now."""
    root = lesson.course.root
    for student, text in students.items():
        path = root / "submitted" / student / lesson.assignment / f"{lesson.name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return submissions([lesson], root)


def graded(
    one: Cluster,
    todo: list[Submission],
    *,
    settings: Settings = SETTINGS,
    running: Callable[[list[str]], None] = lambda names: None,
    done: Callable[[Submission, Verdict | None], None] = lambda item, found: None,
    said: list[str] | None = None,
) -> Batch:
    home = one.course
    say = (list[str]() if said is None else said).append
    return cluster.grade_on_cluster(todo, home, settings, scheduler=one.address, running=running, done=done, say=say)


def earned(batch: Batch) -> dict[str, float]:
    return {student: found.earned for (student, _), found in batch.verdicts.items()}


def runs(one: Cluster) -> Counter[str]:
    return Counter((one.course / "runs").read_text().split())


def test_each_is_graded_once_and_trouble_is_its_own(started: Cluster, lesson: Lesson) -> None:
    started.start_scheduler()
    started.start_worker("one", STAND_IN, threads=2)
    counted: list[str] = []

    def done(item: Submission, found: Verdict | None) -> None:
        counted.append(item.student)
        assert (found is not None) == (item.student in ("ada", "bora", "eun"))

    todo = hand_in(lesson, ada="earns 3", bora="earns 1", chul="kills", dana="raises no space left", eun="earns 2")
    batch = graded(started, todo, done=done)
    assert earned(batch) == {"ada": 3, "bora": 1, "eun": 2}
    assert sorted(batch.troubles) == [
        "chul, week1_small/relu: the grader's worker died, twice; its old score stands",
        "dana, week1_small/relu: the grader failed (RuntimeError: no space left); its old score stands",
    ]
    assert sorted(counted) == ["ada", "bora", "chul", "dana", "eun"]
    assert runs(started) == {"ada": 1, "bora": 1, "chul": 2, "dana": 2, "eun": 1}
    again = graded(started, hand_in(lesson, chul="earns 4", dana="earns 0"))
    assert earned(again) == {"ada": 3, "bora": 1, "chul": 4, "dana": 0, "eun": 2}
    assert {student for student, _ in again.fresh} == {"chul", "dana"}


class OneWorker:
    """A line to one worker, as far as it is sent something."""

    threads = workers = 1

    def send(self, lesson: str, student: str, content: bytes) -> str:
        return student


def test_a_file_that_cannot_be_read_is_its_own_trouble(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_bytes

    def unreadable(path: Path) -> bytes:
        if path.parts[-3] == "ada":
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path)

    waiting = deque(hand_in(lesson, ada="earns 3", bora="earns 1"))
    monkeypatch.setattr(Path, "read_bytes", unreadable)
    work = cluster.Work(lesson.course.root, SETTINGS, Batch(), waiting)
    work.send(cast(Line, OneWorker()))
    assert [item.student for item, _ in work.busy.values()] == ["bora"]
    assert [item.student for item in work.answered] == ["ada"]
    assert work.batch.troubles == [
        "ada, week1_small/relu: the grader failed (PermissionError: [Errno 13] Permission denied); its old score stands"
    ]


def test_a_worker_lost_in_the_middle_costs_time_and_nothing_else(started: Cluster, lesson: Lesson) -> None:
    started.start_scheduler()
    started.start_worker("one", STAND_IN)
    started.start_worker("two", STAND_IN)
    os.mkfifo(gate := started.course / "gate")
    lost: list[str] = []

    def kill_the_waiting(names: list[str]) -> None:
        if (found := started.course / "waiting").exists() and not lost:
            gate.unlink()
            lost.extend(name for name, process in started.workers.items() if process.pid == int(found.read_text()))
            started.kill_worker(*lost)

    todo = hand_in(lesson, ada="waits 3", bora="earns 1", chul="earns 2", dana="earns 4")
    batch = graded(started, todo, running=kill_the_waiting)
    assert len(lost) == 1
    assert (earned(batch), batch.troubles) == ({"ada": 3, "bora": 1, "chul": 2, "dana": 4}, [])
    assert runs(started)["ada"] == 2


def test_who_kills_the_workers_is_blamed_by_name_and_nobody_else_is(started: Cluster, lesson: Lesson) -> None:
    started.environment["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "0"
    started.start_scheduler()
    for name in ("one", "two", "three"):
        started.start_worker(name, STAND_IN)
    batch = graded(started, hand_in(lesson, ada="kills-its-worker", bora="earns 1", chul="earns 2"))
    assert earned(batch) == {"bora": 1, "chul": 2}
    assert batch.troubles == [
        "ada, week1_small/relu: it was graded when 1 of the cluster's workers died, and alone when 1 more did; its old "
        "score stands"
    ]
    assert runs(started)["ada"] == 2


def test_another_scheduler_in_the_place_of_a_lost_one_goes_on(started: Cluster, lesson: Lesson) -> None:
    started.start_scheduler()
    started.start_worker("one", STAND_IN)
    os.mkfifo(gate := started.course / "gate")
    said: list[str] = []

    def start_anew(names: list[str]) -> None:
        if gate.exists() and (started.course / "waiting").exists():
            gate.unlink()
            started.kill_scheduler()
            started.kill_worker("one")  # workers end with their scheduler, some a little later
            started.start_scheduler()
            started.start_worker("two", STAND_IN)

    todo = hand_in(lesson, ada="earns 3", bora="waits 1", chul="earns 2")
    batch = graded(started, todo, running=start_anew, said=said)
    assert (earned(batch), batch.troubles) == ({"ada": 3, "bora": 1, "chul": 2}, [])
    assert runs(started) == {"ada": 1, "bora": 2, "chul": 1}
    assert [f"the scheduler at {started.address} is gone" in line for line in said].count(True) == 1


def test_ctrl_c_keeps_what_is_done_and_the_next_call_goes_on(started: Cluster, lesson: Lesson) -> None:
    started.start_scheduler()
    started.start_worker("one", STAND_IN)
    os.mkfifo(gate := started.course / "gate")

    def press(names: list[str]) -> None:
        if gate.exists() and (started.course / "waiting").exists():
            signal.raise_signal(signal.SIGINT)

    todo = hand_in(lesson, ada="earns 3", bora="waits 1", chul="earns 2")
    with pytest.raises(KeyboardInterrupt):
        graded(started, todo, running=press)
    assert [path.parts[-3] for path in (started.course / "verdicts").rglob("*.json")] == ["ada"]
    with gate.open("w"):
        gate.unlink()
    assert earned(graded(started, todo)) == {"ada": 3, "bora": 1, "chul": 2}
    assert runs(started)["ada"] == 1


# What cannot grade is named in a sentence.


def test_a_worker_of_another_version_is_named_and_the_others_grade(started: Cluster, lesson: Lesson) -> None:
    started.start_scheduler()
    started.start_worker("good", STAND_IN)
    started.wait_for_workers(1)  # were the other one there alone, nobody could grade
    started.start_worker("other", STAND_IN, STAND_IN="torch")
    os.mkfifo(gate := started.course / "gate")
    said: list[str] = []

    def wait_for_a_word(names: list[str]) -> None:
        if gate.exists() and (started.course / "waiting").exists() and any("worker" in line for line in said[-1:]):
            with gate.open("w"):
                gate.unlink()

    batch = graded(started, hand_in(lesson, ada="waits 3", bora="earns 1"), running=wait_for_a_word, said=said)
    assert earned(batch) == {"ada": 3, "bora": 1}
    (line,) = (line for line in said if line.startswith("worker "))
    assert line.startswith("worker other at tcp://")
    assert f"is not used: it has torch 1.0 instead of {version('torch')}: install there what you grade with" in line


def test_a_class_that_no_worker_can_grade_ends_with_the_reasons(
    started: Cluster, lesson: Lesson, tmp_path: Path
) -> None:
    other = small_course(tmp_path / "elsewhere")
    (other.source / "hidden.py").write_text("another = 1\n")
    started.start_scheduler()
    started.start_worker("lesson", course=other.course.root)
    started.start_worker("sandbox", PATH=str(tmp_path))
    started.start_worker("nanny", nanny=True)
    started.wait_for_workers(3)
    said: list[str] = []
    with pytest.raises(CourseError, match=r"none of the 3 workers at tcp://.* can grade; why stands above"):
        graded(started, hand_in(lesson, ada="earns 3"), settings=Settings(kernel=WARM), said=said)
    reasons = {line.split()[1]: line.partition(" is not used: ")[2] for line in said if line.startswith("worker ")}
    assert "it has another week1_small/relu, in solutions or weeks" in reasons["lesson"]
    assert "bubblewrap is not installed (no bwrap on PATH): apt-get install bubblewrap" in reasons["sandbox"]
    assert "start it with --no-nanny" in reasons["nanny"]
    assert all(reason.endswith("; then start it again") for reason in reasons.values())
    assert len(said) == len(reasons) == 3


def test_a_scheduler_of_another_version_is_refused(started: Cluster, lesson: Lesson) -> None:
    started.environment["STAND_IN"] = "distributed"
    started.start_scheduler(STAND_IN)
    with pytest.raises(CourseError, match=r"the scheduler at tcp://.* runs distributed 1\.0, this machine 2"):
        graded(started, hand_in(lesson, ada="earns 3"))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "no address at all"])
def test_where_no_scheduler_is_the_command_says_so(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(cluster_line, "CONNECT", 0.1)
    todo = hand_in(lesson, ada="earns 3")
    monkeypatch.chdir(lesson.course.root)
    with pytest.raises(CourseError, match=f"no Dask scheduler answers at {address}.*start one with `dask scheduler`"):
        graded(Cluster(lesson.course.root, lesson.course.root, address=address), todo)


def test_a_course_of_nbgraders_own_is_not_sent(tmp_path: Path) -> None:
    item = Submission(Notebook("hw", "one", "{}", tmp_path), "ada", tmp_path / "one.ipynb")
    with pytest.raises(CourseError, match="grade it without --dask"):
        graded(Cluster(tmp_path, tmp_path), [item])


def test_the_command_starts_without_dask_and_says_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; from grader.cli import app; print('distributed' in sys.modules, 'dask' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
    monkeypatch.setattr(common, "find_spec", lambda name: None)
    with pytest.raises(CourseError, match=r"pip install -c constraints.txt 'etude\[cluster\]'"):
        common.on_cluster(sandbox=True)
