"""Metrics that the grader computes itself: from what a notebook recorded, or by asking its functions.

A lesson's hidden.py marks a function with `@metric("name")`. It takes the artifacts and, if it has a second parameter, the
student: `student.predict(inputs)` is asked on inputs whose labels never leave this process. It returns a number.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import torch

from grader.grading.artifacts import Artifacts, BadArtifact

Metric = Callable[..., float]


def metric(name: str) -> Callable[[Metric], Metric]:
    """Marks a function in hidden.py as the computation of a metric of the expected table."""

    def mark(function: Metric) -> Metric:
        function.__etude_metric__ = name  # type: ignore[attr-defined]
        return function

    return mark


def marked(hidden: ModuleType) -> dict[str, Metric]:
    """Collects the marked functions of a lesson's hidden.py: metric → its function."""
    return {f.__etude_metric__: f for f in vars(hidden).values() if hasattr(f, "__etude_metric__")}


def asks_the_student(function: Metric) -> bool:
    return len(inspect.signature(function).parameters) > 1


def compute(
    functions: Mapping[str, Metric], artifacts: Artifacts, student: Any = None
) -> dict[str, tuple[float | None, str]]:
    """Computes the metrics from the artifacts.

    Args:
        student: the client to ask; None if the notebook's process has ended.

    Returns:
        Metric → (value, "") or (None, why there is none).
    """
    computed: dict[str, tuple[float | None, str]] = {}
    for name, function in functions.items():
        asks = asks_the_student(function)
        if asks and student is None:
            computed[name] = (None, "the notebook's process has ended, so its functions cannot be asked")
            continue
        try:
            with torch.no_grad():
                value = float(function(artifacts, student) if asks else function(artifacts))
            computed[name] = (value, "") if math.isfinite(value) else (None, "it is not a finite number")
        except BadArtifact as error:
            computed[name] = (None, str(error))
        except Exception as error:  # shapes that do not fit together, words that do not match, the student's own errors
            # Only the first line goes to the student: the rest may tell what was asked, and is for the instructor.
            why = f"it cannot be computed from what is there ({type(error).__name__})\n{error}"
            computed[name] = (None, why[:1000])
    return computed
