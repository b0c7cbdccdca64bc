"""What a student reads: a verdict written into a notebook's cells, as outputs that nbgrader scores and shows.

Outputs of the student's own come through as text and pictures only: what could run in an instructor's browser (HTML, SVG,
JavaScript, widgets) is left out. Texts of the student's own are formatted only if no more than formatting comes of it.
Of hidden checks the student sees the question and whether it passed, not the values.
"""

from __future__ import annotations

import base64
import binascii
import builtins
import re
from collections.abc import Collection
from html import unescape
from typing import Any

import nh3
from nbformat import NotebookNode
from nbformat.v4 import new_output

from grader.verdict import CheckResult, ExerciseResult, MetricResult, Verdict

MOST_OUTPUTS = 50  # of one cell
LONGEST_TEXT = 20_000  # characters of one output
TROUBLES = {  # what the grader itself says of a call, by the name of its error
    "MissingName": "the notebook does not define the name that is asked for",
    "StudentTimeout": "your code took too long",
    "KernelGone": "the notebook's process had ended",
    "WireError": "what came back is no plain value, array or tensor of a sensible size",
    "MisusedHandle": "what came back is an object of another kind than the exercise asks for",
}
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
MOST_TEXT = 100_000  # characters of a notebook's own texts that are looked at: Markdown's parser can be made slow
AS_TYPED = (
    "*Shown as it was typed: it is long, or holds HTML, a picture or a link that could act in a reader's browser.*"
)
MEDIA = {"img", "area", "map"}  # a picture asks a server, perhaps the instructor's own, as soon as it is looked at
LINKS = ("https://", "http://", "mailto:", "#")  # a relative link leads into the instructor's Jupyter
ALIGNMENTS = {f"text-align:{side}" for side in ("left", "center", "right")}
ATTRIBUTES = {  # what nbconvert writes by itself
    "a": {"href", "title", "class"},
    "div": {"class"},
    "span": {"class"},
    "ol": {"start"},
    **{cell: {"style"} for cell in ("th", "td")},
    **{f"h{level}": {"id"} for level in range(1, 7)},
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
                text_output(metrics_text(verdict.metrics)),
                score_output(sum(metric.earned for metric in verdict.metrics)),
            ]
        else:
            cell.outputs = [text_output("This cell is not known to the grader.\n"), score_output(0.0)]
        if verdict.reason:
            cell.outputs.insert(0, text_output(f"{verdict.reason}\n"))


