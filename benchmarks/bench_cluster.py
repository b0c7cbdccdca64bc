"""Benchmark of grading on a cluster: the same class by one Dask worker and by two, each kept to a core of its own.

A worker kept to one core stands for a host of one core; the scheduler and the client share both cores with them. What is timed
is grading alone, from the first submission sent to the last verdict stored, with workers that have measured the reference.
Beside it stand what a simulation of a larger class needs (tools/simulate_class.py): the seconds of each submission, of a worker
getting ready, of the gradebook's writer, and a worker's memory. Needs Linux with taskset, and two cores.

python benchmarks/bench_cluster.py                      # about ten minutes; benchmarks/results/cluster.json
python benchmarks/bench_cluster.py --submissions 4      # a quick look; build/bench/cluster.json
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import psutil
import tomlkit
from distributed import Client, LocalCluster

from grader.classes.cluster import grade_on_cluster
from grader.classes.uploads import Submission, submissions
from grader.course import ROOT, Course
from grader.grading.verdict import Verdict
from grader.lessons import source
from grader.nbgrader import gradebook
from grader.provenance import head
from grader.quality.sample_class import answers
from grader.release.build import release_to, write_master
from grader.settings import Settings

LESSON = "week1_embeddings/sparse"
RECORD = ROOT / "benchmarks" / "results" / "cluster.json"
WHOLE_CLASS = 24
GOAL = 1.8  # times as fast with the second host


def make_course(root: Path, submissions: int) -> Course:
    """Makes a course of one lesson, handed in by students of four kinds in turn: right in other ways, half, mistaken, empty."""
    week, name = LESSON.split("/")
    course = tomlkit.parse((ROOT / "course.toml").read_text(encoding="utf-8")).unwrap()
    entries = next(entry for entry in course["weeks"] if entry["name"] == week)
    entries["lessons"] = [lesson for lesson in entries["lessons"] if lesson["name"] == name]
    course["weeks"] = [entries]
    root.mkdir()
    (root / "course.toml").write_text(tomlkit.dumps(course), encoding="utf-8")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    shutil.copytree(ROOT / "solutions" / LESSON, root / "solutions" / LESSON)
    shutil.copytree(ROOT / "weeks" / LESSON, root / "weeks" / LESSON)
    shutil.copy(ROOT / "weeks" / f"{LESSON}.ipynb", root / "weeks" / week)
    made = Course(root)
    lesson = made.lesson(name)
    kinds = [given for student, given in answers(lesson).items() if student != "eun"]
    for number in range(submissions):
        path = root / "submitted" / f"student{number:03d}" / week / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(source.filled(lesson, kinds[number % len(kinds)]), path)
    return made


@contextmanager
def workers(scheduler: str, course: Course, cores: list[int]) -> Iterator[list[psutil.Process]]:
    """Runs a worker of one thread on each of the cores."""
    command = [sys.executable, "-m", "dask", "worker", scheduler, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    command += ["--memory-limit", "0", "--local-directory", str(course.root / "scratch")]
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "DASK_LOGGING__DISTRIBUTED": "error"}
    started = [
        subprocess.Popen(["taskset", "-c", str(core), *command], cwd=course.root, env=environment) for core in cores
    ]
    try:
        yield [psutil.Process(process.pid) for process in started]
    finally:
        for process in started:
            process.terminate()
            process.wait()


class Memory:
    """The most that the processes below some have held, shared pages divided among those that share them."""

    def __init__(self, processes: list[psutil.Process]) -> None:
        self.processes, self.mb = processes, 0.0

    def look(self) -> None:
        held = 0
        for process in [below for one in self.processes for below in [one, *one.children(recursive=True)]]:
            try:
                held += process.memory_full_info().pss
            except psutil.Error:  # it has ended
                continue
        self.mb = max(self.mb, held / 2**20)


def timed(todo: list[Submission], home: Path, scheduler: str, memory: Memory) -> tuple[float, list[Verdict]]:
    """Grades the class. Returns the seconds that it took, and its verdicts."""

    def running(names: list[str]) -> None:
        if time.monotonic() > look[0]:
            memory.look()
            look[0] = time.monotonic() + 5

    look, started = [0.0], time.monotonic()
    batch = grade_on_cluster(
        todo, home, Settings(), scheduler=scheduler, running=running, done=lambda item, found: None, say=print
    )
    seconds = time.monotonic() - started
    if batch.troubles:
        raise RuntimeError("\n".join(batch.troubles))
    return seconds, list(batch.verdicts.values())


def measured(course: Course, cores: list[int]) -> dict[str, Any]:
    """Grades the class by workers on these cores; first one submission, so that they are ready."""
    todo = submissions(course.lessons(), course.root)
    home = course.root / f"home{len(cores)}"
    scheduler = LocalCluster(n_workers=0, processes=False, dashboard_address=None, host="tcp://127.0.0.1")
    with scheduler, workers(scheduler.scheduler_address, course, cores) as processes:
        memory = Memory(processes)
        begun, (first,) = timed(todo[:1], course.root / f"warm-up{len(cores)}", scheduler.scheduler_address, memory)
        with Client(scheduler.scheduler_address, set_as_default=False) as client:
            while [bool(worker["resources"]) for worker in client.scheduler_info()["workers"].values()] != [True] * len(
                cores
            ):
                time.sleep(0.5)  # the others get ready too
        seconds, verdicts = timed(todo, home, scheduler.scheduler_address, memory)
    return {
        "workers": len(cores),
        "ready_seconds": round(begun - first.seconds, 2),
        "seconds": round(seconds, 2),
        "memory_mb": round(memory.mb / len(cores)),
        "submission_seconds": [verdict.seconds for verdict in verdicts],
        "points": {verdict.student: verdict.earned for verdict in verdicts},
    }


def store_seconds(course: Course, students: list[str]) -> list[float]:
    """Seconds that the gradebook's writer takes for each student's week."""
    (week,) = {lesson.week.name for lesson in course.lessons()}
    home = course.root / "home1"
    shutil.copytree(course.root / "submitted", home / "submitted")
    for lesson in course.lessons():
        write_master(lesson)
    release_to(course, week, home)
    seconds = []
    for student in students:
        started = time.monotonic()
        gradebook.store(course, home, week, student, Settings())
        seconds.append(round(time.monotonic() - started, 3))
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--submissions", type=int, default=WHOLE_CLASS, help="how many students; %(default)s unless told"
    )
    parser.add_argument("--out", type=Path, help="where the figures go")
    options = parser.parse_args()
    whole = options.submissions >= WHOLE_CLASS
    out = options.out or (RECORD if whole else ROOT / "build" / "bench" / "cluster.json")
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise SystemExit("two hosts are stood for by two cores, and this machine gives one")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        Path(folder).chmod(0o755)
        course = make_course(Path(folder, "course"), options.submissions)
        one, two = measured(course, cores[:1]), measured(course, cores)
        stored = store_seconds(course, [path.name for path in sorted((course.root / "submitted").iterdir())])
    report = {
        **head(shlex.join(["python", *sys.argv]), "distributed", "nbgrader"),
        "load": os.getloadavg()[0],
        "lesson": LESSON,
        "submissions": options.submissions,
        "one": one,
        "two": two,
        "store_seconds": stored,
        "times_as_fast": round(one["seconds"] / two["seconds"], 2),
        "goal": GOAL,
        "points_agree": one["points"] == two["points"],
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(
        f"one worker {one['seconds']} s, two {two['seconds']} s: {report['times_as_fast']} times as fast, goal {GOAL}; "
        f"points agree: {report['points_agree']}; {out}"
    )


if __name__ == "__main__":
    main()
