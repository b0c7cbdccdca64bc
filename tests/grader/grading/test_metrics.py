"""Artifacts come from the student's side: read as data, within bounds, refused with a reason."""

import json
import struct
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from safetensors.torch import save

from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import compute


@pytest.fixture
def artifacts(tmp_path: Path) -> Artifacts:
    (tmp_path / "tensors.safetensors").write_bytes(save({"vectors": torch.eye(3)}))
    (tmp_path / "data.json").write_text(json.dumps({"words": ["a", "b", "c"]}))
    return Artifacts(tmp_path, seed=0)


def test_what_was_recorded_comes_back(artifacts: Artifacts) -> None:
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
def test_a_tensor_of_another_shape_or_with_nan_is_refused(
    artifacts: Artifacts, tensor: torch.Tensor, word: str
) -> None:
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
def test_bytes_that_are_no_safetensors_are_refused(artifacts: Artifacts, content: bytes) -> None:
    (artifacts.folder / "tensors.safetensors").write_bytes(content)
    with pytest.raises(BadArtifact):
        artifacts.tensor("vectors", ndim=2)


@pytest.mark.parametrize(
    "data", ["", "[1]", '{"words": 3}', '{"words": [1, 2]}', '{"words": ["a", "a"]}', "[" * 100_000, '{"words": null}']
)
def test_data_that_is_no_list_of_words_is_refused(artifacts: Artifacts, data: str) -> None:
    (artifacts.folder / "data.json").write_text(data)
    with pytest.raises(BadArtifact):
        artifacts.strings("words")


def test_a_link_out_of_the_folder_is_not_followed(artifacts: Artifacts, tmp_path: Path) -> None:
    (artifacts.folder / "data.json").unlink()
    (artifacts.folder / "data.json").symlink_to("/etc/passwd")
    with pytest.raises(BadArtifact, match="missing"):
        artifacts.strings("words")


def test_a_metric_that_cannot_be_computed_has_a_reason_and_no_value(artifacts: Artifacts) -> None:
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


def test_an_array_of_numbers_comes_back_from_npy(artifacts: Artifacts) -> None:
    np.save(artifacts.folder / "scores.npy", np.arange(6).reshape(2, 3))
    assert artifacts.array("scores", ndim=2).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY\x01\x00",
        b"\x93NUMPY\x09\x00v\x00{}",
        b"\x93NUMPY\x01\x00v\x00"
        + b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }".ljust(117)
        + b"\n",
        b"\x93NUMPY\x01\x00v\x00"
        + b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(117)
        + b"\n\x80\x04N.",
        b"\x93NUMPY\x01\x00v\x00" + b"__import__('os').system('true')".ljust(117) + b"\n",
        *(
            b"\x93NUMPY\x01\x00\x11\x27" + deep + b"\n"
            for deep in (b"1+" * 5000, b"~" * 10_000, b"{0:   " * 1666 + b"    ")
        ),
    ],
)
def test_an_npy_file_that_lies_or_pickles_is_refused(artifacts: Artifacts, content: bytes) -> None:
    (artifacts.folder / "scores.npy").write_bytes(content)
    with pytest.raises(BadArtifact):
        artifacts.array("scores", ndim=1)


def test_a_table_of_numbers_comes_back_from_parquet_and_text_is_refused(artifacts: Artifacts) -> None:
    frame = pd.DataFrame({"step": [1, 2], "loss": [0.5, 0.25]})
    frame.to_parquet(artifacts.folder / "log.parquet")
    assert artifacts.table("log").equals(frame)
    frame.assign(note="x").to_parquet(artifacts.folder / "log.parquet")
    with pytest.raises(BadArtifact, match="no numbers: note"):
        artifacts.table("log")


def test_a_parquet_file_that_unpacks_to_too_much_or_is_cut_is_refused(artifacts: Artifacts) -> None:
    path = artifacts.folder / "log.parquet"
    pd.DataFrame({"x": np.zeros(25_000_000, dtype=np.int8)}).to_parquet(path)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(BadArtifact, match="more than"):
        artifacts.table("log")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadArtifact, match="cannot be read"):
        artifacts.table("log")


