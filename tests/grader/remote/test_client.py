"""Calling a student's functions from outside: values, handles, errors, and students' code that misbehaves."""

from __future__ import annotations

import builtins
import copy
import math
import operator
from collections.abc import Iterator
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook

from etude.lesson.checks import Check, Mismatch, close, equal, refused, run_check
from etude.lesson.mistakes import fingerprint
from etude.lesson.student import LiveStudent
from grader.kernels.runner import run_notebook
from grader.kernels.session import KernelSession
from grader.remote.budget import Budget
from grader.remote.client import (
    CodecError,
    KernelGone,
    MissingName,
    MisusedHandle,
    Remote,
    Student,
    StudentError,
    StudentTimeout,
    student_error,
)
from grader.remote.codec import Ref, encode
from grader.sandbox.meter import Activity, Meter

NOTEBOOK = """
import array, collections, enum, os, signal, sys, time
import numpy as np
import pandas as pd
import torch

constant = {"a": [1, 2.5, None], ("b", 1): {"c"}}
value = "a name that is also a method of the grader's Student"

class Model(torch.nn.Module):
    def __init__(self, size=2):
        super().__init__()
        self.linear = torch.nn.Linear(size, 1, bias=False)
    def forward(self, x):
        return self.linear(x)

class AlwaysEqual:
    def __eq__(self, other): return True
    def __bool__(self): return True

class Sneaky(list):
    def first(self): return self[0]

class Zeros(dict):
    def __missing__(self, key): return 0

class Poly(list):
    def __call__(self, x): return sum(a * x**i for i, a in enumerate(self))

class Celsius(float):
    def fahrenheit(self): return 1.8 * self + 32

class Color(enum.Enum):
    RED = 1

class Level(str, enum.Enum):
    HIGH = "high"

Pair = collections.namedtuple("Pair", "first second")

class Hostile(Exception):
    def __str__(self): raise ValueError("no text for you")

def echo(*args, **kwargs): return (args, kwargs)
def apply(f, *args): return f(*args)
def make(text): return eval(text)
def skeleton(x): raise NotImplementedError
def fails(kind, *args): raise getattr(__builtins__, kind, None) or RuntimeError(kind)(*args)
def fail_with_key(d): return d["missing"]
def fail_beside_a_word(): raise ValueError("no")  # circle
def hostile(): raise Hostile()
def leave(): sys.exit(0)
def add_one_in_place(x): x += 1
def append(xs, x): xs.append(x)
def sort_all(*lists, **more):
    for one in [*lists, *more.values()]: one.sort()
def total(x, y, scale=1): return (x * y).sum() * scale
def flagged(x, y): return (x * y).sum().detach().requires_grad_()
def grow(xs): xs.extend("x" * 10_000 for _ in range(1_000))
def replace_by_itself(xs): xs[:] = [xs]
def count(n):
    for i in range(n): yield i
def forever():
    while True: pass
def stubborn():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True: pass
def endless():
    while True: yield 1
def loud(n):
    print("x" * n)
    print("y" * n, file=sys.stderr)
    return n
def huge(): return torch.zeros(1).expand(10**10)
def deep():
    x = []
    for _ in range(10_000): x = [x]
    return x
def recurse(n): return recurse(n + 1)
def keyed_by_tensor(): return {torch.ones(1): 1}
def die(): os._exit(7)
"""


class Liar:
    """A connection whose other end knows one name, `f`, and answers every call alike."""

    meter = Meter(lambda: Activity(0.0, runnable=False))

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer

    def ask(self, header: bytes, *rest: Any) -> tuple[bytes, list[Any]]:
        asks_for_name = b'"name"' in header.split(b'"args"')[0]
        answer = {"value": Ref(id=1, what="f")} if asks_for_name else self.answer
        return encode(answer, lambda label: label)


def liar(answer: dict[str, Any]) -> Student:
    return Student(Liar(answer), 1.0)  # type: ignore[arg-type]  # it has what a student asks of a connection


def prepared(folder: Path) -> KernelSession:
    session = KernelSession(folder).__enter__()
    cell = new_code_cell(NOTEBOOK)
    report = run_notebook(new_notebook(cells=[cell]), session, parameters={}, cell_timeout=60, notebook_timeout=60)
    assert report.cells[-1].error == ""
    return session


