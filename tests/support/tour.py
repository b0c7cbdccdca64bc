"""A week of a semester as people see it: a student with the pack in JupyterLab, then the instructor with the class.

Both walks take pictures on their way, `NAME.png` in a folder; README and the site show the best of them
(`python tools/take_pictures.py`).
"""

from __future__ import annotations

import csv
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from browser import LabNotebook, jupyterlab
from environments import HERE, with_pack
from formgrader import Formgrader, window
from nbgrader.api import Gradebook
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect
from tomlkit import dumps, parse

from grader.course import ROOT, Course, Lesson
from grader.lessons import source
from grader.nbgrader import sheets
from grader.nbgrader.sheets import Total
from grader.quality import sample_class
from grader.release.pack import pack

WEEK, LESSON = "week2_tokenizers", "bpe"
EXERCISE, QUESTION = "count_pairs", "what_merges_find"  # what the student has not written yet
SLIP = ("+= count", "+= 1")  # of the reference's line, one of the classic mistakes
ANSWER = (
    "A merge joins what is **frequent**. Nobody said what a morpheme is: `킹` and `받` meet often, so they are joined."
)
COMMENT = "Right. Which count would have told you that 받네 is a piece of its own?"
ADA, BORA, CHUL = STUDENTS = {"kim-ada_101": "Kim Ada", "lee-bora_102": "Lee Bora", "park-chul_103": "Park Chul"}
SHEET = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
HAND_IN_S = 600  # the whole notebook runs in it, on machines of any speed
DESK = ViewportSize(width=1280, height=860)


@dataclass
class Student:
    """The student's week: a folder with the unpacked pack, JupyterLab of an environment that has only the pack's course."""

    folder: Path
    notebook: LabNotebook
    pictures: Path

    def write(self, code: str) -> None:
        """Writes the open exercise and runs it with its check."""
        self.notebook.write(EXERCISE, code)
        self.notebook.run(EXERCISE, f"check_{EXERCISE}")

    def result(self, outputs: int, picture: str) -> Locator:
        """What the check says, and a picture of it."""
        said = self.notebook.outputs(f"check_{EXERCISE}", outputs)[0]
        expect(said).to_be_visible()
        self.notebook.page.screenshot(path=self.pictures / f"{picture}.png")
        return said

    def answer(self, text: str) -> None:
        """Writes the answer in words, renders it and saves the notebook."""
        self.notebook.write(QUESTION, text)
        self.notebook.run(QUESTION)
        self.notebook.save()

    def hand_in(self) -> Path:
        """Types `etude hand-in` in JupyterLab's terminal, and waits for the receipt; the file that is to be uploaded.

        Raises:
            AssertionError: there is no receipt after HAND_IN_S; the message names the picture of the terminal.
        """
        page, picture = self.notebook.page, self.pictures / "hand_in.png"
        # A terminal begins like a login, in bash or in the plainest shell: the environment is activated there as at home.
        self.notebook.terminal(". ../env/bin/activate", "PS1='$ '; clear", f"etude hand-in {LESSON}.ipynb")
        receipt = self.folder / "handed-in" / f"{LESSON}.receipt.json"
        for _ in range(HAND_IN_S):
            if receipt.is_file():
                break
            page.wait_for_timeout(1000)
        page.wait_for_timeout(1000)  # the terminal writes its last lines
        page.screenshot(path=picture)
        assert receipt.is_file(), f"nothing was handed in; what the terminal shows: {picture}"
        return receipt.with_name(f"{LESSON}.ipynb")


@contextmanager
def student(chromium: Browser, folder: Path, pictures: Path) -> Iterator[Student]:
    """Unpacks and installs the week's pack, and opens the lesson in JupyterLab: all is written but one exercise and one answer."""
    course = Course()
    course.build = folder / "build"
    zipfile.ZipFile(pack(course, WEEK)).extractall(folder)
    own = folder / WEEK
    lesson = course.lesson(LESSON)
    written = source.exercises(source.read(lesson))
    del written[EXERCISE]
    nbformat.write(source.filled(lesson, written), own / f"{LESSON}.ipynb")
    environment = with_pack(own, folder / "env")
    with jupyterlab(own, folder / "private", environment) as address:
        page = chromium.new_page(viewport=DESK)
        notebook = LabNotebook(page, address, f"{LESSON}.ipynb")
        notebook.run("parameters", "setup")
        yield Student(own, notebook, pictures)
        page.close()


