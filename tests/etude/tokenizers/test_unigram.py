"""The unigram tokenizer cuts as SentencePiece does, and its sums over all ways to cut agree with brute force."""

from __future__ import annotations

import io
import math
import pickle
import random
import re
import tracemalloc
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror import mirror

from etude.corpora import datasets
from etude.tokenizers import bpe
from etude.tokenizers.lattices import LONGEST_WORD, Candidates, Lattices
from etude.tokenizers.unigram import SPACE, SPECIAL, UNKNOWN, Unigram, count_words, mark, train, unmark
from etude.tokenizers.unigram_cuts import UNKNOWN_PENALTY
from etude.world import World

needs_corpora = pytest.mark.skipif(mirror() is None, reason="no mirror: set ETUDE_MIRROR to a folder of corpora")


def ours(library: sentencepiece.SentencePieceProcessor) -> Unigram:
    """The same pieces and scores."""
    ids = range(library.get_piece_size())
    return Unigram([library.id_to_piece(i) for i in ids], [library.get_score(i) for i in ids])


def learnt(language: Literal["en", "ko"]) -> sentencepiece.SentencePieceProcessor:
    """A model that the library learns from the world."""
    texts = [str(document) for document in World(language, seed=3).documents(20_000)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=model, vocab_size=500, model_type="unigram", minloglevel=2,
        num_threads=1,
    )  # fmt: skip
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


@pytest.fixture(scope="module")
def libraries() -> dict[str, sentencepiece.SentencePieceProcessor]:
    return {language: learnt(language) for language in ("en", "ko")}


# Characters that Python's NFKC and the library's rules, made for another version of Unicode, take for the same.
REFERENCE = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc")
plain = st.characters(codec="utf-8", exclude_categories=("Cc", "Cn", "Co", "Cf", "Mn"), exclude_characters="～\ufffd")
# Combining marks that follow each other are sorted by Python alone, as `mark` says: so none may follow another.
plain = plain.filter(lambda c: not unicodedata.combining(unicodedata.normalize("NFKD", c)[0]))
mixed = st.text(plain | st.sampled_from("theandig eosu 는은이가을를다서울커피 \t\n▁🙂한국"), max_size=40)


# From text to words and back.


@given(mixed)
def test_text_is_marked_as_by_the_library(text: str) -> None:
    assert mark(text) == REFERENCE.normalize(text)


def test_the_documented_characters_alone_are_marked_otherwise_than_by_the_library() -> None:
    assigned = (chr(code) for code in range(0x10000) if unicodedata.category(chr(code)) not in ("Cn", "Cs"))
    library = {c: REFERENCE.normalize(f"a{c}b") for c in assigned}
    other = {c: marked for c, marked in library.items() if marked != mark(f"a{c}b")}
    dropped, blanks = ([c for c in other if other[c] == marked] for marked in ("▁ab", "▁a▁b"))
    assert {unicodedata.category(c) for c in dropped} == {"Cc"}
    assert len(dropped) == 30
    assert blanks == list("\u061c\u200b\u200c\u200e\u200f\ufeff\ufffd")
    assert sorted(other.keys() - {*dropped, *blanks}) == ["\x85", "\u0344", "～"]
    assert REFERENCE.normalize("e\u0301\u0323") != mark("e\u0301\u0323") == mark("e\u0323\u0301")


@given(st.text(max_size=40))
def test_marks_come_off_again(text: str) -> None:
    marked = mark(text)
    assert mark(unmark([marked])) == marked
    assert unmark(marked) == " ".join(marked.split(SPACE)[1:])


@pytest.mark.parametrize(
    ("text", "marked"),
    [("눈  배 ", "▁눈▁배"), ("", ""), ("  \t", ""), ("a▁b", "▁a▁b"), ("ﬁ①", "▁fi1"), ("킹받네\n", "▁킹받네")],
)
def test_every_run_of_white_space_is_one_mark(text: str, marked: str) -> None:
    assert mark(text) == marked


# The model.


@pytest.mark.parametrize("alpha", [-0.1, math.nan, math.inf])
def test_a_power_that_is_no_finite_number_of_0_or_more_is_refused(alpha: float) -> None:
    for asked in (small.log_likelihood, lambda text, alpha: small.sample(text, alpha, random.Random(0))):
        with pytest.raises(ValueError, match=f"alpha is {alpha}"):
            asked("눈", alpha)


@pytest.mark.parametrize("n", [0, -1, math.nan])
def test_fewer_ways_than_one_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match=f"the {n} most probable ways cannot be found: ask for 1 or more"):
        small.nbest("눈", n)


