"""Grading a class, as a person sees it: a bar with who is being graded, scores into the gradebook as they come, a summary.

What a submission earns is decided elsewhere (grader.classes.batch's workers); this module is the one writer to the gradebook.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, TaskID

from etude.files import write_whole
from grader.classes.batch import Batch, grade_batch, key, unchanged
from grader.classes.summary import Key, Lines, named, note, plain, summarize
from grader.classes.uploads import Submission, submissions
from grader.course import Course, CourseError
from grader.grading import rehearsal, store, verdict
from grader.grading.notebook import Notebook
from grader.grading.store import Gradable
from grader.grading.verdict import Verdict
from grader.nbgrader import gradebook, lateness
from grader.nbgrader.course import NbgraderCourse
from grader.printable import printable
from grader.provenance import digest
from grader.release.build import is_as_built, release_to, write_master
from grader.settings import Settings


@dataclass(frozen=True)
class Classroom:
    """A class: the course, and the folder with what was handed in and the gradebook.

    Attributes:
        scheduler: the address of a Dask cluster that makes the verdicts; without one they are made here.
    """

    course: Course | NbgraderCourse
    home: Path
    settings: Settings
    scheduler: str = ""

    def grade(
        self,
        lessons: Sequence[Gradable],
        student: str,
        console: Console,
        bar: Callable[[], Progress],
        *,
        jobs: int,
        resume: bool = True,
        dry_run: bool = False,
        references: Sequence[Gradable] = (),
    ) -> list[str]:
        """Grades the submissions, stores their scores and shows how it goes.

        Args:
            references: lessons whose references are to be run too, unless it is known what they cost.

        Returns:
            What the grader itself failed at.

        Raises:
            CourseError: there is nothing to grade, or the first cells of a lesson fail here.
        """
        lessons = _rehearsed(lessons)
        todo = submissions(lessons, self.home, student)
        if not todo:
            raise CourseError(
                f"nothing is handed in: no notebook at {self.home / 'submitted'}/{student}/WEEK/LESSON.ipynb"
            )
        self._check_dates(todo, console)
        paths = {key(item): store.verdict_path(self.home, item.student, item.lesson) for item in todo}
        before = {
            student_lesson: old for student_lesson, path in paths.items() if (old := verdict.load(path)) is not None
        }
        refused = {} if dry_run else self._release({item.lesson.assignment for item in todo}, console)
        todo = [item for item in todo if item.lesson.assignment not in refused]
        if not todo:
            raise CourseError("\n".join(refused.values()))
        lines = Lines(console, todo, before, self.settings)
        with bar() as progress:
            for lesson in lessons:
                if isinstance(lesson, Notebook) and rehearsal.known(lesson) is not None:
                    lines.prepared(lesson)
            if dry_run:
                batch = self._graded_batch(todo, progress, lines, jobs, resume)
            else:
                batch = self._graded(todo, progress, lines, jobs, resume, references)
        summarize(console, batch, before, self._stored(todo), dry_run)
        fresh = len(batch.fresh)
        console.print(
            f"{fresh} graded now, {len(batch.verdicts) - fresh} unchanged; {self.settings.sandbox}"
            f"{'; nothing is stored' if dry_run else ''}",
            highlight=False,
        )
        batch.troubles += refused.values()
        for trouble in batch.troubles:
            console.print(f"[bold red]{escape(printable(trouble))}[/]", highlight=False)
        return batch.troubles

    def _check_dates(self, todo: list[Submission], console: Console) -> None:
        """Reads the class's dates before anybody is graded, and says what of them is of no effect.

        Raises:
            CourseError: they cannot be read or name a week that is not there.
        """
        dates = lateness.read(self.home)
        known = {lesson.assignment for lesson in self.course.lessons()}
        if dates is not None and (unknown := lateness.unknown_weeks(dates, known)):
            raise CourseError(
                f"{self.home / lateness.FILE} names {', '.join(unknown)}, but the weeks are {', '.join(sorted(known))}"
            )
        if dates is not None and (nobody := lateness.unknown_students(dates, self.home)):
            note(console, f"{lateness.FILE} gives more time to {named(nobody)}: no folder of submitted has this name")
        folders = dict.fromkeys(item.path.parent for item in todo)
        if timeless := [f"{path.parent.name}/{path.name}" for path in folders if lateness.holds_no_time(path)]:
            note(console, f"{lateness.HANDED_IN} holds no time in {named(timeless)}: write it as {lateness.EXAMPLE}")

    def _release(self, weeks: set[str], console: Console) -> dict[str, str]:
        """Makes the gradebook of the class know these weeks as they were last built: nbgrader stores scores of what it has released.

        Returns:
            Why a week could not be released, by week: it is not graded.
        """
        refused: dict[str, str] = {}
        if isinstance(self.course, NbgraderCourse):
            return refused  # its lessons are those that its gradebook knows
        for week in sorted(weeks):
            try:
                if not gradebook.knows(self.course, self.home, week):
                    console.print(
                        f"{week} is new to the gradebook of this class: it is released into it", highlight=False
                    )
                    for lesson in self.course.lessons(week):
                        write_master(lesson)
                    release_to(self.course, week, self.home)
                elif is_as_built(self.course, week):
                    release_to(self.course, week, self.home)
            except CourseError as error:
                refused[week] = f"{error}; nothing of {week} is graded"
        return refused

    def _graded(
        self,
        todo: list[Submission],
        bar: Progress,
        lines: Lines,
        jobs: int,
        resume: bool,
        references: Sequence[Gradable],
    ) -> Batch:
        """Makes verdicts and scores, stored as they come: a student's week goes into the gradebook when all of it is graded."""
        grading = bar.add_task("grading", total=len(todo), now="")
        open_lessons = Counter((item.lesson.assignment, item.student) for item in todo)
        storing = bar.add_task("storing in the gradebook", total=len(open_lessons), now="")
        found_of: dict[tuple[str, str], list[Verdict | None]] = {pair: [] for pair in open_lessons}
        stored = {(score.student, score.lesson): score for score in self._stored(todo)}
        troubles: list[str] = []
        held_back: dict[str, list[str]] = {}

        def done(item: Submission, verdict: Verdict | None) -> None:
            if verdict is not None and made_in != self.home:
                self._replace(item, verdict, made_in)
            bar.advance(grading)
            lines.add(item, verdict)
            pair = (item.lesson.assignment, item.student)
            found_of[pair].append(verdict)
            open_lessons[pair] -= 1
            if open_lessons[pair]:
                return
            bar.update(storing, now=escape(plain(item.student)))
            verdicts = [verdict for verdict in found_of[pair] if verdict is not None]
            try:
                if len(verdicts) == len(found_of[pair]):
                    self._store(item, verdicts, stored)
                elif verdicts:
                    held_back.setdefault(item.lesson.assignment, []).append(item.student)
            except CourseError as error:  # of this student: the others' scores are stored all the same
                troubles.append(str(error))
            bar.advance(storing)

        with tempfile.TemporaryDirectory() as empty:  # where no verdict is found that could be kept
            made_in = self.home if resume else Path(empty)
            batch = self._verdicts(todo, made_in, lines, jobs, _shown(bar, grading), done, references)
        troubles += [
            f"{week}: no score of {named(students)} goes into the gradebook until all lessons of this week that were asked for "
            "are graded; what is graded already will not run again"
            for week, students in held_back.items()
        ]
        batch.troubles += troubles + self._correct_penalties({item.student for item in todo}, bar, storing, lines)
        bar.update(storing, now="")
        return batch

    def _replace(self, item: Submission, verdict: Verdict, made_in: Path) -> None:
        """Puts the verdict and its notebook, made elsewhere, in the place of the old ones."""
        made = store.verdict_path(made_in, item.student, item.lesson).with_suffix(".ipynb")
        executed = nbformat.read(made, as_version=4) if made.is_file() else None
        store.save(store.verdict_path(self.home, item.student, item.lesson), verdict, executed)

    def _store(self, item: Submission, verdicts: list[Verdict], stored: Mapping[Key, gradebook.Score]) -> None:
        """Stores a student's week with these verdicts, unless they are what the gradebook holds.

        The receipt is of all that nbgrader makes the week's pages of; scores are compared, for a gradebook may be an older one.

        Args:
            stored: what the gradebook holds, by student and lesson.
        """
        receipt = store.verdict_path(self.home, item.student, item.lesson).with_name("stored.txt")
        when = lateness.handed_in(item.path.parent)
        late = lateness.written(self.home, item.lesson.assignment, item.student)
        content = digest(*sorted(verdict.as_json() for verdict in verdicts), str(when), *late)
        scores = [(stored.get((verdict.student, verdict.lesson)), verdict.earned) for verdict in verdicts]
        there = all(score is not None and score.holds(earned) for score, earned in scores)
        if there and receipt.is_file() and receipt.read_text(encoding="utf-8") == content:
            return
        gradebook.store(self.course, self.home, item.lesson.assignment, item.student, self.settings)
        write_whole(receipt, content)

    def _correct_penalties(self, students: set[str], bar: Progress, storing: TaskID, lines: Lines) -> list[str]:
        """Stores again the weeks of these students from which another penalty is due now: free days are spent over all weeks.

        A week that is not graded as it stands waits until it is, which a sentence says.

        Returns:
            What could not be stored.
        """
        troubles: list[str] = []
        weeks = {lesson.assignment for lesson in self.course.lessons()}
        for week, student in gradebook.wrong_penalties(self.course, self.home, students):
            if week not in weeks:  # it was taken out of the course
                continue
            bar.update(storing, now=escape(plain(student)))
            todo = submissions(_rehearsed(self.course.lessons(week)), self.home, student)
            if not todo or len(unchanged(todo, self.home, self.settings)) < len(todo):
                lines.note(f"another penalty is due from {student} for {week}: grade this week again")
                continue
            try:
                gradebook.store(self.course, self.home, week, student, self.settings)
            except CourseError as error:
                troubles.append(str(error))
        return troubles

    def _graded_batch(self, todo: list[Submission], bar: Progress, lines: Lines, jobs: int, resume: bool) -> Batch:
        """Makes verdicts alone, kept nowhere."""
        grading = bar.add_task("grading", total=len(todo), now="")

        def done(item: Submission, verdict: Verdict | None) -> None:
            bar.advance(grading)
            lines.add(item, verdict)

        with tempfile.TemporaryDirectory() as scratch:
            if resume and (self.home / "verdicts").is_dir():
                shutil.copytree(self.home / "verdicts", Path(scratch, "verdicts"))
            return self._verdicts(todo, Path(scratch), lines, jobs, _shown(bar, grading), done)

    def _verdicts(
        self,
        todo: list[Submission],
        home: Path,
        lines: Lines,
        jobs: int,
        running: Callable[[list[str]], None],
        done: Callable[[Submission, Verdict | None], None],
        references: Sequence[Gradable] = (),
    ) -> Batch:
        """Makes the verdicts: on the cluster if there is one, else with `jobs` processes of this machine."""
        if self.scheduler:
            from grader.classes.cluster import grade_on_cluster

            return grade_on_cluster(
                todo, home, self.settings, scheduler=self.scheduler, running=running, done=done, say=lines.note
            )
        return grade_batch(
            todo,
            home,
            self.settings,
            jobs=jobs,
            running=running,
            done=done,
            references=references,
            rehearse=[item.lesson for item in todo],
            prepared=lines.prepared,
        )

    def _stored(self, todo: list[Submission]) -> list[gradebook.Score]:
        """Reads what the gradebook holds of these weeks."""
        weeks = dict.fromkeys(item.lesson.assignment for item in todo)
        return [score for week in weeks for score in gradebook.scores(self.course, self.home, week)]


def _rehearsed(lessons: Iterable[Gradable]) -> list[Gradable]:
    """Puts notebooks in place of which it is known which test cells run outside, where that is known."""
    return [rehearsal.known(lesson) or lesson if isinstance(lesson, Notebook) else lesson for lesson in lessons]


def _shown(bar: Progress, task: TaskID) -> Callable[[list[str]], None]:
    return lambda names: bar.update(task, now=escape(plain(", ".join(names))))
