"""Why subwords: hidden checks and the metrics that the grader computes itself. Never released."""

import math
import random
import unicodedata
from collections import Counter

from etude.lesson.checks import close, equal, exercise
from etude.lesson.interface import Student
from etude.world import World
from etude.world.lexicon import Language
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric

LIST, HELD_OUT, BEYOND = 400, 10_000, 10_000  # as in the notebook: the list's size, the other text's seed and length


def _text(seed: int, words: int = 300) -> list[str]:
    """Words of one to four letters, some frequent and most rare; some differ in case alone, and İ (two code points in small letters) is among them."""
    chance = random.Random(seed)
    kinds = ["".join(chance.choices("aAbİ눈배é🙂", k=chance.randint(1, 4))) for _ in range(80)]
    return [kinds[int(len(kinds) * chance.random() ** 2)] for _ in range(words)]


@exercise("most_frequent")
def test_a_long_text_agrees_with_a_sort(student: Student) -> None:
    tokens = _text(1)
    counts = Counter(tokens)
    ranked = sorted(sorted(counts), key=lambda word: -counts[word])
    equal(list(student.most_frequent(tokens, 40)), ["<unk>", *ranked[:39]], given="300 words, size 40")


@exercise("unknown_rates")
def test_a_long_text_agrees_with_brute_force(student: Student) -> None:
    tokens, vocabulary = _text(2), ["<unk>", *dict.fromkeys(_text(2)[:30])]
    running = [token for token in tokens if token not in vocabulary]
    expected = [len(running) / len(tokens), len(dict.fromkeys(running)) / len(dict.fromkeys(tokens))]
    close(list(student.unknown_rates(tokens, vocabulary)), expected, given="300 words, a list of 30 or fewer")


@exercise("bits_per_word")
def test_the_model_agrees_with_a_table_of_probabilities(student: Student) -> None:
    training, tokens = _text(3), _text(4, 100)
    vocabulary = ["<unk>", *dict.fromkeys(training[:40])]
    seen = [token if token in vocabulary else "<unk>" for token in training]
    chance = {word: (seen.count(word) + 1) / (len(seen) + len(vocabulary)) for word in vocabulary}
    expected = -sum(math.log2(chance.get(token, chance["<unk>"])) for token in tokens) / len(tokens)
    close(student.bits_per_word(training, tokens, vocabulary), expected, given="300 words of training, 100 others")


@exercise("bits_per_character")
def test_words_and_spelling_add_up(student: Student) -> None:
    training, tokens = _text(5), _text(6, 100)
    vocabulary = ["<unk>", *dict.fromkeys(training[:40])]
    seen = [token if token in vocabulary else "<unk>" for token in training]
    bits = 0.0
    for token in tokens:
        word = token if token in vocabulary else "<unk>"
        bits -= math.log2((seen.count(word) + 1) / (len(seen) + len(vocabulary)))
        bits += 0 if token in vocabulary else (len(token) + 1) * math.log2(12 + 1)
    characters = len(" ".join(tokens)) + 1
    found = student.bits_per_character(training, tokens, vocabulary, 12)
    close(found, bits / characters, given="300 words of training, 100 others, an alphabet of 12")


@exercise("pieces")
def test_mixed_words_are_cut_in_every_unit(student: Student) -> None:
    for word in ("한글Abc", "e\u0301", "", "뷁🙂"):
        equal(list(student.pieces(word, "character")), [*word], given=f"{word!r}, character")
        equal(list(student.pieces(word, "jamo")), [*unicodedata.normalize("NFD", word)], given=f"{word!r}, jamo")
        equal(list(student.pieces(word, "byte")), [*word.encode("utf-8")], given=f"{word!r}, byte")
        equal(list(student.pieces(word, "word")), [word], given=f"{word!r}, word")


@exercise("fertility")
def test_a_long_text_is_counted_in_every_unit(student: Student) -> None:
    words = _text(7)
    size = len("".join(words).encode())
    counted = {"word": 300, "character": len("".join(words)), "byte": size}
    counted["jamo"] = len(unicodedata.normalize("NFD", " ".join(words))) - 299  # less the blanks
    for unit, tokens in counted.items():
        close(list(student.fertility(words, unit)), [tokens / 300, size / tokens], given=f"300 words, {unit}")


@exercise("encode")
def test_a_long_text_is_spelled_where_it_is_unknown(student: Student) -> None:
    tokens = ["<unk>", "", *_text(8)]
    words = list(dict.fromkeys(_text(8)[:30]))
    expected: list[int] = []
    for token in tokens:
        expected.extend([257 + words.index(token)] if token in words else [*token.encode("utf-8"), 256])
    equal(list(student.encode(tokens, words)), expected, given="302 words, a list of 30 or fewer")


@exercise("decode")
def test_whatever_is_encoded_comes_back(student: Student) -> None:
    tokens = ["<unk>", "", *_text(9)]
    words = list(dict.fromkeys(_text(9)[:30]))
    ids: list[int] = []
    for token in tokens:
        ids.extend([257 + words.index(token)] if token in words else [*token.encode("utf-8"), 256])
    handle = student.put(list(ids))
    equal(list(student.decode(handle, words)), tokens, given="the ids of 302 words, a list of 30 or fewer")
    equal(student.value(handle), ids, given="the ids, after they were decoded")


# Metrics.


def _other(language: Language, seed: int) -> list[str]:
    """A text of the planted world that the student's lists were not made from."""
    return [token for sentence in World(language, seed=seed + BEYOND).corpus(HELD_OUT) for token in sentence]


def _unknown(artifacts: Artifacts, language: Language) -> float:
    words = artifacts.strings(f"words_{language}")
    if len(words) > LIST:
        raise BadArtifact(f"words_{language} has {len(words)} words, expected at most {LIST}")
    tokens, known = _other(language, artifacts.seed), set(words)
    return sum(token not in known for token in tokens) / len(tokens)


@metric("oov_en")
def oov_en(artifacts: Artifacts) -> float:
    return _unknown(artifacts, "en")


@metric("oov_ko")
def oov_ko(artifacts: Artifacts) -> float:
    return _unknown(artifacts, "ko")


@metric("lossless")
def lossless(artifacts: Artifacts) -> float:
    """The share of words that come back from the recorded ids, up to the last whole word."""
    words, back = artifacts.strings("words_ko")[1:], list[str]()
    spelled = bytearray()
    for number in artifacts.tensor("fallback", ndim=1).tolist():
        if number == 256:
            back.append(spelled.decode("utf-8", "replace"))
            spelled.clear()
        elif 0 <= number < 256:
            spelled.append(number)
        elif number - 257 < len(words):
            back.append(words[number - 257])
    tokens = _other("ko", artifacts.seed)[: len(back)]
    return sum(one == other for one, other in zip(back, tokens, strict=False)) / len(tokens) if back else 0.0
