"""Real corpora by name: `path`, `text` and `lines` hand out a local file whose sha256 is the pinned one.

A file comes from the cache, else from the folder that ETUDE_MIRROR names, else from the address in the registry; it is
verified wherever it comes from, and nothing unverified is ever left in the cache. Readers for the corpus and the word
sets of the word2vec lesson follow. This module knows files and their formats; it must not know lessons, models or the
embedded world, and it never writes outside the cache.
"""

import contextlib
import csv
import difflib
import gzip
import hashlib
import io
import os
import re
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import IO, Literal, cast

import pandas as pd
import pooch
from tqdm import tqdm  # not tqdm.auto, which warns in a notebook without ipywidgets

REGISTRY = files("etude_data").joinpath("registry.csv")
Language = Literal["en", "ko"]
TIMEOUT = 30  # seconds without a byte before a download counts as dead


class DataError(Exception):
    """A corpus cannot be had; the message says what happened and what to do."""


class UnknownName(DataError):
    """The registry has no such name."""


class DamagedFile(DataError):
    """A file is not, byte for byte, the one that the registry pins."""


class Unavailable(DataError):
    """The file is not here, and the mirror or the network does not give it."""


@dataclass(frozen=True)
class File:
    """One row of the registry. Sizes in bytes; data/README.md describes each column."""

    name: str
    file: str
    member: str
    url: str
    sha256: str
    packed_sha256: str
    bytes: int
    packed_bytes: int

    @property
    def url_is_packed(self) -> bool:
        """Whether the address serves the packed file rather than the file itself."""
        return self.url.endswith((".gz", ".zip"))


def registry() -> pd.DataFrame:
    """Lists every file that the course knows, one row each (columns: data/README.md)."""
    return pd.read_csv(io.StringIO(REGISTRY.read_text(encoding="utf-8")), keep_default_na=False)


def names(of: str = "") -> list[str]:
    """Lists the names of all files, of the files of one corpus, or the one file named.

    Args:
        of: a corpus ("wikitext2") or a file; all files if empty.

    Raises:
        UnknownName: the registry has no such name.
    """
    known = list(_files())
    if not of:
        return known
    if matching := [name for name in known if name == of or name.startswith(f"{of}/")]:
        return matching
    corpora = {name.split("/")[0] for name in known}
    close = difflib.get_close_matches(of, [*known, *sorted(corpora)], n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(close)}?" if close else "`etude data list` shows every name."
    raise UnknownName(f"No corpus is called {of!r}. {hint}")


def cache_folder() -> Path:
    """Returns the folder where unpacked files are kept: the user's cache folder of this operating system."""
    return Path(pooch.os_cache("etude"))


def mirror_folder() -> Path | None:
    """Returns the folder that ETUDE_MIRROR names, None if it is not set."""
    mirror = os.environ.get("ETUDE_MIRROR", "")
    return Path(mirror).expanduser() if mirror else None


def available(name: str) -> bool:
    """Tells whether `path(name)` needs no network: the file lies in the cache or the mirror, in full length.

    Only sizes are compared, so that asking about every file is quick; `path` compares the hash.
    """
    file = _file(name)
    places = [(cache_folder() / name, file.bytes)]
    if mirror := mirror_folder():
        places += [(mirror / name, file.bytes), (mirror / file.file, file.packed_bytes)]
    return any(place.is_file() and place.stat().st_size == size for place, size in places)


def path(name: str) -> Path:
    """Returns a local file with the pinned sha256, fetched and unpacked on first use.

    Treat it as read-only: in a mirror, a file that lies there unpacked is used where it lies.

    Raises:
        UnknownName: the registry has no such name, or it is that of a corpus of several files.
        DamagedFile: a file is not, byte for byte, the one that the registry pins.
        Unavailable: the file is not here, and the mirror or the network does not give it.
        DataError: the cache cannot be written; the three above are DataErrors too.
    """
    file, mirror = _file(name), mirror_folder()
    kept = cache_folder() / name
    if kept.is_file():
        return _verified(kept, file.sha256, file.bytes, f"Delete {kept} and ask again.")
    if mirror and (mirror / name).is_file():
        return _verified(mirror / name, file.sha256, file.bytes, "Copy it into the mirror again.")
    with _scratch(kept.parent) as scratch:
        packed = _mirrored(file, mirror) if mirror else _download(file, scratch)
        unpacked = _unpack(file, packed, scratch) if mirror or file.url_is_packed else packed
        _verified(unpacked, file.sha256, file.bytes, f"Nothing was kept. {_elsewhere(file)}")
        return unpacked.replace(kept)  # one step: another process sees the whole file or none


