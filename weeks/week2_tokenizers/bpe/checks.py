"""BPE: the public checks. Expected values come from counts by hand, str.replace, UTF-8 itself and the library `etude.tokenizers.bpe`.

Where a property is tried on many inputs, they go from the shortest to the longest, so that what a student reads is the
smallest input on which the answer goes wrong.
"""

import random
from itertools import product

from etude.lesson.checks import claim, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.tokenizers import bpe

PAPER = {
    ("l", "o", "w", "</w>"): 5,
    ("l", "o", "w", "e", "r", "</w>"): 2,
    ("n", "e", "w", "e", "s", "t", "</w>"): 6,
    ("w", "i", "d", "e", "s", "t", "</w>"): 3,
}


def strings(alphabet: str, longest: int) -> list[str]:
    """All strings of these characters, the shortest first."""
    return ["".join(letters) for length in range(longest + 1) for letters in product(alphabet, repeat=length)]


@exercise("count_pairs")
def test_a_pair_counts_as_often_as_its_words_do(student: Student) -> None:
    pairs = student.count_pairs({("l", "o", "w"): 5, ("l", "o", "t"): 2})
    equal(pairs, {("l", "o"): 7, ("o", "w"): 5, ("o", "t"): 2}, given="low 5 times, lot twice")


@exercise("count_pairs")
def test_three_of_a_kind_hold_their_pair_twice(student: Student) -> None:
    equal(student.count_pairs({("a", "a", "a"): 10}), {("a", "a"): 20}, given="aaa 10 times")


@exercise("count_pairs", points=0.5, needs="test_a_pair_counts_as_often_as_its_words_do")
def test_a_word_of_one_token_has_no_pair_and_words_are_not_joined(student: Student) -> None:
    equal(student.count_pairs({("a",): 3, ("b",): 4}), {}, given="a 3 times, b 4 times")


@exercise("merge_pair")
def test_the_pair_is_joined_wherever_it_stands(student: Student) -> None:
    equal(student.merge_pair(("e", "s", "t", "e", "s"), ("e", "s")), ("es", "t", "es"), given="e s t e s, pair (e, s)")


@exercise("merge_pair")
def test_from_left_to_right_each_token_is_taken_once(student: Student) -> None:
    for word in strings("ab", 6):
        expected = tuple(word.replace("aa", "A"))  # Python replaces from left to right and without overlap too
        expected = tuple("aa" if token == "A" else token for token in expected)
        equal(student.merge_pair(tuple(word), ("a", "a")), expected, given=f"{' '.join(word)!r}, pair (a, a)")


@exercise("merge_pair")
def test_tokens_are_compared_not_their_letters(student: Student) -> None:
    equal(
        student.merge_pair(("a", "bc", "ab", "c"), ("ab", "c")),
        ("a", "bc", "abc"),
        given="a bc ab c, pair (ab, c)",
    )
    equal(student.merge_pair(("xa", "b"), ("a", "b")), ("xa", "b"), given="xa b, pair (a, b)")


@claim("bpe-algo")
@exercise("train_bpe")
def test_the_papers_words_give_est_and_low(student: Student) -> None:
    _, merges = student.train_bpe(PAPER, 16)
    equal(
        merges,
        [("e", "s"), ("t", "</w>"), ("es", "t</w>"), ("l", "o"), ("lo", "w")],
        given="the paper's four words, size 16, which leaves room for five merges",
    )


@claim("bpe-algo-size")
@exercise("train_bpe")
def test_the_vocabulary_is_the_characters_and_then_the_merges(student: Student) -> None:
    vocabulary, merges = student.train_bpe({("b", "a", "b"): 2, ("c", "b", "a"): 1}, 5)
    equal(merges, [("b", "a"), ("ba", "b")], given="bab twice, cba once; size 5")
    equal(vocabulary, ["a", "b", "c", "ba", "bab"], given="bab twice, cba once; size 5")


@exercise("train_bpe")
def test_of_equally_frequent_pairs_the_older_tokens_win(student: Student) -> None:
    equal(
        student.train_bpe({("z", "y"): 2, ("b", "c"): 2, ("b", "a"): 2, ("c", "a"): 2}, 7)[1],
        [("b", "a"), ("b", "c")],
        given="zy, bc, ba and ca, twice each; size 7",
    )


