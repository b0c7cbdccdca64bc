"""Hidden property checks: a student's function beside an independent oracle, on inputs drawn for the course.

    @exercise("skipgram_pairs", points=0.5)
    @for_all(tokens=inputs.sentences(), window=integers(1, 4))
    def test_any_sentence_has_the_pairs_of_brute_force(student, tokens, window):
        equal(student.skipgram_pairs(tokens, window), brute_force(tokens, window))

The draws depend on the check's name and the grader's seed alone. An input that goes wrong is made small before it is shown.
Each call of a student's function goes to another process, so their number is bounded. Strategies for inputs are in
grader.lessons.inputs. This module must not know what an exercise is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any
from unittest.mock import patch

from hypothesis import Phase, find, settings
from hypothesis.errors import Flaky, NoSuchExample
from hypothesis.internal.conjecture.providers import HypothesisProvider
from hypothesis.strategies import SearchStrategy, fixed_dictionaries

from etude.lesson.checks import Mismatch
from etude.lesson.interface import Student
from etude.lesson.values import describe, text

EXAMPLES = 60  # inputs that a right answer is tried on
MOST_CALLS = 240  # of a check: what is left after an input went wrong is for making it small
_phases = [Phase.generate, Phase.shrink]


def leave_large() -> None:
    """Makes no input small in this process from now on: where nobody reads it, that is most of the time of a failing check."""
    _phases[:] = [Phase.generate]


def for_all(
    examples: int = EXAMPLES, **strategies: SearchStrategy[Any]
) -> Callable[[Callable[..., None]], Callable[[Student], None]]:
    """Runs a check `test_…(student, …)` on inputs drawn from the strategies, which go by its arguments' names.

    The check so marked raises Mismatch with the smallest input on which it fails or ends in an error.

    Args:
        examples: how many inputs are drawn at most.
    """

    def wrap(check: Callable[..., None]) -> Callable[[Student], None]:
        def on_drawn_inputs(student: Student) -> None:
            search = _Search(check, student)
            chosen = settings(max_examples=examples, database=None, deadline=None, phases=_phases)
            draw = Random(f"{check.__name__} {student.input_seed}")
            # Hypothesis also draws constants that it finds in whatever modules happen to be loaded.
            with suppress(NoSuchExample, Flaky), patch.object(HypothesisProvider, "_maybe_draw_constant", _none):
                find(fixed_dictionaries(strategies), search.fails, settings=chosen, random=draw)
            search.report()

        # Not functools.wraps: pytest would look for fixtures of the inner function's names.
        on_drawn_inputs.__name__, on_drawn_inputs.__doc__ = check.__name__, check.__doc__
        return on_drawn_inputs

    return wrap


def _none(*args: Any, **kwargs: Any) -> None:
    return None


class _Search:
    """The search for a small input on which a check fails."""

    def __init__(self, check: Callable[..., None], student: Student) -> None:
        self.check, self.student = check, student
        self.calls = 0
        self.smallest: tuple[tuple[int, str], Mismatch] | None = None
        self.ended: BaseException | None = None  # what no smaller input could mend

    def fails(self, inputs: dict[str, Any]) -> bool:
        """Tells whether the check fails on these inputs. Raises nothing."""
        if self.ended is not None or self.calls >= MOST_CALLS:
            return False
        self.calls += 1
        given = ", ".join(f"{name} = {describe(value)}" for name, value in inputs.items())
        whole = text(inputs)  # before the student's code has them
        try:
            self.check(self.student, **inputs)
            return False
        except Mismatch as mismatch:
            values = {"actual": mismatch.actual} if mismatch.saw_a_value else {}
            failure = Mismatch(mismatch.detail, given=given, expected=mismatch.expected, drawn=True, **values)
        except (Exception, SystemExit) as error:
            name, message, lines = self.student.explain(error)
            if self.student.final(error) or name == "NotImplementedError":
                self.ended = error
                return False
            failure = Mismatch(f"{name}: {message}\n{lines}".rstrip(), given=given, drawn=True)
        candidate = (len(whole), whole), failure
        if self.smallest is None or candidate[0] < self.smallest[0]:
            self.smallest = candidate
        return True

    def report(self) -> None:
        """Raises the smallest failure, or else the error that ended the search; nothing if there is neither."""
        if self.smallest is not None:
            raise self.smallest[1]
        if self.ended is not None:
            raise self.ended
