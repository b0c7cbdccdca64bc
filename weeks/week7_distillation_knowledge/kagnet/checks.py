"""kagnet: the public checks. Expected values come from hand counts, closed forms, and torch's own LSTM."""

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from etude.lesson.checks import Mismatch, close, equal, exercise, true
from etude.lesson.interface import Student

LN2, LN3 = math.log(2), math.log(3)
STOP = {"to", "the", "they", "be"}


# ground
def names(value: Any, given: str) -> list[str]:
    """A row of names of the student's, list or tuple."""
    true(isinstance(value, list | tuple), "a list of names was expected", given=given, actual=value)
    return list(value)


@exercise("ground")
def test_concepts_come_in_the_order_of_the_text(student: Student) -> None:
    given = "the lemmas (they, dig, the, ground), the concepts ground, dig, iron"
    found = student.ground(["they", "dig", "the", "ground"], {"ground", "dig", "iron"}, STOP)
    equal(names(found, given), ["dig", "ground"], given=given)


@exercise("ground")
def test_the_longest_match_takes_its_words(student: Student) -> None:
    given = "the lemmas (dig, to, plant, flower), the concepts plant, flower, plant_flower, dig"
    found = student.ground(["dig", "to", "plant", "flower"], {"plant", "flower", "plant_flower", "dig"}, STOP)
    equal(names(found, given), ["dig", "plant_flower"], given=given)


@exercise("ground")
def test_a_longer_match_further_right_goes_before_a_shorter_one(student: Student) -> None:
    given = "the lemmas (a, b, c, d), the concepts a_b, b_c_d, a, d"
    equal(names(student.ground(list("abcd"), {"a_b", "b_c_d", "a", "d"}, STOP), given), ["a", "b_c_d"], given=given)
    given = "the lemmas (a, b, c), the concepts a_b, b_c, a, c: of equally long ones the left one"
    equal(names(student.ground(list("abc"), {"a_b", "b_c", "a", "c"}, STOP), given), ["a_b", "c"], given=given)


@exercise("ground")
def test_concepts_in_another_length_keep_the_texts_order(student: Student) -> None:
    given = "the lemmas (z, y, plant, flower), the concepts plant_flower, y, z"
    found = student.ground(["z", "y", "plant", "flower"], {"plant_flower", "y", "z"}, STOP)
    equal(names(found, given), ["z", "y", "plant_flower"], given=given)


@exercise("ground")
def test_stop_words_alone_are_no_concept(student: Student) -> None:
    given = "the lemmas (they, be, to, be, rich), the concepts they, to_be, be, be_rich; they, to, be are stop words"
    found = student.ground(["they", "be", "to", "be", "rich"], {"they", "to_be", "be", "be_rich"}, STOP)
    equal(names(found, given), ["be_rich"], given=given)


@exercise("ground", points=0.5, needs="test_concepts_come_in_the_order_of_the_text")
def test_a_concept_counts_once_and_nothing_gives_nothing(student: Student) -> None:
    given = "the lemmas (눈, 집, 눈), the concepts 눈, 집"
    equal(names(student.ground(["눈", "집", "눈"], {"눈", "집"}, STOP), given), ["눈", "집"], given=given)
    equal(names(student.ground([], {"a"}, STOP), "no lemmas"), [], given="no lemmas")
    equal(names(student.ground(["a"], set(), STOP), "no concepts"), [], given="no concepts")


# both_directions
TOY = [
    ("shovel", "UsedFor", "dig"),
    ("excavator", "UsedFor", "dig"),
    ("shovel", "AtLocation", "garden"),
    ("garden", "UsedFor", "plant_flower"),
]


def rows(value: Any, given: str) -> dict[str, list[tuple[str, str]]]:
    """The student's neighbours, each list sorted."""
    if not isinstance(value, dict) or not all(isinstance(one, list | tuple) for one in value.values()):
        raise Mismatch("a dict of lists was expected", given=given, actual=value)
    try:
        return {name: sorted((str(relation), str(other)) for relation, other in one) for name, one in value.items()}
    except (TypeError, ValueError):
        raise Mismatch("pairs (relation, concept) were expected in the lists", given=given, actual=value) from None