def right_answer() -> str:
    """The reference's code of the open exercise, as a student would write it."""
    code = source.exercises(source.read(Course().lesson(LESSON)))[EXERCISE]
    return "\n".join(line for line in code.splitlines() if not line.strip().startswith("###"))


@dataclass
class Instructor:
    """The instructor's week: a course of this one lesson in a folder of its own, its class, and a browser."""

    course: Course
    chromium: Browser
    pictures: Path

    @property
    def root(self) -> Path:
        return self.course.root

    def grader(self, *words: str) -> str:
        """Runs `grader` in the course's folder as the instructor does; what it printed.

        Raises:
            AssertionError: it ended with an error.
        """
        done = HERE.run("grader", *words, folder=self.root, seconds=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def take_in_and_grade(self) -> str:
        """Takes in Moodle's zip with what two students handed in, and grades it; what was printed."""
        answers = sample_class.answers(self.lesson)
        with zipfile.ZipFile(self.root / "moodle.zip", "w") as archive:
            for name, pattern in ((BORA, "bora"), (CHUL, "chul")):
                text = nbformat.writes(source.filled(self.lesson, answers[pattern]))
                who = f"{STUDENTS[name]}_{name[-3:]}_assignsubmission_file_"
                archive.writestr(f"{who}/{LESSON}.ipynb", text)
        return self.grader("autograde", WEEK, "--take-in", "moodle.zip")

    def put(self, handed_in: Path) -> None:
        """Puts ada's file, which came by mail, where submissions lie."""
        place = self.root / "submitted" / ADA / WEEK
        place.mkdir(parents=True)
        shutil.copy(handed_in, place)

    def in_formgrader(self, private: Path) -> str:
        """Grades ada by formgrader's button, reads the answer in words and gives it points; what formgrader said."""
        with jupyterlab(self.root, private) as server, window(self.chromium, server) as opened:
            opened.page.set_viewport_size(DESK)
            pages = Formgrader(opened, WEEK, ADA)
            said, _ = pages.press("autograde")
            with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}", "tour") as book:
                submission = str(book.find_submission_notebook(LESSON, WEEK, ADA).id)
            pages.open(submission)
            pages.type(QUESTION, "1.5")
            pages.type(f"{QUESTION}-comment", COMMENT)
            opened.page.locator(f"#{QUESTION}").scroll_into_view_if_needed()
            opened.page.screenshot(path=self.pictures / "answer.png")
        return said

    def read(self, name: str, picture: str) -> Page:
        """Makes the report and opens one of its pages."""
        self.grader("report")
        page = self.chromium.new_page(viewport=DESK)
        page.goto((self.root / "build" / "report" / name).as_uri())
        page.screenshot(path=self.pictures / f"{picture}.png", full_page=True)
        return page

    def export(self) -> list[dict[str, str]]:
        """Fills Moodle's worksheet; its rows."""
        rows = [[f"Participant {s[-3:]}", name, f"{s}@example.org", "", "", "100"] for s, name in STUDENTS.items()]
        with (self.root / "sheet.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([SHEET, *rows])
        self.grader("export", WEEK, "sheet.csv")
        with (self.root / "sheet-filled.csv").open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))

    def totals(self) -> dict[str, Total]:
        """The week's totals in the gradebook."""
        return sheets.totals(self.root / "gradebook.db", WEEK)

    @property
    def lesson(self) -> Lesson:
        return self.course.lesson(LESSON)


def instructor(chromium: Browser, folder: Path, pictures: Path) -> Instructor:
    """Makes a course of the one lesson in a folder, as it was released."""
    folder.mkdir()
    listed = parse((ROOT / "course.toml").read_text(encoding="utf-8"))
    [week] = [week for week in listed["weeks"] if week["name"] == WEEK]
    week["lessons"] = [lesson for lesson in week["lessons"] if lesson["name"] == LESSON]
    listed["weeks"] = [week]
    (folder / "course.toml").write_text(dumps(listed), encoding="utf-8")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    for place in ("solutions", "weeks"):
        shutil.copytree(ROOT / place / WEEK / LESSON, folder / place / WEEK / LESSON)
    shutil.copy(ROOT / "weeks" / WEEK / f"{LESSON}.ipynb", folder / "weeks" / WEEK)
    return Instructor(Course(folder), chromium, pictures)
