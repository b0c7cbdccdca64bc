# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # GloVe: vectors from ratios of counts
#
# **The paper.** Pennington, Socher and Manning, [GloVe: Global Vectors for Word Representation](https://aclanthology.org/D14-1162) (EMNLP 2014).

# %% [markdown]
# LSA trusts every entry of the table of counts alike. GloVe asks what in it carries meaning: the *ratio* of two co-occurrence probabilities.
#
# Vectors whose dot products fit the **logarithms** of the counts have these ratios as differences.

# %% [markdown]
# **The claim to reproduce** (Table 2: analogies answered, 6 billion words, 300 numbers a word):
#
# | GloVe | skip-gram | LSA, the best of three kinds |
# |---|---|---|
# | 71.7 % | 69.1 % | 60.1 % |
#
# You train all three on one small planted text. Not all comes out so: find out why.

# %% [markdown]
# **What you will write** (about 2½ hours):
#
# | | piece |
# |---|---|
# | 1 | the paper's ratios, from its rounded numbers |
# | 2 | counts that weigh near neighbours more; ratios of probabilities |
# | 3 | the loss and its gradient by hand |
# | 4 | AdaGrad and the training loop |
# | 5 | reading ratios off the vectors |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: about a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
import os
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from scipy.sparse import coo_array
from scipy.sparse.linalg import svds
from scipy.stats import spearmanr
from tqdm.auto import trange

import etude
from etude import check, plots, record
from etude.corpora import datasets
from etude.embeddings import associations, evaluate, pretrained, sgns
from etude.embeddings.cooccurrence import cooccurrence
from etude.world import World, shuffled

