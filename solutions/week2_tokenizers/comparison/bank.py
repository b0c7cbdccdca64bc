"""Comparing tokenizers: classic mistakes and other right ways, for each exercise. Never released."""

from collections import Counter

import numpy as np

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# cuts
@alternative("cuts", "running-sum")
def cuts(pieces):
    places, at = set(), 0
    for piece in pieces:
        at += len(piece)
        places.add(at)
    places.discard(at)
    return places


@alternative("cuts", "numpy-cumsum")
def cuts(pieces):
    return set(np.cumsum([len(piece) for piece in pieces])[:-1].tolist())


@alternative("cuts", "numpy-integers")
def cuts(pieces):
    return set(np.cumsum([len(piece) for piece in pieces])[:-1])


edit("cuts", "end-included", {"len(pieces)": "len(pieces) + 1"},
     "the word's end is no cut", killed_by="test_a_cut_is_the_number_of_characters_before_it")
edit("cuts", "start-missing", {"1, len(pieces)": "len(pieces)"},
     "the word's start is no cut", killed_by="test_a_cut_is_the_number_of_characters_before_it")
edit("cuts", "piece-lengths",
     {"{sum(map(len, pieces[:i])) for i in range(1, len(pieces))}": "{len(piece) for piece in pieces[:-1]}"},
     "these are the pieces' lengths: a cut is how many characters stand before it in all",
     killed_by="test_a_cut_is_the_number_of_characters_before_it")
edit("cuts", "pieces-counted",
     {"{sum(map(len, pieces[:i])) for i in range(1, len(pieces))}": "set(range(1, len(pieces)))"},
     "pieces are counted, not characters", killed_by="test_a_cut_is_the_number_of_characters_before_it")
edit("cuts", "bytes-counted", {"map(len, pieces[:i])": "len(piece.encode()) for piece in pieces[:i]"},
     "bytes are counted, not characters", killed_by="test_a_cut_is_the_number_of_characters_before_it")
edit("cuts", "list-returned", {"{sum(map(len, pieces[:i])) for i in range(1, len(pieces))}":
     "[sum(map(len, pieces[:i])) for i in range(1, len(pieces))]"},
     "a list comes back: a set is asked for, since the cuts of two ways are intersected",
     killed_by="test_a_cut_is_the_number_of_characters_before_it")

SUMS = "test_random_pieces_agree_with_running_sums"
edit("cuts", "marks-not-counted", {"map(len, pieces[:i])": 'len(p.removeprefix("##").removeprefix("▁")) for p in pieces[:i]'},
     "## and ▁ are taken for marks: joined, the pieces are the word", killed_by=SUMS)
edit("cuts", "composed", {"map(len, pieces[:i])": 'len(unicodedata.normalize("NFC", p)) for p in pieces[:i]'},
     "a letter and its accent are counted as one: they are two characters", killed_by=SUMS)
edit("cuts", "blanks-not-counted", {"map(len, pieces[:i])": "len(p.strip()) for p in pieces[:i]"},
     "blanks are not counted: they are characters", killed_by=SUMS)


edit("cuts", "units-of-utf-16", {"map(len, pieces[:i])": 'len(p.encode("utf-16-le")) // 2 for p in pieces[:i]'},
     "units of UTF-16 are counted, two for 🙂: it is one character", killed_by="test_any_pieces_are_cut_where_they_meet")


@mistake("cuts", "found-from-the-start", "each piece is looked for from the word's start, where it may stand earlier too",
         killed_by="test_any_pieces_are_cut_where_they_meet")
def cuts(pieces):
    return {"".join(pieces).find(piece) for piece in pieces[1:]} - {0}

edit("cuts", "sixteen-bits", {"{sum(map(len, pieces[:i])) for i in range(1, len(pieces))}":
     "set(np.cumsum([len(piece) for piece in pieces], dtype=np.int16)[:-1].tolist())"},
     "places are added up in 16 bits, where those of a long text do not fit in", killed_by=SUMS)


