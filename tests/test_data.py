"""Corpora arrive whole and verified, or not at all, and an error says what to do.

Most tests use a tiny registry of their own, a folder as mirror and a server on this machine; the last ones read the
real corpora where a mirror of them exists.
"""

import csv
import gzip
import hashlib
import io
import re
import tarfile
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror import mirror as real_mirror

from etude import data

TEXT = "하나 둘\nthree four\n".encode()
COLUMNS = ("name", "file", "member", "url", "sha256", "bytes", "packed_sha256", "packed_bytes")
needs_corpora = pytest.mark.skipif(real_mirror() is None, reason="no mirror: set ETUDE_MIRROR to a folder of corpora")


def row(
    name: str, content: bytes, packed: bytes | None = None, file: str = "", member: str = "", url: str = ""
) -> dict:
    """A registry row for `content`, which lies in a mirror as `packed` (as itself if not given)."""
    packed = content if packed is None else packed
    hashes = {"sha256": hashlib.sha256(content).hexdigest(), "packed_sha256": hashlib.sha256(packed).hexdigest()}
    sizes = {"bytes": len(content), "packed_bytes": len(packed)}
    return {"name": name, "file": file or name, "member": member, "url": url, **hashes, **sizes}


def put(folder: Path, file: str, content: bytes) -> Path:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_bytes(content)
    return folder / file


