"""Comparing tokenizers: hidden checks and the metrics that the grader computes itself. Never released."""

import math
import random
from collections import Counter
from itertools import accumulate

from hypothesis.strategies import DrawFn, composite, fixed_dictionaries, integers, lists, sampled_from, sets, tuples

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student
from etude.world import World
from grader.grading.artifacts import Artifacts
from grader.grading.metrics import metric
from grader.lessons.generated import for_all

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
    equal(student.cuts(["ab"] * 300), set(range(2, 600, 2)), given="ab 300 times")
    equal(student.cuts(["x" * 300, "y" * 70_000, "z"]), {300, 70_300}, given="pieces of 300, 70,000 and 1 characters")


FEW = ["a", "b"]
CHARACTERS = [*FEW, "눈", "é", "e", "\u0301", "🙂", "\u200d", "\u1112", "\u1161", " ", "#", "##", "▁", "\n", "ß", "İ"]


@exercise("cuts", points=0.5, needs="test_a_cut_is_the_number_of_characters_before_it")
@for_all(
    pieces=lists(
        lists(sampled_from(FEW) | sampled_from(CHARACTERS), min_size=1, max_size=3).map("".join), min_size=1, max_size=9
    )
)
def test_any_pieces_are_cut_where_they_meet(student: Student, pieces: list[str]) -> None:
    equal(student.cuts(pieces), set(accumulate(map(len, pieces[:-1]))))


def _of_pairs(found: list[set[int]], known: list[set[int]]) -> list[float]:
    """Precision, recall and F1 of the pairs (word, place)."""
    one, other = ({(i, place) for i, places in enumerate(each) for place in places} for each in (found, known))
    hits = len(one & other)
    return [hits / max(1, len(one)), hits / max(1, len(other)), 2 * hits / max(1, len(one) + len(other))]


PLACES = sets(sampled_from([1, 2, 3, 255, 256, 70_000]), max_size=4)


@exercise("agreement", points=0.5, needs="test_cuts_are_counted_over_all_words")
@for_all(words=lists(tuples(PLACES, PLACES), min_size=1, max_size=6))
def test_any_words_agree_with_sets_of_pairs(student: Student, words: list[tuple[set[int], set[int]]]) -> None:
    """Of each word the cuts that were found, and those that are known."""
    found, known = ([word[i] for word in words] for i in (0, 1))
    close(list(student.agreement(found, known)), _of_pairs(found, known))


@exercise("agreement")
def test_many_words_agree_with_sets_of_pairs(student: Student) -> None:
    chance = random.Random(2)
    found = [set(chance.sample(range(1, 9), chance.randint(0, 4))) for _ in range(60)]
    known = [set(chance.sample(range(1, 9), chance.randint(0, 3))) for _ in range(60)]
    close(list(student.agreement(found, known)), _of_pairs(found, known), given="60 words of up to 4 cuts")
    close(list(student.agreement([set()], [set()])), [0, 0, 0], given="one word, nothing found and nothing known")
    found, known = [*({2} for _ in range(2_999)), {1}], [*({3} for _ in range(1_999)), *[set()] * 1_000, {1}]
    expected = [1 / 3_000, 1 / 2_000, 2 / 5_000]
    given = "3,000 words: 3,000 found, 2,000 known, one of them right, in the last word"
    close(list(student.agreement(found, known)), expected, given=given, atol=0)
    found, known = [set(range(60_000))], [{*range(59_999, 119_999)}]
    given = "one word: 60,000 found, 60,000 known, one of them right"
    close(list(student.agreement(found, known)), [1 / 60_000] * 3, given=given, atol=0)
    close(list(student.agreement([{1}], [{1}])), [1, 1, 1], given="found {1}, known {1}", rtol=1e-5)


@composite
def _words_and_counts(draw: DrawFn) -> tuple[str, int]:
    """A word of up to four characters, and how many cuts to make in it."""
    word = "".join(draw(lists(sampled_from(["a", "b", "눈", "\u0301", "🙂", " ", "\n"]), min_size=1, max_size=4)))
    return word, draw(integers(0, len(word) - 1))


