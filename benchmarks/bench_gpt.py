"""Benchmark of the course's GPT: training against transformers' GPT-2 and a plain one, writing text with a cache and without.

All sides start from the same weights and read the same batches. Without dropout their losses are compared step by step; with
dropout, as they are trained, they are timed in turn. Texts are written greedily and must be the same.
"""

from __future__ import annotations

import json
import os
import shlex
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import torch
import transformers
import typer
from bench_models import BATCH, CORES, LENGTH, training
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional

from etude.models.gpt import GPT, GPTConfig
from etude.models.gpt_checkpoints import save_gpt
from etude.models.sampling import most_likely, write
from grader.provenance import head

LATEST = Path("build/bench/gpt.json")
VOCABULARY = 8000
TEXT = 256  # tokens of a text that is written
PROMPT = 8
SIZES = {"tiny": (2, 128), "mini": (4, 256)}  # layers, width
GOALS = {"tiny": 1.1, "mini": 1.1, "writing_1": 5.0, "writing_16": 5.0}

console = Console()


class Theirs(nn.Module):
    """transformers' GPT2LMHeadModel as it comes."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, tokens: Tensor) -> Tensor:
        labels = tokens[:, 1:].contiguous()
        loss: Tensor = self.model(input_ids=tokens[:, :-1], labels=labels, shift_labels=labels).loss
        return loss


class PlainBlock(nn.Module):
    """GPT-2's block written out: no mask, no cache, no choice of form."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        width = config.n_embd
        self.heads, self.dropout = config.n_head, config.dropout
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project_in, self.project_out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.inner, self.outer = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = self.project_in(self.norm1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        rate = self.dropout if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(q, k, v, dropout_p=rate, is_causal=True)  # (B, h, N, d/h)
        attended = self.project_out(mixed.transpose(1, 2).reshape(batch, length, width))
        x = x + functional.dropout(attended, self.dropout, self.training)
        fed = self.outer(functional.gelu(self.inner(self.norm2(x)), approximate="tanh"))
        return x + functional.dropout(fed, self.dropout, self.training)


class Plain(nn.Module):
    """The shortest GPT-2 that trains: what any code must be measured against."""

    def __init__(self, ours: GPT) -> None:
        super().__init__()
        config = ours.config
        self.tokens = nn.Embedding(config.vocab_size, config.n_embd)
        self.positions = nn.Embedding(config.n_positions, config.n_embd)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.Sequential(*(PlainBlock(config) for _ in range(config.n_layer)))
        self.norm = nn.LayerNorm(config.n_embd)
        with torch.no_grad():
            for block, own in zip(self.blocks, ours.layers, strict=True):
                pairs = {
                    "norm1": "attention_sum.norm",
                    "norm2": "feed_forward_sum.norm",
                    "project_in": "attention.project_in",
                    "project_out": "attention.project_out",
                    "inner": "feed_forward.0",
                    "outer": "feed_forward.2",
                }
                for mine, other in pairs.items():
                    block.get_submodule(mine).load_state_dict(own.get_submodule(other).state_dict())
            for name in ("tokens", "positions", "norm"):
                self.get_submodule(name).load_state_dict(ours.get_submodule(name).state_dict())

    def forward(self, tokens: Tensor) -> Tensor:
        read, labels = tokens[:, :-1], tokens[:, 1:]
        x = self.dropout(self.tokens(read) + self.positions.weight[: read.size(1)])
        logits = functional.linear(self.norm(self.blocks(x)), self.tokens.weight)  # (B, N, V)
        return functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def transformers_gpt(ours: GPT) -> Any:
    with TemporaryDirectory() as folder:
        save_gpt(ours, Path(folder))
        return transformers.GPT2LMHeadModel.from_pretrained(folder)


def systems(config: GPTConfig) -> dict[str, nn.Module]:
    """Our GPT, and the two others with the same weights."""
    torch.manual_seed(0)
    ours = GPT(config)
    return {"ours": ours, "transformers": Theirs(transformers_gpt(ours)), "plain": Plain(ours)}


def make_batch(number: int) -> Tensor:
    """Draws tokens as frequent as Zipf says: (B, N + 1)."""
    generator = torch.Generator().manual_seed(number)
    frequency = 1 / torch.arange(1, VOCABULARY + 1)
    return torch.multinomial(frequency, BATCH * (LENGTH + 1), replacement=True, generator=generator).view(BATCH, -1)


def gpt_training(name: str, steps: int, repeats: int) -> dict[str, Any]:
    layers, width = SIZES[name]
    batches = [make_batch(number) for number in range(steps)]
    config = GPTConfig(VOCABULARY, LENGTH, width, layers, width // 64)
    section = training(systems(replace(config, dropout=0.0)), systems(config), batches, repeats)
    plain = statistics.median(section["tokens_per_second"]["plain"])
    return {**section, "figure_plain": statistics.median(section["tokens_per_second"]["ours"]) / plain}


@torch.inference_mode()
def recomputed(model: GPT, prompt: Tensor, longest: int) -> Tensor:
    """Writes greedily, and computes the whole text anew for each token: (B, N) → (B, N + longest)."""
    text = prompt
    for _ in range(longest):
        token = model.logits(model.hidden(text)[:, -1]).argmax(dim=-1)  # (B,)
        text = torch.cat([text, token[:, None]], dim=1)
    return text


def writing(batch: int, repeats: int) -> dict[str, Any]:
    """Times texts of 256 tokens, written with the cache, without, and by transformers' generate; all must be the same."""
    torch.manual_seed(0)
    ours = GPT(GPTConfig(VOCABULARY, TEXT, 256, 4, 4, initializer_range=0.2)).eval()
    theirs = transformers_gpt(ours).eval()
    prompt = torch.randint(VOCABULARY, (batch, PROMPT))
    new = TEXT - PROMPT
    sides: dict[str, Callable[[], Tensor]] = {
        "cache": lambda: write(ours, prompt, new, most_likely),
        "recomputed": lambda: recomputed(ours, prompt, new),
        "transformers": lambda: theirs.generate(
            prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=new, do_sample=False, pad_token_id=0
        ),
    }
    seconds: dict[str, list[float]] = {side: [] for side in sides}
    texts = {}
    for _ in range(repeats):
        for side, written in sides.items():
            started = time.perf_counter()
            texts[side] = written()
            seconds[side].append(time.perf_counter() - started)
    median = {side: statistics.median(runs) for side, runs in seconds.items()}
    return {
        "seconds": seconds,
        "figure": median["recomputed"] / median["cache"],
        "figure_transformers": median["transformers"] / median["cache"],
        "agree": all(torch.equal(texts["cache"], text) for text in texts.values()),
    }


def main(
    steps: Annotated[int, typer.Option(min=3, help="Steps in one timing.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="Timings of each side.")] = 3,
    only: Annotated[list[str] | None, typer.Option(help=f"A section; repeat it: {', '.join(GOALS)}.")] = None,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = LATEST,
) -> None:
    """Train a GPT with the course's code and with two others, write texts with a cache and without, and compare.

    \b
    python benchmarks/bench_gpt.py                          (some minutes; build/bench/gpt.json)
    python benchmarks/bench_gpt.py --only tiny --repeats 1  (a quick look)
    """
    asked = only or list(GOALS)
    if unknown := [name for name in asked if name not in GOALS]:
        raise typer.BadParameter(f"there is no section {unknown[0]!r}; there are {', '.join(GOALS)}")
    torch.set_num_threads(CORES)
    quiet: Any = transformers.logging  # its types are its own
    quiet.set_verbosity_error()
    quiet.disable_progress_bar()
    report: dict[str, Any] = {
        **head(shlex.join(["python", *sys.argv]), "torch", "transformers"),
        "load": os.getloadavg()[0],
        "length": LENGTH,
        "batch": BATCH,
        "vocabulary": VOCABULARY,
        "sections": {},
    }
    for name in asked:
        started = time.perf_counter()
        report["sections"][name] = (
            gpt_training(name, steps, repeats) if name in SIZES else writing(int(name.split("_")[1]), repeats)
        )
        console.print(f"{name}: {time.perf_counter() - started:.0f} s")
    report["goals"] = GOALS
    report["met"] = {name: section["figure"] >= GOALS[name] for name, section in report["sections"].items()}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    show(report)
    if not all(section["agree"] for section in report["sections"].values()):
        raise typer.Exit(1)


def show(report: dict[str, Any]) -> None:
    table = Table(
        "section", "times transformers, or no cache", "goal", "times a plain GPT, or generate", "same results"
    )
    for name, section in report["sections"].items():
        other = section.get("figure_plain") or section["figure_transformers"]
        agree = "yes" if section["agree"] else "no"
        table.add_row(name, f"{section['figure']:.2f}", f">= {GOALS[name]}", f"{other:.2f}", agree)
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