def contents(folder: Path) -> dict[str, bytes]:
    """Every file under the folder, hidden ones too."""
    return {str(file.relative_to(folder).as_posix()): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch) -> Path:
    """An empty cache, and no mirror or other setting of the person who runs the tests."""
    for variable in ("ETUDE_MIRROR", "ETUDE_OFFLINE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    folder = tmp_path / "cache"
    monkeypatch.setattr(data, "cache_folder", lambda: folder)
    return folder


@pytest.fixture
def registered(tmp_path: Path, monkeypatch):
    """Replace the registry by the given rows."""

    def write(*rows: dict) -> None:
        with (tmp_path / "registry.csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        monkeypatch.setattr(data, "REGISTRY", tmp_path / "registry.csv")

    return write


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch) -> Path:
    folder = tmp_path / "mirror"
    folder.mkdir()
    monkeypatch.setenv("ETUDE_MIRROR", str(folder))
    return folder


class Server(ThreadingHTTPServer):
    """Serves `pages` by path; announces `cut` more bytes than it sends. `asked` lists the requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, bytes] = {}
        self.cut = 0
        self.asked: list[str] = []

    def url(self, page: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{page}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        page = self.path.removeprefix("/")
        self.server.asked.append(page)
        body = self.server.pages.get(page)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) + self.server.cut))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server():
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def zipped(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"folder/{name}", content)
    return stream.getvalue()


def tarred(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(f"folder/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


# From a mirror


def test_a_packed_file_is_unpacked_into_the_cache_and_the_mirror_stays_as_it_was(registered, mirror, cache):
    packed = gzip.compress(TEXT)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)
    assert data.path("a/x.txt") == cache / "a" / "x.txt"
    assert contents(cache) == {"a/x.txt": TEXT}
    assert contents(mirror) == {"a/x.txt.gz": packed}


@pytest.mark.parametrize(("pack", "suffix"), [(zipped, ".zip"), (tarred, ".tar.gz")])
def test_a_member_is_taken_out_of_its_archive(registered, mirror, pack, suffix: str):
    packed = pack(one=b"1", two=TEXT)
    registered(row("a/two", TEXT, packed, file=f"a/pair{suffix}", member="folder/two"))
    put(mirror, f"a/pair{suffix}", packed)
    assert data.path("a/two").read_bytes() == TEXT


def test_a_file_that_is_itself_an_archive_is_handed_out_as_it_is(registered, mirror):
    archive = zipped(one=b"1")
    registered(row("a/all.zip", archive))
    put(mirror, "a/all.zip", archive)
    assert data.path("a/all.zip").read_bytes() == archive


def test_a_file_that_lies_unpacked_in_the_mirror_is_used_where_it_lies(registered, mirror, cache):
    registered(row("a/x.txt", TEXT, gzip.compress(TEXT), file="a/x.txt.gz"))
    lying = put(mirror, "a/x.txt", TEXT)
    assert data.path("a/x.txt") == lying
    assert not cache.exists()


def test_a_file_in_the_cache_needs_neither_mirror_nor_network(registered, mirror, monkeypatch):
    packed = gzip.compress(TEXT)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)
    first = data.path("a/x.txt")
    monkeypatch.delenv("ETUDE_MIRROR")
    monkeypatch.setenv("ETUDE_OFFLINE", "1")
    assert data.path("a/x.txt") == first


def test_a_mirror_without_the_file_is_an_error_and_the_network_is_not_asked(registered, mirror, server):
    server.pages["x.txt"] = TEXT
    registered(row("a/x.txt", TEXT, url=server.url("x.txt")))
    with pytest.raises(data.Unavailable, match=r"has no a/x\.txt\. Put it there, or unset ETUDE_MIRROR"):
        data.path("a/x.txt")
    assert server.asked == []


def test_another_file_in_the_mirror_is_refused_with_both_hashes(registered, mirror, cache):
    entry = row("a/x.txt", TEXT)
    registered(entry)
    other = bytes(reversed(TEXT))
    put(mirror, "a/x.txt", other)
    with pytest.raises(data.DamagedFile) as caught:
        data.path("a/x.txt")
    assert f"expected sha256 {entry['sha256']}, got {hashlib.sha256(other).hexdigest()}" in str(caught.value)
    assert not cache.exists()


def test_a_truncated_gzip_in_the_mirror_is_told_by_its_length(registered, mirror, cache):
    packed = gzip.compress(TEXT)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed[:-9])
    with pytest.raises(data.DamagedFile, match=rf"has {len(packed) - 9} of {len(packed)} bytes.*into the mirror again"):
        data.path("a/x.txt")
    assert contents(cache) == {}


@pytest.mark.parametrize(
    ("file", "member", "packed"),
    [
        ("a/x.txt.gz", "", gzip.compress(TEXT)[:-9]),
        ("a/x.txt.gz", "", b"no gzip at all"),
        ("a/x.txt.gz", "", gzip.compress(TEXT)[:12] + b"\xff" * 20),
        ("a/x.zip", "folder/x", zipped(y=TEXT)),
        ("a/x.zip", "folder/x", zipped(x=TEXT)[:-9]),
        ("a/x.tar.gz", "folder/x", tarred(y=TEXT)),
        ("a/x.tar.gz", "folder/x", b"no tar at all"),
    ],
)
def test_an_archive_that_was_pinned_broken_is_an_error_in_words_and_leaves_nothing(
    registered, mirror, cache, file: str, member: str, packed: bytes
):
    registered(row("a/x.txt", TEXT, packed, file=file, member=member))
    put(mirror, file, packed)
    with pytest.raises(data.DamagedFile, match="cannot be unpacked"):
        data.path("a/x.txt")
    assert contents(cache) == {}


def test_an_archive_with_other_content_than_pinned_is_refused(registered, mirror, cache):
    packed = gzip.compress(b"other")
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)
    with pytest.raises(data.DamagedFile, match="Nothing was kept"):
        data.path("a/x.txt")
    assert contents(cache) == {}


def test_many_readers_at_once_all_get_the_whole_file(registered, mirror, cache):
    big = TEXT * 20_000
    packed = gzip.compress(big)
    registered(row("a/x.txt", big, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: data.path("a/x.txt").read_bytes(), range(8)))
    assert set(found) == {big}
    assert list(contents(cache)) == ["a/x.txt"]


# From the cache


def test_a_damaged_file_in_the_cache_is_an_error_until_it_is_deleted(registered, mirror, cache):
    registered(row("a/x.txt", TEXT, gzip.compress(TEXT, mtime=0), file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", gzip.compress(TEXT, mtime=0))
    data.path("a/x.txt").write_bytes(b"edited by a student, and longer than before")
    with pytest.raises(data.DamagedFile, match=re.escape(f"Delete {cache / 'a' / 'x.txt'} and ask again")):
        data.path("a/x.txt")
    (cache / "a" / "x.txt").unlink()
    assert data.path("a/x.txt").read_bytes() == TEXT


def test_a_cache_that_cannot_be_written_is_an_error_in_words(registered, mirror, cache):
    packed = gzip.compress(TEXT)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    put(mirror, "a/x.txt.gz", packed)
    cache.write_bytes(b"a file where the folder should be")
    with pytest.raises(data.DataError, match="cannot be written"):
        data.path("a/x.txt")


@settings(max_examples=50)
@given(content=st.binary(min_size=1, max_size=50), place=st.integers(min_value=0), flip=st.integers(1, 255))
def test_a_change_of_any_single_byte_is_noticed(tmp_path_factory, content: bytes, place: int, flip: int):
    entry = row("x", content)
    changed = bytearray(content)
    changed[place % len(content)] ^= flip
    file = tmp_path_factory.mktemp("byte") / "x"
    file.write_bytes(changed)
    with pytest.raises(data.DamagedFile):
        data._verified(file, entry["sha256"], entry["bytes"], "")
    file.write_bytes(content)
    assert data._verified(file, entry["sha256"], entry["bytes"], "") == file


# From the network


@pytest.mark.parametrize("packed", [False, True])
def test_a_download_is_kept_unpacked_and_asked_for_only_once(registered, server, cache, packed: bool):
    archive = gzip.compress(TEXT)
    page = "x.txt.gz" if packed else "x.txt"
    server.pages[page] = archive if packed else TEXT
    registered(row("a/x.txt", TEXT, archive, file="a/x.txt.gz", url=server.url(page)))
    for _ in range(2):
        assert data.path("a/x.txt").read_bytes() == TEXT
    assert server.asked == [page]
    assert contents(cache) == {"a/x.txt": TEXT}


def test_a_download_that_breaks_off_leaves_nothing_behind(registered, server, cache):
    server.pages["x.txt"], server.cut = TEXT[:5], len(TEXT) - 5
    registered(row("a/x.txt", TEXT, url=server.url("x.txt")))
    with pytest.raises(data.DataError, match="could not be downloaded|cut short"):
        data.path("a/x.txt")
    assert contents(cache) == {}


def test_an_address_that_now_serves_something_else_is_refused_and_nothing_is_kept(registered, server, cache):
    server.pages["x.txt"] = TEXT + b"a later edition"
    registered(row("a/x.txt", TEXT, url=server.url("x.txt")))
    with pytest.raises(data.DamagedFile, match=r"Nothing was kept\. Try again"):
        data.path("a/x.txt")
    assert contents(cache) == {}


def test_a_dead_link_says_where_to_put_the_file_and_a_file_put_there_is_used(registered, server, cache):
    url = server.url("gone.txt")
    registered(row("a/x.txt", TEXT, url=url))
    with pytest.raises(data.Unavailable, match="404") as caught:
        data.path("a/x.txt")
    place = cache / "a" / "x.txt"
    assert f"Download {url} in another way and save it as {place}, or set ETUDE_MIRROR" in str(caught.value)
    put(cache, "a/x.txt", TEXT)
    assert data.path("a/x.txt") == place


def test_an_unreachable_server_is_an_error_in_words(registered, server):
    registered(row("a/x.txt", TEXT, url=server.url("x.txt")))
    server.server_close()
    server.socket.close()
    with pytest.raises(data.Unavailable, match="could not be downloaded"):
        data.path("a/x.txt")


def test_offline_the_network_is_not_asked_and_the_error_says_how_else_to_get_the_file(registered, server, monkeypatch):
    monkeypatch.setenv("ETUDE_OFFLINE", "1")
    url = server.url("x.txt.gz")
    registered(row("a/x.txt", TEXT, gzip.compress(TEXT), file="a/x.txt.gz", url=url))
    with pytest.raises(data.Unavailable, match=rf"ETUDE_OFFLINE forbids.*{url}.*as a/x\.txt\.gz in a folder"):
        data.path("a/x.txt")
    assert server.asked == []


def test_a_file_that_no_address_serves_says_so(registered):
    registered(row("a/x.txt", TEXT))
    with pytest.raises(data.Unavailable, match="no public address serves this file"):
        data.path("a/x.txt")


# Names and text


def test_an_unknown_name_gets_the_close_ones(registered):
    registered(row("wikitext2/valid.txt", TEXT), row("klue/dev.tsv", TEXT))
    with pytest.raises(data.UnknownName, match=r"Did you mean wikitext2"):
        data.path("wikitxt2/valid.txt")
    with pytest.raises(data.UnknownName, match="etude data list"):
        data.available("zzz")


def test_a_corpus_stands_for_its_files_but_is_no_file(registered):
    registered(row("a/x", TEXT), row("a/y", TEXT), row("ab/z", TEXT))
    assert data.names("a") == ["a/x", "a/y"]
    assert data.names("ab/z") == ["ab/z"]
    assert data.names() == ["a/x", "a/y", "ab/z"]
    with pytest.raises(data.UnknownName, match="several files: name one of a/x, a/y"):
        data.path("a")
    with pytest.raises(data.UnknownName, match="name one of ab/z"):
        data.path("ab")


def test_available_means_here_in_full_length(registered, mirror, cache):
    packed = gzip.compress(TEXT)
    registered(row("a/x.txt", TEXT, packed, file="a/x.txt.gz"))
    assert not data.available("a/x.txt")
    put(mirror, "a/x.txt.gz", packed[:-1])
    assert not data.available("a/x.txt")
    put(mirror, "a/x.txt.gz", packed)
    assert data.available("a/x.txt")
    (mirror / "a" / "x.txt.gz").unlink()
    put(cache, "a/x.txt", TEXT)
    assert data.available("a/x.txt")


def test_text_has_neither_byte_order_mark_nor_carriage_returns_and_lines_end_only_at_line_ends(registered, mirror):
    content = "\ufeff하나\r\ntwo\u2028still two\r\n".encode()
    registered(row("a/x.txt", content))
    put(mirror, "a/x.txt", content)
    assert data.text("a/x.txt") == "하나\ntwo\u2028still two\n"
    assert data.lines("a/x.txt") == ["하나", "two\u2028still two"]


def test_asking_for_the_text_of_something_else_is_an_error_in_words(registered, mirror):
    registered(row("a/model", b"\xff\xfe\x80"))
    put(mirror, "a/model", b"\xff\xfe\x80")
    with pytest.raises(data.DataError, match="a/model is not text"):
        data.text("a/model")


# Readers


def test_wikitext2_drops_headings_joins_numbers_and_parts_compounds(registered, mirror):
    first = " \n = A Title = \n \n The <unk> @-@ eyed , 1 @,@ 234 @,@ 567 @.@ 8 @-@ mile short @-@ lived one \n"
    second = " = = Deeper = = \n = <unk> is no heading \n <unk> @,@ 500 \n"
    registered(row("wikitext2/valid.txt", first.encode()), row("wikitext2/test.txt", second.encode()))
    put(mirror, "wikitext2/valid.txt", first.encode())
    put(mirror, "wikitext2/test.txt", second.encode())
    assert data.wikitext2() == [
        "the <unk> - eyed , 1,234,567.8 - mile short - lived one".split(),
        "= <unk> is no heading".split(),
        "<unk> , 500".split(),
    ]


@pytest.mark.parametrize("reader", [data.wordsim353, data.analogies])
def test_a_language_without_a_word_set_is_an_error_in_words(reader):
    with pytest.raises(data.UnknownName, match="'fr': choose en or ko"):
        reader("fr")


# The registry and the real corpora


def test_every_row_of_the_registry_is_complete_and_pinned():
    table = data.registry()
    assert table["name"].is_unique
    assert table["sha256"].str.fullmatch(r"[0-9a-f]{64}").all()
    assert table["packed_sha256"].str.fullmatch(r"[0-9a-f]{64}").all()
    assert (table[["bytes", "packed_bytes"]] > 0).all(axis=None)
    assert (table[["licence", "redistribute", "language", "use", "citation"]] != "").all(axis=None)
    assert (table["name"].str.split("/").str[0] == table["file"].str.split("/").str[0]).all()
    pinned = table["url"].str.contains(r"/[0-9a-f]{40}/")
    explained = table["note"] != ""
    assert (pinned | explained).all()
    assert list(data._files()) == list(table["name"])


def test_where_the_address_serves_the_mirrors_file_the_names_agree():
    for file in data._files().values():
        assert not file.url_is_packed or Path(file.file).suffix == Path(file.url).suffix, file.name


@pytest.fixture
def corpora(monkeypatch) -> None:
    monkeypatch.setenv("ETUDE_MIRROR", str(real_mirror()))


@needs_corpora
@pytest.mark.usefixtures("corpora")
def test_every_real_file_unpacks_to_its_hash_and_has_its_count_of_tokens():
    for name, tokens in data.registry().set_index("name")["tokens"].items():
        assert data.path(str(name)).is_file()
        assert tokens == "" or len(data.text(str(name)).split()) == int(tokens), name


@needs_corpora
@pytest.mark.usefixtures("corpora")
def test_wikitext2_has_its_known_size_and_no_marks_left():
    paragraphs = data.wikitext2()
    tokens = [token for paragraph in paragraphs for token in paragraph]
    assert (len(paragraphs), len(tokens)) == (4026, 442_368)
    assert not [token for token in tokens if re.fullmatch(r"@.@", token) or token != token.lower()]
    assert tokens.count("<unk>") > 20_000


@needs_corpora
@pytest.mark.usefixtures("corpora")
@pytest.mark.parametrize(("language", "first"), [("en", ["love", "sex", 6.77]), ("ko", ["사랑", "섹스", 6.42])])
def test_wordsim353_has_353_pairs_scored_from_0_to_10(language, first: list):
    pairs = data.wordsim353(language)
    assert len(pairs) == 353
    assert list(pairs.iloc[0]) == first
    assert pairs["score"].between(0, 10).all()


@needs_corpora
@pytest.mark.usefixtures("corpora")
@pytest.mark.parametrize(
    ("language", "questions", "sections", "first"),
    [("en", 19_544, 14, "athens greece baghdad iraq"), ("ko", 10_000, 10, "아테네 그리스 바그다드 이라크")],
)
def test_every_analogy_has_four_words(language, questions: int, sections: int, first: str):
    table = data.analogies(language)
    assert (len(table), table["section"].nunique()) == (questions, sections)
    assert list(table.loc[0, ["a", "b", "c", "d"]]) == first.split()
    assert table.notna().all(axis=None)
