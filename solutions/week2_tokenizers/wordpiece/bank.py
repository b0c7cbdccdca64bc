"""WordPiece: classic mistakes and other right ways, for each exercise. Never released."""

import math
import string
import unicodedata
from collections import Counter
from itertools import pairwise

from etude.tokenizers import wordpiece
from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)

# Answers run in the notebook's namespace, which has these too.
SPECIAL = None


# likelihood_gain
@alternative("likelihood_gain", "xlogy")
def likelihood_gain(together, first, second, total):
    from scipy.special import xlogy

    before, after = [first, second], [together, first - together, second - together]
    parts = sum(xlogy(c, c) for c in after) - sum(xlogy(c, c) for c in before)
    return float(parts + xlogy(total, total) - xlogy(total - together, total - together))


@alternative("likelihood_gain", "two-likelihoods")
def likelihood_gain(together, first, second, total):
    def likelihood(counts, size):
        return sum(c * math.log(c / size) for c in counts if c > 0)

    rest = total - first - second
    before = likelihood([first, second], total) - rest * math.log(total)
    shorter = total - together
    after = likelihood([together, first - together, second - together], shorter) - rest * math.log(shorter)
    return after - before


edit("likelihood_gain", "only-new-piece", {"part(first) + part(second) - part(total)": "-part(total)",
     " + part(first - together) + part(second - together)": ""},
     "only the new piece was looked at: s and t are left fewer times than before, and the text is shorter",
     killed_by="test_small_texts_agree_with_their_likelihood_before_and_after")
edit("likelihood_gain", "same-length", {"- part(total - together)": "- part(total)"},
     "the text becomes shorter: it has N − n pieces after the merge, not N",
     killed_by="test_two_pieces_that_only_occur_together")
edit("likelihood_gain", "sign-turned-round", {"return after - before": "return before - after"},
     "the sign is turned round: the likelihood before was taken minus the likelihood after",
     killed_by="test_two_pieces_that_only_occur_together")
edit("likelihood_gain", "log-of-zero", {" if count else 0.0": ""},
     "0 · ln 0 is 0: math.log(0) must not be asked where a piece is used up",
     killed_by="test_two_pieces_that_only_occur_together")
edit("likelihood_gain", "base-two", {"math.log(": "math.log2("},
     "the logarithm is that of base 2: nats were asked for", killed_by="test_two_pieces_that_only_occur_together")
edit("likelihood_gain", "approximation",
     {"return after - before": "return together * (math.log(together * total / (first * second)) - 1)"},
     "this is the approximation n (ln(nN / (c_s c_t)) − 1): the exact difference was asked for",
     killed_by="test_two_pieces_that_only_occur_together")
edit("likelihood_gain", "n-times-pmi",
     {"return after - before": "return together * math.log(together * total / (first * second))"},
     "this is n times the PMI: it forgets that all other counts become other probabilities",
     killed_by="test_two_pieces_that_only_occur_together")
edit("likelihood_gain", "pmi-of-one", {"return after - before": "return math.log(together * total / (first * second))"},
     "this is the PMI of one occurrence, not the gain of the whole text",
     killed_by="test_two_pieces_that_only_occur_together")
edit("likelihood_gain", "parts-left-as-they-were",
     {"part(first - together) + part(second - together)": "part(first) + part(second)"},
     "s and t are left as they were: n of each have gone into the new piece",
     killed_by="test_small_texts_agree_with_their_likelihood_before_and_after")
edit("likelihood_gain", "two-pieces-fewer", {"total - together": "total - 2 * together"},
     "each merge takes two pieces and gives one, so N becomes N − n, not N − 2n",
     killed_by="test_two_pieces_that_only_occur_together")
edit("likelihood_gain", "no-return", {"return after - before": ""},
     "nothing comes back: `return` is missing", killed_by="test_two_pieces_that_only_occur_together")


# rank_pairs
@alternative("rank_pairs", "inner-function")
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for i, piece in enumerate(word):
            pieces[piece] += count
            if i:
                pairs[word[i - 1], piece] += count
    total = sum(pieces.values())

    def value(pair):
        s, t = pair
        if rule == "frequency":
            return pairs[pair]
        if rule == "score":
            return pairs[pair] / (pieces[s] * pieces[t])
        return round(likelihood_gain(pairs[pair], pieces[s], pieces[t], total), 6)

    ranked = sorted(pair for pair in pairs if pairs[pair] >= min_count)
    ranked.sort(key=value, reverse=True)
    return [(pair, value(pair)) for pair in ranked]


@alternative("rank_pairs", "numpy-logarithms")
def rank_pairs(words, rule, min_count=2):
    import numpy as np

    pieces = Counter()
    pairs = Counter()
    for word, count in words.items():
        pieces.update({piece: count * word.count(piece) for piece in word})
        pairs.update({pair: count * list(pairwise(word)).count(pair) for pair in pairwise(word)})
    kept = sorted(pair for pair, n in pairs.items() if n >= min_count)
    n = np.array([pairs[pair] for pair in kept], dtype=float)
    if rule == "frequency":
        values = n
    elif rule == "score":
        values = n / (np.array([pieces[s] for s, _ in kept]) * np.array([pieces[t] for _, t in kept])) if kept else n
    else:
        total = sum(pieces.values())
        values = np.array([round(likelihood_gain(pairs[s, t], pieces[s], pieces[t], total), 6) for s, t in kept])
    order = np.argsort(-values, kind="stable")
    return [(kept[i], values[i]) for i in order]


edit("rank_pairs", "not-divided", {"n / (pieces[s] * pieces[t])": "n"},
     "the score is not divided by the pieces' counts, so it is the frequency",
     killed_by="test_by_score_they_begin_with_g_s_and_five_pairs_tie")
edit("rank_pairs", "sum-for-product", {"pieces[s] * pieces[t]": "pieces[s] + pieces[t]"},
     "the score is divided by the sum of the two counts: it is their product",
     killed_by="test_by_score_they_begin_with_g_s_and_five_pairs_tie")
edit("rank_pairs", "operators-from-left", {"n / (pieces[s] * pieces[t])": "n / pieces[s] * pieces[t]"},
     "operators bind from the left: n / c_s * c_t is (n / c_s) · c_t; put the product into brackets",
     killed_by="test_by_score_they_begin_with_g_s_and_five_pairs_tie")
edit("rank_pairs", "pmi-returned", {"n / (pieces[s] * pieces[t])": "math.log(n * total / (pieces[s] * pieces[t]))"},
     "this is the PMI, the logarithm of the score and of N: the same order, but not the value asked for",
     killed_by="test_by_score_they_begin_with_g_s_and_five_pairs_tie")
