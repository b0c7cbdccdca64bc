"""ernie: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
from collections.abc import Sequence
from typing import Any

import torch
from hypothesis.strategies import integers, lists, permutations, sampled_from
from torch import Tensor
from torch.nn import functional

from etude import entity_graph
from etude.entity_graph import LIES_IN, LIVES_IN, SPEAKS, TEMPLATES, WORKS_AS, EntityGraph
from etude.lesson.checks import Mismatch, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons.generated import for_all


def pair(found: Any) -> list[Any]:
    """Two things that came back together."""
    if isinstance(found, Tensor) or not isinstance(found, tuple | list) or len(found) != 2:
        raise Mismatch("two values were expected", actual=found)
    return list(found)


def listed(found: Any) -> list[list[Any]]:
    return [plain(part.tolist()) if hasattr(part, "tolist") else list(part) for part in pair(found)]


def whole(found: Any) -> Tensor:
    true(isinstance(found, Tensor), "a tensor was expected", actual=found)
    equal(str(found.dtype), "torch.int64")
    return torch.as_tensor(found)


def drawn(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def eighths(*shape: int, seed: int) -> Tensor:
    return torch.randint(-16, 17, shape, generator=drawn(seed)).double() / 8


# transe_loss
def pairs_one_by_one(entities: Tensor, relations: Tensor, facts: Tensor, corrupted: Tensor, margin: float) -> Tensor:
    total = entities.sum() * 0
    for true_one, false_one in zip(facts.tolist(), corrupted.tolist(), strict=True):
        far = []
        for head, relation, tail in (true_one, false_one):
            step = entities[head] + relations[relation] - entities[tail]
            square = (step * step).sum()
            far.append(square.sqrt() if float(square.detach()) > 0 else square * 0)
        gap = margin + far[0] - far[1]
        total = total + (gap if float(gap.detach()) > 0 else gap * 0)
    return total


def triples(count: int, entities: int, relations: int, seed: int) -> Tensor:
    columns = [torch.randint(0, top, (count,), generator=drawn(seed + 7 * i)) for i, top in enumerate((entities, relations, entities))]
    return torch.stack(columns, dim=1)


@exercise("transe_loss")
@for_all(count=integers(1, 5), width=integers(1, 4), margin=sampled_from([0.5, 1.0, 3.0]), shift=integers(0, 10**6))
def test_any_pairs_cost_what_they_cost_one_by_one(student: Student, count: int, width: int, margin: float, shift: int) -> None:
    tables = eighths(4, width, seed=shift), eighths(2, width, seed=shift + 1)
    facts, corrupted = triples(count, 4, 2, shift + 2), triples(count, 4, 2, shift + 50)
    found = student.transe_loss(*tables, facts, corrupted, margin)
    close(found, pairs_one_by_one(*tables, facts, corrupted, margin), atol=1e-5)


@exercise("transe_loss", points=0.5, needs="test_any_pairs_cost_what_they_cost_one_by_one")
def test_a_fact_that_fits_exactly_has_a_gradient_that_is_a_number(student: Student) -> None:
    entities = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    tables = {"entities": entities, "relations": torch.zeros(1, 2, dtype=torch.float64)}
    facts, corrupted = torch.tensor([[0, 0, 1], [2, 0, 0]]), torch.tensor([[0, 0, 2], [2, 0, 2]])
    given = "a fact at distance 0 against one at √2, and one at √2 against a corrupted one at 0, margin 2, float64"
    close_gradients(student, "transe_loss", pairs_one_by_one, tables, facts, corrupted, 2.0, given=given)


@exercise("transe_loss", points=0.5, needs="test_any_pairs_cost_what_they_cost_one_by_one")
def test_a_pair_that_keeps_the_margin_moves_nothing_and_all_others_do(student: Student) -> None:
    entities, relations = eighths(5, 3, seed=3), eighths(2, 3, seed=4)
    tables = {"entities": entities, "relations": relations}
    facts, corrupted = triples(6, 5, 2, 5), triples(6, 5, 2, 90)
    given = "six pairs in float64, margin 1"
    close_gradients(student, "transe_loss", pairs_one_by_one, tables, facts, corrupted, 1.0, given=given)
    found = student.transe_loss(entities, relations, facts, corrupted, 1.0)
    close(found, pairs_one_by_one(entities, relations, facts, corrupted, 1.0), given=given, rtol=1e-10, atol=0)
    for scale in (2.0**-20, 2.0**20):
        some = scale * entities, scale * relations, facts, corrupted, scale
        close(student.transe_loss(*some), pairs_one_by_one(*some), given=f"{given}, all of it times {scale:g}", rtol=1e-6, atol=0)


@exercise("transe_loss", points=0.5, needs="test_any_pairs_cost_what_they_cost_one_by_one")
def test_hundreds_of_pairs_are_all_summed(student: Student) -> None:
    entities, relations = eighths(40, 5, seed=6), eighths(12, 5, seed=7)
    facts, corrupted = triples(300, 40, 12, 8), triples(300, 40, 12, 9)
    found = student.transe_loss(entities, relations, facts, corrupted, 2)
    close(found, pairs_one_by_one(entities, relations, facts, corrupted, 2), given="300 pairs of 40 entities and 12 relations, margin 2")


# corrupt
@exercise("corrupt")
@for_all(count=integers(1, 6), facts=integers(1, 8), tried=integers(1, 3), shift=integers(0, 10**6))
def test_any_facts_are_corrupted_by_the_first_that_is_false(student: Student, count: int, facts: int, tried: int, shift: int) -> None:
    known = triples(facts, 4, 2, shift)
    rows = known[torch.randint(0, facts, (count,), generator=drawn(shift + 1))]
    heads = torch.rand(count, generator=drawn(shift + 2)) < 0.5
    candidates = torch.randint(0, 4, (count, tried), generator=drawn(shift + 3))
    candidates = torch.cat([candidates, torch.full((count, 1), 9)], dim=1)  # 9 is in no fact
    expected = []
    for row, at_head, some in zip(rows.tolist(), heads.tolist(), candidates.tolist(), strict=True):
        for other in some:
            made = list(row)
            made[0 if at_head else 2] = other
            if made not in known.tolist():
                expected.append(made)
                break
    equal(whole(student.corrupt(rows, heads, candidates, known)).tolist(), expected)


@exercise("corrupt", points=0.5, needs="test_any_facts_are_corrupted_by_the_first_that_is_false")
def test_no_fact_and_one_fact_keep_their_two_dimensions(student: Student) -> None:
    known = torch.tensor([[0, 0, 1]])
    found = whole(student.corrupt(known[:0], torch.zeros(0).bool(), torch.zeros(0, 2).long(), known))
    equal(list(found.shape), [0, 3], given="no fact at all: the shape")
    found = whole(student.corrupt(known, torch.tensor([True]), torch.tensor([[0, 2]]), known))
    equal(found.tolist(), [[2, 0, 1]], given="one fact (0, 0, 1), at the head, candidates 0 and 2")


@exercise("corrupt", points=0.5, needs="test_any_facts_are_corrupted_by_the_first_that_is_false")
def test_the_twentieth_candidate_and_the_twentieth_fact_count_too(student: Student) -> None:
    known = torch.tensor([[head, 0, 30] for head in range(20)])
    candidates = torch.arange(21).expand(20, 21)
    found = whole(student.corrupt(known, torch.ones(20).bool(), candidates, known))
    given = "twenty facts with the heads 0 to 19 and one tail, heads replaced, candidates 0 to 20"
    equal(found.tolist(), [[20, 0, 30]] * 20, given=given)


@exercise("corrupt", points=0.5, needs="test_any_facts_are_corrupted_by_the_first_that_is_false")
def test_triples_are_told_apart_however_large_their_numbers_are(student: Student) -> None:
    # Known (0, 0, 1) and (0, 1, 1), corrupted (0, 0, 3): with two places a number both would be 3. The same with other bases.
    for base in (2, 10, 100, 1000, 10**4, 10**6):
        known = torch.tensor([[0, 0, 1], [0, 1, 1], [0, 0, base - 1]])
        found = whole(student.corrupt(known[:1], torch.tensor([False]), torch.tensor([[1, base + 1, 9 * base + 7]]), known))
        given = f"the facts {known.tolist()}, the first corrupted at its tail, candidates 1, {base + 1}, {9 * base + 7}"
        equal(found.tolist(), [[0, 0, base + 1]], given=given)
        known = torch.tensor([[0, 1, 5], [0, 0, base]])
        found = whole(student.corrupt(known[:1], torch.tensor([False]), torch.tensor([[0, 7]]), known))
        equal(found.tolist(), [[0, 1, 0]], given=f"the facts {known.tolist()}, the first corrupted at its tail, candidates 0, 7")
    large = 2**24  # from here on float32 tells whole numbers apart no more
    known = torch.tensor([[5, 0, large]])
    found = whole(student.corrupt(known, torch.tensor([False]), torch.tensor([[large, large + 1, 3]]), known))
    given = f"the fact (5, 0, {large}), corrupted at its tail, candidates {large}, {large + 1}, 3"
    equal(found.tolist(), [[5, 0, large + 1]], given=given)


# transe_step
def one_step(
    entities: Tensor, relations: Tensor, facts: Tensor, corrupted: Tensor, margin: float, rate: float
) -> list[Tensor]:
    rows = [row / row.norm() if float(row.norm()) > 0 else row for row in entities.double()]
    leaves = [torch.stack(rows).requires_grad_(), relations.double().clone().requires_grad_()]
    slopes = torch.autograd.grad(pairs_one_by_one(leaves[0], leaves[1], facts, corrupted, margin), leaves, allow_unused=True)
    return [
        leaf.detach() - rate * (torch.zeros_like(leaf) if slope is None else slope)
        for leaf, slope in zip(leaves, slopes, strict=True)
    ]


@exercise("transe_step")
@for_all(count=integers(1, 4), rate=sampled_from([0.125, 0.5, 2.0]), margin=sampled_from([0.5, 2.0]), shift=integers(0, 10**6))
def test_any_step_is_that_of_the_gradient_at_length_1(student: Student, count: int, rate: float, margin: float, shift: int) -> None:
    # Numbers of a normal distribution: no pair lies on the margin within rounding.
    entities = torch.randn(4, 3, generator=drawn(shift), dtype=torch.float64)
    relations = torch.randn(2, 3, generator=drawn(shift + 1), dtype=torch.float64)
    facts, corrupted = triples(count, 4, 2, shift + 2), triples(count, 4, 2, shift + 50)
    found = pair(student.transe_step(entities, relations, facts, corrupted, margin, rate))
    for part, expected in zip(found, one_step(entities, relations, facts, corrupted, margin, rate), strict=True):
        close(part, expected, atol=1e-5)


@exercise("transe_step", points=0.5, needs="test_any_step_is_that_of_the_gradient_at_length_1")
def test_a_row_of_zeros_stays_a_row_of_numbers(student: Student) -> None:
    entities, relations = torch.tensor([[0.0, 0.0], [0.0, 5.0], [2.0, 0.0]]), torch.tensor([[0.0, 7.0]])
    facts, corrupted = torch.tensor([[1, 0, 2]]), torch.tensor([[2, 0, 1]])
    given = "entities (0, 0), (0, 5), (2, 0), of which the first is in no pair, a relation (0, 7)"
    found = pair(student.transe_step(entities, relations, facts, corrupted, 1.0, 0.5))
    for part, expected in zip(found, one_step(entities, relations, facts, corrupted, 1.0, 0.5), strict=True):
        close(part, expected, given=given, atol=1e-5)
    facts, corrupted, given = torch.tensor([[0, 0, 2]]), torch.tensor([[0, 0, 1]]), "the same, the first in a pair of facts that moves it"
    found = pair(student.transe_step(entities, relations, facts, corrupted, 5.0, 0.5))
    for part, expected in zip(found, one_step(entities, relations, facts, corrupted, 5.0, 0.5), strict=True):
        close(part, expected, given=given, atol=1e-5)


@exercise("transe_step", points=0.5, needs="test_any_step_is_that_of_the_gradient_at_length_1")
def test_without_a_pair_entities_are_brought_to_length_1_alone(student: Student) -> None:
    none = torch.zeros(0, 3, dtype=torch.int64)
    found = pair(student.transe_step(torch.tensor([[3.0, 4.0], [0.0, 0.0]]), torch.tensor([[0.0, 7.0]]), none, none, 1.0, 0.5))
    given = "entities (3, 4), (0, 0), a relation (0, 7), no pair at all"
    close(found[0], [[0.6, 0.8], [0.0, 0.0]], given=f"{given}: the entities")
    close(found[1], [[0.0, 7.0]], given=f"{given}: the relations")


@exercise("transe_step", points=0.5, needs="test_any_step_is_that_of_the_gradient_at_length_1")
def test_tiny_and_huge_vectors_are_brought_to_length_1(student: Student) -> None:
    entities, relations = torch.tensor([[3e-10, 4e-10], [-5e7, 0.0], [0.0, 1e-4]]), torch.tensor([[0.0, 7.0]])
    given = "entities (3e−10, 4e−10), (−50000000, 0), (0, .0001), a relation (0, 7), rate 0"
    found = pair(student.transe_step(entities, relations, torch.tensor([[1, 0, 2]]), torch.tensor([[2, 0, 1]]), 1.0, 0.0))
    close(found[0], [[0.6, 0.8], [-1.0, 0.0], [0.0, 1.0]], given=given, atol=1e-5)


@exercise("transe_step", points=0.5, needs="test_any_step_is_that_of_the_gradient_at_length_1")
def test_steps_in_a_row_go_on_from_each_other_and_ask_for_no_gradient(student: Student) -> None:
    entities = torch.tensor([[2.0, 0.0], [0.0, 3.0], [-4.0, 0.0]], requires_grad=True)
    relations = torch.tensor([[0.5, 0.0]], requires_grad=True)
    facts, corrupted = torch.tensor([[0, 0, 1]]), torch.tensor([[0, 0, 2]])
    tables: list[Any] = [entities, relations]
    expected: list[Tensor] = [entities.detach(), relations.detach()]
    given = "three steps in a row from tables that ask for a gradient"
    for _ in range(3):
        tables = pair(student.transe_step(tables[0], tables[1], facts, corrupted, 1.0, 0.25))
        true(all(isinstance(part, Tensor) for part in tables), "two tensors were expected", given=given, actual=tables)
        true(not any(part.requires_grad for part in tables), "the new tables still ask for a gradient", given=given)
        expected = one_step(expected[0], expected[1], facts, corrupted, 1.0, 0.25)
    for part, wanted in zip(tables, expected, strict=True):
        close(part, wanted, given=given, atol=1e-5)


# ranking
def measures(rows: list[list[float]], answers: Sequence[int], known: Sequence[Sequence[int]], k: int) -> list[float]:
    """By sorting: the mean of the first and the last place that the answer's distance has."""
    places = []
    for row, answer, others in zip(rows, answers, known, strict=True):
        kept = sorted(distance for entity, distance in enumerate(row) if entity == answer or entity not in others)
        first = kept.index(row[answer]) + 1
        last = len(kept) - kept[::-1].index(row[answer])
        places.append((first + last) / 2)
    return [sum(1 / place for place in places) / len(places), sum(place <= k for place in places) / len(places)]