@pytest.mark.parametrize("wrong", [None, b"ab", 5, ["ab"]])
def test_what_is_no_string_is_neither_marked_nor_cut_nor_joined(wrong: Any) -> None:
    says = f"{re.escape(repr(wrong))} is no string: (give|decode)"
    over_blanks = Unigram([*SPECIAL, SPACE, "a▁b"], [0.0, 0.0, 0.0, -1.0, -2.0])
    for work in (
        mark,
        small.encode,
        small.tokenize,
        over_blanks.encode,
        lambda text: small.nbest(text, 2),
        lambda text: small.sample(text, 1.0, random.Random(0)),
        small.log_likelihood,
        lambda text: count_words(["ab", text]),
        lambda chunk: over_blanks.encode_iterable(["ab", chunk]),
        lambda piece: unmark(["ab", piece]),
    ):
        with pytest.raises(ValueError, match=f"the (text|chunk|piece) {says}"):
            work(wrong)
    with pytest.raises(ValueError, match="None is no list of pieces"):
        unmark(None)  # type: ignore[arg-type]


@given(text=mixed)
@settings(max_examples=300)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_any_text_is_cut_as_by_the_library(
    language: str, text: str, libraries: dict[str, sentencepiece.SentencePieceProcessor]
) -> None:
    library = libraries[language]
    assert ours(library).tokenize(text) == library.encode(text, out_type=str)
    assert ours(library).encode(text) == library.encode(text)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_worlds_text_is_cut_as_by_the_library(
    language: str, libraries: dict[str, sentencepiece.SentencePieceProcessor]
) -> None:
    model = ours(libraries[language])
    texts = [str(document) for document in World(language, seed=8).documents(3_000)]  # type: ignore[arg-type]
    assert [model.encode(text) for text in texts] == libraries[language].encode(texts)


@pytest.mark.parametrize(
    "text", ["킹받네", "눈이 온다 🙂👍🏽 배가 온다", "안녕!! ☃☃ world", "𝕏 ㅋㅋㅋ", "", " ", "▁", "ab\u3000cd"]
)
def test_what_is_unknown_is_cut_and_decoded_as_by_the_library(
    text: str, libraries: dict[str, sentencepiece.SentencePieceProcessor]
) -> None:
    for library in libraries.values():
        model = ours(library)
        assert model.tokenize(text) == library.encode(text, out_type=str)
        assert model.decode(model.encode(text)) == library.decode(library.encode(text))


@given(text=mixed, n=st.integers(1, 12))
def test_the_n_best_are_the_librarys(
    text: str, n: int, libraries: dict[str, sentencepiece.SentencePieceProcessor]
) -> None:
    library = libraries["ko"]
    if not mark(text):
        return
    model = ours(library)
    found = model.nbest(text, n + 1)
    expected = library.nbest_encode(text, nbest_size=n, out_type=str)
    scores = {piece: model.scores[i] for piece, i in model.index.items()}
    unknown = min(model.scores) - UNKNOWN_PENALTY
    theirs = [sum(scores.get(piece, unknown * len(piece)) for piece in pieces) for pieces in expected]
    np.testing.assert_allclose([score for _, score in found[:n]], theirs, atol=1e-3)
    for place, (pieces, score) in enumerate(found[:n]):
        others = [other for i, (_, other) in enumerate(found) if i != place]
        if all(abs(score - other) > 1e-3 for other in others):  # of equals either may come first
            assert pieces == expected[place]


@needs_corpora
def test_botchan_is_cut_as_by_the_published_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ETUDE_MIRROR", str(mirror()))
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path)
    library = sentencepiece.SentencePieceProcessor(model_file=str(datasets.path("sentencepiece/test_model.model")))
    lines = datasets.lines("sentencepiece/botchan.txt")
    model = ours(library)
    assert [model.tokenize(line) for line in lines] == library.encode(lines, out_type=str)


# A small model with two scales of scores, in which short texts can be cut in many ways.
SMALL = {"▁": -2.0, "a": -1.5, "b": -2.5, "눈": -3.0, "ab": -2.2, "ba": -3.1, "▁a": -2.4, "aba": -3.3, "▁ab": -4.0}
small = Unigram([*SPECIAL, *SMALL], [0.0] * len(SPECIAL) + list(SMALL.values()))


def ways(marked: str, scores: dict[str, float] = SMALL) -> Iterator[tuple[list[str], float]]:
    """Every way to cut a text, with its log-probability."""
    if not marked:
        yield [], 0.0
    for end in range(1, len(marked) + 1):
        if marked[:end] in scores:
            for rest, score in ways(marked[end:], scores):
                yield [marked[:end], *rest], scores[marked[:end]] + score


