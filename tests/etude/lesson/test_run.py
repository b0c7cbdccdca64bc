"""Opening a lesson and checking an exercise in it: nonsense is refused with what to do, results show a student's text safely."""

import random
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import IPython
import IPython.display
import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

import etude
from etude.lesson import run
from etude.lesson.check import CheckFailed, check_namespace
from etude.lesson.run import LARGEST_SEED, PROFILES, LessonError, Run
from grader.course import Lesson
from grader.lessons import source

LESSON = "week1_embeddings/word2vec"


class Odd:
    """Raises whatever is asked of it."""

    def _refuse(self, *_: object) -> NoReturn:
        raise RuntimeError

    __repr__ = __eq__ = __hash__ = __str__ = __fspath__ = _refuse


ODD = [
    None,
    "",
    "SMOKE",
    -1,
    0.5,
    True,
    b"cpu",
    ["cpu"],
    {"cpu"},
    10**5000,
    torch.zeros(2),
    np.array(["cpu", "gpu"]),
    Odd(),
]
plain = st.text() | st.integers() | st.floats() | st.lists(st.text()) | st.binary() | st.none() | st.booleans()


@pytest.fixture(autouse=True)
def no_lesson_is_open(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    monkeypatch.setattr(run, "_current", None)


def start(**arguments: Any) -> Run:
    return run.start(**{"lesson": LESSON, "profile": "smoke", "seed": 0, "device": "cpu", **arguments})


@pytest.mark.parametrize("profile", PROFILES)
def test_a_lesson_opens_in_each_profile_and_is_then_the_current_one(
    profile: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = etude.start(LESSON, profile=profile, seed=7, device="cpu", out="some/results")
    assert run.current() is opened
    assert (opened.profile, opened.seed, opened.device.type) == (profile, 7, "cpu")
    assert (opened.folder / "checks.py").is_file()
    assert opened.out == here / "some" / "results"
    assert opened.out.is_dir()
    assert f"profile {profile} · seed 7 · cpu" in capsys.readouterr().out


def test_without_an_open_lesson_the_message_says_which_cell_to_run() -> None:
    with pytest.raises(LessonError, match=r"run the notebook's first cells.*etude\.start"):
        run.current()


REFUSED = {
    "profile": r"profile .*is not known: choose one of 'smoke' .*'cpu' .*'gpu'",
    "seed": f"seed .*makes no sense: give a whole number from 0 to {LARGEST_SEED}",
    "device": "device .*is not known: choose auto, cpu, cuda or mps",
}


@pytest.mark.parametrize("parameter", REFUSED)
@pytest.mark.parametrize("nonsense", ODD, ids=lambda value: type(value).__name__)
def test_an_odd_profile_seed_or_device_is_refused_with_what_to_give(parameter: str, nonsense: object) -> None:
    with pytest.raises(LessonError, match=REFUSED[parameter]):
        start(**{parameter: nonsense})


@given(st.sampled_from(sorted(REFUSED)), plain)
def test_any_value_that_is_not_a_choice_is_refused(parameter: str, value: object) -> None:
    assume(not (parameter == "seed" and type(value) is int and 0 <= value <= LARGEST_SEED))
    assume(value not in {*PROFILES, "auto", "cuda", "mps"} if isinstance(value, str) else True)
    with pytest.raises(LessonError, match=f"(?s){REFUSED[parameter]}"):
        start(**{parameter: value})


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_device_that_is_not_there_is_refused_with_another(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(LessonError, match=f"'{device}' was asked for.*use device='auto'"):
        start(device=device)
    assert start(device="auto").device.type == "cpu"


@pytest.mark.parametrize(
    "lesson",
    [*ODD, "word2vec", "/word2vec", "week1_embeddings/", "week1_embeddings/nothing", "\0/\0"],
    ids=lambda value: type(value).__name__,
)
def test_a_lesson_that_is_not_there_is_refused(lesson: Any) -> None:
    with pytest.raises(LessonError, match=r"is not known: give week and lesson|must lie beside the notebook"):
        start(lesson=lesson)


def test_a_folder_for_results_that_cannot_be_made_is_refused(here: Path) -> None:
    (here / "file").write_text("")
    for out in ("file", "file/below", "\0", None, 3):
        with pytest.raises(LessonError, match="name another with out="):
            start(out=out)


def test_a_refused_start_leaves_the_open_lesson_and_the_random_numbers_alone() -> None:
    opened = start(seed=3)
    before = torch.get_rng_state()
    for nonsense in ({"profile": "fast"}, {"seed": -1}, {"device": "tpu"}, {"lesson": "x"}, {"out": "\0"}):
        with pytest.raises(LessonError):
            start(**nonsense)
    assert run.current() is opened
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    "draw", [random.random, np.random.rand, lambda: torch.rand(()).item()], ids=["python", "numpy", "torch"]
)
def test_the_seed_decides_what_is_drawn(draw: Callable[[], float]) -> None:
    def first(seed: int) -> float:
        start(seed=seed)
        return draw()

    assert first(5) == first(5) != first(LARGEST_SEED)


def test_the_checks_beside_the_notebook_come_first(here: Path) -> None:
    beside = here / "word2vec" / "checks.py"
    beside.parent.mkdir()
    beside.write_text("")
    assert start().folder == beside.parent


class Tags(HTMLParser):
    """The names of all tags, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


SCRIPT = "<script>alert('x')</script>"


class Script:
    def __repr__(self) -> str:
        return SCRIPT


def raise_script(*_: object) -> NoReturn:
    raise ValueError(SCRIPT)


@pytest.mark.parametrize("answer", [lambda *_: SCRIPT, lambda *_: [Script()], lambda *_: {SCRIPT: 1}, raise_script])
@pytest.mark.parametrize("folder", ["source", "released"])
def test_a_students_text_is_shown_and_never_run(word2vec: Lesson, folder: str, answer: Callable[..., object]) -> None:
    place = word2vec.source if folder == "source" else word2vec.released.with_suffix("")
    result = check_namespace(place, "skipgram_pairs", {"skipgram_pairs": answer})
    shown = Tags(result._repr_html_())
    assert result.passed == 0
    assert shown.tags == {"div", "b", "pre"}
    assert "<script>" in shown.text
    assert "<script>" in repr(result)


def test_the_reference_passes_and_a_known_mistake_is_named(word2vec: Lesson) -> None:
    folder, names = word2vec.released.with_suffix(""), source.namespace(word2vec)
    right = check_namespace(folder, "sgns_loss", names)
    assert right.passed == len(right.outcomes) > 1
    assert right.diagnosis is None
    assert "Perhaps" not in repr(right) + right._repr_html_()
    wrong = check_namespace(folder, "sgns_loss", {"sgns_loss": lambda *x: names["sgns_loss"](*x) * len(x[0])})
    assert 0 < wrong.passed < len(wrong.outcomes)
    assert wrong.diagnosis is not None
    assert "sum" in wrong.diagnosis
    assert f"Perhaps: {wrong.diagnosis}" in repr(wrong)


def test_an_edge_case_says_what_it_needs_to_count(word2vec: Lesson) -> None:
    folder, note = word2vec.released.with_suffix(""), "counts once “all contexts of a word make one example” passes"
    stub = check_namespace(folder, "cbow_examples", {"cbow_examples": lambda tokens, window: list(tokens)})
    right = check_namespace(folder, "cbow_examples", source.namespace(word2vec))
    assert stub.passed == 1
    assert note in repr(stub)
    assert note in stub._repr_html_()
    assert "counts once" not in repr(right) + right._repr_html_()


def test_a_skeleton_is_told_that_it_is_not_written_yet(word2vec: Lesson) -> None:
    def stub(*_: object) -> NoReturn:
        raise NotImplementedError

    result = check_namespace(word2vec.source, "nearest", {"nearest": stub})
    assert repr(result).count("not written yet") == len(result.outcomes)


def test_an_unknown_exercise_is_refused_with_those_there_are(word2vec: Lesson) -> None:
    with pytest.raises(LessonError, match=r"no exercise 'sgns_lost' here; there are skipgram_pairs, .*sgns_loss"):
        check_namespace(word2vec.source, "sgns_lost", {})


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A notebook's namespace, and what its cells display."""
    notebook = SimpleNamespace(user_ns={}, displayed=[])
    monkeypatch.setattr(IPython, "get_ipython", lambda: notebook)
    monkeypatch.setattr(IPython.display, "display", notebook.displayed.append)
    return notebook


def test_check_shows_its_result_and_stops_the_cell_of_a_wrong_answer(
    notebook: SimpleNamespace, word2vec: Lesson
) -> None:
    start()
    notebook.user_ns["cbow_examples"] = lambda tokens, window: []
    with pytest.raises(CheckFailed, match="2 of 2 checks of cbow_examples fail") as caught:
        etude.check("cbow_examples")
    assert caught.value._render_traceback_() == ["CheckFailed: 2 of 2 checks of cbow_examples fail"]
    notebook.user_ns.update(source.namespace(word2vec))
    etude.check("cbow_examples")
    assert [result.passed for result in notebook.displayed] == [0, 2]


def test_check_outside_a_notebook_or_a_lesson_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LessonError, match="no lesson is open"):
        etude.check("nearest")
    start()
    monkeypatch.setattr(IPython, "get_ipython", lambda: None)
    with pytest.raises(LessonError, match="works in a notebook"):
        etude.check("nearest")


def test_the_library_is_imported_without_its_heavy_parts() -> None:
    program = (
        "import sys, etude; print(sorted({'torch', 'pandas', 'matplotlib', 'scipy', 'pytest'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"
