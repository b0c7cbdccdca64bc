"""BPE: classic mistakes and other right ways, for each exercise. Never released."""

from collections import Counter
from itertools import pairwise

from etude.tokenizers import bpe, byte_bpe
from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# count_pairs
@alternative("count_pairs", "dictionary")
def count_pairs(words):
    pairs = {}
    for word in words:
        for i in range(1, len(word)):
            pair = (word[i - 1], word[i])
            pairs[pair] = pairs.get(pair, 0) + words[word]
    return pairs


@alternative("count_pairs", "sum-of-counters")
def count_pairs(words):
    return sum(
        (Counter({pair: n * k for pair, k in Counter(pairwise(w)).items()}) for w, n in words.items()), Counter()
    )


edit("count_pairs", "each-word-once", {"+= count": "+= 1"},
     "each different word counts once: a pair counts as often as the word occurs in the text",
     killed_by="test_a_pair_counts_as_often_as_its_words_do")
edit("count_pairs", "later-overwrites", {"Counter()": "{}", "pairs[pair] += count": "pairs[pair] = count"},
     "a later word overwrites the count of an earlier one: add to it",
     killed_by="test_a_pair_counts_as_often_as_its_words_do")
edit("count_pairs", "once-a-word", {"pairwise(word)": "dict.fromkeys(pairwise(word))"},
     "a pair counts once for each word that holds it: every place in the word counts",
     killed_by="test_three_of_a_kind_hold_their_pair_twice")
edit("count_pairs", "no-overlap", {"for pair in pairwise(word):\n            pairs[pair] += count":
     "for i in range(0, len(word) - 1, 2):\n            pairs[word[i], word[i + 1]] += count"},
     "the pairs do not overlap: after (l, o) comes (o, w), not the token after it",
     killed_by="test_a_pair_counts_as_often_as_its_words_do")
edit("count_pairs", "last-pair-left-out", {"for pair in pairwise(word):\n            pairs[pair] += count":
     "for i in range(len(word) - 2):\n            pairs[word[i], word[i + 1]] += count"},
     "the last pair of each word is left out: range stops before its end",
     killed_by="test_a_pair_counts_as_often_as_its_words_do")
edit("count_pairs", "words-strung-together",
     {"return pairs": "return Counter(pairwise(token for word, count in words.items() for token in word * count))"},
     "the words are strung together, so pairs reach from one word into the next",
     killed_by="test_a_word_of_one_token_has_no_pair_and_words_are_not_joined")
edit("count_pairs", "joined-keys", {"for pair in pairwise(word):\n            pairs[pair] += count":
     "for a, b in pairwise(word):\n            pairs[a + b] += count"},
     "the keys are joined strings: a pair is a tuple of two tokens",
     killed_by="test_a_pair_counts_as_often_as_its_words_do")
edit("count_pairs", "tokens-counted", {"pairwise(word)": "word"},
     "tokens were counted, not pairs of neighbours", killed_by="test_a_pair_counts_as_often_as_its_words_do")
edit("count_pairs", "equal-pair-left-out",
     {"pairs[pair] += count": "if pair[0] != pair[1]:\n                pairs[pair] += count"},
     "a pair of two equal tokens is left out", killed_by="test_three_of_a_kind_hold_their_pair_twice")
edit("count_pairs", "input-emptied",
     {"for word, count in words.items():": "while words:\n        word, count = words.popitem()"},
     "the words are used up: the dictionary that was given is emptied", killed_by="test_the_words_are_left_alone")
edit("count_pairs", "no-return", {"return pairs": ""},
     "nothing comes back: `return` is missing", killed_by="test_a_pair_counts_as_often_as_its_words_do")

PLACES = "test_random_words_are_counted_as_place_by_place"
edit("count_pairs", "int32", {"return pairs": "return {pair: (n + 2**31) % 2**32 - 2**31 for pair, n in pairs.items()}"},
     "counts of 32 bits: those of a large text do not fit in", killed_by=PLACES)
edit("count_pairs", "ends-left-out", {"pairs[pair] += count": 'pairs[pair] += count if "</w>" not in pair else 0'},
     "pairs with the mark </w> are not counted: it is a token like any other", killed_by=PLACES)
edit("count_pairs", "blanks-left-out", {"pairwise(word)": "pairwise([token for token in word if token.strip()])"},
     "tokens that are blanks are left out: they are tokens like any other", killed_by=PLACES)
edit("count_pairs", "a-thousand-pairs", {"return pairs": "return dict(pairs.most_common(1000))"},
     "only the most frequent pairs come back", killed_by=PLACES)
edit("count_pairs", "composed", {"pairwise(word)": 'pairwise([unicodedata.normalize("NFC", token) for token in word])'},
     "tokens are composed (NFC) first: they stay as they are", killed_by=PLACES)


