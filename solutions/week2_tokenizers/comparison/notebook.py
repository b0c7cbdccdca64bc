# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Which cut is good? BPE, WordPiece and the unigram model on the same text
#
# **The papers.** Bostrom and Durrett, [Byte Pair Encoding is Suboptimal for Language Model Pretraining](https://arxiv.org/abs/2004.03720) (Findings of EMNLP 2020), and Petrov and others, [Language Model Tokenizers Introduce Unfairness Between Languages](https://arxiv.org/abs/2305.15425) (2023).

# %% [markdown]
# **Their claims.** Petrov and others: the same content takes more tokens in other languages than in English. Bostrom and Durrett: the unigram model cuts nearer to the morphemes than BPE, into slightly fewer tokens:

# %% [markdown]
# | Bostrom and Durrett | unigram | BPE |
# |---|---|---|
# | F1 of cuts, English | 30.3 % | 19.3 % |
# | F1 of cuts, Japanese | 77.2 % | 73.8 % |
# | tokens per word, English | 1.318 | 1.343 |

# %% [markdown]
# **What you will write** (about 1½ hours with the reading):
#
# | | piece |
# |---|---|
# | 1 | where a word is cut, and how well that agrees with the known morphemes |
# | 2 | the control: the same number of cuts, anywhere |
# | 3 | tokens per sentence and words that stay whole, for each tokenizer and language |
# | 4 | how much two vocabularies have in common |

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
from itertools import chain
from timeit import timeit

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import etude
from etude import check, corpora, plots, record
from etude.corpora import datasets
from etude.papers import tables
from etude.tokenizers import bpe, byte_bpe, unigram, wordpiece
from etude.world import World

