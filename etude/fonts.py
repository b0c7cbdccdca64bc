"""Korean glyphs in matplotlib, on Linux, macOS, Windows and Colab: call `use_korean()` before the first plot.

A font counts only if its file really draws Hangul. Nothing is downloaded: where no font is found, one line says how to
install one. This module knows fonts; it must not know what is plotted.
"""

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

# Most readable first; the last ones are faces of collections that hold Hangul beside another script.
KNOWN = (
    "Malgun Gothic",  # Windows
    "Apple SD Gothic Neo",  # macOS
    "AppleGothic",
    "NanumGothic",  # Debian and Ubuntu: fonts-nanum
    "NanumBarunGothic",
    "Noto Sans KR",
    "Noto Sans CJK KR",  # fonts-noto-cjk
    "UnDotum",
    "Gulim",
    "Noto Sans CJK JP",
)
HINTS = {
    "Linux": "sudo apt-get install fonts-nanum (or your distribution's Nanum or Noto CJK fonts)",
    "Darwin": "open Font Book and enable Apple SD Gothic Neo",
    "Windows": "Settings > Apps > Optional features > add Korean Supplemental Fonts",
    "Colab": "run !apt-get -qq install fonts-nanum in a cell",
}


def korean_font() -> str | None:
    """Family name of an installed font that draws Hangul, None if there is none."""
    if font := next(_candidates(), None):
        return font
    _learn_new_fonts()
    return next(_candidates(), None)


def use_korean() -> bool:
    """Let plots draw Korean: True if a font was found and set, otherwise False after printing how to get one.

    DejaVu Sans stays first and Hangul falls through to the Korean font, so Latin text, digits and the minus sign look
    as they do in every other plot; the minus can therefore be a true minus (U+2212).
    """
    font = korean_font()
    if font is None:
        print(hint())
        return False
    matplotlib.rcParams["font.family"] = ["DejaVu Sans", font]
    matplotlib.rcParams["axes.unicode_minus"] = True
    return True


def hint() -> str:
    """One line on how to get a Korean font on this system."""
    system = "Colab" if "google.colab" in sys.modules else platform.system()
    how = HINTS.get(system, HINTS["Linux"])
    return f"Plots cannot show Korean: no font with Hangul is installed. To get one: {how}."


def _candidates() -> Iterator[str]:
    """Known families that matplotlib has on its list and that draw Hangul, best first."""
    for family in KNOWN:
        faces = (entry.fname for entry in font_manager.fontManager.ttflist if entry.name == family)
        if any(_draws_hangul(face) for face in faces):
            yield family


def _draws_hangul(file: str) -> bool:
    try:
        return FT2Font(file).get_char_index(ord("한")) != 0
    except (OSError, RuntimeError):  # matplotlib's list outlives fonts that were removed or are broken
        return False


def _learn_new_fonts() -> None:
    """Show matplotlib the fonts installed since it made its list (a cell on Colab may just have installed one)."""
    listed = {entry.fname for entry in font_manager.fontManager.ttflist}
    for file in font_manager.findSystemFonts():
        if file not in listed and Path(file).is_file() and _draws_hangul(file):
            font_manager.fontManager.addfont(file)
