"""Prints what decides each checkpoint, as a hash: its start values, batches from all of its steps, and its tokenizer's file.

A change of the library that must not touch the models, such as a clearer error of a tokenizer, makes their records old.
Run this in a checkout from before the change and in one with it. Where the hashes are the same, the change shows in nothing
that was looked at: of the batches that is one of several, so read the change, too. Then `--accept COMMIT`, the one from
before, writes into the records what was compared.

    python tools/checkpoint_inputs.py > /tmp/now.txt
    python tools/checkpoint_inputs.py --accept 1a2b3c4 --before /tmp/before.txt
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import torch

from etude import pretrained
from etude.files import write_whole
from etude.train import History
from grader.release import checkpoints

BATCHES = 300  # from all steps, at equal distances


def add(value: Any, to: Any) -> None:
    """Takes a value's tensors and all else that is in it into the hash."""
    if isinstance(value, torch.Tensor):
        to.update(f"{value.dtype} {tuple(value.shape)}".encode())
        to.update(value.detach().contiguous().numpy().tobytes())
    elif isinstance(value, dict):
        add(list(value.items()), to)
    elif isinstance(value, tuple | list):
        for one in value:
            add(one, to)
    elif is_dataclass(value):
        add([getattr(value, field.name) for field in fields(value)], to)
    else:
        to.update(repr(value).encode())


def decisive(name: str) -> str:
    """Makes the checkpoint up to its training, which only looks at the batches, and hashes what it would be trained from."""
    recipe, maker = checkpoints._known(name)
    hashed = hashlib.sha256()

    def look(model: torch.nn.Module, batches: Any, plan: Any, optimizer: Any) -> History:
        add(dict(model.state_dict()), hashed)
        for step in range(0, plan.steps, max(1, plan.steps // BATCHES)):
            add(batches(step), hashed)
        return History()

    train, maker.train = maker.train, look  # type: ignore[attr-defined]
    try:
        with tempfile.TemporaryDirectory() as folder:
            maker.make(recipe, Path(folder), None)
            hashed.update(Path(folder, pretrained.TOKENIZER).read_bytes())
    finally:
        maker.train = train  # type: ignore[attr-defined]
    return hashed.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accept", metavar="COMMIT", help="the commit that was compared with")
    parser.add_argument("--before", type=Path, help="what this printed there")
    asked = parser.parse_args()
    if (asked.accept is None) != (asked.before is None):
        parser.error("give --accept and --before together")
    before = dict(line.split() for line in asked.before.read_text().splitlines()) if asked.before else {}
    for name in checkpoints.names():
        now = decisive(name)
        print(name, now, flush=True)
        if not asked.before:
            continue
        if before.get(name) != now:
            raise SystemExit(f"{name} would be another model: make it anew with `grader pretrain {name}`")
        path = pretrained.folder_of(name) / checkpoints.RECORD
        record = json.loads(path.read_text(encoding="utf-8"))
        record |= {"inputs": checkpoints._inputs(name), "trained_from_the_same_as_at": asked.accept}
        write_whole(path, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