def show_run(notebook: NotebookNode, executed: NotebookNode | None) -> None:
    """Gives each code cell of `notebook` what is harmless of the outputs that the cell of the same id had in the run."""
    ran = {cell.id: cell for cell in executed.cells} if executed is not None else {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            twin = ran.get(cell.id)
            kept = [harmless(output) for output in twin.outputs[:MOST_OUTPUTS]] if twin else []
            cell.outputs = [output for output in kept if output]
            count = twin.execution_count if twin else None  # the kernel said it, so it may be anything
            cell.execution_count = count if isinstance(count, int) else None


def show_texts(notebook: NotebookNode, released: NotebookNode) -> None:
    """Leaves the texts of `notebook` that were released as they are, and makes the student's own harmless."""
    given = {cell.source for cell in released.cells}
    fields = {cell.metadata.nbgrader.grade_id for cell in released.cells if "nbgrader" in cell.metadata}
    room = MOST_TEXT
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source not in given:
            room -= len(cell.source)
            cell.source = harmless_text(cell.source, fields) if room >= 0 else as_typed(cell.source)


def harmless_text(source: str, fields: Collection[str] = ()) -> str:
    """The Markdown itself if only formatting comes of it, else Markdown that shows it as it was typed.

    nbgrader's pages render what a student wrote without a sanitizer, in the instructor's browser and session. `fields`:
    the cells for whose scores and comments such a page has fields, which no heading of a student's may be called after.
    """
    short = len(source) <= LONGEST_TEXT
    return source if short and _is_formatting(source, fields) else as_typed(source)


def as_typed(source: str) -> str:
    """Markdown that shows the text itself, in a fence that is longer than any within."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", source)), default=0))
    return f"{AS_TYPED}\n\n{fence}\n{source.replace(chr(0), '�')}\n{fence}"


def _is_formatting(source: str, fields: Collection[str]) -> bool:
    """Whether a sanitizer leaves all of the HTML that nbgrader's pages make of the Markdown."""
    # imported late: nbconvert takes longer than all the rest, and only nbgrader's own steps come here
    from nbconvert.filters import markdown2html, strip_files_prefix
    from pygments.token import STANDARD_TYPES

    classes = {"highlight", "anchor-link", *STANDARD_TYPES.values()}  # no others: formgrader's buttons are classes
    taken = {field + end for field in fields for end in ("", "-comment", "_extra_credit")}

    def kept(tag: str, name: str, value: str) -> str | None:
        allowed = {
            "href": value.lower().startswith(LINKS),
            "class": classes.issuperset(value.split()),
            "id": value not in taken,
            "style": value in ALIGNMENTS,
        }
        return value if allowed.get(name, True) else None

    html = strip_files_prefix(markdown2html(source))
    tags = nh3.ALLOWED_TAGS - MEDIA
    clean = nh3.clean(html, tags=tags, attributes=ATTRIBUTES, attribute_filter=kept, link_rel=None)
    return _spelled_alike(html) == _spelled_alike(clean)


def _spelled_alike(html: str) -> str:
    """The HTML with one spelling for what a serializer may write in two ways; `<` and `&` stay as they are."""
    for one, other in ((" />", ">"), ("&quot;", '"'), ("&gt;", ">"), ("&nbsp;", "\xa0")):
        html = html.replace(one, other)
    return re.sub(r"&#[1-9]\d{2,6};", lambda number: unescape(number[0]), html)  # from &#100; on: neither < nor &


def harmless(output: NotebookNode) -> NotebookNode | None:
    """The output as text or PNG, or None."""
    if output.output_type == "stream":
        return new_output("stream", name="stdout", text=_plain(output.text))
    if output.output_type == "error":
        return new_output(
            "stream",
            name="stdout",
            text=_plain("\n".join(output.get("traceback", [])) or f"{output.ename}: {output.evalue}"),
        )
    data: dict[str, Any] = {}
    if isinstance(png := output.data.get("image/png"), str) and _is_png(png):
        data["image/png"] = png
    if isinstance(text := output.data.get("text/plain"), str):
        data["text/plain"] = _plain(text)
    return new_output("display_data", data=data) if data else None


def exercise_text(exercise: ExerciseResult) -> str:
    """The exercise's result for its student."""
    lines = [f"{exercise.name}: {exercise.earned:g} of {exercise.points:g} points"]
    for check in exercise.checks:
        mark = "✓" if check.status == "passed" else "✗"
        lines.append(f"  {mark} {check.title} ({check.earned:g} of {check.points:g})")
        lines += [f"      {line}" for line in _message(check).splitlines()]
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


def _message(check: CheckResult) -> str:
    if check.status == "passed":
        return ""
    if not check.hidden or check.status == "unwritten":
        return check.message
    return f"(a hidden check{_kind_of(check)})"


def _kind_of(check: CheckResult) -> str:
    """What happened in a hidden check, in words of ours alone: an exception's text, or its name, could tell what was asked."""
    name = check.message.partition(":")[0] if check.status == "error" else ""
    if name in TROUBLES:
        return f": {TROUBLES[name]}"
    known = isinstance(kind := getattr(builtins, name, None), type) and issubclass(kind, Exception)
    return f": your code raised {name if known else 'an exception'}" if name else ""


def _plain(text: str) -> str:
    text = ESCAPES.sub("", text if isinstance(text, str) else "".join(text))
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "\n… (cut)\n"


def _is_png(text: str) -> bool:
    try:
        return base64.b64decode(text[:64], validate=False)[:8] == b"\x89PNG\r\n\x1a\n"
    except (binascii.Error, ValueError):
        return False


def text_output(text: str) -> NotebookNode:
    return new_output("stream", name="stdout", text=text)


def score_output(points: float) -> NotebookNode:
    """nbgrader reads the first execute_result that is a number as the cell's score."""
    return new_output("execute_result", data={"text/plain": repr(float(points))}, execution_count=None)
