"""Hostile submissions, graded as one class beside honest students: nothing undeserved, nothing read, nobody else touched.

The attacks are tests/attacks; how they are handed in and graded is tests/support/hostile.py. What came of each is recorded in
build/trust/attacks.json, or where ETUDE_ATTACKS says.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import hostile
import hostile_files  # noqa: F401 - makes its attacks known
import hostile_json  # noqa: F401
import psutil
import pytest
from decoys import Decoys
from hostile import SAYS_NOTHING, WEEK, Attack, Done

from grader.course import Course
from grader.grading.verdict import Verdict
from grader.nbgrader import config

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

README = hostile.HERE / "README.md"
BY_HAND = [make.__name__ for make, *_ in hostile.MAKERS]
NAMES = [path.stem for path in hostile.FILES] + BY_HAND
SHOWN = [
    "pages_that_run",
    "text_that_deceives",
    "commands_to_a_terminal",
    "forged_messages_to_jupyter",
    "outputs_forged",
]
ALL, HALF = 11.0, 8.0
ZMQ_GREETING = b"\xff\0\0\0\0\0\0\0"  # how jupyter's client begins, whoever it speaks to: no byte is the student's
OF_A_HIDDEN_ANSWER = ("7.3106e-01", "0.73105")  # what a hidden check expects
MOST_STORED = 30 << 20  # bytes of all that is kept of one student


@dataclass(frozen=True)
class Aftermath:
    """All that is there after the class has been graded."""

    course: Course
    attacks: dict[str, Attack]
    done: Done
    decoys: Decoys
    secret: str
    asked: str
    before: dict[str, str]
    scratch: Path
    verdicts: dict[str, Verdict]
    scores: dict[str, float]

    def given_back(self, student: str) -> list[Path]:
        """What is kept of a student for the student's own eyes, or could be shown to the student."""
        folders = [self.course.root / name / student for name in ("autograded", "feedback")]
        return [path for folder in folders for path in folder.rglob("*") if path.is_file()]

    def kept(self, student: str) -> list[Path]:
        verdict = self.course.root / "verdicts" / student
        return [*self.given_back(student), *(path for path in verdict.rglob("*") if path.is_file())]


@pytest.fixture(scope="module")
def after() -> Iterator[Aftermath]:
    """The class, graded once for all tests of this file."""
    secret, asked = f"S{secrets.token_hex(8)}", f"I{secrets.token_hex(8)}"
    with tempfile.TemporaryDirectory(prefix="class-") as name:
        root = Path(name)
        root.chmod(0o755)
        for folder in ("decoys", "t"):
            (root / folder).mkdir(mode=0o711)
        course = hostile.course_to_attack(root / "course", secret, asked)
        with Decoys(root / "decoys", secret) as decoys:
            places = {"COURSE": course.root, "DECOYS": decoys.folder, "PORT": decoys.port, "ABSTRACT": decoys.abstract}
            attacks = hostile.attacks_of_notebooks(course.lessons()[0], {k: str(v) for k, v in places.items()}, secret)
            attacks += hostile.attacks_made_by_hand(course.lessons()[0], secret)
            hostile.hand_in(course, attacks, secret)
            before = fingerprints(course)
            done = hostile.autograde(course, decoys, root / "t")
            for student in SHOWN:
                assert config.api(course).generate_feedback(WEEK, student)["success"]
        found, booked = hostile.verdicts(course), hostile.scores(course)
        if found.keys() == booked.keys() >= set(NAMES):
            default = Course().build / "trust" / "attacks.json"
            hostile.record(Path(os.environ.get("ETUDE_ATTACKS") or default), attacks, course, done)
        by_name = {attack.name: attack for attack in attacks}
        yield Aftermath(course, by_name, done, decoys, secret, asked, before, root / "t", found, booked)


def fingerprints(course: Course) -> dict[str, str]:
    """Path → sha256 of what no submission may change: the course, and what was handed in."""
    folders = [course.root / name for name in ("solutions", "weeks", "submitted", "build")]
    own = {"__pycache__", "costs", "runs", "released"}  # what the grader itself keeps below build
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file() and not own & set(path.parts)]
    sizes = {path: path.lstat().st_size for path in [*paths, course.root / "course.toml"] if not path.is_symlink()}
    return {
        str(path): f"{size}" if size > hostile.LARGE else hashlib.sha256(path.read_bytes()).hexdigest()
        for path, size in sizes.items()
    }


# The class.


def test_the_class_is_graded_to_its_end(after: Aftermath) -> None:
    assert after.done.status == 0, after.done.said
    assert f"{len(NAMES) + 2} graded now, 0 unchanged" in after.done.said
    assert "Traceback" not in after.done.said
    assert after.verdicts.keys() == after.scores.keys() == {"ada", "bora", *NAMES}


