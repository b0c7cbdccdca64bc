"""Submissions as they come: a folder in nbgrader's layout, a platform's zip, a folder of clones, or a single notebook.

Whatever comes is brought into nbgrader's layout, HOME/submitted/STUDENT/WEEK/LESSON.ipynb. A zip is read member by member within
bounds; its paths are only looked at for names, never written to.
"""

from __future__ import annotations

import os
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO

from etude.handing_in import LARGEST
from grader.course import CourseError
from grader.grading.store import Gradable

MOST_MEMBERS = 20_000
MOST_BYTES = 4 << 30  # of a zip's notebooks together, unpacked
LONGEST_NAME = 200  # bytes of UTF-8; file systems take 255
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what platforms write; zipfile unpacks the others without a bound
MOODLE = re.compile(r"_(assignsubmission_file|onlinetext)_?$", re.IGNORECASE)  # ids stay: two students may share a name
BLACKBOARD = re.compile(r"^.*_([^_]+)_attempt_(\d{4}(?:-\d\d){5})_$")  # the assignment's name, the student, when
CANVAS = re.compile(r"^(.+?)(?:_late)?_(\d+)_\d+_$", re.IGNORECASE)  # the last number, the upload's, changes: it goes


@dataclass(frozen=True)
class Submission:
    """One notebook that a student handed in, or should have."""

    lesson: Gradable
    student: str
    path: Path


def submissions(lessons: Iterable[Gradable], home: Path, student: str = "*") -> list[Submission]:
    """Lists all that is handed in below home/submitted.

    A student who handed in another notebook of the week has a submission of this one too: its file is missing.
    """
    return [
        Submission(lesson, folder.parent.name, folder / f"{lesson.name}.ipynb")
        for lesson in lessons
        for folder in sorted((home / "submitted").glob(f"{student}/{lesson.assignment}"))
        if folder.is_dir()
    ]


def take_in(source: Path, lessons: Sequence[Gradable], home: Path) -> list[str]:
    """Brings a zip, a folder or a single notebook below home/submitted.

    Students are told apart by folder (Moodle: `Kim Ada_123_assignsubmission_file_/word2vec.ipynb`; GitHub Classroom's clones:
    `week-1-octocat/word2vec.ipynb`) or by the file name's beginning (Canvas: `kimada_123_456_word2vec.ipynb`; Blackboard:
    `Week 1_kimada_attempt_2026-11-20-13-05-22_word2vec.ipynb`, of which the last attempt counts).

    Returns:
        A sentence for each member that was left out.

    Raises:
        CourseError: the source holds no notebook of these lessons.
    """
    if source.suffix == ".ipynb" and source.is_file():
        _take_notebook(source, lessons, home)
        return []
    if source.is_dir():
        with TemporaryFile() as packed:
            _pack(source, packed)
            with zipfile.ZipFile(packed) as archive:
                return _take_zip(archive, source.name, lessons, home)
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, OSError) as error:
        raise CourseError(f"{source} is neither a notebook nor a whole zip file ({error}): fetch it again") from None
    with archive:
        return _take_zip(archive, source.name, lessons, home)


def _take_notebook(source: Path, lessons: Sequence[Gradable], home: Path) -> None:
    lesson = _lesson(source.stem, lessons) or (lessons[0] if len(lessons) == 1 else None)
    if lesson is None:
        raise CourseError(f"{source.name} is named like no lesson of {_names(lessons)}: rename it, or give the lesson")
    student = _student(PurePosixPath(source.name), lesson, 0)
    if student is None:
        raise CourseError(f"{source.name} does not say whose it is: name it STUDENT_{lesson.name}.ipynb")
    _write(home, student, lesson, source.read_bytes())


def _pack(folder: Path, packed: IO[bytes]) -> None:
    """Packs the notebooks of a folder as a platform would: of clones each is a student's, without the name that all begin with."""
    clones = [path.name for path in folder.iterdir() if (path / ".git").exists()]
    common = os.path.commonprefix(clones) if len(clones) > 1 else ""  # noqa: RUF071 - letters of names, no paths
    begins = common[: common.rfind("-") + 1]
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(folder.rglob("*.ipynb")):
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST:
                archive.write(path, path.relative_to(folder).as_posix().removeprefix(begins))


