"""BPE merges, encodes and decodes as Hugging Face tokenizers does, and its byte-level form loses nothing."""

from __future__ import annotations

import json
import math
import pickle
import random
import re
import tracemalloc
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mirror import mirror
from tokenizers import ByteLevelBPETokenizer, Tokenizer, decoders, models, pre_tokenizers, trainers

from etude.corpora import datasets
from etude.lesson.checks import claim
from etude.tokenizers import bpe, byte_bpe
from etude.tokenizers.bpe import BPE
from etude.tokenizers.bpe_pairs import Pairs
from etude.tokenizers.byte_bpe import ByteBPE
from etude.world import World

needs_corpora = pytest.mark.skipif(mirror() is None, reason="no mirror: set ETUDE_MIRROR to a folder of corpora")

PAPER = Counter(low=5, lower=2, newest=6, widest=3)  # Sennrich et al. 2016, algorithm 1
SUFFIX = "</w>"

patient = settings(deadline=None)  # the library's threads may have to wait for a core

letters = st.text("abc눈", min_size=1, max_size=12)
counted = st.dictionaries(letters, st.integers(1, 4), max_size=12).map(Counter)

# Characters that Python and the library, which were made for different versions of Unicode, take for the same.
OLD = unicodedata.ucd_3_2_0
shared = st.characters(codec="utf-8", exclude_categories=("Cn", "Co"), max_codepoint=0xFFFF).filter(
    lambda c: OLD.category(c) == unicodedata.category(c)
)
texts = st.text(shared | st.sampled_from("ab 's\t\n눈한글\u1112\u1161\u11ab🙂👨\u200d👩é"))
anything = st.text(st.characters(codec="utf-8"))


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ETUDE_MIRROR", str(mirror()))
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path)


