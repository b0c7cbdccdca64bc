"""Artifacts come from the student's side: read as data, within bounds, refused with a reason."""

import json
import struct

import pytest
import torch
from safetensors.torch import save

from grader.metrics import Artifacts, BadArtifact, compute


@pytest.fixture
def artifacts(tmp_path):
    (tmp_path / "tensors.safetensors").write_bytes(save({"vectors": torch.eye(3)}))
    (tmp_path / "data.json").write_text(json.dumps({"words": ["a", "b", "c"]}))
    return Artifacts(tmp_path, seed=0)


def test_what_was_recorded_comes_back(artifacts):
    assert torch.equal(artifacts.tensor("vectors", ndim=2), torch.eye(3))
    assert artifacts.strings("words") == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("tensor", "word"),
    [
        (torch.zeros(3), "dimensions"),
        (torch.full((2, 2), torch.nan), "not finite"),
        (torch.full((2, 2), torch.inf), "not finite"),
    ],
)
def test_a_tensor_of_another_shape_or_with_nan_is_refused(artifacts, tensor, word):
    (artifacts.folder / "tensors.safetensors").write_bytes(save({"vectors": tensor}))
    with pytest.raises(BadArtifact, match=word):
        artifacts.tensor("vectors", ndim=2)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80\x04pickle",
        struct.pack("<Q", 2**40) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 90)
        + b'{"vectors":{"dtype":"F32","shape":[99999999,99999],"data_offsets":[0,4]}}'.ljust(90)
        + b"\0" * 4,
    ],
)
def test_bytes_that_are_no_safetensors_are_refused(artifacts, content):
    (artifacts.folder / "tensors.safetensors").write_bytes(content)
    with pytest.raises(BadArtifact):
        artifacts.tensor("vectors", ndim=2)


@pytest.mark.parametrize(
    "data", ["", "[1]", '{"words": 3}', '{"words": [1, 2]}', '{"words": ["a", "a"]}', "[" * 100_000, '{"words": null}']
)
def test_data_that_is_no_list_of_words_is_refused(artifacts, data):
    (artifacts.folder / "data.json").write_text(data)
    with pytest.raises(BadArtifact):
        artifacts.strings("words")


def test_a_link_out_of_the_folder_is_not_followed(artifacts, tmp_path):
    (artifacts.folder / "data.json").unlink()
    (artifacts.folder / "data.json").symlink_to("/etc/passwd")
    with pytest.raises(BadArtifact, match="missing"):
        artifacts.strings("words")


def test_a_metric_that_cannot_be_computed_has_a_reason_and_no_value(artifacts):
    found = compute(
        {
            "good": lambda a: 0.5,
            "absent": lambda a: a.tensor("x", 2),
            "nan": lambda a: float("nan"),
            "broken": lambda a: 1 / 0,
        },
        artifacts,
    )
    assert found["good"] == (0.5, "")
    assert [found[name][0] for name in ("absent", "nan", "broken")] == [None] * 3
    assert all(found[name][1] for name in ("absent", "nan", "broken"))
