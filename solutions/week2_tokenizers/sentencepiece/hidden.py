"""SentencePiece: hidden checks and the metrics that the grader computes itself. Never released."""

import io
import itertools
import math
import unicodedata
from collections import Counter
from functools import cache

import sentencepiece
import torch
from hypothesis.strategies import DrawFn, composite, dictionaries, integers, lists, permutations, sampled_from
from hypothesis.strategies import text as strings

from etude.lesson.checks import claim, close, equal, exercise, refused, true
from etude.lesson.interface import Student
from etude.tokenizers import unigram
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

OTHER = 10_000  # as in the notebook: the distance of the other text's seed
MEASURED = 6_000  # words of the other text


@cache
def library() -> sentencepiece.SentencePieceProcessor:
    """A small Korean model that SentencePiece itself has learnt."""
    lines = [str(sentence) for document in World("ko", 5).documents(4_000) for sentence in document.sentences]
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=written, vocab_size=520, character_coverage=1.0, minloglevel=2
    )
    return sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())


def its_scores() -> dict[str, float]:
    ids = range(3, library().get_piece_size())  # the first three are no text
    return {library().id_to_piece(i): library().get_score(i) for i in ids}


@exercise("mark", points=0.5)
def test_texts_are_marked_as_by_the_library(student: Student) -> None:
    rules = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc")
    for text in [
        unicodedata.normalize("NFD", "한국 눈"),
        "a",
        " a",
        "a  b",
        "Ⅳ ｱ",
        "하루\u3000커피",
        "눈\u00a0배\r\n",
        " ".join("abcdefghijkl"),
    ]:
        equal(student.mark(text), rules.normalize(text), given=repr(text))
    for text, marked in [("a!\u200db", "▁a!\u200db"), ("a\u2028b\x0cc", "▁a▁b▁c"), ("a" * 150, "▁" + "a" * 150)]:
        equal(student.mark(text), marked, given=repr(text))


# What NFKC takes apart, puts together or leaves; blanks of many kinds, and what is none.
STRANGE = [
    "a", "A", "_", "##", "<s>", "!", "눈", "\u1112", "\u1161", "\u11ab", "ㅋ", "é", "e", "\u0301", "\u0323", "\u3099",
    "か", "ｶ", "ﾞ", "ß", "İ", "ﬁ", "²", "½", "①", "Ⅳ", "㎏", "…", "‥", "\u00b4", "\u00a8", "\u2017", "Å", "\u212b", "🙂",
    "\u200b", "\u200d", "\ufeff", "\xad", "\u2060", "\0",
    " ", "  ", "\t", "\n", "\r\n", "\x0b", "\xa0", "\u3000", "\u2003", "\u2028", "\u202f", "\u1680",
]  # fmt: skip


def _marked(text: str) -> str:
    """Character by character: ▁ stands before one that follows white space or nothing."""
    marked, blank = "", True
    for c in unicodedata.normalize("NFKC", text):
        marked += "" if c.isspace() else "▁" * blank + c
        blank = c.isspace()
    return marked


@exercise("mark", points=0.5, needs="test_each_blank_is_a_mark_and_one_stands_before_the_first_word")
def test_every_strange_sign_is_marked(student: Student) -> None:
    for text in [*STRANGE, *(f"a{sign}b" for sign in STRANGE), *(f" {sign} " for sign in STRANGE)]:
        equal(student.mark(text), _marked(text), given=repr(text))
    equal(student.mark("눈 " * 3_000), "▁눈" * 3_000, given="눈 and a blank 3,000 times")


@exercise("mark", points=0.5, needs="test_each_blank_is_a_mark_and_one_stands_before_the_first_word")
@for_all(text=inputs.texts() | lists(sampled_from(STRANGE), max_size=9).map("".join))
def test_any_text_is_marked_character_by_character(student: Student, text: str) -> None:
    equal(student.mark(text), _marked(text))


