"""Family trees: the public checks. Expected values come from small graphs, torch.optim and closed forms; of cards and tree only the form."""

from collections.abc import Callable, Collection
from typing import Any

import torch

from etude.lesson.checks import claim, close, equal, exercise, refused, true
from etude.lesson.interface import Student
from etude.papers import families

DIAMOND = {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"b", "c"}, "e": {"d"}}
CIRCLE = {"a": {"c"}, "b": {"a"}, "c": {"b"}, "d": {"c"}}


@exercise("parents")
def test_each_name_has_the_set_of_its_parents(student: Student) -> None:
    rows = [("SGD", ""), ("AdaGrad", "SGD"), ("Adam", "AdaGrad;SGD")]
    equal(student.parents(rows), {"SGD": set(), "AdaGrad": {"SGD"}, "Adam": {"AdaGrad", "SGD"}}, given=rows)


@exercise("parents")
def test_names_stand_in_the_order_of_the_rows_and_a_parent_may_stand_below(student: Student) -> None:
    rows = [("b", "c"), ("a", ""), ("c", "a")]
    equal(list(student.parents(rows).items()), [("b", {"c"}), ("a", set()), ("c", {"a"})], given=rows)


@exercise("parents")
def test_a_parent_without_a_row_is_reported_by_name(student: Student) -> None:
    rows = [("SGD", ""), ("Adam", "SGD;AdaGard")]
    refused(student.parents, rows, word="AdaGard", why="AdaGard has no row of its own", given=rows)


@exercise("against_time")
def test_a_parent_that_is_later_than_its_child_is_reported(student: Student) -> None:
    dates = {"old": "2018-06", "new": "2018-10", "newest": "2019-02"}
    graph = {"old": {"new", "newest"}, "new": {"old"}, "newest": {"old", "new"}}
    equal(student.against_time(dates, graph), [("new", "old"), ("newest", "old")], given=[dates, graph])


@exercise("against_time", needs="test_a_parent_that_is_later_than_its_child_is_reported")
def test_papers_of_the_same_month_may_build_on_each_other(student: Student) -> None:
    equal(student.against_time({"a": "2014-09", "b": "2014-09"}, {"a": set(), "b": {"a"}}), [], given="both of 2014-09")


@exercise("against_time")
def test_a_date_without_a_month_is_compared_by_the_year(student: Student) -> None:
    dates = {"b": "2012-12", "a": "2012", "c": "2011-07", "d": "2013"}
    graph = {"a": {"b"}, "b": {"a"}, "c": {"a"}, "d": {"a", "b"}}
    equal(student.against_time(dates, graph), [("a", "c")], given=[dates, graph])


@exercise("ancestors")
def test_parents_of_parents_are_ancestors(student: Student) -> None:
    equal(student.ancestors(DIAMOND, "e"), {"a", "b", "c", "d"}, given=[DIAMOND, "e"])
    equal(student.ancestors(DIAMOND, "b"), {"a"}, given=[DIAMOND, "b"])


@exercise("ancestors", needs="test_parents_of_parents_are_ancestors")
def test_who_has_no_parents_has_no_ancestors(student: Student) -> None:
    equal(student.ancestors(DIAMOND, "a"), set(), given=[DIAMOND, "a"])


@exercise("ancestors")
def test_a_circle_is_walked_once(student: Student) -> None:
    equal(student.limit(5).ancestors(CIRCLE, "d"), {"a", "b", "c"}, given=[CIRCLE, "d"])
    equal(student.limit(5).ancestors(CIRCLE, "a"), {"a", "b", "c"}, given=[CIRCLE, "a"])


@exercise("common_ancestors")
def test_siblings_have_their_parent_in_common(student: Student) -> None:
    equal(student.common_ancestors(DIAMOND, "b", "c"), {"a"}, given=[DIAMOND, "b", "c"])


