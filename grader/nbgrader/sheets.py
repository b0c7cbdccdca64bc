"""A platform's own grading sheet, filled with the scores of nbgrader's gradebook: Canvas's gradebook, Moodle's worksheet.

The platform knows who is who, so its sheet is what comes back: every column and row stays as it was, but for the
grades of students whose submission is in the gradebook. A student is found by the number that `uploads` kept of the platform's
name (Canvas: the column ID, Moodle: Identifier), else by login, e-mail or its part before the @, else by the id as it is.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from etude.files import write_whole
from grader.course import CourseError

NUMBERED = ("ID", "Identifier")  # Canvas's and Moodle's columns with the number that uploads carry
NAMED = ("SIS Login ID", "SIS User ID", "Username", "ID number", "Email address", "Student")
MOODLES_GRADE, MOODLES_BEST = "Grade", "Maximum Grade"


@dataclass(frozen=True)
class Total:
    """A student's points in an assignment, penalties taken off, and whether a person has still to grade a part."""

    score: float
    points: float
    waits: bool


@dataclass
class Filled:
    """What came of a sheet: where it is, how many rows got a grade, and who was left out for what reason."""

    path: Path
    rows: int = 0
    notes: list[str] = field(default_factory=list)


def totals(database: Path, assignment: str) -> dict[str, Total]:
    """Reads the scores of an assignment: student → total.

    Raises:
        CourseError: there is no gradebook, or no such assignment in it.
    """
    if not database.is_file():
        raise CourseError(f"{database} is not there: grade the class first (grader autograde {assignment})")
    with Gradebook(f"sqlite:///{database}") as book:
        try:
            submissions = book.find_assignment(assignment).submissions
        except MissingEntry:
            raise CourseError(f"the gradebook has no assignment {assignment}: grade the class first") from None
        return {
            one.student.id: Total(
                max(0.0, one.score - (one.late_submission_penalty or 0.0)), one.max_score, bool(one.needs_manual_grade)
            )
            for one in submissions
        }


def fill(sheet: Path, scores: Mapping[str, Total], out: Path, column: str = "") -> Filled:
    """Writes the sheet with the scores in it.

    Args:
        column: the column of the grades; without it Moodle's Grade, else the only one of Canvas's with a number in brackets.

    Raises:
        CourseError: the sheet is no CSV with a row of names, or it is not clear which column or which columns tell students apart.
    """
    rows, names, mark = _read(sheet)
    grades = _column(sheet, names, column)
    known = dict(_keys(scores))
    done, given = Filled(out), set[str]()
    for row in rows:
        if (student := _student(row, known)) is None:
            continue
        if student in given:
            done.notes.append(f"{student} has more than one row: the first got the grade")
            continue
        total = scores[student]
        given.add(student)
        if MOODLES_BEST in row and _number(row[MOODLES_BEST]) not in (None, total.points):
            best = float(row[MOODLES_BEST])
            row[grades] = f"{total.score / total.points * best:.2f}" if total.points else "0.00"
        else:
            row[grades] = f"{total.score:g}"
        done.rows += 1
    done.notes += [
        f"{student} is in the gradebook and in no row of the sheet" for student in scores if student not in given
    ]
    done.notes += [f"{student} waits for a person to grade answers" for student in scores if scores[student].waits]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(out, mark + text.getvalue())
    return done


def _read(sheet: Path) -> tuple[list[dict[str, str]], list[str], str]:
    """Reads rows, names of columns, and the mark of UTF-8 that spreadsheets put before a file."""
    try:
        text = sheet.read_bytes().decode()  # line ends as they are
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        reader = csv.DictReader(io.StringIO(text.removeprefix(mark), newline=""), strict=True, restkey="", restval="")
        rows = list(reader)
    except FileNotFoundError:
        raise CourseError(f"{sheet} is not there") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{sheet} is no CSV in UTF-8 ({error}): export it anew") from None
    names = list(reader.fieldnames or [])
    if not rows or len(set(names)) != len(names) or any("" in row for row in rows):
        raise CourseError(f"{sheet} is no sheet of grades: it needs a row of names, each once, and rows of that length")
    if not set(names) & {*NUMBERED, *NAMED}:
        raise CourseError(f"{sheet} does not say whose a row is: it needs one of {', '.join((*NUMBERED, *NAMED))}")
    return rows, names, mark


def _column(sheet: Path, names: list[str], column: str) -> str:
    if column:
        if column not in names:
            raise CourseError(f"{sheet} has no column {column!r}; there are {', '.join(names)}")
        return column
    if MOODLES_GRADE in names:
        return MOODLES_GRADE
    assignments = [name for name in names if re.search(r"\(\d+\)$", name)]
    if len(assignments) != 1:
        raise CourseError(f"give --column: which of {', '.join(assignments or names)} holds the grades?")
    return assignments[0]


def _keys(scores: Mapping[str, Total]) -> Iterator[tuple[str, str]]:
    """Yields what a row may say of a student, and the student."""
    for student in scores:
        yield student.lower(), student
        if number := re.search(r"_(\d+)$", student):
            yield f"#{number[1]}", student


def _student(row: Mapping[str, str], known: Mapping[str, str]) -> str | None:
    """Finds whose row it is."""
    for name in NUMBERED:
        if (number := re.search(r"(\d+)$", row.get(name, ""))) and (found := known.get(f"#{number[1]}")):
            return found
    for name in NAMED:
        said = row.get(name, "").strip().lower()
        if said and (found := known.get(said) or known.get(said.partition("@")[0])):
            return found
    return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
