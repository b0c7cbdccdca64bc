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
from grader.course import CourseError
from grader.grading.store import Gradable

MOST_MEMBERS = 20_000
MOST_BYTES = 4 << 30  # of a zip's notebooks together, unpacked
TOO_LARGE = f"it is larger than {LARGEST >> 20} MiB"
LONGEST_NAME = 200  # bytes of UTF-8; file systems take 255
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what platforms write; zipfile unpacks the others without a bound
MOODLE = re.compile(r"_(assignsubmission_file|onlinetext)_?$", re.IGNORECASE)  # ids stay: two students may share a name
BLACKBOARD = re.compile(r"^(.+)_attempt_(\d{4}(?:-\d\d){5})_")  # the assignment's name and the login, when
CANVAS = re.compile(r"^(.+?)(?:_late)?_(\d+)_\d+_$", re.IGNORECASE)  # the last number, the upload's, changes: it goes


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
    `Week 1_kimada_attempt_2026-11-20-13-05-22_word2vec.ipynb`, of which the last attempt counts).

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
            left_out = _pack(source, packed)
            with zipfile.ZipFile(packed) as archive:
                return _take_zip(archive, source.name, lessons, home, left_out)
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, OSError) as error:
        raise CourseError(f"{source} is neither a notebook nor a whole zip file ({error}): fetch it again") from None
    with archive:
        return _take_zip(archive, source.name, lessons, home, [])


def _take_notebook(source: Path, lessons: Sequence[Gradable], home: Path) -> None:
    lesson = _lesson(source.stem, lessons) or (lessons[0] if len(lessons) == 1 else None)
    if lesson is None:
        raise CourseError(f"{source.name} is named like no lesson of {_names(lessons)}: rename it, or give the lesson")
    path = PurePosixPath(source.name)
    student = _student(path, lesson, 0, _assignments_words([path]))
    if student is None:
        raise CourseError(f"{source.name} does not say whose it is: name it STUDENT_{lesson.name}.ipynb")
    write_whole(path_of(home, student, lesson), source.read_bytes())


def _pack(folder: Path, packed: IO[bytes]) -> list[str]:
    """Packs the notebooks of a folder as a platform would: of clones each is a student's, without the name that all begin with.

    Returns a sentence for each that was left out.
    """
    clones = [path.name for path in folder.iterdir() if (path / ".git").exists()]
    common = os.path.commonprefix(clones) if len(clones) > 1 else ""  # noqa: RUF071 - letters of names, no paths
    begins = common[: common.rfind("-") + 1]
    left_out = []
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(folder.rglob("*.ipynb")):
            name = PurePosixPath(path.relative_to(folder).as_posix())
            if _is_nobodys(name):
                continue
            if isinstance(content := _content(path, name), str):
                left_out.append(f"{_shown(name)}: {content}")
            else:
                archive.writestr(str(name).removeprefix(begins), content)
    return left_out


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
    archive: zipfile.ZipFile, source: str, lessons: Sequence[Gradable], home: Path, left_out: list[str]
) -> list[str]:
    """Takes in the notebooks of a zip; adds to what was left out before it was packed."""
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise CourseError(f"{source} has {len(members):,} members, at most {MOST_MEMBERS:,} are read")
    notebooks: list[tuple[zipfile.ZipInfo, PurePosixPath, Gradable]] = []
    for member in members:
        path = _path(member)
        if member.is_dir() or _is_nobodys(path):
            continue
        lesson = _lesson(path.stem, lessons)
        if path.suffix != ".ipynb":
            left_out.append(f"{_shown(path)}: it is no notebook")
        elif lesson is None:
            left_out.append(f"{_shown(path)}: it is named like no lesson")
        elif member.file_size > LARGEST:
            left_out.append(f"{_shown(path)}: {TOO_LARGE}")
        else:
            notebooks.append((member, path, lesson))
    total = sum(member.file_size for member, _, _ in notebooks)  # zipfile gives no more than a member claims
    if total > MOST_BYTES:
        raise CourseError(
            f"{source}: its notebooks have {total >> 20:,} MiB unpacked, at most {MOST_BYTES >> 20:,} are read"
        )
    notebooks.sort(key=lambda one: _attempt(one[1]), reverse=True)  # the last attempt first, all others as they come
    paths = [path for _, path, _ in notebooks]
    shared, words = _alike([path.parts[:-1] for path in paths]), _assignments_words(paths)
    taken: dict[tuple[str, str], PurePosixPath] = {}
    for member, path, lesson in notebooks:
        student = _student(path, lesson, shared, words)
        if student is None:
            left_out.append(f"{_shown(path)}: it does not say whose it is")
        elif (earlier := taken.get((student, lesson.id))) is not None:
            left_out.append(f"{_shown(path)}: {student} has handed in {_shown(earlier)} with it, which counts")
        elif isinstance(content := _unpacked(archive, member), str):
            left_out.append(f"{_shown(path)}: it cannot be unpacked ({content})")
        else:
            taken[student, lesson.id] = path
            try:
                write_whole(path_of(home, student, lesson), content)
            except OSError as error:  # as where a folder stands in its place
                left_out.append(f"{_shown(path)}: it cannot be stored for {student} ({error.strerror})")
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


