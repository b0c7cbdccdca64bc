"""Metrics that the grader computes itself, from the artifacts which a notebook left in its results folder.

A lesson's hidden.py marks a function with `@metric("name")`; it gets the artifacts and returns a number. Artifacts come
from the student's side, so they are read as data only (safetensors, JSON), within bounds, and refused with a reason.
"""

from __future__ import annotations

import importlib.util
import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

LARGEST = 256 * 2**20  # bytes of one artifact file
LONGEST_HEADER = 2**20  # bytes of a safetensors header


class BadArtifact(Exception):
    """An artifact is missing or is not what the lesson records; the message is for the student."""


def metric(name: str) -> Callable[[Callable], Callable]:
    """Marks a function of Artifacts → float in hidden.py as the computation of a metric of the expected table."""

    def mark(function: Callable) -> Callable:
        function.__etude_metric__ = name  # type: ignore[attr-defined]
        return function

    return mark


@dataclass(frozen=True)
class Artifacts:
    """What a run left in `folder`, and the seed it was given."""

    folder: Path
    seed: int

    def tensor(self, name: str, ndim: int) -> Tensor:
        """A finite tensor with `ndim` dimensions. Raises BadArtifact."""
        if name not in self._tensors:
            raise BadArtifact(f"the notebook recorded no tensor {name!r}")
        value = self._tensors[name]
        if value.dim() != ndim:
            raise BadArtifact(f"the tensor {name!r} has shape {tuple(value.shape)}, expected {ndim} dimensions")
        if value.is_floating_point() and not bool(value.isfinite().all()):
            raise BadArtifact(f"the tensor {name!r} holds values that are not finite")
        return value

    def strings(self, name: str) -> list[str]:
        """A list of different strings. Raises BadArtifact."""
        value = self._data.get(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise BadArtifact(f"the notebook recorded no list of words {name!r}")
        if len(set(value)) != len(value):
            raise BadArtifact(f"the list {name!r} holds a word twice")
        return value

    @cached_property
    def _tensors(self) -> dict[str, Tensor]:
        from safetensors import SafetensorError
        from safetensors.torch import load

        content = self._read("tensors.safetensors")
        if len(content) < 8 or struct.unpack("<Q", content[:8])[0] > LONGEST_HEADER:
            raise BadArtifact("tensors.safetensors is not a safetensors file")
        try:
            return load(content)
        except (SafetensorError, ValueError, KeyError, TypeError) as error:
            raise BadArtifact(f"tensors.safetensors cannot be read: {error}") from None

    @cached_property
    def _data(self) -> dict[str, Any]:
        try:
            data = json.loads(self._read("data.json"))
        except (ValueError, RecursionError) as error:
            raise BadArtifact(f"data.json cannot be read: {error}") from None
        if not isinstance(data, dict):
            raise BadArtifact("data.json is not what record() writes")
        return data

    def _read(self, name: str) -> bytes:
        path = self.folder / name
        if path.is_symlink() or not path.is_file():
            raise BadArtifact(f"the notebook recorded nothing ({name} is missing): did the record(...) cell run?")
        if path.stat().st_size > LARGEST:
            raise BadArtifact(f"{name} is larger than {LARGEST >> 20} MiB")
        return path.read_bytes()


def collect(path: Path) -> dict[str, Callable[[Artifacts], float]]:
    """Metric → its function, from a lesson's hidden.py."""
    spec = importlib.util.spec_from_file_location("_etude_metrics", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {f.__etude_metric__: f for f in vars(module).values() if hasattr(f, "__etude_metric__")}


def compute(
    functions: dict[str, Callable[[Artifacts], float]], artifacts: Artifacts
) -> dict[str, tuple[float | None, str]]:
    """Metric → (value, "") or (None, why there is none)."""
    found: dict[str, tuple[float | None, str]] = {}
    for name, function in functions.items():
        try:
            with torch.no_grad():
                value = float(function(artifacts))
            found[name] = (value, "") if math.isfinite(value) else (None, "it is not a finite number")
        except BadArtifact as error:
            found[name] = (None, str(error))
        except Exception as error:  # shapes that do not fit together, words that do not match the vectors
            found[name] = (None, f"it cannot be computed from what was recorded ({type(error).__name__}: {error})")
    return found
