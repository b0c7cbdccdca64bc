"""WordPiece cuts as the reference library does, and merges what a recount of every pair would merge."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mirror import mirror
from tokenizers import BertWordPieceTokenizer

from etude.corpora import datasets
from etude.tokenizers import wordpiece
from etude.tokenizers.wordpiece import LONGEST_WORD, MARK, SPECIAL, UNKNOWN, WordPiece, normalize, split, train

needs_corpora = pytest.mark.skipif(mirror() is None, reason="no mirror: set ETUDE_MIRROR to a folder of corpora")

# A small vocabulary over letters in which words can be cut in several ways, be cut in part, and not be cut.
SMALL = [*SPECIAL, *"abc눈", *(MARK + c for c in "ab눈"), "ab", "##ba", "##bab", "abab", "눈눈", "!", "$"]

# Characters that Python and the library, which were made for different versions of Unicode, take for the same.
OLD = unicodedata.ucd_3_2_0
characters = st.characters(codec="utf-8", exclude_categories=("Cn", "Co"), max_codepoint=0xFFFF)
unassigned = st.characters(min_codepoint=0x40000, max_codepoint=0xDFFFF) | st.sampled_from("\u0378\ufdd0\uffff🫨")
known = st.text(
    unassigned
    | characters.filter(lambda c: OLD.category(c) == unicodedata.category(c))
    | st.sampled_from("abc 눈배킹é\u0301Σ一!$\t\n")
)


def theirs(vocabulary: list[str], lower: bool) -> BertWordPieceTokenizer:
    index = {piece: i for i, piece in enumerate(vocabulary)}
    return BertWordPieceTokenizer(index, lowercase=lower, strip_accents=lower)


@given(st.text("abc눈!$ ", max_size=20))
def test_any_text_of_a_small_alphabet_is_cut_as_by_the_library(text: str) -> None:
    assert (
        WordPiece(SMALL).tokenize(unicodedata.normalize("NFC", text))
        == theirs(SMALL, True).encode(text, add_special_tokens=False).tokens
    )


@pytest.mark.parametrize("lower", [True, False])
@given(text=known)
def test_words_are_those_of_the_library(lower: bool, text: str) -> None:
    tokenizer = theirs(SMALL, lower)
    words = [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))]
    assert wordpiece.split(wordpiece.normalize(text, lower=lower)) == words


@needs_corpora
@pytest.mark.parametrize(("name", "lower"), [("bert_vocab/vocab.txt", True), ("koelectra_vocab/vocab.txt", False)])
@pytest.mark.parametrize(
    "text",
    [
        "Pretraining isn't the unaffable café's best, $5.00 (or so)!",
        "눈이 내리고 배가 아프다. 킹받네, 하루 커피 최소 3잔은 마셔야 살 수 있다",
        unicodedata.normalize("NFD", "한국어 자모"),
        "東京 and 北京; naïve Σίσυφος",
        "def f(x): return x**2  # 🙂👍🏽",
        "",
        "a" * 101 + " b",
    ],
)
def test_ids_of_published_vocabularies_are_the_librarys(
    name: str, lower: bool, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ETUDE_MIRROR", str(mirror()))
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path)
    vocabulary = datasets.lines(name)
    assert WordPiece(vocabulary, lower).encode(text) == theirs(vocabulary, lower).encode(text).ids


def test_a_character_that_is_newer_than_pythons_tables_is_unknown_and_does_not_vanish() -> None:
    tokenizer = WordPiece(SMALL)
    for character in "🫨\u0378\U000e0fff":
        assert tokenizer.tokenize(f"ab {character} b") == ["ab", UNKNOWN, "b"]
        assert tokenizer.tokenize(f"a{character}b") == [UNKNOWN]
        assert theirs(SMALL, True).encode(f"a{character}b", add_special_tokens=False).tokens == [UNKNOWN]


def test_two_texts_stand_between_special_tokens() -> None:
    ours = WordPiece(SMALL)
    assert ours.encode("ab", "b") == theirs(SMALL, True).encode("ab", "b").ids


def test_one_unknown_character_makes_the_word_unknown_and_no_other() -> None:
    assert WordPiece(SMALL).tokenize("abba abca ab") == ["ab", "##ba", UNKNOWN, "ab"]


def test_decoding_joins_pieces_and_leaves_special_tokens_out() -> None:
    ours = WordPiece(SMALL)
    assert ours.decode(ours.encode("abba, x ab!")) == "abba [UNK] [UNK] ab !"


def test_a_vocabulary_that_cannot_serve_is_refused() -> None:
    with pytest.raises(ValueError, match=r"lacks \[UNK\]"):
        WordPiece(["a", "b"])
    with pytest.raises(ValueError, match="'a' stands in the vocabulary more than once"):
        WordPiece([*SPECIAL, "a", "b", "a"])
    without_ends = WordPiece([UNKNOWN, "a"])
    with pytest.raises(ValueError, match=r"'\[CLS\]' is not in the vocabulary"):
        without_ends.encode("a")
    with pytest.raises(ValueError, match=r"'\[CLS\]' is not in the vocabulary"):
        list(without_ends.encode_iterable(["a"]))


@pytest.mark.parametrize("wrong", [b"ab", 5, ["a", "b"], [None]])
def test_what_is_no_string_is_neither_cleaned_nor_split_nor_cut(wrong: Any) -> None:
    ours = WordPiece(SMALL)
    for work in (normalize, split, ours.pieces_of, ours.tokenize, ours.encode, lambda text: ours.encode("ab", text)):
        with pytest.raises(ValueError, match=f"the (text|word) {re.escape(repr(wrong))} is no string"):
            work(wrong)


# Training.


def slow(words: Counter[str], size: int, min_count: int) -> list[str]:
    """By the definition: every pair recounted before each merge."""
    spelled = {word: [c if i == 0 else MARK + c for i, c in enumerate(word)] for word in words}
    vocabulary = [*SPECIAL, *sorted({piece for pieces in spelled.values() for piece in pieces})]
    while len(vocabulary) < size:
        singles, pairs = Counter[str](), Counter[tuple[str, str]]()
        for word, pieces in spelled.items():
            for piece in pieces:
                singles[piece] += words[word]
            for pair in pairwise(pieces):
                pairs[pair] += words[word]
        score = {pair: n / (singles[pair[0]] * singles[pair[1]]) for pair, n in pairs.items() if n >= min_count}
        if not score:
            break
        pair = min(score, key=lambda pair: (-score[pair], pair))
        merged = pair[0] + pair[1].removeprefix(MARK)
        for word, pieces in spelled.items():
            joined: list[str] = []
            for piece in pieces:
                if joined and (joined[-1], piece) == pair:
                    joined[-1] = merged
                else:
                    joined.append(piece)
            spelled[word] = joined
        if merged not in vocabulary:
            vocabulary.append(merged)
    return vocabulary


words = st.dictionaries(st.text("abc눈", min_size=1, max_size=8), st.integers(1, 20), min_size=1, max_size=12)


@given(words, st.integers(0, 15), st.integers(1, 3))
def test_training_merges_what_a_recount_would_merge(words: dict[str, int], merges: int, min_count: int) -> None:
    size = len(SPECIAL) + 8 + merges
    assert train(Counter(words), size, min_count=min_count) == slow(Counter(words), size, min_count)


def test_the_pair_that_is_surprising_comes_before_the_pair_that_is_frequent() -> None:
    counts = Counter({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    letters = len(SPECIAL) + len({"b", "h", "p", "##g", "##n", "##s", "##u"})
    # 5 / (20 · 5) = 1/20 for ##g ##s; ##u ##g occurs 20 times, but 20 / (36 · 20) is 1/36.
    assert train(counts, letters + 1)[-1] == "##gs"


def test_the_vocabulary_ends_where_nothing_is_left_to_merge() -> None:
    assert train(Counter({"ab": 3}), 100) == [*SPECIAL, "##b", "a", "ab"]
    assert train(Counter({"ab": 1}), 100) == [*SPECIAL, "##b", "a"]


def test_a_word_that_is_never_cut_teaches_nothing() -> None:
    words = Counter({"abab": 5, "baba": 3, "ab" * (LONGEST_WORD // 2): 2})
    endless = Counter({"눈" * (LONGEST_WORD + 1): 9, "ab" * 200_000: 9})
    assert train(words | endless, 40) == train(words, 40)
    assert WordPiece.train(["ab" * 200_000], 40).vocabulary == list(SPECIAL)
    assert WordPiece.train(["ab" * 200_000, "ab ab"], 40).tokenize("ab " + "ab" * 60) == ["ab", UNKNOWN]


@pytest.mark.parametrize("size", [7, -1, math.nan])
def test_too_small_a_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"8 special tokens and characters do not fit into {size} pieces"):
        train(Counter({"abc": 3}), size)


@pytest.mark.parametrize(
    ("count", "min_count", "says"),
    [
        (-1, 2, "the word 'ab' occurs -1 times: give finite counts of 0 or more"),
        (math.nan, 2, "the word 'ab' occurs nan times"),
        (math.inf, 2, "the word 'ab' occurs inf times"),
        (3, 0, "min_count is 0: a pair must occur at least once"),
        (3, -1, "min_count is -1"),
        (3, math.nan, "min_count is nan"),
    ],
)
def test_counts_that_make_no_sense_are_refused(count: float, min_count: float, says: str) -> None:
    words: Any = {"b": 1, "ab": count}
    with pytest.raises(ValueError, match=says):
        train(words, 100, min_count=min_count)  # type: ignore[arg-type]


def test_every_training_word_is_cut_without_unknowns() -> None:
    counts = Counter({"하루": 3, "커피": 9, "최소": 2, "커피는": 4, "하루는": 2})
    tokenizer = WordPiece(train(counts, 40), lower=False)
    assert all(UNKNOWN not in tokenizer.pieces_of(word) for word in counts)
    assert tokenizer.pieces_of("커피는") == ["커피는"]
