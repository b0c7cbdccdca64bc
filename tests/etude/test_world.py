"""The embedded world: the same text everywhere, right Korean, the planted truth where it is said to be."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections import Counter
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from etude.world import Document, Unit, Word, World, shuffled
from etude.world.english import ENGLISH
from etude.world.hangul import allomorph, compose, has_final, join, split
from etude.world.korean import KOREAN
from etude.world.lexicon import Language

LANGUAGES: tuple[Language, ...] = ("en", "ko")
UNITS: tuple[Unit, ...] = ("word", "morpheme")
both = pytest.mark.parametrize("language", LANGUAGES)
syllables = st.characters(min_codepoint=ord("가"), max_codepoint=ord("힣"))

# sha256 of 5,000 words: str(document) joined by newlines. It changes only when the world is changed on purpose.
PINNED = {
    ("en", 0): "e94b1bf81c617f6a6e4ea4d4b8765008262a1b6d3a3c593b31ea597c0d327c34",
    ("en", 1): "a385a76372f0007338dddebe8389ae4bdb0ef14eb6e11890bc8a720f318e9777",
    ("ko", 0): "54eddf609727819738c8363c699c3e6a30d57641640a9f4a13ca7aa632b37866",
    ("ko", 1): "1966927c94407f0aac94e27ebfd78aa620531086917fbb60e8a2d078af3d940b",
}

HOMONYMS = {
    "en": "bank bass bat date match note organ pitch scale spring",
    "ko": "굴 눈 다리 말 밤 배 벌 사과 은행 차 풀",
}

CONJUGATED = """
삶는다 삶았다, 볶는다 볶았다, 주문한다 주문했다, 기다린다 기다렸다, 무서워한다 무서워했다, 즐긴다 즐겼다, 배운다 배웠다,
빌린다 빌렸다, 기억한다 기억했다, 연주한다 연주했다, 녹음한다 녹음했다, 반복한다 반복했다, 고친다 고쳤다,
관람한다 관람했다, 들어올린다 들어올렸다, 방문한다 방문했다, 센다 셌다, 살핀다 살폈다, 조종한다 조종했다, 모은다 모았다,
낚는다 낚았다, 따라간다 따라갔다, 찾아낸다 찾아냈다, 심는다 심었다, 치료한다 치료했다, 보호한다 보호했다, 삼킨다 삼켰다
"""


def words_of(documents: list[Document]) -> list[Word]:
    return [word for document in documents for sentence in document.sentences for word in sentence]


def ends_in_consonant(text: str) -> bool:
    """By Unicode's own decomposition: whether the last letter is a final consonant."""
    return "\u11a8" <= unicodedata.normalize("NFD", text)[-1] <= "\u11c2"


@pytest.fixture(scope="module")
def texts() -> dict[str, list[Document]]:
    return {language: World(language, seed=0).documents(60_000) for language in LANGUAGES}


# the same everywhere


@pytest.mark.parametrize(("language", "seed"), PINNED)
def test_the_text_of_a_seed_is_the_pinned_one(language: Language, seed: int) -> None:
    text = "\n".join(map(str, World(language, seed).documents(5_000)))
    assert hashlib.sha256(text.encode()).hexdigest() == PINNED[language, seed]


@both
def test_two_seeds_give_different_texts(language: Language) -> None:
    assert World(language, 0).corpus(1_000) != World(language, 1).corpus(1_000)


@both
def test_a_longer_text_begins_with_the_shorter_one(language: Language) -> None:
    world = World(language)
    short = world.documents(2_000)
    assert world.documents(4_000)[: len(short)] == short


@both
@pytest.mark.parametrize("unit", UNITS)
def test_a_corpus_ends_with_the_first_sentence_that_reaches_the_size(language: Language, unit: Unit) -> None:
    corpus = World(language).corpus(3_000, unit)
    assert sum(map(len, corpus[:-1])) < 3_000 <= sum(map(len, corpus))


@both
def test_corpus_and_documents_hold_the_same_sentences(language: Language, texts: dict[str, list[Document]]) -> None:
    sentences = [sentence.tokens() for document in texts[language] for sentence in document.sentences]
    corpus = World(language).corpus(50_000)
    assert corpus == sentences[: len(corpus)]


@pytest.mark.parametrize("arguments", [{"language": "fr"}, {"seed": -1}, {"seed": 0.5}, {"seed": True}])
def test_a_world_that_does_not_exist_is_refused_with_the_value(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=str(next(iter(arguments.values())))):
        World(**arguments)


