"""Rehearses the gpu profile without a GPU: is every tensor on the device, how much memory and how many FLOPs does a step take?

    python tools/rehearse_gpu.py week4_transformer/transformer
    python tools/rehearse_gpu.py week4_transformer/transformer week4_transformer/elmo --out benchmarks/results/gpu.json

A lesson's notebook is run on the CPU in its gpu profile, but each training is rehearsed in place of being done: the
model reads its first batch as fake tensors on "cuda:0", which have a device and a shape and no values, and takes one real
step, whose FLOPs and saved activations are counted. What a notebook does beside `etude.train.train` runs as it is and is not counted.
"""

from __future__ import annotations

import argparse
import copy
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.overrides import TorchFunctionMode
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop, sdpa_flop

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from etude import train as training  # noqa: E402
from etude.files import write_whole  # noqa: E402
from etude.models import classifiers  # noqa: E402
from grader.provenance import head  # noqa: E402
from tools.gpu import code_cells  # noqa: E402

ADAM = 4  # numbers kept for each parameter: itself, its gradient, both moments
ATEN = torch.ops.aten
# The CPU's fused attention is the one operator of these models whose FLOPs torch does not count.
FUSED = {
    ATEN._scaled_dot_product_flash_attention_for_cpu: lambda q, k, v, *_, **__: sdpa_flop(q, k, v),
    ATEN._scaled_dot_product_flash_attention_for_cpu_backward: lambda g, q, k, v, *_, **__: sdpa_backward_flop(
        g, q, k, v
    ),
}


@dataclass(frozen=True)
class Rehearsal:
    """What one training would take.

    Attributes:
        flops: of one step, forward and backward; a multiplication and an addition are two.
        bytes: of parameters, gradients, Adam's moments and saved activations: the least that the GPU must hold.
        precision: of the activations.
    """

    title: str
    steps: int
    parameters: int
    flops: int
    bytes: int
    precision: str


def rehearse(model: nn.Module, batch: Any, plan: training.Plan) -> Rehearsal:
    """Sends one batch through the model on a fake GPU, then takes one real step on the CPU and counts.

    Raises:
        Exception: what torch says of a tensor that is not on the model's device or of the wrong shape.
    """
    on_fake_gpu(model, batch)
    flops, activations = counted_step(model, batch, plan)
    parameters = sum(p.numel() for p in model.parameters())
    size = sum(p.numel() * p.element_size() for p in model.parameters())
    return Rehearsal(
        plan.title, plan.steps, parameters, flops * plan.accumulate, ADAM * size + activations, str(plan.precision)[6:]
    )


def on_fake_gpu(model: nn.Module, batch: Any) -> None:
    """Computes the loss of fake tensors on "cuda:0"; a build without CUDA can go forward so, not backward."""
    mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)

    def on_gpu(tensor: Tensor) -> Tensor:
        return FakeTensor(mode, tensor.detach().to("meta"), torch.device("cuda:0"))

    with torch.no_grad():
        model = copy.deepcopy(model)
        for module in held(model):  # what is neither parameter nor buffer stays behind, as with .to
            module._apply(on_gpu, recurse=False)
        batch = training.moved(tupled(batch), on_gpu)
        with mode, Indexing(), nothing_packed():
            loss = model(batch)
    if loss.device.type != "cuda" or loss.shape != ():
        raise ValueError(
            f"the loss lies on {loss.device} and has shape {tuple(loss.shape)}: it must be one number on the GPU"
        )


def held(model: nn.Module) -> set[nn.Module]:
    """Finds the modules of a model, and those of a teacher that it keeps in a list, so that it is no part of it."""
    own = set(model.modules())
    kept = [item for module in own for value in vars(module).values() if isinstance(value, list) for item in value]
    return own.union(*(item.modules() for item in kept if isinstance(item, nn.Module)))


def tupled(batch: Any) -> Any:
    """Makes tuples of a batch's lists, such as a teacher's states: training moves none, as they are made where the model is."""
    if not isinstance(batch, (list, tuple)):
        return batch
    parts = [tupled(part) for part in batch]
    return type(batch)(*parts) if hasattr(batch, "_fields") else tuple(parts)


@contextmanager
def nothing_packed() -> Iterator[None]:
    """Lets a recurrent network read padded sequences: how long each is are values, which fake tensors do not have."""
    packing = nn.utils.rnn
    with (
        mock.patch.object(packing, "pack_padded_sequence", lambda padded, lengths, **_: padded),
        mock.patch.object(packing, "pad_packed_sequence", lambda padded, **_: (padded, None)),
        mock.patch.object(classifiers, "pack_padded_sequence", lambda padded, *_, **__: padded),
    ):
        yield