run = etude.start("week2_tokenizers/comparison", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. Where a word is cut
#
# A cut is a place inside a word: a whole word has none.

# %% [markdown]
# ```
#   계 란 을         계란 + 을          cut at 2
#     1  2
#
#   r o a s t e d    ro + ast + ed      cut at 2 and 5
#    1 2 3 4 5 6
# ```

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Before each cut stand all pieces up to there. How many cuts have three pieces?
#
# </details>


# %% exercise="cuts"
def cuts(pieces):
    """The places inside a word where it is cut.

    pieces: list of strings, none of them empty, which joined are the word.
    Returns a set of whole numbers: how many characters stand before each cut.
    """
    ### BEGIN SOLUTION
    return {sum(map(len, pieces[:i])) for i in range(1, len(pieces))}
    ### END SOLUTION


# %%
check("cuts")

# %% [markdown]
# The planted world knows the morphemes of its words. Judge a tokenizer as a search for the places between them:
#
# - **precision**: the share of its cuts that are where two morphemes meet;
# - **recall**: the share of those places that it finds;
# - **F1**, their harmonic mean, $2PR / (P + R)$.

# %% [markdown]
# | word | pieces | found | known | right |
# |---|---|---|---|---|
# | boiled (boil·ed) | bo il ed | 2, 4 | 4 | 1 |
# | 계란을 (계란·을) | 계란 을 | 2 | 2 | 1 |
# | 커피는 (커피·는) | 커 피 는 | 1, 2 | 2 | 1 |
# | apples (apple·s) | apples | | 5 | 0 |
# | together | | 5 | 4 | 3 |
#
# P = 3/5, R = 3/4, F1 = 2/3.

# %% [markdown]
# Count cuts over all words together (*micro*), or a word with one cut weighs as much as a word with five. Where there is nothing to divide by, the number is 0.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Three sums over all words: cuts found, cuts known, and those in both (`one & other`).
#
# </details>
# <details><summary>Hint for the zeros</summary>
#
# Three places to look: nothing was found, nothing is known, nothing is right.
#
# </details>


# %% exercise="agreement"
def agreement(found, known):
    """Precision, recall and F1 of the cuts of many words.

    found, known: lists of sets of whole numbers, one for each of one or more words, in the same order.
    Returns three floats; 0.0 wherever there is nothing to divide by.
    """
    ### BEGIN SOLUTION
    hits = sum(len(one & other) for one, other in zip(found, known, strict=True))
    made, true = sum(map(len, found)), sum(map(len, known))
    precision, recall = hits / made if made else 0.0, hits / true if true else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0
    ### END SOLUTION


# %%
check("agreement")

# %% [markdown]
# ## 2. The control
#
# Cutting everywhere has recall 1. In Korean a cut before the last character is often right, as particles are frequent. So compare with **chance**: each word cut into as many pieces, but anywhere.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Which places has a word of n characters? `generator.sample` draws different ones of them.
#
# </details>


# %% exercise="random_cuts"
def random_cuts(word, count, generator):
    """As many different places inside a word as asked for, each set of places equally likely.

    word: string of n characters; count: 0 to n − 1; generator: a random.Random, the only source of
    chance (the module's own generator is left as it was).
    Returns a set of whole numbers from 1 to n − 1.
    """
    ### BEGIN SOLUTION
    return set(generator.sample(range(1, len(word)), count))
    ### END SOLUTION


# %%
check("random_cuts")

# %%
size = {
    "smoke": {"tokens": 20_000, "real": 0},
    "cpu": {"tokens": 100_000, "real": 4_000},
    "gpu": {"tokens": 1_000_000, "real": 16_000},
}[profile]
PIECES = {"en": 300, "ko": 700}  # Hangul has many more characters, each of which is a piece
BEYOND = 10_000  # the distance of the seed of the text that no tokenizer has seen
metrics = {}


def planted(language, distance):
    """A text of the world: a list of sentences, whose words know their morphemes."""
    documents = World(language, seed=seed + distance).documents(size["tokens"])
    return [sentence for document in documents for sentence in document.sentences]


def train(words, pieces):
    """Each tokenizer with the same words and number of pieces: {name: function from a word to its
    pieces}, {name: vocabulary}.

    The pieces come without marks; what has a character that no training word had is "<unk>" or "[UNK]".
    """
    by_pairs = bpe.train(words, pieces, unknown="<unk>")
    surprising = wordpiece.train(words, pieces)
    by_surprise = wordpiece.WordPiece(surprising, lower=False)
    # normalised, as it will be when cut
    by_likelihood = unigram.train(unigram.count_words(words.elements()), pieces)
    cutting = {
        "BPE": by_pairs.tokens,
        "WordPiece": lambda word: [piece.removeprefix("##") for piece in by_surprise.pieces_of(word)],
        "unigram": lambda word: [
            bare if piece in by_likelihood.index else "<unk>"
            for piece in by_likelihood.tokenize(word)
            if (bare := piece.removeprefix("▁"))
        ],
    }
    return cutting, {"BPE": by_pairs.vocabulary, "WordPiece": surprising, "unigram": by_likelihood.pieces}


def cut_each(words, cut):
    """({word: its pieces}, microseconds per word): each different word is cut once."""
    different, pieces = sorted(set(words)), {}
    # timeit keeps garbage collection out of the measurement, process_time other programs.
    spent = timeit(
        lambda: pieces.update({word: cut(word) for word in different}), timer=time.process_time, number=1
    )
    return pieces, spent / len(different) * 1e6


trained = {language: planted(language, 0) for language in ("en", "ko")}
other = {language: planted(language, BEYOND) for language in ("en", "ko")}
counts = {
    language: Counter(word.surface for sentence in sentences for word in sentence)
    for language, sentences in trained.items()
}
texts = {
    language: [[word.surface for word in sentence] for sentence in sentences]
    for language, sentences in other.items()
}
tokenizers, vocabularies, pieces, microseconds = {}, {}, {}, {}
for language, words in counts.items():
    tokenizers[language], vocabularies[language] = train(words, PIECES[language])
    for name, cut in tokenizers[language].items():
        pieces[language, name], microseconds[language, name] = cut_each(
            chain.from_iterable(texts[language]), cut
        )
for language, example in (("en", "roasted"), ("ko", "지영은"), ("ko", "계란을")):
    print(example, {name: " ".join(cut(example)) for name, cut in tokenizers[language].items()})

# %% [markdown]
# All have the same training words and number of pieces, and are judged on each different word of another text. Left out: Korean words in which morphemes contract (마시 + 었 + 다 is 마셨다).


# %%
def morphemes(sentences, alphabet):
    """{word: its morphemes}, in alphabetical order, of the words that can be
    judged: spelled with known letters, without contraction."""
    words = chain.from_iterable(sentences)
    found = {word.surface: word.morphemes for word in words if "".join(word.morphemes) == word.surface}
    return {word: parts for word, parts in sorted(found.items()) if set(word) <= alphabet}


rows, chances = [], random.Random(seed)
for language, named in tokenizers.items():
    judged = morphemes(other[language], set("".join(counts[language])))
    known = [cuts(parts) for parts in judged.values()]
    for name in named:
        found = [cuts(pieces[language, name][word]) for word in judged]
        chance = [random_cuts(word, len(places), chances) for word, places in zip(judged, found, strict=True)]
        precision, recall, f1 = agreement(found, known)
        rows.append((language, name, precision, recall, f1, agreement(chance, known)[2]))
        metrics[f"f1_{name.lower()}_{language}"] = f1
        metrics[f"f1_{name.lower()}_{language}_minus_chance"] = f1 - rows[-1][-1]
    for name in ("bpe", "wordpiece"):
        metrics[f"unigram_minus_{name}_{language}"] = (
            metrics[f"f1_unigram_{language}"] - metrics[f"f1_{name}_{language}"]
        )
borders = pd.DataFrame(rows, columns=["language", "tokenizer", "precision", "recall", "F1", "F1 of chance"])
borders.style.format(precision=2)

# %% [markdown]
# ## 3. How long are the texts, and what becomes of a new word?
#
# The fewer tokens a text has, the more of it fits into a model's window. Count the tokens per sentence (per word: *fertility*), and the share of words that are one token.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Running words: a word that stands twice counts twice. One flat list of all words is enough for both numbers.
#
# </details>


# %% exercise="tokens_per_sentence"
def tokens_per_sentence(sentences, cut):
    """How many tokens a sentence takes, and which share of the words stays whole.

    sentences: list of lists of words, with at least one word in all; a sentence may be empty, and is
    counted too. cut: dict from a word to the list of its pieces; a word may have none.
    Returns (tokens per sentence, share of the running words that are one piece), two floats.
    """
    ### BEGIN SOLUTION
    words = [word for sentence in sentences for word in sentence]
    return sum(len(cut[word]) for word in words) / len(sentences), sum(len(cut[word]) == 1 for word in words) / len(
        words
    )
    ### END SOLUTION


# %%
check("tokens_per_sentence")

# %% [markdown]
# All three on unseen text. **New words** are not in the training text. **Unknown** words have a special token for them or a part of them. The last column has a letter that the world lacks.

# %%
UNKNOWN = {"<unk>", "[UNK]"}
STRANGE = {"en": "café", "ko": "킹받네"}  # no word of the world has é or 받


def measures(sentences, pieces, known):
    """What a tokenizer makes of a text, as a dict of floats.

    sentences: list of lists of words; pieces: dict from a word to the list of its pieces; known:
    the words that the tokenizer was trained on.
    """
    words = Counter(chain.from_iterable(sentences))
    tokens, whole = tokens_per_sentence(sentences, pieces)
    text = sum(len(word.encode()) * count for word, count in words.items())
    return {
        "tokens per sentence": tokens,
        "words that stay whole": whole,
        "bytes per token": text / (tokens * len(sentences)),
        "pieces per new word": np.mean([len(pieces[word]) for word in words.keys() - known]),
        "words unknown": sum(count for word, count in words.items() if UNKNOWN & set(pieces[word]))
        / words.total(),
    }


rows = {
    (language, name): {
        **measures(texts[language], by_word, counts[language]),
        "µs per word": microseconds[language, name],
        "café, 킹받네": " ".join(tokenizers[language][name](STRANGE[language])),
    }
    for (language, name), by_word in pieces.items()
}
compared = pd.DataFrame.from_dict(rows, orient="index")
for language in ("en", "ko"):
    tokens = compared.loc[language, "tokens per sentence"]
    metrics[f"unigram_minus_bpe_tokens_{language}"] = tokens["unigram"] - tokens["BPE"]
compared.style.format(precision=2, escape="html")

# %% [markdown]
# **Length.** WordPiece takes by far the most tokens: its score joins what is rare and always together, and leaves frequent letters apart.
#
# **Bytes** compare tokenizers, not languages: a Hangul syllable is written in three.

# %% [markdown]
# **New words.** None is unknown, as all letters are known.
#
# **A new letter.** BPE and the unigram model lose that letter, WordPiece the whole word. Bytes would lose nothing.
#
# **Time.** In our Python the unigram model is slowest: it weighs every piece that fits at every place.

# %% [markdown]
# Who pays? The **premium** of a language is how many times more tokens it takes than another for the *same content*. The planted world says the same kinds of things in English and in Korean, so compare by sentence.

# %% [markdown]
# Three vocabularies of one size, by BPE: from English alone, from Korean alone, from both. Lacking characters are spelled in bytes. Even a fair one does not give 1, as Korean needs fewer words.

# %%
MERGES = 400
mixed = counts["en"] + counts["ko"]
sources = {"English": counts["en"], "Korean": counts["ko"], "both": mixed}
by_bytes = {
    name: byte_bpe.ByteBPE(
        bpe.train({byte_bpe.spell(word): n for word, n in words.items()}, 256 + MERGES, alphabet=byte_bpe.BYTES)
    )
    for name, words in sources.items()
}
lengths = {}
for language in ("en", "ko"):
    sentences = World(language, seed=seed + BEYOND).corpus(10_000)
    for name, tokenizer in by_bytes.items():
        cut = {word: tokenizer.encode_word(word) for sentence in sentences for word in sentence}
        lengths[name, language] = tokens_per_sentence(sentences, cut)[0]
premium = {name: lengths[name, "ko"] / lengths[name, "en"] for name in sources}
metrics |= {f"premium_{name.lower()}": value for name, value in premium.items()}
metrics["premium_english_minus_both"] = premium["English"] - premium["both"]
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 3.8), layout="constrained")
place = np.arange(len(borders))
left.bar(place, borders["F1"], color=plots.COLOURS[0], label="tokenizer")
left.bar(place, borders["F1 of chance"], color=plots.COLOURS[1], width=0.4, label="as many cuts, anywhere")
left.set_xticks(place, borders["tokenizer"] + "\n" + borders["language"])
left.set(ylabel="F1 of morpheme borders", title="Which cuts fall where morphemes meet?")
left.legend()
right.axhline(1, color="gray", lw=1)
right.bar(list(premium), list(premium.values()), color=plots.COLOURS[0])
right.set(
    ylabel="Korean tokens per English token",
    xlabel="vocabulary trained on",
    title="Who pays for the vocabulary?",
)
plt.show()

