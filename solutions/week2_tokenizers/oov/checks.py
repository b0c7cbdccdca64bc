"""Why subwords: the public checks. Expected values come from hand counts and closed forms."""

import math

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student


@exercise("most_frequent")
def test_the_most_frequent_word_comes_first_after_unk(student: Student) -> None:
    text = ["c", "d", "b", "d", "c", "d", "b", "a"]
    found = student.most_frequent(text, 3)
    true(not isinstance(found, dict | set), "a list was expected", given="c d b d c d b a, size 3", actual=found)
    equal(list(found), ["<unk>", "d", "b"], given="c d b d c d b a, size 3")


@exercise("most_frequent")
def test_equally_frequent_words_stand_in_alphabetical_order(student: Student) -> None:
    equal(
        list(student.most_frequent(["배", "나", "다", "가", "나", "배"], 4)),
        ["<unk>", "나", "배", "가"],
        given="배 나 다 가 나 배, size 4",
    )


@exercise("most_frequent")
def test_a_short_text_gives_a_short_list(student: Student) -> None:
    equal(list(student.most_frequent(["a", "a"], 10)), ["<unk>", "a"], given="a a, size 10")
    equal(list(student.most_frequent(["a", "a"], 1)), ["<unk>"], given="a a, size 1")


@exercise("unknown_rates")
def test_running_words_and_different_words_are_counted_apart(student: Student) -> None:
    text = ["a", "a", "a", "b", "b", "c"]
    close(list(student.unknown_rates(text, ["<unk>", "a"])), [3 / 6, 2 / 3], given="a a a b b c, of which a is known")


@exercise("unknown_rates")
def test_a_known_text_has_no_unknown_words_and_a_strange_one_no_others(student: Student) -> None:
    close(list(student.unknown_rates(["a", "b"], ["<unk>", "b", "a", "c"])), [0, 0], given="a b, both known")
    close(list(student.unknown_rates(["킹받네", "눈"], ["<unk>", "a"])), [1, 1], given="킹받네 눈, none of them known")


@exercise("bits_per_word")
def test_one_is_added_to_every_count(student: Student) -> None:
    # Of 4 words and a list of 3, each of a and b has the probability (2 + 1) / (4 + 3).
    found = student.bits_per_word(["a", "b", "a", "b"], ["a", "b"], ["<unk>", "a", "b"])
    close(found, -math.log2(3 / 7), given="training a b a b, text a b")


@exercise("bits_per_word", needs="test_one_is_added_to_every_count")
def test_unknown_words_count_as_unk_on_both_sides(student: Student) -> None:
    found = student.bits_per_word(["a", "a", "x", "y"], ["a", "z"], ["<unk>", "a"])
    close(found, -math.log2(3 / 6), given="training a a x y, text a z, list <unk> a")


@exercise("bits_per_word", needs="test_one_is_added_to_every_count")
def test_nothing_but_unk_is_no_surprise(student: Student) -> None:
    close(student.bits_per_word(["a", "b", "c"], ["d", "e"], ["<unk>"]), 0.0, atol=1e-9, given="the list <unk>")


@exercise("bits_per_word")
def test_a_word_of_the_list_that_was_never_seen_has_its_share(student: Student) -> None:
    found = student.bits_per_word(["a", "a"], ["b"], ["<unk>", "a", "b"])
    close(found, -math.log2(1 / 5), given="training a a, text b, list <unk> a b")


@exercise("bits_per_character")
def test_known_words_pay_for_nothing_but_themselves(student: Student) -> None:
    found = student.bits_per_character(["aa", "b", "aa", "b"], ["aa", "b"], ["<unk>", "aa", "b"], 2)
    close(found, 2 * -math.log2(3 / 7) / 5, given="text aa b, both known: 5 characters with blanks")


@exercise("bits_per_character")
def test_an_unknown_word_is_spelled_with_a_mark_at_its_end(student: Student) -> None:
    # "<unk>" and a: (0 + 1)/(2 + 2) and 3/4; the unknown word 눈눈 takes 3 · log2(3 + 1) bits more.
    found = student.bits_per_character(["a", "a"], ["눈눈"], ["<unk>", "a"], 3)
    close(found, (2 + 3 * 2) / 3, given="training a a, text 눈눈, an alphabet of 3")


