"""Passages that two students of a class share and hardly anybody else wrote: hints for a person to look at, never verdicts.

A passage is LINES lines in a row, without comments and blanks and with every name of a student's choice written alike, so
that renaming hides nothing. What the lesson's skeleton holds, and what more students wrote than a tenth of the class (three
in a small one), is the usual way and does not count. scikit-learn counts the passages; what is compared is text, never run.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from grader.grading import submission
from grader.reports.gathered import LessonClass

LINES = 3  # of a passage
LEAST_LINES, LEAST_SHARE = (
    8,
    0.5,
)  # of a pair that is shown: lines shared, and their part of what is unusual in the shorter
USUAL_SHARE, USUAL_LEAST = 0.1, 3
MOST_LINES, LONGEST_LINE = 3000, 500  # that are compared of a notebook; its other lines are left out
MOST_SHOWN = 20  # pairs of a lesson, and lines of a pair
TOKEN = re.compile(r"#.*|(?P<attribute>\.\s*[^\W\d]\w*)|(?P<name>[^\W\d]\w*)|\d[\w.]*|[^\w\s]")
KEPT = {*keyword.kwlist, *dir(builtins)}


@dataclass(frozen=True)
class Pair:
    """Two students and what they share.

    Attributes:
        share: the shared part of the passages that are unusual in the shorter of the two notebooks, from 0 to 1.
        lines: what both wrote, as it stands in the first's and in the second's notebook.
    """

    students: tuple[str, str]
    share: float
    lines: tuple[list[str], list[str]]


@dataclass(frozen=True)
class Written:
    """The lines of code that a student wrote: as they stand there, and as they are compared."""

    shown: list[str]
    compared: list[str]

    @classmethod
    def of(cls, code: str) -> Written:
        lines = [(line.rstrip(), _bare(line)) for line in code.splitlines() if len(line) <= LONGEST_LINE]
        kept = [(shown, bare) for shown, bare in lines if bare][:MOST_LINES]
        return cls([shown for shown, _ in kept], [bare for _, bare in kept])

    def passages(self) -> list[str]:
        """Joins every LINES lines in a row; fewer passages than lines, none of a short text."""
        return ["\n".join(self.compared[i : i + LINES]) for i in range(len(self.compared) - LINES + 1)]


def pairs(one: LessonClass) -> list[Pair]:
    """Compares what the class handed in on the lesson: the pairs that share most, the most alike first."""
    codes = {item.student: "\n".join(submission.code(item.path)) for item in one.handed_in}
    return compare(codes, "\n".join(submission.code(one.lesson.released)))


def compare(codes: Mapping[str, str], skeleton: str = "") -> list[Pair]:
    """Finds the pairs of students whose code is unusually alike.

    Args:
        codes: what each student wrote.
        skeleton: what all of them were given.
    """
    given = {line.strip() for line in skeleton.splitlines()}
    written = {student: _own(Written.of(code), given) for student, code in codes.items()}
    students = sorted(student for student in written if written[student].passages())
    if len(students) < 2:
        return []
    usual = max(USUAL_LEAST, int(USUAL_SHARE * len(students)))
    vectorizer = CountVectorizer(analyzer=Written.passages, binary=True)
    counts = sparse.csr_array(
        vectorizer.fit_transform([written[student] for student in students])
    )  # students × passages
    unusual = counts[:, np.flatnonzero(counts.sum(axis=0) <= usual)]
    sizes = unusual.sum(axis=1)
    shared = sparse.coo_array(sparse.triu(unusual @ unusual.T, k=1))
    names = vectorizer.get_feature_names_out()[np.flatnonzero(counts.sum(axis=0) <= usual)]
    found = []
    for i, j, number in zip(*shared.coords, shared.data, strict=True):
        share = float(number / min(sizes[i], sizes[j]))
        if share >= LEAST_SHARE and number + LINES - 1 >= LEAST_LINES:
            common = set(names[np.intersect1d(unusual[[i]].indices, unusual[[j]].indices)])
            lines = _lines(written[students[i]], common), _lines(written[students[j]], common)
            if min(map(len, lines)) >= LEAST_LINES:
                found.append(Pair((students[i], students[j]), share, lines))
    return sorted(found, key=lambda pair: (-pair.share, -len(pair.lines[0]), pair.students))


def _own(written: Written, given: set[str]) -> Written:
    """Leaves out the lines of the skeleton, as they stand there: with other names they would be many lines of anybody's."""
    kept = [pair for pair in zip(written.shown, written.compared, strict=True) if pair[0].strip() not in given]
    return Written([shown for shown, _ in kept], [bare for _, bare in kept])


def _lines(written: Written, common: set[str]) -> list[str]:
    """Picks the lines that lie in a common passage."""
    places = {
        place + step for place, passage in enumerate(written.passages()) if passage in common for step in range(LINES)
    }
    return [written.shown[place] for place in sorted(places)]


def _bare(line: str) -> str:
    """Writes the line without comment and blanks; a name becomes `_`, unless Python or a library has given it."""
    return " ".join(
        "_" if token["name"] and token["name"] not in KEPT else re.sub(r"\s", "", token[0])
        for token in TOKEN.finditer(line)
        if token[0][0] != "#"
    )