run = etude.start("week1_embeddings/glove", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. Ice and steam
#
# $P(k \mid i)$ is the share of word $k$ among all words that stand near word $i$. The paper's Table 1:
#
# | probe $k$ | solid | gas | water | fashion |
# |---|---|---|---|---|
# | $P(k \mid \text{ice})$ | 1.9e-4 | 6.6e-5 | 3.0e-3 | 1.7e-5 |
# | $P(k \mid \text{steam})$ | 2.2e-5 | 7.8e-4 | 2.2e-3 | 1.8e-5 |
# | $P(k \mid \text{ice}) \,/\, P(k \mid \text{steam})$ | 8.9 | 8.5e-2 | 1.36 | 0.96 |
# | $k$ goes with | ice alone | steam alone | both | neither |
# | so the ratio is | large | small | near one | near one |
#
# A single probability says little: *water* has the largest, as it is frequent.

# %% [markdown]
# Do the ratios follow? 1.9 / 0.22 is 8.6, not 8.9. But printed numbers are rounded, half a unit of the last digit to both sides:
#
# ```
#  1.9e-4      1.85e-4 ├───────┼───────┤ 1.95e-4
#  2.2e-5      2.15e-5 ├───────┼───────┤ 2.25e-5
# ```
#
# So only an interval of the ratio is known.

# %% [markdown]
# `Decimal` keeps what was printed:
#
# ```
#  Decimal("2.20").as_tuple().exponent     -2      the place of the last digit
#  Decimal(1).scaleb(-2)                   0.01    one unit of it
# ```
#
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Write a small function first: the two ends of the interval of one printed number. "1.9e-4" has the exponent −5.
#
# </details>
# <details><summary>Hint for the ratio</summary>
#
# A quotient is smallest when what is divided is smallest and what divides is largest.
#
# </details>


# %% exercise="possible_ratios"
def possible_ratios(above, below):
    """The smallest and the largest value of above / below, when both are rounded numbers.

    above, below: positive numbers as they are printed, e.g. "1.9e-4" (1.85e-4 to 1.95e-4) or "2.20"
    (2.195 to 2.205): digits, perhaps a point, perhaps a power of ten such as e-4 or e2. In "120" the
    0 is a printed digit, too: 119.5 to 120.5.
    Returns a tuple of floats (low, high). Pennington et al. 2014, Table 1.
    """

    ### BEGIN SOLUTION
    def interval(printed):
        value = Decimal(printed)
        half = Decimal(1).scaleb(value.as_tuple().exponent) / 2
        return value - half, value + half

    above_low, above_high = interval(above)
    below_low, below_high = interval(below)
    return float(above_low / below_high), float(above_high / below_low)
    ### END SOLUTION


# %%
check("possible_ratios")

# %%
printed = pd.DataFrame(
    [
        ("solid", "1.9e-4", "2.2e-5", "8.9"),
        ("gas", "6.6e-5", "7.8e-4", "8.5e-2"),
        ("water", "3.0e-3", "2.2e-3", "1.36"),
        ("fashion", "1.7e-5", "1.8e-5", "0.96"),
    ],
    columns=["probe", "P(k | ice)", "P(k | steam)", "printed ratio"],
)
pairs = list(zip(printed["P(k | ice)"], printed["P(k | steam)"]))
printed["quotient of the printed numbers"] = [f"{float(above) / float(below):.3g}" for above, below in pairs]
printed["possible, given rounding"] = [
    "{:.3g} to {:.3g}".format(*possible_ratios(above, below)) for above, below in pairs
]
printed

# %% [markdown]
# All four printed ratios lie in their intervals: the authors divided first, then rounded.

# %% [markdown]
# ## 2. Counts, and ratios of probabilities
#
# GloVe counts a pair $d$ apart as $1/d$ (section 4.2). The window counts words on **one** side, cut off at the sentence's edges. The row of *chef* with a window of 3:
#
# ```
#  sentence    at    noon    the    chef    cooks    soup
#  d            3     2       1      ●       1        2
#  counts      1/3   1/2      1              1       1/2
# ```

# %% [markdown]
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Look only at the words after each place: `enumerate(…, start=1)` over that slice gives d. Add 1/d from both sides.
#
# </details>


# %% exercise="harmonic_counts"
def harmonic_counts(sentences, words, window):
    """For each pair of words the sum of 1/d over all places where they stand d apart, d at most
    `window`.

    sentences: list of lists of strings, each of them among the words; words: list of V different
    strings;
    window: words on one side, at least 1.
    Returns a float64 tensor (V, V), symmetric; a word that stands near itself is counted from both
    of its places. Pennington et al. 2014, section 4.2.
    """
    ### BEGIN SOLUTION
    index = {word: i for i, word in enumerate(words)}
    counts = torch.zeros(len(words), len(words), dtype=torch.float64)  # (V, V)
    for sentence in sentences:
        ids = [index[word] for word in sentence]
        for place, one in enumerate(ids):
            for distance, other in enumerate(ids[place + 1 : place + 1 + window], start=1):
                counts[one, other] += 1 / distance
                counts[other, one] += 1 / distance
    return counts
    ### END SOLUTION


# %%
check("harmonic_counts")

# %% [markdown]
# From the table $X$, $P(k \mid i) = X_{ik} / X_i$, with the row's sum $X_i = \sum_k X_{ik}$. The ratio of two words for **all** probes at once:
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Divide each row by its own sum. Then one row by the other: in floats 1/0 is infinite and 0/0 is NaN, as wanted here.
#
# </details>


# %% exercise="probability_ratios"
def probability_ratios(counts, i, j):
    """P(k | i) / P(k | j) for every probe k.

    counts (V, K) float64 tensor of counts, words by probes; i, j: two rows, neither of them all zeros.
    Returns a float64 tensor (K,): infinite where k was seen near i only, NaN where it was seen near
    neither. Pennington et al. 2014, section 3.
    """
    ### BEGIN SOLUTION
    probabilities = counts / counts.sum(dim=1, keepdim=True)  # (V, K)
    return probabilities[i] / probabilities[j]  # (K,)
    ### END SOLUTION


# %%
check("probability_ratios")

# %% [markdown]
# The planted **world** has nine topics. Noise puts a word of another topic in about one place of eight. The probes are four **kinds** of words:
#
# | the paper | our world |
# |---|---|
# | *ice*, *steam* | people and places of food (*chef*, *kitchen*), of the sea (*sailor*, *harbor*) |
# | *solid*, *gas* | words of food, words of the sea |
# | *water* | adjectives such as *big*, which go with everything |
# | *fashion* | words of other topics |
#
# Train on the first half of the text; the second tests predictions.

# %%
size = {
    "smoke": {"tokens": 120_000, "epochs": 10, "sgns_epochs": 4, "dim": 64},
    "cpu": {"tokens": 300_000, "epochs": 6, "sgns_epochs": 4, "dim": 64},
    "gpu": {"tokens": 2_000_000, "epochs": 6, "sgns_epochs": 2, "dim": 100},
}[profile]
WINDOW = 5


def vocabulary(corpus):
    """The words of a corpus, most frequent first."""
    return [word for word, _ in Counter(token for sentence in corpus for token in sentence).most_common()]


world = World("en", seed=seed)
text = world.corpus(2 * size["tokens"])
half = len(text) // 2
corpus = text[:half]
words = vocabulary(corpus)
index = {word: i for i, word in enumerate(words)}
counts, counts_unseen = (
    cooccurrence(part, words, WINDOW, "harmonic") for part in (corpus, text[half:])
)  # (V, V) sparse
few = corpus[:200]
same = torch.allclose(
    harmonic_counts(few, words, WINDOW), cooccurrence(few, words, WINDOW, "harmonic").to_dense()
)
print(f"{len(words)} words, {counts._nnz():,} of {len(words) ** 2:,} entries are not zero")
print(f"on {len(few)} sentences your counts and the library's are {'the same' if same else 'NOT the same'}")

# %%
topics = [topic.name for topic in world.lexicon.topics]


def known(lexemes):
    """Ids of the lexemes' stems that are in the vocabulary and have one meaning."""
    return [
        index[entry.stem] for entry in lexemes if entry.stem in index and entry.stem not in world.homonyms()
    ]


people = [known((*topic.agents, *topic.places)) for topic in world.lexicon.topics]
things = [known(thing for _, found in topic.verbs for thing in found) for topic in world.lexicon.topics]
own = [one + other for one, other in zip(people, things)]  # for each topic: ids of people, places and things
adjectives = known(word for opposites in world.lexicon.opposites for word in opposites)


def kinds_of(counts, one, other):
    """(2, 5): counts near the people of two topics, added up over the
    topics' own words, adjectives, other topics, the rest."""
    near = torch.stack([counts[people[topic]].sum(dim=0) for topic in (one, other)])  # (2, V)
    elsewhere = [k for topic, ids in enumerate(own) if topic not in (one, other) for k in ids]
    sums = torch.stack(
        [near[:, ids].sum(dim=1) for ids in (own[one], own[other], adjectives, elsewhere)], dim=1
    )
    return torch.cat([sums, near.sum(dim=1, keepdim=True) - sums.sum(dim=1, keepdim=True)], dim=1)


dense = counts.to_dense()  # (V, V)
food, sea = topics.index("food"), topics.index("sea")
found = kinds_of(dense, food, sea)
table = pd.DataFrame(
    (found / found.sum(dim=1, keepdim=True)).numpy(),
    ["P(k | people of food)", "P(k | people of the sea)"],
    ["food", "sea", "adjectives", "other topics", "all else"],
)
table.loc["ratio"] = probability_ratios(found, 0, 1).numpy()
table.iloc[:, :4].map("{:.2g}".format)

# %% [markdown]
# The four kinds behave like the paper's probes. `ratio_gap`, over all pairs of topics: how far the log ratios of their own words are from 0, on the right side, minus how far the others are. Control: the text with its words **shuffled**.


# %%
def ratio_gap(counts):
    """How far the ratios of two topics' own words are from 1, beyond
    those of other words; over all pairs of topics."""
    gaps = []
    for one in range(len(topics)):
        for other in range(one):
            found = kinds_of(counts, one, other) + 1  # so that kinds that never met have a finite ratio too
            large, small, both, neither = probability_ratios(found, 0, 1)[:4].log().tolist()
            gaps.append((large - small) / 2 - (abs(both) + abs(neither)) / 2)
    return float(np.mean(gaps))


mixed = shuffled(text, seed)
counts_mixed, counts_mixed_unseen = (
    cooccurrence(part, words, WINDOW, "harmonic") for part in (mixed[:half], mixed[half:])
)
metrics = {"ratio_gap": ratio_gap(dense), "ratio_gap_shuffled": ratio_gap(counts_mixed.to_dense())}
print({name: f"{gap:.2f}: {math.exp(gap):.3g} to 1" for name, gap in metrics.items()})

# %% [markdown]
# ## 3. The loss
#
# The paper wants $(w_i - w_j) \cdot \tilde w_k$ to say what $P(k \mid i) / P(k \mid j)$ is. A difference that stands for a ratio is a logarithm:
#
# $$ w_i \cdot \tilde w_k = \ln P(k \mid i) = \ln X_{ik} - \ln X_i $$

# %% [markdown]
# $\ln X_i$ does not depend on $k$: learn it as a **bias** $b_i$. A second bias $\tilde b_k$ makes the roles of $i$ and $k$ alike (eq. 7):
#
# $$ w_i \cdot \tilde w_k + b_i + \tilde b_k = \ln X_{ik} $$

# %% [markdown]
# The dot product is not a co-occurrence probability: the **logarithm** of a **count** is fitted, and the two **biases** belong to it.

# %% [markdown]
# A pair seen once may be noise; *of the* must not outweigh all else. So each squared error has a weight $f(x)$: proportional to a power of the count $x$, $\alpha = ¾$, and 1 from $x_{\max}$ on:
#
# ```
#  count      0    x_max / 81    x_max / 16    x_max    2 x_max
#  weight     0       1 / 27        1 / 8        1         1
# ```
#
# A pair never seen has no part. The paper takes $x_{\max} = 100$, we 10.

# %% [markdown]
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Which factor makes the weight 1 at x_max? Take it into the power: the counts are measured in units of x_max. `clamp(max=1.0)` then does both cases at once, as 1 to any power is 1.
#
# </details>


# %% exercise="glove_weight"
def glove_weight(counts, x_max=100.0, alpha=0.75):
    """The weight f(x) of a squared error: in proportion to the count's power alpha, and 1 from x_max on.

    counts: tensor of any shape, perhaps without axes, of counts of at least 0, whole numbers or floats; it
    stays as it is. x_max: above 0; alpha: at least 0, above 0 where a count is 0.
    Returns a float tensor of the same shape. Pennington et al. 2014, eq. 9.
    """
    ### BEGIN SOLUTION
    return (counts / x_max).clamp(max=1.0) ** alpha
    ### END SOLUTION


# %%
check("glove_weight")

# %%
values = counts.values()
grid = torch.logspace(-1.2, 3, 200)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
left.semilogx(grid, glove_weight(grid, x_max=10.0), label="x_max = 10")
left.semilogx(grid, glove_weight(grid), ls="--", label="x_max = 100")
left.set(xlabel="count x", ylabel="weight f(x)", title="Rare pairs count little, frequent ones no more than 1")
left.legend()
right.hist(values.log10(), bins=40)
right.set(
    xlabel="log₁₀ of the count",
    ylabel="pairs of words",
    title=f"{float((values < 1).double().mean()):.0%} of our pairs have a count below 1",
)
plt.show()

# %% [markdown]
# The loss (eq. 8) sums over all entries of the table that are not zero:
#
# $$ J = \sum_{i,k} f(X_{ik}) \, \big( w_i \cdot \tilde w_k + b_i + \tilde b_k - \ln X_{ik} \big)^2 $$
#
# Write it for $N$ entries.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# The dot products of N pairs of rows: `(word * context).sum(dim=1)`, (N,). `word @ context.T` would pair all with all.
#
# </details>
# <details><summary>Hint for the sum</summary>
#
# The weight stands outside the square, and the loss is a sum, no mean.
#
# </details>


# %% exercise="glove_loss"
def glove_loss(word, context, word_bias, context_bias, counts, x_max=100.0):
    """GloVe's loss on N entries of the table: the sum of weighted squared errors.

    word (N, d), context (N, d): vectors; word_bias (N,), context_bias (N,); counts (N,): positive
    counts, floats, as small as 10⁻¹².
    Returns a scalar tensor. Pennington et al. 2014, eq. 8.
    """
    ### BEGIN SOLUTION
    predicted = (word * context).sum(dim=1) + word_bias + context_bias  # (N,)
    error = predicted - counts.log()
    return (glove_weight(counts, x_max) * error**2).sum()
    ### END SOLUTION


# %%
check("glove_loss")

# %% [markdown]
# Now the gradient by hand. First derive on paper: one entry's $f e^2$, where $e$ is its error, by $w_i$, $\tilde w_k$, $b_i$ and $\tilde b_k$.
#
# <details><summary>The derivation</summary>
#
# The derivative of $f e^2$ is $2 f e$ times that of $e$, which is 1 for a bias, $\tilde w_k$ for $w_i$ and $w_i$ for $\tilde w_k$. (The authors' program leaves out the 2.)
#
# </details>

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# 2 f e is (N,), the gradient of both biases. The weight f depends on the counts alone, so it has no derivative here.
#
# </details>
# <details><summary>Hint for the vectors</summary>
#
# `[:, None]` makes it (N, 1), which spreads over the d numbers of the other vector.
#
# </details>


# %% exercise="glove_gradients"
def glove_gradients(word, context, word_bias, context_bias, counts, x_max=100.0):
    """Gradients of `glove_loss`, with respect to its first four arguments.

    word (N, d), context (N, d): vectors; word_bias (N,), context_bias (N,); counts (N,): positive
    counts, floats, as small as 10⁻¹².
    Returns a tuple (d_word (N, d), d_context (N, d), d_word_bias (N,), d_context_bias (N,)).
    """
    ### BEGIN SOLUTION
    error = (word * context).sum(dim=1) + word_bias + context_bias - counts.log()  # (N,)
    slope = 2 * glove_weight(counts, x_max) * error  # (N,)
    return slope[:, None] * context, slope[:, None] * word, slope, slope
    ### END SOLUTION


# %%
check("glove_gradients")

# %% [markdown]
# ## 4. Training
#
# *the* has an entry with nearly every word, *fjord* with few. So **AdaGrad** (Duchi et al. 2011) gives every parameter its own step: it sums its squared gradients, $G \leftarrow G + g^2$, and steps by $-\eta \, g / \sqrt G$.

# %% [markdown]
# ```
#  gradients so far, each 1             3       8       99
#  G, which starts at 1                 4       9      100
#  the last step, with η = 0.2        0.10    0.07    0.02
# ```
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# First the new G, then the step, which divides by the root of the new one. `squares += …` would change the argument: make a new tensor.
#
# </details>


# %% exercise="adagrad_step"
def adagrad_step(parameters, squares, gradients, lr):
    """One step of AdaGrad.

    parameters, squares, gradients: tensors of one shape; squares: sums of all earlier squared
    gradients, positive. None of them is changed. Returns a tuple (new parameters, new squares).
    Duchi et al. 2011, section 1.
    """
    ### BEGIN SOLUTION
    squares = squares + gradients**2
    return parameters - lr * gradients / squares.sqrt(), squares
    ### END SOLUTION


# %%
check("adagrad_step")

# %% [markdown]
# The given loop shuffles the entries that are not zero, and takes a batch. Write the rest:
#
# ```
#  entries ─→ their vectors and biases ─→ gradients ─→ added up for each word ─→ adagrad_step
# ```
#
# A word may occur many times in a batch. `table[ids] += g` keeps one of its gradients, `index_add_` adds up all.
#
# The paper takes $\eta = 0.05$ and 50 to 100 epochs, we 0.2 and a few.

# %% [markdown]
# *25 minutes, hard.*
#
# <details><summary>Hint</summary>
#
# `i, k = pairs[:, entries]` are (B,) each. They look up what `glove_gradients` wants, with `counts[entries]` and `x_max`.
#
# </details>
# <details><summary>Hint for the gradients</summary>
#
# For each of the four tables: zeros of its shape, then `index_add_(0, ids, gradient)`. The ids are i, k, i, k.
#
# </details>
# <details><summary>Hint for the step</summary>
#
# `adagrad_step` on a whole table leaves rows without a gradient where they are. It returns new tensors: put them back into `tables` and `squares`.
#
# </details>


# %% exercise="train_glove"
def train_glove(pairs, counts, size, dim=64, x_max=10.0, epochs=20, lr=0.2, batch=2048, seed=0):
    """Fits vectors and biases to the logarithms of the entries that are not zero, with AdaGrad.

    pairs (2, N) int64: rows i and columns k of these entries; counts (N,) float32: the entries; both
    on the device to train on; size: the number V of words.
    Returns a tuple (word vectors (V, dim), context vectors (V, dim), word biases (V,), context
    biases (V,)) of float tensors on the CPU; the same for the same seed.
    """
    generator = torch.Generator().manual_seed(seed)
    vectors = [(torch.rand(size, dim, generator=generator) - 0.5) / dim for _ in range(2)]
    tables = [table.to(counts.device) for table in (*vectors, torch.zeros(size), torch.zeros(size))]
    squares = [torch.ones_like(table) for table in tables]
    for _ in trange(epochs, desc="epochs", leave=False, delay=1):
        order = torch.randperm(len(counts), generator=generator).to(counts.device)  # (N,)
        for entries in order.split(batch):
            ### BEGIN SOLUTION
            i, k = pairs[:, entries]  # (B,), (B,)
            word, context, word_bias, context_bias = tables
            gradients = glove_gradients(word[i], context[k], word_bias[i], context_bias[k], counts[entries], x_max)
            for number, (ids, gradient) in enumerate(zip((i, k, i, k), gradients)):
                total = torch.zeros_like(tables[number]).index_add_(0, ids, gradient)
                tables[number], squares[number] = adagrad_step(tables[number], squares[number], total, lr)
            ### END SOLUTION
    return tuple(table.detach().cpu() for table in tables)


# %%
check("train_glove")

# %% [markdown]
# ## 5. Ratios from vectors
#
# $w_i \cdot \tilde w_k + b_i \approx \ln X_{ik} - \tilde b_k$. Subtract the same for $j$, and $\tilde b_k$ drops out: $\ln (X_{ik} / X_{jk})$ is left. For *probabilities*, divide the counts by $X_i$ and $X_j$:
#
# $$ \ln \frac{P(k \mid i)}{P(k \mid j)} \approx (w_i - w_j) \cdot \tilde w_k + (b_i - \ln X_i) - (b_j - \ln X_j) $$

# %% [markdown]
# In the paper's derivation $b_i$ *is* $\ln X_i$ (up to a constant), and the brackets vanish. A trained bias grows far more slowly: keep the brackets.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# One product of the context vectors (V, d) with the difference of two word vectors (d,) gives all k at once. The brackets are two numbers.
#
# </details>


# %% exercise="log_ratios"
def log_ratios(model, totals, i, j):
    """What the model says of ln(P(k | i) / P(k | j)), for every word k.

    model: the tuple that train_glove returns; totals (V,) floats: the sums X_i of the rows of the
    table of counts, those of i and j above 0; i, j: two ids.
    Returns a float tensor (V,). Pennington et al. 2014, eq. 1 to 7.
    """
    ### BEGIN SOLUTION
    words, contexts, word_biases, _ = model
    biases = word_biases - totals.log()  # (V,)
    return contexts @ (words[i] - words[j]) + biases[i] - biases[j]  # (V,)
    ### END SOLUTION


# %%
check("log_ratios")

# %% [markdown]
# ## The experiment
#
# ### Does it fit the logarithm of the count?
#
# Train on the text and, as a control, on the shuffled text.


# %%
def learn(counts, epochs=size["epochs"], batch=2048):
    """(model, seconds): your loop on the entries of a sparse table of counts."""
    started = time.perf_counter()
    pairs, x = counts.indices().to(run.device), counts.values().float().to(run.device)
    model = train_glove(pairs, x, len(counts), size["dim"], epochs=epochs, batch=batch, seed=seed)
    return model, time.perf_counter() - started


def cost(model, counts):
    """The loss of a model over all entries that are not zero, for each entry."""
    (i, k), x = counts.indices(), counts.values().float()
    return float(glove_loss(model[0][i], model[1][k], model[2][i], model[3][k], x, x_max=10.0)) / len(x)


model, seconds = learn(counts)
model_mixed, _ = learn(counts_mixed)
before, after = cost(learn(counts, epochs=0)[0], counts), cost(model, counts)
print(
    f"{size['epochs']} epochs over {counts._nnz():,} entries in {seconds:.1f} s: "
    f"the loss fell from {before:.3f} to {after:.3f}"
)


# %%
def correlation(one, other):
    """Pearson's r of two tensors of the same shape."""
    return float(np.corrcoef(one.double().numpy(), other.double().numpy())[0, 1])


def fits(model, counts):
    """For the entries that are not zero: (dot product, the same
    with both biases, count, probability), each (N,)."""
    (i, k), x = counts.indices(), counts.values()
    dot = (model[0][i] * model[1][k]).sum(dim=1)
    return dot, dot + model[2][i] + model[3][k], x, x / counts.sum(dim=1).to_dense()[i]


dot, predicted, x, probability = fits(model, counts)
_, predicted_mixed, x_mixed, _ = fits(model_mixed, counts_mixed)
metrics |= {
    "fit_log_counts": correlation(predicted, x.log()),
    "fit_log_counts_minus_probability": correlation(predicted, x.log()) - correlation(dot, probability),
    "fit_log_counts_shuffled": correlation(predicted_mixed, x_mixed.log()),
}
some = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))[:4000]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.plot(x.log()[some], predicted[some], ".", ms=2, alpha=0.4)
left.set(xlabel="ln X", ylabel="w · w̃ + b + b̃")
left.set_title(f"With both biases: the logarithm of the count (r = {metrics['fit_log_counts']:.2f})")
right.plot(probability[some], dot[some], ".", ms=2, alpha=0.4)
right.set(xlabel="P(k | i)", ylabel="w · w̃")
right.set_title(f"The dot product is not the probability (r = {correlation(dot, probability):.2f})")
for ax in (left, right):
    ax.axline((0, 0), slope=1, color=plots.COLOURS[1], lw=1, label="equal")
    ax.legend()
