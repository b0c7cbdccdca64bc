"""Whatever a learning platform hands over ends in nbgrader's layout, each student apart, and what is left out is named."""
# ruff: noqa: F401, F811 - fixtures are imported by name

from __future__ import annotations

import errno
import io
import os
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import pytest
from uploads import NOTEBOOK, home, lessons, packed, taken

from etude.handing_in import LARGEST
from grader.classes.uploads import submissions, take_in
from grader.course import Course, CourseError, Lesson

WEEK = "week1_embeddings"


def test_a_folder_in_nbgraders_layout_is_read_as_it_stands(home: Path, lessons: list[Lesson]) -> None:
    for student in ("bora", "ada", "김하나"):
        (home / "submitted" / student / WEEK).mkdir(parents=True)
    (home / "submitted" / "ada" / WEEK / "word2vec.ipynb").write_bytes(NOTEBOOK)
    (home / "submitted" / "chul" / "week2_other").mkdir(parents=True)
    found = submissions(lessons, home)
    assert [(item.student, item.path.is_file()) for item in found] == [
        ("ada", True),
        ("bora", False),
        ("김하나", False),
    ]
    assert [item.student for item in submissions(lessons, home, "ada")] == ["ada"]


def test_one_student_is_looked_for_by_the_name_as_it_stands(home: Path, lessons: list[Lesson]) -> None:
    for student in ("kim1", "kim[1]", "lee"):
        (home / "submitted" / student / WEEK).mkdir(parents=True)
    (home / "neighbour" / WEEK).mkdir(parents=True)
    for student, found in {"kim[1]": ["kim[1]"], "k*": [], "": [], "../neighbour": []}.items():
        assert [item.student for item in submissions(lessons, home, student)] == found


def test_moodles_folders_are_students(home: Path, lessons: list[Lesson]) -> None:
    data = packed(
        {
            "Kim Ada_123_assignsubmission_file_/word2vec.ipynb": b"1",
            "김하나_124_assignsubmission_file_/word2vec.ipynb": b"2",
            "O'Neil Zoë-Ann_125_assignsubmission_file/word2vec (1).ipynb": b"3",
        }
    )
    assert taken(home, lessons, data) == ({"kim-ada_123": b"1", "김하나_124": b"2", "o-neil-zoë-ann_125": b"3"}, [])


def test_canvas_puts_the_student_in_the_files_name(home: Path, lessons: list[Lesson]) -> None:
    data = packed({"kimada_123_456_word2vec-1.ipynb": b"1", "leebora_LATE_124_457_word2vec.ipynb": b"2"})
    assert taken(home, lessons, data) == ({"kimada_123": b"1", "leebora_124": b"2"}, [])


def test_a_second_upload_to_canvas_replaces_the_first(home: Path, lessons: list[Lesson]) -> None:
    taken(home, lessons, packed({"kimada_123_456_word2vec.ipynb": b"first"}))
    source = home.parents[1] / "upload.zip"
    source.write_bytes(packed({"kimada_123_999_word2vec-1.ipynb": b"second"}))
    take_in(source, lessons, home)
    assert [item.path.read_bytes() for item in submissions(lessons, home)] == [b"second"]


def test_of_blackboards_attempts_the_last_counts(home: Path, lessons: list[Lesson]) -> None:
    form = "gradebook_NLP-1_Week 1_{}_attempt_2026-11-{}_word2vec.ipynb"
    early, late = "19-23-59-59", "20-13-05-22"
    data = packed(
        {
            form.format("kimada", early): b"1",
            form.format("kimada", late): b"2",
            form.format("s1234567", early): b"3",
            "gradebook_NLP-1_Week 1_kimada_attempt_2026-11-20-13-05-22.txt": b"Name: Kim Ada",
        }
    )
    found, left_out = taken(home, lessons, data)
    assert found == {"kimada": b"2", "s1234567": b"3"}
    assert [line for line in left_out if "it is no notebook" in line]
    assert [line for line in left_out if early in line and "kimada has handed in" in line]


ATTEMPT = "_attempt_2026-11-20-13-05-22"


