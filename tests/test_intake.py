"""Whatever a learning platform hands over ends in nbgrader's layout, each student apart, and nothing is written beside it."""

from __future__ import annotations

import io
import struct
import tracemalloc
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import intake
from grader.course import Course, CourseError, Lesson
from grader.intake import submissions, take_in
from grader.submission import LARGEST

WEEK = "week1_embeddings"
NOTEBOOK = b'{"cells": []}'
ENTRY, LOCAL = b"PK\x01\x02", b"PK\x03\x04"  # how a zip's directory entry and a member's own header begin


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The class's folder, with neighbours that a path with `..` would reach."""
    folder = tmp_path / "outer" / "class"
    folder.mkdir(parents=True)
    return folder


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def taken(home: Path, lessons: list[Lesson], data: bytes) -> tuple[dict[str, bytes], list[str]]:
    """Student → what is now handed in, and what was left out. Fails if a file appeared anywhere else."""
    source = home.parents[1] / "upload.zip"
    source.write_bytes(data)
    before = everything(home)
    left_out: list[str] = []
    try:
        left_out = take_in(source, lessons, home)
    finally:
        new = everything(home) - before
        assert all(path.is_relative_to(home / "submitted") for path in new), new
    found = submissions(lessons, home)
    handed_in = {item.path for item in found if item.path.is_file()}
    assert handed_in == new
    return {item.student: item.path.read_bytes() for item in found if item.path in handed_in}, left_out


def everything(home: Path) -> set[Path]:
    return {path for path in home.parents[1].rglob("*") if not path.is_dir()}


@pytest.fixture
def lessons(word2vec: Lesson) -> list[Lesson]:
    return [word2vec]


# What platforms hand over.


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


# What nobody should be able to do with a zip.


@pytest.mark.parametrize(
    "path",
    [
        "../../x/word2vec.ipynb",
        "/x/word2vec.ipynb",
        "/../../../x/word2vec.ipynb",
        "..\\..\\x\\word2vec.ipynb",
        "C:\\x\\word2vec.ipynb",
        "C:x_word2vec.ipynb",
        "\\\\server\\x\\word2vec.ipynb",
        "../../../x_word2vec.ipynb",
        "x/../../../../word2vec.ipynb",
        "%2e%2e/%2e%2e/word2vec.ipynb",
        "x\x1b[2J\n[red]_1_assignsubmission_file_/word2vec.ipynb",
        f"{'나' * 300}/word2vec.ipynb",
        f"{'𠮷' * 90}/word2vec.ipynb",
        "CON/word2vec.ipynb",
    ],
)
def test_a_path_only_names_a_student(home: Path, lessons: list[Lesson], path: str) -> None:
    found, _ = taken(home, lessons, packed({path: NOTEBOOK}))
    (student,) = found
    assert "x" in student or student.strip("나𠮷") in ("", "con", "2e-2e")


parts = st.sampled_from(["..", ".", "", "/", "\\", "C:", "ada", "김", "_", "-", "word2vec", "\n", "~", "*", "[x]"])


@given(folders=st.lists(parts, max_size=6), separator=st.sampled_from(["/", "\\"]), before=parts)
def test_no_path_leads_out_of_submitted(
    word2vec: Lesson, tmp_path_factory: pytest.TempPathFactory, folders: list[str], separator: str, before: str
) -> None:
    home = tmp_path_factory.mktemp("deep") / "outer" / "class"
    home.mkdir(parents=True)
    data = packed({separator.join([*folders, f"{before}word2vec.ipynb"]): NOTEBOOK, "zoe/word2vec.ipynb": b"zoe"})
    found, left_out = taken(home, [word2vec], data)
    assert found["zoe"] == b"zoe"
    assert all("\n" not in sentence for sentence in left_out)


def patched(data: bytes, signature: bytes, offset: int, value: int, layout: str = "<I") -> bytes:
    """The zip with one field of its first header of this kind changed."""
    place = data.index(signature) + offset
    return data[:place] + struct.pack(layout, value) + data[place + struct.calcsize(layout) :]


BOMB = bytes(1 << 30)


@pytest.fixture(scope="module")
def bombs() -> dict[str, bytes]:
    """Zips of one member that unpacks to 1 GiB, which it says or does not say."""
    honest = packed({"eve/word2vec.ipynb": BOMB})
    return {"says 1 GiB": honest, "says 1 kB": patched(patched(honest, ENTRY, 24, 1000), LOCAL, 22, 1000)}


