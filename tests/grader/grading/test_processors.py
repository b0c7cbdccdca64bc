"""What is committed is the same whatever the processor: this machine computes as others would, and nothing changes.

The settings choose other instructions in torch, MKL, oneDNN, OpenBLAS and numpy, as another processor does, so last digits
differ. The audit compares every lesson's tables with what this machine itself computes. One lesson is always tried on one other
processor; the others, and more processors, if lessons have changed since they were audited.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from scipy.stats import binom
from small import fingerprints

from etude.lesson import mistakes, table
from etude.lesson.checks import run_check
from etude.lesson.student import LiveStudent
from grader.course import Course, Lesson
from grader.lessons import bank, source
from grader.lessons import known_mistakes as kept_mistakes
from grader.quality import calibrate
from grader.release import known_mistakes
from grader.release.arithmetic import OTHER_PROCESSOR, environment

pytestmark = pytest.mark.slow

BIN = Path(sys.executable).parent
ONE_BY_ONE = {
    "torch, least": {"ATEN_CPU_CAPABILITY": "default"},
    "torch, avx2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "torch, avx512": {"ATEN_CPU_CAPABILITY": "avx512"},
    "OpenBLAS": {"OPENBLAS_CORETYPE": OTHER_PROCESSOR["OPENBLAS_CORETYPE"]},
    "numpy": {"NPY_DISABLE_CPU_FEATURES": OTHER_PROCESSOR["NPY_DISABLE_CPU_FEATURES"]},
}
NUMERIC = "sparse"  # factorises matrices: of all lessons it depends most on the order of sums
SEED = 4000  # neither calibrated on nor kept fresh for the error rates
OUTSIDE = 0.01  # of the values of right runs, at most, by the interval's own promise
CHANCE = 1e-6


@pytest.fixture(scope="module")
def numeric() -> Lesson:
    return Course().lesson(NUMERIC)


def test_the_settings_do_change_what_is_computed() -> None:
    code = "import torch; torch.manual_seed(0); x = torch.randn(300, 300); print((x @ x).double().sum().item())"
    command = [sys.executable, "-c", code]
    here = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    with environment(OTHER_PROCESSOR):
        elsewhere = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert here != elsewhere
    assert float(here) == pytest.approx(float(elsewhere), rel=1e-4)


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_wrong_answers_come_out_as_they_are_kept(numeric: Lesson, changed: Callable[[Lesson], bool], name: str) -> None:
    if not changed(numeric):
        pytest.skip("the lesson has not changed since it was audited: run it with --every-lesson")
    wrong = [answer for answer in bank.load(numeric) if answer.sentence is not None]
    with environment(ONE_BY_ONE[name]):
        seen = known_mistakes._run(numeric, wrong)
    kept = kept_mistakes.read(numeric.source / kept_mistakes.PRIVATE).tried
    unlike = [
        answer.label
        for answer, one, old in zip(wrong, seen, kept, strict=True)
        if not kept_mistakes.same(one, old.outcomes)
    ]
    assert unlike == []


def test_a_student_with_two_threads_is_told_the_same(numeric: Lesson) -> None:
    known = mistakes.load(numeric.released.with_suffix("") / "mistakes.json")
    checks = source.checks(numeric, hidden=False)

    def told(answer: bank.Answer, threads: int) -> str | None:
        torch.set_num_threads(threads)
        student = LiveStudent(source.namespace(numeric, {answer.exercise: answer.code}))
        outcomes = [run_check(check, student) for check in checks if check.exercise == answer.exercise]
        return mistakes.diagnose(outcomes, known.get(answer.exercise, []))

    before, named = torch.get_num_threads(), 0
    try:
        for answer in bank.load(numeric):
            name = told(answer, 2)
            assert name == told(answer, 1), answer.label
            assert name is None or str(answer.sentence) in name, (
                answer.label
            )  # a right one, without a sentence, has none
            named += name is not None
    finally:
        torch.set_num_threads(before)
    assert named


@pytest.mark.grading_path
def test_a_table_made_anew_on_another_processor_is_the_same_to_the_byte(course_copy: Course) -> None:
    lesson = course_copy.lesson(NUMERIC)
    path = lesson.source / kept_mistakes.PRIVATE
    committed = path.read_bytes()
    content = json.loads(committed)
    path.write_text(json.dumps(content | {"code": "of older checks"}), encoding="utf-8")
    with environment(OTHER_PROCESSOR):
        known_mistakes.write(lesson, lesson.released.with_suffix("") / "mistakes.json")
    assert path.read_bytes() == committed
    public = lesson.released.with_suffix("").relative_to(course_copy.root) / "mistakes.json"
    assert (course_copy.root / public).read_bytes() == (Course().root / public).read_bytes()


@pytest.mark.grading_path
def test_a_demo_changes_no_committed_file(course_copy: Course) -> None:
    before = fingerprints(course_copy.root)
    environment_there = {**os.environ, **OTHER_PROCESSOR, "COLUMNS": "80"}
    for _ in range(2):
        command = [str(BIN / "grader"), "demo", "marking"]
        done = subprocess.run(command, cwd=course_copy.root, env=environment_there, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert fingerprints(course_copy.root) == before
    assert "5 unchanged" in done.stdout


def test_the_tables_intervals_hold_on_another_processor_with_two_threads(
    course: Course, numeric: Lesson, changed: Callable[[Lesson], bool]
) -> None:
    outside, measured = [], 0
    for lesson in (lesson for lesson in course.lessons() if lesson.id == numeric.id or changed(lesson)):
        with environment(OTHER_PROCESSOR):
            run = calibrate._run(lesson, calibrate.Task("smoke", "cpu", SEED), threads=2)
        for row in table.of_profile(table.read(lesson.source / "expected.csv"), "smoke").values():
            if row.metric in run.metrics and row.measured:
                measured += 1
                if row.distance(run.metrics[row.metric]) > 0:
                    outside.append(f"{lesson.name}: {row.metric}")
    assert binom.sf(len(outside) - 1, measured, OUTSIDE) > CHANCE, outside
