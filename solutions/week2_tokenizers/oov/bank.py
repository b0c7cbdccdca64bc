"""Why subwords: classic mistakes and other right ways, for each exercise. Never released."""

import math
import unicodedata
from collections import Counter

import numpy as np
import pandas as pd

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# most_frequent
@alternative("most_frequent", "pandas")
def most_frequent(tokens, size):
    counts = pd.Series(tokens).value_counts().rename_axis("word").reset_index(name="n")
    ranked = counts.sort_values(["n", "word"], ascending=[False, True])
    return ["<unk>"] + ranked["word"].tolist()[: size - 1]


@alternative("most_frequent", "runs-of-sorted")
def most_frequent(tokens, size):
    ordered = sorted(tokens)
    starts = [i for i, word in enumerate(ordered) if i == 0 or word != ordered[i - 1]]
    runs = [(ordered[i], end - i) for i, end in zip(starts, [*starts[1:], len(ordered)])]
    runs.sort(key=lambda run: -run[1])  # stable: the alphabet stays
    return ["<unk>"] + [word for word, _ in runs][: size - 1]


edit("most_frequent", "unk-not-counted", {"size - 1": "size"},
     "<unk> is not counted: the list may have `size` entries with it",
     killed_by="test_the_most_frequent_word_comes_first_after_unk")
edit("most_frequent", "order-of-the-text", {"(-counts[word], word)": "-counts[word]"},
     "equally frequent words stand in the order of the text (as most_common gives them): the alphabet decides",
     killed_by="test_equally_frequent_words_stand_in_alphabetical_order")
edit("most_frequent", "rarest-first", {"-counts[word]": "counts[word]"},
     "the rarest words come first: sort by falling count",
     killed_by="test_the_most_frequent_word_comes_first_after_unk")
edit("most_frequent", "unk-last", {'"<unk>", *sorted(counts, key=lambda word: (-counts[word], word))[: size - 1]':
     '*sorted(counts, key=lambda word: (-counts[word], word))[: size - 1], "<unk>"'},
     "<unk> stands last: it is the first of the list", killed_by="test_the_most_frequent_word_comes_first_after_unk")
edit("most_frequent", "alphabetical", {"counts = Counter(tokens)": "",
     "counts, key=lambda word: (-counts[word], word)": "set(tokens)"},
     "the whole list is in alphabetical order: the count comes first, the alphabet only decides between equals",
     killed_by="test_the_most_frequent_word_comes_first_after_unk")

COMMON = 'counts = Counter(tokens)'
LONG = "test_a_long_text_agrees_with_a_sort"
edit("most_frequent", "empty-left-out", {COMMON: "counts = Counter(token for token in tokens if token)"},
     "empty strings are left out: they are words like any other", killed_by=LONG)
edit("most_frequent", "composed", {COMMON: 'counts = Counter(unicodedata.normalize("NFC", token) for token in tokens)'},
     "words are composed (NFC) first, so that two different strings become one", killed_by=LONG)
edit("most_frequent", "stripped", {COMMON: "counts = Counter(token.strip() for token in tokens)"},
     "blanks around a word are stripped: the strings stay as they are", killed_by=LONG)
ALIKE = "test_strings_that_look_alike_are_counted_apart"
edit("most_frequent", "marks-taken-off", {COMMON: 'counts = Counter(token.removeprefix("##").removeprefix("▁") for token in tokens)'},
     "marks in front of a word are taken off: the strings stay as they are", killed_by=ALIKE)
edit("most_frequent", "composed-for-looks", {COMMON: 'counts = Counter(unicodedata.normalize("NFKC", token) for token in tokens)'},
     "what only looks alike (ﬁ and fi) is made one", killed_by=ALIKE)
edit("most_frequent", "text-cut", {COMMON: "counts = Counter(tokens[:10_000])"},
     "a long text is not read to its end", killed_by=LONG)
edit("most_frequent", "nothing-of-nothing", {COMMON: COMMON + "\n    if not counts:\n        return []"},
     "an empty list for an empty text: <unk> stands on every list", killed_by=ALIKE)
edit("most_frequent", "dictionary-returned", {"return [": "return dict.fromkeys([", "[: size - 1]]": "[: size - 1]], 1)"},
     "a dictionary came back: a list is asked for",
     killed_by="test_the_most_frequent_word_comes_first_after_unk")


