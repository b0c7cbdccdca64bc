"""`grader release`: a week as students get it, a folder and a zip that need nothing of the instructor's.

    build/packs/WEEK/   LESSON.ipynb, LESSON/          what grader build has released
                        etude-VERSION-….whl            the student's library, with the course's data and this week's checks
                        requirements.txt, environment.yml, .devcontainer/devcontainer.json
                        README.md                      one page
    build/packs/WEEK.zip

The version carries the hash of what is in the pack, so that pip takes a newer pack for another version. Equal contents
give the same bytes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jinja2
import tomlkit

import etude
from grader.course import ROOT, Course, CourseError, Lesson
from grader.lessons import source
from grader.provenance import fingerprint
from grader.release.leak_checks import Leak

PYTHON = "3.11"
DATE = 315_532_800  # 1980-01-01, the first that a zip can hold; files in a pack have no date of their own
LEFT_BEHIND = ("__pycache__", "*.pyc", ".ipynb_checkpoints", "results")
MADE_HERE = shutil.ignore_patterns(*LEFT_BEHIND)
# What the registries tell of evidence names hidden checks.
MADE_HERE_AND_REGISTRIES = shutil.ignore_patterns(*LEFT_BEHIND, *source.REGISTRIES)
PACKAGES = {"etude", "etude_data", "etude_weeks"}  # all that a wheel for students may hold
INSTRUCTORS = {"solutions", "grader", "hidden.py", "bank.py", "outcomes.json", "audit.json", "errors.csv"}
CONTAINER = {
    "image": f"mcr.microsoft.com/devcontainers/python:{PYTHON}",
    "postCreateCommand": "pip install -r requirements.txt",
}


def pack(course: Course, week: str) -> Path:
    """Makes the pack of a week, which has been built, and proves that it holds nothing of the instructor's; returns the zip.

    Raises:
        CourseError: the week has not been built, this is no clone, or the library's wheel cannot be made.
        Leak: something in the pack must stay with the instructor.
    """
    lessons = course.lessons(week)
    if missing := [lesson.id for lesson in lessons if not lesson.released.is_file()]:
        raise CourseError(f"{', '.join(missing)} are not built: run `grader build {week}`")
    folder = course.build / "packs" / week
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for lesson in lessons:
        shutil.copy(lesson.released, folder)
        shutil.copytree(lesson.released.with_suffix(""), folder / lesson.name, ignore=MADE_HERE)
    wheel = _wheel(course, week, folder)
    (folder / "requirements.txt").write_text(f"./{wheel.name}[lab]\n", encoding="utf-8")
    (folder / "environment.yml").write_text(_conda(wheel.name), encoding="utf-8")
    (folder / ".devcontainer").mkdir()
    (folder / ".devcontainer" / "devcontainer.json").write_text(
        json.dumps(CONTAINER, indent=1) + "\n", encoding="utf-8"
    )
    (folder / "README.md").write_text(_page(course, lessons, wheel), encoding="utf-8")
    zipped = folder.with_suffix(".zip")
    _zip(folder, zipped)
    prove(zipped, lessons)
    return zipped


def _wheel(course: Course, week: str, folder: Path) -> Path:
    """Builds the student's library with the course's data and this week, and nothing of the grader."""
    with TemporaryDirectory() as made:
        stage = Path(made)
        shutil.copytree(Path(etude.__file__).parent, stage / "etude", ignore=MADE_HERE)
        shutil.copytree(Path(str(files("etude_data"))), stage / "etude_data", ignore=MADE_HERE_AND_REGISTRIES)
        shutil.copytree(course.root / "weeks" / week, stage / "etude_weeks" / week, ignore=MADE_HERE)
        (stage / "etude_weeks" / "__init__.py").touch()
        project = _project(stage)
        held = fingerprint(tomlkit.dumps(project), data=sorted(path for path in stage.rglob("*") if path.is_file()))
        project["project"]["version"] += f"+{week.replace('_', '.')}.{held[:8]}"
        (stage / "pyproject.toml").write_text(tomlkit.dumps(project), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", "from setuptools.build_meta import build_wheel; build_wheel('dist')"],
            cwd=stage,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(DATE)},
            capture_output=True,
            text=True,
        )
        wheels = list((stage / "dist").glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            raise CourseError(f"the library's wheel cannot be made:\n{done.stderr.strip()[-2000:]}")
        return Path(shutil.copy(wheels[0], folder))


def _project(stage: Path) -> dict[str, Any]:
    """Writes pyproject.toml anew for the library alone: its dependencies, its command, every package of the stage."""
    try:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(
            f"{ROOT} is no clone of Etude: install it there with `pip install -e .` to make packs"
        ) from None
    about = {
        name: project["project"][name] for name in ("name", "version", "description", "requires-python", "dependencies")
    }
    about["optional-dependencies"] = {"lab": project["project"]["optional-dependencies"]["lab"]}
    about["scripts"] = {"etude": project["project"]["scripts"]["etude"]}
    packages = [path.parent.relative_to(stage) for path in sorted(stage.rglob("__init__.py"))]
    data = project["tool"]["setuptools"]["package-data"]
    return {
        "build-system": project["build-system"],
        "project": about,
        "tool": {
            "setuptools": {
                "packages": [".".join(path.parts) for path in packages if path.parts[0] in PACKAGES],
                "package-data": {name: data[name] for name in ("etude_data", "etude_weeks")},
            }
        },
    }


def _conda(wheel: str) -> str:
    return f'name: etude\ndependencies:\n  - python={PYTHON}\n  - pip\n  - pip:\n      - "./{wheel}[lab]"\n'


def _page(course: Course, lessons: list[Lesson], wheel: Path) -> str:
    template = files("grader").joinpath("templates", "pack", "README.md").read_text(encoding="utf-8")
    page = jinja2.Environment(keep_trailing_newline=True, undefined=jinja2.StrictUndefined).from_string(template)
    return page.render(
        title=course.file.title,
        week=lessons[0].week.title,
        folder=lessons[0].week.name,
        lessons=[lesson.entry for lesson in lessons],
        repository=course.file.repository,
        version=wheel.name.split("-")[1],
    )


def _zip(folder: Path, zipped: Path) -> None:
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}")  # dated 1980
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


def prove(zipped: Path, lessons: Iterable[Lesson]) -> None:
    """Proves that a pack holds nothing of solutions/ and of the grader.

    No file of it, the wheel's among them, lies in an instructor's folder or has the name of an instructor's file; the wheel
    has the student's packages alone; no text has the name of a hidden check.

    Raises:
        Leak: the pack holds such a thing; the error names the file.
    """
    hidden = {check.name for lesson in lessons for check in source.checks(lesson) if check.hidden}
    names_a_hidden_check = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in sorted(hidden)) or r"(?!)")
    for name, content in _contents(zipped):
        if found := INSTRUCTORS & set(name.split("/")):
            raise Leak(f"{zipped.name}: {name} must not be released ({', '.join(sorted(found))})")
        if told := names_a_hidden_check.search(content.decode("utf-8", "ignore")):
            raise Leak(f"{zipped.name}: {name} names {told[0]}, a hidden check")


def _contents(zipped: Path) -> Iterable[tuple[str, bytes]]:
    """Yields each file of the pack, those in the wheel too: (name, content)."""
    with zipfile.ZipFile(zipped) as archive:
        for name in archive.namelist():
            if not name.endswith(".whl"):
                yield name, archive.read(name)
                continue
            with archive.open(name) as packed, zipfile.ZipFile(packed) as wheel:
                for inner in wheel.namelist():
                    if inner.split("/")[0] not in PACKAGES and ".dist-info/" not in inner:
                        raise Leak(f"{zipped.name}: the wheel holds {inner}, which is not the student's")
                    yield inner, wheel.read(inner)