edit("rank_pairs", "gain-of-one",
     {"likelihood_gain(n, pieces[s], pieces[t], total)": "likelihood_gain(n, pieces[s], pieces[t], total) / n"},
     "the gain for one occurrence was taken, not that of the whole text",
     killed_by="test_by_gain_the_values_are_those_of_likelihood_gain")
edit("rank_pairs", "each-word-once",
     {"for word, count in words.items():": "for word, count in dict.fromkeys(words, 1).items():"},
     "each different word counts once: it counts as often as it occurs",
     killed_by="test_by_frequency_the_hugs_begin_with_u_g")
edit("rank_pairs", "pieces-once-a-word", {"pieces[piece] += count": "pieces[piece] += 1"},
     "pieces count once for each different word, pairs as often as the word occurs: both by the count",
     killed_by="test_by_score_they_begin_with_g_s_and_five_pairs_tie")
edit("rank_pairs", "smallest-first", {"-item[1]": "item[1]"},
     "the order is from the smallest to the largest value: the best pair comes first",
     killed_by="test_by_frequency_the_hugs_begin_with_u_g")
edit("rank_pairs", "ties-reversed",
     {"key=lambda item: (-item[1], item[0])": "key=lambda item: (item[1], item[0]), reverse=True"},
     "of equal values, the last pair in Python's order comes first: reverse=True turns the ties round too",
     killed_by="test_by_score_they_begin_with_g_s_and_five_pairs_tie")
edit("rank_pairs", "ties-by-first-met", {"(-item[1], item[0])": "-item[1]"},
     "of equal values, the pair that was met first comes first: the tie-break is Python's order",
     killed_by="test_by_score_they_begin_with_g_s_and_five_pairs_tie")
edit("rank_pairs", "minimum-left-out", {"n >= min_count": "n > min_count"},
     "a pair that occurs exactly min_count times is left out", killed_by="test_a_pair_that_is_too_rare_is_left_out")
edit("rank_pairs", "minimum-unused", {"n >= min_count": "True"},
     "rare pairs are not left out: min_count is not looked at", killed_by="test_a_pair_that_is_too_rare_is_left_out")
edit("rank_pairs", "minimum-of-value", {"values.items()": "[v for v in values.items() if v[1] >= min_count]"},
     "the minimum count was asked of the value, not of how often the pair occurs",
     killed_by="test_by_score_they_begin_with_g_s_and_five_pairs_tie")
edit("rank_pairs", "minimum-of-pieces", {"n >= min_count": "min(pieces[s], pieces[t]) >= 2"},
     "the minimum count was asked of the pieces, not of the pair", killed_by="test_a_pair_that_is_too_rare_is_left_out")
edit("rank_pairs", "once-a-word", {"pairwise(word)": "set(pairwise(word))"},
     "a pair counts once for each word that holds it: every place counts",
     killed_by="test_every_place_in_a_word_counts")
edit("rank_pairs", "different-pieces-counted", {"sum(pieces.values())": "len(pieces)"},
     "N is the number of different pieces: it is how many pieces the text has",
     killed_by="test_by_gain_the_values_are_those_of_likelihood_gain")
edit("rank_pairs", "words-counted", {"pieces.values": "words.values"},
     "N counts words: it is how many pieces the text has",
     killed_by="test_by_gain_the_values_are_those_of_likelihood_gain")
edit("rank_pairs", "values-missing", {"sorted(values.items(), key=lambda item: (-item[1], item[0]))":
     "[pair for pair, _ in sorted(values.items(), key=lambda item: (-item[1], item[0]))]"},
     "only the pairs come back: their values were asked for too", killed_by="test_by_frequency_the_hugs_begin_with_u_g")
edit("rank_pairs", "only-best", {"sorted(values.items(), key=lambda item: (-item[1], item[0]))":
     "sorted(values.items(), key=lambda item: (-item[1], item[0]))[:1]"},
     "only the best pair comes back: a list of all of them was asked for",
     killed_by="test_by_frequency_the_hugs_begin_with_u_g")
edit("rank_pairs", "no-return", {"return sorted(values.items(), key=lambda item: (-item[1], item[0]))":
     "sorted(values.items(), key=lambda item: (-item[1], item[0]))"},
     "nothing comes back: `return` is missing", killed_by="test_by_frequency_the_hugs_begin_with_u_g")

TIES = "test_equal_values_go_by_the_two_pieces_and_tiny_scores_are_told_apart"
edit("rank_pairs", "ties-by-new-piece", {"(-item[1], item[0])": "(-item[1], item[0][0] + item[0][1][2:])"},
     "of equal values the piece that would be made decides: the pairs are compared as tuples", killed_by=TIES)
edit("rank_pairs", "ties-by-joined-pieces", {"(-item[1], item[0])": '(-item[1], "".join(item[0]))'},
     "of equal values the two pieces as one string decide: the pairs are compared as tuples", killed_by=TIES)
edit("rank_pairs", "ties-without-case", {"(-item[1], item[0])": "(-item[1], item[0][0].lower(), item[0])"},
     "of equal values the alphabet without case decides: Python's order has capitals first", killed_by=TIES)
edit("rank_pairs", "rounded-score", {"n / (pieces[s] * pieces[t])": "round(n / (pieces[s] * pieces[t]), 6)"},
     "scores are rounded, and tiny ones tie: only gains are rounded", killed_by=TIES)
edit("rank_pairs", "int32", {"n / (pieces[s] * pieces[t])": "n / ((pieces[s] * pieces[t] + 2**31) % 2**32 - 2**31)"},
     "products of 32 bits: those of large counts do not fit in", killed_by=TIES)
TINY = "test_equal_values_go_by_the_two_pieces_and_tiny_scores_are_told_apart"
edit("rank_pairs", "score-by-logarithms", {"n / (pieces[s] * pieces[t])":
     "math.exp(math.log(n) - math.log(pieces[s]) - math.log(pieces[t]))"},
     "the score is taken from logarithms, and scores that are equal come apart: it is one division", killed_by=TINY)
edit("rank_pairs", "hundred-pairs", {"(-item[1], item[0]))": "(-item[1], item[0]))[:100]"},
     "only the best pairs came back: all are asked for", killed_by=TINY)


# merge_pair
@alternative("merge_pair", "slices")
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append(word[i] + word[i + 1].removeprefix("##"))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@alternative("merge_pair", "string-replace")
def merge_pair(word, pair):
    joined = pair[0] + pair[1][2:]
    text = f" {'  '.join(word)} ".replace(f" {pair[0]}  {pair[1]} ", f" {joined} ")
    return tuple(text.split())


@alternative("merge_pair", "recursive")
def merge_pair(word, pair):
    if len(word) < 2:
        return tuple(word)
    if (word[0], word[1]) == pair:
        return (word[0] + word[1][2:], *merge_pair(word[2:], pair))
    return (word[0], *merge_pair(word[1:], pair))


