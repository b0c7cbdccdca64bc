"""WordPiece: hidden checks and the metrics that the grader computes itself. Never released."""

import math
import random
import string
import unicodedata
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

from hypothesis.strategies import (
    DrawFn,
    composite,
    dictionaries,
    integers,
    lists,
    none,
    permutations,
    sampled_from,
    tuples,
)
from hypothesis.strategies import text as strings

from etude.lesson.checks import close, equal, exercise
from etude.lesson.interface import Student
from etude.tokenizers import wordpiece
from etude.world import World
from etude.world.lexicon import Language
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons.generated import for_all

HELD_OUT, BEYOND = 10_000, 10_000  # as in the notebook: words of the other text, and its seed's distance


def _words(seed: int, kinds: int = 12, letters: str = "aAb눈") -> dict[str, int]:
    """Different words of one to six letters with their counts, and one of 14 at the end, which alone has the last letter."""
    chance = random.Random(seed)
    words = {"".join(chance.choices(letters, k=chance.randint(1, 6))): chance.randint(1, 20) for _ in range(kinds - 1)}
    return words | {"".join(chance.choices(letters, k=13)) + "z": chance.randint(2, 20)}


def _spelled(counts: dict[str, int]) -> dict[tuple[str, ...], int]:
    return {tuple("##" * (i > 0) + c for i, c in enumerate(word)): count for word, count in counts.items()}


def _values(words: dict[tuple[str, ...], int], rule: str, min_count: int) -> list[tuple[tuple[str, str], float]]:
    """The ranking, from texts written out in full."""
    text = [word for word, count in words.items() for _ in range(count)]
    pieces = Counter(piece for word in text for piece in word)
    pairs = Counter(pair for word in text for pair in pairwise(word))
    total = pieces.total()

    def gain(s: str, t: str, n: int) -> float:
        parts = [(n, 1), (pieces[s] - n, 1), (pieces[t] - n, 1), (total - n, -1)]
        parts += [(pieces[s], -1), (pieces[t], -1), (total, 1)]
        return sum(sign * count * math.log(count) for count, sign in parts if count)

    values: dict[str, Callable[[str, str, int], float]] = {
        "frequency": lambda s, t, n: n,
        "score": lambda s, t, n: n / (pieces[s] * pieces[t]),
        "gain": lambda s, t, n: round(gain(s, t, n), 6),
    }
    found = {pair: values[rule](*pair, n) for pair, n in pairs.items() if n >= min_count}
    return sorted(sorted(found.items()), key=lambda item: -item[1])


def _likelihood(counts: list[int]) -> float:
    """The log-likelihood of a text of pieces with these counts."""
    return math.fsum(count * (math.log(count) - math.log(sum(counts))) for count in counts if count)


@exercise("likelihood_gain")
@for_all(
    n=sampled_from([1, 2, 3, 8, 300]),
    more_s=sampled_from([0, 0, 1, 7, 40]),
    more_t=sampled_from([0, 0, 1, 2, 40]),
    rest=sampled_from([0, 1, 2, 11, 1000]),
)
def test_any_counts_agree_with_the_sum_over_pieces(
    student: Student, n: int, more_s: int, more_t: int, rest: int
) -> None:
    expected = _likelihood([n, more_s, more_t, rest]) - _likelihood([n + more_s, n + more_t, rest])
    close(student.likelihood_gain(n, n + more_s, n + more_t, 2 * n + more_s + more_t + rest), expected)


@exercise("likelihood_gain", points=0.5, needs="test_two_pieces_that_only_occur_together")
def test_texts_of_any_size_agree_with_the_sum_over_pieces(student: Student) -> None:
    for n in (1, 2, 300, 2_000_000, 3_000_000_000):
        for more_s, more_t, rest in [
            (0, 0, 0),
            (0, 0, n),
            (0, 1, 0),
            (3 * n, 0, 0),
            (0, 2 * n, 5 * n),
            (n, n, 0),
            (2 * n, n, 9 * n),
        ]:
            expected = _likelihood([n, more_s, more_t, rest]) - _likelihood([n + more_s, n + more_t, rest])
            total = 2 * n + more_s + more_t + rest
            given = f"n = {n}, counts {n + more_s} and {n + more_t}, {total} pieces"
            close(
                student.likelihood_gain(n, n + more_s, n + more_t, total) / n,
                expected / n,
                given=f"{given}; the gain by n",
            )


PIECES = [
    ["a", "##a", "##b"],
    ["a", "aa", "##a", "##b"],  # of two pairs, the one that is first may be last when its pieces are joined
    ["#", "###", "a", "##aa"],
    ["A", "a", "##A", "##a"],
    ["눈", "##눈", "é", "e\u0301", "##\u0301", "[UNK]"],
]