@exercise("common_ancestors")
def test_the_nearest_of_one_and_its_own_ancestor_is_that_ancestor(student: Student) -> None:
    equal(student.common_ancestors(DIAMOND, "e", "b"), {"b"}, given=[DIAMOND, "e", "b"])
    equal(student.common_ancestors(DIAMOND, "d", "d"), {"d"}, given=[DIAMOND, "d", "d"])


@exercise("common_ancestors")
def test_there_may_be_two_nearest_ones_or_none(student: Student) -> None:
    graph = {"a": set(), "b": {"a"}, "c": {"a"}, "x": {"b", "c"}, "y": {"b", "c"}, "z": set()}
    equal(student.common_ancestors(graph, "x", "y"), {"b", "c"}, given=[graph, "x", "y"])
    equal(student.common_ancestors(graph, "x", "z"), set(), given=[graph, "x", "z"])


@exercise("reading_order")
def test_the_earliest_comes_first_and_then_the_alphabet(student: Student) -> None:
    graph: dict[str, set[str]] = {name: set() for name in "cabd"}
    dates = {"a": "2019", "b": "2018-10", "c": "2018-10", "d": "2017-06"}
    equal(student.reading_order(graph, dates), ["d", "b", "c", "a"], given=dates)


@exercise("reading_order")
def test_a_child_waits_for_its_parents_whatever_its_date(student: Student) -> None:
    graph, dates = {"a": {"b"}, "b": set(), "c": set()}, {"a": "1990", "b": "2000", "c": "1995"}
    equal(student.reading_order(graph, dates), ["c", "b", "a"], given=[graph, dates])


@exercise("reading_order")
def test_in_a_circle_there_is_no_order(student: Student) -> None:
    dates = dict.fromkeys(CIRCLE, "2000")
    why = "a, b and c lie on a circle"
    refused(student.reading_order, CIRCLE, dates, word="circle", why=why, given=[CIRCLE, dates])


@exercise("step", points=0.5)
def test_without_parts_it_is_sgd(student: Student) -> None:
    weights, gradient = torch.tensor([1.0, -2.0, 0.5]).double(), torch.tensor([0.5, 4.0, 0.0]).double()
    after, _ = student.step(weights, gradient, _nothing(3), lr=0.1)
    close(after, weights - 0.1 * gradient, given="weights 1, −2, 0.5; gradient 0.5, 4, 0; lr 0.1")


@exercise("step", points=0.5)
def test_momentum_is_torchs(student: Student) -> None:
    _like(student, {"lr": 0.1, "momentum": "sum"}, torch.optim.SGD, momentum=0.9)


@exercise("step", points=0.5)
def test_a_sum_of_squares_is_torchs_adagrad(student: Student) -> None:
    _like(student, {"lr": 0.1, "scale": "sum", "eps": 1e-3}, torch.optim.Adagrad, eps=1e-3)


@exercise("step", points=0.5)
def test_a_mean_of_squares_is_torchs_rmsprop(student: Student) -> None:
    _like(student, {"lr": 0.1, "scale": "mean", "beta2": 0.99, "eps": 1e-3}, torch.optim.RMSprop, alpha=0.99, eps=1e-3)


ADAM = {"momentum": "mean", "scale": "mean", "correct": True}


@exercise("step", points=0.5)
def test_both_means_with_correction_are_torchs_adam(student: Student) -> None:
    _like(student, {"lr": 0.1, "eps": 1e-3, **ADAM}, torch.optim.Adam, eps=1e-3)


@exercise("step", points=0.5)
def test_with_decoupled_decay_it_is_torchs_adamw(student: Student) -> None:
    switches = {"lr": 0.1, "decay": "decoupled", "strength": 0.3, **ADAM}
    _like(student, switches, torch.optim.AdamW, weight_decay=0.3)


