"""Checkpoints of T5 as transformers writes them, read into the course's model and back; they differ in names alone."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path

from etude.models import checkpoint_files
from etude.models.checkpoint_files import CheckpointError
from etude.models.t5 import T5, T5Config

ATTENTION = {"query": "q", "key": "k", "value": "v", "out": "o"}  # ours → theirs
COPIES = ("lm_head.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")  # of the one shared table


def load_t5(folder: Path) -> T5:
    """Reads a T5 of the first version.

    Raises:
        CheckpointError: a file is missing or broken, the settings are of another model, or it is not whole.
    """
    settings, tensors = checkpoint_files.read(folder)
    if settings.get("model_type") != "t5":
        raise CheckpointError(f"config.json is of a {settings.get('model_type')!r}, not of a 't5'")
    if settings.get("feed_forward_proj", "relu") != "relu" or not settings.get("tie_word_embeddings", True):
        raise CheckpointError("config.json is of T5 1.1 or a later one: gated, or with an output matrix of its own")
    if settings.get("num_decoder_layers") not in (None, settings.get("num_layers")):
        raise CheckpointError("config.json asks for a decoder of another depth than the encoder's")
    known = {field.name: settings[field.name] for field in fields(T5Config) if field.name in settings}
    model = T5(T5Config(**known))
    ours = {theirs: mine for mine, theirs in _names(model.config).items()}
    kept = {ours.get(name, name): tensor for name, tensor in tensors.items() if name not in COPIES}
    checkpoint_files.fill(model, kept, folder)
    return model


def save_t5(model: T5, folder: Path) -> None:
    """Writes a checkpoint that transformers reads with T5ForConditionalGeneration.from_pretrained(folder)."""
    settings = {
        **{"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "feed_forward_proj": "relu"},
        **{"tie_word_embeddings": True, "decoder_start_token_id": model.config.pad_token_id, **asdict(model.config)},
    }
    names = _names(model.config)
    tensors = {names[name]: tensor.contiguous().clone() for name, tensor in model.state_dict().items()}
    checkpoint_files.write(folder, settings, tensors)


def _names(config: T5Config) -> dict[str, str]:
    """Lists ours → theirs."""
    names = {"tokens.weight": "shared.weight"}
    for stack in ("encoder", "decoder"):
        first = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        names |= {f"{stack}.distances.weight": first, f"{stack}.norm.weight": f"{stack}.final_layer_norm.weight"}
        parts = [("attention", "SelfAttention"), ("feed_forward", "DenseReluDense")]
        if stack == "decoder":
            parts.insert(1, ("cross", "EncDecAttention"))
        for layer in range(config.num_layers):
            for place, (mine, theirs) in enumerate(parts):
                here, there = f"{stack}.layers.{layer}.{mine}", f"{stack}.block.{layer}.layer.{place}"
                inside = {"0": "wi", "3": "wo"} if mine == "feed_forward" else ATTENTION
                names |= {f"{here}.{a}.weight": f"{there}.{theirs}.{b}.weight" for a, b in inside.items()}
                names[f"{here}_norm.weight"] = f"{there}.layer_norm.weight"
    return names