@pytest.mark.parametrize("kind", ["says 1 GiB", "says 1 kB"])
def test_a_zip_bomb_is_left_out_in_little_memory(
    home: Path, lessons: list[Lesson], bombs: dict[str, bytes], kind: str
) -> None:
    data = with_ada(bombs[kind])
    tracemalloc.start()
    found, left_out = taken(home, lessons, data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == {"ada": NOTEBOOK}
    assert len(left_out) == 1
    assert left_out[0].startswith("eve/word2vec.ipynb: it ")
    assert most < 5 * LARGEST


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_in_a_format_that_cannot_be_unpacked_within_bounds_is_not_unpacked(
    home: Path, lessons: list[Lesson], method: int
) -> None:
    bomb = packed({"eve/word2vec.ipynb": bytes(64 << 20)}, method)
    data = with_ada(patched(patched(bomb, ENTRY, 24, 1000), LOCAL, 22, 1000))
    tracemalloc.start()
    found, left_out = taken(home, lessons, data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == {"ada": NOTEBOOK}
    assert left_out == ["eve/word2vec.ipynb: it cannot be unpacked (packed by another method than deflate)"]
    assert most < LARGEST


def with_ada(data: bytes) -> bytes:
    """The zip with an honest student's notebook behind what it holds."""
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("ada/word2vec.ipynb", NOTEBOOK)
    return buffer.getvalue()


def test_many_large_members_together_are_refused_before_anything_is_written(
    home: Path, lessons: list[Lesson], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "MOST_BYTES", 3 << 20)
    data = packed({f"s{n}/word2vec.ipynb": bytes(1 << 20) for n in range(4)})
    with pytest.raises(CourseError, match="4 MiB unpacked, at most 3 are read"):
        taken(home, lessons, data)
    assert not (home / "submitted").exists()


def test_a_hundred_thousand_members_are_refused(home: Path, lessons: list[Lesson]) -> None:
    data = packed({f"s{n}/word2vec.ipynb": b"" for n in range(100_000)}, zipfile.ZIP_STORED)
    with pytest.raises(CourseError, match="has 100,000 members, at most 20,000 are read"):
        taken(home, lessons, data)
    assert not (home / "submitted").exists()


def test_an_encrypted_member_is_left_out_and_the_rest_taken(home: Path, lessons: list[Lesson]) -> None:
    locked = packed({"eve/word2vec.ipynb": NOTEBOOK})
    data = with_ada(patched(patched(locked, ENTRY, 8, 1, "<H"), LOCAL, 6, 1, "<H"))
    found, left_out = taken(home, lessons, data)
    assert found == {"ada": NOTEBOOK}
    assert len(left_out) == 1
    assert "encrypted" in left_out[0]


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


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (packed({"ada/report.pdf": b"%PDF"}), r"holds no notebook of word2vec\nada/report\.pdf: it is no notebook"),
        (packed({}), "holds no notebook of word2vec"),
        (b"", "nor a whole zip file"),
        (b"%PDF-1.7 and so on", "nor a whole zip file"),
        (packed({"ada/word2vec.ipynb": NOTEBOOK * 99})[:-30], "nor a whole zip file"),
    ],
)
def test_a_file_without_notebooks_ends_in_one_sentence(
    home: Path, lessons: list[Lesson], data: bytes, said: str
) -> None:
    with pytest.raises(CourseError, match=said):
        taken(home, lessons, data)
    assert not (home / "submitted").exists()


def test_a_folder_is_no_zip(home: Path, lessons: list[Lesson]) -> None:
    with pytest.raises(CourseError, match="nor a whole zip file"):
        take_in(home, lessons, home)


WHOLE = packed({"ada/word2vec.ipynb": NOTEBOOK * 20, "김하나/word2vec.ipynb": NOTEBOOK, "bora/notes.txt": b""})


@given(
    place=st.integers(0, len(WHOLE) - 1),
    wrong=st.binary(max_size=8),
    length=st.integers(0, len(WHOLE)),
)
def test_a_damaged_zip_is_taken_in_part_or_refused_in_a_sentence(
    word2vec: Lesson, tmp_path_factory: pytest.TempPathFactory, place: int, wrong: bytes, length: int
) -> None:
    home = tmp_path_factory.mktemp("damaged") / "outer" / "class"
    home.mkdir(parents=True)
    data = (WHOLE[:place] + wrong + WHOLE[place + len(wrong) :])[: max(length, place)]
    try:
        found, _ = taken(home, [word2vec], data)
    except CourseError as error:
        assert str(error)
    else:
        assert set(found.values()) <= {NOTEBOOK * 20, NOTEBOOK}