# unknown_rates
@alternative("unknown_rates", "counter")
def unknown_rates(tokens, vocabulary):
    counts = Counter(tokens)
    for word in vocabulary:
        counts.pop(word, None)
    return counts.total() / len(tokens), len(counts) / len(set(tokens))


@alternative("unknown_rates", "numpy-unique")
def unknown_rates(tokens, vocabulary):
    different, counts = np.unique(np.array(tokens, dtype=object).astype(str), return_counts=True)
    unknown = ~np.isin(different, vocabulary)
    return [counts[unknown].sum() / counts.sum(), unknown.mean()]


edit("unknown_rates", "exchanged", {"return running, len(different - known) / len(different)":
     "return len(different - known) / len(different), running"},
     "the two shares are exchanged: running words come first",
     killed_by="test_running_words_and_different_words_are_counted_apart")
edit("unknown_rates", "known-counted", {"token not in known": "token in known",
     "different - known": "different & known"},
     "the known words are counted, not the unknown ones",
     killed_by="test_a_known_text_has_no_unknown_words_and_a_strange_one_no_others")
edit("unknown_rates", "different-by-running", {"/ len(different)": "/ len(tokens)"},
     "different words are divided by the running ones: each share has its own whole",
     killed_by="test_running_words_and_different_words_are_counted_apart")
edit("unknown_rates", "divided-by-vocabulary", {"/ len(different)": "/ len(vocabulary)"},
     "the different words are divided by the vocabulary's size: the whole is the text's different words",
     killed_by="test_running_words_and_different_words_are_counted_apart")
edit("unknown_rates", "both-of-running",
     {"return running, len(different - known) / len(different)": "return running, running"},
     "both are the share of the running words: the second one is of the different words",
     killed_by="test_running_words_and_different_words_are_counted_apart")

VERY = "test_a_string_is_known_if_that_very_string_is_on_the_list"
edit("unknown_rates", "unk-always-known", {"set(vocabulary)": '{*vocabulary, "<unk>"}'},
     "<unk> counts as known though it is not on the list", killed_by=VERY)
edit("unknown_rates", "unk-never-known", {"set(vocabulary)": 'set(vocabulary) - {"<unk>"}'},
     "<unk> counts as unknown though it is on the list", killed_by=VERY)
edit("unknown_rates", "first-left-out", {"set(vocabulary)": "set(vocabulary[1:])"},
     "the list's first string is taken for <unk> and left out", killed_by=VERY)
edit("unknown_rates", "stripped", {"set(tokens)": "set(tokens)\n    tokens = [token.strip() for token in tokens]"},
     "blanks around a word are stripped: the strings stay as they are", killed_by=VERY)
edit("unknown_rates", "empty-left-out",
     {"known, different": 'tokens = [token for token in tokens if token] or [""]\n    known, different'},
     "empty strings are not counted: they are words like any other", killed_by=VERY)
edit("unknown_rates", "composed",
     {"known, different": ('tokens = [unicodedata.normalize("NFC", token) for token in tokens]\n'
      '    vocabulary = [unicodedata.normalize("NFC", word) for word in vocabulary]\n    known, different')},
     "words are composed (NFC) first, so that two different strings become one", killed_by=VERY)
APART = "test_strings_that_look_alike_do_not_know_each_other"
edit("unknown_rates", "any-case", {"known, different": (
     "tokens, vocabulary = [token.lower() for token in tokens], [word.lower() for word in vocabulary]\n    known, different")},
     "words are compared without regard to case: The is unknown where only the is on the list", killed_by=APART)


@mistake("unknown_rates", "any-case-but-counted-apart", "words are looked up without regard to case: The is unknown where only the is on the list",
         killed_by=APART)
def unknown_rates(tokens, vocabulary):
    known = {word.lower() for word in vocabulary}
    different = set(tokens)
    running = sum(token.lower() not in known for token in tokens) / len(tokens)
    return running, sum(word.lower() not in known for word in different) / len(different)


edit("unknown_rates", "part-of-a-word", {"known, different": 'vocabulary = [w for w in set(tokens) if w in " ".join(vocabulary)]\n    known, different'},
     "what is a part of a known word counts as known", killed_by=APART)
