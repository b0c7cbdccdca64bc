"""Calibration: an interval holds what it promises, a run is made as grading makes it and kept, a table says where it comes from."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats
from small import course_file

from etude.lesson import table
from grader.course import Course, CourseError, Lesson
from grader.lessons import bank
from grader.provenance import bare, imported
from grader.quality import calibrate
from grader.quality.calibrate import CONFIDENCE, COVERAGE, Run, Task, interval, result, results

pytestmark = [pytest.mark.grading_path, pytest.mark.slow]

NOTEBOOK = """
# %% tags=["parameters"]
profile, seed, device, out = "cpu", 0, "auto", "results"

# %% tags=["setup"]
import json, os
from pathlib import Path

# %% exercise="words"
def words(n):
    ### BEGIN SOLUTION
    return [f"w{i}" for i in range(n)]
    ### END SOLUTION

# %%
check("words")

# %% exercise="show"
def show(n):
    ### BEGIN SOLUTION
    return str(n)
    ### END SOLUTION

# %%
show(3)

# %% tags=["metrics"]
found = words(100 + seed % 3)
Path(out).mkdir(exist_ok=True)
Path(out, "data.json").write_text(json.dumps({"words": found}))
said = {"first": len(found[0]), "score": -1, "threads": int(os.environ["OMP_NUM_THREADS"])}
Path(out, "metrics.json").write_text(json.dumps(said))
"""
HIDDEN = """
from grader.grading.metrics import metric

@metric("score")
def score(artifacts):
    return len(artifacts.strings("words"))

@metric("asked")
def asked(artifacts, student):
    return len(student.words(7))
"""
BANK = """
from grader.lessons.bank import mistake

