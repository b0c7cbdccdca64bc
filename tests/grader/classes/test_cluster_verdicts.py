"""Real submissions on workers in network namespaces of their own earn what they earn on one machine, to the letter.

Each namespace stands for a host: nothing leads from one to the other, and a wire to the scheduler from each. A course is
built, its submissions run in sandboxes, and the command stores their scores in nbgrader's gradebook.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hostile
import nbformat
import pytest
import tomlkit
from dask_cluster import Cluster, namespaces
from sandboxed import machine  # noqa: F401 - a fixture

from grader.classes.batch import grade_one
from grader.classes.uploads import submissions
from grader.course import Course
from grader.grading import store, verdict
from grader.lessons.source import filled
from grader.settings import Settings

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

# What is measured, and so differs from run to run and from machine to machine; docs/scale.md names the same.
MEASURED: dict[str, Any] = {
    "seconds": True,
    "graded_at": True,
    "time": True,
    "memory": True,
    "cells": {"__all__": {"seconds", "spent"}},
    "exercises": {"__all__": {"checks": {"__all__": {"seconds", "spent"}}}},
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course of one small lesson, built; ada is right, bora half right, chul handed in no notebook and dana a link."""
    made = hostile.course_to_attack(tmp_path_factory.mktemp("here") / "course", "", "")
    limits, path = {"cell_seconds": 600, "notebook_seconds": 600, "memory_mb": 1024}, made.root / "course.toml"
    path.write_text(tomlkit.dumps(tomlkit.parse(path.read_text()).unwrap() | {"limits": limits}))  # for a slow machine
    (lesson,) = (made := Course(made.root)).lessons()
    right = hostile.honest(lesson, ("softmax", "count_pairs"), "no secret")
    for student in ("ada", "bora", "chul", "dana"):
        folder = made.root / "submitted" / student / lesson.assignment
        folder.mkdir(parents=True)
        if student == "chul":
            (folder / f"{lesson.name}.ipynb").write_text("no notebook")
        elif student == "dana":
            (folder / f"{lesson.name}.ipynb").symlink_to(lesson.source / "notebook.py")
        else:
            answers = right | ({"softmax": hostile.WRONG} if student == "bora" else {})
            nbformat.write(filled(lesson, answers), folder / f"{lesson.name}.ipynb")
    return made


@pytest.fixture(scope="module")
def hosts() -> Iterator[tuple[str, list[str]]]:
    try:
        made = namespaces(2)
        address, names = made.__enter__()
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no network namespaces can be made here, which takes root: {error}")
    yield address, names
    made.__exit__(None, None, None)


def decided(path: Path) -> dict[str, Any]:
    found = verdict.load(path)
    assert found is not None
    return found.model_dump(exclude=MEASURED)


def cells(path: Path) -> list[tuple[str, Any]]:
    """What the cells of an executed notebook hold and gave out, without the times of their run."""
    notebook = nbformat.read(path, as_version=4)
    return [(cell.source, cell.get("outputs")) for cell in notebook.cells]


def test_two_hosts_that_share_nothing_give_the_verdicts_of_one_machine(
    course: Course, hosts: tuple[str, list[str]], tmp_path: Path
) -> None:
    address, (one, two) = hosts
    elsewhere = Path(shutil.copytree(course.root, tmp_path / "elsewhere", ignore=shutil.ignore_patterns("submitted")))
    with Cluster(tmp_path, course.root, host=address) as cluster:
        scheduler = cluster.start_scheduler()
        cluster.start_worker("one", namespace=one)
        cluster.start_worker("two", namespace=two, course=elsewhere)
        cluster.wait_for_workers(2)
        command = [str(hostile.BIN / "grader"), "autograde", hostile.WEEK, "--dask", scheduler]
        done = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr + cluster.log("one") + cluster.log("two")
    assert done.stderr == ""
    todo = submissions(course.lessons(), course.root)
    for item in todo:
        grade_one(item, tmp_path / "alone", Settings())
        there, here = (
            store.verdict_path(home, item.student, item.lesson) for home in (course.root, tmp_path / "alone")
        )
        assert decided(there) == decided(here)
        assert there.with_suffix(".ipynb").is_file() == here.with_suffix(".ipynb").is_file() == (item.student < "chul")
        if item.student < "chul":
            assert cells(there.with_suffix(".ipynb")) == cells(here.with_suffix(".ipynb"))
    booked = hostile.scores(course)
    assert booked["ada"] > booked["bora"] > booked["chul"] == booked["dana"] == 0
