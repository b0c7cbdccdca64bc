"""A platform's sheet comes back as it was, with the grades of those who are in the gradebook."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from grader.cli import app
from grader.course import CourseError
from grader.nbgrader.sheets import Total, fill, totals

SCORES = {
    "kimada_123": Total(17.5, 20, waits=False),
    "김하나_124": Total(20, 20, waits=True),
    "octocat": Total(3, 20, waits=False),
    "gone_999": Total(1, 20, waits=False),
}
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Week 1 (4711)
    Points Possible,,,,,20
"Kim, Ada",123,u1,kimada,A,
"김, 하나",124,u2,hana,A,
"Cat, Octo",7,u3,OctoCat@example.edu,A,5
"Else, Somebody",8,u4,else,A,
"""
MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade)
Participant 123,Kim Ada,a@example.edu,Submitted for grading,,100.00,-
Participant 124,김하나,b@example.edu,Submitted for grading,,100.00,-
"""


def filled(folder: Path, text: str, column: str = "") -> tuple[list[dict[str, str]], list[str]]:
    (folder / "sheet.csv").write_text(text, encoding="utf-8")
    done = fill(folder / "sheet.csv", SCORES, folder / "out.csv", column)
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)), done.notes


def test_canvas_rows_are_found_by_number_and_by_login(tmp_path: Path) -> None:
    rows, notes = filled(tmp_path, CANVAS)
    assert [row["Week 1 (4711)"] for row in rows] == ["20", "17.5", "20", "3", ""]
    assert [row["Student"] for row in rows] == [
        "    Points Possible",
        "Kim, Ada",
        "김, 하나",
        "Cat, Octo",
        "Else, Somebody",
    ]
    assert notes == [
        "gone_999 is in the gradebook and in no row of the sheet",
        "김하나_124 waits for a person to grade answers",
    ]


def test_moodles_maximum_is_what_all_points_are_worth(tmp_path: Path) -> None:
    rows, notes = filled(tmp_path, MOODLE)
    assert [row["Grade"] for row in rows] == ["87.50", "100.00"]
    assert "octocat is in the gradebook and in no row of the sheet" in notes


def test_a_mark_at_the_beginning_and_other_columns_stay(tmp_path: Path) -> None:
    rows, _ = filled(tmp_path, "\ufeff" + MOODLE)
    assert (tmp_path / "out.csv").read_bytes().startswith(b"\xef\xbb\xbfIdentifier,")
    assert list(rows[0].values())[1:4] == ["Kim Ada", "a@example.edu", "Submitted for grading"]


def grades(folder: Path, text: str, *students: str) -> tuple[list[str], list[str]]:
    """What the rows get in the column Grade if each of the students has 15 of 20 points, and the notes."""
    (folder / "sheet.csv").write_text(text, encoding="utf-8")
    scores = dict.fromkeys(students, Total(15, 20, waits=False))
    done = fill(folder / "sheet.csv", scores, folder / "out.csv", "Grade")
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        return [row["Grade"] for row in csv.DictReader(file)], done.notes


@pytest.mark.parametrize(
    ("best", "grade"),
    [
        ("100.00", "75.00"),
        ("100,00", "75,00"),
        ("20", "15"),
        ("20,0", "15"),
        ("40,0", "30,00"),
        ("0", "15"),
        ("", "15"),
    ],
)
def test_the_maximum_is_the_platforms_own(tmp_path: Path, best: str, grade: str) -> None:
    canvas = f'Student,ID,Grade\nManual Posting,,\n    Points Possible,,"{best}"\n"Kim, Ada",123,\n'
    assert grades(tmp_path, canvas, "kimada_123")[0][2] == grade
    moodle = f'Identifier,Grade,Maximum Grade\nParticipant 123,,"{best}"\n'
    assert grades(tmp_path, moodle, "kimada_123")[0] == [grade]


@pytest.mark.parametrize("best", ["1,000.00", "1,000", "1.000,00", "(read only)", "nan"])
def test_a_maximum_that_is_no_plain_number_is_refused(tmp_path: Path, best: str) -> None:
    with pytest.raises(CourseError, match="without marks between thousands"):
        grades(tmp_path, f'Student,ID,Grade\nPoints Possible,,"{best}"\nx,123,\n', "kimada_123")
    assert not (tmp_path / "out.csv").exists()


def test_points_possible_is_no_student(tmp_path: Path) -> None:
    text = "Student,ID,Grade\nPoints Possible,,20\n"
    assert grades(tmp_path, text, "points possible")[0] == ["20"]


@pytest.mark.parametrize("login", ["kim.ada", "Kim.Ada@example.edu", "kim ada"])
def test_a_login_is_found_as_uploads_write_it(tmp_path: Path, login: str) -> None:
    assert grades(tmp_path, f"SIS Login ID,Grade\n{login},\nkim.bora,\n", "kim-ada")[0] == ["15", ""]


def test_a_name_that_two_people_share_is_nobodys(tmp_path: Path) -> None:
    shared = "Email address,Grade\nkim@a.edu,\nkim@b.edu,\nlee@a.edu,\n"
    found, notes = grades(tmp_path, shared, "kim", "lee")
    assert found == ["", "", "15"]
    assert notes == ["kim: it is not clear which row is whose (Email address: kim); give the grade by hand"]
    found, notes = grades(tmp_path, "SIS Login ID,Grade\nkim ada,\n", "kim-ada", "kim.ada")
    assert found == [""]
    assert notes[0].startswith("kim-ada, kim.ada: it is not clear")


def test_the_surer_way_to_find_a_row_comes_first(tmp_path: Path) -> None:
    rows = "Username,Email address,Grade\nada,kim@a.edu,\nkim,lee@a.edu,\nbora,lee@b.edu,\n"
    assert grades(tmp_path, rows, "kim", "ada", "lee")[0] == ["15", "15", "15"]


def test_of_two_rows_with_one_number_none_gets_the_grade(tmp_path: Path) -> None:
    rows, notes = filled(tmp_path, "ID,Week (1)\n123,\n123,\n")
    assert [row["Week (1)"] for row in rows] == ["", ""]
    assert notes[0].startswith("kimada_123: it is not clear which row is whose (ID: 123)")


def test_an_id_that_stands_in_the_sheet_comes_before_a_number_at_its_end(tmp_path: Path) -> None:
    rows = "Identifier,ID number,Grade\nParticipant 11,kim_11,\nParticipant 30,kim_ada,\n"
    note = "park_30 is in the gradebook and in no row of the sheet"
    assert grades(tmp_path, rows, "park_30", "kim_11", "kim_ada") == (["15", "15"], [note])


def test_where_id_and_number_name_different_rows_neither_is_filled(tmp_path: Path) -> None:
    rows = "Identifier,ID number,Grade\nParticipant 12,lee,\nParticipant 30,kim_12,\nParticipant 31,bora,\n"
    note = "kim_12: its id and its number stand in different rows; give the grade by hand"
    assert grades(tmp_path, rows, "kim_12", "bora") == (["", "", "15"], [note])
    assert grades(tmp_path, rows, "kim_12", "lee") == (["15", "", ""], [note])
    found, notes = grades(tmp_path, rows, "kim_12", "park_12")
    assert found == ["", "", ""]
    assert notes == [note, "park_12: it is not clear which row is whose (Identifier: 12); give the grade by hand"]


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("", "", "no sheet of grades"),
        ("ID,Grade\n", "", "no sheet of grades"),
        ("ID,ID\n1,2\n", "", "each once"),
        ("ID,Grade\n1,2,3\n", "", "rows of that length"),
        ('ID,Grade\n"1,2\n', "", "no CSV"),
        ("Name,Grade\nx,1\n", "", "whose a row is"),
        ("ID,A (1),B (2)\n1,,\n", "", r"which of A \(1\), B \(2\)"),
        ("ID,A (1)\n1,\n", "C", "has no column 'C'"),
    ],
)
def test_a_sheet_that_makes_no_sense_is_refused(tmp_path: Path, text: str, column: str, said: str) -> None:
    with pytest.raises(CourseError, match=said):
        filled(tmp_path, text, column)
    assert not (tmp_path / "out.csv").exists()


def test_a_folder_is_no_sheet(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="cannot be read"):
        fill(tmp_path, SCORES, tmp_path / "out.csv")
    for folder in (str(tmp_path), ".", "/"):
        done = CliRunner().invoke(app, ["export", "week1_words", folder], env={"COLUMNS": "200"})
        assert (done.exit_code, type(done.exception)) == (2, SystemExit)
        assert "is a directory" in done.output


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").write_bytes("ID,이름\n1,김\n".encode("cp949"))
    with pytest.raises(CourseError, match="no CSV in UTF-8"):
        fill(tmp_path / "sheet.csv", SCORES, tmp_path / "out.csv")


cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r\n"), max_size=8)


@given(st.lists(st.tuples(st.integers(0, 10**6), cells, cells), min_size=1, max_size=5))
def test_what_is_no_grade_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("sheet")
    with (folder / "sheet.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("ID", "Student", "note", "Grade"), *((n, a, b, "") for n, a, b in rows)])
    fill(folder / "sheet.csv", {"ada_5": Total(1, 2, waits=False)}, folder / "out.csv")
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        _, *found = csv.reader(file)
    assert [row[:3] for row in found] == [[str(n), a, b] for n, a, b in rows]


def test_the_command_takes_penalties_off_and_says_what_it_left_out(tmp_path: Path) -> None:
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        book.add_assignment("week1_words")
        book.add_notebook("sums", "week1_words")
        book.add_grade_cell("check", "sums", "week1_words", max_score=20, cell_type="code")
        for student, score, penalty in (("kimada_123", 18, 3), ("lee_5", 9, 0)):
            book.add_student(student)
            made = book.add_submission("week1_words", student, timestamp=datetime(2026, 1, 1))
            made.notebooks[0].late_submission_penalty = penalty
            grade = book.find_grade("check", "sums", "week1_words", student)
            grade.auto_score, grade.needs_manual_grade = score, False
        book.db.commit()
    assert totals(tmp_path / "gradebook.db", "week1_words")["kimada_123"] == Total(15, 20, waits=False)
    (tmp_path / "canvas.csv").write_text(CANVAS, encoding="utf-8")
    command = ["export", "week1_words", str(tmp_path / "canvas.csv"), "--home", str(tmp_path)]
    done = CliRunner().invoke(app, command, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    assert "1 of 2 students have their grade" in done.output
    assert "lee_5 is in the gradebook and in no row of the sheet" in done.output
    assert b",kimada,A,15\r\n" in (tmp_path / "canvas-filled.csv").read_bytes()
    none = CliRunner().invoke(
        app, ["export", "week9_none", str(tmp_path / "canvas.csv"), "--home", str(tmp_path)], env={"COLUMNS": "200"}
    )
    assert none.exit_code == 1
    assert "no assignment week9_none" in none.output