plt.show()

# %% [markdown]
# Shuffled text is fitted nearly as well: a good fit alone shows no meaning.

# %% [markdown]
# ### Do differences of vectors say what the ratios are?
#
# For people or places of two topics, and all probes that both have met:
#
# | half of the text | correlation with its ratios |
# |---|---|
# | **trained** on | `ratio_fit`; `ratio_fit_frequent` where both counts are 2 or more |
# | **unseen** | `ratio_unseen`, beside that of the ratios as counted in training |


# %%
def compare_ratios(model, seen, fresh):
    """Log ratios for T triples of words: (in `fresh`, in `seen`, as the
    model of `seen` says, smaller count in `seen`), each (T,)."""
    seen, fresh = seen.to_dense(), fresh.to_dense()  # (V, V) each
    totals = seen.sum(dim=1).float()  # (V,)
    found = []
    for one in range(len(topics)):
        for i, j in ((i, j) for other in range(one) for i in people[one] for j in people[other]):
            met = (seen[i] > 0) & (seen[j] > 0) & (fresh[i] > 0) & (fresh[j] > 0)  # (V,)
            ratios = [probability_ratios(table[[i, j]], 0, 1).log() for table in (fresh, seen)]
            smaller = torch.minimum(seen[i], seen[j])
            found.append([values[met] for values in (*ratios, log_ratios(model, totals, i, j), smaller)])
    return [torch.cat(part) for part in zip(*found)]


