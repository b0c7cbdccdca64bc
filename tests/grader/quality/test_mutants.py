"""Mutants: each differs from the reference in one place, has its own label, and is the same at every call."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course
from grader.quality.mutants import mutants, mutants_of

LESSONS = [lesson.id for lesson in Course().lessons()]


def cell(*solution: str, header: str = "def f(a, b, k=1):") -> str:
    """An exercise's cell with this solution."""
    indented = [f"    {line}" for line in ("### BEGIN SOLUTION", *solution, "### END SOLUTION")]
    return "\n".join([header, '    """What f does."""', *indented])


def changes(*solution: str) -> set[str]:
    return {mutant.change for mutant in mutants_of("f", cell(*solution))}


@pytest.mark.parametrize(
    ("solution", "expected"),
    [
        ("return alpha + beta", {"alpha + beta → alpha - beta", "alpha + beta → alpha * beta"}),
        ("return alpha ** beta", {"alpha ** beta → alpha * beta", "alpha ** beta → beta ** alpha"}),
        ("return alpha // beta", {"alpha // beta → alpha / beta", "alpha // beta → beta // alpha"}),
        ("return -a", {"-a → a"}),
        ("a += b", {"a += b → a -= b", "removed a += b"}),
        ("return alpha < beta", {"alpha < beta → alpha <= beta", "alpha < beta → alpha > beta"}),
        ("return alpha >= beta", {"alpha >= beta → alpha > beta", "alpha >= beta → alpha <= beta"}),
        ("return alpha == beta", {"alpha == beta → alpha != beta"}),
        ("return alpha and beta", {"alpha and beta → alpha or beta"}),
        ("return not alpha", {"not alpha → alpha"}),
        ("return f(flag=True)", {"f(flag=True) → f(flag=False)", "f(flag=True) → f()"}),
        ("return 3", {"3 → 4", "3 → 2", "3 → 0"}),
        ("return 0.5", {"0.5 → 1.0", "0.5 → 0.25"}),
        (
            "return x.sum(dim=1)",
            {"x.sum(dim=1) → x.sum(dim=2)", "x.sum(dim=1) → x.sum(dim=0)", "x.sum(dim=1) → x.sum()"},
        ),
        ("return x.sum(-1)", {"x.sum(-1) → x.sum(1)", "x.sum(-1) → x.sum()", "x.sum(-1) → x.mean(-1)"}),
        ("return g(a, b)", {"g(a, b) → g(b, a)"}),
        ("return (a, b)", {"(a, b) → (b, a)"}),
        (
            "return range(a, b)",
            {"range(a, b) → range(b)", "range(a, b) → range(a + 1, b)", "range(a, b) → range(a, b - 1)"},
        ),
        ("return words[i]", {"words[i] → words[i + 1]", "words[i] → words[i - 1]"}),
        ("return words[i:j]", {"words[i:j] → words[:j]", "words[i:j] → words[i:]", "words[i:j] → words[i:j - 1]"}),
        ("return x[:, None]", {"x[:, None] → x[None, :]"}),
        ("return [w for w in a if w in known]", {"w in known → w not in known", "w in known → True"}),
        ("return max(alpha, beta)", {"max(alpha, beta) → min(alpha, beta)"}),
        # What students do from habit.
        ("return best is None", {"best is None → not best"}),
        ("return best is not None", {"best is not None → best"}),
        ("return counts.get(a, 5)", {"counts.get(a, 5) → counts.get(a) or 5"}),
        ("return x.masked_fill(m, -math.inf)", {"x.masked_fill(m, -math.inf) → x.masked_fill(m, -1000.0)"}),
        ("return float('-inf')", {"float('-inf') → -1000.0"}),
        ("b = list(alpha)", {"list(alpha) → alpha"}),
        ("b = alpha.clone()", {"alpha.clone() → alpha"}),
        (
            "return functional.log_softmax(x, dim=1)",
            {"functional.log_softmax(x, dim=1) → functional.softmax(x, dim=1).log()"},
        ),
        ("return functional.logsigmoid(x)", {"functional.logsigmoid(x) → torch.sigmoid(x).log()"}),
        ("return x.logsumexp(dim=1)", {"x.logsumexp(dim=1) → x.exp().sum(dim=1).log()"}),
        ("return torch.logsumexp(x, 1)", {"torch.logsumexp(x, 1) → x.exp().sum(1).log()"}),
        ("b = x - x.max(dim=1)", {"x - x.max(dim=1) → x"}),
        (
            "return len(text), text, text",
            {
                "(len(text), text, text) → (len(text), text.lower(), text)",
                "(len(text), text, text) → (len(text), __import__('unicodedata').normalize('NFC', text), text)",
                "(len(text), text, text) → (len(text.encode()), text, text)",
            },
        ),
        ("for i, x in enumerate(alpha): pass", {"enumerate(alpha) → [(alpha.index(item), item) for item in alpha]"}),
        (
            "b = [w for w in sorted(alpha)]",
            {"sorted(alpha) → list(alpha)", "sorted(alpha) → __import__('itertools').islice(sorted(alpha), 10)"},
        ),
        ("return alpha @ beta", {"alpha @ beta → (alpha @ beta).squeeze()"}),
    ],
)
def test_each_rule_makes_its_mistakes(solution: str, expected: set[str]) -> None:
    assert expected <= changes(solution)


