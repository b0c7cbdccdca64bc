"""The registry of claims: every claim has its evidence, a verdict follows from mean, spread and direction, the page is the tables'."""

from __future__ import annotations

from pathlib import Path

import pytest
from small import course_file
from typer.testing import CliRunner

from grader.cli import app
from grader.course import Course, CourseError
from grader.registry import claim_tests, claims

HEAD = "id,paper,where,claim,number,kind,lesson,evidence,expect,note\n"


def test_every_claim_of_the_registry_has_its_evidence() -> None:
    course = Course()
    rows = claims.read(course.root / "data" / "claims.csv")
    assert len(claims.findings(course, rows)) == len(rows) > 300


def test_a_mark_of_no_claim_is_named(course: Course) -> None:
    rows = claims.read(course.root / "data" / "claims.csv")
    lost = next(row for row in rows if row.kind == "exact")
    with pytest.raises(CourseError, match=f"marked @claim\\('{lost.id}'\\), which is no exact"):
        claims.findings(course, [row for row in rows if row is not lost])


def test_a_claim_has_one_test(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(course_file("words"), encoding="utf-8")
    (tmp_path / "tests").mkdir()
    for name in ("test_a.py", "test_b.py"):
        (tmp_path / "tests" / name).write_text('@claim("x", "y")\ndef test_it():\n    pass\n', encoding="utf-8")
    with pytest.raises(CourseError, match="are both marked with the claim 'x'"):
        claim_tests.marked(Course(tmp_path))
    (tmp_path / "tests" / "test_b.py").unlink()
    assert claim_tests.marked(Course(tmp_path)) == dict.fromkeys("xy", "tests/test_a.py::test_it")


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
        ("a,P,T1,c,1,guess,,,,\n", "a: kind: Input should be 'exact'"),
        ("a,P,T1,c,1,exact,,f.py::test,holds,\n", "leave the column empty"),
        ("a,P,T1,c,1,exact,,,maybe,\n", "it expects 'maybe'"),
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
        ("a,P,T1,c,1,exact,,,holds,\n", "a: no test is marked @claim"),
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
