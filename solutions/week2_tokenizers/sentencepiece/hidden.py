"""SentencePiece: hidden checks and the metrics that the grader computes itself. Never released."""

import io
import itertools
import math
import random
import unicodedata
from collections import Counter
from functools import cache

import sentencepiece
import torch

from etude.lesson.checks import claim, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.tokenizers import unigram
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric

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


@exercise("mark")
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


@claim("sp-lossless")
@exercise("unmark")
def test_any_cut_of_any_marked_text_comes_back(student: Student) -> None:
    chance = random.Random(3)
    for _ in range(30):
        words = ["".join(chance.choices("aB_##눈!", k=chance.randint(1, 4))) for _ in range(chance.randint(1, 14))]
        marked = "".join("▁" + word for word in words)
        places = sorted(chance.sample(range(1, len(marked)), chance.randint(0, len(marked) - 1)))
        pieces = [marked[a:b] for a, b in zip([0, *places], [*places, len(marked)], strict=True)]
        equal(student.unmark(pieces), " ".join(words), given=pieces)


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
        ("abcdefghijkl", dict.fromkeys("abcdefghijkl", -1.0), [*"abcdefghijkl"], -12.0),
    ):
        found, log_probability = student.viterbi(text, scores)
        equal(list(found), pieces, given=f"{text!r} with {scores}")
        close(log_probability, score, given=f"{text!r} with {scores}")


@exercise("forward", points=0.5)
def test_every_score_is_summed_as_it_stands(student: Student) -> None:
    scores, both = {" ": -1.0, "A": 0.0, "a": -2.0, " A": -1.5}, math.log(math.exp(-1.0) + math.exp(-1.5))
    close(student.forward(" Aa", scores), [0.0, -1.0, both, both - 2.0], given=f"' Aa' with {scores}")
    close(student.forward("ab", {"a": -900.0, "b": -950.0}), [0.0, -900.0, -1850.0], given="ab with a −900, b −950")
    close(student.forward("e\u0301", {"e": -1.0, "\u0301": -2.0}), [0.0, -1.0, -3.0], given="e −1 and an accent −2")


@exercise("forward")
def test_the_sums_agree_with_the_course_library(student: Student) -> None:
    scores = its_scores()
    model = unigram.Unigram([*unigram.SPECIAL, *scores], [0.0] * 3 + list(scores.values()))
    for word in ("커피", "서울에서", "요리사는", "읽었다"):
        if all(c in scores for c in word):
            close(student.forward("▁" + word, scores)[-1], model.log_likelihood(word), given=word)


@claim("uni-marginal")
@exercise("expected_counts")
def test_em_never_lowers_the_likelihood(student: Student) -> None:
    words = {"abab": 4, "ba": 3, "aab": 2, "bbb": 1}
    scores = {"a": -1.0, "b": -1.5, "ab": -2.5, "ba": -3.0, "bab": -4.0}
    before = -math.inf
    for step in range(5):
        likelihood = sum(count * float(student.forward(word, scores)[-1]) for word, count in words.items())
        true(likelihood >= before - 1e-9, f"step {step} takes the log-likelihood from {before:.4f} to {likelihood:.4f}")
        before = likelihood
        expected = student.expected_counts(words, scores)
        total = sum(expected.values())
        scores = {piece: math.log(max(count, 1e-12) / total) for piece, count in expected.items()}


@exercise("expected_counts", points=0.5)
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
    found = student.expected_counts({"a" * 200: 1}, {"a": -10.0})
    close(float(found["a"]), 200.0, given="200 times a, with score −10")


@exercise("expected_counts", points=0.5)
def test_a_score_of_zero_and_a_small_chance_count(student: Student) -> None:
    found = student.expected_counts({"ab": 1}, {"a": 0.0, "b": 0.0, "ab": -8.0})
    small = math.exp(-8.0) / (1 + math.exp(-8.0))
    expected = [1 - small, 1 - small, small]
    close([float(found[piece]) for piece in ("a", "b", "ab")], expected, given="ab with a 0, b 0, ab −8")


