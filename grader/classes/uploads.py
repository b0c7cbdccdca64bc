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

from etude.files import write_whole
from etude.handing_in import LARGEST
from grader.classes.upload_names import (
    BLACKBOARD,
    alike,
    attempt,
    is_blackboards_text,
    is_nobodys,
    lesson_of,
    shown,
    student_of,
    why_nobodys,
)
from grader.course import CourseError
from grader.grading.store import Gradable

MOST_MEMBERS = 20_000
MOST_BYTES = 4 << 30  # of a zip's notebooks together, unpacked
MOST_OF_A_TEXT = 4 << 10  # bytes of Blackboard's own text file, of which the first line is read
TOO_LARGE = f"it is larger than {LARGEST >> 20} MiB"
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what platforms write; zipfile unpacks the others without a bound
CLONES = "-submissions"  # `gh classroom clone student-repos` puts week-1-octocat into week-1-submissions


@dataclass(frozen=True)
class Submission:
    """One notebook that a student handed in, or should have."""

    lesson: Gradable
    student: str
    path: Path


def path_of(home: Path, student: str, lesson: Gradable) -> Path:
    return home / "submitted" / student / lesson.assignment / f"{lesson.name}.ipynb"


def submissions(lessons: Iterable[Gradable], home: Path, student: str = "*") -> list[Submission]:
    """Lists all that is handed in below home/submitted.

    A student who handed in another notebook of the week has a submission of this one too: its file is missing.

    Args:
        student: this one alone, by the name as it stands; * is everybody.
    """
    return [
        Submission(lesson, folder.parent.name, folder / f"{lesson.name}.ipynb")
        for lesson in lessons
        for folder in sorted((home / "submitted").glob(f"*/{lesson.assignment}"))
        if student in ("*", folder.parent.name) and folder.is_dir()
    ]


def take_in(source: Path, lessons: Sequence[Gradable], home: Path) -> list[str]:
    """Brings a zip, a folder or a single notebook below home/submitted.

    Students are told apart by folder (Moodle: `Kim Ada_123_assignsubmission_file_/word2vec.ipynb`; GitHub Classroom's clones:
    `week-1-octocat/word2vec.ipynb`) or by the file name's beginning (Canvas: `kimada_123_456_word2vec.ipynb`; Blackboard:
    `Week 1_kimada_attempt_2026-11-20-13-05-22_word2vec.ipynb`, of which the last attempt counts). Where a login with a _ begins only
    Blackboard's text file of the attempt says: without it such a file is left out, for it might be another student's.

    Returns:
        A sentence for each file that was left out.

    Raises:
        CourseError: the source holds no notebook of these lessons.
    """
    if source.suffix == ".ipynb" and source.is_file():
        _take_notebook(source, lessons, home)
        return []
    if source.is_dir():
        with TemporaryFile() as packed:
            left_out, clones = _pack(source, packed)
            with zipfile.ZipFile(packed) as archive:
                return _take_zip(archive, source.name, lessons, home, left_out, clones)
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, OSError) as error:
        raise CourseError(f"{source} is neither a notebook nor a whole zip file ({error}): fetch it again") from None
    with archive:
        return _take_zip(archive, source.name, lessons, home, [])


def _take_notebook(source: Path, lessons: Sequence[Gradable], home: Path) -> None:
    lesson = lesson_of(source.stem, lessons) or (lessons[0] if len(lessons) == 1 else None)
    if lesson is None:
        raise CourseError(f"{source.name} is named like no lesson of {_names(lessons)}: rename it, or give the lesson")
    path = PurePosixPath(source.name)
    student = student_of(path, lesson, 0, {})
    if student is None and BLACKBOARD.match(path.stem):
        raise CourseError(f"{source.name}: {why_nobodys(path, lesson)}")
    if student is None:
        raise CourseError(f"{source.name} does not say whose it is: name it STUDENT_{lesson.name}.ipynb")
    write_whole(path_of(home, student, lesson), source.read_bytes())


def _pack(folder: Path, packed: IO[bytes]) -> tuple[list[str], bool]:
    """Packs the notebooks of a folder as a platform would: of clones each is a student's, without the name that all begin with.

    Returns a sentence for each that was left out, and whether there are clones with such a name.
    """
    left_out, paths, clones = list[str](), list[Path](), list[str]()

    def unreadable(error: OSError) -> None:
        name = PurePosixPath(Path(error.filename).relative_to(folder).as_posix())
        left_out.append(f"{shown(name)}: it cannot be read ({error.strerror})")

    for at, folders, files in os.walk(folder, onerror=unreadable):
        here = Path(at)
        if len(here.relative_to(folder).parts) == 1 and ".git" in (*folders, *files):
            clones.append(here.name)
        paths += [
            here / name for name in (*folders, *files) if name.endswith(".ipynb") or is_blackboards_text(Path(name))
        ]
        folders[:] = [name for name in folders if not is_nobodys(PurePosixPath(name))]
    begins = _all_begin_with(folder, clones)
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(paths):
            name = PurePosixPath(path.relative_to(folder).as_posix())
            if is_nobodys(name):
                continue
            if isinstance(content := _content(path, name), str):
                left_out.append(f"{shown(name)}: {content}")
            else:
                archive.writestr(str(name).removeprefix(begins), content)
    return left_out, bool(begins)