@composite
def _words_and_pieces(draw: DrawFn) -> tuple[list[str], list[str]]:
    """Words as NFKC leaves them, and a way to cut the text of them: all of it in one piece, or pieces of some lengths."""
    letters = sampled_from(["a", "B", "_", "##", "눈", "!", "é", "\u0301", "\u200b"])
    words = draw(lists(lists(letters, min_size=1, max_size=4).map("".join), max_size=8))
    words = [unicodedata.normalize("NFKC", word) for word in words]
    rest, pieces = "".join("▁" + word for word in words), []
    lengths = itertools.cycle(draw(lists(integers(1, 4), min_size=1, max_size=3) | sampled_from([[100]])))
    while rest:
        length = next(lengths)
        pieces.append(rest[:length])
        rest = rest[length:]
    return words, pieces


@claim("sp-lossless")
@exercise("unmark", points=0.5)
@for_all(drawn=_words_and_pieces())
def test_any_cut_of_any_marked_text_comes_back(student: Student, drawn: tuple[list[str], list[str]]) -> None:
    words, pieces = drawn
    equal(student.unmark(pieces), " ".join(words))


@exercise("unmark", points=0.5)
def test_long_texts_come_back_character_by_character(student: Student) -> None:
    for words in (["\u0301b", "\u200b", "\ufeffa", "e", "İ"], [*"abcdefghijkl"], ["눈"] * 3_000):
        pieces = [piece for word in words for piece in ("▁", *word)]
        given = f"{len(words)} words, from {words[0]!r} to {words[-1]!r}, cut everywhere"
        equal(student.unmark(pieces), " ".join(words), given=given)


@claim("uni-viterbi")
@exercise("viterbi", points=2)
def test_words_are_cut_as_by_the_library(student: Student) -> None:
    scores = its_scores()
    words = sorted({w.surface for d in World("ko", 6).documents(300) for s in d.sentences for w in s})
    words = [word for word in words if all(c in scores for c in word)][:60]
    for word in words:
        pieces, _ = student.viterbi("▁" + word, scores)
        expected = library().encode(word, out_type=str)
        mine, best = (sum(scores.get(piece, -math.inf) for piece in cut) for cut in (pieces, expected))
        true("".join(pieces) == "▁" + word, "the pieces do not join to the word", given=word, actual=pieces)
        close(mine, best, given=f"{word}; the library cuts {expected}")


@exercise("viterbi", points=0.5)
def test_every_score_counts_as_it_stands(student: Student) -> None:
    for text, scores, pieces, score in (
        (" Aa", {" ": -1.0, "A": 0.0, "a": -2.0, " A": -1.5}, [" ", "A", "a"], -3.0),
        ("ab", {"a": -900.0, "b": -950.0}, ["a", "b"], -1850.0),
        ("a", {"a": -1.23456}, ["a"], -1.23456),
        ("e\u0301a", {"e": -1.0, "\u0301": -2.0, "a": -1.0}, ["e", "\u0301", "a"], -4.0),
        ("abcdefghijkl", dict.fromkeys("abcdefghijkl", -1.0), [*"abcdefghijkl"], -12.0),
    ):
        found, log_probability = student.viterbi(text, scores)
        equal(list(found), pieces, given=f"{text!r} with {scores}")
        close(log_probability, score, given=f"{text!r} with {scores}")
    refused(student.viterbi, "a", {}, why="there are no pieces", given="a, no pieces")


def _ways(text: str, scores: dict[str, float]) -> list[tuple[list[str], float]]:
    """Every way to cut a text, with its log-probability."""
    heads = [text[:end] for end in range(1, len(text) + 1) if text[:end] in scores]
    found = [([head, *rest], scores[head] + more) for head in heads for rest, more in _ways(text[len(head) :], scores)]
    return found if text else [([], 0.0)]


