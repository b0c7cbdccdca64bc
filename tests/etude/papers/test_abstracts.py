"""The abstracts to be marked, a reader's marks put in order, and the measures of agreement against scikit-learn."""

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from etude.lesson.student import LiveStudent
from etude.papers import abstracts
from grader.course import Course
from grader.lessons import source

LESSON = Course().lesson("week3_reading/marking")
HANGUL = re.compile("[가-힣]")


@pytest.fixture(scope="module")
def reference() -> SimpleNamespace:
    return SimpleNamespace(**source.namespace(LESSON))


@pytest.fixture(scope="module")
def hidden() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hidden_of_marking", LESSON.source / "hidden.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def counts(readers: list[tuple[str, str]]) -> np.ndarray:
    key, marks = zip(*readers, strict=True)
    table: np.ndarray = metrics.confusion_matrix(key, marks, labels=abstracts.LABELS)
    return table


# The sentences.


@pytest.mark.parametrize("part", ["practice", "graded"])
def test_sentences_are_numbered_from_one_in_each_abstract_of_five_to_eight(part: abstracts.Part) -> None:
    for _, group in abstracts.sentences(part).groupby("abstract", sort=False):
        assert list(group["number"]) == list(range(1, len(group) + 1))
        assert 5 <= len(group) <= 8
        assert group[["paper", "link", "language"]].nunique().eq(1).all()


def test_there_are_ten_abstracts_four_of_them_in_korean() -> None:
    both = [abstracts.sentences(part) for part in ("practice", "graded")]
    languages = {name: set(group["language"]) for table in both for name, group in table.groupby("abstract")}
    assert sorted(map(sorted, languages.values())) == [["en"]] * 6 + [["ko"]] * 4
    for table in both:
        assert list(table["sentence"].str.contains(HANGUL)) == list(table["language"] == "ko")


def test_practice_has_a_known_label_and_a_reason_for_each_sentence() -> None:
    practice = abstracts.sentences("practice")
    assert set(practice["label"]) == set(abstracts.LABELS)
    assert practice["reason"].ne("").all()


def test_the_graded_part_comes_without_labels_and_reasons() -> None:
    graded = abstracts.sentences("graded")
    assert graded["label"].eq("").all()
    assert graded["reason"].eq("").all()


def test_the_key_labels_every_graded_sentence_and_uses_every_label(hidden: ModuleType) -> None:
    assert set(abstracts.in_order(hidden.KEY, "graded")) == set(abstracts.LABELS)


def test_no_line_of_the_key_is_in_a_file_that_students_get(hidden: ModuleType) -> None:
    shown = [
        *Path(str(abstracts.ABSTRACTS)).parent.iterdir(),
        *(LESSON.source / name for name in ("checks.py", "expected.csv")),
        *(LESSON.course.root / "etude").rglob("*.py"),
        *(path for path in LESSON.released.parent.rglob("*") if path.suffix in (".py", ".csv", ".json", ".ipynb")),
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in shown)
    text += "\n".join(
        cell.source if part.kind != "exercise" else source.skeleton(cell.source)
        for part, cell in source.parts(source.read(LESSON))
    )
    for labels in hidden.KEY.values():
        assert labels not in text
        assert ", ".join(f'"{label}"' for label in labels.split()) not in text


def test_who_goes_by_cue_words_or_by_position_has_no_point_of_the_graded_abstracts(hidden: ModuleType) -> None:
    space: dict[str, Any] = {"re": re}
    cells = [cell.source for _, cell in source.parts(source.read(LESSON))]
    for name, end in (("by_cues", "cues = "), ("by_position", "readers = ")):
        [cell] = [cell for cell in cells if f"def {name}" in cell]
        exec(cell[: cell.index(end)], space)
    keys: dict[abstracts.Part, list[str]] = {
        "practice": list(abstracts.sentences("practice")["label"]),
        "graded": abstracts.in_order(hidden.KEY, "graded"),
    }
    found = {}
    for part, key in keys.items():
        found[part] = metrics.cohen_kappa_score(key, list(map(space["by_cues"], abstracts.sentences(part)["sentence"])))
    assert found["practice"] > 0.7
    assert found["graded"] < 0.2
    sizes = abstracts.sentences("graded").groupby("abstract", sort=False).size()
    assert metrics.cohen_kappa_score(keys["graded"], [label for n in sizes for label in space["by_position"](n)]) < 0.1


# The marks.


