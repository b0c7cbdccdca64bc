"""Korean glyphs in plots: with a font there is no missing glyph, without one a person is told how to get one."""

import io
import platform
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import pytest
from matplotlib import font_manager
from matplotlib.figure import Figure

from etude import fonts

LATIN = font_manager.findfont("DejaVu Sans")


@pytest.fixture(autouse=True)
def default_style() -> Iterator[None]:
    with matplotlib.rc_context():
        yield


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make matplotlib list only the given (family, file) pairs, and find no other file on the system."""

    def only(*pairs: tuple[str, str]) -> None:
        entries = [SimpleNamespace(name=family, fname=file) for family, file in pairs]
        monkeypatch.setattr(font_manager.fontManager, "ttflist", entries)
        monkeypatch.setattr(font_manager, "findSystemFonts", list)

    return only


def draw(text: str) -> list[str]:
    """Render the text with negative ticks; the messages of all warnings."""
    figure = Figure()
    axes = figure.subplots()
    axes.set(title=text, xlim=(-2, -1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.savefig(io.BytesIO(), format="png")
    return [str(warning.message) for warning in caught]


def test_korean_text_and_minus_signs_render_without_a_missing_glyph_or_the_hint_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    if fonts.use_korean():
        assert draw("왕 − 남자 + 여자 ≈ 여왕 (cosine)") == []
    else:
        assert capsys.readouterr().out == fonts.hint() + "\n"


def test_without_the_setting_the_default_font_lacks_hangul() -> None:
    with matplotlib.rc_context(matplotlib.rcParamsDefault):
        assert any("missing from font" in message for message in draw("왕"))


def test_without_a_font_one_line_says_how_to_get_one_and_the_style_stays(
    listed: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    listed(("DejaVu Sans", LATIN))
    before = list(matplotlib.rcParams["font.family"])
    assert not fonts.use_korean()
    printed = capsys.readouterr().out
    assert printed == fonts.hint() + "\n"
    assert matplotlib.rcParams["font.family"] == before


def test_a_font_of_the_right_name_without_hangul_does_not_count(listed: Callable[..., None]) -> None:
    listed(("NanumGothic", LATIN))
    assert fonts.korean_font() is None


def test_a_listed_font_whose_file_is_gone_or_broken_does_not_count(listed: Callable[..., None], tmp_path: Path) -> None:
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"no font")
    listed(("NanumGothic", str(tmp_path / "gone.ttf")), ("UnDotum", str(broken)))
    assert fonts.korean_font() is None


def test_a_font_installed_after_matplotlib_made_its_list_is_found(
    listed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed()
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [LATIN])
    monkeypatch.setattr(fonts, "KNOWN", ("DejaVu Sans",))
    monkeypatch.setattr(fonts, "_draws_hangul", lambda file: file == LATIN)
    assert fonts.korean_font() == "DejaVu Sans"


@pytest.mark.parametrize(
    ("system", "word"),
    [("Linux", "fonts-nanum"), ("Darwin", "Font Book"), ("Windows", "Settings"), ("Plan 9", "Nanum")],
)
def test_the_hint_is_one_line_for_each_system(monkeypatch: pytest.MonkeyPatch, system: str, word: str) -> None:
    monkeypatch.delitem(sys.modules, "google.colab", raising=False)
    monkeypatch.setattr(platform, "system", lambda: system)
    assert word in fonts.hint()
    assert "\n" not in fonts.hint()


def test_on_colab_the_hint_is_a_cell_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    assert "!apt-get" in fonts.hint()
