"""BPE: classic mistakes and other right ways, for each exercise. Never released."""

from collections import Counter
from itertools import pairwise

from etude.tokenizers import bpe, byte_bpe
from grader.lessons.bank import alternative, mistake

# Answers run in the notebook's namespace, which has these too.
count_pairs = merge_pair = encode_word = byte_table = None


@mistake(
    "count_pairs",
    "each different word counts once: a pair counts as often as the word occurs in the text",
    "test_a_pair_counts_as_often_as_its_words_do",
)
def count_pairs(words):
    pairs = Counter()
    for word in words:
        for pair in pairwise(word):
            pairs[pair] += 1
    return pairs


@mistake(
    "count_pairs",
    "a later word overwrites the count of an earlier one: add to it",
    "test_a_pair_counts_as_often_as_its_words_do",
)
def count_pairs(words):
    pairs = {}
    for word, count in words.items():
        for pair in pairwise(word):
            pairs[pair] = count
    return pairs


@mistake(
    "count_pairs",
    "a pair counts once for each word that holds it: every place in the word counts",
    "test_three_of_a_kind_hold_their_pair_twice",
)
def count_pairs(words):
    pairs = Counter()
    for word, count in words.items():
        for pair in dict.fromkeys(pairwise(word)):
            pairs[pair] += count
    return pairs


@mistake(
    "count_pairs",
    "the pairs do not overlap: after (l, o) comes (o, w), not the token after it",
    "test_a_pair_counts_as_often_as_its_words_do",
)
def count_pairs(words):
    pairs = Counter()
    for word, count in words.items():
        for i in range(0, len(word) - 1, 2):
            pairs[word[i], word[i + 1]] += count
    return pairs


@mistake(
    "count_pairs",
    "the last pair of each word is left out: range stops before its end",
    "test_a_pair_counts_as_often_as_its_words_do",
)
def count_pairs(words):
    pairs = Counter()
    for word, count in words.items():
        for i in range(len(word) - 2):
            pairs[word[i], word[i + 1]] += count
    return pairs


@mistake(
    "count_pairs",
    "the words are strung together, so pairs reach from one word into the next",
    "test_a_word_of_one_token_has_no_pair_and_words_are_not_joined",
)
def count_pairs(words):
    tokens = [token for word, count in words.items() for token in word * count]
    return Counter(pairwise(tokens))


@mistake(
    "count_pairs",
    "the keys are joined strings: a pair is a tuple of two tokens",
    "test_a_pair_counts_as_often_as_its_words_do",
)
def count_pairs(words):
    pairs = Counter()
    for word, count in words.items():
        for a, b in pairwise(word):
            pairs[a + b] += count
    return pairs


@mistake(
    "count_pairs",
    "tokens were counted, not pairs of neighbours",
    "test_a_pair_counts_as_often_as_its_words_do",
)
def count_pairs(words):
    tokens = Counter()
    for word, count in words.items():
        for token in word:
            tokens[token] += count
    return tokens


@mistake(
    "count_pairs",
    "a pair of two equal tokens is left out",
    "test_three_of_a_kind_hold_their_pair_twice",
)
def count_pairs(words):
    pairs = Counter()
    for word, count in words.items():
        for a, b in pairwise(word):
            if a != b:
                pairs[a, b] += count
    return pairs


@mistake(
    "count_pairs",
    "the words are used up: the dictionary that was given is emptied",
    "test_the_words_are_left_alone",
)
def count_pairs(words):
    pairs = Counter()
    while words:
        word, count = words.popitem()
        for pair in pairwise(word):
            pairs[pair] += count
    return pairs


@mistake("count_pairs", "nothing comes back: `return` is missing", "test_a_pair_counts_as_often_as_its_words_do")
def count_pairs(words):
    pairs = Counter()
    for word, count in words.items():
        pairs.update(list(pairwise(word)) * count)