# merge_pair
@alternative("merge_pair", "rest-of-list")
def merge_pair(word, pair):
    rest, merged = list(word), []
    while rest:
        if tuple(rest[:2]) == pair:
            merged.append(rest.pop(0) + rest.pop(0))
        else:
            merged.append(rest.pop(0))
    return tuple(merged)


@alternative("merge_pair", "slice-assignment")
def merge_pair(word, pair):
    word, i = list(word), 0
    while i < len(word) - 1:
        if word[i] == pair[0] and word[i + 1] == pair[1]:
            word[i : i + 2] = ["".join(pair)]
        i += 1
    return tuple(word)


@alternative("merge_pair", "last-takes-next")
def merge_pair(word, pair):
    merged = []
    for token in word:
        if merged and (merged[-1], token) == pair:
            merged[-1] += token
        else:
            merged.append(token)
    return tuple(merged)


@alternative("merge_pair", "library-merge")
def merge_pair(word, pair):
    tokens = {token: i for i, token in enumerate({*word, *pair})}
    names = {i: token for token, i in tokens.items()} | {-1: "".join(pair)}
    return tuple(names[i] for i in bpe.merged([tokens[t] for t in word], (tokens[pair[0]], tokens[pair[1]]), -1))


edit("merge_pair", "first-place-only", {"== pair": "== pair and len(merged) == i"},
     "only the first place is merged: merge wherever the pair stands",
     killed_by="test_the_pair_is_joined_wherever_it_stands")


@mistake("merge_pair", "right-to-left",
         "merged from right to left: of three equal tokens the first two belong together",
         killed_by="test_from_left_to_right_each_token_is_taken_once")
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


edit("merge_pair", "token-used-twice", {"i += 2": "i += 1"},
     "a token is used in two merges: after a merge go on behind both of its tokens",
     killed_by="test_from_left_to_right_each_token_is_taken_once")
edit("merge_pair", "string-replace",
     {"return tuple(merged)": 'return tuple(" ".join(word).replace(" ".join(pair), "".join(pair)).split())'},
     "str.replace on the tokens written with blanks between them also finds the ends of longer tokens: `xa b` holds `a b`",
     killed_by="test_tokens_are_compared_not_their_letters")
edit("merge_pair", "spelled-alike",
     {"word[i : i + 2] == pair": '"".join(word[i : i + 2]) == "".join(pair) and i + 1 < len(word)'},
     "tokens are joined where their letters spell the pair, though the tokens are others (a·bc is not ab·c)",
     killed_by="test_tokens_are_compared_not_their_letters")
edit("merge_pair", "last-token-lost", {"i < len(word)": "i < len(word) - 1"},
     "the last token is lost when it is in no merge", killed_by="test_from_left_to_right_each_token_is_taken_once")


@mistake("merge_pair", "over-and-over",
         "the tokens are joined over and over, with what was merged just before too: one step makes pairs only",
         killed_by="test_from_left_to_right_each_token_is_taken_once")
def merge_pair(word, pair):
    merged = []
    for token in word:
        if merged and token == pair[1] and merged[-1].endswith(pair[0]):
            merged[-1] += token
        else:
            merged.append(token)
    return tuple(merged)


edit("merge_pair", "list-returned", {"tuple(merged)": "merged"},
     "a list comes back: a word is a tuple", killed_by="test_the_pair_is_joined_wherever_it_stands")
edit("merge_pair", "pair-put-in", {"word[i] + word[i + 1]": "pair"},
     "the pair is put in as a pair: its two tokens become one string",
     killed_by="test_the_pair_is_joined_wherever_it_stands")
edit("merge_pair", "order-ignored", {"word[i : i + 2] == pair": "sorted(word[i : i + 2]) == sorted(pair)"},
     "the order of the pair is ignored: (b, a) is another pair than (a, b)",
     killed_by="test_pairs_of_different_tokens_are_merged_as_by_the_library")

ANY = "test_any_pair_is_merged_as_in_a_text_of_tokens"
MANY = "test_pairs_of_different_tokens_are_merged_as_by_the_library"
JOINED = "merged.append(word[i] + word[i + 1])"


@mistake("merge_pair", "cut-at-blanks", "the word is joined with blanks and cut again: a token may hold a blank", killed_by=ANY)
def merge_pair(word, pair):
    tokens, i = " ".join(word).split(" ") if word else [], 0
    while i + 1 < len(tokens):
        if (tokens[i], tokens[i + 1]) == pair:
            tokens[i : i + 2] = ["".join(pair)]
        i += 1
    return tuple(tokens)