def test_a_unit_or_size_that_does_not_exist_is_refused_with_the_value() -> None:
    with pytest.raises(ValueError, match="syllable"):
        World().corpus(10, unit="syllable")  # type: ignore[arg-type]
    for tokens in (0, -1, math.nan, math.inf):
        for write in (World().documents, World().corpus):
            with pytest.raises(ValueError, match=f"tokens is {tokens}"):
                write(tokens)  # type: ignore[arg-type]


# the form of the text


@both
def test_no_token_is_empty_or_has_white_space(language: Language, texts: dict[str, list[Document]]) -> None:
    for word in words_of(texts[language]):
        for token in (word.surface, *word.morphemes):
            assert token
            assert not any(map(str.isspace, token))


@both
def test_a_language_has_450_to_900_types(language: Language, texts: dict[str, list[Document]]) -> None:
    unit: Unit = "word" if language == "en" else "morpheme"
    sentences = [sentence for document in texts[language] for sentence in document.sentences]
    assert 450 <= len({token for sentence in sentences for token in sentence.tokens(unit)}) <= 900


def test_english_morphemes_written_together_are_the_word(texts: dict[str, list[Document]]) -> None:
    assert all("".join(word.morphemes) == word.surface for word in words_of(texts["en"]))


def test_korean_morphemes_joined_are_the_eojeol(texts: dict[str, list[Document]]) -> None:
    assert all(join(word.morphemes) == word.surface for word in words_of(texts["ko"]))


def test_korean_morphemes_of_nouns_are_simply_written_together(texts: dict[str, list[Document]]) -> None:
    particles = {"은", "는", "이", "가", "을", "를", "과", "와", "에", "에서", "로", "으로", "도", "의"}
    nouns = [word for word in words_of(texts["ko"]) if len(word.morphemes) == 2 and word.morphemes[1] in particles]
    nouns = [word for word in nouns if word.surface != word.morphemes[0]]
    assert len(nouns) > 10_000
    assert all("".join(word.morphemes) == word.surface for word in nouns)


def test_english_articles_agree_with_the_next_word(texts: dict[str, list[Document]]) -> None:
    seen = set()
    for document in texts["en"]:
        for sentence in document.sentences:
            for article, following in pairwise(sentence.tokens()):
                if article in ("a", "an"):
                    seen.add(article)
                    assert (article == "an") == (following[0] in "aeiou" or following == "hour"), str(sentence)
    assert seen == {"a", "an"}


def test_korean_particles_agree_with_the_final_consonant_throughout_a_text(texts: dict[str, list[Document]]) -> None:
    needs_consonant = {"은": True, "는": False, "을": True, "를": False, "과": True, "와": False, "가": False}
    checked: Counter[str] = Counter()
    for word in words_of(texts["ko"]):
        for stem, particle in pairwise(word.morphemes):
            if particle in needs_consonant:
                assert ends_in_consonant(stem) == needs_consonant[particle], word.surface
                checked[particle] += 1
    assert min(checked[particle] for particle in needs_consonant) > 100


@given(syllables)
def test_a_syllable_taken_apart_and_put_together_is_itself(syllable: str) -> None:
    assert compose(*split(syllable)) == syllable
    assert has_final(syllable) == ends_in_consonant(syllable)


@given(st.text(syllables, min_size=1, max_size=4), st.sampled_from(["은는", "이가", "을를", "과와"]))
def test_a_particle_after_any_noun_agrees_and_is_simply_written_after_it(noun: str, forms: str) -> None:
    particle = allomorph(noun, forms[0])
    assert particle == (forms[0] if ends_in_consonant(noun) else forms[1])
    assert join((noun, particle)) == noun + particle


@pytest.mark.parametrize(
    ("morphemes", "written"),
    [
        *[("서울 으로", "서울로"), ("지하철 으로", "지하철로"), ("판다 으로", "판다로"), ("국경 으로", "국경으로")],
        *[("마시 어야", "마셔야"), ("도착하 어서", "도착해서"), ("쓰 어서", "써서"), ("크 었 다", "컸다")],
        *[("모으 었 다", "모았다"), ("보 었 다", "봤다"), ("나오 었 다", "나왔다"), ("배우 었 다", "배웠다")],
        *[("살 ㄹ", "살"), ("삶 ㄹ", "삶을"), ("배우 ㄹ", "배울"), ("길 ㄴ", "긴")],
    ],
)
def test_endings_join_as_korean_orthography_has_it(morphemes: str, written: str) -> None:
    stem, *endings = morphemes.split()
    forms: tuple[str, ...] = (stem,)
    for ending in endings:
        forms += (allomorph(join(forms), ending),)
    assert join(forms) == written


