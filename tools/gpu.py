"""Runs lessons' references in the gpu profile on a machine that has torch but no Jupyter, and writes measured tables.

    OUT=results python tools/gpu.py week1_embeddings/word2vec --seeds 5
    python tools/gpu.py week1_embeddings/word2vec --profile smoke --device cpu --out /tmp/try --seconds 60

Each seed is one row, written as soon as it is there: the command can be cut at any moment, and called again it goes on
with the seeds that are missing. Needs torch, numpy, pandas, scipy, matplotlib, tqdm, safetensors, pooch; run it from the repository's root.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("MPLBACKEND", "agg")
sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]
CELL = re.compile(r"^# %%(.*)$", re.MULTILINE)


def code_cells(source: str) -> list[str]:
    """The code cells of a notebook in the percent format, in order, without check(...) cells and papermill's parameters."""
    pieces = CELL.split(source)[1:]
    cells = [
        body
        for header, body in zip(pieces[::2], pieces[1::2], strict=True)
        if "[markdown]" not in header and '"parameters"' not in header
    ]
    return [cell for cell in cells if not cell.strip().startswith("check(")]


def measure(lesson: str, profile: str, seed: int, device: str, folder: Path) -> dict[str, float]:
    """One run of a lesson's reference: its metrics and the seconds it took."""
    import json

    source = (Path("solutions") / lesson / "notebook.py").read_text(encoding="utf-8")
    space = {
        "__name__": "__main__",
        "profile": profile,
        "seed": seed,
        "device": device,
        "out": str(folder),
        "display": print,
    }
    started = time.perf_counter()
    for cell in code_cells(source):
        exec(compile(cell, lesson, "exec"), space)
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    return {**metrics, "seconds": round(time.perf_counter() - started, 2)}


def main() -> None:
    import pandas as pd
    import torch

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="+", metavar="WEEK/LESSON")
    parser.add_argument("--profile", default="gpu")
    parser.add_argument("--device", default="cuda", choices=["cuda", "mps", "cpu"])
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds, from 1000 on")
    parser.add_argument(
        "--out", type=Path, default=Path(os.environ.get("OUT", "build/gpu")), help="default: $OUT, else build/gpu"
    )
    parser.add_argument(
        "--seconds", type=float, default=540, help="start no seed that would probably end later than this"
    )
    options = parser.parse_args()
    name = torch.cuda.get_device_name() if options.device == "cuda" else platform.machine()
    started, longest = time.perf_counter(), 0.0
    for lesson in options.lessons:
        table = options.out / f"{lesson.replace('/', '_')}_{options.profile}.csv"
        kept = pd.read_csv(table).to_dict("records") if table.is_file() else []
        rows: list[dict[str, Any]] = [{str(name): value for name, value in row.items()} for row in kept]
        for seed in range(1000, 1000 + options.seeds):
            if any(row["seed"] == seed for row in rows):
                continue
            if time.perf_counter() - started + longest > options.seconds:
                print(f"{lesson}: no time left for seed {seed}; call again for the rest")
                break
            folder = options.out / "runs" / f"{lesson.replace('/', '_')}-{seed}"
            found = measure(lesson, options.profile, seed, options.device, folder)
            longest = max(longest, found["seconds"])
            rows.append(
                {
                    "lesson": lesson,
                    "profile": options.profile,
                    "seed": seed,
                    **found,
                    "hardware": name,
                    "torch": torch.__version__,
                    "python": platform.python_version(),
                }
            )
            part = table.with_suffix(".part")
            pd.DataFrame(rows).to_csv(part, index=False)
            part.replace(table)
            print(
                f"{lesson} seed {seed}: " + ", ".join(f"{key} {value:.4g}" for key, value in found.items()), flush=True
            )


if __name__ == "__main__":
    main()
