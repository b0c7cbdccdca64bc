"""A coverage-guided fuzzer on the wire format: whatever bytes a student's process sends, decode answers with a value or a CodecError.

libFuzzer (through atheris) changes messages byte by byte and keeps those that reach new lines of grader/remote/codec.py. What it
must not find: another exception, a value of a type that the wire does not carry, or memory beyond the bound. It runs for
a bounded time outside the tests, and writes how far it came.

    pip install -e .[fuzz]
    python tools/fuzz_codec.py --seconds 120
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

OUT = Path("build/trust/fuzz.json")
TYPES = (type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict, slice, range)
MEMORY_MB = 2048


def fuzz(data: bytes) -> None:
    """One message: its header up to the first zero byte, then a buffer."""
    from grader.remote import codec

    header, _, buffer = data.partition(b"\0")
    try:
        value = codec.decode(header, [buffer], lambda ref: None)
    except codec.CodecError:
        return
    assert_harmless(value)
    again, buffers = codec.encode(value, ref=lambda thing: None)
    codec.decode(again, buffers, lambda ref: None)  # what came in goes out again


def assert_harmless(value: Any) -> None:
    """Only types that the wire carries, at every depth."""
    if isinstance(value, dict):
        for pair in value.items():
            assert_harmless(pair)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            assert_harmless(part)
    assert type(value) in TYPES or type(value).__module__.partition(".")[0] in ("numpy", "torch"), type(value)


def seeds() -> list[bytes]:
    """A message of each kind of value, to begin with."""
    import numpy as np
    import torch

    from grader.remote import codec

    values: list[Any] = [None, True, -7, 2**70, 0.5, float("nan"), 1 + 2j, "눈", "x" * 2000, b"bytes", bytearray(b"x")]
    values += [[1, [2]], (1,), {3}, frozenset({4}), {"a": (1, "b")}, slice(1, None, 2), range(3)]
    values += [np.arange(6).reshape(2, 3), np.float32(1.5), np.array(["a", "b"]), torch.ones(2, 2), torch.float16]
    values += [torch.ones(2, requires_grad=True), torch.device("cpu"), np.zeros(3, complex), torch.zeros(0, 4)]
    messages = []
    for value in values:
        header, buffers = codec.encode(value, ref=lambda thing: None)
        messages.append(header + b"\0" + b"".join(bytes(memoryview(buffer).cast("B")) for buffer in buffers[:1]))
    return messages


def main(
    seconds: Annotated[int, typer.Option(min=5, help="How long.")] = 60,
    out: Annotated[Path, typer.Option(help="Where the record goes.")] = OUT,
) -> None:
    """Fuzz grader/remote/codec.py for a bounded time; exit status 1 and the message that did it if something is found."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for number, message in enumerate(seeds()):
            (corpus / str(number)).write_bytes(message)
        options = [f"-max_total_time={seconds}", f"-rss_limit_mb={MEMORY_MB}", "-timeout=10", "-print_final_stats=1"]
        command = [sys.executable, __file__, "--child", *options, f"-artifact_prefix={folder}/found-", str(corpus)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        found = [path.read_bytes() for path in Path(folder).glob("found-*")]
    said = done.stderr
    if done.returncode and not found:
        raise RuntimeError(f"the fuzzer did not run:\n{said[-3000:]}")
    edges = re.findall(r"cov: (\d+)", said)
    if not edges or not int(edges[-1]):
        raise RuntimeError(f"the fuzzer saw no line of the codec, so it was led by nothing:\n{said[-3000:]}")
    runs = re.findall(r"number_of_executed_units: (\d+)", said)
    record = {
        "seconds": seconds,
        "messages": int(runs[-1]) if runs else 0,
        "edges_covered": int(edges[-1]) if edges else 0,
        "found": [message.hex() for message in found],
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    typer.echo(json.dumps(record, indent=1))
    if found:
        typer.echo(said[-3000:])
        raise typer.Exit(1)


def child() -> None:
    import atheris

    with atheris.instrument_imports(include=["grader.remote.codec"]):
        importlib.import_module("grader.remote.codec")  # imported later, its lines would not be counted
    atheris.Setup([sys.argv[0], *sys.argv[2:]], fuzz)
    atheris.Fuzz()


if __name__ == "__main__":
    child() if sys.argv[1:2] == ["--child"] else typer.run(main)