def test_a_consonant_that_cannot_be_written_under_a_syllable_is_refused() -> None:
    with pytest.raises(ValueError, match="ㄴ cannot follow 작"):
        join(("작", "ㄴ"))


def test_every_korean_verb_has_its_real_present_and_past() -> None:
    expected = [tuple(pair.split()) for pair in CONJUGATED.replace("\n", " ").strip().split(", ")]
    questions = World("ko").analogies("word")["tense"]
    assert list(dict.fromkeys(question[:2] for question in questions)) == expected


def test_the_coffee_sentence_is_in_the_text_with_its_morphemes(texts: dict[str, list[Document]]) -> None:
    line = "하루 커피 최소 3잔은 마셔야 살 수 있다"
    found = [s for document in texts["ko"] for s in document.sentences if str(s) == line]
    assert found
    assert " ".join(found[0].tokens("morpheme")) == "하루 커피 최소 3 잔 은 마시 어야 살 ㄹ 수 있 다"


# the planted semantics


@both
def test_about_one_content_word_in_eight_is_off_topic(language: Language, texts: dict[str, list[Document]]) -> None:
    off = [
        word.topic != document.topic
        for document in texts[language]
        for sentence in document.sentences
        for word in sentence
        if word.topic
    ]
    assert 0.11 <= sum(off) / len(off) <= 0.13


def test_english_function_words_make_the_head_of_the_frequencies(texts: dict[str, list[Document]]) -> None:
    counts = Counter(word.surface for word in words_of(texts["en"]))
    content = {word.surface for word in words_of(texts["en"]) if word.topic}
    assert not content & {word for word, _ in counts.most_common(10)}
    assert counts["the"] > 2 * counts["of"] > 0
    assert counts["the"] > 0.1 * counts.total()


@both
@pytest.mark.parametrize("unit", UNITS)
def test_every_analogy_word_occurs_at_least_a_dozen_times(language: Language, unit: Unit) -> None:
    world = World(language, seed=3)
    counts = Counter(token for sentence in world.corpus(60_000, unit) for token in sentence)
    rare = {w: counts[w] for qs in world.analogies(unit).values() for q in qs for w in q if counts[w] < 12}
    assert not rare


@both
@pytest.mark.parametrize("unit", UNITS)
def test_analogies_are_four_different_words_by_relation(language: Language, unit: Unit) -> None:
    analogies = World(language).analogies(unit)
    tense = {"tense"} if unit == "word" else set()
    assert set(analogies) == {"capital", "language", "gender", "control"} | tense
    for questions in analogies.values():
        assert len(questions) >= 12 * 11
        assert len(set(questions)) == len(questions)
        assert all(len(set(question)) == 4 for question in questions)


def test_analogies_state_true_facts() -> None:
    english, korean = World("en").analogies(), World("ko").analogies()
    assert ("korea", "seoul", "france", "paris") in english["capital"]
    assert ("japan", "japanese", "germany", "german") in english["language"]
    assert ("king", "queen", "father", "mother") in english["gender"]
    assert ("boil", "boiled", "learn", "learned") in english["tense"]
    assert ("한국", "서울", "그리스", "아테네") in korean["capital"]
    assert ("삶는다", "삶았다", "배운다", "배웠다") in korean["tense"]


@both
@pytest.mark.parametrize("unit", UNITS)
def test_similarities_grade_words_that_the_text_has(language: Language, unit: Unit) -> None:
    world = World(language)
    vocabulary = {token for sentence in world.corpus(60_000, unit) for token in sentence}
    pairs = world.similarities(unit)
    assert {truth for _, _, truth in pairs} == {0.0, 1.0, 2.0, 3.0}
    assert {word for one, other, _ in pairs for word in (one, other)} <= vocabulary
    assert not set(world.homonyms()) & {word for one, other, _ in pairs for word in (one, other)}


