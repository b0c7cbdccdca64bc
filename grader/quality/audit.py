"""`grader audit`: the grader graded, on a lesson's bank of answers and on mutants of its reference.

The reference passes every check; the skeleton fails every one with NotImplementedError; every wrong answer fails the
check that is meant for it; every other right answer passes and is never named a mistake; every mutant fails a check or
is explained; functions that return a constant earn no point. What is otherwise found is a fault. How answers are run is
the business of grader.release.isolated_run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from etude.lesson import mistakes
from grader.course import Lesson
from grader.lessons import bank, known_mistakes, source
from grader.provenance import fingerprint, modules
from grader.quality import mutants
from grader.release.isolated_run import IsolatedRuns, Seen, Task

FEWEST_WRONG, FEWEST_RIGHT = 4, 2  # answers in the bank for each exercise
# What a function that does nothing may return: a constant, or what it was given first.
CONSTANTS = ("0", "True", "[]", "{}", "''", "torch.ones(3, 3)", "arguments[0] if arguments else None")
SECONDS, SLOWER = 5, 5  # a mutant may take five seconds, and five times as long as the reference
# Beside the lesson and what it imports, what decides how an audit ends.
DECISIVE = (
    *("etude.lesson", "grader.lessons"),
    *(
        "grader.quality.audit",
        "grader.quality.mutants",
        "grader.quality.mutation_rules",
        "grader.quality.mutation_habits",
    ),
    *("grader.quality.mutation_places", "grader.release.isolated_run"),
)
LIMITS = ("cell_seconds", "memory_mb")

COLUMNS = (
    *("lesson", "exercises, checks", "wrong: caught as meant", "named to students", "named by the grader"),
    *("right: pass", "mutants: killed", "equivalent_mutants: explained", "mutants: named rightly", "faults", "s"),
)

Step = Callable[[int, int], None]  # (done, total)


@dataclass
class Audit:
    """What the audit of one lesson found; every number is a count.

    A mistake is named where the outcomes of the public checks are those of a known mistake. It is named rightly where
    its own sentence is among what is said: for a mutant, the sentence of an answer that comes out alike in every
    check, hidden ones too.

    Attributes:
        wrong_named_by_grader: named rightly by the outcomes of all checks.
        faults: empty when all is well.
    """

    lesson: str
    inputs: str = ""  # the hash of what was audited: see `inputs`
    exercises: int = 0
    public_checks: int = 0
    hidden_checks: int = 0
    wrong: int = 0
    wrong_caught: int = 0
    wrong_caught_as_meant: int = 0
    wrong_caught_by_public: int = 0
    wrong_named: int = 0
    wrong_named_rightly: int = 0
    wrong_named_by_grader: int = 0
    right: int = 0
    right_passing: int = 0
    right_named: int = 0
    mutants: int = 0
    mutants_killed: int = 0
    mutants_ended: int = 0  # of those killed: by the limit of time or memory
    mutants_killed_by_public: int = 0
    mutants_named: int = 0
    mutants_named_rightly: int = 0
    equivalent_mutants: list[dict[str, str]] = field(
        default_factory=list
    )  # exercise, label, why; "" where it is not explained
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def equivalents_explained(self) -> int:
        return sum(bool(mutant["why"]) for mutant in self.equivalent_mutants)

    def row(self) -> list[str]:
        """Writes the audit as a row of the table with COLUMNS."""
        return [
            self.lesson.split("/")[1],
            f"{self.exercises}, {self.public_checks + self.hidden_checks}",
            f"{self.wrong_caught_as_meant} of {self.wrong}",
            f"{self.wrong_named_rightly} of {self.wrong}",
            f"{self.wrong_named_by_grader} of {self.wrong}",
            f"{self.right_passing} of {self.right}",
            f"{self.mutants_killed} of {self.mutants}",
            f"{self.equivalents_explained} of {len(self.equivalent_mutants)}",
            f"{self.mutants_named_rightly} of {self.mutants_named}",
            str(len(self.faults)),
            f"{self.seconds:.0f}",
        ]


def inputs(lesson: Lesson) -> str:
    """Hashes all that decides how a lesson's audit ends, but for the versions of libraries: the same on every machine."""
    code, tables = source.inputs(lesson)
    stored = [lesson.source / known_mistakes.PRIVATE, lesson.released.with_suffix("") / "mistakes.json"]
    return fingerprint(
        {name: lesson.limits[name] for name in LIMITS},
        code=[*code, *modules(*DECISIVE)],
        data=[*tables, *(path for path in stored if path.is_file())],
    )


def audit(lesson: Lesson, runs: IsolatedRuns, *, diagnose: bool = True, step: Step = lambda done, total: None) -> Audit:
    """Audits one lesson; its public files must have been built.

    Args:
        diagnose: if False, a mutant's checks stop at the first that fails; who catches and names it is not counted then.
    """
    started = time.monotonic()
    return _Auditor(lesson, runs, diagnose, step).audit(started)


