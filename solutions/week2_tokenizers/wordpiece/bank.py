"""WordPiece: classic mistakes and other right ways, for each exercise. Never released."""

import math
import string
import unicodedata
from collections import Counter
from itertools import pairwise

from etude.tokenizers import wordpiece
from grader.lessons.bank import alternative, equivalent, mistake

# Answers run in the notebook's namespace, which has these too.
SPECIAL = likelihood_gain = rank_pairs = merge_pair = None


@mistake(
    "likelihood_gain",
    "only the new piece was looked at: s and t are left fewer times than before, and the text is shorter",
    "test_small_texts_agree_with_their_likelihood_before_and_after",
)
def likelihood_gain(together, first, second, total):
    def part(count):
        return count * math.log(count) if count else 0.0

    return part(together) + part(total) - part(total - together)


@mistake(
    "likelihood_gain",
    "the text becomes shorter: it has N − n pieces after the merge, not N",
    "test_two_pieces_that_only_occur_together",
)
def likelihood_gain(together, first, second, total):
    def part(count):
        return count * math.log(count) if count else 0.0

    return part(together) + part(first - together) + part(second - together) - part(first) - part(second)


@mistake(
    "likelihood_gain",
    "the sign is turned round: the likelihood before was taken minus the likelihood after",
    "test_two_pieces_that_only_occur_together",
)
def likelihood_gain(together, first, second, total):
    def part(count):
        return count * math.log(count) if count else 0.0

    before = part(first) + part(second) - part(total)
    return before - part(together) - part(first - together) - part(second - together) + part(total - together)


@mistake(
    "likelihood_gain",
    "0 · ln 0 is 0: math.log(0) must not be asked where a piece is used up",
    "test_two_pieces_that_only_occur_together",
)
def likelihood_gain(together, first, second, total):
    def part(count):
        return count * math.log(count)

    before = part(first) + part(second) - part(total)
    return part(together) + part(first - together) + part(second - together) - part(total - together) - before


@mistake(
    "likelihood_gain",
    "the logarithm is that of base 2: nats were asked for",
    "test_two_pieces_that_only_occur_together",
)
def likelihood_gain(together, first, second, total):
    def part(count):
        return count * math.log2(count) if count else 0.0

    before = part(first) + part(second) - part(total)
    return part(together) + part(first - together) + part(second - together) - part(total - together) - before


@mistake(
    "likelihood_gain",
    "this is the approximation n (ln(nN / (c_s c_t)) − 1): the exact difference was asked for",
    "test_two_pieces_that_only_occur_together",
)
def likelihood_gain(together, first, second, total):
    return together * (math.log(together * total / (first * second)) - 1)


@mistake(
    "likelihood_gain",
    "this is n times the PMI: it forgets that all other counts become other probabilities",
    "test_two_pieces_that_only_occur_together",
)
def likelihood_gain(together, first, second, total):
    return together * math.log(together * total / (first * second))


@mistake(
    "likelihood_gain",
    "this is the PMI of one occurrence, not the gain of the whole text",
    "test_two_pieces_that_only_occur_together",
)
def likelihood_gain(together, first, second, total):
    return math.log(together * total / (first * second))


@mistake(
    "likelihood_gain",
    "s and t are left as they were: n of each have gone into the new piece",
    "test_small_texts_agree_with_their_likelihood_before_and_after",
)
def likelihood_gain(together, first, second, total):
    def part(count):
        return count * math.log(count) if count else 0.0

    before = part(first) + part(second) - part(total)
    return part(together) + part(first) + part(second) - part(total - together) - before


@mistake(
    "likelihood_gain",
    "each merge takes two pieces and gives one, so N becomes N − n, not N − 2n",
    "test_two_pieces_that_only_occur_together",
)
def likelihood_gain(together, first, second, total):
    def part(count):
        return count * math.log(count) if count else 0.0

    before = part(first) + part(second) - part(total)
    return part(together) + part(first - together) + part(second - together) - part(total - 2 * together) - before


@mistake("likelihood_gain", "nothing comes back: `return` is missing", "test_two_pieces_that_only_occur_together")
def likelihood_gain(together, first, second, total):
    def part(count):
        return count * math.log(count) if count else 0.0

    before = part(first) + part(second) - part(total)
    part(together) + part(first - together) + part(second - together) - part(total - together) - before


