"""A verdict is whole or absent, adds up, and says of everything that decides a score whether it has changed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from typer.testing import CliRunner

from grader.cli import app
from grader.grading import store, verdict
from grader.grading.verdict import CellResult, CheckResult, ExerciseResult, MetricResult, Verdict
from grader.provenance import digest

points = st.floats(0, 100)
texts = st.text(st.characters(codec="utf-8"), max_size=20)


def check(**changes: Any) -> CheckResult:
    known = {"name": "a", "title": "A", "hidden": False, "points": 2, "status": "passed"}
    return CheckResult(**{**known, **changes})


def metric(**changes: Any) -> MetricResult:
    known = {"name": "loss", "value": 0.5, "low": 0, "high": 1, "better": "lower", "points": 3, "share": 1}
    return MetricResult(**{**known, **changes})


def of_ada(**changes: Any) -> Verdict:
    known = {"lesson": "week1/word2vec", "student": "ada", "status": "graded", "submission": "s", "inputs": "i"}
    return Verdict(**{**known, "profile": "smoke", "seed": 0, "sandbox": "bubblewrap", **changes})


checks = st.builds(
    check,
    name=texts,
    message=texts,
    hidden=st.booleans(),
    points=points,
    seconds=st.floats(0, 60),
    status=st.sampled_from(["passed", "failed", "error", "unwritten"]),
)
metrics = st.builds(metric, value=st.none() | st.floats(-1e9, 1e9), reason=texts, points=points, share=st.floats(0, 1))
exercises = st.builds(ExerciseResult, name=texts, checks=st.lists(checks, max_size=4), diagnosis=st.none() | texts)
verdicts = st.builds(
    of_ada,
    student=texts,
    reason=texts,
    notes=st.lists(texts, max_size=3),
    seed=st.integers(0, 2**32 - 1),
    exercises=st.lists(exercises, max_size=4),
    metrics=st.lists(metrics, max_size=3),
    cells=st.lists(st.builds(CellResult, index=st.integers(0, 99), status=st.just("error"), error=texts), max_size=3),
)


# The file.


@given(made=verdicts)
def test_what_is_saved_is_what_is_loaded(tmp_path_factory: pytest.TempPathFactory, made: Verdict) -> None:
    path = tmp_path_factory.mktemp("verdicts") / "김하나" / "word2vec.json"
    made.save(path)
    assert verdict.load(path) == made
    assert [file.name for file in path.parent.iterdir()] == ["word2vec.json"]


def test_a_crash_before_the_file_is_in_place_leaves_the_old_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "word2vec.json"
    of_ada(reason="old").save(path)

    def crash(self: Path, target: Path) -> Path:
        assert json.loads(self.read_text())["reason"] == "new"  # all of it was written, elsewhere
        raise OSError("the power went")

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(OSError, match="the power went"):
        of_ada(reason="new").save(path)
    assert verdict.load(path) == of_ada(reason="old")


@given(share=st.floats(0, 1, exclude_max=True))
def test_a_part_of_a_file_is_no_verdict(tmp_path_factory: pytest.TempPathFactory, share: float) -> None:
    path = tmp_path_factory.mktemp("verdicts") / "word2vec.json"
    of_ada(exercises=[ExerciseResult(name="loss", checks=[check()])]).save(path)
    whole = path.read_bytes().rstrip()
    path.write_bytes(whole[: int(share * len(whole))])
    assert verdict.load(path) is None


@pytest.mark.parametrize(
    "change",
    [{"points": 100}, {"status": "good"}, {"seed": "one"}, {"lesson": None}, {"exercises": [{"name": "loss"}]}],
)
def test_a_file_of_another_shape_is_no_verdict(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "word2vec.json"
    path.write_text(json.dumps(of_ada().model_dump() | change))
    assert verdict.load(path) is None


def test_no_file_is_no_verdict(tmp_path: Path) -> None:
    assert verdict.load(tmp_path / "word2vec.json") is None
    assert verdict.load(tmp_path) is None


def test_letters_that_no_file_can_hold_do_not_keep_a_verdict_from_being_stored(tmp_path: Path) -> None:
    made = of_ada(
        exercises=[ExerciseResult(name="loss", checks=[check(message="ValueError: 하나 \ud800", status="error")])]
    )
    ran = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("\ud800")])
    store.save(tmp_path / "word2vec.json", made, ran)
    found = verdict.load(tmp_path / "word2vec.json")
    assert found is not None
    assert found.exercises[0].checks[0].message == "ValueError: 하나 ?"
    assert nbformat.read(tmp_path / "word2vec.ipynb", as_version=4).cells[0].source == "?"


def test_the_printed_schema_describes_a_saved_verdict() -> None:
    schema = json.loads(CliRunner().invoke(app, ["schema"]).output)
    saved = json.loads(of_ada(exercises=[ExerciseResult(name="loss", checks=[check()])], metrics=[metric()]).as_json())
    jsonschema.validate(saved, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(saved | {"status": "good"}, schema)


# The sums.


@given(made=verdicts)
def test_points_are_the_sum_of_the_parts_and_nobody_earns_more(made: Verdict) -> None:
    checks = [check for exercise in made.exercises for check in exercise.checks]
    parts: list[CheckResult | MetricResult] = [*checks, *made.metrics]
    assert math.isclose(made.points, sum(part.points for part in parts), abs_tol=1e-9)
    assert math.isclose(made.earned, sum(part.earned for part in parts), abs_tol=1e-9)
    assert 0 <= made.earned <= made.points + 1e-9


@pytest.mark.parametrize("status", ["failed", "error", "unwritten"])
def test_only_a_passed_check_earns(status: str) -> None:
    assert check(status=status).earned == check(status=status, partial=1).earned == 0


def test_partial_credit_takes_the_place_of_all_points() -> None:
    assert check().earned == 2
    assert check(partial=0.5).earned == 0.5
    assert check(partial=0).earned == 0
    assert metric(share=0.5).earned == 1.5


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, -1])
def test_numbers_that_are_no_points_are_refused(number: float) -> None:
    for made in (check, metric):
        with pytest.raises(ValidationError):
            made(points=number)
    with pytest.raises(ValidationError):
        check(partial=number)
    with pytest.raises(ValidationError):
        metric(share=number)


def test_more_than_all_points_are_refused() -> None:
    with pytest.raises(ValidationError, match="give at most all"):
        check(partial=2.5)
    with pytest.raises(ValidationError):
        metric(share=1.1)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_value_that_is_no_number_never_reaches_a_file(tmp_path: Path, number: float) -> None:
    for field in ("value", "low", "high"):
        with pytest.raises(ValidationError):
            metric(**{field: number})
    made = of_ada()
    made.seconds = number
    with pytest.raises(ValueError, match="not JSON compliant"):
        made.save(tmp_path / "word2vec.json")
    assert list(tmp_path.iterdir()) == []


# The hash of what decides a score.


@given(one=st.lists(st.binary(max_size=4), max_size=4), other=st.lists(st.binary(max_size=4), max_size=4))
def test_a_digest_tells_apart_what_differs_in_any_part(one: list[bytes], other: list[bytes]) -> None:
    assert (digest(*one) == digest(*other)) == (one == other)


@given(parts=st.lists(st.binary(min_size=1, max_size=9), min_size=2, max_size=4), data=st.data())
def test_a_byte_that_moves_to_the_next_part_changes_the_digest(parts: list[bytes], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(parts) - 2))
    moved = list(parts)
    moved[place], moved[place + 1] = parts[place][:-1], parts[place][-1:] + parts[place + 1]
    assert b"".join(moved) == b"".join(parts)
    assert digest(*moved) != digest(*parts)


@given(text=texts)
def test_text_is_hashed_as_its_utf_8(text: str) -> None:
    assert digest(text) == digest(text.encode())


def test_its_summary_counts_what_was_missed_also_a_metric() -> None:
    right, wrong = ExerciseResult(name="a", checks=[check()]), ExerciseResult(name="b", checks=[check(status="failed")])
    assert of_ada(exercises=[right], metrics=[metric()]).summary == "all is right"
    assert of_ada(exercises=[right], metrics=[metric(share=0.5)]).summary == "metrics short: 1"
    named = wrong.model_copy(update={"diagnosis": "off by one"})
    assert of_ada(exercises=[wrong, named]).summary == "exercises failed: 2; mistakes named: 1"
    assert of_ada(status="refused", reason="not a notebook", exercises=[wrong]).summary == "not a notebook"
