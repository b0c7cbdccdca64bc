"""BPE: hidden checks and the metrics that the grader computes itself. Never released."""

import random
from collections import Counter
from itertools import pairwise

from hypothesis.strategies import DrawFn, booleans, composite, integers, lists, permutations, sampled_from, tuples

from etude.lesson.checks import equal, exercise
from etude.lesson.interface import Student
from etude.tokenizers import bpe, byte_bpe
from etude.world import World
from etude.world.lexicon import Language
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

OTHER = 100_000  # added to the seed: the text that the merges are tried on
WORDS = 20_000


@exercise("count_pairs", points=0.5)
@for_all(words=inputs.word_counts())
def test_any_words_are_counted_as_letter_by_letter(student: Student, words: dict[str, int]) -> None:
    expected: Counter[tuple[str, str]] = Counter()
    for word, count in words.items():
        for i in range(len(word) - 1):
            expected[word[i], word[i + 1]] += count
    equal(student.count_pairs({tuple(word): count for word, count in words.items()}), expected)


@exercise("count_pairs", points=0.5)
def test_random_words_are_counted_as_place_by_place(student: Student) -> None:
    draw = random.Random(3)
    words = {tuple(draw.choices(["a", "A", "ab", "눈", "e\u0301", " ", "</w>"], k=draw.randint(0, 14))): draw.randint(1, 9) for _ in range(12)}
    places = [(pair, count) for word, count in words.items() for pair in pairwise(word)]
    expected = {pair: sum(n for other, n in places if other == pair) for pair, _ in places}
    equal(student.count_pairs(words), expected, given="twelve random words")
    long = tuple(chr(0x4E00 + i) for i in range(1200))
    found = student.count_pairs({long: 3_000_000_000})
    equal(found, dict.fromkeys(pairwise(long), 3_000_000_000), given="a word of 1,200 characters, 3,000,000,000 times")
    found = student.count_pairs({("a", "bc"): 2, ("ab", "c"): 3, (): 4, ("</w>",): 5})
    expected = {("a", "bc"): 2, ("ab", "c"): 3}
    equal(found, expected, given="a+bc twice, ab+c 3 times, a word of no tokens, </w> alone")
    equal(student.count_pairs({}), {}, given="no words")


@exercise("count_pairs", points=0.5, needs="test_a_pair_counts_as_often_as_its_words_do")
def test_the_words_are_left_alone(student: Student) -> None:
    words = {("a", "b"): 2, ("b",): 1}
    handle = student.put(dict(words))
    student.count_pairs(handle)
    equal(student.value(handle), words, given="the words, after counting")


TOKENS = ["a", "b", "ab", "ba", "aa", "눈", "e\u0301", "A", " ", " a"]


@exercise("merge_pair", points=0.5)
@for_all(
    word=lists(sampled_from(TOKENS), max_size=8).map(tuple), pair=tuples(sampled_from(TOKENS), sampled_from(TOKENS))
)
def test_any_pair_is_merged_as_in_a_text_of_tokens(
    student: Student, word: tuple[str, ...], pair: tuple[str, str]
) -> None:
    spaced = "".join(f"<{token}>" for token in word).replace("<{}><{}>".format(*pair), f"<{''.join(pair)}>")
    expected = tuple(spaced[1:-1].split("><")) if word else ()
    equal(student.merge_pair(word, pair), expected)


@composite
def _words_with_their_pairs(draw: DrawFn) -> tuple[tuple[str, ...], tuple[str, str]]:
    """A word of two or three kinds of tokens, and a pair that mostly stands in it."""
    kinds = draw(lists(sampled_from([*TOKENS, "</w>", "<", ">", "b</w>", "\n", ".", "\x00"]), min_size=1, max_size=3))
    word = tuple(draw(lists(sampled_from(kinds), max_size=9)))
    places = list(pairwise(word)) or [("a", "b")]
    return word, draw(sampled_from(places) | tuples(sampled_from(kinds), sampled_from(kinds)))


@exercise("merge_pair", points=0.5, needs="test_the_pair_is_joined_wherever_it_stands")
@for_all(drawn=_words_with_their_pairs())
def test_any_pair_of_a_word_is_merged_as_by_the_library(
    student: Student, drawn: tuple[tuple[str, ...], tuple[str, str]]
) -> None:
    word, pair = drawn
    kinds = sorted({*word, *pair})
    number = {token: i for i, token in enumerate(kinds)}
    ids = bpe.merged([number[token] for token in word], (number[pair[0]], number[pair[1]]), -1)
    equal(student.merge_pair(word, pair), tuple("".join(pair) if i < 0 else kinds[i] for i in ids))


