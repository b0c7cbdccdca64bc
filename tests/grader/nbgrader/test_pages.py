"""What a student wrote is shown as nbgrader's pages can show it at once: long, slow and hostile texts end as plain ones."""

from typing import NoReturn

import pytest
from nbconvert import HTMLExporter
from nbconvert.filters import markdown2html, strip_files_prefix
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.nbgrader import pages
from grader.nbgrader.pages import (
    AS_TYPED,
    LONGEST_LINE,
    MOST_TEXT,
    MOST_TYPED,
    answers,
    as_typed,
    harmless_texts,
    make_harmless,
)

SLOW_TO_COLOUR = "\n " * 20_000  # pygments' pattern for magics looks for them from each blank to the last


def forever() -> NoReturn:
    while True:
        pass


def test_the_question_that_takes_too_long_and_those_behind_it_are_answered_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "SECONDS", 1)
    assert answers([lambda: True, lambda: False, lambda: True, forever, lambda: True]) == [
        True,
        False,
        True,
        False,
        False,
    ]


def test_a_question_that_fails_is_answered_no() -> None:
    assert answers([lambda: 1 / 0 > 0, lambda: True]) == [False, True]
    assert answers([]) == []


@pytest.mark.parametrize("source", ["[" * 18_000_000, "`" * 100_000, "> " * 100_000, "a\n" * 1_000_000])
def test_a_long_text_is_shown_as_it_was_typed_cut_and_in_short_lines(source: str) -> None:
    [shown] = harmless_texts([source])
    assert shown.startswith(AS_TYPED)
    assert len(shown) < 2 * MOST_TYPED
    assert max(map(len, shown.split("\n"))) <= max(LONGEST_LINE, len(AS_TYPED)) or source[0] == "`"
    assert "a notebook shows 500,000 characters" in shown or len(source) <= MOST_TYPED
    assert "<pre" in strip_files_prefix(markdown2html(shown))


def test_long_texts_together_are_cut_as_one() -> None:
    shown = harmless_texts(["a" * MOST_TYPED, "b" * 1000])
    assert "b" * 20 not in shown[1]


def test_an_answer_of_ordinary_length_is_shown_whole() -> None:
    words = "Rare words have few neighbours. " * 1000
    [shown] = harmless_texts([words])
    assert shown.replace("\n", "").endswith(f"```{words}```")
    assert as_typed("short") == f"{AS_TYPED}\n\n```\nshort\n```"


def notebook(*cells: NotebookNode) -> NotebookNode:
    made: NotebookNode = new_notebook(
        cells=list(cells), metadata={"language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    )
    return made


def test_code_that_is_slow_to_colour_is_shown_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "SECONDS", 1)
    own = notebook(new_code_cell(f"x = 1{SLOW_TO_COLOUR}y = 2"), new_markdown_cell("*short*"))
    make_harmless(own, notebook())
    assert own.cells[1].source == "*short*"
    html = HTMLExporter().from_notebook_node(own)[0]
    assert "x = 1" in html


def test_too_much_code_to_colour_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "answers", lambda questions: [True] * len(questions))
    own = notebook(new_code_cell("x = 1\n" * MOST_TEXT))
    make_harmless(own, notebook())
    assert own.metadata.language_info == pages.PLAIN


def test_ordinary_code_keeps_its_colours_and_the_courses_own_is_not_looked_at() -> None:
    released = notebook(new_code_cell(SLOW_TO_COLOUR), new_markdown_cell("<b onclick=f>"))
    own = notebook(*released.cells, new_code_cell("def f(x):\n    return x + 1"))
    make_harmless(own, released)
    assert own.metadata == released.metadata
    assert own.cells[:2] == released.cells
    assert '<span class="k">def</span>' in HTMLExporter().from_notebook_node(notebook(own.cells[2]))[0]
