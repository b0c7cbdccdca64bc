"""ernie: the public checks. Expected values come from hand counts, closed forms, and plain loops."""

import math
from typing import Any

import torch
from torch import Tensor

from etude.lesson.checks import Mismatch, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain

GAMMA = 1.0


def pair(found: Any, given: str) -> list[Any]:
    """Two things that came back together."""
    if isinstance(found, Tensor) or not isinstance(found, tuple | list) or len(found) != 2:
        raise Mismatch("two values were expected", given=given, actual=found)
    return list(found)


def whole(found: Any, given: str) -> Tensor:
    """A tensor of whole numbers."""
    true(isinstance(found, Tensor), "a tensor was expected", given=given, actual=found)
    equal(str(found.dtype), "torch.int64", given=f"{given}: the type")
    return torch.as_tensor(found)


def lists(found: Any, given: str) -> list[list[Any]]:
    """Two lists (or tuples, or tensors of numbers)."""
    return [plain(part.tolist()) if hasattr(part, "tolist") else list(part) for part in pair(found, given)]


# transe_loss
# Points (0, 0), (3, 4), (3, 0), (0, 1); one relation that steps by (3, 0), one that does not step.
POINTS = torch.tensor([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0], [0.0, 1.0]])
STEPS = torch.tensor([[3.0, 0.0], [0.0, 0.0]])
PLACES = "points 0: (0, 0), 1: (3, 4), 2: (3, 0), 3: (0, 1); relation 0 steps by (3, 0), relation 1 stays"


@exercise("transe_loss")
def test_a_pair_within_the_margin_costs_what_is_missing(student: Student) -> None:
    # 0 + (3, 0) = 2 exactly: distance 0. With tail 1 it is 4 off, with tail 3 it is √10.
    for corrupted, margin, expected in ((1, 6.0, 2.0), (3, 4.0, 4.0 - math.sqrt(10))):
        found = student.transe_loss(POINTS, STEPS, torch.tensor([[0, 0, 2]]), torch.tensor([[0, 0, corrupted]]), margin)
        close(found, expected, given=f"{PLACES}; the fact (0, 0, 2) against (0, 0, {corrupted}), margin {margin:g}")


@exercise("transe_loss", needs="test_a_pair_within_the_margin_costs_what_is_missing")
def test_a_pair_that_keeps_the_margin_costs_nothing(student: Student) -> None:
    found = student.transe_loss(POINTS, STEPS, torch.tensor([[0, 0, 2]]), torch.tensor([[0, 0, 1]]), GAMMA)
    close(found, 0.0, given=f"{PLACES}; the fact (0, 0, 2), exact, against (0, 0, 1), 4 off, margin 1")


@exercise("transe_loss")
def test_pairs_are_summed_and_heads_and_relations_count(student: Student) -> None:
    # (0, 1, 3): 1 off; (2, 1, 3): √10 off. (3, 0, 1): (3, 1) to (3, 4) is 3 off; (0, 0, 1): 4 off.
    facts, corrupted = torch.tensor([[2, 1, 3], [3, 0, 1]]), torch.tensor([[0, 1, 3], [0, 0, 1]])
    given = f"{PLACES}; (2, 1, 3), √10 off, against (0, 1, 3), 1 off, and (3, 0, 1), 3 off, against (0, 0, 1), 4 off; margin 2"
    close(student.transe_loss(POINTS, STEPS, facts, corrupted, 2.0), (2 + math.sqrt(10) - 1) + (2 + 3 - 4), given=given)


@exercise("transe_loss", points=0.5, needs="test_a_pair_within_the_margin_costs_what_is_missing")
def test_no_pair_costs_nothing(student: Student) -> None:
    none = torch.zeros(0, 3, dtype=torch.int64)
    found = student.transe_loss(POINTS, STEPS, none, none, GAMMA)
    true(isinstance(found, Tensor), "a tensor was expected", given="no pair at all", actual=found)
    close(found, 0.0, given="no pair at all")


