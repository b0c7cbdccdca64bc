"""Which classic mistake is this? Compares the outcomes of an exercise's checks with those of known wrong answers.

A lesson ships `mistakes.json`: for each known mistake the sentence that names it and, for each check, what that mistake
gives: only outcomes, never code. A mistake is named when every check of the exercise came out as it does for that
mistake, so a right answer, which passes all of them, is never named one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from etude.lesson.checks import Outcome
from etude.lesson.values import is_complex, kind, leading, plain, shape, text

MOST_NUMBERS = 200  # of one outcome that are kept; the rest is compared by shape alone
ROUNDING = 1e-3  # relative: the same mistake written in another way differs by rounding alone
ANY = "any"  # in the place of numbers that differ from processor to processor: none is compared


def fingerprint(outcome: Outcome) -> dict[str, Any]:
    """Describes what a check saw, small enough to ship: numbers with their shape, a digest of other values, or an exception.

    Of what a drawn input gave nothing is kept: it depends on the draws, and on the way the input was made small.
    """
    if outcome.mismatch is not None and outcome.mismatch.saw_a_value and not outcome.mismatch.drawn:
        return {"status": "failed", **_seen(outcome.mismatch.actual)}
    if outcome.status == "error" and outcome.error is not None:
        return {"status": "error", "error": outcome.error[0]}
    return {"status": outcome.status}


def _seen(actual: Any) -> dict[str, Any]:
    sizes = shape(actual)
    if sizes is None:
        return _seen_otherwise(actual)
    try:
        numbers = leading(actual, MOST_NUMBERS)
    except Exception:  # numbers that cannot be converted, as an int beyond every float
        return _seen_otherwise(actual)
    if is_complex(actual):
        sizes, numbers = (2, *sizes), _real(numbers)
    return {"type": kind(actual), "shape": list(sizes), "values": _rounded(numbers)}


def _seen_otherwise(actual: Any) -> dict[str, Any]:
    """Digests all but the floats, which are kept beside the digest: those of the same mistake may differ by rounding."""
    floats: list[float] = []
    try:
        outline, name = repr(_outline(actual, floats)), _kind_of_plain(actual)
    except Exception:  # an object of the student's that cannot be gone through
        outline, name, floats = text(actual), kind(actual), []
    digest = hashlib.sha256(outline.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return {"type": name, "digest": digest, **({"values": _rounded(np.array(floats))} if floats else {})}


def _kind_of_plain(actual: Any) -> str:
    """Names the kind that checks compare: a frozenset is a set to them."""
    value = plain(actual)
    return "set" if isinstance(value, frozenset) else kind(value)


def _outline(value: Any, floats: list[float]) -> Any:
    """Brings the value into the form whose repr is digested.

    Floats and arrays are taken out, sets and dicts put in an order that never changes.
    """
    value = plain(value)
    if isinstance(value, list | tuple):
        return type(value)(_outline(item, floats) for item in value)
    if isinstance(value, dict):
        return {
            key: _outline(value[key], floats) for key in sorted(value, key=text)
        }  # their order is not compared either
    if isinstance(value, set | frozenset):
        return sorted(text(item) for item in value)
    if isinstance(value, float):
        floats += [value][: max(0, MOST_NUMBERS - len(floats))]
        return ()
    if hasattr(value, "shape"):
        floats += _real(leading(value, max(0, MOST_NUMBERS - len(floats)))).tolist()
        return shape(value)
    return value


def _real(numbers: np.ndarray) -> np.ndarray:
    """Writes complex numbers as two rows in one: the real parts, then the imaginary ones."""
    return np.concatenate([numbers.real, numbers.imag]) if np.iscomplexobj(numbers) else numbers


def _rounded(array: np.ndarray) -> list[float | None]:
    """Rounds the first numbers to six significant digits. JSON has no NaN: None stands for it."""
    return [None if np.isnan(x) else float(f"{x:.6g}") for x in array.ravel()[:MOST_NUMBERS]]


def alike(outcome: dict[str, Any], known: dict[str, Any]) -> bool:
    """Tells whether two fingerprints are of the same outcome, numbers up to rounding."""
    if {**outcome, "values": None} != {**known, "values": None}:
        return False
    if ANY in (outcome.get("values"), known.get("values")):
        return True
    have, want = (np.array(side.get("values", []), dtype=float) for side in (outcome, known))  # None becomes NaN
    return have.shape == want.shape and bool(np.allclose(have, want, rtol=ROUNDING, atol=1e-6, equal_nan=True))


def diagnose(outcomes: Sequence[Outcome], known: Sequence[dict[str, Any]]) -> str | None:
    """Finds the sentence of the mistake whose outcomes these are, None if they are those of none.

    Args:
        known: the exercise's rows of mistakes.json.
    """
    if all(outcome.passed for outcome in outcomes):
        return None
    fingerprints = {outcome.check.name: fingerprint(outcome) for outcome in outcomes}
    for mistake in known:
        if mistake["outcomes"].keys() == fingerprints.keys() and all(
            alike(fingerprints[k], v) for k, v in mistake["outcomes"].items()
        ):
            return str(mistake["sentence"])
    return None


@cache
def load(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Reads mistakes.json: exercise → known mistakes. A lesson without the file knows none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