@alternative("count_pairs")
def count_pairs(words):
    pairs = {}
    for word in words:
        for i in range(1, len(word)):
            pair = (word[i - 1], word[i])
            pairs[pair] = pairs.get(pair, 0) + words[word]
    return pairs


@alternative("count_pairs")
def count_pairs(words):
    return sum(
        (Counter({pair: n * k for pair, k in Counter(pairwise(w)).items()}) for w, n in words.items()), Counter()
    )


@mistake(
    "merge_pair",
    "only the first place is merged: merge wherever the pair stands",
    "test_the_pair_is_joined_wherever_it_stands",
)
def merge_pair(word, pair):
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            return (*word[:i], pair[0] + pair[1], *word[i + 2 :])
    return tuple(word)


@mistake(
    "merge_pair",
    "merged from right to left: of three equal tokens the first two belong together",
    "test_from_left_to_right_each_token_is_taken_once",
)
def merge_pair(word, pair):
    merged, i = [], len(word) - 1
    while i >= 0:
        if i > 0 and (word[i - 1], word[i]) == pair:
            merged.append(word[i - 1] + word[i])
            i -= 2
        else:
            merged.append(word[i])
            i -= 1
    return tuple(reversed(merged))


@mistake(
    "merge_pair",
    "a token is used in two merges: after a merge go on behind both of its tokens",
    "test_from_left_to_right_each_token_is_taken_once",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if word[i : i + 2] == pair:
            merged.append(word[i] + word[i + 1])
        else:
            merged.append(word[i])
        i += 1
    return tuple(merged)


@mistake(
    "merge_pair",
    "str.replace on the tokens written with blanks between them also finds the ends of longer tokens: `xa b` holds `a b`",
    "test_tokens_are_compared_not_their_letters",
)
def merge_pair(word, pair):
    return tuple(" ".join(word).replace(" ".join(pair), "".join(pair)).split())


@mistake(
    "merge_pair",
    "tokens are joined where their letters spell the pair, though the tokens are others (a·bc is not ab·c)",
    "test_tokens_are_compared_not_their_letters",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and word[i] + word[i + 1] == pair[0] + pair[1]:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@mistake(
    "merge_pair",
    "the last token is lost when it is in no merge",
    "test_from_left_to_right_each_token_is_taken_once",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word) - 1:
        if word[i : i + 2] == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@mistake(
    "merge_pair",
    "the tokens are joined over and over, with what was merged just before too: one step makes pairs only",
    "test_from_left_to_right_each_token_is_taken_once",
)
def merge_pair(word, pair):
    merged = []
    for token in word:
        if merged and token == pair[1] and merged[-1].endswith(pair[0]):
            merged[-1] += token
        else:
            merged.append(token)
    return tuple(merged)


@mistake("merge_pair", "a list comes back: a word is a tuple", "test_the_pair_is_joined_wherever_it_stands")
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if word[i : i + 2] == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@mistake(
    "merge_pair",
    "the pair is put in as a pair: its two tokens become one string",
    "test_the_pair_is_joined_wherever_it_stands",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if word[i : i + 2] == pair:
            merged.append(pair)
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@mistake(
    "merge_pair",
    "the order of the pair is ignored: (b, a) is another pair than (a, b)",
    "test_pairs_of_different_tokens_are_merged_as_by_the_library",
)
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and sorted(word[i : i + 2]) == sorted(pair):
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


@alternative("merge_pair")
def merge_pair(word, pair):
    rest, merged = list(word), []
    while rest:
        if tuple(rest[:2]) == pair:
            merged.append(rest.pop(0) + rest.pop(0))
        else:
            merged.append(rest.pop(0))
    return tuple(merged)


@alternative("merge_pair")
def merge_pair(word, pair):
    word, i = list(word), 0
    while i < len(word) - 1:
        if word[i] == pair[0] and word[i + 1] == pair[1]:
            word[i : i + 2] = ["".join(pair)]
        i += 1
    return tuple(word)


@alternative("merge_pair")
def merge_pair(word, pair):
    tokens = {token: i for i, token in enumerate({*word, *pair})}
    names = {i: token for token, i in tokens.items()} | {-1: "".join(pair)}
    return tuple(names[i] for i in bpe.merged([tokens[t] for t in word], (tokens[pair[0]], tokens[pair[1]]), -1))


@mistake(
    "train_bpe",
    "the size is taken as the number of merges: the characters are part of the vocabulary",
    "test_the_papers_words_give_est_and_low",
)
def train_bpe(words, size):
    vocabulary = sorted({token for word in words for token in word})
    age, merges = {token: i for i, token in enumerate(vocabulary)}, []
    while len(merges) < size:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        age["".join(best)] = len(vocabulary)
        vocabulary.append("".join(best))
    return vocabulary, merges


@mistake(
    "train_bpe",
    "of equally frequent pairs the first that was seen wins (max, most_common): the older tokens win",
    "test_of_equally_frequent_pairs_the_older_tokens_win",
)
def train_bpe(words, size):
    vocabulary, merges = sorted({token for word in words for token in word}), []
    while len(vocabulary) < size:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = max(pairs, key=pairs.get)
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        vocabulary.append("".join(best))
    return vocabulary, merges


@mistake(
    "train_bpe",
    "ties are decided by the alphabet: a merged token is younger than every character, whatever its letters",
    "test_a_merged_token_is_younger_than_every_character",
)
def train_bpe(words, size):
    vocabulary, merges = sorted({token for word in words for token in word}), []
    while len(vocabulary) < size:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        vocabulary.append("".join(best))
    return vocabulary, merges


@mistake(
    "train_bpe",
    "of equally frequent pairs the last in the alphabet wins, as max over (count, pair) has it",
    "test_of_equally_frequent_pairs_the_older_tokens_win",
)
def train_bpe(words, size):
    vocabulary, merges = sorted({token for word in words for token in word}), []
    while len(vocabulary) < size:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        vocabulary.append("".join(best))
    return vocabulary, merges


@mistake(
    "train_bpe",
    "of equals the pair whose second token is older wins: the first token decides first",
    "test_of_equally_frequent_pairs_the_older_tokens_win",
)
def train_bpe(words, size):
    vocabulary = sorted({token for word in words for token in word})
    merges = []
    while len(vocabulary) < size:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], vocabulary.index(p[1]), vocabulary.index(p[0])))
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        vocabulary.append("".join(best))
    return vocabulary, merges


