"""`record(metrics, ...)` keeps what an experiment measured, and shows it beside the expected table and the paper.

The numbers written here are for the student; the grader computes its own from the artifacts. Tensors are kept as
safetensors and everything else as JSON: nothing that a reader could be made to execute.
"""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from etude import table
from etude.run import LessonError, current

NAMES = ("metrics.json", "data.json", "tensors.safetensors")


class Comparison:
    """Metrics beside the expected table: HTML in a notebook, text elsewhere."""

    def __init__(self, metrics: Mapping[str, float], expected: Mapping[str, table.Expected]) -> None:
        self.rows = [(name, value, expected.get(name)) for name, value in metrics.items()]

    def _cells(self, name: str, value: float, row: table.Expected | None) -> list[str]:
        if row is None:
            return [name, f"{value:.4g}", "", "", "", ""]
        place = {0.0: "inside"}.get(row.distance(value), "outside")
        bound = {"higher": f"at least {row.low:.3g}", "lower": f"at most {row.high:.3g}", "near": f"{row.low:.3g} to {row.high:.3g}"}
        return [name, f"{value:.4g}", bound[row.better], place, f"{row.mean:.3g} ± {row.sd:.2g} ({row.seeds} seeds)", row.paper]

    HEAD = ("metric", "yours", "expected", "", "reference: mean ± sd", "paper")

    def __repr__(self) -> str:
        lines = [self.HEAD, *(self._cells(*row) for row in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.HEAD))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{cell}</th>" for cell in self.HEAD)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in self._cells(*row)) + "</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def record(metrics: Mapping[str, float], **artifacts: Any) -> Comparison:
    """Keeps metrics and artifacts in the run's folder: `record({"analogies": 0.6}, vectors=vectors, words=words)`.

    Tensors and arrays go to tensors.safetensors, other values to data.json, metrics to metrics.json; each file is whole or
    absent. Raises LessonError for a metric that is not a number or an artifact that is neither tensor nor JSON.
    """
    import numpy as np
    import torch
    from safetensors.torch import save

    run = current()
    numbers: dict[str, float] = {}
    for name, value in metrics.items():
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            raise LessonError(f"metric {name!r} is a {type(value).__name__}, expected a number") from None
    tensors, data = {}, {}
    for name, value in artifacts.items():
        if isinstance(value, torch.Tensor | np.ndarray):
            tensors[name] = torch.as_tensor(value).detach().cpu().contiguous()
        else:
            data[name] = value
    try:
        encoded = json.dumps(data, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise LessonError(f"an artifact is neither a tensor nor plain data: {error}") from None
    _write(run.out / "tensors.safetensors", save(tensors))
    _write(run.out / "data.json", encoded.encode("utf-8"))
    _write(run.out / "metrics.json", json.dumps(numbers, indent=1).encode("utf-8"))
    expected = run.folder / "expected.csv"
    return Comparison(numbers, table.of_profile(table.read(expected), run.profile) if expected.is_file() else {})


def _write(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(temporary).replace(path)
