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
    """Finds an installed font that draws Hangul and returns the name of its family, None if there is none."""
    if font := next(_candidates(), None):
        return font
    _learn_new_fonts()
    return next(_candidates(), None)


def use_korean() -> bool:
    """Lets plots draw Korean, or prints how to get a font that can.

    DejaVu Sans stays first and Hangul falls through to the Korean font, so Latin text, digits and the minus sign look
    as they do in every other plot; the minus can therefore be a true minus (U+2212).

    Returns:
        True if a font was found and set, False after printing.
    """
    font = korean_font()
    if font is None:
        print(hint())
        return False
    matplotlib.rcParams["font.family"] = ["DejaVu Sans", font]
    matplotlib.rcParams["axes.unicode_minus"] = True
    return True


def hint() -> str:
    """Says in one line how to get a Korean font on this system."""
    system = "Colab" if "google.colab" in sys.modules else platform.system()
    how = HINTS.get(system, HINTS["Linux"])
    return f"Plots cannot show Korean: no font with Hangul is installed. To get one: {how}."


def _candidates() -> Iterator[str]:
    """Finds the known families that matplotlib has on its list and that draw Hangul, best first."""
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
    """Shows matplotlib the fonts installed since it made its list (a cell on Colab may just have installed one)."""
    listed = {entry.fname for entry in font_manager.fontManager.ttflist}
    for file in font_manager.findSystemFonts():
        if file not in listed and Path(file).is_file() and _draws_hangul(file):
            font_manager.fontManager.addfont(file)