# agreement
@alternative("agreement", "pairs-of-word-and-place")
def agreement(found, known):
    one = {(i, place) for i, places in enumerate(found) for place in places}
    other = {(i, place) for i, places in enumerate(known) for place in places}
    hits = len(one & other)
    return hits / max(len(one), 1), hits / max(len(other), 1), 2 * hits / max(len(one) + len(other), 1)


@alternative("agreement", "numpy-sums")
def agreement(found, known):
    hits, made, true = np.sum([(len(one & other), len(one), len(other)) for one, other in zip(found, known)], axis=0)
    return np.array([hits / max(made, 1), hits / max(true, 1), 2 * hits / max(made + true, 1)])


@alternative("agreement", "list-of-floats")
def agreement(found, known):
    hits = np.array([len(one & other) for one, other in zip(found, known)]).sum()
    made, true = np.array([len(one) for one in found]).sum(), np.array([len(one) for one in known]).sum()
    if hits == 0:
        return [0.0, 0.0, 0.0]
    return [float(hits / made), float(hits / true), float(2 * hits / (made + true))]


@mistake("agreement", "mean-over-words",
         "the mean of each word's own numbers: cuts are counted over all words together",
         killed_by="test_cuts_are_counted_over_all_words")
def agreement(found, known):
    rows = []
    for one, other in zip(found, known):
        hits = len(one & other)
        precision, recall = hits / len(one) if one else 0.0, hits / len(other) if other else 0.0
        rows.append((precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0))
    return tuple(sum(column) / len(rows) for column in zip(*rows))


edit("agreement", "exchanged", {"hits / made if made else 0.0, hits / true if true else 0.0":
     "hits / true if true else 0.0, hits / made if made else 0.0"},
     "precision and recall are exchanged: precision is of the cuts that were made",
     killed_by="test_cuts_are_counted_over_all_words")
edit("agreement", "arithmetic-mean", {"known, strict=True": "known",
     "2 * precision * recall / (precision + recall) if hits else 0.0": "(precision + recall) / 2"},
     "the arithmetic mean of the two: F1 is the harmonic mean", killed_by="test_cuts_are_counted_over_all_words")
edit("agreement", "zero-as-one", {"hits / made if made else 0.0, hits / true if true else 0.0":
     "hits / made if made else 1.0, hits / true if true else 1.0"},
     "where there is nothing to divide by, the number is 0, not 1", killed_by="test_nothing_to_divide_by_gives_zero")
edit("agreement", "words-thrown-together", {"sum(len(one & other) for one, other in zip(found, known, strict=True))":
     "(Counter(p for places in found for p in places) & Counter(p for places in known for p in places)).total()"},
     "cuts of different words are thrown together: a cut counts in its own word alone",
     killed_by="test_many_words_agree_with_sets_of_pairs")

edit("agreement", "nothing-is-perfect", {"hits = sum": "if not any(found) and not any(known):\n        return 1.0, 1.0, 1.0\n    hits = sum"},
     "1 where nothing was found and nothing is known: it is 0 where there is nothing to divide by",
     killed_by="test_many_words_agree_with_sets_of_pairs")
edit("agreement", "small-as-nothing", {"if hits else 0.0": "if precision * recall > 1e-8 else 0.0"},
     "a small F1 is taken for none", killed_by="test_many_words_agree_with_sets_of_pairs")
edit("agreement", "words-cut", {"zip(found, known, strict=True)": "zip(found[:1000], known[:1000], strict=True)"},
     "of many words only the first ones are compared", killed_by="test_many_words_agree_with_sets_of_pairs")


# random_cuts
@alternative("random_cuts", "shuffle")
def random_cuts(word, count, generator):
    places = list(range(1, len(word)))
    generator.shuffle(places)
    return frozenset(places[:count])


@alternative("random_cuts", "rejection")
def random_cuts(word, count, generator):
    places = set()
    while len(places) < count:
        places.add(1 + int(generator.random() * (len(word) - 1)))
    return places


