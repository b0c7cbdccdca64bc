"""What a student reads: scores that nbgrader takes, reasons, and nothing that could run in a browser."""

import base64
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.utils import determine_grade

from grader.course import Lesson
from grader.grading.shown_outputs import harmless
from grader.grading.verdict import CheckResult, ExerciseResult, MetricResult, Verdict
from grader.nbgrader import feedback

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"0" * 80).decode()


def verdict(**changes: Any) -> Verdict:
    checks = [
        CheckResult(name="test_a", title="a", hidden=False, points=2, status="passed"),
        CheckResult(name="test_b", title="b", hidden=True, points=3, status="failed", message="secret 42\nexpected 43"),
    ]
    return Verdict(
        **{
            "lesson": "w/l",
            "student": "ada",
            "status": "graded",
            "submission": "",
            "inputs": "",
            "profile": "smoke",
            "seed": 0,
            "sandbox": "none",
            "exercises": [ExerciseResult(name="nearest", checks=checks, diagnosis="the query comes first")],
            "metrics": [MetricResult(name="m", value=0.5, low=0.4, high=0.6, better="near", points=4, share=0.25)],
            **changes,
        }
    )


def written(word2vec: Lesson, found: Verdict) -> dict[str, NotebookNode]:
    notebook = nbformat.read(word2vec.released, as_version=4)
    feedback.write(notebook, found, None)
    return {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}


def test_nbgrader_reads_the_verdicts_points(word2vec: Lesson) -> None:
    cells = written(word2vec, verdict())
    assert determine_grade(cells["check_nearest"]) == (2.0, cells["check_nearest"].metadata.nbgrader.points)
    assert determine_grade(cells["metrics"])[0] == 1.0


def test_a_graded_cell_that_the_verdict_does_not_know_earns_nothing(word2vec: Lesson) -> None:
    assert determine_grade(written(word2vec, verdict())["check_sgns_loss"])[0] == 0.0


def test_values_of_hidden_checks_stay_hidden_and_the_mistake_is_named(word2vec: Lesson) -> None:
    text = written(word2vec, verdict())["check_nearest"].outputs[0].text
    assert "42" not in text
    assert "the query comes first" in text


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("ValueError: asked for ['held out']\nline 3, in f", "(a hidden check: your code raised ValueError)"),
        ("held out: x", "(a hidden check: your code raised an exception)"),
        ("print: held out", "(a hidden check: your code raised an exception)"),
        (
            "MisusedHandle: <the student's held out> stays",
            "(a hidden check: what came back is an object of another kind",
        ),
        ("StudentTimeout: held out", "(a hidden check: your code took too long)"),
        ("KernelGone: held out", "(a hidden check: the notebook's process had ended)"),
        ("not run", "(a hidden check: it was not run)"),
        ("not run: the checks before it have spent 90 s", "(a hidden check: it was not run)"),
        ("what came back cannot be checked: it took more", "(a hidden check: what came back takes too long to check)"),
    ],
)
def test_of_an_error_in_a_hidden_check_no_word_is_the_students_own(word2vec: Lesson, message: str, shown: str) -> None:
    check = CheckResult(name="test_b", title="b", hidden=True, points=3, status="error", message=message)
    found = verdict(exercises=[ExerciseResult(name="nearest", checks=[check])])
    text = written(word2vec, found)["check_nearest"].outputs[0].text
    assert shown in text
    assert "held out" not in text


def test_of_a_metrics_reason_the_student_reads_the_first_line(word2vec: Lesson) -> None:
    known: dict[str, Any] = {"low": 0.4, "high": 0.6, "better": "near", "points": 4, "share": 0}
    metric = MetricResult(name="m", value=None, reason="it cannot be computed\nheld out", **known)
    text = written(word2vec, verdict(metrics=[metric]))["metrics"].outputs[0].text
    assert "m: it cannot be computed (0 of 4 points)" in text
    assert "held out" not in text


def test_the_reason_of_a_refused_file_is_in_every_graded_cell(word2vec: Lesson) -> None:
    cells = written(word2vec, verdict(status="refused", reason="the file is empty"))
    assert "the file is empty" in cells["check_nearest"].outputs[0].text
    assert determine_grade(cells["check_nearest"])[0] == 2.0


def test_points_lost_by_what_an_exercise_calls_are_said_first(word2vec: Lesson) -> None:
    check = CheckResult(name="test_b", title="b", hidden=False, points=3, status="failed", message="0 ≠ 1")
    caller = ExerciseResult(name="train_sgns", checks=[check], cause="Your `train_sgns` calls `sgns_loss`, which …")
    lines = written(word2vec, verdict(exercises=[caller]))["check_train_sgns"].outputs[0].text.splitlines()
    assert lines[1].strip() == caller.cause


def test_what_could_run_in_a_browser_is_left_out() -> None:
    bad = {
        "text/html": "<script>alert(1)</script>",
        "image/svg+xml": "<svg onload=alert(1)>",
        "application/javascript": "alert(1)",
        "application/vnd.jupyter.widget-view+json": {"model_id": "1"},
    }
    assert harmless(new_output("display_data", data=bad)) is None
    kept = harmless(new_output("display_data", data={**bad, "text/plain": "5", "image/png": PNG}))
    assert kept is not None
    assert set(kept.data) == {"text/plain", "image/png"}


def test_a_picture_that_is_no_png_is_left_out() -> None:
    assert (
        harmless(new_output("display_data", data={"image/png": base64.b64encode(b"<svg onload=alert(1)>").decode()}))
        is None
    )


def test_warnings_on_stderr_cost_no_points(word2vec: Lesson) -> None:
    executed = nbformat.read(word2vec.released, as_version=4)
    for cell in executed.cells:
        if cell.cell_type == "code":
            cell.outputs = [new_output("stream", name="stderr", text="UserWarning: slow")]
    notebook = nbformat.read(word2vec.released, as_version=4)
    feedback.write(notebook, verdict(), executed)
    cell = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "check_nearest")
    assert determine_grade(cell)[0] == 2.0


def test_a_number_that_the_student_displays_is_no_score(word2vec: Lesson) -> None:
    executed = nbformat.read(word2vec.released, as_version=4)
    for cell in executed.cells:
        if cell.cell_type == "code":
            cell.outputs = [new_output("execute_result", data={"text/plain": "5.0"}, execution_count=1)]
    notebook = nbformat.read(word2vec.released, as_version=4)
    feedback.write(notebook, verdict(), executed)
    shown = [
        output
        for cell in notebook.cells
        if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("grade")
        for output in cell.outputs
    ]
    assert shown
    assert all(output.output_type != "execute_result" for output in shown)


@pytest.mark.parametrize(
    "text", ["\x1b[31mred\x1b[0m", "\x1b" * 1000 + "red", "\x1b[0 ;1mred", "\x1b[" + "1;" * 1000 + "red"]
)
def test_no_escape_is_left_for_the_pages_filter_of_colours(text: str) -> None:
    kept = harmless(new_output("stream", text=text))
    assert kept is not None
    shown = kept.text
    assert "\x1b" not in shown
    assert shown.endswith("ed")
