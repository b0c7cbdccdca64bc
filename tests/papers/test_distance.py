"""Attention beside recurrence over long distances: what is carried, and how many steps must wait for one another."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.lesson.checks import claim
from etude.models.attention import MultiHeadAttention

SYMBOLS, WIDTH = 8, 32


class Recurrent(nn.Module):
    """An LSTM whose last state names a symbol: (B, N) ids → (B, SYMBOLS) scores."""

    def __init__(self) -> None:
        super().__init__()
        self.symbols, self.lstm = nn.Embedding(SYMBOLS, WIDTH), nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.name = nn.Linear(WIDTH, SYMBOLS)

    def forward(self, tokens: Tensor) -> Tensor:
        scores: Tensor = self.name(self.lstm(self.symbols(tokens))[0][:, -1])
        return scores


class Attending(nn.Module):
    """One attention from the last position to all, with learnt positions: (B, N) ids → (B, SYMBOLS) scores."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self.symbols, self.positions = nn.Embedding(SYMBOLS, WIDTH), nn.Embedding(length, WIDTH)
        self.attention, self.name = MultiHeadAttention(WIDTH, 1), nn.Linear(WIDTH, SYMBOLS)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.symbols(tokens) + self.positions.weight  # (B, N, d)
        scores: Tensor = self.name(self.attention(x[:, -1:], x)[:, 0])
        return scores


def recall(model: nn.Module, length: int, place: int, steps: int = 300) -> float:
    """Trains a model to name the symbol at one place; returns its share of right answers on new texts."""
    generator = torch.Generator().manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(steps):
        tokens = torch.randint(SYMBOLS, (32, length), generator=generator)
        optimizer.zero_grad()
        functional.cross_entropy(model(tokens), tokens[:, place]).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    tokens = torch.randint(SYMBOLS, (1000, length), generator=generator)
    with torch.inference_mode():
        return float((model(tokens).argmax(dim=-1) == tokens[:, place]).double().mean())


@claim("tr-longdep")
def test_attention_learns_to_carry_the_first_token_over_100_steps_where_an_lstm_does_not() -> None:
    torch.manual_seed(0)
    far, near = 101, 6
    assert recall(Attending(far), far, 0) > 0.95
    assert recall(Recurrent(), far, 0) < 2 / SYMBOLS
    assert recall(Recurrent(), near, 0) > 0.95, "control: over five steps the LSTM carries it"
    assert recall(Recurrent(), far, -1) > 0.95, "control: the last token it names at any length"


def chain(output: Tensor) -> int:
    """Counts the operations on the longest path back from an output: those that no number of processors does at once."""
    depth: dict[object, int] = {}
    stack = [(output.grad_fn, False)]
    while stack:
        node, seen = stack.pop()
        if node is None or (node in depth and not seen):
            continue
        before = [earlier for earlier, _ in node.next_functions if earlier is not None]
        if seen:
            depth[node] = 1 + max((depth[earlier] for earlier in before), default=0)
        else:
            stack += [(node, True), *((earlier, False) for earlier in before)]
    return depth[output.grad_fn]


def recurrence(x: Tensor) -> Tensor:
    cell = nn.LSTMCell(WIDTH, WIDTH)
    state = (x.new_zeros(len(x), WIDTH), x.new_zeros(len(x), WIDTH))
    for step in x.unbind(1):
        state = cell(step, state)
    return state[0]


@claim("tr-parallel")
@pytest.mark.parametrize(("read", "grows"), [(recurrence, True), (MultiHeadAttention(WIDTH, 4), False)])
def test_the_chain_of_operations_grows_with_the_text_in_a_recurrence_and_not_in_attention(
    read: Callable[[Tensor], Tensor], grows: bool
) -> None:
    one, short, long = (chain(read(torch.randn(1, length, WIDTH)).sum()) for length in (1, 8, 64))
    if grows:
        assert (long - short) == 8 * (short - one), "every further token adds as many operations as the one before"
        assert short > one
    else:
        assert one == short == long
