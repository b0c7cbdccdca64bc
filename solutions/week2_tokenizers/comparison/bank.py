"""Comparing tokenizers: classic mistakes and other right ways, for each exercise. Never released."""

from collections import Counter

import numpy as np

from grader.lessons.bank import alternative, equivalent, mistake

# cuts


@mistake("cuts", "the word's end is no cut", "test_a_cut_is_the_number_of_characters_before_it")
def cuts(pieces):
    return {sum(map(len, pieces[:i])) for i in range(1, len(pieces) + 1)}


@mistake("cuts", "the word's start is no cut", "test_a_cut_is_the_number_of_characters_before_it")
def cuts(pieces):
    return {sum(map(len, pieces[:i])) for i in range(len(pieces))}


@mistake(
    "cuts",
    "these are the pieces' lengths: a cut is how many characters stand before it in all",
    "test_a_cut_is_the_number_of_characters_before_it",
)
def cuts(pieces):
    return {len(piece) for piece in pieces[:-1]}


@mistake("cuts", "pieces are counted, not characters", "test_a_cut_is_the_number_of_characters_before_it")
def cuts(pieces):
    return set(range(1, len(pieces)))


@mistake("cuts", "bytes are counted, not characters", "test_a_cut_is_the_number_of_characters_before_it")
def cuts(pieces):
    return {sum(len(piece.encode()) for piece in pieces[:i]) for i in range(1, len(pieces))}


@mistake(
    "cuts",
    "a list comes back: a set is asked for, since the cuts of two ways are intersected",
    "test_a_cut_is_the_number_of_characters_before_it",
)
def cuts(pieces):
    return [sum(map(len, pieces[:i])) for i in range(1, len(pieces))]


@alternative("cuts")
def cuts(pieces):
    places, at = set(), 0
    for piece in pieces:
        at += len(piece)
        places.add(at)
    places.discard(at)
    return places


@alternative("cuts")
def cuts(pieces):
    return set(np.cumsum([len(piece) for piece in pieces])[:-1].tolist())


@alternative("cuts")
def cuts(pieces):
    return set(np.cumsum([len(piece) for piece in pieces])[:-1])


# agreement


@mistake(
    "agreement",
    "the mean of each word's own numbers: cuts are counted over all words together",
    "test_cuts_are_counted_over_all_words",
)
def agreement(found, known):
    rows = []
    for one, other in zip(found, known):
        hits = len(one & other)
        precision, recall = hits / len(one) if one else 0.0, hits / len(other) if other else 0.0
        rows.append((precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0))
    return tuple(sum(column) / len(rows) for column in zip(*rows))


@mistake(
    "agreement",
    "precision and recall are exchanged: precision is of the cuts that were made",
    "test_cuts_are_counted_over_all_words",
)
def agreement(found, known):
    hits = sum(len(one & other) for one, other in zip(found, known))
    made, true = sum(map(len, found)), sum(map(len, known))
    precision, recall = hits / true if true else 0.0, hits / made if made else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


@mistake("agreement", "the arithmetic mean of the two: F1 is the harmonic mean", "test_cuts_are_counted_over_all_words")
def agreement(found, known):
    hits = sum(len(one & other) for one, other in zip(found, known))
    made, true = sum(map(len, found)), sum(map(len, known))
    precision, recall = hits / made if made else 0.0, hits / true if true else 0.0
    return precision, recall, (precision + recall) / 2


@mistake(
    "agreement",
    "where there is nothing to divide by, the number is 0, not 1",
    "test_nothing_to_divide_by_gives_zero",
)
def agreement(found, known):
    hits = sum(len(one & other) for one, other in zip(found, known))
    made, true = sum(map(len, found)), sum(map(len, known))
    precision, recall = hits / made if made else 1.0, hits / true if true else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