@composite
def _counted(draw: DrawFn) -> dict[tuple[str, ...], int]:
    """Words of few kinds of pieces with their counts; pairs are often equally good."""
    words = lists(sampled_from(draw(sampled_from(PIECES))), min_size=1, max_size=5).map(tuple)
    return draw(dictionaries(words, sampled_from([2, 1, 3, 300]), max_size=6))


@exercise("rank_pairs", needs="test_by_frequency_the_hugs_begin_with_u_g")
@for_all(words=_counted(), rule=sampled_from(["frequency", "score", "gain"]), min_count=sampled_from([1, 2, 3, 4, 300]))
def test_any_pieces_are_ranked_as_by_a_count_of_the_whole_text(
    student: Student, words: dict[tuple[str, ...], int], rule: str, min_count: int
) -> None:
    found = [(tuple(pair), value) for pair, value in student.rank_pairs(words, rule, min_count)]
    expected = _values(words, rule, min_count)
    if rule == "gain":  # two ways of adding may part in its sixth decimal, and so in the order
        found, expected = sorted(found), sorted(expected)
    equal([pair for pair, _ in found], [pair for pair, _ in expected])
    close([value for _, value in found], [value for _, value in expected], atol=2e-6)


@exercise("rank_pairs", points=2)
def test_random_words_are_ranked_as_by_a_count_of_the_whole_text(student: Student) -> None:
    for seed in range(4):
        words = _spelled(_words(seed))
        for rule in ("frequency", "score", "gain"):
            for min_count in (1, 2, 15):
                found = [(tuple(pair), value) for pair, value in student.rank_pairs(words, rule, min_count)]
                expected = _values(words, rule, min_count)
                given = f"12 random words, {rule}, at least {min_count} times"
                close([value for _, value in found], [value for _, value in expected], given=given, atol=2e-6)
                equal([pair for pair, _ in found], [pair for pair, _ in expected], given=given)


@exercise("rank_pairs", points=0.5, needs="test_by_frequency_the_hugs_begin_with_u_g")
def test_no_words_have_no_pairs(student: Student) -> None:
    equal(list(student.rank_pairs({}, "score")), [], given="no words")
    equal(list(student.rank_pairs({("a",): 5}, "gain")), [], given="a 5")


