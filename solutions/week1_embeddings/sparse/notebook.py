# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Sparse vectors and counts
#
# **The papers.**
#
# - Church and Hanks 1990, [Word Association Norms, Mutual Information, and Lexicography](https://aclanthology.org/J90-1003)
# - Deerwester, Dumais, Furnas, Landauer and Harshman 1990, [Indexing by Latent Semantic Analysis](https://doi.org/10.1002/%28SICI%291097-4571%28199009%2941:6%3C391::AID-ASI1%3E3.0.CO;2-9)
# - Levy and Goldberg 2014, [Neural Word Embedding as Implicit Matrix Factorization](https://papers.nips.cc/paper/5477) (NIPS)

# %% [markdown]
# Give every word an axis of its own, and all words are equally different. The way out: *count* in whose company a word stands.

# %% [markdown]
# **The claims to reproduce**, on a small planted language with known similarities:
#
# | whose | claim |
# |---|---|
# | Church and Hanks's measure; its rows as vectors are later work | Words of similar meaning come to lie near each other, if counts of neighbours are weighed by their surprise (PMI). |
# | Deerwester and colleagues | In a table of words by documents, about 100 directions (LSA) do better than all of it. |

# %% [markdown]
# **What you will write** (about 2 hours):
#
# | | piece |
# |---|---|
# | 1 | one-hot vectors and their distances |
# | 2 | how a vocabulary grows |
# | 3 | counts of neighbours |
# | 4 | from counts to surprise: PMI, PPMI, shifted PPMI |
# | 5 | LSA by singular value decomposition |
#
# After each piece, `check("...")` tells you whether it is right.

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: about a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from scipy.sparse import coo_array
from scipy.sparse.linalg import svds
from torch.nn.functional import normalize

import etude
from etude import check, plots, record
from etude.corpora import datasets
from etude.embeddings import evaluate, sgns
from etude.embeddings.cooccurrence import cooccurrence
from etude.world import World, shuffled

