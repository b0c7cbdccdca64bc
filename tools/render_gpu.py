"""Renders docs/gpu.md from the recorded rehearsals in benchmarks/results/gpu.json: no figure on that page is typed by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "benchmarks" / "results" / "gpu.json"
PAGE = ROOT / "docs" / "gpu.md"
SHARE = 0.4  # of the peak that a well-fed GPU reaches
# FLOPs a second without sparsity, from NVIDIA's data sheets (SXM): products of bfloat16, and float32 without tensor cores.
PEAK = {
    "H100": {"bfloat16": 989.4e12, "float32": 66.9e12},
    "A100": {"bfloat16": 312e12, "float32": 19.5e12},
}
TEXT = """# The gpu profile

Rendered by `python tools/render_gpu.py`. No figure here was measured on a GPU: they are **computed**, by a rehearsal on a CPU.

Each notebook has a profile `gpu`: the same code, larger. Three commands belong to it:

| command | what it does | needs |
|---|---|---|
| `python tools/rehearse_gpu.py WEEK/LESSON` | rehearses a lesson's trainings, counts FLOPs and memory | a CPU |
| `OUT=results python tools/gpu.py WEEK/LESSON` | runs the lesson's reference and writes its table | torch, a GPU |
| `OUT=results python tools/pretrain_real.py` | pre-trains BERT-small on real text, prints its share of the peak | torch, a GPU |

The last two write what is done as they go, end by themselves after eight or nine minutes and go on when called again.

## What the rehearsal proves

The notebook runs in the gpu profile on the CPU. In place of each training its first batch is sent through the model as fake tensors
on `cuda:0`, which know device and shape and hold no numbers: a tensor left on the CPU or of a wrong shape ends the rehearsal. Then
the model takes one real step, whose FLOPs and saved activations are counted. Not proved: the way back on the device (a build without
CUDA cannot go it), kernels, and what a notebook does beside training.

## What it would take

Memory is the least: parameters, gradients, Adam's moments and saved activations of the largest training. Seconds are of all of a
lesson's trainings at {share:.0%} of the peak of an H100 or A100 in the precision that is used. That is a lower bound: models as small
as these wait for their kernels to start, not for products.

| lesson | trainings | steps | parameters, largest | FLOPs | memory | seconds, H100 | seconds, A100 |
|---|---|---|---|---|---|---|---|
{rows}

{others}

{origins}
"""


def row(lesson: str, trainings: list[dict[str, Any]]) -> str:
    """Sums a lesson's trainings up in a line of the table."""
    steps, largest = sum(t["steps"] for t in trainings), max(t["parameters"] for t in trainings)
    flops, memory = sum(t["steps"] * t["flops"] for t in trainings), max(t["bytes"] for t in trainings)
    times = [sum(t["steps"] * t["flops"] / (SHARE * peak[t["precision"]]) for t in trainings) for peak in PEAK.values()]
    seconds = " | ".join(f"{time:.2g}" if time < 10 else f"{time:,.0f}" for time in times)
    return f"| {lesson} | {len(trainings)} | {steps:,} | {largest:,} | {flops:.2g} | {memory / 2**20:,.0f} MiB | {seconds} |"


def page(record: dict[str, Any]) -> str:
    """Writes the page of a record."""
    lessons = record["lessons"]
    others = [lesson for lesson, one in lessons.items() if not one["trainings"]]
    origins = sorted({f"{one['hardware']}, torch {one['versions']['torch']}" for one in lessons.values()})
    return TEXT.format(
        share=SHARE,
        rows="\n".join(row(lesson, one["trainings"]) for lesson, one in lessons.items() if one["trainings"]),
        others=f"Run in the same way to their end, but with no call of etude.train.train to count: {', '.join(others)}.",
        origins="Rehearsed on " + "; ".join(origins) + ". Commands and commits are in benchmarks/results/gpu.json.",
    )


if __name__ == "__main__":
    PAGE.write_text(page(json.loads(RECORD.read_text(encoding="utf-8"))), encoding="utf-8")