@exercise("train_bpe")
def test_a_merged_token_is_younger_than_every_character(student: Student) -> None:
    words = {("a", "b"): 3, ("a", "b", "d"): 2, ("c", "d"): 2}
    equal(student.train_bpe(words, 6)[1], [("a", "b"), ("c", "d")], given="ab 3 times, abd and cd twice; size 6")


@exercise("train_bpe")
def test_training_ends_when_no_pair_is_left(student: Student) -> None:
    vocabulary, merges = student.train_bpe({("h", "i"): 1, ("a",): 9}, 50)
    equal((vocabulary, merges), (["a", "h", "i", "hi"], [("h", "i")]), given="hi once, a 9 times; size 50")


@exercise("train_bpe", points=2)
def test_small_texts_give_the_merges_of_the_library(student: Student) -> None:
    draw = random.Random(1)
    texts = [
        {"".join(draw.choices("abc", k=draw.randint(1, 5))): draw.randint(1, 3) for _ in range(draw.randint(1, 5))}
        for _ in range(60)
    ]
    for text in sorted(texts, key=lambda text: (sum(map(len, text)), sorted(text))):
        expected = bpe.train(text, 12)
        vocabulary, merges = student.train_bpe({tuple(word): count for word, count in text.items()}, 12)
        equal(merges, list(expected.merges), given=f"the words {text}, size 12")
        equal(vocabulary, list(expected.vocabulary), given=f"the words {text}, size 12")


@exercise("encode_word")
def test_the_pair_that_was_learnt_first_is_merged_first(student: Student) -> None:
    equal(
        student.encode_word(("a", "b", "c"), [("b", "c"), ("a", "b"), ("ab", "c")]),
        ("a", "bc"),
        given="a b c; merges (b, c), (a, b), (ab, c)",
    )


@exercise("encode_word")
def test_merges_build_on_merges(student: Student) -> None:
    merges = [("e", "s"), ("t", "</w>"), ("es", "t</w>"), ("l", "o"), ("lo", "w")]
    word = ("l", "o", "w", "e", "s", "t", "</w>")
    equal(
        student.encode_word(word, merges),
        ("low", "est</w>"),
        given="lowest; the first five merges of the paper's words",
    )


@exercise("encode_word", points=0.5, needs="test_the_pair_that_was_learnt_first_is_merged_first")
def test_unknown_characters_and_the_empty_word_stay_as_they_are(student: Student) -> None:
    equal(student.encode_word(("x", "a", "b"), [("a", "b")]), ("x", "ab"), given="x a b; merge (a, b)")
    equal(student.encode_word((), [("a", "b")]), (), given="the empty word")


@exercise("encode_word", points=2)
def test_every_short_word_is_encoded_as_by_the_library(student: Student) -> None:
    library = bpe.train({"abab": 4, "aab": 3, "bba": 3, "aaaa": 2, "babb": 1}, 9)
    for word in strings("ab", 7):
        given = f"{word!r}; merges {', '.join(map('+'.join, library.merges))}"
        equal(student.encode_word(tuple(word), list(library.merges)), tuple(library.tokens(word)), given=given)


@exercise("decode_words")
def test_marks_become_blanks_between_words(student: Student) -> None:
    equal(student.decode_words(["low", "est</w>", "a", "</w>"]), "lowest a", given="low est</w> a </w>")


@exercise("decode_words")
def test_a_last_word_without_its_end_is_kept(student: Student) -> None:
    equal(student.decode_words(["a</w>", "lo", "w"]), "a low", given="a</w> lo w")


@exercise("decode_words", points=0.5, needs="test_marks_become_blanks_between_words")
def test_no_tokens_are_the_empty_text(student: Student) -> None:
    equal(student.decode_words([]), "", given="no tokens")


@exercise("byte_table")
def test_bytes_that_can_be_seen_stand_for_themselves(student: Student) -> None:
    table = student.byte_table()
    equal([table[byte] for byte in b"Az~!"], ["A", "z", "~", "!"], given="the bytes of A z ~ !")
    equal([table[byte] for byte in (161, 172, 174, 255)], ["¡", "¬", "®", "ÿ"], given="the bytes 161, 172, 174, 255")