# %% [markdown]
# ## 4. What two vocabularies have in common
#
# **Jaccard's index** is the size of the intersection over that of the union. Take marks off first: ##을, ▁을 and 을 are one string. Leave out special tokens ([UNK], <unk>, <s> ...).

# %% [markdown]
# ```
#   one     [UNK]  을  ##을  계란         → 을 계란
#   other   <unk>  는  을  ▁계란  ▁       → 는 을 계란      2 in both, 3 in all: 0.67
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# A function inside yours that makes the bare set of one list; `removeprefix` takes a mark off only where it stands at the start.
#
# </details>
# <details><summary>Hint for special tokens</summary>
#
# Look at the first and the last character together, and at the length: "[" and "<>" are pieces of text.
#
# </details>


# %% exercise="overlap"
def overlap(one, other):
    """Jaccard's index of two vocabularies as sets of strings without marks.

    one, other: lists of strings. A "##" or "▁" at the start of a piece is a mark and goes first; it
    is one mark that goes ("##▁a" becomes "▁a"). Of the rest are left out: what is empty, and special
    tokens, which begin with "[" and end with "]" or begin with "<" and end with ">", with at least
    one character between ("[]" and "<>" stay).
    Returns a float from 0 to 1; 0.0 if both are empty.
    """

    ### BEGIN SOLUTION
    def bare(vocabulary):
        texts = {piece[2:] if piece.startswith("##") else piece.removeprefix("▁") for piece in vocabulary}
        return {text for text in texts if text and not (len(text) > 2 and (text[0] + text[-1]) in ("[]", "<>"))}

    first, second = bare(one), bare(other)
    return len(first & second) / len(first | second) if first | second else 0.0
    ### END SOLUTION