def text(name: str) -> str:
    """Reads the file as one string (UTF-8, a byte order mark dropped, every line end as \\n).

    Raises:
        DataError: as for `path`, and if the file is not text.
    """
    file = path(name)
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{name} is not text: open the file yourself, it is at {file}.") from error


def lines(name: str) -> list[str]:
    """Reads the file's lines without their ends.

    Raises:
        DataError: as for `text`.
    """
    return text(name).removesuffix("\n").split("\n")


def wikitext2() -> list[list[str]]:
    """Reads WikiText-2's validation and test articles for word2vec: one list of lower-cased tokens for each paragraph.

    (The training articles are not in the registry.) Blank lines and headings (" = Title = ") are left out. The corpus
    writes rare words as <unk>, which stays as it is, and marks punctuation that it has cut out of a word:
    "1 @,@ 500" and "0 @.@ 7" become the numbers "1,500" and "0.7" again; any other mark becomes a token of its own, so
    that "short @-@ lived" is the three tokens "short - lived" and the parts keep the counts they have elsewhere.

    Source: Merity et al. 2016, arXiv:1609.07843.

    Raises:
        DataError: as for `path`.
    """
    paragraphs = []
    for line in lines("wikitext2/valid.txt") + lines("wikitext2/test.txt"):
        line = re.sub(r"(?<=\d) @([.,])@ (?=\d)", r"\1", line)
        tokens = re.sub(r"@([-.,])@", r"\1", line).lower().split()
        if tokens and not tokens[0] == tokens[-1] == "=":
            paragraphs.append(tokens)
    return paragraphs


def wordsim353(language: Language = "en") -> pd.DataFrame:
    """Reads 353 word pairs with the mean of human scores from 0 to 10, words lower-cased.

    Sources: en, Finkelstein et al. 2002; ko, translated and scored anew by Park et al. 2018.

    Returns:
        A table with the columns word1, word2 and score.

    Raises:
        DataError: as for `path`.
    """
    name = _by_language(language, en="word_eval_en/wordsim353.tsv", ko="word_eval_ko/WS353_korean.csv")
    rows = [re.split(r"[\t,]", line.lower().strip()) for line in lines(name)]
    pairs = [row for row in rows if re.fullmatch(r"[\d.]+", row[-1])]  # the other lines are headings
    return pd.DataFrame(pairs, columns=["word1", "word2", "score"]).astype({"score": float})


def analogies(language: Language = "en") -> pd.DataFrame:
    """Reads analogy questions "a is to b as c is to d", words lower-cased.

    Sources: en, Mikolov et al. 2013, 14 sections; ko, Park et al. 2018, 10 sections.

    Returns:
        A table with the columns section, a, b, c and d; d is the answer.

    Raises:
        DataError: as for `path`.
    """
    name = _by_language(language, en="word_eval_en/questions-words.txt", ko="word_eval_ko/word_analogy_korean.txt")
    rows, section = [], ""
    for line in lines(name):
        if line.startswith(":"):
            section = line.removeprefix(":").strip()
        elif line.strip():
            rows.append([section, *line.lower().split()])
    return pd.DataFrame(rows, columns=["section", "a", "b", "c", "d"])


def _by_language(language: Language, **sets: str) -> str:
    if language not in sets:
        raise UnknownName(f"There is no such set for language {language!r}: choose {' or '.join(sets)}.")
    return sets[language]


def _files() -> dict[str, File]:
    """Reads the registry's rows by name, without pandas' types."""
    rows = csv.DictReader(io.StringIO(REGISTRY.read_text(encoding="utf-8")))
    texts = ("name", "file", "member", "url", "sha256", "packed_sha256")
    return {
        row["name"]: File(
            **{column: row[column] for column in texts},
            bytes=int(row["bytes"]),
            packed_bytes=int(row["packed_bytes"]),
        )
        for row in rows
    }


def _file(name: str) -> File:
    if names(name) != [name]:
        raise UnknownName(f"{name!r} is a corpus of several files: name one of {', '.join(names(name))}.")
    return _files()[name]


