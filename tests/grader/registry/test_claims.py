"""The registry of claims: every claim has its evidence, a verdict follows from mean, spread and direction, the page is the tables'."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli import app
from grader.course import Course, CourseError
from grader.registry import claims

HEAD = "id,paper,where,claim,number,kind,lesson,evidence,expect,note\n"


def test_every_claim_of_the_registry_has_its_evidence() -> None:
    course = Course()
    found = claims.findings(course, claims.read(course.root / "data" / "claims.csv"))
    assert len(found) > 20


def test_the_page_is_rendered_from_the_tables_of_today() -> None:
    course = Course()
    found = claims.findings(course, claims.read(course.root / "data" / "claims.csv"))
    assert (course.root / "docs" / "claims.md").read_text(encoding="utf-8") == claims.page(found), (
        "run `grader claims --write`"
    )


@pytest.mark.parametrize(
    ("expect", "mean", "error", "seeds", "verdict"),
    [
        ("> 0", 0.5, 0.1, 6, claims.HOLDS),
        ("> 0", 0.5, 0.4, 6, claims.UNDECIDED),
        ("> 0", -0.5, 0.1, 6, claims.FAILS),
        ("< 0.05", 0.01, 0.001, 12, claims.HOLDS),
        ("< 0.05", 0.2, 0.001, 12, claims.FAILS),
        ("> 0", 0.5, 0.24, 2, claims.UNDECIDED),  # with two seeds t is 6.3
        ("> 0", 0.0, 0.0, 6, claims.UNDECIDED),
    ],
)
def test_an_effect_holds_only_beyond_its_error(
    expect: str, mean: float, error: float, seeds: int, verdict: str
) -> None:
    assert claims.judged(expect, mean, error, seeds) == verdict


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,P,T1,c,1,guess,,,,\n", "its kind is 'guess'"),
        ("a,P,T1,c,1,exact,,nowhere,holds,\n", "is no test"),
        ("a,P,T1,c,1,exact,,f.py::test,maybe,\n", "it expects 'maybe'"),
        ("a,P,T1,c,1,experiment,glove,m,bigger,\n", "a direction like"),
        ("a,P,T1,c,1,untestable,,,,\n", "does not say why"),
        ("a,P,T1,c,1,waits,,,,\na,P,T1,c,1,waits,,,,\n", "stands there twice"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused_with_its_name(tmp_path: Path, row: str, said: str) -> None:
    path = tmp_path / "claims.csv"
    path.write_text(HEAD + row, encoding="utf-8")
    with pytest.raises(CourseError, match=said):
        claims.read(path)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,P,T1,c,1,exact,,tests/grader/registry/test_claims.py::test_that_is_not_there,holds,\n", "there is no test"),
        ("a,P,T1,c,1,experiment,word2vec,not_a_metric,> 0,\n", "has no metric not_a_metric"),
    ],
)
def test_evidence_that_is_not_there_is_an_error(tmp_path: Path, row: str, said: str) -> None:
    path = tmp_path / "claims.csv"
    path.write_text(HEAD + row, encoding="utf-8")
    with pytest.raises(CourseError, match=said):
        claims.findings(Course(), claims.read(path))


def test_the_command_prints_the_claims_of_one_paper() -> None:
    result = CliRunner().invoke(app, ["claims", "glove"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert "GloVe" in result.output
    assert CliRunner().invoke(app, ["claims", "no such paper"]).exit_code == 1
