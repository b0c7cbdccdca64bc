"""The training loop: it goes on exactly where it was cut, accumulates, clips, follows its schedule, and stops at a loss that is none."""

from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
import torch
import transformers as huggingface
from torch import Tensor, nn

from etude.train import Plan, adamw, linear_schedule, noam_schedule, train

transformers: Any = huggingface  # its types are its own


class Batch(NamedTuple):
    inputs: Tensor
    labels: Tensor


class Model(nn.Module):
    """A small classifier with dropout, so that the state of the random numbers matters."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 3))

    def forward(self, batch: Batch) -> Tensor:
        return nn.functional.cross_entropy(self.layers(batch.inputs), batch.labels)


def batches(number: int) -> Batch:
    generator = torch.Generator().manual_seed(number)
    return Batch(torch.randn(6, 4, generator=generator), torch.randint(0, 3, (6,), generator=generator))


def fresh() -> Model:
    torch.manual_seed(5)
    return Model()


def test_a_training_that_was_cut_ends_as_one_that_was_not(tmp_path: Path) -> None:
    whole = fresh()
    uncut = train(whole, batches, Plan(steps=9, schedule=linear_schedule(9, 3)), adamw(whole, 0.1))

    class Cut(Exception):
        pass

    def stop(step: int, loss: float) -> None:
        if step == 6:
            raise Cut

    plan = Plan(steps=9, schedule=linear_schedule(9, 3), checkpoint=tmp_path / "state.pt", save_every=4)
    model = fresh()
    with pytest.raises(Cut):
        train(model, batches, plan, adamw(model, 0.1), after=stop)
    torch.manual_seed(99)  # as a new process would
    model = Model()
    history = train(model, batches, plan, adamw(model, 0.1))
    assert history.losses == uncut.losses
    assert history.norms == uncut.norms
    assert all(torch.equal(mine, other) for mine, other in zip(model.parameters(), whole.parameters(), strict=True))
    assert train(model, batches, plan, adamw(model, 0.1)).losses == uncut.losses  # nothing is left to do


def test_small_batches_accumulated_are_one_large_batch() -> None:
    def double(number: int) -> Batch:
        parts = batches(2 * number), batches(2 * number + 1)
        return Batch(torch.cat([part.inputs for part in parts]), torch.cat([part.labels for part in parts]))

    models = fresh(), fresh()
    for model in models:
        cast(nn.Dropout, model.layers[2]).p = 0.0  # it draws by batch
    train(models[0], batches, Plan(steps=3, accumulate=2), adamw(models[0], 0.1))
    train(models[1], double, Plan(steps=3), adamw(models[1], 0.1))
    for mine, other in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(mine, other)


def test_gradients_are_clipped_to_a_norm_and_the_norm_before_is_told() -> None:
    model = fresh()
    before = [parameter.detach().clone() for parameter in model.parameters()]
    history = train(model, batches, Plan(steps=1, clip=1e-3), torch.optim.SGD(model.parameters(), lr=1.0))
    moved = torch.cat([(a - b).flatten() for a, b in zip(before, model.parameters(), strict=True)])
    assert float(moved.norm()) == pytest.approx(1e-3, rel=1e-3)
    assert history.norms[0] > 1e-2


def test_schedules_are_those_of_the_papers() -> None:
    parameter = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    theirs = transformers.get_linear_schedule_with_warmup(optimizer, 10, 50)
    ours = linear_schedule(50, 10)
    for step in range(1, 51):  # transformers' first step, number 0, has a rate of 0: it is one step behind
        theirs.step()
        assert ours(step) == pytest.approx(theirs.get_last_lr()[0])
    noam = noam_schedule(512, 4000)
    assert noam(4000) == pytest.approx((512 * 4000) ** -0.5)
    assert noam(2000) == pytest.approx(noam(4000) / 2)
    assert noam(16_000) == pytest.approx(noam(4000) / 2)


def test_decay_is_for_matrices_alone() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.LayerNorm(3))
    matrices, vectors = adamw(model, 0.1, decay=0.2).param_groups
    assert [tuple(p.shape) for p in matrices["params"]] == [(3, 3)]
    assert matrices["weight_decay"] == 0.2
    assert [tuple(p.shape) for p in vectors["params"]] == [(3,)] * 3
    assert vectors["weight_decay"] == 0


def test_a_loss_that_is_no_number_stops_the_training_with_a_sentence() -> None:
    model = fresh()
    before = [parameter.detach().clone() for parameter in model.parameters()]
    broken = lambda number: batches(number)._replace(inputs=torch.full((6, 4), torch.nan))  # noqa: E731
    with pytest.raises(FloatingPointError, match="the loss of step 1 is nan: lower the learning rate"):
        train(model, broken, Plan(steps=2), adamw(model, 0.1))
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