@pytest.fixture(scope="module")
def student(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Student]:
    """The names of one kernel, for the tests that leave it alive."""
    session = prepared(tmp_path_factory.mktemp("work"))
    try:
        yield session.student()
        assert session.alive()
    finally:
        session.close()


@pytest.fixture
def doomed(tmp_path: Path) -> Iterator[KernelSession]:
    session = prepared(tmp_path)
    try:
        yield session
    finally:
        session.close()


# ---- values


def test_arguments_and_results_go_by_value(student: Student) -> None:
    args, kwargs = student.echo(1, "two", [3.0, None], key={"x": (True, b"y")})
    assert args == (1, "two", [3.0, None])
    assert kwargs == {"key": {"x": (True, b"y")}}
    assert student.constant == {"a": [1, 2.5, None], ("b", 1): {"c"}}


def test_tensors_and_arrays_go_by_value(student: Student) -> None:
    tensor, array = torch.randn(3, 4, requires_grad=True), np.arange(6.0).reshape(2, 3)
    (tensor_back, array_back), _ = student.echo(tensor, array)
    assert torch.equal(tensor_back, tensor)
    assert tensor_back.requires_grad
    assert np.array_equal(array_back, array)


def test_a_name_that_is_also_a_method_can_be_read_as_an_item(student: Student) -> None:
    assert student["value"].startswith("a name")


def test_functions_and_types_of_libraries_are_sent_by_name(student: Student) -> None:
    assert student.apply(len, [1, 2]) == 2
    assert student.apply(operator.add, 2, 3) == 5
    assert student.apply(math.sqrt, 9.0) == 3
    assert student.apply(np.mean, [1, 2]) == 1.5
    assert torch.equal(student.apply(torch.relu, torch.tensor([-1.0, 1.0])), torch.tensor([0.0, 1.0]))
    assert torch.equal(student.apply(torch.nn.functional.gelu, torch.ones(1)), torch.nn.functional.gelu(torch.ones(1)))
    assert student.echo(torch.float64, torch.device("cpu"))[0] == (torch.float64, torch.device("cpu"))
    assert isinstance(student.apply(torch.nn.ReLU), Remote)


@pytest.mark.parametrize("thing", [lambda x: x, Path("x"), object(), torch.nn.ReLU(), Path.exists, np.ma.masked])
def test_what_cannot_be_sent_is_refused_before_it_leaves(student: Student, thing: object) -> None:
    with pytest.raises(CodecError, match="cannot be sent"):
        student.echo(thing)


def test_a_librarys_kinds_of_containers_arrive_as_plain_ones(student: Student) -> None:
    assert student.apply(torch.zeros, 2, 3).shape == (2, 3)
    assert student.Pair(1, [2]) == (1, [2])
    assert student.Model().state_dict().keys() == {"linear.weight"}


OTHER_KINDS = {
    "Zeros(a=1)": {"a": 1},
    "Level.HIGH": "high",
    "{Level.HIGH: 1, Pair(1, 2): 2, torch.Size([3]): 3}": {"high": 1, (1, 2): 2, (3,): 3},
    "np.bytes_(b'x')": b"x",
    "torch.eye(2).to_sparse()": torch.eye(2),
    "torch.ones(2, dtype=torch.uint16)": torch.ones(2, dtype=torch.uint16),
    "torch.ones(2).to(torch.float8_e4m3fn)": torch.ones(2),
    "collections.deque([1.5, 2])": np.array([1.5, 2]),
    "array.array('d', [1.5])": np.array([1.5]),
    "memoryview(b'ab')": np.array([97, 98], dtype=np.uint8),
    "np.matrix([[1, 2]])": np.array([[1, 2]]),
    "np.ma.array([1.0, 2.0])": np.array([1.0, 2.0]),
    "np.longdouble(0.5)": 0.5,
    "np.ones(2, dtype=np.longdouble)": np.ones(2),
    "np.array([1, 2.5], dtype=object)": np.array([1, 2.5]),
    "pd.Series([1, 2], name=np.int64(3))": pd.Series([1, 2], name=3),
}


@pytest.mark.parametrize("made", OTHER_KINDS)
def test_a_value_of_another_kind_passes_the_same_checks_in_a_notebook_and_over_the_wire(
    student: Student, made: str
) -> None:
    names: dict[str, Any] = {}
    exec(compile(NOTEBOOK, "<notebook>", "exec"), names)
    expected = OTHER_KINDS[made]
    for compare in (equal, close):
        here, there = (
            run_check(Check("it", "it", 1, lambda side: compare(side.make(made), expected)), side).passed  # noqa: B023 - run at once
            for side in (LiveStudent(names), student)
        )
        assert there or not here
    assert there