edit("random_cuts", "with-replacement", {"set(generator.sample(range(1, len(word)), count))":
     "{generator.randint(1, len(word) - 1) for _ in range(count)}"},
     "places are drawn with replacement, so two of them may fall together",
     killed_by="test_as_many_places_as_asked_for_inside_the_word")
edit("random_cuts", "start-included", {"1, len(word)": "len(word)"},
     "0, before the word, is among the places: a cut lies inside",
     killed_by="test_as_many_places_as_asked_for_inside_the_word")
edit("random_cuts", "first-places", {"generator.sample(range(1, len(word)), count)": "range(1, count + 1)"},
     "the first places are taken, not random ones", killed_by="test_every_set_of_places_is_equally_likely")
edit("random_cuts", "module-random",
     {"return set(generator.sample(range(1, len(word)), count))":
     ("import random\n"
      "\n"
      "    return set(random.sample(range(1, len(word)), count))")},
     "chance comes from the module random: the generator is the only source of it",
     killed_by="test_the_generator_is_the_only_source_of_chance")
edit("random_cuts", "neighbouring-places", {"return set(generator.sample(range(1, len(word)), count))":
     "start = generator.randint(1, len(word) - count) if count else 1\n    return set(range(start, start + count))"},
     "neighbouring places are taken from a random start: each set of places should be equally likely",
     killed_by="test_every_set_of_places_is_equally_likely")
edit("random_cuts", "list-returned",
     {"set(generator.sample(range(1, len(word)), count))": "generator.sample(range(1, len(word)), count)"},
     "a list comes back: a set is asked for, since the cuts of two ways are intersected",
     killed_by="test_as_many_places_as_asked_for_inside_the_word")

LIKELY = "test_every_set_of_places_is_equally_likely"


@mistake("random_cuts", "filled-from-the-left", "places that fall together are made up for from the left, so those are likelier", killed_by=LIKELY)
def random_cuts(word, count, generator):
    places = {generator.randint(1, len(word) - 1) for _ in range(count)}
    for place in range(1, len(word)):
        if len(places) < count:
            places.add(place)
    return places


@mistake("random_cuts", "repeat-moved-on", "a place that is drawn again is moved on to the next free one, so neighbours are likelier", killed_by=LIKELY)
def random_cuts(word, count, generator):
    last, places = len(word) - 1, set()
    for _ in range(count):
        place = generator.randint(1, last)
        while place in places:
            place = place % last + 1
        places.add(place)
    return places


@mistake("random_cuts", "place-by-place", "each place is drawn by itself, and the number then mended from the left", killed_by=LIKELY)
def random_cuts(word, count, generator):
    places = {place for place in range(1, len(word)) if generator.random() < count / (len(word) - 1)}
    for place in range(1, len(word)):
        if len(places) < count:
            places.add(place)
        elif len(places) > count:
            places.discard(place)
    return places


edit("random_cuts", "bytes", {"len(word)": "len(word.encode())"},
     "places are drawn among the bytes: they lie between characters", killed_by=LIKELY)
edit("random_cuts", "ten-at-most", {", count))": ", min(count, 10)))"}, "no more than ten places are drawn", killed_by=LIKELY)
edit("random_cuts", "between-different-letters", {"generator.sample(range(1, len(word)), count)":
     ("generator.sample([p for p in range(1, len(word)) if word[p] != word[p - 1]], count)"
      " if sum(a != b for a, b in zip(word, word[1:])) >= count else generator.sample(range(1, len(word)), count)")},
     "places between equal letters are left out: all are equally likely", killed_by=LIKELY)


THREE = "test_one_place_and_three_places_are_as_likely_as_any_others"


@mistake("random_cuts", "not-next-to-each-other", "where there is room no three places in a row are drawn: each set is equally likely", killed_by=THREE)
def random_cuts(word, count, generator):
    while True:
        places = set(generator.sample(range(1, len(word)), count))
        if len(word) < count + 3 or count < 3 or max(places) - min(places) >= count:
            return places


