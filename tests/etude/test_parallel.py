"""Pairs of one meaning: the same entries in both languages, homonyms that only the sentence tells apart, the same text everywhere."""

import hashlib

import pytest

from etude.world import World
from etude.world.lexicon import load
from etude.world.parallel import parallel

PINNED = "e4258a2fca8749aa8ab3d08a39c14966e6f8dd3f339a8318d66fccf2a9892b93"


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, str]]:
    return [(str(english), str(korean)) for english, korean in parallel(4000)]


def test_the_same_seed_gives_the_same_text_everywhere(pairs: list[tuple[str, str]]) -> None:
    text = "\n".join(f"{english}\t{korean}" for english, korean in pairs[:1000])
    assert hashlib.sha256(text.encode()).hexdigest() == PINNED
    assert [(str(a), str(b)) for a, b in parallel(10)] == pairs[:10]
    assert parallel(10, seed=1) != parallel(10)


def test_both_sides_hold_the_same_entries_of_the_dictionary() -> None:
    entries = list(zip(load("en").lexemes(), load("ko").lexemes(), strict=True))
    for english, korean in parallel(1000):
        for one, other in ((english, korean), (korean, english)):
            column = 0 if one is english else 1
            for word in one:
                meant = [pair for pair in entries if pair[column].morphemes[0] == word.morphemes[0]]
                if word.topic is not None and meant:
                    stems = {pair[1 - column].morphemes[0] for pair in meant if pair[column].topic == word.topic}
                    assert stems & {near.morphemes[0] for near in other}, (str(english), str(korean), str(word))


def test_a_homonym_is_translated_by_its_sense(pairs: list[tuple[str, str]]) -> None:
    words = {sense: [ko for en, ko in pairs if " bank" in en and sense in ko] for sense in ("은행", "강둑")}
    assert min(map(len, words.values())) > 5
    assert sum(map(len, words.values())) == sum(" bank" in en for en, _ in pairs)
    assert {"eye", "snow"} <= {
        w for en, ko in pairs if any(x in ko.split() for x in ("눈을", "눈은")) for w in en.split()
    }
    assert set(World("en").homonyms()) <= {word for en, _ in pairs for word in en.split()}


def test_sentences_seldom_repeat_so_that_some_can_be_held_out(pairs: list[tuple[str, str]]) -> None:
    assert len(set(pairs)) > 0.7 * len(pairs)


def test_a_count_below_one_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="count is 0"):
        parallel(0)