@composite
def lattices(draw: DrawFn) -> tuple[str, dict[str, float]]:
    """(a text, scores of pieces of one to four characters, which may lack single ones); some texts are joined pieces."""
    alphabet = [["a"], ["a", "b"], ["a", "A", " "], ["é", "e", "\u0301"], ["눈", "🙂", "▁"], ["a", "b", "#", "▁"]]
    letters = sampled_from(draw(sampled_from(alphabet)))
    pieces = strings(letters, min_size=1, max_size=2) | strings(letters, min_size=1, max_size=4)
    scores = draw(dictionaries(pieces, integers(-40, 0).map(lambda n: n / 8), min_size=1, max_size=8))
    joined = lists(sampled_from(sorted(scores)), max_size=3).map("".join)
    return draw(joined | joined | strings(letters, max_size=7)), scores


def _log_sum(text: str, scores: dict[str, float]) -> float:
    """The log-probability of a text, from all ways to cut it; −∞ where there is none."""
    total = math.fsum(math.exp(score) for _, score in _ways(text, scores))
    return math.log(total) if total else -math.inf


@exercise("viterbi", points=0.5, needs="test_the_sum_decides_and_not_the_longest_piece")
@for_all(drawn=lattices())
def test_any_pieces_spell_a_text_in_the_best_way_or_not_at_all(
    student: Student, drawn: tuple[str, dict[str, float]]
) -> None:
    text, scores = drawn
    found = _ways(text, scores)
    if not found:
        refused(student.viterbi, text, scores, why="no way spells the text")
        return
    pieces, score = student.viterbi(text, scores)
    best = max(value for _, value in found)
    equal("".join(pieces), text)
    close(sum(scores.get(piece, -math.inf) for piece in pieces), best)
    close(score, best)


@exercise("viterbi", points=0.5, needs="test_the_sum_decides_and_not_the_longest_piece")
def test_texts_of_300_characters_and_all_sizes_of_scores(student: Student) -> None:
    cases: list[tuple[str, dict[str, float], list[str], float]] = [
        ("ab" * 150, {"a": -60.0, "b": -61.0, "ab": -120.5}, ["ab"] * 150, -18_075.0),
        ("a" * 300, {"a": -3.0, "a" * 200: -1.0, "a" * 100: -2.0}, ["a" * 200, "a" * 100], -3.0),
        ("a" * 20, {"a": -1e8}, ["a"] * 20, -2e9),
        ("a", {"a": -0.00123}, ["a"], -0.00123),
    ]
    for text, scores, pieces, score in cases:
        found, log_probability = student.viterbi(text, scores)
        given = f"{len(text)} characters, {text[:2]} …; {len(scores)} pieces with the scores {list(scores.values())}"
        equal(sorted(found), sorted(pieces), given=given)
        close(log_probability, score, given=given, atol=0)


@exercise("forward", points=0.5, needs="test_two_ways_add_their_probabilities")
@for_all(drawn=lattices())
def test_any_pieces_have_the_sums_of_all_ways(student: Student, drawn: tuple[str, dict[str, float]]) -> None:
    text, scores = drawn
    close(student.forward(text, scores), [_log_sum(text[:end], scores) for end in range(len(text) + 1)])


@exercise("forward", points=0.5)
def test_every_score_is_summed_as_it_stands(student: Student) -> None:
    scores, both = {" ": -1.0, "A": 0.0, "a": -2.0, " A": -1.5}, math.log(math.exp(-1.0) + math.exp(-1.5))
    close(student.forward(" Aa", scores), [0.0, -1.0, both, both - 2.0], given=f"' Aa' with {scores}")
    close(student.forward("ab", {"a": -900.0, "b": -950.0}), [0.0, -900.0, -1850.0], given="ab with a −900, b −950")
    close(student.forward("a", {"a": -0.00123}), [0.0, -0.00123], given="a with −0.00123", atol=0)
    close(student.forward("a" * 500, {"a": -30.0})[-1], -15_000.0, given="500 times a, with score −30")
    sums = [-3.0 * n for n in range(150)]
    sums += [math.log(math.exp(-3.0 * n) + (n - 149) * math.exp(449 - 3.0 * n)) for n in range(150, 201)]
    given = "200 times a, with a −3 and 150 times a −1"
    close(student.forward("a" * 200, {"a": -3.0, "a" * 150: -1.0}), sums, given=given)
    close(student.forward("e\u0301", {"e": -1.0, "\u0301": -2.0}), [0.0, -1.0, -3.0], given="e −1 and an accent −2")


