"""The files of a checkpoint, config.json and model.safetensors, as settings and tensors. This module must not know any model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from etude.files import write_whole


class CheckpointError(ValueError):
    """A checkpoint is not there, or does not hold what the model needs; the message says what."""


def read(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Reads a checkpoint's settings and tensors.

    Raises:
        CheckpointError: a file is missing or broken.
    """
    try:
        settings: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return settings, load_file(folder / "model.safetensors")
    except (OSError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{folder} holds no checkpoint that can be read ({error}): download it again") from error


def write(folder: Path, settings: Mapping[str, Any], tensors: dict[str, Tensor]) -> None:
    """Writes a checkpoint.

    Raises:
        OSError: it cannot be written.
    """
    write_whole(folder / "config.json", json.dumps(settings, indent=1) + "\n")
    write_whole(folder / "model.safetensors", save(tensors, metadata={"format": "pt"}))


def fill(model: nn.Module, tensors: Mapping[str, Tensor], folder: Path, optional: tuple[str, ...] = ()) -> None:
    """Puts tensors, under the model's own names, into the model, and sets it to evaluate.

    Args:
        optional: beginnings of the names that a checkpoint may lack; they keep their start values.

    Raises:
        CheckpointError: a tensor is missing, left over, or of another size than the model's.
    """
    try:
        wrong = model.load_state_dict(tensors, strict=False)
    except RuntimeError as error:
        raise CheckpointError(f"{folder}: its tensors are not of the sizes that config.json says: {error}") from error
    missing = [name for name in wrong.missing_keys if not name.startswith(optional)]
    if missing or wrong.unexpected_keys:
        raise CheckpointError(f"{folder}: the model lacks {missing}, and nothing here takes {wrong.unexpected_keys}")
    model.eval()
