"""kagnet: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
from collections.abc import Iterable
from itertools import pairwise, permutations, product
from typing import Any

import torch
from hypothesis.strategies import integers, lists, sampled_from, sets, tuples
from hypothesis.strategies import permutations as orders
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch.nn import functional
from torch.nn.utils import vector_to_parameters

from etude.concept_graph import ConceptWorld, Triple, multigraph, renamed, rewired, simple_paths
from etude.lesson.checks import Mismatch, claim, close, close_gradients, equal, exercise, true
from etude.lesson.gradients import WEIGHTED, scalar
from etude.lesson.interface import Student
from etude.models.kagnet import KagNet, KagNetConfig, Scored, Statements, TextAlone, collate
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons.generated import for_all

LETTERS = "abcde"


def drawn(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def eighths(*shape: int, seed: int) -> Tensor:
    """Numbers from −2 to 2 in eighths, float64."""
    return torch.randint(-16, 17, shape, generator=drawn(seed)).double() / 8


def kind(value: Any) -> str:
    return str(getattr(value, "dtype", type(value).__name__))


# ground
def longest_first(lemmas: list[str], concepts: set[str], stop_words: set[str]) -> list[str]:
    """Takes the best n-gram that is left, again and again."""
    open_places = set(range(len(lemmas)))
    found: dict[int, str] = {}
    while True:
        spans = [
            (start, end)
            for start in range(len(lemmas))
            for end in range(start + 1, len(lemmas) + 1)
            if open_places.issuperset(range(start, end))
            and "_".join(lemmas[start:end]) in concepts
            and any(word not in stop_words for word in lemmas[start:end])
        ]
        if not spans:
            return list(dict.fromkeys(found[start] for start in sorted(found)))
        start, end = min(spans, key=lambda span: (span[0] - span[1], span[0]))
        found[start] = "_".join(lemmas[start:end])
        open_places.difference_update(range(start, end))


POOL = ("a", "b", "ab", "excavator")  # names of few words may have many letters


@exercise("ground")
@for_all(
    lemmas=lists(sampled_from(POOL), max_size=7),
    some=lists(lists(sampled_from(POOL), min_size=1, max_size=4), max_size=7),
    stop_words=sets(sampled_from(POOL), max_size=2),
)
def test_any_text_is_grounded_by_its_longest_matches(
    student: Student, lemmas: list[str], some: list[list[str]], stop_words: set[str]
) -> None:
    concepts = {"_".join(words) for words in some}
    equal(list(student.ground(lemmas, concepts, stop_words)), longest_first(lemmas, concepts, stop_words))


@exercise("ground", points=0.5, needs="test_concepts_come_in_the_order_of_the_text")
def test_long_texts_and_long_names_are_grounded_whole(student: Student) -> None:
    lemmas = [f"w{number}" for number in range(40)]
    long = "_".join(lemmas[20:35])
    given = "forty lemmas w0 … w39, the concepts w15, w39 and the one that joins w20 to w34"
    equal(list(student.ground(lemmas, {"w39", "w15", long, "w21"}, set())), ["w15", long, "w39"], given=given)
    given = "forty lemmas w0 … w39, each a concept"
    equal(list(student.ground(lemmas, set(lemmas), set())), lemmas, given=given)


@exercise("ground", points=0.5, needs="test_concepts_come_in_the_order_of_the_text")
def test_capital_letters_are_other_letters(student: Student) -> None:
    given = "the lemmas (Rose, rose, the), the concepts rose, Rose, The; the stop word Rose"
    equal(list(student.ground(["Rose", "rose", "the"], {"rose", "Rose", "The"}, {"Rose"})), ["rose"], given=given)
    equal(list(student.ground(["Rose"], {"rose"}, set())), [], given="the lemma Rose, the concept rose")
    given = "the lemmas (café, cafe, straße), the first with one sign for é, the concepts cafe, café with a sign of its own for the accent, strasse"
    equal(list(student.ground(["café", "cafe", "straße"], {"cafe\u0301", "cafe", "strasse"}, set())), ["cafe"], given=given)


@exercise("ground", points=0.5, needs="test_the_longest_match_takes_its_words")
def test_the_longest_has_the_most_words_not_letters(student: Student) -> None:
    given = "the lemmas (a, b, c, excavator), the concepts a_b_c and c_excavator"
    equal(list(student.ground(["a", "b", "c", "excavator"], {"a_b_c", "c_excavator"}, set())), ["a_b_c"], given=given)
    given = "the lemmas (a, b, excavator), the concepts a_b and b_excavator"
    equal(list(student.ground(["a", "b", "excavator"], {"a_b", "b_excavator"}, set())), ["a_b"], given=given)


@exercise("ground", points=0.5, needs="test_the_longest_match_takes_its_words")
def test_words_are_told_apart_by_their_places(student: Student) -> None:
    for text, concepts, expected in (
        ("flower to plant flower", {"plant_flower", "flower"}, ["flower", "plant_flower"]),
        ("plant the plant flower", {"plant_flower", "plant"}, ["plant", "plant_flower"]),
        ("plant flower plant flower", {"plant_flower", "plant", "flower"}, ["plant_flower"]),
    ):
        given = f"the lemmas ({text.replace(' ', ', ')}), the concepts {', '.join(sorted(concepts))}"
        equal(list(student.ground(text.split(), concepts, set())), expected, given=given)


# both_directions
RELATIONS = ("r", "s")
SOME_TRIPLES = lists(tuples(sampled_from(LETTERS), sampled_from(RELATIONS), sampled_from(LETTERS)), max_size=9)


def star(triples: list[Triple]) -> dict[str, list[tuple[str, str]]]:
    """Each concept's neighbours, by asking all triples for each."""
    names = {name for head, _, tail in triples for name in (head, tail)}
    return {
        name: sorted(
            {(r, b) for a, r, b in triples if a == name != b} | {(f"{r}*", a) for a, r, b in triples if b == name != a}
        )
        for name in names
    }


def rows(value: Any) -> dict[str, list[tuple[str, str]]]:
    if not isinstance(value, dict) or not all(isinstance(one, list | tuple) for one in value.values()):
        raise Mismatch("a dict of lists was expected", actual=value)
    try:
        return {name: sorted((str(relation), str(other)) for relation, other in one) for name, one in value.items()}
    except (TypeError, ValueError):
        raise Mismatch("pairs (relation, concept) were expected in the lists", actual=value) from None


