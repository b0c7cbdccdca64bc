"""What the names of a platform's files say: whose a notebook is, of which lesson, when it was handed in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath, PurePosixPath

from grader.grading.store import Gradable

LONGEST_NAME = 200  # bytes of UTF-8; file systems take 255
MOODLE = re.compile(r"_(assignsubmission_file|onlinetext)_?$", re.IGNORECASE)  # ids stay: two students may share a name
# The attempt: the assignment's name and the login, when. What the student called the file may look the same: the first counts.
BLACKBOARD = re.compile(r"^((.+?)_attempt_(\d{4}(?:-\d\d){5}))(?:_|$)")
CANVAS = re.compile(r"^(.+?)(?:_late)?_(\d+)_\d+_$", re.IGNORECASE)  # the last number, the upload's, changes: it goes


def shown(path: PurePosixPath) -> str:
    """Writes the path on one line: a name may hold line ends and a terminal's commands."""
    return repr(str(path))[1:-1]


def is_nobodys(path: PurePosixPath) -> bool:
    """Tells whether it is hidden, or what macOS packs beside a file: no student's work."""
    return "__MACOSX" in path.parts or any(part.startswith(".") and part != ".." for part in path.parts)


def alike(rows: Iterable[Sequence[str]]) -> int:
    """Counts the items at the beginning of the rows that are the same for all. Folders of this kind are not a student's."""
    count = 0
    for items in zip(*rows, strict=False):
        if len(set(items)) > 1:
            break
        count += 1
    return count


def is_blackboards_text(path: PurePath) -> bool:
    """Tells whether it is the text that Blackboard itself adds to an attempt: what a student hands in has a name after the date."""
    found = BLACKBOARD.match(path.stem)
    return path.suffix == ".txt" and found is not None and found[1] == path.stem


def _login(path: PurePosixPath, found: re.Match[str], logins: Mapping[PurePosixPath, str]) -> str | None:
    """Finds the login in a name of Blackboard's; None if it is not certain where it begins.

    The assignment's name may hold a _ as the login may, and blanks, which no login holds.
    """
    longest = re.split(r"\s", found[2])[-1].partition("_")[2]
    said = logins.get(path.with_name(found[1]))
    if said and f"_{longest}".endswith(f"_{said}"):
        return said
    return longest if "_" not in longest else None


def why_nobodys(path: PurePosixPath, lesson: Gradable) -> str:
    """Says why it is not taken in where no student was found."""
    if not BLACKBOARD.match(path.stem):
        return "it does not say whose it is"
    there = f"submitted/STUDENT/{lesson.assignment}/{lesson.name}.ipynb"
    return f"where the login begins is not clear: take in the whole download, with its text files, or put it at {there}"


def lesson_of(stem: str, lessons: Iterable[Gradable]) -> Gradable | None:
    """Finds the lesson whose name the file's name ends with (a platform's copies are called `word2vec (1)` or `word2vec-2`)."""
    plain = re.sub(r"([-_ ]?\(?\d{1,3}\)?)$", "", stem)
    candidates = [lesson for lesson in lessons if _ends_with(stem, lesson) or _ends_with(plain, lesson)]
    return max(candidates, key=lambda lesson: len(lesson.name), default=None)


def _ends_with(stem: str, lesson: Gradable) -> bool:
    """Tells whether the file's name ends with the lesson's as a word of its own: albert is not bert."""
    return re.search(rf"(?<![^\W_]){re.escape(lesson.name)}$", stem) is not None


def attempt(path: PurePosixPath) -> str:
    """Reads from a name of Blackboard's when it was handed in; "" from others."""
    found = BLACKBOARD.match(path.stem)
    return found[3] if found else ""


def student_of(path: PurePosixPath, lesson: Gradable, shared: int, logins: Mapping[PurePosixPath, str]) -> str | None:
    """Makes a student's id from a path: letters, digits, - and _ alone, so that it can name a folder everywhere.

    It is the platform's folder, else the first folder that not all have, else the beginning of the file's name, else the
    innermost folder. None if there is nothing of the kind, or if a name of Blackboard's may be that of two.

    Args:
        shared: so many folders at the beginning are those of all.
        logins: whose an attempt of Blackboard's is, where a text file says so.
    """
    ours = ("..", "/", "submitted", lesson.assignment, lesson.name)
    folders = [part for part in path.parts[:-1] if part not in ours]
    own = [part for part in path.parts[shared:-1] if part not in ours]
    before, name_stands_there, _ = path.stem.rpartition(lesson.name)
    last = [CANVAS.sub(r"\1_\2", before if name_stands_there else path.stem), *folders[-1:]]
    if found := BLACKBOARD.match(path.stem):
        last = [_login(path, found, logins) or ""]
    marked = [part for part in folders if MOODLE.search(part)]
    for name in (*marked[:1], *own[:1], *last):
        plain = re.sub(r"[^\w-]+", "-", MOODLE.sub("", name)).strip("-_").lower()
        if plain:
            return plain.encode()[-LONGEST_NAME:].decode(errors="ignore")  # the end, where the id stands
    return None