# corrupt
KNOWN = torch.tensor([[0, 0, 4], [1, 0, 4], [2, 0, 5], [4, 1, 6]])
FACTS = "the facts (0, 0, 4), (1, 0, 4), (2, 0, 5), (4, 1, 6)"


def corrupted(student: Student, rows: list[int], heads: list[bool], tried: list[list[int]], expected: Any) -> None:
    given = f"{FACTS}; corrupted: {[tuple(KNOWN[row].tolist()) for row in rows]}, at the head {heads}, candidates {tried}"
    found = student.corrupt(KNOWN[rows], torch.tensor(heads), torch.tensor(tried), KNOWN)
    equal(whole(found, given).tolist(), expected, given=given)


@exercise("corrupt")
def test_the_head_or_the_tail_is_replaced_and_never_both(student: Student) -> None:
    corrupted(student, [0, 3], [True, False], [[3, 5], [3, 5]], [[3, 0, 4], [4, 1, 3]])


@exercise("corrupt")
def test_a_candidate_that_makes_a_known_fact_is_skipped(student: Student) -> None:
    corrupted(student, [0, 2], [True, False], [[1, 2, 3], [5, 5, 4]], [[2, 0, 4], [2, 0, 4]])


@exercise("corrupt")
def test_the_fact_itself_is_known_too(student: Student) -> None:
    corrupted(student, [3], [False], [[6, 6, 6, 2]], [[4, 1, 2]])


# transe_step
@exercise("transe_step")
def test_entities_are_brought_to_length_1_and_relations_are_not(student: Student) -> None:
    # The pair keeps the margin, so nothing moves.
    entities, relations = torch.tensor([[3.0, 4.0], [0.0, -2.0], [0.6, 0.8]]), torch.tensor([[0.0, 0.0], [5.0, 0.0]])
    given = "entities (3, 4), (0, −2), (.6, .8), relations (0, 0), (5, 0); a pair that keeps the margin"
    found = pair(student.transe_step(entities, relations, torch.tensor([[0, 0, 2]]), torch.tensor([[0, 0, 1]]), 0.5, 0.1), given)
    close(found[0], [[0.6, 0.8], [0.0, -1.0], [0.6, 0.8]], given=f"{given}: the entities")
    close(found[1], relations, given=f"{given}: the relations")


@exercise("transe_step")
def test_the_step_goes_against_the_gradient_at_length_1(student: Student) -> None:
    # (1, 0) + 0 − (0, 1): distance √2, slope (1, −1)/√2; corrupted (1, 0) − (−1, 0): distance 2, slope (1, 0).
    entities, relations = torch.tensor([[2.0, 0.0], [0.0, 3.0], [-4.0, 0.0]]), torch.zeros(1, 2)
    given = "entities (2, 0), (0, 3), (−4, 0), a relation (0, 0); (0, 0, 1) against (0, 0, 2), margin 1, rate .1"
    found = pair(student.transe_step(entities, relations, torch.tensor([[0, 0, 1]]), torch.tensor([[0, 0, 2]]), 1.0, 0.1), given)
    s = 0.1 / math.sqrt(2)
    close(found[0], [[1 - s + 0.1, s], [s, 1 - s], [-1 - 0.1, 0.0]], given=f"{given}: the entities")
    close(found[1], [[-s + 0.1, s]], given=f"{given}: the relations")


@exercise("transe_step", points=0.5, needs="test_the_step_goes_against_the_gradient_at_length_1")
def test_a_rate_of_0_only_brings_back_to_length_1(student: Student) -> None:
    entities, relations = torch.tensor([[2.0, 0.0], [0.0, 3.0], [-4.0, 0.0]]), torch.ones(1, 2)
    given = "the entities (2, 0), (0, 3), (−4, 0), rate 0"
    found = pair(student.transe_step(entities, relations, torch.tensor([[0, 0, 1]]), torch.tensor([[0, 0, 2]]), 1.0, 0), given)
    close(found[0], [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], given=f"{given}: the entities")
    close(found[1], relations, given=f"{given}: the relations")


