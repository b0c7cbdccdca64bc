"""Plots: axes are labelled, what is drawn is what was given, and what cannot be drawn is said and does not fail."""

from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

from etude import plots

WORDS = ["france", "paris", "korea", "seoul", "coffee"]
PAIRS = [("france", "paris"), ("korea", "seoul"), ("france", "atlantis")]


@pytest.fixture(autouse=True)
def default_style() -> Iterator[None]:
    with matplotlib.rc_context():
        yield


@pytest.fixture
def axes() -> Axes:
    return Figure(layout="constrained").subplots()


def figure_of(axes: Axes) -> Figure:
    assert isinstance(axes.figure, Figure)
    return axes.figure


def texts(axes: Axes) -> list[str]:
    figure_of(axes).draw_without_rendering()
    return [text.get_text().strip() for text in axes.texts if text.get_text()]


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 6))
def test_the_plane_is_spanned_by_the_covariances_two_largest_eigenvectors(seed: int, n: int, d: int) -> None:
    vectors = torch.randn(n, d, generator=torch.Generator().manual_seed(seed)) * torch.arange(1, d + 1) ** 2 + 5
    array = vectors.double().numpy()
    expected = array @ np.linalg.eigh(np.cov(array.T))[1][:, -2:]
    found = plots.plane(vectors).numpy()
    assert found.shape == (n, 2)
    # A direction has no sign, so distances are compared.
    distances = [np.linalg.norm(points[:, None] - points[None], axis=2) for points in (found, expected)]
    assert np.allclose(distances[0], distances[1], rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize(
    "vectors", [torch.randn(5, 4), torch.randn(5, 4, requires_grad=True), torch.randn(5, 4).double()]
)
def test_each_known_pair_is_an_arrow_between_its_two_words(axes: Axes, vectors: torch.Tensor) -> None:
    plots.pairs_in_the_plane(axes, vectors, WORDS, PAIRS, "a finding")
    assert texts(axes) == ["france", "paris", "korea", "seoul"]
    notes = [text for text in axes.texts if isinstance(text, Annotation)]
    assert len(notes) == len(axes.texts)
    arrows = [note for note in notes if not note.get_text()]
    places = {note.get_text(): tuple(note.xy) for note in notes if note.get_text()}
    ends = [[*arrow.xyann, *arrow.xy] for arrow in arrows]
    assert ends == [pytest.approx([*places[a], *places[b]]) for a, b in PAIRS[:2]]
    assert axes.get_title() + axes.get_title("left") == "a finding"
    assert axes.get_xlabel()
    assert axes.get_ylabel()


def test_all_words_lie_within_the_axes(axes: Axes) -> None:
    plots.pairs_in_the_plane(axes, torch.randn(5, 4), WORDS, PAIRS, "")
    figure_of(axes).draw_without_rendering()
    names = [text for text in axes.texts if text.get_text()]
    assert len(names) == 4
    for name in names:
        found = name.get_window_extent()
        assert axes.bbox.x0 <= found.x0 < found.x1 <= axes.bbox.x1
        assert axes.bbox.y0 <= found.y0 < found.y1 <= axes.bbox.y1


@pytest.mark.parametrize("pairs", [[], [("lost", "atlantis")]])
def test_pairs_without_vectors_leave_a_note(axes: Axes, pairs: list[tuple[str, str]]) -> None:
    plots.pairs_in_the_plane(axes, torch.randn(5, 4), WORDS, pairs, "a finding")
    assert texts(axes) == ["none of the pairs has vectors"]


def test_each_bar_has_its_name_and_value_in_the_order_given(axes: Axes) -> None:
    plots.bars(axes, {"capital": 0.5, "plural": 0.25}, label="share", title="a finding", chance=0.1)
    assert texts(axes) == ["0.50", "0.25"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["capital", "plural"]
    assert [bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle)] == [0.5, 0.25]
    assert axes.yaxis_inverted()  # the first is on top
    assert axes.get_xlabel() == "share"
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["chance 0.100"]


def test_a_value_that_is_not_there_keeps_its_name(axes: Axes) -> None:
    plots.bars(axes, {"capital": 0.5, "plural": float("nan")}, label="share", title="")
    assert texts(axes) == ["0.50", "none"]
    assert axes.texts[1].get_position() == (0, 1)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["capital", "plural"]
    assert axes.get_legend() is None


def test_the_values_of_the_bars_stay_within_the_figure(axes: Axes) -> None:
    plots.bars(axes, {"capital": 1.0}, label="share", title="")
    figure_of(axes).draw_without_rendering()
    assert axes.texts[0].get_window_extent().x1 <= axes.figure.bbox.x1


def luminance(colour: str) -> float:
    """Relative luminance of #RRGGBB, from 0 (black) to 1 (white); WCAG 2.1."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_style_sets_the_courses_colours_which_can_be_told_apart_from_white() -> None:
    plots.style()
    assert tuple(matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]) == plots.COLOURS
    assert len(set(plots.COLOURS)) == 7
    assert all(1.05 / (luminance(colour) + 0.05) > 2 for colour in plots.COLOURS)
