"""Grading a class, as a person sees it: a bar with who is being graded, scores into the gradebook as they come, a summary.

What a submission earns is decided elsewhere (grader.classes.batch's workers); this module is the one writer to the gradebook.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, TaskID

from etude.files import write_whole
from grader.classes.batch import Batch, grade_batch, key
from grader.classes.summary import Lines, plain, summarize
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
from grader.release.build import release_to, write_master
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
        lessons = [rehearsal.known(lesson) or lesson if isinstance(lesson, Notebook) else lesson for lesson in lessons]
        todo = submissions(lessons, self.home, student)
        if not todo:
            raise CourseError(
                f"nothing is handed in: no notebook at {self.home / 'submitted'}/{student}/WEEK/LESSON.ipynb"
            )
        self._check_dates()
        paths = {key(item): store.verdict_path(self.home, item.student, item.lesson) for item in todo}
        before = {
            student_lesson: old for student_lesson, path in paths.items() if (old := verdict.load(path)) is not None
        }
        if not resume and not dry_run:
            for path in paths.values():
                path.unlink(missing_ok=True)
        if not dry_run:
            self._release({item.lesson.assignment for item in todo}, console)
        lines = Lines(console, todo, before, self.settings)
        with bar() as progress:
            for lesson in lessons:
                if isinstance(lesson, Notebook) and rehearsal.known(lesson) is not None:
                    lines.prepared(lesson)
            if dry_run:
                batch = self._graded_batch(todo, progress, lines, jobs, resume)
            else:
                batch = self._graded(todo, progress, lines, jobs, references)
        summarize(console, batch, before, self._stored(todo), dry_run)
        fresh = len(batch.fresh)
        console.print(
            f"{fresh} graded now, {len(batch.verdicts) - fresh} unchanged; {self.settings.sandbox}"
            f"{'; nothing is stored' if dry_run else ''}",
            highlight=False,
        )
        for trouble in batch.troubles:
            console.print(f"[bold red]{escape(printable(trouble))}[/]", highlight=False)
        return batch.troubles

    def _check_dates(self) -> None:
        """Reads the class's dates before anybody is graded. Raises CourseError if they name a week that is not there."""
        dates = lateness.read(self.home)
        known = {lesson.assignment for lesson in self.course.lessons()}
        if dates is not None and (unknown := lateness.unknown_weeks(dates, known)):
            raise CourseError(
                f"{self.home / lateness.FILE} names {', '.join(unknown)}, but the weeks are {', '.join(sorted(known))}"
            )

    def _release(self, weeks: set[str], console: Console) -> None:
        """Makes a week known to a gradebook that has never seen it: nbgrader stores scores of what it has released."""
        if isinstance(self.course, NbgraderCourse):
            return  # its lessons are those that its gradebook knows
        for week in sorted(weeks):
            if not gradebook.knows(self.course, self.home, week):
                console.print(f"{week} is new to the gradebook of this class: it is released into it", highlight=False)
                for lesson in self.course.lessons(week):
                    write_master(lesson)
                release_to(self.course, week, self.home)

    def _graded(
        self, todo: list[Submission], bar: Progress, lines: Lines, jobs: int, references: Sequence[Gradable]
    ) -> Batch:
        """Makes verdicts and scores, stored as they come: a student's week goes into the gradebook when all of it is graded."""
        grading = bar.add_task("grading", total=len(todo), now="")
        open_lessons = Counter((item.lesson.assignment, item.student) for item in todo)
        storing = bar.add_task("storing in the gradebook", total=len(open_lessons), now="")
        found_of: dict[tuple[str, str], list[Verdict | None]] = {pair: [] for pair in open_lessons}
        booked = {(score.student, score.notebook) for score in self._stored(todo) if score.penalty_is_right}
        troubles = []

        def done(item: Submission, verdict: Verdict | None) -> None:
            bar.advance(grading)
            lines.add(item, verdict)
            pair = (item.lesson.assignment, item.student)
            found_of[pair].append(verdict)
            open_lessons[pair] -= 1
            if open_lessons[pair]:
                return
            bar.update(storing, now=escape(plain(item.student)))
            try:
                self._store(
                    item, [verdict for verdict in found_of[pair] if verdict is not None], len(found_of[pair]), booked
                )
            except CourseError as error:  # of this student: the others' scores are stored all the same
                troubles.append(str(error))
            bar.advance(storing)

        batch = self._verdicts(todo, self.home, lines, jobs, _shown(bar, grading), done, references)
        bar.update(storing, now="")
        batch.troubles += troubles
        return batch

    def _store(self, item: Submission, verdicts: list[Verdict], handed_in: int, booked: set[tuple[str, str]]) -> None:
        """Stores a student's week if there is a verdict on all of it, unless these very verdicts are stored already.

        booked: (student, notebook) of which the gradebook holds a score, with the penalty that the class's rule takes now.
        """
        if len(verdicts) < handed_in:
            return
        receipt = store.verdict_path(self.home, item.student, item.lesson).with_name("stored.txt")
        fingerprint = digest(*sorted(verdict.as_json() for verdict in verdicts))
        there = {(verdict.student, verdict.lesson.split("/")[1]) for verdict in verdicts} <= booked
        if there and receipt.is_file() and receipt.read_text(encoding="utf-8") == fingerprint:
            return
        gradebook.store(self.course, self.home, item.lesson.assignment, item.student, self.settings)
        write_whole(receipt, fingerprint)

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


def _shown(bar: Progress, task: TaskID) -> Callable[[list[str]], None]:
    return lambda names: bar.update(task, now=escape(plain(", ".join(names))))
