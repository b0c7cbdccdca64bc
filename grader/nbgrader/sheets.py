"""A platform's own grading sheet, filled with the scores of nbgrader's gradebook: Canvas's gradebook, Moodle's worksheet.

The platform knows who is who, so its sheet is what comes back: every column and row stays as it was, but for the
grades of students whose submission is in the gradebook. A student is found by login, e-mail or id as it stands, else by the number
that `uploads` kept of the platform's name (Canvas: the column ID, Moodle: Identifier), else by its letters and digits, else by those
of an e-mail before the @. Where that names two rows or two students, nobody is found; nor where id and number name different rows.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from nbgrader.api import Gradebook, MissingEntry

from etude.files import write_whole
from grader.course import CourseError

NUMBERED = ("ID", "Identifier")  # Canvas's and Moodle's columns with the number that uploads carry
NAMED = ("SIS Login ID", "SIS User ID", "Username", "ID number", "Email address", "Student")
MOODLES_GRADE, MOODLES_BEST = "Grade", "Maximum Grade"
CANVAS_BEST = "Points Possible"  # stands among the students, and each assignment's maximum beside it
NUMBER = re.compile(r"\d+(\.\d+|,\d\d?)?")  # a comma before three digits might part thousands

Row = dict[str, str]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Total:
    """A student's points in an assignment, penalties taken off, and whether a person has still to grade a part."""

    score: float
    points: float
    waits: bool


@dataclass(frozen=True)
class Filled:
    """What came of a sheet: where it is, how many rows got a grade, and who was left out for what reason."""

    path: Path
    rows: int
    notes: list[str]


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
        CourseError: the sheet is no CSV with a row of names, or it is not clear which column or which columns tell students apart,
            or what its maximum is.
    """
    rows, names, mark = _read(sheet)
    grades = _column(sheet, names, column)
    heads = [row for row in rows if row.get("Student", "").strip() == CANVAS_BEST]
    best = heads[0][grades] if heads else ""
    found, notes = _found([row for row in rows if row not in heads], scores)
    for student, row in found.items():
        row[grades] = _grade(scores[student], row.get(MOODLES_BEST, best).strip())
    notes += [f"{student} waits for a person to grade answers" for student in scores if scores[student].waits]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(out, mark + text.getvalue())
    return Filled(out, len(found), notes)


def _read(sheet: Path) -> tuple[list[Row], list[str], str]:
    """Reads rows, names of columns, and the mark of UTF-8 that spreadsheets put before a file."""
    try:
        text = sheet.read_bytes().decode()  # line ends as they are
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        reader = csv.DictReader(io.StringIO(text.removeprefix(mark), newline=""), strict=True, restkey="", restval="")
        rows = list(reader)
    except OSError as error:
        raise CourseError(f"{sheet} cannot be read ({error.strerror})") from None
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


def _found(rows: Sequence[Row], scores: Iterable[str]) -> tuple[dict[str, Row], list[str]]:
    """Finds the students' rows, in the surest way first.

    Returns:
        By student, the row that is theirs; a sentence for each student without one.
    """
    students, numbers = list(scores), list(range(len(rows)))
    found, disputed = dict[str, Row](), _disputed(rows, students)
    notes = [
        f"{student}: its id and its number stand in different rows; give the grade by hand" for student in disputed
    ]
    for column, of_row, of_student in WAYS:
        said = _grouped({number: of_row(rows[number].get(column, "")) for number in numbers})
        for key, named in _grouped({student: of_student(student) for student in students}).items():
            if not (theirs := said.get(key)):
                continue
            others = [student for student in named if student not in disputed]
            if len(named) == len(theirs) == len(others) == 1:
                found[named[0]] = rows[theirs[0]]
            elif others:
                why = f"it is not clear which row is whose ({column}: {key})"
                notes.append(f"{', '.join(others)}: {why}; give the grade by hand")
            students = [student for student in students if student not in others]
            numbers = [number for number in numbers if number not in theirs]
    missing = [student for student in students if student not in disputed]
    return found, notes + [f"{student} is in the gradebook and in no row of the sheet" for student in missing]


def _disputed(rows: Sequence[Row], students: Iterable[str]) -> list[str]:
    """Lists the students of whom the id as it stands is in other rows than its number, which may be a login's own."""
    wholes, numbered = dict[str, set[int]](), dict[str, set[int]]()
    for number, row in enumerate(rows):
        for column in NAMED:
            wholes.setdefault(_as_it_stands(row.get(column, "")), set()).add(number)
        for column in NUMBERED:
            numbered.setdefault(_number_of_row(row.get(column, "")), set()).add(number)
    wholes.pop("", None)
    numbered.pop("", None)
    pairs = {one: (wholes.get(_as_it_stands(one)), numbered.get(_number_of_student(one))) for one in students}
    return [one for one, (whole, number) in pairs.items() if whole and number and whole != number]


def _grouped(keys: Mapping[Item, str]) -> dict[str, list[Item]]:
    """Sorts the items by their key; leaves out those without one."""
    groups: dict[str, list[Item]] = {}
    for item, key in keys.items():
        if key:
            groups.setdefault(key, []).append(item)
    return groups


def _number_of_row(text: str) -> str:
    found = re.search(r"\d+$", text)
    return found[0] if found else ""


def _number_of_student(student: str) -> str:
    found = re.search(r"_(\d+)$", student)
    return found[1] if found else ""


def _as_it_stands(text: str) -> str:
    return text.strip().lower()


def _plain(text: str) -> str:
    """Keeps what uploads keep of a name: letters, digits, - and _."""
    return re.sub(r"[^\w-]+", "-", text).strip("-_").lower()


def _before_the_at(text: str) -> str:
    return _plain(text.partition("@")[0])


# In which column to look for what of a student, from the surest to the least sure.
WAYS = (
    *((column, _as_it_stands, _as_it_stands) for column in NAMED),
    *((column, _number_of_row, _number_of_student) for column in NUMBERED),
    *((column, _plain, _plain) for column in NAMED),
    *((column, _before_the_at, _plain) for column in NAMED),
)


def _grade(total: Total, best: str) -> str:
    """Writes a student's points as the platform counts them: of its own maximum, with a comma where that has one.

    Raises:
        CourseError: the maximum is no number.
    """
    if best and not NUMBER.fullmatch(best):
        raise CourseError(f"the sheet's maximum is {best!r}: write a number without marks between thousands there")
    most = float(best.replace(",", ".") or 0)
    if most in (0, total.points):
        grade = f"{total.score:g}"
    else:
        grade = f"{total.score / total.points * most:.2f}" if total.points else "0.00"
    return grade.replace(".", ",") if "," in best else grade
