"""WordPiece: the public checks. Expected values come from hand counts, brute force and closed forms.

Where a check tries many small words, it goes from the shortest to the longest, so the first that fails is a minimal counterexample.
"""

import itertools
import math
from collections import Counter

from etude.lesson.checks import claim, close, equal, exercise, true
from etude.lesson.interface import Student

HUGS = {
    ("h", "##u", "##g"): 10,
    ("p", "##u", "##g"): 5,
    ("p", "##u", "##n"): 12,
    ("b", "##u", "##n"): 4,
    ("h", "##u", "##g", "##s"): 5,
}
COUNTS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
BY_GAIN = "if your answer calls likelihood_gain, see the checks of that first"
TRAINING = "if your answer calls rank_pairs and merge_pair, see the checks of these first"


def _likelihood(text: list[str]) -> float:
    """The log-likelihood of a text of pieces under its own unigram model, piece by piece."""
    counts = Counter(text)
    return sum(math.log(counts[piece] / len(text)) for piece in text)


@exercise("likelihood_gain")
def test_two_pieces_that_only_occur_together(student: Student) -> None:
    # s t s t x x: four pieces of two kinds become two of one; from 2 ln(1/3) for each kind to 2 ln(1/2).
    found = student.likelihood_gain(2, 2, 2, 6)
    close(found, 4 * math.log(1 / 2) - 6 * math.log(1 / 3), given="s t s t x x, joined to st st x x")


@exercise("likelihood_gain")
def test_small_texts_agree_with_their_likelihood_before_and_after(student: Student) -> None:
    for n, more_s, more_t, rest in [(1, 0, 1, 1), (1, 1, 1, 1), (2, 1, 0, 3), (2, 3, 1, 5), (5, 2, 4, 30)]:
        before = ["s", "t"] * n + ["s"] * more_s + ["t"] * more_t + ["x"] * rest
        after = ["st"] * n + ["s"] * more_s + ["t"] * more_t + ["x"] * rest
        close(
            student.likelihood_gain(n, n + more_s, n + more_t, len(before)),
            _likelihood(after) - _likelihood(before),
            given=f"n = {n}, counts {n + more_s} and {n + more_t}, {len(before)} pieces",
        )


@exercise("likelihood_gain", points=0.5, needs="test_two_pieces_that_only_occur_together")
def test_pieces_that_meet_as_often_as_by_chance_lose_by_being_joined(student: Student) -> None:
    gain = student.likelihood_gain(10, 1000, 1000, 100_000)
    true(gain < 0, "the gain is not negative", given="n = 10, counts 1,000 and 1,000, N = 100,000", actual=gain)


def _ranked(student: Student, words: object, *rest: object) -> list[tuple[tuple[str, ...], float]]:
    """[(pair, value)] with plain tuples."""
    return [(tuple(pair), value) for pair, value in student.rank_pairs(words, *rest)]


@exercise("rank_pairs")
def test_by_frequency_the_hugs_begin_with_u_g(student: Student) -> None:
    found = _ranked(student, HUGS, "frequency")
    expected = [("##u", "##g"), ("p", "##u"), ("##u", "##n"), ("h", "##u"), ("##g", "##s"), ("b", "##u")]
    equal([pair for pair, _ in found], expected, given="hug 10, pug 5, pun 12, bun 4, hugs 5; frequency")
    close([value for _, value in found], [20, 17, 16, 15, 5, 4], given="the same; the values")


@claim("wordpiece-score")
@exercise("rank_pairs")
def test_by_score_they_begin_with_g_s_and_five_pairs_tie(student: Student) -> None:
    found = _ranked(student, HUGS, "score")
    expected = [("##g", "##s"), ("##u", "##g"), ("##u", "##n"), ("b", "##u"), ("h", "##u"), ("p", "##u")]
    close(sorted((value for _, value in found), reverse=True), [1 / 20, *[1 / 36] * 5], given="the hugs; scores")
    equal([pair for pair, _ in found], expected, given="the hugs; score")


