# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # BPE: merge the most frequent pair
#
# **The papers.** Gage, *A New Algorithm for Data Compression* (C Users Journal, 1994) replaced the most frequent pair of bytes in a file by a byte that was free, again and again.
# Sennrich, Haddow and Birch, [Neural Machine Translation of Rare Words with Subword Units](https://arxiv.org/abs/1508.07909) (ACL 2016), turned it on words;
# Radford and others, [Language Models are Unsupervised Multitask Learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf) (GPT-2, 2019, section 2.2), brought it back to bytes.
#
# Words meet unknown words; characters and bytes never do, but make long sequences. Byte pair encoding (BPE) starts from characters and lets the text itself say what deserves a token of its own: frequent words become one token, rare ones a few.
#
# **The claim to reproduce.** From *low* (5 times), *lower* (2), *newest* (6) and *widest* (3) the algorithm finds the ending *est* and the stem *low* by nothing but counting. With 256 bytes as the base, no text in any language
# is ever unknown, and a text always comes back as it was. You end with GPT-2's own 50,000 merges, which must give GPT-2's own tokens.
#
# You will write (about 2 hours):
#
# 1. the two halves of one step: count all pairs, merge one of them
# 2. the training, with a rule for ties
# 3. encoding a new word, by rank; decoding
# 4. the same on bytes

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: under a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import random
import time
import unicodedata
from collections import Counter
from itertools import pairwise

import matplotlib.pyplot as plt
import pandas as pd

import etude
from etude import check, corpora, plots, record
from etude.corpora import datasets
from etude.tokenizers import bpe, byte_bpe
from etude.world import World

run = etude.start("week2_tokenizers/bpe", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. One step
#
# The algorithm in six steps: (1) count the words of the text; (2) cut each word into characters; (3) count the pairs of neighbours; (4) merge the most frequent pair wherever it stands; (5) add what it makes to the vocabulary; (6) go back to (3) until the vocabulary has the size that you want.
#
# Words are counted first, so that each different word is cut only once: a text of a million words has some tens of thousands of different ones. A pair counts as often as the words that hold it do.
# Pairs never reach over the end of a word.


# %% exercise="count_pairs"
def count_pairs(words):
    """How often each pair of neighbouring tokens occurs in the text.

    words: dictionary from a word, as a tuple of tokens, to its count: {("l", "o", "w"): 5, ("a",): 2}.
    Returns a dictionary from a pair (token, token) to its count, with the pairs that occur and no others. Every place counts: ("a", "a", "a")
    holds the pair ("a", "a") twice. Sennrich et al. 2016, algorithm 1, get_stats.
    """
    ### BEGIN SOLUTION
    pairs = Counter()
    for word, count in words.items():
        for pair in pairwise(word):
            pairs[pair] += count
    return pairs
    ### END SOLUTION


# %%
check("count_pairs")

# %% [markdown]
# A merge goes through a word from left to right and takes each token only once, so *aaa* becomes *aa·a*, not *a·aa* and not *aa·aa*. It is a rule like any other, but everybody must keep to the same one.


# %% exercise="merge_pair"
def merge_pair(word, pair):
    """The word with the two tokens of the pair joined wherever they stand side by side: from left to right, without overlap.

    word: tuple of tokens (strings), it may be empty; pair: (token, token).
    Returns a tuple of tokens. Sennrich et al. 2016, algorithm 1, merge_vocab.
    """
    ### BEGIN SOLUTION
    merged = []
    i = 0
    while i < len(word):
        if word[i : i + 2] == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)
    ### END SOLUTION


# %%
check("merge_pair")

# %% [markdown]
# ## 2. Training
#
# Two pairs are often equally frequent, above all in small texts. The paper leaves open which one comes first, and then two programs that are both right learn different vocabularies. So we state the rule, that of the library Hugging Face tokenizers:
# **of equals, the pair whose first token is older; if these are the same, whose second token is older.** The oldest tokens are the characters, in alphabetical order (Python's order of strings), then come the merges in the order in which they were made.
#
# The vocabulary's size counts **all** tokens: characters and merges.


