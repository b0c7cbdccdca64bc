"""Benchmark of the course's models: BERT's pre-training against transformers, beam search with a cache against without, a
distilled student beside its teacher.

Both sides start from the same weights, read the same batches and take the same optimizer's steps. Without dropout their
losses are compared step by step; with dropout, as it is trained, they are timed in turn.
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
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional

from etude.models.bert import IGNORED, Bert, BertConfig, BertForPretraining, PretrainingBatch
from etude.models.checkpoints import save_bert
from etude.models.distilled import DistilBertConfig, DistilBertForMaskedLM
from etude.models.distilled_checkpoints import save_distilbert
from etude.models.search import beam_search
from etude.models.transformer import Transformer, TransformerConfig
from grader.provenance import head

LATEST = Path("build/bench/models.json")
LENGTH, BATCH = 128, 32  # tokens of a sequence, sequences of a batch
CORES = 2
MASK, FIRST_WORD = 4, 5
SIZES = {
    "tiny": ("L=2 H=128", 8000),
    "mini": ("L=4 H=256", 8000),
    "tiny_full": ("L=2 H=128", 30_522),
    "mini_full": ("L=4 H=256", 30_522),
}
SERVED = {"distilled_1": 1, "distilled_32": 32}  # texts at a time
GOALS = {"tiny": 1.5, "mini": 1.5, "tiny_full": 3.0, "mini_full": 3.0, "beam_search": 5.0, **dict.fromkeys(SERVED, 1.6)}
TITLES = {
    "beam_search": "beam search, 128 tokens",
    **{name: f"DistilBERT beside BERT base, {count} x 128 tokens" for name, count in SERVED.items()},
}

console = Console()


def make_batch(vocabulary: int, number: int) -> PretrainingBatch:
    """Draws sequences of which 15 % of the tokens are to be predicted, as [MASK]; words as frequent as Zipf says."""
    generator = torch.Generator().manual_seed(number)
    frequency = 1 / torch.arange(1, vocabulary - FIRST_WORD + 1)
    words = torch.multinomial(frequency, BATCH * LENGTH, replacement=True, generator=generator)
    tokens = words.view(BATCH, LENGTH) + FIRST_WORD
    masked = torch.rand(BATCH, LENGTH, generator=generator) < 0.15
    return PretrainingBatch(
        tokens.masked_fill(masked, MASK), torch.zeros_like(tokens), tokens.masked_fill(~masked, IGNORED)
    )


class Whole(nn.Module):
    """transformers' BertForMaskedLM as it comes: logits for every token."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: PretrainingBatch) -> Tensor:
        loss: Tensor = self.model(
            input_ids=batch.tokens,
            attention_mask=torch.ones_like(batch.tokens),
            token_type_ids=batch.segments,
            labels=batch.labels,
        ).loss
        return loss


class MaskedAlone(nn.Module):
    """transformers' encoder and its head, which is given the masked positions alone."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: PretrainingBatch) -> Tensor:
        hidden = self.model.bert(
            batch.tokens, attention_mask=torch.ones_like(batch.tokens), token_type_ids=batch.segments
        ).last_hidden_state
        masked = batch.labels != IGNORED
        return functional.cross_entropy(self.model.cls(hidden[masked]), batch.labels[masked])


def systems(config: BertConfig) -> dict[str, nn.Module]:
    """Our BERT, and transformers' with the same weights twice."""
    torch.manual_seed(0)
    ours = BertForPretraining(config)
    with TemporaryDirectory() as folder:
        save_bert(ours, Path(folder))
        theirs = [transformers.BertForMaskedLM.from_pretrained(folder) for _ in range(2)]
    return {
        "ours": ours,
        "transformers": Whole(theirs[0]),
        "transformers, head on masked tokens": MaskedAlone(theirs[1]),
    }


