"""Checkpoints of DistilBERT as transformers writes them, read into the course's model and back."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from etude.models import checkpoint_files
from etude.models.checkpoint_files import CheckpointError
from etude.models.distilled import DistilBertConfig, DistilBertForMaskedLM
from etude.models.variant_checkpoints import JOINED, Names, _layer, _ours, _theirs

SETTINGS = {  # ours → theirs, where they differ
    "hidden_size": "dim",
    "num_hidden_layers": "n_layers",
    "num_attention_heads": "n_heads",
    "intermediate_size": "hidden_dim",
    "hidden_act": "activation",
    "hidden_dropout_prob": "dropout",
    "attention_probs_dropout_prob": "attention_dropout",
}
KEPT = ("vocab_size", "max_position_embeddings", "initializer_range", "pad_token_id")  # named alike
OUTSIDE: Names = {
    "bert.input.tokens": "distilbert.embeddings.word_embeddings",
    "bert.input.positions": "distilbert.embeddings.position_embeddings",
    "bert.input.norm": "distilbert.embeddings.LayerNorm",
    "transform": "vocab_transform",
    "norm": "vocab_layer_norm",
    "bias": "vocab_projector.bias",
}
LAYER: Names = {
    **{f"{JOINED}.{part}": f"attention.{part[0]}_lin" for part in ("query", "key", "value")},
    "attention.project_out": "attention.out_lin",
    "attention_sum.norm": "sa_layer_norm",
    "feed_forward.0": "ffn.lin1",
    "feed_forward.2": "ffn.lin2",
    "feed_forward_sum.norm": "output_layer_norm",
}
TIED = "vocab_projector.weight"  # the input's embeddings once more


def load_distilbert(folder: Path) -> DistilBertForMaskedLM:
    """Reads a DistilBERT with its head for masked tokens, which keeps its start values where the checkpoint lacks it.

    Raises:
        CheckpointError: a file is missing or broken, the settings are of another model, or the encoder is not whole.
    """
    settings, tensors = checkpoint_files.read(folder)
    if settings.get("model_type") != "distilbert":
        raise CheckpointError(f"config.json is of a {settings.get('model_type')!r}, not of a 'distilbert'")
    if settings.get("activation", "gelu") != "gelu":
        raise CheckpointError(f"config.json asks for {settings['activation']!r}, and distilbert knows 'gelu' alone")
    named = {field.name: SETTINGS.get(field.name, field.name) for field in fields(DistilBertConfig)}
    known = {mine: settings[name] for mine, name in named.items() if mine in (*SETTINGS, *KEPT) and name in settings}
    model = DistilBertForMaskedLM(DistilBertConfig(**known))
    tensors.pop(TIED, None)
    ours = _ours(tensors, _names(model.bert.config.num_hidden_layers))
    checkpoint_files.fill(model, ours, folder, optional=("transform", "norm", "bias"))
    return model


def save_distilbert(model: DistilBertForMaskedLM, folder: Path) -> None:
    """Writes a checkpoint that transformers reads with DistilBertForMaskedLM.from_pretrained(folder).

    Raises:
        OSError: it cannot be written.
    """
    config = model.bert.config
    settings = {SETTINGS.get(name, name): getattr(config, name) for name in (*SETTINGS, *KEPT)}
    head = {"model_type": "distilbert", "architectures": ["DistilBertForMaskedLM"]}
    tensors = _theirs(model.state_dict(), _names(config.num_hidden_layers))
    checkpoint_files.write(folder, head | settings, tensors)


def _names(layers: int) -> Names:
    names = dict(OUTSIDE)
    for number in range(layers):
        names |= _layer(f"bert.layers.{number}", f"distilbert.transformer.layer.{number}", LAYER)
    return names
