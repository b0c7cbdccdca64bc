"""`record(metrics, ...)` keeps what an experiment measured, and shows it beside the expected table and the paper.

The numbers written here are for the student; the grader computes its own from the artifacts. Tensors are kept as
safetensors and everything else as JSON: nothing that a reader could be made to execute.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from etude.files import write_whole
from etude.lesson import table
from etude.lesson.run import LessonError, current
from etude.lesson.values import describe, is_array, plain

if TYPE_CHECKING:
    from torch import Tensor


class Comparison:
    """Metrics beside the expected table: HTML in a notebook, text elsewhere."""

    def __init__(self, metrics: Mapping[str, float], expected: Mapping[str, table.Expected]) -> None:
        self.rows = [(name, value, expected.get(name)) for name, value in metrics.items()]

    def _cells(self, name: str, value: float, row: table.Expected | None) -> list[str]:
        if row is None or not row.measured:
            return [name, f"{value:.4g}", "", "", "", row.paper if row else ""]
        low, high = f"{row.low:.3g}", f"{row.high:.3g}"
        bound = {"higher": f"at least {low}", "lower": f"at most {high}", "near": f"{low} to {high}"}[row.better]
        place = "outside" if row.distance(value) else "inside"
        return [name, f"{value:.4g}", bound, place, f"{row.mean:.3g} ± {row.sd:.2g} ({row.seeds} seeds)", row.paper]

    HEAD = ("metric", "yours", "expected", "", "reference: mean ± sd", "paper")

    def __repr__(self) -> str:
        lines = [self.HEAD, *(self._cells(*row) for row in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.HEAD))]
        padded = ([cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines)
        return "\n".join("  ".join(cells).rstrip() for cells in padded)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{cell}</th>" for cell in self.HEAD)
        lines = ("".join(f"<td>{html.escape(cell)}</td>" for cell in self._cells(*row)) for row in self.rows)
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def record(metrics: Mapping[str, float], **artifacts: Any) -> Comparison:
    """Keeps metrics and artifacts in the run's folder: `record({"analogies": 0.6}, vectors=vectors, words=words)`.

    Each file is whole or absent, and none is written unless all can be kept.

    Args:
        metrics: go to metrics.json.
        artifacts: tensors and arrays go to tensors.safetensors, other values to data.json.

    Returns:
        The metrics beside the expected table, to be shown.

    Raises:
        LessonError: a metric is not a number, or an artifact is neither tensor nor JSON.
    """
    from safetensors.torch import save

    run = current()
    if not isinstance(metrics, Mapping):
        raise LessonError(f"the metrics are {describe(metrics)}, expected a dictionary such as {{'accuracy': 0.9}}")
    measured = {name: _number(name, value) for name, value in metrics.items()}
    tensors, data = {}, {}
    for name, value in artifacts.items():
        try:
            if is_array(value):
                tensors[name] = _own_copy(value)
                save({name: tensors[name]})
            else:
                json.dumps(value, ensure_ascii=False).encode("utf-8")
                data[name] = value
        except Exception as error:  # whatever the value does when it is read
            raise LessonError(
                f"artifact {name!r} is {describe(value)}, which cannot be kept ({describe(error)}): "
                "give a dense tensor, or strings, numbers, lists and dictionaries"
            ) from None
    contents = {
        "tensors.safetensors": save(tensors),
        "data.json": json.dumps(data, ensure_ascii=False).encode("utf-8"),
        "metrics.json": json.dumps(measured, indent=1).encode("utf-8"),
    }
    for name, content in contents.items():
        write_whole(run.out / name, content)
    expected = run.folder / "expected.csv"
    return Comparison(measured, table.of_profile(table.read(expected), run.profile) if expected.is_file() else {})


def _number(name: object, value: Any) -> float:
    if not isinstance(name, str):
        raise LessonError(f"{describe(name)} is not the name of a metric: give a string")
    try:
        if isinstance(plain(value), str | bytes | bytearray | bool):  # float() would read these too
            raise TypeError
        return float(value)
    except Exception:  # whatever the value does when it is read
        raise LessonError(f"metric {name!r} is {describe(value)}, expected a number") from None


def _own_copy(value: Any) -> Tensor:
    """Copies a value to a tensor on the CPU that shares its memory with no other artifact: safetensors refuses those that do."""
    import torch

    tensor = value.detach().cpu() if isinstance(value, torch.Tensor) else torch.from_numpy(value.copy())
    return tensor.clone(memory_format=torch.contiguous_format)