# ranking
def ranked(student: Student, rows: list[list[float]], answers: list[int], known: list[list[int]], k: int, expected: Any) -> None:
    given = f"distances {rows}, answers {answers}, also right {known}, k = {k}"
    found = pair(student.ranking(torch.tensor(rows), torch.tensor(answers), known, k), given)
    true(all(isinstance(plain(part), float | int) for part in found), "two floats were expected", given=given, actual=found)
    close(found, expected, given=given)


@exercise("ranking")
def test_the_nearest_is_first(student: Student) -> None:
    ranked(student, [[0.1, 0.5, 0.9], [0.1, 0.5, 0.9], [0.1, 0.5, 0.9]], [0, 1, 2], [[], [], []], 2, [11 / 18, 2 / 3])


@exercise("ranking")
def test_other_right_answers_are_left_out(student: Student) -> None:
    ranked(student, [[0.1, 0.2, 0.3, 0.4]], [3], [[0, 2]], 1, [1 / 2, 0.0])


@exercise("ranking")
def test_ties_count_by_their_middle(student: Student) -> None:
    # Three others are as near: the middle of 1, 2, 3, 4.
    ranked(student, [[0.5, 0.5, 0.5, 0.5]], [2], [[]], 2, [1 / 2.5, 0.0])
    ranked(student, [[0.5, 0.5, 0.1, 0.9]], [0], [[]], 3, [1 / 2.5, 1.0])


@exercise("ranking", points=0.5, needs="test_other_right_answers_are_left_out")
def test_the_answer_stays_in_where_it_is_named_as_known(student: Student) -> None:
    ranked(student, [[0.1, 0.2, 0.3]], [1], [[1, 0]], 1, [1.0, 1.0])


# align
def aligned(student: Student, words: list[str], pieces: list[list[str]], names: Any, tokens: list[str], entities: list[int]) -> None:
    given = f"words {words}, pieces {pieces}, names {names}"
    found = lists(student.align(words, pieces, names), given)
    equal(found[0], tokens, given=f"{given}: the tokens")
    equal(found[1], entities, given=f"{given}: the entities")


@exercise("align")
def test_the_first_token_of_a_name_has_its_entity(student: Student) -> None:
    names = {("mirelo",): 0, ("dorun",): 7}
    pieces = [["yester", "##day"], ["mi", "##re", "##lo"], ["met"], ["do", "##run"]]
    tokens = ["[CLS]", "yester", "##day", "mi", "##re", "##lo", "met", "do", "##run", "[SEP]"]
    aligned(student, ["yesterday", "mirelo", "met", "dorun"], pieces, names, tokens, [-1, -1, -1, 0, -1, -1, -1, 7, -1, -1])


@exercise("align")
def test_the_longest_name_wins(student: Student) -> None:
    names = {("mirelo",): 3, ("port", "mirelo"): 8, ("port",): 5}
    tokens = ["[CLS]", "to", "port", "mi", "##relo", "port", "[SEP]"]
    pieces = [["to"], ["port"], ["mi", "##relo"], ["port"]]
    aligned(student, ["to", "port", "mirelo", "port"], pieces, names, tokens, [-1, -1, 8, -1, -1, 5, -1])


@exercise("align")
def test_a_korean_name_is_a_morpheme(student: Student) -> None:
    names = {("서울",): 2, ("서울", "대학교"): 4}
    tokens = ["[CLS]", "서울", "에서", "서울", "대학", "##교", "까지", "[SEP]"]
    pieces = [["서울"], ["에서"], ["서울"], ["대학", "##교"], ["까지"]]
    aligned(student, ["서울", "에서", "서울", "대학교", "까지"], pieces, names, tokens, [-1, 2, -1, 4, -1, -1, -1, -1])


@exercise("align", points=0.5, needs="test_the_first_token_of_a_name_has_its_entity")
def test_without_names_no_token_has_an_entity(student: Student) -> None:
    aligned(student, ["we", "met"], [["we"], ["met"]], {}, ["[CLS]", "we", "met", "[SEP]"], [-1] * 4)
    aligned(student, [], [], {("we",): 1}, ["[CLS]", "[SEP]"], [-1, -1])


