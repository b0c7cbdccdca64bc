"""What a lesson asks of a submission: its checks, and the functions that compute its metrics.

Both come from one execution of checks.py and hidden.py. Each submission has its own: none shares state with another.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from etude.lesson.checks import Check
from grader.course import Lesson
from grader.grading import metrics
from grader.grading.metrics import Metric
from grader.lessons import source


@dataclass(frozen=True)
class Suite:
    """The checks, public ones first, and the metrics by name."""

    checks: list[Check]
    metrics: dict[str, Metric]

    @classmethod
    def of(cls, lesson: Lesson) -> Suite:
        """Loads the lesson's suite.

        Raises:
            CourseError: checks contradict each other.
        """
        # On every machine the same: with the number of threads the order of a sum changes, and so its rounding. Where there
        # are as many workers as cores, threads of each would wait for one another, too.
        torch.set_num_threads(1)
        checks, hidden = source.loaded(lesson)
        assert hidden is not None
        return cls(checks, metrics.marked(hidden))
