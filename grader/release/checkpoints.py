"""The course's checkpoints: made by the one command, kept while nothing that decides them has changed.

    data/models/NAME/   config.json, model.safetensors, tokenizer.json   what `load` of `etude.pretrained`,
                                                                         `etude.pretrained_gpt`, `…_variants` or `…_electra` reads
                        made.json                                        where it comes from, and the hash of what decides it

The last digits of a model depend on the processor that trained it, so it is committed and never compared: the hash is of the
recipe, the code that trains and the libraries.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from etude import (
    pretrained,
    pretrained_electra,
    pretrained_gpt,
    pretrained_variants,
    recipes,
    recipes_electra,
    recipes_gpt,
    recipes_variants,
)
from etude.files import write_whole
from etude.train import History
from grader.course import CourseError
from grader.provenance import ROOT, fingerprint, head, imported, libraries

RECORD = "made.json"
# What is imported and decides no weight: other recipes, how files are written, and what a notebook is checked with.
BESIDE = (
    *("etude/recipes.py", "etude/recipes_gpt.py", "etude/recipes_variants.py", "etude/recipes_electra.py"),
    *("etude/files.py", "etude/lesson/", "etude/models/checkpoints.py", "etude/models/gpt_checkpoints.py"),
    *("etude/models/checkpoint_files.py", "etude/models/variant_checkpoints.py", "etude/models/electra_checkpoints.py"),
)


def names() -> list[str]:
    """Lists the checkpoints that there are recipes for."""
    return [name for table, _ in _tables() for name in table]


def fresh(name: str) -> bool:
    """Tells whether the checkpoint is what its recipe and the code of today would give.

    Raises:
        CourseError: there is no recipe of this name.
    """
    inputs = _inputs(name)
    try:
        made = json.loads((pretrained.folder_of(name) / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(made.get("inputs") == inputs)


def make(name: str, state: Path, command: str) -> History:
    """Pre-trains the model, some minutes with a bar, and writes the checkpoint with the record of where it comes from.

    Args:
        state: a folder for what is done, so that a call that was cut goes on.

    Raises:
        CourseError: there is no recipe of this name.
    """
    inputs, folder = _inputs(name), pretrained.folder_of(name)
    recipe, maker = _known(name)
    kept = state / f"{name}-{inputs[:16]}.pt"
    history: History = maker.make(recipe, folder, kept)
    last = history.losses[-100:]
    record = {"inputs": inputs, **head(command), "loss_of_last_steps": round(sum(last) / len(last), 4)}
    write_whole(folder / RECORD, json.dumps(record, indent=1) + "\n")
    for path in folder.iterdir():
        path.chmod(0o644)  # a sandbox reads it under another user's name
    kept.unlink(missing_ok=True)
    return history


def _known(name: str) -> tuple[object, ModuleType]:
    """Finds the recipe of this name and the module that makes it.

    Raises:
        CourseError: there is none.
    """
    for table, maker in _tables():
        if name in table:
            return table[name], maker
    raise CourseError(f"there is no recipe {name!r}; there are {', '.join(names())}")


def _tables() -> tuple[tuple[Mapping[str, object], ModuleType], ...]:
    """Lists the tables of recipes, each with the module that makes what stands there."""
    return (
        (recipes.RECIPES, pretrained),
        (recipes_gpt.GPT_RECIPES, pretrained_gpt),
        (recipes_variants.VARIANT_RECIPES, pretrained_variants),
        (recipes_electra.ELECTRA_RECIPES, pretrained_electra),
    )


def _inputs(name: str) -> str:
    """Hashes the recipe, the code and the libraries."""
    recipe, module = _known(name)
    maker = Path(str(module.__file__))
    deciding = [path for path in imported([maker]) if not path.relative_to(ROOT).as_posix().startswith(BESIDE)]
    return fingerprint(recipe, libraries(), code=[*deciding, maker])
