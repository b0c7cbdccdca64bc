"""Family trees of models and of optimisers: the tables of facts, the words for what a child took, and the drawing.

A tree is a set of edges (parent, child) over names with dates. This module knows the published facts that stand in
data/families; it must not know who descends from whom among the models, which is what students find out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Patch
from matplotlib.text import Text

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

ROW, MARGIN = 0.33, 1.2  # inches: the height of a row of names, and what title, axis and legend take
GAP, PAD = 40, 3  # pixels between two names of a row, room for an arrow; and around a name
QUIET, BUSY, EACH = 0.12, 0.9, 0.5  # the width of a year: without papers; with some; and for each of them


def models() -> pd.DataFrame:
    """data/families/models.csv: one row a model, text as it is written, oldest first."""
    return _table("models.csv")


def optimisers() -> pd.DataFrame:
    """data/families/optimisers.csv: one row an optimiser, text as it is written, oldest first."""
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
    """A tree drawn along time: names in lanes, arrows from parent to child in the parent's colour.

    dates: name → "2018-10" or "2018", drawn in the middle of its month or year. lanes: name → one of `order`, from top to
    bottom. groups: name → what its colour says. A year is as wide as it is rich in names. Raises ValueError for an edge or
    a lane that is not known.
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

    rows: dict[str, float] = {}
    top = 0
    for number, lane in enumerate(order):
        extents = {name: text.get_window_extent() for name, text in texts.items() if lanes[name] == lane}
        placed = _rows(extents, edges)
        rows |= {name: top + row + 0.5 for name, row in zip(extents, placed, strict=True)}
        height = max(placed, default=0) + 1
        ax.axhspan(top, top + height, color="#888888", alpha=0.1 if number % 2 == 0 else 0, lw=0)
        top += height
    middles = {lane: [rows[name] for name in texts if lanes[name] == lane] for lane in order}
    ax.set_yticks([sum(ys) / len(ys) for ys in middles.values() if ys], [lane for lane, ys in middles.items() if ys])
    ax.set_ylim(top, 0)
    figure.set_figheight(ROW * top + MARGIN)
    for name, text in texts.items():
        text.set_y(rows[name])
    figure.draw_without_rendering()  # and their places

    boxes = {name: _box(ax, text, colours[groups[name]]) for name, text in texts.items()}
    for parent, child in edges:
        _arrow(ax, texts[parent], texts[child], boxes[parent], boxes[child], colours[groups[parent]])
    return figure


def _year(date: str) -> float:
    """2018-10 → 2018.79, the middle of the month; 2018 → 2018.5."""
    year, _, month = date.partition("-")
    return int(year) + ((int(month) - 0.5) / 12 if month else 0.5)


def _starts(years: Collection[float]) -> dict[int, float]:
    """Where each year begins on the axis, and where the last one ends: a quiet year is narrow, but never without width."""
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
    """A tick in the middle of each year in which something appeared, a thin line where a year begins."""
    busy = sorted({int(year) for year in years})
    ax.set_xticks([_across(year + 0.5, starts) for year in busy], [str(year) for year in busy], fontsize=8.5)
    ax.set_xlabel("year (as wide as it is rich in papers)")
    ax.tick_params(length=0)
    ax.spines["left"].set_visible(False)
    for year in {edge for one in busy for edge in (one, one + 1)}:
        ax.axvline(starts[year], color="#bbbbbb", lw=0.6, zorder=0)


def _box(ax: Any, text: Text, colour: str) -> FancyBboxPatch:
    """A rounded box around a name, in the axes' own coordinates, so that arrows still meet it when the picture is cropped."""
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
    return ax.add_patch(box)


def _tint(colour: str) -> tuple[float, float, float]:
    """The colour in white paint, so that black letters stay readable and arrows behind do not show."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return (0.8 + 0.2 * red, 0.8 + 0.2 * green, 0.8 + 0.2 * blue)


def _rows(extents: Mapping[str, Any], edges: Collection[tuple[str, str]]) -> list[int]:
    """The row of its lane for each name, from left to right, such that an arrow along a row passes no name.

    So a name follows its parent at once, or stands in a row where it has none. extents: name → its box in pixels.
    """
    rows: list[list[str]] = []
    found = []
    for name, box in extents.items():
        above = {parent for parent, child in edges if child == name}
        free = [i for i, row in enumerate(rows) if extents[row[-1]].x1 + GAP < box.x0]
        after = [i for i in free if rows[i][-1] in above]
        beside = [i for i in free if not above & set(rows[i])]
        place = next(iter(after + beside), len(rows))
        if place == len(rows):
            rows.append([])
        rows[place].append(name)
        found.append(place)
    return found


def _arrow(ax: Any, parent: Text, child: Text, start: FancyBboxPatch, end: FancyBboxPatch, colour: str) -> None:
    """From box to box, behind the names; bent between rows, so that arrows from one parent can be told apart."""
    (_, above), (_, below) = parent.get_position(), child.get_position()
    bend = 0.0 if above == below else 0.12 if above < below else -0.12
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