def test_to_a_lessons_check_what_is_more_than_its_base_is_a_handle(student: Student) -> None:
    assert student.Poly([1, 2])(2) == 5
    assert student.Celsius(100).fahrenheit() == 212


def test_to_test_cells_of_other_courses_an_object_is_whole(student: Student) -> None:
    whole = student.whole()
    assert whole.Zeros()["unseen"] == 0
    assert whole.make("Level.HIGH").name == "HIGH"
    assert whole.make("collections.deque([1, 2])").popleft() == 1
    assert whole.Pair(1, 2) == (1, 2)
    assert whole.make("collections.Counter('aab')") == {"a": 2, "b": 1}


# ---- handles


def test_objects_of_the_students_own_stay_there_and_can_be_used(student: Student) -> None:
    model = student.Model(size=3)
    assert repr(model) == "<the student's Model>"
    model.load_state_dict({"linear.weight": torch.tensor([[1.0, 2.0, 3.0]])})
    assert model(torch.ones(3)).item() == 6
    assert model.training is True
    assert torch.equal(model.linear.weight, torch.tensor([[1.0, 2.0, 3.0]]))
    assert student.apply(model, torch.ones(3)).item() == 6


def test_an_object_that_equals_everything_satisfies_nothing(student: Student) -> None:
    handle = student.AlwaysEqual()
    for question in (bool, lambda x: x == 1, lambda x: x != 1, lambda x: x < 1, lambda x: x in [1]):
        with pytest.raises(MisusedHandle):
            question(handle)


def test_a_list_of_the_students_own_kind_is_a_handle_that_can_be_read(student: Student) -> None:
    handle = student.Sneaky([1, 2, 3])
    assert isinstance(handle, Remote)
    assert len(handle) == 3
    assert handle[1] == 2
    assert list(handle) == [1, 2, 3]
    assert handle.first() == 1
    assert student.value(handle) == [1, 2, 3]


def test_an_object_without_a_plain_value_is_not_read_by_value(student: Student) -> None:
    with pytest.raises(CodecError, match="cannot be read by value"):
        student.value(student.Color.RED)


def test_a_generator_can_be_gone_through_and_an_endless_one_ends(student: Student) -> None:
    assert list(student.count(5)) == [0, 1, 2, 3, 4]
    assert len(list(student.endless())) == 100_000


def test_an_input_changed_in_place_can_be_seen(student: Student) -> None:
    x = torch.zeros(2)
    handle = student.put(x)
    student.add_one_in_place(handle)
    assert student.value(handle).tolist() == [1, 1]
    assert x.tolist() == [0, 0]
    xs = student.put([1])
    student.append(xs, 2)
    assert student.value(xs) == [1, 2]


def test_a_changed_argument_is_said_with_what_it_was_and_has_become(student: Student) -> None:
    words = ["b", "a"]
    with pytest.raises(Mismatch, match="your function changed its argument xs: work on a copy") as raised:
        student.append(words, "c")
    assert (raised.value.actual, raised.value.expected, words) == (["b", "a", "c"], ["b", "a"], ["b", "a"])
    with pytest.raises(Mismatch, match="its argument x:") as raised:
        student.add_one_in_place(torch.zeros(2))
    assert raised.value.actual.tolist() == [1, 1]
    with pytest.raises(Mismatch, match="its argument 2:"):
        student.sort_all([], words)
    with pytest.raises(Mismatch, match="its argument mine:"):
        student.sort_all(mine=words)


def test_an_argument_that_stays_as_it_is_or_may_change_is_let_through(student: Student) -> None:
    student.sort_all(["a", "b"], np.array([1, 2]))
    student.in_place().sort_all(["b", "a"])
    student.sort_all([student.put("b")][:0], student.put(["b", "a"]))
    student.echo(math.nan, torch.tensor([math.nan]), {"a": [1, 2]})