@alternative("likelihood_gain")
def likelihood_gain(together, first, second, total):
    from scipy.special import xlogy

    before, after = [first, second], [together, first - together, second - together]
    parts = sum(xlogy(c, c) for c in after) - sum(xlogy(c, c) for c in before)
    return float(parts + xlogy(total, total) - xlogy(total - together, total - together))


@alternative("likelihood_gain")
def likelihood_gain(together, first, second, total):
    def likelihood(counts, size):
        return sum(c * math.log(c / size) for c in counts if c > 0)

    rest = total - first - second
    before = likelihood([first, second], total) - rest * math.log(total)
    shorter = total - together
    after = likelihood([together, first - together, second - together], shorter) - rest * math.log(shorter)
    return after - before


@mistake(
    "rank_pairs",
    "the score is not divided by the pieces' counts, so it is the frequency",
    "test_by_score_they_begin_with_g_s_and_five_pairs_tie",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency" or rule == "score":
                values[s, t] = n
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "the score is divided by the sum of the two counts: it is their product",
    "test_by_score_they_begin_with_g_s_and_five_pairs_tie",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] + pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "operators bind from the left: n / c_s * c_t is (n / c_s) · c_t; put the product into brackets",
    "test_by_score_they_begin_with_g_s_and_five_pairs_tie",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / pieces[s] * pieces[t]
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "this is the PMI, the logarithm of the score and of N: the same order, but not the value asked for",
    "test_by_score_they_begin_with_g_s_and_five_pairs_tie",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = math.log(n * total / (pieces[s] * pieces[t]))
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "the gain for one occurrence was taken, not that of the whole text",
    "test_by_gain_the_values_are_those_of_likelihood_gain",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total) / n, 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "each different word counts once: it counts as often as it occurs",
    "test_by_frequency_the_hugs_begin_with_u_g",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, _count in words.items():
        for piece in word:
            pieces[piece] += 1
        for pair in pairwise(word):
            pairs[pair] += 1
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "pieces count once for each different word, pairs as often as the word occurs: both by the count",
    "test_by_score_they_begin_with_g_s_and_five_pairs_tie",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += 1
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "the order is from the smallest to the largest value: the best pair comes first",
    "test_by_frequency_the_hugs_begin_with_u_g",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (item[1], item[0]))


@mistake(
    "rank_pairs",
    "of equal values, the last pair in Python's order comes first: reverse=True turns the ties round too",
    "test_by_score_they_begin_with_g_s_and_five_pairs_tie",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (item[1], item[0]), reverse=True)


@mistake(
    "rank_pairs",
    "of equal values, the pair that was met first comes first: the tie-break is Python's order",
    "test_by_score_they_begin_with_g_s_and_five_pairs_tie",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: -item[1])


@mistake(
    "rank_pairs", "a pair that occurs exactly min_count times is left out", "test_a_pair_that_is_too_rare_is_left_out"
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n > min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs", "rare pairs are not left out: min_count is not looked at", "test_a_pair_that_is_too_rare_is_left_out"
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if True:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "the minimum count was asked of the value, not of how often the pair occurs",
    "test_by_score_they_begin_with_g_s_and_five_pairs_tie",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted([v for v in values.items() if v[1] >= min_count], key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "the minimum count was asked of the pieces, not of the pair",
    "test_a_pair_that_is_too_rare_is_left_out",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if min(pieces[s], pieces[t]) >= 2:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "a pair counts once for each word that holds it: every place counts",
    "test_every_place_in_a_word_counts",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in set(pairwise(word)):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "N is the number of different pieces: it is how many pieces the text has",
    "test_by_gain_the_values_are_those_of_likelihood_gain",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = len(pieces)
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "N counts words: it is how many pieces the text has",
    "test_by_gain_the_values_are_those_of_likelihood_gain",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(words.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))


@mistake(
    "rank_pairs",
    "only the pairs come back: their values were asked for too",
    "test_by_frequency_the_hugs_begin_with_u_g",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return [pair for pair, _ in sorted(values.items(), key=lambda item: (-item[1], item[0]))]


@mistake(
    "rank_pairs",
    "only the best pair comes back: a list of all of them was asked for",
    "test_by_frequency_the_hugs_begin_with_u_g",
)
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))[:1]


