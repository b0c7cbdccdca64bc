"""How long the main job takes: `grader demo` from an empty build folder; then `grader run WEEK` in each profile for which
a week has a goal, with as many lessons at a time as there are cores.

python benchmarks/bench_run.py            # writes benchmarks/results/run.json; runs in a clone of HEAD in a temporary folder
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

from grader.course import ROOT
from grader.provenance import head

GOALS = {  # seconds of `grader run WEEK`, by profile
    "smoke": {
        "week1_embeddings": 90,
        "week2_tokenizers": 60,
        "week3_reading": 30,
        "week4_transformer": 180,
        "week5_variants": 180,
        "week6_objectives": 180,
        "week7_distillation_knowledge": 180,
    },
    "cpu": {
        "week1_embeddings": 360,
        "week2_tokenizers": 300,
        "week4_transformer": 900,
        "week5_variants": 720,
        "week6_objectives": 720,
        "week7_distillation_knowledge": 720,
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "run.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "etude"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        demo = seconds(clone, "demo")
        weeks = {
            profile: {week: seconds(clone, "run", week, "--profile", profile) for week in goals}
            for profile, goals in GOALS.items()
        }
        lessons = {profile: durations(clone, profile) for profile in GOALS}
    result = {
        "demo_seconds": demo,
        "lesson_seconds": lessons,
        "week_seconds": weeks,
        "goals": GOALS,
        **head("python benchmarks/bench_run.py"),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"demo: {demo:.1f} s")
    for profile, goals in GOALS.items():
        for week, goal in goals.items():
            verdict = "reached" if weeks[profile][week] < goal else "missed"
            print(f"{week}, {profile}: {weeks[profile][week]:.1f} s, goal under {goal}: {verdict}")


def seconds(clone: Path, *command: str) -> float:
    """Seconds of wall clock that a command of the grader takes in the clone."""
    grader = str(Path(sys.executable).with_name("grader"))
    started = time.perf_counter()
    subprocess.run([grader, *command], cwd=clone, check=True, env={**os.environ, "COLUMNS": "120"})
    return round(time.perf_counter() - started, 1)


def durations(clone: Path, profile: str) -> dict[str, float]:
    """Lesson → seconds of its reference's run."""
    runs = sorted((clone / "build" / "runs").glob(f"*/*/{profile}-seed0/*.ipynb"))
    return {
        "/".join(path.parts[-4:-2]): round(nbformat.read(path, as_version=4).metadata.papermill.duration, 1)
        for path in runs
    }


if __name__ == "__main__":
    main()
