"""Simulates a class on clusters of many sizes from recorded seconds: when would it be graded, what would that take?

python tools/simulate_class.py      # writes benchmarks/results/scale.json, docs/images/scale.png and the table of docs/scale.md

Every duration is drawn, with a recorded seed, from those that benchmarks/bench_cluster.py measured (benchmarks/results/cluster.json):
a submission's, and that of storing a score. Each worker is one core; it begins when it is ready and takes the next submission as
soon as it is free. One writer stores the scores, in the order in which the verdicts come. The network, the scheduler's own
work and lost workers are left out.
"""

from __future__ import annotations

import argparse
import heapq
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from etude import plots
from etude.files import write_whole
from grader.provenance import head

ROOT = Path(__file__).parent.parent
MEASURED = ROOT / "benchmarks" / "results" / "cluster.json"
RECORD = ROOT / "benchmarks" / "results" / "scale.json"
PAGE, IMAGE = ROOT / "docs" / "scale.md", ROOT / "docs" / "images" / "scale.png"
BEGIN, END = "<!-- the table: tools/simulate_class.py -->\n", "<!-- the end of the table -->\n"
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128)


def graded_at(workers: int, ready: float, seconds: Sequence[float]) -> list[float]:
    """Computes when each submission is graded, in the order of the ends.

    Args:
        ready: the second at which a worker begins.
        seconds: what each submission takes, in the order in which they are sent.
    """
    free = [ready] * workers
    ends = []
    for taken in seconds:
        ends.append(heapq.heappop(free) + taken)
        heapq.heappush(free, ends[-1])
    return sorted(ends)


def stored_at(graded: Sequence[float], seconds: Sequence[float]) -> float:
    """Computes when one writer has stored the last score, each after it is graded and after the one before."""
    clock = 0.0
    for end, taken in zip(graded, seconds, strict=True):
        clock = max(clock, end) + taken
    return clock


def simulate(measured: dict[str, Any], submissions: int, seed: int) -> list[dict[str, float]]:
    """Simulates the class for each number of workers. Returns a row for each."""
    rng = np.random.default_rng(seed)
    one = measured["one"]
    seconds = rng.choice(one["submission_seconds"], submissions).tolist()
    stores = rng.choice(measured["store_seconds"], submissions).tolist()
    rows = []
    for workers in WORKERS:
        graded = graded_at(workers, one["ready_seconds"], seconds)
        stored = stored_at(graded, stores)
        rows.append(
            {
                "workers": workers,
                "graded_seconds": round(graded[-1], 1),
                "stored_seconds": round(stored, 1),
                "memory_gb": round(workers * one["memory_mb"] / 1024, 1),
                "core_hours": round(workers * graded[-1] / 3600, 2),
            }
        )
    return rows


def draw(rows: list[dict[str, float]], submissions: int, path: Path) -> None:
    """Draws time, memory and cost over the number of workers."""
    plots.style()
    workers = [row["workers"] for row in rows]
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    left.plot(workers, [row["graded_seconds"] / 60 for row in rows], marker="o", label="graded")
    left.plot(workers, [row["stored_seconds"] / 60 for row in rows], marker="s", ls="--", label="in the gradebook")
    left.set(yscale="log", ylabel="minutes", title=f"{submissions:,} submissions: one writer is the floor")
    left.legend()
    middle.plot(workers, [row["memory_gb"] for row in rows], marker="o", color=plots.COLOURS[2])
    middle.set(yscale="log", ylabel="GB, all workers", title="memory grows with the workers")
    right.plot(workers, [row["core_hours"] for row in rows], marker="o", color=plots.COLOURS[3])
    right.set(ylim=(0, None), ylabel="core-hours", title="cost: getting ready is paid by each")
    for axes in (left, middle, right):
        axes.set(xscale="log", xlabel="workers of one core")
        axes.set_xticks(workers, [str(number) for number in workers])
        axes.minorticks_off()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def table(record: dict[str, Any]) -> str:
    """Writes the rows as a table, with where they come from."""
    lines = [
        "| workers of one core | graded, min | in the gradebook, min | memory, GB | core-hours |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['workers']} | {row['graded_seconds'] / 60:.1f} | {row['stored_seconds'] / 60:.1f} | {row['memory_gb']:.1f} | "
        f"{row['core_hours']:.2f} |"
        for row in record["rows"]
    ]
    measured = record["measured"]
    return "\n".join(
        [
            f"![Minutes, memory and core-hours over the number of workers](images/{IMAGE.name})",
            "",
            *lines,
            "",
            f"Drawn from {measured['submissions']} submissions of {measured['lesson']}, {measured['mean_seconds']:.1f} s each "
            f"in the mean, on {measured['hardware']} (load {measured['load']:.1f}, commit {measured['commit']}). A worker is "
            f"ready after {measured['ready_seconds']:.0f} s and holds {measured['memory_mb']:,} MB. The gradebook's writer "
            f"stores {measured['scores_a_second']:.1f} scores a second. Two workers were {measured['times_as_fast']} times as "
            "fast as one.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=1000, help="%(default)s unless told")
    parser.add_argument("--seed", type=int, default=0, help="of the draws; %(default)s unless told")
    options = parser.parse_args()
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    one, stores = measured["one"], measured["store_seconds"]
    record = {
        **head(shlex.join(["python", *sys.argv])),
        "submissions": options.submissions,
        "seed": options.seed,
        "measured": {
            **{
                name: measured[name]
                for name in ("lesson", "submissions", "hardware", "commit", "load", "times_as_fast")
            },
            "mean_seconds": round(float(np.mean(one["submission_seconds"])), 2),
            "ready_seconds": one["ready_seconds"],
            "memory_mb": one["memory_mb"],
            "scores_a_second": round(len(stores) / sum(stores), 2),
        },
        "rows": simulate(measured, options.submissions, options.seed),
    }
    write_whole(RECORD, json.dumps(record, indent=1) + "\n")
    draw(record["rows"], options.submissions, IMAGE)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    write_whole(PAGE, f"{before}{BEGIN}\n{table(record)}\n{END}{after}")
    print(
        f"{RECORD.relative_to(ROOT)}, {IMAGE.relative_to(ROOT)} and the table of {PAGE.relative_to(ROOT)} are written"
    )


if __name__ == "__main__":
    main()