def test_a_parquet_file_of_more_columns_than_anybody_reads_is_refused(artifacts: Artifacts) -> None:
    path = artifacts.folder / "log.parquet"
    pd.DataFrame(np.zeros((1, 1001)), columns=[f"c{i}" for i in range(1001)]).to_parquet(path)
    with pytest.raises(BadArtifact, match="1,001 columns"):
        artifacts.table("log")
    pd.DataFrame(np.zeros((1, 1)), columns=["c" * 2**20]).to_parquet(path)
    with pytest.raises(BadArtifact, match="says more than 1 MiB of itself"):
        artifacts.table("log")


def test_of_a_wide_table_no_more_is_unpacked_than_cells_may_be(
    artifacts: Artifacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.grading.artifacts.MOST_CELLS", 1_000_000)
    zeros = np.zeros(60_000)
    pd.DataFrame({f"column {i}": zeros for i in range(400)}).to_parquet(artifacts.folder / "log.parquet")
    before = pa.default_memory_pool()
    counted = pa.proxy_memory_pool(before)
    pa.set_memory_pool(counted)
    try:
        with pytest.raises(BadArtifact, match="more than 1,000,000 cells"):
            artifacts.table("log")
    finally:
        pa.set_memory_pool(before)
    assert counted.max_memory() < 10 * 8_000_000


def test_data_of_too_many_values_is_refused(artifacts: Artifacts) -> None:
    (artifacts.folder / "data.json").write_text('{"words": [' + ",".join(["{}"] * 2_000_000) + "]}")
    with pytest.raises(BadArtifact, match="more than 1,000,000 values"):
        artifacts.strings("words")


@pytest.mark.parametrize("codec", ["zstd", "gzip", "brotli"])
def test_a_parquet_file_packed_in_a_way_that_unpacks_without_a_bound_is_refused(
    artifacts: Artifacts, codec: Literal["zstd", "gzip", "brotli"]
) -> None:
    pd.DataFrame({"x": np.zeros(1000)}).to_parquet(artifacts.folder / "log.parquet", compression=codec)
    with pytest.raises(BadArtifact, match="write it with snappy"):
        artifacts.table("log")


def test_an_empty_array_as_wide_as_the_machine_is_refused(artifacts: Artifacts) -> None:
    np.save(artifacts.folder / "scores.npy", np.zeros((10**12, 0)))
    with pytest.raises(BadArtifact, match="empty"):
        artifacts.array("scores", ndim=2)
    (artifacts.folder / "tensors.safetensors").write_bytes(save({"vectors": torch.zeros(10**12, 0)}))
    with pytest.raises(BadArtifact, match="empty"):
        artifacts.tensor("vectors", ndim=2)
    np.save(artifacts.folder / "scores.npy", np.zeros((0, 3)))
    assert artifacts.array("scores", ndim=2).shape == (0, 3)


def test_json_that_would_take_gigabytes_is_refused(artifacts: Artifacts) -> None:
    (artifacts.folder / "data.json").write_text("[" + "[]," * 6_000_000 + "0]")
    with pytest.raises(BadArtifact, match="larger than 16 MiB"):
        artifacts.strings("words")


def test_the_first_line_of_a_reason_holds_no_word_of_the_students_code(artifacts: Artifacts) -> None:
    class Telling:
        def predict(self, inputs: list[int]) -> Any:
            raise ValueError(f"asked for {inputs}")

    _, reason = compute({"a": lambda _, student: student.predict(["held out"])}, artifacts, Telling())["a"]
    first, _, rest = reason.partition("\n")
    assert first == "it cannot be computed from what is there (ValueError)"
    assert rest == "asked for ['held out']"


class Predictor:
    """A student whose predictions are right for even inputs."""

    def predict(self, inputs: list[int]) -> Any:
        return [i % 2 for i in inputs] if len(inputs) else 1 / 0


def test_a_metric_may_ask_the_student_on_inputs_whose_labels_stay_here(artifacts: Artifacts) -> None:
    labels = [0, 1, 1, 1]

    def accuracy(_: Artifacts, student: Predictor) -> float:
        right = sum(bool(p == label) for p, label in zip(student.predict([0, 1, 2, 3]), labels, strict=True))
        return right / 4

    assert compute({"accuracy": accuracy}, artifacts, Predictor()) == {"accuracy": (0.75, "")}
    assert compute({"accuracy": accuracy}, artifacts)["accuracy"][0] is None
    assert "ZeroDivisionError" in compute({"a": lambda _, student: student.predict([])}, artifacts, Predictor())["a"][1]
