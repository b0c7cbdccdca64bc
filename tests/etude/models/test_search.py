"""Beam search against trying every text, and with a cache against computing every prefix anew."""

import itertools
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from etude.models.search import beam_search, greedy, length_penalty
from etude.models.transformer import Transformer, TransformerConfig

BEGIN, END, WORDS = 1, 2, (2, 3, 4)  # what the small models below may write


class Table:
    """A language model of a random table: the next token's scores depend on the last two and on the source's first word."""

    def __init__(self, seed: int) -> None:
        self.scores = 3 * torch.randn(5, 5, 5, 5, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        self.scores[..., :2] = -torch.inf  # neither padding nor begin is ever written

    class State:
        def __init__(self, source: Tensor) -> None:
            self.source, self.last = source[:, 0], torch.zeros_like(source[:, 0])

        def select(self, rows: Tensor) -> None:
            self.source, self.last = self.source[rows], self.last[rows]

    def start(self, source: Tensor) -> Any:
        return Table.State(source)

    def step(self, tokens: Tensor, state: Any) -> Tensor:
        scores = self.scores[state.source, state.last, tokens]
        state.last = tokens
        return scores


def score(model: Table, word: int, text: list[int], alpha: float) -> float:
    state = model.start(torch.tensor([[word]]))
    total, last = 0.0, BEGIN
    for token in text:
        total += float(model.step(torch.tensor([last]), state).log_softmax(dim=-1)[0, token])
        last = token
    return total / length_penalty(len(text), alpha)


def every_text(longest: int) -> list[list[int]]:
    """All texts that end, and those that are cut at the longest length."""
    ended = [
        [*words, END] for n in range(longest) for words in itertools.product((w for w in WORDS if w != END), repeat=n)
    ]
    return ended + [list(words) for words in itertools.product((w for w in WORDS if w != END), repeat=longest)]


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.6, 1.0]))
def test_a_beam_that_holds_all_texts_finds_the_best_ones(seed: int, alpha: float) -> None:
    model, longest = Table(seed), 3
    sources = torch.tensor([[3], [0]])
    found = beam_search(model, sources, begin=BEGIN, end=END, longest=longest, beams=16, alpha=alpha)
    for word, hypotheses in zip((3, 0), found, strict=True):
        texts = sorted(every_text(longest), key=lambda text: score(model, word, text, alpha), reverse=True)
        best = [([token for token in text if token != END], score(model, word, text, alpha)) for text in texts]
        for hypothesis, (text, value) in zip(hypotheses, best, strict=False):
            assert hypothesis.tokens == text
            assert hypothesis.score == pytest.approx(value)
        assert len(hypotheses) == min(16, len(best))


@given(st.integers(0, 10_000))
def test_one_beam_is_greedy(seed: int) -> None:
    model, sources = Table(seed), torch.tensor([[0], [1], [4]])
    taken = greedy(model, sources, begin=BEGIN, end=END, longest=6)
    found = beam_search(model, sources, begin=BEGIN, end=END, longest=6, beams=1, alpha=0.0)
    assert [hypotheses[0].tokens for hypotheses in found] == taken


class Recomputed:
    """A Transformer that keeps the tokens alone and computes the whole prefix at each step."""

    def __init__(self, model: Transformer) -> None:
        self.model = model

    class State:
        def __init__(self, source: Tensor) -> None:
            self.source, self.target = source, source[:, :0]

        def select(self, rows: Tensor) -> None:
            self.source, self.target = self.source[rows], self.target[rows]

    def start(self, source: Tensor) -> Any:
        return Recomputed.State(source)

    def step(self, tokens: Tensor, state: Any) -> Tensor:
        state.target = torch.cat([state.target, tokens[:, None]], dim=1)
        return self.model.decode(state.target, *self.model.encode(state.source))[:, -1]


def test_the_cache_changes_no_text_and_no_score() -> None:
    torch.manual_seed(3)
    model = Transformer(TransformerConfig(30, layers=2, width=16, inner=24, heads=4)).double().eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.4)  # so that its choices are no ties
    source = torch.randint(3, 30, (4, 7))
    source[1, 4:] = 0
    options = {"begin": 1, "end": 2, "longest": 12}
    cached = beam_search(model, source, **options)
    anew = beam_search(Recomputed(model), source, **options)
    assert [[found.tokens for found in one] for one in cached] == [[found.tokens for found in one] for one in anew]
    torch.testing.assert_close(
        torch.tensor([[found.score for found in one] for one in cached]),
        torch.tensor([[found.score for found in one] for one in anew]),
    )
    assert greedy(model, source, **options) == greedy(Recomputed(model), source, **options)
