"""Why subwords: hidden checks and the metrics that the grader computes itself. Never released."""

import math
import random
import unicodedata
from collections import Counter
from itertools import chain

from hypothesis.strategies import DrawFn, composite, integers, lists, sampled_from

from etude.lesson.checks import close, equal, exercise
from etude.lesson.interface import Student
from etude.world import World
from etude.world.lexicon import Language
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons.generated import for_all

# Strings that are different, though a careless comparison takes some of them for one.
STRINGS = ["<unk>", "a", "A", "", " a", "á", "a\u0301", "눈", "a\r\na", "\ufeffa"]
# Two strings each that some way or other of comparing takes for one.
ALIKE = [
    ("The", "the"), ("İ", "i\u0307"), ("ß", "ss"), ("ς", "σ"), ("é", "e\u0301"), ("눈", "\u1102\u116e\u11ab"), ("ﬁ", "fi"), ("１", "1"),
    (" a", "a"), ("a\n", "a"), ("a\xa0", "a"), ("\ufeffa", "a"), ("a\u200b", "a"), ("\0a", "a"), ("", " "), ("a.", "a"), ("##a", "a"),
    ("▁a", "a"), ("a</w>", "a"), ("a", "ab"), ("b", "ab"), ("", "a"), ("ab", "ba"), ("aa", "a"), (".", "a"), ("a*", "aa"), ("1", "1.0"),
    ("01", "1"), ("<unk>", "<UNK>"), ("<unk>", "unk"), ("a\r\n", "a\n"), ("x" * 300 + "a", "x" * 300 + "b"), ("É", "é"), ("e", "é"),
]  # fmt: skip
LIST, HELD_OUT, BEYOND = 400, 10_000, 10_000  # as in the notebook: the list's size, the other text's seed and length


def _text(seed: int, words: int = 300) -> list[str]:
    """Words of up to four characters, some frequent and most rare; some differ in case, a blank or composition alone, and İ (two code points in small letters) is among them."""
    chance = random.Random(seed)
    kinds = ["".join(chance.choices("aAbİ눈배é🙂\u0301 \r", k=chance.randint(0, 4))) for _ in range(80)]
    return [kinds[int(len(kinds) * chance.random() ** 2)] for _ in range(words)]


@composite
def _alike(draw: DrawFn) -> tuple[list[str], list[str], list[str]]:
    """(a text, another text of one word or more, a list of different words), all of a few strings that are much alike."""
    kinds = list(dict.fromkeys(chain(*draw(lists(sampled_from(ALIKE), min_size=1, max_size=12)))))

    def text(least: int) -> list[str]:
        size = draw(integers(least, 20))
        return draw(lists(sampled_from(kinds), min_size=size, max_size=size))

    return text(0), text(1), draw(lists(sampled_from(kinds), unique=True))


def _with_unk(words: list[str]) -> list[str]:
    """The list with "<unk>", at the end where it has none."""
    return list(dict.fromkeys([*words, "<unk>"]))


@exercise("most_frequent")
def test_a_long_text_agrees_with_a_sort(student: Student) -> None:
    tokens = _text(1)
    counts = Counter(tokens)
    ranked = sorted(sorted(counts), key=lambda word: -counts[word])
    equal(list(student.most_frequent(tokens, 40)), ["<unk>", *ranked[:39]], given="300 words, size 40")
    many = [f"{i:05}" for i in range(11_000)]
    found = list(student.most_frequent(many[::-1], 12_000))
    equal(found, ["<unk>", *many], given="11,000 words once each, the last one first; size 12,000")
    found = list(student.most_frequent(["b"] * 70_000 + ["a"] * 69_999, 2))
    equal(found, ["<unk>", "b"], given="b 70,000 times, a once less; size 2")


@exercise("most_frequent", points=0.5, needs="test_the_most_frequent_word_comes_first_after_unk")
@for_all(tokens=_alike().map(lambda drawn: [word for word in drawn[0] if word != "<unk>"]), size=integers(1, 12))
def test_strings_that_look_alike_are_counted_apart(student: Student, tokens: list[str], size: int) -> None:
    ranked = sorted((-tokens.count(word), word) for word in dict.fromkeys(tokens))
    equal(list(student.most_frequent(tokens, size)), ["<unk>", *(word for _, word in ranked)][:size])


@exercise("unknown_rates")
def test_a_long_text_agrees_with_brute_force(student: Student) -> None:
    tokens, vocabulary = _text(2), [*(f"{i}" for i in range(2000)), *dict.fromkeys(_text(2)[:30])]
    running = [token for token in tokens if token not in vocabulary]
    expected = [len(running) / len(tokens), len(dict.fromkeys(running)) / len(dict.fromkeys(tokens))]
    given = "300 words, 30 or fewer of them at the end of a long list"
    close(list(student.unknown_rates(tokens, vocabulary)), expected, given=given)
    many = [f"{i}" for i in range(3000)]
    found = list(student.unknown_rates([*many, "a", "a"], many))
    close(found, [2 / 3002, 1 / 3001], given="3,000 known words, then a twice, which is unknown", atol=0)