def blackboards(assignment: str, *logins: str) -> dict[str, bytes]:
    """A download of Blackboard's: the notebooks, which hold their login, and its own text files."""
    said = "\ufeffName: Kim (Kim) Ada ({})\r\nAssignment: Week 1\r\n\r\nComments:\r\nName: Kim Bora (bora)\r\n"
    notebooks = {f"{assignment}_{login}{ATTEMPT}_word2vec.ipynb": login.encode() for login in logins}
    return notebooks | {f"{assignment}_{login}{ATTEMPT}.txt": said.format(login).encode() for login in logins}


@pytest.mark.parametrize("assignment", ["Week 1", "gradebook_NLP-1_Week_1", "김_Week 1.5_b"])
@pytest.mark.parametrize(
    "logins", [["kim_ada"], ["kim_ada", "lee_ada", "ada"], ["kim_ada", "kim_bora"], ["ada", "kim_ada_2"]]
)
def test_blackboards_text_says_where_a_login_with_an_underscore_begins(
    home: Path, lessons: list[Lesson], assignment: str, logins: list[str]
) -> None:
    found, left_out = taken(home, lessons, packed(blackboards(assignment, *logins)))
    assert found == {login: login.encode() for login in logins}
    assert all(line.endswith(".txt: it is no notebook") for line in left_out)


def test_an_unpacked_download_of_blackboards_is_read_as_the_zip(
    home: Path, lessons: list[Lesson], tmp_path: Path
) -> None:
    (tmp_path / "unpacked").mkdir()
    for week in ("Week 1", "Week 2"):
        for name, content in blackboards(week, f"kim_{week[-1]}").items():
            (tmp_path / "unpacked" / name).write_bytes(content)
    take_in(tmp_path / "unpacked", lessons, home)
    assert {item.student: item.path.read_bytes() for item in submissions(lessons, home)} == {
        "kim_1": b"kim_1",
        "kim_2": b"kim_2",
    }


@pytest.mark.parametrize(
    "text", [None, b"", b"Name: Lee Ada", b"Name: Lee Ada (da)", b"Name: Lee Ada (Week 1_lee_ada)", b"\n" * 9000]
)
def test_a_file_that_may_be_of_two_students_overwrites_nobodys(
    home: Path, lessons: list[Lesson], text: bytes | None
) -> None:
    taken(home, lessons, packed(blackboards("Week 1", "kim_ada", "lee_ada", "ada")))
    members = {f"Week 1_lee_ada{ATTEMPT}_word2vec.ipynb": b"new", f"Week 1_bora{ATTEMPT}_word2vec.ipynb": b"bora"}
    if text is not None:
        members[f"Week 1_lee_ada{ATTEMPT}.txt"] = text
    source = home.parents[1] / "late.zip"
    source.write_bytes(packed(members))
    left_out = take_in(source, lessons, home)
    assert {item.student: item.path.read_bytes() for item in submissions(lessons, home)} == {
        login: login.encode() for login in ("kim_ada", "lee_ada", "ada", "bora")
    }
    assert (
        f"Week 1_lee_ada{ATTEMPT}_word2vec.ipynb: where the login begins is not clear: take in the whole download, with "
        f"its text files, or put it at submitted/STUDENT/{WEEK}/word2vec.ipynb"
    ) in left_out


def test_a_single_notebook_of_blackboards_that_may_be_of_two_students_is_refused(
    home: Path, lessons: list[Lesson]
) -> None:
    for login in ("lee_ada", "bora"):
        (home.parent / f"Week 1_{login}{ATTEMPT}_word2vec.ipynb").write_bytes(NOTEBOOK)
    with pytest.raises(CourseError, match="where the login begins is not clear"):
        take_in(home.parent / f"Week 1_lee_ada{ATTEMPT}_word2vec.ipynb", lessons, home)
    assert take_in(home.parent / f"Week 1_bora{ATTEMPT}_word2vec.ipynb", lessons, home) == []
    assert [item.student for item in submissions(lessons, home)] == ["bora"]