edit("merge_pair", "by-what-they-spell", {"(merged[-1], piece) == pair": 'piece[:2] == "##" and merged[-1] + piece[2:] == pair[0] + pair[1][2:]'},
     "only what the two spell together is compared: another pair may spell the same",
     killed_by="test_a_number_sign_is_a_character_like_any_other")
edit("merge_pair", "second-mark-stays", {'word[i + 1].removeprefix("##")': "word[i + 1]"},
     "the mark of the second piece stays inside: ##u ##g becomes ##ug",
     killed_by="test_the_mark_inside_goes_and_that_in_front_stays", of="slices")
edit("merge_pair", "first-mark-gone",
     {'word[i] + word[i + 1].removeprefix("##")': '(word[i] + word[i + 1]).replace("##", "")'},
     "the marks of both pieces are gone: that in front stays where the pair does not begin the word",
     killed_by="test_the_mark_inside_goes_and_that_in_front_stays", of="slices")
edit("merge_pair", "always-marked",
     {'word[i] + word[i + 1].removeprefix("##")': '"##" + (word[i] + word[i + 1]).replace("##", "")'},
     "every merged piece is marked, even where it begins the word",
     killed_by="test_the_mark_inside_goes_and_that_in_front_stays", of="slices")
edit("merge_pair", "second-piece-stays", {"i += 2": "i += 1"},
     "the second piece stays where it was after it was joined",
     killed_by="test_the_mark_inside_goes_and_that_in_front_stays", of="slices")
edit("merge_pair", "first-place-only", {"for piece in word": "for i, piece in enumerate(word)",
     "== pair": "== pair and len(merged) == i"},
     "only the first place is merged: the pair is joined wherever it stands",
     killed_by="test_all_small_words_are_merged_from_left_to_right")


@mistake("merge_pair", "right-to-left",
         "the merge goes from right to left: of three equal pieces the first two are joined",
         killed_by="test_a_merged_piece_can_be_merged_again_later_but_not_at_once")
def merge_pair(word, pair):
    merged, i = [], len(word)
    while i > 0:
        if i > 1 and (word[i - 2], word[i - 1]) == pair:
            merged.append(word[i - 2] + word[i - 1].removeprefix("##"))
            i -= 2
        else:
            merged.append(word[i - 1])
            i -= 1
    return tuple(reversed(merged))


edit("merge_pair", "list-returned", {"tuple(merged)": "merged"},
     "a list comes back: a tuple was asked for, which can be a key",
     killed_by="test_the_mark_inside_goes_and_that_in_front_stays", of="slices")
edit("merge_pair", "last-piece-lost", {"len(word)": "len(word) - 1",
     "tuple(word[i : i + 2])": "(word[i], word[i + 1])"},
     "the last piece is lost: a pair needs two pieces, but the last piece alone stays too",
     killed_by="test_the_mark_inside_goes_and_that_in_front_stays", of="slices")
edit("merge_pair", "all-hashes-stripped", {'word[i + 1].removeprefix("##")': 'word[i + 1].lstrip("#")'},
     "every # in front of the second piece is stripped: only one mark, ##, may go",
     killed_by="test_a_number_sign_is_a_character_like_any_other", of="slices")
edit("merge_pair", "order-exchanged",
     {'word[i] + word[i + 1].removeprefix("##")': 'word[i + 1] + word[i].removeprefix("##")'},
     "the pieces are joined in the other order", killed_by="test_the_mark_inside_goes_and_that_in_front_stays",
     of="slices")
edit("merge_pair", "no-return", {"return tuple(merged)": "tuple(merged)"},
     "nothing comes back: `return` is missing", killed_by="test_the_mark_inside_goes_and_that_in_front_stays",
     of="slices")

SIGN = "test_a_number_sign_is_a_character_like_any_other"
edit("merge_pair", "every-mark-gone", {'piece.removeprefix("##")': 'piece.replace("##", "")'},
     "every ## of the second piece goes: only the mark in front does", killed_by=SIGN)
edit("merge_pair", "composed",
     {'merged[-1] += piece.removeprefix("##")': 'merged[-1] = unicodedata.normalize("NFC", merged[-1] + piece.removeprefix("##"))'},
     "the new piece is composed (NFC): it is the two as they are", killed_by=SIGN)


# train_pieces
@alternative("train_pieces", "dictionary-of-words")
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@alternative("train_pieces", "spelled-by-word")
def train_pieces(counts, size, rule, min_count=2):
    spelled = {}
    for word, _count in counts.items():
        spelled[word] = tuple(letter if i == 0 else f"##{letter}" for i, letter in enumerate(word))
    vocabulary = list(SPECIAL)
    vocabulary.extend(sorted(set().union(*spelled.values())))
    while len(vocabulary) < size:
        ranked = rank_pairs({pieces: counts[word] for word, pieces in spelled.items()}, rule, min_count)
        if len(ranked) == 0:
            return vocabulary
        (s, t), _ = ranked[0]
        for word in spelled:
            spelled[word] = merge_pair(spelled[word], (s, t))
        vocabulary.append(s + t[2:])
    return vocabulary


