"""The planted graph of concepts: what its questions rest on, and the paths between two concepts against a brute force."""

import random
from itertools import pairwise, permutations, product

import pytest

from etude.concept_graph import BACK, SPLITS, ConceptWorld, Path, Triple, multigraph, renamed, rewired, simple_paths


def brute_force(triples: list[Triple], source: str, target: str, longest: int) -> list[Path]:
    """All rows of concepts in between, and all rows of relations along each."""
    both = [*triples, *((tail, relation + BACK, head) for head, relation, tail in triples)]
    names = sorted({name for head, _, tail in triples for name in (head, tail)} - {source, target})
    found = []
    for size in range(longest):
        for middle in permutations(names, size):
            steps = [
                [step for step in both if (step[0], step[2]) == pair] for pair in pairwise([source, *middle, target])
            ]
            found += [list(path) for path in product(*steps)]
    return sorted(found)


@pytest.mark.parametrize("seed", range(20))
def test_paths_are_those_of_a_brute_force(seed: int) -> None:
    draw = random.Random(seed)
    triples = sorted({(draw.choice("abcde"), draw.choice("rs"), draw.choice("abcde")) for _ in range(8)})
    graph = multigraph(triples)
    for source, target in permutations("abcde", 2):
        for longest in (1, 2, 3, 4):
            assert sorted(simple_paths(graph, source, target, longest)) == brute_force(triples, source, target, longest)


def test_there_is_no_path_to_itself_or_to_what_the_graph_does_not_hold() -> None:
    graph = multigraph([("a", "r", "b")])
    assert simple_paths(graph, "a", "a", 3) == simple_paths(graph, "a", "elsewhere", 3) == []


def test_the_same_seed_gives_the_same_world_and_another_seed_another() -> None:
    one, same, other = ConceptWorld(3), ConceptWorld(3), ConceptWorld(4)
    assert one.triples == same.triples
    assert one.questions("test") == same.questions("test")
    assert set(one.triples) != set(other.triples)


@pytest.fixture(scope="module", params=[0, 1])
def world(request: pytest.FixtureRequest) -> ConceptWorld:
    return ConceptWorld(request.param)


def test_no_triple_and_no_name_stands_twice(world: ConceptWorld) -> None:
    assert len(set(world.triples)) == len(world.triples)
    assert len(set(world.korean.values())) == len(world.korean) == len(world.kinds)


def planted(relations: list[str]) -> bool:
    return relations in (["UsedFor*", "AtLocation*"], ["HasSubevent", "UsedFor*", "AtLocation*"])


@pytest.mark.parametrize("split", SPLITS)
def test_the_planted_path_leads_to_the_right_tool_alone(world: ConceptWorld, split: str) -> None:
    graph = multigraph(world.triples)
    for question in world.questions(split)[:40]:
        aim = next(name for name in world.split_of if name.split("_") == list(question.lemmas[5:7]))
        relations = [
            [[relation for _, relation, _ in path] for path in simple_paths(graph, aim, tool, 3)]
            for tool in question.choices
        ]
        right = [any(planted(path) for path in some) for some in relations]
        assert right == [question.known and place == question.answer for place in range(4)]
        assert {min(len(path) for path in some) for some in relations} == {question.steps}


def test_questions_say_the_same_in_both_languages(world: ConceptWorld) -> None:
    for english, korean in zip(world.questions("test"), world.questions("test", "ko"), strict=True):
        assert (english.answer, english.steps, english.known) == (korean.answer, korean.steps, korean.known)
        assert [world.korean[tool] for tool in english.choices] == list(korean.choices)
        assert f"{korean.lemmas[0]}_{korean.lemmas[1]}" == world.korean["_".join(english.lemmas[5:7])]


def test_no_tool_is_asked_about_in_two_splits(world: ConceptWorld) -> None:
    tools = [{tool for question in world.questions(split) for tool in question.choices} for split in SPLITS]
    assert sum(map(len, tools)) == len(set.union(*tools)) == 64


def test_shuffled_names_keep_every_relation_and_all_degrees(world: ConceptWorld) -> None:
    other = renamed(world.triples, world.kinds, 5)
    assert [relation for _, relation, _ in other] == [relation for _, relation, _ in world.triples]
    one, two = ([degree for _, degree in multigraph(triples).degree()] for triples in (world.triples, other))
    assert sorted(one) == sorted(two)
    assert all(world.kinds[a[0]] == world.kinds[b[0]] for a, b in zip(world.triples, other, strict=True))
    assert len(set(other) & set(world.triples)) < len(other) / 4


def test_a_random_graph_has_as_many_triples_of_each_relation(world: ConceptWorld) -> None:
    other = rewired(world.triples, 6)
    assert len(set(other)) == len(other) == len(world.triples)
    assert [relation for _, relation, _ in other] == [relation for _, relation, _ in world.triples]
    assert all(head != tail for head, _, tail in other)