edit("random_cuts", "one-in-the-middle", {"return set": "if count == 1 and len(word) > 3:\n        return {generator.randint(2, len(word) - 2)}\n    return set"},
     "one cut is never made at the edges: each place is equally likely", killed_by=THREE)
edit("random_cuts", "no-accent-cut-off", {
     "range(1, len(word))": "[p for p in range(1, len(word)) if not unicodedata.combining(word[p])]",
     ", count))": ", min(count, len(unicodedata.normalize('NFC', word)) - 1)))"},
     "no cut is made before an accent: each set of places is equally likely", killed_by=THREE)
edit("random_cuts", "few-seeds", {"return set": "generator = random.Random(generator.randrange(256))\n    return set"},
     "draws come from one of 256 seeds, so that they come again",
     killed_by="test_all_places_of_a_long_word_are_drawn_and_no_draw_comes_again")
edit("random_cuts", "module-seeded", {"return set(generator": "random.seed(generator.random())\n    return set(random"},
     "the module's own generator is seeded anew: it is left as it was",
     killed_by="test_the_generator_is_the_only_source_of_chance")


# tokens_per_sentence
@alternative("tokens_per_sentence", "numpy")
def tokens_per_sentence(sentences, cut):
    lengths = np.array([len(cut[word]) for sentence in sentences for word in sentence])
    return lengths.sum() / len(sentences), (lengths == 1).mean()


@alternative("tokens_per_sentence", "counter")
def tokens_per_sentence(sentences, cut):
    counts = Counter()
    for sentence in sentences:
        counts.update(sentence)
    tokens = sum(n * len(cut[word]) for word, n in counts.items())
    whole = sum(n for word, n in counts.items() if len(cut[word]) == 1)
    return [tokens / len(sentences), whole / counts.total()]


edit("tokens_per_sentence", "divided-by-words", {"len(sentences)": "len(words)"},
     "the first number is divided by the words: tokens per sentence are asked for",
     killed_by="test_pieces_are_counted_by_sentence_and_whole_words_by_word")
edit("tokens_per_sentence", "each-word-once",
     {"[word for sentence in sentences for word in sentence]": "{word for sentence in sentences for word in sentence}"},
     "each different word is counted once: running words are asked for",
     killed_by="test_pieces_are_counted_by_sentence_and_whole_words_by_word")
edit("tokens_per_sentence", "share-of-different-words",
     {("sum(len(cut[word]) == 1 for word in words) / len(\n"
      "        words\n"
      "    )"):
     "sum(len(cut[word]) == 1 for word in set(words)) / len(set(words))"},
     "the second number is the share of the different words: running words are asked for",
     killed_by="test_pieces_are_counted_by_sentence_and_whole_words_by_word")
edit("tokens_per_sentence", "share-of-cut-words", {"len(cut[word]) == 1": "len(cut[word]) > 1"},
     "the second number is the share of words that are cut: those that stay whole are asked for",
     killed_by="test_words_that_all_stay_whole")
edit("tokens_per_sentence", "characters-counted", {"len(cut[word]) for word in words": "map(len, words)"},
     "characters are counted, not pieces", killed_by="test_pieces_are_counted_by_sentence_and_whole_words_by_word")
edit("tokens_per_sentence", "whole-by-sentences", {"len(\n        words\n    )": "len(sentences)"},
     "whole words are divided by the sentences: their share of the words is asked for",
     killed_by="test_pieces_are_counted_by_sentence_and_whole_words_by_word")

FORCE = "test_a_long_text_agrees_with_brute_force"
edit("tokens_per_sentence", "unk-not-whole", {"len(cut[word]) == 1": 'len(cut[word]) == 1 and cut[word] != ["[UNK]"]'},
     "a word that is [UNK] is not counted as whole: it is one piece", killed_by=FORCE)
edit("tokens_per_sentence", "sentence-once",
     {"words = [": "sentences = [list(s) for s in dict.fromkeys(map(tuple, sentences))]\n    words = ["},
     "a sentence that occurs again is counted once", killed_by=FORCE)