short = st.text("ab눈 ", min_size=1, max_size=9).filter(str.strip)


@given(short)
def test_the_best_way_is_the_best_of_all(text: str) -> None:
    best = max(score for _, score in ways(mark(text)))
    assert sum(SMALL[piece] for piece in small.tokenize(text)) == pytest.approx(best)


@given(short, st.integers(1, 40))
def test_the_n_best_are_those_of_all_ways_in_order(text: str, n: int) -> None:
    found, everything = small.nbest(text, n), list(ways(mark(text)))
    scores = sorted((score for _, score in everything), reverse=True)
    assert [score for _, score in found] == pytest.approx(scores[:n])
    assert len({tuple(pieces) for pieces, _ in found}) == len(found) == min(n, len(everything))
    assert all(sum(SMALL[piece] for piece in pieces) == pytest.approx(score) for pieces, score in found)


@given(short, st.sampled_from([0.0, 0.2, 1.0, 2.0]))
def test_the_likelihood_is_the_sum_over_all_ways(text: str, alpha: float) -> None:
    total = sum(math.exp(alpha * score) for _, score in ways(mark(text)))
    assert small.log_likelihood(text, alpha) == pytest.approx(math.log(total))


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_samples_are_as_frequent_as_they_are_probable(alpha: float) -> None:
    text, draws = "abab", 4000
    everything = {tuple(pieces): math.exp(alpha * score) for pieces, score in ways(mark(text))}
    total = sum(everything.values())
    generator = random.Random(5)
    drawn = Counter(tuple(small.sample(text, alpha, generator)) for _ in range(draws))
    assert set(drawn) <= set(everything)
    for way, weight in everything.items():
        chance = weight / total
        deviation = math.sqrt(draws * chance * (1 - chance))
        assert abs(drawn[way] - draws * chance) < 5 * deviation + 1e-9


def test_the_librarys_samples_are_as_frequent_as_we_say(
    libraries: dict[str, sentencepiece.SentencePieceProcessor],
) -> None:
    library, text, alpha, draws = libraries["en"], "the teacher", 0.3, 4000
    model = ours(library)
    sentencepiece.set_random_generator_seed(1)
    drawn = Counter(
        tuple(library.encode(text, out_type=str, enable_sampling=True, nbest_size=-1, alpha=alpha))
        for _ in range(draws)
    )
    total = model.log_likelihood(text, alpha)
    for pieces, score in model.nbest(text, 20):
        chance = math.exp(alpha * score - total)
        deviation = math.sqrt(draws * chance * (1 - chance))
        assert abs(drawn[tuple(pieces)] - draws * chance) < 5 * deviation


@given(mixed)
def test_pieces_join_to_the_normalised_text(text: str) -> None:
    assert unmark(small.tokenize(text)) == unmark(mark(text))
    assert unmark(small.sample(text, 0.5, random.Random(0))) == unmark(mark(text))


@given(st.text("ab눈 ▁\n", max_size=30))
def test_known_characters_come_back_from_ids(text: str) -> None:
    assert small.decode(small.encode(text)) == unmark(mark(text))


def test_unknown_characters_in_a_row_are_one_piece_and_show_as_a_sign() -> None:
    assert small.tokenize("a☃☃b") == ["▁a", "☃☃", "b"]
    assert small.decode(small.encode("a☃☃b")) == "a ⁇ b"


def test_without_the_mark_among_the_pieces_unknown_words_in_a_row_are_one() -> None:
    bare = Unigram([UNKNOWN, "a", "▁a"], [0, -1, -1])
    assert bare.tokenize("a ☃a☃ ☃ a") == ["▁a", "▁☃", "a", "☃▁☃", "▁a"]


def test_pieces_that_reach_over_a_blank_are_used() -> None:
    assert Unigram([UNKNOWN, "▁a▁b", "▁a", "▁b"], [0, -1, -1, -1]).tokenize("a b a") == ["▁a▁b", "▁a"]


