"""Checkpoints of ELECTRA as transformers writes them, discriminators and generators, read into the course's models and back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from torch import Tensor

from etude.models import checkpoint_files
from etude.models.electra import ElectraConfig, ElectraDiscriminator, ElectraMaskedLM
from etude.models.variant_checkpoints import ROBERTA_LAYER, Names, _known, _layer, _ours, _theirs

ENCODER: Names = {
    "electra.input.tokens": "electra.embeddings.word_embeddings",
    "electra.input.segments": "electra.embeddings.token_type_embeddings",
    "electra.input.positions": "electra.embeddings.position_embeddings",
    "electra.input.norm": "electra.embeddings.LayerNorm",
    "electra.project": "electra.embeddings_project",
}
DISCRIMINATOR: Names = {
    "transform": "discriminator_predictions.dense",
    "verdict": "discriminator_predictions.dense_prediction",
}
GENERATOR: Names = {
    "transform": "generator_predictions.dense",
    "norm": "generator_predictions.LayerNorm",
    "bias": "generator_lm_head.bias",
}
TIED = "generator_lm_head.weight"  # the input's embeddings once more


def load_discriminator(folder: Path) -> ElectraDiscriminator:
    """Reads a discriminator; a head that the checkpoint lacks keeps its start values.

    Raises:
        CheckpointError: a file is missing or broken, the settings are of another model, or the encoder is not whole.
    """
    config, tensors = _read(folder)
    model = ElectraDiscriminator(config)
    _fill(model, tensors, folder, DISCRIMINATOR)
    return model


def load_masked_lm(folder: Path) -> ElectraMaskedLM:
    """Reads a generator; a head that the checkpoint lacks keeps its start values.

    Raises:
        CheckpointError: a file is missing or broken, the settings are of another model, or the encoder is not whole.
    """
    config, tensors = _read(folder)
    model = ElectraMaskedLM(config)
    _fill(model, tensors, folder, GENERATOR)
    return model


def save(model: ElectraDiscriminator | ElectraMaskedLM, folder: Path) -> None:
    """Writes a checkpoint that transformers reads with ElectraForPreTraining or ElectraForMaskedLM.from_pretrained(folder)."""
    judges = isinstance(model, ElectraDiscriminator)
    kind, head = ("ElectraForPreTraining", DISCRIMINATOR) if judges else ("ElectraForMaskedLM", GENERATOR)
    config = model.electra.config
    tensors = _theirs(model.state_dict(), _names(head, config.num_hidden_layers))
    checkpoint_files.write(folder, {"model_type": "electra", "architectures": [kind], **asdict(config)}, tensors)


def _read(folder: Path) -> tuple[ElectraConfig, dict[str, Tensor]]:
    settings, tensors = checkpoint_files.read(folder)
    return ElectraConfig(**_known(settings, ElectraConfig, "electra", "gelu")), tensors


def _fill(model: ElectraDiscriminator | ElectraMaskedLM, tensors: dict[str, Tensor], folder: Path, head: Names) -> None:
    tensors.pop(TIED, None)
    ours = _ours(tensors, _names(head, model.electra.config.num_hidden_layers))
    checkpoint_files.fill(model, ours, folder, optional=tuple(head))


def _names(head: Names, layers: int) -> Names:
    names = ENCODER | head
    for number in range(layers):
        names |= _layer(f"electra.layers.{number}", f"electra.encoder.layer.{number}", ROBERTA_LAYER)
    return names
