"""What outcomes earn: an edge case counts for those whose main case works, so code that does nothing earns nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from etude.lesson.checks import Outcome, run_check
from etude.lesson.student import LiveStudent
from grader.course import Course, CourseError, Lesson
from grader.grading.scoring import Scored
from grader.grading.suite import Suite
from grader.grading.verdict import CheckResult
from grader.lessons import source
from grader.nbgrader.feedback import exercise_text

LESSONS = ["week1_embeddings/word2vec", "week2_tokenizers/bpe"]
STUBS: dict[str, Callable[..., Any]] = {
    "0": lambda *args, **kwargs: 0,
    "True": lambda *args, **kwargs: True,
    "[]": lambda *args, **kwargs: [],
    "{}": lambda *args, **kwargs: {},
    "()": lambda *args, **kwargs: (),
    "the empty text": lambda *args, **kwargs: "",
    "None": lambda *args, **kwargs: None,
    "ones": lambda *args, **kwargs: torch.ones(3),
    "a table of ones": lambda *args, **kwargs: torch.ones(2, 2),
    "its first argument": lambda *args, **kwargs: args[0] if args else None,
}


def outcomes(lesson: Lesson, names: dict[str, Any]) -> dict[str, Outcome]:
    return {check.name: run_check(check, LiveStudent(names)) for check in source.checks(lesson)}


def test_metrics_are_computed_in_one_thread_however_many_cores_there_are(course: Course) -> None:
    torch.set_num_threads(3)
    Suite.of(course.lesson("word2vec"))
    assert torch.get_num_threads() == 1


@pytest.mark.parametrize("stub", STUBS)
@pytest.mark.parametrize("name", LESSONS)
def test_a_stub_earns_nothing(course: Course, name: str, stub: str) -> None:
    lesson = course.lesson(name)
    names = dict.fromkeys(source.exercises(source.read(lesson)), STUBS[stub])
    found = Scored(lesson, Suite.of(lesson), "smoke", "", outcomes(lesson, names)).exercises()
    assert [check.name for one in found for check in one.checks if check.earned] == []


def scored(lesson: Lesson, names: dict[str, Any], exercise: str) -> tuple[dict[str, CheckResult], str]:
    found = Scored(lesson, Suite.of(lesson), "smoke", "", outcomes(lesson, names)).exercises()
    mine = next(one for one in found if one.name == exercise)
    return {check.name: check for check in mine.checks}, exercise_text(mine)


def test_an_edge_case_counts_once_the_main_case_works(course: Course) -> None:
    lesson = course.lesson("week2_tokenizers/bpe")
    edge, main = "test_no_tokens_are_the_empty_text", "marks become blanks between words"
    stub, said = scored(lesson, {"decode_words": lambda tokens: ""}, "decode_words")
    right, _ = scored(lesson, source.namespace(lesson), "decode_words")
    assert (stub[edge].status, stub[edge].earned) == ("passed", 0)
    assert f"counts once “{main}” passes" in said
    assert right[edge].earned == right[edge].points > 0
    assert right[edge].message == ""


def test_the_student_reads_the_drawn_input_of_a_hidden_check_and_nothing_that_came_back(course: Course) -> None:
    def secretive(tokens: list[str], window: int) -> list[tuple[str, str]]:
        if len(tokens) > 4:
            return [("the secret", "of another check")]
        return [(c, t) for i, c in enumerate(tokens) for t in tokens[max(0, i - window) : i + window + 1] if t != c]

    found, said = scored(course.lesson(LESSONS[0]), {"skipgram_pairs": secretive}, "skipgram_pairs")
    hidden = found["test_any_sentence_has_the_pairs_of_brute_force"]
    assert "came back []" in hidden.message
    assert hidden.example == "given     tokens = ['a', 'a'], window = 1\nexpected  [('a', 'a'), ('a', 'a')]"
    assert f"(a hidden check)\n      for example\n      {hidden.example.splitlines()[0]}" in said
    assert "so so so" not in said
    assert "the secret" in found["test_every_window_agrees_with_brute_force"].message
    assert all("the secret" not in check.example for check in found.values())
    fixed = [check for check in found.values() if "any_sentence" not in check.name]
    assert [check.example for check in fixed] == [""] * len(fixed)


@pytest.mark.parametrize("needs", ["test_nobody", "test_of_another", "test_edge", "test_second", "test_hidden"])
def test_a_check_needs_a_free_check_of_its_exercise_that_is_there(tmp_path: Path, needs: str) -> None:
    head = "from etude.lesson.checks import exercise\n"
    checks = f'''
@exercise("f")
def test_main(student): pass
@exercise("g")
def test_of_another(student): pass
@exercise("f", needs="test_main")
def test_second(student): pass
@exercise("f", needs="{needs}")
def test_edge(student): pass
'''
    (tmp_path / "checks.py").write_text(head + checks)
    (tmp_path / "hidden.py").write_text(f'{head}@exercise("f", needs="test_main")\ndef test_hidden(student): pass\n')
    lesson: Any = SimpleNamespace(source=tmp_path, id="week/lesson")
    with pytest.raises(CourseError, match=f"test_edge needs {needs}"):
        source.checks(lesson)
    (tmp_path / "checks.py").write_text(head + checks.replace(f'needs="{needs}"', 'needs="test_main"'))
    assert len(source.checks(lesson)) == 5
