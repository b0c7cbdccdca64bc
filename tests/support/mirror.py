"""Where tests get files from: a folder of real corpora where the machine has one, else registries, archives and a web
server of their own."""

import contextlib
import csv
import hashlib
import io
import os
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TEXT = "하나 둘\nthree four\n".encode()
COLUMNS = ("name", "file", "member", "url", "sha256", "bytes", "packed_sha256", "packed_bytes")


def mirror() -> Path | None:
    """The folder of ETUDE_MIRROR, else shared/data beside the repository; None if there is neither."""
    folder = Path(os.environ.get("ETUDE_MIRROR") or Path(__file__).resolve().parents[3] / "shared" / "data")
    return folder if folder.is_dir() else None


def row(
    name: str, content: bytes, packed: bytes | None = None, file: str = "", member: str = "", url: str = ""
) -> dict[str, Any]:
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


def write_registry(file: Path, rows: tuple[dict[str, Any], ...]) -> Path:
    """A registry of these rows, written to `file`."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return file


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


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    """A running server, which has ended when the block ends."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