@mistake("rank_pairs", "nothing comes back: `return` is missing", "test_by_frequency_the_hugs_begin_with_u_g")
def rank_pairs(words, rule, min_count=2):
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = sum(pieces.values())
    values = {}
    for (s, t), n in pairs.items():
        if n >= min_count:
            if rule == "frequency":
                values[s, t] = n
            elif rule == "score":
                values[s, t] = n / (pieces[s] * pieces[t])
            else:
                values[s, t] = round(likelihood_gain(n, pieces[s], pieces[t], total), 6)
    sorted(values.items(), key=lambda item: (-item[1], item[0]))


@alternative("rank_pairs")
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


@alternative("rank_pairs")
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


@mistake(
    "merge_pair",
    "the mark of the second piece stays inside: ##u ##g becomes ##ug",
    "test_the_mark_inside_goes_and_that_in_front_stays",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@mistake(
    "merge_pair",
    "the marks of both pieces are gone: that in front stays where the pair does not begin the word",
    "test_the_mark_inside_goes_and_that_in_front_stays",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append((word[i] + word[i + 1]).replace("##", ""))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@mistake(
    "merge_pair",
    "every merged piece is marked, even where it begins the word",
    "test_the_mark_inside_goes_and_that_in_front_stays",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append("##" + (word[i] + word[i + 1]).replace("##", ""))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@mistake(
    "merge_pair",
    "the second piece stays where it was after it was joined",
    "test_the_mark_inside_goes_and_that_in_front_stays",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append(word[i] + word[i + 1].removeprefix("##"))
            i += 1
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@mistake(
    "merge_pair",
    "only the first place is merged: the pair is joined wherever it stands",
    "test_all_small_words_are_merged_from_left_to_right",
)
def merge_pair(word, pair):
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            return (*word[:i], word[i] + word[i + 1].removeprefix("##"), *word[i + 2 :])
    return tuple(word)


@mistake(
    "merge_pair",
    "the merge goes from right to left: of three equal pieces the first two are joined",
    "test_a_merged_piece_can_be_merged_again_later_but_not_at_once",
)
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


@mistake(
    "merge_pair",
    "a list comes back: a tuple was asked for, which can be a key",
    "test_the_mark_inside_goes_and_that_in_front_stays",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append(word[i] + word[i + 1].removeprefix("##"))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@mistake(
    "merge_pair",
    "the last piece is lost: a pair needs two pieces, but the last piece alone stays too",
    "test_the_mark_inside_goes_and_that_in_front_stays",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word) - 1:
        if (word[i], word[i + 1]) == pair:
            merged.append(word[i] + word[i + 1].removeprefix("##"))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@mistake(
    "merge_pair",
    "every # in front of the second piece is stripped: only one mark, ##, may go",
    "test_a_number_sign_is_a_character_like_any_other",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append(word[i] + word[i + 1].lstrip("#"))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@mistake("merge_pair", "the pieces are joined in the other order", "test_the_mark_inside_goes_and_that_in_front_stays")
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append(word[i + 1] + word[i].removeprefix("##"))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@mistake("merge_pair", "nothing comes back: `return` is missing", "test_the_mark_inside_goes_and_that_in_front_stays")
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append(word[i] + word[i + 1].removeprefix("##"))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    tuple(merged)


@alternative("merge_pair")
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


@alternative("merge_pair")
def merge_pair(word, pair):
    joined = pair[0] + pair[1][2:]
    text = f" {'  '.join(word)} ".replace(f" {pair[0]}  {pair[1]} ", f" {joined} ")
    return tuple(text.split())


@alternative("merge_pair")
def merge_pair(word, pair):
    if len(word) < 2:
        return tuple(word)
    if (word[0], word[1]) == pair:
        return (word[0] + word[1][2:], *merge_pair(word[2:], pair))
    return (word[0], *merge_pair(word[1:], pair))


@mistake(
    "train_pieces",
    "the letters inside a word are not marked: all but the first begin with ##",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {tuple(word): count for word, count in counts.items()}
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


@mistake(
    "train_pieces",
    "the first letter is marked too: ## stands before pieces that continue a word",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {tuple("##" + letter for letter in word): count for word, count in counts.items()}
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


@mistake(
    "train_pieces",
    "the special tokens are left out",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = sorted({piece for word in words for piece in word})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "the special tokens stand at the end: they come first",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = sorted({piece for word in words for piece in word}) + SPECIAL
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "the special tokens were sorted in among the letters",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = sorted({*SPECIAL, *(piece for word in words for piece in word)})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "the single pieces stand in the order in which they are met: Python's order was asked for",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + list(dict.fromkeys(piece for word in words for piece in word))
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "all single letters are there with and without mark: only what occurs is",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({mark + letter for word in counts for letter in word for mark in ("", "##")})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "`size` counts the merges: it is the size of the whole vocabulary",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    while len(vocabulary) < size + len(SPECIAL):
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "one piece too many: the vocabulary stops at `size`",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    while len(vocabulary) <= size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "the pairs are ranked once, before the first merge: each merge changes the counts",
    "test_counts_are_taken_anew_before_each_merge",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    for best, _ in rank_pairs(words, rule, min_count):
        if len(vocabulary) >= size:
            break
        vocabulary.append(best[0] + best[1].removeprefix("##"))
    return vocabulary


@mistake(
    "train_pieces",
    "the rule is not passed on: everything is merged by frequency",
    "test_score_and_frequency_merge_other_pairs",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, "frequency", min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "the rule is not passed on: everything is merged by score",
    "test_score_and_frequency_merge_other_pairs",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, "score", min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake("train_pieces", "min_count is not passed on", "test_training_stops_when_no_pair_is_left")
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "the last of the ranking was merged: the best pair comes first",
    "test_score_and_frequency_merge_other_pairs",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[-1][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "the mark of the second piece stays inside the merged one",
    "test_score_and_frequency_merge_other_pairs",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1]
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "the notebook's SPECIAL grows with every training: += changes the list itself",
    "test_the_counts_are_left_alone_and_the_special_tokens_too",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL
    vocabulary += sorted({piece for word in words for piece in word})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): count for word, count in words.items()}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "words that are cut alike are counted once only: the counts are lost at the first merge",
    "test_score_and_frequency_merge_other_pairs",
)
def train_pieces(counts, size, rule, min_count=2):
    words = {(word[0], *("##" + letter for letter in word[1:])): count for word, count in counts.items()}
    vocabulary = SPECIAL + sorted({piece for word in words for piece in word})
    while len(vocabulary) < size:
        ranked = rank_pairs(words, rule, min_count)
        if not ranked:
            break
        best = ranked[0][0]
        words = {merge_pair(word, best): 1 for word in words}
        joined = best[0] + best[1].removeprefix("##")
        vocabulary.append(joined)
    return vocabulary


@mistake(
    "train_pieces",
    "only the merged pieces come back: special tokens and single pieces belong to the vocabulary",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
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
    return vocabulary[len(SPECIAL) + len({p for w in counts for p in (w[0], *("##" + c for c in w[1:]))}) :]


@mistake(
    "train_pieces",
    "nothing comes back: `return` is missing",
    "test_the_vocabulary_begins_with_special_tokens_and_single_pieces",
)
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
    vocabulary.copy()


@alternative("train_pieces")
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


@alternative("train_pieces")
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


@mistake(
    "cut_word",
    "the shortest piece is taken: the longest one that fits comes first",
    "test_the_longest_piece_is_taken_and_the_rest_is_marked",
)
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(start + 1, len(word) + 1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word",
    "pieces inside the word are looked up without their mark ##",
    "test_the_longest_piece_is_taken_and_the_rest_is_marked",
)
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word",
    "the mark is missing from the pieces that come back",
    "test_the_longest_piece_is_taken_and_the_rest_is_marked",
)
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word", "every piece is marked, the first one too", "test_the_longest_piece_is_taken_and_the_rest_is_marked"
)
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##"
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word",
    "only the character that is missing becomes [UNK]: the whole word does",
    "test_one_missing_character_makes_the_whole_word_unknown",
)
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            pieces.append("[UNK]")
            start += 1
            continue
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word",
    "the pieces before the missing character are kept: the whole word is unknown",
    "test_one_missing_character_makes_the_whole_word_unknown",
)
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return [*pieces, "[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word",
    "the part that does not fit is left out without a word: it makes the word unknown",
    "test_one_missing_character_makes_the_whole_word_unknown",
)
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            break
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word",
    "one [UNK] for each character of an unknown word: it is one token",
    "test_one_missing_character_makes_the_whole_word_unknown",
)
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"] * len(word)
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word",
    "the string '[UNK]' comes back: a list was asked for",
    "test_one_missing_character_makes_the_whole_word_unknown",
)
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return "[UNK]"
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word",
    "a word that greed loses is saved by going back: BERT does not go back",
    "test_greed_can_lose_a_word_that_could_be_cut",
)
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


@mistake(
    "cut_word",
    "the longest piece anywhere in the word is taken first: WordPiece goes from left to right",
    "test_all_small_words_are_cut_by_the_longest_match",
)
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


@mistake("cut_word", "there is no limit of 100 characters", "test_a_word_of_more_than_100_characters_is_unknown")
def cut_word(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word",
    "a word of exactly 100 characters is cut: only longer ones are unknown",
    "test_a_word_of_more_than_100_characters_is_unknown",
)
def cut_word(word, vocabulary):
    if len(word) >= 100:
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


@mistake(
    "cut_word",
    "the limit was taken for UTF-8 bytes: it is one of characters",
    "test_the_limit_is_one_of_characters_not_of_bytes",
)
def cut_word(word, vocabulary):
    if len(word.encode()) > 100:
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


@mistake(
    "cut_word",
    "the last character is left out of the longest piece: range stops before its end",
    "test_the_longest_piece_is_taken_and_the_rest_is_marked",
)
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word) - 1, start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake("cut_word", "the mark alone, ##, is taken for a piece of length 0", "test_a_mark_alone_is_no_piece_of_a_word")
def cut_word(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start - 1, -1) if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        if end == start:
            return pieces + [mark]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