@claim("adam-first-step")
@exercise("step", points=0.5)
def test_adams_first_step_has_the_length_of_the_rate_in_every_coordinate(student: Student) -> None:
    weights, gradient = torch.zeros(3).double(), torch.tensor([1e-3, -1.0, 500.0]).double()
    after, _ = student.step(weights, gradient, _nothing(3), lr=0.1, eps=0.0, **ADAM)
    close(after, [-0.1, 0.1, -0.1], given="gradient 0.001, −1, 500; lr 0.1; eps 0")


@claim("adamw-decoupled")
@exercise("step", points=0.5)
def test_for_sgd_both_decays_are_one_and_for_adam_they_are_not(student: Student) -> None:
    weights, gradient = torch.tensor([2.0, 2.0]).double(), torch.tensor([0.1, 10.0]).double()
    for parts, expected in (({}, [0.0, 0.0]), (ADAM, [-0.05, -0.05])):
        kinds = [
            student.step(weights, gradient, _nothing(2), lr=0.1, strength=0.25, eps=0.0, decay=decay, **parts)[0]
            for decay in ("decoupled", "coupled")
        ]
        close(
            kinds[0] - kinds[1],
            expected,
            given=f"decoupled minus coupled decay, {'Adam' if parts else 'SGD'}",
            atol=1e-9,
        )


@exercise("reading")
def test_left_to_right_is_autoregressive_and_hidden_tokens_are_not(student: Student) -> None:
    equal(student.reading(4, {0: set(), 1: {0}, 2: {0, 1}, 3: {0, 1, 2}}), "AR", given="left to right")
    equal(student.reading(4, {1: {0, 3}, 2: {0, 3}}), "AE", given="two hidden tokens from the other two")


@claim("xlnet-mask")
@exercise("reading", needs="test_left_to_right_is_autoregressive_and_hidden_tokens_are_not")
def test_a_drawn_order_is_autoregressive_though_it_uses_both_sides(student: Student) -> None:
    for order in ([3, 2, 4, 1], [2, 4, 3, 1]):
        sees = {token - 1: {earlier - 1 for earlier in order[:i]} for i, token in enumerate(order)}
        equal(student.reading(4, sees), "AR", given=f"order {order}: {sees}")


@claim("self-see")
@exercise("reading", needs="test_left_to_right_is_autoregressive_and_hidden_tokens_are_not")
def test_tokens_that_see_each_other_are_no_probability_of_the_text(student: Student) -> None:
    equal(student.reading(3, {0: {1, 2}, 1: {0, 2}, 2: {0, 1}}), "AE", given="each from both others")
    equal(student.reading(3, {0: {1}, 1: {2}, 2: {0}}), "AE", given="each from the next one, in a circle")
    equal(student.reading(2, {0: {0, 1}, 1: {0, 1}}), "AE", given="each is judged with its own token before the eyes")


@exercise("cards")
def test_every_transformer_has_a_card_in_the_given_words(student: Student) -> None:
    _cards(student)


@exercise("cards")
def test_halves_readings_and_tasks_agree(student: Student) -> None:
    out_of_order, at_once, halves = [], [], []
    for name, (half, way, tasks) in _cards(student).items():
        card = f"{name}: {half}, {way}, {' + '.join(sorted(tasks))}"
        out_of_order += [card] if tasks & {"next token", "permuted order"} and way != "AR" else []
        at_once += [card] if tasks & {"masked tokens", "replaced tokens"} and way != "AE" else []
        halves += [card] if name != "XLNet" and (half == "encoder") != (way == "AE") else []  # XLNet's half is free
    true(
        not out_of_order,
        "who predicts one token after another is autoregressive, in whatever order",
        actual=out_of_order,
    )
    true(not at_once, "who gets a text back from a corrupted one, at once, is autoencoding", actual=at_once)
    true(
        not halves,
        "an encoder sees all, so it cannot predict in order; a decoder sees the past, so it must",
        actual=halves,
    )


@exercise("tree")
def test_edges_have_known_names_and_words(student: Student) -> None:
    _tree(student)