edit("unknown_rates", "list-cut", {"set(vocabulary)": "set(vocabulary[:1600])"},
     "a long list is not read to its end", killed_by="test_a_long_text_agrees_with_brute_force")
edit("unknown_rates", "rounded", {"return running, len(different - known) / len(different)":
     "return round(running, 3), round(len(different - known) / len(different), 3)"},
     "the shares are rounded, and small ones lost", killed_by="test_a_long_text_agrees_with_brute_force")
edit("unknown_rates", "text-cut", {"set(vocabulary), set(tokens)": "set(vocabulary), set(tokens[:1000])"},
     "of a long text only the first words are looked at", killed_by="test_a_long_text_agrees_with_brute_force")


# bits_per_word
@alternative("bits_per_word", "numpy-bincount")
def bits_per_word(training, tokens, vocabulary):
    place = {word: i for i, word in enumerate(vocabulary)}
    unknown = place["<unk>"]
    seen = np.array([place.get(token, unknown) for token in training], dtype=int)
    asked = np.array([place.get(token, unknown) for token in tokens], dtype=int)
    counts = np.bincount(seen, minlength=len(vocabulary)) + 1
    return float(-np.log2(counts / counts.sum())[asked].mean())


@alternative("bits_per_word", "dictionary-of-counts")
def bits_per_word(training, tokens, vocabulary):
    chance = dict.fromkeys(vocabulary, 1)
    for token in training:
        chance[token if token in chance else "<unk>"] += 1
    total = sum(chance.values())
    surprise = 0.0
    for token in tokens:
        surprise += math.log2(total) - math.log2(chance.get(token, chance["<unk>"]))
    return surprise / len(tokens)


edit("bits_per_word", "unknown-left-out",
     {"/ total) for token in tokens)": "/ total) for token in tokens if token in known)"},
     "unknown words are left out of the sum: they count as <unk>",
     killed_by="test_unknown_words_count_as_unk_on_both_sides")
edit("bits_per_word", "nats", {"math.log2": "math.log"},
     "natural logarithms give nats: bits take the logarithm to base 2", killed_by="test_one_is_added_to_every_count")
edit("bits_per_word", "size-missing-below", {" + len(vocabulary)": ""},
     "V is missing below the line, so the probabilities add up to more than 1",
     killed_by="test_one_is_added_to_every_count")
edit("bits_per_word", "training-unknown-uncounted",
     {'token if token in known else "<unk>" for token in training': "training"},
     "training words that are not on the list are not counted as <unk>, so <unk> looks rare",
     killed_by="test_unknown_words_count_as_unk_on_both_sides")
edit("bits_per_word", "sum-returned",
     {'sum(-math.log2((counts[token if token in known else "<unk>"] + 1) / total) for token in tokens) / len(tokens)':
     'sum(-math.log2((counts[token if token in known else "<unk>"] + 1) / total) for token in tokens)'},
     "this is the sum over the text: bits per word is its mean",
     killed_by="test_unknown_words_count_as_unk_on_both_sides")

ANYWHERE = "test_unk_may_stand_anywhere_and_the_training_text_may_be_empty"
edit("bits_per_word", "unk-first", {"known = set(vocabulary)": "known, unknown = set(vocabulary), vocabulary[0]",
     '"<unk>" for token in training': "unknown for token in training",
     '"<unk>"] + 1': "unknown] + 1"},
     "the list's first string is taken for <unk>, which may stand anywhere on it", killed_by=ANYWHERE)
edit("bits_per_word", "nothing-to-count", {"known = set": "if not training:\n        return 0.0\n    known = set"},
     "0 for an empty training text: then all V words are equally likely", killed_by=ANYWHERE)


@mistake("bits_per_word", "product", "probabilities are multiplied, and a long text's product is 0: add logarithms",
         killed_by="test_the_model_agrees_with_a_table_of_probabilities")
def bits_per_word(training, tokens, vocabulary):
    known = set(vocabulary)
    counts = Counter(token if token in known else "<unk>" for token in training)
    chance = 1.0
    for token in tokens:
        chance *= (counts[token if token in known else "<unk>"] + 1) / (len(training) + len(vocabulary))
    return -math.log2(chance) / len(tokens) if chance else float("inf")


