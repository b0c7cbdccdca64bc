"""Fine-tunes BERT on the real tasks of the course, beside the majority and counted words, and keeps every score.

    python tools/finetune_real.py                                            (each task, BERT-tiny from scratch)
    python tools/finetune_real.py nsmc klue_nli --model build/gpu/bert-tiny-ko   (of tools/pretrain_real.py)
    python tools/finetune_real.py sst2 --model google-bert/bert-base-uncased --rate 3e-5 --device cuda

A model is a folder with config.json, model.safetensors and vocab.txt, or the name of one on the hub, which is fetched once. Scores
are added to --out one by one; what stands there already, of the same model and settings, is not done again. Then
`python tools/render_real_tasks.py` writes docs/real_tasks.md.
"""

from __future__ import annotations

import argparse
import csv
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from etude.corpora import datasets, tasks  # noqa: E402
from etude.finetuning import baselines  # noqa: E402
from etude.finetuning.score import Scores  # noqa: E402
from etude.finetuning.tune import Setting, finetune  # noqa: E402
from etude.models.bert import Bert, BertConfig  # noqa: E402
from etude.models.checkpoints import load_bert  # noqa: E402
from etude.tokenizers.wordpiece import WordPiece  # noqa: E402
from grader.provenance import head  # noqa: E402
from tools.pretrain_real import VOCABULARY  # noqa: E402

RESULTS = Path("benchmarks/results/real_tasks.csv")
COLUMNS = ("task", "model", "metric", "value", "train", "test", "settings", "seconds", "made")
SCRATCH = "scratch"


def load(model: str, language: str, seed: int) -> tuple[Bert, WordPiece]:
    """Makes BERT-tiny from random weights, or reads a model from a folder or the hub."""
    if model == SCRATCH:
        tokenizer = WordPiece(datasets.text(VOCABULARY[language]).splitlines(), lower=language == "en")
        torch.manual_seed(seed)
        return Bert(BertConfig.of_size("tiny", len(tokenizer.vocabulary))), tokenizer
    folder = Path(model)
    if not folder.is_dir():
        from huggingface_hub import snapshot_download

        folder = Path(snapshot_download(model, allow_patterns=["config.json", "model.safetensors", "vocab.txt"]))
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return load_bert(folder).bert, WordPiece(words, lower=language == "en")


KEY = ("task", "model", "train", "test", "settings")  # what is the same is not done again


def rows(task: tasks.Task, options: argparse.Namespace, done: set[tuple[str, ...]]) -> Iterator[dict[str, Any]]:
    """Scores one task: the two baselines where they are not known, then the model."""
    split = tasks.sample(tasks.load(task.name), options.train, options.test)
    setting = Setting(options.steps, rate=options.rate, seed=options.seed, device=options.device)
    ways: dict[str, tuple[str, Callable[[], Scores]]] = {
        "majority": ("", lambda: baselines.majority(task, split)),
        "counted words": ("", lambda: baselines.counted_words(task, split)),
        Path(options.model).name: (
            json.dumps({key: value for key, value in asdict(setting).items() if key != "device"}),
            lambda: finetune(task, split, *load(options.model, task.language, options.seed), setting),
        ),
    }
    for model, (settings, way) in ways.items():
        common = {
            "task": task.name,
            "model": model,
            "train": str(len(split.train)),
            "test": str(len(split.test)),
            "settings": settings,
        }
        if tuple(common[key] for key in KEY) in done:
            continue
        started = time.process_time()
        scores: Scores = way()
        origin = head(shlex.join(["python", *sys.argv]))
        common |= {
            "seconds": str(round(time.process_time() - started)),
            "made": f"{origin['hardware']}; commit {origin['commit']}; {origin['when'][:10]}",
        }
        yield from ({**common, "metric": metric, "value": f"{value:.4f}"} for metric, value in scores.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", help=f"{', '.join(tasks.TASKS)}; none for all of the model's language")
    parser.add_argument("--model", default=SCRATCH, help="a folder, a name on the hub, or scratch")
    parser.add_argument("--language", choices=["en", "ko"], help="only tasks in this language")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--train", type=int, default=20_000, help="the most examples to train on")
    parser.add_argument("--test", type=int, default=1000, help="the most examples to score")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    chosen = [tasks.task(name) for name in options.tasks] or list(tasks.TASKS.values())
    done = set()
    if options.out.is_file():
        with options.out.open(newline="", encoding="utf-8") as file:
            done = {tuple(row[key] for key in KEY) for row in csv.DictReader(file)}
    else:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    for task in chosen:
        if options.language in (None, task.language):
            scored = list(rows(task, options, done))
            with options.out.open("a", newline="", encoding="utf-8") as file:
                csv.DictWriter(file, COLUMNS).writerows(scored)
            for row in scored:
                print(f"{task.title}: {row['model']}, {row['metric']} {row['value']} ({row['seconds']} s)")


if __name__ == "__main__":
    main()