@claim("wordpiece-score-is-gain")
@exercise("rank_pairs")
def test_by_gain_the_values_are_those_of_likelihood_gain(student: Student) -> None:
    found = dict(_ranked(student, HUGS, "gain"))
    each = {("##u", "##g"): (20, 36, 20), ("p", "##u"): (17, 17, 36), ("##u", "##n"): (16, 36, 16)}
    each |= {("h", "##u"): (15, 15, 36), ("##g", "##s"): (5, 20, 5), ("b", "##u"): (4, 4, 36)}
    equal(sorted(found), sorted(each), given="the hugs; the pairs by gain")
    for pair, numbers in each.items():
        text = ["s", "t"] * numbers[0] + ["s"] * (numbers[1] - numbers[0]) + ["t"] * (numbers[2] - numbers[0])
        rest = {"h": 15, "p": 17, "b": 4, "##u": 36, "##g": 20, "##n": 16, "##s": 5}
        text += [piece for piece, count in rest.items() if piece not in pair for _ in range(count)]
        joined = ["st"] * numbers[0] + text[2 * numbers[0] :]
        expected = round(_likelihood(joined) - _likelihood(text), 6)
        given = f"the hugs; the gain of {' '.join(pair)}, rounded to six decimals ({BY_GAIN})"
        close(found[pair], expected, given=given, rtol=0, atol=1e-9)


@exercise("rank_pairs")
def test_a_pair_that_is_too_rare_is_left_out(student: Student) -> None:
    words = {("a", "##b"): 3, ("c", "##d"): 2, ("e", "##f"): 1}
    given = "ab 3, cd 2, ef 1; score"
    equal([p for p, _ in _ranked(student, words, "score")], [("c", "##d"), ("a", "##b")], given=given)
    equal([p for p, _ in _ranked(student, words, "score", 3)], [("a", "##b")], given=f"{given}, at least 3 times")
    equal(_ranked(student, words, "score", 4), [], given=f"{given}, at least 4 times")


@exercise("rank_pairs", points=0.5)
def test_every_place_in_a_word_counts(student: Student) -> None:
    words = {("a", "##a", "##a", "##a"): 2}
    found = _ranked(student, words, "frequency")
    equal([pair for pair, _ in found], [("##a", "##a"), ("a", "##a")], given="aaaa 2; frequency")
    close([value for _, value in found], [4, 2], given="aaaa 2; frequency")
    close([value for _, value in _ranked(student, words, "score")], [1 / 6, 1 / 9], given="aaaa 2; score")


@exercise("merge_pair")
def test_the_mark_inside_goes_and_that_in_front_stays(student: Student) -> None:
    hug = ("h", "##u", "##g", "##s")
    equal(student.merge_pair(hug, ("h", "##u")), ("hu", "##g", "##s"), given="h ##u ##g ##s; h ##u")
    equal(student.merge_pair(hug, ("##g", "##s")), ("h", "##u", "##gs"), given="h ##u ##g ##s; ##g ##s")


@exercise("merge_pair")
def test_a_merged_piece_can_be_merged_again_later_but_not_at_once(student: Student) -> None:
    equal(
        student.merge_pair(("a", "##a", "##a", "##a"), ("##a", "##a")),
        ("a", "##aa", "##a"),
        given="a ##a ##a ##a; ##a ##a",
    )
    equal(student.merge_pair(("hu", "##g"), ("hu", "##g")), ("hug",), given="hu ##g; hu ##g")


@exercise("merge_pair")
def test_all_small_words_are_merged_from_left_to_right(student: Student) -> None:
    for length in range(6):
        for rest in itertools.product(("##a", "##b"), repeat=max(0, length - 1)):
            word = ("a", *rest) if length else ()
            for pair in [("a", "##a"), ("##a", "##a"), ("##a", "##b")]:
                expected, i = [], 0
                while i < len(word):
                    step = 2 if word[i : i + 2] == pair else 1
                    expected.append(word[i] + "".join(word[i + 1 : i + step]).replace("##", ""))
                    i += step
                given = f"{' '.join(word) or 'the empty word'}; {' '.join(pair)}"
                equal(student.merge_pair(word, pair), tuple(expected), given=given)


@exercise("train_pieces")
def test_the_vocabulary_begins_with_special_tokens_and_single_pieces(student: Student) -> None:
    singles = ["##g", "##n", "##s", "##u", "b", "h", "p"]
    equal(student.train_pieces(COUNTS, 12, "score"), SPECIAL + singles, given=f"hug … hugs, 12 pieces ({TRAINING})")


@exercise("train_pieces")
def test_score_and_frequency_merge_other_pairs(student: Student) -> None:
    by_score, by_frequency = (student.train_pieces(COUNTS, 16, rule)[12:] for rule in ("score", "frequency"))
    # by score: ##g ##s (1/20); then all with ##u tie at 1/36, in the order of the alphabet: ##u ##g, ##u ##gs, ##u ##n
    equal(by_score[:2], ["##gs", "##ug"], given=f"hug … hugs, the first two merges by score ({TRAINING})")
    equal(
        by_frequency,
        ["##ug", "##un", "hug", "pun"],
        given=f"hug … hugs, the first four merges by frequency ({TRAINING})",
    )


