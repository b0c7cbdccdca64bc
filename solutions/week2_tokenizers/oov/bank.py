"""Why subwords: classic mistakes and other right ways, for each exercise. Never released."""

import math
import unicodedata
from collections import Counter

import numpy as np
import pandas as pd

from grader.lessons.bank import alternative, equivalent, mistake

# most_frequent


@mistake(
    "most_frequent",
    "<unk> is not counted: the list may have `size` entries with it",
    "test_the_most_frequent_word_comes_first_after_unk",
)
def most_frequent(tokens, size):
    counts = Counter(tokens)
    return ["<unk>", *sorted(counts, key=lambda word: (-counts[word], word))[:size]]


@mistake(
    "most_frequent",
    "equally frequent words stand in the order of the text (as most_common gives them): the alphabet decides",
    "test_equally_frequent_words_stand_in_alphabetical_order",
)
def most_frequent(tokens, size):
    return ["<unk>", *(word for word, _ in Counter(tokens).most_common(size - 1))]


@mistake(
    "most_frequent",
    "the rarest words come first: sort by falling count",
    "test_the_most_frequent_word_comes_first_after_unk",
)
def most_frequent(tokens, size):
    counts = Counter(tokens)
    return ["<unk>", *sorted(counts, key=lambda word: (counts[word], word))[: size - 1]]


@mistake(
    "most_frequent",
    "<unk> stands last: it is the first of the list",
    "test_the_most_frequent_word_comes_first_after_unk",
)
def most_frequent(tokens, size):
    counts = Counter(tokens)
    return [*sorted(counts, key=lambda word: (-counts[word], word))[: size - 1], "<unk>"]


@mistake(
    "most_frequent",
    "the whole list is in alphabetical order: the count comes first, the alphabet only decides between equals",
    "test_the_most_frequent_word_comes_first_after_unk",
)
def most_frequent(tokens, size):
    return ["<unk>", *sorted(set(tokens))[: size - 1]]


@alternative("most_frequent")
def most_frequent(tokens, size):
    counts = pd.Series(tokens).value_counts().rename_axis("word").reset_index(name="n")
    ranked = counts.sort_values(["n", "word"], ascending=[False, True])
    return ["<unk>"] + ranked["word"].tolist()[: size - 1]


@alternative("most_frequent")
def most_frequent(tokens, size):
    ordered = sorted(tokens)
    starts = [i for i, word in enumerate(ordered) if i == 0 or word != ordered[i - 1]]
    runs = [(ordered[i], end - i) for i, end in zip(starts, [*starts[1:], len(ordered)])]
    runs.sort(key=lambda run: -run[1])  # stable: the alphabet stays
    return ["<unk>"] + [word for word, _ in runs][: size - 1]


# unknown_rates


@mistake(
    "unknown_rates",
    "the two shares are exchanged: running words come first",
    "test_running_words_and_different_words_are_counted_apart",
)
def unknown_rates(tokens, vocabulary):
    known, different = set(vocabulary), set(tokens)
    return len(different - known) / len(different), sum(token not in known for token in tokens) / len(tokens)


@mistake(
    "unknown_rates",
    "the known words are counted, not the unknown ones",
    "test_a_known_text_has_no_unknown_words_and_a_strange_one_no_others",
)
def unknown_rates(tokens, vocabulary):
    known, different = set(vocabulary), set(tokens)
    return sum(token in known for token in tokens) / len(tokens), len(different & known) / len(different)


@mistake(
    "unknown_rates",
    "different words are divided by the running ones: each share has its own whole",
    "test_running_words_and_different_words_are_counted_apart",
)
def unknown_rates(tokens, vocabulary):
    known = set(vocabulary)
    return sum(token not in known for token in tokens) / len(tokens), len(set(tokens) - known) / len(tokens)


