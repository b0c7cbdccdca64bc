"""The rehearsal without a GPU: what lies on a wrong device is found, indices are those of torch, FLOPs those of the formula."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional

from etude.models.bert import IGNORED, BertConfig, BertForPretraining, PretrainingBatch
from etude.models.recurrent import BiLM, RecurrentConfig
from etude.models.transformer import Transformer, TransformerConfig
from etude.train import Plan
from tools.pretrain_real import flops_per_token
from tools.rehearse_gpu import Indexing, counted_step, on_fake_gpu, rehearse, rehearsed

TOKENS = torch.randint(5, 60, (4, 12), generator=torch.Generator().manual_seed(0))
LABELS = TOKENS.masked_fill(torch.arange(12) > 2, IGNORED)  # a quarter is asked for
CONFIG = BertConfig(60, 16, 2, 4, 64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)

entries = st.one_of(
    st.integers(-2, 1),
    st.just(None),
    st.builds(slice, st.none() | st.integers(-2, 2), st.none() | st.integers(-2, 3), st.sampled_from([None, 1, 2])),
)


@given(st.lists(entries, max_size=4), st.sampled_from(["nothing", "...", "places", "mask", "mask of two axes"]))
def test_an_index_gives_and_takes_what_torch_does(index: list[Any], end: str) -> None:
    tensor = torch.arange(2 * 3 * 2 * 3).view(2, 3, 2, 3)
    more: dict[str, list[Any]] = {"nothing": [], "...": [...], "places": [torch.tensor([1, 0, 1])]}
    for axes, name in ((1, "mask"), (2, "mask of two axes")):
        used = sum(entry is not None for entry in index)
        if used + axes <= tensor.dim():
            shape = tensor[tuple(index)].shape[len([entry for entry in index if not isinstance(entry, int)]) :][:axes]
            more[name] = [torch.arange(int(torch.tensor(shape).prod())).view(shape) % 2 == 0]
    whole = (*index, *more.get(end, []))
    if sum(entry is not None and entry is not ... for entry in whole) > tensor.dim():
        return
    with Indexing():
        found = tensor[whole]
    assert torch.equal(found, tensor[whole])
    for value in (5, found + 100):
        ours, theirs = tensor.clone(), tensor.clone()
        with Indexing():
            ours[whole] = value
        theirs[whole] = value
        assert torch.equal(ours, theirs)


def test_losses_and_places_are_those_of_torch() -> None:
    one, other = torch.randn(2, 5, 7, generator=torch.Generator().manual_seed(0))
    for call in (
        lambda: functional.cross_entropy(one, other.softmax(dim=-1)),
        lambda: functional.cosine_similarity(one, other, dim=-1),
        lambda: (one > 0).nonzero(),
        lambda: torch.stack((one > 0).nonzero(as_tuple=True)),
    ):
        with Indexing():
            found = call()
        torch.testing.assert_close(found, call())


@pytest.mark.parametrize(
    ("model", "batch"),
    [
        (BertForPretraining(CONFIG), PretrainingBatch(TOKENS, torch.zeros_like(TOKENS), LABELS, torch.ones(4).long())),
        (Transformer(TransformerConfig(60, layers=1, width=16, inner=32, heads=2)), (TOKENS, TOKENS)),
        (BiLM(RecurrentConfig(60, width=8, cells=16)), TOKENS),
    ],
    ids=["bert", "transformer", "elmo"],
)
def test_the_courses_models_stay_on_the_gpu(model: nn.Module, batch: Any) -> None:
    class Spread(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, batch: Any) -> Tensor:
            loss: Tensor = self.model(*batch) if type(batch) is tuple else self.model(batch)
            return loss

    on_fake_gpu(Spread(), batch)


class Forgetful(nn.Module):
    """Keeps a tensor that no `.to` finds."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.scale = nn.Parameter(torch.ones(3)), torch.ones(3)

    def forward(self, x: Tensor) -> Tensor:
        return (self.weight * self.scale * x).sum()


def test_a_tensor_that_stays_behind_is_found() -> None:
    with pytest.raises(RuntimeError, match="cuda:0 and cpu"):
        on_fake_gpu(Forgetful(), torch.ones(3))


class Taught(nn.Module):
    """A student with a teacher in a list, so that it is no part of it; both are used by name and by place."""

    def __init__(self) -> None:
        super().__init__()
        self.student = self.again = nn.Linear(3, 2)
        self.teacher = [nn.Sequential(nn.Linear(3, 2))]

    def forward(self, batch: tuple[Tensor, list[Tensor]]) -> Tensor:
        x, (kept,) = batch
        apart: Tensor = self.student(x) - self.again(kept) - self.teacher[0](x)
        return apart.square().mean()


def test_a_teacher_and_its_states_are_there_too() -> None:
    on_fake_gpu(Taught(), (torch.ones(4, 3), [torch.ones(4, 3)]))


def test_a_loss_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has shape \(4, 3\): it must be one number"):
        on_fake_gpu(nn.Linear(5, 3), torch.ones(4, 5))


def test_flops_are_those_of_the_formula_and_attention_computed_once_more_backward() -> None:
    flops, size = counted_step(BertForPretraining(CONFIG), PretrainingBatch(TOKENS, None, LABELS), Plan(1))
    again = 2 * 2 * 12 * 16  # the fused backward computes the scores of each layer anew: 2 · L · N · H
    assert flops / TOKENS.numel() == pytest.approx(flops_per_token(CONFIG, 12, 0.25) + again)
    assert size > 2 * TOKENS.numel() * 16 * 4  # more than one activation of each layer
    plan = Plan(7, accumulate=2, title="seven")
    whole = rehearse(BertForPretraining(CONFIG), PretrainingBatch(TOKENS, None, LABELS), plan)
    assert (whole.title, whole.steps, whole.flops, whole.precision) == ("seven", 7, 2 * flops, "float32")
    assert whole.bytes == 16 * whole.parameters + size


def test_while_rehearsed_a_training_leaves_the_model_as_it_is_and_tells_of_each_step() -> None:
    from etude import train as training

    told: list[int] = []

    class Mean(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(5))

        def forward(self, x: Tensor) -> Tensor:
            return (self.weight * x).mean()

    kept, ones = Mean(), torch.ones(2, 5)
    with rehearsed() as done:
        history = training.train(kept, lambda number: ones, Plan(3), after=lambda step, loss: told.append(step))
    assert told == [1, 2, 3]
    assert len(history.losses) == 3
    assert torch.equal(kept.weight, torch.ones(5))
    assert [rehearsal.parameters for rehearsal in done] == [5]
    assert training.train.__module__ == "etude.train"
