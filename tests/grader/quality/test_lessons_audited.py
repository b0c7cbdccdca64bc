"""Every lesson has been audited as it stands: long ago, as its stamp says, or else here and now."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

from grader.course import Course, Lesson
from grader.quality import audit_stamp
from grader.quality.audit import FEWEST_RIGHT, FEWEST_WRONG, audit
from grader.release.isolated_run import IsolatedRuns

pytestmark = [pytest.mark.audit, pytest.mark.slow]


@pytest.mark.parametrize("lesson", Course().lessons(), ids=lambda lesson: lesson.id)
def test_reference_skeleton_bank_and_mutants_come_out_as_they_should(
    lesson: Lesson, changed: Callable[[Lesson], bool]
) -> None:
    stamp = audit_stamp.read(lesson)
    if stamp is None or changed(lesson):
        with IsolatedRuns() as runs:
            found = audit(lesson, runs, diagnose=False)
        if not audit_stamp.holds(lesson):
            warnings.warn(f"run `grader audit {lesson.id}` and commit {audit_stamp.path(lesson)}", stacklevel=1)
    else:
        found = stamp.audit
    assert found.faults == []
    assert found.wrong >= FEWEST_WRONG * found.exercises
    assert found.right >= FEWEST_RIGHT * found.exercises
    assert found.mutants_killed + found.equivalents_explained == found.mutants > 0
