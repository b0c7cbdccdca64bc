"""What nobody should be able to do with a zip: write elsewhere, fill memory or disk, or keep the others from being taken in."""
# ruff: noqa: F401, F811 - fixtures are imported by name

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from uploads import NOTEBOOK, home, lessons, packed, taken

from etude.handing_in import LARGEST
from grader.classes import uploads
from grader.classes.uploads import take_in
from grader.course import CourseError, Lesson

ENTRY, LOCAL = b"PK\x01\x02", b"PK\x03\x04"  # how a zip's directory entry and a member's own header begin


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
    monkeypatch.setattr(uploads, "MOST_BYTES", 3 << 20)
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