@exercise("byte_table")
def test_the_others_are_written_from_256_on_in_order(student: Student) -> None:
    table = student.byte_table()
    equal([table[byte] for byte in b"\x00\n "], ["Ā", "Ċ", "Ġ"], given="the bytes 0, 10 and 32")
    equal([table[byte] for byte in (127, 160, 173)], ["ġ", "ł", "Ń"], given="the bytes 127, 160 and 173")


@exercise("byte_table")
def test_each_byte_has_a_character_of_its_own(student: Student) -> None:
    table = student.byte_table()
    true(isinstance(table, dict), "a dictionary was expected", actual=table)
    equal(sorted(table), list(range(256)), given="the keys of the table")
    equal(len(set(table.values())), 256, given="how many different characters the table has")


@exercise("encode_text")
def test_without_merges_a_syllable_is_three_bytes(student: Student) -> None:
    equal(student.encode_text("눈", []), ["ë", "Ī", "Ī"], given="눈, no merges")
    equal(len(student.encode_text("킹받네", [])), 9, given="킹받네, no merges")


@exercise("encode_text")
def test_the_blank_belongs_to_the_word_after_it(student: Student) -> None:
    merges = [("w", "Ġ"), ("Ġ", "l"), ("o", "w"), ("Ġl", "ow")]
    equal(student.encode_text("low low", merges), ["l", "ow", "Ġlow"], given="low low; merges w+Ġ, Ġ+l, o+w, Ġl+ow")


@exercise("encode_text", points=0.5, needs="test_without_merges_a_syllable_is_three_bytes")
def test_the_empty_text_has_no_tokens(student: Student) -> None:
    equal(student.encode_text("", [("a", "b")]), [], given="the empty text")


@exercise("encode_text")
def test_no_byte_of_any_text_is_lost(student: Student) -> None:
    for text in sorted(texts_of_all_kinds(), key=len):
        tokens = student.encode_text(text, [("e", "r"), ("Ġ", "ë"), ("ì", "Ŀ")])
        count = sum(len(token) for token in tokens)
        close(
            count,
            len(text.encode()),
            given=f"{text!r}, which has {len(text.encode())} bytes in UTF-8; bytes in the tokens",
        )


@exercise("decode_bytes")
def test_ascii_comes_back_with_its_blanks(student: Student) -> None:
    equal(student.decode_bytes(["Ġlow", "er", "Ċ"]), " lower\n", given="Ġlow er Ċ")


@exercise("decode_bytes")
def test_a_character_may_lie_in_two_tokens(student: Student) -> None:
    equal(student.decode_bytes(["ë", "Ī", "Ī"]), "눈", given="눈 as three tokens")


@exercise("decode_bytes")
def test_half_a_character_becomes_the_mark_for_it(student: Student) -> None:
    equal(student.decode_bytes(["a", "ëĪ"]), "a\ufffd", given="a and two thirds of 눈")


@exercise("decode_bytes")
def test_every_text_comes_back(student: Student) -> None:
    for text in sorted(texts_of_all_kinds(), key=len):
        tokens = [bpe_character(byte) for byte in text.encode()]
        equal(student.decode_bytes(tokens), text, given=f"the bytes of {text!r}, a token each")


def texts_of_all_kinds() -> list[str]:
    """Some random texts of all alphabets, besides what often goes wrong."""
    draw = random.Random(2)
    kinds = ["ab ", "한글눈배", "\u1112\u1161\u11ab", "🙂☕👨\u200d👩\u200d👧", "\n\t \x00\x7f\xa0\xad", "naïve ½漢"]
    some = ["".join(draw.choices(draw.choice(kinds), k=draw.randint(1, 6))) for _ in range(40)]
    return ["", "킹받네 ㅋㅋ", " it's  low,\n\nlower! ", *some]


def bpe_character(byte: int) -> str:
    """GPT-2's character for a byte, by the numbers of those that are missing."""
    missing = [*range(33), *range(127, 161), 173]
    return chr(256 + missing.index(byte)) if byte in missing else chr(byte)
