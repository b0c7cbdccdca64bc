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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from tempfile import TemporaryFile
from typing import IO

from etude.files import write_whole
from etude.handing_in import LARGEST
from grader.course import CourseError
from grader.grading.store import Gradable

MOST_MEMBERS = 20_000
MOST_BYTES = 4 << 30  # of a zip's notebooks together, unpacked
MOST_OF_A_TEXT = 4 << 10  # bytes of Blackboard's own text file, of which the first line is read
TOO_LARGE = f"it is larger than {LARGEST >> 20} MiB"
LONGEST_NAME = 200  # bytes of UTF-8; file systems take 255
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what platforms write; zipfile unpacks the others without a bound
MOODLE = re.compile(r"_(assignsubmission_file|onlinetext)_?$", re.IGNORECASE)  # ids stay: two students may share a name
# The attempt: the assignment's name and the login, when. What the student called the file may look the same: the first counts.
BLACKBOARD = re.compile(r"^((.+?)_attempt_(\d{4}(?:-\d\d){5}))(?:_|$)")
CLONES = "-submissions"  # `gh classroom clone student-repos` puts week-1-octocat into week-1-submissions
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
    lesson = _lesson(source.stem, lessons) or (lessons[0] if len(lessons) == 1 else None)
    if lesson is None:
        raise CourseError(f"{source.name} is named like no lesson of {_names(lessons)}: rename it, or give the lesson")
    path = PurePosixPath(source.name)
    student = _student(path, lesson, 0, {})
    if student is None and BLACKBOARD.match(path.stem):
        raise CourseError(f"{source.name}: {_nobodys(path, lesson)}")
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
        left_out.append(f"{_shown(name)}: it cannot be read ({error.strerror})")

    for at, folders, files in os.walk(folder, onerror=unreadable):
        here = Path(at)
        if len(here.relative_to(folder).parts) == 1 and ".git" in (*folders, *files):
            clones.append(here.name)
        paths += [
            here / name for name in (*folders, *files) if name.endswith(".ipynb") or _is_blackboards_text(Path(name))
        ]
        folders[:] = [name for name in folders if not _is_nobodys(PurePosixPath(name))]
    begins = _all_begin_with(folder, clones)
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(paths):
            name = PurePosixPath(path.relative_to(folder).as_posix())
            if _is_nobodys(name):
                continue
            if isinstance(content := _content(path, name), str):
                left_out.append(f"{_shown(name)}: {content}")
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
    shared = 0 if clones else _alike([path.parts[:-1] for _, path, _ in notebooks])
    logins = _logins(archive, members)
    taken: dict[tuple[str, str], PurePosixPath] = {}
    for member, path, lesson in notebooks:
        student = _student(path, lesson, shared, logins)
        if student is None:
            left_out.append(f"{_shown(path)}: {_nobodys(path, lesson)}")
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


def _is_blackboards_text(path: PurePath) -> bool:
    """Tells whether it is the text that Blackboard itself adds to an attempt: what a student hands in has a name after the date."""
    found = BLACKBOARD.match(path.stem)
    return path.suffix == ".txt" and found is not None and found[1] == path.stem


def _logins(archive: zipfile.ZipFile, members: Iterable[zipfile.ZipInfo]) -> dict[PurePosixPath, str]:
    """Reads whose an attempt is from the first line of Blackboard's text files: `Name: Kim Ada (kim_ada)`."""
    logins = {}
    for member in members:
        path = _path(member)
        if _is_blackboards_text(path) and isinstance(text := _unpacked(archive, member, MOST_OF_A_TEXT), bytes):
            line = text.decode("utf-8-sig", errors="ignore").partition("\n")[0].strip()
            if found := re.fullmatch(r"[^:]+:.*\(([^\s()]+)\)", line):
                logins[path.with_name(path.stem)] = unicodedata.normalize("NFC", found[1])
    return logins


def _login(path: PurePosixPath, found: re.Match[str], logins: Mapping[PurePosixPath, str]) -> str | None:
    """Finds the login in a name of Blackboard's; None if it is not certain where it begins.

    The assignment's name may hold a _ as the login may, and blanks, which no login holds.
    """
    longest = re.split(r"\s", found[2])[-1].partition("_")[2]
    said = logins.get(path.with_name(found[1]))
    if said and f"_{longest}".endswith(f"_{said}"):
        return said
    return longest if "_" not in longest else None


def _nobodys(path: PurePosixPath, lesson: Gradable) -> str:
    """Says why it is not taken in where no student was found."""
    if not BLACKBOARD.match(path.stem):
        return "it does not say whose it is"
    there = f"submitted/STUDENT/{lesson.assignment}/{lesson.name}.ipynb"
    return f"where the login begins is not clear: take in the whole download, with its text files, or put it at {there}"


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
    return found[3] if found else ""


def _student(path: PurePosixPath, lesson: Gradable, shared: int, logins: Mapping[PurePosixPath, str]) -> str | None:
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


def _names(lessons: Iterable[Gradable]) -> str:
    return ", ".join(lesson.name for lesson in lessons)
