"""Corpora from a mirror or the cache arrive whole and verified, or not at all, and an error says what to do.

The registries are tiny and of the tests' own; no corpus is needed.
"""

import gzip
import hashlib
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror import TEXT, contents, put, row, tarred, write_registry, zipped

from etude.corpora import datasets


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no mirror or other setting of the person who runs the tests."""
    for variable in ("ETUDE_MIRROR", "ETUDE_OFFLINE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Replace the registry by the given rows."""
    return lambda *rows: monkeypatch.setattr(datasets, "REGISTRY", write_registry(tmp_path / "registry.csv", rows))


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "mirror"
    folder.mkdir()
    monkeypatch.setenv("ETUDE_MIRROR", str(folder))
    return folder


# From a mirror


def test_a_packed_file_is_unpacked_into_the_cache_and_the_mirror_stays_as_it_was(
    registered: Callable[..., None], mirror: Path, cache: Path
) -> None:
    packed = gzip.compress(TEXT, mtime=0)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)
    assert datasets.path("a/x.txt") == cache / "a" / "x.txt"
    assert contents(cache) == {"a/x.txt": TEXT}
    assert contents(mirror) == {"a/x.txt.gz": packed}


@pytest.mark.parametrize(("pack", "suffix"), [(zipped, ".zip"), (tarred, ".tar.gz")])
def test_a_member_is_taken_out_of_its_archive(
    registered: Callable[..., None], mirror: Path, pack: Callable[..., bytes], suffix: str
) -> None:
    packed = pack(one=b"1", two=TEXT)
    registered(row("a/two", TEXT, packed, file=f"a/pair{suffix}", member="folder/two"))
    put(mirror, f"a/pair{suffix}", packed)
    assert datasets.path("a/two").read_bytes() == TEXT


def test_a_file_that_is_itself_an_archive_is_handed_out_as_it_is(registered: Callable[..., None], mirror: Path) -> None:
    archive = zipped(one=b"1")
    registered(row("a/all.zip", archive))
    put(mirror, "a/all.zip", archive)
    assert datasets.path("a/all.zip").read_bytes() == archive


def test_a_file_that_lies_unpacked_in_the_mirror_is_used_where_it_lies(
    registered: Callable[..., None], mirror: Path, cache: Path
) -> None:
    registered(row("a/x.txt", TEXT, gzip.compress(TEXT, mtime=0), file="a/x.txt.gz"))
    lying = put(mirror, "a/x.txt", TEXT)
    assert datasets.path("a/x.txt") == lying
    assert not cache.exists()


def test_a_file_in_the_cache_needs_neither_mirror_nor_network(
    registered: Callable[..., None], mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = gzip.compress(TEXT, mtime=0)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)
    first = datasets.path("a/x.txt")
    monkeypatch.delenv("ETUDE_MIRROR")
    monkeypatch.setenv("ETUDE_OFFLINE", "1")
    assert datasets.path("a/x.txt") == first


def test_another_file_in_the_mirror_is_refused_with_both_hashes(
    registered: Callable[..., None], mirror: Path, cache: Path
) -> None:
    entry = row("a/x.txt", TEXT)
    registered(entry)
    other = bytes(reversed(TEXT))
    put(mirror, "a/x.txt", other)
    with pytest.raises(datasets.DamagedFile) as caught:
        datasets.path("a/x.txt")
    assert f"expected sha256 {entry['sha256']}, got {hashlib.sha256(other).hexdigest()}" in str(caught.value)
    assert not cache.exists()


def test_a_truncated_gzip_in_the_mirror_is_told_by_its_length(
    registered: Callable[..., None], mirror: Path, cache: Path
) -> None:
    packed = gzip.compress(TEXT, mtime=0)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed[:-9])
    with pytest.raises(
        datasets.DamagedFile, match=rf"has {len(packed) - 9} of {len(packed)} bytes.*into the mirror again"
    ):
        datasets.path("a/x.txt")
    assert contents(cache) == {}


