# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Why subwords: the words that were never seen
#
# **The papers.** [Sennrich et al. 2016, Neural Machine Translation of Rare Words with Subword Units (ACL)](https://arxiv.org/abs/1508.07909) brought subwords into neural models. Heaps' law, from week 1, says why.

# %% [markdown]
# A model can say nothing about what is not on its list of tokens: 킹받네 (*how annoying*), a typo, *unfriended*.
#
# The usual way out was `<unk>` for all of them. Measure what it costs, beside characters and bytes, with which nothing is unknown.

# %% [markdown]
# **What you will write** (about 1½ hours):
#
# 1. a list of words, and what it does not know
# 2. what `<unk>` does to a score, and a score that it cannot flatter
# 3. tokens per word, in characters and bytes
# 4. bytes as a fallback: nothing lost

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: under a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
import unicodedata
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import etude
from etude import check, corpora, plots, record
from etude.corpora import datasets
from etude.world import World

run = etude.start("week2_tokenizers/oov", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. A list of words
#
# The vocabulary: the most frequent words of a training text, and one token for all others. Equally frequent words stand in alphabetical order, or two machines make two lists.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `Counter(tokens)` counts. Sorted by the key `(-count, word)`, frequent words come first and ties are alphabetical.
#
# </details>
# <details><summary>Hint for the size</summary>
#
# `size` counts "<unk>" too, so `size - 1` words are left.
#
# </details>


# %% exercise="most_frequent"
def most_frequent(tokens, size):
    """The vocabulary: "<unk>" first, then the most frequent words of a text, the most frequent one
    first.

    tokens: list of strings, without "<unk>", perhaps empty; size: how long the list may become, with
    "<unk>"; at least 1. Words that are equally frequent stand in alphabetical order (Python's order of
    strings).
    Returns a list of different strings; it is shorter where the text has fewer words.
    """
    ### BEGIN SOLUTION
    counts = Counter(tokens)
    return ["<unk>", *sorted(counts, key=lambda word: (-counts[word], word))[: size - 1]]
    ### END SOLUTION


# %%
check("most_frequent")

# %% [markdown]
# **Out of vocabulary** (OOV) is a share of the *running words* (tokens) or of the *different words* (types). The second is nearly always far more: rare words are many.
#
# ```
#  text   a a a b c        list   a
#  running words:    2 of 5 unknown = 40 %
#  different words:  2 of 3 unknown = 67 %
# ```

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Sets make each look-up cheap: `set(vocabulary)`, and `set(tokens)` for the different words.
#
# </details>


# %% exercise="unknown_rates"
def unknown_rates(tokens, vocabulary):
    """The share of a text that is not in the vocabulary.

    tokens: list of strings, not empty; vocabulary: list of different strings. "<unk>" is a string
    like any other here.
    Returns (share of the running words, share of the different words), two floats from 0 to 1.
    """
    ### BEGIN SOLUTION
    known, different = set(vocabulary), set(tokens)
    running = sum(token not in known for token in tokens) / len(tokens)
    return running, len(different - known) / len(different)
    ### END SOLUTION


# %%
check("unknown_rates")

# %% [markdown]
# Korean writes particles and endings onto the word: 계란을, 계란은, 계란과. Cut (*segmented*) into morphemes (계란 + 을), a text needs a shorter list. Make lists from one text of the planted world, try them on another (*held-out*):

# %%
size = {
    "smoke": {"tokens": 20_000, "real_list": 2_000, "real_sizes": [250, 500, 1_000, 2_000]},
    "cpu": {
        "tokens": 100_000,
        "real_list": 8_000,
        "real_sizes": [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000],
    },
    "gpu": {
        "tokens": 1_000_000,
        "real_list": 16_000,
        "real_sizes": [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000],
    },
}[profile]
# words on the list; tokens of the other text, and its seed's distance
LIST, HELD_OUT, BEYOND = 400, 10_000, 10_000
metrics = {}  # each part adds what it has measured


def texts(language, unit):
    """(training text, another text) of the planted world, as lists of tokens."""
    trained = World(language, seed=seed).corpus(size["tokens"], unit=unit)
    other = World(language, seed=seed + BEYOND).corpus(HELD_OUT, unit=unit)
    return (
        [token for sentence in trained for token in sentence],
        [token for sentence in other for token in sentence],
    )


planted = {
    "English words": texts("en", "word"),
    "Korean words": texts("ko", "word"),
    "Korean morphemes": texts("ko", "morpheme"),
}
sizes = [25, 50, 100, 200, 400, 800, 1600]
curves = {
    name: [unknown_rates(other, most_frequent(trained, count))[0] for count in sizes]
    for name, (trained, other) in planted.items()
}
at = sizes.index(LIST)
metrics["oov_en"], metrics["oov_ko"] = curves["English words"][at], curves["Korean words"][at]
metrics["oov_ko_minus_en"] = metrics["oov_ko"] - metrics["oov_en"]
metrics["oov_words_minus_morphemes"] = metrics["oov_ko"] - curves["Korean morphemes"][at]
pd.DataFrame(curves, index=pd.Index(sizes, name="size of the list")).style.format("{:.1%}")

# %% [markdown]
# Real text, not graded: film reviews (NSMC, Korean) and Wikipedia (English; WikiText-2). WikiText-2 has its rarest words as `<unk>` already, 7 % of the held-out text; they count as unknown.

# %%
real, real_curves = {}, {}
needed = [*datasets.names("wikitext2"), *datasets.names("nsmc_sample")]
missing = [name for name in needed if not datasets.available(name)]
if missing:
    print(f"Not here: {', '.join(missing)}.")
    print("`etude data fetch wikitext2 nsmc_sample` gets it; then run the notebook from here again.")
else:
    reviews = lambda part: [  # noqa: E731
        word for text in corpora.nsmc_ratings(part)["document"] for word in text.split()
    ]
    wikipedia = [token for paragraph in datasets.wikitext2() for token in paragraph]
    middle = len(wikipedia) * 4 // 5
    real = {
        "Wikipedia, English": ([token for token in wikipedia[:middle] if token != "<unk>"], wikipedia[middle:]),
        "film reviews, Korean": (reviews("train"), reviews("test")),
    }
    for name, (trained, other) in real.items():
        # a shorter list is the beginning of a longer one
        words = most_frequent(trained, size["real_sizes"][-1])
        # words[1:]: without "<unk>" on the list, WikiText-2's own counts as unknown
        real_curves[name] = [unknown_rates(other, words[1:count])[0] for count in size["real_sizes"]]
        running, different = unknown_rates(other, words[1 : size["real_list"]])
        print(
            f"{name}: {size['real_list']:,} words leave {running:.1%} of the text unknown, "
            f"{different:.0%} of its different words"
        )
        metrics[f"oov_{'wikipedia' if 'Wiki' in name else 'nsmc'}"] = running
    words = Counter(word for trained, _ in real.values() for word in trained)
    print(f"킹받네 occurs {words['킹받네']} times in what the lists were made from")
    index = pd.Index(size["real_sizes"], name="size of the list")
    display(pd.DataFrame(real_curves, index=index).style.format("{:.1%}"))

# %% [markdown]
# Real words do not run out (Heaps' law). From 2,000 words to 16,000 (profile cpu), the unknown share falls by more than half on Wikipedia, by a quarter on the reviews.

# %%
figure, ax = plt.subplots(figsize=(8.5, 3.6), layout="constrained")
for (name, curve), marker in zip(curves.items(), "os^"):
    ax.plot(sizes, curve, f"-{marker}", ms=4, label=f"the world, {name}")
for (name, curve), marker in zip(real_curves.items(), "Dv"):
    ax.plot(size["real_sizes"], curve, f"--{marker}", ms=4, label=name)
ax.set(xscale="log", ylim=(0, None), xlabel="size of the list", ylabel="share of running words")
ax.set_title("Unknown words become fewer, in Korean slowly")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# ## 2. What `<unk>` does to a score
#
# A language model's score is the mean of $-\log_2 p(\text{word})$, its *cross-entropy*, in bits per word. All unknown words are one frequent token, easy to guess: the shorter the list, the better the score. A list of `<unk>` alone has 0 bits.

# %% [markdown]
# A unigram model draws each word by itself:
#
# $$ p(w) = \frac{n_w + 1}{N + V} $$
#
# $n_w$ counts $w$ in the training text, with words outside the list as `<unk>`. $N$ is its length, $V$ the list's.

# %% [markdown]
# ```
#  training   a a b c      list   <unk> a        N = 4, V = 2
#  read as    a a <unk> <unk>
#  p(a) = p(<unk>) = (2 + 1) / (4 + 2) = 1/2     1 bit for each word
# ```
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Write "<unk>" for each unknown word, in the training text and in `tokens`. Then count.
#
# </details>
# <details><summary>Hint for the mean</summary>
#
# N is `len(training)`. Sum `-math.log2(p)` over `tokens`, and divide by their number.
#
# </details>


# %% exercise="bits_per_word"
def bits_per_word(training, tokens, vocabulary):
    """The mean surprise of a unigram model with add-one smoothing, in bits per word; unknown words
    count as "<unk>".

    training: list of strings, from which the model counts, and it may be empty; tokens: list of
    strings, which it is tried on, not empty;
    vocabulary: list of V different strings, "<unk>" among them.
    Returns a float.
    """
    ### BEGIN SOLUTION
    known = set(vocabulary)
    counts = Counter(token if token in known else "<unk>" for token in training)
    total = len(training) + len(vocabulary)
    return sum(-math.log2((counts[token if token in known else "<unk>"] + 1) / total) for token in tokens) / len(tokens)
    ### END SOLUTION


# %%
check("bits_per_word")

# %% [markdown]
# An honest score makes the model spell the unknown word after `<unk>`: $A$ equally likely characters, and one mark for the end. That adds $(n + 1)\log_2(A + 1)$ bits for $n$ characters.

# %% [markdown]
# Divide the sum by the text's characters, with a blank (a space) after each word. In **bits per character** models with different vocabularies can be compared.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `bits_per_word(...)` times the number of tokens gives the sum that you start from.
#
# </details>
# <details><summary>Hint for the spelling</summary>
#
# Add up n + 1 over the unknown words, and multiply by log2(A + 1). The divisor is n + 1 added up over all words.
#
# </details>


# %% exercise="bits_per_character"
def bits_per_character(training, tokens, vocabulary, alphabet):
    """The surprise of the same model in bits per character, where unknown words are spelled.

    training, tokens, vocabulary: as for bits_per_word; alphabet: A, how many characters there are.
    An unknown word of n characters costs (n + 1) · log2(A + 1) bits more than "<unk>" does.
    Returns a float: all bits, divided by the characters of tokens, with one blank after each.
    """
    ### BEGIN SOLUTION
    known = set(vocabulary)
    bits = bits_per_word(training, tokens, vocabulary) * len(tokens)
    spelled = sum(len(token) + 1 for token in tokens if token not in known)
    return (bits + spelled * math.log2(alphabet + 1)) / sum(len(token) + 1 for token in tokens)
    ### END SOLUTION


# %%
check("bits_per_character")

# %%
trained, other = planted["Korean words"]
alphabet = len(set("".join(trained)))
lists = [most_frequent(trained, count) for count in [1, *sizes]]
flattered = [bits_per_word(trained, other, words) for words in lists]
honest = [bits_per_character(trained, other, words, alphabet) for words in lists]
metrics["unk_flatters"] = flattered[at + 1] - flattered[-1]  # the short list against the longest
metrics["unk_costs"] = honest[at + 1] - honest[-1]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for ax, values, unit in ((left, flattered, "word"), (right, honest, "character")):
    ax.plot([len(words) for words in lists], values, "-o", ms=4)
    ax.set(xscale="log", xlabel="size of the list, Korean words", ylabel=f"bits per {unit}")
left.set_title("Knowing less looks better ...")
right.set_title("... until unknown words are paid for")
plt.show()

# %% [markdown]
# ## 3. The other end: characters and bytes
#
# Spelling costs length. UTF-8 writes a Hangul syllable in three bytes; Unicode's NFD parts it into letters, the **jamo**:
#
# | | word | character | jamo | byte |
# |---|---|---|---|---|
# | *coffee* | 1 | 6 | 6 | 6 |
# | 커피 | 1 | 2 | 4 | 6 |
# | 눈 | 1 | 1 | 3 | 3 |

# %% [markdown]
# Attention costs the square of the length.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `unicodedata.normalize("NFD", word)` decomposes; `word.encode()` is UTF-8. `list` of a string gives its code points, `list` of bytes gives numbers.
#
# </details>


# %% exercise="pieces"
def pieces(word, unit):
    """A word cut into units.

    word: string; unit: "word" (the word as it is, [""] for ""), "character" (Unicode code
    points as they stand), "jamo" (code points of the whole word's canonical decomposition, NFD) or
    "byte" (UTF-8).
    Returns a list: of strings, or of whole numbers for bytes.
    """
    ### BEGIN SOLUTION
    if unit == "word":
        return [word]
    if unit == "byte":
        return list(word.encode())
    return list(unicodedata.normalize("NFD", word) if unit == "jamo" else word)
    ### END SOLUTION


# %%
check("pieces")

# %% [markdown]
# Tokens per word is the *fertility*, bytes per token the *compression*. Both are ratios of sums over the text, not means of the words' own ratios.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Three numbers suffice: how many words, how many tokens in all, how many bytes in all.
#
# </details>


# %% exercise="fertility"
def fertility(words, unit):
    """How many tokens a way of cutting makes of a text.

    words: list of strings, at least one of them with a character; unit: as for pieces.
    Returns (tokens per word, UTF-8 bytes of the words per token), two floats.
    """
    ### BEGIN SOLUTION
    tokens = sum(len(pieces(word, unit)) for word in words)
    return tokens / len(words), sum(len(word.encode()) for word in words) / tokens
    ### END SOLUTION


# %%
check("fertility")

# %%
units = ["word", "character", "jamo", "byte"]
table = pd.DataFrame(
    {
        (name, measure): {unit: fertility(planted[f"{name} words"][1], unit)[i] for unit in units}
        for name in ("English", "Korean")
        for i, measure in enumerate(("tokens per word", "bytes per token"))
    }
)
metrics["bytes_per_word_ko_minus_en"] = (
    table["Korean", "tokens per word"]["byte"] - table["English", "tokens per word"]["byte"]
)
table.style.format("{:.2f}")

# %% [markdown]
# ## 4. Both ends at once: bytes as a fallback
#
# Spell in bytes what is not on the list:
#
# - ids 0 to 255: a byte
# - 256: a spelled word ends (or two would run together)
# - 257 and on: the list's words

# %% [markdown]
# ```
#  list     커피 (257), 하루 (258)
#  tokens   하루    눈                 커피
#  ids      258     235 136 136 256    257
# ```
#
# SentencePiece offers this as *byte fallback*.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# A dictionary from word to id. For a token that is not in it: `[*token.encode(), 256]`.
#
# </details>


# %% exercise="encode"
def encode(tokens, words):
    """The ids of some tokens: 257 + place for those on the list, UTF-8 bytes and then 256 for the
    others.

    tokens: list of strings, any of them may be empty; words: list of different strings.
    Returns a list of whole numbers.
    """
    ### BEGIN SOLUTION
    place = {word: 257 + i for i, word in enumerate(words)}
    ids = []
    for token in tokens:
        ids += [place[token]] if token in place else [*token.encode(), 256]
    return ids
    ### END SOLUTION


# %%
check("encode")

# %% [markdown]
# The way back: gather bytes until 256 ends the word.
#
# *10 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Collect bytes in a `bytearray`, and decode it only at 256: one byte of a Hangul syllable is no text. Then empty it.
#
# </details>
# <details><summary>Hint for empty words</summary>
#
# A 256 with no bytes before it is the empty string, a token like any other.
#
# </details>


# %% exercise="decode"
def decode(ids, words):
    """The tokens of some ids: the inverse of encode.

    ids: list of whole numbers from encode(..., words); words: list of different strings.
    Returns a list of strings.
    """
    ### BEGIN SOLUTION
    tokens, spelled = [], bytearray()
    for number in ids:
        if number < 256:
            spelled.append(number)
        elif number == 256:
            tokens.append(spelled.decode())
            spelled.clear()
        else:
            tokens.append(words[number - 257])
    return tokens
    ### END SOLUTION


# %%
check("decode")

# %%
words_ko = most_frequent(trained, LIST)[1:]
sentence = ["킹받네", "하루", "커피", "최소", "3잔은", "마셔야", "살", "수", "있다"]
ids = encode(sentence, words_ko)
print(ids)
print(decode(ids, words_ko))
fallback = encode(other, words_ko)
metrics["tokens_per_word_fallback"] = len(fallback) / len(other)
metrics["lossless"] = float(decode(fallback, words_ko) == other)
print(
    f"{len(fallback) / len(other):.2f} tokens per word, "
    f"against {table['Korean', 'tokens per word']['byte']:.2f} for bytes alone"
)

# %% [markdown]
# Without a list, each word is its bytes and the 256. WikiText-2's own `<unk>` is left out, so Wikipedia looks cheaper than it is.


# %%
def lengths(trained, other, sizes):
    """Tokens per word and tokens per byte of another text by the
    fallback, two lists with a value for each size."""
    words = most_frequent(trained, sizes[-1])
    tokens = [len(encode(other, words[1:count])) for count in sizes]
    total = sum(len(token.encode()) for token in other)
    return [n / len(other) for n in tokens], [n / total for n in tokens]


tried = {f"the world, {language}": (*planted[f"{language} words"], sizes) for language in ("English", "Korean")}
for name, (of_real, other_real) in real.items():
    tried[name] = (of_real, [token for token in other_real if token != "<unk>"][:HELD_OUT], size["real_sizes"])
figure, axes = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
for (name, (of, on, counts)), marker in zip(tried.items(), "osDv"):
    for ax, values in zip(axes, lengths(of, on, [1, *counts])):
        ax.plot([1, *counts], values, f"-{marker}", ms=4, label=name)
for ax, unit in zip(axes, ("word", "byte")):
    ax.set(xscale="log", xlabel="size of the list", ylabel=f"tokens per {unit}", ylim=(0, None))
axes[0].set_title("The first words on the list save most")
axes[1].set_title("Without a list, more tokens than bytes")
axes[1].legend()
plt.show()

# %% [markdown]
# ## Results

# %% tags=["metrics"]
record(
    metrics,
    words_en=most_frequent(planted["English words"][0], LIST),
    words_ko=["<unk>", *words_ko],
    fallback=np.array(fallback[:20_000]),
)

# %% [markdown]
# **What was found**, in the runs behind the table of expected values:
#
# - 400 words leave far more unknown in Korean than in English. Cut into morphemes, little is.
# - A shorter list looks better in bits per word, worse in bits per character.

# %% [markdown]
# - A Korean word takes more than twice the bytes of an English one.
# - With byte fallback the text comes back, in far fewer tokens than bytes.
# - 8,000 words leave about half of the reviews' running words unknown (profile cpu).

# %% [markdown]
# ## In your own words
#
# **1.** Team A reports a perplexity (2 to the power of the bits per word) of 30 with 10,000 words, team B one of 45 with 50,000 words, on the same text. Which model is better, and what would you ask them for?

# %% [markdown] answer="two_perplexities" points=2
# ### BEGIN SOLUTION
# One cannot tell. With a shorter list more of the text becomes `<unk>`, which is easy to guess, so A's number is flattered; how much depends on how many words A does not know. I would ask both for bits per character
# (or byte) on the raw text, with unknown words paid for, or for the same list, and for the share of unknown words.
# ### END SOLUTION

# %% [markdown]
# **2.** Bytes never meet an unknown token. Name two prices of using bytes alone, one of them for Korean in particular.

# %% [markdown] answer="price_of_bytes" points=2
# ### BEGIN SOLUTION
# Sequences become several times longer, so that the same context window holds less text and attention, which grows with the square of the length, costs more. And the model must first learn from which bytes characters and words are built;
# for Korean that is worse, because every syllable takes three bytes, none of which means anything alone, so a syllable, one character, is three tokens (a word takes 9 bytes against 4 in the world).
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Mielke et al. 2021, [Between words and characters](https://arxiv.org/abs/2112.10508): a history of where to cut.
# - Xue et al. 2022, [ByT5](https://arxiv.org/abs/2105.13626): a model on bytes alone.
# - Next: *BPE*, which finds the middle by counting pairs.