def bert_training(name: str, steps: int, repeats: int) -> dict[str, Any]:
    vocabulary = SIZES[name][1]
    batches = [make_batch(vocabulary, number) for number in range(steps)]
    config = BertConfig.of_size(name.removesuffix("_full"), vocabulary)
    quiet = replace(config, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    section = training(systems(quiet), systems(config), batches, repeats)
    others = statistics.median(section["tokens_per_second"]["transformers, head on masked tokens"])
    return {**section, "figure_masked_alone": statistics.median(section["tokens_per_second"]["ours"]) / others}


def training(
    quiet: dict[str, nn.Module], trained: dict[str, nn.Module], batches: list[Any], repeats: int
) -> dict[str, Any]:
    """Compares the losses of all sides over the first steps, without dropout (`quiet`), and times the others' steps in turn."""
    losses = {side: run(model, batches)[0] for side, model in quiet.items()}
    apart = max(abs(a - b) for side in losses for a, b in zip(losses["ours"], losses[side], strict=True))
    speeds: dict[str, list[float]] = {side: [] for side in losses}
    for model in trained.values():
        run(model, batches[:2])
    for _ in range(repeats):  # in turn, so that a busy machine is as busy for all
        for side, model in trained.items():
            speeds[side].append(run(model, batches)[1])
    return {
        "tokens_per_second": speeds,
        "figure": statistics.median(speeds["ours"]) / statistics.median(speeds["transformers"]),
        "losses": losses,
        "largest_difference": apart,
        "agree": apart < 1e-3,
    }


def run(model: nn.Module, batches: list[Any]) -> tuple[list[float], float]:
    """Takes a step for each batch: (losses, tokens a second)."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    losses = []
    started = time.perf_counter()
    for batch in batches:
        optimizer.zero_grad(set_to_none=True)
        loss = model(batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, len(batches) * BATCH * LENGTH / (time.perf_counter() - started)


class Recomputed:
    """The same Transformer, which computes its whole text anew for each token."""

    def __init__(self, model: Transformer) -> None:
        self.model = model

    class State:
        def __init__(self, memory: Tensor, mask: Tensor, target: Tensor) -> None:
            self.memory, self.mask, self.target = memory, mask, target

        def select(self, rows: Tensor) -> None:
            self.memory, self.mask, self.target = self.memory[rows], self.mask[rows], self.target[rows]

    def start(self, source: Tensor) -> Any:
        return Recomputed.State(*self.model.encode(source), source[:, :0])

    def step(self, tokens: Tensor, state: Any) -> Tensor:
        state.target = torch.cat([state.target, tokens[:, None]], dim=1)
        return self.model.decode(state.target, state.memory, state.mask)[:, -1]


def searching(repeats: int) -> dict[str, Any]:
    """Times beam search to 128 tokens with and without the cache; both must find the same texts."""
    torch.manual_seed(0)
    model = Transformer(TransformerConfig(8000, layers=4, width=256, inner=1024, heads=4)).eval()
    source = torch.randint(3, 8000, (4, 32))
    # No text may end before the longest length, or both sides would measure short ones.
    with torch.no_grad():
        model.embedding.tokens.weight[model.config.end] = 0
    texts: dict[str, Any] = {}
    seconds: dict[str, list[float]] = {"cache": [], "recomputed": []}
    for _ in range(repeats):
        for side, decoder in (("cache", model), ("recomputed", Recomputed(model))):
            started = time.perf_counter()
            found = beam_search(decoder, source, begin=1, end=2, longest=LENGTH, beams=4)
            seconds[side].append(time.perf_counter() - started)
            texts[side] = [[hypothesis.tokens for hypothesis in hypotheses] for hypotheses in found]
    return {
        "seconds": seconds,
        "figure": statistics.median(seconds["recomputed"]) / statistics.median(seconds["cache"]),
        "lengths": sorted({len(text) for hypotheses in texts["cache"] for text in hypotheses}),
        "agree": texts["cache"] == texts["recomputed"],
    }


@torch.inference_mode()
def serving(texts: int, repeats: int) -> dict[str, Any]:
    """Times DistilBERT and its teacher, BERT base, on texts of 128 tokens; random weights take as long as others.

    They agree if DistilBERT's states are those of transformers'.
    """
    torch.manual_seed(0)
    whole = DistilBertForMaskedLM(DistilBertConfig()).eval()
    student, teacher = whole.bert, Bert(BertConfig()).eval()
    tokens = torch.randint(FIRST_WORD, 30_522, (texts, LENGTH))
    with TemporaryDirectory() as folder:
        save_distilbert(whole, Path(folder))
        theirs: Any = transformers.DistilBertModel.from_pretrained(folder)  # in evaluation mode
    apart = float((theirs(tokens[:1]).last_hidden_state - student(tokens[:1])).abs().max())
    sides: dict[str, nn.Module] = {"DistilBERT": student, "BERT base": teacher}
    seconds: dict[str, list[float]] = {side: [] for side in sides}
    for turn in range(1 + repeats):  # the first turn warms up
        for side, model in sides.items():
            started = time.perf_counter()
            model(tokens)
            if turn:
                seconds[side].append(time.perf_counter() - started)
    return {
        "seconds": seconds,
        "figure": statistics.median(seconds["BERT base"]) / statistics.median(seconds["DistilBERT"]),
        "megabytes": {side: sum(4 * p.numel() for p in model.parameters()) / 1e6 for side, model in sides.items()},
        "agree": apart < 1e-3,
    }


def main(
    steps: Annotated[int, typer.Option(min=3, help="Steps in one timing.")] = 8,
    repeats: Annotated[int, typer.Option(min=1, help="Timings of each side.")] = 3,
    only: Annotated[list[str] | None, typer.Option(help=f"A section; repeat it: {', '.join(GOALS)}.")] = None,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = LATEST,
) -> None:
    """Train BERT with the course's code and with transformers', search with and without a cache, and compare.

    \b
    python benchmarks/bench_models.py                          (ten minutes; build/bench/models.json)
    python benchmarks/bench_models.py --only tiny --repeats 1  (a quick look)
    """
    asked = only or list(GOALS)
    if unknown := [name for name in asked if name not in GOALS]:
        raise typer.BadParameter(f"there is no section {unknown[0]!r}; there are {', '.join(GOALS)}")
    torch.set_num_threads(CORES)
    quiet: Any = transformers.logging  # its types are its own
    quiet.set_verbosity_error()
    quiet.disable_progress_bar()
    sections: dict[str, Callable[[], dict[str, Any]]] = {
        **{name: lambda name=name: bert_training(name, steps, repeats) for name in SIZES},  # type: ignore[misc]
        "beam_search": lambda: searching(repeats),
        **{name: lambda name=name: serving(SERVED[name], repeats) for name in SERVED},  # type: ignore[misc]
    }
    report: dict[str, Any] = {
        **head(shlex.join(["python", *sys.argv]), "torch", "transformers"),
        "load": os.getloadavg()[0],
        "length": LENGTH,
        "batch": BATCH,
        "sections": {},
    }
    for name in asked:
        started = time.perf_counter()
        report["sections"][name] = sections[name]()
        console.print(f"{name}: {time.perf_counter() - started:.0f} s")
    report["goals"] = GOALS
    report["met"] = {name: section["figure"] >= GOALS[name] for name, section in report["sections"].items()}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    show(report)
    if not all(section["agree"] for section in report["sections"].values()):
        raise typer.Exit(1)


def show(report: dict[str, Any]) -> None:
    table = Table("section", "times the peer", "goal", "times the peer's head on masked tokens", "same results")
    for name, section in report["sections"].items():
        alone = f"{section['figure_masked_alone']:.2f}" if "figure_masked_alone" in section else ""
        title = f"BERT {SIZES[name][0]} V={SIZES[name][1]:,}" if name in SIZES else TITLES[name]
        table.add_row(
            title, f"{section['figure']:.2f}", f">= {GOALS[name]}", alone, "yes" if section["agree"] else "no"
        )
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