def test_an_argument_that_has_become_too_much_to_send_is_said_all_the_same(student: Student) -> None:
    for function in (student.grow, student.replace_by_itself):
        student.begin(Budget(seconds=60, requests=100, reply_bytes=1 << 20))
        with pytest.raises(Mismatch, match="changed its argument xs") as raised:
            function(["a"])
        assert not raised.value.saw_a_value
    student.begin()


def test_a_change_is_the_same_outcome_in_a_notebook_and_over_the_wire(student: Student) -> None:
    names: dict[str, Any] = {}
    exec(compile(NOTEBOOK, "<notebook>", "exec"), names)
    for arguments in ([["b", "a"]], [[3, 1, 2], [2, 1]], [np.array([2.5, 1.0])]):
        seen = [
            fingerprint(run_check(Check("it", "it", 1, methodcaller("sort_all", *arguments)), side))
            for side in (student, LiveStudent(names))
        ]
        assert seen[0] == seen[1]
        assert seen[0]["status"] == "failed"


@pytest.mark.parametrize(
    "said",
    [
        {"place": 7, "name": "x"},
        {"place": True, "name": "x"},
        {"place": "x", "name": "x", "after": 1},
        {"place": None, "name": "x"},
        {"name": "x"},
        {"place": 0, "name": 1},
    ],
)
def test_a_change_that_cannot_be_is_a_malformed_reply(said: dict[str, Any]) -> None:
    with pytest.raises(CodecError, match="malformed reply"):
        liar({"changed": said}).f(1)


def test_gradients_come_as_numbers(student: Student) -> None:
    x, y = torch.tensor([2.0, 3.0], requires_grad=True), torch.tensor([5.0, 7.0], requires_grad=True)
    assert [g.tolist() for g in student.gradients("total", x, y, 2)] == [[10, 14], [4, 6]]
    assert [g.tolist() for g in student.gradients("total", x, y.detach())] == [[5, 7]]
    assert student.gradients("flagged", x, y) == [None, None]
    assert student.gradients("echo", x) == [None]
    with pytest.raises(MissingName):
        student.gradients("nobody", x)


def test_a_traceback_begins_in_the_notebook(student: Student) -> None:
    for ask in (lambda: student.fail_with_key({}), lambda: student.gradients("fail_with_key", {})):
        with pytest.raises(KeyError) as raised:
            ask()
        lines = vars(raised.value)["traceback"]
        assert lines.count(", in ") == 1
        assert "in fail_with_key" in lines


def test_as_many_gradients_come_as_were_asked_for() -> None:
    for said in ([], [None, None], None, {"a": 1}):
        with pytest.raises(CodecError, match="malformed reply"):
            liar({"value": said}).gradients("f", torch.ones(1, requires_grad=True))


def test_a_handle_can_be_copied_and_forgotten(student: Student) -> None:
    handle = student.Sneaky([1])
    number = handle._number
    assert len(copy.copy(handle)) == 1
    del handle
    student.has("echo")
    with pytest.raises(CodecError):
        len(Remote(student, number, "Sneaky"))


# ---- errors


def test_a_missing_name_is_said_plainly_and_is_no_builtin_error(student: Student) -> None:
    assert student.has("echo")
    assert not student.has("nowhere")
    with pytest.raises(MissingName, match=r"^the notebook defines no name 'nowhere'$") as caught:
        student.nowhere(1)
    assert not isinstance(caught.value, NameError | AttributeError)


def test_a_skeleton_is_recognised_by_the_name_of_its_error(student: Student) -> None:
    with pytest.raises(StudentError) as caught:
        student.skeleton(1)
    assert caught.value.ename == "NotImplementedError"
    assert student.explain(caught.value)[0] == "NotImplementedError"


def test_a_students_exception_is_also_the_builtin_one_and_shows_the_students_lines(student: Student) -> None:
    with pytest.raises(KeyError) as caught:
        student.fail_with_key({})
    assert isinstance(caught.value, StudentError)
    assert caught.value.message == "'missing'"
    assert 'return d["missing"]' in caught.value.traceback
    assert "agent" not in caught.value.traceback
    with pytest.raises(LookupError):
        student.fail_with_key({})


def test_only_the_message_is_searched_for_a_word_as_in_a_notebook(student: Student) -> None:
    with pytest.raises(Mismatch, match='the error should say "circle"'):
        refused(student.fail_beside_a_word, why="there is a circle", word="circle")


