"""Recording: numbers and plain data are kept whole or not at all, and shown beside the expected table."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file

from etude.lesson import run
from etude.lesson.record import record
from etude.lesson.run import LessonError, Run
from etude.lesson.table import Expected, write

FILES = {"metrics.json", "data.json", "tensors.safetensors"}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """An open lesson with an expected table."""
    lesson = Run("week/lesson", "smoke", 0, torch.device("cpu"), tmp_path / "lesson", tmp_path / "results")
    lesson.folder.mkdir()
    lesson.out.mkdir()
    rows = [
        Expected("accuracy", "smoke", 0.7, 0.02, 20, 0.65, 0.75, "higher", 1.0, "71 %", "Table 1", ""),
        Expected("loss", "smoke", 1.5, 0.1, 20, 1.2, 1.8, "lower", 1.0, "", "", ""),
        Expected("length", "smoke", 3.0, 0.0, 20, 3.0, 3.0, "near", 1.0, "", "", ""),
        Expected("new", "smoke", math.nan, math.nan, 0, math.nan, math.nan, "near", 1.0, "<b>5</b>", "", ""),
        Expected("accuracy", "cpu", 0.9, 0.02, 20, 0.85, 0.95, "higher", 1.0, "71 %", "Table 1", ""),
    ]
    write(lesson.folder / "expected.csv", rows)
    monkeypatch.setattr(run, "_current", lesson)
    return lesson


def kept(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_metrics_tensors_and_data_each_have_their_file(opened: Run) -> None:
    vectors = torch.arange(6.0).reshape(2, 3)
    record({"accuracy": 0.7}, vectors=vectors, words=["가", "b"], counts=np.array([1, 2]), settings={"dim": 3})
    assert kept(opened.out).keys() == FILES
    assert json.loads((opened.out / "metrics.json").read_text()) == {"accuracy": 0.7}
    assert json.loads((opened.out / "data.json").read_text(encoding="utf-8")) == {
        "words": ["가", "b"],
        "settings": {"dim": 3},
    }
    tensors = load_file(opened.out / "tensors.safetensors")
    assert tensors.keys() == {"vectors", "counts"}
    assert torch.equal(tensors["vectors"], vectors)
    assert tensors["counts"].tolist() == [1, 2]


shared = torch.arange(6.0).reshape(2, 3)
TENSORS: dict[str, torch.Tensor | np.ndarray | np.generic] = {
    "requires grad": shared.clone().requires_grad_(), "parameter": torch.nn.Parameter(shared.clone()), "half": shared.half(),
    "bfloat16": shared.bfloat16(), "bool": shared > 2, "whole": shared.long(), "transposed": shared.T, "column": shared[:, 1],
    "expanded": torch.ones(1).expand(4), "empty": torch.empty(0, 3), "scalar": torch.tensor(2.0), "the same": shared,
    "the same again": shared, "negative": (1j * shared).conj().imag, "numpy scalar": np.array(2.0),
    "backwards": np.arange(5)[::-1], "read only": np.broadcast_to(np.arange(3), (2, 3)),
}  # fmt: skip


def test_tensors_of_every_kind_come_back_as_they_were(opened: Run) -> None:
    record({}, **TENSORS)
    found = load_file(opened.out / "tensors.safetensors")
    assert found.keys() == TENSORS.keys()
    for name, tensor in TENSORS.items():
        original = (
            tensor
            if isinstance(tensor, torch.Tensor)
            else torch.tensor(np.ascontiguousarray(tensor).reshape(tensor.shape))
        )
        assert found[name].dtype == original.dtype, name
        assert torch.equal(found[name], original), name


numbers = st.floats(width=32) | st.integers(-(2**60), 2**60)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(numbers, max_size=5), kind=st.sampled_from([float, np.float32, np.float64, torch.tensor]))
def test_every_number_is_a_metric(opened: Run, values: list[float], kind: Callable[[float], Any]) -> None:
    measured = {str(place): kind(value) for place, value in enumerate(values)}
    record(measured)
    found = json.loads((opened.out / "metrics.json").read_text())
    assert found == pytest.approx({name: float(value) for name, value in measured.items()}, nan_ok=True)


def refuse(self: object, *_: object) -> NoReturn:
    raise RuntimeError("no")


HOSTILE = type("Hostile", (), {"__float__": refuse, "__repr__": refuse, "__getattr__": refuse})()
NO_NUMBERS = {
    "text": "0.7", "bytes": b"0.7", "numpy text": np.str_("0.7"), "none": None, "list": [0.7], "dict": {}, "true": True,
    "numpy true": np.bool_(True), "complex": 1j, "huge": 10**400, "two": torch.zeros(2), "array of two": np.zeros(2),
    "complex tensor": torch.tensor(1j), "meta": torch.empty((), device="meta"), "class": float, "hostile": HOSTILE,
}  # fmt: skip


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_a_metric_that_is_no_number_is_refused_and_nothing_is_written(opened: Run, name: str) -> None:
    record({"accuracy": 0.5}, words=["a"])
    before = kept(opened.out)
    with pytest.raises(LessonError, match=f"metric '{name}' is .*, expected a number"):
        record({"accuracy": 0.7, name: NO_NUMBERS[name]}, words=["b"])
    assert kept(opened.out) == before


@pytest.mark.parametrize("metrics", [None, 0.7, [("accuracy", 0.7)], {3: 0.7}, {None: 0.7}, {("a",): 0.7}], ids=repr)
def test_metrics_without_names_are_refused(opened: Run, metrics: Any) -> None:
    with pytest.raises(LessonError, match=r"expected a dictionary such as|is not the name of a metric"):
        record(metrics)
    assert kept(opened.out) == {}


cyclic: list[Any] = []
cyclic.append(cyclic)
deep: list[Any] = []
for _ in range(100_000):
    deep = [deep]
NOT_KEPT = {
    "function": len, "set": {1}, "bytes": b"a", "nested_tensor": [torch.zeros(2)], "numpy_number": [np.float32(1)],
    "surrogate": "\ud800", "cyclic": cyclic, "deep": deep, "hostile": HOSTILE, "keys": {(1, 2): 3}, "sparse": torch.eye(2).to_sparse(),
    "meta": torch.empty(2, device="meta"), "complex128": torch.zeros(2, dtype=torch.complex128),
    "strings": np.array(["a", "b"]), "objects": np.array([None]),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_KEPT)
def test_an_artifact_that_cannot_be_kept_is_refused_by_name_and_nothing_is_written(opened: Run, name: str) -> None:
    with pytest.raises(LessonError, match=f"artifact '{name}' is (?s:.*)give a dense tensor, or strings"):
        record({"accuracy": 0.7}, words=["a"], **{name: NOT_KEPT[name]})
    assert kept(opened.out) == {}


def test_a_write_that_breaks_off_leaves_the_old_file_and_no_other(opened: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    record({"accuracy": 0.5}, words=["a"])
    before = kept(opened.out)

    def break_off(self: object, target: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", break_off)
    with pytest.raises(OSError, match="full"):
        record({"accuracy": 0.7}, words=["b"])
    assert kept(opened.out) == before


def test_a_results_folder_that_was_deleted_is_made_again(opened: Run) -> None:
    opened.out.rmdir()
    record({"accuracy": 0.7})
    assert kept(opened.out).keys() == FILES


def test_metrics_stand_beside_the_table_of_their_profile(opened: Run) -> None:
    shown = repr(record({"accuracy": 0.64, "loss": 1.79, "length": 3.0, "new": 5, "other": math.nan}))
    lines = [line.split() for line in shown.splitlines()]
    assert lines[1] == [
        "accuracy",
        "0.64",
        "at",
        "least",
        "0.65",
        "outside",
        "0.7",
        "±",
        "0.02",
        "(20",
        "seeds)",
        "71",
        "%",
    ]
    assert lines[2] == ["loss", "1.79", "at", "most", "1.8", "inside", "1.5", "±", "0.1", "(20", "seeds)"]
    assert lines[3] == ["length", "3", "3", "to", "3", "inside", "3", "±", "0", "(20", "seeds)"]
    assert lines[4] == ["new", "5", "<b>5</b>"]
    assert lines[5] == ["other", "nan"]


def test_a_lesson_without_a_table_shows_the_metrics_alone(opened: Run) -> None:
    (opened.folder / "expected.csv").unlink()
    assert repr(record({"accuracy": 0.7})).splitlines()[1].split() == ["accuracy", "0.7"]


def test_names_are_escaped_in_html(opened: Run) -> None:
    shown = record({"<script>": 1, "new": 2})._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "&lt;b&gt;5&lt;/b&gt;" in shown
    assert "<script>" not in shown
    assert "<b>" not in shown
