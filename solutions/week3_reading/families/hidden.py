"""Family trees: hidden checks, the key of cards and edges, and the metrics that the grader computes itself. Never released."""

import itertools
import random
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import networkx as nx
import torch
from hypothesis.strategies import DrawFn, SearchStrategy, booleans, composite, integers, lists, sampled_from
from torch import Tensor

from etude.lesson.checks import claim, close, equal, exercise, refused, true
from etude.lesson.interface import Student
from grader.grading.artifacts import Artifacts
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

NAMES = ["Adam", "adam", "AdaGrad", "C++", "word2vec 2", "é", "e\u0301", "눈", "GPT-2", "a, b/c"]
DATES = ["2012", "2013", "2012-01", "2012-12", "2012-09", "2012-10", "2013-01", "1999-12"]


def some_graph(seed: int, size: int = 12, share: float = 0.25) -> tuple[dict[str, set[str]], nx.DiGraph]:
    """A random graph without circles, {name: set of parents}; and the same for networkx, with edges from parent to child."""
    chance = random.Random(seed)
    names = [f"p{i}" for i in range(size)]
    chance.shuffle(names)
    graph = {name: {above for above in names[:i] if chance.random() < share} for i, name in enumerate(names)}
    oracle = nx.DiGraph()
    oracle.add_nodes_from(names)
    oracle.add_edges_from((above, name) for name in names for above in graph[name])
    return {name: graph[name] for name in chance.sample(names, size)}, oracle


@composite
def graphs(draw: DrawFn, circles: bool = False) -> dict[str, set[str]]:
    """Graphs of one to six names, in any order; with circles only if asked for."""
    names = draw(lists(sampled_from(NAMES), min_size=1, max_size=6, unique=True))
    graph = {
        name: set(draw(lists(sampled_from(names if circles else names[:i]), max_size=3))) if circles or i else set()
        for i, name in enumerate(names)
    }
    order = draw(sampled_from([1, -1]))
    return {name: graph[name] for name in sorted(names)[::order]} if draw(booleans()) else graph


def dates() -> SearchStrategy[list[str]]:
    """Dates for the names of NAMES, in order."""
    return lists(sampled_from(DATES), min_size=len(NAMES), max_size=len(NAMES))


def above(graph: Mapping[str, AbstractSet[str]], name: str) -> set[str]:
    """All ancestors, by going over all edges until nothing new comes."""
    found = set(graph[name])
    while more := {parent for one in found for parent in graph[one]} - found:
        found |= more
    return found


@exercise("parents")
@for_all(graph=graphs(circles=True), lost=sampled_from(["", "", "Sgd", "Ada", "눈눈", "ADAM"]), where=integers(0, 5))
def test_any_table_has_its_graph_or_a_name_without_a_row(
    student: Student, graph: dict[str, set[str]], lost: str, where: int
) -> None:
    rows = [(name, ";".join(sorted(parents))) for name, parents in graph.items()]
    equal(list(student.parents(rows).items()), list(graph.items()))
    if lost:
        child, parents = rows[where % len(rows)]
        rows[where % len(rows)] = child, ";".join([lost, *([parents] if parents else [])])
        refused(student.parents, rows, word=lost, why=f"{lost} has no row of its own")


@exercise("parents")
def test_long_tables_agree_with_networkx(student: Student) -> None:
    for seed in range(3):
        graph, oracle = some_graph(seed)
        found = student.parents([(name, ";".join(sorted(above))) for name, above in graph.items()])
        equal(found, {name: set(oracle.predecessors(name)) for name in graph}, given=graph)


@exercise("parents", points=0.5)
def test_many_parents_and_many_rows_are_all_looked_at(student: Student) -> None:
    names = [f"{letter}{i}" for i in range(20) for letter in "Pp"]
    rows = [*((name, "") for name in names), ("child", ";".join(names))]
    equal(student.parents(rows), {name: set() for name in names} | {"child": set(names)}, given="a child of 40 parents")
    for i in range(8):
        late = [*rows, ("late", ";".join([*names, f"lost{i}"]))]
        given = f"the same, and a child of these 40 and of lost{i}"
        refused(student.parents, late, word=f"lost{i}", why=f"lost{i} has no row of its own", given=given)


@exercise("parents", points=0.5, needs="test_each_name_has_the_set_of_its_parents")
def test_a_table_without_rows_is_a_graph_without_names(student: Student) -> None:
    equal(student.parents([]), {}, given="no rows")
    equal(student.parents([("SGD", "")]), {"SGD": set()}, given="one row, without parents")


@exercise("parents", points=0.5)
def test_names_are_taken_as_they_are(student: Student) -> None:
    letters = "\u1112\u1161\u11ab"  # 한 of three letters, which look like the one syllable
    rows = [("word2vec 2", ""), (letters, ""), ("loop", "loop"), ("child", f"word2vec 2;{letters}")]
    expected = {"word2vec 2": set(), letters: set(), "loop": {"loop"}, "child": {"word2vec 2", letters}}
    equal(student.parents(rows), expected, given=rows)
    for name in ("word2vec", "한"):
        late = [*rows, ("late", name)]
        refused(student.parents, late, word=name, why=f"{name} has no row, only a name like it", given=late)


@exercise("against_time")
@for_all(graph=graphs(circles=True), dated=dates())
def test_any_dates_are_compared_as_far_as_both_are_known(
    student: Student, graph: dict[str, set[str]], dated: list[str]
) -> None:
    when = dict(zip(NAMES, dated, strict=True))
    first = {name: f"{date}-01"[:7] for name, date in when.items()}
    last = {name: f"{date}-12"[:7] for name, date in when.items()}
    expected = sorted((parent, child) for child in graph for parent in graph[child] if first[parent] > last[child])
    equal(student.against_time(when, graph), expected)


