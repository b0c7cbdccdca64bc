"""What a notebook left in its results folder, read as data only: safetensors, JSON, npy and parquet, never a pickle.

It comes from the student's side: every size is bounded before it is believed, and what is not as the lesson records it is
refused with a reason for the student.
"""

from __future__ import annotations

import io
import math
import struct
import tokenize
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from torch import Tensor

from grader import bounded_json

LARGEST = 64 * 2**20  # bytes of one artifact file
LARGEST_JSON = 16 * 2**20  # bytes
LONGEST_HEADER = 2**20  # bytes of a safetensors header, and of the part of a parquet file that says what is in it
MOST_COLUMNS = 1000  # of a table: each takes its time, though it may have no row
MOST_CELLS = 20_000_000  # of a table, and of the sizes of an empty array multiplied
MOST_ROWS = 65_536  # of a table, read at a time
# What numpy lets out where the header, a Python expression, is broken or nested too deeply.
UNREADABLE = (ValueError, EOFError, TypeError, SyntaxError, tokenize.TokenError, RecursionError, MemoryError)
COMPRESSIONS = {"UNCOMPRESSED", "SNAPPY"}  # pandas' own; others unpack to thousands of times their size


class BadArtifact(Exception):
    """An artifact is missing or is not what the lesson records; the message is for the student."""


@dataclass(frozen=True)
class Artifacts:
    """What a run left in `folder`, and the seed it was given."""

    folder: Path
    seed: int

    def tensor(self, name: str, ndim: int) -> Tensor:
        """Returns a finite tensor with `ndim` dimensions.

        Raises:
            BadArtifact: none of this name was recorded, or it is not of this kind.
        """
        if name not in self._tensors:
            raise BadArtifact(f"the notebook recorded no tensor {name!r}")
        value = self._tensors[name]
        if value.dim() != ndim:
            raise BadArtifact(f"the tensor {name!r} has shape {tuple(value.shape)}, expected {ndim} dimensions")
        _refuse_wide(name, value.shape)
        if value.is_floating_point() and not bool(value.isfinite().all()):
            raise BadArtifact(f"the tensor {name!r} holds values that are not finite")
        return value

    def strings(self, name: str) -> list[str]:
        """Returns a list of different strings.

        Raises:
            BadArtifact: none of this name was recorded, or it is not of this kind.
        """
        value = self._data.get(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise BadArtifact(f"the notebook recorded no list of words {name!r}")
        if len(set(value)) != len(value):
            raise BadArtifact(f"the list {name!r} holds a word twice")
        return value

    def array(self, name: str, ndim: int) -> np.ndarray:
        """Reads a finite numeric array with `ndim` dimensions from NAME.npy, never unpickled.

        Raises:
            BadArtifact: the file is not there, or holds no such array.
        """
        file = io.BytesIO(self._read(f"{name}.npy"))
        try:
            version = np.lib.format.read_magic(file)
            header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, dtype = header(file)
            size = len(file.getbuffer()) - file.tell()
            if dtype.kind not in "biuf" or math.prod(shape) * dtype.itemsize != size:
                raise ValueError(f"{dtype} {shape} in {size} bytes")
            file.seek(0)
            value: np.ndarray = np.load(file, allow_pickle=False)
        except UNREADABLE as error:
            raise BadArtifact(f"{name}.npy holds no numbers that can be read: {error}") from None
        _refuse_wide(name, value.shape)
        if value.ndim != ndim or not np.isfinite(value).all():
            raise BadArtifact(f"{name}.npy has shape {value.shape}, expected {ndim} dimensions of finite numbers")
        return value

    def table(self, name: str) -> pd.DataFrame:
        """Reads a table of numbers from NAME.parquet.

        Text is refused: a few compressed bytes of it can unpack to any size, numbers are bounded by their count.

        Raises:
            BadArtifact: the file is not there, or holds no such table.
        """
        content = self._read(f"{name}.parquet")
        if len(content) < 8 or struct.unpack("<I", content[-8:-4])[0] > LONGEST_HEADER:
            raise BadArtifact(
                f"{name}.parquet cannot be read: it is cut, or says more than {LONGEST_HEADER >> 20} MiB of itself"
            )
        try:
            if (columns_said := pq.read_metadata(io.BytesIO(content)).num_columns) > MOST_COLUMNS:
                raise BadArtifact(f"{name}.parquet has {columns_said:,} columns, at most {MOST_COLUMNS:,} are read")
            file = pq.ParquetFile(io.BytesIO(content), memory_map=False)
            schema = file.schema_arrow
            if bad := [
                f.name
                for f in schema
                if not (pa.types.is_integer(f.type) or pa.types.is_floating(f.type) or pa.types.is_boolean(f.type))
            ]:
                raise BadArtifact(f"{name}.parquet has columns that are no numbers: {', '.join(bad[:5])}")
            about = file.metadata
            columns = [
                about.row_group(i).column(j) for i in range(about.num_row_groups) for j in range(about.num_columns)
            ]
            if other := {column.compression for column in columns} - COMPRESSIONS:
                raise BadArtifact(f"{name}.parquet is packed with {', '.join(sorted(other))}: write it with snappy")
            batches, cells = [], 0
            rows = min(
                MOST_ROWS, MOST_CELLS // max(about.num_columns, 1) or 1
            )  # a cell takes memory, but no byte of a file
            for batch in file.iter_batches(batch_size=rows):
                cells += batch.num_rows * batch.num_columns
                if cells > MOST_CELLS:
                    raise BadArtifact(f"{name}.parquet has more than {MOST_CELLS:,} cells")
                batches.append(batch)
            table: pd.DataFrame = pa.Table.from_batches(batches, schema).to_pandas()
            return table
        except (pa.ArrowException, OSError, ValueError) as error:
            raise BadArtifact(f"{name}.parquet cannot be read: {error}") from None

    @cached_property
    def _tensors(self) -> dict[str, Tensor]:
        from safetensors import SafetensorError
        from safetensors.torch import load

        content = self._read("tensors.safetensors")
        if len(content) < 8 or struct.unpack("<Q", content[:8])[0] > LONGEST_HEADER:
            raise BadArtifact("tensors.safetensors is not a safetensors file")
        try:
            return load(content)
        except (SafetensorError, ValueError, KeyError, TypeError) as error:
            raise BadArtifact(f"tensors.safetensors cannot be read: {error}") from None

    @cached_property
    def _data(self) -> dict[str, Any]:
        try:
            data = bounded_json.loads(self._read("data.json", LARGEST_JSON))
        except (ValueError, RecursionError) as error:
            raise BadArtifact(f"data.json cannot be read: {error}") from None
        if not isinstance(data, dict):
            raise BadArtifact("data.json is not what record() writes")
        return data

    def _read(self, name: str, largest: int = LARGEST) -> bytes:
        path = self.folder / name
        if path.is_symlink() or not path.is_file():
            raise BadArtifact(f"the notebook recorded nothing ({name} is missing): did the record(...) cell run?")
        if path.stat().st_size > largest:
            raise BadArtifact(f"{name} is larger than {largest >> 20} MiB")
        return path.read_bytes()


def _refuse_wide(name: str, shape: tuple[int, ...]) -> None:
    """Refuses a wide empty array: it takes no bytes of a file, but a sum over its empty axis takes the memory of the others."""
    if math.prod(max(n, 1) for n in shape) > max(MOST_CELLS, math.prod(shape)):
        raise BadArtifact(f"{name!r} is empty and has shape {tuple(shape)}")
