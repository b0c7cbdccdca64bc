"""Which pairs of students are shown as unusually alike: copies, renamed ones too, and nobody who wrote the usual."""

from __future__ import annotations

import random
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from grader.reports.likeness import LONGEST_LINE, MOST_LINES, Written, compare

SKELETON = "\n".join(f"given_{i} = load('{i}')" for i in range(30))


def program(seed: int, lines: int = 20) -> str:
    """Lines of code that no other seed gives."""
    draw = random.Random(seed)
    operators = ["+", "-", "*", "/", "%", "@", "//", "**", "&", "|", "^"]
    return "\n".join(
        f"x{draw.randrange(9)} = "
        + " ".join(f"y{draw.randrange(9)} {draw.choice(operators)} {draw.randrange(99)} +" for _ in range(4))
        + " 1"
        for _ in range(lines)
    )


def renamed(code: str) -> str:
    return "\n".join(f"  {line.replace('x', 'ex').replace('y', 'why')}  # mine" for line in code.splitlines())


def alike(codes: dict[str, str]) -> set[tuple[str, str]]:
    return {pair.students for pair in compare(codes, SKELETON)}


def test_a_copy_with_other_names_comments_and_blanks_is_found_with_the_lines_as_each_wrote_them() -> None:
    own = program(0)
    codes = {f"s{i}": program(i) for i in range(8)} | {"copy": renamed(own)}
    [pair] = compare(codes)
    assert pair.students == ("copy", "s0")
    assert pair.share == 1
    assert pair.lines == (renamed(own).splitlines(), own.splitlines())


def test_what_the_skeleton_holds_counts_for_nobody() -> None:
    codes = {f"s{i}": f"{SKELETON}\n{program(i)}" for i in range(2)}
    assert alike(codes) == set()


def test_what_many_wrote_is_the_usual_way() -> None:
    usual = program(100)
    assert alike({f"s{i}": f"{usual}\n{program(i)}" for i in range(6)}) == set()


def test_a_few_shared_lines_are_no_likeness() -> None:
    shared = "\n".join(program(100).splitlines()[:5])
    assert alike({f"s{i}": f"{shared}\n{program(i)}" for i in range(2)}) == set()
    assert alike({"a": "x = 1", "b": "x = 1"}) == set()
    assert alike({}) == set()


def test_half_of_the_shorter_is_enough_and_less_is_not() -> None:
    shared = program(100)
    assert alike({f"s{i}": f"{shared}\n{program(i, lines=15)}" for i in range(2)}) == {("s0", "s1")}
    assert alike({f"s{i}": f"{shared}\n{program(i, lines=40)}" for i in range(2)}) == set()


def test_names_of_a_library_and_of_python_are_kept() -> None:
    assert Written.of("b = torch.zeros(len(mine))  # zero").compared == ["_ = _ .zeros ( len ( _ ) )"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet=string.printable + "\u202e\x00유", max_size=400), max_size=4))
def test_any_text_is_compared(texts: list[str]) -> None:
    compare({f"s{i}": text for i, text in enumerate(texts)})


def test_what_is_compared_is_bounded() -> None:
    written = Written.of("x = 1\n" * (2 * MOST_LINES) + "y" * (LONGEST_LINE + 1))
    assert len(written.compared) == MOST_LINES