def test_marks_come_in_the_order_of_the_sentences_whatever_the_order_of_the_abstracts() -> None:
    practice = abstracts.sentences("practice")
    groups = [(str(name), list(group["label"])) for name, group in practice.groupby("abstract", sort=False)]
    assert abstracts.in_order(dict(reversed(groups)), "practice") == list(practice["label"])
    assert abstracts.in_order({name: " ".join(labels) for name, labels in groups}, "practice") == list(
        practice["label"]
    )


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "is no dictionary": (lambda marks: ["past"], "the marks are .* give a dictionary"),
    "has no line for an abstract": (
        lambda marks: {k: v for k, v in marks.items() if k != "albert"},
        "no marks for albert",
    ),
    "names an abstract that is not there": (lambda marks: {**marks, "gpt": ["past"]}, "'gpt' is no abstract"),
    "has too few labels": (lambda marks: {**marks, "albert": ["past"]}, "albert has 7 sentences, and 1 labels"),
    "has too many labels": (lambda marks: {**marks, "albert": ["past"] * 8}, "albert has 7 sentences, and 8 labels"),
    "has an unknown label": (
        lambda marks: {**marks, "albert": "past result"},
        "albert, sentence 2: 'result' is no label",
    ),
    "has a label that cannot be hashed": (
        lambda marks: {**marks, "albert": [["past"]]},
        "albert, sentence 1: .* is no label",
    ),
    "has labels of another kind": (lambda marks: {**marks, "albert": 7}, "albert: 7 is neither"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_reader_is_told_when_what_she_gives(fault: str) -> None:
    marks = {str(name): list(group["label"]) for name, group in abstracts.sentences("practice").groupby("abstract")}
    change, said = FAULTS[fault]
    with pytest.raises(abstracts.MarksError, match=said):
        abstracts.in_order(change(marks), "practice")


@given(
    st.floats(min_value=0, max_value=1e30).map(lambda x: float(f"{x:.6g}")), st.sampled_from(["", " days", " (big)"])
)
def test_a_figure_is_read_with_and_without_its_unit(value: float, unit: str) -> None:
    assert abstracts.number(value) == value
    assert abstracts.number(f"{value:.6g}{unit}") == value


@pytest.mark.parametrize("text", ["2.3e19", "2.3·10^19 operations", "2.3 × 10^19", "2.3x10**19", "2.3E+19 FLOPs"])
def test_a_large_figure_is_read_as_people_write_it(text: str) -> None:
    assert abstracts.number(text) == 2.3e19


@pytest.mark.parametrize(
    "value", ["", "2.3·10¹⁹", "1/2 day", "8 * 2", "eight", "3,5 days", "1.2.3", "-8", None, True, [8], "days 3"]
)
def test_what_is_no_figure_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        abstracts.number(value)


# The measures: the reference against scikit-learn.

labels = st.sampled_from(abstracts.LABELS)
readers = st.lists(st.tuples(labels, labels), min_size=1, max_size=40)


@given(readers)
def test_the_counts_are_those_of_scikit_learn(reference: SimpleNamespace, marked: list[tuple[str, str]]) -> None:
    key, marks = zip(*marked, strict=True)
    np.testing.assert_array_equal(reference.confusion(list(key), list(marks), list(abstracts.LABELS)), counts(marked))


@given(readers)
def test_kappa_is_that_of_scikit_learn_and_0_where_it_has_none(
    reference: SimpleNamespace, marked: list[tuple[str, str]]
) -> None:
    key, marks = zip(*marked, strict=True)
    if len({*key, *marks}) == 1:  # 0/0, of which scikit-learn makes NaN
        assert reference.kappa(counts(marked)) == 0
    else:
        assert reference.kappa(counts(marked)) == pytest.approx(metrics.cohen_kappa_score(key, marks), abs=1e-12)


@given(readers)
def test_agreement_precision_recall_and_f1_are_those_of_scikit_learn(
    reference: SimpleNamespace, marked: list[tuple[str, str]]
) -> None:
    key, marks = zip(*marked, strict=True)
    assert reference.agreement(counts(marked)) == pytest.approx(metrics.accuracy_score(key, marks))
    expected = metrics.precision_recall_fscore_support(key, marks, labels=abstracts.LABELS, zero_division=0)[:3]
    np.testing.assert_allclose(reference.by_class(counts(marked)), np.stack(expected, axis=1))
    assert reference.macro_f1(counts(marked)) == pytest.approx(
        metrics.f1_score(key, marks, average="macro", zero_division=0)
    )


def test_six_marks_against_the_key_still_reach_the_last_step_and_eight_do_not(hidden: ModuleType) -> None:
    key = abstracts.in_order(hidden.KEY, "graded")
    draw = np.random.default_rng(0)
    for wrong, reached in ((6, True), (8, False)):
        for _ in range(200):
            marks = list(key)
            for i in draw.choice(len(key), size=wrong, replace=False):
                marks[i] = draw.choice([label for label in abstracts.LABELS if label != key[i]])
            assert (metrics.cohen_kappa_score(key, marks) >= 0.8) == reached


def test_the_key_itself_passes_every_check_of_the_marks(hidden: ModuleType) -> None:
    student = LiveStudent({"marks": lambda: hidden.KEY})
    for check in source.checks(LESSON):
        if check.exercise == "marks":
            check.function(student)
