"""Where things lie in a course: course.toml, the lessons and the files of each. Knows paths, reads no lesson."""

from __future__ import annotations

import tomllib
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.sandbox.limits import Limits, LimitsError

ROOT = Path(__file__).resolve().parent.parent


# What a submission may spend: so many times what the reference spends, and in any case so many seconds.
TIME_LIMITS = {"times": 20, "cell_seconds": 30, "notebook_seconds": 90}


class CourseError(Exception):
    """The course's own files are wrong, or no such lesson exists; the message says which and what to do."""


def sandbox_limits(limits: dict[str, int], where: str) -> dict[str, int]:
    """Picks those of the limits that are the sandbox's.

    Args:
        where: the place where the limits are set, for the error.

    Raises:
        CourseError: a limit makes no sense.
    """
    given = {name: value for name, value in limits.items() if name not in TIME_LIMITS}
    try:
        Limits.from_dict(given)
    except LimitsError as error:
        raise CourseError(f"{where}: {error}") from None
    for name, value in limits.items():
        if name in TIME_LIMITS and value < 1:
            raise CourseError(f"{where}: {name} = {value}: write a whole number above 0")
    for name in ("cpu_s", "wall_s"):
        if given.get(name, limits["notebook_seconds"] + 1) <= limits["notebook_seconds"]:
            raise CourseError(
                f"{where}: {name} = {given[name]} leaves nothing for the checks, since a notebook may spend "
                f"{limits['notebook_seconds']} s (notebook_seconds): write more, or leave {name} out"
            )
    return given


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
    repository: str = Field("", pattern=r"^([\w.-]+/[\w.-]+)?$")  # OWNER/NAME on GitHub, where students find the packs
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
        """solutions/WEEK/LESSON: notebook.py, checks.py, hidden.py, bank.py, expected.csv, and perhaps data/."""
        return self.course.root / "solutions" / self.week.name / self.name

    @property
    def data(self) -> list[Path]:
        """The lesson's own small data files, data/** beside its source; they are released with it."""
        return sorted(path for path in (self.source / "data").rglob("*") if path.is_file())

    @property
    def master(self) -> Path:
        """The notebook with solutions, nbgrader's source."""
        return self.course.build / "source" / self.week.name / f"{self.name}.ipynb"

    @property
    def released(self) -> Path:
        """The student's notebook; its public files lie in the folder of the same name beside it."""
        return self.course.root / "weeks" / self.week.name / f"{self.name}.ipynb"

    def run_folder(self, profile: str, seed: int) -> Path:
        """Names the folder where an executed reference and its results lie."""
        return self.course.build / "runs" / self.id / f"{profile}-seed{seed}"

    @property
    def limits(self) -> dict[str, int]:
        """The course's limits, overruled by the lesson's: TIME_LIMITS, and any of grader.sandbox.Limits."""
        return {**TIME_LIMITS, **self.course.file.limits, **self.entry.limits}

    @property
    def sandbox_limits(self) -> dict[str, int]:
        """The limits that are set for the sandbox. Raises CourseError for one that makes no sense."""
        return sandbox_limits(self.limits, f"course.toml, limits of {self.id}")


class Course:
    """The course at `root`; without one, the course that the working folder lies in, else the one of this package."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = (root or _around(Path.cwd()) or ROOT).resolve()
        self.build = self.root / "build"

    @cached_property
    def file(self) -> CourseFile:
        path = self.root / "course.toml"
        try:
            return CourseFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise CourseError(
                f"{path} is missing: run the command in a course's folder, or make one: grader new-course FOLDER"
            ) from None
        except (tomllib.TOMLDecodeError, ValidationError) as error:
            raise CourseError(f"{path} is not right: {error}") from None

    def lessons(self, which: str = "") -> list[Lesson]:
        """Lists all lessons, those of one week ("week1_embeddings") or one ("week1_embeddings/word2vec").

        Raises:
            CourseError: there is no week or lesson of this name.
        """
        everything = [Lesson(self, week, entry) for week in self.file.weeks for entry in week.lessons]
        if not which:
            return everything
        chosen = [lesson for lesson in everything if which in (lesson.id, lesson.week.name, lesson.name)]
        if not chosen:
            names = ", ".join(lesson.id for lesson in everything)
            raise CourseError(f"there is no week or lesson {which!r} in course.toml; there are {names}")
        return chosen

    def lesson(self, which: str) -> Lesson:
        """Finds the one lesson of this name.

        Raises:
            CourseError: there is none of this name, or more than one.
        """
        chosen = self.lessons(which)
        if len(chosen) != 1:
            raise CourseError(
                f"{which!r} names {len(chosen)} lessons; give one as WEEK/LESSON, for example {chosen[0].id}"
            )
        return chosen[0]


def _around(folder: Path) -> Path | None:
    """Finds the nearest folder from this one upwards that holds a course.toml."""
    return next((place for place in (folder, *folder.parents) if (place / "course.toml").is_file()), None)