@exercise("both_directions")
@for_all(triples=SOME_TRIPLES)
def test_any_triples_lead_both_ways(student: Student, triples: list[Triple]) -> None:
    equal(rows(student.both_directions(triples)), star(triples))


@exercise("both_directions", points=0.5, needs="test_each_triple_is_walked_both_ways")
def test_many_triples_are_all_there(student: Student) -> None:
    triples = [("hub", "r", f"x{number}") for number in range(25)] + [
        (f"y{number}", "s", "hub") for number in range(25)
    ]
    given = "25 triples from hub, 25 to it"
    equal(rows(student.both_directions(triples)), star(triples), given=given)


@exercise("both_directions", points=0.5, needs="test_each_triple_is_walked_both_ways")
def test_names_and_relations_are_taken_as_they_stand(student: Student) -> None:
    triples = [("a", "RelatedTo", "b"), ("plant", "r", "plant_flower"), ("flower_bed", "r", "flower")]
    for some in (
        [*triples, ("Turkey", "r", "turkey")],
        [("a", "Synonym", "b"), ("a", "Antonym", "b"), ("a", "IsA", "b"), ("a", "isa", "b")],
        [("café", "r", "cafe\u0301"), ("a", "r", "a "), ("plant_flower", "r", "plant flower")],
        [("a", "r", "b"), ("b", "r", "a"), ("b", "s", "b"), ("a", "r", "b"), ("c", "r", "c")],
    ):
        given = "; ".join(", ".join(triple) for triple in some)
        equal(rows(student.both_directions(some)), star(some), given=given)


# find_paths
def brute_force(triples: list[Triple], source: str, target: str, longest: int) -> list[list[Triple]]:
    """All simple paths: every row of concepts in between, every row of relations along it."""
    neighbours, found = star(triples), []
    if source == target or source not in neighbours or target not in neighbours:
        return []
    between = sorted(set(neighbours) - {source, target})
    for size in range(min(longest, len(between) + 1)):
        for middle in permutations(between, size):
            ways = [
                [(here, relation, there) for relation, other in neighbours[here] if other == there]
                for here, there in pairwise([source, *middle, target])
            ]
            found += [list(path) for path in product(*ways)]
    return sorted(found)


def paths(value: Any) -> list[list[Triple]]:
    try:
        return sorted([(str(a), str(r), str(b)) for a, r, b in path] for path in value)
    except (TypeError, ValueError):
        raise Mismatch("a list of paths was expected, each a list of (from, relation, to)", actual=value) from None


@exercise("find_paths")
@for_all(
    triples=SOME_TRIPLES,
    source=sampled_from(LETTERS),
    target=sampled_from(LETTERS[::-1]),
    longest=integers(0, 5),
)
def test_any_two_concepts_have_the_paths_of_brute_force(
    student: Student, triples: list[Triple], source: str, target: str, longest: int
) -> None:
    expected = brute_force(triples, source, target, longest)
    equal(paths(student.find_paths(star(triples), source, target, longest)), expected)


@exercise("find_paths", points=0.5, needs="test_no_path_is_longer_than_asked_for")
def test_a_hub_with_many_neighbours_is_searched_whole(student: Student) -> None:
    middle = [f"x{number:02}" for number in range(30)]
    triples = [("a", "r", one) for one in middle] + [(one, "s", "z") for one in middle]
    given = "a –r→ x00 … x29 –s→ z, from a to z, up to two steps"
    expected = [[("a", "r", one), (one, "s", "z")] for one in middle]
    equal(paths(student.find_paths(star(triples), "a", "z", 2)), expected, given=given)


@exercise("find_paths", points=0.5, needs="test_no_path_is_longer_than_asked_for")
def test_concepts_are_told_apart_by_their_whole_names(student: Student) -> None:
    triples = [("ground", "flower", "plant_flower"), ("plant_flower", "r", "flower"), ("flower", "s", "plant")]
    given = "ground –flower→ plant_flower –r→ flower –s→ plant, from ground to plant, up to three steps"
    equal(paths(student.find_paths(star(triples), "ground", "plant", 3)), [triples], given=given)


@exercise("find_paths", points=0.5, needs="test_no_path_is_longer_than_asked_for")
def test_a_long_chain_is_walked_to_its_end(student: Student) -> None:
    names = [f"x{number:02}" for number in range(13)]
    triples = [(here, "r", there) for here, there in pairwise(names)]
    given = "a chain x00 –r→ x01 –r→ … x12, from end to end, up to twelve steps"
    equal(paths(student.find_paths(star(triples), "x00", "x12", 12)), [triples], given=given)
    equal(paths(student.find_paths(star(triples), "x00", "x12", 11)), [], given=given.replace("twelve", "eleven"))


# schema_graph
def between(triples: list[Triple], question: list[str], answer: list[str], longest: int) -> Any:
    """The schema graph by brute force: (concepts, triples, paths)."""
    found = {(one, other): brute_force(triples, one, other, longest) for one in question for other in answer}
    inside: set[Triple] = set()
    for path in (path for some in found.values() for path in some):
        inside |= {(b, r[:-1], a) if r.endswith("*") else (a, r, b) for a, r, b in path}
    for names in (question, answer):
        inside |= {(a, r, b) for a, r, b in triples if a != b and a in names and b in names}
    return {name for a, _, b in inside for name in (a, b)} | {*question, *answer}, inside, found


@claim("kagnet-subgraph")
@exercise("schema_graph")
@for_all(
    triples=SOME_TRIPLES,
    names=orders(LETTERS),
    cuts=tuples(integers(0, 2), integers(0, 2)),
    first=sampled_from((2, 1)),
    longest=integers(1, 3),
)
def test_any_question_and_answer_get_the_graph_between_their_concepts(
    student: Student, triples: list[Triple], names: Any, cuts: tuple[int, int], first: int, longest: int
) -> None:
    question, answer = list(names[: cuts[0]]), list(names[first : first + cuts[1]])  # perhaps with a name of both
    found = student.schema_graph(star(triples), question, answer, longest)
    expected = between(triples, question, answer, longest)
    equal(parts_of(found), expected)
    if question and answer:  # control: another question's concept in place of the first one gives its own graph
        other = [names[4], *question[1:]]
        equal(
            parts_of(student.schema_graph(star(triples), other, answer, longest)),
            between(triples, other, answer, longest),
        )