GPT2 = tuple[ByteBPE, ByteLevelBPETokenizer]


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> GPT2:
    """GPT-2's vocabulary, ours and theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ETUDE_MIRROR", str(mirror()))
        patch.setattr(datasets, "cache_folder", lambda: tmp_path_factory.mktemp("cache"))
        files = [datasets.path(f"gpt2_vocab/{name}") for name in ("encoder.json", "vocab.bpe")]
        return ByteBPE.from_gpt2_files(*files), ByteLevelBPETokenizer(*map(str, files))


def theirs(
    words: Mapping[str, int], size: int, min_count: int = 1, **options: Any
) -> tuple[list[str], list[tuple[str, str]]]:
    """(vocabulary, merges) that the library learns from words."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=min_count, show_progress=False, **options)
    tokenizer.train_from_iterator([" ".join([word] * count) for word, count in words.items()], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return sorted(model["vocab"], key=model["vocab"].get), [tuple(pair) for pair in model["merges"]]


def learnt(trained: BPE) -> tuple[list[str], list[tuple[str, str]]]:
    return list(trained.vocabulary), list(trained.merges)


# Training.


def test_the_papers_words_give_its_endings_and_stems() -> None:
    joined = ["".join(pair) for pair in bpe.train(PAPER, 100, suffix=SUFFIX).merges]
    assert joined[:3] == ["es", "est</w>", "lo"]
    assert set(joined) >= {"low</w>", "lower</w>", "newest</w>", "widest</w>"}


@claim("bpe-ties")
@patient
@given(words=counted, size=st.integers(4, 40), min_count=st.integers(1, 3))
def test_vocabulary_and_merges_are_those_of_the_library(words: Counter[str], size: int, min_count: int) -> None:
    assert learnt(bpe.train(words, size, min_count=min_count)) == theirs(words, size, min_count)


@patient
@given(words=counted)
def test_with_a_suffix_they_are_too_once_the_ids_of_the_characters_are_agreed(words: Counter[str]) -> None:
    """The library numbers characters with a suffix in an order that changes from run to run; told ours, it agrees."""
    ours = bpe.train(words, 40, suffix=SUFFIX)
    start = [token for token in ours.vocabulary if token not in {a + b for a, b in ours.merges}]
    assert learnt(ours) == theirs(words, 40, special_tokens=start, end_of_word_suffix=SUFFIX)


@patient
@given(words=counted, suffix=st.sampled_from(["", SUFFIX]), min_count=st.integers(1, 3))
def test_counting_anew_before_each_merge_gives_the_same(words: Counter[str], suffix: str, min_count: int) -> None:
    options: dict[str, Any] = {"suffix": suffix, "min_count": min_count, "alphabet": "z", "unknown": "?"}
    assert bpe.train(words, 30, **options) == bpe.train_naive(words, 30, **options)


long_words = st.lists(
    st.tuples(st.sampled_from(["a", "b", "ab", "aab", "눈"]), st.integers(1, 60)) | st.tuples(letters, st.just(1)),
    min_size=1,
    max_size=12,
).map(lambda parts: "".join(text * times for text, times in parts))


@patient
@given(
    words=st.dictionaries(long_words, st.integers(1, 3), min_size=1, max_size=3), suffix=st.sampled_from(["", SUFFIX])
)
@example(words={"a" * 257: 1}, suffix="")
@example(words={"a" * 64 + "b" + "a" * 63: 2, "aaab": 1}, suffix=SUFFIX)
def test_long_words_with_runs_of_a_letter_give_the_same_too(words: dict[str, int], suffix: str) -> None:
    assert bpe.train(words, 40, suffix=suffix) == bpe.train_naive(words, 40, suffix=suffix)


@pytest.mark.parametrize(
    "word", ["a" * 20_000, "".join(random.Random(5).choices("abcdefgh", k=20_000))], ids=["run", "random"]
)
def test_all_merges_of_a_long_word_together_look_at_few_places_for_each_letter(word: str) -> None:
    """To look through the word at each merge would be 20,000 · 400 places."""
    pairs = Pairs([[ord(c) - ord("a") for c in word]], [1], 8)
    looked_at = 0
    for new in range(8, 408):
        if (best := pairs.best(1)) is None:
            break
        looked_at += len(pairs.places[best])
        pairs.merge(best, new)
    assert len(word) / 2 < looked_at < 3 * len(word)


@patient
@given(words=counted, seed=st.integers(0, 9))
def test_the_order_of_the_words_does_not_matter(words: Counter[str], seed: int) -> None:
    other = list(words.items())
    random.Random(seed).shuffle(other)
    assert bpe.train(words, 30) == bpe.train(dict(other), 30)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_worlds_text_gives_the_librarys_merges(language: Literal["en", "ko"]) -> None:
    words = Counter(word for sentence in World(language).corpus(20_000) for word in sentence)
    assert learnt(bpe.train(words, 900)) == theirs(words, 900)


def test_of_pairs_with_one_count_the_smaller_ids_win_and_not_the_first_seen() -> None:
    words = Counter(zy=2, ba=2, ab=2)
    assert bpe.train(words, 5).merges == [("a", "b")]
    assert theirs(words, 5)[1] == [("a", "b")]


def test_three_of_a_kind_are_merged_from_the_left_and_counted_as_two_pairs() -> None:
    assert bpe.merged([7, 7, 7], (7, 7), 9) == [9, 7]
    assert bpe.merged([7, 7, 7, 7], (7, 7), 9) == [9, 9]
    assert bpe.count_pairs([[7, 7, 7]], [10]) == {(7, 7): 20}


def test_a_pair_that_is_too_rare_ends_the_training() -> None:
    assert bpe.train(PAPER, 100, min_count=4).merges[-1] == ("new", "est")
    assert len(bpe.train(PAPER, 100, min_count=99).vocabulary) == 10


@pytest.mark.parametrize(
    ("words", "options", "says"),
    [
        (PAPER, {"size": 9}, "10 characters and marks do not fit into 9"),
        (Counter({"a</w>": 1}), {"size": 99, "suffix": SUFFIX}, "'a</w>' holds the mark '</w>'"),
        (Counter({"a?": 1}), {"size": 99, "unknown": "?"}, "'a\\?' holds the mark"),
        ({"ab": 2, "b": -1}, {"size": 99}, "the word 'b' occurs -1 times: give finite counts of 0 or more"),
        ({"ab": math.nan}, {"size": 99}, "the word 'ab' occurs nan times"),
        (PAPER, {"size": 99, "min_count": 0}, "min_count is 0: a pair must occur at least once"),
        (PAPER, {"size": 99, "min_count": math.nan}, "min_count is nan"),
    ],
)
@pytest.mark.parametrize("train", [bpe.train, bpe.train_naive])
def test_what_cannot_be_trained_is_refused_with_the_reason(
    train: Callable[..., BPE], words: Mapping[str, int], options: dict[str, Any], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        train(words, **options)


def test_no_words_and_empty_words_give_the_alphabet_alone() -> None:
    assert bpe.train(Counter({"": 5, "gone": 0}), 3, alphabet="ba") == BPE(["a", "b"], [])


# Encoding.


@patient
@given(words=counted, word=letters)
def test_words_are_encoded_as_by_the_library(words: Counter[str], word: str) -> None:
    for suffix in ("", SUFFIX):
        ours = bpe.train(words, 30, suffix=suffix, unknown="<unk>")
        assert ours.encode([word]) == _library(ours).encode(word).ids


@patient
@given(words=counted, word=letters)
def test_ranks_decide_as_they_do_when_every_merge_is_applied_in_turn(words: Counter[str], word: str) -> None:
    ours = bpe.train(words, 40, alphabet="abc눈")
    ids = [ours.index[c] for c in word]
    for (a, b), (_, new) in ours.ranks.items():
        ids = bpe.merged(ids, (a, b), new)
    assert ours.encode_word(word) == ids


def test_the_longest_match_is_not_what_decides() -> None:
    ours = BPE(["a", "b", "c", "bc", "ab", "abc"], [("b", "c"), ("a", "b"), ("ab", "c")])
    assert ours.tokens("abc") == ["a", "bc"]


@patient
@given(words=counted, text=st.lists(letters))
def test_a_suffix_brings_the_words_back(words: Counter[str], text: list[str]) -> None:
    ours = bpe.train(words + Counter(text), 60, suffix=SUFFIX)
    assert ours.decode(ours.encode(text)) == " ".join(text)
    assert ours.decode(ours.encode(text)) == _library(ours).decode(ours.encode(text))


def test_a_character_without_an_id_is_unknown_or_an_error() -> None:
    assert bpe.train(PAPER, 30, unknown="<unk>").tokens("lox") == ["lo", "<unk>"]
    with pytest.raises(ValueError, match="'x' in 'lox' is not in the vocabulary"):
        bpe.train(PAPER, 30).encode(["lox"])


def test_a_long_word_is_encoded_in_a_moment() -> None:
    """A quadratic way would take 10¹⁰ steps."""
    ours = bpe.train(Counter({"ab" * 32: 1}), 40)
    assert len(ours.encode_word("ab" * 50_000)) == 100_000 // 64 + 1


def test_a_long_word_is_encoded_in_a_small_multiple_of_its_memory() -> None:
    word = "".join(random.Random(1).choices("abcd", k=100_000))
    ours = bpe.train(Counter({word[:2000]: 1}), 100)
    tracemalloc.start()
    try:
        ids = ours.encode_word(word)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert ours.decode(ids) == word
    assert peak < 140 * len(word)


@patient
@given(
    merges=st.lists(
        st.tuples(*[st.sampled_from(["a", "b", "ab", "ba", "aa", "aba", "abab"])] * 2), unique=True, max_size=8
    ),
    word=st.text("ab", max_size=40),
)
def test_merges_in_any_order_are_applied_by_rank_and_from_the_left(merges: list[tuple[str, str]], word: str) -> None:
    tokens = {"a", "b", *(part for a, b in merges for part in (a, b, a + b))}
    ours = BPE(sorted(tokens), merges)
    ids = [ours.index[c] for c in word]
    while ranked := [(ours.ranks[pair][0], i) for i, pair in enumerate(pairwise(ids)) if pair in ours.ranks]:
        _, i = min(ranked)
        ids[i : i + 2] = [ours.ranks[ids[i], ids[i + 1]][1]]
    assert ours.encode_word(word) == ids


@pytest.mark.parametrize(
    ("vocabulary", "merges", "unknown", "says"),
    [
        (["a", "a"], [], None, "more than once"),
        (["a", "b"], [("a", "b")], None, "needs 'ab'"),
        (["a"], [], "?", "unknown token"),
    ],
)
def test_a_vocabulary_that_makes_no_sense_is_refused(
    vocabulary: list[str], merges: list[tuple[str, str]], unknown: str | None, says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        BPE(vocabulary, merges, unknown=unknown)


def test_one_string_for_a_list_of_words_is_refused() -> None:
    with pytest.raises(ValueError, match="'low lower' is a string: give a list of words"):
        bpe.train(PAPER, 30).encode("low lower")


@pytest.mark.parametrize("wrong", [None, b"low", 5, ["low"]])
def test_a_word_that_is_no_string_is_refused(wrong: Any) -> None:
    ours = bpe.train(PAPER, 30)
    says = f"the word {re.escape(repr(wrong))} is no string: (give|decode)"
    for work in (lambda: ours.encode(["low", wrong]), lambda: ours.encode_word(wrong), lambda: ours.tokens(wrong)):
        with pytest.raises(ValueError, match=says):
            work()
    if not isinstance(wrong, list):  # which no mapping holds
        for train in (bpe.train, bpe.train_naive):
            with pytest.raises(ValueError, match=says):
                train({"low": 2, wrong: 1}, 30)


@pytest.mark.parametrize("wrong", [None, 5, b"low"])
def test_what_is_no_list_of_words_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=f"{wrong!r} is no list of words"):
        bpe.train(PAPER, 30).encode(wrong)


@pytest.mark.parametrize("wrong", [None, ["low"], "low"])
def test_words_without_counts_are_not_learnt_from(wrong: Any) -> None:
    with pytest.raises(ValueError, match="says not how often each word occurs: give counts"):
        bpe.train(wrong, 30)


def test_words_of_a_generator_are_encoded_as_those_of_a_list() -> None:
    ours = bpe.train(PAPER, 30)
    assert ours.encode(word for word in PAPER) == ours.encode([*PAPER]) == ours.encode({**PAPER})
    assert ours.encode([""]) == ours.encode([]) == []


@pytest.mark.parametrize("wrong", [None, b"low", 5, ["low"]])
def test_bytes_are_those_of_strings_alone(wrong: Any) -> None:
    bare = byte_bpe.train([], 256)
    for function in (byte_bpe.split, byte_bpe.spell, bare.encode_word, bare.encode, bare.tokens):
        with pytest.raises(ValueError, match=f"the (text|word) {re.escape(repr(wrong))} is no string"):
            function(wrong)


@pytest.mark.parametrize("wrong", [-1, 30])
def test_an_id_that_is_not_in_the_vocabulary_is_refused(wrong: int) -> None:
    ours = bpe.train(PAPER, 30)
    with pytest.raises(
        ValueError, match=f"the id {wrong} is not in the vocabulary, whose ids are 0 to {len(ours.vocabulary) - 1}"
    ):
        ours.decode([0, wrong])


def test_the_cache_stops_to_grow_and_answers_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bpe, "CACHED", 2)
    ours = bpe.train(PAPER, 30)
    words = ["low", "lower", "newest", "newest"]
    assert ours.encode(words) == [i for word in words for i in ours.encode_word(word)]
    assert len(ours.cache) == 2


def test_a_tokenizer_goes_to_another_process() -> None:
    ours = byte_bpe.train(["low lower"], 260)
    ours.encode("low")
    assert pickle.loads(pickle.dumps(ours)).encode("low lower") == ours.encode("low lower")


def _library(ours: BPE) -> Tokenizer:
    """The library's tokenizer of one word with our vocabulary."""
    model = models.BPE(ours.index, list(ours.merges), unk_token=ours.unknown or "", end_of_word_suffix=ours.suffix)
    tokenizer = Tokenizer(model)
    tokenizer.decoder = decoders.BPEDecoder(suffix=ours.suffix) if ours.suffix else decoders.Fuse()
    return tokenizer


# Bytes.


def test_the_table_is_one_to_one_and_writes_the_blank_as_published() -> None:
    assert len(byte_bpe.BYTES) == len(set(byte_bpe.BYTES)) == 256
    assert set(byte_bpe.BYTES) == set(pre_tokenizers.ByteLevel.alphabet())
    assert [byte_bpe.BYTES[byte] for byte in b" \n\x00A\xad"] == ["Ġ", "Ċ", "Ā", "A", "Ń"]


@patient
@given(text=texts)
def test_words_are_split_and_written_as_by_the_library(text: str) -> None:
    pre = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert [byte_bpe.spell(word) for word in byte_bpe.split(text)] == [word for word, _ in pre.pre_tokenize_str(text)]


@patient
@given(text=anything)
def test_nothing_is_lost_between_the_words(text: str) -> None:
    assert "".join(byte_bpe.split(text)) == text


@patient
@given(lines=st.lists(texts, max_size=5), size=st.integers(256, 300), min_count=st.integers(1, 2))
def test_trained_on_bytes_it_has_the_librarys_vocabulary(lines: list[str], size: int, min_count: int) -> None:
    ours = byte_bpe.train(lines, size, min_count=min_count)
    library = _trained_by_the_library(lines, size, min_count)
    assert ours.bpe.index == library.get_vocab()
    assert ours.bpe.merges == [tuple(pair) for pair in json.loads(library.to_str())["model"]["merges"]]


@claim("bbpe-share")
@patient
@given(text=anything)
def test_with_256_bytes_alone_any_text_comes_back(text: str) -> None:
    bare = byte_bpe.train([], 256)
    assert bare.decode(bare.encode(text)) == text
    assert len(bare.encode(text)) == len(text.encode())


@claim("bbpe-three-bytes")
def test_every_syllable_has_three_bytes_and_decomposed_six_or_nine() -> None:
    bare = byte_bpe.train([], 256)
    syllables = [chr(code) for code in range(ord("가"), ord("힣") + 1)]
    assert {len(bare.encode(syllable)) for syllable in syllables} == {3}
    assert {len(bare.encode(unicodedata.normalize("NFD", syllable))) for syllable in syllables} == {6, 9}
    assert len(bare.encode(unicodedata.normalize("NFD", "킹"))) == 9


@pytest.mark.parametrize("text", ["ab\ud83d", "\udc00", "킹\ud800받네"])
def test_half_of_a_surrogate_pair_is_refused_with_what_to_do(text: str) -> None:
    half = next(c for c in text if "\ud800" <= c <= "\udfff")
    for refused in (byte_bpe.train([], 256).encode, lambda text: byte_bpe.train([text], 300)):
        with pytest.raises(
            ValueError, match=f"holds half of a surrogate pair, {re.escape(repr(half))}.*read the text anew"
        ):
            refused(text)


def test_a_third_of_a_syllable_decodes_to_the_mark_for_no_character() -> None:
    bare = byte_bpe.train([], 256)
    assert bare.decode(bare.encode("눈")[:1]) == "\ufffd"
    assert bare.decode_bytes(bare.encode("눈")[:1]) == "눈".encode()[:1]


def test_files_that_are_no_vocabulary_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 0, "b": 2}')
    (tmp_path / "ok.json").write_text('{"a": 0, "b": 1}')
    (tmp_path / "merges").write_text("#version: 0.2\na b c\n")
    with pytest.raises(ValueError, match="0 to 1, each once"):
        ByteBPE.from_gpt2_files(tmp_path / "a.json", tmp_path / "merges")
    with pytest.raises(ValueError, match="no pair: 'a b c'"):
        ByteBPE.from_gpt2_files(tmp_path / "ok.json", tmp_path / "merges")


