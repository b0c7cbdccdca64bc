"""Pictures of what a test sees, for a person to look at; no test depends on them."""

from __future__ import annotations

import contextlib
from pathlib import Path

from playwright.sync_api import Error, Page


def picture(page: Page, path: Path, *, full_page: bool = False) -> None:
    """Takes a picture, if the browser can: on a busy machine it may not draw one in time, and says that it is unable to."""
    with contextlib.suppress(Error):
        page.screenshot(path=path, full_page=full_page)