def _is_nobodys(path: PurePosixPath) -> bool:
    """Tells whether it is hidden, or what macOS packs beside a file: no student's work."""
    return "__MACOSX" in path.parts or any(part.startswith(".") and part != ".." for part in path.parts)


def _alike(rows: Iterable[Sequence[str]]) -> int:
    """Counts the items at the beginning of the rows that are the same for all. Folders of this kind are not a student's."""
    count = 0
    for items in zip(*rows, strict=False):
        if len(set(items)) > 1:
            break
        count += 1
    return count


def _assignments_words(paths: Iterable[PurePosixPath]) -> int:
    """Counts the words that Blackboard's names begin with before the login, which may hold a _ as the assignment's name may.

    What all begin with is the assignment's name; at least one word of each is the login's.
    """
    return _alike([found[1].split("_")[:-1] for path in paths if (found := BLACKBOARD.match(path.stem))])


def _lesson(stem: str, lessons: Iterable[Gradable]) -> Gradable | None:
    """Finds the lesson whose name the file's name ends with (a platform's copies are called `word2vec (1)` or `word2vec-2`)."""
    plain = re.sub(r"([-_ ]?\(?\d{1,3}\)?)$", "", stem)
    candidates = [lesson for lesson in lessons if _ends_with(stem, lesson) or _ends_with(plain, lesson)]
    return max(candidates, key=lambda lesson: len(lesson.name), default=None)


def _ends_with(stem: str, lesson: Gradable) -> bool:
    """Tells whether the file's name ends with the lesson's as a word of its own: albert is not bert."""
    return re.search(rf"(?<![^\W_]){re.escape(lesson.name)}$", stem) is not None


def _attempt(path: PurePosixPath) -> str:
    """Reads from a name of Blackboard's when it was handed in; "" from others."""
    found = BLACKBOARD.match(path.stem)
    return found[2] if found else ""


def _student(path: PurePosixPath, lesson: Gradable, shared: int, words: int) -> str | None:
    """Makes a student's id from a path: letters, digits, - and _ alone, so that it can name a folder everywhere.

    It is the platform's folder, else the first folder that not all have, else the beginning of the file's name, else the
    innermost folder. None if there is nothing of the kind.

    Args:
        shared: so many folders at the beginning are those of all.
        words: so many words of a name of Blackboard's are the assignment's.
    """
    ours = ("..", "/", "submitted", lesson.assignment, lesson.name)
    folders = [part for part in path.parts[:-1] if part not in ours]
    own = [part for part in path.parts[shared:-1] if part not in ours]
    before, name_stands_there, _ = path.stem.rpartition(lesson.name)
    beginning = CANVAS.sub(r"\1_\2", before if name_stands_there else path.stem)
    if found := BLACKBOARD.match(path.stem):
        beginning = "_".join(found[1].split("_")[words:])
    marked = [part for part in folders if MOODLE.search(part)]
    for name in (*marked[:1], *own[:1], beginning, *folders[-1:]):
        plain = re.sub(r"[^\w-]+", "-", MOODLE.sub("", name)).strip("-_").lower()
        if plain:
            return plain.encode()[-LONGEST_NAME:].decode(errors="ignore")  # the end, where the id stands
    return None


def _names(lessons: Iterable[Gradable]) -> str:
    return ", ".join(lesson.name for lesson in lessons)
