"""The course's checkpoints: made by the one command, kept while nothing that decides them has changed.

    data/models/NAME/   config.json, model.safetensors, tokenizer.json   what `load` of `etude.pretrained`
                                                                         or `etude.pretrained_gpt` reads
                        made.json                                        where it comes from, and the hash of what decides it

The last digits of a model depend on the processor that trained it, so it is committed and never compared: the hash is of the
recipe, the code that trains and the libraries.
"""

from __future__ import annotations

import json
from pathlib import Path

from etude import pretrained, pretrained_gpt, recipes, recipes_gpt
from etude.files import write_whole
from etude.recipes_gpt import GPTRecipe
from etude.train import History
from grader.course import CourseError
from grader.provenance import ROOT, fingerprint, head, imported, libraries

RECORD = "made.json"
# What is imported and decides no weight: other recipes, how files are written, and what a notebook is checked with.
BESIDE = (
    *("etude/recipes.py", "etude/recipes_gpt.py", "etude/files.py", "etude/lesson/"),
    *("etude/models/checkpoints.py", "etude/models/gpt_checkpoints.py", "etude/models/checkpoint_files.py"),
)


def names() -> list[str]:
    """Lists the checkpoints that there are recipes for."""
    return [*recipes.RECIPES, *recipes_gpt.GPT_RECIPES]


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
    kept = state / f"{name}-{inputs[:16]}.pt"
    if name in recipes_gpt.GPT_RECIPES:
        history = pretrained_gpt.make(recipes_gpt.GPT_RECIPES[name], folder, kept)
    else:
        history = pretrained.make(recipes.RECIPES[name], folder, kept)
    last = history.losses[-100:]
    record = {"inputs": inputs, **head(command), "loss_of_last_steps": round(sum(last) / len(last), 4)}
    write_whole(folder / RECORD, json.dumps(record, indent=1) + "\n")
    kept.unlink(missing_ok=True)
    return history


def _inputs(name: str) -> str:
    """Hashes the recipe, the code and the libraries."""
    recipe = recipes.RECIPES.get(name) or recipes_gpt.GPT_RECIPES.get(name)
    if recipe is None:
        raise CourseError(f"there is no recipe {name!r}; there are {', '.join(names())}")
    maker = Path(str((pretrained_gpt if isinstance(recipe, GPTRecipe) else pretrained).__file__))
    deciding = [path for path in imported([maker]) if not path.relative_to(ROOT).as_posix().startswith(BESIDE)]
    return fingerprint(recipe, libraries(), code=[*deciding, maker])
