"""Finding a likely text: greedy search and beam search over any model that scores the next token.

Beam search with the length penalty of Wu et al. 2016, "Google's Neural Machine Translation System", section 7, equation 14.
Shapes: B sources, K hypotheses for each, vocabulary V.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor


class Decoder(Protocol):
    """A model that writes a text token by token. The state is the model's own; it has `select(rows)`."""

    def start(self, source: Tensor) -> Any:
        """Returns the state before the first token of B texts, for sources (B, M)."""
        ...

    def step(self, tokens: Tensor, state: Any) -> Tensor:
        """Takes one more token of each text, (B,), into the state and scores the next one: (B, V)."""
        ...


class Hypothesis(NamedTuple):
    """A text without its first and last token, and log P(text | source) divided by the length penalty."""

    tokens: list[int]
    score: float


def length_penalty(length: int, alpha: float) -> float:
    """Computes ((5 + length) / 6)^alpha, which a log probability is divided by; alpha = 0 prefers short texts."""
    return float(((5 + length) / 6) ** alpha)


@torch.inference_mode()
def greedy(model: Decoder, source: Tensor, *, begin: int, end: int, longest: int) -> list[list[int]]:
    """Takes the most likely token at each step, for sources (B, M): B texts of at most `longest` tokens, the end left out."""
    state = model.start(source)
    tokens = torch.full((source.size(0),), begin, device=source.device)
    written: list[Tensor] = []
    running = torch.ones_like(tokens, dtype=torch.bool)
    while len(written) < longest and running.any():
        tokens = model.step(tokens, state).argmax(dim=-1).where(running, torch.tensor(end, device=source.device))
        running = running & (tokens != end)
        written.append(tokens)
    texts = torch.stack(written, dim=1).tolist() if written else [[] for _ in range(source.size(0))]
    return [text[: text.index(end)] if end in text else text for text in texts]


@torch.inference_mode()
def beam_search(
    model: Decoder, source: Tensor, *, begin: int, end: int, longest: int, beams: int = 4, alpha: float = 0.6
) -> list[list[Hypothesis]]:
    """Keeps the K most likely texts at each step, for sources (B, M).

    A text is finished when it ends or has `longest` tokens. The search ends for a source when no running text can pass its
    worst kept one any more.

    Returns:
        For each source up to K hypotheses, the best first.
    """
    count, device = source.size(0), source.device
    state = model.start(source.repeat_interleave(beams, dim=0))
    scores = torch.full((count, beams), -torch.inf, device=device)
    scores[:, 0] = 0  # at first all beams hold the same empty text: only one of them counts
    tokens = torch.full((count * beams,), begin, device=device)
    texts = torch.empty(count * beams, 0, dtype=torch.int64, device=device)  # (B K, written so far)
    finished: list[list[Hypothesis]] = [[] for _ in range(count)]
    first = torch.arange(count, device=device)[:, None] * beams  # (B, 1), the row of a source's first beam
    for length in range(1, longest + 1):
        logp = model.step(tokens, state).log_softmax(dim=-1).view(count, beams, -1)  # (B, K, V)
        vocabulary = logp.size(-1)
        # Of 2 K candidates at most K end, so K are left to go on with.
        best, index = (scores[:, :, None] + logp).flatten(1).topk(min(2 * beams, beams * vocabulary))  # (B, 2 K)
        rows, chosen = first + index // vocabulary, index % vocabulary
        ends = (chosen == end) | (length == longest)
        for i, j in ends.nonzero().tolist():
            if j < beams and best[i, j] > -torch.inf:
                text = texts[rows[i, j]].tolist() + ([] if chosen[i, j] == end else [int(chosen[i, j])])
                score = float(best[i, j]) / length_penalty(length, alpha)
                finished[i] = sorted([*finished[i], Hypothesis(text, score)], key=_score, reverse=True)[:beams]
        best = best.masked_fill(ends, -torch.inf)
        scores, kept = best.topk(beams)  # (B, K)
        rows, tokens = rows.gather(1, kept).flatten(), chosen.gather(1, kept).flatten()
        texts = torch.cat([texts[rows], tokens[:, None]], dim=1)
        if all(map(_done, finished, scores[:, 0].tolist(), [(beams, longest, alpha)] * count)):
            break
        state.select(rows)
    return finished


def _done(finished: list[Hypothesis], running: float, settings: tuple[int, int, float]) -> bool:
    """Tells whether the best running text, of this log probability, cannot pass the worst of K finished ones."""
    beams, longest, alpha = settings
    return len(finished) >= beams and running / length_penalty(longest, alpha) <= finished[-1].score


def _score(hypothesis: Hypothesis) -> float:
    return hypothesis.score
