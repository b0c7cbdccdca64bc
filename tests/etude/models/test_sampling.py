"""Samplers against transformers' warpers on the same logits and with the same noise; texts that end, and refusals."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from transformers.generation import logits_process as huggingface

from etude.models.gpt import GPT, GPTConfig
from etude.models.sampling import most_likely, sampler, top_k, top_p, with_temperature, without_repetition, write

theirs: Any = huggingface  # its types are its own
TEXT = torch.tensor([[1, 2, 2, 5], [0, 9, 3, 0]])


def logits(seed: int) -> Tensor:
    return 3 * torch.randn(2, 12, generator=torch.Generator().manual_seed(seed))


@given(st.integers(0, 10_000), st.integers(1, 15), st.floats(0.01, 0.99), st.floats(0.1, 3), st.floats(0.2, 3))
def test_each_step_is_that_of_transformers(seed: int, k: int, p: float, temperature: float, penalty: float) -> None:
    scores = logits(seed)
    for mine, other in (
        (with_temperature(scores, temperature), theirs.TemperatureLogitsWarper(temperature)),
        (top_k(scores, k), theirs.TopKLogitsWarper(k)),
        (top_p(scores, p), theirs.TopPLogitsWarper(p)),
        (without_repetition(scores, TEXT, penalty), theirs.RepetitionPenaltyLogitsProcessor(penalty)),
    ):
        torch.testing.assert_close(mine, other(TEXT, scores))


@given(st.integers(0, 10_000))
def test_all_together_draw_what_transformers_draws_with_the_same_noise(seed: int) -> None:
    scores = logits(seed)
    steps = [
        theirs.RepetitionPenaltyLogitsProcessor(1.3),
        theirs.TemperatureLogitsWarper(0.7),
        theirs.TopKLogitsWarper(6),
        theirs.TopPLogitsWarper(0.8),
    ]
    expected = theirs.LogitsProcessorList(steps)(TEXT, scores).softmax(dim=-1)
    choose = sampler(torch.Generator().manual_seed(seed), temperature=0.7, k=6, p=0.8, penalty=1.3)
    noise = torch.Generator().manual_seed(seed)
    assert torch.equal(choose(scores, TEXT), torch.multinomial(expected, 1, generator=noise)[:, 0])


def test_equally_likely_tokens_stay_together_or_fall_by_their_share() -> None:
    equal = torch.tensor([[1.0, 1.0, 0.0, 1.0]])
    assert top_k(equal, 2).isfinite().tolist() == [[True, True, False, True]]
    assert top_p(equal, 0.0).isfinite().sum() == 1
    assert top_p(equal, 1.0).isfinite().all()
    steep = -torch.arange(100.0)[None]  # float32 sums to 1 long before the last of them
    assert top_p(steep, 1.0).isfinite().all()


def test_draws_are_as_frequent_as_their_probabilities() -> None:
    scores = torch.log(torch.tensor([[0.5, 0.3, 0.2]])).expand(20_000, 3)
    drawn = sampler(torch.Generator().manual_seed(0))(scores, TEXT)
    assert torch.bincount(drawn).div(20_000).tolist() == pytest.approx([0.5, 0.3, 0.2], abs=0.02)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: with_temperature(logits(0), 0.0), "temperature is 0.0: it must be above 0"),
        (lambda: with_temperature(logits(0), float("nan")), "temperature is nan"),
        (lambda: top_k(logits(0), 0), "k is 0: at least one"),
        (lambda: top_p(logits(0), 1.5), "p is 1.5: it is a probability"),
        (lambda: without_repetition(logits(0), TEXT, 0.0), "penalty is 0.0: it must be above 0"),
    ],
)
def test_settings_without_sense_are_refused(call: Callable[[], Tensor], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_a_text_that_has_ended_repeats_its_end_and_writing_stops() -> None:
    class Counting:
        """Says 1, 2, 3, … after whatever it has read last; the second text is one ahead."""

        def start(self) -> None:
            return None

        def read(self, tokens: Tensor, state: None) -> Tensor:
            return torch.nn.functional.one_hot(tokens[:, -1] + 1, 10).float()

    text = write(Counting(), torch.tensor([[0], [2]]), 9, most_likely, end=4)
    assert text.tolist() == [[0, 1, 2, 3, 4], [2, 3, 4, 4, 4]]
    assert write(Counting(), torch.tensor([[0], [2]]), 2).tolist() == [[0, 1, 2], [2, 3, 4]]


def test_a_seed_gives_the_same_text_again_with_a_real_model() -> None:
    torch.manual_seed(0)
    model = GPT(GPTConfig(12, 30, 16, 2, 2)).eval()
    texts = [write(model, TEXT, 20, sampler(torch.Generator().manual_seed(5), k=5)) for _ in range(2)]
    assert torch.equal(*texts)
    assert texts[0].shape == (2, 24)