@exercise("forward")
def test_the_sums_agree_with_the_course_library(student: Student) -> None:
    scores = its_scores()
    model = unigram.Unigram([*unigram.SPECIAL, *scores], [0.0] * 3 + list(scores.values()))
    for word in ("커피", "서울에서", "요리사는", "읽었다"):
        if all(c in scores for c in word):
            close(student.forward("▁" + word, scores)[-1], model.log_likelihood(word), given=word)


@claim("uni-marginal")
@exercise("expected_counts", needs="test_two_ways_share_a_word_by_their_probabilities")
def test_em_never_lowers_the_likelihood(student: Student) -> None:
    words = {"abab": 4, "ba": 3, "aab": 2, "bbb": 1}
    scores = {"a": -1.0, "b": -1.5, "ab": -2.5, "ba": -3.0, "bab": -4.0}
    before = -math.inf
    for step in range(5):
        likelihood = sum(count * _log_sum(word, scores) for word, count in words.items())
        true(likelihood >= before - 1e-9, f"step {step} takes the log-likelihood from {before:.4f} to {likelihood:.4f}")
        before = likelihood
        expected = student.expected_counts(words, scores)
        total = sum(expected.values())
        scores = {piece: math.log(max(count, 1e-12) / total) for piece, count in expected.items()}


@exercise("expected_counts", points=0.5, needs="test_two_ways_share_a_word_by_their_probabilities")
def test_pieces_of_expected_counts_have_as_many_characters_as_the_words(student: Student) -> None:
    words = {"abab": 4, "ba": 3}
    found = student.expected_counts(words, {"a": -1.0, "b": -1.5, "ab": -2.5, "aba": -3.0})
    close(sum(len(piece) * float(count) for piece, count in found.items()), 22.0, given="abab 4 times, ba 3 times")


@exercise("expected_counts", points=0.5)
def test_many_words_with_one_way_each_are_counted_by_letter(student: Student) -> None:
    letters = "ABCDEFGabcdefg"
    words = {letter: place for place, letter in enumerate(letters, 1)} | {letters: 3}
    scores = {letter: -1.0 - place / 10 for place, letter in enumerate(letters)} | {"zz": -1.0}
    found = student.expected_counts(words, scores)
    expected = [*range(4, len(letters) + 4), 0]
    close([float(found[piece]) for piece in scores], expected, given=f"{letters} 3 times, its letters 1 to 14 times")
    found = student.expected_counts({"ae\u0301": 2}, {"a": -1.0, "e": -1.0, "\u0301": -2.0, "e\u0301": -3.0})
    given = "ae with an accent of its own, twice; a and e −1, the accent −2, e and the accent −3"
    close([float(found[piece]) for piece in ("a", "e", "\u0301", "e\u0301")], [2.0, 1.0, 1.0, 1.0], given=given)
    found = student.expected_counts({"a" * 200: 1}, {"a": -10.0})
    close(float(found["a"]), 200.0, given="200 times a, with score −10")


@exercise("expected_counts", points=0.5)
def test_a_score_of_zero_and_a_small_chance_count(student: Student) -> None:
    found = student.expected_counts({"ab": 1}, {"a": 0.0, "b": 0.0, "ab": -8.0})
    small = math.exp(-8.0) / (1 + math.exp(-8.0))
    expected = [1 - small, 1 - small, small]
    close([float(found[piece]) for piece in ("a", "b", "ab")], expected, given="ab with a 0, b 0, ab −8")
    found = student.expected_counts({"ab": 1}, {"a": 0.0, "b": 0.0, "ab": -30.0})
    close(float(found["ab"]), math.exp(-30.0), given="ab with a 0, b 0, ab −30", atol=0)
    found = student.expected_counts({"a" * 200: 2}, {"a": -3.0, "a" * 150: -1.0})
    given = "200 times a, twice, with a −3 and 150 times a −1"
    close([float(found["a"]), float(found["a" * 150])], [100, 2], given=given)