@mistake(
    "agreement",
    "cuts of different words are thrown together: a cut counts in its own word alone",
    "test_many_words_agree_with_sets_of_pairs",
)
def agreement(found, known):
    made, true = Counter(p for places in found for p in places), Counter(p for places in known for p in places)
    hits = (made & true).total()
    precision = hits / made.total() if made else 0.0
    recall = hits / true.total() if true else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


@alternative("agreement")
def agreement(found, known):
    one = {(i, place) for i, places in enumerate(found) for place in places}
    other = {(i, place) for i, places in enumerate(known) for place in places}
    hits = len(one & other)
    return hits / max(len(one), 1), hits / max(len(other), 1), 2 * hits / max(len(one) + len(other), 1)


@alternative("agreement")
def agreement(found, known):
    hits, made, true = np.sum([(len(one & other), len(one), len(other)) for one, other in zip(found, known)], axis=0)
    return np.array([hits / max(made, 1), hits / max(true, 1), 2 * hits / max(made + true, 1)])


@alternative("agreement")
def agreement(found, known):
    hits = np.array([len(one & other) for one, other in zip(found, known)]).sum()
    made, true = np.array([len(one) for one in found]).sum(), np.array([len(one) for one in known]).sum()
    if hits == 0:
        return [0.0, 0.0, 0.0]
    return [float(hits / made), float(hits / true), float(2 * hits / (made + true))]


# random_cuts


@mistake(
    "random_cuts",
    "places are drawn with replacement, so two of them may fall together",
    "test_as_many_places_as_asked_for_inside_the_word",
)
def random_cuts(word, count, generator):
    return {generator.randint(1, len(word) - 1) for _ in range(count)}


@mistake(
    "random_cuts",
    "0, before the word, is among the places: a cut lies inside",
    "test_as_many_places_as_asked_for_inside_the_word",
)
def random_cuts(word, count, generator):
    return set(generator.sample(range(len(word)), count))


@mistake(
    "random_cuts",
    "the first places are taken, not random ones",
    "test_every_set_of_places_is_equally_likely",
)
def random_cuts(word, count, generator):
    return set(range(1, count + 1))


@mistake(
    "random_cuts",
    "chance comes from the module random: the generator is the only source of it",
    "test_the_generator_is_the_only_source_of_chance",
)
def random_cuts(word, count, generator):
    import random

    return set(random.sample(range(1, len(word)), count))


@mistake(
    "random_cuts",
    "neighbouring places are taken from a random start: each set of places should be equally likely",
    "test_every_set_of_places_is_equally_likely",
)
def random_cuts(word, count, generator):
    start = generator.randint(1, len(word) - count) if count else 1
    return set(range(start, start + count))


@mistake(
    "random_cuts",
    "a list comes back: a set is asked for, since the cuts of two ways are intersected",
    "test_as_many_places_as_asked_for_inside_the_word",
)
def random_cuts(word, count, generator):
    return generator.sample(range(1, len(word)), count)


@alternative("random_cuts")
def random_cuts(word, count, generator):
    places = list(range(1, len(word)))
    generator.shuffle(places)
    return set(places[:count])


@alternative("random_cuts")
def random_cuts(word, count, generator):
    places = set()
    while len(places) < count:
        places.add(1 + int(generator.random() * (len(word) - 1)))
    return places


# tokens_per_sentence


@mistake(
    "tokens_per_sentence",
    "the first number is divided by the words: tokens per sentence are asked for",
    "test_pieces_are_counted_by_sentence_and_whole_words_by_word",
)
def tokens_per_sentence(sentences, cut):
    words = [word for sentence in sentences for word in sentence]
    return sum(len(cut[word]) for word in words) / len(words), sum(len(cut[word]) == 1 for word in words) / len(words)


@mistake(
    "tokens_per_sentence",
    "each different word is counted once: running words are asked for",
    "test_pieces_are_counted_by_sentence_and_whole_words_by_word",
)
def tokens_per_sentence(sentences, cut):
    words = {word for sentence in sentences for word in sentence}
    return sum(len(cut[word]) for word in words) / len(sentences), sum(len(cut[word]) == 1 for word in words) / len(
        words
    )