@mistake(
    "unknown_rates",
    "the different words are divided by the vocabulary's size: the whole is the text's different words",
    "test_running_words_and_different_words_are_counted_apart",
)
def unknown_rates(tokens, vocabulary):
    known = set(vocabulary)
    return sum(token not in known for token in tokens) / len(tokens), len(set(tokens) - known) / len(vocabulary)


@mistake(
    "unknown_rates",
    "both are the share of the running words: the second one is of the different words",
    "test_running_words_and_different_words_are_counted_apart",
)
def unknown_rates(tokens, vocabulary):
    known = set(vocabulary)
    share = sum(token not in known for token in tokens) / len(tokens)
    return share, share


@alternative("unknown_rates")
def unknown_rates(tokens, vocabulary):
    counts = Counter(tokens)
    for word in vocabulary:
        counts.pop(word, None)
    return counts.total() / len(tokens), len(counts) / len(set(tokens))


@alternative("unknown_rates")
def unknown_rates(tokens, vocabulary):
    different, counts = np.unique(np.array(tokens, dtype=object).astype(str), return_counts=True)
    unknown = ~np.isin(different, vocabulary)
    return [counts[unknown].sum() / counts.sum(), unknown.mean()]


# bits_per_word


@mistake(
    "bits_per_word",
    "unknown words are left out of the sum: they count as <unk>",
    "test_unknown_words_count_as_unk_on_both_sides",
)
def bits_per_word(training, tokens, vocabulary):
    known = set(vocabulary)
    counts = Counter(token if token in known else "<unk>" for token in training)
    total = len(training) + len(vocabulary)
    return sum(-math.log2((counts[token] + 1) / total) for token in tokens if token in known) / len(tokens)


@mistake(
    "bits_per_word",
    "natural logarithms give nats: bits take the logarithm to base 2",
    "test_one_is_added_to_every_count",
)
def bits_per_word(training, tokens, vocabulary):
    known = set(vocabulary)
    counts = Counter(token if token in known else "<unk>" for token in training)
    total = len(training) + len(vocabulary)
    return sum(-math.log((counts[token if token in known else "<unk>"] + 1) / total) for token in tokens) / len(tokens)


@mistake(
    "bits_per_word",
    "V is missing below the line, so the probabilities add up to more than 1",
    "test_one_is_added_to_every_count",
)
def bits_per_word(training, tokens, vocabulary):
    known = set(vocabulary)
    counts = Counter(token if token in known else "<unk>" for token in training)
    return sum(
        -math.log2((counts[token if token in known else "<unk>"] + 1) / len(training)) for token in tokens
    ) / len(tokens)


@mistake(
    "bits_per_word",
    "training words that are not on the list are not counted as <unk>, so <unk> looks rare",
    "test_unknown_words_count_as_unk_on_both_sides",
)
def bits_per_word(training, tokens, vocabulary):
    known = set(vocabulary)
    counts = Counter(training)
    total = len(training) + len(vocabulary)
    return sum(-math.log2((counts[token if token in known else "<unk>"] + 1) / total) for token in tokens) / len(tokens)


@mistake(
    "bits_per_word",
    "this is the sum over the text: bits per word is its mean",
    "test_unknown_words_count_as_unk_on_both_sides",
)
def bits_per_word(training, tokens, vocabulary):
    known = set(vocabulary)
    counts = Counter(token if token in known else "<unk>" for token in training)
    total = len(training) + len(vocabulary)
    return sum(-math.log2((counts[token if token in known else "<unk>"] + 1) / total) for token in tokens)


@alternative("bits_per_word")
def bits_per_word(training, tokens, vocabulary):
    place = {word: i for i, word in enumerate(vocabulary)}
    unknown = place["<unk>"]
    seen = np.array([place.get(token, unknown) for token in training], dtype=int)
    asked = np.array([place.get(token, unknown) for token in tokens], dtype=int)
    counts = np.bincount(seen, minlength=len(vocabulary)) + 1
    return float(-np.log2(counts / counts.sum())[asked].mean())


