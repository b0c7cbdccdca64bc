"""A class in lines of a log: one for each submission as it is graded, and at the end what an instructor has to know.

All of it fits into the 80 columns of a log. Names and reasons come from outside: `plain` keeps them on one line and away
from the terminal, and they are put into rich's Text, which reads no markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.classes import moves
from grader.classes.batch import Batch, key
from grader.classes.uploads import Submission
from grader.grading import costs
from grader.grading.cell_scores import tests
from grader.grading.notebook import Notebook
from grader.grading.store import Gradable
from grader.grading.verdict import Verdict
from grader.nbgrader.gradebook import Score
from grader.printable import printable
from grader.settings import Settings

Key = tuple[str, str]  # a student and a lesson's id, as in grader.classes.batch
MOST_NAMED = 10  # students in one line
WIDEST_NAME = 20  # columns of a name on a line; more is cut


def plain(text: str) -> str:
    """Puts the text on one line, without what does something to a terminal."""
    return " ".join(printable(text).split())


def note(console: Console, sentence: str) -> None:
    """Prints a sentence that a person should read, the whole of it."""
    console.print(Text(plain(sentence), "yellow"), soft_wrap=True)


def named(names: Iterable[str]) -> str:
    """Names the first of them, and counts the rest."""
    first = list(names)
    more = f" and {len(first) - MOST_NAMED} more" if len(first) > MOST_NAMED else ""
    return ", ".join(first[:MOST_NAMED]) + more


@dataclass
class Lines:
    """Prints a line for each submission that is done: its place, whose it is, its points, how long it took, what was missed."""

    console: Console
    todo: Sequence[Submission]
    before: Mapping[Key, Verdict]  # the verdicts that were stored when the command began
    settings: Settings
    done: int = 0
    widths: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.widths = _widest(item.student for item in self.todo), _widest(item.lesson.name for item in self.todo)

    def add(self, item: Submission, verdict: Verdict | None) -> None:
        self.done += 1
        total = len(self.todo)
        place = f"[{self.done:>{len(str(total))}}/{total}] "
        student, lesson = (
            set_cell_size(plain(name), width)
            for name, width in zip((item.student, item.lesson.name), self.widths, strict=True)
        )
        line = Text(f"{place}{student}  {lesson}  ")
        if verdict is None:
            self._print(line.append("the grader failed, see the end", "bold red"))
            return
        earlier = self.before.get(key(item))
        line.append(f"{verdict.earned:5.1f} of {f'{verdict.points:g} points':<11}")
        line.append("  unchanged" if verdict == earlier else f"  {verdict.seconds:3.0f} s")
        if earlier is not None and earlier.earned != verdict.earned:
            line.append(f"  before {earlier.earned:.1f}", "bold")
        self._print(line)
        if verdict != earlier and verdict.earned < verdict.points:
            self._print(Text(" " * len(place) + plain(verdict.summary), "dim"))

    def prepared(self, lesson: Gradable) -> None:
        """Says that a lesson's reference has been run, or how many of a notebook's test cells run outside it."""
        if isinstance(lesson, Notebook):
            cells = f"{len(lesson.outside)} of {len(tests(lesson.released))} test cells"
            self._print(Text(f"{plain(lesson.id)}: {cells} run out of the notebook's reach"))
            return
        spent = costs.kept(lesson, self.settings)
        seconds = f", {spent.notebook:.1f} s of computing" if spent else ""
        self._print(Text(f"reference of {plain(lesson.name)}: all is right{seconds}"))

    def note(self, sentence: str) -> None:
        """Prints a sentence on where the class is graded."""
        note(self.console, sentence)

    def _print(self, line: Text) -> None:
        self.console.print(line, no_wrap=True, overflow="ellipsis")


def summarize(
    console: Console, batch: Batch, before: Mapping[Key, Verdict], stored: Iterable[Score], dry_run: bool
) -> None:
    """Prints a line for each lesson, whose points changed and by which check, whose files were refused, who was late."""
    stored = list(stored)
    console.print()
    console.print(_table(batch, before, stored))
    console.print()
    changes = _changes(batch, before)
    if changes:
        console.print("points would change:" if dry_run else "points changed:")
    for student, lesson in changes:
        old, new = before[student, lesson], batch.verdicts[student, lesson]
        line = f"  {plain(student)}  {_name(lesson)}  {old.earned:.1f} → {new.earned:.1f} of {new.points:g}"
        console.print(Text(line), soft_wrap=True)
    if moved := list(moves.moves(before, batch.verdicts)):
        console.print("exercise by exercise:")
        console.print(moves.table(moved))
        console.print()
    refused: dict[str, list[str]] = {}
    for (student, lesson), verdict in sorted(batch.verdicts.items()):
        if verdict.status == "refused":
            refused.setdefault(student, []).append(_name(lesson))
    if refused:
        console.print("refused, as they are no notebooks of the lesson:")
    for student, lessons in refused.items():
        console.print(Text(f"  {plain(student)}: {', '.join(lessons)}"))
    late: dict[str, dict[str, None]] = {}
    for score in stored:
        if score.late.sentence:
            late.setdefault(score.late.sentence, {})[plain(score.student)] = None
    if late:
        console.print("late:")
    for sentence, students in late.items():
        console.print(Text(f"  {named(students)}: {sentence}"))


def _table(batch: Batch, before: Mapping[Key, Verdict], stored: Iterable[Score]) -> Table:
    table = Table("lesson", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.columns[0].no_wrap, table.columns[0].overflow = True, "ellipsis"
    for head in ("students", "mean points", "changed", "in the gradebook", "to read"):
        table.add_column(head, justify="right")
    scores = {(score.student, score.lesson): score for score in stored}
    changes = _changes(batch, before)
    for lesson in dict.fromkeys(lesson for _, lesson in sorted(batch.verdicts, key=lambda pair: pair[::-1])):
        verdicts = [verdict for (_, of), verdict in batch.verdicts.items() if of == lesson]
        mean = sum(verdict.earned for verdict in verdicts) / len(verdicts)
        kept = [score for verdict in verdicts if (score := scores.get((verdict.student, lesson))) is not None]
        table.add_row(
            Text(_name(lesson)),
            str(len(verdicts)),
            f"{mean:.1f} of {max(verdict.points for verdict in verdicts):g}",
            str(sum(of == lesson for _, of in changes)),
            str(len(kept)),
            str(sum(score.needs_manual_grade for score in kept)),
        )
    return table


def _changes(batch: Batch, before: Mapping[Key, Verdict]) -> list[Key]:
    """Finds the submissions whose points are not what they were before."""
    return [
        student_lesson
        for student_lesson, verdict in sorted(batch.verdicts.items())
        if (old := before.get(student_lesson)) is not None and old.earned != verdict.earned
    ]


def _name(lesson: str) -> str:
    return plain(lesson.split("/")[1])


def _widest(names: Iterable[str]) -> int:
    return min(WIDEST_NAME, max(cell_len(plain(name)) for name in names))