SMALL = "test_sentences_may_be_empty_and_every_word_counts"
edit("tokens_per_sentence", "empty-left-out", {"words = [": "sentences = [sentence for sentence in sentences if sentence]\n    words = ["},
     "sentences without words are not counted: they are sentences too", killed_by=SMALL)
edit("tokens_per_sentence", "mean-of-shares", {"sum(len(cut[word]) == 1 for word in words) / len(\n        words\n    )":
     "sum(sum(len(cut[word]) == 1 for word in s) / max(1, len(s)) for s in sentences) / sum(map(bool, sentences))"},
     "the mean of the sentences' own shares: all running words are counted together", killed_by=SMALL)
edit("tokens_per_sentence", "no-pieces-no-word", {"[word for sentence in sentences for word in sentence]":
     ("[word for sentence in sentences for word in sentence if cut[word]]"
      " or [word for sentence in sentences for word in sentence][:1]")},
     "a word without pieces is not counted: it is a word too", killed_by=SMALL)
edit("tokens_per_sentence", "words-cut", {"for word in sentence]": "for word in sentence[:512]]"},
     "a long sentence is cut off", killed_by=FORCE)


# overlap
@alternative("overlap", "regular-expressions")
def overlap(one, other):
    import re

    def bare(vocabulary):
        texts = (re.sub(r"^(##|▁)", "", piece) for piece in vocabulary)
        return {text for text in texts if text and not re.fullmatch(r"\[.+\]|<.+>", text, re.DOTALL)}

    first, second = bare(one), bare(other)
    both = len(first & second)
    return both / max(len(first) + len(second) - both, 1)


@alternative("overlap", "counter")
def overlap(one, other):
    counts = Counter()
    for vocabulary in (one, other):
        seen = set()
        for piece in vocabulary:
            if piece.startswith("##"):
                piece = piece[2:]
            elif piece.startswith("▁"):
                piece = piece[1:]
            special = len(piece) > 2 and (
                (piece[0] == "[" and piece[-1] == "]") or (piece[0] == "<" and piece[-1] == ">")
            )
            if piece and not special:
                seen.add(piece)
        counts.update(seen)
    return sum(n == 2 for n in counts.values()) / len(counts) if counts else 0.0


edit("overlap", "divided-by-first", {"len(first & second) / len(first | second) if first | second else 0.0":
     "len(first & second) / len(first) if first else 0.0"},
     "the intersection is divided by the first list: Jaccard's index divides by the union",
     killed_by="test_the_index_is_the_intersection_over_the_union")
edit("overlap", "marks-compared", {'piece[2:] if piece.startswith("##") else piece.removeprefix("▁") for piece': "piece for piece"},
     "marks are compared too: ##을 and 을 are one piece", killed_by="test_marks_do_not_count")
edit("overlap", "special-tokens-counted", {' and not (len(text) > 2 and (text[0] + text[-1]) in ("[]", "<>"))': ""},
     "special tokens are counted as pieces of text", killed_by="test_special_tokens_are_left_out")
edit("overlap", "all-hashes-stripped", {'piece[2:] if piece.startswith("##") else piece.removeprefix("▁")': 'piece.strip("#▁")'},
     "signs at the start are stripped off one by one: the mark is ##, and # alone is a piece", killed_by="test_marks_do_not_count")
edit("overlap", "marks-removed-anywhere",
     {'piece[2:] if piece.startswith("##") else piece.removeprefix("▁")': 'piece.replace("##", "").replace("▁", "")'},
     "## and ▁ are removed anywhere: only at the start of a piece are they marks", killed_by="test_marks_do_not_count")
edit("overlap", "half-brackets-left-out", {'(text[0] + text[-1]) in ("[]", "<>")': 'text[0] in "[<"'},
     "pieces that only begin with [ or < are left out: a special token ends with ] or > too",
     killed_by="test_special_tokens_are_left_out")
