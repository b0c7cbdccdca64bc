"""The first files of a lesson and of a course, from grader/templates: small and whole, to be rewritten by an author.

course.toml is edited, not written anew: its comments and its order stay. This module must not know how a lesson is built or run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import tomlkit
from jinja2 import Environment, StrictUndefined
from tomlkit.items import Table

from etude.files import write_whole
from grader.course import Course, CourseError, Lesson

LESSON = ("notebook.py", "checks.py", "hidden.py", "bank.py", "expected.csv")
FIRST = "week1_letters/bits"
TITLE = "Bits: how much a letter tells"
PAPER = "Shannon 1951, Prediction and Entropy of Printed English (BSTJ)"
LINK = "https://doi.org/10.1002/j.1538-7305.1951.tb01366.x"
MINUTES = 30
ID = re.compile(r"week\d+_[a-z0-9_]+/[a-z0-9_]+")
ENVIRONMENT = Environment(undefined=StrictUndefined, keep_trailing_newline=True)


def new_lesson(course: Course, name: str, title: str = "", paper: str = "", link: str = "") -> Lesson:
    """Writes the lesson WEEK/LESSON and its entry in course.toml.

    Args:
        title: of the lesson; if empty, the template's own, as for `paper` and `link`.

    Returns:
        The new lesson.

    Raises:
        CourseError: the name cannot be one, or the lesson is there.
    """
    if not ID.fullmatch(name):
        raise CourseError(
            f"{name!r} is no name of a lesson: write WEEK/LESSON in small letters, digits and _, "
            "the week beginning with its number, as in week1_embeddings/word2vec"
        )
    if name in {lesson.id for lesson in course.lessons()}:
        raise CourseError(f"{name} is in course.toml already: choose another name")
    folder = course.root / "solutions" / name
    if folder.exists():
        raise CourseError(f"{folder} exists, and course.toml has no such lesson: move it away, or list it there")
    _write(course.root, name, {"title": title or TITLE, "paper": paper or PAPER, "link": link or LINK})
    return Course(course.root).lesson(name)


def new_course(folder: Path, title: str) -> Lesson:
    """Writes a course with one lesson into a folder.

    Returns:
        The lesson.

    Raises:
        CourseError: the folder holds something already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(f"{folder} is not empty: name a folder that does not exist yet")
    values = {"title": json.dumps(title, ensure_ascii=False)}  # a string of JSON is one of TOML
    for name in ("course.toml", "nbgrader_config.py", "data/claims.csv", "data/mistakes.csv"):
        _render(f"course/{name}", folder / name, values)
    _render("course/gitignore", folder / ".gitignore", values)
    _write(folder, FIRST, {"title": TITLE, "paper": PAPER, "link": LINK})
    return Course(folder).lesson(FIRST)


def _write(root: Path, lesson: str, about: dict[str, str]) -> None:
    week, name = lesson.split("/")
    about = {key: " ".join(text.split()) for key, text in about.items()}  # a line each, whatever was pasted
    for file in LESSON:
        _render(f"lesson/{file}", root / "solutions" / lesson / file, {**about, "lesson": lesson, "name": name})
    _list(root / "course.toml", week, {"name": name, **about, "minutes": MINUTES})


def _render(template: str, path: Path, values: dict[str, str]) -> None:
    text = files("grader").joinpath("templates", template).read_text(encoding="utf-8")
    write_whole(path, ENVIRONMENT.from_string(text).render(values))


def _list(path: Path, week: str, entry: Mapping[str, str | int]) -> None:
    """Adds the lesson's entry to its week in course.toml, and the week if it is new."""
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    weeks = document.setdefault("weeks", tomlkit.aot())
    known = next((entry for entry in weeks if entry["name"] == week), None)
    if known is None:
        known = _table({"name": week, "title": week.partition("_")[2].replace("_", " ").capitalize()})
        weeks.append(known)
    lesson = _table(entry)
    if known is not weeks[-1]:  # the blank line at its week's end stands before it, and there is none yet behind it
        lesson.trivia.indent = ""
        lesson.add(tomlkit.nl())
    known.setdefault("lessons", tomlkit.aot()).append(lesson)
    write_whole(path, tomlkit.dumps(document))


def _table(values: Mapping[str, str | int]) -> Table:
    """Makes a table with a blank line before it."""
    table = tomlkit.table()
    table.update(values)
    table.trivia.indent = "\n"
    return table
