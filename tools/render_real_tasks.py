"""Renders docs/real_tasks.md from the scores in benchmarks/results/real_tasks.csv: no figure on that page is typed by hand."""

from __future__ import annotations

import csv
import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT)]

from etude.corpora.tasks import TASKS, Task  # noqa: E402
from etude.finetuning.score import MAIN  # noqa: E402

RECORD = ROOT / "benchmarks" / "results" / "real_tasks.csv"
PAGE = ROOT / "docs" / "real_tasks.md"
KINDS = {
    "label": "A class for one text or two",
    "score": "How alike two sentences are",
    "tags": "A tag for each word",
    "answer": "An answer's place in a passage",
    "choice": "Which ending",
}
TEXT = """# Real tasks

Rendered by `python tools/render_real_tasks.py` from recorded runs of `python tools/finetune_real.py`.

The lesson [bert_finetuning](../weeks/week4_transformer/bert_finetuning.ipynb) shows fine-tuning in the planted world, where
everything that decides an answer is known. This page does the same on real corpora in English and Korean (`etude.corpora.tasks`), with what
the lesson builds by hand taken from `etude.finetuning`. Beside each model stand the **majority** and **counted words** (tf-idf, or each
word's commonest tag): a model that is not above them has learnt nothing that needs a network.

BERT-tiny has 2 layers of width 128. From scratch it knows no more than the labels of the task; pre-trained models begin at what
`tools/pretrain_real.py` made of real text, or at published weights: `--model google-bert/bert-base-uncased` where there is a network.

bert-tiny-en saw 8 million tokens: `tools/pretrain_real.py --size tiny --device cpu --steps 2000 --batch 32` (benchmarks/results/bert.csv).
Its loss of 7.1 says that it knows how frequent words are, and little more. To start from that is worse than to start from nothing:
what pre-training is worth on real text needs the longer run on a GPU, which has not been made.

A corpus without a test part is parted by document, one in five for the test. At most 1,000 test examples are scored. Means over seeds.
"""


def tables(rows: list[dict[str, str]]) -> list[str]:
    scores: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    sizes: dict[str, tuple[str, str]] = {}
    models: list[str] = []
    for row in rows:
        scores[row["task"], row["model"], row["metric"]].append(float(row["value"]))
        sizes[row["task"]] = row["train"], row["test"]
        if row["model"] not in models:
            models.append(row["model"])
    lines = []
    for kind, title in KINDS.items():
        lines += ["", f"## {title}", "", f"| task | language | train | test | metric | {' | '.join(models)} |"]
        lines.append("|---" * (5 + len(models)) + "|")
        for task in (task for task in TASKS.values() if task.kind == kind and task.name in sizes):
            lines += _lines(task, sizes[task.name], models, scores)
    return lines


def _lines(
    task: Task, sizes: tuple[str, str], models: list[str], scores: dict[tuple[str, str, str], list[float]]
) -> list[str]:
    """Writes one line for each metric of a task, that which counts first."""
    metrics = dict.fromkeys([MAIN[task.kind], *(metric for name, _, metric in scores if name == task.name)])
    lines = []
    for number, metric in enumerate(metrics):
        found = [scores.get((task.name, model, metric)) for model in models]
        cells = ["" if values is None else f"{statistics.mean(values):.3f}" for values in found]
        head = [task.title, task.language, *(f"{int(size):,}" for size in sizes)] if number == 0 else [""] * 4
        lines.append(f"| {' | '.join([*head, metric, *cells])} |")
    return lines


def settings(rows: list[dict[str, str]]) -> list[str]:
    made = sorted({(row["model"], row["settings"], row["made"]) for row in rows if row["settings"]})
    lines = ["", "## Settings", "", "| model | settings | where |", "|---|---|---|"]
    for model, setting, where in made:
        told = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in json.loads(setting).items())
        lines.append(f"| {model} | {told} | {where} |")
    return lines


def main() -> None:
    with RECORD.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    PAGE.write_text("\n".join([TEXT.rstrip(), *tables(rows), *settings(rows)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