@exercise("merge_pair", points=0.5)
def test_pairs_of_different_tokens_are_merged_as_by_the_library(student: Student) -> None:
    draw = random.Random(4)
    cases = [
        (tuple(draw.choices("abc", k=length)), tuple(draw.choices("abc", k=2))) for length in range(9) for _ in "1234"
    ]
    for word, pair in cases:
        ids = bpe.merged([ord(c) for c in word], (ord(pair[0]), ord(pair[1])), 0)
        expected = tuple("".join(pair) if i == 0 else chr(i) for i in ids)
        equal(student.merge_pair(word, pair), expected, given=f"{' '.join(word)!r}, pair {pair}")
    equal(student.merge_pair(("A", "b"), ("a", "b")), ("A", "b"), given="A b, pair (a, b)")
    equal(student.merge_pair((" a", "b "), (" a", "b ")), (" ab ",), given="blank-a b-blank, the same pair")
    found = student.merge_pair(("a", "\0", "b", "a", "b"), ("a", "b"))
    equal(found, ("a", "\0", "b", "ab"), given="a, the character 0, b, a, b; pair (a, b)")
    equal(student.merge_pair(("a", "b") * 1500, ("a", "b")), ("ab",) * 1500, given="a b 1,500 times, pair (a, b)")


@exercise("train_bpe", points=1.5)
def test_the_worlds_text_gives_the_merges_of_the_library(student: Student) -> None:
    counts = Counter(word for sentence in World("ko", seed=7).corpus(1500) for word in sentence)
    counts.update({"Unbelievable-Zoë": 3, "unbelievable-zoë": 2, "5\u212b": 2})  # the sign for ångström, å for NFC
    expected = bpe.train(counts, 420)
    vocabulary, merges = student.train_bpe({tuple(word): count for word, count in counts.items()}, 420)
    given = "1,500 Korean words of the world, two long English ones and 5 Å, size 420"
    equal(merges, list(expected.merges), given=given)
    equal(vocabulary, list(expected.vocabulary), given=given)


@exercise("train_bpe", points=0.5)
@for_all(words=inputs.word_counts(longest=8), more=integers(0, 6))
def test_any_counted_words_give_the_merges_of_the_library(student: Student, words: dict[str, int], more: int) -> None:
    size = len(set("".join(words))) + more
    expected = bpe.train(words, size)
    vocabulary, merges = student.train_bpe({tuple(word): count for word, count in words.items()}, size)
    equal((vocabulary, merges), (list(expected.vocabulary), list(expected.merges)))


SIGNS = ["a", "b", "B", "1", "-", "é", "e", "\u0301", "눈", "\u1161", "🙂", "z"]  # some stand before < in the alphabet, some after


def marked_words(draw: random.Random, letters: str, most: int) -> dict[str, int]:
    """Counted words, some of them with < at the end: one sign for "</w>", with the same place in the alphabet."""
    kinds = ["".join(draw.choices(letters, k=draw.randint(0, 5))) + draw.choice(["<", "<", ""]) for _ in range(most)]
    return {word: draw.choice([1, 2, 2, 3, 300, 3_000_000_000]) for word in kinds if word}


def with_mark(word: str) -> tuple[str, ...]:
    return tuple("</w>" if token == "<" else token for token in word)