@exercise("unknown_rates", points=0.5)
@for_all(tokens=lists(sampled_from(STRINGS), min_size=1, max_size=6), vocabulary=lists(sampled_from(STRINGS), unique=True))
def test_a_string_is_known_if_that_very_string_is_on_the_list(
    student: Student, tokens: list[str], vocabulary: list[str]
) -> None:
    kinds = list(dict.fromkeys(tokens))
    shares = [sum(word not in vocabulary for word in text) / len(text) for text in (tokens, kinds)]
    close(list(student.unknown_rates(tokens, vocabulary)), shares)


@exercise("unknown_rates", needs="test_running_words_and_different_words_are_counted_apart")
def test_strings_that_look_alike_do_not_know_each_other(student: Student) -> None:
    for one, other in ALIKE:
        for word, listed in ((one, other), (other, one)):
            close(list(student.unknown_rates([word], [listed])), [1, 1], given=f"the text {word!r}, the list {listed!r}")


@exercise("bits_per_word")
def test_the_model_agrees_with_a_table_of_probabilities(student: Student) -> None:
    training, tokens = _text(3), _text(4, 2000)
    vocabulary = ["<unk>", *dict.fromkeys(training[:40])]
    seen = [token if token in vocabulary else "<unk>" for token in training]
    chance = {word: (seen.count(word) + 1) / (len(seen) + len(vocabulary)) for word in vocabulary}
    expected = -sum(math.log2(chance.get(token, chance["<unk>"])) for token in tokens) / len(tokens)
    close(student.bits_per_word(training, tokens, vocabulary), expected, given="300 words of training, 2,000 others")
    training, tokens = ["a"] * 3000 + ["b"] * 1000, ["a"] * 3000 + ["b"]
    expected = (3000 * math.log2(4003 / 3001) + math.log2(4003 / 1001)) / 3001
    given = "training 3,000 times a, 1,000 times b; text 3,000 times a, then b"
    close(student.bits_per_word(training, tokens, ["<unk>", "a", "b"]), expected, given=given)
    given = "training 3,000 times a, text a, list <unk> a"  # a small number, which rounding would lose
    found = student.bits_per_word(training[:3000], ["a"], ["<unk>", "a"])
    close(found, math.log2(3002 / 3001), given=given, rtol=1e-3, atol=0)


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


def _bits(training: list[str], tokens: list[str], vocabulary: list[str]) -> list[float]:
    """What each token costs by the formula, counted anew for each."""
    read = [word if word in vocabulary else "<unk>" for word in training]
    known = [word if word in vocabulary else "<unk>" for word in tokens]
    return [math.log2((len(training) + len(vocabulary)) / (1 + read.count(word))) for word in known]


@exercise("bits_per_word", points=0.5, needs="test_one_is_added_to_every_count")
@for_all(texts_and_list=_alike())
def test_strings_that_look_alike_have_their_own_counts(
    student: Student, texts_and_list: tuple[list[str], list[str], list[str]]
) -> None:
    training, tokens, words = texts_and_list
    bits = _bits(training, tokens, _with_unk(words))
    close(student.bits_per_word(training, tokens, _with_unk(words)), sum(bits) / len(bits))


@exercise("bits_per_character", points=0.5, needs="test_known_words_pay_for_nothing_but_themselves")
@for_all(texts_and_list=_alike(), alphabet=sampled_from([1, 2, 12, 300, 70_000]))
def test_small_texts_of_strings_that_look_alike_add_up(
    student: Student, texts_and_list: tuple[list[str], list[str], list[str]], alphabet: int
) -> None:
    training, tokens, words = texts_and_list
    vocabulary = _with_unk(words)
    spelled = sum(len(word) + 1 for word in tokens if word not in vocabulary)
    bits = sum(_bits(training, tokens, vocabulary)) + spelled * math.log2(alphabet + 1)
    expected = bits / sum(len(word) + 1 for word in tokens)
    close(student.bits_per_character(training, tokens, vocabulary, alphabet), expected)


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
    found = student.bits_per_character(["a"], ["a", "x" * 3000, "a"], ["<unk>", "a"], 3)
    bits = 2 * math.log2(3 / 2) + math.log2(3) + 2 * 3001
    close(found, bits / 3005, given="training a; text a, an unknown word of 3,000 characters, a; an alphabet of 3")


UNITS = ["word", "character", "jamo", "byte"]


def _cut(word: str, unit: str) -> list[str] | list[int]:
    if unit == "byte":
        return [*word.encode("utf-8")]
    return [word] if unit == "word" else [*(unicodedata.normalize("NFD", word) if unit == "jamo" else word)]


@exercise("pieces")
def test_mixed_words_are_cut_in_every_unit(student: Student) -> None:
    for word in ("한글Abc", "e\u0301", "", "뷁🙂", " é ", "a\u0301\u0323", "눈e\u0301 " * 300):
        for unit in UNITS:
            equal(list(student.pieces(word, unit)), _cut(word, unit), given=f"{word!r}, {unit}")