@alternative("bits_per_word")
def bits_per_word(training, tokens, vocabulary):
    chance = dict.fromkeys(vocabulary, 1)
    for token in training:
        chance[token if token in chance else "<unk>"] += 1
    total = sum(chance.values())
    surprise = 0.0
    for token in tokens:
        surprise += math.log2(total) - math.log2(chance.get(token, chance["<unk>"]))
    return surprise / len(tokens)


# bits_per_character


@mistake(
    "bits_per_character",
    "the mark at the word's end is not paid for: n + 1 signs are drawn",
    "test_an_unknown_word_is_spelled_with_a_mark_at_its_end",
)
def bits_per_character(training, tokens, vocabulary, alphabet):
    known = set(vocabulary)
    bits = bits_per_word(training, tokens, vocabulary) * len(tokens)
    spelled = sum(len(token) for token in tokens if token not in known)
    return (bits + spelled * math.log2(alphabet + 1)) / sum(len(token) + 1 for token in tokens)


@mistake(
    "bits_per_character",
    "each sign is one of A + 1: the mark at the word's end is one of them",
    "test_an_unknown_word_is_spelled_with_a_mark_at_its_end",
)
def bits_per_character(training, tokens, vocabulary, alphabet):
    known = set(vocabulary)
    bits = bits_per_word(training, tokens, vocabulary) * len(tokens)
    spelled = sum(len(token) + 1 for token in tokens if token not in known)
    return (bits + spelled * math.log2(alphabet)) / sum(len(token) + 1 for token in tokens)


@mistake(
    "bits_per_character",
    "the blanks after the words are characters too",
    "test_known_words_pay_for_nothing_but_themselves",
)
def bits_per_character(training, tokens, vocabulary, alphabet):
    known = set(vocabulary)
    bits = bits_per_word(training, tokens, vocabulary) * len(tokens)
    spelled = sum(len(token) + 1 for token in tokens if token not in known)
    return (bits + spelled * math.log2(alphabet + 1)) / sum(len(token) for token in tokens)


@mistake(
    "bits_per_character",
    "every word is spelled: known words pay for themselves alone",
    "test_known_words_pay_for_nothing_but_themselves",
)
def bits_per_character(training, tokens, vocabulary, alphabet):
    bits = bits_per_word(training, tokens, vocabulary) * len(tokens)
    spelled = sum(len(token) + 1 for token in tokens)
    return (bits + spelled * math.log2(alphabet + 1)) / spelled


@mistake(
    "bits_per_character",
    "the mean over words was not taken back to a sum before it was divided by the characters",
    "test_known_words_pay_for_nothing_but_themselves",
)
def bits_per_character(training, tokens, vocabulary, alphabet):
    known = set(vocabulary)
    bits = bits_per_word(training, tokens, vocabulary)
    spelled = sum(len(token) + 1 for token in tokens if token not in known)
    return (bits + spelled * math.log2(alphabet + 1)) / sum(len(token) + 1 for token in tokens)


@mistake(
    "bits_per_character",
    "an unknown word pays for its spelling, and for <unk> before it",
    "test_an_unknown_word_is_spelled_with_a_mark_at_its_end",
)
def bits_per_character(training, tokens, vocabulary, alphabet):
    known = set(vocabulary)
    counts = Counter(token if token in known else "<unk>" for token in training)
    total = len(training) + len(vocabulary)
    bits = 0.0
    for token in tokens:
        if token in known:
            bits -= math.log2((counts[token] + 1) / total)
        else:
            bits += (len(token) + 1) * math.log2(alphabet + 1)
    return bits / sum(len(token) + 1 for token in tokens)


@alternative("bits_per_character")
def bits_per_character(training, tokens, vocabulary, alphabet):
    known = set(vocabulary)
    counts = Counter(token if token in known else "<unk>" for token in training)
    total, bits = len(training) + len(vocabulary), 0.0
    for token in tokens:
        if token in known:
            bits += math.log2(total / (counts[token] + 1))
        else:
            bits += math.log2(total / (counts["<unk>"] + 1)) + math.log2((alphabet + 1) ** (len(token) + 1))
    return bits / len(" ".join([*tokens, ""]))