_, trained_on, fitted, smaller = compare_ratios(model, counts, counts)
frequent = smaller >= 2
truth, counted, said, _ = compare_ratios(model, counts, counts_unseen)
truth_mixed, _, said_mixed, _ = compare_ratios(model_mixed, counts_mixed, counts_mixed_unseen)
metrics |= {
    "ratio_fit": correlation(fitted, trained_on),
    "ratio_fit_frequent": correlation(fitted[frequent], trained_on[frequent]),
    "ratio_unseen": correlation(said, truth),
    "ratio_unseen_minus_counts": correlation(said, truth) - correlation(counted, truth),
    "ratio_unseen_shuffled": correlation(said_mixed, truth_mixed),
}
print(f"{len(fitted):,} ratios of the text trained on: r = {metrics['ratio_fit']:.3f}")
print(f"{int(frequent.sum()):,} of them from counts of 2 or more: r = {metrics['ratio_fit_frequent']:.3f}")
print(
    f"{len(truth):,} ratios of unseen text: r = {correlation(said, truth):.3f} for vectors, "
    f"{correlation(counted, truth):.3f} for counts"
)
print(
    f"{len(truth_mixed):,} ratios of shuffled text: r = {correlation(said_mixed, truth_mixed):.3f} for vectors"
)

# %% [markdown]
# Where both counts are 2 or more, vectors follow the ratios closely. Many others rest on one distant meeting: a count of ¼ has the weight $f$ = 0.06. Vectors predict unseen text better than their counts do.