class Indexing(TorchFunctionMode):
    """Answers x[…], x[…] = y, ~x and some losses by operators that a build without CUDA has: others ask for a CUDA device."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function is nn.functional.cross_entropy and not args[0].is_contiguous():
            args = (ATEN.clone.default(args[0], memory_format=torch.contiguous_format), *args[1:])
        if function is nn.functional.cross_entropy and args[1].is_floating_point():  # probabilities
            return -(args[1] * args[0].log_softmax(dim=-1)).sum(dim=-1).mean()
        if function is nn.functional.cosine_similarity:
            one, other = (x / x.square().sum(dim=-1, keepdim=True).sqrt() for x in args)
            return (one * other).sum(dim=-1)
        if function is Tensor.nonzero:
            found = ATEN.nonzero.default(args[0])
            return found.unbind(dim=1) if (kwargs or {}).get("as_tuple") else found
        if function is Tensor.__invert__:
            return torch.bitwise_not(*args)
        if function is Tensor.__getitem__:
            view, picked = looked_up(*args)
            return ATEN.index.Tensor(view, picked) if picked else view
        if function is Tensor.__setitem__:
            tensor, index, value = args
            view, picked = looked_up(tensor, index)
            if picked:
                ATEN.index_put_.default(view, picked, torch.as_tensor(value, dtype=tensor.dtype))
            elif isinstance(value, Tensor):
                ATEN.copy_.default(view, value)
            else:
                ATEN.fill_.Scalar(view, value)
            return None
        return function(*args, **(kwargs or {}))


def looked_up(tensor: Tensor, index: Any) -> tuple[Tensor, list[Tensor | None]]:
    """Takes an index apart: the view that its numbers and slices give, and what its tensors pick of it; [] if it has none."""
    entries = list(index) if isinstance(index, tuple) else [index]
    if any(entry is Ellipsis for entry in entries):
        at = next(place for place, entry in enumerate(entries) if entry is Ellipsis)
        used = sum(axes(entry) for entry in entries if entry is not Ellipsis)
        entries[at : at + 1] = [slice(None)] * (tensor.dim() - used)
    dim = 0
    picked: list[Tensor | None] = []
    for entry in entries:
        if entry is None:
            tensor = tensor.unsqueeze(dim)
        elif isinstance(entry, int) and not isinstance(entry, bool):
            tensor = ATEN.select.int(tensor, dim, entry)
            continue
        elif isinstance(entry, slice):
            tensor = ATEN.slice.Tensor(tensor, dim, entry.start, entry.stop, entry.step or 1)
        if isinstance(entry, Tensor) and entry.dtype == torch.bool:
            picked += ATEN.nonzero.default(entry).unbind(dim=1)
        else:
            picked.append(entry if isinstance(entry, Tensor) else None)
        dim += max(1, axes(entry))
    return tensor, picked if any(entry is not None for entry in picked) else []


def axes(entry: Any) -> int:
    """How many axes of a tensor an entry of its index takes up."""
    if entry is None:
        return 0
    return entry.dim() if isinstance(entry, Tensor) and entry.dtype == torch.bool else 1


def counted_step(model: nn.Module, batch: Any, plan: training.Plan) -> tuple[int, int]:
    """Goes forward and backward with a copy of the model: (FLOPs, bytes of activations kept for the way back)."""
    model = copy.deepcopy(model).train()
    own = {p.untyped_storage().data_ptr() for p in model.parameters()}
    saved: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    counter = FlopCounterMode(display=False, custom_mapping=FUSED)
    # Without oneDNN an LSTM is made of products that are counted.
    with torch.backends.mkldnn.flags(enabled=False), counter, training._precision(plan):
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            loss = model(batch)
        loss.backward()
    return counter.get_total_flops(), sum(saved.values())


@contextmanager
def rehearsed() -> Iterator[list[Rehearsal]]:
    """Puts a rehearsal in the place of etude.train.train; gives the list that fills."""
    done: list[Rehearsal] = []
    real = training.train

    def train(
        model: nn.Module, batches: Callable[[int], Any], plan: training.Plan, optimizer: Any = None, **rest: Any
    ) -> training.History:
        done.append(rehearse(model, batches(0), plan))
        print(f"  {done[-1].title}: {done[-1].steps:,} steps, {done[-1].parameters:,} parameters", flush=True)
        after = rest.get("after", lambda step, loss: None)
        for step in range(1, plan.steps + 1):
            after(step, 1.0)
        return training.History([1.0] * plan.steps, [1.0] * plan.steps, 1.0)

    training.train = train
    try:
        yield done
    finally:
        training.train = real


def rehearse_lesson(lesson: str) -> list[Rehearsal]:
    """Runs the cells of a lesson's reference in the gpu profile on the CPU; returns its trainings in order."""
    source = (ROOT / "solutions" / lesson / "notebook.py").read_text(encoding="utf-8")
    with TemporaryDirectory() as out, rehearsed() as done:
        space = {"__name__": "__main__", "profile": "gpu", "seed": 0, "device": "cpu", "out": out, "display": print}
        for cell in code_cells(source):
            exec(compile(cell, lesson, "exec"), space)
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="+", metavar="WEEK/LESSON")
    parser.add_argument(
        "--out", type=Path, default=Path("build/gpu/rehearsal.json"), help="what is there of other lessons stays"
    )
    options = parser.parse_args()
    record = json.loads(options.out.read_text(encoding="utf-8")) if options.out.is_file() else {"lessons": {}}
    for lesson in options.lessons:
        print(lesson, flush=True)
        rows = [asdict(rehearsal) for rehearsal in rehearse_lesson(lesson)]
        record["lessons"][lesson] = {**head(shlex.join(["python", *sys.argv])), "trainings": rows}
        write_whole(options.out, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