@exercise("pieces")
def test_a_syllable_is_one_character_three_jamo_and_three_bytes(student: Student) -> None:
    equal(list(student.pieces("눈", "word")), ["눈"], given="눈, word")
    equal(list(student.pieces("눈", "character")), ["눈"], given="눈, character")
    equal(list(student.pieces("눈", "jamo")), ["\u1102", "\u116e", "\u11ab"], given="눈, jamo")
    equal(list(student.pieces("눈", "byte")), [0xEB, 0x88, 0x88], given="눈, byte")


@exercise("pieces", points=0.5, needs="test_a_syllable_is_one_character_three_jamo_and_three_bytes")
def test_the_pieces_stand_in_a_list(student: Student) -> None:
    for unit in ("word", "character", "jamo", "byte"):
        found = student.pieces("눈", unit)
        true(not isinstance(found, str | bytes | bytearray), "a list was expected", given=f"눈, {unit}", actual=found)


@exercise("pieces")
def test_characters_are_code_points_as_they_stand(student: Student) -> None:
    equal(list(student.pieces("caf\u00e9", "character")), ["c", "a", "f", "\u00e9"], given="café, character")
    equal(list(student.pieces("🙂a", "character")), ["🙂", "a"], given="🙂a, character")
    equal(list(student.pieces("🙂", "byte")), [0xF0, 0x9F, 0x99, 0x82], given="🙂, byte")


@exercise("pieces", points=0.5, needs="test_a_syllable_is_one_character_three_jamo_and_three_bytes")
def test_decomposition_is_canonical(student: Student) -> None:
    equal(list(student.pieces("ﬁ²", "jamo")), ["ﬁ", "²"], given="the ligature ﬁ and a raised 2, jamo")


@exercise("fertility")
def test_the_ratios_are_those_of_the_sums(student: Student) -> None:
    close(list(student.fertility(["눈", "abcdefg"], "character")), [8 / 2, 10 / 8], given="눈 abcdefg, character")


@exercise("fertility", points=0.5)
def test_bytes_are_those_of_utf8(student: Student) -> None:
    close(list(student.fertility(["눈", "배가"], "character")), [3 / 2, 9 / 3], given="눈 배가, character")
    close(list(student.fertility(["눈", "배가"], "word")), [1, 9 / 2], given="눈 배가, word")


@exercise("fertility", points=0.5)
def test_bytes_are_those_of_the_words_and_not_of_their_jamo(student: Student) -> None:
    # 눈 has three jamo and 가 two, each of them three bytes; the syllables have three bytes each.
    close(list(student.fertility(["눈", "가"], "jamo")), [5 / 2, 6 / 5], given="눈 가, jamo")


@exercise("encode")
def test_known_words_have_the_ids_after_the_bytes(student: Student) -> None:
    equal(list(student.encode(["b", "a", "b"], ["a", "b"])), [258, 257, 258], given="b a b, list a b")


@exercise("encode")
def test_an_unknown_word_is_spelled_in_bytes_and_closed(student: Student) -> None:
    equal(list(student.encode(["눈"], ["a"])), [0xEB, 0x88, 0x88, 256], given="눈, list a")
    equal(list(student.encode(["ab", "c"], ["a"])), [97, 98, 256, 99, 256], given="ab c, list a")


@exercise("encode")
def test_an_empty_token_is_a_token_too(student: Student) -> None:
    equal(list(student.encode(["", "a"], ["a"])), [256, 257], given="an empty token and a, list a")


@exercise("decode")
def test_known_and_spelled_words_come_back(student: Student) -> None:
    equal(
        list(student.decode([257, 0xEB, 0x88, 0x88, 256, 258], ["a", "b"])),
        ["a", "눈", "b"],
        given="257 235 136 136 256 258, list a b",
    )


@exercise("decode")
def test_two_spelled_words_in_a_row_stay_two(student: Student) -> None:
    equal(list(student.decode([97, 256, 98, 256], ["x"])), ["a", "b"], given="97 256 98 256, list x")


@exercise("decode")
def test_an_empty_token_comes_back(student: Student) -> None:
    equal(list(student.decode([256, 257, 256], ["x"])), ["", "x", ""], given="256 257 256, list x")