edit("bits_per_word", "training-cut", {"for token in training)": "for token in training[:1000])"},
     "a long training text is not counted to its end", killed_by="test_the_model_agrees_with_a_table_of_probabilities")
OWN = "test_strings_that_look_alike_have_their_own_counts"
edit("bits_per_word", "any-case", {"known = set": (
     "vocabulary = list(dict.fromkeys(word.lower() for word in vocabulary))\n    training = [word.lower() for word in training]\n"
     "    tokens = [word.lower() for word in tokens]\n    known = set")},
     "words are put into small letters first: The and the are two words", killed_by=OWN)


# bits_per_character
@alternative("bits_per_character", "one-loop")
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


@alternative("bits_per_character", "by-bits-per-word")
def bits_per_character(training, tokens, vocabulary, alphabet):
    lengths = np.array([len(token) + 1 for token in tokens])
    unknown = np.array([token not in vocabulary for token in tokens])
    words = bits_per_word(training, tokens, vocabulary) / lengths.mean()
    return words + np.log2(alphabet + 1) * (lengths * unknown).sum() / lengths.sum()


edit("bits_per_character", "end-not-paid", {"len(token) + 1 for token in tokens if token not in known":
     "len(token) for token in tokens if token not in known"},
     "the mark at the word's end is not paid for: n + 1 signs are drawn",
     killed_by="test_an_unknown_word_is_spelled_with_a_mark_at_its_end")
edit("bits_per_character", "signs-without-end", {"alphabet + 1": "alphabet"},
     "each sign is one of A + 1: the mark at the word's end is one of them",
     killed_by="test_an_unknown_word_is_spelled_with_a_mark_at_its_end")
edit("bits_per_character", "blanks-counted",
     {"sum(len(token) + 1 for token in tokens)": "sum(len(token) for token in tokens)"},
     "the blanks after the words are characters too", killed_by="test_known_words_pay_for_nothing_but_themselves")
edit("bits_per_character", "every-word-spelled", {" if token not in known": ""},
     "every word is spelled: known words pay for themselves alone",
     killed_by="test_known_words_pay_for_nothing_but_themselves")
edit("bits_per_character", "mean-not-summed",
     {"bits_per_word(training, tokens, vocabulary) * len(tokens)": "bits_per_word(training, tokens, vocabulary)"},
     "the mean over words was not taken back to a sum before it was divided by the characters",
     killed_by="test_known_words_pay_for_nothing_but_themselves")
edit("bits_per_character", "unk-not-paid", {'math.log2(total / (counts["<unk>"] + 1)) + ': ""},
     "an unknown word pays for its spelling, and for <unk> before it",
     killed_by="test_an_unknown_word_is_spelled_with_a_mark_at_its_end", of="one-loop")

UP = "test_words_and_spelling_add_up"
COUNTED = "return (bits + spelled"
edit("bits_per_character", "composed",
     {"known = set": 'tokens = [unicodedata.normalize("NFC", token) for token in tokens]\n    known = set'},
     "words are composed (NFC) first: characters are code points as they stand", killed_by=UP)
edit("bits_per_character", "empty-not-spelled", {"if token not in known": "if token and token not in known"},
     "an unknown empty word costs nothing: its end is marked too", killed_by=UP)
edit("bits_per_character", "stripped", {"len(token) + 1 for token in tokens if": "len(token.strip()) + 1 for token in tokens if",
     "sum(len(token) + 1 for token in tokens)": "sum(len(token.strip()) + 1 for token in tokens)"},
     "blanks within a word are not counted: they are characters like any other", killed_by=UP)
edit("bits_per_character", "first-left-out", {"set(vocabulary)": "set(vocabulary[1:])"},
     "the list's first string is taken for <unk> and left out", killed_by=UP)
edit("bits_per_character", "unseen-spelled", {"set(vocabulary)": "set(vocabulary) & set(training)"},
     "a word of the list is spelled where the training text does not have it", killed_by=UP)


# pieces
@alternative("pieces", "match-statement")
def pieces(word, unit):
    match unit:
        case "word":
            return [word]
        case "character":
            return list(word)
        case "jamo":
            return [*unicodedata.normalize("NFD", word)]
        case "byte":
            return [byte for character in word for byte in character.encode("utf-8")]


