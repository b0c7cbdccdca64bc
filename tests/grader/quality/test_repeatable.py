"""The same submission gets the same verdict, to the last digit, from two workers side by side in real sandboxes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sandboxed import machine  # noqa: F401 - a fixture

from grader.classes.batch import grade_batch
from grader.classes.uploads import submissions
from grader.course import Lesson
from grader.quality import sample_class
from grader.settings import Settings

DIFFERENT = {"seconds", "spent", "time", "graded_at", "student"}


def test_grading_twice_gives_the_same_verdict_but_for_times(word2vec: Lesson, tmp_path: Path) -> None:
    sample_class.hand_in([word2vec], tmp_path / "class")
    for student in ("ada", "twin"):
        shutil.copytree(tmp_path / "class" / "submitted" / "ada", tmp_path / "submitted" / student)
    todo = submissions([word2vec], tmp_path)
    batch = grade_batch(todo, tmp_path, Settings(), jobs=2, running=lambda names: None, done=lambda item, found: None)
    one, two = batch.verdicts.values()
    assert comparable(one.model_dump()) == comparable(two.model_dump())
    assert one.earned == one.points
    assert all(metric.value is not None for metric in one.metrics)


def comparable(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: comparable(value) for name, value in data.items() if name not in DIFFERENT}
    return [comparable(value) for value in data] if isinstance(data, list) else data
