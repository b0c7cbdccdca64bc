"""Errors that are often made: each has its answer, an answer that is not there is named, the page is the table's."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Course, CourseError
from grader.registry import errata
from grader.registry.errata import Mistake

HEAD = "id,paper,error,right,kind,lesson,evidence\n"
WORDPIECE = "solutions/week2_tokenizers/wordpiece/notebook.py"
SENTENCE = Mistake(
    id="a",
    paper="BERT",
    error="e",
    right="r",
    kind="sentence",
    lesson="week2_tokenizers/wordpiece",
    evidence=f'{WORDPIECE}::"Places are counted from 0"',
)


def committed() -> list[Mistake]:
    return errata.read(Course().root / "data" / "mistakes.csv")


def test_errors_are_numbered_without_a_gap_and_every_answer_is_there() -> None:
    mistakes = committed()
    assert errata.ids(mistakes) == {f"M{number:02}" for number in range(1, 69)}
    errata.check(Course(), mistakes)


def test_the_page_is_rendered_from_the_table_of_today() -> None:
    page = (Course().root / "docs" / "errata.md").read_text(encoding="utf-8")
    assert page == errata.page(committed()), "run `grader claims --write`"


def test_every_error_stands_on_the_page_once_with_what_is_right() -> None:
    page = errata.page(committed())
    rows = [line for line in page.splitlines() if line.startswith("| M")]
    assert len(rows) == len(committed())
    assert all(f"| {one.id} | {one.error} | " in page for one in committed())


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,P,e,r,guess,,\n", "a: kind: Input should be 'test'"),
        ("a,P,e,,waits,week5_pretraining,\n", "a: it does not say what is right"),
        ("a,P,e,r,test,,\n", "a: tests and sentences need evidence"),
        ("a,P,e,r,waits,week5_pretraining,f.py::test\n", "a: tests and sentences need evidence"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused_with_its_name(tmp_path: Path, row: str, said: str) -> None:
    path = tmp_path / "mistakes.csv"
    path.write_text(HEAD + row, encoding="utf-8")
    with pytest.raises(CourseError, match=said):
        errata.read(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"kind": "test", "evidence": "tests/grader/registry/test_errata.py::test_of_nothing"},
            "a: there is no test .*test_of_nothing",
        ),
        ({"kind": "test", "evidence": "tests/nowhere.py::test"}, "a: there is no test tests/nowhere.py"),
        ({"lesson": "week2_tokenizers/nowhere"}, "a: there is no lesson 'week2_tokenizers/nowhere'"),
        ({"lesson": "data/papers"}, "a: its sentence should stand in data/papers/README.md"),
        ({"evidence": f"{WORDPIECE}::Places are"}, "does not stand between quotation marks"),
        ({"evidence": f'{WORDPIECE}::"Places are counted from 1"'}, 'does not say "Places are counted from 1"'),
        ({"evidence": f'{WORDPIECE}::"def rank_pairs"'}, "does not say"),
        ({"kind": "waits", "lesson": "week9", "evidence": ""}, "a: it waits for 'week9'"),
    ],
)
def test_an_answer_that_is_not_there_is_named(change: dict[str, str], said: str) -> None:
    errata.check(Course(), [SENTENCE])
    with pytest.raises(CourseError, match=said):
        errata.check(Course(), [SENTENCE.model_copy(update=change)])


def test_a_sentence_that_only_the_model_answer_says_does_not_count() -> None:
    answer = "The minimum count m puts a ceiling of 1/m on it"
    assert answer in (Course().root / WORDPIECE).read_text(encoding="utf-8")
    with pytest.raises(CourseError, match="does not say"):
        errata.check(Course(), [SENTENCE.model_copy(update={"evidence": f'{WORDPIECE}::"{answer}"'})])


def test_an_error_cannot_wait_for_a_week_that_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = SENTENCE.model_copy(update={"kind": "waits", "lesson": "week5_pretraining", "evidence": ""})
    errata.check(Course(), [waiting])
    monkeypatch.setattr(errata, "LATER", ("week2_tokenizers",))
    with pytest.raises(CourseError, match="a: it waits for week2_tokenizers, which the course has now"):
        errata.check(Course(), [waiting.model_copy(update={"lesson": "week2_tokenizers"})])