run = etude.start("week1_embeddings/sparse", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. One axis for each word
#
# Number the words of a vocabulary. The **one-hot** vector of word number $i$ is 1 at place $i$ and 0 elsewhere:
#
# ```
#  커피  (coffee)     1 0 0 0
#  최소  (at least)   0 1 0 0
#  3                  0 0 1 0
#  잔    (cup)        0 0 0 1
# ```

# %% [markdown]
# It has as many numbers as the vocabulary has words, and all but one are zero: it is **sparse**.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# A dictionary from each word to its column is built once. `torch.zeros` gives the floats to write the ones into.
#
# </details>


# %% exercise="one_hot"
def one_hot(tokens, words):
    """The one-hot vectors of a text: row i has a 1 in the column of tokens[i].

    A token that is not among the words has no axis: its row is all zeros.

    tokens: list of N strings; words: list of V different strings; either may be empty.
    Returns a float32 or float64 tensor (N, V).
    """
    ### BEGIN SOLUTION
    index = {word: i for i, word in enumerate(words)}
    vectors = torch.zeros(len(tokens), len(words))  # (N, V)
    for row, token in enumerate(tokens):
        if token in index:
            vectors[row, index[token]] = 1.0
    return vectors
    ### END SOLUTION


# %%
check("one_hot")

# %% [markdown]
# How far is 커피 from 잔? The Euclidean (L2) distance of $x$ and $y$ is $\sqrt{\sum_i (x_i - y_i)^2}$.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `vectors[:, None]` is (N, 1, d) and `vectors[None]` is (1, N, d). Their difference spreads to (N, N, d): one vector for each pair.
# `torch.cdist` as it is does not do: from 26 rows on it multiplies matrices, and near rows far from the origin come out wrong.
#
# </details>


# %% exercise="distances"
def distances(vectors):
    """The Euclidean distance of each pair of rows, also of near ones far from the origin, of few
    rows or many.

    vectors (N, d) float tensor. Returns a float tensor (N, N), symmetric, with a diagonal of 0.
    """
    ### BEGIN SOLUTION
    difference = vectors[:, None, :] - vectors[None, :, :]  # (N, N, d)
    return difference.square().sum(dim=2).sqrt()  # (N, N)
    ### END SOLUTION


# %%
check("distances")

# %% [markdown]
# With counts as vectors, length is mostly how often a word was seen. So similarity is usually the **cosine** of the angle: $x \cdot y \,/\, (\lVert x \rVert \lVert y \rVert)$, 1 for the same direction, 0 for a right angle.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Give each row length 1 first. Then one product of matrices holds all cosines.
#
# </details>
# <details><summary>Hint for rows of zeros</summary>
#
# A row divided by its length of 0 is NaN. `normalize`, imported above, leaves such a row at zeros.
#
# </details>


# %% exercise="cosines"
def cosines(vectors):
    """The cosine of each pair of rows; a row of zeros has cosine 0 with every row, itself too.

    vectors (N, d) float tensor; a row that is not of zeros is from 10⁻⁷ to 10¹³ long.
    Returns a float tensor (N, N), symmetric.
    """
    ### BEGIN SOLUTION
    unit = normalize(vectors, dim=1)  # (N, d); zeros stay zeros
    return unit @ unit.T  # (N, N)
    ### END SOLUTION


# %%
check("cosines")

# %%
four = ["커피", "최소", "3", "잔"]
vectors = one_hot(four, four)
display(pd.DataFrame(distances(vectors).numpy(), four, four).round(4))
pd.DataFrame(cosines(vectors).numpy(), four, four)

# %% [markdown]
# Two one-hot rows differ in two places, by 1 in each: so any two different words are $\sqrt 2$ apart, with cosine 0. To these vectors *tea* is as far from *coffee* as *Tuesday* is.

# %% [markdown]
# ## 2. How a vocabulary grows
#
# Each new word makes all vectors one number longer. Read a text, and note how many *different* words there were so far.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# A set holds each word once. `enumerate(tokens, start=1)` tells how many tokens have been read.
#
# </details>


# %% exercise="vocabulary_growth"
def vocabulary_growth(tokens, every):
    """How many different words have been seen after every, 2·every, 3·every, ... tokens.

    tokens: list of strings; every: a whole number of tokens, at least 1.
    Returns a list of tuples (tokens read, different words). A rest shorter than `every` adds no tuple.
    """
    ### BEGIN SOLUTION
    seen, noted = set(), []
    for count, token in enumerate(tokens, start=1):
        seen.add(token)
        if count % every == 0:
            noted.append((count, len(seen)))
    return noted
    ### END SOLUTION


# %%
check("vocabulary_growth")

# %% [markdown]
# **Heaps' law**: after $n$ tokens there are about $V = K n^\beta$ different words, in English often with $\beta$ near ½. On logarithmic axes that is a straight line with slope $\beta$.

# %% [markdown]
# Our planted **world** has a fixed lexicon, so its line must bend. The real text: WikiText-2's validation and test articles, some 440,000 words.
#
# Its rarest words are one token, `<unk>`. Would $\beta$ be larger or smaller with them?

# %%
size = {
    "smoke": {"tokens": 45_000, "sgns_tokens": 20_000, "sgns_epochs": 12, "real_dim": 50},
    "cpu": {"tokens": 200_000, "sgns_tokens": 60_000, "sgns_epochs": 20, "real_dim": 100},
    "gpu": {"tokens": 2_000_000, "sgns_tokens": 500_000, "sgns_epochs": 20, "real_dim": 300},
}[profile]
metrics = {}  # each part adds what it has measured
world = World("en", seed=seed)
documents = [
    [word.surface for s in document.sentences for word in s] for document in world.documents(size["tokens"])
]
corpus = world.corpus(size["tokens"])
print(*(" ".join(sentence) for sentence in corpus[:3]), sep="\n")

needed = [*datasets.names("wikitext2"), "word_eval_en/wordsim353.tsv"]
missing = [name for name in needed if not datasets.available(name)]
wikipedia = [] if missing else datasets.wikitext2()
if missing:
    print(
        f"Not here: {', '.join(missing)}. What follows leaves real text out; "
        "nothing that is graded depends on it."
    )
    print("`etude data fetch wikitext2 word_eval_en` gets it; then run the notebook from here again.")


# %%
def heaps(sentences):
    """(growth, β): the curve of a corpus, and its slope on
    logarithmic axes over the last nine tenths of the text."""
    tokens = [token for sentence in sentences for token in sentence]
    growth = np.array(vocabulary_growth(tokens, max(1, len(tokens) // 200)))  # (200, 2)
    late = np.log(growth[growth[:, 0] >= len(tokens) / 10])
    return growth, float(np.polyfit(late[:, 0], late[:, 1], 1)[0])


curves = {"planted world": heaps(corpus)}
metrics["heaps_world"] = curves["planted world"][1]
if wikipedia:
    curves["WikiText-2, validation and test"] = heaps(wikipedia)
    metrics["heaps_wikitext2"] = curves["WikiText-2, validation and test"][1]
    metrics["heaps_text_minus_world"] = metrics["heaps_wikitext2"] - metrics["heaps_world"]
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for (name, (growth, beta)), marker in zip(curves.items(), "os"):
    ax.loglog(*growth.T, marker, ms=3, label=f"{name}: β = {beta:.2f}")
ax.set(
    xlabel="tokens read",
    ylabel="different words",
    title="Real text keeps bringing new words, the world runs out of them",
)
ax.legend()
plt.show()

# %% [markdown]
# ## 3. Counting neighbours
#
# *You shall know a word by the company it keeps* (Firth, 1957). Count how often word $j$ stands within `window` words of word $i$, on either side of it:
#
# ```
#  window = 2, the word is coffee:
#
#    we   drink   hot   coffee   every   morning   here
#         └─────────┘            └─────────────┘
#          2 before                  2 after
# ```

# %% [markdown]
# The window is cut off at the sentence's edges. For 모닝 커피 좋아 (*morning coffee, nice*) and a window of 1:
#
# | | 모닝 | 커피 | 좋아 |
# |---|---|---|---|
# | **모닝** | 0 | 1 | 0 |
# | **커피** | 1 | 0 | 1 |
# | **좋아** | 0 | 1 | 0 |
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# For each place, look only at the `window` words after it. Each pair found so is added twice: once from each side, as the table is symmetric.
#
# </details>
# <details><summary>Hint for a word beside itself</summary>
#
# In "so so" the pair is found once, and both additions go to the same cell: 2. No special case is needed.
#
# </details>


# %% exercise="neighbour_counts"
def neighbour_counts(sentences, words, window):
    """How often words[j] stands within `window` words of words[i], on either side, in the same
    sentence.

    sentences: list of lists of strings, each of them among the words; words: list of V different
    strings;
    window: words on one side, at least 1.
    Returns an int64 tensor (V, V). A word that stands beside itself is counted from both of its places.
    """
    ### BEGIN SOLUTION
    index = {word: i for i, word in enumerate(words)}
    counts = np.zeros((len(words), len(words)), dtype=np.int64)  # (V, V)
    for sentence in sentences:
        ids = [index[token] for token in sentence]
        for place, word in enumerate(ids):
            for other in ids[place + 1 : place + 1 + window]:
                counts[word, other] += 1
                counts[other, word] += 1
    return torch.from_numpy(counts)
    ### END SOLUTION


# %%
check("neighbour_counts")

# %%
coffee = ["모닝", "커피", "좋아"]
pd.DataFrame(cosines(neighbour_counts([coffee], coffee, 1).float()).numpy(), coffee, coffee)

# %% [markdown]
# | | neighbours? | cosine of their rows |
# |---|---|---|
# | 모닝, 좋아 | never | 1 |
# | 모닝, 커피 | yes | 0 |
#
# Such cosines ask whether two words meet the *same* words: a similarity of **second order**.

# %% [markdown]
# ## 4. From counts to surprise
#
# *the* stands beside everything, so a large count beside *the* says little. Church and Hanks compare with chance: unrelated words meet with probability $P(x)\,P(y)$.

# %% [markdown]
# The **pointwise mutual information** (PMI; their *association ratio*) is the logarithm of how many times more often they do meet:
#
# $$ I(x, y) = \log_2 \frac{P(x, y)}{P(x)\,P(y)} = \log_2 \frac{n_{xy} / n}{(n_x / n)(n_y / n)} $$
#
# | bits | 0 | 1 more | below 0 | $-\infty$ |
# |---|---|---|---|---|
# | the two meet | as often as by chance | twice as often | less than by chance | never |

# %% [markdown]
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# One $n$ cancels. `torch.log2` of 0 is −∞ by itself, so words that never met need no case of their own.
#
# </details>


# %% exercise="association"
def association(n_xy, n_x, n_y, n):
    """The association ratio in bits (logarithm to base 2) of each pair of words; −∞ where they
    never met.

    n_xy, n_x, n_y (K,) tensors: how often each pair, its first and its second word occurred, the
    words at least once; n: tokens in the corpus, at most 10⁹. The tensors are of int32, int64,
    float32 or float64; the product of two counts may be too large for int32.
    Returns a float32 or float64 tensor (K,). Church and Hanks 1990, section 3.
    """
    ### BEGIN SOLUTION
    return torch.log2(n_xy.double() * n / (n_x.double() * n_y.double())).float()  # (K,)
    ### END SOLUTION


# %%
check("association")

# %% [markdown]
# Their corpus has about 15 million words. (With 14.85 million, which they seem to have rounded, the ratios of their tables of words near *doctor* come back as printed.)

# %%
table = pd.DataFrame(
    [
        ("honorary", "doctor", 12, 111, 621, 11.3),
        ("doctors", "nurses", 30, 1105, 241, 10.7),
        ("doctors", "hospitals", 19, 1105, 676, 8.6),
        ("a", "doctors", 41, 284690, 1105, 0.95),
    ],
    columns=["x", "y", "n_xy", "n_x", "n_y", "paper"],
)
table["yours"] = association(
    *(torch.tensor(table[column].values) for column in ("n_xy", "n_x", "n_y")), 15e6
).numpy()
table.round(2)

# %% [markdown]
# Most pairs never meet, and $-\infty$ is no coordinate; negative values, from very few meetings, are mostly noise. **Positive PMI** puts 0 in place of both:
#
# $$ \text{PPMI}_{ij} = \max\Big(0,\; \ln \frac{P(i, j)}{P(i)\,P(j)}\Big) $$

# %% [markdown]
# Probabilities are shares of the table's own sum: $P(i, j) = X_{ij} / \sum X$; $P(i)$ and $P(j)$ come from its row and column sums.
#
# ```
#  counted  tea  the  sum     by chance  tea  the     ratio   tea    the     PPMI    tea    the
#  drink     4    4    8      drink       2    6      drink   2      0.67    drink   0.69   0
#  see       0    8    8      see         2    6      see     0      1.33    see     0      0.29
#  sum       4   12   16
# ```

# %% [markdown]
# From here on logarithms are natural; 1 nat is 1.44 bits. The base changes no cosine (why?).
#
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `sum(dim=1, keepdim=True)` is (V, 1), `sum(dim=0, keepdim=True)` is (1, C). Their product spreads to (V, C).
#
# </details>
# <details><summary>Hint for the zeros</summary>
#
# A row of zeros gives 0 / 0, which is NaN. `torch.where` can put a ratio of 1 wherever the count is 0, as ln 1 = 0.
#
# </details>


# %% exercise="ppmi"
def ppmi(counts):
    """Positive pointwise mutual information in nats; 0 wherever the count is 0.

    counts (V, C) tensor of counts, of whole numbers (int32 or int64) or floats (float32 or
    float64), at most 10⁹ in all, perhaps below 1: words by contexts. It stays as it is.
    Returns a float tensor (V, C) without NaN, also where a whole row or column is 0.
    Levy and Goldberg 2014, section 3.3.
    """
    ### BEGIN SOLUTION
    joint = counts.double() / counts.sum()  # (V, C)
    expected = joint.sum(dim=1, keepdim=True) * joint.sum(dim=0, keepdim=True)  # (V, C)
    ratio = torch.where(joint > 0, joint / expected, 1.0)  # ln 1 = 0
    return ratio.log().clamp(min=0).float()
    ### END SOLUTION


# %%
check("ppmi")

# %% [markdown]
# PMI overrates rare contexts: one chance meeting with a word seen once is an enormous surprise. Two cures come from word2vec:
#
# | cure | how | effect |
# |---|---|---|
# | **smoothing** | $P_\alpha(j) \propto (\text{column sum}_j)^\alpha$, with $\alpha = ¾$ | rare contexts look more frequent: *tea* above rises from .25 to .30, the PMI of *drink, tea* falls from 0.69 to 0.49 |
# | a **shift** | $\ln k$ is subtracted *before* negative values are cut off | only what exceeds chance $k$ times counts |
#
# Why $\ln k$? word2vec with $k$ negative samples is trained towards $\text{PMI} - \ln k$ (Levy and Goldberg).

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Only the columns' probabilities change. Write the ratio as $P(j \mid i) / P_\alpha(j)$: rows divided by their sums, then columns by their smoothed shares.
#
# </details>
# <details><summary>Hint for the order</summary>
#
# First the logarithm, then − ln k, then the cut at 0. Cells with a count of 0 are 0 whatever k is.
#
# </details>


# %% exercise="shifted_ppmi"
def shifted_ppmi(counts, negatives=5, power=0.75):
    """max(0, ln(P(i, j) / (P(i) P_power(j))) − ln negatives); 0 wherever the count is 0.

    P_power(j) is the column's sum to the power, divided by the sum of that over all columns.
    counts (V, C) tensor of counts, as in ppmi; negatives: k, at least 1; power: at least 0, above 0
    where a column has only zeros; with negatives=1 and power=1 it is PPMI.
    Returns a float tensor (V, C). Levy and Goldberg 2014, section 4.1; Levy, Goldberg and Dagan
    2015, section 3.2.
    """
    ### BEGIN SOLUTION
    counts = counts.double()
    given_word = counts / counts.sum(dim=1, keepdim=True)  # (V, C) P(j | i) = P(i, j) / P(i)
    smoothed = counts.sum(dim=0) ** power  # (C,)
    ratio = given_word / (smoothed / smoothed.sum())  # (V, C)
    return torch.where(counts > 0, ratio.log() - math.log(negatives), 0.0).clamp(min=0).float()
    ### END SOLUTION


# %%
check("shifted_ppmi")

# %% [markdown]
# ## 5. From many axes to few
#
# Any matrix is a product $M = U S V^\top$ (**singular value decomposition**). The columns of $U$ and $V$ are orthogonal directions of length 1; the singular values in $S$, largest first, say how much of $M$ lies along each.

# %% [markdown]
# ```
#      M       =      U       ·     S      ·      Vᵀ
#   (V, C)          (V, r)        (r, r)        (r, C)      r: the smaller of V and C
#  ┌───────┐       ┌──┬───┐     ┌──┬───┐     ┌─────────┐
#  │       │       │▒▒│   │     │▒▒│   │     │▒▒▒▒▒▒▒▒▒│
#  │       │   =   │▒▒│   │  ·  ├──┘   │  ·  ├─────────┤    ▒: what the first d directions keep
#  │       │       │▒▒│   │     │      │     │         │
#  └───────┘       └──┴───┘     └──────┘     └─────────┘
# ```
#
# No other matrix of rank $d$ is closer to $M$. Lost are details of single words; what many words share stays.

# %% [markdown]
# **Latent semantic analysis** (LSA) takes the rows of $U_d S_d$ as word vectors: their dot products are those of the rows of the shortened $M$. Levy and Goldberg take $U_d \sqrt{S_d}$, so that words and contexts share the weight.

# %% [markdown]
# A direction may be turned round in both $U$ and $V$: **the signs of columns mean nothing**, and cosines do not notice.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `torch.linalg.svd(matrix, full_matrices=False)` returns $U$ (V, r), the singular values as a vector (r,), largest first, and $V^\top$.
#
# </details>
# <details><summary>Hint for the product</summary>
#
# $U_d S_d$ is each column of $U_d$ times its singular value: (V, d) times (d,) does it.
#
# </details>


# %% exercise="lsa"
def lsa(matrix, dim, power=1.0):
    """The rows of a matrix in its `dim` strongest directions: U_d S_d^power of its singular value
    decomposition.

    matrix (V, C) float tensor; dim: d, from 1 to the smaller of V and C.
    power: 1 as in Deerwester et al. 1990, 0.5 as in Levy and Goldberg 2014, section 4.2; at least
    0, and above 0 where d is more than the rank.
    Returns a float tensor (V, d), the strongest direction first; the sign of each column is free.
    Columns beyond the matrix's rank are zeros where the power is above 0, up to the rounding of an
    SVD.
    """
    ### BEGIN SOLUTION
    left, strength, _ = torch.linalg.svd(matrix, full_matrices=False)  # (V, r), (r,)
    return left[:, :dim] * strength[:dim] ** power  # (V, d)
    ### END SOLUTION


# %%
check("lsa")

# %% [markdown]
# ## The experiment
#
# The world has documents on nine topics (food, weather, school, ...), and knows how similar two words are:
#
# | similarity | words |
# |---|---|
# | 3 | of the same role: *coffee, bean* (both are roasted) |
# | 2, 1 | of one topic |
# | 0 | of different topics |

# %% [markdown]
# Do cosines put the pairs in the same order (Spearman's ρ, 1 is perfect)? The control is the text with its words shuffled. `etude.embeddings.cooccurrence` counts as you do, only faster.

# %%
WINDOW, DIM, FACTORS = 4, 64, 100


def vocabulary(sentences):
    """All words of a corpus, most frequent first."""
    return [word for word, _ in Counter(token for sentence in sentences for token in sentence).most_common()]


def table_of_counts(sentences, words, window=WINDOW):
    """(V, V) float64 counts of neighbours, on the device."""
    return cooccurrence(sentences, words, window).to_dense().to(run.device)


words = vocabulary(corpus)
counts = table_of_counts(corpus, words)
surprise = ppmi(counts)
short = lsa(surprise, DIM, power=0.5)
zeros = [
    f"{name} {float((table == 0).double().mean()):.1%}"
    for name, table in (("counts", counts), ("PPMI", surprise), ("LSA", short))
]
print(f"{len(words)} words; share of zeros: one-hot {1 - 1 / len(words):.1%},", ", ".join(zeros))

mixed = shuffled(corpus, seed)
words_shuffled = vocabulary(mixed)
short_shuffled = lsa(ppmi(table_of_counts(mixed, words_shuffled)), DIM, power=0.5)

# %%
few = corpus[:200]
yours, library = neighbour_counts(few, words, WINDOW), cooccurrence(few, words, WINDOW).to_dense().long()
print(
    f"on {len(few)} sentences your counts and the library's are "
    f"{'the same' if torch.equal(yours, library) else 'NOT the same'}"
)

# %%
truth = world.similarities()
questions = world.analogies("word")
planted = [q for relation, asked in questions.items() if relation != "control" for q in asked]
spaces = {
    "one-hot": (torch.eye(len(words)), words),
    "counts": (counts.float().cpu(), words),
    "PPMI": (surprise.cpu(), words),
    f"LSA of PPMI, {DIM} directions": (short.cpu(), words),
    "the same, shuffled text": (short_shuffled.cpu(), words_shuffled),
}


def quality(space, names):
    """How well cosines order the planted pairs (Spearman's ρ), and
    the share of the planted analogies answered."""
    return {
        "similarity, ρ": evaluate.similarity(space, names, truth).value,
        "analogies": evaluate.analogies(space, names, planted).value,
    }


result = pd.DataFrame(
    {
        name: {"numbers a word": space.shape[1], **quality(space, names)}
        for name, (space, names) in spaces.items()
    }
).T
similarity, answered = result["similarity, ρ"], result["analogies"]
metrics |= {
    "similarity_counts": similarity.iloc[1],
    "similarity_ppmi": similarity.iloc[2],
    "similarity_lsa": similarity.iloc[3],
    "similarity_shuffled": similarity.iloc[4],
    "analogies_ppmi": answered.iloc[2],
    "ppmi_minus_counts": similarity.iloc[2] - similarity.iloc[1],
    "lsa_minus_ppmi": similarity.iloc[3] - similarity.iloc[2],
    "lsa_minus_ppmi_analogies": answered.iloc[3] - answered.iloc[2],
}
result.round(3)

# %% [markdown]
# One-hot has no ρ: its cosines are all equal. PPMI orders the pairs far better than counts do.

# %% [markdown]
# LSA keeps the similarity in a tenth of the numbers, but loses many analogies (*france is to paris as korea is to seoul*; see the next lesson), as Levy and Goldberg saw. How many depends on $d$:

# %%
steps = [d for d in (2, 4, 8, 16, 32, 64, 128, 256, 512) if d <= len(words)]


def sweep(power):
    """The quality of LSA of PPMI with d directions, one row for each d in steps."""
    full = lsa(surprise, steps[-1], power).cpu()  # its first d columns are the LSA with d directions
    return pd.DataFrame([quality(full[:, :d], words) for d in steps], steps)


halved, whole = sweep(0.5), sweep(1.0)
best = halved["similarity, ρ"].idxmax()
metrics["lsa_best_minus_ppmi"] = halved.loc[best, "similarity, ρ"] - similarity["PPMI"]
print(
    f"power ½: similarity is best with {best} directions, "
    f"{metrics['lsa_best_minus_ppmi']:+.3f} against PPMI"
)

figure, axes = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained", sharex=True)
for ax, row in zip(axes, halved.columns):
    ax.plot(halved[row], "o-", label="LSA of PPMI, power ½")
    ax.plot(whole[row], "^:", color=plots.COLOURS[3], label="LSA of PPMI, power 1")
    ax.axhline(
        result.loc["PPMI", row], color=plots.COLOURS[1], ls="--", label=f"PPMI, all {len(words)} numbers"
    )
    ax.axhline(result.loc["counts", row], color=plots.COLOURS[2], ls=":", label="counts")
    ax.set(xscale="log", xlabel="directions kept, d", ylabel=row)
axes[0].set_title("Similarity needs few directions ...")
axes[1].set_title("... analogies need many")
axes[0].legend(loc="lower right")
plt.show()

# %% [markdown]
# With 64 directions, fixed beforehand, similarity stays about where PPMI has it. The best $d$ gains about .06 on 200,000 words and .03 on 45,000. A part of that is luck: this $d$ was chosen on the pairs that judge it.

# %% [markdown]
# With the power 1, all directions together have exactly the cosines of the table. With ½, weak directions weigh more than in the table, and similarity falls well below it.

# %% [markdown]
# ### Two cures, measured
#
# The table so far is plain PPMI. Now with smoothing and the shift of section 4:

# %%
measured = {}
for name, (negatives, power) in {
    "PPMI": (1, 1),
    "smoothed": (1, 0.75),
    "shifted": (5, 1),
    "both": (5, 0.75),
}.items():
    table = shifted_ppmi(counts, negatives, power)
    for form, space in (("the table", table), (f"LSA, {DIM} directions", lsa(table, DIM, power=0.5))):
        measured[name, form] = {"zeros": float((space == 0).double().mean()), **quality(space.cpu(), words)}
pd.DataFrame(measured).T.round(3)

# %% [markdown]
# | against plain PPMI | the table | in 64 directions |
# |---|---|---|
# | **smoothing** | gains a little in similarity, and in analogies wherever some were missed | |
# | **the shift** alone | is worse: some 96 % of the entries are zeros | orders pairs worse |
# | both | best of the four on 200,000 words; on 45,000 the shift takes back some of the gain | orders pairs worse |

# %% [markdown]
# ### What each can and cannot place near what
#
# The cosines of all pairs of words of the nine topics:

# %%
topics = {
    topic.name: [
        noun.stem for noun in (*topic.agents, *topic.places, *(t for _, things in topic.verbs for t in things))
    ]
    for topic in world.lexicon.topics
}
shown = [word for name in topics for word in topics[name] if word in words and word not in world.homonyms()]
rows = [words.index(word) for word in shown]
edges = np.cumsum([sum(word in topics[name] for word in shown) for name in topics])
middles = edges - np.diff(edges, prepend=0) / 2 - 0.5
figure, axes = plt.subplots(1, 4, figsize=(13, 3.9), layout="constrained")
for ax, (name, (space, _)) in zip(axes, list(spaces.items())[:4]):
    image = ax.imshow(cosines(space[rows]).numpy(), vmin=0, vmax=1, cmap="cividis")
    ax.set_title(name)
    ax.set_xticks(middles, topics, rotation=60)
    ax.set_yticks(middles, topics if ax is axes[0] else [""] * len(topics))
    ax.tick_params(length=0)
figure.colorbar(image, ax=axes, label="cosine", shrink=0.8)
figure.suptitle("One-hot knows no topics, counts see the same everywhere, PPMI and LSA show nine blocks")
plt.show()


# %%
def nearest(space, query, k=6):
    """The k words nearest to the query by cosine, as strings to
    show; a star: the two never stand within the window."""
    unit, at = normalize(space, dim=1), words.index(query)
    values, found = (unit @ unit[at]).topk(k + 1)  # the query itself comes first
    return [
        f"{words[i]}{'' if counts[at, i] else '*'} {value:.2f}"
        for i, value in zip(found.tolist(), values.tolist())
        if i != at
    ][:k]


kinds = list(spaces)[:4]
pd.DataFrame(
    {(q, name): nearest(spaces[name][0], q) for q in ("coffee", "korea", "doctor") for name in kinds[1:]}
)

# %% [markdown]
# Most of the nearest words wear a star: they never stood near the query. The counts have this second order too, but there company like *the* decides: everybody who does something is about as near to *doctor* as *nurse* is.
#
# How does the cosine of pairs that never met follow the planted similarity?

# %%
index = {word: i for i, word in enumerate(words)}
known = [(index[a], index[b], similar) for a, b, similar in truth if a in index and b in index]
left, right, similar = (list(column) for column in zip(*(pair for pair in known if counts[pair[:2]] == 0)))
apart = pd.DataFrame({name: cosines(spaces[name][0])[left, right].numpy() for name in kinds})
groups = apart.groupby(pd.Series(similar, name="planted similarity"))
groups.mean().assign(pairs=groups.size()).round(2)

# %% [markdown]
# | | can | cannot |
# |---|---|---|
# | **one-hot** | tell words apart | place a word nearer to one than to another |
# | **counts** | bring together words that never met | see past *the*: words of different topics have a cosine above .8 in the mean |
# | **PPMI** | part the similar from the others; answer nearly all analogies | be short: some nine in ten numbers are zeros |
# | **LSA** | keep similarity in 64 numbers | keep what is special to single words: nearly half of the analogies are lost |

# %% [markdown]
# ### Documents as contexts
#
# Deerwester and colleagues counted words in *documents*, to find also those that share no word with a question. They kept about 100 directions of the plain counts. Here is that table for our documents, judged by similarity of words.

# %%
terms = torch.zeros(len(words), len(documents))  # (V, D)
for j, document in enumerate(documents):
    for word, times in Counter(document).items():
        if word in index:
            terms[index[word], j] = times
by_terms = evaluate.similarity(terms, words, truth)
by_factors = evaluate.similarity(lsa(terms.to(run.device), FACTORS).cpu(), words, truth)
metrics["lsa_minus_terms"] = by_factors.value - by_terms.value
print(f"words by {len(documents)} documents: ρ {by_terms}")
print(f"in {FACTORS} directions:          ρ {by_factors}")

# %% [markdown]
# LSA gains over its own table here, little on 45,000 words and clearly on 200,000.

# %% [markdown]
# ### What word2vec has to do with it
#
# word2vec trains vectors $w_i$ and context vectors $c_j$ by a guessing game with $k$ negative samples. Given enough dimensions, its optimum is $w_i \cdot c_j = \text{PMI}_{ij} - \ln k$ (Levy and Goldberg), with $P_\alpha(j)$ in place of $P(j)$, since negatives are drawn with it.

# %% [markdown]
# word2vec draws its window from 1 to `window`, so we average the counts of these windows. It learns negative values too; your `shifted_ppmi` is the positive part.

# %%
NEGATIVES, REACH, OFTEN = 5, 2, 10
sample = world.corpus(size["sgns_tokens"])
settings = {
    "dim": 48,
    "window": REACH,
    "negatives": NEGATIVES,
    "epochs": size["sgns_epochs"],
    "min_count": 1,
    "subsample": 0,
    "lr": 0.05,
}
game = sgns.train(sample, **settings, seed=seed, device=str(run.device))
met = sum(table_of_counts(sample, game.words, w) for w in range(1, REACH + 1)).cpu() / REACH  # (V, V)
smoothed = met.sum(dim=0) ** 0.75
pmi = (met / met.sum(dim=1, keepdim=True) / (smoothed / smoothed.sum())).log()  # (V, V), −∞: they never met
optimum = pmi - math.log(NEGATIVES)
seen = met >= OFTEN  # pairs that met often enough for their PMI to be known
scores = (game.vectors @ game.contexts.T)[seen].numpy()
theory = optimum[seen].numpy()
fits_pmi = float(np.corrcoef(scores, theory)[0, 1])
fits_counts = float(np.corrcoef(scores, met[seen].log())[0, 1])
metrics |= {"sgns_fits_pmi": fits_pmi, "sgns_pmi_minus_counts": fits_pmi - fits_counts}
print(
    f"{int(seen.sum())} pairs that met {OFTEN} times or more: "
    f"correlation with PMI − ln k {fits_pmi:.3f}, with ln of the counts {fits_counts:.3f}"
)
positive = torch.allclose(shifted_ppmi(met, NEGATIVES).double(), optimum.clamp(min=0), atol=1e-5)
print(f"your shifted PPMI is {'the' if positive else 'NOT the'} positive part of PMI − ln k")

# %%
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
ax.plot(theory, scores, ".", ms=3, alpha=0.4)
ax.axline((0, 0), slope=1, color=plots.COLOURS[1], lw=1, label="equal")
ax.set(
    xlabel="PMI − ln 5, in nats",
    ylabel="w · c, trained",
    title=f"word2vec's dot products are the shifted PMI (r = {fits_pmi:.3f})",
)
ax.legend()
plt.show()

# %% [markdown]
# ### Real text
#
# This table has some 7,000 × 7,000 entries, 400 MB written out, 98 % of them zeros. Only the others are stored, smoothed as in `shifted_ppmi` with `negatives=1`.

# %% [markdown]
# `scipy.sparse.linalg.svds` (Lanczos) needs nothing but products with the matrix. The measure: similarity judged by people (WordSim-353). Look at how many pairs are **covered**.

# %%
if wikipedia:
    frequent = [word for word, times in Counter(t for s in wikipedia for t in s).most_common() if times >= 5]
    found = cooccurrence(wikipedia, frequent, 5)  # sparse (V, V)
    row, column = found.indices()
    by_row, by_column = found.sum(dim=1).to_dense(), found.sum(dim=0).to_dense() ** 0.75
    ratio = found.values() / by_row[row] / (by_column / by_column.sum())[column]
    positive = ratio.log().clamp(min=0).numpy()  # PPMI with smoothed contexts, where a count is
    table = coo_array((positive, (row.numpy(), column.numpy())), found.shape).tocsr()
    left, strength, _ = svds(table, k=size["real_dim"], v0=np.ones(len(frequent)))
    judged = list(datasets.wordsim353("en").itertuples(index=False, name=None))
    asked = sorted({word for one, other, _ in judged for word in (one, other)} & set(frequent))
    some = torch.tensor([frequent.index(word) for word in asked])  # only these rows are ever written out
    by_counts = evaluate.similarity(found.index_select(0, some).to_dense(), asked, judged)
    by_lsa = evaluate.similarity(torch.from_numpy(left * np.sqrt(strength))[some], asked, judged)
    metrics |= {"wordsim353_counts": by_counts.value, "wordsim353_lsa": by_lsa.value}
    print(f"{found._nnz():,} of {len(frequent) ** 2:,} entries are not zero")
    print(f"WordSim-353, ρ: counts {by_counts}, LSA of PPMI {by_lsa}")

# %% [markdown]
# ## Results
#
# `record` keeps the numbers and the vectors, and shows yours beside the reference's.

# %% tags=["metrics"]
record(
    metrics,
    ppmi=surprise,
    lsa=short,
    words=words,
    lsa_shuffled=short_shuffled,
    words_shuffled=words_shuffled,
)

# %% [markdown]
# **What was found**, in the runs behind the table of expected values:
#
# | | 200,000 words (`cpu`) | 45,000 (`smoke`) |
# |---|---|---|
# | β in WikiText-2 | .44 | .44 |
# | β in the world with its fixed lexicon | .07 | .08 |
# | ρ with the planted similarity: counts | .61 | .33 |
# | ... PPMI | .83 | .78 |
# | ... LSA of PPMI | .84 | .78 |
# | ... LSA of PPMI, shuffled text | about 0 | about 0 |
# | analogies that PPMI answers | 99.8 % | 95 % |
# | ... LSA of PPMI, in points | −42 | −42 |
# | 100 directions of the documents' table, less all of it, ρ | +.08 | +.02 |
# | word2vec's dot products and PMI − ln k, r | .99 | .98 |
# | WordSim-353, ρ: counts | .08 | .08 |
# | ... LSA of PPMI | .37 (100 directions) | .32 (50) |

# %% [markdown]
# ## In your own words
#
# **1.** Somebody suggests to mend one-hot vectors by sorting the vocabulary alphabetically, so that *coffee* and *coffees* get neighbouring numbers. What changes in their distances, and why?

# %% [markdown] answer="sorting_one_hot" points=2
# ### BEGIN SOLUTION
# Nothing changes. The number of a word only says which axis is its own; any two axes stand at a right angle, however near their numbers are. So every distance between different words is
# still √2 and every cosine 0. Renumbering permutes the coordinates, and distances and angles do not depend on their order. Similarity has to come from coordinates that two words share.
# ### END SOLUTION

# %% [markdown]
# **2.** In the table of results, LSA of PPMI answers fewer analogies than PPMI, though its similarities are about as good. Which would you use for finding synonyms on a telephone, and which for questions such as *korea : seoul = japan : ?* Say why.

# %% [markdown] answer="what_lsa_costs" points=2
# ### BEGIN SOLUTION
# For synonyms on a telephone: LSA. Similarity of topic and role lies in the few strong directions that many words share, so 64 numbers a word are enough and the vectors are ten times smaller.
# For the questions: PPMI. They need both the type of a word (country or capital) and its identity (Korea or Japan); identity lies in contexts that only a few words have, which are weak directions,
# and these are the first to be cut off. With more directions LSA gets some of them back.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Levy, Goldberg and Dagan 2015, [Improving Distributional Similarity with Lessons Learned from Word Embeddings](https://aclanthology.org/Q15-1016): with the same smoothing, shift and windows, counting and predicting come out about equal.
# - Turney and Pantel 2010, [From Frequency to Meaning](https://arxiv.org/abs/1003.1141): what else can be a context.
# - Next: *word2vec*, which learns short vectors without writing the table down.
