"""What breaks around grading costs nobody a score: after the next run every score is there, once.

Processes are really killed and a disk is really full; a power cut is an end after each single step that reaches the disk.
tests/grader/classes/test_batch.py kills the command and its workers.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
import stand_in
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.apps import NbGraderAPI
from stand_in import POINTS, exercise

from etude.files import write_whole
from grader.classes.batch import Batch, grade_batch
from grader.classes.uploads import Submission, submissions
from grader.grading import store, verdict
from grader.grading.verdict import Verdict
from grader.nbgrader import config, gradebook
from grader.nbgrader.course import NbgraderCourse
from grader.sandbox.fork_server import close_fork_servers
from grader.settings import Settings, ready

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

STUDENTS = ("ada", "bora", "chul")
RULES = {"schema_version": 3, "grade_id": "check", "grade": True, "locked": True, "solution": False, "task": False}
TEST = new_code_cell("assert answer == 42", metadata={"nbgrader": {**RULES, "points": POINTS, "cell_type": "code"}})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course of nbgrader's with one released notebook of one graded cell."""
    root = tmp_path / "course"
    (root / "source" / "hw").mkdir(parents=True)
    (root / "nbgrader_config.py").write_text("c = get_config()\n")
    nbformat.write(new_notebook(cells=[TEST]), root / "source" / "hw" / "one.ipynb")
    config.release(NbgraderCourse(root), "hw")  # type: ignore[arg-type]
    return root


def hand_in(root: Path, code: str, *students: str) -> list[Submission]:
    for student in students:
        path = root / "submitted" / student / "hw" / "one.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(new_notebook(cells=[new_code_cell(code), TEST]), path)
    return submissions(NbgraderCourse(root).lessons(), root)


def graded(todo: list[Submission], home: Path, when_running: Callable[[], None] = lambda: None) -> Batch:
    return grade_batch(
        todo, home, Settings(), jobs=2, running=lambda names: when_running(), done=lambda item, found: None
    )


def earned(batch: Batch) -> dict[str, float]:
    return {student: found.earned for (student, _), found in batch.verdicts.items()}


# Processes.


def fork_servers() -> list[psutil.Process]:
    """The fork servers that this process has started: interpreters that read their program from standard input."""
    return [child for child in psutil.Process().children() if child.cmdline()[1:2] == ["-"]]


def runs_a_kernel(server: psutil.Process) -> bool:
    """Whether one of its kernels has come so far as to have started the threads that talk to jupyter."""
    try:
        return any(kernel.num_threads() > 2 for kernel in server.children(recursive=True))
    except psutil.Error:  # one has ended just now
        return False


def test_a_killed_fork_server_takes_kernels_with_it_and_no_points(root: Path) -> None:
    assert not ready(Settings())
    todo = hand_in(root, "import time; time.sleep(1); answer = 42", *STUDENTS)
    close_fork_servers()  # that of earlier tests: the one to be killed is the one that this batch starts
    killed: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        while not (killed or ended.is_set()):
            for server in fork_servers():
                if runs_a_kernel(server):
                    server.kill()
                    killed.append(server.pid)

    thread = threading.Thread(target=kill)
    thread.start()
    batch = graded(todo, root)
    ended.set()
    thread.join()
    assert killed
    assert batch.troubles == []
    assert earned(batch) == dict.fromkeys(STUDENTS, POINTS)


def test_a_kernel_that_is_killed_ends_its_own_notebook_alone(root: Path) -> None:
    hand_in(root, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "bora")
    todo = hand_in(root, "answer = 42", "ada", "chul")
    batch = graded(todo, root)
    assert earned(batch) == {"ada": POINTS, "bora": 0, "chul": POINTS}
    assert "SIGKILL" in batch.verdicts["bora", "hw/one"].reason


# The disk.


def made(student: str) -> Verdict:
    return Verdict(
        lesson="hw/one",
        student=student,
        status="graded",
        submission="",
        inputs="of this",
        profile="smoke",
        seed=0,
        sandbox="",
        exercises=[exercise(3)],
    )


def test_a_full_disk_leaves_what_was_stored_and_nothing_half_written(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    write_whole(path, "before")
    child = os.fork()
    if child == 0:  # in a process of its own, whose files may not grow: the write itself fails, as on a full disk
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            write_whole(path, "after" * 1000)
        except OSError:
            os._exit(28)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 28
    assert path.read_text() == "before"
    assert [found.name for found in tmp_path.iterdir()] == ["one.json"]


class PowerCut(BaseException):
    """Nothing that comes after it happens, not even cleaning up."""


@pytest.mark.parametrize("cut", range(12))
def test_after_a_power_cut_at_any_step_a_verdict_is_whole_or_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    notebook, path = new_notebook(cells=[new_code_cell("1 + 1")]), tmp_path / "ada" / "one.json"
    steps = 0

    def counted(function: Callable[..., object]) -> Callable[..., object]:
        def step(*arguments: object, **options: object) -> object:
            nonlocal steps
            steps += 1
            if steps > cut:
                raise PowerCut
            return function(*arguments, **options)

        return step

    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "mkstemp", counted(tempfile.mkstemp))
        patched.setattr(os, "fdopen", counted(os.fdopen))
        patched.setattr(os, "fsync", counted(os.fsync))
        patched.setattr(Path, "replace", counted(Path.replace))
        patched.setattr(Path, "unlink", counted(Path.unlink))
        try:
            store.save(path, made("ada"), notebook)
        except PowerCut:
            assert cut < 8
        else:
            assert cut >= 8  # two files, four steps each
    found = verdict.load(path)
    if cut < 8:
        assert found is None
        store.save(path, made("ada"), notebook)
        found = verdict.load(path)
    assert found == made("ada")
    assert nbformat.read(path.with_suffix(".ipynb"), as_version=4) == notebook


# The gradebook.


@pytest.mark.parametrize("after", [1, 3, 6])
def test_a_command_killed_while_it_stores_scores_stores_each_once_in_the_end(root: Path, after: int) -> None:
    """`after`: how many times the gradebook's file has changed when the kill comes."""
    for number, student in enumerate(STUDENTS, start=1):
        path = root / "submitted" / student / "hw" / "one.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(f"earns {number}")
    command = [sys.executable, stand_in.__file__, "autograde"]
    book = root / "gradebook.db"
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seen = {book.stat().st_mtime_ns}
    while len(seen) <= after and process.poll() is None:
        seen.add(book.stat().st_mtime_ns)
    process.kill()
    process.wait()
    assert len(seen) > 1
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    found = gradebook.scores(NbgraderCourse(root), root, "hw")
    assert [(score.student, score.score) for score in found] == [("ada", 1), ("bora", 2), ("chul", 3)]


def test_ctrl_c_while_nbgrader_stores_comes_after_it_has_stored(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """nbgrader's own commands catch everything, KeyboardInterrupt too."""
    hand_in(root, "answer = 42", "ada")
    stored = NbGraderAPI.autograde

    def interrupted(self: NbGraderAPI, *arguments: object, **options: object) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return stored(self, *arguments, **options)

    monkeypatch.setattr(NbGraderAPI, "autograde", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gradebook.store(NbgraderCourse(root), root, "hw", "ada", Settings())
    assert len(gradebook.scores(NbgraderCourse(root), root, "hw")) == 1