@exercise("both_directions")
def test_each_triple_is_walked_both_ways(student: Student) -> None:
    given = "the triple (shovel, UsedFor, dig)"
    found = rows(student.both_directions([("shovel", "UsedFor", "dig")]), given)
    equal(found, {"shovel": [("UsedFor", "dig")], "dig": [("UsedFor*", "shovel")]}, given=given)


@exercise("both_directions")
def test_all_neighbours_of_a_concept_are_listed(student: Student) -> None:
    given = "four triples about shovel, excavator, garden"
    found = rows(student.both_directions(TOY), given)
    equal(found["dig"], [("UsedFor*", "excavator"), ("UsedFor*", "shovel")], given=f"{given}: from dig")
    equal(found["garden"], [("AtLocation*", "shovel"), ("UsedFor", "plant_flower")], given=f"{given}: from garden")


@exercise("both_directions")
def test_a_triple_that_stands_twice_counts_once(student: Student) -> None:
    given = "(a, IsA, b) twice, (a, PartOf, b), (b, IsA, a)"
    found = rows(
        student.both_directions([("a", "IsA", "b"), ("a", "PartOf", "b"), ("a", "IsA", "b"), ("b", "IsA", "a")]), given
    )
    expected = {
        "a": [("IsA", "b"), ("IsA*", "b"), ("PartOf", "b")],
        "b": [("IsA", "a"), ("IsA*", "a"), ("PartOf*", "a")],
    }
    equal(found, expected, given=given)


@exercise("both_directions", points=0.5, needs="test_each_triple_is_walked_both_ways")
def test_what_leads_to_itself_leads_nowhere(student: Student) -> None:
    given = "(a, RelatedTo, a), (b, IsA, c)"
    found = rows(student.both_directions([("a", "RelatedTo", "a"), ("b", "IsA", "c")]), given)
    equal(found, {"a": [], "b": [("IsA", "c")], "c": [("IsA*", "b")]}, given=given)


# find_paths
def star(triples: Iterable[tuple[str, str, str]]) -> dict[str, list[tuple[str, str]]]:
    """Neighbours in both directions."""
    found: dict[str, list[tuple[str, str]]] = {}
    for head, relation, tail in triples:
        found.setdefault(head, []).append((relation, tail))
        found.setdefault(tail, []).append((f"{relation}*", head))
    return found


def paths(value: Any, given: str) -> list[list[tuple[str, str, str]]]:
    """The student's paths as lists of tuples, sorted."""
    try:
        return sorted([(str(a), str(r), str(b)) for a, r, b in path] for path in value)
    except (TypeError, ValueError):
        raise Mismatch(
            "a list of paths was expected, each a list of (from, relation, to)", given=given, actual=value
        ) from None


ROUND = star([("a", "r", "b"), ("b", "r", "c"), ("a", "s", "c"), ("c", "r", "d")])  # a triangle and a tail


@exercise("find_paths")
def test_a_path_may_walk_triples_backwards(student: Student) -> None:
    given = "the shovel's four triples, from plant_flower to shovel, up to two steps"
    expected = [[("plant_flower", "UsedFor*", "garden"), ("garden", "AtLocation*", "shovel")]]
    equal(paths(student.find_paths(star(TOY), "plant_flower", "shovel", 2), given), expected, given=given)


@exercise("find_paths")
def test_no_path_is_longer_than_asked_for(student: Student) -> None:
    text = "a –r→ b –r→ c –r→ d and a –s→ c, from a to d"
    one = [("a", "s", "c"), ("c", "r", "d")]
    other = [("a", "r", "b"), ("b", "r", "c"), ("c", "r", "d")]
    for longest, expected in ((1, []), (2, [one]), (3, [other, one]), (5, [other, one])):
        given = f"{text}, up to {longest} steps"
        equal(paths(student.find_paths(ROUND, "a", "d", longest), given), sorted(expected), given=given)