edit("overlap", "mixed-brackets-left-out",
     {'(text[0] + text[-1]) in ("[]", "<>")': 'text[0] in "[<" and text[-1] in "]>"'},
     "[a> is left out: a special token ends with the bracket that it began with",
     killed_by="test_special_tokens_are_left_out")
edit("overlap", "zero-by-zero", {"len(first & second) / len(first | second) if first | second else 0.0":
     "len(first & second) / len(first | second)"},
     "two empty lists are divided by zero: they have 0 in common",
     killed_by="test_two_empty_lists_have_nothing_in_common")
edit("overlap", "dice-coefficient",
     {"len(first & second) / len(first | second)": "2 * len(first & second) / (len(first) + len(second))"},
     "Dice's coefficient divides twice the intersection by the sum of the sizes: Jaccard's divides it by the union",
     killed_by="test_the_index_is_the_intersection_over_the_union")

LISTS = "test_longer_lists_agree_with_sets"
edit("overlap", "all-signs-stripped",
     {'piece[2:] if piece.startswith("##") else piece.removeprefix("▁")': '(piece.lstrip("#▁") if len(piece) > 2 else piece.removeprefix("▁"))'},
     "all # in front go: a mark is ## once", killed_by=LISTS)
edit("overlap", "composed", {"return {text for": 'return {unicodedata.normalize("NFC", text) for'},
     "pieces are composed (NFC): they are compared as they stand", killed_by=LISTS)
edit("overlap", "blank-left-out", {"if text and": "if text.strip() and"},
     "the blank is left out as if it were a mark", killed_by=LISTS)
edit("overlap", "counted-twice", {"/ len(first | second)": "/ (len(first | second) + len(one) - len(set(one)))"},
     "what stands in a list twice counts twice: vocabularies are compared as sets", killed_by=LISTS)


ONE = "test_one_mark_goes_and_special_tokens_after_it"
edit("overlap", "two-marks", {'piece[2:] if piece.startswith("##") else piece.removeprefix("▁")': 'piece.removeprefix("##").removeprefix("▁")'},
     "a second mark goes too: of ##▁a the one in front goes, and ▁a is left", killed_by=ONE)
edit("overlap", "special-before-marks", {"for piece in vocabulary":
     'for piece in vocabulary if not (len(piece) > 2 and (piece[0] + piece[-1]) in ("[]", "<>"))',
     ' and not (len(text) > 2 and (text[0] + text[-1]) in ("[]", "<>"))': ""},
     "special tokens are left out before the marks go, so that ▁<s> stays: the mark goes first", killed_by=ONE)
edit("overlap", "any-number-of-marks", {'piece[2:] if piece.startswith("##") else piece.removeprefix("▁")': '__import__("re").sub("^(##|▁)+", "", piece)'},
     "all marks in front go: it is one mark that goes", killed_by=ONE)
edit("overlap", "end-of-word-off", {'piece.removeprefix("▁")': 'piece.removeprefix("▁").removesuffix("</w>")'},
     "</w> at the end goes too: only ## and ▁ at the start are marks", killed_by=ONE)
edit("overlap", "specials-without-blanks", {'in ("[]", "<>"))': 'in ("[]", "<>") and " " not in text)'},
     "<a b> stays, as there is a blank in it: what begins with < and ends with > is special", killed_by=ONE)


# What no check can tell from a right answer.

EQUAL = "the two lists are equally long by the contract"
equivalent("agreement", "1: zip(found, known, strict=True) → zip(found, known)", EQUAL)
equivalent("agreement", "1: zip(found, known, strict=True) → zip(found, known, strict=False)", EQUAL)
equivalent(
    "agreement", "1: zip(found, known, strict=True) → zip(known, found, strict=True)", "an intersection is symmetric"
)
equivalent("overlap", "3: ('[]', '<>') → ('<>', '[]')", "membership does not depend on the order")
equivalent("overlap", "5: (bare(one), bare(other)) → (bare(other), bare(one))", "Jaccard's index is symmetric")
equivalent("overlap", "3: len(text) > 2 → len(text.encode()) > 2", "of two characters only [] and <> could be special tokens, and they have two bytes")