@mistake(
    "train_bpe",
    "the pairs are counted once, before the first merge: each merge makes new pairs and changes the counts",
    "test_the_papers_words_give_est_and_low",
)
def train_bpe(words, size):
    vocabulary = sorted({token for word in words for token in word})
    age, pairs = {token: i for i, token in enumerate(vocabulary)}, count_pairs(words)
    ranked = sorted(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
    merges = ranked[: size - len(vocabulary)]
    return vocabulary + ["".join(pair) for pair in merges], merges


@mistake(
    "train_bpe",
    "the rarest pair is merged: the most frequent one was asked for",
    "test_the_papers_words_give_est_and_low",
)
def train_bpe(words, size):
    vocabulary, merges = sorted({token for word in words for token in word}), []
    while len(vocabulary) < size:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = min(pairs, key=lambda p: (pairs[p], vocabulary.index(p[0]), vocabulary.index(p[1])))
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        vocabulary.append("".join(best))
    return vocabulary, merges


@mistake(
    "train_bpe",
    "when no pair is left, min() of nothing raises: end the training there",
    "test_training_ends_when_no_pair_is_left",
)
def train_bpe(words, size):
    vocabulary, merges = sorted({token for word in words for token in word}), []
    while len(vocabulary) < size:
        pairs = count_pairs(words)
        best = min(pairs, key=lambda p: (-pairs[p], vocabulary.index(p[0]), vocabulary.index(p[1])))
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        vocabulary.append("".join(best))
    return vocabulary, merges


@mistake(
    "train_bpe",
    "a pair that occurs once is not merged: the training ends only when no pair is left",
    "test_training_ends_when_no_pair_is_left",
)
def train_bpe(words, size):
    vocabulary, merges = sorted({token for word in words for token in word}), []
    while len(vocabulary) < size:
        pairs = count_pairs(words)
        best = min(pairs, key=lambda p: (-pairs[p], vocabulary.index(p[0]), vocabulary.index(p[1])), default=None)
        if best is None or pairs[best] < 2:
            break
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        vocabulary.append("".join(best))
    return vocabulary, merges


@mistake(
    "train_bpe",
    "the characters stand in the order in which the text brings them: alphabetical order was asked for",
    "test_the_vocabulary_is_the_characters_and_then_the_merges",
)
def train_bpe(words, size):
    vocabulary, merges = list(dict.fromkeys(token for word in words for token in word)), []
    while len(vocabulary) < size:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], vocabulary.index(p[0]), vocabulary.index(p[1])))
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        vocabulary.append("".join(best))
    return vocabulary, merges