@mistake(
    "cut_word", "nothing comes back: `return` is missing", "test_the_longest_piece_is_taken_and_the_rest_is_marked"
)
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
    pieces.copy()


@alternative("cut_word")
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


@alternative("cut_word")
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


@alternative("cut_word")
def cut_word(word, vocabulary):
    return wordpiece.WordPiece(sorted({*vocabulary, "[UNK]"})).pieces_of(word)


@mistake(
    "split_text",
    "punctuation stays at its word: every mark is a word of its own",
    "test_every_punctuation_mark_is_a_word",
)
def split_text(text, lower):
    if lower:
        text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    return text.split()


@mistake(
    "split_text", "punctuation is thrown away: every mark is a word of its own", "test_every_punctuation_mark_is_a_word"
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(" " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text).split()


@mistake("split_text", "a run of marks is one word: each mark is one", "test_all_small_texts_are_split_alike")
def split_text(text, lower):
    if lower:
        text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    signs = [c in string.punctuation or unicodedata.category(c)[0] == "P" for c in text]
    spaced = ""
    for i, c in enumerate(text):
        spaced += " " * (i > 0 and signs[i] != signs[i - 1]) + c
    return spaced.split()


@mistake(
    "split_text",
    "only Unicode's punctuation is split off: $, ^ and + are symbols to Unicode, but signs to BERT",
    "test_every_punctuation_mark_is_a_word",
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if unicodedata.category(c)[0] == "P" else c for c in text).split()


@mistake(
    "split_text",
    "only ASCII's signs are split off: 。 and … are punctuation too",
    "test_all_small_texts_are_split_alike",
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if c in string.punctuation else c for c in text).split()


@mistake(
    "split_text",
    "symbols such as € and ♥ are split off: only punctuation and ASCII's signs are",
    "test_random_texts_are_split_as_the_library_does",
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if unicodedata.category(c)[0] in "PS" else c for c in text).split()


@mistake(
    "split_text",
    "accents stay: text is decomposed and its marks (Mn) are dropped",
    "test_lower_takes_case_and_accents_away",
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        pass
    return "".join(
        f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text
    ).split()


@mistake(
    "split_text", "accents are taken off in any case: only if `lower` is true", "test_lower_takes_case_and_accents_away"
)
def split_text(text, lower):
    if True:
        text = text.lower() if lower else text
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(
        f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text
    ).split()


@mistake(
    "split_text",
    "everything is written in lower case: only if `lower` is true",
    "test_lower_takes_case_and_accents_away",
)
def split_text(text, lower):
    text = text.lower()
    if lower:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(
        f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text
    ).split()


@mistake("split_text", "case stays: lower means lower case too", "test_lower_takes_case_and_accents_away")
def split_text(text, lower):
    if lower:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(
        f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text
    ).split()


@mistake(
    "split_text",
    "the text is composed again in the end (NFC): BERT leaves it decomposed, so Hangul stays jamo",
    "test_lower_takes_hangul_apart_into_jamo",
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    text = unicodedata.normalize("NFC", text) if lower else text
    return "".join(
        f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text
    ).split()


@mistake(
    "split_text",
    "this is compatibility decomposition (NFKD), which also changes ﬁ and ²: canonical decomposition is NFD",
    "test_decomposition_is_canonical_and_only_nonspacing_marks_go",
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) != "Mn")
    return "".join(
        f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text
    ).split()


@mistake(
    "split_text",
    "the text is composed (NFC), so accents are no characters of their own and stay",
    "test_lower_takes_case_and_accents_away",
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c) != "Mn")
    return "".join(
        f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text
    ).split()


@mistake("split_text", "all that is not ASCII is dropped with the accents", "test_lower_takes_hangul_apart_into_jamo")
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode()
    return "".join(
        f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text
    ).split()


@mistake(
    "split_text",
    "all marks are dropped: only those of category Mn are",
    "test_decomposition_is_canonical_and_only_nonspacing_marks_go",
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c)[0] != "M")
    return "".join(
        f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text
    ).split()


