"""The claims as one table: every claim once, its text as it was written, values that the filters know."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from grader.course import ROOT, Course
from grader.registry import claims
from grader.site.claims_page import claims_page


@pytest.fixture(scope="module")
def page() -> BeautifulSoup:
    return BeautifulSoup(claims_page(Course(ROOT)), "lxml")


def test_every_claim_is_a_row_with_its_paper_and_verdict(page: BeautifulSoup) -> None:
    course = Course(ROOT)
    findings = claims.findings(course, claims.read(course.root / "data" / "claims.csv"))
    rows = page.select("#claims tbody tr")
    told = [(row["id"], row["data-paper"], row["data-verdict"]) for row in rows]
    assert told == [(one.claim.id, one.claim.paper, one.verdict) for one in findings]
    assert page.select_one("#claims-count").text == f"{len(findings)} of {len(findings)} claims"  # type: ignore[union-attr]


def test_what_looks_like_a_tag_is_text(page: BeautifulSoup) -> None:
    assert "writes its rarest words as <unk>," in page.select_one("#heaps-growth").text  # type: ignore[union-attr]


@pytest.mark.parametrize("column", ["paper", "week", "verdict"])
def test_each_filter_offers_the_values_of_its_column_and_no_other(page: BeautifulSoup, column: str) -> None:
    offered = [option.text for option in page.select(f"select[data-column={column}] option:not([value])")]
    assert len(offered) == len(set(offered))
    assert set(offered) == {row[f"data-{column}"] for row in page.select("#claims tbody tr")}


def test_the_text_above_the_table_is_that_of_the_document(page: BeautifulSoup) -> None:
    assert (ROOT / "docs" / "claims.md").read_text(encoding="utf-8").partition("|")[0] in page.text