# %% exercise="train_bpe"
def train_bpe(words, size):
    """Learns merges until the vocabulary has `size` tokens or no pair is left.

    words: dictionary from a word, as a tuple of tokens, to its count; size: at least the number of different tokens in words.
    Of the most frequent pairs, the one whose first token stands first in the vocabulary is merged, then the one whose second token does.
    Returns (vocabulary, merges): a list of strings, the tokens of words in alphabetical order and then the merged ones as they are made; and
    a list of pairs. words stays as it is. Sennrich et al. 2016, algorithm 1.
    """
    ### BEGIN SOLUTION
    vocabulary = sorted({token for word in words for token in word})
    age = {token: i for i, token in enumerate(vocabulary)}
    merges = []
    while len(vocabulary) < size:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        words = {merge_pair(word, best): count for word, count in words.items()}
        merges.append(best)
        age["".join(best)] = len(vocabulary)
        vocabulary.append("".join(best))
    return vocabulary, merges
    ### END SOLUTION


# %%
check("train_bpe")

# %% [markdown]
# The paper marks the end of a word, so that *est* at the end (*newest*) and *est* inside (*estate*) are different tokens, and so that blanks come back when tokens are put together again. The mark `</w>` is a token of its own
# at first, and is merged like any other. (Programs written since put it on the last character from the start, so that it costs no merge; `etude.tokenizers.bpe` and Hugging Face tokenizers do.)
# Look at what the paper's four words give.


# %%
def marked(word):
    """low → ("l", "o", "w", "</w>")"""
    return (*word, "</w>")


paper = {marked(word): count for word, count in [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)]}
vocabulary, merges = train_bpe(paper, 26)
for number, (a, b) in enumerate(merges, start=1):
    print(f"{number:2}. {a} + {b} → {a + b}")

# %% [markdown]
# ## 3. New words
#
# A new word is cut into characters, and then the merges are applied **in the order in which they were learnt**: of all pairs of neighbours that are among the merges, the one with the lowest rank is merged, then one looks again.
# It is tempting to look for the longest token of the vocabulary instead; WordPiece does so, BPE does not, and the two part: with the merges *b+c, a+b, ab+c* the word *abc* is *a·bc*, although *abc* is in the vocabulary.


# %% exercise="encode_word"
def encode_word(word, merges):
    """The tokens of one word.

    word: tuple of single tokens (characters), it may be empty; merges: list of pairs, the first one learnt first.
    As long as two neighbours are among the merges, the pair that was learnt first is joined wherever it stands (as `merge_pair` does). Characters that are in no merge stay as they are.
    Returns a tuple of tokens. Sennrich et al. 2016, section 3.2.
    """
    ### BEGIN SOLUTION
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        known = [pair for pair in pairwise(word) if pair in rank]
        if not known:
            return tuple(word)
        word = merge_pair(word, min(known, key=rank.get))
    ### END SOLUTION


# %%
check("encode_word")

# %%
for word in ["lowest", "newer", "wide", "slow", "해"]:
    print(f"{word}: {' · '.join(encode_word(marked(word), merges))}")

# %% [markdown]
# *lowest* was never seen, and is low·est all the same; 해 is not made of the paper's letters and stays as it is, a token that the vocabulary lacks. Now the way back: tokens are simply written one after the other, and each mark is the end of a word.


# %% exercise="decode_words"
def decode_words(tokens):
    """The text of some tokens, with one blank between two words and none at the end.

    tokens: list of strings; the last token of a word ends in "</w>" (and may be nothing else). The last word may lack its end, as in a text that is being written.
    Returns a string.
    """
    ### BEGIN SOLUTION
    return "".join(tokens).replace("</w>", " ").removesuffix(" ")
    ### END SOLUTION


# %%
check("decode_words")

# %% [markdown]
# ## 4. Bytes
#
# Characters have a hole: a text may hold one that the training text did not, a rare syllable, a new emoji. Unicode has some 160,000 characters, too many for a base. But all of them are written with **256 bytes** (UTF-8), so with the bytes as the base nothing is ever unknown.
# (One reads that byte-level BPE "adds unique characters" to the vocabulary. It adds none: the base is the 256 bytes, in whatever language.) A letter of *coffee* is one byte, a Hangul syllable such as 눈 is **three**, ☕ too, 🙂 is four.
#
# A vocabulary with blanks and control characters in it is hard to read and to keep in a file. So GPT-2 writes each byte as a character that can be seen. The 188 bytes 33–126, 161–172 and 174–255 are written as the character with the same number (`chr(65)` is A).
# The other 68, from the smallest to the largest, are written as the characters 256, 257, 258 … In this way the blank, byte 32, becomes Ġ.