@mistake(
    "split_text",
    "characters that combine are dropped (a combining class other than 0): category Mn has more, such as U+FE0F in ❤️",
    "test_decomposition_is_canonical_and_only_nonspacing_marks_go",
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return "".join(
        f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text
    ).split()


@mistake(
    "split_text",
    "split(' ') leaves empty words where blanks follow each other",
    "test_every_punctuation_mark_is_a_word",
)
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text).split(
        " "
    )


@mistake("split_text", "nothing comes back: `return` is missing", "test_every_punctuation_mark_is_a_word")
def split_text(text, lower):
    if lower:
        text = text.lower()
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    "".join(f" {c} " if c in string.punctuation or unicodedata.category(c)[0] == "P" else c for c in text).split()


@alternative("split_text")
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


@alternative("split_text")
def split_text(text, lower):
    return wordpiece.split(wordpiece.normalize(text, lower=lower))


@mistake(
    "encode_pair",
    "the second text begins with a [CLS] of its own: there is only one",
    "test_the_second_text_has_segment_1_and_a_sep_of_its_own",
)
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += ["[CLS]", *second, "[SEP]"]
        segments += [1] * (len(second) + 2)
    ids = [vocabulary.index(piece) for piece in pieces]
    return ids, segments


@mistake(
    "encode_pair",
    "the last [SEP] is missing: each text ends with one",
    "test_the_second_text_has_segment_1_and_a_sep_of_its_own",
)
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += [*second]
        segments += [1] * len(second)
    ids = [vocabulary.index(piece) for piece in pieces]
    return ids, segments


