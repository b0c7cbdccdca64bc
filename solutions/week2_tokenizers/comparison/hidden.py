"""Comparing tokenizers: hidden checks and the metrics that the grader computes itself. Never released."""

import random
from collections import Counter
from itertools import accumulate

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student
from etude.world import World
from grader.grading.artifacts import Artifacts
from grader.grading.metrics import metric

BEYOND, TOKENS = 10_000, 20_000  # the distance of the other text's seed, as in the notebook; the length that is judged


@exercise("cuts")
def test_random_pieces_agree_with_running_sums(student: Student) -> None:
    chance = random.Random(1)
    for count in (1, 2, 3, 6, 14):
        pieces = ["".join(chance.choices("ab눈", k=chance.randint(1, 4))) for _ in range(count)]
        handle = student.put(list(pieces))
        equal(student.cuts(handle), set(accumulate(map(len, pieces[:-1]))), given=" + ".join(pieces))
        equal(student.value(handle), pieces, given="the pieces, after their cuts were asked for")
    pieces = ["##a", "▁b", " c", "e\u0301", "f"]
    equal(student.cuts(pieces), {3, 5, 7, 9}, given=f"{pieces}: signs, blanks and accents are characters")


@exercise("agreement")
def test_many_words_agree_with_sets_of_pairs(student: Student) -> None:
    chance = random.Random(2)
    found = [set(chance.sample(range(1, 9), chance.randint(0, 4))) for _ in range(60)]
    known = [set(chance.sample(range(1, 9), chance.randint(0, 3))) for _ in range(60)]
    one = {(i, place) for i, places in enumerate(found) for place in places}
    other = {(i, place) for i, places in enumerate(known) for place in places}
    expected = [
        len(one & other) / len(one),
        len(one & other) / len(other),
        2 * len(one & other) / (len(one) + len(other)),
    ]
    close(list(student.agreement(found, known)), expected, given="60 words of up to 4 cuts")
    close(list(student.agreement([set()], [set()])), [0, 0, 0], given="one word, nothing found and nothing known")


@exercise("random_cuts")
def test_every_set_of_places_is_equally_likely(student: Student) -> None:
    generator = student.random.Random(3)
    drawn = Counter(tuple(sorted(student.random_cuts("aabcd", 2, generator))) for _ in range(1000))
    true(len(drawn) == 6, "6 pairs of places are possible", given="aabcd, 2 cuts, 1,000 draws", actual=sorted(drawn))
    # A fair count is 167 ± 11.8; five standard deviations on either side.
    true(
        108 < min(drawn.values()) <= max(drawn.values()) < 226,
        "each pair comes up about 167 times",
        given="aabcd, 2 cuts, 1,000 draws",
        actual=dict(drawn),
    )
    equal(student.random_cuts("눈배눈", 2, generator), {1, 2}, given="눈배눈, 2 cuts")
    equal(student.random_cuts("a" * 15, 14, generator), {*range(1, 15)}, given="15 times a, 14 cuts")


@exercise("random_cuts", points=0.5)
def test_the_generator_is_the_only_source_of_chance(student: Student) -> None:
    twice = [
        [sorted(student.random_cuts("abcdefghij", 4, student.random.Random(seed))) for seed in range(20)]
        for _ in range(2)
    ]
    true(twice[0] == twice[1], "the same generator gives the same places", given="20 generators, each made twice")
    true(
        len({tuple(places) for places in twice[0]}) > 5,
        "other generators give other places",
        given="20 generators",
        actual=twice[0],
    )


@exercise("tokens_per_sentence")
def test_a_long_text_agrees_with_brute_force(student: Student) -> None:
    chance = random.Random(4)
    cut = {f"{letter}{i}": ["x"] * chance.choice([1, 1, 2, 3]) for i in range(15) for letter in "wW"}
    sentences = [chance.choices(list(cut), k=chance.randint(1, 15)) for _ in range(40)]
    pieces = [cut[word] for sentence in sentences for word in sentence]
    whole = sum(1 for one in pieces if one == ["x"])
    expected = [sum(map(len, pieces)) / 40, whole / len(pieces)]
    close(list(student.tokens_per_sentence(sentences, cut)), expected, given="40 sentences of up to 15 words")
    found = student.tokens_per_sentence([["a"], ["a"], ["b"]], {"a": ["[UNK]"], "b": ["b", "c"]})
    close(list(found), [4 / 3, 2 / 3], given="the sentences a, a and b; a is the piece [UNK], b has two pieces")


@exercise("overlap")
def test_longer_lists_agree_with_sets(student: Student) -> None:
    kept = ["#a", "a##b", "a▁b", "[ab", "<ab", "ab]", "[a>"]  # neither marks at the start nor special tokens
    one = [*(f"##p{i}" for i in range(20)), *(f"p{i}" for i in range(10, 40)), "[SEP]", "##", "P12", *kept]
    other = [*(f"▁p{i}" for i in range(5, 25)), *(f"q{i}" for i in range(7)), "<pad>", "▁", "p12 ", *kept]
    first = {*(f"p{i}" for i in range(40)), "P12", *kept}
    second = {*(f"p{i}" for i in range(5, 25)), *(f"q{i}" for i in range(7)), "p12 ", *kept}
    close(student.overlap(one, other), len(first & second) / len(first | second), given="lists of 60 and 37 pieces")
    found = student.overlap(["###a", "é", " ", "b", "b"], ["#a", "e\u0301", " ", "b"])
    close(found, 3 / 5, given="###a é blank b b and #a e-accent blank b")


# Metrics.


def _f1(artifacts: Artifacts, name: str) -> float:
    """F1 of the recorded cuts, on the words of the other text; a word that was not recorded counts as not cut."""
    entries = [entry.split(" ") for entry in artifacts.strings(name)]  # a word and its cuts
    cut = {word: {int(place) for place in places if place.isdecimal() and len(place) < 5} for word, *places in entries}
    made = hits = true_cuts = 0
    texts = World("ko", seed=artifacts.seed + BEYOND).documents(TOKENS)
    known = {w.surface: w.morphemes for d in texts for s in d.sentences for w in s if "".join(w.morphemes) == w.surface}
    for word, morphemes in known.items():
        places = cut.get(word, set())
        borders = set(accumulate(map(len, morphemes[:-1])))
        made, hits, true_cuts = made + len(places), hits + len(places & borders), true_cuts + len(borders)
    return 2 * hits / (made + true_cuts) if made + true_cuts else 0.0


@metric("f1_bpe_ko")
def f1_bpe_ko(artifacts: Artifacts) -> float:
    return _f1(artifacts, "cut_by_bpe")


@metric("f1_unigram_ko")
def f1_unigram_ko(artifacts: Artifacts) -> float:
    return _f1(artifacts, "cut_by_unigram")
