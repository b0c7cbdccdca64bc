"""A check's limits are the grader's: what a student's object does costs the check, and nobody else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook

from grader.grading.own_time import OwnTimeOver, at_most
from grader.kernels.runner import run_notebook
from grader.kernels.session import KernelSession
from grader.remote.budget import Budget, OverBudget
from grader.remote.client import CodecError, MisusedHandle, Student, StudentTimeout

NOTEBOOK = """
import time
import torch

class Nest:
    __len__ = lambda self: 2
    __iter__ = lambda self: iter([Nest(), Nest()])
    __getitem__ = lambda self, index: Nest()

def nest(): return Nest()
def one(): return 1
def loop():
    while True: pass
def wide(n): return torch.zeros(n, n, dtype=torch.int8)
def text(n): return "x" * n
def sleep(seconds): time.sleep(seconds); return seconds
"""
PLENTY = Budget(seconds=60, requests=1000, reply_bytes=1 << 20)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelSession]:
    with KernelSession(tmp_path_factory.mktemp("work")) as session:
        notebook = new_notebook(cells=[new_code_cell(NOTEBOOK)])
        report = run_notebook(notebook, session, parameters={}, cell_timeout=60, notebook_timeout=60)
        assert report.cells[-1].status == "ok"
        yield session


@pytest.fixture
def student(session: KernelSession) -> Student:
    return session.student(timeout=60)


@pytest.mark.parametrize("convert", [np.asarray, np.array, torch.as_tensor])
def test_numpy_and_torch_do_not_walk_a_students_object(student: Student, convert: object) -> None:
    student.begin(PLENTY)
    with pytest.raises((MisusedHandle, ValueError)):  # torch's own word for it
        convert(student.nest())  # type: ignore[operator]


def test_questions_are_counted_over_all_of_a_check(student: Student) -> None:
    account = student.begin(Budget(seconds=60, requests=10, reply_bytes=1 << 20))
    with pytest.raises(OverBudget, match="after 10 questions"):
        [student.one() for _ in range(100)]
    assert account.requests == 11


def test_the_next_check_begins_anew(student: Student) -> None:
    student.begin(Budget(seconds=60, requests=2, reply_bytes=1 << 20))
    assert student.one() == 1
    student.begin(PLENTY)
    assert [student.one() for _ in range(5)] == [1] * 5


def test_seconds_are_counted_over_all_of_a_check(student: Student) -> None:
    account = student.begin(Budget(seconds=1, requests=1000, reply_bytes=1 << 20))
    with pytest.raises(StudentTimeout, match=re.escape("no answer within 1 s")):
        [student.sleep(0.3) for _ in range(1000)]
    assert account.requests < 2 * 20


def test_a_loop_ends_and_the_kernel_lives(student: Student) -> None:
    account = student.begin(Budget(seconds=0.5, requests=1000, reply_bytes=1 << 20))
    with pytest.raises(StudentTimeout, match=re.escape("no answer within 0.5 s")):
        student.loop()
    assert account.spent() >= 0.5
    student.begin(PLENTY)
    assert student.one() == 1


@pytest.mark.parametrize("name", ["wide", "text"])
def test_an_answer_that_is_too_large_is_refused_where_it_is_made(student: Student, name: str) -> None:
    account = student.begin(PLENTY)
    with pytest.raises(CodecError, match=r"bytes where at most 1,048,576 can be right"):
        student[name](4_000_000 if name == "text" else 2_000)
    assert account.largest_reply < 1000
    assert student.one() == 1


def test_an_answer_that_fits_comes_whole_and_is_counted(student: Student) -> None:
    account = student.begin(PLENTY)
    assert student.wide(1000).shape == (1000, 1000)
    assert 1_000_000 < account.largest_reply < 1_001_000


# What the grader itself computes.


def test_work_of_our_own_that_does_not_end_is_ended() -> None:
    with pytest.raises(OwnTimeOver, match=re.escape("more than 0.2 s of processor time")), at_most(0.2):
        re.match(r"(a+)+$", "a" * 40 + "b")


def test_who_catches_every_exception_does_not_go_on() -> None:
    def stubborn() -> None:
        while True:
            try:
                while True:
                    pass
            except Exception:
                continue

    with pytest.raises(OwnTimeOver), at_most(0.2):
        stubborn()


def test_work_that_ends_in_time_is_not_disturbed_afterwards() -> None:
    with at_most(0.2):
        pass
    assert sum(range(5_000_000)) > 0