@exercise("train_pieces")
def test_counts_are_taken_anew_before_each_merge(student: Student) -> None:
    # ##b ##c is merged first (6). Then a ##b (4) is gone, and a ##bc stands there.
    made = student.train_pieces({"abc": 4, "xbc": 2}, 20, "frequency")[len(SPECIAL) + 4 :]
    equal(made, ["##bc", "abc", "xbc"], given=f"abc 4, xbc 2; frequency ({TRAINING})")


@exercise("train_pieces")
def test_training_stops_when_no_pair_is_left(student: Student) -> None:
    equal(
        student.train_pieces({"ab": 2, "cd": 1}, 100, "score"),
        [*SPECIAL, "##b", "##d", "a", "c", "ab"],
        given=f"ab 2, cd 1; 100 pieces, by score ({TRAINING})",
    )
    found = student.train_pieces({"ab": 2, "cd": 1}, 100, "score", 1)
    equal(
        found, [*SPECIAL, "##b", "##d", "a", "c", "cd", "ab"], given=f"the same with a minimum count of 1 ({TRAINING})"
    )


VOCABULARY = {*SPECIAL, "a", "ab", "aba", "b", "##a", "##b", "##ab", "##bab", "##c", "눈", "##눈이"}


@exercise("cut_word")
def test_the_longest_piece_is_taken_and_the_rest_is_marked(student: Student) -> None:
    equal(
        list(student.cut_word("pretraining", {"p", "pre", "##t", "##train", "##ing", "##i", "[UNK]", "training"})),
        ["pre", "##train", "##ing"],
        given="pretraining; pre ##train ##ing training …",
    )


@claim("kingbatne")
@exercise("cut_word", points=0.5)
def test_a_word_that_is_not_listed_is_cut_into_pieces_that_are(student: Student) -> None:
    pieces = {"[UNK]", "킹", "받", "네", "##받", "##네", "##받는"}  # as in KoELECTRA's vocabulary
    equal(list(student.cut_word("킹받네", pieces)), ["킹", "##받", "##네"], given="킹받네; 킹 받 네 ##받 ##네 ##받는")


@claim("wordpiece-greedy")
@exercise("cut_word", needs="test_the_longest_piece_is_taken_and_the_rest_is_marked")
def test_one_missing_character_makes_the_whole_word_unknown(student: Student) -> None:
    equal(list(student.cut_word("abab눈", VOCABULARY)), ["[UNK]"], given="abab눈; no ##눈")
    equal(list(student.cut_word("cab", VOCABULARY)), ["[UNK]"], given="cab; there is ##c, but no c")


@exercise("cut_word", needs="test_the_longest_piece_is_taken_and_the_rest_is_marked")
def test_greed_can_lose_a_word_that_could_be_cut(student: Student) -> None:
    pieces = {"[UNK]", "ab", "abc", "##cd"}
    equal(list(student.cut_word("abcd", pieces)), ["[UNK]"], given="abcd; ab abc ##cd")


@exercise("cut_word")
def test_all_small_words_are_cut_by_the_longest_match(student: Student) -> None:
    for length in range(6):
        for letters in itertools.product("abc", repeat=length):
            word, rest = "".join(letters), "".join(letters)
            expected: list[str] = []
            while rest:
                pieces = {p for p in VOCABULARY if p not in SPECIAL and p.startswith("##") == bool(expected)}
                fitting = [p for p in pieces if rest.startswith(p.removeprefix("##"))]
                if not fitting:
                    expected = ["[UNK]"]
                    break
                expected.append(max(fitting, key=len))
                rest = rest.removeprefix(expected[-1].removeprefix("##"))
            equal(
                list(student.cut_word(word, VOCABULARY)),
                expected,
                given=f"{word or 'the empty word'}; a ab aba b ##a ##b ##ab ##bab ##c",
            )


@exercise("cut_word", points=0.5)
def test_a_word_of_more_than_100_characters_is_unknown(student: Student) -> None:
    equal(list(student.cut_word("a" * 101, VOCABULARY)), ["[UNK]"], given="101 times a")
    equal(list(student.cut_word("a" * 100, VOCABULARY)), ["a", *["##a"] * 99], given="100 times a")


@exercise("split_text")
def test_every_punctuation_mark_is_a_word(student: Student) -> None:
    equal(
        list(student.split_text("Don't pay $5.00 (now)!", False)),
        ["Don", "'", "t", "pay", "$", "5", ".", "00", "(", "now", ")", "!"],
        given="Don't pay $5.00 (now)!, not lower",
    )