# %%
check("overlap")

# %%
lists = vocabularies["ko"]
common = pd.DataFrame(
    {name: {other: overlap(one, two) for other, two in lists.items()} for name, one in lists.items()}
)
metrics["overlap_bpe_unigram"] = common.loc["BPE", "unigram"]
common.style.format("{:.2f}").background_gradient(vmin=0, vmax=1)

# %% [markdown]
# ## 5. Below the syllable: jamo
#
# A syllable has two or three letters (**jamo**). A particle may hide in one: 커핀 is 커피 + ㄴ. Unicode's form NFD writes the letters apart; KR-BERT's "sub-character" tokenizer is trained on such text.

# %% [markdown]
# ```
#   syllables    계     란      을         3 characters
#   jamo         ᄀ ᅨ   ᄅ ᅡ ᆫ   ᄋ ᅳ ᆯ      8 characters
# ```

# %% [markdown]
# The alphabet shrinks from all syllables that occurred to a few dozen letters, so a new word hardly ever lacks one (section 6 counts it). But part of the vocabulary only puts syllables together again, so a word takes more pieces.

# %%
spellings = {"syllables": str, "jamo": lambda word: unicodedata.normalize("NFD", word)}
new = sorted(set(chain.from_iterable(texts["ko"])) - counts["ko"].keys())
rows = []
for name, spell in spellings.items():
    spelled = Counter({spell(word): count for word, count in counts["ko"].items()})
    letters = set("".join(spelled))
    by_pairs = bpe.train(spelled, PIECES["ko"], unknown="<unk>")
    length = np.mean([len(by_pairs.tokens(spell(word))) for word in new])
    rows.append((name, len(letters), length, " ".join(by_pairs.tokens(spell("계란을")))))
    metrics[f"length_{name}"] = length