# %% exercise="byte_table"
def byte_table():
    """GPT-2's table: how each byte is written.

    Returns a dictionary from the 256 bytes (whole numbers from 0 to 255) to 256 different characters.
    Radford et al. 2019, as published with the model's code.
    """
    ### BEGIN SOLUTION
    table, extra = {}, 256
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174:
            table[byte] = chr(byte)
        else:
            table[byte] = chr(extra)
            extra += 1
    return table
    ### END SOLUTION


# %%
check("byte_table")

# %% [markdown]
# GPT-2 has no mark for the end of a word. The text is cut by a pattern that leaves the blank at the **front** of the word that follows, and nothing is thrown away: joined, the pieces are the text. The pattern is given: `byte_bpe.split`.

# %%
for text in ["It's  low, lower!", "킹받네 ㅋㅋ", "x = 3\n\ty"]:
    print(byte_bpe.split(text))


# %% exercise="encode_text"
def encode_text(text, merges):
    """The byte-level tokens of a text.

    text: string; merges: list of pairs of tokens, whose characters are those of `byte_table`.
    The text is cut by `byte_bpe.split`; the UTF-8 bytes of each piece are written by the table and merged by rank.
    Returns a list of strings. Radford et al. 2019, section 2.2.
    """
    ### BEGIN SOLUTION
    table = byte_table()
    tokens = []
    for piece in byte_bpe.split(text):
        tokens += encode_word(tuple(table[byte] for byte in piece.encode("utf-8")), merges)
    return tokens
    ### END SOLUTION


# %%
check("encode_text")

# %% [markdown]
# And back. A token may hold half a character: the three bytes of 눈 can lie in two tokens. So all bytes are put together before they are read as UTF-8. What a model writes may break off in the middle of a character;
# such bytes become �, the character U+FFFD, rather than an error.


# %% exercise="decode_bytes"
def decode_bytes(tokens):
    """The text of some byte-level tokens: the inverse of `encode_text`.

    tokens: list of strings in the characters of `byte_table`.
    Returns a string; bytes that are not UTF-8 become "\ufffd", as bytes.decode(errors="replace") has it.
    """
    ### BEGIN SOLUTION
    byte_of = {character: byte for byte, character in byte_table().items()}
    return bytes(byte_of[character] for token in tokens for character in token).decode("utf-8", errors="replace")
    ### END SOLUTION


# %%
check("decode_bytes")

# %% [markdown]
# ### The real thing
#
# If GPT-2's files are here, your functions with its 50,000 merges must give its tokens. The library beside yours, `etude.tokenizers.byte_bpe`, gives the same ids as Hugging Face tokenizers for any text; the course tests that.

# %%
missing = [name for name in datasets.names("gpt2_vocab") if not datasets.available(name)]
published = None if missing else byte_bpe.gpt2()
if published is None:
    print(f"Not here: {', '.join(missing)}. `etude data fetch gpt2_vocab` gets them; then run this cell again.")
else:
    for text in [
        "Tokenizers aren't magic.",
        "coffee ☕",
        "하루 커피 3잔",
        "킹받네",
        unicodedata.normalize("NFD", "킹받네"),
    ]:
        tokens = encode_text(text, published.bpe.merges)
        agree = tokens == published.tokens(text) and decode_bytes(tokens) == text
        print(
            f"{len(text):3} characters, {len(text.encode()):3} bytes, {len(tokens):3} tokens{'' if agree else ' (NOT those of GPT-2)'}: {text}"
        )
        print("     ", " ".join(tokens))

# %% [markdown]
# The last two lines look the same on the screen. In the second of them each syllable is spelled with its letters, ᄏ ᅵ ᆼ (Unicode's NFD; macOS writes file names so), and has six or nine bytes in place of three.
# A tokenizer that does not normalise first sees other text, and pays for it.
#
# ## The experiment
#
# **Is it the language that BPE finds, or only frequent words?** The world's text has stems and endings (boil+ed, 커피+를). As a control, the letters of every word are put into another order, a fixed one for each word: the same words as often as before, of the same letters, but what they share is gone.
# With your own functions we learn from one text and count tokens on another.