@alternative("pieces", "table-of-functions")
def pieces(word, unit):
    cut = {
        "word": lambda: (word,),
        "character": lambda: tuple(word),
        "jamo": lambda: tuple(unicodedata.normalize("NFD", word)),
        "byte": lambda: tuple(bytearray(word, "utf-8")),
    }
    return cut[unit]()


edit("pieces", "nfkd", {'"NFD"': '"NFKD"'},
     "NFKD also replaces characters that only look alike (ﬁ, ²): canonical decomposition is NFD",
     killed_by="test_decomposition_is_canonical")
edit("pieces", "nfc", {'"NFD"': '"NFC"'},
     "NFC puts letters together: NFD takes them apart",
     killed_by="test_a_syllable_is_one_character_three_jamo_and_three_bytes")
edit("pieces", "code-points", {"list(word.encode())": "[ord(character) for character in word]"},
     "these are code points (ord): a byte is one of UTF-8's",
     killed_by="test_a_syllable_is_one_character_three_jamo_and_three_bytes")
edit("pieces", "characters-decomposed",
     {'unicodedata.normalize("NFD", word) if unit == "jamo" else word': 'unicodedata.normalize("NFD", word)'},
     "characters are decomposed too: they are code points as they stand",
     killed_by="test_characters_are_code_points_as_they_stand")
edit("pieces", "utf-16", {"word.encode()": 'word.encode("utf-16-le")'},
     "the bytes are those of UTF-16: UTF-8 is asked for",
     killed_by="test_a_syllable_is_one_character_three_jamo_and_three_bytes")
edit("pieces", "string-returned", {"list(word.encode())": "word.encode()",
     'list(unicodedata.normalize("NFD", word) if unit == "jamo" else word)':
     'unicodedata.normalize("NFD", word) if unit == "jamo" else word'},
     "what came back is a string or bytes: a list of its characters or numbers is asked for",
     killed_by="test_the_pieces_stand_in_a_list")

MIXED = "test_mixed_words_are_cut_in_every_unit"
JAMO = 'unicodedata.normalize("NFD", word) if unit == "jamo"'
edit("pieces", "marks-in-their-order", {JAMO: '[part for c in word for part in unicodedata.normalize("NFD", c)] if unit == "jamo"'},
     "each character is decomposed by itself: NFD of the whole word also sorts the marks of a letter", killed_by=MIXED)
edit("pieces", "hangul-alone", {JAMO:
     '("".join(unicodedata.normalize("NFD", c) if "가" <= c <= "힣" else c for c in word)) if unit == "jamo"'},
     "only Hangul is decomposed: NFD takes é apart too", killed_by=MIXED)
edit("pieces", "stripped", {'if unit == "word"': 'word = word.strip()\n    if unit == "word"'},
     "blanks around the word are stripped: the word stays as it is", killed_by=MIXED)
edit("pieces", "word-cut", {"word.encode()": "word.encode()[:255]"}, "a long word is cut off", killed_by=MIXED)
edit("pieces", "bytearray", {"list(word.encode())": "bytearray(word.encode())"},
     "what came back is a bytearray: a list of numbers is asked for", killed_by="test_the_pieces_stand_in_a_list")


# fertility
@alternative("fertility", "numpy")
def fertility(words, unit):
    tokens = np.array([len(pieces(word, unit)) for word in words])
    sizes = np.array([len(word.encode()) for word in words])
    return tokens.mean(), sizes.sum() / tokens.sum()


@alternative("fertility", "joined-text")
def fertility(words, unit):
    tokens = [token for word in words for token in pieces(word, unit)]
    return [len(tokens) / len(words), len("".join(words).encode()) / len(tokens)]


edit("fertility", "mean-of-ratios", {"sum(len(word.encode()) for word in words) / tokens":
     "sum(len(word.encode()) / len(pieces(word, unit)) for word in words) / len(words)"},
     "the mean of each word's own bytes per token: the ratio of the sums is asked for",
     killed_by="test_the_ratios_are_those_of_the_sums")
edit("fertility", "characters-counted", {"word.encode()": "word"},
     "characters are counted, not bytes: a Hangul syllable has three", killed_by="test_bytes_are_those_of_utf8")
