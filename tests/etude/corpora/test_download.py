"""A download is kept only whole and verified, and without a network an error says how else to get the file.

The web server is one on this machine; nothing outside is asked.
"""

import gzip
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mirror import TEXT, Server, contents, put, row, serving, write_registry

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
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as running:
        yield running


@pytest.mark.parametrize("packed", [False, True])
def test_a_download_is_kept_unpacked_and_asked_for_only_once(
    registered: Callable[..., None], server: Server, cache: Path, packed: bool
) -> None:
    archive = gzip.compress(TEXT, mtime=0)
    page = "x.txt.gz" if packed else "x.txt"
    server.pages[page] = archive if packed else TEXT
    registered(row("a/x.txt", TEXT, archive, file="a/x.txt.gz", url=server.url(page)))
    for _ in range(2):
        assert datasets.path("a/x.txt").read_bytes() == TEXT
    assert server.asked == [page]
    assert contents(cache) == {"a/x.txt": TEXT}


def test_a_download_that_breaks_off_leaves_nothing_behind(
    registered: Callable[..., None], server: Server, cache: Path
) -> None:
    server.pages["x.txt"], server.cut = TEXT[:5], len(TEXT) - 5
    registered(row("a/x.txt", TEXT, url=server.url("x.txt")))
    with pytest.raises(datasets.DataError, match=r"could not be downloaded|cut short"):
        datasets.path("a/x.txt")
    assert contents(cache) == {}


def test_an_address_that_now_serves_something_else_is_refused_and_nothing_is_kept(
    registered: Callable[..., None], server: Server, cache: Path
) -> None:
    server.pages["x.txt"] = TEXT + b"a later edition"
    registered(row("a/x.txt", TEXT, url=server.url("x.txt")))
    with pytest.raises(datasets.DamagedFile, match=r"Nothing was kept\. Try again"):
        datasets.path("a/x.txt")
    assert contents(cache) == {}


def test_a_dead_link_says_where_to_put_the_file_and_a_file_put_there_is_used(
    registered: Callable[..., None], server: Server, cache: Path
) -> None:
    url = server.url("gone.txt")
    registered(row("a/x.txt", TEXT, url=url))
    with pytest.raises(datasets.Unavailable, match="404") as caught:
        datasets.path("a/x.txt")
    place = cache / "a" / "x.txt"
    assert f"Download {url} in another way and save it as {place}, or set ETUDE_MIRROR" in str(caught.value)
    put(cache, "a/x.txt", TEXT)
    assert datasets.path("a/x.txt") == place


def test_an_unreachable_server_is_an_error_in_words(registered: Callable[..., None]) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # a port at which nothing listens
        registered(row("a/x.txt", TEXT, url=f"http://127.0.0.1:{nobody.getsockname()[1]}/x.txt"))
        with pytest.raises(datasets.Unavailable, match="could not be downloaded"):
            datasets.path("a/x.txt")


def test_offline_the_network_is_not_asked_and_the_error_says_how_else_to_get_the_file(
    registered: Callable[..., None], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ETUDE_OFFLINE", "1")
    url = server.url("x.txt.gz")
    registered(row("a/x.txt", TEXT, gzip.compress(TEXT, mtime=0), file="a/x.txt.gz", url=url))
    with pytest.raises(datasets.Unavailable, match=rf"ETUDE_OFFLINE forbids.*{url}.*as a/x\.txt\.gz in a folder"):
        datasets.path("a/x.txt")
    assert server.asked == []


def test_a_file_that_no_address_serves_says_so(registered: Callable[..., None]) -> None:
    registered(row("a/x.txt", TEXT))
    with pytest.raises(datasets.Unavailable, match="no public address serves this file"):
        datasets.path("a/x.txt")


def test_a_mirror_without_the_file_is_an_error_and_the_network_is_not_asked(
    registered: Callable[..., None], server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ETUDE_MIRROR", str(tmp_path))
    server.pages["x.txt"] = TEXT
    registered(row("a/x.txt", TEXT, url=server.url("x.txt")))
    with pytest.raises(datasets.Unavailable, match=r"has no a/x\.txt\. Put it there, or unset ETUDE_MIRROR"):
        datasets.path("a/x.txt")
    assert server.asked == []
