"""What a student reads: a verdict written into a notebook's cells, as outputs that nbgrader scores and shows.

Outputs of the student's own come through as text and pictures only: what could run in an instructor's browser (HTML, SVG,
JavaScript, widgets) is left out. Of hidden checks the student sees the question and whether it passed, not the values.
"""

from __future__ import annotations

import builtins

from nbformat import NotebookNode

from grader.grading.shown_outputs import score_output, show_run, text_output
from grader.grading.verdict import CheckResult, ExerciseResult, MetricResult, Time, Verdict

TROUBLES = {  # what the grader itself says of a check or a call, by the name of the error or what stands in its place
    "not run": "it was not run",
    "what came back cannot be checked": "what came back takes too long to check",
    "MissingName": "the notebook does not define the name that is asked for",
    "StudentTimeout": "your code took too long",
    "KernelGone": "the notebook's process had ended",
    "OverBudget": "your code answered so many questions without an end that the check was stopped",
    "CodecError": "what came back is no plain value, array or tensor of a sensible size",
    "MisusedHandle": "what came back is an object of another kind than the exercise asks for",
}


def write(notebook: NotebookNode, verdict: Verdict, executed: NotebookNode | None) -> None:
    """Fills `notebook` (in the lesson's shape) with harmless outputs of the run, and its graded cells with scores."""
    show_run(notebook, executed)
    exercises = {f"check_{exercise.name}": exercise for exercise in verdict.exercises}
    for cell in notebook.cells:
        rules = cell.metadata.get("nbgrader", {})
        if cell.cell_type != "code" or not rules.get("grade") or rules.get("solution"):
            continue
        if (exercise := exercises.get(rules["grade_id"])) is not None:
            cell.outputs = [text_output(exercise_text(exercise)), score_output(exercise.earned)]
        elif rules["grade_id"] == "metrics":
            cell.outputs = [
                text_output(metrics_text(verdict.metrics) + time_text(verdict.time)),
                score_output(sum(metric.earned for metric in verdict.metrics)),
            ]
        else:
            cell.outputs = [text_output("This cell is not known to the grader.\n"), score_output(0.0)]
        if verdict.reason:
            cell.outputs.insert(0, text_output(f"{verdict.reason}\n"))


def exercise_text(exercise: ExerciseResult) -> str:
    """Writes the exercise's result for its student."""
    lines = [f"{exercise.name}: {exercise.earned:g} of {exercise.points:g} points"]
    if exercise.cause:
        lines.append(f"  {exercise.cause}")
    for check in exercise.checks:
        mark = "✓" if check.status == "passed" else "✗"
        lines.append(f"  {mark} {check.title} ({check.earned:g} of {check.points:g})")
        lines += [f"      {line}" for line in shown_message(check).splitlines()]
    if exercise.diagnosis:
        lines.append(f"  Perhaps: {exercise.diagnosis}")
    return "\n".join(lines) + "\n"


def metrics_text(metrics: list[MetricResult]) -> str:
    lines = []
    for metric in metrics:
        bounds = {
            "higher": f"at least {metric.low}",
            "lower": f"at most {metric.high}",
            "near": f"{metric.low} to {metric.high}",
        }[metric.better]
        why = metric.reason.split("\n")[0]  # the rest may hold what a hidden question was
        value = why if metric.value is None else f"{metric.value:.4g}, expected {bounds}"
        lines.append(f"{metric.name}: {value} ({metric.earned:.2g} of {metric.points:g} points)")
    return "\n".join(lines) + "\n"


def time_text(time: Time | None) -> str:
    """Says in a sentence for its student what the notebook has spent, beside the reference and the limit."""
    if time is None:
        return ""
    machine = (
        f", which takes {time.machine:.2g} times as long as the one that the course was measured on"
        if time.machine
        else ""
    )
    return (
        f"\nTime on this machine{machine}: your cells took {time.notebook.spent:.1f} s of processor time or idleness, the "
        f"reference {time.notebook.reference:.1f} s, the limit is {time.notebook.limit:.0f} s; your slowest cell "
        f"{time.slowest_cell.spent:.1f} s, the reference's {time.slowest_cell.reference:.1f} s, the limit "
        f"{time.slowest_cell.limit:.0f} s.\n"
    )


def shown_message(check: CheckResult) -> str:
    """Says why the check failed, in words that its student may read: of a hidden check the values stay behind."""
    if check.status == "passed":
        return check.message  # why it does not count, if it does not
    if not check.hidden or check.status == "unwritten":
        return check.message
    hidden = f"(a hidden check{_kind_of(check)})"
    return f"{hidden}\nfor example\n{check.example}" if check.example else hidden


def _kind_of(check: CheckResult) -> str:
    """Says what happened in a hidden check, in words of ours alone.

    An exception's text, or its name, could tell what was asked.
    """
    name = check.message.partition(":")[0] if check.status == "error" else ""
    if name in TROUBLES:
        return f": {TROUBLES[name]}"
    known = isinstance(kind := getattr(builtins, name, None), type) and issubclass(kind, Exception)
    return f": your code raised {name if known else 'an exception'}" if name else ""