STRANGE = [
    "a", "A", "é", "e", "\u0301", "\u0323", "눈", "가", "\u1112", "\u1161", "\u11ab", "ㅋ", "ﬁ", "²", "①", "\u2126", "\u212b", "\uf900", "İ",
    "ß", "🙂", "\u200d", "ệ", "\0", "\n", "\r", " ", "\xa0", "\ufeff", "½", "ｱ", "<", ">",
]  # fmt: skip


@exercise("pieces", points=0.5, needs="test_a_syllable_is_one_character_three_jamo_and_three_bytes")
@for_all(word=lists(sampled_from(STRANGE), max_size=8).map("".join))
def test_any_word_is_cut_in_every_unit(student: Student, word: str) -> None:
    equal({unit: list(student.pieces(word, unit)) for unit in UNITS}, {unit: _cut(word, unit) for unit in UNITS})


# Of as many jamo as of compatible ones: whoever takes NFKD in `pieces` has lost points there, and loses none here.
PLAIN = [c for c in STRANGE if len(unicodedata.normalize("NFKD", c)) == len(unicodedata.normalize("NFD", c))]


@exercise("fertility", points=0.5, needs="test_the_ratios_are_those_of_the_sums")
@for_all(
    words=lists(lists(sampled_from(PLAIN), max_size=3).map("".join), min_size=1, max_size=8).filter(any),
    unit=sampled_from(UNITS),
)
def test_small_texts_are_counted_in_every_unit(student: Student, words: list[str], unit: str) -> None:
    tokens = sum(len(_cut(word, unit)) for word in words)
    expected = [tokens / len(words), len("".join(words).encode()) / tokens]
    close(list(student.fertility(words, unit)), expected)


@exercise("fertility")
def test_a_long_text_is_counted_in_every_unit(student: Student) -> None:
    words = [*_text(7, 299), "a\u0301"]
    size = len("".join(words).encode())
    counted = {"word": 300, "character": len("".join(words)), "byte": size}
    counted["jamo"] = len(unicodedata.normalize("NFD", " ".join(words))) - 299  # less the blanks
    for unit, tokens in counted.items():
        close(list(student.fertility(words, unit)), [tokens / 300, size / tokens], given=f"300 words, {unit}")
    found = list(student.fertility([*[""] * 2999, "눈", "a"], "character"))
    close(found, [2 / 3001, 2], given="2,999 empty words, 눈 and a; character", atol=0)


@exercise("encode")
def test_a_long_text_is_spelled_where_it_is_unknown(student: Student) -> None:
    tokens = ["\0a", *STRINGS, *_text(8)]
    words = list(dict.fromkeys(["", *_text(8)[:30]]))
    expected: list[int] = []
    for token in tokens:
        expected.extend([257 + words.index(token)] if token in words else [*token.encode("utf-8"), 256])
    equal(list(student.encode(tokens, words)), expected, given="311 words, a list of 31 or fewer")
    many = [str(i) for i in range(66_000)]
    equal(list(student.encode(["65999"], many)), [257 + 65_999], given="the last of 66,000 words")
    expected = [*("눈" * 1000).encode(), 256, *[257] * 5000]
    found = list(student.encode(["눈" * 1000, *["a"] * 5000], ["a"]))
    equal(found, expected, given="눈 1,000 times in one word, then a 5,000 times")


def _ids(tokens: list[str], words: list[str]) -> list[int]:
    parts = ([257 + words.index(token)] if token in words else [*token.encode("utf-8"), 256] for token in tokens)
    return list(chain(*parts))


@exercise("encode", points=0.5, needs="test_known_words_have_the_ids_after_the_bytes")
@for_all(text_and_list=_alike().map(lambda drawn: (drawn[0], drawn[2])))
def test_strings_that_look_alike_have_ids_of_their_own(
    student: Student, text_and_list: tuple[list[str], list[str]]
) -> None:
    equal(list(student.encode(*text_and_list)), _ids(*text_and_list))


@exercise("decode", points=0.5, needs="test_known_and_spelled_words_come_back")
@for_all(text_and_list=_alike().map(lambda drawn: (drawn[0], drawn[2])))
def test_strings_that_look_alike_come_back_each_as_it_was(
    student: Student, text_and_list: tuple[list[str], list[str]]
) -> None:
    tokens, words = text_and_list
    equal(list(student.decode(_ids(tokens, words), words)), tokens)


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
    many = [str(i) for i in range(66_000)]
    equal(list(student.decode([257 + 65_999], many)), ["65999"], given="the last of 66,000 words")
    found = list(student.decode([*("눈" * 1000).encode(), 256, *[257] * 5000], ["a"]))
    equal(found, ["눈" * 1000, *["a"] * 5000], given="the ids of 눈 1,000 times in one word, then of a 5,000 times")


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