# %% [markdown]
# `ratio_direction` is the rank correlation of $(w_i - w_j) \cdot \tilde w_k$ with +1 for probes of $i$'s topic, −1 for those of $j$'s, 0 for all others.


# %%
def direction(vectors, contexts):
    """Spearman's ρ of (w_i − w_j) · w̃_k with the planted direction,
    over people of two topics and all topics' words."""
    probes = [k for ids in own for k in ids]
    topic = np.array([number for number, ids in enumerate(own) for _ in ids])  # (K,)
    said, planted = [], []
    for one in range(len(topics)):
        for other in range(one):
            for i, j in ((i, j) for i in people[one] for j in people[other]):
                said.append((contexts[probes] @ (vectors[i] - vectors[j])).numpy())  # (K,)
                planted.append(1.0 * (topic == one) - 1.0 * (topic == other))
    return float(spearmanr(np.concatenate(said), np.concatenate(planted)).statistic)


metrics["ratio_direction"] = direction(*model[:2])
shown = {
    "food": own[food],
    "sea": own[sea],
    "adjectives": adjectives,
    "other topics": [k for t, ids in enumerate(own) if t not in (food, sea) for k in ids],
}
ratio = log_ratios(model, dense.sum(dim=1).float(), index["chef"], index["sailor"])
spread = np.random.default_rng(seed)
figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
for height, (probes, name) in enumerate(zip(shown.values(), ("kitchen", "harbor", "big", "classroom"))):
    ax.plot(ratio[probes], height + spread.uniform(-0.25, 0.25, len(probes)), ".", alpha=0.7)
    ax.annotate(
        name, (float(ratio[index[name]]), height), (0, 12), textcoords="offset points", ha="center", fontsize=9
    )
ax.axvline(0, color="#999999", lw=1)
ax.set_yticks(range(len(shown)), shown)
ax.invert_yaxis()
ax.set(xlabel="ln of P(k | chef) / P(k | sailor), as the vectors say")
ax.set_title(f"Food pulls to chef, the sea to sailor (all topics: ρ = {metrics['ratio_direction']:.2f})")
plt.show()

# %% [markdown]
# ### GloVe, LSA and word2vec on the same text
#
# Every word has two vectors. As the table is symmetric, only their random start differs. The paper adds them, $w + \tilde w$, and finds that this usually helps a little.

# %% [markdown]
# **LSA** of the table's PPMI, **word2vec** (skip-gram, 5 negatives), **GloVe**, also with four times the epochs. Text, window and size are the same.


# %%
def lsa(counts, dim):
    """U √S of the positive PMI of a sparse table of counts (V, V): a float tensor (V, dim) on the CPU."""
    (i, k), x = counts.indices(), counts.values()
    totals = counts.sum(dim=1).to_dense()  # (V,)
    ppmi = (x * totals.sum() / (totals[i] * totals[k])).log().clamp(min=0)  # (N,)
    table = coo_array((ppmi.numpy(), (i.numpy(), k.numpy())), counts.shape).tocsr()
    left, strength, _ = svds(table, k=dim, v0=np.ones(len(totals)))
    return torch.from_numpy(left * np.sqrt(strength)).float()


def word2vec(corpus, **settings):
    """Skip-gram with the lesson's window, size and seed."""
    return sgns.train(
        corpus, dim=size["dim"], window=WINDOW, seed=seed, device=str(run.device), progress=False, **settings
    )


def scores(world, unit, vectors, words):
    """Planted similarity, analogies over all planted relations, and
    over each of them (and the control) alone."""
    questions = world.analogies(unit)
    planted = [q for relation, asked in questions.items() if relation != "control" for q in asked]
    asked = {"analogies": planted, **questions}
    shares = {name: evaluate.analogies(vectors, words, some).value for name, some in asked.items()}
    return {"similarity, ρ": evaluate.similarity(vectors, words, world.similarities(unit)).value, **shares}