@exercise("random_cuts", points=0.5)
@for_all(examples=15, word_and_count=_words_and_counts(), seed=integers(0, 10**9))
def test_all_places_of_any_word_are_drawn(student: Student, word_and_count: tuple[str, int], seed: int) -> None:
    """Of 60 draws with at most three places, one is left out in one of ten thousand million cases."""
    (word, count), generator = word_and_count, student.random.Random(seed)
    drawn = [student.random_cuts(word, count, generator) for _ in range(60)]
    for places in drawn:
        true(isinstance(places, set | frozenset), "a set is asked for", actual=places)
        true(len(places) == count, f"{count} different places are asked for", actual=places)
    equal(set().union(*drawn), set(range(1, len(word))) if count else set())


@exercise("random_cuts", points=0.5)
def test_every_set_of_places_is_equally_likely(student: Student) -> None:
    generator = student.random.Random(3)
    drawn = Counter(tuple(sorted(student.random_cuts("aabcd", 2, generator))) for _ in range(4000))
    true(len(drawn) == 6, "6 pairs of places are possible", given="aabcd, 2 cuts, 4,000 draws", actual=sorted(drawn))
    # A fair count is 667 ± 23.6; five standard deviations on either side.
    true(
        549 < min(drawn.values()) <= max(drawn.values()) < 785,
        "each pair comes up about 667 times",
        given="aabcd, 2 cuts, 4,000 draws",
        actual=dict(drawn),
    )
    equal(student.random_cuts("눈배눈", 2, generator), {1, 2}, given="눈배눈, 2 cuts")
    equal(student.random_cuts("a" * 15, 14, generator), {*range(1, 15)}, given="15 times a, 14 cuts")


@exercise("random_cuts", points=0.5, needs="test_as_many_places_as_asked_for_inside_the_word")
def test_one_place_and_three_places_are_as_likely_as_any_others(student: Student) -> None:
    generator = student.random.Random(4)
    equal(student.random_cuts("a", 0, generator), set(), given="a, no cuts")
    equal(student.random_cuts("ab", 1, generator), {1}, given="ab, 1 cut")
    for word, count, number in (("abcdef", 1, 5), ("aabb눈c", 3, 10), (" e\u0301눈눈\n", 3, 10)):
        drawn = Counter(tuple(sorted(student.random_cuts(word, count, generator))) for _ in range(1000))
        given = f"{word!r}, {count} {'cut' if count == 1 else 'cuts'}, 1,000 draws"
        true(len(drawn) == number, f"{number} sets of places are possible", given=given, actual=sorted(drawn))
        fair, spread = 1000 / number, math.sqrt(1000 / number * (1 - 1 / number))  # five standard deviations on either side
        even = fair - 5 * spread < min(drawn.values()) <= max(drawn.values()) < fair + 5 * spread
        true(even, f"each set comes up about {fair:.0f} times", given=given, actual=dict(drawn))


@exercise("random_cuts", points=0.5, needs="test_as_many_places_as_asked_for_inside_the_word")
def test_all_places_of_a_long_word_are_drawn_and_no_draw_comes_again(student: Student) -> None:
    generator, given = student.random.Random(8), "a word of 61 characters, 12 cuts, 500 draws"
    drawn = [tuple(sorted(student.random_cuts("눈" * 61, 12, generator))) for _ in range(500)]
    counts = Counter(place for places in drawn for place in places)
    equal(sorted(counts), [*range(1, 61)], given=f"{given}: the places that came up")
    # A fair count is 100 ± 8.9; five standard deviations on either side.
    even = 55 < min(counts.values()) <= max(counts.values()) < 145
    true(even, "each place comes up about 100 times", given=given, actual=dict(counts))
    true(len(set(drawn)) == 500, "of 10¹² sets of places none should come twice", given=given, actual=len(set(drawn)))


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
    generator = student.random.Random(5)
    student.random.seed(6)
    student.random_cuts("abcdefghij", 4, generator)
    same = student.random.random() == random.Random(6).random()
    true(same, "the module's own generator is left as it was", given="random.seed(6), then abcdefghij, 4 cuts")


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
    sentences = [["a"] * 2999, *[["b"]] * 2000, ["c"]]
    expected = [(2999 + 4000 + 300) / 2002, 2999 / 5000]
    given = "a sentence of 2,999 words a, 2,000 of a word of two pieces, one of a word of 300"
    found = student.tokens_per_sentence(sentences, {"a": ["a"], "b": ["x", "x"], "c": ["x"] * 300})
    close(list(found), expected, given=given)


