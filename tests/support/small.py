"""The course.toml of a course with one week of small lessons, for tests that write the lessons themselves."""

from __future__ import annotations

import hashlib
from pathlib import Path


def course_file(*lessons: str, cell_seconds: int = 60, notebook_seconds: int = 60) -> str:
    """A course whose week week1_words has these lessons."""
    entries = "".join(
        f'[[weeks.lessons]]\nname = "{name}"\ntitle = "{name}"\npaper = "none"\nlink = "none"\nminutes = 1\n'
        for name in lessons
    )
    return f"""
title = "Small"
[limits]
cell_seconds = {cell_seconds}
notebook_seconds = {notebook_seconds}
memory_mb = 1024
[[weeks]]
name = "week1_words"
title = "Words"
{entries}"""


def fingerprints(root: Path) -> dict[str, str]:
    """Path → sha256 of the committed files of a course: what it is made of, and what was released."""
    kept = [
        root / "course.toml",
        *(path for name in ("solutions", "weeks", "data") for path in (root / name).rglob("*")),
    ]
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in kept
        if path.is_file() and path.suffix != ".pyc" and not {"results", ".ipynb_checkpoints"} & set(path.parts)
    }