@exercise("ranking")
@for_all(questions=integers(1, 4), size=integers(1, 6), k=integers(1, 4), shift=integers(0, 10**6))
def test_any_ranking_is_that_of_sorted_distances(student: Student, questions: int, size: int, k: int, shift: int) -> None:
    distances = torch.randint(0, 4, (questions, size), generator=drawn(shift)).float() / 8
    answers = torch.randint(0, size, (questions,), generator=drawn(shift + 1))
    known = [
        [entity for entity in range(size) if float(torch.rand((), generator=drawn(shift + 2 + 10 * row + entity))) < 0.3]
        for row in range(questions)
    ]
    found = pair(student.ranking(distances, answers, known, k))
    close([float(part) for part in found], measures(distances.tolist(), answers.tolist(), known, k))


@exercise("ranking", points=0.5, needs="test_any_ranking_is_that_of_sorted_distances")
def test_a_model_that_knows_nothing_is_in_the_middle(student: Student) -> None:
    distances = torch.ones(12, 21)
    distances[10, 10] = distances[11, 11] = 0.5
    found = pair(student.ranking(distances, torch.arange(12), [[] for _ in range(12)], 10))
    given = "twelve questions, 21 entities, all at the distance 1 but the answers of the last two, at .5; k = 10"
    close([float(part) for part in found], [(10 / 11 + 2) / 12, 2 / 12], given=given)