@alternative("bits_per_character")
def bits_per_character(training, tokens, vocabulary, alphabet):
    lengths = np.array([len(token) + 1 for token in tokens])
    unknown = np.array([token not in vocabulary for token in tokens])
    words = bits_per_word(training, tokens, vocabulary) / lengths.mean()
    return words + np.log2(alphabet + 1) * (lengths * unknown).sum() / lengths.sum()


# pieces


@mistake(
    "pieces",
    "NFKD also replaces characters that only look alike (ﬁ, ²): canonical decomposition is NFD",
    "test_decomposition_is_canonical",
)
def pieces(word, unit):
    if unit == "word":
        return [word]
    if unit == "byte":
        return list(word.encode())
    return list(unicodedata.normalize("NFKD", word) if unit == "jamo" else word)


@mistake(
    "pieces",
    "NFC puts letters together: NFD takes them apart",
    "test_a_syllable_is_one_character_three_jamo_and_three_bytes",
)
def pieces(word, unit):
    if unit == "word":
        return [word]
    if unit == "byte":
        return list(word.encode())
    return list(unicodedata.normalize("NFC", word) if unit == "jamo" else word)


@mistake(
    "pieces",
    "these are code points (ord): a byte is one of UTF-8's",
    "test_a_syllable_is_one_character_three_jamo_and_three_bytes",
)
def pieces(word, unit):
    if unit == "word":
        return [word]
    if unit == "byte":
        return [ord(character) for character in word]
    return list(unicodedata.normalize("NFD", word) if unit == "jamo" else word)


@mistake(
    "pieces",
    "characters are decomposed too: they are code points as they stand",
    "test_characters_are_code_points_as_they_stand",
)
def pieces(word, unit):
    if unit == "word":
        return [word]
    if unit == "byte":
        return list(word.encode())
    return list(unicodedata.normalize("NFD", word))


@mistake(
    "pieces",
    "the bytes are those of UTF-16: UTF-8 is asked for",
    "test_a_syllable_is_one_character_three_jamo_and_three_bytes",
)
def pieces(word, unit):
    if unit == "word":
        return [word]
    if unit == "byte":
        return list(word.encode("utf-16-le"))
    return list(unicodedata.normalize("NFD", word) if unit == "jamo" else word)


@mistake(
    "pieces",
    "what came back is a string or bytes: a list of its characters or numbers is asked for",
    "test_the_pieces_stand_in_a_list",
)
def pieces(word, unit):
    if unit == "word":
        return [word]
    if unit == "byte":
        return word.encode()
    return unicodedata.normalize("NFD", word) if unit == "jamo" else word


@alternative("pieces")
def pieces(word, unit):
    match unit:
        case "word":
            return [word]
        case "character":
            return list(word)
        case "jamo":
            return [jamo for character in word for jamo in unicodedata.normalize("NFD", character)]
        case "byte":
            return [byte for character in word for byte in character.encode("utf-8")]


@alternative("pieces")
def pieces(word, unit):
    cut = {
        "word": lambda: (word,),
        "character": lambda: tuple(word),
        "jamo": lambda: tuple(unicodedata.normalize("NFD", word)),
        "byte": lambda: tuple(bytearray(word, "utf-8")),
    }
    return cut[unit]()


# fertility


@mistake(
    "fertility",
    "the mean of each word's own bytes per token: the ratio of the sums is asked for",
    "test_the_ratios_are_those_of_the_sums",
)
def fertility(words, unit):
    tokens = [len(pieces(word, unit)) for word in words]
    sizes = [len(word.encode()) for word in words]
    return sum(tokens) / len(words), sum(size / count for size, count in zip(sizes, tokens)) / len(words)


