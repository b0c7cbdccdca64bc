"""SentencePiece: the public checks. Expected values come from all ways to cut a short text, written out one by one.

Where many small cases are tried, they come from the smallest on, so the first that fails is a smallest counterexample.
"""

import itertools
import math

from etude.lesson.checks import claim, close, equal, exercise, refused, true
from etude.lesson.interface import Student


def ways(text: str, scores: dict[str, float]) -> list[tuple[list[str], float]]:
    """Every way to cut a text into pieces, with its log-probability."""
    if not text:
        return [([], 0.0)]
    return [
        ([text[:end], *rest], scores[text[:end]] + score)
        for end in range(1, len(text) + 1)
        if text[:end] in scores
        for rest, score in ways(text[end:], scores)
    ]


def texts(letters: str, longest: int) -> list[str]:
    """Every text over some letters, the shortest first."""
    return ["".join(found) for n in range(longest + 1) for found in itertools.product(letters, repeat=n)]


SCORES = {"a": -1.5, "b": -2.5, "ab": -3.1, "ba": -2.0, "aba": -3.3, "bb": -6.0}
LONG = "▁antidisestablishmentarianism"  # one piece of 29 characters, far more probable than its characters
LONG_SCORES = dict.fromkeys(LONG, -3.0) | {LONG: -1.0}
BY_FORWARD = "if your answer calls forward, see the checks of that first"
BY_VITERBI = "if your answer calls viterbi, see the checks of that first"
COFFEE = {"▁": -1.6, "커": -2.3, "피": -2.4, "를": -2.2, "▁커피": -1.7, "피를": -3.9, "▁커": -2.5}


def shown(scores: dict[str, float]) -> str:
    """The pieces with their scores: a −1.5, ab −3.1."""
    return ", ".join(f"{piece} {score:.4g}".replace("-", "−") for piece, score in scores.items())


@exercise("mark")
def test_each_blank_is_a_mark_and_one_stands_before_the_first_word(student: Student) -> None:
    equal(student.mark("모닝 커피 좋아"), "▁모닝▁커피▁좋아", given="모닝 커피 좋아")


@exercise("mark")
def test_a_run_of_white_space_is_one_mark(student: Student) -> None:
    equal(student.mark(" 킹받네\t\n 눈  배 "), "▁킹받네▁눈▁배", given=repr(" 킹받네\t\n 눈  배 "))


@exercise("mark", needs="test_each_blank_is_a_mark_and_one_stands_before_the_first_word")
def test_a_text_without_words_leaves_nothing(student: Student) -> None:
    equal([student.mark(""), student.mark(" \n")], ["", ""], given="the empty text and one of blanks")


@exercise("mark", points=0.5)
def test_characters_are_brought_to_one_form(student: Student) -> None:
    text = "ﬁ ①" + chr(0x1112) + chr(0x1161) + chr(0x11AB)
    equal(student.mark(text), "▁fi▁1한", given="the ligature ﬁ, a circled 1, and 한 as three letters")


@exercise("mark", points=0.5)
def test_a_blank_that_the_one_form_makes_is_a_blank_too(student: Student) -> None:
    # NFKC writes an acute accent that stands alone, U+00B4, as a blank and U+0301.
    equal(student.mark("a\u00b4b"), "▁a▁\u0301b", given="a´b, where ´ is U+00B4")


@exercise("unmark")
def test_pieces_join_to_the_text_whatever_the_cut(student: Student) -> None:
    for pieces in (["▁a", "▁b"], ["▁", "a", "▁b"], ["▁a▁", "b"], list("▁a▁b")):
        equal(student.unmark(pieces), "a b", given=pieces)


@exercise("unmark")
def test_what_stands_together_stays_together(student: Student) -> None:
    equal(student.unmark(["▁킹", "받", "네", "!"]), "킹받네!", given=["▁킹", "받", "네", "!"])


@exercise("unmark", needs="test_pieces_join_to_the_text_whatever_the_cut")
def test_no_pieces_are_no_text(student: Student) -> None:
    equal(student.unmark([]), "", given=[])


@exercise("viterbi")
def test_the_sum_decides_and_not_the_longest_piece(student: Student) -> None:
    pieces, score = student.viterbi("ab", {"a": -1.0, "b": -1.0, "ab": -3.0})
    equal(pieces, ["a", "b"], given="ab with a −1, b −1, ab −3: a b has −2, better by 1 than ab")
    close(score, -2.0, given="ab with a −1, b −1, ab −3")