@exercise("ranking", points=0.5, needs="test_any_ranking_is_that_of_sorted_distances")
def test_thousands_of_entities_and_far_ones_are_ranked(student: Student) -> None:
    distances = torch.arange(3000).float().flip(0)[None].repeat(2, 1)
    found = pair(student.ranking(distances, torch.tensor([0, 2999]), [[2999], list(range(15))], 2500))
    given = "3,000 entities at the distances 2999, 2998, … 0; answers 0 (with 2999 also right) and 2999 (with 0 to 14 also right), k = 2500"
    close([float(part) for part in found], [(1 / 2999 + 1) / 2, 0.5], given=given)
    found = pair(student.ranking(torch.tensor([[5000.0, 1.0, 9000.0]]), torch.tensor([0]), [[1]], 1))
    close([float(part) for part in found], [1.0, 1.0], given="distances 5000, 1, 9000, answer 0, 1 also right, k = 1")
    for far in (5e9, 1e30, 1e300):
        distances = torch.tensor([[far, 1.0, 2 * far]], dtype=torch.float64)
        found = pair(student.ranking(distances, torch.tensor([0]), [[1]], 1))
        given = f"distances {far:g}, 1, {2 * far:g} in float64, answer 0, 1 also right, k = 1"
        close([float(part) for part in found], [1.0, 1.0], given=given)
    found = pair(student.ranking(torch.tensor([[-3.0, 0.0, -1.0, -4.0]]), torch.tensor([0]), [[3]], 1))
    close([float(part) for part in found], [1.0, 1.0], given="distances −3, 0, −1, −4, answer 0, 3 also right, k = 1")