@composite
def _counted(draw: DrawFn) -> tuple[dict[str, int], dict[str, float]]:
    """(words that the pieces can spell, with their counts; the scores of the pieces)."""
    _, scores = draw(lattices())
    words = lists(sampled_from(sorted(scores)), min_size=1, max_size=3).map("".join)
    return draw(dictionaries(words, sampled_from([1, 2, 7, 1_000_000_000]), min_size=1, max_size=4)), scores


@exercise("expected_counts", points=0.5, needs="test_two_ways_share_a_word_by_their_probabilities")
@for_all(drawn=_counted())
def test_any_words_and_pieces_agree_with_all_ways(
    student: Student, drawn: tuple[dict[str, int], dict[str, float]]
) -> None:
    words, scores = drawn
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        total = _log_sum(word, scores)
        for pieces, value in _ways(word, scores):
            for piece in pieces:
                expected[piece] += count * math.exp(value - total)
    found = student.expected_counts(words, scores)
    equal(sorted(found), sorted(expected))
    close([float(found[piece]) for piece in expected], list(expected.values()))


@exercise("m_step")
def test_the_probabilities_sum_to_one(student: Student) -> None:
    pieces = ("a", "b", "c", "ab", "bc", "ca", "abc", "A", "B", "Ab", "aB", "AB", "BC", "aBc")
    expected = {piece: (place * 7 % 13) / 4 for place, piece in enumerate(pieces)}
    found = student.m_step(expected)
    close(sum(math.exp(score) for score in found.values()), 1.0, given=expected)
    equal(sorted(found), sorted(p for p, count in expected.items() if count >= 0.5 or len(p) == 1), given=expected)


@exercise("m_step", points=0.5)
def test_a_piece_expected_just_often_enough_stays(student: Student) -> None:
    found = student.m_step({"a": 1.0, "ab": 0.5, "ba": 0.499})
    equal(sorted(found), ["a", "ab"], given="a 1, ab 0.5, ba 0.499")
    found = student.m_step({"눈": 0.0, "e": 1.0, "\u0301": 1.0, "e\u0301": 0.1, "▁": 0.0, "▁e": 0.1})
    equal(
        sorted(found), sorted(["눈", "e", "\u0301", "▁"]), given="눈 and ▁ 0, e and an accent 1, both pairs with e 0.1"
    )
    equal(
        sorted(student.m_step({"a": 1.0, "e\u0301": 1.0})),
        ["a", "e\u0301"],
        given="a and e with an accent of its own, each 1",
    )
    equal(sorted(student.m_step({"a": 1.0, "ab": 0.2}, 0.0)), ["a", "ab"], given="a 1, ab 0.2; at least 0")


SOME = [
    "a",
    "A",
    "눈",
    "▁",
    "🙂",
    "\u0301",
    "\u200d",
    " ",
    "#",
    "ab",
    "▁a",
    "▁▁",
    "e\u0301",
    "눈눈",
    "🙂\u200d",
    "🙂🙂",
    "##",
    "a" * 30,
]
EXPECTED = [0.0, 1e-9, 0.1, 0.25, 0.499, 0.5, 0.501, 1.0, 1.5, 2.0, 3, 1e9, 1e12]


