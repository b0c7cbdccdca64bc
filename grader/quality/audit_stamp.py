"""solutions/WEEK/LESSON/audit.json: what an audit without a fault counted, and the hash of what was audited.

While that is the hash of the lesson as it stands, the lesson need not be audited again: `make test` compares the two. The
stamp is committed, so nothing in its hash depends on the machine. This module must not know how a lesson is audited.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from etude.files import write_whole
from grader.course import CourseError, Lesson
from grader.provenance import hardware, libraries
from grader.quality.audit import Audit, inputs

FILE = "audit.json"


class Stamp(BaseModel):
    """An audit without a fault, and where its counts come from."""

    model_config = ConfigDict(extra="forbid")
    command: str
    commit: str
    hardware: str
    libraries: str
    date: str
    audit: Audit


def path(lesson: Lesson) -> Path:
    return lesson.source / FILE


def read(lesson: Lesson) -> Stamp | None:
    """Reads the lesson's stamp, of whatever state of the lesson; None if there is none that can be read."""
    try:
        return Stamp.model_validate_json(path(lesson).read_bytes())
    except (OSError, ValidationError):
        return None


def is_old(lesson: Lesson, stamp: Stamp | None) -> bool:
    """Tells whether the lesson was not audited as it stands; other libraries make no stamp old."""
    return stamp is None or stamp.audit.inputs != inputs(lesson)


def holds(lesson: Lesson) -> bool:
    """Tells whether the lesson was audited as it stands, with these libraries: to audit it again would change nothing."""
    stamp = read(lesson)
    return stamp is not None and stamp.libraries == libraries() and not is_old(lesson, stamp)


def write(lesson: Lesson, audit: Audit, command: str, commit: str) -> None:
    """Writes the stamp, or removes the one that is there if the audit found a fault.

    Args:
        commit: of the course when the command began; the stamps that it writes are changes themselves.

    Raises:
        CourseError: the lesson changed while it was audited.
    """
    if audit.faults:
        path(lesson).unlink(missing_ok=True)
        return
    if audit.inputs != inputs(lesson):
        raise CourseError(f"{lesson.id} changed while it was audited: run `grader audit {lesson.id}` again")
    stamp = Stamp(
        command=command,
        commit=commit,
        hardware=hardware("cpu"),
        libraries=libraries(),
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        audit=audit,
    )
    write_whole(path(lesson), _lines(stamp.model_dump(exclude={"audit": {"faults", "seconds"}})))


def _lines(content: dict[str, Any]) -> str:
    """Writes JSON with a line for each fact, and for each mutant that passes."""
    equivalents = content["audit"].pop("equivalent_mutants")
    head = json.dumps(content, ensure_ascii=False, indent=1).removesuffix("\n }\n}")
    lines = ",\n".join(f"   {json.dumps(mutant, ensure_ascii=False)}" for mutant in equivalents)
    listed = f"[\n{lines}\n  ]" if lines else "[]"
    return f'{head},\n  "equivalent_mutants": {listed}\n }}\n}}\n'