@mistake(
    "tokens_per_sentence",
    "the second number is the share of the different words: running words are asked for",
    "test_pieces_are_counted_by_sentence_and_whole_words_by_word",
)
def tokens_per_sentence(sentences, cut):
    words = [word for sentence in sentences for word in sentence]
    different = set(words)
    whole = sum(len(cut[word]) == 1 for word in different) / len(different)
    return sum(len(cut[word]) for word in words) / len(sentences), whole


@mistake(
    "tokens_per_sentence",
    "the second number is the share of words that are cut: those that stay whole are asked for",
    "test_words_that_all_stay_whole",
)
def tokens_per_sentence(sentences, cut):
    words = [word for sentence in sentences for word in sentence]
    return sum(len(cut[word]) for word in words) / len(sentences), sum(len(cut[word]) > 1 for word in words) / len(
        words
    )


@mistake(
    "tokens_per_sentence",
    "characters are counted, not pieces",
    "test_pieces_are_counted_by_sentence_and_whole_words_by_word",
)
def tokens_per_sentence(sentences, cut):
    words = [word for sentence in sentences for word in sentence]
    return sum(map(len, words)) / len(sentences), sum(len(cut[word]) == 1 for word in words) / len(words)


@mistake(
    "tokens_per_sentence",
    "whole words are divided by the sentences: their share of the words is asked for",
    "test_pieces_are_counted_by_sentence_and_whole_words_by_word",
)
def tokens_per_sentence(sentences, cut):
    words = [word for sentence in sentences for word in sentence]
    return sum(len(cut[word]) for word in words) / len(sentences), sum(len(cut[word]) == 1 for word in words) / len(
        sentences
    )


@alternative("tokens_per_sentence")
def tokens_per_sentence(sentences, cut):
    lengths = np.array([len(cut[word]) for sentence in sentences for word in sentence])
    return lengths.sum() / len(sentences), (lengths == 1).mean()


@alternative("tokens_per_sentence")
def tokens_per_sentence(sentences, cut):
    counts = Counter()
    for sentence in sentences:
        counts.update(sentence)
    tokens = sum(n * len(cut[word]) for word, n in counts.items())
    whole = sum(n for word, n in counts.items() if len(cut[word]) == 1)
    return [tokens / len(sentences), whole / counts.total()]


# overlap


@mistake(
    "overlap",
    "the intersection is divided by the first list: Jaccard's index divides by the union",
    "test_the_index_is_the_intersection_over_the_union",
)
def overlap(one, other):
    def bare(vocabulary):
        texts = {piece.removeprefix("##").removeprefix("▁") for piece in vocabulary}
        return {text for text in texts if text and not (len(text) > 2 and (text[0] + text[-1]) in ("[]", "<>"))}

    first, second = bare(one), bare(other)
    return len(first & second) / len(first) if first else 0.0


@mistake("overlap", "marks are compared too: ##을 and 을 are one piece", "test_marks_do_not_count")
def overlap(one, other):
    def bare(vocabulary):
        return {text for text in vocabulary if text and not (len(text) > 2 and (text[0] + text[-1]) in ("[]", "<>"))}

    first, second = bare(one), bare(other)
    return len(first & second) / len(first | second) if first | second else 0.0


@mistake("overlap", "special tokens are counted as pieces of text", "test_special_tokens_are_left_out")
def overlap(one, other):
    def bare(vocabulary):
        return {piece.removeprefix("##").removeprefix("▁") for piece in vocabulary} - {""}

    first, second = bare(one), bare(other)
    return len(first & second) / len(first | second) if first | second else 0.0


@mistake(
    "overlap",
    "every # is stripped off: the mark is ##, and # alone is a piece",
    "test_marks_do_not_count",
)
def overlap(one, other):
    def bare(vocabulary):
        texts = {piece.strip("#▁") for piece in vocabulary}
        return {text for text in texts if text and not (len(text) > 2 and (text[0] + text[-1]) in ("[]", "<>"))}

    first, second = bare(one), bare(other)
    return len(first & second) / len(first | second) if first | second else 0.0


