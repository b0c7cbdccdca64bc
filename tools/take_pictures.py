"""Take the pictures of README and the site: a student's and an instructor's week, walked as the tests walk it, and the report.

    make run && python tools/take_pictures.py            (two minutes after the run; docs/images/*.png)

The pictures are for eyes: look at them before you commit them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from browser import browser  # noqa: E402
from tour import ANSWER, DESK, SLIP, instructor, right_answer, student  # noqa: E402

PICTURES = ROOT / "docs" / "images"
REPORT = ROOT / "build" / "report" / "index.html"


def main() -> None:
    """Walks both weeks and leaves the pictures in docs/images."""
    if not REPORT.is_file():
        sys.exit(f"{REPORT} is not there: run `make run` first")
    with TemporaryDirectory(prefix="tour-") as name, browser() as chromium:
        folder = Path(name)
        (folder / "student").mkdir()
        with student(chromium, folder / "student", PICTURES) as ada:
            ada.write(right_answer().replace(*SLIP))
            ada.result(2, "mistake")
            ada.write(right_answer())
            ada.result(1, "mended")
            ada.answer(ANSWER)
            handed_in = ada.hand_in()
        kim = instructor(chromium, folder / "course", PICTURES)
        kim.take_in_and_grade()
        kim.put(handed_in)
        kim.in_formgrader(folder / "private")
        kim.read("class.html", "class_page")
        page = chromium.new_page(viewport=DESK)
        page.goto(REPORT.as_uri())
        page.screenshot(path=PICTURES / "report.png")


if __name__ == "__main__":
    main()
