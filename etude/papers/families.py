"""Family trees of models and of optimisers: the tables of facts, the words for what a child took, and the drawing.

A tree is a set of edges (parent, child) over names with dates. This module knows the published facts that stand in
data/families; it must not know who descends from whom among the models, which is what students find out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Patch
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from etude.plots import COLOURS

HALVES = {"encoder": "every position sees all", "decoder": "a position sees those before it", "both": "both, joined"}
READINGS = {
    "AR": "autoregressive: tokens one after another, each from those before it in some order",
    "AE": "autoencoding: the original back from a corrupted text, at once",
    "both": "a corrupted text goes in, tokens come out one after another",
}
TASKS = {
    "translation": "the sentence in another language",
    "next token": "the token that follows",
    "permuted order": "the next token of an order drawn at random",
    "masked tokens": "tokens that were hidden",
    "masked spans": "runs of tokens that were cut out, as a text of their own",
    "replaced tokens": "which tokens are not the original ones",
    "next sentence": "whether the second segment follows the first or comes from elsewhere",
    "sentence order": "whether two consecutive segments were exchanged",
    "teacher": "what a larger model gives for the same input",
    "adversarial": "a generator is trained to mislead a discriminator",
}
TOOK = {
    "counts": "statistics of the whole corpus",
    "attention": "the idea of attention, without the rest",
    "encoder": "the encoder of the Transformer",
    "decoder": "the decoder of the Transformer, without its attention to an encoder",
    "encoder and decoder": "the Transformer with both its halves",
    "tokenizer": "how text is cut into pieces",
    "model": "the parent as a whole, or nearly",
}
CHANGED = {
    "nothing": "used as it is",
    "architecture": "put together in another way",
    "objective": "trained on another task",
    "training": "trained longer, on more, in another way; same architecture",
    "size": "the same, larger",
    "sharing": "the same computation with fewer parameters",
    "distillation": "a smaller copy that learns from its parent",
    "units": "works on smaller pieces of words",
    "knowledge": "joined with a graph of facts",
    "language": "the same for Korean",
}

ROW = 0.36  # inches, the height of a row of names
GAP, PAD = 40, 3  # pixels between two names of a row, room for an arrow; and around a name
BENDS = [side * size for size in (0.12, 0.06, 0.2, 0.3, 0.4) for side in (1, -1)]  # of arrows, the first that is free
QUIET, BUSY, EACH = 0.12, 0.9, 0.5  # the width of a year: without papers; with some; and for each of them


def models() -> pd.DataFrame:
    """Reads data/families/models.csv: one row a model, text as it is written, oldest first."""
    return _table("models.csv")


def optimisers() -> pd.DataFrame:
    """Reads data/families/optimisers.csv: one row an optimiser, text as it is written, oldest first."""
    return _table("optimisers.csv")


def _table(name: str) -> pd.DataFrame:
    with (files("etude_data") / "families" / name).open(encoding="utf-8") as file:
        return pd.read_csv(file, dtype=str, keep_default_na=False)


def timeline(
    dates: Mapping[str, str],
    edges: Collection[tuple[str, str]],
    lanes: Mapping[str, str],
    groups: Mapping[str, str],
    *,
    order: Sequence[str],
    title: str,
) -> Figure:
    """Draws a tree along time: names in lanes, arrows from parent to child in the parent's colour.

    A year is as wide as it is rich in names.

    Args:
        dates: name → "2018-10" or "2018", drawn in the middle of its month or year.
        edges: (parent, child).
        lanes: name → one of `order`.
        groups: name → what its colour says.
        order: the lanes from top to bottom.

    Raises:
        ValueError: a name in an edge has no date, or a lane is not in `order`.
    """
    for parent, child in edges:
        if unknown := {parent, child} - dates.keys():
            raise ValueError(
                f"the edge {parent!r} → {child!r} has no date for {sorted(unknown)[0]!r}: give one in `dates`"
            )
    if unknown := set(lanes.values()) - set(order):
        raise ValueError(f"the lane {sorted(unknown)[0]!r} is not in `order`, which has {', '.join(order)}")
    when = {name: _year(date) for name, date in dates.items()}
    starts = _starts(when.values())
    across = {name: _across(year, starts) for name, year in when.items()}
    shown = list(dict.fromkeys(groups.values()))
    colours = {group: COLOURS[i % len(COLOURS)] for i, group in enumerate(shown)}

    figure, ax = plt.subplots(figsize=(12, 6), layout="constrained")
    ax.set(xlim=(-0.7, max(starts.values()) + 0.7), ylim=(len(dates), 0), title=title)
    _years(ax, starts, when.values())
    ax.set_yticks([0.5], [max(order, key=len)])  # so that the layout leaves room for the longest lane
    handles = [Patch(facecolor=colours[group], alpha=0.6, label=group) for group in shown]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9)
    by_time = sorted(dates, key=across.__getitem__)
    texts = {
        name: ax.text(across[name], 0.5, name, fontsize=8.5, ha="center", va="center", zorder=4) for name in by_time
    }
    figure.draw_without_rendering()  # from here on the axes and the names have their widths
    margin = figure.get_figheight() - ax.get_window_extent().height / figure.dpi  # of title, axis and legend, in inches

    extents = {name: text.get_window_extent() for name, text in texts.items()}
    bands = _bands(extents, edges, lanes, order, ROW * figure.dpi)
    rows = {name: row + 0.5 for band in bands.values() for name, row in band.items()}
    top = 0
    for number, band in enumerate(bands.values()):
        height = max(band.values(), default=top) + 1 - top
        ax.axhspan(top, top + height, color="#888888", alpha=0.1 if number % 2 == 0 else 0, lw=0)
        top += height
    middles = {lane: sum(band.values()) / len(band) + 0.5 for lane, band in bands.items() if band}
    ax.set_yticks(list(middles.values()), list(middles))
    ax.set_ylim(top, 0)
    figure.set_figheight(ROW * top + margin)
    for name, text in texts.items():
        text.set_y(rows[name])
    figure.draw_without_rendering()  # and their places

    boxes = {name: _box(ax, text, colours[groups[name]]) for name, text in texts.items()}
    extents = {name: text.get_window_extent() for name, text in texts.items()}
    for parent, child in edges:
        _, bend = _bend(parent, child, extents)
        _arrow(ax, texts[parent], texts[child], boxes[parent], boxes[child], colours[groups[parent]], bend)
    return figure


def _year(date: str) -> float:
    """Converts a date to years: 2018-10 → 2018.79, the middle of the month; 2018 → 2018.5."""
    year, _, month = date.partition("-")
    return int(year) + ((int(month) - 0.5) / 12 if month else 0.5)


def _starts(years: Collection[float]) -> dict[int, float]:
    """Finds where each year begins on the axis, and where the last one ends.

    A quiet year is narrow, but never without width.
    """
    busy = [int(year) for year in years]
    place, starts = 0.0, {}
    for year in range(min(busy), max(busy) + 2):
        starts[year] = place
        place += BUSY + EACH * busy.count(year) if year in busy else QUIET
    return starts


def _across(year: float, starts: Mapping[int, float]) -> float:
    start, end = starts[int(year)], starts[int(year) + 1]
    return start + (year - int(year)) * (end - start)


def _years(ax: Any, starts: Mapping[int, float], years: Collection[float]) -> None:
    """Draws a tick in the middle of each year in which something appeared, and a thin line where a year begins."""
    busy = sorted({int(year) for year in years})
    ax.set_xticks([_across(year + 0.5, starts) for year in busy], [str(year) for year in busy], fontsize=8.5)
    ax.set_xlabel("year (as wide as it is rich in papers)")
    ax.tick_params(length=0)
    ax.spines["left"].set_visible(False)
    for year in {edge for begin in busy for edge in (begin, begin + 1)}:
        ax.axvline(starts[year], color="#bbbbbb", lw=0.6, zorder=0)


def _box(ax: Any, text: Text, colour: str) -> FancyBboxPatch:
    """Draws a rounded box around a name.

    It stands in the axes' own coordinates, so that arrows still meet it when the picture is cropped.
    """
    around = text.get_window_extent().padded(PAD)
    (left, bottom), (right, top) = ax.transData.inverted().transform([around.p0, around.p1])
    squeeze = (
        abs(top - bottom) / around.height * around.width / (right - left)
    )  # pixels are not square in these coordinates
    box = FancyBboxPatch(
        (left, min(bottom, top)),
        right - left,
        abs(top - bottom),
        boxstyle=f"round,pad=0,rounding_size={(right - left) * PAD / around.width}",
        mutation_aspect=squeeze,
        facecolor=_tint(colour),
        edgecolor=colour,
        linewidth=1.2,
        zorder=3,
    )
    ax.add_patch(box)
    return box


def _tint(colour: str) -> tuple[float, float, float]:
    """Mixes the colour into white paint, so that black letters stay readable and arrows behind do not show."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return (0.8 + 0.2 * red, 0.8 + 0.2 * green, 0.8 + 0.2 * blue)