@mistake(
    "train_bpe",
    "the merged tokens are left out of the vocabulary that comes back",
    "test_the_vocabulary_is_the_characters_and_then_the_merges",
)
def train_bpe(words, size):
    vocabulary = sorted({token for word in words for token in word})
    tokens, merges = list(vocabulary), []
    while len(tokens) < size:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], tokens.index(p[0]), tokens.index(p[1])))
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        tokens.append("".join(best))
    return vocabulary, merges


@mistake(
    "train_bpe",
    "the words that were given are changed: train on a copy",
    "test_the_words_stay_as_they_are",
)
def train_bpe(words, size):
    vocabulary, merges = sorted({token for word in words for token in word}), []
    while len(vocabulary) < size:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], vocabulary.index(p[0]), vocabulary.index(p[1])))
        for word in list(words):
            words[merge_pair(word, best)] = words.pop(word)
        merges.append(best)
        vocabulary.append("".join(best))
    return vocabulary, merges


@alternative("train_bpe")
def train_bpe(words, size):
    vocabulary = sorted(set().union(*words))
    words, merges = Counter(words), []
    for _ in range(len(vocabulary), size):
        pairs = count_pairs(words)
        if len(pairs) == 0:
            return vocabulary, merges
        most = max(pairs.values())
        a, b = min((vocabulary.index(a), vocabulary.index(b)) for (a, b), n in pairs.items() if n == most)
        pair = (vocabulary[a], vocabulary[b])
        merges.append(pair)
        vocabulary.append(pair[0] + pair[1])
        words = Counter({merge_pair(word, pair): n for word, n in words.items()})
    return vocabulary, merges


@alternative("train_bpe")
def train_bpe(words, size):
    symbols = sorted({token for word in words for token in word})
    number = {token: i for i, token in enumerate(symbols)}
    spelled, counts, merges = [[number[t] for t in word] for word in words], list(words.values()), []
    while len(symbols) < size:
        pairs = bpe.count_pairs(spelled, counts)
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        spelled = [bpe.merged(word, best, len(symbols)) for word in spelled]
        merges.append((symbols[best[0]], symbols[best[1]]))
        symbols.append("".join(merges[-1]))
    return [symbols, merges]


@mistake(
    "encode_word",
    "the longest token of the vocabulary is taken, as WordPiece does: merges go by rank",
    "test_the_pair_that_was_learnt_first_is_merged_first",
)
def encode_word(word, merges):
    known = {"".join(pair) for pair in merges}
    text, tokens, i = list(word), [], 0
    while i < len(text):
        end = next((e for e in range(len(text), i + 1, -1) if "".join(text[i:e]) in known), i + 1)
        tokens.append("".join(text[i:end]))
        i = end
    return tuple(tokens)


@mistake(
    "encode_word",
    "the leftmost pair that is known is merged first: the pair that was learnt first comes first",
    "test_the_pair_that_was_learnt_first_is_merged_first",
)
def encode_word(word, merges):
    known = set(merges)
    while True:
        found = [pair for pair in pairwise(word) if pair in known]
        if not found:
            return tuple(word)
        word = merge_pair(word, found[0])