edit("merge_pair", "cut-at-white-space", {'.split(" ") if word else []': ".split()"},
     "the word is joined with blanks and cut again: a token may be a blank", killed_by=ANY, of="cut-at-blanks")
edit("merge_pair", "any-case", {"word[i : i + 2] == pair": "[t.lower() for t in word[i : i + 2]] == [t.lower() for t in pair]"},
     "tokens are compared without case", killed_by=MANY)
edit("merge_pair", "stripped", {JOINED: "merged.append((word[i] + word[i + 1]).strip())"},
     "blanks around the new token are stripped: it is the two tokens as they are", killed_by=MANY)
edit("merge_pair", "mark-left-alone", {"word[i : i + 2] == pair": 'word[i : i + 2] == pair and ">" not in "".join(pair)'},
     "the sign > is taken for the end of a mark, and is never joined: it is a token like any other",
     killed_by="test_any_pair_of_a_word_is_merged_as_by_the_library")
edit("merge_pair", "ten-places", {"== pair": "== pair and i - len(merged) < 10"},
     "only the first ten places are joined", killed_by=MANY)


@mistake("merge_pair", "recursion", "recursion over the word, which a long word breaks off: use a loop", killed_by=MANY)
def merge_pair(word, pair):
    if len(word) < 2:
        return word
    if word[:2] == pair:
        return ("".join(pair), *merge_pair(word[2:], pair))
    return (word[0], *merge_pair(word[1:], pair))


# train_bpe
@alternative("train_bpe", "indices-compared")
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


@alternative("train_bpe", "numbers-for-tokens")
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


edit("train_bpe", "size-as-merges", {"len(vocabulary) < size": "len(merges) < size"},
     "the size is taken as the number of merges: the characters are part of the vocabulary",
     killed_by="test_the_papers_words_give_est_and_low")
edit("train_bpe", "first-seen-wins",
     {"min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))": "max(pairs, key=pairs.get)"},
     "of equally frequent pairs the first that was seen wins (max, most_common): the older tokens win",
     killed_by="test_of_equally_frequent_pairs_the_older_tokens_win")
edit("train_bpe", "alphabet-decides", {"age[pair[0]], age[pair[1]]": "pair"},
     "ties are decided by the alphabet: a merged token is younger than every character, whatever its letters",
     killed_by="test_a_merged_token_is_younger_than_every_character")
edit("train_bpe", "last-in-alphabet", {"min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))":
     "max(pairs, key=lambda pair: (pairs[pair], pair))"},
     "of equally frequent pairs the last in the alphabet wins, as max over (count, pair) has it",
     killed_by="test_of_equally_frequent_pairs_the_older_tokens_win")
edit("train_bpe", "second-token-first", {"age[pair[0]], age[pair[1]]": "age[pair[1]], age[pair[0]]"},
     "of equals the pair whose second token is older wins: the first token decides first",
     killed_by="test_of_equally_frequent_pairs_the_older_tokens_win")
edit("train_bpe", "counted-once", {"merges = []": "merges, pairs = [], count_pairs(words)",
     "        pairs = count_pairs(words)\n": "",
     "words = {merge_pair(word, best): count for word, count in words.items()}": "del pairs[best]"},
     "the pairs are counted once, before the first merge: each merge makes new pairs and changes the counts",
     killed_by="test_the_papers_words_give_est_and_low")
edit("train_bpe", "rarest-merged", {"-pairs[pair]": "pairs[pair]"},
     "the rarest pair is merged: the most frequent one was asked for",
     killed_by="test_the_papers_words_give_est_and_low")
edit("train_bpe", "empty-raises", {"if not pairs:\n            break": ""},
     "when no pair is left, min() of nothing raises: end the training there",
     killed_by="test_training_ends_when_no_pair_is_left")
edit("train_bpe", "once-not-merged", {"if not pairs": "if max(pairs.values(), default=0) < 2"},
     "a pair that occurs once is not merged: the training ends only when no pair is left",
     killed_by="test_training_ends_when_no_pair_is_left")
edit("train_bpe", "order-of-the-text", {"sorted({token for word in words for token in word})":
     "list(dict.fromkeys(token for word in words for token in word))"},
     "the characters stand in the order in which the text brings them: alphabetical order was asked for",
     killed_by="test_the_vocabulary_is_the_characters_and_then_the_merges")
edit("train_bpe", "merged-left-out",
     {"return vocabulary, merges": "return vocabulary[: len(vocabulary) - len(merges)], merges"},
     "the merged tokens are left out of the vocabulary that comes back",
     killed_by="test_the_vocabulary_is_the_characters_and_then_the_merges")
edit("train_bpe", "input-changed", {"words = {merge_pair(word, best): count for word, count in words.items()}":
     "for word in list(words):\n            words[merge_pair(word, best)] = words.pop(word)"},
     "the words that were given are changed: train on a copy", killed_by="test_the_words_stay_as_they_are")

