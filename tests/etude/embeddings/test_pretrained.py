"""Tables of word vectors in GloVe's and fastText's text formats: gensim reads the same, and what is wrong is said by line."""

from pathlib import Path

import numpy as np
import pytest
import torch
from gensim.models import KeyedVectors
from hypothesis import given
from hypothesis import strategies as st

from etude.embeddings.pretrained import read

# what a word may hold: anything but a blank, and what ends a line or is stripped at its end
letters = st.characters(codec="utf-8", exclude_categories=("Zs", "Zl", "Zp", "Cc"), exclude_characters="\ufeff")
words = st.lists(st.text(letters, min_size=1, max_size=6), min_size=1, max_size=8, unique=True)
numbers = st.floats(-1e6, 1e6, width=32)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], np.ndarray]:
    """Draws words and a vector (d,) for each, d at least 2 so that no line looks like a header."""
    names, d = draw(words), draw(st.integers(2, 5))
    rows = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=len(names), max_size=len(names)))
    return names, np.array(rows, dtype=np.float32)


def written(path: Path, names: list[str], rows: np.ndarray, header: bool, end: str = "\n") -> Path:
    """Writes a table; with a header it is fastText's, whose lines end with a blank."""
    lines = [f"{len(names)} {rows.shape[1]}"] if header else []
    lines += [" ".join([name, *map(str, row.tolist())]) + " " * header for name, row in zip(names, rows, strict=True)]
    path.write_bytes("".join(line + end for line in lines).encode())
    return path


def of_bytes(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "table.txt"
    path.write_bytes(content)
    return path


@given(tables(), st.booleans(), st.integers(1, 9))
def test_gensim_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory, table: tuple[list[str], np.ndarray], header: bool, most: int
) -> None:
    path = written(tmp_path_factory.mktemp("vectors") / "table.txt", *table, header)
    expected = KeyedVectors.load_word2vec_format(str(path), binary=False, no_header=not header, limit=most)
    found, vectors = read(path, most)
    assert found == expected.index_to_key
    assert vectors.dtype == torch.float32
    np.testing.assert_array_equal(vectors, expected.vectors)


@given(tables(), st.sampled_from(["\n", "\r\n"]))
def test_what_was_written_is_read_back_to_the_digit(
    tmp_path_factory: pytest.TempPathFactory, table: tuple[list[str], np.ndarray], end: str
) -> None:
    names, rows = table
    found, vectors = read(written(tmp_path_factory.mktemp("vectors") / "table.txt", names, rows, False, end))
    assert found == names
    np.testing.assert_array_equal(vectors, rows)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"a 1 2\n. . . 3 4\nb 5 6", ["a", ". . .", "b"]),
        ("a 1 2\n3\u00a01/2 3 4\n\u3000 5 6\n\u2028 7 8\n".encode(), ["a", "3\u00a01/2", "\u3000", "\u2028"]),
        (b"\xef\xbb\xbfa 1 2\nb 3 4\n\n\n", ["a", "b"]),
        (b"a  1   2\nb 3 4\n", ["a", "b"]),
        (b"a 1 2\nb 3 4\na 5 6\n", ["a", "b"]),
        (b"12 1 2\n3 4 5\n", ["12", "3"]),
    ],
    ids=["blanks-in-a-word", "other-spaces", "bom-and-empty-end", "two-blanks", "twice", "words-that-are-numbers"],
)
def test_words_of_real_tables_are_read(tmp_path: Path, content: bytes, names: list[str]) -> None:
    found, vectors = read(of_bytes(tmp_path, content))
    assert found == names
    assert vectors[0].tolist() == [1, 2]


def test_no_line_behind_the_last_word_wanted_is_looked_at(tmp_path: Path) -> None:
    found, vectors = read(of_bytes(tmp_path, b"a 1 2\nb 3 4\nc 5\n\xff"), most=2)
    assert found == ["a", "b"]
    assert vectors.shape == (2, 2)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "holds no words"),
        (b"\n\n", "holds no words"),
        (b"2 3\n", "holds no words"),
        (b"a 1 2\nb 3\n", "line 2: 1 numbers after 'b', 2 in the lines before"),
        (b"a 1 2\nb 3 4 5\n", "line 2: 3 numbers after 'b', 2 in the lines before"),
        (b"2 3\na 1 2\nb 3 4\n", "line 2: 2 numbers after 'a', 3"),
        (b"a 1 2\nb\n", "line 2: no numbers after 'b'"),
        (b"a\t1\t2\n", "line 1: no numbers after"),
        (b"a 1 2\nb 3 x\n", "line 2: 'x' after 'b' is no number"),
        (b"the cat sat\n", "line 1: 'cat' after 'the' is no number"),
        (b"a 1 2\nb 3 nan\n", "line 2: 'nan' after 'b' is not finite"),
        (b"a 1 2\nb 1e39 4\n", "line 2: '1e39' after 'b' is not finite"),
        (b"a 1 2\n 3 4 5\n", "line 2: it begins with a blank"),
        (b"a 1 2\n\nb 3 4\n", "line 2: the line is empty"),
        (b"a 1 2\nb\xe9 3 4\n", "line 2: byte 2 is 0xe9, which is not UTF-8"),
        (b"PK\x03\x04\xff\xfe", "line 1: byte 5 is 0xff, which is not UTF-8: unpack"),
        (b"3 2\na 1 2\nb 3 4\n", "line 1: 3 words are promised, and 2 lines follow"),
        (b"1 2\na 1 2\nb 3 4\n", "line 1: 1 words are promised, and 2 lines follow"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read(of_bytes(tmp_path, content))


def test_a_file_that_is_not_there_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.txt is no file"):
        read(tmp_path / "none.txt")


def test_no_words_are_not_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ask for at least 1"):
        read(of_bytes(tmp_path, b"a 1 2\n"), most=0)