def compare(world, unit, corpus, counts, words):
    """A table of scores of the three methods, with the seconds that
    each took and the loss that GloVe was left with."""
    spaces, losses = {}, {}
    started = time.perf_counter()
    spaces["LSA of PPMI"] = lsa(counts, size["dim"]), words, time.perf_counter() - started
    for name, epochs in (("GloVe", size["epochs"]), ("GloVe, 4 times as long", 4 * size["epochs"])):
        found, spent = learn(counts, epochs)
        spaces[name], losses[name] = (found[0] + found[1], words, spent), cost(found, counts)
    started = time.perf_counter()
    game = word2vec(corpus, epochs=size["sgns_epochs"], min_count=1, subsample=1e-2, lr=0.05)
    spaces["word2vec"] = game.vectors, game.words, time.perf_counter() - started
    rows = {
        name: {"seconds": spent, "loss": losses.get(name, math.nan), **scores(world, unit, vectors, names)}
        for name, (vectors, names, spent) in spaces.items()
    }
    return pd.DataFrame(rows).T


english = compare(world, "word", corpus, counts, words)
english.round(3)

# %%
glove, longer = english.loc["GloVe"], english.loc["GloVe, 4 times as long"]


def gains(table, suffix=""):
    """GloVe's scores minus those of the other two."""
    return {
        f"glove_minus_{name}{kind}{suffix}": table.loc["GloVe", column] - table.loc[other, column]
        for column, kind in (("similarity, ρ", ""), ("analogies", "_analogies"))
        for other, name in (("LSA of PPMI", "lsa"), ("word2vec", "sgns"))
    }


likeness, truths = "similarity, ρ", world.similarities()
metrics |= gains(english) | {
    "similarity_glove": glove[likeness],
    "analogies_glove": glove["analogies"],
    "longer_minus_glove_analogies": longer["analogies"] - glove["analogies"],
    "similarity_shuffled": evaluate.similarity(model_mixed[0] + model_mixed[1], words, truths).value,
    "sum_minus_words": glove[likeness] - evaluate.similarity(model[0], words, truths).value,
}

# %% [markdown]
# Not what the paper reports:
#
# | GloVe against | word2vec | LSA |
# |---|---|---|
# | similarity | below | near |
# | analogies | far behind | depends on the relation |
#
# Longer training makes the fit better and the analogies worse. What is GloVe **not** told?

# %% [markdown]
# ### What the zeros know
#
# How do we know that *korea* is not a capital? But for a little noise, *mayor* does not stand near it:
#
# ```
#                 president      mayor
#  korea          often          hardly ever      word2vec: draws mayor as noise, pushes it away
#  seoul          hardly ever    often            PPMI:     has the zero in its table
#                                                 GloVe:    f(0) = 0, so it may say anything there
# ```

# %% [markdown]
# The paper's section 3 mentions a target with a value at 0: $\ln(1 + X)$. Add 1 to *every* entry. Fewer epochs then visit about as many entries as the longer GloVe does.
#
# Control: the same shift **without** the zeros.

# %%
with_zeros = (dense + 1).to_sparse()  # every entry
model_zeros, _ = learn(with_zeros, epochs=max(1, round(4 * size["epochs"] * counts._nnz() / with_zeros._nnz())))
zeros = scores(world, "word", model_zeros[0] + model_zeros[1], words)
shifted = torch.sparse_coo_tensor(
    counts.indices(), counts.values() + 1, counts.shape, check_invariants=True
).coalesce()
model_shifted, _ = learn(shifted)
only_shifted = scores(world, "word", model_shifted[0] + model_shifted[1], words)
metrics |= {
    "zeros_minus_glove": zeros[likeness] - glove[likeness],
    "zeros_minus_glove_analogies": zeros["analogies"] - glove["analogies"],
    "shift_minus_glove_analogies": only_shifted["analogies"] - glove["analogies"],
}
asked = {"GloVe": glove, "GloVe of 1 + X": zeros, "of 1 + X without the zeros": only_shifted}
print("analogies answered: " + ", ".join(f"{name} {found['analogies']:.2f}" for name, found in asked.items()))


def said_count(model, one, other):
    """The count of a pair as the model has it."""
    i, k = index[one], index[other]
    return float((model[0][i] @ model[1][k] + model[2][i] + model[3][k]).exp())


pairs = [(place, office) for office in ("president", "mayor") for place in ("korea", "seoul")]
pd.DataFrame(
    {
        f"{one}, {other}": {
            "counted": float(dense[index[one], index[other]]),
            "weight f": float(glove_weight(dense[index[one], index[other]], x_max=10.0)),
            "GloVe": said_count(model, one, other),
            "GloVe of 1 + X": said_count(model_zeros, one, other) - 1,
        }
        for one, other in pairs
    }
).round(2)

# %%
english.loc["GloVe of 1 + X"] = zeros
relations = list(world.analogies())
figure, axes = plt.subplots(1, 5, figsize=(15, 2.8), layout="constrained", sharex=True)
for ax, name in zip(axes, ("LSA of PPMI", "GloVe", "GloVe, 4 times as long", "GloVe of 1 + X", "word2vec")):
    plots.bars(ax, english.loc[name, relations].to_dict(), label="share answered", title=name)
    ax.set_xlim(0, 1.15)
figure.suptitle("Country or capital? Pairs that never meet tell, and GloVe's loss leaves them out")
plt.show()

# %% [markdown]
# GloVe's counts of *korea, mayor* and *seoul, president* are too large (seed 0). With the zeros, both come near what was counted, and far more questions are answered. The shift alone changes little.

# %% [markdown]
# So neither the optimiser nor counting as such keeps GloVe behind word2vec here, but the pairs that do **not** meet. By our world's rules they hardly ever do. In six billion words nearly every two frequent words meet, and a rare meeting itself informs.

# %% [markdown]
# ### Korean, and real text
#
# The same in Korean morphemes; then on WikiText-2's validation and test articles (some 440,000 words), by WordSim-353, similarity judged by people. `smoke` leaves both out.

# %%
if profile != "smoke":
    world_ko = World("ko", seed=seed)
    corpus_ko = world_ko.corpus(size["tokens"], unit="morpheme")
    words_ko = vocabulary(corpus_ko)
    korean = compare(
        world_ko, "morpheme", corpus_ko, cooccurrence(corpus_ko, words_ko, WINDOW, "harmonic"), words_ko
    )
    metrics |= gains(korean, "_ko")
    print(korean.round(3).to_string())

# %% [markdown]
# In Korean (`cpu`) LSA is ahead of GloVe in all three relations, in English in *tense* alone.

# %%
needed = [*datasets.names("wikitext2"), "word_eval_en/wordsim353.tsv"]
missing = [name for name in needed if not datasets.available(name)]
if profile == "smoke" or missing:
    print(f"Left out. Not here: {', '.join(missing) or 'nothing'}.")