@exercise("viterbi")
def test_a_piece_that_beats_its_parts_is_taken(student: Student) -> None:
    pieces, score = student.viterbi("▁커피를", COFFEE)
    equal(pieces, ["▁커피", "를"], given=f"▁커피를 with {shown(COFFEE)}: ▁커피 를 has −3.9")
    close(score, -3.9, given=f"▁커피를 with {shown(COFFEE)}")


@exercise("viterbi", points=0.5)
def test_what_looks_best_at_first_can_be_a_dead_end(student: Student) -> None:
    scores = {"a": -5.0, "ab": -0.5, "bc": -1.0, "c": -9.0}
    given = "abc with a −5, ab −0.5, bc −1, c −9: a bc has −6, better by 3.5 than ab c"
    equal(list(student.viterbi("abc", scores)[0]), ["a", "bc"], given=given)


@exercise("viterbi", points=0.5)
def test_a_piece_may_be_long(student: Student) -> None:
    pieces, score = student.viterbi(LONG, LONG_SCORES)
    equal(list(pieces), [LONG], given=f"{LONG} with −1, each character −3")
    close(score, -1.0, given=f"{LONG} with −1, each character −3")


@exercise("viterbi", needs="test_a_piece_that_beats_its_parts_is_taken")
def test_the_empty_text_has_one_way_without_pieces(student: Student) -> None:
    pieces, score = student.viterbi("", SCORES)
    equal([list(pieces), float(score)], [[], 0.0], given="the empty text")


@exercise("viterbi")
def test_it_is_the_best_of_all_ways(student: Student) -> None:
    for text in texts("ab", 5)[1:]:
        pieces, score = student.viterbi(text, SCORES)
        given = f"{text} with {shown(SCORES)}"
        true("".join(pieces) == text, "the pieces do not join to the text", given=given, actual=pieces)
        best, highest = max(ways(text, SCORES), key=lambda way: way[1])
        mine = sum(SCORES.get(piece, -math.inf) for piece in pieces)
        better = f"{' '.join(best)} has {highest:.4g}, better by {highest - mine:.4g}"
        detail = f"the log-probability of {' '.join(pieces)} is {mine:.4g}; {better}".replace("-", "−")
        true(mine > highest - 1e-6, detail, given=given, actual=pieces)
        close(score, highest, given=f"{given}; the log-probability of {' '.join(pieces)}")


@exercise("viterbi", points=0.5, needs="test_a_piece_that_beats_its_parts_is_taken")
def test_what_cannot_be_spelled_is_refused(student: Student) -> None:
    for text in ("c", "ac", "ca"):
        given = f"{text} with {shown(SCORES)}"
        refused(student.viterbi, text, SCORES, why="no piece has the letter c", given=given)


@exercise("forward", points=0.5)
def test_one_way_has_its_own_probability(student: Student) -> None:
    close(student.forward("ab", {"a": -1.0, "b": -2.0}), [0.0, -1.0, -3.0], given="ab with a −1, b −2")


@exercise("forward", points=0.5)
def test_a_sum_looks_back_as_far_as_a_piece_is_long(student: Student) -> None:
    expected = [*(-3.0 * n for n in range(len(LONG))), math.log(math.exp(-1) + math.exp(-3 * len(LONG)))]
    close(student.forward(LONG, LONG_SCORES), expected, given=f"{LONG} with −1, each character −3")


@exercise("forward")
def test_two_ways_add_their_probabilities(student: Student) -> None:
    scores = {"a": math.log(0.5), "b": math.log(0.25), "ab": math.log(0.125)}
    close(
        student.forward("ab", scores),
        [0.0, math.log(0.5), math.log(0.25)],
        given="ab with probabilities a ½, b ¼, ab ⅛: the sum is ⅛ + ⅛",
    )


@exercise("forward")
def test_every_position_sums_over_all_ways_to_reach_it(student: Student) -> None:
    for text in texts("ab", 4):
        expected = [
            math.log(sum(math.exp(score) for _, score in ways(text[:end], SCORES))) for end in range(len(text) + 1)
        ]
        close(student.forward(text, SCORES), expected, given=f"{text or 'the empty text'} with {shown(SCORES)}")


@exercise("forward")
def test_where_no_way_leads_stands_minus_infinity(student: Student) -> None:
    close(student.forward("abc", {"ab": -1.0, "c": -2.0}), [0.0, -math.inf, -1.0, -3.0], given="abc with ab −1, c −2")