@mistake(
    "overlap",
    "## and ▁ are removed anywhere: only at the start of a piece are they marks",
    "test_marks_do_not_count",
)
def overlap(one, other):
    def bare(vocabulary):
        texts = {piece.replace("##", "").replace("▁", "") for piece in vocabulary}
        return {text for text in texts if text and not (len(text) > 2 and (text[0] + text[-1]) in ("[]", "<>"))}

    first, second = bare(one), bare(other)
    return len(first & second) / len(first | second) if first | second else 0.0


@mistake(
    "overlap",
    "pieces that only begin with [ or < are left out: a special token ends with ] or > too",
    "test_special_tokens_are_left_out",
)
def overlap(one, other):
    def bare(vocabulary):
        texts = {piece.removeprefix("##").removeprefix("▁") for piece in vocabulary}
        return {text for text in texts if text and not (len(text) > 2 and text[0] in "[<")}

    first, second = bare(one), bare(other)
    return len(first & second) / len(first | second) if first | second else 0.0


@mistake(
    "overlap",
    "[a> is left out: a special token ends with the bracket that it began with",
    "test_special_tokens_are_left_out",
)
def overlap(one, other):
    def bare(vocabulary):
        texts = {piece.removeprefix("##").removeprefix("▁") for piece in vocabulary}
        return {text for text in texts if text and not (len(text) > 2 and text[0] in "[<" and text[-1] in "]>")}

    first, second = bare(one), bare(other)
    return len(first & second) / len(first | second) if first | second else 0.0


@mistake(
    "overlap",
    "two empty lists are divided by zero: they have 0 in common",
    "test_two_empty_lists_have_nothing_in_common",
)
def overlap(one, other):
    def bare(vocabulary):
        texts = {piece.removeprefix("##").removeprefix("▁") for piece in vocabulary}
        return {text for text in texts if text and not (len(text) > 2 and (text[0] + text[-1]) in ("[]", "<>"))}

    first, second = bare(one), bare(other)
    return len(first & second) / len(first | second)


@mistake(
    "overlap",
    "Dice's coefficient divides twice the intersection by the sum of the sizes: Jaccard's divides it by the union",
    "test_the_index_is_the_intersection_over_the_union",
)
def overlap(one, other):
    def bare(vocabulary):
        texts = {piece.removeprefix("##").removeprefix("▁") for piece in vocabulary}
        return {text for text in texts if text and not (len(text) > 2 and (text[0] + text[-1]) in ("[]", "<>"))}

    first, second = bare(one), bare(other)
    return 2 * len(first & second) / (len(first) + len(second)) if first | second else 0.0


@alternative("overlap")
def overlap(one, other):
    import re

    def bare(vocabulary):
        texts = (re.sub(r"^(##|▁)", "", piece) for piece in vocabulary)
        return {text for text in texts if text and not re.fullmatch(r"\[.+\]|<.+>", text)}

    first, second = bare(one), bare(other)
    both = len(first & second)
    return both / max(len(first) + len(second) - both, 1)


@alternative("overlap")
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


# What no check can tell from a right answer.

EQUAL = "the two lists are equally long by the contract"
equivalent("agreement", "1: zip(found, known, strict=True) → zip(found, known)", EQUAL)
equivalent("agreement", "1: zip(found, known, strict=True) → zip(found, known, strict=False)", EQUAL)
equivalent(
    "agreement", "1: zip(found, known, strict=True) → zip(known, found, strict=True)", "an intersection is symmetric"
)
equivalent("overlap", "3: ('[]', '<>') → ('<>', '[]')", "membership does not depend on the order")
equivalent("overlap", "5: (bare(one), bare(other)) → (bare(other), bare(one))", "Jaccard's index is symmetric")