metrics["length_jamo_minus_syllables"] = metrics["length_jamo"] - metrics["length_syllables"]
pd.DataFrame(rows, columns=["spelled in", "characters", "pieces per new word", "계란을"])

# %% [markdown]
# The vocabularies of published Korean models differ eightfold. With 54,000 pieces (HanBERT), rows of 768 numbers are a third of all parameters. ALBERT's rows have 128 numbers, multiplied up to 768 by one shared matrix.

# %%
published = tables.table("korean_models").query(
    "hidden == '768' and vocabulary != '' and not model.str.contains('page')"
)
# of a piece's row
width = published["embedding"].where(published["embedding"] != "", published["hidden"]).astype(int)
published = published.assign(rows_of_pieces=published["vocabulary"].astype(int) * width / 1e6)
published = published.sort_values("rows_of_pieces")[["model", "vocabulary", "rows_of_pieces", "parameters"]]
published.rename(
    columns={"rows_of_pieces": "millions of parameters in rows of pieces", "parameters": "of all, as printed"}
).style.format(precision=1).hide(axis="index")

# %% [markdown]
# ## 6. Real text
#
# Korean film reviews, and the published vocabularies of BERT (English) and KoELECTRA (Korean). Not graded; the table needs the profile cpu or gpu.

# %%
needed = [*datasets.names("nsmc_sample"), "bert_vocab/vocab.txt", "koelectra_vocab/vocab.txt"]
missing = [name for name in needed if not datasets.available(name)]
if missing:
    print(f"Not here: {', '.join(missing)}.")
    print(
        "`etude data fetch nsmc_sample bert_vocab koelectra_vocab` gets them; "
        "then run the notebook from here again."
    )
