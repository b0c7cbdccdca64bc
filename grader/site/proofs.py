"""The proofs that a built site holds no solution and that each link within it leads somewhere. Read the built files, trust nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
from lxml import html

from grader.course import Course, CourseError
from grader.release.leak_checks import Leak, hidden_names, solution_lines

PICTURES = {".png", ".svg", ".woff", ".woff2", ".ico"}


def prove_no_leak(course: Course, site: Path) -> None:
    """Proves that no page shows a solution, of whichever lesson, and that no lesson's page names a hidden check.

    A line that was released in another lesson, where it is given, is a secret on the page of its own lesson alone.

    Raises:
        Leak: pages show such lines or names; the error lists them.
    """
    texts = {path: _text(path) for path in sorted(site.rglob("*")) if path.is_file() and path.suffix not in PICTURES}
    released = _in_one_line("\n".join(_released(course)))
    leaks = []
    for lesson in course.lessons():
        lines, own = set(map(_in_one_line, solution_lines(lesson))), site / "weeks" / f"{lesson.id}.html"
        found = list(_found(texts, {line for line in lines if line not in released}))
        if own in texts:
            found += _found({own: texts[own]}, lines | hidden_names(lesson))
        leaks += [
            f"{path.relative_to(site)} holds {secret!r}, which belongs to the solution of {lesson.id}"
            for path, secret in found
        ]
    if leaks:
        raise Leak("\n".join(dict.fromkeys(leaks)))


def prove_links(site: Path) -> None:
    """Proves that what a page links to in the site is there, the file and the place in it, and that nothing is loaded from a network.

    Raises:
        CourseError: some links do not hold; the error lists them.
    """
    pages = {path: html.fromstring(path.read_bytes()) for path in sorted(site.rglob("*.html"))}
    places = {path: set(page.xpath("//@id")) for path, page in pages.items()}
    broken = []
    for path, page in pages.items():
        for tag, written in _links(page):
            address, place = urlsplit(written), unquote(urlsplit(written).fragment)
            if address.scheme or address.netloc:
                if tag != "a" and address.scheme != "data":
                    broken.append(f"{path.relative_to(site)}: {written} is loaded from a network")
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if not target.is_file() or (place and target in places and place not in places[target]):
                broken.append(f"{path.relative_to(site)}: {written}")
    if broken:
        raise CourseError("these links of the site do not hold:\n" + "\n".join(dict.fromkeys(broken)))


def _links(page: html.HtmlElement) -> Iterator[tuple[str, str]]:
    """Yields the tag and the address of each link, picture, style and script."""
    for element in page.iter("a", "img", "link", "script"):
        if written := element.get("href") or element.get("src"):
            yield str(element.tag), written


def _found(texts: dict[Path, str], secrets: set[str]) -> Iterator[tuple[Path, str]]:
    """Yields (file, secret) for each secret that a file holds."""
    everything = "\n".join(texts.values())
    for secret in sorted(secrets):
        if secret in everything:
            yield from ((path, secret) for path, text in texts.items() if secret in text)


def _released(course: Course) -> Iterator[str]:
    """Yields what students get: the cells of the notebooks, and the public checks."""
    for lesson in course.lessons():
        yield from (cell.source for cell in nbformat.read(lesson.released, as_version=4).cells)
        yield (lesson.source / "checks.py").read_text(encoding="utf-8")


def _text(path: Path) -> str:
    """Reads what a file shows: of a page the text without its tags, which colour the words of a line one by one."""
    if path.suffix == ".html":
        return _in_one_line(html.fromstring(path.read_bytes()).text_content())
    return _in_one_line(path.read_text(encoding="utf-8", errors="ignore"))


def _in_one_line(text: str) -> str:
    """Makes each run of white space one blank, so that a line is found however it was wrapped or indented."""
    return " ".join(text.split())