def test_a_students_own_file_name_does_not_make_it_anothers_at_blackboard(home: Path, lessons: list[Lesson]) -> None:
    own = f"bora{ATTEMPT}"
    members = {
        f"Week 1_ada{ATTEMPT}_{own}_word2vec.ipynb": b"ada",
        f"Week 1_ada{ATTEMPT}_{own}.txt": b"Name: Kim Bora (bora)",
    }
    assert taken(home, lessons, packed(members))[0] == {"ada": b"ada"}


def test_clones_of_github_classroom_are_students(home: Path, lessons: list[Lesson], tmp_path: Path) -> None:
    for student, where in (("octocat", "word2vec.ipynb"), ("kim-ada", f"{WEEK}/word2vec.ipynb")):
        path = tmp_path / "clones" / f"week-1-{student}" / where
        path.parent.mkdir(parents=True)
        path.write_bytes(student.encode())
        (tmp_path / "clones" / f"week-1-{student}" / ".git").mkdir()
    (tmp_path / "clones" / "week-1-octocat" / "other.ipynb").symlink_to(path)
    left_out = take_in(tmp_path / "clones", lessons, home)
    assert {item.student: item.path.read_bytes() for item in submissions(lessons, home)} == {
        "octocat": b"octocat",
        "kim-ada": b"kim-ada",
    }
    assert left_out == ["week-1-octocat/other.ipynb: it is a link"]


def test_one_clone_is_read_as_many_where_the_folder_has_the_assignments_name(
    home: Path, lessons: list[Lesson], tmp_path: Path
) -> None:
    for at, students in enumerate((["kim-ada", "kim-bora"], ["octocat"], ["ada"])):
        clones = tmp_path / str(at) / "week-1-submissions"
        for student in students:
            (clones / f"week-1-{student}" / ".git").mkdir(parents=True)
            (clones / f"week-1-{student}" / "src").mkdir()
            (clones / f"week-1-{student}" / "src" / "bora_word2vec.ipynb").write_bytes(student.encode())
        assert take_in(clones, lessons, home) == []
    assert {item.student: item.path.read_bytes() for item in submissions(lessons, home)} == {
        student: student.encode() for student in ("kim-ada", "kim-bora", "octocat", "ada")
    }


def test_a_folder_that_cannot_be_read_is_named(
    home: Path, lessons: list[Lesson], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for student in ("ada", "bora", "chul", "chul/closed"):
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "word2vec.ipynb").write_bytes(NOTEBOOK)
    closed = (str(tmp_path / "class" / "bora"), str(tmp_path / "class" / "chul" / "closed"))
    scandir = os.scandir

    def refused(path: Any = ".") -> Any:
        if not isinstance(path, int) and str(path) in closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)  # root, as whom this may run, reads every folder
    assert take_in(tmp_path / "class", lessons, home) == [
        "bora: it cannot be read (Permission denied)",
        "chul/closed: it cannot be read (Permission denied)",
    ]
    assert [item.student for item in submissions(lessons, home)] == ["ada", "chul"]


def test_of_a_folder_each_file_that_is_left_out_is_named(
    home: Path, lessons: list[Lesson], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "class"
    for student in ("ada", "bora", "chul", "dana", "eun", b"\xb1\xe8".decode(errors="surrogateescape")):
        (folder / student / ".ipynb_checkpoints").mkdir(parents=True)
        (folder / student / "word2vec.ipynb").write_bytes(NOTEBOOK)
        (folder / student / ".ipynb_checkpoints" / "word2vec-checkpoint.ipynb").symlink_to("nothing")
    with (folder / "bora" / "word2vec.ipynb").open("wb") as large:
        large.truncate(LARGEST + 1)
    (folder / "chul" / "word2vec.ipynb").rename(folder / "chul" / "notes.txt")
    (folder / "chul" / "word2vec.ipynb").symlink_to("notes.txt")
    (folder / "dana" / "word2vec.ipynb").unlink()
    (folder / "dana" / "word2vec.ipynb").mkdir()
    read = Path.read_bytes

    def unreadable(path: Path) -> bytes:
        if path.parent.name == "eun":
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", unreadable)
    assert take_in(folder, lessons, home) == [
        "bora/word2vec.ipynb: it is larger than 20 MiB",
        "chul/word2vec.ipynb: it is a link",
        "dana/word2vec.ipynb: it is no file",
        "eun/word2vec.ipynb: it cannot be read (Permission denied)",
        "\\udcb1\\udce8/word2vec.ipynb: its name is not UTF-8",
    ]
    assert [item.student for item in submissions(lessons, home)] == ["ada"]


def test_a_file_of_a_folder_may_be_older_than_any_zip(home: Path, lessons: list[Lesson], tmp_path: Path) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "word2vec.ipynb").write_bytes(NOTEBOOK)
    os.utime(tmp_path / "class" / "ada" / "word2vec.ipynb", (0, 0))
    assert take_in(tmp_path / "class", lessons, home) == []
    assert [item.student for item in submissions(lessons, home)] == ["ada"]