@exercise("against_time")
def test_many_dates_agree_with_intervals(student: Student) -> None:
    chance = random.Random(1)
    for _ in range(5):
        dates = {
            f"p{i}": chance.choice(["2018", "2019", "2018-03", "2018-11", "2019-02", "2019-07"]) for i in range(14)
        }
        graph = {name: set(chance.sample(sorted(set(dates) - {name}), chance.choice([2, 12]))) for name in dates}

        def months(date: str) -> tuple[int, int]:
            year, _, month = date.partition("-")
            return (
                int(year) * 12 + int(month or 1),
                int(year) * 12 + int(month or 12),
            )  # the first and the last possible

        wrong = [(a, b) for b, above in graph.items() for a in above if months(dates[a])[0] > months(dates[b])[1]]
        equal(student.against_time(dates, graph), sorted(wrong), given=[dates, graph])


@exercise("against_time", points=0.5, needs="test_a_parent_that_is_later_than_its_child_is_reported")
def test_without_edges_none_is_against_time(student: Student) -> None:
    equal(student.against_time({}, {}), [], given="no names")
    equal(student.against_time({"a": "2012", "b": "2011-01"}, {"b": set(), "a": set()}), [], given="two names, no edges")
    equal(student.against_time({"a": "2012", "b": "2011"}, {"b": {"b"}}), [], given="b is its own parent, a has no row")


@exercise("ancestors")
@for_all(graph=graphs(circles=True), which=integers(0, 5))
def test_any_graph_with_circles_or_without_agrees_with_going_over_all_edges(
    student: Student, graph: dict[str, set[str]], which: int
) -> None:
    name = list(graph)[which % len(graph)]
    equal(student.ancestors(graph, name), above(graph, name))


@exercise("ancestors")
def test_larger_graphs_agree_with_networkx(student: Student) -> None:
    for seed in range(4):
        graph, oracle = some_graph(seed, share=0.2)
        handle = student.put({name: set(above) for name, above in graph.items()})
        for name in graph:
            equal(student.ancestors(handle, name), nx.ancestors(oracle, name), given=[graph, name])
        equal(student.value(handle), graph, given="the graph, after it was asked")


@exercise("ancestors", points=0.5)
def test_a_long_line_and_a_name_that_is_its_own_parent(student: Student) -> None:
    line: dict[str, set[str]] = {f"p{i}": {f"p{i - 1}"} if i else {"p0"} for i in range(60)}
    equal(student.ancestors(line, "p59"), {f"p{i}" for i in range(59)}, given="p0, its own parent, to p59, in a line")
    equal(student.ancestors(line, "p0"), {"p0"}, given="p0 is its own parent")
    wide: dict[str, set[str]] = {f"root{i}": set() for i in range(40)} | {f"p{i}": {f"root{i}"} for i in range(40)}
    wide["child"] = {f"p{i}" for i in range(40)}
    equal(student.ancestors(wide, "child"), set(wide) - {"child"}, given="40 parents, each with a parent of its own")


@exercise("common_ancestors")
@for_all(graph=graphs(), which=lists(integers(0, 5), min_size=2, max_size=2))
def test_any_two_names_have_their_nearest_in_common(
    student: Student, graph: dict[str, set[str]], which: list[int]
) -> None:
    one, other = (list(graph)[i % len(graph)] for i in which)
    both = (above(graph, one) | {one}) & (above(graph, other) | {other})
    nearest = {name for name in both if not any(name in above(graph, below) for below in both)}
    equal(student.common_ancestors(graph, one, other), nearest)


@exercise("common_ancestors")
def test_all_pairs_agree_with_networkx(student: Student) -> None:
    for seed in range(3):
        graph, oracle = some_graph(seed, size=9, share=0.3)
        for one, other in itertools.combinations(sorted(graph), 2):
            both = (nx.ancestors(oracle, one) | {one}) & (nx.ancestors(oracle, other) | {other})
            nearest = {name for name in both if not nx.descendants(oracle, name) & both}
            equal(student.common_ancestors(graph, one, other), nearest, given=[graph, one, other])


@exercise("common_ancestors", points=0.5)
def test_of_many_common_ancestors_only_the_nearest_are_left(student: Student) -> None:
    graph: dict[str, set[str]] = {f"root{i}": set() for i in range(24)}
    near = {f"near{i}": {f"root{i}"} for i in range(11)} | {"near11": {f"root{i}" for i in range(11, 24)}}
    graph |= near | {"one": set(near), "other": set(near)}
    given = "two names with twelve parents in common, eleven of which have a parent each and the last has 13"
    equal(student.common_ancestors(graph, "one", "other"), set(near), given=given)


def in_order(graph: Mapping[str, AbstractSet[str]], when: Mapping[str, str]) -> list[str] | None:
    """Step by step the earliest of those whose parents all stand; None where there is a circle."""
    found: list[str] = []
    while len(found) < len(graph):
        free = sorted((when[name], name) for name in graph if name not in found and graph[name] <= set(found))
        if not free:
            return None
        found.append(free[0][1])
    return found


@exercise("reading_order")
@for_all(
    graph=graphs() | graphs(circles=True),
    dated=dates() | lists(sampled_from(["", "2012"]), min_size=len(NAMES), max_size=len(NAMES)),
)
def test_any_graph_has_its_order_or_a_circle(student: Student, graph: dict[str, set[str]], dated: list[str]) -> None:
    when = dict(zip(NAMES, dated, strict=True))
    expected = in_order(graph, when)
    try:
        found = student.reading_order(graph, when)
    except ValueError as error:
        true(expected is None, "there is no circle", actual=str(error))
        true("circle" in str(error), 'the error has the word "circle"', actual=str(error))
    else:
        true(expected is not None, "ValueError was expected: there is a circle", actual=found)
        equal(found, expected)


