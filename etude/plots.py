"""Plots in the style of the course: colours safe for the colour-blind (Okabe and Ito 2008), Korean glyphs.

Draws on axes that it is given; knows nothing of lessons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.rcsetup import cycler
from torch import Tensor

from etude.fonts import use_korean

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def style() -> None:
    """Sets matplotlib's defaults for a lesson."""
    use_korean()
    plt.rcParams.update(
        {
            "axes.prop_cycle": cycler(color=COLOURS),
            "axes.titlelocation": "left",
            "axes.titlesize": 11,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
            "figure.dpi": 110,
        }
    )


def plane(vectors: Tensor) -> Tensor:
    """Projects the vectors on the two directions in which they vary most (PCA): (N, d) → (N, 2)."""
    centred = vectors.float() - vectors.float().mean(dim=0)
    left, scale, _ = torch.linalg.svd(centred, full_matrices=False)
    flat: Tensor = left[:, :2] * scale[:2]  # (N, 2)
    return flat


def pairs_in_the_plane(
    ax: Any, vectors: Tensor, words: Sequence[str], pairs: Sequence[tuple[str, str]], title: str
) -> None:
    """Draws each pair (from, to) of words with vectors (V, d) as an arrow in the plane of the pairs' unit vectors."""
    index = {word: i for i, word in enumerate(words)}
    known = [pair for pair in pairs if pair[0] in index and pair[1] in index]
    ax.set(xlabel="first principal direction", ylabel="second principal direction", title=title)
    if not known:
        ax.text(0.5, 0.5, "none of the pairs has vectors", transform=ax.transAxes, ha="center", va="center")
        return
    rows = torch.tensor([[index[a], index[b]] for a, b in known])  # (P, 2)
    unit = torch.nn.functional.normalize(vectors.detach().cpu().float(), dim=1)
    points = plane(unit[rows.flatten()]).reshape(-1, 2, 2).numpy()  # (P, from/to, xy)
    for (start, end), (a, b) in zip(points, known, strict=True):
        ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": "#999999", "lw": 1})
        outwards = 1 if start[0] > end[0] else -1  # names stand beyond the arrow's ends
        for place, word, colour, side in ((start, a, COLOURS[0], outwards), (end, b, COLOURS[1], -outwards)):
            align = "left" if side > 0 else "right"
            ax.annotate(word, place, (4 * side, 0), textcoords="offset points", color=colour, ha=align, va="center")
    ax.plot(*points.reshape(-1, 2).T, ".", alpha=0)  # so that the axes fit
    ax.margins(x=0.3, y=0.1)  # room for the names


def bars(ax: Any, values: Mapping[str, float], *, label: str, title: str, chance: float | None = None) -> None:
    """Draws horizontal bars with their values, and chance as a dashed line. NaN has a name, but no bar."""
    names, numbers = list(values), np.array(list(values.values()), dtype=float)
    lengths = np.nan_to_num(numbers)  # matplotlib would drop the whole row
    ax.barh(names, lengths, color=COLOURS[0])
    for i, (length, number) in enumerate(zip(lengths, numbers, strict=True)):
        ax.text(length, i, " none" if np.isnan(number) else f" {number:.2f}", va="center", fontsize=9)
    ax.margins(x=0.12)  # room for the values
    if chance is not None:
        ax.axvline(chance, color=COLOURS[1], ls="--", lw=1, label=f"chance {chance:.3f}")
        ax.legend(loc="lower right")
    ax.invert_yaxis()
    ax.set(xlabel=label, title=title)
