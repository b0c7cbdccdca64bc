"""Training: one loop for all models, on a CPU or a GPU, that goes on exactly where it was cut.

A batch is a function of the step's number alone, so a loop that starts at step 500 draws what an uncut one would have drawn.
This module must not know any model: a model is a module that maps a batch to its loss.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from tqdm import tqdm

Schedule = Callable[[int], float]  # step, from 1 → factor of the learning rate
SHOWN = 0.9  # how much of the loss that the bar shows is of earlier steps


def linear_schedule(steps: int, warmup: int) -> Schedule:
    """Rises in a straight line to 1 at step `warmup`, then falls to 0 at the end (BERT, appendix A.2)."""
    return lambda step: min(step / warmup if warmup else 1.0, (steps - step) / max(1, steps - warmup))


def noam_schedule(width: int, warmup: int) -> Schedule:
    """Computes width^-0.5 · min(step^-0.5, step · warmup^-1.5), for a learning rate of 1 (Vaswani et al. 2017, equation 3)."""
    return lambda step: width**-0.5 * min(step**-0.5, step * warmup**-1.5)


def constant_schedule(step: int) -> float:
    """Leaves the learning rate as it is."""
    return 1.0


@dataclass(frozen=True)
class Plan:
    """How to train: for how long, how fast, in what precision.

    Attributes:
        clip: the greatest norm of all gradients together, None for no clipping.
        accumulate: batches whose gradients are averaged for one step, each as heavy as the others however many tokens it asks for.
        precision: the type of activations, float32 or bfloat16, in which a GPU is several times faster.
        checkpoint: where the state is kept every `save_every` steps, so that a cut training goes on.
    """

    steps: int
    schedule: Schedule = constant_schedule
    clip: float | None = 1.0
    accumulate: int = 1
    device: str = "cpu"
    precision: torch.dtype = torch.float32
    checkpoint: Path | None = None
    save_every: int = 500
    title: str = "training"


@dataclass
class History:
    """What happened: for each step its loss in nats and the norm of its gradients before clipping, and the rate of tokens."""

    losses: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)
    tokens_per_second: float = 0.0


def adamw(model: nn.Module, rate: float, *, decay: float = 0.01, betas: tuple[float, float] = (0.9, 0.999)) -> Any:
    """Makes AdamW with weight decay for matrices alone: none for biases and normalisations (BERT's own code)."""
    groups = [
        {"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": decay},
        {"params": [p for p in model.parameters() if p.dim() <= 1], "weight_decay": 0.0},
    ]
    fused = any(p.is_cuda for p in model.parameters())
    return torch.optim.AdamW(groups, lr=rate, betas=betas, eps=1e-6, fused=fused)


def train(
    model: nn.Module,
    batches: Callable[[int], Any],
    plan: Plan,
    optimizer: torch.optim.Optimizer | None = None,
    *,
    count: Callable[[Any], int] | None = None,
    after: Callable[[int, float], None] = lambda step, loss: None,
) -> History:
    """Trains a model, which maps a batch to its loss, (), and shows a bar with loss and tokens a second.

    Args:
        batches: makes the batch of a number, from 0; the same number gives the same batch. Step s takes the batches from
            (s - 1) · accumulate on.
        optimizer: made over the model's parameters; AdamW at 1e-3 if there is none.
        count: how many tokens a batch holds; the elements of the first tensor in it, if not given.
        after: is told of each step and its loss.

    Raises:
        FloatingPointError: the loss is no number any more; nothing was changed by that step.
    """
    model.to(plan.device).train()
    optimizer = adamw(model, 1e-3) if optimizer is None else optimizer
    rates = [group["lr"] for group in optimizer.param_groups]
    history = History()
    done = _resume(model, optimizer, history, plan)
    tokens, started = 0, time.perf_counter()
    with tqdm(total=plan.steps, initial=done, desc=plan.title, unit="step", mininterval=0.5) as bar:
        for step in range(done + 1, plan.steps + 1):
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * plan.schedule(step)
            optimizer.zero_grad(set_to_none=True)
            loss = 0.0
            for number in range((step - 1) * plan.accumulate, step * plan.accumulate):
                batch = moved(batches(number), lambda part: part.to(plan.device, non_blocking=True))
                with _precision(plan):
                    part = model(batch) / plan.accumulate
                part.backward()
                loss += float(part.detach())
                tokens += (count or _size)(batch)
            if not math.isfinite(loss):
                raise FloatingPointError(
                    f"the loss of step {step} is {loss}: lower the learning rate, or clip gradients (plan.clip)"
                )
            limit = math.inf if plan.clip is None else plan.clip
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), limit)
            optimizer.step()
            history.losses.append(loss)
            history.norms.append(float(norm))
            history.tokens_per_second = tokens / (time.perf_counter() - started)
            bar.update()
            bar.set_postfix_str(f"loss {_smooth(history.losses):.3f}, {history.tokens_per_second:,.0f} tokens/s", False)
            after(step, loss)
            if plan.checkpoint is not None and (step % plan.save_every == 0 or step == plan.steps):
                _save(model, optimizer, history, plan.checkpoint)
    return history


def _precision(plan: Plan) -> Any:
    if plan.precision == torch.float32:
        return nullcontext()
    return torch.autocast(torch.device(plan.device).type, dtype=plan.precision)


def moved(batch: Any, move: Callable[[Tensor], Tensor]) -> Any:
    """Moves the tensors of a batch, a tensor or a tuple of them (named or not, some None)."""
    if isinstance(batch, Tensor):
        return move(batch)
    if isinstance(batch, tuple):
        parts = [moved(part, move) for part in batch]
        return type(batch)(*parts) if hasattr(batch, "_fields") else tuple(parts)
    return batch


def _size(batch: Any) -> int:
    return batch.numel() if isinstance(batch, Tensor) else _size(batch[0])


def _smooth(losses: list[float]) -> float:
    """Averages the losses, of the last steps above all."""
    value = losses[max(0, len(losses) - 50)]
    for loss in losses[-50:]:
        value = SHOWN * value + (1 - SHOWN) * loss
    return value


def _save(model: nn.Module, optimizer: torch.optim.Optimizer, history: History, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "losses": history.losses,
        "norms": history.norms,
        "random": torch.get_rng_state(),
        "random_cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    part = path.with_name(f"{path.name}.part")
    torch.save(state, part)
    part.replace(path)


def _resume(model: nn.Module, optimizer: torch.optim.Optimizer, history: History, plan: Plan) -> int:
    """Takes up the state that is kept, if there is one; returns how many steps have been made."""
    if plan.checkpoint is None or not plan.checkpoint.is_file():
        return 0
    state = torch.load(plan.checkpoint, map_location=plan.device, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    history.losses, history.norms = state["losses"], state["norms"]
    torch.set_rng_state(state["random"].cpu())
    if state["random_cuda"] and torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in state["random_cuda"]])
    return len(history.losses)