edit("fertility", "tokens-per-byte",
     {"sum(len(word.encode()) for word in words) / tokens": "tokens / sum(len(word.encode()) for word in words)"},
     "tokens per byte is the inverse: bytes per token is asked for", killed_by="test_bytes_are_those_of_utf8")
edit("fertility", "words-per-token", {"tokens / len(words)": "len(words) / tokens"},
     "words per token is the inverse: tokens per word is asked for", killed_by="test_the_ratios_are_those_of_the_sums")
edit("fertility", "each-word-once", {"tokens = sum(len(pieces(word, unit)) for word in words)":
     "words = set(words)\n    tokens = sum(len(pieces(word, unit)) for word in words)"},
     "each different word is counted once: frequent words count as often as they occur",
     killed_by="test_a_long_text_is_counted_in_every_unit")
edit("fertility", "decomposed-bytes",
     {"len(word.encode())": 'sum(len(piece.encode()) if unit != "byte" else 1 for piece in pieces(word, unit))'},
     "the bytes are those of the decomposed pieces: those of the words as they stand are asked for",
     killed_by="test_bytes_are_those_of_the_words_and_not_of_their_jamo")
edit("fertility", "three-jamo-a-syllable",
     {"tokens = sum":
     ('if unit == "jamo":\n'
      "        return 3 * sum(len(word) for word in words) / len(words), 1.0\n"
      "    tokens = sum")},
     "each syllable is counted as three jamo of one byte each: 가 has only two, and tokens are what pieces gives",
     killed_by="test_bytes_are_those_of_the_words_and_not_of_their_jamo")

UNITS = "test_a_long_text_is_counted_in_every_unit"
edit("fertility", "composed-bytes", {"word.encode()": 'unicodedata.normalize("NFC", word).encode()'},
     "the bytes are those of the composed words (NFC): those of the words as they stand are asked for", killed_by=UNITS)
edit("fertility", "empty-left-out", {"tokens = sum": 'words = [word for word in words if word] or [""]\n    tokens = sum'},
     "empty words are not counted: they are words like any other", killed_by=UNITS)
edit("fertility", "stripped", {"tokens = sum": "words = [word.strip() for word in words]\n    tokens = sum"},
     "blanks around a word are stripped: the words stay as they are", killed_by=UNITS)
edit("fertility", "empty-no-word", {"len(pieces(word, unit))": "(len(pieces(word, unit)) if word else 0)"},
     "an empty word counts as no token: as a word it is one", killed_by=UNITS)
edit("fertility", "rounded", {"return tokens / len(words),": "return round(tokens / len(words), 2),"},
     "tokens per word are rounded", killed_by=UNITS)


# encode
@alternative("encode", "one-comprehension")
def encode(tokens, words):
    return [
        number
        for token in tokens
        for number in ((257 + words.index(token),) if token in words else (*token.encode("utf-8"), 256))
    ]


@alternative("encode", "numpy-concatenate")
def encode(tokens, words):
    place = dict(zip(words, range(257, 257 + len(words))))
    parts = [np.array([place[t]] if t in place else [*t.encode(), 256]) for t in tokens]
    return np.concatenate(parts).tolist() if parts else []


edit("encode", "words-start-too-late", {"257 + i": "256 + i"},
     "the list's words start at 257: 256 is the end of a spelled word",
     killed_by="test_known_words_have_the_ids_after_the_bytes")
edit("encode", "not-closed", {"*token.encode(), 256": "*token.encode()"},
     "a spelled word is not closed with 256", killed_by="test_an_unknown_word_is_spelled_in_bytes_and_closed")
edit("encode", "code-points", {"token.encode()": "map(ord, token)"},
     "code points in place of bytes: a Hangul letter's number is far beyond 255",
     killed_by="test_an_unknown_word_is_spelled_in_bytes_and_closed")
edit("encode", "every-word-closed", {"[place[token]] if token in place else [*token.encode(), 256]":
     "[*([place[token]] if token in place else token.encode()), 256]"},
     "every word is followed by 256: only spelled ones are", killed_by="test_known_words_have_the_ids_after_the_bytes")
edit("encode", "empty-left-out", {"ids += [place[token]] if token in place else [*token.encode(), 256]":
     "if token:\n            ids += [place[token]] if token in place else [*token.encode(), 256]"},
     "an empty token is left out: it is spelled with no byte and closed",
     killed_by="test_an_empty_token_is_a_token_too")

