"""Comparing tokenizers: the public checks. Expected values come from hand counts and closed forms."""

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student


@exercise("cuts")
def test_a_cut_is_the_number_of_characters_before_it(student: Student) -> None:
    equal(student.cuts(["계란", "을"]), {2}, given="계란 + 을")
    equal(student.cuts(["un", "friend", "ed"]), {2, 8}, given="un + friend + ed")


@exercise("cuts", needs="test_a_cut_is_the_number_of_characters_before_it")
def test_a_whole_word_has_no_cut(student: Student) -> None:
    equal(student.cuts(["눈"]), set(), given="눈 in one piece")


@exercise("agreement")
def test_cuts_are_counted_over_all_words(student: Student) -> None:
    found, known = [{1}, {2, 3, 4}], [{1}, {3}]
    close(
        list(student.agreement(found, known)), [2 / 4, 2 / 2, 2 / 3], given="found {1} and {2, 3, 4}, known {1} and {3}"
    )


@exercise("agreement", needs="test_cuts_are_counted_over_all_words")
def test_nothing_to_divide_by_gives_zero(student: Student) -> None:
    close(
        list(student.agreement([set(), set()], [{1}, set()])), [0, 0, 0], given="found nothing, known {1} and nothing"
    )
    close(list(student.agreement([{1}], [set()])), [0, 0, 0], given="found {1}, known nothing")
    close(list(student.agreement([{1}], [{2}])), [0, 0, 0], given="found {1}, known {2}")


@exercise("random_cuts")
def test_as_many_places_as_asked_for_inside_the_word(student: Student) -> None:
    for count in range(5):
        generator = student.random.Random(count)  # made on the student's side: it cannot be sent by value
        places = student.random_cuts("abcde", count, generator)
        true(isinstance(places, set | frozenset), "a set is asked for", given=f"abcde, {count} cuts", actual=places)
        true(
            len(places) == count,
            f"{count} different places are asked for",
            given=f"abcde, {count} cuts",
            actual=sorted(places),
        )
        true(
            places <= {1, 2, 3, 4},
            "places inside abcde are 1 to 4",
            given=f"abcde, {count} cuts",
            actual=sorted(places),
        )


@exercise("tokens_per_sentence")
def test_pieces_are_counted_by_sentence_and_whole_words_by_word(student: Student) -> None:
    cut = {"a": ["a"], "bcd": ["b", "cd"]}
    sentences = [["a", "bcd", "a"], ["bcd", "a"]]
    close(list(student.tokens_per_sentence(sentences, cut)), [7 / 2, 3 / 5], given="a bcd a and bcd a; bcd in 2 pieces")


@exercise("tokens_per_sentence")
def test_words_that_all_stay_whole(student: Student) -> None:
    close(
        list(student.tokens_per_sentence([["눈", "배"]], {"눈": ["눈"], "배": ["배"]})),
        [2, 1],
        given="눈 배, both whole",
    )


@exercise("overlap")
def test_the_index_is_the_intersection_over_the_union(student: Student) -> None:
    close(student.overlap(["a", "b", "c"], ["b", "c", "d", "e"]), 2 / 5, given="a b c and b c d e")


@exercise("overlap")
def test_marks_do_not_count(student: Student) -> None:
    one, other = ["##을", "계란", "#", "a##b", "c▁d"], ["을", "▁계란", "x", "▁", "ab", "cd"]
    close(student.overlap(one, other), 2 / 8, given="##을 계란 # a##b c▁d and 을 ▁계란 x ▁ ab cd")


@exercise("overlap")
def test_special_tokens_are_left_out(student: Student) -> None:
    one, other = ["[UNK]", "[CLS]", "a", "[]", "<>", "[ab", "<ab", "[a>"], ["<unk>", "<s>", "a", "b"]
    close(student.overlap(one, other), 1 / 7, given="[UNK] [CLS] a [] <> [ab <ab [a> and <unk> <s> a b")


@exercise("overlap", needs="test_the_index_is_the_intersection_over_the_union")
def test_two_empty_lists_have_nothing_in_common(student: Student) -> None:
    close(student.overlap([], ["[PAD]"]), 0.0, given="an empty list and [PAD]")