def _verified(path: Path, sha256: str, size: int, remedy: str) -> Path:
    """Returns `path` if it has this hash, else raises DamagedFile; a file that is too short gets its own word for it."""
    with path.open("rb") as stream:
        got = hashlib.file_digest(stream, "sha256").hexdigest()
    if got == sha256:
        return path
    if (length := path.stat().st_size) < size:
        raise DamagedFile(f"{path} is cut short: it has {length:,} of {size:,} bytes. {remedy}")
    raise DamagedFile(f"{path} is not the pinned file: expected sha256 {sha256}, got {got}. {remedy}")


def _mirrored(file: File, mirror: Path) -> Path:
    """Finds the packed file in the mirror and verifies it. Raises DamagedFile, Unavailable."""
    packed = mirror / file.file
    if packed.is_file():
        return _verified(packed, file.packed_sha256, file.packed_bytes, "Copy it into the mirror again.")
    raise Unavailable(
        f"{file.name}: the mirror {mirror} (ETUDE_MIRROR) has no {file.file}. "
        "Put it there, or unset ETUDE_MIRROR to download it."
    )


def _download(file: File, scratch: Path) -> Path:
    """Downloads what the file's address serves to `scratch` and verifies it. Raises DamagedFile, Unavailable."""
    import requests  # pooch, too, imports it on first use: half a second that offline students need not wait

    if not file.url:
        raise Unavailable(f"{file.name}: no public address serves this file. {_elsewhere(file)}")
    if os.environ.get("ETUDE_OFFLINE", "0") not in ("", "0"):
        raise Unavailable(f"{file.name} is not here and ETUDE_OFFLINE forbids the network. {_elsewhere(file)}")
    target = scratch / "download"
    sha256, size = (file.packed_sha256, file.packed_bytes) if file.url_is_packed else (file.sha256, file.bytes)
    with tqdm(total=size, desc=file.name, unit="B", unit_scale=True, leave=False) as bar:
        try:
            pooch.HTTPDownloader(progressbar=bar, chunk_size=1 << 16, timeout=TIMEOUT)(file.url, str(target), None)
        except requests.RequestException as error:
            reason = error if isinstance(error, requests.HTTPError) else type(error).__name__
            raise Unavailable(f"{file.name} could not be downloaded ({reason}). {_elsewhere(file)}") from error
    return _verified(target, sha256, size, f"Nothing was kept. Try again, or else: {_elsewhere(file)}")


def _elsewhere(file: File) -> str:
    """Says how to get a file that cannot be downloaded from here."""
    mirror = f"set ETUDE_MIRROR to a folder that holds {file.file}"
    if not file.url:
        return f"If your instructor has a mirror, {mirror}."
    if file.url_is_packed:
        return f"Download {file.url} in another way, save it as {file.file} in a folder, and {mirror}."
    return f"Download {file.url} in another way and save it as {cache_folder() / file.name}, or {mirror}."


@contextlib.contextmanager
def _scratch(parent: Path) -> Iterator[Path]:
    """Holds a temporary folder in the cache while the block runs.

    It lies there so that a finished file moves to its place without leaving the disk.
    """
    try:
        parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(dir=parent, prefix=".part-")
    except OSError as error:
        raise DataError(f"The cache folder {parent} cannot be written ({error}). Make it writable.") from error
    with folder as scratch:
        yield Path(scratch)


def _unpack(file: File, packed: Path, scratch: Path) -> Path:
    """Unpacks the file from its verified archive (or copies it, if it is not packed) into `scratch`."""
    unpacked = scratch / "unpacked"
    try:
        unpacked.write_bytes(_content(file, packed))
    except (EOFError, KeyError, gzip.BadGzipFile, tarfile.TarError, zipfile.BadZipFile, zlib.error) as error:
        raise DamagedFile(f"{packed} cannot be unpacked ({error}). Get it again. {_elsewhere(file)}") from error
    return unpacked


def _content(file: File, packed: Path) -> bytes:
    """Reads the bytes of the file in `packed`: a member of a zip or a tar, the content of a .gz, or the file itself."""
    if file.member and file.file.endswith(".zip"):
        with zipfile.ZipFile(packed) as archive:
            return archive.read(file.member)
    if file.member:
        with tarfile.open(packed) as tar, cast(IO[bytes], tar.extractfile(file.member)) as stream:
            return stream.read()
    content = packed.read_bytes()
    return gzip.decompress(content) if file.file == f"{file.name}.gz" else content
