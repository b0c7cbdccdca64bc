"""Submissions as they come: a folder in nbgrader's layout, a zip from a learning platform, or a single notebook.

Whatever comes is brought into nbgrader's layout, HOME/submitted/STUDENT/WEEK/LESSON.ipynb. A zip is read member by member within
bounds; its paths are only looked at for names, never written to.
"""

from __future__ import annotations

import re
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.course import CourseError
from grader.store import Gradable
from grader.submission import LARGEST

MOST_MEMBERS = 20_000
PLATFORM = re.compile(r"_(assignsubmission_file|onlinetext)_?$", re.IGNORECASE)  # ids stay: two students may share a name


@dataclass(frozen=True)
class Submission:
    """One notebook that a student handed in, or should have."""

    lesson: Gradable
    student: str
    path: Path


def submissions(lessons: Iterable[Gradable], home: Path, student: str = "*") -> list[Submission]:
    """All that is handed in below home/submitted; who handed in another notebook of the week is missing this one."""
    return [Submission(lesson, folder.parent.name, folder / f"{lesson.name}.ipynb")
            for lesson in lessons for folder in sorted((home / "submitted").glob(f"{student}/{lesson.assignment}")) if folder.is_dir()]


def take_in(source: Path, lessons: Sequence[Gradable], home: Path) -> list[str]:
    """Brings a zip or a single notebook below home/submitted; returns a sentence for each member that was left out.

    Students are told apart by folder (Moodle: `Kim Ada_123_assignsubmission_file_/word2vec.ipynb`) or by the file name's
    beginning (Canvas: `kimada_123_456_word2vec.ipynb`). Raises CourseError if the source holds no notebook of these lessons.
    """
    if source.suffix == ".ipynb" and source.is_file():
        lesson = _lesson(source.stem, lessons)
        if lesson is None and len(lessons) == 1:
            lesson = lessons[0]
        if lesson is None:
            raise CourseError(f"{source.name} is named like no lesson of {', '.join(lesson.name for lesson in lessons)}: rename it, or give the lesson")
        shutil.copyfile(source, _place(home, _student(PurePosixPath(source.name), lesson), lesson))
        return []
    if not zipfile.is_zipfile(source):
        raise CourseError(f"{source} is neither a notebook nor a zip file")
    left_out, taken = [], 0
    with zipfile.ZipFile(source) as archive:
        members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            raise CourseError(f"{source.name} has {len(members):,} members, at most {MOST_MEMBERS:,} are read")
        for member in members:
            path = PurePosixPath(member.filename.replace("\\", "/"))
            if path.suffix != ".ipynb" or ".ipynb_checkpoints" in path.parts or path.name.startswith("."):
                continue
            lesson = _lesson(path.stem, lessons)
            if lesson is None:
                left_out.append(f"{member.filename}: named like no lesson")
                continue
            try:
                with archive.open(member) as file:
                    content = file.read(LARGEST + 1)  # whatever size the member claims
            except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, zlib.error) as error:
                left_out.append(f"{member.filename}: it cannot be unpacked ({error})")
                continue
            if len(content) > LARGEST:
                left_out.append(f"{member.filename}: it is larger than {LARGEST >> 20} MiB")
                continue
            _place(home, _student(path, lesson), lesson).write_bytes(content)
            taken += 1
    if not taken:
        raise CourseError(f"{source.name} holds no notebook of {', '.join(lesson.name for lesson in lessons)}")
    return left_out


def _lesson(stem: str, lessons: Iterable[Gradable]) -> Gradable | None:
    """The lesson whose name the file's name ends with (a platform's copies are called `word2vec (1)` or `word2vec-2`)."""
    plain = re.sub(r"([-_ ]?\(?\d{1,3}\)?)$", "", stem)
    found = [lesson for lesson in lessons if stem.endswith(lesson.name) or plain.endswith(lesson.name)]
    return max(found, key=lambda lesson: len(lesson.name), default=None)


def _student(path: PurePosixPath, lesson: Gradable) -> str:
    """A student's id from a path: letters, digits, - and _ alone, so that it can name a folder everywhere."""
    parents = [part for part in path.parts[:-1] if part not in ("..", "/", lesson.assignment, "submitted")]
    name = parents[-1] if parents else path.stem.rpartition(lesson.name)[0] or path.stem
    plain = re.sub(r"[^\w-]+", "-", PLATFORM.sub("", name)).strip("-_").lower()
    return plain[:80] or "unnamed"


def _place(home: Path, student: str, lesson: Gradable) -> Path:
    path = home / "submitted" / student / lesson.assignment / f"{lesson.name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