@exercise("ranking", points=0.5, needs="test_any_ranking_is_that_of_sorted_distances")
def test_nearly_as_far_is_no_tie_and_twice_known_is_known(student: Student) -> None:
    distances = torch.tensor([[0.5, 0.5 - 2.0**-20, 0.5 - 2.0**-21]])
    found = pair(student.ranking(distances, torch.tensor([0]), [[]], 2))
    close([float(part) for part in found], [1 / 3, 0.0], given="distances .5, .5 − 2⁻²⁰, .5 − 2⁻²¹, answer 0, k = 2")
    for first, other in ((0.5, 0.5 - 2.0**-50), (2e-12, 1e-12)):
        found = pair(student.ranking(torch.tensor([[first, other]], dtype=torch.float64), torch.tensor([0]), [[]], 1))
        given = f"distances {first:.17g} and {other:.17g} in float64, answer 0, k = 1"
        close([float(part) for part in found], [1 / 2, 0.0], given=given)
    found = pair(student.ranking(torch.tensor([[0.5, 0.1, 0.2, 0.3, 0.5]]), torch.tensor([0]), [[1, 1, 4, 4]], 3))
    given = "distances .5, .1, .2, .3, .5, answer 0, also right 1, 1, 4, 4, k = 3"
    close([float(part) for part in found], [1 / 3, 1.0], given=given)


