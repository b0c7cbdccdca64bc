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
    from grader.files import write_whole
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

    tests = [path for folder in TESTS for path in sorted((ROOT / "tests" / folder).rglob("*")) if path.is_file()]
    templates = [path for path in sorted((ROOT / "grader" / "templates").rglob("*")) if path.is_file()]
    code = [path for path in modules(*CODE) if path not in templates]
    data = [path for path in (*tests, *templates) if path.suffix != ".pyc"]
    return fingerprint(code=code, data=[*data, *(ROOT / name for name in DATA)])
