"""Which classic mistake is this? Compares the outcomes of an exercise's checks with those that known wrong answers give.

A lesson ships `mistakes.json`: for each known mistake the sentence that names it and, for each check, what that mistake
gives: only outcomes, never code. A mistake is named when every check of the exercise came out as it does for that mistake,
so a right answer, which passes all of them, is never named one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from etude.checks import Outcome
from etude.values import as_array

MOST_NUMBERS = 200  # numbers of one outcome that are kept; the rest is compared by shape alone
ROUNDING = 1e-3  # relative: the same mistake written in another way differs by rounding alone


def fingerprint(outcome: Outcome) -> dict[str, Any]:
    """What a check saw, small enough to ship: numbers with their shape, a digest of other values, or an exception."""
    if outcome.mismatch is not None:
        if "expected" not in outcome.mismatch.values:  # a property: its numbers may differ from machine to machine
            return {"status": "failed"}
        actual = outcome.mismatch.values["actual"]
        try:
            numbers = as_array(actual)
        except TypeError:
            digest = hashlib.sha256(repr(actual).encode("utf-8", "surrogatepass")).hexdigest()[:16]
            return {"status": "failed", "type": type(actual).__name__, "digest": digest}
        if np.iscomplexobj(numbers):
            numbers = np.stack([numbers.real, numbers.imag])
        values = [None if np.isnan(x) else float(f"{x:.6g}") for x in numbers.ravel()[:MOST_NUMBERS]]
        return {"status": "failed", "type": type(actual).__name__, "shape": list(numbers.shape), "values": values}
    if outcome.status == "error" and outcome.error is not None:
        return {"status": "error", "error": outcome.error[0]}
    return {"status": outcome.status}


def alike(seen: dict[str, Any], known: dict[str, Any]) -> bool:
    """Whether two fingerprints are of the same outcome, numbers up to rounding."""
    if "values" not in seen or "values" not in known:
        return seen == known
    if seen["type"] != known["type"] or seen["shape"] != known["shape"]:
        return False
    have, want = (np.array([np.nan if x is None else x for x in side["values"]]) for side in (seen, known))
    return have.shape == want.shape and bool(np.allclose(have, want, rtol=ROUNDING, atol=1e-6, equal_nan=True))


def diagnose(outcomes: Sequence[Outcome], known: Sequence[dict[str, Any]]) -> str | None:
    """The sentence of the mistake whose outcomes these are, or None. `known`: rows of mistakes.json for this exercise."""
    if all(outcome.passed for outcome in outcomes):
        return None
    seen = {outcome.check.name: fingerprint(outcome) for outcome in outcomes}
    for mistake in known:
        if mistake["outcomes"].keys() == seen.keys() and all(alike(seen[k], v) for k, v in mistake["outcomes"].items()):
            return str(mistake["sentence"])
    return None


@cache
def load(path: Path) -> dict[str, list[dict[str, Any]]]:
    """mistakes.json: exercise → known mistakes. A lesson without the file knows none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