# align
@exercise("align")
@for_all(words=lists(sampled_from("abc"), max_size=7), rest=integers(0, 10**6), most=integers(1, 3))
def test_any_sentence_is_aligned_as_by_brute_force(student: Student, words: list[str], rest: int, most: int) -> None:
    names: dict[tuple[str, ...], int] = {}
    for number in range(3):
        length = 1 + (rest // 10**number) % most
        names[tuple("abc"[(rest // 7**place + number) % 3] for place in range(length))] = number
    pieces = [[word, "##x", "##y"][: 1 + (rest >> place) % 3] for place, word in enumerate(words)]
    tokens, entities, place = ["[CLS]"], [-1], 0
    while place < len(words):
        fits = [name for name in names if tuple(words[place : place + len(name)]) == name]
        name = max(fits, key=len, default=None)
        for step in range(1 if name is None else len(name)):
            tokens += pieces[place + step]
            entities += [-1] * len(pieces[place + step])
            if name is not None and step == 0:
                entities[-len(pieces[place])] = names[name]
        place += 1 if name is None else len(name)
    equal(listed(student.align(words, pieces, names)), [[*tokens, "[SEP]"], [*entities, -1]])


@exercise("align", points=0.5, needs="test_any_sentence_is_aligned_as_by_brute_force")
def test_names_do_not_overlap_and_long_ones_are_found(student: Student) -> None:
    names = {("a", "b"): 0, ("b", "c"): 1, tuple("defghijklmno"): 2}
    words = [*"abc", *"defghijklmno", *"bc"]
    expected = [-1, 0, -1, -1, 2, *[-1] * 11, 1, -1, -1]
    given = "the words a b c d … o b c, names a b (0), b c (1), d … o (2)"
    found = listed(student.align(words, [[word] for word in words], names))
    equal(found[1], expected, given=f"{given}: the entities")


@exercise("align", points=0.5, needs="test_any_sentence_is_aligned_as_by_brute_force")
def test_from_the_left_an_earlier_name_comes_before_a_longer_one(student: Student) -> None:
    words, names = [*"abcd", "x", *"bcd"], {("b", "c", "d"): 1, ("a", "b"): 0}
    found = listed(student.align(words, [[word] for word in words], names))
    equal(found[1], [-1, 0, -1, -1, -1, -1, 1, -1, -1, -1], given="the words a b c d x b c d, names b c d (1), a b (0): the entities")


@exercise("align", points=0.5, needs="test_any_sentence_is_aligned_as_by_brute_force")
def test_words_are_compared_whole(student: Student) -> None:
    words, pieces = ["mina", "ab", "c", "a", "bc", "mirelo"], [["mi", "##na"], ["ab"], ["c"], ["a"], ["bc"], ["mi", "##re", "##lo"]]
    found = listed(student.align(words, pieces, {("mirelo",): 0, ("a", "bc"): 1}))
    given = "the words mina ab c a bc mirelo, mi the first piece of mina and mirelo, names mirelo (0), a bc (1): the entities"
    equal(found[1], [-1, -1, -1, -1, -1, 1, -1, 0, -1, -1, -1], given=given)
    for mark in (" ", "_"):
        words = [f"a{mark}b", "c", "a", "b"]
        found = listed(student.align(words, [[word] for word in words], {("a", "b"): 0, ("a", f"b{mark}c"): 1, (f"a{mark}b", "d"): 2}))
        equal(found[1], [-1, -1, -1, 0, -1, -1], given=f"the words {words}, names (a, b) (0), (a, b{mark}c) (1), (a{mark}b, d) (2): the entities")


@exercise("align", points=0.5, needs="test_any_sentence_is_aligned_as_by_brute_force")
def test_a_name_is_found_as_it_is_written(student: Student) -> None:
    found = listed(student.align(["Rose", "met", "rose"], [["Rose"], ["met"], ["rose"]], {("Rose",): 0, ("met", "Rose"): 1}))
    equal(found[1], [-1, 0, -1, -1, -1], given="the words Rose met rose, names Rose (0), met Rose (1): the entities")
    equal(found[0], ["[CLS]", "Rose", "met", "rose", "[SEP]"], given="the words Rose met rose: the tokens")
    words, names = ["café", "cafe\u0301", "cafe", "straße", "[SEP]"], {("cafe\u0301",): 0, ("strasse",): 1, ("[SEP]",): 2**60}
    found = listed(student.align(words, [[word] for word in words], names))
    given = "the words café, café with a sign of its own for the accent, cafe, straße, [SEP], names: the second (0), strasse (1), [SEP] (2⁶⁰)"
    equal(found, [["[CLS]", *words, "[SEP]"], [-1, -1, 0, -1, -1, 2**60, -1]], given=given)


# fuse
def fused_one_by_one(
    w: Tensor, e: Tensor, aligned: Tensor, w_in: Tensor, e_in: Tensor, bias: Tensor, *out: Tensor
) -> tuple[Tensor, Tensor]:
    """Section 3.3 by einsum, a token at a time."""
    w_out, w_bias, e_out, e_bias = out
    tokens: list[Tensor] = []
    entities: list[Tensor] = []
    for row in range(w.size(0)):
        for place in range(w.size(1)):
            h = torch.einsum("h,ih->i", w[row, place], w_in) + bias
            if aligned[row, place]:
                h = h + torch.einsum("e,ie->i", e[row, place], e_in)
            h = 0.5 * h * (1 + torch.erf(h / math.sqrt(2)))
            for made, weight, shift in ((tokens, w_out, w_bias), (entities, e_out, e_bias)):
                x = torch.einsum("i,oi->o", h, weight) + shift
                x = 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))
                made.append(x if made is tokens or aligned[row, place] else torch.zeros_like(x))
    return torch.stack(tokens).reshape_as(w), torch.stack(entities).reshape_as(e)


def fusion(width: int, narrow: int, inner: int, seed: int) -> list[Tensor]:
    shapes = [(inner, width), (inner, narrow), (inner,), (width, inner), (width,), (narrow, inner), (narrow,)]
    return [eighths(*shape, seed=seed + place) for place, shape in enumerate(shapes)]


@exercise("fuse")
@for_all(
    batch=integers(1, 3), length=integers(1, 4), sizes=permutations([1, 2, 3]), shift=integers(0, 10**6), share=sampled_from([0.5, 0.0, 1.0])
)
def test_any_tokens_are_fused_as_one_by_one(
    student: Student, batch: int, length: int, sizes: list[int], shift: int, share: float
) -> None:
    w, e = eighths(batch, length, sizes[0], seed=shift), eighths(batch, length, sizes[1], seed=shift + 1)
    aligned = torch.rand(batch, length, generator=drawn(shift + 2)) < share
    weights = fusion(sizes[0], sizes[1], sizes[2], shift + 3)
    found = pair(student.fuse(w, e, aligned, *weights))
    for part, expected in zip(found, fused_one_by_one(w, e, aligned, *weights), strict=True):
        close(part, expected, atol=1e-5)


@exercise("fuse", points=0.5, needs="test_any_tokens_are_fused_as_one_by_one")
def test_what_stands_where_no_entity_is_is_never_read(student: Student) -> None:
    w, e = eighths(1, 3, 2, seed=1), eighths(1, 3, 2, seed=2)
    aligned, weights = torch.tensor([[False, True, False]]), fusion(2, 2, 3, 3)
    e[0, 0], e[0, 2] = math.inf, math.nan
    found = pair(student.fuse(w, e, aligned, *weights))
    expected = fused_one_by_one(w, e.nan_to_num(0, 0, 0), aligned, *weights)
    given = "three tokens, the second with an entity, inf and NaN beside the others"
    for part, wanted in zip(found, expected, strict=True):
        close(part, wanted, given=given, atol=1e-5)


@exercise("fuse", points=0.5, needs="test_any_tokens_are_fused_as_one_by_one")
def test_tokens_entities_and_weights_can_all_be_trained(student: Student) -> None:
    w, e, aligned = eighths(1, 2, 2, seed=4), eighths(1, 2, 2, seed=5), torch.tensor([[True, False]])
    weights = fusion(2, 2, 3, 6)
    expected = fused_one_by_one(w, e, aligned, *weights)
    for number in range(9):
        parts = [w.clone(), e.clone(), *(part.clone() for part in weights)]
        parts[number].requires_grad_()
        found = pair(student.fuse(parts[0], parts[1], aligned, *parts[2:]))
        for which, part, wanted in zip(("w'", "e'"), found, expected, strict=True):
            given = f"two tokens, the first with an entity, float64; argument {number} asks for a gradient: {which}"
            close(part.detach() if isinstance(part, Tensor) else part, wanted, given=given, rtol=1e-10, atol=1e-12)
            own = {"w'": (5, 6), "e'": (7, 8)}
            if number not in own["e'" if which == "w'" else "w'"]:
                true(bool(part.requires_grad), "it is cut off from what it was computed from, and trains nothing", given=given)



# mark
@exercise("mark")
@for_all(
    length=integers(1, 8),
    cuts=lists(integers(0, 7), max_size=4),
    order=integers(0, 10**6),
    signs=permutations(["[HD]", "[TL]", "[ENT]"]),
)
def test_any_spans_are_marked_as_token_by_token(
    student: Student, length: int, cuts: list[int], order: int, signs: list[str]
) -> None:
    tokens, entities = [f"t{place * order % 3}" for place in range(length)], [place * 3 % 5 - 1 for place in range(length)]
    bounds = sorted({cut for cut in cuts if cut < length})
    spans = []
    for number, first in enumerate(bounds):
        behind = bounds[number + 1] if number + 1 < len(bounds) else length
        spans.append((first, first + (order >> number) % (behind - first), signs[number % 3]))
    starts, ends = {first: sign for first, _, sign in spans}, {last: sign for _, last, sign in spans}
    made: list[str] = []
    moved: list[int] = []
    for place in range(length):
        for sign in [starts[place]] if place in starts else []:
            made.append(sign)
            moved.append(-1)
        made.append(tokens[place])
        moved.append(entities[place])
        for sign in [ends[place]] if place in ends else []:
            made.append(sign)
            moved.append(-1)
    mixed = spans[order % max(1, len(spans)) :] + spans[: order % max(1, len(spans))]
    equal(listed(student.mark(tokens, entities, mixed)), [made, moved])


@exercise("mark", points=0.5, needs="test_any_spans_are_marked_as_token_by_token")
def test_a_dozen_spans_that_touch_are_all_marked(student: Student) -> None:
    tokens, entities = [f"t{place}" for place in range(12)], list(range(12))
    found = listed(student.mark(tokens, entities, [(place, place, "[ENT]") for place in range(12)]))
    expected = [part for token in tokens for part in ("[ENT]", token, "[ENT]")]
    equal(found[0], expected, given="twelve tokens, each a span of its own: the tokens")
    equal(found[1], [part for entity in entities for part in (-1, entity, -1)], given="the same: the entities")
    spans = [(0, 1, "[TL]"), (2, 2, "[HD]"), (3, 3, "[ENT]"), (4, 5, "[HD]"), (6, 6, "[TL]"), (7, 8, "[HD]"), (9, 9, "[ENT]")]
    marks = "[TL] t0 t1 [TL] [HD] t2 [HD] [ENT] t3 [ENT] [HD] t4 t5 [HD] [TL] t6 [TL] [HD] t7 t8 [HD] [ENT] t9 [ENT] t10 t11"
    equal(listed(student.mark(tokens, entities, spans))[0], marks.split(), given=f"twelve tokens, the spans {spans}")
    equal(listed(student.mark([], [], [])), [[], []], given="no tokens, no spans")
    found = listed(student.mark(["a", "a"], [0, 0], [(1, 1, "a"), (0, 0, "")]))
    equal(found, [["", "a", "", "a", "a", "a"], [-1, 0, -1, -1, 0, -1]], given="the tokens a, a, both with entity 0, marked by nothing and by a")


# dea_noise
@exercise("dea_noise")
@for_all(batch=integers(1, 3), length=integers(1, 6), count=integers(2, 6), shift=integers(0, 10**6))
def test_any_alignments_are_disturbed_place_by_place(student: Student, batch: int, length: int, count: int, shift: int) -> None:
    entities = torch.randint(-1, count, (batch, length), generator=drawn(shift))
    uniform = torch.randint(0, 31, (batch, length), generator=drawn(shift + 1)).double() / 100 + 0.001
    others = torch.randint(0, count - 1, (batch, length), generator=drawn(shift + 2))
    expected = entities.tolist()
    for row in range(batch):
        for place in range(length):
            true_one, draw = int(entities[row, place]), float(uniform[row, place])
            if true_one >= 0 and draw < 0.05:
                expected[row][place] = [entity for entity in range(count) if entity != true_one][int(others[row, place])]
            elif draw < 0.2:
                expected[row][place] = -1
    equal(whole(student.dea_noise(entities, uniform, others)).tolist(), expected)


@exercise("dea_noise", points=0.5, needs="test_any_alignments_are_disturbed_place_by_place")
def test_the_shares_are_those_of_the_paper_and_all_others_come(student: Student) -> None:
    entities, draw = torch.full((100, 200), 4), drawn(1)
    others = torch.randint(0, 9, (100, 200), generator=draw)
    read = whole(student.dea_noise(entities, torch.rand(100, 200, generator=draw), others))
    given = "20,000 alignments with entity 4 of ten: how many were replaced, masked, kept"
    shares = [float(((read != 4) & (read >= 0)).float().mean()), float((read < 0).float().mean()), float((read == 4).float().mean())]
    close(shares, [0.05, 0.15, 0.8], given=given, rtol=0, atol=0.02)
    equal(sorted(set(read.flatten().tolist())), [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9], given="20,000 alignments with entity 4 of ten: what is read")


@exercise("dea_noise", points=0.5, needs="test_any_alignments_are_disturbed_place_by_place")
def test_at_the_limits_the_next_part_begins(student: Student) -> None:
    entities, uniform = torch.full((1, 4), 3), torch.tensor([[0.0, 0.05, 0.2, 0.0625]], dtype=torch.float64)
    found = whole(student.dea_noise(entities, uniform, torch.tensor([[0, 0, 0, 0]])))
    equal(found.tolist(), [[0, -1, 3, -1]], given="entity 3 four times, uniform 0, .05, .2, .0625 in float64, others 0")


@exercise("dea_noise", points=0.5, needs="test_any_alignments_are_disturbed_place_by_place")
def test_entities_of_a_large_graph_are_kept_to_the_digit(student: Student) -> None:
    large = 2**60 + 1
    found = whole(student.dea_noise(torch.tensor([[large, large, 5]]), torch.tensor([[0.5, 0.0, 0.0]]), torch.tensor([[0, large - 2, large]])))
    given = "entities 2⁶⁰ + 1 twice and 5, uniform .5, 0, 0, others 0, 2⁶⁰ − 1, 2⁶⁰ + 1"
    equal(found.tolist(), [[large, large - 2, large + 1]], given=given)


# dea_loss
def guesses_one_by_one(states: Tensor, vectors: Tensor, entities: Tensor) -> Tensor:
    costs = []
    for row, members in enumerate(entities.tolist()):
        candidates = sorted({entity for entity in members if entity >= 0})
        for place, entity in enumerate(members):
            if entity >= 0:
                scores = torch.stack([states[row, place] @ vectors[other] for other in candidates])
                costs.append(scores.logsumexp(dim=0) - scores[candidates.index(entity)])
    return torch.stack(costs).mean()


def alignments(batch: int, length: int, count: int, seed: int) -> Tensor:
    entities = torch.randint(-2, count, (batch, length), generator=drawn(seed)).clamp(min=-1)
    entities[0, 0] = seed % count
    return entities


@exercise("dea_loss")
@for_all(batch=integers(1, 3), length=integers(1, 5), count=integers(1, 5), shift=integers(0, 10**6))
def test_any_batch_costs_what_its_tokens_cost_one_by_one(student: Student, batch: int, length: int, count: int, shift: int) -> None:
    states, vectors = eighths(batch, length, 3, seed=shift), eighths(count, 3, seed=shift + 1)
    entities = alignments(batch, length, count, shift + 2)
    close(student.dea_loss(states, vectors, entities), guesses_one_by_one(states, vectors, entities), atol=1e-5)


@exercise("dea_loss", points=0.5, needs="test_any_batch_costs_what_its_tokens_cost_one_by_one")
def test_huge_scores_cost_what_they_say(student: Student) -> None:
    states = torch.tensor([[[900.0, 0.0], [0.0, -3000.0]]])
    vectors = torch.tensor([[1.0, 0.0], [0.0, 1.0], [9.0, 9.0]])
    found = student.dea_loss(states, vectors, torch.tensor([[1, 1]]))
    close(found, 0.0, given="entity 1 alone in its sentence, scored by 0 and by −3000, others by more")
    found = student.dea_loss(states, vectors, torch.tensor([[1, 0]]))
    close(found, (900.0 + 0.0) / 2, given="entities 1 and 0, scored by (900, 0) and (0, −3000) for the entities 0 and 1")
    for low in (2e4, 1e10, 1e40, 1e300):
        states, vectors = torch.tensor([[[-low]]], dtype=torch.float64), torch.tensor([[0.0], [1.0]], dtype=torch.float64)
        found = student.dea_loss(states, vectors, torch.tensor([[1]]))
        close(found, 0.0, given=f"entity 1 alone in its sentence, scored by −{low:g}, entity 0 by 0, float64")
    entities = torch.arange(480).reshape(12, 40)
    found = student.dea_loss(torch.zeros(12, 40, 2), torch.zeros(480, 2), entities)
    close(found, math.log(40), given="twelve sentences of forty entities each, all scores 0")


@exercise("dea_loss", points=0.5, needs="test_any_batch_costs_what_its_tokens_cost_one_by_one")
def test_asked_tokens_and_candidates_are_taught_and_no_others(student: Student) -> None:
    tables = {"states": eighths(2, 3, 3, seed=8), "vectors": eighths(5, 3, seed=9)}
    entities = torch.tensor([[0, -1, 4], [2, 2, 3]])
    given = "two sentences with the entities 0 – 4 and 2 2 3 of five, float64"
    close_gradients(student, "dea_loss", guesses_one_by_one, tables, entities, given=given)
    expected = guesses_one_by_one(tables["states"], tables["vectors"], entities)
    close(student.dea_loss(*tables.values(), entities), expected, given=given, rtol=1e-10, atol=0)


# metrics
SYSTEMS = ("text", "random", "shuffled", "shuffled graph", "ERNIE", "ERNIE, dEA")
TEST = {600, 1200}  # how many questions a profile asks


@functools.lru_cache(maxsize=4)
def _graph(seed: int) -> EntityGraph:
    return entity_graph.draw(seed)


def _mrr(artifacts: Artifacts, relation: int, entities: str = "vectors", relations: str = "arrows") -> float:
    """The MRR of the tails that were left out, by the recorded vectors brought to length 1, ties by their middle."""
    graph = _graph(artifacts.seed)
    points, steps = artifacts.tensor(entities, ndim=2).double(), artifacts.tensor(relations, ndim=2).double()
    if len(points) != len(graph.entities) or steps.shape != (len(entity_graph.RELATIONS), points.size(1)):
        shapes = f"{tuple(points.shape)} and {tuple(steps.shape)}"
        raise BadArtifact(f"{entities!r} and {relations!r} have the shapes {shapes}: a row for each entity, one for each relation")
    points = functional.normalize(points, dim=1)
    asked = [fact for fact in graph.held_out if fact.relation == relation]
    rows = [(points[fact.head] + steps[relation] - points).norm(dim=1).tolist() for fact in asked]
    return measures(rows, [fact.tail for fact in asked], [[] for _ in asked], 1)[0]


@metric("mrr_that_follows")
def mrr_that_follows(artifacts: Artifacts) -> float:
    return _mrr(artifacts, SPEAKS)


@metric("mrr_that_does_not")
def mrr_that_does_not(artifacts: Artifacts) -> float:
    return _mrr(artifacts, WORKS_AS)


@metric("mrr_gain_over_shuffled_graph")
def mrr_gain_over_shuffled_graph(artifacts: Artifacts) -> float:
    return _mrr(artifacts, SPEAKS) - _mrr(artifacts, SPEAKS, "wrong_vectors", "wrong_arrows")


@functools.lru_cache(maxsize=4)
def _questions(seed: int, count: int) -> tuple[Tensor, list[str]]:
    """The land of each marked person, (T,), and the person's group."""
    graph = _graph(seed)
    lands, towns = graph.of_kind("land"), graph.of_kind("town")
    left = {max(town for town in towns if graph.tail(town, LIES_IN) == land) for land in lands}
    asked = [
        sentence.mentions[place % 2].entity
        for place, sentence in enumerate(entity_graph.sentences(graph, count, seed + 4, TEMPLATES[:6]))
    ]
    groups = [
        "unseen town" if graph.tail(person, LIVES_IN) in left else "unseen" if person % 2 else "seen" for person in asked
    ]
    return torch.tensor([graph.land_of(person) for person in asked]), groups


def _right(artifacts: Artifacts, system: str, group: str) -> float:
    found = artifacts.tensor("answers", ndim=3)
    if len(found) != len(SYSTEMS) or not found.size(1) or found.size(2) not in TEST:
        raise BadArtifact(f"the tensor 'answers' has shape {tuple(found.shape)}, expected {len(SYSTEMS)} systems, runs, answers")
    lands = len(_graph(artifacts.seed).of_kind("land"))
    if found.is_floating_point() or bool(((found < 0) | (found >= lands)).any()):
        raise BadArtifact(f"the tensor 'answers' does not hold whole numbers from 0 to {lands - 1}")
    truth, groups = _questions(artifacts.seed, found.size(2))
    mine = torch.tensor([one == group for one in groups])
    return float((found[SYSTEMS.index(system)] == truth)[:, mine].double().mean())


def _gap(artifacts: Artifacts, one: str, other: str) -> float:
    return _right(artifacts, one, "unseen") - _right(artifacts, other, "unseen")


@metric("text_on_seen")
def text_on_seen(artifacts: Artifacts) -> float:
    return _right(artifacts, "text", "seen")


@metric("text_over_chance")
def text_over_chance(artifacts: Artifacts) -> float:
    return _right(artifacts, "text", "unseen") - 1 / len(_graph(artifacts.seed).of_kind("land"))


@metric("vectors_minus_text")
def vectors_minus_text(artifacts: Artifacts) -> float:
    return _gap(artifacts, "ERNIE", "text")


@metric("ernie_minus_random")
def ernie_minus_random(artifacts: Artifacts) -> float:
    return _gap(artifacts, "ERNIE", "random")


@metric("ernie_minus_shuffled")
def ernie_minus_shuffled(artifacts: Artifacts) -> float:
    return _gap(artifacts, "ERNIE", "shuffled")


@metric("ernie_minus_shuffled_graph")
def ernie_minus_shuffled_graph(artifacts: Artifacts) -> float:
    return _gap(artifacts, "ERNIE", "shuffled graph")


@metric("ernie_on_unseen_towns")
def ernie_on_unseen_towns(artifacts: Artifacts) -> float:
    return _right(artifacts, "ERNIE", "unseen town")


@metric("dea_gain")
def dea_gain(artifacts: Artifacts) -> float:
    return _gap(artifacts, "ERNIE, dEA", "ERNIE")