@pytest.mark.parametrize(
    ("file", "member", "packed"),
    [
        ("a/x.txt.gz", "", gzip.compress(TEXT, mtime=0)[:-9]),
        ("a/x.txt.gz", "", b"no gzip at all"),
        ("a/x.txt.gz", "", gzip.compress(TEXT, mtime=0)[:12] + b"\xff" * 20),
        ("a/x.zip", "folder/x", zipped(y=TEXT)),
        ("a/x.zip", "folder/x", zipped(x=TEXT)[:-9]),
        ("a/x.tar.gz", "folder/x", tarred(y=TEXT)),
        ("a/x.tar.gz", "folder/x", b"no tar at all"),
    ],
)
def test_an_archive_that_was_pinned_broken_is_an_error_in_words_and_leaves_nothing(
    registered: Callable[..., None], mirror: Path, cache: Path, file: str, member: str, packed: bytes
) -> None:
    registered(row("a/x.txt", TEXT, packed, file=file, member=member))
    put(mirror, file, packed)
    with pytest.raises(datasets.DamagedFile, match="cannot be unpacked"):
        datasets.path("a/x.txt")
    assert contents(cache) == {}


def test_an_archive_with_other_content_than_pinned_is_refused(
    registered: Callable[..., None], mirror: Path, cache: Path
) -> None:
    packed = gzip.compress(b"other", mtime=0)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)
    with pytest.raises(datasets.DamagedFile, match="Nothing was kept"):
        datasets.path("a/x.txt")
    assert contents(cache) == {}