else:
    wikipedia = datasets.wikitext2()
    started = time.perf_counter()
    game = word2vec(wikipedia, epochs=10)
    spent = {"sgns": time.perf_counter() - started}
    counts_wiki = cooccurrence(wikipedia, game.words, WINDOW, "harmonic")
    found, spent["glove"] = learn(counts_wiki, epochs=4, batch=16_384)
    started = time.perf_counter()
    spaces = {"lsa": lsa(counts_wiki, size["dim"]), "glove": found[0] + found[1], "sgns": game.vectors}
    spent["lsa"] = time.perf_counter() - started
    judged = list(datasets.wordsim353("en").itertuples(index=False, name=None))
    wordsim = {name: evaluate.similarity(space, game.words, judged) for name, space in spaces.items()}
    metrics["wordsim353_glove"] = wordsim["glove"].value
    for other in ("lsa", "sgns"):
        metrics[f"wordsim353_glove_minus_{other}"] = wordsim["glove"].value - wordsim[other].value
    for name, score in wordsim.items():
        print(f"WordSim-353, ρ of {name}: {score}, after {spent[name]:.1f} s")

# %% [markdown]
# On this small real text (`cpu`) GloVe agrees least with people, LSA most. With 14 epochs in place of 4, GloVe's loss fell by half and ρ stayed where it was.

# %% [markdown]
# ## Results
#
# `record` keeps your numbers and vectors, and shows the reference's beside them.

# %% tags=["metrics"]
record(metrics, word_vectors=model[0], context_vectors=model[1], words=words)

# %% [markdown]
# **What was found**, in the runs behind the table of expected values:
#
# | | `cpu` | `smoke` |
# |---|---|---|
# | vectors with biases and the logarithms of the counts, r | .95 | .96 |
# | the same, shuffled | .89 | .90 |
# | ratios of unseen text, r | .74 | .72 |
# | ... beyond the counts' r | +.08 | +.06 |
# | ... shuffled | about 0 | about 0 |
# | similarity, ρ | .85 | .72 |
# | ... less word2vec's | −.06 | −.13 |
# | ... of the sum of both vectors, less that of one | −.04 | +.07 |
# | WordSim-353, ρ | .07 | |
# | ... less LSA's; less word2vec's | −.33; −.16 | |

# %% [markdown]
# | analogies | `cpu` | `smoke` |
# |---|---|---|
# | answered by GloVe | 58 % | 28 % |
# | ... less word2vec's, in points | −42 | −55 |
# | ... less LSA's | about 0 | −28 |
# | ... less LSA's, in Korean | −42 | |
# | change by training four times as long | −25 | −11 |
# | ... by the zeros | +41 | +61 |
# | ... by the shift alone | +2 | −1 |

# %% [markdown]
# ## In your own words
#
# **1.** A classmate's notes say: *GloVe trains vectors so that the dot product of two words is the probability that they occur together.* Correct the sentence, and say for each correction what would go wrong otherwise.

# %% [markdown] answer="dot_product_or_logarithm" points=2
# ### BEGIN SOLUTION
# The dot product **plus a bias for each of the two words** is fitted to the **logarithm** of their **count**. Without the logarithm, ratios would not become differences, so b − a + c would mean nothing, and a few large
# counts would rule the squared error; a dot product can also be negative, where a probability cannot. Without the biases, it would be left to the vectors alone to say how frequent a word is, and frequent words would be
# the more alike for that reason. (And it is a word's vector with another word's *context* vector.)
# ### END SOLUTION

# %% [markdown]
# **2.** $f(0) = 0$ was chosen because $\ln 0$ is $-\infty$. What does GloVe lose by it in our world, why does word2vec not lose it, and what does GloVe gain by it on a vocabulary of 400,000 words?

# %% [markdown] answer="what_zeros_know" points=2
# ### BEGIN SOLUTION
# It loses the knowledge that two words never meet, which in our world helps to tell a capital from its country: nothing in the loss forbids a large predicted count there. word2vec draws words at random as negatives, many of
# which never met the centre word, and pushes them apart. With 400,000 words the table has 160 billion entries, nearly all zero. Leaving them out makes
# training affordable, and where text is plentiful two words that could meet mostly have met.
# ### END SOLUTION

# %% [markdown]
# ## What else a table learns: jobs and gender
#
# *To look at, not graded.* A text that says *he* of engineers more often than *she* teaches that too.

# %% [markdown]
# **WEAT** (Caliskan et al. 2017) asks to which of two sets of words, $A$ and $B$, a word $w$ leans:
#
# $$ s(w) = \text{mean}_{a \in A} \cos(w, a) - \text{mean}_{b \in B} \cos(w, b) $$

# %% [markdown]
# The effect $d$ compares two other sets, $X$ and $Y$: the difference of their mean $s$, in standard deviations of all of them. Its $p$ is the share of other divisions of the same words that do as well.

# %% [markdown]
# **A direction** ([Bolukbasi et al. 2016](https://arxiv.org/abs/1607.06520)): the first principal component of the differences of pairs such as *he, she*. Other words can be projected on it.

# %% [markdown]
# Our world has couples (*king, queen*). *beard* stands with one half of them, *skirt* with the other: **planted**. Jobs have no gender: only noise brings *doctor* and *he* together.

# %%
couples = [tuple(word.stem for word in family.members) for family in world.lexicon.couples]
men_women = [list(side) for side in zip(*couples)]
his, hers = ([mark.stem for mark in world.lexicon.marks[kind]] for kind in ("he", "she"))
jobs = [agent.stem for topic in world.lexicon.topics for agent in topic.agents]


def leaning(vectors):
    """A row of numbers: WEAT of what is planted and of jobs; the
    direction of every second couple, tried on the others."""
    planted = associations.weat(vectors, words, (his, hers), men_women)
    nothing = associations.weat(vectors, words, (jobs[::2], jobs[1::2]), men_women)
    along = associations.direction(vectors, words, couples[::2])
    others = [word for couple in couples[1::2] for word in couple]
    found = associations.projections(vectors, words, along.vector, others).values
    return {
        "d, his and her things": planted.effect,
        "p": planted.p,
        "d, jobs": nothing.effect,
        "p of jobs": nothing.p,
        "share in one direction": along.share,
        "other couples right": np.mean([found[man] > found[woman] for man, woman in couples[1::2]]),
    }


print(
    f"{', '.join(his)} against {', '.join(hers)}; jobs: {', '.join(jobs[::2])} against {', '.join(jobs[1::2])}"
)
spaces = {"GloVe": model[0], "GloVe of 1 + X": model_zeros[0], "GloVe, shuffled text": model_mixed[0]}
pd.DataFrame({name: leaning(space) for name, space in spaces.items()}).T.round(3)

# %% [markdown]
# GloVe leans the right way. With the zeros (*king* and *skirt* hardly ever meet), one direction holds nearly all that couples differ in, and sorts the others.

# %% [markdown]
# With four words in a set, $d$ can be large by chance. So look at $p$, and deal the words anew, fifty times.