# GPT-2's own vocabulary.

HANGUL = "하루 커피 최소 3잔은 마셔야 살 수 있다. 킹받네 ㅋㅋㅋ"
SAMPLES = {
    "english": "It's the world's 2nd-largest; they'll SAY \"don't\" 1,234.5 times…  \n\n  \tok ",
    "NFC": HANGUL,
    "NFD": unicodedata.normalize("NFD", HANGUL),
    "emoji": "👨\u200d👩\u200d👧 ☕\ufe0f🇰🇷👍🏽",
    "code": "def f(x):\n    return {x: [i**2 for i in range(10)]}  # ok\n\tif x != -1:\r\n",
    "mixed": "naïve Ünïcode\u2028line\x85sep\u3000ideographic\xa0nbsp 漢字かな ½ ² Ⅷ",
    "special": "<|endoftext|> hello<|endoftext|>",
    "empty": "",
}


@needs_corpora
@pytest.mark.parametrize("text", SAMPLES.values(), ids=SAMPLES)
def test_gpt2_gives_the_librarys_ids(gpt2: GPT2, text: str) -> None:
    ours, library = gpt2
    assert ours.encode(text) == library.encode(text).ids
    assert ours.decode(ours.encode(text)) == text


@needs_corpora
@patient
@given(content=st.binary(max_size=60))
def test_gpt2_gives_the_librarys_ids_of_random_bytes(gpt2: GPT2, content: bytes) -> None:
    ours, library = gpt2
    text = content.decode("latin-1")
    assert ours.encode(text) == library.encode(text).ids