@exercise("tree")
def test_no_parent_is_later_than_its_child(student: Student) -> None:
    models = families.models()
    dates = dict(zip(models["name"], models["date"], strict=True))
    late = [
        f"{parent} ({dates[parent]}) → {child} ({dates[child]})"
        for parent, child in sorted(_tree(student))
        if parent == child or dates[parent][: len(dates[child])] > dates[child]
    ]
    true(not late, "a parent comes before its child", actual=late)


@exercise("tree")
def test_every_model_of_the_table_is_in_the_tree(student: Student) -> None:
    alone = set(families.models()["name"]) - {name for edge in _tree(student) for name in edge}
    true(not alone, "each model has an edge; these have none", actual=sorted(alone))


def _cards(student: Student) -> dict[str, tuple[str, str, set[str]]]:
    """The student's cards, if they have the form that is asked for."""
    models = families.models()
    found: dict[str, tuple[str, str, set[str]]] = student.cards()  # of this type if nothing is raised
    names = set(models["name"][models["family"] == "Transformers"])
    true(isinstance(found, dict) and set(found) == names, f"a card each for {', '.join(sorted(names))}", actual=found)
    wrong = {name: card for name, card in found.items() if not _is_card(card)}
    true(
        not wrong,
        "a card is a tuple (half, reading, set of tasks), in the words of the three tables above",
        actual=wrong,
    )
    return found


def _is_card(card: object) -> bool:
    if not (isinstance(card, tuple) and len(card) == 3 and isinstance(card[2], set | frozenset) and card[2]):
        return False
    half, way, tasks = card
    return (
        _known(half, families.HALVES)
        and _known(way, families.READINGS)
        and all(_known(x, families.TASKS) for x in tasks)
    )


def _tree(student: Student) -> dict[tuple[str, str], tuple[str, str]]:
    """The student's edges, if they have the form that is asked for."""
    names = list(families.models()["name"])
    found: dict[tuple[str, str], tuple[str, str]] = student.tree()  # of this type if nothing is raised
    true(isinstance(found, dict) and len(found) > 0, "a dictionary {(parent, child): (taken, changed)}", actual=found)
    odd = [
        edge
        for edge in found
        if not (isinstance(edge, tuple) and len(edge) == 2 and all(_known(x, names) for x in edge))
    ]
    true(not odd, "an edge is (parent, child), with names of the table of models", actual=odd)
    wrong = {edge: words for edge, words in found.items() if not _are_words(words)}
    true(not wrong, "to each edge belongs (taken, changed), in the words of the two tables above", actual=wrong)
    return found


def _are_words(words: object) -> bool:
    if not (isinstance(words, tuple) and len(words) == 2):
        return False
    return _known(words[0], families.TOOK) and _known(words[1], families.CHANGED)


def _known(word: object, words: Collection[str]) -> bool:
    return isinstance(word, str) and word in words


def _nothing(width: int) -> tuple[int, torch.Tensor, torch.Tensor]:
    return 0, torch.zeros(width).double(), torch.zeros(width).double()


def _like(
    student: Student,
    switches: dict[str, Any],
    optimiser: Callable[..., torch.optim.Optimizer],
    steps: int = 4,
    **settings: Any,
) -> None:
    """The same gradients to the student's step and to an optimiser of torch; the weights after each step must agree."""
    chance = torch.Generator().manual_seed(1)
    gradients = torch.randn(steps, 3, generator=chance, dtype=torch.float64)
    weights, state = torch.tensor([1.0, -2.0, 0.5]).double(), _nothing(3)
    expected = torch.nn.Parameter(weights.clone())
    oracle = optimiser([expected], lr=switches["lr"], **settings)
    for t, gradient in enumerate(gradients, 1):
        weights, state = student.step(weights, gradient, state, **switches)
        expected.grad = gradient.clone()
        oracle.step()
        close(weights, expected.detach(), given=f"{switches}, after step {t}", rtol=1e-9, atol=1e-12)
