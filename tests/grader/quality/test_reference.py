"""The references of some lessons, run side by side: one thread each, and one that fails or dies takes none of the others along."""

from __future__ import annotations

from pathlib import Path

import pytest
from small import course_file

from etude.files import write_whole
from etude.lesson import table
from grader.course import Course, CourseError
from grader.grading.costs import COMPUTED
from grader.quality.reference import run_references

LESSONS = {
    "counts": "pass",
    "slips": "raise RuntimeError('a slip')",
    "dies": "os._exit(3)",
    "counts_too": "pass",
}
NOTEBOOK = """
# %% tags=["parameters"]
profile, seed, device, out = "cpu", 0, "auto", "results"

# %% tags=["metrics"]
import json, os
from pathlib import Path
{line}
Path(out).mkdir(exist_ok=True)
metrics = {{"seed": seed, "threads": int(os.environ.get("OMP_NUM_THREADS", 0))}}
Path(out, "metrics.json").write_text(json.dumps(metrics))
"""


@pytest.fixture
def small(tmp_path: Path) -> Course:
    for name, line in LESSONS.items():
        folder = tmp_path / "solutions" / "week1_words" / name
        folder.mkdir(parents=True)
        (folder / "notebook.py").write_text(NOTEBOOK.format(line=line), encoding="utf-8")
        for file in ("checks.py", "hidden.py", "bank.py"):
            (folder / file).touch()
        table.write(folder / "expected.csv", [])
    (tmp_path / "course.toml").write_text(course_file(*LESSONS), encoding="utf-8")
    return Course(tmp_path)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_reference_that_fails_or_dies_does_not_take_the_others_along(small: Course, jobs: int) -> None:
    done: dict[str, dict[str, float]] = {}
    steps: list[tuple[int, int, str]] = []
    step = None if jobs == 1 else lambda *step: steps.append(step)
    of_an_earlier_run = small.lesson("counts").run_folder("smoke", 7) / COMPUTED
    write_whole(of_an_earlier_run, '{"seed": 6}')
    runs = run_references(small.lessons(), "smoke", 7, "cpu", jobs, step)
    with pytest.raises(CourseError) as raised:
        done.update((lesson.name, run.metrics) for lesson, run in runs)
    assert done == {name: {"seed": 7, "threads": 1} for name in ("counts", "counts_too")}
    assert not of_an_earlier_run.exists()
    trouble = str(raised.value)
    assert "the reference of week1_words/slips failed in profile smoke, seed 7: RuntimeError: a slip" in trouble
    assert "the reference of week1_words/dies failed in profile smoke, seed 7: DeadKernel" in trouble
    if jobs == 2:
        assert steps[0] == (0, 4, "counts, slips")
        assert steps[-1] == (4, 4, "")
