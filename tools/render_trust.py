"""Renders docs/trust.md, how far the grader can be trusted, from recorded runs: no figure on that page is typed by hand.

`make trust` makes the records anew (the lessons' audit.json and errors.csv, and what is kept in benchmarks/results/trust) and calls
this. The README's headline figures are put between two marks by the same call.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from grader.course import Course
from grader.lessons.bank import load as bank_of
from grader.quality import audit_stamp, error_rates
from grader.quality.audit import Audit
from grader.quality.audit_stamp import Stamp
from grader.quality.calibrate import PROMISE

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "trust"
PAGE, README = ROOT / "docs" / "trust.md", ROOT / "README.md"
# Of the measurements with answers that nobody had seen, from 1 on.
ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
START, END = "<!-- trust: rendered by make trust -->", "<!-- /trust -->"


def record(name: str) -> dict[str, Any]:
    path = RESULTS / f"{name}.json"
    if not path.is_file():
        raise SystemExit(f"{path} is missing: run `make trust`")
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return kept


def table(heads: list[str], rows: list[list[Any]]) -> list[str]:
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    return ["", *(f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *cells]), ""]


def total(audits: list[Audit], key: str) -> int:
    return sum(getattr(audit, key) for audit in audits)


def of(part: int, whole: int) -> str:
    """Writes a count with its share; 100 % and 0 % are exact, never rounded."""
    if not whole:
        return f"{part} of {whole}"
    share = f"{part / whole:.0%}" if part in (0, whole) else f"{min(max(part / whole, 0.001), 0.999):.1%}"
    return f"{part} of {whole} ({share})"


def origins(stamps: list[Stamp]) -> list[str]:
    """Where the counts come from: a line for each call of the audit, with its lessons."""
    lessons: dict[str, list[str]] = {}
    for one in stamps:
        origin = f"`{one.command}`; {one.hardware}; {one.libraries}; commit {one.commit}; {one.date}"
        lessons.setdefault(origin, []).append(name(one.audit))
    return [f"- {origin}: {', '.join(names)}." for origin, names in lessons.items()]


def name(audit: Audit) -> str:
    return audit.lesson.split("/")[1]


def bank(stamps: list[Stamp], old: list[str]) -> list[str]:
    keys = [
        ("wrong answers caught", "wrong_caught", "wrong"),
        ("… by the check that is meant for it", "wrong_caught_as_meant", "wrong"),
        ("… and named rightly to the student, from public checks", "wrong_named_rightly", "wrong"),
        ("… and named rightly by the grader, from all checks", "wrong_named_by_grader", "wrong"),
        ("other right answers accepted", "right_passing", "right"),
        ("right answers named a mistake (none should be)", "right_named", "right"),
        ("automatic mutants of the reference killed", "mutants_killed", "mutants"),
        ("… of those named a mistake, named rightly", "mutants_named_rightly", "mutants_named"),
    ]
    audits = [stamp.audit for stamp in stamps]
    heads = ["lesson", *(title for title, _, _ in keys)]
    rows = [
        [title, *(of(total(counted, part), total(counted, whole)) for _, part, whole in keys)]
        for title, counted in [*((name(audit), [audit]) for audit in audits), ("all", audits)]
    ]
    explained = [
        [name(audit), one["exercise"], f"`{one['label']}`", one["why"]]
        for audit in audits
        for one in audit.equivalent_mutants
    ]
    changed = (
        f"**Not audited as they stand: {', '.join(old)}.** What is said here of these lessons was measured before the last change"
        " of their code or of what tries it; a lesson that was never audited is not counted."
    )
    return [
        "## The bank and the mutants",
        "",
        "For every exercise the course keeps classic mistakes and other right ways of writing it. A mutation tool adds",
        "changes of the reference (arithmetic, comparison, constant, axis and others) and habits of students (a value told",
        "from none by its truth, 1000 for infinity, case lost, the first ten alone and others), each run against the checks.",
        *(["", changed] if old else []),
        *table(heads, rows),
        "Mutants that no check can tell from a right answer, each with the reason:",
        "",
        "<!-- shows solutions -->",  # the site leaves it out
        *table(["lesson", "exercise", "mutant", "why"], explained),
        "<!-- /shows solutions -->",
        "",
        *origins(stamps),
        "",
    ]


def unseen(found: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """The section on answers that no author of bank or checks had seen, and its rows for the headline: first and last time."""
    counted = ("wrong", "wrong_passed", "right", "right_refused")
    measurements = {
        number: [one for one in found["lessons"] if one["measurement"] == number]
        for number in sorted({one["measurement"] for one in found["lessons"]})
    }
    totals = {
        number: {key: sum(one[key] for one in records) for key in counted} for number, records in measurements.items()
    }
    kept = {number: Counter(tried) for number, tried in totals.items()}
    for one in found["set_aside"]:
        both = ("wrong", "wrong_passed") if one["given_as"] == "wrong" else ("right", "right_refused")
        kept[one["measurement"]].subtract(both)
    shares = {
        number: (
            of(tried["wrong"] - tried["wrong_passed"], tried["wrong"]),
            of(tried["right"] - tried["right_refused"], tried["right"]),
        )
        for number, tried in kept.items()
    }
    headline = []
    for number in sorted({min(shares), max(shares)}):
        caught, accepted = shares[number]
        which = f"measured for the {ORDINALS[number]} time"
        headline.append([f"answers that its authors had not seen, {which}: wrong ones caught at once", caught])
        headline.append(["… and right ones accepted", accepted])
    tables: list[str] = []
    for number, records in measurements.items():
        rows = [
            [one["lesson"].split("/")[1], *(one[key] for key in counted), f"{one['commit']}, {one['when']}"]
            for one in records
        ]
        rows.append(["all", *totals[number].values(), ""])
        if kept[number] != totals[number]:
            rows.append(["without those set aside", *(kept[number][key] for key in counted), ""])
        caught, accepted = shares[number]
        tables += [
            f"For the {ORDINALS[number]} time: {caught} wrong ones caught at once, {accepted} right ones accepted."
        ]
        tables += table(["lesson", "wrong", "passed all checks", "right", "refused", "commit"], rows)
    answers = [answer for one in found["lessons"] for answer in one["passed"]]
    kinds = Counter(answer["kind"] for answer in answers)
    examples = {answer["kind"]: answer for answer in answers}
    aside = [[one["exercise"], one["given_as"], one["answer"], one["why"]] for one in found["set_aside"]]
    passed = [[kind, n, f"{examples[kind]['exercise']}: {examples[kind]['answer']}"] for kind, n in kinds.most_common()]
    section = [
        "## Answers that its authors had not seen",
        "",
        "The bank is written by those who write the checks, so its figures flatter. Here others wrote wrong and right answers from the",
        "student's notebook alone, before they read checks or bank, and tried them once. What passed wrongly was added to the bank",
        "afterwards, with checks that catch it, or the notebook says now what it had left open; the figures stay as they were. Each",
        "time others wrote other answers, to the lessons as they had been mended by then.",
        "",
        *tables,
        "What the wrong ones that passed did, where it was noted:",
        *table(["kind", "answers", "for example"], passed),
        "Set aside, since they turned out to be what they were not given as; the figures above leave them out:",
        *table(["exercise", "given as", "answer", "why it is not"], aside),
        f"Written by {found['written_by']}.",
        "",
    ]
    return section, headline


def named_answers() -> list[str]:
    """The section on the mistakes named to such answers, each name judged by somebody who saw the answer."""
    path = RESULTS / "names.csv"
    if not path.is_file():
        return []
    named = pd.read_csv(path, keep_default_na=False)
    given = named[named["verdict"] != ""]
    counts = given["verdict"].value_counts()
    astray = given[given["verdict"] != "right"]
    lines = [
        "The grader named a mistake to some of these answers. Somebody else read each answer beside its name: "
        f"{of(int(counts.get('right', 0)), len(given))} names are right, {counts.get('half', 0)} half right (a part of what is wrong, "
        f"or a near relative of it), {counts.get('false', 0)} false.",
    ]
    if len(given) < len(named):
        lines[0] += f" {len(named) - len(given)} more wait to be judged."
    if len(astray):
        lines += table(
            ["exercise", "what is wrong", "the name given", "verdict"],
            astray[["exercise", "answer", "name", "verdict"]].to_numpy().tolist(),
        )
    return [*lines, ""]


def whole_notebooks(found: dict[str, Any], course: Course) -> list[str]:
    rows = []
    for lesson in course.lessons():
        mine = [row for row in found["rows"] if row["lesson"] == lesson.id]
        if not mine:
            continue
        most = max(mine, key=lambda row: row["share"])
        answers = sum(len(row["answers"]) for row in mine)
        all_points = sum(len(row["answers"]) for row in mine if row["earned"] == row["points"])
        rows.append([lesson.name, of(all_points, answers), f"{most['share']:.0%}", most["what"]])
    slow = [
        [lesson.name, answer.exercise, answer.slow]
        for lesson in course.lessons()
        for answer in bank_of(lesson)
        if answer.slow
    ]
    return [
        "## Right ways as whole notebooks",
        "",
        "Checks alone do not show whether an answer is quick enough for its experiment. So the bank's other right answers are handed",
        "in as whole notebooks, one way of each exercise at a time, and graded as submissions are. *Most of a limit*: the largest share",
        "of any limit of time (for a cell, all cells, a check) that one of them took; limits are multiples of what the reference takes.",
        *table(["lesson", "right answers in notebooks with all points", "most of a limit", "of"], rows),
        *(["Declared too slow for their experiments, whose points they cost; their checks pass:"] if slow else []),
        *(table(["lesson", "exercise", "why"], slow) if slow else []),
        f"`{found['command']}`; {found['hardware']}; commit {found['commit']}; {found['when']}.",
        "",
    ]


def calibration(course: Course) -> list[str]:
    lines = [
        "## The tables' error rates",
        "",
        f"A row's interval is a tolerance interval: it promises to hold {PROMISE}.",
        "*Right answers outside*: the reference, on seeds that nothing was calibrated on; beside it the rate's exact 95 % upper bound,",
        "and the share of the row's points that was lost. *Wrong answers*: those of the bank, all or two of each",
        "exercise, each run through the whole experiment. Most do not touch a given row (a wrong nearest-neighbour",
        "search leaves the vectors as they are), and are inside: those are for the checks to catch, and they do.",
        "A row that sees none of them carries no points, nor does one whose promise is",
        f"broken: chance alone would leave so many right runs outside less than once in {1 / error_rates.SURE:,.0f} times.",
    ]
    measured = {lesson: error_rates.read(lesson.source / error_rates.FILE) for lesson in course.lessons()}
    rows = [
        [
            *(lesson.name, rate.profile, *rate.cells()),
            "**broken**" if rate.broken else "kept",
            "" if not rate.wrong else "no" if rate.blind else "yes",
        ]
        for lesson, rates in measured.items()
        for rate in rates
    ]
    if not rows:
        return [*lines, "", "Not measured yet.", ""]
    old = [lesson.name for lesson, rates in measured.items() if rates and not error_rates.are_current(lesson, "smoke")]
    if old:
        lines += ["", f"**Measured before the last change of what decides them: {', '.join(old)}.**"]
    origins = dict.fromkeys(rate.provenance for rates in measured.values() for rate in rates)
    heads = ["lesson", "profile", *error_rates.HEADS, "promise", "tells apart"]
    return [*lines, *table(heads, rows), *(f"- {origin}" for origin in origins), ""]


def attacks(found: dict[str, Any]) -> list[str]:
    rows = [
        [one["name"].replace("_", " "), one["tries"], f"{one['earned']:g} of {one['deserves']:g}", one["answer"]]
        for one in sorted(found["attacks"], key=lambda one: (one["family"], one["name"]))
    ]
    return [
        "## Attacks",
        "",
        f"{len(found['attacks'])} hostile submissions are graded as one class beside honest students, with secrets planted where they",
        "look. Points: what it got of what its honest part deserves.",
        *table(["attack", "what it tries", "points", "what is said of it"], rows),
        f"`{found['command']}`; {found['hardware']}; commit {found['commit']}; {found['when'][:10]}.",
        "",
    ]


def faults() -> tuple[list[str], int]:
    """The fault tests by their names, from pytest's report."""
    cases = list(ET.parse(RESULTS / "faults.xml").getroot().iter("testcase"))
    passed = [case for case in cases if not list(case)]
    sentences = dict.fromkeys(
        re.sub(r"\[.*", "", case.get("name", "")).removeprefix("test_").replace("_", " ") for case in passed
    )
    return [
        "## Faults",
        "",
        "Workers, kernels, the warm process and the grader itself are killed, the disk is full, the power is cut after each step",
        f"that reaches the disk: {of(len(passed), len(cases))} tests pass.",
        "",
        *(f"- {sentence}" for sentence in sentences),
        "",
    ], len(passed)