def test_in_a_loss_a_gradient_is_blocked_on_each_path() -> None:
    made = mutants_of("a_loss", cell("return alpha * beta", header="def a_loss(alpha, beta):"))
    assert {"alpha * beta → alpha.detach() * beta", "alpha * beta → alpha * beta.detach()"} <= {m.change for m in made}
    assert not any("detach" in change for change in changes("return alpha * beta"))


def test_statements_are_removed_with_what_stands_in_them() -> None:
    mutant = next(m for m in mutants_of("f", cell("for i in a:", "    b.append(i)", "return b")) if m.line == 1)
    assert mutant.change == "removed for i in a:"
    assert mutant.code == 'def f(a, b, k=1):\n    """What f does."""\n    pass\n    return b'


def test_what_is_given_to_the_student_is_never_changed() -> None:
    given = 'def f(a, k=1):\n    """Doc."""\n    a = a + 1\n    ### BEGIN SOLUTION\n    b = a * 2\n    ### END SOLUTION\n    return b - 3'
    for mutant in mutants_of("f", given):
        assert mutant.line == 1
        assert "a = a + 1" in mutant.code
        assert "return b - 3" in mutant.code
        assert "k=1" in mutant.code


def test_a_label_stays_when_text_above_the_solution_changes() -> None:
    short, long = cell("return a + b"), cell("return a + b", header="def f(a, b,\n      k=1):\n    # a comment")
    assert [m.label for m in mutants_of("f", short)] == [m.label for m in mutants_of("f", long)]


def test_the_same_change_twice_on_a_line_has_two_labels() -> None:
    labels = [mutant.label for mutant in mutants_of("f", cell("return alpha + beta, alpha + beta"))]
    assert "1: alpha + beta → alpha - beta" in labels
    assert "1: alpha + beta → alpha - beta (2)" in labels


expressions = st.recursive(
    st.sampled_from(["a", "b", "1", "0", "2.5", "True", "x[i]", "x[1:]"]),
    lambda inner: st.one_of(
        st.tuples(
            inner, st.sampled_from(["+", "-", "*", "/", "//", "**", "@", "<", "==", "and", "or", "in"]), inner
        ).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda one: f"(-{one})"),
        st.tuples(inner, inner).map(lambda two: f"g({two[0]}, dim={two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}, {two[1]})"),
    ),
    max_leaves=6,
)


@given(expressions)
def test_no_mutant_is_the_reference_or_another_mutant_and_all_compile(expression: str) -> None:
    source = cell(f"c = {expression}", "return c")
    found = mutants_of("f", source)
    codes = [mutant.code for mutant in found]
    assert ast.unparse(ast.parse(source)) not in codes
    assert len(set(codes)) == len(codes)
    assert len({mutant.label for mutant in found}) == len(found)
    for code in codes:
        compile(code, "mutant", "exec")
    assert mutants_of("f", source) == found


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_has_mutants_and_every_mutant_its_label(course: Course, lesson: str) -> None:
    from grader.lessons import source

    found = mutants(course.lesson(lesson))
    assert {mutant.exercise for mutant in found} == set(source.exercises(source.read(course.lesson(lesson))))
    assert len({(mutant.exercise, mutant.label) for mutant in found}) == len(found)
