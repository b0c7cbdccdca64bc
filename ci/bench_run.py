"""How long the main job takes: `grader rehearse` from an empty build folder, and each week's references within it.

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

GOALS = {"week1_embeddings": 90, "week2_tokenizers": 60}  # seconds of a week's references in the smoke profile


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
        seconds = round(time.perf_counter() - started, 1)
        lessons = {
            "/".join(path.parts[-4:-2]): round(nbformat.read(path, as_version=4).metadata.papermill.duration, 1)
            for path in sorted((clone / "build" / "runs").glob("*/*/smoke-seed0/*.ipynb"))
        }
    weeks = {week: round(sum(s for name, s in lessons.items() if name.startswith(f"{week}/")), 1) for week in GOALS}
    result = {
        "rehearse_seconds": seconds,
        "smoke_seconds": lessons,
        "week_seconds": weeks,
        "goals": GOALS,
        "command": "python ci/bench_run.py",
        "when": now(),
        "commit": commit(),
        "hardware": hardware("cpu"),
        "versions": versions(),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"rehearsal: {seconds:.1f} s")
    for week, goal in GOALS.items():
        print(f"{week}: {weeks[week]:.1f} s, goal under {goal}: {'reached' if weeks[week] < goal else 'missed'}")


if __name__ == "__main__":
    main()
