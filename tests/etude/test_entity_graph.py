"""The planted graph: the same from a seed everywhere, facts that follow and facts that do not, sentences that tell none."""

from collections import Counter

import pytest

from etude import entity_graph
from etude.entity_graph import KINDS, LIES_IN, LIVES_IN, OFFICIAL, RELATIONS, SPEAKS, WORKS_AS, draw, pieces, sentences

GRAPH = draw(0)


def test_a_seed_gives_one_graph_and_another_seed_another() -> None:
    assert draw(0) == GRAPH != draw(1)
    assert [GRAPH.entities[number].name for number in (0, 1)] == [("roralo",), ("komelo",)]


def test_people_and_towns_are_dealt_evenly_and_each_land_has_its_own_language() -> None:
    facts = GRAPH.facts + GRAPH.held_out
    counts = {
        relation: Counter(fact.tail for fact in facts if fact.relation == relation)
        for relation in range(len(RELATIONS))
    }
    assert set(counts[LIVES_IN].values()) == {8}
    assert set(counts[LIES_IN].values()) == {4}
    assert set(counts[OFFICIAL].values()) == {1}
    assert set(counts[WORKS_AS].values()) == {16}
    assert len({entity.name for entity in GRAPH.entities}) == len(GRAPH.entities) == 256 + 32 + 8 + 8 + 16
    assert [len(GRAPH.of_kind(kind)) for kind in KINDS] == [256, 32, 8, 8, 16]


def test_what_a_town_speaks_follows_from_its_land_held_out_or_not() -> None:
    for town in GRAPH.of_kind("town"):
        land = GRAPH.tail(town, LIES_IN)
        assert GRAPH.tail(town, SPEAKS) == GRAPH.tail(land, OFFICIAL)
    held = Counter(fact.relation for fact in GRAPH.held_out)
    assert held == {SPEAKS: 8, WORKS_AS: 42}
    assert not set(GRAPH.held_out) & set(GRAPH.facts)


def test_a_persons_land_is_two_steps_away_and_no_fact_states_it() -> None:
    lands = GRAPH.of_kind("land")
    person = GRAPH.of_kind("person")[7]
    town = next(fact.tail for fact in GRAPH.facts if fact.head == person and fact.relation == LIVES_IN)
    land = next(fact.tail for fact in GRAPH.facts if fact.head == town and fact.relation == LIES_IN)
    assert lands[GRAPH.land_of(person)] == land
    assert not any(fact.head == person and fact.tail in lands for fact in GRAPH.facts)
    with pytest.raises(KeyError, match="'lies in' leads nowhere"):
        GRAPH.tail(person, LIES_IN)


def test_a_shuffled_graph_has_the_same_counts_and_other_facts() -> None:
    other = GRAPH.shuffled(0)
    for relation in range(len(RELATIONS)):
        tails = [Counter(fact.tail for fact in graph.facts if fact.relation == relation) for graph in (GRAPH, other)]
        assert tails[0] == tails[1]
    kept = len(set(GRAPH.facts) & set(other.facts)) / len(GRAPH.facts)
    assert kept < 0.15


def test_mentions_are_where_the_names_stand_and_nobody_is_named_twice() -> None:
    for sentence in sentences(GRAPH, 200, 1):
        for mention in sentence.mentions:
            assert sentence.words[mention.first : mention.last + 1] == GRAPH.entities[mention.entity].name
        assert len({mention.entity for mention in sentence.mentions}) == len(sentence.mentions) >= 1


def test_whom_a_sentence_names_does_not_depend_on_the_facts() -> None:
    assert sentences(GRAPH, 50, 3) == sentences(GRAPH.shuffled(5), 50, 3)


def test_all_pieces_are_in_the_vocabulary_once_and_names_are_cut_into_syllables() -> None:
    known = entity_graph.vocabulary()
    assert len(set(known)) == len(known)
    assert pieces("mirelo") == ["mi", "##re", "##lo"]
    assert pieces("garden") == ["garden"]
    for sentence in sentences(GRAPH, 200, 1):
        assert {piece for word in sentence.words for piece in pieces(word)} <= set(known)


def test_too_few_people_are_refused() -> None:
    with pytest.raises(ValueError, match="3 people, 4 towns"):
        draw(0, people=3, towns=4, lands=2)
