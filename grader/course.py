"""Where things lie in a course: course.toml, the lessons and the files of each. Knows paths, reads no lesson."""

from __future__ import annotations

import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.sandbox.limits import Limits, LimitsError

ROOT = Path(__file__).resolve().parent.parent


class CourseError(Exception):
    """The course's own files are wrong, or no such lesson exists; the message says which and what to do."""


class LessonEntry(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(pattern=r"^[a-z0-9_]+$")
    title: str
    paper: str
    link: str
    minutes: int = Field(gt=0)
    limits: dict[str, int] = {}


class WeekEntry(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(pattern=r"^week\d+_[a-z0-9_]+$")
    title: str
    lessons: list[LessonEntry]


class CourseFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str
    limits: dict[str, int]
    weeks: list[WeekEntry]


class Lesson:
    """One lesson: its entry in course.toml and the folders of its files."""

    def __init__(self, course: Course, week: WeekEntry, entry: LessonEntry) -> None:
        self.course, self.week, self.entry = course, week, entry

    @property
    def id(self) -> str:
        return f"{self.week.name}/{self.entry.name}"

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def assignment(self) -> str:
        """nbgrader's word for the week."""
        return self.week.name

    @property
    def source(self) -> Path:
        """solutions/WEEK/LESSON: notebook.py, checks.py, hidden.py, bank.py, expected.csv."""
        return self.course.root / "solutions" / self.week.name / self.name

    @property
    def master(self) -> Path:
        """The notebook with solutions, nbgrader's source."""
        return self.course.build / "source" / self.week.name / f"{self.name}.ipynb"

    @property
    def released(self) -> Path:
        """The student's notebook; its public files lie in the folder of the same name beside it."""
        return self.course.root / "weeks" / self.week.name / f"{self.name}.ipynb"

    @property
    def limits(self) -> dict[str, int]:
        """The course's limits, overruled by the lesson's: seconds for a cell and a notebook, and the sandbox's."""
        return {**self.course.file.limits, **self.entry.limits}

    @property
    def sandbox_limits(self) -> dict[str, Any]:
        """All limits of the sandbox, as grader.sandbox.Limits takes them. Raises CourseError for one that makes no sense."""
        given = {name: value for name, value in self.limits.items() if name not in ("cell_seconds", "notebook_seconds")}
        try:
            return Limits.from_dict(given).as_dict()
        except LimitsError as error:
            raise CourseError(f"course.toml, limits of {self.id}: {error}") from None


class Course:
    """The course at `root`; without one, the course of the working folder, else the one that this package stands in."""

    def __init__(self, root: Path | None = None) -> None:
        here = Path.cwd()
        self.root = (root or (here if (here / "course.toml").is_file() else ROOT)).resolve()
        self.build = self.root / "build"

    @cached_property
    def file(self) -> CourseFile:
        path = self.root / "course.toml"
        try:
            return CourseFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise CourseError(f"{path} is missing: run the command from a course's folder") from None
        except (tomllib.TOMLDecodeError, ValidationError) as error:
            raise CourseError(f"{path} is not right: {error}") from None

    def lessons(self, which: str = "") -> list[Lesson]:
        """All lessons, those of one week ("week1_embeddings") or one ("week1_embeddings/word2vec")."""
        everything = [Lesson(self, week, entry) for week in self.file.weeks for entry in week.lessons]
        if not which:
            return everything
        chosen = [lesson for lesson in everything if which in (lesson.id, lesson.week.name, lesson.name)]
        if not chosen:
            names = ", ".join(lesson.id for lesson in everything)
            raise CourseError(f"there is no week or lesson {which!r} in course.toml; there are {names}")
        return chosen

    def lesson(self, which: str) -> Lesson:
        """The one lesson of this name. Raises CourseError if there is none, or more than one."""
        chosen = self.lessons(which)
        if len(chosen) != 1:
            raise CourseError(
                f"{which!r} names {len(chosen)} lessons; give one as WEEK/LESSON, for example {chosen[0].id}"
            )
        return chosen[0]
