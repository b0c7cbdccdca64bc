"""Checkpoints of XLNet as transformers writes them, read into the course's model and back.

Both differ in names, and in the shape of the projections: transformers keeps width, heads and a head's width apart, here a projection is
one matrix.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path

from torch import Tensor

from etude.models import checkpoint_files
from etude.models.checkpoint_files import CheckpointError
from etude.models.xlnet import XLNetConfig, XLNetForPermutationLM

WHOLE = {  # ours → theirs
    "xlnet.tokens.weight": "transformer.word_embedding.weight",
    "xlnet.start": "transformer.mask_emb",
    "bias": "lm_loss.bias",
}
LAYER = {
    "attention.queries.weight": "rel_attn.q",
    "attention.keys.weight": "rel_attn.k",
    "attention.values.weight": "rel_attn.v",
    "attention.distances.weight": "rel_attn.r",
    "attention.out.weight": "rel_attn.o",
    "attention.content_bias": "rel_attn.r_w_bias",
    "attention.distance_bias": "rel_attn.r_r_bias",
    "attention.segment_bias": "rel_attn.r_s_bias",
    "attention.segments": "rel_attn.seg_embed",
    "attention.norm.weight": "rel_attn.layer_norm.weight",
    "attention.norm.bias": "rel_attn.layer_norm.bias",
    **{
        f"feed_forward.{ours}.{kind}": f"ff.layer_{n}.{kind}"
        for n, ours in ((1, 0), (2, 3))
        for kind in ("weight", "bias")
    },
    "norm.weight": "ff.layer_norm.weight",
    "norm.bias": "ff.layer_norm.bias",
}
TIED = "lm_loss.weight"  # the token table once more
UNKNOWN = {"attn_type": "bi", "ff_activation": "gelu", "bi_data": False, "clamp_len": -1, "reuse_len": None}


def load_xlnet(folder: Path) -> XLNetForPermutationLM:
    """Reads an XLNet with its head.

    Raises:
        CheckpointError: a file is missing or broken, the settings are of another model, or the network is not whole.
    """
    settings, tensors = checkpoint_files.read(folder)
    if settings.get("model_type") != "xlnet":
        raise CheckpointError(f"config.json is of a {settings.get('model_type')!r}, not of a 'xlnet'")
    for name, only in UNKNOWN.items():
        if settings.get(name, only) != only:
            raise CheckpointError(f"config.json has {name} = {settings[name]!r}, and here it is {only!r} alone")
    known = {field.name: settings[field.name] for field in fields(XLNetConfig) if settings.get(field.name) is not None}
    model = XLNetForPermutationLM(XLNetConfig(**known))
    config, ours = model.xlnet.config, {}
    rest = {name: tensor for name, tensor in tensors.items() if name != TIED}
    for mine, theirs in _names(config.n_layer).items():
        if theirs in rest:
            ours[mine] = _ours(mine, rest.pop(theirs))
    checkpoint_files.fill(model, ours | rest, folder, optional=("bias",))
    return model


def save_xlnet(model: XLNetForPermutationLM, folder: Path) -> None:
    """Writes a checkpoint that transformers reads with XLNetLMHeadModel.from_pretrained(folder)."""
    config, state = model.xlnet.config, model.state_dict()
    settings = {"model_type": "xlnet", "architectures": ["XLNetLMHeadModel"], **asdict(config), "ff_activation": "gelu"}
    tensors = {
        theirs: _theirs(mine, state[mine], config.n_head).contiguous().clone()
        for mine, theirs in _names(config.n_layer).items()
    }
    checkpoint_files.write(folder, settings, tensors)


def _names(layers: int) -> dict[str, str]:
    inside = {
        f"xlnet.layers.{n}.{mine}": f"transformer.layer.{n}.{theirs}"
        for n in range(layers)
        for mine, theirs in LAYER.items()
    }
    return WHOLE | inside


def _ours(name: str, tensor: Tensor) -> Tensor:
    """Makes one matrix of a projection, (H, h, H/h) → (H, H), which nn.Linear holds turned round but for the one out."""
    if name == "xlnet.start":
        return tensor.flatten()
    if tensor.dim() == 3 and not name.endswith("segments"):
        matrix = tensor.flatten(1)
        return matrix if name.endswith("out.weight") else matrix.T.contiguous()
    return tensor


def _theirs(name: str, tensor: Tensor, heads: int) -> Tensor:
    if name == "xlnet.start":
        return tensor[None, None]
    if ".attention." in name and name.endswith(("queries.weight", "keys.weight", "values.weight", "distances.weight")):
        return tensor.T.reshape(len(tensor), heads, -1)
    return tensor.reshape(len(tensor), heads, -1) if name.endswith("attention.out.weight") else tensor