@exercise("train_bpe", needs="test_the_papers_words_give_est_and_low")
def test_words_with_their_ends_marked_give_the_merges_of_the_library(student: Student) -> None:
    draw = random.Random(6)
    for i in range(60):
        counts = marked_words(draw, "".join(draw.sample(SIGNS, 2 + i // 15)), 1 + i // 8)
        size = len(set("".join(counts))) + draw.randint(0, 9)
        expected = bpe.train(counts, size)
        vocabulary, merges = student.train_bpe({with_mark(word): count for word, count in counts.items()}, size)
        named = [token.replace("<", "</w>") for token in expected.vocabulary]
        pairs = [(a.replace("<", "</w>"), b.replace("<", "</w>")) for a, b in expected.merges]
        given = f"the words {counts}, where < stands for the mark </w>; size {size}"
        equal(vocabulary, named, given=given)
        equal(merges, pairs, given=given)


@exercise("train_bpe", needs="test_the_papers_words_give_est_and_low")
def test_the_words_stay_as_they_are(student: Student) -> None:
    words = {("a", "b", "a", "b"): 2, ("b", "a"): 1}
    handle = student.put(dict(words))
    student.train_bpe(handle, 5)
    equal(student.value(handle), words, given="the words, after training on them")


@exercise("train_bpe", points=0.5, needs="test_the_papers_words_give_est_and_low")
def test_a_size_that_is_reached_already_allows_no_merge(student: Student) -> None:
    vocabulary, merges = student.train_bpe({("a", "b"): 2}, 2)
    equal((vocabulary, merges), (["a", "b"], []), given="ab twice; size 2")


@exercise("train_bpe", points=0.5, needs="test_the_papers_words_give_est_and_low")
def test_large_counts_that_are_nearly_equal_are_told_apart(student: Student) -> None:
    words = {("c", "d"): 3_000_000_001, ("a", "b"): 3_000_000_000}
    equal(student.train_bpe(words, 5)[1], [("c", "d")], given="cd 3,000,000,001 times, ab once less; size 5")
    vocabulary, merges = student.train_bpe({}, 3)
    equal((vocabulary, merges), ([], []), given="no words; size 3")


@exercise("encode_word", points=0.5)
@for_all(word=inputs.words(longest=9, letters=3), learnt=inputs.word_counts(longest=8))
def test_any_word_is_encoded_as_by_the_library(student: Student, word: str, learnt: dict[str, int]) -> None:
    library = bpe.train(learnt, 12, alphabet="abc")
    equal(student.encode_word(tuple(word), list(library.merges)), tuple(library.tokens(word)))


@exercise("encode_word", needs="test_the_pair_that_was_learnt_first_is_merged_first")
def test_marked_words_of_all_letters_are_encoded_as_by_the_library(student: Student) -> None:
    draw = random.Random(7)
    for i in range(60):
        letters = "".join(draw.sample(SIGNS, 2 + i // 15))
        library = bpe.train({"<": 1, **marked_words(draw, letters, 4)}, 14, alphabet=letters)
        merges = [(a.replace("<", "</w>"), b.replace("<", "</w>")) for a, b in library.merges]
        word = "".join(draw.choices(letters, k=i // 6)) + draw.choice(["<", ""])
        expected = tuple(token.replace("<", "</w>") for token in library.tokens(word))
        equal(student.encode_word(with_mark(word), merges), expected, given=f"{with_mark(word)}; merges {merges}")


@exercise("encode_word", points=1.5)
def test_words_of_the_world_are_encoded_as_by_the_library(student: Student) -> None:
    counts = Counter(word for sentence in World("en", seed=8).corpus(3000) for word in sentence)
    library = bpe.train(counts, 150, unknown="<unk>")
    words = sorted({word for sentence in World("en", seed=9).corpus(300) for word in sentence})
    for word in [*words[:80], "".join(words[:12])]:
        equal(student.encode_word(tuple(word), list(library.merges)), tuple(library.tokens(word)), given=word)


@exercise("encode_word", points=0.5)
def test_a_long_word_of_letters_and_blanks_is_merged_to_its_end(student: Student) -> None:
    merges = [("A", "a"), ("Aa", " ")]
    found = student.encode_word(("A", "a", " ", " ") * 40, merges)
    equal(found, ("Aa ", " ") * 40, given="A a and two blanks, 40 times; merges A+a, Aa+blank")
    equal(student.encode_word(("a", "b", "</w>"), []), ("a", "b", "</w>"), given="a b </w>, no merges")
    letters = [chr(0x4E00 + i) for i in range(300)]
    found = student.encode_word(tuple(letters), list(zip(letters[::2], letters[1::2], strict=True)))
    expected = tuple(a + b for a, b in zip(letters[::2], letters[1::2], strict=True))
    equal(found, expected, given="a word of 300 different characters, of which each two are a merge of their own")
    merges = [("a", "b"), *((chr(0x4E00 + i), "x") for i in range(3000)), ("ab", "a")]
    found = student.encode_word(("a", "b", "a", chr(0x4E00 + 2999), "x"), merges)
    expected = ("aba", chr(0x4E00 + 2999) + "x")
    equal(found, expected, given="a b a and two more; 3,002 merges, of which three fit, the last too")


@exercise("encode_word", points=0.5)
def test_a_run_of_one_letter_is_cut_from_the_left(student: Student) -> None:
    equal(
        student.encode_word(tuple("aaaaa"), [("a", "a"), ("aa", "a")]), ("aa", "aaa"), given="aaaaa; merges a+a, aa+a"
    )


@exercise("decode_words")
def test_every_list_of_words_comes_back(student: Student) -> None:
    draw = random.Random(5)
    for length in [0, 1, 2, 3, 4, 30]:
        words = ["".join(draw.choices("aBw</,눈e\u0301", k=draw.randint(0, 4))) for _ in range(length)]
        tokens = [token for word in words for token in (*word[:-1], word[-1:] + "</w>")]
        equal(student.decode_words(tokens), " ".join(words), given=tokens)


LETTERS = ["a", "B", "<", "/", "w", ">", "</w", "</W>", ",", "'", "눈", "e\u0301", "\u1112\u1161"]
LETTERS += ["\xa0", "\u3000", "▁", "##", "\ufeff"]


@composite
def _tokens_and_words(draw: DrawFn) -> tuple[list[str], list[str]]:
    """Tokens, and the words that they are: empty ones too, cut anywhere, the last one perhaps without its end."""
    pieces = lists(sampled_from(LETTERS), max_size=3).filter(lambda word: "</w>" not in "".join(word))
    tokens, words = list[str](), draw(lists(pieces, max_size=8))
    for word in words:
        alone = not word or draw(booleans())  # the end as a token of its own
        tokens += [*word, "</w>"] if alone else [*word[:-1], word[-1] + "</w>"]
    last = draw(pieces)
    return tokens + last, ["".join(word) for word in [*words, last][: len(words) + bool(last)]]


@exercise("decode_words", points=0.5, needs="test_marks_become_blanks_between_words")
@for_all(tokens_and_words=_tokens_and_words())
def test_any_words_come_back_however_they_are_cut(
    student: Student, tokens_and_words: tuple[list[str], list[str]]
) -> None:
    tokens, words = tokens_and_words
    equal(student.decode_words(tokens), " ".join(words))


@exercise("byte_table")
def test_the_table_is_the_published_one(student: Student) -> None:
    equal(student.byte_table(), dict(enumerate(byte_bpe.BYTES)), given="the whole table")


@exercise("encode_text", points=2)
def test_texts_are_encoded_as_by_the_library(student: Student) -> None:
    lines = [" ".join(sentence) for language in ("en", "ko") for sentence in World(language, seed=6).corpus(400)]
    library = byte_bpe.train(lines, 256 + 120)
    merges = list(library.bpe.merges)
    for text in ["It's  3 Lows\n\n", "킹받네 🙂", *lines[:3], *lines[-3:]]:
        equal(student.encode_text(text, merges), library.tokens(text), given=text)
    long = "".join(f"low{i % 7} " for i in range(600)) + "한" * 300
    given = "600 words, low0 low1 … low6 again and again, then 한 300 times"
    equal(student.encode_text(long, merges), library.tokens(long), given=given)
    found = student.encode_text("a,a\r\na", [("a", ",")])
    equal(found, ["a", ",", "a", "č", "Ċ", "a"], given="a,a and a on the next line (\\r\\n); merge a+, which the cut forbids")
    found = student.encode_text("\ufeffa\n\n\n\nb", [("Ċ", "Ċ"), ("ĊĊ", "Ċ")])
    given = "a byte order mark (U+FEFF), a, four line ends, b; merges Ċ+Ċ, ĊĊ+Ċ"
    equal(found, ["ï", "»", "¿", "a", "ĊĊĊ", "Ċ", "b"], given=given)


SPACED = ["\n", "\n\n", "\r\n", "\r", " ", "  ", " \n", "\n ", "\t", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2028", "\u3000"]
WRITTEN = ["a", "ab", "A", "1", "½", ",", "'s", "'S", "?!", "눈", "é", "e\u0301", "\u1112\u1161", "🙂", "\ufeff", "_", "\0", "ﬁ"]


def merged_by_rank(piece: list[str], merges: list[tuple[str, str]]) -> list[str]:
    """The piece's tokens: of the pairs in it, the first in the list is joined, from left to right, until none is there."""
    while (pairs := set(pairwise(piece))) and (best := next((pair for pair in merges if pair in pairs), None)):
        piece = bpe.merged(piece, best, "".join(best))
    return piece


@composite
def _texts_and_merges(draw: DrawFn) -> tuple[str, list[tuple[str, str]]]:
    """A text, and all neighbours in it as merges, those at the cuts too: where it is cut elsewhere, tokens differ."""
    blanks, written = (draw(lists(sampled_from(kinds), min_size=1, max_size=4)) for kinds in (SPACED, WRITTEN))
    size = draw(integers(0, 10))
    text = "".join(draw(lists(sampled_from(blanks) | sampled_from(written), min_size=size, max_size=size)))
    letters = [byte_bpe.BYTES[byte] for byte in text.encode()]
    pairs = draw(permutations(list(dict.fromkeys(pairwise(letters)))))
    triples = dict.fromkeys((a + b, c) for a, b, c in zip(letters, letters[1:], letters[2:], strict=False))
    return text, [*pairs, *triples]


@exercise("encode_text", points=1.5, needs="test_without_merges_a_syllable_is_three_bytes")
@for_all(text_and_merges=_texts_and_merges())
def test_any_text_is_cut_as_a_whole_and_merged_by_rank(
    student: Student, text_and_merges: tuple[str, list[tuple[str, str]]]
) -> None:
    text, merges = text_and_merges
    pieces = [[byte_bpe.BYTES[byte] for byte in piece.encode()] for piece in byte_bpe.split(text)]
    equal(student.encode_text(text, merges), [token for piece in pieces for token in merged_by_rank(piece, merges)])


@exercise("decode_bytes", points=0.5, needs="test_ascii_comes_back_with_its_blanks")
def test_any_bytes_are_read_as_python_reads_them(student: Student) -> None:
    draw = random.Random(10)
    some = [*b"a \n\r\0", 0x7F, 0x80, 0xBF, 0xC2, 0xC3, 0xA9, 0xE0, 0xED, 0xEF, 0xBB, 0xBF, 0xF0, 0x9F, 0x99, 0x82, 0xF4, 0xFF]
    for i in range(60):
        data = bytes(draw.choices(some, k=i // 6)) + "é눈🙂 "[: i % 5].encode()
        written = "".join(byte_bpe.BYTES[byte] for byte in data)
        place = draw.randint(0, len(written))
        tokens = [written[:place], written[place:]]
        equal(student.decode_bytes(tokens), data.decode("utf-8", errors="replace"), given=f"{tokens}, the bytes {list(data)}")


@exercise("decode_bytes", points=0.5)
@for_all(text=inputs.texts(), cuts=lists(integers(1, 4), min_size=1, max_size=3))
def test_any_bytes_of_a_text_come_back_however_they_are_cut(student: Student, text: str, cuts: list[int]) -> None:
    written = "".join(byte_bpe.BYTES[byte] for byte in text.encode())
    tokens: list[str] = []
    while written:
        size = cuts[len(tokens) % len(cuts)]
        tokens, written = [*tokens, written[:size]], written[size:]
    equal(student.decode_bytes(tokens), text)


@exercise("decode_bytes", points=0.5)
def test_what_the_library_encodes_comes_back(student: Student) -> None:
    library = byte_bpe.train(["하루 커피 최소 3잔은 마셔야 살 수 있다", "low lower lowest"], 256 + 40)
    for text in ["커피 lower\n", "살 수 있다 ☕", "\u1112\u1161\u11ab\xa0\xad", "\ufeffa\r\nb"]:
        tokens = library.tokens(text)
        equal(student.decode_bytes(tokens), text, given=f"the tokens of {text!r}")
        equal(student.decode_bytes(["".join(tokens)]), text, given=f"{text!r} as one token")
    equal(student.decode_bytes(["ÿ", "ÿ"]), "\ufffd\ufffd", given="ÿ ÿ: twice the byte 255, which UTF-8 does not have")


@metric("tokens_per_word_en")
def tokens_per_word_en(artifacts: Artifacts) -> float:
    return _tokens_per_word(artifacts, "en")


@metric("tokens_per_word_ko")
def tokens_per_word_ko(artifacts: Artifacts) -> float:
    return _tokens_per_word(artifacts, "ko")


def _tokens_per_word(artifacts: Artifacts, language: Language) -> float:
    """On a text that the notebook has not learnt from, encoded by the grader with the recorded merges."""
    merges = [tuple(line.split(" ")) for line in artifacts.strings(f"merges_{language}")]
    if bad := [pair for pair in merges if len(pair) != 2]:
        raise BadArtifact(f"merges_{language} holds {' '.join(bad[0])!r}, which is no pair of tokens")
    ids: dict[str, int] = {}

    def number(token: str) -> int:
        return ids.setdefault(token, len(ids))

    ranks = {(number(a), number(b)): (rank, number(a + b)) for rank, (a, b) in enumerate(merges)}
    counts = Counter(
        word for sentence in World(language, seed=artifacts.seed + OTHER).corpus(WORDS) for word in sentence
    )
    total = sum(count * len(bpe.join([number(c) for c in word], ranks)) for word, count in counts.items())
    return total / counts.total()