def test_a_disk_that_fills_up_while_unpacking_leaves_no_half_file(
    registered: Callable[..., None], mirror: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = gzip.compress(TEXT, mtime=0)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)

    def fill_up(file: Path, content: bytes) -> int:
        with file.open("wb") as stream:
            stream.write(content[:5])
        raise OSError("No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Path, "write_bytes", fill_up)
        with pytest.raises(OSError, match="No space left"):
            datasets.path("a/x.txt")
    assert contents(cache) == {}
    assert datasets.path("a/x.txt").read_bytes() == TEXT


def test_many_readers_at_once_all_get_the_whole_file(
    registered: Callable[..., None], mirror: Path, cache: Path
) -> None:
    big = TEXT * 20_000
    packed = gzip.compress(big, mtime=0)
    registered(row("a/x.txt", big, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: datasets.path("a/x.txt").read_bytes(), range(8)))
    assert set(found) == {big}
    assert list(contents(cache)) == ["a/x.txt"]


# From the cache


def test_a_damaged_file_in_the_cache_is_an_error_until_it_is_deleted(
    registered: Callable[..., None], mirror: Path, cache: Path
) -> None:
    registered(row("a/x.txt", TEXT, gzip.compress(TEXT, mtime=0), file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", gzip.compress(TEXT, mtime=0))
    datasets.path("a/x.txt").write_bytes(b"edited by a student, and longer than before")
    with pytest.raises(datasets.DamagedFile, match=re.escape(f"Delete {cache / 'a' / 'x.txt'} and ask again")):
        datasets.path("a/x.txt")
    (cache / "a" / "x.txt").unlink()
    assert datasets.path("a/x.txt").read_bytes() == TEXT


def test_a_cache_that_cannot_be_written_is_an_error_in_words(
    registered: Callable[..., None], mirror: Path, cache: Path
) -> None:
    packed = gzip.compress(TEXT, mtime=0)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)
    cache.write_bytes(b"a file where the folder should be")
    with pytest.raises(datasets.DataError, match="cannot be written"):
        datasets.path("a/x.txt")


@settings(max_examples=50)
@given(content=st.binary(min_size=1, max_size=50), place=st.integers(min_value=0), flip=st.integers(1, 255))
def test_a_change_of_any_single_byte_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, place: int, flip: int
) -> None:
    entry = row("x", content)
    changed = bytearray(content)
    changed[place % len(content)] ^= flip
    file = tmp_path_factory.mktemp("byte") / "x"
    file.write_bytes(changed)
    with pytest.raises(datasets.DamagedFile):
        datasets._verified(file, entry["sha256"], entry["bytes"], "")
    file.write_bytes(content)
    assert datasets._verified(file, entry["sha256"], entry["bytes"], "") == file


# Names and text


def test_an_unknown_name_gets_the_close_ones(registered: Callable[..., None]) -> None:
    registered(row("wikitext2/valid.txt", TEXT), row("klue/dev.tsv", TEXT))
    with pytest.raises(datasets.UnknownName, match=r"Did you mean wikitext2"):
        datasets.path("wikitxt2/valid.txt")
    with pytest.raises(datasets.UnknownName, match="etude data list"):
        datasets.available("zzz")


def test_a_corpus_stands_for_its_files_but_is_no_file(registered: Callable[..., None]) -> None:
    registered(row("a/x", TEXT), row("a/y", TEXT), row("ab/z", TEXT))
    assert datasets.names("a") == ["a/x", "a/y"]
    assert datasets.names("ab/z") == ["ab/z"]
    assert datasets.names() == ["a/x", "a/y", "ab/z"]
    with pytest.raises(datasets.UnknownName, match="several files: name one of a/x, a/y"):
        datasets.path("a")
    with pytest.raises(datasets.UnknownName, match="name one of ab/z"):
        datasets.path("ab")


def test_available_means_here_in_full_length(registered: Callable[..., None], mirror: Path, cache: Path) -> None:
    packed = gzip.compress(TEXT, mtime=0)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    assert not datasets.available("a/x.txt")
    put(mirror, "a/x.txt.gz", packed[:-1])
    assert not datasets.available("a/x.txt")
    put(mirror, "a/x.txt.gz", packed)
    assert datasets.available("a/x.txt")
    (mirror / "a" / "x.txt.gz").unlink()
    put(cache, "a/x.txt", TEXT)
    assert datasets.available("a/x.txt")


def test_text_has_neither_byte_order_mark_nor_carriage_returns_and_lines_end_only_at_line_ends(
    registered: Callable[..., None], mirror: Path
) -> None:
    content = "\ufeff하나\r\ntwo\u2028still two\r\n".encode()
    registered(row("a/x.txt", content))
    put(mirror, "a/x.txt", content)
    assert datasets.text("a/x.txt") == "하나\ntwo\u2028still two\n"
    assert datasets.lines("a/x.txt") == ["하나", "two\u2028still two"]


def test_asking_for_the_text_of_something_else_is_an_error_in_words(
    registered: Callable[..., None], mirror: Path
) -> None:
    registered(row("a/model", b"\xff\xfe\x80"))
    put(mirror, "a/model", b"\xff\xfe\x80")
    with pytest.raises(datasets.DataError, match="a/model is not text"):
        datasets.text("a/model")


# Readers


def test_wikitext2_drops_headings_joins_numbers_and_parts_compounds(
    registered: Callable[..., None], mirror: Path
) -> None:
    first = " \n = A Title = \n \n The <unk> @-@ eyed , 1 @,@ 234 @,@ 567 @.@ 8 @-@ mile short @-@ lived one \n"
    second = " = = Deeper = = \n = <unk> is no heading \n <unk> @,@ 500 \n"
    registered(row("wikitext2/valid.txt", first.encode()), row("wikitext2/test.txt", second.encode()))
    put(mirror, "wikitext2/valid.txt", first.encode())
    put(mirror, "wikitext2/test.txt", second.encode())
    assert [" ".join(tokens) for tokens in datasets.wikitext2()] == [
        "the <unk> - eyed , 1,234,567.8 - mile short - lived one",
        "= <unk> is no heading",
        "<unk> , 500",
    ]


@pytest.mark.parametrize("reader", [datasets.wordsim353, datasets.analogies])
def test_a_language_without_a_word_set_is_an_error_in_words(reader: Callable[[Any], object]) -> None:
    with pytest.raises(datasets.UnknownName, match="'fr': choose en or ko"):
        reader("fr")
