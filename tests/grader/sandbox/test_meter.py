"""A meter charges for computing and for idling, and for nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from grader.kernels.session import KernelSession
from grader.sandbox.meter import LONGEST_STEP, STANDSTILL, Activity, Meter, of_process

pytestmark = pytest.mark.sandbox

MOST_STEPS = 10_000  # of a loop that waits: at 0.01 s a step, far more than any machine needs


class Machine:
    """A clock and a kernel that a test moves on by hand."""

    def __init__(self) -> None:
        self.now, self.cpu, self.runnable, self.processes = 0.0, 0.0, False, frozenset({1})
        self.meter = Meter(lambda: Activity(self.cpu, self.runnable, self.processes), clock=lambda: self.now)

    def passes(self, seconds: float, cpu: float = 0.0, runnable: bool = False) -> float:
        self.now, self.cpu, self.runnable = self.now + seconds, self.cpu + cpu, runnable
        return self.meter.charge()


def test_computing_costs_what_it_computes_however_long_the_clock_takes() -> None:
    assert Machine().passes(0.1, cpu=0.1, runnable=True) == pytest.approx(0.1)
    assert Machine().passes(0.8, cpu=0.1, runnable=True) == pytest.approx(0.1)


def test_waiting_for_a_processor_is_free() -> None:
    assert Machine().passes(0.9, runnable=True) == 0.0


def test_sleeping_costs_what_the_clock_says() -> None:
    assert Machine().passes(0.7) == pytest.approx(0.7)


def test_where_a_process_has_ended_the_clock_is_the_least() -> None:
    machine = Machine()
    machine.processes = frozenset({1, 2})
    assert machine.passes(0.1, runnable=True) == 0.0
    machine.processes = frozenset({1, 3})
    assert machine.passes(0.1, runnable=True) == pytest.approx(0.1)
    machine.processes = frozenset({1})
    assert machine.passes(0.1, cpu=0.3, runnable=True) == pytest.approx(0.4)
    assert machine.passes(0.1, runnable=True) == pytest.approx(0.4)


def test_many_processors_cost_their_sum() -> None:
    assert Machine().passes(0.1, cpu=0.4, runnable=True) == pytest.approx(0.4)


def test_what_was_before_the_meter_is_not_charged() -> None:
    meter = Meter(lambda: Activity(5.0, False), clock=lambda: 0.0)
    assert meter.charge() == 0.0


def test_idleness_before_resuming_is_forgiven_and_computing_is_not() -> None:
    machine = Machine()
    machine.now, machine.cpu = 50.0, 2.0
    machine.meter.resume()
    assert machine.passes(0.1, runnable=True) == pytest.approx(2.0)


def test_a_machine_that_stands_still_costs_nobody_more_than_a_step() -> None:
    machine = Machine()
    assert machine.passes(3600.0) == pytest.approx(LONGEST_STEP)
    assert machine.meter.stood_still == pytest.approx(3600.0)


def test_a_late_look_is_no_standstill() -> None:
    machine = Machine()
    machine.passes(STANDSTILL / 2)
    assert machine.meter.stood_still == 0.0


def test_a_process_that_has_ended_costs_only_the_clock() -> None:
    seen = [Activity(1.0, True)]

    def look() -> Activity:
        if not seen:
            raise psutil.NoSuchProcess(1)
        return seen.pop()

    now = [0.0]
    meter = Meter(look, clock=lambda: now[0])
    now[0] = 0.5
    assert meter.charge() == pytest.approx(0.5)


# The real thing: a loop, and a sleeper, in plain and in sandboxed kernels.

LOOP = "import time\nbegan = time.process_time()\nwhile time.process_time() - began < 1: pass"


@pytest.mark.parametrize("kernel", ["python3", "etude-sandbox", "etude-warm"])
def test_a_kernel_is_charged_for_what_it_computes(kernel: str, tmp_path: Path) -> None:
    assert 0.9 < metered(kernel, tmp_path, LOOP) < 3  # a little for the kernel itself


@pytest.mark.parametrize("kernel", ["python3", "etude-warm"])
def test_a_kernel_that_waits_for_a_processor_is_not_charged_for_it(kernel: str, tmp_path: Path) -> None:
    neighbours = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    mine = os.sched_getaffinity(0)
    core = min(mine)
    try:
        for neighbour in neighbours:
            os.sched_setaffinity(neighbour.pid, {core})
        os.sched_setaffinity(0, {core})
        assert 0.9 < metered(kernel, tmp_path, LOOP) < 3
    finally:
        os.sched_setaffinity(0, mine)
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()


@pytest.mark.parametrize("kernel", ["python3", "etude-warm"])
def test_a_kernel_is_charged_for_children_that_have_ended(kernel: str, tmp_path: Path) -> None:
    code = f"import subprocess, sys\n_ = subprocess.run([sys.executable, '-c', {LOOP!r}])"
    assert 0.9 < metered(kernel, tmp_path, code) < 4  # the child's start is charged too


def test_a_kernel_is_charged_for_children_that_nobody_waits_for(tmp_path: Path) -> None:
    code = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets them, and what they have computed
for _ in range(40):
    if os.fork() == 0:
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass
        os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        pass
"""
    assert metered("etude-warm", tmp_path, code) > 1


@pytest.mark.parametrize("kernel", ["python3", "etude-warm"])
def test_a_sleeper_is_charged_for_sleeping(kernel: str, tmp_path: Path) -> None:
    assert metered(kernel, tmp_path, "import time\ntime.sleep(1)") > 0.8


def test_many_looks_beside_the_watchdogs_charge_nothing_twice(tmp_path: Path) -> None:
    with KernelSession(tmp_path, "etude-warm") as session:
        looks = [session.provisioner.activity().cpu_seconds for _ in range(3000)]
    assert looks == sorted(looks)


def metered(kernel: str, folder: Path, code: str) -> float:
    """Seconds that the session's meter counts for one cell."""
    from nbformat.v4 import new_code_cell, new_notebook

    from grader.kernels.runner import run_notebook

    with KernelSession(folder, kernel) as session:
        notebook = new_notebook(cells=[new_code_cell("pass"), new_code_cell(code)])
        report = run_notebook(notebook, session, parameters={}, cell_timeout=60, notebook_timeout=60)
        assert [cell.status for cell in report.cells] == ["ok"] * 3
        return report.cells[-1].spent


def test_a_plain_processs_children_count(tmp_path: Path) -> None:
    before = of_process(os.getpid()).cpu_seconds
    subprocess.run([sys.executable, "-c", LOOP], check=True)
    assert of_process(os.getpid()).cpu_seconds - before > 0.9


def until(condition: Callable[[], bool]) -> None:
    for _ in range(MOST_STEPS):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("it did not come to that")


def test_a_process_that_loops_is_runnable_and_one_that_sleeps_is_not() -> None:
    for code, runnable in (("while True: pass", True), ("import time; time.sleep(600)", False)):
        process = subprocess.Popen([sys.executable, "-c", code])
        try:
            until(lambda: of_process(process.pid).runnable is runnable)  # noqa: B023 - asked at once
        finally:
            process.kill()
            process.wait()
