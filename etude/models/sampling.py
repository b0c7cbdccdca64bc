"""Writing text token by token: which tokens may come next, and drawing one of them.

Temperature; top-k: Fan et al. 2018, "Hierarchical Neural Story Generation", section 5.1; top-p: Holtzman et al. 2020, "The Curious Case
of Neural Text Degeneration", section 3.1; repetition penalty: Keskar et al. 2019, "CTRL", section 4.1. Scores are logits, (B, V); a
token that may not come has -inf. This module must not know any model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor

Chooser = Callable[[Tensor, Tensor], Tensor]  # logits (B, V), text so far (B, N) → next tokens (B,)


class Writer(Protocol):
    """A model that reads tokens into a state of its own and scores what comes next."""

    def start(self) -> Any:
        """Returns the state of texts of which nothing has been read."""
        ...

    def read(self, tokens: Tensor, state: Any) -> Tensor:
        """Takes more tokens of each text, (B, N), into the state and scores the next one: (B, V)."""
        ...


def with_temperature(logits: Tensor, temperature: float) -> Tensor:
    """Divides the logits: below 1 likely tokens gain, above 1 unlikely ones.

    Raises:
        ValueError: the temperature is not above 0.
    """
    if not temperature > 0:
        raise ValueError(f"temperature is {temperature}: it must be above 0 (for the likeliest token use most_likely)")
    return logits / temperature


def top_k(logits: Tensor, k: int) -> Tensor:
    """Leaves the k likeliest tokens of each text, and those as likely as the last of them.

    Raises:
        ValueError: k is below 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}: at least one token must be left")
    least = logits.topk(min(k, logits.size(-1))).values[:, -1:]  # (B, 1)
    return logits.masked_fill(logits < least, -torch.inf)


def top_p(logits: Tensor, p: float) -> Tensor:
    """Leaves the fewest likeliest tokens whose probabilities sum to p or more, and always one; p = 1 leaves all.

    Raises:
        ValueError: p is not between 0 and 1.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"p is {p}: it is a probability, from 0 to 1")
    if p == 1:
        return logits  # rounding would reach 1 before the last tokens
    probabilities, order = logits.softmax(dim=-1).sort(descending=True)  # (B, V)
    before = probabilities.cumsum(dim=-1) - probabilities  # of all likelier tokens together
    needed = (before < p).index_fill(1, torch.tensor([0], device=logits.device), True)
    return logits.masked_fill(~needed.scatter(1, order, needed), -torch.inf)


def without_repetition(logits: Tensor, text: Tensor, penalty: float) -> Tensor:
    """Lowers the tokens that stand in the text, (B, N), already: logits above 0 are divided by the penalty, others multiplied.

    Raises:
        ValueError: the penalty is not above 0.
    """
    if not penalty > 0:
        raise ValueError(f"penalty is {penalty}: it must be above 0; 1 changes nothing")
    score = logits.gather(1, text)  # (B, N)
    return logits.scatter(1, text, torch.where(score < 0, score * penalty, score / penalty))


def most_likely(logits: Tensor, text: Tensor) -> Tensor:
    """Chooses the likeliest token of each text: greedy search."""
    return logits.argmax(dim=-1)


def sampler(
    generator: torch.Generator,
    *,
    temperature: float = 1.0,
    k: int | None = None,
    p: float | None = None,
    penalty: float | None = None,
) -> Chooser:
    """Makes a chooser that draws from what penalty, temperature, top-k and top-p leave, applied in this order."""

    def choose(logits: Tensor, text: Tensor) -> Tensor:
        if penalty is not None:
            logits = without_repetition(logits, text, penalty)
        logits = with_temperature(logits, temperature)
        if k is not None:
            logits = top_k(logits, k)
        if p is not None:
            logits = top_p(logits, p)
        return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator)[:, 0]

    return choose


@torch.inference_mode()
def write(model: Writer, prompt: Tensor, longest: int, choose: Chooser = most_likely, end: int | None = None) -> Tensor:
    """Continues prompts, (B, N) with N at least 1 and no padding, by up to `longest` tokens: (B, N + n).

    Args:
        end: the token after which a text goes on with nothing but itself; once all have ended, writing stops.
    """
    state, text, new = model.start(), prompt, prompt
    ended = torch.zeros(len(prompt), dtype=torch.bool, device=prompt.device)
    for _ in range(longest):
        token = choose(model.read(new, state), text)  # (B,)
        if end is not None:
            token = token.masked_fill(ended, end)
            ended |= token == end
        new = token[:, None]
        text = torch.cat([text, new], dim=1)
        if ended.all():
            break
    return text