@mistake(
    "encode_word",
    "the pair that was learnt last is merged first: the lowest rank comes first",
    "test_the_pair_that_was_learnt_first_is_merged_first",
)
def encode_word(word, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        known = [pair for pair in pairwise(word) if pair in rank]
        if not known:
            return tuple(word)
        word = merge_pair(word, max(known, key=rank.get))


@mistake("encode_word", "only one merge is made: look again until none applies", "test_merges_build_on_merges")
def encode_word(word, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    known = [pair for pair in pairwise(word) if pair in rank]
    return merge_pair(word, min(known, key=rank.get)) if known else tuple(word)


@mistake(
    "encode_word",
    "the pairs of the word are looked up once: merges make new pairs that have to be looked up again",
    "test_merges_build_on_merges",
)
def encode_word(word, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    for pair in sorted({pair for pair in pairwise(word) if pair in rank}, key=rank.get):
        word = merge_pair(word, pair)
    return tuple(word)


@mistake(
    "encode_word",
    "the pair that makes the longest token is merged first: rank decides, not length",
    "test_every_short_word_is_encoded_as_by_the_library",
)
def encode_word(word, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        known = [pair for pair in pairwise(word) if pair in rank]
        if not known:
            return tuple(word)
        word = merge_pair(word, min(known, key=lambda pair: (-len("".join(pair)), rank[pair])))


@mistake(
    "encode_word",
    "a string comes back: the tokens were asked for, as a tuple",
    "test_the_pair_that_was_learnt_first_is_merged_first",
)
def encode_word(word, merges):
    for pair in merges:
        word = merge_pair(word, pair)
    return " ".join(word)


@mistake(
    "encode_word",
    "a character that is in no merge is dropped: it stays a token",
    "test_unknown_characters_and_the_empty_word_stay_as_they_are",
)
def encode_word(word, merges):
    known = {token for pair in merges for token in pair}
    word = tuple(token for token in word if token in known)
    for pair in merges:
        word = merge_pair(word, pair)
    return tuple(word)


@mistake(
    "encode_word",
    "the empty word raises: it has no tokens",
    "test_unknown_characters_and_the_empty_word_stay_as_they_are",
)
def encode_word(word, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    while len(word) != 1:
        best = min(pairwise(word), key=lambda pair: rank.get(pair, len(rank)))
        if best not in rank:
            break
        word = merge_pair(word, best)
    return tuple(word)


@alternative("encode_word")
def encode_word(word, merges):
    for pair in merges:
        word = merge_pair(word, pair)
    return tuple(word)


@alternative("encode_word")
def encode_word(word, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    word = list(word)
    while len(word) > 1:
        best, i = min((rank.get(pair, len(rank)), i) for i, pair in enumerate(pairwise(word)))
        if best == len(rank):
            break
        word[i : i + 2] = [word[i] + word[i + 1]]
    return tuple(word)


@alternative("encode_word")
def encode_word(word, merges):
    tokens = {}
    for token in [*word, *(t for a, b in merges for t in (a, b, a + b))]:
        tokens.setdefault(token, len(tokens))
    names = list(tokens)
    ranks = {(tokens[a], tokens[b]): (i, tokens[a + b]) for i, (a, b) in enumerate(merges)}
    return tuple(names[i] for i in bpe.join([tokens[t] for t in word], ranks))


@mistake(
    "decode_words",
    "a blank stands at the end: the last word has none after it",
    "test_marks_become_blanks_between_words",
)
def decode_words(tokens):
    return "".join(tokens).replace("</w>", " ")


@mistake(
    "decode_words",
    "blanks stand between all tokens, also inside of words",
    "test_marks_become_blanks_between_words",
)
def decode_words(tokens):
    return " ".join(tokens).replace("</w>", "")


@mistake(
    "decode_words",
    "the marks are dropped and no blank put in their place",
    "test_marks_become_blanks_between_words",
)
def decode_words(tokens):
    return "".join(tokens).replace("</w>", "")


@mistake(
    "decode_words",
    "a list of words comes back: their text was asked for",
    "test_marks_become_blanks_between_words",
)
def decode_words(tokens):
    return [word for word in "".join(tokens).split("</w>") if word]


@mistake(
    "decode_words",
    "the last word is lost when its end has not come yet",
    "test_a_last_word_without_its_end_is_kept",
)
def decode_words(tokens):
    return " ".join("".join(tokens).split("</w>")[:-1])


@mistake(
    "decode_words",
    "four characters are cut off at the end, also where there is no mark",
    "test_a_last_word_without_its_end_is_kept",
)
def decode_words(tokens):
    return "".join(tokens)[:-4].replace("</w>", " ")


@alternative("decode_words")
def decode_words(tokens):
    words = [""]
    for token in tokens:
        if token.endswith("</w>"):
            words[-1] += token[: -len("</w>")]
            words.append("")
        else:
            words[-1] += token
    return " ".join(words if words[-1] else words[:-1])


@alternative("decode_words")
def decode_words(tokens):
    import re

    return re.sub(r"</w>(?!$)", " ", "".join(tokens)).replace("</w>", "")


@mistake(
    "byte_table",
    "every byte stands for itself: control characters and the blank cannot be seen",
    "test_the_others_are_written_from_256_on_in_order",
)
def byte_table():
    return {byte: chr(byte) for byte in range(256)}


@mistake(
    "byte_table",
    "every byte is moved up by 256: those that can be seen stand for themselves",
    "test_bytes_that_can_be_seen_stand_for_themselves",
)
def byte_table():
    return {byte: chr(256 + byte) for byte in range(256)}


@mistake(
    "byte_table",
    "each of the others is moved up by 256: they are numbered one after the other, without gaps",
    "test_the_others_are_written_from_256_on_in_order",
)
def byte_table():
    seen = {*range(33, 127), *range(161, 173), *range(174, 256)}
    return {byte: chr(byte if byte in seen else byte + 256) for byte in range(256)}


@mistake(
    "byte_table",
    "byte 173 is taken for one that can be seen: it is the soft hyphen, which is not shown",
    "test_the_others_are_written_from_256_on_in_order",
)
def byte_table():
    seen = [*range(33, 127), *range(161, 256)]
    rest = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + i) for i, byte in enumerate(rest)}


@mistake(
    "byte_table",
    "the blank stands for itself, which makes tokens with blanks in them: it is written Ġ",
    "test_the_others_are_written_from_256_on_in_order",
)
def byte_table():
    seen = [*range(32, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + i) for i, byte in enumerate(rest)}


@mistake(
    "byte_table",
    "the last of each range is left out: range stops before its end",
    "test_bytes_that_can_be_seen_stand_for_themselves",
)
def byte_table():
    seen = [*range(33, 126), *range(161, 172), *range(174, 255)]
    rest = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + i) for i, byte in enumerate(rest)}


@mistake(
    "byte_table",
    "the table is turned round: from characters to bytes",
    "test_bytes_that_can_be_seen_stand_for_themselves",
)
def byte_table():
    return {character: byte for byte, character in enumerate(byte_bpe.BYTES)}


@mistake(
    "byte_table",
    "the characters come as numbers: chr makes them characters",
    "test_bytes_that_can_be_seen_stand_for_themselves",
)
def byte_table():
    return {byte: ord(character) for byte, character in enumerate(byte_bpe.BYTES)}


@alternative("byte_table")
def byte_table():
    seen = (
        list(range(ord("!"), ord("~") + 1)) + list(range(ord("¡"), ord("¬") + 1)) + list(range(ord("®"), ord("ÿ") + 1))
    )
    numbers, n = seen[:], 0
    for byte in range(256):
        if byte not in seen:
            seen.append(byte)
            numbers.append(256 + n)
            n += 1
    return dict(zip(seen, map(chr, numbers)))


@alternative("byte_table")
def byte_table():
    hidden = [byte for byte in range(256) if byte <= 32 or 127 <= byte <= 160 or byte == 173]
    return {byte: chr(256 + hidden.index(byte)) if byte in hidden else chr(byte) for byte in range(256)}


@mistake(
    "encode_text",
    "characters are looked up in the table, not their bytes: 눈 has three",
    "test_without_merges_a_syllable_is_three_bytes",
)
def encode_text(text, merges):
    table = byte_table()
    tokens = []
    for piece in byte_bpe.split(text):
        tokens += encode_word(tuple(table.get(ord(c), c) for c in piece), merges)
    return tokens


@mistake(
    "encode_text",
    "the text was split at blanks, which are lost: byte_bpe.split keeps them",
    "test_the_blank_belongs_to_the_word_after_it",
)
def encode_text(text, merges):
    table = byte_table()
    tokens = []
    for piece in text.split():
        tokens += encode_word(tuple(table[byte] for byte in piece.encode()), merges)
    return tokens


@mistake(
    "encode_text",
    "the text is not cut into pieces, so merges reach from one word into the next",
    "test_the_blank_belongs_to_the_word_after_it",
)
def encode_text(text, merges):
    table = byte_table()
    return list(encode_word(tuple(table[byte] for byte in text.encode()), merges))


@mistake(
    "encode_text",
    "the bytes are those of UTF-16: the table is for UTF-8",
    "test_without_merges_a_syllable_is_three_bytes",
)
def encode_text(text, merges):
    table = byte_table()
    tokens = []
    for piece in byte_bpe.split(text):
        tokens += encode_word(tuple(table[byte] for byte in piece.encode("utf-16-le")), merges)
    return tokens


@mistake(
    "encode_text",
    "bytes are written by chr, not by the table",
    "test_the_blank_belongs_to_the_word_after_it",
)
def encode_text(text, merges):
    tokens = []
    for piece in byte_bpe.split(text):
        tokens += encode_word(tuple(chr(byte) for byte in piece.encode()), merges)
    return tokens


@mistake(
    "encode_text",
    "the tokens of each piece stay in a list of their own: one list was asked for",
    "test_without_merges_a_syllable_is_three_bytes",
)
def encode_text(text, merges):
    table = byte_table()
    return [encode_word(tuple(table[byte] for byte in piece.encode()), merges) for piece in byte_bpe.split(text)]


@mistake(
    "encode_text",
    "what is no ASCII is thrown away (errors='ignore'): UTF-8 has bytes for every character",
    "test_without_merges_a_syllable_is_three_bytes",
)
def encode_text(text, merges):
    table = byte_table()
    tokens = []
    for piece in byte_bpe.split(text):
        tokens += encode_word(tuple(table[byte] for byte in piece.encode("ascii", errors="ignore")), merges)
    return tokens


@mistake(
    "encode_text",
    "the text is normalised first, so it does not come back as it was",
    "test_no_byte_of_any_text_is_lost",
)
def encode_text(text, merges):
    import unicodedata

    table = byte_table()
    tokens = []
    for piece in byte_bpe.split(unicodedata.normalize("NFC", text)):
        tokens += encode_word(tuple(table[byte] for byte in piece.encode()), merges)
    return tokens


@mistake(
    "encode_text",
    "the blanks at both ends are stripped off",
    "test_no_byte_of_any_text_is_lost",
)
def encode_text(text, merges):
    table = byte_table()
    tokens = []
    for piece in byte_bpe.split(text.strip()):
        tokens += encode_word(tuple(table[byte] for byte in piece.encode()), merges)
    return tokens


@alternative("encode_text")
def encode_text(text, merges):
    table = byte_table()
    return [
        token
        for piece in byte_bpe.split(text)
        for token in encode_word(tuple(map(table.__getitem__, piece.encode())), merges)
    ]


@alternative("encode_text")
def encode_text(text, merges):
    table, tokens, known = byte_table(), [], {}
    for piece in byte_bpe.PATTERN.findall(text):
        if piece not in known:
            known[piece] = encode_word(tuple(table[byte] for byte in bytearray(piece, "utf-8")), merges)
        tokens.extend(known[piece])
    return tokens


@mistake(
    "decode_bytes",
    "each token is decoded by itself: a character may lie in two tokens",
    "test_a_character_may_lie_in_two_tokens",
)
def decode_bytes(tokens):
    byte_of = {character: byte for byte, character in byte_table().items()}
    return "".join(bytes(byte_of[c] for c in token).decode("utf-8", errors="replace") for token in tokens)


@mistake(
    "decode_bytes",
    "half a character raises UnicodeDecodeError: decode with errors='replace'",
    "test_half_a_character_becomes_the_mark_for_it",
)
def decode_bytes(tokens):
    byte_of = {character: byte for byte, character in byte_table().items()}
    return bytes(byte_of[c] for token in tokens for c in token).decode("utf-8")


@mistake(
    "decode_bytes",
    "half a character is dropped without a trace: it becomes U+FFFD",
    "test_half_a_character_becomes_the_mark_for_it",
)
def decode_bytes(tokens):
    byte_of = {character: byte for byte, character in byte_table().items()}
    return bytes(byte_of[c] for token in tokens for c in token).decode("utf-8", errors="ignore")


@mistake(
    "decode_bytes",
    "only Ġ is turned back: every character of the tokens stands for a byte",
    "test_a_character_may_lie_in_two_tokens",
)
def decode_bytes(tokens):
    return "".join(tokens).replace("Ġ", " ").replace("Ċ", "\n")


@mistake(
    "decode_bytes",
    "the bytes are read as Latin-1: they are UTF-8",
    "test_a_character_may_lie_in_two_tokens",
)
def decode_bytes(tokens):
    byte_of = {character: byte for byte, character in byte_table().items()}
    return bytes(byte_of[c] for token in tokens for c in token).decode("latin-1")


@mistake(
    "decode_bytes",
    "blanks were put between the tokens: the blanks of the text are in them as Ġ",
    "test_ascii_comes_back_with_its_blanks",
)
def decode_bytes(tokens):
    byte_of = {character: byte for byte, character in byte_table().items()} | {" ": 32}
    return bytes(byte_of[c] for c in " ".join(tokens)).decode("utf-8", errors="replace")


@mistake(
    "decode_bytes",
    "the blank in front is stripped off",
    "test_ascii_comes_back_with_its_blanks",
)
def decode_bytes(tokens):
    byte_of = {character: byte for byte, character in byte_table().items()}
    return bytes(byte_of[c] for token in tokens for c in token).decode("utf-8", errors="replace").lstrip(" ")


@mistake(
    "decode_bytes",
    "bytes come back: the text was asked for",
    "test_ascii_comes_back_with_its_blanks",
)
def decode_bytes(tokens):
    byte_of = {character: byte for byte, character in byte_table().items()}
    return bytes(byte_of[c] for token in tokens for c in token)


@alternative("decode_bytes")
def decode_bytes(tokens):
    table = byte_table()
    characters = list(table.values())
    found = bytearray()
    for token in tokens:
        for character in token:
            found.append(list(table)[characters.index(character)])
    return str(found, "utf-8", "replace")


@alternative("decode_bytes")
def decode_bytes(tokens):
    import codecs

    byte_of = {character: bytes([byte]) for byte, character in byte_table().items()}
    reader = codecs.getincrementaldecoder("utf-8")("replace")
    return "".join(reader.decode(byte_of[c]) for token in tokens for c in token) + reader.decode(b"", final=True)


@mistake(
    "decode_words",
    "the tokens that were given are changed: make a list of your own",
    "test_marks_become_blanks_between_words",
)
def decode_words(tokens):
    for i, token in enumerate(tokens):
        tokens[i] = token.replace("</w>", " ")
    return "".join(tokens).removesuffix(" ")