@exercise("m_step")
def test_the_probabilities_sum_to_one(student: Student) -> None:
    chance = random.Random(2)
    pieces = ("a", "b", "c", "ab", "bc", "ca", "abc", "A", "B", "Ab", "aB", "AB", "BC", "aBc")
    expected = {piece: chance.random() * 3 for piece in pieces}
    found = student.m_step(expected)
    close(sum(math.exp(score) for score in found.values()), 1.0, given=expected)
    equal(sorted(found), sorted(p for p, count in expected.items() if count >= 0.5 or len(p) == 1), given=expected)


@exercise("m_step", points=0.5)
def test_a_piece_expected_just_often_enough_stays(student: Student) -> None:
    found = student.m_step({"a": 1.0, "ab": 0.5, "ba": 0.499})
    equal(sorted(found), ["a", "ab"], given="a 1, ab 0.5, ba 0.499")
    found = student.m_step({"눈": 0.0, "e": 1.0, "\u0301": 1.0, "e\u0301": 0.1, "▁": 1.0, "▁e": 0.1})
    equal(sorted(found), sorted(["눈", "e", "\u0301", "▁"]), given="눈 0, e, an accent and ▁ 1, both pairs with e 0.1")
    equal(sorted(student.m_step({"a": 1.0, "ab": 0.2}, 0.0)), ["a", "ab"], given="a 1, ab 0.2; at least 0")


@exercise("pruning_losses")
def test_losses_agree_with_the_best_of_all_other_ways(student: Student) -> None:
    chance = random.Random(8)
    letters = ("a", "b", "ab", "ba", "aba", "bb", "abab", "A", "B", "AB", "Ba", "aB", "BB", "눈", "▁눈", "🙂", "🙂🙂", "11", "1")
    pieces = (*letters, "▁", "▁a", "▁ab", "a▁", "b▁", "▁▁", "a▁b", "#", "##", "##a", "e", "\u0301", "e\u0301")
    scores = {piece: -chance.uniform(1, 6) for piece in pieces}
    expected = {piece: chance.uniform(0, 5) for piece in scores}

    def best(text: str, others: dict[str, float]) -> float:
        ends = range(1, len(text) + 1)
        found = [others[text[:end]] + best(text[end:], others) for end in ends if text[:end] in others]
        return max(found) if text else 0.0

    found = student.pruning_losses(dict(expected), dict(scores))
    for piece in [piece for piece in scores if len(piece) > 1]:
        others = {other: score for other, score in scores.items() if other != piece}
        close(found.get(piece, math.nan), expected[piece] * (scores[piece] - best(piece, others)), given=piece)
    scores = {"눈": -1.0, "a": -1.0, "눈a": -1.5, "a" * 10: -4.0}
    found = student.pruning_losses({"눈": 1.0, "a": 1.0, "눈a": 0.0, "a" * 10: 2.0}, scores)
    equal(sorted(found), ["a" * 10, "눈a"], given="눈, a, 눈a and ten times a; the pieces of the answer")
    close([found["a" * 10], found["눈a"]], [12.0, 0.0], given="눈 and a −1, 눈a −1.5, ten times a −4, expected 0 and 2 times")


@exercise("sample", points=0.5)
def test_one_character_has_one_way_and_no_text_none(student: Student) -> None:
    scores = {"a": -1.0, "aa": -2.0}
    equal([list(p) for p in student.sample("a", scores, 0.5, 3, 0)], [["a"]] * 3, given="a, three draws")
    equal([list(p) for p in student.sample("", scores, 0.5, 2, 0)], [[], []], given="the empty text, two draws")


@exercise("sample", points=0.5)
def test_a_text_with_one_way_is_cut_so_every_time(student: Student) -> None:
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