# %%
size = {
    "smoke": {"tokens": 20_000, "vocabulary": {"en": 200, "ko": 500}},
    "cpu": {"tokens": 60_000, "vocabulary": {"en": 400, "ko": 900}},
    "gpu": {"tokens": 1_000_000, "vocabulary": {"en": 400, "ko": 900}},
}[profile]


def scrambled(word):
    """The letters of the word in an order of its own, the same each time."""
    letters = list(word)
    random.Random(word).shuffle(letters)
    return "".join(letters)


def world_words(language, of, tokens):
    """Counts of the words of one text of the world."""
    corpus = World(language, seed=of).corpus(tokens)
    return Counter(word for sentence in corpus for word in sentence)


def learn(counts, vocabulary_size):
    """Your training on counted words."""
    return train_bpe({tuple(word): count for word, count in counts.items()}, vocabulary_size)


def tokens_per_word(counts, merges):
    """The mean over all running words, with your `encode_word`."""
    total = sum(count * len(encode_word(tuple(word), merges)) for word, count in counts.items())
    return total / sum(counts.values())


def renamed(counts, name):
    """The counts under other names; words that become the same are added up."""
    new = Counter()
    for word, count in counts.items():
        new[name(word)] += count
    return new


NAMES = {"en": "English", "ko": "Korean"}
HELD_OUT = 20_000  # words of the text on which the merges are tried
seen = {language: world_words(language, seed, size["tokens"]) for language in NAMES}
unseen = {language: world_words(language, seed + 100_000, HELD_OUT) for language in NAMES}
metrics, learnt = {}, {}
for language in NAMES:
    goal = size["vocabulary"][language]
    started = time.perf_counter()
    learnt[language] = learn(seen[language], goal)
    seconds = time.perf_counter() - started
    learnt[language, "scrambled"] = learn(renamed(seen[language], scrambled), goal)
    metrics[f"tokens_per_word_{language}"] = tokens_per_word(unseen[language], learnt[language][1])
    control = tokens_per_word(renamed(unseen[language], scrambled), learnt[language, "scrambled"][1])
    metrics[f"scrambled_minus_{language}"] = control - metrics[f"tokens_per_word_{language}"]
    print(
        f"{NAMES[language]}: {len(seen[language])} different words, {len(learnt[language][1])} merges in {seconds:.1f} s; "
        f"{metrics[f'tokens_per_word_{language}']:.2f} tokens per word on another text, {control:.2f} if scrambled"
    )

# %%
for language in NAMES:
    tokens = learnt[language][0]
    print(f"{NAMES[language]}, the first merges: {' '.join(tokens[-len(learnt[language][1]) :][:30])}")
for word in ["boiled", "reboiling", "coffees"]:
    print(f"{word}: {' · '.join(encode_word(tuple(word), learnt['en'][1]))}")
for word in ["커피를", "삶았다", "킹받네"]:
    print(f"{word}: {' · '.join(encode_word(tuple(word), learnt['ko'][1]))}")

# %% [markdown]
# **Unknown words.** A list of words of the same size as BPE's vocabulary, made from the same text, does not know some of the words of the other text. BPE can only fail where a *character* is new. And bytes?

# %%
for language in NAMES:
    goal = size["vocabulary"][language]
    listed = {word for word, _ in seen[language].most_common(goal)}
    characters = set("".join(seen[language]))
    total = sum(unseen[language].values())
    words_unknown = sum(n for word, n in unseen[language].items() if word not in listed) / total
    bpe_unknown = sum(n for word, n in unseen[language].items() if not characters.issuperset(word)) / total
    metrics[f"oov_words_minus_bpe_{language}"] = words_unknown - bpe_unknown
    print(f"{NAMES[language]}: unknown to {goal} words {words_unknown:.2%}, to {goal} BPE tokens {bpe_unknown:.2%}")
some = [" ".join(sentence) for language in NAMES for sentence in World(language, seed=seed).corpus(1_000)]
some += ["킹받네 🙂 naïve", unicodedata.normalize("NFD", "킹받네"), "\x00\n\u3000"]
lost = sum(decode_bytes(encode_text(line, [])) != line for line in some)
metrics["lost_by_bytes"] = lost / len(some)
print(f"with the 256 bytes: {lost} of {len(some)} texts do not come back")