@exercise("m_step", points=0.5, needs="test_scores_are_the_logs_of_shares")
@for_all(
    e=sampled_from(EXPECTED),
    others=dictionaries(sampled_from(SOME), sampled_from(EXPECTED), max_size=12),
    least=sampled_from([0.5, 0.25, 1.0, 2.0]),
)
def test_any_counts_give_the_logs_of_their_shares(
    student: Student, e: float, others: dict[str, float], least: float
) -> None:
    expected = {"e": e, **others}
    kept = {piece: max(count, least) for piece, count in expected.items() if count >= least or len(piece) == 1}
    found = student.m_step(expected, least)
    equal(sorted(found), sorted(kept))
    logs = [math.log(count) - math.log(math.fsum(kept.values())) for count in kept.values()]
    close([float(found[piece]) for piece in kept], logs)


@composite
def _to_be_pruned(draw: DrawFn) -> tuple[dict[str, float], dict[str, float]]:
    """(expected counts, scores) of some characters, none of them missing, and pieces of them; each in an order of its own."""
    letters = draw(sampled_from(["ab", "aA", "▁ab", "e\u0301é", "눈🙂", "#▁1"]))
    longer = draw(lists(strings(sampled_from(letters), min_size=2, max_size=4), max_size=6))
    pieces = draw(permutations([*{*letters, *longer}]))
    return {piece: draw(integers(0, 24)) / 8 for piece in pieces}, {
        piece: draw(integers(-40, 0)) / 8 for piece in sorted(pieces)
    }


@exercise("pruning_losses", points=0.5)
@for_all(drawn=_to_be_pruned())
def test_any_losses_are_those_of_the_best_other_way(
    student: Student, drawn: tuple[dict[str, float], dict[str, float]]
) -> None:
    expected, scores = drawn
    losses = {
        piece: count * (scores[piece] - max(score for way, score in _ways(piece, scores) if way != [piece]))
        for piece, count in expected.items()
        if len(piece) > 1
    }
    found = student.pruning_losses(expected, scores)
    equal(sorted(found), sorted(losses))
    close([float(found[piece]) for piece in losses], list(losses.values()))


@exercise("pruning_losses", points=0.5)
def test_losses_agree_with_the_best_of_all_other_ways(student: Student) -> None:
    letters = (
        "a",
        "b",
        "ab",
        "ba",
        "aba",
        "bb",
        "abab",
        "A",
        "B",
        "AB",
        "Ba",
        "aB",
        "BB",
        "눈",
        "▁눈",
        "🙂",
        "🙂🙂",
        "11",
        "1",
    )
    pieces = (*letters, "▁", "▁a", "▁ab", "a▁", "b▁", "▁▁", "a▁b", "#", "##", "##a", "e", "\u0301", "e\u0301")
    scores = {piece: -1 - (place * 7 % 41) / 8 for place, piece in enumerate(pieces)}
    expected = {piece: (place * 11 % 23) / 4 for place, piece in enumerate(pieces)}
    found = student.pruning_losses(dict(expected), dict(reversed(scores.items())))
    for piece in [piece for piece in scores if len(piece) > 1]:
        best = max(score for way, score in _ways(piece, scores) if way != [piece])
        close(found.get(piece, math.nan), expected[piece] * (scores[piece] - best), given=piece)
    scores = {"눈": -1.0, "a": -1.0, "눈a": -1.5, "a" * 10: -4.0}
    found = student.pruning_losses({"눈": 1.0, "a": 1.0, "눈a": 0.0, "a" * 10: 2.0}, scores)
    equal(sorted(found), ["a" * 10, "눈a"], given="눈, a, 눈a and ten times a; the pieces of the answer")
    close(
        [found["a" * 10], found["눈a"]],
        [12.0, 0.0],
        given="눈 and a −1, 눈a −1.5, ten times a −4, expected 0 and 2 times",
    )
    scores = {"a": -1.0, "a" * 100: -4.0, "aa": -3.0}
    found = student.pruning_losses({"a": 1.0, "a" * 100: 0.25, "aa": 8.0}, scores)
    given = "a −1, 100 times a −4, aa −3, expected 1, ¼ and 8 times"
    close([found.get("a" * 100, 0.0), found.get("aa", 0.0)], [24.0, -8.0], given=given)


DRAWS, FAR = 200, 0.3  # by Hoeffding's inequality a share is off by so much once in 10¹⁵ times