def _take_zip(archive: zipfile.ZipFile, source: str, lessons: Sequence[Gradable], home: Path) -> list[str]:
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise CourseError(f"{source} has {len(members):,} members, at most {MOST_MEMBERS:,} are read")
    notebooks: list[tuple[zipfile.ZipInfo, PurePosixPath, Gradable]] = []
    left_out: list[str] = []
    for member in members:
        path = _path(member)
        hidden = any(part.startswith(".") and part != ".." for part in path.parts)
        if member.is_dir() or hidden or "__MACOSX" in path.parts:
            continue
        lesson = _lesson(path.stem, lessons)
        if path.suffix != ".ipynb":
            left_out.append(f"{_shown(path)}: it is no notebook")
        elif lesson is None:
            left_out.append(f"{_shown(path)}: it is named like no lesson")
        elif member.file_size > LARGEST:
            left_out.append(f"{_shown(path)}: it is larger than {LARGEST >> 20} MiB")
        else:
            notebooks.append((member, path, lesson))
    total = sum(member.file_size for member, _, _ in notebooks)  # zipfile gives no more than a member claims
    if total > MOST_BYTES:
        raise CourseError(
            f"{source}: its notebooks have {total >> 20:,} MiB unpacked, at most {MOST_BYTES >> 20:,} are read"
        )
    notebooks.sort(
        key=lambda one: _attempt(one[1], one[2]), reverse=True
    )  # the last attempt first, all others as they come
    shared = _shared_folders([path for _, path, _ in notebooks])
    taken: dict[tuple[str, str], PurePosixPath] = {}
    for member, path, lesson in notebooks:
        student = _student(path, lesson, shared)
        if student is None:
            left_out.append(f"{_shown(path)}: it does not say whose it is")
        elif (earlier := taken.get((student, lesson.id))) is not None:
            left_out.append(f"{_shown(path)}: {student} has handed in {_shown(earlier)} with it, which counts")
        elif isinstance(content := _unpacked(archive, member), str):
            left_out.append(f"{_shown(path)}: it cannot be unpacked ({content})")
        else:
            _write(home, student, lesson, content)
            taken[student, lesson.id] = path
    if not taken:
        raise CourseError("\n".join([f"{source} holds no notebook of {_names(lessons)}", *left_out[:10]]))
    return left_out


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes | str:
    """Unpacks the member's bytes, or says why there are none."""
    if member.compress_type not in METHODS:
        return "packed by another method than deflate"
    try:
        with archive.open(member) as file:
            return file.read(LARGEST)
    except (zipfile.BadZipFile, RuntimeError, ValueError, EOFError, OSError, zlib.error) as error:
        return str(error) or "it ends too early"


def _path(member: zipfile.ZipInfo) -> PurePosixPath:
    """Decodes the member's path as it was meant, in composed letters, however the program that packed it wrote Korean."""
    name = member.filename
    if not member.flag_bits & 0x800:  # no word on the encoding: UTF-8 from macOS, CP949 from a Korean Windows
        for encoding in ("utf-8", "cp949"):
            try:
                name = member.filename.encode("cp437").decode(encoding)
                break
            except UnicodeError:
                continue
    return PurePosixPath(unicodedata.normalize("NFC", name).replace("\\", "/"))


def _shown(path: PurePosixPath) -> str:
    """Writes the path on one line: a name may hold line ends and a terminal's commands."""
    return repr(str(path))[1:-1]


def _shared_folders(paths: list[PurePosixPath]) -> int:
    """Counts the folders at the beginning of the paths that are the same for all: those are not a student's."""
    count = 0
    for parts in zip(*(path.parts[:-1] for path in paths), strict=False):
        if len(set(parts)) > 1:
            break
        count += 1
    return count


def _lesson(stem: str, lessons: Iterable[Gradable]) -> Gradable | None:
    """Finds the lesson whose name the file's name ends with (a platform's copies are called `word2vec (1)` or `word2vec-2`)."""
    plain = re.sub(r"([-_ ]?\(?\d{1,3}\)?)$", "", stem)
    candidates = [lesson for lesson in lessons if _ends_with(stem, lesson) or _ends_with(plain, lesson)]
    return max(candidates, key=lambda lesson: len(lesson.name), default=None)


def _ends_with(stem: str, lesson: Gradable) -> bool:
    """Tells whether the file's name ends with the lesson's as a word of its own: albert is not bert."""
    return re.search(rf"(?<![^\W_]){re.escape(lesson.name)}$", stem) is not None


def _attempt(path: PurePosixPath, lesson: Gradable) -> str:
    """Reads from a name of Blackboard's when it was handed in; "" from others."""
    found = BLACKBOARD.match(path.stem.rpartition(lesson.name)[0])
    return found[2] if found else ""


def _student(path: PurePosixPath, lesson: Gradable, shared: int) -> str | None:
    """Makes a student's id from a path: letters, digits, - and _ alone, so that it can name a folder everywhere.

    It is the platform's folder, else the first folder that not all have, else the beginning of the file's name, else the
    innermost folder. None if there is nothing of the kind.
    """
    ours = ("..", "/", "submitted", lesson.assignment, lesson.name)
    folders = [part for part in path.parts[:-1] if part not in ours]
    own = [part for part in path.parts[shared:-1] if part not in ours]
    before, name_stands_there, _ = path.stem.rpartition(lesson.name)
    beginning = before if name_stands_there else path.stem
    marked = [part for part in folders if MOODLE.search(part)]
    for name in (*marked[:1], *own[:1], CANVAS.sub(r"\1_\2", BLACKBOARD.sub(r"\1", beginning)), *folders[-1:]):
        plain = re.sub(r"[^\w-]+", "-", MOODLE.sub("", name)).strip("-_").lower()
        if plain:
            return plain.encode()[-LONGEST_NAME:].decode(errors="ignore")  # the end, where the id stands
    return None


def _write(home: Path, student: str, lesson: Gradable, content: bytes) -> None:
    """Stores the notebook; it is there whole or not at all."""
    path = home / "submitted" / student / lesson.assignment / f"{lesson.name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.replace(path)


def _names(lessons: Iterable[Gradable]) -> str:
    return ", ".join(lesson.name for lesson in lessons)