# %%
deals = [torch.randperm(len(words), generator=torch.Generator().manual_seed(50 * seed + i)) for i in range(50)]
by_chance = [associations.weat(model_zeros[0][deal], words, (his, hers), men_women).effect for deal in deals]
print(f"words dealt anew: d = {np.mean(by_chance):.2f} on average, standard deviation {np.std(by_chance):.2f}")


def draw_leaning(ax, scores, ends, title):
    """Bars of words along a direction; dotted lines: the mean of each end's words."""
    order = sorted(scores, key=scores.get)
    ax.barh(order, [scores[word] for word in order], color=[plots.COLOURS[scores[word] > 0] for word in order])
    ax.axvline(0, color="#999999", lw=1)
    for name, place in ends.items():
        ax.axvline(place, color="#999999", ls=":")
        ax.annotate(
            name,
            (place, 1),
            (0, 2),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
        )
    ax.set(xlabel="cosine with the direction", ylabel="job")
    ax.set_title(title, pad=18)


def mean_along(vectors, names, along, side):
    """The mean cosine of some words with a direction."""
    return float(np.mean(list(associations.projections(vectors, names, along, side).values.values())))


along = associations.direction(model_zeros[0], words, couples[::2]).vector  # (d,)
sides = zip(("men", "women"), zip(*couples[1::2]))
ends = {name: mean_along(model_zeros[0], words, along, side) for name, side in sides}
world_jobs = associations.projections(model_zeros[0], words, along, jobs)
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
draw_leaning(ax, world_jobs.values, ends, "Our world's jobs stand in the middle between men and women")
plt.show()

# %% [markdown]
# ### On real words
#
# Vectors of billions of words are too large for a course. Get a file from [GloVe's page at Stanford](https://nlp.stanford.edu/projects/glove/) or fastText's (English word vectors, `.vec`), unpack it, and write its path in the environment variable `ETUDE_VECTORS` or the next cell.

# %%
vectors_path = os.environ.get("ETUDE_VECTORS", "")  # or write the file's path here
table_file = Path(vectors_path).expanduser()
have_table = table_file.is_file()
if have_table:
    real_words, real = pretrained.read(table_file)  # (V, d)
    print(f"{len(real_words):,} words, {real.shape[1]} numbers each")
else:
    print(
        f"Left out, no table {f'at {vectors_path}' if vectors_path else 'named'}: "
        "set ETUDE_VECTORS to the path of a file in GloVe's or fastText's text format."
    )

# %% [markdown]
# Twenty jobs whose names say nothing of gender, along the direction of Bolukbasi's ten pairs.

# %%
if have_table:
    held = set(real_words)
    he_she = (
        "he-she his-her himself-herself man-woman boy-girl "
        "father-mother son-daughter male-female guy-gal John-Mary"
    )
    he_she = [
        tuple(word if word in held else word.lower() for word in pair.split("-")) for pair in he_she.split()
    ]
    occupations = [
        "architect", "artist", "banker", "captain", "carpenter", "dancer", "doctor",
        "engineer", "hairdresser", "housekeeper", "journalist", "lawyer", "librarian", "nurse",
        "philosopher", "programmer", "receptionist", "scientist", "secretary", "teacher",
    ]  # fmt: skip
    gender = associations.direction(real, real_words, he_she)
    real_jobs = associations.projections(real, real_words, gender.vector, occupations)
    print(f"pairs: {gender.coverage}; {gender.share:.0%} of their differences lie in one direction")
    known_jobs = len(real_jobs.coverage.known)
    print(f"{known_jobs} of {len(occupations)} occupations are among the first {len(real_words):,} words")
    if real_jobs.coverage.missing:
        print(f"missing: {', '.join(real_jobs.coverage.missing)}")
    of_pairs = [pair for pair in he_she if held.issuperset(pair)]
    sides = zip(("he …", "she …"), zip(*of_pairs))
    ends = {name: mean_along(real, real_words, gender.vector, side) for name, side in sides}
    figure, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
    draw_leaning(
        ax, real_jobs.values, ends, f"{known_jobs} jobs on the way from she to he, in vectors of real text"
    )
    plt.show()

# %% [markdown]
# Caliskan's sixth test: are men's names nearer to career, women's to family?

# %%
if have_table:
    names = "John Paul Mike Kevin Steve Greg Jeff Bill", "Amy Joan Lisa Sarah Diana Kate Ann Donna"
    names = [[name if name in held else name.lower() for name in side.split()] for side in names]
    career = [
        "executive", "management", "professional", "corporation", "salary", "office", "business", "career",
    ]  # fmt: skip
    family = ["home", "parents", "children", "family", "cousins", "marriage", "wedding", "relatives"]
    real_weat = associations.weat(real, real_words, names, (career, family))
    print(f"d = {real_weat.effect:.2f}, p = {real_weat.p:.2g} ({real_weat.partitions:,} divisions)")
    print(
        "\n".join(f"{name}: {found}" for name, found in zip(("X", "Y", "career", "family"), real_weat.coverage))
    )

# %% [markdown]
# *man is to doctor as woman is to …?* Usually the question's own words may not answer. Then *doctor* is impossible, and what comes next looks like prejudice ([Nissim et al. 2020](https://aclanthology.org/2020.cl-2.7)). So both:

# %%
if have_table:
    rows = {}
    for job in [job for job in real_jobs.coverage.known if {"man", "woman"} <= held]:
        question = "man", job, "woman"
        rows[job] = {
            title: ", ".join(
                word for word, _ in associations.answers(real, real_words, question, own_words=allowed)
            )
            for title, allowed in (("own words forbidden", False), ("own words allowed", True))
        }
    display(pd.DataFrame(rows).T)

# %% [markdown]
# A small table: `sgns.train(text, dim=100, epochs=10, seed=0)`, *text* being `corpora.brown()` and `corpora.movie_reviews()` in lower case (2.65 million words).
#
# | asked | found |
# |---|---|
# | $d$ | 1.80 (1.73 with seed 1): of 12,870 divisions none does better |
# | who leans most | *nurse* to *she*, *carpenter* to *he* (John Carpenter makes films) |
# | own words allowed | the job itself answers all twenty questions |

# %% [markdown]
# Taking the direction out hides the lean more than it removes it: words that leaned alike stay neighbours, and a classifier still sorts them ([Gonen and Goldberg 2019](https://aclanthology.org/N19-1061)).

# %% [markdown]
# ## What to read next
#
# - Levy et al. 2015, [Improving Distributional Similarity with Lessons Learned from Word Embeddings](https://aclanthology.org/Q15-1016): with the same settings the differences shrink.
# - Shazeer et al. 2016, [Swivel](https://arxiv.org/abs/1602.02215): a GloVe with a loss for the pairs that never met.
# - Next: *fastText*, with vectors for words that it has never seen.