@exercise("sample", points=0.5, needs="test_every_draw_joins_to_the_text")
@for_all(
    examples=20,
    drawn=lattices().filter(lambda drawn: bool(_ways(*drawn))),
    alpha=sampled_from([1.0, 0.0, 0.25, 3.0]),
    seed=integers(0, 5),
)
def test_any_text_is_cut_in_its_ways_and_about_as_often_as_they_are_probable(
    student: Student, drawn: tuple[str, dict[str, float]], alpha: float, seed: int
) -> None:
    chances = {tuple(pieces): math.exp(alpha * score) for pieces, score in _ways(*drawn)}
    found = [tuple(pieces) for pieces in student.sample(*drawn, alpha, DRAWS, seed)]
    equal(len(found), DRAWS)
    for way in set(found) | set(chances):
        true(way in chances, f"{list(way)} was drawn, which is no way to cut the text")
        share, expected = found.count(way) / DRAWS, chances[way] / sum(chances.values())
        detail = f"{list(way)} was drawn with frequency {share:.2f}, its probability is {expected:.2f}"
        true(abs(share - expected) < FAR, detail)


@exercise("sample", points=0.5, needs="test_every_draw_joins_to_the_text")
def test_each_of_many_ways_is_drawn_as_often_as_it_is_probable(student: Student) -> None:
    """Also the least of them, and with scores that lie far apart."""
    long = dict.fromkeys("abcdefghijklmnopqrst", -50.0) | {"ab": -100.0, "jk": -100.0, "st": -100.0, "z": -1.0}
    cases: list[tuple[str, dict[str, float], float, int]] = [
        ("a" * 6, {"a": -1.0, "aa": -7.0, "aaa": -2.0}, 0, 3000),
        ("ab", {"a": -50.0, "b": -50.0, "ab": -1.0}, 0, 1000),
        ("ab", {"a": -50.0, "b": -50.0, "ab": -1.0}, 0.01, 1000),
        ("▁abc", {"▁a": -1.0, "bc": -2.0, "▁ab": -1.5, "c": -1.0, "▁": -9.0}, 1, 1000),
        ("abcdefghijklmnopqrst", long, 1, 400),
    ]
    for text, scores, alpha, count in cases:
        ways = [(" ".join(pieces), alpha * score) for pieces, score in _ways(text, scores)]
        best = max(score for _, score in ways)  # taken off before exp, which a long text's scores would make 0
        chances = {way: math.exp(score - best) for way, score in ways}
        drawn = Counter(" ".join(pieces) for pieces in student.sample(text, scores, alpha, count, 21))
        given = f"{text} with {scores}, alpha {alpha}, {count} draws"
        true(set(drawn) <= set(chances), "what was drawn is no way to cut the text", given=given, actual=sorted(drawn))
        for way, chance in chances.items():
            share, expected = drawn[way] / count, chance / sum(chances.values())
            allowed = 5 * math.sqrt(expected * (1 - expected) / count)
            detail = f"“{way}” was drawn with frequency {share:.3f}, its probability is {expected:.3f}"
            true(abs(share - expected) <= allowed, detail, given=given)


@exercise("sample", points=0.5, needs="test_the_same_seed_draws_the_same_and_another_others")
def test_every_seed_has_draws_of_its_own(student: Student) -> None:
    scores, seeds = {"a": -1.0, "aa": -2.0}, [0, 1, 2, 3, 10, 11, 12, 100, 1000, 2**31]
    drawn = [[student.sample("a" * 8, scores, 0.7, 30, seed) for seed in seeds] for _ in "12"]
    first, again = ([[" ".join(pieces) for pieces in of_one] for of_one in turn] for turn in drawn)
    given = f"eight times a, a −1, aa −2, alpha 0.7, 30 draws, the seeds {seeds}"
    true(first == again, "a seed draws other ways the second time", given=given)
    true(len(set(map(tuple, first))) == len(seeds), "two seeds draw the same", given=given)
    true(first[0][1:] != first[1][:-1], "the draws of seed 1 are those of seed 0, from its second one on", given=given)