@mistake(
    "encode_pair", "the [SEP] between the texts is missing", "test_the_second_text_has_segment_1_and_a_sep_of_its_own"
)
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first], [0] * (len(first) + 1)
    if second is None:
        pieces, segments = [*pieces, "[SEP]"], [*segments, 0]
    else:
        pieces, segments = [*pieces, *second, "[SEP]"], [*segments, *[1] * (len(second) + 1)]
    return [vocabulary.index(piece) for piece in pieces], segments


@mistake(
    "encode_pair",
    "the first [SEP] has segment 1: it belongs to the first text",
    "test_the_second_text_has_segment_1_and_a_sep_of_its_own",
)
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 1 + (second is None))
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [1] * (len(second) + 2)
    ids = [vocabulary.index(piece) for piece in pieces]
    return ids, segments


@mistake(
    "encode_pair",
    "the last [SEP] has segment 0: it belongs to the second text",
    "test_the_second_text_has_segment_1_and_a_sep_of_its_own",
)
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [1] * len(second) + [0]
    ids = [vocabulary.index(piece) for piece in pieces]
    return ids, segments


@mistake(
    "encode_pair",
    "all segments are 0: those of the second text are 1",
    "test_the_second_text_has_segment_1_and_a_sep_of_its_own",
)
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [0] * (len(second) + 1)
    ids = [vocabulary.index(piece) for piece in pieces]
    return ids, segments