WORDS = ["a", "A", "", "é", "e\u0301", "눈"]
PIECES = lists(sampled_from(["a", "##a", "▁", "", "[UNK]"]), max_size=3)


@exercise("tokens_per_sentence", points=0.5, needs="test_pieces_are_counted_by_sentence_and_whole_words_by_word")
@for_all(
    sentences=lists(lists(sampled_from(WORDS), max_size=6), min_size=1, max_size=6).filter(any),
    cut=fixed_dictionaries(dict.fromkeys(WORDS, PIECES)),
)
def test_sentences_may_be_empty_and_every_word_counts(
    student: Student, sentences: list[list[str]], cut: dict[str, list[str]]
) -> None:
    lengths = [len(cut[word]) for sentence in sentences for word in sentence]
    expected = [sum(lengths) / len(sentences), lengths.count(1) / len(lengths)]
    close(list(student.tokens_per_sentence(sentences, cut)), expected)


FRONTS = ["", "##", "▁", "####", "▁▁", "##▁", "▁##", "#", "_", "Ġ"]
MIDDLES = [
    "", "a", "A", "#", "▁", "##", "é", "e\u0301", " ", "\n", "[UNK]", "[]", "[", "]", "<s>", "<>", "<a]", "[a>", "[\n]", "<a>\n",
    " [a]", "[[]", "a[UNK]", "<0x0A>", "(a)", "{a}", "눈", "a##", "ﬁ", "fi", "[PAD", "unk", "a\u200b",
    "<a b>", "[a b]", "</s>", "a</w>", "[[a]]", "<<a>>", "<a>b<c>",
]  # fmt: skip


def _jaccard(one: list[str], other: list[str]) -> float:
    first, second = (
        {piece[2:] if piece[:2] == "##" else piece[1:] if piece[:1] == "▁" else piece for piece in pieces}
        for pieces in (one, other)
    )
    union = {p for p in first | second if p and not (len(p) > 2 and (p[0], p[-1]) in {("[", "]"), ("<", ">")})}
    return len(first & second & union) / max(1, len(union))


@exercise("overlap", points=0.5, needs="test_the_index_is_the_intersection_over_the_union")
def test_one_mark_goes_and_special_tokens_after_it(student: Student) -> None:
    for front in FRONTS:
        for middle in MIDDLES:
            one, other = [f"{front}{middle}", "b"], ["b", "a", "é", "fi"]  # for one of which a piece is easily taken
            close(student.overlap(one, other), _jaccard(one, other), given=f"{one} and {other}")


@composite
def _vocabularies(draw: DrawFn) -> tuple[list[str], list[str]]:
    """Two lists of the same few strings with any marks in front, some of them twice."""
    middles = sampled_from(draw(lists(sampled_from(MIDDLES), min_size=1, max_size=5)))
    pieces = lists(tuples(sampled_from(FRONTS), middles).map("".join), max_size=9)
    return draw(pieces), draw(pieces)


@exercise("overlap", points=0.5, needs="test_the_index_is_the_intersection_over_the_union")
@for_all(vocabularies=_vocabularies())
def test_any_lists_agree_with_sets(student: Student, vocabularies: tuple[list[str], list[str]]) -> None:
    close(student.overlap(*vocabularies), _jaccard(*vocabularies))


@exercise("overlap")
def test_longer_lists_agree_with_sets(student: Student) -> None:
    kept = ["#a", "a##b", "a▁b", "[ab", "<ab", "ab]", "[a>"]  # neither marks at the start nor special tokens
    one = [*(f"##p{i}" for i in range(20)), *(f"p{i}" for i in range(10, 40)), "[SEP]", "##", "P12", *kept]
    other = [*(f"▁p{i}" for i in range(5, 25)), *(f"q{i}" for i in range(7)), "<pad>", "▁", "p12 ", *kept]
    first = {*(f"p{i}" for i in range(40)), "P12", *kept}
    second = {*(f"p{i}" for i in range(5, 25)), *(f"q{i}" for i in range(7)), "p12 ", *kept}
    close(student.overlap(one, other), len(first & second) / len(first | second), given="lists of 60 and 37 pieces")
    one, other = [f"{i}" for i in range(6000)], [f"▁{i}" for i in range(5999, 9000)]
    given = "lists of 6,000 and 3,001 pieces, of which one is in both"
    close(student.overlap(one, other), 1 / 9000, given=given, atol=0)
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
