"""What a student wrote, as nbgrader's pages may show it: no more than formatting comes of it, and it takes no one's time.

The pages render Markdown without a sanitizer, in the instructor's browser and session, and colour code, with patterns that
some texts make slow. So both are tried beforehand, in a child process whose CPU time is bounded.
"""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable, Collection, Sequence
from functools import cache
from html import unescape
from typing import NoReturn

import nh3
from nbconvert.filters import Highlight2HTML, markdown2html, strip_files_prefix
from nbformat import NotebookNode
from pygments.token import STANDARD_TYPES

SECONDS = 10  # of CPU time for a notebook's texts, and for its code; what is honest takes less than one
LONGEST_TEXT = 20_000  # characters of one text that is formatted
MOST_TEXT = 100_000  # characters of a notebook's texts that are formatted, and of its code that is coloured
MOST_TYPED = 500_000  # characters of a notebook's texts that are shown as they were typed
LONGEST_LINE = 500  # characters; the pages look for links from each bracket to the end of its line
AS_TYPED = (
    "*Shown as it was typed: it is long, or holds HTML, a picture or a link that could act in a reader's browser.*"
)
CUT = "\n… (cut: a notebook shows 500,000 characters of this kind)"
PLAIN = {"name": "text", "pygments_lexer": "text"}  # a language of which nothing is coloured
MEDIA = {"img", "area", "map"}  # a picture asks a server, perhaps the instructor's own, as soon as it is looked at
LINKS = ("https://", "http://", "mailto:", "#")  # a relative link leads into the instructor's Jupyter
ALIGNMENTS = {f"text-align:{side}" for side in ("left", "center", "right")}
ATTRIBUTES = {  # what nbconvert writes by itself
    "a": {"href", "title", "class"},
    "div": {"class"},
    "span": {"class"},
    "ol": {"start"},
    **{cell: {"style"} for cell in ("th", "td")},
    **{f"h{level}": {"id"} for level in range(1, 7)},
}


def make_harmless(notebook: NotebookNode, released: NotebookNode) -> None:
    """Makes the student's own cells of `notebook` harmless to show; what was released is left as it is."""
    given = {cell.source for cell in released.cells}
    fields = {cell.metadata.nbgrader.grade_id for cell in released.cells if "nbgrader" in cell.metadata}
    own = [cell for cell in notebook.cells if cell.source not in given]
    texts = [cell for cell in own if cell.cell_type == "markdown"]
    for cell, shown in zip(texts, harmless_texts([cell.source for cell in texts], fields), strict=True):
        cell.source = shown
    if not _quickly_coloured([cell.source for cell in own if cell.cell_type == "code"]):
        notebook.metadata["language_info"] = PLAIN


def harmless_texts(sources: Sequence[str], fields: Collection[str] = ()) -> list[str]:
    """Returns each Markdown itself if only formatting comes of it, else Markdown that shows it as it was typed.

    Args:
        fields: the cells for whose scores and comments a page has fields, which no heading of a student's may be called after.
    """
    room, typed = MOST_TEXT, MOST_TYPED
    questions: list[Callable[[], bool]] = []
    for source in sources:
        room -= len(source)
        short = room >= 0 and len(source) <= LONGEST_TEXT
        questions.append(lambda source=source, short=short: short and _is_formatting(source, fields))  # type: ignore[misc]
    harmless_sources = []
    for source, formatting in zip(sources, answers(questions), strict=True):
        harmless_sources.append(source if formatting else as_typed(source, typed))
        typed -= 0 if formatting else min(len(source), typed)
    return harmless_sources


def as_typed(source: str, most: int = MOST_TYPED) -> str:
    """Writes Markdown that shows the text itself, or its first `most` characters, in a fence that is longer than any within."""
    text = source[:most].replace("\0", "�") + (CUT if len(source) > most else "")
    text = re.sub(f"([^\n]{{{LONGEST_LINE}}})(?=[^\n])", r"\1\n", text)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{AS_TYPED}\n\n{fence}\n{text}\n{fence}"


def _quickly_coloured(sources: Sequence[str]) -> bool:
    if sum(map(len, sources)) > MOST_TEXT:
        return False
    colour = Highlight2HTML()
    return all(answers([lambda source=source: bool(colour(source)) for source in sources]))  # type: ignore[misc]


def answers(questions: Sequence[Callable[[], bool]]) -> list[bool]:
    """Asks all questions in a child process, within SECONDS of CPU time for all.

    Returns:
        What each question answers; False for those that fail or come too late.
    """
    if not questions:
        return []
    _use_once()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(questions, writing)
    os.close(writing)
    with open(reading, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
        given = [answer == 1 for answer in file.read(len(questions))]
    os.waitpid(child, 0)
    return given + [False] * (len(questions) - len(given))


@cache
def _use_once() -> None:
    """Formats and colours one short text here: what that imports, each child would import again, in 0.15 s."""
    markdown2html("`text`")
    Highlight2HTML()("pass")


def _answer(questions: Sequence[Callable[[], bool]], writing: int) -> NoReturn:
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        for question in questions:
            try:
                answer = question()
            except Exception:  # a parser gave up
                answer = False
            os.write(writing, bytes([answer]))
    finally:
        os._exit(0)


def _is_formatting(source: str, fields: Collection[str]) -> bool:
    """Tells whether a sanitizer leaves all of the HTML that nbgrader's pages make of the Markdown."""
    classes = {"highlight", "anchor-link", *STANDARD_TYPES.values()}  # no others: formgrader's buttons are classes
    taken = {field + end for field in fields for end in ("", "-comment", "_extra_credit")}

    def kept(tag: str, name: str, value: str) -> str | None:
        allowed = {
            "href": value.lower().startswith(LINKS),
            "class": classes.issuperset(value.split()),
            "id": value not in taken,
            "style": value in ALIGNMENTS,
        }
        return value if allowed.get(name, True) else None

    html = strip_files_prefix(markdown2html(source))
    tags = nh3.ALLOWED_TAGS - MEDIA
    clean = nh3.clean(html, tags=tags, attributes=ATTRIBUTES, attribute_filter=kept, link_rel=None)
    return _spelled_alike(html) == _spelled_alike(clean)


def _spelled_alike(html: str) -> str:
    """Gives the HTML one spelling for what a serializer may write in two ways; `<` and `&` stay as they are."""
    for spelling, instead in ((" />", ">"), ("&quot;", '"'), ("&gt;", ">"), ("&nbsp;", "\xa0")):
        html = html.replace(spelling, instead)
    return re.sub(r"&#[1-9]\d{2,6};", lambda number: unescape(number[0]), html)  # from &#100; on: neither < nor &