@exercise("find_paths")
def test_two_relations_between_the_same_concepts_are_two_paths(student: Student) -> None:
    given = "a –r→ b, a –s→ b, b –r→ c, from a to c, up to two steps"
    found = student.find_paths(star([("a", "r", "b"), ("a", "s", "b"), ("b", "r", "c")]), "a", "c", 2)
    expected = [[("a", "r", "b"), ("b", "r", "c")], [("a", "s", "b"), ("b", "r", "c")]]
    equal(paths(found, given), expected, given=given)


@exercise("find_paths")
def test_no_concept_is_met_twice_on_a_path_but_other_paths_may_meet_it(student: Student) -> None:
    diamond = star([("a", "r", "b"), ("a", "r", "c"), ("b", "r", "d"), ("c", "r", "d"), ("d", "r", "e")])
    given = "a –r→ b –r→ d, a –r→ c –r→ d, d –r→ e, from a to e, up to five steps"
    expected = [[("a", "r", middle), (middle, "r", "d"), ("d", "r", "e")] for middle in "bc"]
    equal(paths(student.find_paths(diamond, "a", "e", 5), given), expected, given=given)


@exercise("find_paths", points=0.5, needs="test_no_path_is_longer_than_asked_for")
def test_to_itself_from_nowhere_and_in_no_steps_there_is_no_path(student: Student) -> None:
    for source, target, longest in (("a", "a", 4), ("a", "elsewhere", 4), ("elsewhere", "a", 4), ("a", "b", 0)):
        given = f"a –r→ b –r→ c –r→ d and a –s→ c, from {source} to {target}, up to {longest} steps"
        equal(paths(student.find_paths(ROUND, source, target, longest), given), [], given=given)


# schema_graph
GARDEN = star([
    *TOY,
    ("ground", "ReceivesAction", "dig"),
    ("building_site", "UsedFor", "build_house"),
    ("excavator", "AtLocation", "building_site"),
    ("shovel", "MadeOf", "iron"),
])  # fmt: skip


def schema(
    student: Student, question: list[str], answer: list[str], longest: int, given: str, graph: Any = GARDEN
) -> Any:
    """The student's three values: sets of names and triples, a dict of sorted paths."""
    found = student.schema_graph(graph, question, answer, longest)
    try:
        concepts, triples, between = found
        for some in (concepts, triples):
            true(isinstance(some, set | frozenset), "a set was expected", given=given, actual=some)
        sets = set(concepts), {(str(a), str(r), str(b)) for a, r, b in triples}
        return *sets, {(str(a), str(b)): paths(some, given) for (a, b), some in between.items()}
    except (TypeError, ValueError, AttributeError):
        raise Mismatch("three values were expected: concepts, triples, paths", given=given, actual=found) from None


GIVEN = "the graph of shovel and excavator"


@exercise("schema_graph")
def test_it_holds_what_stands_on_paths_and_nothing_else(student: Student) -> None:
    given = f"{GIVEN}, the question's plant_flower, the answer shovel, up to two steps"
    concepts, triples, _ = schema(student, ["plant_flower"], ["shovel"], 2, given)
    equal(concepts, {"plant_flower", "garden", "shovel"}, given=f"{given}: the concepts")
    expected = {("garden", "UsedFor", "plant_flower"), ("shovel", "AtLocation", "garden")}
    equal(triples, expected, given=f"{given}: the triples")


@exercise("schema_graph")
def test_triples_among_the_questions_concepts_belong_to_it(student: Student) -> None:
    given = f"{GIVEN}, the question's ground and dig, the answer excavator, one step"
    concepts, triples, _ = schema(student, ["ground", "dig"], ["excavator"], 1, given)
    equal(concepts, {"ground", "dig", "excavator"}, given=f"{given}: the concepts")
    expected = {("ground", "ReceivesAction", "dig"), ("excavator", "UsedFor", "dig")}
    equal(triples, expected, given=f"{given}: the triples")
    given = f"{GIVEN}, the question's garden, the answer's iron and shovel, one step"
    _, triples, _ = schema(student, ["garden"], ["iron", "shovel"], 1, given)
    equal(triples, {("shovel", "MadeOf", "iron"), ("shovel", "AtLocation", "garden")}, given=f"{given}: the triples")