@needs_corpora
@patient
@given(text=texts)
def test_gpt2_gives_the_librarys_ids_of_any_text(gpt2: GPT2, text: str) -> None:
    ours, library = gpt2
    assert ours.encode(text) == library.encode(text).ids


@needs_corpora
@patient
@given(text=anything)
def test_gpt2_loses_nothing_and_encodes_what_it_decoded_as_before(gpt2: GPT2, text: str) -> None:
    ours, _ = gpt2
    ids = ours.encode(text)
    assert ours.decode(ids) == text
    assert ours.encode(ours.decode(ids)) == ids


@needs_corpora
@pytest.mark.usefixtures("corpora")
def test_gpt2_gives_the_librarys_ids_of_a_thousand_paragraphs_and_reviews(gpt2: GPT2) -> None:
    ours, library = gpt2
    lines = datasets.lines("wikitext2/valid.txt")[:1000] + datasets.lines("nsmc_sample/ratings_test.txt")[:1000]
    assert [ours.encode(line) for line in lines] == [found.ids for found in library.encode_batch(lines)]


@claim("gpt2-bpe-size")
@needs_corpora
@pytest.mark.usefixtures("corpora")
def test_gpt2_has_its_published_size() -> None:
    published = byte_bpe.gpt2()
    assert (len(published.bpe.vocabulary), len(published.bpe.merges)) == (50_257, 50_000)
    assert published.bpe.vocabulary[:256] == sorted(byte_bpe.BYTES)


def _trained_by_the_library(lines: Iterable[str], size: int, min_count: int) -> ByteLevelBPETokenizer:
    library = ByteLevelBPETokenizer()
    library.train_from_iterator(lines, vocab_size=size, min_frequency=min_count, show_progress=False)
    return library