def parts_of(found: Any) -> Any:
    try:
        concepts, triples, some = found
        for one in (concepts, triples):
            true(isinstance(one, set | frozenset), "a set was expected", actual=one)
        sets_of = set(concepts), {(str(a), str(r), str(b)) for a, r, b in triples}
        return *sets_of, {(str(a), str(b)): paths(one) for (a, b), one in some.items()}
    except (TypeError, ValueError, AttributeError):
        raise Mismatch("three values were expected: concepts, triples, paths", actual=found) from None


@exercise("schema_graph", points=0.5, needs="test_it_holds_what_stands_on_paths_and_nothing_else")
def test_a_concept_of_both_question_and_answer_has_no_path_to_itself(student: Student) -> None:
    triples = [("a", "r", "b"), ("b", "s", "c")]
    given = "a –r→ b –s→ c, the question's a and b, the answer's b, up to two steps"
    equal(
        parts_of(student.schema_graph(star(triples), ["a", "b"], ["b"], 2)),
        between(triples, ["a", "b"], ["b"], 2),
        given=given,
    )


@exercise("schema_graph", points=0.5, needs="test_it_holds_what_stands_on_paths_and_nothing_else")
def test_detours_within_the_question_and_across_paths_stay_outside(student: Student) -> None:
    triples = [("p", "r", "x"), ("x", "r", "q"), ("p", "s", "a")]
    given = "p –r→ x –r→ q, p –s→ a, the question's p and q, the answer's a, up to two steps"
    found = student.schema_graph(star(triples), ["p", "q"], ["a"], 2)
    equal(parts_of(found), between(triples, ["p", "q"], ["a"], 2), given=given)
    triples = [("q", "r", "x"), ("x", "r", "a"), ("q", "r", "y"), ("y", "r", "a"), ("x", "s", "y")]
    given = "q –r→ x –r→ a, q –r→ y –r→ a, x –s→ y, the question's q, the answer's a, up to two steps"
    found = student.schema_graph(star(triples), ["q"], ["a"], 2)
    equal(parts_of(found), between(triples, ["q"], ["a"], 2), given=given)


@exercise("schema_graph", points=0.5, needs="test_it_holds_what_stands_on_paths_and_nothing_else")
def test_concepts_that_the_graph_does_not_hold_stand_alone(student: Student) -> None:
    given = "a –r→ b, the question's a and elsewhere, the answer's b and nowhere, up to two steps"
    question, answer = ["a", "elsewhere"], ["b", "nowhere"]
    expected = between([("a", "r", "b")], question, answer, 2)
    equal(parts_of(student.schema_graph(star([("a", "r", "b")]), question, answer, 2)), expected, given=given)


@exercise("schema_graph", points=0.5, needs="test_it_holds_what_stands_on_paths_and_nothing_else")
def test_many_concepts_and_paths_are_all_there(student: Student) -> None:
    question, middle = [f"q{number:02}" for number in range(12)], [f"x{number:02}" for number in range(12)]
    triples = [(one, "r", other) for one, other in zip(question, middle, strict=True)]
    triples += [(other, "s", f"a{number:02}") for number, other in enumerate(middle)]
    triples += [("q00", "r", f"q{number:02}") for number in range(1, 12)] + [("q10", "r", "q11")]
    answer = [f"a{number:02}" for number in range(12)]
    given = "q00 … q11 –r→ x00 … x11 –s→ a00 … a11, q00 –r→ q01 … q11, q10 –r→ q11, up to two steps"
    neighbours = star(triples)
    ways = {(q, a): [[(q, "r", x), (x, "s", a)]] for q, x, a in zip(question, middle, answer, strict=True)}
    expected = {pair: ways.get(pair, []) for pair in product(question, answer)}
    found = parts_of(student.schema_graph(neighbours, question, answer, 2))
    equal(found, ({*question, *middle, *answer}, set(triples), expected), given=given)


@exercise("schema_graph", points=0.5, needs="test_it_holds_what_stands_on_paths_and_nothing_else")
def test_many_and_long_paths_and_many_neighbours_are_all_there(student: Student) -> None:
    middle, chain = [f"x{number:02}" for number in range(12)], [f"y{number:02}" for number in range(13)]
    wide = [("a", "r", one) for one in middle] + [(one, "s", "b") for one in middle]
    for triples, ends, longest in (
        (wide, ("a", "b"), 2),
        ([(one, "r", other) for one, other in pairwise(chain)], ("y00", "y12"), 12),
    ):
        found = parts_of(student.schema_graph(star(triples), [ends[0]], [ends[1]], longest))
        expected = [[(a, "r", x), (x, "s", b)] for a, b in [ends] for x in middle] if triples is wide else [triples]
        given = (
            "a –r→ x00 … x11 –s→ b, up to two steps"
            if triples is wide
            else "a chain y00 –r→ y01 … y12, up to twelve steps"
        )
        equal(found, (set(star(triples)), set(triples), {ends: expected}), given=f"{given}, from end to end")
    leaves = [(hub, "r", f"{hub}{number:02}") for hub in ("a", "b") for number in range(12)]
    given = "a and b with twelve neighbours each and a –z→ b, the question's a and b, the answer's c, up to two steps"
    found = parts_of(student.schema_graph(star([*leaves, ("a", "z", "b")]), ["a", "b"], ["c"], 2))
    equal(found, ({"a", "b", "c"}, {("a", "z", "b")}, {("a", "c"): [], ("b", "c"): []}), given=given)


# path_scores
def one_by_one(concepts: Tensor, relations: Tensor, steps: Tensor, lengths: Tensor) -> list[float]:
    """Each step by itself, in float64."""
    found = []
    for path, length in zip(steps.tolist(), lengths.tolist(), strict=True):
        score = 1.0
        for here, relation, there in path[:length]:
            head, tail = (there, here) if relation >= len(relations) else (here, there)
            r, moved = relations[relation % len(relations)].double(), (concepts[tail] - concepts[head]).double()
            length_of = float(r.norm() * moved.norm())
            score *= (1 + (float(r @ moved) / length_of if length_of else 0.0)) / 2
        found.append(score)
    return found