LARGE = "test_large_counts_that_are_nearly_equal_are_told_apart"
edit("train_bpe", "rounded-shares", {"-pairs[pair]": "-round(pairs[pair] / sum(pairs.values()), 4)"},
     "shares are rounded: nearly equal counts become ties", killed_by=LARGE)
edit("train_bpe", "no-words-raise", {"merges = []": "merges, longest = [], max(map(len, words))"},
     "no words end in an error: there is nothing to merge", killed_by=LARGE)


END = "test_words_with_their_ends_marked_give_the_merges_of_the_library"
edit("train_bpe", "end-behind-the-letters", {"sorted({token for word in words for token in word})":
     'sorted({token for word in words for token in word}, key=lambda token: (token == "</w>", token))'},
     "</w> stands behind all characters: it stands in alphabetical order, before the letters", killed_by=END)
edit("train_bpe", "ends-left-alone", {"pairs = count_pairs(words)": 'pairs = {p: n for p, n in count_pairs(words).items() if p[1] != "</w>"}'},
     "the mark is never merged: it is a token like any other", killed_by="test_the_papers_words_give_est_and_low")
edit("train_bpe", "any-case", {"sorted({token for word in words for token in word})":
     "sorted({token for word in words for token in word}, key=lambda token: (token.lower(), token))"},
     "the alphabet is taken without regard to case: A stands before a and all small letters", killed_by=END)


# encode_word
@alternative("encode_word", "merge-by-merge")
def encode_word(word, merges):
    for pair in merges:
        word = merge_pair(word, pair)
    return tuple(word)


