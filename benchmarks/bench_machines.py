"""The main job on unlike machines: alone, on one core beside three busy neighbours, at a quarter of the speed, on another processor.

python benchmarks/bench_machines.py    # an hour; writes benchmarks/results/machines.json; runs in clones of HEAD

A right grader ends with status 0 on each and gives every submission the points that it has alone. Needs Linux; the quarter of
the speed needs root and the system's own CPU quota (cgroups), and is left out, with the reason, where there is none.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.course import ROOT
from grader.provenance import head
from grader.release.arithmetic import OTHER_PROCESSOR

NEIGHBOURS = 3
PERIOD_US = 100_000
V1, V2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
BIN = Path(sys.executable).parent


@contextlib.contextmanager
def busy_core() -> Iterator[dict[str, Any]]:
    """Keeps what is started to one core, where three others compute all the time."""
    core = {min(os.sched_getaffinity(0))}
    neighbours = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(NEIGHBOURS)]
    try:
        for neighbour in neighbours:
            os.sched_setaffinity(neighbour.pid, core)
        yield {"preexec_fn": lambda: os.sched_setaffinity(0, core)}
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()


@contextlib.contextmanager
def quarter() -> Iterator[dict[str, Any]]:
    """Lets what is started compute a quarter of the time that all cores have. Raises OSError where no quota can be set."""
    quota = PERIOD_US * len(os.sched_getaffinity(0)) // 4
    root = V1 if V1.is_dir() else V2
    group = root / f"etude-{os.getpid()}"
    group.mkdir()
    try:
        if root == V1:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (group / "cpu.max").write_text(f"{quota} {PERIOD_US}")
        yield {"preexec_fn": lambda: (group / "cgroup.procs").write_text(str(os.getpid()))}
    finally:
        group.rmdir()


MACHINES: dict[str, Any] = {
    "alone": lambda: contextlib.nullcontext({}),
    "another processor": lambda: contextlib.nullcontext({"env": {**os.environ, **OTHER_PROCESSOR}}),
    "one core, three busy neighbours": busy_core,
    "a quarter of the speed": quarter,
}


def demo(which: str, options: dict[str, Any]) -> dict[str, Any]:
    """Status, seconds and points of every submission, from an empty build folder."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "etude"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        started = time.monotonic()
        command = [str(BIN / "grader"), "demo", *which.split()]
        done = subprocess.run(command, cwd=clone, capture_output=True, text=True, **options)
        seconds = round(time.monotonic() - started, 1)
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True).stdout
        paths = sorted((clone / "build" / "class" / "verdicts").glob("*/*/*.json"))
        found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    return {
        "status": done.returncode,
        "seconds": seconds,
        "files_changed": changed.splitlines(),
        "points": {f"{one['student']} {one['lesson']}": points(one) for one in found},
        "notes": sorted({note for one in found for note in one["notes"]}),
        "machine": [one["time"]["machine"] for one in found if one["time"]],
        "said": "" if done.returncode == 0 else done.stdout[-2000:] + done.stderr[-2000:],
    }


def points(verdict: dict[str, Any]) -> float:
    """What a verdict earns, to six digits."""
    checks = sum(c["points"] for e in verdict["exercises"] for c in e["checks"] if c["status"] == "passed")
    total: float = checks + sum(metric["points"] * metric["share"] for metric in verdict["metrics"])
    return round(total, 6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="?", default="", help="a week or a lesson; all unless told")
    parser.add_argument(
        "--on", nargs="*", choices=MACHINES, default=list(MACHINES), help="which machines; all unless told"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "machines.json")
    options = parser.parse_args()
    result = json.loads(options.out.read_text(encoding="utf-8")) if options.out.is_file() else {}
    for name in options.on:
        try:
            with MACHINES[name]() as how:
                result[name] = demo(options.which, how) | head("python benchmarks/bench_machines.py " + options.which)
        except OSError as error:
            print(f"{name}: left out, {error}")
            continue
        one, alone = result[name], result.get("alone", result[name])
        unlike = [who for who, earned in alone["points"].items() if one["points"].get(who) != earned]
        print(
            f"{name}: status {one['status']}, {one['seconds']} s, {len(unlike)} of {len(alone['points'])} unlike: {unlike}"
        )
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