@exercise("path_scores")
@for_all(
    count=integers(1, 4), longest=integers(1, 4), width=integers(1, 4), kinds=integers(1, 3), shift=integers(0, 10**6)
)
def test_any_paths_score_what_their_steps_do(
    student: Student, count: int, longest: int, width: int, kinds: int, shift: int
) -> None:
    concepts, relations = eighths(5, width, seed=shift), eighths(kinds, width, seed=shift + 1)
    ends = torch.randint(0, 5, (count, longest, 2), generator=drawn(shift + 2))
    which = torch.randint(0, 2 * kinds, (count, longest, 1), generator=drawn(shift + 3))
    steps = torch.cat([ends[..., :1], which, ends[..., 1:]], dim=-1)
    lengths = torch.randint(1, longest + 1, (count,), generator=drawn(shift + 4))
    close(
        student.path_scores(concepts, relations, steps, lengths),
        one_by_one(concepts, relations, steps, lengths),
        atol=1e-5,
    )


@exercise("path_scores", points=0.5, needs="test_a_path_is_the_product_of_its_steps")
def test_vectors_of_zeros_are_half_likely(student: Student) -> None:
    concepts, relations = torch.tensor([[1.0, 2.0], [1.0, 2.0], [3.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 0.0]])
    steps, lengths = torch.tensor([[[0, 0, 1]], [[0, 1, 2]], [[1, 2, 0]]]), torch.tensor([1, 1, 1])
    given = "a step between two equal vectors, forwards and backwards, and one whose relation is a vector of zeros"
    close(student.path_scores(concepts, relations, steps, lengths), [0.5, 0.5, 0.5], given=given)


@exercise("path_scores", points=0.5, needs="test_a_path_is_the_product_of_its_steps")
def test_only_directions_count_and_no_path_gives_no_score(student: Student) -> None:
    concepts, relations = eighths(4, 3, seed=1), eighths(2, 3, seed=2)
    steps, lengths = torch.tensor([[[0, 0, 1], [1, 3, 2]], [[3, 1, 0], [0, 2, 2]]]), torch.tensor([2, 2])
    expected = one_by_one(concepts, relations, steps, lengths)
    for scale in (2.0**-16, 2.0**20):
        given = f"two paths of two steps, all vectors times {scale:g}, float64"
        found = student.path_scores(concepts * scale, relations * scale, steps, lengths)
        close(found, expected, given=given, rtol=1e-6)
        equal(kind(found), "torch.float64", given=f"{given}: the type")
    nothing = torch.zeros(0, 2, 3, dtype=torch.long), torch.zeros(0, dtype=torch.long)
    equal(list(student.path_scores(concepts, relations, *nothing).shape), [0], given="no path: the shape")


@exercise("path_scores", points=0.5, needs="test_a_path_is_the_product_of_its_steps")
def test_many_long_paths_are_scored_whole(student: Student) -> None:
    concepts, relations = eighths(9, 5, seed=3), eighths(4, 5, seed=4)
    ends = torch.randint(0, 9, (30, 12, 2), generator=drawn(5))
    steps = torch.cat([ends[..., :1], torch.randint(0, 8, (30, 12, 1), generator=drawn(6)), ends[..., 1:]], dim=-1)
    lengths = torch.tensor([12, 1, 11] * 10)
    found = student.path_scores(concepts, relations, steps, lengths)
    given = "thirty paths of 12, 1 and 11 steps, float64"
    close(found, one_by_one(concepts, relations, steps, lengths), given=given, rtol=1e-5, atol=1e-12)


# graph_convolution
def convolved(x: Tensor, weight: Tensor, bias: Tensor, adjacency: Tensor) -> Tensor:
    """Concept by concept: the sum over its neighbours and itself, each divided by the roots of both degrees."""
    found = []
    for graph, arrows in zip(x, adjacency.tolist(), strict=True):
        size = len(graph)
        near = [[j for j in range(size) if j == i or arrows[i][j] or arrows[j][i]] for i in range(size)]
        for i in range(size):
            mixed = torch.stack([graph[j] / (len(near[i]) * len(near[j])) ** 0.5 for j in near[i]]).sum(dim=0)
            found.append(functional.relu(weight @ mixed + bias))
    return torch.stack(found).reshape(*x.shape[:2], -1)


@exercise("graph_convolution")
@for_all(
    graphs=integers(1, 3), size=integers(1, 5), width=integers(1, 3), wide=integers(1, 3), shift=integers(0, 10**6)
)
def test_any_graph_is_mixed_concept_by_concept(
    student: Student, graphs: int, size: int, width: int, wide: int, shift: int
) -> None:
    x, weight, bias = (
        eighths(graphs, size, width, seed=shift),
        eighths(wide, width, seed=shift + 1),
        eighths(wide, seed=shift + 2),
    )
    adjacency = torch.rand(graphs, size, size, generator=drawn(shift + 3)) < 0.3
    close(student.graph_convolution(x, adjacency, weight, bias), convolved(x, weight, bias, adjacency), atol=1e-5)