@exercise("split_text")
def test_lower_takes_case_and_accents_away(student: Student) -> None:
    equal(list(student.split_text("Café NAÏVE", True)), ["cafe", "naive"], given="Café NAÏVE, lower")
    equal(list(student.split_text("Café NAÏVE", False)), ["Café", "NAÏVE"], given="Café NAÏVE, not lower")


@claim("bert-uncased-jamo")
@exercise("split_text")
def test_lower_takes_hangul_apart_into_jamo(student: Student) -> None:
    equal(list(student.split_text("눈", True)), ["\u1102\u116e\u11ab"], given="눈, lower: the jamo ᄂ ᅮ ᆫ")
    equal(list(student.split_text("눈이", False)), ["눈이"], given="눈이, not lower")


@exercise("split_text")
def test_all_small_texts_are_split_alike(student: Student) -> None:
    for length in range(4):
        for characters in itertools.product("aÉ! 。"[: 5 if length < 3 else 4], repeat=length):
            text = "".join(characters)
            equal(list(student.split_text(text, False)), _split(text), given=f"{text!r}, not lower")


def _split(text: str) -> list[str]:
    """Runs of letters, and marks alone."""
    words: list[str] = []
    open_word = False
    for character in text:
        if character in "!。":
            words.append(character)
        elif character != " ":
            if open_word:
                words[-1] += character
            else:
                words.append(character)
        open_word = character not in "!。 "
    return words


IDS = [*SPECIAL, "눈", "##이", "!", "배", "##가"]


@exercise("encode_pair")
def test_one_text_stands_between_cls_and_sep(student: Student) -> None:
    ids, segments = student.encode_pair(["눈", "##이", "!"], None, IDS)
    equal(list(ids), [2, 5, 6, 7, 3], given="눈 ##이 !, no second text; the ids")
    equal(list(segments), [0, 0, 0, 0, 0], given="눈 ##이 !, no second text; the segments")


@claim("bert-two-texts")
@exercise("encode_pair")
def test_the_second_text_has_segment_1_and_a_sep_of_its_own(student: Student) -> None:
    ids, segments = student.encode_pair(["눈", "##이"], ["배", "##가", "!"], IDS)
    equal(list(ids), [2, 5, 6, 3, 8, 9, 7, 3], given="눈 ##이, 배 ##가 !; the ids")
    equal(list(segments), [0, 0, 0, 0, 1, 1, 1, 1], given="눈 ##이, 배 ##가 !; the segments")


@exercise("encode_pair", points=0.5)
def test_an_empty_second_text_is_not_none(student: Student) -> None:
    ids, segments = student.encode_pair([], [], IDS)
    equal(list(ids), [2, 3, 3], given="two empty texts; the ids")
    equal(list(segments), [0, 0, 1], given="two empty texts; the segments")


@exercise("decode")
def test_marked_pieces_are_written_onto_the_word_before(student: Student) -> None:
    equal(student.decode([5, 6, 8, 9, 7], IDS), "눈이 배가 !", given="눈 ##이 배 ##가 !")


@exercise("decode")
def test_special_tokens_are_left_out_but_unknown_words_are_shown(student: Student) -> None:
    equal(
        student.decode([2, 5, 6, 1, 4, 3, 8, 9, 3, 0, 0], IDS),
        "눈이 [UNK] 배가",
        given="[CLS] 눈 ##이 [UNK] [MASK] [SEP] 배 ##가 [SEP] [PAD] [PAD]",
    )


@exercise("decode", points=0.5, needs="test_marked_pieces_are_written_onto_the_word_before")
def test_nothing_decodes_to_nothing(student: Student) -> None:
    equal(student.decode([], IDS), "", given="no ids")
    equal(student.decode([2, 3, 0], IDS), "", given="[CLS] [SEP] [PAD]")


@exercise("decode", points=0.5)
def test_a_sign_of_the_text_is_no_mark(student: Student) -> None:
    equal(
        student.decode([5, 6, 5], ["a", "b", "c", "d", "e", "#", "f"]), "# f #", given="# f #, all three of them words"
    )


@exercise("decode", points=0.5)
def test_special_tokens_are_known_by_name_wherever_they_stand_in_the_vocabulary(student: Student) -> None:
    given = "[CLS] a ##b [UNK] [SEP], whose ids are 4 0 1 3 2"
    equal(student.decode([4, 0, 1, 3, 2], ["a", "##b", "[SEP]", "[UNK]", "[CLS]"]), "ab [UNK]", given=given)
