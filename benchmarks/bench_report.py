"""How long `grader report` takes for a class, and how much it writes: a class made from verdicts, without grading.

Each student's verdicts on a week's lessons are drawn with a fixed seed: which checks pass, which mistakes are named, metrics, time. What
they handed in is the reference's answers with some lines left out and names changed, so that likeness has something to compare.
Seconds are processor time, so that they hold on a machine that does other work; those by the clock are recorded beside.

python benchmarks/bench_report.py                # writes benchmarks/results/report.json
python benchmarks/bench_report.py --students 30 --out build/bench/report.json
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

import nbformat

from etude.lesson import table
from etude.lesson.checks import Status
from grader.course import ROOT, Course, Lesson
from grader.grading import store
from grader.grading.verdict import CheckResult, ExerciseResult, Memory, MetricResult, Spent, Time, Verdict
from grader.lessons import known_mistakes, source
from grader.provenance import head
from grader.registry import report
from grader.reports.gathered import gather

GOALS = {"seconds": 10.0, "mb": 2.0}  # of processor time; of index.html and class.html together
WEEK = "week1_embeddings"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "report.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "class")
        course = copy_of_course(Path(folder, "course"))
        lessons = course.lessons(WEEK)
        for lesson in lessons:
            hand_in(lesson, home, options.students)
        gather(lessons[0], home)  # imports what a first call imports
        began, computed = time.perf_counter(), time.process_time()
        page = report.render(course, home, lessons=lessons)
        seconds, computed = time.perf_counter() - began, time.process_time() - computed
        written = {path: path.stat().st_size / 2**20 for path in page.path.parent.rglob("*.html")}
    students = [size for path, size in written.items() if path.parent.name == "students"]
    by_name = {path.name: round(size, 3) for path, size in written.items() if path.parent.name != "students"}
    result = {
        "students": options.students,
        "lessons": len(lessons),
        "seconds": round(computed, 2),
        "seconds_by_the_clock": round(seconds, 2),
        "mb": {**by_name, "a student's page": round(max(students), 3)},
        "goals": GOALS,
        **head("python benchmarks/bench_report.py"),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(
        json.dumps(
            {name: result[name] for name in ("students", "lessons", "seconds", "seconds_by_the_clock", "mb")}, indent=1
        )
    )


def copy_of_course(root: Path) -> Course:
    """A course of the same lessons with a build folder of its own, so that no report of a real class is overwritten."""
    root.mkdir()
    for name in ("course.toml", "solutions", "weeks", "data"):
        (root / name).symlink_to(ROOT / name)
    return Course(root)


def hand_in(lesson: Lesson, home: Path, students: int) -> None:
    """Writes a notebook and a verdict on it for each student."""
    right = source.exercises(source.read(lesson))
    released = nbformat.read(lesson.released, as_version=4)
    sentences = {
        name: [entry["sentence"] for entry in entries] for name, entries in known_mistakes.known(lesson).items()
    }
    checks = source.checks(lesson)
    rows = table.of_profile(table.read(lesson.source / "expected.csv"), "smoke").values()
    for number in range(students):
        draw = random.Random(f"{lesson.id} {number}")
        student, skill = f"student{number:03d}", draw.betavariate(4, 2)
        for cell in released.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if name in right:
                lines = [line for line in right[name].splitlines() if draw.random() < 0.9]
                cell.source = "\n".join(lines).replace("result", f"r{draw.randrange(5)}")
        path = home / "submitted" / student / lesson.week.name / f"{lesson.name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(released, path)

        exercises = []
        for name in right:
            passes = draw.random() < skill
            results = []
            for check in (check for check in checks if check.exercise == name):
                status: Status = "passed" if passes or draw.random() < 0.4 else "failed"
                message = (
                    "" if status == "passed" else "given     a b c, window 2\ncame back [1, 2, 3]\nexpected  [1, 2, 4]"
                )
                results.append(
                    CheckResult(
                        name=check.name,
                        title=check.title,
                        hidden=check.hidden,
                        points=check.points,
                        status=status,
                        message=message,
                    )
                )
            wrong = any(result.status != "passed" for result in results)
            named = draw.choice(sentences[name]) if wrong and sentences.get(name) and draw.random() < 0.5 else None
            exercises.append(ExerciseResult(name=name, checks=results, diagnosis=named))
        metrics = []
        for row in (row for row in rows if row.points):
            value = draw.gauss(row.mean, 2 * row.sd)
            metrics.append(
                MetricResult(
                    name=row.metric,
                    value=value,
                    low=None if row.low != row.low else row.low,
                    high=None if row.high != row.high else row.high,
                    better=row.better,  # type: ignore[arg-type]
                    points=row.points,
                    share=row.share(value),
                )
            )
        spent = Spent(spent=round(draw.lognormvariate(2, 0.4), 1), reference=6.0, limit=90.0)
        made = Verdict(
            lesson=lesson.id,
            student=student,
            status="graded",
            submission="",
            inputs="",
            profile="smoke",
            seed=0,
            sandbox="etude-warm",
            exercises=exercises,
            metrics=metrics,
            time=Time(slowest_cell=spent, notebook=spent, checks=spent),
            memory=Memory(held_mb=draw.randrange(500, 1500), limit_mb=4096),
        )
        made.save(store.verdict_path(home, student, lesson))


if __name__ == "__main__":
    main()