def _bands(
    extents: Mapping[str, Bbox],
    edges: Collection[tuple[str, str]],
    lanes: Mapping[str, str],
    order: Sequence[str],
    height: float,
) -> dict[str, dict[str, int]]:
    """Finds a row for each name: lane → name → its row, counted from the top of the picture.

    Each lane has rows of its own, an empty lane has one. Names are placed lane by lane from left to right, each in the row
    in which the fewest names stand in the way of an arrow, at best in its parent's. extents: name → its box in pixels, from
    left to right; height: of a row, in pixels.
    """
    bands: dict[str, dict[str, int]] = {}
    placed: dict[str, Bbox] = {}
    top = 0
    for lane in order:
        band = bands[lane] = {}
        last = top  # one row below those that have names
        for name, box in extents.items():
            if lanes[name] != lane:
                continue

            def cost(row: int, name: str = name, box: Bbox = box, band: Mapping[str, int] = band) -> tuple[int, bool]:
                """Counts the names that arrows would pass, and tells whether the row is none of a parent's."""
                boxes = placed | {name: box.translated(0, -row * height)}
                known = [edge for edge in edges if boxes.keys() >= set(edge)]
                follows = any(band.get(parent) == row for parent, child in known if child == name)
                return sum(_bend(*edge, boxes)[0] for edge in known), not follows

            taken = {row for other, row in band.items() if extents[other].x1 + GAP >= box.x0}
            row = min((row for row in range(top, last + 1) if row not in taken), key=cost)
            band[name], placed[name] = row, box.translated(0, -row * height)
            last = max(last, row + 1)
        top = max(last, top + 1)
    return bands