@exercise("rank_pairs", points=0.5)
def test_equal_values_go_by_the_two_pieces_and_tiny_scores_are_told_apart(student: Student) -> None:
    words = {("ab", "##c"): 2, ("a", "c"): 2, ("a", "##z"): 2, ("a", "##x"): 2, ("B", "##x"): 2}
    found = [tuple(pair) for pair, _ in student.rank_pairs(words, "frequency")]
    expected = [("B", "##x"), ("a", "##x"), ("a", "##z"), ("a", "c"), ("ab", "##c")]
    equal(found, expected, given="ab ##c, a c, a ##z, a ##x, B ##x, 2 each")
    found = student.rank_pairs({("a", "##b"): 3_000_000_000, ("c", "##d"): 2_000_000_000}, "score")
    given = "ab 3,000,000,000, cd 2,000,000,000; score"
    equal([tuple(pair) for pair, _ in found], [("c", "##d"), ("a", "##b")], given=given)
    close([value * 1e9 for _, value in found], [1 / 2, 1 / 3], given=f"{given}, times 1,000,000,000")
    counts = [(1, 6, 10), (3, 9, 20), (2, 10, 12), (5, 15, 20), (1, 5, 12), (7, 20, 21), (3, 12, 15), (6, 18, 20)]
    counts += [(2, 8, 15), (7, 15, 28)]
    tied: dict[tuple[str, ...], int] = {}
    for letter, (n, s, t) in zip("abcdefghij", counts, strict=True):
        tied |= {(letter, f"##{letter}"): n, (letter,): s - n, (f"##{letter}",): t - n}
    found = [pair[0] for pair, _ in student.rank_pairs(tied, "score", 1)]
    equal(found, [*"abcdefghij"], given=f"{tied}, score, at least once: all pairs are worth 1/60; their first pieces")
    many = {("a", f"##{i:03}"): 1000 - i // 3 for i in range(600)}
    found = [pair[1] for pair, _ in student.rank_pairs(many, "frequency")]
    given = "a ##000 to a ##599, three pairs each of the same count; their second pieces"
    equal(found, [f"##{i:03}" for i in range(600)], given=given)


def _merged(word: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    """The word with the pair joined, by replacement in one string."""
    text = "".join(f"<{piece}>" for piece in word).replace("<{}><{}>".format(*pair), f"<{pair[0]}{pair[1][2:]}>")
    return tuple(text[1:-1].split("><")) if word else ()


@exercise("merge_pair")
def test_random_words_agree_with_a_merge_of_strings(student: Student) -> None:
    chance = random.Random(5)
    for _ in range(40):
        word = ("a", *chance.choices(["##a", "##A", "##aA"], k=chance.randint(0, 15)))
        pair = (chance.choice(["a", "##a", "##A"]), chance.choice(["##a", "##A"]))
        text = f" {'  '.join(word)} ".replace(f" {pair[0]}  {pair[1]} ", f" {pair[0]}{pair[1][2:]} ")
        given = f"{' '.join(word)}; {' '.join(pair)}"
        equal(student.merge_pair(word, pair), tuple(text.split()), given=given)
    for n in (50, 98, 99):
        expected = ("a", *["##aa"] * (n // 2), *["##a"] * (n % 2))
        found = student.merge_pair(("a", *["##a"] * n), ("##a", "##a"))
        equal(found, expected, given=f"a, {n} times ##a; ##a ##a")


FIRSTS = ["a", "A", "ab", "#", "é", "[UNK]", ".", "(", "\\"]
OTHERS = ["##a", "##A", "##b", "##ab", "##aa", "###", "####", "##\u0301", "##e\u0301", "##a##", "##눈", "##\\1", "##."]


@composite
def _words_with_their_pairs(draw: DrawFn) -> tuple[tuple[str, ...], tuple[str, str]]:
    """A word of few kinds of pieces, and a pair that mostly stands in it."""
    kinds = [*draw(lists(sampled_from(OTHERS), min_size=1, max_size=3)), draw(sampled_from(FIRSTS))]
    word = tuple(draw(lists(sampled_from(kinds), max_size=9)))
    places = [pair for pair in pairwise(word) if pair[1] in OTHERS] or [("a", "##a")]
    return word, draw(sampled_from(places) | tuples(sampled_from(kinds), sampled_from(kinds[:-1])))


@exercise("merge_pair", points=0.5, needs="test_the_mark_inside_goes_and_that_in_front_stays")
@for_all(drawn=_words_with_their_pairs())
def test_any_pair_is_merged_as_in_a_text_of_pieces(
    student: Student, drawn: tuple[tuple[str, ...], tuple[str, str]]
) -> None:
    equal(student.merge_pair(*drawn), _merged(*drawn))


@exercise("merge_pair", points=0.5)
def test_a_number_sign_is_a_character_like_any_other(student: Student) -> None:
    equal(student.merge_pair(("#", "###", "##a"), ("#", "###")), ("##", "##a"), given="# ### ##a; # ###")
    equal(student.merge_pair(("#", "####"), ("#", "####")), ("###",), given="# ####; # ####")
    given = "a ##b ##bc ##ab ##c; the pair ##a ##bc, which spells what ##ab ##c does"
    equal(
        student.merge_pair(("a", "##b", "##bc", "##ab", "##c"), ("##a", "##bc")),
        ("a", "##b", "##bc", "##ab", "##c"),
        given=given,
    )
    equal(student.merge_pair(("ab", "##c", "##d"), ("a", "##bc")), ("ab", "##c", "##d"), given="ab ##c ##d; a ##bc")
    equal(
        student.merge_pair(("e", "##\u0301"), ("e", "##\u0301")), ("e\u0301",), given="e and an accent; the same pair"
    )


@exercise("train_pieces", points=2)
def test_random_words_give_the_vocabulary_of_a_recount(student: Student) -> None:
    for seed in range(3):
        counts = _words(100 + seed)
        for rule in ("frequency", "score", "gain"):
            words = _spelled(counts)
            expected = [*wordpiece.SPECIAL, *sorted({piece for word in words for piece in word})]
            goal = len(expected) + 9
            while len(expected) < goal and (ranked := _values(words, rule, 2)):
                pair, _ = ranked[0]
                words = {_merged(word, pair): count for word, count in words.items()}
                expected.append(pair[0] + pair[1][2:])
            equal(student.train_pieces(counts, goal, rule), expected, given=f"12 random words, nine merges by {rule}")


@exercise("train_pieces", points=0.5)
def test_the_counts_are_left_alone_and_the_special_tokens_too(student: Student) -> None:
    handle = student.put({"ab": 3, "abc": 2})
    expected = [*wordpiece.SPECIAL, "##b", "##c", "a", "ab", "abc"]
    for _ in range(2):
        equal(student.train_pieces(handle, 40, "frequency"), expected, given="ab 3, abc 2; frequency, a second time")
    equal(student.value(handle), {"ab": 3, "abc": 2}, given="the counts, after training")


@exercise("train_pieces", points=0.5)
def test_every_word_counts_and_a_loss_does_not_end_the_training(student: Student) -> None:
    few: list[tuple[dict[str, int], list[str]]] = [
        ({}, []),
        ({"a-": 2}, ["##-", "a"]),
        ({"e\u0301": 2}, ["##\u0301", "e"]),
    ]
    for counts, pieces in few:
        found = student.train_pieces(counts, 0, "frequency")
        equal(found, [*wordpiece.SPECIAL, *pieces], given=f"{counts}, no pieces more than needed")
    letters = "abcdefghij"
    made = student.train_pieces({first + second: 100 for first in letters for second in letters}, 26, "gain")
    equal(made[25:], ["aa"], given="every two of ten letters 100 times, one merge by gain, though each gain is below 0")
    letters = "abcdefghijklmnopqr"
    counts = {first + second: 2 for first in letters for second in letters}
    expected = [*wordpiece.SPECIAL, *(f"##{letter}" for letter in letters), *letters, *counts]
    given = "every two of the letters a to r twice, 1,000 pieces, frequency"
    equal(student.train_pieces(counts, 1_000, "frequency"), expected, given=given)


@composite
def _few_letters(draw: DrawFn) -> dict[str, int]:
    """Counted words of few letters and signs, of which some stand before # in Python's order."""
    letters = sampled_from(draw(sampled_from(["ab", "a!", 'aA"', "B-1z", "eé눈\u0301\u212b", "aB![", "a"])))
    return draw(dictionaries(strings(letters, min_size=1, max_size=5), sampled_from([2, 1, 3, 300]), max_size=5))


@exercise("train_pieces", needs="test_the_vocabulary_begins_with_special_tokens_and_single_pieces")
@for_all(
    counts=_few_letters(), more=integers(-2, 8), rule=sampled_from(["frequency", "score"]), min_count=integers(1, 4)
)
def test_any_counted_words_give_the_vocabulary_of_a_recount(
    student: Student, counts: dict[str, int], more: int, rule: str, min_count: int
) -> None:
    words = _spelled(counts)
    expected = [*wordpiece.SPECIAL, *sorted({piece for word in words for piece in word})]
    size = len(expected) + more
    while len(expected) < size and (ranked := _values(words, rule, min_count)):
        pair, _ = ranked[0]
        words = {_merged(word, pair): count for word, count in words.items()}
        expected.append(pair[0] + pair[1][2:])
    equal(student.train_pieces(counts, size, rule, min_count), expected)


def _longest_match(word: str, vocabulary: set[str]) -> list[str]:
    pieces: list[str] = []
    rest = word if len(word) <= 100 else "\0"
    while rest:
        mark = "##" if pieces else ""
        length = max((n for n in range(1, len(rest) + 1) if mark + rest[:n] in vocabulary), default=0)
        if not length:
            return ["[UNK]"]
        pieces.append(mark + rest[:length])
        rest = rest[length:]
    return pieces


@composite
def _words_to_cut(draw: DrawFn) -> tuple[str, set[str]]:
    """(a word, a vocabulary that may lack some of its letters, or have them in another case or form)."""
    letters = sampled_from(draw(sampled_from(["ab", "aA", "aA", "ée\u0301", "눈\u1102-", "🙂#▁ßs1"])))
    pieces = tuples(
        sampled_from(["", "##"]), strings(letters, min_size=1, max_size=1) | strings(letters, min_size=1, max_size=4)
    )
    vocabulary = {"".join(piece) for piece in draw(lists(pieces, max_size=8))}
    return draw(strings(letters, max_size=5) | strings(letters, max_size=9)).lstrip("#"), {"[UNK]", *vocabulary}


@exercise("cut_word", needs="test_the_longest_piece_is_taken_and_the_rest_is_marked")
@for_all(drawn=_words_to_cut())
def test_any_word_is_cut_by_any_vocabulary(student: Student, drawn: tuple[str, set[str]]) -> None:
    equal(list(student.cut_word(*drawn)), _longest_match(*drawn))


@exercise("cut_word")
def test_random_words_are_cut_as_the_library_does(student: Student) -> None:
    chance = random.Random(9)
    for _ in range(4):
        pieces = {"".join(chance.choices("ab눈", k=chance.randint(1, 4))) for _ in range(12)}
        marked = {piece if chance.random() < 0.5 else f"##{piece}" for piece in sorted(pieces)} | {
            "a",
            "##a",
            "##b",
            "눈",
            "##눈",
        }
        library = wordpiece.WordPiece(sorted({*wordpiece.SPECIAL, *marked}), lower=False)
        for _ in range(20):
            word = "".join(chance.choices("ab눈", k=chance.randint(1, 9)))
            given = f"{word}; {' '.join(sorted(marked))}"
            equal(list(student.cut_word(word, set(library.vocabulary))), library.pieces_of(word), given=given)
    found = student.cut_word("Unbelievables", {"[UNK]", "Un", "Unbelievable", "##s"})
    equal(list(found), ["Unbelievable", "##s"], given="Unbelievables; Un Unbelievable ##s")
    vocabulary = {"[UNK]", "a" * 100, "a" * 101, "a" * 60, "##" + "b" * 40, "é" * 100, "a", "##a", "##b"}
    for word in ("a" * 100, "a" * 99 + "b", "a" * 60 + "b" * 40, "a" * 101, "b" * 101, "é" * 100):
        given = f"{len(word)} letters, {word[:1]} to {word[-1:]}; pieces of up to 101 letters"
        equal(list(student.cut_word(word, vocabulary)), _longest_match(word, vocabulary), given=given)
    pieces = {"a" * 30, "a", "##a", "##b", "é", "e", "##\u0301", "-", "##-", "##\u0301-"}
    equal(list(student.cut_word("a" * 30 + "b", pieces)), ["a" * 30, "##b"], given="30 times a, b; 30 times a, ##b")
    equal(list(student.cut_word("aB", {"[UNK]", "a", "##b"})), ["[UNK]"], given="aB; a ##b")
    equal(list(student.cut_word("-e", {*pieces, "##e"})), ["-", "##e"], given="-e; - ##e")
    equal(list(student.cut_word("e\u0301", pieces)), ["e", "##\u0301"], given="e and an accent; e, ##accent, é")


@exercise("cut_word", points=0.5, needs="test_the_longest_piece_is_taken_and_the_rest_is_marked")
def test_a_mark_alone_is_no_piece_of_a_word(student: Student) -> None:
    equal(list(student.cut_word("ab", {"[UNK]", "a", "##", "#"})), ["[UNK]"], given="ab; a ## #")


@exercise("cut_word", points=0.5, needs="test_the_longest_piece_is_taken_and_the_rest_is_marked")
def test_a_piece_inside_a_word_may_be_longer_than_any_at_its_start(student: Student) -> None:
    equal(list(student.cut_word("abcdef", {"a", "##bcdef"})), ["a", "##bcdef"], given="abcdef; a ##bcdef")
    equal(list(student.cut_word("abcde", {"abcd", "##e", "a"})), ["abcd", "##e"], given="abcde; a abcd ##e")


@exercise("cut_word", points=0.5)
def test_the_limit_is_one_of_characters_not_of_bytes(student: Student) -> None:
    equal(list(student.cut_word("눈" * 100, {"[UNK]", "눈", "##눈"})), ["눈", *["##눈"] * 99], given="100 times 눈")
    equal(list(student.cut_word("눈" * 101, {"[UNK]", "눈", "##눈"})), ["[UNK]"], given="101 times 눈")


@exercise("cut_word", points=0.5, needs="test_the_longest_piece_is_taken_and_the_rest_is_marked")
def test_unknown_is_said_even_after_long_pieces(student: Student) -> None:
    pieces = {"[UNK]", "정말", "##시원", "##하다", "##이영화"}
    equal(list(student.cut_word("정말시원하다♥이영화", pieces)), ["[UNK]"], given="정말시원하다♥이영화; no ##♥")
    equal(list(student.cut_word("a" * 60 + "♥", {"a", "##a"})), ["[UNK]"], given="60 times a, ♥; a ##a")


@exercise("split_text")
@for_all(
    text=strings(sampled_from("a!B。 É눈$♥'€e\u0301-ñ\t…\n«²½」배"), max_size=9)
    | strings(sampled_from("aB ñ" + string.punctuation), max_size=9),
    lower=sampled_from([False, True]),
)
def test_any_text_is_split_as_the_library_does(student: Student, text: str, lower: bool) -> None:
    equal(list(student.split_text(text, lower)), wordpiece.split(wordpiece.normalize(text, lower=lower)))


@exercise("split_text", points=0.5)
def test_decomposition_is_canonical_and_only_nonspacing_marks_go(student: Student) -> None:
    equal(list(student.split_text("ﬁ²", True)), ["ﬁ²"], given="the ligature ﬁ and a raised 2, lower")
    equal(
        list(student.split_text("❤\ufe0f", True)), ["❤"], given="❤ with U+FE0F, which is Mn but does not combine, lower"
    )
    equal(list(student.split_text("e\u0301 का", True)), ["e", "का"], given="e with an accent of its own and का, lower")
    equal(list(student.split_text("e\u0301", False)), ["e\u0301"], given="e with an accent of its own, not lower")
    found = student.split_text("a\u3000b\xa0[MASK]", False)
    equal(list(found), ["a", "b", "[", "MASK", "]"], given="a and b between two kinds of blanks, [MASK]")


# Signs that NFD takes apart into punctuation or another blank, marks, look-alikes, ends of lines.
STRANGE = [
    "≠", "≮", "≯", "\u1fef", "\u037e", "\u0387", "\u2000", "\u212b", "\u2126", "\u0301", "\u0338", "\ufe0f", "\u0e31", "\u093e", "\u20dd",
    "İ", "I", "ß", "ẞ", "É", "é", "ñ", "ᾳ", "ǆ", "ﬁ", "²", "½", "①", "Ⅷ", "눈", "각", "\u1102\u116e", "ㅋ", "が", "の", "€", "♥", "™", "₩", "·",
    "、", "“", "–", "«", "¿", "＄", "＋", "～", "$", "+", "<", "=", ">", "^", "`", "|", "~", "_", "#", "[", "\n", "\r\n", "\t", "\xa0", "\u3000",
    "\u2028", "\u1680", "\u202f", "‿", "٪", "）", "\U00010100", "\U0001d167", "𝒜",
]  # fmt: skip


def _bert_words(text: str, lower: bool) -> list[str]:
    """Character by character: a word goes on where one is open, and punctuation and blanks close it."""
    if lower:
        text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    words: list[str] = []
    is_open = False
    for c in text:
        sign = c in string.punctuation or unicodedata.category(c).startswith("P")
        if is_open and not sign and not c.isspace():
            words[-1] += c
        elif not c.isspace():
            words.append(c)
        is_open = not sign and not c.isspace()
    return words


@exercise("split_text", needs="test_every_punctuation_mark_is_a_word")
def test_every_strange_sign_is_split(student: Student) -> None:
    for text in ["", " ", *STRANGE, *(f"a{sign}B" for sign in STRANGE), *(f"a {sign} B" for sign in STRANGE)]:
        for lower in (True, False):
            given = f"{text!r}, {'lower' if lower else 'not lower'}"
            equal(list(student.split_text(text, lower)), _bert_words(text, lower), given=given)
    equal(list(student.split_text("É, " * 3_000, True)), ["e", ","] * 3_000, given="3,000 times É and a comma, lower")


NAMED = [*wordpiece.SPECIAL, "a", "##a", "A", "é", "e\u0301", "#", "###", "눈", "##눈", "[unused1]", "</s>"]


@exercise("encode_pair", points=0.5, needs="test_one_text_stands_between_cls_and_sep")
@for_all(
    first=lists(sampled_from(["a", "[SEP]"]) | sampled_from(NAMED), max_size=6),
    second=none() | lists(sampled_from(["a", "[SEP]"]) | sampled_from(NAMED), max_size=6),
    vocabulary=permutations(NAMED),
)
def test_any_pieces_have_the_ids_of_their_places(
    student: Student, first: list[str], second: list[str] | None, vocabulary: list[str]
) -> None:
    rows = [(piece, 0) for piece in ["[CLS]", *first, "[SEP]"]]
    rows += [] if second is None else [(piece, 1) for piece in [*second, "[SEP]"]]
    ids, segments = student.encode_pair(first, second, vocabulary)
    equal([list(ids), list(segments)], [[vocabulary.index(piece) for piece, _ in rows], [k for _, k in rows]])


@exercise("encode_pair")
def test_random_pairs_have_the_librarys_ids(student: Student) -> None:
    chance = random.Random(4)
    vocabulary = ["a", "##a", "[MASK]", "b", "##b", "[SEP]", "!", "[PAD]", "[CLS]", "눈", "[UNK]"]
    library = wordpiece.WordPiece(vocabulary, lower=False)
    for _ in range(12):
        first, second = ("".join(chance.choices("ab!눈 ", k=chance.randint(0, 16))) for _ in range(2))
        one, two = library.tokenize(first), library.tokenize(second)
        ids, segments = student.encode_pair(one, two, vocabulary)
        equal(list(ids), library.encode(first, second), given=f"{' '.join(one)}, {' '.join(two)}; the ids")
        zeros = len(one) + 2
        equal(
            list(segments),
            [0] * zeros + [1] * (len(ids) - zeros),
            given=f"{' '.join(one)}, {' '.join(two)}; the segments",
        )


@exercise("encode_pair", points=0.5)
def test_long_texts_are_not_cut_and_case_counts(student: Student) -> None:
    ids, segments = student.encode_pair(["A", "a"] * 300, ["A"] * 10, ["a", "A", "[CLS]", "[SEP]"])
    equal(list(ids), [2, *[1, 0] * 300, 3, *[1] * 10, 3], given="A a 300 times, A ten times; the ids")
    equal(list(segments), [0] * 602 + [1] * 11, given="A a 300 times, A ten times; the segments")
    ids, segments = student.encode_pair(["A"] * 3_000, ["a"] * 4_000, ["a", "A", "[CLS]", "[SEP]"])
    equal(list(ids), [2, *[1] * 3_000, 3, *[0] * 4_000, 3], given="A 3,000 times, a 4,000 times; the ids")
    equal(list(segments), [0] * 3_002 + [1] * 4_001, given="A 3,000 times, a 4,000 times; the segments")
    vocabulary = [*(f"##{i}" for i in range(70_000)), "[SEP]", "[CLS]"]
    ids, _ = student.encode_pair(["##69999", "##0"], ["##255"], vocabulary)
    equal(list(ids), [70_001, 69_999, 0, 70_000, 255, 70_000], given="70,002 pieces; the ids")


@exercise("encode_pair", points=0.5, needs="test_one_text_stands_between_cls_and_sep")
def test_the_pieces_are_left_alone(student: Student) -> None:
    first, second = student.put(["a", "##a"]), student.put(["a"])
    student.encode_pair(first, second, ["[CLS]", "[SEP]", "a", "##a"])
    equal(student.value(first), ["a", "##a"], given="the first text's pieces, after encoding")
    equal(student.value(second), ["a"], given="the second text's pieces, after encoding")


@exercise("decode")
def test_random_ids_are_decoded_as_the_library_does(student: Student) -> None:
    chance = random.Random(6)
    vocabulary = [*wordpiece.SPECIAL, "a", "##a", "##ab", "b", "!", "눈", "##이"]
    library = wordpiece.WordPiece(vocabulary, lower=False)
    for _ in range(30):
        ids = [2, 5, *chance.choices(range(len(vocabulary)), k=chance.randint(0, 9)), 3]
        given = " ".join(vocabulary[i] for i in ids)
        equal(student.decode(ids, vocabulary), library.decode(ids), given=given)
    words = [f"w{i}" for i in range(3_000)]
    ids = [i for n in range(3_000) for i in (n, 3_000, 3_001)]
    given = "3,000 words, each with ##s and a [SEP] after it"
    equal(student.decode(ids, [*words, "##s", "[SEP]"]), " ".join(f"{word}s" for word in words), given=given)
    pieces = ["#", "###", "####", "[", ",", "e", "##\u0301", "[pad]"]
    equal(student.decode([0, 1, 0, 2], pieces), "## ###", given="# ### # ####")
    equal(student.decode([3, 4, 5, 6, 7], pieces), "[ , e\u0301 [pad]", given="[ , e ##accent [pad], all of them words")


STARTS = [
    "a",
    "[UNK]",
    "A",
    "#",
    "é",
    "e",
    "눈",
    ",",
    "'",
    "[unused1]",
    "[",
    "[pad]",
    "<s>",
    "▁a",
    "</w>",
    "a##b",
    "a##",
    "x[SEP]",
]
CONTINUED = ["##a", "##A", "###", "####", "##\u0301", "##눈", "##a##", "##[SEP]", "##,"]
SILENT = ["[PAD]", "[CLS]", "[SEP]", "[MASK]"]


@composite
def _ids_to_decode(draw: DrawFn) -> tuple[list[int], list[str]]:
    """(ids, a vocabulary): the first that is no special token begins a word."""
    pieces = draw(lists(sampled_from(SILENT), max_size=2))
    if draw(sampled_from([True, True, True, False])):
        more = lists(sampled_from(STARTS) | sampled_from(CONTINUED) | sampled_from(SILENT), max_size=9)
        pieces += [draw(sampled_from(STARTS)), *draw(more)]
    vocabulary = draw(permutations([*STARTS, *CONTINUED, *SILENT]))
    return [vocabulary.index(piece) for piece in pieces], vocabulary


@exercise("decode", needs="test_marked_pieces_are_written_onto_the_word_before")
@for_all(drawn=_ids_to_decode())
def test_any_ids_are_decoded_by_any_vocabulary(student: Student, drawn: tuple[list[int], list[str]]) -> None:
    ids, vocabulary = drawn
    words: list[str] = []
    for piece in [vocabulary[i] for i in ids]:
        if piece.startswith("##"):
            words[-1] += piece[2:]
        elif piece not in SILENT:
            words.append(piece)
    equal(student.decode(ids, vocabulary), " ".join(words))


# Metrics.


def _other(language: Language, seed: int) -> tuple[Counter[str], dict[str, tuple[str, ...]]]:
    """(words with counts, word → morphemes where they do not contract) of the text that pieces are tried on."""
    documents = World(language, seed=seed + BEYOND).documents(HELD_OUT)
    words = [word for document in documents for sentence in document.sentences for word in sentence]
    parts = {word.surface: tuple(word.morphemes) for word in words}
    return Counter(word.surface for word in words), {w: p for w, p in parts.items() if "".join(p) == w}


def _cuts(artifacts: Artifacts, language: Language) -> dict[str, list[str]]:
    """Word → pieces as recorded. Raises BadArtifact where pieces are not in the vocabulary or do not spell the word."""
    vocabulary = set(artifacts.strings(f"vocabulary_{language}"))
    cuts = {}
    for line in artifacts.strings(f"cuts_{language}"):
        word, *pieces = line.split(" ")
        spelled = "".join(piece if i == 0 else piece.removeprefix("##") for i, piece in enumerate(pieces))
        if pieces != ["[UNK]"] and spelled != word:
            raise BadArtifact(f"cuts_{language}: the pieces {' '.join(pieces)} do not spell {word}")
        if lost := [piece for piece in pieces if piece not in vocabulary]:
            raise BadArtifact(f"cuts_{language}: {lost[0]!r} is not in vocabulary_{language}")
        cuts[word] = pieces
    return cuts


def _judged(artifacts: Artifacts, language: Language, cuts: dict[str, list[str]]) -> tuple[float, float, float, float]:
    """(tokens per word, share of unknown words, F1 of borders, F1 of as many cuts anywhere)."""
    words, morphemes = _other(language, artifacts.seed)
    if lost := [word for word in words if word not in cuts]:
        raise BadArtifact(f"cuts_{language} lacks the word {lost[0]!r}")
    tokens = sum(len(cuts[word]) * count for word, count in words.items()) / words.total()
    unknown = sum(count for word, count in words.items() if cuts[word] == ["[UNK]"]) / words.total()
    judged = [word for word in sorted(morphemes) if cuts[word] != ["[UNK]"]]
    truth, found = [_borders(morphemes[word]) for word in judged], [_borders(cuts[word]) for word in judged]
    chance = random.Random(artifacts.seed)
    anywhere = [set(chance.sample(range(1, len(w)), len(f))) for w, f in zip(judged, found, strict=True)]
    return tokens, unknown, _f1(found, truth), _f1(anywhere, truth)


def _borders(parts: tuple[str, ...] | list[str]) -> set[int]:
    lengths = [len(part.removeprefix("##")) for part in parts]
    return {sum(lengths[:i]) for i in range(1, len(lengths))}


def _f1(found: list[set[int]], known: list[set[int]]) -> float:
    agreed = sum(len(a & b) for a, b in zip(found, known, strict=True))
    return 2 * agreed / max(1, sum(map(len, found)) + sum(map(len, known)))


def _by_frequency(artifacts: Artifacts, language: Language) -> dict[str, list[str]]:
    """The other text's words, cut by the recorded vocabulary of merges by frequency."""
    vocabulary = artifacts.strings(f"by_frequency_{language}")
    if "[UNK]" not in vocabulary:
        raise BadArtifact(f"by_frequency_{language} lacks [UNK]")
    library = wordpiece.WordPiece(vocabulary, lower=False)
    return {word: library.pieces_of(word) for word in _other(language, artifacts.seed)[0]}


def _minus_frequency(artifacts: Artifacts, language: Language, which: int) -> float:
    mine = _judged(artifacts, language, _cuts(artifacts, language))
    return mine[which] - _judged(artifacts, language, _by_frequency(artifacts, language))[which]


@metric("tokens_per_word_en")
def tokens_per_word_en(artifacts: Artifacts) -> float:
    return _judged(artifacts, "en", _cuts(artifacts, "en"))[0]


@metric("unknown_en")
def unknown_en(artifacts: Artifacts) -> float:
    return _judged(artifacts, "en", _cuts(artifacts, "en"))[1]


@metric("f1_en")
def f1_en(artifacts: Artifacts) -> float:
    return _judged(artifacts, "en", _cuts(artifacts, "en"))[2]


@metric("f1_minus_chance_en")
def f1_minus_chance_en(artifacts: Artifacts) -> float:
    _, _, found, chance = _judged(artifacts, "en", _cuts(artifacts, "en"))
    return found - chance


@metric("wordpiece_minus_bpe_tokens_en")
def wordpiece_minus_bpe_tokens_en(artifacts: Artifacts) -> float:
    return _minus_frequency(artifacts, "en", 0)


@metric("wordpiece_minus_bpe_f1_en")
def wordpiece_minus_bpe_f1_en(artifacts: Artifacts) -> float:
    return _minus_frequency(artifacts, "en", 2)


@metric("tokens_per_word_ko")
def tokens_per_word_ko(artifacts: Artifacts) -> float:
    return _judged(artifacts, "ko", _cuts(artifacts, "ko"))[0]


@metric("unknown_ko")
def unknown_ko(artifacts: Artifacts) -> float:
    return _judged(artifacts, "ko", _cuts(artifacts, "ko"))[1]


@metric("f1_ko")
def f1_ko(artifacts: Artifacts) -> float:
    return _judged(artifacts, "ko", _cuts(artifacts, "ko"))[2]


@metric("f1_minus_chance_ko")
def f1_minus_chance_ko(artifacts: Artifacts) -> float:
    _, _, found, chance = _judged(artifacts, "ko", _cuts(artifacts, "ko"))
    return found - chance


@metric("wordpiece_minus_bpe_tokens_ko")
def wordpiece_minus_bpe_tokens_ko(artifacts: Artifacts) -> float:
    return _minus_frequency(artifacts, "ko", 0)


@metric("wordpiece_minus_bpe_f1_ko")
def wordpiece_minus_bpe_f1_ko(artifacts: Artifacts) -> float:
    return _minus_frequency(artifacts, "ko", 2)