def test_a_folder_of_which_nothing_is_taken_says_why(home: Path, lessons: list[Lesson], tmp_path: Path) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "word2vec.ipynb").symlink_to("elsewhere.ipynb")
    with pytest.raises(CourseError, match=r"holds no notebook of word2vec\nada/word2vec\.ipynb: it is a link"):
        take_in(tmp_path / "class", lessons, home)


def test_a_folder_without_a_notebook_is_refused(home: Path, lessons: list[Lesson], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(CourseError, match="holds no notebook of word2vec"):
        take_in(tmp_path / "empty", lessons, home)


@pytest.mark.parametrize("form", ["김하나_{}_assignsubmission_file_/word2vec.ipynb", "김하나_{}_1_word2vec.ipynb"])
def test_two_students_of_one_name_stay_apart(home: Path, lessons: list[Lesson], form: str) -> None:
    data = packed({form.format(number): b"%d" % number for number in (7, 8)})
    assert taken(home, lessons, data) == ({"김하나_7": b"7", "김하나_8": b"8"}, [])


@pytest.mark.parametrize(
    "paths",
    [
        ["ada/word2vec.ipynb", "bora/word2vec.ipynb"],
        ["ada/hw/final/word2vec.ipynb", "bora/hw/final/word2vec.ipynb"],
        ["class/ada/hw/word2vec.ipynb", "class/bora/word2vec.ipynb"],
        [f"submitted/ada/{WEEK}/word2vec.ipynb", f"submitted/bora/{WEEK}/word2vec.ipynb"],
        ["ada/word2vec/word2vec.ipynb", "bora/word2vec/word2vec.ipynb"],
        ["ada_word2vec.ipynb", "bora_word2vec.ipynb"],
        ["all/ada_word2vec.ipynb", "all/bora_word2vec.ipynb"],
        ["class\\ada\\word2vec.ipynb", "class\\bora\\word2vec.ipynb"],
    ],
)
def test_nested_folders_do_not_mix_students(home: Path, lessons: list[Lesson], paths: list[str]) -> None:
    found, left_out = taken(home, lessons, packed({path: path.encode() for path in paths}))
    assert found == {"ada": paths[0].encode(), "bora": paths[1].encode()}
    assert left_out == []


@pytest.mark.parametrize("path", ["ada/word2vec.ipynb", f"submitted/ada/{WEEK}/word2vec.ipynb", "ada_word2vec.ipynb"])
def test_a_zip_of_one_student_is_that_students(home: Path, lessons: list[Lesson], path: str) -> None:
    assert taken(home, lessons, packed({path: NOTEBOOK})) == ({"ada": NOTEBOOK}, [])


def test_a_folder_within_moodles_folder_is_not_a_student(home: Path, lessons: list[Lesson]) -> None:
    data = packed({f"Kim_{n}_assignsubmission_file_/week1/word2vec.ipynb": b"%d" % n for n in (1, 2)})
    assert taken(home, lessons, data)[0] == {"kim_1": b"1", "kim_2": b"2"}


@pytest.mark.parametrize("encoding", ["cp949", "utf-8"])
def test_korean_names_are_read_from_zips_that_do_not_say_their_encoding(
    home: Path, lessons: list[Lesson], encoding: str
) -> None:
    raw = "김하나".encode(encoding)
    data = packed({"x" * len(raw) + "/word2vec.ipynb": NOTEBOOK}).replace(b"x" * len(raw), raw)
    assert taken(home, lessons, data)[0] == {"김하나": NOTEBOOK}


def test_letters_that_macos_takes_apart_are_the_same_student(home: Path, lessons: list[Lesson]) -> None:
    data = packed({unicodedata.normalize("NFD", "김하나") + "/word2vec.ipynb": NOTEBOOK})
    assert taken(home, lessons, data)[0] == {"김하나": NOTEBOOK}


def test_a_single_notebook_belongs_to_whom_its_name_says(home: Path, lessons: list[Lesson]) -> None:
    for name in ("ada_word2vec.ipynb", "bora.ipynb"):
        (home.parent / name).write_bytes(NOTEBOOK)
        assert take_in(home.parent / name, lessons, home) == []
    assert [item.student for item in submissions(lessons, home)] == ["ada", "bora"]


def test_a_single_notebook_that_says_nothing_is_asked_for_a_name(home: Path, lessons: list[Lesson]) -> None:
    (home.parent / "word2vec.ipynb").write_bytes(NOTEBOOK)
    with pytest.raises(CourseError, match=r"does not say whose it is: name it STUDENT_word2vec\.ipynb"):
        take_in(home.parent / "word2vec.ipynb", lessons, home)
    assert not (home / "submitted").exists()


def test_a_lessons_name_within_a_students_is_no_lesson(course: Course, lessons: list[Lesson], home: Path) -> None:
    bert = Lesson(course, course.file.weeks[0], lessons[0].entry.model_copy(update={"name": "bert"}))
    source = home.parents[1] / "upload.zip"
    source.write_bytes(
        packed(
            {f"albert/{name}.ipynb": name.encode() for name in ("albert", "my_bert", "bert")}
            | {"bo/word2vec.ipynb": b""}
        )
    )
    assert take_in(source, [*lessons, bert], home) == [
        "albert/albert.ipynb: it is named like no lesson",
        "albert/bert.ipynb: albert has handed in albert/my_bert.ipynb with it, which counts",
    ]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", ["ada/word2vec.ipynb", "ada/word2vec (1).ipynb", "Ada/word2vec.ipynb"])
def test_of_two_notebooks_of_one_student_the_first_counts_and_the_second_is_named(
    home: Path, lessons: list[Lesson], second: str
) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("ada/word2vec.ipynb", b"first")
        archive.writestr(second, b"second")
    found, left_out = taken(home, lessons, buffer.getvalue())
    assert found == {"ada": b"first"}
    assert left_out == [f"{second}: ada has handed in ada/word2vec.ipynb with it, which counts"]


def test_what_cannot_be_stored_is_named_and_the_others_are_taken_in(home: Path, lessons: list[Lesson]) -> None:
    (home / "submitted" / "ada" / WEEK / "word2vec.ipynb").mkdir(parents=True)
    found, left_out = taken(home, lessons, packed({"ada/word2vec.ipynb": NOTEBOOK, "bora/word2vec.ipynb": NOTEBOOK}))
    assert found == {"bora": NOTEBOOK}
    assert left_out == ["ada/word2vec.ipynb: it cannot be stored for ada (Is a directory)"]


def test_what_is_no_notebook_of_these_lessons_is_named(home: Path, lessons: list[Lesson]) -> None:
    data = packed(
        {
            "ada/word2vec.ipynb": NOTEBOOK,
            "bora/word2vec.pdf": b"",
            "chul/bert.ipynb": b"",
            "word2vec.ipynb": b"",
            "ada/.ipynb_checkpoints/word2vec-checkpoint.ipynb": b"",
            "__MACOSX/ada/._word2vec.ipynb": b"",
            "dana/": b"",
        }
    )
    found, left_out = taken(home, lessons, data)
    assert found == {"ada": NOTEBOOK}
    assert left_out == [
        "bora/word2vec.pdf: it is no notebook",
        "chul/bert.ipynb: it is named like no lesson",
        "word2vec.ipynb: it does not say whose it is",
    ]