@exercise("schema_graph")
def test_each_pair_has_its_paths(student: Student) -> None:
    given = f"{GIVEN}, the question's dig and plant_flower, the answers excavator and shovel, up to two steps"
    _, _, between = schema(student, ["dig", "plant_flower"], ["excavator", "shovel"], 2, given)
    expected = {
        ("dig", "excavator"): [[("dig", "UsedFor*", "excavator")]],
        ("dig", "shovel"): [[("dig", "UsedFor*", "shovel")]],
        ("plant_flower", "excavator"): [],
        ("plant_flower", "shovel"): [[("plant_flower", "UsedFor*", "garden"), ("garden", "AtLocation*", "shovel")]],
    }
    equal(between, expected, given=f"{given}: the paths")


@exercise("schema_graph")
def test_another_question_gets_another_graph(student: Student) -> None:
    given = f"{GIVEN}, the question's build_house, the answer shovel, up to two steps"
    concepts, triples, between = schema(student, ["build_house"], ["shovel"], 2, given)
    equal(concepts, {"build_house", "shovel"}, given=f"{given}: the concepts")
    equal((triples, between), (set(), {("build_house", "shovel"): []}), given=f"{given}: triples and paths")


# path_scores
AXES = torch.tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])  # concepts in the plane
KINDS = torch.tensor([[2.0, 0.0], [0.0, 1.0]])  # to the right, upwards


def scored(student: Student, steps: list[list[list[int]]], lengths: list[int]) -> Any:
    return student.path_scores(AXES, KINDS, torch.tensor(steps), torch.tensor(lengths))


@exercise("path_scores")
def test_a_step_that_points_as_its_relation_does_scores_1(student: Student) -> None:
    given = "concepts (0,0), (1,0), (1,1), (0,2), relations → and ↑: 0 → 1, 0 ↑ 1, 1 → 0, one step each"
    found = scored(student, [[[0, 0, 1]], [[0, 1, 1]], [[1, 0, 0]]], [1, 1, 1])
    close(found, [1.0, 0.5, 0.0], given=given, atol=1e-5)


@exercise("path_scores")
def test_a_step_with_a_star_is_its_triple_read_backwards(student: Student) -> None:
    given = "concepts (0,0), (1,0), (1,1), relations → and ↑: 1 →* 0, 0 →* 1, 2 ↑* 1, one step each"
    found = scored(student, [[[1, 2, 0]], [[0, 2, 1]], [[2, 3, 1]]], [1, 1, 1])
    close(found, [1.0, 0.0, 1.0], given=given, atol=1e-5)


@exercise("path_scores")
def test_a_path_is_the_product_of_its_steps(student: Student) -> None:
    root = (1 + math.sqrt(0.5)) / 2
    given = "concepts (0,0), (1,0), (1,1), relations → and ↑: 0 → 1 → 2, of which the second goes up; 0 → 2 and 2 ↑* 1"
    found = scored(student, [[[0, 0, 1], [1, 0, 2]], [[0, 0, 2], [2, 3, 1]]], [2, 2])
    close(found, [0.5, root], given=given, atol=1e-5)


@exercise("path_scores", points=0.5, needs="test_a_path_is_the_product_of_its_steps")
def test_padding_is_a_factor_of_1(student: Student) -> None:
    given = "the path 0 → 2 of one step, padded with two steps (0, 0, 0) or (1, 0, 0)"
    root = (1 + math.sqrt(0.5)) / 2
    found = scored(student, [[[0, 0, 2], [0, 0, 0], [0, 0, 0]], [[0, 0, 2], [1, 0, 0], [1, 0, 0]]], [1, 1])
    close(found, [root, root], given=given, atol=1e-5)


# graph_convolution
def matrix(size: int, *edges: tuple[int, int]) -> Tensor:
    """(1, N, N), True where an edge goes."""
    found = torch.zeros(1, size, size, dtype=torch.bool)
    for start, end in edges:
        found[0, start, end] = True
    return found


ONE, NONE = torch.ones(1, 1), torch.zeros(1)


@exercise("graph_convolution", needs="test_a_chain_is_mixed_by_the_roots_of_both_degrees")
def test_a_concept_alone_keeps_its_vector(student: Student) -> None:
    x = torch.tensor([[[3.0], [5.0]]])
    given = "two concepts (3) and (5) without a triple, weight 1, bias 0"
    close(student.graph_convolution(x, matrix(2), ONE, NONE), x, given=given)


