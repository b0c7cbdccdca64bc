"""tests/proved.json: the grading path as it was when all its tests passed; while it stays the same they need not run again.

The path leads from a file that is handed in to a score that a student reads: the grader, the student's library without its
tokenizers, papers and corpora, and the tests of all that. The record is committed; nothing in its hash depends on the machine.
"""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "proved.json"
CODE = ("grader", "etude.lesson", "etude.cli", "etude.doctor", "etude.metrics", "etude.embeddings", "etude.world")
TESTS = ("grader", "support", "attacks")
DATA = ("constraints.txt", "nbgrader_config.py", "tests/conftest.py", "tests/test_quickstart.py")


def holds() -> bool:
    """Tells whether the grading path is the one that was proved, with these libraries."""
    from grader.provenance import libraries

    try:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
        return bool((record["path"], record["libraries"]) == (_path(), libraries()))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def write(command: str) -> None:
    """Records that all tests of the grading path passed."""
    from etude.files import write_whole
    from grader.provenance import commit, hardware, libraries, now

    record = {
        "command": command,
        "commit": commit(),
        "hardware": hardware("cpu"),
        "libraries": libraries(),
        "when": now(),
        "path": _path(),
    }
    write_whole(RECORD, json.dumps(record, indent=1) + "\n")


def _path() -> str:
    """The hash of the grading path."""
    from grader.provenance import fingerprint, modules

    templates = _files(ROOT / "grader" / "templates")
    tests = [path for folder in TESTS for path in _files(ROOT / "tests" / folder) if path != Path(__file__).resolve()]
    code = [path for path in modules(*CODE) if path not in templates]
    return fingerprint(code=code, data=[*tests, *templates, *(ROOT / name for name in DATA)])


def _files(folder: Path) -> list[Path]:
    """Lists the files that are written by hand, in order: no caches, which differ from clone to clone."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    return [path for path in paths if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