def test_honest_students_get_what_they_earned(after: Aftermath) -> None:
    assert (after.scores["ada"], after.scores["bora"]) == (ALL, HALF)
    assert (after.verdicts["ada"].status, after.verdicts["bora"].status) == ("graded", "graded")


def test_nothing_of_the_course_or_of_what_was_handed_in_has_changed(after: Aftermath) -> None:
    assert fingerprints(after.course) == after.before


def test_nothing_is_left_running_or_lying_about(after: Aftermath) -> None:
    assert list(after.scratch.iterdir()) == []
    commands = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
    assert [command for command in commands if str(after.scratch) in command] == []


def test_the_page_for_the_instructor_obeys_nobody(after: Aftermath) -> None:
    assert not set(after.done.said) & set("\x1b\x07\r\u202e\x9b")
    assert len(after.done.said) < 100_000


# Each attack.


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_earns_what_is_said_of_it_and_what_the_gradebook_holds(after: Aftermath, name: str) -> None:
    attack, found = after.attacks[name], after.verdicts[name]
    assert found.earned == after.scores[name] == attack.earns, hostile.words(found)


@pytest.mark.parametrize("name", NAMES)
def test_the_verdict_says_what_happened(after: Aftermath, name: str) -> None:
    attack, said = after.attacks[name], hostile.words(after.verdicts[name])
    assert attack.says == SAYS_NOTHING or re.search(attack.says, said), said


def test_an_undeserved_point_is_admitted_in_the_readme(after: Aftermath) -> None:
    undeserved = {name for name, attack in after.attacks.items() if attack.earns > attack.deserves}
    limits = README.read_text(encoding="utf-8").partition("## What cannot be prevented")[2]
    assert undeserved == {name for name in NAMES if f"`{name}`" in limits}


def test_the_suite_is_of_every_family_and_size(after: Aftermath) -> None:
    listed = re.findall(r"^- \*\*(.+?)\*\*", README.read_text(encoding="utf-8").partition("## ")[0], re.MULTILINE)
    assert {attack.family for attack in after.attacks.values()} == set(listed)
    assert len(after.attacks) >= 45


# What is read, and what is told.


@pytest.mark.parametrize("name", NAMES)
def test_no_secret_is_in_anything_that_is_kept_of_an_attack(after: Aftermath, name: str) -> None:
    assert [str(path) for path in after.kept(name) if after.secret.encode() in path.read_bytes()] == []


def test_no_secret_is_shown_to_the_instructor(after: Aftermath) -> None:
    assert after.secret not in after.done.said


@pytest.mark.parametrize("name", NAMES)
def test_no_student_is_given_what_hidden_checks_ask_or_expect(after: Aftermath, name: str) -> None:
    told = [after.asked, *OF_A_HIDDEN_ANSWER]
    texts = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in after.given_back(name)}
    assert {where: word for where, text in texts.items() for word in told if word in text} == {}


def test_the_secrets_are_where_an_attack_would_find_them(after: Aftermath) -> None:
    hidden = after.course.lessons()[0].source / "hidden.py"
    assert after.secret in hidden.read_text()
    assert after.asked in hidden.read_text()
    assert after.secret in hostile.notebook_file(after.course.root / "submitted" / "ada" / WEEK).read_text()
    assert any(after.asked in hostile.words(after.verdicts[name]) for name in ("inputs_told_by_an_exception",))


def test_nobody_outside_the_sandbox_is_spoken_to_but_by_jupyters_greeting(after: Aftermath) -> None:
    assert {address for address, _ in after.decoys.heard} <= {str(after.decoys.trusting)}
    assert {words[: len(ZMQ_GREETING)] for _, words in after.decoys.heard} <= {ZMQ_GREETING, b""}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_of_an_attack_is_small(after: Aftermath, name: str) -> None:
    assert sum(path.stat().st_size for path in after.kept(name)) < MOST_STORED


# Pages.


class Page(HTMLParser):
    """Collects what a page would do: elements that load or run, attributes that run, scripts' texts."""

    def __init__(self) -> None:
        super().__init__()
        self.acts: list[str] = []
        self._in_script = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._in_script = tag == "script"
        if tag in ("iframe", "object", "embed"):
            self.acts.append(tag)
        self.acts += [f"{tag} {name}" for name, _ in attributes if name.startswith("on") or name == "srcdoc"]
        self.acts += [f"{tag} {value}" for _, value in attributes if (value or "").strip().startswith("javascript:")]

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script and "alert(1)" in data:
            self.acts.append("script")


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_of_a_students_own_acts_on_the_page_of_feedback(after: Aftermath, name: str) -> None:
    page = Page()
    page.feed((after.course.root / "feedback" / name / WEEK / f"{hostile.LESSON}.html").read_text(encoding="utf-8"))
    assert page.acts == []
