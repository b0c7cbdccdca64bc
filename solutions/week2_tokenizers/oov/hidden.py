"""Why subwords: hidden checks and the metrics that the grader computes itself. Never released."""

import math
import random
import unicodedata
from collections import Counter

from hypothesis.strategies import integers, lists, sampled_from

from etude.lesson.checks import close, equal, exercise
from etude.lesson.interface import Student
from etude.world import World
from etude.world.lexicon import Language
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons.generated import for_all

# Strings that are different, though a careless comparison takes some of them for one.
STRINGS = ["<unk>", "a", "A", "", " a", "á", "a\u0301", "눈", "a\r\na", "\ufeffa"]
LIST, HELD_OUT, BEYOND = 400, 10_000, 10_000  # as in the notebook: the list's size, the other text's seed and length


def _text(seed: int, words: int = 300) -> list[str]:
    """Words of up to four characters, some frequent and most rare; some differ in case, a blank or composition alone, and İ (two code points in small letters) is among them."""
    chance = random.Random(seed)
    kinds = ["".join(chance.choices("aAbİ눈배é🙂\u0301 \r", k=chance.randint(0, 4))) for _ in range(80)]
    return [kinds[int(len(kinds) * chance.random() ** 2)] for _ in range(words)]


@exercise("most_frequent")
def test_a_long_text_agrees_with_a_sort(student: Student) -> None:
    tokens = _text(1)
    counts = Counter(tokens)
    ranked = sorted(sorted(counts), key=lambda word: -counts[word])
    equal(list(student.most_frequent(tokens, 40)), ["<unk>", *ranked[:39]], given="300 words, size 40")


@exercise("unknown_rates")
def test_a_long_text_agrees_with_brute_force(student: Student) -> None:
    tokens, vocabulary = _text(2), [*(f"{i}" for i in range(2000)), *dict.fromkeys(_text(2)[:30])]
    running = [token for token in tokens if token not in vocabulary]
    expected = [len(running) / len(tokens), len(dict.fromkeys(running)) / len(dict.fromkeys(tokens))]
    given = "300 words, 30 or fewer of them at the end of a long list"
    close(list(student.unknown_rates(tokens, vocabulary)), expected, given=given)


@exercise("unknown_rates", points=0.5)
@for_all(tokens=lists(sampled_from(STRINGS), min_size=1, max_size=6), vocabulary=lists(sampled_from(STRINGS), unique=True))
def test_a_string_is_known_if_that_very_string_is_on_the_list(
    student: Student, tokens: list[str], vocabulary: list[str]
) -> None:
    kinds = list(dict.fromkeys(tokens))
    shares = [sum(word not in vocabulary for word in text) / len(text) for text in (tokens, kinds)]
    close(list(student.unknown_rates(tokens, vocabulary)), shares)


@exercise("bits_per_word")
def test_the_model_agrees_with_a_table_of_probabilities(student: Student) -> None:
    training, tokens = _text(3), _text(4, 2000)
    vocabulary = ["<unk>", *dict.fromkeys(training[:40])]
    seen = [token if token in vocabulary else "<unk>" for token in training]
    chance = {word: (seen.count(word) + 1) / (len(seen) + len(vocabulary)) for word in vocabulary}
    expected = -sum(math.log2(chance.get(token, chance["<unk>"])) for token in tokens) / len(tokens)
    close(student.bits_per_word(training, tokens, vocabulary), expected, given="300 words of training, 2,000 others")


@exercise("bits_per_word", points=0.5)
@for_all(
    training=lists(sampled_from(STRINGS), max_size=6),
    tokens=lists(sampled_from(STRINGS), min_size=1, max_size=6),
    others=lists(sampled_from(STRINGS[1:]), unique=True),
    place=integers(0, 3),
)
def test_unk_may_stand_anywhere_and_the_training_text_may_be_empty(
    student: Student, training: list[str], tokens: list[str], others: list[str], place: int
) -> None:
    vocabulary = [*others[:place], "<unk>", *others[place:]]
    read = [word if word in vocabulary else "<unk>" for word in training]
    bits = [
        math.log2((len(training) + len(vocabulary)) / (1 + read.count(word if word in vocabulary else "<unk>")))
        for word in tokens
    ]
    close(student.bits_per_word(training, tokens, vocabulary), sum(bits) / len(bits))


@exercise("bits_per_character")
def test_words_and_spelling_add_up(student: Student) -> None:
    training, tokens = _text(5), [*_text(6, 100), "new", "New", ""]
    vocabulary = [*dict.fromkeys(word for word in training[:40] if word), "new", "<unk>"]
    seen = [token if token in vocabulary else "<unk>" for token in training]
    bits = 0.0
    for token in tokens:
        word = token if token in vocabulary else "<unk>"
        bits -= math.log2((seen.count(word) + 1) / (len(seen) + len(vocabulary)))
        bits += 0 if token in vocabulary else (len(token) + 1) * math.log2(12 + 1)
    characters = len(" ".join(tokens)) + 1
    found = student.bits_per_character(training, tokens, vocabulary, 12)
    close(found, bits / characters, given="300 words of training, 103 others, an alphabet of 12")


@exercise("pieces")
def test_mixed_words_are_cut_in_every_unit(student: Student) -> None:
    for word in ("한글Abc", "e\u0301", "", "뷁🙂", " é ", "a\u0301\u0323"):
        equal(list(student.pieces(word, "character")), [*word], given=f"{word!r}, character")
        equal(list(student.pieces(word, "jamo")), [*unicodedata.normalize("NFD", word)], given=f"{word!r}, jamo")
        equal(list(student.pieces(word, "byte")), [*word.encode("utf-8")], given=f"{word!r}, byte")
        equal(list(student.pieces(word, "word")), [word], given=f"{word!r}, word")


@exercise("fertility")
def test_a_long_text_is_counted_in_every_unit(student: Student) -> None:
    words = [*_text(7, 299), "a\u0301"]
    size = len("".join(words).encode())
    counted = {"word": 300, "character": len("".join(words)), "byte": size}
    counted["jamo"] = len(unicodedata.normalize("NFD", " ".join(words))) - 299  # less the blanks
    for unit, tokens in counted.items():
        close(list(student.fertility(words, unit)), [tokens / 300, size / tokens], given=f"300 words, {unit}")


@exercise("encode")
def test_a_long_text_is_spelled_where_it_is_unknown(student: Student) -> None:
    tokens = ["\0a", *STRINGS, *_text(8)]
    words = list(dict.fromkeys(["", *_text(8)[:30]]))
    expected: list[int] = []
    for token in tokens:
        expected.extend([257 + words.index(token)] if token in words else [*token.encode("utf-8"), 256])
    equal(list(student.encode(tokens, words)), expected, given="311 words, a list of 31 or fewer")
    many = [str(i) for i in range(33_000)]
    equal(list(student.encode(["32999"], many)), [257 + 32_999], given="the last of 33,000 words")


@exercise("decode")
def test_whatever_is_encoded_comes_back(student: Student) -> None:
    tokens = ["\0a", *STRINGS, *_text(9)]
    words = list(dict.fromkeys(_text(9)[:30]))
    ids: list[int] = []
    for token in tokens:
        ids.extend([257 + words.index(token)] if token in words else [*token.encode("utf-8"), 256])
    handle = student.put(list(ids))
    equal(list(student.decode(handle, words)), tokens, given="the ids of 311 words, a list of 30 or fewer")
    equal(student.value(handle), ids, given="the ids, after they were decoded")
    many = [str(i) for i in range(33_000)]
    equal(list(student.decode([257 + 32_999], many)), ["32999"], given="the last of 33,000 words")


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