@mistake("words", "half", "half of them are missing")
def words(n):
    return [f"w{i}" for i in range(n // 2)]

@mistake("words", "nothing", "nothing comes back")
def words(n):
    pass

@mistake("words", "endless", "it never ends")
def words(n):
    while True:
        pass

@mistake("show", "unwritten", "it is not written")
def show(n):
    raise RuntimeError("on purpose")
"""
ROW = table.Expected("score", "smoke", math.nan, math.nan, 0, math.nan, math.nan, "near", 2, "71 %", "Table 1", "")


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    """A lesson that takes a second: its score is the number of words, 100 to 102 by the seed."""
    folder = tmp_path / "solutions" / "week1_words" / "count"
    folder.mkdir(parents=True)
    files = {"notebook.py": NOTEBOOK, "hidden.py": HIDDEN, "bank.py": BANK, "checks.py": ""}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (tmp_path / "course.toml").write_text(course_file("count"), encoding="utf-8")
    table.write(folder / "expected.csv", [ROW, replace(ROW, profile="cpu")])
    return Course(tmp_path).lesson("count")


# The interval.


@pytest.mark.parametrize("n", [5, 6, 12, 24])
def test_a_one_sided_bound_is_the_noncentral_t_one(n: int) -> None:
    """The factor is t(confidence; n − 1, z·√n) / √n, z being the quantile of the coverage."""
    sample = np.random.default_rng(0).normal(3.0, 0.5, n)
    factor = stats.nct.ppf(CONFIDENCE, n - 1, stats.norm.ppf(COVERAGE) * math.sqrt(n)) / math.sqrt(n)
    low, _ = interval(sample, "higher")
    _, high = interval(sample, "lower")
    assert low == pytest.approx(sample.mean() - factor * sample.std(ddof=1), rel=1e-6)
    assert high == pytest.approx(sample.mean() + factor * sample.std(ddof=1), rel=1e-6)


@pytest.mark.parametrize("n", [5, 6, 12, 24])
def test_a_two_sided_interval_holds_its_share_with_exactly_the_promised_confidence(n: int) -> None:
    """The chance, over means and variances of normal samples, that mean ± k·sd holds the coverage: by integration."""
    sample = np.random.default_rng(0).normal(3.0, 0.5, n)
    low, high = interval(sample, "near")
    k = (high - low) / 2 / sample.std(ddof=1)
    assert (low + high) / 2 == pytest.approx(sample.mean())

    def enough(mean: float) -> float:
        """The chance that the sample's sd is large enough, if its mean lies this far from the true one."""
        half = optimize.brentq(lambda r: stats.norm.cdf(mean + r) - stats.norm.cdf(mean - r) - COVERAGE, 0, 40)
        return float(stats.chi2.sf((n - 1) * (half / k) ** 2, n - 1))

    spread = 1 / math.sqrt(n)
    promised, _ = integrate.quad(lambda x: enough(x) * stats.norm.pdf(x, scale=spread), -8 * spread, 8 * spread)
    assert promised == pytest.approx(CONFIDENCE, abs=1e-4)


@pytest.mark.parametrize("better", ["higher", "lower", "near"])
@pytest.mark.parametrize("n", [6, 12])
def test_of_many_calibrations_the_promised_share_covers_what_it_should(better: str, n: int) -> None:
    rng, trials = np.random.default_rng(1), 400
    good = 0
    for _ in range(trials):
        low, high = interval(rng.normal(0, 1, n), better)
        bounds = {"higher": (low, math.inf), "lower": (-math.inf, high), "near": (low, high)}[better]
        good += stats.norm.cdf(bounds[1]) - stats.norm.cdf(bounds[0]) >= COVERAGE
    assert good / trials == pytest.approx(CONFIDENCE, abs=3 * math.sqrt(CONFIDENCE * (1 - CONFIDENCE) / trials))


samples = st.lists(st.floats(-1, 1), min_size=5, max_size=12).map(np.array)


@given(sample=samples, shift=st.floats(-10, 10), scale=st.floats(0.1, 10), better=st.sampled_from(table.BETTER))
def test_another_unit_gives_the_same_interval(sample: np.ndarray, shift: float, scale: float, better: str) -> None:
    assert interval(shift + scale * sample, better) == pytest.approx(
        [shift + scale * bound for bound in interval(sample, better)], rel=1e-6, abs=1e-6
    )


# A run.


def test_a_run_counts_what_the_grader_computes_and_keeps_what_only_the_notebook_says(lesson: Lesson) -> None:
    run = result(lesson, Task("smoke", "cpu", seed=2))
    assert run.metrics == {"score": 102, "asked": 7, "first": 2, "threads": 1}
    assert run.trouble == ""


def test_wrong_answers_run_on_after_a_cell_that_fails_as_they_do_in_grading(lesson: Lesson) -> None:
    half, nothing, endless, unwritten = bank.load(lesson)
    tasks = [Task("smoke", "cpu", 1, 60, answer) for answer in (half, nothing, unwritten)]
    tasks.append(Task("smoke", "cpu", 1, 2, endless))
    missing, empty, hurt, late = results(lesson, tasks, 2, lambda *_: None)
    assert missing.metrics["score"] == 50
    assert "score" not in empty.metrics
    assert "TypeError" in empty.trouble
    assert hurt.metrics["score"] == 101
    assert "on purpose" in hurt.trouble
    assert "score" not in late.metrics
    assert "longer than" in late.trouble


def test_a_reference_that_fails_stops_the_measurement_with_a_sentence(lesson: Lesson) -> None:
    notebook = lesson.source / "notebook.py"
    notebook.write_text(NOTEBOOK.replace("return str(n)", "raise RuntimeError('a slip')"), encoding="utf-8")
    with pytest.raises(CourseError, match=r"(?s)seed 7: the reference fails: .*a slip.*grader run week1_words/count"):
        results(lesson, [Task("smoke", "cpu", 7)], 1, lambda *_: None)


def test_a_run_is_kept_until_something_changes_that_decides_it(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def run(lesson: Lesson, task: Task) -> Run:
        made.append(task.seed)
        return Run({"score": float(len(made))}, 1.0, "")

    monkeypatch.setattr(calibrate, "_run", run)
    task = Task("smoke", "cpu", 5)
    assert result(lesson, task) == result(lesson, task) == Run({"score": 1.0}, 1.0, "")
    assert result(lesson, replace(task, seed=6)).metrics == {"score": 2.0}
    (lesson.source / "hidden.py").write_text(f"{HIDDEN}\nORACLE = 1\n", encoding="utf-8")
    assert result(lesson, task).metrics == {"score": 1.0}, "what no metric uses decides nothing"
    changed = {"hidden.py": HIDDEN.replace("words(7)", "words(8)"), "notebook.py": f"{NOTEBOOK}\nanother = 1\n"}
    for name, text in changed.items():
        (lesson.source / name).write_text(text, encoding="utf-8")
        again = result(lesson, task)
        assert again.metrics == {"score": float(len(made))}
        assert result(lesson, task) == again
    assert made == [5, 6, 5, 5]


def test_a_wrong_answer_is_run_anew_when_its_code_changes(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Task] = []

    def run(lesson: Lesson, task: Task) -> Run:
        score = float(len(made))
        made.append(task)
        return Run({"score": score}, 1.0, "")

    monkeypatch.setattr(calibrate, "_run", run)
    answer = bank.load(lesson)[0]
    changed = answer.code.replace("// 2", "// 3")
    for code in (answer.code, answer.code, f"{answer.code}  # half", changed):
        result(lesson, Task("smoke", "cpu", 5, 60, replace(answer, code=code)))
    assert [task.answer.code for task in made if task.answer] == [answer.code, changed]


def test_a_run_depends_on_the_modules_that_its_notebook_imports_and_on_no_other() -> None:
    modules = {path.stem for path in imported([Course().lesson("word2vec").source / "notebook.py"])}
    assert {"sgns", "evaluate", "grammar"} <= modules  # the last one through etude.world alone
    assert "cooccurrence" not in modules


def test_a_comment_or_a_docstring_decides_nothing() -> None:
    code = "def f(x):\n    return x + 1\n"
    assert bare('def f(x):\n    """One more."""\n    return x + 1  # for all x\n') == bare(
        'def f(x):\n    """Another."""\n    return (x + 1)\n'
    )
    assert bare(code) != bare(code.replace("1", "2"))


# The table.


def stub(scores: list[float], monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """Puts these scores in the place of runs; gives the list of what was asked for."""
    asked: list[Task] = []

    def results(lesson: Lesson, tasks: list[Task], jobs: int, step: object) -> list[Run]:
        asked.extend(tasks)
        return [Run({"score": score}, 1.0, "") for score in scores]

    monkeypatch.setattr(calibrate, "results", results)
    return asked


def test_a_table_states_its_measure_its_promise_and_its_origin(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = [0.5, 0.6, 0.7, 0.8, 0.9]
    stub(scores, monkeypatch)
    calibrate.calibrate(lesson, "smoke", 5, "cpu", 1, lambda *_: None)
    smoke, cpu = table.read(lesson.source / "expected.csv")
    low, high = interval(np.array(scores), "near")
    assert (smoke.mean, smoke.seeds) == (0.7, 5)
    assert (smoke.sd, smoke.low, smoke.high) == pytest.approx((np.std(scores, ddof=1), low, high), rel=1e-5)
    assert "grader calibrate week1_words/count --profile smoke --seeds 5" in smoke.provenance
    assert "99 % of right answers with 95 % confidence" in smoke.provenance
    assert not cpu.measured


def test_no_seed_is_one_on_which_settings_were_chosen_or_one_kept_fresh(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = stub([0.1 * i for i in range(1000)], monkeypatch)
    calibrate.calibrate(lesson, "smoke", 1000, "cpu", 1, lambda *_: None)
    assert {task.seed for task in asked} == set(range(1000, 2000))
    with pytest.raises(CourseError, match="1001 seeds reach into those kept fresh: give at most 1000"):
        calibrate.calibrate(lesson, "smoke", 1001, "cpu", 1, lambda *_: None)


def test_too_few_seeds_are_refused(lesson: Lesson) -> None:
    with pytest.raises(CourseError, match="4 seeds say too little about the spread: give at least 5"):
        calibrate.calibrate(lesson, "smoke", 4, "cpu", 1, lambda *_: None)