class _Auditor:
    """One audit on its way: the report, and what the reference and the bank have shown so far."""

    def __init__(self, lesson: Lesson, runs: IsolatedRuns, diagnose: bool, step: Step) -> None:
        self.lesson, self.runs, self.diagnose, self.step = lesson, runs, diagnose, step
        self.cells = source.exercises(source.read(lesson))
        self.checks = source.checks(lesson)
        self.bank, self.mutants = bank.load(lesson), mutants.mutants(lesson)
        self.known = mistakes.load(lesson.released.with_suffix("") / "mistakes.json")
        self.private = known_mistakes.known(lesson)
        self.report = Audit(lesson.id, inputs(lesson), exercises=len(self.cells), mutants=len(self.mutants))
        self.done, self.total = 0, 2 + len(CONSTANTS) + len(self.bank) + len(self.mutants)

    def audit(self, started: float) -> Audit:
        report = self.report
        report.hidden_checks = sum(check.hidden for check in self.checks)
        report.public_checks = len(self.checks) - report.hidden_checks
        self._audit_size()
        every = tuple(check.name for check in self.checks)
        stubs = {name: source.skeleton(code) for name, code in self.cells.items()}
        limit = self.lesson.limits["cell_seconds"]
        constants = [{name: _returns(name, constant) for name in self.cells} for constant in CONSTANTS]
        tasks = [Task(answers, every, limit * len(self.cells)) for answers in ({}, stubs, *constants)]
        tasks += [Task({answer.exercise: answer.code}, self._names(answer.exercise), limit) for answer in self.bank]
        reference, skeleton, *rest = self._run(tasks)
        self._audit_reference(reference)
        self._audit_skeleton(skeleton)
        for constant, results in zip(CONSTANTS, rest, strict=False):
            self._audit_constant(constant, results)
        tried = rest[len(CONSTANTS) :]
        banked = [(answer, _fingerprints(results)) for answer, results in zip(self.bank, tried, strict=True)]
        for answer, results in zip(self.bank, tried, strict=True):
            if answer.sentence is None:
                self._audit_right(answer, results)
            else:
                self._audit_wrong(answer, answer.sentence, results)
        self._audit_tables(banked)
        self._audit_mutants({result.check: result.seconds for result in reference}, banked)
        report.seconds = round(time.monotonic() - started, 1)
        return report

    def _names(self, exercise: str) -> tuple[str, ...]:
        return tuple(check.name for check in self.checks if check.exercise == exercise)

    def _run(self, tasks: list[Task]) -> Iterable[list[Seen]]:
        for results in self.runs.run(self.lesson, tasks):
            self.done += 1
            self.step(self.done, self.total)
            yield results

    def _fault(self, text: str) -> None:
        self.report.faults.append(text)

    def _audit_size(self) -> None:
        for exercise in self.cells:
            answers = [answer for answer in self.bank if answer.exercise == exercise]
            right = sum(answer.sentence is None for answer in answers)
            if (wrong := len(answers) - right) < FEWEST_WRONG:
                self._fault(f"{exercise} has {wrong} classic mistakes in bank.py, at least {FEWEST_WRONG} are needed")
            if right < FEWEST_RIGHT:
                self._fault(f"{exercise} has {right} other right ways in bank.py, at least {FEWEST_RIGHT} are needed")

    def _audit_reference(self, results: list[Seen]) -> None:
        for result in results:
            if not result.passed:
                self._fault(f"the reference fails {result.check}: {result.message}")

    def _audit_skeleton(self, results: list[Seen]) -> None:
        for result in results:
            if result.status != "unwritten":
                self._fault(
                    f"the skeleton does not end in NotImplementedError in {result.check}: {result.status} {result.message}"
                )

    def _audit_constant(self, constant: str, results: list[Seen]) -> None:
        passed = {result.check for result in results if result.passed}
        for check in self.checks:
            if check.name in passed and check.points and (not check.needs or check.needs in passed):
                self._fault(
                    f"a {check.exercise} that returns {constant} earns the {check.points:g} points of {check.name}"
                )

    def _named(self, exercise: str, results: list[Seen], known: known_mistakes.Known) -> str | None:
        return known_mistakes.diagnose(_fingerprints(results), known.get(exercise, []))

    def _audit_right(self, answer: bank.Answer, results: list[Seen]) -> None:
        self.report.right += 1
        failed = [result for result in results if not result.passed]
        self.report.right_passing += not failed
        for result in failed:
            self._fault(f"{answer.label}, a right answer, fails {result.check}: {result.message}")
        for part, known in ((_public(results), self.known), (results, self.private)):
            if named := self._named(answer.exercise, part, known):
                self.report.right_named += 1
                self._fault(f"{answer.label}, a right answer, is named a mistake: {named}")
                break

    def _audit_wrong(self, answer: bank.Answer, sentence: str, results: list[Seen]) -> None:
        report, failed = self.report, [result.check for result in results if not result.passed]
        report.wrong += 1
        report.wrong_caught += bool(failed)
        report.wrong_caught_as_meant += answer.killed_by in failed
        report.wrong_caught_by_public += any(not result.passed for result in _public(results))
        named = self._named(answer.exercise, _public(results), self.known)
        report.wrong_named += named is not None
        report.wrong_named_rightly += named is not None and sentence in named
        report.wrong_named_by_grader += sentence in (self._named(answer.exercise, results, self.private) or "")
        if not failed:
            self._fault(f"{answer.label} passes every check ({sentence})")
        elif all(result.fingerprint.get("error") == "NameError" for result in results if not result.passed):
            self._fault(f"{answer.label} ends in NameError: that is a slip of its author, no classic mistake")
        elif answer.killed_by is None:
            self._fault(f"{answer.label} does not say which check is meant for it; it fails {', '.join(failed)}")
        elif answer.killed_by not in failed:
            self._fault(f"{answer.label} fails {', '.join(failed)}, but not {answer.killed_by}, which is meant for it")

    def _audit_tables(self, banked: list[tuple[bank.Answer, known_mistakes.Outcomes]]) -> None:
        """Compares the stored outcomes of known mistakes, public and private, with those that the checks give now."""
        public = {check.name for check in self.checks if not check.hidden}
        tried = [
            (answer.exercise, answer.sentence, outcomes) for answer, outcomes in banked if answer.sentence is not None
        ]
        in_public = [(name, text, {k: v for k, v in outcomes.items() if k in public}) for name, text, outcomes in tried]
        for name, kept, now in (
            ("mistakes.json", self.known, known_mistakes.entries(in_public)),
            (known_mistakes.PRIVATE, self.private, known_mistakes.entries(tried)),
        ):
            if not _alike(kept, now):
                self._fault(f"{name} is not what the checks make of bank.py now: run `grader build`")

    def _audit_mutants(
        self, reference: dict[str, float], banked: list[tuple[bank.Answer, known_mistakes.Outcomes]]
    ) -> None:
        """Runs the mutants, the checks that are cheap on the reference (check → seconds) first."""
        tasks = []
        for mutant in self.mutants:
            names = sorted(self._names(mutant.exercise), key=lambda name: reference.get(name, 0.0))
            seconds = SECONDS + round(SLOWER * sum(reference.get(name, 0.0) for name in names))
            tasks.append(Task({mutant.exercise: mutant.code}, tuple(names), seconds, stop=not self.diagnose))
        explained = {(entry.exercise, entry.label): entry.why for entry in bank.equivalent_mutants(self.lesson)}
        for mutant, results in zip(self.mutants, self._run(tasks), strict=True):
            why = explained.pop((mutant.exercise, mutant.label), "")
            if killers := [result for result in results if not result.passed]:
                self._count_killed(mutant, results, banked)
                if why:
                    self._fault(f"{mutant.exercise}, {mutant.label} is explained, but {killers[0].check} catches it")
                continue
            self.report.equivalent_mutants.append({"exercise": mutant.exercise, "label": mutant.label, "why": why})
            if not why:
                self._fault(f"{mutant.exercise}, {mutant.label} passes every check: strengthen one, or explain it")
        for exercise, label in explained:
            self._fault(f"{exercise}, {label} is explained, but there is no such mutant")

    def _count_killed(
        self, mutant: mutants.Mutant, results: list[Seen], banked: list[tuple[bank.Answer, known_mistakes.Outcomes]]
    ) -> None:
        report = self.report
        report.mutants_killed += 1
        report.mutants_ended += results[-1].status == "ended"
        if not self.diagnose:
            return
        report.mutants_killed_by_public += any(not result.passed for result in _public(results))
        if named := self._named(mutant.exercise, _public(results), self.known):
            outcomes = _fingerprints(results)
            twins = {
                a.sentence
                for a, banked_outcomes in banked
                if a.exercise == mutant.exercise and known_mistakes.same(outcomes, banked_outcomes)
            }
            report.mutants_named += 1
            report.mutants_named_rightly += any(sentence and sentence in named for sentence in twins)


def _returns(name: str, constant: str) -> str:
    """Writes a function that takes anything and returns a constant."""
    return f"import torch\n\ndef {name}(*arguments, **named):\n    return {constant}\n"


def _public(results: list[Seen]) -> list[Seen]:
    return [result for result in results if not result.hidden]


def _fingerprints(results: list[Seen]) -> known_mistakes.Outcomes:
    return {result.check: result.fingerprint for result in results}


def _alike(kept: known_mistakes.Known, now: known_mistakes.Known) -> bool:
    """Tells whether two tables name the same mistakes by the same outcomes, numbers up to rounding."""
    return kept.keys() == now.keys() and all(
        len(kept[name]) == len(now[name])
        and all(
            a["sentence"] == b["sentence"] and known_mistakes.same(b["outcomes"], a["outcomes"])
            for a, b in zip(kept[name], now[name], strict=True)
        )
        for name in now
    )