@exercise("forward", points=0.5)
def test_long_texts_stay_finite(student: Student) -> None:
    close(student.forward("a" * 200, {"a": -10.0})[-1], -2000.0, given="200 times a, with score −10")


def by_brute_force(words: dict[str, int], scores: dict[str, float]) -> dict[str, float]:
    """The expected counts, from all ways to cut each word."""
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        found = [(pieces, math.exp(score)) for pieces, score in ways(word, scores)]
        total = sum(chance for _, chance in found)
        for pieces, chance in found:
            for piece in pieces:
                expected[piece] += count * chance / total
    return expected


def agree(student: Student, words: dict[str, int], scores: dict[str, float]) -> None:
    expected, found = by_brute_force(words, scores), student.expected_counts(words, scores)
    given = f"words {words} with {shown(scores)} ({BY_FORWARD})"
    equal(sorted(found), sorted(expected), given=f"{given}; the pieces of the answer")
    close(
        [float(found[piece]) for piece in expected],
        list(expected.values()),
        given=f"{given}; the counts of {', '.join(expected)}",
    )


@exercise("expected_counts")
def test_a_word_with_one_way_counts_its_pieces_as_often_as_it_occurs(student: Student) -> None:
    agree(student, {"aab": 3}, {"a": -1.0, "b": -2.0})


@exercise("expected_counts")
def test_two_ways_share_a_word_by_their_probabilities(student: Student) -> None:
    agree(student, {"ab": 1}, {"a": math.log(0.5), "b": math.log(0.5), "ab": math.log(0.75)})


@exercise("expected_counts", points=0.5)
def test_a_piece_that_fits_nowhere_is_expected_zero_times(student: Student) -> None:
    agree(student, {"a": 2}, {"a": -1.0, "bb": -1.0})


@exercise("expected_counts", points=0.5)
def test_long_pieces_are_counted_too(student: Student) -> None:
    agree(student, {LONG: 2}, LONG_SCORES)


@exercise("expected_counts", points=2)
def test_all_small_words_agree_with_brute_force(student: Student) -> None:
    for word in texts("ab", 4)[1:]:
        agree(student, {word: 2}, SCORES)


@exercise("expected_counts")
def test_words_add_up(student: Student) -> None:
    agree(student, {"▁커피를": 5, "▁커피": 2, "▁피를": 1}, COFFEE)


@exercise("m_step")
def test_scores_are_the_logs_of_shares(student: Student) -> None:
    found = student.m_step({"a": 6.0, "ab": 3.0, "b": 1.0})
    close(
        [found.get(piece, 1.0) for piece in ("a", "ab", "b")], [math.log(x) for x in (0.6, 0.3, 0.1)], given="6, 3, 1"
    )


@exercise("m_step")
def test_a_rare_piece_goes_and_the_others_share_all(student: Student) -> None:
    found = student.m_step({"a": 3.0, "ab": 0.4, "b": 1.0})
    equal(sorted(found), ["a", "b"], given="a 3, ab 0.4, b 1")
    close([found["a"], found["b"]], [math.log(0.75), math.log(0.25)], given="a 3, ab 0.4, b 1")


@exercise("m_step")
def test_a_rare_character_stays_and_counts_as_half(student: Student) -> None:
    found = student.m_step({"a": 1.5, "b": 0.0})
    equal(sorted(found), ["a", "b"], given="a 1.5, b 0")
    close([found["a"], found["b"]], [math.log(0.75), math.log(0.25)], given="a 1.5, b 0")


@exercise("m_step", points=0.5)
def test_the_bound_is_the_one_that_is_given(student: Student) -> None:
    found = student.m_step({"a": 6.0, "ab": 1.9, "ba": 2.0, "b": 0.1}, 2.0)
    equal(sorted(found), ["a", "b", "ba"], given="a 6, ab 1.9, ba 2, b 0.1; at least 2")
    close([found[p] for p in ("a", "b", "ba")], [math.log(x) for x in (0.6, 0.2, 0.2)], given="the same")


@exercise("pruning_losses")
def test_a_loss_is_the_count_times_what_each_use_loses(student: Student) -> None:
    found = student.pruning_losses({"a": 1.0, "b": 1.0, "ab": 4.0}, {"a": -1.0, "b": -2.0, "ab": -1.7})
    given = f"ab is expected 4 times, scores a −1, b −2, ab −1.7 ({BY_VITERBI})"
    close(found.get("ab", 0.0), 5.2, given=given)