def _bend(parent: str, child: str, boxes: Mapping[str, Bbox]) -> tuple[int, float]:
    """Finds the best bend of an arrow and returns (how much it would run behind names, its bend).

    A name that it runs behind counts 2, as much as leaving the picture; one that it nearly touches counts 1.
    boxes: name → its box in pixels.
    """
    start, end = (boxes[name].get_points().mean(axis=0) for name in (parent, child))  # (2,) each
    others = [box for name, box in boxes.items() if name not in (parent, child)]
    padded = np.array([box.padded(pad).extents for box in others for pad in (PAD, 2 * PAD)])
    low, high = np.split(padded.reshape(-1, 1, 1, 4), 2, axis=3)  # (2 × names, 1, 1, 2) each
    across, up = end - start
    level = abs(up) < 1  # pixel: along a row an arrow is straight
    bends = np.array([0.0] if level else BENDS if up < 0 else [-bend for bend in BENDS])
    corners = (start + end) / 2 + bends[:, None, None] * [up, -across]  # (bends, 1, 2), as matplotlib's arc3 has them
    way = np.linspace(0, 1, 60)[:, None]  # (60, 1)
    curves = (1 - way) ** 2 * start + 2 * way * (1 - way) * corners + way**2 * end  # (bends, 60, 2)
    passed = ((low <= curves) & (curves <= high)).all(axis=3).any(axis=2).sum(axis=0)  # (bends,)
    hull = Bbox.union(list(boxes.values())).padded(2 * PAD)
    passed += 2 * ((curves[..., 1] < hull.y0) | (curves[..., 1] > hull.y1)).any(axis=1)
    best = int(passed.argmin())  # the first of the best
    return int(passed[best]), float(bends[best])


def _arrow(
    ax: Any, parent: Text, child: Text, start: FancyBboxPatch, end: FancyBboxPatch, colour: str, bend: float
) -> None:
    """Draws an arrow from box to box, behind the names.

    It is bent between rows, so that arrows from one parent can be told apart.
    """
    ax.add_patch(
        FancyArrowPatch(
            parent.get_position(),
            child.get_position(),
            patchA=start,
            patchB=end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=9,
            shrinkA=0,
            shrinkB=0.5,
            color=colour,
            alpha=0.75,
            lw=1.1,
            zorder=2,
        )
    )
