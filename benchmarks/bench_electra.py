"""Benchmark of ELECTRA's pre-training: the course's code against transformers' generator and discriminator.

All sides start from the same weights, read the same batches and draw the same words. Without dropout their losses are compared
step by step; with dropout, as they are trained, they are timed in turn.
"""

from __future__ import annotations

import json
import os
import shlex
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import torch
import transformers
import typer
from bench_models import BATCH, CORES, LENGTH, make_batch, training
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional

from etude.models.bert import IGNORED, PretrainingBatch
from etude.models.electra import WEIGHT, ElectraConfig, ElectraForPretraining
from etude.models.electra_checkpoints import save
from grader.provenance import head

LATEST = Path("build/bench/electra.json")
GOAL = 1.2
TIMES = 4  # how many times narrower the generator is
SIZES = {
    "mini": ElectraConfig(8000, hidden_size=256, num_hidden_layers=4),
    "mini_full": ElectraConfig(30_522, hidden_size=256, num_hidden_layers=4),
    "small": ElectraConfig(30_522),  # the published small model
}

console = Console()


class Theirs(nn.Module):
    """transformers' ElectraForMaskedLM and ElectraForPreTraining, put together; transformers has no joint training."""

    def __init__(self, generator: Any, discriminator: Any, *, masked_alone: bool) -> None:
        """Shares the discriminator's embeddings with the generator.

        Args:
            masked_alone: whether the generator scores the masked tokens alone; as it comes it scores all.
        """
        super().__init__()
        self.generator, self.discriminator, self.masked_alone = generator, discriminator, masked_alone
        own, shared = generator.electra.embeddings, discriminator.electra.embeddings
        for name in ("word_embeddings", "token_type_embeddings", "position_embeddings"):
            setattr(own, name, getattr(shared, name))
        generator.tie_weights()

    def forward(self, batch: PretrainingBatch) -> Tensor:
        masked = batch.labels != IGNORED  # (B, N)
        read = {"attention_mask": torch.ones_like(batch.tokens), "token_type_ids": batch.segments}
        if self.masked_alone:
            hidden = self.generator.electra(batch.tokens, **read).last_hidden_state[masked]  # (M, H)
            logits = self.generator.generator_lm_head(self.generator.generator_predictions(hidden))  # (M, V)
            loss = functional.cross_entropy(logits, batch.labels[masked])
        else:
            scored = self.generator(batch.tokens, labels=batch.labels, **read)
            loss, logits = scored.loss, scored.logits[masked]
        sampled = torch.multinomial(logits.detach().softmax(dim=-1), 1).squeeze(1)  # (M,)
        original = torch.where(masked, batch.labels, batch.tokens)
        filled = original.masked_scatter(masked, sampled)
        judged: Tensor = self.discriminator(filled, labels=(filled != original).long(), **read).loss
        total: Tensor = loss + WEIGHT * judged
        return total


class SameDraws(nn.Module):
    """A side that begins each step with the same random numbers, so that all sides draw the same words."""

    def __init__(self, side: nn.Module) -> None:
        super().__init__()
        self.side = side

    def forward(self, batch: PretrainingBatch) -> Tensor:
        torch.manual_seed(0)
        loss: Tensor = self.side(batch)
        return loss


def systems(config: ElectraConfig) -> dict[str, nn.Module]:
    """Our ELECTRA, and transformers' with the same weights twice."""
    torch.manual_seed(0)
    ours = ElectraForPretraining(config, config.generator(TIMES))
    with TemporaryDirectory() as folder:
        generator, discriminator = Path(folder, "generator"), Path(folder, "discriminator")
        save(ours.generator, generator)
        save(ours.discriminator, discriminator)

        def theirs(masked_alone: bool) -> Theirs:
            return Theirs(
                transformers.ElectraForMaskedLM.from_pretrained(generator),
                transformers.ElectraForPreTraining.from_pretrained(discriminator),
                masked_alone=masked_alone,
            )

        return {
            "ours": ours,
            "transformers": theirs(masked_alone=False),
            "transformers, head on masked tokens": theirs(masked_alone=True),
        }


def electra_training(config: ElectraConfig, steps: int, repeats: int) -> dict[str, Any]:
    batches = [make_batch(config.vocab_size, number) for number in range(steps)]
    quiet = replace(config, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    still: dict[str, nn.Module] = {name: SameDraws(side) for name, side in systems(quiet).items()}
    section = training(still, systems(config), batches, repeats)
    speeds = {name: statistics.median(runs) for name, runs in section["tokens_per_second"].items()}
    return {**section, "figure_masked_alone": speeds["ours"] / speeds["transformers, head on masked tokens"]}


def main(
    steps: Annotated[int, typer.Option(min=3, help="Steps in one timing.")] = 4,
    repeats: Annotated[int, typer.Option(min=1, help="Timings of each side.")] = 3,
    only: Annotated[list[str] | None, typer.Option(help=f"A size; repeat it: {', '.join(SIZES)}.")] = None,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = LATEST,
) -> None:
    """Train ELECTRA with the course's code and with transformers', and compare.

    \b
    python benchmarks/bench_electra.py                          (some minutes; build/bench/electra.json)
    python benchmarks/bench_electra.py --only mini --repeats 1  (a quick look)
    """
    asked = only or list(SIZES)
    if unknown := [name for name in asked if name not in SIZES]:
        raise typer.BadParameter(f"there is no size {unknown[0]!r}; there are {', '.join(SIZES)}")
    torch.set_num_threads(CORES)
    quiet: Any = transformers.logging  # its types are its own
    quiet.set_verbosity_error()
    quiet.disable_progress_bar()
    report: dict[str, Any] = {
        **head(shlex.join(["python", *sys.argv]), "torch", "transformers"),
        "load": os.getloadavg()[0],
        "length": LENGTH,
        "batch": BATCH,
        "goal": GOAL,
        "sections": {},
    }
    table = Table("ELECTRA", "times transformers", "goal", "times its head on masked tokens", "same losses")
    for name in asked:
        started = time.perf_counter()
        section = report["sections"][name] = electra_training(SIZES[name], steps, repeats)
        console.print(f"{name}: {time.perf_counter() - started:.0f} s")
        ratios = f"{section['figure']:.2f}", f">= {GOAL}", f"{section['figure_masked_alone']:.2f}"
        table.add_row(name, *ratios, "yes" if section["agree"] else f"no: {section['largest_difference']:.2g} apart")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    console.print(table)
    if not all(section["agree"] for section in report["sections"].values()):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