@exercise("graph_convolution")
def test_a_chain_is_mixed_by_the_roots_of_both_degrees(student: Student) -> None:
    x = torch.tensor([[[1.0], [0.0], [0.0]]])
    given = "a chain 0 → 1 → 2, of which 0 holds a 1, weight 1, bias 0"
    expected = [[[1 / 2], [1 / math.sqrt(6)], [0.0]]]
    close(student.graph_convolution(x, matrix(3, (0, 1), (1, 2)), ONE, NONE), expected, given=given)


@exercise("graph_convolution")
def test_an_arrow_mixes_both_ways_and_two_count_once(student: Student) -> None:
    x = torch.tensor([[[4.0], [8.0]]])
    for edges in ([(0, 1)], [(1, 0)], [(0, 1), (1, 0)], [(0, 1), (0, 0)]):
        given = f"two concepts (4) and (8), the triples {edges}, weight 1, bias 0"
        close(student.graph_convolution(x, matrix(2, *edges), ONE, NONE), [[[6.0], [6.0]]], given=given)


@exercise("graph_convolution")
def test_weight_bias_and_relu_come_behind_the_mixing(student: Student) -> None:
    x = torch.tensor([[[1.0, 2.0], [3.0, 0.0], [1.0, 1.0]]])
    weight, bias = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]]), torch.tensor([0.5, -2.0, 0.0])
    given = "three concepts of which the first two are joined, weight (3, 2), bias (.5, −2, 0)"
    expected = [[[2.5, 0.0, 1.0], [2.5, 0.0, 1.0], [1.5, 0.0, 0.0]]]
    close(student.graph_convolution(x, matrix(3, (0, 1)), weight, bias), expected, given=given)


# encode_paths
def lstm_of(size: int, cells: int, seed: int) -> torch.nn.LSTM:
    """torch's own LSTM with weights drawn the same each time."""
    lstm, generator = torch.nn.LSTM(size, cells, batch_first=True), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in lstm.parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator) / 2)
    return lstm


def weights_of(lstm: torch.nn.LSTM) -> tuple[Tensor, Tensor, Tensor]:
    """W, U and b of an LSTM, as constants."""
    read, recur, bias, other_bias = (weight.detach() for weight in lstm.parameters())
    return read, recur, bias + other_bias


def read(lstm: torch.nn.LSTM, nodes: Tensor, relations: Tensor, path: list[list[int]]) -> Tensor:
    """The state of torch's LSTM after one path."""
    rows = [torch.cat([nodes[a], relations[r], nodes[b]]) for a, r, b in path]
    with torch.no_grad():
        states: Tensor = lstm(torch.stack(rows)[None])[0]  # (1, L, C)
    return states[0, -1]


