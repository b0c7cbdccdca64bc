"""Checkpoints as transformers writes them, config.json and model.safetensors, read into the course's models and back.

The two differ in names, and in one thing more: transformers keeps the projections of queries, keys and values apart, here they
are one matrix. Tensors are stored by safetensors, which cannot run code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from etude.models import checkpoint_files
from etude.models.bert import BertConfig, BertForPretraining
from etude.models.checkpoint_files import CheckpointError

Names = dict[str, str]  # ours → theirs
TOP: Names = {
    "bert.input.tokens": "bert.embeddings.word_embeddings",
    "bert.input.segments": "bert.embeddings.token_type_embeddings",
    "bert.input.positions": "bert.embeddings.position_embeddings",
    "bert.input.norm": "bert.embeddings.LayerNorm",
    "bert.pooler": "bert.pooler.dense",
    "transform": "cls.predictions.transform.dense",
    "norm": "cls.predictions.transform.LayerNorm",
    "next_sentence": "cls.seq_relationship",
}
LAYER: Names = {
    "attention.project_out": "attention.output.dense",
    "attention_sum.norm": "attention.output.LayerNorm",
    "feed_forward.0": "intermediate.dense",
    "feed_forward.2": "output.dense",
    "feed_forward_sum.norm": "output.LayerNorm",
}
JOINED = "attention.project_in"
APART = tuple(f"attention.self.{part}" for part in ("query", "key", "value"))
BIAS = ("bias", "cls.predictions.bias")
HEADS = ("bert.pooler", "transform", "norm", "bias", "next_sentence")  # a checkpoint may lack them
# What transformers stores besides, which says nothing new: the output weights are the input's embeddings.
COPIES = ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias", "bert.embeddings.position_ids")


def load_bert(folder: Path) -> BertForPretraining:
    """Reads a BERT with its pre-training heads from a folder that holds config.json and model.safetensors.

    A head that the checkpoint lacks keeps its start values, as where only masked words were trained.

    Raises:
        CheckpointError: a file is missing or broken, the settings are not BERT's, or the encoder is not whole.
    """
    settings, tensors = checkpoint_files.read(folder)
    model = BertForPretraining(bert_config(settings))
    ours = from_transformers(tensors, model.bert.config.num_hidden_layers)
    checkpoint_files.fill(model, ours, folder, HEADS)
    return model


def save_bert(model: BertForPretraining, folder: Path) -> None:
    """Writes a checkpoint that transformers reads with BertForPreTraining.from_pretrained(folder).

    Raises:
        OSError: it cannot be written.
    """
    config = {"model_type": "bert", "architectures": ["BertForPreTraining"], **asdict(model.bert.config)}
    checkpoint_files.write(folder, config, to_transformers(model.state_dict()))


def bert_config(settings: Mapping[str, Any]) -> BertConfig:
    """Takes BERT's settings out of a config.json.

    Raises:
        CheckpointError: it is of another model, or asks for what this BERT cannot do.
    """
    if settings.get("model_type") != "bert":
        raise CheckpointError(f"config.json is of a {settings.get('model_type')!r}, not of a 'bert'")
    if settings.get("hidden_act", "gelu") != "gelu":
        raise CheckpointError(f"config.json asks for {settings['hidden_act']!r}, and BERT's heads know 'gelu' alone")
    return BertConfig(**{field.name: settings[field.name] for field in fields(BertConfig) if field.name in settings})


def from_transformers(state: Mapping[str, Tensor], layers: int) -> dict[str, Tensor]:
    """Renames the tensors of transformers' BertForPreTraining, BertForMaskedLM or BertModel, and joins the projections.

    What has no place in the course's model keeps its name.
    """
    if not any(name.startswith("bert.") for name in state):
        state = {f"bert.{name}": tensor for name, tensor in state.items()}  # the bare encoder
    # Files of 2018 and 2019 call the affine part of a normalisation gamma and beta.
    rest = {_spelled(name): tensor for name, tensor in state.items() if name not in COPIES}
    ours = {}
    for mine, theirs in _names(layers).items():
        for kind in ("weight", "bias"):
            if (tensor := rest.pop(f"{theirs}.{kind}", None)) is not None:
                ours[f"{mine}.{kind}"] = tensor
    for number in range(layers):
        for kind in ("weight", "bias"):
            names = [f"bert.encoder.layer.{number}.{part}.{kind}" for part in APART]
            if all(name in rest for name in names):
                ours[f"bert.layers.{number}.{JOINED}.{kind}"] = torch.cat([rest.pop(name) for name in names])
    if BIAS[1] in rest:
        ours[BIAS[0]] = rest.pop(BIAS[1])
    return {**ours, **rest}


def to_transformers(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Names the tensors of a BertForPretraining as transformers does, the projections apart."""
    layers = sum(name.endswith(f"{JOINED}.weight") for name in state)
    theirs = {}
    for mine, name in _names(layers).items():
        for kind in ("weight", "bias"):
            if f"{mine}.{kind}" in state:
                theirs[f"{name}.{kind}"] = state[f"{mine}.{kind}"].contiguous()
    for number in range(layers):
        for kind in ("weight", "bias"):
            parts = state[f"bert.layers.{number}.{JOINED}.{kind}"].chunk(3)
            for name, part in zip(APART, parts, strict=True):
                theirs[f"bert.encoder.layer.{number}.{name}.{kind}"] = part.clone()
    theirs[BIAS[1]] = state[BIAS[0]]
    return theirs


def _names(layers: int) -> Names:
    """Pairs the modules' names, ours → theirs, but for the projections."""
    each = {
        f"bert.layers.{number}.{mine}": f"bert.encoder.layer.{number}.{theirs}"
        for number in range(layers)
        for mine, theirs in LAYER.items()
    }
    return {**TOP, **each}


def _spelled(name: str) -> str:
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
