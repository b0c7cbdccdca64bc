"""`grader build`: from a lesson's source to the student's notebook, through nbgrader's own release step.

    solutions/WEEK/LESSON/notebook.py  →  build/source/WEEK/LESSON.ipynb   with solutions, nbgrader's metadata
                                       →  weeks/WEEK/LESSON.ipynb          nbgrader generate_assignment

Beside each notebook lie the lesson's public files: checks, expected table, outcomes of known mistakes. What the hidden
checks make of these mistakes stays beside the source, for the grader alone. After the release step the proofs of
grader.release.leak_checks are run: what is released holds no solution.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from etude.files import write_whole
from etude.lesson import table
from grader.course import Course, CourseError, Lesson
from grader.lessons import source
from grader.lessons.known_mistakes import PRIVATE
from grader.nbgrader import config, gradebook
from grader.provenance import digest, fingerprint, modules, versions
from grader.release import known_mistakes
from grader.release.leak_checks import prove_release

GRADING_PROFILE = "smoke"
STATE = {".py", ".csv", ".json", ".ipynb"}  # files that a release depends on
RECORDS = {"audit.json", "errors.csv"}  # what was measured of a lesson: no release depends on it
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}


def check_points(lesson: Lesson) -> dict[str, float]:
    """Sums the points of each exercise's checks, public and hidden: exercise → points.

    Raises:
        CourseError: a check is for an exercise that the notebook does not have.
    """
    points = dict.fromkeys(source.exercises(source.read(lesson)), 0.0)
    for check in source.checks(lesson):
        if check.exercise not in points:
            raise CourseError(f"{lesson.id}: {check.name} is for {check.exercise!r}, which the notebook does not have")
        points[check.exercise] += check.points
    return points


def metric_points(lesson: Lesson) -> float:
    """Sums the points of the metrics table in the profile that is graded."""
    rows = table.of_profile(table.read(lesson.source / "expected.csv"), GRADING_PROFILE)
    return sum(row.points for row in rows.values())


def master(lesson: Lesson) -> NotebookNode:
    """Builds the notebook with solutions and nbgrader's metadata.

    Raises:
        CourseError: the parts do not fit together.
    """
    notebook = source.read(lesson)
    points = check_points(lesson)
    checked, names = [], set[str]()
    for part, cell in source.parts(notebook):
        name, worth = part.name, part.points
        grade = solution = False
        if part.kind == "exercise":
            source.split_solution(cell.source)
            solution = True
        elif part.kind == "check":
            if name not in points:
                raise CourseError(f"{lesson.id}: check({name!r}) stands for no exercise")
            checked.append(name)
            grade, worth, name = True, points[name], f"check_{name}"
        elif part.kind == "metrics":
            grade, worth = True, metric_points(lesson)
        elif part.kind == "answer":
            source.split_solution(cell.source)
            grade = solution = True
        elif part.kind not in ("parameters", "setup"):
            continue
        if name in names:
            raise CourseError(f"{lesson.id}: two cells are called {name!r}: rename the exercise or the question")
        names.add(name)
        tags = cell.metadata.get("tags", [])
        cell.metadata.clear()
        if tags:
            cell.metadata["tags"] = tags
        cell.metadata["nbgrader"] = {
            "grade": grade,
            "solution": solution,
            "locked": not solution,
            "grade_id": name,
            "schema_version": 3,
            "task": False,
            "cell_type": cell.cell_type,
        }
        if grade:
            cell.metadata["nbgrader"]["points"] = worth
    if sorted(checked) != sorted(points):
        raise CourseError(
            f"{lesson.id}: each exercise needs one check(...) cell; exercises {sorted(points)}, checks {sorted(checked)}"
        )
    notebook.metadata.clear()
    notebook.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata["language_info"] = LANGUAGE
    nbformat.validate(notebook)
    return notebook


def write_master(lesson: Lesson) -> None:
    """Writes build/source/WEEK/LESSON.ipynb, the public files beside it, and the grader's outcomes.json beside the source."""
    support = lesson.master.parent / lesson.name
    shutil.rmtree(support, ignore_errors=True)
    support.mkdir(parents=True)
    nbformat.write(master(lesson), lesson.master)
    source.copy_public(lesson, support)
    known_mistakes.write(lesson, support / "mistakes.json")