@exercise("pruning_losses")
def test_characters_have_no_loss(student: Student) -> None:
    found = student.pruning_losses({"a": 1.0, "b": 1.0, "ab": 4.0}, {"a": -1.0, "b": -2.0, "ab": -1.5})
    equal(sorted(found), ["ab"], given=f"a, b and ab; the pieces of the answer ({BY_VITERBI})")


@exercise("pruning_losses")
def test_other_long_pieces_may_spell_it(student: Student) -> None:
    scores = {"a": -3.0, "b": -3.0, "ab": -2.0, "aba": -2.5, "ba": -4.0}
    found = student.pruning_losses(dict.fromkeys(scores, 2.0), scores)
    close(
        [found.get(piece, -1.0) for piece in ("ab", "aba", "ba")],
        [2 * (-2.0 + 6.0), 2 * (-2.5 + 5.0), 2 * (-4.0 + 6.0)],
        given=f"a −3, b −3, ab −2, aba −2.5, ba −4, each expected twice: aba is spelled by ab and a ({BY_VITERBI})",
    )


@exercise("pruning_losses", points=0.5, needs="test_a_loss_is_the_count_times_what_each_use_loses")
def test_the_scores_are_left_alone(student: Student) -> None:
    scores = {"a": -1.0, "b": -2.0, "ab": -1.5}
    handle = student.put(dict(scores))
    student.pruning_losses(dict.fromkeys(scores, 1.0), handle)
    equal(student.value(handle), scores, given="the scores, after asking for the losses")


def frequencies(
    student: Student, text: str, scores: dict[str, float], alpha: float, count: int = 3000, seed: int = 4
) -> list[str]:
    drawn = student.sample(text, scores, alpha, count, seed)
    equal(len(drawn), count, given=f"{count} ways to cut {text} ({BY_FORWARD})")
    return [" ".join(pieces) for pieces in drawn]


@exercise("sample", points=0.5)
def test_a_draw_may_be_one_long_piece(student: Student) -> None:
    found = [list(pieces) for pieces in student.sample(LONG, LONG_SCORES, 1.0, 5, 0)]
    equal(found, [[LONG]] * 5, given=f"{LONG} with −1, each character −3; five draws, alpha 1 ({BY_FORWARD})")


@exercise("sample", points=0.5)
def test_every_draw_joins_to_the_text(student: Student) -> None:
    drawn = student.sample("ababa", SCORES, 0.3, 40, 1)
    given = f"ababa with {shown(SCORES)}, alpha 0.3, 40 draws ({BY_FORWARD})"
    equal(["".join(pieces) for pieces in drawn], ["ababa"] * 40, given=f"{given}; the pieces of each, joined")


@claim("uni-sampling")
@exercise("sample", points=2)
def test_ways_come_as_often_as_they_are_probable(student: Student) -> None:
    for alpha in (1.0, 0.3, 0.0):
        chances = {" ".join(pieces): math.exp(alpha * score) for pieces, score in ways("abab", SCORES)}
        total = sum(chances.values())
        drawn = frequencies(student, "abab", SCORES, alpha)
        for way, chance in chances.items():
            share, expected = drawn.count(way) / len(drawn), chance / total
            allowed = 5 * math.sqrt(expected * (1 - expected) / len(drawn))  # right answers fail once in a million
            true(
                abs(share - expected) <= allowed,
                f"“{way}” was drawn with frequency {share:.3f}, its probability is {expected:.3f}",
                given=f"abab with {shown(SCORES)}, alpha {alpha}, {len(drawn)} draws ({BY_FORWARD})",
                actual=round(share, 1),
            )


@exercise("sample")
def test_a_large_alpha_draws_the_best_way(student: Student) -> None:
    best = max(ways("abab", SCORES), key=lambda way: way[1])[0]
    drawn = frequencies(student, "abab", SCORES, 60.0, 30)
    equal(sorted(set(drawn)), [" ".join(best)], given=f"abab with {shown(SCORES)}, alpha 60 ({BY_FORWARD})")


@exercise("sample", points=0.5)
def test_the_same_seed_draws_the_same_and_another_others(student: Student) -> None:
    first, again, other = (student.sample("ababa", SCORES, 0.2, 30, seed) for seed in (5, 5, 6))
    true(
        list(map(list, first)) == list(map(list, again)),
        "seed 5 draws other ways the second time",
        given="seed 5, twice",
    )
    true(list(map(list, first)) != list(map(list, other)), "seeds 5 and 6 draw the same", given="seeds 5 and 6")
