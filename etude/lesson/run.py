"""`etude.start(...)`: opens a lesson in a notebook. Checks the parameters, fixes the seeds, finds the lesson's files.

Knows where a lesson's public files lie; knows nothing of grading.
"""

from __future__ import annotations

import contextlib
import random
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from etude.lesson.values import describe

if TYPE_CHECKING:
    import torch

PROFILES = {"smoke": "seconds, for grading", "cpu": "about a minute on two cores", "gpu": "full size, for one GPU"}
LARGEST_SEED = 2**32 - 1  # numpy's bound


class LessonError(Exception):
    """A lesson cannot be opened or recorded as asked; the message says what to change."""


@dataclass(frozen=True)
class Run:
    """One run of one lesson. `folder` holds the lesson's checks and tables, `out` takes what it records."""

    lesson: str
    profile: str
    seed: int
    device: torch.device
    folder: Path
    out: Path


_current: Run | None = None


def current() -> Run:
    """Returns the run that `start` opened last.

    Raises:
        LessonError: no lesson is open.
    """
    if _current is None:
        raise LessonError("no lesson is open: run the notebook's first cells, the one with etude.start(...) too")
    return _current


def start(
    lesson: str, *, profile: str = "cpu", seed: int = 0, device: str = "auto", out: str | Path = "results"
) -> Run:
    """Opens a lesson: `start("week1_embeddings/word2vec", profile="cpu", seed=0)`.

    Args:
        profile: smoke (seconds), cpu (about a minute on two cores) or gpu (full size).
        seed: a whole number from 0 to 2³²−1; seeds Python, numpy and torch.
        device: auto, cpu, cuda or mps.
        out: the folder for results, made if need be.

    Raises:
        LessonError: a value makes no sense, or the device is not there; the message says what to change.
    """
    global _current
    import numpy as np
    import torch

    if not isinstance(profile, str) or profile not in PROFILES:
        choices = ", ".join(f"{name!r} ({what})" for name, what in PROFILES.items())
        raise LessonError(f"profile {describe(profile)} is not known: choose one of {choices}")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        raise LessonError(f"seed {describe(seed)} makes no sense: give a whole number from 0 to {LARGEST_SEED}")
    chosen = _device(device)
    folder = find_folder(lesson)
    results = _results(out)
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    _current = Run(lesson, profile, seed, chosen, folder, results)
    print(f"{lesson} · profile {profile} · seed {seed} · {chosen} · torch {torch.__version__}")
    return _current


def _device(name: str) -> torch.device:
    import torch

    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not isinstance(name, str) or name not in {"auto", *there}:
        raise LessonError(f"device {describe(name)} is not known: choose auto, cpu, cuda or mps")
    if name == "auto":
        return torch.device("cuda" if there["cuda"] else "cpu")
    if not there[name]:
        raise LessonError(
            f"device {name!r} was asked for, but torch {torch.__version__} sees none here; "
            "use device='auto' (etude doctor says what is missing)"
        )
    return torch.device(name)


def _results(out: str | Path) -> Path:
    """Makes the folder for results if need be. Its path is absolute: a notebook that changes its folder finds it again."""
    try:
        path = Path(out).resolve()
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, TypeError, ValueError) as error:
        raise LessonError(f"no folder for results at {describe(out)} ({error}): name another with out=...") from None
    return path


def find_folder(lesson: str, beside: Path = Path()) -> Path:
    """Finds the lesson's public files: beside the notebook, in the course's folder weeks/, or in the installed package.

    Args:
        beside: the notebook's folder.

    Raises:
        LessonError: they are nowhere; the error says where they were looked for.
    """
    week, _, name = lesson.partition("/") if isinstance(lesson, str) else ("", "", "")
    if not week or not name:
        raise LessonError(f"lesson {describe(lesson)} is not known: give week and lesson, 'week1_embeddings/word2vec'")
    places = [beside / name, beside / week / name, beside / "weeks" / week / name]
    with contextlib.suppress(ModuleNotFoundError):  # a sandbox shows the library without it
        places.append(Path(str(resources.files("etude_weeks"))) / week / name)
    for place in places:
        if (place / "checks.py").is_file():
            return place.resolve()
    looked = ", ".join(str(place.absolute()) for place in places)
    raise LessonError(
        f"the checks of {describe(lesson)} are missing: the folder {name!r} must lie beside the notebook "
        f"(looked in {looked})"
    )