# fuse
def gelu(x: float) -> float:
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


def one(number: float) -> Tensor:
    """One number as a weight, (1, 1)."""
    return torch.tensor([[float(number)]])


NOUGHT = torch.zeros(1)
HAS = torch.tensor([[True]])


@exercise("fuse")
def test_the_hidden_vector_takes_in_both(student: Student) -> None:
    # h = σ(2·1 − 3·.5 + .25), w' = σ(4h + 1), e' = σ(−2h + .5)
    weights = [one(2), one(-3), torch.tensor([0.25]), one(4), torch.tensor([1.0]), one(-2), torch.tensor([0.5])]
    given = "one token 1 with an entity .5, W_t = 2, W_e = −3, b = .25, W_t' = 4, b_t = 1, W_e' = −2, b_e = .5"
    found = pair(student.fuse(one(1)[None], one(0.5)[None], HAS, *weights), given)
    h = gelu(0.75)
    close(found[0], [[[gelu(4 * h + 1)]]], given=f"{given}: w'")
    close(found[1], [[[gelu(-2 * h + 0.5)]]], given=f"{given}: e'")


@exercise("fuse")
def test_a_token_without_an_entity_goes_alone(student: Student) -> None:
    weights = [one(1), one(5), NOUGHT, one(1), NOUGHT, one(1), torch.tensor([2.0])]
    given = "two tokens 1 and 1 with the numbers 7 and 7 beside them, the second has no entity; b_e = 2"
    w, e = torch.ones(1, 2, 1), torch.full((1, 2, 1), 7.0)
    found = pair(student.fuse(w, e, torch.tensor([[True, False]]), *weights), given)
    close(found[0], [[[gelu(gelu(36.0))], [gelu(gelu(1.0))]]], given=f"{given}: w'")
    close(found[1], [[[gelu(gelu(36.0) + 2)], [0.0]]], given=f"{given}: e'")


@exercise("fuse")
def test_weights_are_laid_out_as_in_a_linear_layer(student: Student) -> None:
    # H = 2, E = 1, I = 3: rows of w_in are the hidden numbers.
    w, e = torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[3.0]]])
    w_in, e_in = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), torch.tensor([[0.0], [1.0], [-1.0]])
    w_out, e_out = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, -1.0]]), torch.tensor([[1.0, 0.0, 2.0]])
    given = "one token (1, 2) with an entity (3); w_in, e_in, w_out, e_out of 3 × 2, 3 × 1, 2 × 3, 1 × 3"
    found = pair(student.fuse(w, e, HAS, w_in, e_in, torch.zeros(3), w_out, torch.zeros(2), e_out, NOUGHT), given)
    h = [gelu(1.0), gelu(5.0), gelu(0.0)]
    close(found[0], [[[gelu(h[0]), gelu(h[1] - h[2])]]], given=f"{given}: w'")
    close(found[1], [[[gelu(h[0] + 2 * h[2])]]], given=f"{given}: e'")


# mark
TOKENS, ENTITIES = ["[CLS]", "mi", "##re", "met", "do", "[SEP]"], [-1, 0, -1, -1, 7, -1]


def marked(student: Student, spans: list[tuple[int, int, str]], tokens: str, entities: list[int]) -> None:
    given = f"the tokens {TOKENS} with the entities {ENTITIES}, spans {spans}"
    found = lists(student.mark(TOKENS, ENTITIES, spans), given)
    equal(found[0], tokens.split(), given=f"{given}: the tokens")
    equal(found[1], entities, given=f"{given}: the entities")


@exercise("mark")
def test_marks_stand_around_the_mention_and_alignments_move_along(student: Student) -> None:
    marked(student, [(1, 2, "[ENT]")], "[CLS] [ENT] mi ##re [ENT] met do [SEP]", [-1, -1, 0, -1, -1, -1, 7, -1])