def render() -> tuple[str, str]:
    """The page, and the README's headline."""
    attacked, fuzz, course = record("attacks"), record("fuzz"), Course()
    found = {lesson: audit_stamp.read(lesson) for lesson in course.lessons()}
    old = [lesson.name for lesson, stamp in found.items() if audit_stamp.is_old(lesson, stamp)]
    stamps = [stamp for stamp in found.values() if stamp]
    audits = [stamp.audit for stamp in stamps]
    fault_lines, fault_count = faults()
    unseen_lines, unseen_headline = unseen(record("unseen"))
    limits = (ROOT / "tests" / "attacks" / "README.md").read_text(encoding="utf-8")
    cannot = limits[limits.index("## ") :].strip()
    undeserved = sum(one["earned"] > one["deserves"] for one in attacked["attacks"])
    rates = [rate for lesson in course.lessons() for rate in error_rates.read(lesson.source / error_rates.FILE)]
    outside, fresh = sum(rate.outside for rate in rates), sum(rate.fresh for rate in rates)
    alarms = [["metrics of right runs outside their interval, on fresh seeds", of(outside, fresh)]] if fresh else []
    headline = [
        ["classic mistakes caught", of(total(audits, "wrong_caught"), total(audits, "wrong"))],
        ["… and named rightly by the grader", of(total(audits, "wrong_named_by_grader"), total(audits, "wrong"))],
        ["other right answers accepted", of(total(audits, "right_passing"), total(audits, "right"))],
        ["automatic mutants killed", of(total(audits, "mutants_killed"), total(audits, "mutants"))],
        *unseen_headline,
        *([["these lines are older than the last change of", ", ".join(old)]] if old else []),
        *alarms,
        [
            "hostile submissions with an undeserved point (which ones, and why: the page)",
            of(undeserved, len(attacked["attacks"])),
        ],
        ["faults after which every score is there once", f"{fault_count} tests"],
        [
            "messages that the fuzzer sent to the wire format, and crashes",
            f"{fuzz['messages']:,}, {len(fuzz['found'])}",
        ],
    ]
    summary = table(["the grader, graded", "measured"], headline)
    versions = ", ".join(f"{library} {version}" for library, version in attacked["versions"].items())
    page = [
        "# How far the grader can be trusted",
        "",
        "Every figure on this page comes from a recorded run; `make trust` makes them all anew, but for the answers that the",
        "authors had not seen, which are new once, and for error rates that nothing has changed since, and renders the page.",
        *summary,
        *bank(stamps, old),
        *unseen_lines,
        *named_answers(),
        *whole_notebooks(record("headroom"), course),
        *calibration(course),
        *attacks(attacked),
        "## What cannot be prevented",
        "",
        re.sub(r"^#+ .*\n+", "", cannot),
        "",
        *fault_lines,
        "## The wire format",
        "",
        f"A coverage-guided fuzzer sent {fuzz['messages']:,} messages in {fuzz['seconds']} s and reached {fuzz['edges_covered']} edges of",
        f"`grader/remote/codec.py`: {len(fuzz['found'])} of them had another answer than a value or a refusal. Property tests run with",
        "the others.",
        "",
        f"Versions: {versions}.",
    ]
    return "\n".join(page) + "\n", "\n".join([START, *summary, END])


def main() -> None:
    page, headline = render()
    PAGE.write_text(page, encoding="utf-8")
    readme = README.read_text(encoding="utf-8")
    start, end = readme.index(START), readme.index(END) + len(END)
    README.write_text(readme[:start] + headline + readme[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