@alternative("encode_word", "lowest-rank")
def encode_word(word, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    word = list(word)
    while len(word) > 1:
        best, i = min((rank.get(pair, len(rank)), i) for i, pair in enumerate(pairwise(word)))
        if best == len(rank):
            break
        word[i : i + 2] = [word[i] + word[i + 1]]
    return tuple(word)


@alternative("encode_word", "library-join")
def encode_word(word, merges):
    tokens = {}
    for token in [*word, *(t for a, b in merges for t in (a, b, a + b))]:
        tokens.setdefault(token, len(tokens))
    names = list(tokens)
    ranks = {(tokens[a], tokens[b]): (i, tokens[a + b]) for i, (a, b) in enumerate(merges)}
    return tuple(names[i] for i in bpe.join([tokens[t] for t in word], ranks))


@mistake("encode_word", "longest-token",
         "the longest token of the vocabulary is taken, as WordPiece does: merges go by rank",
         killed_by="test_the_pair_that_was_learnt_first_is_merged_first")
def encode_word(word, merges):
    known = {"".join(pair) for pair in merges}
    text, tokens, i = list(word), [], 0
    while i < len(text):
        end = next((e for e in range(len(text), i + 1, -1) if "".join(text[i:e]) in known), i + 1)
        tokens.append("".join(text[i:end]))
        i = end
    return tuple(tokens)


edit("encode_word", "leftmost-first", {"min(known, key=rank.get)": "known[0]"},
     "the leftmost pair that is known is merged first: the pair that was learnt first comes first",
     killed_by="test_the_pair_that_was_learnt_first_is_merged_first")
edit("encode_word", "last-learnt-first", {"min": "max"},
     "the pair that was learnt last is merged first: the lowest rank comes first",
     killed_by="test_the_pair_that_was_learnt_first_is_merged_first")
edit("encode_word", "one-merge-only",
     {"word = merge_pair(word, min(known, key=rank.get))": "return merge_pair(word, min(known, key=rank.get))"},
     "only one merge is made: look again until none applies", killed_by="test_merges_build_on_merges")


@mistake("encode_word", "pairs-looked-up-once",
         "the pairs of the word are looked up once: merges make new pairs that have to be looked up again",
         killed_by="test_merges_build_on_merges")
def encode_word(word, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    for pair in sorted({pair for pair in pairwise(word) if pair in rank}, key=rank.get):
        word = merge_pair(word, pair)
    return tuple(word)


edit("encode_word", "longest-merge-first", {"rank.get": 'lambda pair: (-len("".join(pair)), rank[pair])'},
     "the pair that makes the longest token is merged first: rank decides, not length",
     killed_by="test_every_short_word_is_encoded_as_by_the_library")
edit("encode_word", "string-returned", {"tuple": '" ".join'},
     "a string comes back: the tokens were asked for, as a tuple",
     killed_by="test_the_pair_that_was_learnt_first_is_merged_first", of="merge-by-merge")
edit("encode_word", "unmerged-dropped",
     {"while True:": "word = tuple(token for token in word if any(token in pair for pair in merges))\n    while True:"},
     "a character that is in no merge is dropped: it stays a token",
     killed_by="test_unknown_characters_and_the_empty_word_stay_as_they_are")
edit("encode_word", "empty-raises", {"if not known": "if word and not known"},
     "the empty word raises: it has no tokens", killed_by="test_unknown_characters_and_the_empty_word_stay_as_they_are")

LONG = "test_a_long_word_of_letters_and_blanks_is_merged_to_its_end"
edit("encode_word", "lowered", {"rank = ": "word = tuple(token.lower() for token in word)\n    rank = "},
     "the word is put into small letters", killed_by=LONG)
edit("encode_word", "long-left-alone", {"rank = ": "if len(word) > 100:\n        return word\n    rank = "},
     "a long word is left as it is", killed_by=LONG)
edit("encode_word", "a-thousand-merges", {"enumerate(merges)": "enumerate(merges[:1000])"},
     "only the first thousand merges are used", killed_by=LONG)
edit("encode_word", "fifty-rounds", {"while True:": "for _ in range(50):", "        word = merge_pair(word, min(known, key=rank.get))": "        word = merge_pair(word, min(known, key=rank.get))\n    return tuple(word)"},
     "no more than fifty merges are made, though a word may hold more", killed_by=LONG)
edit("encode_word", "blanks-left-out", {"rank = ": "word = tuple(token for token in word if token.strip())\n    rank = "},
     "tokens that are blanks are left out", killed_by=LONG)


edit("encode_word", "end-merged-last", {"min(known, key=rank.get)": 'min(known, key=lambda pair: (pair[1] == "</w>", rank[pair]))'},
     "the mark is merged last of all: it is a token like any other", killed_by="test_marked_words_of_all_letters_are_encoded_as_by_the_library")


# decode_words
@alternative("decode_words", "running-words")
def decode_words(tokens):
    words = [""]
    for token in tokens:
        if token.endswith("</w>"):
            words[-1] += token[: -len("</w>")]
            words.append("")
        else:
            words[-1] += token
    return " ".join(words if words[-1] else words[:-1])


@alternative("decode_words", "regular-expression")
def decode_words(tokens):
    import re

    return re.sub(r"</w>(?!$)", " ", "".join(tokens)).replace("</w>", "")


edit("decode_words", "blank-at-end",
     {'"".join(tokens).replace("</w>", " ").removesuffix(" ")': '"".join(tokens).replace("</w>", " ")'},
     "a blank stands at the end: the last word has none after it", killed_by="test_marks_become_blanks_between_words")
edit("decode_words", "blank-between-tokens",
     {'"".join(tokens).replace("</w>", " ").removesuffix(" ")': '" ".join(tokens).replace("</w>", "")'},
     "blanks stand between all tokens, also inside of words", killed_by="test_marks_become_blanks_between_words")
edit("decode_words", "marks-dropped",
     {'"".join(tokens).replace("</w>", " ").removesuffix(" ")': '"".join(tokens).replace("</w>", "")'},
     "the marks are dropped and no blank put in their place", killed_by="test_marks_become_blanks_between_words")
edit("decode_words", "list-returned", {'"".join(tokens).replace("</w>", " ").removesuffix(" ")':
     '[word for word in "".join(tokens).split("</w>") if word]'},
     "a list of words comes back: their text was asked for", killed_by="test_marks_become_blanks_between_words")
edit("decode_words", "last-word-lost",
     {'"".join(tokens).replace("</w>", " ").removesuffix(" ")': '" ".join("".join(tokens).split("</w>")[:-1])'},
     "the last word is lost when its end has not come yet", killed_by="test_a_last_word_without_its_end_is_kept")
edit("decode_words", "four-cut-off",
     {'"".join(tokens).replace("</w>", " ").removesuffix(" ")': '"".join(tokens)[:-4].replace("</w>", " ")'},
     "four characters are cut off at the end, also where there is no mark",
     killed_by="test_a_last_word_without_its_end_is_kept")
edit("decode_words", "input-changed", {'return "".join(tokens).replace("</w>", " ")':
     'tokens[:] = [token.replace("</w>", " ") for token in tokens]\n    return "".join(tokens)'},
     "the tokens that were given are changed: make a list of your own",
     killed_by="test_marks_become_blanks_between_words")

COMES_BACK = "test_every_list_of_words_comes_back"
WRITTEN = '"".join(tokens).replace("</w>", " ").removesuffix(" ")'
edit("decode_words", "stripped", {'.removesuffix(" ")': ".strip()"},
     "all blanks at both ends go: a word may be empty, and only the last blank has to go", killed_by=COMES_BACK)
edit("decode_words", "empty-left-out", {f"return {WRITTEN}": f'return " ".join({WRITTEN}.split())'},
     "empty words are left out", killed_by=COMES_BACK)
edit("decode_words", "mark-as-letters",
     {'"".join(tokens).replace("</w>", " ")': '"".join(t.rstrip("</w>") + " " if t.endswith("</w>") else t for t in tokens)'},
     "rstrip takes off all letters of the mark, so a w before it goes too: use removesuffix", killed_by=COMES_BACK)
edit("decode_words", "ten-marks", {'replace("</w>", " ")': 'replace("</w>", " ", 10)'},
     "only the first ten marks become blanks", killed_by=COMES_BACK)
edit("decode_words", "composed", {f"return {WRITTEN}": f'return unicodedata.normalize("NFC", {WRITTEN})'},
     "the text is composed (NFC): it stays as it is", killed_by=COMES_BACK)
edit("decode_words", "lowered", {'.replace("</w>", " ")': '.lower().replace("</w>", " ")'},
     "the text is put into small letters", killed_by=COMES_BACK)
edit("decode_words", "no-blank-before-signs", {'.removesuffix(" ")': '.removesuffix(" ").replace(" ,", ",")'},
     "the blank before a comma is taken out: it stands between two words", killed_by=COMES_BACK)
edit("decode_words", "signs-taken-out", {'.removesuffix(" ")': '.removesuffix(" ").replace("<", "").replace("/", "")'},
     "the signs < and / are taken out of the words too", killed_by=COMES_BACK)


edit("decode_words", "white-space-stripped", {'.removesuffix(" ")': '.removesuffix(" ").rstrip("\\xa0\\u3000")'},
     "other white space at the end goes too: only the last blank has to go", killed_by="test_any_words_come_back_however_they_are_cut")


# byte_table
@alternative("byte_table", "authors-program")
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


@alternative("byte_table", "hidden-bytes")
def byte_table():
    hidden = [byte for byte in range(256) if byte <= 32 or 127 <= byte <= 160 or byte == 173]
    return {byte: chr(256 + hidden.index(byte)) if byte in hidden else chr(byte) for byte in range(256)}


edit("byte_table", "every-byte-itself", {"33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174": "True"},
     "every byte stands for itself: control characters and the blank cannot be seen",
     killed_by="test_the_others_are_written_from_256_on_in_order")
edit("byte_table", "all-moved-up", {"= chr(byte)": "= chr(256 + byte)", "= chr(extra)": "= chr(256 + byte)"},
     "every byte is moved up by 256: those that can be seen stand for themselves",
     killed_by="test_bytes_that_can_be_seen_stand_for_themselves")
edit("byte_table", "others-moved-by-256", {"chr(extra)": "chr(256 + byte)"},
     "each of the others is moved up by 256: they are numbered one after the other, without gaps",
     killed_by="test_the_others_are_written_from_256_on_in_order")
edit("byte_table", "soft-hyphen-seen", {"161 <= byte <= 172 or byte >= 174": "161 <= byte"},
     "byte 173 is taken for one that can be seen: it is the soft hyphen, which is not shown",
     killed_by="test_the_others_are_written_from_256_on_in_order")
edit("byte_table", "blank-itself", {"33 <= byte": "32 <= byte"},
     "the blank stands for itself, which makes tokens with blanks in them: it is written Ġ",
     killed_by="test_the_others_are_written_from_256_on_in_order")
edit("byte_table", "last-of-range-left-out", {"byte <= 126": "byte < 126", "byte <= 172": "byte < 172",
     "byte >= 174": "174 <= byte < 255"},
     "the last of each range is left out: range stops before its end",
     killed_by="test_bytes_that_can_be_seen_stand_for_themselves")
edit("byte_table", "turned-round", {"return table": "return {character: byte for byte, character in table.items()}"},
     "the table is turned round: from characters to bytes",
     killed_by="test_bytes_that_can_be_seen_stand_for_themselves")
edit("byte_table", "numbers-for-characters", {"chr(byte)": "byte", "chr(extra)": "extra"},
     "the characters come as numbers: chr makes them characters",
     killed_by="test_bytes_that_can_be_seen_stand_for_themselves")


# encode_text
@alternative("encode_text", "one-comprehension")
def encode_text(text, merges):
    table = byte_table()
    return [
        token
        for piece in byte_bpe.split(text)
        for token in encode_word(tuple(map(table.__getitem__, piece.encode())), merges)
    ]


@alternative("encode_text", "cached-pieces")
def encode_text(text, merges):
    table, tokens, known = byte_table(), [], {}
    for piece in byte_bpe.PATTERN.findall(text):
        if piece not in known:
            known[piece] = encode_word(tuple(table[byte] for byte in bytearray(piece, "utf-8")), merges)
        tokens.extend(known[piece])
    return tokens


edit("encode_text", "characters-looked-up",
     {'table[byte] for byte in piece.encode("utf-8")': "table.get(ord(c), c) for c in piece"},
     "characters are looked up in the table, not their bytes: 눈 has three",
     killed_by="test_without_merges_a_syllable_is_three_bytes")
edit("encode_text", "split-at-blanks", {"byte_bpe.split(text)": "text.split()",
     'piece.encode("utf-8")': "piece.encode()"},
     "the text was split at blanks, which are lost: byte_bpe.split keeps them",
     killed_by="test_the_blank_belongs_to_the_word_after_it")
edit("encode_text", "not-cut", {"byte_bpe.split(text)": "[text]"},
     "the text is not cut into pieces, so merges reach from one word into the next",
     killed_by="test_the_blank_belongs_to_the_word_after_it")
edit("encode_text", "utf-16", {'"utf-8"': '"utf-16-le"'},
     "the bytes are those of UTF-16: the table is for UTF-8", killed_by="test_without_merges_a_syllable_is_three_bytes")
edit("encode_text", "chr-for-table", {"table = byte_table()": "",
     'table[byte] for byte in piece.encode("utf-8")': "chr(byte) for byte in piece.encode()"},
     "bytes are written by chr, not by the table", killed_by="test_the_blank_belongs_to_the_word_after_it")
edit("encode_text", "list-of-lists",
     {'tokens += encode_word(tuple(table[byte] for byte in piece.encode("utf-8")), merges)':
     'tokens.append(encode_word(tuple(table[byte] for byte in piece.encode("utf-8")), merges))'},
     "the tokens of each piece stay in a list of their own: one list was asked for",
     killed_by="test_without_merges_a_syllable_is_three_bytes")
edit("encode_text", "only-ascii", {'"utf-8"': '"ascii", errors="ignore"'},
     "what is no ASCII is thrown away (errors='ignore'): UTF-8 has bytes for every character",
     killed_by="test_without_merges_a_syllable_is_three_bytes")
edit("encode_text", "normalised-first",
     {"table = byte_table()":
     ("import unicodedata\n"
      "\n"
      '    text = unicodedata.normalize("NFC", text)\n'
      "    table = byte_table()")},
     "the text is normalised first, so it does not come back as it was", killed_by="test_no_byte_of_any_text_is_lost")
edit("encode_text", "blanks-stripped", {"byte_bpe.split(text)": "byte_bpe.split(text.strip())",
     'piece.encode("utf-8")': "piece.encode()"},
     "the blanks at both ends are stripped off", killed_by="test_no_byte_of_any_text_is_lost")

edit("encode_text", "cut-at-blanks-alone",
     {"byte_bpe.split(text)": '[piece if i == 0 else " " + piece for i, piece in enumerate(text.split(" "))]'},
     "the text is cut at blanks alone: byte_bpe.split also cuts before a comma",
     killed_by="test_texts_are_encoded_as_by_the_library")
edit("encode_text", "long-text-cut", {"byte_bpe.split(text)": "byte_bpe.split(text)[:500]"},
     "only the first pieces of a long text are encoded", killed_by="test_texts_are_encoded_as_by_the_library")
edit("encode_text", "lines-ended-alike", {"byte_bpe.split(text)": 'byte_bpe.split(text.replace("\\r\\n", "\\n"))'},
     "\\r\\n becomes \\n: no byte of the text is lost", killed_by="test_texts_are_encoded_as_by_the_library")


WHOLE = "test_any_text_is_cut_as_a_whole_and_merged_by_rank"
edit("encode_text", "line-by-line", {"byte_bpe.split(text)": "[piece for line in text.splitlines(keepends=True) for piece in byte_bpe.split(line)]"},
     "the text is split line by line: two line ends, or blanks before one, are one piece", killed_by=WHOLE)
edit("encode_text", "paragraph-by-paragraph", {"byte_bpe.split(text)":
     '[piece for i, part in enumerate(text.split("\\n\\n")) for piece in byte_bpe.split("\\n\\n" * (i > 0) + part)]'},
     "the text is split paragraph by paragraph: what stands around two line ends may be one piece with them", killed_by="test_texts_are_encoded_as_by_the_library")
edit("encode_text", "byte-order-mark", {"byte_bpe.split(text)": 'byte_bpe.split(text.removeprefix("\\ufeff"))'},
     "a byte order mark (U+FEFF) at the beginning is lost: it is a character like any other", killed_by="test_texts_are_encoded_as_by_the_library")


# decode_bytes
@alternative("decode_bytes", "position-in-table")
def decode_bytes(tokens):
    table = byte_table()
    characters = list(table.values())
    found = bytearray()
    for token in tokens:
        for character in token:
            found.append(list(table)[characters.index(character)])
    return str(found, "utf-8", "replace")


@alternative("decode_bytes", "incremental-decoder")
def decode_bytes(tokens):
    import codecs

    byte_of = {character: bytes([byte]) for byte, character in byte_table().items()}
    reader = codecs.getincrementaldecoder("utf-8")("replace")
    return "".join(reader.decode(byte_of[c]) for token in tokens for c in token) + reader.decode(b"", final=True)


edit("decode_bytes", "token-by-token",
     {'bytes(byte_of[character] for token in tokens for character in token).decode("utf-8", errors="replace")':
     '"".join(bytes(byte_of[c] for c in token).decode("utf-8", errors="replace") for token in tokens)'},
     "each token is decoded by itself: a character may lie in two tokens",
     killed_by="test_a_character_may_lie_in_two_tokens")
edit("decode_bytes", "half-raises", {', errors="replace"': ""},
     "half a character raises UnicodeDecodeError: decode with errors='replace'",
     killed_by="test_half_a_character_becomes_the_mark_for_it")
edit("decode_bytes", "half-dropped", {'"utf-8", errors="replace"': '"utf-8", errors="ignore"'},
     "half a character is dropped without a trace: it becomes U+FFFD",
     killed_by="test_half_a_character_becomes_the_mark_for_it")
edit("decode_bytes", "only-blank-mark",
     {'return bytes(byte_of[character] for token in tokens for character in token).decode("utf-8", errors="replace")':
     'return "".join(tokens).replace("Ġ", " ").replace("Ċ", "\\n")'},
     "only Ġ is turned back: every character of the tokens stands for a byte",
     killed_by="test_a_character_may_lie_in_two_tokens")
edit("decode_bytes", "latin-1", {'"utf-8"': '"latin-1"'},
     "the bytes are read as Latin-1: they are UTF-8", killed_by="test_a_character_may_lie_in_two_tokens")
edit("decode_bytes", "blanks-between-tokens", {"byte_table().items()}": 'byte_table().items()} | {" ": 32}',
     "for token in tokens for character in token": 'for character in " ".join(tokens)'},
     "blanks were put between the tokens: the blanks of the text are in them as Ġ",
     killed_by="test_ascii_comes_back_with_its_blanks")
edit("decode_bytes", "blank-stripped", {'"utf-8", errors="replace")': '"utf-8", errors="replace").lstrip(" ")'},
     "the blank in front is stripped off", killed_by="test_ascii_comes_back_with_its_blanks")
edit("decode_bytes", "bytes-returned",
     {'bytes(byte_of[character] for token in tokens for character in token).decode("utf-8", errors="replace")':
     "bytes(byte_of[c] for token in tokens for c in token)"},
     "bytes come back: the text was asked for", killed_by="test_ascii_comes_back_with_its_blanks")

LIBRARY = "test_what_the_library_encodes_comes_back"
edit("decode_bytes", "one-mark-for-several", {'"utf-8", errors="replace")': '"utf-8", errors="replace").replace("\\ufffd\\ufffd", "\\ufffd")'},
     "several marks in a row become one: each has its own", killed_by=LIBRARY)
edit("decode_bytes", "byte-order-mark", {'"utf-8"': '"utf-8-sig"'},
     "a byte order mark (U+FEFF) at the beginning is lost: it is a character like any other", killed_by=LIBRARY)
edit("decode_bytes", "lines-ended-alike", {'"utf-8", errors="replace")': '"utf-8", errors="replace").replace("\\r\\n", "\\n")'},
     "\\r\\n becomes \\n: every text comes back as it was", killed_by=LIBRARY)


READ = "test_any_bytes_are_read_as_python_reads_them"


@mistake("decode_bytes", "rest-lost", "what follows the first broken character is lost: only the broken one becomes U+FFFD", killed_by=READ)
def decode_bytes(tokens):
    back = {character: byte for byte, character in byte_table().items()}
    data = bytes(back[c] for token in tokens for c in token)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return data[: error.start].decode("utf-8") + "\ufffd"


# What no check can tell from a right answer.

equivalent("encode_word", "5: tuple(word) → word", "the word is a tuple already, and merge_pair gives one")
equivalent("encode_word", "1: enumerate(merges) → [(merges.index(item), item) for item in merges]", "each pair stands once among the merges")
equivalent("train_bpe", "2: enumerate(vocabulary) → [(vocabulary.index(item), item) for item in vocabulary]",
           "the first tokens are all different")
equivalent("decode_bytes", "2: token → __import__('unicodedata').normalize('NFC', token)", "NFC leaves each character of the table as it is")