@exercise("reading_order")
def test_larger_graphs_agree_with_networkx_order(student: Student) -> None:
    for seed in range(4):
        graph, oracle = some_graph(seed)
        chance = random.Random(seed)
        dates = {name: chance.choice(["2017", "2018-01", "2018-10", "2019"]) for name in sorted(graph)}
        handle = student.put({name: set(above) for name, above in graph.items()})
        expected = list(nx.lexicographical_topological_sort(oracle, key=lambda name, d=dates: (d[name], name)))
        equal(student.reading_order(handle, dates), expected, given=[graph, dates])
        equal(student.value(handle), graph, given="the graph, after it was asked")


@exercise("reading_order", points=0.5)
def test_dates_are_compared_as_strings(student: Student) -> None:
    dates = {"a": "2018-03", "b": "2018", "c": "2017-12"}
    equal(student.reading_order({name: set() for name in dates}, dates), ["c", "b", "a"], given=dates)


@exercise("reading_order", points=0.5, needs="test_the_earliest_comes_first_and_then_the_alphabet")
def test_long_lines_and_large_circles(student: Student) -> None:
    line = {f"p{i}": {f"p{i + 1}"} for i in range(59)} | {"p59": set()}
    dates = {f"p{i}": f"{1951 + i}" for i in range(60)} | {"alone": "2000"}
    expected = ["alone", *(f"p{i}" for i in reversed(range(60)))]
    equal(student.reading_order(line | {"alone": set()}, dates), expected, given="a line of 60, the oldest last, and one alone of 2000")
    ring = line | {"p59": {"p0"}, "alone": set()}
    given = "a circle of 60, and one alone"
    refused(student.reading_order, ring, dates, word="circle", why="the 60 lie on a circle", given=given)


@exercise("reading_order", points=0.5)
def test_who_is_its_own_parent_is_a_circle_and_no_names_are_no_order(student: Student) -> None:
    equal(student.reading_order({}, {}), [], given="no names")
    graph, dates = {"a": set(), "b": {"b"}}, {"a": "2000", "b": "2001"}
    refused(student.reading_order, graph, dates, word="circle", why="b is its own parent", given=[graph, dates])


def remembered(memory: Tensor, numbers: list[Tensor], fade: float, share: float) -> Tensor:
    """Gives what a memory holds after these numbers: of each its share, faded once for every number behind it."""
    last = len(numbers) - 1
    return fade ** len(numbers) * memory + sum(share * fade ** (last - i) * one for i, one in enumerate(numbers))


def weights_after(
    weights: Tensor,
    gradients: list[Tensor],
    state: tuple[int, Tensor, Tensor],
    *,
    lr: float,
    momentum: str,
    scale: str,
    correct: bool,
    decay: str,
    strength: float,
    beta1: float,
    beta2: float,
    eps: float,
) -> list[Tensor]:
    """Gives the weights after each step, from sums over all gradients so far: no memory goes from step to step."""
    before, m, v = state
    seen: list[Tensor] = []  # the gradients that the parts see
    found = [weights]
    for gradient in gradients:
        weights = found[-1]
        seen.append(gradient + strength * weights if decay == "coupled" else gradient)
        squares, t = [g**2 for g in seen], before + len(seen)
        direction = seen[-1]
        if momentum != "none":
            direction = remembered(m, seen, beta1, 1 - beta1 if momentum == "mean" else 1)
        if correct and momentum == "mean":
            direction = direction / (1 - beta1**t)
        if scale != "none":
            square = remembered(v, squares, *((beta2, 1 - beta2) if scale == "mean" else (1, 1)))
            square = square / (1 - beta2**t) if correct and scale == "mean" else square
            direction = direction / (square.sqrt() + eps)
        found.append(weights - lr * direction - (lr * strength * weights if decay == "decoupled" else 0))
    return found[1:]


@claim("adam-parts")
@exercise("step", points=0.5)
def test_every_mixture_of_parts_agrees_with_the_equations(student: Student) -> None:
    chance = torch.Generator().manual_seed(3)
    numbers: dict[str, Any] = {"lr": 0.05, "strength": 0.2, "beta1": 0.8, "beta2": 0.95, "eps": 1e-2}
    kinds, decays = ("none", "sum", "mean"), ("none", "coupled", "decoupled")
    for momentum, scale, decay, correct in itertools.product(kinds, kinds, decays, (False, True)):
        gradients = torch.randn(3, 4, generator=chance, dtype=torch.float64)
        found = torch.randn(4, generator=chance, dtype=torch.float64)
        state = 0, torch.zeros(4).double(), torch.zeros(4).double()
        switches: dict[str, Any] = {"momentum": momentum, "scale": scale, "correct": correct, "decay": decay}
        expected = weights_after(found, list(gradients), state, **switches, **numbers)
        for t, gradient in enumerate(gradients):
            found, state = student.step(found, gradient, state, **switches, **numbers)
            close(found, expected[t], given=f"{switches}, after step {t + 1}", rtol=1e-9, atol=1e-12)


@composite
def some_steps(draw: DrawFn) -> tuple[Tensor, list[Tensor], tuple[int, Tensor, Tensor], dict[str, Any]]:
    """Draws weights, the gradients of one to three steps, a state before them, and settings; many coordinates are 0."""
    width, steps = draw(integers(1, 3)), draw(integers(0, 11))
    vectors = lists(sampled_from([0.0]) | inputs.numbers(), min_size=width, max_size=width).map(_doubles)
    m, v = (draw(vectors) if steps else _doubles([0.0] * width) for _ in range(2))
    kinds, betas = sampled_from(["none", "sum", "mean"]), sampled_from([0.875, 0.5, 0.0])
    settings = {
        "lr": draw(sampled_from([0.5, 1.0, 0.125])),
        "momentum": draw(kinds),
        "scale": draw(kinds),
        "correct": draw(booleans()),
        "decay": draw(sampled_from(["none", "coupled", "decoupled"])),
        "strength": draw(sampled_from([0.5, 0.125, 0.0])),
        "beta1": draw(betas),
        "beta2": draw(betas),
        "eps": draw(sampled_from([0.125, 1.0])),
    }
    return draw(vectors), draw(lists(vectors, min_size=1, max_size=3)), (steps, m, v.abs()), settings


