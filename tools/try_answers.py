"""Tries answers that a lesson's authors have not seen: which wrong ones pass every check, and which right ones are refused?

    python tools/try_answers.py week1_embeddings/sparse answers.py
    python tools/try_answers.py week1_embeddings/sparse answers.py --record 2   # for the trust page, the second such measurement
    python tools/try_answers.py week1_embeddings/sparse answers.py --names      # the mistakes that the grader names, to be judged

Somebody who has read the student's notebook and nothing else writes the answers in one file. A line opens each, with the
exercise, what it is, the kind of a mistake, and a sentence; the code below takes the place of the exercise's whole cell:

    # %% one_hot wrong [bounds and odd sizes]: the vector's length is that of the text
    def one_hot(tokens, words): ...
    # %% one_hot right: by comparison
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from etude.files import write_whole  # noqa: E402
from grader.course import Course, Lesson  # noqa: E402
from grader.lessons import known_mistakes, source  # noqa: E402
from grader.provenance import commit  # noqa: E402
from grader.release.isolated_run import IsolatedRuns, Seen, Task  # noqa: E402

UNSEEN = ROOT / "benchmarks" / "results" / "trust" / "unseen.json"
NAMES = UNSEEN.with_name("names.csv")  # verdict: right, half or false, for a person to fill in
COLUMNS = ["lesson", "exercise", "answer", "name", "verdict", "commit"]
HEADER = re.compile(r"^# %% (\w+) (wrong|right)(?: \[(.+?)\])?: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Fresh:
    """An answer that the authors have not seen."""

    exercise: str
    wrong: bool
    kind: str
    sentence: str
    code: str


def read(text: str, exercises: set[str]) -> list[Fresh]:
    """Reads the answers of a file.

    Raises:
        SystemExit: for a file without answers, or an exercise that the lesson does not have.
    """
    found = list(HEADER.finditer(text))
    if not found:
        raise SystemExit(
            "There is no answer in the file: a line such as '# %% softmax wrong: sums over rows' opens one."
        )
    ends = [*(match.start() for match in found[1:]), len(text)]
    answers = [
        Fresh(
            match[1], match[2] == "wrong", match[3] or "other", match[4].strip(), text[match.end() : end].strip() + "\n"
        )
        for match, end in zip(found, ends, strict=True)
    ]
    for answer in answers:
        if answer.exercise not in exercises:
            raise SystemExit(f"There is no exercise {answer.exercise}; there are {', '.join(sorted(exercises))}.")
    return answers


def tried(lesson: Lesson, answers: list[Fresh]) -> Iterator[tuple[Fresh, list[Seen]]]:
    """Runs every answer against the checks of its exercise, public and hidden."""
    checks = source.checks(lesson)
    limit = lesson.limits["cell_seconds"]
    tasks = [
        Task({one.exercise: one.code}, tuple(check.name for check in checks if check.exercise == one.exercise), limit)
        for one in answers
    ]
    with IsolatedRuns() as runs:
        yield from zip(answers, tqdm(runs.run(lesson, tasks), total=len(tasks), unit="answer"), strict=True)


def named(lesson: Lesson, answer: Fresh, seen: list[Seen]) -> str | None:
    """Finds the mistake that the grader takes the answer for, None if it is none that it knows."""
    outcomes = {one.check: one.fingerprint for one in seen}
    return known_mistakes.diagnose(outcomes, known_mistakes.known(lesson).get(answer.exercise, []))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lesson", help="WEEK/LESSON")
    parser.add_argument("answers", type=Path, help="the file of answers")
    parser.add_argument(
        "--record",
        type=int,
        metavar="N",
        help=f"add the counts to {UNSEEN.relative_to(ROOT)}, as those of measurement N",
    )
    parser.add_argument(
        "--names",
        action="store_true",
        help=f"add the mistakes named to {NAMES.relative_to(ROOT)}, where a person says of each whether it is the answer's",
    )
    asked = parser.parse_args()
    lesson = Course(ROOT).lesson(asked.lesson)
    answers = read(asked.answers.read_text(encoding="utf-8"), set(source.exercises(source.read(lesson))))
    results = list(tried(lesson, answers))
    passed = [one for one, seen in results if one.wrong and all(check.passed for check in seen)]
    refused = [(one, seen) for one, seen in results if not one.wrong and not all(check.passed for check in seen)]
    wrong = sum(one.wrong for one in answers)
    print(f"{len(passed)} of {wrong} wrong answers passed every check:")
    for one in passed:
        print(f"  {one.exercise}: {one.sentence}")
    print(f"{len(refused)} of {len(answers) - wrong} right answers were refused:")
    for one, seen in refused:
        check = next(check for check in seen if not check.passed)
        print(f"  {one.exercise}: {one.sentence}\n    {check.check}: {check.message}")
    names = [
        {"lesson": lesson.id, "exercise": one.exercise, "answer": one.sentence, "name": name, "verdict": ""}
        for one, seen in results
        if one.wrong and (name := named(lesson, one, seen))
    ]
    print(f"{len(names)} of {wrong} wrong answers are named:")
    for row in names:
        print(f"  {row['exercise']}: {row['answer']}\n    named: {row['name']}")
    if asked.names:
        judged = pd.read_csv(NAMES, keep_default_na=False) if NAMES.is_file() else pd.DataFrame(columns=COLUMNS)
        rows = pd.concat([judged, pd.DataFrame(names).assign(commit=commit())])[COLUMNS]
        write_whole(NAMES, rows.to_csv(index=False, lineterminator="\n"))
    if asked.record:
        kept = json.loads(UNSEEN.read_text(encoding="utf-8"))
        record: dict[str, Any] = {
            "lesson": lesson.id,
            "measurement": asked.record,
            "commit": commit(),
            "when": f"{datetime.now(UTC):%Y-%m-%d}",
            "wrong": wrong,
            "wrong_passed": len(passed),
            "right": len(answers) - wrong,
            "right_refused": len(refused),
            "passed": [{"exercise": one.exercise, "kind": one.kind, "answer": one.sentence} for one in passed],
        }
        same = (lesson.id, asked.record)
        kept["lessons"] = [*(one for one in kept["lessons"] if (one["lesson"], one["measurement"]) != same), record]
        write_whole(UNSEEN, json.dumps(kept, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