@exercise("graph_convolution", points=0.5)
def test_vectors_weight_and_bias_learn(student: Student) -> None:
    tensors = {
        "x": eighths(2, 3, 2, seed=4) + 2.03,
        "weight": eighths(3, 2, seed=5).abs() + 0.1,
        "bias": eighths(3, seed=6),
    }
    adjacency = torch.rand(2, 3, 3, generator=drawn(7)) < 0.4

    def oracle(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return convolved(x, weight, bias, adjacency)

    leaves = [tensor.clone().requires_grad_() for tensor in tensors.values()]
    expected = torch.autograd.grad(scalar(oracle(*leaves)), leaves)
    asked = [tensor.clone().requires_grad_() for tensor in tensors.values()]
    found = student.gradients("graph_convolution", asked[0], adjacency, asked[1], asked[2])
    for name, gradient, wanted in zip(tensors, found, expected, strict=True):
        given = f"two graphs of three concepts, float64; the gradient for {name}{WEIGHTED}"
        true(gradient is not None, "it knows nothing of the numbers that it comes from", given=given)
        close(gradient, wanted, given=given)


@exercise("graph_convolution", points=0.5, needs="test_a_chain_is_mixed_by_the_roots_of_both_degrees")
def test_the_convolution_keeps_double_precision(student: Student) -> None:
    x, weight, bias = eighths(1, 4, 3, seed=8) / 3, eighths(2, 3, seed=9), eighths(2, seed=10)
    adjacency = torch.zeros(1, 4, 4, dtype=torch.bool)
    adjacency[0, 0, 1:] = True
    found = student.graph_convolution(x, adjacency, weight, bias)
    given = "a star of four concepts, float64, to ten digits"
    close(found, convolved(x, weight, bias, adjacency), given=given, rtol=1e-10, atol=1e-12)
    equal(kind(found), "torch.float64", given=f"{given}: the type")


@exercise("graph_convolution", points=0.5, needs="test_a_chain_is_mixed_by_the_roots_of_both_degrees")
def test_a_hub_of_many_concepts_is_mixed_whole(student: Student) -> None:
    adjacency = torch.zeros(1, 40, 40, dtype=torch.bool)
    adjacency[0, 1:, 0] = True
    x = torch.arange(40.0)[None, :, None]
    one, zero = torch.ones(1, 1), torch.zeros(1)
    given = "a hub and its 39 neighbours, of which concept i holds the number i"
    close(student.graph_convolution(x, adjacency, one, zero), convolved(x, one, zero, adjacency), given=given)


# encode_paths
def read_one(parts: Iterable[Tensor], path: list[list[int]]) -> Tensor:
    """torch's own LSTM cell along one path; parts: as `encoder_of` names them."""
    nodes, relations, read, recur, bias = parts
    state = cell = nodes.new_zeros(1, recur.shape[1])
    for here, relation, there in path:
        x = torch.cat([nodes[here], relations[relation], nodes[there]])[None]
        state, cell = torch.lstm_cell(x, (state, cell), read, recur, bias, torch.zeros_like(bias))
    return state[0]


def paths_drawn(count: int, longest: int, shift: int) -> tuple[Tensor, Tensor]:
    """Steps among four concepts and three relations, and lengths."""
    ends = torch.randint(0, 4, (count, longest, 2), generator=drawn(shift))
    which = torch.randint(0, 3, (count, longest, 1), generator=drawn(shift + 1))
    lengths = torch.randint(1, longest + 1, (count,), generator=drawn(shift + 2))
    return torch.cat([ends[..., :1], which, ends[..., 1:]], dim=-1), lengths


def encoder_of(width: int, relation: int, cells: int, shift: int) -> dict[str, Tensor]:
    return {
        "nodes": eighths(4, width, seed=shift),
        "relations": eighths(3, relation, seed=shift + 1),
        "read": eighths(4 * cells, 2 * width + relation, seed=shift + 2) / 2,
        "recur": eighths(4 * cells, cells, seed=shift + 3) / 2,
        "bias": eighths(4 * cells, seed=shift + 4),
    }


@exercise("encode_paths")
@for_all(
    count=integers(1, 4),
    longest=integers(1, 4),
    width=integers(1, 3),
    relation=integers(1, 3),
    cells=integers(1, 3),
    shift=integers(0, 10**6),
)
def test_any_paths_are_read_as_one_by_one(
    student: Student, count: int, longest: int, width: int, relation: int, cells: int, shift: int
) -> None:
    parts = encoder_of(width, relation, cells, shift)
    steps, lengths = paths_drawn(count, longest, shift)
    expected = [read_one(parts.values(), path[:n]) for path, n in zip(steps.tolist(), lengths.tolist(), strict=True)]
    nodes, relations, *weights = parts.values()
    close(student.encode_paths(nodes, relations, steps, lengths, *weights), torch.stack(expected), atol=1e-5)


@exercise("encode_paths", points=0.5, needs="test_three_paths_of_one_length_are_torchs")
def test_concepts_relations_and_weights_learn(student: Student) -> None:
    parts, (steps, lengths) = encoder_of(2, 2, 3, 11), paths_drawn(4, 3, 12)
    leaves = [tensor.clone().requires_grad_() for tensor in parts.values()]
    states = [read_one(leaves, path[:n]) for path, n in zip(steps.tolist(), lengths.tolist(), strict=True)]
    expected = torch.autograd.grad(scalar(torch.stack(states)), leaves)
    asked = [tensor.clone().requires_grad_() for tensor in parts.values()]
    found = student.gradients("encode_paths", asked[0], asked[1], steps, lengths, *asked[2:])
    for name, gradient, wanted in zip(parts, found, expected, strict=True):
        given = f"four paths of up to three steps, float64; the gradient for {name}{WEIGHTED}"
        true(gradient is not None, "it knows nothing of the numbers that it comes from", given=given)
        close(gradient, wanted, given=given)


@exercise("encode_paths", points=0.5, needs="test_three_paths_of_one_length_are_torchs")
def test_many_long_paths_are_read_to_their_end_in_double_precision(student: Student) -> None:
    parts, (steps, lengths) = encoder_of(2, 1, 7, 13), paths_drawn(25, 14, 14)
    expected = [read_one(parts.values(), path[:n]) for path, n in zip(steps.tolist(), lengths.tolist(), strict=True)]
    nodes, relations, *weights = parts.values()
    found = student.encode_paths(nodes, relations, steps, lengths, *weights)
    given = "25 paths of up to 14 steps, float64, to ten digits"
    close(found, torch.stack(expected), given=given, rtol=1e-10, atol=1e-12)
    equal(kind(found), "torch.float64", given=f"{given}: the type")


@exercise("encode_paths", points=0.5, needs="test_three_paths_of_one_length_are_torchs")
def test_great_numbers_saturate_the_gates(student: Student) -> None:
    nodes, relations = torch.tensor([[1.0], [-1.0]]), torch.tensor([[0.0]])
    read = torch.tensor([[900.0, 0.0, 0.0], [900.0, 0.0, 0.0], [900.0, 0.0, 0.0], [900.0, 0.0, 0.0]])
    steps = torch.tensor([[[0, 0, 1]], [[1, 0, 0]]])
    given = "two paths of one step, gates of 900 and −900"
    found = student.encode_paths(nodes, relations, steps, torch.tensor([1, 1]), read, torch.zeros(4, 1), torch.zeros(4))
    close(found, [[float(torch.tanh(torch.tensor(1.0)))], [0.0]], given=given)


# attention_weights
def attended(asking: Tensor, answering: Tensor, weight: Tensor, real: Tensor) -> Tensor:
    """Row by row, what is real alone."""
    found = []
    rows_of = (one.reshape(-1, *one.shape[asking.dim() - 1 :]) for one in (asking, answering, real))
    for one, own, is_real in zip(*rows_of, strict=True):
        places = is_real.nonzero()[:, 0]
        weights = functional.softmax(own[places] @ (weight.T @ one), dim=0)
        found.append(own.new_zeros(len(own)).index_put((places,), weights))
    return torch.stack(found).reshape(real.shape)


@exercise("attention_weights")
@for_all(
    dots=lists(integers(1, 3), max_size=3),
    count=integers(1, 4),
    asks=integers(1, 3),
    cells=integers(1, 3),
    shift=integers(0, 10**6),
)
def test_any_vectors_attend_to_what_is_real(
    student: Student, dots: list[int], count: int, asks: int, cells: int, shift: int
) -> None:
    asking, answering = eighths(*dots, asks, seed=shift), eighths(*dots, count, cells, seed=shift + 1)
    weight, real = eighths(asks, cells, seed=shift + 2), torch.rand(*dots, count, generator=drawn(shift + 3)) < 0.6
    close(
        student.attention_weights(asking, answering, real, weight), attended(asking, answering, weight, real), atol=1e-5
    )


@exercise("attention_weights")
def test_no_gradient_is_lost_or_not_a_number(student: Student) -> None:
    tensors = [eighths(2, 2, 3, seed=21), eighths(2, 2, 3, 2, seed=22), eighths(3, 2, seed=23)]
    real = torch.tensor([[[True, True, False], [False, False, False]], [[True, False, False], [True, True, True]]])
    leaves, asked = ([tensor.clone().requires_grad_() for tensor in tensors] for _ in "12")
    expected = torch.autograd.grad(scalar(attended(leaves[0], leaves[1], leaves[2], real)), leaves)
    found = student.gradients("attention_weights", asked[0], asked[1], real, asked[2])
    for name, gradient, wanted in zip(("asking", "answering", "weight"), found, expected, strict=True):
        given = f"four pairs, one without a path, float64; the gradient for {name}{WEIGHTED}"
        true(gradient is not None, "it knows nothing of the numbers that it comes from", given=given)
        close(gradient, wanted, given=given)


@exercise("attention_weights", points=0.5, needs="test_no_gradient_is_lost_or_not_a_number")
def test_inf_at_padding_reaches_neither_weights_nor_gradients(student: Student) -> None:
    asking, answering, weight = eighths(1, 2, 3, seed=31), eighths(1, 2, 3, 2, seed=32), eighths(3, 2, seed=33)
    real = torch.tensor([[[True, True, False], [False, False, False]]])
    answering[~real] = torch.tensor([[float("inf"), 0.0], [float("nan"), 1.0], [-float("inf"), 2.0], [1e308, -1e308]]).double()
    given = "two pairs, the second without a path, float64; inf, NaN and 1e308 at padding"
    expected = attended(asking, answering, weight, real)
    close(student.attention_weights(asking, answering, real, weight), expected, given=given)
    asked = [tensor.clone().requires_grad_() for tensor in (asking, answering, weight)]
    found = student.gradients("attention_weights", asked[0], asked[1], real, asked[2])
    answering[~real] = 0  # what stands there has no part in any gradient
    leaves = [tensor.clone().requires_grad_() for tensor in (asking, answering, weight)]
    wanted = torch.autograd.grad(scalar(attended(leaves[0], leaves[1], leaves[2], real)), leaves)
    for name, gradient, one in zip(("asking", "answering", "weight"), found, wanted, strict=True):
        where = f"{given}; the gradient for {name}{WEIGHTED}"
        true(gradient is not None, "it knows nothing of the numbers that it comes from", given=where)
        close(gradient, one, given=where)


@exercise("attention_weights", points=0.5, needs="test_three_paths_weigh_as_the_softmax_of_their_scores")
def test_scores_far_from_zero_weigh_as_others_do(student: Student) -> None:
    pairs, weight = torch.tensor([[[1.0], [1.0]]]), torch.tensor([[1.0]])
    paths_of = torch.tensor([[[[-5000.0], [-5000.0], [0.0]], [[5000.0], [4000.0], [5000.0]]]])
    real = torch.tensor([[[True, True, False], [True, True, True]]])
    given = "paths that score −5000, −5000 and padding 0; 5000, 4000, 5000"
    found = student.attention_weights(pairs, paths_of, real, weight)
    close(found, [[[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]], given=given)
    for low in (-2e4, -1e6, -1e11, -1e40, -1e300):
        paths_of, real = torch.tensor([[[low], [low], [0.0]]], dtype=torch.float64), torch.tensor([[True, True, False]])
        given = f"float64, two paths that score {low:g}, and padding"
        found = student.attention_weights(torch.ones(1, 1).double(), paths_of, real, weight.double())
        close(found, [[0.5, 0.5, 0.0]], given=given, atol=1e-3)
    paths_of, real = torch.tensor([[[1.0], [1.0], [3e38]]]), torch.tensor([[True, True, False]])
    given = "asked by 10: paths 1, 1 and padding 3e38, whose score is beyond float32"
    found = student.attention_weights(torch.tensor([[10.0]]), paths_of, real, weight)
    close(found, [[0.5, 0.5, 0.0]], given=given)


@exercise("attention_weights", points=0.5, needs="test_three_paths_weigh_as_the_softmax_of_their_scores")
def test_one_of_one_keeps_its_dimensions_and_precision(student: Student) -> None:
    asking, answering = eighths(1, 1, 2, seed=24) / 3, eighths(1, 1, 1, 3, seed=25) / 3
    found = student.attention_weights(asking, answering, torch.ones(1, 1, 1).bool(), eighths(2, 3, seed=26))
    given = "one statement, one pair, one path, float64"
    close(found, [[[1.0]]], given=given)
    equal(kind(found), "torch.float64", given=f"{given}: the type")
    asking, answering, weight = eighths(2, seed=27) / 3, eighths(12, 3, seed=28) / 3, eighths(2, 3, seed=29)
    real, given = (
        torch.arange(12) != 5,
        "one vector that attends to twelve, of which one is padding, float64, to ten digits",
    )
    found = student.attention_weights(asking, answering, real, weight)
    close(found, attended(asking, answering, weight, real), given=given, rtol=1e-10, atol=1e-14)


# graph_vector
def summed(paths_of: Tensor, alpha: Tensor, pairs: Tensor, beta: Tensor) -> Tensor:
    """Path by path and pair by pair."""
    found = []
    for s in range(len(pairs)):
        total = pairs.new_zeros(paths_of.shape[3] + pairs.shape[2])
        for m in range(pairs.shape[1]):
            pooled = sum(
                (alpha[s, m, k] * paths_of[s, m, k] for k in range(alpha.shape[2])), torch.zeros_like(paths_of[s, m, 0])
            )
            total = total + beta[s, m] * torch.cat([pooled, pairs[s, m]])
        found.append(total)
    return torch.stack(found)


def weighed(statements: int, pairs: int, count: int, cells: int, width: int, shift: int) -> dict[str, Tensor]:
    return {
        "paths": eighths(statements, pairs, count, cells, seed=shift),
        "alpha": eighths(statements, pairs, count, seed=shift + 1).abs() / 2,
        "pairs": eighths(statements, pairs, width, seed=shift + 2),
        "beta": eighths(statements, pairs, seed=shift + 3).abs() / 2,
    }


@exercise("graph_vector")
@for_all(
    statements=integers(1, 3),
    pairs=integers(1, 3),
    count=integers(1, 3),
    cells=integers(1, 3),
    width=integers(1, 3),
    shift=integers(0, 10**6),
)
def test_any_graph_is_summed_path_by_path(
    student: Student, statements: int, pairs: int, count: int, cells: int, width: int, shift: int
) -> None:
    parts = weighed(statements, pairs, count, cells, width, shift)
    close(student.graph_vector(*parts.values()), summed(*parts.values()), atol=1e-5)


@exercise("graph_vector")
def test_all_that_is_summed_learns(student: Student) -> None:
    given = "two statements of three pairs of two paths, float64"
    close_gradients(student, "graph_vector", summed, weighed(2, 3, 2, 2, 3, 41), given=given)


@exercise("graph_vector", points=0.5, needs="test_each_statement_has_its_own_vector")
def test_small_weights_count_as_well(student: Student) -> None:
    alpha, beta = torch.tensor([[[1023 / 1024, 1 / 1024]] * 2]), torch.tensor([[1 / 1024, 1023 / 1024]])
    paths_of, pairs = torch.tensor([[[[0.0], [1024.0]]] * 2]), torch.tensor([[[1024.0], [0.0]]])
    given = "two pairs of two paths, p = 0, 1024, α = 1023/1024, 1/1024, T = 1024, 0, β = 1/1024, 1023/1024"
    close(student.graph_vector(paths_of, alpha, pairs, beta), [[1.0, 1.0]], given=given)


@exercise("graph_vector", points=0.5, needs="test_each_statement_has_its_own_vector")
def test_one_pair_of_one_path_keeps_its_dimensions_and_precision(student: Student) -> None:
    parts = {name: tensor / 3 for name, tensor in weighed(1, 1, 1, 1, 1, 42).items()}
    found = student.graph_vector(*parts.values())
    given = "one statement, one pair, one path, C = D = 1, float64, to ten digits"
    close(found, summed(*parts.values()), given=given, rtol=1e-10, atol=1e-14)
    equal(kind(found), "torch.float64", given=f"{given}: the type")


# metrics
LONGEST = 3
STOP = {"they", "the", "to", "what", "do", "use", "무엇", "쓰다"}
GRAPHS = ("KagNet", "shuffled graph", "random graph")
RIGHT = (["UsedFor*", "AtLocation*"], ["HasSubevent", "UsedFor*", "AtLocation*"])
Names = dict[tuple[str, str], list[list[Triple]]]  # the paths of each pair


class _Reserve:
    """The questions of a seed's world that the notebook never asks, ready for the models of `GRAPHS`."""

    def __init__(self, seed: int) -> None:
        self.world = ConceptWorld(seed)
        self.names = sorted(self.world.kinds)
        self.relations = sorted({relation for _, relation, _ in self.world.triples})
        words = self.world.words()
        self.config = KagNetConfig(len(words), len(self.names), len(self.relations))
        self.word_id = {word: number for number, word in enumerate(words, start=1)}
        self.concept_id = {name: number for number, name in enumerate(self.names)}
        kinds = [*self.relations, *(f"{relation}*" for relation in self.relations)]
        self.relation_id = {relation: number for number, relation in enumerate(kinds)}
        self.questions = {language: self.world.questions("reserve", language) for language in ("en", "ko")}
        self.answers = torch.tensor([question.answer for question in self.questions["en"]])

    def triples(self, graph: str) -> list[Triple]:
        if graph == "shuffled graph":
            return renamed(self.world.triples, self.world.kinds, self.world.seed)
        return rewired(self.world.triples, self.world.seed) if graph == "random graph" else self.world.triples

    def prepared(self, graph: str, language: str) -> tuple[Statements, list[Names]]:
        """The tensors of all choices in a row, and the paths of each."""
        english = {korean: name for name, korean in self.world.korean.items()}
        known = set(self.names) if language == "en" else set(english)
        net, columns, found = multigraph(self.triples(graph)), ([], [], [], [], []), []  # type: ignore[var-annotated]
        for question in self.questions[language]:
            for tool in question.choices:
                both = [longest_first(list(words), known, STOP) for words in (question.lemmas, tool.split("_"))]
                asked, answer = ([english.get(name, name) for name in names] for names in both)
                own = {(one, other): simple_paths(net, one, other, LONGEST) for one in asked for other in answer}
                steps = {step for some in own.values() for path in some for step in path}
                steps |= {(a, r, b) for names in (asked, answer) for a, b, r in net.subgraph(names).edges(keys=True)}
                inside = sorted({name for a, _, b in steps for name in (a, b)} | {*asked, *answer})
                at = {name: place for place, name in enumerate(inside)}
                columns[0].append([self.word_id[word] for word in (*question.lemmas, tool)])
                columns[1].append([self.concept_id[name] + 1 for name in inside])
                columns[2].append([(at[a], at[b]) for a, _, b in steps])
                columns[3].append([(at[one], at[other]) for one, other in own])
                columns[4].append([
                    [[(at[a], self.relation_id[r], at[b]) for a, r, b in path] for path in some] for some in own.values()
                ])  # fmt: skip
                found.append(own)
        return collate(*columns), found


@functools.lru_cache(maxsize=2)
def _reserve(seed: int) -> _Reserve:
    return _Reserve(seed)


@functools.lru_cache(maxsize=4)
def _prepared(seed: int, graph: str, language: str) -> tuple[Statements, list[Names]]:
    return _reserve(seed).prepared(graph, language)


def _filled(model: Any, numbers: Tensor, name: str) -> Any:
    expected = sum(parameter.numel() for parameter in model.parameters())
    if numbers.numel() != expected:
        raise BadArtifact(f"a row of {name!r} holds {numbers.numel()} numbers, and the model has {expected} parameters")
    vector_to_parameters(numbers.float(), model.parameters())
    return model.eval()


@torch.no_grad()
def _scored(artifacts: Artifacts, graph: str, language: str = "en") -> Scored:
    """What the recorded KagNet of a graph makes of the reserved questions."""
    numbers, reserve = artifacts.tensor("kagnets", ndim=2), _reserve(artifacts.seed)
    if len(numbers) != len(GRAPHS):
        raise BadArtifact(f"the tensor 'kagnets' has {len(numbers)} rows, expected {len(GRAPHS)}")
    empty = torch.zeros(reserve.config.concepts, reserve.config.concept_size)
    model = _filled(KagNet(reserve.config, empty), numbers[GRAPHS.index(graph)], "kagnets")
    scored: Scored = model(_prepared(artifacts.seed, graph, language)[0])
    return scored


def _share_right(
    artifacts: Artifacts, scores: Tensor, steps: tuple[int, ...] = (2, 3), known: tuple[bool, ...] = (True, False)
) -> float:
    """The share right, of the questions with so many steps to the answer whose fact the graph holds or does not."""
    reserve = _reserve(artifacts.seed)
    right = scores.reshape(len(reserve.answers), -1).argmax(dim=1) == reserve.answers
    questions = reserve.questions["en"]
    return float(right[[question.steps in steps and question.known in known for question in questions]].float().mean())


@metric("kagnet_right")
def kagnet_right(artifacts: Artifacts) -> float:
    return _share_right(artifacts, _scored(artifacts, "KagNet").scores)


@torch.no_grad()
def _text_scores(artifacts: Artifacts) -> Tensor:
    reserve = _reserve(artifacts.seed)
    model = _filled(TextAlone(reserve.config), artifacts.tensor("text", ndim=1), "text")
    scores: Tensor = model(_prepared(artifacts.seed, "KagNet", "en")[0]).scores
    return scores


@metric("text_gap")
def text_gap(artifacts: Artifacts) -> float:
    return kagnet_right(artifacts) - _share_right(artifacts, _text_scores(artifacts))


@metric("shuffled_gap")
def shuffled_gap(artifacts: Artifacts) -> float:
    return kagnet_right(artifacts) - _share_right(artifacts, _scored(artifacts, "shuffled graph").scores)


@metric("random_gap")
def random_gap(artifacts: Artifacts) -> float:
    return kagnet_right(artifacts) - _share_right(artifacts, _scored(artifacts, "random graph").scores)


@metric("three_steps_gap")
def three_steps_gap(artifacts: Artifacts) -> float:
    both = (_scored(artifacts, "KagNet").scores, _text_scores(artifacts))
    graph, text = (_share_right(artifacts, scores, (3,), (True,)) for scores in both)
    return graph - text


@metric("fact_gap")
def fact_gap(artifacts: Artifacts) -> float:
    scores = _scored(artifacts, "KagNet").scores
    two_steps, three_steps = (_share_right(artifacts, scores, (steps,), (True,)) for steps in (2, 3))
    return (two_steps + three_steps) / 2 - _share_right(artifacts, scores, known=(False,))


@metric("korean_right")
def korean_right(artifacts: Artifacts) -> float:
    return _share_right(artifacts, _scored(artifacts, "KagNet", "ko").scores)


@metric("attention_hits")
def attention_hits(artifacts: Artifacts) -> float:
    """How often the planted path has the most weight among the right answer's paths from the aim, less how often by chance."""
    reserve, alpha = _reserve(artifacts.seed), _scored(artifacts, "KagNet").alpha
    names, found = _prepared(artifacts.seed, "KagNet", "en")[1], []
    for row, answer in enumerate(reserve.answers.tolist()):
        choice = row * len(reserve.questions["en"][0].choices) + answer
        for place, some in enumerate(names[choice].values()):
            planted = [[relation for _, relation, _ in path] in RIGHT for path in some]
            if any(planted) and len(some) > 1:
                found.append(planted[int(alpha[choice, place, : len(some)].argmax())] - 1 / len(some))
    return sum(found) / len(found)


@metric("pruning_auc")
def pruning_auc(artifacts: Artifacts, student: Student) -> float:
    """How well the student's scores tell the graph's triples from those with another tail, of the recorded vectors."""
    reserve, relations = _reserve(artifacts.seed), artifacts.tensor("relations", ndim=2)
    numbers = artifacts.tensor("kagnets", ndim=2)
    empty = torch.zeros(reserve.config.concepts, reserve.config.concept_size)
    concepts = _filled(KagNet(reserve.config, empty), numbers[0], "kagnets").concepts.weight[1:].detach()
    if tuple(relations.shape) != (len(reserve.relations), concepts.shape[1]):
        raise BadArtifact(
            f"the tensor 'relations' has shape {tuple(relations.shape)}, expected a row for each relation"
        )
    steps = torch.tensor([
        [[reserve.concept_id[a], reserve.relation_id[r], reserve.concept_id[b]]] for a, r, b in reserve.world.triples
    ])  # fmt: skip
    false = steps.clone()
    false[:, 0, 2] = torch.randint(0, len(reserve.names), (len(false),), generator=drawn(artifacts.seed + 50_000))
    ones = torch.ones(len(steps), dtype=torch.long)
    scores = [torch.as_tensor(student.path_scores(concepts, relations.float(), some, ones)) for some in (steps, false)]
    return float(roc_auc_score([1] * len(steps) + [0] * len(false), torch.cat(scores)))