def _doubles(numbers: list[float]) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


@exercise("step", points=0.5)
@for_all(drawn=some_steps())
def test_any_steps_from_any_state_agree_with_sums_over_all_gradients(
    student: Student, drawn: tuple[Tensor, list[Tensor], tuple[int, Tensor, Tensor], dict[str, Any]]
) -> None:
    found, gradients, state, settings = drawn
    expected = weights_after(found, gradients, state, **settings)
    for t, gradient in enumerate(gradients):
        found, state = student.step(found, gradient, state, **settings)
        close(found, expected[t], rtol=1e-6, atol=1e-9)
        equal(int(state[0]), drawn[2][0] + t + 1)


@exercise("step", points=0.5, needs="test_both_means_with_correction_are_torchs_adam")
def test_weights_gradient_and_memories_are_not_changed_in_place(student: Student) -> None:
    values = [torch.tensor([1.0, 2.0]).double(), torch.tensor([0.5, -1.0]).double(), torch.ones(2).double()]
    weights, gradient, m, v = (student.put(x.clone()) for x in (*values, values[2]))
    switches = {"momentum": "mean", "scale": "mean", "correct": True, "strength": 0.1}
    for decay in ("coupled", "decoupled"):
        student.step(weights, gradient, (3, m, v), lr=0.1, decay=decay, **switches)
        for handle, value, name in (
            (weights, values[0], "weights"),
            (gradient, values[1], "gradient"),
            (m, values[2], "m"),
            (v, values[2], "v"),
        ):
            close(student.value(handle), value, given=f"{name}, after the step")


@exercise("step", points=0.5)
def test_every_step_counts_and_memories_roll_on(student: Student) -> None:
    values = [torch.tensor([1.0, -2.0]).double() for _ in range(3)]
    zero = torch.zeros(2).double()
    weights, (t, m, _) = student.step(values[0], zero, (4, values[1], zero), lr=0.1, momentum="mean", beta1=0.5)
    equal(int(t), 5, given="the fifth step, without correction")
    close(weights, [0.95, -1.9], given="a gradient of 0, m = [1, −2], lr = 0.1, beta1 = 0.5")
    close(m, [0.5, -1.0], given="m after a gradient of 0")


@exercise("step", points=0.5, needs="test_both_means_with_correction_are_torchs_adam")
def test_adam_goes_on_after_many_steps(student: Student) -> None:
    weights, gradient, m, v = (torch.tensor(x).double() for x in ([1.0, 2.0], [0.5, 0.0], [0.25, -0.5], [0.01, 0.04]))
    for t in (9, 99, 999, 10**6):
        after, (steps, *_) = student.step(
            weights, gradient, (t, m, v), lr=0.1, momentum="mean", scale="mean", correct=True, eps=1e-3
        )
        first, second = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
        step = (first / (1 - 0.9 ** (t + 1))) / ((second / (1 - 0.999 ** (t + 1))).sqrt() + 1e-3)
        given = f"Adam after {t} steps: w = [1, 2], g = [0.5, 0], m = [0.25, −0.5], v = [0.01, 0.04], lr 0.1, eps 0.001"
        close(after, weights - 0.1 * step, given=given, rtol=1e-9)
        equal(int(steps), t + 1, given=given)


@exercise("step", points=0.5, needs="test_a_sum_of_squares_is_torchs_adagrad")
def test_where_the_gradient_is_0_a_scale_moves_nothing(student: Student) -> None:
    weights, gradient, zero = (torch.tensor(x).double() for x in ([1.0, -2.0, 3.0], [0.0, 1e-12, 4.0], [0.0, 0.0, 0.0]))
    for switches in ({"scale": "sum"}, {"scale": "mean"}, {"momentum": "mean", "scale": "mean", "correct": True}):
        after, _ = student.step(weights, gradient, (0, zero, zero), lr=0.5, **switches)
        square = gradient**2 if "correct" in switches or switches["scale"] == "sum" else 0.001 * gradient**2
        given = f"w = [1, −2, 3], g = [0, 10⁻¹², 4], the first step, lr ½, {switches}"
        close(after, weights - 0.5 * gradient / (square.sqrt() + 1e-8), given=given, rtol=1e-7)


@exercise("step", points=0.5, needs="test_without_parts_it_is_sgd")
def test_settings_of_0_are_settings_too(student: Student) -> None:
    weights, gradient, m, v = (torch.tensor(x).double() for x in ([2.0], [3.0], [7.0], [5.0]))
    after, (t, found, _) = student.step(weights, gradient, (6, m, v), lr=0.5, momentum="mean", correct=True, beta1=0.0)
    close([*after, *found, t], [0.5, 3.0, 7], given="w = 2, g = 3, m = 7, six steps before, lr ½, beta1 = 0, corrected")
    after, (_, _, found) = student.step(
        weights, gradient, (6, m, v), lr=0.5, scale="mean", correct=True, beta2=0.0, eps=0.0
    )
    close(
        [*after, *found], [1.5, 9.0], given="w = 2, g = 3, v = 5, six steps before, lr ½, beta2 = 0, eps = 0, corrected"
    )
    after, (_, found, _) = student.step(
        weights, gradient, (0, m, v), lr=0.0, momentum="sum", decay="coupled", strength=0.5
    )
    close([*after, *found], [2.0, 0.9 * 7 + 4], given="w = 2, g = 3, m = 7, lr 0, coupled decay ½")
    for decay in ("coupled", "decoupled"):
        after, _ = student.step(weights, gradient, (0, m, v), lr=0.5, decay=decay, strength=0.0)
        close(after, [0.5], given=f"w = 2, g = 3, lr ½, {decay} decay of strength 0")