@pytest.mark.parametrize(
    ("pieces", "scores", "message"),
    [
        (["a"], [-1.0], "lack <unk>"),
        ([UNKNOWN, "a", "a"], [0, -1, -1], "'a' stands among the pieces more than once"),
        ([UNKNOWN, "a"], [0.0], "1 scores for 2 pieces"),
        ([UNKNOWN, "a"], [0.0, math.nan], "the score of 'a' is nan: a log-probability must be finite"),
        ([UNKNOWN, "a"], [0.0, math.inf], "the score of 'a' is inf"),
        ([UNKNOWN, "a"], [0.0, -math.inf], "the score of 'a' is -inf"),
        ([UNKNOWN, "a", ""], [0.0, -1.0, -1.0], "the piece 2 is empty"),
    ],
)
def test_pieces_that_cannot_serve_are_refused(pieces: list[str], scores: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Unigram(pieces, scores)


def peak_of(work: Callable[[], object]) -> int:
    """The most bytes that were held at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_long_text_takes_memory_in_proportion_to_its_length() -> None:
    """The pieces of both ways at each position would be more than 100 MB."""
    long = "ab눈" * 1500
    assert peak_of(lambda: small.nbest(long, 2)) < 1500 * len(long)
    assert peak_of(lambda: Unigram(small.pieces, small.scores).tokenize(long)) < 300 * len(long)


def test_the_n_best_of_a_long_text_begin_with_the_best() -> None:
    long = "abba눈a" * 100
    (best, score), (_, second) = small.nbest(long, 2)
    assert sum(SMALL[piece] for piece in best) == pytest.approx(score)
    assert score == pytest.approx(sum(SMALL[piece] for piece in small.tokenize(long)))
    assert score >= second


def test_the_cache_stops_to_grow_and_answers_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bpe, "CACHED", 2)
    model = Unigram(small.pieces, small.scores)
    assert model.tokenize("a b ab ab 눈a") == small.tokenize("a b ab ab 눈a")
    assert len(model._known) == 2
    assert pickle.loads(pickle.dumps(model)).tokenize("a 눈") == model.tokenize("a 눈")


# Training.


def lattices(words: list[str], pieces: list[str]) -> Lattices:
    """By the definition: an edge for every place where a piece fits."""
    edges = [
        (row, end, pieces.index(word[start:end]))
        for row, word in enumerate(words)
        for end in range(1, len(word) + 1)
        for start in range(end)
        if word[start:end] in pieces
    ]
    lengths = [np.array([len(text) for text in texts]) for texts in (words, pieces)]
    return Lattices(*lengths, *(np.array(column) for column in zip(*edges, strict=True)))


counted = st.dictionaries(st.text("ab눈", min_size=1, max_size=7), st.integers(1, 9), min_size=1, max_size=6)


@given(counted, st.lists(st.sampled_from(["ab", "ba", "눈a", "aba", "abab", "b눈", "aa"]), unique=True), st.randoms())
def test_expected_counts_agree_with_brute_force(
    counts: dict[str, int], longer: list[str], chance: random.Random
) -> None:
    words = sorted(counts, key=len, reverse=True)
    scores = {piece: -chance.uniform(0.5, 12) for piece in ["a", "b", "눈", *longer]}
    likelihood, expected, totals = 0.0, defaultdict[str, float](float), []
    for word in words:
        everything = [(pieces, math.exp(score)) for pieces, score in ways(word, scores)]
        total = sum(weight for _, weight in everything)
        totals.append(math.log(total))
        likelihood += counts[word] * math.log(total)
        for pieces, weight in everything:
            for piece in pieces:
                expected[piece] += counts[word] * weight / total
    given_words = lattices(words, list(scores))
    numbers = np.array(list(scores.values()))
    found, found_expected = given_words.expected(numbers, np.array([float(counts[word]) for word in words]))
    assert found == pytest.approx(likelihood)
    assert found_expected.tolist() == pytest.approx([expected[piece] for piece in scores])
    assert given_words.log_totals(numbers).tolist() == pytest.approx(totals)


@given(counted, st.sets(st.sampled_from(["ab", "ba", "눈a", "aba"])))
def test_lattices_without_a_piece_are_those_that_never_had_it(counts: dict[str, int], gone: set[str]) -> None:
    words = sorted(counts, key=len, reverse=True)
    pieces = ["a", "b", "눈", "ab", "ba", "눈a", "aba"]
    left = [piece for piece in pieces if piece not in gone]
    scores = -np.arange(1.0, len(left) + 1)
    less = lattices(words, pieces).without(np.array([piece in gone for piece in pieces]))
    np.testing.assert_allclose(less.log_totals(scores), lattices(words, left).log_totals(scores))


def test_the_longest_word_of_the_least_probable_pieces_stays_within_numbers() -> None:
    deep = lattices(["a" * LONGEST_WORD], ["a", "aa"])
    for score in (-24.0, -0.7):
        likelihood, expected = deep.expected(np.array([score, 2 * score]), np.ones(1))
        assert math.isfinite(likelihood)
        assert expected @ [1, 2] == pytest.approx(LONGEST_WORD)


def test_lattices_refuse_words_that_are_not_sorted_or_too_long() -> None:
    with pytest.raises(ValueError, match="give the longest first"):
        lattices(["a", "aa"], ["a"])
    with pytest.raises(ValueError, match="49 characters, of which 48 fit"):
        lattices(["a" * 49], ["a"])


@given(counted, st.randoms())
def test_em_never_lowers_the_likelihood(counts: dict[str, int], chance: random.Random) -> None:
    words = sorted(counts, key=len, reverse=True)
    pieces = ["a", "b", "눈", "ab", "ba", "aba", "눈눈", "bab"]
    given_words, numbers = lattices(words, pieces), np.array([float(counts[word]) for word in words])
    probability = np.array([chance.uniform(0.1, 1) for _ in pieces])
    before = -math.inf
    for _ in range(6):
        probability /= probability.sum()
        likelihood, probability = given_words.expected(np.log(np.maximum(probability, 1e-12)), numbers)
        assert likelihood > before - 1e-6
        before = likelihood


def replaced(piece: str, words: Counter[str]) -> bool:
    """Whether one character more, on one side, occurs as often."""

    def count(text: str) -> int:
        return sum(n for word, n in words.items() for i in range(len(word)) if word.startswith(text, i))

    letters = set("".join(words))
    return any(count(piece) in (count(piece + c), count(c + piece)) for c in letters)


@given(counted)
def test_candidates_are_the_repeated_substrings_that_no_longer_one_replaces(counts: dict[str, int]) -> None:
    words = Counter(counts)
    substrings = Counter[str]()
    for word, n in words.items():
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                substrings[word[start:end]] += n
    expected = {piece for piece, n in substrings.items() if len(piece) == 1 or (n > 1 and not replaced(piece, words))}
    found = Candidates(words)
    assert sorted(found.pieces) == sorted(expected)
    weights = np.array([substrings[piece] * len(piece) for piece in found.pieces])
    np.testing.assert_allclose(found.scores, np.log(weights / weights.sum()))


@given(counted, st.integers(6, 14))
def test_every_training_word_is_cut_without_unknowns(counts: dict[str, int], size: int) -> None:
    model = train(Counter(counts), size)
    assert len(model.pieces) <= size
    assert set("".join(counts)) <= set(model.pieces)
    assert all(UNKNOWN not in model.tokenize(word) for word in counts)
    assert all(unmark(model.tokenize(word)) == word for word in counts)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_training_explains_unseen_text_as_well_as_the_librarys(
    language: str, libraries: dict[str, sentencepiece.SentencePieceProcessor]
) -> None:
    library = ours(libraries[language])
    model = train(count_words(str(document) for document in World(language, seed=3).documents(20_000)), 500)  # type: ignore[arg-type]
    unseen = [str(document) for document in World(language, seed=9).documents(4_000)]  # type: ignore[arg-type]
    characters = sum(len(mark(text)) for text in unseen)
    mine, theirs = (sum(map(m.log_likelihood, unseen)) / characters for m in (model, library))
    assert len(model.pieces) == len(library.pieces)
    assert mine > theirs - 0.02
    cuts = [sum(len(m.tokenize(text)) for text in unseen) for m in (model, library)]
    assert cuts[0] < 1.05 * cuts[1]


def test_a_frequent_word_becomes_a_piece_and_a_rare_one_is_spelled() -> None:
    model = train(count_words(["하루 커피 하루 커피 하루 커피"] * 20 + ["루하피커"]), 3 + 5 + 3)
    assert model.tokenize("하루 커피") == ["▁하루", "▁커피"]
    assert len(model.tokenize("루하피커")) > 2


def test_a_word_longer_than_a_stretch_is_learnt_from() -> None:
    model = train(Counter({SPACE + "ab" * 60: 5}), 20)
    assert unmark(model.tokenize("ab" * 60)) == "ab" * 60
    assert len(model.tokenize("ab" * 60)) < 30


def test_too_small_a_size_and_no_words_are_refused() -> None:
    with pytest.raises(ValueError, match="3 special pieces and 4 characters do not fit into 6 pieces"):
        train(count_words(["abc"]), 6)
    for nothing in (count_words([" "]), Counter({"": 3})):
        with pytest.raises(ValueError, match="no words to learn from"):
            train(nothing, 10)


@pytest.mark.parametrize("count", [0, -2, math.nan, math.inf])
def test_counts_that_make_no_sense_are_refused(count: float) -> None:
    words: Any = {"▁a": 3, "▁b": count}
    with pytest.raises(ValueError, match=f"the word '▁b' occurs {count} times: give finite counts of 1 or more"):
        train(words, 10)