# %% [markdown]
# ### The fast path
#
# Your training counts all pairs of all words anew before each merge, though a merge changes only the words that hold the pair. `etude.tokenizers.bpe` keeps the counts and an index from each pair to its words, and a heap for the most frequent one.
# It gives the same merges, ties included.

# %%
fast = {}
for language in NAMES:
    started = time.perf_counter()
    fast[language] = bpe.train(seen[language], size["vocabulary"][language])
    seconds = time.perf_counter() - started
    same = sum(mine == theirs for mine, theirs in zip(learnt[language][1], fast[language].merges))
    print(f"{NAMES[language]}: {len(fast[language].merges)} merges in {seconds:.2f} s, {same} of them are yours")

# %% [markdown]
# ### One vocabulary for two languages
#
# Bytes can be **shared**: one vocabulary of bytes and merges for Korean and English, as Wang, Cho and Gu, [Neural Machine Translation with Byte-Level Subwords](https://arxiv.org/abs/1909.03341) (2020), did for many languages.
# What does sharing cost? We learn byte-level merges from English alone, from Korean alone and from both, always with the same size, and count tokens per word on the other texts. And we see what NFD costs.


# %%
def as_lines(language, of, tokens):
    return [" ".join(sentence) for sentence in World(language, seed=of).corpus(tokens)]


def fertility(tokenizer, lines):
    """Tokens per word of a byte-level tokenizer."""
    return sum(len(tokenizer.encode(line)) for line in lines) / sum(len(line.split()) for line in lines)


BYTE_SIZE = 256 + size["vocabulary"]["ko"]
texts = {language: as_lines(language, seed, size["tokens"]) for language in NAMES}
tokenizers = {name: byte_bpe.train(texts[language], BYTE_SIZE) for language, name in NAMES.items()}
tokenizers["both"] = byte_bpe.train(texts["en"] + texts["ko"], BYTE_SIZE)
other = {NAMES[language]: as_lines(language, seed + 100_000, HELD_OUT) for language in NAMES}
other["Korean, NFD"] = [unicodedata.normalize("NFD", line) for line in other["Korean"]]
shared = pd.DataFrame(
    {
        f"learnt from {name}": {text: fertility(t, lines) for text, lines in other.items()}
        for name, t in tokenizers.items()
    }
)
both, own = shared["learnt from both"], {name: shared.loc[name, f"learnt from {name}"] for name in NAMES.values()}
metrics["ko_gain_of_sharing"] = float(shared.loc["Korean", "learnt from English"] - both["Korean"])
metrics["ko_cost_of_sharing"] = float(both["Korean"] - own["Korean"])
metrics["en_cost_of_sharing"] = float(both["English"] - own["English"])
metrics["nfd_over_nfc"] = float(both["Korean, NFD"] / both["Korean"])
print(f"Tokens per word on unseen text; vocabularies of {BYTE_SIZE} tokens")
shared.round(2)

# %% [markdown]
# ### Real text
#
# WikiText-2 for English and film reviews of NSMC for Korean: how many tokens does a word take as merges are added? And GPT-2, whose merges were learnt from English web pages: what does it make of Korean? Without the files this part is left out; nothing that is graded depends on it.

# %%
curves = {}
needed = [*datasets.names("wikitext2"), "nsmc_sample/ratings_train.txt"]
missing = [name for name in needed if not datasets.available(name)]
if missing or profile == "smoke":
    print(
        f"Left out in profile {profile}."
        if not missing
        else f"Not here: {', '.join(missing)}. `etude data fetch` gets what is public."
    )
else:
    real = {
        "English, WikiText-2": [word for paragraph in datasets.wikitext2() for word in paragraph if word != "<unk>"],
        "Korean, NSMC": [word for text in corpora.nsmc_ratings("train")["document"] for word in text.split()],
    }
    for name, words in real.items():
        cut = len(words) * 9 // 10
        counts, held = Counter(words[:cut]), words[cut:]
        started = time.perf_counter()
        trained = bpe.train(counts, 8_000, unknown="<unk>")
        seconds = time.perf_counter() - started
        print(
            f"{name}: {len(counts):,} different words, {len(trained.merges):,} merges in {seconds:.1f} s by the library"
        )
        for number in (1_000, 4_000):
            some = dict(counts.most_common(number))
            started = time.perf_counter()
            learn(some, len(set().union(*some)) + 20)
            seconds = (time.perf_counter() - started) / 20
            print(f"    your loop: {1000 * seconds:.0f} ms for each merge on the {number:,} most frequent words")
        curves[name] = {}
        for used in (0, 100, 300, 1000, 3000, len(trained.merges)):
            part = bpe.BPE(trained.vocabulary, trained.merges[:used], unknown="<unk>")
            curves[name][used] = len(part.encode(held)) / len(held)
        print(f"    on the last tenth: {curves[name][len(trained.merges)]:.2f} tokens per word")
        if published is not None:
            by_gpt2 = sum(len(published.encode(" " + word)) for word in held) / len(held)
            print(f"    with GPT-2's vocabulary: {by_gpt2:.2f}")