@composite
def _sights(draw: DrawFn) -> tuple[int, dict[int, set[int]]]:
    """How many tokens there are, and what each prediction sees; some tokens may not be predicted."""
    length = draw(integers(1, 4))
    left_out = draw(sampled_from([[], [], [], [0], [length - 1], [length // 2], [0, 1]]))
    order = draw(lists(integers(0, length - 1), min_size=length, max_size=length, unique=True))
    sees = {}
    for i, position in enumerate(order):
        before = draw(lists(sampled_from([*order[:i], order[i]] if i else [order[0]]), max_size=3)) if i else []
        sees[position] = set(before) - {position}
    for i, j in draw(lists(lists(integers(0, length - 1), min_size=2, max_size=2), max_size=1)):
        sees[i] = sees[i] | {j}
    return length, {position: seen for position, seen in sees.items() if position not in left_out}


@exercise("reading")
@for_all(drawn=_sights())
def test_any_way_to_see_some_tokens_agrees_with_trying_every_order(
    student: Student, drawn: tuple[int, dict[int, set[int]]]
) -> None:
    length, sees = drawn
    orders = itertools.permutations(range(length))
    good = any(all(sees.get(i, {i}) <= set(order[: order.index(i)]) for i in range(length)) for order in orders)
    equal(student.reading(length, sees), "AR" if good else "AE")


@exercise("reading")
def test_all_ways_to_see_three_tokens_agree_with_trying_every_order(student: Student) -> None:
    chance = random.Random(5)
    cells = [(i, j) for i in range(3) for j in range(3)]
    for _ in range(40):
        seen = set(chance.sample(cells, chance.randint(0, 4)))
        sees = {i: {j for k, j in seen if k == i} for i in range(3)}
        orders = itertools.permutations(range(3))
        good = any(all(o.index(j) < o.index(i) for i, j in seen) for o in orders)
        equal(student.reading(3, sees), "AR" if good else "AE", given=sees)


@exercise("reading", points=0.5, needs="test_left_to_right_is_autoregressive_and_hidden_tokens_are_not")
def test_a_circle_may_have_any_length_and_lie_anywhere(student: Student) -> None:
    for length in (4, 5, 8, 40):
        ring = {i: {(i + 1) % length} for i in range(length)}
        equal(student.reading(length, ring), "AE", given=f"{length} tokens, each from the next one, in a circle")
        equal(student.reading(length, ring | {2: set()}), "AR", given=f"{length} tokens, each from the next one, number 2 from none")
        longer = {i + 3: {j + 3 for j in seen} for i, seen in ring.items()} | {0: set(), 1: {0}, 2: {0, 1}}
        given = f"three tokens from left to right, then {length}, each from the next one, in a circle"
        equal(student.reading(length + 3, longer), "AE", given=given)
    equal(student.reading(5, {i: set() for i in range(5)}), "AR", given="five tokens, each from none")
    equal(student.reading(5, {4: {0}, 3: {0}, 2: {0}, 1: {0}, 0: set()}), "AR", given="five tokens, all others from the first")
    equal(student.reading(5, {i: {4} for i in range(5)}), "AE", given="five tokens, each from the last, which sees itself")


@exercise("reading", points=0.5)
def test_a_text_of_which_not_all_is_predicted_is_autoencoding(student: Student) -> None:
    equal(student.reading(3, {0: set(), 1: {0}}), "AE", given="the first two of three tokens, left to right")
    equal(student.reading(1, {0: set()}), "AR", given="one token, predicted from nothing")
    equal(student.reading(3, {1: {0}, 2: {0, 1}}), "AE", given="the last two of three tokens, left to right")
    equal(student.reading(3, {0: set(), 2: {0, 1}}), "AE", given="the first and the last of three tokens")
    for length in (12, 60):
        sees = {i: set(range(i)) for i in range(length)}
        equal(student.reading(length, sees), "AR", given=f"{length} tokens, left to right")
        equal(
            student.reading(length, sees | {0: {length - 1}}), "AE", given=f"{length} tokens, the first from the last"
        )
        left_out = {i: seen for i, seen in sees.items() if i != 10}
        equal(student.reading(length, left_out), "AE", given=f"{length} tokens, left to right, without number 10")


# The key of the cards: the halves and readings that are right, the tasks that must be there, those that may be.

ENCODER, DECODER = {"encoder"}, {"decoder"}
CARDS = {
    "Transformer": ({"both"}, {"AR"}, {"translation"}, set()),
    "GPT": (DECODER, {"AR"}, {"next token"}, set()),
    "BERT": (ENCODER, {"AE"}, {"masked tokens", "next sentence"}, set()),
    "Transformer-XL": (DECODER, {"AR"}, {"next token"}, set()),
    "GPT-2": (DECODER, {"AR"}, {"next token"}, set()),
    "XLNet": ({"encoder", "decoder", "both"}, {"AR"}, {"permuted order"}, {"next token"}),
    "RoBERTa": (ENCODER, {"AE"}, {"masked tokens"}, set()),
    "TinyBERT": (ENCODER, {"AE"}, {"teacher"}, set()),
    "ALBERT": (ENCODER, {"AE"}, {"masked tokens", "sentence order"}, set()),
    "DistilBERT": (ENCODER, {"AE"}, {"masked tokens", "teacher"}, set()),
    "T5": ({"both"}, {"both"}, {"masked spans"}, {"translation"}),
    "KoBERT": (ENCODER, {"AE"}, {"masked tokens"}, {"next sentence"}),  # its makers do not say whether
    "ELECTRA": (ENCODER, {"AE"}, {"replaced tokens"}, {"masked tokens"}),  # the generator's task may be named or not
    "KoELECTRA": (ENCODER, {"AE"}, {"replaced tokens"}, {"masked tokens"}),
    "GPT-3": (DECODER, {"AR"}, {"next token"}, set()),
    "KR-BERT": (ENCODER, {"AE"}, {"masked tokens"}, {"next sentence"}),
}


def card_facts(cards: Mapping[str, tuple[str, str, set[str]]]) -> int:
    """How many of the 48 facts are right; cards: {name: (half, reading, tasks)}."""
    count = 0
    for name, (halves, ways, needed, free) in CARDS.items():
        half, way, tasks = cards.get(name, ("", "", set()))
        count += (half in halves) + (way in ways) + (needed <= set(tasks) <= needed | free)
    return count


def at_least_facts(student: Student, least: float) -> None:
    found = card_facts(student.cards())
    true(found >= least, f"{least} of the 48 facts are asked for, {found} are right")


@exercise("cards")
def test_36_of_the_48_facts_are_right(student: Student) -> None:
    at_least_facts(student, 36)


@exercise("cards")
def test_42_of_the_48_facts_are_right(student: Student) -> None:
    at_least_facts(student, 42)


@exercise("cards")
def test_46_of_the_48_facts_are_right(student: Student) -> None:
    at_least_facts(student, 46)


@exercise("cards", points=0.5)
def test_bert_is_the_encoder_and_the_gpts_are_the_decoder(student: Student) -> None:
    found = student.cards()
    halves = [found[name][0] for name in ("BERT", "GPT", "GPT-2", "GPT-3")]
    true(halves == ["encoder", "decoder", "decoder", "decoder"], "the halves of BERT and the three GPTs", actual=halves)


@exercise("cards", points=0.5)
def test_electra_is_no_gan(student: Student) -> None:
    tasks = [sorted(student.cards()[name][2]) for name in ("ELECTRA", "KoELECTRA")]
    true(
        not any("adversarial" in names for names in tasks),
        "ELECTRA's generator is trained by maximum likelihood: no gradient reaches it from the discriminator",
        actual=tasks,
    )


@exercise("cards", points=0.5)
def test_xlnet_is_autoregressive(student: Student) -> None:
    card = student.cards()["XLNet"]
    true(
        card[1] == "AR" and "permuted order" in card[2],
        "XLNet predicts in a drawn order, one after another",
        actual=[card[1], sorted(card[2])],
    )


@exercise("cards", points=0.5)
def test_the_second_task_of_bert_roberta_and_albert(student: Student) -> None:
    found = student.cards()
    second = {"next sentence", "sentence order"}
    tasks = [sorted(found[name][2] & second) for name in ("BERT", "RoBERTa", "ALBERT")]
    true(
        tasks == [["next sentence"], [], ["sentence order"]],
        "what BERT, RoBERTa and ALBERT do with pairs of segments",
        actual=tasks,
    )


@exercise("cards", points=0.5)
def test_distilled_models_have_a_teacher_and_t5_both_halves(student: Student) -> None:
    found = student.cards()
    actual = ["teacher" in found["DistilBERT"][2], "teacher" in found["TinyBERT"][2], found["T5"][0], found["T5"][1]]
    true(actual == [True, True, "both", "both"], "who has a teacher; half and reading of T5", actual=actual)


@exercise("cards", points=0.5)
def test_distilbert_guesses_masked_tokens_too_and_a_translation_is_written_left_to_right(student: Student) -> None:
    found = student.cards()
    actual = [sorted(found["DistilBERT"][2]), found["Transformer"][1]]
    true(actual == [["masked tokens", "teacher"], "AR"], "DistilBERT's tasks; the Transformer's reading", actual=actual)


def wholly_right(student: Student, *names: str) -> None:
    """Compares all three facts of these models with the key."""
    found = student.cards()
    wrong = {}
    for name in names:
        (halves, ways, needed, free), (half, way, tasks) = CARDS[name], found[name]
        if half not in halves or way not in ways or not needed <= set(tasks) <= needed | free:
            wrong[name] = [half, way, *sorted(tasks)]
    true(not wrong, f"all facts of {', '.join(names)} are asked for; of these one is not right", actual=wrong)


@exercise("cards", points=0.5)
def test_the_cards_of_the_transformer_t5_and_transformer_xl(student: Student) -> None:
    wholly_right(student, "Transformer", "T5", "Transformer-XL")


@exercise("cards", points=0.5)
def test_the_cards_of_the_gpts_and_xlnet(student: Student) -> None:
    wholly_right(student, "GPT", "GPT-2", "GPT-3", "XLNet")


@exercise("cards", points=0.5)
def test_the_cards_of_bert_roberta_albert_and_electra(student: Student) -> None:
    wholly_right(student, "BERT", "RoBERTa", "ALBERT", "ELECTRA")


@exercise("cards", points=0.5)
def test_the_cards_of_small_and_of_korean_models(student: Student) -> None:
    wholly_right(student, "DistilBERT", "TinyBERT", "KoBERT", "KR-BERT", "KoELECTRA")


# The key of the tree: expected edges with the words that are right, and edges that are accepted.

MODEL, PIECES = {"model", "encoder"}, {"tokenizer"}
EXPECTED = {
    ("LSA", "GloVe"): ({"counts", "model"}, {"objective", "architecture"}),
    ("word2vec", "fastText"): ({"model"}, {"units"}),
    ("LSTM", "seq2seq"): ({"model"}, {"architecture", "objective"}),
    ("LSTM", "ELMo"): ({"model"}, {"objective", "architecture"}),
    ("attention", "GNMT"): ({"attention", "model"}, {"size", "architecture", "training"}),
    ("WordPiece", "GNMT"): (PIECES, {"nothing", "training"}),
    ("attention", "Transformer"): ({"attention"}, {"architecture"}),
    ("BPE", "SentencePiece"): ({"tokenizer", "model"}, {"nothing", "units", "architecture"}),
    ("unigram LM", "SentencePiece"): ({"tokenizer", "model"}, {"nothing", "units", "architecture"}),
    ("Transformer", "GPT"): ({"decoder"}, {"objective"}),
    ("Transformer", "BERT"): ({"encoder"}, {"objective"}),
    ("WordPiece", "BERT"): (PIECES, {"nothing"}),
    ("Transformer", "Transformer-XL"): ({"decoder", "model"}, {"architecture"}),
    ("Transformer", "T5"): ({"encoder and decoder", "model"}, {"objective", "training"}),
    ("SentencePiece", "T5"): (PIECES, {"nothing"}),
    ("GPT", "GPT-2"): ({"model", "decoder"}, {"size", "training"}),
    ("BPE", "GPT-2"): (PIECES, {"units"}),
    ("GPT-2", "GPT-3"): ({"model", "decoder"}, {"size"}),
    ("Transformer-XL", "XLNet"): ({"model"}, {"objective"}),
    ("BERT", "RoBERTa"): (MODEL, {"training", "objective"}),
    ("BERT", "ALBERT"): (MODEL, {"sharing", "objective"}),
    ("BERT", "ELECTRA"): (MODEL, {"objective"}),
    ("BERT", "DistilBERT"): (MODEL, {"distillation"}),
    ("BERT", "TinyBERT"): (MODEL, {"distillation"}),
    ("BERT", "ERNIE"): (MODEL, {"knowledge"}),
    ("BERT", "KagNet"): (MODEL, {"knowledge"}),
    ("BERT", "KoBERT"): (MODEL, {"language"}),
    ("SentencePiece", "KoBERT"): (PIECES, {"nothing", "language"}),
    ("BERT", "KR-BERT"): (MODEL, {"language", "units"}),  # Korean; and its pieces are cut from sub-characters, too
    ("ELECTRA", "KoELECTRA"): (MODEL, {"language"}),
}
ACCEPTED = {
    *(("word2vec", child) for child in ("GloVe", "ELMo")),
    *(("LSTM", child) for child in ("attention", "GNMT", "KagNet")),
    *(("seq2seq", child) for child in ("attention", "GNMT", "Transformer")),
    *((parent, "Transformer") for parent in ("GNMT", "BPE", "WordPiece")),
    *((parent, "GPT") for parent in ("ELMo", "BPE")),
    *((parent, "BERT") for parent in ("ELMo", "GPT")),
    *((parent, "XLNet") for parent in ("BERT", "SentencePiece", "Transformer")),
    *((parent, "RoBERTa") for parent in ("GPT-2", "BPE")),
    *((parent, "T5") for parent in ("BERT", "GPT")),
    *(("WordPiece", child) for child in ("ELECTRA", "KoELECTRA", "KR-BERT", "DistilBERT", "TinyBERT", "ERNIE")),
    *((("SentencePiece", "ALBERT"), ("BPE", "GPT-3"), ("BPE", "KR-BERT"), ("GPT", "KagNet"), ("BERT", "KoELECTRA"))),
    *((("Transformer", "ERNIE"), ("KoBERT", "KR-BERT"), ("BPE", "unigram LM"))),
}


def edges_f1(edges: AbstractSet[tuple[str, ...]]) -> float:
    """F1: precision counts accepted edges as right, recall asks for the expected ones; 0.0 without a right edge."""
    right, found = len(edges & (EXPECTED.keys() | ACCEPTED)), len(edges & EXPECTED.keys())
    if not found:
        return 0.0
    precision, recall = right / len(edges), found / len(EXPECTED)
    return 2 * precision * recall / (precision + recall)


def right_words(tree: Mapping[tuple[str, ...], tuple[str, ...]]) -> int:
    """How many of the 60 words on expected edges are right."""
    return sum(
        (tree[edge][0] in taken) + (tree[edge][1] in changed)
        for edge, (taken, changed) in EXPECTED.items()
        if edge in tree
    )


def at_least_f1(student: Student, least: float) -> None:
    found = edges_f1(set(student.tree()))
    true(found >= least, f"F1 of the edges is {found:.2f}, at least {least} is asked for")


@exercise("tree")
def test_f1_of_the_edges_is_at_least_0_60(student: Student) -> None:
    at_least_f1(student, 0.6)


@exercise("tree")
def test_f1_of_the_edges_is_at_least_0_75(student: Student) -> None:
    at_least_f1(student, 0.75)


@exercise("tree")
def test_f1_of_the_edges_is_at_least_0_90(student: Student) -> None:
    at_least_f1(student, 0.9)


@exercise("tree")
def test_30_of_the_60_words_are_right(student: Student) -> None:
    found = right_words(student.tree())
    true(found >= 30, f"{found} of the 60 words are right, at least 30 are asked for")


@exercise("tree")
def test_45_of_the_60_words_are_right(student: Student) -> None:
    found = right_words(student.tree())
    true(found >= 45, f"{found} of the 60 words are right, at least 45 are asked for")


def words_of(student: Student, *edges: tuple[str, str]) -> tuple[list[str], list[str]]:
    tree = student.tree()
    return [tree.get(edge, ("no edge", ""))[0] for edge in edges], [
        tree.get(edge, ("", "no edge"))[1] for edge in edges
    ]


@exercise("tree", points=0.5)
def test_who_took_which_half_of_the_transformer(student: Student) -> None:
    taken, _ = words_of(student, ("Transformer", "BERT"), ("Transformer", "GPT"))
    true(taken == ["encoder", "decoder"], "what BERT and GPT took from the Transformer", actual=taken)


@exercise("tree", points=0.5)
def test_gpt_2_starts_from_gpt_and_xlnet_from_transformer_xl(student: Student) -> None:
    edges = set(student.tree())
    missing = {("GPT", "GPT-2"), ("GPT-2", "GPT-3"), ("Transformer-XL", "XLNet")} - edges
    true(
        not missing and ("BERT", "GPT-2") not in edges, "direct parents of GPT-2, GPT-3 and XLNet", actual=sorted(edges)
    )


@exercise("tree", points=0.5)
def test_small_is_made_by_teaching_or_by_sharing(student: Student) -> None:
    _, changed = words_of(student, ("BERT", "DistilBERT"), ("BERT", "TinyBERT"), ("BERT", "ALBERT"))
    true(
        changed[:2] == ["distillation"] * 2 and changed[2] in ("sharing", "objective"),
        "what DistilBERT, TinyBERT and ALBERT changed",
        actual=changed,
    )


@exercise("tree", points=0.5)
def test_the_korean_models_and_their_parents(student: Student) -> None:
    edges = set(student.tree())
    korean = {("BERT", "KoBERT"), ("BERT", "KR-BERT"), ("ELECTRA", "KoELECTRA")}
    turned = {(child, parent) for parent, child in korean}
    true(korean <= edges and not turned & edges, "parents of KoBERT, KR-BERT and KoELECTRA", actual=sorted(edges))


@exercise("tree", points=0.5, needs="test_f1_of_the_edges_is_at_least_0_60")
def test_only_direct_parents_have_an_edge(student: Student) -> None:
    direct = EXPECTED.keys() | ACCEPTED
    lines = nx.transitive_closure(nx.DiGraph(list(EXPECTED)))
    skipped = sorted(edge for edge in set(student.tree()) - direct if lines.has_edge(*edge))
    true(not skipped, "an edge skips a generation: only direct parents are asked for", actual=skipped)


@exercise("tree", points=0.5)
def test_what_bert_gpt_t5_and_their_children_changed(student: Student) -> None:
    edges = [("Transformer", "GPT"), ("Transformer", "BERT"), ("Transformer", "T5"), ("GPT", "GPT-2"), ("GPT-2", "GPT-3")]
    edges += [("BERT", "RoBERTa"), ("BERT", "ELECTRA"), ("BERT", "ERNIE"), ("BERT", "KagNet")]
    words_are_right(student, edges)


@exercise("tree", points=0.5)
def test_the_words_of_pieces_and_of_languages(student: Student) -> None:
    edges = [("word2vec", "fastText"), ("WordPiece", "BERT"), ("BPE", "GPT-2"), ("SentencePiece", "T5"), ("attention", "Transformer")]
    words_are_right(student, [*edges, ("BERT", "KoBERT"), ("BERT", "KR-BERT"), ("ELECTRA", "KoELECTRA")])


def words_are_right(student: Student, edges: list[tuple[str, str]]) -> None:
    """Looks that these edges are there, each with a right pair of words."""
    tree = student.tree()
    wrong = []
    for edge in edges:
        taken, changed = tree.get(edge, ("no edge", ""))
        if taken not in EXPECTED[edge][0] or changed not in EXPECTED[edge][1]:
            wrong.append(f"{edge[0]} → {edge[1]}: {taken}, {changed}")
    true(not wrong, "these edges are missing, or one of their words is not right", actual=wrong)


# Metrics.

WIDTH, STEPS = 8, 150
OPTIMISERS: tuple[Callable[[list[torch.nn.Parameter]], torch.optim.Optimizer], ...] = (
    lambda w: torch.optim.SGD(w, lr=1e-3),
    lambda w: torch.optim.SGD(w, lr=1e-3, momentum=0.9),
    lambda w: torch.optim.Adagrad(w, lr=0.2, eps=1e-8),
    lambda w: torch.optim.RMSprop(w, lr=0.02, alpha=0.99),
    lambda w: torch.optim.Adam(w, lr=0.05),
    lambda w: torch.optim.AdamW(w, lr=0.05, weight_decay=0.1),
)


@metric("paths_like_torch")
def paths_like_torch(artifacts: Artifacts) -> float:
    """The share of the steps of the race at which the recorded weights are those of torch.optim."""
    recorded = artifacts.tensor("paths", 3)
    start = torch.randn(WIDTH, generator=torch.Generator().manual_seed(artifacts.seed), dtype=torch.float64)
    steepness = torch.logspace(0, 3, WIDTH, dtype=torch.float64)
    right = 0
    for found, make in zip(recorded, OPTIMISERS, strict=True):
        weights = torch.nn.Parameter(start.clone())
        optimiser = make([weights])
        for step in range(STEPS):
            weights.grad = steepness * weights.detach()
            optimiser.step()
            right += int(torch.allclose(found[step], weights.detach(), rtol=1e-6, atol=1e-9))
    return right / (len(OPTIMISERS) * STEPS)


def _split(line: str) -> list[str]:
    name, _, rest = line.partition(": ")
    return [name, *rest.split(", ")]


@metric("edges_f1")
def recorded_edges_f1(artifacts: Artifacts) -> float:
    return edges_f1({tuple(_split(line)[0].split(" → ")) for line in artifacts.strings("edges")})


@metric("edge_words")
def recorded_edge_words(artifacts: Artifacts) -> float:
    lines = [_split(line) for line in artifacts.strings("edges")]
    return right_words({tuple(edge.split(" → ")): tuple(words) for edge, *words in lines}) / (2 * len(EXPECTED))


@metric("card_facts")
def recorded_card_facts(artifacts: Artifacts) -> float:
    lines = [_split(line) for line in artifacts.strings("cards")]
    return card_facts({name: (half, way, set(tasks.split(" + "))) for name, half, way, tasks in lines}) / 48
