"""Family trees: the tables agree with themselves and with what their links say, and a drawn tree can be read."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TypeVar

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Patch
from matplotlib.path import Path
from matplotlib.transforms import Bbox

from etude.papers import families

Shape = TypeVar("Shape", bound=Patch)
Tree = tuple[dict[str, str], set[tuple[int, int]], list[str]]  # dates, edges, lanes

ORDER = ("upper", "middle", "lower")
DATES = st.sampled_from(["1951-09", "1964", "2012", "2012-12", "2019-06", "2019-07", "2019-07", "2019-08", "2020"])
TREES = st.lists(DATES, min_size=1, max_size=14).flatmap(
    lambda dates: st.tuples(
        st.just({f"name {'x' * (i % 5)}{i}": date for i, date in enumerate(dates)}),
        st.sets(st.tuples(st.integers(0, len(dates) - 1), st.integers(0, len(dates) - 1)), max_size=12),
        st.lists(st.sampled_from(ORDER), min_size=len(dates), max_size=len(dates)),
    )
)
TABLES = {"models": families.models(), "optimisers": families.optimisers()}


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    with matplotlib.rc_context():
        yield
    plt.close("all")


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_names_are_different_and_dates_are_years_with_or_without_a_month(table: pd.DataFrame) -> None:
    assert table["name"].is_unique
    assert table["date"].str.fullmatch(r"\d{4}(-(0[1-9]|1[0-2]))?").all()
    assert (table["paper"] != "").all()


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_date_of_a_paper_on_arxiv_is_that_of_its_number(table: pd.DataFrame) -> None:
    numbers = {row["name"]: re.search(r"arxiv\.org/abs/(\d\d)(\d\d)\.", row["link"]) for _, row in table.iterrows()}
    stated = {name: f"20{match[1]}-{match[2]}" for name, match in numbers.items() if match}
    assert len(stated) > 4
    assert dict(zip(table["name"], table["date"], strict=True)) == (
        dict(zip(table["name"], table["date"], strict=True)) | stated
    )


def test_an_optimiser_builds_on_earlier_ones_of_the_table_and_has_known_parts() -> None:
    table = families.optimisers().set_index("name")
    for name, row in table.iterrows():
        for parent in filter(None, row["builds_on"].split(";")):
            known = min(len(table.loc[parent, "date"]), len(row["date"]))
            assert table.loc[parent, "date"][:known] < row["date"][:known], (parent, name)
    assert set(table["momentum"]) == {"none", "sum", "mean"}
    assert set(table["scale"]) == {"none", "signs", "sum", "mean"}
    assert set(table["correction"]) == {"yes", "no"}
    assert set(table["decay"]) == {"none", "coupled", "decoupled"}


def test_only_running_means_are_corrected() -> None:
    table = families.optimisers()
    corrected = table[table["correction"] == "yes"]
    assert set(corrected["momentum"]) | set(corrected["scale"]) == {"mean"}


def test_what_was_taken_and_what_was_changed_share_no_word() -> None:
    assert not families.TOOK.keys() & families.CHANGED.keys()


@settings(max_examples=12, deadline=None)
@given(TREES)
def test_no_two_names_overlap_and_all_stand_inside_their_lane(tree: Tree) -> None:
    dates, _, lanes = tree
    figure = drawn(tree)
    ax = figure.axes[0]
    boxes = {text.get_text(): box for text, box in zip(ax.texts, outlines(ax), strict=True)}
    assert boxes.keys() == dates.keys()
    for one, other in itertools.combinations(boxes.values(), 2):
        assert not one.overlaps(other)
    inside = ax.get_window_extent()
    assert all(
        inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1
        for box in boxes.values()
    )
    rows = {text.get_text(): text.get_position()[1] for text in ax.texts}
    by_lane = {lane: [rows[name] for name, mine in zip(dates, lanes, strict=True) if mine == lane] for lane in ORDER}
    for upper, lower in itertools.combinations([ys for ys in by_lane.values() if ys], 2):
        assert max(upper) < min(lower)
    plt.close(figure)


@settings(max_examples=12, deadline=None)
@given(TREES)
def test_later_is_further_right(tree: Tree) -> None:
    dates, _, _ = tree
    figure = drawn(tree)
    across = {text.get_text(): text.get_position()[0] for text in figure.axes[0].texts}
    for one, other in itertools.permutations(dates, 2):
        if len(dates[one]) == len(dates[other]) and dates[one] < dates[other]:
            assert across[one] < across[other]
    plt.close(figure)


@settings(max_examples=12, deadline=None)
@given(TREES)
def test_each_edge_is_an_arrow_from_the_parents_box_to_the_childs(tree: Tree) -> None:
    dates, edges, _ = tree
    figure = drawn(tree)
    ax = figure.axes[0]
    boxes = dict(zip([text.get_text() for text in ax.texts], parts(ax, FancyBboxPatch), strict=True))
    names = list(dates)
    expected = {(boxes[names[a]], boxes[names[b]]) for a, b in edges if a != b}
    assert {(arrow.patchA, arrow.patchB) for arrow in parts(ax, FancyArrowPatch)} == expected
    plt.close(figure)


def test_an_arrow_along_a_row_passes_no_other_name() -> None:
    dates = {"a": "2010", "b": "2012", "c": "2014", "d": "2016"}
    lanes = dict.fromkeys(dates, "upper")
    figure = families.timeline(dates, [("a", "c"), ("a", "d")], lanes, lanes, order=ORDER, title="")
    rows = {text.get_text(): text.get_position()[1] for text in figure.axes[0].texts}
    assert rows["a"] == rows["b"]
    assert rows["a"] not in (rows["c"], rows["d"])


def test_the_arrows_of_the_optimisers_run_behind_no_name() -> None:
    table = families.optimisers()
    dates = dict(zip(table["name"], table["date"], strict=True))
    lanes = dict(zip(table["name"], table["scale"], strict=True))
    edges = [
        (parent, row["name"]) for _, row in table.iterrows() for parent in filter(None, row["builds_on"].split(";"))
    ]
    order = ("none", "mean", "sum", "signs")
    assert behind(families.timeline(dates, edges, lanes, lanes, order=order, title="")) == []


def test_the_arrows_of_many_children_run_behind_none_of_them() -> None:
    children = {
        "RoBERTa": "2019-07",
        "TinyBERT": "2019-09",
        "ALBERT": "2019-09",
        "ELECTRA": "2020-03",
        "KR-BERT": "2020-08",
    }
    dates = {"BERT": "2018-10", **children}
    lanes = dict.fromkeys(dates, "upper")
    figure = families.timeline(dates, [("BERT", child) for child in children], lanes, lanes, order=ORDER, title="")
    assert behind(figure) == []


def test_an_arrow_goes_round_a_name_of_a_lane_between() -> None:
    dates = {"a": "2010", "between": "2012", "b": "2014"}
    lanes = {"a": "upper", "between": "middle", "b": "lower"}
    assert behind(families.timeline(dates, [("a", "b")], lanes, lanes, order=ORDER, title="")) == []


def test_an_unknown_name_or_lane_is_said() -> None:
    dates, lanes = {"BERT": "2018-10"}, {"BERT": "upper"}
    with pytest.raises(ValueError, match="'Bart'"):
        families.timeline(dates, [("BERT", "Bart")], lanes, lanes, order=ORDER, title="")
    with pytest.raises(ValueError, match="'upper' is not in `order`"):
        families.timeline(dates, [], lanes, lanes, order=("lower",), title="")


def drawn(tree: Tree) -> Figure:
    dates, edges, lanes = tree
    names = list(dates)
    arrows = [(names[a], names[b]) for a, b in edges if a != b]
    by_name = dict(zip(names, lanes, strict=True))
    figure = families.timeline(dates, arrows, by_name, by_name, order=ORDER, title="a tree")
    figure.draw_without_rendering()
    return figure


def parts(ax: Axes, kind: type[Shape]) -> list[Shape]:
    return [patch for patch in ax.patches if isinstance(patch, kind)]


def outlines(ax: Axes) -> list[Bbox]:
    return [patch.get_window_extent() for patch in parts(ax, FancyBboxPatch)]


def behind(figure: Figure) -> list[tuple[str, str, str]]:
    """(parent, child, name) wherever the arrow from parent to child runs behind another name."""
    figure.draw_without_rendering()
    ax = figure.axes[0]
    names: dict[Patch, str] = dict(zip(parts(ax, FancyBboxPatch), [text.get_text() for text in ax.texts], strict=True))
    shafts = {  # the first part of the arrow's path; the second is its head
        arrow: Path(arrow.get_path().transformed(ax.transData).to_polygons(closed_only=False)[0])
        for arrow in parts(ax, FancyArrowPatch)
    }
    return [
        (names[arrow.patchA], names[arrow.patchB], name)
        for arrow, shaft in shafts.items()
        for box, name in names.items()
        if box not in (arrow.patchA, arrow.patchB) and shaft.intersects_bbox(box.get_window_extent(), filled=False)
    ]