edit("train_pieces", "letters-not-marked", {'(word[0], *("##" + letter for letter in word[1:]))': "tuple(word)"},
     "the letters inside a word are not marked: all but the first begin with ##",
     killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces", of="dictionary-of-words")
edit("train_pieces", "first-letter-marked",
     {'(word[0], *("##" + letter for letter in word[1:]))': 'tuple("##" + letter for letter in word)'},
     "the first letter is marked too: ## stands before pieces that continue a word",
     killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces", of="dictionary-of-words")
edit("train_pieces", "special-left-out", {"SPECIAL + sorted({piece for word in words for piece in word})":
     "sorted({piece for word in words for piece in word})"},
     "the special tokens are left out", killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
     of="dictionary-of-words")
edit("train_pieces", "special-at-end", {"SPECIAL + sorted({piece for word in words for piece in word})":
     "sorted({piece for word in words for piece in word}) + SPECIAL"},
     "the special tokens stand at the end: they come first",
     killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces", of="dictionary-of-words")
edit("train_pieces", "special-sorted-in", {"SPECIAL + sorted({piece for word in words for piece in word})":
     "sorted({*SPECIAL, *(piece for word in words for piece in word)})"},
     "the special tokens were sorted in among the letters",
     killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces", of="dictionary-of-words")
edit("train_pieces", "order-of-meeting", {"sorted({piece for word in words for piece in word})":
     "list(dict.fromkeys(piece for word in words for piece in word))"},
     "the single pieces stand in the order in which they are met: Python's order was asked for",
     killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces", of="dictionary-of-words")
edit("train_pieces", "all-letters-both-ways", {"{piece for word in words for piece in word}":
     '{mark + letter for word in counts for letter in word for mark in ("", "##")}'},
     "all single letters are there with and without mark: only what occurs is",
     killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces", of="dictionary-of-words")
edit("train_pieces", "size-as-merges", {"len(vocabulary) < size": "len(vocabulary) < size + len(SPECIAL)"},
     "`size` is the size of the whole vocabulary: single pieces and special tokens count",
     killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces", of="dictionary-of-words")
edit("train_pieces", "one-too-many", {"len(vocabulary) < size": "len(vocabulary) <= size"},
     "one piece too many: the vocabulary stops at `size`",
     killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces", of="dictionary-of-words")


@mistake("train_pieces", "ranked-once",
         "the pairs are ranked once, before the first merge: each merge changes the counts",
         killed_by="test_counts_are_taken_anew_before_each_merge")
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    for best, _ in rank_pairs(words, rule, min_count):
        if len(vocabulary) >= size:
            break
        vocabulary.append(best[0] + best[1].removeprefix("##"))
    return vocabulary


edit("train_pieces", "always-frequency", {"words, rule": 'words, "frequency"'},
     "the rule is not passed on: everything is merged by frequency",
     killed_by="test_score_and_frequency_merge_other_pairs", of="dictionary-of-words")
edit("train_pieces", "always-score", {"words, rule": 'words, "score"'},
     "the rule is not passed on: everything is merged by score", killed_by="test_score_and_frequency_merge_other_pairs",
     of="dictionary-of-words")
edit("train_pieces", "minimum-not-passed", {"words, rule, min_count": "words, rule"},
     "min_count is not passed on", killed_by="test_training_stops_when_no_pair_is_left", of="dictionary-of-words")
edit("train_pieces", "worst-merged", {"ranked[0]": "ranked[-1]"},
     "the last of the ranking was merged: the best pair comes first",
     killed_by="test_score_and_frequency_merge_other_pairs", of="dictionary-of-words")
edit("train_pieces", "mark-stays-inside", {'best[1].removeprefix("##")': "best[1]"},
     "the mark of the second piece stays inside the merged one", killed_by="test_score_and_frequency_merge_other_pairs",
     of="dictionary-of-words")
edit("train_pieces", "special-grows",
     {"vocabulary = SPECIAL + sorted": "vocabulary = SPECIAL\n    vocabulary += sorted"},
     "the notebook's SPECIAL grows with every training: += changes the list itself",
     killed_by="test_the_counts_are_left_alone_and_the_special_tokens_too")
edit("train_pieces", "counts-lost", {"{merge_pair(word, best): count for word, count in words.items()}":
     "{merge_pair(word, best): 1 for word in words}"},
     "words that are cut alike are counted once only: the counts are lost at the first merge",
     killed_by="test_score_and_frequency_merge_other_pairs", of="dictionary-of-words")
edit("train_pieces", "only-merged", {"return vocabulary":
     'return vocabulary[len(SPECIAL) + len({p for w in counts for p in (w[0], *("##" + c for c in w[1:]))}) :]'},
     "only the merged pieces come back: special tokens and single pieces belong to the vocabulary",
     killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces", of="dictionary-of-words")
edit("train_pieces", "no-return", {"return vocabulary": "vocabulary.copy()"},
     "nothing comes back: `return` is missing",
     killed_by="test_the_vocabulary_begins_with_special_tokens_and_single_pieces", of="dictionary-of-words")

EVERY = "test_every_word_counts_and_a_loss_does_not_end_the_training"
edit("train_pieces", "single-pieces-cut", {"return vocabulary": "return vocabulary[:size]"},
     "single pieces are cut off where they are more than `size`: they are all there", killed_by=EVERY)
edit("train_pieces", "stops-at-a-loss", {"min_count))": "min_count)) and ranked[0][1] > 0"},
     "training ends where the best gain is not above 0: it goes on until there are enough pieces", killed_by=EVERY)
edit("train_pieces", "composed", {"counts.items()": '((unicodedata.normalize("NFC", w), n) for w, n in counts.items())'},
     "words are composed (NFC) first: they stay as they are", killed_by=EVERY)
edit("train_pieces", "letters-alone", {"counts.items()": "counts.items() if word.isalpha()"},
     "words with a sign are left out", killed_by=EVERY)
edit("train_pieces", "no-words-raise", {"vocabulary = SPECIAL": "longest = max(map(len, words))\n    vocabulary = SPECIAL"},
     "no words end in an error: the special tokens are there all the same", killed_by=EVERY)
COUNTED = "test_any_counted_words_give_the_vocabulary_of_a_recount"
edit("train_pieces", "marked-pieces-first", {"sorted({piece for word in words for piece in word})":
     "sorted({p for w in words for p in w}, key=lambda p: (p[0] != \"#\", p))"},
     "pieces with ## stand before all others: in Python's order ! comes before #", killed_by=COUNTED)
edit("train_pieces", "size-capped", {"len(vocabulary) < size": "len(vocabulary) < min(size, 300)"},
     "training ends early, though pairs are left", killed_by=EVERY)


# cut_word
@alternative("cut_word", "next-of-range")
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@alternative("cut_word", "shrinking-rest")
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, rest = [], word
    while rest:
        end = len(rest)
        while end and ("##" if pieces else "") + rest[:end] not in vocabulary:
            end -= 1
        if end == 0:
            return ["[UNK]"]
        pieces.append(("##" if pieces else "") + rest[:end])
        rest = rest[end:]
    return pieces


@alternative("cut_word", "library-class")
def cut_word(word, vocabulary):
    return wordpiece.WordPiece(sorted({*vocabulary, "[UNK]"})).pieces_of(word)


edit("cut_word", "shortest-piece", {"len(word), start, -1": "start + 1, len(word) + 1"},
     "the shortest piece is taken: the longest one that fits comes first",
     killed_by="test_the_longest_piece_is_taken_and_the_rest_is_marked", of="next-of-range")
edit("cut_word", "mark-not-looked-up", {'"##" if start else ""': '""'},
     "pieces inside the word are looked up without their mark ##",
     killed_by="test_the_longest_piece_is_taken_and_the_rest_is_marked", of="next-of-range")
edit("cut_word", "mark-left-out", {"pieces.append(mark + word[start:end])": "pieces.append(word[start:end])"},
     "the mark is missing from the pieces that come back",
     killed_by="test_the_longest_piece_is_taken_and_the_rest_is_marked", of="next-of-range")
edit("cut_word", "every-piece-marked", {'"##" if start else ""': '"##"'},
     "every piece is marked, the first one too", killed_by="test_the_longest_piece_is_taken_and_the_rest_is_marked",
     of="next-of-range")
edit("cut_word", "unknown-character-only",
     {'if not ends:\n            return ["[UNK]"]':
     ("if not ends:\n"
      '            pieces.append("[UNK]")\n'
      "            start += 1\n"
      "            continue")},
     "only the character that is missing becomes [UNK]: the whole word does",
     killed_by="test_one_missing_character_makes_the_whole_word_unknown")
edit("cut_word", "pieces-kept",
     {'if end is None:\n            return ["[UNK]"]': 'if end is None:\n            return [*pieces, "[UNK]"]'},
     "the pieces before the missing character are kept: the whole word is unknown",
     killed_by="test_one_missing_character_makes_the_whole_word_unknown", of="next-of-range")
edit("cut_word", "rest-left-out",
     {'if end is None:\n            return ["[UNK]"]': "if end is None:\n            break"},
     "the part that does not fit is left out without a word: it makes the word unknown",
     killed_by="test_one_missing_character_makes_the_whole_word_unknown", of="next-of-range")
edit("cut_word", "one-unknown-a-character",
     {'if end is None:\n            return ["[UNK]"]': 'if end is None:\n            return ["[UNK]"] * len(word)'},
     "one [UNK] for each character of an unknown word: it is one token",
     killed_by="test_one_missing_character_makes_the_whole_word_unknown", of="next-of-range")
edit("cut_word", "string-returned",
     {'if end is None:\n            return ["[UNK]"]': 'if end is None:\n            return "[UNK]"'},
     "the string '[UNK]' comes back: a list was asked for",
     killed_by="test_one_missing_character_makes_the_whole_word_unknown", of="next-of-range")


@mistake("cut_word", "goes-back", "a word that greed loses is saved by going back: BERT does not go back",
         killed_by="test_greed_can_lose_a_word_that_could_be_cut")
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]

    def rest(start):
        if start == len(word):
            return []
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary and (after := rest(end)) is not None:
                return [piece, *after]
        return None

    found = rest(0)
    return ["[UNK]"] if found is None else found


@mistake("cut_word", "longest-anywhere",
         "the longest piece anywhere in the word is taken first: WordPiece goes from left to right",
         killed_by="test_all_small_words_are_cut_by_the_longest_match")
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]

    def cut(start, end):
        if start == end:
            return []
        spans = sorted(((i, j) for i in range(start, end) for j in range(i + 1, end + 1)), key=lambda s: s[0] - s[1])
        for i, j in spans:
            piece = ("##" if i else "") + word[i:j]
            if piece in vocabulary:
                before, after = cut(start, i), cut(j, end)
                return None if before is None or after is None else [*before, piece, *after]
        return None

    found = cut(0, len(word))
    return ["[UNK]"] if found is None else found


edit("cut_word", "no-limit", {'if len(word) > 100:\n        return ["[UNK]"]': ""},
     "there is no limit of 100 characters", killed_by="test_a_word_of_more_than_100_characters_is_unknown",
     of="next-of-range")
edit("cut_word", "hundred-is-too-long", {"len(word) > 100": "len(word) >= 100"},
     "a word of exactly 100 characters is cut: only longer ones are unknown",
     killed_by="test_a_word_of_more_than_100_characters_is_unknown", of="next-of-range")
edit("cut_word", "limit-of-bytes", {"len(word) > 100": "len(word.encode()) > 100"},
     "the limit was taken for UTF-8 bytes: it is one of characters",
     killed_by="test_the_limit_is_one_of_characters_not_of_bytes", of="next-of-range")
edit("cut_word", "last-character-left-out", {"len(word), start": "len(word) - 1, start"},
     "the last character is left out of the longest piece: range stops before its end",
     killed_by="test_the_longest_piece_is_taken_and_the_rest_is_marked", of="next-of-range")
edit("cut_word", "empty-mark", {"start, -1": "start - 1, -1",
     "pieces.append(mark + word[start:end])":
     ("if end == start:\n"
      "            return pieces + [mark]\n"
      "        pieces.append(mark + word[start:end])")},
     "the mark alone, ##, is taken for a piece of length 0", killed_by="test_a_mark_alone_is_no_piece_of_a_word",
     of="next-of-range")
edit("cut_word", "no-return", {"return pieces": "pieces.copy()"},
     "nothing comes back: `return` is missing", killed_by="test_the_longest_piece_is_taken_and_the_rest_is_marked",
     of="next-of-range")

CUT = "test_random_words_are_cut_as_the_library_does"
NOWHERE = "test_unknown_is_said_even_after_long_pieces"
FIRST = "pieces, start = [], 0"
edit("cut_word", "twenty-characters", {"range(start + 1, len(word) + 1)": "range(start + 1, min(len(word), start + 20) + 1)"},
     "longer pieces than 20 characters are not tried", killed_by=CUT)
edit("cut_word", "composed", {FIRST: 'word = unicodedata.normalize("NFC", word)\n    ' + FIRST},
     "the word is composed (NFC) first: it stays as it is", killed_by=CUT)
edit("cut_word", "small-letters-too", {"in vocabulary]": "in vocabulary or (mark + word[start:end]).lower() in vocabulary]"},
     "a piece is looked up in small letters as well: A is not a", killed_by=CUT)
edit("cut_word", "signs-stripped", {FIRST: "word = word.strip(string.punctuation)\n    " + FIRST},
     "punctuation at the ends is stripped: it is part of the word", killed_by=CUT)
UNKNOWN = 'if not ends:\n            return ["[UNK]"]'
edit("cut_word", "unknown-only-if-listed", {UNKNOWN: UNKNOWN + ' if "[UNK]" in vocabulary else []'},
     "[UNK] comes back only if the vocabulary has it", killed_by=NOWHERE)
edit("cut_word", "long-word-kept", {UNKNOWN: UNKNOWN + ' if len(word) < 50 else [*pieces, "[UNK]"]'},
     "of a long word only the rest is unknown: it is the whole word", killed_by=NOWHERE)


edit("cut_word", "up-to-fifty", {"range(start + 1, len(word) + 1)": "range(start + 1, min(len(word), start + 50) + 1)"},
     "pieces of more than fifty letters are not found: the longest one that fits is taken",
     killed_by=CUT)
edit("cut_word", "longest-start", {"    while start < len(word):": "    longest = max((len(piece) for piece in vocabulary if not piece.startswith(('##', '['))), default=0)\n    while start < len(word):",
     "range(start + 1, len(word) + 1)": "range(start + 1, min(len(word), start + longest) + 1)"},
     "no longer pieces are tried than the longest that begins a word",
     killed_by="test_a_piece_inside_a_word_may_be_longer_than_any_at_its_start")


# split_text
@alternative("split_text", "one-loop")
def split_text(text, lower):
    words = []
    if lower:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn").lower()
    for chunk in text.split():
        start = True
        for c in chunk:
            sign = 33 <= ord(c) <= 47 or 58 <= ord(c) <= 64 or 91 <= ord(c) <= 96 or 123 <= ord(c) <= 126
            sign = sign or unicodedata.category(c).startswith("P")
            if sign or start:
                words.append(c)
            else:
                words[-1] += c
            start = sign
    return words


@alternative("split_text", "library-calls")
def split_text(text, lower):
    return wordpiece.split(wordpiece.normalize(text, lower=lower))


edit("split_text", "punctuation-not-split", {'"".join(f" {c} " if c in signs else c for c in text)': "text"},
     "punctuation stays at its word: every mark is a word of its own",
     killed_by="test_every_punctuation_mark_is_a_word")
edit("split_text", "punctuation-thrown-away", {'f" {c} " if': '" " if'},
     "punctuation is thrown away: every mark is a word of its own", killed_by="test_every_punctuation_mark_is_a_word")


@mistake("split_text", "run-of-marks", "a run of marks is one word: each mark is one",
         killed_by="test_all_small_texts_are_split_alike")
def split_text(text, lower):
    if lower:
        text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    signs = [c in string.punctuation or unicodedata.category(c)[0] == "P" for c in text]
    spaced = ""
    for i, c in enumerate(text):
        spaced += " " * (i > 0 and signs[i] != signs[i - 1]) + c
    return spaced.split()


edit("split_text", "unicode-punctuation-only", {"c in string.punctuation or ": ""},
     "only Unicode's punctuation is split off: $, ^ and + are symbols to Unicode, but signs to BERT",
     killed_by="test_every_punctuation_mark_is_a_word")
edit("split_text", "ascii-only", {' or unicodedata.category(c)[0] == "P"': ""},
     "only ASCII's signs are split off: 。 and … are punctuation too", killed_by="test_all_small_texts_are_split_alike")
edit("split_text", "symbols-split",
     {'c in string.punctuation or unicodedata.category(c)[0] == "P"': 'unicodedata.category(c)[0] in "PS"'},
     "symbols such as € and ♥ are split off: only punctuation and ASCII's signs are",
     killed_by="test_any_text_is_split_as_the_library_does")
edit("split_text", "accents-stay",
     {'"".join(c for c in decomposed if unicodedata.category(c) != "Mn")': "text.lower()"},
     "accents stay: text is decomposed and its marks (Mn) are dropped",
     killed_by="test_lower_takes_case_and_accents_away")
edit("split_text", "accents-always-off", {"if lower:": "if True:", "text.lower()": "text.lower() if lower else text"},
     "accents are taken off in any case: only if `lower` is true", killed_by="test_lower_takes_case_and_accents_away")
edit("split_text", "lower-always", {"if lower:": "text = text.lower()\n    if lower:"},
     "everything is written in lower case: only if `lower` is true", killed_by="test_lower_takes_case_and_accents_away")
edit("split_text", "case-stays", {"text.lower()": "text"},
     "case stays: lower means lower case too", killed_by="test_lower_takes_case_and_accents_away")
edit("split_text", "composed-at-end", {'"".join(c for c in decomposed if unicodedata.category(c) != "Mn")':
     'unicodedata.normalize("NFC", "".join(c for c in decomposed if unicodedata.category(c) != "Mn"))'},
     "the text is composed again in the end (NFC): BERT leaves it decomposed, so Hangul stays jamo",
     killed_by="test_lower_takes_hangul_apart_into_jamo")
edit("split_text", "nfkd", {'"NFD"': '"NFKD"'},
     "this is compatibility decomposition (NFKD), which also changes ﬁ and ²: canonical decomposition is NFD",
     killed_by="test_decomposition_is_canonical_and_only_nonspacing_marks_go")
edit("split_text", "nfc", {'"NFD"': '"NFC"'},
     "the text is composed (NFC), so accents are no characters of their own and stay",
     killed_by="test_lower_takes_case_and_accents_away")
edit("split_text", "ascii-kept-only", {'"".join(c for c in decomposed if unicodedata.category(c) != "Mn")':
     'decomposed.encode("ascii", "ignore").decode()'},
     "all that is not ASCII is dropped with the accents", killed_by="test_lower_takes_hangul_apart_into_jamo")
edit("split_text", "all-marks-dropped", {'unicodedata.category(c) != "Mn"': 'unicodedata.category(c)[0] != "M"'},
     "all marks are dropped: only those of category Mn are",
     killed_by="test_decomposition_is_canonical_and_only_nonspacing_marks_go")
edit("split_text", "combining-dropped", {'unicodedata.category(c) != "Mn"': "not unicodedata.combining(c)"},
     "characters that combine are dropped (a combining class other than 0): category Mn has more, such as U+FE0F in ❤️",
     killed_by="test_decomposition_is_canonical_and_only_nonspacing_marks_go")
edit("split_text", "empty-words", {".split()": '.split(" ")'},
     "split(' ') leaves empty words where blanks follow each other", killed_by="test_every_punctuation_mark_is_a_word")
edit("split_text", "no-return", {'return "".join': '"".join'},
     "nothing comes back: `return` is missing", killed_by="test_every_punctuation_mark_is_a_word")

NONSPACING = "test_decomposition_is_canonical_and_only_nonspacing_marks_go"
edit("split_text", "blanks-of-ascii", {'return "".join': 'return [word for word in "".join',
     ".split()": '.replace("\\t", " ").replace("\\n", " ").split(" ") if word]'},
     "only the blanks of ASCII are white space: U+3000 and U+00A0 are too", killed_by=NONSPACING)
edit("split_text", "mask-kept-whole", {".split()": '.replace("[ MASK ]", "[MASK]").split()'},
     "[MASK] in a text stays whole: its brackets are punctuation", killed_by=NONSPACING)


ODD = "test_every_strange_sign_is_split"


@mistake("split_text", "signs-before-decomposition", "signs are set apart before the decomposition, so = stays inside its word where ≠ was one", killed_by=ODD)
def split_text(text, lower):
    marks = set(string.punctuation)
    spaced = (f" {c} " if c in marks or unicodedata.category(c).startswith("P") else c for c in text)
    words = "".join(spaced).split()
    if lower:
        decomposed = (unicodedata.normalize("NFD", word.lower()) for word in words)
        words = ["".join(c for c in word if unicodedata.category(c) != "Mn") for word in decomposed]
    return [word for word in words if word]


@mistake("split_text", "marks-dropped-word-by-word", "a word of combining marks alone is left as an empty string: none of the words is empty", killed_by=ODD)
def split_text(text, lower):
    words = []
    for word in text.split():
        if lower:
            word = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn")
        signs = {c for c in word if c in string.punctuation or unicodedata.category(c)[0] == "P"}
        words += "".join(f" {c} " if c in signs else c for c in word).split() or [word]
    return words


edit("split_text", "folded", {"text.lower()": "text.casefold()"},
     "case is folded, so that ß becomes ss: lower case is asked for", killed_by=ODD)
edit("split_text", "connectors-forgotten", {'unicodedata.category(c)[0] == "P"':
     'unicodedata.category(c) in ("Po", "Ps", "Pe", "Pd", "Pi", "Pf")'},
     "connectors (Pc) are punctuation too", killed_by=ODD)
edit("split_text",
     "first-plane", {'unicodedata.category(c)[0] == "P"': '(c < "\U00010000" and unicodedata.category(c)[0] == "P")'},
     "punctuation beyond U+FFFF is taken for letters", killed_by=ODD)


# encode_pair
@alternative("encode_pair", "pieces-then-ids")
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [1] * (len(second) + 1)
    ids = [vocabulary.index(piece) for piece in pieces]
    return ids, segments


@alternative("encode_pair", "inner-function")
def encode_pair(first, second, vocabulary):
    ids, segments = [], []
    index = dict(zip(vocabulary, range(len(vocabulary))))

    def add(piece, segment):
        ids.append(index[piece])
        segments.append(segment)

    add("[CLS]", 0)
    for segment, text in enumerate((first, second)):
        if text is None:
            break
        for piece in text:
            add(piece, segment)
        add("[SEP]", segment)
    return ids, segments


edit("encode_pair", "second-cls", {"*second": '"[CLS]", *second', "len(second) + 1": "len(second) + 2"},
     "the second text begins with a [CLS] of its own: there is only one",
     killed_by="test_the_second_text_has_segment_1_and_a_sep_of_its_own", of="pieces-then-ids")
edit("encode_pair", "last-sep-missing", {'*second, "[SEP]"': "*second", "(len(second) + 1)": "len(second)"},
     "the last [SEP] is missing: each text ends with one",
     killed_by="test_the_second_text_has_segment_1_and_a_sep_of_its_own", of="pieces-then-ids")
edit("encode_pair", "middle-sep-missing",
     {'["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)': '["[CLS]", *first], [0] * (len(first) + 1)',
     "if second is not None:":
     ("if second is None:\n"
      '        pieces, segments = [*pieces, "[SEP]"], [*segments, 0]\n'
      "    else:")},
     "the [SEP] between the texts is missing", killed_by="test_the_second_text_has_segment_1_and_a_sep_of_its_own")
edit("encode_pair", "first-sep-second-segment", {"len(first) + 2": "len(first) + 1 + (second is None)",
     "len(second) + 1": "len(second) + 2"},
     "the first [SEP] has segment 1: it belongs to the first text",
     killed_by="test_the_second_text_has_segment_1_and_a_sep_of_its_own", of="pieces-then-ids")
edit("encode_pair", "last-sep-first-segment", {"[1] * (len(second) + 1)": "[1] * len(second) + [0]"},
     "the last [SEP] has segment 0: it belongs to the second text",
     killed_by="test_the_second_text_has_segment_1_and_a_sep_of_its_own", of="pieces-then-ids")
edit("encode_pair", "all-segments-zero", {"[1]": "[0]"},
     "all segments are 0: those of the second text are 1",
     killed_by="test_the_second_text_has_segment_1_and_a_sep_of_its_own", of="pieces-then-ids")
edit("encode_pair", "segments-from-one", {"0": "1", "[1]": "[2]"},
     "segments are counted from 1: they are 0 and 1", killed_by="test_one_text_stands_between_cls_and_sep",
     of="pieces-then-ids")
edit("encode_pair", "empty-as-none", {"second is not None": "second"},
     "an empty second text is taken for none: ask for `is not None`", killed_by="test_an_empty_second_text_is_not_none",
     of="pieces-then-ids")
edit("encode_pair", "cls-missing", {'"[CLS]", *first': "*first", "2": "1"},
     "[CLS] is missing", killed_by="test_one_text_stands_between_cls_and_sep", of="pieces-then-ids")
edit("encode_pair", "cls-at-end",
     {'["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)': '[*first, "[SEP]"], [0] * (len(first) + 1)',
     "for piece in pieces], segments": 'for piece in [*pieces, "[CLS]"]], [*segments, 0]'},
     "[CLS] stands at the end: BERT puts it in front (XLNet at the end)",
     killed_by="test_one_text_stands_between_cls_and_sep")
edit("encode_pair", "pieces-returned", {"[vocabulary.index(piece) for piece in pieces]": "pieces"},
     "the pieces come back: their ids were asked for", killed_by="test_one_text_stands_between_cls_and_sep",
     of="pieces-then-ids")
edit("encode_pair", "ids-from-one", {"vocabulary.index(piece)": "vocabulary.index(piece) + 1"},
     "ids are counted from 1: they are the places in the list, from 0",
     killed_by="test_one_text_stands_between_cls_and_sep", of="pieces-then-ids")
edit("encode_pair", "marks-taken-off", {"vocabulary.index(piece)":
     'vocabulary.index(bare if (bare := piece.removeprefix("##")) in vocabulary else "[UNK]")'},
     "the marks were taken off before the ids were looked up", killed_by="test_one_text_stands_between_cls_and_sep",
     of="pieces-then-ids")
edit("encode_pair", "exchanged", {"ids, segments": "segments, ids"},
     "segments and ids are exchanged", killed_by="test_one_text_stands_between_cls_and_sep", of="pieces-then-ids")
edit("encode_pair", "input-changed", {'pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)':
     'first[:] = ["[CLS]", *first, "[SEP]"]\n    pieces, segments = first, [0] * len(first)'},
     "the first text's list was changed in place: [CLS] and [SEP] were put into it",
     killed_by="test_the_pieces_are_left_alone")
edit("encode_pair", "no-return", {"return ids, segments": "ids.copy()"},
     "nothing comes back: `return` is missing", killed_by="test_one_text_stands_between_cls_and_sep",
     of="pieces-then-ids")

NOT_CUT = "test_long_texts_are_not_cut_and_case_counts"
edit("encode_pair", "cut-at-512", {"for piece in pieces], segments": "for piece in pieces][:512], segments[:512]"},
     "the input is cut at 512: all pieces are asked for", killed_by=NOT_CUT)
edit("encode_pair", "lowered", {"index[piece] for": "index.get(piece.lower(), index[piece]) for"},
     "pieces are looked up in small letters", killed_by=NOT_CUT)


# decode
@alternative("decode", "running-text")
def decode(ids, vocabulary):
    text = ""
    for i in ids:
        piece = vocabulary[i]
        if piece in ("[PAD]", "[CLS]", "[SEP]", "[MASK]"):
            continue
        text += piece[2:] if piece.startswith("##") else " " + piece
    return text.strip()


@alternative("decode", "list-of-words")
def decode(ids, vocabulary):
    words = []
    for piece in map(vocabulary.__getitem__, ids):
        if piece not in SPECIAL or piece == "[UNK]":
            if piece.startswith("##"):
                words[-1] += piece.removeprefix("##")
            else:
                words.append(piece)
    return " ".join(words)


edit("decode", "marks-stay", {'" ".join(pieces).replace(" ##", "")': '" ".join(pieces)'},
     "the marks stay in the text", killed_by="test_marked_pieces_are_written_onto_the_word_before")
edit("decode", "pieces-stand-apart", {'" ##"': '"##"'},
     "the marks are gone, but their pieces still stand apart from the word before",
     killed_by="test_marked_pieces_are_written_onto_the_word_before")
edit("decode", "blanks-gone", {'" "': '""', '" ##"': '"##"'},
     "all blanks are gone: there is one between two words",
     killed_by="test_marked_pieces_are_written_onto_the_word_before")
edit("decode", "unk-left-out", {'"[CLS]"': '"[UNK]", "[CLS]"'},
     "[UNK] is left out: one must see that something stood there",
     killed_by="test_special_tokens_are_left_out_but_unknown_words_are_shown")
edit("decode", "special-written", {'{"[PAD]", "[CLS]", "[SEP]", "[MASK]"}': "set()"},
     "special tokens are written into the text",
     killed_by="test_special_tokens_are_left_out_but_unknown_words_are_shown")
edit("decode", "only-cls-and-sep", {'"[PAD]", "[CLS]", "[SEP]", "[MASK]"': '"[CLS]", "[SEP]"'},
     "only [CLS] and [SEP] are left out: [PAD] and [MASK] are too",
     killed_by="test_special_tokens_are_left_out_but_unknown_words_are_shown")
edit("decode", "first-five-special", {'silent = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}': "",
     "vocabulary[i] not in silent": "i == 1 or i > 4"},
     "the first five ids are taken for the special tokens: which they are is said by the vocabulary",
     killed_by="test_special_tokens_are_known_by_name_wherever_they_stand_in_the_vocabulary")
edit("decode", "every-hash-gone",
     {'" ".join(pieces).replace(" ##", "")': '" ".join(pieces).replace(" ##", "").replace("#", "")'},
     "every # goes: it can be a sign of the text", killed_by="test_a_sign_of_the_text_is_no_mark")
edit("decode", "blank-at-end", {'" ".join(pieces).replace(" ##", "")':
     '"".join(" " * (not p.startswith("##")) + p.removeprefix("##") for p in pieces)[1:] + " "'},
     "a blank is left at the end", killed_by="test_marked_pieces_are_written_onto_the_word_before")
edit("decode", "blank-in-front", {'" ".join(pieces).replace(" ##", "")':
     '"".join(" " * (not p.startswith("##")) + p.removeprefix("##") for p in pieces)'},
     "a blank is left in front", killed_by="test_marked_pieces_are_written_onto_the_word_before")
edit("decode", "stops-at-sep",
     {"pieces = [":
     ('ends = [i for i in ids if vocabulary[i] == "[SEP]"]\n'
      "    ids = ids[: ids.index(ends[0])] if ends else ids\n"
      "    pieces = [")},
     "reading stops at the first [SEP]: the second text comes after it",
     killed_by="test_special_tokens_are_left_out_but_unknown_words_are_shown")
edit("decode", "list-returned", {'" ".join(pieces).replace(" ##", "")': '" ".join(pieces).replace(" ##", "").split()'},
     "a list of words comes back: a string was asked for",
     killed_by="test_marked_pieces_are_written_onto_the_word_before")
edit("decode", "no-return", {'return " ".join(pieces).replace(" ##", "")': 'str(" ".join(pieces).replace(" ##", ""))'},
     "nothing comes back: `return` is missing", killed_by="test_marked_pieces_are_written_onto_the_word_before")

DECODED = "test_random_ids_are_decoded_as_the_library_does"
SPOKEN = "vocabulary[i] not in silent"
edit("decode", "signs-stripped", {"piece[2:]": 'piece.lstrip("#")'},
     "all # in front of a piece go: only the mark does", killed_by=DECODED, of="running-text")
edit("decode", "every-mark-gone", {"piece[2:]": 'piece.replace("##", "")'},
     "every ## of a piece goes: only the mark in front does", killed_by=DECODED, of="running-text")
edit("decode", "brackets-left-out", {SPOKEN: 'not vocabulary[i].startswith("[") or vocabulary[i] == "[UNK]"'},
     "every piece that begins with [ is left out: only four special tokens are", killed_by=DECODED)
edit("decode", "no-blank-before-signs", {'.replace(" ##", "")': '.replace(" ##", "").replace(" ,", ",")'},
     "the blank before a comma is taken out: there is one between two words", killed_by=DECODED)
edit("decode", "composed",
     {'" ".join(pieces).replace(" ##", "")': 'unicodedata.normalize("NFC", " ".join(pieces).replace(" ##", ""))'},
     "the text is composed (NFC): it stays as it is", killed_by=DECODED)
edit("decode", "any-case", {SPOKEN: "vocabulary[i].upper() not in silent"},
     "special tokens are left out in any case: [pad] is a word", killed_by=DECODED)


edit("decode", "special-sought-in-the-text", {'" ".join(pieces).replace(" ##", "")': '" ".join(pieces).replace(" ##", "").replace("[SEP]", "")'},
     "special tokens are sought in the written text: only whole pieces are left out", killed_by="test_any_ids_are_decoded_by_any_vocabulary")


# Mutants of the reference that no check can tell from a right answer.
equivalent(
    "rank_pairs",
    "16: likelihood_gain(n, pieces[s], pieces[t], total) → likelihood_gain(n, pieces[t], pieces[s], total)",
    "the gain is the same if the two pieces change places",
)
equivalent(
    "cut_word",
    "6: len(word) + 1 → len(word) + 2",
    "a slice that ends beyond the word is the rest of the word, and a start beyond its end ends the loop as well",
)
equivalent(
    "cut_word",
    "6: len(word) + 1 → len(word.encode()) + 1",
    "a slice that ends beyond the word is the rest of the word, and a start beyond its end ends the loop as well",
)
equivalent(
    "split_text",
    "2: text.lower() → __import__('unicodedata').normalize('NFC', text).lower()",
    "the decomposition that follows gives the same for every form of a text",
)
equivalent("split_text", "2: text.lower() → text.lower().lower()", "lower case in lower case is as it was")
equivalent("split_text", "2: text.lower() → text.strip().lower()", "split leaves out the blanks at both ends as well")