@exercise("mark")
def test_head_and_tail_have_marks_of_their_own_in_any_order(student: Student) -> None:
    expected = "[CLS] [TL] mi ##re [TL] met [HD] do [HD] [SEP]", [-1, -1, 0, -1, -1, -1, -1, 7, -1, -1]
    marked(student, [(4, 4, "[HD]"), (1, 2, "[TL]")], *expected)
    marked(student, [(1, 2, "[TL]"), (4, 4, "[HD]")], *expected)


@exercise("mark", points=0.5, needs="test_marks_stand_around_the_mention_and_alignments_move_along")
def test_without_spans_nothing_changes(student: Student) -> None:
    marked(student, [], " ".join(TOKENS), ENTITIES)


# dea_noise
def noised(student: Student, entities: list[list[int]], uniform: list[list[float]], others: list[list[int]], expected: Any) -> None:
    given = f"entities {entities}, uniform {uniform}, others {others}"
    found = student.dea_noise(torch.tensor(entities), torch.tensor(uniform), torch.tensor(others))
    equal(whole(found, given).tolist(), expected, given=given)


@exercise("dea_noise")
def test_some_are_replaced_some_masked_and_the_rest_kept(student: Student) -> None:
    uniform = [[0.01, 0.1, 0.19], [0.9, 0.21, 0.5]]
    noised(student, [[6, 6, 6], [6, 0, 3]], uniform, [[2, 2, 2], [2, 2, 2]], [[2, -1, -1], [6, 0, 3]])


@exercise("dea_noise")
def test_another_entity_is_another_one(student: Student) -> None:
    noised(student, [[3, 3, 3, 0]], [[0.0, 0.02, 0.04, 0.0]], [[2, 3, 4, 0]], [[2, 4, 5, 1]])


@exercise("dea_noise", needs="test_some_are_replaced_some_masked_and_the_rest_kept")
def test_a_token_without_an_entity_gets_none(student: Student) -> None:
    noised(student, [[-1, -1, -1, 4]], [[0.01, 0.1, 0.9, 0.9]], [[2, 2, 2, 2]], [[-1, -1, -1, 4]])


# dea_loss
UNIT = torch.eye(4)  # four entities, at right angles to each other


@exercise("dea_loss")
def test_who_knows_nothing_pays_ln_of_how_many_the_sentence_names(student: Student) -> None:
    for entities in ([[0, -1, 2]], [[0, 1, 2]]):
        count = sum(entity >= 0 for entity in entities[0])
        found = student.dea_loss(torch.zeros(1, 3, 4), UNIT, torch.tensor(entities))
        close(found, math.log(count), given=f"three tokens with the entities {entities}, all scores 0, four entities in the graph")


@exercise("dea_loss")
def test_the_score_is_the_product_with_the_entitys_vector(student: Student) -> None:
    # Token 0 scores entity 0 by ln 3 and entity 2 by 0; token 1 scores them by ln 7 and 0.
    states = torch.zeros(1, 2, 4)
    states[0, 0, 0], states[0, 1, 0] = math.log(3), math.log(7)
    given = "two tokens with the entities 0 and 2; they score entity 0 by ln 3 and by ln 7, others by 0: −ln 3/4 and −ln 1/8"
    close(student.dea_loss(states, UNIT, torch.tensor([[0, 2]])), (math.log(4 / 3) + math.log(8)) / 2, given=given)


@exercise("dea_loss")
def test_candidates_are_those_of_the_tokens_own_sentence(student: Student) -> None:
    given = "two sentences, one with the entities 0 and 1, one with 2, all scores 0: ln 2 twice, and 0"
    found = student.dea_loss(torch.zeros(2, 3, 4), UNIT, torch.tensor([[0, 1, -1], [-1, 2, -1]]))
    close(found, 2 * math.log(2) / 3, given=given)


@exercise("dea_loss")
def test_an_entity_named_twice_is_one_candidate(student: Student) -> None:
    given = "a sentence that names entity 1 twice and entity 3 once, all scores 0"
    close(student.dea_loss(torch.zeros(1, 3, 4), UNIT, torch.tensor([[1, 3, 1]])), math.log(2), given=given)
