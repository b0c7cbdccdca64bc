"""Reads a table of word vectors that somebody else has trained: GloVe's text format, or fastText's .vec.

Both hold a line for each word, the word and then its numbers, separated by blanks, the most frequent word first; a .vec file
begins with a line of its own, "count dim". Nothing is downloaded here. This module knows files and numbers only: nothing of
training, of lessons, or of what the vectors are used for.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

MOST = 100_000  # words read unless another number is asked for: beyond them words are rare, and their vectors worse


def read(path: str | PathLike[str], most: int = MOST) -> tuple[list[str], Tensor]:
    """Reads the first words of a table and their vectors.

    The first line is fastText's "count dim" if it holds two whole numbers and nothing else. A word may hold blanks, as some of
    GloVe's largest table do, if its first line does not: the width of that line says where the numbers of the others begin.
    Of a word that comes twice the first vector is kept.

    Args:
        path: a text file in UTF-8, unpacked.
        most: words to read, at least 1; fewer are there if the file is shorter.

    Returns:
        The words, V different strings, and their vectors (V, d), float32, as they stand in the file (not of length 1).

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file holds no words, or a line is not as the format has it: the message says which line, and why.
    """
    if most < 1:
        raise ValueError(f"{most} words are asked for: ask for at least 1")
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"{file} is no file: give the path of a table of word vectors, unpacked")
    rows: dict[str, np.ndarray] = {}  # word → (d,), in the file's order
    width, promised = 0, 0
    read_to = 0
    for number, fields in _lines(file):
        read_to = number
        if number == 1 and (header := _header(fields)):
            promised, width = header
            continue
        try:
            word, vector = _row(fields, width)
        except ValueError as error:
            raise ValueError(f"{file}, line {number}: {error}") from None
        width = len(vector)
        rows.setdefault(word, vector)
        if len(rows) == most:
            break
    if not rows:
        raise ValueError(f"{file} holds no words: a line for each word is expected, the word and its numbers")
    lines = read_to - 1
    if promised and (lines > promised or (lines < promised and len(rows) < most)):
        raise ValueError(
            f"{file}, line 1: {promised} words are promised, and {lines} lines follow: the file was cut or joined, get it anew"
        )
    return list(rows), torch.from_numpy(np.stack(list(rows.values())))  # (V, d)


def _lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    """Yields each line that is not empty as (its number from 1 on, its fields between blanks).

    Lines end with a line feed alone, and fields with a blank alone: a word may hold any other space that Unicode has.
    """
    empty = 0
    with file.open("rb") as handle:
        for number, raw in enumerate(handle, start=1):
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{file}, line {number}: byte {error.start + 1} is {raw[error.start]:#04x}, which is not UTF-8: "
                    "unpack the file if it is a .zip, .gz or .bin, or save it as UTF-8"
                ) from None
            line = line.rstrip(" \r\n").removeprefix("\ufeff" if number == 1 else "")
            if not line:
                empty = empty or number
                continue
            if empty:
                raise ValueError(f"{file}, line {empty}: the line is empty, and others follow: take it out")
            yield number, line.split(" ")


def _header(fields: list[str]) -> tuple[int, int] | None:
    """Reads fastText's first line, (count, dim), or returns None if it is the line of a word."""
    if len(fields) != 2 or not all(field.isascii() and field.isdigit() and int(field) for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def _row(fields: list[str], width: int) -> tuple[str, np.ndarray]:
    """Parts the fields of a line into its word and its vector (d,); `width` is d, 0 while it is not known."""
    if not fields[0]:
        raise ValueError("it begins with a blank: the word comes first")
    values = [field for field in fields[1:] if field]  # two blanks are as good as one
    if not values:
        raise ValueError(f"no numbers after {fields[0][:40]!r}: numbers are separated by blanks")
    extra = len(values) - width if width else 0
    if extra > 0 and not any(_is_number(piece) for piece in values[:extra]):  # they belong to the word
        word, values = " ".join([fields[0], *values[:extra]]), values[extra:]
    else:
        word = fields[0]
    if width and len(values) != width:
        raise ValueError(f"{len(values)} numbers after {word[:40]!r}, {width} in the lines before: is the file whole?")
    try:
        vector = np.array([float(value) for value in values], dtype=np.float64)
    except ValueError:
        wrong = next(value for value in values if not _is_number(value))
        raise ValueError(f"{wrong[:40]!r} after {word[:40]!r} is no number") from None
    with np.errstate(over="ignore"):
        row = vector.astype(np.float32)
    if not np.isfinite(row).all():
        wrong = values[int(np.isfinite(row).argmin())]
        raise ValueError(f"{wrong[:40]!r} after {word[:40]!r} is not finite in float32")
    return word, row


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