elif size["real"]:
    reviews = [text.split() for text in corpora.nsmc_ratings("train")["document"]]
    tried = [text.split() for text in corpora.nsmc_ratings("test")["document"]]
    words = Counter(chain.from_iterable(reviews))
    unseen = set(chain.from_iterable(tried)) - words.keys()
    for name, spell in spellings.items():
        letters = set(spell("".join(words)))
        print(
            f"new words with a character that is lacking, in {name}: "
            f"{np.mean([not set(spell(w)) <= letters for w in unseen]):.4f}"
        )
    cutting, _ = train(words, size["real"])
    for name, lower in (("bert_vocab", True), ("koelectra_vocab", False)):
        cutting[name] = wordpiece.WordPiece(datasets.lines(f"{name}/vocab.txt"), lower).tokenize
    rows = {}
    for name, cut in cutting.items():
        by_word, spent = cut_each(chain.from_iterable(tried), cut)
        rows[name] = measures(tried, by_word, words) | {"µs per word": spent, "킹받네": " ".join(cut("킹받네"))}
    compared = pd.DataFrame.from_dict(rows, orient="index").rename(
        columns={"tokens per sentence": "tokens per review"}
    )
    display(compared.style.format(precision=3, escape="html"))

# %% [markdown]
# Here BPE, not the unigram model, makes the shortest reviews of our three: what holds for the world's small lexicon need not hold for what people write.

# %% [markdown]
# BERT's uncased vocabulary takes Hangul apart into jamo. It has 35 of the 67 and no syllable: a third of the words between blanks are lost, most of them whole. Nearly all of its "words that stay whole" are these, as [UNK] is one token.

# %% [markdown]
# ## Results

# %% tags=["metrics"]
judged = list(morphemes(other["ko"], set("".join(counts["ko"]))))
recorded = {  # "계란을 2": a word and its cuts
    name: [" ".join([word, *map(str, sorted(cuts(pieces["ko", name][word])))]) for word in judged]
    for name in ("BPE", "unigram")
}
record(metrics, cut_by_bpe=recorded["BPE"], cut_by_unigram=recorded["unigram"])

# %% [markdown]
# **What was found**, in the runs behind the table of expected values (profile cpu):
#
# - The unigram model cuts nearest to the morphemes: F1 above BPE's by 0.10 in Korean and 0.04 in English, above WordPiece's by 0.15 in both.
# - All are above chance, WordPiece in English by 0.02 only.

# %% [markdown]
# - The unigram model takes fewer tokens per sentence than BPE: 0.8 in Korean, 2.2 in English.
# - Korean takes 3.4 times the tokens of English with a vocabulary from English, 0.76 times with one from both.
# - Jamo cost 0.15 pieces per new word.

# %% [markdown]
# ## In your own words
#
# **1.** A tokenizer cuts Korean words before nearly every last character, and its F1 is 0.6. Is that good? Say which number you would want to see beside it, and why.

# %% [markdown] answer="chance_of_cuts" points=2
# ### BEGIN SOLUTION
# One cannot say. Many Korean particles have one syllable, so a cut before the last character is often right without any knowledge of the language. I would want the F1 of a control with as many cuts at random places, and of the rule "always before the last
# character": only what goes beyond them was learnt from the text. The number of cuts matters too: precision and recall should stand apart, since cutting everywhere gives recall 1.
# ### END SOLUTION

# %% [markdown]
# **2.** A service charges by token and uses a vocabulary trained mostly on English. What does that mean for a Korean user, and what would you change?

# %% [markdown] answer="who_pays" points=2
# ### BEGIN SOLUTION
# The same content takes more tokens in Korean, so the user pays more, waits longer and has less room in the window, and the model sees shorter meaningful pieces. One can train the vocabulary on a mixture in which Korean has its share, give it more entries,
# or charge by characters or content; the premium for each language should be measured and published with the vocabulary.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Park and others 2020, [An Empirical Study of Tokenization Strategies for Various Korean NLP Tasks](https://arxiv.org/abs/2010.02534): morphemes, then BPE.
# - Rust and others 2021, [How Good is Your Tokenizer?](https://arxiv.org/abs/2012.15613): what a language's own vocabulary is worth.
# - Next: *A tokenizer that scales*, to any size of text. Next week: how to read papers and check their numbers.