def tables(seed: int) -> tuple[Tensor, Tensor]:
    """Four concepts of width 3, five relations of width 2."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(4, 3, generator=generator), torch.randn(5, 2, generator=generator)


PATHS = [[[0, 4, 1]], [[3, 0, 2], [2, 1, 1]], [[1, 2, 0], [0, 3, 3], [3, 4, 2]]]


@exercise("encode_paths")
def test_one_step_counted_by_hand(student: Student) -> None:
    # Gates 2·0, ln 3, …: from what is read (1, 2, 3): i = σ(0) = 1/2, f does not matter, g = tanh(ln 2) = 3/5, o = σ(ln 3) = 3/4.
    nodes, relations = torch.tensor([[1.0], [3.0]]), torch.tensor([[2.0]])
    weight = torch.tensor([[0.0, 0.0, 0.0], [9.0, 9.0, 9.0], [0.0, 0.0, LN2 / 3], [LN3, 0.0, 0.0]])
    found = student.encode_paths(
        nodes, relations, torch.tensor([[[0, 0, 1]]]), torch.tensor([1]), weight, torch.zeros(4, 1), torch.zeros(4)
    )
    given = "one path of one step, concepts (1) and (3), relation (2), i = 1/2, g = 3/5, o = 3/4"
    close(found, [[0.75 * math.tanh(0.3)]], given=given)


@exercise("encode_paths")
def test_three_paths_of_one_length_are_torchs(student: Student) -> None:
    (nodes, relations), lstm = tables(1), lstm_of(8, 4, 2)
    some = [[[0, 4, 1], [1, 0, 2]], [[3, 0, 2], [2, 1, 1]], [[1, 2, 0], [0, 3, 3]]]
    expected = torch.stack([read(lstm, nodes, relations, path) for path in some])
    found = student.encode_paths(nodes, relations, torch.tensor(some), torch.tensor([2, 2, 2]), *weights_of(lstm))
    close(
        found,
        expected,
        given="three paths of two steps, concepts of width 3, relations of width 2, four cells",
        atol=1e-5,
    )


@exercise("encode_paths")
def test_a_short_path_does_not_read_its_padding(student: Student) -> None:
    (nodes, relations), lstm = tables(3), lstm_of(8, 4, 4)
    padded = [path + [[2, 2, 2]] * (3 - len(path)) for path in PATHS]
    expected = torch.stack([read(lstm, nodes, relations, path) for path in PATHS])
    found = student.encode_paths(nodes, relations, torch.tensor(padded), torch.tensor([1, 2, 3]), *weights_of(lstm))
    close(found, expected, given="paths of one, two and three steps, padded to three", atol=1e-5)


@exercise("encode_paths", points=0.5, needs="test_three_paths_of_one_length_are_torchs")
def test_no_path_at_all_gives_no_row(student: Student) -> None:
    (nodes, relations), lstm = tables(5), lstm_of(8, 4, 6)
    nothing = torch.zeros(0, 2, 3, dtype=torch.long), torch.zeros(0, dtype=torch.long)
    found = student.encode_paths(nodes, relations, *nothing, *weights_of(lstm))
    equal(list(found.shape), [0, 4], given="no path, four cells: the shape")


# attention_weights
@exercise("attention_weights")
def test_three_paths_weigh_as_the_softmax_of_their_scores(student: Student) -> None:
    # T W = (ln 2, 0): the scores are ln 2 times the paths' first number.
    pairs, weight = torch.tensor([[[1.0, 5.0]]]), torch.tensor([[LN2, 0.0], [0.0, 0.0]])
    paths_of = torch.tensor([[[[0.0, 8.0], [1.0, 16.0], [2.0, 24.0]]]])
    given = "T = (1, 5), W₁ = ((ln 2, 0), (0, 0)), the paths (0, 8), (1, 16), (2, 24), all real"
    found = student.attention_weights(pairs, paths_of, torch.ones(1, 1, 3).bool(), weight)
    close(found, [[[1 / 7, 2 / 7, 4 / 7]]], given=given)


@exercise("attention_weights")
def test_padding_has_no_weight_whatever_stands_there(student: Student) -> None:
    pairs, weight = torch.tensor([[[1.0]]]), torch.tensor([[1.0]])
    paths_of = torch.tensor([[[[LN3], [50.0], [0.0]]]])
    given = "T = 1, W₁ = 1, the paths (ln 3), (50), (0), of which the second is padding"
    found = student.attention_weights(pairs, paths_of, torch.tensor([[[True, False, True]]]), weight)
    close(found, [[[3 / 4, 0.0, 1 / 4]]], given=given)


@exercise("attention_weights")
def test_each_pair_asks_its_own_paths(student: Student) -> None:
    generator = torch.Generator().manual_seed(7)
    pairs, paths_of = torch.randn(2, 3, 4, generator=generator), torch.randn(2, 3, 2, 5, generator=generator)
    weight = torch.randn(4, 5, generator=generator)
    expected = [
        [functional.softmax(own @ (one @ weight), dim=0) for one, own in zip(*of, strict=True)]
        for of in zip(pairs, paths_of, strict=True)
    ]
    found = student.attention_weights(pairs, paths_of, torch.ones(2, 3, 2).bool(), weight)
    given = "two statements of three pairs of two paths, D = 4, C = 5"
    close(found, torch.stack([torch.stack(row) for row in expected]), given=given, atol=1e-5)


@exercise("attention_weights")
def test_a_statement_asks_its_pairs(student: Student) -> None:
    statements, weight = torch.tensor([[1.0, 9.0], [2.0, 0.0]]), torch.tensor([[LN2], [0.0]])
    pairs = torch.tensor([[[0.0], [1.0], [2.0]], [[1.0], [0.0], [7.0]]])
    real = torch.tensor([[True, True, True], [True, True, False]])
    given = "s = (1, 9) and (2, 0), W₂ = (ln 2, 0), T = 0, 1, 2 and 1, 0, padding"
    found = student.attention_weights(statements, pairs, real, weight)
    close(found, [[1 / 7, 2 / 7, 4 / 7], [4 / 5, 1 / 5, 0.0]], given=given)


@exercise("attention_weights")
def test_where_there_is_nothing_there_are_zeros(student: Student) -> None:
    pairs, paths_of = torch.tensor([[[2.0], [1.0]]]), torch.tensor([[[[3.0], [4.0]], [[5.0], [5.0]]]])
    real = torch.tensor([[[False, False], [True, True]]])
    given = "two pairs of two paths, those of the first pair both padding"
    found = student.attention_weights(pairs, paths_of, real, torch.ones(1, 1))
    close(found, [[[0.0, 0.0], [0.5, 0.5]]], given=given)


# graph_vector
@exercise("graph_vector")
def test_the_paths_of_one_pair_are_summed_by_alpha(student: Student) -> None:
    paths_of, alpha = torch.tensor([[[[4.0, 0.0], [8.0, 4.0], [70.0, 70.0]]]]), torch.tensor([[[3 / 4, 1 / 4, 0.0]]])
    given = "one pair with β = 1 and T = (9), the paths (4, 0), (8, 4), padding, α = 3/4, 1/4, 0"
    found = student.graph_vector(paths_of, alpha, torch.tensor([[[9.0]]]), torch.ones(1, 1))
    close(found, [[5.0, 1.0, 9.0]], given=given)


@exercise("graph_vector")
def test_pairs_are_summed_by_beta_with_their_own_vectors(student: Student) -> None:
    paths_of = torch.tensor([[[[8.0]], [[16.0]], [[5.0]]]])  # one path each
    pairs, beta = torch.tensor([[[1.0, 0.0], [0.0, 2.0], [6.0, 6.0]]]), torch.tensor([[1 / 4, 3 / 4, 0.0]])
    given = "three pairs of one path, p = 8, 16, 5, T = (1, 0), (0, 2), (6, 6), α = 1, β = 1/4, 3/4, 0"
    found = student.graph_vector(paths_of, torch.ones(1, 3, 1), pairs, beta)
    close(found, [[14.0, 0.25, 1.5]], given=given)


@exercise("graph_vector")
def test_a_pair_without_a_path_brings_its_own_vector_alone(student: Student) -> None:
    paths_of, alpha = torch.tensor([[[[3.0]], [[4.0]]]]), torch.tensor([[[0.0], [1.0]]])
    given = "two pairs, the first without a path (α = 0), p = 4 for the second, T = 2, 6, β = 1/2, 1/2"
    found = student.graph_vector(paths_of, alpha, torch.tensor([[[2.0], [6.0]]]), torch.tensor([[0.5, 0.5]]))
    close(found, [[2.0, 4.0]], given=given)


@exercise("graph_vector")
def test_each_statement_has_its_own_vector(student: Student) -> None:
    generator = torch.Generator().manual_seed(9)
    paths_of, pairs = torch.randn(3, 4, 2, 5, generator=generator), torch.randn(3, 4, 6, generator=generator)
    alpha, beta = torch.rand(3, 4, 2, generator=generator), torch.rand(3, 4, generator=generator)
    expected = torch.zeros(3, 11)
    for s in range(3):
        for m in range(4):
            expected[s, :5] += beta[s, m] * (alpha[s, m] @ paths_of[s, m])
            expected[s, 5:] += beta[s, m] * pairs[s, m]
    given = "three statements of four pairs of two paths, C = 5, D = 6"
    close(student.graph_vector(paths_of, alpha, pairs, beta), expected, given=given, atol=1e-5)