@exercise("sample", points=0.5)
def test_a_text_with_one_way_is_cut_so_every_time(student: Student) -> None:
    scores = {"a": -1.0, "aa": -2.0}
    equal([list(p) for p in student.sample("a", scores, 0.5, 3, 0)], [["a"]] * 3, given="a, three draws")
    equal([list(p) for p in student.sample("", scores, 0.5, 2, 0)], [[], []], given="the empty text, two draws")
    equal(list(student.sample("aa", scores, 0.5, 0, 0)), [], given="aa, no draws")
    found = [list(p) for p in student.sample("e\u0301", {"e\u0301": -1.0}, 1.0, 2, 0)]
    equal(found, [["e\u0301"]] * 2, given="e with an accent of its own, one piece; two draws")
    text = " AbcdefghijkL"
    found = [list(pieces) for pieces in student.sample(text, dict.fromkeys(text, -900.0), 1.0, 12, 0)]
    equal(found, [[*text]] * 12, given=f"{text!r}, each character −900; twelve draws")
    found = [list(pieces) for pieces in student.sample("ab", {"a": 0.0, "b": 0.0, "ab": -90.0}, 1.0, 5, 0)]
    equal(found, [["a", "b"]] * 5, given="ab with a 0, b 0, ab −90; five draws")


@exercise("sample", points=0.5)
def test_draws_are_independent_of_each_other(student: Student) -> None:
    drawn = [" ".join(p) for p in student.sample("ab", {"a": -1.0, "b": -1.0, "ab": -2.0}, 1.0, 2000, 9)]
    same = sum(one == next_one for one, next_one in itertools.pairwise(drawn)) / (len(drawn) - 1)
    true(
        0.44 < same < 0.56,
        f"a draw repeats the one before it with frequency {same:.2f}, not ½",
        given="ab, two ways alike",
    )


@metric("nats_en")
def nats_en(artifacts: Artifacts) -> float:
    return _nats(artifacts, "en")


@metric("nats_ko")
def nats_ko(artifacts: Artifacts) -> float:
    return _nats(artifacts, "ko")


@metric("tokens_per_word_en")
def tokens_per_word_en(artifacts: Artifacts) -> float:
    return _tokens(artifacts, "en")


@metric("tokens_per_word_ko")
def tokens_per_word_ko(artifacts: Artifacts) -> float:
    return _tokens(artifacts, "ko")


def _model(artifacts: Artifacts, language: str) -> tuple[unigram.Unigram, Counter[str]]:
    """The recorded model, its probabilities made to sum to one, and words of another text with its characters."""
    pieces, scores = artifacts.strings(f"pieces_{language}"), artifacts.tensor(f"scores_{language}", ndim=1)
    if not pieces or len(pieces) != len(scores) or set(pieces) & {*unigram.SPECIAL, ""}:
        raise BadArtifact(f"{len(scores)} scores for {len(pieces)} pieces: give one for each, and no special pieces")
    normalised = torch.log_softmax(scores.double(), dim=0).tolist()
    model = unigram.Unigram([*unigram.SPECIAL, *pieces], [0.0] * len(unigram.SPECIAL) + normalised)
    text = World(language, artifacts.seed + OTHER).documents(MEASURED)  # type: ignore[arg-type]
    words = Counter(word.surface for document in text for sentence in document.sentences for word in sentence)
    return model, words


def _nats(artifacts: Artifacts, language: str) -> float:
    model, words = _model(artifacts, language)
    characters = sum(len(unigram.mark(word)) * count for word, count in words.items())
    return -sum(model.log_likelihood(word) * count for word, count in words.items()) / characters


def _tokens(artifacts: Artifacts, language: str) -> float:
    model, words = _model(artifacts, language)
    return sum(len(model.tokenize(word)) * count for word, count in words.items()) / sum(words.values())