@mistake("fertility", "characters are counted, not bytes: a Hangul syllable has three", "test_bytes_are_those_of_utf8")
def fertility(words, unit):
    tokens = sum(len(pieces(word, unit)) for word in words)
    return tokens / len(words), sum(len(word) for word in words) / tokens


@mistake(
    "fertility",
    "tokens per byte is the inverse: bytes per token is asked for",
    "test_bytes_are_those_of_utf8",
)
def fertility(words, unit):
    tokens = sum(len(pieces(word, unit)) for word in words)
    return tokens / len(words), tokens / sum(len(word.encode()) for word in words)


@mistake(
    "fertility",
    "words per token is the inverse: tokens per word is asked for",
    "test_the_ratios_are_those_of_the_sums",
)
def fertility(words, unit):
    tokens = sum(len(pieces(word, unit)) for word in words)
    return len(words) / tokens, sum(len(word.encode()) for word in words) / tokens


@mistake(
    "fertility",
    "each different word is counted once: frequent words count as often as they occur",
    "test_a_long_text_is_counted_in_every_unit",
)
def fertility(words, unit):
    words = set(words)
    tokens = sum(len(pieces(word, unit)) for word in words)
    return tokens / len(words), sum(len(word.encode()) for word in words) / tokens


@mistake(
    "fertility",
    "the bytes are those of the decomposed pieces: those of the words as they stand are asked for",
    "test_bytes_are_those_of_the_words_and_not_of_their_jamo",
)
def fertility(words, unit):
    cut = [pieces(word, unit) for word in words]
    tokens = sum(map(len, cut))
    size = tokens if unit == "byte" else sum(len(piece.encode()) for word in cut for piece in word)
    return tokens / len(words), size / tokens


@mistake(
    "fertility",
    "each syllable is counted as three jamo of one byte each: 가 has only two, and tokens are what pieces gives",
    "test_bytes_are_those_of_the_words_and_not_of_their_jamo",
)
def fertility(words, unit):
    if unit == "jamo":
        return 3 * sum(len(word) for word in words) / len(words), 1.0
    tokens = sum(len(pieces(word, unit)) for word in words)
    return tokens / len(words), sum(len(word.encode()) for word in words) / tokens


@alternative("fertility")
def fertility(words, unit):
    tokens = np.array([len(pieces(word, unit)) for word in words])
    sizes = np.array([len(word.encode()) for word in words])
    return tokens.mean(), sizes.sum() / tokens.sum()


@alternative("fertility")
def fertility(words, unit):
    tokens = [token for word in words for token in pieces(word, unit)]
    return [len(tokens) / len(words), len("".join(words).encode()) / len(tokens)]


# encode


@mistake(
    "encode",
    "the list's words start at 257: 256 is the end of a spelled word",
    "test_known_words_have_the_ids_after_the_bytes",
)
def encode(tokens, words):
    place = {word: 256 + i for i, word in enumerate(words)}
    ids = []
    for token in tokens:
        ids += [place[token]] if token in place else [*token.encode(), 256]
    return ids


@mistake("encode", "a spelled word is not closed with 256", "test_an_unknown_word_is_spelled_in_bytes_and_closed")
def encode(tokens, words):
    place = {word: 257 + i for i, word in enumerate(words)}
    ids = []
    for token in tokens:
        ids += [place[token]] if token in place else [*token.encode()]
    return ids


@mistake(
    "encode",
    "code points in place of bytes: a Hangul letter's number is far beyond 255",
    "test_an_unknown_word_is_spelled_in_bytes_and_closed",
)
def encode(tokens, words):
    place = {word: 257 + i for i, word in enumerate(words)}
    ids = []
    for token in tokens:
        ids += [place[token]] if token in place else [*map(ord, token), 256]
    return ids