def _all_begin_with(folder: Path, clones: Sequence[str]) -> str:
    """Finds the assignment's name before the students' in those of clones; "" if nothing tells."""
    name = folder.resolve().name
    if clones and name.endswith(CLONES) and all(clone.startswith(name.removesuffix(CLONES) + "-") for clone in clones):
        return name.removesuffix(CLONES) + "-"
    common = os.path.commonprefix(clones) if len(clones) > 1 else ""  # noqa: RUF071 - letters of names, no paths
    return common[: common.rfind("-") + 1]


def _content(path: Path, name: PurePosixPath) -> bytes | str:
    """Reads the file's bytes, or says why it is not taken in. A link could take in what is somebody else's."""
    try:
        str(name).encode()  # of other bytes Python makes surrogates, which no zip holds
        if path.is_symlink():
            return "it is a link"
        if not path.is_file():
            return "it is no file"
        return path.read_bytes() if path.stat().st_size <= LARGEST else TOO_LARGE
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    except OSError as error:
        return f"it cannot be read ({error.strerror})"


def _take_zip(
    archive: zipfile.ZipFile,
    source: str,
    lessons: Sequence[Gradable],
    home: Path,
    left_out: list[str],
    clones: bool = False,
) -> list[str]:
    """Takes in the notebooks of a zip; adds to what was left out before it was packed. Of clones the first folder is the student's."""
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise CourseError(f"{source} has {len(members):,} members, at most {MOST_MEMBERS:,} are read")
    notebooks: list[tuple[zipfile.ZipInfo, PurePosixPath, Gradable]] = []
    for member in members:
        path = _path(member)
        if member.is_dir() or is_nobodys(path):
            continue
        lesson = lesson_of(path.stem, lessons)
        if path.suffix != ".ipynb":
            left_out.append(f"{shown(path)}: it is no notebook")
        elif lesson is None:
            left_out.append(f"{shown(path)}: it is named like no lesson")
        elif member.file_size > LARGEST:
            left_out.append(f"{shown(path)}: {TOO_LARGE}")
        else:
            notebooks.append((member, path, lesson))
    total = sum(member.file_size for member, _, _ in notebooks)  # zipfile gives no more than a member claims
    if total > MOST_BYTES:
        raise CourseError(
            f"{source}: its notebooks have {total >> 20:,} MiB unpacked, at most {MOST_BYTES >> 20:,} are read"
        )
    notebooks.sort(key=lambda one: attempt(one[1]), reverse=True)  # the last attempt first, all others as they come
    shared = 0 if clones else alike([path.parts[:-1] for _, path, _ in notebooks])
    logins = _logins(archive, members)
    taken: dict[tuple[str, str], PurePosixPath] = {}
    for member, path, lesson in notebooks:
        student = student_of(path, lesson, shared, logins)
        if student is None:
            left_out.append(f"{shown(path)}: {why_nobodys(path, lesson)}")
        elif (earlier := taken.get((student, lesson.id))) is not None:
            left_out.append(f"{shown(path)}: {student} has handed in {shown(earlier)} with it, which counts")
        elif isinstance(content := _unpacked(archive, member), str):
            left_out.append(f"{shown(path)}: it cannot be unpacked ({content})")
        else:
            taken[student, lesson.id] = path
            try:
                write_whole(path_of(home, student, lesson), content)
            except OSError as error:  # as where a folder stands in its place
                left_out.append(f"{shown(path)}: it cannot be stored for {student} ({error.strerror})")
    if not taken:
        raise CourseError("\n".join([f"{source} holds no notebook of {_names(lessons)}", *left_out[:10]]))
    return left_out


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int = LARGEST) -> bytes | str:
    """Unpacks the member's first bytes, or says why there are none."""
    if member.compress_type not in METHODS:
        return "packed by another method than deflate"
    try:
        with archive.open(member) as file:
            return file.read(most)
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


def _logins(archive: zipfile.ZipFile, members: Iterable[zipfile.ZipInfo]) -> dict[PurePosixPath, str]:
    """Reads whose an attempt is from the first line of Blackboard's text files: `Name: Kim Ada (kim_ada)`."""
    logins = {}
    for member in members:
        path = _path(member)
        if is_blackboards_text(path) and isinstance(text := _unpacked(archive, member, MOST_OF_A_TEXT), bytes):
            line = text.decode("utf-8-sig", errors="ignore").partition("\n")[0].strip()
            if found := re.fullmatch(r"[^:]+:.*\(([^\s()]+)\)", line):
                logins[path.with_name(path.stem)] = unicodedata.normalize("NFC", found[1])
    return logins


def _names(lessons: Iterable[Gradable]) -> str:
    return ", ".join(lesson.name for lesson in lessons)
