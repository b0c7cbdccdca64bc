"""Checkpoints of ALBERT and RoBERTa as transformers writes them, read into the course's models and back.

Both differ in names, and in one thing more: transformers keeps the projections of queries, keys and values apart, here they are one
matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from etude.models import checkpoint_files
from etude.models.albert import AlbertConfig, AlbertForPretraining
from etude.models.checkpoint_files import CheckpointError
from etude.models.roberta import RobertaConfig, RobertaForMaskedLM

JOINED = "attention.project_in"
Names = dict[str, str]  # ours → theirs, modules and lone tensors
ALBERT: Names = {
    "albert.input.tokens": "albert.embeddings.word_embeddings",
    "albert.input.segments": "albert.embeddings.token_type_embeddings",
    "albert.input.positions": "albert.embeddings.position_embeddings",
    "albert.input.norm": "albert.embeddings.LayerNorm",
    "albert.widen": "albert.encoder.embedding_hidden_mapping_in",
    "albert.pooler": "albert.pooler",
    "transform": "predictions.dense",
    "norm": "predictions.LayerNorm",
    "bias": "predictions.bias",
    "order": "sop_classifier.classifier",
}
ALBERT_LAYER: Names = {
    **{f"{JOINED}.{part}": f"attention.{part}" for part in ("query", "key", "value")},
    "attention.project_out": "attention.dense",
    "attention_sum.norm": "attention.LayerNorm",
    "feed_forward.0": "ffn",
    "feed_forward.2": "ffn_output",
    "feed_forward_sum.norm": "full_layer_layer_norm",
}
ROBERTA: Names = {
    "bert.input.tokens": "roberta.embeddings.word_embeddings",
    "bert.input.segments": "roberta.embeddings.token_type_embeddings",
    "bert.input.positions": "roberta.embeddings.position_embeddings",
    "bert.input.norm": "roberta.embeddings.LayerNorm",
    "bert.pooler": "roberta.pooler.dense",
    "transform": "lm_head.dense",
    "norm": "lm_head.layer_norm",
    "bias": "lm_head.bias",
}
ROBERTA_LAYER: Names = {
    **{f"{JOINED}.{part}": f"attention.self.{part}" for part in ("query", "key", "value")},
    "attention.project_out": "attention.output.dense",
    "attention_sum.norm": "attention.output.LayerNorm",
    "feed_forward.0": "intermediate.dense",
    "feed_forward.2": "output.dense",
    "feed_forward_sum.norm": "output.LayerNorm",
}
# What transformers stores besides, which says nothing new.
COPIES = ("decoder.weight", "decoder.bias", "position_ids")


def load_albert(folder: Path) -> AlbertForPretraining:
    """Reads an ALBERT with its pre-training heads; a head that the checkpoint lacks keeps its start values.

    Raises:
        CheckpointError: a file is missing or broken, the settings are of another model, or the encoder is not whole.
    """
    settings, tensors = checkpoint_files.read(folder)
    if settings.get("num_hidden_groups", 1) != 1 or settings.get("inner_group_num", 1) != 1:
        raise CheckpointError("config.json asks for several groups of layers, and here all layers are one")
    model = AlbertForPretraining(AlbertConfig(**_known(settings, AlbertConfig, "albert", "gelu_new")))
    names = ALBERT | _layer("albert.layers.0", "albert.encoder.albert_layer_groups.0.albert_layers.0", ALBERT_LAYER)
    once = _ours(tensors, names)
    layers = {name: tensor for name, tensor in once.items() if name.startswith("albert.layers.0.")}
    for number in range(1, model.albert.config.num_hidden_layers):  # the same weights under each layer's name
        once |= {name.replace(".0.", f".{number}.", 1): tensor for name, tensor in layers.items()}
    checkpoint_files.fill(model, once, folder, optional=("transform", "norm", "bias", "order", "albert.pooler"))
    return model


def save_albert(model: AlbertForPretraining, folder: Path) -> None:
    """Writes a checkpoint that transformers reads with AlbertForPreTraining.from_pretrained(folder).

    Raises:
        ValueError: the layers do not share all their weights; transformers knows no such ALBERT.
    """
    config = model.albert.config
    if config.shared != "all":
        raise ValueError(f"the layers share {config.shared!r}: transformers' ALBERT shares all")
    settings = {"model_type": "albert", "architectures": ["AlbertForPreTraining"], **asdict(config)}
    names = ALBERT | _layer("albert.layers.0", "albert.encoder.albert_layer_groups.0.albert_layers.0", ALBERT_LAYER)
    checkpoint_files.write(folder, settings | {"hidden_act": "gelu_new"}, _theirs(model.state_dict(), names))


def load_roberta(folder: Path) -> RobertaForMaskedLM:
    """Reads a RoBERTa with the head for masked tokens.

    Raises:
        CheckpointError: a file is missing or broken, the settings are of another model, or the encoder is not whole.
    """
    settings, tensors = checkpoint_files.read(folder)
    model = RobertaForMaskedLM(RobertaConfig(**_known(settings, RobertaConfig, "roberta", "gelu")))
    names = _roberta_names(model.bert.config.num_hidden_layers)
    checkpoint_files.fill(model, _ours(tensors, names), folder, optional=("transform", "norm", "bias", "bert.pooler"))
    return model


def save_roberta(model: RobertaForMaskedLM, folder: Path) -> None:
    """Writes a checkpoint that transformers reads with RobertaForMaskedLM.from_pretrained(folder)."""
    config = model.bert.config
    settings = {"model_type": "roberta", "architectures": ["RobertaForMaskedLM"], **asdict(config)}
    tensors = _theirs(model.state_dict(), _roberta_names(config.num_hidden_layers))
    checkpoint_files.write(folder, settings, tensors)


def _known(settings: Mapping[str, Any], config: Any, kind: str, activation: str) -> dict[str, Any]:
    """Takes out of a config.json what the model can be told; raises CheckpointError for what it cannot do."""
    if settings.get("model_type") != kind:
        raise CheckpointError(f"config.json is of a {settings.get('model_type')!r}, not of a {kind!r}")
    if settings.get("hidden_act", activation) != activation:
        raise CheckpointError(f"config.json asks for {settings['hidden_act']!r}, and {kind} knows {activation!r} alone")
    return {field.name: settings[field.name] for field in fields(config) if field.name in settings}


def _roberta_names(layers: int) -> Names:
    names = dict(ROBERTA)
    for number in range(layers):
        names |= _layer(f"bert.layers.{number}", f"roberta.encoder.layer.{number}", ROBERTA_LAYER)
    return names


def _layer(mine: str, theirs: str, names: Names) -> Names:
    return {f"{mine}.{one}": f"{theirs}.{other}" for one, other in names.items()}


def _ours(state: Mapping[str, Tensor], names: Names) -> dict[str, Tensor]:
    """Renames transformers' tensors and joins the projections; what has no place here keeps its name."""
    rest = {name: tensor for name, tensor in state.items() if not name.endswith(COPIES)}
    apart: dict[str, Tensor] = {}
    for mine, theirs in names.items():
        for kind in (".weight", ".bias", ""):
            if (tensor := rest.pop(f"{theirs}{kind}", None)) is not None:
                apart[f"{mine}{kind}"] = tensor
    joined: dict[str, list[Tensor]] = {}
    for name in [name for name in apart if f"{JOINED}." in name]:  # in the order query, key, value
        place, _, part = name.partition(f"{JOINED}.")
        joined.setdefault(f"{place}{JOINED}.{part.partition('.')[2]}", []).append(apart.pop(name))
    return {**apart, **{name: torch.cat(parts) for name, parts in joined.items()}, **rest}


def _theirs(state: Mapping[str, Tensor], names: Names) -> dict[str, Tensor]:
    """Names the course's tensors as transformers does, the projections apart."""
    apart = dict(state)
    for name in [name for name in state if f"{JOINED}." in name]:
        place, _, kind = name.rpartition(".")
        parts = zip(("query", "key", "value"), apart.pop(name).chunk(3), strict=True)
        apart |= {f"{place}.{part}.{kind}": tensor for part, tensor in parts}
    return {
        f"{theirs}{kind}": apart[f"{mine}{kind}"].contiguous().clone()
        for mine, theirs in names.items()
        for kind in (".weight", ".bias", "")
        if f"{mine}{kind}" in apart
    }