# %% [markdown]
# ## Results
#
# `record` keeps the numbers and the merges, and shows yours beside the table that the reference reached over several seeds.

# %% tags=["metrics"]
record(
    metrics,
    merges_en=[" ".join(pair) for pair in learnt["en"][1]],
    merges_ko=[" ".join(pair) for pair in learnt["ko"][1]],
)


# %%
def curve(language, name):
    """Tokens per unseen word by the number of merges used, for your merges."""
    counts = unseen[language] if name is None else renamed(unseen[language], name)
    merges = learnt[language if name is None else (language, "scrambled")][1]
    steps = sorted({round(len(merges) * share) for share in (0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1)})
    return steps, [tokens_per_word(counts, merges[:step]) for step in steps]


figure, axes = plt.subplots(
    1, 3 if curves else 2, figsize=(15 if curves else 11, 4.5), layout="constrained", sharey=False
)
for ax, language in zip(axes, NAMES):
    ax.plot(*curve(language, None), marker="o", label="the text as it is")
    ax.plot(*curve(language, scrambled), marker="s", ls="--", label="letters of each word scrambled")
    gap = metrics[f"scrambled_minus_{language}"]
    ax.set(
        xlabel="merges",
        ylabel="tokens per word, unseen text",
        ylim=(0, None),
        title=f"{NAMES[language]}: without shared parts, {gap:+.2f} tokens per word",
    )
    ax.legend()
for name, points in curves.items():
    axes[-1].plot(points.keys(), points.values(), marker="o", label=name)
if curves:
    ends = " and ".join(f"{list(points.values())[-1]:.2f}" for points in curves.values())
    axes[-1].set(
        xlabel="merges", ylabel="tokens per word, held-out text", ylim=(0, None), title=f"Real text ends at {ends}"
    )
    axes[-1].legend()
plt.show()

# %% [markdown]
# ## In your own words
#
# **1.** With the same number of merges, scrambled words need more tokens than real ones, although every word is exactly as frequent as before. What do the merges of real text catch that those of scrambled text cannot?

# %% [markdown] answer="what_merges_find" points=2
# ### BEGIN SOLUTION
# Parts that many words share: stems and endings (boil·ed, roast·ed; 커피·를). One merge of *ed* shortens every past tense at once, and serves for words that were never seen. After scrambling, words of one family share no neighbours of letters, so a merge pays for few words,
# and a whole word must be built up by merges of its own. Only frequency is left.
# ### END SOLUTION

# %% [markdown]
# **2.** GPT-2 never meets an unknown token in Korean. Why is it a poor tokenizer for Korean all the same, and what would you do: more merges, another text to learn from, or something else?

# %% [markdown] answer="gpt2_in_korean" points=2
# ### BEGIN SOLUTION
# Its merges were counted on English pages, so few of them join the bytes of Hangul: a syllable takes up to three tokens, none of which means anything, texts become several times longer than in English, and the context window holds less. More merges from the same text would go to English again. Learning from text with
# enough Korean gives merges for syllables and endings; normalising to NFC first keeps decomposed text from costing more. (The model would have to be trained anew: its embeddings belong to the old tokens.)
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Bostrom and Durrett 2020, [Byte Pair Encoding is Suboptimal for Language Model Pretraining](https://arxiv.org/abs/2004.03720): how the pieces differ from those of a unigram model.
# - Provilkov, Emelianenko and Voita 2020, [BPE-Dropout](https://arxiv.org/abs/1910.13267): leave merges out at random, so that a model sees a word in several ways.
# - Next: *WordPiece*, which merges by another score and cuts words by the longest match.