def test_similarity_is_graded_by_topic_kind_and_verb() -> None:
    truth = {(one, other): value for one, other, value in World("en").similarities()}
    assert truth["egg", "noodle"] == 3  # both are boiled
    assert truth["egg", "coffee"] == 2  # food, but coffee is roasted
    assert truth["chef", "egg"] == 1
    assert {value for (one, other), value in truth.items() if one == "egg" and other in ("storm", "fog", "rain")} == {0}


@both
def test_homonyms_are_the_planted_ones_and_no_others(language: Language) -> None:
    world = World(language)
    assert sorted(world.homonyms()) == HOMONYMS[language].split()
    stems = Counter(lexeme.stem for lexeme in world.lexicon.lexemes())
    assert {stem for stem, count in stems.items() if count > 1} == set(world.homonyms())


@both
def test_no_fixed_word_of_a_template_is_in_the_lexicon_but_coffee(language: Language) -> None:
    templates = (ENGLISH if language == "en" else KOREAN).templates
    fixed = {part for ts in templates.values() for t in ts for token in t.split() for part in token.split("+")}
    assert fixed & {lexeme.stem for lexeme in World(language).lexicon.lexemes()} <= {"coffee", "커피"}


@both
def test_both_senses_of_a_homonym_are_about_equally_frequent(language: Language) -> None:
    world = World(language, seed=5)
    senses = Counter((w.morphemes[0], w.topic) for w in words_of(world.documents(200_000)))
    for word, (one, other) in world.homonyms().items():
        share = senses[word, one] / (senses[word, one] + senses[word, other])
        assert 0.4 <= share <= 0.6, (word, share)


@both
def test_a_text_has_documents_on_every_topic(language: Language, texts: dict[str, list[Document]]) -> None:
    assert {document.topic for document in texts[language]} == {
        *(topic.name for topic in World(language).lexicon.topics), "nation", "people"
    }  # fmt: skip


# the control corpus


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=8), st.integers(0, 99))
def test_shuffling_keeps_counts_and_sentence_lengths(corpus: list[list[str]], seed: int) -> None:
    result = shuffled(corpus, seed)
    assert list(map(len, result)) == list(map(len, corpus))
    assert Counter(chain.from_iterable(result)) == Counter(chain.from_iterable(corpus))


@pytest.mark.parametrize("corpus", ["abc", ["abc"], [["a"], "b"]])
def test_one_string_for_a_list_of_words_is_not_shuffled(corpus: Any) -> None:
    with pytest.raises(ValueError, match="is a string: give each sentence of the corpus as a list of words"):
        shuffled(corpus)


@both
def test_shuffling_moves_words_between_documents_and_leaves_the_corpus_alone(language: Language) -> None:
    corpus = World(language).corpus(5_000)
    before = [sentence.copy() for sentence in corpus]
    first, again, other = shuffled(corpus, 0), shuffled(corpus, 0), shuffled(corpus, 1)
    assert corpus == before
    assert first == again
    assert first != other
    head = {token for sentence in corpus[:5] for token in sentence}
    assert {token for sentence in first[:5] for token in sentence} != head


# what a model finds


def accuracy(corpus: list[list[str]], world: World, unit: Unit) -> dict[str, float]:
    """3CosAdd by relation after a small skip-gram, all words being candidates but the three given."""
    from gensim.models import Word2Vec

    vectors = Word2Vec(
        corpus, vector_size=64, window=5, negative=5, sg=1, min_count=1, epochs=10, alpha=0.05, workers=1, seed=1
    ).wv  # fmt: skip
    unit_vectors, index = vectors.get_normed_vectors(), vectors.key_to_index
    found = {}
    for relation, questions in world.analogies(unit).items():
        right = 0
        for a, b, c, d in questions:
            scores = unit_vectors @ (unit_vectors[index[b]] - unit_vectors[index[a]] + unit_vectors[index[c]])
            scores[[index[a], index[b], index[c]]] = -9
            right += int(scores.argmax()) == index[d]
        found[relation] = right / len(questions)
    return found


@pytest.mark.parametrize(("language", "unit"), [("en", "word"), ("ko", "morpheme"), ("ko", "word")])
def test_a_small_skip_gram_finds_the_analogies_and_neither_the_control_nor_any_in_shuffled_text(
    language: Language, unit: Unit
) -> None:
    world = World(language, seed=2)
    corpus = world.corpus(60_000, unit)
    learned = accuracy(corpus, world, unit)
    control = learned.pop("control")
    assert min(learned.values()) > 0.5
    assert control < 0.1
    assert max(accuracy(shuffled(corpus), world, unit).values()) < 0.05