@mistake(
    "encode", "every word is followed by 256: only spelled ones are", "test_known_words_have_the_ids_after_the_bytes"
)
def encode(tokens, words):
    place = {word: 257 + i for i, word in enumerate(words)}
    ids = []
    for token in tokens:
        ids += [*([place[token]] if token in place else token.encode()), 256]
    return ids


@mistake(
    "encode", "an empty token is left out: it is spelled with no byte and closed", "test_an_empty_token_is_a_token_too"
)
def encode(tokens, words):
    place = {word: 257 + i for i, word in enumerate(words)}
    ids = []
    for token in tokens:
        if token:
            ids += [place[token]] if token in place else [*token.encode(), 256]
    return ids


@alternative("encode")
def encode(tokens, words):
    return [
        number
        for token in tokens
        for number in ((257 + words.index(token),) if token in words else (*token.encode("utf-8"), 256))
    ]


@alternative("encode")
def encode(tokens, words):
    place = dict(zip(words, range(257, 257 + len(words))))
    parts = [np.array([place[t]] if t in place else [*t.encode(), 256]) for t in tokens]
    return np.concatenate(parts).tolist() if parts else []


# decode


@mistake(
    "decode",
    "256 is not taken as the end of a word, so spelled words run together",
    "test_two_spelled_words_in_a_row_stay_two",
)
def decode(ids, words):
    tokens, spelled = [], bytearray()
    for number in ids:
        if number < 256:
            spelled.append(number)
        elif number > 256:
            if spelled:
                tokens.append(spelled.decode())
                spelled.clear()
            tokens.append(words[number - 257])
    return tokens + ([spelled.decode()] if spelled else [])


@mistake(
    "decode", "each byte is made a character of its own: UTF-8 needs several", "test_known_and_spelled_words_come_back"
)
def decode(ids, words):
    tokens, spelled = [], []
    for number in ids:
        if number < 256:
            spelled.append(chr(number))
        elif number == 256:
            tokens.append("".join(spelled))
            spelled = []
        else:
            tokens.append(words[number - 257])
    return tokens


@mistake("decode", "the list's first word is 257, not 256", "test_known_and_spelled_words_come_back")
def decode(ids, words):
    tokens, spelled = [], bytearray()
    for number in ids:
        if number < 256:
            spelled.append(number)
        elif number == 256:
            tokens.append(spelled.decode())
            spelled.clear()
        else:
            tokens.append(words[(number - 256) % len(words)])
    return tokens


@mistake(
    "decode",
    "the bytes are not cleared after a word, so the next one starts with them",
    "test_two_spelled_words_in_a_row_stay_two",
)
def decode(ids, words):
    tokens, spelled = [], bytearray()
    for number in ids:
        if number < 256:
            spelled.append(number)
        elif number == 256:
            tokens.append(spelled.decode())
        else:
            tokens.append(words[number - 257])
    return tokens


@mistake("decode", "an empty token is left out: a 256 without bytes before it is one", "test_an_empty_token_comes_back")
def decode(ids, words):
    tokens, spelled = [], bytearray()
    for number in ids:
        if number < 256:
            spelled.append(number)
        elif number == 256:
            if spelled:
                tokens.append(spelled.decode())
            spelled.clear()
        else:
            tokens.append(words[number - 257])
    return tokens


@alternative("decode")
def decode(ids, words):
    tokens, start = [], 0
    for place, number in enumerate(ids):
        if number >= 256:
            tokens.append(bytes(ids[start:place]).decode() if number == 256 else words[number - 257])
            start = place + 1
    return tokens


@alternative("decode")
def decode(ids, words):
    table = {257 + i: word for i, word in enumerate(words)}
    tokens, rest = [], list(ids)
    while rest:
        if rest[0] in table:
            tokens.append(table[rest.pop(0)])
        else:
            end = rest.index(256)
            tokens.append(str(bytes(rest[:end]), "utf-8"))
            rest = rest[end + 1 :]
    return tokens


# What no check can tell from a right answer.

equivalent("decode", "3: number < 256 → number < 255", "255 is no byte of UTF-8")
