"""How long the main job takes: `grader rehearse` from an empty build folder, and the reference's smoke profile within it.

python ci/bench_run.py            # writes ci/results/run.json; runs in a clone of HEAD in a temporary folder
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat

from grader.calibrate import commit, hardware
from grader.course import ROOT
from grader.verdict import now, versions

GOALS = {"rehearse_seconds": 240, "smoke_seconds": 20}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "ci" / "results" / "run.json")
    options = parser.parse_args()
    grader = str(Path(sys.executable).with_name("grader"))
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "etude"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        started = time.perf_counter()
        subprocess.run([grader, "rehearse"], cwd=clone, check=True, env={**os.environ, "COLUMNS": "120"})
        seconds = {"rehearse_seconds": round(time.perf_counter() - started, 1)}
        executed = list((clone / "build" / "runs").glob("*/*/smoke-seed0/*.ipynb"))
        durations = {path.stem: nbformat.read(path, as_version=4).metadata.papermill.duration for path in executed}
        seconds["smoke_seconds"] = round(max(durations.values()), 1)
    result = {
        **seconds,
        "goals": GOALS,
        "command": "python ci/bench_run.py",
        "when": now(),
        "commit": commit(),
        "hardware": hardware("cpu"),
        "versions": versions(),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for name, goal in GOALS.items():
        print(
            f"{name.replace('_', ' ')}: {seconds[name]:.1f}, goal under {goal}: {'reached' if seconds[name] < goal else 'missed'}"
        )


if __name__ == "__main__":
    main()