def test_a_librarys_exception_shows_the_students_line_and_the_librarys_last(student: Student) -> None:
    with pytest.raises(StudentError) as caught:
        student.Model(3)(torch.ones(4))
    assert isinstance(caught.value, RuntimeError)
    assert "return self.linear(x)" in caught.value.traceback
    assert caught.value.traceback.count("site-packages") == 1


builtin_errors = {n: x for n, x in vars(builtins).items() if isinstance(x, type) and issubclass(x, BaseException)}


@pytest.mark.parametrize("name", [name for name, cls in builtin_errors.items() if issubclass(cls, Exception)])
def test_an_error_can_be_made_for_every_builtin_exception(name: str) -> None:
    error = student_error([name, "Exception"], "message", "lines")
    assert error.message in str(error)
    others = (BaseExceptionGroup, StopIteration, StopAsyncIteration)
    assert isinstance(error, builtin_errors[name]) is not issubclass(builtin_errors[name], others)


def test_a_students_stop_iteration_does_not_end_a_checks_loop() -> None:
    def fail(x: int) -> None:
        raise student_error(["StopIteration", "Exception"], "", "")

    with pytest.raises(StudentError):
        list(map(fail, [1, 2]))


def test_a_students_text_commands_no_terminal_and_does_not_turn_around() -> None:
    bad = "\x1b]0;title\x07 \x9b2J \u202e \ud800 \r"
    error = student_error([bad], bad, bad)
    assert not set(str(error)) & set("\x1b\x07\x9b\u202e\ud800\r")
    assert r"\x1b]0;title\x07 \x9b2J \u202e \ud800 \r" in str(error)
    assert student_error(["E"], "한국어, π,\n\tnext line", "").message == "한국어, π,\n\tnext line"


def test_no_class_name_makes_anything_but_an_exception() -> None:
    for names in (["KeyboardInterrupt"], ["SystemExit"], ["__import__"], ["print"], [], [3], ["x" * 10**6]):
        error = student_error(names, "", "")
        assert type(error) is StudentError
        assert len(str(error)) < 1000


def test_a_hostile_text_of_an_error_does_no_harm(student: Student) -> None:
    with pytest.raises(StudentError, match="its text could not be made") as caught:
        student.hostile()
    assert caught.value.ename == "Hostile"


def test_leaving_the_interpreter_is_an_error_like_others(student: Student) -> None:
    with pytest.raises(StudentError) as caught:
        student.leave()
    assert caught.value.ename == "SystemExit"
    assert student.has("leave")


def test_a_recursion_without_end_is_the_students_error(student: Student) -> None:
    with pytest.raises(RecursionError) as caught:
        student.recurse(0)
    assert len(str(caught.value)) < 8000


@pytest.mark.parametrize("name", ["huge", "deep", "keyed_by_tensor"])
def test_a_result_that_cannot_travel_is_a_wire_error(student: Student, name: str) -> None:
    with pytest.raises(CodecError):
        student[name]()
    assert student.has(name)


def test_a_student_that_prints_gets_its_result_through(student: Student) -> None:
    assert student.loud(1_000_000) == 1_000_000


@pytest.mark.parametrize("error", [CodecError, KernelGone, StudentTimeout, MisusedHandle, MissingName])
def test_an_error_of_the_graders_satisfies_no_builtin_one(error: type[Exception]) -> None:
    assert set(builtin_errors.values()) & set(error.__mro__) == {Exception, BaseException}


# ---- time and death


def test_a_call_that_never_returns_is_interrupted_and_the_next_one_answers(student: Student) -> None:
    with pytest.raises(StudentTimeout, match=r"within 0\.3 s"):
        student.limit(0.3).forever()
    assert student.apply(len, "abc") == 3


def test_a_call_that_ignores_the_interrupt_is_killed(doomed: KernelSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.remote.connection.GRACE", 0.3)
    student = doomed.student(timeout=0.5)
    with pytest.raises(StudentTimeout):
        student.stubborn()
    assert not doomed.alive()
    assert doomed.reason == "a call took longer than 0.5 s and could not be interrupted"
    with pytest.raises(KernelGone, match="could not be interrupted"):
        student.has("stubborn")


def test_a_call_that_ends_its_process_says_so(doomed: KernelSession) -> None:
    student = doomed.student()
    with pytest.raises(KernelGone, match="exit status 7"):
        student.die()
    with pytest.raises(KernelGone, match="exit status 7"):
        student.echo(1)
