"""Pictures of a class on one lesson, drawn by matplotlib in the course's style. Each has its words beside it on the page."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from etude import plots
from grader.grading.verdict import MetricResult, Verdict

BINS = 10


def shares(verdicts: Sequence[Verdict]) -> list[float]:
    """Gives the share of the automatic points that each verdict earned, from 0 to 1."""
    return [verdict.earned / verdict.points for verdict in verdicts if verdict.points]


def counted(verdicts: Sequence[Verdict]) -> list[int]:
    """Counts the students in each tenth of the points; all points lie in the last."""
    counts, _ = np.histogram(shares(verdicts), bins=BINS, range=(0, 1))
    return [int(count) for count in counts]


def picture(verdicts: Sequence[Verdict], metrics: dict[str, list[MetricResult]]) -> str:
    """Draws how the points are distributed and where the metrics lie beside their intervals.

    Args:
        metrics: by name, those with a value.

    Returns:
        A PNG in base64.
    """
    plots.style()
    heights = [2.2, *[0.6] * len(metrics)]
    figure, axes = plt.subplots(
        len(heights), figsize=(7, sum(heights) + 0.8 * len(heights)), height_ratios=heights, squeeze=False
    )
    top, *below = axes[:, 0]
    top.bar(np.arange(BINS) * 10 + 5, counted(verdicts), width=9)
    top.set(xlabel="automatic points, %", ylabel="students", xlim=(0, 100), title="How the points are distributed")
    top.yaxis.get_major_locator().set_params(integer=True)
    for ax, (name, results) in zip(below, metrics.items(), strict=True):
        _strip(ax, name, results)
    figure.tight_layout()
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=90, pil_kwargs={"optimize": True}, metadata={"Software": None})
    plt.close(figure)
    return base64.b64encode(content.getvalue()).decode()


def _strip(ax: Axes, name: str, results: Sequence[MetricResult]) -> None:
    """Draws each student's value as a dot, the interval as a band; a side without a bound is open to the edge."""
    values = np.array([result.value for result in results if result.value is not None])
    low, high = results[0].low, results[0].high
    ends = [*values[np.isfinite(values)], *(x for x in (low, high) if x is not None)]
    margin = 0.05 * (max(ends) - min(ends)) or 1.0
    left, right = min(ends) - margin, max(ends) + margin
    better = results[0].better
    band = (left if low is None or better == "lower" else low, right if high is None or better == "higher" else high)
    ax.axvspan(*band, color=plots.COLOURS[2], alpha=0.25, lw=0)
    ax.plot(values, np.linspace(-0.5, 0.5, len(values)) if len(values) > 1 else [0.0], "o", ms=4, alpha=0.6)
    ax.set(xlim=(left, right), ylim=(-1, 1), yticks=[], title=f"{name}: each student's value, and the interval")