SPELLED = "test_a_long_text_is_spelled_where_it_is_unknown"
CASES = "ids += [place[token]] if token in place else [*token.encode(), 256]"
edit("encode", "empty-always-spelled", {"if token in place": "if token and token in place"},
     "an empty token is spelled though it is on the list", killed_by=SPELLED)
edit("encode", "composed", {CASES: 'token = unicodedata.normalize("NFC", token)\n        ' + CASES},
     "tokens are composed (NFC) first: they would not come back as they were", killed_by=SPELLED)
edit("encode", "stripped", {CASES: "token = token.strip()\n        " + CASES},
     "blanks around a token are stripped: they would not come back", killed_by=SPELLED)
edit("encode", "int16", {"return ids": "return np.array(ids).astype(np.int16).tolist()"},
     "ids of 16 bits: those of a long list do not fit in", killed_by=SPELLED)
edit("encode", "word-cut", {"*token.encode()": "*token.encode()[:512]"}, "a long word is cut off", killed_by=SPELLED)
edit("encode", "zero-left-out", {"*token.encode(), 256": "*filter(None, token.encode()), 256"},
     "a zero byte is left out: it is a byte like any other", killed_by=SPELLED)


# decode
@alternative("decode", "slices")
def decode(ids, words):
    tokens, start = [], 0
    for place, number in enumerate(ids):
        if number >= 256:
            tokens.append(bytes(ids[start:place]).decode() if number == 256 else words[number - 257])
            start = place + 1
    return tokens


@alternative("decode", "rest-of-list")
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


@mistake("decode", "end-ignored", "256 is not taken as the end of a word, so spelled words run together",
         killed_by="test_two_spelled_words_in_a_row_stay_two")
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


edit("decode", "byte-by-byte", {"spelled.decode()": '"".join(map(chr, spelled))'},
     "each byte is made a character of its own: UTF-8 needs several",
     killed_by="test_known_and_spelled_words_come_back")
edit("decode", "first-word-too-late", {"number - 257": "(number - 256) % len(words)"},
     "the list's first word is 257, not 256", killed_by="test_known_and_spelled_words_come_back")
edit("decode", "bytes-not-cleared", {"spelled.clear()": ""},
     "the bytes are not cleared after a word, so the next one starts with them",
     killed_by="test_two_spelled_words_in_a_row_stay_two")
edit("decode", "empty-left-out",
     {"tokens.append(spelled.decode())": "if spelled:\n                tokens.append(spelled.decode())"},
     "an empty token is left out: a 256 without bytes before it is one", killed_by="test_an_empty_token_comes_back")

BACK = "test_whatever_is_encoded_comes_back"
edit("decode", "stripped", {"spelled.decode()": "spelled.decode().strip()"},
     "blanks around a spelled word are stripped", killed_by=BACK)
edit("decode", "zero-left-out", {"spelled.append(number)": "spelled.extend([number] if number else [])"},
     "a zero byte is left out: it is a byte like any other", killed_by=BACK)
edit("decode", "byte-order-mark", {"spelled.decode()": 'spelled.decode("utf-8-sig")'},
     "a byte order mark (U+FEFF) at a word's beginning is lost: it is a character like any other", killed_by=BACK)
edit("decode", "composed", {"spelled.decode()": 'unicodedata.normalize("NFC", spelled.decode())'},
     "spelled words are composed (NFC): they come back as they were", killed_by=BACK)
edit("decode", "lines-ended-alike", {"spelled.decode()": 'spelled.decode().replace("\\r\\n", "\\n").replace("\\r", "\\n")'},
     "carriage returns become line feeds: words come back as they were", killed_by=BACK)
edit("decode", "list-cut", {"words[number - 257]": 'words[number - 257] if number < 657 else "<unk>"'},
     "words far down the list come back as <unk>", killed_by=BACK)


# What no check can tell from a right answer.

equivalent("decode", "3: number < 256 → number < 255", "255 is no byte of UTF-8")
equivalent("bits_per_word", "1: set(vocabulary) → vocabulary", "a list knows the same words, only slower")
equivalent("bits_per_character", "1: set(vocabulary) → vocabulary", "a list knows the same words, only slower")