def build(course: Course, lessons: Iterable[Lesson], say: Callable[[str], None] = print) -> None:
    """Builds the weeks of these lessons and proves that what is released holds no solution.

    A week of which nothing has changed since it was last built and proved here stays as it is. A build in which a source
    changed halfway does not count: some of what it wrote may be made from the old one.

    Args:
        say: is told of each week and lesson in a sentence.

    Raises:
        CourseError: a lesson cannot be built, what was released does not pass the proofs, or a source changed meanwhile.
    """
    for week in dict.fromkeys(lesson.week.name for lesson in lessons):
        of_week = course.lessons(week)
        if is_as_built(course, week):
            say(f"{week}: unchanged since it was built, nothing leaks")
            continue
        sources = _sources(course, week)
        _remove_others(of_week)
        for lesson in of_week:
            _prove_measured(lesson)
            write_master(lesson)
            say(f"{lesson.id}: notebook, checks, tables, known mistakes")
        config.release(course, week)
        for lesson in of_week:
            prove_release(lesson)
            say(f"{lesson.id}: released, nothing leaks")
        if _sources(course, week) != sources:
            raise CourseError(
                f"{week}: its sources or the library changed while it was built: run the command once more"
            )
        write_whole(_stamp(course, week, course.root), _state(course, week))


def _remove_others(of_week: Sequence[Lesson]) -> None:
    """Removes what was made for lessons that the week no longer has: nbgrader releases every notebook of its source folder.

    The notebook goes last: after a kill the next build finds by it what is left.
    """
    masters = {lesson.master for lesson in of_week}
    for master in set(of_week[0].master.parent.glob("*.ipynb")) - masters:
        shutil.rmtree(master.with_suffix(""), ignore_errors=True)
        master.unlink()


def release_to(course: Course, week: str, home: Path) -> None:
    """Makes the week, which has been built, known to the gradebook of a class, unless it knows it as it is now."""
    stamp, state = _stamp(course, week, home), _state(course, week)
    if not (_holds(stamp, state) and gradebook.knows(course, home, week)):
        config.release(course, week, home)
        write_whole(stamp, state)


def is_as_built(course: Course, week: str) -> bool:
    """Tells whether the week was built and proved here and nothing of it has changed since."""
    there = all(lesson.master.is_file() and lesson.released.is_file() for lesson in course.lessons(week))
    return there and _holds(_stamp(course, week, course.root), _state(course, week))


def _holds(stamp: Path, state: str) -> bool:
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == state


def _stamp(course: Course, week: str, home: Path) -> Path:
    """Names the file that keeps which state of the week was released into the class at `home`."""
    return course.build / "released" / digest(str(home.resolve()))[:16] / f"{week}.txt"


def _state(course: Course, week: str) -> str:
    """Hashes what a release is made of and what was made: the released files, the outcomes of wrong answers."""
    outcomes = sorted((course.root / "solutions" / week).rglob(PRIVATE))
    return fingerprint(_sources(course, week), data=[*outcomes, *_files(course.root / "weeks" / week)])


def _sources(course: Course, week: str) -> str:
    """Hashes what a release is made of: which lessons there are, their sources, libraries, the course's data."""
    names = [lesson.id for lesson in course.lessons(week)]
    lessons = [path for path in _files(course.root / "solutions" / week) if path.name != PRIVATE]
    code = modules("etude", "grader.lessons", "grader.release", "grader.nbgrader", "grader.course")
    return fingerprint(versions(), names, code=code, data=[*lessons, *_files(Path(str(files("etude_data"))))])


def _files(folder: Path) -> list[Path]:
    """Lists the files below a folder that a release depends on, sorted."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if (path.suffix in STATE or "data" in path.parts) and path.name not in RECORDS and path.is_file()
    ]


def _prove_measured(lesson: Lesson) -> None:
    """Raises CourseError for a metric that earns points in the graded profile and was never measured."""
    rows = table.of_profile(table.read(lesson.source / "expected.csv"), GRADING_PROFILE)
    if unmeasured := [row.metric for row in rows.values() if row.points and not row.seeds]:
        command = f"grader calibrate {lesson.id} --profile {GRADING_PROFILE}"
        raise CourseError(f"{lesson.id}: {', '.join(unmeasured)} earn points but were never measured: run `{command}`")