@mistake("encode_pair", "segments are counted from 1: they are 0 and 1", "test_one_text_stands_between_cls_and_sep")
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [1] * (len(first) + 2)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [2] * (len(second) + 1)
    ids = [vocabulary.index(piece) for piece in pieces]
    return ids, segments


@mistake(
    "encode_pair",
    "an empty second text is taken for none: ask for `is not None`",
    "test_an_empty_second_text_is_not_none",
)
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second:
        pieces += [*second, "[SEP]"]
        segments += [1] * (len(second) + 1)
    ids = [vocabulary.index(piece) for piece in pieces]
    return ids, segments


@mistake("encode_pair", "[CLS] is missing", "test_one_text_stands_between_cls_and_sep")
def encode_pair(first, second, vocabulary):
    pieces, segments = [*first, "[SEP]"], [0] * (len(first) + 1)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [1] * (len(second) + 1)
    ids = [vocabulary.index(piece) for piece in pieces]
    return ids, segments


@mistake(
    "encode_pair",
    "[CLS] stands at the end: BERT puts it in front (XLNet at the end)",
    "test_one_text_stands_between_cls_and_sep",
)
def encode_pair(first, second, vocabulary):
    pieces, segments = [*first, "[SEP]"], [0] * (len(first) + 1)
    if second is not None:
        pieces, segments = [*pieces, *second, "[SEP]"], [*segments, *[1] * (len(second) + 1)]
    return [vocabulary.index(piece) for piece in [*pieces, "[CLS]"]], [*segments, 0]


@mistake("encode_pair", "the pieces come back: their ids were asked for", "test_one_text_stands_between_cls_and_sep")
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [1] * (len(second) + 1)
    ids = pieces
    return ids, segments


@mistake(
    "encode_pair",
    "ids are counted from 1: they are the places in the list, from 0",
    "test_one_text_stands_between_cls_and_sep",
)
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [1] * (len(second) + 1)
    ids = [vocabulary.index(piece) + 1 for piece in pieces]
    return ids, segments


@mistake(
    "encode_pair", "the marks were taken off before the ids were looked up", "test_one_text_stands_between_cls_and_sep"
)
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [1] * (len(second) + 1)
    ids = [vocabulary.index(bare if (bare := piece.removeprefix("##")) in vocabulary else "[UNK]") for piece in pieces]
    return ids, segments


@mistake("encode_pair", "segments and ids are exchanged", "test_one_text_stands_between_cls_and_sep")
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [1] * (len(second) + 1)
    ids = [vocabulary.index(piece) for piece in pieces]
    return segments, ids


@mistake(
    "encode_pair",
    "the first text's list was changed in place: [CLS] and [SEP] were put into it",
    "test_the_pieces_are_left_alone",
)
def encode_pair(first, second, vocabulary):
    first.insert(0, "[CLS]")
    first.append("[SEP]")
    segments = [0] * len(first)
    if second is not None:
        first.extend([*second, "[SEP]"])
        segments += [1] * (len(second) + 1)
    return [vocabulary.index(piece) for piece in first], segments


@mistake("encode_pair", "nothing comes back: `return` is missing", "test_one_text_stands_between_cls_and_sep")
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [1] * (len(second) + 1)
    ids = [vocabulary.index(piece) for piece in pieces]
    ids.copy()


@alternative("encode_pair")
def encode_pair(first, second, vocabulary):
    pieces, segments = ["[CLS]", *first, "[SEP]"], [0] * (len(first) + 2)
    if second is not None:
        pieces += [*second, "[SEP]"]
        segments += [1] * (len(second) + 1)
    ids = [vocabulary.index(piece) for piece in pieces]
    return ids, segments


@alternative("encode_pair")
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


@mistake("decode", "the marks stay in the text", "test_marked_pieces_are_written_onto_the_word_before")
def decode(ids, vocabulary):
    silent = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    return " ".join(pieces)


