"""Checkpoints of GPT as transformers writes them, config.json and model.safetensors, read into the course's GPT and back.

The two differ in names, and in one thing more: transformers keeps the matrices of linear maps transposed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from torch import Tensor

from etude.models import checkpoint_files
from etude.models.checkpoint_files import CheckpointError
from etude.models.gpt import GPT, GPTConfig

PREFIX = "transformer."
LAYER = {  # ours → theirs
    "attention.project_in": "attn.c_attn",
    "attention.project_out": "attn.c_proj",
    "attention_sum.norm": "ln_1",
    "feed_forward.0": "mlp.c_fc",
    "feed_forward.2": "mlp.c_proj",
    "feed_forward_sum.norm": "ln_2",
}
TOP = {
    "gpt2": {"tokens": "wte", "positions": "wpe", "norm": "ln_f"},
    "openai-gpt": {"tokens": "tokens_embed", "positions": "positions_embed"},
}
NORM = {"gpt2": "pre", "openai-gpt": "post"}
# What transformers stores besides, which says nothing new: the output weights are the input's embeddings; masks of old files.
COPIES = ("lm_head.weight", ".attn.bias", ".attn.masked_bias")


def load_gpt(folder: Path) -> GPT:
    """Reads a GPT-1 or GPT-2 from a folder that holds config.json and model.safetensors.

    Raises:
        CheckpointError: a file is missing or broken, the settings are of another model, or a tensor is missing or of another size.
    """
    settings, tensors = checkpoint_files.read(folder)
    model = GPT(gpt_config(settings))
    checkpoint_files.fill(model, from_transformers(tensors, settings["model_type"], model.config.n_layer), folder)
    return model


def save_gpt(model: GPT, folder: Path) -> None:
    """Writes a checkpoint that transformers reads with GPT2LMHeadModel or OpenAIGPTLMHeadModel.from_pretrained(folder).

    Raises:
        OSError: it cannot be written.
    """
    config, kind = model.config, "gpt2" if model.config.norm == "pre" else "openai-gpt"
    settings = {
        "model_type": kind,
        "architectures": ["GPT2LMHeadModel" if kind == "gpt2" else "OpenAIGPTLMHeadModel"],
        **{
            field.name: getattr(config, field.name) for field in fields(config) if field.name not in ("norm", "dropout")
        },
        **{f"{part}_pdrop": config.dropout for part in ("resid", "embd", "attn")},
        "bos_token_id": None,
        "eos_token_id": None,
    }
    checkpoint_files.write(folder, settings, to_transformers(model.state_dict(), kind, config.n_layer))


def gpt_config(settings: Mapping[str, Any]) -> GPTConfig:
    """Takes GPT's settings out of a config.json.

    Raises:
        CheckpointError: it is of another model, or asks for what this GPT cannot do.
    """
    kind = settings.get("model_type")
    if kind not in NORM:
        raise CheckpointError(f"config.json is of a {kind!r}, not of a 'gpt2' or 'openai-gpt'")
    activation = settings.get("activation_function") or settings.get("afn") or "gelu_new"
    if activation not in ("gelu_new", "gelu") or (activation == "gelu" and kind == "gpt2"):
        raise CheckpointError(f"config.json asks for {activation!r}, and GPT knows GELU's tanh form alone")
    known = {field.name: settings[field.name] for field in fields(GPTConfig) if field.name in settings}
    return GPTConfig(**known | {"norm": NORM[kind], "dropout": settings.get("resid_pdrop", 0.1)})


def from_transformers(state: Mapping[str, Tensor], kind: str, layers: int) -> dict[str, Tensor]:
    """Renames the tensors of transformers' model, with its head or without; what has no place here keeps its name."""
    rest = {name.removeprefix(PREFIX): tensor for name, tensor in state.items() if not name.endswith(COPIES)}
    ours = {mine: rest.pop(theirs) for mine, theirs in _names(kind, layers).items() if theirs in rest}
    return {name: _turned(name, tensor) for name, tensor in ours.items()} | rest


def to_transformers(state: Mapping[str, Tensor], kind: str, layers: int) -> dict[str, Tensor]:
    """Names the tensors of a GPT as transformers does."""
    return {
        f"{PREFIX}{theirs}": _turned(mine, state[mine])
        for mine, theirs in _names(kind, layers).items()
        if mine in state
    }


def _turned(name: str, tensor: Tensor) -> Tensor:
    linear = name.startswith("layers.") and tensor.dim() == 2
    return tensor.t().contiguous() if linear else tensor.contiguous()


def _names(kind: str, layers: int) -> dict[str, str]:
    """Pairs the tensors' names, ours → theirs without the prefix."""
    modules = dict(TOP[kind])
    for number in range(layers):
        modules |= {f"layers.{number}.{mine}": f"h.{number}.{theirs}" for mine, theirs in LAYER.items()}
    return {f"{mine}.{part}": f"{theirs}.{part}" for mine, theirs in modules.items() for part in ("weight", "bias")}