@mistake(
    "decode",
    "the marks are gone, but their pieces still stand apart from the word before",
    "test_marked_pieces_are_written_onto_the_word_before",
)
def decode(ids, vocabulary):
    silent = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    return " ".join(pieces).replace("##", "")


@mistake(
    "decode",
    "all blanks are gone: there is one between two words",
    "test_marked_pieces_are_written_onto_the_word_before",
)
def decode(ids, vocabulary):
    silent = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    return "".join(pieces).replace("##", "")


@mistake(
    "decode",
    "[UNK] is left out: one must see that something stood there",
    "test_special_tokens_are_left_out_but_unknown_words_are_shown",
)
def decode(ids, vocabulary):
    silent = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    return " ".join(pieces).replace(" ##", "")


@mistake(
    "decode", "special tokens are written into the text", "test_special_tokens_are_left_out_but_unknown_words_are_shown"
)
def decode(ids, vocabulary):
    silent = set()
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    return " ".join(pieces).replace(" ##", "")


@mistake(
    "decode",
    "only [CLS] and [SEP] are left out: [PAD] and [MASK] are too",
    "test_special_tokens_are_left_out_but_unknown_words_are_shown",
)
def decode(ids, vocabulary):
    silent = {"[CLS]", "[SEP]"}
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    return " ".join(pieces).replace(" ##", "")


@mistake(
    "decode",
    "the first five ids are taken for the special tokens: which they are is said by the vocabulary",
    "test_special_tokens_are_known_by_name_wherever_they_stand_in_the_vocabulary",
)
def decode(ids, vocabulary):
    pieces = [vocabulary[i] for i in ids if i == 1 or i > 4]
    return " ".join(pieces).replace(" ##", "")


@mistake("decode", "every # goes: it can be a sign of the text", "test_a_sign_of_the_text_is_no_mark")
def decode(ids, vocabulary):
    silent = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    return " ".join(pieces).replace(" ##", "").replace("#", "")


@mistake("decode", "a blank is left at the end", "test_marked_pieces_are_written_onto_the_word_before")
def decode(ids, vocabulary):
    silent = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    return "".join(" " * (not p.startswith("##")) + p.removeprefix("##") for p in pieces)[1:] + " "


@mistake("decode", "a blank is left in front", "test_marked_pieces_are_written_onto_the_word_before")
def decode(ids, vocabulary):
    silent = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    return "".join(" " * (not p.startswith("##")) + p.removeprefix("##") for p in pieces)


@mistake(
    "decode",
    "reading stops at the first [SEP]: the second text comes after it",
    "test_special_tokens_are_left_out_but_unknown_words_are_shown",
)
def decode(ids, vocabulary):
    pieces = []
    for i in ids:
        if vocabulary[i] == "[SEP]":
            break
        if vocabulary[i] not in ("[PAD]", "[CLS]", "[MASK]"):
            pieces.append(vocabulary[i])
    return " ".join(pieces).replace(" ##", "")


@mistake(
    "decode",
    "a list of words comes back: a string was asked for",
    "test_marked_pieces_are_written_onto_the_word_before",
)
def decode(ids, vocabulary):
    silent = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    return " ".join(pieces).replace(" ##", "").split()


@mistake("decode", "nothing comes back: `return` is missing", "test_marked_pieces_are_written_onto_the_word_before")
def decode(ids, vocabulary):
    silent = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}
    pieces = [vocabulary[i] for i in ids if vocabulary[i] not in silent]
    str(" ".join(pieces).replace(" ##", ""))


@alternative("decode")
def decode(ids, vocabulary):
    text = ""
    for i in ids:
        piece = vocabulary[i]
        if piece in ("[PAD]", "[CLS]", "[SEP]", "[MASK]"):
            continue
        text += piece[2:] if piece.startswith("##") else " " + piece
    return text.strip()


@alternative("decode")
def decode(ids, vocabulary):
    words = []
    for piece in map(vocabulary.__getitem__, ids):
        if piece == "[UNK]" or not (piece.startswith("[") and piece.endswith("]") and len(piece) > 2):
            if piece.startswith("##"):
                words[-1] += piece.removeprefix("##")
            else:
                words.append(piece)
    return " ".join(words)


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
